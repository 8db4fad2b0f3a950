"""The errors of the engine, each with its parts as fields: `code`, `got`, `expected`, `hint`, `where`.

`where` is the author's line: the innermost frame that is not engine code, so that a message
points into a chapter, a notebook cell or a test, never into the engine.
"""

import copyreg
import difflib
import functools
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self

ENGINE = Path(__file__).resolve().parent
ROOT = ENGINE.parent
BELOW = frozenset(("pint", "sympy", "numpy"))  # packages that call back into the engine

# What went wrong, for programs that handle errors; the message is for people and may change.
Code = Literal[
    # values and units
    "not-a-quantity", "not-a-number", "not-real", "not-finite", "not-integer", "out-of-range", "unknown-unit",
    "unit-syntax", "missing-unit", "dimension", "other-registry",
    # evaluation
    "unknown-argument", "missing-argument", "positional-argument", "repeated-argument", "no-arguments", "shape",
    "outside-domain", "no-value",
    # addresses
    "unknown-address", "unknown-module", "not-importable", "no-address", "not-a-formula",
    # declarations
    "declaration", "name", "duplicate", "missing", "unknown-key", "not-a-choice", "wrong-type", "inconsistent",
    "empty-range", "relation", "syntax", "unreadable", "circular", "unsupported",
    # steps of a derivation
    "step", "refuted", "no-reason", "no-change", "not-exact", "not-judged", "nothing-to-substitute", "no-root",
]  # fmt: skip


class MathcoreError(ValueError):
    """An error of the engine.

    `code` names what went wrong, one of `Code`; `got` is what was given, `expected` what is accepted, `hint` how to
    repair it, all as text and empty where they say nothing; `where` is the author's `file:line`, found unless given,
    or empty. `message` is the whole sentence without the place. A copy, also one from another process, is equal in
    all of them.

    >>> error = MathcoreError("unknown unit `mim`", "plan.py:3", code="unknown-unit", hint="did you mean `min`?")
    >>> str(error), error.code, error.hint
    ('plan.py:3: unknown unit `mim`; did you mean `min`?', 'unknown-unit', 'did you mean `min`?')
    """

    code: Code = "declaration"

    def __init__(
        self,
        message: str,
        where: str | None = None,
        *,
        code: Code | None = None,
        got: object = "",
        expected: object = "",
        hint: str = "",
    ) -> None:
        self.message = f"{message}; {hint}" if hint else message
        self.where = author_line() if where is None else where
        self.got, self.expected, self.hint = str(got), str(expected), hint
        self.code = code or type(self).code
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Carry the fields through copies and pickles."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    @classmethod
    def of(cls, error: "MathcoreError", where: str | None = None, context: str = "") -> Self:
        """Return an `error` as one of this class, at the line `where` and behind a `context`, with all its fields.

        >>> first = ArgumentError("no unit", "a.py:1", code="unknown-unit")
        >>> DeclarationError.of(first, "b.py:2", "slot x: ")
        DeclarationError('slot x: no unit')
        """
        other = cls.__new__(cls, f"{context}{error.message}")
        other.__dict__.update(error.__dict__)
        other.message, other.where = f"{context}{error.message}", error.where if where is None else where
        return other


class DeclarationError(MathcoreError):
    """Raise for a statement that may not stand in a chapter."""


class DimensionError(DeclarationError):
    """Raise when two sides, or two terms, have different dimensions."""

    code: Code = "dimension"


class StepError(DeclarationError):
    """Raise for a derivation step that is empty, false, changes nothing, is not exact, or cannot be judged."""

    code: Code = "step"


class Refuted(StepError):
    """Raise for a claim that a number refutes, with a counterexample."""

    code: Code = "refuted"


class ArgumentError(MathcoreError):
    """Raise for a value that may not enter an evaluation."""

    code: Code = "not-a-quantity"


class ConversionError(ArgumentError, TypeError):
    """Raise for arithmetic with quantities of different dimensions, or a conversion between them."""

    code: Code = "dimension"


class OutsideValidity(UserWarning):
    """Warn of a value that a model gives outside the range in which it may be trusted."""


class MovedAddress(DeprecationWarning):
    """Warn of an old address, which is answered with the statement at the new one."""


class UnknownAddress(MathcoreError, LookupError):
    """Raise for an address that leads to nothing; the hint suggests near ones."""

    code: Code = "unknown-address"


def author_line() -> str:
    """Return `file:line` of the innermost frame outside the engine, relative to the repository if inside it.

    >>> author_line().rsplit(":", 1)[1].isdigit()
    True
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_engine(frame.f_code.co_filename):
        frame = frame.f_back
    name = frame.f_code.co_filename
    return f"{display_path(name)}:{frame.f_lineno}" if not name.startswith("<frozen") else ""  # a shell has no author


@functools.cache
def display_path(filename: str | Path) -> str:
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
    files = [getattr(sys.modules.get(name), "__file__", None) for name in BELOW]
    below = [Path(file).parent for file in files if file]
    return made or ours or filename == functools.__file__ or any(map(path.is_relative_to, below))


def nearest(word: object, known: Iterable[object]) -> str:
    """Return a question after the nearest of the `known` words, or an empty text.

    >>> nearest("tua", ["tau", "M"])
    'did you mean `tau`?'
    """
    near = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.5)
    return f"did you mean `{near[0]}`?" if near else ""
