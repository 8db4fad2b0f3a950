"""How devices are wired: the links of a node, the rails between nodes, the spine between rails."""

from mathbook.schematics.drawings import Drawing, drawing, said

NODES, DEVICES = 4, 8


@drawing("rails")
def rails(read):
    """Draw nodes of eight devices on their own links, and a rail for each place in the nodes."""
    inner, port = read("hardware.h100_nvlink"), read("hardware.ndr_port")
    gain = read.text("collectives.levels_gain | , 2")
    ratio = float((inner / port).m_as(""))

    def draw(paper):
        _draw(paper, said(inner, "GB/s"), said(port, "GB/s", 2))

    return Drawing(
        title=f"Nodes of {DEVICES} devices: links inside, rails between",
        told=(
            f"Inside a node each device reaches each other through switches of its own, at {said(inner, 'GB/s')} one way. "
            f"Between nodes each device has a port of {said(port, 'GB/s', 2)}, {ratio:.0f} times slower. Devices at the same "
            "place of their nodes hang on the same rail, a switch of their own; whoever wants another rail crosses "
            f"the node first, or the spine. Summing on two levels uses the rails side by side and is {gain} times as fast as "
            "one ring through all."
        ),
        draw=draw,
        columns=("link", "one way"),
        rows=(
            ["inside a node", said(inner, "GB/s")],
            ["port to a rail", said(port, "GB/s", 2)],
            ["ratio", f"{ratio:.3g}"],
        ),
        values={"inner": inner, "port": port},
    )


def _draw(paper, inner, port):
    nodes = 2 if paper.narrow else NODES
    wide = (paper.width - 8 - (nodes - 1) * 16) / nodes
    gap = wide / DEVICES
    rail_y, top = 78, 190 if not paper.narrow else 196
    places = [[4 + n * (wide + 16) + gap * (d + 0.5) for d in range(DEVICES)] for n in range(nodes)]
    rails_at = [40 + (paper.width - 80) / (DEVICES - 1) * r for r in range(DEVICES)]
    _spine(paper, rails_at, rail_y)
    for n, row in enumerate(places):
        for d, x in enumerate(row):
            mark = "bold" if d == 0 else "thin"
            paper.line(x, top, rails_at[d], rail_y + 22, "bytes" if d == 0 else "plain", mark)
        _node(paper, 4 + n * (wide + 16), top, wide, row, n)
    for r, x in enumerate(rails_at):
        kind, shade = ("bytes", "full") if r == 0 else ("plain", "faint")
        paper.box(x - 17, rail_y, 34, 22, kind, shade, 4)
        paper.text(x, rail_y + 15, f"{r + 1}", 12, "middle", "on" if r == 0 else "")
    y = paper.height + 20
    for kind, text in (("bytes", f"rail 1: all first devices, at {port} a port"), ("", f"inside a node: {inner}, all to all")):
        paper.text(4 if paper.narrow or kind else paper.width - 4, y, text, 12.5, "start" if paper.narrow or kind else "end", kind, bool(kind))
        y += 19 if paper.narrow else 0


def _spine(paper, rails_at, rail_y):
    left, right = rails_at[0] - 17, rails_at[-1] + 17
    for x in rails_at:
        paper.line(x, 40, x, rail_y, "plain", "thin dash")
    paper.box(left, 14, right - left, 26, "plain", "faint", 4)
    paper.text((left + right) / 2, 31, "spine: between rails", 12.5, "middle")


def _node(paper, x, y, wide, row, index):
    paper.box(x, y, wide, 74, "plain", "faint", 6)
    bar = y + 46
    paper.box(x + 6, bar, wide - 12, 12, "bytes", "mid", 3)
    for place in row:
        paper.line(place, y + 26, place, bar, "bytes", "bold")
    for d, place in enumerate(row):
        paper.box(place - 7, y + 10, 14, 16, "bytes", "full" if d == 0 else "soft", 2)
    paper.letters([(place, str(d + 1)) for d, place in enumerate(row) if d], y + 22, 11)
    paper.letters([(row[0], "1")], y + 22, 11, "on", True)
    paper.text(x + wide / 2, y + 71, f"node {index + 1}", 11.5, "middle", "quiet")
