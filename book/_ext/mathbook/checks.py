"""Everything the book states, judged, and every number of its pages, counted.

What was found before for the same sources is taken over, unless the cache distrusts.
"""

import contextlib
import time
from functools import partial

from mathbook import cache, census, reach
from mathbook.functions import chapter_script
from mathbook.processes import spread
from mathcore.commands.verification import Report, check, empty, placed
from mathcore.errors import ROOT
from mathcore.library import book

FEW = 3  # chapters or pages that are checked here, for they load less than all


def verify(pages=None, only=""):
    """Check every chapter module and every page, and return the Report; what is not known is spread out.

    `only` names a page of which alone, with the module of its name, the author wants to know.
    """
    cache.install()
    report, begun = Report(), time.perf_counter()
    asked = [page for page in census.pages(census.PAGES if pages is None else pages) if only in ("", page.stem)]
    names = [name for name in book.names() if only.replace("-", "_") in ("", name)]
    for name, found in _all("chapter", {name: cache.chapter_checksum(name) for name in names}, _chapter).items():
        report.add(name, found)
    texts = {page: page.read_text("utf-8") for page in asked}
    checksums = {page: cache.checksum(f"{page}\n{text}") for page, text in texts.items()}
    for page, found in _all("page", checksums, _page).items():
        report.chapters.setdefault(page.stem.replace("-", "_"), empty())["numbers"] = found["numbers"]
        report.failures += [text for text in found["failures"] if text not in report.failures]
    report.seconds = time.perf_counter() - begun
    return report


def unreached():
    """Return a message for each statement to which nothing leads."""
    stated = reach.statements(ROOT)
    return reach.unreached(stated, reach.roots(ROOT, stated))


def _all(kind, checksums, check):
    """Return what a check finds of each thing, given with its checksum; what holds is kept."""
    known = {thing: cache.known(kind, checksum) for thing, checksum in checksums.items()}
    unknown = [thing for thing, found in known.items() if found is None]
    if len(unknown) > FEW:
        _load()
        results = spread(check, [(thing,) for thing in unknown])
    else:  # the build needs the same chapters after this: they stay loaded
        results = map(check, unknown)
    for thing, found in zip(unknown, results, strict=True):
        known[thing] = found
        if not found["failures"]:
            cache.keep(kind, checksums[thing], found)
    return known


def _load():
    """Load all chapters, so that the processes to come have them; what is wrong with one is found there."""
    for name in book.names():
        with contextlib.suppress(Exception):
            book.module(name)


def _chapter(name):
    found = check(book, name)
    try:
        cache.recalled("script", cache.chapter_checksum(name), partial(chapter_script, name))
    except Exception as error:  # what the browser cannot do fails in many ways
        found["failures"].append(placed(error, book.folders[0], name))
    return found


def _page(page):
    """Return the count of a page's numbers, and what is wrong with them."""
    numbers = {"computed": 0, "cited": 0, "free": 0}
    try:
        found = census.count(page)
        numbers = {"computed": found.computed, "cited": found.cited, "free": len(found.free)}
        return {"numbers": numbers, "failures": census.complaints(page)}
    except Exception as error:  # the chapter behind an address may fail in any way
        return {"numbers": numbers, "failures": [placed(error, book.folders[0], page.stem.replace("-", "_"))]}


def known_citations():
    """Return the keys of `book/references.bib`."""
    path = ROOT / "book" / "references.bib"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return {line.split("{", 1)[1].rstrip(",\n ") for line in text.splitlines() if line.startswith("@")}
