"""Tokens that choose experts, and pipelines that run cell by cell: nothing but the process."""


def distinct_nodes(M, k, *, runs, seed):
    """Return how many of `M` nodes (runs,) are hit by `k` choices, each of any node.

    >>> float(distinct_nodes(1, 8, runs=100, seed=1).max())
    1.0
    """
    import numpy as np

    choices = np.random.default_rng(seed).integers(int(M), size=(runs, int(k)))
    return np.array([len(set(row)) for row in choices.tolist()], dtype=float)


def expert_loads(n, E, k, *, runs, seed):
    """Return the tokens (runs, E) at each expert when `n` tokens choose `k` different experts each."""
    import numpy as np

    source = np.random.default_rng(seed)
    loads = np.zeros((runs, int(E)), dtype=int)
    for row in loads:
        ranked = source.random((int(n), int(E))).argpartition(int(k) - 1, axis=1)[:, : int(k)]
        row += np.bincount(ranked.ravel(), minlength=int(E))
    return loads


def dropped_shares(n, E, k, c, *, runs, seed):
    """Return the share of choices (runs,) that find their expert full, at capacity factor `c`."""
    import numpy as np

    loads = expert_loads(n, E, k, runs=runs, seed=seed)
    return np.maximum(loads - c * n * k / E, 0).sum(axis=1) / (n * k)


# A cell is (kind, micro-batch, chunk): "F" forward, "B" backward for the inputs, "W" for the weights.


def run_pipeline(orders, times):
    """Run the cells of each stage in order, each when its stage is free and what it needs is done.

    `orders[i]` lists the cells of stage i, `times` the duration of each kind.
    Return `{(stage, cell): (begin, end)}`.

    >>> len(run_pipeline(gpipe(2, 3), {"F": 1, "B": 2}))
    12
    """
    done, free, at = {}, [0] * len(orders), [0] * len(orders)
    chunks = 1 + max(cell[2] for order in orders for cell in order)
    while any(at[i] < len(order) for i, order in enumerate(orders)):
        before = sum(at)
        for i, order in enumerate(orders):
            while at[i] < len(order) and all(n in done for n in _needs(i, order[at[i]], len(orders), chunks)):
                cell = order[at[i]]
                begin = max([free[i], *(done[n][1] for n in _needs(i, cell, len(orders), chunks))])
                free[i] = begin + times[cell[0]]
                done[i, cell] = begin, free[i]
                at[i] += 1
        if sum(at) == before:
            raise ValueError("the cells wait for each other in a circle")
    return done


def _needs(stage, cell, p, chunks):
    """Return the (stage, cell) that must be done first; virtual stages are numbered chunk by chunk."""
    kind, j, chunk = cell
    virtual = chunk * p + stage
    if kind == "W":
        return [(stage, ("B", j, chunk))]
    back = [(stage, ("F", j, chunk))] if kind == "B" else []
    other = virtual + 1 if kind == "B" else virtual - 1
    inside = 0 <= other < chunks * p
    return back + ([(other % p, (kind, j, other // p))] if inside else [])


def gpipe(p, m):
    """Return the cells of each stage: all micro-batches forward, then all backward."""
    return [[(kind, j, 0) for kind in "FB" for j in range(m)] for _ in range(p)]


def one_forward_one_backward(p, m, v=1):
    """Return the cells of each stage in 1F1B, interleaved for more than one chunk."""
    orders, cells = [], m * v
    for stage in range(p):
        ahead = p - 1 - stage if v == 1 else 2 * (p - 1 - stage) + (v - 1) * p
        ahead = min(ahead, cells)
        order = [_nth("F", i, p, v) for i in range(ahead)]
        for i in range(cells):
            order += [_nth("F", i + ahead, p, v)] if i + ahead < cells else []
            order.append(_nth("B", i, p, v))
        orders.append(order)
    return orders


def _nth(kind, i, p, v):
    """Return the i-th cell of a kind: p micro-batches pass one chunk, then the next chunk follows."""
    if v == 1:
        return (kind, i, 0)
    group, rest = divmod(i, p * v)
    chunk, j = divmod(rest, p)
    return (kind, group * p + j, chunk if kind == "F" else v - 1 - chunk)


def zero_bubble(p, m, reach):
    """Return the cells of each stage in ZB-H1 (`reach` 1) or ZB-H2 (`reach` 2)."""
    orders = []
    for stage in range(p):
        lags = {"F": 0, "B": reach * (p - 1 - stage), "W": reach * (p - 1)}
        turns = range(m + reach * (p - 1))
        orders.append([(k, x - lag, 0) for x in turns for k, lag in lags.items() if 0 <= x - lag < m])
    return orders


def idle_times(done, p):
    """Return for each stage what it idles: until the whole pipeline is done, and between its own cells."""
    end = max(finish for _, finish in done.values())
    whole, inner = [], []
    for stage in range(p):
        spans = [span for (i, _), span in done.items() if i == stage]
        busy = sum(b - a for a, b in spans)
        whole.append(end - busy)
        inner.append(max(b for _, b in spans) - min(a for a, _ in spans) - busy)
    return whole, inner
