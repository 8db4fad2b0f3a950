"""`Solution`: a decision solved at one set of inputs, composed of costs, ranking, sensitivity and joint range."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from mathcore import evaluation
from mathcore.option_space import BlockEvaluation, DecisionOption, sorted_symbols
from mathcore.printing import RELATION_SIGNS
from mathcore.solution import sentences
from mathcore.solution.cited_values import cited_values
from mathcore.solution.joint_range import JointRange, Robustness
from mathcore.solution.labels import OptionLabels
from mathcore.solution.losses import LossScale
from mathcore.solution.option_costs import GroupCosts, OptionCosts, RangeNumbers
from mathcore.solution.ranking import OptionRanking
from mathcore.solution.sensitivity import Change, Sensitivity, input_ranges
from mathcore.statements import Statement
from mathcore.symbols import Variable, to_declared_units
from mathcore.types import Array
from mathcore.units import Quantity

if TYPE_CHECKING:
    from mathcore.decisions import Decision

TIED, RUNNERS_UP, LEFT_OUT = 4, 3, 3  # rows of the table


@dataclass(frozen=True)
class RankedOption:
    """An option of the table: its value, how much worse than the best it is, its standing, and why it is out.

    Of an option that is not feasible, `value` and `loss` are what the formulas give regardless; no text states them.
    """

    label: str
    option: DecisionOption = field(repr=False)
    value: Quantity
    loss: float
    loss_text: str
    status: str
    reason: str
    column_texts: tuple[str, ...]
    value_text: str


class Solution:
    """A decision at inputs, `{symbol: value}`, with some levers fixed, `{name: value}`.

    Options are named by their place in `options`. What is not computed here is in `costs`, `order` and `scale`.
    """

    def __init__(self, decision: "Decision", inputs: Mapping[Variable, object], fixed: Mapping[str, object]) -> None:
        """Bind every symbol, and find which combinations are options at all."""
        self.decision, self.inputs = decision, inputs
        self.costs = OptionCosts(decision, inputs, fixed)
        self.scale, self.labels = LossScale(decision), OptionLabels(decision)
        self.order = OptionRanking(self.costs, self.scale)

    # --- options and their order -----------------------------------------------------------

    @property
    def options(self) -> list[DecisionOption]:
        """Return all options."""
        return self.costs.options

    @property
    def numbers(self) -> Mapping[Variable, float]:
        """Return the numbers of the symbols that no option sets, in declared units."""
        return self.costs.numbers

    @property
    def feasible(self) -> Array:
        """Return which options violate nothing, an array (options,)."""
        return self.costs.feasible

    @property
    def removed(self) -> dict[str, tuple[int, int]]:
        """Return by condition how many options violate it, and how many violate it alone."""
        alone = self.costs.violating_alone
        return {name: (int(fails.sum()), int(alone[name].sum())) for name, fails in self.costs.violations.items()}

    @property
    def ranking(self) -> list[int]:
        """Return the best feasible option of each group, best first."""
        return self.order.places

    @property
    def tied(self) -> list[int]:
        """Return the options within the error of the best one, the best one first."""
        return self.order.tied

    @property
    def proposed(self) -> int | None:
        """Return the proposed option: the best feasible one that matches, else the best that does."""
        return self.order.proposed

    @property
    def verdict(self) -> str:
        """Return `tie`, or `win` where nothing is within the error of the best option."""
        return "tie" if len(self.tied) > 1 else "win"

    @property
    def error(self) -> float:
        """Return the error of a predicted difference between options, as a loss."""
        return self.scale.error

    @property
    def margin(self) -> float:
        """Return how much worse the next option is, relative or in the declared unit; 0 if there is none."""
        return float(self.order.losses(self.ranking[1:2])[0]) if len(self.ranking) > 1 else 0.0

    @property
    def tie_lever(self) -> Variable | None:
        """Return the symbol of the lever in which alone three or more tied options differ, if all between them tie."""
        return self.order.tie_lever

    def tie_ends(self) -> list[int]:
        """Return the least and the greatest option of a tie along a lever, else nothing."""
        symbol = self.tie_lever
        if symbol is None:
            return []
        along = sorted(self.tied, key=lambda place: self.options[place].numbers[symbol])
        return [along[0], along[-1]]

    # --- rows of the table -----------------------------------------------------------------

    @property
    def best(self) -> RankedOption:
        """Return the best feasible option."""
        return self.row(self.ranking[0], "best")

    def table(self) -> list[RankedOption]:
        """Return the rows that a page shows: best, tied, runners-up, proposed, left out."""
        tied = self.tie_ends() or self.tied[1 : 1 + TIED]
        statuses = [(place, "tied") for place in tied if place != self.ranking[0]]
        statuses += [(place, "runner-up") for place in self.order.runners_up()[:RUNNERS_UP]]
        statuses += [(place, "left out") for place in self.order.left_out()[:LEFT_OUT]]
        rows = [self.best, *(self.row(place, status) for place, status in statuses)]
        if self.proposed is None:
            return rows
        proposed = self.row(self.proposed, "proposed")
        same = [row.label == proposed.label for row in rows]
        if not any(same):
            return [*rows, proposed]
        return [replace(proposed, status=f"{r.status}, proposed") if s else r for r, s in zip(rows, same, strict=True)]

    def row(self, place: int, status: str) -> RankedOption:
        """Return an option as a row of the table, with its standing."""
        option, target = self.options[place], self.decision.target
        cost, run = self.costs.evaluate_one(place)
        loss = float(self.order.losses([place])[0])
        violated = [name for name, fails in run.violations.items() if np.any(fails)]
        reason = "; ".join(self._reason(run, name) for name in violated)
        return RankedOption(
            self.label(option),
            option,
            value=target.display_quantity(self.costs.sign * cost),
            loss=loss,
            loss_text="–" if reason else self.loss_text(loss),  # what cannot be chosen compares with nothing
            status=status,
            reason=reason,
            column_texts=tuple(self.decision.quantity_text(v, _number_of(run, v)) for v in self.decision.columns),
            value_text="–" if reason else self.decision.quantity_text(target, self.costs.sign * cost),
        )

    def _reason(self, run: BlockEvaluation, name: str) -> str:
        """Return a violated constraint with its numbers: `memory: 97.3 GB > 80.0 GB`."""
        relation = self.decision.constraints.get(name)
        symbol = next((side for side in getattr(relation, "args", ()) if isinstance(side, Variable)), None)
        if relation is None or symbol is None or not relation.is_Relational:
            return name
        texts = []
        for side in relation.args:
            symbols, unit_of = sorted_symbols(side), side if isinstance(side, Variable) else symbol
            compiled = evaluation.compile_unchecked(symbols, (to_declared_units(side, unit_of, symbols),))
            number = float(np.ravel(compiled(*map(run.number, symbols))[0])[0])
            texts.append(self.decision.quantity_text(unit_of, number))
        return f"{name}: {texts[0]} {RELATION_SIGNS[relation.negated.rel_op]} {texts[1]}"

    def numbers_of(self, place: int) -> dict[Variable, float]:
        """Return the numbers of an option by symbol, including the columns of the table."""
        _, run = self.costs.evaluate_one(place)
        return {**self.options[place].numbers, **{v: _number_of(run, v) for v in self.decision.columns}}

    def doubts(self, place: int) -> list[str]:
        """Return the ranges of validity outside which an option uses formulas and fitted constants."""
        _, run = self.costs.evaluate_one(place)
        outside = [name for name, fails in run.outside_validity.items() if np.any(fails)]
        stated = (x for v, x in self.decision.stated.items() if v not in self.inputs and isinstance(x, Statement))
        return [*outside, *dict.fromkeys(text for each in stated for text in each.cautions(run.known))]

    def outcomes(self) -> Iterator[tuple[DecisionOption, float, tuple[str, ...]]]:
        """Yield each option with its cost, as if it were feasible, and the names of the conditions that it violates."""
        return self.costs.outcomes()

    # --- uncertain inputs ------------------------------------------------------------------

    @functools.cached_property
    def ranges(self) -> dict[Variable, RangeNumbers]:
        """Return `(low, today's value, high)` of each uncertain input; the range moves with a reader's own value."""
        return input_ranges(self.decision, self.numbers)

    @functools.cached_property
    def _groups(self) -> GroupCosts:
        return GroupCosts(self.costs, self.ranges, self.ranking[0])

    @functools.cached_property
    def changes(self) -> list[Change]:
        """Return what each uncertain input changes, by the loss of staying, largest first."""
        if not self.ranges:
            return []
        tie = self.verdict == "tie"
        return Sensitivity(self.decision, self.ranges, self._groups, self.scale, self.labels, tie).changes

    @functools.cached_property
    def robustness(self) -> Robustness | None:
        """Return shares and regrets over the joint range; None where nothing is uncertain."""
        if not self.ranges:
            return None
        return JointRange(self.decision, self.ranges, self._groups, self.scale, self.labels).robustness(self.proposed)

    # --- texts and numbers -----------------------------------------------------------------

    def label(self, option: DecisionOption) -> str:
        """Return an option as pages call it: `TP=2, PP=8, full recomputation`; levers that never vary are left out."""
        return self.labels.of_option(option)

    @property
    def labels_state_value(self) -> bool:
        """Return whether the objective is a lever, so that labels of options state its value."""
        name = self.decision.target.name
        return name in self.labels.varying and bool(self.decision.label_of(name))

    def loss_text(self, loss: float) -> str:
        """Return a loss as pages print it: a share in percent, from ten times on a multiple, or a quantity."""
        return self.scale.text(loss)

    def sentence(self) -> str:
        """Return the verdict, how the proposed option compares, and how robust the verdict is."""
        return sentences.solution_sentence(self)

    def short_verdict(self) -> str:
        """Return the best option and the options tied with it, or the next one, without the error."""
        return sentences.short_verdict(self)

    def verdict_text(self) -> str:
        """Return the best option with its lead over the next one, or the tied options."""
        return sentences.verdict_text(self)

    def values(self) -> dict[str, Quantity]:
        """Return the numbers that prose may cite, by name: see `cited_values`."""
        return cited_values(self)

    def unexpected(self) -> Iterator[str]:
        """Yield the differences between the verdict and the expected one."""
        return sentences.verdict_differences(self)


def _number_of(run: BlockEvaluation, symbol: Variable) -> float:
    """Return the number of a symbol in the evaluation of one option."""
    return float(np.ravel(run.number(symbol))[0])
