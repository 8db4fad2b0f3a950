"""Content hashes of statements, which include everything that a statement depends on.

A page is up to date as long as the content hashes of its statements are unchanged, whatever else has changed in their
chapters. A text may name a statement by its address, as a claim names its formula; that statement is included. The line
of a declaration is not, because it moves with every line above it.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import sympy

from mathbook import cache, code_references
from mathbook.chapter_sources import chapter_files, hash_of_chapter
from mathcore import Formula, MathcoreError, UnknownAddress, Variable
from mathcore.library import current_library, find
from mathcore.measured import Dataset
from mathcore.statements import Statement
from mathcore.teaching.grammar import ADDRESS

VARIABLE_FIELDS = ("name", "unit", "meaning", "display_unit", "tex", "low", "high", "assumptions0")
MISSING = "missing"
Hashed: TypeAlias = tuple[str, frozenset[str]]  # a hash, and the addresses in texts


def hash_at(address: str) -> str:
    """Return the hash of the statement at an address, or at its longest part that is one; MISSING where none is."""
    statement = _statement_at(address)
    return MISSING if statement is None else hash_of(statement)


def cached_hash(address: str) -> str:
    """Return `hash_at(address)`, stored under the hash of the chapter, which is not loaded unless it has changed.

    >>> cached_hash("young_daly.act_one") == hash_at("young_daly.act_one")
    True
    """
    return memoize_by_chapter(f"hash {address}", current_library.split(address)[0], functools.partial(hash_at, address))


def memoize_by_chapter(key: str, chapter: str, compute: Callable[[], object]) -> Any:
    """Return a result that depends on a chapter alone, computed again when the sources of the chapter change."""
    if chapter.partition(".")[0] not in chapter_files():
        return compute()
    return cache.memoize("chapter-part", f"{key} {hash_of_chapter(chapter)}", compute)


def memoize_json(kind: str, statement: Statement, compute: Callable[[], object]) -> Any:
    """Return a result that depends on a statement alone, as JSON stores it, computed again when the statement changes.

    >>> memoize_json("name", find("young_daly.interval"), lambda: ["tau"])
    ['tau']
    """
    return cache.memoize(kind, hash_of(statement), compute)


def hash_of(value: object) -> str:
    """Return the content hash of a statement or any other value, including the statements that its texts name.

    >>> a, b = (Variable("a", "s", meaning) for meaning in ("a time", "another"))
    >>> hash_of(a) == hash_of(a), hash_of(2 * a) == hash_of(2 * b), hash_of({a: "1 s"}) == hash_of({a: "2 s"})
    (True, False, False)
    """
    return _hash_of_statement(value) if isinstance(value, Statement) else _with_references(value)


def _with_references(value: object) -> str:
    own, named = _own_hash(value)
    if not named:
        return own
    met: dict[str, str] = {}
    ahead = set(named)
    while ahead:
        hashes = {address: _own_hash_at(address) for address in ahead}
        met |= {address: text for address, (text, _) in hashes.items()}
        ahead = set().union(*(more for _, more in hashes.values())) - met.keys()
    return _sha256([own, sorted(met.items())])


_hash_of_statement = functools.cache(_with_references)


def _own_hash_at(address: str) -> Hashed:
    statement = _statement_at(address)
    return (MISSING, frozenset()) if statement is None else _own_hash(statement)


def _statement_at(address: str) -> Statement | None:
    """Return the statement at the longest part of an address that has one, or None."""
    part = address
    while part.count(".") > 1 and not code_references.statement_exists(
        part
    ):  # `find` would search for similar addresses
        part = part.rpartition(".")[0]
    try:
        return find(part) if "." in part else None
    except UnknownAddress:
        return None


def _own_hash(value: object) -> Hashed:
    """Return the hash of a value without what its texts name, and the addresses in these texts."""
    if isinstance(value, Statement):
        return _own_hash_of_statement(value)
    if isinstance(value, sympy.Basic) and not isinstance(value, Variable):
        return _expression_hash(value), frozenset()
    return _hash_parts(value)


def _hash_parts(value: object) -> Hashed:
    named: set[str] = set()
    return _sha256(_parts(value, named)), frozenset(named)


_own_hash_of_statement = functools.cache(_hash_parts)


def _sha256(parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _parts(value: object, named: set[str]) -> list:
    """Return nested texts that distinguish a value from every other one; add the addresses in them to `named`."""
    if isinstance(value, Variable):
        return [str(getattr(value, name)) for name in VARIABLE_FIELDS]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        stated = [field.name for field in dataclasses.fields(value) if _is_content(field.name, value)]
        fields = [(name, _part_hash(getattr(value, name), named)) for name in stated]
        return [type(value).__name__, getattr(value, "address", ""), fields, _measured_rows(value, named)]
    if isinstance(value, Mapping):
        return [(_part_hash(key, named), _part_hash(each, named)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [_part_hash(each, named) for each in value]
    if callable(value):
        return _function_source(value)
    if isinstance(value, str):
        named |= {match[0] for match in ADDRESS.finditer(value) if match[0].partition(".")[0] in current_library}
    return [type(value).__name__, repr(value)]


@functools.cache
def _expression_hash(expression: sympy.Basic) -> str:
    """Return the hash of an expression, memoized because the steps of a derivation share most subexpressions."""
    if isinstance(expression, Variable):
        return _own_hash(expression)[0]
    parts = [_expression_hash(part) for part in expression.args] or sympy.srepr(expression)
    return _sha256([type(expression).__name__, parts])


def _is_content(name: str, value: object) -> bool:
    """Return whether a field is content: neither the location nor a step's checker, which follows from the rest."""
    return name != "where" and not (name == "check" and callable(getattr(value, "check", None)))


def _part_hash(value: object, named: set[str]) -> str:
    own, more = _own_hash(value)
    named |= more
    return own


def _measured_rows(value: object, named: set[str]) -> str:
    """Return the rows of a Dataset; add to `named` the comparisons of a Formula, which are made of it."""
    try:
        if isinstance(value, Formula):
            named |= {comparison.address for comparison in value.measured}
        return str((value.rows, value.systems)) if isinstance(value, Dataset) else ""
    except MathcoreError as error:  # verify says so as well
        return str(error)


@functools.cache
def _function_source(function: Callable) -> list[str]:
    """Return the name of a function and, if it is a chapter's own, the hash of the whole chapter."""
    package, _, module = function.__module__.partition(f"{current_library.package}.")
    own = not package and module.partition(".")[0] in chapter_files()
    return [function.__qualname__, hash_of_chapter(module) if own else ""]
