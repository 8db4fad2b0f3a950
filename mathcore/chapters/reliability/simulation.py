"""Devices that fail, one by one: lifetimes are drawn, counted and replaced; no closed form is used.

Times are floats in the declared units of the symbols: seconds, device-hours, rates per second.
"""

HOUR = 3600.0


def _source(seed):
    import numpy as np

    return np, np.random.default_rng(seed)


def any_failure(N, m, t, *, runs, seed):
    """Return 1 for each run (runs,) in which one of N devices fails within t, else 0."""
    _, source = _source(seed)
    lives = source.exponential(m * HOUR, (runs, round(N)))
    return (lives.min(axis=1) < t).astype(float)


def first_of_nodes(N, g, r, *, runs, seed):
    """Return the time (runs,) of the first failure among N/g nodes that each fail at the rate r."""
    _, source = _source(seed)
    return source.exponential(1 / r, (runs, round(N / g))).min(axis=1)


def _count(np, source, mu, runs):
    """Return how many failures (runs,) fall into a time in which mu are expected, gap by gap."""
    gaps = source.exponential(1.0, (runs, int(mu + 12 * mu**0.5 + 20)))
    return (np.cumsum(gaps, axis=1) < mu).sum(axis=1)


def counts_exactly(mu, k, *, runs, seed):
    """Return 1 for each run (runs,) with exactly k failures."""
    np, source = _source(seed)
    return (_count(np, source, mu, runs) == k).astype(float)


def spares_suffice(mu, s, *, runs, seed):
    """Return 1 for each run (runs,) with s failures or fewer."""
    np, source = _source(seed)
    return (_count(np, source, mu, runs) <= s).astype(float)


def at_most(n, n_high, *, runs, seed):
    """Return 1 for each run (runs,) with n failures or fewer where `n_high` are expected."""
    np, source = _source(seed)
    return (_count(np, source, n_high, runs) <= n).astype(float)


def spares_with_repair(M, s, t_r, *, runs, seed):
    """Return 1 for each run (runs,) in which s nodes or fewer are away at the end of a long time.

    Repairs take any time from zero to twice the mean: their law must not matter.
    """
    np, source = _source(seed)
    past = 2 * t_r  # who failed earlier is back
    away = np.zeros(runs)
    for run in range(runs):
        moments = np.cumsum(source.exponential(M, int(past / M + 12 * (past / M) ** 0.5 + 20)))
        moments = moments[moments < past]
        away[run] = (past - moments < source.uniform(0, 2 * t_r, len(moments))).sum()
    return (away <= s).astype(float)


def bad_luck(p, n_d, *, runs, seed):
    """Return 1 for each run (runs,) in which any of n_d node-days goes wrong."""
    _, source = _source(seed)
    return (source.random((runs, round(n_d))) < p).any(axis=1).astype(float)


def renewed_one_by_one(N, m, *, runs, seed, beta):
    """Return the mean time (runs,) between failures of N Weibull devices, each replaced when it fails.

    Counted after fifty lifetimes, so that the devices no longer know how old the cluster is.
    """
    import math

    np, source = _source(seed)
    scale = m * HOUR / math.gamma(1 + 1 / beta)
    begin, length = 50 * m * HOUR, 5 * m * HOUR
    found = np.zeros(runs)
    for run in range(runs):
        moments = np.cumsum(scale * source.weibull(beta, (round(N), 160)), axis=1)
        found[run] = ((moments > begin) & (moments < begin + length)).sum()
    return length / found.mean() * (2 - found / found.mean())  # 1/x about the mean, without its bias


def renewed_together(N, beta, eta, *, runs, seed):
    """Return the time (runs,) of the first failure among N new Weibull devices."""
    np, source = _source(seed)
    found = np.zeros(runs)
    for run in range(runs):
        found[run] = eta * source.weibull(beta, round(N)).min()
    return found


def lives_on(a, beta, eta, t, *, runs, seed):
    """Return 1 for each device (runs,) of age a that lives t longer, else 0."""
    np, source = _source(seed)
    aged = np.zeros(0)
    while len(aged) < runs:
        lives = eta * source.weibull(beta, 4 * runs)
        aged = np.concatenate([aged, lives[lives > a]])
    return (aged[:runs] > a + t).astype(float)


def _early(np, draw, end, runs):
    """Return the first `runs` of the drawn lifetimes that end before `end`."""
    kept = np.zeros(0)
    while len(kept) < runs:
        lives = draw(4 * runs)
        kept = np.concatenate([kept, lives[lives < end]])
    return kept[:runs]


def losses(M, t, *, runs, seed):
    """Return the moments (runs,) of failures, at a constant rate, before t."""
    np, source = _source(seed)
    return _early(np, lambda size: source.exponential(M, size), t, runs)
