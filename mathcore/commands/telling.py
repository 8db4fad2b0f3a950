"""A statement in words for a terminal: one line in a list, or all that is to be said of it."""

import re
from typing import Any

from mathcore import printing
from mathcore.errors import ROOT
from mathcore.formulas import Formula
from mathcore.units import Quantity, natural_unit, quantity_text

LONGEST = 160  # of a line in a list; `show` has the whole


def line(statement: Any) -> str:
    """Return address, kind and meaning in one line of a list, cut where it is too long to be read.

    >>> from mathcore import find
    >>> line(find("young_daly.interval"))
    "young_daly.interval  formula  Young's interval [min]  tau_Y = √(2 · C · M)"
    """
    told = _whole(statement)
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"


def _whole(statement: Any) -> str:
    kind = type(statement).__name__.lower()
    parts = [statement.address, kind, _meaning(statement)]
    if hasattr(statement, "lhs"):
        parts.append(_equation(statement))
    elif hasattr(statement, "text") and hasattr(statement, "value"):
        parts.append(statement.text())
    return "  ".join(part for part in parts if part)


def page(statement: Any) -> str:
    """Return all that a terminal can show of a statement: letters, units, conditions, derivation."""
    lines = [_whole(statement)]
    for letter in getattr(statement, "inputs", ()):
        lines.append(f"  {letter.name}: {letter.meaning} [{letter.unit or '1'}], {letter.range_text()}")
    lines += [f"  holds for: {text}" for text in getattr(statement, "conditions", ())]
    if hasattr(statement, "measured") and hasattr(statement, "lhs"):
        lines += [f"  {c.text()} ({c.address}: {c.system})" for c in statement.measured] or ["  not measured"]
    lines += [f"  {statement.text()}"] if hasattr(statement, "gaps") else []
    lines += [f"  {name} = {gap}" for name, gap in getattr(statement, "gaps", {}).items()]
    derivation = getattr(statement, "derivation", None) or statement
    for step in getattr(derivation, "steps", ()):
        verdict = step.verdict
        lines.append(f"  [{verdict.name}] {step.latex()}    {step.why} ({verdict.detail})")
    if hasattr(statement, "source"):
        lines.append(f"  from: {statement.source} {getattr(statement, 'at', '')}".rstrip())
    lines += [f"  on the page {path}" for path in _pages(statement.address)]
    lines.append(f"  stated at {statement.where}")
    return "\n".join(lines)


def _pages(address: str) -> list[str]:
    """Return the pages of this checkout that name an address; an installed core has none."""
    named = re.compile(rf"(?<![\w.]){re.escape(address)}(?![\w.])")
    pages = sorted((ROOT / "book" / "chapters").glob("*.md")) if address else []
    return [f"chapters/{p.stem}.html" for p in pages if named.search(p.read_text("utf-8"))]


def value(formula: Formula, found: Quantity) -> str:
    """Return what a formula gives as text in the unit in which pages show it."""
    unit = natural_unit(found, formula.lhs.shown)
    return f"{formula.lhs.name} = {quantity_text(found, unit)}"


def _meaning(statement: Any) -> str:
    letter = getattr(statement, "lhs", statement)
    unit = f" [{letter.shown or '1'}]" if hasattr(letter, "shown") else ""
    return f"{getattr(letter, 'meaning', getattr(statement, 'title', ''))}{unit}"


def _equation(formula: Formula) -> str:
    names = {v.name: v.name for v in formula.inputs}
    return f"{formula.lhs.name} {formula.relation} {printing.line(formula.shown).format(**names)}"
