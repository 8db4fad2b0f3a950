"""Synthetic data, shuffled in each epoch and read by each rank with a state of its own.

The global order of the examples depends only on the seed. A step uses the next BATCH of them, and a rank its part of
that, so a job that resumes on another number of ranks continues in the same order.
"""

import random

import numpy as np
import torch
from torch.utils.data import IterableDataset
from torchdata.stateful_dataloader import StatefulDataLoader

from practice.run.model import LENGTH, TOKENS

EXAMPLES, BATCH = 240, 24  # an epoch is ten steps; 24 can be shared by 2, 3 and 4 ranks


def examples(seed=7):
    """Return token sequences (EXAMPLES, LENGTH + 1): random walks on a ring, which can be learned."""
    source = np.random.default_rng(seed)
    strides = source.integers(1, 4, (EXAMPLES, LENGTH + 1)) * source.choice([-1, 1], (EXAMPLES, 1))
    return (source.integers(0, TOKENS, (EXAMPLES, 1)) + strides.cumsum(axis=1)) % TOKENS


class Shard(IterableDataset):
    """Endless data of one rank; its state holds the rank and the position."""

    def __init__(self, rank, world, seed, done=0, noise=True):
        """Start after `done` steps of the job."""
        self.rank, self.world, self.seed, self.done = rank, world, seed, done
        self.data, self.within, self.noise = examples(), 0, noise

    def __iter__(self):
        share = BATCH // self.world
        while True:
            epoch, first = divmod(self.done * BATCH, EXAMPLES)
            order = np.random.default_rng([self.seed, epoch]).permutation(EXAMPLES)
            own = order[first : first + BATCH][self.rank * share :][:share]
            while self.within < share:
                index = own[self.within]
                self.within += 1
                yield torch.from_numpy(noisy(self.data[index]) if self.noise else self.data[index])
            self.done, self.within = self.done + 1, 0

    def state_dict(self):
        """Return rank and position."""
        return {"rank": self.rank, "world": self.world, "done": self.done, "within": self.within}

    def load_state_dict(self, state):
        """Continue from a state."""
        self.rank, self.world, self.done, self.within = (state[k] for k in ("rank", "world", "done", "within"))


def noisy(tokens):
    """Return a sequence with a token sometimes replaced, drawn from the random states of Python and NumPy."""
    tokens = tokens.copy()
    if random.random() < 0.5:
        tokens[np.random.randint(LENGTH)] = np.random.randint(TOKENS)
    return tokens


def loader(rank, world, seed, done=0, noise=True):
    """Return the stateful torchdata loader of a rank."""
    return StatefulDataLoader(Shard(rank, world, seed, done, noise), batch_size=BATCH // world, num_workers=0)
