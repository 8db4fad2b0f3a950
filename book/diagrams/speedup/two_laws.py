"""Amdahl's law and Gustafson's as device-time: what is paid for is an area, and what waits is a part of it."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

DEVICES = (1, 4, 8, 16)
SERIAL = 0.1  # a large share, so that it can be seen
ROW = 6  # height of a device


class Run(NamedTuple):
    """A run on so many devices: its serial and its divided time, and how many devices' worth of work it does."""

    devices: int
    serial: float
    divided: float
    worth: float

    @property
    def time(self):
        """Return how long the run takes."""
        return self.serial + self.divided

    @property
    def waiting(self):
        """Return the share of all device-time in which a device waits for the serial part."""
        return self.serial * (self.devices - 1) / (self.devices * self.time)


def fixed(read, devices):
    """Return the Run of one work on so many devices, in times of its run on one."""
    worth = float(read.at("speedup.amdahl", s=SERIAL, N=devices).m_as(""))
    return Run(devices, SERIAL, 1 / worth - SERIAL, worth)


def growing(read, devices):
    """Return the Run of a work that grows with the devices, so that the time stays the same."""
    worth = float(read.at("speedup.gustafson", q=SERIAL, N=devices).m_as(""))
    return Run(devices, SERIAL, 1 - SERIAL, worth)


LAWS = (("Amdahl: the work stays", fixed), ("Gustafson: the time stays", growing))


@diagram("two-laws")
def two_laws(read):
    """Draw runs on more and more devices, once with the same work and once with the same time."""
    found = {name: tuple(law(read, devices) for devices in DEVICES) for name, law in LAWS}
    return Diagram(
        title="A serial tenth, of a work that stays and of a time that stays",
        description=_description(found),
        draw=lambda canvas: _draw(canvas, found),
        columns=("law", "devices", "time", "devices' worth of work", "waiting, of all device-time"),
        rows=tuple(
            [name, f"{run.devices}", percent(run.time), f"{run.worth:.3g}", percent(run.waiting)]
            for name, runs in found.items()
            for run in runs
        ),
        values={"runs": found},
    )


def _description(found):
    ways = " ".join(
        f"{name}: "
        + ", ".join(f"{r.devices} do the work of {r.worth:.3g} and wait for {percent(r.waiting)}" for r in runs[1:])
        + "."
        for name, runs in found.items()
    )
    return (
        "Each rectangle is as wide as the time and as high as the devices, so its area is the device-time paid for. "
        f"Where {percent(SERIAL)} are serial, one device works and all others wait. {ways}"
    )


def _draw(canvas, found):
    column = (canvas.width - 4) / len(DEVICES)
    unit = column * 0.86
    signs = [
        LegendEntry("serial: one works", "time", "full"),
        LegendEntry("divided: all work", "time", "mid"),
        LegendEntry("waiting", "failure", "none", True),
    ]
    y = legend(canvas, signs, 190) + 22
    for name, runs in found.items():
        canvas.text(2, y, name, 13.5, bold=True)
        floor = y + 18 + ROW * DEVICES[-1]
        for index, run in enumerate(runs):
            _run(canvas, run, 2 + index * column, floor, unit)
        y = floor + 66


def _run(canvas, run, x, floor, unit):
    """Draw a run, standing on the floor, and below it what it is worth."""
    high, serial = run.devices * ROW, run.serial * unit
    if run.devices > 1:
        canvas.hatch(x, floor - high, serial, high - ROW, "failure", 5)
    canvas.rect(x, floor - high, run.time * unit, high, "plain", "none", 0)
    canvas.rect(x, floor - ROW, serial, ROW, "time", "full", 0, "bare")
    canvas.rect(x + serial, floor - high, run.divided * unit, high, "time", "mid", 0, "bare")
    canvas.text(x, floor + 17, f"{run.devices} device{'s' if run.devices > 1 else ''}", 12.5)
    if run.devices > 1:
        canvas.text(x, floor + 34, f"worth {run.worth:.3g}", 12.5, tone="time", bold=True)
