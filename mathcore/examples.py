"""`Example`: a formula with its givens, computed, and compared with a number from elsewhere.

Nothing is computed when an example is stated: a fact that changes never stops an import. What became
stale is what `issues` yields.
"""

import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mathcore import evaluation, number_format, units
from mathcore.printing import to_latex, to_text
from mathcore.statements import Statement, located_cached_property
from mathcore.symbols import Variable
from mathcore.units import Quantity, QuantityLike, natural_unit, quantity_text

if TYPE_CHECKING:
    from mathcore.formulas import Formula

ROUNDING = 1e-12  # what floating point may add to a tolerance of zero
_MILLIONS = re.compile(r"−?\d{1,3}((?:,\d{3}){2,})")  # a number from a million on, with the groups after the first


@dataclass(frozen=True, eq=False, repr=False)
class Example(Statement):
    """A formula at stated values: `Example(interval, {C: "4 min", M: "8 h"}, expect="62 min")`.

    The givens are quantities, texts, facts or other examples, by Variable or by name. `expect` is for a
    published number alone, from the place that `source` names; it must agree within the relative tolerance
    `rtol`. Values that you computed by hand belong in a table of your tests, with fixed givens. `unit` and
    `digits` are for another unit or precision than the left side of the formula asks for.

    >>> from mathcore import Formula, Variable
    >>> a, b = Variable("a", "s", "a time"), Variable("b", "s", "its double")
    >>> Example(Formula(b, 2 * a), {a: "4 min"}, expect="8 min").text()
    '8.00\\u202fmin'
    """

    formula: "Formula"
    stated: Mapping[Any, QuantityLike]
    expect: "QuantityLike | None" = None  # the quantity, once stated
    rtol: float = 0.001
    unit: str | None = None
    source: str = ""
    digits: int = 3
    expect_source: "QuantityLike | None" = field(init=False, default=None)  # what stated the expectation

    def __post_init__(self) -> None:
        """Parse the expectation; `issues` checks it."""
        if self.expect is not None:
            object.__setattr__(self, "expect_source", self.expect)
            expect = units.quantity(self.expect, f"what is expected of {self.formula.lhs.name}")
            object.__setattr__(self, "expect", expect)

    def _repr_detail(self) -> str:
        return f": {self.text()}"

    @functools.cached_property
    def facts(self) -> dict[Variable, Any]:
        """Return the givens that are statements of their own, by variable."""
        return {v: x for v, x in self._by_symbol.items() if isinstance(x, Statement)}

    @functools.cached_property
    def givens(self) -> dict[Variable, Quantity]:
        """Return the givens as quantities, by variable."""
        return {v: units.quantity(x, f"{v.name} ({v.meaning})") for v, x in self._by_symbol.items()}

    @located_cached_property
    def _by_symbol(self) -> dict[Variable, object]:
        named = ((evaluation.find_input(self.formula, getattr(v, "name", v)), x) for v, x in self.stated.items())
        return {variable: units.to_per_device(x, variable.dimension) for variable, x in named}

    def _find_issues(self) -> Iterator[str]:
        self.value  # noqa: B018  computing is the first check
        if self.expect is not None and abs(self.ratio - 1) > max(self.rtol, ROUNDING):
            digits = 3 if abs(self.ratio - 1) > 0.01 else 7  # or both would look alike
            expected = f"{quantity_text(self.expect, None, digits)} was expected ({self.ratio:.6g} times that)"
            stale = f"stale: {self.address} gives {self.text(digits=digits)}, but {expected}"
            yield f"{self.where}: {stale}; {self.staleness_causes()}"

    def staleness_causes(self) -> str:
        """Return the statements of the givens, with their values."""
        facts = self.facts
        causes = [f"{v.name} from {x.address or x.where} = {x.text()}" for v, x in facts.items()]
        direct = list(facts.values())
        behind = [f"{address} = {fact.text()}" for address, fact in self.source_facts().items() if fact not in direct]
        rest = f"; behind these, {', '.join(behind)}" if behind else ""
        expected = f"; expected by {self.expect_source.address}" if isinstance(self.expect_source, Statement) else ""
        known = f"given {', '.join(causes)}{rest}" if causes else "one of formula, givens and expectation is wrong"
        return known + expected

    @functools.cached_property
    def _evaluated(self) -> tuple[Quantity, list[str]]:
        return self.formula.evaluate(self._by_symbol)

    @functools.cached_property
    def value(self) -> Quantity:
        """Return the computed quantity, in the unit of display."""
        computed = self._evaluated[0]
        wanted = natural_unit(computed, self.formula.lhs.display_unit) if self.unit is None else self.unit
        return units.convert(computed, wanted, f"the value of {self.formula.title}, shown in `{wanted}`,")

    @property
    def validity_warnings(self) -> list[str]:
        """Return the warnings of the formula at the givens."""
        return self._evaluated[1]

    @property
    def ratio(self) -> float:
        """Return computed over expected.

        Raises: ArgumentError for an expectation of another dimension.
        """
        wanted = units.match_dimension(self.expect, self.value, f"what is expected of {self.formula.title}")
        computed = self.value.m_as(wanted.units)
        return computed / wanted.magnitude if wanted.magnitude else math.inf if computed else 1.0

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the value as pages print it."""
        return quantity_text(self.value, unit, digits or self.digits)

    def latex(self) -> str:
        """Return symbols, numbers and result as one chain of LaTeX."""
        return substituted_latex(self.formula, self.givens, self.value, self.digits)


def substituted_latex(formula: "Formula", givens: Mapping[Variable, Quantity], value: Quantity, digits: int = 3) -> str:
    """Return `lhs = symbols = numbers = result` as LaTeX lines of an aligned environment."""
    return aligned_latex(
        formula, rf"\\ &= {right_side_latex(formula, givens)}", rf"\\ &= {quantity_latex(value, digits)}"
    )


def aligned_latex(formula: "Formula", *lines: str) -> str:
    """Return the formula in symbols and further lines as an aligned environment of LaTeX."""
    return "\n".join(
        [r"\begin{aligned}", f"{formula.lhs.tex} &= {to_latex(formula.display_form)}", *lines, r"\end{aligned}"]
    )


def quantity_latex(quantity: Quantity, digits: int = 3) -> str:
    """Return a quantity as LaTeX in its own unit, upright unit and thin space.

    >>> print(quantity_latex(units.quantity("4 min")))
    4\\,\\mathrm{min}
    """
    number, label = _equation_parts(quantity, digits)
    label = label.replace("%", r"\%").replace("·", r"\,")
    number = re.sub(
        "[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^{{{power[0].translate(number_format.FROM_SUPERSCRIPT)}}}", number
    )
    number = number.replace("−", "-").replace("·", r"\cdot ").replace(",", "{,}")
    return number + (rf"\,\mathrm{{{label}}}" if label else "")


def right_side_latex(formula: "Formula", givens: Mapping[Variable, Quantity], render: Callable = quantity_latex) -> str:
    """Return the right side as LaTeX with the givens substituted, each as `render` writes it."""
    return to_latex(formula.display_form, {v: render(x) for v, x in givens.items()})


def substituted_text(formula: "Formula", givens: Mapping[Variable, Quantity], result: str) -> str:
    """Return the formula as one line of text with numbers in: `√(2 · 4 min · 8 h) = 62.0 min`."""
    return f"{to_text(formula.display_form).format(**{v.name: given_symbols(x) for v, x in givens.items()})} = {result}"


def given_text(quantity: Quantity) -> str:
    """Return a given as text, in the unit and with the digits it was stated in; three if computed."""
    return quantity_text(quantity, None, _digits(quantity))


def given_symbols(quantity: Quantity) -> str:
    """Return a given as an equation has it: number and symbol of the unit.

    >>> [given_symbols(units.quantity(x)).replace(number_format.NNBSP, " ") for x in ("70550000000", "80 GB/gpu")]
    ['70.55·10⁹', '80 GB/GPU']
    """
    return number_format.NNBSP.join(filter(None, _equation_parts(quantity)))


def _equation_parts(quantity: Quantity, digits: int = 3) -> tuple[str, str]:
    """Return the number and the symbol of the unit in an equation: a large round count as `70·10⁹`, a GPU as `GPU`."""
    number, label = units.quantity_parts(quantity, None, _digits(quantity, digits))
    if groups := _MILLIONS.fullmatch(number):
        power = 3 * groups[1].count(",")
        value = float(number.replace(",", "").replace("−", "-")) / 10**power
        if value == float(f"{value:.4g}"):
            number = f"{value:.4g}·10{str(power).translate(number_format.TO_SUPERSCRIPT)}".replace("-", "−")
    return number, label.replace("gpu", "GPU")


def _digits(quantity: Quantity, digits: int = 3) -> int | None:
    """Return how many digits a given has: as stated, or `digits` if it was computed."""
    value = float(quantity.magnitude)
    return None if value.is_integer() or float(f"{value:.5g}") == value else digits
