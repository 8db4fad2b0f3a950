"""A reference for answers that are typed in a page: what they are called, computed in Python.

The declared mistakes of an exercise are tried first, because they follow its formula; then the common slips that the
dimension, or a factor 2 of the formula, admits; then the inverse of a dimensionless number; finally the bare ratio.
A slip is looked for with the tolerance of the answer, since wrong numbers are rounded as right ones are.
`mc.diagnose` in `book/_static/mc-core.js` is held against it.
"""

import functools
import math

from mathcore import units
from mathcore.number_format import number_text
from mathcore.teaching.diagnosis import (
    EXACT,
    POWERS,
    ROUNDINGS,
    SLACK,
    SLIPS,
    Diagnosis,
    accepted_counts,
    factor_of_two,
)

NARROWING = 25  # a ratio's tolerance is at most its logarithm over this: near one, any wrong number would be a slip
ROUNDED = (2, 3)  # significant digits to which a reader may round an answer
FAR = 0.2  # logarithm of a ratio from which on a rounded number shows it: two digits may be 5 % off
PERCENT = ("%", "percent")


def judge_answer(exercise, given, seed=0):
    """Return the Diagnosis of an answer to an exercise, such as `"62 min"`.

    Raises: ArgumentError for a text that is not a quantity, or has another dimension.
    """
    right, unit = exercise.exact_answer(seed), units.unit(exercise.formula.lhs.unit)
    typed = units.match_dimension(given, right, "the answer")
    found, scale = typed.m_as(unit), units.unit_ratio(exercise.formula.lhs.unit, units.unit_name(typed))
    form, two = units.unit_name(right), factor_of_two(exercise.formula.display_form)
    wrong = exercise.wrong_values(seed)
    return diagnose(found, right.m_as(unit), wrong, exercise.rtol, form, exercise.rounding, two, scale)


def diagnose(given, right, mistakes=(), rtol=0.01, unit="", rounding="", two="", scale=0.0):
    """Return the Diagnosis of `given` against `right`, two floats in one unit.

    `mistakes` are `(label, value)` pairs of wrong formulas, already evaluated. The dimension of `unit` selects the
    possible slips; None, for claims whose inputs may have any unit, selects all of them. `rounding` is how a count
    is rounded: down, up or near. `two` is the factor 2 of the formula, as `factor_of_two` returns it. `given * scale`
    is the number as it was typed, in its own unit, where the right one may be rounded to two digits; 0 forbids that.

    >>> diagnose(43.9, 2636.7, unit="s").text
    '60 times too small: seconds and minutes, or minutes and hours, were confused'
    >>> diagnose(57, 56.2, rounding="down").text
    'an integer is required: round down'
    >>> [diagnose(1.1, 1.148, scale=scale).verdict for scale in (1, 0)]
    ['right', 'wrong']
    """
    if not (math.isfinite(given) and math.isfinite(right)):
        return Diagnosis("wrong", "this is not a finite number", math.nan)
    factor = given / right if right else math.nan
    if _is_right(given, right, rtol, rounding):
        return Diagnosis("right", "right", given / right if right else 1.0)
    usual = sorted((abs(given - value), label) for label, value in mistakes if _is_near(given, value, rtol, rounding))
    if usual:
        return Diagnosis("mistake", usual[0][1], given / right if right else math.inf)
    scale = 0.0 if rounding else scale
    if scale and (found := _diagnose_rounded(given * scale, right * scale, [(x, v * scale) for x, v in mistakes])):
        return Diagnosis(*found, factor)
    if rounding and (abs(given - right) < 1 or math.isclose(given, right, rel_tol=rtol)):
        return Diagnosis("slip", f"an integer is required: {ROUNDINGS[rounding]}", factor)
    if right == 0 or given == 0:
        return Diagnosis("wrong", "one of the two is zero, the other is not", math.nan)
    if factor < 0:
        return Diagnosis(*_diagnose_sign(given, right), factor)
    if not 0 < factor < math.inf:
        return Diagnosis("wrong", "the two are out of all proportion", factor)
    return Diagnosis(*_diagnose_ratio(given, right, unit, two, rtol, scale), factor)


def _diagnose_rounded(given, right, mistakes):
    """Return the verdict and the text of a number that is the right one, or that of a mistake, rounded; else None."""
    if is_rounding(given, right):
        return "right", "right"
    return next((("mistake", label) for label, value in mistakes if is_rounding(given, value)), None)


def is_rounding(given, right):
    """Return whether `given` is `right` with two or three significant digits.

    >>> [is_rounding(x, 1.148) for x in (1.1, 1.15, 1.0, 1.2)]
    [True, True, False, False]
    """
    return any(math.isclose(given, float(f"{right:.{digits}g}"), rel_tol=1e-9) for digits in ROUNDED)


def _is_right(given, right, rtol, rounding):
    if not rounding:
        return math.isclose(given, right, rel_tol=rtol)
    least, most = accepted_counts(right, rounding)
    room = rtol * abs(right) if abs(right) >= EXACT else 0.0
    return float(given).is_integer() and least - room <= given <= most + room


def _is_near(given, value, rtol, rounding):
    return math.isclose(given, value, rel_tol=max(rtol, SLACK)) or bool(rounding and abs(given - value) < 1)


def _diagnose_sign(given, right):
    if math.isclose(-given, right, rel_tol=0.02):
        return "slip", "the sign is wrong"
    return "wrong", f"the sign is wrong, and the size too: it is {number_text(abs(given / right))} times the right one"


@functools.cache
def admissible_slips(unit, two=""):
    """Return the pairs of a ratio, wrong to right, and its message that are possible for a number in `unit`.

    >>> len(admissible_slips("")), len(admissible_slips("s", "√2")), len(admissible_slips("GB/s"))
    (0, 8, 16)
    """
    kinds = ("information", "time") if unit is None else [k.strip("[]") for k in units.unit(unit).dimensionality]
    found = ((ratio, large, small) for kind, ratio, large, small in SLIPS if kind in (*kinds, two))
    return tuple(pair for ratio, large, small in found for pair in ((ratio, large), (1 / ratio, small)))


def slip_tolerance(ratio, rtol):
    """Return the relative tolerance within which a wrong number is recognised by its ratio.

    >>> [round(slip_tolerance(ratio, 0.1), 4) for ratio in (1.024, 2, 8, 1000)]
    [0.004, 0.0277, 0.0832, 0.1]
    """
    return max(SLACK, min(rtol, abs(math.log(ratio)) / NARROWING))


def _diagnose_ratio(given, right, unit, two, rtol, scale):
    factor, plain = given / right, unit is None or not units.unit(unit).dimensionality

    def has_ratio(ratio):
        if math.isclose(factor, ratio, rel_tol=slip_tolerance(ratio, rtol)):
            return True
        return scale > 0 and abs(math.log(ratio)) > FAR and is_rounding(given * scale, right * ratio * scale)

    slips = [(abs(math.log(factor / ratio)), slip) for ratio, slip in admissible_slips(unit, two) if has_ratio(ratio)]
    if slips:
        return "slip", min(slips)[1]
    power, way = round(math.log10(factor)), "large" if factor > 1 else "small"
    if power and has_ratio(10.0**power):
        if abs(power) == 2 and unit in PERCENT:
            return "slip", f"a hundred times too {way}: did you mean {number_text(given * 10.0 ** (2 - power))} %?"
        size = POWERS.get(abs(power), f"10^{abs(power)}")
        return "slip", f"{size} times too {way}: a power of ten"
    if plain and 0 < right * right < math.inf and has_ratio(1 / right**2):
        return "slip", "this is the inverse of the right answer"
    if has_ratio(2.0) or has_ratio(0.5):
        text = "twice" if factor > 1 else "half"
        return "wrong", f"it is {text} the right answer; look for a factor of 2"
    return "wrong", f"{number_text(max(factor, 1 / factor))} times too {way}"
