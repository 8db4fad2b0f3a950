"""`One`: one unit as a factor of an expression, so that a plain number can become a quantity.

A count times a cost is a quantity: `6 * FLOP / token * N * D`. An extra letter for "one FLOP"
would be an input that nobody can give; `One` has a dimension, the value 1, and is no input.
"""

import sympy

from mathcore import units
from mathcore.errors import DeclarationError, where


class One(sympy.AtomicExpr):
    """State one unit: `FLOP = One("FLOP")`. Only base units, because its value is 1.

    Raises: ArgumentError for an unknown unit; DeclarationError for one that is no base unit.

    >>> FLOP, token = One("FLOP"), One("token")
    >>> (6 * FLOP / token).doit()
    6
    """

    __slots__ = ("unit",)
    is_commutative = is_real = is_finite = is_positive = True
    is_number = False  # or sympy would fold it into the numbers beside it

    def __new__(cls, unit):
        """Check the unit and make the factor."""
        if units.factor(unit) != 1:
            raise DeclarationError(f"`{unit}` is {units.factor(unit)} base units: write that one", where())
        self = super().__new__(cls)
        self.unit = unit
        return self

    def __getnewargs__(self):
        """Carry the unit through copies and pickles."""
        return (self.unit,)

    def _hashable_content(self):
        return (self.unit,)

    def doit(self, **hints):
        """Return the value: what is computed knows no units."""
        return sympy.S.One

    def sort_key(self, order=None):
        """Stand behind all letters of a product."""
        return (9, 0, "One"), (1, (self.unit,)), sympy.S.One.sort_key(), sympy.S.One

    def _latex(self, printer):
        return rf"\,\mathrm{{{self.unit}}}"

    def _sympystr(self, printer):
        return self.unit
