"""Draws of a fitted law's constants: what the optimum becomes when they are a little different.

No derivative is used: constants are drawn, the best size is computed for each draw.
"""


def squared_shifts(N, D, alpha, beta, s_A, s_B, s_alpha, s_beta, r_A, r_B, *, runs, seed):
    """Return the squared shift (runs,) of the logarithm of the best size.

    The law is one whose optimum lies at `N` parameters and `D` tokens; its constants are drawn
    around it with standard errors `s_…`, correlated in pairs by `r_A` and `r_B`.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    log_A, size_exponent = _pair(source, 0.0, alpha, s_A, s_alpha, r_A, runs)
    log_B_here = np.log(alpha / beta) - alpha * np.log(N) + beta * np.log(D)
    log_B, data_exponent = _pair(source, log_B_here, beta, s_B, s_beta, r_B, runs)
    products = np.log(N) + np.log(D)
    best = np.log(size_exponent / data_exponent) + log_A - log_B + data_exponent * products
    return (best / (size_exponent + data_exponent) - np.log(N)) ** 2


def _pair(source, first, second, spread_1, spread_2, correlation, runs):
    common, own = source.standard_normal((2, runs))
    mixed = correlation * common + (1 - correlation**2) ** 0.5 * own
    return first + spread_1 * common, second + spread_2 * mixed
