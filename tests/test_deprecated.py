"""Protects programs written for version 0.1: former names work, and each warns with the name of today."""

import pytest
import sympy

import mathcore
from mathcore import Derivation, Formula, Variable
from mathcore.teaching import Failure

C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
tau, w = Variable("tau", "s", "interval"), Variable("w", "", "waste")
x = Variable("x", "", "share")
waste = Formula(w, C / tau + tau / (2 * M))


def warned(name):
    return pytest.warns(DeprecationWarning, match=rf"`\.?{name}\b.* is called ")


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("when", "assumptions", ("C is small against M",)),
        ("valid", "domain", (C < M,)),
        ("regime", "validity", ((C < M / 8, "too long"),)),
        ("lifts", "drops_assumptions", ("restarts are free",)),
        ("shown", "display_form", sympy.sqrt(2) * sympy.sqrt(C * M)),
    ],
)
def test_fields_of_a_formula(old, new, value):
    with warned(old):
        formula = Formula(tau, sympy.sqrt(2 * C * M), **{old: value})
    assert getattr(formula, new) == value
    with warned(old):
        assert getattr(formula, old) == value
    with warned(old):
        derived = Derivation.start(tau, formula, "the optimum").formula(**{old: value})
    assert getattr(derived, new) == value


def test_display_unit_of_a_variable():
    with warned("shown"):
        variable = Variable("t", "s", "time", shown="min")
    with warned("shown"):
        assert variable.shown == variable.display_unit == "min"


def test_steps_of_a_derivation():
    best = Formula(C, x * tau)
    with warned("use"):
        step = Derivation.start(waste).use({C: x * tau}, "a share of the interval")
    assert step.last.right == x + tau / (2 * M)
    with warned("because"):
        justified = Derivation.start(waste).apply({tau: C / x}, "as defined", because=best)
    assert justified.last.sources == (best,)
    with warned("replacing"):
        solved = Derivation.start(waste).apply(best, "as defined", replacing=tau)
    assert solved.last.right == (x + C / (2 * M * x))
    with warned("to"):
        rewritten = Derivation.start(waste).to((2 * C * M + tau**2) / (2 * M * tau), "one fraction")
    assert rewritten.last.verdict.name == "proved"
    with warned("named"):
        root = Derivation.start(best).solve_for(tau, C / x, "divide", named=M)
    assert root.last.left == M


def test_region_of_an_approximation():
    chain = Derivation.start(w, sympy.sqrt(1 + x), "the model")
    with warned("where_"):
        near = chain.approximate(1 + x / 2, "x is small", within="1/100", where_={x: ("0.001", "0.1")})
    assert near.last.verdict.name == "approximate"


def test_violation_of_a_failure():
    with warned("gap"):
        failure = Failure("Too long", gap=waste, text="", remedies=())
    with warned("gap"):
        assert failure.gap is failure.violation is waste


def test_warning_class():
    with warned("OutOfRegime"):
        assert mathcore.OutOfRegime is mathcore.OutsideValidity
    with pytest.raises(AttributeError, match="'mathcore' has no attribute 'Nothing'"):
        _ = mathcore.Nothing


def test_warning_names_the_line_of_the_caller():
    with pytest.warns(DeprecationWarning) as caught:
        Formula(tau, sympy.sqrt(C * M), when="always")
    assert caught[0].filename == __file__


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match="former name of `assumptions`"):
        Formula(tau, sympy.sqrt(C * M), when="always", assumptions="always")
