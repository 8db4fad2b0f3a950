"""What a statement says, as one checksum: itself, and everything that it is made of.

A page shows the same as long as the statements on it have the same digests, whatever else has changed in
their chapters. A text may name a statement by its address, as a claim names what computes it: what stands
there counts as well. The author's line does not count, for it moves with every line above it.
"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping

import sympy

from mathbook import cache, naming
from mathcore import Formula, MathcoreError, UnknownAddress, Variable
from mathcore.entities import Entity
from mathcore.library import book, find
from mathcore.measured import Dataset
from mathcore.teaching.expressions import ADDRESS

STATED = ("name", "unit", "meaning", "shown", "tex", "low", "high", "assumptions0")
_known = {}  # id of a statement → (the statement, which keeps the id its own, its checksum, addresses in its texts)
_whole = {}  # id of such a statement → its checksum with all that its texts name


def digest(address):
    """Return the checksum of the statement at an address, or at its longest part; a text where nothing stands there."""
    stands = _standing(address)
    return "missing" if stands is None else of(*stands)


def known(address):
    """Return what `digest` gives, remembered for as long as nothing of the chapter or of what it rests on changes.

    >>> known("young_daly.act_one") == digest("young_daly.act_one")
    True
    """
    return remembered(f"digest {address}", book.split(address)[0], functools.partial(digest, address))


def remembered(key, chapter, compute):
    """Return a text that hangs on a chapter alone, for as long as its checksum is the same; it need not be loaded."""
    if chapter.partition(".")[0] not in cache.chapter_files():
        return compute()
    key = f"{key} {_sources(chapter)}"
    found = cache.statements().get(key)
    if found is None:
        found = cache.statements()[key] = compute()
    return found


@functools.cache
def _sources(chapter):
    """Return the checksum of what a chapter is made of, as this process has loaded it."""
    return cache.chapter_checksum(chapter)


def kept(kind, statement, compute):
    """Return what was made before, as JSON knows it, of a statement that says the same.

    >>> kept("name", find("young_daly.interval"), lambda: ["tau"])
    ['tau']
    """
    key = f"{kind} {of(statement)}"
    found = cache.statements().get(key)
    if found is None:
        found = cache.statements()[key] = json.dumps(compute())
    return json.loads(found)


def of(value):
    """Return the checksum of a statement, or of anything that a chapter may name, with all that its texts name.

    >>> a, b = (Variable("a", "s", meaning) for meaning in ("a time", "another"))
    >>> of(a) == of(a), of(2 * a) == of(2 * b), of({a: "1 s"}) == of({a: "2 s"})
    (True, False, False)
    """
    alone, named = _alone(value)
    if not named:
        return alone
    if id(value) not in _known:
        return _with_named(alone, named)
    if id(value) not in _whole:
        _whole[id(value)] = _with_named(alone, named)
    return _whole[id(value)]


def _with_named(alone, named):
    """Return the checksum of what has a checksum alone, with all that its texts name, and so on."""
    met = {}
    while waiting := named - met.keys():
        for address in waiting:
            met[address], more = _at(address)
            named |= more
    return _hashed([alone, sorted(met.items())])


def _at(address):
    """Return what `_alone` gives for what stands at an address, by way of its longest part that is one."""
    stands = _standing(address)
    return ("missing", frozenset()) if stands is None else _alone(*stands)


def _standing(address):
    """Return what stands at the longest part of an address, a tuple of it alone, or None."""
    part = address
    while part.count(".") > 1 and not naming.stands(part):  # `find` would say what is near, which takes long
        part = part.rpartition(".")[0]
    try:
        return (find(part),) if "." in part else None
    except UnknownAddress:
        return None


def _alone(value):
    """Return the checksum of a value as it stands, and the addresses that its texts name."""
    if isinstance(value, sympy.Basic) and not isinstance(value, Variable):
        return _told(value), frozenset()
    if not isinstance(value, (Entity, Variable)):
        named = set()
        return _hashed(_parts(value, named)), frozenset(named)
    if id(value) not in _known:
        named = set()
        _known[id(value)] = value, _hashed(_parts(value, named)), frozenset(named)
    return _known[id(value)][1:]


def _hashed(parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _parts(value, named):
    """Return nested texts that tell a value from every other one; the addresses in them are added to `named`."""
    if isinstance(value, Variable):
        return [str(getattr(value, name)) for name in STATED]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        stated = [field.name for field in dataclasses.fields(value) if _counts(field.name, value)]
        said = [(name, _inner(getattr(value, name), named)) for name in stated]
        return [type(value).__name__, getattr(value, "address", ""), said, _measured(value, named)]
    if isinstance(value, Mapping):
        return [(_inner(key, named), _inner(each, named)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [_inner(each, named) for each in value]
    if callable(value):
        return _source(value)
    if isinstance(value, str):
        named |= {found[0] for found in ADDRESS.finditer(value) if found[0].partition(".")[0] in book.names()}
    return [type(value).__name__, repr(value)]


@functools.cache
def _told(expression):
    """Return the checksum of an expression; the steps of a derivation share most of their parts."""
    if isinstance(expression, Variable):
        return _alone(expression)[0]
    parts = [_told(part) for part in expression.args] or sympy.srepr(expression)
    return _hashed([type(expression).__name__, parts])


def _counts(name, value):
    """Tell whether a field says something: the author's line does not, nor a step's judge, made from the rest."""
    return name != "where" and not (name == "judge" and callable(value.judge))


def _inner(value, named):
    found, more = _alone(value)
    named |= more
    return found


def _measured(value, named):
    """Return the rows of a Dataset; what a formula is held against is named, for it is made of the formula."""
    try:
        if isinstance(value, Formula):
            named |= {comparison.address for comparison in value.measured}
        return str(value.rows) if isinstance(value, Dataset) else ""
    except MathcoreError as error:  # verify says so as well
        return str(error)


@functools.cache
def _source(function):
    """Return where a function comes from: of a chapter's own, the checksum of the whole chapter."""
    package, _, module = function.__module__.partition(f"{book.package}.")
    own = not package and module.partition(".")[0] in cache.chapter_files()
    return [function.__qualname__, cache.chapter_checksum(module) if own else ""]
