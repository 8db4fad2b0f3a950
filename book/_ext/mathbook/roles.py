"""Roles of the domain `mc`: `value`, `symbol`, `input` and `assert`.

They print a number, a symbol, and an input of an exercise; `assert` checks a relation and prints nothing.
"""

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from mathbook import relations
from mathbook.domain_access import CheckedRole, get_domain
from mathbook.elements import HtmlElement, element, inline_math, text_node
from mathbook.quantity_kinds import quantity_kind
from mathbook.values import InvalidValue, Value, facts_behind, find_statement, resolve_value
from mathcore import Variable
from mathcore.examples import given_text
from mathcore.teaching import Exercise


class ValueRole(CheckedRole):
    """Print a value: ``{mc:value}`address | unit, digits` ``."""

    def node(self) -> nodes.Node:
        """Return the number with its address and origin."""
        printed = resolve_value(self.text)
        for address in (printed.address, *facts_behind(find_statement(printed.address))):
            get_domain(self.env).note_use(address, self.env.docname)
        return value_node(printed)


class SymbolRole(CheckedRole):
    """Print a symbol; its meaning and unit appear on hover and focus."""

    def node(self) -> nodes.Node:
        """Return the symbol."""
        variable = find_statement(self.text)
        if not isinstance(variable, Variable):
            raise InvalidValue(f"`{self.text}` is not a symbol", "use {mc:value}")
        get_domain(self.env).note_use(self.text, self.env.docname)
        return symbol_node(variable)


class InputRole(CheckedRole):
    """Print an input of the enclosing exercise; variants replace the number."""

    def node(self) -> nodes.Node:
        """Return the stated number."""
        exercise: Any = self.env.temp_data.get("mathbook:exercise")
        names = {v.name: quantity for v, quantity in exercise.givens.items()} if exercise else {}
        if self.text not in names:
            known = f"it has {', '.join(names)}" if exercise else "it is outside of an exercise"
            raise InvalidValue(f"`{self.text}` is not an input of the exercise, {known}", "name one of its inputs")
        self.env.temp_data["mathbook:inputs"].add(self.text)
        return input_node(exercise, self.text)


class AssertRole(SphinxRole):
    """Print nothing: the surrounding sentence depends on a relation, which is checked with the numbers."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Record the statements on which the sentence depends."""
        for path in relations.relation_addresses(self.text):
            get_domain(self.env).note_use(resolve_value(path).address, self.env.docname)
        return [], []


def value_node(printed: Value) -> HtmlElement:
    """Return the node of a value."""
    marks = {"data_address": printed.address, "title": printed.origin}
    return element("span", "mc-val", text_node(printed.text), **marks, data_kind=quantity_kind(printed.quantity))


def symbol_node(variable: Variable) -> HtmlElement:
    """Return the node of a symbol with its meaning and unit."""
    unit = f", in {variable.display_unit}" if variable.display_unit else ""
    tip = f"{variable.meaning}{unit}"
    label = f"{variable.name}, {tip}"
    attrs = {"tabindex": "0", "role": "note", "data_tip": tip, "aria_label": label}
    return element("span", "mc-sym", inline_math(variable.tex), **attrs)


def input_node(exercise: Exercise, name: str) -> HtmlElement:
    """Return the node of an exercise's input with its stated number."""
    text = next(given_text(q) for v, q in exercise.givens.items() if v.name == name)
    return element("span", "mc-given", text_node(text), data_name=name)
