"""The one grammar of calculations and relations in data files and pages; a text is parsed, it never runs as code.

`parse_calculation` returns Python's syntax tree of a text. Three notations of the book are rewritten before: the
unit of a number, in brackets or after a blank (`4[min]`, `4 min`); `a.b @ c.d`, a statement at the givens of another;
and `≤`, `≥`, `≈`.
An `Interpreter` evaluates numbers, names and functions; what is not in the closed list below is refused.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sympy

from mathcore.errors import ArgumentError, DeclarationError, MathcoreError

ADDRESS = re.compile(r"\b[a-z_]\w*(?:\.[A-Za-z_]\w*)+")
OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow
}  # fmt: skip
# Python has no sign for "about": `is`, which no text may contain, stands for it in the tree.
SIGNS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.Is: "≈"}
MANY = ("min", "max", "binomial")  # these functions take several values, all others one

_NUMBER = r"(?<![\w.\])'])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"(?!(?:and|or|not)\b)[A-Za-zµμ%]+(?:\^\d)?(?![\w.(])"
_IN_BRACKETS = re.compile(r"\[([^]'\\]*)\]")
_AFTER_A_BLANK = re.compile(rf"({_NUMBER})\s+((?:/{_NAME}|{_NAME})(?:[/ ]{_NAME})*)")
_AT = re.compile(rf"({ADDRESS.pattern})\s*@\s*({ADDRESS.pattern})")
_RESERVED = re.compile(r"\bis\b|['\"]")


def parse_calculation(text: str) -> ast.expr:
    """Return the syntax tree of a text.

    Raises: SyntaxError for a text that is no expression.

    >>> ast.unparse(parse_calculation("a.b+90 min≤2[h]*c.d @ e.f"))
    "a.b + 90['min'] <= 2['h'] * c.d['e.f']"
    """
    if _RESERVED.search(text):
        raise SyntaxError(f"{text!r} contains a quote or `is`")
    quoted = _AT.sub(r"\1['\2']", _IN_BRACKETS.sub(r"['\1']", bracket_units(text)))  # a unit is a text to Python too
    for sign, python in (("≤", "<="), ("≥", ">="), ("≈", " is ")):
        quoted = quoted.replace(sign, python)
    return ast.parse(quoted.strip(), mode="eval").body


def _require_finite(result: Any, context: str) -> Any:
    """Return a quantity or an expression unless it is complex, infinite or NaN."""
    value = getattr(result, "magnitude", result)
    if isinstance(value, complex) or (isinstance(value, sympy.Expr) and value.has(sympy.I)):
        raise ArgumentError(f"{context} is complex", code="not-real", got=value, expected="a real number")
    endless = isinstance(value, sympy.Expr) and value.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan)
    if endless or (isinstance(value, float) and not math.isfinite(value)):
        raise ArgumentError(f"{context} is {value}", code="not-finite", got=value, expected="a finite number")
    return result


def bracket_units(text: str) -> str:
    """Return a text with every unit in brackets.

    >>> bracket_units("90 min + 3 GB/s * 2[s] and not 4 < a")
    '90[min] + 3[GB/s] * 2[s] and not 4 < a'
    """
    return _AFTER_A_BLANK.sub(r"\1[\2]", text)


def node_text(node: ast.AST) -> str:
    """Return the text of a node as an author writes it.

    >>> node_text(parse_calculation("2[h]*c.d @ e.f ≈ 3 min"))
    '2[h] * c.d @ e.f ≈ 3[min]'
    """
    text = re.sub(r"(?<=[\d.])\['([^']*)'\]", r"[\1]", ast.unparse(node).replace(" is ", " ≈ "))
    return re.sub(r"\['([^']*)'\]", r" @ \1", text)


def addresses_in(text: str) -> list[str]:
    """Return the addresses in a text, each once, in their order.

    >>> addresses_in("2*a.x+3 min > a.x/b.y @ c.d")
    ['a.x', 'b.y @ c.d']
    """
    return list(dict.fromkeys(_addresses_in(parse_calculation(text))))


def _addresses_in(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute() | ast.Subscript(value=ast.Attribute()):
            yield node_text(node)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _addresses_in(child)


class Relation(NamedTuple):
    """Two sides of a comparison, as syntax trees, and one of the SIGNS between them."""

    left: ast.expr
    sign: str
    right: ast.expr

    def __str__(self) -> str:
        """Return the relation as an author writes it."""
        return f"{node_text(self.left)} {self.sign} {node_text(self.right)}"


def parse_relations(text: str) -> list[Relation]:
    """Return the relations of a text: the parts of `and`, and each relation of a chain `1 < a < b`.

    Raises: DeclarationError for a text that is not made of relations.

    >>> [str(each) for each in parse_relations("1<a<b and b == c.d+1[h]")]
    ['1 < a', 'a < b', 'b == c.d + 1[h]']
    """
    try:
        tree = parse_calculation(text)
    except SyntaxError:
        raise _relation_error(text) from None
    joined = []
    for part in tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]:
        if not isinstance(part, ast.Compare) or not {type(op) for op in part.ops} <= SIGNS.keys():
            raise _relation_error(text)
        sides = [part.left, *part.comparators]
        joined += [Relation(a, SIGNS[type(op)], b) for a, op, b in zip(sides, part.ops, sides[1:], strict=False)]
    return joined


def _relation_error(text: str) -> DeclarationError:
    wanted = f"two calculations with one of {', '.join(SIGNS.values())}"
    message = f"`{text}` is not a relation: write {wanted} between them"
    return DeclarationError(message, code="relation", got=text, expected=wanted)


@dataclass(frozen=True)
class Interpreter:
    """The meaning of a text: `number` of a float and a unit, `name` of a name or an address, `functions` by name.

    `names` describes in a message which names there are. `call` evaluates `address(name=value)`; `operators` maps
    node types of the syntax tree to functions.
    """

    text: str
    number: Callable
    name: Callable
    functions: Mapping[str, Callable]
    names: str
    call: Callable | None = None
    operators: Mapping = field(default_factory=lambda: OPERATORS)

    def value(self, node: ast.AST | None = None) -> Any:
        """Return the value of a node of the text's syntax tree, by default of the whole text.

        Raises: DeclarationError for what is not in the grammar; ArgumentError where there is no value.
        """
        try:
            result = self._value(parse_calculation(self.text) if node is None else node)
        except (SyntaxError, RecursionError, MemoryError):  # the last two for too deep a nesting
            raise self.not_understood(f"{self.text:.80}") from None
        return _require_finite(result, f"`{self.text:.80}`")

    def _value(self, node: ast.AST) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self.number(number, "")
            case ast.Subscript(value=ast.Constant(value=int() | float() as number), slice=ast.Constant(value=unit)):
                return self.number(number, unit)
            case ast.Name() | ast.Attribute() | ast.Subscript(value=ast.Attribute(), slice=ast.Constant()):
                return self.name(node_text(node))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(op=op, left=left, right=right) | ast.Compare(ops=[op], left=left, comparators=[right]):
                return self._applied(node, op, left, right)
            case ast.BoolOp(op=op, values=parts):
                return self._applied(node, op, *parts)
            case ast.UnaryOp(op=ast.Not() as op, operand=operand):
                return self._applied(node, op, operand)
            case ast.Call():
                return self._called(node)
        raise self.not_understood(node_text(node))

    def _called(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(func=ast.Attribute() as of, args=[], keywords=given) if self.call and all(
                k.arg for k in given
            ):
                return self.call(ast.unparse(of), {str(k.arg): self._value(k.value) for k in given})
            case ast.Call(func=ast.Name(id=name), args=[_, *more], keywords=[]) if name in self.functions:
                if not more or name in MANY:
                    return self._result(node, self.functions[name], *node.args)
        raise self.not_understood(node_text(node))

    def _applied(self, node: ast.AST, op: ast.AST, *parts: ast.AST) -> Any:
        if type(op) not in self.operators:
            raise self.not_understood(node_text(node))
        return self._result(node, self.operators[type(op)], *parts)

    def _result(self, node: ast.AST, function: Callable, *parts: ast.AST) -> Any:
        values = [self._value(part) for part in parts]
        context = f"`{node_text(node)}` in `{self.text:.80}`"
        try:
            return _require_finite(function(*values), context)
        except MathcoreError as error:
            raise ArgumentError.of(error, context=f"{context} has no value: ") from None
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ArgumentError(f"{context} has no value: {error}", code="no-value", got=node_text(node)) from None

    def not_understood(self, part: str, why: str = "") -> DeclarationError:
        """Return the error for a part of the text that is not in the grammar."""
        known = f"numbers with units as 4[min], {self.names}, + - * / ** and {', '.join(self.functions)}"
        return DeclarationError(
            f"`{part}` in `{self.text}` is not understood: write {known}{why}", code="syntax", got=part, expected=known
        )
