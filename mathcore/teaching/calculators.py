"""`Calculator`: sliders, the charts and numbers that depend on them, and the states in which a plan fails.

Its parts are controls (sliders, choices, axes), panels (curves, markers, bands, bars, tables, cards), and failures
with their remedies. The browser gets functions by address, and numbers in declared units.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from mathcore import deprecated, units
from mathcore.errors import DeclarationError, nearest
from mathcore.formulas import Formula
from mathcore.library import current_library, find
from mathcore.printing import to_source, to_text
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.diagnosis import accepted_counts
from mathcore.teaching.symbol_markup import symbol_html, symbol_text
from mathcore.teaching.to_json import (
    Readout,
    formulas_in,
    readout_spec,
    select_fields,
    to_json,
    unit_and_factor,
    unit_factor,
    value_range,
)
from mathcore.teaching.toml_schema import read_module_file
from mathcore.types import JsonObject
from mathcore.units import Quantity

LOG_SCALE_RATIO = 100  # greatest over least value above which a slider is logarithmic
LOSS_TOLERANCE = 0.065  # relative to the least loss: the excess of an interval of 0.7 or 1.4 times the best


@dataclass(frozen=True)
class Slider:
    """An input: range, step and default as numbers in `unit`.

    `measured` is the measured range, marked below the track: the address of a fitted parameter,
    `"training.measured.mpt_h100.u"`, for its interval, or the addresses of two values. `seen` is its label, if
    the range is not measured.
    """

    variable: Variable
    unit: str
    low: float
    high: float
    step: float
    default: float
    label: str = ""
    measured: str | tuple[str, str] = ""
    seen: str = ""

    def issue(self) -> str:
        """Return the error in the default, or an empty text."""
        if not self.low <= self.default <= self.high:
            return f" has the default {self.default} outside {self.low}..{self.high}"
        off = abs((steps := (self.default - self.low) / self.step) - round(steps)) > 1e-9
        return f": no step of {self.step} from {self.low} reaches {self.default}" if off else ""

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value."""
        return self.low, self.high

    def accepts(self, value: float) -> bool:
        """Return whether the input can have this value."""
        return self.low <= value <= self.high

    def random_value(self, chance: random.Random) -> float:
        """Return a random value of the input."""
        return round(self.low + self.step * chance.randint(0, round((self.high - self.low) / self.step)), 9)

    def spec(self) -> JsonObject:
        """Return the slider as JSON data."""
        marked = {"measured": self.measured and self._measured_ends(), "seen": self.seen, "whole": self._is_integer()}
        return _control_spec(self) | {"step": self.step} | {key: each for key, each in marked.items() if each}

    def _is_integer(self) -> bool:
        """Return whether only integers can be set: of a number of things, in steps of one or more."""
        counting = self.variable.counts or self.variable.integer_only
        return counting and units.unit_ratio(self.unit, self.variable.unit) == 1 and self.low % 1 == self.step % 1 == 0

    def _measured_ends(self) -> list[float]:
        """Return the ends of the measured range in the unit of the slider.

        Raises: DeclarationError for a range that exceeds the slider.
        """
        ends = (f"{self.measured}_low", f"{self.measured}_high") if isinstance(self.measured, str) else self.measured
        low, high = (_number_at(address, self.unit) for address in ends)
        if not self.low <= low <= high <= self.high:
            ranges = f"the measured range {low:.4g} to {high:.4g} {self.unit} exceeds {self.low} to {self.high}"
            message = f"slider {self.variable.name}: {ranges}: extend the slider"
            wanted = f"{low:.4g} to {high:.4g}"
            raise DeclarationError(message, code="out-of-range", got=f"{self.low} to {self.high}", expected=wanted)
        return [low, high]


@dataclass(frozen=True)
class Choice:
    """An input with a few named values: `Choice(s, "%", {"synchronous": 100, "asynchronous": 2}, 100)`."""

    variable: Variable
    unit: str
    options: Mapping[str, float]
    default: float
    label: str = ""

    def issue(self) -> str:
        """Return the error in the options, or an empty text."""
        values, wanted = list(self.options.values()), "it needs two options or more, and one of them as the default"
        fine = len(values) > 1 and self.default in values
        return "" if fine else f" has the default {self.default} among {values}: {wanted}"

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value."""
        return min(self.options.values()), max(self.options.values())

    def accepts(self, value: float) -> bool:
        """Return whether the input can have this value."""
        return value in self.options.values()

    def random_value(self, chance: random.Random) -> float:
        """Return a random value of the input."""
        return chance.choice(list(self.options.values()))

    def spec(self) -> JsonObject:
        """Return the choice as JSON data."""
        return _control_spec(self) | {
            "options": [{"label": label, "value": value} for label, value in self.options.items()]
        }


def _number_at(address: str, unit: str) -> float:
    """Return the value at an address in `unit`: of a fitted parameter too, or with `_low` and `_high` an end of it."""
    head, _, last = address.rpartition(".")
    symbol, _, end = last.rpartition("_")
    case = find(head) if current_library.split(head)[1] else None
    fitted = getattr(case, "fitted_parameters", {})
    if last in fitted:
        return float(fitted[last].value.m_as(units.unit(unit)))
    if symbol == "band" and (band := getattr(case, "band", None)):
        return float(band[end == "high"])
    if fitted and symbol not in fitted:
        message, known = f"`{head}` has no fitted parameter `{symbol}`", ", ".join(map(str, fitted))
        raise DeclarationError(message, code="unknown-key", got=symbol, expected=known, hint=nearest(symbol, fitted))
    statement = fitted[symbol].at_bound(end) if fitted else find(address)
    return float(units.match_dimension(statement, units.Quantity(1, units.unit(unit)), address).m_as(units.unit(unit)))


def _control_spec(control: Slider | Choice) -> JsonObject:
    """Return the JSON data that sliders and choices share."""
    v, (low, high) = control.variable, control.bounds()
    words = {"name": v.name, "label": control.label or v.meaning, "html": symbol_html(v.tex)}
    return words | unit_and_factor(v, control.unit) | {"low": low, "high": high, "default": control.default}


@dataclass(frozen=True)
class Axis:
    """An axis: variable, unit and ends; without `high` the curves determine it."""

    what: Variable
    unit: str
    low: float
    high: float | None = None
    label: str = ""
    log: bool = False

    def spec(self) -> JsonObject:
        """Return the axis as JSON data."""
        words = {"name": self.what.name, "label": self.label or self.what.meaning}
        return (
            words
            | unit_and_factor(self.what, self.unit)
            | select_fields(self, "low", "high", "log")
            | value_range(self.what)
        )


def _check_grades(edges: tuple, labels: tuple, severities: tuple, what: str) -> None:
    wanted, got = len(edges) + 1, (len(labels), len(severities))
    if got != (wanted, wanted) or list(edges) != sorted(edges):
        rule = f"edges must rise, and need {wanted} labels and severities, not {got[0]} and {got[1]}"
        message = f"{what} with the edges {edges}: {rule}"
        raise DeclarationError(message, code="shape", got=got, expected=(wanted, wanted))


@dataclass(frozen=True)
class Curve:
    """A formula as a function of the x axis; `style` is total, write, rework, exact or plain."""

    label: str
    formula: Formula
    style: str = "plain"


@dataclass(frozen=True)
class Marker:
    """A point on the curve of `on`, at the value of an input or of a formula."""

    label: str
    x: Variable | Formula
    on: Formula
    shape: str = "dot"
    severity: str = "plain"
    vertical: bool = False


@dataclass(frozen=True)
class Level:
    """A line across a chart or the bars, such as a budget or a limit; `vertical` for a value of x."""

    label: str
    at: Variable | Formula
    severity: str = "bad"
    vertical: bool = False


@dataclass(frozen=True)
class Bands:
    """Ranges of a ratio, each with a verdict.

    `scale` is the x at which the ratio is one; with it the chart is shaded. `template` is the sentence of the
    verdict, with slots `{value}`, `{label}` and the symbols of the sliders.
    """

    ratio: Formula
    edges: tuple[float, ...]
    labels: tuple[str, ...]
    severities: tuple[str, ...]
    scale: Formula | None = None
    template: str = ""

    def __post_init__(self) -> None:
        """Check that every band has a label and a severity, and that the edges rise."""
        _check_grades(self.edges, self.labels, self.severities, "bands")


@dataclass(frozen=True)
class Row:
    """A row of the table: one formula at the x of every column."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3


@dataclass(frozen=True)
class Card:
    """A key figure in large type; with `edges`, in its unit, it has a verdict."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3
    edges: tuple[float, ...] = ()
    labels: tuple[str, ...] = ("",)
    severities: tuple[str, ...] = ("plain",)

    def __post_init__(self) -> None:
        """Check that every range has a label and a severity."""
        _check_grades(self.edges, self.labels, self.severities, f"the card {self.label}")


@dataclass(frozen=True)
class Chart:
    """A further chart with the same inputs."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    markers: tuple[Marker, ...] = ()
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Formulas of one dimension as bars, by label; `best` marks the least or the greatest."""

    title: str
    unit: str
    bars: Mapping[str, Formula]
    best: str = "least"
    levels: tuple[Level, ...] = ()

    def __post_init__(self) -> None:
        """Check `best`."""
        if self.best not in ("least", "greatest", ""):
            message = f"best `{self.best}` of {self.title}: least, greatest or nothing"
            raise DeclarationError(message, code="not-a-choice", got=self.best, expected="least, greatest or nothing")

    def spec(self) -> JsonObject:
        """Return the bars as JSON data."""
        bars = [{"label": label, **to_json(f), **unit_and_factor(f.lhs, self.unit)} for label, f in self.bars.items()]
        first = next(iter(self.bars.values())).lhs
        fixed = select_fields(self, "title", "best") | unit_and_factor(first, self.unit)
        return {**fixed, "bars": bars, "levels": to_json(self.levels)}


@dataclass(frozen=True)
class Remedy:
    """A remedy for a failure: bring the input `sets` to `to`, a formula or a number in the input's unit."""

    text: str
    sets: Variable
    to: Formula | float


@deprecated.fields({"gap": "violation"})
@dataclass(frozen=True)
class Failure:
    """A state in which the plan fails: `violation` is positive.

    `text` and the texts of the remedies have slots: names of `slots`, which maps them to `(formula, unit)`, symbols
    of inputs, and `{to}`, the value of a remedy. Remedies are ranked by how far they move their input.
    """

    title: str
    violation: Formula
    text: str
    remedies: tuple[Remedy, ...]
    slots: Mapping[str, Readout] = field(default_factory=dict)


@dataclass(frozen=True)
class Substituted:
    """A line of numbers with results in place of symbols: `Substituted(interval, {C: (stall, "s")})`."""

    formula: Formula
    values: Mapping[Variable, Readout]


Start = Mapping[Variable, tuple["Calculator", Variable]]


@dataclass(frozen=True, eq=False, repr=False)
class Calculator(Statement):
    """State a calculator; `sliders` may contain Choices, `panels` are further Charts and Bars.

    `columns` maps the column heads of the table to the x of its formulas, an input or a Formula. `lines` are
    formulas, or Substituted, shown with the current numbers. `start` maps inputs to inputs of a calculator in a lab
    whose values in the ledger they can start from, `{N: (designer, N)}`; a tuple offers several labs. `commit`, an
    input, the Formula of its optimum and the Formula of the loss, asks for a guess of that input first, which is
    right if its loss is within LOSS_TOLERANCE of the least one.

    Raises: DeclarationError for a default outside its range or off its steps, a formula that needs an input without
    a slider, or a function that JavaScript does not have.
    """

    title: str
    sliders: tuple[Slider | Choice, ...]
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    markers: tuple[Marker, ...] = ()
    bands: Bands | None = None
    lines: tuple[Formula | Substituted, ...] = ()
    columns: Mapping[str, Variable | Formula] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    limits: str = ""
    levels: tuple[Level, ...] = ()
    cards: tuple[Card, ...] = ()
    panels: tuple[Chart | Bars, ...] = ()
    failures: tuple[Failure, ...] = ()
    start: Start | tuple[Start, ...] = ()
    commit: tuple[()] | tuple[Variable, Formula, Formula] = ()

    def __post_init__(self) -> None:
        """Check the inputs, and that they determine all formulas."""
        for control in self.sliders:
            at = f"{self.title}: {type(control).__name__.lower()} {control.variable.name}"
            factor = unit_factor(control.variable, control.unit)
            if issue := control.issue():
                raise self.located_error(
                    at + issue, code="out-of-range", got=control.bounds(), expected=control.variable.range_text()
                )
            if not all(control.variable.admits(end * factor) for end in control.bounds()):
                message = f"{at} runs outside the admissible {control.variable.range_text()}"
                wanted = control.variable.range_text()
                raise self.located_error(message, code="out-of-range", got=control.bounds(), expected=wanted)
        given = {s.variable for s in self.sliders} | {self.x.what}
        given |= {panel.x.what for panel in self.panels if isinstance(panel, Chart)}
        filled = {each.formula: set(each.values) for each in self.lines if isinstance(each, Substituted)}
        for formula in self.formulas:
            for symbol in set(formula.inputs) - given - filled.get(formula, set()):
                message = f"{self.title}: no slider gives {symbol.name} of {formula.lhs.name}"
                raise self.located_error(message, code="missing", expected=symbol.name)

    def _find_issues(self) -> None:
        """Check that every function for the browser can be generated and every unit converted."""
        for formula in self.formulas:
            to_source(formula.numeric, "javascript")
        for axis in (self.x, self.y):
            unit_and_factor(axis.what, axis.unit)
        for control in self.sliders:
            control.spec()
        for part in (*self.rows, *self.cards, *self.failures, *self.panels):
            to_json(part)

    @property
    def formulas(self) -> list[Formula]:
        """Return the formulas of all parts, each once."""
        parts = (getattr(self, part.name) for part in fields(self) if part.name != "start")
        return list(dict.fromkeys(formula for part in parts for formula in formulas_in(part)))

    @property
    def defaults(self) -> dict[Variable, Quantity]:
        """Return the initial inputs as quantities by variable."""
        return {s.variable: units.Quantity(s.default, units.unit(s.unit)) for s in self.sliders}

    def states(self, count: int, seed: int = 0) -> Iterator[dict[Variable, Quantity]]:
        """Yield `count` admissible states as `{variable: quantity}`: the defaults first, then random ones.

        >>> from mathcore import find
        >>> len(list(find("young_daly.explorer").states(3)))
        3
        """
        yield self.defaults
        chance = random.Random(seed)
        for _ in range(count - 1):
            yield {s.variable: units.Quantity(s.random_value(chance), units.unit(s.unit)) for s in self.sliders}

    def optimum(self, state: Mapping[Variable, Quantity]) -> Quantity:
        """Return the best value of the input in `commit` at a state; a count is rounded up, as the page rounds it."""
        if not self.commit:
            message = f"{self.title} asks for no guess of an input, so it has no optimum"
            raise self.located_error(message, code="missing", expected="commit")
        variable, formula, _ = self.commit
        best: Quantity = formula.evaluate({v: state[v] for v in formula.inputs})[0]
        if not variable.integer_only:
            return best
        return variable.quantity(accepted_counts(float(best.m_as(variable.unit)), "up")[0])

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data."""
        optional = ("levels", "cards", "panels", "failures", "bands")
        spec = {
            "address": self.required_address,
            "inputs": [control.spec() | ({"log": True} if self._by_ratio(control) else {}) for control in self.sliders],
            "lines": [self._line(each) for each in self.lines],
            "table": self._table(),
            **{name: to_json(getattr(self, name)) for name in ("title", "x", "y", "curves", "markers", "limits")},
            **{name: to_json(getattr(self, name)) for name in optional if getattr(self, name)},
        }
        if self.commit:
            guessed, best, loss = self.commit
            spec["commit"] = (
                to_json(best)
                | value_range(guessed)
                | {"input": guessed.name, "loss": to_json(loss), "bound": LOSS_TOLERANCE}
            )
        if self.start:
            ways = self.start if isinstance(self.start, tuple) else (self.start,)
            spec["start"] = [{v.name: _start_input(*there) for v, there in way.items()} for way in ways]
        return spec

    def _by_ratio(self, control: Slider | Choice) -> bool:
        """Return whether a slider is logarithmic: as its axis is, or by its range if it has no axis."""
        charts = [panel for panel in self.panels if isinstance(panel, Chart)]
        axes = [axis.log for axis in (self.x, *(chart.x for chart in charts)) if axis.what == control.variable]
        wide = control.bounds()[0] > 0 and control.bounds()[1] / control.bounds()[0] > LOG_SCALE_RATIO
        return isinstance(control, Slider) and (any(axes) if axes else wide)

    def _line(self, each: Formula | Substituted) -> JsonObject:
        formula, values = (each.formula, each.values) if isinstance(each, Substituted) else (each, {})
        slider_units = {s.variable: s.unit for s in self.sliders}
        symbols = {v: slider_units.get(v, v.display_unit) for v in formula.inputs if v not in values}
        return {
            "template": f"{symbol_text(formula.lhs.tex)} = {to_text(formula.display_form)}",
            "html": symbol_html(formula.lhs.tex),
            "units": {v.name: [unit, unit_and_factor(v, unit)["factor"]] for v, unit in symbols.items()},
            "result": readout_spec(formula, formula.lhs.display_unit),
            **({"from": {v.name: readout_spec(*value) for v, value in values.items()}} if values else {}),
        }

    def _table(self) -> JsonObject:
        rows = []
        for row in self.rows:
            settings = ({self.x.what.name: to_json(x) | value_range(self.x.what)} for x in self.columns.values())
            cells = [{"f": row.formula.required_address, "with": setting} for setting in settings]
            rows.append(
                select_fields(row, "label", "digits") | unit_and_factor(row.formula.lhs, row.unit) | {"cells": cells}
            )
        return {"columns": list(self.columns), "rows": rows}


def _start_input(calculator: Calculator, variable: Variable) -> JsonObject:
    slider = next(s for s in calculator.sliders if s.variable == variable)
    return {
        "of": calculator.address,
        "input": variable.name,
        "factor": unit_and_factor(variable, slider.unit)["factor"],
    }


def read_calculators(module: str) -> Group:
    """Return the calculators in the `calculators.toml` of `module`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    return read_module_file("calculators.toml", Calculator, module)
