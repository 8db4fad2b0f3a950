"""Machines that are taken back, with a warning and without: nothing but the process.

Times are floats in seconds. No closed form is used: events are drawn, the clock is moved.
"""


def spot_factors(r, lam, tau, C, R, *, runs, seed, segments=60):
    """Simulate jobs on the spot market without notice and return cost (runs,) over cost on demand.

    Work is done in segments of `tau`, each followed by a write `C`; at rate `lam` the machines are taken
    back, also during writes and restarts, which costs the segment and a restart `R`. Billed at `r`.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    billed = np.zeros(runs)
    for _ in range(segments):
        ahead, restart = np.arange(runs), np.zeros(runs, dtype=bool)
        while ahead.size:
            need = np.where(restart[ahead], R, tau + C)
            held = source.exponential(1 / lam, ahead.size)
            lost = held < need
            billed[ahead] += np.minimum(held, need)
            finished = ~lost & ~restart[ahead]
            restart[ahead] = lost
            ahead = ahead[~finished]
    return r * billed / (segments * tau)
