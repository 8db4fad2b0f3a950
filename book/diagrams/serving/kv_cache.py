"""The KV cache of one request: its shape, and the keys and values that each step computes with and without it."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram

TOKENS = 12  # of the sequence that is drawn
HIGH = 160  # height of all layers
SIDE = 300  # width of each part where both stand side by side


class Shape(NamedTuple):
    """Layers, key-value heads, numbers of a head, bytes of a number, and bytes of a token in one layer."""

    layers: int
    heads: int
    dim: int
    width: int
    cell: int


def shape(read):
    """Return the Shape of the chapter's model."""
    cache = "serving.cache_70b"
    layers, heads, dim = (round(read.number(cache, of=name)) for name in ("l", "n_kv", "d"))
    return Shape(
        layers, heads, dim, round(read.number(cache, "B", of="e")), round(read.number(cache, "B/token") / layers)
    )


def computed(tokens):
    """Return the keys and values computed in the steps of a sequence without and with a cache, as token counts."""
    return tokens * (tokens + 1) // 2, tokens


@diagram("kv-cache")
def kv_cache(read):
    """Draw layers times tokens of a cache, one cell of it, and what each step computes."""
    found = shape(read)
    without, with_cache = computed(TOKENS)
    token = as_text(read("serving.cache_70b"), "kB/token")
    return Diagram(
        title="The KV cache of one request, and what it saves",
        description=(
            f"A cache of {found.layers} layers by {TOKENS} tokens. A cell holds a key and a value for each of "
            f"{found.heads} key-value heads, {found.dim} numbers of {found.width} bytes, {found.cell:,} bytes in all; "
            f"a column, one token, has {token}. In {TOKENS} steps without a cache, step number t computes the keys "
            f"and values of t tokens, {without} in all; with it, each step computes one column, {with_cache} in all."
        ),
        draw=lambda canvas: _draw(canvas, found, token),
        columns=("", "keys and values computed", "order"),
        rows=(
            [f"{TOKENS} steps without a cache", f"{without} tokens", "square of the length"],
            [f"{TOKENS} steps with a cache", f"{with_cache} tokens", "length"],
        ),
        values={"shape": found, "computed": (without, with_cache)},
    )


def _draw(canvas, found, token):
    left, wide = 2, canvas.width - 4 if canvas.narrow else SIDE
    below = _tensor(canvas, found, token, left, 20, wide)
    if canvas.narrow:
        _steps(canvas, left, below + 36, wide)
    else:
        _steps(canvas, canvas.width - SIDE - 2, 20, SIDE)


def _tensor(canvas, found, token, left, y, wide):
    """Draw layers by tokens, the newest token in full, and one cell of it large; return the y below."""
    column, layer = wide / TOKENS, HIGH / found.layers
    canvas.text(left, y - 6, f"{found.layers} layers × tokens", 13, bold=True)
    canvas.text(left, y + 11, f"each step adds a column: {token}", 12.5, tone="quiet")
    y += 18
    canvas.rects([(left + i * column, y, column - 1.5, HIGH) for i in range(TOKENS - 1)], "bytes", "soft")
    newest = left + (TOKENS - 1) * column
    canvas.rect(newest, y, column - 1.5, HIGH, "bytes", "full", 0)
    top, end = y + HIGH + 24, left + wide - 1.5
    corner = y + HIGH - layer
    canvas.path(
        f"M{newest:.1f} {corner:.1f}L{left} {top}M{end:.1f} {corner:.1f}L{end:.1f} {top}", "plain", "line", "thin"
    )
    head = (wide - 20) / found.heads
    for row, name in enumerate(("K", "V")):
        line = top + row * 24
        canvas.text(left, line + 15, name, 12.5, bold=True)
        canvas.rects([(left + 18 + i * head, line, head - 2, 20) for i in range(found.heads)], "bytes", "strong")
    words = f"a cell: 2 × {found.heads} heads × {found.dim} × {found.width} B = {found.cell:,} B"
    canvas.text(left, top + 66, words, 12.5, tone="quiet")
    return top + 70


def _steps(canvas, left, y, wide):
    """Draw a row for each step: the tokens whose keys and values it computes without and with a cache."""
    cell = min(wide / TOKENS, (HIGH + 30) / TOKENS + 4)
    without, with_cache = computed(TOKENS)
    canvas.text(left, y - 6, "keys and values computed per step", 13, bold=True)
    again = [(left + i * cell, y + t * cell, cell - 2, cell - 2) for t in range(TOKENS) for i in range(t)]
    new = [(left + t * cell, y + t * cell, cell - 2, cell - 2) for t in range(TOKENS)]
    canvas.rects(again, "failure", "soft").hatch_rects(again, "failure", 6).rects(new, "bytes", "full")
    below = y + TOKENS * cell
    for line, (words, kind, shade, hatched) in enumerate(
        (
            (f"with a cache: {with_cache}", "bytes", "full", False),
            (f"without one: {without - with_cache} more", "failure", "soft", True),
        )
    ):
        legend(canvas, [LegendEntry(words, kind, shade, hatched)], wide, left, below + 17 + line * 20)
