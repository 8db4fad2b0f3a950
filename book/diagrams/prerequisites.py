"""Prerequisites of chapters, from the imports of their modules.

A chapter needs another if one of its modules imports one of the other's, unless a chapter in between needs it already.
"""

import ast
import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from mathbook import built_pages, cache
from mathbook.chapter_pages import without_transitive
from mathbook.folders import PROJECT, BookFolders

from mathcore.library import current_library

TITLE = re.compile(r"^# +([^:\n]+)", re.MULTILINE)  # without the question after a colon
OTHER_PARTS = ("", "Labs", "Appendices")  # the front page, and what no chapter needs


def parts() -> dict[str, list[str]]:
    """Return `{part: [folder of a chapter's pages]}` in the order of the contents, without labs and appendices."""
    listed = built_pages.toc_parts(BookFolders(PROJECT, PROJECT / "_build"))
    return {
        part.caption: [chapter.pages[0].removesuffix("/index") for chapter in part.chapters]
        for part in listed
        if part.caption not in OTHER_PARTS
    }


def imports() -> dict[str, set[str]]:
    """Return `{module: modules that it imports}` of the library."""
    return {name: _known_imports(_source(name).read_text("utf-8")) for name in current_library.names()}


def _source(module: str) -> Path:
    """Return the path of the file of a module of the library."""
    path = current_library.path(module.replace(".", "/"))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _known_imports(source: str) -> set[str]:
    """Return the modules that a source imports, memoized by the hash of the source."""
    checksum = hashlib.sha256(f"{current_library.package} {source}".encode()).hexdigest()
    return set(cache.memoize("imports", checksum, lambda: sorted(imported(source))))


def imported(source: str) -> set[str]:
    """Return the modules of the library that a source imports, as a whole or names from them.

    >>> sorted(imported("from mathcore.chapters import energy, sites\\nfrom mathcore.chapters.audit import cost"))
    ['audit', 'energy', 'sites']
    """
    imports = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{current_library.package}."):
            home = f"{node.module}.".removeprefix(f"{current_library.package}.")
            modules = {home + each.name for each in node.names} & {*current_library.names()}
            imports |= modules if len(modules) == len(node.names) else modules | {home.rstrip(".")}
    return imports


def needs(pages: Sequence[str]) -> dict[str, list[str]]:
    """Return `{chapter: chapters that it needs}` for folders of pages, without transitive prerequisites."""
    order = {page: place for place, page in enumerate(pages)}
    home = {page.rpartition("/")[2].replace("-", "_"): page for page in pages}
    direct: dict[str, set[str]] = {page: set() for page in pages}
    for module, below in imports().items():
        if page := home.get(module.partition(".")[0]):
            needed = {home[name] for other in below if (name := other.partition(".")[0]) in home}
            direct[page] |= {other for other in needed if order[other] < order[page]}
    return {page: sorted(others, key=order.__getitem__) for page, others in without_transitive(direct).items()}


@functools.cache
def name(page: str) -> str:
    """Return the short name of a chapter: the title of its first page up to a colon."""
    title, *_ = TITLE.findall((PROJECT / page / "index.md").read_text("utf-8"))
    return title.strip()
