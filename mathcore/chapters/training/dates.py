"""Training, on a calendar: days of steps, times what the calendars of published runs took."""

from mathcore import Example
from mathcore.chapters import audit, training
from mathcore.chapters.audit import measured as audit_measured
from mathcore.chapters.audit.fleet import T_r
from mathcore.chapters.audit.measured import x_c
from mathcore.chapters.training import C, D, N, overtraining, scaling, t
from mathcore.chapters.training.plan import saved
from mathcore.chapters.training.scaling import N_o

# What the clocks of four runs took of the time of their steps, at least and at most.
BEST, WORST = audit_measured.steps_alone.least, audit_measured.steps_alone.greatest
on_calendar, of_steps = (audit_measured.clock_seen.solve_for(symbol) for symbol in ("T_r", "t"))


def dates(size, tokens, *ratios):
    """Return how long a training lasts on the calendar, at each ratio of the clock to the steps."""
    work = Example(training.compute, {N: size, D: tokens})
    steps = Example(training.time_of_work, {**overtraining.FLEET, C: work})
    return tuple(Example(on_calendar, {t: steps, x_c: ratio}, unit="d") for ratio in ratios)


best_35, third_35, worst_35 = dates(
    overtraining.size_35, overtraining.needed_35, BEST, audit_measured.palm_clock, WORST
)
best_60, worst_60 = dates(overtraining.size_60, overtraining.needed_60, BEST, WORST)
life_60 = Example(
    scaling.life_work, {N: overtraining.size_60, D: overtraining.needed_60, scaling.D_i: overtraining.forecast}
)
saved_60 = Example(saved, {scaling.C_t: life_60, C: overtraining.life_70b})

# --- thirty days that a calendar has ---------------------------------------------------------


def month(ratio):
    """Return the days of steps in the reservation, and what they are worth with thirty-two billion parameters."""
    steps = Example(of_steps, {T_r: audit.duration, x_c: ratio}, unit="d")
    work = Example(audit.budget, {**overtraining.FLEET, t: steps})
    best = Example(scaling.size, {**scaling.REFIT, C: work})
    place = Example(audit.size_over_best, {N: "32e9", N_o: best})
    price = Example(overtraining.wrong_size, {**overtraining.EXPONENTS, overtraining.x: place})
    return steps, Example(overtraining.time_worth, {t: steps, overtraining.c: price}, unit="d")


most_steps, most_worth = month(BEST)
least_steps, least_worth = month(WORST)
