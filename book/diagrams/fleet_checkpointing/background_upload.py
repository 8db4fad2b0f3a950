"""A checkpoint written while training stands still, and one that is uploaded behind it: what a failure costs."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram


class SaveStrategy(NamedTuple):
    """A way to save, in minutes: work between two stalls, a stall, and from its end until all is safe."""

    name: str
    work: float
    stall: float
    upload: float

    def works(self, until):
        """Return the stretches of work up to a moment."""
        period = self.work + self.stall
        return [(i * period, min(i * period + self.work, until)) for i in range(int(until / period) + 1)]

    def stalls(self, until):
        """Return the stalls that have begun before a moment."""
        ends = [end for _, end in self.works(until) if end < until]
        return [(end, min(end + self.stall, until)) for end in ends]

    def redone(self, until):
        """Return from when on all is done again after a failure: the end of the last stall that became safe."""
        return max([0.0, *(end for _, end in self.stalls(until) if end + self.upload <= until)])

    def lost(self, until):
        """Return the work that such a failure loses; a stall in between is no work."""
        begin = self.redone(until)
        return sum(end - start for start, end in self.works(until) if start > begin - 1e-9)


@diagram("background-upload")
def background_upload(read):
    """Draw half an hour with writes that stall, and with uploads behind, struck at one moment."""
    example = "fleet_checkpointing.fleet_interval"
    stall, upload = (read.number(example, "min", of=name) for name in ("s", "u"))
    young = read.at("young_daly.interval", C=read("fleet_checkpointing.trillion.write"), M=read(example, of="M"))
    still = SaveStrategy(
        "Standing still until safe",
        float(young.m_as("min")),
        read.number("fleet_checkpointing.trillion.write", "min"),
        0.0,
    )
    behind = SaveStrategy("In the background", read.number(example, "min"), stall, upload)
    strike = 3 * (behind.work + behind.stall) + upload / 2  # while the third upload is under way
    strategies = (still, behind)
    return Diagram(
        title="Writing with training at a standstill, and in the background",
        description=_description(still, behind, strike),
        draw=lambda canvas: _draw(canvas, strategies, strike),
        columns=("way", "work between two", "training stands still", "upload", "lost in this failure"),
        rows=tuple(
            [w.name, f"{w.work:.3g} min", _seconds(w.stall), f"{w.upload:.3g} min", f"{w.lost(strike):.3g} min"]
            for w in strategies
        ),
        values={"ways": strategies, "strike": strike},
    )


def _seconds(minutes):
    return f"{minutes * 60:.2g} s"


def _description(still, behind, strike):
    return (
        f"Standing still until the checkpoint is safe, training stops for {_seconds(still.stall)} every "
        f"{still.work:.3g} min. In the background it stops for {_seconds(behind.stall)} every {behind.work:.3g} min, "
        f"and the upload of {behind.upload:.2g} min goes on beside it. A failure strikes while the third upload is "
        f"under way: the checkpoint that counts is the second, and {behind.lost(strike):.3g} min of work are gone; "
        f"with writes that stall it is {still.lost(strike):.3g} min."
    )


def _draw(canvas, strategies, strike):
    left, right = 2, canvas.width - 8
    unit = (right - left) / strike
    y, high = 26, 30
    for strategy in strategies:
        _lane(canvas, strategy, strike, left, y, high, unit)
        y += high + 48
    _uploads(canvas, strategies[-1], strike, left, y - 48, unit)
    y -= 48
    canvas.line(right, 12, right, y + 42, "failure", "bold")
    canvas.text(right, y + 56, "failure", 12.5, "end", "failure", True)
    canvas.arrow(left, y + 52, left + 60, y + 52, "plain", "thin")
    canvas.text(left + 66, y + 56, "time", 12, tone="quiet")


def _lane(canvas, strategy, strike, left, y, high, unit):
    def places(spans):
        return [(left + a * unit, y, max((b - a) * unit, 1.6), high) for a, b in spans]

    canvas.text(left, y - 8, strategy.name, 13, bold=True)
    canvas.text(left + strike * unit - 6, y - 8, f"lost: {strategy.lost(strike):.3g} min", 12.5, "end", "failure", True)
    redone = places([(strategy.redone(strike), strike)])
    canvas.rects(places(strategy.works(strike)), "time", "soft", "bare")
    canvas.rects(redone, "failure", "soft", "bare").hatch_rects(redone, "failure", 5)
    canvas.rects(places(strategy.stalls(strike)), "time", "full", "bare")
    canvas.text(left + strategy.work / 2 * unit, y + 20, f"{strategy.work:.3g} min", 12, "middle")
    canvas.text(
        left + (strategy.work + strategy.stall) * unit,
        y + high + 15,
        _seconds(strategy.stall),
        12,
        tone="time",
        bold=True,
    )


def _uploads(canvas, strategy, strike, left, y, unit):
    """Draw the uploads below their lane: dark when they have ended in time."""
    canvas.text(left, y + 34, "uploads", 12.5, tone="bytes", bold=True)
    for index, (_, begin) in enumerate(strategy.stalls(strike)):
        x, safe = left + begin * unit, begin + strategy.upload <= strike
        wide = (min(begin + strategy.upload, strike) - begin) * unit
        canvas.rect(x, y + 24, wide, 12, "bytes", "full" if safe else "faint", 1)
        canvas.line(x, y, x, y + 24, "bytes", "thin dash")
        if index == 1:
            canvas.text(x + wide + 5, y + 34, f"{strategy.upload:.2g} min", 12, tone="bytes", bold=True)
