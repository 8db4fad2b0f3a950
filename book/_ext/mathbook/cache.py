"""Results of earlier runs, stored in SQLite files in `_build/cache/found`, so that an edit is checked in seconds.

A file holds what one version of the tools has computed; one that no run has opened for a month is deleted. A key
contains a hash of all that its result depends on. After `ignore_earlier_runs` everything is computed anew, once.
"""

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import mpmath
import sympy

from mathbook import resources
from mathcore import checker
from mathcore.errors import ENGINE
from mathcore.library import current_library

FOLDER = resources.cache_folder() / "found"
DAYS = 30
_state: dict[str, str] = {}  # "run": the name of the run whose results alone are returned


def ignore_earlier_runs() -> None:
    """Return from now on, here and in processes forked from this one, only results stored after this call."""
    _state["run"] = uuid.uuid4().hex


class ResultStore:
    """A mapping from keys to texts in an SQLite file, usable by several processes at once, forked ones included."""

    def __init__(self, path: Path) -> None:
        """Open or create the file at `path`."""
        self.path = path
        self.connections: dict[int, sqlite3.Connection] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self.execute("CREATE TABLE IF NOT EXISTS stored (key TEXT PRIMARY KEY, text TEXT, run TEXT) WITHOUT ROWID")
        os.utime(path)

    def execute(self, command: str, *values: str) -> sqlite3.Cursor:
        """Return the cursor of a command, run on the connection of this process: one must not be forked."""
        if os.getpid() not in self.connections:
            connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA journal_mode=WAL")
            self.connections[os.getpid()] = connection
        return self.connections[os.getpid()].execute(command, values)

    def get(self, key: str) -> str | None:
        """Return the text under a key, or None."""
        row = self.execute("SELECT text, run FROM stored WHERE key = ?", key).fetchone()
        return row[0] if row and _state.get("run", row[1]) == row[1] else None

    def __setitem__(self, key: str, text: str) -> None:
        """Store a text under a key."""
        self.execute("INSERT OR REPLACE INTO stored VALUES (?, ?, ?)", key, text, _state.get("run", ""))

    def items(self) -> list[tuple[str, str]]:
        """Return all pairs of key and text."""
        return self.execute("SELECT key, text FROM stored ORDER BY key").fetchall()


Store: TypeAlias = ResultStore | dict[str, str]  # a dict where no file can be written


def open_store(name: str, version: str) -> Store:
    """Return a ResultStore of this name and version, or an empty mapping where no file can be written or read."""
    with contextlib.suppress(OSError, sqlite3.Error):
        for path in FOLDER.glob("*.sqlite*"):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()
        return ResultStore(FOLDER / f"{name}-{version[:16]}.sqlite")
    return {}


def persist_verdicts() -> None:
    """Store the checker's verdicts in a file, one for each version of the engine."""
    if not isinstance(checker.verdict_cache, ResultStore):
        checker.verdict_cache = open_store("verdicts", verdicts_hash())


def memoize(
    kind: str, key: str, compute: Callable[[], object], should_store: Callable[[Any], bool] = lambda result: True
) -> Any:
    """Return the result of `compute` as JSON stores it, or the one stored for the same `kind` and `key`.

    A result that `should_store` rejects is not stored.
    """
    if (result := get(kind, key)) is None:
        result = compute()
        if should_store(result):
            put(kind, key, result)
        result = json.loads(json.dumps(result))
    return result


def get(kind: str, key: str) -> Any:
    """Return the result stored under a kind and a key, or None."""
    return json.loads(_results(toolchain_hash()).get(_name(kind, key)) or "null")


def put(kind: str, key: str, result: object) -> None:
    """Store a result under a kind and a key."""
    _results(toolchain_hash())[_name(kind, key)] = json.dumps(result)


@functools.cache
def _results(version: str) -> Store:
    return open_store("results", version)


def _name(kind: str, key: str) -> str:
    return f"{kind} {hashlib.sha256(str(key).encode()).hexdigest()}"


@functools.cache
def verdicts_hash() -> str:
    """Return the hash of everything that verdicts depend on: the engine's modules, SymPy, mpmath."""
    modules = [path for folder in (ENGINE, ENGINE / "solution") for path in sorted(folder.glob("*.py"))]
    return _hash_of(modules, sympy.__version__, mpmath.__version__)


def toolchain_hash() -> str:
    """Return the hash of everything that other results depend on: engine, extension, fits, settings of the library."""
    return _toolchain_hash(current_library.package)


@functools.cache
def _toolchain_hash(package: str) -> str:
    folders = (ENGINE / "measured", ENGINE / "teaching", ENGINE / "commands", Path(__file__).parent)
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    settings = current_library.path("library.toml")
    versions = (f"{name} {metadata.version(name)}" for name in ("numpy", "pint", "scipy"))
    return _hash_of([*paths, *([settings] if settings.exists() else [])], verdicts_hash(), package, *versions)


def _hash_of(paths: Iterable[Path], *texts: str) -> str:
    """Return a hash of texts and of the contents of files."""
    whole = hashlib.sha256(" ".join(texts).encode())
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()
