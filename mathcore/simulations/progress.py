"""A watchdog over a job: silent stops and harmless pauses drawn, lost time added up.

Times are floats in seconds, rates in 1/s. No closed form is used.
"""


def watchdog_losses(L_f, M_h, nu, s_p, theta, *, runs, seed, stops=200):
    """Return time lost over wall-clock time (runs,) of jobs seen for `stops` mean times between stops."""
    import numpy as np

    source = np.random.default_rng(seed)
    span = stops * M_h
    lost = np.empty(runs)
    for i in range(runs):
        waited = theta * source.poisson(stops)
        pauses = source.exponential(s_p, source.poisson(nu * span))
        lost[i] = waited + L_f * np.count_nonzero(pauses > theta)
    return lost / span
