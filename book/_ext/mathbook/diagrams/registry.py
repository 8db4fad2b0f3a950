"""`Drawing`: a schematic with its words and its numbers, and the list of all of them by name.

A maker takes a `Reading`, the only door to the statements of the book, and returns a Drawing. What it reads
is noted, so that the page is drawn again when a statement says something else.
"""

import functools
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from mathbook.diagrams.canvas import NARROW, WIDE, Canvas
from mathbook.values import lookup, value
from mathcore import Formula
from mathcore.errors import DeclarationError, where
from mathcore.library import book
from mathcore.units import quantity, quantity_text, unit

MAKERS = {}  # name → maker
BASE = ("directive", "drawings", "furniture", "lettering", "messages", "canvas")


class Frame(NamedTuple):
    """One step of a drawing that can be played: its picture and what happens in it; `between` only when played."""

    canvas: Canvas
    told: str
    between: bool = False


@dataclass(frozen=True)
class Drawing:
    """A schematic: title, description, picture for any width, and its numbers as a table.

    `draw` lays it out on a Canvas of the width it is given. With `frames` it is a film instead. `values` holds
    what the picture shows as numbers, by name, for whoever compares it with the formulas.

    Raises: DeclarationError for a drawing that cannot be told in words.
    """

    title: str
    told: str
    draw: Callable | None = None
    columns: tuple = ()
    rows: tuple = ()
    frames: tuple = ()
    values: dict = field(default_factory=dict)

    def __post_init__(self):
        """Refuse what only those who see could understand."""
        for name in ("title", "told", "columns", "rows"):
            if not getattr(self, name):
                raise DeclarationError(f"the drawing `{self.title}` has no {name}: say it in words", where())

    def canvas(self, width):
        """Return the sheet of this width with the picture on it."""
        sheet = Canvas(width)
        self.draw(sheet)
        return sheet

    def sheets(self):
        """Return all sheets by the end of their names: those for wide and narrow columns, or the frames."""
        if self.frames:
            return {f"{i}": frame.canvas for i, frame in enumerate(self.frames)}
        return {"wide": self.canvas(WIDE), "narrow": self.canvas(NARROW)}

    def svg(self, name):
        """Return `{end of the name: SVG}` of all sheets."""
        told = {f"{i}": frame.told for i, frame in enumerate(self.frames)}
        return {
            end: sheet.svg(self.title, told.get(end, self.told), f"mc-draw-{name}-{end}")
            for end, sheet in self.sheets().items()
        }


class Reading:
    """The statements that a drawing reads, by their addresses, which it notes."""

    def __init__(self):
        self.used = []

    def __call__(self, address, of=""):
        """Return the quantity of a fact or an example, or one of its givens by name."""
        self._note(address)
        entity = lookup(address)
        if not of:
            return entity.at() if isinstance(entity, Formula) else entity.value
        return next(quantity(given) for variable, given in entity.givens.items() if variable.name == of)

    def at(self, address, **givens):
        """Return a formula's value at givens."""
        self._note(address)
        return lookup(address).at(**givens)

    def formula(self, address):
        """Return a formula or an example itself."""
        self._note(address)
        return lookup(address)

    def text(self, written):
        """Return a value as the prose of a page would have it: `address | unit, digits`."""
        found = value(written)
        self._note(found.address)
        return found.text

    def number(self, address, unit_name="", of=""):
        """Return the number of a statement in a unit."""
        return float(self(address, of).m_as(unit(unit_name)))

    def _note(self, address):
        if address not in self.used:
            self.used.append(address)


def said(amount, unit_name=None, digits=3):
    """Return a quantity as text."""
    return quantity_text(amount, unit_name, digits)


def percent(part, digits=2):
    """Return a share as text.

    >>> percent(0.8241, 3)
    '82.4\u202f%'
    """
    return quantity_text(quantity(float(part)), "%", digits)


def drawing(name):
    """Enter a maker under a name (a decorator)."""

    def enter(maker):
        MAKERS[name] = maker
        return maker

    return enter


@functools.cache
def makers():
    """Return `{name: maker}` of all drawings, those of every module beside this one, loaded once."""
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in BASE:
            importlib.import_module(f"{__package__}.{module.name}")
    return MAKERS


def sources(name):
    """Return a text that names every chapter from which a drawing takes its numbers: that of its module."""
    if name not in makers():
        return ""
    module = sys.modules[makers()[name].__module__]
    if getattr(module, "EVERYTHING", False):
        return f"\nimport {', '.join(book.names())}"
    return inspect.getsource(module)


def shows(name):
    """Return everything that a reader sees or hears of a drawing, as one text; of an unknown name nothing."""
    if name not in makers():
        return ""
    drawn, used = made(name)
    return repr((drawn.title, drawn.told, drawn.columns, drawn.rows, drawn.svg(name), used))


def made(name):
    """Return the Drawing of a name, and the addresses of the statements that it shows.

    Raises: KeyError.
    """
    reading = Reading()
    return makers()[name](reading), tuple(reading.used)
