"""Tables of what the book computes and what it should be, and the comparison of both.

`data/published.csv` has a row for each number that others published: its name, the source and where in it, what the
book computes, the relation to what was published, that number, the tolerance, how far it was traced, and a note;
`data/identities.csv` has rows without a source. `computed` and `expected` are quantities (`105 min`) or expressions:

- `speedup.gpt3_work` is the value of a statement, `training.compute(N=405e9, D='15.6e12 token')` that of a formula;
- a text in quotes is a quantity; `+ - * / **` and the functions of `FUNCTIONS` combine what is computed.

A relation is `==` or `!=` (a seeded error, or a limit of the source), `>=` or `<=`, each with the tolerance: relative
as `0.002`, in the expected unit as `±0.05`. Without one are `>`, `<`, `between` (two values, apart by `; `), and
`refused`, where what is expected is a part of the message.
"""

import ast
import csv
import math
import operator
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from mathcore import OutsideValidity, Quantity, find, quantity, units
from mathcore.errors import MathcoreError
from mathcore.units import quantity_text

DATA = Path(__file__).resolve().parents[1] / "data"
ROUNDING = 1e-12  # what floating point may add to a tolerance of zero
OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow
}  # fmt: skip
FUNCTIONS = {name: getattr(math, name) for name in ("exp", "expm1", "floor", "ceil")} | {"round": round, "max": max}


class Row(NamedTuple):
    """A row of a table."""

    name: str
    computed: str
    relation: str
    expected: str
    tolerance: str
    note: str = ""
    source: str = ""
    where: str = ""
    traced: str = ""

    @property
    def chapter(self):
        """Return the first chapter that the row computes with."""
        calls = (node for node in ast.walk(ast.parse(self.computed, mode="eval")) if isinstance(node, ast.Attribute))
        return next((ast.unparse(node).partition(".")[0] for node in calls), "")


def rows(table):
    """Return the rows of a table."""
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def cases(table):
    """Return the rows of a table as parameters; those of a chapter go to one worker, which loads it once."""
    return [pytest.param(row, id=row.name, marks=pytest.mark.xdist_group(row.chapter)) for row in rows(table)]


def value(text):
    """Return the quantity that an expression computes, or that a text is."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:  # a number with its unit
        return quantity(text)
    found = _value(node)
    return found if isinstance(found, Quantity) else Quantity(found, units.unit(""))


def _value(node):
    match node:
        case ast.Constant(value=str(text)):
            return quantity(text)
        case ast.Constant(value=number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=parts):
            return FUNCTIONS[name](*map(_value, parts))
        case ast.Call(func=formula, keywords=givens):
            return find(ast.unparse(formula)).at(**{each.arg: _given(each.value) for each in givens})
        case ast.Attribute():
            return find(ast.unparse(node)).value
    raise ValueError(f"`{ast.unparse(node)}` is no expression of addresses and quantities")


def _given(node):
    """Return an argument: a statement as itself, since a fact of one device may be one per device."""
    return find(ast.unparse(node)) if isinstance(node, ast.Attribute) else _value(node)


def fault(row):
    """Return what is wrong with a row, with its source, inputs, and both numbers, or an empty text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutsideValidity)
            found = value(row.computed)
            message = _compare(row, found)
    except MathcoreError as error:
        message = "" if row.relation == "refused" and row.expected in str(error) else f"is refused: {error}"
    place = "; ".join(part for part in (f"{row.source}, {row.where}".rstrip(", "), row.note) if part)
    return message and f"{row.name}: {row.computed} {message}\n({place})"


def _compare(row, found):
    """Return how a computed quantity differs from what was published, or an empty text."""
    if row.relation == "refused":
        return "is not refused"
    bounds = [value(text) for text in row.expected.split("; ")]
    unit = bounds[0].units
    number = units.match_dimension(found, bounds[0], "what is computed").m_as(unit)
    first, last = bounds[0].magnitude, bounds[-1].m_as(unit)
    kind, size = row.tolerance[:1], row.tolerance.removeprefix("±") or "0"
    slack = float(size) * (1 if kind == "±" else abs(first)) + ROUNDING * max(abs(first), 1)
    holds = {
        "==": abs(number - first) <= slack, "!=": abs(number - first) > slack,
        ">=": number >= first - slack, "<=": number <= first + slack,
        ">": number > first, "<": number < first, "between": first < number < last
    }  # fmt: skip
    within = f" within {row.tolerance}" if row.tolerance else ""
    computed = quantity_text(found, f"{unit}", 7)
    return "" if holds[row.relation] else f"= {computed}, expected {row.relation} {row.expected}{within}"
