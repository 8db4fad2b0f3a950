"""`Diagram`, and the registry that finds the diagrams of a book by name and imports them when they are needed.

The function of a diagram takes a `StatementReader`, through which it reads statements, and returns a Diagram. The
addresses that it reads are recorded, so that its page is read again when one of the statements changes.
"""

import ast
import functools
import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mathbook.diagrams.canvas import NARROW, WIDE, Canvas
from mathbook.prose_numbers import PAGES
from mathbook.values import find_statement, resolve_value
from mathcore import Formula
from mathcore.errors import DeclarationError
from mathcore.library import current_library
from mathcore.units import Quantity, QuantityLike, quantity, quantity_text, unit

DECLARED = re.compile(r'^@diagram\("([\w-]+)"\)', re.MULTILINE)
READS_ALL_CHAPTERS = re.compile(r"^USES_ALL_CHAPTERS = True\b", re.MULTILINE)
_configured: list[Path] = []  # the folder of diagrams, set by `set_diagrams_folder`


class Frame(NamedTuple):
    """One frame of an animated diagram: canvas and description; with `between` it is shown only during play."""

    canvas: Canvas
    description: str
    between: bool = False


@dataclass(frozen=True)
class Diagram:
    """A diagram: title, description, layouts, and its numbers as a table.

    `draw` draws it on a Canvas of a given width. With `frames` it is an animation instead. `values` holds what the
    picture shows as numbers, by name, for tests that compare it with the formulas.

    Raises: DeclarationError for a diagram without title, description or table.
    """

    title: str
    description: str
    draw: Callable | None = None
    columns: tuple = ()
    rows: tuple = ()
    frames: tuple = ()
    values: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject a diagram that a screen reader could not present."""
        for name in ("title", "description", "columns", "rows"):
            if not getattr(self, name):
                message = f"the diagram `{self.title}` has no {name}: give it one, as screen readers present it"
                raise DeclarationError(message)

    def canvas(self, width: float) -> Canvas:
        """Return a canvas of this width with the drawing."""
        sheet = Canvas(width)
        if self.draw is not None:
            self.draw(sheet)
        return sheet

    def layouts(self) -> dict[str, Canvas]:
        """Return `{suffix: canvas}` of the wide and the narrow layout, or of the frames."""
        if self.frames:
            return {f"{i}": frame.canvas for i, frame in enumerate(self.frames)}
        return {"wide": self.canvas(WIDE), "narrow": self.canvas(NARROW)}

    def svg(self, name: str) -> dict[str, str]:
        """Return `{suffix: SVG}` of all layouts."""
        described = {f"{i}": frame.description for i, frame in enumerate(self.frames)}
        return {
            end: sheet.svg(self.title, described.get(end, self.description), f"mc-diagram-{name}-{end}")
            for end, sheet in self.layouts().items()
        }


class StatementReader:
    """Access of a diagram to statements by their addresses, which are recorded in `used`."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def __call__(self, address: str, of: str = "") -> Quantity:
        """Return the quantity of a fact or an example, or one of its inputs by name."""
        self._record(address)
        statement = find_statement(address)
        if not of:
            return statement.at() if isinstance(statement, Formula) else statement.value
        return next(quantity(given) for variable, given in statement.givens.items() if variable.name == of)

    def at(self, address: str, **givens: QuantityLike) -> Quantity:
        """Return the value of the formula at `address` for the given inputs."""
        self._record(address)
        return find_statement(address).at(**givens)

    def formula(self, address: str) -> Any:
        """Return the formula or example at `address`."""
        self._record(address)
        return find_statement(address)

    def text(self, written: str) -> str:
        """Return a value as the role `mc:value` prints it: `address | unit, digits`."""
        printed = resolve_value(written)
        self._record(printed.address)
        return printed.text

    def number(self, address: str, unit_name: str = "", of: str = "") -> float:
        """Return the magnitude of a statement in a unit."""
        return float(self(address, of).m_as(unit(unit_name)))

    def _record(self, address: str) -> None:
        if address not in self.used:
            self.used.append(address)


Maker: TypeAlias = Callable[[StatementReader], Diagram]
_functions: dict[str, Maker] = {}  # by the names of diagrams, of the modules imported so far


def as_text(amount: Quantity, unit_name: str | None = None, digits: int | None = 3) -> str:
    """Return a quantity as text."""
    return quantity_text(amount, unit_name, digits)


def percent(part: float | Quantity, digits: int | None = 2) -> str:
    """Return a share as text in percent.

    >>> percent(0.8241, 3)
    '82.4\u202f%'
    """
    return as_text(quantity(float(part)), "%", digits)


def diagram(name: str) -> Callable[[Maker], Maker]:
    """Register the function that makes the diagram `name` (a decorator)."""

    def register(function: Maker) -> Maker:
        _functions[name] = function
        return function

    return register


def set_diagrams_folder(path: Path) -> None:
    """Set the folder of diagrams for this process."""
    _configured[:] = [Path(path)]


def diagrams_folder() -> Path:
    """Return the folder of diagrams that is configured, or `diagrams` next to the pages."""
    return _configured[0] if _configured else PAGES / "diagrams"


@functools.cache
def _declared_diagrams(root: Path) -> dict[str, Path]:
    """Return `{name: path}` of all diagrams below a folder; the sources are searched, not imported."""
    modules = sorted(root.rglob("*.py")) if root.is_dir() else ()
    return {name: path for path in modules for name in DECLARED.findall(path.read_text("utf-8"))}


def diagram_names() -> list[str]:
    """Return the names of all diagrams, sorted."""
    return sorted(_declared_diagrams(diagrams_folder()))


def module_name(path: Path) -> str:
    """Return the dotted name under which a module of the folder of diagrams is imported."""
    root = diagrams_folder()
    return ".".join([root.name, *path.relative_to(root).with_suffix("").parts])


def diagram_function(name: str) -> Maker:
    """Return the function that makes the diagram `name`; its module is imported.

    Raises: KeyError for an unknown name.
    """
    path = _declared_diagrams(diagrams_folder())[name]
    if name not in _functions:
        if (parent := str(diagrams_folder().parent)) not in sys.path:
            sys.path.insert(0, parent)
        importlib.import_module(module_name(path))
    return _functions[name]


def source_files(name: str) -> list[Path]:
    """Return the paths of the sources of a diagram: its module and the modules of the folder that it imports."""
    waiting, paths = [_declared_diagrams(diagrams_folder())[name]], []
    while waiting:
        path = waiting.pop()
        if path not in paths:
            paths.append(path)
            waiting += _imported_modules(path)
    return paths


def _imported_modules(path: Path) -> list[Path]:
    """Return the paths of the modules in the folder of diagrams that a module imports."""
    root, paths = diagrams_folder(), []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (module := node.module or "").partition(".")[0] == root.name:
            base = root.joinpath(*module.split(".")[1:])
            paths += [base.with_suffix(".py"), *(base / f"{each.name}.py" for each in node.names)]
    return [each for each in paths if each.is_file()]


def source_text(name: str) -> str:
    """Return a text that names every chapter from which a diagram takes its numbers: its sources."""
    if name not in diagram_names():
        return ""
    text = "\n".join(path.read_text("utf-8") for path in source_files(name))
    return text + (f"\nimport {', '.join(current_library.names())}" if READS_ALL_CHAPTERS.search(text) else "")


def diagram_content(name: str) -> str:
    """Return everything that a diagram presents, as one text; an empty text for an unknown name."""
    if name not in diagram_names():
        return ""
    loaded, used = load_diagram(name)
    return repr((loaded.title, loaded.description, loaded.columns, loaded.rows, loaded.svg(name), used))


def load_diagram(name: str) -> tuple[Diagram, tuple[str, ...]]:
    """Return the Diagram `name`, and the addresses of the statements that it reads.

    Raises: KeyError for an unknown name.
    """
    reading = StatementReader()
    return diagram_function(name)(reading), tuple(reading.used)
