"""A map of the book: which chapter needs which, read from what the chapters import.

A module belongs to the page that shows most of its statements. A page needs another if one of its modules
imports one of the other's, and if no page between the two says so already.
"""

import ast
import hashlib
import re
from collections import Counter

import yaml

from mathbook import cache
from mathbook.folders import PROJECT
from mathbook.schematics.drawings import Drawing, drawing
from mathcore.library import book

EVERYTHING = True  # a drawing of this module changes with any chapter
SHOWN = re.compile(r"\{mc-show\}\s+([a-z]\w*)\.")
CHAPTERS = "mathcore.chapters"
LABS, APPENDICES = "Labs", "Appendices"


def parts(folder=PROJECT):
    """Return `{part: [page]}` of the chapters in the order of the contents, without labs and appendices."""
    listed = yaml.safe_load((folder / "_toc.yml").read_text("utf-8"))["parts"]
    return {
        part["caption"]: [entry["file"] for entry in part["chapters"]]
        for part in listed
        if part["caption"] not in (LABS, APPENDICES)
    }


def homes(pages, folder=PROJECT):
    """Return `{module: page}`: the page called like it, or the one that shows most of its statements."""
    shown = {page: Counter(SHOWN.findall((folder / f"{page}.md").read_text("utf-8"))) for page in pages}
    found = {}
    for module in book.names():
        called = [page for page in pages if page.rpartition("/")[2].replace("-", "_") == module]
        most = max(pages, key=lambda page: shown[page][module])
        if called or shown[most][module]:
            found[module] = called[0] if called else most
    return found


def imports():
    """Return `{module: modules that it imports}` of the chapters."""
    return {name: _known_imports(path.read_text("utf-8")) for name, path in cache.chapter_files().items()}


def _known_imports(source):
    """Return what `imported` gives, read again only where the text is another one."""
    checksum = hashlib.sha256(source.encode()).hexdigest()
    return set(cache.recalled("imports", checksum, lambda: sorted(imported(source))))


def imported(source):
    """Return the chapters that a text imports, or of which it imports names.

    >>> sorted(imported("from mathcore.chapters import energy, sites\\nfrom mathcore.chapters.audit import cost"))
    ['audit', 'energy', 'sites']
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == CHAPTERS:
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{CHAPTERS}."):
            found.add(node.module.rpartition(".")[2])
    return found


def needs(pages, folder=PROJECT):
    """Return `{page: pages that it needs}`, without those that a needed page needs already."""
    home, below = homes(pages, folder), imports()
    order = {page: place for place, page in enumerate(pages)}
    direct = {page: set() for page in pages}
    for module, page in home.items():
        needed = {home[other] for other in below[module] & home.keys()}
        direct[page] |= {other for other in needed if order[other] < order[page]}
    reached = {}
    for page in pages:
        reached[page] = direct[page].union(*(reached[other] for other in direct[page]))
    return {
        page: sorted((o for o in direct[page] if not any(o in reached[p] for p in direct[page])), key=order.get)
        for page in pages
    }


def name(page):
    """Return a page's name for the map.

    >>> name("book/chapters/young-daly")
    'Young–Daly'
    """
    words = page.rpartition("/")[2].replace("young-daly", "Young–Daly").replace("-", " ")
    return words[0].upper() + words[1:]


@drawing("book-map")
def book_map(read):
    """Draw the chapters by their parts, with a line from each to those that it needs."""
    listed = parts()
    pages = [page for chapters in listed.values() for page in chapters]
    needed = needs(pages)
    rows = [[name(page), ", ".join(map(name, others)) or "nothing"] for page, others in needed.items()]

    def draw(paper):
        (_list if paper.narrow else _map)(paper, listed, needed)

    return Drawing(
        title="Which chapter needs which",
        told=(
            "The chapters in the order of the book, each with those whose formulas it builds on: "
            f"{'; '.join(f'{first} needs {others}' for first, others in rows if others != 'nothing')}."
        ),
        draw=draw,
        columns=("chapter", "needs"),
        rows=tuple(rows),
        values={"needs": needed},
    )


def _map(paper, listed, needed):
    """Draw a column for each part, and curves from left to right."""
    gap = 18
    wide = (paper.width - gap * (len(listed) - 1)) / len(listed)
    most, high, step = max(map(len, listed.values())), 34, 56
    places = {}
    for column, chapters in enumerate(listed.values()):
        x = column * (wide + gap)
        top = 38 + (most - len(chapters)) / 2 * step
        for row, page in enumerate(chapters):
            places[page] = (x, top + row * step)
    for page, others in needed.items():
        for other in others:
            _link(paper, places[other], places[page], wide, high)
    for column, part in enumerate(listed):
        x = column * (wide + gap)
        paper.words(x + wide / 2, 11, part, wide, 11.5, 1.2, anchor="middle", tone="quiet")
    for page, (x, y) in places.items():
        words = name(page).split(" ")
        paper.box(x, y, wide, high, "time", "soft", 6)
        for line, word in enumerate(words):
            paper.text(
                x + wide / 2, y + high / 2 + 4.5 + (line - (len(words) - 1) / 2) * 13, word, 12, "middle", room=wide
            )


def _link(paper, start, end, wide, high):
    """Draw a curve from a chapter to one that needs it; within a column, around its right."""
    (x, y), (to_x, to_y) = start, end
    y, to_y = y + high / 2, to_y + high / 2
    if x == to_x:
        if to_y - y < 60:
            paper.arrow(x + wide / 2, y + high / 2, x + wide / 2, to_y - high / 2 - 1, "plain", "thin", 0, 5)
            return
        side = x + wide
        paper.path(
            f"M{side:.1f} {y:.1f}C{side + 15:.1f} {y:.1f} {side + 15:.1f} {to_y:.1f} {side:.1f} {to_y:.1f}", more="thin"
        )
        return
    middle = (x + wide + to_x) / 2
    way = f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    paper.path(f"M{x + wide:.1f} {y:.1f}{way}", more="thin")
    paper.circle(to_x, to_y, 2.5, "plain", "full")


def _list(paper, listed, needed):
    """Write the chapters below each other, each with what it needs."""
    y = 14
    for part, chapters in listed.items():
        paper.text(0, y, part, 12, tone="quiet")
        y += 8
        for page in chapters:
            words = ", ".join(map(name, needed[page]))
            paper.box(0, y, 122, 24, "time", "soft", 6)
            paper.text(61, y + 16.5, name(page), 12, "middle", room=122)
            below = paper.words(
                134, y + 16, f"needs {words}" if words else "needs nothing", paper.width - 134, 12, tone="quiet"
            )
            y = max(y + 32, below - 2)
        y += 14
