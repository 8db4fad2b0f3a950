"""Evaluation of texts in the grammar of calculations: to quantities, sympy expressions, and comparisons.

`Calculation` is a sum, units and all: `200[gpu h] / 16384[gpu]`. `evaluate_expression` computes a text over quantities,
`parse_expression` returns the sympy expression of a printed formula, `sqrt(2 * C * M)`, `evaluate_relations` evaluates
relations.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import sympy

from mathcore import units
from mathcore.errors import MathcoreError
from mathcore.facts import Fact
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.number_format import TO_SUPERSCRIPT, number_text, unit_text
from mathcore.symbols import Max, Min, One, Variable
from mathcore.teaching import grammar
from mathcore.teaching.grammar import ADDRESS, OPERATORS, Interpreter
from mathcore.types import AnyOf
from mathcore.units import Quantity, quantity_text

_MEASURED = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\[([^\]]*)\]")
_SIGN = re.compile(r"\[[^\]]*\]|(?<=[\w\])])(?<![\d.][eE])\s*(\*\*|[-+*/])\s*")  # binary signs outside of units
RELATIONS: dict[type, Callable] = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
RELATIONS |= {ast.And: sympy.And, ast.Or: sympy.Or, ast.Not: sympy.Not}
ABOUT = 0.1  # what `≈` allows, of the right side
COMPARED: dict[str, Callable] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
COMPARED |= {"==": math.isclose, "≈": lambda a, b: abs(a - b) <= ABOUT * abs(b)}


def _scalar_function(function: Callable) -> Callable:
    return lambda x: units.Quantity(float(function(x.m_as("dimensionless"))), units.unit(""))


OF_QUANTITIES: dict[str, Callable] = {"sqrt": lambda x: x**0.5, "min": min, "max": max, "abs": abs}
OF_QUANTITIES |= {n: _scalar_function(getattr(math, n)) for n in ("exp", "log", "log2", "log10", "ceil", "floor")}
OF_SYMBOLS = {"sqrt": sympy.sqrt, "exp": sympy.exp, "log": sympy.log}
OF_SYMBOLS |= {"log2": lambda x: sympy.log(x, 2), "log10": lambda x: sympy.log(x, 10)}
OF_SYMBOLS |= {"min": Min, "max": Max, "ceil": sympy.ceiling, "floor": sympy.floor, "abs": sympy.Abs}
OF_SYMBOLS |= {"binomial": sympy.binomial}


@dataclass(frozen=True)
class Calculation:
    """A calculation; `value` computes it, `text` formats it for a page.

    Raises: DeclarationError for anything but numbers with units, addresses, + − * / ** and
    sqrt, exp, log, log2, log10, ceil, floor, min, max, abs; ArgumentError for units that do not fit.

    >>> Calculation("200[gpu h] / 16384[gpu]").value.to("s")
    <Quantity(43.9453125, 's')>
    >>> print(Calculation("2*16[GB]**2-3e-5 GB").text().replace(chr(0x202F), " "))
    2 · 16 GB² − 3e-5 GB
    """

    written: str

    @property
    def value(self) -> Quantity:
        """Return the value of the calculation."""
        return evaluate_expression(self.written)

    def source_facts(self) -> dict[str, Fact]:
        """Return the facts behind the addresses in it, by address."""
        facts: dict[str, Fact] = {}
        for match in ADDRESS.finditer(self.written):
            facts |= current_library.find(match[0]).source_facts()
        return facts

    def text(self) -> str:
        """Return the calculation in the format of the pages, with every number in its stated unit."""

        def measured(match: re.Match) -> str:
            number = number_text(float(match[1]), None) if "e" not in match[1].lower() else match[1]
            return f"{number}\u202f{unit_text(match[2])}" if match[2] else number

        spaced = _SIGN.sub(lambda m: f" {m[1]} " if m[1] else m[0], grammar.bracket_units(self.written))
        text = ADDRESS.sub(lambda m: _value_text(current_library.find(m[0])), spaced)
        text = _MEASURED.sub(measured, text)
        text = re.sub(r"\s*\*\*\s*(\d+)", lambda m: m[1].translate(TO_SUPERSCRIPT), text)
        text = re.sub(r"(\d)e\+?(\d+)", lambda m: f"{m[1]}·10{m[2].translate(TO_SUPERSCRIPT)}", text)
        text = re.sub(r"\s*\*\s*", " · ", text)
        return text.replace(" - ", " − ").replace("sqrt(", "√(")


def evaluate_expression(text: str, known: Mapping[str, Quantity] | None = None) -> Quantity:
    """Return the quantity that a text gives, with names in it that are `known`.

    An address with arguments is a formula at these values: `young_daly.interval(C=4[min], M=hours)`.

    Raises: DeclarationError, ArgumentError as Calculation does.

    >>> evaluate_expression("young_daly.interval(C=4 min, M=M)", {"M": units.quantity("8 h")}).to("min")
    <Quantity(61.9677335, 'min')>
    """
    return _quantity_interpreter(text, known or {}, current_library.find).value()


def _quantity_interpreter(text: str, known: Mapping[str, Quantity], value_at: Callable[[str], object]) -> Interpreter:
    """Return the Interpreter of a text whose names are keys of `known`, or addresses."""

    def named(name: str) -> Quantity:
        if name in known:
            return known[name]
        if not ADDRESS.match(name):
            raise meaning.not_understood(name)
        return units.quantity(value_at(name), f"`{name}`")

    def called(address: str, given: dict) -> Quantity:
        return current_library.find(address).evaluate(given)[0]

    names = ", ".join([*known, "addresses such as young_daly.act_one"])
    meaning = Interpreter(
        text, lambda x, unit: Quantity(float(x), units.unit(unit)), named, OF_QUANTITIES, names, called
    )
    return meaning


class EvaluatedRelation(NamedTuple):
    """A relation of a text with the values of both sides, in base units of one dimension."""

    relation: grammar.Relation
    left: float
    right: float

    @property
    def holds(self) -> bool:
        """Return whether the relation holds."""
        return bool(COMPARED[self.relation.sign](self.left, self.right))


def evaluate_relations(
    text: str, known: Mapping[str, Quantity] | None = None, value_at: Callable[[str], object] = current_library.find
) -> list[EvaluatedRelation]:
    """Return an EvaluatedRelation for each relation of a text, which `and` or a chain joins.

    Raises: DeclarationError for a text that is not made of relations; ArgumentError for sides of two dimensions.

    >>> [each.holds for each in evaluate_relations("1 h<young_daly.act_one<61 min and 1[h] ≈ 65[min]")]
    [True, False, True]
    """
    meaning, evaluated = _quantity_interpreter(text, known or {}, value_at), []
    for relation in grammar.parse_relations(text):
        left, right = meaning.value(relation.left), meaning.value(relation.right)
        right = units.match_dimension(right, left, f"`{grammar.node_text(relation.right)}`")
        values = (float(side.to_base_units().magnitude) for side in (left, right))
        evaluated.append(EvaluatedRelation(relation, *values))
    return evaluated


def _value_text(statement: AnyOf) -> str:
    return quantity_text(statement.value, None, None if isinstance(statement, Fact) else 3)


def parse_expression(
    written: str,
    symbols: Iterable[Variable],
    other: Callable[[str], object] | None = None,
    operators: Mapping = OPERATORS,
) -> sympy.Expr:
    """Return the sympy expression of a text with names of `symbols`.

    `other` returns the expression of any other name, or its Formula, which stands for its right side. With
    RELATIONS among the `operators` the text may be a relation: `C < M and not M > 1[h]`.

    Raises: DeclarationError for anything but their names, numbers with base units, + − * / ** and
    sqrt, exp, log, log2, log10, min, max, ceil, floor, abs, binomial.

    >>> parse_expression("sqrt(2 * C * M) / 1[s]", current_library.find("young_daly.interval").inputs)
    sqrt(2)*sqrt(C)*sqrt(M)/s
    >>> parse_expression("young_daly.interval / 2", [], current_library.find)
    sqrt(2)*sqrt(C)*sqrt(M)/2
    """
    known = {symbol.name: symbol for symbol in symbols}

    def number(value: float, unit: str) -> sympy.Expr:
        return sympy.Rational(str(value)) * (One(unit) if unit else 1)

    def named(name: str) -> sympy.Expr:
        if name in known:
            return known[name]
        if not other:
            raise meaning.not_understood(name)
        try:
            statement = other(name)
        except MathcoreError as error:
            raise meaning.not_understood(name, f"; {error.message}") from None
        return statement.rhs if isinstance(statement, Formula) else statement

    text = f"the symbols {', '.join(known) or 'of the chapter'}{' and names of formulas' if other else ''}"
    meaning = Interpreter(written, number, named, OF_SYMBOLS, text, operators=operators)
    return meaning.value()
