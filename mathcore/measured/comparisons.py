"""`Comparison`: the predictions of a formula against measured rows that no fit has seen.

A Comparison states which column of a Dataset is which symbol, which symbols are fitted because only measurement
knows them (the attained share of a bandwidth, the cost of a launch), on which rows they are fitted, and on which rows
the prediction is tested. Nothing is computed on import; `issues` yields a bound that does not hold, or that is so wide
that it detects nothing.
"""

import functools
import hashlib
import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mathcore import evaluation, units
from mathcore.errors import ArgumentError, nearest
from mathcore.measured import systems
from mathcore.measured.datasets import Dataset
from mathcore.statements import Statement, comparisons_of
from mathcore.symbols import Variable
from mathcore.types import Array, Numbers, Value
from mathcore.units import Quantity, number_text, quantity_text

if TYPE_CHECKING:
    from mathcore.formulas import Formula

RESIDUAL_SCALE = 0.1  # residual beyond which a row begins to count less in the fit: ten per cent
HOLDOUT_ONE_IN = 3  # of so many configurations a seed puts one aside
MIN_HOLDOUT_ROWS, MIN_ROWS_PER_PARAMETER = 4, 2  # test rows, rows to fit each parameter on
COUNT_UNITS = ("", "gpu", "token", "B")  # units that the label of a range says already
BOUND_MARGIN = 0.005  # nearer than that, in logarithms, a fit has run against the end of its range
NEGLIGIBLE_ERROR = 0.01  # an error that no promise makes too large
DEGRADATION_LIMIT = 2  # times what the fitted rows promise of each other: beyond that a model is worse on new ground
MAX_SLACK = 1.5  # times what was found: a bound beyond that would let slips through
RANGE_ROUNDING = 0.01  # by so little a value may lie outside the range of the rows
MIN_ROWS_FOR_QUANTILES = 20  # rows of which a twentieth, beyond either end of the middle 90 %, is one row or more


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
        if self.end != "value" and self.interval is None:
            count = len(self.comparison.data.systems_of(self.comparison.split_rows[0]))
            message = f"{self.address} was fitted on {_counted(count, 'system')}: no interval for another one"
            expected = max(systems.FEWEST_SYSTEMS, len(self.comparison.fit_parameters) + 1)
            hint = "state a Range with its source"
            raise self._error(message, code="no-value", got=count, expected=expected, hint=hint)
        return self._at({"low": -1, "value": 0, "high": 1}[self.end])

    @property
    def interval(self) -> tuple[Quantity, Quantity] | None:
        """Return between which values the parameter of another system lies with 90 %; None for too few systems."""
        return None if self.comparison.fitted[1] is None else (self._at(-1), self._at(1))

    @property
    def row_interval(self) -> tuple[Quantity, Quantity]:
        """Return within which values the rows determine the parameter of the systems measured, with 90 %."""
        return self._at(-1, 2), self._at(1, 2)

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

    def _at(self, side: int, by: int = 1) -> Quantity:
        import numpy as np

        index = list(self.comparison.fit_parameters).index(self.symbol)
        halves = self.comparison.fitted[by]
        log = self.comparison.fitted[0][index] + (0 if halves is None else side * halves[index])
        low, high = self.comparison.plausible[index]
        number = math.exp(float(np.clip(log, math.log(low), math.log(high))))
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
            count = len(self.comparison.system_residuals)
            message = f"{self.comparison.address} was judged on {_counted(count, 'system')}: no band for another one"
            expected, hint = systems.FEWEST_SYSTEMS, "state a Range with its source"
            raise self._error(message, code="no-value", got=count, expected=expected, hint=hint)
        return Quantity(band[self.end == "high"], units.unit(""))

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the value as pages print it."""
        return quantity_text(self.value, unit, digits or 3)


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

    The fit makes the logarithms of predicted over measured small, with less weight on outliers.

    >>> from mathcore import find
    >>> case = find("training.measured.mpt_h100")
    >>> case.rows, case.unseen, round(case.median, 2)
    (41, 17, 0.12)
    """

    formula: "Formula"
    data: Dataset
    measured: str
    columns: Mapping[Value, object]
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
                raise self._error(message, code="unknown-key", got=symbol, expected=expected, hint=hint)
        if self.fit_parameters and self.fit is None and self.holdout is None and self.seed is None:
            message = "parameters are fitted, on which rows? give holdout=, fit= or seed="
            raise self._error(message, code="missing", expected="holdout=, fit= or seed=")

    def _repr_detail(self) -> str:
        return f": {self.formula.label} on {self.data.file}"

    @property
    def meaning(self) -> str:
        """Return what was measured, by which `search` finds the comparison."""
        return self.system

    @functools.cached_property
    def split_rows(self) -> tuple[list[dict], list[dict]]:
        """Return the rows of the fit and the rows of the test.

        Raises: DeclarationError for a configuration that is on both sides.
        """
        rows = self.data.chosen(self.only)
        self.symbol_values(self.formula, rows)  # a column that cannot be read is said first
        keys = [self._configuration(row) for row in rows]
        if not self.fit_parameters:
            return [], rows
        if self.seed is not None:  # a row keeps its side, whatever rows are added
            hashed = (hashlib.sha256(f"{self.seed} {key}".encode()).hexdigest() for key in keys)
            held_out = [int(each, 16) % HOLDOUT_ONE_IN == 0 for each in hashed]
            fitted = [not side for side in held_out]
        else:
            chosen = [part and self.data.chosen({**self.only, **part}) for part in (self.fit, self.holdout)]
            fitted, held_out = ([part is not None and row in part for row in rows] for part in chosen)
            fitted = fitted if self.fit else [not side for side in held_out]
            held_out = held_out if self.holdout else [not side for side in fitted]
        seen, unseen = (set(itertools.compress(keys, side)) for side in (fitted, held_out))
        if both := sorted(seen & unseen):
            message = f"the fit has seen `{both[0]}`, on which it is to be judged: part the two"
            raise self._error(message, code="inconsistent", got=both[0], expected="rows that no fit has seen")
        return list(itertools.compress(rows, fitted)), list(itertools.compress(rows, held_out))

    def _configuration(self, row: Mapping) -> str:
        cells = ((name, row[name]) for name in dict.fromkeys(self._columns(self.formula)))
        return ", ".join(f"{name} {c:g~}" if isinstance(c, Quantity) else f"{name} {c}" for name, c in cells)

    def _columns(self, formula: "Formula") -> Iterator[str]:
        """Yield the columns from which the symbols of a formula come."""
        for symbol in formula.inputs:
            stated: Value = self._stated.get(symbol.name)
            if hasattr(stated, "evaluate"):
                yield from self._columns(stated)
            named = stated[0] if isinstance(stated, tuple) else stated
            if isinstance(named, str) and named in self.data.columns:
                yield named

    @functools.cached_property
    def _stated(self) -> dict[str, Value]:
        return {str(getattr(v, "name", v)): x for v, x in self.columns.items()}

    def symbol_values(self, formula: "Formula", rows: Sequence[Mapping]) -> dict[str, Quantity]:
        """Return the symbols of a formula, fitted parameters left out, as arrays (rows,) by name.

        Raises: ArgumentError for a symbol without a column, an empty cell, or another dimension.
        """
        return {v.name: self._array(v, rows) for v in formula.inputs if v not in self.fit_parameters}

    def _array(self, symbol: Variable, rows: Sequence[Mapping]) -> Quantity:
        named = f"{symbol.name} ({symbol.meaning})"
        if symbol.name not in self._stated:
            message = f"nothing says which column is {named}"
            raise ArgumentError(message, self.where, code="missing", expected=symbol.name)
        stated = self._stated[symbol.name]
        if hasattr(stated, "evaluate"):
            return stated.evaluate(self.symbol_values(stated, rows))[0]
        if isinstance(stated, tuple):
            column, table = stated
            cells = [table.get(row[column], row[column]) for row in rows]
        elif isinstance(stated, str) and stated in self.data.columns:
            cells = [row[stated] for row in rows]
        else:
            near = nearest(stated, self.data.columns) if isinstance(stated, str) else ""
            other = f"{named}, no column of {self.data.file}{near and f' ({near})'},"
            cells = [units.quantity(units.in_dimension(stated, symbol.dimension), other)] * len(rows)
        return self._numbers(cells, named, symbol)

    def _numbers(self, cells: Sequence, named: str, symbol: Variable) -> Quantity:
        """Return cells as one array quantity in the unit of a symbol."""
        import numpy as np

        wanted = symbol.quantity(1)
        try:
            if None in cells:
                text = f"{named} is empty in some rows of {self.data.file}: choose others with only="
                raise ArgumentError(text, code="missing", expected="a value in every row")
            numbers = [units.matching(cell, wanted, named).m_as(wanted.units) for cell in cells]
        except ArgumentError as error:
            raise ArgumentError.of(error, self.where) from None
        return Quantity(np.array(numbers), wanted.units)

    def observed(self, rows: Sequence[Mapping]) -> Quantity:
        """Return the measured values as an array (rows,) in the unit of the left side."""
        self.data.require(self.measured)
        lhs = self.formula.lhs
        return self._numbers([row[self.measured] for row in rows], f"{self.measured} as {lhs.meaning}", lhs)

    @functools.cached_property
    def plausible(self) -> list[tuple[float, float]]:
        """Return the plausible range of each fitted parameter in declared units.

        Raises: DeclarationError for a range that does not lie above zero.
        """
        found = []
        for symbol, (low, high) in self.fit_parameters.items():
            ends = [symbol.number(end) for end in (low, high)]
            if not 0 < ends[0] < ends[1]:
                message = f"the range of {symbol.name} is {low} to {high}: write a range above zero"
                raise self._error(message, code="empty-range", got=f"{low} to {high}", expected="a range above zero")
            found.append((ends[0], ends[1]))
        return found

    @functools.cached_property
    def fitted(self) -> tuple[Array, Array | None, Array]:
        """Return the logarithms of the fitted parameters, and half widths of their intervals.

        The first are for another system, or None for too few systems; the second say how well the rows determine the
        values.
        """
        rows = self.split_rows[0]
        if len(rows) < MIN_ROWS_PER_PARAMETER * len(self.fit_parameters):
            few = f"{len(rows)} rows to fit {len(self.fit_parameters)} parameters on"
            message = f"{few}: it takes {MIN_ROWS_PER_PARAMETER} for each"
            wanted = MIN_ROWS_PER_PARAMETER * len(self.fit_parameters)
            raise self._error(message, code="missing", got=len(rows), expected=wanted)
        return self._fit(rows)

    def _fit(self, rows: Sequence[Mapping]) -> tuple[Array, Array | None, Array]:
        import numpy as np
        from scipy.optimize import approx_fprime, least_squares

        off = self._residuals(rows)
        low, high = np.log(self.plausible).T
        # with the default tolerances of 1e-8 the sixth digit of a flat direction depends on the order of the sums
        converged = {"xtol": 1e-12, "ftol": 1e-12, "gtol": 1e-12}
        robust = {"loss": "soft_l1", "f_scale": RESIDUAL_SCALE}
        found = least_squares(off, (low + high) / 2, bounds=(low, high), **robust, **converged)
        slopes = approx_fprime(found.x, off, 1e-6).reshape(len(rows), -1)
        weights = 1 / np.sqrt(1 + (found.fun / RESIDUAL_SCALE) ** 2)
        names = [self.data.system_of(row) for row in rows]
        halves = systems.half_widths(slopes, found.fun, names)
        reading = float(units.quantity(self.reading_error or "0 %").m_as(""))
        return found.x, halves, systems.row_half_widths(slopes, found.fun, weights, reading)

    def _residuals(self, rows: Sequence[Mapping]) -> Callable[[Array], Array]:
        """Return the function from log parameters, (parameters,), to log predicted over measured, (rows,)."""
        import numpy as np

        known, observed = self.symbol_values(self.formula, rows), self.observed(rows).magnitude
        numbers = [known[v.name].magnitude if v.name in known else None for v in self.formula.inputs]
        places = [self.formula.inputs.index(v) for v in self.fit_parameters]
        value = evaluation.compile_unchecked(self.formula.inputs, (self.formula.numeric,))

        def off(logs: Array) -> Array:
            for place, log in zip(places, logs, strict=True):
                numbers[place] = np.exp(log)
            return np.log(value(*numbers)[0] / observed)

        return off

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
        return self.predicted(self.split_rows[1]).magnitude / self.observed(self.split_rows[1]).magnitude

    def predicted(self, rows: Sequence[Mapping]) -> Quantity:
        """Return the predictions for rows, with the fitted parameters, as an array (rows,)."""
        parameters = {name: parameter.value for name, parameter in self.fitted_parameters.items()}
        return self.formula.evaluate({**self.symbol_values(self.formula, rows), **parameters})[0]

    @functools.cached_property
    def expected_error(self) -> float | None:
        """Return the median error to expect, from the fitted rows alone: each part predicted from the others.

        The parts are two halves of the configurations; where these are too small, single ones. Without fitted
        parameters, or with a single configuration, there is no such error: None. No held-out row enters.
        """
        import numpy as np

        keys = sorted({self._configuration(row) for row in self.split_rows[0]}, key=_shuffle_key)
        halves = keys[::2], keys[1::2]
        if not self.fit_parameters or len(keys) < 2:
            return None
        enough = len(halves[1]) >= MIN_ROWS_PER_PARAMETER * len(self.fit_parameters)
        parts = halves if enough else [[key] for key in keys]
        errors: list[float] = []
        for part in parts:
            aside = [row for row in self.split_rows[0] if self._configuration(row) in part]
            seen = [row for row in self.split_rows[0] if self._configuration(row) not in part]
            errors += abs(np.expm1(self._residuals(aside)(self._fit(seen)[0]))).tolist()
        return statistics.median(errors)

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

    @functools.cached_property
    def system_residuals(self) -> dict[str, Array]:
        """Return the logarithms of measured over predicted, an array (rows,) for each system that no fit has seen.

        For each system the parameters are fitted on the rows of the others. Only rows of the test count, unless whole
        systems were held out, fewer than three: then those fitted on are of the same kind. Systems without
        which too few rows are left to fit are missing.
        """
        import numpy as np

        fitted, test = self.split_rows
        alike = self.seed is not None or {*(self.fit or {}), *(self.holdout or {})} <= set(self.data.systems.columns)
        few = len(self.data.systems_of(test)) < systems.FEWEST_SYSTEMS
        rows, found = [*fitted, *test] if few and alike else test, {}
        for name in self.data.systems_of(rows):
            own = [row for row in rows if self.data.system_of(row) == name]
            others = [row for row in fitted if self.data.system_of(row) != name]
            if self.fit_parameters and len(others) < MIN_ROWS_PER_PARAMETER * len(self.fit_parameters):
                continue
            found[name] = -self._residuals(own)(self._fit(others)[0] if self.fit_parameters else np.zeros(0))
        return found

    @functools.cached_property
    def system_band(self) -> tuple[float, float] | None:
        """Return between which multiples of the prediction 90 % of the rows of another system are to be expected.

        None for fewer than three systems: then the rows say nothing of another one.
        """
        found = systems.band(self.system_residuals)
        return found and (math.exp(found[0]), math.exp(found[1]))

    @property
    def coverage(self) -> float | None:
        """Return which share of a system's rows lies in the band that the other systems give; None for under four."""
        return systems.coverage(self.system_residuals)

    # --- where it holds ---------------------------------------------------------------------

    @functools.cached_property
    def measured_ranges(self) -> dict[Variable, tuple[float, float]]:
        """Return by symbol the range of the rows of fit and test, in declared units."""
        rows, found = list(itertools.chain(*self.split_rows)), {}
        for symbol in dict.fromkeys(self._inputs_of(self.formula)):
            numbers = self._array(symbol, rows).magnitude
            found[symbol] = float(numbers.min()), float(numbers.max())
        return found

    def _inputs_of(self, formula: "Formula") -> Iterator[Variable]:
        """Yield the symbols of a formula that are not fitted, and those of the formulas that give them."""
        for symbol in formula.inputs:
            if symbol not in self.fit_parameters:
                yield symbol
                stated: Value = self._stated.get(symbol.name)
                if hasattr(stated, "evaluate"):
                    yield from self._inputs_of(stated)

    def cautions(self, numbers: Mapping[Variable, Numbers]) -> list[str]:
        """Return a text on the numbers, by symbol in declared units, that lie outside the range of the rows."""
        found = []
        for symbol, ends in self.measured_ranges.items():
            if symbol in numbers and not self._given_by(symbol, numbers) and _outside(numbers[symbol], *ends):
                texts = (quantity_text(symbol.display_quantity(end), None, 3) for end in ends)
                found.append(f"{symbol.meaning} {' to '.join(dict.fromkeys(texts))}")
        return [f"fitted constants of {self.address or self.system} hold for {', '.join(found)}"] if found else []

    def _given_by(self, symbol: Variable, numbers: Mapping[Variable, Numbers]) -> bool:
        """Return whether a formula gives the symbol from others of the numbers, whose ranges say it all."""
        stated: Value = self._stated.get(symbol.name)
        return hasattr(stated, "evaluate") and set(stated.inputs) - set(self.fit_parameters) <= numbers.keys()

    @property
    def same_rows(self) -> list["Comparison"]:
        """Return the other comparisons with some of the same test rows, which are no independent tests."""
        own = {id(row) for row in self.split_rows[1]}
        stated = dict.fromkeys(itertools.chain(*comparisons_of.values()))
        others = (each for each in stated if each is not self and each.data is self.data and each.address)
        return [each for each in others if own & {id(row) for row in each.split_rows[1]}]

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
        return len(self.split_rows[1])

    @property
    def band(self) -> tuple[float, float]:
        """Return the range of measured over predicted of the middle 90 % of the test rows; of few rows, of all."""
        import numpy as np

        low, high = np.quantile(1 / self.ratios, (0.05, 0.95) if self.unseen >= MIN_ROWS_FOR_QUANTILES else (0, 1))
        return float(low), float(high)

    def text(self) -> str:
        """Return the verdict, as pages show it next to that of the algebra."""
        systems_of_test = len(self.data.systems_of(self.split_rows[1]))
        count = f"{_counted(self.unseen, 'configuration')} of {_counted(systems_of_test, 'system')}"
        median, worst = (f"{number_text(100 * share, 2)}{units.NARROW}%" for share in (self.median, self.worst))
        parts = [f"measured: {count}", f"median {median} off", f"worst {worst}", self.ranges()]
        return ", ".join(filter(None, parts))

    def elsewhere(self) -> str:
        """Return the expected error on another system, as pages print it."""
        count = len(self.system_residuals) or 1
        if self.system_band is None:
            return f"{_counted(count, 'system').capitalize()}: no range for another one."
        low, high = (number_text(end, 2) for end in self.system_band)
        share = f"90{units.NARROW}% of another system's measurements"
        return f"{share}: {low}× to {high}× the prediction ({count} systems)."

    def ranges(self) -> str:
        """Return the ranges of the test rows: `batch 8–512`."""
        return ", ".join(f"{label} {self._range(column)}" for label, column in self.over.items())

    def _range(self, column: str) -> str:
        self.data.require(column)
        cells = sorted(row[column] for row in self.split_rows[1])
        unit = self.data.columns[column].unit
        billions = 1e9 if cells[0].magnitude >= 1e9 else 1
        numbers = [cell.magnitude / billions for cell in (cells[0], cells[-1])]
        ends = dict.fromkeys(number_text(number, None if number.is_integer() else 3) for number in numbers)
        message = "–".join(ends)
        if billions > 1:
            return f"{message} billion"
        return message if unit in COUNT_UNITS else units.in_words(message, units.unit_text(unit))

    def _find_issues(self) -> Iterator[str]:
        few = MIN_HOLDOUT_ROWS if self.fit_parameters else 1
        if self.unseen < few:
            yield f"{self.where}: {self.address}: tested on {self.unseen} rows: hold out {few} or more"
        for name, found, stated in zip(("median", "worst"), (self.median, self.worst), self.bound, strict=True):
            bound = units.quantity(stated).m_as("")
            if not found <= bound <= max(MAX_SLACK * found, found + 0.01):
                message = f"is {number_text(100 * found, 3)} % off, and the stated bound is {stated}"
                cure = "the formula or the data became worse" if found > bound else "so wide a bound notices nothing"
                yield f"{self.where}: {self.address}: the {name} {message}: {cure}"
        if not self.fit_parameters:
            return
        centres, _, halves = self.fitted
        for parameter, (low, high), centre, half in zip(
            self.fitted_parameters.values(), self.plausible, centres, halves, strict=True
        ):
            edge = min(abs(math.log(end) - centre) for end in (low, high)) < BOUND_MARGIN
            if edge or (centre - half <= math.log(low) and centre + half >= math.log(high)):
                ends = " to ".join(self.fit_parameters[parameter.symbol])
                message = f"the fit gives {parameter!r}: at the edge of what is plausible, {ends}"
                yield f"{self.where}: {self.address}: {message}"


def _outside(numbers: Numbers, low: float, high: float) -> bool:
    """Return whether one of the numbers lies outside a range, by more than rounding."""
    import numpy as np

    given = np.asarray(numbers, float)
    return bool(((given < low * (1 - RANGE_ROUNDING)) | (given > high * (1 + RANGE_ROUNDING))).any())


def _counted(count: int, name: str) -> str:
    """Return a number and a noun: `1 system`, `4 systems`."""
    return f"{count} {name}{'s' * (count != 1)}"


def _shuffle_key(key: str) -> str:
    """Return a sort key that puts configurations into an order independent of their properties."""
    return hashlib.sha256(key.encode()).hexdigest()
