"""`QuotedValue`: a quantity as a text prints it, and the one rule by which digits are held against a value.

`numerals` finds the numbers in a quotation, in digits or in words.
"""

import math
import re
from dataclasses import dataclass

from mathcore import units
from mathcore.errors import DeclarationError
from mathcore.units import Quantity, quantity_text

_FORM = re.compile(
    r"(?P<sign>[<>≤≥~]?)\s*(?P<number>[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:\.\.(?P<end>\d+(?:\.\d+)?))?\s*(?P<unit>[^\d\s].*)?"
)
ABOUT = 0.1  # how far "about" reaches
KIB = [1.024**power for power in (1, 2, 3, 4)]  # so near to one that "about" could hide them
_BYTES = re.compile(r"B\b|bit|^(?:m?s|min|h)$")  # and the time in which they are moved
BOUNDS = ("<", ">", "≤", "≥")
WORDS = {"half": 0.5, "halve": 0.5, "halves": 0.5, "two": 2, "twice": 2, "double": 2, "three": 3, "four": 4}
WORDS |= {"five": 5, "six": 6, "nine": 9, "ten": 10, "twelve": 12, "one": 1, "no": 0, "zero": 0, "single": 1}
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "trillion": 1e12}
_POWER = re.compile(r"\s*(?:×|\\times|·)\s*10(?:\^\{?(\d+)\}?|([⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
_NUMERAL = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:[\s-]?(trillion|billion|million|thousand|[kKMB])\b)?")


@dataclass(frozen=True)
class QuotedValue:
    """A printed quantity: `sign` is one of < > ≤ ≥ ~ or empty, `end` the upper end of a range."""

    sign: str
    number: str
    end: str | None
    unit: str

    @classmethod
    def parse(cls, text: str) -> "QuotedValue":
        """Return what a text prints.

        Raises: DeclarationError for a text that is no printed quantity.

        >>> QuotedValue.parse("20..40 %").end
        '40'
        """
        found = _FORM.fullmatch(str(text))
        if not found:
            known = "write one such as `44 min`, `~44 min`, `<1 %` or `20..40 %`"
            raise DeclarationError(
                f"`{text}` is no printed quantity: {known}",
                code="not-a-quantity",
                got=text,
                expected="44 min, ~44 min, <1 % or 20..40 %",
            )
        return cls(found["sign"], found["number"].replace("−", "-"), found["end"], found["unit"] or "")

    @property
    def quantity(self) -> Quantity:
        """Return the printed number as a quantity; of a range, the lower end."""
        return units.quantity(f"{self.number} {self.unit}", "what is printed")

    def verdict(self, value: float) -> str:
        """Return reproduced, rounding or wrong for the computed `value`, a float in the printed unit.

        All printed digits count, and zeros at the end of a whole number as well: 40 is reproduced by 40.3.
        It is rounding if the value is off by no more than one in the last digit, or rounds to the number
        once those zeros do not count, or if the text said "about": always within a tenth, of a share above
        one half within a tenth of what it leaves. A printed zero says none.

        >>> [QuotedValue.parse("327 kB").verdict(x) for x in (327.3, 327.7, 335)]
        ['reproduced', 'rounding', 'wrong']
        >>> [QuotedValue.parse("40 %").verdict(x) for x in (40.3, 43.8, 44.9)]
        ['reproduced', 'rounding', 'wrong']
        """
        low = float(self.number)
        if self.end or self.sign in BOUNDS:
            high = float(self.end) if self.end else math.inf
            low, high = (-math.inf, low) if self.sign in ("<", "≤") else (low, high)
            slack = (-1e-9 if self.sign in ("<", ">") else 1e-9) * abs(value)
            return "reproduced" if low - slack <= value <= high + slack else "wrong"
        if low == 0:  # it has no digit to which a value could round
            return "reproduced" if abs(value) < 1e-9 else "wrong"
        off, last, open_ = abs(low - value), self.last_digit(), self.last_digit(zeros=False)
        if off <= last / 2 * (1 + 1e-9):
            return "reproduced"
        near = self.sign == "~" or off <= max(last, open_ / 2) * (1 + 1e-9)
        ratio = max(low / value, value / low) if _BYTES.search(self.unit) else 0  # 1.024 of a count is like any other
        binary = any(math.isclose(ratio, power, rel_tol=0.002) for power in KIB)
        return "rounding" if near and off <= ABOUT * self._whole(value) and not binary else "wrong"

    def _whole(self, value: float) -> float:
        """Return that of which a tenth may be missing: of a share above one half, what it leaves."""
        return 100 - value if self.unit == "%" and 50 < value < 100 else abs(value)

    def last_digit(self, zeros: bool = True) -> float:
        """Return the unit of the last printed digit, or without `zeros` of the last that is none.

        >>> [QuotedValue.parse("16000").last_digit(), QuotedValue.parse("16000").last_digit(zeros=False)]
        [1.0, 1000.0]
        """
        mantissa, _, power = self.number.lstrip("+-").partition("e")
        whole = not zeros and "." not in mantissa and float(mantissa)
        open_ = len(mantissa) - len(mantissa.rstrip("0")) if whole else 0
        return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]) + open_)

    @property
    def digits(self) -> int:
        """Return how many digits were printed."""
        return max(1, len(self.number.lstrip("+-").partition("e")[0].replace(".", "").lstrip("0")))

    def text(self) -> str:
        """Return what was printed, as pages print quantities.

        >>> QuotedValue.parse("~44 min").text().replace(chr(0x202F), " ")
        'about 44 min'
        """
        text = quantity_text(self.quantity, None, self.digits)
        if self.end:
            text = f"{self.number}–{quantity_text(units.quantity(f'{self.end} {self.unit}'), None, None)}"
        return {"": "", "~": "about "}.get(self.sign, f"{self.sign}\u202f") + text


def numerals(quote: str) -> set[float]:
    """Return the numbers that a quotation has, in digits or in words; `70B` is 70 and 70 billion.

    >>> sorted(numerals("1,024 GPUs need half of 2.2×10²⁴ FLOPs"))
    [0.5, 1024.0, 2.2e+24]
    """
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", quote)
    plain = _POWER.sub(lambda power: f"e{(power[1] or power[2]).translate(units.FROM_SUPERSCRIPT)}", plain)
    found = {float(WORDS[word]) for word in re.findall("[a-z]+", plain.lower()) if word in WORDS}
    for number, scale in _NUMERAL.findall(plain):
        found |= {float(number), float(number) * SCALES.get(scale.lower(), 1.0)}
    return found
