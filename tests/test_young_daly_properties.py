"""Tests properties of the Young–Daly formulas: monotonicity, optimality and inversion."""

import functools
import itertools
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from points import table
from precision import agree, exactly

from mathcore import ArgumentError, find

FAST = settings(max_examples=25, deadline=None, derandomize=True, database=None)


YD = "young_daly."
RISES = {
    "interval": ("C", "M"), "waste_at_optimum": ("C",), "waste": ("C",), "write_share": ("C",),
    "rework_share": ("tau",), "mean_loss": ("tau",), "optimum": ("C", "M"), "cluster_mtbf": ("m",),
    "completion_time": ("C", "R", "T_s"), "segment_time": ("tau", "C", "R"), "restart_time": ("R",),
    "exact_waste": ("C", "R"), "share": ("w_1",), "wasted_cost": ("B", "w_1"), "waste_with_restart": ("R",),
}  # fmt: skip
FALLS = {
    "waste_at_optimum": ("M",), "waste": ("M",), "cluster_mtbf": ("N",), "interval_of_cluster": ("N",),
    "completion_time": ("M",), "segment_time": ("M",), "restart_time": ("M",), "exact_waste": ("M",),
    "shrinkage": ("k",), "write_share": ("tau",),
}  # fmt: skip
CLAIMS = [(n, v, 1) for n, symbols in RISES.items() for v in symbols]
CLAIMS += [(n, v, -1) for n, symbols in FALLS.items() for v in symbols]


def wrong_directions(name, symbol, sign):
    """Yield the points from which a step up in one symbol moves the value the other way."""
    formula = find(YD + name)
    place = [v.name for v in formula.inputs].index(symbol)
    for point, step in itertools.product(table(formula)[0].tolist(), (1.01, 2, 10)):
        there = [x * step if i == place else x for i, x in enumerate(point)]
        there[place] = math.floor(there[place]) if formula.inputs[place].integer_only else there[place]
        if not formula.inputs[place].admits(there[place]):
            continue
        try:
            rise = formula.compiled(*there) - formula.compiled(*point)
        except ArgumentError:  # beyond what a float can hold
            continue
        if sign * rise < -1e-12 * abs(formula.compiled(*point)):
            yield point, there


@pytest.mark.parametrize(("name", "symbol", "sign"), CLAIMS, ids=lambda part: str(part))
def test_value_rises_or_falls_as_the_theory_says(name, symbol, sign):
    assert list(wrong_directions(name, symbol, sign)) == []


def test_claim_that_is_wrong_is_found():
    assert list(wrong_directions("waste", "tau", 1)) and list(wrong_directions("interval", "M", -1))


def seconds(low, high):
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def value(name, **named):
    formula = find(YD + name)
    return formula.compiled(*(named[v.name] for v in formula.inputs))


@FAST
@given(seconds(1, 1e4), seconds(60, 1e8), seconds(1, 1e6))
def test_no_interval_wastes_less_than_young_says(C, M, tau):
    assert value("waste", C=C, M=M, tau=tau) >= value("waste_at_optimum", C=C, M=M) * (1 - 1e-12)


@FAST
@given(seconds(1, 1e4), seconds(60, 1e8))
def test_both_kinds_of_waste_are_equal_at_the_optimum(C, M):
    best = value("interval", C=C, M=M)
    assert value("write_share", C=C, tau=best) == pytest.approx(value("rework_share", M=M, tau=best), rel=1e-12)


@FAST
@given(st.floats(0.05, 20))
def test_penalty_is_the_same_for_too_often_and_too_rarely(x):
    assert value("penalty", x=x) == pytest.approx(value("penalty", x=1 / x), rel=1e-12)
    assert value("penalty", x=x) >= 1


@FAST
@given(seconds(1, 1e4), seconds(60, 1e8), st.floats(0.05, 20))
def test_penalty_is_what_a_wrong_interval_costs(C, M, x):
    tau = x * value("interval", C=C, M=M)
    assume(1 <= tau <= 2.5e6)
    cost = value("waste", C=C, M=M, tau=tau) / value("waste_at_optimum", C=C, M=M)
    assert value("penalty", x=x) == pytest.approx(cost, rel=1e-9)


@FAST
@given(seconds(1, 1e4), seconds(1e2, 1e8))
def test_exact_optimum_lies_between_young_less_the_write_and_young(C, M):
    assume(C < 2 * M)
    best, young = value("optimum", C=C, M=M), value("interval", C=C, M=M)
    assert young - C <= best * (1 + 1e-12) and best <= young


@FAST
@given(seconds(1, 100), seconds(1e6, 1e9))
def test_daly_and_exact_and_young_meet_when_writes_are_short(C, M):
    best, young = value("optimum", C=C, M=M), value("interval", C=C, M=M)
    small = math.sqrt(2 * C / M)
    assert value("daly", C=C, M=M) == pytest.approx(best, rel=small**3)
    assert young == pytest.approx(best, rel=small)  # the next term of the series is a third of it


@FAST
@given(seconds(1, 1e3), seconds(1e3, 1e8), seconds(10, 1e5))
def test_exact_waste_is_never_below_the_first_order(C, M, tau):
    exact = value("exact_waste_free_restart", C=C, M=M, tau=tau)
    assert exact >= value("waste", C=C, M=M, tau=tau) * (1 - 1e-9) - 1e-12


@FAST
@given(st.integers(1, 10_000), st.integers(1, 1000), seconds(3600, 3.6e8), seconds(1, 1e4))
def test_interval_shrinks_with_the_root_of_the_cluster(N, k, m, C):
    m = max(m / 3600, 1.0)
    one, many = (value("interval_of_cluster", C=C, m=m, N=n) for n in (N, N * k))
    assert many / one == pytest.approx(k**-0.5, rel=1e-12)
    assert value("shrinkage", k=float(k)) == pytest.approx(k**-0.5, rel=1e-12)


# ---------------------------------------------------------------- there and back


TURNED = [
    ("interval", "C"), ("interval", "M"), ("waste_at_optimum", "C"), ("waste_at_optimum", "M"),
    ("waste", "C"), ("waste", "M"), ("write_share", "tau"), ("rework_share", "M"), ("cluster_mtbf", "m"),
    ("interval_ratio", "tau"), ("restart_time", "R"), ("segment_time", "C"), ("segment_time", "tau"),
    ("completion_time", "T_s"), ("optimum", "C"), ("share", "w_1"), ("wasted_cost", "w_1"),
    ("interval_less_write", "M"), ("shrinkage", "k"), ("exact_waste_free_restart", "C"), ("gain", "D"),
]  # fmt: skip


@functools.cache
def turned(name, symbol):
    return find(YD + name).solve_for(symbol)


def not_inverted(name, symbol, back, digits=1e-15):
    """Yield the points at which the value does not lead back to the argument, in many digits or in floats."""
    formula = find(YD + name)
    place = [v.name for v in formula.inputs].index(symbol)
    for point in table(formula)[0].tolist():
        value = exactly(formula, point)
        nearby = exactly(formula, [x * (1 + 1e-6 * (i == place)) for i, x in enumerate(point)])
        # so far out that even sixty digits do not tell one argument from the next
        if value is None or nearby is None or abs(nearby - value) <= 1e-30 * abs(value):
            continue
        at = {formula.lhs: value, **dict(zip(formula.inputs, point, strict=True))}
        found = exactly(back, [at[v] for v in back.inputs])
        if found is None or abs(found / point[place] - 1) >= digits:
            yield point, found
        yield from roughly_lost(back, [float(at[v]) for v in back.inputs])


def roughly_lost(back, given_back):
    try:
        found = back.compiled(*given_back)
    except ArgumentError:  # beyond what a float can hold, or beyond the range of the left side
        return
    exact = exactly(back, given_back)
    if not agree(back, found, float(exact), given_back, 1e-11):
        yield given_back, found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "symbol"), TURNED, ids=lambda part: part)
def test_solving_gives_back_the_argument_with_its_digits(name, symbol):
    assert list(not_inverted(name, symbol, turned(name, symbol))) == []


def test_wrong_way_back_is_found():
    formula = find(YD + "interval")
    C, M = formula.inputs
    wrong = type(formula)(C, formula.lhs**2 / M)
    assert len(list(not_inverted("interval", "C", wrong))) > 20
