"""Protects where conditions end: just within a value comes back in silence, just beyond it does not.

The points are data (`data/bounds.csv`), so that a bound which moves, or turns round, is found.
"""

import dataclasses

import pytest
from bounds import TABLE, Bound, relations, row_issue, rows
from chapter_params import chapters
from sympy import Ge, Gt, Le, Lt
from test_hand_computed import by_chapter

from mathcore import find

FOLLOWS = {  # what the ranges of the symbols or another condition grant anyway
    ("training.plan.mfu_of_hfu", 0): "the utilisation of hardware is at most one"
}
TURNED = {Le: Ge, Lt: Gt, Ge: Le, Gt: Lt}


ROWS = by_chapter(TABLE, Bound)


@pytest.mark.parametrize("chapter", chapters(pytest.mark.exhaustive, among=ROWS))
def test_condition_ends_where_it_did(chapter):
    assert [wrong for row in ROWS[chapter] if (wrong := row_issue(row, find(row.address)))] == []


def test_every_condition_has_its_two_points():
    there = {(row.address, int(row.number)) for row in rows()}
    missing = {(formula.address, number) for formula, number, _ in relations()} - there
    assert missing == FOLLOWS.keys(), "add them: python tests/support/bounds.py"


TURNED_ROUND = (
    "young_daly.interval", "operations.spot.loss_share", "collectives.bucket_needed", "goodput.ettr.ettr_root"
)  # fmt: skip
TRIED = [row for row in rows() if row.address in TURNED_ROUND]


@pytest.mark.parametrize("row", TRIED, ids=lambda row: f"{row.address}-{row.number}-{row.symbol}")
def test_reversed_condition_is_found(row):
    formula, number = find(row.address), int(row.number)
    stated = [*formula.domain, *(relation for relation, _ in formula.validity)]
    relation = stated[number]
    stated[number] = TURNED[relation.func](*relation.args)
    valid, limits = stated[: len(formula.domain)], stated[len(formula.domain) :]
    validity = tuple((new, words) for new, (_, words) in zip(limits, formula.validity, strict=True))
    assert row_issue(row, dataclasses.replace(formula, domain=tuple(valid), validity=validity))


def test_refusal_for_another_reason_is_not_enough():
    """Beyond it what is left for the rule is negative, which its range refuses too, but not in these words."""
    row = next(row for row in rows() if (row.address, row.symbol) == ("operations.rule_for", "d_a"))
    formula = find(row.address)
    [relation], x_e = formula.domain, next(v for v in formula.inputs if v.name == "x_e")
    loose = dataclasses.replace(formula, domain=(Ge(relation.lhs, relation.rhs - 2 * x_e),))
    assert row_issue(row, formula) == ""
    assert "no error or warning beyond" in row_issue(row, loose) and "but not together" in row_issue(row, loose)
