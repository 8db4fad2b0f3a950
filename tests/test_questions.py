"""Protects questions and labs: the right option is computed, at every position of the sliders exactly one."""

from dataclasses import replace

import pytest
import sympy
from error_assertions import expect_error, first_issue

from mathcore import ArgumentError, DeclarationError, find, units
from mathcore.library import current_library
from mathcore.teaching import Context, Lab, Option, Outcome, Question

INTERVAL, CALCULATOR = find("young_daly.interval"), find("young_daly.explorer")
M, C, TAU = (slider.variable for slider in CALCULATOR.sliders)
BEST = INTERVAL.rhs
OFTEN = Option("{tau} is too often", 10 * TAU < 7 * BEST, "the optimum is {best}", "often")
FINE = Option("{tau} is fine", (10 * TAU >= 7 * BEST) & (10 * TAU <= 14 * BEST), "it is {best}", "fine")
RARE = Option("{tau} is too rare", 10 * TAU > 14 * BEST, "it is only {best}", "rare")
SLOTS = {"best": (INTERVAL, "min")}


def question(*options, **more):
    return Question("How is this interval?", options, **{"calculator": CALCULATOR, "slots": SLOTS, **more})


def test_right_option_moves_with_the_numbers():
    asked = question(OFTEN, FINE, RARE)
    assert asked.right == 0  # √(2 · 4 min · 8 h) = 62 min, and 30 min is 0.48 of it
    assert asked.right_at({TAU: asked.givens[TAU] * 2}) == 1
    assert asked.right_at({TAU: asked.givens[TAU] * 4}) == 2


def test_words_carry_the_numbers_of_a_state():
    asked = question(OFTEN, FINE, RARE)
    assert asked.text(0) == ("30\u202fmin is too often", "the optimum is 62.0\u202fmin")
    assert asked.text(0, {C: asked.givens[C] / 4})[1] == "the optimum is 31.0\u202fmin"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((OFTEN, RARE), "0 right options (none)"),  # a gap where the interval is fine
        ((OFTEN, FINE, RARE, Option("near", TAU < BEST, "", "near")), "2 right options"),
        ((OFTEN,), "two options or more"),
        ((OFTEN, FINE, Option("{best_of_all}", RARE.correct_if, "", "slot")), "has the slot {best_of_all}"),
        ((OFTEN, FINE, Option("odd", sympy.Symbol("z", positive=True) > 1, "", "odd")), "z"),
    ],
    ids=["gap", "overlap", "single", "slot", "letter"],
)
def test_question_without_exactly_one_right_option_is_objected_to(options, words):
    assert words in first_issue(question, *options)


def test_question_and_lab_that_work_are_not():
    assert first_issue(question, OFTEN, FINE, RARE) == first_issue(lab) == ""


def test_state_without_a_right_option_is_found_where_only_some_sliders_reach_it():
    shy = Option("fine", (10 * TAU >= 7 * BEST) & (TAU <= BEST), "", "shy")
    assert "0 right options (none) at M = " in first_issue(question, OFTEN, shy, RARE)


def test_unknown_purpose_is_refused():
    with expect_error(DeclarationError, code="not-a-choice", got="quiz", expected="two options", place=False):
        question(OFTEN, FINE, RARE, purpose="quiz")


@pytest.mark.parametrize(("key", "words"), [("", "option C has no `key`"), ("fine", "the key `fine` is used twice")])
def test_option_needs_a_key_of_its_own(key, words):
    assert words in first_issue(question, OFTEN, FINE, replace(RARE, key=key))


def test_option_is_found_by_its_key_and_in_old_ledgers_by_its_place():
    asked = question(OFTEN, FINE, RARE)
    assert [asked.place("fine", None), asked.place(None, 0), asked.place(None, 2)] == [1, 0, 2]
    for key, index in (("gone", 0), (None, 3), (None, "1"), (None, True)):
        with expect_error(ArgumentError, code="not-a-choice", place=False):
            asked.place(key, index)


def test_question_needs_its_own_givens_alone():
    asked = question(OFTEN, FINE, RARE, calculator=None, given={M: "8 h", C: "4 min", TAU: "60 min"})
    assert asked.right == 1


named_question = question(OFTEN, FINE, RARE)  # what goes to a page needs a name


def test_spec_names_a_function_for_each_option():
    spec = named_question.spec()
    assert [option["when"].partition("#")[2] for option in spec["options"]] == ["0", "1", "2"]
    assert all(option["when"].startswith(f"{named_question.address}#") for option in spec["options"])
    assert spec["givens"]["M"] == {"value": 28800, "unit": "h", "factor": 3600}


def lab(**more):
    stated = {"parts": (named_question, CALCULATOR), "contexts": {"small": Context("Small", "…", {M: "8 h"})}}
    return Lab("A lab", **{**stated, **more})


named_lab = lab()


def test_lab_tells_the_browser_what_a_context_sets():
    assert named_lab.spec()["contexts"][0]["sets"] == {"young_daly.explorer": {"M": 8}}


def test_outcome_is_computed_at_the_opening_state():
    assert Outcome("optimum", CALCULATOR, INTERVAL, "min").text() == "62.0\u202fmin"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"contexts": {"far": Context("Far", "…", {M: "9000 h"})}}, "M cannot be 9000 h"),
        ({"contexts": {"odd": Context("Odd", "…", {INTERVAL.lhs: "1 s"})}}, "no calculator has the input tau_Y"),
        ({"outcomes": (Outcome("cluster", CALCULATOR, find("reliability.mtbf_of_kind"), "h"),)}, "has no input"),
        ({"parts": (INTERVAL,)}, "cannot be part of a lab"),
    ],
    ids=["out of range", "off the slider", "outcome", "part"],
)
def test_lab_that_could_not_work_is_objected_to(changed, words):
    assert words in first_issue(lab, **changed)


def test_unit_of_a_given_is_written_as_in_the_rest_of_the_page():
    assert find("lab_scale_illusion.path_guess").spec()["givens"]["K"]["unit"] == "USD/gpu"


# ---------------------------------------------------------------- those of the book, at many states

FOLLOWING = [each for _, each in current_library.walk() if isinstance(each, Question) and each.calculator]
LABS = [each for _, each in current_library.walk() if isinstance(each, Lab)]


@pytest.mark.slow
@pytest.mark.parametrize("asked", FOLLOWING, ids=lambda asked: asked.address)
def test_exactly_one_option_is_right_at_five_hundred_states(asked):
    """By seed 1: the states that are tried when the book is built are others."""
    for state in asked.calculator.states(501, seed=1):
        found = [i for i, truth in enumerate(asked.truths) if asked._holds(truth, {**asked.givens, **state})]
        assert len(found) == 1, (found, {v.name: str(x) for v, x in state.items()})


def context_states(asked):
    """Yield the states of a question's calculator in every context of the labs that ask it."""
    for lab in LABS:
        for context in lab.contexts.values() if asked in lab.parts else ():
            own = {v: units.quantity(x, v.name) for v, x in context.sets.items() if v in asked.givens}
            yield {**asked.givens, **own}


FURTHER = [pytest.param(asked, marks=pytest.mark.exhaustive) for asked in FOLLOWING[1:]]


@pytest.mark.parametrize("asked", [*FOLLOWING[:1], *FURTHER], ids=lambda asked: asked.address)
def test_options_differ_in_every_context(asked):
    for state in context_states(asked):
        words = [asked.text(index, state)[0] for index in range(len(asked.options))]
        assert len(set(words)) == len(words), words


# ---------------------------------------------------------------- borders of the book's own answers


def test_a_date_is_signed_for_with_a_tenth_in_reserve():
    """A twentieth is less than three of four published runs lost besides their steps and failures."""
    asked, t = find("lab_full_stack.decision"), find("training.t")
    run = find("lab_full_stack.run").evaluate({v: asked.givens[v] for v in find("lab_full_stack.run").inputs})[0]
    assert [asked.right_at({t: run / share}) for share in (0.895, 0.905)] == [0, 1]


def test_water_is_worth_naming_from_a_tenth_of_the_towers_on():
    asked, plant = find("lab_full_stack.water_where"), find("energy.w_g")
    towers, overhead = asked.givens[find("energy.WUE")], asked.givens[find("energy.PUE")]
    shares = [towers * share / overhead for share in (0.095, 0.105, 0.995, 1.005)]
    assert [asked.right_at({plant: share}) for share in shares] == [0, 1, 1, 2]
