"""Values as pages name them: `lab.interval`, `lab.interval.C`, `lab.waste @ lab.interval`.

An address names a statement; one more part names an input of it, or one of `ATTRIBUTES`. A formula has a value at the
inputs of an example. This module does not need Sphinx, because checks read pages without it.
"""

import re
from typing import NamedTuple

from mathbook import content_hash
from mathbook.code_references import exists
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
    """An author's expression has no value; the message says why, `remedy` what to write."""

    def __init__(self, message, remedy="write an address that exists"):
        super().__init__(message)
        self.remedy = remedy


def lookup(address):
    """Return the statement at an address.

    Raises: InvalidValue, with the nearest known address.
    """
    try:
        return find(address)
    except UnknownAddress as error:
        raise InvalidValue(error.message) from error


def split_part(path):
    """Return the address in a path, and the part of the statement after it, or an empty text.

    >>> split_part("young_daly.act_one.C"), split_part("young_daly.act_one")
    (('young_daly.act_one', 'C'), ('young_daly.act_one', ''))
    """
    head, _, last = path.rpartition(".")
    if path.count(".") > 1 and not exists(path) and exists(head):
        return head, last
    return path, ""


def value(expression):
    """Return the Value of `address | unit, digits`; unit and digits are optional.

    In a table, where a bar would end the cell, a semicolon replaces it.

    Raises: InvalidValue.
    """
    path, _, form = expression.replace(";", "|", 1).partition("|")
    unit, digits = _unit_and_digits(form)
    subject, _, setting = (part.strip() for part in path.partition("@"))
    try:
        address, quantity, entity = _at_example(subject, setting) if setting else _resolve(subject)
        text = _text(entity, address == subject and not setting, quantity, unit, digits)
    except (InvalidValue, UnknownAddress):
        raise
    except ValueError as error:
        raise InvalidValue(getattr(error, "message", str(error))) from error
    return Value(address, quantity, text, origin(address, entity))


def _unit_and_digits(form):
    unit, digits = None, None
    for part in filter(None, map(str.strip, form.split(","))):
        if re.fullmatch(r"\d+", part):
            digits = int(part)
        else:
            unit = part
    return unit, digits


def _resolve(path):
    address, last = split_part(path)
    entity = lookup(address)
    if not last:
        return path, _statement_value(path, entity), entity
    if isinstance(entity, Decision):
        return address, _decided(address, entity, last), entity
    givens = {v.name: quantity for v, quantity in (getattr(entity, "givens", None) or {}).items()}
    if last in givens:
        variable = next(v for v in entity.givens if v.name == last)
        return address, givens[last], variable
    if last in ATTRIBUTES and getattr(entity, last, None) is not None:
        return address, getattr(entity, last), entity
    measured = compared_values(entity) if isinstance(entity, Comparison) else {}
    if last in measured:
        return address, _quantity(measured[last]), entity
    known = [*givens, *measured, *(p for p in ATTRIBUTES if getattr(entity, p, None) is not None)]
    raise InvalidValue(f"`{address}` has no `{last}`, it has {', '.join(known)}")


def _decided(address, decision, name):
    """Return the values of a decision that a page may print, by the names of `Solution.values`."""
    known = decided_values(decision)
    if name not in known:
        raise InvalidValue(f"`{address}` has no `{name}`, it has {', '.join(known)}")
    return _quantity(known[name])


def decided_values(decision):
    """Return `{name: [number, unit]}` of `Solution.values`, memoized by the content hash of the decision."""
    return content_hash.memoize_json("decided", decision, lambda: _stored(decision.solve().values()))


def compared_values(comparison):
    """Return `{name: [number, unit]}` of a comparison, memoized by its content hash and that of its data."""
    return content_hash.memoize_json("compared", comparison, lambda: _stored(_comparison_values(comparison)))


def _stored(quantities):
    return {name: [float(quantity.magnitude), str(quantity.units)] for name, quantity in quantities.items()}


def _quantity(stored):
    number, unit = stored
    return Quantity(number, units.unit(unit))


def _comparison_values(comparison):
    """Return the values of a comparison that a page may print: errors, counts, parameters with intervals."""
    gaps = comparison.fitted_parameters.items()
    values = {name: gap.value for name, gap in gaps}
    known = {name: gap.interval for name, gap in gaps if gap.interval}
    values |= {f"{name}_{end}": pair[i] for name, pair in known.items() for i, end in enumerate(("low", "high"))}
    known = {name: gap.row_interval for name, gap in gaps}
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


def _statement_value(path, entity):
    if isinstance(entity, Formula) and not entity.inputs:
        return entity.at()
    quantity = getattr(entity, "value", None)
    if quantity is None:
        kind = type(entity).__name__.lower()
        raise InvalidValue(f"`{path}` is a {kind} and has no value of its own: name an example or a fact")
    return quantity


def _at_example(path, setting):
    formula, example = lookup(path), lookup(setting)
    if not isinstance(formula, Formula) or not hasattr(example, "givens"):
        raise InvalidValue(f"`{path} @ {setting}` needs a formula before the @ and an example after it")
    values = {v.name: q for v, q in example.givens.items()}
    values |= {example.formula.lhs.name: example.value}
    needed = {v.name: values[v.name] for v in formula.inputs if v.name in values}
    return path, formula.at(needed), formula


def _text(entity, plain, quantity, unit, digits):
    if plain and hasattr(entity, "text"):
        return entity.text(unit, digits)
    if isinstance(entity, Formula):
        return quantity_text(quantity, unit or natural_unit(quantity, entity.lhs.display_unit), digits or 3)
    if isinstance(entity, Variable) and unit is None and digits is None:
        return given_text(quantity)
    if isinstance(entity, (Comparison, Decision)) and digits is None:
        digits = None if quantity.magnitude % 1 == 0 else 2 if isinstance(entity, Comparison) else 3
        return quantity_text(quantity, unit, digits)
    exact = isinstance(entity, Fact) and digits is None and unit is None
    return quantity_text(quantity, unit, None if exact else digits or 3)


def origin(address, entity):
    """Return in one phrase how a number was obtained."""
    if isinstance(entity, Comparison):
        return f"measured: {address}, {entity.system}"
    if isinstance(entity, Decision):
        return f"decided: {address}, {entity.question}"
    if isinstance(entity, Fact):
        return f"{entity.meaning}: {entity.kind}, {entity.source}, {entity.date}"
    if isinstance(entity, Variable):
        return f"given in {address}: {entity.meaning}"
    if isinstance(entity, Simulation):
        return f"simulated: {address}, {entity.runs} runs"
    if isinstance(entity, Claim):
        return f"computed: {entity.how()}"
    if isinstance(entity, (Example, Exercise)):
        return f"computed: {address}, from {entity.formula.address or entity.formula.lhs.name}"
    return f"computed: {address}"


def facts_behind(entity):
    """Yield the addresses of the facts from which an example or an exercise is computed."""
    givens = getattr(entity, "facts", None) or getattr(entity, "given", None)
    for given in givens.values() if isinstance(givens, dict) else ():
        if isinstance(given, Fact):
            yield given.address
        elif isinstance(given, (Example, Exercise)):
            yield from facts_behind(given)
