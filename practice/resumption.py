"""The test of a checkpoint: does the run go on as if nothing had happened, and is every omission caught?"""

import copy
from dataclasses import dataclass

import numpy as np

from practice.state import PARTS, differing
from practice.tables import Table
from practice.training import Training


@dataclass(frozen=True)
class Outcome:
    """How a resumed run compares with the undisturbed one.

    `parted` is the first step after the restoration whose loss differs (None: none does), `gap` the
    largest difference of the losses, `drift` that of the weights at the end, `parts` what differs then.
    """

    parted: int | None
    gap: float
    drift: float
    parts: tuple

    @property
    def same(self):
        """Say whether the two runs are the same, bit for bit."""
        return self.parted is None and not self.parts


def compare(run, resumed, steps, faults=(None, None)):
    """Advance an undisturbed run and a resumed one and return how they compare.

    `faults` are done to the gradients of the one and of the other.

    >>> compare(Training(seed=1), Training(seed=1), 2).same
    True
    >>> compare(Training(seed=1), Training(seed=2), 2).parted
    1
    """
    ours, theirs = run.advance(steps, faults[0]), resumed.advance(steps, faults[1])
    gaps = np.abs(np.subtract(ours, theirs))
    parted = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=True), 1) if a != b), None)
    drift = max(float(np.abs(w - resumed.weights[name]).max()) for name, w in run.weights.items())
    return Outcome(parted, float(gaps.max()), drift, tuple(differing(run.state(), resumed.state())))


def without(part, state, run, steps=30, fresh=True, seed=1):
    """Restore a state without one part (or with all: part ""), go on, and compare with the run itself.

    With `fresh` the state goes into a new run, as after a crash; otherwise into the very objects that
    wrote it, which still hold in memory whatever the checkpoint has forgotten.
    """
    resumed = Training(seed=seed) if fresh else copy.deepcopy(run)
    resumed.restore(state, without=(part,) if part else ())
    return compare(copy.deepcopy(run), resumed, steps)


def omissions(state, run, steps=30, fresh=True):
    """Return the outcome of leaving out nothing ("") and each part in turn.

    >>> run = Training(seed=1)
    >>> _ = run.advance(30)
    >>> found = omissions(run.state(), run, steps=4)
    >>> [part for part, outcome in found.items() if outcome.same]
    ['']
    """
    return {part: without(part, state, run, steps, fresh) for part in ("", *PARTS)}


def summed_in_half(backwards=False):
    """Return a fault that adds the gradients of all ranks in half precision, in one order or the other."""

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
    """Return how two copies of a run part that add the same gradients in opposite order.

    >>> [other_order(Training(seed=1), 20, half).same for half in (False, True)]
    [True, False]
    """
    forth, back = (summed_in_half(), summed_in_half(backwards=True)) if half else (None, list.reverse)
    return compare(copy.deepcopy(run), copy.deepcopy(run), steps, (forth, back))


def as_table(found):
    """Return the outcomes of `omissions` as a table."""
    heads = ("left out", "the losses part at step", "largest gap of the loss", "weights differ by up to")
    return Table(heads, [[PARTS.get(p, "nothing"), o.parted, o.gap, o.drift] for p, o in found.items()])
