"""A notice of preemption, replayed: poll, finish the step, write, against the clock of the notice."""

from typing import NamedTuple

import numpy as np

from practice import checkpoint
from practice.injection import Crash

RANKS = 4


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


def replay(run, folder, times, steps, struck):
    """Train until a notice at second `struck` of a simulated clock is seen, then save; return the events.

    The machine is taken when the notice ends: a write that is still under way then is cut off at the
    stage it has reached, and only what the disk already holds is left.
    """
    events, clock, polled = [], 0.0, 0.0
    for number in range(1, steps + 1):
        run.advance(1)
        clock += times.step
        polled = max(polled, clock // times.poll * times.poll)
        if polled < struck:
            continue
        events += [(struck, "notice"), (clock, f"step {number} done, notice seen")]
        return [*events, _save(run, folder, number, clock, times, struck + times.notice)]
    return [*events, (clock, "done, no notice seen")]


def _save(run, folder, number, clock, times, end):
    """Write the checkpoint on the simulated clock: the shards take the time, manifest and names none."""
    stages, shards = checkpoint.stages(RANKS), 2 * RANKS
    moments = iter(clock + times.write * min(1, i / shards) for i in range(1, stages + 1))

    def after(stage):
        if next(moments) > end:
            raise Crash(stage)

    try:
        path = checkpoint.write(folder, number, run.state(), RANKS, after)
    except Crash as crash:
        return (end, f"machine taken before {crash}")
    return (clock + times.write, f"{path.name} safe")
