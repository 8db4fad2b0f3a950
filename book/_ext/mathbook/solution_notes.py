"""What a worked solution says beyond its line of numbers.

Why this formula, whether it may be trusted here, what the result turns on: all of it is read from what is declared,
or computed at the numbers of the variant. Only what the result means is written, a sentence or two for each exercise
in `mathcore/chapters/result_notes.toml`, without numbers, so that it holds for every variant.
"""

import functools
import math
import re

from mathbook.formulas import MAX_INHERITED
from mathcore import units
from mathcore.evaluation import unguarded
from mathcore.library import book
from mathcore.symbols import coherent

ROUTINE_STEP = re.compile(  # steps that say how to reckon, or what stands there anyway
    r"derived before|solved for|multiply out|gather|collect|turn(ed)? (it )?round|the model$|linear in|the definition$|"
    r"in other letters|simplif|expand|rearrange|both in full|term by term|^positive|minimum$|positive root$|cancels?$|"
    r"^put .* in$|^set it to zero|^(what|which) (is running|stood|the square)|^take the logarithm|by parts$|"
    r"^(both|solve|divide|one exponential|two equal terms|at Young's interval|the mean( square)?|for each parameter|"
    r"its smallest value|the replicas|a square matrix|put in)( are known| are reads| times| by \w+)?$"
)
MAX_REASONS = 3  # a derivation has more steps; these say what the formula is
INCREASE = 1.1
NEGLIGIBLE = 1e-9  # an effect below it is none: what is left is floating point
ROUNDING_NOTES = {
    "down": "Rounded down: only whole units count.",
    "up": "Rounded up: the result must be sufficient.",
    "near": "Only integers can be chosen: the better of the two neighbours.",
}


def stated_formula(formula):
    """Return the formula that the book states: the one that was turned round, if this is its root.

    >>> from mathcore import find
    >>> interval = find("young_daly.interval")
    >>> stated_formula(interval.solve_for("C")) is interval, stated_formula(interval) is interval
    (True, True)
    """
    steps = formula.derivation.steps if formula.derivation is not None and not formula.address else ()
    return steps[0].sources[0] if steps and steps[0].sources else formula


def reasons(formula):
    """Return why the formula is what it is: the reasons of the steps that say more than how to reckon.

    Where no step does, those of the formula with which the derivation began.
    """
    steps = formula.derivation.steps if formula.derivation is not None else ()
    assumed = {*formula.when, *(formula.inherited if len(formula.inherited) <= MAX_INHERITED else ())}
    justifications = [step.why for step in steps if not ROUTINE_STEP.search(step.why) and step.why not in assumed]
    if not justifications and steps and steps[0].sources:
        return reasons(steps[0].sources[0])
    return list(dict.fromkeys(justifications))[:MAX_REASONS]


def validity_margins(formula, givens):
    """Yield each relation of the regime, what happens outside, whether it is kept at these values, and how nearly.

    That is the smaller side over the larger; a side that is not above zero has no share in the other, and it is None.
    """
    numbers = _numbers(formula, givens)
    for relation, effect in formula.regime:
        sides = tuple(coherent(side, None, formula.inputs) for side in _sides(relation))
        small, large = unguarded(formula.inputs, sides, "python")(*numbers)
        yield relation, effect, bool(small <= large), float(small) / float(large) if min(small, large) > 0 else None


def _sides(relation):
    return (relation.lhs, relation.rhs) if relation.rel_op in ("<", "<=") else (relation.rhs, relation.lhs)


def _numbers(formula, givens):
    return [float(givens[v].m_as(units.unit(v.unit))) for v in formula.inputs]


def sensitivities(formula, givens):
    """Return by what the result is multiplied if one given is a tenth larger, the strongest first.

    A letter that cannot be a tenth larger, or a result that has no ratio, is left out.

    >>> from mathcore import find
    >>> case = find("young_daly.ex_interval")
    >>> {letter.name: round(effect, 4) for letter, effect in sensitivities(case.formula, case.givens).items()}
    {'C': 1.0488, 'M': 1.0488}
    """
    function = unguarded(formula.inputs, (formula.numeric,), "python")
    numbers, found = _numbers(formula, givens), {}
    for index, symbol in enumerate(formula.inputs):
        changed = [x * INCREASE if i == index else x for i, x in enumerate(numbers)]
        try:
            ratio = float(function(*changed)[0]) / float(function(*numbers)[0])
        except (ArithmeticError, ValueError, TypeError):
            continue
        if symbol.admits(changed[index]) and 0 < ratio < math.inf:
            found[symbol] = 1.0 if abs(ratio - 1) < NEGLIGIBLE else ratio
    return dict(sorted(found.items(), key=lambda pair: -abs(math.log(pair[1]))))


@functools.cache
def _result_notes():
    return book.data("result_notes.toml")


def result_note(address):
    """Return what the result of an exercise says or decides, in a sentence or two; empty where nobody wrote it."""
    module, _, name = address.rpartition(".")
    return _result_notes().get(module, {}).get(name, "")
