"""Alarms, sensors and drills: nothing but the process, in floats and seconds."""


def alarm_losses(tau, C, K_f, M_h, u_p, d_a, *, runs, seed, intervals=400):
    """Simulate a watched job and return, for each run, the share of time lost to late and false alarms.

    Each interval has one pause, the write `C` and an exponential excess; a pause longer than `d_a` costs
    `K_f`. Hangs strike at a constant rate, one in `M_h`, and are noticed after `d_a`.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    pauses = C + source.exponential(u_p, (runs, intervals))
    false = (pauses > d_a).sum(axis=1) * K_f
    span = intervals * tau
    gaps = source.exponential(M_h, (runs, int(4 * span / M_h) + 40)).cumsum(axis=1)
    late = (gaps < span).sum(axis=1) * d_a
    return (false + late) / span


def pages(n_s, p_o, x_i, k_o, *, runs, seed, samples=60):
    """Simulate healthy sensors and return, for each run, the pages in a second.

    At each sample a sensor that has been over the threshold `k_o` times in a row, this one included, pages.
    """
    import numpy as np

    source = np.random.default_rng(seed)
    row, count = np.zeros((runs, int(n_s)), dtype=int), np.zeros(runs)
    for moment in range(samples + int(k_o)):
        over = source.random(row.shape) < p_o
        row = np.where(over, row + 1, 0)
        if moment >= k_o:
            count += (row >= k_o).sum(axis=1)
    return count / (samples * x_i)


def notices_kept(g, x_p, t_p, C, u_p, *, runs, seed):
    """Return 1.0 for each notice in which poll, step, write and the write's excess fit, 0.0 for the others."""
    import numpy as np

    return (np.random.default_rng(seed).exponential(u_p, runs) <= g - x_p - t_p - C).astype(float)


def drills_passed(p_r, n_d, *, runs, seed):
    """Return 1.0 for each run in which all drills pass, 0.0 for the others."""
    import numpy as np

    outcomes = np.random.default_rng(seed).random((runs, int(n_d)))
    return (outcomes >= p_r).all(axis=1).astype(float)
