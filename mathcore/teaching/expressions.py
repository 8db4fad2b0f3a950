"""One line of arithmetic, read by a closed list: a text never runs as code.

`Calculation` is a sum, units and all: `200[gpu h] / 16384[gpu]`; a number carries its unit in brackets, and
an address stands for the value there. `expression` is a formula as a text prints it: `sqrt(2 * C * M)`.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pint
import sympy

from mathcore import units
from mathcore.errors import ArgumentError, DeclarationError, MathcoreError
from mathcore.facts import Fact
from mathcore.formulas import Formula
from mathcore.library import book
from mathcore.symbols import Max, Min, One, Variable
from mathcore.units import SUPERSCRIPT, Quantity, number_text, quantity_text, unit_text

ADDRESS = re.compile(r"\b[a-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MEASURED = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\[([^\]]*)\]")
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
RELATIONS: dict[Any, Callable] = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
RELATIONS |= {ast.And: sympy.And, ast.Or: sympy.Or, ast.Not: sympy.Not}


def _of_number(function: Callable) -> Callable:
    return lambda x: units.Quantity(float(function(x.m_as("dimensionless"))), units.unit(""))


OF_QUANTITIES = {"sqrt": lambda x: x**0.5, "min": min, "max": max, "abs": abs}
OF_QUANTITIES |= {n: _of_number(getattr(math, n)) for n in ("exp", "log", "log2", "log10", "ceil", "floor")}
OF_SYMBOLS = {"sqrt": sympy.sqrt, "exp": sympy.exp, "log": sympy.log}
OF_SYMBOLS |= {"log2": lambda x: sympy.log(x, 2), "log10": lambda x: sympy.log(x, 10)}
OF_SYMBOLS |= {"min": Min, "max": Max, "ceil": sympy.ceiling, "floor": sympy.floor, "abs": sympy.Abs}
OF_SYMBOLS |= {"binomial": sympy.binomial}
MANY = ("min", "max", "binomial")  # these take several values, all others one


@dataclass(frozen=True)
class _Line:
    """A line, and what its parts are: `number` of a float and a unit, `named` of a name, `functions`."""

    written: str
    number: Callable
    named: Callable
    functions: dict
    names: str
    called: Callable | None = None
    operators: Mapping = field(default_factory=lambda: OPERATORS)

    def value(self) -> Any:
        """Return what the line gives."""
        quoted = re.sub(r"\[([^]'\\]*)\]", r"['\1']", self.written)  # so that a unit is a text to Python too
        try:
            return self._value(ast.parse(quoted.strip(), mode="eval").body)
        except SyntaxError:
            raise self.strange(self.written) from None

    def _value(self, node: ast.AST) -> Any:
        text = ast.unparse(node).replace("['", "[").replace("']", "]")
        match node:
            case ast.Constant(value=int() | float() as number) if number is not True and number is not False:
                return self.number(number, "")
            case ast.Subscript(value=ast.Constant(value=int() | float() as number), slice=ast.Constant(value=unit)):
                return self.number(number, unit)
            case ast.Name() | ast.Attribute():
                return self.named(text)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(op=op, left=left, right=right) | ast.Compare(ops=[op], left=left, comparators=[right]):
                if type(op) in self.operators:
                    return self._applied(text, self.operators[type(op)], left, right)
            case ast.BoolOp(op=op, values=parts) if type(op) in self.operators:
                return self._applied(text, self.operators[type(op)], *parts)
            case ast.UnaryOp(op=ast.Not(), operand=operand) if ast.Not in self.operators:
                return self._applied(text, self.operators[ast.Not], operand)
            case ast.Call(func=ast.Attribute() as of, args=[], keywords=given) if self.called and all(
                k.arg for k in given
            ):
                return self.called(ast.unparse(of), {str(k.arg): self._value(k.value) for k in given})
            case ast.Call(func=ast.Name(id=name), args=[_, *more], keywords=[]) if name in self.functions:
                if not more or name in MANY:
                    return self._applied(text, self.functions[name], *node.args)
        raise self.strange(text)

    def _applied(self, text: str, function: Callable, *nodes: ast.AST) -> Any:
        values = [self._value(node) for node in nodes]
        try:
            return function(*values)
        except (pint.DimensionalityError, ArithmeticError, TypeError, ValueError) as error:
            told = f"`{text}` in `{self.written}` has no value: {error}"
            raise ArgumentError(told) from None

    def strange(self, part: str, why: str = "") -> DeclarationError:
        """Return the refusal of a part."""
        known = f"numbers with units as 4[min], {self.names}, + - * / ** and {', '.join(self.functions)}"
        return DeclarationError(f"`{part}` in `{self.written}` is not understood: write {known}{why}")


@dataclass(frozen=True)
class Calculation:
    """State a calculation; `value` computes it, `text` prints it as a reader would write it.

    Raises: DeclarationError for anything but numbers with units, addresses, + − * / ** and
    sqrt, exp, log, log2, log10, ceil, floor, min, max, abs; ArgumentError for units that do not fit.

    >>> Calculation("200[gpu h] / 16384[gpu]").value.to("s")
    <Quantity(43.9453125, 's')>
    >>> print(Calculation("2 * 16[GB] ** 2").text().replace(chr(0x202F), " "))
    2 · 16 GB²
    """

    written: str

    @property
    def value(self) -> Quantity:
        """Return the quantity that the calculation gives."""
        return evaluate_expression(self.written)

    def roots(self) -> dict[str, Any]:
        """Return the facts behind the addresses in it, by address."""
        found: dict[str, Any] = {}
        for match in ADDRESS.finditer(self.written):
            found |= book.find(match[0]).roots()
        return found

    def text(self) -> str:
        """Return the calculation as pages print it, with every number in its stated unit."""

        def measured(match: re.Match) -> str:
            number = number_text(float(match[1]), None) if "e" not in match[1].lower() else match[1]
            return f"{number}\u202f{unit_text(match[2])}" if match[2] else number

        shown = ADDRESS.sub(lambda m: _value_text(book.find(m[0])), self.written)
        shown = _MEASURED.sub(measured, shown)
        shown = re.sub(r"\s*\*\*\s*(\d+)", lambda m: m[1].translate(SUPERSCRIPT), shown)
        shown = re.sub(r"(\d)e\+?(\d+)", lambda m: f"{m[1]}·10{m[2].translate(SUPERSCRIPT)}", shown)
        shown = re.sub(r"\s*\*\s*", " · ", shown)
        return shown.replace(" - ", " − ").replace("sqrt(", "√(")


def evaluate_expression(written: str, known: Mapping[str, Quantity] | None = None) -> Quantity:
    """Return the quantity that a calculation gives, with names in it that are `known`.

    An address with symbols is a formula at these values: `young_daly.interval(C=4[min], M=hours)`.

    Raises: DeclarationError, ArgumentError as Calculation does.

    >>> evaluate_expression("young_daly.interval(C=4[min], M=M)", {"M": units.quantity("8 h")}).to("min")
    <Quantity(61.9677335, 'min')>
    """
    names = known or {}

    def named(address: str) -> Quantity:
        if address in names:
            return names[address]
        if not ADDRESS.fullmatch(address):
            raise line.strange(address)
        return units.quantity(book.find(address), f"`{address}`")

    def called(address: str, given: dict) -> Quantity:
        return book.find(address).evaluate(given)[0]

    told = ", ".join([*names, "addresses such as young_daly.act_one"])
    line = _Line(written, lambda x, unit: Quantity(float(x), units.unit(unit)), named, OF_QUANTITIES, told, called)
    return line.value()


def _value_text(entity: Any) -> str:
    return quantity_text(entity.value, None, None if isinstance(entity, Fact) else 3)


def parse_expression(
    written: str, symbols: Iterable[Variable], other: Callable[[str], Any] | None = None, operators: Mapping = OPERATORS
) -> Any:
    """Return the sympy expression of a formula that a text writes over some of the `symbols`.

    `other` gives what any other name means: an expression, or a Formula, which stands for its right side.
    With the RELATIONS among its `operators` the text may be a relation: `C < M and not M > 1[h]`.

    Raises: DeclarationError for anything but their names, numbers with base units, + − * / ** and
    sqrt, exp, log, log2, log10, min, max, ceil, floor, abs, binomial.

    >>> parse_expression("sqrt(2 * C * M) / 1[s]", book.find("young_daly.interval").inputs)
    sqrt(2)*sqrt(C)*sqrt(M)/s
    >>> parse_expression("young_daly.interval / 2", [], book.find)
    sqrt(2)*sqrt(C)*sqrt(M)/2
    """
    known = {symbol.name: symbol for symbol in symbols}

    def number(value: float, unit: str) -> Any:
        return sympy.Rational(str(value)) * (One(unit) if unit else 1)

    def named(name: str) -> Any:
        if name in known:
            return known[name]
        if not other:
            raise line.strange(name)
        try:
            found = other(name)
        except MathcoreError as error:
            raise line.strange(name, f"; {error.message}") from None
        return found.rhs if isinstance(found, Formula) else found

    told = f"the symbols {', '.join(known) or 'of the chapter'}{' and names of formulas' if other else ''}"
    line = _Line(written, number, named, OF_SYMBOLS, told, operators=operators)
    return line.value()
