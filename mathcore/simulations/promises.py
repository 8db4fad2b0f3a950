"""Runs with a date: a clock, failures that strike, time lost at each; no closed form is used.

Times are floats in seconds.
"""


def dates_kept(t, M, b, D, *, runs, seed):
    """Return 1 for each run (runs,) that has done its work, t less the slack b, when t is over."""
    import numpy as np

    source = np.random.default_rng(seed)
    kept = np.zeros(runs)
    for run in range(runs):
        clock, lost = source.exponential(M), 0.0
        while clock < t:
            lost += D
            clock += source.exponential(M)
        kept[run] = lost <= b
    return kept


def nodes_enough(s, t, N, r, g, *, runs, seed):
    """Return 1 for each run (runs,) in which the nodes, each renewed at once, fail s times or fewer."""
    import numpy as np

    source = np.random.default_rng(seed)
    kept = np.zeros(runs)
    for run in range(runs):
        clocks = np.cumsum(source.exponential(1 / r, (round(N / g), int(12 + 12 * t * r))), axis=1)
        kept[run] = (clocks < t).sum() <= s
    return kept
