"""Devices that finish a step when they please, and a step that is over when the last one has finished.

Times are floats in seconds. No closed form is used: finishing times are drawn, the largest is kept.
"""


def slowest_of_gumbel(mu, theta, N, *, runs, seed):
    """Return the duration (runs,) of steps of `N` devices whose times are Gumbel, mean `mu`, scale `theta`.

    A Gumbel time is −ln of an exponential one, shifted so that its mean is `mu`.

    >>> times = slowest_of_gumbel(1.0, 0.01, 1, runs=20000, seed=1)
    >>> abs(float(times.mean()) - 1.0) < 0.001
    True
    """
    import numpy as np

    waits = np.random.default_rng(seed).standard_exponential((runs, int(N)))
    centre = 0.5772156649015329  # mean of −ln of an exponential time: Euler's constant
    return (mu + theta * (-np.log(waits) - centre)).max(axis=1)


def slowest_of_exponential(t_0, theta, N, *, runs, seed):
    """Return the duration (runs,) of steps whose devices take `t_0` plus an exponential delay."""
    import numpy as np

    return t_0 + theta * np.random.default_rng(seed).standard_exponential((runs, int(N))).max(axis=1)


def slowest_of_normal(mu, sigma, N, *, runs, seed):
    """Return the duration (runs,) of steps whose devices take normal times, mean `mu`, spread `sigma`."""
    import numpy as np

    return mu + sigma * np.random.default_rng(seed).standard_normal((runs, int(N))).max(axis=1)


def shares_of_computing(B, R, beta, g, omega, v, N, *, runs, seed, steps=20):
    """Return the share of the time (runs,) that `N` devices compute, over `steps` steps each.

    A step waits for its slowest device, then for the communication that did not overlap with computing.
    Gradients of 1 GB go round in `2 (N - 1)` messages, which are counted one by one.
    """
    import numpy as np

    count, size = int(N), 1e9
    mean = B * g * size / (count * R)  # an even share of the batch
    source, scale = np.random.default_rng(seed), v * mean * np.sqrt(6) / np.pi
    passes = np.full(2 * (count - 1), size / count / beta)
    waited = max(0.0, float(passes.sum()) - omega * mean)
    spent = np.zeros(runs)
    for _ in range(steps):
        times = source.gumbel(mean - 0.5772156649015329 * scale, scale, (runs, count))
        spent += times.max(axis=1) + waited
    return steps * mean / spent
