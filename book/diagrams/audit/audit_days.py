"""Sums as steps: how the days of a run come together, compared with the deadline."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, diagram


class Step(NamedTuple):
    """A part of a sum: its name, its amount in days, its kind and shade; what is hidden adds nothing."""

    name: str
    days: float
    kind: str
    shade: str
    hidden: bool = False

    @property
    def words(self):
        """Return the amount in words."""
        return f"{self.days:.3g} d" + (", adds nothing" if self.hidden else "")


class Sum(NamedTuple):
    """Steps, what the chapter says that they come to, and two days to compare with."""

    steps: tuple
    whole: float
    date: float
    plan: float


def parts(read):
    """Return the Sum of the audited run."""
    names = ("at_peak", "days_computing", "days_layers", "days_ring", "days_waiting", "days_failing", "composed")
    days = {name: read.number(f"audit.deadline.{name}", "d") for name in names}
    steps = (
        Step("arithmetic at the peak", days["at_peak"], "time", "full"),
        Step("kernels below the peak", days["days_computing"] - days["at_peak"], "time", "mid"),
        Step("links inside the nodes", days["days_layers"], "bytes", "full"),
        Step("gradients, hidden", days["days_ring"] - days["days_waiting"], "bytes", "soft", True),
        Step("gradients, waited for", days["days_waiting"], "bytes", "mid"),
        Step("failures and checkpoints", days["days_failing"], "failure", "full"),
    )
    return Sum(steps, days["composed"], read.number("audit.levers.date", "d"), read.number("audit.duration", "d"))


@diagram("audit-days")
def audit_days(read):
    """Draw how the days of the audited run add up."""
    found = parts(read)
    listed = "; ".join(f"{step.name} {step.words}" for step in found.steps)
    rows = [[s.name, f"{s.days:.3g}", "nothing, it hides" if s.hidden else f"{s.days:.3g}"] for s in found.steps]
    return Diagram(
        title=f"How {found.whole:.3g} days come together",
        description=(
            f"Each bar begins where the one before it ends: {listed}; together {found.whole:.3g} d. What is hidden "
            f"overlaps with the last backward pass, adding nothing. The deadline is at {found.date:.0f} d, the plan at "
            f"{found.plan:.0f} d."
        ),
        draw=lambda canvas: _Layout(canvas, found).draw(),
        columns=("part", "days", "adds"),
        rows=(*rows, ["together", f"{found.whole:.3g}", ""]),
        values={"sum": found},
    )


class _Layout:
    """Where the rows of a sum lie on a sheet."""

    def __init__(self, canvas, found):
        self.canvas, self.found = canvas, found
        self.left, right = (2, canvas.width - 30) if canvas.narrow else (200, canvas.width - 52)
        self.unit = (right - self.left) / max(found.plan, found.whole)
        self.top, self.step, self.high = (58, 50, 22) if canvas.narrow else (34, 38, 24)

    def draw(self):
        """Draw the two dates, the steps, and what they come to."""
        self.limit(self.found.plan, "the plan", "plain", "", "end")
        self.limit(self.found.date, "the date", "failure", "bold", "middle")
        now = 0.0
        for index, step in enumerate(self.found.steps):
            y = self.top + index * self.step
            begin = now - step.days if step.hidden else now
            self.bar(begin, step.days, y, step.kind, step.shade, "dash" if step.hidden else "")
            now += 0 if step.hidden else step.days
            self.canvas.line(self.at(now), y + self.high, self.at(now), y + self.step, "plain", "thin")
            if step.hidden:
                self.canvas.hatch(self.at(begin), y, step.days * self.unit, self.high, step.kind)
            self.words(step.name, step.words, y, begin, step.days, step.shade)
        y = self.top + len(self.found.steps) * self.step
        self.bar(0, self.found.whole, y, "time", "strong", "")
        self.words("together", f"{self.found.whole:.3g} d", y, 0, self.found.whole, "full")

    def at(self, days):
        """Return the x of a day."""
        return self.left + days * self.unit

    def bar(self, begin, days, y, kind, shade, more):
        """Draw a bar from one day on."""
        self.canvas.rect(self.at(begin), y, days * self.unit, self.high, kind, shade, 1, more)

    def limit(self, days, name, kind, more, anchor):
        """Mark a day in every row, so that the mark crosses no words."""
        for row in range(len(self.found.steps) + 1):
            y = self.top + row * self.step
            self.canvas.line(self.at(days), y - 3, self.at(days), y + self.high + 3, kind, more)
        y = self.top - (36 if self.canvas.narrow else 18)
        self.canvas.text(self.at(days), y, f"{name}: {days:.0f} d", 12.5, anchor, kind if more else "quiet", bool(more))

    def words(self, name, text, y, begin, days, shade):
        """Write a row's name and amount: on a phone above its bar."""
        bold = name == "together"
        if self.canvas.narrow:
            self.canvas.text(self.left, y - 6, f"{name}: {text}", 12.5, bold=bold)
            return
        self.canvas.text(self.left - 10, y + self.high / 2 + 5, name, 13, "end", bold=bold, room=self.left - 10)
        if days * self.unit > 90:
            tone = "on" if shade == "full" else ""
            self.canvas.text(self.at(begin) + 8, y + self.high / 2 + 5, text, 13, tone=tone, bold=True)
        else:
            self.canvas.text(self.at(begin) - 8, y + self.high / 2 + 5, text, 12.5, "end")
