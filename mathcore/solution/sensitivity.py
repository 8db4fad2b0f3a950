"""What each uncertain input changes by itself: its range, break-even values, the regret at the ends of the range."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mathcore.option_space import in_declared_unit
from mathcore.solution.labels import OptionLabels
from mathcore.solution.losses import LossScale
from mathcore.solution.option_costs import INFEASIBLE, GroupCosts, RangeNumbers
from mathcore.solution.ranking import NONE
from mathcore.symbols import Variable
from mathcore.types import Array
from mathcore.units import Quantity

if TYPE_CHECKING:
    from mathcore.decisions import Decision

BEYOND = 4.0  # times the distance from today's value to the end of a range: so far break-even values are sought
STEPS, ROUNDS, PARTS = 24, 5, 16  # of the search along an input: on each side, and to narrow a bracket


@dataclass(frozen=True)
class Crossing:
    """Where the verdict changes: the value of the input, the best option from there, whether it lies in the range."""

    value: Quantity
    text: str
    to: str
    inside: bool


@dataclass(frozen=True)
class Change:
    """What one uncertain input does: its range, the nearest crossings, the regret at the ends of the range."""

    symbol: Variable
    value: str
    range: tuple[str, str]
    source: str
    crossings: tuple[Crossing, ...]
    losses: tuple[str, str]  # at the low and at the high end
    matters: bool  # somewhere in the range staying loses more than the error of the difference
    searched: tuple[str, str]


def input_ranges(decision: "Decision", numbers: Mapping[Variable, float]) -> dict[Variable, RangeNumbers]:
    """Return the range of each uncertain input as numbers; it moves with a reader's own value."""
    ranges = {}
    for symbol, stated in decision.ranges.items():
        low, old, high = (in_declared_unit(symbol, end) for end in (stated.low, stated.value, stated.high))
        value = numbers[symbol]
        if stated.logarithmic(low):
            low, high = low * value / old, high * value / old
        else:
            low, high = low + value - old, high + value - old
        least, most = symbol.bounds
        ranges[symbol] = RangeNumbers(max(low, min(least, value)), value, min(high, most))
    return ranges


@dataclass(frozen=True)
class Sensitivity:
    """Today's verdict along each uncertain input, the others at today's values."""

    decision: "Decision"
    ranges: Mapping[Variable, RangeNumbers]
    groups: GroupCosts
    scale: LossScale
    labels: OptionLabels
    tie: bool  # whether today's verdict is one

    @functools.cached_property
    def changes(self) -> list[Change]:
        """Return what each uncertain input changes, by the loss of staying, largest first."""
        return [change for _, change in sorted(map(self._input_change, self.ranges), key=lambda pair: -pair[0])]

    def _input_change(self, symbol: Variable) -> tuple[float, Change]:
        """Return the largest regret at an end of the range, and the change."""
        low, value, high = self.ranges[symbol]
        costs = self.groups.at({symbol: np.array([[low], [high]])})
        losses = [float(loss) for loss in self.scale.loss(costs[:, self.groups.best], costs.min(axis=1))]
        reach = [self._search_limit(symbol, end) for end in (low, high)]
        crossings = [self._find_crossing(symbol, end) for end in reach if end != value]
        today, *texts = [self.decision.quantity_text(symbol, number) for number in (value, low, high, *reach)]
        change = Change(
            symbol,
            value=today,
            range=(texts[0], texts[1]),
            source=self.decision.ranges[symbol].source,
            crossings=tuple(filter(None, crossings)),
            losses=(self.scale.text(losses[0]), self.scale.text(losses[1])),
            matters=max(losses) > self.scale.error,
            searched=(texts[2], texts[3]),
        )
        return max(losses), change

    def _search_limit(self, symbol: Variable, end: float) -> float:
        """Return how far break-even values are sought on the side of an end of the range."""
        (low, value, _), (least, most) = self.ranges[symbol], symbol.bounds
        if end == value:
            return value
        if low <= 0 or self.decision.ranges[symbol].linear:
            far = value + BEYOND * (end - value)
        else:
            far = end * BEYOND if end > value else end / BEYOND
        if not symbol.is_positive or least:
            far = max(far, least)
        return float(min(far, most))

    def _find_crossing(self, symbol: Variable, end: float) -> Crossing | None:
        """Return the first value from today's towards `end` at which the verdict changes."""
        low, value, high = self.ranges[symbol]
        bracket, winner = self._first_change(symbol, (value, end), STEPS)
        for _ in range(ROUNDS if winner is not None else 0):
            bracket, winner = self._first_change(symbol, bracket, PARTS)
        if winner is None:
            return None
        at = bracket[1]
        return Crossing(
            symbol.display_quantity(at),
            text=self.decision.quantity_text(symbol, at),
            to=self._winner_text(winner),
            inside=low <= at <= high,
        )

    def _winner_text(self, winner: int) -> str:
        if winner == INFEASIBLE:
            return NONE
        label = self.labels.of_group(self.groups.option(winner))
        return "the best option alone" if winner == self.groups.best else label

    def _first_change(
        self, symbol: Variable, bracket: tuple[float, float], steps: int
    ) -> tuple[tuple[float, float], int | None]:
        """Return the step of a bracket in which the verdict changes, and the position of the best group after it.

        The position is None where nothing changes, INFEASIBLE where nothing is feasible.
        """
        start, end = bracket
        ratio = start > 0 and end > 0 and not self.decision.ranges[symbol].linear
        stops = np.geomspace(start, end, steps + 1) if ratio else np.linspace(start, end, steps + 1)
        costs = self.groups.at({symbol: stops[:, None]})
        changed = self._has_changed(costs)
        changed[0] = False
        if not changed.any():
            return bracket, None
        at = int(changed.argmax())
        winner = int(costs[at].argmin()) if np.isfinite(costs[at].min()) else INFEASIBLE
        return (float(stops[at - 1]), float(stops[at])), winner

    def _has_changed(self, costs: Array) -> Array:
        """Return at which samples today's verdict holds no more.

        A win is lost where another group is better. A tie is broken where staying loses more than the error, or
        where today's best is the only one within it.
        """
        least, best = costs.min(axis=1), costs[:, self.groups.best]
        if not self.tie:
            return (best > least) | np.isinf(best)
        staying = ~(self.scale.loss(best, least) <= self.scale.error)
        alone = (self.scale.loss(costs, least[:, None]) <= self.scale.error).sum(axis=1) == 1
        return staying | (alone & (best == least))
