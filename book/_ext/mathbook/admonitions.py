"""The directive `mc:admonition`: a box."""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mathbook.elements import element
from mathbook.render_context import RenderContext

TITLE_BY_KIND = {"print": "As published", "warn": "Warning", "when": "Validity", "key": "Key points"}


class Admonition(SphinxDirective):
    """Render a box; the argument is its kind, the option `title` its title."""

    required_arguments = 1
    has_content = True
    option_spec = {"title": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def run(self) -> list[nodes.Node]:
        """Return the box; its title is its accessible name."""
        kind = self.arguments[0]
        if kind not in TITLE_BY_KIND:
            raise self.error(f"unknown kind of box `{kind}`: choose one of {', '.join(TITLE_BY_KIND)}")
        ctx = RenderContext(self)
        title = self.options.get("title", TITLE_BY_KIND[kind])
        head = element("p", "mc-head", *ctx.inline(title))
        box = element("aside", "mc-box", head, data_box=kind, aria_label=title)
        self.state.nested_parse(self.content, self.content_offset, box)
        return [ctx.with_source(box)]
