"""A cluster whose demand changes from hour to hour: some devices are committed, the rest are rented.

No closed form is used: the demand of each hour is drawn and its cost is computed.
"""


def mixed_costs(T, q, delta, m, D_1, D, *, runs, seed, hours=200):
    """Return the cost (runs,) in USD of `T` seconds, from `hours` drawn at random in each run.

    Demand is spread evenly from `D_1` to `D_1 + D` devices; `m` are paid at the discount, used or not,
    and what is wanted beyond them is rented at the full price `q` in USD for a device and an hour.

    >>> float(mixed_costs(7200.0, 2.0, 0.5, 10.0, 1.0, 2.0, runs=1, seed=1)[0])
    20.0
    """
    import numpy as np

    wanted = np.random.default_rng(seed).uniform(D_1, D_1 + D, (runs, hours))
    bills = m * q * (1 - delta) + np.maximum(wanted - m, 0) * q
    return bills.mean(axis=1) * (T / 3600)
