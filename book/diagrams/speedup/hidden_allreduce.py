"""A step whose exchange hides behind its computing: how much of it, with more and more devices and one batch."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

HIGH, RING = 30, 14  # of the bars of computing and of the exchange


class Step(NamedTuple):
    """A step on so many devices: how long the all-reduce takes and is exposed, in times of its computing."""

    devices: int
    exchange: float
    waited: float


@diagram("hidden-allreduce")
def hidden_allreduce(read):
    """Draw one step on few, on just enough, and on too many devices, each on the scale of its own computation."""
    edge, at = read.number("speedup.hidden_devices"), "speedup.hidden_devices"
    omega = read.number(at, of="omega")
    few = round(read.number("speedup.speedup_1000", of="N"))
    just = 10 * int(edge / 10)  # as many tens as still hide
    steps = tuple(_step(read, n, edge, omega) for n in (few, just, 2 * just))
    return Diagram(
        title="How much of an all-reduce hides behind the computing",
        description=_description(steps, omega),
        draw=lambda canvas: _draw(canvas, steps, omega),
        columns=("devices", "all-reduce over computing", "exposed over computing", "step over computing"),
        rows=tuple(
            [f"{step.devices:,}", percent(step.exchange), percent(step.waited), percent(1 + step.waited)]
            for step in steps
        ),
        values={"steps": steps, "omega": omega},
    )


def _step(read, devices, edge, omega):
    exchange = omega * (devices - 1) / (edge - 1)  # it grows as the others a device exchanges with, the computing falls
    waited = read.at("speedup.exposed", omega=omega, t_a=f"{exchange} s", t_c="1 s")
    return Step(devices, exchange, float(waited.m_as("s")))


def _description(steps, omega):
    texts = "; ".join(
        f"on {step.devices:,} devices the all-reduce takes {percent(step.exchange)} of the computing time, and "
        + (f"{percent(step.waited)} are exposed" if step.waited > 1e-9 else "all of it is hidden")
        for step in steps
    )
    return f"The all-reduce can begin when {percent(1 - omega)} of a step are computed. With a fixed batch: {texts}."


def _draw(canvas, steps, omega):
    left, right = 2, canvas.width - 8
    unit = (right - left) / (1 + max(step.waited for step in steps))
    signs = [
        LegendEntry("nothing to send yet", "time", "faint"),
        LegendEntry("overlapping computation", "time", "mid"),
        LegendEntry("all-reduce", "bytes", "mid"),
        LegendEntry("waiting", "failure", "mid", True),
    ]
    y = legend(canvas, signs, 190) + 26
    for step in steps:
        _lane(canvas, step, omega, left, y, unit)
        y += HIGH + RING + 40
    canvas.text(left, y - 8, "each step on the scale of its own computing", 12, tone="quiet")


def _lane(canvas, step, omega, left, y, unit):
    outcome = f"{percent(step.waited)} longer" if step.waited > 1e-9 else "all of it hides"
    canvas.text(left, y - 7, f"{step.devices:,} devices: {outcome}", 12.5, bold=True)
    begin = (1 - omega) * unit
    canvas.rect(left, y, begin, HIGH, "time", "faint", 1).rect(left + begin, y, omega * unit, HIGH, "time", "mid", 1)
    canvas.rect(left + begin, y + HIGH + 4, step.exchange * unit, RING, "bytes", "mid", 1)
    if step.waited > 1e-9:
        canvas.rect(left + unit, y, step.waited * unit, HIGH, "failure", "mid", 1)
        canvas.hatch(left + unit, y, step.waited * unit, HIGH, "failure", 5)
