"""A device bought and resold compared with one rented, with falling and with constant prices."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import quantity

HIGH = 24
LEGEND = (
    LegendEntry("bought and run", "money", "mid"),
    LegendEntry("comes back by selling", "money", "none", True),
    LegendEntry("rented", "time", "mid"),
)


class World(NamedTuple):
    """A market: how rents go, and per device in thousands of dollars: bought and run, sold for, rented."""

    name: str
    paid: float
    sold: float
    rented: float

    @property
    def owned(self):
        """Return what the owned device has cost in the end."""
        return self.paid - self.sold

    @property
    def verdict(self):
        """Return which is cheaper."""
        return "buy" if self.owned < self.rented else "rent"


@diagram("rents-and-resale")
def rents_and_resale(read):
    """Draw both markets, each with the device that is sold at its end and the rent of the same years."""
    paid = read("ownership.today_unsold")
    worlds = tuple(
        World(name, *(float(each.m_as("USD/gpu")) / 1000 for each in (paid, paid - read(owned), read(rented))))
        for name, owned, rented in (
            ("rents fall", "ownership.measured.sold_after", "ownership.measured.rent_falling"),
            ("rents stay constant", "ownership.measured.sold_standing", "ownership.today_frozen"),
        )
    )
    return Diagram(
        title="Rents and resale fall together, or neither does",
        description=(
            "Two markets, in today's money for one device that is always busy over three years. "
            + "; ".join(
                f"where {w.name}, a device costs {_usd(w.paid)} to buy and run, {_usd(w.sold)} come back by selling "
                f"it, {_usd(w.owned)} remain; its rent is {_usd(w.rented)}: {w.verdict}"
                for w in worlds
            )
            + ". Two bars of different markets must not be compared."
        ),
        draw=lambda canvas: _draw(canvas, worlds),
        columns=("market", "bought and run", "comes back", "remains", "rented", "cheaper"),
        rows=tuple([w.name, *map(_usd, (w.paid, w.sold, w.owned, w.rented)), w.verdict] for w in worlds),
        values={"worlds": worlds},
    )


def _usd(thousands):
    return as_text(quantity(f"{1000 * thousands:.6g} USD"), None, 3)


def _draw(canvas, worlds):
    left = 2
    most = max(world.paid for world in worlds)
    unit = (canvas.width - 8) / most
    y = legend(canvas, LEGEND, 200) + 22
    for world in worlds:
        canvas.text(left, y, f"where {world.name}", 13.5, bold=True)
        canvas.text(
            canvas.width - 6, y, world.verdict, 13.5, "end", "money" if world.verdict == "buy" else "time", True
        )
        _pair(canvas, world, left, y + 9, unit)
        y += 2 * HIGH + 46
    ticks = [(left + 10 * i * unit, f"${10 * i},000" if i else "0") for i in range(int(most // 10) + 1)]
    axis(canvas, y - 16, ticks, until=left + most * unit)


def _pair(canvas, world, left, y, unit):
    canvas.rect(left, y, world.owned * unit, HIGH, "money", "mid", 0)
    back = (left + world.owned * unit, y, world.sold * unit, HIGH)
    canvas.rect(*back, "money", "none", 0).hatch(*back, "money", 6)
    canvas.rect(left, y + HIGH + 4, world.rented * unit, HIGH, "time", "mid", 0)
    for line, amount in ((y, world.owned), (y + HIGH + 4, world.rented)):
        canvas.text(left + 8, line + HIGH / 2 + 5, _usd(amount), 13, bold=True)
