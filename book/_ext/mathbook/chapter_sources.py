"""The source files of chapters, and the hash of those on which a text depends, without loading a chapter.

A text depends on the chapters that it names, in an import or in an address, to those that these name, and to those in
which their formulas are compared with measured systems.
"""

import functools
import hashlib
import re
from pathlib import Path

from mathcore.library import current_library

SUFFIXES = {".py", ".toml", ".csv", ".json"}
NAME = r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,.]+)|\b{}\.(\w+)"  # with the package of the library


def chapter_files() -> dict[str, Path]:
    """Return `{chapter: path}` of all chapters: folders, or modules for chapters without a folder.

    >>> chapter_files()["young_daly"].name
    'young_daly'
    """
    return _chapter_files(current_library.package, *current_library.folders)


@functools.cache
def _chapter_files(package: str, *folders: str) -> dict[str, Path]:
    own = {name: current_library.path(name) for name in current_library.names() if "." not in name}
    return {name: path if path.is_dir() else path.with_suffix(".py") for name, path in own.items()}


def chapter_text(path: Path) -> str:
    """Return the text of all sources of a chapter: those in its folder, or its module with its data files."""
    if path.is_dir():
        paths = sorted(each for each in path.rglob("*.*") if each.suffix in SUFFIXES)
    else:
        paths = [path, *sorted(each for each in path.parent.glob(f"{path.stem}.*") if each != path)]
    return "\n".join(each.read_text("utf-8") for each in paths)


def chapters_named_in(text: str) -> set[str]:
    """Return the chapters that a text names, by import or as the first part of an address.

    >>> sorted(chapters_named_in("import audit, models; {mc:value}`roofline.ridge`, os.path"))
    ['audit', 'models', 'roofline']
    """
    words = set()
    for address, imported, chapter in re.findall(NAME.format(re.escape(current_library.package)), text):
        words |= {address, chapter, *re.findall(r"\w+", imported)}
    return words & chapter_files().keys()


def hash_of_text(text: str) -> str:
    """Return the hash of a text and of all chapters on which it depends, each as first read by this process."""
    met: dict[str, tuple[str, set[str]]] = {}
    ahead = _with_comparisons(chapters_named_in(text))
    while ahead:
        met |= {name: _hash_and_names(chapter_files()[name]) for name in ahead}
        ahead = _with_comparisons({other for name in ahead for other in met[name][1]}) - met.keys()
    hashes = "".join(f"{name} {met[name][0]}" for name in sorted(met))
    return hashlib.sha256(f"{text}\0{hashes}".encode()).hexdigest()


def hash_of_chapter(name: str) -> str:
    """Return a hash of a chapter, or for one of its modules, with all that its statements come from."""
    return _hash_of_chapter(name, current_library.package)


@functools.cache
def _hash_of_chapter(name: str, package: str) -> str:
    return hash_of_text(f"import {name.partition('.')[0]} # {name}")


@functools.cache
def _hash_and_names(path: Path) -> tuple[str, set[str]]:
    """Return the hash of the sources of a chapter, and the names of the chapters that they name."""
    text = chapter_text(path)
    return hashlib.sha256(text.encode()).hexdigest(), chapters_named_in(text)


def _with_comparisons(names: set[str]) -> set[str]:
    """Return names of chapters, and of those in which their formulas are compared with measured systems."""
    measuring = (
        module
        for name in names
        for each in current_library.modules(name)
        for module in current_library.comparison_modules(each)
    )
    return set(names) | {module.partition(".")[0] for module in measuring}
