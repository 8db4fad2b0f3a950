"""Which checkpoints are still there, by age, under three rules; and which of them are older than an error."""

import math
from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, axis, legend
from mathbook.diagrams.registry import Diagram, diagram

NOW = 110 * 24 + 15  # hours since the start: an afternoon, in the middle of a week
SINCE, NOTICED = 0.5, 4  # hours since the newest checkpoint; mean delays after which the error is noticed here
YOUNG, OLD = 0.4, 110 * 24  # hours of age at the ends of the axis


class Rule(NamedTuple):
    """A rule, the ages in hours that it leaves, youngest first, and the age of the error."""

    name: str
    ages: tuple
    error: float

    @property
    def clean(self):
        """Return the ages that are older than the error."""
        return [age for age in self.ages if age > self.error]

    @property
    def words(self):
        """Return what the rule leaves to go back to."""
        return f"back to {_age(self.clean[0])}" if self.clean else "none is clean"


def by_calendar(hours, now, tiers):
    """Return the moments that stay if each tier `(age, step)` keeps the first of each of its steps."""
    kept = set()
    for age, step in tiers:
        young = [hour for hour in sorted(hours, reverse=True) if now - hour < age]
        kept |= set({(hour // step if step else hour): hour for hour in young}.values())
    return kept


def by_age(hours, now, tiers):
    """Return the moments that stay if each tier keeps the newest in each step of age."""
    kept = set()
    for age, step in tiers:
        young = [hour for hour in sorted(hours) if now - hour < age]
        kept |= set({((now - hour) // step if step else hour): hour for hour in young}.values())
    return kept


def thinned(rule, step, tiers, until):
    """Return the moments that are left if a rule thins after each save."""
    kept = set()
    for now in range(0, until + 1, step):
        kept = rule({*kept, now}, now, tiers)
    return sorted(kept)


@diagram("kept-checkpoints")
def kept_checkpoints(read):
    """Draw the ages that are left of hourly checkpoints under three rules, and an error that entered hours ago."""
    step, tiers = _tiers(read)
    error = NOTICED * read.number("resilience.retention.all_bad", "h", of="X")
    kept = (
        ("the newest alone", [NOW]),
        ("the newest of each age", thinned(by_age, step, tiers, NOW)),
        ("the first of each day and week", thinned(by_calendar, step, tiers, NOW)),
    )
    rules = tuple(Rule(name, tuple(NOW - hour + SINCE for hour in reversed(hours)), error) for name, hours in kept)
    return Diagram(
        title="Which checkpoints are left, and which are older than an error",
        description=(
            f"Checkpoints of each hour, thinned by three rules, on an axis of their age. An error entered "
            f"{error:.0f} h ago, so whatever is younger contains it. "
            + "; ".join(f"{r.name}: {len(r.ages)} kept, the oldest {_age(r.ages[-1])}, {r.words}" for r in rules)
            + "."
        ),
        draw=lambda canvas: _draw(canvas, rules),
        columns=("what is kept", "checkpoints", "oldest", "older than the error", "youngest of them"),
        rows=tuple([r.name, str(len(r.ages)), _age(r.ages[-1]), str(len(r.clean)), r.words] for r in rules),
        values={"rules": rules, "tiers": tiers},
    )


def _tiers(read):
    """Return hours between checkpoints, and the tiers `(age, step)` in hours."""
    step, first, second, third, days, weeks = (
        round(read.number("resilience.retention.zoo_tiers", "h", of=name))
        for name in ("tau", "j_1", "j_2", "j_3", "g_2", "g_3")
    )
    return step, ((first, 0), (second, days), (third, weeks))


def _age(hours):
    return f"{hours / 24:.0f}\u202fd" if hours >= 48 else f"{hours:.3g}\u202fh"


def _draw(canvas, rules):
    left, right = 2, canvas.width - 4
    scale = (right - left) / math.log(OLD / YOUNG)

    def at(age):
        return left + scale * math.log(age / YOUNG)

    signs = [LegendEntry("contains the error", "failure", "soft", True), LegendEntry("clean", "bytes", "full")]
    y = legend(canvas, signs, 190) + 4
    line = at(rules[0].error)
    canvas.text(line + 8, y + 40, f"an error entered {_age(rules[0].error)} ago", 12.5, tone="failure", bold=True)
    for rule in rules:
        y = _lane(canvas, rule, at, left, y + 24)
        canvas.line(line, y - 42, line, y - 8, "failure", "bold")
    ticks = ((0.5, "½ h"), (6, "6 h"), (24, "1 d"), (7 * 24, "7 d"), (91 * 24, "91 d"))
    axis(canvas, y, [(at(age), words) for age, words in ticks])
    canvas.text(left, y + 36, "age, on a scale of equal factors", 12, tone="quiet")


def _lane(canvas, rule, at, left, y):
    high, wide = 24, 2.5 if canvas.narrow else 5
    canvas.text(left, y - 6, f"{rule.name}: {len(rule.ages)}", 12.5, bold=True)
    if not canvas.narrow:
        tone = "bytes" if rule.clean else "failure"
        canvas.text(canvas.width - 4, y - 6, rule.words, 12.5, "end", tone, True)
    for kind, shade, some in (("failure", "soft", False), ("bytes", "full", True)):
        ages = [age for age in rule.ages if (age > rule.error) == some]
        places = [(at(age) - wide / 2, y, wide, high) for age in ages]
        canvas.rects(places, kind, shade)
        if not some:
            canvas.hatch_rects(places, kind, 5)
    return y + high + 14
