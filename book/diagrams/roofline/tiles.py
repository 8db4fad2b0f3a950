"""A product cut into tiles: what a small, a middle and a large tile have to read for what they compute."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity

SIDE, TILES = 4096, (64, 256, 1024)  # of the matrices and of the tiles: an example
AT = 0.34  # where a tile begins, of the side


class Tile(NamedTuple):
    """A tile: its width, FLOP for each byte read and written, reads of each input, and the share of the peak."""

    width: int
    intensity: float
    reads: float
    share: float


def tiles(read):
    """Return the Tiles of a product of square BF16 matrices on an H100, none of which finds its inputs in a cache."""
    device = {"P": read("hardware.h100_bf16"), "b": read("hardware.h100_hbm_bandwidth")}
    sizes = {letter: read("roofline.decode_layer", of=letter) for letter in "awo"}
    found = []
    for width in TILES:
        intensity = read.at("roofline.product_intensity", B=width, D=SIDE, F=width, **sizes)
        share = read.at("roofline.share", I=intensity, **device)
        found.append(Tile(width, float(intensity.m_as("FLOP/B")), SIDE / width, float(share.m_as(""))))
    return tuple(found)


@diagram("tiles")
def tiles_of_a_product(read):
    """Draw both inputs and the output of one product three times, with a tile and the strips that it reads."""
    found = tiles(read)
    ridge = read.number("roofline.h100_ridge", "FLOP/B")
    return Diagram(
        title="What a tile of a product reads for what it computes",
        description=_description(found, ridge),
        draw=lambda canvas: _draw(canvas, found),
        columns=("tile", "intensity", "each input is read", "share of the peak"),
        rows=tuple(
            [f"{t.width:,} by {t.width:,}", _intensity(t), f"{t.reads:.0f} times", percent(t.share)] for t in found
        ),
        values={"tiles": found, "ridge": ridge},
    )


def _intensity(tile):
    return as_text(quantity(f"{tile.intensity} FLOP/B"), "FLOP/B", 3)


def _description(found, ridge):
    texts = "; ".join(
        f"a tile {t.width:,} wide does {_intensity(t)}, so each input is read {t.reads:.0f} times in all, and at most "
        f"{percent(t.share)} of the peak is reached"
        for t in found
    )
    return (
        f"A product of two matrices {SIDE:,} wide. A square tile of the output needs a strip of rows of the one and a "
        f"strip of columns of the other: its work grows as its area, what it reads as its edge. On an H100, "
        f"whose ridge is {ridge:.0f} FLOP/B: {texts}."
    )


def _draw(canvas, found):
    side = 84 if canvas.narrow else 108
    y = legend(canvas, [LegendEntry("read", "bytes", "strong"), LegendEntry("computed", "time", "full")], 110) + 8
    for index, tile in enumerate(found):
        x, top = (2, y + index * (2 * side + 26)) if canvas.narrow else (2 + index * (canvas.width - 4) / 3, y)
        _panel(canvas, tile, x, top, side)
        _words(canvas, tile, *((x + 2 * side + 18, top + 52) if canvas.narrow else (x, top + 2 * side + 26)))


def _panel(canvas, tile, x, y, side):
    """Draw the inputs, left and above, and the output between them, with the strips of one tile."""
    far, edge = side + 6, max(tile.width / SIDE * side, 1.5)
    at = AT * side
    canvas.rects([(x, y + far, side, side), (x + far, y, side, side)], "bytes", "faint")
    canvas.rect(x + far, y + far, side, side, "time", "faint", 0)
    canvas.rects([(x, y + far + at, side, edge), (x + far + at, y, edge, side)], "bytes", "strong", "bare")
    canvas.rect(x + far + at, y + far + at, edge, edge, "time", "full", 0, "bare")


def _words(canvas, tile, x, y):
    """Write what a tile does; above its panel, or next to it on a phone."""
    canvas.text(x, y, f"tile {tile.width:,} wide", 13, bold=True)
    canvas.text(x, y + 19, _intensity(tile), 12.5, tone="time", bold=True)
    canvas.text(x, y + 37, f"peak: at most {percent(tile.share)}", 12.5)
    canvas.text(x, y + 55, f"inputs read {tile.reads:.0f} times", 12.5, tone="bytes", bold=True)
