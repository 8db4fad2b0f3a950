"""`Question`: a multiple-choice question whose right option is computed from the numbers of the page.

Each option has a relation between symbols and formulas under which it is right. Exactly one must hold, at the stated
numbers and at every setting of the calculator's sliders. The texts of options and feedback contain `{slots}`: symbols
of the givens, and names of `slots` that stand for formulas.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from mathcore import units
from mathcore.errors import ArgumentError, DeclarationError, MathcoreError
from mathcore.examples import given_text
from mathcore.formulas import Formula
from mathcore.printing import to_source
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.calculators import Calculator
from mathcore.teaching.to_json import Readout, readout_spec, unit_and_factor
from mathcore.teaching.toml_schema import read_module_file
from mathcore.types import JsonObject
from mathcore.units import Quantity, quantity_text

OPTION_LETTERS = "ABCDEFGH"
PURPOSES = ("prediction", "reflection", "justification")
RIGHT = Variable("right", "", "one where an option is right, zero elsewhere", low="0", high="1")
STATES = 120  # number of slider settings that are checked


@dataclass(frozen=True)
class Option:
    """An option: its text, the relation under which it is right, and the feedback for readers who choose it.

    The `key` identifies the option in ledgers. It stays when the text or the order changes, and is never reused.
    """

    text: str
    correct_if: Boolean
    feedback: str
    key: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Question(Statement):
    """State a question: `Question("How often?", (Option("every hour", tau < 2 * C, "…"), …), {C: "4 min"})`.

    The numbers are the current ones of the sliders of `calculator`, if there is one, and those of `given`. `slots`
    maps names to `(formula, unit)` or `(formula, unit, digits)`. `purpose` is prediction (which may lock the rest of
    the page), reflection, or justification, whose answer is a paragraph of reasons. Ledgers of version 0.1.0
    contain the index of an option instead of its key, so that its options keep their order in this version.

    Raises: DeclarationError if not exactly one option is right, with the state, for a slot without a formula, a
    symbol without a value, or an option without a unique key.
    """

    title: str
    options: tuple[Option, ...]
    given: Mapping[Variable, Any] = field(default_factory=dict)
    calculator: Calculator | None = None
    slots: Mapping[str, Readout] = field(default_factory=dict)
    purpose: str = "prediction"

    def __post_init__(self) -> None:
        """Check the number of options, the purpose, and that keys are unique."""
        if len(self.options) < 2 or self.purpose not in PURPOSES:
            known, got = ", ".join(PURPOSES), f"{len(self.options)} options, {self.purpose}"
            message = f"the question {self.title} needs two options or more, and a `purpose` of {known}"
            raise self.located_error(message, code="not-a-choice", got=got, expected=f"two options, and one of {known}")
        keys = [option.key for option in self.options]
        for index, key in enumerate(keys):
            if not key or key in keys[:index]:
                what = f"the key `{key}` is used twice" if key else f"option {OPTION_LETTERS[index]} has no `key`"
                cure = "choose a word that no other option of the question has as its key"
                message = f"the question {self.title}: {what}; {cure}"
                raise self.located_error(message, code="duplicate", got=key, expected="a key of its own")

    def _find_issues(self) -> None:
        """Evaluate the options in every state, fill every slot and generate every function."""
        for state in self._states():
            right = [i for i, truth in enumerate(self.truths) if self._holds(truth, state)]
            if len(right) != 1:
                at = ", ".join(f"{v.name} = {given_text(q)}" for v, q in state.items())
                labels = " and ".join(OPTION_LETTERS[i] for i in right) or "none"
                cure = "make the relations exclude each other and leave no gap"
                message = f"the question {self.title} has {len(right)} right options ({labels}) at {at}: {cure}"
                raise self.located_error(message, code="inconsistent", got=len(right), expected="1 right option")
        for formula, unit, *_ in self.slots.values():
            unit_and_factor(formula.lhs, unit)
        for index in range(len(self.options)):
            self.text(index)
        for truth in self.truths:
            to_source(truth.numeric, "javascript")

    def _states(self) -> list[dict[Variable, Quantity]]:
        stated = {v: units.quantity(x, v.name) for v, x in self.given.items()}
        states = self.calculator.states(STATES) if self.calculator is not None else ({},)
        return [{**stated, **state} for state in states]

    def _holds(self, truth: Formula, state: Mapping[Variable, Quantity]) -> bool:
        return self._value(truth, state, "add it to `given`").magnitude > 0

    def _value(self, formula: Formula, state: Mapping[Variable, Quantity], cure: str) -> Quantity:
        try:
            return formula.evaluate({v: state[v] for v in formula.inputs})[0]
        except KeyError as error:
            name = getattr(error.args[0], "name", error)
            message = f"the question {self.title}: {name} has no value; {cure}"
            raise self.located_error(message, code="missing", expected=name) from error

    @functools.cached_property
    def truths(self) -> tuple[Formula, ...]:
        """Return one Formula for each option, which is one where the option is right and zero elsewhere."""
        cases = [sympy.Piecewise((1, sympy.sympify(option.correct_if)), (0, True)) for option in self.options]
        return tuple(Formula(RIGHT, case, where=self.where) for case in cases)

    @functools.cached_property
    def givens(self) -> dict[Variable, Quantity]:
        """Return the initial numbers of the page, by variable."""
        return self._states()[0]

    @property
    def right(self) -> int:
        """Return the index of the right option at the stated numbers."""
        return self.right_at(self.givens)

    def right_at(self, state: Mapping[Variable, Quantity]) -> int:
        """Return the index of the right option in a state."""
        return next(i for i, truth in enumerate(self.truths) if self._holds(truth, {**self.givens, **state}))

    def place(self, key: object, index: object) -> int:
        """Return the index of the option with `key`, or for `key` None of the option that had `index` in version 0.1.0.

        Raises: ArgumentError if there is none.
        """
        keys = [option.key for option in self.options]
        if key is None:
            if type(index) is not int or not 0 <= index < len(keys):
                message = f"there is no option number {index}"
                raise ArgumentError(message, code="not-a-choice", got=index, expected=f"0 to {len(keys) - 1}")
            return index
        if key not in keys:
            message = f"there is no option `{key}`; the question has {', '.join(keys)}"
            raise ArgumentError(message, code="not-a-choice", got=key, expected=", ".join(keys))
        return keys.index(key)

    @property
    def formulas(self) -> list[Formula]:
        """Return the formulas of the slots."""
        return [slot[0] for slot in self.slots.values()]

    def text(self, index: int, state: Mapping[Variable, Quantity] | None = None) -> tuple[str, str]:
        """Return text and feedback of the option at `index`, with the numbers of `state` in their slots.

        Raises: DeclarationError for a slot without a formula.
        """
        option, state = self.options[index], {**self.givens, **(state or {})}
        known = {v.name: given_text(q) for v, q in state.items()}
        for name, (formula, unit, *digits) in self.slots.items():
            try:
                known[name] = quantity_text(self._value(formula, state, f"slot {name} needs it"), unit, *digits)
            except MathcoreError as error:
                context = f"the question {self.title}, slot {name}: "
                raise DeclarationError.of(error, self.where, context) from error
        what = f"the question {self.title}: option {OPTION_LETTERS[index]}"
        return self.fill_slots(option.text, known, what), self.fill_slots(option.feedback, known, what)

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data; functions are given by address."""
        options = [
            {"key": o.key, "text": o.text, "feedback": o.feedback, "when": f"{self.address}#{i}"}
            for i, o in enumerate(self.options)
        ]
        givens = {
            v.name: {"value": q.m_as(units.unit(v.unit)), **unit_and_factor(v, units.unit_name(q).replace(" ", ""))}
            for v, q in self.givens.items()
        }
        return {
            "address": self.required_address,
            "title": self.title,
            "purpose": self.purpose,
            "of": self.calculator.required_address if self.calculator is not None else "",
            "givens": givens,
            "slots": {name: readout_spec(*slot) for name, slot in self.slots.items()},
            "options": options,
        }


def read_questions(module: str) -> Group:
    """Return the questions in the `questions.toml` of `module`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    return read_module_file("questions.toml", Question, module)
