"""Points at which a formula has a value, and some at which it has none, over its whole range."""

import math

import numpy as np

from mathcore.evaluation import Slow

POINTS = 1000


def columns(variable, source, count):
    """Return `count` admissible values: ends and middle of the range, and log-uniform between them."""
    low, high = variable.bounds
    high = high if math.isfinite(high) else max(1e6, 1e6 * low)
    floor = low if low > 0 else high * 1e-9
    values = np.clip(np.exp(source.uniform(math.log(floor), math.log(high), count)), floor, high)
    if low < 0:
        values = source.uniform(low, high, count)
    ends = [floor if low == 0 and variable.is_positive else low, high, math.sqrt(floor * high)]
    corners = source.integers(0, 3, count // 5)
    values[: len(corners)] = np.array(ends)[corners]
    return np.maximum(np.floor(values), math.ceil(low)) if variable.integer_only else values


def points(formula, count=POINTS):
    """Return points with a value (n, k), at least `count` of them, and some where none exists."""
    source, good, bad = np.random.default_rng(2006), [], []
    vector = Slow(formula)._vector(np)  # the numpy function without its guards
    for _ in range(60):
        drawn = [columns(v, source, 2 * count) for v in formula.inputs]
        with np.errstate(all="ignore"):
            value, *conditions = (np.broadcast_to(part, 2 * count) for part in vector(*drawn))
        held = np.logical_and.reduce([np.ones(2 * count, bool), *conditions])
        fine = np.isfinite(value) & ((value >= 0) | (formula.lhs.bounds[0] < 0))
        table = np.column_stack(drawn) if drawn else np.empty((2 * count, 0))
        good += list(table[held & fine])
        bad += list(table[held & ~fine])[: 50 - len(bad)]
        if len(good) >= count:
            break
    return np.array(good[:count]), np.array(bad).reshape(len(bad), len(formula.inputs))
