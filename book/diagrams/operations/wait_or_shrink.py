"""A fleet that has lost a node: it waits for the spare, or goes on without one group and grows again."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, diagram

AFTER = 6  # minutes of the day that are drawn behind the last event
GROUP = 11  # height of a group's line
LEGEND = (
    LegendEntry("at work", "time", "mid"),
    LegendEntry("idle", "failure", "soft", True),
    LegendEntry("restarting", "plain", "strong"),
    LegendEntry("writing", "bytes", "full"),
)


class Span(NamedTuple):
    """What some groups do from one minute to another: the kind, the first group and how many of them."""

    kind: str
    begin: float
    end: float
    first: int
    groups: int


class Strategy(NamedTuple):
    """A way through the wait: its name, the spans of all groups, and how many groups there are."""

    name: str
    spans: tuple
    groups: int

    @property
    def lost(self):
        """Return the minutes of the whole fleet that are not work."""
        return sum((s.end - s.begin) * s.groups for s in self.spans if s.kind != "at work") / self.groups


def waiting(groups, spare, restart, until):
    """Return the Way of a job that stands until the spare is there."""
    back = spare + restart
    spans = (
        Span("idle", 0, spare, 0, groups),
        Span("restarting", spare, back, 0, groups),
        Span("at work", back, until, 0, groups),
    )
    return Strategy("wait for the spare", spans, groups)


def shrinking(groups, spare, restart, write, until):
    """Return the Way of a job that restarts without the first group, and once more when the spare is there.

    The group that lost its node idles for the whole wait; the others restart at the begin of it.
    """
    rest, again = groups - 1, spare + write
    spans = (
        Span("idle", 0, spare, 0, 1),
        Span("restarting", 0, restart, 1, rest),
        Span("at work", restart, spare, 1, rest),
        Span("writing", spare, again, 0, groups),
        Span("restarting", again, again + restart, 0, groups),
        Span("at work", again + restart, until, 0, groups),
    )
    return Strategy("shrink, and grow again", spans, groups)


@diagram("wait-or-shrink")
def wait_or_shrink(read):
    """Draw both ways through a wait of half an hour, group by group."""
    at = "operations.shrink_half"
    spare, restart, write = (read.number(at, "min", of=name) for name in ("t_s", "R", "C"))
    groups = round(1 / read.number(at, of="x_g"))
    until = spare + write + restart + AFTER
    strategies = waiting(groups, spare, restart, until), shrinking(groups, spare, restart, write, until)
    pays = read.number("operations.elastic_from", "min")
    return Diagram(
        title="Wait for the spare, or shrink and grow again",
        description=(
            f"A fleet of {groups} groups, of which one has lost a node; the spare comes after {spare:.0f} min. "
            + "; ".join(
                f"{strategy.name}: {strategy.lost:.0f} min of the whole fleet are lost" for strategy in strategies
            )
            + f". A job that shrinks restarts twice, for {restart:.0f} min each, and gains for waits above "
            f"{pays:.0f} min. The formula charges its idle group for the first restart as well."
        ),
        draw=lambda canvas: _draw(canvas, strategies, spare, until),
        columns=("way", "lost, in minutes of the whole fleet"),
        rows=tuple([strategy.name, f"{strategy.lost:.2g}"] for strategy in strategies),
        values={"ways": strategies, "known": (read.number("operations.wait_half", "min"), read.number(at, "min"))},
    )


def _draw(canvas, strategies, spare, until):
    left = 2
    unit = (canvas.width - 6) / until
    y = legend(canvas, LEGEND, 150) + 22
    for strategy in strategies:
        canvas.text(left, y, strategy.name, 13, bold=True)
        canvas.text(
            canvas.width - 4,
            y,
            f"loses {strategy.lost:.0f} min" + ("" if canvas.narrow else " of the whole fleet"),
            12.5,
            "end",
            "failure",
            True,
        )
        _draw_strategy(canvas, strategy, left, y + 8, unit)
        y += strategy.groups * GROUP + 40
    y -= 30
    canvas.text(left + spare * unit, y + 32, "the spare comes", 12.5, "middle", bold=True)
    axis(canvas, y, [(left + minute * unit, f"{minute} min" if minute else "0") for minute in range(0, int(until), 10)])


def _draw_strategy(canvas, strategy, left, y, unit):
    for sign in LEGEND:
        here = [span for span in strategy.spans if span.kind == sign.words]
        lines = [(span, group) for span in here for group in range(span.first, span.first + span.groups)]
        places = [(left + s.begin * unit, y + g * GROUP, (s.end - s.begin) * unit, GROUP - 1.5) for s, g in lines]
        canvas.rects(places, sign.kind, sign.shade, "bare")
        if sign.hatched:
            blocks = [
                (left + s.begin * unit, y + s.first * GROUP, (s.end - s.begin) * unit, s.groups * GROUP) for s in here
            ]
            canvas.hatch_rects(blocks, sign.kind, 6)
