"""The generated files of the site: the functions of a chapter, and the units and slips.

Functions take and return numbers in declared units and are called by address, so the browser
never holds a formula of its own.
"""

import json

from mathbook import cache, digests
from mathcore import units
from mathcore.formulas import Formula
from mathcore.library import book
from mathcore.printing import code
from mathcore.teaching import diagnosis
from mathcore.teaching.exercises import Exercise
from mathcore.teaching.explorers import Explorer
from mathcore.teaching.labs import Lab
from mathcore.teaching.questions import Question

HEAD = "// Generated from mathcore/chapters/{chapter}.py. Change it there.\n"


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
        elif isinstance(entity, (Explorer, Lab)):
            found |= {f.address: f for f in entity.formulas}
    return found


def chapter_script(chapter):
    """Return the text of `_static/formulas/<chapter>.js`."""
    entries = ",\n".join(f"  {json.dumps(a)}: {_entry(f)}" for a, f in functions(chapter).items())
    return f"{HEAD.format(chapter=chapter)}mc.define({{\n{entries}\n}});\n"


def _entry(formula):
    """Return the entry of a formula, as it was written before for the same one."""
    key = f"entry {digests.of(formula)}"
    known = cache.statements().get(key)
    if known is None:
        known = cache.statements()[key] = function_entry(formula)
    return known


def function_entry(formula):
    """Return one entry of `mc.define`: argument names, the function, and the limits of its regime if any."""
    names = [v.name for v in formula.inputs]
    entry = f"args: {json.dumps(names)}, f: {_function(names, formula.numeric)}"
    checks = zip(formula.regime, formula.limits, strict=True)
    limits = [
        f"[{_function(names, check)}, {json.dumps(_outside(formula, relation, said), ensure_ascii=False)}]"
        for (relation, said), (check, _) in checks
    ]
    return f"{{{entry}, limits: [{', '.join(limits)}]}}" if limits else f"{{{entry}}}"


def _function(names, expression):
    return f"function ({', '.join(names)}) {{ return {code(expression, 'javascript')}; }}"


def _outside(formula, relation, said):
    return f"Outside {formula.condition_text(relation)}: {said}."


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
    slips = [{"factor": f, "large": large, "small": small} for f, large, small in diagnosis.SLIPS]
    powers = {str(k): v for k, v in diagnosis.POWERS.items()}
    data = {"units": unit_table(), "slips": slips, "powers": powers, "slack": diagnosis.SLACK}
    lines = [f"mc.{name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data.items()]
    return "// Generated from mathcore/units.py and mathcore/diagnosis.py.\n" + "\n".join(lines) + "\n"
