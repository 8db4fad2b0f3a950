"""What may be left after a power cut: a model of a disk that keeps only what it has been told to keep.

A kill leaves the operating system alive, which writes out what it has in its buffers; so no kill can show
whether the syncs stand in the right order. This model is as unkind as the standard allows: a byte is there
only after a sync of its file, a name only after a sync of its folder, and a rename may be there at once.
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from practice import durable


class Cut(NamedTuple):
    """A power cut after so many operations: the last of them, whether the checkpoint has its name, its faults."""

    after: str
    named: bool
    faults: list


class Recorder:
    """Notes every sync and rename of the code it watches, as (kind, path, path)."""

    def __init__(self):
        """Begin with an empty record."""
        self.log, self._sync, self._rename = [], os.fsync, os.rename

    def fsync(self, handle):
        """Sync and note it, with the names that a folder holds just then."""
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        self._sync(handle)
        self.log.append(("sync", path, frozenset(os.listdir(path)) if path.is_dir() else None))

    def rename(self, old, new):
        """Rename and note it."""
        self._rename(old, new)
        self.log.append(("rename", Path(old), Path(new)))


def cuts(folder, write):
    """Run `write()`, which publishes one checkpoint in `folder`, and return what a cut after each operation leaves.

    The last Cut is of the time after the end: there a checkpoint that has been promised must have its name.
    """
    folder, recorder = Path(folder).resolve(), Recorder()
    with mock.patch.object(os, "fsync", recorder.fsync), mock.patch.object(os, "rename", recorder.rename):
        final = Path(write()).resolve()
    bytes_ = {file.name: file.read_bytes() for file in final.iterdir()}
    return [_cut(folder, final, bytes_, recorder.log[:count]) for count in range(1, len(recorder.log) + 1)]


def _cut(folder, final, bytes_, log):
    renamed = [i for i, (kind, *_) in enumerate(log) if kind == "rename"]
    place = folder / ".cut" / final.name
    shutil.rmtree(place.parent, ignore_errors=True)
    found = []
    if renamed:  # the unkind case: the rename has reached the disk before everything that was not synced
        place.mkdir(parents=True)
        inside = {final, log[renamed[0]][1]}
        names = {name for kind, path, held in log if kind == "sync" and path in inside and held for name in held}
        synced = {path.name for kind, path, held in log if kind == "sync" and path.parent in inside and held is None}
        for name in names:
            (place / name).write_bytes(bytes_[name] if name in synced else b"")
        found = durable.faults(place)
    shutil.rmtree(place.parent, ignore_errors=True)
    kind, path, _ = log[-1]
    return Cut(f"{kind} of {'the folder' if path == folder else path.name}", bool(renamed), found)


def promised(folder, log):
    """Say whether the name of the checkpoint is sure to be there: the folder was synced after the rename."""
    last = max(i for i, cut in enumerate(log) if cut.after.startswith("rename"))
    return any(cut.after == "sync of the folder" for cut in log[last + 1 :])


def broken(folder, write):
    """Return in words what a power cut could break; nothing where the order is right."""
    log = cuts(folder, write)
    told = [f"after the {cut.after}: {'; '.join(cut.faults)}" for cut in log if cut.named and cut.faults]
    return told + ([] if promised(folder, log) else ["the name may be gone though the save was reported"])
