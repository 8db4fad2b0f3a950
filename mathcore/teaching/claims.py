"""`Claim`: what a published text says, and what it is when computed; the verdict is never typed.

`Printed` is a quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`. `read_claims` reads the
claims of a chapter from `mathcore/data/claims/CHAPTER.toml`, one table for each, whose keys are the fields of
a Claim; what stands above the first table holds for all.
"""

import functools
import math
import re
from dataclasses import dataclass, field

from mathcore import judge, tables, units
from mathcore.entities import Entity, short
from mathcore.errors import DeclarationError, MathcoreError, Refuted, where
from mathcore.examples import line_with
from mathcore.formulas import Formula
from mathcore.library import DATA, book
from mathcore.teaching.calculations import ADDRESS, Calculation, expression
from mathcore.teaching.diagnosis import Diagnosis, diagnose
from mathcore.units import natural_unit, quantity_text

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
            known = "write one such as `44 min`, `~44 min`, `<1 %` or `20..40 %`"
            raise DeclarationError(f"`{text}` is no printed quantity: {known}", where())
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


VERDICTS = ("reproduced", "rounding", "wrong", "unsupported")


def read_claims(module):
    """Return the claims of a chapter as a Group, from the data file that goes by its name.

    >>> read_claims("mathcore.chapters.claims_papers").daly_day.verdict
    'reproduced'
    """
    return tables.read(DATA / "claims" / f"{short(module)}.toml", Claim, module)


def _kept(found):
    """Return a property that is computed once; what it refuses is told with the line of the claim."""

    @functools.wraps(found)
    def placed(claim):
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

    def __post_init__(self):
        """Refuse a claim that nobody could look up; it is computed when it is first asked for."""
        for name in ("says", "source", "at"):
            if not getattr(self, name).strip():
                raise DeclarationError(f"`{self.says}` has no {name}: nobody could look it up", self.where)
        if not self.by and not self.because:
            raise DeclarationError(f"`{self.says}` has no `by`: say in `because` what it lacks", self.where)
        if not self.is_formula:
            self._print  # noqa: B018  reading it is the check

    @property
    def is_formula(self):
        """Return whether a formula was printed."""
        return "=" in self.printed

    @_kept
    def support(self):
        """Return what computes the claim: a statement, a Calculation, or None."""
        found = _meant(self.by) if self.by else None
        if self.given and not isinstance(found, Formula):
            raise DeclarationError(f"`given` is for the letters of a formula; `{self.by}` is none")
        return found

    @_kept
    def givens(self):
        """Return what is given, by letter: texts of quantities, statements, Calculations."""
        return {n: _meant(x) if "[" in f"{x}" or ADDRESS.search(f"{x}") else x for n, x in self.given.items()}

    @_kept
    def _print(self):
        """Return the Printed quantity, or the printed Formula."""
        if not self.is_formula:
            return Printed.read(self.printed)
        letter, _, right = (part.strip() for part in self.printed.partition("="))
        wanted = self.support.lhs.name if isinstance(self.support, Formula) else "no formula"
        if letter != wanted:
            raise DeclarationError(f"`{self.printed}` is for {letter}, but `{self.by}` computes {wanted}")
        return Formula(self.support.lhs, expression(right, self.support.inputs), where=self.where)

    @property
    def facts(self):
        """Return what computes the claim and what is given for it, as far as they are statements."""
        found = {self.by: self.support, **self.givens} if self.by else {}
        return {name: x for name, x in found.items() if hasattr(x, "roots")}

    @_kept
    def claimed(self):
        """Return the printed quantity; of a printed formula, its value at the givens."""
        if not self.is_formula:
            return self._print.quantity
        given = {v: self.givens[v.name] for v in self._print.inputs if v.name in self.givens}
        found, _ = self._print.evaluate(given)
        return found.to(units.unit(self._print.lhs.shown))

    @_kept
    def value(self):
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        if self.support is None:
            return None
        is_formula = isinstance(self.support, Formula)
        if is_formula:
            found, _ = self.support.evaluate(self.givens)  # what was printed may lie beyond the regime
        else:
            found = units.quantity(self.support, f"`{self.by}`")
        found = units.matching(found, self.claimed, f"what `{self.says}` is when computed")
        return found.to(self.claimed.units)

    @_kept
    def verdict(self):
        """Return reproduced, rounding, wrong or unsupported."""
        found = self._found
        if found == "wrong" and not self.because and self.diagnosis.verdict == "wrong":
            raise DeclarationError(
                f"`{self.says}` is wrong ({self.diagnosis.text}; computed {self.text()}): "
                "say in `because` what happened"
            )
        if found == "reproduced" and (self.because or self.consequence):
            raise DeclarationError(
                f"`{self.says}` is reproduced ({self.text()}), yet `because` or `consequence` "
                "explains why it is not: one of the two is out of date"
            )
        return found

    @_kept
    def _found(self):
        if self.value is None:
            return "unsupported"
        if not self.is_formula:
            return self._print.judge(float(self.value.magnitude), self.digits)
        try:
            judge.equal(self._print.rhs, self.support.rhs, place=self.where)
        except Refuted:  # a claim that only could not be judged is not wrong: that error goes on
            return "wrong"
        return "reproduced"

    def _flaws(self):
        """Yield what does not hold: a verdict that the author's words contradict, or none at all."""
        self.verdict  # noqa: B018  asking is judging
        yield from ()

    @_kept
    def diagnosis(self):
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
    def explanation(self):
        """Return in words how the claim came about: the author's, or the engine's diagnosis."""
        wrong = self.verdict in ("wrong", "unsupported")
        return self.because or (self.diagnosis.text if wrong else "")

    def text(self, unit=None, digits=None):
        """Return the computed value as pages print it, or an empty text for an unsupported claim.

        A duration that is no readable number in the printed unit is shown in another one; a plain
        count whose printed number was whole stays whole.
        """
        if self.value is None:
            return ""
        if self._is_count and unit is None and digits is None:
            return quantity_text(self.value, None, 0)
        readable = 1 <= abs(self.value.magnitude) < 1000
        time = self.value.check("[time]") and self._found == "wrong" and not readable
        printed = 3 if self.is_formula else min(self._print.digits, 6)
        return quantity_text(
            self.value, unit or (natural_unit(self.value, "s") if time else None), digits or max(3, printed)
        )

    @property
    def _is_count(self):
        if self.is_formula or not self.value.unitless or "." in self._print.number:
            return False
        value = float(self.value.magnitude)
        return abs(value) < 1e4 and math.isclose(value, round(value), rel_tol=1e-12)

    def printed_text(self):
        """Return what was printed, as pages print it; a formula as LaTeX between dollars."""
        return f"${self._print.latex()}$" if self.is_formula else self._print.text()

    def how(self):
        """Return the computation as text: letters with numbers, the calculation, or an address."""
        support = self.support
        if support is None:
            return ""
        if isinstance(support, Calculation):
            counted = support.text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(support, Formula):
            values = {v: units.quantity(self.givens[v.name], v.name) for v in support.inputs}
            return line_with(support, values, self.text())
        return f"{support.address}: {self.text()}"


def _meant(text):
    """Return the statement at an address, or the Calculation that a text is."""
    return book.find(text) if ADDRESS.fullmatch(text) else Calculation(text)
