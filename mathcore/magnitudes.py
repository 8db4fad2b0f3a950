"""An expression between quantities as one between their numbers, each in the declared unit of its letter."""

from fractions import Fraction

import sympy

from mathcore import units

UNDONE = (sympy.Sum, sympy.Product, sympy.Integral, sympy.Derivative, sympy.Subs, sympy.Limit)
EXTREMES = (sympy.Max, sympy.Min)


def coherent(expression, lhs, inputs):
    """Return an expression, or a relation, between numbers in the declared units of its letters."""
    expression = expression.doit() if expression.has(*UNDONE) else expression
    expression = _between_numbers(expression, {v: v * _exact(v.unit) for v in inputs})
    return expression if lhs is None else expression / _exact(lhs.unit)


def _between_numbers(expression, known):
    """Put numbers for letters and units; extremes stay as they are, for sympy would compare every pair."""
    if expression not in known:
        parts = [_between_numbers(part, known) for part in expression.args]
        options = {"evaluate": False} if expression.func in EXTREMES else {}
        known[expression] = expression.func(*parts, **options) if parts else expression.doit()
    return known[expression]


def _exact(unit):
    """Return the factor of a unit as a rational: that of `/year` is 1/31557600, not its double."""
    return sympy.Rational(Fraction(units.factor(unit)).limit_denominator(10**15))
