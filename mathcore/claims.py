"""`Claim`: what a published text says, where, and what it is when computed.

The verdict is computed, never typed. *Reproduced*: the computed value rounds to what was printed,
or lies within the printed bounds. *Rounding*: off by less than a unit of the last printed digit,
or by less than a tenth where the text itself says "about". *Wrong*: anything else, with a
diagnosis. *Unsupported*: nothing is given from which the statement could be computed.
"""

import functools
import math
from dataclasses import dataclass, field

import sympy

from mathcore import judge, units
from mathcore.calculations import Calculation
from mathcore.diagnosis import Diagnosis, diagnose
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, StepError
from mathcore.formatting import natural_unit, quantity_text
from mathcore.formulas import Formula
from mathcore.printed import Printed
from mathcore.printing import latex
from mathcore.worked import line_with

VERDICTS = ("reproduced", "rounding", "wrong", "unsupported")


@dataclass(frozen=True, eq=False)
class Claim(Entity):
    """State a claim: `Claim("a fleet of 16,384 GPUs fails every 44 minutes", "44 min", …)`.

    `printed` is the quantity in print; `~44 min` where the text says "about", `<1 %` or `20..40 %`
    for bounds, or a sympy expression for a printed formula. `by` is what computes it: a Formula (with
    `givens`), an Example, a Fact, a text such as `"200[gpu h] / 16384[gpu]"`, or None where nothing
    supports the claim. `source` and `at` say where it stands; `digits` how many printed digits
    count, where zeros at the end leave that open; `because` explains what went wrong, `consequence`
    what changes once it is right; `mistakes` are calculations by label that may explain the number.

    Raises: DeclarationError without source or place, for a wrong claim that no diagnosis and no
    `because` explains, or for an explanation of a claim that is reproduced.

    >>> slip = Claim("a fleet fails every 44 minutes", "44 min", "200[gpu h] / 16384[gpu]",
    ...              source="checkpoint_reckoning", at="title")
    >>> slip.verdict, slip.diagnosis.text
    ('wrong', '60 times too large: a smaller unit of time read as the next larger')
    """

    says: str
    printed: object
    by: object
    givens: dict = field(default_factory=dict)
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
                raise DeclarationError(
                    f"the claim `{self.says}` has no {name}: nobody could look it up", self.where
                )
        if self.by is None and not self.because:
            raise DeclarationError(f"the claim `{self.says}`: say in `because` what it lacks", self.where)
        self._print  # noqa: B018  reading it is the check

    @functools.cached_property
    def _print(self):
        """Return the Printed quantity, or the printed Formula."""
        if isinstance(self.printed, Formula):
            return self.printed
        if isinstance(self.printed, sympy.Basic):
            return Formula(self.by.lhs, self.printed, where=self.where)
        return Printed.read(self.printed)

    @property
    def is_formula(self):
        """Return whether a formula was printed."""
        return isinstance(self._print, Formula)

    @functools.cached_property
    def claimed(self):
        """Return the printed quantity; of a printed formula, its value at the givens."""
        return self._at(self._print) if self.is_formula else self._print.quantity

    def _at(self, formula):
        found = formula.at({v: x for v, x in self.givens.items() if v in formula.inputs})
        return found.to(units.unit(formula.lhs.shown))

    @functools.cached_property
    def value(self):
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        if self.by is None:
            return None
        if isinstance(self.by, Formula):
            found = self._at(self.by)
        else:
            found = Calculation(self.by).value if isinstance(self.by, str) else units.quantity(self.by)
        found = units.matching(found, self.claimed, f"what `{self.says}` is when computed")
        return found.to(self.claimed.units)

    @functools.cached_property
    def verdict(self):
        """Return reproduced, rounding, wrong or unsupported."""
        found = self._found
        if found == "wrong" and not self.because and self.diagnosis.verdict == "wrong":
            raise DeclarationError(
                f"the claim `{self.says}` is wrong ({self.diagnosis.text}; computed {self.text()}): "
                "say in `because` what happened",
                self.where,
            )
        if found == "reproduced" and (self.because or self.consequence):
            raise DeclarationError(
                f"the claim `{self.says}` is reproduced ({self.text()}), yet `because` or `consequence` "
                "explains why it is not: one of the two is out of date",
                self.where,
            )
        return found

    @functools.cached_property
    def _found(self):
        if self.by is None:
            return "unsupported"
        if not self.is_formula:
            return self._print.judge(float(self.value.magnitude), self.digits)
        try:
            judge.equal(self._print.rhs, self.by.rhs, self.where)
        except StepError:
            return "wrong"
        return "reproduced"

    @functools.cached_property
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
        if self.is_formula:
            return f"${self._print.lhs.tex} = {latex(self._print.rhs)}$"
        return self._print.text()

    def how(self):
        """Return the computation as text: letters with numbers, the calculation, or an address."""
        if self.by is None:
            return ""
        if isinstance(self.by, str):
            counted = Calculation(self.by).text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(self.by, Formula):
            values = {v: units.quantity(x, v.name) for v, x in self.givens.items() if v in self.by.inputs}
            return line_with(self.by, values, self.text())
        return f"{self.by.address}: {self.text()}"
