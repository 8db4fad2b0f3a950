"""How MyST-NB renders what a cell displays: the entry point `myst_nb.mime_renderers` names `Renderer`."""

PLOTLY = "application/vnd.plotly.v1+json"
PLOTLY_MARK = "mathbook"  # the `meta` of a plotly figure that comes with a Markdown directive


class Renderer:
    """Prefer the Markdown of a figure to its HTML, which is for viewers without the book's style."""

    mime_priority_overrides = (("*", "text/markdown", 5),)

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Return no nodes for a figure of `mathbook.plots` as plotly; None leaves any other output to MyST-NB."""
        own = data.mime_type == PLOTLY and data.content.get("layout", {}).get("meta") == PLOTLY_MARK
        return [] if own else None
