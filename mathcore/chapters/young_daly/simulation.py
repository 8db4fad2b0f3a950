"""A clock, failures that strike at random, checkpoints that survive them: nothing but the process.

Times are floats in seconds. No closed form is used: failures are drawn, the clock is moved.
"""


def completion_times(C, M, R, T_s, tau, *, runs, seed):
    """Simulate `runs` jobs and return the wall-clock time (runs,) of each, in s.

    A job does `T_s` of work in segments of `tau`, each followed by a checkpoint that takes `C`.
    Failures arrive with mean spacing `M`, also during writes and restarts; each throws the job
    back to its last checkpoint and costs a restart of `R`, which a further failure begins anew.

    >>> float(completion_times(10.0, 1e12, 5.0, 300.0, 100.0, runs=3, seed=1).mean())
    330.0
    """
    import numpy as np

    source = np.random.default_rng(seed)
    clock = np.zeros(runs)
    strike = source.exponential(M, runs)  # when the next failure comes
    left = np.full(runs, round(T_s / tau))  # segments still to do
    restarting = np.zeros(runs, dtype=bool)
    while (active := left > 0).any():
        ends = clock + np.where(restarting, R, tau + C)
        failed = active & (strike < ends)
        done = active & ~failed
        left -= done & ~restarting
        clock = np.where(failed, strike, np.where(done, ends, clock))
        restarting = failed | (restarting & ~done)
        strike = np.where(failed, strike + source.exponential(M, runs), strike)
    return clock


def wasted_shares(C, M, R, tau, *, runs, seed, segments=40):
    """Return the time lost for each unit of work (runs,) in jobs of `segments` segments."""
    work = segments * tau
    return completion_times(C, M, R, work, tau, runs=runs, seed=seed) / work - 1
