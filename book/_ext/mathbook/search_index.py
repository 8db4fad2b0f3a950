"""The search index: pages, sections, formulas, facts, exercises and glossary terms; and the page of results.

Entries are recorded when a page is read, so that an unchanged page keeps its entries. After the build all entries
become one script (`mc-index.js`), which the browser loads when the reader begins to type, from disk as well. The search
itself is MiniSearch's; Sphinx's own index is not built.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment

from mathbook import outline
from mathbook.domain_access import get_domain
from mathbook.elements import HtmlElement
from mathbook.folders import write_script
from mathbook.frame import has_own_theme

INDEX = "mc-index.js"
MAX_TEXT = 1200  # characters of a section in the index: its first sentences introduce its subject
# Nodes without prose: formulas, code, raw HTML.
SKIPPED_NODES = (
    nodes.math, nodes.math_block, nodes.raw, nodes.literal_block, nodes.comment, nodes.section, nodes.title
)  # fmt: skip
SEARCHED_KINDS = {
    "Formula": "formula", "Exercise": "exercise", "Question": "question", "Calculator": "calculator",
    "Lab": "lab", "Fact": "fact", "Decision": "decision",
}  # fmt: skip
Entry: TypeAlias = tuple[str, str, str, str, str]  # kind, title, anchor, keywords, text


def _record_entries(app: Sphinx, doctree: nodes.document) -> None:
    """Record the search entries of a page that has just been read."""
    env = app.env
    docname = env.docname
    page_entries: list[Entry] = []
    if env.metadata[docname].get("mathbook_table"):
        page_entries += _fact_entries(doctree)
    else:
        page_entries += [entry for part in doctree.findall(nodes.section) for entry in _section_entry(part)]
        page_entries += [entry for item in doctree.findall(nodes.definition_list_item) for entry in _term_entries(item)]
        anchors = get_domain(env).data["shown"].get(docname, {})
        page_entries += [entry for address, anchor in anchors.items() for entry in _statement_entry(address, anchor)]
    get_domain(env).data["search_entries"][docname] = page_entries


def _section_entry(part: nodes.section) -> Iterator[Entry]:
    """Yield `(kind, title, anchor, keywords, text)` of a section; the first section is the page."""
    title = part.next_node(nodes.title)
    if title is None:
        return
    page = not isinstance(part.parent, nodes.section)
    text = " ".join(piece for child in part.children for piece in _prose_texts(child))
    yield (
        ("page" if page else "section"),
        _plain_text(title.astext()),
        "" if page else part["ids"][0],
        "",
        text[:MAX_TEXT],
    )


def _prose_texts(node: nodes.Node) -> Iterator[str]:
    """Yield the prose texts below a node."""
    if isinstance(node, SKIPPED_NODES) or (isinstance(node, HtmlElement) and node["tag"] in ("script", "svg", "table")):
        return
    if isinstance(node, nodes.Text):
        yield _plain_text(node.astext())
    for child in node.children:
        yield from _prose_texts(child)


def _term_entries(item: nodes.definition_list_item) -> Iterator[Entry]:
    for term in item.findall(nodes.term):
        if term["ids"]:
            definition = next(item.findall(nodes.definition), term).astext().partition("→")[0]
            yield "term", _plain_text(term.astext()), term["ids"][0], "", _plain_text(definition)


def _fact_entries(doctree: nodes.document) -> Iterator[Entry]:
    for node in doctree.findall(HtmlElement):
        if node["ids"] and node["ids"][0].startswith("fact-"):
            yield from _statement_entry(node["attrs"]["data-address"], node["ids"][0])


def _statement_entry(address: str, anchor: str) -> Iterator[Entry]:
    """Yield the entry of a statement, if it is of a kind that is searchable."""
    from mathcore import find

    statement = find(address)
    kind = SEARCHED_KINDS.get(type(statement).__name__)
    if kind == "formula":
        symbols = " ".join(v.name for v in (statement.lhs, *statement.inputs))
        meanings = "; ".join(v.meaning for v in statement.inputs)
        description = ", ".join(filter(None, [statement.lhs.meaning, statement.convention]))
        equation = f"{statement.lhs.name} = {statement.rhs}"
        yield kind, description, anchor, f"{_address_words(address)} {symbols}", f"{equation}; {meanings}"
    elif kind == "fact":
        from mathbook.examples_and_facts import fact_text

        about = "; ".join(filter(None, [statement.qualifier, statement.note]))
        yield kind, f"{statement.meaning}: {fact_text(statement)}", anchor, _address_words(address), about
    elif kind:
        yield kind, _plain_text(statement.title), anchor, _address_words(address), ""


def _address_words(address: str) -> str:
    """Return an address as separate words.

    >>> _address_words("young_daly.cluster_mtbf")
    'young daly cluster mtbf'
    """
    return re.sub(r"[._]", " ", address)


_TEX = re.compile(r"\$([^$\n]{1,80})\$(?!\d)")


def _plain_text(text: str) -> str:
    r"""Return a text of Markdown in one line, without its marks and with formulas as plain text.

    >>> _plain_text(r"memory of one layer, $34\,s b h/t_{\mathrm{a}}$, in `bytes`")
    'memory of one layer, 34 s b h/t_a, in bytes'
    """
    text = _TEX.sub(lambda match: re.sub(r"\\[A-Za-z]+|[{}]|\\", "", match[1].replace(r"\,", " ")), text)
    return " ".join(text.replace("`", "").replace("\u202f", " ").split())


def index_entries(env: BuildEnvironment) -> tuple[list[list[str]], list[list[object]]]:
    """Return `(pages, rows)`: names and titles of pages, and for each entry its kind, page, title and texts."""
    by_page = get_domain(env).data["search_entries"]
    pages = [doc for doc in sorted(by_page) if doc in env.titles]
    titles = [_plain_text(outline.full_title(env, doc, numbered=False)) for doc in pages]
    rows = [
        [kind, n, title if kind == "page" else name, *rest]
        for n, (doc, title) in enumerate(zip(pages, titles, strict=True))
        for kind, name, *rest in by_page[doc]
    ]
    return [[doc, title] for doc, title in zip(pages, titles, strict=True)], rows


def _write_index(app: Sphinx, failed: Exception | None) -> None:
    if failed or app.builder.format != "html" or not has_own_theme(app):
        return
    from mathcore.library import current_library

    pages, rows = index_entries(app.env)
    index = {"pages": pages, "rows": rows, "synonyms": current_library.data("synonyms.toml")}
    write_script(Path(app.outdir) / "_static" / INDEX, "index", index)


def _disable_sphinx_search(app: Sphinx) -> None:
    """Disable Sphinx's index, and add the theme's page of results."""
    if not has_own_theme(app):
        return
    cast(StandaloneHTMLBuilder, app.builder).search = False
    app.config.html_additional_pages = {**app.config.html_additional_pages, "search": "search.html"}


def setup(app: Sphinx) -> None:
    """Connect to the reading of pages and to the end of a build."""
    app.connect("builder-inited", _disable_sphinx_search)
    app.connect("doctree-read", _record_entries)
    app.connect("build-finished", _write_index)
