"""`Explorer`: sliders, what they drive, and the states in which a plan fails.

Its parts: controls (sliders, choices, axes), panels (curves, markers, bands, bars, tables, cards) and
failures with the ways out. Functions go to the browser by address; numbers stay in declared units.
"""

import random
from dataclasses import dataclass, field, fields

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, where
from mathcore.formulas import Formula
from mathcore.printing import code, line_of
from mathcore.symbols import Variable
from mathcore.teaching.letters import letter_html, letter_text
from mathcore.teaching.serialising import as_data, formulas_in, plain, reading, scale


@dataclass(frozen=True)
class Slider:
    """An input: range, step and default as numbers in `unit`."""

    variable: Variable
    unit: str
    low: float
    high: float
    step: float
    default: float
    label: str = ""

    def check(self, title, place):
        """Refuse a default outside the range or off the steps, and a range that is not admissible.

        Raises: DeclarationError.
        """
        at = f"{title}: slider {self.variable.name}"
        if not self.low <= self.default <= self.high:
            raise DeclarationError(f"{at} has the default {self.default} outside {self.low}..{self.high}", place)
        steps = (self.default - self.low) / self.step
        if abs(steps - round(steps)) > 1e-9:
            raise DeclarationError(f"{at}: no step of {self.step} from {self.low} reaches {self.default}", place)
        _admissible(self.variable, self.unit, (self.low, self.high), at, place)

    def spec(self):
        """Return the slider as data."""
        v = self.variable
        return {
            "name": v.name,
            "label": self.label or v.meaning,
            "html": letter_html(v.tex),
            **scale(v, self.unit),
            **{k: getattr(self, k) for k in ("low", "high", "step", "default")},
        }


@dataclass(frozen=True)
class Choice:
    """An input with a few named values: `Choice(s, "%", {"synchronous": 100, "asynchronous": 2}, 100)`."""

    variable: Variable
    unit: str
    options: dict
    default: float
    label: str = ""

    def check(self, title, place):
        """Refuse fewer than two options, a default that is none of them, or an inadmissible value.

        Raises: DeclarationError.
        """
        at = f"{title}: choice {self.variable.name}"
        values = list(self.options.values())
        if len(values) < 2 or self.default not in values:
            raise DeclarationError(
                f"{at} has the default {self.default} among {values}: it needs two options or more, and "
                "one of them as the default",
                place,
            )
        _admissible(self.variable, self.unit, values, at, place)

    def spec(self):
        """Return the choice as data."""
        v = self.variable
        return {
            "name": v.name,
            "label": self.label or v.meaning,
            "html": letter_html(v.tex),
            **scale(v, self.unit),
            "options": [{"label": label, "value": value} for label, value in self.options.items()],
            "low": min(self.options.values()),
            "high": max(self.options.values()),
            "default": self.default,
        }


def _admissible(variable, unit, values, at, place):
    factor = scale(variable, unit)["factor"]
    for value in values:
        if not variable.admits(value * factor):
            raise DeclarationError(f"{at} runs outside the admissible {variable.range_text()}", place)


@dataclass(frozen=True)
class Axis:
    """An axis: a variable or a label, its unit, its ends (None: from the curves)."""

    what: Variable
    unit: str
    low: float
    high: float | None
    label: str = ""
    points: int = 400
    log: bool = False

    def spec(self):
        """Return the axis as data."""
        return {
            "name": self.what.name,
            "label": self.label or self.what.meaning,
            **scale(self.what, self.unit),
            **{k: getattr(self, k) for k in ("low", "high", "points", "log")},
        }


def _graded(edges, labels, tones, what):
    wanted = len(edges) + 1
    if not len(labels) == len(tones) == wanted or list(edges) != sorted(edges):
        raise DeclarationError(
            f"{what} with the edges {edges}: edges must rise, and need {wanted} labels and tones, "
            f"not {len(labels)} and {len(tones)}",
            where(),
        )


@dataclass(frozen=True)
class Curve:
    """A formula drawn along the x axis; `style` is total, write, rework, exact or plain."""

    label: str
    formula: Formula
    style: str = "plain"


@dataclass(frozen=True)
class Marker:
    """A point on a curve, at an input's value or where a formula puts it."""

    label: str
    x: Variable | Formula
    on: Formula
    shape: str = "dot"
    tone: str = "plain"
    vertical: bool = False


@dataclass(frozen=True)
class Level:
    """A line across a chart or at the bars: a budget, a limit; `vertical` puts it at an x instead."""

    label: str
    at: Variable | Formula
    tone: str = "bad"
    vertical: bool = False


@dataclass(frozen=True)
class Bands:
    """Zones of a ratio with a verdict in words.

    `scale` is the x at which the ratio is one: it shades the chart; without it, only the words change.
    `template` is the sentence, with slots `{value}`, `{label}` and the sliders' letters.
    """

    ratio: Formula
    edges: tuple
    labels: tuple
    tones: tuple
    scale: Formula | None = None
    template: str = ""

    def __post_init__(self):
        """Refuse bands without a label or a tone, and edges out of order."""
        _graded(self.edges, self.labels, self.tones, "bands")


@dataclass(frozen=True)
class Row:
    """A row of the comparison table: one formula in every column's setting."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3


@dataclass(frozen=True)
class Card:
    """A key figure in large type; with `edges` in its unit it also says how good the figure is."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3
    edges: tuple = ()
    labels: tuple = ("",)
    tones: tuple = ("plain",)

    def __post_init__(self):
        """Refuse thresholds without words."""
        _graded(self.edges, self.labels, self.tones, f"the card {self.label}")


@dataclass(frozen=True)
class Chart:
    """Another chart under the same inputs."""

    title: str
    x: Axis
    y: Axis
    curves: tuple
    markers: tuple = ()
    levels: tuple = ()


@dataclass(frozen=True)
class Bars:
    """Formulas of one dimension side by side, by label; the least or the greatest is called best."""

    title: str
    unit: str
    bars: dict
    best: str = "least"
    levels: tuple = ()
    digits: int = 3

    def __post_init__(self):
        """Refuse an unknown word for the best."""
        if self.best not in ("least", "greatest", ""):
            raise DeclarationError(f"best `{self.best}` of {self.title}: least, greatest or nothing", where())

    def spec(self):
        """Return the bars as data."""
        bars = [{"label": label, **plain(f), **scale(f.lhs, self.unit)} for label, f in self.bars.items()]
        first = next(iter(self.bars.values())).lhs
        fixed = {"title": self.title, "best": self.best, "digits": self.digits, **scale(first, self.unit)}
        return {**fixed, "bars": bars, "levels": plain(self.levels)}


@dataclass(frozen=True)
class Way:
    """A way out of a failure: bring the input `sets` to `to`, a formula or a number in the input's unit."""

    says: str
    sets: Variable
    to: Formula | float


@dataclass(frozen=True)
class Failure:
    """A state that must not be: `gap` above zero. `says` and the ways' words have `{slots}`.

    `slots` maps names to `(formula, unit)`; inputs are known by their letters, and a way's words know
    its value as `{to}`. The ways are ranked by how far they move their input.
    """

    title: str
    gap: Formula
    says: str
    ways: tuple
    slots: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Substituted:
    """A line of numbers in which results stand for letters: `Substituted(interval, {C: (stall, "s")})`."""

    formula: Formula
    values: dict


@dataclass(frozen=True, eq=False, repr=False)
class Explorer(Entity):
    """State an explorer; `sliders` may hold Choices, `panels` further Charts and Bars.

    `columns` maps the table's column heads to the x at which its formulas are taken (an input or a
    Formula); `lines` are formulas, or Substituted, shown with the live numbers put in. `start` says
    which inputs can begin as those of a lab's explorer, kept in the ledger: `{N: (designer, N)}`, or,
    for a choice between several labs, a tuple of these. With
    `commit`, an input and the Formula that is right for it, a reader first sets that input as a guess.

    Raises: DeclarationError for a default outside its range or off its step, an input that a formula
    needs and no slider gives, or a function the browser does not have.
    """

    title: str
    sliders: tuple
    x: Axis
    y: Axis
    curves: tuple
    markers: tuple = ()
    bands: Bands | None = None
    lines: tuple = ()
    columns: dict = None
    rows: tuple = ()
    limits: str = ""
    levels: tuple = ()
    cards: tuple = ()
    panels: tuple = ()
    failures: tuple = ()
    start: dict | tuple = ()
    commit: tuple = ()

    def __post_init__(self):
        """Check sliders, letters and functions."""
        for slider in self.sliders:
            slider.check(self.title, self.where)
        given = {s.variable for s in self.sliders} | {self.x.what}
        given |= {p.x.what for p in self.panels if isinstance(p, Chart)}
        filled = {each.formula: set(each.values) for each in self.lines if isinstance(each, Substituted)}
        for formula in self.formulas:
            for letter in set(formula.inputs) - given - filled.get(formula, set()):
                raise DeclarationError(f"{self.title}: no slider gives {letter.name} of {formula.lhs.name}", self.where)

    def _flaws(self):
        """Yield a function that the browser cannot do."""
        for formula in self.formulas:
            code(formula.numeric, "javascript")
        self._check_scales()
        yield from ()

    def _check_scales(self):
        for axis in (self.x, self.y):
            scale(axis.what, axis.unit)
        for row in (*self.rows, *self.cards):
            scale(row.formula.lhs, row.unit)
        for failure in self.failures:
            as_data(failure)

    @property
    def formulas(self):
        """Return every formula the explorer evaluates, once."""
        parts = (getattr(self, field.name) for field in fields(self) if field.name != "start")
        return list(dict.fromkeys(found for part in parts for found in formulas_in(part)))

    @property
    def defaults(self):
        """Return the state with which the explorer opens, as quantities by variable."""
        return {s.variable: units.Quantity(s.default, units.unit(s.unit)) for s in self.sliders}

    def states(self, count, seed=0):
        """Yield `count` admissible states as `{variable: quantity}`: the defaults first, then random steps.

        >>> from mathcore import find
        >>> len(list(find("young_daly.explorer").states(3)))
        3
        """
        yield self.defaults
        source_of_chance = random.Random(seed)
        for _ in range(count - 1):
            yield {s.variable: units.Quantity(_drawn(s, source_of_chance), units.unit(s.unit)) for s in self.sliders}

    def spec(self):
        """Return the explorer as JSON-able data."""
        more = {"levels": self.levels, "cards": self.cards, "panels": self.panels, "failures": self.failures}
        more["bands"] = self.bands
        spec = {
            "address": self.home,
            "title": self.title,
            "inputs": plain(self.sliders),
            "x": self.x.spec(),
            "y": self.y.spec(),
            "curves": plain(self.curves),
            "markers": plain(self.markers),
            "lines": [self._line(f) for f in self.lines],
            "table": self._table(),
            "limits": self.limits,
            **{name: plain(part) for name, part in more.items() if part},
        }
        if self.commit:
            guessed, right = self.commit
            spec["commit"] = {"input": guessed.name, **plain(right)}
        if self.start:
            ways = self.start if isinstance(self.start, tuple) else (self.start,)
            spec["start"] = [{v.name: _taken_from(*there) for v, there in way.items()} for way in ways]
        return spec

    def _line(self, each):
        formula, values = (each.formula, each.values) if isinstance(each, Substituted) else (each, {})
        shown = {s.variable: s.unit for s in self.sliders}
        letters = {
            v.name: [shown.get(v, v.shown), scale(v, shown.get(v, v.shown))["factor"]]
            for v in formula.inputs
            if v not in values
        }
        results = {v.name: reading(*value) for v, value in values.items()}
        head = f"{letter_text(formula.lhs.tex)} = {line_of(formula)}"
        return {
            "template": head,
            "html": letter_html(formula.lhs.tex),
            "units": letters,
            **({"from": results} if results else {}),
            "result": reading(formula, formula.lhs.shown),
        }

    def _table(self):
        heads = self.columns or {}
        rows = [
            {
                "label": r.label,
                **scale(r.formula.lhs, r.unit),
                "digits": r.digits,
                "cells": [{"f": r.formula.home, "with": {self.x.what.name: plain(x)}} for x in heads.values()],
            }
            for r in self.rows
        ]
        return {"columns": list(heads), "rows": rows}


def _taken_from(explorer, variable):
    slider = next(s for s in explorer.sliders if s.variable == variable)
    return {"of": explorer.address, "input": variable.name, "factor": scale(variable, slider.unit)["factor"]}


def _drawn(control, chance):
    if isinstance(control, Choice):
        return chance.choice(list(control.options.values()))
    steps = round((control.high - control.low) / control.step)
    return round(control.low + control.step * chance.randint(0, steps), 9)
