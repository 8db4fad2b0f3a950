"""Holds formulas to what was reckoned by hand, with givens of their own, so that no changed fact touches it.

`data/hand_computed.csv` has a row for each: the address of the formula (or of the statement that holds a formula
without an address), its givens, the value found, the relative tolerance, and how it was found.
"""

import csv
import functools
import itertools
from pathlib import Path
from typing import NamedTuple

import pytest
from bounds import parse_point
from chapter_params import chapters
from sample_formulas import C, M, interval

from mathcore import Example, Formula, find, units
from mathcore.errors import MathcoreError
from mathcore.examples import ROUNDING
from mathcore.library import current_library
from mathcore.teaching import Exercise
from mathcore.units import quantity_text

TABLE = Path(__file__).parent / "data" / "hand_computed.csv"


class HandComputed(NamedTuple):
    """A row of the table."""

    address: str
    givens: str
    value: str
    rtol: str
    how: str


def by_chapter(path, kind):
    """Return the rows of a table, each as a `kind` whose first field is an address, by chapter."""
    with path.open(encoding="utf-8", newline="") as file:
        found = sorted((kind(**row) for row in csv.DictReader(file)), key=chapter_of)
    return {chapter: list(group) for chapter, group in itertools.groupby(found, chapter_of)}


def chapter_of(row):
    return current_library.split(row[0])[0]


@functools.cache
def rows():
    return by_chapter(TABLE, HandComputed)


def formula_at(address):
    """Return the formula of a row: the one at the address, or the one that the statement there holds."""
    found = find(address)
    return found.formula if isinstance(found, (Example, Exercise)) else found


def row_issue(row, formula=formula_at):
    """Return the value of the formula if it differs from the hand-computed one, else an empty text."""
    try:
        found, _ = formula(row.address).evaluate(parse_point(row.givens))  # beyond the validity as well
        wanted = units.match_dimension(row.value, found, "what was reckoned")
    except MathcoreError as error:
        return str(error)
    off = abs(found.m_as(wanted.units) - wanted.magnitude)
    if off <= max(float(row.rtol), ROUNDING) * abs(wanted.magnitude):
        return ""
    return f"gives {quantity_text(found, f'{wanted.units}', 7)}"


def table(faults):
    """Return rows and their faults as a table to read."""
    lines = [(row.address, row.givens, row.value, row.how, message) for row, message in faults]
    lines = [("formula", "with", "was reckoned", "how", "but"), *lines]
    widths = [min(60, max(len(line[i]) for line in lines)) for i in range(4)]
    return "\n" + "\n".join("  ".join([*map(str.ljust, line, widths), line[4]]) for line in lines)


@pytest.mark.parametrize("chapter", chapters(pytest.mark.exhaustive, among=rows()))
def test_formulas_give_what_was_computed_by_hand(chapter):
    faults = [(row, message) for row in rows()[chapter] if (message := row_issue(row))]
    assert not faults, table(faults)


# --- seeded errors --------------------------------------------------------------------------

RIGHT = HandComputed("young_daly.interval", "C=4 min; M=8 h", "61.97 min", "0.001", "√(2·4·480)")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": "61.8 min"}, "gives 61.96773\u202fmin"),
        ({"value": "61.97 GB"}, "cannot convert from 'GB' (information)"),
        ({"value": "61.97"}, "cannot convert from 'dimensionless'"),
        ({"givens": "C=4 min; M=8 GB"}, "M (mean time between failures of the job) of young_daly.interval is 8 GB"),
        ({"givens": "C=4 min"}, "young_daly.interval also needs M"),
        ({"givens": "C=4 min; M=8 h; N=2"}, "has no argument `N`"),
        ({"address": "young_daly.intervall"}, "there is no statement `young_daly.intervall`"),
        ({"rtol": "1e-6"}, "gives 61.96773\u202fmin"),
    ],
)
def test_changed_row_is_found(change, words):
    assert words in row_issue(RIGHT._replace(**change))


@pytest.mark.parametrize(
    ("rhs", "message"), [((C * M) ** (M / M / 2), "gives 43.81780\u202fmin"), (2 * C, "has no argument `M`")]
)
def test_changed_formula_is_found(rhs, message):
    altered = Formula(interval.lhs, rhs)
    assert message in row_issue(RIGHT, lambda address: altered)


def test_table_names_row_and_fault():
    wrong = RIGHT._replace(value="60 min")
    printed = table([(wrong, row_issue(wrong))])
    assert all(text in printed for text in (*wrong[:3], wrong.how, "gives 61.96773\u202fmin"))
