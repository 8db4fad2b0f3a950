"""Simulation of power cuts on a disk that keeps only what has been synced.

After a kill the operating system still writes its buffers, so no kill can test the order of the syncs. This model is
the worst case that POSIX allows: data persist only after a sync of the file, directory entries only after a sync of
the folder, and a rename may persist at once.
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from practice import durable


class Cut(NamedTuple):
    """A power cut: the last operation before it, whether the checkpoint has been renamed, and its faults."""

    after: str
    named: bool
    faults: list


class Recorder:
    """Records every sync and rename as `(kind, path, detail)`."""

    def __init__(self):
        """Start with an empty record."""
        self.log, self._sync, self._rename = [], os.fsync, os.rename

    def fsync(self, handle):
        """Sync, and record it with the current entries of a folder."""
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        self._sync(handle)
        self.log.append(("sync", path, frozenset(os.listdir(path)) if path.is_dir() else None))

    def rename(self, old, new):
        """Rename, and record it."""
        self._rename(old, new)
        self.log.append(("rename", Path(old), Path(new)))


def cuts(folder, write):
    """Run `write()`, which publishes one checkpoint in `folder`, and return a Cut after each operation.

    The last Cut is after the end, when the checkpoint must have its final name.
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
    if renamed:  # worst case: the rename has reached the disk before everything that was not synced
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


def rename_synced(folder, log):
    """Return whether the folder was synced after the rename, so that the name persists."""
    last = max(i for i, cut in enumerate(log) if cut.after.startswith("rename"))
    return any(cut.after == "sync of the folder" for cut in log[last + 1 :])


def broken(folder, write):
    """Return messages about what a power cut could break; empty if the order is right."""
    log = cuts(folder, write)
    messages = [f"after the {cut.after}: {'; '.join(cut.faults)}" for cut in log if cut.named and cut.faults]
    return messages + ([] if rename_synced(folder, log) else ["the name may be lost although the save was reported"])
