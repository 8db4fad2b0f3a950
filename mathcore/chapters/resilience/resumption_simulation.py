"""Notices, kills and damaged checkpoints: nothing but the process.

Times are floats in seconds. No closed form is used: events are drawn, the clock is moved.
"""


def fits(p, s, y, *, runs, seed):
    """Return 1.0 or 0.0 (runs,): is the checkpoint safe, if the write leaves `y` of the notice?

    Polls come each `p`, steps end each `s`; the notice falls anywhere among both. The write
    begins at the first end of a step after the first poll that sees it.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    poll = source.uniform(0, p, runs)
    boundary = source.uniform(0, s, runs)
    while (early := boundary < poll).any():
        boundary = np.where(early, boundary + s, boundary)
    return (boundary <= y).astype(float)


def losses(epsilon, tau, *, runs, seed):
    """Return the work lost (runs,) in s: since the last checkpoint, and before it as far as it is damaged."""
    import numpy as np

    source = np.random.default_rng(seed)
    lost = source.uniform(0, tau, runs)
    looking = np.ones(runs, dtype=bool)
    while (looking := looking & (source.random(runs) < epsilon)).any():
        lost = lost + tau * looking
    return lost


def goodputs(C, N, R, m, tau, *, runs, seed, segments=200):
    """Return the useful share (runs,) of the wall clock of jobs of `segments` segments.

    Each of `N` workers lives for an exponential time of mean `m` / 1 worker, and is replaced.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    shares = []
    for _ in range(runs):
        deaths = source.exponential(m, round(N))
        clock, left, pause = 0.0, segments, 0.0
        while left:
            first = deaths.argmin()
            end = clock + pause + tau + C
            if deaths[first] >= end:
                clock, left, pause = end, left - 1, 0.0
                continue
            clock, pause = float(deaths[first]), R
            deaths[first] = clock + source.exponential(m)
        shares.append(segments * tau / clock)
    return np.array(shares)


def poisoned_steps(a, n_a, *, runs, seed):
    """Return 1.0 or 0.0 (runs,): has any of `n_a` ranks a bad gradient in this step?"""
    import numpy as np

    draws = np.random.default_rng(seed).random((runs, round(n_a)))
    return (draws < a).any(axis=1).astype(float)
