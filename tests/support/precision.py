"""How near two computations of one formula must come: thirty digits to compare with, and what is fair to ask.

Where terms that nearly cancel are subtracted, no computation in floating point keeps the digits that
cancel. There the deviation is judged against the largest term instead of against their difference.
"""

import functools
import math

import mpmath
import sympy
from sympy.codegen.cfunctions import expm1

from mathcore.printing import numerically_stable, to_source
from mathcore.special import FUNCTIONS
from mathcore.symbols import to_declared_units

ARRAYS = 1e-13  # within which arrays agree with scalars
TWELVE = 1e-12
HARDLY = 10**6
FAR = mpmath.mpf(10) ** 1000  # e to the power of such a number is infinite, or nothing, to any computation
STEPS = (0, 1, 3, 6, 12, 24, 48, 96, 200)
DIGITS = 60  # of which thirty are left where terms of 10⁻³⁰ of each other are subtracted


@functools.cache
def many_digits(formula):
    """Return the function of mpmath numbers in declared units."""
    expression = to_declared_units(formula.rhs, formula.lhs, formula.inputs)
    return sympy.lambdify(
        formula.inputs, expression, [{"gammainc": _incomplete, "ceil": _rounded_up, "exp": _exponential}, "mpmath"]
    )


def _exponential(x):
    """Return e^x; of an x whose digits alone would fill a machine, what is left of it beside any other number."""
    if abs(x) > FAR:
        return mpmath.inf if x > 0 else mpmath.mpf(0)
    return mpmath.exp(x)


def _rounded_up(x):
    """Return the next whole number; one that x misses only by rounding, as ln 32/ln 2 misses 5, is x."""
    if abs(x) > mpmath.mpf(10) ** DIGITS:  # its digits end before the decimal point
        return x
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) <= mpmath.mpf(10) ** (10 - DIGITS) * abs(x) else mpmath.ceil(x)


def _incomplete(a, low, high):
    """Return the incomplete Γ; of numbers so large that mpmath would sum for minutes, by quadrature."""
    return mpmath.gammainc(a, low, high) if a <= HARDLY else by_quadrature(a, low, high)


def by_quadrature(a, low, high):
    """Return ∫ tᵃ⁻¹e⁻ᵗ dt, from 0 or to infinity, as a tail beyond the other end or as all but that tail.

    Counted in standard deviations from a, the density falls like a normal one, and s of them out
    at least like exp(−s·z): where `STEPS` end, nothing is left that counts among sixty digits.
    """
    with mpmath.extradps(40):
        width, edge = mpmath.sqrt(a), low or high
        start = (edge - a) / width
        side = 1 if start >= 0 else -1
        ends = [start + side * step / max(mpmath.mpf(1), abs(start)) for step in STEPS]
        ends = sorted({max(s, -width * (1 - mpmath.mpf(10) ** -90)) for s in ends})
        height = (a - 1) * mpmath.log(edge) - edge

        def density(s):  # one at the edge: the quadrature ends when its absolute error is small
            return mpmath.exp((a - 1) * mpmath.log(a + s * width) - (a + s * width) - height)

        tail = width * mpmath.quad(density, ends) * mpmath.exp(height)
        is_tail = (side > 0) == bool(low)
        return tail if is_tail else mpmath.gamma(a) - tail


def exactly(formula, point):
    """Return the value with many digits, or None where there is none."""
    function = many_digits(formula)
    with mpmath.workdps(DIGITS):
        try:
            value = mpmath.mpc(function(*map(mpmath.mpf, point)))
        except (ZeroDivisionError, ValueError, OverflowError, MemoryError, mpmath.libmp.NoConvergence):
            return None
        real = abs(value.imag) <= abs(value.real) * mpmath.mpf(10) ** -30
        return value.real if real and mpmath.isfinite(value.real) else None


@functools.cache
def _steps(formula):
    """Return the function that gives the arguments of all floors and ceilings of a formula."""
    expression = to_declared_units(formula.rhs, formula.lhs, formula.inputs)
    steps = expression.atoms(sympy.floor, sympy.ceiling)
    return sympy.lambdify(formula.inputs, [step.args[0] for step in steps], "mpmath") if steps else None


def at_a_step(formula, point):
    """Return whether a floor or ceiling is so near to an integer that a float rounds to it."""
    if _steps(formula) is None:
        return False
    with mpmath.workdps(DIGITS):
        arguments = _steps(formula)(*map(mpmath.mpf, point))
        return any(0 < abs(x - mpmath.nint(x)) < TWELVE * max(1, abs(x)) for x in arguments)


def agree(formula, found, wanted, point, digits=TWELVE):
    """Return whether two values at a point agree, relative to the value or to the terms it is made of."""
    return distance(formula, found, wanted, point) <= digits


def distance(formula, found, wanted, point):
    """Return by how much two values differ, relative to the value or, where terms cancel, to the largest."""
    apart = abs(found - wanted)
    if apart <= ARRAYS * abs(wanted):  # the usual case: the size of the terms is not needed
        return apart / abs(wanted) if apart else 0.0
    size = max(abs(wanted), largest_term(formula, point))
    return apart / size if size else (math.inf if apart > 1e-290 else 0.0)  # below, a float holds nothing


def largest_term(formula, point):
    """Return the size of the terms that the value of a formula is made of.

    An exponential turns the error of its exponent into its own relative error, and so do the shares
    of Γ, which hold one; a power, that of its base.
    """
    at = {v.name: float(x) for v, x in zip(formula.inputs, point, strict=True)}
    return _scale(_floating(formula), at)


@functools.cache
def _floating(formula):
    return numerically_stable(formula.numeric)


def _scale(expression, at):
    if expression.is_Add:
        return max(_scale(term, at) for term in expression.args)
    if expression.is_Mul:
        return math.prod(_scale(factor, at) for factor in expression.args)
    size = abs(_value(expression, at))
    if isinstance(expression, sympy.exp):
        return size * max(1.0, _scale(expression.args[0], at))
    if isinstance(expression, expm1):
        return max(size, (1 + size) * _scale(expression.args[0], at))
    if expression.is_Pow:
        base, power = (abs(_value(part, at)) for part in expression.args)
        if not base:
            return size
        from_power = abs(math.log(base)) * _scale(expression.exp, at) if expression.exp.free_symbols else 0
        return size * max(1.0, power * _scale(expression.base, at) / base, from_power)
    if expression.func.__name__ == "gammainc_regularized":
        shape, x = (_value(part, at) for part in expression.args[:2])
        return size * max(1.0, x, abs(shape * math.log(x))) if x else size
    return size


def _value(expression, at):
    try:
        return eval(_compiled(expression), {**vars(math), **FUNCTIONS}, at)
    except OverflowError:
        return math.inf


@functools.cache
def _compiled(expression):
    return compile(to_source(expression, "python"), "<a part of a formula>", "eval")
