"""How devices are wired: the links of a node, the rails between nodes, the spine between rails."""

from mathbook.diagrams.registry import Diagram, as_text, diagram

NODES, DEVICES = 4, 8
RAIL, SPINE = 78, 14  # heights of the rails and of the spine above them


@diagram("rails")
def rails(read):
    """Draw nodes of eight devices on their own links, and a rail for each place in the nodes."""
    inner, port = read("hardware.h100_nvlink"), read("hardware.ndr_port")
    rates = as_text(inner, "GB/s"), as_text(port, "GB/s", 2)
    ratio = float((inner / port).m_as(""))
    return Diagram(
        title=f"Nodes of {DEVICES} devices: links inside, rails between",
        description=_description(rates, ratio, read.text("collectives.levels_gain | , 2")),
        draw=lambda canvas: _draw(canvas, rates),
        columns=("link", "per direction"),
        rows=(["inside a node", rates[0]], ["NIC to a rail", rates[1]], ["ratio", f"{ratio:.3g}"]),
        values={"inner": inner, "port": port},
    )


def _description(rates, ratio, gain):
    return (
        f"Inside a node each device reaches each other through switches of its own, at {rates[0]} per direction. "
        f"Between nodes each device has a NIC of {rates[1]}, {ratio:.0f} times slower. Devices at the same place of "
        "their nodes are on the same rail, a switch of their own; traffic to another rail crosses the node first, or "
        f"the spine. A hierarchical all-reduce uses the rails side by side and is {gain} times as fast as one ring "
        "through all."
    )


def _draw(canvas, rates):
    nodes = 2 if canvas.narrow else NODES
    wide, top = (canvas.width - 8 - (nodes - 1) * 16) / nodes, 190
    rails_at = [40 + (canvas.width - 80) / (DEVICES - 1) * r for r in range(DEVICES)]
    _spine(canvas, rails_at)
    for n in range(nodes):
        left = 4 + n * (wide + 16)
        row = [left + wide / DEVICES * (d + 0.5) for d in range(DEVICES)]
        for d, (x, rail) in enumerate(zip(row, rails_at, strict=True)):
            canvas.line(x, top, rail, RAIL + 22, "plain" if d else "bytes", "thin" if d else "bold")
        _node(canvas, left, top, wide, row, n)
    for r, x in enumerate(rails_at):
        canvas.rect(x - 17, RAIL, 34, 22, "plain" if r else "bytes", "faint" if r else "full", 4)
        canvas.text(x, RAIL + 15, f"{r + 1}", 12, "middle", "" if r else "on")
    y, words = canvas.height + 20, f"inside a node: {rates[0]}, all to all"
    canvas.text(4, y, f"rail 1: all first devices, at {rates[1]} a NIC", 12.5, tone="bytes", bold=True)
    if canvas.narrow:
        canvas.text(4, y + 19, words, 12.5)
    else:
        canvas.text(canvas.width - 4, y, words, 12.5, "end")


def _spine(canvas, rails_at):
    left, right = rails_at[0] - 17, rails_at[-1] + 17
    for x in rails_at:
        canvas.line(x, SPINE + 26, x, RAIL, "plain", "thin dash")
    canvas.rect(left, SPINE, right - left, 26, "plain", "faint", 4)
    canvas.text((left + right) / 2, SPINE + 17, "spine: between rails", 12.5, "middle")


def _node(canvas, x, y, wide, row, index):
    canvas.rect(x, y, wide, 74, "plain", "faint", 6)
    bar = y + 46
    canvas.rect(x + 6, bar, wide - 12, 12, "bytes", "mid", 3)
    for d, place in enumerate(row):
        canvas.line(place, y + 26, place, bar, "bytes", "bold")
        canvas.rect(place - 7, y + 10, 14, 16, "bytes", "soft" if d else "full", 2)
    canvas.glyphs([(place, str(d + 1)) for d, place in enumerate(row) if d], y + 22.5, 12.6)
    canvas.glyphs([(row[0], "1")], y + 22.5, 12.6, "on", True)
    canvas.text(x + wide / 2, y + 71, f"node {index + 1}", 12, "middle", "quiet")
