"""Protects units in expressions, facts per device, and how logarithms to base two print."""

import pickle

import pytest
import sympy

from mathcore import DeclarationError, Derivation, DimensionError, Formula, One, Variable, find
from mathcore.printing import to_latex, to_source, to_text

FLOP, token = One("FLOP"), One("token")
P = Variable("P", "", "parameters", low="1", high="1e15")
D = Variable("D", "token", "tokens", low="1 token", high="1e15 token")
C = Variable("C", "FLOP", "work")
n = Variable("n", "", "ranks", low="2", high="1000", integer=True)
t = Variable("t", "s", "a time", low="1 s", high="10 s")
T = Variable("T", "s", "a sum of times")
work = Formula(C, 6 * FLOP / token * P * D)


def test_one_unit_gives_a_count_its_dimension_and_is_no_input():
    assert [v.name for v in work.inputs] == ["D", "P"]
    assert work.at(P="1e9", D="2e10 token").m_as("FLOP") == 1.2e20
    assert work.javascript() == "function work(D, P) { return 6*D*P; }"
    with pytest.raises(DimensionError):
        Formula(C, 6 * P * D)


def test_solving_keeps_the_units():
    assert work.solve_for("D").at(C="1.2e20 FLOP", P="1e9").m_as("token") == 2e10


def test_steps_see_its_value():
    derivation = Derivation.start(work).rewrite(
        2 * FLOP / token * P * D * 3, "two passes back", display_form=6 * FLOP / token * P * D
    )
    assert derivation.last.verdict.name == "proved"


def test_it_prints_after_the_symbols_and_survives_a_pickle():
    assert to_latex(work.rhs) == r"\frac{6 D P \,\mathrm{FLOP}}{\,\mathrm{token}}"
    assert to_text(work.rhs) == "6 · {D} · {P}"
    assert pickle.loads(pickle.dumps(work.rhs)) == work.rhs


def test_only_base_units_are_one():
    with pytest.raises(DeclarationError, match="1000000000 base units"):
        One("GB")


def test_a_fact_per_device_keeps_its_address_and_text():
    stated = find("young_daly.llama_time")
    assert stated.per("gpu").value.m_as("d/gpu") == 54
    assert stated.per("gpu").per("h").address == "young_daly.llama_time"


def test_a_fact_per_product_of_units_is_divided_by_each_of_them():
    assert find("hardware.h100_hbm").per("gpu h").value.m_as("GB/gpu/h") == 80


def test_logarithms_to_base_two_print_as_such():
    steps = sympy.log(n) / sympy.log(2)
    assert to_latex(2 * t * steps) == r"2 t \log_2 n"
    assert to_text(steps) == "log₂({n})"
    assert to_source(steps, "javascript") == "Math.log2(n)"


def test_constants_are_numbers_in_every_language():
    for language in ("python", "numpy", "javascript"):
        assert to_source(sympy.EulerGamma * n, language) == "0.5772156649015329*n"


def test_a_sum_has_the_dimension_of_its_terms():
    k = Variable("k", "", "index", low="1", high="1000", integer=True)
    assert Derivation.start(T, sympy.Sum(t / k, (k, 1, n)), "one after another").last.right.has(sympy.Sum)
    with pytest.raises(DimensionError):
        Derivation.start(C, sympy.Sum(t / k, (k, 1, n)), "a time is no work")


def test_a_common_two_is_factored_out():
    ring = Formula(T, (2 * n - 2) * t / n)
    assert ring.latex() == r"T = \frac{2 t \left(n - 1\right)}{n}"
    assert to_text(19 * n - 19) == "19 · ({n} − 1)"
    assert to_latex(6 * n * t + 2 * t) == r"2 t + 6 n t"


def test_a_negative_power_of_e_prints_as_one_fraction():
    assert to_latex(sympy.exp(-((n - 1) ** 2) * t / (2 * T))) == r"e^{- \frac{t \left(n - 1\right)^{2}}{2 T}}"


def test_an_exponent_begins_without_a_minus_that_can_be_avoided():
    share = Variable("g", "", "a share", low="0", high="1")
    assert to_latex(sympy.exp(-(t + T) / t)) == r"e^{- \frac{T + t}{t}}"
    assert to_latex(sympy.exp((1 - share) * n)) == r"e^{n \left(1 - g\right)}"
    assert to_latex(sympy.exp(-1 - n)) == "e^{-1 - n}"


def test_years_and_hours_meet_in_an_exponent():
    rate = Variable("r", "1/year", "a rate", low="0.01 /year", high="1 /year")
    hours = Variable("h", "h", "a time", low="1 h", high="9000 h")
    share = Variable("s", "", "a share")
    formula = Formula(share, 1 - sympy.exp(-rate * hours))
    assert formula.evaluate(r="1 /year", h="8766 h")[0].magnitude == pytest.approx(1 - 2.718281828459045**-1, rel=1e-15)
    assert formula.javascript() == "function s(h, r) { return -Math.expm1(-1/8766*h*r); }"
    where_ = {rate: ("0.01 /year", "1 /year"), hours: ("1 h", "80 h")}
    known = Derivation.start(formula).approximate(rate * hours, "short", within="1/100", region=where_)
    assert known.last.verdict.name == "approximate"


def test_an_exponent_may_hold_an_exponential():
    assert to_source(1 - sympy.exp(-n * sympy.exp(-n)), "python") == "-expm1(-n*exp(-n))"
