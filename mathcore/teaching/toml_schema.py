"""Statements as data files write them: any dataclass from a table, by the types of its fields.

A text where none is wanted is a name: of a symbol as it is printed, of a formula or a part that the module
states, of a statement above, or an address. Where an expression is wanted, it is written over such names, and
relations are joined by `and`, `or`, `not`. In its `terms` a statement gives names to expressions that it repeats,
in its `texts` to sentences, which then stand in braces.
"""

import contextlib
import functools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import sympy
from sympy.logic.boolalg import Boolean

from mathcore import toml_source
from mathcore.errors import DeclarationError, MathcoreError, suggestion
from mathcore.formulas import Formula
from mathcore.library import book
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.expressions import RELATIONS, parse_expression
from mathcore.teaching.grammar import ADDRESS, OPERATORS

TAKEN = {str: (str,), int: (int,), float: (int, float), bool: (bool,), list: (list,)}
WORDS: dict[Any, str] = {str: "a text in quotes", dict: 'a table such as {C = "4 min"}', float: "a number such as 0.02"}
WORDS |= {int: "a whole number", bool: "true or false", Boolean: "a relation such as `C < 2 * M`"}
WORDS |= dict.fromkeys((list, tuple), "a list") | {Mapping: "a table"}


@dataclass(frozen=True)
class TableReader:
    """What a table may name: what its module states, what else is `known`; `lines` are places `file:line` by key."""

    module: ModuleType | None
    lines: Mapping[str, str]
    known: dict[str, Any]

    def build(self, kind: type, row: Mapping, at: str = "") -> Any:
        """Return the statement, or the part of one, that a table states.

        Raises: DeclarationError, with file and line, for keys that a `kind` has not, or lacks, and for their values.
        """
        wanted = {each.name: each for each in fields(kind) if each.name != "where"}
        for key in row:
            toml_source.reject_unknown_key(key, wanted, self._line(f"{at}.{key}"))
        for key, each in wanted.items():
            if key not in row and each.default is MISSING and each.default_factory is MISSING:
                raise DeclarationError(f"it lacks `{key}`", self._line(at), code="missing", expected=key)
        hints = get_type_hints(kind)
        found = {key: self.convert(hints[key], value, f"{at}.{key}") for key, value in row.items()}
        if len(wanted) < len(fields(kind)):
            found["where"] = self._line(at)
        with self.located(at):
            return kind(**found)

    def convert(self, wanted: Any, value: Any, at: str) -> Any:
        """Return what a value of the file stands for where one of some types is wanted."""
        kinds: tuple[Any, ...] = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
        parts = [kind for kind in kinds if hasattr(kind, "__dataclass_fields__") and not issubclass(kind, Statement)]
        if isinstance(value, dict) and parts:
            near = max(parts, key=lambda kind: len(value.keys() & kind.__dataclass_fields__.keys()))
            return self.build(near, value, at)
        for kind in kinds:
            origin, inner = get_origin(kind), get_args(kind)
            if origin in (Mapping, dict) and isinstance(value, dict):
                return {self.convert(inner[0], k, at): self.convert(inner[1], x, f"{at}.{k}") for k, x in value.items()}
            if origin is tuple and isinstance(value, list):
                each = inner[:1] * len(value) if inner[-1:] == (...,) else inner
                if len(each) == len(value):
                    return tuple(map(self.convert, each, value, (f"{at}.{i}" for i in range(len(value)))))
            if type(value) in TAKEN.get(kind, ()):
                return self._insert_texts(value) if kind is str else value
        return self._convert_text(kinds, value, at)

    def _convert_text(self, kinds: tuple, value: Any, at: str) -> Any:
        """Return what a text stands for that is a name, an expression or a quantity."""
        named = tuple(kind for kind in kinds if isinstance(kind, type) and kind not in (*TAKEN, NoneType))
        with self.located(at):
            if isinstance(value, bool) and Boolean in kinds:
                return sympy.sympify(value)
            if isinstance(value, str) and Any in kinds:
                return self.quantity(value)
            if isinstance(value, str) and named:
                found = (
                    self.parse_expression(value) if named[0] in (Boolean, sympy.Basic) else self.lookup(value, named)
                )
                if Boolean not in named or not isinstance(found, sympy.Expr):  # to sympy each symbol is a Boolean
                    return found
            words = " or ".join(WORDS.get(get_origin(kind) or kind, f"the name of a {kind.__name__}") for kind in kinds)
            raise DeclarationError(
                f"`{at.rpartition('.')[2]}` is {value!r}; it must be {words}",
                code="wrong-type",
                got=repr(value),
                expected=words,
            )

    def lookup(self, name: str, kinds: tuple) -> Any:
        """Return the statement or the part of some kinds that goes by a name, or by an address.

        Raises: DeclarationError for a name that is nothing of these kinds here.
        """
        known = (self.names | self.symbols if Variable in kinds else self.names) | self.known
        found = book.find(name) if ADDRESS.fullmatch(name) else known.get(name)
        if isinstance(found, kinds):
            return found
        near = suggestion(name, [key for key, each in known.items() if isinstance(each, kinds)])
        other = f"`{name}` is of the kind {type(found).__name__}, not {' or '.join(kind.__name__ for kind in kinds)}"
        raise DeclarationError(
            f"nothing here is called `{name}`{near}" if found is None else other,
            code="unknown-key",
            got=name,
            expected=" or ".join(kind.__name__ for kind in kinds),
        )

    def parse_expression(self, text: str) -> Any:
        """Return the expression, or the relation, that a text writes over the names of symbols and formulas."""
        found = functools.partial(self.lookup, kinds=(Variable, Formula, sympy.Basic))
        return parse_expression(text, (), found, OPERATORS | RELATIONS)

    def quantity(self, text: str) -> Any:
        """Return the statement at an address, or what it is per unit; else the text, which is a quantity."""
        address, _, unit = text.partition(" per ")
        if not ADDRESS.fullmatch(address):
            return text
        return book.find(address).per(unit) if unit else book.find(address)

    @functools.cached_property
    def names(self) -> dict[str, Any]:
        """Return all that goes by a name in the module, members of its groups as well."""
        own = vars(self.module) if self.module else {}
        groups = [each for each in own.values() if isinstance(each, Group) and each.home == own["__name__"]]
        return {**own, **{name: each for group in groups for name, each in group.items()}}

    @functools.cached_property
    def symbols(self) -> dict[str, Variable]:
        """Return the symbols of the module as they are printed."""
        return {each.name: each for each in self.names.values() if isinstance(each, Variable)}

    def _line(self, at: str) -> str:
        at = at.lstrip(".")
        while at not in self.lines:
            at = at.rpartition(".")[0]
        return self.lines[at]

    def _insert_texts(self, text: str) -> str:
        """Return a text with the sentences in it that have a name."""
        for name, each in self.known.items():
            text = text.replace(f"{{{name}}}", each) if isinstance(each, str) else text
        return text

    @contextlib.contextmanager
    def located(self, at: str = "") -> Iterator[None]:
        """Tell of a refusal where it stands in the data file, not where the module reads it."""
        try:
            yield
        except MathcoreError as error:
            raise DeclarationError.of(error, self._line(at)) from None


def read_statements(path: Path, kind: type, home: str) -> Group:
    """Return the Group of the statements of a file, each of the dataclass `kind`, for the module `home`.

    Raises: DeclarationError with file and line for what is no TOML, and for all that a table gets wrong.
    """
    stated, places = toml_source.parse_toml(path)
    shared = {key: value for key, value in stated.items() if not isinstance(value, dict)}
    known: dict[str, Any] = {}

    def made(name: str, row: dict) -> Any:
        reader = TableReader(sys.modules.get(home), places[""] | places[name], known | row.pop("texts", {}))
        for key, text in row.pop("terms", {}).items():
            reader.known[key] = reader.convert(sympy.Basic, text, f"terms.{key}")
        known[name] = reader.build(kind, shared | row)
        return known[name]

    rows = [(name, row) for name, row in stated.items() if isinstance(row, dict)]
    return toml_source.collect_statements(
        ((places[n][""], n, functools.partial(made, n, row)) for n, row in rows), home
    )


def read_module_file(name: str, kind: type, home: str) -> Group:
    """Return the statements in a data file of the module called `home`, such as `exercises.toml`."""
    return read_statements(toml_source.data_path(home, name), kind, home)
