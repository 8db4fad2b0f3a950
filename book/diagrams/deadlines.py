"""Spans of time and their parts: the RTO of a recovery, the cost of a failure, the notice of a preemption."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

HIGH = 34  # of a lane


class Part(NamedTuple):
    """A part of a span: what happens, how long, and how it is drawn."""

    words: str
    length: float
    kind: str
    shade: str
    hatched: bool = False


class Span(NamedTuple):
    """Parts that follow each other, in one unit of time."""

    name: str
    parts: tuple

    @property
    def length(self):
        """Return how long all parts take together."""
        return sum(part.length for part in self.parts)


# ---------------------------------------------------------------- an hour to be back in


@diagram("recovery-hour")
def recovery_hour(read):
    """Draw the recovery time objective, with a load time as on the data sheet and with the slowest measured."""
    known, slow = "resilience.book_recovery", "resilience.measured.rate_slow"
    noticed, spare, start = (read.number(known, "min", of=name) for name in ("t_f", "t_s", "t_i"))
    promise = read.number("resilience.measured.replaced_slow", "min", of="Q")
    size = read(known, of="S")
    loads = [float((size / rate).m_as("min")) for rate in (read(known, of="b_r"), read(slow))]
    names = "as on the data sheet", "with the slowest load measured"
    spans = tuple(_recovery(name, noticed, spare, start, load) for name, load in zip(names, loads, strict=True))
    return Diagram(
        title="Recovery within the RTO",
        description=_recovery_description(spans, promise),
        draw=lambda canvas: _draw_recovery(canvas, spans, promise),
        columns=("part", *(f"{span.name} (min)" for span in spans)),
        rows=(
            *([p.words, f"{p.length:.3g}", f"{q.length:.3g}"] for p, q in zip(*(s.parts for s in spans), strict=True)),
            ["together", *(f"{span.length:.3g}" for span in spans)],
        ),
        values={"spans": spans, "promise": promise},
    )


def _recovery(name, noticed, spare, start, load):
    return Span(
        name,
        (
            Part("detecting", noticed, "failure", "mid", True),
            Part("another node", spare, "time", "mid"),
            Part("starting", start, "time", "faint"),
            Part("loading", load, "bytes", "mid"),
        ),
    )


def _recovery_description(spans, promise):
    known, slow = spans
    parts = ", ".join(f"{part.words} {part.length:.3g} min" for part in known.parts)
    waits = " and ".join(percent(span.parts[1].length / span.length) for span in spans)
    verdict = "within" if slow.length <= promise else "beyond"
    return (
        f"As on the data sheet: {parts}, together {known.length:.3g} min. With the slowest load measured, "
        f"{slow.parts[-1].length:.3g} min, it is {slow.length:.3g} min, {verdict} the RTO of {promise:.3g}. The wait "
        f"for another node is {waits} of it."
    )


def _draw_recovery(canvas, spans, promise):
    left, right = 2, canvas.width - 10
    unit = (right - left) / max(promise, *(span.length for span in spans))
    limit = left + promise * unit
    y = (
        legend(canvas, [LegendEntry(part.words, part.kind, part.shade, part.hatched) for part in spans[0].parts], 150)
        + 8
    )
    top = y
    for span in spans:
        y = _lane(canvas, span, left, y + 22, unit, "min")
    axis(canvas, y + 8, [(left + at * unit, f"{at:.0f} min" if at else "0") for at in (0, promise / 2, promise)])
    canvas.line(limit, top, limit, y + 8, "failure", "bold")
    canvas.text(limit - 4, top + 6, "RTO", 12.5, "end", "failure", True)


def _lane(canvas, span, left, y, unit, time):
    canvas.text(left, y - 6, f"{span.name}: {span.length:.3g} {time}", 12.5, bold=True)
    x = left
    for part in filter(lambda part: part.length, span.parts):
        wide = part.length * unit
        canvas.rect(x, y, wide, HIGH, part.kind, part.shade, 1)
        if part.hatched:
            canvas.hatch(x, y, wide, HIGH, part.kind, 5)
        if wide > 24:
            text = f"{part.length:.0f}" if part.length >= 10 else f"{part.length:.2g}"
            canvas.text(x + wide / 2, y + HIGH / 2 + 4, text, 12, "middle", bold=part.hatched)
        x += wide
    return y + HIGH + 10


# ---------------------------------------------------------------- a failure, from detection to rework


@diagram("failure-cost")
def failure_cost(read):
    """Draw what one failure costs with one level of checkpoints, and with a copy in the memory of other servers."""
    notice, restart, redo, lag = (
        read.number(f"fleet_checkpointing.trillion.part_{name}", "min", of="x_f")
        for name in ("notice", "restart", "redo", "lag")
    )
    fast = read.number("fleet_checkpointing.trillion.two_work", "min") / read.number(
        "fleet_checkpointing.trillion.two_whole"
    )
    spans = (
        _failure("one level, asynchronous", notice, restart, lag, redo),
        _failure("repaired from a copy in memory", notice, restart, 0.0, fast / 2),
    )
    return Diagram(
        title="Cost of one failure",
        description="; ".join(map(_failure_description, spans)) + ".",
        draw=lambda canvas: _draw_failure(canvas, spans),
        columns=("part", *(f"{span.name} (min)" for span in spans)),
        rows=(
            *([p.words, f"{p.length:.2g}", f"{q.length:.2g}"] for p, q in zip(*(s.parts for s in spans), strict=True)),
            ["together", *(f"{span.length:.2g}" for span in spans)],
        ),
        values={"spans": spans},
    )


def _failure(name, notice, restart, lag, redo):
    return Span(
        name,
        (
            Part("detection", notice, "failure", "mid", True),
            Part("restart", restart, "time", "faint"),
            Part("rework: upload", lag, "bytes", "mid"),
            Part("rework: half interval", redo, "time", "mid"),
        ),
    )


def _failure_description(span):
    parts = ", ".join(f"{part.words} {part.length:.2g} min" for part in span.parts)
    return f"{span.name}: {parts}, together {span.length:.2g} min"


def _draw_failure(canvas, spans):
    left, right = 2, canvas.width - 10
    longest = max(span.length for span in spans)
    unit = (right - left) / longest
    y = legend(canvas, [LegendEntry(part.words, part.kind, part.shade, part.hatched) for part in spans[0].parts], 172)
    for span in spans:
        y = _lane(canvas, span, left, y + 26, unit, "min")
    ticks = range(0, int(longest) + 1, 5)
    axis(canvas, y + 8, [(left + at * unit, f"{at} min" if at else "0") for at in ticks], until=right)


# ---------------------------------------------------------------- preemption notice


class StorageTarget(NamedTuple):
    """A file system: its write bandwidth in GB/s, and what it writes within the notice, in GB."""

    rate: float
    through: float

    @property
    def name(self):
        """Return the label of its bar."""
        return f"storage at {self.rate:.3g} GB/s"


@diagram("notice-in-bytes")
def notice_in_bytes(read):
    """Draw the notice with its poll and its step, and how much of a checkpoint two file systems write in it."""
    small, large = "operations.run_door", "operations.ten_door"
    notice, poll, step = (read.number(large, "s", of=name) for name in ("g", "x_p", "t_p"))
    size = read.number("resilience.checkpoint", "GB")
    doors = tuple(StorageTarget(read.number(at, "GB/s", of="b"), read.number(at, "GB")) for at in (small, large))
    span = Span(
        "notice",
        (
            Part("until the poll sees it", poll, "failure", "mid", True),
            Part("until the step ends", step, "time", "faint"),
            Part("left for the write", notice - poll - step, "time", "mid"),
        ),
    )
    return Diagram(
        title="How much of a checkpoint fits into a notice",
        description=_notice_description(span, doors, size),
        draw=lambda canvas: _draw_notice(canvas, span, doors, size),
        columns=("storage", "written", "of the checkpoint"),
        rows=tuple([d.name, _bytes(d.through), percent(d.through / size)] for d in doors),
        values={"span": span, "doors": doors, "size": size},
    )


def _bytes(gigabytes):
    return f"{gigabytes / 1000:.3g} TB" if gigabytes >= 1000 else f"{gigabytes:.3g} GB"


def _notice_description(span, doors, size):
    parts = ", ".join(f"{part.length:.3g} s {part.words}" for part in span.parts)
    amounts = " and ".join(f"{_bytes(door.through)} at {door.rate:.3g} GB/s" for door in doors)
    whole = sum(door.through >= size for door in doors)
    return (
        f"Of {span.length:.3g} s of notice: {parts}. In that time {amounts} are written. The checkpoint has "
        f"{_bytes(size)}: {_takers(whole, len(doors))} all of it."
    )


def _takers(whole, doors):
    if whole in (0, 1):
        return ("no file system writes", "one file system writes")[whole]
    return f"{'all' if whole == doors else whole} file systems write"


def _draw_notice(canvas, span, doors, size):
    left, right = 2, canvas.width - 10
    unit = (right - left) / span.length
    y = legend(canvas, [LegendEntry(part.words, part.kind, part.shade, part.hatched) for part in span.parts], 220) + 30
    y = _lane(canvas, span, left, y, unit, "s")
    for door in doors:
        y += 22
        share = min(door.through / size, 1)
        canvas.text(left, y - 6, door.name, 12.5, bold=True)
        canvas.text(right, y - 6, f"{_bytes(door.through)} of {_bytes(size)}", 12.5, "end", "bytes", True)
        canvas.rect(left, y, right - left, 22, "bytes", "none", 1)
        canvas.rect(left, y, share * (right - left), 22, "bytes", "mid", 1)
        lost = (left + share * (right - left), y, (1 - share) * (right - left), 22)
        canvas.hatch(*lost, "failure", 5)
        y += 22 + 8
    canvas.text(left, y + 8, "hatched: what does not get through", 12, tone="quiet")
