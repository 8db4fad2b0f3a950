"""The lines of a worked solution: its numbers as stated and, if their units differ, in base units."""

import math
from collections.abc import Mapping

from mathcore import units
from mathcore.examples import quantity_latex, right_side_latex
from mathcore.formulas import Formula
from mathcore.symbols import Variable
from mathcore.units import Quantity

COMMON_BASE = ("s", "B", "FLOP", "gpu", "token")  # base units that people compute in
LARGEST, SMALLEST = 1e6, 1e-3  # outside this range a number is written as a power of ten


def mixes_units(quantities: list[Quantity]) -> bool:
    """Return whether two units of one dimension occur, so that the computation needs a common unit.

    >>> mixes_units([units.quantity("4 min"), units.quantity("8 h")]), mixes_units([units.quantity("4 min")] * 2)
    (True, False)
    """
    if not {str(name) for q in quantities for name in q.to_base_units()._units} <= set(COMMON_BASE):
        return False
    counted = {str(name) for q in quantities for name in q._units}
    return len(counted) > len({units.unit(name).dimensionality for name in counted})


def base_units_latex(quantity: Quantity) -> str:
    """Return the LaTeX of a quantity in base units: seconds, bytes, dimensionless fractions.

    >>> print(base_units_latex(units.quantity("6 h")))
    21{,}600\\,\\mathrm{s}
    >>> print(base_units_latex(units.quantity("3350 GB/s")))
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


def solution_lines(formula: Formula, givens: Mapping[Variable, Quantity], answer: Quantity, digits: int) -> list[str]:
    """Return the lines of LaTeX: numbers substituted, the same in base units if units differ, and the result."""
    written, result = [right_side_latex(formula, givens)], quantity_latex(answer, digits)
    if mixes_units([*givens.values(), answer]):
        if (in_base := right_side_latex(formula, givens, base_units_latex)) != written[0]:
            written.append(in_base)
        if answer.to_base_units()._units != answer._units:
            result = f"{base_units_latex(answer)} = {result}"
    return [rf"\\ &= {line}" for line in (*written, result)]
