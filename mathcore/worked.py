"""`Example`: a formula with its givens, computed, and held against a number found elsewhere."""

import functools
import math
import re
from dataclasses import dataclass, field

from mathcore import units
from mathcore.diagnosis import diagnose
from mathcore.entities import Entity
from mathcore.errors import DeclarationError
from mathcore.formatting import natural_unit, number_text, quantity_text
from mathcore.formulas import Formula
from mathcore.printing import latex, line_of

ROUNDING = 1e-12  # what floating point may add to a tolerance of zero


@dataclass(frozen=True, eq=False)
class Example(Entity):
    """State a worked example: `Example(interval, {C: "4 min", M: "8 h"}, expect="62 min")`.

    `expect` is found independently of the core (a paper, another program, a hand calculation;
    say which in `source`) and must agree within the relative tolerance `rtol`.

    Raises: DeclarationError when computed and expected differ; ArgumentError for bad givens.

    >>> from mathcore import Variable
    >>> a, b = Variable("a", "s", "a time"), Variable("b", "s", "its double")
    >>> Example(Formula(b, 2 * a), {a: "4 min"}, expect="8 min").text()
    '8.00\\u202fmin'
    """

    formula: Formula
    givens: dict
    expect: object = None
    rtol: float = 0.001
    unit: str | None = None
    source: str = ""
    digits: int = 3
    facts: dict = field(default_factory=dict)

    def __post_init__(self):
        """Compute, and compare with what was found elsewhere."""
        stated = dict(self.givens)
        named = {v: x for v, x in stated.items() if isinstance(x, Entity)}
        values = {v: units.quantity(x, f"{v.name} ({v.meaning})") for v, x in stated.items()}
        object.__setattr__(self, "givens", values)
        object.__setattr__(self, "facts", named)
        self.value  # noqa: B018  computing is the first check
        if self.expect is not None:
            self._compare()

    def _compare(self):
        title = f"the example of {self.formula.title}"
        expected = units.matching(self.expect, self.value, f"what is expected of {title}")
        object.__setattr__(self, "expect", expected)
        rtol = max(self.rtol, ROUNDING)
        found = diagnose(self.value.m_as(expected.units), expected.magnitude, rtol=rtol)
        if found.verdict != "right":
            digits = 3 if abs(self.ratio - 1) > 0.01 else 7  # or both would look alike
            raise DeclarationError(
                f"{title} gives {self.text(digits=digits)}, but {quantity_text(expected, None, digits)} "
                f"was expected ({found.text}): "
                "one of formula, givens and expectation is wrong",
                self.where,
            )

    @functools.cached_property
    def value(self):
        """Return the computed quantity, in the unit of display."""
        found = self.formula.at(self.givens)
        wanted = natural_unit(found, self.formula.lhs.shown) if self.unit is None else self.unit
        return units.converted(found, wanted, f"the value of {self.formula.title}, shown in `{wanted}`,")

    @property
    def ratio(self):
        """Return computed over expected, as a float."""
        found = self.value.m_as(self.expect.units)
        return found / self.expect.magnitude if self.expect.magnitude else math.inf

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


def count_text(number):
    """Return a plain count as pages print it."""
    return number_text(number, None)
