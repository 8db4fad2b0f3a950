"""Exercises that no substitution answers: derive, order the steps of a derivation, estimate, design, program.

A chapter has a module `open_exercises` with the formulas that only they ask for, and `open_exercises.toml` next to
it; `kind` of a table selects the class. Everything by which an answer is judged is computed here: values of the right
expression at sampled points, the value of a chain of assumptions, the objective of every choice of a decision, the
results that a program must give.
"""

import functools
import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Derivative, Expr

from mathcore import checker, units
from mathcore.errors import MathcoreError, Refuted
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.number_format import unit_text
from mathcore.statements import Group, Statement
from mathcore.steps import Step
from mathcore.symbols import One, Variable
from mathcore.teaching.expressions import evaluate_expression, parse_expression
from mathcore.teaching.symbol_markup import plain_text
from mathcore.teaching.toml_schema import read_module_file
from mathcore.types import JsonObject
from mathcore.units import Quantity, quantity_text

if TYPE_CHECKING:
    from mathcore.solution import Solution

POINTS = 12  # at which a typed expression is compared with the right one
TRIES = 400  # draws for these points: some lie outside the domain of the formula
APART = 1e-3  # least relative difference, at half of the points, between a mistake and the right expression
LEAST_STEPS = 4  # of a derivation whose steps are ordered
MOST_SETTINGS = 16  # of one lever: a longer list is thinned out evenly
MOST_CHOICES = 4000  # of a design exercise: a page carries the objective of each


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OpenExercise(Statement):
    """The fields of all kinds: a title, a prompt, up to three hints (concept, set-up, formula), an explanation."""

    kind: ClassVar[str]
    label: ClassVar[str]
    title: str
    prompt: str
    hints: list = field(default_factory=list)
    explanation: str = ""
    level: int = 3

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data."""
        return {"address": self.required_address, "kind": self.kind, "title": self.title}

    def texts(self) -> dict[str, str]:
        """Return the values of the slots of prompt, hints and explanation."""
        return {}

    def fill(self, text: str) -> str:
        """Return `text` with the values of this exercise in its slots.

        Raises: DeclarationError for a slot without a value.
        """
        return self.fill_slots(text, self.texts(), self.title)

    def _find_issues(self) -> Iterator[str]:
        for text in (self.prompt, *self.hints, self.explanation):
            self.fill(text)
        if len(self.hints) > 3 or self.level not in (1, 2, 3):
            yield f"{self.where}: {self.title}: give at most three hints, and a level of 1 to 3"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DeriveExercise(OpenExercise):
    """Ask for the right side of `formula`, as an expression in its symbols.

    `ranges` maps symbols to `LOW to HIGH`, between which points are drawn, uniform in the logarithm; `mistakes` maps
    labels to wrong expressions. An answer is right if it agrees at all points: it is sampled, not proved.
    """

    kind = "derive"
    label = "Derive"
    formula: Formula
    ranges: dict[str, str]
    mistakes: dict[str, str] = field(default_factory=dict)

    @property
    def symbols(self) -> list[Variable]:
        """Return the symbols of the answer."""
        return list(self.formula.inputs)

    @functools.cached_property
    def points(self) -> list[dict[Variable, float]]:
        """Return the points as numbers in declared units, all within the domain of the formula.

        Raises: DeclarationError for symbols without a range, and ranges outside of the domain.
        """
        ends = self._ends()
        rng, points = random.Random(self.title), []
        for _ in range(TRIES):
            drawn = {v: _draw_value(rng, v, *pair) for v, pair in ends.items()}
            if self._has_value(drawn):
                points.append(drawn)
            if len(points) == POINTS:
                return points
        message = f"{self.title}: only {len(points)} of {TRIES} points lie within the domain of {self.formula.label}"
        raise self.located_error(
            message, code="out-of-range", got=len(points), expected=f"{POINTS} points: narrow `ranges`"
        )

    def point(self, seed: int) -> dict[Variable, Quantity]:
        """Return a point for an exam, drawn by `seed`, in the units and with the two digits that are printed.

        Raises: DeclarationError if no draw lies within the domain of the formula.
        """
        rng = random.Random(seed)
        for _ in range(TRIES):
            drawn = {v: _round_drawn(v, _draw_value(rng, v, *pair)) for v, pair in self._ends().items()}
            if self._has_value({v: v.number(q) for v, q in drawn.items()}):
                return drawn
        message = f"{self.title}: no point within the domain"
        raise self.located_error(message, code="out-of-range", got=seed, expected="a point")

    def wrong_at(self, point: Mapping[Variable, Quantity]) -> dict[str, Quantity]:
        """Return what each mistake gives at a point, by label."""
        rows = (
            (label, f, {v: x for v, x in point.items() if v in f.inputs}) for label, f in self._mistake_formulas.items()
        )
        return {label: formula.at(row) for label, formula, row in rows}

    def _ends(self) -> dict[Variable, tuple[float, float]]:
        if missing := {v.name for v in self.symbols} ^ self.ranges.keys():
            message = f"{self.title}: `ranges` must name the symbols of {self.formula.label}, no others"
            expected = ", ".join(v.name for v in self.symbols)
            raise self.located_error(message, code="unknown-key", got=", ".join(sorted(missing)), expected=expected)
        ends = {}
        for v in self.symbols:
            low, _, high = self.ranges[v.name].partition(" to ")
            ends[v] = v.number(low), v.number(high)
        return ends

    def _has_value(self, drawn: Mapping[Variable, float]) -> bool:
        try:
            value, warnings = self.formula.evaluate({v: v.quantity(x) for v, x in drawn.items()})
        except MathcoreError:
            return False
        return not warnings and value.magnitude != 0 and self.formula.lhs.admits(value.magnitude)

    def _values(self, formula: Formula) -> list[float]:
        """Return the values of a formula at the points, in base units."""
        rows = ({v: v.quantity(x) for v, x in point.items() if v in formula.inputs} for point in self.points)
        return [float(formula.at(row).to_base_units().magnitude) for row in rows]

    @functools.cached_property
    def _mistake_formulas(self) -> dict[str, Formula]:
        """Return the mistakes as formulas, by label."""
        parsed = {label: parse_expression(text, self.symbols) for label, text in self.mistakes.items()}
        lhs = self.formula.lhs.as_real()
        return {label: Formula(lhs, x, where=self.where) for label, x in parsed.items()}

    @functools.cached_property
    def wrong(self) -> dict[str, list[float]]:
        """Return the values of each mistake at the points, by label."""
        return {label: self._values(formula) for label, formula in self._mistake_formulas.items()}

    def _find_issues(self) -> Iterator[str]:
        """Yield each mistake that agrees with the answer, or with another mistake."""
        yield from super()._find_issues()
        columns = {"the answer": self._values(self.formula), **self.wrong}
        for (one, left), (other, right) in itertools.combinations(columns.items(), 2):
            apart = sum(not math.isclose(a, b, rel_tol=APART) for a, b in zip(left, right, strict=True))
            if 2 * apart < POINTS:
                yield f"{self.where}: {self.title}: `{other}` and `{one}` agree at {POINTS - apart} of {POINTS} points"

    def spec(self) -> JsonObject:
        """Return the points, the values of the answer and of the mistakes, all in base units, and the dimensions."""
        lhs, free = self.formula.lhs, not self.formula.rhs.atoms(One)
        factors = [units.base_factor(v.unit) for v in self.symbols]
        return {
            **super().spec(),
            "symbols": [{"name": v.name, "meaning": v.meaning, "dim": _dimension(v)} for v in self.symbols],
            "dim": _dimension(lhs) if free else None,
            "asked": lhs.meaning,
            "points": [[_short_number(x * f) for x, f in zip(p.values(), factors, strict=True)] for p in self.points],
            "stated": [[_in_printed_unit(v, x) for v, x in p.items()] for p in self.points],
            "right": list(map(_short_number, self._values(self.formula))),
            "mistakes": [{"label": label, "values": list(map(_short_number, x))} for label, x in self.wrong.items()],
        }


def _draw_value(rng: random.Random, variable: Variable, low: float, high: float) -> float:
    value = math.exp(rng.uniform(math.log(low), math.log(high)))
    return float(round(value)) if variable.integer_only else value


def _round_drawn(variable: Variable, value: float) -> Quantity:
    """Return a drawn number as a quantity with two digits in the unit in which the symbol is printed."""
    printed = variable.quantity(value).to(variable.display_unit)
    return Quantity(float(f"{printed.magnitude:.2g}"), printed.units)


def _in_printed_unit(variable: Variable, number: float) -> str:
    return quantity_text(variable.quantity(number), variable.display_unit or None, 3)


def _short_number(value: float) -> float:
    """Return a number with as many digits as a comparison within 10⁻⁶ needs."""
    return float(f"{value:.10g}")


def _dimension(variable: Variable) -> dict[str, float]:
    return {name.strip("[]"): power for name, power in variable.dimension.items()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrderExercise(OpenExercise):
    """Ask for the steps of the derivation of `formula` in an order in which each follows from those above it.

    `wrong` are lines that do not belong there: tables with `line`, the right side in the symbols of the derivation,
    `instead_of`, the number of the step that it imitates, and `label`, what is wrong with it.
    """

    kind = "order"
    label = "Order the steps"
    formula: Formula
    wrong: list
    level: int = 2

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps of the derivation."""
        return self.formula.derivation.steps if self.formula.derivation else ()

    @property
    def symbols(self) -> list[Variable]:
        """Return the symbols of all steps."""
        used = set().union(*(step.left.free_symbols | step.right.free_symbols for step in self.steps))
        return sorted((v for v in used if isinstance(v, Variable)), key=lambda v: v.name)

    @functools.cached_property
    def needs(self) -> list[list[int]]:
        """Return for each step those on which it rests: the one before it.

        A second derivative rests on the first one, and nothing follows from it: the root may stand above or below it.
        """
        needs: list[list[int]] = []
        last = slope = -1
        for place, step in enumerate(self.steps):
            order = step.left.derivative_count if isinstance(step.left, Derivative) else 0
            needs.append([below for below in ([slope] if order == 2 else [last]) if below >= 0])
            last, slope = last if order == 2 else place, place if order == 1 else slope
        return needs

    @functools.cached_property
    def false_lines(self) -> list[tuple[Step, Expr]]:
        """Return the wrong lines: the step that each imitates, and its right side.

        Raises: DeclarationError for a step that does not exist, and for unknown names in a line.
        """
        lines = []
        for each in self.wrong:
            if not 1 <= each["instead_of"] <= len(self.steps):
                message = f"{self.title}: there is no step {each['instead_of']}"
                expected = f"1 to {len(self.steps)}"
                raise self.located_error(message, code="out-of-range", got=each["instead_of"], expected=expected)
            lines.append((self.steps[each["instead_of"] - 1], parse_expression(each["line"], self.symbols)))
        return lines

    @functools.cached_property
    def lines(self) -> list[tuple[str, int]]:
        """Return the lines as the page lists them: LaTeX and number of the step; below zero that of a wrong one."""
        right = [(step.latex(), place) for place, step in enumerate(self.steps)]
        false = [(replace(step, display_form=x).latex(), -1 - i) for i, (step, x) in enumerate(self.false_lines)]
        lines = right + false
        random.Random(self.title).shuffle(lines)
        return lines if [i for _, i in lines if i >= 0] != list(range(len(right))) else lines[::-1]

    def _find_issues(self) -> Iterator[str]:
        """Yield a derivation that is too short, a wrong line that is true, and lines that look the same."""
        yield from super()._find_issues()
        if len(self.steps) < LEAST_STEPS or not self.wrong:
            yield f"{self.where}: {self.title}: {LEAST_STEPS} steps or more, and a wrong line, are needed"
        for each, (step, wrong) in zip(self.wrong, self.false_lines, strict=True):
            try:
                checker.check_equal(step.right, wrong, place=self.where)
            except Refuted:
                continue
            yield f"{self.where}: {self.title}: `{each['line']}` is no wrong line: it equals step {each['instead_of']}"
        if len({line for line, _ in self.lines}) < len(self.lines):
            yield f"{self.where}: {self.title}: two lines look the same"

    def spec(self) -> JsonObject:
        """Return for each line its step or its mistake, the steps on which each step depends, and its reason."""
        lines = [
            {"step": place} if place >= 0 else {"wrong": self.wrong[-1 - place]["label"]} for _, place in self.lines
        ]
        reasons = [plain_text(step.why) for step in self.steps]
        return {**super().spec(), "lines": lines, "needs": self.needs, "reasons": reasons}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EstimateExercise(OpenExercise):
    """Ask for an order of magnitude, which the reader's own chain of assumptions gives.

    `chain` is a list of links with `name`, `text` and `value`: a quantity, or a calculation over earlier names
    followed by `-> unit`. The last link is the answer; an answer within `factor` of it is right. `reported` is the
    address of a fact that says what it really was.
    """

    kind = "estimate"
    label = "Estimate"
    chain: list
    factor: float = 2.0
    reported: str = ""

    @functools.cached_property
    def links(self) -> dict[str, Quantity]:
        """Return the value of each link by name."""
        return self._computed({})

    def _computed(self, scaled: Mapping[str, float]) -> dict[str, Quantity]:
        values: dict[str, Quantity] = {}
        for link in self.chain:
            written, arrow, unit = link["value"].partition("->")
            value = evaluate_expression(written, values)
            value = units.convert(value, unit.strip(), link["name"]) if arrow else value
            values[link["name"]] = scaled.get(link["name"], 1) * value
        return values

    @property
    def answer(self) -> Quantity:
        """Return the value of the last link."""
        return self.links[self.chain[-1]["name"]]

    @functools.cached_property
    def elasticities(self) -> list[tuple[str, float]]:
        """Return by how many per cent the answer grows if an assumption is one per cent larger, largest first."""
        last, step = self.chain[-1]["name"], 1.01
        assumed = [link["name"] for link in self.chain if "->" not in link["value"]]
        ratios = {name: (self._computed({name: step})[last] / self.answer).m_as("dimensionless") for name in assumed}
        elasticities = [(name, math.log(ratio) / math.log(step)) for name, ratio in ratios.items()]
        return sorted(elasticities, key=lambda pair: -abs(pair[1]))

    @property
    def fact(self) -> Any:
        """Return the fact that was reported, or None."""
        return current_library.find(self.reported) if self.reported else None

    def texts(self) -> dict[str, str]:
        """Return the links as texts, by name."""
        return {name: quantity_text(value, None, 3) for name, value in self.links.items()}

    def _find_issues(self) -> Iterator[str]:
        """Yield a chain without assumptions, and a reported value that the chain misses."""
        yield from super()._find_issues()
        if not self.elasticities or self.factor <= 1:
            yield f"{self.where}: {self.title}: a chain needs an assumption, and `factor` must be above 1"
        if self.fact is not None:
            ratio = (self.answer / self.fact.value).m_as("dimensionless")
            if abs(math.log(ratio)) > math.log(self.factor):
                yield f"{self.where}: {self.title}: the chain gives {ratio:.2g} times what was reported"

    def spec(self) -> JsonObject:
        """Return the answer in base units, its unit and dimension, and the factor."""
        unit = units.unit_name(self.answer)
        return {
            **super().spec(),
            "right": float(self.answer.to_base_units().magnitude),
            "factor": self.factor,
            "asked": {
                "unit": unit_text(unit),
                "factor": units.base_factor(unit),
                "dim": {k.strip("[]"): p for k, p in self.answer.dimensionality.items()},
                "two": "",
            },
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DesignExercise(OpenExercise):
    """Ask for levers of a decision: any feasible choice within `within` of the computed optimum is right.

    `levers` maps the levers that are asked to the names that the page prints; `fixed` sets inputs or other levers;
    the remaining levers are tuned.
    """

    kind = "design"
    label = "Design"
    decision: str
    levers: dict[str, str]
    fixed: dict[str, str] = field(default_factory=dict)
    within: float = 0.05

    @functools.cached_property
    def solution(self) -> "Solution":
        """Return the solved decision."""
        return current_library.find(self.decision).solve(**self.fixed)

    @functools.cached_property
    def choices(self) -> dict[str, list[str | float]]:
        """Return the settings of each asked lever, in their order."""
        listed: dict[str, list[str | float]] = {name: [] for name in self.levers}
        for option in self.solution.options:
            for name, seen in listed.items():
                if name not in option.levers:
                    message = f"{self.title}: `{name}` is no lever of every option of {self.decision}"
                    raise self.located_error(message, code="unknown-key", got=name, expected=", ".join(option.levers))
                if option.levers[name] not in seen:
                    seen.append(option.levers[name])
        return {
            n: settings if isinstance(settings[0], str) else _evenly_spaced(sorted(settings))
            for n, settings in listed.items()
        }

    @functools.cached_property
    def cells(self) -> dict[tuple, tuple[float, tuple[str, ...]]]:
        """Return for each choice the least cost, and which constraints all of its options violate, if none fits."""
        choices = self.choices
        cells: dict[tuple, tuple[float, tuple[str, ...]]] = {}
        for option, cost, reasons in self.solution.outcomes():
            key = tuple(option.levers[name] for name in self.levers)
            if any(value not in choices[name] for name, value in zip(self.levers, key, strict=True)):
                continue
            now = (cost, reasons)
            before = cells.get(key)
            if before is None or (len(now[1]), now[0]) < (len(before[1]), before[0]):
                cells[key] = now
        return cells

    @property
    def best(self) -> float:
        """Return the least cost of a feasible choice."""
        return min(cost for cost, reasons in self.cells.values() if not reasons)

    def right_choices(self) -> list[tuple]:
        """Return the choices that are right, best first."""
        most = self.best + self.within * abs(self.best)
        good = [(cost, key) for key, (cost, reasons) in self.cells.items() if not reasons and cost <= most]
        return [key for _, key in sorted(good, key=lambda pair: pair[0])]

    def objective_text(self, cost: float) -> str:
        """Return the objective of a choice as text."""
        return _in_printed_unit(self.solution.decision.target, self.solution.costs.sign * cost)

    def setting_text(self, name: str, value: str | float) -> str:
        """Return a setting of a lever as the page prints it."""
        option = next(o for o in self.solution.options if o.levers.get(name) == value)
        symbol = next((v for v in option.numbers if v.name == name), None)
        if symbol is None:
            return str(value).replace("_", " ")
        setting = symbol.quantity(float(value)).to(symbol.display_unit)
        exact = math.isclose(setting.magnitude, round(setting.magnitude, 2), rel_tol=1e-9)
        return quantity_text(setting, None, None if exact else 3)

    def texts(self) -> dict[str, str]:
        """Return the objective of the optimum, and its settings by lever."""
        settings = self.right_choices()[0]
        texts = {name: self.setting_text(name, x) for name, x in zip(self.levers, settings, strict=True)}
        return {"best": self.objective_text(self.best), **texts}

    def _find_issues(self) -> Iterator[str]:
        """Yield a space in which every choice is right, nothing is, or which is too large for a page."""
        yield from super()._find_issues()
        right, many = len(self.right_choices()), math.prod(map(len, self.choices.values()))
        if not 0 < right <= len(self.cells) / 4:
            message = f"{right} of {len(self.cells)} choices are right; it must be a quarter at most"
            yield f"{self.where}: {self.title}: {message}"
        if many > MOST_CHOICES:
            yield f"{self.where}: {self.title}: {many} choices; a page carries {MOST_CHOICES} at most"

    def spec(self) -> JsonObject:
        """Return the settings of the levers and, in row-major order, the objective and the violated constraints."""
        names = sorted({reason for _, reasons in self.cells.values() for reason in reasons})
        cells = [self.cells.get(key, (math.inf, ())) for key in itertools.product(*self.choices.values())]
        return {
            **super().spec(),
            "levers": [
                {"name": n, "label": self.levers[n], "settings": [self.setting_text(n, x) for x in settings]}
                for n, settings in self.choices.items()
            ],
            "constraints": names,
            "costs": [float(f"{cost:.5g}") if math.isfinite(cost) else None for cost, _ in cells],
            "broken": [[names.index(reason) for reason in reasons] for _, reasons in cells],
            "best": float(f"{self.best:.5g}"),
            "within": self.within,
            "texts": [self.objective_text(cost) if math.isfinite(cost) else "" for cost, _ in cells],
        }


def _evenly_spaced(settings: list) -> list:
    """Return a sorted list, or MOST_SETTINGS of its values in even steps, the ends included."""
    if len(settings) <= MOST_SETTINGS:
        return settings
    return [settings[round(i * (len(settings) - 1) / (MOST_SETTINGS - 1))] for i in range(MOST_SETTINGS)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProgramExercise(OpenExercise):
    """Ask for a program: `skeleton` is what the cell contains, `solution` one that passes all `checks`.

    A check has `call`, an expression of Python, and `expect`, a calculation `-> unit` over the book's statements, or
    a number with the relative tolerance `rtol`.
    """

    kind = "program"
    label = "Program"
    skeleton: str
    solution: str
    checks: list

    @functools.cached_property
    def expected(self) -> list[tuple[str, float, float]]:
        """Return `(call, value, rtol)` of each check."""
        checks = []
        for check in self.checks:
            written, _, unit = str(check["expect"]).partition("->")
            value = units.convert(evaluate_expression(written), unit.strip(), check["call"]).magnitude
            checks.append((check["call"], float(value), float(check.get("rtol", 1e-6))))
        return checks

    def checking_code(self) -> str:
        """Return the Python that runs after the reader's code and raises AssertionError for a wrong result."""
        return CHECKING.format(checks=repr(self.expected))

    def run(self, code: str) -> str:
        """Run `code` and the checks; return the error, or an empty text."""
        names: JsonObject = {"__name__": "__main__", "print": lambda *_, **__: None}
        try:
            exec(f"{code}\n{self.checking_code()}", names)  # the author's own code, or a test's
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def _find_issues(self) -> Iterator[str]:
        """Yield a solution that fails, and a skeleton that passes."""
        yield from super()._find_issues()
        if error := self.run(self.solution):
            yield f"{self.where}: the solution of {self.title} fails: {error}"
        if not self.run(self.skeleton):
            yield f"{self.where}: the skeleton of {self.title} passes all checks"


CHECKING = """
for _call, _right, _rtol in {checks}:
    _found = eval(_call)
    if _found is None:
        raise AssertionError(f"{{_call}} returns nothing yet")
    if not abs(_found - _right) <= _rtol * abs(_right):
        _times = f"{{_found / _right:.4g}} times" if _right else "not"
        raise AssertionError(f"{{_call}} gives {{_found:.6g}}, {{_times}} the right value")
print("All {{}} checks passed.".format(len({checks})))
"""

EXERCISE_CLASSES: dict[str, type] = {
    each.kind: each for each in (DeriveExercise, OrderExercise, EstimateExercise, DesignExercise, ProgramExercise)
}


def read_open_exercises(module: str) -> Group:
    """Return the exercises in the TOML file next to `module`, which is `CHAPTER.open_exercises`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    return read_module_file("toml", EXERCISE_CLASSES, module)
