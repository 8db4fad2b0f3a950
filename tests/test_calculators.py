"""Protects calculators: what is drawn is a formula, what slides is admissible, the rest is refused at once."""

import json

import pytest
from error_assertions import expect_error, first_issue
from sample_formulas import C, M, N, V, b, d, interval, tau, w, waste, x
from sympy import Piecewise, besselj

from mathcore import DeclarationError, Formula, find
from mathcore.teaching import (
    Axis,
    Bands,
    Bars,
    Calculator,
    Card,
    Chart,
    Choice,
    Curve,
    Failure,
    Level,
    Marker,
    Remedy,
    Row,
    Slider,
    Substituted,
)

MTBF = Slider(M, "h", 1, 100, 1, 8)
WRITE = Slider(C, "min", 0.5, 30, 0.5, 4)
STATED = {
    "title": "Where?",
    "sliders": (MTBF, WRITE),
    "x": Axis(tau, "min", 1, 180),
    "y": Axis(w, "%", 0, None),
    "curves": (Curve("total", waste, "total"),),
    "markers": (Marker("optimum", interval, waste),),
    "rows": (Row("total", waste, "%"),),
    "columns": {"yours": tau, "Young": interval},
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sliders": (Slider(M, "h", 1, 100, 1, 800), WRITE)}, ("slider M has the default 800 outside 1..100",)),
        ({"sliders": (Slider(M, "h", 1, 100, 2, 8), WRITE)}, ("no step of 2 from 1 reaches 8",)),
        (
            {"sliders": (Slider(M, "min", 0.5, 100, 0.5, 8), WRITE)},
            ("outside the admissible 1\u202fmin to 10\u202fyears",),
        ),
        ({"sliders": (Slider(M, "GB", 1, 100, 1, 8), WRITE)}, ("M (time between failures) cannot be shown in `GB`",)),
        ({"sliders": (MTBF,)}, ("no slider gives C of w",)),
        ({"x": Axis(tau, "GB", 1, 180)}, ("tau (work between checkpoints) cannot be shown in `GB`",)),
        ({"y": Axis(w, "s", 0, None)}, ("w (waste) cannot be shown in `s`", "dimensionless")),
        ({"rows": (Row("total", waste, "min"),)}, ("w (waste) cannot be shown in `min`",)),
        (
            {"curves": (Curve("odd", Formula(w, besselj(1, C / M))),)},
            ("cannot be written in javascript", "closed list"),
        ),
    ],
    ids=range(9),
)
def test_calculator_that_could_not_work_is_objected_to(changed, words):
    message = first_issue(Calculator, **{**STATED, **changed})
    assert all(word in message for word in words), message


def test_calculator_that_works_is_not():
    assert first_issue(Calculator, **STATED) == ""


@pytest.mark.parametrize(
    ("edges", "labels", "severities"),
    [((0.7, 1.4), ("a", "b"), ("good", "bad")), ((0.7,), ("a", "b"), ("good",)), ((1.4, 0.7), "abc", "abc")],
)
def test_bands_that_do_not_fit_their_edges_are_refused(edges, labels, severities):
    with expect_error(DeclarationError, "labels and severities", code="shape"):
        Bands(waste, edges, labels, severities, interval)


BANDS = Bands(waste, (0.1,), ("good", "bad"), ("good", "bad"), template="{value} of the time: {label}")
rule = Formula(tau, Piecewise((C, C < M), (M, True)))
plain = Calculator(**STATED)  # what goes to a page needs a name
banded = Calculator(**{**STATED, "bands": BANDS, "lines": (rule,)})


def test_bands_may_have_a_sentence_of_their_own_and_no_scale():
    spec = banded.spec()["bands"]
    assert "scale" not in spec and spec["template"] == "{value} of the time: {label}"


def test_every_formula_is_named_once():
    assert Calculator(**STATED).formulas == [waste, interval]


def test_numbers_for_the_browser_are_in_display_units_with_their_factor():
    first = plain.spec()["inputs"][0]
    assert first == {
        "name": "M", "label": "time between failures", "html": "<i>M</i>", "unit": "h", "factor": 3600,
        "low": 1, "high": 100, "step": 1, "default": 8,
    }  # fmt: skip


def test_calculator_without_a_name_goes_to_no_page():
    with expect_error(DeclarationError, "Calculator", code="no-address"):
        Calculator(**STATED).spec()


def test_slider_of_the_chapter_has_the_ranges_of_the_lab():
    # ranges, steps and defaults as the lab "The Checkpoint Reckoning" states them
    sliders = {s.variable.name: (s.unit, s.low, s.high, s.step, s.default) for s in find("young_daly.explorer").sliders}
    assert sliders == {"M": ("h", 1, 100, 1, 8), "C": ("min", 0.5, 30, 0.5, 4), "tau": ("min", 5, 120, 5, 30)}


def test_spec_names_only_functions_that_the_browser_gets():
    spec = json.dumps(find("young_daly.explorer").spec())
    given = {f.address for f in find("young_daly.explorer").formulas}
    named = {part.split('"')[0] for part in spec.split('"young_daly.')[1:]} - {"explorer"}
    assert {f"young_daly.{name}" for name in named} == given and N not in given


# A write of V at b stalls a share x of its time; it must not take longer than C.
stall = Formula(d, x * V / b)
gap = Formula(w, x * V / b / C - 1)
enough = Formula(b, x * V / C)
DATA = Slider(V, "TB", 0.1, 5, 0.1, 2)
BAND = Slider(b, "GB/s", 50, 2000, 50, 400)
MODE = Choice(x, "", {"all of it": 1, "a tenth": 0.1}, 1)
GRADED = Card("stall", stall, "s", edges=(10,), labels=("short", "long"), severities=("good", "bad"))
MORE = Chart("more", Axis(V, "TB", 0.1, 5), Axis(d, "s", 0, None), (Curve("stall", stall),))
FAILING = Failure("Too long", gap, "{V} take {stall}", (Remedy("buy {to}", b, enough),), {"stall": (stall, "s")})


def with_choice(options, default):
    return Calculator(**{**STATED, "sliders": (MTBF, WRITE, Choice(x, "", options, default))})


PARTS = {
    "sliders": (MTBF, WRITE, DATA, BAND, MODE),
    "cards": (GRADED,),
    "panels": (Bars("stalls", "s", {"now": stall}), MORE),
    "failures": (FAILING,),
    "levels": (Level("budget", interval),),
}
calculator = Calculator(**{**STATED, **PARTS})


def test_parts_of_a_calculator_name_their_formulas_once():
    assert {stall, gap, enough} < set(calculator.formulas)
    assert [each["name"] for each in calculator.spec()["inputs"]] == ["M", "C", "V", "b", "x"]
    assert calculator.spec()["failures"][0]["remedies"][0]["sets"] == "b"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (lambda: with_choice({"one": 1}, 1), ("two options or more",)),
        (lambda: with_choice({"one": 1, "two": 2}, 3), ("has the default 3",)),
        (lambda: with_choice({"one": 1, "far": 1e9}, 1), ("outside the admissible",)),
        (lambda: Card("a", stall, "s", edges=(1,)), ("need 2 labels",)),
        (lambda: Bars("a", "s", {"now": stall}, best="nicest"), ("least, greatest",)),
    ],
    ids=range(5),
)
def test_part_that_could_not_work_is_refused(part, words):
    with expect_error(DeclarationError, *words):
        part()


def test_way_out_needs_an_input_to_move():
    with expect_error(DeclarationError, code="missing"):
        Calculator(**{**STATED, "failures": (FAILING,)})


def test_states_begin_with_the_defaults_and_stay_on_the_steps():
    calculator = Calculator(**{**STATED, "sliders": (MTBF, WRITE, MODE)})
    states = list(calculator.states(50, seed=7))
    assert {v.name: q.magnitude for v, q in states[0].items()} == {"M": 8, "C": 4, "x": 1}
    assert {state[x].magnitude for state in states} == {1, 0.1}
    assert all(1 <= state[M].m_as("h") <= 100 and state[C].m_as("min") % 0.5 == 0 for state in states)


write_time = Formula(C, V / b, assumptions="the store limits")
SIZES = (Slider(V, "GB", 1, 100, 1, 8), Slider(b, "GB/s", 1, 10, 1, 2))
filled = Calculator(
    **{**STATED, "sliders": (MTBF, WRITE, *SIZES)}, lines=(Substituted(interval, {C: (write_time, "s")}),)
)


def test_line_substitutes_results_for_symbols():
    [line] = filled.spec()["lines"]
    assert line["from"] == {"C": {"f": write_time.address, "unit": "s", "factor": 1, "digits": 3}}
    assert line["units"].keys() == {"M"} and write_time in filled.formulas
