"""JSON specifications of calculators and questions for the browser; a formula is given by its address."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from mathcore import units
from mathcore.errors import DeclarationError
from mathcore.formulas import Formula
from mathcore.symbols import Variable
from mathcore.types import JsonObject

Readout = tuple[Formula, str] | tuple[Formula, str, int]  # a formula, the display unit of its value, digits


def unit_factor(variable: Variable, unit: str) -> float:
    """Return the factor that converts `unit` to the declared unit of `variable`.

    Raises: DeclarationError for a unit of another dimension.
    """
    if units.unit(unit).dimensionality != variable.dimension:
        kind = f"it is {units.kind_text(variable.dimension)}, such as `{f'1 {variable.display_unit}'.strip()}`"
        message = f"{variable.name} ({variable.meaning}) cannot be shown in `{unit}`: {kind}"
        raise DeclarationError(message, code="dimension", got=unit, expected=units.dimension_text(variable.dimension))
    return units.unit_ratio(unit, variable.unit)


def unit_and_factor(variable: Variable, unit: str) -> JsonObject:
    """Return `unit` and the factor that converts it to the declared unit of `variable`.

    Raises: DeclarationError for a unit of another dimension.

    >>> unit_and_factor(Variable("t", "s", "time"), "h")
    {'unit': 'h', 'factor': 3600}
    """
    return {"unit": unit, "factor": unit_factor(variable, unit)}


def value_range(variable: Variable) -> JsonObject:
    """Return the admissible range of `variable`: low, high, whether low is excluded; and whether it is an integer.

    >>> value_range(Variable("n", "", "devices", low="1", integer=True))
    {'range': [1.0, None, False], 'whole': True}
    """
    low, high = variable.bounds
    ends = [low, None if math.isinf(high) else high, not variable.admits(low)]
    return {"range": ends} | ({"whole": True} if variable.integer_only else {})


def select_fields(part: object, *names: str) -> JsonObject:
    """Return the named fields of `part` as a dictionary."""
    return {name: getattr(part, name) for name in names}


def fields_to_json(part: Any) -> JsonObject:
    """Return the fields of a dataclass as JSON data, without those that are empty.

    A Formula becomes its address, a Variable its name, and `(formula, unit)` a readout.

    Raises: DeclarationError for a formula without an address.
    """
    data: JsonObject = {}
    for name in (field.name for field in fields(part)):
        value = getattr(part, name)
        if isinstance(value, Formula) and name == "formula":
            data |= to_json(value)
        elif name == "unit":
            data |= unit_and_factor(part.formula.lhs, value)
        elif name == "sets":  # the input that a remedy sets
            data[name] = value.name
        elif value is not None and value != "":
            data[name] = to_json(value)
    return data


def to_json(value: object) -> Any:
    """Return the JSON data of a value: of a formula, a variable, a dataclass, or a container of them."""
    if isinstance(value, Formula):
        return {"f": value.required_address}
    if isinstance(value, Variable):
        return {"input": value.name}
    if isinstance(value, tuple) and value and isinstance(value[0], Formula):
        return readout_spec(*value)
    if hasattr(value, "spec"):
        return value.spec()
    if is_dataclass(value):
        return fields_to_json(value)
    if isinstance(value, dict):
        return {name: to_json(each) for name, each in value.items()}
    return [to_json(each) for each in value] if isinstance(value, (tuple, list)) else value


def readout_spec(formula: Formula, unit: str, digits: int = 3) -> JsonObject:
    """Return the JSON data of a formula with the display unit and the digits of its value."""
    return {"f": formula.required_address, **unit_and_factor(formula.lhs, unit), "digits": digits}


def formulas_in(value: object) -> Iterator[Formula]:
    """Yield the formulas in a dataclass or container at any depth, in their order."""
    parts: Iterable = ()
    if isinstance(value, Formula):
        yield value
    elif is_dataclass(value):
        parts = (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, (tuple, list)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    for part in parts:
        yield from formulas_in(part)
