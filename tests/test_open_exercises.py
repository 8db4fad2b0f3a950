"""Open exercises of the book, judged as the page does, and seeded errors that verification must find."""

import dataclasses
import itertools
import json
import re
from pathlib import Path

import pytest
import sympy
from mathbook import functions
from page_functions import run_node

from mathcore import find
from mathcore.errors import DeclarationError
from mathcore.library import current_library
from mathcore.teaching import (
    DeriveExercise,
    DesignExercise,
    EstimateExercise,
    OpenExercise,
    OrderExercise,
    ProgramExercise,
)

HERE = Path(__file__).parent / "javascript"
MODULES = [name for name in current_library.names() if name.endswith(".open_exercises")]
ALL = [each for name in MODULES for _, each in current_library.statements(name) if isinstance(each, OpenExercise)]
JUDGE = """
const mc = require("./load.js").load(["mc-open.js"]);
const { cases, units } = JSON.parse(require("fs").readFileSync(0, "utf8"));
mc.units = units;
console.log(JSON.stringify(cases.map(([spec, answer]) => (SELECT)(mc.open.judge(spec, answer)))));
"""


def page_verdicts(cases, select="found => found.verdict"):
    """Return the verdicts of the page for `(specification, answer)`, or what the function `select` takes from each."""
    given = json.dumps({"cases": cases, "units": functions.unit_table()})
    return json.loads(run_node("-e", JUDGE.replace("SELECT", select), stdin=given, folder=HERE))


def as_typed(expression):
    """Return an expression as a reader would type it."""
    text = sympy.sstr(expression)
    for python, typed in (("ceiling(", "ceil("), ("Max(", "max("), ("Min(", "min("), ("Abs(", "abs(")):
        text = text.replace(python, typed)
    return text


def without_units(text):
    """Return an expression in base units, as a reader types it: `6` for `6[FLOP]`."""
    return re.sub(r"\[[^\]]*\]", "", text)


def of_kind(kind):
    return [each for each in ALL if isinstance(each, kind)]


def test_page_accepts_the_derived_expression_and_no_mistake():
    derive = of_kind(DeriveExercise)
    right = [(each.spec(), as_typed(each.formula.rhs)) for each in derive if each.spec()["dim"] is not None]
    assert page_verdicts(right) == ["right"] * len(right)
    wrong = [(each.spec(), without_units(text)) for each in derive for text in each.mistakes.values()]
    assert set(page_verdicts(wrong)) <= {"mistake"}


@pytest.mark.slow
def test_page_accepts_every_choice_within_the_tolerance_and_no_other():
    for each in of_kind(DesignExercise):
        choices = [
            (key, [each.choices[n].index(x) for n, x in zip(each.levers, key, strict=True)]) for key in each.cells
        ]
        verdicts = page_verdicts([(each.spec(), indices) for _, indices in choices])
        right = {key for (key, _), verdict in zip(choices, verdicts, strict=True) if verdict == "right"}
        assert right == set(each.right_choices()), each.title


def test_page_accepts_the_chain_of_an_estimate_and_its_factor():
    factors = [(1, "right"), (0.99, "right"), (-0.99, "right"), (1.3, "wrong")]  # powers of the tolerance
    cases, expected = [], []
    for each in of_kind(EstimateExercise):
        for power, verdict in factors:
            value = each.answer.magnitude * (each.factor**power if abs(power) != 1 else power)
            cases.append((each.spec(), f"{value:.6e} {each.spec()['asked']['unit']}".strip()))
            expected.append(verdict)
    found = ["wrong" if verdict == "slip" else verdict for verdict in page_verdicts(cases)]
    assert found == expected


def test_every_chapter_has_exercises_that_no_substitution_answers():
    assert len(ALL) >= 4 * len(MODULES)
    assert {each.kind for each in ALL} == {"derive", "order", "estimate", "design", "program"}
    assert len({each.address.partition(".")[0] for each in of_kind(OrderExercise)}) >= 4


def page_feedback(cases):
    """Return verdict and words of the page for `(specification, answer)`."""
    return page_verdicts(cases, "found => [found.verdict, found.text]")


def test_page_accepts_every_order_in_which_each_line_follows_and_no_other():
    for each in of_kind(OrderExercise):
        right = [place for place, (_, step) in enumerate(each.lines) if step >= 0]
        orders = list(itertools.permutations(right))
        verdicts = page_verdicts([(each.spec(), order) for order in orders])
        accepted = [order for order, verdict in zip(orders, verdicts, strict=True) if verdict == "right"]
        steps = [[each.lines[place][1] for place in order] for order in accepted]
        assert list(range(len(right))) in steps
        assert all(
            order.index(below) < order.index(step) for order in steps for step in order for below in each.needs[step]
        )
        slopes = sum(isinstance(step.left, sympy.Derivative) for step in each.steps)
        assert len(accepted) == (2 if slopes == 2 else 1), each.title  # a second derivative may precede the root


def test_page_says_which_line_of_a_derivation_does_not_hold():
    for each in of_kind(OrderExercise):
        right = [next(p for p, (_, at) in enumerate(each.lines) if at == step) for step in range(len(each.steps))]
        false = [p for p, (_, at) in enumerate(each.lines) if at < 0]
        spec = each.spec()
        (seeded, text), (short, missing), (late, order), (nothing, _) = page_feedback(
            [(spec, [right[0], false[0], *right[1:]]), (spec, right[:-1]), (spec, right[1:]), (spec, [])]
        )
        assert seeded == "mistake" and "Line 2 does not" in text and spec["lines"][false[0]]["wrong"] in text
        assert short == "wrong" and "1 line of the derivation is missing" in missing and spec["reasons"][-1] in missing
        assert late == "wrong" and "Line 1 rests on" in order and spec["reasons"][0] in order
        assert nothing == "unread"


def test_a_wrong_line_that_is_true_and_a_derivation_that_is_short_are_found():
    exercise = find("young_daly.open_exercises.order_penalty")
    same = {"line": "x/2 + 1/(2*x)", "instead_of": 4, "label": "the same, written otherwise"}
    assert not issues_with(exercise) and "no wrong line" in issues_with(exercise, wrong=[same])[0]
    assert (
        "4 steps or more" in issues_with(exercise, formula=find("young_daly.open_exercises.budget_mtbf"), wrong=[])[0]
    )
    assert "look the same" in issues_with(exercise, wrong=[exercise.wrong[0]] * 2)[0]
    with pytest.raises(DeclarationError) as caught:
        issues_with(exercise, wrong=[{**same, "instead_of": 9}])
    assert caught.value.code == "out-of-range"


def issues_with(exercise, **fields):
    """Return a copy of an exercise with other fields, and its issues."""
    return list(dataclasses.replace(exercise, **fields)._find_issues())


def test_a_mistake_that_equals_the_answer_is_found():
    exercise = find("young_daly.open_exercises.derive_budget")
    assert issues_with(exercise, mistakes={"the same, written otherwise": "C * 2 / (b_w * b_w)"})
    assert not issues_with(exercise)


def test_a_range_outside_of_the_domain_is_refused():
    exercise = find("young_daly.open_exercises.derive_late")
    with pytest.raises(DeclarationError) as caught:
        issues_with(exercise, ranges={**exercise.ranges, "phi_d": "3 to 4"})
    assert caught.value.code == "out-of-range"
    with pytest.raises(DeclarationError) as caught:
        issues_with(exercise, ranges={"C": "1 s to 2 s"})
    assert caught.value.code == "unknown-key"


def test_a_design_in_which_everything_is_right_is_found():
    exercise = find("young_daly.open_exercises.design_interval")
    assert issues_with(exercise, within=50.0)
    with pytest.raises(DeclarationError):
        issues_with(exercise, levers={"typo": "x"})


def test_a_chain_that_misses_what_was_reported_is_found():
    exercise = find("young_daly.open_exercises.estimate_gpu_years")
    assert issues_with(
        exercise,
        reported="young_daly.lab_devices",
        explanation="",
        chain=[{"name": "N", "text": "GPUs", "value": "99[gpu]"}],
    )


def test_a_solution_that_fails_and_a_skeleton_that_passes_are_found():
    exercise = find("young_daly.open_exercises.program_simulate")
    assert "fails" in issues_with(exercise, solution=exercise.solution.replace("clock + tau + C", "clock + tau"))[0]
    assert "passes" in issues_with(exercise, skeleton=exercise.solution)[0]
    assert isinstance(exercise, ProgramExercise)


def test_a_slot_without_a_value_is_refused():
    with pytest.raises(DeclarationError) as caught:
        issues_with(find("young_daly.open_exercises.estimate_gpu_years"), explanation="{nothing}")
    assert caught.value.code == "unknown-key"
