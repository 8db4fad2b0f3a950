"""Save and resume the run with torch's distributed checkpoints, sealed by a manifest of our own.

Every rank writes its own shard through `Sealed`, which takes the checksum on the way to the disk. The first
rank gathers the seals, writes the manifest and gives the checkpoint its name; see `practice.durable`.
"""

import json
import os
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.filesystem import FileSystem
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from practice import durable, retention
from practice.run.data import loader

# what AdamW keeps of a parameter, by what may be left out of it: one part, both moments, or all of it
OF_ADAM = {"first": ("exp_avg",), "second": ("exp_avg_sq",), "schedule": ("step",)}
OF_ADAM |= {"moments": ("exp_avg", "exp_avg_sq"), "optimizer": ("exp_avg", "exp_avg_sq", "step")}


# ---------------------------------------------------------------- what is saved


def state_of(run):
    """Return all that a resumed run needs, as this rank knows it."""
    if not run.optimizer.state:  # torch makes it by a step on gradients of zero, which must not count
        get_state_dict(run.model, run.optimizer)
        for moments in run.optimizer.state.values():
            moments["step"].zero_()
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


class Keeping(NamedTuple):
    """What stays of the checkpoints, and what crosses to the other region."""

    tiers: tuple = ()  # empty: nothing is deleted
    by_time: bool = False  # ages are seconds since the save, not steps
    copies: Path | None = None  # the folder that a cloud carries over
    copy_every: float = 0.0  # seconds

    def sweep(self, folder, step):
        """Delete what no tier holds."""
        if self.tiers and self.by_time:
            retention.sweep(folder, int(time.time()), self.tiers, retention.saved_at)
        elif self.tiers:
            retention.sweep(folder, step, self.tiers)

    def copy_due(self):
        """Say whether the newest copy is old enough for another."""
        there = durable.listed(self.copies)
        return not there or time.time() - retention.saved_at(there[0]) >= self.copy_every

    def place(self, path, beside):
        """Give a copy its manifest and its name, keep the newest two, and return what is to be told."""
        shutil.copyfile(path / durable.MANIFEST, beside / durable.MANIFEST)
        self.copies.mkdir(parents=True, exist_ok=True)
        os.rename(beside, self.copies / path.name)
        for old in durable.listed(self.copies)[2:]:
            shutil.rmtree(old)
        return f"{path.name} copied"


def copied(path, beside, rank, world):
    """Copy a rank's share of the files of a checkpoint, and return None or why that failed."""
    try:
        beside.mkdir(exist_ok=True)
        for name in durable.share(durable.body(path)["files"], rank, world):
            shutil.copyfile(path / name, beside / name)
    except OSError as error:
        return str(error)
    return None


class Saver:
    """Writes checkpoints of a run, at once or behind its back, one at a time."""

    def __init__(self, folder, rank, after=durable.nothing, behind=False, report=durable.nothing, keeping=None):
        """Write into `folder`; with `behind` a save returns as soon as the state has been copied.

        `keeping` says what is swept after each save and what is copied for the other region.
        """
        self.folder, self.rank, self.after, self.behind, self.report = Path(folder), rank, after, behind, report
        self.keeping = keeping or Keeping()
        # collectives of the save must not mix with those of the step
        self.group = dist.new_group(backend="gloo")
        self.pool, self.pending = ThreadPoolExecutor(1), None

    def save(self, run, urgent=False):
        """Write a checkpoint of the run; return the seconds for which the step stood still.

        An urgent one, after a notice, is written at once, and nothing is swept or copied before the ranks leave.
        """
        begun = time.perf_counter()
        self.wait()
        files = SealedFiles(self.after)
        partial = self._prepared(run.step)
        if partial is None:
            return time.perf_counter() - begun
        writer = dcp.FileSystemWriter(partial, sync_files=False)
        writer.fs = files
        if self.behind and not urgent:
            future = dcp.async_save(state_of(run), storage_writer=writer, process_group=self.group)
            self.pending = self.pool.submit(self._finish, future.result, partial, run.step, files, begun)
        else:
            state = state_of(run)
            write = lambda: dcp.save(state, storage_writer=writer, process_group=self.group)  # noqa: E731
            self._finish(write, partial, run.step, files, begun, urgent)
        return time.perf_counter() - begun

    def _prepared(self, step):
        """Return the hidden folder of a step, made by the first rank; None where a whole checkpoint is there."""
        path = [None]
        if self.rank == 0:
            try:
                path = [str(durable.prepare(self.folder, step))]
            except (FileExistsError, OSError) as error:
                self.report(f"step {step} is not saved: {error}")
        dist.broadcast_object_list(path, src=0, group=self.group)
        return path[0] and Path(path[0])

    def _finish(self, write, partial, step, files, begun, urgent=False):
        """Write all shards and publish them; where the disk is full, say so, take the rest away and go on."""
        try:
            write()
            seals = [None] * dist.get_world_size()
            dist.all_gather_object(seals, files.seals, group=self.group)
            if self.rank == 0:
                whole = {name: seal for own in seals for name, seal in own.items()}
                notes = {"world": len(seals), "at": time.time()}
                durable.publish(partial, step, whole, notes, self.after)
                if not urgent:
                    self.keeping.sweep(self.folder, step)
            self.report(f"step {step} saved in {time.perf_counter() - begun:.3f} s")
        except (dcp.api.CheckpointException, OSError) as error:
            self.report(f"step {step} is not saved: {files.failure or reason(error)}")
            if self.rank == 0:
                shutil.rmtree(partial, ignore_errors=True)
        dist.barrier(group=self.group)
        if self.keeping.copies and not urgent:
            self._copy(durable.place(self.folder, step))

    def _copy(self, path):
        """Copy a checkpoint for the other region, if one is due: every rank its own share of the files."""
        due = [self.rank == 0 and durable.intact(path) and self.keeping.copy_due()]
        dist.broadcast_object_list(due, src=0, group=self.group)
        if not due[0]:
            return
        beside = path.with_name(f".{path.name}.copy")  # not where a cloud would already take it away
        world = dist.get_world_size()
        failed = [None] * world
        dist.all_gather_object(failed, copied(path, beside, self.rank, world), group=self.group)
        if self.rank == 0:
            failed = [each for each in failed if each]
            self.report(f"{path.name} is not copied: {failed[0]}" if failed else self.keeping.place(path, beside))

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


def chosen(folder, rank, report=durable.nothing):
    """Return the newest whole checkpoint, or None where there has been none; each rank verifies its own share.

    What is found is remembered beside the checkpoint, so that a sweep need not read it again.

    Raises: Damaged on all ranks, where there are checkpoints and none is whole: to begin anew is not ours to decide.
    """
    there = [[path.name for path in durable.listed(folder)] if rank == 0 else None]
    dist.broadcast_object_list(there, src=0)
    for name in there[0]:
        found = verified(Path(folder, name), rank, report)
        if rank == 0:
            durable.remember(Path(folder, name), found)
        if not found:
            return Path(folder, name)
        report(f"{name} passed over: {'; '.join(found)}")
    if there[0]:
        raise durable.Damaged(f"no checkpoint in {Path(folder).name} is whole")
    return None


def verified(path, rank, report=durable.nothing):
    """Return what all ranks together find wrong with a checkpoint; each reads its own share and says which files."""
    world = dist.get_world_size()
    found, own = [None] * world, durable.faults(path, rank, world)
    if not own:
        report(f"{path.name} verified: {', '.join(durable.share(durable.body(path)['files'], rank, world))}")
    dist.all_gather_object(found, own)
    return sorted({fault for own in found for fault in own})


def resume(run, folder, report=durable.nothing, without=(), skip=0, memory=None):
    """Take over the newest whole checkpoint, from memory where that is as new; return its step, 0 if there is none.

    One from storage may have been written by any number of ranks. `without` names parts that are left out on
    purpose, to see that it shows; `skip` passes over the data of so many steps, those that a spike of the loss came
    with.
    """
    fresh = [p.detach().clone() for p in run.model.parameters()]
    state, same = memory and memory.load(_newest_step(folder, run.rank), state_of(run)), True
    if not state:
        path = chosen(folder, run.rank, report)
        if path is None:
            return 0
        same = durable.body(path)["notes"]["world"] == run.world
        state = state_of(run)
        if not same:  # random states of a rank that no longer exists belong to nobody
            state = {key: value for key, value in state.items() if not key.startswith(("loader", "random"))}
        dcp.load(state, checkpoint_id=path)  # in place: into the very tensors of the model
    set_state_dict(run.model, run.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    counts = json.loads(state["progress"])
    run.step, run.updates, run.skipped = counts["step"], counts["updates"], counts["skipped"] + skip
    if "scale" not in without:
        run.scale.restore(counts["scale"])
    _readers(run, state, same, without, skip)
    _forget(run, fresh, without)
    return run.step


def _newest_step(folder, rank):
    """Return the step of the newest checkpoint in storage, whole or not, on every rank; 0 where there is none."""
    there = [durable.step_of(path) for path in durable.listed(folder)[:1]] if rank == 0 else None
    found = [there]
    dist.broadcast_object_list(found, src=0)
    return found[0][0] if found[0] else 0


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
