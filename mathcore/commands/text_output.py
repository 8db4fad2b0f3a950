"""Statements as text for a terminal: a line in a list, or all details."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from mathcore import printing
from mathcore.commands import missing_dependency
from mathcore.decisions import Decision
from mathcore.errors import ArgumentError, MathcoreError, nearest
from mathcore.examples import given_text
from mathcore.formulas import Formula
from mathcore.library import Library
from mathcore.measured import Comparison
from mathcore.steps import Step
from mathcore.symbols import Variable
from mathcore.types import AnyOf
from mathcore.units import natural_unit, quantity, quantity_text

if TYPE_CHECKING:
    from mathcore.solution import Solution

MAX_LINE = 160  # of a line in a list; `show` has the whole


def summary_line(statement: AnyOf) -> str:
    """Return address, kind and meaning in one line of a list, cut where it is too long to be read.

    >>> from mathcore import find
    >>> summary_line(find("young_daly.interval"))
    "young_daly.interval  formula  Young's interval [min]  tau_Y = √(2 · C · M)"
    """
    line = _full_summary(statement, missing=False)
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…"


def _full_summary(statement: AnyOf, missing: bool = True) -> str:
    parts = [statement.address, _kind_text(statement), _meaning_text(statement)]
    if hasattr(statement, "lhs"):
        parts.append(_equation_text(statement))
    elif _has_value(statement) or isinstance(statement, Decision):
        parts.append(_value_or_reason(statement.text, missing))
    return "  ".join(part for part in parts if part)


def _kind_text(statement: object) -> str:
    return type(statement).__name__.lower()


def _has_value(statement: object) -> bool:
    """Return whether a statement has a value, without computing it."""
    return hasattr(type(statement), "text") and hasattr(type(statement), "value")


def _value_or_reason(compute: Callable[[], str], missing: bool = True) -> str:
    """Return the text of a statement, or why it has none, so that a list does not end with the first one that fails.

    Unless `missing`, a package that is not installed is not mentioned: a list of hits does not need it.
    """
    try:
        return compute()
    except ModuleNotFoundError as error:
        return f"no value: {missing_dependency(error)}" if missing else ""
    except MathcoreError as error:
        return f"no value: {error.message}"


def details_text(statement: AnyOf) -> str:
    """Return the details of a statement as text: symbols, units, conditions, derivation."""
    lines = [_full_summary(statement), *_basis_lines(statement)]
    for symbol in getattr(statement, "inputs", ()):
        alias = f" ({symbol.alias})" if symbol.alias else ""
        lines.append(f"  {symbol.name}{alias}: {symbol.meaning} [{symbol.display_unit or '1'}], {symbol.range_text()}")
    lines += [f"  {text}" for text in _decision_lines(statement)]
    lines += [f"  holds for: {text}" for text in getattr(statement, "conditions", ())]
    lines += [f"  {text}" for text in _measurement_lines(statement)]
    derivation = getattr(statement, "derivation", None) or statement
    lines += [f"  {_step_line(step)}" for step in getattr(derivation, "steps", ())]
    if getattr(statement, "source", ""):
        lines.append(f"  from: {statement.source} {getattr(statement, 'at', '')}".rstrip())
    lines.append(f"  stated at {statement.where}")
    return "\n".join(lines)


def _step_line(step: Step) -> str:
    """Return a step of a derivation as one line: its verdict, both sides, its reason."""
    why = re.sub(r"\$([^$]+)\$", lambda tex: tex[1].replace("\\,", " ").replace("\\", ""), step.why)
    return f"[{step.verdict.name}] {step_equation(step)}    {why} ({step.verdict.detail})"


def step_equation(step: Step) -> str:
    """Return both sides of a step as one line of text.

    >>> from mathcore import find
    >>> [step_equation(step) for step in find("young_daly.interval").derivation.steps[1:3]]
    ['dw / dtau = 1 / (2 · M) − C / (tau)²', 'tau_Y = √(2 · C · M)']
    """
    symbols = {v.name: v.name for v in step.left.atoms(Variable) | step.display_form.atoms(Variable)}
    left, right = (printing.to_text(side).format(**symbols) for side in (step.left, step.display_form))
    return f"{left} {step.relation} {right}{step.suffix}"


def _basis_lines(statement: AnyOf) -> Iterator[str]:
    """Yield the formula of an example or an exercise, and its inputs."""
    formula = getattr(statement, "formula", None)
    if not isinstance(formula, Formula):
        return
    yield f"  by {formula.label}: {_equation_text(formula)}"
    if hasattr(type(statement), "givens"):
        yield f"  {_value_or_reason(lambda: _givens_text(statement))}"


def _givens_text(statement: AnyOf) -> str:
    """Return the givens, one on a line, each with the address of the statement that it comes from."""
    homes = {symbol: f" ({given.address})" for symbol, given in statement.facts.items() if given.address}
    lines = [
        f"given {symbol.name} = {given_text(quantity(given))}, {symbol.meaning}{homes.get(symbol, '')}"
        for symbol, given in statement.givens.items()
    ]
    return "\n  ".join(lines) or "nothing is given"


def _decision_lines(statement: object) -> Iterator[str]:
    """Yield the lines of a decision at the book's inputs."""
    if isinstance(statement, Decision):
        yield from _value_or_reason(lambda: solution_text(statement.solve())).splitlines()


def solution_text(solution: "Solution") -> str:
    """Return a solved decision: the sentence, its options, what would change it, and shares of the joint range."""
    decision, removed = solution.decision, solution.removed
    feasible, count = int(solution.feasible.sum()), len(solution.options)
    target = decision.name_of(decision.target)
    head = ["option", target, "worse by", *map(decision.name_of, decision.columns), "result", "violates"]
    rows = [[r.label, r.value_text, r.loss_text, *r.column_texts, r.status, r.reason] for r in solution.table()]
    lines = [decision.question, solution.sentence(), f"{feasible} of {count} options are feasible."]
    lines += [f"  {name}: {each} violate it, {alone} nothing else" for name, (each, alone) in removed.items()]
    lines += [f"outside its range of validity: {text}" for text in solution.doubts(solution.ranking[0])]
    lines += ["", *_align_columns([head, *rows]), "", *_sensitivity_lines(solution)]
    if robustness := solution.robustness:
        shares = robustness.middle or "; ".join(f"{each.label} {each.wins:.0%}" for each in robustness.winners[:4])
        samples = f"{robustness.samples} samples{', 90 % of them' * bool(robustness.middle)}"
        lines += ["", f"best in the joint range, {samples}: {shares}"]
        for name, each in (("best", robustness.best), ("proposed", robustness.proposed)):
            regret = each and f"{solution.loss_text(each.mean)} on average, {solution.loss_text(each.p95)} at p95"
            missed = f" if it is feasible; it is not in {each.infeasible:.0%}" if each and each.infeasible else ""
            lines += [f"regret of the {name} option: {regret}{missed}"] if each else []
    return "\n".join(lines)


def _sensitivity_lines(solution: "Solution") -> list[str]:
    """Return what would change a decision as lines of a table."""
    rows = [["name", "input", "today", "range", "changes at", "regret at the ends", "source"]]
    for change in solution.changes:
        crossings = [f"{c.text} to {c.to}" + " (outside)" * (not c.inside) for c in change.crossings]
        listed = "; ".join(crossings) or f"no change from {change.searched[0]} to {change.searched[1]}"
        ends = ", ".join(change.losses)
        meaning, between = solution.decision.name_of(change.symbol), " to ".join(change.range)
        rows.append([change.symbol.name, meaning, change.value, between, listed, ends, change.source])
    return _align_columns(rows) if len(rows) > 1 else []


def _align_columns(rows: list[list[str]]) -> list[str]:
    """Return rows of cells with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _measurement_lines(statement: object) -> Iterator[str]:
    """Yield the errors of a formula on measured systems, or the result of a comparison."""
    if isinstance(statement, Formula):
        for case in statement.measured:
            yield f"{_value_or_reason(case.text)} ({case.address}: {case.system})"
        if not statement.measured:
            yield "not measured"
    if isinstance(statement, Comparison):
        yield _value_or_reason(statement.text)
        yield _value_or_reason(statement.elsewhere)
        yield from (f"{name} = {parameter}" for name, parameter in statement.fitted_parameters.items())


def value_text(statement: AnyOf, given: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the value of a formula as text in its display unit, and warnings of its validity.

    An example or a fact has its value already, and takes no arguments.

    Raises: ArgumentError for a statement without a value, and for arguments of one that takes none.
    """
    if isinstance(statement, Formula):
        result, cautions = statement.evaluate(given)
        unit = natural_unit(result, statement.lhs.display_unit)
        return f"{statement.lhs.name} = {quantity_text(result, unit)}", [f"{statement.label}: {c}" for c in cautions]
    kind = _kind_text(statement)
    message = f"{statement.address} is no formula, but {'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    if not _has_value(statement):
        hint = f"`show {statement.address}` says what is stated of it"
        raise ArgumentError(message, code="not-a-formula", got=statement.address, expected="a formula", hint=hint)
    if given:
        formula = getattr(getattr(statement, "formula", None), "address", "")
        message = f"{message}, whose value is stated, so it takes no arguments"
        hint = f"give them to its formula, {formula}" if formula else ""
        raise ArgumentError(message, code="no-arguments", got=", ".join(given), hint=hint)
    return f"{statement.address} = {statement.text()}", []


def contents_text(library: Library, names: list[str]) -> str:
    """Return the titles of modules, or all that a single one states with the titles of those in its folder."""
    if names and names == library.modules(names[0]):
        summaries = [
            summary_line(each) for address, each in library.statements(names[0]) if not address.endswith(".derivation")
        ]
        inner = [f"{name}  {library.title(name)}" for name in names[1:]]
        return "\n".join([f"{names[0]}  {library.title(names[0])}", *(f"  {each}" for each in summaries), *inner])
    return "\n".join(f"{name}  {library.title(name)}" for name in names)


def no_match_text(library: Library, words: str) -> str:
    """Return the message of a search without results, with the nearest word that has some."""
    text = " ".join(f"{address} {_meaning_text(each)}" for address, each in library.walk())
    known = set(re.findall(r"[^\W\d_]{3,}", text.lower().replace("_", " ")))
    near = [nearest(word, known) for word in words.lower().split() if word not in known]
    return "; ".join(filter(None, [f"nothing is called that: {words}", *near]))


def _meaning_text(statement: object) -> str:
    symbol = getattr(statement, "lhs", statement)
    unit = f" [{symbol.display_unit or '1'}]" if hasattr(symbol, "display_unit") else ""
    return f"{getattr(symbol, 'meaning', getattr(statement, 'title', ''))}{unit}"


def _equation_text(formula: Formula) -> str:
    names = {v.name: v.name for v in formula.inputs}
    return f"{formula.lhs.name} {formula.relation} {printing.to_text(formula.display_form).format(**names)}"
