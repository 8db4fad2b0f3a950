"""What each option of a decision costs at one set of inputs, and which conditions it violates.

A cost is the objective in its declared unit, with the sign turned where it is maximised, and infinite where it has no
value. A *group* is what counts as one option: those that differ in levers that the decision does not decide.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mathcore.errors import ArgumentError
from mathcore.formulas import Formula
from mathcore.option_space import (
    BlockEvaluation,
    DecisionOption,
    OptionBlock,
    Settings,
    bound_value,
    group_into_blocks,
    intern_symbol,
)
from mathcore.symbols import Variable
from mathcore.types import Array

if TYPE_CHECKING:
    from mathcore.decisions import Decision

INFEASIBLE = -1  # in place of the position of the best group, where no option is feasible
CELLS = 1_000_000  # options times samples that are evaluated at once


class RangeNumbers(NamedTuple):
    """The ends of the range of an uncertain input and today's value, in the declared unit of its symbol."""

    low: float
    today: float
    high: float


def bindings(
    decision: "Decision", inputs: Mapping[Variable, object]
) -> tuple[dict[Variable, float], dict[Variable, Formula]]:
    """Return the numbers and the formulas of the symbols that no option sets.

    Raises: ArgumentError for an input out of range.
    """
    values = {
        intern_symbol(symbol): bound_value(symbol, value) for symbol, value in {**decision.stated, **inputs}.items()
    }
    formulas = {symbol: value for symbol, value in values.items() if isinstance(value, Formula)}
    numbers = {symbol: value for symbol, value in values.items() if not isinstance(value, Formula)}
    for symbol in inputs.keys() & numbers.keys():
        if not symbol.admits(numbers[symbol]):
            message = f"{symbol.name} ({symbol.meaning}) is {inputs[symbol]}; it must be {symbol.range_text()}"
            raise ArgumentError(message, code="out-of-range", got=inputs[symbol], expected=symbol.range_text())
    if isinstance(decision.objective, Formula):
        formulas.setdefault(decision.target, decision.objective)
    return numbers, formulas


class OptionCosts:
    """The options of a decision at inputs, `{symbol: value}`, with some levers fixed, in the order of their groups."""

    def __init__(self, decision: "Decision", inputs: Mapping[Variable, object], fixed: Mapping[str, object]) -> None:
        self.decision, self.inputs, self.fixed = decision, inputs, fixed
        self.sign = 1 if decision.maximise is None else -1
        self.numbers, self.formulas = bindings(decision, inputs)
        options = self._in_domain(list(filter(Settings(fixed).match, decision.space)))
        if not options:
            message = f"no option of {decision.address or 'the decision'} is left: free some of its levers"
            raise ArgumentError(message, code="no-value", expected="an option")
        decided = decision.decided_levers
        keys = [tuple(map(option.levers.get, decided or option.levers)) for option in options]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        order = sorted(range(len(keys)), key=lambda i: numbers[keys[i]])
        self.options = [options[i] for i in order]
        self.groups = np.array([numbers[keys[i]] for i in order])
        self.blocks = group_into_blocks(self.options)

    def _in_domain(self, chosen: list[DecisionOption]) -> list[DecisionOption]:
        """Return the combinations that are options: those for which all relations of `domain` hold."""
        relations = {f"domain {index}": relation for index, relation in enumerate(self.decision.domain)}
        outside = np.zeros(len(chosen), bool)
        for block in group_into_blocks(chosen) if relations else ():
            evaluation = BlockEvaluation(block, self.numbers, self.formulas)
            with np.errstate(all="ignore"):
                for name, relation in relations.items():
                    evaluation.require(name, relation)
            for name in relations:
                outside[block.places] |= evaluation.violations[name]
        return [option for option, excluded in zip(chosen, outside, strict=True) if not excluded]

    def evaluate(self, block: OptionBlock, columns: Mapping[Variable, Array]) -> tuple[Array, BlockEvaluation]:
        """Return the costs of the options of a block, whether feasible or not, and the evaluation that gave them."""
        evaluation = BlockEvaluation(block, {**self.numbers, **columns}, self.formulas)
        with np.errstate(all="ignore"):
            cost = self.sign * evaluation.of_options(self.decision.target)
            for name, relation in self.decision.constraints.items():
                evaluation.require(name, relation)
        return np.where(np.isfinite(cost), cost, np.inf), evaluation

    def evaluate_one(self, place: int) -> tuple[float, BlockEvaluation]:
        """Return the cost of one option, and the evaluation that gave it."""
        option = self.options[place]
        numbers = {symbol: np.array([number]) for symbol, number in option.numbers.items()}
        cost, evaluation = self.evaluate(OptionBlock(option.formulas, numbers, np.zeros(1, int)), {})
        return float(np.ravel(cost)[0]), evaluation

    @functools.cached_property
    def _today(self) -> tuple[Array, dict[str, Array]]:
        cost = np.full(len(self.options), np.inf)
        violations: dict[str, Array] = {}
        for block in self.blocks:
            cost[block.places], evaluation = self.evaluate(block, {})
            for name, fails in evaluation.violations.items():
                violations.setdefault(name, np.zeros(len(self.options), bool))[block.places] |= fails
        return cost, {name: fails for name, fails in violations.items() if fails.any()}

    @property
    def cost(self) -> Array:
        """Return the cost of every option as if it were feasible, an array (options,)."""
        return self._today[0]

    @property
    def violations(self) -> dict[str, Array]:
        """Return by condition which options violate it, arrays (options,)."""
        return self._today[1]

    def violates(self, names: Iterable[str]) -> Array:
        """Return which options violate one of the conditions `names`, an array (options,)."""
        fails = (self.violations[name] for name in names)
        return functools.reduce(np.logical_or, fails, np.zeros(len(self.options), bool))

    @functools.cached_property
    def feasible(self) -> Array:
        """Return which options violate nothing, an array (options,)."""
        return np.isfinite(self.cost) & ~self.violates(self.violations)

    @functools.cached_property
    def violating_alone(self) -> dict[str, Array]:
        """Return by condition which options violate it and no other one, arrays (options,)."""
        count = sum(fails.astype(int) for fails in self.violations.values())
        return {name: fails & (count == 1) for name, fails in self.violations.items()}

    def outcomes(self) -> Iterator[tuple[DecisionOption, float, tuple[str, ...]]]:
        """Yield each option with its cost, as if it were feasible, and the names of the conditions that it violates."""
        for place, option in enumerate(self.options):
            violated = sorted(name for name, fails in self.violations.items() if fails[place])
            yield option, float(self.cost[place]), tuple(violated)


class GroupCosts:
    """The least cost in each *active* group, one that some input in its range could make feasible, at any inputs."""

    def __init__(self, costs: OptionCosts, ranges: Mapping[Variable, RangeNumbers], best: int) -> None:
        self.costs = costs
        ends = {symbol: np.array([[each.low], [each.high]]) for symbol, each in ranges.items()}
        never = np.zeros(len(costs.options), bool)
        for block in costs.blocks:
            for fails in costs.evaluate(block, ends)[1].violations.values():
                if fails.ndim < 2 or len(fails) == 1:
                    never[block.places] |= np.broadcast_to(fails, (1, len(block.places)))[0]
        places = np.flatnonzero(~never)
        groups = costs.groups[places]
        self.starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]]) if len(places) else np.zeros(0, int)
        self.groups = groups[self.starts]
        self.blocks = group_into_blocks([costs.options[i] for i in places])
        self.best = int(np.flatnonzero(self.groups == costs.groups[best])[0])  # the position of today's best group

    def at(self, columns: Mapping[Variable, Array]) -> Array:
        """Return the least costs at inputs (samples, 1), as an array (samples, groups)."""
        size, count = sum(len(block.places) for block in self.blocks), len(next(iter(columns.values())))
        step = max(1, CELLS // max(size, 1))
        parts = [{v: x[first : first + step] for v, x in columns.items()} for first in range(0, count, step)]
        return np.concatenate([self._at(part, size) for part in parts])

    def _at(self, columns: Mapping[Variable, Array], size: int) -> Array:
        cost = np.full((len(next(iter(columns.values()))), size), np.inf)
        for block in self.blocks:
            value, evaluation = self.costs.evaluate(block, columns)
            cost[:, block.places] = np.where(evaluation.infeasible, np.inf, value)
        return np.minimum.reduceat(cost, self.starts, axis=1)

    def option(self, position: int) -> DecisionOption:
        """Return the first option of the group at a position."""
        return self.costs.options[int(np.flatnonzero(self.costs.groups == self.groups[position])[0])]
