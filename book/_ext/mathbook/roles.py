"""Roles of the domain `mc`: `value` a number, `symbol`, `input` of an exercise, `assert` a checked relation."""

from sphinx.util.docutils import SphinxRole

from mathbook import relations
from mathbook.domain_access import get_domain, warn_invalid
from mathbook.elements import element, math, words
from mathbook.quantity_kinds import kind
from mathbook.values import InvalidValue, facts_behind, lookup, value
from mathcore import Variable
from mathcore.examples import given_text


class ValueRole(SphinxRole):
    """Print a value of the engine: ``{mc:value}`address | unit, digits` ``."""

    def run(self):
        """Return the number with its address and origin."""
        try:
            found = value(self.text)
        except InvalidValue as error:
            return [warn_invalid(error, self.get_location())], []
        for address in (found.address, *facts_behind(lookup(found.address))):
            get_domain(self.env).note_use(address, self.env.docname)
        return [value_node(found)], []


class SymbolRole(SphinxRole):
    """Print a symbol whose meaning and unit appear when it is pointed at or focused."""

    def run(self):
        """Return the symbol."""
        try:
            variable = lookup(self.text)
        except InvalidValue as error:
            return [warn_invalid(error, self.get_location())], []
        if not isinstance(variable, Variable):
            return [warn_invalid(f"`{self.text}` is not a symbol", self.get_location(), "use {mc:value}")], []
        get_domain(self.env).note_use(self.text, self.env.docname)
        return [symbol_node(variable)], []


class InputRole(SphinxRole):
    """Print a given of the exercise around it; a variant has another number there."""

    def run(self):
        """Return the stated number."""
        exercise = self.env.temp_data.get("mathbook:exercise")
        names = {v.name: quantity for v, quantity in exercise.givens.items()} if exercise else {}
        if self.text not in names:
            known = f"it has {', '.join(names)}" if exercise else "there is no exercise around it"
            what = f"`{self.text}` is no given of the exercise, {known}"
            return [warn_invalid(what, self.get_location(), "name one of its givens")], []
        return [input_node(exercise, self.text)], []


class AssertRole(SphinxRole):
    """Show nothing: the sentence beside it depends on a relation, which is checked with the numbers."""

    def run(self):
        """Note what the sentence depends on."""
        for path in relations.addresses(self.text):
            get_domain(self.env).note_use(value(path).address, self.env.docname)
        return [], []


def value_node(found):
    """Return the node of a value."""
    marks = {"data_address": found.address, "title": found.origin}
    return element("span", "mc-val", words(found.text), **marks, data_kind=kind(found.quantity))


def symbol_node(variable):
    """Return the node of a symbol with its meaning and unit."""
    unit = f", in {variable.shown}" if variable.shown else ""
    tip = f"{variable.meaning}{unit}"
    label = f"{variable.name}, {tip}"
    attrs = {"tabindex": "0", "role": "note", "data_tip": tip, "aria_label": label}
    return element("span", "mc-sym", math(variable.tex), **attrs)


def input_node(exercise, name):
    """Return the node of a given with its stated number."""
    text = next(given_text(q) for v, q in exercise.givens.items() if v.name == name)
    return element("span", "mc-given", words(text), data_name=name)
