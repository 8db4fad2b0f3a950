"""The order of the options of a decision: the best of each group, what ties with it, and what a constraint removes."""

import functools
from typing import TYPE_CHECKING

import numpy as np

from mathcore.errors import ArgumentError, DeclarationError
from mathcore.option_space import Settings
from mathcore.solution.losses import LossScale
from mathcore.solution.option_costs import OptionCosts
from mathcore.symbols import Variable
from mathcore.types import Array

if TYPE_CHECKING:
    from mathcore.decisions import Decision

NONE = "no option is feasible"


class OptionRanking:
    """Options by their cost; each is named by its place among all options."""

    def __init__(self, costs: OptionCosts, scale: LossScale) -> None:
        self.costs, self.scale = costs, scale
        self.decision: Decision = costs.decision

    @functools.cached_property
    def places(self) -> list[int]:
        """Return the best feasible option of each group, best first.

        Raises: ArgumentError where nothing is feasible.
        """
        cost = np.where(self.costs.feasible, self.costs.cost, np.inf)
        order = np.argsort(cost, kind="stable")
        best_of_group: dict[int, int] = {}
        for place in order[: int(self.costs.feasible.sum())]:
            best_of_group.setdefault(int(self.costs.groups[place]), int(place))
        if not best_of_group:
            most = max(self.costs.violations, key=lambda name: self.costs.violations[name].sum(), default="")
            message = f"{self.decision.address or 'the decision'}: {NONE}; most violate: {most}"
            raise ArgumentError(message, code="no-value", expected="a feasible option")
        return list(best_of_group.values())

    def losses(self, places: list[int]) -> Array:
        """Return by how much options are worse than the best one, an array (places,)."""
        return self.scale.loss(self.costs.cost[places], self.costs.cost[self.places[0]])

    @functools.cached_property
    def tied(self) -> list[int]:
        """Return the options within the error of the best one, the best one first."""
        return [place for place, loss in zip(self.places, self.losses(self.places), strict=True) if self.within(loss)]

    def within(self, loss: float) -> bool:
        """Return whether a loss is no larger than the error of a predicted difference."""
        return bool(loss <= self.scale.error)

    @property
    def untied(self) -> list[int]:
        """Return the options beyond the error of the best one, best first."""
        return self.places[len(self.tied) :]

    @functools.cached_property
    def tie_lever(self) -> Variable | None:
        """Return the symbol of the lever in which alone three or more tied options differ, if all between them tie."""
        best, tied = self.costs.options[self.places[0]], [self.costs.options[place] for place in self.tied]
        names = {name for option in tied for name, setting in option.levers.items() if setting != best.levers.get(name)}
        symbol = best.symbol_named(next(iter(names))) if len(names) == 1 else None
        if symbol is None or len(tied) <= 2:
            return None
        settings = [option.numbers[symbol] for option in tied]
        beyond = [
            place
            for place in self.untied
            if self._others(place, symbol.name) == self._others(self.places[0], symbol.name)
        ]
        between = any(min(settings) < self.costs.options[place].numbers[symbol] < max(settings) for place in beyond)
        return None if between else symbol

    def _others(self, place: int, lever: str) -> dict[str, object]:
        """Return the settings of an option in all levers but one."""
        return {name: setting for name, setting in self.costs.options[place].levers.items() if name != lever}

    def runners_up(self) -> list[int]:
        """Return the options that do not tie, best first; if a tie differs in one lever, one for each of the others."""
        if self.tie_lever is None:
            return self.untied
        lever, seen, places = self.tie_lever.name, [self._others(self.places[0], self.tie_lever.name)], []
        for place in self.untied:
            if (others := self._others(place, lever)) not in seen:
                seen.append(others)
                places.append(place)
        return places

    @functools.cached_property
    def proposed(self) -> int | None:
        """Return the proposed option: the best feasible one that matches, else the best that does.

        None where none is proposed, or where fixed levers leave none. Raises: DeclarationError where none matches.
        """
        if not self.decision.proposed:
            return None
        wanted = Settings(self.decision.proposed)
        matching = [place for place, option in enumerate(self.costs.options) if wanted.match(option)]
        if not matching and not self.costs.fixed:
            message = f"the proposed {wanted} is none of the options: add it to the levers"
            raise DeclarationError(
                message, self.decision.where, code="not-a-choice", got=str(wanted), expected="one of the options"
            )
        return min(matching, key=lambda i: (not self.costs.feasible[i], self.costs.cost[i]), default=None)

    def left_out(self) -> list[int]:
        """Return the better options that a single constraint removes, one for each constraint, best first."""
        places = []
        for name in self.decision.constraints:
            alone = self.costs.violating_alone.get(name)
            if alone is None:
                continue
            cost = np.where(alone, self.costs.cost, np.inf)
            if cost.min() < self.costs.cost[self.places[0]]:
                places.append(int(cost.argmin()))
        return sorted(places, key=lambda place: self.costs.cost[place])
