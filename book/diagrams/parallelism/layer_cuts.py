"""One layer on several devices: which part of which matrix lies where, and what travels."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram

DEVICES = 4
SHADES = ("full", "mid", "soft", "faint")


class Layer(NamedTuple):
    """Width of a layer and tokens of its sequence."""

    width: float
    tokens: float


@diagram("layer-cuts")
def layer_cuts(read):
    """Draw the feed-forward matrices of one layer cut by columns and rows, by experts, and by tokens."""
    layer = Layer(*(read.number("parallelism.in_layers", of=name) for name in ("h", "s")))
    return Diagram(
        title=f"One layer on {DEVICES} devices, cut in three ways",
        description=(
            f"Numbers are devices. Tensor parallelism: all tokens, {layer.width:,.0f} wide, meet the first matrix, of "
            "which each device has some columns; of the second it has the rows that fit them, and the partial "
            "results are added up. Expert parallelism: each device has whole experts, and every token travels to the "
            "experts that the router chose. Context parallelism: each device has all weights and a stretch of the "
            f"{layer.tokens:,.0f} tokens, and keys and values go round so that each stretch sees the others."
        ),
        draw=lambda canvas: _panels(canvas, layer),
        columns=("cut", "a device holds", "travels"),
        rows=(
            ["tensor", "columns of the first matrix, rows of the second, all tokens", "sums of partial results"],
            ["expert", "whole experts, its share of the tokens", "tokens, to their experts and back"],
            ["context", "all weights, a stretch of the tokens", "keys and values, around a ring"],
        ),
        values={"layer": layer},
    )


def _panels(canvas, layer):
    """Draw the three cuts, side by side or below each other."""
    cuts = (
        ("Tensor", "columns, then rows", "sums of partial results", _tensor),
        ("Expert", "whole experts", "tokens, there and back", _expert),
        ("Context", "tokens of one sequence", "keys, values", _context),
    )
    wide = canvas.width if canvas.narrow else (canvas.width - 48) / 3
    for index, (name, cut, travels, panel) in enumerate(cuts):
        left, top = (0, index * 270) if canvas.narrow else (index * (wide + 24), 0)
        canvas.text(left + 2, top + 14, f"{name} parallelism", 13.5, bold=True)
        canvas.text(left + 2, top + 32, f"cut: {cut}", 12, tone="quiet")
        panel(canvas, left + 112, top + 46, layer)
        canvas.text(left + 2, top + 248, f"travels: {travels}", 12, tone="bytes", bold=True, room=wide)


def _device(canvas, x, y, w, h, index, kind="bytes"):
    """Draw the part of one device with its number."""
    shade = SHADES[index]
    canvas.rect(x, y, w, h, kind, shade, 1)
    canvas.text(x + w / 2, y + h / 2 + 4.5, str(index + 1), 12, "middle", "on" if shade == "full" else "", True)


def _tensor(canvas, middle, top, layer):
    left = middle - 106
    canvas.rect(left, top + 26, 46, 62, "plain", "faint", 1)
    canvas.text(left + 23, top + 61, "all", 12, "middle")
    canvas.text(left, top + 16, "tokens", 12)
    canvas.text(left + 52, top + 62, "×", 14)
    for index in range(DEVICES):
        _device(canvas, left + 68 + index * 36, top + 26, 34, 46, index)
        _device(canvas, left + 158, top + 92 + index * 20, 54, 18, index)
    canvas.text(left + 68, top + 16, f"{layer.width:,.0f} rows, by column", 12, room=165)
    canvas.arrow(left + 140, top + 76, left + 152, top + 98, "plain")
    canvas.text(left + 148, top + 134, "by row", 12, "end")
    canvas.path(f"M{left + 150:.0f} {top + 166}H{left + 44:.0f}", "bytes", "line", "bold dash")
    canvas.text(left + 36, top + 172, "Σ", 17, "end", "bytes", True)


def _expert(canvas, middle, top, layer):
    left = middle - 104
    canvas.text(left, top + 16, "tokens", 12)
    canvas.text(left + 208, top + 16, "experts", 12, "end")
    goes = ((0, 1), (2, 0), (1, 3), (0, 2), (3, 1), (2, 3), (3, 0), (1, 2))  # from device, to expert
    for place, (home, expert) in enumerate(sorted(goes)):
        y = top + 26 + place * 20 + 8
        canvas.line(left + 34, y, left + 156, top + 26 + expert * 40 + 18, "bytes", "thin")
        _device(canvas, left, y - 8, 32, 17, home, "plain")
    for index in range(DEVICES):
        _device(canvas, left + 158, top + 26 + index * 40, 50, 36, index)


def _context(canvas, middle, top, layer):
    left = middle - 106
    canvas.text(left, top + 16, f"{layer.tokens:,.0f} tokens of one sequence", 12, room=220)
    for index in range(DEVICES):
        x = left + index * 54
        _device(canvas, x, top + 26, 52, 26, index, "plain")
        canvas.line(x + 26, top + 54, x + 26, top + 82, "plain", "thin")
        canvas.rect(x + 1, top + 84, 50, 52, "bytes", "faint", 3)
        canvas.text(x + 26, top + 106, "all", 12, "middle")
        canvas.text(x + 26, top + 122, "weights", 12, "middle", room=50)
        if index:
            canvas.arrow(x - 8, top + 152, x + 10, top + 152, "bytes", "bold")
        canvas.text(x + 26, top + 156, "KV", 12, "middle", "bytes", True)
    right = left + 3 * 54 + 26
    canvas.arrow(right, top + 162, left + 26, top + 162, "bytes", "", 10)
