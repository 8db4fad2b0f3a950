"""Protects symbols: what a Variable must say, which values it admits, and that a copy is the same symbol."""

import copy
import math
import pickle
import subprocess
import sys

import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import C, M, N, tau

from mathcore import ArgumentError, DeclarationError, Formula, Variable


def test_variable_knows_its_unit_meaning_and_range():
    assert (M.name, M.unit, M.meaning, M.display_unit) == ("M", "s", "time between failures", "h")
    assert (M.low.m_as("s"), M.high.m_as("d")) == (60, 3652.5)


@pytest.mark.parametrize(
    "name", ["1a", "a b", "a-b", "", "lambda", "in", "function", "new", "mc", "pi", "inf", "sqrt", "Math"]
)
def test_name_that_could_be_no_argument_is_refused(name):
    with expect_error(DeclarationError, f"variable `{name}`", code="name", got=name, expected="an identifier"):
        Variable(name, "s", "a time")


@pytest.mark.parametrize(
    ("changed", "error", "fields"),
    [
        ({"meaning": " "}, DeclarationError, dict(code="missing", expected="meaning")),
        ({"unit": "sek"}, ArgumentError, dict(code="unknown-unit", got="sek", hint="did you mean `sec`?")),
        ({"low": "3 GB"}, DeclarationError, dict(code="dimension", got="3 GB", expected="s")),
        ({"low": "3"}, DeclarationError, dict(code="dimension", got="3", expected="s")),
        ({"low": "2 s", "high": "1 s"}, DeclarationError, dict(code="empty-range", got="2 s..1 s")),
        ({"low": "2 s", "high": "2 s"}, DeclarationError, dict(code="empty-range")),
        ({"display_unit": "GB"}, DeclarationError, dict(code="dimension", got="GB", expected="s")),
    ],
)
def test_statement_that_makes_no_sense_is_refused(changed, error, fields):
    stated = {"name": "q", "unit": "s", "meaning": "a time", **changed}
    with expect_error(error, **fields):
        Variable(**stated)


@pytest.mark.parametrize(
    ("stated", "inside", "outside"),
    [
        ({}, [5e-324, 1.0, 1.7e308], [0.0, -1.0, math.inf, math.nan]),
        ({"zero": True}, [0.0, 1.0], [-5e-324, math.nan]),
        ({"low": "1 s", "high": "2 s"}, [1.0, 2.0], [math.nextafter(1, 0), math.nextafter(2, 3)]),
        ({"low": "-2 s", "high": "2 s"}, [-2.0, 0.0, 2.0], [-2.1, 2.1]),
    ],
)
def test_range_admits_its_ends_and_nothing_beyond(stated, inside, outside):
    symbol = Variable("q", "s", "a time", **stated)
    assert all(symbol.admits(value) for value in inside)
    assert not any(symbol.admits(value) for value in outside)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({}, "more than 0\u202fs"),
        ({"low": "0 s", "zero": True}, "at least 0\u202fs"),
        ({"low": "1 min"}, "at least 1\u202fmin"),
        ({"high": "100 year"}, "more than 0, up to 100\u202fyears"),
        ({"low": "1 s", "high": "30 d"}, "1\u202fs to 30\u202fdays"),
    ],
)
def test_range_is_printed_as_stated(stated, words):
    assert Variable("q", "s", "a time", **stated).range_text() == words


@pytest.mark.parametrize(
    ("stated", "positive", "nonnegative"),
    [({}, True, True), ({"zero": True}, None, True), ({"low": "-1 s"}, None, None), ({"low": "1 s"}, True, True)],
)
def test_sympy_assumptions_are_the_sign_alone(stated, positive, nonnegative):
    symbol = Variable("q", "s", "a time", **stated)
    assert (symbol.is_positive, symbol.is_nonnegative, symbol.is_real) == (positive, nonnegative, True)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
@pytest.mark.parametrize("symbol", [C, M, N, tau], ids=str)
def test_copy_is_the_same_symbol(again, symbol):
    copied = again(symbol)
    assert copied == symbol and hash(copied) == hash(symbol) and copied - symbol == 0
    assert (copied.unit, copied.meaning, copied.bounds, copied.display_unit, copied.tex, copied.integer_only) == (
        symbol.unit, symbol.meaning, symbol.bounds, symbol.display_unit, symbol.tex, symbol.integer_only,
    )  # fmt: skip


@pytest.mark.slow
def test_pickle_is_read_in_another_process():
    text = "import pickle, sys; print(pickle.load(sys.stdin.buffer).bounds)"
    result = subprocess.run([sys.executable, "-c", text], input=pickle.dumps(M), capture_output=True, check=True)
    assert result.stdout.decode().strip() == "(60.0, 315576000.0)"


@pytest.mark.parametrize(
    "changed", [{"unit": "h"}, {"meaning": "another"}, {"high": "1 d"}, {"tex": "q_1"}, {"zero": True}]
)
def test_symbols_that_differ_in_anything_stated_never_replace_each_other(changed):
    one = Variable("q", "s", "a time")
    other = Variable(**{"name": "q", "unit": "s", "meaning": "a time", **changed})
    assert one != other
    # sympy caches products by equal arguments: each must come back with its own symbol
    assert [(3 * symbol * C).has(symbol) for symbol in (one, other)] == [True, True]
    assert Formula(Variable("y", other.unit, "twice"), 2 * other).inputs[0] is other


def test_symbol_behaves_in_algebra_as_any_symbol():
    assert sympy.simplify(sympy.sqrt(C**2)) == C
    assert sympy.diff(C / tau + tau / (2 * M), tau) == 1 / (2 * M) - C / tau**2
    assert sympy.solve(tau**2 - 2 * C * M, tau) == [sympy.sqrt(2) * sympy.sqrt(C) * sympy.sqrt(M)]
