"""Holds the formulas of usual mistakes to what their words make a reader find, with givens of their own.

`data/wrong_answers.csv` has a row for each mistake of each exercise: what a reader who makes it would answer, reckoned
from the words of the mistake and the text of the exercise alone, and the short line by which it was found.
"""

import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from chapter_params import chapters
from mathbook import checks
from sample_formulas import C, M, interval
from sympy import sqrt
from test_hand_computed import HandComputed, by_chapter, table
from test_hand_computed import row_issue as off

from mathcore import find
from mathcore.errors import MathcoreError
from mathcore.library import current_library
from mathcore.teaching import Exercise

TABLE = Path(__file__).parent / "data" / "wrong_answers.csv"


class WrongAnswer(NamedTuple):
    """A row of the table."""

    exercise: str
    mistake: str
    givens: str
    value: str
    rtol: str
    how: str

    def as_hand_computed(self, names=None):
        """Return the row as that of a formula, with the givens of these names only."""
        given = [part for part in self.givens.split("; ") if names is None or part.partition("=")[0] in names]
        return HandComputed(f"{self.exercise}, {self.mistake}", "; ".join(given), self.value, self.rtol, self.how)


@functools.cache
def rows():
    return by_chapter(TABLE, WrongAnswer)


def row_issue(row, exercise=find):
    """Return what the wrong formula gives instead, or an empty text if it gives what was reckoned."""
    try:
        wrong = exercise(row.exercise).wrong_formulas.get(row.mistake)
    except MathcoreError as error:
        return str(error)
    if wrong is None:
        return "has no such mistake: after new words, reckon from them anew"
    return off(row.as_hand_computed({v.name for v in wrong.inputs}), lambda address: wrong)


@pytest.mark.parametrize("chapter", chapters(pytest.mark.exhaustive, among=rows()))
def test_mistakes_give_what_their_words_say(chapter):
    faults = [(row.as_hand_computed(), message) for row in rows()[chapter] if (message := row_issue(row))]
    assert not faults, table(faults)


def test_every_mistake_has_a_row():
    missing = checks.mistakes_without_row(current_library.names())
    assert not missing, "\n".join(missing)


def test_every_row_says_how_it_was_found():
    assert all(row.how and row.givens == row.givens.strip() for found in rows().values() for row in found)


# --- seeded errors --------------------------------------------------------------------------

GIVEN = {C: "5 min", M: "6 h"}
DROPPED = "the 2 under the root was dropped"
RIGHT = WrongAnswer("young_daly.ex_interval", DROPPED, "C=5 min; M=6 h", "42.42641 min", "1e-06", "√(5·360)")


def declared(wrong):
    """Return the lookup of an exercise with this mistake."""
    exercise = Exercise(interval, GIVEN, mistakes={DROPPED: wrong, "half the MTBF": M / 2}, title="an interval")
    return lambda address: exercise


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (C**2 / sqrt(C * M), "gives 0.5892557\u202fmin"),
        (sqrt(3 * C * M), "gives 73.48469\u202fmin"),
        (sqrt(C * M) + C, "gives 47.42641\u202fmin"),
        (sqrt(C * M) - C, "gives 37.42641\u202fmin"),
    ],
)
def test_slip_in_a_wrong_formula_is_found(wrong, message):
    assert message in row_issue(RIGHT, declared(wrong))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": "42.5 min"}, "gives 42.42641\u202fmin"),
        ({"value": "42.42641 GB"}, "cannot convert from 'GB' (information)"),
        ({"givens": "C=5 min"}, "also needs M"),
        ({"mistake": "the 2 was dropped"}, "has no such mistake"),
        ({"exercise": "young_daly.ex_intervall"}, "there is no statement `young_daly.ex_intervall`"),
    ],
)
def test_changed_row_is_found(change, words):
    assert words in row_issue(RIGHT._replace(**change))


def test_number_that_the_mistake_leaves_out_may_stand_in_its_row():
    assert row_issue(RIGHT._replace(givens="C=5 min; M=6 h; R=10 min")) == ""


def test_mistake_without_a_row_is_found(tmp_path, monkeypatch):
    rest = [line for line in TABLE.read_text("utf-8").splitlines() if f"{RIGHT.exercise},{DROPPED}" not in line]
    (tmp_path / "rows.csv").write_text("\n".join(rest), "utf-8")
    monkeypatch.setattr(checks, "WRONG_ANSWERS", tmp_path / "rows.csv")
    [missing] = checks.mistakes_without_row(["young_daly"])
    assert re.match(r"mathcore/chapters/young_daly/exercises\.toml:\d+: the mistake `the 2 under the root", missing)
