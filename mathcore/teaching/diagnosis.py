"""What went wrong with a number, judged by its ratio to the right one.

One table serves the exercises in the browser, which get it as data, and the audit of published
claims. Declared mistakes go first, because they know the formula; then the usual slips; then
the inverse; at last the plain ratio.
"""

import math
from dataclasses import dataclass

from mathcore.units import number_text

# (ratio wrong/right, what it is when too large by it, what it is when too small by it)
SLIPS = (
    (2.0, "a factor 2 too many", "a factor 2 was dropped"),
    (math.sqrt(2), "√2 too large: a 2 under the root too many", "√2 too small: a 2 under the root was dropped"),
    (8.0, "8 times too large: bits read as bytes", "8 times too small: bytes read as bits"),
    (
        60.0,
        "60 times too large: a smaller unit of time read as the next larger",
        "60 times too small: seconds for minutes, or minutes for hours",
    ),
    (3600.0, "3600 times too large: seconds read as hours", "3600 times too small: hours read as seconds"),
    (24.0, "24 times too large: hours read as days", "24 times too small: days read as hours"),
    (
        100.0,
        "100 times too large: a percentage read as a fraction",
        "100 times too small: a fraction read as a percentage",
    ),
    (1.024, "1.024 times too large: KiB read as kB", "1.024 times too small: kB read as KiB"),
    (1.024**2, "1.049 times too large: MiB read as MB", "1.049 times too small: MB read as MiB"),
    (1.024**3, "1.074 times too large: GiB read as GB", "1.074 times too small: GB read as GiB"),
    (1.024**4, "1.100 times too large: TiB read as TB", "1.100 times too small: TB read as TiB"),
)
POWERS = {1: "ten", 2: "a hundred", 3: "a thousand", 6: "a million", 9: "a billion", 12: "10^12"}
SLACK = 0.004  # how near a ratio must come to a slip; the 1024 powers lie 0.024 apart


@dataclass(frozen=True)
class Diagnosis:
    """`verdict` is right, mistake, slip or wrong; `text` explains; `factor` is wrong over right."""

    verdict: str
    text: str
    factor: float


def diagnose(given, right, mistakes=(), rtol=0.01):
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


def _by_ratio(given, right, factor):
    for slip, large, small in SLIPS:
        if math.isclose(factor, slip, rel_tol=SLACK):
            return Diagnosis("slip", large, factor)
        if math.isclose(factor, 1 / slip, rel_tol=SLACK):
            return Diagnosis("slip", small, factor)
    power = round(math.log10(factor))
    if power and math.isclose(factor, 10.0**power, rel_tol=SLACK):
        size = POWERS.get(abs(power), f"10^{abs(power)}")
        return Diagnosis("slip", f"{size} times too {'large' if power > 0 else 'small'}: a power of ten", factor)
    if math.isclose(given * right, 1, rel_tol=SLACK):
        return Diagnosis("slip", "this is the inverse: the fraction is upside down", factor)
    size, way = (factor, "large") if factor > 1 else (1 / factor, "small")
    return Diagnosis("wrong", f"{number_text(size)} times too {way}", factor)
