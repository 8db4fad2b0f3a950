"""Corrections of the HTML of docutils and MyST-NB: tables, titles, summaries, bibliographies.

A number keeps its unit at the end of a line. Tables scroll within their own box, and columns of numbers are aligned
right; the question in a chapter's title gets an element of its own; roles and elements are those that HTML and ARIA
allow.
"""

import html
import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from mathbook.elements import HtmlElement, element, text_node
from mathbook.outline import split_title
from mathcore.number_format import NNBSP

NUMBER = re.compile(r"[−–-]?[$~]?\d[\d.,\s\u202f]*(?:[·×]\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\s?%?|[–-]|")
UNIT_AFTER_NUMBER = re.compile(
    r"(?<=\d) (?=%|(?:[kMGTPEZYmµn]?(?:B|bit|W|Wh|J|s|FLOP|g|USD|tokens?)|[KMGT]i?B|min|h|d|GPUs?"
    r"|million|billion|trillion)\b)"
)
VERBATIM = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment)


def setup(app: Sphinx) -> None:
    """Register the visitors, and change resolved pages before they are written as HTML."""
    app.add_node(nodes.citation, override=True, html=(_visit_citation, _depart_citation))
    app.add_node(HideCodeCellNode, override=True, html=(_visit_collapsed, _depart_collapsed))
    app.connect("doctree-resolved", _change_nodes, priority=900)


def _change_nodes(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    bind_units(doctree)
    for title in doctree.findall(nodes.title):
        if isinstance(title.parent, nodes.section) and isinstance(title.parent.parent, nodes.document):
            split_question(title)
    for table in list(doctree.findall(is_table)):
        align_numeric_columns(table)
        if isinstance(table, nodes.table):
            scroll = element("div", "mc-scroll")
            table.replace_self(scroll)
            scroll += table


def bind_units(doctree: nodes.document) -> None:
    """Replace the space between a number and its unit by one at which no line ends, outside of code and formulas."""
    for text in list(doctree.findall(nodes.Text)):
        if UNIT_AFTER_NUMBER.search(text) and not isinstance(text.parent, VERBATIM):
            text.parent.replace(text, nodes.Text(UNIT_AFTER_NUMBER.sub(NNBSP, text)))


def split_question(title: nodes.title) -> None:
    """Move the question of a title `Subject: question?` into an element of its own."""
    subject, question = split_title(title.astext())
    if question and all(isinstance(child, nodes.Text) for child in title.children):
        parts = element("span", "mc-hidden", text_node(": ")), element("span", "mc-question-part", text_node(question))
        title.children = []
        title.extend([text_node(subject), *parts])


def is_table(node: nodes.Node) -> bool:
    """Return whether a node is a table of docutils or of this extension."""
    return isinstance(node, nodes.table) or (isinstance(node, HtmlElement) and node["tag"] == "table")


def align_numeric_columns(table: nodes.Element) -> None:
    """Give the cells of numeric columns, headers included, the class `mc-n`; leave tables with merged cells alone.

    >>> from mathbook.elements import table
    >>> made = table("", ["a", "n"], [["x", "12 %"], ["y", "–"]])
    >>> align_numeric_columns(next(made.findall(is_table)))
    >>> [cell["attrs"].get("class") for cell in made.findall(HtmlElement) if cell["tag"] in ("th", "td")]
    [None, 'mc-n', None, 'mc-n', None, 'mc-n']
    """
    rows = [_cells(row) for row in table.findall(_is_row)]
    body = [row for row in rows[1:] if any(map(_is_data, row))]
    if not body or len({len(row) for row in rows}) != 1 or any(_has_merged_cells(cell) for row in rows for cell in row):
        return
    for column, inside in zip(zip(*rows, strict=True), zip(*body, strict=True), strict=True):
        texts = [_visible_text(cell) for cell in inside]
        if any(texts) and all(map(NUMBER.fullmatch, texts)):
            for cell in column:
                _sign_class(cell)


def _is_row(node: nodes.Node) -> bool:
    return isinstance(node, nodes.row) or (isinstance(node, HtmlElement) and node["tag"] == "tr")


def _cells(row: nodes.Element) -> list[nodes.Element]:
    return [child for child in row.children if isinstance(child, nodes.Element)]


def _is_data(cell: nodes.Element) -> bool:
    return cell["tag"] == "td" if isinstance(cell, HtmlElement) else not isinstance(cell.parent.parent, nodes.thead)


def _has_merged_cells(cell: nodes.Element) -> bool:
    attrs = cell["attrs"] if isinstance(cell, HtmlElement) else cell.attributes
    return any(attrs.get(name) for name in ("morecols", "morerows", "colspan", "rowspan"))


def _visible_text(cell: nodes.Element) -> str:
    """Return the visible text of a cell: mathematics without TeX commands, HTML without tags."""
    parts = []
    for node in cell.findall(lambda each: isinstance(each, (nodes.Text, nodes.raw))):
        if isinstance(node, nodes.raw):
            parts.append(re.sub(r"<[^>]+>", "", node.astext()))
        elif isinstance(node.parent, nodes.math):
            parts.append(re.sub(r"\\[,;! ]|[{}]", "", node.astext()))
        elif not isinstance(node.parent, nodes.raw):
            parts.append(node.astext())
    return html.unescape("".join(parts)).strip()


def _sign_class(cell: nodes.Element) -> None:
    if isinstance(cell, HtmlElement):
        name = cell["attrs"].get("class")
        cell["attrs"] = {**cell["attrs"], "class": f"mc-n {name}" if name else "mc-n"}
    else:
        cell["classes"].insert(0, "mc-n")


def _visit_citation(translator: HTML5Translator, node: nodes.citation) -> None:
    """Begin an entry of a bibliography without the role of docutils, which requires an enclosing section."""
    if not isinstance(node.previous_sibling(), nodes.citation):
        translator.body.append('<div role="list" class="citation-list">\n')
    translator.body.append(translator.starttag(node, "div", classes=["citation"], role="listitem"))


def _depart_citation(translator: HTML5Translator, node: nodes.citation) -> None:
    translator.body.append("</div>\n")
    if not isinstance(node.next_node(descend=False, siblings=True), nodes.citation):
        translator.body.append("</div>\n")


def _visit_collapsed(translator: HTML5Translator, node: nodes.Element) -> None:
    """Begin a collapsed cell with a summary that contains no paragraph and names itself."""
    translator.body.append(f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>\n')
    for state, text in (("collapsed", node["prompt_show"]), ("expanded", node["prompt_hide"])):
        translator.body.append(f'<span class="{state} admonition-title">{html.escape(text)}</span>\n')
    translator.body.append("</summary>\n")


def _depart_collapsed(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append("</details>\n")
