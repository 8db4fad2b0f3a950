"""Results of earlier runs, stored in SQLite files in `_build/cache/found`, so that an edit is checked in seconds.

A file holds what one version of the tools has computed; one that no run has opened for a month is deleted. A key
contains a hash of all that its result depends on. `disable` makes this process
compute everything anew.
"""

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import time
from pathlib import Path

import mpmath
import sympy

from mathbook import resources
from mathcore import checker
from mathcore.errors import ENGINE
from mathcore.library import book

FOLDER = resources.cache_folder() / "found"
DAYS = 30
_state = {"enabled": True}


def disable():
    """Ignore all stored results from now on, in this process."""
    _state["enabled"] = False


class ResultStore:
    """A mapping from keys to texts in an SQLite file, usable by several processes at once, forked ones included."""

    def __init__(self, path):
        """Open or create the file at `path`."""
        self.path, self.connections = path, {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
        os.utime(path)

    def execute(self, command, *values):
        """Return the cursor of a command, run on the connection of this process: one must not be forked."""
        if os.getpid() not in self.connections:
            connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA journal_mode=WAL")
            self.connections[os.getpid()] = connection
        return self.connections[os.getpid()].execute(command, values)

    def get(self, key, default=None):
        """Return the text under a key, or `default`."""
        row = self.execute("SELECT text FROM results WHERE key = ?", key).fetchone() if _state["enabled"] else None
        return row[0] if row else default

    def __setitem__(self, key, text):
        """Store a text under a key."""
        self.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", key, text)

    def items(self):
        """Return all pairs of key and text."""
        return self.execute("SELECT key, text FROM results ORDER BY key").fetchall()


def open_store(name, version):
    """Return a ResultStore of this name and version, or an empty mapping where no file can be written or read."""
    with contextlib.suppress(OSError, sqlite3.Error):
        for path in FOLDER.glob("*.sqlite*"):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()
        return ResultStore(FOLDER / f"{name}-{version[:16]}.sqlite")
    return {}


def persist_verdicts():
    """Store the checker's verdicts in a file, one for each version of the engine."""
    if not isinstance(checker.verdict_cache, ResultStore):
        checker.verdict_cache = open_store("verdicts", engine_hash())


def memoize(kind, key, compute, should_store=lambda result: True):
    """Return the result of `compute` as JSON stores it, or the one stored for the same `kind` and `key`.

    A result that `should_store` rejects is not stored.
    """
    if (result := get(kind, key)) is None:
        result = compute()
        if should_store(result):
            put(kind, key, result)
        result = json.loads(json.dumps(result))
    return result


def get(kind, key):
    """Return the result stored under a kind and a key, or None."""
    return json.loads(_results(toolchain_hash()).get(_name(kind, key), "null"))


def put(kind, key, result):
    """Store a result under a kind and a key."""
    _results(toolchain_hash())[_name(kind, key)] = json.dumps(result)


@functools.cache
def _results(version):
    return open_store("results", version)


def _name(kind, key):
    return f"{kind} {hashlib.sha256(str(key).encode()).hexdigest()}"


@functools.cache
def engine_hash():
    """Return the hash of everything that verdicts depend on: the engine's modules, SymPy, mpmath."""
    modules = [path for folder in (ENGINE, ENGINE / "solution") for path in sorted(folder.glob("*.py"))]
    return _hash_of(modules, sympy.__version__, mpmath.__version__)


def toolchain_hash():
    """Return the hash of everything that other results depend on: engine, teaching, this extension, the library."""
    return _toolchain_hash(book.package)


@functools.cache
def _toolchain_hash(package):
    folders = (ENGINE / "measured", ENGINE / "teaching", ENGINE / "commands", Path(__file__).parent)
    paths = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    settings = book.path("library.toml")
    return _hash_of([*paths, *([settings] if settings.exists() else [])], engine_hash(), package)


def _hash_of(paths, *texts):
    """Return a hash of texts and of the contents of files."""
    whole = hashlib.sha256(" ".join(texts).encode())
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()
