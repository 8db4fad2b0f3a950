"""Protects the check of dimensions: it comes before any value and names the two that do not fit."""

import re

import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import C, M, N, P, V, W, b, m, tau, w, x
from sympy import Derivative, Integral, LambertW, Max, Min, Piecewise, Rational, exp, log, sqrt

from mathcore import DeclarationError, DimensionError, Formula, Variable
from mathcore.library import current_library
from mathcore.symbols import dimension, require_same_dimension

TIME, RATE = {"[time]": 1}, {"[computation]": 1, "[time]": -1}
k = sympy.Symbol("k")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sqrt(2 * C * M), TIME),
        (C / tau + tau / (2 * M), {}),
        (W / Max(W / P, V / b), RATE),
        (Min(P, b * W / V), RATE),
        (m / N, {"[time]": 1}),
        (Derivative(C / tau, tau), {"[time]": -1}),
        (Derivative(C / tau, (tau, 2)), {"[time]": -2}),
        (Integral(C / tau, (C, 0, tau)), TIME),
        (M * (1 + LambertW(-exp(-1 - C / M))), TIME),
        (Piecewise((C, C < M), (M, True)), TIME),
        (log(C / M) * M, TIME),
        ((C * M) ** Rational(1, 3), {"[time]": Rational(2, 3)}),
        (x**x, {}),
        (sympy.Integer(2) ** x, {}),
        (sympy.pi * C, TIME),
        (sympy.S.Zero, {}),
        (Piecewise((0, C < M), (M, True)), TIME),
    ],
    ids=str,
)
def test_dimension_of_an_expression(expression, expected):
    assert dimension(expression) == expected


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (C + w, ("terms of `C + w` cannot be combined", "of dimension time", "dimensionless")),
        (C / tau + 1 / M, ("dimensionless", "of dimension 1/time")),
        (exp(-C), ("`-C` in `exp(-C)` is of dimension time", "must be dimensionless")),
        (log(M), ("`M` in `log(M)` is of dimension time", "divide it by something of the same dimension")),
        (x**C, ("`C` in `x**C` is of dimension time",)),
        (C**x, ("`C` is of dimension time", "its power is no fixed number")),
        (Max(P, b), ("terms of `Max(P, b)`", "computation/time", "information/time")),
        (Piecewise((C, w > C), (M, True)), ("`C < w` cannot be compared",)),
        (Piecewise((C, C < M), (w, True)), ("cannot be combined",)),
        (Integral(C, (C, 0, w)), ("a bound of",)),
        (C + k, ("`k` has no unit", "declare it as a Variable")),
        (sympy.Function("g")(C), ("`g(C)` has no known dimension",)),
    ],
    ids=lambda e: str(e)[:40],
)
def test_expression_that_has_no_dimension_is_refused(expression, words):
    with expect_error(DimensionError, *words):
        dimension(expression)


def test_case_left_open_is_refused():
    with expect_error(DeclarationError, code="missing", expected="(…, True)"):
        Formula(tau, Piecewise((C, C < M), (M, C < 2 * M)))


def test_zero_has_every_dimension():
    require_same_dimension(C, sympy.S.Zero, lambda: "here")


def test_sides_of_a_formula_must_fit():
    with expect_error(DimensionError, "tau = C*M", got="of dimension time^2", expected="of dimension time"):
        Formula(tau, C * M)


def test_condition_of_a_formula_must_compare_like_with_like():
    with expect_error(DimensionError, "`w > C` cannot be compared"):
        Formula(tau, C, domain=(w > C,))


def test_computing_and_data_are_no_plain_numbers():
    rate = Variable("r", "1/s", "a rate")
    with expect_error(DimensionError, "of dimension 1/time", "of dimension computation/time"):
        Formula(rate, P)


# As the chapter on ground rules says: these count ranks, which are plain numbers (p − 1 of p wait), the rest `gpu`.
OF_RANKS = {"collectives", "lab_scale_illusion.steps", "parallelism.layouts", "parallelism", "speedup"}
OF_RANKS |= {f"{name}.measured" for name in OF_RANKS}
COUNTED = re.compile(r"(devices|ranks)(?!.* (over|worth)\b)")  # no quotient of two counts
# Ranks by what they are: processes that hold a device each, and those of them whose gradients are added.
EITHER = {"resilience.resumption.n_a"}


def other_dimension(variables):
    """Return the symbols that count devices as nothing else in the book does, with what they are."""
    return {
        address: symbol.unit
        for address, symbol in variables
        if COUNTED.match(symbol.meaning)
        and symbol.unit != "gpu"
        and not (symbol.unit == "" and address.rpartition(".")[0] in OF_RANKS)
        and address not in EITHER
    }


@pytest.mark.slow
def test_devices_have_one_dimension_throughout():
    assert other_dimension((a, found) for a, found in current_library.walk() if isinstance(found, Variable)) == {}


def test_dimensionless_number_of_devices_is_found():
    symbol = Variable("n", "", "devices of the job")
    assert other_dimension([("young_daly.n", symbol)]) == {"young_daly.n": ""}
    assert other_dimension([("speedup.n", symbol)]) == {}
