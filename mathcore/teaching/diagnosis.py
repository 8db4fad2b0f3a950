"""Diagnosis of a wrong number from its ratio to the right one.

One table of slips serves the audit of published claims and, in the browser, which gets it as data, the exercises
(`mc.diagnose` in `mc-core.js`, where the mistakes of an exercise, its tolerance and its dimension count as well).
"""

import math
from dataclasses import dataclass

import sympy

from mathcore.number_format import number_text

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
SLACK = 0.004  # relative tolerance of a ratio; the powers of 1.024 lie 0.024 apart
EXACT = 1000  # a smaller count must be exact; a larger one has the tolerance of its givens
ROUNDINGS = {"down": "round down", "up": "round up", "near": "round to the better neighbour"}


@dataclass(frozen=True)
class Diagnosis:
    """`verdict` is right, slip or wrong; `text` explains; `factor` is wrong over right."""

    verdict: str
    text: str
    factor: float


def diagnose(given: float, right: float, two: str = "") -> Diagnosis:
    """Return the Diagnosis of `given` against `right`, two floats in one unit, whose inputs may have any unit.

    `two` is the factor 2 of the formula, as `factor_of_two` returns it.

    >>> diagnose(43.9, 2636.7).text
    '60 times too small: seconds and minutes, or minutes and hours, were confused'
    """
    if not (math.isfinite(given) and math.isfinite(right)):
        return Diagnosis("wrong", "this is not a finite number", math.nan)
    if math.isclose(given, right, rel_tol=1e-9):
        return Diagnosis("right", "right", given / right if right else 1.0)
    if right == 0 or given == 0:
        return Diagnosis("wrong", "one of the two is zero, the other is not", math.nan)
    factor = given / right
    if factor < 0:
        return Diagnosis(*_diagnose_sign(given, right), factor)
    if not 0 < factor < math.inf:
        return Diagnosis("wrong", "the two are out of all proportion", factor)
    return Diagnosis(*_diagnose_ratio(factor, right, two), factor)


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


def _diagnose_sign(given: float, right: float) -> tuple[str, str]:
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


def _diagnose_ratio(factor: float, right: float, two: str) -> tuple[str, str]:
    def has_ratio(ratio: float) -> bool:
        return math.isclose(factor, ratio, rel_tol=SLACK)

    known = [row[1:] for row in SLIPS if row[0] in ("information", "time", two)]
    slips = [pair for ratio, large, small in known for pair in ((ratio, large), (1 / ratio, small))]
    if matching := [(abs(math.log(factor / ratio)), text) for ratio, text in slips if has_ratio(ratio)]:
        return "slip", min(matching)[1]
    power, way = round(math.log10(factor)), "large" if factor > 1 else "small"
    if power and has_ratio(10.0**power):
        return "slip", f"{POWERS.get(abs(power), f'10^{abs(power)}')} times too {way}: a power of ten"
    if 0 < right * right < math.inf and has_ratio(1 / right**2):
        return "slip", "this is the inverse of the right answer"
    if has_ratio(2.0) or has_ratio(0.5):
        text = "twice" if factor > 1 else "half"
        return "wrong", f"it is {text} the right answer; look for a factor of 2"
    return "wrong", f"{number_text(max(factor, 1 / factor))} times too {way}"
