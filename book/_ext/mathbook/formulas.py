"""Formulas and derivations as blocks of a page.

A formula is numbered and labelled `eq-<chapter>-<name>` where its own chapter shows it first, or,
if no page has its chapter's name, where any page does; shown again, it points there.
"""

from collections import Counter

from docutils import nodes
from sphinx import addnodes
from sympy import Mod

from mathbook import comparisons, digests
from mathbook.elements import button, display, element, folded, math, table, words
from mathbook.scribe import anchor
from mathbook.shown import behind, lines, on_pages
from mathcore import Variable
from mathcore.printing import latex

FEW = 3  # inherited assumptions that are printed in full; where there are more, the formulas that state them are named


def formula(scribe, address, entity):
    """Return the block of a formula; where it was shown before, a pointer to it."""
    scribe.use(address)
    shown = scribe.env.temp_data.setdefault("mathbook:shown", set())
    if address in shown or not _at_home(scribe, address):
        return [scribe.located(_again(address, entity))]
    shown.add(address)
    block = element("div", "mc-formula", data_address=address)
    block["ids"] = [f"eq-{anchor(address)}"]
    block += element("div", "mc-equation", _equation(scribe, address, entity))
    block += _validity(entity)
    block += _more(scribe, address, entity)
    return [scribe.located(block)]


def _at_home(scribe, address):
    """Tell whether a formula is numbered on this page."""
    return scribe.docname == scribe.record.homes.get(address, scribe.docname)


def _again(address, entity):
    meta = element("p", "mc-state", words("Derived and explained at "), _pointer(address), words("."))
    equation = element("div", "mc-equation", display(tex(entity)))
    return element("div", "mc-formula mc-again", equation, meta, data_address=address)


def _pointer(address):
    """Return the number of a formula in the book, linked to where it is shown."""
    label = f"eq-{anchor(address)}"
    return addnodes.pending_xref("", nodes.literal("", label), refdomain="math", reftype="eq", reftarget=label)


def _equation(scribe, address, entity):
    label = f"eq-{anchor(address)}"
    node = nodes.math_block("", tex(entity), nowrap=False, label=label, number=None)
    node["docname"], node["ids"] = scribe.docname, [nodes.make_id(f"equation-{label}")]
    domain = scribe.env.get_domain("math")
    domain.note_equation(scribe.docname, label, location=node)
    node["number"] = domain.get_equation_number_for(label)
    scribe.record.show(address, scribe.docname, label)
    return node


def _validity(entity):
    """Return the line `Valid for …`, if the formula states a range in which it may be trusted."""
    if not entity.regime:
        return []
    relations = _joined([[_condition(entity, relation)] for relation, _ in entity.regime], " and ")
    return [element("p", "mc-state", words("Valid for "), *relations, words("."))]


def _status(entity):
    """Return how the formula is known: its kind, and what it was compared with; a definition carries no badge."""
    if entity.kind == "definition" and not entity.measured:
        return element("p", "mc-status", words("This is a definition."))
    judged = Counter(step.verdict.name for step in entity.derivation.steps) if entity.derivation else {}
    told = ", ".join(f"{n} {name}" for name, n in judged.items())
    kind = element("span", "mc-kind", words(entity.kind), title=told or entity.kind, data_kind=entity.kind)
    return element("p", "mc-status", kind, words(" "), *comparisons.badges(entity))


def _assumptions(scribe, entity):
    """Return the assumptions of a formula as a list, and what happens outside its range of validity."""
    items = [element("li", "", *part) for part in _conditions(scribe, entity)]
    for relation, effect in entity.regime:
        outside = scribe.prose(f"; outside this range, {effect}", [entity.lhs, *entity.inputs])
        items.append(element("li", "", words("valid for "), _condition(entity, relation), *outside))
    if not items:
        return []
    return [element("div", "mc-assumptions", element("p", "mc-label", words("Assumptions")), element("ul", "", *items))]


def conditions(scribe, entity):
    """Return the conditions of a formula as nodes in one line."""
    return _joined(_conditions(scribe, entity))


def _conditions(scribe, entity):
    """Return the assumptions of a formula, its own and inherited ones, and its domain, each as a list of nodes."""
    symbols = [entity.lhs, *entity.inputs]
    parts = [scribe.prose(text, symbols) for text in entity.when] + _inherited(scribe, entity)
    return [*parts, *([_condition(entity, relation)] for relation in entity.valid)]


def _inherited(scribe, entity):
    """Return the inherited assumptions: as text if they are few, else by reference to the formulas that state them."""
    told = _telling(entity, _on_pages(scribe)) if len(entity.inherited) > FEW else []
    rest = [(text, home) for text, home in entity.inherited.items() if not any(text in _assumed(each) for each in told)]
    parts = [scribe.prose(text, [home.lhs, *home.inputs]) for text, home in rest]
    if told:
        *many, last = [[_pointer(each.address)] for each in told]
        pointers = [*_joined(many, ", "), words(" and "), *last] if many else last
        parts.append([words("the assumptions of "), *pointers])
        lifted = [scribe.prose(text, [entity.lhs, *entity.inputs]) for text in entity.lifts]
        parts[-1] += [words(", except that "), *_joined(lifted, ", or that ")] if lifted else []
    return parts


def _telling(entity, shown):
    """Return the nearest formulas put in that pages show and that assume something which the entity does not state."""
    found = {}
    for source in entity.sources:
        if not _assumed(source) - set(entity.when):
            continue
        found |= dict.fromkeys([source] if source.address in shown else _telling(source, shown))
    return list(found)


def _assumed(formula):
    return {*formula.when, *formula.inherited}


def _more(scribe, address, entity):
    """Return the details of a formula behind one control: status, assumptions, symbols, measurements, steps, code."""
    assumptions, measurements = _assumptions(scribe, entity), [*comparisons.details(scribe, entity)]
    parts = [_status(entity), *assumptions, _symbols(scribe, address, entity), *measurements]
    has = [*(["assumptions"] if assumptions else []), "symbols", *(["measurements"] if measurements else [])]
    if entity.derivation is not None:
        steps = _steps(scribe, entity.derivation)
        parts.append(
            element("div", "mc-derivation", element("p", "mc-label", words(_summary(entity.derivation))), steps)
        )
        has.append("derivation")
    if entity.convention:
        counted = scribe.prose(entity.convention, [entity.lhs, *entity.inputs])
        parts.append(element("p", "mc-when", words("Convention: "), *counted, words(".")))
    parts.append(element("p", "mc-tools", words("Copy as"), *_copies(address, entity)))
    what = f"{', '.join(has)} and code".capitalize()
    # a page has twenty of them: who hears their names in a list hears which is whose
    summary = element("summary", "", words(what), aria_label=f"{what}: {address.partition('.')[2].replace('_', ' ')}")
    return element("details", "mc-more", summary, *parts)


def _condition(entity, relation):
    """Return a condition as mathematics; that something is whole is said in words."""
    if isinstance(relation.lhs, Mod):
        return words(entity.condition_text(relation))
    return math(relation_tex(relation))


def relation_tex(relation):
    """Return a relation between letters as LaTeX."""
    signs = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "!=": r"\ne", "==": "="}
    return f"{latex(relation.lhs)} {signs[relation.rel_op]} {latex(relation.rhs)}"


def _joined(parts, between="; "):
    return [node for index, part in enumerate(parts) for node in ([words(between)] if index else []) + [*part]]


def _copies(address, entity):
    name = address.rpartition(".")[2].replace("_", " ")
    copies = [
        button("mc-copy", language, data_copy=text, aria_label=f"Copy {name} as {language}")
        for language, text in _texts(entity).items()
    ]
    return [*copies, button("mc-copy mc-cite", "citation", aria_label=f"Copy a citation of {name} as BibTeX")]


def _texts(entity):
    """Return the texts to copy of a formula by language, as they were written before for the same one."""
    return digests.kept("copies", entity, lambda: _written(entity))


def _written(entity):
    return {"LaTeX": entity.latex(), "Python": entity.python(), "JavaScript": entity.javascript()}


def tex(formula):
    """Return the LaTeX of a formula, as it was written before for the same one."""
    return _texts(formula)["LaTeX"]


def _symbols(scribe, address, entity):
    told = lines(entity.derivation, _on_pages(scribe)) if entity.derivation is not None else ()
    letters = dict.fromkeys([entity.lhs, *entity.inputs, *_letters(told)])
    rows = [[[math(v.tex)], scribe.prose(v.meaning), v.shown or "dimensionless"] for v in letters]
    head = ["symbol", "meaning", "unit"]
    return element("div", "mc-symbols", table(f"Symbols of {address}", head, rows))


def derivation(scribe, address, entity):
    """Return the steps of a derivation, open."""
    scribe.use(address.removesuffix(".derivation"))
    block = folded("mc-derivation", _summary(entity), _steps(scribe, entity), data_address=address, open=True)
    return [scribe.located(block)]


def _summary(entity):
    counted = Counter(step.verdict.name for step in entity.steps)
    total = f"{len(entity.steps)} step{'s' if len(entity.steps) != 1 else ''}"
    return f"Derivation, {total}: " + ", ".join(f"{n} {name}" for name, n in counted.items())


def _steps(scribe, entity):
    found = element("ol", "mc-steps")
    letters = _letters(entity.steps)
    written = digests.kept("steps", entity, lambda: [step.latex() for step in entity.steps])
    for step, line in zip(entity.steps, written, strict=True):
        why = element("div", "mc-why", *scribe.prose(step.why, letters), words(" "), verdict(step.verdict))
        earlier = [_earlier(scribe, formula) for formula in behind(step, _on_pages(scribe))]
        found += element("li", "", element("div", "mc-step", display(line)), why, *earlier)
    return found


def _earlier(scribe, formula):
    """Return a formula that is put in here and shown nowhere else, with the derivation that it has."""
    if formula.derivation is not None:
        head = [math(tex(formula)), words(f". {_summary(formula.derivation)}")]
        return folded("mc-derivation", head, _steps(scribe, formula.derivation))
    said = [formula.kind, "; ".join(formula.when)]
    told = scribe.prose(": ".join(filter(None, said)), [formula.lhs, *formula.inputs])
    return element("div", "mc-why", math(tex(formula)), words(", a "), *told)


def _letters(steps):
    used = set().union(*(step.left.free_symbols | step.right.free_symbols for step in steps))
    return sorted((v for v in used if isinstance(v, Variable)), key=lambda v: (v.name.lower(), v.name))


def _on_pages(scribe):
    """Return what the pages show, looked up once for each page that is written."""
    kept = scribe.env.temp_data
    if "mathbook:on_pages" not in kept:
        kept["mathbook:on_pages"] = on_pages()
    return kept["mathbook:on_pages"]


def verdict(judged):
    """Return the badge of a verdict."""
    return element(
        "span", "mc-verdict", words(judged.name), data_verdict=judged.name, title=judged.detail or judged.name
    )
