"""`Fact`: a sourced number, with its meaning, its place in the source, and how far it was traced.

`read_facts` reads those of a module from its TOML file. A table states once what its facts share, and
`name = [value, meaning]` is a fact; its qualifier may follow, then `{ at = "…", note = "…" }` with what holds for
it alone.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mathcore import toml_source, units
from mathcore.errors import ArgumentError, DeclarationError, MathcoreError
from mathcore.statements import Group, Statement, located_cached_property
from mathcore.units import Quantity, quantity_text

SHARED = ("kind", "source", "date", "certainty", "at", "qualifier", "scope", "note", "superseded_by")
FACT_KINDS = ("datasheet", "paper", "measurement", "estimate", "convention")
SCOPES = ("", "part", "device", "server")  # of what a value states: not said, a part of a device, one device, a server
CERTAINTY = {
    "primary": "read in the primary source", "primary-copy": "read in a copy of the primary source",
    "secondary": "read in a document that quotes the source", "memory": "not traced to a document"
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Fact(Statement):
    """A quantity with its source: `Fact("5 min", "dump time of Daly's figures", kind="paper", …)`.

    `source` is a citation key of `book/references.bib`, `at` the place in it, `qualifier` what a
    reader could mix up (dense or sparse, per direction, per device), `date` the year or day the
    figure is from. A fact of the `scope` "device" states what one device has: it stands for itself and for the
    rate `per_device`, whichever an input asks for.

    Raises: DeclarationError for a missing source, name or date, an unknown kind or certainty, or a value that is no
    finite number with a known unit.

    >>> Fact("5 min", "dump time", kind="paper", source="daly2006", date="2006").value.to("s")
    <Quantity(300.0, 's')>
    """

    given: str
    meaning: str
    kind: str = ""
    source: str = ""
    at: str = ""
    qualifier: str = ""
    scope: str = ""
    date: str = ""
    certainty: str = "primary-copy"
    note: str = ""
    of: "Fact | None" = None
    qualified_name: str = ""  # module and name, of a fact from a data file

    def __post_init__(self) -> None:
        self._require_text(f"the fact `{self.given}`", "meaning", "source", "date")
        for name, known in (("kind", FACT_KINDS), ("certainty", CERTAINTY), ("scope", SCOPES)):
            self._require_choice(name, known, f"`{self.meaning}`")
        if not isinstance(self.given, str):
            message, hint = f"the value of `{self.meaning}` is {self.given!r}", "write it in quotes, with its unit"
            raise self.located_error(message, code="wrong-type", got=repr(self.given), expected="a text", hint=hint)
        try:
            units.quantity(self.given, self.meaning)
        except MathcoreError as error:
            raise DeclarationError.of(error, self.where) from None

    def _repr_detail(self) -> str:
        return f": {self.given}"

    @located_cached_property
    def value(self) -> Quantity:
        """Return the quantity in the unit in which the source states it."""
        return units.quantity(self.given, self.meaning)

    @property
    def address(self) -> str:
        """Return the address under which the fact is stated, also of a fact made by `per`."""
        return super().address if self.of is None else self.of.address

    def source_facts(self) -> "dict[str, Fact]":
        """Return the fact itself, by its address, or by its line if it has none."""
        return {self.address or self.where: self}

    def per(self, unit: str) -> "Fact":
        """Return the fact as a rate per `unit`: what holds for one device, per device.

        Raises: ArgumentError, at the line of the caller, for a text that is no unit.

        >>> chip = Fact("80 GB", "memory of a chip", kind="datasheet", source="daly2006", date="2022")
        >>> chip.per("gpu").value.to("GB/gpu")
        <Quantity(80.0, 'GB / gpu')>
        """
        if re.match(r"\s*[\d.]", unit):
            message, form = f"`{unit}` is no unit", "a unit alone, such as `gpu`"
            raise ArgumentError(message, code="unit-syntax", got=unit, expected=form, hint=f"write {form}")
        units.unit(unit)
        return replace(self, given=f"{self.given}/({unit})", scope="", of=self.of or self)

    @functools.cached_property
    def per_device(self) -> "Fact | None":
        """Return the fact as a rate per device if it states what one device has, else None."""
        return self.per("gpu") if self.scope == "device" else None

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the value as pages print it: with the digits of the source, unless it is converted.

        >>> Fact("9.1 min", "optimum", kind="paper", source="daly2006", date="2006").text()
        '9.1\\u202fmin'
        """
        if unit is not None or digits is not None:
            return quantity_text(self.value, unit, digits or 3)
        return quantity_text(self.value, None, units.stated_digits(self.given))


def read_facts(module: str) -> Group:
    """Return the facts of `module` as a Group: `facts.lab_write`, or `facts["lab_write"]`.

    They are in `facts.toml` next to the `__init__` of a folder, and in `MODULE.facts.toml` next to any other module.
    With `__getattr__ = facts.__getattr__` the module has them as its own names.

    Raises: DeclarationError with file and line of every row that is no fact.

    >>> read_facts("mathcore.chapters.hardware").h100_hbm.value
    <Quantity(80.0, 'GB')>
    """
    rows = _read_rows(toml_source.data_path(module, "facts.toml"))

    def made(place: str, name: str, shared: dict, cells: list) -> Fact:
        return Fact(**shared | _own_fields(name, cells, place), where=place, qualified_name=f"{module}.{name}")

    return toml_source.collect_statements(((row[0], row[1], functools.partial(made, *row)) for row in rows), module)


def _own_fields(name: str, cells: list, place: str) -> dict:
    """Return the keys of a row, by the names of a Fact's fields."""
    own = cells[-1] if cells and isinstance(cells[-1], dict) else {}
    texts = [cell for cell in cells if cell is not own]
    if len(texts) not in (2, 3) or not all(isinstance(text, str) for text in texts):
        want = '["value", "meaning"], perhaps with "qualifier" and { at = "…" } behind'
        message = f"`{name}` is {cells!r}"
        raise DeclarationError(message, place, code="wrong-type", got=cells, expected=want, hint=f"write {want}")
    _check_keys(own, place)
    return dict(zip(("given", "meaning", "qualifier"), texts, strict=False)) | own


def _check_keys(keys: dict[str, object], place: str) -> None:
    for key, text in keys.items():
        toml_source.reject_unknown_key(key, SHARED, place)
        if not isinstance(text, str):
            message, hint = f"`{key}` is {text!r}", "write it in quotes"
            raise DeclarationError(message, place, code="wrong-type", got=repr(text), expected="a text", hint=hint)


def _read_rows(path: Path) -> Iterator[tuple[str, str, dict, list]]:
    """Yield place, name, shared keys and cells of every fact of a file."""
    stated, places = toml_source.parse_toml(path)
    for label, table in stated.items():
        if not isinstance(table, dict):
            message = f"`{label}` is in no [table], which would say kind and source"
            raise DeclarationError(message, places[""][label], code="missing", expected="a [table]")
        shared = {key: value for key, value in table.items() if not isinstance(value, list)}
        for key, value in table.items():
            if key in shared:
                _check_keys({key: value}, places[label][key])
            else:
                yield places[label][key], key, shared, value
