"""A watchdog over a job: hangs and harmless pauses drawn, lost time added up.

Times are floats in seconds, rates in 1/s. No closed form is used.
"""


def watchdog_losses(L_f, M_h, nu, s_p, theta, *, runs, seed, stops=200):
    """Return time lost over wall-clock time (runs,) of jobs seen for `stops` mean times between stops."""

    def pauses(source, count):
        return source.exponential(s_p, count)

    return _losses(pauses, L_f, M_h, nu, theta, runs, seed, stops)


def heavy_watchdog_losses(L_f, M_h, nu, s_p, sigma_p, theta, *, runs, seed, stops=200):
    """Return the same of jobs whose pauses are exponentials of normal values, scaled to the mean `s_p`."""
    import math

    def pauses(source, count):
        return s_p / math.exp(sigma_p**2 / 2) * source.lognormal(0.0, sigma_p, count)

    return _losses(pauses, L_f, M_h, nu, theta, runs, seed, stops)


def _losses(pauses, L_f, M_h, nu, theta, runs, seed, stops):
    import numpy as np

    source = np.random.default_rng(seed)
    span = stops * M_h
    lost = np.empty(runs)
    for i in range(runs):
        waited = theta * source.poisson(stops)
        lost[i] = waited + L_f * np.count_nonzero(pauses(source, source.poisson(nu * span)) > theta)
    return lost / span
