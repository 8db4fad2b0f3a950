"""State of a training run, and the bitwise comparison of two states."""

from dataclasses import dataclass, field

import numpy as np

# Parts of the state; the first three are tensors.
PARTS = {
    "weights": "weights",
    "first": "first moment",
    "second": "second moment",
    "schedule": "step count and schedule",
    "order": "data order",
    "random": "random states",
    "scale": "loss scale",
}


@dataclass(frozen=True)
class State:
    """Tensors by name, `part.tensor`, and JSON values by part."""

    tensors: dict
    notes: dict = field(default_factory=dict)

    @property
    def bytes(self):
        """Return the bytes of all tensors."""
        return sum(tensor.nbytes for tensor in self.tensors.values())


def bits(tensor):
    """Return a tensor as unsigned integers of the same width, so that NaNs can be compared.

    >>> bool(bits(np.float32(0.0)) == bits(np.float32(-0.0)))
    False
    """
    return np.ascontiguousarray(tensor).view(f"u{np.asarray(tensor).itemsize}")


def differing(one, other):
    """Return the names of the parts in which two states differ in at least one bit.

    >>> a = State({"weights.x": np.zeros(2, "f4")}, {"schedule": 3})
    >>> differing(a, a), differing(a, State({"weights.x": np.ones(2, "f4")}, {"schedule": 3}))
    ([], ['weights'])
    """
    parts = {name.partition(".")[0] for name in (*one.tensors, *other.tensors)} | {*one.notes, *other.notes}
    return sorted(part for part in parts if _differs(one, other, part))


def _differs(one, other, part):
    a, b = (_of(state, part) for state in (one, other))
    if a.keys() != b.keys() or one.notes.get(part) != other.notes.get(part):
        return True
    return any(a[k].dtype != b[k].dtype or not np.array_equal(bits(a[k]), bits(b[k])) for k in a)


def _of(state, part):
    return {name: t for name, t in state.tensors.items() if name.partition(".")[0] == part}
