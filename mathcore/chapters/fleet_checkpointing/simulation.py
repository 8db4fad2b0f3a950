"""A clock, stalls, uploads and failures: checkpoints count when they are safe, and not before.

Times are floats in seconds. No closed form is used: failures are drawn, the clock is moved.
"""


def _source(seed):
    import numpy as np

    return np, np.random.default_rng(seed)


def async_wastes(M, R, d, g, s, tau, u, *, runs, seed, failures=2000):
    """Return the time lost per useful time (runs,) with uploads in the background.

    A cycle is work, stall, and an upload during which the next work runs slower by the share g.
    """
    np, source = _source(seed)
    up = source.exponential(M, (runs, failures))  # from the end of a restart to the next failure
    safe = np.zeros_like(up)
    first = tau + s  # the first checkpoint exists, its upload begins
    cycle = s + u + (tau - (1 - g) * u)  # the upload, then the rest of the work at full speed, then a stall
    moment = np.full(up.shape, first + u)
    while (alive := moment <= up).any():
        safe += alive
        moment += cycle
    work = tau * safe.sum(axis=1)
    return (up.sum(axis=1) + failures * (d + R)) / work - 1


def sync_wastes(M, R, d, s, tau, u, *, runs, seed, failures=2000):
    """Return the time lost per useful time (runs,) if training waits until each checkpoint is safe."""
    np, source = _source(seed)
    up = source.exponential(M, (runs, failures))
    safe = np.zeros_like(up)
    moment = np.full(up.shape, tau + s + u)
    while (alive := moment <= up).any():
        safe += alive
        moment += tau + s + u
    return (up.sum(axis=1) + failures * (d + R)) / (tau * safe.sum(axis=1)) - 1


def two_level_wastes(C_1, M_1, M_2, R, R_1, W, d, g, k, s, u, *, runs, seed, patterns=200):
    """Return the time lost per useful time (runs,) with k copies to memory for each that is uploaded.

    A small failure destroys the work since the newest copy, a large one all work since the newest uploaded copy. An
    upload goes on while the job restarts from memory, and is lost in a large failure.
    """
    np, source = _source(seed)
    clock, done, safe = np.zeros(runs), np.zeros(runs, int), np.zeros(runs, int)
    rising, left = np.zeros(runs, int), np.zeros(runs)  # the copy that is being uploaded, and how long it still takes
    small, large = source.exponential(M_1, runs), source.exponential(M_2, runs)  # time until the next failure
    while (active := done < patterns * k).any():
        uploaded = (done + 1) % k == 0
        slow = np.minimum(left, W / k / (1 - g))  # time of this part's work that an upload slows down
        spent = slow + (W / k - (1 - g) * slow) + np.where(uploaded, s, C_1)
        strike = np.minimum(small, large)
        failed = active & (strike < spent)
        spent = np.where(active, np.minimum(spent, strike), 0.0)
        lost = failed & (large <= small)
        idle = np.where(lost, d + R, np.where(failed, d + R_1, 0.0))
        safe = np.where(spent >= left, np.maximum(safe, rising), safe)
        left = np.where(lost, 0.0, np.maximum(left - spent - np.where(lost, 0.0, idle), 0.0))
        rising = np.where(lost, 0, rising)
        clock += spent + idle
        done = np.where(lost, safe, done + (active & ~failed))
        begun = active & ~failed & uploaded
        rising, left = np.where(begun, done, rising), np.where(begun, u, left)
        small = np.where(failed & ~lost, source.exponential(M_1, runs), small - spent)
        large = np.where(lost, source.exponential(M_2, runs), large - spent)
    return clock / (patterns * W) - 1


def async_losses(tau, u, *, runs, seed):
    """Return the age (runs,) of the newest safe state at a random moment far from the start."""
    np, source = _source(seed)
    strike = source.uniform(1000 * tau, 1001 * tau, runs)
    begun = np.arange(900, 1002) * tau
    safe = np.where(begun[None, :] + u <= strike[:, None], begun[None, :], 0.0)
    return strike - safe.max(axis=1)


def _lost(source, servers, losses, runs):
    """Return which servers (runs, losses) are lost."""
    return source.random((runs, servers)).argsort(axis=1)[:, :losses]


def pairs_hold(n_m, f, *, runs, seed):
    """Return 1 for each run (runs,) in which no pair loses both servers."""
    return groups_hold(n_m, 2, f, runs=runs, seed=seed)


def groups_hold(n_m, r, f, *, runs, seed):
    """Return 1 for each run (runs,) in which no group of r loses all servers."""
    _, source = _source(seed)
    group = _lost(source, round(n_m), round(f), runs) // round(r)
    group.sort(axis=1)
    size = round(r)
    whole = group[:, size - 1 :] == group[:, : group.shape[1] - size + 1]
    return (~whole.any(axis=1)).astype(float)


def pair_lives(m_m, t_w, *, runs, seed):
    """Return the time (runs,) until both servers of a pair are without their state at once."""
    np, source = _source(seed)
    found = np.zeros(runs)
    for run in range(runs):
        clock = 0.0
        while True:
            clock += source.exponential(m_m, 2).min()  # one fails
            partner = source.exponential(m_m)
            if partner < t_w:
                found[run] = clock + partner
                break
            clock += t_w
    return found


def two_or_more(y, *, runs, seed):
    """Return 1 for each period (runs,) with two failures or more, where y are expected."""
    _, source = _source(seed)
    return (source.exponential(1.0, (runs, 2)).sum(axis=1) < y).astype(float)
