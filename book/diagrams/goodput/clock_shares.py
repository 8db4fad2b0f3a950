"""Shares of the clock: a day of a job divided into hours, and what is left of the data sheet."""

from mathbook.diagrams.legend_axis import LegendEntry, hours_axis, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

CASES = (
    ("as it is", "goodput.progress.base"),
    ("a watchdog", "goodput.progress.short_wait"),
    ("fast writes", "goodput.progress.fast_write"),
    ("both", "goodput.progress.both"),
)
LEGEND = (
    LegendEntry("progress", "time", "mid"),
    LegendEntry("writing", "time", "full"),
    LegendEntry("work lost", "failure", "soft", True),
    LegendEntry("restarting", "plain", "strong"),
)


def day(read, address):
    """Return `{part: share of the clock}` of a case of the chapter, at its interval or the best one.

    A failure costs half an interval and a restart; what is neither this nor progress is writing.
    """
    given = {name: read(address, of=name) for name in ("M", "C", "o")}
    if any(v.name == "tau" for v in read.formula(address).givens):
        tau = read(address, of="tau")
    else:
        tau = read.at("goodput.ettr.ettr_interval", **given)
    ratio = float(read(address).m_as(""))
    lost, down = (float((each / given["M"]).m_as("")) for each in (tau / 2, given["o"]))
    return {"progress": ratio, "writing": 1 - lost - down - ratio, "work lost": lost, "restarting": down}


@diagram("day-of-a-job")
def day_of_a_job(read):
    """Draw a day of the job for the four proposals, divided as the ratio divides it."""
    found = {name: day(read, address) for name, address in CASES}
    hours = {name: [f"{24 * part:.3g} h" for part in parts.values()] for name, parts in found.items()}
    listed = "; ".join(
        f"{name}: {progress} progress, {writing} writing, {lost} lost, {down} restarting"
        for name, (progress, writing, lost, down) in hours.items()
    )
    return Diagram(
        title="Where a day of the job goes, for four proposals",
        description=f"Four bars of a day of 24 hours. {listed}.",
        draw=lambda canvas: _days(canvas, found),
        columns=("proposal", *(sign.words for sign in LEGEND), "effective training time"),
        rows=tuple([name, *hours[name], percent(parts["progress"], 3)] for name, parts in found.items()),
        values={"days": found},
    )


def _days(canvas, found):
    left, right = (2, canvas.width - 4) if canvas.narrow else (128, canvas.width - 66)
    unit = (right - left) / 24
    y = legend(canvas, LEGEND, 120, left) + (20 if canvas.narrow else 8)
    high, step = (30, 58) if canvas.narrow else (32, 44)
    for name, parts in found.items():
        share = percent(parts["progress"], 3)
        if canvas.narrow:
            canvas.text(left, y - 6, name, 13, bold=True)
            canvas.text(right, y - 6, f"{share} progress", 12.5, "end", "time", True)
        else:
            canvas.text(left - 10, y + 21, name, 13, "end", bold=True)
            canvas.text(right + 8, y + 21, share, 13, tone="time", bold=True)
        _bar(canvas, left, y, high, parts, 24 * unit)
        y += step
    hours_axis(canvas, left, y - (step - high) + 4, unit, 24)


def _bar(canvas, x, y, high, parts, whole):
    for sign in LEGEND:
        wide = parts[sign.words] * whole
        canvas.rect(x, y, wide, high, sign.kind, sign.shade, 0, "bare")
        if sign.hatched:
            canvas.hatch(x, y, wide, high, sign.kind, 5)
        x += wide


# ---------------------------------------------------------------- from the data sheet to progress


@diagram("cascade")
def cascade(read):
    """Draw what arrives of the peak: the share of the device, of the fleet, of the clock."""
    parts = [read.number("goodput.progress.case_share", of=name) for name in ("U", "eta", "G")]
    levels = [1.0, parts[0], parts[0] * parts[1], read.number("goodput.progress.case_share")]
    names = ("the data sheet", "a device alone", "all together", "progress")
    why = ("", f"MFU {percent(parts[0])}", f"scaling {percent(parts[1])}", f"goodput {percent(parts[2], 3)}")
    rows = [[*each[:2], percent(each[2], 3)] for each in zip(names, why, levels, strict=True)]
    listed = ", then ".join(f"{name} {level}" for name, _, level in rows)
    return Diagram(
        title="From the data sheet to progress",
        description=f"Each bar is a share of the one before it: {listed}.",
        draw=lambda canvas: _cascade(canvas, rows, levels),
        columns=("stage", "factor", "of the peak"),
        rows=tuple(rows),
        values={"levels": levels, "parts": parts},
    )


def _cascade(canvas, rows, levels):
    left, right = (2, canvas.width - 62) if canvas.narrow else (140, canvas.width - 76)
    high, step = (30, 70) if canvas.narrow else (32, 62)
    for index, ((name, why, words), level) in enumerate(zip(rows, levels, strict=True)):
        y, wide = (20 if canvas.narrow else 4) + index * step, level * (right - left)
        if index:
            before, foot = levels[index - 1] * (right - left), y - step + high
            outline = f"M{left:.1f} {foot:.1f}H{left + before:.1f}L{left + wide:.1f} {y:.1f}H{left:.1f}z"
            canvas.path(outline, "time", "faint", "bare")
        canvas.rect(left, y, wide, high, "time", "full" if index == len(levels) - 1 else "soft", 1)
        canvas.text(left + wide + 6, y + high / 2 + 5, words, 13, tone="time", bold=True)
        if canvas.narrow:
            canvas.text(left + 4, y - 6, name + (f", × {why}" if why else ""), 12.5, bold=not index)
            continue
        canvas.text(left - 10, y + high / 2 + 5, name, 13, "end", bold=True)
        if why:
            canvas.text(left + wide / 2, y - 10, f"× {why}", 12.5, "middle")
