"""`python -m mathcore search|show|at|decide|verify|grade`: find, read, evaluate, decide and check from a shell.

python -m mathcore search [--in PACKAGE] cluster mtbf
python -m mathcore show [young_daly | young_daly.interval | PACKAGE.MODULE.NAME]
python -m mathcore at young_daly.interval C="4 min" M="8 h"
python -m mathcore decide young_daly.decisions.interval C="90 s"
python -m mathcore verify [CHAPTER | PACKAGE …] [--json FILE]
python -m mathcore grade FOLDER > grades.csv
"""

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType

from mathcore.commands import missing_dependency, text_output
from mathcore.commands.verification import Report, report_table, verify_library
from mathcore.decisions import Decision
from mathcore.errors import ROOT, ArgumentError, DeclarationError, MathcoreError, UnknownAddress, nearest
from mathcore.library import Library, current_library, find

EXTENSION = ROOT / "book" / "_ext"  # in the book's own checkout its pages are judged as well


def _resolve_modules(name: str) -> tuple[Library, list[str]]:
    """Return the library, and its modules, that a name means: a chapter, a package, or a module of one.

    Raises: UnknownAddress, with the nearest chapter.
    """
    if name in current_library:
        return current_library, current_library.modules(name)
    package, _, module = name.rpartition(".")
    try:
        if package and module in (library := Library(package)).names():
            return library, library.modules(module)
        library = Library(name)
    except DeclarationError as error:
        message, hint = f"there is no chapter `{name}`, and {error.message}", nearest(name, current_library.names())
        raise UnknownAddress(message, code="unknown-module", got=name, hint=hint) from None
    return library, library.names()


def _run_search(options: argparse.Namespace) -> int:
    library, words = Library(options.package) if options.package else current_library, " ".join(options.words)
    statements = library.search(words, options.count)
    for statement in statements:
        print(text_output.summary_line(statement))
    if not statements:
        print(text_output.no_match_text(library, words), file=sys.stderr)
    return 0 if statements else 1


def _run_show(options: argparse.Namespace) -> int:
    if options.address is None:
        print(text_output.contents_text(current_library, current_library.names()))
        return 0
    try:
        print(text_output.details_text(find(options.address)))
    except UnknownAddress as error:
        try:
            print(text_output.contents_text(*_resolve_modules(options.address)))
        except UnknownAddress:
            raise error from None
    return 0


def _parse_givens(values: list[str]) -> dict[str, str]:
    """Return what `NAME=VALUE` texts give, by name."""
    given: dict[str, str] = {}
    for text in values:
        name, sign, stated = text.partition("=")
        if not sign:
            form = 'NAME="value unit", as C="4 min"'
            message, hint = f"`{name}` has no value", f"write {form}"
            raise ArgumentError(message, code="missing-argument", got=name, expected=form, hint=hint)
        if name in given:
            message = f"{name} is given twice, as `{given[name]}` and as `{stated}`"
            raise ArgumentError(message, code="repeated-argument", got=name, hint="give it once")
        given[name] = stated
    return given


def _run_decide(options: argparse.Namespace) -> int:
    decision = find(options.address)
    if not isinstance(decision, Decision):
        message = f"{options.address} is no decision: `search` finds one by words"
        raise ArgumentError(message, code="wrong-type", got=options.address, expected="a decision")
    print(text_output.solution_text(decision.solve(_parse_givens(options.values))))
    return 0


def _run_at(options: argparse.Namespace) -> int:
    value, cautions = text_output.value_text(find(options.address), _parse_givens(options.values))
    print(value)
    for caution in cautions:
        print(f"warning: {caution}", file=sys.stderr)
    return 0


def _run_grade(options: argparse.Namespace) -> int:
    from mathcore.commands import grading  # with it come the labs, which no other word needs

    grading.write_grades(current_library, options.ledgers, sys.stdout)
    return 0


def _run_verify(options: argparse.Namespace) -> int:
    parts = [_resolve_modules(name) for name in options.chapters]
    if EXTENSION.is_dir():
        importlib.import_module("mathbook.cache").ignore_earlier_runs()
    report = Report() if parts else _verify_book()
    for library, names in parts:
        verify_library(library, names, report)
        for name in names if library is current_library and EXTENSION.is_dir() else ():
            _import_checks().add_page(report, name)
    print(report_table(report))
    for issue in report.issues:
        print(issue, file=sys.stderr)
    for note in (
        _import_checks().mistakes_without_row(report.chapters) if EXTENSION.is_dir() and not report.issues else ()
    ):
        print(f"note: {note}", file=sys.stderr)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 1 if report.issues else 0


def _verify_book() -> Report:
    """Return the Report on the whole library, and on its pages if this is a checkout."""
    if not EXTENSION.is_dir():
        return verify_library(current_library)
    checks = _import_checks()
    report = checks.verify_book()
    report.unreached = checks.find_unused_statements()
    return report


def _import_checks() -> ModuleType:
    """Return the module that checks the pages of this checkout."""
    return importlib.import_module("mathbook.checks")


def _build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="python -m mathcore", description="The book's mathematics.")
    commands = parser.add_subparsers(dest="command", required=True)
    search = commands.add_parser("search", help="find statements by words, meaning, symbol or synonym")
    search.add_argument("words", nargs="+")
    search.add_argument("--count", type=int, default=10, help="how many to list at most")
    search.add_argument("--in", dest="package", metavar="PACKAGE", help="search a package of your own, not the book")
    show = commands.add_parser("show", help="show a statement with its derivation; what a chapter states; all chapters")
    show.add_argument("address", nargs="?", metavar="ADDRESS|CHAPTER")
    at = commands.add_parser("at", help='evaluate, as in: at young_daly.interval C="4 min" M="8 h"')
    at.add_argument("address")
    at.add_argument("values", nargs="*", metavar="NAME=VALUE")
    decide = commands.add_parser("decide", help='decide at inputs of your own, as in: decide ADDRESS C="90 s"')
    decide.add_argument("address")
    decide.add_argument("values", nargs="*", metavar="NAME=VALUE")
    check = commands.add_parser("verify", help="check every statement and number, and print a table")
    check.add_argument("chapters", nargs="*", metavar="CHAPTER|PACKAGE")
    check.add_argument("--json", metavar="FILE", type=Path, help="also write the report as JSON")
    grade = commands.add_parser("grade", help="grade ledgers that were handed in, and print CSV")
    grade.add_argument("ledgers", nargs="+", metavar="FILE|FOLDER", type=Path)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit status: 0 if all holds, 1 if anything fails."""
    options = _build_parser().parse_args(arguments)
    runs = {
        "search": _run_search,
        "show": _run_show,
        "at": _run_at,
        "decide": _run_decide,
        "verify": _run_verify,
        "grade": _run_grade,
    }
    try:
        return runs[options.command](options)
    except MathcoreError as error:
        print(error.message, file=sys.stderr)
    except ModuleNotFoundError as error:
        print(missing_dependency(error), file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader at the other end, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
