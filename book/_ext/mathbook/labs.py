"""Labs: contexts and status line at the head of a lab's page, parts for one context, the ledger."""

import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook.calculators import data_script
from mathbook.domain_access import CheckedDirective
from mathbook.elements import HtmlElement, element, raw_html, text_node
from mathbook.render_context import RenderContext, anchor
from mathbook.values import InvalidValue, find_statement
from mathcore.library import current_library
from mathcore.teaching import Calculator, Exercise, Lab, Question
from mathcore.types import AnyDict, JsonObject

# What stands in the status line before any script: a figure would spoil the predictions.
# It is no live region: each calculator announces its own changes, once they have settled.
PENDING_NOTE = "The figures appear as you answer."


def render_lab(ctx: RenderContext, address: str, statement: Lab) -> list[nodes.Node]:
    """Return the head of a lab: the choice of a context with its story, and the status line."""
    ctx.note_use(address, *(f.address for f in statement.formulas))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    whole = element("mc-lab", "mc-lab", data_address=address)
    whole["ids"] = [anchor(address)]
    if statement.minutes:
        acts = [element("li", "", text_node(f"{act}, {minutes} minutes")) for act, minutes in statement.minutes.items()]
        total = text_node(f"{sum(statement.minutes.values())} minutes in all: ")
        whole += element("div", "mc-minutes", element("p", "", total), element("ul", "", *acts))
    if statement.contexts:
        whole += _contexts(anchor(address), statement)
    for index, (name, context) in enumerate(statement.contexts.items()):
        story = element("div", "mc-story", data_context=name, hidden=index > 0 or None)
        story += element("p", "", element("strong", "", text_node(f"{context.label}. ")), *ctx.inline(context.story))
        whole += story
    live = {"role": "status", "aria_live": "off", "aria_label": "Status of the lab", "data_waiting": True}
    whole += element("p", "mc-status-line", text_node(PENDING_NOTE), **live)
    whole += raw_html(data_script(statement.spec()))
    return [ctx.with_source(whole)]


def _contexts(name: str, statement: Lab) -> HtmlElement:
    group = element("fieldset", "mc-choice", element("legend", "", text_node("Context")))
    for index, (value, context) in enumerate(statement.contexts.items()):
        choice = element("input", "", type="radio", name=f"{name}-context", value=value, checked=index == 0 or None)
        group += element("label", "", choice, text_node(f" {context.label}"))
    return group


class ContextDirective(CheckedDirective):
    """Show the content only in one context of a lab: `{mc:context} ADDRESS NAME`."""

    required_arguments = 2
    has_content = True

    def content_nodes(self) -> list[nodes.Node]:
        """Return the part; without JavaScript the first context alone is shown."""
        address, name = self.arguments
        statement = find_statement(address)
        if not isinstance(statement, Lab) or name not in statement.contexts:
            known = ", ".join(getattr(statement, "contexts", {})) or "none: it is not a lab"
            raise InvalidValue(f"`{address}` has no context `{name}`", f"its contexts are {known}")
        later = name != next(iter(statement.contexts))
        part = element("div", "mc-story", data_context=name, data_lab=address, hidden=later or None)
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


class MessageDirective(SphinxDirective):
    """Show a message to the reader: `{mc:message} SENDER`."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the message; its sender is its accessible name."""
        sender = self.arguments[0]
        head = element("p", "mc-from", text_node("From "), element("b", "", text_node(sender)))
        body = element("blockquote", "")
        self.state.nested_parse(self.content, self.content_offset, body)
        return [element("div", "mc-message", head, body, role="group", aria_label=f"A message from {sender}")]


class LedgerDirective(SphinxDirective):
    """Placeholder of the design ledger, with the specifications of the book's labs."""

    def run(self) -> list[nodes.Node]:
        """Return the placeholder; the page's script fills it and computes all verdicts."""
        ctx = RenderContext(self)
        labs = {
            address: _ledger_entry(ctx, statement)
            for chapter in current_library.names()
            for address, statement in current_library.statements(chapter, Lab)
        }
        note = element("p", "mc-help", text_node("The ledger is stored in your browser; showing it needs JavaScript."))
        return [element("div", "mc-ledger", note, data_list=json.dumps(labs, ensure_ascii=False))]


def _ledger_entry(ctx: RenderContext, lab: Lab) -> JsonObject:
    """Return the data of a lab for the ledger."""
    return {
        "title": lab.title,
        "contexts": {name: context.label for name, context in lab.contexts.items()},
        "parts": [_ledger_part(ctx, part) for part in lab.parts],
    }


def _ledger_part(ctx: RenderContext, part: Calculator | Question | Exercise) -> JsonObject:
    """Return the data of a part of a lab for the ledger: its title, and how a commitment is checked."""
    about: JsonObject = {"address": part.address, "title": part.title}
    if isinstance(part, Calculator) and not part.commit:
        return about
    ctx.note_use(part.address)
    spec: AnyDict = part.spec()
    if isinstance(part, Question):
        ctx.note_use(*(formula.address for formula in part.formulas))
        options = [option | {"feedback": ""} for option in spec["options"]]
        selected = {name: spec[name] for name in ("givens", "slots", "formerly") if name in spec}
        calculator: AnyDict = part.calculator.spec() if part.calculator else {"inputs": []}
        inputs = [each for each in calculator["inputs"] if each["name"] in spec["givens"]]
        return about | {"question": selected | {"options": options, "inputs": inputs}}
    if isinstance(part, Calculator):
        ctx.note_use(*(formula.address for formula in part.commit[1:]))
        return about | {"calculator": {name: spec[name] for name in ("inputs", "commit")}}
    return about | {"exercise": {name: spec[name] for name in ("f", "givens", "asked", "rtol", "rounding", "mistakes")}}
