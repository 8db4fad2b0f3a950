"""Which chapter needs which, read from what the chapter modules import.

A module belongs to the page that shows most of its statements. A page needs another if one of its modules imports
one of the other's, and if no page in between needs it already.
"""

import ast
import functools
import hashlib
import re
from collections import Counter

import yaml

from mathbook import cache
from mathbook.folders import PROJECT
from mathcore.library import book

SHOWN = re.compile(r"\{mc:statement\}\s+([a-z]\w*)\.")
TITLE = re.compile(r"^# +([^:\n]+)", re.MULTILINE)  # without the question after a colon
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

    >>> sorted(imported("from mathcore.chapters import one, two\\nfrom mathcore.chapters.three import cost"))
    ['one', 'three', 'two']
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


@functools.cache
def name(page, folder=PROJECT):
    """Return the short name of a page: its title up to a colon."""
    return TITLE.search((folder / f"{page}.md").read_text("utf-8"))[1].strip()
