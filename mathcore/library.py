"""Find any statement by its address or by words, or walk through all of them.

A `Library` is a package whose modules state formulas: modules, and folders with an `__init__` and modules of
their own. `current_library` is the current one: that of this project, imported when it is first asked for, unless
`use_library` names another. An address is `chapter.name` or `chapter.module.name`, of a module
outside any library `package.module.name`. A module is loaded when it is asked for; simulations, which need numpy,
are left to those that ask. Data of the whole library lie in its folder: `terms.toml` and `synonyms.toml` for `search`,
`library.toml`, and `redirects.csv`, by which an old address is answered with a warning and the statement at the new
one.
"""

import fnmatch
import functools
import importlib
import os
import pkgutil
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from mathcore import redirects, statements, stored_index, toml_source
from mathcore.errors import ArgumentError, DeclarationError, MovedAddress, UnknownAddress, display_path, nearest
from mathcore.search_ranking import Entry, Index, Ranking
from mathcore.types import AnyDict

SIMULATIONS = re.compile(r"(?:.*_)?simulation")  # modules that state nothing
MEASURED = "measured"  # the module of a chapter in which its formulas are compared with measured systems
Kind = TypeVar("Kind")
if TYPE_CHECKING:
    from mathcore.decisions import Decision
    from mathcore.examples import Example
    from mathcore.facts import Fact
    from mathcore.formulas import Formula

    class AnyStatement(Formula, Fact, Example, Decision):  # type: ignore[misc]
        """A statement of a kind that a type checker cannot know: it has the attributes of all kinds."""

        tex: str
        unit: str
        display_unit: str
        alias: str
        aliases: tuple[str, ...]
        rows: Sequence[AnyDict]


SUPERSEDED = "superseded_by"  # the field, and the key, of a statement that a better one supersedes


class Library:
    """A package of modules that state formulas, such as `Library("mypackage.models")`.

    Raises: DeclarationError for a package that cannot be imported.

    >>> {"young_daly", "young_daly.measured"} <= set(current_library.names())
    True
    """

    def __init__(self, package: str, lazy: bool = False) -> None:
        """Import the package, not its modules; a `lazy` library does so when it is first asked for something."""
        self.package = package
        if not lazy:
            _ = self.folders

    @functools.cached_property
    def folders(self) -> list[str]:
        """Return the paths of the folders in which the modules lie.

        Raises: DeclarationError for a package that cannot be imported.
        """
        try:
            return list(importlib.import_module(self.package).__path__)
        except (ImportError, AttributeError, TypeError, ValueError) as error:  # the last two for no name at all
            message = f"`{self.package}` is no package that can be imported: {error}"
            raise DeclarationError(message, code="not-importable", got=self.package, expected="a package") from None

    def names(self) -> list[str]:
        """Return the names of the modules, sorted: `chapter`, and `chapter.module` where a chapter is a folder."""
        own = _find_modules(*self.folders)
        inner = (f"{chapter}.{name}" for chapter, folder in own.items() if folder for name in _find_modules(folder))
        return sorted([*own, *inner])

    def module(self, name: str) -> ModuleType:
        """Return a module of the library, loaded.

        Raises: UnknownAddress, with the nearest name.
        """
        if name in self:
            return importlib.import_module(f"{self.package}.{name}")
        form = "`chapter.name`, such as `young_daly.interval`"
        message = f"there is no chapter `{name}`; an address is {form}; `search` finds it by words"
        hint = nearest(name, self.names())
        raise UnknownAddress(message, code="unknown-module", got=name, expected=form, hint=hint)

    def modules(self, name: str) -> list[str]:
        """Return the names of a module and of those in its folder.

        >>> current_library.modules("speedup.measured"), current_library.modules("young_daly")[:2]
        (['speedup.measured'], ['young_daly', 'young_daly.decisions'])
        """
        if name not in self:
            return []
        folder = _find_modules(*self.folders).get(name)
        return [name, *sorted(f"{name}.{inner}" for inner in _find_modules(folder))] if folder else [name]

    def split(self, address: str) -> tuple[str, str]:
        """Return the name of the module, and the rest, of an address; the first part where there is no such module.

        >>> current_library.split("young_daly.measured.log"), current_library.split("young_daly.interval.derivation")
        (('young_daly.measured', 'log'), ('young_daly', 'interval.derivation'))
        """
        chapter, _, rest = address.partition(".")
        name, _, more = rest.partition(".")
        return (f"{chapter}.{name}", more) if name and f"{chapter}.{name}" in self else (chapter, rest)

    def __contains__(self, name: str) -> bool:
        """Return whether there is a module of this name that states something.

        >>> "young_daly.measured" in current_library, "young_daly.interval" in current_library
        (True, False)
        """
        chapter, _, inner = name.partition(".")
        own = _find_modules(*self.folders)
        return chapter in own and (not inner or (bool(own[chapter]) and inner in _find_modules(own[chapter])))

    def comparison_modules(self, name: str) -> list[str]:
        """Return the modules in which formulas of a module are compared with measured systems.

        It is `measured` of its chapter, and what `compared_in` of `library.toml` names besides.

        >>> current_library.comparison_modules("training.plan"), current_library.comparison_modules("training")
        (['training.measured'], ['audit.measured', 'training.measured'])
        """
        modules = {
            f"{name.partition('.')[0]}.{MEASURED}",
            *self.data("library.toml").get("compared_in", {}).get(name, ()),
        }
        return sorted(each for each in modules if each in self)

    def title(self, name: str) -> str:
        """Return the title of a module: the words before the colon of its docstring.

        >>> current_library.title("young_daly"), current_library.title("formula_index")
        ('Young–Daly', 'Formula index')
        """
        if name not in self:
            return name.replace("_", " ").capitalize()
        return (self.module(name).__doc__ or name).partition(":")[0].strip()

    def path(self, name: str) -> Path:
        """Return the path of a file of the whole library, such as `synonyms.toml`, whether it is there or not."""
        return Path(self.folders[0]) / name

    def file(self, module: str, name: str) -> Path:
        """Return the path of a data file of a module, such as `claims.toml`, whether it is there or not."""
        chapter, _, inner = module.partition(".")
        if folder := _find_modules(*self.folders).get(chapter):  # a package, whose import takes long
            return Path(folder) / (f"{inner}.{name}" if inner else name)
        return toml_source.data_path(f"{self.package}.{module}", name)

    def data(self, name: str) -> AnyDict:
        """Return the content of a TOML file of the whole library; nothing where there is no such file.

        >>> current_library.data("synonyms.toml")["slo"]
        'latency target percentile tail'
        """
        path = self.path(name)
        return _parsed_data(path, os.stat(path).st_mtime_ns) if path.exists() else {}

    @overload
    def statements(self, name: str) -> "list[tuple[str, AnyStatement]]": ...
    @overload
    def statements(self, name: str, kind: type[Kind]) -> list[tuple[str, Kind]]: ...
    def statements(self, name: str, kind: type = object) -> list:
        """Return `(address, statement)` pairs of one module, those of a `kind`, in the author's order."""
        return [pair for pair in statements.statements_in(self.module(name)).items() if isinstance(pair[1], kind)]

    def walk(self) -> "Iterator[tuple[str, AnyStatement]]":
        """Yield `(address, statement)` for every statement of the library."""
        for name in self.names():
            yield from self.statements(name)

    def superseded(self) -> "list[AnyStatement]":
        """Return the statements that others supersede; only chapters whose files say so are loaded."""
        root = Path(self.folders[0])
        files = (path for path in sorted(root.rglob("*.*")) if path.suffix in (".py", ".toml", ".csv"))
        chapters = {
            path.relative_to(root).parts[0].partition(".")[0] for path in files if SUPERSEDED in path.read_text("utf-8")
        }
        modules = (name for name in self.names() if name.partition(".")[0] in chapters)
        return [each for name in modules for _, each in self.statements(name) if getattr(each, SUPERSEDED, "")]

    @overload
    def find(self, address: str) -> "AnyStatement": ...
    @overload
    def find(self, address: str, kind: type[Kind]) -> Kind: ...
    def find(self, address: str, kind: type | None = None) -> object:
        """Return the statement at an address such as `young_daly.interval`, with or without the package.

        That of a module outside of the library is `package.module.name`. A `kind`, such as Formula, is what the
        statement has to be, for type checkers as well.

        Warns: MovedAddress for an old address, which is answered with the statement at the new one.
        Raises: UnknownAddress, with the nearest known address; ArgumentError for a statement of another kind.

        >>> current_library.find("young_daly.interval").latex()
        '\\\\tau_{\\\\mathrm{Y}} = \\\\sqrt{2 C M}'
        """
        statement = self._find(str(address).strip().removeprefix(f"{self.package}."))
        if kind is None or isinstance(statement, kind):
            return statement
        got, want = type(statement).__name__, kind.__name__
        message = f"`{statement.address}` is no {want}, it is a {got}"
        raise ArgumentError(message, code="wrong-type", got=got, expected=want)

    def _find(self, address: str) -> "AnyStatement":
        head, _, last = address.rpartition(".")
        if "." in head and head.partition(".")[0] not in self and not self.successor(address):
            return _lookup_statement(_import_outside(head), last)
        name, rest = self.split(address)
        try:
            return _lookup_statement(self.module(name), rest)
        except UnknownAddress:
            if not (new := self.successor(address)):
                raise
        warnings.warn(f"`{address}` has moved to `{new}`: use the new address", MovedAddress, stacklevel=3)
        return self._find(new)

    def successor(self, address: str) -> str:
        """Return the address to which an old one moved, by `redirects.csv`, or an empty text.

        >>> current_library.successor("energy.G"), current_library.successor("young_daly.interval")
        ('before_you_start.G', '')
        """
        new = redirects.successor(address, self.redirects)
        return new if new != address else ""

    @property
    def redirects(self) -> dict[str, str]:
        """Return the addresses that were renamed, by `redirects.csv`: `{old: new}`, a module with a dot at its end."""
        return redirects.read_redirects(self.path("redirects.csv"))

    def search(self, words: str, count: int = 10) -> "list[AnyStatement]":
        """Return the statements that some words mean, best first: by name, meaning, symbol, synonym.

        >>> [each.address for each in current_library.search("youngs interval", 1)]
        ['young_daly.interval']
        """
        if not isinstance(words, str) or count < 1:
            message, want = "search takes words and a count from 1 on", "words and a count from 1 on"
            text = f"{message}, not {words!r} and {count!r}"
            raise ArgumentError(text, code="wrong-type", got=f"{words!r} and {count!r}", expected=want)
        last = _patterns(*self.data("library.toml").get("last", ()))
        demoted = _patterns(*self.data("library.toml").get("demoted", ()))

        def key(scored: tuple[float, Entry]) -> tuple[bool, float]:
            score, entry = scored
            return bool(last.match(entry.address)), -score * (0.8 if demoted.match(entry.address) else 1)

        ranking = Ranking(self._index(), self.data("terms.toml"), self.data("synonyms.toml"))
        return [self.find(entry.address) for _, entry in sorted(ranking.scores(words), key=key)[:count]]

    def _index(self) -> Index:
        """Return the index of all statements, stored until a file of the library changes: to load all takes long."""
        return stored_index.load(self.package, self.folders, lambda: Index.of(self.walk()))


def _find_modules(*folders: str) -> dict[str, str]:
    """Return the modules in folders that state something, each with its own folder if it is a package."""
    return _modules_in_stamped(*((folder, os.stat(folder).st_mtime_ns) for folder in folders))


@functools.cache
def _modules_in_stamped(*stamped: tuple[str, int]) -> dict[str, str]:
    """Return the same of folders, each with the time when it was last written to."""
    folders = {}
    for folder, _ in stamped:
        for each in pkgutil.iter_modules([folder]):
            if not SIMULATIONS.fullmatch(each.name):
                folders[each.name] = os.path.join(folder, each.name) if each.ispkg else ""
    return folders


@functools.cache
def _parsed_data(path: Path, _written: int) -> AnyDict:
    return toml_source.parse_toml(path)[0]


@functools.cache
def _patterns(*patterns: str) -> re.Pattern:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


def _import_outside(module: str) -> ModuleType:
    """Return a module outside of the library; raise UnknownAddress for one that cannot be imported."""
    try:
        return importlib.import_module(module)
    except (ImportError, TypeError, ValueError) as error:
        message = f"there is no chapter `{module.partition('.')[0]}`, and `{module}` cannot be imported: {error}"
        raise UnknownAddress(message, code="not-importable", got=module) from None


def _lookup_statement(module: ModuleType, rest: str) -> "AnyStatement":
    """Return the statement of a module with a name; a plain name is looked up directly."""
    prefix = statements.short_name(module.__name__)
    address = f"{prefix}.{rest}" if rest else prefix
    value: Any = getattr(module, rest, None) if rest.isidentifier() else None
    if statements.is_statement(value) and statements.address_of(value).rpartition(".")[0] == prefix:
        return value
    stated = statements.statements_in(module)
    if address not in stated:
        message = f"there is no statement `{address}`; it would be declared in {display_path(str(module.__file__))}"
        raise UnknownAddress(message, got=address, hint=nearest(address, stated))
    return stated[address]


DEFAULT_PACKAGE = "mathcore.chapters"
current_library = Library(DEFAULT_PACKAGE, lazy=True)


def use_library(package: str = DEFAULT_PACKAGE) -> Library:
    """Make a package the current library, whose addresses need no package name, and return the library.

    `find`, `search`, `walk` and `current_library` then speak of it. Without a name it is that of this project.

    Raises: DeclarationError for a package that cannot be imported; the current library stays.
    """
    if package != current_library.package:
        other = Library(package, lazy=package == DEFAULT_PACKAGE)
        current_library.__dict__.clear()
        current_library.__dict__.update(vars(other))
        statements.set_current_package(package)
    return current_library


find, walk, search = current_library.find, current_library.walk, current_library.search
