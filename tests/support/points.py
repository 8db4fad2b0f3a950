"""One table of points for a formula: corners, middle and chance; and some points at which it has no value."""

import itertools
import math

import numpy as np

from mathcore.evaluation import compile_unchecked

COUNT = 24
ROUNDS = 12  # each with twice the candidates of the one before, until there are enough


def ends(variable):
    """Return the lowest and the highest value that is tried: those of the range, if it has ends."""
    low, high = variable.bounds
    high = high if math.isfinite(high) else max(1e6, 1e6 * low)
    floor = low if low else high * 1e-9
    return float(math.ceil(floor) if variable.integer_only else floor), float(high)


def middle(variable, nearer=1.0):
    """Return an admissible value amid the range, or `nearer` to its lower end, in the declared unit."""
    low, high = variable.bounds
    high = high if math.isfinite(high) else max(1.0, 1e3 * low)
    value = (low * high) ** 0.5 if low > 0 else (low + high) / 2
    value = low + (value - low) * nearer
    return float(max(low, round(value))) if variable.integer_only else value


def drawn(variable, source, count):
    """Return values between the ends, log-uniform where they have one sign; of counts, half powers of two."""
    low, high = ends(variable)
    if low < 0:
        return source.uniform(low, high, count)
    values = np.clip(np.exp(source.uniform(math.log(low), math.log(high), count)), low, high)
    if variable.integer_only:
        powers = np.clip(2.0 ** np.round(np.log2(values)), low, high)
        values = np.floor(np.where(source.random(count) < 0.5, powers, values))
    return values


def corners(formula, source):
    """Return the middle and, of up to three symbols, all corners; of more, eight that chance chooses."""
    pairs = [ends(v) for v in formula.inputs]
    chosen = [*itertools.product(*pairs)] if len(pairs) <= 3 else [*zip(*pairs, strict=True)]
    while len(chosen) < 8 and len(pairs) > 3:
        chosen.append(tuple(pair[source.integers(2)] for pair in pairs))
    rows = [tuple(map(middle, formula.inputs)), *chosen]
    return np.array(rows, float).reshape(len(rows), len(pairs))


def table(formula, count=COUNT):
    """Return points with a value (count, k), the middle first if it has one, and a few without (n, k)."""
    source, good, bad = np.random.default_rng(2006), [], []
    vector = compile_unchecked(
        formula.inputs, (formula.numeric, *formula.numeric_domain)
    )  # the numpy function without its guards
    candidates = corners(formula, source)
    for size in (2 * count * 2**i for i in range(ROUNDS)):
        fine = has_value(formula, vector, candidates)
        good += list(candidates[fine])
        bad += list(candidates[~fine])[: 6 - len(bad)]
        if len(good) >= count or not formula.inputs:
            break
        candidates = np.column_stack([drawn(v, source, size) for v in formula.inputs])
        if formula.lhs.integer_only:  # of which few random numbers give one
            some, lowest = candidates[: size // 2], [ends(v)[0] for v in formula.inputs]
            candidates[: size // 2] = np.where(np.floor(some) >= lowest, np.floor(some), some)
    return tuple(np.array(rows).reshape(len(rows), len(formula.inputs)) for rows in (good[:count], bad))


def has_value(formula, vector, candidates):
    """Return for each point whether the bare function, without any guard, gives a number that may be."""
    with np.errstate(all="ignore"):
        value, *conditions = (np.broadcast_to(part, len(candidates)) for part in vector(*candidates.T))
    fine = np.isfinite(value) & ((value >= 0) | (formula.lhs.bounds[0] < 0))
    if formula.lhs.integer_only:
        with np.errstate(invalid="ignore"):
            fine = fine & (abs(value - np.rint(value)) <= 1e-12 * abs(value))
    return np.logical_and.reduce([fine, *conditions])
