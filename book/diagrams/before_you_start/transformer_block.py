"""The matrices of a transformer block, with their shapes to scale."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram

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
    """Draw the matrices of attention and of the MLP as rectangles of their shapes."""
    found = block(read)
    parameters = {name: rows * columns for name, (rows, columns) in found.matrices.items()}
    return Diagram(
        title="One transformer block of Llama 3.1 70B, shapes to scale",
        description=(
            f"Each token enters as {found.hidden:,} numbers. Attention multiplies them with the matrices Q, K and V, "
            f"into {found.heads} query heads and {found.kv_heads} key-value heads of {found.dim}, attends to earlier "
            f"tokens, and multiplies with O. The MLP widens to {found.ffn:,} by gate and up, and narrows by down. "
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


def _draw(canvas, found):
    left, beside = 2, 380
    y = _attention(canvas, found, left, 20)
    lines = (
        f"1. normalise x, {found.hidden:,} numbers a token",
        f"2. times Q, K, V: {found.heads} query and {found.kv_heads} KV heads of {found.dim}",
        "3. softmax(q · k) over earlier tokens, times v",
        "4. times O, and add to x",
    )
    y = _lines(canvas, lines, left if canvas.narrow else beside, y + 22 if canvas.narrow else 34, y)
    y += 44
    bottom = _mlp(canvas, found, left, y)
    lines = (
        "5. normalise x",
        f"6. times gate and up: {found.ffn:,} numbers each",
        "7. SiLU(gate) times up",
        "8. times down, and add to x",
    )
    _lines(canvas, lines, left if canvas.narrow else beside, bottom + 22 if canvas.narrow else y + 14, bottom)


def _lines(canvas, lines, x, y, bottom):
    """Write the steps next to the matrices or below them; return the y below both."""
    for line in lines:
        y = canvas.paragraph(x, y, line, canvas.width - x - 2, 12.5) + 4
    return max(y - 14, bottom)


def _matrix(canvas, name, shape, x, y, unit):
    """Draw a matrix to scale with its name; return the x to the right of it."""
    rows, columns = (length * unit for length in shape)
    canvas.rect(x, y, columns, rows, "bytes", "mid", 0)
    if columns > 20:
        canvas.text(x + columns / 2, y + rows / 2 + 5, name, 13, "middle", bold=True)
    return x + columns


def _attention(canvas, found, left, y):
    unit, shapes = SIDE / found.hidden, found.matrices
    canvas.text(left, y - 6, "attention", 13, bold=True)
    x = _matrix(canvas, "Q", shapes["Q"], left, y, unit)
    thin = []
    for name in ("K", "V"):
        thin.append((x + 18 + shapes[name][1] * unit / 2, name))
        x = _matrix(canvas, name, shapes[name], x + 18, y, unit)
    canvas.glyphs(thin, y + SIDE + 15, 13, bold=True)
    _matrix(canvas, "O", shapes["O"], x + 24, y, unit)
    wide = f"Q, O: {shapes['Q'][0]:,} × {shapes['Q'][1]:,}; K, V: {shapes['K'][0]:,} × {shapes['K'][1]:,}"
    canvas.text(left, y + SIDE + 36, wide, 12.5, tone="quiet")
    return y + SIDE + 40


def _mlp(canvas, found, left, y):
    unit, shapes = SIDE / found.hidden, found.matrices
    canvas.text(left, y - 6, "MLP", 13, bold=True)
    right = _matrix(canvas, "gate", shapes["gate"], left, y, unit)
    _matrix(canvas, "up", shapes["up"], left, y + SIDE + 10, unit)
    _matrix(canvas, "down", shapes["down"], right + 24, y, unit)
    wide = f"gate, up: {shapes['gate'][0]:,} × {shapes['gate'][1]:,}"
    canvas.text(left, y + 2 * SIDE + 30, wide, 12.5, tone="quiet")
    canvas.text(left, y + 2 * SIDE + 50, f"down: {shapes['down'][0]:,} × {shapes['down'][1]:,}", 12.5, tone="quiet")
    return y + shapes["down"][0] * unit
