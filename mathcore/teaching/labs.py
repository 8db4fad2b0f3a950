"""`Lab`: calculators and questions of one decision, its contexts, and the outcomes that the ledger stores.

A context sets the inputs of all calculators and has its own story. An outcome is a formula at the current inputs of a
calculator; the status line shows it and the reader's ledger stores it.
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
from mathcore.teaching.to_json import readout_spec
from mathcore.teaching.toml_schema import read_module_file
from mathcore.types import JsonObject
from mathcore.units import quantity_text

PART_KINDS = {Question: "question", Exercise: "exercise", Calculator: "explorer"}


@dataclass(frozen=True)
class Context:
    """A context of the lab: label, story, and the values of inputs, such as `{variable: "16384 gpu"}`."""

    label: str
    story: str
    sets: Mapping[Variable, Any]

    def __post_init__(self) -> None:
        """Replace facts of one device by rates per device where an input is one."""
        sets = {variable: units.to_per_device(x, variable.dimension) for variable, x in self.sets.items()}
        object.__setattr__(self, "sets", sets)


@dataclass(frozen=True)
class Outcome:
    """A number of the status line and the ledger: a formula at the inputs of a calculator; `digits=0` for a count."""

    label: str
    calculator: Calculator
    formula: Formula
    unit: str
    digits: int = 3

    def text(self) -> str:
        """Return the number at the initial inputs in the format of the pages."""
        state = self.calculator.defaults
        value, _ = self.formula.evaluate({v: state[v] for v in self.formula.inputs})
        return quantity_text(value, self.unit, self.digits)


@dataclass(frozen=True, eq=False, repr=False)
class Lab(Statement):
    """A lab; `parts` are Questions, Exercises and Calculators in page order, `minutes` of acts by name.

    Raises: DeclarationError for a context that sets an input of no calculator, or a value outside its slider; for
    an outcome whose symbols are no inputs of its calculator.
    """

    title: str
    parts: tuple[Question | Exercise | Calculator, ...]
    contexts: Mapping[str, Context] = field(default_factory=dict)
    outcomes: tuple[Outcome, ...] = ()
    minutes: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that contexts and outcomes refer to existing inputs."""
        for part in self.parts:
            if type(part) not in PART_KINDS:
                got, known = type(part).__name__, ", ".join(kind.__name__ for kind in PART_KINDS)
                message = f"{self.title}: a {got} cannot be part of a lab"
                raise self.located_error(message, code="wrong-type", got=got, expected=known)
        for name, context in self.contexts.items():
            for variable in context.sets:
                if not any(_control(e, variable) for e in self.calculators):
                    message = f"{self.title}, context {name}: no calculator has the input {variable.name}"
                    known = "an input of a calculator"
                    raise self.located_error(message, code="unknown-key", got=variable.name, expected=known)
        self._check_outcomes()

    def _check_outcomes(self) -> None:
        """Check that the calculator of each outcome is a part of the lab and has the inputs of its formula."""
        for outcome in self.outcomes:
            missing = [v.name for v in outcome.formula.inputs if not _control(outcome.calculator, v)]
            if outcome.calculator not in self.parts or missing:
                lack = f"has no input {', '.join(missing)}" if missing else "is not part of this lab"
                message = f"{self.title}, outcome {outcome.label}: {outcome.calculator.title} {lack}"
                raise self.located_error(
                    message, code="missing", expected=", ".join(missing) or outcome.calculator.title
                )

    def _find_issues(self) -> None:
        """Set every context on the sliders, and compute every outcome."""
        for name in self.contexts:
            self._settings(name)
        for outcome in self.outcomes:
            outcome.text()

    @property
    def calculators(self) -> list[Calculator]:
        """Return the calculators of the lab."""
        return [part for part in self.parts if isinstance(part, Calculator)]

    @property
    def formulas(self) -> list[Formula]:
        """Return the formulas of the outcomes."""
        return [outcome.formula for outcome in self.outcomes]

    def before(self, calculator: Calculator) -> list[str]:
        """Return the addresses of the parts to commit before `calculator` shows results, its own guess included."""
        earlier = self.parts[: self.parts.index(calculator)]
        asked = [part for part in earlier if not isinstance(part, Calculator) or part.commit]
        return [part.required_address for part in [*asked, *([calculator] if calculator.commit else [])]]

    def _settings(self, name: str) -> dict[Calculator, dict[str, float]]:
        """Return the values of the context `name` in the units of the sliders, by calculator and input."""
        settings: dict[Calculator, dict[str, float]] = {calculator: {} for calculator in self.calculators}
        for calculator, values in settings.items():
            for variable, stated in self.contexts[name].sets.items():
                if control := _control(calculator, variable):
                    value = units.convert(stated, control.unit, variable.name)
                    value = round(float(value.magnitude), 9)
                    if not control.accepts(value):
                        message = f"{self.title}, context {name}: {variable.name} cannot be {value:g} {control.unit}"
                        known = f"a value of the control of {variable.name}"
                        raise self.located_error(message, code="out-of-range", got=f"{value:g}", expected=known)
                    values[variable.name] = int(value) if value.is_integer() else value
        return settings

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data."""
        contexts = []
        for name, context in self.contexts.items():
            sets = {
                calculator.required_address: values for calculator, values in self._settings(name).items() if values
            }
            contexts.append({"name": name, "label": context.label, "sets": sets})
        outcomes = [
            {"label": o.label, "of": o.calculator.required_address, **readout_spec(o.formula, o.unit, o.digits)}
            for o in self.outcomes
        ]
        parts = [
            {"address": part.required_address, "kind": PART_KINDS[type(part)], "title": part.title}
            | ({"commits": True} if getattr(part, "commit", ()) else {})
            | ({"after": self.before(part)} if isinstance(part, Calculator) else {})
            for part in self.parts
        ]
        return {
            "address": self.required_address,
            "title": self.title,
            "contexts": contexts,
            "outcomes": outcomes,
            "parts": parts,
        }


def _control(calculator: Calculator, variable: Variable) -> Slider | Choice | None:
    return next((s for s in calculator.sliders if s.variable == variable), None)


def read_labs(module: str) -> Group:
    """Return the labs in the `labs.toml` of `module`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    return read_module_file("labs.toml", Lab, module)
