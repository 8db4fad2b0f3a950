"""Segments of work and write in rough weather: each is tried until it is saved, and so is each restart."""

import random
from typing import NamedTuple

from diagrams.young_daly.failure_log import LEGEND
from mathbook.diagrams.legend_axis import axis, legend
from mathbook.diagrams.registry import Diagram, diagram

SEGMENTS, SEED = 8, 385  # how many are drawn, and a seed, chosen so that their mean is near the expectation
ROW, BAR = 27, 19


class Piece(NamedTuple):
    """What a segment does from one minute to another, counted from its own begin."""

    kind: str
    begin: float
    end: float


class Segment(NamedTuple):
    """The pieces of a segment until it is saved, and the minutes at which failures strike it."""

    pieces: tuple
    struck: tuple

    @property
    def end(self):
        """Return when it is saved."""
        return self.pieces[-1].end


def segment(source, work, write, mean, restart):
    """Return a Segment that is tried until work and write get through; a restart that is struck begins anew."""
    pieces, struck, now = [], [], 0.0
    while (life := source.expovariate(1 / mean)) < work + write:
        pieces.append(Piece("lost", now, now + min(life, work)))
        if life > work:
            pieces.append(Piece("write", now + work, now + life))
        now += life
        struck.append(now)
        while (again := source.expovariate(1 / mean)) < restart:
            pieces.append(Piece("restart", now, now + again))
            now += again
            struck.append(now)
        pieces.append(Piece("restart", now, now + restart))
        now += restart
    pieces += [Piece("work", now, now + work), Piece("write", now + work, now + work + write)]
    return Segment(tuple(pieces), tuple(struck))


@diagram("segment-tries")
def segment_tries(read):
    """Draw eight segments of the rough sea, one a row, each from its first try to the saved checkpoint."""
    at = "young_daly.rough_sea"
    work, write, mean, restart = (read.number(at, "min", of=name) for name in ("tau", "C", "M", "R"))
    source = random.Random(SEED)
    segments = tuple(segment(source, work, write, mean, restart) for _ in range(SEGMENTS))
    given = {"C": f"{write} min", "M": f"{mean} min", "R": f"{restart} min", "tau": f"{work} min"}
    exact = float(read.at("young_daly.segment_time", **given).m_as("min"))
    smooth = sum(s.end == work + write for s in segments)
    drawn = sum(s.end for s in segments) / SEGMENTS
    return Diagram(
        title=f"{SEGMENTS} segments in rough weather, each tried until it is saved",
        description=(
            f"{SEGMENTS} rows, each a segment of {work:.0f} min of work and {write:.0f} min of write, one draw with a "
            f"failure every {mean:.0f} min on average and restarts of {restart:.0f} min. {smooth} get through at once, "
            f"the others are tried again, and a restart can be struck too. The mean of the rows is {drawn:.0f} min; "
            f"{exact:.0f} min are expected."
        ),
        draw=lambda canvas: _draw(canvas, segments, exact),
        columns=("segment", "failures", "saved after (min)", "work lost (min)"),
        rows=tuple([str(i), str(len(s.struck)), f"{s.end:.0f}", f"{_lost(s):.0f}"] for i, s in enumerate(segments, 1)),
        values={"segments": segments, "exact": exact},
    )


def _lost(one):
    return sum(piece.end - piece.begin for piece in one.pieces if piece.kind == "lost")


def _draw(canvas, segments, exact):
    left, right = 2, canvas.width - 10
    longest = max(one.end for one in segments)
    unit = (right - left) / longest
    top = legend(canvas, list(LEGEND.values()), 176) + 30
    foot = top + len(segments) * ROW
    for index, one in enumerate(segments):
        _row(canvas, one, left, top + index * ROW, unit)
    x = left + exact * unit
    canvas.line(x, top - 8, x, foot, "plain", "dash")
    canvas.text(x + 5, top - 10, f"on average {exact:.0f} min", 12.5, bold=True)
    hours = range(0, int(longest) + 1, 30)
    axis(canvas, foot + 2, [(left + minute * unit, f"{minute} min" if minute else "0") for minute in hours])


def _row(canvas, one, left, y, unit):
    for kind, sign in LEGEND.items():
        places = [(left + p.begin * unit, y, (p.end - p.begin) * unit, BAR) for p in one.pieces if p.kind == kind]
        canvas.rects(places, sign.kind, sign.shade, "bare")
        if sign.hatched:
            canvas.hatch_rects(places, sign.kind, 5)
    marks = "".join(f"M{left + minute * unit:.1f} {y - 3}v{BAR + 6}" for minute in one.struck)
    if marks:
        canvas.path(marks, "failure", more="bold")
