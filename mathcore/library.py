"""Find any statement of the book by its address, or walk through all of them.

An address is `chapter.name`; `chapter.name.derivation` is the derivation of a formula. A chapter
is a module of `mathcore.chapters`, loaded when it is asked for.
"""

import importlib
import pkgutil
import weakref

from mathcore import chapters
from mathcore.derivations import Derivation
from mathcore.entities import CHAPTERS, Entity
from mathcore.errors import UnknownAddress, suggestion, where
from mathcore.formulas import Formula
from mathcore.variables import Variable

_loaded = weakref.WeakKeyDictionary()


def chapter_names():
    """Return the names of all chapter modules, sorted.

    >>> "young_daly" in chapter_names()
    True
    """
    return sorted(found.name for found in pkgutil.iter_modules(chapters.__path__))


def chapter_title(chapter):
    """Return what a chapter is called: the words before the colon of its docstring.

    >>> chapter_title("young_daly"), chapter_title("formula_index")
    ('Young–Daly', 'Formula index')
    """
    if chapter not in chapter_names():
        return chapter.replace("_", " ").capitalize()
    return _module(chapter).__doc__.partition(":")[0].strip()


def chapter_entities(chapter):
    """Yield `(address, entity)` for the statements of one chapter, in the author's order.

    Raises: UnknownAddress for a chapter that does not exist.
    """
    module = _module(chapter)
    home = f"{chapter}.py"
    for name, value in vars(module).items():
        if isinstance(value, (Entity, Variable)) and value.where.rpartition(":")[0].endswith(f"/{home}"):
            yield f"{chapter}.{name}", value
            if isinstance(value, Formula) and value.derivation is not None:
                yield f"{chapter}.{name}.derivation", value.derivation


def walk():
    """Yield `(address, entity)` for every statement of the book."""
    for chapter in chapter_names():
        yield from chapter_entities(chapter)


def find(address):
    """Return the statement at an address such as `young_daly.interval`.

    Raises: UnknownAddress, with the nearest known address.

    >>> find("young_daly.interval").latex()
    '\\\\tau_{\\\\mathrm{Y}} = \\\\sqrt{2 C M}'
    """
    chapter, _, _ = str(address).strip().partition(".")
    known = _entities(_module(chapter), chapter)
    if str(address).strip() not in known:
        raise UnknownAddress(
            f"nothing stands at `{address}`{suggestion(address, known)}; "
            f"it would be declared in mathcore/chapters/{chapter}.py",
            where(),
        )
    return known[str(address).strip()]


def _entities(module, chapter):
    """Return the statements of a chapter by address; those of a loaded chapter do not change."""
    loading = getattr(module.__spec__, "_initializing", False)
    if loading or module not in _loaded:
        found = dict(chapter_entities(chapter))
        if loading:
            return found
        _loaded[module] = found
    return _loaded[module]


def address_of(entity):
    """Return the address of a statement, or an empty text if no loaded chapter names it."""
    if isinstance(entity, Entity) and not isinstance(entity, Derivation):
        return entity.address
    return next((address for address, known in walk() if known is entity), "")


def _module(chapter):
    if chapter not in chapter_names():
        raise UnknownAddress(
            f"there is no chapter `{chapter}`{suggestion(chapter, chapter_names())}; "
            f"an address is `chapter.name`, such as `young_daly.interval`",
            where(),
        )
    return importlib.import_module(CHAPTERS + chapter)
