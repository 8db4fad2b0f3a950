"""Protects each formula over its range: sign, unit, scalar, array and thirty digits, and what theory says."""

import functools
import math

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from points import points
from precision import agree, exactly
from refusals import refused
from statements import cases, chapter, everything, later, middle
from sympy.printing.pycode import PythonCodePrinter

from mathcore import ArgumentError, Formula, Quantity, find, library, units
from mathcore.evaluation import Slow
from mathcore.symbols import One

FAST = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def within(variable):
    """Return the strategy for admissible floats of a variable: its ends, and log-uniform between them."""
    low, high = variable.bounds
    high = high if math.isfinite(high) else max(1e6, 1e6 * low)
    floor = low if low > 0 else high * 1e-9
    share = st.floats(0, 1).map(lambda s: min(high, max(floor, floor * (high / floor) ** s)))
    if low < 0:  # a value beside zero would be lost beside 1, even among sixty digits
        share = st.floats(low, high).map(lambda x: x if abs(x) > 1e-9 * high else 0.0)
    ends = [low] * (low != 0 or not variable.is_positive) + [high]
    drawn = st.one_of(st.sampled_from(ends), share)
    return drawn.map(lambda x: float(max(low, math.floor(x)))) if variable.integer_only else drawn


@functools.cache
def turned(name, letter):
    return find(YD + name).solve_for(letter)


def computable_by_numpy(formula, point):
    """Tell whether the bare function, without any guard, gives a number that may be."""
    with np.errstate(all="ignore"):
        value, *held = Slow(formula)._vector(np)(*map(np.asarray, point))
    return all(held) and math.isfinite(value) and (value >= 0 or formula.lhs.bounds[0] < 0)


@pytest.mark.parametrize("formula", cases(Formula, slow=later))
def test_scalar_array_and_thirty_digits_agree(formula):
    @FAST
    @given(st.tuples(*map(within, formula.inputs)))
    def check(point):
        try:
            found = formula.compiled(*point)
        except ArgumentError as error:
            assert "not together" in str(error) or formula.valid
            assert not computable_by_numpy(formula, point), point
            return
        assert found >= 0 or formula.lhs.bounds[0] < 0
        exact = exactly(formula, point)
        assume(exact is not None)  # a pole of Γ, or mpmath gives up
        assert agree(formula, found, float(exact), point), (point, found, exact)
        if point:
            array = formula.compiled(*(np.array([x, x]) for x in point))
            assert agree(formula, array.flat[0], found, point, 1e-13), (point, found, array)

    check()


def plain(function):
    """Return a function of plain numbers; a quantity with a dimension is refused by pint itself."""

    def called(*arguments):
        numbers = [q.m_as("") if isinstance(q, Quantity) else q for q in arguments]
        return mpmath.re(function(*numbers))  # no float: Γ is soon too large for one

    return called


NAMES = ("exp", "log", "gamma", "loggamma", "erf", "erfc", "floor", "ceil", "factorial", "binomial")
SPACE = {name: plain(getattr(mpmath, name)) for name in NAMES}
SPACE |= {"LambertW": plain(mpmath.lambertw), "uppergamma": plain(mpmath.gammainc), "Max": max, "Min": min}
SPACE |= {"lowergamma": plain(lambda a, x: mpmath.gammainc(a, 0, x)), "sqrt": lambda q: q**0.5}
PRINTER = PythonCodePrinter(
    {"strict": False, "allow_unknown_functions": True, "fully_qualified_modules": False}
)


def candidates(formula):
    """Yield values for the inputs: amid their ranges, with one nearer to its lower end, then anywhere."""
    for narrowing in (1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6):
        for place in range(len(formula.inputs) + 1):
            yield [middle(v, narrowing if i == place else 1.0) for i, v in enumerate(formula.inputs)]
    yield from points(formula, 100)[0].tolist()


def some_value(formula):
    """Return quantities for the inputs and the value there, if it can be not zero, which has every unit."""
    found = None
    for at in candidates(formula):
        given_ = [Quantity(x, units.unit(v.unit)) for x, v in zip(at, formula.inputs, strict=True)]
        try:
            found = given_, formula.at(dict(zip(formula.inputs, given_, strict=True)))
        except ArgumentError:
            continue
        if found[1].magnitude:
            break
    assert found, f"{formula.address} has no value at any point that was tried"
    return found


@pytest.mark.parametrize("formula", cases(Formula, slow=later))
def test_quantities_alone_give_the_same_value_and_the_declared_unit(formula):
    marks = {one: sympy.Symbol(f"unit_{i}") for i, one in enumerate(sorted(formula.rhs.atoms(One), key=str))}
    letters = {v: sympy.Symbol(f"letter_{i}", positive=True) for i, v in enumerate(formula.inputs)}
    expression = formula.rhs.xreplace({**marks, **letters}).doit()
    arguments = [*letters.values(), *marks.values()]
    function = sympy.lambdify(arguments, expression, [SPACE], printer=PRINTER)
    given_, expected = some_value(formula)
    found = function(*given_, *(Quantity(1, units.unit(one.unit)) for one in marks))
    found = found if isinstance(found, Quantity) else Quantity(found, units.unit(""))
    found = float(found.m_as(units.unit(formula.lhs.unit)))
    # a unit slip is never this small, and plain arithmetic loses the digits that the core keeps
    assert found == pytest.approx(expected.magnitude, rel=1e-6, abs=0)


# ---------------------------------------------------------------- bad input, one argument at a time


def bad(variable):
    """Yield `(kind, value)` for what an argument must refuse; what a plain number may be is left out."""
    low, high = variable.bounds
    unit = units.unit(variable.unit)
    yield from (
        ("NaN", Quantity(math.nan, unit)),
        ("inf", Quantity(math.inf, unit)),
        ("-inf", Quantity(-math.inf, unit)),
    )
    if low >= 0:
        yield "negative", Quantity(-1.0, unit)
        yield "barely negative", Quantity(-5e-324, unit)
    if not variable.admits(0.0):
        yield "zero", Quantity(0.0, unit)
    if low > 0:
        yield "below the range", Quantity(math.nextafter(low, 0), unit)
    if math.isfinite(high):
        yield "above the range", Quantity(math.nextafter(high, math.inf), unit)
    if variable.integer_only:
        yield "no whole number", Quantity(middle(variable) + 0.5, unit)
    wrong = "GB" if variable.dimension != units.unit("GB").dimensionality else "h"
    yield "another dimension", Quantity(middle(variable), units.unit(wrong))
    yield "another dimension as a text", f"{middle(variable)} {wrong}"
    if variable.dimension:
        yield "a bare number", middle(variable)
        yield "a text without a unit", f"{middle(variable)}"
    yield "an array with one bad element", Quantity(np.array([middle(variable), math.nan]), unit)
    yield from (
        ("None", None),
        ("a word", "fast"),
        ("an unknown unit", "4 parsec"),
        ("a list", [1, 2]),
        ("a bool", True),
    )


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * later(n)) for n in library.book.names()]
)
def test_bad_input_never_gives_a_number_and_is_named(name):
    wrong = []
    for address, formula in chapter(name):
        if isinstance(formula, Formula):
            good = {v.name: Quantity(middle(v), units.unit(v.unit)) for v in formula.inputs}
            for variable in formula.inputs:
                for kind, value in bad(variable):
                    try:
                        wrong.append(
                            (address, variable.name, kind, formula.at({**good, variable.name: value}))
                        )
                    except ArgumentError as error:
                        if f"{variable.name} (" not in error.message:
                            wrong.append((address, variable.name, kind, error.message))
    assert wrong == []


def test_bad_inputs_are_many():
    tried = sum(len(list(bad(v))) for _, f in everything(Formula) for v in f.inputs)
    assert tried > 10_000


# ---------------------------------------------------------------- what the theory says


YD = "young_daly."
RISES = {
    "interval": ("C", "M"), "waste_at_optimum": ("C",), "waste": ("C",), "write_share": ("C",),
    "rework_share": ("tau",), "mean_loss": ("tau",), "optimum": ("C", "M"), "cluster_mtbf": ("m",),
    "completion_time": ("C", "R", "T_s"), "segment_time": ("tau", "C", "R"), "restart_time": ("R",),
    "exact_waste": ("C", "R"), "share": ("w_1",), "wasted_bill": ("B", "w_1"), "waste_with_restart": ("R",),
}  # fmt: skip
FALLS = {
    "waste_at_optimum": ("M",), "waste": ("M",), "cluster_mtbf": ("N",), "interval_of_cluster": ("N",),
    "completion_time": ("M",), "segment_time": ("M",), "restart_time": ("M",), "exact_waste": ("M",),
    "shrinkage": ("k",), "write_share": ("tau",),
}  # fmt: skip
CLAIMS = [(n, v, 1) for n, letters in RISES.items() for v in letters]
CLAIMS += [(n, v, -1) for n, letters in FALLS.items() for v in letters]


@pytest.mark.parametrize(("name", "letter", "sign"), CLAIMS, ids=lambda part: str(part))
def test_value_rises_or_falls_as_the_theory_says(name, letter, sign):
    formula = find(YD + name)
    place = [v.name for v in formula.inputs].index(letter)

    @FAST
    @given(st.tuples(*map(within, formula.inputs)), st.floats(1.01, 10))
    def check(point, step):
        further = list(point)
        further[place] = (
            math.floor(point[place] * step) if formula.inputs[place].integer_only else point[place] * step
        )
        assume(formula.inputs[place].admits(further[place]) and further[place] > point[place])
        try:
            here, there = formula.compiled(*point), formula.compiled(*further)
        except ArgumentError:  # beyond what a float can hold
            assume(False)
        assert sign * (there - here) >= -1e-12 * abs(here), (point, further)

    check()


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
    assert value("write_share", C=C, tau=best) == pytest.approx(
        value("rework_share", M=M, tau=best), rel=1e-12
    )


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
@given(seconds(1, 1e4), seconds(1e2, 1e8), st.floats(0.5, 1.5))
def test_exact_optimum_is_the_best_of_all_intervals(C, M, x):
    assume(C < 20 * M)
    best = value("optimum", C=C, M=M)
    assume(1 < best * x < 2.5e6 and best > 1 and best < 2.5e6)
    job = {"C": C, "M": M, "R": 60.0, "T_s": 1e6}
    assert value("completion_time", **job, tau=best * x) >= value("completion_time", **job, tau=best) * (
        1 - 1e-12
    )


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
    ("setting", "tau"), ("restart_time", "R"), ("segment_time", "C"), ("segment_time", "tau"),
    ("completion_time", "T_s"), ("optimum", "C"), ("share", "w_1"), ("wasted_bill", "w_1"),
    ("interval_less_write", "M"), ("shrinkage", "k"), ("exact_waste_free_restart", "C"), ("gain", "D"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "letter"), TURNED, ids=lambda part: part)
def test_solving_gives_back_the_argument(name, letter):
    formula = find(YD + name)
    back = turned(name, letter)
    place = [v.name for v in formula.inputs].index(letter)

    @FAST
    @given(st.tuples(*map(within, formula.inputs)))
    def check(point):
        value = exactly(formula, point)
        nearby = exactly(formula, [x * (1 + 1e-6 * (i == place)) for i, x in enumerate(point)])
        # so far out that even sixty digits do not tell one argument from the next
        assume(value is not None and nearby is not None and abs(nearby - value) > 1e-30 * abs(value))
        at = {formula.lhs: value, **dict(zip(formula.inputs, point, strict=True))}
        found = exactly(back, [at[v] for v in back.inputs])
        assert found is not None and abs(found / point[place] - 1) < 1e-15, (point, found)

    check()


@pytest.mark.parametrize(("name", "letter"), TURNED, ids=lambda part: part)
def test_solved_formula_keeps_its_digits(name, letter):
    formula = find(YD + name)
    back = turned(name, letter)

    @FAST
    @given(st.tuples(*map(within, formula.inputs)))
    def check(point):
        try:
            at = {formula.lhs: formula.compiled(*point), **dict(zip(formula.inputs, point, strict=True))}
            given_back = [at[v] for v in back.inputs]
            found = back.compiled(*given_back)
        except ArgumentError:  # beyond what a float can hold, or beyond the range of the left side
            assume(False)
        exact = exactly(back, given_back)
        assert agree(back, found, float(exact), given_back, 1e-11), (given_back, found, exact)

    check()


def test_claim_that_is_wrong_would_be_found():
    formula = find(YD + "waste")
    with refused(AssertionError, place=False):
        test_value_rises_or_falls_as_the_theory_says("waste", "tau", 1)
    assert formula.inputs
