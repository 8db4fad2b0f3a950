"""`Fact`: a number from outside, with what it is, where it stands, and how far it was traced.

`read_facts` reads those of a module from its data files. In TOML a table says once what its facts share,
and `name = [value, meaning]` is a fact; its qualifier may follow, then `{ at = "…", note = "…" }` with
what holds for it alone. In CSV a line is a thing with a `name` and a `title`, and a column a property,
whose meaning stands in the line called `meaning`: `name_column` is a fact.
"""

import csv
import functools
import re
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from mathcore import units
from mathcore.entities import Entity, Group
from mathcore.errors import ENGINE, ROOT, DeclarationError, MathcoreError, suggestion, where
from mathcore.units import quantity_text

FOLDER = ENGINE / "data" / "facts"
SHARED = ("kind", "source", "date", "certainty", "at", "qualifier", "note")
KINDS = ("datasheet", "paper", "measurement", "estimate", "convention")
CERTAINTY = {
    "primary": "read in the primary source",
    "primary-copy": "read in a copy of the primary source",
    "secondary": "read in a document that quotes the source",
    "memory": "not traced to a document",
}


@dataclass(frozen=True, eq=False, repr=False)
class Fact(Entity):
    """State a sourced quantity: `Fact("5 min", "dump time of Daly's figures", kind="paper", …)`.

    `source` is a citation key of `book/references.bib`, `at` the place in it, `qualifier` what a
    reader could mix up (dense or sparse, per direction, per device), `date` the year or day the
    figure is from.

    Raises: DeclarationError for a missing source, name or date, or an unknown kind or certainty.

    >>> Fact("5 min", "dump time", kind="paper", source="daly2006", date="2006").value.to("s")
    <Quantity(300.0, 's')>
    """

    given: str
    meaning: str
    kind: str = ""
    source: str = ""
    at: str = ""
    qualifier: str = ""
    date: str = ""
    certainty: str = "primary-copy"
    note: str = ""
    of: "Fact | None" = None
    named_as: str = ""  # module and name, of a fact from a data file

    def __post_init__(self):
        """Refuse a fact that nobody could look up."""
        for name in ("meaning", "source", "date"):
            if not getattr(self, name).strip():
                raise DeclarationError(
                    f"the fact `{self.given}` has no {name}: nobody could look it up", self.where
                )
        for name, known in (("kind", KINDS), ("certainty", CERTAINTY)):
            if (stated := getattr(self, name)) not in known:
                raise DeclarationError(
                    f"{name} `{stated}` of `{self.meaning}`: one of {', '.join(known)}", self.where
                )

    def _told(self):
        return f": {self.given}"

    @functools.cached_property
    def value(self):
        """Return the quantity in the unit in which the source states it."""
        try:
            return units.quantity(self.given, self.meaning)
        except MathcoreError as error:
            raise type(error)(error.message, self.where) from None

    def complaints(self):
        """Yield what is wrong with the number, as a text that is no quantity."""
        try:
            self.value  # noqa: B018  reading is the check
        except MathcoreError as error:
            yield self.complaint(error)

    @property
    def address(self):
        """Return the address under which the fact is stated, also of a fact made by `per`."""
        return super().address if self.of is None else self.of.address

    def roots(self):
        """Return the fact itself, by its address, or by its line if it has none."""
        return {self.address or self.where: self}

    def per(self, unit):
        """Return the fact as a rate: what holds for one device, per device.

        >>> chip = Fact("80 GB", "memory of a chip", kind="datasheet", source="daly2006", date="2022")
        >>> chip.per("gpu").value.to("GB/gpu")
        <Quantity(80.0, 'GB / gpu')>
        """
        return replace(self, given=f"{self.given}/{unit}", of=self.of or self)

    def text(self, unit=None, digits=None):
        """Return the value as pages print it: with the digits of the source, unless it is converted.

        >>> Fact("9.1 min", "optimum", kind="paper", source="daly2006", date="2006").text()
        '9.1\\u202fmin'
        """
        if unit is not None or digits is not None:
            return quantity_text(self.value, unit, digits or 3)
        stated = self.given.split(maxsplit=1)[0]
        places = len(stated.partition(".")[2]) if "e" not in stated else 0
        whole = len(stated.partition(".")[0].lstrip("+-0"))
        return quantity_text(self.value, None, whole + places if places else None)


def read_facts(home, *names):
    """Return the facts of the module called `home` as a Group: `facts.lab_write`, or `facts["lab_write"]`.

    `names` are files beside the module, `MODULE.toml` unless told; those of a chapter of the book lie in
    `mathcore/data/facts`. With `__getattr__ = facts.__getattr__` the module has them as its own names.

    Raises: DeclarationError with file and line of every row that is no fact.

    >>> read_facts("mathcore.chapters.hardware").h100_hbm.value
    <Quantity(80.0, 'GB')>
    """
    found: dict[str, Fact] = {}
    wrong = []
    own = getattr(sys.modules.get(home), "__file__", None) or "."
    folder = FOLDER if home.startswith("mathcore.chapters.") else Path(own).parent
    for path in [folder / name for name in names or (f"{home.rpartition('.')[2]}.toml",)]:
        for place, name, shared, cells in _rows(path):
            try:
                keys = _keys(name, shared, cells, place)
                if name in found:
                    raise DeclarationError(f"`{name}` is stated at {found[name].where} as well", place)
                found[name] = Fact(**keys, where=place, named_as=f"{home}.{name}")
            except DeclarationError as error:
                wrong.append(str(error))
    if wrong:
        raise DeclarationError("\n".join(wrong))
    return Group(found, home, flat=True)


def _keys(name, shared, cells, place):
    """Return the keyword arguments of one fact."""
    if not name.isidentifier() or hasattr(Group, name):
        raise DeclarationError(f"`{name}` cannot be the name of a fact: choose another one", place)
    own = cells[-1] if cells and isinstance(cells[-1], dict) else {}
    texts = [cell for cell in cells if cell is not own]
    if len(texts) not in (2, 3) or not all(isinstance(text, str) for text in texts):
        wanted = '["value", "meaning"], perhaps with "qualifier" and { at = "…" } behind'
        raise DeclarationError(f"`{name}` is {cells!r}: it wants {wanted}", place)
    _check(own, place)
    return {**shared, **dict(zip(("given", "meaning", "qualifier"), texts, strict=False)), **own}


def _check(keys, place):
    for key, text in keys.items():
        if key not in SHARED:
            known = f"{suggestion(key, SHARED)}: it has {', '.join(SHARED)}"
            raise DeclarationError(f"a fact has no `{key}`{known}", place)
        if not isinstance(text, str):
            raise DeclarationError(f"`{key}` is {text!r}: write it in quotes", place)


def _rows(path):
    """Yield place, name, shared keys and cells of every fact of a file, as the file states them."""
    path = path.resolve()
    shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise DeclarationError(f"facts cannot be read from {shown}: {error.strerror}", where()) from None
    return (_rows_of_csv if path.suffix == ".csv" else _rows_of_toml)(text, shown)


def _rows_of_toml(text, shown):
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.findall(r"at line (\d+)", f"{error} at line 1")[0]
        raise DeclarationError(f"this is no TOML: {error}", f"{shown}:{line}") from None
    lines = _lines(text)
    for label, table in tables.items():
        if not isinstance(table, dict):
            place = f"{shown}:{lines.get(('', label), 1)}"
            raise DeclarationError(f"`{label}` is in no [table], which would say its kind and source", place)
        shared = {key: value for key, value in table.items() if not isinstance(value, list)}
        for key, value in table.items():
            place = f"{shown}:{lines.get((label, key), 1)}"
            if key in shared:
                _check({key: value}, place)
            else:
                yield place, key, shared, value


def _lines(text):
    """Return the line of every key, by table and key."""
    found: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(r"\s*\[\s*([\w-]+)\s*\]", line):
            table = heading[1]
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            found.setdefault((table, key[1]), number)
    return found


def _rows_of_csv(text, shown):
    table = csv.DictReader(text.splitlines())
    means = next(table, {})
    columns = [column for column in table.fieldnames or () if column not in ("name", "title", *SHARED)]
    for column in columns:
        if means.get("name") != "meaning" or not means[column]:
            raise DeclarationError(
                f"the column `{column}`{suggestion(column, SHARED)} has no meaning in the line below the "
                "head, which is called `meaning`",
                f"{shown}:2",
            )
    for row in table:
        place = f"{shown}:{table.line_num}"
        if None in row or None in row.values():
            raise DeclarationError(f"`{row['name']}` has more or fewer cells than the head", place)
        shared = {key: row[key] for key in SHARED if row.get(key)}
        for column in columns:
            cells = [row[column], f"{means[column]}; {row['title']}"]
            if row[column]:
                yield place, f"{row['name']}_{column}", shared, cells
