"""A job without checkpoints: nothing but the process.

Times are floats in seconds. No closed form is used: events are drawn, the clock is moved.
"""


def unprotected_times(M, T, *, runs, seed):
    """Simulate jobs without checkpoints and return the time (runs,) until each is done, in s.

    Failures arrive with mean spacing `M`; each one throws away all work since the start.

    >>> float(unprotected_times(1e12, 300.0, runs=3, seed=1).mean())
    300.0
    """
    import numpy as np

    source = np.random.default_rng(seed)
    clock = np.zeros(runs)
    open_jobs = np.arange(runs)
    while open_jobs.size:
        alive = source.exponential(M, open_jobs.size)
        clock[open_jobs] += np.minimum(alive, T)
        open_jobs = open_jobs[alive < T]
    return clock
