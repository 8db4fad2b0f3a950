"""What every statement has: the author's line, and an address once a module names it.

An address is `module.name`, also of what a module has from a data file, and `module.name.derivation` for
the chain behind a formula. A module of the book goes by its name below the package, `chapter` or
`chapter.module`, any other module by its full one, so that statements of any module can be found, shown and
called by name.
"""

import functools
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mathcore.errors import Code, DeclarationError, MathcoreError, author_line, display_path, nearest
from mathcore.types import AnyOf, Numbers

if TYPE_CHECKING:
    from mathcore.facts import Fact
    from mathcore.symbols import Variable

UNTRACED = "nobody could look it up"
_current = {"prefix": "mathcore.chapters."}  # modules of the current library go by their short names
# formula → its Comparisons with measured systems, in the order in which they are stated
comparisons_of: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def is_statement(value: object) -> bool:
    """Return whether a value is something that can have an address."""
    return isinstance(value, Statement) or hasattr(type(value), "meaning")


def statements_in(module: ModuleType) -> dict[str, AnyOf]:
    """Return `{address: statement}` of a loaded module, in the author's order.

    Groups give their members, a formula its derivation. What another module states is left out.

    Raises: DeclarationError for two statements with one address.
    """
    return {address: bound.statement for address, bound in _snapshot(module).bindings.items()}


class Located(Protocol):
    """What an author states at a line, `where`: a Statement or a Variable."""

    @property
    def where(self) -> str:
        """Return the author's `file:line`."""


class _Binding(NamedTuple):
    """A statement, and the name in its module by which it is reached: its own, or that of its group or formula."""

    statement: Any
    name: str
    value: object


def _bindings(module: ModuleType) -> dict[str, _Binding]:
    """Return the statements of a module by their addresses."""
    prefix, file = short_name(module.__name__), _module_file(module)
    bindings: dict[str, _Binding] = {}
    for name, value in list(vars(module).items()):
        members = {}
        if isinstance(value, Group) and value.module == module.__name__:
            members = {f"{prefix}.{key}": member for key, member in value.items()}
        elif is_statement(value) and _declaring_file(value) == file:
            members = {f"{prefix}.{name}": value}
        for address, member in members.items():
            if (other := bindings.setdefault(address, _Binding(member, name, value)).statement) is not member:
                message, hint = f"`{address}` is stated at {other.where} as well", "give one of them another name"
                raise DeclarationError(message, member.where, code="duplicate", got=address, hint=hint)
    for address, (statement, name, value) in list(bindings.items()):
        if (derivation := getattr(statement, "derivation", None)) is not None:
            bindings[f"{address}.derivation"] = _Binding(derivation, name, value)
    return bindings


def _module_file(module: ModuleType) -> str:
    """Return the file of a module as statements name it, or an empty text."""
    return display_path(file) if (file := getattr(module, "__file__", None)) else ""


def _declaring_file(statement: Located) -> str:
    """Return the file in which a statement is declared."""
    return statement.where.rpartition(":")[0]


def set_current_package(package: str) -> None:
    """Let the modules of this package, and of no other one, go by their names below it from now on."""
    _current["prefix"] = f"{package}."
    _snapshots.clear()


def short_name(module: str) -> str:
    """Return the name under which addresses speak of a module."""
    return module.removeprefix(_current["prefix"])


class _Snapshot(NamedTuple):
    """What a module stated when it was last read: its names with the ids of their objects, statements by address."""

    namespace: list[object]
    bindings: dict[str, _Binding]
    addresses: dict[int, tuple[str, _Binding]]  # by the id of the statement


_snapshots: dict[str, _Snapshot] = {}  # module → what it stated


def _snapshot(module: ModuleType) -> _Snapshot:
    """Return the statements of a module; its namespace is read again only when it has changed."""
    own = vars(module)
    namespace = [*own, *map(id, own.values())]
    known = _snapshots.get(module.__name__)
    if known is None or known.namespace != namespace:
        bindings = _bindings(module)
        addresses = {id(bound.statement): (address, bound) for address, bound in bindings.items()}
        known = _snapshots[module.__name__] = _Snapshot(namespace, bindings, addresses)
    return known


def address_of(statement: Located) -> str:
    """Return the address of a statement that a loaded module names, else an empty text."""
    if known := getattr(statement, "qualified_name", ""):
        return short_name(known)
    for path in _modules_of_file(_declaring_file(statement)):
        if address := _address_in(path, statement):
            return address
    return ""


def _modules_of_file(place: str) -> Iterator[str]:
    """Yield the names of the loaded modules that have this file; that of the book is found without a search."""
    if not place:  # a statement made outside of a file, as in a worker
        return
    path = PurePosixPath(place.replace("\\", "/"))
    parts = path.with_suffix("").parts[: -1 if path.stem == "__init__" else None]
    likely = ".".join(parts)
    if likely.startswith(_current["prefix"]) and likely in sys.modules and _module_file(sys.modules[likely]) == place:
        yield likely
        return
    last = parts[-1] if parts else ""
    for name, module in list(sys.modules.items()):
        if name.rpartition(".")[2] in (last, "__main__") and _module_file(module) == place:
            yield name


def _address_in(path: str, statement: object) -> str:
    """Return the address under which a loaded module names a statement; a name that was replaced counts no more."""
    module = sys.modules[path]
    if path in _snapshots:
        address, bound = _snapshots[path].addresses.get(id(statement), ("", None))
        if bound and vars(module).get(bound.name) is bound.value:
            return address
    return _snapshot(module).addresses.get(id(statement), ("", None))[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Statement:
    """A frozen statement; `where` is the author's `file:line`, `superseded_by` the address of a better one."""

    where: str = field(default_factory=author_line, repr=False)
    superseded_by: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Return `module.name` if a loaded module names this statement, else an empty text."""
        return address_of(self)

    @property
    def name(self) -> str:
        """Return the last part of the address, or an empty text."""
        return self.address.rpartition(".")[2]

    @property
    def required_address(self) -> str:
        """Return the address, which a page needs to find the statement.

        Raises: DeclarationError for a statement that no module names.
        """
        if address := self.address:
            return address
        message, hint = f"this {type(self).__name__} has no address", "give it a name in a module"
        raise self.located_error(message, code="no-address", hint=hint)

    def issues(self) -> Iterator[str]:
        """Yield what does not hold, each as `file:line: what`; `verify` asks every statement."""
        try:
            yield from self._find_issues() or ()
        except MathcoreError as error:
            text = str(error) if error.where == self.where else f"{self.where}: {self.address}: {error.message}"
            yield text + self._depends_on_text()

    def _find_issues(self) -> Iterator[str] | None:
        """Yield what does not hold, or raise the first error in the way of finding out."""

    def _depends_on_text(self) -> str:
        try:
            facts = ", ".join(f"{address} = {fact.text()}" for address, fact in self.source_facts().items())
        except MathcoreError:  # what it rests on cannot be read either, and has an issue of its own
            return ""
        return f"; it rests on {facts}" if facts else ""

    @property
    def facts(self) -> Mapping[Any, "Statement"]:
        """Return the statements from which the value is computed, by symbol or by address."""
        return {}

    def cautions(self, numbers: Mapping["Variable", Numbers]) -> list[str]:
        """Return why the value may not be used with other numbers, in declared units by symbol; mostly nothing."""
        return []

    def source_facts(self) -> "dict[str, Fact]":
        """Return the facts behind the value, also by way of other statements, by address."""
        facts: dict[str, Fact] = {}
        for statement in self.facts.values():
            facts |= statement.source_facts()
        return facts

    def fill_slots(self, text: str, known: Mapping[str, str], what: str) -> str:
        """Return `text` with the texts of its slots; `what` has the text.

        Raises: DeclarationError for an unknown slot.
        """
        try:
            return text.format(**known)
        except (KeyError, IndexError) as error:
            slot, names = error.args[0], ", ".join(known)
            message = f"{what} has the slot {{{slot}}}, which has no value; known are {names}"
            raise self.located_error(message, code="unknown-key", got=slot, expected=names) from None

    def located_error(
        self, message: str, *, code: Code, got: object = "", expected: object = "", hint: str = ""
    ) -> DeclarationError:
        """Return the error in the statement, at the author's line, with the fields of MathcoreError."""
        return DeclarationError(message, self.where, code=code, got=got, expected=expected, hint=hint)

    def _require_text(self, title: str, *names: str) -> None:
        """Raise a DeclarationError if one of the fields `names` is empty."""
        for name in names:
            if not getattr(self, name).strip():
                raise self.located_error(f"{title} has no {name}", code="missing", expected=name, hint=UNTRACED)

    def _require_choice(self, name: str, known: Iterable[str], title: str) -> None:
        """Raise a DeclarationError unless the field `name` is one of the `known` texts."""
        if (stated := getattr(self, name)) not in known:
            message, choices = f"{name} `{stated}` of {title} is unknown", ", ".join(filter(None, known))
            hint = f"choose one of {choices}"
            raise self.located_error(message, code="not-a-choice", got=stated, expected=choices, hint=hint)

    def __repr__(self) -> str:
        """Return one line: the kind, and the address or the author's line."""
        try:
            detail = self._repr_detail()
        except Exception as error:  # what is printed while an error is sought must not raise another
            detail = f": no value, {getattr(error, 'message', error)}"
        return f"<{type(self).__name__} {self.address or self.where}{detail}>"

    def _repr_detail(self) -> str:
        return ""


def located_cached_property(compute: Callable) -> functools.cached_property:
    """Return a cached property whose errors have the location of the statement."""

    @functools.wraps(compute)
    def located(statement: Statement) -> object:
        try:
            return compute(statement)
        except MathcoreError as error:
            raise type(error).of(error, statement.where) from error

    return functools.cached_property(located)


class Group(Mapping):
    """Statements of a module, by name, each an attribute as well."""

    def __init__(self, members: Mapping[str, AnyOf], module: str) -> None:
        self._members, self.module = dict(members), module

    def __getitem__(self, key: str) -> AnyOf:
        return self._members[key]

    def __getattr__(self, key: str) -> AnyOf:
        members = self.__dict__.get("_members", {})
        if key in members:
            return members[key]
        near = "" if key.startswith("__") else nearest(key, members)
        raise AttributeError(f"nothing is called `{key}` here{near and f'; {near}'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
