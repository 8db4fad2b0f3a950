"""`Decision`: the best of all options, what ties with it, and what would change that.

    layout = Decision(
        "Which layout?",
        options={t: (1, 2, 4, 8), "recomputation": {"none": {}, "full": {t_c: recomputed}}},
        given={Psi: models.parameters, H: memory, C: hardware.h100_hbm, …},
        constraints={"memory": H <= C},
        minimise=step,
        uncertain={c: measured.memory.fitted_parameters["c"], R: Range("300 TFLOP/s", "500 TFLOP/s", source="…")},
        error=("6.6 %", "median error of the bubbles"),
        proposed={t: 4},
        expects={t: 2},
    )

Everything is computed when it is asked for: the whole space at the book's inputs (`best`, `table`), along each
uncertain input on both sides (`solve().changes`), and over the joint range (`solve().robustness`).
"""

import functools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from sympy.core.relational import Relational

from mathcore import units
from mathcore.errors import ArgumentError, MathcoreError, author_line, nearest
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.statements import Statement, comparisons_of, located_cached_property
from mathcore.symbols import Variable, names_text, require_comparable, variables_by_name
from mathcore.units import Quantity, quantity_text

if TYPE_CHECKING:
    from mathcore.measured.datasets import Dataset
    from mathcore.measured.parameters import FittedParameter
    from mathcore.option_space import DecisionOption
    from mathcore.solution import RankedOption, Solution

LOPSIDED = 0.1  # a side of a range that is less than this part of the other is no second side


@dataclass(frozen=True)
class Range:
    """The range of an uncertain input: `Range("0.2", "0.5", source="measured on …", value="0.3")`.

    The ends are quantities, texts or statements; `source` is where they come from and may be left out where both
    are statements. `value` is today's, unless the decision has it in `given`. A range must have two sides: one that
    ends at today's value needs the reason in `one_sided`. Samples are uniform in the logarithm where the low end is
    above zero, else, or with `linear`, uniform.
    """

    low: object
    high: object
    source: str = ""
    value: object = None
    one_sided: str = ""
    linear: bool = False

    @classmethod
    def measured(cls, data: "Dataset", column: str, **stated: Any) -> "Range":
        """Return the range from the least to the greatest number in a Dataset's column; the value is their median."""
        cells = [row[column] for row in data.rows if row[column] is not None]
        source = f"{len(cells)} measured rows, {data.address}"
        return cls(min(cells), max(cells), **{"source": source, "value": statistics.median(cells), **stated})

    @property
    def origin(self) -> str:
        """Return the source, by default the descriptions of the ends."""
        return self.source or " to ".join(dict.fromkeys(filter(None, map(_description_of, (self.low, self.high)))))

    def logarithmic(self, low: float) -> bool:
        """Return whether samples are uniform in the logarithm, given the low end as a number."""
        return low > 0 and not self.linear


def geomspace(low: str, high: str, count: int) -> tuple[Quantity, ...]:
    """Return values from `low` to `high` at equal ratios, rounded to three digits.

    >>> [f"{value:~}" for value in geomspace("1 min", "100 min", 3)]
    ['1.0 min', '10.0 min', '100.0 min']
    """
    first, last = units.quantity(low), units.quantity(high)
    end, parts = last.m_as(first.units), [i / (count - 1) for i in range(count)]
    numbers = (first.m * (end / first.m) ** x for x in parts)
    return tuple(Quantity(number, first.units) for number in dict.fromkeys(float(f"{n:.3g}") for n in numbers))


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Statement):
    """The option with the least, or greatest, objective among all that violate no constraint.

    `options` maps levers to alternatives: a Variable to a tuple of values, a name to named alternatives, each a
    mapping from Variables to numbers, Formulas, or tuples of values of its own. `given` maps every other symbol to
    its value: a quantity, a text, a statement with a value, a Formula, or an expression of symbols. `minimise` or
    `maximise` is a Formula, or a symbol that the options give. `constraints` are named relations between symbols, and
    `domain` those without which a combination is no option at all. `uncertain` maps symbols to a `Range` or to a
    fitted parameter. `error` is by how much a predicted *difference* between options errs, relative or in the unit
    of the objective: a statement, or a pair of a text and its source. `decides` are the levers that make two options
    different ones; the others are set to their best. `common` are groups `(symbols, correlation, reason)` of inputs
    that vary together. `columns` are further symbols in the table, `labels` what pages call levers, symbols and
    alternatives, with `{}` where the number stands and nothing for a lever that an option's name leaves out, `usual`
    the settings that the name leaves out. `expects` is the verdict on which prose relies: `{lever: value, (low, high)
    or name}` for a win, a list of these for a tie between them.

    Raises: DeclarationError.
    """

    question: str
    options: Mapping
    given: Mapping[Variable, object]
    error: object
    minimise: Formula | Variable | None = None
    maximise: Formula | Variable | None = None
    constraints: Mapping[str, Relational] = field(default_factory=dict)
    domain: tuple = ()
    uncertain: "Mapping[Variable, Range | FittedParameter]" = field(default_factory=dict)
    common: tuple[tuple[tuple[Variable, ...], float, str], ...] = ()
    decides: tuple[object, ...] = ()
    proposed: Mapping = field(default_factory=dict)
    columns: tuple[Variable, ...] = ()
    labels: Mapping[Any, str] = field(default_factory=dict)
    usual: Mapping = field(default_factory=dict)
    expects: Mapping | Sequence[Mapping] | Literal["tie"] | None = None
    samples: int = 2000
    seed: int = 2024

    def __post_init__(self) -> None:
        """Check the fields that need no computation."""
        self._require_text("the decision", "question")
        if (self.minimise is None) == (self.maximise is None):
            message = f"`{self.question}` states one objective: give minimise= or maximise="
            raise self.located_error(message, code="inconsistent", expected="minimise= or maximise=")
        for name, relation in (*self.constraints.items(), *(("domain", each) for each in self.domain)):
            stated = relation if getattr(relation, "free_symbols", ()) and not relation.is_Symbol else None
            try:
                require_comparable(stated)
            except MathcoreError as error:
                text = f"the constraint `{name}`: {error.message}"
                raise self.located_error(
                    text, code="relation", got=name, expected="a relation between symbols"
                ) from None
        self._check_groups()

    def _check_groups(self) -> None:
        """Check the form of the groups of inputs that vary together."""
        for group in self.common:
            if len(group) != 3 or not 0 < group[1] <= 1 or not set(group[0]) <= set(self.uncertain):
                wanted = "(uncertain symbols, correlation up to 1, reason)"
                raise self.located_error(f"common= takes {wanted}", code="wrong-type", got=group, expected=wanted)

    @property
    def title(self) -> str:
        """Return the question, by which the decision is found."""
        return self.question

    meaning = title

    @property
    def objective(self) -> Formula | Variable:
        """Return the objective, a Formula or a symbol."""
        objective = self.minimise if self.maximise is None else self.maximise
        assert objective is not None  # `__post_init__` requires one
        return objective

    @property
    def target(self) -> Variable:
        """Return the symbol of the objective."""
        return self.objective.lhs if isinstance(self.objective, Formula) else self.objective

    @property
    def decided_levers(self) -> list[str]:
        """Return the names of the levers that make two options different ones; of none, all do."""
        return [str(getattr(lever, "name", lever)) for lever in self.decides]

    @located_cached_property
    def ranges(self) -> dict[Variable, Range]:
        """Return the range of each uncertain input, with today's value."""
        ranges = {}
        for symbol, stated in self.uncertain.items():
            if not isinstance(stated, Range):  # a fitted parameter
                low, high = (stated.at_bound(end) for end in ("low", "high"))
                stated = Range(low, high, source=f"90 % interval of the fit to {_description_of(stated)}", value=stated)
            value = self.given.get(symbol, stated.value)
            if value is None or isinstance(value, Formula):
                message = f"what is {symbol.name} today? put it into given=, or give value= to its range"
                raise self.located_error(message, code="missing", expected=symbol.name)
            ranges[symbol] = Range(stated.low, stated.high, stated.origin, value, stated.one_sided, stated.linear)
        return ranges

    @property
    def stated(self) -> dict[Variable, object]:
        """Return everything that is given by symbol, with today's values of uncertain inputs."""
        return {**self.given, **{symbol: each.value for symbol, each in self.ranges.items()}}

    @property
    def facts(self) -> dict[object, Statement]:
        """Return the statements from which the decision is computed, by symbol."""
        facts: dict[object, Statement] = {v: each for v, each in self.stated.items() if isinstance(each, Statement)}
        ends = (end for each in self.ranges.values() for end in (each.low, each.high))
        further = [*ends, *_statements_in_levers(self.options, self.objective, self.error)]
        return facts | {i: each for i, each in enumerate(further) if isinstance(each, Statement)}

    def label_of(self, lever: object) -> str:
        """Return the label of a lever, a symbol or an alternative as stated; its name where there is none."""
        name = str(getattr(lever, "name", lever))
        return next((text for key, text in self.labels.items() if getattr(key, "name", key) == name), name)

    def name_of(self, lever: object) -> str:
        """Return what pages call a lever or a symbol: its label without the place of the number."""
        return self.label_of(lever).replace("{}", "").strip()

    @functools.cached_property
    def margin_of_error(self) -> tuple[Quantity, str]:
        """Return the error of a difference between options, and its source.

        Raises: DeclarationError for a number without a source.
        """
        pair = self.error if isinstance(self.error, tuple) else (self.error, _description_of(self.error))
        if len(pair) != 2 or not pair[1]:
            message = 'by how much does a difference between options err? error=("5 %", "source"), or a statement'
            raise self.located_error(message, code="missing", expected="an error with its source")
        error = units.quantity(pair[0], "the error of the difference")
        unit = units.unit(self.target.unit)
        if error.dimensionality not in (units.unit("").dimensionality, unit.dimensionality) or error.magnitude < 0:
            message = f"the error of the difference is {pair[0]}: a share, or a difference of objectives"
            raise self.located_error(
                message, code="dimension", got=pair[0], expected="a share, or a difference of objectives"
            )
        return error, pair[1]

    def variant(self, **changes: Any) -> "Decision":
        """Return the decision with other fields, stated at the line of the caller."""
        return replace(self, where=author_line(), **changes)

    # --- what is computed ------------------------------------------------------------------

    @functools.cached_property
    def _values_of_today(self) -> "Solution":
        from mathcore.solution import Solution

        return Solution(self, {}, {})

    def solve(self, values: Mapping | None = None, /, **named: object) -> "Solution":
        """Return the Solution at inputs of one's own and with levers set, each by its name or alias.

        Raises: ArgumentError for an unknown name, a wrong dimension, or a value out of range.
        """
        from mathcore.solution import Solution

        named = {**{getattr(v, "name", v): x for v, x in (values or {}).items()}, **named}
        if not named:
            return self._values_of_today
        levers = self._levers
        scaled = [symbol for symbol in levers.values() if symbol is not None]
        symbols = variables_by_name(dict.fromkeys([*self.stated, *scaled]))
        for name in named:
            if name not in symbols and name not in levers:
                wanted = ", ".join([names_text([*self.stated, *scaled]), *sorted(levers.keys() - symbols.keys())])
                message = f"{self.address or 'the decision'} has no input `{name}`; it takes {wanted}"
                hint = nearest(name, [*symbols, *levers])
                raise ArgumentError(message, code="unknown-argument", got=name, expected=wanted, hint=hint)
        settings = {str(getattr(symbols.get(name), "name", name)): value for name, value in named.items()}
        inputs = {symbols[name]: value for name, value in settings.items() if name not in levers}
        return Solution(self, inputs, {name: value for name, value in settings.items() if name in levers})

    @functools.cached_property
    def _levers(self) -> "dict[str, Variable | None]":
        """Return the levers by name, each with its symbol if it has one."""
        symbols: dict[str, Variable | None] = {name: None for option in self.space for name in option.levers}
        return symbols | {v.name: v for option in self.space for v in option.numbers if v.name in symbols}

    @located_cached_property
    def space(self) -> "list[DecisionOption]":
        """Return all combinations of the levers."""
        from mathcore.option_space import enumerate_options

        return enumerate_options(self.options)

    def best(self, values: Mapping | None = None, /, **named: object) -> "RankedOption":
        """Return the best feasible option as a row of the table."""
        return self.solve(values, **named).best

    def table(self, values: Mapping | None = None, /, **named: object) -> "list[RankedOption]":
        """Return the best options, those tied with it, the runners-up, the proposed one, and what was left out."""
        return self.solve(values, **named).table()

    def sentence(self, values: Mapping | None = None, /, **named: object) -> str:
        """Return the verdict in a sentence or two."""
        return self.solve(values, **named).sentence()

    def text(self) -> str:
        """Return the verdict as a list shows it."""
        return self._values_of_today.sentence()

    def quantity_text(self, symbol: Variable, number: float, digits: int | None = 3) -> str:
        """Return a number in the declared unit of a symbol as pages print it."""
        exact = symbol.integer_only and float(number).is_integer()
        return quantity_text(symbol.display_quantity(float(number)), None, None if exact else digits)

    # --- what verify asks ------------------------------------------------------------------

    def _find_issues(self) -> Iterator[str]:
        for message in (
            *self._find_one_sided_ranges(),
            *self._find_superseded_inputs(),
            *self._find_typed_in_values(),
            *self._find_unexpected_verdicts(),
        ):
            yield f"{self.where}: {self.address}: {message}"

    def _find_one_sided_ranges(self) -> Iterator[str]:
        """Yield the ranges without a source, with one side, or around another value."""
        for symbol, each in self.ranges.items():
            low, value, high = (float(symbol.number(x)) for x in (each.low, each.value, each.high))
            message = f"the range of {symbol.name}, {low:.6g} to {high:.6g} {symbol.unit}".rstrip()
            if not each.origin:
                yield f"{message}, has no source"
            if not low <= value <= high:
                yield f"{message}, does not hold today's value {value:.6g}"
                continue
            if each.logarithmic(low):  # sides are judged on the scale on which samples are drawn
                low, value, high = map(math.log, (low, value, high))
            if not each.one_sided and min(value - low, high - value) < LOPSIDED * max(value - low, high - value):
                today = float(symbol.number(each.value))
                yield f"{message}, has one side only (value {today:.6g}): widen it, or say why in one_sided="

    def _find_superseded_inputs(self) -> Iterator[str]:
        """Yield the statements behind the inputs that another statement supersedes."""
        for statement in _all_dependencies(self.facts.values()):
            if statement.superseded_by:
                yield f"it rests on {statement.address}, superseded by {statement.superseded_by}: use that"

    def _find_typed_in_values(self) -> Iterator[str]:
        """Yield inputs that are typed in although a statement of the library has them."""
        literals = {v: x for v, x in self.stated.items() if isinstance(x, (str, int, float))}
        if not literals:
            return
        for module in {
            m
            for v in literals
            if v.address
            for m in current_library.comparison_modules(current_library.split(v.address)[0])
        }:
            current_library.module(module)
        compared = [c for comparisons in comparisons_of.values() for c in comparisons if c.address]
        fitted = {v: c for c in compared for v in c.fit_parameters}
        old = [s for s in current_library.superseded() if hasattr(type(s), "value")]
        for symbol, value in literals.items():
            if symbol in fitted:
                message = f"{fitted[symbol].address} measures it: give that parameter, or a Fact with its source"
                yield f"{symbol.name} = {value} is typed in, and {message}"
            for statement in old:
                if _is_same_quantity(units.quantity(statement), units.quantity(value)):
                    message = f"of {statement.address}, superseded by {statement.superseded_by}: use that"
                    yield f"{symbol.name} = {value} is the value {message}"

    def _find_unexpected_verdicts(self) -> Iterator[str]:
        """Yield why the verdict is not the one on which prose relies."""
        self.margin_of_error  # noqa: B018  asking is checking
        yield from self._values_of_today.unexpected()


def _description_of(statement: object) -> str:
    """Return the description of a statement; nothing for a text or a number."""
    about = getattr(statement, "comparison", statement)  # of a fitted parameter, or a measured multiple
    words = getattr(about, "system", "") or getattr(about, "meaning", "")
    if not words and isinstance(formula := getattr(about, "formula", None), Formula):  # an Example has no name
        words = f"{formula.lhs.meaning}, computed"
    return words or getattr(statement, "address", "")


def _is_same_quantity(first: Quantity, second: Quantity) -> bool:
    """Return whether two quantities are equal but for rounding."""
    if first.dimensionality != second.dimensionality:
        return False
    return math.isclose(first.m_as(second.units), second.magnitude, rel_tol=1e-9)


def _statements_in_levers(*values: object) -> Iterator[Statement]:
    """Yield the statements in nested levers."""
    for value in values:
        if isinstance(value, Statement):
            yield value
        elif isinstance(value, Mapping):
            yield from _statements_in_levers(*value.values())
        elif isinstance(value, (tuple, list)):
            yield from _statements_in_levers(*value)


def _all_dependencies(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield statements, and those from which they are computed or derived, each once."""
    seen, waiting = set(), list(statements)
    while waiting:
        statement = waiting.pop()
        if statement in seen:
            continue
        seen.add(statement)
        yield statement
        waiting += [*statement.facts.values(), *getattr(statement, "sources", ())]
        waiting += [f for f in (getattr(statement, "formula", None),) if isinstance(f, Statement)]
