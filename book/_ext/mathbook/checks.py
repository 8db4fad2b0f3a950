"""Everything the book states, judged, and every number of its pages, counted.

What was found before for the same sources is taken over, unless the cache distrusts.
"""

import time
from functools import partial

from mathbook import cache, census, reach
from mathbook.functions import chapter_script
from mathcore.commands.verification import Report, check, empty, placed
from mathcore.errors import ROOT
from mathcore.library import book


def verify(pages=None):
    """Check every chapter module and every page, and return the Report."""
    cache.install()
    report, begun = Report(), time.perf_counter()
    for name in book.names():
        report.add(
            name, cache.recalled("chapter", cache.chapter_checksum(name), partial(_chapter, name), _held)
        )
    for page in census.pages(census.PAGES if pages is None else pages):
        checksum = cache.checksum(f"{page}\n" + page.read_text(encoding="utf-8"))
        found = cache.recalled("page", checksum, partial(_page, page), _held)
        report.chapters.setdefault(page.stem.replace("-", "_"), empty())["numbers"] = found["numbers"]
        report.failures += [text for text in found["failures"] if text not in report.failures]
    report.seconds = time.perf_counter() - begun
    return report


def unreached():
    """Return a message for each statement to which nothing leads."""
    stated = reach.statements(ROOT)
    return reach.unreached(stated, reach.roots(ROOT, stated))


def _held(found):
    return not found["failures"]


def _chapter(name):
    found = check(book, name)
    try:
        chapter_script(name)
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
