"""`PairedError`: by how much a Comparison's formula errs on the *difference* of two measured rows.

What a model gets wrong for both rows of a pair alike, such as the rate of a device, cancels in their ratio, and it is
the ratio on which a choice between two options rests.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from mathcore import units
from mathcore.measured.comparisons import Comparison
from mathcore.statements import Statement, located_cached_property
from mathcore.units import Quantity, quantity_text

RIGHT = 0.9  # with this probability a predicted difference as large as the error has the right sign
FEWEST = 3  # pairs from which an error is computed


@dataclass(frozen=True, eq=False, repr=False)
class PairedError(Statement):
    """The relative error of predicted ratios, over all pairs of test rows whose `same` columns agree.

    Of the sizes of these errors it is the 80 % quantile: errors have either sign, so that a difference as large has
    the right sign with 90 %. With `of_ratios` each row is already the ratio of two runs, and a pair of its own.

    Raises: DeclarationError for fewer than three pairs.

    >>> from mathcore import find
    >>> round(float(PairedError(find("training.measured.mpt_h100"), ("model",)).value.m_as("")), 2) < 0.5
    True
    """

    comparison: Comparison
    same: tuple[str, ...] = ()
    of_ratios: bool = False

    @property
    def meaning(self) -> str:
        """Return the description of the error, with the number of pairs if numpy is installed."""
        alike = f" with the same {', '.join(self.same)}" if self.same else ""
        try:
            count = f"{len(self.pairs)} "
        except ModuleNotFoundError:  # a plain installation lists every statement all the same
            count = ""
        return f"{count}pairs of measured rows{alike}: {self.comparison.system}"

    @property
    def system(self) -> str:
        """Return the description of the error, for texts that name a source."""
        return self.meaning

    @located_cached_property
    def pairs(self) -> list[float]:
        """Return the logarithms of predicted over measured ratio, one for each pair."""
        pairs = list(self._row_pairs())
        if len(pairs) < FEWEST:
            message = f"{len(pairs)} pairs of rows agree in {self.same}: it takes {FEWEST}"
            raise self.located_error(message, code="missing", got=len(pairs), expected=f"{FEWEST} pairs or more")
        return pairs

    def _row_pairs(self) -> Iterator[float]:
        if self.of_ratios:
            yield from (math.log(float(ratio)) for ratio in self.comparison.ratios)
            return
        rows = zip(self.comparison.split_rows.holdout, map(float, self.comparison.ratios), strict=True)
        for (first, one), (second, other) in itertools.combinations(rows, 2):
            if all(first[name] == second[name] for name in self.same):
                yield math.log(one / other)

    @property
    def value(self) -> Quantity:
        """Return the error as a share, in percent."""
        import numpy as np

        size = float(np.quantile(np.abs(self.pairs), 2 * RIGHT - 1))
        return Quantity(100 * math.expm1(size), units.unit("%"))

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the error as pages print it."""
        return quantity_text(self.value, unit, digits or 2)

    @property
    def facts(self) -> dict[object, Statement]:
        """Return the comparison and its data."""
        return {"comparison": self.comparison, "data": self.comparison.data}

    def _find_issues(self) -> None:
        for name in self.same:
            self.comparison.data.require(name)
        self.value  # noqa: B018  computing is the check
