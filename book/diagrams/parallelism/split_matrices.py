"""The two matrices of a feed-forward network on several devices: one cut by columns, one by rows."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram

DEVICES = 4
INNER = 4  # inner width over hidden size, as `parallelism.tensor_ratio` assumes
SHADES = ("full", "mid", "soft", "faint")
GAP = 18


class Shapes(NamedTuple):
    """Tokens, hidden size and inner width of a feed-forward network."""

    tokens: float
    hidden: float
    inner: float


@diagram("split-matrices")
def split_matrices(read):
    """Draw both products of a feed-forward network with their matrices cut, to scale."""
    tokens, hidden = (read.number("parallelism.in_layers", of=name) for name in ("s", "h"))
    shapes = Shapes(tokens, hidden, INNER * hidden)
    return Diagram(
        title=f"A feed-forward network on {DEVICES} GPUs",
        description=_description(shapes),
        draw=lambda canvas: _draw(canvas, shapes),
        columns=("matrix", "shape", "a GPU holds"),
        rows=(
            ["X", _shape(tokens, hidden), "all of it"],
            ["A", _shape(hidden, shapes.inner), f"{shapes.inner / DEVICES:,.0f} columns"],
            ["Y", _shape(tokens, shapes.inner), f"{shapes.inner / DEVICES:,.0f} columns"],
            ["B", _shape(shapes.inner, hidden), f"{shapes.inner / DEVICES:,.0f} rows"],
            ["Z", _shape(tokens, hidden), "a partial sum of all of it"],
        ),
        values={"shapes": shapes},
    )


def _shape(rows, columns):
    return f"{rows:,.0f} × {columns:,.0f}"


def _description(shapes):
    return (
        f"Above, the activations X of {shapes.tokens:,.0f} tokens are multiplied with the first matrix A, whose "
        f"{shapes.inner:,.0f} columns are dealt out to {DEVICES} GPUs. Below, each GPU has the columns of Y that its "
        "columns of A give, and multiplies them with the rows of the second matrix B that fit them. Each product has "
        f"the full shape of the output Z, {_shape(shapes.tokens, shapes.hidden)}, and an all-reduce adds them up."
    )


def _draw(canvas, shapes):
    """Draw X times A above, and Y times B below, with the partial sums and their all-reduce."""
    unit = (12 if canvas.narrow else 23) / shapes.tokens  # pixels of one row or column
    tokens, hidden, inner = (unit * length for length in shapes)
    left, top = (canvas.width - inner - hidden - 2 * GAP) / 2, 40
    right = left + hidden + GAP
    _whole(canvas, left, top, hidden, tokens, "X", shapes)
    _sign(canvas, right - GAP / 2, top + tokens - 1, "×")
    canvas.text(right, top - 8, "A, by columns", 12.5, bold=True)
    _columns(canvas, right, top, inner, hidden, numbered=True)
    top += hidden + 44
    canvas.text(left, top - 8, "Y, by columns", 12.5, bold=True)
    _columns(canvas, left, top, inner, tokens)
    right = left + inner + GAP
    _sign(canvas, right - GAP / 2, top + tokens - 1, "×")
    canvas.text(right, top - 8, "B, by rows", 12.5, bold=True, room=hidden + 2 * GAP)
    for index in range(DEVICES):
        _part(canvas, right, top + index * inner / DEVICES, hidden, inner / DEVICES, index, numbered=True)
    _partial_sums(canvas, left, top + tokens + 52, hidden, tokens)


def _whole(canvas, x, y, wide, high, name, shapes):
    canvas.text(x, y - 8, name, 12.5, bold=True)
    canvas.rect(x, y, wide, high, "plain", "faint", 1)
    canvas.text(x, y + high + 17, f"{shapes.tokens:,.0f} ×", 12, tone="quiet")
    canvas.text(x, y + high + 32, f"{shapes.hidden:,.0f}", 12, tone="quiet")


def _sign(canvas, x, y, sign):
    canvas.text(x, y, sign, 14, "middle")


def _columns(canvas, x, y, wide, high, numbered=False):
    for index in range(DEVICES):
        _part(canvas, x + index * wide / DEVICES, y, wide / DEVICES, high, index, numbered)


def _part(canvas, x, y, wide, high, index, numbered=False):
    """Draw the part of one GPU."""
    canvas.rect(x + 0.5, y + 0.5, wide - 1, high - 1, "bytes", SHADES[index], 1)
    if numbered:
        tone = "on" if SHADES[index] == "full" else ""
        canvas.text(x + wide / 2, y + high / 2 + 4.5, str(index + 1), 12.5, "middle", tone, True)


def _partial_sums(canvas, x, y, wide, high):
    """Draw the product of each GPU, and their sum."""
    canvas.text(x, y - 12, "Z: a partial sum on each GPU", 12.5, bold=True)
    step = max(high, 12) + 12
    for index in range(DEVICES):
        top = y + index * step
        canvas.text(x, top + high / 2 + 4.5, str(index + 1), 12.5, bold=True)
        _part(canvas, x + 14, top, wide, high, index)
    middle, right = y + 1.5 * step + high / 2, x + 14 + wide
    for index in range(DEVICES):
        canvas.line(right + 4, y + index * step + high / 2, right + 26, middle, "bytes", "thin")
    canvas.text(right + 30, middle + 6, "Σ", 18, tone="bytes", bold=True)
    canvas.text(right + 48, middle + 5, "all-reduce", 12.5, tone="bytes", bold=True)
