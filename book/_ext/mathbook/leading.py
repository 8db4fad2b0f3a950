"""Links that follow what moved when chapters were cut: in pages, in the index of the search, from old addresses.

What was an anchor of a chapter's one page may stand on another page of it now. An address from before leads on by a
table that is loaded only where an anchor is missed.
"""

import functools
import html
import json
import posixpath
import re

from mathbook.cutting import NEAR, NEEDS, moved_name

LINK = re.compile(r'href="([^"#?:]*)(\?[^"#]*)?#([^"]+)"')
LOCAL = re.compile(r"id\d+|.*-(?:answer|help|feedback)|.*\..*|mc-.*")  # anchors to which nobody would link
LISTED = re.compile(r"fact-")  # what a list of an appendix had on one page before
ARTICLE = '<article class="mc-article"'
EXERCISES = "-exercises.html"  # they need all of their chapter
STATED = re.compile(r'data-address="([^"]+)"')


def moved(leaves):
    """Return `{chapter's first page: {anchor: name of the page on which it is}}` of the chapters that are cut.

    So are lists that became pages in a folder of their name.
    """
    found, names = {}, {leaf.name for leaf in leaves}
    for leaf in reversed(leaves):  # the frame has some on every page; the first page keeps them
        found.setdefault(leaf.first, {}).update(dict.fromkeys(leaf.ids, leaf.name))
    parts = {leaf.name: whole for leaf in leaves if (whole := f"{posixpath.dirname(leaf.name)}.html") in names}
    for leaf in leaves:
        if leaf.name in parts:
            listed = {anchor: leaf.name for anchor in leaf.ids if LISTED.match(anchor)}
            found[parts[leaf.name]] = listed | found[parts[leaf.name]]
    cut_up = {leaf.first for leaf in leaves if leaf.name != leaf.first} | set(parts.values())
    return {first: places for first, places in found.items() if first in cut_up}


def lead(leaves, rests_on):
    """Return `{page: text}` of all pages, in which links lead to where things are now.

    `rests_on` gives for the address of a statement those of the formulas behind it: pages say on which they build.
    """
    places = moved(leaves)
    texts = {leaf.name: LINK.sub(_leading(leaf, places), leaf.text) for leaf in leaves}
    last = {leaf.first: leaf for leaf in leaves if leaf.first in places}
    for leaf in leaves:
        texts[leaf.name] = _from_the_end(leaf, texts[leaf.name], last)
    for whole in places.keys() - {leaf.first for leaf in leaves if leaf.name != leaf.first}:
        texts[whole] = texts[whole].replace(ARTICLE, f'{ARTICLE} data-moved="{moved_name(whole)}"', 1)
    return _with_needs(leaves, texts, rests_on)


def behind(address):
    """Return the addresses of the formulas on which a statement of the book rests at once.

    >>> behind("young_daly.act_one")
    {'young_daly.interval'}
    """
    from mathcore.library import book

    chapter, _ = book.split(address)
    return set(_known(chapter).get(address, ())) if chapter in book.names() else set()


@functools.cache
def _known(chapter):
    """Return `{address: addresses behind it}` of a chapter: loaded only if it, or what it rests on, is another one."""
    from mathbook import cache
    from mathcore.library import book

    def found():
        return {address: sorted(_behind(entity)) for address, entity in book.entities(chapter)}

    return cache.recalled("behind", cache.chapter_checksum(chapter), found)


def _behind(entity):
    from mathcore import Formula

    derivation = getattr(entity, "derivation", None)
    sources = [f for step in derivation.steps for f in step.sources] if derivation is not None else []
    found = [*sources, getattr(entity, "formula", None)]
    return {each.address for each in found if isinstance(each, Formula) and each.address}


def _leading(leaf, places):
    """Return what puts a link of a page right."""

    def right(link):
        path, query, anchor = link[1], link[2] or "", link[3]
        if not path and html.unescape(anchor) in leaf.ids:
            return link[0]
        target = _target(leaf.name, path) if path else leaf.first
        page = places.get(target, {}).get(html.unescape(anchor))
        if not page or page == (target if path else leaf.name):
            return link[0]
        near = posixpath.relpath(page, posixpath.dirname(leaf.name))
        return f'href="{near}{query}#{anchor}"'

    return right


def _from_the_end(leaf, text, last):
    """Return a page with the link back led to the last page of the chapter before, where that one is cut."""
    for kind, _, link in NEAR.findall(text.partition("</head>")[0]):
        end = last.get(_target(leaf.name, link))
        if kind == "prev" and end and end.first != leaf.first:
            new = posixpath.join(posixpath.dirname(link), end.file)
            return _relinked(text, link, new, end.title)
    return text


def _relinked(text, link, new, title):
    """Return a page of which the link back leads elsewhere, in its head and at its end."""
    text = re.sub(
        rf'<link rel="prev" title="[^"]*" href="{re.escape(link)}" />',
        lambda _: f'<link rel="prev" title="{title}" href="{new}" />',
        text,
        count=1,
    )
    return re.sub(
        rf'<a rel="prev" href="{re.escape(link)}"><small>before</small> .*?</a>',
        lambda _: f'<a rel="prev" href="{new}"><small>before</small> {title}</a>',
        text,
        count=1,
    )


def _target(page, link):
    """Return the name of the page to which a link of a page leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) if link else page


def in_order(texts):
    """Return the names of the pages as one turns them, from the one that has none before it."""
    heads = {name: text.partition("</head>")[0] for name, text in texts.items()}
    near = {name: {k: _target(name, link) for k, _, link in NEAR.findall(head)} for name, head in heads.items()}
    found = [name for name, links in near.items() if "next" in links and "prev" not in links][:1]
    while found and (after := near.get(found[-1], {}).get("next")) in texts and after not in found:
        found.append(after)
    return found


def _with_needs(leaves, texts, rests_on):
    """Return the pages, those within a chapter with lines on whose formulas they build, and who builds on theirs."""
    order = {name: at for at, name in enumerate(in_order(texts))}
    chapters = {leaf.name: leaf for leaf in leaves if leaf.name in order and "/chapters/" in leaf.name}
    shown = {address: name for name in sorted(chapters, key=order.get, reverse=True) for address in _shown(texts[name])}
    used = {name: {f for address in set(STATED.findall(texts[name])) for f in rests_on(address)} for name in chapters}
    needed = {name: {shown[f] for f in used[name] & shown.keys()} - {name} for name in chapters}
    for name, leaf in chapters.items():
        if name != leaf.first:
            needs = [each for each in needed[name] if order[each] < order[name]]
            users = [each for each in needed if name in needed[each] and order[each] > order[name]]
            users = [each for each in users if not each.endswith(EXERCISES)]
            said = _listed("needs", leaf, needs, chapters, order) + _listed("needed by", leaf, users, chapters, order)
            texts[name] = texts[name].replace(NEEDS, said, 1)
    return texts


def _shown(text):
    """Return the addresses of the formulas that a page shows."""
    return re.findall(r'class="mc-formula" data-address="([^"]+)"', text)


def _listed(head, leaf, names, chapters, order):
    """Return an item with links to pages: those of the same chapter by their titles, of others one each."""
    links = {}
    for name in sorted(names, key=order.get):
        other = chapters[name]
        own = other.title.removeprefix(f"{other.subject}: ")
        same = other.first == leaf.first and name != other.first
        title = own[:1].upper() + own[1:] if same else re.sub(r"^\d+\. ", "", other.subject)
        links.setdefault(title, f'<a href="{other.file}">{title}</a>')
    return f"<li><b>{head}</b> {', '.join(links.values())}</li>" if links else ""


def indexed(script, leaves):
    """Return the script with the index of the search, in which each find is on the page where it is now."""
    places, cut_up = moved(leaves), [leaf for leaf in leaves if leaf.name != leaf.first]
    head, _, rest = script.partition(").index = ")
    index = json.loads(rest.rstrip().removesuffix(";"))
    pages = index["pages"]
    for leaf in cut_up:
        pages.append([leaf.name.removesuffix(".html"), html.unescape(re.sub(r"^\d+\. ", "", leaf.title))])
    number = {f"{page}.html": at for at, (page, _) in enumerate(pages)}
    for row in index["rows"]:
        page = f"{pages[row[1]][0]}.html"
        row[1] = number[places.get(page, {}).get(row[3], page)]
    index["rows"] += [["page", number[leaf.name], pages[number[leaf.name]][1], "", "", ""] for leaf in cut_up]
    return f"{head}).index = {json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n"


def leading_on(leaves):
    """Return `{name of a script beneath _static: text}`: for each chapter what lies on its further pages."""
    found = {}
    for first, places in moved(leaves).items():
        away = {}
        for anchor, page in sorted(places.items()):
            if page != first and not LOCAL.fullmatch(anchor):
                away.setdefault(page, []).append(html.unescape(anchor))
        away = {posixpath.relpath(page, posixpath.dirname(first)): anchors for page, anchors in away.items()}
        table = json.dumps(away, ensure_ascii=False, separators=(",", ":"))
        found[moved_name(first)] = f"(globalThis.mc = globalThis.mc || {{}}).moved = {table};\n"
    return found
