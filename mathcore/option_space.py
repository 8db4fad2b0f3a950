"""The options of a decision as arrays: every combination of its levers, and formulas evaluated over all of them.

A lever is a `Variable` with a tuple of values, or a name with named alternatives, each of which substitutes
numbers, formulas or further levers for symbols. Options that bind the same symbols to the same formulas form a
`OptionBlock`, whose numbers are arrays (options,); inputs are floats or columns (samples, 1), so that one pass of
numpy gives all options at all samples.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from mathcore import evaluation, units
from mathcore.errors import DeclarationError
from mathcore.formulas import Formula
from mathcore.symbols import Variable, to_declared_units
from mathcore.types import Array, Numbers

MOST = 500_000  # combinations beyond which a space is refused: no page could say what was searched


@dataclass(frozen=True)
class DecisionOption:
    """One combination: what each lever is set to, by name, and the numbers and formulas that it substitutes."""

    levers: Mapping[str, str | float]
    numbers: Mapping[Variable, float]
    formulas: Mapping[Variable, Formula]

    @functools.cached_property
    def binding(self) -> tuple:
        """Return the key of the option's block: the symbols of the numbers, and the formulas by symbol.

        By identity: comparing symbols would take longer than evaluating them.
        """
        return (*map(id, self.numbers), None, *map(id, self.formulas), *map(id, self.formulas.values()))

    def symbol_named(self, name: str) -> Variable | None:
        """Return the symbol of this name, if the option sets one to a number."""
        return next((symbol for symbol in self.numbers if symbol.name == name), None)


class Settings:
    """What an option is to have: for levers or symbols a name, a value, or a pair `(low, high)`."""

    def __init__(self, wanted: Mapping) -> None:
        self.wanted = {str(getattr(key, "name", key)): setting for key, setting in wanted.items()}
        self._ranges: dict[Variable, tuple[float, float]] = {}  # to parse them for every option would take seconds

    def match(self, option: DecisionOption) -> bool:
        """Return whether an option has all settings."""
        return all(self.has(option, name) for name in self.wanted)

    def has(self, option: DecisionOption, name: str) -> bool:
        """Return whether one of the settings is stated, and the option has it."""
        if name not in self.wanted:
            return False
        symbol = option.symbol_named(name)
        if symbol is None:
            return option.levers.get(name) == self.wanted[name]
        if symbol not in self._ranges:
            setting = self.wanted[name]
            low, high = setting if isinstance(setting, tuple) else (setting, setting)
            self._ranges[symbol] = in_declared_unit(symbol, low), in_declared_unit(symbol, high)
        low, high = self._ranges[symbol]
        return low * (1 - 1e-9) <= option.numbers[symbol] <= high * (1 + 1e-9)

    def __str__(self) -> str:
        """Return the settings as messages name them."""
        return ", ".join(f"{name} = {setting}" for name, setting in self.wanted.items())


def enumerate_options(levers: Mapping) -> list[DecisionOption]:
    """Return every combination of levers.

    Raises: DeclarationError for a lever without alternatives, or more than MOST combinations.
    """
    alternatives = [list(_alternatives(lever, values)) for lever, values in levers.items()]
    count = functools.reduce(lambda total, each: total * len(each), alternatives, 1)
    if not 0 < count <= MOST:
        message = f"the levers have {count:,} combinations: give each at least one, all at most {MOST:,}"
        raise DeclarationError(message, code="out-of-range", got=count, expected=f"1 to {MOST}")
    combined = [DecisionOption({}, {}, {})]
    for each in alternatives:
        combined = [_merge_options(first, second) for first in combined for second in each]
    return combined


def _alternatives(lever: Variable | str, values: Any) -> Iterator[DecisionOption]:
    """Yield the alternatives of a lever; a named one yields all combinations inside it."""
    if isinstance(lever, Variable):
        axis = isinstance(values, (tuple, list))
        for value in values if axis else (values,):
            yield _symbol_option(lever, value, axis)
        return
    for name, inside in values.items():
        for option in enumerate_options(inside) if inside else [DecisionOption({}, {}, {})]:
            yield DecisionOption({lever: name, **option.levers}, option.numbers, option.formulas)


def _symbol_option(symbol: Variable, value: object, axis: bool) -> DecisionOption:
    symbol, setting = intern_symbol(symbol), bound_value(symbol, value)
    if isinstance(setting, Formula):
        return DecisionOption({}, {}, {symbol: setting})
    if not symbol.admits(setting) or (symbol.integer_only and setting % 1):
        message = f"{symbol.name} = {value} is no option: it must be {symbol.range_text()}"
        raise DeclarationError(message, code="out-of-range", got=value, expected=symbol.range_text())
    return DecisionOption({symbol.name: setting} if axis else {}, {symbol: setting}, {})


@functools.cache
def intern_symbol(symbol: Variable) -> Variable:
    """Return the same object for all equal symbols, so that dictionaries find it by identity, without comparing.

    A symbol of a stored derivation equals the one of its module, but is another object. The cache grows to one entry
    for each variable of the library.
    """
    return symbol


def bound_value(symbol: Variable, value: object) -> Formula | float:
    """Return the value of a symbol: a Formula, or a float in its declared unit."""
    if isinstance(value, Formula):
        if units.unit(value.lhs.unit).dimensionality != symbol.dimension:
            message = f"{symbol.name} [{symbol.unit or '1'}] cannot stand for {value.label} [{value.lhs.unit or '1'}]"
            text = f"{message}: they differ in dimension"
            raise DeclarationError(text, code="dimension", got=value.lhs.unit or "1", expected=symbol.unit or "1")
        return value
    if isinstance(value, sympy.Basic) and not value.is_number:
        return Formula(symbol, value, kind="definition")
    return in_declared_unit(symbol, value)


def in_declared_unit(symbol: Variable, value: object) -> float:
    """Return a value as a float in the declared unit of a symbol."""
    return float(symbol.number(float(value) if isinstance(value, sympy.Basic) else value))


def _merge_options(first: DecisionOption, second: DecisionOption) -> DecisionOption:
    """Return both options as one: a formula replaces a number, and `second` overrides `first`."""
    numbers, formulas = first.numbers, first.formulas
    if second.formulas:
        numbers = {v: x for v, x in numbers.items() if v not in second.formulas}
        formulas = {**formulas, **second.formulas}
    more = {v: x for v, x in second.numbers.items() if v not in first.formulas} if first.formulas else second.numbers
    return DecisionOption({**first.levers, **second.levers}, {**numbers, **more}, formulas)


Levers = frozenset[Variable]  # on which a value depends


@dataclass
class OptionBlock:
    """Options that bind the same symbols: arrays (options,) of their numbers, and their places among all options.

    What depends on a few of the symbols is computed once for each of their combinations, not for each option.
    """

    formulas: Mapping[Variable, Formula]
    numbers: Mapping[Variable, Array]
    places: Array
    _combinations: dict[Levers, tuple[Array, Array]] = field(default_factory=dict, repr=False)
    _moves: dict[tuple[Levers, Levers], Array] = field(default_factory=dict, repr=False)

    def combinations(self, symbols: Levers) -> tuple[Array, Array]:
        """Return one option for each distinct combination of symbols, and the combination of each option."""
        if symbols not in self._combinations:
            code: Array = np.zeros(len(self.places), int)
            for symbol in symbols:
                values, place = np.unique(self.numbers[symbol], return_inverse=True)
                code = np.unique(code * len(values) + place, return_inverse=True)[1]
            self._combinations[symbols] = np.unique(code, return_index=True, return_inverse=True)[1:]
        return self._combinations[symbols]

    def varying(self, symbol: Variable) -> Levers:
        """Return the symbol itself, or nothing if it has the same number in all options."""
        return frozenset([symbol]) if len(self.combinations(frozenset([symbol]))[0]) > 1 else frozenset()

    def spread(self, values: Numbers, have: Levers, want: Levers | None = None) -> Numbers:
        """Return values by combination of `have` as values by combination of `want`, by default by option."""
        if isinstance(values, float) or not have or have == want or values.shape[-1:] in ((), (1,)):
            return values  # a condition may depend on fewer levers
        if want is None:
            return values[..., self.combinations(have)[1]]
        if (have, want) not in self._moves:
            self._moves[have, want] = self.combinations(have)[1][self.combinations(want)[0]]
        return values[..., self._moves[have, want]]


def group_into_blocks(listed: list[DecisionOption]) -> list[OptionBlock]:
    """Return options grouped by the symbols that they bind."""
    groups: dict[tuple, list[int]] = {}
    for place, option in enumerate(listed):
        groups.setdefault(option.binding, []).append(place)
    return [_make_block(listed, places) for places in groups.values()]


def _make_block(listed: list[DecisionOption], places: list[int]) -> OptionBlock:
    first = listed[places[0]]
    rows = np.array([tuple(listed[i].numbers.values()) for i in places]).reshape(len(places), -1)
    return OptionBlock(first.formulas, dict(zip(first.numbers, rows.T, strict=True)), np.array(places))


@dataclass
class BlockEvaluation:
    """The numbers of symbols for the options of a block, computed on demand, and what each option violates.

    `inputs` are floats or arrays (samples, 1) by symbol; `known` are arrays (combinations,) or (samples,
    combinations) of the levers in `varies`; `outside_validity` maps the condition of a warning to an array of truth
    values, and `violated` a condition that must hold to such an array and its levers.
    """

    block: OptionBlock
    inputs: Mapping[Variable, Numbers]
    formulas: Mapping[Variable, Formula]
    violated: dict[str, tuple[Array, Levers]] = field(default_factory=dict)
    outside_validity: dict[str, Array] = field(default_factory=dict)
    known: dict[Variable, Numbers] = field(default_factory=dict)
    varies: dict[Variable, Levers] = field(default_factory=dict)
    pending: dict[Variable, None] = field(default_factory=dict)

    @property
    def violations(self) -> dict[str, Array]:
        """Return by condition which options violate it, arrays (options,) or (samples, options)."""
        return {name: np.asarray(self.block.spread(fails, have)) for name, (fails, have) in self.violated.items()}

    @property
    def infeasible(self) -> Array:
        """Return which options violate anything."""
        failing: dict[Levers, Array] = {}
        for fails, have in self.violated.values():
            failing[have] = failing[have] | fails if have in failing else fails
        spread = (self.block.spread(fails, have) for have, fails in failing.items())
        return functools.reduce(np.logical_or, spread, np.zeros((), bool))

    def of_options(self, symbol: Variable) -> Array:
        """Return the numbers of a symbol for each option, in its declared unit."""
        return np.asarray(self.block.spread(self.number(symbol), self.varies[symbol]))

    def number(self, symbol: Variable) -> Numbers:
        """Return the numbers of a symbol in its declared unit, for each combination of the levers in `varies`.

        Raises: DeclarationError for a symbol that nothing gives, or that depends on itself.
        """
        if symbol not in self.known:
            if symbol in self.pending:
                loop = " → ".join(v.name for v in (*self.pending, symbol))
                raise DeclarationError(f"{symbol.name} depends on itself: {loop}", code="circular", got=loop)
            self.pending[symbol] = None
            self.known[symbol] = self._evaluate(symbol)
            del self.pending[symbol]
        return self.known[symbol]

    def _evaluate(self, symbol: Variable) -> Numbers:
        if symbol in self.block.numbers:
            self.varies[symbol] = self.block.varying(symbol)
            return self.block.numbers[symbol][self.block.combinations(self.varies[symbol])[0]]
        formula = self.block.formulas.get(symbol)
        if formula is None and symbol in self.inputs:
            self.varies[symbol] = frozenset()
            return self.inputs[symbol]
        formula = formula or self.formulas.get(symbol)
        if formula is None:
            used = f", of which {list(self.pending)[-2].name} is computed" if len(self.pending) > 1 else ""
            message = f"nothing gives {symbol.name} ({symbol.meaning}){used}: put it into given="
            raise DeclarationError(message, code="missing", expected=symbol.name)
        return self._computed(symbol, _compile_formula(symbol, formula))

    def _align_symbols(self, symbols: tuple[Variable, ...]) -> tuple[list[Numbers], Levers]:
        """Return the numbers of symbols by combination of all levers on which they depend, and these levers."""
        numbers = [self.number(v) for v in symbols]
        levers = [self.varies[v] for v in symbols]
        have: Levers = frozenset().union(*levers)
        spread = self.block.spread
        return [spread(x, each, have) if each else x for x, each in zip(numbers, levers, strict=True)], have

    def _computed(self, symbol: Variable, plan: "CompiledFormula") -> Array:
        """Return the values of a formula; options outside its domain or the range of the symbol are not feasible."""
        numbers, have = self._align_symbols(plan.inputs)
        value, *conditions = plan.values(*numbers)
        value = np.asarray(value, dtype=float) * plan.ratio
        if symbol.integer_only:
            value = evaluation.nearest_integers(np, value)
        for place, (name, holds) in enumerate(zip(plan.conditions, conditions, strict=True)):
            fails = ~np.asarray(holds, bool)
            if place >= plan.required:
                self.outside_validity[name] = fails
            elif fails.any():
                self.violated[name] = fails, have
        low, high = symbol.bounds
        outside = ~((value >= low) & (value <= high))
        if symbol.integer_only:
            outside = outside | (value % 1 != 0)
        if outside.any():
            self.violated[_range_name(symbol)] = outside, have
        self.varies[symbol] = have
        return value

    def require(self, name: str, relation: sympy.Basic) -> None:
        """Record for which options a relation between symbols does not hold."""
        symbols = sorted_symbols(relation)
        compiled = evaluation.compile_unchecked(symbols, (to_declared_units(relation, None, symbols),))
        numbers, have = self._align_symbols(symbols)
        self.violated[name] = ~np.asarray(compiled(*numbers)[0], bool), have


@dataclass(frozen=True, eq=False)
class CompiledFormula:
    """A formula compiled for a symbol: its conditions by name, the `required` ones first, those of warnings last."""

    inputs: tuple[Variable, ...]
    values: Callable
    ratio: float
    conditions: tuple[str, ...]
    required: int


@functools.lru_cache(maxsize=4096)
def _compile_formula(symbol: Variable, formula: Formula) -> CompiledFormula:
    expressions = (formula.numeric, *formula.numeric_domain, *formula.numeric_validity)
    relations = (*formula.domain, *(relation for relation, _ in formula.validity))
    names = tuple(f"{formula.condition_text(relation)} ({formula.label})" for relation in relations)
    compiled = evaluation.compile_unchecked(formula.inputs, expressions)
    return CompiledFormula(
        tuple(map(intern_symbol, formula.inputs)),
        compiled,
        units.unit_ratio(formula.lhs.unit, symbol.unit),
        names,
        len(formula.domain),
    )


@functools.lru_cache(maxsize=4096)
def _range_name(symbol: Variable) -> str:
    """Return the name of the range of a symbol, by which a table lists the options that leave it."""
    whole = "an integer, " * symbol.integer_only
    return f"{symbol.name} must be {whole}{symbol.range_text()}"


def sorted_symbols(expression: sympy.Basic) -> tuple[Variable, ...]:
    """Return the symbols of an expression, sorted by name."""
    return tuple(sorted(map(intern_symbol, expression.free_symbols), key=lambda v: (v.name.lower(), v.name)))
