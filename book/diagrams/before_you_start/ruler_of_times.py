"""The times of the whole book on one ruler, and how far a slip moves a number on it."""

import math
from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import quantity

DECADE, ROW = 23, 18  # height of a power of ten, least distance of two lines of words
LEAST, MOST = 1e-10, 1e10  # seconds at the ends of the ruler
TICKS = (("1 ns", 1e-9), ("1 µs", 1e-6), ("1 ms", 1e-3), ("1 s", 1.0), ("1 min", 60.0), ("1 h", 3600.0))
LONG = (("1 d", 86400.0), ("1 year", 31556952.0))
SLIPS = (("a prefix", 1000), ("min for h", 60), ("bit for B", 8))


class Time(NamedTuple):
    """A time of the book: what takes so long, seconds, how it is written, and the chapter it is from."""

    words: str
    seconds: float
    written: str
    chapter: str


TIMES = (
    ("launch of a kernel", "roofline.page_dispatch_low", "µs", "Roofline"),
    ("reading one cache", "serving.prices.read_one", "µs", "Serving"),
    ("a token of an answer", "serving.step_70b", "ms", "Serving"),
    ("reading a prompt", "serving.prices.prefill_ours", "s", "Serving"),
    ("a step of training", "parallelism.layouts.step_computes", "s", "Parallelism"),
    ("checkpoint interval", "fleet_checkpointing.fleet_interval", "min", "Fleet checkpointing"),
    ("recovery of a run", "resilience.book_recovery", "min", "Resilience"),
    ("time between failures", "young_daly.llama_mtbf", "h", "Young and Daly"),
    ("the reserved month", "audit.duration", "d", "Training"),
    ("a model on one device", "speedup.lab_single", "year", "Speedup"),
)


def times(read):
    """Return the Times of the ruler, the shortest first."""
    found = [Time(words, read.number(a, "s"), as_text(read(a), unit, 2), chapter) for words, a, unit, chapter in TIMES]
    clock = 1 / read.number("roofline.h100_peak", "1/s", of="c")
    found.append(Time("a clock of an H100", clock, as_text(quantity(f"{clock} s"), "ns", 2), "Roofline"))
    lives = read("young_daly.llama_device_mtbf") / quantity("1 gpu")
    found.append(Time("a device to failure", float(lives.m_as("s")), as_text(lives, "year", 2), "Young and Daly"))
    return tuple(sorted(found, key=lambda time: time.seconds))


@diagram("ruler-of-times")
def ruler_of_times(read):
    """Draw the times of the book on a logarithmic ruler, next to factors of common slips."""
    found = times(read)
    powers = math.log10(found[-1].seconds / found[0].seconds)
    return Diagram(
        title="The times of this book on one ruler",
        description=_description(found, powers),
        draw=lambda canvas: _draw(canvas, found),
        columns=("what", "takes", "chapter"),
        rows=tuple([time.words, time.written, time.chapter] for time in found),
        values={"times": found, "powers": powers},
    )


def _description(found, powers):
    listed = ", ".join(f"{time.words} {time.written}" for time in found)
    slips = ", ".join(f"{words} a factor of {factor:,}" for words, factor in SLIPS)
    return (
        f"A ruler on which each mark is ten times the one above it, over {powers:.0f} powers of ten: {listed}. Next to "
        f"it, on the same scale, how far a slip moves a number: {slips}."
    )


def _at(seconds):
    """Return how far below the top of the ruler a time stands."""
    return 30 + math.log10(seconds / LEAST) * DECADE


def _draw(canvas, found):
    axis = 112
    canvas.line(axis, _at(LEAST), axis, _at(MOST), "plain")
    for power in range(round(math.log10(MOST / LEAST)) + 1):
        y = _at(LEAST * 10**power)
        canvas.line(axis - 4, y, axis, y, "plain", "thin")
    for words, seconds in TICKS + LONG:
        canvas.text(axis - 9, _at(seconds) + 4, words, 12.5, "end", "quiet")
    _slips(canvas)
    low = 0
    for time in found:
        y = _at(time.seconds)
        low = max(low + ROW, y)
        canvas.circle(axis, y, 4, "time", "full")
        canvas.line(axis + 5, y, axis + 18, low, "time", "thin")
        canvas.text(axis + 21, low + 4, time.written, 12.5, tone="time", bold=True)
        canvas.text(axis + (88 if canvas.narrow else 100), low + 4, time.words, 12 if canvas.narrow else 12.5)
        if not canvas.narrow:
            canvas.text(axis + 290, low + 4, time.chapter, 12.5, tone="quiet")
    canvas.extend_to(_at(MOST) + 6)


def _slips(canvas):
    """Draw how far each slip moves a number, on the scale of the ruler."""
    canvas.text(2, 13, "how far a slip moves a number", 12.5, tone="failure", bold=True)
    y = 38
    for words, factor in SLIPS:
        high = math.log10(factor) * DECADE
        canvas.rect(4, y, 6, high, "failure", "mid", 0)
        canvas.text(15, y + high / 2 - 3, words, 12)
        canvas.text(15, y + high / 2 + 12, f"× {factor:,}", 12, tone="failure")
        y += max(high, 30) + 22
