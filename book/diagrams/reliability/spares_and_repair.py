"""Nodes that fail, are repaired and come back: who is where, and how often the spares run out."""

from itertools import pairwise
from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

MOST = 10  # nodes away at once, that are drawn


class Shop(NamedTuple):
    """Nodes at work, nodes away on average, spares, how often one fails, how long a repair takes."""

    nodes: float
    away: float
    spares: int
    every: str
    repair: str


@diagram("spares-and-repair")
def spares_and_repair(read):
    """Draw where the nodes are, what moves them, and the probability of each number away."""
    given = {name: read("reliability.deadlines.shop_away", of=name) for name in ("N", "g", "r", "t_r")}
    nodes = given["N"] / given["g"]
    every = as_text((1 / (given["r"] * nodes)).to("h"), "h", 2)
    spares = int(read.number("reliability.deadlines.shop_seven", of="s"))
    shop = Shop(
        float(nodes.m_as("")),
        read.number("reliability.deadlines.shop_away"),
        spares,
        every,
        as_text(given["t_r"], "d", 1),
    )
    enough = [float(read.at("reliability.deadlines.spares_in_turn", s=s, **given).m_as("")) for s in range(MOST + 1)]
    chances = [enough[0], *(b - a for a, b in pairwise(enough))]
    return Diagram(
        title=f"{shop.nodes:.0f} nodes, {spares} spares, and repair in {shop.repair}",
        description=(
            f"{shop.nodes:.0f} nodes work. One fails every {every}, a spare takes its place, and after {shop.repair} "
            f"it is repaired and a spare again; on average {shop.away:.2g} are away. Below, the probability of each "
            f"number away at a moment: more than the {spares} spares in {percent(1 - enough[spares])} of all moments."
        ),
        draw=lambda canvas: _probabilities(
            canvas, chances, spares, (_stacked if canvas.narrow else _states)(canvas, shop)
        ),
        columns=("nodes away", "probability"),
        rows=tuple([str(k), percent(chance)] for k, chance in enumerate(chances)),
        values={"chances": chances, "enough": enough, "shop": shop},
    )


def _states(canvas, shop):
    """Draw working nodes, the shop and the shelf of spares, and the ways between them; return the y below."""
    _group(canvas, (2, 24, 300, 114), f"at work: {shop.nodes:.0f} nodes", int(shop.nodes), 32, "time", "mid")
    _group(canvas, (446, 8, 270, 62), f"in repair: {shop.away:.1f} on average", round(shop.away), 16, "failure", "soft")
    ready = shop.spares - round(shop.away)
    _group(
        canvas,
        (446, 100, 270, 62),
        f"spare: {shop.spares - shop.away:.1f} of {shop.spares}",
        ready,
        16,
        "time",
        "faint",
    )
    canvas.arrow(304, 52, 442, 40, "failure", "bold")
    canvas.text(312, 30, f"fails: every {shop.every}", 12.5, tone="failure", bold=True)
    canvas.arrow(580, 72, 580, 98, "time", "bold", 0, 5)
    canvas.text(590, 90, f"after {shop.repair}", 12.5, tone="time", bold=True)
    canvas.arrow(442, 132, 304, 112, "time", "bold")
    canvas.text(318, 146, "takes its place", 12.5, tone="time", bold=True)
    return 176


def _stacked(canvas, shop):
    """Draw the same on a phone: the shop and the shelf below the nodes at work."""
    _group(canvas, (2, 24, 348, 96), f"at work: {shop.nodes:.0f} nodes", int(shop.nodes), 32, "time", "mid")
    _group(canvas, (2, 158, 150, 66), f"in repair: {shop.away:.1f}", round(shop.away), 16, "failure", "soft")
    ready = shop.spares - round(shop.away)
    _group(
        canvas,
        (200, 158, 150, 66),
        f"spare: {shop.spares - shop.away:.1f} of {shop.spares}",
        ready,
        16,
        "time",
        "faint",
    )
    canvas.arrow(60, 122, 60, 155, "failure", "bold")
    canvas.text(68, 143, f"every {shop.every}", 12.5, tone="failure", bold=True)
    canvas.arrow(154, 191, 198, 191, "time", "bold")
    canvas.text(canvas.width / 2, 242, f"repaired after {shop.repair}", 12.5, "middle", "time", True)
    canvas.arrow(290, 155, 290, 122, "time", "bold")
    canvas.text(282, 143, "takes its place", 12.5, "end", "time", True)
    return 256


def _group(canvas, place, title, count, row, kind, shade):
    x, y, w, h = place
    canvas.rect(x, y, w, h, "plain", "faint", 6)
    if h < 80:
        canvas.text(x + 8, y + 17, title, 12.5, bold=True, room=None if canvas.narrow else w)
    else:
        canvas.text(x, y - 7, title, 13, bold=True)
    gap = (w - 12) / row
    top = y + (28 if h < 80 else 10)
    canvas.rects(
        [(x + 7 + (i % row) * gap, top + i // row * (gap + 12), gap - 2, gap + 6) for i in range(count)], kind, shade
    )


def _probabilities(canvas, chances, spares, y):
    left, right = 2, canvas.width - 2
    gap = (right - left) / len(chances)
    high, most = 110, max(chances)
    base = y + high + 26
    for away, chance in enumerate(chances):
        x, tall = left + away * gap, chance / most * high
        beyond = away > spares
        canvas.rect(x + 3, base - tall, gap - 6, tall, "failure" if beyond else "time", "full" if beyond else "mid", 0)
        canvas.text(x + gap / 2, base + 15, str(away), 12, "middle", "failure" if beyond else "", beyond)
        if chance >= 0.02 and not canvas.narrow:
            canvas.text(x + gap / 2, base - tall - 5, percent(chance, 1 if chance < 0.1 else 2), 12, "middle")
    edge = left + (spares + 1) * gap
    canvas.line(edge, base - high * 0.7, edge, base + 18, "failure", "bold dash")
    canvas.text(edge - 6, base - high * 0.7 + 4, f"{spares} spares", 12.5, "end", "failure", True)
    canvas.text(edge + 6, base - 24, "not enough", 12.5 if not canvas.narrow else 11.5, tone="failure")
    canvas.text(left, base + 34, "nodes away at one moment, and their probability", 12, tone="quiet")
