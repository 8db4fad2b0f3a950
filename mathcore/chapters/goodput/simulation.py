"""Clocks of jobs that fail, restart, wait and go on: progress over wall clock, counted.

Times are floats in seconds. No closed form is used: failures are drawn, the clock is moved.
"""


def _source(seed):
    import numpy as np

    return np, np.random.default_rng(seed)


def effective_ratios(C, M, R, tau, *, runs, seed, segments=1500):
    """Return work over wall clock (runs,) of long jobs that restart in R, struck at any time."""
    np, source = _source(seed)
    clock = np.zeros(runs)
    strike = source.exponential(M, runs)
    left = np.full(runs, segments)
    restarting = np.zeros(runs, dtype=bool)
    while (active := left > 0).any():
        ends = clock + np.where(restarting, R, tau + C)
        failed = active & (strike < ends)
        done = active & ~failed
        left -= done & ~restarting
        clock = np.where(failed, strike, np.where(done, ends, clock))
        restarting = failed | (restarting & ~done)
        strike = np.where(failed, strike + source.exponential(M, runs), strike)
    return segments * tau / clock


def queued_ratios(M, e, q, *, runs, seed, failures=2000):
    """Return progress over wall clock (runs,) if each stretch is e progress and each failure waits."""
    _, source = _source(seed)
    up = source.exponential(M, (runs, failures)).sum(axis=1)
    waits = source.exponential(q, (runs, failures)).sum(axis=1)
    return e * up / (up + waits)


def up_shares(t_r, t_u, *, runs, seed, turns=2000):
    """Return the share of time up (runs,); repairs take anything from nothing to twice the mean."""
    _, source = _source(seed)
    up = source.exponential(t_u, (runs, turns)).sum(axis=1)
    return up / (up + source.uniform(0, 2 * t_r, (runs, turns)).sum(axis=1))


def all_up(n, t_r, t_u, *, runs, seed):
    """Return 1 for each run (runs,) in which n nodes are all up at one moment after a long time."""
    np, source = _source(seed)
    turns = 60
    up = source.exponential(t_u, (runs, round(n), turns))
    down = source.exponential(t_r, (runs, round(n), turns))
    moment = 25 * (t_u + t_r)
    ends = np.cumsum(up + down, axis=2)  # of each repair
    falls = ends - down
    is_down = ((falls <= moment) & (moment < ends)).any(axis=2)
    return (~is_down.any(axis=1)).astype(float)
