"""Results of earlier checks, stored in `_build/cache/found`, so that an edit is checked in seconds.

A result is used again only for the same sources, engine and version of SymPy. The sources of a chapter are the files in
its folder and those of the chapters that they name, by import or by address, recursively. `disable` makes this process
compute everything anew.
"""

import contextlib
import functools
import hashlib
import json
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import MutableMapping
from pathlib import Path

import mpmath
import sympy

from mathbook import resources
from mathcore import checker
from mathcore.errors import ENGINE
from mathcore.library import book

FOLDER = resources.cache_folder() / "found"
DAYS = 30  # after which an unused result is deleted
SOURCES = {".py", ".toml", ".csv", ".json"}
CHAPTER_NAME = r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,.]+)|\b{}\.(\w+)"  # with the package of the library
_state = {"trusting": True}


def disable():
    """Ignore all stored results from now on, in this process."""
    _state["trusting"] = False


@functools.cache
def _engine_hash():
    """Return the hash of everything that verdicts depend on: the engine's modules, SymPy, mpmath."""
    text = hashlib.sha256(f"{sympy.__version__} {mpmath.__version__}".encode())
    for path in sorted(ENGINE.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()


def _toolchain_hash():
    """Return the hash of everything that other results depend on: engine, teaching, this extension, the library."""
    return _toolchain_hash_for(book.package)


@functools.cache
def _toolchain_hash_for(package):
    text = hashlib.sha256(f"{_engine_hash()} {package}".encode())
    folders = (ENGINE / "measured", ENGINE / "teaching", ENGINE / "commands", Path(__file__).parent)
    about = book.path("library.toml")
    for path in [
        *sorted(path for folder in folders for path in folder.glob("*.py")),
        *([about] if about.exists() else []),
    ]:
        text.update(path.read_bytes())
    return text.hexdigest()


class TextStore(MutableMapping):
    """A mapping from keys to texts in an SQLite file, usable by several processes at once, forked ones included."""

    def __init__(self, path):
        """Open or create the file at `path`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.connections = path, {}
        self.connection.execute("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT)")

    @property
    def connection(self):
        """Return the connection of this process; using one across a fork would corrupt the file."""
        if os.getpid() not in self.connections:
            base = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            try:
                base.execute("PRAGMA journal_mode=WAL")
                base.execute("PRAGMA synchronous=OFF")
            except sqlite3.Error:  # a damaged file
                base.close()
                raise
            self.connections[os.getpid()] = base
        return self.connections[os.getpid()]

    def __getitem__(self, key):
        """Return the text stored under `key`, unless the cache is disabled."""
        row = None
        if _state["trusting"]:
            row = self.connection.execute("SELECT text FROM found WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __setitem__(self, key, text):
        """Store a text."""
        self.connection.execute("INSERT OR REPLACE INTO found VALUES (?, ?)", (key, text))

    def __delitem__(self, key):
        """Delete a text."""
        self.connection.execute("DELETE FROM found WHERE key = ?", (key,))

    def __iter__(self):
        """Iterate over the keys."""
        return (row[0] for row in self.connection.execute("SELECT key FROM found"))

    def __len__(self):
        """Return the number of texts."""
        return self.connection.execute("SELECT COUNT(*) FROM found").fetchone()[0]


def persist_verdicts():
    """Store the checker's verdicts in a file, one for each version of the engine."""
    if not isinstance(checker.verdict_cache, TextStore):
        with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout has no store
            checker.verdict_cache = TextStore(FOLDER / f"verdicts-{_engine_hash()[:16]}.sqlite")


def statements():
    """Return the cached results about single statements, for the current toolchain."""
    return _statements(_toolchain_hash())


@functools.cache
def _statements(makers):
    with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout has no store
        version = hashlib.sha256(makers.encode()).hexdigest()
        return TextStore(FOLDER / f"statements-{version[:16]}.sqlite")
    return {}


def memoize(kind, checksum, compute, should_store=lambda result: True):
    """Return the result of `compute`, or the JSON value stored for the same `kind` and `checksum`.

    Only results that `should_store` accepts are stored; the toolchain is part of the key.
    """
    result = get(kind, checksum)
    if result is None:
        result = compute()
        if should_store(result):
            put(kind, checksum, result)
    return result


def get(kind, checksum):
    """Return the value stored for `kind` and `checksum`, or None."""
    path = _path(kind, checksum)
    try:
        result = json.loads(path.read_text(encoding="utf-8")) if _state["trusting"] else None
        if time.time() - path.stat().st_mtime > 24 * 3600:
            os.utime(path)  # in use: not to be deleted
        return result
    except (OSError, ValueError):
        return None


def put(kind, checksum, result):
    """Store a result through a temporary file, so that no reader sees a partial one."""
    with contextlib.suppress(OSError):  # a read-only checkout has no store
        FOLDER.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file)
        Path(draft).replace(_path(kind, checksum))


def delete_old():
    """Delete results that were not used for a month."""
    for path in FOLDER.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()


def _path(kind, checksum):
    name = hashlib.sha256(f"{_toolchain_hash()} {kind} {checksum}".encode()).hexdigest()
    return FOLDER / f"{kind}-{name[:40]}.json"


def chapter_files():
    """Return `{chapter: path}` of all chapters: folders, or modules for chapters without a folder.

    >>> chapter_files()["young_daly"].name
    'young_daly'
    """
    return _chapter_files(book.package, *book.folders)


@functools.cache
def _chapter_files(package, *folders):
    own = {name: book.path(name) for name in book.names() if "." not in name}
    return {name: path if path.is_dir() else path.with_suffix(".py") for name, path in own.items()}


def chapter_text(path):
    """Return the text of all sources of a chapter: those in its folder, or its module with its data files."""
    return _joined_text(*map(_file_stamp, _sources(path)))


def _sources(path):
    """Return the source files of a chapter, sorted."""
    if path.is_dir():
        return sorted(each for each in path.rglob("*.*") if each.suffix in SOURCES)
    return [path, *sorted(each for each in path.parent.glob(f"{path.stem}.*") if each != path)]


@functools.cache
def _joined_text(*stamps):
    return "\n".join(_file_text(*stamp) for stamp in stamps)


def chapters_named_in(text, known):
    """Return the chapters that a text names, by import or as the first part of an address.

    >>> sorted(chapters_named_in("import audit, models; {mc:value}`roofline.ridge`", {"audit", "roofline", "spot"}))
    ['audit', 'roofline']
    """
    return _parse(text)[1] & set(known)


def checksum(text, files=None):
    """Return the hash of a text and of all chapters that it names, recursively.

    Without `files`, the chapters are those of the library, each of which is read once per process.
    """
    part, files = (_known_part, chapter_files()) if files is None else (_chapter_part, files)
    parts, pending = {}, _with_comparisons(chapters_named_in(text, files)) & files.keys()
    while pending:
        parts |= {name: part(files[name]) for name in pending}
        referenced = {other for name in pending for other in parts[name][1] & files.keys()}
        pending = (_with_comparisons(referenced) & files.keys()) - parts.keys()
    whole = hashlib.sha256(text.encode())
    whole.update("".join(f"{name} {parts[name][0]}" for name in sorted(parts)).encode())
    return whole.hexdigest()


def _chapter_part(path):
    return _parse(chapter_text(path))


_known_part = functools.cache(_chapter_part)


@functools.cache
def simulations():
    """Return the hash of all simulations, which are run by cells and state nothing."""
    whole = hashlib.sha256()
    for path in sorted(book.path("").rglob("*simulation.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def _with_comparisons(names):
    """Return `names` and the chapters in which formulas of these are compared with measurements."""
    return set(names).union(*map(_comparing_chapters, names))


@functools.cache
def _comparing_chapters(chapter):
    found = {each for module in book.modules(chapter) for each in book.comparison_modules(module)}
    return {each.partition(".")[0] for each in found}


def chapter_checksum(name):
    """Return the hash of a chapter, or of one of its modules, with everything that its statements depend on."""
    return checksum(f"import {name.partition('.')[0]} # {name}")


def _file_stamp(path):
    about = os.stat(path)
    return path, about.st_mtime_ns, about.st_size


@functools.cache
def _file_text(path, *_):
    """Return the text of a file; it is read again when its modification time or size has changed."""
    return path.read_text(encoding="utf-8")


@functools.cache
def _parse(text):
    """Return the hash of a text, and the words in it that may name chapters."""
    words, named = set(), CHAPTER_NAME.format(re.escape(book.package))
    for address, imported, chapter in re.findall(named, text):
        words |= {address, chapter, *re.findall(r"\w+", imported)}
    return hashlib.sha256(text.encode()).hexdigest(), frozenset(words)
