"""A queue, a machine that serves many at once, and drafts that are checked: nothing but the process.

Times are floats in seconds. No closed form is used: arrivals, services and verdicts are drawn.
"""


def waits(lam, t_s, c_v, *, runs, seed, warm=2000, customers=6000):
    """Return the mean wait (runs,) in a queue with one server, first come first served.

    Gaps between arrivals are exponential with rate `lam`; services have mean `t_s` and standard
    deviation `c_v` times the mean (gamma distributed, constant for zero). The queue starts empty;
    the first `warm` customers are not counted.

    >>> float(waits(0.001, 1.0, 0.0, runs=2, seed=1, warm=0, customers=10).max()) < 1.0
    True
    """
    import numpy as np

    source = np.random.default_rng(seed)
    wait = np.zeros(runs)
    total = np.zeros(runs)
    for number in range(warm + customers):
        if number >= warm:
            total += wait
        service = source.gamma(1 / c_v**2, t_s * c_v**2, runs) if c_v else t_s
        wait = np.maximum(wait + service - source.exponential(1 / lam, runs), 0.0)
    return total / customers


def in_flight(lam, g, t_a, t_b, *, runs, seed, warm=3000, events=12000):
    """Return the mean number of requests in service (runs,) on a machine that all of them share.

    Requests come at rate `lam` and want `g` tokens on average (exponentially distributed); with
    `k` of them at work, each gets a token every `t_a + t_b k`. The first `warm` events do not count.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    present = np.zeros(runs)
    time, area = np.zeros(runs), np.zeros(runs)
    for number in range(warm + events):
        leaving = present / (g * (t_a + t_b * present))
        gap = source.exponential(1.0, runs) / (lam + leaving)
        if number >= warm:
            time += gap
            area += gap * present
        arrives = source.random(runs) * (lam + leaving) < lam
        present += np.where(arrives, 1.0, -1.0)
    return area / time


def tokens_per_run(alpha, gam, *, runs, seed):
    """Return how many tokens (runs,) one run of the target model yields.

    `gam` drafts are checked in order; each is accepted with chance `alpha`. The first that is not
    ends the run, and the target's own token comes on top.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    accepted = source.random((runs, int(gam))) < alpha
    return 1.0 + np.cumprod(accepted, axis=1).sum(axis=1)
