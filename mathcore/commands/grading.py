"""Grade ledgers that readers hand in: every verdict is computed anew, none is read from the file.

`python -m mathcore grade FILE|FOLDER …` writes one line for each ledger, lab and context as CSV: how many
predictions were right the first time, how far the guesses were off, how many reasons were given, and what
was refused with the cause.
"""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, TextIO

from mathcore import units
from mathcore.errors import ArgumentError, MathcoreError
from mathcore.library import Library
from mathcore.redirects import successor
from mathcore.symbols import Variable
from mathcore.teaching import Calculator, Exercise, Lab, Question, answer_parser
from mathcore.teaching.calculators import LOSS_TOLERANCE, Choice, Slider
from mathcore.types import AnyDict
from mathcore.units import Quantity

VERSION = 3
FORMER = 2  # that of 0.1.0: old addresses, and options by their place alone
COLUMNS = ("file", "name", "course", "lab", "context", "asked", "answered", "right_first", "reasons",
           "guesses", "median_factor", "score", "refused")  # fmt: skip
EARLIEST = datetime(2024, 1, 1, tzinfo=UTC)  # no lab is older
CLOSE = 2.0  # a guess within this factor counts in full, one beyond its square not at all


@dataclass
class Mark:
    """What one reader did in one context of a lab, as counts."""

    asked: int
    answered: int = 0
    right: int = 0
    reasons: int = 0
    factors: list[float] = field(default_factory=list)
    worth: float = 0.0
    refused: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        """Return the share of the points that can be had: one for each part that is asked."""
        return (self.right + self.worth) / self.asked if self.asked else 0.0


def _guess_credit(factor: float) -> float:
    """Return the points of a guess that is off by a factor.

    >>> _guess_credit(1.5), _guess_credit(4.0), round(_guess_credit(2 * 2**0.5), 3)
    (1.0, 0.0, 0.5)
    """
    return min(1.0, max(0.0, 2 - math.log(max(factor, 1.0)) / math.log(CLOSE)))


def _loss_credit(loss: float) -> float:
    """Return the points of a setting on a curve that loses this share more than the best: none from twice as much.

    >>> _loss_credit(0.05), _loss_credit(1.0), round(_loss_credit(0.5), 3)
    (1.0, 0.0, 0.535)
    """
    return min(1.0, max(0.0, (1 - loss) / (1 - LOSS_TOLERANCE)))


def read_ledger(path: Path, renamed: Mapping[str, str]) -> AnyDict:
    """Return the entries of a ledger, of one of 0.1.0 under the addresses of now, by `renamed`: `{old: new}`.

    Raises: ArgumentError with the file and the cause.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArgumentError(f"{path}: no ledger can be read: {error}", code="unreadable", got=path) from None
    known = isinstance(data, dict) and data.get("version") in (FORMER, VERSION)
    if not known or not isinstance(data.get("entries"), dict):
        message, hint = f"{path}: this is no ledger of version {VERSION}", "export it anew from the book's page"
        raise ArgumentError(message, code="syntax", got=path, expected=f"a ledger of version {VERSION}", hint=hint)
    entries: AnyDict = data["entries"]
    return entries if data["version"] == VERSION else {successor(old, renamed): entry for old, entry in entries.items()}


def grade_entries(library: Library, entries: AnyDict) -> Iterator[tuple[Lab, str, Mark]]:
    """Yield the points of each lab and context in which an answer was committed."""
    for _, lab in library.walk():
        if isinstance(lab, Lab):
            asked = [part for part in lab.parts if not isinstance(part, Calculator) or part.commit]
            made = {part: _commitment_of(entries.get(part.address)) for part in asked}
            for context in dict.fromkeys(_context_name(each) for all_ in made.values() for each in all_):
                mark = Mark(len(asked))
                for part, all_ in made.items():
                    _count_commitment(mark, lab, part, [each for each in all_ if _context_name(each) == context])
                yield lab, context, mark


def _commitment_of(entry: object) -> list[AnyDict]:
    made = entry.get("made") if isinstance(entry, dict) else None
    return [each for each in made if isinstance(each, dict)] if isinstance(made, list) else []


def _context_name(made: AnyDict) -> str:
    """Return the name of a commitment's context; another value than a text becomes one, which no lab has."""
    context = made.get("context", "")
    return context if isinstance(context, str) else json.dumps(context)


def _count_commitment(mark: Mark, lab: Lab, part: Question | Exercise | Calculator, made: list[AnyDict]) -> None:
    """Check the first commitment to a part, and add it to the mark."""
    if not made:
        return
    mark.answered += 1
    mark.reasons += bool(str(made[0].get("reason") or "").strip())
    try:
        _check_context(lab, made[0])
        _check_dates(made)
        if isinstance(part, Question):
            mark.right += _is_right_choice(part, made[0])
        else:
            factor, worth = _grade_guess(part, made[0]) if isinstance(part, Exercise) else _grade_slider(part, made[0])
            mark.factors.append(factor)
            mark.worth += worth
    except MathcoreError as error:
        mark.refused.append(f"{part.address}: {error.message}")
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        mark.refused.append(f"{part.address}: {type(error).__name__} {error}: the entry is damaged")


# What refuses a commitment, here and in book/_static/mc-lab.js; tests/ledger_rules.py holds both to it.


def _check_context(lab: Lab, made: AnyDict) -> None:
    """Check that the lab has the context; ledgers of the first version, renewed since, have none."""
    context = _context_name(made)
    if context and context not in lab.contexts:
        known = ", ".join(lab.contexts)
        message = f"there is no context `{context}`; the lab has {known}"
        raise ArgumentError(message, code="not-a-choice", got=context, expected=known)


def _check_dates(made: list[AnyDict]) -> None:
    """Check that commitments of a context lie after the start of 2024, not in the future, and in order."""
    days = [_commitment_time(each) for each in made]
    first, latest = days[0], datetime.now(UTC) + timedelta(days=1)
    for when in days:
        if not EARLIEST < when < latest:
            which = "has not come yet" if when >= latest else "was before the labs"
            message, wanted = f"it is dated {when.date()}, which {which}", "a day since 2024 that has come"
            raise ArgumentError(message, code="out-of-range", got=when.date(), expected=wanted)
    if days != sorted(days):
        message = f"it is dated {first.date()}, and its commitments are not in the order of their dates"
        raise ArgumentError(message, code="inconsistent", got=first.date(), expected="dates in order")


def _commitment_time(made: AnyDict) -> datetime:
    when = datetime.fromisoformat(str(made["when"]).replace("Z", "+00:00"))
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _check_words(question: Question, made: AnyDict, chosen: int, state: dict[Variable, Quantity]) -> None:
    """Check that the words of a choice are not the words of another option; words edited since then pass."""
    words = str(made.get("says", "")).partition(": ")[2]
    texts = [question.text(index, state)[0] for index in range(len(question.options))]
    if words in texts and words != texts[chosen]:
        message = f"it says “{words}”, and the choice is “{texts[chosen]}”"
        raise ArgumentError(message, code="inconsistent", got=words, expected=texts[chosen])


def _check_control(name: str, control: Slider | Choice, value: float) -> None:
    """Check that an input of a calculator can have a value, given in its own unit."""
    if not control.accepts(round(value, 9)):
        raise ArgumentError(f"{name} cannot be {value:g} {control.unit}".strip(), code="out-of-range", got=value)


def _is_right_choice(question: Question, made: AnyDict) -> bool:
    """Return whether the option was right with the numbers of its moment, which must be on the sliders."""
    index, at = question.place(made.get("option"), made.get("choice")), made.get("at") or {}
    controls = {s.variable: s for s in question.calculator.sliders} if question.calculator else {}
    state = {}
    for symbol in question.givens:
        if symbol.name in at:
            state[symbol] = value = symbol.quantity(float(at[symbol.name]))
            if control := controls.get(symbol):
                _check_control(symbol.name, control, float(value.m_as(units.unit(control.unit))))
            elif not symbol.admits(value.magnitude):
                raise ArgumentError(f"{symbol.name} cannot be {value.magnitude:g}", code="out-of-range", got=f"{value}")
    _check_words(question, made, index, state)
    return question.right_at(state) == index


def _grade_guess(exercise: Exercise, made: AnyDict) -> tuple[float, float]:
    """Return the factor by which a typed answer is off, and its points."""
    seed = made.get("seed") or 0
    given = answer_parser.parse_answer(str(made["answer"]))
    factor = _off_by_factor(float((given / exercise.answer_of(int(seed))).to("").magnitude))
    return factor, _guess_credit(factor)


def _grade_slider(calculator: Calculator, made: AnyDict) -> tuple[float, float]:
    """Return the factor by which a slider was off from its optimum, and its points by the loss."""
    commit: Any = calculator.commit  # only what has one is graded
    (symbol, _, loss), at = commit, made["at"]
    for control in calculator.sliders:
        _check_control(control.variable.name, control, float(at[control.variable.name]))
    state = {s.variable: Quantity(float(at[s.variable.name]), units.unit(s.unit)) for s in calculator.sliders}
    best = calculator.optimum(state)
    lost = [loss.evaluate({**{v: state[v] for v in loss.inputs}, symbol: here})[0] for here in (state[symbol], best)]
    more = float((lost[0] / lost[1]).to("").magnitude) - 1
    return _off_by_factor(float((state[symbol] / best).to("").magnitude)), _loss_credit(more)


def _off_by_factor(ratio: float) -> float:
    if not math.isfinite(ratio) or ratio <= 0:
        return math.inf
    return max(ratio, 1 / ratio)


def grade_rows(library: Library, paths: Iterable[Path]) -> Iterator[AnyDict]:
    """Yield one row for each ledger, lab and context; folders stand for the `*.json` in them.

    Raises: ArgumentError for a file that is no ledger.
    """
    for path in paths:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            try:
                entries = read_ledger(file, library.redirects)
            except ArgumentError as error:  # the others are graded nevertheless
                yield {"file": file.name, "refused": error.message}
                continue
            reader = entries["reader"] if isinstance(entries.get("reader"), dict) else {}
            about = {"file": file.name, "name": reader.get("name", ""), "course": reader.get("course", "")}
            for lab, context, mark in grade_entries(library, entries):
                yield about | {
                    "lab": lab.title, "context": context, "asked": mark.asked, "answered": mark.answered,
                    "right_first": mark.right, "reasons": mark.reasons, "guesses": len(mark.factors),
                    "median_factor": f"{median(mark.factors):.3g}" if mark.factors else "",
                    "score": f"{mark.score:.2f}", "refused": "; ".join(mark.refused),
                }  # fmt: skip


def write_grades(library: Library, paths: Iterable[Path], file: TextIO) -> None:
    """Write the grades as CSV."""
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _escape_formula(cell) for key, cell in row.items()} for row in grade_rows(library, paths))


def _escape_formula(cell: object) -> object:
    """Return a cell in UTF-8 that no spreadsheet takes for a formula: such a text begins with an apostrophe.

    >>> _escape_formula("=cmd()"), _escape_formula("Ada"), _escape_formula(-3)
    ("'=cmd()", 'Ada', -3)
    """
    if isinstance(cell, str):
        cell = cell.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair has no encoding
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip().startswith(("=", "+", "-", "@")) else cell
