"""Nodes that fail, are repaired and come back: who is where, and how often the spares run out."""

from mathbook.schematics.drawings import Drawing, drawing, percent, said

MOST = 10  # nodes away at once, that are drawn


@drawing("spares-and-repair")
def spares_and_repair(read):
    """Draw where the nodes are, what moves them, and the chance of each number away."""
    given = {name: read("promises.shop_away", of=name) for name in ("N", "g", "r", "t_r")}
    nodes = float((given["N"] / given["g"]).m_as(""))
    away = read.number("promises.shop_away")
    spares = int(read.number("promises.shop_seven", of="s"))
    enough = [float(read.at("promises.spares_in_turn", s=s, **given).m_as("")) for s in range(MOST + 1)]
    chances = [enough[0], *(b - a for a, b in zip(enough, enough[1:], strict=False))]
    every = 1 / (given["r"] * nodes)
    facts = (nodes, away, spares, said(every.to("h"), "h", 2), said(given["t_r"], "d"))

    def draw(paper):
        y = _states(paper, *facts)
        _chances(paper, chances, spares, y)

    return Drawing(
        title=f"{nodes:.0f} nodes, {spares} spares, and repair in {said(given['t_r'], 'd')}",
        told=(
            f"{nodes:.0f} nodes work. One fails every {facts[3]}, a spare takes its place, and after {facts[4]} it is repaired and "
            f"a spare again; in the mean {away:.3g} are away. Below, the chance of each number away at a moment: more than the "
            f"{spares} spares in {percent(1 - enough[spares])} of all moments."
        ),
        draw=draw,
        columns=("nodes away", "chance"),
        rows=tuple([str(k), percent(chance)] for k, chance in enumerate(chances)),
        values={"chances": chances, "enough": enough, "spares": spares, "nodes": nodes, "away": away},
    )


def _states(paper, nodes, away, spares, every, repair):
    """Draw working nodes, the shop and the shelf of spares, and the way between them; return the y below."""
    wide = paper.width
    if paper.narrow:
        work, shop, shelf = (2, 24, 348, 96), (2, 176, 150, 66), (200, 176, 150, 66)
    else:
        work, shop, shelf = (2, 24, 300, 114), (446, 8, 270, 62), (446, 100, 270, 62)
    _group(paper, work, f"at work: {nodes:.0f} nodes", int(nodes), 32, "time", "mid")
    _group(paper, shop, f"in repair: {away:.1f}" + ("" if paper.narrow else " on average"), round(away), 16, "failure", "soft")
    _group(paper, shelf, f"spare: {spares - away:.1f} of {spares}", spares - round(away), 16, "time", "faint")
    if paper.narrow:
        paper.arrow(60, 122, 60, 156, "failure", "bold")
        paper.text(68, 143, f"every {every}", 12.5, tone="failure", bold=True)
        paper.arrow(154, 209, 198, 209, "time", "bold")
        paper.text(wide / 2, 258, f"repaired after {repair}", 12.5, "middle", "time", True)
        paper.arrow(290, 156, 290, 122, "time", "bold")
        paper.text(282, 143, "takes its place", 12.5, "end", "time", True)
        return 274
    paper.arrow(304, 52, 442, 40, "failure", "bold")
    paper.text(312, 30, f"fails: every {every}", 12.5, tone="failure", bold=True)
    paper.arrow(580, 72, 580, 84, "time", "bold", 0, 5)
    paper.text(590, 84, f"after {repair}", 12.5, tone="time", bold=True)
    paper.arrow(442, 132, 304, 112, "time", "bold")
    paper.text(318, 144, "takes its place", 12.5, tone="time", bold=True)
    return 176


def _group(paper, place, title, count, row, kind, shade):
    x, y, w, h = place
    paper.box(x, y, w, h, "plain", "faint", 6)
    if h < 80:
        paper.text(x + 8, y + 17, title, 12.5, bold=True, room=None if paper.narrow else w)
    else:
        paper.text(x, y - 7, title, 13, bold=True)
    gap = (w - 12) / row
    top = y + (28 if h < 80 else 10)
    paper.boxes([(x + 7 + (i % row) * gap, top + i // row * (gap + 12), gap - 2, gap + 6) for i in range(count)], kind, shade)


def _chances(paper, chances, spares, y):
    left, right = 2, paper.width - 2
    gap = (right - left) / len(chances)
    high, most = 110, max(chances)
    base = y + high + 26
    for away, chance in enumerate(chances):
        x, tall = left + away * gap, chance / most * high
        beyond = away > spares
        paper.box(x + 3, base - tall, gap - 6, tall, "failure" if beyond else "time", "full" if beyond else "mid", 0)
        paper.text(x + gap / 2, base + 15, str(away), 12, "middle", "failure" if beyond else "", beyond)
        if chance >= 0.02 and not paper.narrow:
            paper.text(x + gap / 2, base - tall - 5, percent(chance, 1 if chance < 0.1 else 2), 12, "middle")
    edge = left + (spares + 1) * gap
    paper.line(edge, base - high * 0.7, edge, base + 18, "failure", "bold dash")
    paper.text(edge - 6, base - high * 0.7 + 4, f"{spares} spares", 12.5, "end", "failure", True)
    paper.text(edge + 6, base - 24, "not enough", 12.5 if not paper.narrow else 11.5, tone="failure")
    paper.text(left, base + 34, "nodes away at one moment, and how likely that is", 12, tone="quiet")
