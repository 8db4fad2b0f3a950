"""Statements kept as data, TOML files that can be reviewed and corrected without Python.

source = "daly2006"        # above the first table: what all of them share

[dump_time]                # the name by which the chapter states it
says = "…"                 # the keys are the fields of the statement

All that is wrong with the tables of a file is said at once, each with its line.
"""

import functools
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from mathcore.entities import Group
from mathcore.errors import DeclarationError, shown, suggestion

_HEAD = re.compile(r"\s*(?:\[\s*([\w-]+)(?:\s*\.\s*([\w-]+))?|([\w-]+)\s*=)")
WORDS = {str: "a text in quotes", dict: 'a table such as {C = "4 min"}', float: "a number such as 0.02"}


def read(path: Path, kind: type, home: str) -> Group:
    """Return the Group of the statements of a file, each of the dataclass `kind`, for the module `home`.

    Raises: DeclarationError with file and line for what is no TOML, for a key that is no field of `kind`,
    for one that is missing, and for a value of another type.
    """
    stated, places = parsed(path)
    shared = {key: value for key, value in stated.items() if not isinstance(value, dict)}
    rows = [(name, row, places[""] | places.get(name, {})) for name, row in stated.items() if isinstance(row, dict)]
    made = ((place[""], name, functools.partial(_made, kind, shared | row, place)) for name, row, place in rows)
    return grouped(made, home)


def grouped(rows: Iterable[tuple[str, str, Callable]], home: str) -> Group:
    """Return the Group of `(place, name, function that makes it)`; say at once what cannot be made."""
    found: dict[str, Any] = {}
    wrong = []
    for place, name, make in rows:
        try:
            if not name.isidentifier() or hasattr(Group({}, ""), name):
                raise DeclarationError(f"`{name}` cannot be the name of a statement: choose another one", place)
            if name in found:
                raise DeclarationError(f"`{name}` is stated at {found[name].where} as well", place)
            found[name] = make()
        except DeclarationError as error:
            wrong.append(str(error))
    if wrong:
        raise DeclarationError("\n".join(wrong), "")
    return Group(found, home)


def text_of(path: Path) -> str:
    """Return the text of a data file.

    Raises: DeclarationError at the author's line for one that cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DeclarationError(f"statements cannot be read from {shown(path)}: {error.strerror}") from None


def parsed(path: Path) -> tuple[dict, dict[str, dict[str, str]]]:
    """Return what a TOML file states, and `{table: {key: file:line}}`.

    The empty table is what stands above the first one, the empty key a table's own line.
    """
    text, file = text_of(path), shown(path)
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", f"{error} at line 1")
        raise DeclarationError(f"this is no TOML: {error}", f"{file}:{line and line[1]}") from None
    places, table = {"": {"": f"{file}:1"}}, ""
    for number, each in enumerate(text.splitlines(), 1):
        if head := _HEAD.match(each):
            table = head[1] or table
            places.setdefault(table, {}).setdefault(head[2] or head[3] or "", f"{file}:{number}")
    return stated, places


def refuse_strange(key: str, known: Iterable[str], place: str) -> None:
    """Refuse a key that is not among the `known` ones."""
    if key not in known:
        may = f"{suggestion(key, known)}; it may have {', '.join(known)}"
        raise DeclarationError(f"a statement here has no `{key}`{may}", place)


def _made(kind: type, row: Mapping, place: Mapping) -> Any:
    """Return the statement of a table; refuse keys or values that are not those of a `kind`."""
    known = {field.name: field for field in fields(kind) if field.name != "where"}
    for key, value in row.items():
        refuse_strange(key, known, place[key])
        wanted: Any = known[key].type
        texts = value.values() if isinstance(value, dict) else ()
        if not isinstance(value, wanted) or not all(isinstance(text, str) for text in texts):
            words = WORDS.get(wanted, "a whole number")
            raise DeclarationError(f"`{key}` is {value!r}; it must be {words}", place[key])
    for key, field in known.items():
        if key not in row and field.default is MISSING and field.default_factory is MISSING:
            raise DeclarationError(f"it lacks `{key}`", place[""])
    return kind(**row, where=place[""])
