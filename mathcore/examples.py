"""`Example`: a formula with its givens, computed, and held against a number found elsewhere.

Nothing is computed when an example is stated: a fact that changes never stops an import. What became
stale is what `complaints` lists.
"""

import functools
import math
import re
from dataclasses import dataclass

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import ArgumentError, MathcoreError
from mathcore.printing import latex, line_of
from mathcore.units import natural_unit, quantity_text

ROUNDING = 1e-12  # what floating point may add to a tolerance of zero


@dataclass(frozen=True, eq=False, repr=False)
class Example(Entity):
    """State a worked example: `Example(interval, {C: "4 min", M: "8 h"}, expect="62 min")`.

    The givens are quantities, texts, facts or other examples, by Variable or by name. `expect` is for a
    published number alone, from the place that `source` names; it must agree within the relative tolerance
    `rtol`. What you reckon yourself belongs into a table of your tests, with givens that stay. `unit` and
    `digits` are for another unit or precision than the left side of the formula asks for.

    >>> from mathcore import Formula, Variable
    >>> a, b = Variable("a", "s", "a time"), Variable("b", "s", "its double")
    >>> Example(Formula(b, 2 * a), {a: "4 min"}, expect="8 min").text()
    '8.00\\u202fmin'
    """

    formula: object
    stated: dict
    expect: object = None
    rtol: float = 0.001
    unit: str | None = None
    source: str = ""
    digits: int = 3

    def _told(self):
        try:
            return f": {self.text()}"
        except MathcoreError as error:  # what is printed while an error is sought must not raise another
            return f": no value, {error.message}"

    @functools.cached_property
    def facts(self):
        """Return the givens that are statements of their own, by variable."""
        return {v: x for v, x in self._by_letter.items() if isinstance(x, Entity)}

    @functools.cached_property
    def givens(self):
        """Return the givens as quantities, by variable."""
        return {v: units.quantity(x, f"{v.name} ({v.meaning})") for v, x in self._by_letter.items()}

    @functools.cached_property
    def _by_letter(self):
        known = {v.name: v for v in self.formula.inputs}
        strange = [v for v in self.stated if getattr(v, "name", v) not in known]
        if strange:
            raise ArgumentError(
                f"the example of {self.formula.title} gives {getattr(strange[0], 'name', strange[0])}, which "
                f"the formula does not take; it takes {', '.join(known)}",
                self.where,
            )
        return {known[getattr(v, "name", v)]: x for v, x in self.stated.items()}

    @functools.cached_property
    def expected(self):
        """Return what was found elsewhere as a quantity, or None."""
        if self.expect is None:
            return None
        return units.matching(self.expect, self.value, f"what is expected of {self.formula.title}")

    def _flaws(self):
        """Yield what does not hold: givens that cannot be, or a value that is not the expected one."""
        if self.expected is not None and abs(self.ratio - 1) > max(self.rtol, ROUNDING):
            digits = 3 if abs(self.ratio - 1) > 0.01 else 7  # or both would look alike
            expected = quantity_text(self.expected, None, digits)
            yield (
                f"{self.where}: stale: {self.address} gives {self.text(digits=digits)}, but {expected} "
                f"was expected ({self.ratio:.6g} times that); {self.causes()}"
            )
        self.value  # noqa: B018  computing is the first check

    def causes(self):
        """Say from which statements the givens come, and which value of each would give the expected one."""
        told = [f"{v.name} from {self._cause(v, x)}" for v, x in self.facts.items()]
        direct = list(self.facts.values())
        behind = [
            f"{address} = {fact.text()}" for address, fact in self.roots().items() if fact not in direct
        ]
        rest = f"; behind these, {', '.join(behind)}" if behind else ""
        expected = f"; expected by {self.expect.address}" if isinstance(self.expect, Entity) else ""
        if not told:
            return f"one of formula, givens and expectation is wrong{expected}"
        return f"given {', '.join(told)}{rest}{expected}"

    def _cause(self, variable, statement):
        told = f"{statement.address or statement.where} = {statement.text()}"
        factor = self._factor(variable)
        if factor is None:
            return told
        value = units.quantity(statement)
        agreeing = units.Quantity(float(f"{value.magnitude * factor:.6g}"), value.units)
        return f"{told} ({quantity_text(agreeing, None, None)} would agree)"

    def _factor(self, variable, step=1e-6):
        """Return by what a given must be multiplied to give the expected value, or None."""
        factor, wanted = 1.0, self.expected.m_as(self.value.units)
        try:
            for _ in range(12):  # Newton's method between logarithms: one step for a power law
                found, further = self._at(variable, factor), self._at(variable, factor * (1 + step))
                if abs(found / wanted - 1) < ROUNDING * 100:
                    return factor
                factor *= (wanted / found) ** (step / (further / found - 1))
        except (MathcoreError, ArithmeticError, TypeError):  # out of range, without effect, of another sign
            return None
        return None

    def _at(self, variable, factor):
        given = {**self.givens, variable: self.givens[variable] * factor}
        return self.formula.at(given).m_as(self.value.units)

    @functools.cached_property
    def value(self):
        """Return the computed quantity, in the unit of display."""
        found, _ = self._found
        wanted = natural_unit(found, self.formula.lhs.shown) if self.unit is None else self.unit
        return units.converted(found, wanted, f"the value of {self.formula.title}, shown in `{wanted}`,")

    @functools.cached_property
    def _found(self):
        return self.formula.evaluate(self.givens)

    @property
    def cautions(self):
        """Return what is to be said where the givens lie outside the regime of the formula, as texts."""
        return self._found[1]

    @property
    def ratio(self):
        """Return computed over expected, as a float."""
        found, wanted = self.value.m_as(self.expected.units), self.expected.magnitude
        return found / wanted if wanted else math.inf if found else 1.0

    def text(self, unit=None, digits=None):
        """Return the value as pages print it."""
        return quantity_text(self.value, unit, digits or self.digits)

    def latex(self):
        """Return letters, numbers and result as one chain of LaTeX."""
        return substituted(self.formula, self.givens, self.value, self.digits)


def substituted(formula, givens, value, digits=3):
    """Return `lhs = letters = numbers = result` as LaTeX lines of an aligned environment."""
    values = {v: quantity_latex(x) for v, x in givens.items()}
    shown = formula.rhs if formula.shown is None else formula.shown
    lines = [latex(shown), latex(shown, values), quantity_latex(value, digits)]
    head = f"{formula.lhs.tex} &= {lines[0]}"
    return "\n".join([r"\begin{aligned}", head, rf"\\ &= {lines[1]}", rf"\\ &= {lines[2]}", r"\end{aligned}"])


def quantity_latex(quantity, digits=3):
    """Return a quantity as LaTeX in its own unit, upright unit and thin space.

    >>> print(quantity_latex(units.quantity("4 min")))
    4\\,\\mathrm{min}
    """
    unit = f"{quantity.units}" if quantity._units else ""
    number, _, label = quantity_text(quantity, unit, _short(quantity, unit, digits)).partition("\u202f")
    while label and label[0].isdigit():  # the separator inside a long number
        more, _, label = label.partition("\u202f")
        number = rf"{number}\,{more}"
    label = label.replace("%", r"\%").replace("·", r"\,")
    number = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^{{{power[0].translate(PLAIN)}}}", number)
    number = number.replace("−", "-").replace("·", r"\cdot ")
    return number + (rf"\,\mathrm{{{label}}}" if label else "")


PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _short(quantity, unit, digits):
    value = quantity.m_as(units.unit("" if unit == "dimensionless" else unit))
    as_stated = float(value).is_integer() or float(f"{value:.5g}") == value
    return None if as_stated else digits


def line_with(formula, givens, result):
    """Return the formula as one line of text with numbers in: `√(2 · 4 min · 8 h) = 62.0 min`."""
    texts = {v.name: given_text(x) for v, x in givens.items()}
    return f"{line_of(formula).format(**texts)} = {result}"


def given_text(quantity):
    """Return a given as text, in the unit and with the digits it was stated in; three if computed."""
    unit = f"{quantity.units}" if quantity._units else ""
    return quantity_text(quantity, unit, _short(quantity, unit, 3))
