"""Bitwise comparison of two runs, step by step."""

import copy
from dataclasses import dataclass

import numpy as np

from practice.state import differing


@dataclass(frozen=True)
class Outcome:
    """Comparison of two runs.

    `parted` is the first step whose loss differs, or None, `gap` the largest difference of the losses, `drift` that of
    the final weights, `parts` the names of the parts of the final state that differ.
    """

    parted: int | None
    gap: float
    drift: float
    parts: tuple

    @property
    def same(self):
        """Return whether the final states are identical."""
        return self.parted is None and not self.parts


def compare(run, resumed, steps, faults=(None, None)):
    """Advance two runs and return their Outcome.

    `faults` change the gradients of the first and of the second run.

    >>> from practice.training import Training
    >>> compare(Training(seed=1), Training(seed=1), 2).same
    True
    >>> from practice.training import Training
    >>> compare(Training(seed=1), Training(seed=2), 2).parted
    1
    """
    ours, theirs = run.advance(steps, faults[0]), resumed.advance(steps, faults[1])
    gaps = np.abs(np.subtract(ours, theirs))
    parted = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=True), 1) if a != b), None)
    drift = max(float(np.abs(w - resumed.weights[name]).max()) for name, w in run.weights.items())
    return Outcome(parted, float(gaps.max()), drift, tuple(differing(run.state(), resumed.state())))


OMISSIONS = {
    "second moment alone": ("second",),
    "first moment alone": ("first",),
    "both moments": ("first", "second"),
    "all of the optimizer, the count begins again": None,
}


def without(run, left_out, steps=100):
    """Return the Outcome of resuming a copy without some parts of the state; None means with a new optimizer.

    >>> from practice.training import Training
    >>> run = Training(seed=1)
    >>> _ = run.advance(20)
    >>> gaps = [without(run, parts, 5).gap for parts in (("random",), ("second",), None)]
    >>> 0 < gaps[2] < 1 < gaps[1]
    True
    """
    resumed = type(run)(seed=1)
    resumed.restore(run.state(), left_out or ())
    if left_out is None:
        resumed.begin_optimizer()
    return compare(copy.deepcopy(run), resumed, steps)


def summed_in_half(backwards=False):
    """Return a fault that sums the gradients of all ranks in half precision, in one order or the other."""

    def fault(gradients):
        for name in gradients[0]:
            parts = [g[name].astype("f2") for g in gradients]
            with np.errstate(over="ignore", invalid="ignore"):
                total = sum(reversed(parts) if backwards else parts)
            for g in gradients:
                g[name] = np.zeros_like(g[name])
            gradients[0][name] = total.astype("f4")

    return fault


def other_order(run, steps=30, half=True):
    """Return the Outcome of summing the same gradients in opposite order.

    >>> from practice.training import Training
    >>> [other_order(Training(seed=1), 20, half).same for half in (False, True)]
    [True, False]
    """
    forth, back = (summed_in_half(), summed_in_half(backwards=True)) if half else (None, list.reverse)
    return compare(copy.deepcopy(run), copy.deepcopy(run), steps, (forth, back))
