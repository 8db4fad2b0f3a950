"""Two losses as strips of a square: what multiplying leaves, and the corner that subtracting takes twice."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

CASES = (("a third each", 1 / 3), ("a tenth each", 1 / 10))
LEGEND = (
    LegendEntry("progress", "time", "mid"),
    LegendEntry("down", "failure", "mid"),
    LegendEntry("stalled, while it runs", "plain", "mid"),
    LegendEntry("taken twice", "failure", "full", True),
)


class Losses(NamedTuple):
    """Two equal losses: their name, their share, what multiplying and what subtracting leaves, and the corner."""

    name: str
    share: float
    kept: float
    subtracted: float
    corner: float


@diagram("overlapping-losses")
def overlapping_losses(read):
    """Draw two losses of a third and two of a tenth, each a strip of the whole."""
    found = tuple(_losses(read, name, share) for name, share in CASES)
    return Diagram(
        title="What is taken twice if two losses are subtracted",
        description=(
            "Two squares, each the whole time. A strip at the right is the time down, a strip at the foot the time "
            "stalled, as a share of what is left. Subtracted from the whole, the stalls reach under the time down, and "
            "their common corner is taken twice. "
            + "; ".join(
                f"with losses of {c.name} {percent(c.kept)} are left, subtracting says {percent(c.subtracted)}, "
                f"the corner is {percent(c.corner)}"
                for c in found
            )
            + "."
        ),
        draw=lambda canvas: _draw(canvas, found),
        columns=("losses", "left", "subtracted from one", "the corner"),
        rows=tuple([c.name, *map(percent, c[2:])] for c in found),
        values={"cases": found},
    )


def _losses(read, name, share):
    corner = float(read.at("goodput.two_losses", l_1=str(share), l_2=str(share)).m_as(""))
    return Losses(name, share, 1 - 2 * share + corner, 1 - 2 * share, corner)


def _draw(canvas, found):
    y = legend(canvas, LEGEND, 176) + 26
    gap = 22 if canvas.narrow else 40
    side = min((canvas.width - 4 - gap) / 2, 220)
    step = side + gap if canvas.narrow else canvas.width / 2
    for index, case in enumerate(found):
        _square(canvas, case, 2 + index * step, y, side)


def _square(canvas, case, x, y, side):
    """Draw the whole, its two strips and their corner, and what is left by both ways of counting."""
    loss = case.share * side
    canvas.text(x, y - 8, case.name, 13, bold=True)
    canvas.rect(x, y, side - loss, side - loss, "time", "mid", 0, "bare")
    canvas.rect(x + side - loss, y, loss, side - loss, "failure", "mid", 0, "bare")
    canvas.rect(x, y + side - loss, side - loss, loss, "plain", "mid", 0, "bare")
    corner = (x + side - loss, y + side - loss, loss, loss)
    canvas.rect(*corner, "failure", "full", 0, "bare")
    canvas.hatch(*corner, "plain", 5)
    aside = not canvas.narrow
    tx, ty = (x + side + 12, y + 16) if aside else (x, y + side + 20)
    for line, tone, bold in (
        (f"left: {percent(case.kept)}", "time", True),
        (f"subtracted: {percent(case.subtracted)}", "", False),
        (f"corner: {percent(case.corner, 2 if case.corner > 0.1 else 1)}", "failure", True),
    ):
        canvas.text(tx, ty, line, 13, tone=tone, bold=bold)
        ty += 20
