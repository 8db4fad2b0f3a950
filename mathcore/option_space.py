"""The options of a decision as arrays: every combination of its levers, and formulas evaluated over all of them.

A lever is a `Variable` with a tuple of values, or a name with named alternatives, each of which substitutes
numbers, formulas or further levers for symbols. Options that bind the same symbols to the same formulas form a
`Block`, whose numbers are arrays (options,); inputs are floats or columns (samples, 1), so that one pass of
numpy gives all options at all samples.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy

from mathcore import evaluation, units
from mathcore.errors import DeclarationError
from mathcore.formulas import Formula
from mathcore.symbols import Variable, to_declared_units
from mathcore.types import Array, Value

MOST = 500_000  # combinations beyond which a space is refused: no page could say what was searched


@dataclass(frozen=True)
class Option:
    """One combination: what each lever is set to, by name, and the numbers and formulas that it substitutes."""

    levers: Mapping[str, Value]
    numbers: Mapping[Variable, float]
    formulas: Mapping[Variable, Formula]


def options(levers: Mapping) -> list[Option]:
    """Return every combination of levers.

    Raises: DeclarationError for a lever without alternatives, or more than MOST combinations.
    """
    alternatives = [list(_alternatives(lever, values)) for lever, values in levers.items()]
    count = functools.reduce(lambda total, each: total * len(each), alternatives, 1)
    if not 0 < count <= MOST:
        message = f"the levers have {count:,} combinations: give each at least one, all at most {MOST:,}"
        raise DeclarationError(message, code="out-of-range", got=count, expected=f"1 to {MOST}")
    return [_merged(parts) for parts in itertools.product(*alternatives)]


def _alternatives(lever: Value, values: Value) -> Iterator[Option]:
    """Yield the alternatives of a lever, those of a named one with all combinations inside it."""
    if isinstance(lever, Variable):
        axis = isinstance(values, (tuple, list))
        for value in values if axis else (values,):
            yield _of_symbol(lever, value, axis)
        return
    for name, inside in values.items():
        for option in options(inside) if inside else [Option({}, {}, {})]:
            yield Option({lever: name, **option.levers}, option.numbers, option.formulas)


def _of_symbol(symbol: Variable, value: object, axis: bool) -> Option:
    found = bound(symbol, value)
    if isinstance(found, Formula):
        return Option({}, {}, {symbol: found})
    if not symbol.admits(found) or (symbol.integer_only and found % 1):
        message = f"{symbol.name} = {value} is no option: it must be {symbol.range_text()}"
        raise DeclarationError(message, code="out-of-range", got=value, expected=symbol.range_text())
    return Option({symbol.name: found} if axis else {}, {symbol: found}, {})


def bound(symbol: Variable, value: object) -> Value:
    """Return the value of a symbol: a Formula, or a float in its declared unit."""
    if isinstance(value, Formula):
        if units.unit(value.lhs.unit).dimensionality != symbol.dimension:
            message = f"{symbol.name} [{symbol.unit or '1'}] cannot stand for {value.label} [{value.lhs.unit or '1'}]"
            text = f"{message}: they differ in dimension"
            raise DeclarationError(text, code="dimension", got=value.lhs.unit or "1", expected=symbol.unit or "1")
        return value
    if isinstance(value, sympy.Basic) and not value.is_number:
        return Formula(symbol, value, kind="definition")
    value = float(value) if isinstance(value, sympy.Basic) else value
    wanted = units.Quantity(1, units.unit(symbol.unit))
    found = units.matching(value, wanted, f"{symbol.name} ({symbol.meaning})")
    return float(found.m_as(wanted.units))


def _merged(parts: Iterable[Option]) -> Option:
    levers: dict[str, object] = {}
    numbers: dict[Variable, float] = {}
    formulas: dict[Variable, Formula] = {}
    for part in parts:
        levers |= part.levers
        numbers |= part.numbers
        formulas |= part.formulas
    return Option(levers, {v: x for v, x in numbers.items() if v not in formulas}, formulas)


@dataclass
class Block:
    """Options that bind the same symbols: arrays (options,) of their numbers, and their places among all options."""

    formulas: Mapping[Variable, Formula]
    numbers: Mapping[Variable, Array]
    places: Array


def blocks(found: list[Option]) -> list[Block]:
    """Return options grouped by what they bind."""
    groups: dict[tuple, list[int]] = {}
    for place, option in enumerate(found):
        key = frozenset(option.numbers), frozenset((v, id(f)) for v, f in option.formulas.items())
        groups.setdefault(key, []).append(place)
    return [_block(found, places) for places in groups.values()]


def _block(found: list[Option], places: list[int]) -> Block:
    first = found[places[0]]
    columns = {v: np.array([found[i].numbers[v] for i in places]) for v in first.numbers}
    return Block(first.formulas, columns, np.array(places))


@dataclass
class Pass:
    """One evaluation of a block: numbers of symbols as they are asked for, and what each option violates.

    `inputs` are floats or arrays (samples, 1) by symbol; `broken` maps a condition to an array of truth values, and
    `doubtful` one outside which a formula answers with a warning.
    """

    block: Block
    inputs: Mapping[Variable, Array]
    formulas: Mapping[Variable, Formula]
    broken: dict[str, Array] = field(default_factory=dict)
    doubtful: dict[str, Array] = field(default_factory=dict)
    known: dict[Variable, Array] = field(default_factory=dict)
    asked: list[Variable] = field(default_factory=list)

    def number(self, symbol: Variable) -> Array:
        """Return the numbers of a symbol in its declared unit.

        Raises: DeclarationError for a symbol that nothing gives, or that depends on itself.
        """
        if symbol not in self.known:
            if symbol in self.asked:
                loop = " → ".join(v.name for v in (*self.asked, symbol))
                raise DeclarationError(f"{symbol.name} depends on itself: {loop}", code="circular", got=loop)
            self.asked.append(symbol)
            self.known[symbol] = self._found(symbol)
            self.asked.pop()
        return self.known[symbol]

    def _found(self, symbol: Variable) -> Array:
        if symbol in self.block.numbers:
            return self.block.numbers[symbol]
        formula = self.block.formulas.get(symbol)
        if formula is None and symbol in self.inputs:
            return self.inputs[symbol]
        formula = formula or self.formulas.get(symbol)
        if formula is None:
            used = f", of which {self.asked[-2].name} is computed" if len(self.asked) > 1 else ""
            message = f"nothing gives {symbol.name} ({symbol.meaning}){used}: put it into given="
            raise DeclarationError(message, code="missing", expected=symbol.name)
        return self._computed(symbol, formula)

    def _computed(self, symbol: Variable, formula: Formula) -> Array:
        """Evaluate a formula; where its domain or the range of the symbol is left, the option is not feasible."""
        expressions = (formula.numeric, *formula.numeric_domain, *formula.numeric_validity)
        numbers = [self.number(v) for v in formula.inputs]
        value, *held = evaluation.compile_unchecked(formula.inputs, expressions)(*numbers)
        value = np.asarray(value, dtype=float) * units.ratio(formula.lhs.unit, symbol.unit)
        relations = (*formula.domain, *(relation for relation, _ in formula.validity))
        for place, (relation, holds) in enumerate(zip(relations, held, strict=True)):
            violations = self.broken if place < len(formula.domain) else self.doubtful
            violations[_condition_name(formula, relation)] = ~np.asarray(holds, bool)
        low, high = symbol.bounds
        outside = ~((value >= low) & (value <= high))
        if symbol.integer_only:
            outside = outside | (value % 1 != 0)
        if outside.any():
            self.broken[_range_name(symbol)] = outside
        return value

    def require(self, name: str, relation: sympy.Basic) -> None:
        """Note where a relation between symbols does not hold."""
        symbols = ordered(relation)
        compiled = evaluation.compile_unchecked(symbols, (to_declared_units(relation, None, symbols),))
        self.broken[name] = ~np.asarray(compiled(*map(self.number, symbols))[0], bool)


@functools.lru_cache(maxsize=4096)
def _condition_name(formula: Formula, relation: sympy.Basic) -> str:
    """Return the name of a condition of a formula, by which a table lists the options that violate it."""
    return f"{formula.condition_text(relation)} ({formula.label})"


@functools.lru_cache(maxsize=4096)
def _range_name(symbol: Variable) -> str:
    """Return the name of the range of a symbol, by which a table lists the options that leave it."""
    whole = "a whole number, " * symbol.integer_only
    return f"{symbol.name} must be {whole}{symbol.range_text()}"


def ordered(expression: sympy.Basic) -> tuple[Variable, ...]:
    """Return the symbols of an expression, sorted by name."""
    return tuple(sorted(expression.free_symbols, key=lambda v: (v.name.lower(), v.name)))
