"""What a statement says, as one checksum: itself, and everything that it is made of.

A page shows the same as long as the statements on it have the same digests, whatever else has changed in
their chapters. The author's line does not count, for it moves with every line above it.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping

import sympy

from mathbook import cache
from mathcore import Dataset, Formula, MathcoreError, UnknownAddress, Variable
from mathcore.entities import Entity
from mathcore.library import find

LEFT_OUT = {"where", "judge"}  # of a step, `judge` is made from what else it states
STATED = ("name", "unit", "meaning", "shown", "tex", "low", "high", "assumptions0")
_known = {}  # id of a statement → (the statement, which keeps the id its own, and its digest)


def digest(address):
    """Return the checksum of the statement at an address, or a text that says that nothing stands there."""
    try:
        return of(find(address))
    except UnknownAddress:
        return "missing"


def of(value):
    """Return the checksum of a statement, or of anything that a chapter may name.

    >>> a, b = (Variable("a", "s", meaning) for meaning in ("a time", "another"))
    >>> of(a) == of(a), of(2 * a) == of(2 * b), of({a: "1 s"}) == of({a: "2 s"})
    (True, False, False)
    """
    if isinstance(value, (Entity, Variable)):
        if id(value) not in _known:
            _known[id(value)] = value, _hashed(_parts(value))
        return _known[id(value)][1]
    return _hashed(_parts(value))


def _hashed(parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _parts(value):
    """Return nested texts that tell a value from every other one."""
    if isinstance(value, Variable):
        return [str(getattr(value, name)) for name in STATED]
    if isinstance(value, sympy.Basic):
        return [sympy.srepr(value), sorted(of(letter) for letter in value.atoms(Variable))]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        stated = [field.name for field in dataclasses.fields(value) if field.name not in LEFT_OUT]
        address = getattr(value, "address", "")
        return [type(value).__name__, address, [(name, of(getattr(value, name))) for name in stated], _measured(value)]
    if isinstance(value, Mapping):
        return [(of(key), of(each)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [of(each) for each in value]
    if callable(value):
        return _source(value)
    return [type(value).__name__, repr(value)]


def _measured(value):
    """Return what was measured of a formula, or the rows of a Dataset: what a page prints beside its own words."""
    try:
        if isinstance(value, Formula):
            return [(c.address, c.text(), c.note, str(c.gaps)) for c in value.measured]
        return str(value.rows) if isinstance(value, Dataset) else ""
    except MathcoreError as error:  # verify says so as well
        return str(error)


@functools.cache
def _source(function):
    """Return where a function comes from: of a chapter's own, the checksum of the whole chapter."""
    home, _, chapter = function.__module__.rpartition(".")
    files = cache.chapter_files() if home.endswith("chapters") else ()
    return [function.__qualname__, cache.chapter_checksum(chapter) if chapter in files else ""]
