"""Try every kind of bad input on every argument of a formula: none may give a number.

Each argument in turn is negative, zero, NaN, infinite, out of range, a bare number, of another
dimension, a word, or nothing, while the others stand in the middle of their ranges. The refusal
must be an ArgumentError that names the argument.
"""

import math

from mathcore import units
from mathcore.errors import ArgumentError

WORDS = ("", "fast", "4 parsecs", None)


def bad_values(variable):
    """Yield values that an argument must refuse.

    >>> from mathcore import Variable
    >>> len(list(bad_values(Variable("M", "s", "MTBF", low="1 s", high="9 s"))))
    13
    """
    unit = units.unit(variable.unit)
    low, high = variable.bounds
    outside = (-1.0, 0.0, 10 * high, low - abs(low) / 2 - 1e-9)
    beyond = [value for value in dict.fromkeys(outside) if not variable.admits(value)]
    yield from (units.Quantity(value, unit) for value in (math.nan, math.inf, -math.inf, *beyond))
    yield units.Quantity(_middle(variable), unit * units.unit("USD") ** 2)
    if units.unit(variable.unit).dimensionality:
        yield _middle(variable)
    yield from WORDS


def failures(formula):
    """Return how many bad inputs were tried on a formula, and a message for each that was let in."""
    good = {v.name: units.Quantity(_middle(v), units.unit(v.unit)) for v in formula.inputs}
    tried, let_in = 0, []
    for variable in formula.inputs:
        for value in bad_values(variable):
            tried += 1
            said = _answer(formula, {**good, variable.name: value})
            if not _names(said, variable):
                let_in.append(
                    f"{formula.where}: {formula.address}: {variable.name} = {value!s} gave {said!s:.120}, "
                    f"where an error naming {variable.name} was due"
                )
    return tried, let_in


def _answer(formula, values):
    try:
        return formula.at(values)
    except Exception as error:  # any other error than a refusal is a failure, and is reported
        return error


def _names(said, variable):
    return isinstance(said, ArgumentError) and variable.name in said.message


def _middle(variable):
    """Return an admissible value in the middle of the range, in the declared unit."""
    low, high = variable.bounds
    high = high if math.isfinite(high) else max(1.0, 1e3 * low)
    value = math.sqrt(low * high) if low > 0 else (low + high) / 2
    return float(min(high, max(low, round(value)))) if variable.integer_only else value
