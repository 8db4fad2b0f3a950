"""The engine as the build sees it: everything checked, its refusals turned into problems."""

import json
import re

from mathbook.problems import BrokenBook, Problem

PLACE = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+): (?P<what>.*)$", re.DOTALL)


def check(book):
    """Check every statement and every number in the prose, and keep the report.

    Raises: BrokenBook with all that does not hold.
    """
    from mathbook.checks import verify

    report = verify(book.folder / "book", book.chapter)
    if report.failures:
        raise BrokenBook([_problem(book, failure) for failure in report.failures])
    book.work.mkdir(parents=True, exist_ok=True)
    book.report.write_text(json.dumps(report.as_dict()), "utf-8")
    counted = report.totals
    numbers = counted["numbers"]
    return (
        f"{counted['formulas']} formulas, {sum(counted['steps'].values())} steps, "
        f"{counted['examples']} examples and {counted['exercises']} exercises hold; "
        f"numbers: {numbers['computed']} computed, {numbers['cited']} cited, {numbers['free']} free, "
        f"{numbers['words']} in words"
    )


def _problem(book, failure):
    found = PLACE.match(failure)
    if not found:
        return Problem("mathcore", 0, failure)
    return Problem(book.shown(book.folder / found["path"]), int(found["line"]), found["what"])
