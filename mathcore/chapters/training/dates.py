"""Training, on a calendar: days of steps, times what the calendars of published runs took."""

from mathcore import Example
from mathcore.chapters import audit
from mathcore.chapters.audit import measured as audit_measured
from mathcore.chapters.audit.fleet import T_r
from mathcore.chapters.audit.measured import x_c
from mathcore.chapters.training import C, N, overtraining, scaling, t
from mathcore.chapters.training.scaling import N_o

# What the clocks of eight runs took of the time of their steps, at least and at most.
BEST, WORST = audit_measured.steps_alone.least, audit_measured.steps_alone.greatest
on_calendar, of_steps = (audit_measured.elapsed_over_steps.solve_for(symbol) for symbol in ("T_r", "t"))


# --- thirty days that a calendar has ---------------------------------------------------------


def month(ratio):
    """Return the days of steps in the reservation, and what they are worth with thirty-two billion parameters."""
    steps = Example(of_steps, {T_r: audit.duration, x_c: ratio}, unit="d")
    work = Example(audit.budget, {**overtraining.FLEET, t: steps})
    best = Example(scaling.size, {**scaling.REFIT, C: work})
    place = Example(audit.size_over_best, {N: "32e9", N_o: best})
    price = Example(overtraining.size_penalty, {**overtraining.EXPONENTS, overtraining.x: place})
    return steps, Example(overtraining.time_worth, {t: steps, overtraining.c: price}, unit="d")


most_steps, most_worth = month(BEST)
least_steps, least_worth = month(WORST)
