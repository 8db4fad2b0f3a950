"""What every statement has: the author's line, and an address once a module names it.

An address is `module.name`, `module.group.key` for a member of a group, `module.name.derivation` for the
chain behind a formula. A chapter of the book goes by its short name, any other module by its full one, so
that statements of any module can be found, shown and called by name.
"""

import itertools
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mathcore.errors import DeclarationError, MathcoreError, suggestion, where

BOOK = "mathcore.chapters."  # its modules go by their short names
# module name → (size of its namespace when it was read, {id of a statement: its address})
_known: dict[str, tuple] = {}


def is_statement(value):
    """Tell whether a value is something that can have an address."""
    return isinstance(value, Entity) or (hasattr(value, "meaning") and not isinstance(value, type))


def named(module):
    """Return `{address: statement}` of a loaded module, in the author's order.

    Groups give their members, a formula its derivation. What another module states is left out.
    """
    prefix = short(module.__name__)
    found: dict = {}
    for name, value in list(vars(module).items()):
        if isinstance(value, Group):
            members = {f"{value.prefix(prefix, name)}.{key}": member for key, member in value.items()}
            _add(members if value.home == module.__name__ else {}, found)
        elif is_statement(value) and _is_home(value, module):
            _add({f"{prefix}.{name}": value}, found)
    for address, value in list(found.items()):
        if getattr(value, "derivation", None) is not None:
            found[f"{address}.derivation"] = value.derivation
    return found


def _add(statements, found):
    for address, value in statements.items():
        if (other := found.setdefault(address, value)) is not value:
            raise DeclarationError(
                f"`{address}` is stated at {other.where} as well: give one of them another name", value.where
            )


def short(module):
    """Return the name under which addresses speak of a module."""
    return module.removeprefix(BOOK)


def _is_home(value, module):
    return Path(value.where.rpartition(":")[0]).name == Path(getattr(module, "__file__", None) or "").name


def address_of(statement):
    """Return the address of a statement that a loaded module names, else an empty text."""
    if known := getattr(statement, "named_as", ""):
        return short(known)
    home = Path(statement.where.rpartition(":")[0]).stem
    others = (path for path in list(sys.modules) if path.rpartition(".")[2] == home)
    for path in itertools.chain([BOOK + home], others):
        module = sys.modules.get(path)
        if getattr(module, "__file__", None) and (found := _addresses(module).get(id(statement))):
            return found
    return ""


def _addresses(module):
    size, found = _known.get(module.__name__, (None, None))
    if size != len(vars(module)):  # while it is being loaded, a module grows
        found = {id(value): address for address, value in named(module).items()}
        _known[module.__name__] = len(vars(module)), found
    return found


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Entity:
    """A frozen statement; `where` is the author's `file:line`."""

    where: str = field(default_factory=where, repr=False)

    @property
    def address(self):
        """Return `module.name` if a loaded module names this statement, else an empty text."""
        return address_of(self)

    @property
    def name(self):
        """Return the last part of the address, or an empty text."""
        return self.address.rpartition(".")[2]

    @property
    def home(self):
        """Return the address, which a page needs to find the statement.

        Raises: DeclarationError for a statement that no module names.
        """
        if not self.address:
            raise DeclarationError(
                f"this {type(self).__name__} has no address: give it a name in a module", self.where
            )
        return self.address

    def complaints(self):
        """Yield what does not hold, each as `file:line: what`; `verify` asks every statement."""
        yield from ()

    def complaint(self, error):
        """Return what an error says against this statement as `file:line: what`, with the facts behind it."""
        said = str(error) if error.place == self.where else f"{self.where}: {self.address}: {error.message}"
        return said + self._grounds()

    def _grounds(self):
        try:
            told = ", ".join(f"{address} = {fact.text()}" for address, fact in self.roots().items())
        except MathcoreError:  # what it rests on cannot be read either, and complains itself
            return ""
        return f"; it rests on {told}" if told else ""

    @property
    def facts(self):
        """Return the statements from which the value is computed, by letter or by address."""
        return {}

    def roots(self):
        """Return the facts behind the value, also by way of other statements, by address."""
        found = {}
        for statement in self.facts.values():
            found |= statement.roots()
        return found

    def __repr__(self):
        """Return one line: the kind, and the address or the author's line."""
        return f"<{type(self).__name__} {self.address or self.where}{self._told()}>"

    def _told(self):
        return ""


class Group(Mapping):
    """Statements by key, which go by `module.group.key`; with `flat`, by `module.key`."""

    def __init__(self, members, home, flat=False):
        """Keep the members; `home` is the name of the module that states the group."""
        self._members, self.home, self.flat = dict(members), home, flat

    def prefix(self, module, name):
        """Return what stands before the key in an address."""
        return module if self.flat else f"{module}.{name}"

    def __getitem__(self, key):
        """Return a member by its key."""
        return self._members[key]

    def __getattr__(self, key):
        """Return a member as an attribute."""
        try:
            return self.__dict__["_members"][key]
        except KeyError:
            near = "" if key.startswith("__") else suggestion(key, self.__dict__.get("_members", ()))
            raise AttributeError(f"nothing is called `{key}` here{near}") from None

    def __iter__(self):
        """Go through the keys in the author's order."""
        return iter(self._members)

    def __len__(self):
        """Return how many members there are."""
        return len(self._members)
