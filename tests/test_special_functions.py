"""Protects the functions that no language brings: their digits, and that three languages agree on them."""

import math
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from page_functions import in_page
from precision import by_quadrature

from mathcore import Formula, Variable, special_arrays
from mathcore.special import FUNCTIONS, gammainc_regularized, log_gamma, neg_inv_lambertw0_minus1, one_plus_lambertw0
from mathcore.symbols import RESERVED

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
a = Variable("a", "", "a shape", low="0.5", high="1000")
x = Variable("x", "", "a value", low="0", high="1000")
n = Variable("n", "", "a count", low="1", high="1000", integer=True)
k = Variable("k", "", "a smaller count", low="0", high="1000", integer=True, zero=True)
y = Variable("y", "", "the result")


def exactly(function, *arguments):
    with mpmath.workdps(40):
        return float(function(*map(mpmath.mpf, arguments)))


@pytest.mark.parametrize("value", [1e-12, 1e-6, 0.01, 1 / 3, 2.0, 29.9, 35.0])
def test_one_plus_lambertw0_keeps_all_digits(value):
    right = exactly(lambda v: 1 + mpmath.lambertw(-mpmath.exp(-1 - v)).real, value)
    assert one_plus_lambertw0(value) == pytest.approx(right, rel=1e-14, abs=0)


@pytest.mark.parametrize("value", [1e-12, 1e-6, 4e-4, 0.01, 1 / 3, 2.0, 29.9, 35.0, 400.0])
def test_odds_of_lambert_keep_all_digits(value):
    right = exactly(lambda v: -1 / mpmath.lambertw(-mpmath.exp(-1 - v)).real - 1, value)
    assert neg_inv_lambertw0_minus1(value) == pytest.approx(right, rel=2e-14 if value < 30 else 2e-13, abs=0)


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.5, 10.0, 100.0, 420.0])
def test_shares_of_gamma_keep_eleven_digits(shape):
    for ratio in (0.01, 0.5, 0.999, 1.0, 1.001, 1.5, 4.0):
        shares_agree(shape, shape * ratio)


def shares_agree(shape, value):
    upper = exactly(lambda s, v: mpmath.gammainc(s, v, mpmath.inf, regularized=True), shape, value)
    lower = exactly(lambda s, v: mpmath.gammainc(s, 0, v, regularized=True), shape, value)
    assert gammainc_regularized(shape, value, 1) == pytest.approx(upper, rel=1e-11, abs=0)
    assert gammainc_regularized(shape, value, 0) == pytest.approx(lower, rel=1e-11, abs=0)


def test_edges_have_values():
    assert (gammainc_regularized(3.0, 0.0, 1), gammainc_regularized(3.0, 0.0, 0)) == (1, 0)
    # far from its middle, a large one lies on one side; term by term that would take hours
    assert (gammainc_regularized(1e18, 9e17, 1), gammainc_regularized(1e18, 9e17, 0)) == (1, 0)
    assert (gammainc_regularized(1e18, 2e18, 1), gammainc_regularized(1e18, 2e18, 0)) == (0, 1)
    assert (log_gamma(0.0), log_gamma(-3.0), log_gamma(171.5)) == (math.inf, math.inf, math.lgamma(171.5))
    assert neg_inv_lambertw0_minus1(0.0) == 0 and neg_inv_lambertw0_minus1(1e4) == math.inf


def test_arrays_have_the_values_of_single_numbers_at_the_edges():
    shapes, values = np.array([[-1.0], [0.0], [0.5], [3.0]]), np.array([-2.0, 0.0, 2.0, 30.0])
    of_arrays = special_arrays.array_functions()["gammainc_regularized"]
    for upper in (0, 1):
        single = [[gammainc_regularized(shape, value, upper) for value in values] for (shape,) in shapes]
        assert of_arrays(shapes, values, upper) == pytest.approx(np.array(single), rel=1e-11, abs=0, nan_ok=True)


CASES = {
    "probability of at most k events": (
        sympy.uppergamma(k + 1, x) / sympy.gamma(k + 1),
        {"k": 7, "x": 5.5},
        lambda k, x: mpmath.gammainc(k + 1, x, mpmath.inf, regularized=True),
    ),
    "lower share": (
        sympy.lowergamma(a, x) / sympy.gamma(a),
        {"a": 2.5, "x": 0.75},
        lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
    ),
    "Poisson": (
        sympy.exp(k * sympy.log(x) - x) / sympy.factorial(k),
        {"k": 200, "x": 180.0},
        lambda k, x: mpmath.exp(k * mpmath.log(x) - x) / mpmath.factorial(k),
    ),
    "binomial": (sympy.binomial(n, k), {"n": 60, "k": 25}, mpmath.binomial),
    "binomial beyond its row": (sympy.binomial(n, k), {"n": 3, "k": 5}, lambda n, k: mpmath.mpf(0)),
    "mean of Weibull": (sympy.gamma(1 + 1 / a), {"a": 0.7}, lambda a: mpmath.gamma(1 + 1 / a)),
    "normal tail": (sympy.erfc(x), {"x": 1.3859}, mpmath.erfc),
    "whole steps": (sympy.floor(x) + sympy.ceiling(x / 2), {"x": 7.3}, lambda x: mpmath.mpf(11)),
    "probability of any failure": (
        1 - (1 - x) ** n,
        {"x": 1e-16, "n": 1000},
        lambda x, n: -mpmath.expm1(n * mpmath.log1p(-x)),
    ),
    "powers of two": (sympy.ceiling(sympy.log(x) / sympy.log(2)), {"x": 512.0}, lambda x: mpmath.mpf(9)),
}


@pytest.mark.parametrize("name", CASES)
def test_python_and_numpy_agree_with_mpmath(name):
    expression, givens, exact = CASES[name]
    formula = Formula(y, expression)
    right = exactly(exact, *(givens[v.name] for v in sorted(formula.inputs, key=lambda v: list(givens).index(v.name))))
    assert formula.evaluate(givens)[0].magnitude == pytest.approx(right, rel=1e-11, abs=1e-300)
    first = formula.inputs[0].name
    arrays = {**givens, first: np.array([givens[first]] * 2)}
    assert list(formula.evaluate(arrays)[0].magnitude) == pytest.approx([right] * 2, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("name", CASES)
def test_copied_python_runs_alone(name):
    expression, givens, _ = CASES[name]
    formula = Formula(y, expression)
    room = {}
    exec(formula.python(), room)
    arguments = [givens[v.name] for v in formula.inputs]
    assert room[formula.title](*arguments) == pytest.approx(formula.evaluate(givens)[0].magnitude, rel=1e-12)


@pytest.mark.node
def test_browser_agrees_with_python():
    formulas = {name: Formula(y, expression) for name, (expression, _, _) in CASES.items()}
    calls = [
        f"({f.javascript()})({', '.join(repr(CASES[name][1][v.name]) for v in f.inputs)})"
        for name, f in formulas.items()
    ]
    right = [f.evaluate(CASES[name][1])[0].magnitude for name, f in formulas.items()]
    assert in_page(f"[{', '.join(calls)}]", ["mc-special.js"]) == pytest.approx(right, rel=1e-11, abs=1e-300)


def test_no_symbol_may_have_the_name_of_a_special_function():
    assert FUNCTIONS.keys() <= RESERVED


FAR = [pytest.param(deviations, marks=pytest.mark.exhaustive) for deviations in (-60, -0.5, 300)]


@pytest.mark.parametrize("deviations", [0, 9, *FAR])
def test_quadrature_of_large_gammas_has_fifty_digits(deviations):
    with mpmath.workdps(60):
        shape = mpmath.mpf(200_000)
        x = shape + deviations * mpmath.sqrt(shape)
        exact = mpmath.gammainc(shape, x)
        assert abs(by_quadrature(shape, x, mpmath.inf) / exact - 1) < mpmath.mpf(10) ** -50
        below = by_quadrature(shape, 0, x)
        assert abs((below + exact) / mpmath.gamma(shape) - 1) < mpmath.mpf(10) ** -50


# from the series to the asymptote, and their borders: sqrt(2y) = 0.03 is y = 0.00045, and 0.1 is 0.005
SPAN = [
    0.0,
    1e-300,
    1e-12,
    4.4e-4,
    4.5e-4,
    4.6e-4,
    4.9e-3,
    5.1e-3,
    *np.geomspace(1e-9, 700, 400),
    29.9,
    30.1,
    707.9,
    708.1,
    1e4,
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_agree_with_scalars(name):
    scalar, array = FUNCTIONS[name], special_arrays.array_functions()[name]
    more = {"gammainc_regularized": (5.0, 1.0)}.get(name, ())  # the share beyond the second argument
    order = (lambda y: (more[0], y, more[1])) if more else lambda y: (y,)
    expected = np.array([scalar(*order(y)) for y in SPAN])
    assert array(*order(np.array(SPAN))) == pytest.approx(expected, rel=1e-13, abs=0)
    square = array(*order(np.array(SPAN[:4]).reshape(2, 2)))
    assert square.shape == (2, 2) and square[1, 1] == pytest.approx(expected[3], rel=1e-13)


def test_series_in_place_of_the_function_is_found(monkeypatch):
    monkeypatch.setattr(special_arrays, "SMALL", 1.0)
    found = special_arrays.array_functions()["one_plus_lambertw0"]([0.4])
    assert found[0] != pytest.approx(one_plus_lambertw0(0.4), rel=1e-13)


@pytest.mark.parametrize("name", ["one_plus_lambertw0", "neg_inv_lambertw0_minus1"])
def test_no_value_stays_none_in_arrays(name):
    found = special_arrays.array_functions()[name]([math.nan, -1.0, 1.0])
    assert np.isnan(found).tolist() == [True, True, False]


def test_arrays_need_no_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    assert special_arrays.array_functions()["erfc"](np.array([1.0])) == pytest.approx([math.erfc(1.0)])
