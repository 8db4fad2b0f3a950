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
from collections.abc import MutableMapping
from pathlib import Path

import mpmath
import sympy

from mathcore import chapters, judge
from mathcore.errors import ENGINE, ROOT
from mathcore.library import DATA

FOLDER = ROOT / "_build" / "cache" / "found"
SIMULATIONS = ENGINE / "simulations"
_NAMED = re.compile(r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,]+)")
_state = {"trusting": True}


def distrust():
    """Judge everything anew from now on, in this process."""
    _state["trusting"] = False


@functools.cache
def _engine():
    """Return a checksum of what gives verdicts: the engine's modules, sympy, mpmath."""
    text = hashlib.sha256(f"{sympy.__version__} {mpmath.__version__}".encode())
    for path in sorted([*ENGINE.glob("*.py"), *ENGINE.glob("teaching/*.py")]):
        text.update(path.read_bytes())
    return text.hexdigest()


class Verdicts(MutableMapping):
    """Texts by key in one file of sqlite, which two processes may use at once."""

    def __init__(self, path):
        """Open the file, or make it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.base = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.base.execute("PRAGMA journal_mode=WAL")
        self.base.execute("PRAGMA synchronous=OFF")
        self.base.execute("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT)")

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
    if not isinstance(judge.memory, Verdicts):
        with contextlib.suppress(OSError, sqlite3.Error):  # a read-only checkout judges anew each time
            judge.memory = Verdicts(FOLDER / f"verdicts-{_engine()[:16]}.sqlite")


def recalled(kind, checksum, compute, keep=lambda result: True):
    """Return what `compute` gave when its sources had this checksum, as JSON knows it.

    Only what `keep` accepts is kept; the engine is part of the checksum.
    """
    path = FOLDER / f"{hashlib.sha256(f'{_engine()} {kind} {checksum}'.encode()).hexdigest()}.json"
    if _state["trusting"] and (known := _read(path)) is not None:
        return known
    result = compute()
    if keep(result):
        _keep(path, result)
    return result


def _read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _keep(path, result):
    """Write a result beside its place and move it there, so that no reader sees half of it."""
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file)
        Path(draft).replace(path)
    except OSError:
        return  # a read-only checkout finds everything anew each time


def chapter_files():
    """Return `{name: path}` of all chapter modules.

    >>> chapter_files()["young_daly"].name
    'young_daly.py'
    """
    found = pkgutil.iter_modules(chapters.__path__)
    return {module.name: Path(module.module_finder.path) / f"{module.name}.py" for module in found}


def chapter_text(path, folder=DATA):
    """Return the text of a chapter module, with that of the data files called like it or named in it."""
    text = path.read_text(encoding="utf-8")
    data = (file for file in _files(folder) if file.stem == path.stem or f'"{file.name}"' in text)
    return "\n".join([text, *(file.read_text(encoding="utf-8") for file in data)])


def named_in(text, known):
    """Return the chapters that a text names: imported, or at the head of an address.

    >>> sorted(named_in("import audit, models; {val}`roofline.ridge`", {"audit", "roofline", "spot"}))
    ['audit', 'roofline']
    """
    return _words(text) & set(known)


@functools.cache
def _words(text):
    words = set()
    for address, imported in _NAMED.findall(text):
        words |= {address, *re.findall(r"\w+", imported)}
    return words


@functools.cache
def _files(folder):
    return sorted(folder.glob("*/*.*"))


def checksum(text, files=None):
    """Return the checksum of a text and of all chapters that it leads to, with the simulations."""
    files = chapter_files() if files is None else files
    texts, waiting = {}, sorted(named_in(text, files))
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = chapter_text(files[name])
            waiting += sorted(named_in(texts[name], files) - texts.keys())
    whole = hashlib.sha256(text.encode())
    for name in sorted(texts):
        whole.update(f"{name}\n{texts[name]}".encode())
    for path in sorted(SIMULATIONS.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def chapter_checksum(name):
    """Return the checksum of a chapter and of everything that its statements come from."""
    return checksum(f"{name}.py\n" + chapter_text(chapter_files()[name]))
