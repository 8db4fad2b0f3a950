"""Check everything the book states, and count it: the table behind `python -m mathcore verify`.

A chapter that cannot be imported fails with the line that is wrong; the others are still checked.
Exercises and examples were checked when they were declared; here the simulations run, the browser
code is generated, and the numbers of the pages are counted.
"""

import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from mathcore import census, library, refusals, remembering, sources
from mathcore.chance import Simulation
from mathcore.claims import VERDICTS as CLAIMS
from mathcore.claims import Claim
from mathcore.derivations import Derivation
from mathcore.errors import ROOT, MathcoreError
from mathcore.exercises import Exercise
from mathcore.explorers import Explorer
from mathcore.facts import Fact
from mathcore.formulas import Formula
from mathcore.javascript import chapter_script
from mathcore.questions import Question
from mathcore.variables import Variable
from mathcore.worked import Example

VERDICTS = ("proved", "sampled", "approximate", "assumed")
KINDS = {
    "examples": Example,
    "exercises": Exercise,
    "facts": Fact,
    "questions": Question,
    "explorers": Explorer,
    "simulations": Simulation,
}


@dataclass
class Report:
    """What was found: totals by chapter, failures as `file:line: what`, and the seconds it took."""

    chapters: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)
    sampled: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def totals(self):
        """Return the sums over all chapters, nested as `--json` writes them."""
        total = _empty()
        for counts in self.chapters.values():
            for key, value in counts.items():
                if isinstance(value, dict):
                    total[key] = {k: total[key][k] + v for k, v in value.items()}
                else:
                    total[key] += value
        return total

    def as_dict(self):
        """Return the report as JSON-able data."""
        return {
            **self.totals,
            "chapters": self.chapters,
            "sampled_steps": self.sampled,
            "failures": self.failures,
            "seconds": round(self.seconds, 2),
        }


def _empty():
    return {
        "formulas": 0,
        "derived": 0,
        "steps": dict.fromkeys(VERDICTS, 0),
        **dict.fromkeys(KINDS, 0),
        "bad_inputs": 0,
        "claims": dict.fromkeys(CLAIMS, 0),
        "numbers": {"computed": 0, "cited": 0, "free": 0},
    }


def verify(pages=census.PAGES):
    """Check every chapter module and every page, and return the Report.

    What was found before for the same sources is taken over, unless `remembering` distrusts.
    """
    report, begun = Report(), time.perf_counter()
    for name in library.chapter_names():
        found = remembering.recalled(
            "chapter", sources.chapter_checksum(name), partial(_chapter, name), _held
        )
        report.chapters[name] = found["counts"]
        report.failures += found["failures"]
        report.sampled += found["sampled"]
    for page in census.pages(pages):
        checksum = sources.checksum(f"{page}\n" + page.read_text(encoding="utf-8"))
        found = remembering.recalled("page", checksum, partial(_page, page), _held)
        report.chapters.setdefault(page.stem.replace("-", "_"), _empty())["numbers"] = found["numbers"]
        report.failures += [text for text in found["failures"] if text not in report.failures]
    report.seconds = time.perf_counter() - begun
    return report


def _held(found):
    return not found["failures"]


def _chapter(name):
    """Return what is to be said of a chapter: counts, failures, steps that are only sampled."""
    found = {"counts": _empty(), "failures": [], "sampled": []}
    try:
        _check_chapter(name, found)
    except Exception as error:  # a chapter may fail in any way; the others are still checked
        found["failures"].append(_placed(error, name))
    return found


def _check_chapter(name, found):
    counts, failures = found["counts"], found["failures"]
    entities = list(library.chapter_entities(name))
    failures += _double_letters(entities)
    for address, entity in entities:
        for kind, cls in KINDS.items():
            counts[kind] += isinstance(entity, cls)
        if isinstance(entity, Formula):
            counts["formulas"] += 1
            counts["derived"] += entity.derivation is not None
            tried, let_in = refusals.failures(entity)
            counts["bad_inputs"] += tried
            failures += let_in
        elif isinstance(entity, Derivation):
            verdicts = Counter(step.verdict.name for step in entity.steps)
            counts["steps"] = {v: counts["steps"][v] + verdicts[v] for v in VERDICTS}
            found["sampled"] += [f"{s.where}: {address}" for s in entity.steps if s.verdict.name == "sampled"]
        elif isinstance(entity, Claim):
            counts["claims"][entity.verdict] += 1
        elif isinstance(entity, Simulation) and not entity.passed:
            failures.append(
                f"{entity.where}: {address}: the simulation gives {entity.value:.6g~} ± {entity.error:.2g~}, "
                f"the formula {entity.exact:.6g~}: one of the two is wrong"
            )
    chapter_script(name)


def _double_letters(entities):
    seen, failures = {}, []
    for address, entity in entities:
        if isinstance(entity, Variable):
            for mark in dict.fromkeys((entity.name, entity.tex)):
                first = seen.setdefault(mark, address)
                if first != address:
                    failures.append(
                        f"{entity.where}: {address}: the letter {mark} already means {first}: choose another"
                    )
    return failures


def _page(page):
    """Return the count of a page's numbers, and what is wrong with them."""
    numbers = {"computed": 0, "cited": 0, "free": 0}
    try:
        found = census.count(page)
        numbers = {"computed": found.computed, "cited": found.cited, "free": len(found.free)}
        return {"numbers": numbers, "failures": census.complaints(page)}
    except Exception as error:  # the chapter behind an address may fail in any way
        return {"numbers": numbers, "failures": [_placed(error, page.stem.replace("-", "_"))]}


def _placed(error, name):
    if isinstance(error, MathcoreError) and error.place:
        return str(error)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "mathcore/chapters/" in f.filename]
    if frames:
        name = frames[-1].filename.rpartition("/")[2].removesuffix(".py")
    line = frames[-1].lineno if frames else getattr(error, "lineno", 1) or 1
    return f"mathcore/chapters/{name}.py:{line}: {type(error).__name__}: {error}"


def table(report):
    """Return the report as a table for the terminal."""
    head = [
        "chapter",
        "formulas",
        "derived",
        *VERDICTS,
        "facts",
        "examples",
        "exercises",
        "claims",
        "simul.",
        "comp.",
        "cited",
        "free",
    ]
    rows = [[name, *_cells(counts)] for name, counts in report.chapters.items()]
    rows.append(["total", *_cells(report.totals)])
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(
            str(c).ljust(w) if i == 0 else str(c).rjust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in [head, *rows]
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    lines.insert(-1, lines[1])
    state = f"{len(report.failures)} failed" if report.failures else "everything holds"
    return "\n".join([*lines, "", f"{state}, in {report.seconds:.1f} s"])


def _cells(counts):
    return [
        counts["formulas"],
        counts["derived"],
        *(counts["steps"][v] for v in VERDICTS),
        counts["facts"],
        counts["examples"],
        counts["exercises"],
        sum(counts["claims"].values()),
        counts["simulations"],
        *counts["numbers"].values(),
    ]


def known_citations():
    """Return the keys of `book/references.bib`."""
    path = ROOT / "book" / "references.bib"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return {line.split("{", 1)[1].rstrip(",\n ") for line in text.splitlines() if line.startswith("@")}
