"""A small half-precision network with embeddings, one hidden layer and dropout, and its gradient.

Each example has three tokens, whose concatenated embeddings are the input of a hidden layer with one output. Token
frequencies follow those of words, so most rows of the embedding table have no gradient in most steps.
"""

import numpy as np

TOKENS, ROWS, WIDTH, HIDDEN = 3, 4096, 8, 48
EXAMPLES = 640
KEEP = 0.9  # share of the hidden units that dropout keeps
SHAPES = {"embedding": (ROWS, WIDTH), "hidden": (TOKENS * WIDTH, HIDDEN), "bias": (HIDDEN,), "output": (HIDDEN,)}


def initial(source):
    """Return fresh master weights in single precision.

    >>> {name: w.shape for name, w in initial(np.random.default_rng(1)).items()}["hidden"]
    (24, 48)
    """
    spread = {"embedding": 1.0, "hidden": 0.2, "bias": 0.0, "output": 0.15}
    return {name: (source.standard_normal(SHAPES[name]) * s).astype("f4") for name, s in spread.items()}


def examples(seed=7):
    """Return the data: tokens (EXAMPLES, TOKENS) with the frequencies of words, targets (EXAMPLES,)."""
    source = np.random.default_rng(seed)
    weights = 1 / np.arange(1, ROWS + 1)
    tokens = source.choice(ROWS, (EXAMPLES, TOKENS), p=weights / weights.sum())
    targets = np.sin(tokens).sum(axis=1) + 0.1 * source.standard_normal(EXAMPLES)
    return tokens, targets.astype("f4")


def dropout(source, count):
    """Return a mask (count, HIDDEN) of zeros and 1/KEEP, drawn from `source`."""
    return ((source.random((count, HIDDEN)) < KEEP) / KEEP).astype("f2")


def gradient(weights, tokens, targets, mask, scale=1.0):
    """Return the mean squared error and its gradient times `scale`, in half precision.

    The scale lifts products above the smallest half-precision number; those above the largest become infinite.

    >>> tokens, targets = examples()
    >>> mask = np.ones((8, HIDDEN), "f2")
    >>> loss, g = gradient(initial(np.random.default_rng(1)), tokens[:8], targets[:8], mask, 1024.0)
    >>> loss > 0, sorted(g) == sorted(SHAPES), g["hidden"].dtype
    (True, True, dtype('float32'))
    """
    half = {name: w.astype("f2") for name, w in weights.items()}
    with np.errstate(over="ignore", invalid="ignore"):
        entered = half["embedding"][tokens].reshape(len(tokens), -1)
        summed = entered @ half["hidden"] + half["bias"]
        active = np.maximum(summed, 0) * mask
        error = (active @ half["output"]).astype("f4") - targets
        outward = (error * (np.float32(scale) / len(targets))).astype("f2")
        inward = np.outer(outward, half["output"]) * mask * (summed > 0)
        table = np.zeros(SHAPES["embedding"], "f4")
        lifted = (inward @ half["hidden"].T).astype("f4")
        np.add.at(table, tokens.reshape(-1), lifted.reshape(-1, WIDTH))
        found = {
            "embedding": table,
            "hidden": entered.T @ inward,
            "bias": inward.sum(axis=0),
            "output": active.T @ outward,
        }
    return float(np.mean(error**2) / 2), {name: g.astype("f4") for name, g in found.items()}
