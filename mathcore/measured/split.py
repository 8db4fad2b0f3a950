"""Which measured rows the parameters of a comparison are fitted on, and which its prediction is tested on."""

import hashlib
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from mathcore.types import AnyDict

if TYPE_CHECKING:
    from mathcore.measured.comparisons import Comparison

HOLDOUT_ONE_IN = 3  # of so many configurations a seed puts one aside


class SplitRows(NamedTuple):
    """The rows on which parameters are fitted, and the rows on which the prediction is tested."""

    fit: list[AnyDict]
    holdout: list[AnyDict]


def split_rows(comparison: "Comparison") -> SplitRows:
    """Return the rows of the fit and the rows of the test.

    Raises: DeclarationError for a configuration that is on both sides.
    """
    rows = comparison.data.chosen(comparison.only)
    comparison.row_values.of_formula(comparison.formula, rows)  # a column that cannot be read is reported first
    if not comparison.fit_parameters:
        return SplitRows([], rows)
    keys = [comparison.row_values.configuration(row) for row in rows]
    fitted, held_out = (
        _split_by_seed(comparison.seed, keys) if comparison.seed is not None else _split_as_stated(comparison, rows)
    )
    if both := sorted({*compress(keys, fitted)} & {*compress(keys, held_out)}):
        message = f"the fit has seen `{both[0]}`, on which it is to be judged: part the two"
        raise comparison.located_error(message, code="inconsistent", got=both[0], expected="rows that no fit has seen")
    return SplitRows(list(compress(rows, fitted)), list(compress(rows, held_out)))


def _split_by_seed(seed: int, keys: list[str]) -> tuple[list[bool], list[bool]]:
    """Return which rows are on either side; a row stays on its side when rows are added."""
    hashes = (hashlib.sha256(f"{seed} {key}".encode()).hexdigest() for key in keys)
    held_out = [int(each, 16) % HOLDOUT_ONE_IN == 0 for each in hashes]
    return [not side for side in held_out], held_out


def _split_as_stated(comparison: "Comparison", rows: list[AnyDict]) -> tuple[list[bool], list[bool]]:
    """Return which rows are on either side: as selected, where one may be left out as the rest of the other."""
    stated = (comparison.fit, comparison.holdout)
    chosen = [part and comparison.data.chosen({**comparison.only, **part}) for part in stated]
    fitted, held_out = ([part is not None and row in part for row in rows] for part in chosen)
    fitted = fitted if comparison.fit else [not side for side in held_out]
    return fitted, held_out if comparison.holdout else [not side for side in fitted]
