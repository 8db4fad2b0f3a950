"""Checkpoints that survive: checksums from memory, written beside, put in place by one rename.

A checkpoint is a folder `step-00000020`. Whoever wrote its files hands in their sizes and checksums,
taken from the bytes on their way to the disk; `publish` writes them down in a manifest that carries a
checksum of its own and gives the folder its name last, when every byte is known to lie on the disk.
Whatever has the name is whole, and what is not whole any more is found by `faults` and passed over.
"""

import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

MANIFEST = "manifest.json"


class Damaged(Exception):
    """A checkpoint whose bytes are not those that were written, or a folder that holds no other."""


def nothing(stage):
    """Be told of a stage of a write and do nothing."""


class Sealed:
    """A binary file that takes the checksum of what it is given, and is on the disk when it is closed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Sealed(Path(folder, "x")) as file:
    ...         _ = file.write(b"abc")
    ...     file.seal[0], file.seal[1][:6]
    (3, 'ba7816')
    """

    def __init__(self, path, after=nothing):
        """Open a new file; `after` is told when its first bytes are written and when it is synced."""
        self.path, self._after, self._begun = Path(path), after, False
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 - this is the manager of it
        self._sum, self._size = hashlib.sha256(), 0
        self.failure = None  # the system's own word, which libraries that write through this may hide

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
        """Return the descriptor of the file."""
        return self._file.fileno()

    @property
    def seal(self):
        """Return size and checksum of what was written, as the manifest lists them."""
        return [self._size, self._sum.hexdigest()]

    def close(self):
        """See every byte onto the disk and close; a second time, do nothing."""
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
    """Make the hidden folder into which the files of a step are written, and return it.

    Raises: FileExistsError where a whole checkpoint of this step lies already.
    """
    final = place(folder, step)
    if intact(final):
        raise FileExistsError(f"{final.name} is there and whole")
    partial = final.with_name(f".{final.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)  # what a crash left behind
    partial.mkdir(parents=True)
    return partial


def publish(partial, step, seals, notes=None, after=nothing):
    """Write the manifest of a hidden folder, give the folder its name, and return its path.

    `seals` maps each file to its size and checksum; `notes` are small facts about the run, as JSON holds them.
    `after(stage)` is called after each thing done to the disk.
    """
    partial = Path(partial)
    final = place(partial.parent, step)
    with Sealed(partial / MANIFEST, after) as file:
        file.write(_manifest(step, seals, notes or {}))
    _sync(partial)
    after("folder synced")
    shutil.rmtree(final, ignore_errors=True)  # damaged, else `prepare` had refused
    forget(final)
    os.rename(partial, final)
    after("renamed")
    _sync(partial.parent)
    after("rename synced")
    return final


def write(folder, step, contents, notes=None, after=nothing):
    """Write a checkpoint of files given as bytes by name, and return its path."""
    partial = prepare(folder, step)
    seals = {}
    for name, data in contents.items():
        with Sealed(partial / name, after) as file:
            file.write(data[: len(data) // 2])
            file.write(data[len(data) // 2 :])
        seals[name] = file.seal
    return publish(partial, step, seals, notes, after)


def stages(files):
    """Return how often `write` calls `after`: twice for each file and the manifest, three times at its end."""
    return 2 * (files + 1) + 3


def _manifest(step, seals, notes):
    body = {"step": step, "files": seals, "notes": notes}
    return json.dumps({"body": body, "sha256": _digest(_canonical(body))}, indent=1).encode()


def _canonical(body):
    return json.dumps(body, sort_keys=True).encode()


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _sync(folder):
    """See the names in a folder onto the disk: a file that is safe is lost if its name is not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---------------------------------------------------------------- reading


def faults(path, rank=0, world=1):
    """Return what is wrong with a checkpoint, one sentence for each fault; nothing if it is whole.

    Of a `world` of ranks each reads the files of its own `share` alone; the manifest is read by all.
    """
    try:
        files = body(path)["files"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{MANIFEST}: {type(error).__name__}"]
    found = (_fault(Path(path, name), *files[name]) for name in share(files, rank, world))
    return [fault for fault in found if fault]


def share(files, rank, world):
    """Return the files that one rank of a world verifies.

    >>> share({"__0_0.distcp": [], "__1_0.distcp": [], "x": []}, 0, 2)
    ['__0_0.distcp', 'x']
    """
    return sorted(files)[rank::world]


def intact(path):
    """Say whether a checkpoint is complete and not known to be damaged, without reading its files."""
    try:
        files = body(path)["files"]
        whole = all(Path(path, name).stat().st_size == size for name, (size, _) in files.items())
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return whole and not verdict(path)


def verdict(path):
    """Return what the last verification found: a list of faults, empty for a whole one, None before the first."""
    try:
        return json.loads(_verdict(path).read_text())
    except (OSError, ValueError):
        return None


def remember(path, found):
    """Keep the faults that a verification found beside a checkpoint, unless the disk has no room for them."""
    with suppress(OSError):
        _verdict(path).write_text(json.dumps(found))


def forget(path):
    """Forget what is known of a checkpoint that is no more, or that is written anew."""
    _verdict(path).unlink(missing_ok=True)


def _verdict(path):
    path = Path(path)
    return path.with_name(f".{path.name}.verdict")


def body(path):
    """Return step, files and notes of a checkpoint.

    Raises: ValueError where the manifest is not the one that was written.
    """
    content = json.loads(Path(path, MANIFEST).read_bytes())
    if _digest(_canonical(content["body"])) != content["sha256"]:
        raise ValueError("the manifest's own checksum does not fit")
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
    """Return the checkpoints of a folder, newest first, whole or not."""
    return sorted(Path(folder).glob("step-*"), reverse=True)


def newest(folder, report=nothing):
    """Return the newest checkpoint of a folder that is whole, passing over damaged ones.

    `report` is called with each that is passed over, and why.

    Raises: Damaged where none is whole.
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
