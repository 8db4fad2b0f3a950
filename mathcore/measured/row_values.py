"""The values of the symbols of a formula in the rows of a data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mathcore import units
from mathcore.errors import ArgumentError, nearest
from mathcore.formulas import Formula
from mathcore.symbols import Variable
from mathcore.types import Numbers
from mathcore.units import Quantity

if TYPE_CHECKING:
    from mathcore.measured.comparisons import Comparison

RANGE_ROUNDING = 0.01  # by so little a value may lie outside the range of the rows


class RowValues:
    """The values of symbols in rows, as the `columns` of a comparison state them."""

    def __init__(self, comparison: "Comparison") -> None:
        self.comparison, self.data = comparison, comparison.data
        self.stated = {str(getattr(key, "name", key)): column for key, column in comparison.columns.items()}

    def configuration(self, row: Mapping) -> str:
        """Return the cells of a row from which the formula is computed: rows with the same cells repeat each other."""
        cells = ((name, row[name]) for name in dict.fromkeys(self.columns_of(self.comparison.formula)))
        return ", ".join(f"{name} {c:g~}" if isinstance(c, Quantity) else f"{name} {c}" for name, c in cells)

    def columns_of(self, formula: Formula) -> Iterator[str]:
        """Yield the columns from which the symbols of a formula come."""
        for symbol in formula.inputs:
            stated = self.stated.get(symbol.name)
            if isinstance(stated, Formula):
                yield from self.columns_of(stated)
            named = stated[0] if isinstance(stated, tuple) else stated
            if isinstance(named, str) and named in self.data.columns:
                yield named

    def inputs(self, formula: Formula) -> Iterator[Variable]:
        """Yield the symbols of a formula that are not fitted, and the inputs of the formulas that give them."""
        for symbol in formula.inputs:
            if symbol not in self.comparison.fit_parameters:
                yield symbol
                if isinstance(stated := self.stated.get(symbol.name), Formula):
                    yield from self.inputs(stated)

    def is_computed(self, symbol: Variable, known: Iterable[Variable]) -> bool:
        """Return whether a formula gives the symbol from others that are known, whose ranges say it all."""
        stated = self.stated.get(symbol.name)
        return isinstance(stated, Formula) and {*stated.inputs} - {*self.comparison.fit_parameters} <= {*known}

    def of_formula(self, formula: Formula, rows: Sequence[Mapping]) -> dict[str, Quantity]:
        """Return the symbols of a formula, fitted parameters left out, as arrays (rows,) by name.

        Raises: ArgumentError for a symbol without a column, an empty cell, or another dimension.
        """
        return {v.name: self.of_symbol(v, rows) for v in formula.inputs if v not in self.comparison.fit_parameters}

    def of_symbol(self, symbol: Variable, rows: Sequence[Mapping]) -> Quantity:
        """Return the values of a symbol as an array (rows,) in its unit."""
        title = f"{symbol.name} ({symbol.meaning})"
        if symbol.name not in self.stated:
            message = f"nothing says which column is {title}"
            raise ArgumentError(message, self.comparison.where, code="missing", expected=symbol.name)
        stated = self.stated[symbol.name]
        if isinstance(stated, Formula):
            return stated.evaluate(self.of_formula(stated, rows))[0]
        if isinstance(stated, tuple):
            column, table = stated
            cells = [table.get(row[column], row[column]) for row in rows]
        elif isinstance(stated, str) and stated in self.data.columns:
            cells = [row[stated] for row in rows]
        else:
            near = nearest(stated, self.data.columns) if isinstance(stated, str) else ""
            title = f"{title}, no column of {self.data.file}{near and f' ({near})'},"
            cells = [units.quantity(units.to_per_device(stated, symbol.dimension), title)] * len(rows)
        return self._array(cells, title, symbol)

    def observed(self, rows: Sequence[Mapping]) -> Quantity:
        """Return the measured values as an array (rows,) in the unit of the left side."""
        measured, lhs = self.comparison.measured, self.comparison.formula.lhs
        self.data.require(measured)
        return self._array([row[measured] for row in rows], f"{measured} as {lhs.meaning}", lhs)

    def _array(self, cells: Sequence, title: str, symbol: Variable) -> Quantity:
        """Return cells as one array quantity in the unit of a symbol."""
        import numpy as np

        wanted = symbol.quantity(1)
        try:
            if None in cells:
                text = f"{title} is empty in some rows of {self.data.file}: choose others with only="
                raise ArgumentError(text, code="missing", expected="a value in every row")
            numbers = [units.match_dimension(cell, wanted, title).m_as(wanted.units) for cell in cells]
        except ArgumentError as error:
            raise ArgumentError.of(error, self.comparison.where) from None
        return Quantity(np.array(numbers), wanted.units)

    def ranges(self, rows: Sequence[Mapping]) -> dict[Variable, tuple[float, float]]:
        """Return the least and the greatest value of each symbol in rows, in declared units."""
        ranges = {}
        for symbol in dict.fromkeys(self.inputs(self.comparison.formula)):
            numbers = self.of_symbol(symbol, rows).magnitude
            ranges[symbol] = float(numbers.min()), float(numbers.max())
        return ranges

    def outside(
        self, numbers: Mapping[Variable, Numbers], ranges: Mapping[Variable, tuple[float, float]]
    ) -> list[Variable]:
        """Return the symbols of which a number lies outside its range, by more than rounding."""
        import numpy as np

        outside = []
        for symbol, (low, high) in ranges.items():
            if symbol in numbers and not self.is_computed(symbol, numbers):
                given = np.asarray(numbers[symbol], float)
                if np.any((given < low * (1 - RANGE_ROUNDING)) | (given > high * (1 + RANGE_ROUNDING))):
                    outside.append(symbol)
        return outside
