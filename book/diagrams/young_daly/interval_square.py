"""Square roots as squares: a strip of two lengths, and the square of the same area."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram, percent


class Strip(NamedTuple):
    """A job: its name, its MTBF, twice its write, and the best interval, all in minutes; and the least waste."""

    name: str
    long: float
    high: float
    side: float
    waste: float


@diagram("interval-square")
def interval_square(read):
    """Draw MTBF by twice the write as a strip, and the best interval as the side of the square of its area."""
    write, mean = (read("young_daly.act_one", of=name) for name in "CM")
    cases = (
        ("today", write, mean),
        ("storage four times as fast", write / 4, mean),
        ("and four times the devices too", write / 4, mean / 4),
    )
    strips = tuple(_strip(read, name, c, m) for name, c, m in cases)
    lines = [[s.name, _min(s.high / 2), _min(s.long), _min(s.side), percent(s.waste, 3)] for s in strips]
    return Diagram(
        title="The best interval is the side of a square",
        description=(
            "Three strips, each as long as the MTBF and as high as two writes, and below each the square of the same "
            "area: its side is the best interval, and the part of the strip that it spans is the waste. "
            + "; ".join(f"{name}: write {c}, MTBF {m}, interval {tau}, waste {w}" for name, c, m, tau, w in lines)
            + "."
        ),
        draw=lambda canvas: _draw(canvas, strips),
        columns=("job", "write", "MTBF", "best interval", "waste"),
        rows=tuple(lines),
        values={"strips": strips},
    )


def _strip(read, name, write, mean):
    side = read.at("young_daly.interval", C=write, M=mean)
    waste = read.at("young_daly.waste_at_optimum", C=write, M=mean)
    minutes = [float(each.m_as("min")) for each in (mean, 2 * write, side)]
    return Strip(name, *minutes, float(waste.m_as("")))


def _min(minutes):
    return f"{minutes / 60:.2g}\u202fh" if minutes >= 120 else f"{minutes:.2g}\u202fmin"


def _draw(canvas, strips):
    left = 2
    unit = (canvas.width - 2 * left) / max(strip.long for strip in strips)
    rule = "Each strip is as long as the MTBF and as high as two writes. The square below it has the same area."
    y = canvas.paragraph(left, 13, rule, canvas.width - 4, 12.5, tone="quiet") + 14
    for strip in strips:
        y = _one(canvas, strip, left, y, unit) + 34


def _one(canvas, strip, left, y, unit):
    """Draw a strip, the square below it, and what they mean; return the y of the lower end."""
    long, high, side = (each * unit for each in strip[1:4])
    canvas.text(left, y, strip.name, 13.5, bold=True)
    sizes = f"MTBF {_min(strip.long)}, write {_min(strip.high / 2)}"
    if canvas.narrow:
        y += 17
    canvas.text(
        left if canvas.narrow else canvas.width - left, y, sizes, 12.5, "start" if canvas.narrow else "end", "quiet"
    )
    y += 9
    canvas.rect(left, y, long, high, "failure", "mid", 0, "bare")
    canvas.rect(left, y, side, high, "failure", "full", 0, "bare")
    y += high + 5
    canvas.rect(left, y, side, side, "time", "mid", 0, "bare")
    x = left + side + 10
    middle = max(y + side / 2, y + 18)
    canvas.text(x, middle - 3, f"save every {_min(strip.side)}", 14, tone="time", bold=True)
    canvas.text(x, middle + 14, f"{percent(strip.waste, 2)} waste: the piece of the strip above", 12.5, tone="failure")
    return y + max(side, 34)
