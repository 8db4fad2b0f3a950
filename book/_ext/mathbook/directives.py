"""Directives `mc:statement`, `mc:exercise` with `mc:hint` and `mc:remark`, and `mc:figure`."""

import json
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook import claims, comparisons, decisions, examples_and_facts, exercises, explorers, formulas, labs
from mathbook.domain_access import warn_invalid
from mathbook.elements import element
from mathbook.render_context import RenderContext
from mathbook.values import InvalidValue, lookup
from mathcore import Decision, Derivation, Example, Fact, Formula
from mathcore.measured import Comparison
from mathcore.teaching import Calculator, Claim, Exercise, Lab

RENDERERS = {
    Formula: formulas.formula, Derivation: formulas.derivation, Example: examples_and_facts.example,
    Fact: examples_and_facts.fact, Calculator: explorers.explorer, Claim: claims.claim,
    Comparison: comparisons.comparison, Decision: decisions.decision, Lab: labs.lab
}  # fmt: skip


class StatementDirective(SphinxDirective):
    """Show the statement at an address; `show("address")` in a cell writes this directive."""

    required_arguments = 1

    def run(self):
        """Return the block of the statement."""
        address = self.arguments[0]
        try:
            entity = lookup(address)
        except InvalidValue as error:
            return [_warning(self, error)]
        if exercise := self.env.temp_data.get("mathbook:exercise"):
            return [_warning(self, _nesting_error(address, exercise), CLOSE_FENCE)]
        for kind, writer in RENDERERS.items():
            if isinstance(entity, kind):
                return writer(RenderContext(self), address, entity)
        name = type(entity).__name__
        own = {"Exercise": "write the directive mc:exercise", "Question": "write the directive mc:question"}
        remedy = own.get(name, "show a formula or example")
        what = f"`{address}` is of type {name}, which cannot be shown as a block"
        return [_warning(self, what, remedy)]


class ExerciseDirective(SphinxDirective):
    """Show an exercise; its prompt, hints and remarks are the content.

    `in-words` names the inputs that the prompt states in words instead of printing them with the role `input`.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"in-words": str.split}

    def run(self):
        """Return the exercise, which is complete without scripts."""
        address = self.arguments[0]
        try:
            entity = lookup(address)
        except InvalidValue as error:
            return [_warning(self, error)]
        if not isinstance(entity, Exercise):
            what = f"`{address}` is not an exercise"
            return [_warning(self, what, "show it with mc:statement")]
        if open_one := self.env.temp_data.get("mathbook:exercise"):
            return [_warning(self, _nesting_error(address, open_one), CLOSE_FENCE)]
        self.env.temp_data["mathbook:exercise"] = entity
        self.env.temp_data["mathbook:inputs"] = printed = set(self.options.get("in-words", ()))
        inside = element("div", "mc-prompt")
        self.state.nested_parse(self.content, self.content_offset, inside)
        self.env.temp_data["mathbook:exercise"] = None
        hints = [child for child in inside.children if child.get("part") == Hint.part]
        blocks = exercises.block(RenderContext(self), address, entity, inside)
        if len(hints) > len(exercises.HINTS):
            what = f"`{address}` has {len(hints)} hints, of which a page shows {len(exercises.HINTS)}"
            blocks.insert(0, _warning(self, what, JOIN_HINTS))
        if unstated := [variable.name for variable in entity.given if variable.name not in printed]:
            what = f"the text of `{address}` does not state {', '.join(unstated)}, without which it cannot be solved"
            blocks.insert(0, _warning(self, what, STATE_INPUTS))
        return blocks


JOIN_HINTS = "join some: concept, set-up, formula"
STATE_INPUTS = "print each with the role mc:input, or name it in the option `in-words`"
CLOSE_FENCE = "close it with a line of colons, as many as it begins with"


def _warning(directive, what, *remedy):
    """Return the paragraph that a page shows instead of a block, and warn at the directive's line."""
    return nodes.paragraph("", "", warn_invalid(what, directive.get_location(), *remedy))


def _nesting_error(what, exercise):
    """Return the message for a directive within an exercise that has not been closed."""
    return f"`{what}` is within the exercise `{exercise.address}`, which is not closed"


class ExercisePart(SphinxDirective):
    """A part of an exercise, which the exercise's block takes from its content."""

    has_content = True
    part = ""

    def run(self):
        """Return the part as a node."""
        if self.env.temp_data.get("mathbook:exercise") is None:
            return self.warn_outside()
        part = element("div", self.part)
        part["part"] = self.part
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]

    def warn_outside(self):
        """Return a warning about a part that is outside of an exercise."""
        what = f"a {self.part} is outside of an exercise"
        return [_warning(self, what, "put it into mc:exercise")]


class Hint(ExercisePart):
    """A hint of an exercise."""

    part = "hint"


class Remark(ExercisePart):
    """An interpretation that follows the solution's numbers."""

    part = "remark"


class FigureDirective(SphinxDirective):
    """Show a figure of `mathbook.plots`; the content is one line of JSON."""

    optional_arguments = 1
    has_content = True

    def run(self):
        """Return the figure with caption, drawing and table."""
        from mathbook import figures

        data = json.loads("\n".join(self.content))
        name = self.arguments[0] if self.arguments else ""
        return figures.figure(RenderContext(self), name, data)
