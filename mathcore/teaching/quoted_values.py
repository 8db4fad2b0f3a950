"""`QuotedValue`: a quantity as a text prints it, and the rule that compares its digits with a computed value.

`numbers_in_quote` finds the numbers in a quotation, in digits or in words.
"""

import math
import re
from dataclasses import dataclass

from mathcore import number_format, units
from mathcore.errors import DeclarationError
from mathcore.units import Quantity, quantity_text

_FORM = re.compile(
    r"(?P<sign>[<>≤≥~]?)\s*(?P<number>[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:\.\.(?P<end>\d+(?:\.\d+)?))?\s*(?P<unit>[^\d\s].*)?"
)
ABOUT = 0.1  # relative tolerance of "about"
KIB = [1.024**power for power in (1, 2, 3, 4)]  # within the tolerance of "about", which would hide the error
_BYTES = re.compile(r"B\b|bit|^(?:m?s|min|h)$")  # units of data, and of the time to move them
BOUNDS = ("<", ">", "≤", "≥")
WORDS = {"half": 0.5, "halve": 0.5, "halves": 0.5, "two": 2, "twice": 2, "double": 2, "three": 3, "four": 4}
WORDS |= {"five": 5, "six": 6, "nine": 9, "ten": 10, "twelve": 12, "one": 1, "no": 0, "zero": 0, "single": 1}
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "trillion": 1e12}
_POWER = re.compile(r"\s*(?:×|\\times|·)\s*10(?:\^\{?(\d+)\}?|([⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
_NUMERAL = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:[\s-]?(trillion|billion|million|thousand|[kKMB])\b)?")


@dataclass(frozen=True)
class QuotedValue:
    """A printed quantity: `sign` is one of < > ≤ ≥ ~ or empty, `end` is the upper end of a range or None."""

    sign: str
    number: str
    end: str | None
    unit: str

    @classmethod
    def parse(cls, text: str) -> "QuotedValue":
        """Return the QuotedValue that `text` states.

        Raises: DeclarationError for a text that is not a printed quantity.

        >>> QuotedValue.parse("20..40 %").end
        '40'
        """
        match = _FORM.fullmatch(str(text))
        if not match:
            forms = "`44 min`, `~44 min`, `<1 %` or `20..40 %`"
            message = f"`{text}` is not a printed quantity: write it as {forms}"
            raise DeclarationError(message, code="not-a-quantity", got=text, expected=forms)
        return cls(match["sign"], match["number"].replace("−", "-"), match["end"], match["unit"] or "")

    @property
    def quantity(self) -> Quantity:
        """Return the printed number as a quantity; of a range, the lower end."""
        return units.quantity(f"{self.number} {self.unit}", "what is printed")

    def verdict(self, value: float) -> str:
        """Return reproduced, rounding or wrong for the computed `value`, a float in the printed unit.

        All printed digits are significant, zeros at the end of an integer too: 40 is reproduced by 40.3. The
        verdict is rounding if the value is off by at most one unit of the last digit, if it rounds to the number
        once those zeros are not significant, or if the text says "about"; always within 10 %, for a percentage
        above 50 % within 10 % of its complement. A printed zero is reproduced by zero only.

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
        if low == 0:  # no digit is significant
            return "reproduced" if abs(value) < 1e-9 else "wrong"
        off, last, open_ = abs(low - value), self.last_digit(), self.last_digit(zeros=False)
        if off <= last / 2 * (1 + 1e-9):
            return "reproduced"
        near = self.sign == "~" or off <= max(last, open_ / 2) * (1 + 1e-9)
        ratio = max(low / value, value / low) if _BYTES.search(self.unit) else 0  # a count has no binary prefix
        binary = any(math.isclose(ratio, power, rel_tol=0.002) for power in KIB)
        return "rounding" if near and off <= ABOUT * self._tolerance_base(value) and not binary else "wrong"

    def _tolerance_base(self, value: float) -> float:
        """Return the magnitude to which the tolerance of "about" is relative."""
        return 100 - value if self.unit == "%" and 50 < value < 100 else abs(value)

    def last_digit(self, zeros: bool = True) -> float:
        """Return the place value of the last printed digit, or without `zeros` of the last digit that is not zero.

        >>> [QuotedValue.parse("16000").last_digit(), QuotedValue.parse("16000").last_digit(zeros=False)]
        [1.0, 1000.0]
        """
        mantissa, _, power = self.number.lstrip("+-").partition("e")
        whole = not zeros and "." not in mantissa and float(mantissa)
        open_ = len(mantissa) - len(mantissa.rstrip("0")) if whole else 0
        return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]) + open_)

    @property
    def digits(self) -> int:
        """Return the number of printed digits."""
        return max(1, len(self.number.lstrip("+-").partition("e")[0].replace(".", "").lstrip("0")))

    def text(self) -> str:
        """Return the printed quantity in the format of the pages.

        >>> QuotedValue.parse("~44 min").text().replace(chr(0x202F), " ")
        'about 44 min'
        """
        text = quantity_text(self.quantity, None, self.digits)
        if self.end:
            text = f"{self.number}–{quantity_text(units.quantity(f'{self.end} {self.unit}'), None, None)}"
        return {"": "", "~": "about "}.get(self.sign, f"{self.sign}\u202f") + text


def numbers_in_quote(quote: str) -> set[float]:
    """Return the numbers in a quotation, in digits or in words; `70B` is both 70 and 70 billion.

    >>> sorted(numbers_in_quote("1,024 GPUs need half of 2.2×10²⁴ FLOPs"))
    [0.5, 1024.0, 2.2e+24]
    """
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", quote)
    plain = _POWER.sub(lambda power: f"e{(power[1] or power[2]).translate(number_format.FROM_SUPERSCRIPT)}", plain)
    numbers = {float(WORDS[word]) for word in re.findall("[a-z]+", plain.lower()) if word in WORDS}
    for number, scale in _NUMERAL.findall(plain):
        numbers |= {float(number), float(number) * SCALES.get(scale.lower(), 1.0)}
    return numbers
