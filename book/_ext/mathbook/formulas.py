"""Blocks of formulas and derivations.

A formula is numbered and labelled `eq-<chapter>-<name>` where its own chapter shows it first or, if no page has its
chapter's name, where any page does; later occurrences refer to that place.
"""

import functools
from collections import Counter
from collections.abc import Iterable

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sympy import Mod
from sympy.core.relational import Relational

from mathbook import comparisons, content_hash
from mathbook.elements import (
    HtmlElement,
    button,
    details,
    display_math,
    element,
    inline_math,
    join_nodes,
    table,
    text_node,
)
from mathbook.render_context import RenderContext, anchor
from mathbook.visible_statements import addresses_on_pages, all_steps, hidden_sources
from mathcore import Derivation, Formula, Variable
from mathcore.printing import to_latex
from mathcore.steps import Step

MAX_INHERITED = (
    3  # inherited assumptions that are printed in full; where there are more, the formulas that state them are named
)


def render_formula(ctx: RenderContext, address: str, statement: Formula) -> list[nodes.Node]:
    """Return the block of a formula; if it was shown before, the equation with a reference to it."""
    ctx.note_use(address)
    shown_on_page = ctx.env.temp_data.setdefault("mathbook:shown", set())
    if address in shown_on_page or not _is_numbered_here(ctx, address):
        return [ctx.with_source(_render_repeated(address, statement))]
    shown_on_page.add(address)
    block = element("div", "mc-formula", data_address=address)
    block["ids"] = [f"eq-{anchor(address)}"]
    block += element("div", "mc-equation", _render_equation(ctx, address, statement))
    block += render_validity_line(statement)
    block += _render_details(ctx, address, statement)
    return [ctx.with_source(block)]


def _is_numbered_here(ctx: RenderContext, address: str) -> bool:
    """Return whether the formula is numbered on this page."""
    return ctx.docname == ctx.domain.home_pages.get(address, ctx.docname)


def _render_repeated(address: str, formula: Formula) -> HtmlElement:
    meta = element("p", "mc-state", text_node("Derived and explained at "), equation_reference(address), text_node("."))
    equation = element("div", "mc-equation", display_math(formula_latex(formula)))
    return element("div", "mc-formula mc-repeated", equation, meta, data_address=address)


def equation_reference(address: str) -> nodes.Node:
    """Return the number of a formula, linked to the equation."""
    label = f"eq-{anchor(address)}"
    return addnodes.pending_xref("", nodes.literal("", label), refdomain="math", reftype="eq", reftarget=label)


def _render_equation(ctx: RenderContext, address: str, formula: Formula) -> nodes.math_block:
    label = f"eq-{anchor(address)}"
    node = nodes.math_block("", formula_latex(formula), nowrap=False, label=label, number=None)
    node["docname"], node["ids"] = ctx.docname, [nodes.make_id(f"equation-{label}")]
    domain = ctx.env.get_domain("math")
    domain.note_equation(ctx.docname, label, location=node)
    node["number"] = domain.get_equation_number_for(label)
    ctx.domain.note_shown(address, ctx.docname, label)
    return node


def render_validity_line(formula: Formula) -> list[nodes.Node]:
    """Return the line `Valid for …`, or `Valid if …` before words; an empty list without a range of validity."""
    if not formula.validity:
        return []
    relations = join_nodes([_render_condition(relation) for relation, _ in formula.validity], " and ")
    start = f"Valid {_for_or_if(*(relation for relation, _ in formula.validity))} "
    return [element("p", "mc-state", text_node(start), *relations, text_node("."))]


def _for_or_if(*relations: Relational) -> str:
    """Return `if` if one of the relations is stated in words, else `for`."""
    return "if" if any(isinstance(relation.lhs, Mod) for relation in relations) else "for"


def _render_badges(formula: Formula) -> HtmlElement:
    """Return kind and comparisons of a formula as badges; a definition carries none."""
    if formula.kind == "definition":
        return element("p", "mc-status", text_node("This is a definition."))
    counts = verdict_counts(formula.derivation) if formula.derivation else ""
    kind = element("span", "mc-kind", text_node(formula.kind), title=counts or formula.kind, data_kind=formula.kind)
    return element("p", "mc-status", kind, text_node(" "), *comparisons.comparison_badges(formula))


def _render_assumptions(ctx: RenderContext, formula: Formula) -> list[nodes.Node]:
    """Return the assumptions of a formula as a list, with the effect outside its range of validity."""
    items = [element("li", "", *part) for part in _condition_items(ctx, formula)]
    for relation, effect in formula.validity:
        outside = ctx.inline(f"; outside this range, {effect}", [formula.lhs, *formula.inputs])
        items.append(
            element("li", "", text_node(f"valid {_for_or_if(relation)} "), *_render_condition(relation), *outside)
        )
    if not items:
        return []
    return [
        element("div", "mc-assumptions", element("p", "mc-label", text_node("Assumptions")), element("ul", "", *items))
    ]


def render_conditions(ctx: RenderContext, formula: Formula) -> list[nodes.Node]:
    """Return the assumptions and the domain of a formula as nodes in one line."""
    return join_nodes(_condition_items(ctx, formula), "; ")


def _condition_items(ctx: RenderContext, formula: Formula) -> list[list[nodes.Node]]:
    """Return the assumptions of a formula, its own and inherited ones, and its domain, each as a list of nodes."""
    symbols = [formula.lhs, *formula.inputs]
    parts = [ctx.inline(text, symbols) for text in formula.assumptions] + _render_inherited(ctx, formula)
    return [*parts, *map(_render_condition, formula.domain)]


def _render_inherited(ctx: RenderContext, formula: Formula) -> list[list[nodes.Node]]:
    """Return the inherited assumptions: as text if they are few, else as references to the formulas that state them."""
    sources = (
        _visible_sources(formula, _visible_addresses(ctx)) if len(formula.inherited_assumptions) > MAX_INHERITED else []
    )
    rest = [
        (text, home)
        for text, home in formula.inherited_assumptions.items()
        if not any(text in _all_assumptions(each) for each in sources)
    ]
    parts = [ctx.inline(text, [home.lhs, *home.inputs]) for text, home in rest]
    if sources:
        *many, last = [[equation_reference(each.address)] for each in sources]
        pointers = [*join_nodes(many, ", "), text_node(" and "), *last] if many else last
        parts.append([text_node("the assumptions of "), *pointers])
        lifted = [ctx.inline(text, [formula.lhs, *formula.inputs]) for text in formula.drops_assumptions]
        parts[-1] += [text_node(", except that "), *join_nodes(lifted, ", or that ")] if lifted else []
    return parts


def _visible_sources(formula: Formula, visible: set[str]) -> list[Formula]:
    """Return the nearest source formulas on pages that assume something which the statement does not."""
    sources: dict[Formula, None] = {}
    for source in formula.sources:
        if not _all_assumptions(source) - set(formula.assumptions):
            continue
        sources |= dict.fromkeys([source] if source.address in visible else _visible_sources(source, visible))
    return list(sources)


def _all_assumptions(formula: Formula) -> set[str]:
    return {*formula.assumptions, *formula.inherited_assumptions}


def _render_details(ctx: RenderContext, address: str, formula: Formula) -> HtmlElement:
    """Return the folded details of a formula: status, assumptions, symbols, measurements, steps, code."""
    assumptions, measurements = _render_assumptions(ctx, formula), [*comparisons.render_measurements(ctx, formula)]
    parts = [_render_badges(formula), *assumptions, _render_symbol_table(ctx, address, formula), *measurements]
    has = [*(["assumptions"] if assumptions else []), "symbols", *(["measurements"] if measurements else [])]
    if formula.derivation is not None:
        steps = render_derivation_steps(ctx, formula.derivation)
        parts.append(
            element(
                "div",
                "mc-derivation",
                element("p", "mc-label", text_node(_derivation_summary(formula.derivation))),
                steps,
            )
        )
        has.append("derivation")
    if formula.convention:
        counted = ctx.inline(formula.convention, [formula.lhs, *formula.inputs])
        parts.append(element("p", "mc-when", text_node("Convention: "), *counted, text_node(".")))
    parts.append(element("p", "mc-tools", text_node("Copy as"), *_copy_buttons(address, formula)))
    what = f"{', '.join(has)} and code".capitalize()
    # a page has twenty of them: screen readers list them by name
    summary = element(
        "summary", "", text_node(what), aria_label=f"{what}: {address.partition('.')[2].replace('_', ' ')}"
    )
    return element("details", "mc-more", summary, *parts)


def _render_condition(relation: Relational) -> list[nodes.Node]:
    """Return a condition as a list of nodes: mathematics, and a remainder of zero in words."""
    if isinstance(relation.lhs, Mod) and relation.rhs == 0:
        whole, part = relation.lhs.args
        if part == 1:
            return [inline_math(to_latex(whole)), text_node(" is a whole number")]
        return [inline_math(to_latex(whole)), text_node(" is a multiple of "), inline_math(to_latex(part))]
    return [inline_math(relation_tex(relation))]


def relation_tex(relation: Relational) -> str:
    """Return a relation between symbols as LaTeX."""
    signs = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "!=": r"\ne", "==": "="}
    return f"{to_latex(relation.lhs)} {signs[relation.rel_op]} {to_latex(relation.rhs)}"


def _copy_buttons(address: str, formula: Formula) -> list[nodes.Node]:
    name = address.rpartition(".")[2].replace("_", " ")
    copies = [
        button("mc-copy", language, data_copy=text, aria_label=f"Copy {name} as {language}")
        for language, text in source_texts(formula).items()
    ]
    return [*copies, button("mc-copy mc-cite", "citation", aria_label=f"Copy a citation of {name} as BibTeX")]


def source_texts(formula: Formula) -> dict[str, str]:
    """Return the source texts of a formula by language, memoized by its content hash."""
    return content_hash.memoize_json("copies", formula, lambda: _compute_source_texts(formula))


def _compute_source_texts(formula: Formula) -> dict[str, str]:
    return {"LaTeX": formula.latex(), "Python": formula.python(), "JavaScript": formula.javascript()}


def formula_latex(formula: Formula) -> str:
    """Return the LaTeX of a formula, memoized by its content hash."""
    return source_texts(formula)["LaTeX"]


def _render_symbol_table(ctx: RenderContext, address: str, formula: Formula) -> HtmlElement:
    steps = all_steps(formula.derivation, _visible_addresses(ctx)) if formula.derivation is not None else ()
    symbols = dict.fromkeys([formula.lhs, *formula.inputs, *_symbols_in(steps)])
    rows = [[[inline_math(v.tex)], ctx.inline(v.meaning), v.display_unit or "dimensionless"] for v in symbols]
    head = ["symbol", "meaning", "unit"]
    return element("div", "mc-symbols", table(f"Symbols of {address}", head, rows))


def render_derivation(ctx: RenderContext, address: str, statement: Derivation) -> list[nodes.Node]:
    """Return the steps of a derivation, open."""
    ctx.note_use(address.removesuffix(".derivation"))
    block = details(
        "mc-derivation",
        _derivation_summary(statement),
        render_derivation_steps(ctx, statement),
        data_address=address,
        open=True,
    )
    return [ctx.with_source(block)]


def _derivation_summary(derivation: Derivation) -> str:
    total = f"{len(derivation.steps)} step{'s' if len(derivation.steps) != 1 else ''}"
    return f"Derivation, {total}: {verdict_counts(derivation)}"


def verdict_counts(derivation: Derivation) -> str:
    """Return how many steps of a derivation have each verdict, as text."""
    counted = Counter(name for _, name, _ in step_texts(derivation))
    return ", ".join(f"{n} {name}" for name, n in counted.items())


def step_texts(derivation: Derivation) -> list[list[str]]:
    """Return `[LaTeX, verdict, detail]` of each step of a derivation, memoized by its content hash."""

    def texts() -> list[list[str]]:
        return [[step.latex(), step.verdict.name, step.verdict.detail] for step in derivation.steps]

    return content_hash.memoize_json("steps", derivation, texts)


def render_derivation_steps(ctx: RenderContext, derivation: Derivation) -> HtmlElement:
    """Return the steps of a derivation as an ordered list."""
    listed = element("ol", "mc-steps")
    symbols = _symbols_in(derivation.steps)
    for step, (line, *verdict) in zip(derivation.steps, step_texts(derivation), strict=True):
        why = element("div", "mc-why", *ctx.inline(step.why, symbols), text_node(" "), verdict_badge(*verdict))
        earlier = [_render_hidden_source(ctx, formula) for formula in hidden_sources(step, _visible_addresses(ctx))]
        listed += element("li", "", element("div", "mc-step", display_math(line)), why, *earlier)
    return listed


def _render_hidden_source(ctx: RenderContext, formula: Formula) -> HtmlElement:
    """Return a source formula that no page shows, with its derivation if it has one."""
    if formula.derivation is not None:
        head = [inline_math(formula_latex(formula)), text_node(f". {_derivation_summary(formula.derivation)}")]
        return details("mc-derivation", head, render_derivation_steps(ctx, formula.derivation))
    description = [formula.kind, "; ".join(formula.assumptions)]
    inline = ctx.inline(": ".join(filter(None, description)), [formula.lhs, *formula.inputs])
    return element("div", "mc-why", inline_math(formula_latex(formula)), text_node(", a "), *inline)


def _symbols_in(steps: Iterable[Step]) -> list[Variable]:
    used = set().union(*(step.left.free_symbols | step.right.free_symbols for step in steps))
    return sorted((v for v in used if isinstance(v, Variable)), key=lambda v: (v.name.lower(), v.name))


def _visible_addresses(ctx: RenderContext) -> set[str]:
    """Return the addresses of the statements on pages."""
    temp_data = ctx.env.temp_data
    if "mathbook:on_pages" not in temp_data:
        temp_data["mathbook:on_pages"] = _addresses_of_build(ctx.env.app)
    return temp_data["mathbook:on_pages"]


@functools.lru_cache(maxsize=1)
def _addresses_of_build(app: Sphinx) -> set[str]:
    """Return `addresses_on_pages()`, read once by each process of a build."""
    return addresses_on_pages()


def verdict_badge(name: str, detail: str) -> HtmlElement:
    """Return the badge of a verdict."""
    return element("span", "mc-verdict", text_node(name), data_verdict=name, title=detail or name)
