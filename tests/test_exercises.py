"""Tests exercises: the key is computed, mistakes differ, every variant can be solved."""

import types

import pytest
import sample_formulas
from error_assertions import expect_error, first_issue
from mathbook import exercises, solution_notes
from mathbook.elements import element, text_node
from mathbook.exercises import difficulty
from sample_formulas import C, M, d, interval, tau
from sympy import sqrt
from typed_answers import judge_answer

from mathcore import ArgumentError, DeclarationError, Formula, Variable, find, units
from mathcore.errors import ROOT
from mathcore.library import current_library
from mathcore.number_format import spell_unit
from mathcore.teaching import Exercise, Task
from mathcore.teaching.answer_parser import parse_answer
from mathcore.teaching.exercises import ExerciseTable, variant_indices
from mathcore.teaching.open_exercises import OpenExercise
from mathcore.teaching.toml_schema import read_statements
from mathcore.units import unit_name

STATED = {
    "formula": interval,
    "given": {C: "5 min", M: "6 h"},
    "mistakes": {"the 2 was dropped": sqrt(C * M), "half the MTBF": M / 2},
    "title": "The first interval",
    "unit": "min",
    "rtol": 0.01,
    "variants": {C: ("2 min", "8 min"), M: ("4 h", "24 h")},
}
exercise = Exercise(**STATED)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mistakes": {"one": sqrt(C * M)}}, ("declare two common mistakes or more",)),
        ({"mistakes": {"$M/6$": M / 6, "b": M / 2}}, ("mistake `$M/6$`", "contains markup")),
        ({"mistakes": {"a": C * M, "b": M / 2}}, ("mistake `a`", "of dimension time^2")),
        ({"mistakes": {"a": M / 6 + C / 9, "b": M / 2}}, ("mistake `a` of", "within tolerance")),
        ({"mistakes": {"a": M / 6, "b": sqrt(C * M)}}, ("mistake `a`", "(variant 0)")),
        ({"mistakes": {"a": d, "b": M / 2}}, ("also needs d",)),
        ({"mistakes": {"a": 2 * tau, "b": M / 2}}, ("tau = 2*tau defines tau by itself",)),
        ({"mistakes": {"a": M / 3, "b": M / 3 + C / 99}}, ("mistakes `a` and `b`", "(variant 0)")),
        ({"rounding": "half"}, ("rounding `half`", "choose one of down, up, near")),
        ({"unit": "GB"}, ("shown in `GB`",)),
        ({"variants": {tau: ("3 s",)}}, ("tau, which is not given",)),
        ({"variants": {C: ("3 GB",)}}, ("C (time to write)", "cannot convert from 'GB' (information)")),
        ({"given": {C: "5 min", M: "6"}}, ("M (time between failures)", "cannot convert from 'dimensionless'")),
    ],
    ids=range(13),
)  # fmt: skip
def test_ambiguous_exercise_is_rejected(changed, words):
    message = first_issue(Exercise, **{**STATED, **changed})
    assert all(word in message for word in words), message


def test_variant_that_repeats_a_number_is_objected_to():
    repeated = Exercise(**{**STATED, "variants": {C: ("2 min", "300 s")}})
    assert ["the values of C contain one twice" in message for message in repeated.issues()] == [True]


def test_exercise_that_holds_is_not():
    assert first_issue(Exercise, **STATED) == ""


def test_answer_out_of_range_is_objected_to():
    short = Variable("z", "s", "a short time", high="10 s")
    message = first_issue(Exercise, **{**STATED, "formula": Formula(short, sqrt(2 * C * M))})
    assert "the answer of The first interval is 60.0\u202fmin" in message
    assert "z must be more than 0, up to 10\u202fs" in message


def test_mistake_near_the_answer_in_some_variant_only_is_found_too():
    # half the MTBF is 60 min where the MTBF is 2 h, and so is the answer where C is 15 min
    message = first_issue(Exercise, **{**STATED, "variants": {C: ("15 min",), M: ("2 h",)}})
    assert "mistake `half the MTBF`" in message and "(variant " in message


@pytest.mark.parametrize(
    ("given", "verdict", "text"),
    [
        ("60 min", "right", "right"), ("1 h", "right", "right"), ("3600 s", "right", "right"),
        ("59.5 min", "right", "right"), ("42.4 min", "mistake", "the 2 was dropped"),
        ("3 h", "mistake", "half the MTBF"),
        ("60 s", "slip", "60 times too small: seconds and minutes, or minutes and hours, were confused"),
        ("60 h", "slip", "60 times too large: seconds and minutes, or minutes and hours, were confused"),
        ("30 min", "wrong", "it is half the right answer; look for a factor of 2"),
        ("-60 min", "slip", "the sign is wrong"),
        ("6 min", "slip", "ten times too small: a power of ten"), ("75 min", "wrong", "1.25 times too large"),
    ],
)  # fmt: skip
def test_answer_is_judged_with_its_unit(given, verdict, text):
    found = judge_answer(exercise, given)
    assert (found.verdict, found.text) == (verdict, text)


@pytest.mark.parametrize(
    ("given", "code"), [("60", "missing-unit"), ("60 GB", "dimension"), ("an hour", "not-a-number")]
)
def test_answer_that_cannot_be_judged_is_refused(given, code):
    with expect_error(ArgumentError, code=code):
        judge_answer(exercise, given)


@pytest.mark.parametrize("seed", range(12))
def test_variant_judges_by_its_own_numbers(seed):
    givens = exercise.givens_of(seed)
    write, mtbf = (givens[v].m_as("min") for v in (C, M))
    assert write in (5, 2, 8) and mtbf in (360, 240, 1440)
    right = (2 * write * mtbf) ** 0.5
    assert judge_answer(exercise, f"{right} min", seed).verdict == "right"
    assert judge_answer(exercise, f"{(write * mtbf) ** 0.5} min", seed).text == "the 2 was dropped"


def test_seed_zero_is_the_stated_variant():
    assert {v.name: f"{q:~}" for v, q in exercise.givens_of(0).items()} == {"C": "5.0 min", "M": "6.0 h"}


def test_draws_are_those_of_the_published_generator():
    # mulberry32 with seed 1: the first outputs, computed with 32-bit integers by hand
    def mulberry32(state):
        while True:
            state = (state + 0x6D2B79F5) % 2**32
            t = (state ^ state >> 15) * (state | 1) % 2**32
            t = (t ^ (t + (t ^ t >> 7) * (t | 61)) % 2**32) % 2**32
            yield (t ^ t >> 14) / 2**32

    for seed in (1, 7, 2006, 2**32 - 1):
        draws = mulberry32(seed)
        assert variant_indices(seed, [1000] * 5) == [int(next(draws) * 1000) for _ in range(5)]


def test_draws_reach_every_variant():
    assert {tuple(variant_indices(seed, [3, 4])) for seed in range(200)} == {(i, j) for i in range(3) for j in range(4)}


def test_count_is_answered_and_printed_as_an_integer():
    w = Variable("w", "", "intervals in a failure")
    count = Exercise(
        Formula(w, M / C),
        {C: "7 min", M: "6 h"},
        {"a": 3 * M / C, "b": M / (2 * C)},
        title="whole intervals",
        rounding="down",
    )
    assert count.text() == "51" and judge_answer(count, "51").verdict == "right"
    verdicts = [judge_answer(count, text).verdict for text in ("52", "51.4", "50", "154", "25.7")]
    assert verdicts == [
        "slip", "slip", "wrong", "mistake", "mistake",
    ]  # fmt: skip
    assert "51.4" in count.solution() and r"\to 51" in count.solution()


def test_solution_shows_symbols_numbers_and_result():
    lines = exercise.solution().split("\n")
    assert lines[1:5] == [
        r"\tau &= \sqrt{2 C M}",
        r"\\ &= \sqrt{2 \cdot 5\,\mathrm{min} \cdot 6\,\mathrm{h}}",
        r"\\ &= \sqrt{2 \cdot 300\,\mathrm{s} \cdot 21{,}600\,\mathrm{s}}",  # one unit for both
        r"\\ &= 3{,}600\,\mathrm{s} = 60\,\mathrm{min}",
    ]


def test_page_contains_the_givens_and_not_the_key():
    spec = exercise.spec()
    assert spec["givens"]["M"]["values"] == [6.0, 4.0, 24.0]
    assert (spec["givens"]["M"]["unit"], spec["givens"]["M"]["factor"]) == ("h", 3600)
    assert (spec["asked"]["unit"], spec["asked"]["factor"], spec["asked"]["dim"]) == ("min", 60, {"time": 1})
    assert [mistake["label"] for mistake in spec["mistakes"]] == list(STATED["mistakes"])
    assert {"answer", "value", "key"}.isdisjoint(spec) and spec["f"].endswith("#key")


hours = Variable("h", "h", "time in hours")
in_hours = Exercise(**{**STATED, "formula": Formula(hours, 2 * C + M), "mistakes": {"a": C + M, "b": 2 * C}})


def test_page_gets_the_factors_of_a_symbol_that_is_declared_in_a_unit_of_its_own():
    """It is declared in hours of 3600 base units and asked in minutes: a minute is a sixtieth of an hour."""
    asked = in_hours.spec()["asked"]
    assert (asked["unit"], asked["factor"], asked["base"]) == ("min", pytest.approx(1 / 60), 3600)


# ---------------------------------------------------------------- exercises that stand in a file

ROW = """\
[ex_first]
formula = "interval"
title = "The first interval"
given = { C = "5 min | 2 min | 8 min", M = "young_daly.lab_mtbf | 4 h" }
unit = "min"
rtol = 0.01
[ex_first.mistakes]
"the 2 was dropped" = "sqrt(C * M)"
"half of it" = "interval / 2"
"""


def written(folder, row=ROW):
    path = folder / "sample.toml"
    path.write_text(row, encoding="utf-8")
    return read_statements(path, ExerciseTable, "sample").ex_first.build(sample_formulas)


def test_exercise_in_a_file_is_that_of_python(tmp_path):
    found = written(tmp_path)
    assert found.formula is interval and found.where == f"{tmp_path / 'sample.toml'}:1"
    assert found.facts == {M: find("young_daly.lab_mtbf")} and found.rtol == 0.01
    assert found.variants == {C: ("2 min", "8 min"), M: ("4 h",)}
    assert found.mistakes == {"the 2 was dropped": sqrt(C * M), "half of it": sqrt(2 * C * M) / 2}
    assert found.answer.m_as("min") == pytest.approx((2 * 5 * 480) ** 0.5, rel=1e-12)


def test_formula_is_solved_for_its_unknown(tmp_path):
    row = ROW.replace('formula = "interval"', 'formula = "interval"\nsolve_for = "M"')
    row = row.replace("M = ", "tau = ").replace("young_daly.lab_mtbf | 4 h", "62 min | 40 min")
    found = written(tmp_path, row.replace("sqrt(C * M)", "tau**2 / C").replace("interval / 2", "tau / 2"))
    assert found.answer.m_as("min") == pytest.approx(62**2 / (2 * 5), rel=1e-12)


def test_value_of_one_device_is_put_in_for_each(tmp_path):
    power = Variable("p", "W/gpu", "power of a device")
    bill = Variable("b", "W/gpu", "power paid for")
    stated = types.SimpleNamespace(paid=Formula(bill, 2 * power))
    row = ExerciseTable(
        formula="paid",
        title="a bill",
        given={"p": "hardware.h100_tdp"},
        mistakes={"once": "p", "thrice": "3 * p"},
        where="bill.toml:1",
    )
    assert row.build(stated).answer.m_as("W/gpu") == pytest.approx(1400)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('formula = "interval"', 'formula = "intervall"', 1, "unknown name `intervall`; did you mean `interval`?"),
        ('formula = "interval"', 'ask = "interval"', 2, "no `ask`"),
        ("{ C =", "{ K =", 1, "unknown name `K`"),
        (
            "sqrt(C * M)",
            "sqrt(C * X)",
            1,
            "`X` in `sqrt(C * X)` is not understood: write numbers with units as 4[min], "
            "the symbols C, M and names of formulas",
        ),
        ("sqrt(C * M)", "__import__('os')", 1, "is not understood"),
        ("sqrt(C * M)", "C * M", 1, "mistake `the 2 was dropped`"),
        ('"half of it" = "interval / 2"', "", 1, "declare two common mistakes"),
    ],
)
def test_slip_in_a_file_is_named_with_its_line(tmp_path, old, new, line, words):
    assert old in ROW
    with pytest.raises(DeclarationError) as refused:
        written(tmp_path, ROW.replace(old, new))
    assert words in str(refused.value) and str(refused.value).startswith(f"{tmp_path / 'sample.toml'}:{line}: ")


def test_unit_that_nobody_knows_is_objected_to_with_the_line(tmp_path):
    (issue,) = written(tmp_path, ROW.replace("5 min", "5 mn")).issues()
    assert "mn" in issue and issue.startswith(f"{tmp_path / 'sample.toml'}:1: ")


def test_every_file_is_read_by_the_module_of_its_name():
    stated = {
        ROOT / found.where.rpartition(":")[0] for _, found in current_library.walk() if isinstance(found, Exercise)
    }
    open_ones = {*current_library.path("").glob("*/open_exercises.toml")}
    assert {*current_library.path("").glob("*/*exercises.toml")} - open_ones == stated


# ---------------------------------------------------------------- difficulty


def test_every_example_of_an_answer_can_be_read():
    for _, case in current_library.walk():
        if isinstance(case, Exercise):
            typed = f"1.5 {spell_unit(unit_name(case.answer))}".strip()
            assert units.match_dimension(parse_answer(typed), case.answer, case.title).m_as(
                case.answer.units
            ) == pytest.approx(1.5)


def test_difficulty_follows_the_stated_rule():
    """A root or a product of many factors is one formula; a quadratic equation or another symbol takes steps more."""
    assert difficulty(find("young_daly.ex_interval")) == 1
    assert difficulty(find("serving.ex_cache")) == 1  # 2 · layers · heads · width · bytes
    assert difficulty(find("goodput.ettr.ex_devices")) == 2  # the root of a quadratic equation, of three givens
    assert difficulty(find("audit.ex_memory")) == 2  # ten givens
    solved = find("young_daly.ex_storage")
    assert solution_notes.stated_formula(solved.formula) is not solved.formula and difficulty(solved) == 2


def test_only_problems_that_no_substitution_answers_have_the_highest_difficulty():
    graded = [each for _, each in current_library.walk() if isinstance(each, Exercise | Task | OpenExercise)]
    hardest = [each for each in graded if difficulty(each) == 3]
    assert len(hardest) >= 60 and all(isinstance(each, OpenExercise) for each in hardest)
    assert {1, 2} <= {difficulty(each) for each in graded if isinstance(each, Exercise)}


# ---------------------------------------------------------------- hints


class Plain:
    """What hints need of a page: inline text as it is, and no equation numbers."""

    domain = types.SimpleNamespace(home_pages={})

    @staticmethod
    def inline(text, symbols=()):
        return [text_node(text)]


def rungs(case, *own):
    """Return the texts of the hints of an exercise with those of its author."""
    hints = exercises._hint_contents(Plain, case, [element("div", "", text_node(text)) for text in own])
    return ["".join(node.astext() for node in hint) for hint in hints]


def test_every_computed_exercise_has_three_rungs_of_hints():
    for _, case in current_library.walk():
        if isinstance(case, Exercise):
            concept, set_up, formula = rungs(case)
            assert case.formula.lhs.meaning in concept and case.formula.lhs.tex in formula
            assert all(variable.meaning in set_up for variable in case.givens)


def test_hint_of_the_author_takes_the_place_of_the_rung():
    case = find("young_daly.ex_interval")
    assert rungs(case, "my concept") == ["my concept", *rungs(case)[1:]]
    assert rungs(case, "a", "b", "c") == ["a", "b", "c"]
