"""Two fat trees of the same switches: one with full bandwidth through the spine, one oversubscribed."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram

PORTS = 8  # of a switch: few enough to draw every link
TIERS = 2


class Tree(NamedTuple):
    """A tree of two tiers: switches above and below, links down and up of each leaf, and its oversubscription."""

    spines: int
    leaves: int
    down: int
    up: int
    oversubscription: float

    @property
    def nics(self):
        """Return the number of NICs."""
        return self.leaves * self.down

    @property
    def uplinks(self):
        """Return the number of links between leaves and spine."""
        return self.leaves * self.up


@diagram("fat-tree")
def fat_tree(read):
    """Draw a tree of leaf and spine switches with every link, without and with oversubscription."""
    trees = tuple(_tree(read, o) for o in (1, read.number("fabrics.llama_narrowing")))
    return Diagram(
        title=f"Two trees of switches with {PORTS} links each",
        description=_description(*trees),
        draw=lambda canvas: _draw(canvas, trees),
        columns=("oversubscription", "leaf switches", "spine switches", "NICs", "uplinks"),
        rows=[
            [f"{t.oversubscription:.0f}:1", str(t.leaves), str(t.spines), str(t.nics), str(t.uplinks)] for t in trees
        ],
        values={"trees": trees},
    )


def _tree(read, oversubscription):
    """Return the largest tree, from the number of NICs that the book's formula gives."""
    givens = {"k_p": str(PORTS), "L_s": str(TIERS), "o": str(oversubscription)}
    down = round(read.at("fabrics.edge_ports", **givens).m_as("") / PORTS)  # each spine switch leads to all leaves
    return Tree(PORTS - down, PORTS, down, PORTS - down, oversubscription)


def _description(full, narrow):
    share = narrow.uplinks / narrow.nics
    return (
        f"Both trees have {full.leaves} leaf switches of {PORTS} links each. On the first, each leaf has {full.down} "
        f"NICs and {full.up} uplinks, one to each of {full.spines} spine switches: {full.nics} NICs can all send to "
        f"other leaves at their full rate. On the second, each leaf has {narrow.down} NICs and {narrow.up} uplink to "
        f"one spine switch: {narrow.nics} NICs share {narrow.uplinks} uplinks, and get {share:.0%} of their rate if "
        "all send to other leaves at once."
    )


def _draw(canvas, trees):
    """Draw the trees, side by side or below each other."""
    wide = canvas.width - 8 if canvas.narrow else (canvas.width - 40) / 2
    for index, tree in enumerate(trees):
        left, top = (4, index * 208) if canvas.narrow else (4 + index * (wide + 32), 0)
        name = "full bandwidth" if tree.oversubscription == 1 else "oversubscribed"
        canvas.text(left, top + 14, f"{name}, {tree.oversubscription:.0f}:1", 13.5, bold=True, room=wide)
        _links(canvas, tree, left, top + 30, wide)
        text = f"{tree.nics} NICs, {tree.uplinks} uplinks, {tree.spines + tree.leaves} switches"
        canvas.text(left, top + 182, text, 12.5, room=wide)


def _links(canvas, tree, left, top, wide):
    """Draw spine, leaves and NICs with every link between them."""
    spine_y, leaf_y, nic_y = top, top + 74, top + 120
    step = wide / tree.leaves
    leaves = [left + step * (place + 0.5) for place in range(tree.leaves)]
    spines = [left + wide * (place + 0.5) / tree.spines for place in range(tree.spines)]
    for spine in spines:
        for leaf in leaves:
            canvas.line(spine, spine_y + 20, leaf, leaf_y, "bytes", "thin" if tree.spines > 1 else "bold")
    pitch = (step - 6) / tree.down
    nics = [leaf + (place - (tree.down - 1) / 2) * pitch for leaf in leaves for place in range(tree.down)]
    for nic, leaf in zip(nics, (leaf for leaf in leaves for _ in range(tree.down)), strict=True):
        canvas.line(leaf + (nic - leaf) * 0.9, leaf_y + 18, nic, nic_y, "plain", "thin")
    for leaf in leaves:
        canvas.rect(leaf - step / 2 + 3, leaf_y, step - 6, 18, "bytes", "mid", 3)
    for spine in spines:
        canvas.rect(spine - 32, spine_y, 64, 20, "bytes", "full", 3)
        canvas.text(spine, spine_y + 14.5, "spine", 12, "middle", "on", room=60)
    canvas.rects([(nic - 1.7, nic_y, 3.4, 9) for nic in nics], "plain", "strong")
    canvas.extend_to(nic_y + 12)
