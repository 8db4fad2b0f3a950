"""What went wrong with a number, judged by its ratio to the right one.

One table serves the exercises in the browser, which get it as data, and the audit of published
claims. Declared mistakes go first, because they know the formula; then the usual slips; then
the inverse; at last the plain ratio.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from mathcore.units import number_text

READ_AS = (  # ratio, as it is said, what was read when too large by it, and as what
    (8.0, "8", "bits", "bytes"),
    (3600.0, "3600", "seconds", "hours"),
    (24.0, "24", "hours", "days"),
    (100.0, "100", "a percentage", "a fraction"),
    (1.024, "1.024", "KiB", "kB"),
    (1.024**2, "1.049", "MiB", "MB"),
    (1.024**3, "1.074", "GiB", "GB"),
    (1.024**4, "1.100", "TiB", "TB"),
)
MINUTES = "60 times too large: a smaller unit of time read as the next larger"
# (ratio wrong/right, what it is when too large by it, what it is when too small by it)
SLIPS = (
    (2.0, "a factor 2 too many", "a factor 2 was dropped"),
    (math.sqrt(2), "√2 too large: a 2 under the root too many", "√2 too small: a 2 under the root was dropped"),
    (60.0, MINUTES, "60 times too small: seconds for minutes, or minutes for hours"),
    *((r, f"{n} times too large: {a} read as {b}", f"{n} times too small: {b} read as {a}") for r, n, a, b in READ_AS),
)
POWERS = {1: "ten", 2: "a hundred", 3: "a thousand", 6: "a million", 9: "a billion", 12: "10^12"}
SLACK = 0.004  # how near a ratio must come to a slip; the 1024 powers lie 0.024 apart


@dataclass(frozen=True)
class Diagnosis:
    """`verdict` is right, mistake, slip or wrong; `text` explains; `factor` is wrong over right."""

    verdict: str
    text: str
    factor: float


def diagnose(given: float, right: float, mistakes: Iterable[tuple[str, float]] = (), rtol: float = 0.01) -> Diagnosis:
    """Explain a number against the right one; both floats in one unit.

    `mistakes` are `(label, value)` pairs of wrong formulas, already evaluated.

    >>> diagnose(43.9, 2636.7).text
    '60 times too small: seconds for minutes, or minutes for hours'
    """
    if not (math.isfinite(given) and math.isfinite(right)):
        return Diagnosis("wrong", "this is no finite number", math.nan)
    if math.isclose(given, right, rel_tol=rtol):
        return Diagnosis("right", "right", given / right if right else 1.0)
    for label, value in mistakes:
        if math.isclose(given, value, rel_tol=max(rtol, SLACK)):
            return Diagnosis("mistake", label, given / right if right else math.inf)
    if right == 0 or given == 0:
        return Diagnosis("wrong", "one of the two is zero, the other is not", math.nan)
    if given / right < 0:
        return Diagnosis("slip", "the sign is wrong", given / right)
    if not 0 < given / right < math.inf:
        return Diagnosis("wrong", "the two are out of all proportion", given / right)
    return _by_ratio(given, right, given / right)


def _by_ratio(given: float, right: float, factor: float) -> Diagnosis:
    for slip, large, small in SLIPS:
        if math.isclose(factor, slip, rel_tol=SLACK):
            return Diagnosis("slip", large, factor)
        if math.isclose(factor, 1 / slip, rel_tol=SLACK):
            return Diagnosis("slip", small, factor)
    power = round(math.log10(factor))
    way = "large" if factor > 1 else "small"
    if power and math.isclose(factor, 10.0**power, rel_tol=SLACK):
        size = POWERS.get(abs(power), f"10^{abs(power)}")
        return Diagnosis("slip", f"{size} times too {way}: a power of ten", factor)
    if math.isclose(given * right, 1, rel_tol=SLACK):
        return Diagnosis("slip", "this is the inverse: the fraction is upside down", factor)
    return Diagnosis("wrong", f"{number_text(max(factor, 1 / factor))} times too {way}", factor)
