"""Energy as an area, watts upwards and time across: an hour that makes progress, and a job at a slower clock."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity


class Slab(NamedTuple):
    """A part of an energy: what it is, hours across, watts upwards from which on, and how it is drawn."""

    words: str
    hours: float
    watts: float
    floor: float
    kind: str
    shade: str
    hatched: bool = False

    @property
    def energy(self):
        """Return its energy in kWh."""
        return self.hours * self.watts / 1000


def _lay(canvas, slab, x, base, hour, watt):
    """Draw a slab that begins at x and stands on its floor over the base line."""
    place = (x, base - (slab.floor + slab.watts) * watt, slab.hours * hour, slab.watts * watt)
    canvas.rect(*place, slab.kind, slab.shade, 0)
    if slab.hatched:
        canvas.hatch(*place, slab.kind, 6)


def _kwh(energy):
    return as_text(quantity(f"{energy} kWh"), "kWh")


# ---------------------------------------------------------------- an hour that makes progress


class Fleet(NamedTuple):
    """A fleet: its name, the share of hours in which its devices work, and the slabs of one useful hour."""

    name: str
    busy: float
    slabs: tuple

    @property
    def hours(self):
        """Return how many hours a device is held for one that makes progress."""
        return sum(slab.hours for slab in self.slabs if not slab.floor)

    @property
    def energy(self):
        """Return the energy of one useful hour at the meter of the building, in kWh."""
        return sum(slab.energy for slab in self.slabs)


def fleet(read, address):
    """Return the Fleet of an example of the energy of a useful hour."""
    busy, kept, pue = (read.number(address, of=letter) for letter in ("b", "gamma", "PUE"))
    work, wait = (read.number(address, "W/gpu", letter) for letter in ("p_w", "p_i"))
    lost, idle = 1 / kept - 1, (1 / busy - 1) / kept
    parts = (
        Slab("makes progress", 1.0, work, 0, "energy", "full"),
        Slab("is lost again", lost, work, 0, "failure", "mid", True),
        Slab("waits", idle, wait, 0, "energy", "soft"),
    )
    building = tuple(Slab("the building", p.hours, p.watts * (pue - 1), p.watts, "plain", "mid") for p in parts)
    return Fleet(f"works {percent(busy)} of its hours", busy, parts + building)


@diagram("useful-hour")
def useful_hour(read):
    """Draw the energy of one useful hour for the busy fleet and for the lazy one, on one scale."""
    fleets = tuple(fleet(read, f"energy.placement.{name}") for name in ("busy", "lazy"))
    means = [
        as_text(read.at("energy.placement.held_power", **_given(read, name)), "W/gpu") for name in ("busy", "lazy")
    ]
    return Diagram(
        title="The energy behind one hour that makes progress",
        description=_fleets_description(fleets, means),
        draw=lambda canvas: _draw_fleets(canvas, fleets),
        columns=("a device that", "is held for", "draws on average", "takes at the building's meter"),
        rows=tuple(
            [each.name, f"{each.hours:.3g} h", mean, _kwh(each.energy)]
            for each, mean in zip(fleets, means, strict=True)
        ),
        values={"fleets": fleets},
    )


def _given(read, name):
    return {letter: read(f"energy.placement.{name}", of=letter) for letter in ("b", "p_w", "p_i")}


def _fleets_description(fleets, means):
    texts = "; ".join(
        f"a device that {each.name} is held for {each.hours:.3g} h, draws {mean} on average in that time, and takes "
        f"{_kwh(each.energy)}"
        for each, mean in zip(fleets, means, strict=True)
    )
    return f"Hours across, watts upwards, so that areas are energies. For one hour of progress {texts}."


def _draw_fleets(canvas, fleets):
    left, wide = 2, canvas.width - 8
    hour, watt = wide / max(each.hours for each in fleets), 0.075
    signs = [LegendEntry(slab.words, slab.kind, slab.shade, slab.hatched) for slab in fleets[0].slabs[:4]]
    y = legend(canvas, signs, 150) + 22
    for each in fleets:
        canvas.text(left, y, each.name, 13, bold=True)
        canvas.text(left + wide, y, _kwh(each.energy), 13, "end", "energy", True)
        top = max(slab.floor + slab.watts for slab in each.slabs)
        base, x = y + 14 + top * watt, left
        for part, cover in zip(each.slabs[:3], each.slabs[3:], strict=True):
            _lay(canvas, part, x, base, hour, watt)
            _lay(canvas, cover, x, base, hour, watt)
            if part.hours * hour > 80:
                on = "on" if part.shade == "full" else ""
                canvas.text(x + 8, base - 9, f"{part.watts:,.0f} W", 12.5, tone=on)
            x += part.hours * hour
        canvas.line(left, base, left + wide, base, "plain", "thin")
        y = base + 36
    canvas.text(left + hour / 2, y - 20, "1 h of progress", 12, "middle", "quiet")
    canvas.text(left + wide, y - 20, f"held for {fleets[-1].hours:.3g} h", 12, "end", "quiet")


# ---------------------------------------------------------------- a job at a slower clock


class Clock(NamedTuple):
    """A clock over the full one, the slabs of the job at it, and its time and energies over those at the full clock."""

    name: str
    clock: float
    slabs: tuple
    time: float
    device: float
    node: float


FULL = {"clock": 1.0, "energy": 1.0, "time": 1.0}


def clocks(read):
    """Return the Clocks of the chapter: full, that of least energy, and one far below, as they were measured."""
    places = (
        ("full clock", FULL),
        *((name, _measured(read, fact)) for name, fact in (("best", "least"), ("too slow", "deep"))),
    )
    return tuple(_clock(read, name, **at) for name, at in places)


def _measured(read, name):
    return {part: read.number(f"energy.measured.{name}_{part}") for part in FULL}


def _clock(read, name, clock, energy, time):
    """Return the Clock at which the device takes so much of its energy, and so much of the time, at the full one."""
    device = read.number("energy.measured.rest_most", "W/gpu", "p_a")
    rest = read.number("energy.measured.rest_most", "W/gpu", "p") - device
    slabs = (
        Slab("rest of the node", time, rest, 0, "plain", "mid"),
        Slab("device", time, device * energy / time, rest, "energy", "strong"),
    )
    shares = {"q": str(energy), "y": str(time), "y_b": read("energy.measured.rest_most")}
    node = float(read.at("energy.measured.node_at_clock", **shares).m_as(""))
    return Clock(name, clock, slabs, time, energy, node)


@diagram("slower-clock")
def slower_clock(read):
    """Draw the power of a device and its share of the node over the time of one job, at three clocks."""
    found = clocks(read)
    return Diagram(
        title="One job at three clocks: watts upwards, time across",
        description=_clocks_description(found),
        draw=lambda canvas: _draw_clocks(canvas, found),
        columns=("clock", "of the full one", "time", "energy of the device", "energy of the node"),
        rows=tuple(
            [c.name, percent(c.clock), percent(c.time, 3), percent(c.device, 3), percent(c.node, 3)] for c in found
        ),
        values={"clocks": found},
    )


def _clocks_description(found):
    full, *slower = found
    powers = ", ".join(f"{slab.words} {slab.watts:,.0f} W" for slab in full.slabs)
    texts = "; ".join(
        f"at {percent(c.clock)} of it, {c.name}, the job takes {percent(c.time, 3)} of the time, the device "
        f"{percent(c.device)} of its energy and the node {percent(c.node, 3)}"
        for c in slower
    )
    return f"Areas are energies. At the full clock: {powers}. As measured on an A100, {texts}."


def _draw_clocks(canvas, found):
    gap, watt = 8 if canvas.narrow else 24, 0.14
    hour = (canvas.width - 4 - gap * (len(found) - 1)) / sum(c.time for c in found)
    signs = [LegendEntry(slab.words, slab.kind, slab.shade) for slab in found[0].slabs]
    base = legend(canvas, signs, 190) + 10 + sum(slab.watts for slab in found[0].slabs) * watt
    x = 2
    for each in found:
        for slab in each.slabs:
            _lay(canvas, slab, x, base, hour, watt)
        canvas.text(x, base + 18, each.name, 12.5, bold=True)
        canvas.text(x, base + 36, f"device {percent(each.device, 3)}", 12.5)
        canvas.text(x, base + 54, f"node {percent(each.node, 3)}", 12.5)
        x += hour * each.time + gap
