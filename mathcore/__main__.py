"""`python -m mathcore search|show|at|verify|grade`: find, read, evaluate and check formulas from a shell.

python -m mathcore search cluster mtbf
python -m mathcore show young_daly.interval
python -m mathcore at young_daly.interval C="4 min" M="8 h"
python -m mathcore verify [CHAPTER …] [--json FILE]
python -m mathcore grade FOLDER > grades.csv
"""

import argparse
import importlib
import json
import os
import sys
import warnings
from pathlib import Path

from mathcore.commands import telling
from mathcore.commands.verification import Report, table, verify
from mathcore.errors import ROOT, ArgumentError, MathcoreError
from mathcore.library import book, find


def _search(options: argparse.Namespace) -> int:
    found = book.search(" ".join(options.words), options.count)
    for statement in found:
        print(telling.line(statement))
    if not found:
        print(f"nothing is called that: {' '.join(options.words)}", file=sys.stderr)
    return 0 if found else 1


def _show(options: argparse.Namespace) -> int:
    print(telling.page(find(options.address)))
    return 0


def _at(options: argparse.Namespace) -> int:
    pairs = [text.partition("=") for text in options.values]
    for name, sign, _ in pairs:
        if not sign:
            raise ArgumentError(f'`{name}` has no value: write NAME="value unit", as C="4 min"')
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        value = find(options.address).at({name: text for name, _, text in pairs})
    print(telling.value(find(options.address), value))
    for warning in said:
        print(f"warning: {warning.message}", file=sys.stderr)
    return 0


def _grade(options: argparse.Namespace) -> int:
    from mathcore.commands import grading  # with it come the labs, which no other word needs

    grading.write(book, options.ledgers, sys.stdout)
    return 0


def _verify(options: argparse.Namespace) -> int:
    report = _whole_book() if not options.chapters else verify(book, options.chapters)
    print(table(report))
    for failure in report.failures:
        print(failure, file=sys.stderr)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 1 if report.failures else 0


def _whole_book() -> Report:
    """Judge all; in the book's own checkout its pages are counted as well."""
    extension = ROOT / "book" / "_ext"
    if not extension.is_dir():
        return verify(book)
    sys.path.insert(0, str(extension))
    importlib.import_module("mathbook.cache").distrust()  # this is the check that all else relies on
    checks = importlib.import_module("mathbook.checks")
    report = checks.verify()
    report.unreached = checks.unreached()
    return report


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit status: 0 if all holds, 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="python -m mathcore", description="The book's mathematics.")
    commands = parser.add_subparsers(dest="command", required=True)
    search = commands.add_parser("search", help="find statements by words, meaning, letter or synonym")
    search.add_argument("words", nargs="+")
    search.add_argument("--count", type=int, default=10, help="how many to list at most")
    show = commands.add_parser("show", help="show a statement: letters, units, conditions, derivation")
    show.add_argument("address")
    at = commands.add_parser("at", help='evaluate, as in: at young_daly.interval C="4 min" M="8 h"')
    at.add_argument("address")
    at.add_argument("values", nargs="*", metavar="NAME=VALUE")
    check = commands.add_parser("verify", help="check every statement and number, and print a table")
    check.add_argument("chapters", nargs="*", metavar="CHAPTER")
    check.add_argument("--json", metavar="FILE", type=Path, help="also write the report as JSON")
    grade = commands.add_parser("grade", help="grade ledgers that were handed in, and print CSV")
    grade.add_argument("ledgers", nargs="+", metavar="FILE|FOLDER", type=Path)
    options = parser.parse_args(arguments)
    runs = {"search": _search, "show": _show, "at": _at, "verify": _verify, "grade": _grade}
    try:
        return runs[options.command](options)
    except MathcoreError as error:
        print(error.message, file=sys.stderr)
        return 1


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader at the other end, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
