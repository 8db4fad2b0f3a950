"""The bounds on the batch that the chapter derives, one after the other, on one axis."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, diagram

HIGH, TICKS = 15, (0, 40, 80, 120, 160)  # height of a bar, requests at the ticks
PLAIN, SPLIT = "BF16", "FP8, prefill on other servers"


class Rung(NamedTuple):
    """A bound on the requests at once: words, format, what sets it, its value, and its interval if it has one."""

    words: str
    group: str
    kind: str
    requests: int
    interval: tuple = ()


def rungs(read):
    """Return the Rungs in the order of the chapter."""

    def requests(*addresses):
        return tuple(int(read.number(address)) for address in addresses)

    measured, decided = "serving.measured.batch_", "serving.decisions.batch"
    proposed, best = (int(read.text(f"{decided}.{option}_B | , 2")) for option in ("proposed", "best"))
    tail = requests(f"{measured}tail_worst", f"{measured}tail_best")
    return (
        Rung("fit into 80 GB per GPU", PLAIN, "bytes", *requests("serving.prices.room_ours")),
        Rung("fit into what software uses", PLAIN, "bytes", *requests("serving.measured.room_planned")),
        Rung("SLO, bytes over bandwidth", PLAIN, "time", *requests(f"{measured}floor")),
        Rung(
            "SLO, measured steps",
            PLAIN,
            "time",
            *requests(f"{measured}ours"),
            requests(f"{measured}worst", f"{measured}best"),
        ),
        Rung("the same with its own prefill", PLAIN, "time", *requests("serving.practice.batch_mixed")),
        Rung("SLO as p99, measured steps", PLAIN, "time", 0),
        Rung("SLO, BF16 constants", SPLIT, "time", *requests(f"{measured}bytes")),
        Rung("SLO, the slowest measured row", SPLIT, "time", *requests(f"{measured}slowest")),
        Rung("SLO as p99, BF16 constants", SPLIT, "time", tail[0], tail),
        Rung("the decision without drafts", SPLIT, "money", proposed),
        Rung("the decision with draft tokens", SPLIT, "money", best),
    )


@diagram("batch-ladder")
def batch_ladder(read):
    """Draw each bound as a bar, with today's batch and the plan as lines across."""
    found = rungs(read)
    marks = {
        f"{name}: {int(read.number(address, of='B'))}": int(read.number(address, of="B"))
        for name, address in (("today", "serving.step_70b"), ("the plan", "serving.prices.rate_128"))
    }
    listed = "; ".join(f"{rung.group}, {rung.words}: {_count(rung)}" for rung in found)
    return Diagram(
        title="Requests at once on four H100s, bound by bound",
        description=f"Bars from zero. {listed}. Lines across them: {', '.join(marks)}.",
        draw=lambda canvas: _draw(canvas, found, marks),
        columns=("format", "bound", "requests"),
        rows=tuple([rung.group, rung.words, _count(rung)] for rung in found),
        values={"rungs": found},
    )


def _count(rung):
    if not rung.requests:
        return "none"
    if not rung.interval:
        return f"{rung.requests}"
    low, high = rung.interval
    return f"{low} to {high}" if rung.requests == low else f"{rung.requests} ({low} to {high})"


def _draw(canvas, found, marks):
    entries = [
        LegendEntry("memory", "bytes", "full"),
        LegendEntry("latency target", "time", "full"),
        LegendEntry("chosen", "money", "full"),
    ]
    y = legend(canvas, entries, 150) + 26
    left = 2 if canvas.narrow else 232
    unit = (canvas.width - left - 8) / TICKS[-1]
    across = [left + requests * unit for requests in marks.values()]
    for x, words in zip(across, marks, strict=True):
        canvas.text(x, y - 8, words, 12, "end", "quiet")
    group = ""
    for rung in found:
        if rung.group != group:
            y += 20 if group or canvas.narrow else 14
            group = rung.group
            canvas.text(2, y, group, 12.5, bold=True)
            y += 8
        y = _bar(canvas, rung, left, y, unit, across)
    axis(canvas, y, [(left + tick * unit, f"{tick}") for tick in TICKS])


def _bar(canvas, rung, left, y, unit, across):
    """Draw one bound with its words, its number and the lines across it; return the y below it."""
    if canvas.narrow:
        canvas.text(left, y + 12, rung.words, 12.5)
        y += 17
    else:
        canvas.text(2, y + 12, rung.words, 12.5, room=left - 8)
    for x in across:
        canvas.line(x, y - 3, x, y + HIGH + 3, "plain", "thin")
    end = left + rung.requests * unit
    canvas.rect(left, y, end - left, HIGH, rung.kind, "full", 0)
    if rung.interval:
        low, high = (left + bound * unit for bound in rung.interval)
        canvas.line(low, y + HIGH / 2, high, y + HIGH / 2, "plain", "bold")
        end = max(end, high)
    if end - left > 60 and not rung.interval:
        canvas.text(end - 6, y + 12, _count(rung), 12.5, "end", "on", True)
    else:
        end = max([end, *(x for x in across if end - 4 < x < end + 40)])
        canvas.text(end + 5, y + 12, _count(rung), 12.5, bold=True)
    return y + HIGH + 7
