"""A job and its failures: what it does from minute to minute, played with a clock and a list of failures.

The clock knows no formula. Its shares are compared with those of the formulas by a test, on long runs.
"""

import random
from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, hours_axis, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

WINDOW, SEED = 36, 29  # hours that are drawn, and the seed of the failures in them, picked by hand: the page says so
LEGEND = {
    "work": LegendEntry("work that is kept", "time", "soft"),
    "write": LegendEntry("writing checkpoints", "time", "full"),
    "lost": LegendEntry("work that is lost", "failure", "soft", True),
    "restart": LegendEntry("restarting", "plain", "strong"),
}


class Span(NamedTuple):
    """What a job does from one moment to another."""

    kind: str
    begin: float
    end: float


class Lane(NamedTuple):
    """A job that saves after each interval of work: its name, the interval, what it does."""

    name: str
    tau: object
    spans: list


def failures(mean, until, seed):
    """Return the moments of failures up to `until`, at a constant rate."""
    source, found, now = random.Random(seed), [], 0.0
    while (now := now + source.expovariate(1 / mean)) < until:
        found.append(now)
    return found


def job(struck, tau, write, restart, until):
    """Return the Spans of a job that saves after each `tau` of work and is struck at these moments.

    A failure loses the work since the last finished checkpoint; one that strikes a restart begins it anew.
    """
    spans, now, ahead = [], 0.0, [*struck, float("inf")]
    while now < until:
        stop = min(now + tau, until)
        done = min(stop + write, until)
        if ahead[0] >= done:
            spans += [Span("work", now, stop), Span("write", stop, done)]
            now = done
            continue
        hit = ahead.pop(0)
        spans += [Span("lost", now, min(hit, stop)), Span("write", min(hit, stop), hit)]
        back = hit + restart
        while ahead[0] < back:
            back = ahead.pop(0) + restart
        now = min(back, until)
        spans.append(Span("restart", hit, now))
    return [span for span in spans if span.end > span.begin]


def shares(spans):
    """Return the share of each kind in the whole time."""
    whole = sum(end - begin for _, begin, end in spans)
    return {kind: sum(e - b for k, b, e in spans if k == kind) / whole for kind in LEGEND}


@diagram("failure-log")
def failure_log(read):
    """Draw a day and a half of a job, saved too often, as Young says, and too seldom."""
    mean, write = read("young_daly.act_one", of="M"), read("young_daly.act_one", of="C")
    restart = read("fleet_checkpointing.fleet_least", of="R")
    best, often = read("young_daly.act_one"), read("young_daly.act_one_ten", of="tau")
    seldom = best * float(best / often)  # as far above the best as the other is below it
    struck = failures(float(mean.m_as("h")), WINDOW, SEED)
    hours = [float(each.m_as("h")) for each in (write, restart)]
    lanes = [
        Lane(name, tau, job(struck, float(tau.m_as("h")), *hours, WINDOW))
        for name, tau in (("too often", often), ("as Young says", best), ("too seldom", seldom))
    ]
    return Diagram(
        title=f"{WINDOW} hours of one job, with {len(struck)} failures, saved at three intervals",
        description=_description(lanes, struck, mean, write, restart),
        draw=lambda canvas: _log(canvas, lanes, struck),
        columns=("saved", *(sign.words for sign in LEGEND.values())),
        rows=tuple([f"{x.name}, every {_length(x.tau)}", *map(percent, shares(x.spans).values())] for x in lanes),
        values={"lanes": lanes, "struck": struck, "mean": mean, "write": write, "restart": restart},
    )


def _description(lanes, struck, mean, write, restart):
    work = "; ".join(f"every {_length(x.tau)} it is {percent(shares(x.spans)['work'])}" for x in lanes)
    return (
        f"Three rows, each the same job under the same {len(struck)} failures: one draw of a process that "
        f"strikes once in {as_text(mean, 'h')} on average, picked by hand among many because all three rows show on it "
        f"what they teach. No single day proves anything. A checkpoint takes {as_text(write, 'min')}, a restart "
        f"{as_text(restart, 'min')}. "
        f"The share of time that is kept work: {work}. Saved too often the job writes; saved too seldom it loses long "
        "stretches."
    )


def _log(canvas, lanes, struck):
    left, right = 2, canvas.width - 2
    unit = (right - left) / WINDOW
    y = legend(canvas, list(LEGEND.values()), 176) + 12
    high, step = (34, 48) if canvas.narrow else (36, 42)
    for hit in struck:
        canvas.path(f"M{left + hit * unit - 5:.1f} {y - 9:.1f}h10l-5 8z", "failure", "full", "bare")
    canvas.text(left, y, "failures", 12, tone="failure", bold=True)
    y += 2
    for lane in lanes:
        y += 22
        canvas.text(left, y - 6, lane.name, 13, bold=True)
        canvas.text(right, y - 6, _sums(lane, canvas.narrow), 12.5, "end")
        _lane(canvas, lane.spans, left, y, high, unit)
        for hit in struck:
            x = left + hit * unit
            canvas.line(x, y - 2, x, y + high + 2, "failure", "bold")
        y += step
    hours_axis(canvas, left, y - 2, unit, WINDOW)


def _sums(lane, narrow):
    part = {kind: percent(share, 2 if share >= 0.1 else 1) for kind, share in shares(lane.spans).items()}
    text = f"every {_length(lane.tau)}: {part['work']} kept"
    return text if narrow else f"{text}, {part['write']} writing, {part['lost']} lost"


def _length(tau):
    return as_text(tau, "min" if tau.m_as("h") < 2 else "h", 2)


def _lane(canvas, spans, left, y, high, unit):
    for kind, sign in LEGEND.items():
        places = [(left + b * unit, y, (e - b) * unit, high) for k, b, e in spans if k == kind]
        canvas.rects(places, sign.kind, sign.shade, "bare")
        if sign.hatched:
            canvas.hatch_rects(places, sign.kind, 5)
