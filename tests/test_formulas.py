"""Protects formulas: what they state, how arguments go in, and that turning them round gives them back."""

import dataclasses
import gc

import numpy as np
import pytest
from error_assertions import expect_error
from sample_formulas import A, C, M, N, P, V, W, b, cluster, d, interval, m, tau, transfer, w, waste, x
from sympy import Integer, Max, Min, exp, sqrt

import mathcore
from mathcore import (
    ArgumentError,
    DeclarationError,
    Derivation,
    DimensionError,
    Example,
    Fact,
    Formula,
    Quantity,
    Variable,
    find,
    formulas,
    quantity,
)

growth = Formula(M, tau * exp(C / tau), assumptions="at a constant rate", convention="seconds")
roof = Formula(A, W / Max(W / P, V / b))


# ---------------------------------------------------------------- what is stated


@pytest.mark.parametrize(
    ("stated", "error", "fields"),
    [
        ({"kind": "guess"}, DeclarationError, dict(code="not-a-choice", got="guess", expected="model, derived")),
        ({"lhs": 2 * tau}, DeclarationError, dict(code="wrong-type", got="2*tau", expected="a Variable")),
        ({"kind": "derived"}, DeclarationError, dict(code="inconsistent", hint="derive it, or call it a model")),
        ({"rhs": C + w}, DimensionError, dict(code="dimension")),
        ({"rhs": 0.5 * C}, DeclarationError, dict(code="not-exact", hint="Rational(1, 10)")),
    ],
)
def test_invalid_statement_is_refused(stated, error, fields):
    stated = {"lhs": tau, "rhs": sqrt(2 * C * M), **stated}
    with expect_error(error, **fields):
        Formula(**stated)


def test_formula_that_defines_a_symbol_by_itself_is_refused():
    with expect_error(DeclarationError, "d = V/b + d", code="circular", hint="solve it for d"):
        Formula(d, d + V / b)
    chain = Derivation.start(d, V / (x * b), "x disks").apply({b: transfer.solve_for("b")}, "what one disk has")
    with expect_error(DeclarationError, "d = d/x", code="circular"):
        chain.formula()


def test_symbol_of_the_left_side_that_cancels_is_no_definition_by_itself():
    same = Formula(x, x * mathcore.Max(w / x, w**2 / x))
    assert (
        x in same.rhs.free_symbols
        and same.evaluate(w="3", x="7")[0].magnitude == same.evaluate(w="3", x="8")[0].magnitude == 9
    )


@pytest.mark.parametrize(
    ("stated", "fields"),
    [
        ({"domain": "C > M"}, dict(code="relation", got="C", hint="without quotes")),
        ({"domain": ("C > M",)}, dict(code="relation", got="C > M")),
        ({"domain": C < M}, dict(code="wrong-type", expected="`domain=(C < M,)`")),
        ({"validity": (C < M,)}, dict(code="wrong-type", expected='validity=((C < M / 8, "what happens outside"),)')),
        ({"validity": (C < M, "too long")}, dict(code="wrong-type")),
    ],
)
def test_condition_that_is_none_is_refused(stated, fields):
    with expect_error(DeclarationError, **fields):
        Formula(tau, sqrt(2 * C * M), **stated)


def test_two_symbols_of_one_name_are_refused():
    with expect_error(DeclarationError, "memory time", "time between failures", code="duplicate", got="M"):
        Formula(x, M / Variable("M", "s", "memory time"))


def test_inputs_are_those_of_the_right_side_and_of_its_conditions():
    assert [v.name for v in Formula(tau, sqrt(2 * C * M) - C, domain=(C < 2 * M,)).inputs] == ["C", "M"]
    assert [v.name for v in Formula(tau, C + 0 * M, domain=(C < 2 * M,)).inputs] == ["C", "M"]


def test_conditions_are_printed_in_words_and_in_symbols():
    formula = Formula(tau, sqrt(2 * C * M) - C, assumptions="C small against M", domain=(C < 2 * M,))
    assert formula.conditions == ("C small against M", "C < 2 · M")


def test_formula_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        interval.rhs = C


def test_formula_knows_the_line_of_its_author():
    assert Formula(tau, 2 * C).where.startswith("tests/test_formulas.py:")


# ---------------------------------------------------------------- how arguments go in


def test_value_is_that_of_a_pocket_calculator_in_the_unit_of_display():
    found = interval.at(C="4 min", M="8 h")
    assert (found.units, found.magnitude) == (quantity("1 min").units, pytest.approx(61.96773354, rel=1e-9))
    declared, _ = interval.evaluate(C="4 min", M="8 h")
    assert (declared.units, declared.magnitude) == (quantity("1 s").units, pytest.approx(3718.064012, rel=1e-9))


def test_price_is_returned_in_its_display_unit():
    price = find("serving.price").at(c="2.5 USD/(gpu h)", n="8 gpu", v="20000 token/s")
    assert f"{price.units}" == "USD / Mtoken" and price.magnitude == pytest.approx(2.5 * 8 / (20000 * 3600) * 1e6)


@pytest.mark.parametrize(
    "given",
    [
        {"C": "240 s"},
        {"C": Quantity(4, "min")},
        {"C": quantity("4 min")},
        {"C": Fact("4 min", "write", kind="paper", source="daly2006", date="2006")},
        {"C": Example(Formula(tau, 2 * C), {C: "2 min"})},
        {"C": Quantity(240, "s")},
        {"C": Quantity(np.float32(240), "s")},
        {"C": Quantity(np.int64(240), "s")},
    ],
    ids=lambda g: type(g["C"]).__name__,
)
def test_argument_may_be_a_text_a_quantity_or_a_statement(given):
    assert interval.at(**given, M="8 h").m_as("s") == pytest.approx(3718.064012, rel=1e-9)


def test_arguments_may_come_as_a_mapping_of_symbols():
    assert interval.at({C: "4 min"}, M="8 h") == interval.at({C: "4 min", M: "8 h"}) == interval.at(C="4 min", M="8 h")


def test_argument_without_a_name_is_refused():
    with expect_error(ArgumentError, code="positional-argument", got="'4 min'", hint="write C='4 min'"):
        interval.at("4 min", M="8 h")


def test_arrays_of_any_unit_go_in_and_come_out():
    found = interval.at(C=Quantity(np.array([1.0, 4.0, 9.0]), "min"), M="8 h")
    assert found.m_as("min") == pytest.approx([30.98386677, 61.96773354, 92.95160031], rel=1e-9)


def test_arrays_spread_over_each_other_as_in_numpy():
    found = interval.at(C=Quantity(np.array([[60.0], [240.0]]), "s"), M=Quantity(np.array([8.0, 32.0]), "h"))
    assert found.shape == (2, 2)
    assert found[1, 0] == interval.at(C="4 min", M="8 h")


def test_formula_without_inputs_has_its_value():
    assert Formula(w, Integer(1) / 2).at().m_as("") == 0.5


def test_unit_that_is_not_coherent_is_converted_once():
    assert cluster.compiled(200.0, 16384) == pytest.approx(43.9453125, rel=1e-15)


# ---------------------------------------------------------------- turned round


@pytest.mark.parametrize(
    ("formula", "name", "expected"),
    [
        (interval, "C", tau**2 / (2 * M)),
        (interval, "M", tau**2 / (2 * C)),
        (waste, "C", tau * w - tau**2 / (2 * M)),
        (waste, "M", tau**2 / (2 * (tau * w - C))),
        (cluster, "m", M * N),
        (cluster, "N", m / M),
        (transfer, "b", V / d),
    ],
    ids=lambda e: str(e)[:20],
)
def test_solved_formula_is_the_one_found_by_hand(formula, name, expected):
    found = formula.solve_for(name)
    assert (found.rhs - expected).simplify() == 0
    assert (found.lhs.name, found.kind) == (name, "derived")
    assert found.derivation.last.verdict.name == "proved"


def test_solved_formula_keeps_conditions_and_convention():
    found = growth.solve_for("C")
    assert (found.conditions, found.convention) == (("at a constant rate",), "seconds")
    assert found.at(M="2 h", tau="1 h").m_as("h") == pytest.approx(0.693147181, rel=1e-8)


def test_saturating_formula_is_solved():
    """Far out, the share that survives no longer determines the age; that refuses no root."""
    found = find("reliability.aging.weibull_survival").solve_for("t")
    assert found.at(S_W="0.25", beta="0.5", eta="100 h").m_as("h") == pytest.approx(192.1812, rel=1e-6)  # 100·(ln 4)²


def test_solved_formula_keeps_checked_conditions():
    found = Formula(tau, sqrt(2 * C * M) - C, domain=(C < 2 * M,)).solve_for("M")
    assert found.domain == (C < (C + tau) ** 2 / C,)  # noqa: SIM300  a symbol, no constant


@pytest.mark.parametrize(
    ("formula", "name", "why"),
    [
        (waste, "tau", "two intervals give the same waste, one on each side of the least"),
        (Formula(w, (x + 1 / x) / 2), "x", "x and 1/x"),
        (Formula(M, tau * exp(C / tau)), "tau", "both branches of Lambert's function"),
        (Formula(tau, sqrt(2 * C * M) - C, domain=(C < 2 * M,)), "C", "it rises and falls again"),
        (roof, "P", "none: a peak beyond the ridge does not show"),
    ],
    ids=lambda e: str(e)[:30],
)  # fmt: skip
def test_formula_without_a_single_root_is_not_solved(formula, name, why):
    with expect_error(DeclarationError, f"root for {name}", code="no-root"):
        formula.solve_for(name)


def test_unknown_symbol_to_solve_for_is_refused():
    with expect_error(ArgumentError, "sample_formulas.interval", code="unknown-argument", got="c", expected="C, M"):
        interval.solve_for("c")


# ---------------------------------------------------------------- every surface


def test_equation_in_latex():
    assert waste.latex() == r"w = \frac{C}{\tau} + \frac{\tau}{2 M}"


def test_python_text_runs_alone_and_computes_the_same():
    space = {}
    exec(interval.python(), space)
    assert space["interval"](240.0, 28800.0) == interval.compiled(240.0, 28800.0)


def test_browser_text_is_one_function():
    assert Formula(A, Min(P, b * W / V)).javascript() == "function A(b, P, V, W) { return Math.min(P, W*b/V); }"


def test_formulas_that_are_gone_are_forgotten():
    x, y = Variable("x", "", "a share"), Variable("y", "", "another share")
    gc.collect()
    before = len(formulas._formulas)
    stated = [Formula(y, x + number) for number in range(2, 12)]
    assert len(formulas._formulas) == before + 10
    equal_formula = Formula(y, x + 2)
    del stated
    gc.collect()
    assert len(formulas._formulas) == before + 1 and equal_formula in formulas._formulas
