"""Find any statement by its address or by words, or walk through all of them.

A `Library` is a package whose modules state formulas; `book` is the one of this project. An address is
`chapter.name`, of a module outside any library `package.module.name`. A module is loaded when it is asked
for. What moved is found under its old address as well: `data/moved.csv` names the successor.
"""

import csv
import functools
import importlib
import pkgutil
import re
import tomllib

from mathcore import entities
from mathcore.errors import ENGINE, DeclarationError, UnknownAddress, suggestion, where

DATA = ENGINE / "data"
WEIGHTS = {"Formula": 1.5, "Fact": 1.2, "Variable": 1.1, "Example": 0.9}
MEMBERS = ("derivation",)


class Library:
    """A package of modules that state formulas, such as `Library("mypackage.models")`.

    Raises: DeclarationError for a package that cannot be imported.

    >>> "young_daly" in book.names()
    True
    """

    def __init__(self, package):
        """Import the package, not its modules."""
        try:
            self.folders = importlib.import_module(package).__path__
        except (ImportError, AttributeError) as error:
            raise DeclarationError(f"`{package}` is no package that can be imported: {error}", where()) from None
        self.package = package

    def names(self):
        """Return the names of the modules, sorted."""
        return sorted(found.name for found in pkgutil.iter_modules(self.folders))

    def module(self, name):
        """Return a module of the library, loaded.

        Raises: UnknownAddress, with the nearest name.
        """
        if name not in self.names():
            raise UnknownAddress(
                f"there is no chapter `{name}`{suggestion(name, self.names())}; "
                "an address is `chapter.name`, such as `young_daly.interval`",
                where(),
            )
        return importlib.import_module(f"{self.package}.{name}")

    def title(self, name):
        """Return what a module is called: the words before the colon of its docstring.

        >>> book.title("young_daly"), book.title("formula_index")
        ('Young–Daly', 'Formula index')
        """
        if name not in self.names():
            return name.replace("_", " ").capitalize()
        return self.module(name).__doc__.partition(":")[0].strip()

    def entities(self, name):
        """Return `(address, statement)` pairs of one module, in the author's order."""
        return list(entities.named(self.module(name)).items())

    def walk(self):
        """Yield `(address, statement)` for every statement of the library."""
        for name in self.names():
            yield from self.entities(name)

    def find(self, address):
        """Return the statement at an address such as `young_daly.interval`, with or without the package.

        Raises: UnknownAddress, with the nearest known address.
        """
        address = str(address).strip().removeprefix(f"{self.package}.")
        name, _, rest = address.partition(".")
        module = self.module(name)
        found = _member(module, rest)
        if found is not None:
            return found
        known = entities.named(module)
        full = f"{entities.short(module.__name__)}.{rest}"
        if full in known:
            return known[full]
        if address in _moved():
            return self.find(_moved()[address])
        raise UnknownAddress(
            f"nothing stands at `{address}`{suggestion(address, known)}; "
            f"it would be declared in {self.package.replace('.', '/')}/{name}.py",
            where(),
        )

    def search(self, words, count=10):
        """Return the statements that some words mean, best first: by name, meaning, letter, synonym.

        >>> [found.address for found in book.search("youngs interval", 1)]
        ['young_daly.interval']
        """
        wanted = _words(_said_here(words))
        scored = [(_score(wanted, *pair), i, pair[1]) for i, pair in enumerate(self.walk())]
        best = sorted((item for item in scored if item[0] > 0), key=lambda item: (-item[0], item[1]))
        return [statement for _, _, statement in best[:count]]


def _member(module, rest):
    """Return what a plain name says, without a look at all the others."""
    value = getattr(module, rest, None) if rest.isidentifier() else None
    return value if value is not None and entities.is_statement(value) and _here(value, module) else None


def _here(value, module):
    return entities.address_of(value).startswith(f"{entities.short(module.__name__)}.")


@functools.cache
def _moved():
    path = DATA / "moved.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["old"]: row["new"] for row in csv.DictReader(file)}


@functools.cache
def _synonyms():
    path = DATA / "synonyms.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def _said_here(words):
    """Return the words with those of the field that this book says otherwise added."""
    text = f" {words.lower().replace('-', ' ')} "
    return " ".join([text, *(here for said, here in _synonyms().items() if f" {said} " in text)])


def _words(text):
    return [w.rstrip("s") or w for w in re.findall(r"[^\W_]+", str(text).lower().replace("'", "").replace("’", ""))]


def _score(wanted, address, statement):
    """Return how well a statement answers the words: whole words count more than beginnings."""
    if address.endswith(MEMBERS):
        return 0
    letter = getattr(statement, "lhs", statement)
    letter = letter if hasattr(letter, "tex") else None
    names, told = _words(address), _words(getattr(statement, "told", "") or "")
    told += _words(getattr(letter, "meaning", "")) + _words(getattr(statement, "meaning", ""))
    total = 0.0
    for word in wanted:
        near = max((_near(word, n) for n in names), default=0) * 2
        near = max(near, max((_near(word, n) for n in told), default=0) * 1.5)
        near = max(near, 2.5 * (letter is not None and word == letter.name.lower()))
        total += near if near else -0.5
    return total * WEIGHTS.get(type(statement).__name__, 0.7) / (1 + 0.03 * len(names + told))


def _near(word, known):
    if word == known:
        return 1.0
    return 0.6 if len(word) > 2 and known.startswith(word) else 0.0


book = Library("mathcore.chapters")


def find(address):
    """Return the statement at an address such as `young_daly.interval`, or `package.module.name`.

    Raises: UnknownAddress, with the nearest known address.

    >>> find("young_daly.interval").latex()
    '\\\\tau_{\\\\mathrm{Y}} = \\\\sqrt{2 C M}'
    """
    head, _, name = str(address).strip().rpartition(".")
    if "." in head and str(address).partition(".")[0] not in book.names():
        try:
            module = importlib.import_module(head)
        except ImportError as error:
            raise UnknownAddress(f"`{head}` cannot be imported: {error}", where()) from None
        found = entities.named(module)
        address = f"{entities.short(head)}.{name}"
        if address not in found:
            raise UnknownAddress(f"nothing stands at `{address}`{suggestion(address, found)}", where())
        return found[address]
    return book.find(address)


def walk():
    """Yield `(address, statement)` for every statement of the book."""
    return book.walk()


def search(words, count=10):
    """Return the statements of the book that some words mean, best first."""
    return book.search(words, count)
