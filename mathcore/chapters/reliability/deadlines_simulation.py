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


def repaired_in_time(t, M, t_r, s, *, runs, seed):
    """Return 1 for each run (runs,) in which no more than s nodes are away at any moment within t.

    Repairs take any time from zero to twice the mean, and nodes that failed before the run began are away.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    kept = np.zeros(runs)
    for run in range(runs):
        moments = np.cumsum(source.exponential(M, int(3 * (t + 2 * t_r) / M + 50))) - 2 * t_r
        moments = moments[moments < t]
        back = moments + source.uniform(0, 2 * t_r, len(moments))
        looked = np.append(moments[moments > 0], 0.0)  # the number away only grows when one fails
        away = (moments <= looked[:, None]) & (back > looked[:, None])
        kept[run] = away.sum(axis=1).max() <= s
    return kept


def repaired_in_bursts(t, M, t_r, s, n_b, *, runs, seed):
    """Return the same of nodes that fail n_b at once, once in n_b mean times, and come back at once."""
    return repaired_in_time(t, n_b * M, t_r, s // n_b, runs=runs, seed=seed)


def dates_in_bursts(t, M, b, D, n_b, *, runs, seed):
    """Return 1 for each run (runs,) whose interruptions, n_b at once, cost no more than the slack b."""
    import numpy as np

    source = np.random.default_rng(seed)
    kept = np.zeros(runs)
    for run in range(runs):
        clock, lost = source.exponential(n_b * M), 0.0
        while clock < t:
            lost += n_b * D
            clock += source.exponential(n_b * M)
        kept[run] = lost <= b
    return kept
