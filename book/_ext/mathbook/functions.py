"""Generated scripts of the site: the functions of a chapter, and the units with common slips.

Functions take and return numbers in declared units and are called by address, so that no formula is written by hand in
JavaScript.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy

from mathbook import content_hash
from mathcore import units
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.printing import to_source
from mathcore.teaching import diagnosis
from mathcore.teaching.calculators import Calculator
from mathcore.teaching.exercises import Exercise
from mathcore.teaching.labs import Lab
from mathcore.teaching.questions import Question
from mathcore.teaching.symbol_markup import symbol_text

if TYPE_CHECKING:
    from mathcore.symbols import Variable


SCRIPT_HEADER = "// Generated from the statements of {package}.{module}. Change them there.\n"


def functions(chapter: str) -> dict[str, Formula]:
    """Return `{address: formula}` of all functions that pages of a chapter call."""
    by_address: dict[str, Formula] = {}
    for address, statement in current_library.statements(chapter):
        if isinstance(statement, Formula):
            by_address[address] = statement
        elif isinstance(statement, Exercise):
            by_address[statement.function] = statement.formula
            wrong = statement.wrong_formulas.values()
            by_address |= {f"{address}#{i}": formula for i, formula in enumerate(wrong)}
        elif isinstance(statement, Question):
            by_address |= {f"{address}#{i}": truth for i, truth in enumerate(statement.truths)}
            by_address |= {f.address: f for f in statement.formulas}
        elif isinstance(statement, (Calculator, Lab)):
            by_address |= {f.address: f for f in statement.formulas}
    return by_address


def chapter_script(chapter: str) -> str:
    """Return the text of `_static/formulas/<chapter>.js`."""
    entries = ",\n".join(f"  {json.dumps(a)}: {_cached_entry(f)}" for a, f in functions(chapter).items())
    return f"{SCRIPT_HEADER.format(package=current_library.package, module=chapter)}mc.define({{\n{entries}\n}});\n"


def _cached_entry(formula: Formula) -> str:
    """Return the entry of a formula, memoized by its content hash."""
    entry: str = content_hash.memoize_json("entry", formula, lambda: function_entry(formula))
    return entry


def function_entry(formula: Formula) -> str:
    """Return the entry of a formula in `mc.define`: argument names, the function, domain and range of validity.

    `signed` marks a value that may be negative, `integer` one that must be an integer; `holds` and `limits` are pairs
    of a check and the message if it fails.
    """
    names = [v.name for v in formula.inputs]
    only = [f"This holds only for: {formula.condition_text(relation, display_name)}." for relation in formula.domain]
    outside = [
        f"Outside {formula.condition_text(relation, display_name)}: {effect}." for relation, effect in formula.validity
    ]
    parts = {
        "args": json.dumps(names),
        "f": _function(names, formula.numeric),
        "signed": "true" if formula.lhs.bounds[0] < 0 else "",
        "integer": "true" if formula.lhs.integer_only else "",
        "holds": _conditions(names, formula.numeric_domain, only),
        "limits": _conditions(names, formula.numeric_validity, outside),
    }
    return f"{{{', '.join(f'{name}: {text}' for name, text in parts.items() if text)}}}"


def display_name(variable: "Variable") -> str:
    """Return a variable's symbol in plain text: `τ` where Python has `tau`."""
    return symbol_text(variable.tex)


def _conditions(names: Sequence[str], checks: tuple[Any, ...], words: Sequence[str]) -> str:
    pairs = zip(checks, words, strict=True)
    texts = [f"[{_function(names, check)}, {json.dumps(effect, ensure_ascii=False)}]" for check, effect in pairs]
    return f"[{', '.join(texts)}]" if texts else ""


def _function(names: Sequence[str], expression: sympy.Basic) -> str:
    return f"function ({', '.join(names)}) {{ return {to_source(expression, 'javascript')}; }}"


def unit_table() -> dict[str, Any]:
    """Return every accepted name of a single unit with its dimension and factor."""
    table = {}
    for text in units.UNIT_SPELLINGS:
        dimension = {k.strip("[]"): p for k, p in units.unit(text).dimensionality.items()}
        table[text] = {"dim": dimension, "factor": units.base_factor(text)}
    return {**table, "%": table["percent"]}


def units_script() -> str:
    """Return the text of `_static/formulas/units.js`."""
    slips = [dict(zip(("kind", "factor", "large", "small"), slip, strict=True)) for slip in diagnosis.SLIPS]
    powers = {str(k): v for k, v in diagnosis.POWERS.items()}
    data = {"units": unit_table(), "slips": slips, "powers": powers, "slack": diagnosis.SLACK}
    lines = [f"mc.{name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data.items()]
    return "// Generated from mathcore/units.py and mathcore/teaching/diagnosis.py.\n" + "\n".join(lines) + "\n"
