"""Fleets as rectangles of devices by days: one amount of steps, cut to end on a date."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, diagram

TALL = 0.045  # pixels for a device
BELIEFS = (
    ("audit.measured.llama_nodes", "all else as for Llama"),
    ("audit.measured.bloom_nodes", "all else as for BLOOM"),
    ("audit.measured.palm_nodes", "all else as for PaLM"),
    ("audit.measured.opt_nodes", "all else as for OPT"),
)


class Fleet(NamedTuple):
    """A fleet that somebody believes in: why, how many devices, days by the calendar, days of steps."""

    why: str
    devices: float
    days: float
    steps: float

    @property
    def beside(self):
        """Return how many days of the calendar are not steps."""
        return self.days - self.steps


@diagram("fleets-for-a-date")
def fleets_for_a_date(read):
    """Draw the plan and five fleets for the date, each as high as it has devices and as long as it runs."""
    date, share = read("audit.levers.date"), read("audit.mfu")
    steps = read("audit.work") / (read("audit.measured.allowed_147", of="P") * share)  # device-time
    sizes = [("the plan", read("audit.devices"), read("audit.duration"))]
    sizes += [("by the model", read("audit.deadline.chance_147", of="n"), date)]
    sizes += [(why, read(address), date) for address, why in BELIEFS]
    fleets = tuple(
        Fleet(why, float(n.m_as("gpu")), float(days.m_as("d")), float((steps / n).m_as("d"))) for why, n, days in sizes
    )
    return Diagram(
        title="The same steps on fleets that are to be done on a date",
        description=_description(fleets),
        draw=lambda canvas: _draw(canvas, fleets),
        columns=("if the run goes", "devices", "days of steps", "days beside the steps"),
        rows=tuple([f.why, f"{f.devices:,.0f}", f"{f.steps:.3g}", f"{f.beside:.2g}"] for f in fleets),
        values={"fleets": fleets},
    )


def _description(fleets):
    plan, *others = fleets
    listed = "; ".join(
        f"{each.why}, {each.devices:,.0f} devices: {each.steps:.3g} d of steps and {each.beside:.2g} d beside them"
        for each in others
    )
    return (
        f"Six rectangles, as high as a fleet has devices and as long as it runs. The part of steps has the same area "
        f"in each: the plan has {plan.devices:,.0f} devices for {plan.days:.0f} d. "
        f"To end after {others[0].days:.0f} d: {listed}."
    )


def _draw(canvas, fleets):
    left = 2
    unit = (canvas.width - 4) / max(fleet.days for fleet in fleets)
    date = left + fleets[-1].days * unit
    signs = [
        LegendEntry("steps: one area for all", "time", "mid"),
        LegendEntry("beside the steps", "failure", "soft", True),
    ]
    y = legend(canvas, signs, 240) + 22
    canvas.text(date, y - 6, f"the date: {fleets[-1].days:.0f} d", 12.5, "middle", "failure", True)
    top = y
    for fleet in fleets:
        y = _one(canvas, fleet, left, y, unit, date + 12) + 9
    canvas.line(date, top, date, y, "failure", "bold")
    whole = fleets[0].days
    axis(canvas, y, [(left + at * unit, f"{at:.0f} d" if at else "0") for at in (0, whole / 3, 2 * whole / 3, whole)])


def _one(canvas, fleet, left, y, unit, aside):
    high, wide = fleet.devices * TALL, fleet.steps * unit
    rest = (left + wide, y, max(fleet.beside, 0) * unit, high)
    canvas.rect(left, y, wide, high, "time", "mid", 0)
    canvas.rect(*rest, "failure", "soft", 0).hatch(*rest, "failure", 5)
    inside = fleet.beside < 0.01  # nothing is beside the steps: the words have room only in the box
    x, tone = (left + 8, "") if inside else (aside, "")
    if inside:
        canvas.text(x, y + high / 2 + 5, f"{fleet.why}: {fleet.devices:,.0f} devices", 13, bold=True)
        return y + high
    canvas.text(x, y + high / 2 - 3, f"{fleet.devices:,.0f} devices", 13, bold=True, tone=tone)
    canvas.text(x, y + high / 2 + 14, fleet.why, 12.5, tone="quiet")
    return y + high
