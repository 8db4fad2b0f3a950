"""The fit of the parameters of a comparison, and what it predicts of rows and of systems that it has not seen.

The fit makes the logarithms of predicted over measured small, with less weight on outliers.
"""

import functools
import hashlib
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mathcore import evaluation, units
from mathcore.measured import systems
from mathcore.types import Array

if TYPE_CHECKING:
    from mathcore.measured.comparisons import Comparison

RESIDUAL_SCALE = 0.1  # residual beyond which a row begins to count less in the fit: ten per cent
MIN_ROWS_PER_PARAMETER = 2  # rows to fit each parameter on


class FittedLogs(NamedTuple):
    """Logarithms of fitted parameters and half widths of their intervals, each an array (parameters,).

    `half_widths` are for another system, None for too few systems; `row_half_widths` say how well the rows determine
    the values.
    """

    logs: Array
    half_widths: Array | None
    row_half_widths: Array


class Fit:
    """The fit of the parameters of a comparison, on any of its rows."""

    def __init__(self, comparison: "Comparison") -> None:
        self.comparison, self.parameters = comparison, comparison.fit_parameters
        self.min_rows = MIN_ROWS_PER_PARAMETER * len(self.parameters)

    @functools.cached_property
    def plausible(self) -> list[tuple[float, float]]:
        """Return the plausible range of each fitted parameter in declared units.

        Raises: DeclarationError for a range that does not lie above zero.
        """
        ranges = []
        for symbol, (low, high) in self.parameters.items():
            least, most = symbol.number(low), symbol.number(high)
            if not 0 < least < most:
                message = f"the range of {symbol.name} is {low} to {high}: write a range above zero"
                expected = "a range above zero"
                raise self.comparison.located_error(
                    message, code="empty-range", got=f"{low} to {high}", expected=expected
                )
            ranges.append((least, most))
        return ranges

    @functools.cached_property
    def fitted(self) -> FittedLogs:
        """Return the fit on the rows of the fit.

        Raises: DeclarationError for too few rows.
        """
        rows = self.comparison.split_rows.fit
        if len(rows) < self.min_rows:
            few = f"{len(rows)} rows to fit {len(self.parameters)} parameters on"
            message = f"{few}: it takes {MIN_ROWS_PER_PARAMETER} for each"
            raise self.comparison.located_error(message, code="missing", got=len(rows), expected=self.min_rows)
        return self.on(rows)

    def on(self, rows: Sequence[Mapping]) -> FittedLogs:
        """Return the fit on some rows."""
        import numpy as np
        from scipy.optimize import approx_fprime, least_squares

        residuals = self.residuals(rows)
        low, high = np.log(self.plausible).T
        # with the default tolerances of 1e-8 the sixth digit of a flat direction depends on the order of the sums
        converged = {"xtol": 1e-12, "ftol": 1e-12, "gtol": 1e-12}
        robust = {"loss": "soft_l1", "f_scale": RESIDUAL_SCALE}
        optimum = least_squares(residuals, (low + high) / 2, bounds=(low, high), **robust, **converged)
        slopes = approx_fprime(optimum.x, residuals, 1e-6).reshape(len(rows), -1)
        weights = 1 / np.sqrt(1 + (optimum.fun / RESIDUAL_SCALE) ** 2)
        names = [self.comparison.data.system_of(row) for row in rows]
        reading = float(units.quantity(self.comparison.reading_error or "0 %").m_as(""))
        return FittedLogs(
            logs=optimum.x,
            half_widths=systems.half_widths(slopes, optimum.fun, names),
            row_half_widths=systems.row_half_widths(slopes, optimum.fun, weights, reading),
        )

    def residuals(self, rows: Sequence[Mapping]) -> Callable[[Array], Array]:
        """Return the function from log parameters, (parameters,), to log predicted over measured, (rows,)."""
        import numpy as np

        formula, values = self.comparison.formula, self.comparison.row_values
        known, observed = values.of_formula(formula, rows), values.observed(rows).magnitude
        numbers = [known[v.name].magnitude if v.name in known else None for v in formula.inputs]
        places = [formula.inputs.index(v) for v in self.parameters]
        predict = evaluation.compile_unchecked(formula.inputs, (formula.numeric,))

        def off(logs: Array) -> Array:
            for place, log in zip(places, logs, strict=True):
                numbers[place] = np.exp(log)
            return np.log(predict(*numbers)[0] / observed)

        return off

    @functools.cached_property
    def expected_error(self) -> float | None:
        """Return the median error to expect, from the fitted rows alone: each part predicted from the others.

        The parts are two halves of the configurations; where these are too small, single ones. Without fitted
        parameters, or with a single configuration, there is no such error: None. No held-out row enters.
        """
        import numpy as np

        rows, configuration = self.comparison.split_rows.fit, self.comparison.row_values.configuration
        keys = sorted({configuration(row) for row in rows}, key=_shuffle_key)
        if not self.parameters or len(keys) < 2:
            return None
        halves = keys[::2], keys[1::2]
        errors: list[float] = []
        for part in halves if len(halves[1]) >= self.min_rows else [[key] for key in keys]:
            aside = [row for row in rows if configuration(row) in part]
            seen = [row for row in rows if configuration(row) not in part]
            errors += abs(np.expm1(self.residuals(aside)(self.on(seen).logs))).tolist()
        return statistics.median(errors)

    @functools.cached_property
    def system_residuals(self) -> dict[str, Array]:
        """Return the logarithms of measured over predicted, an array (rows,) for each system that no fit has seen.

        For each system the parameters are fitted on the rows of the others. Only rows of the test count, unless whole
        systems were held out, fewer than three: then those fitted on are of the same kind. Systems without
        which too few rows are left to fit are missing.
        """
        import numpy as np

        case, data = self.comparison, self.comparison.data
        fitted, test = case.split_rows
        alike = case.seed is not None or {*(case.fit or {}), *(case.holdout or {})} <= set(data.systems.columns)
        few = len(data.systems_of(test)) < systems.FEWEST_SYSTEMS
        rows, residuals = [*fitted, *test] if few and alike else test, {}
        for name in data.systems_of(rows):
            own = [row for row in rows if data.system_of(row) == name]
            others = [row for row in fitted if data.system_of(row) != name]
            if len(others) >= self.min_rows:
                residuals[name] = -self.residuals(own)(self.on(others).logs if self.parameters else np.zeros(0))
        return residuals

    @functools.cached_property
    def system_band(self) -> tuple[float, float] | None:
        """Return between which multiples of the prediction 90 % of the rows of another system are to be expected.

        None for fewer than three systems, from which nothing follows for another one.
        """
        band = systems.prediction_band(self.system_residuals)
        return band and (math.exp(band[0]), math.exp(band[1]))


def _shuffle_key(key: str) -> str:
    """Return a sort key that puts configurations into an order independent of their properties."""
    return hashlib.sha256(key.encode()).hexdigest()
