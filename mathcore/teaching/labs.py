"""`Lab`: instruments and questions that belong together, their contexts, and what the ledger keeps of them.

A context sets the inputs of all instruments and tells its own story; outcomes are formulas at the
state of an instrument, shown in the status line and kept in the reader's ledger.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mathcore import units
from mathcore.formulas import Formula
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.calculators import Calculator, Choice, Slider
from mathcore.teaching.exercises import Exercise
from mathcore.teaching.questions import Question
from mathcore.teaching.to_json import readout
from mathcore.teaching.toml_schema import read_module_file
from mathcore.units import quantity_text

KINDS = {Question: "question", Exercise: "exercise", Calculator: "explorer"}


@dataclass(frozen=True)
class Context:
    """A setting of the lab: its label, its story, and the inputs it sets, as `{variable: "16384 gpu"}`."""

    label: str
    story: str
    sets: Mapping[Variable, Any]


@dataclass(frozen=True)
class Outcome:
    """A figure of status line and ledger: a formula at an instrument's state; a plain count has `digits=0`."""

    label: str
    calculator: Calculator
    formula: Formula
    unit: str
    digits: int = 3

    def text(self) -> str:
        """Return the figure at the opening state as pages print it."""
        state = self.calculator.defaults
        value, _ = self.formula.evaluate({v: state[v] for v in self.formula.inputs})
        return quantity_text(value, self.unit, self.digits)


@dataclass(frozen=True, eq=False, repr=False)
class Lab(Statement):
    """State a lab; `parts` are Questions, Exercises and Explorers in the order of the page, `minutes` of acts by name.

    Raises: DeclarationError for a context that sets an input no instrument has, or to a value its slider
    cannot take; for an outcome whose symbols its instrument does not give.
    """

    title: str
    parts: tuple[Question | Exercise | Calculator, ...]
    contexts: Mapping[str, Context] = field(default_factory=dict)
    outcomes: tuple[Outcome, ...] = ()
    minutes: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that contexts and outcomes speak of inputs that exist."""
        for part in self.parts:
            if type(part) not in KINDS:
                raise self._error(
                    f"{self.title}: a {type(part).__name__} is no part of a lab",
                    code="wrong-type",
                    got=type(part).__name__,
                    expected=", ".join(kind.__name__ for kind in KINDS),
                )
        for name, context in self.contexts.items():
            for variable in context.sets:
                if not any(_control(e, variable) for e in self.calculators):
                    raise self._error(
                        f"{self.title}, context {name}: no instrument has the input {variable.name}",
                        code="unknown-key",
                        got=variable.name,
                        expected="an input of an instrument",
                    )
        for outcome in self.outcomes:
            missing = [v.name for v in outcome.formula.inputs if not _control(outcome.calculator, v)]
            if outcome.calculator not in self.parts or missing:
                told = f"does not give {', '.join(missing) or 'it, for it is no part of this lab'}"
                raise self._error(
                    f"{self.title}, outcome {outcome.label}: {outcome.calculator.title} {told}",
                    code="missing",
                    expected=", ".join(missing) or outcome.calculator.title,
                )

    def _find_issues(self) -> None:
        """Try every context on the sliders, and compute every outcome."""
        for name in self.contexts:
            self._settings(name)
        for outcome in self.outcomes:
            outcome.text()

    @property
    def calculators(self) -> list[Calculator]:
        """Return the instruments of the lab."""
        return [part for part in self.parts if isinstance(part, Calculator)]

    @property
    def formulas(self) -> list[Formula]:
        """Return the formulas that the lab itself evaluates."""
        return [outcome.formula for outcome in self.outcomes]

    def before(self, explorer: Calculator) -> list[str]:
        """Return the addresses of what a reader commits before an instrument may show a figure, its own guess too."""
        earlier = self.parts[: self.parts.index(explorer)]
        asked = [part for part in earlier if not isinstance(part, Calculator) or part.commit]
        return [part.home for part in [*asked, *([explorer] if explorer.commit else [])]]

    def _settings(self, name: str) -> dict[Calculator, dict[str, float]]:
        """Return what a context sets, by explorer and name of the input, in the slider's unit."""
        found: dict[Calculator, dict[str, float]] = {explorer: {} for explorer in self.calculators}
        for explorer, values in found.items():
            for variable, stated in self.contexts[name].sets.items():
                if control := _control(explorer, variable):
                    value = units.converted(getattr(stated, "value", stated), control.unit, variable.name)
                    value = round(float(value.magnitude), 9)
                    if not control.accepts(value):
                        told = f"{variable.name} cannot be {value:g} {control.unit}"
                        raise self._error(
                            f"{self.title}, context {name}: {told}",
                            code="out-of-range",
                            got=f"{value:g}",
                            expected=f"a value of the control of {variable.name}",
                        )
                    values[variable.name] = int(value) if value.is_integer() else value
        return found

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs, as JSON-able data."""
        contexts = []
        for name, context in self.contexts.items():
            sets = {explorer.home: values for explorer, values in self._settings(name).items() if values}
            contexts.append({"name": name, "label": context.label, "sets": sets})
        outcomes = [
            {"label": o.label, "of": o.calculator.home, **readout(o.formula, o.unit, o.digits)} for o in self.outcomes
        ]
        parts = [
            {"address": part.home, "kind": KINDS[type(part)], "title": part.title}
            | ({"commits": True} if getattr(part, "commit", ()) else {})
            | ({"after": self.before(part)} if isinstance(part, Calculator) else {})
            for part in self.parts
        ]
        return {"address": self.home, "title": self.title, "contexts": contexts, "outcomes": outcomes, "parts": parts}


def _control(explorer: Calculator, variable: Variable) -> Slider | Choice | None:
    return next((s for s in explorer.sliders if s.variable == variable), None)


def read_labs(home: str) -> Group:
    """Return the labs of a module, from its `labs.toml`; what does not hold is refused with file and line."""
    return read_module_file("labs.toml", Lab, home)
