"""Everything the book states, judged, and every number of its pages, counted.

What was found before for the same sources is taken over, unless the cache distrusts.
"""

import contextlib
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from mathbook import cache, code_references, content_hash, prose_numbers, unused
from mathbook.chapter_sources import hash_of_chapter, hash_of_text
from mathbook.functions import chapter_script
from mathbook.processes import FORK, WORKERS
from mathcore.commands.verification import Report, check, empty, judge, placed
from mathcore.entities import Entity
from mathcore.errors import ROOT, shown, suggestion
from mathcore.facts import Fact
from mathcore.library import book
from mathcore.teaching.grammar import ADDRESS

BIBLIOGRAPHIES = (ROOT / "book" / "references.bib",)  # of the book's own checkout
MIN_PARALLEL = 3  # up to so many modules or pages are checked in this process, which loads them for what comes after


def verify(pages=None, only="", *, bibliographies=BIBLIOGRAPHIES):
    """Check every chapter module and every page, and return the Report; what is not known is spread out.

    `works` are the paths of the bibliographies in which sources of facts are looked up; without any, none is.
    `only` names a page of which alone, with the module of its name, the author wants to know.
    """
    cache.persist_verdicts()
    report, begun = Report(), time.perf_counter()
    all_pages = prose_numbers.pages(prose_numbers.PAGES if pages is None else pages)
    selected = [
        page
        for page in all_pages
        if not only or code_references.chapter_of(page.as_posix()) == code_references.chapter_of(only)
    ]
    names = book.modules(code_references.chapter_of(only)) if only else book.names()
    chapters = {name: hash_of_chapter(name) for name in names}
    for name, found in _check_all("chapter", chapters, partial(_check_chapter, bibliographies=bibliographies)).items():
        report.add(name, found)
    texts = {page: page.read_text("utf-8") for page in selected}
    checksums = {page: hash_of_text(f"{page}\n{text}") for page, text in texts.items()}
    for page, found in _check_all("page", checksums, _check_page).items():
        _add_page(report, page, found)
    report.seconds = time.perf_counter() - begun
    return report


def add_page(report, name):
    """Add to a report what is found of the page of a chapter, if it has one of its own."""
    for page in prose_numbers.pages(prose_numbers.PAGES / "chapters"):
        if code_references.chapter_of(page.as_posix()) == name:
            _add_page(report, page, _check_page(page))


def _add_page(report, page, found):
    counts = report.chapters.setdefault(code_references.chapter_of(page.as_posix()), empty())
    counts["numbers"] = _sum_counts(counts["numbers"], found["numbers"])
    report.failures += [text for text in found["failures"] if text not in report.failures]


def unused_statements():
    """Return a message for each statement to which nothing leads."""
    declarations = unused.statements(ROOT)
    return unused.unused_statements(declarations, unused.roots(ROOT, declarations))


def _check_all(kind, checksums, check):
    """Return what a check finds of each thing, given with its checksum; what holds is kept."""
    known = {thing: cache.get(kind, checksum) for thing, checksum in checksums.items()}
    unknown = [thing for thing, found in known.items() if found is None]
    if len(unknown) > MIN_PARALLEL:
        if kind == "chapter":
            _load_chapters(unknown)
        # the longest first, so that no processor waits for another at the end
        unknown.sort(key=_size, reverse=True)
        with ProcessPoolExecutor(WORKERS, FORK) as pool:
            known |= dict(zip(unknown, pool.map(check, unknown), strict=True))
    else:
        known |= {thing: check(thing) for thing in unknown}
    for thing in unknown:
        found = known[thing]
        if not found["failures"]:
            cache.put(kind, checksums[thing], found)
    return known


def _load_chapters(names):
    """Load modules and hash their statements, once for all processes to come; errors are found there."""
    for name in names:
        with contextlib.suppress(Exception):
            for _, statement in book.entities(name):
                content_hash.hash_of(statement)


def _check_chapter(name, bibliographies):
    found = check(book, name, _check_statement)
    found["failures"] += _unknown_sources(name, bibliographies) if bibliographies else []
    try:
        cache.memoize("script", hash_of_chapter(name), partial(chapter_script, name))
    except Exception as error:  # what the browser cannot do fails in many ways
        found["failures"] += placed(error, book.folders[0], name)
    return found


def _unknown_sources(name, bibliographies):
    """Return a message for each fact of a chapter whose source is not in the bibliography."""
    keys, facts = bibliography_keys(bibliographies), []
    files = ", ".join(map(shown, bibliographies))
    with contextlib.suppress(Exception):  # a chapter that fails has been told of
        facts = [statement for _, statement in book.entities(name) if isinstance(statement, Fact)]
    return [
        f"{fact.where}: `{fact.source}`, the source of {fact.address}, is not in {files}"
        f"{suggestion(fact.source, keys)}: correct the key, or add the work"
        for fact in facts
        if fact.source not in keys
    ]


def _check_statement(address, statement, found):
    """Judge a statement, unless the same one was found to hold before; its lines are told as they are now."""
    if not isinstance(statement, Entity):
        return judge(address, statement, found)
    key = _statement_key(address, statement)
    known = cache.get("statement", key)
    if known is None:
        alone = {"counts": empty(), "failures": [], "sampled": []}
        judge(address, statement, alone)
        known = [alone["counts"], _sampled_steps(statement) if alone["sampled"] else []]
        if not alone["failures"]:
            cache.put("statement", key, known)
        found["failures"] += alone["failures"]
    found["counts"] = _sum_counts(found["counts"], known[0])
    found["sampled"] += [_step_lines(statement)[i] for i in known[1]]
    return None


def _size(thing):
    """Return how much there is to check: the bytes of a page, or the statements of a module that could be loaded."""
    if isinstance(thing, Path):
        return thing.stat().st_size
    return len(vars(sys.modules.get(f"{book.package}.{thing}", book)))


def _statement_key(address, statement):
    return f"{address} {content_hash.hash_of(statement)}"


def _sampled_steps(derivation):
    """Return which steps of a derivation are known only by points."""
    return [i for i, step in enumerate(derivation.steps) if step.verdict.name == "sampled"]


def _step_lines(statement):
    """Return the lines of a derivation as the report tells them."""
    return [f"{step.where}: {statement.address}" for step in getattr(statement, "steps", ())]


def _sum_counts(counts, more):
    """Return the sum of two counts, nested as those of a report."""
    return {
        key: _sum_counts(count, more[key]) if isinstance(count, dict) else count + more[key]
        for key, count in counts.items()
    }


def _check_page(page):
    """Return what is found of a page, as it was where no statement that its text names says another thing."""
    key = _page_key(page)
    if key is None:
        return _count_numbers(page)
    return cache.memoize("page-said", key, partial(_count_numbers, page), lambda found: not found["failures"])


def _page_key(page):
    """Return a page's text with what the statements say that it names; None where a chapter fails, told on its line."""
    text = page.read_text("utf-8")
    named = sorted({found[0] for found in ADDRESS.finditer(text) if found[0].partition(".")[0] in book.names()})
    try:
        return repr((str(page), text, [(address, content_hash.hash_at(address)) for address in named]))
    except Exception:  # a chapter that fails is told of with the line of the page
        return None


def _count_numbers(page):
    """Return the count of a page's numbers, and what is wrong with them."""
    numbers = empty()["numbers"]
    try:
        found = prose_numbers.count(page)
        numbers = {"computed": found.computed, "cited": found.cited, "free": len(found.free), "words": found.asserted}
        return {"numbers": numbers, "failures": prose_numbers.issues(page)}
    except Exception as error:  # the chapter behind an address may fail in any way
        return {
            "numbers": numbers,
            "failures": placed(error, book.folders[0], code_references.chapter_of(page.as_posix())),
        }


def bibliography_keys(bibliographies=BIBLIOGRAPHIES):
    """Return the keys of bibliographies, given by their paths."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in bibliographies if path.exists())
    return {line.split("{", 1)[1].rstrip(",\n ") for line in text.splitlines() if line.startswith("@")}
