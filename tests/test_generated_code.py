"""Protects generated code: one expression in three languages, no digit lost, no function guessed."""

import math

import mpmath
import numpy as np
import pytest
import sympy
from error_assertions import expect_error
from mathbook.functions import unit_table
from sample_formulas import C, M, N, P, V, W, b, tau, x
from sympy import LambertW, Max, Min, Piecewise, Rational, exp, log, sqrt

from mathcore import DeclarationError, Variable
from mathcore.printing import PRINTERS, to_source
from mathcore.special import FUNCTIONS
from mathcore.units import UNIT_SPELLINGS

y = Variable("y", "", "another number", low="1e-12", high="10")
CASES = {
    sqrt(2 * C * M): ("sqrt(2*C*M)", "sqrt(2*C*M)", "Math.sqrt(2*C*M)"),
    exp(x) - 1: ("expm1(x)", "expm1(x)", "Math.expm1(x)"),
    log(1 + x): ("log1p(x)", "log1p(x)", "Math.log1p(x)"),
    log(1 - y): ("log1p(-y)", "log1p(-y)", "Math.log1p(-y)"),
    log((M + C) / M): ("log1p(C/M)", "log1p(C/M)", "Math.log1p(C/M)"),
    log(exp(x) + y): ("log1p(y + expm1(x))", "log1p(y + expm1(x))", "Math.log1p(y + Math.expm1(x))"),
    Max(W / P, V / b): ("max(W/P, V/b)", "maximum(W/P, V/b)", "Math.max(W/P, V/b)"),
    Min(P, x * P, y * P): ("min(P, P*x, P*y)", "minimum(P, minimum(P*x, P*y))", "Math.min(P, P*x, P*y)"),
    Piecewise((C, C < M), (M, True)): ("((C) if (C < M) else (M))", "where((C < M), C, M)", "((C < M) ? (C) : (M))"),
    1 + LambertW(-exp(-1 - C / M)): (
        "one_plus_lambertw0(C/M)",
        "one_plus_lambertw0(C/M)",
        "mc.one_plus_lambertw0(C/M)",
    ),
    -1 / LambertW(-exp(-1 - C / M)): (
        "neg_inv_lambertw0_minus1(C/M) + 1",
        "neg_inv_lambertw0_minus1(C/M) + 1",
        "mc.neg_inv_lambertw0_minus1(C/M) + 1",
    ),
    x ** Rational(3, 2): ("x**(3/2)", "x**(3/2)", "Math.pow(x, 3/2)"),
}


@pytest.mark.parametrize("expression", CASES, ids=str)
def test_expression_is_written_as_each_language_has_it(expression):
    written = tuple(to_source(expression, language) for language in ("python", "numpy", "javascript"))
    assert written == CASES[expression]


@pytest.mark.parametrize("function", [sympy.besselj(0, x), sympy.zeta(x), sympy.airyai(x), sympy.Function("g")(x)])
@pytest.mark.parametrize("language", PRINTERS)
def test_function_outside_the_list_is_refused(function, language):
    with expect_error(DeclarationError, f"cannot be written in {language}", code="unsupported"):
        to_source(function, language)


@pytest.mark.parametrize("expression", [LambertW(y), LambertW(-y / 20), LambertW(-exp(-1 - y), -1)], ids=str)
@pytest.mark.parametrize("language", PRINTERS)
def test_only_the_first_branch_of_an_exponential_is_written_as_one_plus_lambertw0(expression, language):
    with expect_error(DeclarationError, f"cannot be written in {language}", code="unsupported"):
        to_source(expression, language)


@pytest.mark.parametrize(
    "expression",
    [exp(y) - 1, log(1 + y), 1 + LambertW(-exp(-1 - y)), M * (exp(y) - 1) - 1, (1 - y / 20) ** N, exp(-y) - 1],
    ids=str,
)
def test_small_numbers_keep_their_digits(expression):
    for value in (1e-12, 1e-6, 0.01, 1.0, 9.5):
        keeps_digits(expression, value)


def keeps_digits(expression, value):
    text = to_source(expression, "python")
    at = {"y": value, "M": 1.0, "N": 1000, "C": 1.0}
    found = eval(text, {**vars(math), **FUNCTIONS}, at)
    with mpmath.workdps(60):
        exact = sympy.lambdify([y, M, N], expression, "mpmath")(mpmath.mpf(value), mpmath.mpf(1), 1000)
        scale = max(abs(exact), 1) if expression.is_Add and not text.startswith(("exp", "lam", "log")) else abs(exact)
        assert abs(found - exact) <= 1e-14 * scale


def test_conditions_joined_by_and_or_not_work_on_arrays():
    both = Piecewise((x, (x < 1) & (y > 2)), (y, (x > 50) | sympy.Not(y < 5)), (x * y, True))
    arrays = {"x": np.array([0.5, 60.0, 2.0, 2.0]), "y": np.array([3.0, 1.0, 7.0, 3.0])}
    found = eval(to_source(both, "numpy"), {**vars(np)}, arrays)
    assert list(found) == [0.5, 1.0, 7.0, 6.0]


def test_code_is_one_line():
    case = Piecewise((C, tau > C), (M, tau > M), (tau, True))
    assert not any("\n" in to_source(case, language) for language in PRINTERS)


# ---------------------------------------------------------------- units for the browser


def test_browser_gets_every_spelling_and_no_other():
    assert set(unit_table()) == {*UNIT_SPELLINGS, "%"}


@pytest.mark.parametrize(
    ("name", "dimension", "factor"),
    [
        ("min", {"time": 1}, 60), ("GB", {"information": 1}, 1e9), ("W", {"energy": 1, "time": -1}, 1),
        ("%", {}, 0.01), ("Gbit", {"information": 1}, 1.25e8), ("GiB", {"information": 1}, 2**30),
        ("kWh", {"energy": 1}, 3.6e6),
    ],
)  # fmt: skip
def test_unit_for_the_browser_has_dimension_and_factor(name, dimension, factor):
    assert unit_table()[name] == {"dim": dimension, "factor": factor}
