"""Jobs that save themselves as often as is best: what share of their clock was useful.

Times are floats in seconds. The interval is found by halving, the clock by drawn failures.
"""

from mathcore.chapters.young_daly.simulation import wasted_shares


def best_interval(C, M):
    """Return the interval with the smallest waste, by halving.

    >>> round(best_interval(300.0, 900.0) / 60, 3)
    9.167
    """
    import math

    low, high = 0.0, M
    while high - low > 1e-9 * M:
        middle = (low + high) / 2
        longer = (1 - middle / M) * math.exp((middle + C) / M) > 1
        low, high = (middle, high) if longer else (low, middle)
    return (low + high) / 2


def useful_shares(C, M, R, *, runs, seed):
    """Return the useful share of the clock (runs,) of long jobs at the best interval.

    >>> bool((useful_shares(10.0, 1e12, 5.0, runs=3, seed=1) > 0.99999).all())
    True
    """
    tau = best_interval(C, M)
    return 1 / (1 + wasted_shares(C, M, R, tau, runs=runs, seed=seed, segments=400))
