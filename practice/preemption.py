"""Simulation of a preemption notice: poll, finish the step, write the checkpoint."""

from typing import NamedTuple

import numpy as np


class Notice(NamedTuple):
    """In seconds: the notice, the polling interval, a training step, the write of a checkpoint."""

    notice: float
    poll: float
    step: float
    write: float


def spare(times, runs=2000, seed=1):
    """Return the seconds (runs,) left after the write; negative if it does not fit.

    The notice comes at a random moment of the polling interval and of a step.

    >>> float(spare(Notice(120.0, 0.0, 0.0, 100.0), runs=2).min())
    20.0
    """
    source = np.random.default_rng(seed)
    seen = source.random(runs) * times.poll
    phase = source.random(runs) * times.step  # rest of the current step
    steps = np.ceil((seen - phase) / times.step) if times.step else 0.0
    boundary = phase + steps * times.step if times.step else seen
    return times.notice - (boundary + times.write)
