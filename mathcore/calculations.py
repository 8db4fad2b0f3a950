"""A calculation in one line, units and all: `200[gpu h] / 16384[gpu]`.

A number carries its unit in brackets; a plain number has none; an address such as
`hardware.h100_hbm` stands for the value of a fact or an example. Nothing else is understood,
so that a line of text never runs as code. Formulas that the book teaches are Formulas; this is
for the sums and quotients with which somebody else's text is recomputed.
"""

import ast
import math
import operator
import re
from dataclasses import dataclass

from mathcore import units
from mathcore.errors import ArgumentError, DeclarationError, where
from mathcore.facts import Fact
from mathcore.formatting import number_text, quantity_text, unit_text
from mathcore.library import find

_MEASURED = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\[([^\]]*)\]")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}
_OF_NUMBERS = {
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "ceil": math.ceil,
    "floor": math.floor,
}
_OF_QUANTITIES = {"min": min, "max": max, "abs": abs, "sqrt": lambda x: x**0.5}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


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
    def value(self):
        """Return the quantity that the calculation gives."""
        stated = []

        def named(match):
            stated.append(units.Quantity(float(match[1]), units.unit(match[2])))
            return f"(_{len(stated) - 1})"

        plain = _MEASURED.sub(named, self.written)
        try:
            tree = ast.parse(plain.strip(), mode="eval").body
        except SyntaxError as error:
            raise _strange(self.written, self.written) from error
        found = self._value(tree, stated)
        return found if isinstance(found, units.Quantity) else units.Quantity(found, units.unit(""))

    def _value(self, node, stated):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return units.Quantity(float(node.value), units.unit(""))
        if isinstance(node, ast.Name) and re.fullmatch(r"_\d+", node.id):
            return stated[int(node.id[1:])]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return units.quantity(find(f"{node.value.id}.{node.attr}"))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](self._value(node.operand, stated))
        if isinstance(node, ast.BinOp):
            return self._pair(node, *(self._value(side, stated) for side in (node.left, node.right)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._function(node, [self._value(argument, stated) for argument in node.args])
        raise _strange(self.written, ast.unparse(node))

    def _pair(self, node, left, right):
        if isinstance(node.op, ast.Pow):
            return left ** self._plain(right, ast.unparse(node.right))
        if type(node.op) not in _OPERATORS:
            raise _strange(self.written, ast.unparse(node))
        if isinstance(node.op, (ast.Add, ast.Sub)):
            right = units.matching(right, left, f"`{ast.unparse(node.right)}` in `{self.written}`")
        return _OPERATORS[type(node.op)](left, right)

    def _function(self, node, values):
        name = node.func.id
        if name in _OF_NUMBERS and len(values) == 1:
            return units.Quantity(
                float(_OF_NUMBERS[name](self._plain(values[0], ast.unparse(node.args[0])))), units.unit("")
            )
        if name in _OF_QUANTITIES and values:
            for other in values[1:]:
                units.matching(other, values[0], f"`{ast.unparse(node)}` in `{self.written}`")
            return _OF_QUANTITIES[name](*values)
        raise _strange(self.written, ast.unparse(node))

    def _plain(self, value, text):
        if value.dimensionless:
            return value.m_as(units.unit(""))
        raise ArgumentError(
            f"`{text}` in `{self.written}` is {units.kind_text(value.dimensionality)}; it must be a "
            "plain number",
            where(),
        )

    def text(self):
        """Return the calculation as pages print it, with every number in its stated unit."""

        def measured(match):
            number = number_text(float(match[1]), None) if "e" not in match[1].lower() else match[1]
            return f"{number}\u202f{unit_text(match[2])}" if match[2] else number

        shown = re.sub(r"\b[a-z_0-9]+\.[a-z_]\w*", lambda m: _named_text(find(m[0])), self.written)
        shown = _MEASURED.sub(measured, shown)
        shown = re.sub(r"\s*\*\*\s*(\d+)", lambda m: m[1].translate(_POWERS), shown)
        shown = re.sub(r"(\d)e\+?(\d+)", lambda m: f"{m[1]}·10{m[2].translate(_POWERS)}", shown)
        shown = re.sub(r"\s*\*\s*", " · ", shown)
        return shown.replace(" - ", " − ").replace("sqrt(", "√(")


def _named_text(entity):
    return quantity_text(entity.value, None, None if isinstance(entity, Fact) else 3)


def _strange(written, part):
    return DeclarationError(
        f"`{part}` in the calculation `{written}` is not understood: write numbers with units as 4[min], "
        "addresses, + - * / ** and sqrt, exp, log, log2, log10, ceil, floor, min, max, abs",
        where(),
    )
