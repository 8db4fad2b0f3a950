"""Chains that break and errors that hide: nothing but the process.

Times are floats in seconds. No closed form is used: events are drawn, the clock is moved.
"""


def chain_restored(epsilon, k, *, runs, seed):
    """Return 1.0 or 0.0 (runs,): does a chain of a base and deltas restore, wherever the failure strikes?

    Each link is corrupt with probability `epsilon`; the failure strikes after any of the `k` links.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    links = round(k)
    corrupt = source.random((runs, links)) < epsilon
    last = source.integers(1, links + 1, runs)
    needed = np.arange(links) < last[:, None]
    return (~(corrupt & needed).any(axis=1)).astype(float)


def restore_loads(d, k, *, runs, seed):
    """Return how much (runs,) a restore reads, in full checkpoints, if the failure strikes after any link."""
    import numpy as np

    deltas = np.random.default_rng(seed).integers(0, round(k), runs)
    return 1.0 + d * deltas


def poisoned(K, tau, X, *, runs, seed):
    """Return 1.0 or 0.0 (runs,): is the error found only after all `K` kept checkpoints have it in them?

    The error strikes at a moment of an interval and is noticed after an exponential time of mean `X`;
    the oldest of the kept checkpoints is then between `K - 1` and `K` intervals old.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    struck = source.random(runs) * tau  # after the last clean checkpoint
    noticed = struck + source.exponential(X, runs)
    written_since = np.floor(noticed / tau)  # checkpoints that hold the error
    return (written_since >= K).astype(float)
