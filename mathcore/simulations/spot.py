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


def noticed_factors(r, lam, C, R, g, *, runs, seed, work=None):
    """Simulate jobs that are warned and write in time; return cost (runs,) over cost on demand.

    While working, the machines are taken back at rate `lam` after a notice `g` that is long enough for
    the write `C`; each time costs the write and a restart `R`.
    """
    import numpy as np

    if g < C:
        raise ValueError(f"a write of {C} s does not fit into a notice of {g} s")
    source = np.random.default_rng(seed)
    work = 50 / lam if work is None else work
    done, billed = np.zeros(runs), np.zeros(runs)
    while (active := done < work).any():
        step = source.exponential(1 / lam, runs)
        ends = done + step >= work
        billed += np.where(active, np.where(ends, work - done, step + C + R), 0.0)
        done = np.where(active, done + step, done)
    return r * billed / work
