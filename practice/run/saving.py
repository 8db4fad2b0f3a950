"""Save and resume the run with torch's distributed checkpoints, sealed by a manifest of our own.

Every rank writes its own shard through `Sealed`, which takes the checksum on the way to the disk. The first
rank gathers the seals, writes the manifest and gives the checkpoint its name; see `practice.durable`.
"""

import json
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.filesystem import FileSystem
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from practice import durable, retention
from practice.run.data import loader

PARTS = ("weights", "first", "second", "schedule", "order", "random", "scale")
# what AdamW keeps of a parameter, by what may be left out of it: one part, both moments, or all of it
OF_ADAM = {"first": ("exp_avg",), "second": ("exp_avg_sq",), "schedule": ("step",)}
OF_ADAM |= {"moments": ("exp_avg", "exp_avg_sq"), "optimizer": ("exp_avg", "exp_avg_sq", "step")}
OMISSIONS = (*PARTS, "moments", "optimizer")


# ---------------------------------------------------------------- what is saved


def state_of(run):
    """Return all that a resumed run needs, as this rank knows it."""
    model, optimizer = get_state_dict(run.model, run.optimizer)
    return {
        "model": model,
        "optimizer": optimizer,
        "progress": json.dumps(progress(run)),
        # a key for each rank: equal keys are taken for copies of one thing, and one of them is kept
        f"loader.{run.rank}": json.dumps(run.loader.state_dict()),
        f"random.{run.rank}": json.dumps(random_states()),
    }


def progress(run):
    """Return the counts of a run, which are the same on every rank."""
    return {"step": run.step, "skipped": run.skipped, "updates": run.updates, "scale": run.scale.state()}


def random_states():
    """Return the random states of Python, NumPy and torch."""
    kind, keys, *rest = np.random.get_state()
    return {"python": random.getstate(), "numpy": [kind, keys.tolist(), *rest], "torch": torch.get_rng_state().tolist()}


def set_random_states(states):
    """Take the three random states over."""
    version, keys, gauss = states["python"]
    random.setstate((version, tuple(keys), gauss))
    np.random.set_state(tuple(states["numpy"]))
    torch.set_rng_state(torch.tensor(states["torch"], dtype=torch.uint8))


# ---------------------------------------------------------------- writing


class SealedFiles(FileSystem):
    """The file system of a distributed checkpoint, with every file sealed on its way to the disk."""

    def __init__(self, after):
        """Tell `after` of each stage."""
        self.after, self.seals, self.failure = after, {}, None

    @contextmanager
    def create_stream(self, path, mode):
        """Open a file; one that is written leaves its seal."""
        if mode != "wb":
            with super().create_stream(path, mode) as stream:
                yield stream
            return
        stream = durable.Sealed(path, self.after)
        try:
            with stream:
                yield stream
        finally:
            self.failure = self.failure or stream.failure
        self.seals[Path(path).name.removesuffix(".tmp")] = stream.seal


class Saver:
    """Writes checkpoints of a run, at once or behind its back, one at a time."""

    def __init__(self, folder, rank, after=durable.nothing, behind=False, told=durable.nothing, tiers=()):
        """Write into `folder`; with `behind` a save returns as soon as the state has been copied.

        With `tiers` the folder is swept after each save, by age in steps.
        """
        self.folder, self.rank, self.after, self.behind, self.told = Path(folder), rank, after, behind, told
        self.tiers = tiers
        # collectives of the save must not mix with those of the step
        self.group = dist.new_group(backend="gloo")
        self.pool, self.pending = ThreadPoolExecutor(1), None

    def save(self, run, behind=None):
        """Write a checkpoint of the run; return the seconds for which the step stood still."""
        begun = time.perf_counter()
        self.wait()
        files = SealedFiles(self.after)
        partial = self._prepared(run.step)
        if partial is None:
            return time.perf_counter() - begun
        writer = dcp.FileSystemWriter(partial, sync_files=False)
        writer.fs = files
        if self.behind if behind is None else behind:
            future = dcp.async_save(state_of(run), storage_writer=writer, process_group=self.group)
            self.pending = self.pool.submit(self._finish, future.result, partial, run.step, files, begun)
        else:
            state = state_of(run)
            write = lambda: dcp.save(state, storage_writer=writer, process_group=self.group)  # noqa: E731
            self._finish(write, partial, run.step, files, begun)
        return time.perf_counter() - begun

    def _prepared(self, step):
        """Return the hidden folder of a step, made by the first rank; None where a whole checkpoint is there."""
        path = [None]
        if self.rank == 0:
            try:
                path = [str(durable.prepare(self.folder, step))]
            except (FileExistsError, OSError) as error:
                self.told(f"step {step} is not saved: {error}")
        dist.broadcast_object_list(path, src=0, group=self.group)
        return path[0] and Path(path[0])

    def _finish(self, write, partial, step, files, begun):
        """Write all shards and publish them; where the disk is full, say so, take the rest away and go on."""
        try:
            write()
            seals = [None] * dist.get_world_size()
            dist.all_gather_object(seals, files.seals, group=self.group)
            if self.rank == 0:
                whole = {name: seal for own in seals for name, seal in own.items()}
                durable.publish(partial, step, whole, {"world": len(seals)}, self.after)
                if self.tiers:
                    retention.sweep(self.folder, step, self.tiers)
            self.told(f"step {step} saved in {time.perf_counter() - begun:.3f} s")
        except (dcp.api.CheckpointException, OSError) as error:
            self.told(f"step {step} is not saved: {files.failure or reason(error)}")
            if self.rank == 0:
                shutil.rmtree(partial, ignore_errors=True)
        dist.barrier(group=self.group)

    def wait(self):
        """Wait until nothing is being written any more."""
        if self.pending is not None:
            self.pending.result()
            self.pending = None


def reason(error):
    """Return the first cause that a failed save names."""
    failures = getattr(error, "failures", {})
    first = next(iter(failures.values()), None)
    return str(first[0] if isinstance(first, tuple) else error)


# ---------------------------------------------------------------- resuming


def chosen(folder, rank, tell=durable.nothing):
    """Return the newest whole checkpoint, which the first rank has verified, or None where there has been none.

    Raises: Damaged on all ranks, where there are checkpoints and none is whole: to begin anew is not ours to decide.
    """
    found = [None, None]
    if rank == 0 and durable.listed(folder):
        try:
            found = [durable.newest(folder, tell).name, None]
        except durable.Damaged as error:
            found = [None, str(error)]
    dist.broadcast_object_list(found, src=0)
    name, refusal = found
    if refusal:
        raise durable.Damaged(refusal)
    return name and Path(folder, name)


def resume(run, folder, tell=durable.nothing, without=(), skip=0):
    """Take over the newest whole checkpoint, whatever number of ranks wrote it; return its step, 0 if there is none.

    `without` names parts that are left out on purpose, to see that it shows; `skip` passes over the data of so
    many steps, those that a spike of the loss came with.
    """
    path = chosen(folder, run.rank, tell)
    if path is None:
        return 0
    same = durable.body(path)["notes"]["world"] == run.world
    state = state_of(run)
    if not same:  # random states of a rank that no longer exists belong to nobody
        state = {key: value for key, value in state.items() if not key.startswith(("loader", "random"))}
    fresh = [p.detach().clone() for p in run.model.parameters()]
    dcp.load(state, checkpoint_id=path)  # in place: into the very tensors of the model
    set_state_dict(run.model, run.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    counts = json.loads(state["progress"])
    run.step, run.updates, run.skipped = counts["step"], counts["updates"], counts["skipped"] + skip
    if "scale" not in without:
        run.scale.restore(counts["scale"])
    _readers(run, state, same, without, skip)
    _forget(run, fresh, without)
    return run.step


def _readers(run, state, same, without, skip):
    """Put loader and random states back; on another number of ranks the order goes on and the draws are new."""
    source = loader(run.rank, run.world, run.seed, 0 if "order" in without else run.place, run.noise)
    if same and not skip and "order" not in without:
        source.load_state_dict(json.loads(state[f"loader.{run.rank}"]))
    run.read(source)  # before the random states, since it draws from them
    if not same:
        run.draw(run.step)
    elif "random" not in without:
        set_random_states(json.loads(state[f"random.{run.rank}"]))


@torch.no_grad()
def _forget(run, fresh, without):
    """Undo what was to be left out of weights, moments and step count."""
    for parameter, old in zip(run.model.parameters(), fresh, strict=True):
        if "weights" in without:
            parameter.copy_(old)
        moments = run.optimizer.state[parameter]
        for name in (name for part, names in OF_ADAM.items() if part in without for name in names):
            moments[name].zero_()  # as a new optimizer begins
    if "schedule" in without:
        run.updates = 0
