"""What a page says of its chapter: its place in it, its length, what it builds on, and on a first page the others.

What is counted on a page is noted when it is read. When all pages are known, each gets its `Summary`, and a page whose
summary has changed is written again; the lines themselves become nodes of the page when it is written.
"""

import functools
from typing import NamedTuple

from docutils import nodes

from mathbook import outline
from mathbook.elements import HtmlElement, element, words
from mathbook.statements import record

PACE = 230  # words a minute, of somebody who reads to understand
MANY = 5  # exercises, from which on a page is one of exercises and has no reading time
LAST = "what-to-remember"  # the section that closes a chapter
LATE = 900  # among the listeners to `doctree-resolved`: links and numbers are in place
UNREAD = ("details", "mc-exercise", "script", "svg")  # elements that a reader passes over at first


class Summary(NamedTuple):
    """What is said of a page: how many of its chapter's exercises come before, its length, pages by name."""

    before: int
    length: tuple  # (`min`, `exercises` or `rows`, how many)
    needs: tuple
    users: tuple
    others: tuple  # (name, title, length) of each page of the chapter
    last: str  # the page of the chapter with what is to be remembered


class TaskNumber(nodes.Inline, nodes.TextElement):
    """Stand for the number of an exercise, which counts through a chapter; `place` is its place on the page."""


def setup(app):
    """Register the node, and connect to the reading and the writing of pages."""
    app.add_node(TaskNumber)
    app.connect("doctree-read", _note)
    app.connect("env-updated", _changed)
    app.connect("doctree-resolved", _number)
    app.connect("doctree-resolved", _add, priority=LATE)


# ---------------------------------------------------------------- what is counted on a page


def _note(app, doctree):
    data = record(app.env).data
    rows = sum(len(list(body.findall(_is_row))) for body in doctree.findall(_is_body))
    ends = any(LAST in section["ids"] for section in doctree.findall(nodes.section))
    counted = {"words": words_of(doctree), "rows": rows, "ends": ends}
    data["counted"][app.env.docname] = counted


def _is_body(node):
    return isinstance(node, HtmlElement) and node["tag"] == "tbody"


def _is_row(node):
    return isinstance(node, HtmlElement) and node["tag"] == "tr"


def words_of(doctree):
    """Return how many words stand openly on a page: exercises, and what is folded, are left out."""
    return sum(len(text.astext().split()) for text in _open(doctree))


def _open(node):
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child
        elif not isinstance(child, (nodes.math, nodes.math_block, nodes.raw)) and child.get("tag") not in UNREAD:
            yield from _open(child)


def minutes(words_read):
    """Return how many minutes so many words take."""
    return max(1, round(words_read / PACE))


def _length(env, name):
    """Return the length of a page: its rows in a list, its exercises, or its minutes."""
    data = record(env).data
    counted = data["counted"][name]
    tasks = len(data["exercises"].get(name, ()))
    if env.metadata[name].get("mathbook_table"):
        return ("rows", counted["rows"])
    return ("exercises", tasks) if tasks >= MANY else ("min", minutes(counted["words"]))


# ---------------------------------------------------------------- what is said of it


def _changed(app, env):
    """Return the pages of which something else is to be said than before."""
    data = record(env).data
    now = summaries(env)
    before = data.get("summaries", {})
    data["summaries"] = now
    return [name for name, summary in now.items() if before.get(name) != summary]


def summaries(env):
    """Return `{page: Summary}` of all pages of all chapters."""
    data, found = record(env).data, {}
    needed = needs(env)
    for chapter in outline.chapters(env):
        lengths = {name: _length(env, name) for name in chapter.pages}
        others = tuple((name, outline.short_title(env, chapter, name), lengths[name]) for name in chapter.pages)
        last = next((name for name in chapter.pages if data["counted"][name]["ends"]), "")
        before = 0
        for name in chapter.pages:
            below, above = needed.get(name, ((), ()))
            found[name] = Summary(before, lengths[name], below, above, others, last)
            before += len(data["exercises"].get(name, ()))
    return found


def needs(env):
    """Return `{page: (pages whose formulas it uses, pages that use its formulas)}`, each in reading order.

    A first page speaks for its chapter: it names other chapters, without those that a chapter which it names needs
    already. A page of a list or of exercises is not named as a user.
    """
    order = {name: place for place, name in enumerate(outline.reading_order(env))}
    shown = record(env).data["shown"]
    known = {
        name: chapter
        for chapter in outline.chapters(env)
        if not _is_list(env, chapter) and any(shown.get(name) for name in chapter.pages)
        for name in chapter.pages
    }
    direct = _direct(env, order, known)
    through = _between_chapters(direct, known, order)
    found = {}
    for name, chapter in known.items():
        if name == chapter.first:
            below = through[name]
            above = [other for other, needed in through.items() if name in needed]
        else:
            below = [other for other in direct[name] if order[other] < order[name]]
            above = [other for other, needed in direct.items() if name in needed and order[other] > order[name]]
            above = [other for other in above if _length(env, other)[0] != "exercises"]
        found[name] = tuple(sorted(below, key=order.get)), tuple(sorted(above, key=order.get))
    return found


def _is_list(env, chapter):
    return any(env.metadata[name].get("mathbook_table") in ("notation", "formulas", "facts", "claims", "comparisons")
               for name in chapter.pages)  # fmt: skip


def _direct(env, order, known):
    """Return `{page: pages that show a formula behind one of its statements}`."""
    data = record(env).data
    at = {}
    for name in sorted(known, key=order.get, reverse=True):
        at.update(dict.fromkeys(data["shown"].get(name, ()), name))
    stated = {name: {*data["shown"].get(name, ()), *data["used"].get(name, ())} for name in known}
    return {
        name: {at[formula] for address in addresses for formula in behind(address) if formula in at} - {name}
        for name, addresses in stated.items()
    }


def _between_chapters(direct, known, order):
    """Return `{first page: first pages of the earlier chapters that it needs}`, none that one of them needs already."""
    firsts = sorted({chapter.first for chapter in known.values()}, key=order.get)
    needed = {first: set() for first in firsts}
    for name, others in direct.items():
        first = known[name].first
        needed[first] |= {known[other].first for other in others if order[known[other].first] < order[first]}
    reached = {}
    for first in firsts:
        reached[first] = needed[first].union(*(reached[other] for other in needed[first]))
    return {
        first: {other for other in below if not any(other in reached[each] for each in below)}
        for first, below in needed.items()
    }


def behind(address):
    """Return the addresses of the formulas on which a statement of the book rests at once.

    >>> "young_daly.interval" in behind("young_daly.act_one")
    True
    """
    from mathcore.library import book

    parts = address.split(".")
    modules = [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]
    module = next((each for each in modules if each in book.names()), "")
    return set(_known(module).get(address, ())) if module else set()


@functools.cache
def _known(module):
    """Return `{address: addresses behind it}` of a module: loaded only if it, or what it rests on, has changed."""
    from mathbook import cache
    from mathcore.library import book

    def found():
        return {address: sorted(_behind(entity)) for address, entity in book.entities(module)}

    return cache.recalled("behind", cache.chapter_checksum(module), found)


def _behind(entity):
    from mathcore import Formula

    derivation = getattr(entity, "derivation", None)
    sources = [f for step in derivation.steps for f in step.sources] if derivation is not None else []
    found = [*sources, getattr(entity, "formula", None)]
    return {each.address for each in found if isinstance(each, Formula) and each.address}


# ---------------------------------------------------------------- how it is said


def _number(app, doctree, docname):
    """Number the exercises of a page through its chapter."""
    summary = record(app.env).data.get("summaries", {}).get(docname)
    before = summary.before if summary else 0
    for node in list(doctree.findall(TaskNumber)):
        node.replace_self(words(f"{before + node['place']}"))


def _add(app, doctree, docname):
    """Add the lines beneath the title, and what lists the pages of the chapter and the headings of the page."""
    summary = record(app.env).data.get("summaries", {}).get(docname)
    top = next(iter(doctree.findall(nodes.section)), None)
    if app.builder.format != "html" or app.config.html_theme != "mathbook" or not summary or top is None:
        return
    env, there = app.env, functools.partial(app.builder.get_relative_uri, docname)
    chapter = outline.chapter_of(env, docname)
    title = top.index(next(child for child in top.children if isinstance(child, nodes.title)))
    sections = [child for child in top.children if isinstance(child, nodes.section)]
    here = _headings(sections)
    pages = _pages(env, there, chapter, summary) if docname == chapter.first and len(chapter.pages) > 1 else []
    place = title + 1
    if docname == chapter.first:
        place = top.index(sections[0]) if sections else len(top)
    top[place:place] = [*pages, *here]
    top[title + 1 : title + 1] = _about(env, there, chapter, docname, summary)
    if docname != chapter.first:
        top["classes"].append("mc-leaf")
        at = chapter.pages.index(docname) + 1
        back = _link(f"{outline.number(env, chapter.first)}{outline.subject(env, chapter.first)}", there(chapter.first))
        top.insert(title, element("p", "mc-above", back, words(f", page {at} of {len(chapter.pages)}")))


def _link(text, address, **attrs):
    return element("a", "", words(text), href=address, **attrs)


def _about(env, there, chapter, docname, summary):
    """Return the list of how long a page takes and on which pages it builds, empty where there is nothing to say."""
    listing = _is_list(env, chapter)
    items = []
    if "/chapters/" in docname and "/lab-" not in docname and not listing:  # a lab says how long its acts take
        whole = sum(count for _, _, (kind, count) in summary.others if kind == "min")
        more = f", the chapter {whole} min" if docname == chapter.first and len(chapter.pages) > 1 else ""
        items.append(element("li", "", *_told(summary.length), words(more)))
    elif docname != chapter.first:
        items.append(element("li", "", *_told(summary.length)))
    for head, names in (("needs", summary.needs), ("needed by", summary.users)):
        if links := _names(env, there, chapter, names):
            items.append(element("li", "", element("b", "", words(head)), words(" "), *links))
    return [element("ul", "mc-about", *items)] if items else []


def _told(length):
    kind, count = length
    if kind == "rows":
        return [words(f"{count} rows")]
    told = element("b", "", words(f"{count} {kind}"))
    return [told, words(" to read")] if kind == "min" else [told]


def _names(env, there, chapter, names):
    """Return links to pages: those of the same chapter by their titles, of another one the first by its subject."""
    links = {}
    for name in names:
        own = name in chapter.pages and name != chapter.first
        title = env.titles[name].astext() if own else outline.subject(env, outline.chapter_of(env, name).first)
        links.setdefault(title, _link(title, there(name)))
    return [node for place, link in enumerate(links.values()) for node in ([words(", ")] if place else []) + [link]]


def _pages(env, there, chapter, summary):
    """Return the pages of a chapter with their lengths, and a link to its end."""
    what = "list" if _is_list(env, chapter) else "chapter"
    rows = []
    for name, title, length in summary.others:
        first = name == chapter.first
        link = _link("This page" if first else title, there(name) or "#", aria_current="page" if first else None)
        rows.append(element("li", "", link, words(" "), element("small", "", *_told(length))))
    head = element("p", "mc-label", words(f"The {len(chapter.pages)} pages of this {what}"))
    whole = element("nav", "mc-pages", head, element("ol", "", *rows), aria_label=f"Pages of this {what}")
    if summary.last:
        link = _link("five things to remember", f"{there(summary.last)}#{LAST}")
        whole += element("p", "", words("In a hurry: "), link, words("."))
    return [whole]


def _headings(sections):
    """Return the headings of a page as a fold, for a screen that has no room for them beside the text."""
    listed = _listed(sections)
    if len(list(listed.findall(lambda node: isinstance(node, HtmlElement) and node["tag"] == "li"))) < 2:
        return []
    return [element("details", "mc-within", element("summary", "", words("On this page")), listed)]


def _listed(sections):
    found = element("ul", "")
    for section in sections:
        title = next(child for child in section.children if isinstance(child, nodes.title))
        item = element("li", "", element("a", "", *(node.deepcopy() for node in title), href=f"#{section['ids'][0]}"))
        if below := [child for child in section.children if isinstance(child, nodes.section)]:
            item += _listed(below)
        found += item
    return found
