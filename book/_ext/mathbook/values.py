"""Values as pages name them: `lab.interval`, `lab.interval.C`, `lab.waste @ lab.interval`.

An address names a statement; one more part names an input of it, or one of `ATTRIBUTES`. A formula has a value at the
inputs of an example. This module does not need Sphinx, because checks read pages without it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mathbook import content_hash
from mathbook.code_references import statement_exists
from mathcore import Decision, Example, Fact, Formula, UnknownAddress, Variable, units
from mathcore.examples import given_text
from mathcore.library import find
from mathcore.measured import Comparison
from mathcore.monte_carlo import Simulation
from mathcore.teaching import Claim, Exercise
from mathcore.units import Quantity, natural_unit, quantity_text

ATTRIBUTES = ("value", "claimed", "expected", "answer", "error", "exact", "low", "high")


class Value(NamedTuple):
    """A quantity, its text and its origin, as a page prints them."""

    address: str
    quantity: object
    text: str
    origin: str


class InvalidValue(ValueError):
    """An author's expression has no value; the message is the reason, `remedy` what to write."""

    def __init__(self, message: str, remedy: str = "write an address that exists") -> None:
        super().__init__(message)
        self.remedy = remedy


def find_statement(address: str) -> Any:
    """Return the statement at an address.

    Raises: InvalidValue, with the nearest known address.
    """
    try:
        return find(address)
    except UnknownAddress as error:
        raise InvalidValue(error.message) from error


def split_part(path: str) -> tuple[str, str]:
    """Return the address in a path, and the part of the statement after it, or an empty text.

    >>> split_part("young_daly.act_one.C"), split_part("young_daly.act_one")
    (('young_daly.act_one', 'C'), ('young_daly.act_one', ''))
    """
    head, _, last = path.rpartition(".")
    if path.count(".") > 1 and not statement_exists(path) and statement_exists(head):
        return head, last
    return path, ""


def resolve_value(expression: str) -> Value:
    """Return the Value of `address | unit, digits`; unit and digits are optional.

    In a table, where a bar would end the cell, a semicolon replaces it.

    Raises: InvalidValue.
    """
    path, _, form = expression.replace(";", "|", 1).partition("|")
    unit, digits = _unit_and_digits(form)
    subject, _, setting = (part.strip() for part in path.partition("@"))
    try:
        address, quantity, statement = _at_example(subject, setting) if setting else _resolve(subject)
        text = _value_text(statement, address == subject and not setting, quantity, unit, digits)
    except (InvalidValue, UnknownAddress):
        raise
    except ValueError as error:
        raise InvalidValue(getattr(error, "message", str(error))) from error
    return Value(address, quantity, text, describe_origin(address, statement))


def _unit_and_digits(form: str) -> tuple[str | None, int | None]:
    unit, digits = None, None
    for part in filter(None, map(str.strip, form.split(","))):
        if re.fullmatch(r"\d+", part):
            digits = int(part)
        else:
            unit = part
    return unit, digits


def _resolve(path: str) -> tuple[str, Quantity, Any]:
    address, last = split_part(path)
    statement = find_statement(address)
    if not last:
        return path, _statement_value(path, statement), statement
    if isinstance(statement, Decision):
        return address, _decision_value(address, statement, last), statement
    givens = {v.name: quantity for v, quantity in (getattr(statement, "givens", None) or {}).items()}
    if last in givens:
        variable = next(v for v in statement.givens if v.name == last)
        return address, givens[last], variable
    if last in ATTRIBUTES and getattr(statement, last, None) is not None:
        return address, getattr(statement, last), statement
    measured = comparison_values(statement) if isinstance(statement, Comparison) else {}
    if last in measured:
        return address, _from_json(measured[last]), statement
    known = [*givens, *measured, *(p for p in ATTRIBUTES if getattr(statement, p, None) is not None)]
    raise InvalidValue(f"`{address}` has no `{last}`, it has {', '.join(known)}")


def _decision_value(address: str, decision: Decision, name: str) -> Quantity:
    """Return the values of a decision that a page may print, by the names of `Solution.values`."""
    known = decision_values(decision)
    if name not in known:
        raise InvalidValue(f"`{address}` has no `{name}`, it has {', '.join(known)}")
    return _from_json(known[name])


def decision_values(decision: Decision) -> dict[str, list]:
    """Return `{name: [number, unit]}` of `Solution.values`, memoized by the content hash of the decision."""
    return content_hash.memoize_json("decided", decision, lambda: _to_json(decision.solve().values()))


def comparison_values(comparison: Comparison) -> dict[str, list]:
    """Return `{name: [number, unit]}` of a comparison, memoized by its content hash and that of its data."""
    return content_hash.memoize_json("compared", comparison, lambda: _to_json(_compute_comparison_values(comparison)))


def _to_json(quantities: Mapping[str, Quantity]) -> dict[str, list]:
    return {name: [float(quantity.magnitude), str(quantity.units)] for name, quantity in quantities.items()}


def _from_json(stored: list) -> Quantity:
    number, unit = stored
    return Quantity(number, units.unit(unit))


def _compute_comparison_values(comparison: Comparison) -> dict[str, Quantity]:
    """Return the values of a comparison that a page may print: errors, counts, parameters with intervals."""
    parameters = comparison.fitted_parameters.items()
    values = {name: each.value for name, each in parameters}
    known = {name: each.interval for name, each in parameters if each.interval}
    values |= {f"{name}_{end}": pair[i] for name, pair in known.items() for i, end in enumerate(("low", "high"))}
    known = {name: each.row_interval for name, each in parameters}
    values |= {f"{name}_rows_{end}": pair[i] for name, pair in known.items() for i, end in enumerate(("low", "high"))}
    shares = {"median": comparison.median, "worst": comparison.worst}
    low, high = comparison.band
    counts = {"rows": comparison.rows, "unseen": comparison.unseen, "band_low": low, "band_high": high}
    counts["systems"] = len(comparison.systems)
    if comparison.system_band:
        counts |= dict(zip(("system_low", "system_high"), comparison.system_band, strict=True))
    counted = {name: Quantity(float(count), "") for name, count in counts.items()}
    counted |= {each.end: each.value for each in (comparison.least, comparison.greatest)}
    return values | counted | {name: Quantity(100 * share, "%") for name, share in shares.items()}


def _statement_value(path: str, statement: object) -> Quantity:
    if isinstance(statement, Formula) and not statement.inputs:
        return statement.at()
    quantity = getattr(statement, "value", None)
    if quantity is None:
        kind = type(statement).__name__.lower()
        raise InvalidValue(f"`{path}` is a {kind} and has no value of its own: name an example or a fact")
    return quantity


def _at_example(path: str, setting: str) -> tuple[str, Quantity, Formula]:
    formula, example = find_statement(path), find_statement(setting)
    if not isinstance(formula, Formula) or not hasattr(example, "givens"):
        raise InvalidValue(f"`{path} @ {setting}` needs a formula before the @ and an example after it")
    values = {v.name: q for v, q in example.givens.items()}
    values |= {example.formula.lhs.name: example.value}
    needed = {v.name: values[v.name] for v in formula.inputs if v.name in values}
    return path, formula.at(needed), formula


def _value_text(statement: Any, plain: bool, quantity: Quantity, unit: str | None, digits: int | None) -> str:
    if plain and hasattr(statement, "text"):
        return statement.text(unit, digits)
    if isinstance(statement, Formula):
        return quantity_text(quantity, unit or natural_unit(quantity, statement.lhs.display_unit), digits or 3)
    if isinstance(statement, Variable) and unit is None and digits is None:
        return given_text(quantity)
    if isinstance(statement, (Comparison, Decision)) and digits is None:
        digits = None if quantity.magnitude % 1 == 0 else 2 if isinstance(statement, Comparison) else 3
        return quantity_text(quantity, unit, digits)
    exact = isinstance(statement, Fact) and digits is None and unit is None
    return quantity_text(quantity, unit, None if exact else digits or 3)


def describe_origin(address: str, statement: object) -> str:
    """Return in one phrase how a number was obtained."""
    if isinstance(statement, Comparison):
        return f"measured: {address}, {statement.system}"
    if isinstance(statement, Decision):
        return f"decided: {address}, {statement.question}"
    if isinstance(statement, Fact):
        return f"{statement.meaning}: {statement.kind}, {statement.source}, {statement.date}"
    if isinstance(statement, Variable):
        return f"given in {address}: {statement.meaning}"
    if isinstance(statement, Simulation):
        return f"simulated: {address}, {statement.runs} runs"
    if isinstance(statement, Claim):
        return f"computed: {statement.how()}"
    if isinstance(statement, (Example, Exercise)):
        return f"computed: {address}, from {statement.formula.address or statement.formula.lhs.name}"
    return f"computed: {address}"


def facts_behind(statement: object) -> Iterator[str]:
    """Yield the addresses of the facts from which an example or an exercise is computed."""
    givens = getattr(statement, "facts", None) or getattr(statement, "given", None)
    for given in givens.values() if isinstance(givens, dict) else ():
        if isinstance(given, Fact):
            yield given.address
        elif isinstance(given, (Example, Exercise)):
            yield from facts_behind(given)
