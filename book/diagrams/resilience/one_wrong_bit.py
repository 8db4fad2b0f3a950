"""The sixteen bits of a weight, and how many times larger or smaller it is when one of them is wrong."""

import math
import struct
from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, diagram

WEIGHT, BITS = 0.02, 16  # the weight that is drawn, before it is rounded to BF16
POWER, CELL = 1.25, 22  # pixels of a power of two, height of a bit
LEGEND = (
    LegendEntry("sign", "plain", "mid"),
    LegendEntry("exponent", "failure", "mid"),
    LegendEntry("fraction", "bytes", "mid"),
)
KIND = {"sign": "plain", "exponent": "failure", "fraction": "bytes"}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Bit(NamedTuple):
    """A bit of the weight: its part, its digit, and the value of the weight when it is wrong."""

    part: str
    digit: int
    value: float


def stored(value):
    """Return the bits of a value in BF16, which is the upper half of FP32, rounded to even."""
    whole = struct.unpack(">I", struct.pack(">f", value))[0]
    return (whole + 0x7FFF + (whole >> 16 & 1)) >> 16


def loaded(pattern):
    """Return the value of sixteen bits in BF16."""
    return struct.unpack(">f", struct.pack(">I", pattern << 16))[0]


def flipped(pattern):
    """Return the Bits of a pattern, the most significant first."""
    parts = ["sign"] + ["exponent"] * 8 + ["fraction"] * 7
    places = range(BITS - 1, -1, -1)
    return tuple(
        Bit(part, pattern >> place & 1, loaded(pattern ^ 1 << place)) for part, place in zip(parts, places, strict=True)
    )


@diagram("one-wrong-bit")
def one_wrong_bit(read):
    """Draw a weight with each of its bits wrong in turn."""
    read("resilience.bytes_weight")  # a weight as it computes has two bytes
    pattern = stored(WEIGHT)
    weight, bits = loaded(pattern), flipped(pattern)
    near = sum(0.5 <= abs(bit.value) / weight <= 2 for bit in bits)
    wild = [bit.value for bit in bits if abs(bit.value) > 1e6]
    return Diagram(
        title="One wrong bit in a weight, each of the sixteen in turn",
        description=(
            f"A weight of {weight:.3g} in BF16: a sign, eight bits of exponent, seven of fraction. Any of them wrong "
            f"gives another number that loads. {near} of {BITS} leave the size within a factor of two, the sign among "
            f"them; {len(wild)} makes it {_power(wild[0])}; the others of the exponent change it by factors between "
            "four and ten to the nineteenth."
        ),
        draw=lambda canvas: _draw(canvas, bits, weight, near),
        columns=("bit", "digit", "the weight becomes"),
        rows=tuple([f"{i}, {bit.part}", str(bit.digit), f"{bit.value:.3g}"] for i, bit in enumerate(bits, 1)),
        values={"bits": bits, "weight": weight, "near": near},
    )


def _power(value):
    head, _, exponent = f"{value:.0e}".partition("e")
    return f"{head}·10{str(int(exponent)).translate(RAISED)}"


def _times(factor):
    """Return a factor in words: times or divided by."""
    sign, amount = ("×", factor) if factor > 1 else ("÷", 1 / factor)
    return f"{sign} {amount:,.0f}" if amount < 1e6 else f"{sign} {_power(amount)}"


def _draw(canvas, bits, weight, near):
    y = legend(canvas, LEGEND, 150) + 22
    canvas.text(2, y, f"one wrong bit in a weight of {weight:.2g}", 13, bold=True)
    powers = [math.log2(abs(bit.value) / weight) for bit in bits]
    gap = 10  # between the three parts
    step = (canvas.width - 4 - 2 * gap) / BITS
    row = y + 12 + max(powers) * POWER
    for index, (bit, power) in enumerate(zip(bits, powers, strict=True)):
        x = 2 + index * step + gap * (("sign", "exponent", "fraction").index(bit.part))
        canvas.rect(x, row, step - 2, CELL, KIND[bit.part], "mid")
        canvas.text(x + step / 2 - 1, row + 16, str(bit.digit), 13, "middle", bold=True)
        high = abs(power) * POWER
        canvas.rect(
            x, row - 2 - high if power > 0 else row + CELL + 2, step - 2, high, KIND[bit.part], "full", 0, "bare"
        )
        if high > 15:
            line = row + 10 - high if power > 0 else row + CELL + high + 2
            canvas.text(x + step + 3, line, _times(2**power), 12.5, tone="failure", bold=True)
    foot = row + CELL - min(powers) * POWER + 24
    canvas.paragraph(2, foot, f"All {BITS} load; {near} leave its size within a factor of two.", canvas.width - 4, 12.5)
