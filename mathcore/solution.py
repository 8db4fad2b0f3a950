"""A decision solved at one set of inputs: ranking, ties, break-even values, shares of the joint range, regret.

Costs are the objective in its declared unit, with the sign turned where it is maximised, and infinite where an
option is not feasible. A *group* is what counts as one option: those that differ in `decides` levers alone.
"""

import functools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from mathcore import evaluation, units
from mathcore.errors import ArgumentError, DeclarationError
from mathcore.formulas import Formula
from mathcore.option_space import Block, Option, Pass, blocks, bound, interned, ordered
from mathcore.statements import Statement
from mathcore.symbols import Variable, to_declared_units
from mathcore.types import Array, Value
from mathcore.units import NARROW, Quantity, number_text

if TYPE_CHECKING:
    from mathcore.decisions import Decision

NONE = "no option is feasible"
BEYOND = 4.0  # times the distance from today's value to the end of a range: so far break-even values are sought
STEPS, ROUNDS, PARTS = 24, 5, 16  # of the search along an input: on each side, and to narrow a bracket
ROUNDING = 1e-9  # a relative loss below this is none
CELLS = 1_000_000  # options times samples that are evaluated at once
TIED, RUNNERS, LEFT_OUT = 4, 3, 3  # rows of the table
SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}


@dataclass(frozen=True)
class Row:
    """An option of the table: its value, how much worse than the best it is, its standing, and why it is out.

    Of an option that is not feasible, `value` and `loss` are what the formulas give regardless; no text states them.
    """

    label: str
    option: Option = field(repr=False)
    value: Quantity
    loss: float
    loss_text: str
    status: str
    reason: str
    shown: tuple[str, ...]
    value_text: str


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


class Solution:
    """A decision at inputs, `{symbol: value}`, with some levers fixed, `{name: value}`."""

    def __init__(self, decision: "Decision", inputs: Mapping[Variable, object], fixed: Mapping[str, object]) -> None:
        """Bind every symbol, and find which combinations are options at all."""
        self.decision, self.inputs, self.fixed = decision, inputs, fixed
        self.sign = 1 if decision.maximise is None else -1
        self._parsed: dict[tuple, tuple[float, float]] = {}
        self._bind({**decision.stated, **inputs})
        chosen = [option for option in decision.space if self._matches(option, fixed)]
        self.options = self._in_domain(chosen)
        if not self.options:
            message = f"no option of {decision.address or 'the decision'} is left: free some of its levers"
            raise ArgumentError(message, code="no-value", expected="an option")
        self._group()

    def _bind(self, stated: Mapping[Variable, object]) -> None:
        found = {interned(symbol): bound(symbol, value) for symbol, value in stated.items()}
        self.formulas = {v: x for v, x in found.items() if isinstance(x, Formula)}
        self.numbers = {v: x for v, x in found.items() if not isinstance(x, Formula)}
        for symbol in self.inputs.keys() & self.numbers.keys():
            if not symbol.admits(self.numbers[symbol]):
                message = f"{symbol.name} ({symbol.meaning}) is {self.inputs[symbol]}; it must be {symbol.range_text()}"
                raise ArgumentError(message, code="out-of-range", got=self.inputs[symbol], expected=symbol.range_text())
        if isinstance(self.decision.objective, Formula):
            self.formulas.setdefault(self.decision.target, self.decision.objective)

    def _matches(self, option: Option, wanted: Mapping) -> bool:
        """Return whether an option has levers, or numbers, as wanted: a name, a value, or a pair of ends."""
        return all(self._has(option, getattr(key, "name", key), want) for key, want in wanted.items())

    def _has(self, option: Option, name: str, want: object) -> bool:
        symbol = next((v for v in option.numbers if v.name == name), None)
        if symbol is None:
            return option.levers.get(name) == want
        low, high = self._wanted(symbol, want)
        number = option.numbers[symbol]
        return low * (1 - 1e-9) <= number <= high * (1 + 1e-9)

    def _wanted(self, symbol: Variable, want: object) -> tuple[float, float]:
        """Return the ends of a wanted setting as numbers; parsing them again for every option would take seconds."""
        if (symbol, want) not in self._parsed:
            ends = want if isinstance(want, tuple) else (want, want)
            self._parsed[symbol, want] = (bound(symbol, ends[0]), bound(symbol, ends[1]))
        return self._parsed[symbol, want]

    def _in_domain(self, chosen: list[Option]) -> list[Option]:
        """Return the combinations that are options: those for which all relations of `domain` hold."""
        out: Array = np.zeros(len(chosen), bool)
        for block in blocks(chosen) if self.decision.domain else ():
            run = Pass(block, self.numbers, self.formulas)
            with np.errstate(all="ignore"):
                for index, relation in enumerate(self.decision.domain):
                    run.require(str(index), relation)
            for index in range(len(self.decision.domain)):
                out[block.places] |= run.broken[str(index)]
        return [option for option, gone in zip(chosen, out, strict=True) if not gone]

    def _group(self) -> None:
        """Give each option the number of its group, and put the options into the order of their groups."""
        names = [str(getattr(lever, "name", lever)) for lever in self.decision.decides]
        keys = [tuple(o.levers.get(name) for name in names or o.levers) for o in self.options]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        order = sorted(range(len(keys)), key=lambda i: numbers[keys[i]])
        self.options = [self.options[i] for i in order]
        self.groups = np.array([numbers[keys[i]] for i in order])
        self.blocks = blocks(self.options)

    # --- evaluation ------------------------------------------------------------------------

    def _pass(self, block: Block, columns: Mapping[Variable, Array]) -> tuple[Array, Pass]:
        """Return the cost of the options of a block, whether feasible or not, and the pass that gave it."""
        run = Pass(block, {**self.numbers, **columns}, self.formulas)
        with np.errstate(all="ignore"):
            cost = self.sign * run.of_options(self.decision.target)
            for name, relation in self.decision.constraints.items():
                run.require(name, relation)
        return np.where(np.isfinite(cost), cost, np.inf), run

    @functools.cached_property
    def _today(self) -> tuple[Array, dict[str, Array]]:
        """Return the cost of every option as if it were feasible, and by condition which options violate it."""
        cost: Array = np.full(len(self.options), np.inf)
        broken: dict[str, Array] = {}
        for block in self.blocks:
            found, run = self._pass(block, {})
            cost[block.places] = found
            for name, gone in run.broken.items():
                broken.setdefault(name, np.zeros(len(self.options), bool))[block.places] |= gone
        return cost, {name: gone for name, gone in broken.items() if gone.any()}

    @functools.cached_property
    def feasible(self) -> Array:
        """Return which options violate nothing, an array (options,)."""
        cost, broken = self._today
        return np.isfinite(cost) & ~functools.reduce(np.logical_or, broken.values(), np.zeros(len(cost), bool))

    @functools.cached_property
    def _active(self) -> tuple[list[Block], Array, Array]:
        """Return the options that some input could make feasible: blocks, starts of their groups, the groups."""
        ends = {v: np.array([[low], [high]]) for v, (low, _, high) in self.ranges.items()}
        never: Array = np.zeros(len(self.options), bool)
        for block in self.blocks:
            for gone in self._pass(block, ends)[1].broken.values():
                if gone.ndim < 2 or len(gone) == 1:
                    never[block.places] |= np.broadcast_to(gone, (1, len(block.places)))[0]
        places = np.flatnonzero(~never)
        groups = self.groups[places]
        starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]]) if len(places) else np.zeros(0, int)
        return blocks([self.options[i] for i in places]), starts, groups[starts]

    def costs(self, columns: Mapping[Variable, Array]) -> Array:
        """Return the least cost of each active group at inputs (samples, 1), as an array (samples, groups)."""
        active, starts, _ = self._active
        size, count = sum(len(block.places) for block in active), len(next(iter(columns.values())))
        step, found = max(1, CELLS // max(size, 1)), []
        for first in range(0, count, step):
            part = {v: x[first : first + step] for v, x in columns.items()}
            cost = np.full((len(next(iter(part.values()))), size), np.inf)
            for block in active:
                value, run = self._pass(block, part)
                cost[:, block.places] = np.where(run.gone, np.inf, value)
            found.append(np.minimum.reduceat(cost, starts, axis=1))
        return np.concatenate(found)

    def outcomes(self) -> Iterator[tuple[Option, float, tuple[str, ...]]]:
        """Yield each option with its cost, as if it were feasible, and the names of the conditions that it violates."""
        cost, broken = self._today
        for place, option in enumerate(self.options):
            yield option, float(cost[place]), tuple(sorted(name for name, gone in broken.items() if gone[place]))

    # --- ranking ---------------------------------------------------------------------------

    @functools.cached_property
    def relative(self) -> bool:
        """Return whether losses are relative to the best option, as the error is, or in its declared unit."""
        return self.decision.margin_of_error[0].dimensionality == units.unit("").dimensionality

    @functools.cached_property
    def error(self) -> float:
        """Return the error of a predicted difference between options, as a loss."""
        unit = "" if self.relative else self.decision.target.unit
        return float(self.decision.margin_of_error[0].m_as(units.unit(unit)))

    def loss(self, cost: Array, best: Array) -> Array:
        """Return by how much costs exceed the best one, relative to it or in its declared unit."""
        with np.errstate(all="ignore"):
            more = np.asarray(cost) - best
            return np.where(more == 0, 0.0, more / np.abs(best) if self.relative else more)

    @functools.cached_property
    def ranking(self) -> list[int]:
        """Return the best feasible option of each group, best first, as places among the options.

        Raises: ArgumentError where nothing is feasible.
        """
        cost = np.where(self.feasible, self._today[0], np.inf)
        order = np.argsort(cost, kind="stable")
        found: dict[int, int] = {}
        for place in order[: int(self.feasible.sum())]:
            found.setdefault(int(self.groups[place]), int(place))
        if not found:
            most = max(self._today[1].items(), key=lambda pair: pair[1].sum(), default=("", 0))[0]
            message = f"{self.decision.address or 'the decision'}: {NONE}; most violate: {most}"
            raise ArgumentError(message, code="no-value", expected="a feasible option")
        return list(found.values())

    def _losses(self, places: list[int]) -> Array:
        cost = self._today[0]
        return self.loss(cost[places], cost[self.ranking[0]])

    @functools.cached_property
    def tied(self) -> list[int]:
        """Return the places of the options within the error of the best one, the best one first."""
        losses = self._losses(self.ranking)
        return [place for place, loss in zip(self.ranking, losses, strict=True) if loss <= self.error]

    @property
    def verdict(self) -> str:
        """Return `tie`, or `win` where nothing is within the error of the best option."""
        return "tie" if len(self.tied) > 1 else "win"

    @functools.cached_property
    def proposed(self) -> int | None:
        """Return the place of the proposed option: the best feasible one that matches, else the best that does.

        Raises: DeclarationError where none matches.
        """
        if not self.decision.proposed:
            return None
        found = [i for i, o in enumerate(self.options) if self._matches(o, self.decision.proposed)]
        if not found and not self.fixed:
            got = _settings_text(self.decision.proposed)
            message, where = f"the proposed {got} is none of the options: add it to the levers", self.decision.where
            raise DeclarationError(message, where, code="not-a-choice", got=got, expected="one of the options")
        return min(found, key=lambda i: (not self.feasible[i], self._today[0][i]), default=None)

    @property
    def best(self) -> Row:
        """Return the best feasible option."""
        return self.row(self.ranking[0], "best")

    @property
    def margin(self) -> float:
        """Return how much worse the next option is, relative or in the declared unit; 0 if there is none."""
        return float(self._losses(self.ranking[1:2])[0]) if len(self.ranking) > 1 else 0.0

    def table(self) -> list[Row]:
        """Return the rows that a page shows: best, tied, runners-up, proposed, left out."""
        tied = [i for i in self._ends() or self.tied[1 : 1 + TIED] if i != self.ranking[0]]
        rows = [self.best, *(self.row(i, "tied") for i in tied)]
        after = self.ranking[len(self.tied) :] if self._ends() is None else []
        rows += [self.row(i, "runner-up") for i in after[:RUNNERS]]
        rows += [self.row(i, "left out") for i in self._left_out()]
        if self.proposed is not None:
            mine = self.row(self.proposed, "proposed")
            same = [row for row in rows if row.label == mine.label]
            rows = [row if row not in same else self.row(self.proposed, f"{row.status}, proposed") for row in rows]
            rows += [] if same else [mine]
        return rows

    def _left_out(self) -> list[int]:
        """Return the better options that a single constraint removes, one for each constraint, best first."""
        cost, broken = self._today
        count = sum(gone.astype(int) for gone in broken.values()) if broken else 0
        found = []
        for name in self.decision.constraints:
            alone = np.where(broken[name] & (count == 1), cost, np.inf) if name in broken else np.array([np.inf])
            if alone.min() < cost[self.ranking[0]]:
                found.append(int(alone.argmin()))
        return sorted(found, key=lambda i: cost[i])[:LEFT_OUT]

    @functools.cached_property
    def removed(self) -> dict[str, tuple[int, int]]:
        """Return by condition how many options violate it, and how many violate it alone."""
        broken = self._today[1]
        count = sum(gone.astype(int) for gone in broken.values()) if broken else 0
        return {name: (int(gone.sum()), int((gone & (count == 1)).sum())) for name, gone in broken.items()}

    def violates(self, names: Iterable[str]) -> Array:
        """Return which options violate one of the conditions `names`, an array (options,)."""
        broken = (self._today[1][name] for name in names)
        return functools.reduce(np.logical_or, broken, np.zeros(len(self.options), bool))

    # --- one option ------------------------------------------------------------------------

    def row(self, place: int, status: str) -> Row:
        """Return an option as a row of the table, with its standing."""
        option, target = self.options[place], self.decision.target
        cost, run = self._alone(place)
        number, loss = self.sign * float(np.ravel(cost)[0]), float(self._losses([place])[0])
        found = self.numbers_of(place)
        texts = tuple(self.decision.quantity_text(v, found[v]) for v in self.decision.columns)
        reason = "; ".join(self._reason(run, name) for name, gone in run.broken.items() if np.any(gone))
        value = target.display_quantity(number)
        value_text, worse = self.decision.quantity_text(target, number), self.loss_text(loss)
        if reason:  # the objective of what cannot be chosen compares with nothing
            value_text = worse = "–"
        return Row(self.label(option), option, value, loss, worse, status, reason, texts, value_text)

    def _alone(self, place: int) -> tuple[Array, Pass]:
        """Return the cost of one option at today's inputs, and the pass that gave it."""
        option = self.options[place]
        numbers = {v: np.array([x]) for v, x in option.numbers.items()}
        return self._pass(Block(option.formulas, numbers, np.zeros(1, int)), {})

    def numbers_of(self, place: int) -> dict[Variable, float]:
        """Return the numbers of an option by symbol, with those that the table shows."""
        run = self._alone(place)[1]
        columns = {v: float(np.ravel(run.number(v))[0]) for v in self.decision.columns}
        return {**self.options[place].numbers, **columns}

    def doubts(self, place: int) -> list[str]:
        """Return outside which ranges the formulas of an option, and what was fitted, are used."""
        run = self._alone(place)[1]
        found = [name for name, outside in run.doubtful.items() if np.any(outside)]
        stated = (x for v, x in self.decision.stated.items() if v not in self.inputs and isinstance(x, Statement))
        return [*found, *dict.fromkeys(text for each in stated for text in each.cautions(run.known))]

    def _reason(self, run: Pass, name: str) -> str:
        """Return a violated constraint with its numbers: `memory: 97.3 GB > 80.0 GB`."""
        relation: Value = self.decision.constraints.get(name)
        sides = getattr(relation, "args", ())
        symbol = next((side for side in sides if isinstance(side, Variable)), None)
        if symbol is None or not getattr(relation, "is_Relational", False):
            return name
        texts = []
        for side in sides:
            symbols, unit_of = ordered(side), side if isinstance(side, Variable) else symbol
            compiled = evaluation.compile_unchecked(symbols, (to_declared_units(side, unit_of, symbols),))
            number = float(np.ravel(compiled(*map(run.number, symbols))[0])[0])
            texts.append(self.decision.quantity_text(unit_of, number))
        return f"{name}: {texts[0]} {SIGNS[relation.negated.rel_op]} {texts[1]}"

    def label(self, option: Option) -> str:
        """Return an option as pages call it: `TP=2, PP=8, full recomputation`; levers that never vary are left out."""
        usual = {getattr(key, "name", key): value for key, value in self.decision.usual.items()}
        message = [
            n for n in option.levers if n in self._varying and not (n in usual and self._has(option, n, usual[n]))
        ]
        return ", ".join(filter(None, (self._setting(option, name) for name in message))) or "the usual setting"

    def _setting(self, option: Option, name: str) -> str:
        value = option.levers[name]
        symbol = next((v for v in option.numbers if v.name == name), None)
        if symbol is None or isinstance(value, str):
            return self.decision.label_of(str(value))
        label, text = self.decision.label_of(name), self.decision.quantity_text(symbol, value, None)
        if not label:
            return ""
        sign = " " if symbol.display_unit else "="
        return label.format(text) if "{}" in label else f"{label}{sign}{text}"

    @functools.cached_property
    def _varying(self) -> set[str]:
        first: dict[str, object] = {}
        found: set[str] = set()
        for option in self.decision.space:
            for name, value in option.levers.items():
                if name not in found and first.setdefault(name, value) != value:
                    found.add(name)
        return found

    def loss_text(self, loss: float) -> str:
        """Return a loss as pages print it: a share in percent, from ten times on a multiple, or a quantity."""
        if not math.isfinite(loss):
            return "–"
        if not self.relative:
            return self.decision.quantity_text(self.decision.target, loss)
        loss = 0.0 if abs(loss) < ROUNDING else loss
        return f"{number_text(loss, 2)}×" if loss >= 10 else f"{number_text(100 * loss, 2)}{NARROW}%"

    # --- along one input, and over all -------------------------------------------------------

    @functools.cached_property
    def ranges(self) -> dict[Variable, tuple[float, float, float]]:
        """Return `(low, today's value, high)` of each uncertain input; the range moves with a reader's own value."""
        found = {}
        for symbol, each in self.decision.ranges.items():
            low, old, high = (bound(symbol, end) for end in (each.low, each.value, each.high))
            value = self.numbers[symbol]
            if each.logarithmic(low):
                low, high = low * value / old, high * value / old
            else:
                low, high = low + value - old, high + value - old
            least, most = symbol.bounds
            found[symbol] = (max(low, min(least, value)), value, min(high, most))
        return found

    def _spread(self, symbol: Variable, shares: Array) -> Array:
        """Return the values of an input at shares (n,) of its range."""
        low, _, high = self.ranges[symbol]
        if self.decision.ranges[symbol].logarithmic(low):
            return low * (high / low) ** shares
        return low + (high - low) * shares

    @functools.cached_property
    def changes(self) -> list[Change]:
        """Return what each uncertain input changes, by the loss of staying, largest first."""
        return [change for _, change in sorted(map(self._change, self.ranges), key=lambda pair: -pair[0])]

    def _change(self, symbol: Variable) -> tuple[float, Change]:
        low, value, high = self.ranges[symbol]
        costs = self.costs({symbol: np.array([[low], [high]])})
        losses = [float(x) for x in self.loss(costs[:, self._mine], costs.min(axis=1))]
        reach = [self._reach(symbol, end) for end in (low, high)]
        crossings = [self._crossing(symbol, end) for end in reach if end != value]
        inside = [c for c in crossings if c]
        texts = [self.decision.quantity_text(symbol, x) for x in (value, low, high, *reach)]
        source, worst = self.decision.ranges[symbol].source, max(losses)
        ends = self.loss_text(losses[0]), self.loss_text(losses[1])
        change = Change(symbol, texts[0], (texts[1], texts[2]), source, tuple(inside), ends, worst > self.error,
                        (texts[3], texts[4]))  # fmt: skip
        return worst, change

    def _reach(self, symbol: Variable, end: float) -> float:
        """Return how far break-even values are sought on the side of an end of the range."""
        value, (least, most) = self.ranges[symbol][1], symbol.bounds
        linear = self.ranges[symbol][0] <= 0 or self.decision.ranges[symbol].linear
        far = value + BEYOND * (end - value) if linear else end * BEYOND if end > value else end / BEYOND
        return float(min(max(far, least if not symbol.is_positive or least else far), most)) if end != value else value

    @functools.cached_property
    def _mine(self) -> int:
        """Return the place of today's best group among the active ones."""
        groups = self._active[2]
        return int(np.flatnonzero(groups == self.groups[self.ranking[0]])[0])

    def _crossing(self, symbol: Variable, end: float) -> Crossing | None:
        """Return the first value from today's towards `end` at which the verdict changes."""
        value = self.ranges[symbol][1]
        points, other = self._first(symbol, value, end, STEPS)
        for _ in range(ROUNDS if other is not None else 0):
            points, other = self._first(symbol, *points, PARTS)
        if other is None:
            return None
        found = points[1]
        low, _, high = self.ranges[symbol]
        quantity = symbol.display_quantity(found)
        to = NONE if other < 0 else self._called(other)
        to = f"{to} alone" if other == self._mine else to
        return Crossing(quantity, self.decision.quantity_text(symbol, found), to, low <= found <= high)

    def _first(self, symbol: Variable, start: float, end: float, steps: int) -> tuple[tuple[float, float], int | None]:
        """Return the step in which the verdict changes, and the best group then; -1 where nothing is feasible."""
        ratio = start > 0 and end > 0 and not self.decision.ranges[symbol].linear
        stops = np.geomspace(start, end, steps + 1) if ratio else np.linspace(start, end, steps + 1)
        costs = self.costs({symbol: stops[:, None]})
        least = costs.min(axis=1)
        lost = self._lost(costs, least)
        lost[0] = False
        if not lost.any():
            return (start, end), None
        at = int(lost.argmax())
        to = int(costs[at].argmin()) if np.isfinite(least[at]) else -1
        return (float(stops[at - 1]), float(stops[at])), to

    def _lost(self, costs: Array, least: Array) -> Array:
        """Return at which samples today's verdict holds no more.

        A win is lost where another group is better. A tie is broken where staying loses more than the error, or
        where today's best is the only one within it.
        """
        mine = costs[:, self._mine]
        if self.verdict == "win":
            return (mine > least) | np.isinf(mine)
        staying = ~(self.loss(mine, least) <= self.error)
        alone = (self.loss(costs, least[:, None]) <= self.error).sum(axis=1) == 1
        return staying | (alone & (mine == least))

    def _called(self, group: int) -> str:
        """Return how a group is called: the levers on which it decides."""
        number = self._active[2][group]
        names = {getattr(lever, "name", lever) for lever in self.decision.decides}
        option = self.options[int(np.flatnonzero(self.groups == number)[0])]
        levers = {n: x for n, x in option.levers.items() if not names or n in names}
        return self.label(Option(levers, option.numbers, option.formulas))

    @functools.cached_property
    def samples(self) -> dict[Variable, Array]:
        """Return the sampled inputs, arrays (samples, 1)."""
        count, chance = self.decision.samples, np.random.default_rng(self.decision.seed)
        normal = {symbol: chance.standard_normal(count) for symbol in self.ranges}
        for symbols, correlation, _ in self.decision.common:
            factor = chance.standard_normal(count)
            for symbol in symbols:
                normal[symbol] = math.sqrt(correlation) * factor + math.sqrt(1 - correlation) * normal[symbol]
        share = np.vectorize(NormalDist().cdf, otypes=[float])
        return {symbol: self._spread(symbol, share(z))[:, None] for symbol, z in normal.items()}

    @functools.cached_property
    def robustness(self) -> Robustness | None:
        """Return shares and regrets over the joint range; None where nothing is uncertain."""
        if not self.ranges:
            return None
        costs = self.costs(self.samples)
        least = costs.min(axis=1)
        winner = np.where(costs[:, self._mine] <= least, self._mine, costs.argmin(axis=1))
        winner = np.where(np.isfinite(least), winner, -1)
        groups = [int(group) for group in np.unique(winner) if group >= 0]
        winners = sorted((self._regret(group, costs, winner) for group in groups), key=lambda each: -each.wins)
        mine: Array = [] if self.proposed is None else np.flatnonzero(self._active[2] == self.groups[self.proposed])
        proposed = self._regret(int(mine[0]), costs, winner) if len(mine) else None
        best, nothing = self._regret(self._mine, costs, winner), float((winner < 0).mean())
        return Robustness(len(winner), tuple(winners), nothing, self._middle(winner), best, proposed)

    def _middle(self, winner: Array) -> str:
        """Return between which settings of a single lever with a scale the winners lie in 90 % of the samples."""
        symbols = self._scaled()
        if not symbols or (winner < 0).any():
            return ""
        first = {int(g): i for i, g in reversed([*enumerate(self.groups)])}
        settings = [self.options[first[int(self._active[2][g])]].numbers[symbols[0]] for g in winner]
        ends = np.quantile(settings, (0.05, 0.95), method="nearest")
        return " to ".join(self.decision.quantity_text(symbols[0], end) for end in ends)

    def _scaled(self) -> list[Variable]:
        """Return the symbol of the only lever that varies, if it has a scale."""
        found = [v for v in self.options[0].numbers if v.name in self._varying]
        return found if len(self._varying) == 1 else []

    def _regret(self, group: int, costs: Array, winner: Array) -> Regret:
        possible = winner >= 0
        losses = self.loss(costs[possible, group], costs[possible, winner[possible]])
        finite = losses[np.isfinite(losses)]
        mean, p95 = (float(finite.mean()), float(np.quantile(finite, 0.95))) if len(finite) else (math.inf, math.inf)
        wins, within = float((winner == group).mean()), float((losses <= self.error).sum()) / len(winner)
        return Regret(self._called(group), mean, p95, wins, within, 1 - len(finite) / len(winner))

    # --- words -----------------------------------------------------------------------------

    def sentence(self) -> str:
        """Return the verdict, how the proposed option compares, and how robust the verdict is."""
        parts = [self.verdict_text()]
        if self.proposed is not None:
            parts.append(self._of_proposed(self.proposed))
        if found := self.robustness:
            share = f"{number_text(100 * found.best.within, 2)}{NARROW}%"
            parts.append(f"Today's best option stays best, or tied with the best, in {share} of the joint range.")
        return " ".join(parts)

    def verdict_text(self) -> str:
        """Return the best option with its lead over the next one, or those that tie."""
        return self._won() if self.verdict == "win" else self._tie()

    def _won(self) -> str:
        best = f"Best: {self.best.label} ({self.best.value_text})."
        if len(self.ranking) == 1:
            return f"{best} No other option is feasible."
        second = self.row(self.ranking[1], "runner-up")
        message = f"{best} Next: {second.label}, {second.loss_text} worse"
        return f"{message}, more than {self._err()}." if self.error else f"{message}."

    def _err(self) -> str:
        return f"the error of a predicted difference ({self.loss_text(self.error)})"

    def _tie(self) -> str:
        if ends := self._ends():
            span = " to ".join(self.decision.quantity_text(v, x, None) for i in ends for v, x in self._set(i))
            label = self.decision.label_of(self._scaled()[0])
            tied = f"from {label.replace('{}', span)}" if "{}" in label else f"with {label} from {span}"
            message = f"Best: {self.best.label} ({self.best.value_text}). All options {tied} tie with it"
            return f"{message}: the losses are within {self._err()}."
        rows = [self.best, *(self.row(i, "tied") for i in self.tied[1 : 1 + TIED])]
        more = len(self.tied) - len(rows)
        listed = "; ".join(f"{row.label} ({row.value_text})" for row in rows) + f"; and {more} more" * (more > 0)
        return f"Tie: {listed}. They differ by less than {self._err()}."

    def _set(self, place: int) -> list[tuple[Variable, float]]:
        return [(v, self.options[place].numbers[v]) for v in self._scaled()]

    def _ends(self) -> list[int] | None:
        """Return the least and the greatest option of a tie along a single lever with a scale, or None."""
        symbols = self._scaled()
        if not symbols or len(self.tied) <= 2:
            return None
        along = sorted(self.tied, key=lambda i: self.options[i].numbers[symbols[0]])
        return [along[0], along[-1]]

    def _of_proposed(self, place: int) -> str:
        if place == self.tied[0]:
            return "The best option is the proposed one."
        row = self.row(place, "proposed")
        if row.reason:
            return f"The proposed option, {row.label}, is not feasible ({row.reason})."
        tie = " and ties with it" if row.loss <= self.error else ""
        return f"The proposed option, {row.label}, is {row.loss_text} worse{tie}."

    def values(self) -> dict[str, Quantity]:
        """Return the numbers that prose may cite, by name.

        `best` and `proposed` are their objectives; `margin` is by how much the next option is worse, `outside` by how
        much the next one that does not tie, `proposed_margin` the proposed one, which has neither if it is not
        feasible; `error`; the counts `options`,
        `feasible`, `tied`; `share`, of the joint range in which the best option is best or ties, `infeasible`, in
        which it is not feasible, `regret` and `regret_p95` of it, and with `proposed_` before them of the proposed
        one; `best_X` and `proposed_X` for the numbers and shown symbols of these options; and for uncertain inputs
        `X`, `X_low`, `X_high`, and the break-even values `X_below` and `X_above` today's.
        """
        found = {"best": self.best.value, **self._named("best", self.ranking[0])}
        if self.proposed is not None:
            if self.feasible[self.proposed]:
                row = self.row(self.proposed, "proposed")
                found |= {"proposed": row.value, "proposed_margin": self._loss_of(row.loss)}
            found |= self._named("proposed", self.proposed)
        counts = {"options": len(self.options), "feasible": self.feasible.sum(), "tied": len(self.tied)}
        found |= {name: Quantity(float(count), units.unit("")) for name, count in counts.items()}
        after = self.ranking[len(self.tied) :]
        found |= {"margin": self._loss_of(self.margin), "error": self._loss_of(self.error)}
        found |= {"outside": self._loss_of(float(self._losses(after[:1])[0]))} if after else {}
        if robust := self.robustness:
            found |= self._of_regret("", robust.best)
            found |= self._of_regret("proposed_", robust.proposed) if robust.proposed else {}
        for change in self.changes:
            found |= self._of_input(change)
        return found

    def _of_regret(self, prefix: str, regret: Regret) -> dict[str, Quantity]:
        shares = {"share": regret.within, "infeasible": regret.infeasible}
        found = {f"{prefix}{name}": Quantity(100 * share, units.unit("%")) for name, share in shares.items()}
        if math.isfinite(regret.mean):
            found |= {f"{prefix}regret": self._loss_of(regret.mean), f"{prefix}regret_p95": self._loss_of(regret.p95)}
        return found

    def _named(self, name: str, place: int) -> dict[str, Quantity]:
        numbers = self.numbers_of(place)
        return {f"{name}_{v.name}": v.display_quantity(number) for v, number in numbers.items()}

    def _loss_of(self, loss: float) -> Quantity:
        if self.relative:
            return Quantity(100 * loss, units.unit("%"))
        return self.decision.target.display_quantity(loss)

    def _of_input(self, change: Change) -> dict[str, Quantity]:
        name, ends = change.symbol.name, self.ranges[change.symbol]
        named = zip(("_low", "", "_high"), ends, strict=True)
        found = {f"{name}{end}": change.symbol.display_quantity(number) for end, number in named}
        today = found[name]
        return found | {f"{name}_{'below' if c.value < today else 'above'}": c.value for c in change.crossings}

    def unexpected(self) -> Iterator[str]:
        """Yield why the verdict is not the expected one."""
        expected = self.decision.expects
        self.proposed  # noqa: B018  it must be an option
        if expected is None:
            yield "no verdict is expected: state in expects= what the prose says"
            return
        if expected == "tie":
            expected = []
            if self.verdict == "win":
                yield f"a tie was expected, and {self._won()}"
        wins = [expected] if isinstance(expected, Mapping) else list(expected)
        for wanted in wins:
            if not any(self._matches(self.options[i], wanted) for i in self.tied):
                yield f"stale: {_settings_text(wanted)} was expected, and {self.sentence()}"
        for place in self.tied if wins else ():
            if not any(self._matches(self.options[place], wanted) for wanted in wins):
                label = self.label(self.options[place])
                yield f"stale: {label} ties too, within {self.loss_text(self.error)}: {self.sentence()}"
                return


def _settings_text(wanted: Mapping) -> str:
    return ", ".join(f"{getattr(key, 'name', key)} = {value}" for key, value in wanted.items())
