"""Statements kept as data, one TOML file for a chapter, which can be reviewed and corrected without Python.

source = "daly2006"        # above the first table: what all of them share

[dump_time]                # the name by which the chapter states it
says = "…"                 # the keys are the fields of the statement
"""

import re
import tomllib
from dataclasses import MISSING, fields

from mathcore.entities import Group
from mathcore.errors import ROOT, DeclarationError, suggestion

_HEAD = re.compile(r"\s*(?:\[\s*([\w-]+)|([\w-]+)\s*=)")
WORDS = {str: "a text in quotes", dict: 'a table such as {C = "4 min"}'}


def read(path, kind, home):
    """Return the flat Group of the statements of a file, each of the dataclass `kind`, for the module `home`.

    Raises: DeclarationError with file and line for what is no TOML, for a key that is no field of `kind`,
    for one that is missing, and for a value of another type.
    """
    stated, places = parsed(path)
    shared = {key: value for key, value in stated.items() if not isinstance(value, dict)}
    made = {}
    for name, row in stated.items():
        if isinstance(row, dict):
            place = places[""] | places.get(name, {})
            _check(kind, name, shared | row, place)
            made[name] = kind(**shared | row, where=place[""])
    return Group(made, home, flat=True)


def parsed(path):
    """Return what a file states, and `{table: {key: file:line}}`.

    The empty table is what stands above the first one, the empty key a table's own line.
    """
    shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    try:
        text = path.read_text(encoding="utf-8")
        stated = tomllib.loads(text)
    except FileNotFoundError:
        raise DeclarationError("there is no such file to take statements from", f"{shown}:1") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise DeclarationError(f"this is no TOML: {error}", f"{shown}:{line[1] if line else 1}") from None
    places, table = {"": {"": f"{shown}:1"}}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.match(line):
            table = head[1] or table
            places.setdefault(table, {}).setdefault(head[2] or "", f"{shown}:{number}")
    return stated, places


def _check(kind, name, row, place):
    """Refuse a table whose keys or values are not those of a `kind`."""
    if not name.isidentifier() or hasattr(Group({}, ""), name):
        raise DeclarationError(f"`{name}` cannot be the name of a statement: choose another word", place[""])
    known = {field.name: field for field in fields(kind) if field.name != "where"}
    for key, value in row.items():
        if key not in known:
            raise DeclarationError(
                f"`{name}` has no `{key}`{suggestion(key, known)}; it may have {', '.join(known)}", place[key]
            )
        wanted = known[key].type
        texts = value.values() if isinstance(value, dict) else ()
        if not isinstance(value, wanted) or not all(isinstance(text, str) for text in texts):
            words = WORDS.get(wanted, "a whole number" if wanted == int | None else f"{wanted}")
            raise DeclarationError(f"`{key}` of `{name}` is {value!r}; it must be {words}", place[key])
    for key, field in known.items():
        if key not in row and field.default is MISSING and field.default_factory is MISSING:
            raise DeclarationError(f"`{name}` lacks `{key}`", place[""])
