"""One checkpoint at different bandwidths: as long as the write takes, as high as the bandwidth."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import axis
from mathbook.diagrams.registry import Diagram, as_text, diagram

TALL = 150  # of the highest bandwidth


class StorageTarget(NamedTuple):
    """A way to write: its name, what it takes in TB/s, how long the checkpoint takes in seconds."""

    name: str
    rate: float
    seconds: float

    @property
    def time(self):
        """Return how long it takes, in words."""
        return f"{self.seconds / 60:.2g} min" if self.seconds >= 100 else f"{self.seconds:.2g} s"

    @property
    def wide(self):
        """Return the bandwidth, in words."""
        return f"{self.rate:.3g} TB/s" if self.rate >= 1 else f"{1000 * self.rate:.3g} GB/s"


@diagram("storage-bandwidths")
def storage_bandwidths(read):
    """Draw one checkpoint through one NIC, two file systems, and all ranks' own rates together."""
    at = "fleet_checkpointing.trillion.write"
    size, ranks = read(at, of="S"), read(at, of="N")
    rates = {
        "rank 0 alone, one NIC": read("fleet_checkpointing.trillion.one_door", of="b"),
        "our storage": read(at, of="b"),
        "Llama 3's storage": read("fleet_checkpointing.trillion.llama_write", of="b"),
        "all ranks together": ranks * read(at, of="b_n"),
    }
    doors = tuple(
        StorageTarget(name, float(rate.m_as("TB/s")), float((size / rate).m_as("s"))) for name, rate in rates.items()
    )
    return Diagram(
        title=f"{as_text(size, 'TB', 2)} at four bandwidths",
        description=(
            f"Four rectangles of the same area, a checkpoint of {as_text(size, 'TB', 2)}: as high as the bandwidth and "
            "as long as the write takes. " + "; ".join(f"{d.name}: {d.wide}, {d.time}" for d in doors) + "."
        ),
        draw=lambda canvas: _draw(canvas, doors),
        columns=("path", "bandwidth", "write"),
        rows=tuple([d.name, d.wide, d.time] for d in doors),
        values={"doors": doors, "size": float(size.m_as("TB"))},
    )


def _draw(canvas, doors):
    left = 2
    unit = (canvas.width - 8) / max(door.seconds for door in doors)
    rate = TALL / max(door.rate for door in doors)
    rule = "Each is the same checkpoint: height is bandwidth, width is write time."
    y = canvas.paragraph(left, 13, rule, canvas.width - 4, 12.5, tone="quiet") + 14
    for door in doors:
        y = _one(canvas, door, left, y, door.seconds * unit, door.rate * rate)
    longest = max(door.seconds for door in doors)
    ticks = [minute for minute in range(0, int(longest // 60) + 1, 2 if canvas.narrow else 1)]
    axis(canvas, y - 10, [(left + 60 * m * unit, f"{m} min" if m else "0") for m in ticks])


def _one(canvas, door, left, y, wide, high):
    """Draw one rectangle with its words; return the y below."""
    words, fits = f"{door.wide}: {door.time}", wide < canvas.width / 2
    if high < 60:
        canvas.text(left, y, door.name, 13, bold=True)
        x, line = (left + wide + 8, y + 8 + high / 2 + 5) if fits else (canvas.width - 6, y)
        canvas.text(x, line, words, 13, "start" if fits else "end", "bytes", True)
        y += 8
    else:
        canvas.text(left + wide + 10, y + high / 2, door.name, 13, bold=True)
        canvas.text(left + wide + 10, y + high / 2 + 18, words, 13, tone="bytes", bold=True)
    canvas.rect(left, y, wide, high, "bytes", "full", 0, "bare")
    return y + high + 30
