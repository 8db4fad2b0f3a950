"""`Fact`: a number from outside, with what it is, where it stands, and how far it was traced."""

import functools
from dataclasses import dataclass, field, replace

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, MathcoreError
from mathcore.units import quantity_text

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
    of: object = field(default=None, repr=False)

    def __post_init__(self):
        """Refuse a fact that nobody could look up."""
        for name in ("meaning", "source", "date"):
            if not getattr(self, name).strip():
                raise DeclarationError(
                    f"the fact `{self.given}` has no {name}: nobody could look it up", self.where
                )
        if self.kind not in KINDS:
            raise DeclarationError(
                f"kind `{self.kind}` of `{self.meaning}`: one of {', '.join(KINDS)}", self.where
            )
        if self.certainty not in CERTAINTY:
            raise DeclarationError(
                f"certainty `{self.certainty}` of `{self.meaning}`: one of {', '.join(CERTAINTY)}",
                self.where,
            )

    def _told(self):
        return f": {self.given}"

    @functools.cached_property
    def value(self):
        """Return the quantity in the unit in which the source states it."""
        return units.quantity(self.given, self.meaning)

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
