"""One budget of work, spent on four sizes: rectangles of parameters by tokens, all of one area."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity

SIZES = ("8b", "32b", "70b", "140b")
HIGH = 290  # of the highest rectangle


class Plan(NamedTuple):
    """A size, in billions; the tokens that the budget leaves it, in trillions; the share of the budget it is worth."""

    billions: float
    tokens: float
    worth: float


def plans(read):
    """Return the Plans of the month, the smallest model first, and the month in days."""
    month = read.number("audit.duration", "d")
    found = []
    for size in SIZES:
        parameters = read.number(f"training.overtraining.tokens_{size}", of="N")
        tokens = read.number(f"training.overtraining.tokens_{size}", "Ttoken")
        found.append(Plan(parameters / 1e9, tokens, read.number(f"training.overtraining.worth_{size}", "d") / month))
    return tuple(found), month


@diagram("equal-budgets")
def equal_budgets(read):
    """Draw the month spent on four sizes, and how much of each rectangle the best size would not have needed."""
    found, month = plans(read)
    return Diagram(
        title="One month of work, spent on four sizes",
        description=_description(found, month),
        draw=lambda canvas: _draw(canvas, found, month),
        columns=("parameters", "tokens", "the best size needs for the same loss", "thrown away"),
        rows=tuple([_size(p), _tokens(p), _days(p.worth * month), percent(1 - p.worth)] for p in found),
        values={"plans": found, "month": month},
    )


def _size(plan):
    return f"{plan.billions:.3g} billion"


def _tokens(plan):
    return as_text(quantity(f"{plan.tokens} Ttoken"), "Ttoken")


def _days(days):
    return as_text(quantity(f"{days} d"), "d", 3)


def _description(found, month):
    texts = "; ".join(
        f"{_size(p)} see {_tokens(p)}, and the best size would have needed {_days(p.worth * month)} for their loss"
        for p in found
    )
    return f"Four rectangles of one area, {_days(month)} of work each: parameters across, tokens upwards. {texts}."


def _draw(canvas, found, month):
    gap = 6 if canvas.narrow else 14
    across = (canvas.width - 4 - gap * (len(found) - 1)) / sum(p.billions for p in found)
    upwards = HIGH / max(p.tokens for p in found)
    signs = [LegendEntry("well spent", "time", "mid"), LegendEntry("thrown away", "failure", "none", True)]
    base, x = legend(canvas, signs, 120) + 8 + HIGH, 2
    for index, plan in enumerate(found):
        wide, high = plan.billions * across, plan.tokens * upwards
        _rectangle(canvas, plan, x, base - high, wide, high)
        left, low = (x, base - high - 10) if index else (x + wide + 8, base - high + 31)
        if canvas.narrow and 0 < index < len(found) - 1:
            low -= 22 * (len(found) - 1 - index)  # above the names of its neighbours
            canvas.line(x, base - high, x, low + 6, "plain", "thin")
        canvas.text(left, low - 17, f"{plan.billions:.3g} billion × {plan.tokens:.3g} trillion", 12.5, bold=True)
        canvas.text(left, low, f"worth {_days(plan.worth * month)} of {month:.0f}", 12.5, tone="time", bold=True)
        x += wide + gap
    first = 2 + found[0].billions * across + 8
    canvas.text(first, base - HIGH + 66, "all four areas are the same work", 12.5, tone="quiet")
    canvas.text(2, base + 19, "parameters across, tokens upwards", 12, tone="quiet")
    canvas.extend_to(base + 24)


def _rectangle(canvas, plan, x, y, wide, high):
    """Draw a rectangle; what is thrown away is cut off from its longer side."""
    canvas.rect(x, y, wide, high, "plain", "none", 0)
    if high > wide:
        kept, lost = (x, y + high * (1 - plan.worth), wide, high * plan.worth), (x, y, wide, high * (1 - plan.worth))
    else:
        kept, lost = (x, y, wide * plan.worth, high), (x + wide * plan.worth, y, wide * (1 - plan.worth), high)
    canvas.rect(*kept, "time", "mid", 0)
    if 1 - plan.worth > 0.005:
        canvas.hatch(*lost, "failure", 6)
