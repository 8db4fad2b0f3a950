"""`Comparison`: the predictions of a formula against measured rows that no fit has seen.

A Comparison states which column of a Dataset is which symbol, which symbols are fitted because only measurement
knows them (the attained share of a bandwidth, the cost of a launch), on which rows they are fitted, and on which rows
the prediction is tested. Nothing is computed on import; `issues` yields a bound that does not hold, or that is so wide
that it detects nothing.
"""

import functools
import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mathcore import number_format, units
from mathcore.errors import nearest
from mathcore.formulas import Formula
from mathcore.measured import systems
from mathcore.measured.datasets import Dataset
from mathcore.measured.fit import Fit, FittedLogs
from mathcore.measured.parameters import ExtremeRatio, FittedParameter, count_with_noun
from mathcore.measured.row_values import RowValues
from mathcore.measured.split import SplitRows, split_rows
from mathcore.number_format import number_text
from mathcore.statements import Statement, comparisons_of
from mathcore.symbols import Variable
from mathcore.types import Array, Numbers
from mathcore.units import Quantity, quantity_text

MIN_HOLDOUT_ROWS = 4
COUNT_UNITS = ("", "gpu", "token", "B")  # units that the label of a range states already
BOUND_MARGIN = 0.005  # a fit nearer to the end of its range, in logarithms, has run against it
NEGLIGIBLE_ERROR = 0.01  # an error that is acceptable in any case
DEGRADATION_LIMIT = 2  # times the error expected from the fitted rows: beyond that a model is worse on new rows
MAX_SLACK = 1.5  # times the error found: a wider bound would not detect mistakes
MIN_ROWS_FOR_QUANTILES = 20  # rows of which a twentieth, beyond either end of the middle 90 %, is one row or more


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Statement):
    """The claim that `formula` predicts the column `measured` of `data`, within a `bound`.

    `columns` maps each symbol to a column, a quantity, another Formula that gives it (the convention in
    which a source counts), or `(text column, {cell: quantity})`. `fit_parameters` are the fitted symbols, each with
    its plausible range. `only` selects rows; of these, `fit` selects those to fit on and `holdout` those to test on,
    where one may be left out as the rest of the other; with a `seed` instead, a third of the configurations is drawn
    for the test. Without fitted parameters all rows are tested. `bound` is the largest median and the largest
    relative error. `system` names what was measured, `over` the columns whose ranges are printed, `reading_error` how
    far a value read off a chart may be off, which intervals include. `also` are further formulas of which the
    prediction consists, `note` states what follows.

    >>> from mathcore import find
    >>> case = find("training.measured.mpt_h100")
    >>> case.rows, case.unseen, round(case.median, 2)
    (41, 17, 0.12)
    """

    formula: Formula
    data: Dataset
    measured: str
    columns: Mapping[Any, object]
    system: str
    bound: tuple[str, str]
    fit_parameters: Mapping[Variable, tuple[str, str]] = field(default_factory=dict)
    only: Mapping[str, object] = field(default_factory=dict)
    fit: Mapping[str, object] | None = None
    holdout: Mapping[str, object] | None = None
    seed: int | None = None
    over: Mapping[str, str] = field(default_factory=dict)
    reading_error: str = ""
    also: tuple = ()
    note: str = ""

    def __post_init__(self) -> None:
        """Register the comparison with its formulas, and check the fitted parameters."""
        for formula in (self.formula, *self.also):
            comparisons_of.setdefault(formula, []).append(self)
        known = [v.name for v in self.formula.inputs]
        for symbol in self.fit_parameters:
            if symbol not in self.formula.inputs:
                message = f"`{symbol}` is no symbol of {self.formula.label}: only its symbols can be fitted parameters"
                expected, hint = ", ".join(map(str, known)), nearest(symbol, known)
                raise self.located_error(message, code="unknown-key", got=symbol, expected=expected, hint=hint)
        if self.fit_parameters and self.fit is None and self.holdout is None and self.seed is None:
            message = "parameters are fitted, on which rows? give holdout=, fit= or seed="
            raise self.located_error(message, code="missing", expected="holdout=, fit= or seed=")

    def _repr_detail(self) -> str:
        return f": {self.formula.label} on {self.data.file}"

    @property
    def meaning(self) -> str:
        """Return the system, the text by which `search` finds the comparison."""
        return self.system

    @functools.cached_property
    def row_values(self) -> RowValues:
        """Return the values of symbols in rows."""
        return RowValues(self)

    @functools.cached_property
    def model_fit(self) -> Fit:
        """Return the fit of the parameters."""
        return Fit(self)

    @functools.cached_property
    def split_rows(self) -> SplitRows:
        """Return the rows of the fit and the rows of the test.

        Raises: DeclarationError for a configuration that is on both sides.
        """
        return split_rows(self)

    @property
    def fitted(self) -> FittedLogs:
        """Return the logarithms of the fitted parameters, and half widths of their intervals."""
        return self.model_fit.fitted

    @property
    def fitted_parameters(self) -> dict[str, FittedParameter]:
        """Return the fitted parameters by name, each with `value`, `low` and `high`."""
        return {symbol.name: FittedParameter(self, symbol, where=self.where) for symbol in self.fit_parameters}

    @property
    def least(self) -> ExtremeRatio:
        """Return the least ratio of measured to predicted on the test rows."""
        return ExtremeRatio(self, "least", where=self.where)

    @property
    def greatest(self) -> ExtremeRatio:
        """Return the greatest ratio of measured to predicted on the test rows."""
        return ExtremeRatio(self, "greatest", where=self.where)

    @property
    def system_low(self) -> ExtremeRatio:
        """Return the lower end of the 90 % band of another system, as a given of examples."""
        return ExtremeRatio(self, "low", where=self.where)

    @property
    def system_high(self) -> ExtremeRatio:
        """Return the upper end of the 90 % band of another system, as a given of examples."""
        return ExtremeRatio(self, "high", where=self.where)

    @functools.cached_property
    def ratios(self) -> Array:
        """Return predicted over measured on the test rows, an array (rows,)."""
        return self.predicted(self.split_rows.holdout).magnitude / self.observed(self.split_rows.holdout).magnitude

    def observed(self, rows: Sequence[Mapping]) -> Quantity:
        """Return the measured values as an array (rows,) in the unit of the left side."""
        return self.row_values.observed(rows)

    def predicted(self, rows: Sequence[Mapping]) -> Quantity:
        """Return the predictions for rows, with the fitted parameters, as an array (rows,)."""
        parameters = {name: parameter.value for name, parameter in self.fitted_parameters.items()}
        return self.formula.evaluate({**self.row_values.of_formula(self.formula, rows), **parameters})[0]

    @property
    def expected_error(self) -> float | None:
        """Return the median error to expect from the fitted rows alone; None without fitted parameters."""
        return self.model_fit.expected_error

    @property
    def error_as_expected(self) -> bool | None:
        """Return whether the median on unseen rows is at most twice `expected_error`; None if there is none."""
        if self.expected_error is None:
            return None
        return self.median <= max(DEGRADATION_LIMIT * self.expected_error, NEGLIGIBLE_ERROR)

    # --- systems ---------------------------------------------------------------------------

    @property
    def systems(self) -> list[str]:
        """Return the systems of the rows of fit and test."""
        return self.data.systems_of(itertools.chain(*self.split_rows))

    @property
    def system_band(self) -> tuple[float, float] | None:
        """Return between which multiples of the prediction 90 % of the rows of another system are to be expected."""
        return self.model_fit.system_band

    @property
    def coverage(self) -> float | None:
        """Return which share of a system's rows lies in the band that the other systems give; None for under four."""
        return systems.band_coverage(self.model_fit.system_residuals)

    # --- where it holds ---------------------------------------------------------------------

    @functools.cached_property
    def measured_ranges(self) -> dict[Variable, tuple[float, float]]:
        """Return by symbol the range of the rows of fit and test, in declared units."""
        return self.row_values.ranges(list(itertools.chain(*self.split_rows)))

    def cautions(self, numbers: Mapping[Variable, Numbers]) -> list[str]:
        """Return a text on the numbers, by symbol in declared units, that lie outside the range of the rows."""
        texts = []
        for symbol in self.row_values.outside(numbers, self.measured_ranges):
            ends = (quantity_text(symbol.display_quantity(end), None, 3) for end in self.measured_ranges[symbol])
            texts.append(f"{symbol.meaning} {' to '.join(dict.fromkeys(ends))}")
        return [f"fitted constants of {self.address or self.system} hold for {', '.join(texts)}"] if texts else []

    @property
    def same_rows(self) -> list["Comparison"]:
        """Return the other comparisons with some of the same test rows, which are no independent tests."""
        own = {id(row) for row in self.split_rows.holdout}
        stated = dict.fromkeys(itertools.chain(*comparisons_of.values()))
        others = (each for each in stated if each is not self and each.data is self.data and each.address)
        return [each for each in others if own & {id(row) for row in each.split_rows.holdout}]

    @property
    def errors(self) -> list[float]:
        """Return the relative error of each test row."""
        return [abs(float(ratio) - 1) for ratio in self.ratios]

    @property
    def median(self) -> float:
        """Return the median relative error on the test rows."""
        return statistics.median(self.errors)

    @property
    def worst(self) -> float:
        """Return the largest relative error on the test rows."""
        return max(self.errors)

    @property
    def rows(self) -> int:
        """Return the number of rows of fit and test."""
        return sum(map(len, self.split_rows))

    @property
    def unseen(self) -> int:
        """Return the number of test rows, none of which the fit has seen."""
        return len(self.split_rows.holdout)

    @property
    def band(self) -> tuple[float, float]:
        """Return the range of measured over predicted of the middle 90 % of the test rows; of few rows, of all."""
        import numpy as np

        low, high = np.quantile(1 / self.ratios, (0.05, 0.95) if self.unseen >= MIN_ROWS_FOR_QUANTILES else (0, 1))
        return float(low), float(high)

    def text(self) -> str:
        """Return the verdict, as pages show it next to that of the algebra."""
        systems_of_test = len(self.data.systems_of(self.split_rows.holdout))
        count = f"{count_with_noun(self.unseen, 'configuration')} of {count_with_noun(systems_of_test, 'system')}"
        median, worst = (f"{number_text(100 * share, 2)}{number_format.NNBSP}%" for share in (self.median, self.worst))
        parts = [f"measured: {count}", f"median {median} off", f"worst {worst}", self.ranges()]
        return ", ".join(filter(None, parts))

    def elsewhere(self) -> str:
        """Return the expected error on another system, as pages print it."""
        count = len(self.model_fit.system_residuals) or 1
        if self.system_band is None:
            return f"{count_with_noun(count, 'system').capitalize()}: no range for another one."
        low, high = (number_text(end, 2) for end in self.system_band)
        share = f"90{number_format.NNBSP}% of another system's measurements"
        return f"{share}: {low}× to {high}× the prediction ({count} systems)."

    def ranges(self) -> str:
        """Return the ranges of the test rows: `batch 8–512`."""
        return ", ".join(f"{label} {self._range(column)}" for label, column in self.over.items())

    def _range(self, column: str) -> str:
        self.data.require(column)
        cells = sorted(row[column] for row in self.split_rows.holdout)
        unit = self.data.columns[column].unit
        billions = 1e9 if cells[0].magnitude >= 1e9 else 1
        numbers = [cell.magnitude / billions for cell in (cells[0], cells[-1])]
        ends = dict.fromkeys(number_text(number, None if number.is_integer() else 3) for number in numbers)
        span = "–".join(ends)
        if billions > 1:
            return f"{span} billion"
        return span if unit in COUNT_UNITS else number_format.spell_quantity(span, number_format.unit_text(unit))

    def _find_issues(self) -> Iterator[str]:
        few = MIN_HOLDOUT_ROWS if self.fit_parameters else 1
        if self.unseen < few:
            yield f"{self.where}: {self.address}: tested on {self.unseen} rows: hold out {few} or more"
        for name, error, stated in zip(("median", "worst"), (self.median, self.worst), self.bound, strict=True):
            bound = units.quantity(stated).m_as("")
            if not error <= bound <= max(MAX_SLACK * error, error + 0.01):
                message = f"is {number_text(100 * error, 3)} % off, and the stated bound is {stated}"
                cure = "the formula or the data became worse" if error > bound else "so wide a bound notices nothing"
                yield f"{self.where}: {self.address}: the {name} {message}: {cure}"
        if not self.fit_parameters:
            return
        centres, _, halves = self.fitted
        for parameter, (low, high), centre, half in zip(
            self.fitted_parameters.values(), self.model_fit.plausible, centres, halves, strict=True
        ):
            edge = min(abs(math.log(end) - centre) for end in (low, high)) < BOUND_MARGIN
            if edge or (centre - half <= math.log(low) and centre + half >= math.log(high)):
                ends = " to ".join(self.fit_parameters[parameter.symbol])
                message = f"the fit gives {parameter!r}: at the edge of what is plausible, {ends}"
                yield f"{self.where}: {self.address}: {message}"
