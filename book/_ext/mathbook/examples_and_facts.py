"""Blocks of worked examples and of sourced facts."""

from docutils import nodes

from mathbook import content_hash
from mathbook.elements import HtmlElement, display_math, element, inline_math, join_nodes, text_node
from mathbook.functions import display_name
from mathbook.render_context import RenderContext, anchor
from mathbook.values import facts_behind
from mathcore import Example, Fact
from mathcore.examples import given_text
from mathcore.facts import CERTAINTY
from mathcore.teaching import Exercise
from mathcore.units import quantity_text


def render_example(ctx: RenderContext, address: str, statement: Example) -> list[nodes.Node]:
    """Return a worked example: inputs, substituted numbers, result, and the independent value if there is one."""
    ctx.note_use(address, statement.formula.address, *facts_behind(statement))
    ctx.domain.note_shown(address, ctx.docname, f"example-{anchor(address)}")
    given = ([inline_math(v.tex), text_node(f" = {given_text(q)} ({v.meaning})")] for v, q in statement.givens.items())
    givens = element("p", "mc-givens", text_node("Given "), *join_nodes(given), text_node("."))
    block = element("div", "mc-example", data_address=address, ids=())
    block["ids"] = [f"example-{anchor(address)}"]
    block += [element("p", "mc-head", text_node("Example")), givens]
    block += element("div", "mc-step", display_math(content_hash.memoize_json("latex", statement, statement.latex)))
    block += validity_warning_lines(statement)
    if statement.expect is not None:
        block += element("p", "mc-compared", *_comparison(ctx, statement))
    return [ctx.with_source(block)]


def validity_warning_lines(statement: Example | Exercise) -> list[HtmlElement]:
    """Return a line for each limit of validity that an example or an exercise exceeds."""
    formula, seen = statement.formula, set(statement.validity_warnings)
    effects = [
        f"outside {formula.condition_text(relation, display_name)}: {effect}"
        for relation, effect in formula.validity
        if f"outside {formula.condition_text(relation)}: {effect}" in seen
    ]
    conditions = {f"outside {formula.condition_text(relation)}: {effect}" for relation, effect in formula.validity}
    effects += [text for text in statement.validity_warnings if text not in conditions]  # of fitted parameters
    return [element("p", "mc-validity-warning", text_node(f"Warning: {effect}.")) for effect in effects]


def _comparison(ctx: RenderContext, statement: Example) -> list[nodes.Node]:
    away = abs(statement.ratio - 1)
    agreement = "exactly" if away < 1e-12 else f"within {upper_bound_text(away)}"
    expected = quantity_text(statement.expect, None, None)
    source = [text_node(" ("), *ctx.inline(statement.source), text_node(")")] if statement.source else []
    return [text_node(f"Independent value: {expected}"), *source, text_node(f"; agrees {agreement}.")]


def upper_bound_text(share: float) -> str:
    """Return a small share in percent, rounded up to a bound of one digit.

    >>> upper_bound_text(0.0042)
    '0.5\\u202f%'
    """
    for bound in (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05):
        if share <= bound:
            return f"{bound * 100:g}\u202f%"
    return f"{share * 100:.0f}\u202f%"


def render_fact(ctx: RenderContext, address: str, statement: Fact) -> list[nodes.Node]:
    """Return the card of a fact."""
    ctx.note_use(address)
    block = element("div", "mc-fact", data_address=address)
    number = element("span", "mc-val", text_node(fact_text(statement)), data_address=address)
    head = element("p", "mc-head", number, text_node(" "), *ctx.inline(statement.meaning))
    about = "; ".join(filter(None, [statement.qualifier, fact_provenance(statement), statement.note]))
    block += [head, element("p", "mc-source", *ctx.inline(f"{about}."))]
    return [ctx.with_source(block)]


def fact_text(statement: Fact) -> str:
    """Return the value of a fact as the source states it."""
    return quantity_text(statement.value, None, None)


def fact_provenance(statement: Fact) -> str:
    """Return, in Markdown, the source of a fact and how far it was traced."""
    source = f"{{cite}}`{statement.source}`" + (f", {statement.at}" if statement.at else "")
    return f"{source}; {statement.kind}, {statement.date}; {CERTAINTY[statement.certainty]}"
