"""Time and failures: what a job does from minute to minute, played with a clock and a list of failures.

The clock knows no formula. Its shares are compared with those of the formulas by a test, on long runs.
"""

import random
from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, drawing, percent, said

WINDOW, SEED = 36.0, 29  # hours that are drawn, and the seed of the failures in them
KINDS = {"work": "work that is kept", "write": "writing checkpoints", "lost": "work that is lost", "restart": "restarting"}


class Span(NamedTuple):
    """What a job does from one moment to another."""

    kind: str
    begin: float
    end: float


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
        now = hit
        while True:
            back = min(now + restart, until)
            struck_again = ahead[0] < back
            end = ahead.pop(0) if struck_again else back
            spans.append(Span("restart", now, end))
            now = end
            if not struck_again:
                break
    return [span for span in spans if span.end > span.begin]


def shares(spans):
    """Return the share of each kind in the whole time."""
    whole = sum(end - begin for _, begin, end in spans)
    return {kind: sum(e - b for k, b, e in spans if k == kind) / whole for kind in KINDS}


@drawing("failure-log")
def failure_log(read):
    """Draw one day and a half of a job, saved too often, as Young says, and too seldom."""
    mean, write = read("young_daly.act_one", of="M"), read("young_daly.act_one", of="C")
    restart = read("fleet_checkpointing.fleet_least", of="R")
    best = read("young_daly.act_one")
    often = read("young_daly.act_one_ten", of="tau")
    intervals = (("too often", often), ("as Young says", best), ("too seldom", best * float(best / often)))
    hours = [float(each.m_as("h")) for each in (write, restart)]
    struck = failures(float(mean.m_as("h")), WINDOW, SEED)
    lanes = [(name, tau, job(struck, float(tau.m_as("h")), *hours, WINDOW)) for name, tau in intervals]
    rows = [
        [f"{name}, every {_length(tau)}", *(percent(shares(spans)[kind]) for kind in KINDS)]
        for name, tau, spans in lanes
    ]
    kept = "; ".join(f"every {_length(tau)} it is {percent(shares(spans)['work'])}" for _, tau, spans in lanes)

    def draw(paper):
        _log(paper, lanes, struck)

    return Drawing(
        title=f"{WINDOW:.0f} hours of one job, with {len(struck)} failures, saved at three intervals",
        told=(
            f"Three rows, each the same job under the same {len(struck)} failures, drawn at random at one in {said(mean, 'h')} "
            f"on average. A checkpoint takes {said(write, 'min')}, a restart {said(restart, 'min')}. The share of time that "
            f"is kept work: {kept}. Saved too often the job writes; saved too seldom it loses long stretches."
        ),
        draw=draw,
        columns=("saved", *KINDS.values()),
        rows=tuple(rows),
        values={"lanes": lanes, "struck": struck, "mean": mean, "write": write, "restart": restart},
    )


def _log(paper, lanes, struck):
    left, right = 2, paper.width - 2
    unit = (right - left) / WINDOW
    y = _legend(paper) + 12
    high, step = (34, 70) if paper.narrow else (36, 64)
    for hit in struck:
        x = left + hit * unit
        paper.path(f"M{x - 5:.1f} {y - 9:.1f}h10l-5 8z", "failure", "full", "bare")
    paper.text(left, y, "failures", 11.5, tone="failure", bold=True)
    y += 2
    for name, tau, spans in lanes:
        y += 22
        paper.text(left, y - 6, name, 13, bold=True)
        part = shares(spans)
        told = f"every {_length(tau)}: {percent(part['work'])} kept"
        if not paper.narrow:
            told += f", {_share(part['write'])} writing, {_share(part['lost'])} lost"
        paper.text(right, y - 6, told, 12.5, "end")
        _lane(paper, spans, left, y, high, unit)
        for hit in struck:
            x = left + hit * unit
            paper.line(x, y - 2, x, y + high + 2, "failure", "bold")
        y += step - 22
    _hours(paper, left, y - 2, unit)


def _length(tau):
    return said(tau, "min" if tau.m_as("h") < 2 else "h", 2)


def _share(part):
    return percent(part, 2 if part >= 0.1 else 1)


def _lane(paper, spans, left, y, high, unit):
    places = {kind: [(left + b * unit, y, (e - b) * unit, high) for k, b, e in spans if k == kind] for kind in KINDS}
    paper.boxes(places["work"], "time", "soft", "bare")
    paper.boxes(places["write"], "time", "full", "bare")
    paper.boxes(places["lost"], "failure", "soft", "bare")
    paper.hatches(places["lost"], "failure", 5)
    paper.boxes(places["restart"], "plain", "strong", "bare")


def _legend(paper):
    """Say what the boxes are; return the y below."""
    entries = (("work", "time", "soft"), ("write", "time", "full"), ("lost", "failure", "soft"), ("restart", "plain", "strong"))
    x, y = 2, 13
    for index, (name, kind, shade) in enumerate(entries):
        if paper.narrow and index == 2:
            x, y = 2, 33
        paper.box(x, y - 10, 14, 12, kind, shade, 1)
        if name == "lost":
            paper.hatch(x, y - 10, 14, 12, kind, 4)
        paper.text(x + 19, y, KINDS[name], 12.5)
        x += 172
    return y + 12


def _hours(paper, left, y, unit):
    paper.line(left, y, left + WINDOW * unit, y, "plain", "thin")
    for hour in range(0, int(WINDOW) + 1, 6):
        x = left + hour * unit
        paper.line(x, y, x, y + 4, "plain", "thin")
        anchor = "start" if hour == 0 else "end" if hour == WINDOW else "middle"
        paper.text(x, y + 17, f"{hour} h" if hour else "0", 11.5, anchor, "quiet")


# ---------------------------------------------------------------- a stall is not a write


@drawing("background-upload")
def background_upload(read):
    """Draw half an hour with writes that stall, and with uploads in the background, struck at one moment."""
    minute = {name: read.number("fleet_checkpointing.fleet_interval", "min", of=name) for name in ("s", "u")}
    tau = read.number("fleet_checkpointing.fleet_interval", "min")
    write = read.number("trillion.write", "min")
    young = float(
        read.at("young_daly.interval", C=read("trillion.write"), M=read("fleet_checkpointing.fleet_interval", of="M")).m_as("min")
    )
    period = tau + minute["s"]
    strike = 3 * period + minute["u"] / 2
    safe = period + tau  # the state that the last finished upload holds was copied at the end of this work
    gone = {"stalling": strike - _last_end(young + write, strike), "background": strike - safe - minute["s"]}
    lost = gone | {"background": gone["background"] - minute["s"]}  # a stall lies within, which loses no work
    lanes = {
        "stalling": _stalls(young, write, strike),
        "background": _stalls(tau, minute["s"], strike),
    }
    uploads = [(begin, min(begin + minute["u"], strike)) for _, begin in lanes["background"][1]]
    told = (
        f"Standing still until the checkpoint is safe, training stops for {write * 60:.2g} s every {young:.3g} min. In the "
        f"background it stops for {minute['s'] * 60:.2g} s every {tau:.3g} min, and the upload of {minute['u']:.2g} min "
        f"goes on beside it. A failure strikes while the third upload is under way: the checkpoint that counts is the second, "
        f"and {lost['background']:.3g} min of work are gone; with writes that stall it is {lost['stalling']:.3g} min."
    )

    def draw(paper):
        _upload(paper, lanes, uploads, gone, lost, strike)

    return Drawing(
        title="Writing with training at a standstill, and in the background",
        told=told,
        draw=draw,
        columns=("way", "work between two", "training stands still", "under way until safe", "lost in this failure"),
        rows=(
            ["standing still", f"{young:.3g} min", f"{write * 60:.3g} s", f"{write * 60:.3g} s", f"{lost['stalling']:.3g} min"],
            ["background", f"{tau:.3g} min", f"{minute['s'] * 60:.3g} s", f"{minute['u']:.3g} min", f"{lost['background']:.3g} min"],
        ),
        values={"lost": lost, "tau": tau, "u": minute["u"], "s": minute["s"], "uploads": uploads},
    )


def _last_end(period, moment):
    """Return when the last of the periods before a moment ended."""
    return int(moment / period) * period


def _stalls(tau, stall, until):
    """Return the stretches of work and the stalls up to a moment."""
    work, stalls, now = [], [], 0.0
    while now < until:
        work.append((now, min(now + tau, until)))
        if now + tau < until:
            stalls.append((now + tau, min(now + tau + stall, until)))
        now += tau + stall
    return work, stalls


def _upload(paper, lanes, uploads, gone, lost, strike):
    left, right = 2, paper.width - 8
    unit = (right - left) / strike
    y, high = 26, 30
    for name, title in (("stalling", "Standing still until safe"), ("background", "In the background")):
        work, stalls = lanes[name]
        paper.text(left, y - 8, title, 13, bold=True)
        paper.boxes([(left + a * unit, y, (b - a) * unit, high) for a, b in work], "time", "soft", "bare")
        begin = left + (strike - gone[name]) * unit
        redone = (begin, y, right - begin, high)
        paper.boxes([redone], "failure", "soft", "bare").hatches([redone], "failure", 5)
        paper.boxes([(left + a * unit, y, max((b - a) * unit, 1.6), high) for a, b in stalls], "time", "full", "bare")
        paper.text(right - 6, y - 8, f"lost: {lost[name]:.3g} min", 12.5, "end", "failure", True)
        (a, b), (c, d) = work[0], stalls[0]
        paper.text(left + (a + b) / 2 * unit, y + 20, f"{b - a:.3g} min", 12, "middle")
        paper.text(left + d * unit, y + high + 15, f"{(d - c) * 60:.2g} s", 12, "start", "time", True)
        y += high + 48
    y -= 48
    for index, (a, b) in enumerate(uploads):
        x, wide = left + a * unit, (b - a) * unit
        if index == 1:
            paper.text(x + wide + 5, y + 34, f"{b - a:.2g} min", 12, tone="bytes", bold=True)
        paper.box(x, y + 24, wide, 12, "bytes", "full" if index < 2 else "faint", 1)
        paper.line(x, y, x, y + 24, "bytes", "thin dash")
    paper.text(left, y + 34, "uploads", 12.5, tone="bytes", bold=True)
    paper.line(right, 12, right, y + 42, "failure", "bold")
    paper.text(right, y + 56, "failure", 12.5, "end", "failure", True)
    paper.arrow(left, y + 52, left + 60, y + 52, "plain", "thin")
    paper.text(left + 66, y + 56, "time", 12, tone="quiet")
