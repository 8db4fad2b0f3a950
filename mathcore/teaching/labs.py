"""`Lab`: instruments and questions that belong together, their contexts, and what the ledger keeps of them.

A context sets the inputs of all instruments and tells its own story; outcomes are formulas at the
state of an instrument, shown in the status line and kept in the reader's ledger.
"""

from dataclasses import dataclass, field

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import DeclarationError
from mathcore.formulas import Formula
from mathcore.teaching.exercises import Exercise
from mathcore.teaching.explorers import Choice, Explorer
from mathcore.teaching.questions import Question
from mathcore.teaching.serialising import reading
from mathcore.units import quantity_text

KINDS = {Question: "question", Exercise: "exercise", Explorer: "explorer"}


@dataclass(frozen=True)
class Context:
    """A setting of the lab: its label, its story, and the inputs it sets, as `{variable: "16384 gpu"}`."""

    label: str
    story: str
    sets: dict


@dataclass(frozen=True)
class Outcome:
    """A figure that the status line and the ledger show: a formula at an instrument's state.

    A plain count has `digits=0` and is shown whole.
    """

    label: str
    of: Explorer
    formula: Formula
    unit: str
    digits: int = 3

    def text(self):
        """Return the figure at the opening state as pages print it."""
        state = self.of.defaults
        value, _ = self.formula.evaluate({v: state[v] for v in self.formula.inputs})
        return quantity_text(value, self.unit, self.digits)


@dataclass(frozen=True, eq=False, repr=False)
class Lab(Entity):
    """State a lab: `Lab("The reckoning", (question, explorer), {"small": Context(…)}, (Outcome(…),))`.

    `parts` are its Questions, Exercises and Explorers in the order of the page.

    Raises: DeclarationError for a context that sets an input no instrument has, or to a value its slider
    cannot take; for an outcome whose letters its instrument does not give.
    """

    title: str
    parts: tuple
    contexts: dict = field(default_factory=dict)
    outcomes: tuple = ()

    def __post_init__(self):
        """Check that contexts and outcomes speak of inputs that exist."""
        strange = next((p for p in self.parts if type(p) not in KINDS), None)
        if strange is not None:
            raise DeclarationError(f"{self.title}: a {type(strange).__name__} is no part of a lab", self.where)
        for name, context in self.contexts.items():
            for variable in context.sets:
                if not any(self._slider(e, variable) for e in self.explorers):
                    raise DeclarationError(
                        f"{self.title}, context {name}: no instrument has the input {variable.name}", self.where
                    )
        for outcome in self.outcomes:
            missing = [v.name for v in outcome.formula.inputs if not self._slider(outcome.of, v)]
            if outcome.of not in self.parts or missing:
                raise DeclarationError(
                    f"{self.title}, outcome {outcome.label}: {outcome.of.title} does not give "
                    f"{', '.join(missing) or 'it, for it is no part of this lab'}",
                    self.where,
                )

    def _flaws(self):
        """Yield a context that a slider cannot take, or an outcome without a value."""
        for name in self.contexts:
            self._settings(name)
        for outcome in self.outcomes:
            outcome.text()
        yield from ()

    @property
    def explorers(self):
        """Return the instruments of the lab."""
        return [part for part in self.parts if isinstance(part, Explorer)]

    @property
    def formulas(self):
        """Return the formulas that the lab itself evaluates."""
        return [outcome.formula for outcome in self.outcomes]

    @staticmethod
    def _slider(explorer, variable):
        return next((s for s in explorer.sliders if s.variable == variable), None)

    def _settings(self, name):
        """Return what a context sets, as `{explorer: {input name: number in the slider's unit}}`."""
        found = {}
        for explorer in self.explorers:
            values = {}
            for variable, stated in self.contexts[name].sets.items():
                slider = self._slider(explorer, variable)
                if slider:
                    quantity = units.converted(units.quantity(stated), slider.unit, variable.name)
                    values[variable.name] = self._allowed(name, slider, quantity.magnitude)
            found[explorer] = values
        return found

    def _allowed(self, name, slider, value):
        value = round(float(value), 9)
        fits = slider.low <= value <= slider.high if not isinstance(slider, Choice) else False
        if isinstance(slider, Choice):
            fits = value in slider.options.values()
        if not fits:
            raise DeclarationError(
                f"{self.title}, context {name}: {slider.variable.name} cannot be {value:g} {slider.unit}", self.where
            )
        return int(value) if value.is_integer() else value

    def spec(self):
        """Return what the browser needs, as JSON-able data."""
        contexts = [
            {
                "name": name,
                "label": c.label,
                "sets": {e.home: values for e, values in self._settings(name).items() if values},
            }
            for name, c in self.contexts.items()
        ]
        outcomes = [{"label": o.label, "of": o.of.home, **reading(o.formula, o.unit, o.digits)} for o in self.outcomes]
        parts = [
            {"address": p.home, "kind": KINDS[type(p)], "title": p.title}
            | ({"commits": True} if getattr(p, "commit", ()) else {})
            for p in self.parts
        ]
        return {"address": self.home, "title": self.title, "contexts": contexts, "outcomes": outcomes, "parts": parts}
