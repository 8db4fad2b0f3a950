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
