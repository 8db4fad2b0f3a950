"""Failures of many nodes: how their lines merge into one, and how they pile up when they come in bursts."""

import random
from itertools import pairwise
from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, drawing
from mathbook.schematics.furniture import axis

MERGED, PILED = 50, 3  # seeds, chosen so that the draws have as many failures as are expected
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


@drawing("merged-failures")
def merged_failures(read):
    """Draw each node of the run on a line of its own, and the job that all of them stop."""
    at = "promises.month_failures"
    days, rate = read.number(at, "d", of="t"), read.number(at, "1/d", of="r")
    nodes = round(float((read(at, of="N") / read(at, of="g")).m_as("")))
    stream = lives(nodes, rate, days, MERGED)
    one, job = read.text("reliability.law_8"), read.text("reliability.law_1024 | h, 2")
    return Drawing(
        title=f"{nodes} nodes for {days:.0f} days, and the job that runs on all of them",
        told=(
            f"One draw of {nodes} nodes, each on its own line for {days:.0f} days; a node fails once in {one} on "
            f"average. {len(stream.struck)} failures strike, {read.number(at):.0f} are expected. "
            f"{nodes - stream.touched} of the nodes see none. The job sees all of them, one every {job} on average; "
            f"the longest it is left alone is {24 * stream.longest:.0f} h."
        ),
        draw=lambda paper: _merge(paper, stream, one, job),
        columns=("", "failures", "mean time between them"),
        rows=(["a node", f"{rate * days:.2g} expected", one], ["the job", f"{len(stream.struck)} drawn", job]),
        values={"stream": stream, "rate": rate, "mean": read.number("reliability.law_1024", "d")},
    )


def _merge(paper, stream, one, job):
    left, right, y = 2, paper.width - 2, 22
    unit = (right - left) / stream.days
    calm = stream.nodes - stream.touched
    paper.text(left, 13, f"each of {stream.nodes} nodes: once in {one}", 13, bold=True)
    if not paper.narrow:
        paper.text(right, 13, f"one draw: {calm} nodes see no failure at all", 12.5, "end", "quiet")
    foot = y + stream.nodes * LINE
    lines = [(left, y + (node + 0.2) * LINE, right - left, 0.6 * LINE) for node in range(stream.nodes)]
    paper.boxes(lines, "plain", "soft", "bare")
    below = foot + 24
    drops = "".join(f"M{left + d * unit:.1f} {y + (n + 0.5) * LINE:.1f}V{below:.1f}" for d, n in stream.struck)
    paper.path(drops, "failure", more="thin")
    paper.boxes([(left + d * unit - 3, y + (n + 0.5) * LINE - 3, 6, 6) for d, n in stream.struck], "failure", "full")
    paper.box(left, below, right - left, LANE, "time", "soft", 0, "bare")
    paper.path("".join(f"M{left + d * unit:.1f} {below:.1f}v{LANE}" for d, _ in stream.struck), "failure", more="bold")
    paper.text(left, below + LANE + 18, f"the job on all {stream.nodes}: every {job}", 13, tone="failure", bold=True)
    ends = [(left + day * unit, f"{day:.0f} d" if day else "0") for day in (0, stream.days / 2, stream.days)]
    axis(paper, below + LANE + 26, ends)
