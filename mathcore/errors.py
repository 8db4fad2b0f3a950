"""The errors of the book. Each names the culprit, what it got, what it wants, and where.

`where` finds the author's line: the innermost frame that is not engine code, so that
a message points into a chapter, a notebook cell or a test, never into the engine.
"""

import difflib
import functools
import sys
from collections.abc import Iterable
from pathlib import Path

ENGINE = Path(__file__).resolve().parent
ROOT = ENGINE.parent


class MathcoreError(ValueError):
    """Any refusal of the engine; `place` is the author's `file:line`, found unless given, or empty."""

    def __init__(self, message: str, place: str | None = None) -> None:
        self.message, self.place = message, where() if place is None else place
        super().__init__(f"{self.place}: {message}" if self.place else message)


class DeclarationError(MathcoreError):
    """Raise for a statement that may not stand in a chapter."""


class DimensionError(DeclarationError):
    """Raise when two sides, or two terms, have different dimensions."""


class StepError(DeclarationError):
    """Raise for a derivation step that is empty, false, changes nothing, is not exact, or cannot be judged."""


class Refuted(StepError):
    """Raise for a claim that a number refutes, with a counterexample."""


class ArgumentError(MathcoreError):
    """Raise for a value that may not enter an evaluation."""


class OutOfRegime(UserWarning):
    """Warn of a value that a model gives outside the range in which it may be trusted."""


class MovedAddress(DeprecationWarning):
    """Warn of an old address, which is answered with the statement at the new one."""


class UnknownAddress(MathcoreError, LookupError):
    """Raise for an address that leads to nothing; the message suggests near ones."""


def where() -> str:
    """Return `file:line` of the innermost frame outside the engine, relative to the repository if inside it.

    >>> where().rsplit(":", 1)[1].isdigit()
    True
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_engine(frame.f_code.co_filename):
        frame = frame.f_back
    name = frame.f_code.co_filename
    return f"{shown(name)}:{frame.f_lineno}" if not name.startswith("<frozen") else ""  # a shell has no author


@functools.cache
def shown(filename: str | Path) -> str:
    """Return a path as messages print it: relative to the repository when it lies inside it."""
    path = Path(filename)
    if "ipykernel_" in str(filename) or path.name.startswith("<ipython"):
        return "cell"  # a notebook's temporary file means nothing to its author
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(filename)


@functools.cache
def _is_engine(filename: str) -> bool:
    # "<string>" is code made by dataclasses, "<mathcore" is ours; chapters are the author's.
    path, made = Path(filename), filename.startswith(("<string", "<mathcore", "<frozen"))
    ours = path.is_relative_to(ENGINE) and not path.is_relative_to(ENGINE / "chapters")
    return made or ours or filename == functools.__file__


def suggestion(word: object, known: Iterable[object]) -> str:
    """Return a clause naming the nearest of the `known` words, or an empty text.

    >>> suggestion("tua", ["tau", "M"])
    ' (did you mean `tau`?)'
    """
    near = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.5)
    return f" (did you mean `{near[0]}`?)" if near else ""
