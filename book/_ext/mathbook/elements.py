"""HTML elements as document nodes, so that mathematics and links inside them work as anywhere else.

`element("div", "mc-formula", …children)` creates one; builders other than HTML see only its children.
"""

import html
from collections.abc import Iterable, Mapping, Sequence

from docutils import nodes
from docutils.nodes import NodeVisitor
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

TALLY = "mc-table mc-carded mc-tally"  # the classes of a table of counts in many columns


class HtmlElement(nodes.General, nodes.TextElement):
    """An HTML element; `tag` and `attrs` are those of the HTML."""


def element(tag: str, name: str = "", /, *children: nodes.Node, **attrs: object) -> HtmlElement:
    """Return an element with the class `name`; `data_x=` becomes `data-x`, `True` an attribute without a value."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attrs.items()}
    return HtmlElement("", "", *children, tag=tag, attrs={"class": name, **named} if name else named)


def text_node(text: str) -> nodes.Text:
    """Return a text node."""
    return nodes.Text(text)


def join_nodes(parts: Iterable[Iterable[nodes.Node]], between: str = ", ") -> list[nodes.Node]:
    """Return the nodes of all parts, with a text between one part and the next."""
    return [node for part in parts for node in (text_node(between), *part)][1:]


def raw_html(text: str) -> nodes.raw:
    """Return raw HTML as a node."""
    return nodes.raw("", text, format="html")


def inline_math(latex: str) -> nodes.math:
    """Return inline mathematics as a node."""
    return nodes.math(latex, latex)


def display_math(latex: str) -> nodes.math_block:
    """Return a displayed equation without a number."""
    return nodes.math_block(latex, latex, nowrap=False, number=None, label=None)


def button(name: str, label: str, **attrs: object) -> HtmlElement:
    """Return a button, which needs JavaScript."""
    return element("button", name, text_node(label), type="button", **attrs)


def answer_form(
    *parts: nodes.Node,
    field: Iterable[nodes.Node] = (),
    verb: str = "Check",
    new_numbers: bool = False,
    after: Iterable[nodes.Node] = (),
    feedback: str | None = None,
) -> HtmlElement:
    """Return the form of an answer: `parts`, a row with the `field` and the buttons, what stands `after` it.

    `feedback` is the id of the place for the verdict.
    """
    row = element("span", "mc-row", *field, element("button", "mc-button mc-check", text_node(verb), type="submit"))
    if new_numbers:
        row += button("mc-button mc-new", "New numbers")
    verdict = element("p", "mc-feedback", id=feedback, role="status")
    return element("form", "mc-form", *parts, row, *after, verdict, autocomplete="off", novalidate=True)


def answer_field(name: str) -> HtmlElement:
    """Return the field of a typed answer; `name` is the id of the exercise."""
    attrs = {"spellcheck": "false", "autocapitalize": "off", "aria_describedby": f"{name}-help {name}-feedback"}
    return element("input", "mc-input", id=f"{name}-answer", name="answer", type="text", **attrs)


def option_input(index: int, name: str, *text: nodes.Node, kind: str = "radio") -> HtmlElement:
    """Return an option of a choice; `name` is the id of the exercise, `text` its nodes."""
    field = element("input", "", type=kind, name=name, value=str(index))
    return element("label", "mc-option", field, text_node(" "), *text)


def details(name: str, summary: str | list[nodes.Node], *children: nodes.Node, **attrs: object) -> HtmlElement:
    """Return a `details` element; `summary` is a text or a list of nodes."""
    head = summary if isinstance(summary, list) else [text_node(summary)]
    return element("details", name, element("summary", "", *head), *children, **attrs)


def table(
    label: str, columns: Sequence[object], rows: Iterable[Iterable[object]], name: str = "mc-table"
) -> HtmlElement:
    """Return a table in a scrolling box; a cell is a text or a list of nodes.

    With the class `mc-carded` each cell names its column, for the cards that the rows are on a phone.
    """
    carded = "mc-carded" in name

    def row(tag: str, cells: Iterable[object]) -> HtmlElement:
        attrs = [{"data_label": column} if carded and isinstance(column, str) else {} for column in columns]
        return element("tr", "", *(element(tag, "", *_body_cell(c), **a) for c, a in zip(cells, attrs, strict=True)))

    named = [_body_cell(column) for column in columns]
    head = element("thead", "", element("tr", "", *(_header_cell(cell) for cell in named)))
    body = element("tbody", "", *(row("td", cells) for cells in rows))
    region = {"tabindex": "0", "role": "region", "aria_label": label}
    return element("div", "mc-scroll", element("table", name, head, body), **region)


def _header_cell(cell: list[nodes.Node]) -> HtmlElement:
    """Return the header cell of a column; an empty one is a data cell, as an empty header is invalid."""
    empty = not "".join(node.astext() for node in cell).strip()
    return element("td", "", *cell) if empty else element("th", "", *cell, scope="col")


def _body_cell(cell: object) -> list[nodes.Node]:
    return cell if isinstance(cell, list) else [text_node(str(cell))]


def attributes_html(attrs: Mapping[str, object]) -> str:
    """Return attributes in HTML notation.

    >>> attributes_html({"class": "a", "title": '"', "novalidate": True, "hidden": None})
    ' class="a" title="&quot;" novalidate'
    """
    parts = []
    for key, value in attrs.items():
        if value is not None and value is not False:
            parts.append(f" {key}" if value is True else f' {key}="{html.escape(str(value))}"')
    return "".join(parts)


VOID = {"input", "br", "hr", "img"}


def _visit(translator: HTML5Translator, node: HtmlElement) -> None:
    ids = {"id": node["ids"][0]} if node["ids"] else {}
    translator.body.append(f"<{node['tag']}{attributes_html({**ids, **node['attrs']})}>")


def _depart(translator: HTML5Translator, node: HtmlElement) -> None:
    if node["tag"] not in VOID:
        translator.body.append(f"</{node['tag']}>")


def _pass(translator: NodeVisitor, node: HtmlElement) -> None:
    pass


def setup(app: Sphinx) -> None:
    """Register the element with Sphinx."""
    written, passed = (_visit, _depart), (_pass, _pass)
    app.add_node(HtmlElement, html=written, epub=written, latex=passed, text=passed)
