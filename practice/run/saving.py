"""Save and resume the run with torch.distributed.checkpoint and a manifest of checksums.

Every rank writes its own shard through `ChecksummedFile`, which computes the checksum of the written bytes. The first
rank gathers the checksums, writes the manifest and renames the checkpoint; see `practice.durable`.
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
from torch.distributed.checkpoint.staging import DefaultStager, StagingOptions
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from practice import durable, retention
from practice.run.data import loader

# entries of the AdamW state, by what can be omitted: one entry, both moments, or all
OF_ADAM = {"first": ("exp_avg",), "second": ("exp_avg_sq",), "schedule": ("step",)}
OF_ADAM |= {"moments": ("exp_avg", "exp_avg_sq"), "optimizer": ("exp_avg", "exp_avg_sq", "step")}


# ---------------------------------------------------------------- state


def state_of(run):
    """Return the part of this rank of the state that a resumed run needs."""
    if not run.optimizer.state:  # torch creates it by a step with zero gradients, which must not count
        get_state_dict(run.model, run.optimizer)
        for moments in run.optimizer.state.values():
            moments["step"].zero_()
    model, optimizer = get_state_dict(run.model, run.optimizer)
    return {
        "model": model,
        "optimizer": optimizer,
        "progress": json.dumps(progress(run)),
        # one key per rank: equal keys count as replicas, of which only one is written
        f"loader.{run.rank}": json.dumps(run.loader.state_dict()),
        f"random.{run.rank}": json.dumps(random_states()),
    }


def host_copy(run):
    """Return a copy of the state in host memory, which training does not change: memory and storage share it."""
    plain = StagingOptions(False, False, False, False)  # not pinned, not shared, not in a thread, and blocking
    return DefaultStager(plain).stage(state_of(run))


def progress(run):
    """Return the counters of a run, which are equal on all ranks."""
    return {"step": run.step, "skipped": run.skipped, "updates": run.updates, "scale": run.scale.state()}


def random_states():
    """Return the random states of Python, NumPy and torch."""
    kind, keys, *rest = np.random.get_state()
    return {"python": random.getstate(), "numpy": [kind, keys.tolist(), *rest], "torch": torch.get_rng_state().tolist()}


def set_random_states(states):
    """Restore the three random states."""
    version, keys, gauss = states["python"]
    random.setstate((version, tuple(keys), gauss))
    np.random.set_state(tuple(states["numpy"]))
    torch.set_rng_state(torch.tensor(states["torch"], dtype=torch.uint8))


# ---------------------------------------------------------------- saving


class ChecksummedFileSystem(FileSystem):
    """File system of a distributed checkpoint that computes the checksum of every written file."""

    def __init__(self, after):
        """Call `after` at each stage."""
        self.after, self.checksums, self.failure = after, {}, None

    @contextmanager
    def create_stream(self, path, mode):
        """Open a file; for a written one, record size and checksum."""
        if mode != "wb":
            with super().create_stream(path, mode) as stream:
                yield stream
            return
        stream = durable.ChecksummedFile(path, self.after)
        try:
            with stream:
                yield stream
        finally:
            self.failure = self.failure or stream.failure
        self.checksums[Path(path).name.removesuffix(".tmp")] = stream.checksum


class RetentionPolicy(NamedTuple):
    """Which checkpoints are retained, and how often one is copied to the second region."""

    tiers: tuple = ()  # empty: nothing is deleted
    by_time: bool = False  # ages in seconds since the save, not in steps
    copies: Path | None = None  # folder that is replicated to the second region
    copy_every: float = 0.0  # seconds

    def sweep(self, folder, step):
        """Delete expired checkpoints."""
        if self.tiers and self.by_time:
            retention.sweep(folder, int(time.time()), self.tiers, retention.saved_at)
        elif self.tiers:
            retention.sweep(folder, step, self.tiers)

    def copy_due(self):
        """Return whether another copy is due."""
        there = durable.listed(self.copies)
        return not there or time.time() - retention.saved_at(there[0]) >= self.copy_every

    def place(self, path, beside):
        """Write the manifest of a copy, rename it, keep the newest two copies, and return a log message."""
        shutil.copyfile(path / durable.MANIFEST, beside / durable.MANIFEST)
        self.copies.mkdir(parents=True, exist_ok=True)
        os.rename(beside, self.copies / path.name)
        for old in durable.listed(self.copies)[2:]:
            shutil.rmtree(old)
        return f"{path.name} copied"


def copied(path, beside, rank, world):
    """Copy the share of one rank of the files of a checkpoint; return None or an error message."""
    try:
        beside.mkdir(exist_ok=True)
        for name in durable.share(durable.body(path)["files"], rank, world):
            shutil.copyfile(path / name, beside / name)
    except OSError as error:
        return str(error)
    return None


class Saver:
    """Writes checkpoints of a run, synchronously or asynchronously, one at a time."""

    def __init__(
        self, folder, rank, after=durable.ignore, async_save=False, report=durable.ignore, retention_policy=None
    ):
        """Write into `folder`; with `async_save` a save returns as soon as the state has been copied.

        `retention_policy` determines what is deleted and what is copied to the second region after each save.
        """
        self.folder, self.rank, self.after, self.async_save, self.report = Path(folder), rank, after, async_save, report
        self.retention_policy = retention_policy or RetentionPolicy()
        # separate from the collectives of the steps
        self.group = dist.new_group(backend="gloo")
        self.pool, self.pending = ThreadPoolExecutor(1), None

    def save(self, run, copy=None, urgent=False):
        """Write a checkpoint of the run and return the seconds for which training stalled.

        `copy` is a host_copy of the state, if there is one. After a notice (`urgent`) the save is synchronous, and
        nothing is deleted or copied to the second region before the ranks exit.
        """
        begun = time.perf_counter()
        self.wait()
        files = ChecksummedFileSystem(self.after)
        partial = self._prepared(run.step)
        if partial is None:
            return time.perf_counter() - begun
        writer = dcp.FileSystemWriter(partial, sync_files=False)
        writer.fs = files
        asynchronous = self.async_save and not urgent
        state = copy or (host_copy(run) if asynchronous else state_of(run))
        write = lambda: dcp.save(state, storage_writer=writer, process_group=self.group)  # noqa: E731
        if asynchronous:
            self.pending = self.pool.submit(self._finish, write, partial, run.step, files, begun)
        else:
            self._finish(write, partial, run.step, files, begun, urgent)
        return time.perf_counter() - begun

    def _prepared(self, step):
        """Return the temporary folder of a step, created by the first rank; None if the checkpoint exists."""
        path = [None]
        if self.rank == 0:
            try:
                path = [str(durable.prepare(self.folder, step))]
            except (FileExistsError, OSError) as error:
                self.report(f"step {step} is not saved: {error}")
        dist.broadcast_object_list(path, src=0, group=self.group)
        return path[0] and Path(path[0])

    def _finish(self, write, partial, step, files, begun, urgent=False):
        """Write all shards and rename the checkpoint; if the disk is full, delete what was written and continue."""
        try:
            write()
            checksums = [None] * dist.get_world_size()
            dist.all_gather_object(checksums, files.checksums, group=self.group)
            if self.rank == 0:
                whole = {name: checksum for own in checksums for name, checksum in own.items()}
                notes = {"world": len(checksums), "at": time.time()}
                durable.publish(partial, step, whole, notes, self.after)
                if not urgent:
                    self.retention_policy.sweep(self.folder, step)
            self.report(f"step {step} saved in {time.perf_counter() - begun:.3f} s")
        except (dcp.api.CheckpointException, OSError) as error:
            if self.rank == 0:
                shutil.rmtree(partial, ignore_errors=True)  # first, for the log needs room as well
            self.report(f"step {step} is not saved: {files.failure or reason(error)}")
        dist.barrier(group=self.group)
        if self.retention_policy.copies and not urgent:
            self._copy(durable.place(self.folder, step))

    def _copy(self, path):
        """Copy a checkpoint for the second region if one is due; every rank copies its share of the files."""
        due = [self.rank == 0 and durable.intact(path) and self.retention_policy.copy_due()]
        dist.broadcast_object_list(due, src=0, group=self.group)
        if not due[0]:
            return
        beside = path.with_name(f".{path.name}.copy")  # outside of the replicated folder until it is complete
        world = dist.get_world_size()
        failed = [None] * world
        dist.all_gather_object(failed, copied(path, beside, self.rank, world), group=self.group)
        if self.rank == 0:
            failed = [each for each in failed if each]
            self.report(
                f"{path.name} is not copied: {failed[0]}" if failed else self.retention_policy.place(path, beside)
            )

    def wait(self):
        """Wait for a pending save."""
        if self.pending is not None:
            self.pending.result()
            self.pending = None


def reason(error):
    """Return the first cause of a failed save."""
    failures = getattr(error, "failures", {})
    first = next(iter(failures.values()), None)
    return str(first[0] if isinstance(first, tuple) else error)


# ---------------------------------------------------------------- resuming


def newest_intact(folder, rank, report=durable.ignore):
    """Return the newest intact checkpoint, or None if there is none at all; each rank verifies its share.

    The result is stored next to the checkpoint, so that retention need not read it again.

    Raises: Damaged on all ranks if all checkpoints are damaged, since starting from scratch is an operator's decision.
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


def verified(path, rank, report=durable.ignore):
    """Return the damage of a checkpoint that all ranks together find; each verifies its share of the files."""
    world = dist.get_world_size()
    found, own = [None] * world, durable.faults(path, rank, world)
    if not own:
        report(f"{path.name} verified: {', '.join(durable.share(durable.body(path)['files'], rank, world))}")
    dist.all_gather_object(found, own)
    return sorted({fault for own in found for fault in own})


def resume(run, folder, report=durable.ignore, without=(), skip=0, memory=None):
    """Restore the newest intact checkpoint, from memory if that is as new; return its step, 0 if there is none.

    A checkpoint in storage may have been written by another number of ranks. `without` names parts that are omitted
    on purpose, for tests; `skip` is the number of steps whose data are skipped, after a loss spike.
    """
    fresh = [p.detach().clone() for p in run.model.parameters()]
    state, same = memory and memory.load(_newest_step(folder, run.rank), state_of(run)), True
    if not state:
        path = newest_intact(folder, run.rank, report)
        if path is None:
            return 0
        same = durable.body(path)["notes"]["world"] == run.world
        state = state_of(run)
        if not same:  # random states do not apply to other ranks
            state = {key: value for key, value in state.items() if not key.startswith(("loader", "random"))}
        dcp.load(state, checkpoint_id=path)  # in place, into the tensors of the model
    set_state_dict(run.model, run.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    counts = json.loads(state["progress"])
    run.step, run.updates, run.skipped = counts["step"], counts["updates"], counts["skipped"] + skip
    if "scale" not in without:
        run.scale.restore(counts["scale"])
    _restore_loader(run, state, same, without, skip)
    _reset_omitted(run, fresh, without)
    return run.step


def _newest_step(folder, rank):
    """Return the step of the newest checkpoint in storage, intact or not, on every rank; 0 if there is none."""
    there = [durable.step_of(path) for path in durable.listed(folder)[:1]] if rank == 0 else None
    found = [there]
    dist.broadcast_object_list(found, src=0)
    return found[0][0] if found[0] else 0


def _restore_loader(run, state, same, without, skip):
    """Restore loader and random states; on another number of ranks the data order continues with new random states."""
    source = loader(run.rank, run.world, run.seed, 0 if "order" in without else run.place, run.noise)
    if same and not skip and "order" not in without:
        source.load_state_dict(json.loads(state[f"loader.{run.rank}"]))
    run.read(source)  # before the random states, from which it draws
    if not same:
        run.draw(run.step)
    elif "random" not in without:
        set_random_states(json.loads(state[f"random.{run.rank}"]))


@torch.no_grad()
def _reset_omitted(run, fresh, without):
    """Reset the omitted parts of weights, moments and step counter."""
    for parameter, old in zip(run.model.parameters(), fresh, strict=True):
        if "weights" in without:
            parameter.copy_(old)
        moments = run.optimizer.state[parameter]
        for name in (name for part, names in OF_ADAM.items() if part in without for name in names):
            moments[name].zero_()  # as in a new optimizer
    if "schedule" in without:
        run.updates = 0
