"""Tables for the output of code cells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Column heads and rows; a float is printed to three digits, None as a dash, True as yes.

    >>> print(Table(("part", "gap"), [("weights", 0.72309), ("none", None)])._repr_markdown_())
    | part | gap |
    |---|---|
    | weights | 0.723 |
    | none | – |
    """

    columns: tuple
    rows: list

    def _repr_markdown_(self):
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        texts = ["| " + " | ".join(map(cell, line)) + " |" for line in lines]
        return "\n".join([texts[0], "|" + "---|" * len(self.columns), *texts[2:]])


def cell(value):
    """Return a value as the text of a cell.

    >>> [cell(v) for v in (True, 0.0, 12345678, 2.5e-7, "rank 3")]
    ['yes', '0', '12\\u202f345\\u202f678', '2.50·10⁻⁷', 'rank 3']
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return _float(value)
    return str(value)


def _float(value):
    if value == 0 or 0.001 <= abs(value) < 1000 or value != value:
        return f"{value:.3g}".replace("-", "−")
    if 1000 <= abs(value) < 10_000:
        return f"{value:.0f}"
    digits, _, power = f"{value:.2e}".partition("e")
    return digits if not power else f"{digits}·10{str(int(power)).translate(RAISED)}"


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
