"""What was found before, kept in `_build/cache/found`, so that an edit is checked in seconds.

A result is found again only for the same sources, the same engine and the same sympy. A chapter's
sources are its module, the data files that go by its name or that it names, the chapters that these name,
by an import or by an address in a text, those that they name, and the simulations. `distrust` makes
everything anew.
"""

import contextlib
import functools
import hashlib
import json
import os
import pkgutil
import re
import sqlite3
import tempfile
import time
from collections.abc import MutableMapping
from pathlib import Path

import mpmath
import sympy

from mathbook import resources
from mathcore import chapters, judge
from mathcore.errors import ENGINE
from mathcore.library import ALSO

FOLDER = resources.cache_folder() / "found"
DATA = ENGINE / "data"
SIMULATIONS = ENGINE / "simulations"
DAYS = 30  # after which nobody asks for a result any more
_NAMED = re.compile(r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,]+)")
_state = {"trusting": True}


def distrust():
    """Judge everything anew from now on, in this process."""
    _state["trusting"] = False


@functools.cache
def _engine():
    """Return a checksum of what gives verdicts: the engine's modules, sympy, mpmath."""
    text = hashlib.sha256(f"{sympy.__version__} {mpmath.__version__}".encode())
    for path in sorted(ENGINE.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()


@functools.cache
def _makers():
    """Return a checksum of what gives all other results: the packages above the engine, and these tools."""
    text = hashlib.sha256(_engine().encode())
    folders = (ENGINE / "measured", ENGINE / "teaching", ENGINE / "commands", Path(__file__).parent)
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()


class Texts(MutableMapping):
    """Texts by key in one file of sqlite, which two processes may use at once, forked ones as well."""

    def __init__(self, path):
        """Open the file, or make it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.bases = path, {}
        self.base.execute("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT)")

    @property
    def base(self):
        """Return the connection of this process: one taken through a fork would damage the file."""
        if os.getpid() not in self.bases:
            base = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            try:
                base.execute("PRAGMA journal_mode=WAL")
                base.execute("PRAGMA synchronous=OFF")
            except sqlite3.Error:  # a damaged file
                base.close()
                raise
            self.bases[os.getpid()] = base
        return self.bases[os.getpid()]

    def __getitem__(self, key):
        """Return the text under a key, unless nothing is trusted."""
        row = None
        if _state["trusting"]:
            row = self.base.execute("SELECT text FROM found WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __setitem__(self, key, text):
        """Keep a text."""
        self.base.execute("INSERT OR REPLACE INTO found VALUES (?, ?)", (key, text))

    def __delitem__(self, key):
        """Forget a text."""
        self.base.execute("DELETE FROM found WHERE key = ?", (key,))

    def __iter__(self):
        """Go through the keys."""
        return (row[0] for row in self.base.execute("SELECT key FROM found"))

    def __len__(self):
        """Return how many texts are kept."""
        return self.base.execute("SELECT COUNT(*) FROM found").fetchone()[0]


def install():
    """Let verdicts outlive the process: those of the same engine are found again."""
    if not isinstance(judge.memory, Texts):
        with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout judges anew each time
            judge.memory = Texts(FOLDER / f"verdicts-{_engine()[:16]}.sqlite")


@functools.cache
def statements():
    """Return the mapping of what was found of single statements before, with the same makers and simulations."""
    with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout finds it anew each time
        version = hashlib.sha256(f"{_makers()} {checksum('')}".encode()).hexdigest()
        return Texts(FOLDER / f"statements-{version[:16]}.sqlite")
    return {}


def recalled(kind, checksum, compute, keeps=lambda result: True):
    """Return what `compute` gave when its sources had this checksum, as JSON knows it.

    Only what `keeps` accepts is kept; the engine is part of the checksum.
    """
    found = known(kind, checksum)
    if found is None:
        found = compute()
        if keeps(found):
            keep(kind, checksum, found)
    return found


def known(kind, checksum):
    """Return what is kept under a checksum, or None."""
    path = _place(kind, checksum)
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if _state["trusting"] else None
        if time.time() - path.stat().st_mtime > 24 * 3600:
            os.utime(path)  # still of use
        return found
    except (OSError, ValueError):
        return None


def keep(kind, checksum, result):
    """Write a result beside its place and move it there, so that no reader sees half of it."""
    with contextlib.suppress(OSError):  # a read-only checkout finds everything anew each time
        FOLDER.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file)
        Path(draft).replace(_place(kind, checksum))


def tidy():
    """Remove what has not been asked for in a month."""
    for path in FOLDER.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()


def _place(kind, checksum):
    name = hashlib.sha256(f"{_makers()} {kind} {checksum}".encode()).hexdigest()
    return FOLDER / f"{kind}-{name[:40]}.json"


def chapter_files():
    """Return `{name: path}` of all chapter modules.

    >>> chapter_files()["young_daly"].name
    'young_daly.py'
    """
    return _modules(*((folder, os.stat(folder).st_mtime_ns) for folder in chapters.__path__))


@functools.cache
def _modules(*folders):
    found = pkgutil.iter_modules([folder for folder, _ in folders])
    return {module.name: Path(module.module_finder.path) / f"{module.name}.py" for module in found}


def chapter_text(path, folder=DATA):
    """Return the text of a chapter module, with that of the data files called like it or named in it."""
    module = _stamp(path)
    return _joined(module, *map(_stamp, _data(path.stem, _text(*module), folder)))


@functools.cache
def _data(stem, text, folder):
    """Return the data files that are called like a module, or that its text names."""
    return [file for file in _files(folder) if file.stem == stem or _named_by(file, text)]


@functools.cache
def _joined(*stamps):
    return "\n".join(_text(*stamp) for stamp in stamps)


def _named_by(file, text):
    """Tell whether a text names a data file: with its ending, or a Dataset without."""
    return f'"{file.name}"' in text or (file.parent.name == "measured" and f'Dataset("{file.stem}")' in text)


def named_in(text, known):
    """Return the chapters that a text names: imported, or at the head of an address.

    >>> sorted(named_in("import audit, models; {mc:value}`roofline.ridge`", {"audit", "roofline", "spot"}))
    ['audit', 'roofline']
    """
    return _read(text)[1] & set(known)


def checksum(text, files=None):
    """Return the checksum of a text and of all chapters that it leads to, with the simulations.

    Of the book's own chapters, where no `files` are given, each is read once in a process, as it is loaded once.
    """
    part, files = (_own_part, chapter_files()) if files is None else (_part, files)
    met, waiting = {}, _with_measured(named_in(text, files), files)
    while waiting:
        met |= {name: part(files[name]) for name in waiting}
        led = {other for name in waiting for other in met[name][1] & files.keys()}
        waiting = _with_measured(led, files) - met.keys()
    whole = hashlib.sha256(text.encode())
    whole.update("".join(f"{name} {met[name][0]}" for name in sorted(met)).encode())
    whole.update(_simulations())
    return whole.hexdigest()


def _part(path):
    return _read(chapter_text(path))


_own_part = functools.cache(_part)


@functools.cache
def _simulations():
    return b"".join(path.read_bytes() for path in sorted(SIMULATIONS.glob("*.py")))


def _with_measured(names, files):
    """Return names of chapters, and of those in which the same are held against measured systems."""
    known = frozenset(files)
    return names.union(*(_measuring(name, known) for name in names))


@functools.cache
def _measuring(name, known):
    return [each for each in known if each == ALSO.get(name) or f"measured_{name}_".startswith(f"{each}_")]


def chapter_checksum(name):
    """Return the checksum of a chapter and of everything that its statements come from."""
    return checksum(f"import {name}")


@functools.cache
def _files(folder):
    return sorted(folder.glob("*/*.*"))


def _stamp(path):
    about = os.stat(path)
    return path, about.st_mtime_ns, about.st_size


@functools.cache
def _text(path, *_):
    """Return the text of a file, which is read again when its stamp is another one."""
    return path.read_text(encoding="utf-8")


@functools.cache
def _read(text):
    """Return the digest of a text, and the words in it that may name chapters."""
    words = set()
    for address, imported in _NAMED.findall(text):
        words |= {address, *re.findall(r"\w+", imported)}
    return hashlib.sha256(text.encode()).hexdigest(), frozenset(words)
