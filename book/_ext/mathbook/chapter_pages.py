"""What a page shows about its chapter: its place, its length, its prerequisites, and on a first page the other pages.

Minutes and exercises are counted when a page is read. When all pages are known, each gets its `Summary`, and a page
whose summary has changed is written again; the nodes are added when the page is written.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from mathbook import outline, study_time
from mathbook.domain_access import get_domain
from mathbook.elements import HtmlElement, element, join_nodes, text_node
from mathbook.exercises import TaskNumber
from mathcore.types import AnyOf

EXERCISE_PAGE_FROM = 5  # a page with that many exercises has no reading time
SUMMARY_ID = "what-to-remember"  # the section that closes a chapter
HANDLER_PRIORITY = 900  # among the listeners to `doctree-resolved`: links and numbers are in place
Length: TypeAlias = tuple[str, int]  # `min`, `exercises` or `rows`, and how many


class Summary(NamedTuple):
    """What a page shows about itself: the exercises before it in its chapter, its length, and related pages by name."""

    exercises_before: int
    length: tuple  # (`min`, `exercises` or `rows`, how many)
    prerequisites: tuple
    dependents: tuple
    chapter_pages: tuple  # (name, title, length) of each page of the chapter
    summary_page: str  # the page of the chapter with its summary


def setup(app: Sphinx) -> None:
    """Register the node and the event handlers."""
    app.add_node(TaskNumber)
    app.connect("doctree-read", _record_counts)
    app.connect("env-updated", _changed_pages)
    app.connect("doctree-resolved", _number_exercises)
    app.connect("doctree-resolved", _add_page_lists, priority=HANDLER_PRIORITY)


# ---------------------------------------------------------------- what is counted on a page


def _record_counts(app: Sphinx, doctree: nodes.document) -> None:
    data = get_domain(app.env).data
    rows = sum(len(list(body.findall(_is_row))) for body in doctree.findall(_is_body))
    ends = any(SUMMARY_ID in section["ids"] for section in doctree.findall(nodes.section))
    source = Path(app.env.doc2path(app.env.docname)).read_text("utf-8")
    counted = {"minutes": max(1, round(study_time.reading_minutes(source))), "rows": rows, "ends": ends}
    data["page_counts"][app.env.docname] = counted


def _is_body(node: nodes.Node) -> bool:
    return isinstance(node, HtmlElement) and node["tag"] == "tbody"


def _is_row(node: nodes.Node) -> bool:
    return isinstance(node, HtmlElement) and node["tag"] == "tr"


def _length(env: BuildEnvironment, name: str) -> Length:
    """Return the length of a page as `(unit, count)`: rows of a list, exercises, or minutes."""
    data = get_domain(env).data
    counted = data["page_counts"][name]
    tasks = len(data["exercises"].get(name, ()))
    if env.metadata[name].get("mathbook_table"):
        return ("rows", counted["rows"])
    return ("exercises", tasks) if tasks >= EXERCISE_PAGE_FROM else ("min", counted["minutes"])


# ---------------------------------------------------------------- its description


def _changed_pages(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages whose summary has changed."""
    data = get_domain(env).data
    now = summaries(env)
    before = data.get("summaries", {})
    data["summaries"] = now
    return [name for name, summary in now.items() if before.get(name) != summary]


def summaries(env: BuildEnvironment) -> dict[str, Summary]:
    """Return `{page: Summary}` of all pages of all chapters."""
    data, by_page = get_domain(env).data, {}
    needed = prerequisites(env)
    for chapter in outline.outline_chapters(env):
        lengths = {name: _length(env, name) for name in chapter.pages}
        others = tuple((name, outline.short_title(env, chapter, name), lengths[name]) for name in chapter.pages)
        last = next((name for name in chapter.pages if data["page_counts"][name]["ends"]), "")
        before = 0
        for name in chapter.pages:
            below, above = needed.get(name, ((), ()))
            by_page[name] = Summary(before, lengths[name], below, above, others, last)
            before += len(data["exercises"].get(name, ()))
    return by_page


def prerequisites(env: BuildEnvironment) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return `{page: (pages whose formulas it uses, pages that use its formulas)}`, each in reading order.

    A first page stands for its chapter: it names other chapters, except those that one of these needs already. Lists
    and pages of exercises are not named as users.
    """
    order = {name: place for place, name in enumerate(outline.reading_order(env))}
    shown_on = get_domain(env).data["shown"]
    known = {
        name: chapter
        for chapter in outline.outline_chapters(env)
        if not _is_appendix(env, chapter) and any(shown_on.get(name) for name in chapter.pages)
        for name in chapter.pages
    }
    direct = _page_prerequisites(env, order, known)
    through = _chapter_prerequisites(direct, known, order)
    neighbours = {}
    for name, chapter in known.items():
        if name == chapter.first:
            below = [*through[name]]
            above = [other for other, needed in through.items() if name in needed]
        else:
            below = [other for other in direct[name] if order[other] < order[name]]
            above = [other for other, needed in direct.items() if name in needed and order[other] > order[name]]
            above = [other for other in above if _length(env, other)[0] != "exercises"]
        neighbours[name] = tuple(sorted(below, key=order.__getitem__)), tuple(sorted(above, key=order.__getitem__))
    return neighbours


LISTS = {"notation", "formulas", "facts", "decisions", "claims", "comparisons"}


def _is_appendix(env: BuildEnvironment, chapter: outline.OutlineChapter) -> bool:
    return any(env.metadata[name].get("mathbook_table") in LISTS for name in chapter.pages)


def _page_prerequisites(env: BuildEnvironment, order: Mapping[str, int], known: Iterable[str]) -> dict[str, set[str]]:
    """Return `{page: pages that show a formula on which one of its statements depends}`."""
    data = get_domain(env).data
    at = {}
    for name in sorted(known, key=order.__getitem__, reverse=True):
        at.update(dict.fromkeys(data["shown"].get(name, ()), name))
    statements = {name: {*data["shown"].get(name, ()), *data["used"].get(name, ())} for name in known}
    return {
        name: {at[formula] for address in addresses for formula in formulas_behind(address) if formula in at} - {name}
        for name, addresses in statements.items()
    }


def _chapter_prerequisites(
    direct: Mapping[str, set[str]], known: Mapping[str, outline.OutlineChapter], order: Mapping[str, int]
) -> dict[str, set[str]]:
    """Return `{first page: first pages of the earlier chapters that it needs}`, without transitive ones."""
    firsts = sorted({chapter.first for chapter in known.values()}, key=order.__getitem__)
    needed: dict[str, set[str]] = {first: set() for first in firsts}
    for name, others in direct.items():
        first = known[name].first
        needed[first] |= {known[other].first for other in others if order[known[other].first] < order[first]}
    return without_transitive(needed)


def without_transitive(direct: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return prerequisites, in the order in which they build on each other, without those that others need already.

    >>> without_transitive({"a": set(), "b": {"a"}, "c": {"a", "b"}})["c"]
    {'b'}
    """
    reached: dict[str, set[str]] = {}
    for name, others in direct.items():
        reached[name] = others.union(*(reached[other] for other in others))
    return {
        name: {other for other in others if not any(other in reached[each] for each in others)}
        for name, others in direct.items()
    }


def formulas_behind(address: str) -> set[str]:
    """Return the addresses of the formulas on which the statement at `address` depends directly.

    >>> "young_daly.interval" in formulas_behind("young_daly.act_one")
    True
    """
    from mathcore.library import current_library

    parts = address.split(".")
    modules = [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]
    module = next((each for each in modules if each in current_library), "")
    return set(_formulas_behind_all(module).get(address, ())) if module else set()


@functools.cache
def _formulas_behind_all(module: str) -> dict[str, list[str]]:
    """Return `{address: addresses of formulas}` of a module, memoized by the hash of its chapter."""
    from mathbook import cache
    from mathbook.chapter_sources import hash_of_chapter
    from mathcore.library import current_library

    def behind() -> dict[str, list[str]]:
        return {
            address: sorted(_formulas_behind(statement)) for address, statement in current_library.statements(module)
        }

    return cache.memoize("behind", hash_of_chapter(module), behind)


def _formulas_behind(statement: AnyOf) -> set[str]:
    from mathcore import Formula

    derivation = getattr(statement, "derivation", None)
    sources = [f for step in derivation.steps for f in step.sources] if derivation is not None else []
    behind = [*sources, getattr(statement, "formula", None)]
    return {each.address for each in behind if isinstance(each, Formula) and each.address}


# ---------------------------------------------------------------- its wording


def _number_exercises(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Number the exercises of a page through its chapter."""
    summary = get_domain(app.env).data.get("summaries", {}).get(docname)
    before = summary.exercises_before if summary else 0
    for node in list(doctree.findall(TaskNumber)):
        node.replace_self(text_node(f"{before + node['place']}"))


def _add_page_lists(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add the facts below the title, the list of the chapter's pages, and the list of headings."""
    summary = get_domain(app.env).data.get("summaries", {}).get(docname)
    top = next(iter(doctree.findall(nodes.section)), None)
    if app.builder.format != "html" or app.config.html_theme != "mathbook" or not summary or top is None:
        return
    env, there = app.env, functools.partial(app.builder.get_relative_uri, docname)
    chapter = outline.chapter_of(env, docname)
    title = top.index(next(child for child in top.children if isinstance(child, nodes.title)))
    sections = [child for child in top.children if isinstance(child, nodes.section)]
    here = _section_fold(sections)
    pages = _page_list(env, there, chapter, summary) if docname == chapter.first and len(chapter.pages) > 1 else []
    place = title + 1
    if docname == chapter.first:
        place = top.index(sections[0]) if sections else len(top)
    top[place:place] = [*pages, *here]
    top[title + 1 : title + 1] = _page_facts(env, there, chapter, docname, summary)
    if docname != chapter.first:
        top["classes"].append("mc-subpage")
        at = chapter.pages.index(docname) + 1
        back = _link(
            f"{outline.chapter_number(env, chapter.first)}{outline.page_subject(env, chapter.first)}",
            there(chapter.first),
        )
        top.insert(title, element("p", "mc-breadcrumb", back, text_node(f", page {at} of {len(chapter.pages)}")))


def _link(text: str, address: str, **attrs: object) -> HtmlElement:
    return element("a", "", text_node(text), href=address, **attrs)


def _page_facts(
    env: BuildEnvironment, there: Callable[[str], str], chapter: outline.OutlineChapter, docname: str, summary: Summary
) -> list[nodes.Node]:
    """Return the list of the page's length and prerequisites; an empty list if there are none."""
    listing = _is_appendix(env, chapter)
    items = []
    if "/chapters/" in docname and "/lab-" not in docname and not listing:  # a lab says how long its acts take
        whole = sum(count for _, _, (kind, count) in summary.chapter_pages if kind == "min")
        more = f", the chapter {whole} min" if docname == chapter.first and len(chapter.pages) > 1 else ""
        items.append(element("li", "", *_length_nodes(summary.length), text_node(more)))
    elif docname != chapter.first:
        items.append(element("li", "", *_length_nodes(summary.length)))
    for head, names in (("needs", summary.prerequisites), ("needed by", summary.dependents)):
        if links := _page_links(env, there, chapter, names):
            items.append(element("li", "", element("b", "", text_node(head)), text_node(" "), *links))
    return [element("ul", "mc-about", *items)] if items else []


def _length_nodes(length: Length) -> list[nodes.Node]:
    kind, count = length
    if kind == "rows":
        return [text_node(f"{count} rows")]
    length_text = element("b", "", text_node(f"{count} {kind}"))
    return [length_text, text_node(" of study")] if kind == "min" else [length_text]


def _page_links(
    env: BuildEnvironment, there: Callable[[str], str], chapter: outline.OutlineChapter, names: Iterable[str]
) -> list[nodes.Node]:
    """Return links to pages: by title within the chapter, by the subject of the chapter otherwise."""
    links: dict[str, nodes.Node] = {}
    for name in names:
        own = name in chapter.pages and name != chapter.first
        title = env.titles[name].astext() if own else outline.page_subject(env, outline.chapter_of(env, name).first)
        links.setdefault(title, _link(title, there(name)))
    return join_nodes([link] for link in links.values())


def _page_list(
    env: BuildEnvironment, there: Callable[[str], str], chapter: outline.OutlineChapter, summary: Summary
) -> list[nodes.Node]:
    """Return the pages of a chapter with their lengths, and a link to its summary."""
    what = "list" if _is_appendix(env, chapter) else "chapter"
    rows = []
    for name, title, length in summary.chapter_pages:
        first = name == chapter.first
        link = _link("This page" if first else title, there(name) or "#", aria_current="page" if first else None)
        rows.append(element("li", "", link, text_node(" "), element("small", "", *_length_nodes(length))))
    head = element("p", "mc-label", text_node(f"The {len(chapter.pages)} pages of this {what}"))
    whole = element("nav", "mc-pages", head, element("ol", "", *rows), aria_label=f"Pages of this {what}")
    if summary.summary_page:
        link = _link("five things to remember", f"{there(summary.summary_page)}#{SUMMARY_ID}")
        whole += element("p", "", text_node("In a hurry: "), link, text_node("."))
    return [whole]


def _section_fold(sections: list[nodes.section]) -> list[nodes.Node]:
    """Return the headings of a page as a `details` element, for narrow screens."""
    listed = _section_list(sections)
    if len(list(listed.findall(lambda node: isinstance(node, HtmlElement) and node["tag"] == "li"))) < 2:
        return []
    return [element("details", "mc-page-contents", element("summary", "", text_node("On this page")), listed)]


def _section_list(sections: list[nodes.section]) -> HtmlElement:
    listed = element("ul", "")
    for section in sections:
        title = next(child for child in section.children if isinstance(child, nodes.title))
        item = element("li", "", element("a", "", *(node.deepcopy() for node in title), href=f"#{section['ids'][0]}"))
        if below := [child for child in section.children if isinstance(child, nodes.section)]:
            item += _section_list(below)
        listed += item
    return listed
