"""Folders of a build and of the published site, and fingerprints of files."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from mathbook import resources
from mathcore.errors import ENGINE

if TYPE_CHECKING:
    from sphinx.application import Sphinx


EXTENSION = Path(__file__).absolute().parent
PROJECT = Path(__file__).absolute().parents[3]
SKIPPED = {"__pycache__", "_build", "node_modules", "jupyter_execute"}


class BookFolders(NamedTuple):
    """The folders of one book; `chapter` limits the build to one chapter.

    `edition` is empty for the readers' edition, or the name of another edition of the same pages.
    """

    folder: Path
    out: Path
    chapter: str = ""
    edition: str = ""

    @property
    def site(self) -> Path:
        """Return the folder of the published site, which changes only after a successful build."""
        return self.out / self.edition / "html"

    @property
    def build_dir(self) -> Path:
        """Return the working folder of Sphinx."""
        return self.out / "work"

    @property
    def edition_dir(self) -> Path:
        """Return the working folder of this edition; doctrees are shared by all editions."""
        return self.build_dir / self.edition

    def page(self, name: str) -> Path:
        """Return the path of a built page, by its name such as `book/index`."""
        return self.site / f"{name}.html"

    @property
    def static(self) -> Path:
        """Return the folder of the generated static files."""
        return self.build_dir / "mathbook" / "static"

    @property
    def report(self) -> Path:
        """Return the path of the verification report of this build."""
        return self.build_dir / "mathbook" / "report.json"

    @property
    def toc(self) -> Path:
        """Return the path of the table of contents."""
        return self.folder / "_toc.yml"

    @property
    def config(self) -> Path:
        """Return the path of `_config.yml`: the book's own, or that of the repository."""
        own = self.folder / "_config.yml"
        return own if own.exists() else PROJECT / "_config.yml"

    def display_path(self, path: Path | str) -> str:
        """Return a path as messages print it: relative to the book or to the repository."""
        path = Path(path)
        for folder in (self.folder, PROJECT):
            if path.is_relative_to(folder):
                return path.relative_to(folder).as_posix()
        return str(path)

    def inputs(self) -> str:
        """Return the hash of everything that pages can depend on."""
        own = [self.folder / "book", self.toc, self.config]
        return hash_files(
            [*own, ENGINE, EXTENSION, PROJECT / "practice", resources.static_folder(), *resources.lock_files()]
        )


def generated_folder(app: "Sphinx") -> Path:
    """Return the folder of generated files: next to the doctrees, never within the output."""
    doctrees, output = Path(app.doctreedir), Path(app.outdir)
    above = output.parent if doctrees.is_relative_to(output) else doctrees.parent
    return above / "mathbook"


def engine_hash() -> str:
    """Return the hash of everything that all pages depend on: engine without chapters, extension, scripts, packages."""
    engine = (path for path in ENGINE.rglob("*.py") if not path.is_relative_to(ENGINE / "chapters"))
    from mathbook import calculators

    packages = sorted(f"{each.name} {each.version}" for each in metadata.distributions())
    made = hash_files([*sorted(engine), EXTENSION, *calculators.PRERENDER_SCRIPTS])
    return hashlib.sha256(f"{made} {packages}".encode()).hexdigest()


def chapter_name(page: Path | str) -> str:
    """Return the name of the chapter or appendix of a page, from its name or its path relative to the book.

    >>> chapter_name("book/chapters/young-daly/exercises"), chapter_name("book/appendices/facts/hardware.md")
    ('young-daly', 'facts')
    >>> chapter_name("book/index")
    'index'
    """
    parts = PurePosixPath(page).with_suffix("").parts
    for shelf in ("chapters", "appendices"):
        if shelf in parts[:-1]:
            return parts[parts.index(shelf) + 1]
    return parts[-1]


def files_below(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield every file at or below the paths, sorted, without generated ones."""
    for path in paths:
        if path.is_file():
            yield path
        for folder, below, names in os.walk(path):
            below[:] = sorted(set(below) - SKIPPED)
            yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def write_text(path: Path, text: str) -> None:
    """Write a text file, with its folder, unless it has this content already."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def write_script(path: Path, name: str, data: object) -> None:
    """Write data as a script that defines `mc.NAME`, because a page that was opened from disk may load no JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    write_text(path, f"(globalThis.mc = globalThis.mc || {{}}).{name} = {text};\n")


def hash_files(paths: Iterable[Path]) -> str:
    """Return the hash of the names and contents of all files at or below the paths."""
    digest = hashlib.sha256()
    for path in files_below(paths):
        digest.update(f"{path}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
