"""What a run is made of: days that add up to a date, a day that divides into hours, shares that multiply."""

from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, drawing, percent, said


class Step(NamedTuple):
    """A part of a sum: its name, its amount in days, its kind and shade; what is hidden adds nothing."""

    name: str
    days: float
    kind: str
    shade: str
    hidden: bool = False


@drawing("audit-days")
def audit_days(read):
    """Draw how the days of the audited run add up, with the promised date beside them."""
    days = {
        name: read.number(f"audit_promise.{name}", "d")
        for name in ("at_peak", "days_computing", "days_layers", "days_ring", "days_failing", "composed")
    }
    date, plan = read.number("audit_levers.date", "d"), read.number("audit.duration", "d")
    steps = (
        Step("arithmetic at the peak", days["at_peak"], "time", "full"),
        Step("kernels below the peak", days["days_computing"] - days["at_peak"], "time", "mid"),
        Step("links inside the nodes", days["days_layers"], "bytes", "full"),
        Step("gradients between nodes", days["days_ring"], "bytes", "soft", True),
        Step("failures and checkpoints", days["days_failing"], "failure", "full"),
    )
    listed = "; ".join(f"{s.name} {s.days:.3g} d{' (hidden)' if s.hidden else ''}" for s in steps)

    def draw(paper):
        _waterfall(paper, steps, days["composed"], date, plan)

    return Drawing(
        title=f"How {days['composed']:.3g} days come together",
        told=(
            f"Each bar begins where the one before it ends: {listed}; together {days['composed']:.3g} d. What is hidden goes on "
            f"beside the backward pass and adds nothing. The date is at {date:.0f} d, left of everything but bare "
            f"arithmetic; the plan is {plan:.0f} d."
        ),
        draw=draw,
        columns=("part", "days", "adds"),
        rows=(
            *([s.name, f"{s.days:.3g}", "nothing, it hides" if s.hidden else f"{s.days:.3g}"] for s in steps),
            ["together", f"{days['composed']:.3g}", ""],
        ),
        values={"steps": steps, "composed": days["composed"]},
    )


def _waterfall(paper, steps, whole, date, plan):
    left, right = (2, paper.width - 30) if paper.narrow else (200, paper.width - 52)
    unit = (right - left) / plan
    top, step, high = (40, 50, 22) if paper.narrow else (34, 38, 24)
    for at, name, kind in ((date, "the date", "failure"), (plan, "the plan", "plain")):
        x = left + at * unit
        for row in range(len(steps) + 1):
            y = top + row * step + (18 if paper.narrow else 0)
            paper.line(x, y - 3, x, y + high + 3, kind, "bold" if kind == "failure" else "")
        paper.text(x, top - 18, f"{name}: {at:.0f} d", 12.5, "middle" if at == date else "end", "failure" if at == date else "quiet", at == date)
    now = 0.0
    for index, part in enumerate(steps):
        y = top + index * step + (18 if paper.narrow else 0)
        x, wide = left + now * unit, part.days * unit
        paper.box(x - (wide if part.hidden else 0), y, wide, high, part.kind, part.shade, 1, "dash" if part.hidden else "")
        if part.hidden:
            paper.hatch(x - wide, y, wide, high, part.kind)
        else:
            now += part.days
            paper.line(left + now * unit, y + high, left + now * unit, y + step, "plain", "thin")
        told = f"{part.days:.3g} d" + (", hidden" if part.hidden else "")
        _row(paper, part.name, told, y, left, (x, wide, part.hidden), high)
    y = top + len(steps) * step + (18 if paper.narrow else 0)
    paper.box(left, y, whole * unit, high, "time", "strong", 1)
    _row(paper, "together", f"{whole:.3g} d", y, left, (left, whole * unit, False), high, True)


def _row(paper, name, told, y, left, bar, high, bold=False):
    x, wide, hidden = bar
    if paper.narrow:
        paper.text(left, y - 6, f"{name}: {told}", 12.5, bold=bold)
        return
    paper.text(left - 10, y + high / 2 + 5, name, 13, "end", bold=bold, room=left - 10)
    if wide > 90:
        paper.text(x + 8, y + high / 2 + 5, told, 13, tone="" if name.startswith("kernels") else "on", bold=True)
    else:
        paper.text(x - 8 - (wide if hidden else 0), y + high / 2 + 5, told, 12.5, "end")


# ---------------------------------------------------------------- a day


CASES = (
    ("today", "progress.base"),
    ("restart sooner", "progress.short_wait"),
    ("write faster", "progress.fast_write"),
    ("both", "progress.both"),
)
PARTS = (("progress", "time", "mid"), ("writing", "time", "full"), ("work lost", "failure", "soft"), ("restarting", "plain", "strong"))


def day(read, address):
    """Return `{part: share of the clock}` of a case of the chapter, at its interval or the best one."""
    given = {name: read(address, of=name) for name in ("M", "C", "o")}
    if any(v.name == "tau" for v in read.formula(address).givens):
        tau = read(address, of="tau")
    else:
        tau = read.at("effective_time.ettr_interval", **given)
    ratio = float(read(address).m_as(""))
    lost, down = (float((each / given["M"]).m_as("")) for each in (tau / 2, given["o"]))
    return {"progress": ratio, "writing": 1 - lost - down - ratio, "work lost": lost, "restarting": down}


@drawing("day-of-a-job")
def day_of_a_job(read):
    """Draw a day of the job for the four proposals, divided as the ratio divides it."""
    found = {name: day(read, address) for name, address in CASES}
    rows = [[name, *(f"{24 * part:.3g} h" for part in parts.values()), percent(parts['progress'], 3)] for name, parts in found.items()]
    listed = "; ".join(
        f"{name}: {percent(parts['progress'], 3)} progress, {24 * parts['writing']:.2g} h writing, {24 * parts['work lost']:.2g} h lost, "
        f"{24 * parts['restarting']:.2g} h restarting" for name, parts in found.items()
    )

    def draw(paper):
        _days(paper, found)

    return Drawing(
        title="Where a day of the job goes, for four proposals",
        told=f"Four bars of a day of 24 hours. {listed}.",
        draw=draw,
        columns=("proposal", *(part for part, _, _ in PARTS), "effective training time"),
        rows=tuple(rows),
        values={"days": found},
    )


def _days(paper, found):
    left, right = (2, paper.width - 4) if paper.narrow else (128, paper.width - 66)
    unit, x = (right - left) / 24, left
    for index, (part, kind, shade) in enumerate(PARTS):
        at = (left + (index % 2) * 150, 14 + index // 2 * 20) if paper.narrow else (x, 14)
        paper.box(at[0], at[1] - 11, 14, 12, kind, shade, 1)
        if kind == "failure":
            paper.hatch(at[0], at[1] - 11, 14, 12, kind, 4)
        paper.text(at[0] + 20, at[1], part, 12.5)
        x += 120
    y, high, step = (62, 30, 58) if paper.narrow else (32, 32, 44)
    for name, parts in found.items():
        share = percent(parts['progress'], 3)
        if paper.narrow:
            paper.text(left, y - 6, name, 13, bold=True)
            paper.text(right, y - 6, f"{share} progress", 12.5, "end", "time", True)
        else:
            paper.text(left - 10, y + 21, name, 13, "end", bold=True)
            paper.text(right + 8, y + 21, share, 13, tone="time", bold=True)
        x = left
        for part, kind, shade in PARTS:
            wide = parts[part] * 24 * unit
            paper.box(x, y, wide, high, kind, shade, 0, "bare")
            if kind == "failure":
                paper.hatch(x, y, wide, high, kind, 5)
            x += wide
        y += step
    _clock(paper, left, y - (step - high) + 4, unit)


def _clock(paper, left, y, unit):
    for hour in range(0, 25, 6):
        x = left + hour * unit
        paper.line(x, y, x, y + 4, "plain", "thin")
        paper.text(x, y + 18, f"{hour} h" if hour else "0", 11.5, "start" if not hour else "end" if hour == 24 else "middle", "quiet")


# ---------------------------------------------------------------- from the data sheet to progress


@drawing("cascade")
def cascade(read):
    """Draw what arrives of the peak: the share of the device, of the fleet, of the clock."""
    parts = {name: read.number("progress.case_share", of=name) for name in ("U", "eta", "G")}
    whole = read.number("progress.case_share")
    names = ("the data sheet", "a device alone", "all together", "progress")
    why = ("", f"MFU {percent(parts['U'])}", f"scaling {percent(parts['eta'])}", f"goodput {percent(parts['G'], 3)}")
    levels = [1.0, parts["U"], parts["U"] * parts["eta"], whole]
    told = ", then ".join(f"{name} {percent(level, 3)}" for name, level in zip(names, levels, strict=True))

    def draw(paper):
        _cascade(paper, names, why, levels)

    return Drawing(
        title="From the data sheet to progress",
        told=f"Each bar is a share of the one before it: {told}.",
        draw=draw,
        columns=("stage", "factor", "of the peak"),
        rows=tuple([name, because, percent(level, 3)] for name, because, level in zip(names, why, levels, strict=True)),
        values={"levels": levels},
    )


def _cascade(paper, names, why, levels):
    left, right = (2, paper.width - 56) if paper.narrow else (140, paper.width - 70)
    high, step = (30, 70) if paper.narrow else (32, 62)
    for index, (name, level) in enumerate(zip(names, levels, strict=True)):
        y = 4 + index * step + (16 if paper.narrow else 0)
        wide = level * (right - left)
        shade = "full" if index == len(levels) - 1 else "soft"
        if index:
            before = levels[index - 1] * (right - left)
            foot = y - step + high
            paper.path(f"M{left:.1f} {foot:.1f}H{left + before:.1f}L{left + wide:.1f} {y:.1f}H{left:.1f}z", "time", "faint", "bare")
            if not paper.narrow:
                paper.text(left + wide / 2, y - 10, f"× {why[index]}", 12.5, "middle")
        paper.box(left, y, wide, high, "time", shade, 1)
        paper.text(left + wide + 6, y + high / 2 + 5, percent(level, 3), 13, tone="time", bold=True)
        if paper.narrow:
            paper.text(left + 4, y - 6, name + (f", × {why[index]}" if index else ""), 12.5, bold=not index)
        else:
            paper.text(left - 10, y + high / 2 + 5, name, 13, "end", bold=True)
