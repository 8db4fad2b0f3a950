"""Durable checkpoints: checksums of the bytes in memory, a temporary folder, one atomic rename.

A checkpoint is a folder `step-00000020`. The writer of its files supplies their sizes and checksums, computed
from the bytes as they are written; `publish` stores them in a manifest with a checksum of its own and renames the
folder last, after everything has been synced. A folder with the final name is complete, and later damage is found
by `faults`.
"""

import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

MANIFEST = "manifest.json"


class Damaged(Exception):
    """A checkpoint is damaged, or all checkpoints of a folder are."""


def ignore(stage):
    """Ignore a stage of a write or a message."""


class ChecksummedFile:
    """A binary file that computes the checksum of what is written and is synced when closed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ChecksummedFile(Path(folder, "x")) as file:
    ...         _ = file.write(b"abc")
    ...     file.checksum[0], file.checksum[1][:6]
    (3, 'ba7816')
    """

    def __init__(self, path, after=ignore):
        """Create a file; `after` is called with its first write and after its sync."""
        self.path, self._after, self._begun = Path(path), after, False
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 - closed by this class
        self._sum, self._size = hashlib.sha256(), 0
        self.failure = None  # the error of the operating system, which a calling library may hide

    def write(self, data):
        """Write bytes and return how many."""
        self._sum.update(data)
        self._size += memoryview(data).nbytes
        try:
            self._all(memoryview(data).cast("B"))
        except OSError as error:
            self.failure = error
            raise
        if not self._begun:
            self._begun = True
            self._after(f"{self.path.name}: begun")
        return memoryview(data).nbytes

    def _all(self, data):
        while data:
            data = data[self._file.write(data) :]

    def tell(self):
        """Return how many bytes have been written."""
        return self._size

    def flush(self):
        """Do nothing: every write goes to the operating system at once."""

    def fileno(self):
        """Return the file descriptor."""
        return self._file.fileno()

    @property
    def checksum(self):
        """Return size and SHA-256 of what was written, for the manifest."""
        return [self._size, self._sum.hexdigest()]

    def close(self):
        """Sync and close the file; closing it twice is allowed."""
        if self._file.closed:
            return
        os.fsync(self._file.fileno())
        self._file.close()
        self._after(f"{self.path.name}: synced")

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if failure[0] is None:
            self.close()
        else:
            self._file.close()


# ---------------------------------------------------------------- writing


def place(folder, step):
    """Return the path of the checkpoint of a step.

    >>> place("runs", 20).name
    'step-00000020'
    """
    return Path(folder) / f"step-{step:08}"


def prepare(folder, step):
    """Create the temporary folder for the files of a step and return it.

    Raises: FileExistsError if an intact checkpoint of this step exists.
    """
    final = place(folder, step)
    if intact(final):
        raise FileExistsError(f"{final.name} exists and is intact")
    partial = final.with_name(f".{final.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)  # left by a crash
    partial.mkdir(parents=True)
    return partial


def publish(partial, step, checksums, notes=None, after=ignore):
    """Write the manifest of a temporary folder, rename the folder, and return its path.

    `checksums` maps each file to its size and SHA-256; `notes` are metadata of the run for the manifest, as JSON.
    `after(stage)` is called after each operation on the disk.
    """
    partial = Path(partial)
    final = place(partial.parent, step)
    with ChecksummedFile(partial / MANIFEST, after) as file:
        file.write(_manifest(step, checksums, notes or {}))
    _sync(partial)
    after("folder synced")
    shutil.rmtree(final, ignore_errors=True)  # damaged, otherwise `prepare` has raised
    forget(final)
    os.rename(partial, final)
    after("renamed")
    _sync(partial.parent)
    after("rename synced")
    return final


def write(folder, step, contents, notes=None, after=ignore):
    """Write a checkpoint of files given as bytes by name, and return its path."""
    partial = prepare(folder, step)
    checksums = {}
    for name, data in contents.items():
        with ChecksummedFile(partial / name, after) as file:
            file.write(data[: len(data) // 2])
            file.write(data[len(data) // 2 :])
        checksums[name] = file.checksum
    return publish(partial, step, checksums, notes, after)


def stages(files):
    """Return how often `write` calls `after`: twice for each file and the manifest, three times at the end."""
    return 2 * (files + 1) + 3


def _manifest(step, checksums, notes):
    body = {"step": step, "files": checksums, "notes": notes}
    return json.dumps({"body": body, "sha256": _digest(_canonical(body))}, indent=1).encode()


def _canonical(body):
    return json.dumps(body, sort_keys=True).encode()


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _sync(folder):
    """Sync a folder: a synced file is lost if its directory entry is not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---------------------------------------------------------------- reading


def faults(path, rank=0, world=1):
    """Return the damage of a checkpoint, one message per file; empty if it is intact.

    Each of `world` ranks reads only its share of the files; all read the manifest.
    """
    try:
        files = body(path)["files"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{MANIFEST}: {type(error).__name__}"]
    found = (_fault(Path(path, name), *files[name]) for name in share(files, rank, world))
    return [fault for fault in found if fault]


def share(files, rank, world):
    """Return the files that one rank verifies.

    >>> share({"__0_0.distcp": [], "__1_0.distcp": [], "x": []}, 0, 2)
    ['__0_0.distcp', 'x']
    """
    return sorted(files)[rank::world]


def intact(path):
    """Return whether a checkpoint is complete and not known to be damaged, without reading its files."""
    try:
        files = body(path)["files"]
        whole = all(Path(path, name).stat().st_size == size for name, (size, _) in files.items())
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return whole and not verdict(path)


def verdict(path):
    """Return the result of the last verification: a list of faults, or None before the first."""
    try:
        return json.loads(_verdict(path).read_text())
    except (OSError, ValueError):
        return None


def remember(path, found):
    """Store the result of a verification next to a checkpoint, unless the disk is full."""
    with suppress(OSError):
        _verdict(path).write_text(json.dumps(found))


def forget(path):
    """Delete the stored verification of a checkpoint."""
    _verdict(path).unlink(missing_ok=True)


def _verdict(path):
    path = Path(path)
    return path.with_name(f".{path.name}.verdict")


def body(path):
    """Return step, files and notes of a checkpoint.

    Raises: ValueError if the manifest is damaged.
    """
    content = json.loads(Path(path, MANIFEST).read_bytes())
    if _digest(_canonical(content["body"])) != content["sha256"]:
        raise ValueError("the checksum of the manifest does not match")
    return content["body"]


def _fault(path, size, digest):
    if not path.exists():
        return f"{path.name}: missing"
    if path.stat().st_size != size:
        return f"{path.name}: {path.stat().st_size} bytes, not {size}"
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return None if found == digest else f"{path.name}: checksum"


def listed(folder):
    """Return the checkpoints of a folder, newest first, intact or not."""
    return sorted(Path(folder).glob("step-*"), reverse=True)


def newest(folder, report=ignore):
    """Return the newest intact checkpoint of a folder.

    `report` is called with a message for each damaged one.

    Raises: Damaged if none is intact.
    """
    for path in listed(folder):
        found = faults(path)
        remember(path, found)
        if not found:
            return path
        report(f"{path.name} passed over: {'; '.join(found)}")
    raise Damaged(f"no checkpoint in {Path(folder).name} is whole")


def step_of(path):
    """Return the step of a checkpoint.

    >>> step_of("runs/step-00000020")
    20
    """
    return int(Path(path).name.removeprefix("step-"))
