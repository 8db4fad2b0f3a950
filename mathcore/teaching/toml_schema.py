"""Reader of statements in TOML: builds a dataclass from a table by the type hints of its fields.

Where a field is not a string, a string in the table is a name (of a symbol as it is printed, of a formula or part in
the module, of a statement above) or an address; where it is an expression or a relation, the string is parsed over
such names. `terms` of a statement define names for expressions that it repeats, `texts` for sentences, which are
inserted in braces.
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
from mathcore.errors import DeclarationError, MathcoreError, nearest
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.statements import Group, Statement
from mathcore.symbols import Variable
from mathcore.teaching.expressions import RELATIONS, parse_expression
from mathcore.teaching.grammar import ADDRESS, OPERATORS
from mathcore.types import JsonObject

ACCEPTED = {str: (str,), int: (int,), float: (int, float), bool: (bool,), list: (list,)}
TYPE_TEXTS: dict = {str: "a text in quotes", dict: 'a table such as {C = "4 min"}', float: "a number such as 0.02"}
TYPE_TEXTS |= {int: "an integer", bool: "true or false", Boolean: "a relation such as `C < 2 * M`"}
TYPE_TEXTS |= dict.fromkeys((list, tuple), "a list") | {Mapping: "a table"}


@dataclass(frozen=True)
class TableReader:
    """Converter of one table: names come from `module` and from `known`; `lines` has `file:line` of each key."""

    module: ModuleType | None
    lines: Mapping[str, str]
    known: JsonObject

    def build(self, kind: type, row: Mapping, at: str = "") -> Any:
        """Return the dataclass `kind` built from the table `row`, which is at the key `at`.

        Raises: DeclarationError with file and line for unknown and missing keys and for invalid values.
        """
        wanted = {each.name: each for each in fields(kind) if each.name != "where"}
        for key in row:
            toml_source.reject_unknown_key(key, wanted, self._line(f"{at}.{key}"))
        for key, each in wanted.items():
            if key not in row and each.default is MISSING and each.default_factory is MISSING:
                raise DeclarationError(f"the key `{key}` is missing", self._line(at), code="missing", expected=key)
        hints = get_type_hints(kind)
        arguments = {key: self.convert(hints[key], value, f"{at}.{key}") for key, value in row.items()}
        if len(wanted) < len(fields(kind)):
            arguments["where"] = self._line(at)
        with self.located(at):
            return kind(**arguments)

    def convert(self, wanted: object, value: Any, at: str) -> Any:
        """Return the `value` of a key converted to one of the types of the hint `wanted`."""
        kinds: tuple = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
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
            if type(value) in ACCEPTED.get(kind, ()):
                return self._insert_texts(value) if kind is str else value
        return self._convert_text(kinds, value, at)

    def _convert_text(self, kinds: tuple, value: object, at: str) -> Any:
        """Return the value of a text that is a name, an expression or a quantity."""
        named = tuple(kind for kind in kinds if isinstance(kind, type) and kind not in (*ACCEPTED, NoneType))
        with self.located(at):
            if isinstance(value, bool) and Boolean in kinds:
                return sympy.sympify(value)
            if isinstance(value, str) and Any in kinds:
                return self.quantity(value)
            if isinstance(value, str) and named:
                converted = (
                    self.parse_expression(value) if named[0] in (Boolean, sympy.Basic) else self.lookup(value, named)
                )
                if Boolean not in named or not isinstance(converted, sympy.Expr):  # to sympy each symbol is a Boolean
                    return converted
            expected = " or ".join(
                TYPE_TEXTS.get(get_origin(kind) or kind, f"the name of a {kind.__name__}") for kind in kinds
            )
            message = f"`{at.rpartition('.')[2]}` is {value!r}; it must be {expected}"
            raise DeclarationError(message, code="wrong-type", got=repr(value), expected=expected)

    def lookup(self, name: str, kinds: tuple) -> Any:
        """Return the object of one of `kinds` with a name in the module, or with an address.

        Raises: DeclarationError for an unknown name, or one of another kind.
        """
        known = (self.names | self.symbols if Variable in kinds else self.names) | self.known
        statement = current_library.find(name) if ADDRESS.fullmatch(name) else known.get(name)
        if isinstance(statement, kinds):
            return statement
        near = nearest(name, [key for key, each in known.items() if isinstance(each, kinds)])
        other = (
            f"`{name}` is of the kind {type(statement).__name__}, not {' or '.join(kind.__name__ for kind in kinds)}"
        )
        message, hint = (f"unknown name `{name}`", near) if statement is None else (other, "")
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DeclarationError(message, code="unknown-key", got=name, expected=wanted, hint=hint)

    def parse_expression(self, text: str) -> sympy.Expr:
        """Return the expression or relation that a text writes with names of symbols and formulas."""
        lookup = functools.partial(self.lookup, kinds=(Variable, Formula, sympy.Basic))
        return parse_expression(text, (), lookup, OPERATORS | RELATIONS)

    def quantity(self, text: str) -> Any:
        """Return the statement at an address; any other text, which is a quantity, unchanged."""
        return current_library.find(text) if ADDRESS.fullmatch(text) else text

    @functools.cached_property
    def names(self) -> JsonObject:
        """Return the objects of the module by name, members of its groups included."""
        own = vars(self.module) if self.module else {}
        groups = [each for each in own.values() if isinstance(each, Group) and each.module == own["__name__"]]
        return {**own, **{name: each for group in groups for name, each in group.items()}}

    @functools.cached_property
    def symbols(self) -> dict[str, Variable]:
        """Return the variables of the module by their printed symbol."""
        return {each.name: each for each in self.names.values() if isinstance(each, Variable)}

    def _line(self, at: str) -> str:
        at = at.lstrip(".")
        while at not in self.lines:
            at = at.rpartition(".")[0]
        return self.lines[at]

    def _insert_texts(self, text: str) -> str:
        """Return `text` with the named sentences in place of their names in braces."""
        for name, each in self.known.items():
            text = text.replace(f"{{{name}}}", each) if isinstance(each, str) else text
        return text

    @contextlib.contextmanager
    def located(self, at: str = "") -> Iterator[None]:
        """Give errors the place of the key `at` in the data file."""
        try:
            yield
        except MathcoreError as error:
            raise DeclarationError.of(error, self._line(at)) from None


def read_statements(path: Path, kind: type | Mapping[str, type], module: str) -> Group:
    """Return the Group of the statements in the file at `path`, of the dataclass `kind`, for `module`.

    Where `kind` is a mapping, the key `kind` of a table names the class.

    Raises: DeclarationError with file and line for invalid TOML, and of everything that is wrong in a table.
    """
    stated, places = toml_source.parse_toml(path)
    shared = {key: value for key, value in stated.items() if not isinstance(value, dict)}
    known: JsonObject = {}

    def made(name: str, row: dict) -> Any:
        reader = TableReader(sys.modules.get(module), places[""] | places[name], known | row.pop("texts", {}))
        for key, text in row.pop("terms", {}).items():
            reader.known[key] = reader.convert(sympy.Basic, text, f"terms.{key}")
        known[name] = reader.build(*_class_and_row(kind, shared | row, places[name]["kind" if "kind" in row else ""]))
        return known[name]

    rows = [(name, row) for name, row in stated.items() if isinstance(row, dict)]
    return toml_source.collect_statements(
        ((places[n][""], n, functools.partial(made, n, row)) for n, row in rows), module
    )


def _class_and_row(kind: type | Mapping[str, type], row: dict, place: str) -> tuple[type, dict]:
    """Return the class of a table and the keys that describe it."""
    if isinstance(kind, type):
        return kind, row
    named, choices = row.get("kind", ""), ", ".join(kind)
    if named not in kind:
        message = f"unknown `kind` `{named}`" if named else "`kind` is missing"
        hint = nearest(named, kind) or f"choose one of {choices}"
        raise DeclarationError(message, place, code="not-a-choice", got=named, expected=choices, hint=hint)
    return kind[named], {key: value for key, value in row.items() if key != "kind"}


def read_module_file(name: str, kind: type | Mapping[str, type], module: str) -> Group:
    """Return the statements in the data file `name`, such as `exercises.toml`, of `module`."""
    return read_statements(toml_source.data_path(module, name), kind, module)
