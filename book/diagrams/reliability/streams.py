"""Failures of many nodes: how their lines merge into one, and how they pile up when they come in bursts."""

import random
from itertools import pairwise
from typing import NamedTuple

from mathbook.diagrams.legend_axis import axis
from mathbook.diagrams.registry import Diagram, diagram

MERGED, PILED = 50, 199  # seeds, chosen so that the draws have as many failures as are expected
LINE, LANE = 2.2, 34  # height of a node's line and of the job's lane


class Stream(NamedTuple):
    """Nodes, days, and what struck them: `(day, node)` in order."""

    nodes: int
    days: float
    struck: list

    @property
    def touched(self):
        """Return how many nodes fail at all."""
        return len({node for _, node in self.struck})

    @property
    def longest(self):
        """Return the longest time in which the job is left alone, in days."""
        return max(b - a for a, b in pairwise([0.0, *(day for day, _ in self.struck), self.days]))


def lives(nodes, rate, days, seed):
    """Return the Stream of nodes that each fail at a constant rate a day and come back at once."""
    source, struck = random.Random(seed), []
    for node in range(nodes):
        now = 0.0
        while (now := now + source.expovariate(rate)) < days:
            struck.append((now, node))
    return Stream(nodes, days, sorted(struck))


@diagram("merged-failures")
def merged_failures(read):
    """Draw each node of the run on a line of its own, and the job that all of them stop."""
    at = "reliability.deadlines.month_failures"
    days, rate = read.number(at, "d", of="t"), read.number(at, "1/d", of="r")
    nodes = round(float((read(at, of="N") / read(at, of="g")).m_as("")))
    stream = lives(nodes, rate, days, MERGED)
    one, job = read.text("reliability.law_8"), read.text("reliability.law_1024 | h, 2")
    return Diagram(
        title=f"{nodes} nodes for {days:.0f} days, and the job that runs on all of them",
        description=(
            f"One draw of {nodes} nodes, each on its own line for {days:.0f} days; a node fails once in {one} on "
            f"average. {len(stream.struck)} failures strike, {read.number(at):.0f} are expected. "
            f"{nodes - stream.touched} of the nodes see none. The job sees all of them, one every {job} on average; "
            f"the longest it is left alone is {24 * stream.longest:.0f} h."
        ),
        draw=lambda canvas: _merge(canvas, stream, one, job),
        columns=("", "failures", "mean time between them"),
        rows=(["a node", f"{rate * days:.2g} expected", one], ["the job", f"{len(stream.struck)} drawn", job]),
        values={"stream": stream, "rate": rate, "mean": read.number("reliability.law_1024", "d")},
    )


def _merge(canvas, stream, one, job):
    left, right, y = 2, canvas.width - 2, 22
    unit = (right - left) / stream.days
    calm = stream.nodes - stream.touched
    canvas.text(left, 13, f"each of {stream.nodes} nodes: once in {one}", 13, bold=True)
    if not canvas.narrow:
        canvas.text(right, 13, f"one draw: {calm} nodes see no failure at all", 12.5, "end", "quiet")
    foot = y + stream.nodes * LINE
    lines = [(left, y + (node + 0.2) * LINE, right - left, 0.6 * LINE) for node in range(stream.nodes)]
    canvas.rects(lines, "plain", "soft", "bare")
    below = foot + 24
    drops = "".join(f"M{left + d * unit:.1f} {y + (n + 0.5) * LINE:.1f}V{below:.1f}" for d, n in stream.struck)
    canvas.path(drops, "failure", more="thin")
    canvas.rects([(left + d * unit - 3, y + (n + 0.5) * LINE - 3, 6, 6) for d, n in stream.struck], "failure", "full")
    canvas.rect(left, below, right - left, LANE, "time", "soft", 0, "bare")
    canvas.path("".join(f"M{left + d * unit:.1f} {below:.1f}v{LANE}" for d, _ in stream.struck), "failure", more="bold")
    canvas.text(left, below + LANE + 18, f"the job on all {stream.nodes}: every {job}", 13, tone="failure", bold=True)
    ends = [(left + day * unit, f"{day:.0f} d" if day else "0") for day in (0, stream.days / 2, stream.days)]
    axis(canvas, below + LANE + 26, ends)


# ---------------------------------------------------------------- failures that pile up

MONTHS, TALL = 12, 132  # months that are drawn, and the height of the highest pile


class Pile(NamedTuple):
    """A machine: its name, how large its bursts are, the bursts of each month, and the spares it needs."""

    name: str
    size: float
    months: tuple
    spares: float

    @property
    def counts(self):
        """Return the failures of each month."""
        return [sum(bursts) for bursts in self.months]

    @property
    def short(self):
        """Return in how many months the spares are too few."""
        return sum(count > self.spares for count in self.counts)


def bursts(mean, size, source):
    """Return the bursts of a month with so many failures on average; `size` is their variance over their mean.

    A burst has one of the two whole sizes about `size`, so mixed that the variance is right.
    """
    low = int(size)
    more = low * (size - low) / (2 * low + 1 - size)  # the share of the larger ones
    found, now = [], 0.0
    while (now := now + source.expovariate(mean / (low + more))) < 1:
        found.append(low + (source.random() < more))
    return tuple(found)


@diagram("failures-in-bursts")
def failures_in_bursts(read):
    """Draw a year of two machines with the same number of failures, one by one and in bursts."""
    mean, spares = read.number("reliability.deadlines.month_failures"), read.number("reliability.deadlines.month_rule")
    rough = read.number("reliability.measured.rough_burst")
    source = random.Random(PILED)
    piles = tuple(
        Pile(name, size, tuple(bursts(mean, size, source) for _ in range(MONTHS)), spares)
        for name, size in (("one by one", 1.0), ("in bursts", rough))
    )
    return Diagram(
        title=f"{MONTHS} months of two machines, with as many failures",
        description=(
            f"One draw of two machines, {MONTHS} columns each: the failures of a month as a pile of bursts. "
            + "; ".join(
                f"{p.name}, {sum(p.counts)} failures in the year, the quietest month {min(p.counts)} and the worst "
                f"{max(p.counts)}, {p.short} months above the {spares:.0f} spares that Poisson's root asks for"
                for p in piles
            )
            + "."
        ),
        draw=lambda canvas: _piles(canvas, piles),
        columns=("failures come", "in the year", "quietest month", "worst month", f"months above {spares:.0f}"),
        rows=tuple([p.name, *map(str, (sum(p.counts), min(p.counts), max(p.counts), p.short))] for p in piles),
        values={"piles": piles, "mean": mean},
    )


def _piles(canvas, piles):
    most = max(max(pile.counts) for pile in piles)
    wide, y = (canvas.width - 4, 16) if canvas.narrow else ((canvas.width - 40) / 2, 16)
    for index, pile in enumerate(piles):
        x = 2 if canvas.narrow else 2 + index * (wide + 36)
        _machine(canvas, pile, x, y, wide, TALL / most)
        y += TALL + 76 if canvas.narrow else 0


def _machine(canvas, pile, x, y, wide, unit):
    """Draw a machine's months as piles of bursts below the line of its spares."""
    foot, gap = y + TALL + 22, wide / MONTHS
    canvas.text(x, y, f"{sum(pile.counts)} failures, {pile.name}", 13, bold=True)
    for enough, shade in ((True, "mid"), (False, "full")):
        places = []
        for month, parts in enumerate(pile.months):
            if (sum(parts) <= pile.spares) != enough:
                continue
            top = foot
            for size in parts:
                top -= size * unit
                places.append((x + month * gap + 2, top, gap - 4, size * unit))
        canvas.rects(places, "failure" if not enough else "time", shade)
    level = foot - pile.spares * unit
    canvas.line(x, level, x + wide, level, "plain", "bold")
    canvas.text(
        x + wide, y, f"{pile.short} months above {pile.spares:.0f}", 12.5, "end", "failure" if pile.short else ""
    )
    axis(canvas, foot, [(x, "0"), (x + wide, f"{MONTHS} months")])
    canvas.text(x, level - 5, f"{pile.spares:.0f} spares", 12.5, bold=True)
