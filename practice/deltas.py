"""Exact differences between two states, stored in the smallest of four formats.

A delta holds the new bits of the changed elements, not floating-point differences, whose rounded sums differ from the
original. It contains a fingerprint of its base state.
"""

import hashlib

import numpy as np

from practice.state import State, bits

INDEX = np.dtype("u4")


class WrongBase(Exception):
    """A delta was applied to a state other than its base."""


def fingerprint(state):
    """Return a checksum of the tensors of a state.

    >>> len(fingerprint(State({"weights.x": np.zeros(2)})))
    64
    """
    digest = hashlib.sha256()
    for name in sorted(state.tensors):
        digest.update(name.encode() + bits(state.tensors[name]).tobytes())
    return digest.hexdigest()


def changed(old, new):
    """Return the share of the elements of a tensor whose bits changed.

    >>> float(changed(np.float32([1, 2]), np.float32([1, 3])))
    0.5
    """
    return np.mean(bits(old) != bits(new))


def sizes(count, width, moved, dimensions=2):
    """Return the bytes of each format for `moved` of `count` elements of `width` bytes.

    `coordinates` is the sparse COO format of a framework, with eight bytes per dimension.

    >>> sizes(1000, 4, 100)
    {'whole': 4000, 'indices': 800, 'bitmap': 525, 'coordinates': 2000}
    """
    return {
        "whole": count * width,
        "indices": moved * (width + INDEX.itemsize),
        "bitmap": moved * width + -(-count // 8),
        "coordinates": moved * (width + 8 * dimensions),
    }


def delta(base, new):
    """Return the State that turns `base` into `new`, each tensor in its smallest format."""
    tensors = {}
    for name, tensor in new.tensors.items():
        moved = bits(base.tensors[name]) != bits(tensor)
        forms = sizes(tensor.size, tensor.itemsize, int(moved.sum()))
        form = min(("whole", "indices", "bitmap"), key=forms.get)
        if form == "whole":
            tensors[f"{name}:whole"] = tensor
            continue
        where = np.flatnonzero(moved).astype(INDEX) if form == "indices" else np.packbits(moved)
        tensors |= {f"{name}:{form}": where, f"{name}:values": tensor[moved]}
    return State(tensors, {"base": fingerprint(base), "notes": new.notes})


def rebuild(base, difference):
    """Return the state that results from a delta.

    Raises: WrongBase if the delta belongs to another state.

    >>> one, two = State({"weights.x": np.float32([1, 2])}), State({"weights.x": np.float32([1, 3])})
    >>> rebuild(one, delta(one, two)).tensors["weights.x"].tolist()
    [1.0, 3.0]
    """
    if difference.notes["base"] != fingerprint(base):
        raise WrongBase("this delta belongs to another checkpoint")
    tensors = {name: _rebuilt(name, old, difference.tensors) for name, old in base.tensors.items()}
    return State(tensors, difference.notes["notes"])


def _rebuilt(name, old, parts):
    if f"{name}:whole" in parts:
        return parts[f"{name}:whole"]
    moved = parts.get(f"{name}:indices")
    if moved is None:
        moved = np.flatnonzero(np.unpackbits(parts[f"{name}:bitmap"], count=old.size))
    new = old.reshape(-1).copy()
    new[moved] = parts[f"{name}:values"]
    return new.reshape(old.shape)


def thresholded(base, new, limit=1e-6):
    """Return the state rebuilt from rounded differences, without those up to `limit`.

    Often described, but inexact: `base + (new - base)` need not equal `new`, and dropped differences are lost.
    """
    tensors = {}
    for name, tensor in new.tensors.items():
        difference = tensor - base.tensors[name]
        tensors[name] = base.tensors[name] + np.where(np.abs(difference) > limit, difference, 0)
    return State(tensors, new.notes)
