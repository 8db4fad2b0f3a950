"""A quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`; and how exact that is."""

import math
import re
from dataclasses import dataclass

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.formatting import quantity_text

_FORM = re.compile(
    r"(?P<sign>[<>≤≥~]?)\s*(?P<number>[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:\.\.(?P<end>\d+(?:\.\d+)?))?\s*(?P<unit>[^\d\s].*)?"
)
ABOUT = 0.1  # how far "about" reaches
KIB = [1.024**power for power in (1, 2, 3, 4)]  # so near to one that "about" could hide them


@dataclass(frozen=True)
class Printed:
    """A printed quantity: `sign` is one of < > ≤ ≥ ~ or empty, `end` the upper end of a range."""

    sign: str
    number: str
    end: str | None
    unit: str

    @classmethod
    def read(cls, text):
        """Return what a text prints.

        Raises: DeclarationError for a text that is no printed quantity.

        >>> Printed.read("20..40 %").end
        '40'
        """
        found = _FORM.fullmatch(str(text))
        if not found:
            raise DeclarationError(
                f"`{text}` is no printed quantity: write one such as `44 min`, `~44 min`, "
                "`<1 %` or `20..40 %`",
                where(),
            )
        return cls(found["sign"], found["number"].replace("−", "-"), found["end"], found["unit"] or "")

    @property
    def quantity(self):
        """Return the printed number as a quantity; of a range, the lower end."""
        return units.quantity(f"{self.number} {self.unit}", "what is printed")

    def judge(self, value, digits=None):
        """Return reproduced, rounding or wrong for the computed `value`, a float in the printed unit.

        >>> [Printed.read("327 kB").judge(x) for x in (327.3, 327.7, 335)]
        ['reproduced', 'rounding', 'wrong']
        """
        low = float(self.number)
        if self.end or self.sign in ("<", ">", "≤", "≥"):
            high = float(self.end) if self.end else math.inf
            low, high = (-math.inf, low) if self.sign in ("<", "≤") else (low, high)
            slack = 1e-9 * abs(value)
            return "reproduced" if low - slack <= value <= high + slack else "wrong"
        off, unit = abs(low - value), self.last_digit(digits)
        if off <= unit / 2 * (1 + 1e-9):
            return "reproduced"
        if off <= unit:
            return "rounding"
        about = self.sign == "~" and off <= ABOUT * abs(value)
        return "rounding" if about and not _binary(low / value) else "wrong"

    def last_digit(self, digits=None):
        """Return the unit of the last digit that counts; zeros at the end of a whole number do not.

        >>> [Printed.read(text).last_digit() for text in ("44", "0.50", "16000")]
        [1.0, 0.01, 1000.0]
        """
        plain = self.number.lstrip("+-")
        mantissa, _, power = plain.partition("e")
        if digits and float(plain):
            return 10.0 ** (math.floor(math.log10(float(plain))) - digits + 1)
        whole = "." not in mantissa and float(mantissa)
        zeros = len(mantissa) - len(mantissa.rstrip("0")) if whole else 0
        return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]) + zeros)

    @property
    def digits(self):
        """Return how many digits were printed."""
        return max(1, len(self.number.lstrip("+-").partition("e")[0].replace(".", "").lstrip("0")))

    def text(self):
        """Return what was printed, as pages print quantities.

        >>> Printed.read("~44 min").text().replace(chr(0x202F), " ")
        'about 44 min'
        """
        text = quantity_text(self.quantity, None, self.digits)
        if self.end:
            text = f"{self.number}–{quantity_text(units.quantity(f'{self.end} {self.unit}'), None, None)}"
        return {"": "", "~": "about "}.get(self.sign, f"{self.sign}\u202f") + text


def _binary(ratio):
    return any(math.isclose(max(ratio, 1 / ratio), power, rel_tol=0.002) for power in KIB)
