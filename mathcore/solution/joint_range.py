"""How robust a verdict is when all uncertain inputs vary at once: samples, shares of wins, regrets."""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from mathcore.solution.labels import OptionLabels
from mathcore.solution.losses import LossScale
from mathcore.solution.option_costs import INFEASIBLE, GroupCosts, RangeNumbers
from mathcore.symbols import Variable
from mathcore.types import Array

if TYPE_CHECKING:
    from mathcore.decisions import Decision


@dataclass(frozen=True)
class Regret:
    """What it costs to stay with an option throughout the joint range: mean and p95 where it is feasible."""

    label: str
    mean: float
    p95: float
    wins: float  # share of samples in which it is the best
    within: float  # share in which it is the best or within the error of the best
    infeasible: float


@dataclass(frozen=True)
class Robustness:
    """How the options that win somewhere in the joint range, today's best, and the proposed one do over all of it."""

    samples: int
    winners: tuple[Regret, ...]  # by the share in which they win, largest first
    nothing: float  # share in which no option is feasible
    middle: str  # where a single lever has a scale, between which settings the best one lies in 90 % of samples
    best: Regret
    proposed: Regret | None


@dataclass(frozen=True)
class JointRange:
    """The joint range of the uncertain inputs, and the groups of options over it."""

    decision: "Decision"
    ranges: Mapping[Variable, RangeNumbers]
    groups: GroupCosts
    scale: LossScale
    labels: OptionLabels

    @functools.cached_property
    def samples(self) -> dict[Variable, Array]:
        """Return the sampled inputs, arrays (samples, 1)."""
        count, generator = self.decision.samples, np.random.default_rng(self.decision.seed)
        normal = {symbol: generator.standard_normal(count) for symbol in self.ranges}
        for symbols, correlation, _ in self.decision.common:
            factor = generator.standard_normal(count)
            for symbol in symbols:
                normal[symbol] = math.sqrt(correlation) * factor + math.sqrt(1 - correlation) * normal[symbol]
        share = np.vectorize(NormalDist().cdf, otypes=[float])
        return {symbol: self._values(symbol, share(z))[:, None] for symbol, z in normal.items()}

    def _values(self, symbol: Variable, shares: Array) -> Array:
        """Return the values of an input at shares (n,) of its range."""
        low, _, high = self.ranges[symbol]
        if self.decision.ranges[symbol].logarithmic(low):
            return low * (high / low) ** shares
        return low + (high - low) * shares

    @functools.cached_property
    def costs(self) -> Array:
        """Return the least cost of each group in each sample, an array (samples, groups)."""
        return self.groups.at(self.samples)

    @functools.cached_property
    def winners(self) -> Array:
        """Return the position of the best group in each sample, today's best where it is as good as any."""
        best, least = self.groups.best, self.costs.min(axis=1)
        winners = np.where(self.costs[:, best] <= least, best, self.costs.argmin(axis=1))
        return np.where(np.isfinite(least), winners, INFEASIBLE)

    def robustness(self, proposed: int | None) -> Robustness:
        """Return shares and regrets; `proposed` is the place of the proposed option among all options."""
        positions = [int(position) for position in np.unique(self.winners) if position != INFEASIBLE]
        winners = sorted(map(self.regret, positions), key=lambda regret: -regret.wins)
        groups = self.groups.groups
        own = [] if proposed is None else np.flatnonzero(groups == self.groups.costs.groups[proposed]).tolist()
        return Robustness(
            samples=len(self.winners),
            winners=tuple(winners),
            nothing=float((self.winners == INFEASIBLE).mean()),
            middle=self._middle(),
            best=self.regret(self.groups.best),
            proposed=self.regret(own[0]) if own else None,
        )

    def regret(self, position: int) -> Regret:
        """Return what it costs to stay with a group."""
        count, possible = len(self.winners), self.winners != INFEASIBLE
        losses = self.scale.loss(self.costs[possible, position], self.costs[possible, self.winners[possible]])
        finite = losses[np.isfinite(losses)]
        return Regret(
            self.labels.of_group(self.groups.option(position)),
            mean=float(finite.mean()) if len(finite) else math.inf,
            p95=float(np.quantile(finite, 0.95)) if len(finite) else math.inf,
            wins=float((self.winners == position).mean()),
            within=float((losses <= self.scale.error).sum()) / count,
            infeasible=1 - len(finite) / count,
        )

    def _middle(self) -> str:
        """Return between which settings of a single lever with a scale the winners lie in 90 % of the samples."""
        symbol = self.labels.scale_of(self.groups.costs.options[0])
        if symbol is None or (self.winners == INFEASIBLE).any():
            return ""
        settings = {position: self.groups.option(position).numbers[symbol] for position in set(self.winners.tolist())}
        ends = np.quantile([settings[position] for position in self.winners.tolist()], (0.05, 0.95), method="nearest")
        return " to ".join(self.decision.quantity_text(symbol, end) for end in ends)
