"""The arguments of a formula: by which names they come, and their numbers in declared units."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mathcore import evaluation, units
from mathcore.errors import ArgumentError
from mathcore.symbols import Variable
from mathcore.types import Numbers
from mathcore.units import Quantity, QuantityLike

if TYPE_CHECKING:
    from mathcore.formulas import Formula

_unit_factors: dict[tuple, float] = {}  # (unit of a value, unit of a variable) → factor: pint takes 20 times longer


def by_symbol_name(
    formula: "Formula", values: Sequence[Mapping], named: Mapping[str, QuantityLike]
) -> Mapping[str, QuantityLike]:
    """Return the arguments of a call by the names of the inputs.

    Raises: ArgumentError if one is unknown, missing, repeated, or positional and no mapping.
    """
    if values:
        named = {**_from_mapping(formula, values), **named}
    if named.keys() == {symbol.name for symbol in formula.inputs}:
        return named
    renamed: dict[str, QuantityLike] = {}
    for name, value in named.items():
        symbol = evaluation.find_input(formula, name)
        if symbol.name in renamed:
            message = f"{formula.label} got {symbol.name} twice, the second time as `{name}`"
            raise ArgumentError(message, code="repeated-argument", got=name, hint="give it once")
        renamed[symbol.name] = value
    if missing := [symbol for symbol in formula.inputs if symbol.name not in renamed]:
        listed = ", ".join(_describe_input(formula, symbol) for symbol in missing)
        raise ArgumentError(f"{formula.label} also needs {listed}", code="missing-argument", expected=listed)
    return renamed


def _from_mapping(formula: "Formula", values: Sequence[Mapping]) -> dict[str, QuantityLike]:
    """Return the positional argument, which must be one mapping, with names as keys."""
    if len(values) == 1 and isinstance(values[0], Mapping):
        return {str(getattr(key, "name", key)): value for key, value in values[0].items()}
    message = f"{formula.label} got {', '.join(map(repr, values))} without a name"
    form = ", ".join(f"{v.name}={x!r}" for v, x in zip(formula.inputs, values, strict=False))
    raise ArgumentError(message, code="positional-argument", got=repr(values), expected=form, hint=f"write {form}")


def _describe_input(formula: "Formula", symbol: Variable) -> str:
    """Return an input as a message names it: `C or write_time (time of a write, in s)`."""
    names = f"{symbol.name} or {symbol.alias}" if formula.arguments.get(symbol.alias) == symbol else symbol.name
    return f"{names} ({symbol.meaning}{f', in {symbol.unit}' if symbol.unit else ''})"


def magnitude(formula: "Formula", symbol: Variable, value: QuantityLike) -> Numbers:
    """Return the value of an argument as a float or array in the declared unit.

    Raises: ArgumentError for another dimension, or a count that is no integer.
    """
    quantity: Quantity = value
    if type(value) is not Quantity:
        quantity = units.quantity(units.to_per_device(value, symbol.dimension), f"{symbol.name} ({symbol.meaning})")
        if symbol.counts:
            evaluation.require_count(formula, symbol, value, quantity)
    number = quantity._magnitude
    if not quantity._units and symbol.dimension in units.COUNTS:  # a bare number of what a symbol counts, as 2048 gpu
        hint = f"write an integer, or the unit too: `{number} {symbol.unit}`"
        evaluation.require_integer(formula, symbol, number, hint)
        return number / units.base_factor(symbol.unit)
    key = (quantity._units, symbol.unit)  # the container itself: its hash is cached
    factor = _unit_factors.get(key)
    if factor is None:
        wanted = units.Quantity(1, units.unit(symbol.display_unit))
        units.match_dimension(value, wanted, f"{symbol.name} ({symbol.meaning}) of {formula.label}")
        factor = _unit_factors[key] = units.unit_ratio(units.unit_name(quantity), symbol.unit)
    return number * factor if factor != 1 else number
