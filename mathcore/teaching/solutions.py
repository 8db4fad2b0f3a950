"""Say what a worked solution says beyond its line of numbers.

Why this formula, whether it may be trusted here, the numbers in one unit, what the result turns on: all of it is
read from what is declared, or computed at the numbers of the variant. Only what the result means is written, a
sentence or two for each exercise in `mathcore/data/meanings.toml`, without numbers, so that it holds for every
variant.
"""

import functools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mathcore import units
from mathcore.evaluation import unguarded
from mathcore.examples import numbers, quantity_latex
from mathcore.formulas import Formula
from mathcore.library import DATA
from mathcore.symbols import Variable, coherent
from mathcore.tables import parsed
from mathcore.units import Quantity

SAYS_NOTHING = re.compile(  # steps that say how to reckon, or what stands there anyway
    r"derived before|solved for|multiply out|gather|collect|turn(ed)? (it )?round|the model$|linear in|the definition$|"
    r"in other letters|simplif|expand|rearrange|both in full|term by term|^positive|minimum$|positive root$|cancels?$|"
    r"^put .* in$|^set it to zero|^(what|which) (is running|stood|the square)|^take the logarithm|by parts$|"
    r"^(both|solve|divide|one exponential|two equal terms|at Young's interval|the mean( square)?|for each parameter|"
    r"its smallest value|the replicas|a square matrix|put in)( are known| are reads| times| by \w+)?$"
)
REASONS = 3  # a derivation has more steps; these say what the formula is
TENTH = 1.1
SAME = 1e-9  # an effect below it is none: what is left is floating point
PLAIN = ("s", "B", "FLOP", "gpu", "token")  # base units that one reckons in; nobody counts money by the second
LARGEST, SMALLEST = 1e6, 1e-3  # beyond them a number is written as a power of ten
ROUNDED = {
    "down": "What does not fit whole does not fit: rounded down.",
    "up": "It must be enough: rounded up.",
    "near": "Only whole numbers can be chosen: the better neighbour.",
}


def source(formula: Formula) -> Formula:
    """Return the formula that the book states: the one that was turned round, if this is its root.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> product = Formula(Variable("P", "s^2", "their product"), C * M)
    >>> source(product.solve_for("C")) is product, source(product) is product
    (True, True)
    """
    steps = formula.derivation.steps if formula.derivation is not None and not formula.address else ()
    return steps[0].sources[0] if steps and steps[0].sources else formula


def reasons(formula: Formula) -> list[str]:
    """Return why the formula is what it is: the reasons of the steps that say more than how to reckon.

    Where no step does, those of the formula with which the derivation began.
    """
    steps = formula.derivation.steps if formula.derivation is not None else ()
    told = [step.why for step in steps if not SAYS_NOTHING.search(step.why) and step.why not in formula.when]
    if not told and steps and steps[0].sources:
        return reasons(steps[0].sources[0])
    return list(dict.fromkeys(told))[:REASONS]


def margins(formula: Formula, givens: Mapping[Variable, Quantity]) -> Iterator[tuple[Any, str, float]]:
    """Yield each relation of the regime, what happens outside, and the smaller side over the bound at these values."""
    numbers = _numbers(formula, givens)
    for relation, said in formula.regime:
        sides = tuple(coherent(side, None, formula.inputs) for side in _sides(relation))
        small, large = unguarded(formula.inputs, sides, "python")(*numbers)
        yield relation, said, float(small) / float(large)


def _sides(relation: Any) -> tuple:
    return (relation.lhs, relation.rhs) if relation.rel_op in ("<", "<=") else (relation.rhs, relation.lhs)


def _numbers(formula: Formula, givens: Mapping[Variable, Quantity]) -> list[float]:
    return [float(givens[v].m_as(units.unit(v.unit))) for v in formula.inputs]


def effects(formula: Formula, givens: Mapping[Variable, Quantity]) -> dict[Variable, float]:
    """Return by what the result is multiplied if one given is a tenth larger, the strongest first.

    A letter that cannot be a tenth larger, or a result that has no ratio, is left out.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> interval = Formula(Variable("tau", "s", "interval"), (2 * C * M) ** (units.Fraction(1, 2)))
    >>> found = effects(interval, {C: units.quantity("4 min"), M: units.quantity("8 h")})
    >>> {letter.name: round(effect, 4) for letter, effect in found.items()}
    {'C': 1.0488, 'M': 1.0488}
    """
    function = unguarded(formula.inputs, (formula.numeric,), "python")
    numbers, found = _numbers(formula, givens), {}
    for index, letter in enumerate(formula.inputs):
        changed = [x * TENTH if i == index else x for i, x in enumerate(numbers)]
        try:
            ratio = float(function(*changed)[0]) / float(function(*numbers)[0])
        except (ArithmeticError, ValueError, TypeError):
            continue
        if letter.admits(changed[index]) and 0 < ratio < math.inf:
            found[letter] = 1.0 if abs(ratio - 1) < SAME else ratio
    return dict(sorted(found.items(), key=lambda pair: -abs(math.log(pair[1]))))


def is_mixed(quantities: list[Quantity]) -> bool:
    """Tell whether the same kind of thing is counted in two units, so that one must be chosen to reckon.

    >>> is_mixed([units.quantity("4 min"), units.quantity("8 h")]), is_mixed([units.quantity("4 min")] * 2)
    (True, False)
    """
    if not {str(name) for q in quantities for name in q.to_base_units()._units} <= set(PLAIN):
        return False
    counted = {str(name) for q in quantities for name in q._units}
    return len(counted) > len({units.unit(name).dimensionality for name in counted})


def in_base_units(quantity: Quantity) -> str:
    """Return a quantity as LaTeX in the units to which all others are brought: seconds, bytes, plain shares.

    >>> print(in_base_units(units.quantity("6 h")))
    21{,}600\\,\\mathrm{s}
    >>> print(in_base_units(units.quantity("3350 GB/s")))
    3.35\\cdot 10^{12}\\,\\mathrm{B/s}
    """
    base = quantity.to_base_units()
    number = abs(float(base.magnitude))
    if not number or SMALLEST <= number < LARGEST:
        return quantity_latex(base, 5)
    power = math.floor(math.log10(number))
    text = quantity_latex(base / 10.0**power, 5)
    mantissa, _, unit = text.partition(r"\,")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return rf"{mantissa}\cdot 10^{{{power}}}" + (rf"\,{unit}" if unit else "")


def lines(formula: Formula, givens: Mapping[Variable, Quantity], found: Quantity, digits: int) -> list[str]:
    """Return the numbers, in one unit too where they have several, and the result, each as a line of LaTeX."""
    told, result = [numbers(formula, givens)], quantity_latex(found, digits)
    if is_mixed([*givens.values(), found]):
        told.append(numbers(formula, givens, in_base_units))
        if found.to_base_units()._units != found._units:
            result = f"{in_base_units(found)} = {result}"
    return [rf"\\ &= {line}" for line in (*told, result)]


@functools.cache
def _meanings() -> dict[str, dict[str, str]]:
    return parsed(DATA / "meanings.toml")[0]


def meant(address: str) -> str:
    """Return what the result of an exercise says or decides, in a sentence or two; empty where nobody wrote it."""
    module, _, name = address.rpartition(".")
    return _meanings().get(module, {}).get(name, "")
