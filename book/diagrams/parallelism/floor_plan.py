"""The layout that was decided on, as it lies on the fleet: who shares what with whom, and what that takes of a step."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import SWATCH
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity

NODE, BETWEEN, TOP = 42, 18, 34  # height of a node, room between two, where the first begins


class Plan(NamedTuple):
    """TP degree, PP degree, groups in a node, columns of nodes, DP degree and layers; seconds of a step by part."""

    share: int
    stages: int
    groups: int
    columns: int
    copies: int
    layers: int
    seconds: dict

    @property
    def step(self):
        """Return how long a step takes, in seconds."""
        return sum(self.seconds.values())


def plan(read):
    """Return the Plan of the chapter's decision."""
    sums, gradients, bubble = (f"parallelism.layouts.two_eight_{part}" for part in ("tp", "dp", "pp"))
    share, stages, devices = (round(read.number(gradients, of=letter)) for letter in "tpN")
    groups = round(read.number(gradients, of="g"))
    addresses = {
        "computing": "parallelism.layouts.step_computes",
        "layers": sums,
        "bubble": bubble,
        "gradients": gradients,
    }
    return Plan(
        share=share,
        stages=stages,
        groups=groups,
        columns=devices // (share * stages * groups),
        copies=round(float(read.at("parallelism.layouts.replicas", t=share, p=stages, N=devices).m_as(""))),
        layers=round(read.number("models.llama31_70b_layers")),
        seconds={part: read.number(address, "s") for part, address in addresses.items()},
    )


def legend_entries(found):
    """Return `(part, words, kind, shade, hatched)` of the parts of a step."""
    return (
        ("computing", "computing", "time", "mid", False),
        ("layers", f"all-reduces in a group of {found.share}", "bytes", "strong", False),
        ("bubble", f"bubble of the {found.stages} stages", "failure", "none", True),
        ("gradients", "gradients, along each row", "bytes", "soft", False),
    )


@diagram("floor-plan")
def floor_plan(read):
    """Draw the nodes of two replicas device by device, the other replicas next to them, and the step as a bar."""
    found = plan(read)
    return Diagram(
        title=f"TP={found.share}, PP={found.stages}, DP={found.copies} on the floor",
        description=_description(found),
        draw=lambda canvas: _draw(canvas, found),
        columns=("part of the step", "takes", "of the step"),
        rows=tuple(
            [words, _seconds(found, part), percent(found.seconds[part] / found.step)]
            for part, words, *_ in legend_entries(found)
        ),
        values={"plan": found},
    )


def _seconds(found, part):
    return as_text(quantity(f"{found.seconds[part]} s"), "s", 2 if found.seconds[part] < 1 else 3)


def _description(found):
    parts = ", ".join(f"{_seconds(found, part)} {words}" for part, words, *_ in legend_entries(found))
    return (
        f"A column of {found.stages} nodes, one for each stage with {found.layers // found.stages} layers, holds "
        f"{found.groups} replicas: in each node {found.groups} groups of {found.share} devices share their layers over "
        f"the links of the node. Activations go down the column from stage to stage. The nodes of a row hold the same "
        f"layers, and an all-reduce over {found.columns} nodes sums their gradients. Times of a step: {parts}."
    )


def _draw(canvas, found):
    left, cell = 2, 24 if canvas.narrow else 30
    group = found.share * cell
    wide = found.groups * (group + 10) + 10
    for index in range(found.groups):
        words = str(index + 1) if canvas.narrow else f"replica {index + 1}"
        _group_name(canvas, left + 10 + index * (group + 10) + group / 2, words)
    for stage in range(found.stages):
        _node(canvas, found, stage, left, TOP + stage * (NODE + BETWEEN), wide, cell)
    _others(canvas, found, left + wide + 6)
    _step(canvas, found, TOP + found.stages * (NODE + BETWEEN) + 12)


def _group_name(canvas, x, words):
    canvas.text(x, TOP - 10, words, 12.5, "middle", bold=True)


def _node(canvas, found, stage, left, y, wide, cell):
    """Draw the node of a stage: its groups of devices, and the arrows to the next stage."""
    canvas.rect(left, y, wide, NODE, "bytes", "soft", 4)
    canvas.text(left + 10, y + 15, f"stage {stage + 1}", 12.5, bold=True)
    for index in range(found.groups):
        x = left + 10 + index * (found.share * cell + 10)
        canvas.rects([(x + i * cell, y + 20, cell - 3, NODE - 26) for i in range(found.share)], "bytes", "strong")
        if stage < found.stages - 1:
            middle = x + found.share * cell / 2
            canvas.arrow(middle, y + NODE + 2, middle, y + NODE + BETWEEN - 2, "time", "bold")
    if stage == 0 and not canvas.narrow:
        canvas.text(left + wide + 4, y + NODE + 13, "activations", 12, tone="time")


def _others(canvas, found, x):
    """Draw the nodes of all other replicas, each as a small box in the row of its stage."""
    step = (canvas.width - 2 - x) / (found.columns - 1)
    rows = [TOP + stage * (NODE + BETWEEN) for stage in range(found.stages)]
    places = [(x + i * step, y, step - (4 if step > 10 else 2), NODE) for y in rows for i in range(found.columns - 1)]
    canvas.rects(places, "bytes", "soft")
    first = found.groups + 1
    words = f"{first} to {found.copies}" if canvas.narrow else f"replicas {first} to {found.copies}"
    _group_name(canvas, (x + canvas.width) / 2, words)
    if not canvas.narrow:
        canvas.text(canvas.width - 2, TOP + NODE + 13, "along a row: the same weights", 12, "end", "bytes")


def _step(canvas, found, y):
    """Draw a step as a bar to scale, and what its parts are."""
    left, wide = 2, canvas.width - 4
    canvas.text(left, y, f"a step of {as_text(quantity(f'{found.step} s'), 's')}", 13, bold=True)
    x, row = left, y + 50
    for part, words, kind, shade, hatched in legend_entries(found):
        length = found.seconds[part] / found.step * wide
        for place in ((x, y + 8, length, 22), (left, row - 10, SWATCH, 12)):
            canvas.rect(*place, kind, shade, 0)
            if hatched:
                canvas.hatch(*place, kind, 5)
        canvas.text(left + SWATCH + 6, row, f"{words}: {_seconds(found, part)}", 12.5)
        x, row = x + length, row + 20
