"""A job of replicas that fail one by one: drawn event by event, work added up.

Times are floats in seconds, and `m` in device-hours. No closed form is used.
"""


def shares_of_work(N, n_g, m, t_h, t_j, *, runs, seed, failures=400):
    """Return work over device-time (runs,) of `N` devices in replicas of `n_g`, each seen for `failures` failures.

    A device fails after `m` on average, wherever its replica is. All replicas stall for `t_h`, a failure during a stall
    starts it again, and the replica that failed is away for `t_j` more.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    replicas = round(N / n_g)
    rate = N / (3600 * m)
    shares = np.empty(runs)
    for i in range(runs):
        times = np.cumsum(source.exponential(1 / rate, failures))
        back = np.zeros(replicas)
        work, free = 0.0, 0.0  # `free`: when the last stall ends
        for time, replica in zip(times, source.integers(replicas, size=failures), strict=True):
            if time > free:
                work += _present(back, free, time)
            free = time + t_h
            if time > back[replica]:
                back[replica] = free + t_j
        shares[i] = work / (replicas * times[-1])
    return shares


def _present(back, begin, end):
    """Return the time from `begin` to `end` summed over replicas that are there, each from `back` on."""
    import numpy as np

    return float(np.sum(np.maximum(0.0, end - np.maximum(begin, back))))
