"""Run one cell in the reader's browser and return its output, the value of its last line, or its error."""

import ast
import io
import json
import traceback
from contextlib import redirect_stderr, redirect_stdout

CELL = "<cell>"


def prepare() -> None:
    """Let quantities round without numpy, as they do in a build."""
    import mathcore

    mathcore.Quantity.round = lambda quantity, digits=0: round(quantity, digits)


def run(before: str, code: str, after: str = "") -> str:
    """Run the code `before`, a cell, and the checks `after` it; return `{"printed", "value", "error"}` as JSON.

    >>> run("a = 2", "print(a)\\na + 1")
    '{"printed": "2\\\\n", "value": "3", "error": ""}'
    >>> json.loads(run("", "1 / 0"))["error"]
    'line 1: ZeroDivisionError: division by zero'
    """
    printed, value, error = io.StringIO(), None, ""
    names: dict[str, object] = {"__name__": "__main__"}
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            exec(before, names)
            value = _last_value(code, names)
            exec(after, names)
        except BaseException as caught:  # any error of the reader's code is shown next to the cell
            error = _error_line(caught)
    value_text = "" if value is None else _text(value)
    return json.dumps({"printed": printed.getvalue(), "value": value_text, "error": error})


def _last_value(code: str, names: dict[str, object]) -> object:
    tree = ast.parse(code, CELL)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, CELL, "exec"), names)
        return None
    tree.body.pop()
    exec(compile(tree, CELL, "exec"), names)
    return eval(compile(ast.Expression(last.value), CELL, "eval"), names)


def _text(value: object) -> str:
    """Return the text of a value as a notebook prints it; quantities are formatted."""
    return str(value) if hasattr(value, "units") else repr(value)


def _error_line(caught: BaseException) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(caught.__traceback__) if frame.filename == CELL]
    line = caught.lineno if isinstance(caught, SyntaxError) else (lines[-1] if lines else None)
    message = f"{type(caught).__name__}: {caught.msg if isinstance(caught, SyntaxError) else caught}"
    return f"line {line}: {message}" if line else message
