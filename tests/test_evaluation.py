"""Protects evaluation: a number that exists comes out the same by every way in, another never comes out."""

import decimal
import fractions
import math
import warnings

import mpmath
import numpy as np
import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import C, M, cluster, interval, tau, waste
from sympy import LambertW, Piecewise, exp, log, pi, sqrt

from mathcore import ArgumentError, Formula, Quantity, Variable, find
from mathcore.symbols import to_declared_units

u = Variable("u", "", "a share", low="0", high="1", zero=True)
y = Variable("y", "", "a signed result", low="-1e9")
k = Variable("k", "", "a number")
small_write = Formula(tau, sqrt(2 * C * M) - C, domain=(C < 2 * M,))
blow_up = Formula(Variable("T", "s", "a time"), M * exp(tau / M))
gain = Formula(Variable("H", "", "a gain"), 1 / (1 + u) - 1 / (1 + k))
optimum = Formula(tau, M * (1 + LambertW(-exp(-1 - C / M))))
rule = Formula(tau, Piecewise((sqrt(2 * C * M) - C, C < M / 2), (M, True)))


# ---------------------------------------------------------------- one value by every way in


@pytest.mark.parametrize(
    "formula", [interval, waste, cluster, optimum, rule, small_write], ids=lambda f: str(f.rhs)[:20]
)
def test_scalar_array_and_thirty_digits_agree(formula):
    points = admissible_points(formula, 300)
    array = formula.compiled(*points)
    exactly = sympy.lambdify(formula.inputs, to_declared_units(formula.rhs, formula.lhs, formula.inputs), "mpmath")
    for i in range(300):
        point = [float(column[i]) for column in points]
        with mpmath.workdps(30):
            exact = float(mpmath.re(exactly(*map(mpmath.mpf, point))))
        assert formula.compiled(*point) == pytest.approx(exact, rel=1e-13, abs=0)
        assert array[i] == pytest.approx(exact, rel=1e-13, abs=0)


def admissible_points(formula, count):
    source = np.random.default_rng(11)
    spans = [(v.bounds[0], min(v.bounds[1], 1e6 * v.bounds[0])) for v in formula.inputs]
    points = [np.exp(source.uniform(*np.log(span), count)) for span in spans]
    if formula is small_write:  # C < 2 M, and far enough from it to lose no digits
        points[0] = np.minimum(points[0], points[1] / 10)
    return [np.floor(p) if v.integer_only else p for p, v in zip(points, formula.inputs, strict=True)]


def test_number_of_any_kind_is_taken_for_its_value():
    right = 3718.0640123591
    for value in (
        240,
        240.0,
        np.float64(240),
        np.float32(240),
        np.int64(240),
        decimal.Decimal(240),
        fractions.Fraction(240),
    ):
        assert float(interval.compiled(value, 28800)) == pytest.approx(right, rel=1e-12)


def test_whole_numbers_in_an_array_are_numbers():
    assert interval.compiled(np.array([240]), 28800) == pytest.approx([3718.0640123591], rel=1e-12)


def test_empty_array_has_an_empty_result():
    assert interval.compiled(np.array([]), 28800.0).shape == (0,)


def test_each_branch_is_taken_where_its_condition_holds():
    assert rule.compiled(np.array([120.0, 50.0, 49.0]), 100.0) == pytest.approx([100.0, 100.0, 49.9949494])
    assert [rule.compiled(c, 100.0) for c in (120.0, 50.0)] == [100.0, 100.0]


def test_small_difference_keeps_its_digits():
    # x − ln(1 + x) is x²/2 − x³/3 for small x; naive exp and log would keep none of it
    growth = Formula(y, exp(u) - 1)
    assert growth.compiled(1e-12) == pytest.approx(1e-12, rel=1e-11)
    assert Formula(y, log(1 + u)).compiled(1e-12) == pytest.approx(1e-12, rel=1e-11)
    assert optimum.compiled(1.0, 3e8) == pytest.approx(24494.23, rel=1e-6)


@pytest.mark.parametrize("make", [float, lambda v: np.array([v])], ids=["scalar", "array"])
def test_step_that_overflows_on_the_way_to_a_finite_value_does_no_harm(make):
    assert Formula(y, 1 / (1 + exp(k))).compiled(make(1000.0)) == 0
    assert Formula(tau, M / (exp(k) - 1)).compiled(make(1000.0), 60.0) == 0


# ---------------------------------------------------------------- what must not come out


@pytest.mark.parametrize("make", [float, lambda v: np.array([v])], ids=["scalar", "array"])
def test_overflow_is_refused_with_the_point(make):
    with expect_error(
        ArgumentError, "T (a time)", code="no-value", got="tau = 20.0\u202fdays", expected="a finite value"
    ):
        blow_up.compiled(make(60.0), 1_728_000.0)


def test_overflow_in_one_element_names_that_element():
    with expect_error(ArgumentError, code="no-value", got="tau = 20.0\u202fdays"):
        blow_up.compiled(60.0, np.array([60.0, 1_728_000.0, 120.0]))


def test_overflow_of_numpy_numbers_warns_nobody():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with expect_error(ArgumentError, code="no-value"):
            Formula(y, k * k * k).compiled(np.float64(1e200))


@pytest.mark.parametrize("make", [float, lambda v: np.array([0.9, v])], ids=["scalar", "array"])
def test_negative_value_of_a_positive_symbol_is_refused(make):
    with expect_error(ArgumentError, "H (a gain)", code="no-value", got="u = 0.500", expected="not negative"):
        gain.compiled(np.array([1.0, 0.25]) if make is not float else 0.25, make(0.5))


def test_symbol_that_may_be_negative_may_be_so():
    assert Formula(y, 1 / (1 + u) - 1 / (1 + k)).compiled(0.25, 0.5) < 0


@pytest.mark.parametrize("make", [float, lambda v: np.array([10.0, v, 20.0])], ids=["scalar", "array"])
def test_point_outside_the_validity_is_refused_with_the_condition(make):
    at = "C = 4.17\u202fmin, M = 2.00\u202fmin"
    with expect_error(ArgumentError, code="outside-domain", got=at, expected="C < 2 · M"):
        small_write.compiled(make(250.0), 120.0)


@pytest.mark.parametrize("value", [1.5, math.nextafter(2, 3)])
def test_device_that_is_no_whole_one_is_refused(value):
    with expect_error(ArgumentError, "N (devices)", code="not-integer", expected="an integer, 1\u202fGPU to"):
        cluster.compiled(200.0, value)


def test_device_that_is_no_whole_one_is_found_amid_an_array():
    with expect_error(ArgumentError, "N (devices)", "at index 1", code="not-integer", got="1.50\u202fGPUs"):
        cluster.compiled(200.0, np.array([1.0, 1.5, 2.0]))


@pytest.mark.parametrize(
    "value",
    [None, "240", 1j, object(), np.array([1j, 2]), np.array(["a"]), np.array([True]), [None, 1.0], [[1.0], [1.0, 2.0]]],
    ids=range(9),
)
def test_what_is_no_real_number_is_refused_by_name(value):
    with expect_error(ArgumentError, "C (time to write) of sample_formulas.interval is ", "no "):
        interval.compiled(value, 28800.0)


def test_whole_number_beyond_all_floats_is_refused():
    with expect_error(ArgumentError, "C (time to write)", code="not-finite", got="inf"):
        interval.compiled(10**400, 28800.0)


@pytest.mark.parametrize("edge", [C.bounds[0], C.bounds[1]])
def test_range_ends_at_the_stated_value(edge):
    beyond = math.nextafter(edge, 0 if edge == C.bounds[0] else math.inf)
    assert interval.compiled(edge, 28800.0) > 0
    with expect_error(ArgumentError, "C (time to write)", code="out-of-range", expected="1\u202fs to 1\u202fday"):
        interval.compiled(beyond, 28800.0)


# ---------------------------------------------------------------- the text to copy


def test_copied_python_needs_nothing_but_python():
    for formula, values in ((optimum, (240.0, 28800.0)), (rule, (50.0, 100.0)), (Formula(y, pi * u), (0.5,))):
        space = {}
        exec(compile(formula.python(), "copied", "exec"), space)
        assert space[formula.title](*values) == formula.compiled(*values)


def test_copied_python_states_units_and_ranges():
    assert "C: time to write [s], 1\u202fs to 1\u202fday" in interval.python()


def test_symbol_named_like_a_constant_stays_a_symbol():
    e = Variable("e", "", "an exponent", high="3")
    assert Formula(y, exp(1) * e).compiled(2.0) == pytest.approx(2 * math.e)
    assert Formula(y, exp(1) * e).at(e=Quantity(np.array([2.0]), "")).m_as("") == pytest.approx([2 * math.e])


whole = Variable("d_w", "", "replicas", integer=True)
ranks = Variable("N_w", "", "devices", integer=True)
tensor = Variable("t_w", "", "degree of tensor parallelism", integer=True)
replicas = Formula(whole, ranks / tensor)


@pytest.mark.parametrize("degree", [7, [8, 7]])
def test_result_that_must_be_an_integer_and_is_none_is_refused(degree):
    with expect_error(
        ArgumentError, "N_w = 256", code="not-integer", got="36.5714", expected="an integer", hint="divide"
    ):
        replicas.at(N_w=256, t_w=degree)


def test_result_that_is_an_integer_but_for_rounding_is_that_integer():
    third = Variable("y_w", "", "a share", low="0.01", high="1")
    part = Formula(whole, ranks * third)
    assert part.at(N_w=3, y_w=1 / 3).m == 1.0
    assert part.at(N_w=49, y_w=1 / 49).m == 1.0 != 49 * (1 / 49)  # in floats
    assert list(part.at(N_w=49, y_w=[1 / 49, 1 / 7]).m) == [1.0, 7.0]


def test_non_integer_degree_of_the_book_is_refused():
    given = dict(N=256, p=1, e=1)
    assert find("parallelism.data_degree").at(t=8, **given).m == 32
    with expect_error(ArgumentError, code="not-integer", got="36.5714", expected="an integer", hint="divide"):
        find("parallelism.data_degree").at(t=7, **given)
    with expect_error(ArgumentError, code="not-integer", got="2.5"):
        find("roofline.even_share").at(B=2.5, D=8192, F=8192, I_r="295 FLOP/B", w="2 B")


def test_equation_solved_for_a_count_gives_any_number():
    # by hand: 1e24 FLOP in 30 days at 40 % of 989 TFLOP/s
    found = find("training.time_of_work").solve_for("n").at(C="1e24 FLOP", P="989 TFLOP/s/gpu", u="40 %", t="30 d")
    assert found.m_as("gpu") == pytest.approx(1e24 / (0.4 * 989e12 * 30 * 86400))
    assert find("audit.levers.devices_needed").lhs.address == "training.n"
