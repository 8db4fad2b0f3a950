"""A screen for devices that compute wrongly and say nothing: all ranks do the same sum, and compare bits.

In training no two ranks have the same data, so that a wrong result looks like any other. Here all take the
same examples through the same weights, without dropout; on sound devices of one kind the bits are equal. The
majority is believed, so it takes three ranks to name the culprit; of two it is only known that they differ.
"""

import hashlib
from collections import Counter

import torch
import torch.distributed as dist

from practice.run.data import BATCH, examples


def disagreeing(run):
    """Return the ranks whose result on equal data is not that of the majority; all of them where there is none."""
    found = [None] * run.world
    dist.all_gather_object(found, answer(run))
    return minority(found)


def answer(run):
    """Return a checksum of what this rank computes from the first examples, leaving weights and draws alone."""
    tokens = torch.from_numpy(examples()[: BATCH // run.world])
    run.model.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.float16, enabled=run.half):
        logits = run.model(tokens[:, :-1])
    run.model.train()
    return hashlib.sha256(logits.float().numpy().tobytes()).hexdigest()


def minority(found):
    """Return the places of what most others do not say.

    >>> minority(["a", "b", "a"]), minority(["a", "a"]), minority(["a", "b"])
    ([1], [], [0, 1])
    """
    most, count = Counter(found).most_common(1)[0]
    believed = most if 2 * count > len(found) else None
    return [place for place, each in enumerate(found) if each != believed]
