"""`Dataset`: measured rows with units, source and licence, kept as one CSV file and the TOML file that explains it.

    meaning = "…"                  # what was measured, of what
    source = "key"                 # of `book/references.bib`; `at` is the place in it, `date` when it was written
    how = "…"                      # how it was measured; `licence`, `certainty` and `caveats` say how it may be used
    [systems]
    are = "models on one cluster"  # what counts as one system: rows that share whatever a formula leaves out
    of = "LLM Foundry"             # whose they are; data sets with the same name share their systems
    columns = ["device", "model"]  # of which each combination is a system; none if all rows are of one
    [columns]
    model = ["text", "name of the model"]
    step = ["s", "time of one training step"]

Nothing is read before it is asked for. What cannot be read is refused with its line, all of a file at once.
"""

import csv
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mathcore import toml_source, units
from mathcore.errors import ROOT, ArgumentError, DeclarationError, MathcoreError, display_path, nearest
from mathcore.facts import CERTAINTY
from mathcore.statements import Statement
from mathcore.types import AnyDict
from mathcore.units import Quantity

FOLDER = "datasets"  # beside the module that states them
METADATA = ("meaning", "source", "at", "date", "how", "licence", "certainty", "caveats")
MAX_ROWS = 500  # rows that a reader could look through


class Column(NamedTuple):
    """A column: its unit, or `text`, and its meaning."""

    unit: str
    meaning: str


class Systems(NamedTuple):
    """What the systems `are`, in the plural, `of` whom, and the columns of which each combination is a system."""

    are: str
    of: str
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Statement):
    """A table of measured rows: `Dataset("mpt_fsdp")` reads `mpt_fsdp.csv` and `mpt_fsdp.toml` of the folder.

    The folder defaults to `datasets` next to the module that states it. An empty cell is a value that
    the source does not give. Reading raises DeclarationError with file and line for a file that lacks its source
    or licence, a column without unit or meaning, and a cell that is no number; `issues` yields the same.

    >>> from mathcore import find
    >>> runs = find("training.measured.mpt")
    >>> runs.source, runs.columns["throughput"].unit, runs.rows[0]["model"]
    ('llmfoundry2025', 'token/s', 'MPT-70b')
    """

    file: str
    folder: Path = Path()

    def __post_init__(self) -> None:
        if self.folder == Path():
            object.__setattr__(self, "folder", (ROOT / self.where.rpartition(":")[0]).parent / FOLDER)

    def _repr_detail(self) -> str:
        return f": {self.file}"

    @functools.cached_property
    def _stated(self) -> tuple[dict, dict]:
        stated, places = toml_source.parse_toml(self.folder / f"{self.file}.toml")
        for key in stated:
            place = places.get(key, places[""]).get(key, places[""][""])
            toml_source.reject_unknown_key(key, (*METADATA, "columns", "systems"), place)
        for key in METADATA:
            if not isinstance(stated.get(key), str) or not stated[key].strip():
                message = f"the data have no `{key}`: nobody could look them up or know what they are worth"
                raise DeclarationError(message, places[""].get(key, places[""][""]), code="missing", expected=key)
        if stated["certainty"] not in CERTAINTY:
            got, known, place = stated["certainty"], ", ".join(CERTAINTY), places[""]["certainty"]
            raise DeclarationError(
                f"certainty must be one of {known}", place, code="not-a-choice", got=got, expected=known
            )
        return stated, places

    def __getattr__(self, key: str) -> str:
        """Return the description of the data: meaning, source, at, date, how, licence, certainty, caveats."""
        if key in METADATA:
            return self._stated[0][key]
        raise AttributeError(f"a Dataset has no `{key}`")

    @functools.cached_property
    def columns(self) -> dict[str, Column]:
        """Return unit and meaning of each column, by name."""
        stated, places = self._stated
        columns = {}
        for name, cells in stated.get("columns", {}).items():
            place = places["columns"][name]
            if not isinstance(cells, list) or len(cells) != 2 or not all(isinstance(c, str) for c in cells):
                message, form = f"the column `{name}` is {cells!r}", '["unit or text", "meaning"]'
                hint = f"write {form}"
                raise DeclarationError(message, place, code="wrong-type", got=repr(cells), expected=form, hint=hint)
            if not cells[1].strip():
                message = f"the column `{name}` has no meaning"
                raise DeclarationError(message, place, code="missing", expected="a meaning")
            try:
                columns[name] = Column(*cells)
                units.unit("" if cells[0] == "text" else cells[0])
            except MathcoreError as error:
                raise DeclarationError.of(error, place, f"the column `{name}`: ") from None
        return columns

    @functools.cached_property
    def rows(self) -> tuple[AnyDict, ...]:
        """Return each row as `{column: quantity, text, or None for an empty cell}`."""
        path = self.folder / f"{self.file}.csv"
        table = csv.DictReader(toml_source.read_text(path).splitlines())
        self._check_head(table.fieldnames or (), f"{display_path(path)}:1")
        scales = {name: None if c.unit == "text" else units.unit(c.unit) for name, c in self.columns.items()}
        rows, wrong = [], []
        for row in table:
            place = f"{display_path(path)}:{table.line_num}"
            if None in row or None in row.values():
                wrong.append(f"{place}: the row has more or fewer cells than the head")
                continue
            try:
                rows.append({name: _parse_cell(name, row[name], scale) for name, scale in scales.items()})
            except ArgumentError as error:
                wrong.append(f"{place}: {error.message}")
        if wrong or not 0 < len(rows) <= MAX_ROWS:
            few = f"{display_path(path)}:1: {len(rows)} rows: keep some that can be looked through, at most {MAX_ROWS}"
            message = "\n".join(wrong or [few])
            raise DeclarationError(message, "", code="unreadable", got=len(wrong), expected="rows that can be read")
        return tuple(rows)

    def _check_head(self, head: Iterable[str], place: str) -> None:
        for name in head:
            if name not in self.columns:
                message, want = f"the column `{name}` has no unit and no meaning", "a unit and a meaning"
                hint = nearest(name, self.columns) or f"state them under [columns] in {self.file}.toml"
                raise DeclarationError(message, place, code="missing", got=name, expected=want, hint=hint)
        if missing := self.columns.keys() - set(head):
            message = f"there is no column {', '.join(sorted(missing))}"
            raise DeclarationError(message, place, code="missing", expected=", ".join(sorted(missing)))

    def _find_issues(self) -> None:
        self.rows, self.systems  # noqa: B018  reading is the check

    @functools.cached_property
    def systems(self) -> Systems:
        """Return what counts as a system.

        Raises: DeclarationError for data that do not say what counts as a system.
        """
        stated, places = self._stated
        table = stated.get("systems", {})
        place = places.get("systems", places[""])[""]
        for key in table:
            toml_source.reject_unknown_key(key, Systems._fields, place)
        of, columns, are = table.get("of", ""), table.get("columns"), table.get("are", "")
        if not (isinstance(are, str) and isinstance(of, str) and isinstance(columns, list) and are.strip()):
            message = "the data do not say what counts as one system: their rows might all be of one"
            expected = '[systems] are = "clusters of one laboratory", of = "LANL", columns = ["system"]'
            raise DeclarationError(message, place, code="missing", expected=expected)
        for name in columns:
            self.require(name)
        return Systems(are, of, tuple(columns))

    def system_of(self, row: Mapping[str, Any]) -> str:
        """Return the name of the system of a row: rows of one system share whatever a formula leaves out."""
        _, of, columns = self.systems
        cells = (row[name] for name in columns)
        return ", ".join(filter(None, (of, *(f"{c.magnitude:g}" if isinstance(c, Quantity) else c for c in cells))))

    def systems_of(self, rows: Iterable[Mapping[str, Any]]) -> list[str]:
        """Return the systems of rows, sorted."""
        return sorted({self.system_of(row) for row in rows})

    def require(self, name: str) -> None:
        """Raise a DeclarationError for a name that is no column, with the nearest one."""
        if name not in self.columns:
            message, hint = f"{self.file} has no column `{name}`", nearest(name, self.columns)
            raise DeclarationError(message, code="unknown-key", got=name, expected=", ".join(self.columns), hint=hint)

    def chosen(self, wanted: Mapping[str, object]) -> list[AnyDict]:
        """Return the rows whose cells are as wanted: `{"device": "H100", "tokens": ">= 512", "heads": (8, 16)}`.

        Raises: DeclarationError for an unknown column, or where no row has such a cell.
        """
        rows = list(self.rows)
        for name, want in wanted.items():
            self.require(name)
            wants = want if isinstance(want, tuple) else (want,)
            rows = [row for row in rows if any(_matches(row[name], each) for each in wants)]
        if not rows:
            message = f"no row of {self.file} has {dict(wanted)}"
            raise DeclarationError(message, code="missing", got=dict(wanted), expected="a row")
        return rows


def _parse_cell(name: str, text: str, scale: object) -> "Quantity | str | None":
    if scale is None or not text:
        return text or None
    try:
        return Quantity(float(text), scale)
    except ValueError:
        message = f"`{text}` in the column `{name}` is no number"
        raise ArgumentError(message, code="not-a-number", got=text, expected="a number") from None


def _matches(cell: object, want: object) -> bool:
    """Return whether a cell is as wanted: equal, or beyond a bound such as `>= 512`."""
    if not isinstance(cell, Quantity):
        return cell == want
    sign, _, bound = str(want).rpartition(" ")
    number = cell.magnitude
    than = {"": number == float(bound), ">=": number >= float(bound), "<=": number <= float(bound)}
    return {**than, ">": number > float(bound), "<": number < float(bound)}[sign]
