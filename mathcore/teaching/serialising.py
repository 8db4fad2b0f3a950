"""What instruments and questions are made of, as JSON-able data for the browser; functions go by address."""

from dataclasses import fields, is_dataclass

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.formulas import Formula
from mathcore.symbols import Variable


def scale(variable, unit):
    """Return `unit` and its factor to the declared unit of the variable.

    Raises: DeclarationError for a unit of another dimension.

    >>> scale(Variable("t", "s", "time"), "h")
    {'unit': 'h', 'factor': 3600}
    """
    if units.unit(unit).dimensionality != variable.dimension:
        raise DeclarationError(
            f"{variable.name} ({variable.meaning}) cannot be shown in `{unit}`: it is "
            f"{units.kind_text(variable.dimension)}, such as `{f'1 {variable.shown}'.strip()}`",
            where(),
        )
    ratio = units.factor(unit) / units.factor(variable.unit)
    return {"unit": unit, "factor": int(ratio) if float(ratio).is_integer() else ratio}


def as_data(part):
    """Return a part as data: its fields by name, a formula with the unit in which it is shown.

    A Formula becomes its address, a Variable its name, `(formula, unit)` a reading. What is empty is left out.

    Raises: DeclarationError for a formula without an address.
    """
    found = {}
    for name in (field.name for field in fields(part)):
        value = getattr(part, name)
        if isinstance(value, Formula) and name == "formula":
            found |= plain(value)
        elif name == "unit":
            found |= scale(part.formula.lhs, value)
        elif name == "sets":  # the input that a way out moves
            found[name] = value.name
        elif value is not None and value != "":
            found[name] = plain(value)
    return found


def plain(value):
    """Return a value as JSON knows it."""
    if isinstance(value, Formula):
        return {"f": value.home}
    if isinstance(value, Variable):
        return {"input": value.name}
    if isinstance(value, tuple) and value and isinstance(value[0], Formula):
        return reading(*value)
    if hasattr(value, "spec"):
        return value.spec()
    if is_dataclass(value):
        return as_data(value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (tuple, list)) else value


def reading(formula, unit, digits=3):
    """Return a formula, the unit in which its value is shown, and with how many digits."""
    return {"f": formula.home, **scale(formula.lhs, unit), "digits": digits}


def formulas_in(value):
    """Yield every formula that a part holds, however deep, in the author's order."""
    if isinstance(value, Formula):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from formulas_in(getattr(value, field.name))
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from formulas_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from formulas_in(each)
