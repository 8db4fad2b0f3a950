"""Sharded checkpoints on disk: written beside, checked by SHA-256, put in place by one rename.

A checkpoint is a folder `step-00000020` with one safetensors file for each rank and a manifest that
names every file, its size and its checksum, and carries a checksum of its own. The folder gets its
name last, when every byte of it is known to lie on the disk: whatever has the name is whole.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
from safetensors import numpy as safetensors

from practice.state import State

MANIFEST = "manifest.json"


class Damaged(Exception):
    """A checkpoint whose bytes are not those that were written."""


def nothing(stage):
    """Be told of a stage of a write and do nothing."""


def write(folder, step, state, ranks=4, after=nothing):
    """Write a checkpoint and return its path; `after(stage)` is called after each thing done to the disk.

    Raises: FileExistsError where a whole checkpoint of this step lies already.
    """
    folder = Path(folder)
    final, partial = folder / f"step-{step:08}", folder / f".step-{step:08}.partial"
    if final.exists() and not faults(final):
        raise FileExistsError(final.name)
    shutil.rmtree(partial, ignore_errors=True)  # what a crash left behind
    partial.mkdir(parents=True)
    files = {}
    for rank in range(ranks):
        name = f"rank-{rank:05}-of-{ranks:05}.safetensors"
        files[name] = _put(partial / name, safetensors.save(_shard(state.tensors, rank, ranks)), after)
    _put(partial / MANIFEST, _manifest(step, state, files), after)
    _sync(partial)
    after("folder synced")
    shutil.rmtree(final, ignore_errors=True)  # damaged, else refused above
    os.rename(partial, final)
    after("renamed")
    _sync(folder)
    after("rename synced")
    return final


def stages(ranks=4):
    """Return how often a write calls `after`: twice for each file, three times at its end."""
    return 2 * (ranks + 1) + 3


def _shard(tensors, rank, ranks):
    """Return the slice of each tensor, laid out flat, that belongs to one rank."""
    return {name: np.array_split(t.reshape(-1), ranks)[rank] for name, t in tensors.items()}


def _manifest(step, state, files):
    shapes = {name: [str(t.dtype), list(t.shape)] for name, t in state.tensors.items()}
    body = {"step": step, "tensors": shapes, "notes": state.notes, "files": files}
    return json.dumps({"body": body, "sha256": _digest(_canonical(body))}, indent=1).encode()


def _canonical(body):
    return json.dumps(body, sort_keys=True).encode()


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _put(path, data, after):
    """Write a file in two halves, see it onto the disk, and return its size and checksum."""
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        after(f"{path.name}: half")
        file.write(data[len(data) // 2 :])
        file.flush()
        os.fsync(file.fileno())
    after(f"{path.name}: synced")
    return [len(data), _digest(data)]


def _sync(folder):
    """See the names in a folder onto the disk: a file that is safe is lost if its name is not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---------------------------------------------------------------- reading


def faults(path):
    """Return what is wrong with a checkpoint, one sentence for each fault; nothing if it is whole."""
    try:
        body = _body(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{MANIFEST}: {type(error).__name__}"]
    return [told for told in (_fault(Path(path, n), *seen) for n, seen in body["files"].items()) if told]


def _body(path):
    content = json.loads(Path(path, MANIFEST).read_bytes())
    if _digest(_canonical(content["body"])) != content["sha256"]:
        raise ValueError("the manifest's own checksum does not fit")
    return content["body"]


def _fault(path, size, digest):
    if not path.exists():
        return f"{path.name}: missing"
    data = path.read_bytes()
    if len(data) != size:
        return f"{path.name}: {len(data)} bytes, not {size}"
    return None if _digest(data) == digest else f"{path.name}: checksum"


def read(path):
    """Return the state in a checkpoint, whatever number of ranks wrote it.

    Raises: Damaged, naming every fault.
    """
    if found := faults(path):
        raise Damaged("; ".join(found))
    body = _body(path)
    shards = [safetensors.load(Path(path, name).read_bytes()) for name in sorted(body["files"])]
    tensors = {
        name: np.concatenate([shard[name] for shard in shards]).reshape(shape)
        for name, (_, shape) in body["tensors"].items()
    }
    return State(tensors, body["notes"])


def listed(folder):
    """Return the checkpoints of a folder, newest first, whole or not."""
    return sorted(Path(folder).glob("step-*"), reverse=True)


def newest(folder):
    """Return the newest checkpoint of a folder that is whole, passing over damaged ones.

    Raises: Damaged where none is.
    """
    for path in listed(folder):
        if not faults(path):
            return path
    raise Damaged("no checkpoint is whole")


def step_of(path):
    """Return the step of a checkpoint.

    >>> step_of("runs/step-00000020")
    20
    """
    return int(Path(path).name.removeprefix("step-"))
