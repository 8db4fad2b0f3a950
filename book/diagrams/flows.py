"""Money and carbon as flows: bands whose widths are the amounts, from the total to its parts."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, as_text, diagram, percent


class Band(NamedTuple):
    """A part of a flow: its name, its amount, its kind and how strong its colour is; `note` says what it is."""

    name: str
    amount: object
    kind: str
    shade: str
    note: str = ""


def owned(read):
    """Return the Bands of the cost of the owned cluster: devices, their care, and electricity in three parts.

    The cost is linear in each price: a part is what the cost grows by if its price is doubled.
    """
    at = {name: read("ownership.lab_owned_idle", of=name) for name in ("N", "T", "K", "s", "p", "PUE", "k", "p_0", "u")}
    bare = at | {"PUE": 1}

    def part(name, given):
        twice = given | {name: 2 * given[name]}
        return read.at("ownership.owned", **twice) - read.at("ownership.owned", **given)

    building = read.at("ownership.owned", **at) - read.at("ownership.owned", **bare)
    return (
        Band("the devices", part("K", at), "money", "full"),
        Band("operations", part("s", at), "money", "mid", "staff, space, repair"),
        Band("power, working", part("p", bare), "energy", "full"),
        Band("power, idle", part("p_0", bare), "energy", "mid"),
        Band("the building", building, "energy", "faint", "cooling"),
    )


@diagram("money-flow")
def money_flow(read):
    """Draw the cost of the owned cluster as a flow into its parts."""
    bands = owned(read)
    whole = read("ownership.lab_owned_idle")
    use = read("ownership.lab_owned_idle", of="u")
    return _flow(
        f"Where {as_text(whole, 'MUSD')} of an owned cluster go",
        as_text(whole, "MUSD"),
        bands,
        "MUSD",
        f"Utilization is {as_text(use, '%', 2)}.",
    )


@diagram("carbon-flow")
def carbon_flow(read):
    """Draw the carbon of the board's run as a flow from hardware, building and manufacturing."""
    at = {name: read("energy.placement.run_germany", of=name) for name in ("G", "p", "PUE", "c")}
    machines = read.at("energy.carbon", **(at | {"PUE": "1"}))
    running = read("energy.placement.run_germany")
    made_ = read("energy.placement.run_made")
    label = read.at("energy.carbon", **(at | {"PUE": "1", "p": read("energy.placement.run_limit", of="p")}))
    bands = (
        Band("on the label", label, "energy", "full", "the accelerators"),
        Band("rest of the server", machines - label, "energy", "mid", "processors, network, fans"),
        Band("the building", running - machines, "energy", "soft", "cooling, losses"),
        Band("embodied", made_, "plain", "mid", "mines, fabs"),
    )
    return _flow(
        f"Where {as_text(running + made_, 't')} of CO2e come from",
        as_text(running + made_, "t"),
        bands,
        "t",
        f"One run through the grid of Germany, {as_text(at['c'], 'g/kWh')}.",
    )


def _flow(title, whole, bands, unit, note):
    total = sum(band.amount for band in bands)
    shares = [float((band.amount / total).m_as("")) for band in bands]
    listed = "; ".join(
        f"{band.name} {as_text(band.amount, unit)}, {percent(part)}" for band, part in zip(bands, shares, strict=True)
    )

    def draw(canvas):
        _draw(canvas, whole, bands, shares, unit)

    return Diagram(
        title=title,
        description=f"One band divides into {len(bands)}, as wide as the amounts are. {note} In order: {listed}.",
        draw=draw,
        columns=("part", "amount", "share"),
        rows=tuple(
            [band.name, as_text(band.amount, unit), percent(part)] for band, part in zip(bands, shares, strict=True)
        ),
        values={"bands": bands, "total": total},
    )


def _draw(canvas, whole, bands, shares, unit):
    high, gap = (220, 14)
    left, right = (124, 188) if canvas.narrow else (130, 400)
    need = 36  # height of two lines of words
    tops = _tops(shares, high, gap, need)
    bottom = max(top + max(part * high, need) for top, part in zip(tops, shares, strict=True))
    from_y = (bottom - high) / 2
    canvas.rect(left - 12, from_y, 12, high, "plain", "strong", 0, "bare")
    canvas.text(left - 20, from_y + high / 2 - 4, whole, 14, "end", bold=True, room=left - 18)
    canvas.text(left - 20, from_y + high / 2 + 14, "in all", 12, "end", "quiet")
    y = from_y
    for band, part, top in zip(bands, shares, tops, strict=True):
        wide = part * high
        canvas.path(_ribbon(left, y, right, top, wide), band.kind, band.shade, "ribbon")
        canvas.rect(right, top, 10, wide, band.kind, band.shade, 0)
        room = canvas.width - right - 18
        canvas.text(right + 18, top + 13, band.name, 13, bold=True, room=room)
        label = f"{as_text(band.amount, unit)}, {percent(part, 2 if part > 0.1 else 1)}"
        canvas.text(right + 18, top + 30, label + (f"; {band.note}" if band.note and not canvas.narrow else ""), 12.5)
        y += wide


def _tops(shares, high, gap, need):
    """Return where each band ends, so that their words have room."""
    found, y = [], 2.0
    for part in shares:
        found.append(y)
        y += max(part * high, need) + gap
    return found


def _ribbon(left, y, right, top, wide):
    middle = (left + right) / 2
    there = f"M{left} {y:.1f}C{middle} {y:.1f} {middle} {top:.1f} {right} {top:.1f}v{wide:.1f}"
    return f"{there}C{middle} {top + wide:.1f} {middle} {y + wide:.1f} {left} {y + wide:.1f}z"
