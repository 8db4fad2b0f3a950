"""Workers that are killed at random: what is left of the time, and of the run, on a simulated clock.

`clocks` draws the death of every single worker and knows no closed form. `killed` does the same
to a real run: it trains, writes real files, loses the process and resumes, until all steps are done.
"""

from typing import NamedTuple

import numpy as np

from practice import checkpoint
from practice.injection import Crash
from practice.training import Training


class Job(NamedTuple):
    """Workers, and seconds: mean life of a worker, work between checkpoints, write, restart."""

    workers: int
    life: float
    interval: float
    write: float
    restart: float


def clocks(job, segments=30, runs=100, seed=1):
    """Return the wall-clock time (runs,) in s of jobs of some segments.

    >>> float(clocks(Job(8, 1e15, 90.0, 10.0, 60.0), segments=3, runs=2).max())
    300.0
    """
    source = np.random.default_rng(seed)
    deaths = source.exponential(job.life, (runs, job.workers))
    clock, left = np.zeros(runs), np.full(runs, segments)
    restarting = np.zeros(runs, dtype=bool)
    while (open_ := left > 0).any():
        victim = deaths.argmin(axis=1)
        struck = deaths[np.arange(runs), victim]
        ends = clock + np.where(restarting, job.restart, job.interval + job.write)
        failed, done = open_ & (struck < ends), open_ & (struck >= ends)
        clock = np.where(failed, struck, np.where(done, ends, clock))
        left -= done & ~restarting
        restarting = failed | (restarting & ~done)
        for i in np.flatnonzero(failed):  # a new worker takes the place of the dead one
            deaths[i, victim[i]] = clock[i] + source.exponential(job.life)
    return clock


def useful_share(job, segments=30, runs=100, seed=1):
    """Return the useful share of all clocks taken together, and its standard error.

    Not the mean of the shares: that of a quotient is larger than the quotient of the means.

    >>> useful_share(Job(8, 1e15, 90.0, 10.0, 60.0), runs=2)
    (0.9, 0.0)
    """
    times = clocks(job, segments, runs, seed)
    share = segments * job.interval / times.mean()
    return float(share), float(share * times.std(ddof=1) / times.mean() / len(times) ** 0.5)


def measured(jobs, runs=100, seed=1):
    """Return the useful share and its standard error for each job."""
    return np.array([useful_share(job, runs=runs, seed=seed + i) for i, job in enumerate(jobs)]).T


class Kills:
    """A clock that runs with the work and raises Crash at drawn moments."""

    def __init__(self, mean, seed):
        """Begin at zero; `mean` seconds lie between two kills on average."""
        self.source, self.mean, self.clock = np.random.default_rng(seed), mean, 0.0
        self.next = self.source.exponential(mean)
        self.count = 0

    def pass_(self, seconds):
        """Let time pass, or crash in the middle of it."""
        if self.clock + seconds < self.next:
            self.clock += seconds
            return
        self.clock, self.count = self.next, self.count + 1
        self.next = self.clock + self.source.exponential(self.mean)
        raise Crash(f"kill {self.count}")

    def during(self, seconds):
        """Return an `after` for a write that takes so many seconds in all."""
        return lambda stage: self.pass_(seconds / checkpoint.stages())


def killed(folder, steps, every, mean, seed=1, step=1.0, write=2.0):
    """Train for some steps under kills, saving each `every` steps; return the run and the events.

    An event is (second, what, step of the run). A kill may fall into a write: then its files stay
    behind half written, and the run resumes from the checkpoint before.
    """
    kills, events = Kills(mean, seed), []
    while True:
        run, number = _resumed(folder)
        events.append((kills.clock, "resumed" if number else "begun", number))
        try:
            while number < steps:
                kills.pass_(step)
                run.advance(1)
                number += 1
                if number % every == 0:
                    checkpoint.write(folder, number, run.state(), after=kills.during(write))
                    events.append((kills.clock, "saved", number))
            return run, [*events, (kills.clock, "done", number)]
        except Crash:
            events.append((kills.clock, "killed", number))


def _resumed(folder):
    """Return a new process: from the newest whole checkpoint, or from the beginning."""
    run = Training(seed=1)
    try:
        path = checkpoint.newest(folder)
    except checkpoint.Damaged:
        return run, 0
    run.restore(checkpoint.read(path))
    return run, checkpoint.step_of(path)
