"""What every statement has: the author's line, and an address once a module names it.

An address is `module.name`, also of what a module has from a data file, and `module.name.derivation` for
the chain behind a formula. A chapter of the book goes by its short name, any other module by its full one, so
that statements of any module can be found, shown and called by name.
"""

import functools
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from mathcore.errors import DeclarationError, MathcoreError, suggestion, where

BOOK = "mathcore.chapters."  # its modules go by their short names
# formula → the Comparisons that hold it against measured systems, as they are stated
compared: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_known: dict[str, tuple] = {}  # module → (size of its namespace when it was read, {id of a statement: its address})


def is_statement(value: object) -> bool:
    """Tell whether a value is something that can have an address."""
    return isinstance(value, Entity) or hasattr(type(value), "meaning")


def named(module: ModuleType) -> dict[str, Any]:
    """Return `{address: statement}` of a loaded module, in the author's order.

    Groups give their members, a formula its derivation. What another module states is left out.

    Raises: DeclarationError for two statements with one address.
    """
    prefix, file = short(module.__name__), Path(getattr(module, "__file__", None) or "").name
    found: dict[str, Any] = {}
    for name, value in list(vars(module).items()):
        members = {}
        if isinstance(value, Group) and value.home == module.__name__:
            members = {f"{prefix}.{key}": member for key, member in value.items()}
        elif is_statement(value) and value.where.rpartition(":")[0].replace("\\", "/").rpartition("/")[2] == file:
            members = {f"{prefix}.{name}": value}
        for address, member in members.items():
            if (other := found.setdefault(address, member)) is not member:
                told = f"`{address}` is stated at {other.where} as well: give one of them another name"
                raise DeclarationError(told, member.where)
    for address, value in list(found.items()):
        if getattr(value, "derivation", None) is not None:
            found[f"{address}.derivation"] = value.derivation
    return found


def short(module: str) -> str:
    """Return the name under which addresses speak of a module."""
    return module.removeprefix(BOOK)


def address_of(statement: Any) -> str:
    """Return the address of a statement that a loaded module names, else an empty text."""
    if known := getattr(statement, "named_as", ""):
        return short(known)
    home = Path(statement.where.rpartition(":")[0]).stem
    places = ([BOOK + home], sys.modules)  # the first is nearly always right, and the other one long
    for path in (path for known in places for path in list(known) if path.rpartition(".")[2] == home):
        module = sys.modules.get(path)
        if module is not None and getattr(module, "__file__", None):
            size, addresses = _known.get(path, (None, {}))
            if size != len(vars(module)):  # while it is being loaded, a module grows
                addresses = {id(value): address for address, value in named(module).items()}
                _known[path] = len(vars(module)), addresses
            if found := addresses.get(id(statement)):
                return found
    return ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Entity:
    """A frozen statement; `where` is the author's `file:line`."""

    where: str = field(default_factory=where, repr=False)

    @property
    def address(self) -> str:
        """Return `module.name` if a loaded module names this statement, else an empty text."""
        return address_of(self)

    @property
    def name(self) -> str:
        """Return the last part of the address, or an empty text."""
        return self.address.rpartition(".")[2]

    @property
    def home(self) -> str:
        """Return the address, which a page needs to find the statement.

        Raises: DeclarationError for a statement that no module names.
        """
        if found := self.address:
            return found
        raise self._wrong(f"this {type(self).__name__} has no address: give it a name in a module")

    def complaints(self) -> Iterator[str]:
        """Yield what does not hold, each as `file:line: what`; `verify` asks every statement."""
        try:
            yield from self._flaws() or ()
        except MathcoreError as error:
            said = str(error) if error.place == self.where else f"{self.where}: {self.address}: {error.message}"
            yield said + self._grounds()

    def _flaws(self) -> Iterator[str] | None:
        """Yield what does not hold, or raise the first error in the way of finding out."""

    def _grounds(self) -> str:
        try:
            told = ", ".join(f"{address} = {fact.text()}" for address, fact in self.roots().items())
        except MathcoreError:  # what it rests on cannot be read either, and complains itself
            return ""
        return f"; it rests on {told}" if told else ""

    @property
    def facts(self) -> dict[Any, "Entity"]:
        """Return the statements from which the value is computed, by letter or by address."""
        return {}

    def roots(self) -> dict[str, Any]:
        """Return the facts behind the value, also by way of other statements, by address."""
        found: dict[str, Any] = {}
        for statement in self.facts.values():
            found |= statement.roots()
        return found

    def _wrong(self, told: str) -> DeclarationError:
        """Return the refusal of the statement, on the author's line."""
        return DeclarationError(told, self.where)

    def _refuse_blank(self, title: str, *names: str) -> None:
        """Refuse a statement that nobody could look up because one of its fields is empty."""
        for name in names:
            if not getattr(self, name).strip():
                raise self._wrong(f"{title} has no {name}: nobody could look it up")

    def __repr__(self) -> str:
        """Return one line: the kind, and the address or the author's line."""
        try:
            told = self._told()
        except Exception as error:  # what is printed while an error is sought must not raise another
            told = f": no value, {getattr(error, 'message', error)}"
        return f"<{type(self).__name__} {self.address or self.where}{told}>"

    def _told(self) -> str:
        return ""


def kept(found: Callable) -> Any:
    """Return a property that is computed once; what it refuses is told with the line of the statement."""

    @functools.wraps(found)
    def placed(statement: Entity) -> Any:
        try:
            return found(statement)
        except MathcoreError as error:
            raise type(error)(error.message, statement.where) from error

    return functools.cached_property(placed)


class Group(Mapping):
    """Statements of the module called `home` by name, each an attribute as well."""

    def __init__(self, members: Mapping[str, Any], home: str) -> None:
        self._members, self.home = dict(members), home

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __getattr__(self, key: str) -> Any:
        members = self.__dict__.get("_members", {})
        if key in members:
            return members[key]
        near = "" if key.startswith("__") else suggestion(key, members)
        raise AttributeError(f"nothing is called `{key}` here{near}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
