"""Pipeline schedules as they run: one row for each stage, one box for each pass of a micro-batch.

The boxes come from the program that runs the cells one by one (`mathcore.chapters.parallelism.simulation`); what is
said about the idle share comes from the formulas. A test holds one against the other.
"""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.chapters.parallelism.simulation import (
    gpipe,
    idle_times,
    one_forward_one_backward,
    run_pipeline,
    zero_bubble,
)
from mathcore.units import quantity

STAGES, BATCHES, CHUNKS = 4, 8, 2
EQUAL = {"F": 1, "B": 1, "W": 1}
JOINT = {"F": 1, "B": 2}  # both halves of the backward pass in one
SHADES = {"F": "soft", "B": "strong", "W": "mid"}
LEGEND = (
    LegendEntry("forward", "time", "soft"),
    LegendEntry("backward", "time", "strong"),
    LegendEntry("its weights, later", "time", "mid", True),
    LegendEntry("idle", "plain", "faint"),
)


class Schedule(NamedTuple):
    """A schedule that was run: `{(stage, cell): (begin, end)}`, its idle share by formula, and in words."""

    name: str
    cells: dict
    bubble: object
    rule: str
    chunks: int = 1
    in_turn: bool = False

    @property
    def end(self):
        """Return when the last cell is done."""
        return max(end for _, end in self.cells.values())

    @property
    def idle(self):
        """Return the share of its step that a stage idles, counted."""
        idle = idle_times(self.cells, STAGES)[1 if self.in_turn else 0]
        return sum(idle) / sum(end - begin for begin, end in map(self.span, range(STAGES)))

    def span(self, stage):
        """Return from when to when the step lasts for a stage: for all alike, unless they begin and end in turn."""
        spans = [times for (at, _), times in self.cells.items() if at == stage]
        return (min(a for a, _ in spans), max(b for _, b in spans)) if self.in_turn else (0, self.end)

    def held(self):
        """Return how many micro-batches the first stage holds at most: begun forward and not yet gone back."""
        events = []
        for (stage, (kind, _, _)), (begin, end) in self.cells.items():
            if stage == 0 and kind in "FB":
                events.append((begin, 1) if kind == "F" else (end, -1))
        now = most = 0
        for _, change in sorted(events):
            now += change
            most = max(most, now)
        return most / self.chunks


def schedules(read):
    """Return the Schedules that are drawn, by name."""
    p, m = STAGES, BATCHES
    plain = read.at("parallelism.bubble", p=p, m=m)
    chunked = read.at("parallelism.bubble_chunks", p=p, m=m, v=CHUNKS)
    late = read.at("parallelism.bubble_h1", p=p, m=m)
    idle = read.at("parallelism.idle_h2", p=p, t_F="1 s", t_B="1 s", t_W="1 s")
    none = idle / (idle + quantity("1 s") * m * sum(EQUAL.values()))
    found = (
        Schedule("GPipe", run_pipeline(gpipe(p, m), JOINT), plain, "all forward, then all back"),
        Schedule("1F1B", run_pipeline(one_forward_one_backward(p, m), JOINT), plain, "one forward, one back"),
        Schedule(
            "Interleaved",
            _halved(run_pipeline(one_forward_one_backward(p, m, CHUNKS), JOINT)),
            chunked,
            f"{CHUNKS} chunks a stage",
            CHUNKS,
        ),
        Schedule("ZB-H1", run_pipeline(zero_bubble(p, m, 1), EQUAL), late, "gradients of weights wait"),
        Schedule("ZB-H2", run_pipeline(zero_bubble(p, m, 2), EQUAL), none, "stages start in turn", in_turn=True),
    )
    return {each.name: each for each in found}


def _halved(cells):
    """Return cells of chunks in the time of a whole stage: each chunk has its part of the layers."""
    return {key: (begin / CHUNKS, end / CHUNKS) for key, (begin, end) in cells.items()}


@diagram("pipeline-schedules")
def pipeline_schedules(read):
    """Draw five schedules of the same work on one axis of time."""
    found = schedules(read)
    rows = [[x.name, f"{x.end:g}", as_text(x.bubble, "%"), percent(x.idle, 3), f"{x.held():g}"] for x in found.values()]
    listed = "; ".join(f"{name} ends at {end}, idles {idle} and holds {held}" for name, end, idle, _, held in rows)
    return Diagram(
        title=f"Five schedules of {BATCHES} micro-batches on {STAGES} stages",
        description=(
            f"One row for each of {STAGES} stages, time to the right, counted in forward passes of a micro-batch. "
            f"With the micro-batches that the first stage holds at most: {listed}."
        ),
        draw=lambda canvas: _panels(canvas, found),
        columns=("schedule", "step, in forward passes", "idle, by formula", "idle, counted", "micro-batches held"),
        rows=tuple(rows),
        values={"schedules": found},
    )


def _panels(canvas, found):
    """Draw the schedules below each other, and the axis that they share."""
    left, longest = 1 if canvas.narrow else 20, max(each.end for each in found.values())
    unit = (canvas.width - (2 if canvas.narrow else 22)) / longest
    y = legend(canvas, LEGEND, 176, 0)
    for each in found.values():
        y = _panel(canvas, each, left, y, unit)
    axis(canvas, y, [(left + t * unit, str(t)) for t in range(0, int(longest) + 1, 6)], line=False)
    canvas.text(canvas.width, y + 33, "time, in forward passes of a micro-batch", 12, "end", "quiet")


def _panel(canvas, each, left, y, unit):
    """Draw one schedule; return the y below it."""
    high, rows = (12, 14) if canvas.narrow else (15, 17)
    _title(canvas, each, y + 13)
    y += 38 if canvas.narrow else 21
    spans = [each.span(s) for s in range(STAGES)]
    waits = [(left + a * unit, y + s * rows, (b - a) * unit, high) for s, (a, b) in enumerate(spans)]
    canvas.rects(waits, "plain", "faint", "bare")
    for kind, shade in SHADES.items():
        places = {
            key: (left + begin * unit + 0.4, y + key[0] * rows, (end - begin) * unit - 0.8, high)
            for key, (begin, end) in each.cells.items()
            if key[1][0] == kind
        }
        canvas.rects(places.values(), "time", shade)
        if kind == "W":
            canvas.hatch_rects(places.values(), "time", 4)
        _numbers(canvas, places, kind)
    for s in range(0 if canvas.narrow else STAGES):
        canvas.text(0, y + s * rows + 12, f"{s + 1}", 12, tone="quiet")
    canvas.line(left + each.end * unit, y - 4, left + each.end * unit, y + STAGES * rows + 2, "time", "bold")
    return y + STAGES * rows + (12 if canvas.narrow else 14)


def _numbers(canvas, places, kind):
    """Write into each box which micro-batch it is, where there is room."""
    if canvas.narrow or kind == "W":
        return
    for stage in range(STAGES):
        row = [(cell[1], place) for (at, cell), place in places.items() if at == stage and place[2] >= 9]
        signs = [(x + w / 2, str(batch + 1)) for batch, (x, _, w, _) in row]
        canvas.glyphs(signs, places[stage, (kind, 0, 0)][1] + 12, 12, "on" if kind == "B" else "")


def _title(canvas, each, y):
    share = as_text(each.bubble, "%")
    held = f"stage 1 holds {each.held():g}"
    canvas.text(0, y, each.name, 13.5, bold=True)
    canvas.text(92, y, f"{share} idle", 13, bold=True, tone="time")
    if canvas.narrow:
        canvas.text(canvas.width, y, held, 12, "end", "quiet")
        canvas.text(0, y + 17, each.rule, 12, tone="quiet")
    else:
        canvas.text(186, y, each.rule, 12.5, tone="quiet")
        canvas.text(canvas.width, y, held, 12.5, "end", "quiet")
