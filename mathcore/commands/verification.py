"""Check every statement of a library and count the verdicts: `python -m mathcore verify`.

A module that cannot be imported fails with the line that is wrong; the others are still checked. All that
does not hold is listed at once, each as `file:line: what`.
"""

import ast
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypedDict

from mathcore.checker import VERDICTS
from mathcore.commands import missing_dependency
from mathcore.errors import MathcoreError, display_path
from mathcore.formulas import FORMULA_KINDS, Derivation, Formula
from mathcore.library import Library, find
from mathcore.measured import Comparison
from mathcore.statements import Located, address_of, short_name
from mathcore.teaching.claims import CLAIM_VERDICTS, Claim
from mathcore.types import AnyDict, AnyOf, JsonObject


class Findings(TypedDict):
    """What the check of a module found: counts as in `empty_counts`, messages, and locations of sampled steps."""

    counts: AnyDict
    issues: list[str]
    sampled: list[str]


@dataclass
class Report:
    """The result of a verification: totals by module, issues as `file:line: what`, and the seconds it took.

    `unreached` are messages on statements to which nothing leads; who knows the pages finds them.
    """

    chapters: dict[str, dict] = field(default_factory=dict)
    issues: list[str] = field(default_factory=list)
    sampled: list[str] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def totals(self) -> AnyDict:
        """Return the sums over all modules, nested as `--json` writes them."""
        total = empty_counts()
        for counts in self.chapters.values():
            for key, value in counts.items():
                if isinstance(value, dict):
                    total[key] = {k: total[key].get(k, 0) + v for k, v in value.items()}
                else:
                    total[key] += value
        total["systems"] = len(set(total["systems"]))
        stale = sum(": stale: " in issue for issue in self.issues)
        return {**total, "stale": stale, "unreached": len(self.unreached)}

    def add(self, name: str, findings: Findings) -> None:
        """Add what `check_module` found in a module."""
        self.chapters[name] = findings["counts"]
        self.issues = list(dict.fromkeys([*self.issues, *findings["issues"]]))
        self.sampled += findings["sampled"]

    def as_dict(self) -> JsonObject:
        """Return the report as JSON-able data."""
        lists = {"chapters": self.chapters, "sampled_steps": self.sampled, "failures": self.issues}
        return {**self.totals, **lists, "seconds": round(self.seconds, 2)}


def empty_counts() -> AnyDict:
    """Return counts of nothing.

    Of the comparisons, `independent` counts those on the same test rows once, `fitted` those with fitted parameters,
    `as_expected` those whose error on test rows is no larger than the fitted rows lead one to expect. `systems` are
    the names of those measured, each of which counts once in the total.
    """
    kinds = ("examples", "exercises", "facts", "questions", "calculators", "labs", "decisions", "simulations")
    measured = ("datasets", "comparisons", "independent", "fitted", "as_expected", "measured")
    return {
        **dict.fromkeys(("formulas", *reversed(FORMULA_KINDS.values())), 0),
        "steps": dict.fromkeys(VERDICTS, 0),
        **dict.fromkeys((*kinds, *measured), 0),
        "claims": dict.fromkeys(CLAIM_VERDICTS, 0),
        "numbers": {"computed": 0, "cited": 0, "free": 0, "words": 0},
        "systems": [],
    }


def verify_library(library: Library, names: Iterable[str] | None = None, report: Report | None = None) -> Report:
    """Return the Report on the modules of a library, all or some, added to the report that is given.

    `print(report_table(verify_library(Library("mypackage"))))` shows it; `issues` are lines `file:line: what` of
    what does not hold.

    >>> from mathcore.library import current_library
    >>> verify_library(current_library, ["before_you_start"]).issues
    []
    """
    report, begun = report or Report(), time.perf_counter()
    for name in names or library.names():
        report.add(short_name(f"{library.package}.{name}"), check_module(library, name))
    report.seconds += time.perf_counter() - begun
    return report


def check_module(library: Library, name: str, check: Callable | None = None) -> Findings:
    """Return counts, issues and sampled steps of a module.

    `check` may replace `check_statement`, to reuse earlier results.
    """
    findings = Findings(counts=empty_counts(), issues=[], sampled=[])
    try:
        statements = library.statements(name)
    except Exception as error:  # a module may fail in any way; the others are still checked
        findings["issues"] += error_lines(error, library.folders[0], name)
        return findings
    findings["issues"] += [*_duplicate_symbols(statements), *_names_assigned_twice(library.module(name))]
    for address, statement in statements:
        try:
            (check or check_statement)(address, statement, findings)
        except ModuleNotFoundError as error:
            findings["issues"].append(f"{missing_dependency(error)}; the statement was not checked")
        except Exception as error:
            findings["issues"] += error_lines(error, library.folders[0], name)
    findings["counts"]["independent"] = _count_independent(statement for _, statement in statements)
    return findings


def _count_independent(statements: Iterable) -> int:
    """Return the number of valid Comparisons among `statements`, with those on the same test rows counted once."""
    valid = [s for s in statements if isinstance(s, Comparison) and not any(s.issues())]
    return len({(c.data.address, repr(c.split_rows.holdout)) for c in valid})


def check_statement(address: str, statement: Located, findings: Findings) -> None:
    """Add the counts, issues and sampled steps of a statement; verdicts are counted if it has no issues."""
    counts, kind = findings["counts"], f"{type(statement).__name__.lower()}s"
    if type(counts.get(kind)) is int:
        counts[kind] += 1
    text = [*getattr(statement, "issues", tuple)(), *_missing_successors(statement)]
    findings["issues"] += text
    if isinstance(statement, Formula):
        counts[FORMULA_KINDS[statement.kind]] += 1
        counts["measured"] += bool(statement.measured)
        findings["issues"] += _unneeded_drops(statement)
    elif isinstance(statement, Comparison) and not text:
        counts["fitted"] += statement.error_as_expected is not None
        counts["as_expected"] += bool(statement.error_as_expected)
        counts["systems"] += statement.systems
    elif isinstance(statement, Claim) and not text:
        counts["claims"][statement.verdict] += 1
    elif isinstance(statement, Derivation) and not text:
        verdicts = Counter(step.verdict.name for step in statement.steps)
        counts["steps"] = {v: counts["steps"][v] + verdicts[v] for v in VERDICTS}
        findings["sampled"] += [f"{s.where}: {address}" for s in statement.steps if s.verdict.name == "sampled"]


def _missing_successors(statement: Located) -> Iterator[str]:
    """Yield a message if the statement in `superseded_by` does not exist."""
    if successor := getattr(statement, "superseded_by", ""):
        try:
            find(successor)
        except MathcoreError as error:
            yield f"{statement.where}: {address_of(statement)} is superseded by `{successor}`: {error.message}"


def _unneeded_drops(formula: Formula) -> Iterator[str]:
    """Yield each dropped assumption that no substituted formula has."""
    assumed = {text for source in formula.sources for text in (*source.assumptions, *source.inherited_assumptions)}
    for text in formula.drops_assumptions:
        if text not in assumed:
            yield f"{formula.where}: {formula.label} drops `{text}`, which no substituted formula assumes"


def _names_assigned_twice(module: ModuleType) -> Iterator[str]:
    """Yield the names that a module states twice: the pages would show the second, wherever they mean the first."""
    path = Path(str(module.__file__))
    first: dict[str, int] = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for part in (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
            if (line := first.setdefault(part.id, node.lineno)) != node.lineno:
                message = f"`{part.id}` is stated in line {line} as well: give one of them another name"
                yield f"{display_path(path)}:{node.lineno}: {message}"


def _duplicate_symbols(statements: Iterable[tuple[str, AnyOf]]) -> list[str]:
    seen: dict[str, str] = {}
    issues = []
    for address, symbol in statements:
        for mark in dict.fromkeys((symbol.name, symbol.tex)) if hasattr(symbol, "tex") else ():
            if (first := seen.setdefault(mark, address)) != address:
                message = f"the symbol {mark} already means {first}: choose another"
                issues.append(f"{symbol.where}: {address}: {message}")
    return issues


def error_lines(error: Exception, folder: str, name: str) -> list[str]:
    """Return an error of any kind as lines `file:line: what`, in the module that is to blame or its data file."""
    text = str(error).split("\n")  # of a data file everything that is wrong, each with its place
    if isinstance(error, MathcoreError) and (error.where or re.match(r"\S+:\d+: ", text[0])):
        return text
    frames = [f for f in traceback.extract_tb(error.__traceback__) if str(folder) in f.filename]
    file = frames[-1].filename if frames else Path(folder) / f"{name.replace('.', '/')}.py"
    line = frames[-1].lineno if frames else getattr(error, "lineno", 1) or 1
    return [f"{display_path(file)}:{line}: {type(error).__name__}: {error}"]


HEADS = {"facts": "facts", "examples": "examples", "exercises": "exercises", "simulations": "simul."}
HEADS |= {"comparisons": "compar.", "measured": "measured", "decisions": "decis."}


def report_table(report: Report) -> str:
    """Return the report as a table for the terminal."""
    head = ["chapter", "formulas", "derived", *VERDICTS, *HEADS.values(), "claims", "comp.", "cited", "free", "words"]
    rows = [[name, *_row_cells(counts)] for name, counts in report.chapters.items()]
    rows.append(["total", *_row_cells(report.totals)])
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(_align_row(row, widths)) for row in [head, *rows]]
    lines.insert(1, "  ".join("-" * w for w in widths))
    lines.insert(-1, lines[1])
    state = f"{len(report.issues)} failed" if report.issues else "everything holds"
    return "\n".join([*lines, "", f"{state}, in {report.seconds:.1f} s"])


def _align_row(row: list, widths: list[int]) -> list[str]:
    return [str(row[0]).ljust(widths[0]), *(str(c).rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]


def _row_cells(counts: Mapping) -> list:
    kinds = [counts[kind] for kind in ("formulas", "derived")] + list(counts["steps"].values())
    kinds += [counts[kind] for kind in HEADS] + [sum(counts["claims"].values())]
    return kinds + list(counts["numbers"].values())
