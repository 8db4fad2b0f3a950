"""`Variable`: a sympy symbol that knows its unit, its meaning and its admissible range.

Rules: every variable is real and, unless its range says otherwise, positive, so that sympy may
take roots and logarithms; two variables are equal only if all that is stated of them agrees,
because sympy's cache hands out whichever of two equal symbols came first; a name is a Python and
JavaScript identifier, because it becomes an argument of the generated functions.
"""

import keyword
import math

import sympy

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.formatting import natural_unit, quantity_text

# What no JavaScript argument may be called; one text, because a list would fill a page.
_JAVASCRIPT = """abstract arguments await boolean break byte case catch char class const continue debugger
    default delete do double else enum eval export extends false final finally float for function goto if
    implements import in instanceof int interface let long mc native new null package private protected
    public return short static super switch synchronized this throw throws transient true try typeof var
    void volatile while with yield"""
# What the generated functions use themselves, in one language or another.
_GENERATED = """Infinity Math NaN abs array ceil erfc exp expm1 floor gamma_share inf lambert_gap log log1p
    log2 log_gamma max maximum min minimum nan pi result slow sqrt undefined"""
RESERVED = frozenset(f"{_JAVASCRIPT} {_GENERATED}".split())


class Variable(sympy.Symbol):
    """State a letter: `Variable("tau", "s", "work between two checkpoints", tex=r"\\tau")`.

    `unit` is the unit in which generated functions take and return the variable, `shown`
    the one in which pages print it (by default the same). `low` and `high` bound what is
    admissible and what the checks sample; both are quantities or texts such as `"1 s"`.
    A lower bound of zero belongs to the range only with `zero=True`.

    Raises: DeclarationError for an empty meaning, a name that is no identifier, an empty range;
    ArgumentError for an unknown unit.

    >>> tau = Variable("tau", "s", "work between two checkpoints", low="1 s", high="30 d")
    >>> tau.name, tau.unit, tau.high
    ('tau', 's', <Quantity(2592000.0, 's')>)
    """

    __slots__ = ("_high", "_low", "_stated", "integer_only", "meaning", "shown", "tex", "unit", "where")

    def __new__(
        cls,
        name,
        unit,
        meaning,
        *,
        tex=None,
        shown=None,
        low=None,
        high=None,
        zero=False,
        integer=False,
    ):
        """Check the statement and make the symbol."""
        place = where()
        _check_words(name, meaning, place)
        lower, upper = (_bound(b, unit, name) for b in (low, high))
        lower = 0.0 if lower is None else lower
        upper = math.inf if upper is None else upper
        if not lower < upper:
            raise DeclarationError(f"variable {name}: the range {low}..{high} is empty", place)
        assumptions = {"real": True, "finite": True}
        assumptions |= _sign(lower, zero) | ({"integer": True} if integer else {})
        self = sympy.Symbol.__xnew__(cls, name, **assumptions)
        self.unit, self.meaning, self.where = unit, meaning, place
        self.tex, self.shown = tex or name, shown or unit
        self._low, self._high, self.integer_only = lower, upper, integer
        self._stated = (low, high)
        if units.unit(self.shown).dimensionality != self.dimension:
            raise DeclarationError(f"variable {name} [{unit}]: shown in `{shown}`, another dimension", place)
        return self

    def __getnewargs_ex__(self):
        """Carry the whole statement through copies and pickles."""
        # As texts: a pickled pint quantity would come back in another registry.
        low, high = (f"{bound!r} {self.unit}" for bound in self.bounds)
        return (self.name, self.unit, self.meaning), {
            "tex": self.tex,
            "shown": self.shown,
            "low": low,
            "high": None if math.isinf(self._high) else high,
            "zero": not self.is_positive and bool(self.is_nonnegative),
            "integer": self.integer_only,
        }

    def __getstate__(self):
        """Leave nothing to restore: `__new__` has rebuilt all."""

    def _hashable_content(self):
        return (*super()._hashable_content(), self.unit, self.tex, self.meaning, self._low, self._high)

    @property
    def symbol(self):
        """Return the bare letter: sympy's code printers ask it of any class called Variable."""
        return sympy.Symbol(self.name, real=True)

    @property
    def low(self):
        """Return the smallest admissible value as a quantity."""
        return units.Quantity(self._low, units.unit(self.unit))

    @property
    def high(self):
        """Return the largest admissible value as a quantity."""
        return units.Quantity(self._high, units.unit(self.unit))

    @property
    def bounds(self):
        """Return `(low, high)` as floats in the declared unit."""
        return self._low, self._high

    @property
    def dimension(self):
        """Return the pint dimensionality of the declared unit."""
        return units.unit(self.unit).dimensionality

    def admits(self, value):
        """Tell whether the float `value`, in the declared unit, is admissible.

        >>> Variable("M", "s", "MTBF").admits(0.0)
        False
        """
        if value == 0 and self.is_positive:
            return False
        return self._low <= value <= self._high and math.isfinite(value)

    def range_text(self):
        """Return the admissible range in words, as errors and tables print it.

        >>> Variable("M", "s", "MTBF").range_text()
        'more than 0\\u202fs'
        """
        least, most = (
            _bound_text(b, s, self.unit) for b, s in zip((self.low, self.high), self._stated, strict=True)
        )
        if math.isinf(self._high):
            return f"more than {least}" if self.is_positive and not self._low else f"at least {least}"
        return f"more than 0, up to {most}" if self._low == 0 and self.is_positive else f"{least} to {most}"


def _bound_text(bound, stated, unit):
    if stated is not None:
        return quantity_text(units.quantity(stated), None, None)  # as the author wrote it: 1 EB, 100 year
    return "" if math.isinf(bound.magnitude) else quantity_text(bound, natural_unit(bound, unit), None)


def _check_words(name, meaning, place):
    if not name.isidentifier() or keyword.iskeyword(name) or name in RESERVED:
        raise DeclarationError(
            f"variable `{name}`: the name becomes a function argument in Python and JavaScript; "
            "choose an identifier that is no reserved word",
            place,
        )
    if not meaning.strip():
        raise DeclarationError(f"variable {name}: say in words what it means", place)


def _bound(value, unit, name):
    if value is None:
        units.unit(unit)
        return None
    given = units.quantity(value, f"a bound of {name}")
    if given.dimensionality != units.unit(unit).dimensionality:
        raise DeclarationError(f"variable {name} [{unit}]: the bound {value} has another dimension", where())
    return float(given.m_as(units.unit(unit)))


def _sign(lower, zero):
    if lower < 0:
        return {}
    return {"nonnegative": True} if zero else {"positive": True}
