"""`Explorer`: sliders, curves, markers and a table over formulas; the browser gets data and functions.

Everything drawn is a Formula, so a curve cannot say what the book does not. Numbers in a `spec`
are in display units, each beside its factor to the declared unit.
"""

from dataclasses import dataclass

from mathcore import units
from mathcore.codegen import code
from mathcore.controls import Axis, scale
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, where
from mathcore.formatting import letter_html, letter_text
from mathcore.formulas import Formula
from mathcore.printing import line
from mathcore.variables import Variable


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
        wanted = len(self.edges) + 1
        if not len(self.labels) == len(self.tones) == wanted or list(self.edges) != sorted(self.edges):
            raise DeclarationError(
                f"bands with the edges {self.edges}: edges must rise, and need {wanted} labels and tones, "
                f"not {len(self.labels)} and {len(self.tones)}",
                where(),
            )


@dataclass(frozen=True)
class Row:
    """A row of the comparison table: one formula in every column's setting."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3


@dataclass(frozen=True, eq=False)
class Explorer(Entity):
    """State an explorer.

    `columns` maps the table's column heads to the x at which its formulas are taken (an input or a
    Formula); `lines` are formulas shown with the live numbers substituted.

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

    def __post_init__(self):
        """Check sliders, letters and functions."""
        for slider in self.sliders:
            self._check_slider(slider)
        self._check_scales()
        given = {s.variable for s in self.sliders} | {self.x.what}
        for formula in self.formulas:
            for letter in set(formula.inputs) - given:
                raise DeclarationError(
                    f"{self.title}: no slider gives {letter.name} of {formula.lhs.name}", self.where
                )
            code(formula.numeric, "javascript")

    def _check_scales(self):
        for axis in (self.x, self.y):
            scale(axis.what, axis.unit)
        for row in self.rows:
            scale(row.formula.lhs, row.unit)

    def _check_slider(self, s):
        at = f"{self.title}: slider {s.variable.name}"
        if not s.low <= s.default <= s.high:
            raise DeclarationError(f"{at} has the default {s.default} outside {s.low}..{s.high}", self.where)
        steps = (s.default - s.low) / s.step
        if abs(steps - round(steps)) > 1e-9:
            raise DeclarationError(f"{at}: no step of {s.step} from {s.low} reaches {s.default}", self.where)
        factor = scale(s.variable, s.unit)["factor"]
        for end in (s.low, s.high):
            if not s.variable.admits(end * factor):
                raise DeclarationError(
                    f"{at} runs outside the admissible {s.variable.range_text()}", self.where
                )

    @property
    def formulas(self):
        """Return every formula the explorer evaluates, once."""
        found = [c.formula for c in self.curves] + [m.on for m in self.markers] + list(self.lines)
        found += [m.x for m in self.markers if isinstance(m.x, Formula)] + [r.formula for r in self.rows]
        found += [x for x in (self.columns or {}).values() if isinstance(x, Formula)]
        found += [f for f in (self.bands.ratio, self.bands.scale) if f] if self.bands else []
        return list(dict.fromkeys(found))

    @property
    def defaults(self):
        """Return the state with which the explorer opens, as quantities by variable."""
        return {s.variable: units.Quantity(s.default, units.unit(s.unit)) for s in self.sliders}

    def spec(self):
        """Return the explorer as JSON-able data."""
        spec = {
            "address": self.address,
            "title": self.title,
            "inputs": [s.spec() for s in self.sliders],
            "x": self.x.spec(),
            "y": self.y.spec(),
            "curves": [{"label": c.label, "f": c.formula.address, "style": c.style} for c in self.curves],
            "markers": [self._marker(m) for m in self.markers],
            "lines": [self._line(f) for f in self.lines],
            "table": self._table(),
            "limits": self.limits,
        }
        return {**spec, "bands": self._bands()} if self.bands else spec

    def _marker(self, m):
        fixed = {k: getattr(m, k) for k in ("label", "shape", "tone", "vertical")}
        return {**fixed, "x": _source(m.x), "on": m.on.address}

    def _bands(self):
        b = self.bands
        return {
            "of": _source(b.ratio),
            "edges": list(b.edges),
            "labels": list(b.labels),
            "tones": list(b.tones),
            **({"scale": _source(b.scale)} if b.scale else {}),
            **({"template": b.template} if b.template else {}),
        }

    def _line(self, formula):
        shown = {s.variable: s.unit for s in self.sliders}
        letters = {
            v.name: [shown.get(v, v.shown), scale(v, shown.get(v, v.shown))["factor"]] for v in formula.inputs
        }
        head = f"{letter_text(formula.lhs.name)} = {line(formula.rhs)}"
        unit = formula.lhs.shown
        return {
            "template": head,
            "html": letter_html(formula.lhs.name),
            "units": letters,
            "result": {"f": formula.address, **scale(formula.lhs, unit), "digits": 3},
        }

    def _table(self):
        heads = self.columns or {}
        rows = [
            {
                "label": r.label,
                **scale(r.formula.lhs, r.unit),
                "digits": r.digits,
                "cells": [
                    {"f": r.formula.address, "with": {self.x.what.name: _source(x)}} for x in heads.values()
                ],
            }
            for r in self.rows
        ]
        return {"columns": list(heads), "rows": rows}


def _source(x):
    return {"f": x.address} if isinstance(x, Formula) else {"input": x.name}
