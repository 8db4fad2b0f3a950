"""Numbers as pages, errors and sliders print them: one format, in Python and in the browser.

Rules: significant digits, three by default, trailing zeros kept; a power of ten only below
a thousandth and from ten million on; whole where no digits are asked for; groups of three, parted
by a narrow space, from 10,000 on.
NaN and infinity are refused: a value that should not exist is not printed.
"""

import math
import re

from mathcore import units
from mathcore.errors import ArgumentError, where

NARROW = "\u202f"  # no-break, so that a number never loses its unit at a line's end
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TIMES = (("d", 172800.0), ("h", 7200.0), ("min", 120.0), ("s", 0.0))


def number_text(value, digits=3):
    """Return `value` with `digits` significant digits; whole if they are 0, as stated if None.

    >>> number_text(61.967), number_text(0.1291), number_text(16384, 5), number_text(1.2e-5, 2)
    ('62.0', '0.129', '16\\u202f384', '1.2·10⁻⁵')
    >>> number_text(4.0), number_text(4.0, 0)
    ('4.00', '4')
    """
    if isinstance(value, int) or (digits is None and float(value).is_integer() and abs(value) < 1e15):
        return _grouped(f"{int(value)}")
    value = float(value)
    if not math.isfinite(value):
        raise ArgumentError(f"{value} is no number to print: find where it arose", where())
    if digits == 0:
        return _grouped(f"{value:.0f}")
    if digits is None and 1e-4 <= abs(value) < 1e7:
        return _grouped(f"{value:.12g}")
    digits = digits or 3
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if power < -3 or power >= 7:
        return f"{mantissa}·10{str(power).translate(SUPERSCRIPT)}".replace("-", "−")
    return _grouped(f"{float(f'{mantissa}e{exponent}'):.{max(0, digits - 1 - power)}f}")


def _grouped(text):
    sign, text = ("−", text[1:]) if text.startswith("-") else ("", text)
    whole, _, rest = text.partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", NARROW)
    return f"{sign}{whole}.{rest}" if rest else sign + whole


def unit_text(text):
    """Return a unit as pages print it: `gpu·h`, `%`, nothing for a plain count.

    >>> unit_text("TFLOP / gpu / s")  # pint sorts; a rate per device is said this way round
    'TFLOP/s/gpu'
    """
    plain = re.sub(r"\s*\*\s*|(?<=\w)\s+(?=\w)", "·", text).replace(" / ", "/")
    plain = re.sub(r"/B/token$", "/token/B", re.sub(r"/gpu/s$", "/s/gpu", plain))
    return "%" if text == "percent" else re.sub(r"^1/", "/", plain)


def natural_unit(quantity, unit):
    """Return the unit that keeps a duration readable; other dimensions keep `unit`."""
    if units.unit(unit).dimensionality == units.unit("s").dimensionality and unit == "s":
        seconds = abs(quantity.m_as(units.unit("s")))
        if not 0 < seconds < math.inf:
            return unit
        return next(name for name, least in TIMES if seconds >= least)
    return unit


def quantity_text(quantity, unit=None, digits=3):
    """Return a quantity as text, in `unit` or in its own.

    >>> quantity_text(units.quantity("3718 s"), "min")
    '62.0\\u202fmin'
    """
    unit = unit if unit is not None else f"{quantity.units}"
    unit = "" if unit == "dimensionless" else unit
    value = quantity.m_as(units.unit(unit))
    label = unit_text(unit)
    return number_text(value, digits) + (NARROW + label if label else "")
