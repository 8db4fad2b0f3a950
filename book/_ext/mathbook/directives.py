"""Directives `mc:statement`, `mc:exercise` with `mc:hint` and `mc:remark`, and `mc:figure`."""

import json
from collections.abc import Callable
from typing import ClassVar

from docutils import nodes
from sphinx.environment import BuildEnvironment

from mathbook import calculators, claims, comparisons, decisions, examples_and_facts, exercises, formulas, labs
from mathbook.domain_access import CheckedDirective
from mathbook.elements import element
from mathbook.render_context import RenderContext
from mathbook.values import InvalidValue, find_statement
from mathcore import Decision, Derivation, Example, Fact, Formula
from mathcore.measured import Comparison
from mathcore.teaching import Calculator, Claim, Exercise, Lab

RENDERERS: dict[type, Callable[..., list[nodes.Node]]] = {
    Formula: formulas.render_formula, Derivation: formulas.render_derivation,
    Example: examples_and_facts.render_example, Fact: examples_and_facts.render_fact,
    Calculator: calculators.render_calculator, Claim: claims.render_claim,
    Comparison: comparisons.render_comparison, Decision: decisions.render_decision, Lab: labs.render_lab
}  # fmt: skip


class StatementDirective(CheckedDirective):
    """Show the statement at an address; `show("address")` in a cell writes this directive."""

    required_arguments = 1

    def content_nodes(self) -> list[nodes.Node]:
        """Return the block of the statement."""
        address = self.arguments[0]
        statement = find_statement(address)
        _refuse_within_exercise(self.env, address)
        for kind, writer in RENDERERS.items():
            if isinstance(statement, kind):
                return writer(RenderContext(self), address, statement)
        name = type(statement).__name__
        own = {"Exercise": "write the directive mc:exercise", "Question": "write the directive mc:question"}
        remedy = own.get(name, "show a formula or example")
        raise InvalidValue(f"`{address}` is of type {name}, which cannot be shown as a block", remedy)


class ExerciseDirective(CheckedDirective):
    """Show an exercise; its prompt, hints and remarks are the content.

    `in-words` names the inputs that the prompt states in words instead of printing them with the role `input`.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"in-words": str.split}

    def content_nodes(self) -> list[nodes.Node]:
        """Return the exercise, which is complete without scripts."""
        address, statement = self.arguments[0], self.lookup(Exercise, "show it with mc:statement")
        _refuse_within_exercise(self.env, address)
        self.env.temp_data["mathbook:exercise"] = statement
        self.env.temp_data["mathbook:inputs"] = printed = set(self.options.get("in-words", ()))
        inside = element("div", "mc-prompt")
        self.state.nested_parse(self.content, self.content_offset, inside)
        self.env.temp_data["mathbook:exercise"] = None
        hints = [child for child in inside.children if child.get("part") == Hint.part]
        blocks = exercises.render_exercise(RenderContext(self), address, statement, inside)
        if len(hints) > len(exercises.HINTS):
            what = f"`{address}` has {len(hints)} hints, of which a page shows {len(exercises.HINTS)}"
            blocks.insert(0, self.warning_node(what, JOIN_HINTS))
        if unstated := [variable.name for variable in statement.given if variable.name not in printed]:
            what = f"the text of `{address}` does not state {', '.join(unstated)}, without which it cannot be solved"
            blocks.insert(0, self.warning_node(what, STATE_INPUTS))
        return blocks


JOIN_HINTS = "join some: concept, set-up, formula"
STATE_INPUTS = "print each with the role mc:input, or name it in the option `in-words`"


def _refuse_within_exercise(env: BuildEnvironment, address: str) -> None:
    """Raise an InvalidValue for a directive within an exercise that has not been closed."""
    if exercise := env.temp_data.get("mathbook:exercise"):
        message = f"`{address}` is within the exercise `{exercise.address}`, which is not closed"
        raise InvalidValue(message, "close it with a line of colons, as many as it begins with")


class ExercisePart(CheckedDirective):
    """A part of an exercise, which the exercise's block takes from its content."""

    has_content = True
    part = ""

    def content_nodes(self) -> list[nodes.Node]:
        """Return the part as a node."""
        if self.env.temp_data.get("mathbook:exercise") is None:
            raise InvalidValue(f"a {self.part} is outside of an exercise", "put it into mc:exercise")
        part = element("div", self.part)
        part["part"] = self.part
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


class Hint(ExercisePart):
    """A hint of an exercise."""

    part = "hint"


class Remark(ExercisePart):
    """An interpretation that follows the solution's numbers."""

    part = "remark"


class FigureDirective(CheckedDirective):
    """Show a figure of `mathbook.plots`; the content is one line of JSON."""

    optional_arguments = 1
    has_content = True

    def content_nodes(self) -> list[nodes.Node]:
        """Return the figure with caption, drawing and table."""
        from mathbook import figures

        data = json.loads("\n".join(self.content))
        name = self.arguments[0] if self.arguments else ""
        return figures.render_figure(RenderContext(self), name, data)
