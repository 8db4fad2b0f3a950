"""What a comparison gives to other statements: fitted parameters, and multiples of its prediction."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathcore import units
from mathcore.measured import systems
from mathcore.statements import Statement
from mathcore.symbols import Variable
from mathcore.types import Array, Numbers
from mathcore.units import Quantity, quantity_text

if TYPE_CHECKING:
    from mathcore.measured.comparisons import Comparison


def count_with_noun(count: int, name: str) -> str:
    """Return a number and a noun: `1 system`, `4 systems`."""
    return f"{count} {name}{'s' * (count != 1)}"


@dataclass(frozen=True, eq=False, repr=False)
class FittedParameter(Statement):
    """A symbol that only measurement knows: its value, and the 90 % interval of its value on another system."""

    comparison: "Comparison"
    symbol: Variable
    end: str = "value"

    @property
    def address(self) -> str:
        """Return the address of the comparison followed by the symbol."""
        return f"{self.comparison.address}.{self.symbol.name}"

    @property
    def value(self) -> Quantity:
        """Return the fitted value, or the end of the interval for which `at_bound` asked.

        Raises: DeclarationError for an end where too few systems were measured.
        """
        if self.end == "value":
            return self._at(self.comparison.fitted.logs)
        if self.interval is None:
            count = len(self.comparison.data.systems_of(self.comparison.split_rows.fit))
            message = f"{self.address} was fitted on {count_with_noun(count, 'system')}: no interval for another one"
            expected = max(systems.FEWEST_SYSTEMS, len(self.comparison.fit_parameters) + 1)
            hint = "state a Range with its source"
            raise self.located_error(message, code="no-value", got=count, expected=expected, hint=hint)
        low, high = self.interval
        return low if self.end == "low" else high

    @property
    def interval(self) -> tuple[Quantity, Quantity] | None:
        """Return between which values the parameter of another system lies with 90 %; None for too few systems."""
        fitted = self.comparison.fitted
        return None if fitted.half_widths is None else self._interval(fitted.half_widths)

    @property
    def row_interval(self) -> tuple[Quantity, Quantity]:
        """Return within which values the rows determine the parameter of the systems measured, with 90 %."""
        return self._interval(self.comparison.fitted.row_half_widths)

    @property
    def low(self) -> Quantity:
        """Return the lower end of the interval, as `value` does at this bound."""
        return self.at_bound("low").value

    @property
    def high(self) -> Quantity:
        """Return the upper end of the interval."""
        return self.at_bound("high").value

    def at_bound(self, end: str) -> "FittedParameter":
        """Return the fitted parameter as a given that is taken at the `low` or `high` end of its interval."""
        return replace(self, end=end)

    def _interval(self, half_widths: Array) -> tuple[Quantity, Quantity]:
        logs = self.comparison.fitted.logs
        return self._at(logs - half_widths), self._at(logs + half_widths)

    def _at(self, logs: Array) -> Quantity:
        """Return the parameter as a quantity within its plausible range, from the logarithms of all parameters."""
        import numpy as np

        index = list(self.comparison.fit_parameters).index(self.symbol)
        low, high = self.comparison.model_fit.plausible[index]
        number = math.exp(float(np.clip(logs[index], math.log(low), math.log(high))))
        return self.symbol.quantity(number).to(self.symbol.display_unit)

    def cautions(self, numbers: Mapping[Variable, Numbers]) -> list[str]:
        """Return what lies outside the range of the measured rows, given numbers in declared units by symbol."""
        return self.comparison.cautions(numbers)

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the value as pages print it."""
        return quantity_text(self.value, unit, digits or 2)

    def _repr_detail(self) -> str:
        ends = self.interval
        return f": {self.value:.4g~}, " + (
            f"from {ends[0]:.4g~} to {ends[1]:.4g~} on another system" if ends else "no interval for another system"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ExtremeRatio(Statement):
    """A multiple of the prediction, a given of examples.

    The `least` or the `greatest` that was measured, or the `low` or `high` end of the 90 % band of another system.
    """

    comparison: "Comparison"
    end: str

    @property
    def address(self) -> str:
        """Return the address of the comparison and the end."""
        return f"{self.comparison.address}.{self.end}"

    @property
    def value(self) -> Quantity:
        """Return measured over predicted on the row where it is least or greatest, or at an end of the band.

        Raises: DeclarationError for a band of fewer than three systems.
        """
        if self.end in ("least", "greatest"):
            ratios = self.comparison.ratios
            return Quantity(1 / float(ratios.max() if self.end == "least" else ratios.min()), units.unit(""))
        band = self.comparison.system_band
        if band is None:
            count = len(self.comparison.model_fit.system_residuals)
            message = (
                f"{self.comparison.address} was judged on {count_with_noun(count, 'system')}: no band for another one"
            )
            expected, hint = systems.FEWEST_SYSTEMS, "state a Range with its source"
            raise self.located_error(message, code="no-value", got=count, expected=expected, hint=hint)
        low, high = band
        return Quantity(high if self.end == "high" else low, units.unit(""))

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the value as pages print it."""
        return quantity_text(self.value, unit, digits or 3)
