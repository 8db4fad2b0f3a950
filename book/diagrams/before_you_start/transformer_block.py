"""The way of a token through a transformer block: vectors and matrices, with their shapes to scale."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram
from mathbook.diagrams.text_layout import wrap

SIDE = 64  # pixels of the hidden size
COUNT = "training.count_llama31_70b"


class Block(NamedTuple):
    """Hidden size, width of the MLP, query and key-value heads, width of a head, and layers of the model."""

    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    dim: int
    layers: int

    @property
    def matrices(self):
        """Return `{name: (rows, columns)}` of the block."""
        queries, keys = self.heads * self.dim, self.kv_heads * self.dim
        return {
            "Q": (self.hidden, queries),
            "K": (self.hidden, keys),
            "V": (self.hidden, keys),
            "O": (queries, self.hidden),
            "gate": (self.hidden, self.ffn),
            "up": (self.hidden, self.ffn),
            "down": (self.ffn, self.hidden),
        }


def block(read):
    """Return the Block of Llama 3.1 70B."""
    names = ("h", "f", "n_q", "n_kv", "d", "l")
    return Block(*(round(read.number(COUNT, of=name)) for name in names))


@diagram("transformer-block")
def transformer_block(read):
    """Draw attention and the MLP as rows: what the token's vector enters, what is done, and that it is added."""
    found = block(read)
    parameters = {name: rows * columns for name, (rows, columns) in found.matrices.items()}
    return Diagram(
        title="One transformer block of Llama 3.1 70B, shapes to scale",
        description=(
            f"Each token enters as {found.hidden:,} numbers. Attention multiplies them with the matrices Q, K and V, "
            f"into {found.heads} query heads and {found.kv_heads} key-value heads of {found.dim}, attends to earlier "
            f"tokens, multiplies with O and adds the token. The MLP widens to {found.ffn:,} by gate and up, narrows by "
            f"down and adds what it was given. "
            f"The model has {found.layers} such blocks."
        ),
        draw=lambda canvas: _draw(canvas, found),
        columns=("matrix", "rows × columns", "million parameters"),
        rows=tuple(
            [name, f"{rows:,} × {columns:,}", f"{parameters[name] / 1e6:,.1f}"]
            for name, (rows, columns) in found.matrices.items()
        ),
        values={"block": found, "parameters": parameters},
    )


class _Row(NamedTuple):
    """Places of one half of a block along a row: units per number, left ends of what stands there, top."""

    unit: float
    first: float  # the matrices that the vector enters
    middle: float  # what is done with their products
    last: float  # the matrix that leads back to the hidden size
    plus: float  # where x is added
    top: float


def _draw(canvas, found):
    side, places = (40, (26, 106, 246, 306)) if canvas.narrow else (SIDE, (36, 172, 384, 472))
    heads = f"{found.heads} query, {found.kv_heads} KV heads of {found.dim}"
    lines = ("x: one token, normalised", f"Q, O: {_shape(found, 'Q')}", f"K, V: {_shape(found, 'K')}", heads)
    y = _attention(canvas, found, _Row(side / found.hidden, *places, 44), lines)
    lines = (f"gate, up: {_shape(found, 'gate')}", f"down: {_shape(found, 'down')}")
    _mlp(canvas, found, _Row(side / found.hidden, *places, y + 50), lines)


def _shape(found, name):
    rows, columns = found.matrices[name]
    return f"{rows:,} × {columns:,}"


def _matrix(canvas, name, shape, x, y, unit):
    """Draw a matrix to scale with its name; return the x to the right of it."""
    rows, columns = (length * unit for length in shape)
    canvas.rect(x, y, columns, rows, "bytes", "mid", 0)
    if columns > 20:
        canvas.text(x + columns / 2, y + rows / 2 + 5, name, 13, "middle", bold=True)
    return x + columns


def _vector(canvas, length, x, y, unit):
    """Draw a token's vector to scale, as a strip."""
    canvas.rect(x, y, 6, length * unit, "time", "strong", 0)


def _around(canvas, found, row, name):
    """Draw a half's name, its vector x, and how x passes by and is added to the result."""
    side = found.hidden * row.unit
    middle, above = row.top + side / 2, row.top - 14
    canvas.text(2, above - 12, name, 13, bold=True)
    _vector(canvas, found.hidden, 2, row.top, row.unit)
    canvas.arrow(12, middle, row.first - 4, middle)
    canvas.path(f"M5 {row.top - 3}V{above}H{row.plus}V{middle - 16}", "time", "line", "thin")
    canvas.arrow(row.plus, middle - 18, row.plus, middle - 10, "time")
    canvas.circle(row.plus, middle, 9, "time", "faint")
    canvas.text(row.plus, middle + 5, "+", 14, "middle", bold=True)
    canvas.arrow(row.last + side + 6, middle, row.plus - 12, middle)
    canvas.arrow(row.plus + 11, middle, row.plus + 27, middle)
    _vector(canvas, found.hidden, row.plus + 31, row.top, row.unit)
    return side, middle


def _notes(canvas, row, lines, bottom):
    """Write the shapes next to the row, or below it where there is no room; return the y below both."""
    x, y = (2, bottom + 18) if canvas.narrow else (row.plus + 50, row.top + 10)
    for line in lines:
        y = canvas.paragraph(x, y, line, canvas.width - x - 2, 12.5, tone="quiet") + 3
    return max(bottom, y - 14)


def _attention(canvas, found, row, lines):
    shapes, unit = found.matrices, row.unit
    side, middle = _around(canvas, found, row, "attention")
    x = _matrix(canvas, "Q", shapes["Q"], row.first, row.top, unit)
    thin = []
    for name in ("K", "V"):
        thin.append((x + 10 + shapes[name][1] * unit / 2, name))
        x = _matrix(canvas, name, shapes[name], x + 10, row.top, unit)
    canvas.glyphs(thin, row.top + side + 15, 13, bold=True)
    room = row.last - row.middle - 24
    canvas.arrow(x + 4, middle, row.middle - 4, middle)
    canvas.rect(row.middle, middle - 30, room, 60, "plain", "faint")
    words = wrap("softmax(q · k) over the earlier tokens, times v", room - 14, 12.5)
    for at, line in enumerate(words):
        canvas.text(row.middle + room / 2, middle + 5 + 16 * (at - (len(words) - 1) / 2), line, 12.5, "middle")
    canvas.arrow(row.middle + room + 4, middle, row.last - 4, middle)
    _matrix(canvas, "O", shapes["O"], row.last, row.top, unit)
    return _notes(canvas, row, lines, row.top + side + 18)


def _mlp(canvas, found, row, lines):
    shapes, unit = found.matrices, row.unit
    side, _ = _around(canvas, found, row, "MLP")
    right = _matrix(canvas, "gate", shapes["gate"], row.first, row.top, unit)
    _matrix(canvas, "up", shapes["up"], row.first, row.top + side + 8, unit)
    high = found.ffn * unit
    between, half = row.last - 28, row.top + side + 4
    canvas.arrow(right + 4, half, between - 4, half)
    if canvas.narrow:
        canvas.text(right, row.top + 2 * side + 24, "SiLU(gate x) · up x", 12.5, "end")
    else:
        canvas.text((right + between) / 2, half - 8, "SiLU(gate x)", 12.5, "middle")
        canvas.text((right + between) / 2, half + 18, "· up x", 12.5, "middle")
    _vector(canvas, found.ffn, between, row.top, unit)
    canvas.arrow(between + 10, half, row.last - 4, half)
    _matrix(canvas, "down", shapes["down"], row.last, row.top, unit)
    _notes(canvas, row, lines, row.top + high)
