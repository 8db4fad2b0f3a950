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

    `gam` drafts are checked in order; each is accepted with probability `alpha`. The first that is not
    ends the run, and the target's own token comes on top.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    accepted = source.random((runs, int(gam))) < alpha
    return 1.0 + np.cumprod(accepted, axis=1).sum(axis=1)


def queue(a, m, t_s, *, runs, seed, warm=2000, customers=6000):
    """Yield the wait and the service (runs,) of each request of a queue that feeds `m` workers.

    Gaps between arrivals and services are exponential, with means `t_s / a` and `t_s`; requests are served first come
    first served. The first `warm` requests are left out.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    free_in = np.zeros((runs, int(m)))  # time until each worker has done all that it was given
    row = np.arange(runs)
    for number in range(warm + customers):
        first = free_in.argmin(axis=1)
        wait, service = free_in[row, first], source.exponential(t_s, runs)
        if number >= warm:
            yield wait, service
        free_in[row, first] += service
        free_in = np.maximum(free_in - source.exponential(t_s / a, (runs, 1)), 0.0)


def late_shares(a, m, t_s=1.0, t_z=0.0, *, customers=6000, **sampled):
    """Return the share of requests (runs,) of `queue` that wait longer than `t_z` for a free worker.

    >>> float(late_shares(0.001, 2, runs=2, seed=1, warm=0, customers=10).max())
    0.0
    """
    return sum(wait > t_z for wait, _ in queue(a, m, t_s, customers=customers, **sampled)) / customers


def late_first_tokens(a, m, t_s=1.0, T_z=1.0, *, customers=6000, **sampled):
    """Return the share of requests (runs,) of `queue` whose wait and service together take longer than `T_z`.

    >>> float(late_first_tokens(0.001, 2, T_z=1e3, runs=2, seed=1, warm=0, customers=10).max())
    0.0
    """
    requests = queue(a, m, t_s, customers=customers, **sampled)
    return sum(wait + service > T_z for wait, service in requests) / customers


def spread_in_flight(lam, g, t_a, t_b, *, runs, seed, warm=3000, events=12000):
    """Return the standard deviation of the requests in service (runs,), on the machine of `in_flight`.

    The second moment is gathered over time in each run, about the mean of all runs.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    present = np.zeros(runs)
    time, area, square = np.zeros(runs), np.zeros(runs), np.zeros(runs)
    for number in range(warm + events):
        leaving = present / (g * (t_a + t_b * present))
        gap = source.exponential(1.0, runs) / (lam + leaving)
        if number >= warm:
            time, area, square = time + gap, area + gap * present, square + gap * present**2
        present += np.where(source.random(runs) * (lam + leaving) < lam, 1.0, -1.0)
    mean = area.sum() / time.sum()
    return np.sqrt(np.maximum(square / time - 2 * mean * area / time + mean**2, 0.0))
