"""Content hashes of statements, which include everything that a statement depends on.

A page is up to date as long as the content hashes of its statements are unchanged, whatever else has changed in their
chapters. A text may name a statement by its address, as a claim names its formula; that statement is included. The line
of a declaration is not, because it moves with every line above it.
"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping

import sympy

from mathbook import cache, code_references
from mathcore import Formula, MathcoreError, UnknownAddress, Variable
from mathcore.library import book, find
from mathcore.measured import Dataset
from mathcore.statements import Statement
from mathcore.teaching.grammar import ADDRESS

VARIABLE_FIELDS = ("name", "unit", "meaning", "display_unit", "tex", "low", "high", "assumptions0")
_own_by_id = {}  # id of a statement → (the statement, which keeps the id its own, its checksum, addresses in its texts)
_with_references_by_id = {}  # id of such a statement → its checksum with all that its texts name


def hash_at(address):
    """Return the content hash of the statement at `address`, or at its longest prefix; `'missing'` if there is none."""
    stands = _statement_at(address)
    return "missing" if stands is None else hash_of(*stands)


def cached_hash(address):
    """Return `hash_at(address)`, memoized by the hash of the chapter.

    >>> cached_hash("young_daly.act_one") == hash_at("young_daly.act_one")
    True
    """
    return memoize_by_chapter(f"digest {address}", book.split(address)[0], functools.partial(hash_at, address))


def memoize_by_chapter(key, chapter, compute):
    """Return the text of `compute`, stored under `key` and the hash of `chapter`, which need not be loaded."""
    if chapter.partition(".")[0] not in cache.chapter_files():
        return compute()
    key = f"{key} {_sources(chapter)}"
    found = cache.statements().get(key)
    if found is None:
        found = cache.statements()[key] = compute()
    return found


@functools.cache
def _sources(chapter):
    """Return the hash of the sources of a chapter, computed once per process."""
    return cache.chapter_checksum(chapter)


def memoize_json(kind, statement, compute):
    """Return the JSON value of `compute`, stored under `kind` and the content hash of `statement`.

    >>> memoize_json("name", find("young_daly.interval"), lambda: ["tau"])
    ['tau']
    """
    key = f"{kind} {hash_of(statement)}"
    found = cache.statements().get(key)
    if found is None:
        found = cache.statements()[key] = json.dumps(compute())
    return json.loads(found)


def hash_of(value):
    """Return the content hash of a statement or any other value, including the statements that its texts name.

    >>> a, b = (Variable("a", "s", meaning) for meaning in ("a time", "another"))
    >>> hash_of(a) == hash_of(a), hash_of(2 * a) == hash_of(2 * b), hash_of({a: "1 s"}) == hash_of({a: "2 s"})
    (True, False, False)
    """
    alone, named = _own_hash(value)
    if not named:
        return alone
    if id(value) not in _own_by_id:
        return _hash_with_references(alone, named)
    if id(value) not in _with_references_by_id:
        _with_references_by_id[id(value)] = _hash_with_references(alone, named)
    return _with_references_by_id[id(value)]


def _hash_with_references(alone, named):
    """Return the hash of the hash `alone` and of all statements that are named, recursively."""
    hashes = {}
    while pending := named - hashes.keys():
        for address in pending:
            hashes[address], more = _own_hash_at(address)
            named |= more
    return _sha256([alone, sorted(hashes.items())])


def _own_hash_at(address):
    """Return `_own_hash` of the statement at `address`, or at its longest prefix."""
    stands = _statement_at(address)
    return ("missing", frozenset()) if stands is None else _own_hash(*stands)


def _statement_at(address):
    """Return the statement at the longest prefix of `address` as a tuple of one, or None."""
    part = address
    while part.count(".") > 1 and not code_references.exists(part):  # `find` would compute suggestions, which is slow
        part = part.rpartition(".")[0]
    try:
        return (find(part),) if "." in part else None
    except UnknownAddress:
        return None


def _own_hash(value):
    """Return the hash of a value without its references, and the addresses that its texts name."""
    if isinstance(value, sympy.Basic) and not isinstance(value, Variable):
        return _expression_hash(value), frozenset()
    if not isinstance(value, (Statement, Variable)):
        named = set()
        return _sha256(_parts(value, named)), frozenset(named)
    if id(value) not in _own_by_id:
        named = set()
        _own_by_id[id(value)] = value, _sha256(_parts(value, named)), frozenset(named)
    return _own_by_id[id(value)][1:]


def _sha256(parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _parts(value, named):
    """Return nested texts that distinguish a value from every other one; addresses in them are added to `named`."""
    if isinstance(value, Variable):
        return [str(getattr(value, name)) for name in VARIABLE_FIELDS]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if _is_content(field.name, value)]
        fields = [(name, _part_hash(getattr(value, name), named)) for name in names]
        return [type(value).__name__, getattr(value, "address", ""), fields, _measured_rows(value, named)]
    if isinstance(value, Mapping):
        return [(_part_hash(key, named), _part_hash(each, named)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [_part_hash(each, named) for each in value]
    if callable(value):
        return _function_source(value)
    if isinstance(value, str):
        named |= {found[0] for found in ADDRESS.finditer(value) if found[0].partition(".")[0] in book.names()}
    return [type(value).__name__, repr(value)]


@functools.cache
def _expression_hash(expression):
    """Return the hash of an expression, memoized because the steps of a derivation share most subexpressions."""
    if isinstance(expression, Variable):
        return _own_hash(expression)[0]
    parts = [_expression_hash(part) for part in expression.args] or sympy.srepr(expression)
    return _sha256([type(expression).__name__, parts])


def _is_content(name, value):
    """Return whether a field is content: neither the location nor a step's checker, which follows from the rest."""
    return name != "where" and not (name == "judge" and callable(value.judge))


def _part_hash(value, named):
    found, more = _own_hash(value)
    named |= more
    return found


def _measured_rows(value, named):
    """Return the rows of a Dataset; add the comparisons of a Formula, which contain the formula, to `named`."""
    try:
        if isinstance(value, Formula):
            named |= {comparison.address for comparison in value.measured}
        return str((value.rows, value.systems)) if isinstance(value, Dataset) else ""
    except MathcoreError as error:  # reported by verify
        return str(error)


@functools.cache
def _function_source(function):
    """Return the name of a function and, if it is defined in a chapter, the hash of that chapter."""
    package, _, module = function.__module__.partition(f"{book.package}.")
    own = not package and module.partition(".")[0] in cache.chapter_files()
    return [function.__qualname__, cache.chapter_checksum(module) if own else ""]
