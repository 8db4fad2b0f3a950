"""A notice of preemption against a simulated clock: poll, finish the step, write, and what is left."""

from typing import NamedTuple

import numpy as np


class Notice(NamedTuple):
    """Seconds: the notice, the pause between two polls, one training step, the write of a checkpoint."""

    notice: float
    poll: float
    step: float
    write: float


def spare(times, runs=2000, seed=1):
    """Return the seconds (runs,) that are left when the checkpoint is safe; negative: it is not.

    The notice falls at any moment between two polls and in any moment of a step.

    >>> float(spare(Notice(120.0, 0.0, 0.0, 100.0), runs=2).min())
    20.0
    """
    source = np.random.default_rng(seed)
    seen = source.random(runs) * times.poll
    phase = source.random(runs) * times.step  # of the step in which the notice falls
    steps = np.ceil((seen - phase) / times.step) if times.step else 0.0
    boundary = phase + steps * times.step if times.step else seen
    return times.notice - (boundary + times.write)
