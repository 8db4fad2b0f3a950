"""Reader of TOML files with statements, which can be reviewed and corrected without Python.

source = "daly2006"        # above the first table: what all of them share

[dump_time]                # the name by which the chapter states it
meaning = "…"              # the keys are the fields of the statement

All errors in the tables of a file are reported at once, each with its line; `teaching.toml_schema` makes a
statement of each table.
"""

import importlib.util
import itertools
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from mathcore.errors import DeclarationError, display_path, nearest
from mathcore.statements import Group, Statement

# a header of one table or of one of several, a key in quotes or without, an entry of a list on a line of its own
_LINE = re.compile(r'(\[\[?)\s*([\w-]+)\s*(?:\.\s*([\w.-]+))?|\s*(?:([\w-]+)|"([^"]*)")\s*=|\s+([^\s#\]])')


def collect_statements(rows: Iterable[tuple[str, str, Callable]], module: str) -> Group:
    """Return the Group of `(place, name, function that makes it)`; report all errors at once."""
    statements: dict[str, Any] = {}
    wrong = []
    for place, name, make in rows:
        try:
            if not name.isidentifier() or hasattr(Group({}, ""), name):
                message, hint = f"`{name}` cannot be the name of a statement", "choose another one"
                raise DeclarationError(message, place, code="name", got=name, expected="an identifier", hint=hint)
            if name in statements:
                message = f"`{name}` is stated at {statements[name].where} as well"
                raise DeclarationError(message, place, code="duplicate", got=name, expected="a name of its own")
            statements[name] = make()
            if isinstance(statements[name], Statement):  # its file is not that of the module
                object.__setattr__(statements[name], "qualified_name", f"{module}.{name}")
        except DeclarationError as error:
            wrong.append(error)
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        message = "\n".join(map(str, wrong))
        raise DeclarationError(message, "", code="unreadable", got=len(wrong), expected="statements that can be read")
    return Group(statements, module)


def data_path(module: str, name: str) -> Path:
    """Return the path of a data file of a `module`: of a package `name` in its folder, else `MODULE.name`.

    >>> data_path("mathcore.measured", "facts.toml").parts[-2:], data_path("mathcore.units", "facts.toml").parts[-2:]
    (('measured', 'facts.toml'), ('mathcore', 'units.facts.toml'))
    """
    file = getattr(sys.modules.get(module), "__file__", None) or _module_origin(module)
    own = Path(file)
    return own.with_name(name if own.stem == "__init__" else f"{own.stem}.{name}")


def _module_origin(module: str) -> str:
    """Return the file of a module that is not loaded, or where it would be."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    return str(spec.origin) if spec and spec.origin else f"{module.replace('.', '/')}.py"


def read_text(path: Path) -> str:
    """Return the text of a data file.

    Raises: DeclarationError at the author's line for one that cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"statements cannot be read from {display_path(path)}: {error.strerror}"
        raise DeclarationError(message, code="unreadable", got=display_path(path)) from None


def parse_toml(path: Path) -> tuple[dict, dict[str, dict[str, str]]]:
    """Return the content of a TOML file, and `{table: {key: file:line}}`.

    The empty table is what stands above the first one, the empty key a table's own line; parts of a table are
    `sliders.0` and `failures.0.violation`.
    """
    text, file = read_text(path), display_path(path)
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", f"{error} at line 1")
        raise DeclarationError(f"this is no TOML: {error}", f"{file}:{line and line[1]}", code="syntax") from None
    places, table, part, last = {"": {"": f"{file}:1"}}, "", "", ""
    count: dict[tuple, Iterator] = defaultdict(itertools.count)
    for number, each in enumerate(text.splitlines(), 1):
        if not (match := _LINE.match(each)):
            continue
        header, name, inner, bare, quoted, entry = match.groups()
        if header:
            table, part = name, inner or ""
            last = part = f"{part}.{next(count[table, part])}" if header == "[[" else part
        elif not entry:
            last = f"{part}.{bare or quoted}".lstrip(".")
        at = f"{last}.{next(count[table, last])}" if entry else last
        places.setdefault(table, {"": f"{file}:{number}"}).setdefault(at, f"{file}:{number}")
    return stated, places


def reject_unknown_key(key: str, known: Iterable[str], place: str) -> None:
    """Raise a DeclarationError for a key that is not among the `known` ones."""
    if key not in known:
        may = ", ".join(known)
        message = f"a statement here has no `{key}`; it may have {may}"
        raise DeclarationError(message, place, code="unknown-key", got=key, expected=may, hint=nearest(key, known))
