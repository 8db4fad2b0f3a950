"""`Task`: a question that no substitution answers, such as which model or plan to choose, or which line is wrong.

Tasks are in the `tasks.toml` of a chapter. The options are texts with numbers in them. Which of them are right is
computed: those whose relation holds, the one with the least or the greatest value, or the false line of a derivation
or a calculation.
"""

import ast
import functools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mathcore import checker, units
from mathcore.errors import Refuted
from mathcore.library import current_library
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.expressions import evaluate_expression, evaluate_relations, parse_expression
from mathcore.teaching.toml_schema import read_module_file
from mathcore.types import JsonObject
from mathcore.units import Quantity, quantity_text

TASK_KINDS = {
    "model": "Choose the model", "combine": "Put formulas together", "table": "Read what was measured",
    "plan": "Choose a plan", "uncertainty": "Carry an uncertainty", "error": "Find the error"
}  # fmt: skip
MARGIN = 0.005  # least relative difference between the best option and the next, so that rounding cannot decide
PRINTED = 0.02  # relative tolerance of a printed number; a wrong one is off by at least twice as much


class TaskOption(NamedTuple):
    """An option with its numbers: text, LaTeX of a line of a derivation, whether it is right, and feedback."""

    text: str
    tex: str
    right: bool
    feedback: str


@dataclass(frozen=True, eq=False, repr=False)
class Task(Statement):
    """State a task, as a `tasks.toml` does.

    `given` maps names to quantities, or to several separated by ` | `, one for each variant; `values` maps
    names to `calculation -> unit`; the texts refer to both as `{name}`. An option has `text`, `feedback` and one of
    `correct_if` (relations, joined by ` and `), `value` (of which `pick` takes the least or the greatest), `expression`
    (in the symbols of the chapter, which is to equal the line before, after `substitute`), or `calculation` and
    `result`. `table` is the address of a dataset and its columns to show, `rows` are its rows, counted from 1.
    """

    kind: str
    title: str
    prompt: str
    options: list
    given: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    pick: str = ""
    multiple: bool = False
    level: int = 2
    table: str = ""
    rows: list = field(default_factory=list)
    explanation: str = ""

    def __post_init__(self) -> None:
        """Check kind, level and number of options."""
        if self.kind not in TASK_KINDS or len(self.options) < 2 or self.level not in (1, 2):
            raise self.located_error(
                f"a task needs a `kind` of {', '.join(TASK_KINDS)}, a `level` of 1 or 2, and two options or more",
                code="not-a-choice",
                got=f"{self.kind}, level {self.level}, {len(self.options)} options",
                expected=f"{', '.join(TASK_KINDS)}, level 1 or 2, 2 options",
            )

    def _find_issues(self) -> Iterator[str]:
        """Yield each variant in which none, all, or too many of the options are right."""
        for number in range(self.variants):
            right = sum(choice.right for choice in self.choices(number))
            if right == len(self.options) or not right or (right > 1 and not self.multiple):
                text = f"has {right} right options of {len(self.options)} (variant {number})"
                yield f"{self.where}: {self.address} {text}"

    @property
    def variants(self) -> int:
        """Return the number of variants."""
        return max((len(text.split("|")) for text in self.given.values()), default=1)

    @functools.cached_property
    def table_cells(self) -> tuple[list[str], list[list[object]]]:
        """Return the names of the columns and the rows of the dataset that the task shows."""
        if not self.table:
            return [], []
        name, _, columns = self.table.partition(":")
        data = current_library.find(name.strip())
        wanted = [column.strip() for column in columns.split(",")]
        rows = [data.rows[number - 1] for number in self.rows or range(1, len(data.rows) + 1)]
        return wanted, [[row[column] for column in wanted] for row in rows]

    @functools.cache  # noqa: B019  tasks are never freed
    def numbers(self, variant: int) -> dict[str, Quantity]:
        """Return the numbers of a variant by name: givens, cells of the table as `column_row`, values."""
        drawn = {name: text.split("|") for name, text in self.given.items()}
        numbers = {name: units.quantity(each[variant % len(each)].strip(), name) for name, each in drawn.items()}
        columns, rows = self.table_cells
        cells = ((f"{c}_{i}", x) for i, row in enumerate(rows, 1) for c, x in zip(columns, row, strict=True))
        numbers |= {name: value for name, value in cells if isinstance(value, Quantity)}
        for name, text in self.values.items():
            written, _, unit = text.partition("->")
            numbers[name] = units.convert(
                evaluate_expression(written, numbers), unit.strip(), f"`{name}` of {self.title}"
            )
        return numbers

    def fill(self, text: str, variant: int) -> str:
        """Return `text` with the numbers of a variant in its slots."""
        stated = {name: self._text(name, q) for name, q in self.numbers(variant).items()}
        return self.fill_slots(text, stated, self.title)

    def _text(self, name: str, value: Quantity) -> str:
        whole = name not in self.given and not value._units and float(value.magnitude).is_integer()
        return quantity_text(value, None, 0 if whole else None if name in self.given else 3)

    def choices(self, variant: int = 0) -> list[TaskOption]:
        """Return the options of a variant, shuffled unless they are lines of a derivation or rows of a table."""
        choices = [
            TaskOption(self.fill(o["text"], variant), self._tex(o), is_right, self.fill(o["feedback"], variant))
            for o, is_right in zip(self.options, self._right(variant), strict=True)
        ]
        if self.kind not in ("error", "table"):
            random.Random(f"{self.title} {variant}").shuffle(choices)
        return choices

    def _tex(self, option: dict) -> str:
        symbols = {symbol.name: symbol.tex for symbol in self._symbols} if "expression" in option else {}
        return expression_latex(ast.parse(option["expression"], mode="eval").body, symbols) if symbols else ""

    @property
    def _symbols(self) -> list[Variable]:
        return [
            x
            for x in vars(current_library.module(current_library.split(self.required_address)[0])).values()
            if isinstance(x, Variable)
        ]

    def _right(self, variant: int) -> list[bool]:
        known = self.numbers(variant)
        if self.kind == "error":
            return self._errors(known)
        if not self.pick:
            return [self._holds(option["correct_if"], known) for option in self.options]
        values = [evaluate_expression(option["value"], known).to_base_units().magnitude for option in self.options]
        best, other = sorted(values, reverse=self.pick == "greatest")[:2]
        if math.isclose(best, other, rel_tol=MARGIN):
            pair = f"{best:.5g} and {other:.5g}"
            message = f"{self.title}: the best values {pair} are too close together (variant {variant})"
            raise self.located_error(message, code="inconsistent", got=pair, expected="values further apart")
        return [value == best for value in values]

    def _holds(self, text: str, known: dict) -> bool:
        compared = evaluate_relations(text, known)
        for each in compared:
            if each.relation.sign == "==" and not each.holds and math.isclose(each.left, each.right, rel_tol=PRINTED):
                sides = f"{each.left:.6g} and {each.right:.6g}"
                message = f"{self.title}: the sides of `{each.relation}` differ too little: {sides}"
                raise self.located_error(message, code="inconsistent", got=sides, expected="sides further apart")
        return all(each.holds for each in compared)

    def _errors(self, known: dict) -> list[bool]:
        """Return for each line whether it is wrong: it does not follow from the line before, or its result is wrong."""
        errors, before = [], None
        for option in self.options:
            if "expression" in option:
                line = parse_expression(option["expression"], self._symbols)
                name, _, value = option.get("substitute", "").partition("=")
                values = {v: parse_expression(value, self._symbols) for v in self._symbols if v.name == name.strip()}
                errors.append(before is not None and not self._same(before.subs(values), line))
                before = line
            else:
                errors.append(self._is_misprinted(option, known))
        return errors

    def _same(self, before: object, line: object) -> bool:
        try:
            checker.check_equal(before, line, place=self.where)
        except Refuted:
            return False
        return True

    def _is_misprinted(self, option: dict, known: dict) -> bool:
        value, given = (
            evaluate_expression(option["calculation"], known),
            units.quantity(option["result"], "what is printed"),
        )
        ratio = abs((units.match_dimension(given, value, option["result"]) / value).m_as("dimensionless") - 1)
        if PRINTED < ratio < 2 * PRINTED:
            message = f"{self.title}: `{option['result']}` is neither right nor clearly wrong: it is {value:~}"
            raise self.located_error(message, code="inconsistent", got=option["result"], expected=f"{value:~}")
        return bool(ratio > PRINTED)

    def spec(self) -> JsonObject:
        """Return the specification for the browser as JSON data: texts and right options of every variant."""
        variants = [
            {"prompt": self.fill(self.prompt, n), "options": [c._asdict() for c in self.choices(n)]}
            for n in range(self.variants)
        ]
        return {"address": self.required_address, "title": self.title, "multiple": self.multiple, "variants": variants}


def expression_latex(node: ast.AST, symbols: Mapping[str, str]) -> str:
    """Return the LaTeX of an expression as it is written; sympy would simplify it and hide the step.

    >>> print(expression_latex(ast.parse("2 * sqrt(C) / (M + 1)", mode="eval").body, {"C": "C", "M": "M"}))
    \\frac{2\\,\\sqrt{C}}{M + 1}
    """
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{expression_latex(left, symbols)}}}{{{expression_latex(right, symbols)}}}"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return rf"{_factor_latex(left, symbols)}\,{_factor_latex(right, symbols)}"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{_factor_latex(left, symbols)}^{{{expression_latex(right, symbols)}}}"
        case ast.BinOp(left=left, op=op, right=right):
            other = _factor_latex(right, symbols) if isinstance(op, ast.Sub) else expression_latex(right, symbols)
            return f"{expression_latex(left, symbols)} {'-' if isinstance(op, ast.Sub) else '+'} {other}"
        case ast.UnaryOp(operand=operand):
            return f"-{_factor_latex(operand, symbols)}"
        case ast.Call(func=ast.Name(id="sqrt"), args=[inside]):
            return rf"\sqrt{{{expression_latex(inside, symbols)}}}"
        case ast.Call(func=ast.Name(id=name), args=[inside]):
            return rf"\{name}\left({expression_latex(inside, symbols)}\right)"
    return symbols.get(ast.unparse(node), ast.unparse(node))


def _factor_latex(node: ast.AST, symbols: Mapping[str, str]) -> str:
    text = expression_latex(node, symbols)
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    return rf"\left({text}\right)" if is_sum else text


def read_tasks(module: str) -> Group:
    """Return the tasks in the `tasks.toml` of `module`.

    Raises: DeclarationError with file and line of everything that is wrong.
    """
    return read_module_file("tasks.toml", Task, module)
