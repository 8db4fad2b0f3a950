"""Find any statement by its address or by words, or walk through all of them.

A `Library` is a package whose modules state formulas; `book` is the one of this project. An address is
`chapter.name`, of a module outside any library `package.module.name`. A module is loaded when it is asked
for. What moved is found under its old address as well: `data/moved.csv` names the successor.
"""

import csv
import functools
import importlib
import os
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from mathcore import entities
from mathcore.errors import ENGINE, ArgumentError, DeclarationError, UnknownAddress, suggestion

DATA = ENGINE / "data"
# chapters that are held against measured systems in a module of another name as well
ALSO = {"goodput.ettr": "goodput.measured", "scaling": "training.measured", "training": "audit.measured"}
ALSO |= {"young_daly": "reliability.measured", "layouts": "parallelism.measured"}
LITTLE = ("a", "an", "for", "in", "of", "per", "the", "to")  # words by which nothing is found
ASIDE = ("audit", "lab_", "measured_")  # what puts the formulas of chapters to use
WEIGHTS = {"Formula": 1.5, "Fact": 1.2, "Variable": 1.1, "Example": 0.9}


class Library:
    """A package of modules that state formulas, such as `Library("mypackage.models")`.

    Raises: DeclarationError for a package that cannot be imported.

    >>> "young_daly" in book.names()
    True
    """

    def __init__(self, package: str) -> None:
        """Import the package, not its modules."""
        try:
            self.folders = list(importlib.import_module(package).__path__)
        except (ImportError, AttributeError, TypeError, ValueError) as error:  # the last two for no name at all
            raise DeclarationError(f"`{package}` is no package that can be imported: {error}") from None
        self.package = package

    def names(self) -> list[str]:
        """Return the names of the modules, sorted."""
        return _names(*((folder, os.stat(folder).st_mtime_ns) for folder in self.folders))

    def module(self, name: str) -> ModuleType:
        """Return a module of the library, loaded.

        Raises: UnknownAddress, with the nearest name.
        """
        if name in self.names():
            return importlib.import_module(f"{self.package}.{name}")
        form = "an address is `chapter.name`, such as `young_daly.interval`; `search` finds it by words"
        raise UnknownAddress(f"there is no chapter `{name}`{suggestion(name, self.names())}; {form}")

    def measuring(self, name: str) -> list[str]:
        """Return the modules in which a module is held against measured systems, `measured_` and its first words.

        >>> book.measuring("training.plan"), book.measuring("training")
        (['training.measured'], ['audit.measured', 'training.measured'])
        """
        return [each for each in self.names() if each == ALSO.get(name) or f"measured_{name}_".startswith(f"{each}_")]

    def title(self, name: str) -> str:
        """Return what a module is called: the words before the colon of its docstring.

        >>> book.title("young_daly"), book.title("formula_index")
        ('Young–Daly', 'Formula index')
        """
        if name not in self.names():
            return name.replace("_", " ").capitalize()
        return (self.module(name).__doc__ or name).partition(":")[0].strip()

    def entities(self, name: str) -> list[tuple[str, Any]]:
        """Return `(address, statement)` pairs of one module, in the author's order."""
        return list(entities.named(self.module(name)).items())

    def walk(self) -> Iterator[tuple[str, Any]]:
        """Yield `(address, statement)` for every statement of the library."""
        for name in self.names():
            yield from self.entities(name)

    def find(self, address: str) -> Any:
        """Return the statement at an address such as `young_daly.interval`, with or without the package.

        Raises: UnknownAddress, with the nearest known address.
        """
        address = str(address).strip().removeprefix(f"{self.package}.")
        name, _, rest = address.partition(".")
        try:
            return _stated(self.module(name), rest)
        except UnknownAddress:
            if address not in _moved():
                raise
            return self.find(_moved()[address])

    def search(self, words: str, count: int = 10) -> list[Any]:
        """Return the statements that some words mean, best first: by name, meaning, letter, synonym.

        >>> [found.address for found in book.search("youngs interval", 1)]
        ['young_daly.interval']
        """
        if not isinstance(words, str) or count < 1:
            raise ArgumentError(f"search wants words and a count from 1 on, not {words!r} and {count!r}")
        typed = [word for word in _words(words) if word not in LITTLE]
        wanted = typed + _words(_said_here(words))
        scored = [(_score({*typed}, wanted, *pair), i, pair[1]) for i, pair in enumerate(self.walk())]
        best = sorted((item for item in scored if item[0] > 0), key=lambda item: (-item[0], item[1]))
        return [statement for _, _, statement in best[:count]]


@functools.cache
def _names(*folders: tuple[str, int]) -> list[str]:
    """Return the names of the modules in folders, each with the time when it was last written to."""
    return sorted(found.name for found in pkgutil.iter_modules([folder for folder, _ in folders]))


def _stated(module: ModuleType, rest: str) -> Any:
    """Return what a module states under a name, for a plain name without a look at all the others."""
    prefix = entities.short(module.__name__)
    address = f"{prefix}.{rest}" if rest else prefix
    value = getattr(module, rest, None) if rest.isidentifier() else None
    if entities.is_statement(value) and entities.address_of(value).startswith(f"{prefix}."):
        return value
    found = entities.named(module)
    if address not in found:
        hint = f"; it would be declared in {module.__name__.replace('.', '/')}.py"
        raise UnknownAddress(f"nothing stands at `{address}`{suggestion(address, found)}{hint}")
    return found[address]


@functools.cache
def _moved() -> dict[str, str]:
    path = DATA / "moved.csv"
    rows = csv.DictReader(path.read_text("utf-8").splitlines()) if path.exists() else ()
    return {row["old"]: row["new"] for row in rows}


@functools.cache
def synonyms() -> dict[str, str]:
    """Return what people type, in lower case, with the words under which the book keeps it."""
    return tomllib.loads((DATA / "synonyms.toml").read_text("utf-8"))


def _said_here(words: str) -> str:
    """Return what this book says for words of the field that stand among these."""
    text = f" {words.lower().replace('-', ' ')} "
    return " ".join(here for said, here in synonyms().items() if f" {said} " in text)


def _words(text: object) -> list[str]:
    found = re.findall(r"[^\W_]+", re.sub("['’]", "", str(text).lower()))
    return [word.rstrip("s") or word for word in found]


def _score(typed: set[str], wanted: list[str], address: str, statement: Any) -> float:
    """Return how well a statement answers the words: whole words, and names of typed words, count more."""
    if address.endswith(".derivation"):
        return 0.0
    letter = getattr(statement, "lhs", statement)
    symbol = letter.name.lower() if hasattr(letter, "tex") else ""
    names = _words(address)
    about = 0.8 if address.startswith(ASIDE) else 1.0
    about *= 1.3 if {*_words(address.partition(".")[2])} <= typed else 1.0
    told = (_words(getattr(letter, "meaning", "")) if symbol else []) + _words(getattr(statement, "meaning", ""))
    total = 0.0
    for word in wanted:
        near = max(2 * _near(word, names), 1.5 * _near(word, told), 2.5 * (word == symbol))
        total += near or -0.5
    return total * about * WEIGHTS.get(type(statement).__name__, 0.7) / (1 + 0.03 * len(names + told))


def _near(word: str, known: list[str]) -> float:
    begun = len(word) > 2 and any(other.startswith(word) for other in known)
    return 1.0 if word in known else 0.6 * begun


book = Library("mathcore.chapters")


def find(address: str) -> Any:
    """Return the statement at an address such as `young_daly.interval`, or `package.module.name`.

    Raises: UnknownAddress, with the nearest known address.

    >>> find("young_daly.interval").latex()
    '\\\\tau_{\\\\mathrm{Y}} = \\\\sqrt{2 C M}'
    """
    head, _, name = str(address).strip().rpartition(".")
    if "." not in head or head.partition(".")[0] in book.names():
        return book.find(address)
    try:
        module = importlib.import_module(head)
    except (ImportError, TypeError, ValueError) as error:
        raise UnknownAddress(f"`{head}` cannot be imported: {error}") from None
    return _stated(module, name)


walk, search = book.walk, book.search
