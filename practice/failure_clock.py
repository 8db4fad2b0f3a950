"""Simulation of workers that fail at random: the useful share of the wall-clock time.

`clocks` draws the failure of every worker and uses no closed form. Real processes are killed in
`practice.run.faults` and `practice.crash_worker`; here only time is simulated.
"""

from typing import NamedTuple

import numpy as np


class Job(NamedTuple):
    """Number of workers, and in seconds: MTBF of a worker, work between checkpoints, write, restart."""

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
    failures = source.exponential(job.life, (runs, job.workers))
    clock, left = np.zeros(runs), np.full(runs, segments)
    restarting = np.zeros(runs, dtype=bool)
    while (open_ := left > 0).any():
        victim = failures.argmin(axis=1)
        struck = failures[np.arange(runs), victim]
        ends = clock + np.where(restarting, job.restart, job.interval + job.write)
        failed, done = open_ & (struck < ends), open_ & (struck >= ends)
        clock = np.where(failed, struck, np.where(done, ends, clock))
        left -= done & ~restarting
        restarting = failed | (restarting & ~done)
        for i in np.flatnonzero(failed):  # the failed worker is replaced
            failures[i, victim[i]] = clock[i] + source.exponential(job.life)
    return clock


def useful_share(job, segments=30, runs=100, seed=1):
    """Return the useful share of the total time of all jobs, and its standard error.

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
