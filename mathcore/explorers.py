"""`Explorer`: inputs, curves, cards, failures and a table over formulas; the browser gets data and functions.

Everything drawn is a Formula, so a curve cannot say what the book does not. Numbers in a `spec`
are in display units, each beside its factor to the declared unit.
"""

import random
from dataclasses import dataclass

from mathcore import units
from mathcore.codegen import code
from mathcore.controls import Axis, Choice, scale
from mathcore.entities import Entity
from mathcore.errors import DeclarationError
from mathcore.formulas import Formula
from mathcore.letters import letter_html, letter_text
from mathcore.panels import Bands, Chart, source
from mathcore.printing import line_of


@dataclass(frozen=True)
class Substituted:
    """A line of numbers in which results stand for letters: `Substituted(interval, {C: (stall, "s")})`."""

    formula: Formula
    values: dict


@dataclass(frozen=True, eq=False)
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
        self._check_scales()
        given = {s.variable for s in self.sliders} | {self.x.what}
        given |= {p.x.what for p in self.panels if isinstance(p, Chart)}
        filled = {each.formula: set(each.values) for each in self.lines if isinstance(each, Substituted)}
        for formula in self.formulas:
            for letter in set(formula.inputs) - given - filled.get(formula, set()):
                raise DeclarationError(
                    f"{self.title}: no slider gives {letter.name} of {formula.lhs.name}", self.where
                )
            code(formula.numeric, "javascript")

    def _check_scales(self):
        for axis in (self.x, self.y):
            scale(axis.what, axis.unit)
        for row in (*self.rows, *self.cards):
            scale(row.formula.lhs, row.unit)
        for failure in self.failures:
            failure.spec()

    @property
    def formulas(self):
        """Return every formula the explorer evaluates, once."""
        found = [c.formula for c in self.curves] + [m.on for m in self.markers]
        for each in self.lines:
            values = each.values.values() if isinstance(each, Substituted) else ()
            found += [getattr(each, "formula", each), *(f for f, _ in values)]
        found += [m.x for m in self.markers if isinstance(m.x, Formula)] + [r.formula for r in self.rows]
        found += [x for x in (self.columns or {}).values() if isinstance(x, Formula)]
        found += [level.at for level in self.levels if isinstance(level.at, Formula)]
        found += self.commit[1:]
        parts = (*([self.bands] if self.bands else []), *self.cards, *self.panels, *self.failures)
        found += [f for part in parts for f in part.formulas]
        return list(dict.fromkeys(found))

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
            yield {
                s.variable: units.Quantity(_drawn(s, source_of_chance), units.unit(s.unit))
                for s in self.sliders
            }

    def spec(self):
        """Return the explorer as JSON-able data."""
        spec = {
            "address": self.address,
            "title": self.title,
            "inputs": [s.spec() for s in self.sliders],
            "x": self.x.spec(),
            "y": self.y.spec(),
            "curves": [c.spec() for c in self.curves],
            "markers": [m.spec() for m in self.markers],
            "lines": [self._line(f) for f in self.lines],
            "table": self._table(),
            "limits": self.limits,
        }
        more = {"levels": self.levels, "cards": self.cards, "panels": self.panels, "failures": self.failures}
        spec |= {name: [part.spec() for part in parts] for name, parts in more.items() if parts}
        if self.commit:
            guessed, right = self.commit
            spec["commit"] = {"input": guessed.name, "f": right.address}
        if self.start:
            ways = self.start if isinstance(self.start, tuple) else (self.start,)
            spec["start"] = [{v.name: _taken_from(*there) for v, there in way.items()} for way in ways]
        return {**spec, "bands": self.bands.spec()} if self.bands else spec

    def _line(self, each):
        formula, values = (each.formula, each.values) if isinstance(each, Substituted) else (each, {})
        shown = {s.variable: s.unit for s in self.sliders}
        letters = {
            v.name: [shown.get(v, v.shown), scale(v, shown.get(v, v.shown))["factor"]]
            for v in formula.inputs
            if v not in values
        }
        results = {v.name: {"f": f.address, **scale(f.lhs, u)} for v, (f, u) in values.items()}
        head = f"{letter_text(formula.lhs.tex)} = {line_of(formula)}"
        unit = formula.lhs.shown
        return {
            "template": head,
            "html": letter_html(formula.lhs.tex),
            "units": letters,
            **({"from": results} if results else {}),
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
                    {"f": r.formula.address, "with": {self.x.what.name: source(x)}} for x in heads.values()
                ],
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
