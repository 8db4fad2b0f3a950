"""Notes of a worked solution: justification, validity, sensitivities, interpretation.

Everything is derived from declarations or computed at the numbers of the variant, except the interpretation: one or two
sentences for each exercise in `mathcore/chapters/result_notes.toml`, without numbers, so that they hold for every
variant.
"""

import functools
import math
from collections.abc import Iterator, Mapping

from sympy import Expr
from sympy.core.relational import Relational

from mathbook.formulas import MAX_INHERITED
from mathcore import Formula, Variable, units
from mathcore.evaluation import compile_unchecked
from mathcore.library import current_library
from mathcore.symbols import to_declared_units
from mathcore.types import AnyDict
from mathcore.units import Quantity

MAX_REASONS = 3  # of a derivation's justifications
INCREASE = 1.1
NEGLIGIBLE = 1e-9  # smaller effects are floating-point error
ROUNDING_NOTES = {
    "down": "Rounded down: only whole units count.",
    "up": "Rounded up: the result must be sufficient.",
    "near": "Only integers can be chosen; this is the better of the two neighbours.",
}


def stated_formula(formula: Formula) -> Formula:
    """Return the formula that the book states: the source of a formula that was solved for another symbol.

    >>> from mathcore import find
    >>> interval = find("young_daly.interval")
    >>> stated_formula(interval.solve_for("C")) is interval, stated_formula(interval) is interval
    (True, True)
    """
    steps = formula.derivation.steps if formula.derivation is not None and not formula.address else ()
    return steps[0].sources[0] if steps and steps[0].sources else formula


def step_reasons(formula: Formula) -> list[str]:
    """Return the justifications of the steps of a formula's derivation, without routine algebra.

    If all steps are routine, those of the formula with which the derivation begins.
    """
    steps = formula.derivation.steps if formula.derivation is not None else ()
    assumed = {
        *formula.assumptions,
        *(formula.inherited_assumptions if len(formula.inherited_assumptions) <= MAX_INHERITED else ()),
    }
    justifications = [step.why for step in steps if not step.routine and step.why not in assumed]
    if not justifications and steps and steps[0].sources:
        return step_reasons(steps[0].sources[0])
    return list(dict.fromkeys(justifications))[:MAX_REASONS]


def capitalize(reason: str) -> str:
    """Return a reason with a capital letter, unless it begins with a symbol."""
    return reason[0].upper() + reason[1:] if reason[1:2].islower() else reason


def validity_margins(
    formula: Formula, givens: Mapping[Variable, Quantity]
) -> Iterator[tuple[Relational, str, bool, float | None]]:
    """Yield each relation of the range of validity, the effect outside, whether it holds, and the ratio of its sides.

    The ratio is the smaller side over the larger one; None if a side is not positive.
    """
    numbers = _numbers(formula, givens)
    for relation, effect in formula.validity:
        sides = tuple(to_declared_units(side, None, formula.inputs) for side in _sides(relation))
        small, large = compile_unchecked(formula.inputs, sides, "python")(*numbers)
        yield relation, effect, bool(small <= large), float(small) / float(large) if min(small, large) > 0 else None


def _sides(relation: Relational) -> tuple[Expr, Expr]:
    return (relation.lhs, relation.rhs) if relation.rel_op in ("<", "<=") else (relation.rhs, relation.lhs)


def _numbers(formula: Formula, givens: Mapping[Variable, Quantity]) -> list[float]:
    return [float(givens[v].m_as(units.unit(v.unit))) for v in formula.inputs]


def sensitivities(formula: Formula, givens: Mapping[Variable, Quantity]) -> dict[Variable, float]:
    """Return `{input: factor of the result}` for an increase of each input by 10 %, largest effect first.

    Inputs that do not admit the increase, and results without a ratio, are left out.

    >>> from mathcore import find
    >>> case = find("young_daly.ex_interval")
    >>> {letter.name: round(effect, 4) for letter, effect in sensitivities(case.formula, case.givens).items()}
    {'C': 1.0488, 'M': 1.0488}
    """
    function = compile_unchecked(formula.inputs, (formula.numeric,), "python")
    numbers, factors = _numbers(formula, givens), {}
    for index, symbol in enumerate(formula.inputs):
        changed = [x * INCREASE if i == index else x for i, x in enumerate(numbers)]
        try:
            ratio = float(function(*changed)[0]) / float(function(*numbers)[0])
        except (ArithmeticError, ValueError, TypeError):
            continue
        if symbol.admits(changed[index]) and 0 < ratio < math.inf:
            factors[symbol] = 1.0 if abs(ratio - 1) < NEGLIGIBLE else ratio
    return dict(sorted(factors.items(), key=lambda pair: -abs(math.log(pair[1]))))


@functools.cache
def _result_notes() -> AnyDict:
    return current_library.data("result_notes.toml")


def result_note(address: str) -> str:
    """Return the interpretation of an exercise's result, one or two sentences; empty if there is none."""
    module, _, name = address.rpartition(".")
    return _result_notes().get(module, {}).get(name, "")
