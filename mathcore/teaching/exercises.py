"""`Exercise`: a question whose key, wrong answers and variants are computed from one formula.

The pages contain the prompt and the hints. Each common mistake is a wrong *formula*, so that it can be evaluated with
the numbers of every variant.
"""

import functools
import itertools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import sympy

from mathcore import toml_source, units
from mathcore.errors import ArgumentError
from mathcore.examples import aligned_latex, quantity_latex
from mathcore.formulas import Formula
from mathcore.number_format import unit_text
from mathcore.printing import to_text
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable, require_same_dimension
from mathcore.teaching import diagnosis, solution_lines
from mathcore.teaching.diagnosis import factor_of_two
from mathcore.teaching.expressions import parse_expression
from mathcore.teaching.toml_schema import TableReader, read_module_file
from mathcore.types import JsonObject
from mathcore.units import Quantity, natural_unit, quantity_text

SEEDS = 200  # number of variants that are checked


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(Statement):
    """State an exercise: `Exercise(interval, {C: "4 min", M: "8 h"}, mistakes={"…": sqrt(C * M)})`.

    `variants` maps variables to the other values that seeded variants use; `unit` is the display unit of the answer,
    `rtol` its relative tolerance. If the answer is a count, `rounding` is how it is rounded: down, up or near.

    Raises: DeclarationError for fewer than two mistakes; DimensionError for a mistake of another dimension.
    """

    formula: Formula
    given: Mapping[Variable, Any]
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    variants: Mapping[Variable, tuple] = field(default_factory=dict)
    rtol: float = 0.02
    unit: str = ""
    title: str = ""
    digits: int = 3
    rounding: str = ""

    def __post_init__(self) -> None:
        """Check the mistakes and their labels, `rounding`, and that only givens have variants."""
        if len(self.mistakes) < 2:
            message = f"the exercise {self.title}: declare two common mistakes or more"
            raise self.located_error(message, code="missing", got=len(self.mistakes), expected="2 mistakes or more")
        self._require_choice("rounding", ("", *diagnosis.ROUNDINGS), f"the exercise {self.title}")
        self._check_labels()
        for variable in self.variants:
            if variable not in self.given:
                message = f"{self.title} has variants of {variable.name}, which is not given"
                expected = ", ".join(v.name for v in self.given)
                raise self.located_error(message, code="unknown-key", got=variable.name, expected=expected)

    def _check_labels(self) -> None:
        """Check that the labels of mistakes are plain text, and that mistakes have the dimension of the answer."""
        for label, wrong in self.mistakes.items():
            if set(label) & set("$`\\"):
                cure = "a label is plain text: write f² and √2, without dollars, backslashes and backticks"
                message = f"the mistake `{label}` of {self.title} contains markup; {cure}"
                raise self.located_error(message, code="syntax", got=label, expected="a line of plain text")
            require_same_dimension(
                self.formula.rhs, sympy.sympify(wrong), functools.partial("mistake `{}`".format, label)
            )

    def _find_issues(self) -> Iterator[str]:
        """Check every variant and its mistakes, and yield each given whose variants repeat a value."""
        for seed in self.distinct_seeds:
            self._check_variant(seed)
        for variable, values in self.values.items():
            if len({f"{value.to_base_units().magnitude:.12g}" for value in values}) < len(values):
                yield f"{self.where}: {self.title}: the values of {variable.name} contain one twice: remove it"

    def _check_variant(self, seed: int) -> None:
        lhs, answer = self.formula.lhs, self.exact_answer(seed)
        right = answer.m_as(units.unit(lhs.unit))
        if not lhs.admits(right):
            wanted = f"but {lhs.name} must be {lhs.range_text()}"
            message = f"the answer of {self.title} is {quantity_text(answer)} (variant {seed}), {wanted}"
            raise self.located_error(message, code="out-of-range", got=quantity_text(answer), expected=lhs.range_text())
        for warning in self.formula.evaluate(self.givens_of(seed))[1]:
            if warning not in self.validity_warnings:
                cure = "the page shows no such warning, because the stated numbers give none"
                message = f"{self.title}: variant {seed} is {warning}; {cure}"
                raise self.located_error(
                    message, code="inconsistent", got=warning, expected=", ".join(self.validity_warnings)
                )
        self._check_mistakes(seed, right)

    def _check_mistakes(self, seed: int, right: float) -> None:
        """Check that the mistakes of a variant differ from the answer and from each other."""
        wrong = self.wrong_values(seed)
        for label, value in wrong:
            off = abs(value - right)
            if off <= 2 * self.rtol * abs(right) or (self.rounding and off < 1 - 1e-9):
                cure = f"within tolerance of the answer {right:.6g} (variant {seed}): change the numbers"
                message = f"mistake `{label}` of {self.title} gives {value:.6g}, {cure}"
                expected = f"another value than {right:.6g}"
                raise self.located_error(message, code="inconsistent", got=f"{value:.6g}", expected=expected)
        for (label, value), (other, same) in itertools.combinations(wrong, 2):
            if diagnosis.indistinguishable(value, same, self.rtol, self.rounding):
                cure = f"{same:.6g} (variant {seed}), which cannot be distinguished: change the numbers"
                message = f"mistakes `{label}` and `{other}` of {self.title} give {value:.6g} and {cure}"
                expected = f"another value than {same:.6g}"
                raise self.located_error(message, code="inconsistent", got=f"{value:.6g}", expected=expected)

    def wrong_values(self, seed: int) -> list[tuple[str, float]]:
        """Return `(label, value)` of each mistake in a variant, in the declared unit of the answer."""
        values = ((k, f.at(self.givens_of(seed, f))) for k, f in self.wrong_formulas.items())
        return [(label, value.m_as(units.unit(self.formula.lhs.unit))) for label, value in values]

    @functools.cached_property
    def wrong_formulas(self) -> dict[str, Formula]:
        """Return the mistakes as formulas, by label."""
        wrong = {label: sympy.sympify(expression) for label, expression in self.mistakes.items()}
        return {label: Formula(self.formula.lhs.as_real(), rhs, where=self.where) for label, rhs in wrong.items()}

    @property
    def facts(self) -> dict[Variable, Statement]:
        """Return the givens that are statements, by variable."""
        return {v: x for v, x in self.given.items() if isinstance(x, Statement)}

    @functools.cached_property
    def values(self) -> dict[Variable, tuple[Quantity, ...]]:
        """Return all values of each given, the stated one first."""

        def read(variable: Variable, value: object) -> Quantity:
            return units.quantity(units.to_per_device(value, variable.dimension), variable.name)

        return {v: tuple(read(v, x) for x in (stated, *self.variants.get(v, ()))) for v, stated in self.given.items()}

    @property
    def distinct_seeds(self) -> list[int]:
        """Return the first seed of each variant with inputs of its own; seed 0 is the stated one."""
        sizes = [len(values) for values in self.values.values()]
        return sorted({tuple(variant_indices(seed, sizes)): seed for seed in reversed(range(SEEDS))}.values())

    @property
    def givens(self) -> dict[Variable, Quantity]:
        """Return the stated givens as quantities."""
        return self.givens_of(0)

    def givens_of(self, seed: int, formula: Formula | None = None) -> dict[Variable, Quantity]:
        """Return the givens of a variant, with `formula` only the ones it needs; seed 0 is the stated variant."""
        if type(seed) is not int:
            message = f"the variant {seed!r} of {self.title} is not an integer"
            expected = "an integer, 0 for the stated one"
            raise ArgumentError(message, code="not-integer", got=repr(seed), expected=expected)
        draws = variant_indices(seed, [len(values) for values in self.values.values()])
        drawn = {v: values[i] for (v, values), i in zip(self.values.items(), draws, strict=True)}
        return drawn if formula is None else {v: x for v, x in drawn.items() if v in formula.inputs}

    def answer_of(self, seed: int) -> Quantity:
        """Return the answer of a variant in the display unit; a count is rounded."""
        answer = self.exact_answer(seed)
        if not self.rounding:
            return answer
        low, high = diagnosis.accepted_counts(answer.magnitude, self.rounding)
        return Quantity(float(low if answer.magnitude - low < high - answer.magnitude else high), answer.units)

    def exact_answer(self, seed: int) -> Quantity:
        """Return the value of the formula in a variant, in the display unit, before a count is rounded."""
        answer, _ = self.formula.evaluate(self.givens_of(seed))
        unit = self.unit or natural_unit(answer, self.formula.lhs.display_unit)
        return units.convert(answer, unit, f"the answer of {self.title}, shown in `{unit}`,")

    @functools.cached_property
    def validity_warnings(self) -> list[str]:
        """Return the warnings of the formula at the stated givens, as texts."""
        return self.formula.evaluate(self.givens)[1]

    @property
    def answer(self) -> Quantity:
        """Return the answer as a quantity."""
        return self.answer_of(0)

    value = answer

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the answer in the format of the pages."""
        return self.format_answer(self.answer, unit, digits)

    def format_answer(self, value: Quantity, unit: str | None = None, digits: int | None = None) -> str:
        """Return `value` in the format of the answer: a count as an integer, anything else with `digits`."""
        return quantity_text(value, unit, 0 if self.rounding else digits or self.digits)

    def solution(self, seed: int = 0) -> str:
        """Return the LaTeX of the worked solution of a variant, also in base units if the givens have several."""
        answer = self.exact_answer(seed)
        lines = solution_lines.solution_lines(self.formula, self.givens_of(seed), answer, self.digits)
        if self.rounding and answer != self.answer_of(seed):
            lines.append(rf"\\ &\to {quantity_latex(self.answer_of(seed), 0)}")
        return aligned_latex(self.formula, *lines)

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data; functions are given by address."""
        unit, lhs = units.unit_name(self.answer), self.formula.lhs
        return {
            "address": self.required_address,
            "f": self.function,
            "givens": {v.name: _given_spec(v, values) for v, values in self.values.items()},
            "asked": {
                "name": lhs.name,
                "unit": unit_text(unit),
                "factor": units.base_factor(unit) / units.base_factor(lhs.unit),
                "base": units.base_factor(lhs.unit),
                "dim": {k.strip("[]"): p for k, p in lhs.dimension.items()},
                "digits": 0 if self.rounding else self.digits,
                "two": factor_of_two(self.formula.display_form),
            },
            "rtol": self.rtol,
            "rounding": self.rounding,
            "mistakes": [{"label": k, "f": f"{self.address}#{i}"} for i, k in enumerate(self.mistakes)],
            "line": to_text(self.formula.display_form),
        }

    @property
    def function(self) -> str:
        """Return the address of the function of the key in the browser."""
        return f"{self.address}#key"


def _given_spec(variable: Variable, values: tuple[Quantity, ...]) -> JsonObject:
    unit = units.unit_name(values[0])
    in_unit = [x.m_as(values[0].units) for x in values]
    factor = units.base_factor(unit) / units.base_factor(variable.unit)
    return {"unit": unit_text(unit), "factor": factor, "values": in_unit, "default": in_unit[0]}


def variant_indices(seed: int, sizes: list[int]) -> list[int]:
    """Return one index for each size, from a generator that `mc-exercise.js` implements bit for bit.

    Seed 0 is the stated variant: all indices are 0.

    >>> variant_indices(0, [3, 4]), variant_indices(7, [3, 4]) == variant_indices(7, [3, 4])
    ([0, 0], True)
    """
    if seed == 0:
        return [0 for _ in sizes]
    state, indices = seed & 0xFFFFFFFF, []
    for size in sizes:  # mulberry32
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        indices.append(((t ^ (t >> 14)) & 0xFFFFFFFF) * size >> 32)
    return indices


@dataclass(frozen=True, kw_only=True)
class ExerciseTable:
    """A table of `exercises.toml`, whose values are texts.

    `formula` is a name in the module or an address, `solve_for` the symbol for which it is solved. `given` maps names
    of symbols to quantities or addresses, followed by the values of variants after ` | `. In
    `mistakes` the name of a formula stands for its right side. The other keys are those of Exercise.
    """

    formula: str
    title: str
    given: dict[str, str]
    mistakes: dict[str, str]
    solve_for: str = ""
    rtol: float = Exercise.rtol
    unit: str = ""
    digits: int = Exercise.digits
    rounding: str = ""
    where: str

    def build(self, module: ModuleType) -> Exercise:
        """Return the Exercise of the table, with the names of `module`.

        Raises: DeclarationError for names, values and expressions that are unknown there.
        """
        more = {key: getattr(self, key) for key in ("title", "rtol", "unit", "digits", "rounding", "where")}
        reader = TableReader(module, {"": self.where}, {})
        with reader.located():
            formula = reader.lookup(self.formula, (Formula,))
            reader.known.update({symbol.name: symbol for symbol in (formula.lhs, *formula.inputs)})
            formula = formula.solve_for(self.solve_for) if self.solve_for else formula
            values = {reader.lookup(name, (Variable,)): text.split(" | ") for name, text in self.given.items()}
            variants = {symbol: tuple(others) for symbol, (_, *others) in values.items() if others}
            given = {symbol: reader.quantity(text) for symbol, (text, *_) in values.items()}
            named = functools.partial(reader.lookup, kinds=(Formula,))
            wrong = {label: parse_expression(text, given, named) for label, text in self.mistakes.items()}
            return Exercise(formula, given, wrong, variants, **more)


def read_exercises(module: str) -> Group:
    """Return the exercises in the `exercises.toml` of `module`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    texts = read_module_file("exercises.toml", ExerciseTable, module)
    rows = ((each.where, name, functools.partial(each.build, sys.modules[module])) for name, each in texts.items())
    return toml_source.collect_statements(rows, module)
