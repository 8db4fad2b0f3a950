"""`Exercise`: a question whose key, wrong answers and variants all come from one formula.

The prompt and the hints stand in the chapter; here stands what can be computed. Each usual
mistake is a wrong *formula*, so that it follows the numbers of every variant.
"""

import functools
import itertools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import sympy

from mathcore import tables, units
from mathcore.entities import Entity, Group
from mathcore.errors import ArgumentError
from mathcore.examples import aligned, quantity_latex
from mathcore.formulas import Formula
from mathcore.printing import line
from mathcore.symbols import Variable, require_same
from mathcore.teaching import diagnosis, solutions
from mathcore.teaching.diagnosis import Diagnosis, diagnose, factor_of_two
from mathcore.teaching.expressions import parse_expression
from mathcore.teaching.toml_schema import TableReader, read_module_file
from mathcore.units import Quantity, natural_unit, quantity_text, unit_text

SEEDS = 200  # how many variants the checks solve


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(Entity):
    """State an exercise: `Exercise(interval, {C: "4 min", M: "8 h"}, mistakes={"…": sqrt(C * M)})`.

    `variants` maps variables to other values of a seeded variant; `unit` is the unit of the answer
    shown, `rtol` the relative tolerance; `rounding` says that a count is asked, and how it is rounded: down,
    up or near.

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
        """Check the form: labels, and that variants are of what is given."""
        if len(self.mistakes) < 2:
            raise self._wrong(f"the exercise {self.title}: declare two usual mistakes or more")
        if self.rounding and self.rounding not in diagnosis.ROUNDINGS:
            raise self._wrong(
                f"{self.title}: a count is rounded {', '.join(diagnosis.ROUNDINGS)}, not `{self.rounding}`"
            )
        for label, wrong in self.mistakes.items():
            if set(label) & set("$`\\"):
                told = "is shown as it is typed, in a line of text: write f² and √2, without dollars, backslashes"
                raise self._wrong(f"the mistake `{label}` {told} and backticks")
            require_same(self.formula.rhs, sympy.sympify(wrong), functools.partial("mistake `{}`".format, label))
        for variable in self.variants:
            if variable not in self.given:
                raise self._wrong(f"{self.title} has variants of {variable.name}, which is not given")

    def _flaws(self) -> Iterator[str]:
        """Yield each given whose variants repeat a number, having solved every variant and tried each mistake on it."""
        sizes = [len(values) for values in self._values.values()]
        distinct = {tuple(variant_indices(seed, sizes)): seed for seed in reversed(range(SEEDS))}
        for seed in sorted(distinct.values()):  # the first seed of each combination of givens
            self._check_variant(seed)
        for variable, values in self._values.items():
            if len({f"{value.to_base_units().magnitude:.12g}" for value in values}) < len(values):
                told = f"the values of {variable.name} repeat one: new numbers would be the old ones"
                yield f"{self.where}: {self.title}: {told}"

    def _check_variant(self, seed: int) -> None:
        lhs, found = self.formula.lhs, self.exact_answer(seed)
        right = found.m_as(units.unit(lhs.unit))
        if not lhs.admits(right):
            wanted = f"but {lhs.name} must be {lhs.range_text()}"
            raise self._wrong(f"the answer of {self.title} is {quantity_text(found)} (variant {seed}), {wanted}")
        for said in self.formula.evaluate(self.givens_of(seed))[1]:
            if said not in self.cautions:
                told = f"variant {seed} is {said}; the stated numbers are not, so no page says it"
                raise self._wrong(f"{self.title}: {told}")
        wrong = self.wrong_values(seed)
        for label, value in wrong:
            off = abs(value - right)
            if off <= 2 * self.rtol * abs(right) or (self.rounding and off < 1 - 1e-9):
                told = f"within reach of the answer {right:.6g} (variant {seed}): a reader could not be told apart"
                raise self._wrong(f"mistake `{label}` of {self.title} gives {value:.6g}, {told}")
        for (label, value), (other, same) in itertools.combinations(wrong, 2):
            if diagnosis.indistinguishable(value, same, self.rtol, self.rounding):
                told = f"{same:.6g} (variant {seed}): a reader would be told the first, whichever it was"
                raise self._wrong(f"mistakes `{label}` and `{other}` of {self.title} give {value:.6g} and {told}")

    def wrong_values(self, seed: int) -> list[tuple[str, float]]:
        """Return what each mistake gives in a variant, in the declared unit of the answer."""
        found = ((k, f.at(self.givens_of(seed, f))) for k, f in self.wrong_formulas.items())
        return [(label, value.m_as(units.unit(self.formula.lhs.unit))) for label, value in found]

    @functools.cached_property
    def wrong_formulas(self) -> dict[str, Formula]:
        """Return the mistakes as formulas, by label."""
        wrong = {label: sympy.sympify(expression) for label, expression in self.mistakes.items()}
        return {label: Formula(self.formula.lhs, rhs, where=self.where) for label, rhs in wrong.items()}

    @property
    def facts(self) -> dict[Variable, Entity]:
        """Return the givens that are statements of their own, by variable."""
        return {v: x for v, x in self.given.items() if isinstance(x, Entity)}

    @functools.cached_property
    def _values(self) -> dict[Variable, tuple[Quantity, ...]]:
        return {
            v: tuple(units.quantity(x, v.name) for x in (stated, *self.variants.get(v, ())))
            for v, stated in self.given.items()
        }

    def values_of(self, variable: Variable) -> tuple[Quantity, ...]:
        """Return all values of a given: the stated one first, then those of the variants."""
        return self._values[variable]

    @property
    def givens(self) -> dict[Variable, Quantity]:
        """Return the stated givens as quantities."""
        return self.givens_of(0)

    def givens_of(self, seed: int, formula: Formula | None = None) -> dict[Variable, Quantity]:
        """Return the givens of a variant, all or those of a formula; seed 0 is the stated one."""
        if type(seed) is not int:
            told = f"the variant {seed!r} of {self.title} is no integer"
            raise ArgumentError(told, code="not-integer", got=repr(seed), expected="an integer, 0 for the stated one")
        draws = variant_indices(seed, [len(values) for values in self._values.values()])
        drawn = {v: values[i] for (v, values), i in zip(self._values.items(), draws, strict=True)}
        return drawn if formula is None else {v: x for v, x in drawn.items() if v in formula.inputs}

    def answer_of(self, seed: int) -> Quantity:
        """Return the answer of a variant, in the unit of display; a count as it is rounded."""
        found = self.exact_answer(seed)
        if not self.rounding:
            return found
        low, high = diagnosis.accepted_counts(found.magnitude, self.rounding)
        return Quantity(float(low if found.magnitude - low < high - found.magnitude else high), found.units)

    def exact_answer(self, seed: int) -> Quantity:
        """Return what the formula gives in a variant, in the unit of display, before a count is rounded."""
        found, _ = self.formula.evaluate(self.givens_of(seed))
        unit = self.unit or natural_unit(found, self.formula.lhs.shown)
        return units.converted(found, unit, f"the answer of {self.title}, shown in `{unit}`,")

    @functools.cached_property
    def cautions(self) -> list[str]:
        """Return what is to be said where the stated givens lie outside the regime, as texts."""
        return self.formula.evaluate(self.givens)[1]

    @property
    def answer(self) -> Quantity:
        """Return the answer as a quantity."""
        return self.answer_of(0)

    value = answer

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the answer as pages print it."""
        return self.format_answer(self.answer, unit, digits)

    def format_answer(self, value: Quantity, unit: str | None = None, digits: int | None = None) -> str:
        """Return a value of the answer's kind as pages print it: a count whole, all else with its digits."""
        return quantity_text(value, unit, 0 if self.rounding else digits or self.digits)

    def diagnose(self, given: Any, seed: int = 0) -> Diagnosis:
        """Return the Diagnosis of an answer such as `"62 min"`.

        Raises: ArgumentError for a text that is no quantity, or one of another dimension.
        """
        right, unit = self.exact_answer(seed), units.unit(self.formula.lhs.unit)
        found = units.matching(given, right, "the answer").m_as(unit)
        if getattr(found, "shape", ()):
            told = f"the answer is {len(found)} numbers"
            raise ArgumentError(told, code="shape", got=f"{given!r}", expected="one quantity", hint="give one")
        shown, two = units.name_of(right), factor_of_two(self.formula.shown)
        return diagnose(found, right.m_as(unit), self.wrong_values(seed), self.rtol, shown, self.rounding, two)

    def solution(self, seed: int = 0) -> str:
        """Return the worked solution of a variant as LaTeX; in one unit too, where the givens have several."""
        found = self.exact_answer(seed)
        lines = solutions.lines(self.formula, self.givens_of(seed), found, self.digits)
        if self.rounding and found != self.answer_of(seed):
            lines.append(rf"\\ &\to {quantity_latex(self.answer_of(seed), 0)}")
        return aligned(self.formula, *lines)

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs, as JSON-able data; functions go by address."""
        unit, lhs = units.name_of(self.answer), self.formula.lhs
        return {
            "address": self.home,
            "f": self.function,
            "givens": {v.name: _given_spec(v, values) for v, values in self._values.items()},
            "asked": {
                "name": lhs.name,
                "unit": unit_text(unit),
                "factor": units.factor(unit) / units.factor(lhs.unit),
                "base": units.factor(lhs.unit),
                "dim": {k.strip("[]"): p for k, p in lhs.dimension.items()},
                "digits": 0 if self.rounding else self.digits,
                "two": factor_of_two(self.formula.shown),
            },
            "rtol": self.rtol,
            "rounding": self.rounding,
            "mistakes": [{"label": k, "f": f"{self.address}#{i}"} for i, k in enumerate(self.mistakes)],
            "line": line(self.formula.shown),
        }

    @property
    def function(self) -> str:
        """Return the address under which the browser finds the key's function."""
        return f"{self.address}#key"


def _given_spec(variable: Variable, values: tuple[Quantity, ...]) -> dict[str, Any]:
    unit = units.name_of(values[0])
    in_unit = [x.m_as(values[0].units) for x in values]
    factor = units.factor(unit) / units.factor(variable.unit)
    return {"unit": unit_text(unit), "factor": factor, "values": in_unit, "default": in_unit[0]}


def variant_indices(seed: int, sizes: list[int]) -> list[int]:
    """Return one index for each size, from a generator that JavaScript repeats bit for bit.

    Seed 0 is the stated variant: all indices are 0.

    >>> variant_indices(0, [3, 4]), variant_indices(7, [3, 4]) == variant_indices(7, [3, 4])
    ([0, 0], True)
    """
    if seed == 0:
        return [0 for _ in sizes]
    state, found = seed & 0xFFFFFFFF, []
    for size in sizes:  # mulberry32
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        found.append(((t ^ (t >> 14)) & 0xFFFFFFFF) * size >> 32)
    return found


@dataclass(frozen=True, kw_only=True)
class ExerciseTable:
    """Hold an exercise as a data file states it, all in texts.

    `formula` is one of the module or its address, `solve_for` the symbol for which it is solved; `given` maps
    the names of symbols to quantities, to addresses or to `ADDRESS per gpu`, with the values of variants behind,
    parted by ` | `; in `mistakes` the name of a formula stands for its right side. All else is as Exercise has it.
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
        """Return the Exercise that a module states so.

        Raises: DeclarationError for names, values and expressions that mean nothing there.
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
            wrong = {told: parse_expression(text, given, named) for told, text in self.mistakes.items()}
            return Exercise(formula, given, wrong, variants, **more)


def read_exercises(home: str) -> Group:
    """Return the exercises of the module called `home`, from its `exercises.toml`.

    Raises: DeclarationError, with file and line, for all that does not hold.
    """
    texts = read_module_file("exercises.toml", ExerciseTable, home)
    rows = ((each.where, name, functools.partial(each.build, sys.modules[home])) for name, each in texts.items())
    return tables.grouped(rows, home)
