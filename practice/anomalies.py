"""Effects of one bad gradient value on all ranks, and of the loss scale on small gradients."""

import copy

import numpy as np

from practice import model
from practice.injection import spoil

GUARDS = {
    "no guard": {"clip": None, "skip": False},
    "clipping only": {"clip": 1.0, "skip": False},
    "skipping only": {"clip": None, "skip": True},
    "clipping and skipping": {"clip": 1.0, "skip": True},
}


def guarded(run, guard):
    """Return a copy of a run with one of GUARDS."""
    twin = copy.deepcopy(run)
    twin.clip, twin.skip = GUARDS[guard]["clip"], GUARDS[guard]["skip"]
    return twin


def after_fault(run, guard, value, name="bias", rank=2, steps=1):
    """Corrupt one gradient element of one rank in one step, continue, and return the run and its losses.

    >>> from practice.training import Training
    >>> hit, _ = after_fault(Training(seed=1), "clipping and skipping", np.nan)
    >>> not_finite(hit)
    0.0
    """
    twin = guarded(run, guard)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        losses = twin.advance(1, fault=spoil(rank, name, value)) + twin.advance(steps - 1)
    return twin, losses


def not_finite(run):
    """Return the share of the weights that are NaN or infinite."""
    weights = np.concatenate([w.reshape(-1) for w in run.weights.values()])
    return float(np.mean(~np.isfinite(weights)))


def slowed(run, guard, size, name="bias"):
    """Return by what factor a finite spike slows down the weight it hit, through the second moment.

    `size` is the spike in units of the mean gradient, without ranks and loss scale.

    >>> from practice.training import Training
    >>> slowed(Training(seed=1), "clipping and skipping", 0.0) == 1.0
    True
    """
    value = size * len(run.sources) * run.scale
    hit, _ = after_fault(run, guard, value, name, rank=0)
    calm = guarded(run, guard)
    calm.advance(1)
    return float(np.sqrt(hit.second[name][0] / calm.second[name][0])) if calm.second[name][0] else 1.0


def through_half(run, scale, name="hidden"):
    """Return the shares of a gradient that underflow and overflow in half precision at a loss scale.

    The half-precision gradient of one rank is compared with that at a scale that loses little: elements that are zero
    here but not there have underflowed.
    """
    tokens, targets = (values[:8] for values in run.data)
    mask = np.ones((8, model.HIDDEN), "f2")
    _, fine = model.gradient(run.weights, tokens, targets, mask, 1024.0)
    _, found = model.gradient(run.weights, tokens, targets, mask, scale)
    alive = fine[name] != 0
    lost = np.mean(found[name][alive] == 0)
    return float(lost), float(np.mean(~np.isfinite(found[name][alive])))
