"""`Question`: a choice whose right option is computed, so that it moves when the numbers move.

Each option says when it is right, as a relation between letters and formulas. Exactly one must
be, at the stated numbers and wherever the sliders of its explorer can stand. The words of options
and feedback have `{slots}`: letters of the givens, and formulas by the name of a slot.
"""

import functools
from dataclasses import dataclass, field

import sympy

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, MathcoreError
from mathcore.examples import given_text
from mathcore.formulas import Formula
from mathcore.printing import code
from mathcore.symbols import Variable
from mathcore.teaching.explorers import Explorer
from mathcore.teaching.serialising import reading, scale
from mathcore.units import quantity_text

RIGHT = Variable("right", "", "one where an option is right, zero elsewhere", low="0", high="1")
STATES = 120  # how many positions of the sliders are tried


@dataclass(frozen=True)
class Option:
    """An answer to choose: its words, the relation under which it is right, and what a chooser is told."""

    says: str
    when: object
    feedback: str


@dataclass(frozen=True, eq=False, repr=False)
class Question(Entity):
    """State a question: `Question("How often?", (Option("every hour", tau < 2 * C, "…"), …), {C: "4 min"})`.

    With `of`, an Explorer, the numbers are those of its sliders, live; `given` adds to them. `slots`
    maps names to `(formula, unit)` or `(formula, unit, digits)`. `purpose` is prediction (it may lock
    what follows in the page) or reflection.

    Raises: DeclarationError where no option or two are right, with the state in which that is so, for
    a slot that nothing fills, or a letter that nothing gives.
    """

    title: str
    options: tuple
    given: dict = field(default_factory=dict)
    of: Explorer | None = None
    slots: dict = field(default_factory=dict)
    purpose: str = "prediction"

    def __post_init__(self):
        """Check the form: enough options, and a purpose."""
        if len(self.options) < 2 or self.purpose not in ("prediction", "reflection"):
            raise DeclarationError(
                f"the question {self.title}: it needs two options or more, and is a prediction or "
                f"a reflection, not `{self.purpose}`",
                self.where,
            )

    def _flaws(self):
        """Yield the first state in which not exactly one option is right, or a slot that nothing fills."""
        for state in self._states():
            self._check_state(state)
        for index in range(len(self.options)):
            self.text(index)
        for truth in self.truths:
            code(truth.numeric, "javascript")
        yield from ()

    def _check_state(self, state):
        found = [i for i, truth in enumerate(self.truths) if self._holds(truth, state)]
        if len(found) != 1:
            at = ", ".join(f"{v.name} = {given_text(q)}" for v, q in state.items())
            letters = " and ".join("ABCDEFGH"[i] for i in found) or "none"
            raise DeclarationError(
                f"the question {self.title} has {len(found)} right options ({letters}) at {at}: "
                "make the relations exclude each other and leave no gap",
                self.where,
            )

    def _states(self):
        stated = {v: units.quantity(x, v.name) for v, x in self.given.items()}
        states = self.of.states(STATES) if self.of is not None else ({},)
        return [{**stated, **state} for state in states]

    def _holds(self, truth, state):
        try:
            return truth.at({v: state[v] for v in truth.inputs}).magnitude > 0
        except KeyError as error:
            name = getattr(error.args[0], "name", error)
            raise DeclarationError(
                f"the question {self.title}: nothing gives {name}; add it to `given`", self.where
            ) from error

    @functools.cached_property
    def truths(self):
        """Return for each option the Formula that is one where it is right."""
        return tuple(
            Formula(RIGHT, sympy.Piecewise((1, sympy.sympify(o.when)), (0, True)), where=self.where)
            for o in self.options
        )

    @functools.cached_property
    def givens(self):
        """Return the numbers with which the page opens, by variable."""
        return self._states()[0]

    @property
    def right(self):
        """Return the index of the right option at the stated numbers."""
        return self.right_at(self.givens)

    def right_at(self, state):
        """Return the index of the right option in a state, a mapping from variables to quantities."""
        return next(i for i, truth in enumerate(self.truths) if self._holds(truth, {**self.givens, **state}))

    @property
    def formulas(self):
        """Return the formulas that the words show."""
        return [slot[0] for slot in self.slots.values()]

    def text(self, index, state=None):
        """Return words and feedback of an option, with the numbers of a state put in.

        Raises: DeclarationError for a slot that nothing fills.
        """
        option, known = self.options[index], self._known({**self.givens, **(state or {})})
        try:
            return option.says.format(**known), option.feedback.format(**known)
        except (KeyError, IndexError) as error:
            raise DeclarationError(
                f"the question {self.title}: option {'ABCDEFGH'[index]} has the slot "
                f"{{{error.args[0]}}}, which is none of {', '.join(known)}",
                self.where,
            ) from error

    def _known(self, state):
        known = {v.name: given_text(q) for v, q in state.items()}
        for name, (formula, unit, *digits) in self.slots.items():
            try:
                value, _ = formula.evaluate({v: state[v] for v in formula.inputs})
            except (KeyError, MathcoreError) as error:
                raise DeclarationError(f"the question {self.title}, slot {name}: {error}", self.where) from error
            known[name] = quantity_text(value, unit, digits[0] if digits else 3)
        return known

    def spec(self):
        """Return what the browser needs, as JSON-able data; functions go by address."""
        slots = {name: reading(*slot) for name, slot in self.slots.items()}
        givens = {v.name: {"value": q.m_as(units.unit(v.unit)), **scale(v, _unit(q))} for v, q in self.givens.items()}
        return {
            "address": self.home,
            "title": self.title,
            "purpose": self.purpose,
            "of": self.of.home if self.of is not None else "",
            "givens": givens,
            "slots": slots,
            "options": [
                {"says": o.says, "feedback": o.feedback, "when": f"{self.address}#{i}"}
                for i, o in enumerate(self.options)
            ],
        }


def _unit(quantity):
    return f"{quantity.units}".replace(" ", "") if quantity._units else ""
