"""Blocks of formulas and derivations.

A formula is numbered and labelled `eq-<chapter>-<name>` where its own chapter shows it first or, if no page has its
chapter's name, where any page does; later occurrences refer to that place.
"""

import functools
from collections import Counter

from docutils import nodes
from sphinx import addnodes
from sympy import Mod

from mathbook import comparisons, content_hash
from mathbook.elements import button, display, element, folded, math, table, words
from mathbook.render_context import anchor
from mathbook.visible_statements import addresses_on_pages, all_steps, hidden_sources
from mathcore import Variable
from mathcore.printing import latex

MAX_INHERITED = (
    3  # inherited assumptions that are printed in full; where there are more, the formulas that state them are named
)


def formula(ctx, address, entity):
    """Return the block of a formula; if it was shown before, the equation with a reference to it."""
    ctx.note_use(address)
    shown_on_page = ctx.env.temp_data.setdefault("mathbook:shown", set())
    if address in shown_on_page or not _is_numbered_here(ctx, address):
        return [ctx.with_source(_repeated(address, entity))]
    shown_on_page.add(address)
    block = element("div", "mc-formula", data_address=address)
    block["ids"] = [f"eq-{anchor(address)}"]
    block += element("div", "mc-equation", _equation(ctx, address, entity))
    block += _validity(entity)
    block += _details(ctx, address, entity)
    return [ctx.with_source(block)]


def _is_numbered_here(ctx, address):
    """Return whether the formula is numbered on this page."""
    return ctx.docname == ctx.domain.home_pages.get(address, ctx.docname)


def _repeated(address, entity):
    meta = element("p", "mc-state", words("Derived and explained at "), equation_reference(address), words("."))
    equation = element("div", "mc-equation", display(latex_of(entity)))
    return element("div", "mc-formula mc-repeated", equation, meta, data_address=address)


def equation_reference(address):
    """Return the number of a formula, linked to the equation."""
    label = f"eq-{anchor(address)}"
    return addnodes.pending_xref("", nodes.literal("", label), refdomain="math", reftype="eq", reftarget=label)


def _equation(ctx, address, entity):
    label = f"eq-{anchor(address)}"
    node = nodes.math_block("", latex_of(entity), nowrap=False, label=label, number=None)
    node["docname"], node["ids"] = ctx.docname, [nodes.make_id(f"equation-{label}")]
    domain = ctx.env.get_domain("math")
    domain.note_equation(ctx.docname, label, location=node)
    node["number"] = domain.get_equation_number_for(label)
    ctx.domain.note_shown(address, ctx.docname, label)
    return node


def _validity(entity):
    """Return the line `Valid for …`; an empty list if the formula states no range of validity."""
    if not entity.validity:
        return []
    conditions = [relation for relation, _ in entity.validity]
    relations = _join([[_condition(entity, relation)] for relation in conditions], " and ")
    return [element("p", "mc-state", words(_valid(*conditions).capitalize()), *relations, words("."))]


def _valid(*relations):
    """Return the words before conditions: `valid if` before a sentence, `valid for` before mathematics."""
    return "valid if " if any(isinstance(relation.lhs, Mod) for relation in relations) else "valid for "


def _status(entity):
    """Return kind and comparisons of a formula as badges; a definition carries none."""
    if entity.kind == "definition":
        return element("p", "mc-status", words("This is a definition."))
    counts = verdict_counts(entity.derivation) if entity.derivation else ""
    kind = element("span", "mc-kind", words(entity.kind), title=counts or entity.kind, data_kind=entity.kind)
    return element("p", "mc-status", kind, words(" "), *comparisons.badges(entity))


def _assumptions(ctx, entity):
    """Return the assumptions of a formula as a list, with the effect outside its range of validity."""
    items = [element("li", "", *part) for part in _conditions(ctx, entity)]
    for relation, effect in entity.validity:
        outside = ctx.inline(f"; outside this range, {effect}", [entity.lhs, *entity.inputs])
        items.append(element("li", "", words(_valid(relation)), _condition(entity, relation), *outside))
    if not items:
        return []
    return [element("div", "mc-assumptions", element("p", "mc-label", words("Assumptions")), element("ul", "", *items))]


def conditions(ctx, entity):
    """Return the assumptions and the domain of a formula as nodes in one line."""
    return _join(_conditions(ctx, entity))


def _conditions(ctx, entity):
    """Return the assumptions of a formula, its own and inherited ones, and its domain, each as a list of nodes."""
    symbols = [entity.lhs, *entity.inputs]
    parts = [ctx.inline(text, symbols) for text in entity.assumptions] + _inherited(ctx, entity)
    return [*parts, *([_condition(entity, relation)] for relation in entity.domain)]


def _inherited(ctx, entity):
    """Return the inherited assumptions: as text if they are few, else as references to the formulas that state them."""
    sources = (
        _visible_sources(entity, _visible_addresses(ctx)) if len(entity.inherited_assumptions) > MAX_INHERITED else []
    )
    rest = [
        (text, home)
        for text, home in entity.inherited_assumptions.items()
        if not any(text in _all_assumptions(each) for each in sources)
    ]
    parts = [ctx.inline(text, [home.lhs, *home.inputs]) for text, home in rest]
    if sources:
        *many, last = [[equation_reference(each.address)] for each in sources]
        pointers = [*_join(many, ", "), words(" and "), *last] if many else last
        parts.append([words("the assumptions of "), *pointers])
        lifted = [ctx.inline(text, [entity.lhs, *entity.inputs]) for text in entity.drops_assumptions]
        parts[-1] += [words(", except that "), *_join(lifted, ", or that ")] if lifted else []
    return parts


def _visible_sources(entity, visible):
    """Return the nearest source formulas on pages that assume something which the statement does not."""
    sources = {}
    for source in entity.sources:
        if not _all_assumptions(source) - set(entity.assumptions):
            continue
        sources |= dict.fromkeys([source] if source.address in visible else _visible_sources(source, visible))
    return list(sources)


def _all_assumptions(formula):
    return {*formula.assumptions, *formula.inherited_assumptions}


def _details(ctx, address, entity):
    """Return the folded details of a formula: status, assumptions, symbols, measurements, steps, code."""
    assumptions, measurements = _assumptions(ctx, entity), [*comparisons.details(ctx, entity)]
    parts = [_status(entity), *assumptions, _symbols(ctx, address, entity), *measurements]
    has = [*(["assumptions"] if assumptions else []), "symbols", *(["measurements"] if measurements else [])]
    if entity.derivation is not None:
        steps = derivation_steps(ctx, entity.derivation)
        parts.append(
            element("div", "mc-derivation", element("p", "mc-label", words(_summary(entity.derivation))), steps)
        )
        has.append("derivation")
    if entity.convention:
        counted = ctx.inline(entity.convention, [entity.lhs, *entity.inputs])
        parts.append(element("p", "mc-when", words("Convention: "), *counted, words(".")))
    parts.append(element("p", "mc-tools", words("Copy as"), *_copy_buttons(address, entity)))
    what = f"{', '.join(has)} and code".capitalize()
    # a page has twenty of them: screen readers list them by name
    summary = element("summary", "", words(what), aria_label=f"{what}: {address.partition('.')[2].replace('_', ' ')}")
    return element("details", "mc-more", summary, *parts)


def _condition(entity, relation):
    """Return a condition as mathematics; that a number is an integer is stated in words."""
    if isinstance(relation.lhs, Mod):
        return words(entity.condition_text(relation))
    return math(relation_tex(relation))


def relation_tex(relation):
    """Return a relation between symbols as LaTeX."""
    signs = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "!=": r"\ne", "==": "="}
    return f"{latex(relation.lhs)} {signs[relation.rel_op]} {latex(relation.rhs)}"


def _join(parts, between="; "):
    return [node for index, part in enumerate(parts) for node in ([words(between)] if index else []) + [*part]]


def _copy_buttons(address, entity):
    name = address.rpartition(".")[2].replace("_", " ")
    copies = [
        button("mc-copy", language, data_copy=text, aria_label=f"Copy {name} as {language}")
        for language, text in source_texts(entity).items()
    ]
    return [*copies, button("mc-copy mc-cite", "citation", aria_label=f"Copy a citation of {name} as BibTeX")]


def source_texts(entity):
    """Return the source texts of a formula by language, memoized by its content hash."""
    return content_hash.memoize_json("copies", entity, lambda: _write_source_texts(entity))


def _write_source_texts(entity):
    return {"LaTeX": entity.latex(), "Python": entity.python(), "JavaScript": entity.javascript()}


def latex_of(formula):
    """Return the LaTeX of a formula, memoized by its content hash."""
    return source_texts(formula)["LaTeX"]


def _symbols(ctx, address, entity):
    steps = all_steps(entity.derivation, _visible_addresses(ctx)) if entity.derivation is not None else ()
    symbols = dict.fromkeys([entity.lhs, *entity.inputs, *_symbols_in(steps)])
    rows = [[[math(v.tex)], ctx.inline(v.meaning), v.display_unit or "dimensionless"] for v in symbols]
    head = ["symbol", "meaning", "unit"]
    return element("div", "mc-symbols", table(f"Symbols of {address}", head, rows))


def derivation(ctx, address, entity):
    """Return the steps of a derivation, open."""
    ctx.note_use(address.removesuffix(".derivation"))
    block = folded("mc-derivation", _summary(entity), derivation_steps(ctx, entity), data_address=address, open=True)
    return [ctx.with_source(block)]


def _summary(entity):
    total = f"{len(entity.steps)} step{'s' if len(entity.steps) != 1 else ''}"
    return f"Derivation, {total}: {verdict_counts(entity)}"


def verdict_counts(entity):
    """Return how many steps of a derivation have each verdict, as text."""
    counted = Counter(name for _, name, _ in step_texts(entity))
    return ", ".join(f"{n} {name}" for name, n in counted.items())


def step_texts(entity):
    """Return `[LaTeX, verdict, detail]` of each step of a derivation, memoized by its content hash."""

    def texts():
        return [[step.latex(), step.verdict.name, step.verdict.detail] for step in entity.steps]

    return content_hash.memoize_json("steps", entity, texts)


def derivation_steps(ctx, entity):
    """Return the steps of a derivation as an ordered list."""
    listed = element("ol", "mc-steps")
    symbols = _symbols_in(entity.steps)
    for step, (line, *verdict) in zip(entity.steps, step_texts(entity), strict=True):
        why = element("div", "mc-why", *ctx.inline(step.why, symbols), words(" "), verdict_badge(*verdict))
        earlier = [_hidden_source(ctx, formula) for formula in hidden_sources(step, _visible_addresses(ctx))]
        listed += element("li", "", element("div", "mc-step", display(line)), why, *earlier)
    return listed


def _hidden_source(ctx, formula):
    """Return a source formula that no page shows, with its derivation if it has one."""
    if formula.derivation is not None:
        head = [math(latex_of(formula)), words(f". {_summary(formula.derivation)}")]
        return folded("mc-derivation", head, derivation_steps(ctx, formula.derivation))
    description = [formula.kind, "; ".join(formula.assumptions)]
    inline = ctx.inline(": ".join(filter(None, description)), [formula.lhs, *formula.inputs])
    return element("div", "mc-why", math(latex_of(formula)), words(", a "), *inline)


def _symbols_in(steps):
    used = set().union(*(step.left.free_symbols | step.right.free_symbols for step in steps))
    return sorted((v for v in used if isinstance(v, Variable)), key=lambda v: (v.name.lower(), v.name))


def _visible_addresses(ctx):
    """Return the addresses of the statements on pages."""
    temp_data = ctx.env.temp_data
    if "mathbook:on_pages" not in temp_data:
        temp_data["mathbook:on_pages"] = _addresses_of_build(ctx.env.app)
    return temp_data["mathbook:on_pages"]


@functools.lru_cache(maxsize=1)
def _addresses_of_build(app):
    """Return `addresses_on_pages()`, read once by each process of a build."""
    return addresses_on_pages()


def verdict_badge(name, detail):
    """Return the badge of a verdict."""
    return element("span", "mc-verdict", words(name), data_verdict=name, title=detail or name)
