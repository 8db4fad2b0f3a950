"""A cluster whose parts fail one by one, and a run that writes, loses work and goes on; no closed form.

Times are floats in the declared units of the symbols.
"""

HOUR = 3600.0


def first_failures(m, M_x, g, n, *, runs, seed):
    """Return the time (runs,) of the first failure among n devices and the n/g nodes around them."""
    import numpy as np

    source = np.random.default_rng(seed)
    devices = source.exponential(m * HOUR, (runs, round(n))).min(axis=1)
    rest = source.exponential(M_x, (runs, round(n / g))).min(axis=1)
    return np.minimum(devices, rest)


def run_times(C, P, delta, m, n, u, *, runs, seed, interval):
    """Return the wall-clock time (runs,) of a run that saves its work after every `interval` seconds.

    Work is counted in seconds of undisturbed computing. A failure, in work or write, costs all since
    the last checkpoint; the job goes on at once.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    work = C / (n * P * u)
    times = np.empty(runs)
    for run in range(runs):
        clock = done = 0.0
        failure = source.exponential(m * HOUR, round(n)).min()
        while done < work:
            piece = min(interval, work - done)
            if clock + piece + delta <= failure:
                clock, done = clock + piece + delta, done + piece
            else:
                clock = failure
                failure = clock + source.exponential(m * HOUR, round(n)).min()
        times[run] = clock
    return times


def promises_kept(C, P, R, delta, m, n, t, u, *, runs, seed):
    """Return 1 for each run (runs,) that is done by the date t, restarts of R after each failure included.

    Failures strike in work, writes and restarts alike; the interval is that of Young for the whole fleet.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    mean = m * HOUR / n
    work, interval = C / (n * P * u), np.sqrt(2 * delta * mean)
    kept = np.zeros(runs)
    for run in range(runs):
        clock = done = 0.0
        failure = source.exponential(mean)
        while done < work and clock <= t:
            piece = min(interval, work - done)
            if clock + piece + delta <= failure:
                clock, done = clock + piece + delta, done + piece
                continue
            clock = failure + R
            failure += source.exponential(mean)
            while failure < clock:
                clock, failure = failure + R, failure + source.exponential(mean)
        kept[run] = done >= work and clock <= t
    return kept
