"""Where a checkpoint may live: how long it takes to get there, and which failures it outlives."""

import math

from mathbook.diagrams.registry import Diagram, as_text, diagram


def places(read):
    """Return `(where, what it survives, time, bytes, of)` of each checkpoint level, fastest first."""
    fleet = "fleet_checkpointing.trillion"
    share, whole = read.number(f"{fleet}.share", "MB/gpu"), read(f"{fleet}.write", of="S")
    server = read(f"{fleet}.server_copy")
    return (
        ("own main memory", "a process", read(f"{fleet}.snapshot"), f"{share:.3g} MB", "each device"),
        ("a neighbour's memory", "a node", read(f"{fleet}.replica"), as_text(server, "GB"), "each server"),
        ("shared storage", "a rack or the power", read(f"{fleet}.write"), as_text(whole, "TB"), "the whole job"),
    )


@diagram("checkpoint-levels")
def checkpoint_levels(read):
    """Draw the levels of a checkpoint with their times on a logarithmic axis."""
    found = places(read)
    times = [float(time.m_as("s")) for _, _, time, _, _ in found]

    def draw(canvas):
        _draw(canvas, found, times)

    rows = [[where, mends, as_text(time), f"{size} of {of}"] for where, mends, time, size, of in found]
    listed = "; ".join(
        f"{where}: {as_text(time)} for {size} of {of}, survives the loss of {mends}"
        for where, mends, time, size, of in found
    )
    return Diagram(
        title="Levels of a checkpoint: how long it takes, and what it outlives",
        description=(
            f"Each level is farther away, takes longer and outlives more. {listed}. The axis of time is logarithmic."
        ),
        draw=draw,
        columns=("a copy in", "outlives", "takes", "bytes"),
        rows=tuple(rows),
        values={"times": times},
    )


def _draw(canvas, found, times):
    left, right = (2, canvas.width - 66) if canvas.narrow else (196, canvas.width - 84)
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    unit = (right - left) / (high - low)
    step, top = (86, 34) if canvas.narrow else (66, 22)
    for index, ((where, mends, time, size, of), seconds) in enumerate(zip(found, times, strict=True)):
        y = top + index * step + (18 if canvas.narrow else 0)
        wide = (math.log10(seconds) - low) * unit
        canvas.line(left, y + 13, left + wide, y + 13, "time", "bold")
        canvas.circle(left + wide, y + 13, 8, "time", ("soft", "mid", "full")[index])
        canvas.text(left + wide + 14, y + 18, as_text(time), 13, tone="time", bold=True)
        x, first, second = (2, y - 8, y + 43) if canvas.narrow else (2, y + 9, y + 27)
        canvas.text(x, first, where, 13, bold=True, room=190)
        canvas.text(x, second, f"outlives {mends}", 12, tone="failure", room=None if canvas.narrow else 190)
        if canvas.narrow:
            canvas.text(canvas.width - 2, first, size, 12, "end", "bytes", True)
        else:
            canvas.text(left, y + 43, f"{size} of {of}", 12, tone="bytes", bold=True)
    _axis(canvas, left, top + len(found) * step + (2 if canvas.narrow else 0), low, high, unit)


def _axis(canvas, left, y, low, high, unit):
    canvas.line(left, y, left + (high - low) * unit, y, "plain", "thin")
    for power in range(low, high + 1):
        x = left + (power - low) * unit
        canvas.line(x, y, x, y + 4, "plain", "thin")
        word = f"{10**power:g} s" if power >= 0 else f"{10 ** (power + 3):g} ms"
        canvas.text(x, y + 17, word, 12, "start" if power == low else "middle", "quiet")
