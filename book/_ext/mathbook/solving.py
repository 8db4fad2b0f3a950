"""The worked solution of an exercise: what is asked, which formula and why, the numbers, what the result turns on.

What is true of every variant stays when a reader takes new numbers; what is drawn for the stated ones alone is
marked `mc-stated` and hidden then.
"""

from mathbook import digests, grounds
from mathbook.elements import display, element, math, words
from mathbook.evidence import cautions
from mathbook.formulas import conditions, relation_tex
from mathbook.roles import given
from mathcore.examples import given_symbols
from mathcore.printing import latex
from mathcore.units import number_text, quantity_text

MOST = 4  # effects that are told; a list of nine tells nothing


def worked(scribe, entity, remarks):
    """Return the solution; `remarks` are what the page itself says about the result."""
    inside = element("div", "", _asked(entity), _chosen(scribe, entity), *_turned(entity))
    inside += [element("div", "mc-stated", display(digests.kept("solution", entity, entity.solution))), _line(entity)]
    if entity.whole:
        inside += element("p", "", words(grounds.ROUNDED[entity.whole]))
    inside += [*cautions(entity), *_effects(entity), *_meant(scribe, entity, remarks), _mistakes(entity)]
    return inside


def _lead(text):
    return element("b", "", words(f"{text} "))


def _asked(entity):
    lhs, found = entity.formula.lhs, element("p", "mc-asked", _lead("In letters."))
    for index, variable in enumerate(entity.givens):
        comma = [words(", ")] if index else []
        found += [*comma, math(variable.tex), words(" = "), given(entity, variable.name)]
        found += words(f" ({variable.meaning})")
    found += [words("; wanted: "), math(lhs.tex), words(f", {lhs.meaning}.")]
    return found


def _chosen(scribe, entity):
    """Return why this formula: the reasons of its derivation, what it assumes, and how far it is from its bounds."""
    source = grounds.source(entity.formula)
    letters = [source.lhs, *source.inputs]
    found = element("p", "mc-because", _lead("Why this formula."))
    if told := grounds.reasons(source):
        for index, why in enumerate(told):
            why = why if index else why[0].upper() + why[1:] if why[1:2].islower() else why
            found += [*([words("; ")] if index else []), *scribe.prose(why, letters)]
        found += words(". ")
    elif source.kind != "derived":
        found += words("It is a definition. " if source.kind == "definition" else "It is a model: it is assumed. ")
    if held := conditions(scribe, source):
        found += [words("Assumed: "), *held, words(". ")]
    if source.convention:
        found += [words("Counted: "), *scribe.prose(source.convention, letters), words(". ")]
    for relation, _, is_kept, share in grounds.margins(entity.formula, entity.givens):
        nearly = "" if share is None else f", at {number_text(share, 2)} of the bound"
        kept = f" is kept{nearly}. " if is_kept else " is not kept here. "
        found += element("span", "mc-stated", math(relation_tex(relation)), words(kept))
    return found


def _turned(entity):
    """Return the formula of the page, where the one used is its root."""
    source = grounds.source(entity.formula)
    if source is entity.formula:
        return []
    told = [_lead("Turned round."), math(source.latex()), words(" is solved for "), math(entity.formula.lhs.tex)]
    return [element("p", "", *told, words("."))]


def _line(entity):
    formula, line = entity.formula, digests.kept("spec", entity, entity.spec)["line"]
    givens = {v.name: given_symbols(q) for v, q in entity.givens.items()}
    shown = digests.kept("shown", entity, lambda: latex(formula.shown))
    one = element("p", "", words("In one line: "), math(f"{formula.lhs.tex} = {shown}"), words(" = "))
    one += [element("span", "mc-line", words(line.format(**givens)), data_template=line), words(" = ")]
    one += [element("span", "mc-answer", words(entity.text())), words(".")]
    return one


def _effects(entity):
    """Return what the result turns on at the stated numbers."""
    found = grounds.effects(entity.formula, entity.givens)
    alike = {}
    for variable, ratio in found.items():
        alike.setdefault("" if ratio == 1 else number_text(ratio), []).append(variable)
    idle, slight = alike.pop("", []), alike.pop(number_text(1.0), [])
    if not alike:
        return []
    told = [_lead("What it turns on."), words("A tenth more of ")]
    for index, (ratio, variables) in enumerate(list(alike.items())[:MOST]):
        said = f" {ratio} times" if index else f" makes it {ratio} times as large"
        told += [*([words(", of ")] if index else []), *_either(variables, " or of "), words(said)]
    told += [words("; of "), *_either(slight, " or of "), words(" it changes next to nothing")] if slight else []
    told.append(words(". At these numbers it does not depend on " if idle else "."))
    told += [*_either(idle, " or on "), words(".")] if idle else []
    return [element("p", "mc-stated mc-effects", *told)]


def _either(variables, joint):
    return [part for v in variables for part in (words(joint), math(v.tex))][1:]


def _meant(scribe, entity, remarks):
    """Return what the result says: the words kept beside the exercise, then those of the page."""
    told = grounds.meant(entity.address)
    if not told and not remarks:
        return []
    found = element("div", "mc-meaning")
    if told:
        found += element("p", "", _lead("What it says."), *scribe.prose(told))
    for remark in remarks:
        found += remark.children
    return [found]


def _mistakes(entity):
    """Return the usual mistakes, each with what it gives."""
    listed = element("ul", "mc-wrongs")
    for label, wrong in entity.wrong_formulas.items():
        found = wrong.at(entity.givens_of(0, wrong)).to(entity.answer.units)
        value = element("span", "mc-wrong", words(quantity_text(found, None, entity.digits)))
        listed += element("li", "", value, words(f": {label}"))
    return element("div", "", element("p", "", words("What goes wrong most often:")), listed)
