"""The first level of checkpoints, in the memory of servers: each rank's shard on its own node and on the next.

Shards are files in a memory-backed file system, so they survive the processes, and the copy on the next node survives
the loss of one node. Against larger failures there is the checkpoint in storage.
"""

import io
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

from practice import durable

KEPT = 2  # shards kept of each rank: the newest, and the one before in case of a failure during a save
FILE = "shard"


class ShardCopy(NamedTuple):
    """A shard on a node: its step, its rank, and the number of ranks that saved it."""

    step: int
    rank: int
    world: int


class Memory:
    """Saves and loads the shards of one run; every rank calls the same methods in the same order."""

    def __init__(self, folder, rank, report=durable.ignore):
        """Keep the shards of this node below `folder`, and send a copy to the same local rank of the next node."""
        self.folder, self.rank, self.report = Path(folder), rank, report
        self.world, self.of_node = dist.get_world_size(), int(os.environ.get("LOCAL_WORLD_SIZE", 1))
        self.group = dist.new_group(backend="gloo")  # separate from the collectives of the steps

    # ---------------------------------------------------------------- saving

    def save(self, step, state):
        """Write this rank's shard and the copy for the previous node, and wait until all ranks have written."""
        data = packed(state)
        self._write(step, self.rank, data)
        if self.of_node < self.world:
            self._write(step, (self.rank - self.of_node) % self.world, self._exchanged(data))
        dist.barrier(group=self.group)
        self.report(f"step {step} is in memory")

    def _write(self, step, rank, data):
        folder = self.folder / f"rank-{rank}"
        there = durable.listed(folder)
        beyond = [path for path in there if durable.step_of(path) >= step]  # of a run that resumed from an earlier step
        for old in (*beyond, *[path for path in there if path not in beyond][KEPT - 1 :]):
            shutil.rmtree(old)
        durable.write(folder, step, {FILE: data}, {"world": self.world})

    def _exchanged(self, data):
        """Send bytes to the same local rank of the next node, and return those from the previous node."""
        after, before = ((self.rank + hop) % self.world for hop in (self.of_node, -self.of_node))
        sent = dist.isend(torch.tensor([len(data)]), after, group=self.group)
        size = torch.zeros(1, dtype=torch.int64)
        dist.recv(size, before, group=self.group)
        sent.wait()
        sent = dist.isend(torch.frombuffer(bytearray(data), dtype=torch.uint8), after, group=self.group)
        found = torch.empty(int(size), dtype=torch.uint8)
        dist.recv(found, before, group=self.group)
        sent.wait()
        return found.numpy().tobytes()

    # ---------------------------------------------------------------- resuming

    def shards(self):
        """Return the shards on this node whose files are complete."""
        found = set()
        for path in self.folder.glob("rank-*/step-*"):
            if durable.intact(path):
                rank = int(path.parent.name.removeprefix("rank-"))
                found.add(ShardCopy(durable.step_of(path), rank, durable.body(path)["notes"]["world"]))
        return found

    def newest(self, least):
        """Return `(step, holder of each shard)` of the newest step >= `least` with all shards, or `(None, {})`."""
        on_node = [None] * self.world
        dist.all_gather_object(on_node, self.shards(), group=self.group)
        for step in sorted({shard.step for found in on_node for shard in found if shard.step >= least}, reverse=True):
            holders = {}
            for rank in range(self.world):
                there = [k for k in range(self.world) if ShardCopy(step, rank, self.world) in on_node[k]]
                holders[rank] = rank if rank in there else there[0] if there else None
            if None not in holders.values():
                return step, holders
        return None, {}

    def load(self, least, state):
        """Return `state` filled with the newest intact shards of a step >= `least`, or None if there are none."""
        step, holders = self.newest(least)
        if step is None:
            return None
        data, found = None, []
        for rank, holder in holders.items():
            if self.rank == holder:
                path = durable.place(self.folder / f"rank-{rank}", step)
                found += [f"shard of rank {rank}: {fault}" for fault in durable.faults(path)]
            if self.rank in (rank, holder):
                data = self._transferred(step, rank, holder, data)
        everywhere = [None] * self.world
        dist.all_gather_object(everywhere, found, group=self.group)
        if faults := [fault for found in everywhere for fault in found]:
            self.report(f"step {step} in memory passed over: {'; '.join(faults)}")
            return None
        self.report(f"step {step} taken from memory")
        return unpacked(data, state)

    def _transferred(self, step, rank, holder, data):
        """Return the bytes of a shard on the rank that needs it; its holder reads and sends them."""
        size = torch.zeros(1, dtype=torch.int64)
        if self.rank == holder:
            path = durable.place(self.folder / f"rank-{rank}", step) / FILE
            read = path.read_bytes() if path.exists() else b""
            if rank == holder:
                return read
            dist.send(torch.tensor([len(read)]), rank, group=self.group)
            dist.send(torch.frombuffer(bytearray(read), dtype=torch.uint8), rank, group=self.group)
            return data
        dist.recv(size, holder, group=self.group)
        found = torch.empty(int(size), dtype=torch.uint8)
        dist.recv(found, holder, group=self.group)
        return found.numpy().tobytes()


# ---------------------------------------------------------------- serialization


def packed(state):
    """Return a state as bytes, with the local part of sharded tensors."""
    file = io.BytesIO()
    torch.save(_local(state), file)
    return file.getvalue()


def _local(state):
    if isinstance(state, dict):
        return {key: _local(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_local(value) for value in state]
    return state.to_local() if isinstance(state, DTensor) else state


def unpacked(data, state):
    """Return `state` with the values of packed bytes; tensors are filled in place."""
    return _filled(state, torch.load(io.BytesIO(data), weights_only=True))


@torch.no_grad()
def _filled(state, saved):
    if isinstance(state, dict):
        return {key: _filled(value, saved[key]) for key, value in state.items()}
    if isinstance(state, list):
        return [_filled(value, each) for value, each in zip(state, saved, strict=True)]
    if isinstance(state, torch.Tensor):
        (state.to_local() if isinstance(state, DTensor) else state).copy_(saved)
        return state
    return saved
