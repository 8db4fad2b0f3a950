"""The machine of the case, device by device: how much of it the date needs, and how much of it is delivered."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram, percent

GAP = 2.5  # between two lines


class Mark(NamedTuple):
    """A number of devices' worth of work, what it is, and how the devices up to it are drawn."""

    devices: float
    words: str
    kind: str
    shade: str
    hatched: bool = False


def marks(read):
    """Return the Marks of the machine in rising order; the last is all of it."""
    return (
        Mark(read.number("speedup.needed"), "needed for the date", "time", "full"),
        Mark(read.number("speedup.flat_1000"), "done by one flat ring", "time", "mid"),
        Mark(read.number("speedup.speedup_1000"), "done by all NICs", "time", "soft"),
        Mark(read.number("speedup.lab_devices"), "paid for", "failure", "none", True),
    )


@diagram("devices-for-a-date")
def devices_for_a_date(read):
    """Draw the thousand devices line by line up to what is needed, to what two networks deliver, and to the end."""
    found = marks(read)
    tenfold = read.number("speedup.lab_needed_tenfold")
    return Diagram(
        title="What a date asks of a thousand devices, and what they deliver",
        description=_description(found, tenfold),
        draw=lambda canvas: _draw(canvas, found, tenfold),
        columns=("devices' worth of work", "what it is", "of the machine"),
        rows=(
            *([f"{m.devices:,.0f}", m.words, percent(m.devices / found[-1].devices)] for m in found),
            [f"{tenfold:,.0f}", "needed, if the work is ten times", percent(tenfold / found[-1].devices)],
        ),
        values={"marks": found, "tenfold": tenfold},
    )


def _description(found, tenfold):
    listed = ", ".join(f"{m.devices:,.0f} {m.words}" for m in found)
    return f"Each square is a device. In order: {listed}. With ten times the work the date needs {tenfold:,.0f}."


def _draw(canvas, found, tenfold):
    left, top, line, unit = (2, 4, 25, 6.4) if canvas.narrow else (2, 4, 40, 9.6)
    edge, begin = left + line * unit, 0.0
    lines = found[-1].devices / line
    for mark in found:
        places = list(_places(begin, mark.devices, line, unit))
        canvas.rects([(left + x, top + y, w, h) for x, y, w, h in places], mark.kind, mark.shade, "bare")
        if mark.hatched:
            canvas.hatch_rects([(left + x, top + y, w, h) for x, y, w, h in places], mark.kind, 4)
        y = top + places[-1][1] + unit / 2
        canvas.line(edge + 2, y, edge + 10, y, "plain", "thin")
        canvas.text(edge + 14, y + 5, f"{mark.devices:,.0f}", 13.5, tone=mark.kind, bold=True)
        canvas.text(edge + 56, y + 5, mark.words, 12.5)
        begin = mark.devices
    high = lines * (unit + GAP)
    canvas.rects([(left + i * unit, top, 0, high) for i in range(1, line)], "plain", "full")  # cuts between devices
    more = f"if the work is ten times, the date needs {tenfold:,.0f}"
    canvas.text(left, top + high + 18, more, 12.5, tone="failure", bold=True)


def _places(begin, end, line, unit):
    """Yield the pieces of lines from one device to another, from the corner of the first line on."""
    while begin < end - 1e-9:
        row = int(begin // line)
        until = min(end, (row + 1) * line)
        yield (begin - row * line) * unit, row * (unit + GAP), (until - begin) * unit, unit
        begin = until
