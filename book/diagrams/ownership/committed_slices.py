"""A demand that rises and falls, device by device: which of them a commitment pays for."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

DAYS, HIGH = 7, 190  # days that are drawn, and how high the busiest hour is
LEGEND = (
    LegendEntry("committed, at work", "time", "mid"),
    LegendEntry("committed, idle", "failure", "soft", True),
    LegendEntry("by the hour", "money", "mid"),
)


class Swing(NamedTuple):
    """A demand that rises and falls evenly between two numbers of devices, and how many are committed."""

    low: float
    high: float
    committed: float

    @property
    def last(self):
        """Return the share of the hours in which the last committed device works."""
        return (self.high - self.committed) / (self.high - self.low)

    def parts(self):
        """Return the shares of all device-hours of the busiest hour: at work, idle, by the hour."""
        idle = (self.committed - self.low) * (1 - self.last) / 2
        hourly = (self.high - self.committed) * self.last / 2
        return tuple(part / self.high for part in (self.committed - idle, idle, hourly))


@diagram("committed-slices")
def committed_slices(read):
    """Draw a week of demand and its hours in order, cut at the device that a commitment just pays for."""
    at = "ownership.mix_devices"
    low, more, committed = (read.number(at, "gpu", of="D_1"), read.number(at, "gpu", of="D"), read.number(at, "gpu"))
    swing = Swing(low, low + more, committed)
    bills = {"all by the hour": "lab_demand", "all committed": "lab_reserved", "this mixture": "mix_cost"}
    costs = {name: read(f"ownership.{address}") for name, address in bills.items()}
    pays = read.number("ownership.lab_commitment")
    return Diagram(
        title="Which devices of a fleet to commit",
        description=(
            f"A demand between {low:.0f} and {low + more:.0f} devices, through {DAYS} days and with its hours in "
            f"order. The first {committed:.0f} devices are committed: the last of them works in "
            f"{percent(swing.last)} of the hours, where a commitment pays from {percent(pays)} on. What is above them "
            "is rented by the hour, and what is below the line and above the demand is paid for and idle."
        ),
        draw=lambda canvas: _draw(canvas, swing),
        columns=("three years", "cost"),
        rows=tuple([name, as_text(cost, "MUSD")] for name, cost in costs.items()),
        values={"swing": swing, "pays": pays},
    )


def _draw(canvas, swing):
    left, right = 40, canvas.width - 4
    y = legend(canvas, LEGEND, 190) + 14
    week = right if canvas.narrow else right - 250
    _panel(canvas, swing, y, [(left + d * (week - left) / DAYS, (week - left) / DAYS) for d in range(DAYS)], week)
    axis(canvas, y + HIGH, [(left, "0"), ((left + week) / 2, "a week"), (week, f"{DAYS} d")])
    if canvas.narrow:
        y += HIGH + 56
    begin = left if canvas.narrow else week + 40
    _ordered(canvas, swing, y, begin, right)


def _panel(canvas, swing, y, days, end):
    halves = [half for x, wide in days for half in ((x + wide / 2, x), (x + wide / 2, x + wide))]
    _halves(canvas, swing, y, halves)
    _levels(canvas, swing, y, days[0][0], end)


def _ordered(canvas, swing, y, begin, end):
    """Draw the hours in order, the busiest first: a device works as long as the demand reaches its height."""
    _halves(canvas, swing, y, [(begin, end)])
    at, level = begin + swing.last * (end - begin), y + HIGH * (1 - swing.committed / swing.high)
    canvas.line(at, level, at, y + HIGH, "plain", "dash").circle(at, level, 4, "plain", "full")
    canvas.text(end, y + 12, "the last committed", 12.5, "end", bold=True)
    canvas.text(end, y + 28, f"works {percent(swing.last)} of the hours", 12.5, "end")
    if canvas.narrow:
        _levels(canvas, swing, y, begin, end)
    axis(canvas, y + HIGH, [(begin, "0"), (at, percent(swing.last)), (end, "all hours")])


def _halves(canvas, swing, y, halves):
    """Draw parts of the demand, each falling from the x of its peak to the x of its lowest hour."""
    foot = y + HIGH
    low, level = (foot - HIGH * each / swing.high for each in (swing.low, swing.committed))
    work, idle, hourly, stripes = "", "", "", ""
    for peak, rest in halves:
        cut = peak + swing.last * (rest - peak)
        work += f"M{peak:.1f} {foot:.1f}V{level:.1f}H{cut:.1f}L{rest:.1f} {low:.1f}V{foot:.1f}z"
        idle += f"M{cut:.1f} {level:.1f}H{rest:.1f}V{low:.1f}z"
        hourly += f"M{peak:.1f} {y:.1f}L{cut:.1f} {level:.1f}H{peak:.1f}z"
        for share in (0.1, 0.3, 0.5, 0.7):
            stripes += f"M{cut + share * (rest - cut):.1f} {level + share * (low - level):.1f}H{rest:.1f}"
    canvas.path(work, "time", "mid", "bare").path(hourly, "money", "mid", "bare").extend_to(foot)
    canvas.path(idle, "failure", "soft", "bare").path(stripes, "failure", "line", "hatch")


def _levels(canvas, swing, y, left, right):
    for amount in (swing.low, swing.committed, swing.high):
        level = y + HIGH * (1 - amount / swing.high)
        mine = amount == swing.committed
        canvas.text(left - 6, level + 4, f"{amount:,.0f}", 12.5 if mine else 12, "end", "" if mine else "quiet", mine)
    level = y + HIGH * (1 - swing.committed / swing.high)
    canvas.line(left, level, right, level, "plain", "bold")
