"""Diagnosis of a wrong number from its ratio to the right one and from its dimension.

One table of slips serves the exercises in the browser, which get it as data, and the audit of published claims.
The declared mistakes of an exercise are tried first, because they follow its formula; then the common slips that the
dimension, or a factor 2 of the formula, admits; then the inverse of a dimensionless number; finally the bare ratio.
A slip is looked for with the tolerance of the answer, since wrong numbers are rounded as right ones are.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from mathcore import units
from mathcore.units import number_text

BINARY = ("kB and KiB", "MB and MiB", "GB and GiB", "TB and TiB")
# (dimension that the number must have, ratio, the ratio as text, the units that were confused)
CONFUSED = (
    ("information", 8.0, "8", "bits and bytes"),
    *(("information", 1.024**n, f"{1.024**n:.3f}", pair) for n, pair in enumerate(BINARY, 1)),
    ("time", 60.0, "60", "seconds and minutes, or minutes and hours,"),
    ("time", 3600.0, "3600", "seconds and hours"),
    ("time", 24.0, "24", "hours and days"),
)
# (dimension, or factor 2 of the formula; ratio of wrong to right; message if too large, if too small)
SLIPS: tuple[tuple[str, float, str, str], ...] = (
    ("2", 2.0, "a factor 2 too many", "a factor 2 was dropped"),
    ("1/2", 2.0, "a factor 1/2 was dropped", "a factor 1/2 too many"),
    ("√2", 2**0.5, "√2 too large: a 2 under the root too many", "√2 too small: a 2 under the root was dropped"),
    ("√1/2", 2**0.5, "√2 too large: a 1/2 under the root was dropped", "√2 too small: a 1/2 under the root too many"),
    *(
        (kind, ratio, f"{n} times too large: {pair} were confused", f"{n} times too small: {pair} were confused")
        for kind, ratio, n, pair in CONFUSED
    ),
)
POWERS = {1: "ten", 2: "a hundred", 3: "a thousand", 6: "a million", 9: "a billion", 12: "10^12"}
SLACK = 0.004  # least relative tolerance of a ratio; the powers of 1.024 lie 0.024 apart
NARROWING = 25  # a ratio's tolerance is at most its logarithm over this: near one, any wrong number would be a slip
ROUNDED = (2, 3)  # significant digits to which a reader may round an answer
FAR = 0.2  # logarithm of a ratio from which on a rounded number shows it: two digits may be 5 % off
PERCENT = ("%", "percent")
EXACT = 1000  # a smaller count must be exact; a larger one has the tolerance of its givens
ROUNDINGS = {"down": "round down", "up": "round up", "near": "round to the better neighbour"}


@dataclass(frozen=True)
class Diagnosis:
    """`verdict` is right, mistake, slip or wrong; `text` explains; `factor` is wrong over right."""

    verdict: str
    text: str
    factor: float


def diagnose(
    given: float,
    right: float,
    mistakes: Sequence[tuple[str, float]] = (),
    rtol: float = 0.01,
    unit: str | None = "",
    rounding: str = "",
    two: str = "",
    scale: float = 0.0,
) -> Diagnosis:
    """Return the Diagnosis of `given` against `right`, two floats in one unit.

    `mistakes` are `(label, value)` pairs of wrong formulas, already evaluated. The dimension of `unit` selects the
    possible slips; None, for claims whose inputs may have any unit, selects all of them. `rounding` is how a count
    is rounded: down, up or near. `two` is the factor 2 of the formula, as `factor_of_two` returns it. `given * scale`
    is the number as it was typed, in its own unit, where the right one may be rounded to two digits; 0 forbids that.

    >>> diagnose(43.9, 2636.7, unit="s").text
    '60 times too small: seconds and minutes, or minutes and hours, were confused'
    >>> diagnose(57, 56.2, rounding="down").text
    'a whole number is asked: round down'
    >>> [diagnose(1.1, 1.148, scale=scale).verdict for scale in (1, 0)]
    ['right', 'wrong']
    """
    if not (math.isfinite(given) and math.isfinite(right)):
        return Diagnosis("wrong", "this is no finite number", math.nan)
    factor = given / right if right else math.nan
    if _is_right(given, right, rtol, rounding):
        return Diagnosis("right", "right", given / right if right else 1.0)
    usual = sorted((abs(given - value), label) for label, value in mistakes if _is_near(given, value, rtol, rounding))
    if usual:
        return Diagnosis("mistake", usual[0][1], given / right if right else math.inf)
    scale = 0.0 if rounding else scale
    if scale and (found := _of_rounded(given * scale, right * scale, [(x, v * scale) for x, v in mistakes])):
        return Diagnosis(*found, factor)
    if rounding and (abs(given - right) < 1 or math.isclose(given, right, rel_tol=rtol)):
        return Diagnosis("slip", f"a whole number is asked: {ROUNDINGS[rounding]}", factor)
    if right == 0 or given == 0:
        return Diagnosis("wrong", "one of the two is zero, the other is not", math.nan)
    if factor < 0:
        return Diagnosis(*_of_sign(given, right), factor)
    if not 0 < factor < math.inf:
        return Diagnosis("wrong", "the two are out of all proportion", factor)
    return Diagnosis(*_by_ratio(given, right, unit, two, rtol, scale), factor)


def _of_rounded(given: float, right: float, mistakes: Sequence[tuple[str, float]]) -> tuple[str, str] | None:
    """Return the verdict and the text of a number that is the right one, or that of a mistake, rounded; else None."""
    if is_rounding(given, right):
        return "right", "right"
    return next((("mistake", label) for label, value in mistakes if is_rounding(given, value)), None)


def is_rounding(given: float, right: float) -> bool:
    """Return whether `given` is `right` with two or three significant digits.

    >>> [is_rounding(x, 1.148) for x in (1.1, 1.15, 1.0, 1.2)]
    [True, True, False, False]
    """
    return any(math.isclose(given, float(f"{right:.{digits}g}"), rel_tol=1e-9) for digits in ROUNDED)


def _is_right(given: float, right: float, rtol: float, rounding: str) -> bool:
    if not rounding:
        return math.isclose(given, right, rel_tol=rtol)
    least, most = accepted_counts(right, rounding)
    room = rtol * abs(right) if abs(right) >= EXACT else 0.0
    return float(given).is_integer() and least - room <= given <= most + room


def _is_near(given: float, value: float, rtol: float, rounding: str) -> bool:
    return math.isclose(given, value, rel_tol=max(rtol, SLACK)) or bool(rounding and abs(given - value) < 1)


def indistinguishable(one: float, other: float, rtol: float, rounding: str) -> bool:
    """Return whether two wrong numbers lie within one tolerance, so that an answer could be diagnosed as either.

    >>> [indistinguishable(a, b, 0.02, how) for a, b, how in ((100, 101, ""), (13.2, 13.9, "up"), (2.9, 3.1, "up"))]
    [True, True, False]
    """
    if rounding and abs(one) < EXACT:
        return accepted_counts(one, rounding) == accepted_counts(other, rounding)
    return math.isclose(one, other, rel_tol=max(rtol, SLACK))


def accepted_counts(value: float, rounding: str) -> tuple[int, int]:
    """Return the smallest and the largest count that is a right answer if `value` is rounded by `rounding`.

    >>> [accepted_counts(x, how) for x, how in ((56.2, "down"), (56.2, "up"), (13.4, "near"), (14.9999999999, "down"))]
    [(56, 56), (57, 57), (13, 14), (15, 15)]
    """
    off = 1e-9 * max(1.0, abs(value))
    low, high = math.floor(value + off), math.ceil(value - off)
    return {"down": (low, low), "up": (high, high), "near": (low, high)}[rounding]


def _of_sign(given: float, right: float) -> tuple[str, str]:
    if math.isclose(-given, right, rel_tol=0.02):
        return "slip", "the sign is wrong"
    return "wrong", f"the sign is wrong, and the size too: it is {number_text(abs(given / right))} times the right one"


def factor_of_two(formula: sympy.Expr) -> str:
    """Return the power of 2 that is a factor of the whole expression: "2", "1/2", "√2", "√1/2", or "" for none.

    >>> C, M = sympy.symbols("C M", positive=True)
    >>> [factor_of_two(each) for each in (2 * C + 2 * M, 3 / (2 * C), sympy.sqrt(C * M / 2), C + M / 2, 6 * C, C**2)]
    ['2', '1/2', '√1/2', '', '', '']
    """
    number, _ = sympy.factor_terms(formula).as_independent(*formula.free_symbols, as_Add=False)
    signs = ((sign, n) for sign, n in (("", number), ("√", number**2)) if n.is_Rational)
    return next((f"{sign}{two}" for sign, n in signs for two, part in (("2", abs(n.p)), ("1/2", n.q)) if part == 2), "")


@functools.cache
def admissible_slips(unit: str | None, two: str = "") -> tuple[tuple[float, str], ...]:
    """Return the pairs of a ratio, wrong to right, and its message that are possible for a number in `unit`.

    >>> len(admissible_slips("")), len(admissible_slips("s", "√2")), len(admissible_slips("GB/s"))
    (0, 8, 16)
    """
    kinds = ("information", "time") if unit is None else [k.strip("[]") for k in units.unit(unit).dimensionality]
    found = ((ratio, large, small) for kind, ratio, large, small in SLIPS if kind in (*kinds, two))
    return tuple(pair for ratio, large, small in found for pair in ((ratio, large), (1 / ratio, small)))


def slip_tolerance(ratio: float, rtol: float) -> float:
    """Return the relative tolerance within which a wrong number is told to have a ratio.

    >>> [round(slip_tolerance(ratio, 0.1), 4) for ratio in (1.024, 2, 8, 1000)]
    [0.004, 0.0277, 0.0832, 0.1]
    """
    return max(SLACK, min(rtol, abs(math.log(ratio)) / NARROWING))


def _by_ratio(given: float, right: float, unit: str | None, two: str, rtol: float, scale: float) -> tuple[str, str]:
    factor, plain = given / right, unit is None or not units.unit(unit).dimensionality

    def has_ratio(ratio: float) -> bool:
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
        return "slip", "this is the inverse: the fraction is upside down"
    if has_ratio(2.0) or has_ratio(0.5):
        text = "twice" if factor > 1 else "half"
        return "wrong", f"it is {text} the right answer; look for a number that went in twice or half as large"
    return "wrong", f"{number_text(max(factor, 1 / factor))} times too {way}"
