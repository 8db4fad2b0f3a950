"""A legend, and axes with ticks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mathbook.diagrams.canvas import Canvas


SWATCH, ROW_HEIGHT = 14, 20  # width of a swatch in the legend, height of a row of them


class LegendEntry(NamedTuple):
    """An entry of a legend: its text, the kind and shade of its box, and whether the box is hatched."""

    words: str
    kind: str
    shade: str
    hatched: bool = False


def legend(canvas: "Canvas", entries: Sequence["LegendEntry"], step: float, x: float = 2, y: float = 13) -> float:
    """Draw a legend in one row, or with two entries per row on a narrow canvas; return the y below it."""
    column_width = (canvas.width - x) / 2 if canvas.narrow else step
    for index, entry in enumerate(entries):
        column, row = (index % 2, index // 2) if canvas.narrow else (index, 0)
        left, line = x + column * column_width, y + row * ROW_HEIGHT
        canvas.rect(left, line - 10, SWATCH, 12, entry.kind, entry.shade, 1)
        if entry.hatched:
            canvas.hatch(left, line - 10, SWATCH, 12, entry.kind, 4)
        canvas.text(left + SWATCH + 5, line, entry.words, 12.5, room=column_width - SWATCH - 5)
    return y + ((len(entries) - 1) // 2 * ROW_HEIGHT if canvas.narrow else 0) + 12


def axis(
    canvas: "Canvas", y: float, places: Sequence[tuple[float, str]], line: bool = True, until: float | None = None
) -> None:
    """Draw an axis with ticks at places `(x, label)`, on to x = `until`; end labels stay within its ends."""
    end = max(until or 0, places[-1][0])
    if line:
        canvas.line(places[0][0], y, end, y, "plain", "thin")
    for index, (x, words) in enumerate(places):
        canvas.line(x, y, x, y + 4, "plain", "thin")
        anchor = "start" if index == 0 else "end" if x == end else "middle"
        canvas.text(x, y + 17, words, 12, anchor, "quiet")


def hours_axis(canvas: "Canvas", left: float, y: float, unit: float, until: int) -> None:
    """Draw an axis of hours with a tick at every sixth, `unit` pixels per hour."""
    axis(canvas, y, [(left + hour * unit, f"{hour} h" if hour else "0") for hour in range(0, until + 1, 6)])
