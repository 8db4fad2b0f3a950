"""A training run on several ranks: Adam, a schedule, shuffled data, dropout, dynamic loss scaling.

The ranks are simulated one after the other, each with its part of the batch and a random state of its own; their
gradients are averaged as by an all-reduce. A step uses every kind of state that a checkpoint has to hold, so that any
omission shows.
"""

import math

import numpy as np

from practice import model
from practice.state import PARTS, State

BATCH = 32
BETA = {"first": 0.9, "second": 0.999}
PEAK, WARM, LENGTH = 0.01, 10, 400  # learning rate: linear warm-up to PEAK, then a cosine
FIRST_SCALE, CALM = 2.0**20, 12  # the loss scale starts too high on purpose and is doubled after CALM finite steps
SPARSE = {"embedding"}  # rows without a gradient and their moments stay unchanged


def learning_rate(done):
    """Return the learning rate of the update after `done` updates.

    >>> learning_rate(0) < learning_rate(9) > learning_rate(399)
    True
    """
    if done < WARM:
        return PEAK * (done + 1) / WARM
    return PEAK * 0.5 * (1 + math.cos(math.pi * (done - WARM) / (LENGTH - WARM)))


class Training:
    """A training run with methods to advance it and to get and restore its state.

    `clip` is the largest global norm of a gradient (None: no clipping), `skip` whether a step with a gradient that is
    not finite is skipped. A `lazy` optimizer leaves rows without a gradient unchanged; otherwise every row is updated
    from its moments, and with a `decay` by its weights, like AdamW.

    >>> run = Training(seed=1)
    >>> losses = run.advance(3)
    >>> other = Training(seed=1)
    >>> other.restore(run.state())
    >>> other.advance(2) == run.advance(2)
    True
    """

    def __init__(self, seed=1, ranks=4, clip=1.0, skip=True, lazy=True, decay=0.0):
        """Start a run; the seed determines initial weights, data order and dropout of each rank."""
        first, shuffle, *own = np.random.SeedSequence(seed).spawn(2 + ranks)
        self.weights = model.initial(np.random.default_rng(first))
        self.first = {name: np.zeros_like(w) for name, w in self.weights.items()}
        self.second = {name: np.zeros_like(w) for name, w in self.weights.items()}
        self.shuffler = np.random.default_rng(shuffle)
        self.sources = [np.random.default_rng(s) for s in own]
        self.order, self.place = self.shuffler.permutation(model.EXAMPLES), 0
        self.done, self.begun, self.scale, self.calm = 0, 0, FIRST_SCALE, 0
        self.clip, self.skip, self.data = clip, skip, model.examples()
        self.lazy, self.decay = SPARSE if lazy else set(), decay

    def advance(self, steps, fault=None):
        """Do some steps and return the loss of each before its update.

        `fault` may change the gradients of all ranks, a list of dicts, before they are averaged.
        """
        return [self._step(fault) for _ in range(steps)]

    def _step(self, fault):
        losses, gradients = map(list, zip(*self._ranks(self._batch()), strict=True))
        if fault:
            fault(gradients)
        mean = averaged(gradients, self.scale)
        norm = global_norm(mean)
        if math.isfinite(norm) or not self.skip:
            self._update(clipped(mean, norm, self.clip))
            self._calm(self.calm + 1)
        else:
            self.scale, self.calm = self.scale / 2, 0
        return float(np.mean(losses))

    def _ranks(self, chosen):
        tokens, targets = self.data
        for source, own in zip(self.sources, np.array_split(chosen, len(self.sources)), strict=True):
            mask = model.dropout(source, len(own))
            yield model.gradient(self.weights, tokens[own], targets[own], mask, self.scale)

    def _batch(self):
        if self.place + BATCH > len(self.order):
            self.order, self.place = self.shuffler.permutation(len(self.order)), 0
        self.place += BATCH
        return self.order[self.place - BATCH : self.place]

    def _update(self, gradients):
        rate = learning_rate(self.done)
        self.done += 1
        unbias = {part: 1 - beta ** (self.done - self.begun) for part, beta in BETA.items()}
        for name, g in gradients.items():
            rows = np.flatnonzero(g.any(axis=1)) if name in self.lazy else slice(None)
            first, second, g = self.first[name][rows], self.second[name][rows], g[rows]
            self.first[name][rows] = first = BETA["first"] * first + (1 - BETA["first"]) * g
            self.second[name][rows] = second = BETA["second"] * second + (1 - BETA["second"]) * g * g
            self.weights[name][rows] *= np.float32(1 - rate * self.decay)
            push = (first / unbias["first"]) / (np.sqrt(second / unbias["second"]) + 1e-8)
            self.weights[name][rows] -= np.float32(rate) * push.astype("f4")

    def _calm(self, calm):
        grown = calm == CALM
        self.scale, self.calm = (self.scale * 2, 0) if grown else (self.scale, calm)

    def state(self):
        """Return a copy of the whole state."""
        tensors = {
            f"{part}.{name}": tensor.copy()
            for part in ("weights", "first", "second")
            for name, tensor in getattr(self, part).items()
        }
        notes = {
            "schedule": self.done,
            "order": {"place": self.place, "shuffler": self.shuffler.bit_generator.state},
            "random": [source.bit_generator.state for source in self.sources],
            "scale": [self.scale, self.calm],
        }
        return State({**tensors, "order.permutation": self.order.copy()}, notes)

    def restore(self, state, without=()):
        """Restore the parts of a state, except those in `without`.

        Raises: KeyError for an unknown part.
        """
        for part in without:
            PARTS[part]
        for part in [name for name in PARTS if name not in without]:
            getattr(self, f"_take_{part}", self._take_tensors)(state, part)

    def begin_optimizer(self):
        """Reset both moments and the update count of the optimizer."""
        for tensor in (*self.first.values(), *self.second.values()):
            tensor[...] = 0
        self.begun = self.done

    def _take_tensors(self, state, part):
        for name, tensor in getattr(self, part).items():
            tensor[...] = state.tensors[f"{part}.{name}"]

    def _take_schedule(self, state, part):
        self.done = state.notes[part]

    def _take_order(self, state, part):
        self.order, self.place = state.tensors["order.permutation"].copy(), state.notes[part]["place"]
        self.shuffler.bit_generator.state = state.notes[part]["shuffler"]

    def _take_random(self, state, part):
        for source, own in zip(self.sources, state.notes[part], strict=True):
            source.bit_generator.state = own

    def _take_scale(self, state, part):
        self.scale, self.calm = state.notes[part]


def averaged(gradients, scale):
    """Return the mean gradient of all ranks without the loss scale, as after an all-reduce.

    >>> averaged([{"a": np.float32([2.0])}, {"a": np.float32([6.0])}], scale=2.0)["a"].tolist()
    [2.0]
    """
    with np.errstate(invalid="ignore"):
        return {name: sum(g[name] for g in gradients) / np.float32(len(gradients) * scale) for name in gradients[0]}


def global_norm(gradients):
    """Return the Euclidean norm of all gradients taken together, in double precision.

    >>> global_norm({"a": np.array([3.0]), "b": np.array([[4.0]])})
    5.0
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return math.sqrt(sum(float(np.sum(np.square(g, dtype="f8"))) for g in gradients.values()))


def clipped(gradients, norm, limit):
    """Return the gradients, scaled down to the norm `limit` if theirs is larger.

    >>> clipped({"a": np.float32([3, 4])}, 5.0, 2.5)["a"].tolist()
    [1.5, 2.0]
    """
    if limit is None or norm <= limit:
        return gradients
    factor = np.float32(limit / norm) if norm else np.float32(1)
    return {name: g * factor for name, g in gradients.items()}
