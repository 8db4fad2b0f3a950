"""`Claim`: what a published text says, and what it is when computed; the verdict is never typed.

`Printed` is a quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`. `read_claims` reads the
claims of a chapter from `mathcore/data/claims/CHAPTER.toml`, one table for each, whose keys are the fields of
a Claim; what stands above the first table holds for all.
"""

import functools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mathcore import judge, tables, units
from mathcore.entities import Entity, Group, short
from mathcore.errors import DeclarationError, MathcoreError, Refuted
from mathcore.examples import line_with
from mathcore.formulas import Formula
from mathcore.library import DATA, book
from mathcore.teaching.calculations import ADDRESS, Calculation, expression
from mathcore.teaching.diagnosis import Diagnosis, diagnose
from mathcore.units import Quantity, natural_unit, quantity_text

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
    def read(cls, text: str) -> "Printed":
        """Return what a text prints.

        Raises: DeclarationError for a text that is no printed quantity.

        >>> Printed.read("20..40 %").end
        '40'
        """
        found = _FORM.fullmatch(str(text))
        if not found:
            known = "write one such as `44 min`, `~44 min`, `<1 %` or `20..40 %`"
            raise DeclarationError(f"`{text}` is no printed quantity: {known}")
        return cls(found["sign"], found["number"].replace("−", "-"), found["end"], found["unit"] or "")

    @property
    def quantity(self) -> Quantity:
        """Return the printed number as a quantity; of a range, the lower end."""
        return units.quantity(f"{self.number} {self.unit}", "what is printed")

    def judge(self, value: float, digits: int | None = None) -> str:
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

    def last_digit(self, digits: int | None = None) -> float:
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
    def digits(self) -> int:
        """Return how many digits were printed."""
        return max(1, len(self.number.lstrip("+-").partition("e")[0].replace(".", "").lstrip("0")))

    def text(self) -> str:
        """Return what was printed, as pages print quantities.

        >>> Printed.read("~44 min").text().replace(chr(0x202F), " ")
        'about 44 min'
        """
        text = quantity_text(self.quantity, None, self.digits)
        if self.end:
            text = f"{self.number}–{quantity_text(units.quantity(f'{self.end} {self.unit}'), None, None)}"
        return {"": "", "~": "about "}.get(self.sign, f"{self.sign}\u202f") + text


def _binary(ratio: float) -> bool:
    return any(math.isclose(max(ratio, 1 / ratio), power, rel_tol=0.002) for power in KIB)


VERDICTS = ("reproduced", "rounding", "wrong", "unsupported")


def read_claims(module: str) -> Group:
    """Return the claims of a chapter as a Group, from the data file that goes by its name.

    >>> read_claims("mathcore.chapters.claims_papers").daly_day.verdict
    'reproduced'
    """
    return tables.read(DATA / "claims" / f"{short(module)}.toml", Claim, module)


def _kept(found: Callable) -> Any:
    """Return a property that is computed once; what it refuses is told with the line of the claim."""

    @functools.wraps(found)
    def placed(claim: "Claim") -> Any:
        try:
            return found(claim)
        except MathcoreError as error:
            raise type(error)(error.message, claim.where) from error

    return functools.cached_property(placed)


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Entity):
    """State a claim: `Claim("a fleet of 16,384 GPUs fails every 44 minutes", "44 min", …)`.

    `printed` is the quantity in print; `~44 min` where the text says "about", `<1 %` or `20..40 %` for
    bounds; a printed formula is written with its letter, `tau_Y = sqrt(2 * C * M)`. `by` is what computes it:
    the address of a formula (with its letters in `given`, each a quantity, an address or a calculation), of
    an example or a fact, or a calculation such as `200[gpu h] / 16384[gpu]`; without it the claim is
    unsupported. `source` and `at` say where it stands; `digits` how many printed digits count, where zeros
    at the end leave that open; `because` explains what went wrong, `consequence` what changes once it is
    right; `mistakes` are calculations by label that may explain the number.

    Raises: DeclarationError without source or place; when it is judged, for a wrong claim that no diagnosis
    and no `because` explains, and for an explanation of a claim that is reproduced.

    >>> slip = Claim("a fleet fails every 44 minutes", "44 min", "200[gpu h] / 16384[gpu]",
    ...              source="checkpoint_reckoning", at="title")
    >>> slip.verdict, slip.diagnosis.text
    ('wrong', '60 times too large: a smaller unit of time read as the next larger')
    """

    says: str
    printed: str
    by: str = ""
    given: dict = field(default_factory=dict)
    source: str = ""
    at: str = ""
    because: str = ""
    consequence: str = ""
    digits: int | None = None
    mistakes: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a claim that nobody could look up; it is computed when it is first asked for."""
        self._refuse_blank(f"`{self.says}`", "says", "source", "at")
        if not self.by and not self.because:
            raise self._wrong(f"`{self.says}` has no `by`: say in `because` what it lacks")
        if not self.is_formula:
            self._print  # noqa: B018  reading it is the check

    @property
    def is_formula(self) -> bool:
        """Return whether a formula was printed."""
        return "=" in self.printed

    @_kept
    def support(self) -> Any:
        """Return what computes the claim: a statement, a Calculation, or None."""
        found = _meant(self.by) if self.by else None
        if self.given and not isinstance(found, Formula):
            raise DeclarationError(f"`given` is for the letters of a formula; `{self.by}` is none")
        return found

    @_kept
    def givens(self) -> dict[str, Any]:
        """Return what is given, by letter: texts of quantities, statements, Calculations."""
        return {n: _meant(x) if "[" in f"{x}" or ADDRESS.search(f"{x}") else x for n, x in self.given.items()}

    @_kept
    def _print(self) -> Any:
        """Return the Printed quantity, or the printed Formula."""
        if not self.is_formula:
            return Printed.read(self.printed)
        letter, _, right = (part.strip() for part in self.printed.partition("="))
        wanted = self.support.lhs.name if isinstance(self.support, Formula) else "no formula"
        if letter != wanted:
            raise DeclarationError(f"`{self.printed}` is for {letter}, but `{self.by}` computes {wanted}")
        return Formula(self.support.lhs, expression(right, self.support.inputs), where=self.where)

    @property
    def facts(self) -> dict[str, Any]:
        """Return what computes the claim and what is given for it, as far as they are statements."""
        found = {self.by: self.support, **self.givens} if self.by else {}
        return {name: x for name, x in found.items() if hasattr(x, "roots")}

    @_kept
    def claimed(self) -> Quantity:
        """Return the printed quantity; of a printed formula, its value at the givens."""
        if not self.is_formula:
            return self._print.quantity
        given = {v: self.givens[v.name] for v in self._print.inputs if v.name in self.givens}
        found, _ = self._print.evaluate(given)
        return found.to(units.unit(self._print.lhs.shown))

    @_kept
    def value(self) -> Quantity | None:
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        if self.support is None:
            return None
        if isinstance(self.support, Formula):
            found, _ = self.support.evaluate(self.givens)  # what was printed may lie beyond the regime
        else:
            found = units.quantity(self.support, f"`{self.by}`")
        found = units.matching(found, self.claimed, f"what `{self.says}` is when computed")
        return found.to(self.claimed.units)

    @_kept
    def verdict(self) -> str:
        """Return reproduced, rounding, wrong or unsupported."""
        found = self._found
        if found == "wrong" and not self.because and self.diagnosis.verdict == "wrong":
            told = f"is wrong ({self.diagnosis.text}; computed {self.text()}): say in `because` what happened"
            raise DeclarationError(f"`{self.says}` {told}")
        if found == "reproduced" and (self.because or self.consequence):
            told = f"is reproduced ({self.text()}), yet `because` or `consequence` explains why it is not"
            raise DeclarationError(f"`{self.says}` {told}: one of the two is out of date")
        return found

    @_kept
    def _found(self) -> str:
        if self.value is None:
            return "unsupported"
        if not self.is_formula:
            return self._print.judge(float(self.value.magnitude), self.digits)
        try:
            judge.equal(self._print.rhs, self.support.rhs, place=self.where)
        except Refuted:  # a claim that only could not be judged is not wrong: that error goes on
            return "wrong"
        return "reproduced"

    def _flaws(self) -> Iterator[str]:
        self.verdict  # noqa: B018  asking is judging
        yield from ()

    @_kept
    def diagnosis(self) -> Diagnosis:
        """Return the Diagnosis of the printed against the computed value."""
        if self.value is None:
            return Diagnosis("wrong", "nothing is given from which it could be computed", math.nan)
        claimed, value = float(self.claimed.magnitude), float(self.value.magnitude)
        end = None if self.is_formula else self._print.end
        nearest = float(end) if end and value > float(end) else claimed
        unit = self.claimed.units
        known = [(label, Calculation(text).value.m_as(unit)) for label, text in self.mistakes.items()]
        return diagnose(nearest, value, known, rtol=1e-9)

    @property
    def explanation(self) -> str:
        """Return in words how the claim came about: the author's, or the engine's diagnosis."""
        wrong = self.verdict in ("wrong", "unsupported")
        return self.because or (self.diagnosis.text if wrong else "")

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the computed value as pages print it, or an empty text for an unsupported claim.

        A duration that is no readable number in the printed unit is shown in another one; a plain
        count whose printed number was whole stays whole.
        """
        if self.value is None:
            return ""
        if self._is_count and unit is None and digits is None:
            return quantity_text(self.value, None, 0)
        readable = 1 <= abs(self.value.magnitude) < 1000
        if unit is None and not readable and self._found == "wrong" and self.value.check("[time]"):
            unit = natural_unit(self.value, "s")
        printed = 3 if self.is_formula else min(self._print.digits, 6)
        return quantity_text(self.value, unit, digits or max(3, printed))

    @property
    def _is_count(self) -> bool:
        if self.is_formula or not self.value.unitless or "." in self._print.number:
            return False
        value = float(self.value.magnitude)
        return abs(value) < 1e4 and math.isclose(value, round(value), rel_tol=1e-12)

    def printed_text(self) -> str:
        """Return what was printed, as pages print it; a formula as LaTeX between dollars."""
        return f"${self._print.latex()}$" if self.is_formula else self._print.text()

    def how(self) -> str:
        """Return the computation as text: letters with numbers, the calculation, or an address."""
        if self.support is None:
            return ""
        if isinstance(self.support, Calculation):
            counted = self.support.text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(self.support, Formula):
            values = {v: units.quantity(self.givens[v.name], v.name) for v in self.support.inputs}
            return line_with(self.support, values, self.text())
        return f"{self.support.address}: {self.text()}"


def _meant(text: str) -> Any:
    """Return the statement at an address, or the Calculation that a text is."""
    return book.find(text) if ADDRESS.fullmatch(text) else Calculation(text)
