"""Results of earlier runs in files of SQLite, kept in `_build/cache/found`, so that an edit is checked in seconds.

A file holds what one version of the tools has computed; one that no run has opened for a month is deleted. A key
contains a hash of all that its result depends on. `disable` computes everything anew.
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
from mathcore import judge
from mathcore.errors import ENGINE
from mathcore.library import book

FOLDER = resources.cache_folder() / "found"
DAYS = 30
_state = {"enabled": True}


def disable():
    """Compute everything anew from now on, in this process."""
    _state["enabled"] = False


class Store:
    """Texts by key in one file of SQLite, for several processes at once, forked ones as well."""

    def __init__(self, path):
        """Open the file, or make it."""
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
        """Store a text."""
        self.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", key, text)

    def items(self):
        """Return all pairs of key and text."""
        return self.execute("SELECT key, text FROM results ORDER BY key").fetchall()


def open_store(name, version):
    """Return the Store of this name and version, or an empty mapping where no file can be written or read."""
    with contextlib.suppress(OSError, sqlite3.Error):
        for path in FOLDER.glob("*.sqlite*"):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()
        return Store(FOLDER / f"{name}-{version[:16]}.sqlite")
    return {}


def persist_verdicts():
    """Let the verdicts on steps of derivations outlive the process, for the same engine."""
    if not isinstance(judge.memory, Store):
        judge.memory = open_store("verdicts", engine_hash())


def memoize(kind, key, compute, should_store=lambda result: True):
    """Return what `compute` has once returned for a `kind` of result and a key, as JSON stores it.

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
    """Return a hash of what gives verdicts: the modules of the engine, SymPy, mpmath."""
    return _hash_of(sorted(ENGINE.glob("*.py")), sympy.__version__, mpmath.__version__)


def toolchain_hash():
    """Return a hash of what gives all other results: the packages above the engine, mathbook, the library."""
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
