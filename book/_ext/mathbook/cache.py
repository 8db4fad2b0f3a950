"""What was found before, kept in `_build/cache/found`, so that an edit is checked in seconds.

A result is found again only for the same sources, the same engine and the same sympy. A chapter's
sources are the files in its folder, the chapters that these name, by an import or by an address in a text,
and those that they name. `disable` makes everything anew.
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
DAYS = 30  # after which nobody asks for a result any more
SOURCES = {".py", ".toml", ".csv", ".json"}
CHAPTER_NAME = r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,.]+)|\b{}\.(\w+)"  # with the package of the library
_state = {"trusting": True}


def disable():
    """Judge everything anew from now on, in this process."""
    _state["trusting"] = False


@functools.cache
def _engine_hash():
    """Return a checksum of what gives verdicts: the engine's modules, sympy, mpmath."""
    text = hashlib.sha256(f"{sympy.__version__} {mpmath.__version__}".encode())
    for path in sorted(ENGINE.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()


def _toolchain_hash():
    """Return a checksum of what gives all other results: the packages above the engine, these tools, the library."""
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
    """Texts by key in one file of sqlite, which two processes may use at once, forked ones as well."""

    def __init__(self, path):
        """Open the file, or make it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.connections = path, {}
        self.connection.execute("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT)")

    @property
    def connection(self):
        """Return the connection of this process: one taken through a fork would damage the file."""
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
        """Return the text under a key, unless nothing is trusted."""
        row = None
        if _state["trusting"]:
            row = self.connection.execute("SELECT text FROM found WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __setitem__(self, key, text):
        """Keep a text."""
        self.connection.execute("INSERT OR REPLACE INTO found VALUES (?, ?)", (key, text))

    def __delitem__(self, key):
        """Forget a text."""
        self.connection.execute("DELETE FROM found WHERE key = ?", (key,))

    def __iter__(self):
        """Go through the keys."""
        return (row[0] for row in self.connection.execute("SELECT key FROM found"))

    def __len__(self):
        """Return how many texts are kept."""
        return self.connection.execute("SELECT COUNT(*) FROM found").fetchone()[0]


def persist_verdicts():
    """Let verdicts outlive the process: those of the same engine are found again."""
    if not isinstance(checker.verdict_cache, TextStore):
        with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout judges anew each time
            checker.verdict_cache = TextStore(FOLDER / f"verdicts-{_engine_hash()[:16]}.sqlite")


def statements():
    """Return the mapping of what was found of single statements before, with the same makers."""
    return _statements(_toolchain_hash())


@functools.cache
def _statements(makers):
    with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout finds it anew each time
        version = hashlib.sha256(makers.encode()).hexdigest()
        return TextStore(FOLDER / f"statements-{version[:16]}.sqlite")
    return {}


def memoize(kind, checksum, compute, should_store=lambda result: True):
    """Return what `compute` gave when its sources had this checksum, as JSON knows it.

    Only what `keeps` accepts is kept; the engine is part of the checksum.
    """
    result = get(kind, checksum)
    if result is None:
        result = compute()
        if should_store(result):
            put(kind, checksum, result)
    return result


def get(kind, checksum):
    """Return what is kept under a checksum, or None."""
    path = _path(kind, checksum)
    try:
        result = json.loads(path.read_text(encoding="utf-8")) if _state["trusting"] else None
        if time.time() - path.stat().st_mtime > 24 * 3600:
            os.utime(path)  # still of use
        return result
    except (OSError, ValueError):
        return None


def put(kind, checksum, result):
    """Write a result beside its place and move it there, so that no reader sees half of it."""
    with contextlib.suppress(OSError):  # a read-only checkout finds everything anew each time
        FOLDER.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file)
        Path(draft).replace(_path(kind, checksum))


def delete_old():
    """Remove what has not been asked for in a month."""
    for path in FOLDER.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
                path.unlink()


def _path(kind, checksum):
    name = hashlib.sha256(f"{_toolchain_hash()} {kind} {checksum}".encode()).hexdigest()
    return FOLDER / f"{kind}-{name[:40]}.json"


def chapter_files():
    """Return `{chapter: path}` of all chapters: their folders, or the modules of those that have none.

    >>> chapter_files()["young_daly"].name
    'young_daly'
    """
    return _chapter_files(book.package)


@functools.cache
def _chapter_files(package):
    own = {name: book.path(name) for name in book.names() if "." not in name}
    return {name: path if path.is_dir() else path.with_suffix(".py") for name, path in own.items()}


def chapter_text(path):
    """Return the text of all sources of a chapter: those in its folder, or its module with the data beside it."""
    return _joined_text(*map(_file_stamp, _sources(path)))


def _sources(path):
    """Return the files of a chapter, sorted."""
    if path.is_dir():
        return sorted(each for each in path.rglob("*.*") if each.suffix in SOURCES)
    return [path, *sorted(each for each in path.parent.glob(f"{path.stem}.*") if each != path)]


@functools.cache
def _joined_text(*stamps):
    return "\n".join(_file_text(*stamp) for stamp in stamps)


def chapters_named_in(text, known):
    """Return the chapters that a text names: imported, or at the head of an address.

    >>> sorted(chapters_named_in("import audit, models; {mc:value}`roofline.ridge`", {"audit", "roofline", "spot"}))
    ['audit', 'roofline']
    """
    return _parse(text)[1] & set(known)


def checksum(text, files=None):
    """Return the checksum of a text and of all chapters that it leads to.

    Of the book's own chapters, where no `files` are given, each is read once in a process, as it is loaded once.
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
    """Return a checksum of all simulations, which state nothing and are run by cells."""
    whole = hashlib.sha256()
    for path in sorted(book.path("").rglob("*simulation.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def _with_comparisons(names):
    """Return names of chapters, and of those in which their formulas are compared with measured systems."""
    return set(names).union(*map(_comparing_chapters, names))


@functools.cache
def _comparing_chapters(chapter):
    found = {each for module in book.modules(chapter) for each in book.comparison_modules(module)}
    return {each.partition(".")[0] for each in found}


def chapter_checksum(name):
    """Return the checksum of a chapter, or for a module of it, with all that its statements come from."""
    return checksum(f"import {name.partition('.')[0]} # {name}")


def _file_stamp(path):
    about = os.stat(path)
    return path, about.st_mtime_ns, about.st_size


@functools.cache
def _file_text(path, *_):
    """Return the text of a file, which is read again when its stamp is another one."""
    return path.read_text(encoding="utf-8")


@functools.cache
def _parse(text):
    """Return the digest of a text, and the words in it that may name chapters."""
    words, named = set(), CHAPTER_NAME.format(re.escape(book.package))
    for address, imported, chapter in re.findall(named, text):
        words |= {address, chapter, *re.findall(r"\w+", imported)}
    return hashlib.sha256(text.encode()).hexdigest(), frozenset(words)
