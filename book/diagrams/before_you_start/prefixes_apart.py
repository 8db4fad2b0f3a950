"""Two kinds of prefixes: thousands and powers of two, which drift apart from step to step."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity

HIGH, ROW = 18, 50  # of a bar, and of all that belongs to it
EXAMPLES = {
    "k": ("the cache of a token", "serving.cache_70b"),
    "M": ("a small layer", "roofline.layer_traffic"),
    "G": ("weights of a model", "before_you_start.weights"),
    "T": ("a checkpoint", "resilience.book_size"),
}
LETTERS = "kMGTPE"


class Pair(NamedTuple):
    """Two units of a step: both names, how much larger the binary one is, and what of the book is of that size."""

    decimal: str
    binary: str
    larger: float
    example: str


def pairs(read):
    """Return the Pairs from kilo to exa."""
    found = []
    for letter in LETTERS:
        decimal, binary = f"{letter}B", f"{letter.upper()}iB"
        larger = float((quantity(f"1 {binary}") / quantity(f"1 {decimal}")).m_as("")) - 1
        found.append(Pair(decimal, binary, larger, _example(read, letter, decimal, binary)))
    return tuple(found)


def _example(read, letter, decimal, binary):
    """Return something of this size in both units, as words; of the largest sizes nothing."""
    if letter not in EXAMPLES:
        return ""
    words, address = EXAMPLES[letter]
    size = read(address)
    size = size * quantity("1 token") if letter == "k" else size
    return f"{words}: {as_text(size, decimal)}, {as_text(size, binary)}"


@diagram("prefixes-apart")
def prefixes_apart(read):
    """Draw for each prefix the unit in powers of two over that in thousands, as bars that begin at zero."""
    found = pairs(read)
    return Diagram(
        title="Thousands and powers of two, prefix by prefix",
        description=_description(found),
        draw=lambda canvas: _draw(canvas, found),
        columns=("units", "the binary one is larger by", "for example"),
        rows=tuple([f"{p.binary} and {p.decimal}", percent(p.larger, 3), p.example or "–"] for p in found),
        values={"pairs": found},
    )


def _description(found):
    steps = ", ".join(f"{p.binary} over {p.decimal} {percent(p.larger)} more" for p in found)
    return f"Bars that start at zero; the decimal unit always has the same length: {steps}."


def _draw(canvas, found):
    left, right = 2, canvas.width - 4
    unit = (right - left) / (1 + max(p.larger for p in found))
    signs = [LegendEntry("in thousands", "bytes", "soft"), LegendEntry("powers of two add", "bytes", "full")]
    y = legend(canvas, signs, 150) + 24
    for pair in found:
        canvas.text(left, y - 6, f"{pair.decimal}, {pair.binary}", 13, bold=True)
        if pair.example:
            canvas.text(left + 74, y - 6, pair.example, 12.5 if not canvas.narrow else 12, tone="quiet")
        canvas.rect(left, y, unit, HIGH, "bytes", "soft", 0)
        canvas.rect(left + unit, y, pair.larger * unit, HIGH, "bytes", "full", 0)
        canvas.text(left + unit - 6, y + HIGH - 5, f"+ {percent(pair.larger)}", 12.5, "end", bold=True)
        y += ROW
    canvas.extend_to(y - ROW + HIGH + 2)
