"""An alert rule at work: a clock, a counter of steps, scrapes, evaluations; when a pause pages and when not.

The clock does what Prometheus does, and knows no formula; a test compares when it pages with the chapter's delay.
"""

import math
from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import quantity

UNTIL, WRITES, HANGS = 1160, 100, 400  # seconds: how long is drawn, when the write and the hang begin
LATE, ASIDE = 3, 14  # mean excesses of the slow write; seconds from a scrape to the evaluation after it
LEGEND = (
    LegendEntry("steps", "time", "mid"),
    LegendEntry("no steps", "plain", "faint"),
    LegendEntry("pending", "failure", "soft", True),
    LegendEntry("firing: page", "failure", "full"),
)


class Rule(NamedTuple):
    """An alert rule: seconds between scrapes and evaluations, of the window, and of the `for`."""

    scrape: float
    window: float
    wait: float


def evaluate_rule(pauses, rule, until, aside=ASIDE):
    """Return `[(moment, state)]` of each evaluation: inactive, pending or firing."""
    found, since, now = [], None, aside
    while now <= until:
        first = math.floor((now - rule.window) / rule.scrape) + 1
        seen = {active_time(k * rule.scrape, pauses) for k in range(first, math.floor(now / rule.scrape) + 1)}
        since = None if len(seen) > 1 or now < rule.window else now if since is None else since
        state = "inactive" if since is None else "firing" if now - since >= rule.wait else "pending"
        found.append((now, state))
        now += rule.scrape
    return found


def active_time(now, pauses):
    """Return how long the job has made steps up to a moment."""
    return now - sum(min(max(now - begin, 0), length) for begin, length in pauses)


@diagram("pause-or-hang")
def pause_or_hang(read):
    """Draw a slow write and a hang, and what the rule of the chapter's file makes of them."""
    at, best = "operations.stall_for", "operations.stall_silence"
    rule = Rule(read.number(at, "s", of="x_s"), read.number(at, "s", of="W_a"), read.number(at, "s"))
    write = read.number(best, "s", of="C") + LATE * read.number(best, "s", of="u_p")
    pauses = ((WRITES, write), (HANGS, math.inf))
    states = evaluate_rule(pauses, rule, UNTIL)
    page = min(now for now, state in states if state == "firing")
    limit = read.number(at, "s", of="d_a")
    return Diagram(
        title="A slow write that pages nobody, and a hang that does",
        description=_description(rule, states, write, page, limit),
        draw=lambda canvas: _draw(canvas, pauses, states, rule, page),
        columns=("part of the delay", "seconds"),
        rows=(
            ["until a scrape, at most", f"{rule.scrape:.0f}"],
            ["until an evaluation, at most", f"{rule.scrape:.0f}"],
            ["window", f"{rule.window:.0f}"],
            ["`for`", f"{rule.wait:.0f}"],
            ["together, at most", f"{limit:.0f}"],
        ),
        values={"rule": rule, "states": states, "page": page, "limit": limit, "write": write},
    )


def _description(rule, states, write, page, limit):
    return (
        f"A job stops twice. A slow write takes {write:.0f} s: the window of {rule.window:.0f} s empties, the "
        f"alert is pending for {_pending(states, HANGS):.0f} s, and the next step ends it. Then the job hangs. "
        f"After the window the alert is pending for {page - _begun(states, HANGS):.0f} s and pages "
        f"{page - HANGS:.0f} s after the last step; the rule guarantees at most {limit:.0f} s."
    )


def _pending(states, until):
    spans = _spans(states, "pending")
    return sum(end - begin for begin, end in spans if end <= until)


def _begun(states, after):
    return min(now for now, state in states if state == "pending" and now > after)


def _spans(states, wanted):
    """Return `(begin, end)` of each stretch of one state."""
    found = []
    for (now, state), (after, _) in zip(states, [*states[1:], (UNTIL, "")], strict=True):
        if state != wanted:
            continue
        if found and found[-1][1] == now:
            found[-1] = (found[-1][0], after)
        else:
            found.append((now, after))
    return found


def _draw(canvas, pauses, states, rule, page):
    left, high = 2, 30
    unit = (canvas.width - 4) / UNTIL
    y = legend(canvas, LEGEND, 150) + 41
    top = y
    canvas.text(left, y - 24, "the job", 13, bold=True)
    for begin, length in pauses:
        if length < UNTIL:
            canvas.text(left + HANGS * unit - 8, y - 7, f"slow write, {length:.0f} s", 12.5, "end")
        else:
            canvas.text(left + begin * unit, y - 7, "hang", 12.5)
    canvas.rect(left, y, UNTIL * unit, high, "time", "mid", 0, "bare")
    silent = [(left + b * unit, y, (min(b + length, UNTIL) - b) * unit, high) for b, length in pauses]
    canvas.rects(silent, "plain", "faint")
    y += high + 30
    canvas.text(left, y - 7, "scrapes: has the count moved?", 13, bold=True)
    _scrapes(canvas, pauses, rule, left, y + 7, unit)
    y += 46
    canvas.text(left, y - 7, "the alert", 13, bold=True)
    canvas.rect(left, y, UNTIL * unit, high, "plain", "none", 0)
    _states(canvas, states, left, y, high, unit)
    _delay(canvas, states, rule, page, left, y + high, unit)
    canvas.line(left + HANGS * unit, top, left + HANGS * unit, y + high + 24, "plain", "dash")
    canvas.line(left + page * unit, top, left + page * unit, y + high + 24, "failure", "bold")
    axis(canvas, y + high + 52, [(left + s * unit, f"{s // 60} min" if s else "0") for s in range(0, UNTIL + 1, 240)])


def _scrapes(canvas, pauses, rule, left, y, unit):
    moments = [k * rule.scrape for k in range(1, math.ceil(UNTIL / rule.scrape))]
    moved = [active_time(now, pauses) > active_time(now - rule.scrape, pauses) for now in moments]
    for kind, shade, wanted in (("time", "full", True), ("plain", "none", False)):
        here = [left + now * unit - 4 for now, yes in zip(moments, moved, strict=True) if yes == wanted]
        canvas.rects([(x, y - 4, 7, 7) for x in here], kind, shade)


def _states(canvas, states, left, y, high, unit):
    for state, sign in (("pending", LEGEND[2]), ("firing", LEGEND[3])):
        places = [(left + b * unit, y, (e - b) * unit, high) for b, e in _spans(states, state)]
        canvas.rects(places, sign.kind, sign.shade, "bare")
        if sign.hatched:
            canvas.hatch_rects(places, sign.kind, 5)


def _delay(canvas, states, rule, page, left, y, unit):
    """Write below the alert what the time from the last step to the page is made of."""
    pending = left + _begun(states, HANGS) * unit
    canvas.text((left + HANGS * unit + pending) / 2, y + 17, "window", 12, "middle")
    canvas.text((pending + left + page * unit) / 2, y + 17, f"for: {rule.wait:.0f} s", 12, "middle")
    after = as_text(quantity(f"{page - HANGS} s"), "s", 3)
    canvas.text(left + page * unit - 6, y + 36, f"paged after {after}", 12.5, "end", "failure", True)
