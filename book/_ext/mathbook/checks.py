"""Checks of all statements, and counts of the numbers in the prose of all pages.

Results of unchanged statements and pages come from the cache.
"""

import contextlib
import csv
import itertools
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from mathbook import cache, code_references, content_hash, prose_numbers, unused
from mathbook.chapter_sources import hash_of_chapter, hash_of_text
from mathbook.folders import hash_files
from mathbook.functions import chapter_script
from mathbook.processes import FORK, WORKERS
from mathcore import Decision, Derivation, Formula
from mathcore.commands.verification import Findings, Report, check_module, check_statement, empty_counts, error_lines
from mathcore.errors import ROOT, display_path, nearest
from mathcore.facts import Fact
from mathcore.library import DEFAULT_PACKAGE, current_library
from mathcore.measured import Comparison
from mathcore.statements import Statement
from mathcore.teaching import Exercise
from mathcore.teaching.grammar import ADDRESS
from mathcore.types import AnyDict

BIBLIOGRAPHIES = (ROOT / "book" / "references.bib",)  # of the book's own checkout
WRONG_ANSWERS = ROOT / "tests" / "data" / "wrong_answers.csv"  # of the same checkout
MIN_PARALLEL = 3  # up to so many modules or pages are checked in this process, which loads them for what comes after


def verify_book(
    pages: Sequence[Path] | Path | None = None,
    only: str = "",
    *,
    bibliographies: Sequence[Path] = BIBLIOGRAPHIES,
    folder: Path = ROOT,
) -> Report:
    """Check every chapter module and every page, and return the Report.

    `bibliographies` are the paths of the files in which the sources of facts are looked up; without any, none is.
    `only` names a page to which the check is limited, with the modules of its chapter; `folder` is that of the book,
    below which the path of a page names its chapter.
    """
    cache.persist_verdicts()
    report, begun = Report(), time.perf_counter()
    all_pages = prose_numbers.pages_with_prose(prose_numbers.PAGES if pages is None else pages)
    selected = [
        page for page in all_pages if not only or _chapter_of(page, folder) == code_references.chapter_module_of(only)
    ]
    names = current_library.modules(code_references.chapter_module_of(only)) if only else current_library.names()
    for name, result in check_modules(names, bibliographies).items():
        report.add(name, result)
    texts = {page: page.read_text("utf-8") for page in selected}
    checksums = {page: hash_of_text(f"{page}\n{text}") for page, text in texts.items()}
    for page, result in _check_all("page", checksums, partial(_check_page, folder=folder)).items():
        _add_page(report, _chapter_of(page, folder), result)
    report.seconds = time.perf_counter() - begun
    return report


def check_modules(names: Iterable[str], bibliographies: Sequence[Path] = BIBLIOGRAPHIES) -> dict[str, Findings]:
    """Return `{name: counts, issues and sampled steps}` of modules; those of unchanged ones come from the cache."""
    checksums = {name: hash_of_chapter(name) for name in names}
    return _check_all("chapter", checksums, partial(_check_chapter, bibliographies=bibliographies))


def add_page(report: Report, name: str) -> None:
    """Add the results of a chapter's page to a report, if the chapter has one."""
    for page in prose_numbers.pages_with_prose(prose_numbers.PAGES / "chapters"):
        if _chapter_of(page, ROOT) == name:
            _add_page(report, name, _check_page(page))


def _chapter_of(page: Path, folder: Path) -> str:
    """Return the name of the chapter module of a page of the book in `folder`, whatever is above it."""
    return code_references.chapter_module_of(
        (page.relative_to(folder) if page.is_relative_to(folder) else page).as_posix()
    )


def _add_page(report: Report, chapter: str, result: AnyDict) -> None:
    counts = report.chapters.setdefault(chapter, empty_counts())
    counts["numbers"] = _sum_counts(counts["numbers"], result["numbers"])
    report.issues += [text for text in result["issues"] if text not in report.issues]


def find_unused_statements() -> list[str]:
    """Return a message for each statement that nothing uses."""
    declarations = unused.find_declarations(ROOT)
    return unused.unused_statements(declarations, unused.root_addresses(ROOT, declarations))


def mistakes_without_row(names: Collection[str]) -> list[str]:
    """Return a message for each mistake of an exercise in these modules that is not in `WRONG_ANSWERS`."""
    if current_library.package != DEFAULT_PACKAGE or not WRONG_ANSWERS.exists():
        return []
    with WRONG_ANSWERS.open(encoding="utf-8") as table:
        rows = {(row["exercise"], row["mistake"]) for row in csv.DictReader(table)}
    stated = (
        content_hash.memoize_by_chapter(f"mistakes {name}", name, partial(_labelled_mistakes, name))
        for name in current_library.names()
        if name in names
    )
    remedy = f"compute the answer from its words and add a row to {display_path(WRONG_ANSWERS)}, which the tests need"
    return [
        f"{where}: the mistake `{label}` of {address} has no row: {remedy}"
        for where, address, label in itertools.chain(*stated)
        if (address, label) not in rows
    ]


def _labelled_mistakes(name: str) -> list[list[str]]:
    """Return `[location, address, label]` of each mistake of the exercises of a module."""
    return [
        [each.where, at, label] for at, each in current_library.statements(name, Exercise) for label in each.mistakes
    ]


def _check_all(kind: str, checksums: Mapping[Any, str], check: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return `{thing: result of check}` for things given with their checksums; results without issues are stored."""
    known = {thing: cache.get(kind, checksum) for thing, checksum in checksums.items()}
    unknown = [thing for thing, result in known.items() if result is None]
    if len(unknown) > MIN_PARALLEL:
        if kind == "chapter":
            _load_chapters(unknown)
        # the longest first, for an even load
        unknown.sort(key=_work_size, reverse=True)
        with ProcessPoolExecutor(WORKERS, FORK) as pool:
            known |= dict(zip(unknown, pool.map(check, unknown), strict=True))
    else:
        known |= {thing: check(thing) for thing in unknown}
    for thing in unknown:
        result = known[thing]
        if not result["issues"]:
            cache.put(kind, checksums[thing], result)
    return known


def _load_chapters(names: Iterable[str]) -> None:
    """Load modules, hash statements and fit parameters before processes fork; errors are reported by the checks."""
    for name in names:
        with contextlib.suppress(Exception):
            for _, statement in current_library.statements(name):
                content_hash.hash_of(statement)
                if isinstance(statement, Comparison) and statement.fit_parameters:
                    _ = statement.fitted  # every process would fit them again


def _check_chapter(name: str, bibliographies: Sequence[Path]) -> Findings:
    findings = check_module(current_library, name, _check_statement)
    findings["issues"] += _unknown_sources(name, bibliographies) if bibliographies else []
    try:
        cache.memoize("script", hash_of_chapter(name), partial(chapter_script, name))
        if not findings["issues"]:
            _store_texts(name)
    except Exception as error:  # what the browser cannot do fails in many ways
        findings["issues"] += error_lines(error, current_library.folders[0], name)
    return findings


def _store_texts(name: str) -> None:
    """Store what pages show of the statements of a chapter that this process has compiled, solved and fitted."""
    from mathbook import comparisons, decisions, formulas, values  # they need docutils

    for _, statement in current_library.statements(name):
        if isinstance(statement, Formula):
            formulas.source_texts(statement)
            if statement.derivation is not None:
                formulas.step_texts(statement.derivation)
        elif isinstance(statement, Comparison):
            values.comparison_values(statement)
            comparisons.result_texts(statement)
        elif isinstance(statement, Decision):
            values.decision_values(statement)
            decisions.decision_texts(statement)
            decisions.row_texts(statement)


def _unknown_sources(name: str, bibliographies: Sequence[Path]) -> list[str]:
    """Return a message for each fact of a chapter whose source is not in the bibliographies."""
    from pybtex.exceptions import PybtexError

    try:
        keys = bibliography_keys(bibliographies)
    except PybtexError as error:
        place = display_path(error.get_filename() or bibliographies[0])
        return [f"{place}:{getattr(error, 'lineno', 1)}: {error}"]
    facts: list[Fact] = []
    files = ", ".join(map(display_path, bibliographies))
    with contextlib.suppress(Exception):  # a chapter that cannot be loaded was reported
        facts = [statement for _, statement in current_library.statements(name, Fact)]
    return [
        f"{fact.where}: `{fact.source}`, the source of {fact.address}, is not in {files}"
        f"; {nearest(fact.source, keys) or 'correct the key, or add the work'}"
        for fact in facts
        if fact.source not in keys
    ]


def _check_statement(address: str, statement: Any, findings: Findings) -> None:
    """Check a statement, unless an unchanged one was found correct before; step locations are always current."""
    if not isinstance(statement, Statement):
        return check_statement(address, statement, findings)
    key = _statement_key(address, statement)
    known = cache.get("statement", key)
    if known is None:
        alone = Findings(counts=empty_counts(), issues=[], sampled=[])
        check_statement(address, statement, alone)
        known = [
            alone["counts"],
            _sampled_steps(statement) if isinstance(statement, Derivation) and alone["sampled"] else [],
        ]
        if not alone["issues"]:
            cache.put("statement", key, known)
        findings["issues"] += alone["issues"]
    findings["counts"] = _sum_counts(findings["counts"], known[0])
    findings["sampled"] += [_step_lines(statement)[i] for i in known[1]]
    return None


def _work_size(thing: Path | str) -> int:
    """Return the amount of work: the bytes of a page, or the number of statements of a loadable module."""
    if isinstance(thing, Path):
        return thing.stat().st_size
    return len(vars(sys.modules.get(f"{current_library.package}.{thing}", current_library)))


def _statement_key(address: str, statement: Statement) -> str:
    return f"{address} {content_hash.hash_of(statement)}"


def _sampled_steps(derivation: Derivation) -> list[int]:
    """Return the indices of the steps of a derivation whose verdict is `sampled`."""
    return [i for i, step in enumerate(derivation.steps) if step.verdict.name == "sampled"]


def _step_lines(statement: Statement) -> list[str]:
    """Return the lines of the steps of a derivation as the report prints them."""
    return [f"{step.where}: {statement.address}" for step in getattr(statement, "steps", ())]


def _sum_counts(counts: AnyDict, more: AnyDict) -> AnyDict:
    """Return the sum of two nested counts of a report."""
    return {
        key: _sum_counts(count, more[key]) if isinstance(count, dict) else count + more[key]
        for key, count in counts.items()
    }


def _check_page(page: Path, folder: Path = ROOT) -> AnyDict:
    """Return the results of a page, memoized by its text and by the statements that it names."""
    key = _page_key(page)
    if key is None:
        return _count_numbers(page, folder)
    count = partial(_count_numbers, page, folder)
    return cache.memoize("page-numbers", key, count, lambda result: not result["issues"])


def _page_key(page: Path) -> str | None:
    """Return a page's text with the hashes of the statements that it names; None if a chapter cannot be loaded."""
    text = page.read_text("utf-8")
    named = sorted({match[0] for match in ADDRESS.finditer(text) if match[0].partition(".")[0] in current_library})
    try:
        return repr((str(page), text, [(address, content_hash.hash_at(address)) for address in named]))
    except Exception:  # a chapter that cannot be loaded is reported with the line of the page
        return None


def _count_numbers(page: Path, folder: Path) -> AnyDict:
    """Return the counts of a page's numbers and the issues with them."""
    numbers = empty_counts()["numbers"]
    try:
        counted = prose_numbers.count_numbers(page)
        numbers = {
            "computed": counted.computed,
            "cited": counted.cited,
            "free": len(counted.free),
            "words": counted.asserted,
        }
        return {"numbers": numbers, "issues": prose_numbers.page_issues(page)}
    except Exception as error:  # the chapter behind an address may fail in any way
        return {"numbers": numbers, "issues": error_lines(error, current_library.folders[0], _chapter_of(page, folder))}


def bibliography_keys(bibliographies: Iterable[Path] = BIBLIOGRAPHIES) -> set[str]:
    """Return the citation keys of bibliographies, given by their paths."""
    known = [path for path in bibliographies if path.exists()]
    return {
        key for path in known for key in cache.memoize("bibliography", hash_files([path]), partial(_read_keys, path))
    }


def _read_keys(path: Path) -> list[str]:
    from pybtex.database import parse_file  # takes 20 ms, and another 130 for the book's bibliography

    return list(parse_file(str(path), "bibtex").entries)
