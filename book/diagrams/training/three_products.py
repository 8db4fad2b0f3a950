"""The three products of one weight matrix in training: one box of multiply-adds, added up along each of its edges."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import quantity

FRONT, SIDE, TOP = range(3)  # the faces: weights, inputs, outputs
SLANT = 0.72  # how far an edge into the depth goes to the right, and up, of its length


class Pass(NamedTuple):
    """One product: its name, what its faces hold, which of them it writes, and along which edge it adds."""

    name: str
    faces: tuple
    written: int
    edge: str
    address: str


class Box(NamedTuple):
    """The edges of the box: inputs and outputs of the matrix, and tokens; and its work in FLOP, of one and of all."""

    inputs: float
    outputs: float
    tokens: float
    work: float
    whole: float


PASSES = (
    Pass("forward", ("weights", "inputs", "outputs"), TOP, "inputs", "training.forward"),
    Pass("back, to the inputs", ("weights", "gradient", "gradient"), SIDE, "outputs", "training.backward_input"),
    Pass("back, to the weights", ("gradient", "inputs", "gradient"), FRONT, "tokens", "training.backward_weight"),
)


def box(read):
    """Return the Box of the output matrix of the large model's attention, for one sequence of its training."""
    width, heads = read.number("models.llama31_70b_hidden"), read.number("models.llama31_70b_heads")
    inputs = heads * read.number("training.count_llama31_70b", of="d")
    tokens = read.number("training.plan.kept", of="s")
    work = read.number("training.forward", "FLOP/token") * inputs * width * tokens
    whole = read.at("training.compute", N=inputs * width, D=f"{tokens} token").m_as("FLOP")
    return Box(inputs, width, tokens, work, float(whole))


@diagram("three-products")
def three_products(read):
    """Draw the box of one matrix three times, each time with the face that is written and the way of the sums."""
    found = box(read)
    each = [read.number(one.address, "FLOP/token") for one in PASSES]
    return Diagram(
        title="Why a weight does six operations for a token: one box, added up three ways",
        description=_description(found, each),
        draw=lambda canvas: _draw(canvas, found, each),
        columns=("pass", "reads", "writes", "adds along the", "operations for each weight and token", "this matrix"),
        rows=(
            *(_row(one, count, found) for one, count in zip(PASSES, each, strict=True)),
            ["together", "", "", "", f"{sum(each):.0f}", _work(found.whole)],
        ),
        values={"box": found, "each": each},
    )


def _work(flop):
    return as_text(quantity(f"{flop} FLOP"), "TFLOP")


def _names(one):
    """Return what the faces hold, in whole words."""
    return tuple(
        f"{held} of the {of}" if held == "gradient" else held
        for held, of in zip(one.faces, ("weights", "inputs", "outputs"), strict=True)
    )


def _row(one, count, found):
    names = _names(one)
    reads = " and ".join(name for face, name in enumerate(names) if face != one.written)
    return [one.name, reads, names[one.written], one.edge, f"{count:.0f}", _work(found.work)]


def _description(found, each):
    texts = " ".join(
        f"{one.name.capitalize()}: two faces are read, and the sums along the {one.edge} are written to the third, the "
        f"{_names(one)[one.written]}."
        for one in PASSES
    )
    return (
        f"One box with {found.inputs:,.0f} inputs, {found.outputs:,.0f} outputs and {found.tokens:,.0f} tokens as its "
        f"edges, drawn to scale; each of its cells is one multiplication and one addition. Its faces are the weights "
        f"in front, the inputs at the side, the outputs on top. {texts} Each pass takes {_work(found.work)}, all three "
        f"{_work(found.whole)}: {sum(each):.0f} operations for each weight and token."
    )


def _draw(canvas, found, each):
    low = legend(canvas, [LegendEntry("read", "bytes", "soft"), LegendEntry("written", "time", "full")], 100) + 18
    unit = 104 / max(found.inputs, found.outputs)
    step = 0 if canvas.narrow else (canvas.width - 6) / 3
    for index, (one, count) in enumerate(zip(PASSES, each, strict=True)):
        x, y = 2 + index * step, low + (index * 204 if canvas.narrow else 0)
        canvas.text(x, y, one.name, 13.5, bold=True)
        _box(canvas, one, found, x, y + 74, unit)
        below = y + 74 + found.inputs * unit
        left, top, room = (x + 214, y + 100, 134) if canvas.narrow else (x, below + 22, 230)
        top = canvas.paragraph(left, top, f"adds along the {one.edge}", room, 12.5, tone="time", bold=True)
        canvas.paragraph(left, top + 3, f"{count:.0f} for each weight and token", room, 12.5)
        canvas.extend_to(below + 2)


def _box(canvas, one, found, x, y, unit):
    """Draw the three faces, the written one in full, their names, and the arrow along which is added."""
    wide, high, deep = found.outputs * unit, found.inputs * unit, found.tokens * unit * SLANT
    faces = (
        f"M{x:.1f} {y:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z",
        f"M{x + wide:.1f} {y:.1f}l{deep:.1f} {-deep:.1f}v{high:.1f}l{-deep:.1f} {deep:.1f}z",
        f"M{x:.1f} {y:.1f}l{deep:.1f} {-deep:.1f}h{wide:.1f}l{-deep:.1f} {deep:.1f}z",
    )
    for face, corners in enumerate(faces):
        canvas.path(corners, "time" if face == one.written else "bytes", "full" if face == one.written else "soft")
    front = "on" if one.written == FRONT else ""
    canvas.text(x + wide / 2, y + high / 2 + 4, one.faces[FRONT], 12.5, "middle", front)
    canvas.text(x + wide / 2 + deep, y - deep - 7, one.faces[TOP], 12.5, "middle")
    canvas.text(x + wide + deep + 6, y + high / 2 - deep / 2 + 4, one.faces[SIDE], 12.5)
    _sum(canvas, one.written, x, y, wide, high, deep)


def _sum(canvas, written, x, y, wide, high, deep):
    """Draw the arrow from the far end of an edge to the face that takes the sums."""
    if written == TOP:
        canvas.arrow(x + wide * 0.22, y + high - 8, x + wide * 0.22, y + 3, "time", "bold", head=9)
    elif written == SIDE:
        canvas.arrow(x + 8, y + high * 0.8, x + wide - 2, y + high * 0.8, "time", "bold", head=9)
    else:
        begin, end = (x + wide * 0.8 + deep - 4, y - deep + 4), (x + wide * 0.8, y)
        canvas.arrow(*begin, *end, "time", "bold", head=9)
