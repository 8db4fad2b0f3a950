"""The generated files of the site: the functions of a chapter, and the units and slips.

Functions take and return numbers in declared units and are called by address, so the browser
never holds a formula of its own.
"""

import json

from mathbook import content_hash
from mathcore import units
from mathcore.formulas import Formula
from mathcore.library import book
from mathcore.printing import code
from mathcore.teaching import diagnosis
from mathcore.teaching.calculators import Calculator
from mathcore.teaching.exercises import Exercise
from mathcore.teaching.labs import Lab
from mathcore.teaching.questions import Question
from mathcore.teaching.symbol_markup import symbol_text

SCRIPT_HEADER = "// Generated from the statements of {package}.{module}. Change them there.\n"


def functions(chapter):
    """Return `{address: formula}` for every function the pages of a chapter call."""
    found = {}
    for address, entity in book.entities(chapter):
        if isinstance(entity, Formula):
            found[address] = entity
        elif isinstance(entity, Exercise):
            found[entity.function] = entity.formula
            wrong = entity.wrong_formulas.values()
            found |= {f"{address}#{i}": formula for i, formula in enumerate(wrong)}
        elif isinstance(entity, Question):
            found |= {f"{address}#{i}": truth for i, truth in enumerate(entity.truths)}
            found |= {f.address: f for f in entity.formulas}
        elif isinstance(entity, (Calculator, Lab)):
            found |= {f.address: f for f in entity.formulas}
    return found


def chapter_script(chapter):
    """Return the text of `_static/formulas/<chapter>.js`."""
    entries = ",\n".join(f"  {json.dumps(a)}: {_cached_entry(f)}" for a, f in functions(chapter).items())
    return f"{SCRIPT_HEADER.format(package=book.package, module=chapter)}mc.define({{\n{entries}\n}});\n"


def _cached_entry(formula):
    """Return the entry of a formula, as it was written before for the same one."""
    return content_hash.memoize_json("entry", formula, lambda: function_entry(formula))


def function_entry(formula):
    """Return one entry of `mc.define`: argument names, the function, where it holds and may be trusted.

    `signed` marks what may be negative; `holds` and `limits` are pairs of a check and the words where it fails.
    """
    names = [v.name for v in formula.inputs]
    only = [f"This holds only for: {formula.condition_text(relation, display_name)}." for relation in formula.valid]
    outside = [
        f"Outside {formula.condition_text(relation, display_name)}: {effect}." for relation, effect in formula.regime
    ]
    parts = {
        "args": json.dumps(names),
        "f": _function(names, formula.numeric),
        "signed": "true" if formula.lhs.bounds[0] < 0 else "",
        "holds": _conditions(names, formula.checks, only),
        "limits": _conditions(names, formula.limits, outside),
    }
    return f"{{{', '.join(f'{name}: {text}' for name, text in parts.items() if text)}}}"


def display_name(variable):
    """Return a letter as readers see it, in plain text: `τ`, where Python says `tau`."""
    return symbol_text(variable.tex)


def _conditions(names, checks, words):
    pairs = zip(checks, words, strict=True)
    texts = [f"[{_function(names, check)}, {json.dumps(effect, ensure_ascii=False)}]" for check, effect in pairs]
    return f"[{', '.join(texts)}]" if texts else ""


def _function(names, expression):
    return f"function ({', '.join(names)}) {{ return {code(expression, 'javascript')}; }}"


def unit_table():
    """Return every accepted spelling of a single unit with its dimension and factor."""
    table = {
        text: {
            "dim": {k.strip("[]"): p for k, p in units.unit(text).dimensionality.items()},
            "factor": units.factor(text),
        }
        for text in units.SPELLED
    }
    return {**table, "%": table["percent"]}


def units_script():
    """Return the text of `_static/formulas/units.js`."""
    slips = [dict(zip(("kind", "factor", "large", "small"), slip, strict=True)) for slip in diagnosis.SLIPS]
    powers = {str(k): v for k, v in diagnosis.POWERS.items()}
    data = {"units": unit_table(), "slips": slips, "powers": powers, "slack": diagnosis.SLACK}
    lines = [f"mc.{name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data.items()]
    return "// Generated from mathcore/units.py and mathcore/teaching/diagnosis.py.\n" + "\n".join(lines) + "\n"
