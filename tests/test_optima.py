"""Every optimum that a chapter derives is one: on either side of it, what it makes smallest is larger."""

import numpy as np
import pytest
from chapter_params import chapters, of_kind
from mathbook.unused import module_of
from points import middle, table

from mathcore import Formula
from mathcore.errors import ROOT
from mathcore.evaluation import compile_unchecked

NEAR = (0.5, 0.9, 0.99, 1.01, 1.1, 2)  # of the best value
ROUNDING = 1e-12
CHAPTERS = ROOT / "mathcore" / "chapters"
SOURCES = sorted(CHAPTERS.rglob("*.py"))
DERIVING = [module_of(path, CHAPTERS) for path in SOURCES if "Derivation.minimise(" in path.read_text("utf-8")]


def optima(chapter):
    """Return the formulas of a chapter that are derived by making another smallest."""
    return [formula for _, formula in of_kind(chapter, Formula) if formula.derivation and formula.derivation.goal]


def smaller(formula, factor=1.0):
    """Return the points at which a formula, times a factor, does not make its goal smallest."""
    goal, over = formula.derivation.goal
    cost = compile_unchecked(goal.inputs, (goal.numeric, *goal.numeric_domain))
    best = compile_unchecked(formula.inputs, (formula.numeric,))
    found = []
    with np.errstate(all="ignore"):
        for point in table(formula)[0].tolist():
            given = {v: middle(v) for v in goal.inputs} | dict(zip(formula.inputs, point, strict=True))
            at = factor * float(best(*point)[0])
            here, *around = (cost(*({**given, over: at * x}[v] for v in goal.inputs)) for x in (1, *NEAR))
            values = [float(value) for value, *holds in around if all(holds) and np.isfinite(value)]
            if all(here[1:]) and min(values, default=here[0]) < here[0] - ROUNDING * abs(here[0]):
                found.append(given)
    return found


@pytest.mark.parametrize("chapter", chapters(pytest.mark.exhaustive, among=DERIVING))
def test_derived_optima_are_optima_and_what_is_not_is_found(chapter):
    found = {formula.address: points[0] for formula in optima(chapter) if (points := smaller(formula))}
    assert found == {}
    assert optima(chapter)
    assert [formula.address for formula in optima(chapter) if not smaller(formula, 1.2)] == []
