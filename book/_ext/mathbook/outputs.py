"""Rendering of cell outputs in MyST-NB: the entry point `myst_nb.mime_renderers` names `Renderer`."""

from typing import Any

PLOTLY = "application/vnd.plotly.v1+json"
PLOTLY_MARK = "mathbook"  # the `meta` of a plotly figure that comes with a Markdown directive


class Renderer:
    """Prefer the Markdown of a figure to its HTML, which is meant for viewers without the book's style sheet."""

    mime_priority_overrides = (("*", "text/markdown", 5),)

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[Any] | None:
        """Return no nodes for the plotly form of a figure of `mathbook.plots`; return None for any other output."""
        own = data.mime_type == PLOTLY and data.content.get("layout", {}).get("meta") == PLOTLY_MARK
        return [] if own else None
