"""The directive `mc:diagram`: a diagram by name, its caption, its table of numbers, and buttons if it is animated."""

import html
from collections.abc import Mapping, Sequence

from docutils import nodes
from docutils.parsers.rst import directives

from mathbook.diagrams import registry
from mathbook.diagrams.registry import Diagram, Frame, load_diagram
from mathbook.domain_access import CheckedDirective
from mathbook.elements import details, element, raw_html, table
from mathbook.render_context import RenderContext
from mathbook.values import InvalidValue

BUTTONS = (("back", "Back"), ("play", "Play"), ("next", "Next"), ("all", "All steps"))


class DiagramDirective(CheckedDirective):
    """Show a diagram; the content is its caption, the option `name` a label for references."""

    required_arguments = 1
    has_content = True
    option_spec = {"name": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def content_nodes(self) -> list[nodes.Node]:
        """Return the figure."""
        name = self.arguments[0]
        if wrong := diagram_issue(name, self.content):
            raise InvalidValue(*wrong)
        for path in registry.source_files(name):
            self.env.note_dependency(str(path))
        ctx = RenderContext(self)
        drawn, _ = load_diagram(name)
        return [ctx.with_source(self._figure(ctx, name, drawn))]

    def _figure(self, ctx: RenderContext, name: str, drawn: Diagram) -> nodes.figure:
        node = nodes.figure("", raw_html(diagram_html(name, drawn)), classes=["mc-figure"])
        node += nodes.caption("", "", *ctx.inline(" ".join(line.strip() for line in self.content)))
        numbers = details("mc-data", "The numbers of this figure", table(drawn.title, drawn.columns, drawn.rows))
        text = element("p", "mc-description", nodes.Text(drawn.description))
        node += nodes.legend("", details("mc-data", "This figure in words", text), numbers)
        if label := self.options.get("name"):
            node["names"].append(nodes.fully_normalize_name(label))
            self.state.document.note_explicit_target(node, node)
        return node


def diagram_issue(name: str, caption: Sequence[str]) -> tuple[str, str] | None:
    """Return the error in a diagram or its caption, and how to fix it, or None."""
    if name not in registry.diagram_names():
        return f"there is no diagram `{name}`", f"choose one of {', '.join(registry.diagram_names())}"
    if not caption:
        return f"the diagram `{name}` has no caption", "write one into the directive"
    return None


def diagram_html(name: str, diagram: Diagram) -> str:
    """Return the HTML of a diagram: both layouts, or an animation of its frames."""
    sheets = diagram.svg(name)
    if diagram.frames:
        return _animation_html(diagram, sheets)
    layouts = "".join(f'<div class="mc-layout-{end}">{svg}</div>' for end, svg in sheets.items())
    return f'<div class="mc-diagram" data-draw="{name}">{layouts}</div>'


def _animation_html(diagram: Diagram, sheets: Mapping[str, str]) -> str:
    frames = "".join(map(_frame_html, sheets.values(), diagram.frames))
    buttons = "".join(f'<button type="button" class="mc-button" data-do="{do}">{word}</button>' for do, word in BUTTONS)
    count = f'<output class="mc-count" aria-live="polite">{len(diagram.frames)} steps</output>'
    bar = f'<div class="mc-row mc-animation-bar">{buttons}{count}</div>'
    size = ' class="mc-animation-large"' if diagram.frames[0].canvas.width > 250 else ""
    label = html.escape(diagram.title)
    return f'<div class="mc-animation" role="group" aria-label="{label}">{bar}<ol{size}>{frames}</ol></div>'


def _frame_html(svg: str, frame: Frame) -> str:
    between = " data-between" if frame.between else ""
    return f'<li class="mc-frame"{between}>{svg}<p>{html.escape(frame.description)}</p></li>'
