"""One run of Jupyter Book, and its warnings.

The settings are those of `_config.yml`, as for `jupyter-book build .`. Added are only the table of contents of a single
chapter, the edition, and warnings as errors.
"""

import contextlib
import gc
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from mathbook.folders import BookFolders, chapter_name, write_text
from mathbook.issues import BuildFailed, Issue, issues_from_sphinx
from mathcore.types import AnyDict

TOC_ENTRY = re.compile(r"\s*(?:- )?(?:file|root):\s*([^\s#]+)")  # a page in the table of contents
STATUS_LINE = re.compile(r"^note: |exercises hold; numbers|executing the cells")
# references to chapters that are not built
MISSING_REFERENCE = re.compile(
    r"nknown (?:source )?document|undefined label|equation not found|reference target not found"
)


def selected_contents(book: BookFolders) -> AnyDict:
    """Return the table of contents; for a single chapter without the other chapters and the lists of all."""
    toc = yaml.safe_load(book.toc.read_text("utf-8"))
    if not book.chapter:
        return toc
    for part in toc.get("parts", []):
        part["chapters"] = [chapter for entry in part["chapters"] if (chapter := _selected_entry(book, entry))]
    toc["parts"] = [part for part in toc.get("parts", []) if part["chapters"]]
    if not any(_chapter_entry(book.chapter, part["chapters"]) for part in toc["parts"]):
        what = f"there is no chapter `{book.chapter}` in the contents"
        raise BuildFailed([Issue(book.display_path(book.toc), 0, what, "name one that is listed there")])
    return toc


def require_pages(book: BookFolders) -> None:
    """Raise an error if the table of contents lists a page that does not exist.

    Raises: BrokenBook with the line of each.
    """
    lines = enumerate(book.toc.read_text("utf-8").splitlines(), 1)
    listed = [(number, match[1]) for number, line in lines if (match := TOC_ENTRY.match(line))]
    remedy = "write it, or take its line out"
    if missing := [(n, name) for n, name in listed if not any(book.folder.glob(f"{name}.*"))]:
        toc = book.display_path(book.toc)
        raise BuildFailed([Issue(toc, n, f"there is no file {name}.md", remedy) for n, name in missing])


def _is_selected(book: BookFolders, name: str) -> bool:
    """Return whether a page belongs to the selected chapter, or is an appendix that lists no statements."""
    if "chapters" in Path(name).parts:
        return chapter_name(name) == book.chapter
    path = book.folder / f"{name}.md"
    text = path.read_text("utf-8") if path.exists() else ""
    return "{bibliography}" in text or not re.search(r"\{mc:(table|ledger)\}", text)


def _chapter_entry(chapter: str, entries: Iterable[AnyDict]) -> bool:
    return any(chapter_name(entry["file"]) == chapter for entry in entries)


def _selected_entry(book: BookFolders, entry: AnyDict) -> AnyDict | None:
    """Return an entry of the table of contents limited to the selected pages, or None."""
    if not _is_selected(book, entry["file"]):
        return None
    if "chapters" in Path(entry["file"]).parts:
        return entry
    listed = entry.get("sections", [])
    sections = [section for section in listed if _is_selected(book, section["file"])]
    if listed and not sections:
        return None
    return {"file": entry["file"]} | ({"sections": sections} if sections else {})


def run_sphinx(book: BookFolders) -> str:
    """Write the HTML of all pages into the working folder of the edition; return the summary of the checks in one line.

    Raises: BrokenBook with whatever Sphinx warned about.
    """
    require_pages(book)
    status, warnings = io.StringIO(), io.StringIO()
    book.edition_dir.mkdir(parents=True, exist_ok=True)
    with contextlib.redirect_stdout(status), contextlib.redirect_stderr(warnings), _environment(book), _no_collection():
        result = _jupyter_book(book)
    (book.edition_dir / "sphinx.log").write_text(status.getvalue() + warnings.getvalue(), "utf-8")
    if issues := _find_issues(book, result, warnings.getvalue()):
        _forget_pages(book.build_dir / "doctrees", set() if isinstance(result, Exception) else {p.path for p in issues})
        raise BuildFailed(issues)
    return "\n".join(line for line in status.getvalue().splitlines() if STATUS_LINE.search(line))


def _forget_pages(doctrees: Path, pages: Iterable[str]) -> None:
    """Delete the doctrees of pages with warnings, because Sphinx warns of a page only when it reads it.

    For a warning without a page, all doctrees are deleted.
    """
    read = [doctrees / Path(page).with_suffix(".doctree") for page in pages]
    if read and all(path.is_file() for path in read):
        for path in read:
            path.unlink()
    else:
        shutil.rmtree(doctrees, ignore_errors=True)


def _jupyter_book(book: BookFolders) -> int | Exception:
    """Return Jupyter Book's exit code, or the exception that ended it."""
    from jupyter_book.sphinx import build_sphinx

    overrides = {"latex_individualpages": False, "nitpicky": not book.chapter, "mathbook_edition": book.edition}
    overrides["external_toc_path"] = book.toc.as_posix()
    if book.chapter:
        short = book.build_dir / "_toc.yml"
        write_text(short, yaml.safe_dump(selected_contents(book), sort_keys=False, allow_unicode=True))
        overrides |= {"external_toc_path": short.as_posix(), "mathbook_chapter": book.chapter}
    return build_sphinx(
        book.folder,
        book.edition_dir / "html",
        doctreedir=book.build_dir / "doctrees",
        noconfig=True,
        path_config=book.config,
        confoverrides=overrides,
        force_all=bool(book.edition),  # Sphinx records which pages changed for the reader's edition only
        warningiserror=True,
        keep_going=True,
        jobs=max(2, os.cpu_count() or 2),
    )


def _find_issues(book: BookFolders, result: int | Exception, warned: str) -> list[Issue]:
    if not result:
        return []
    issues = [
        each for each in issues_from_sphinx(book, warned) if not book.chapter or not MISSING_REFERENCE.search(each.what)
    ]
    if isinstance(result, Exception) or not (issues or book.chapter):
        message = f"{type(result).__name__}: {result}" if isinstance(result, Exception) else f"status {result}"
        what = f"Jupyter Book ended with {message.splitlines()[0]}"
        issues.append(Issue(book.display_path(book.edition_dir / "sphinx.log"), 0, what, "read this file"))
    return issues


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Disable cyclic garbage collection: document trees are large and are needed until the process ends.

    Collections would take most of the time of a build, because they traverse the statements of all chapters.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # or the first collection would traverse them all once more
        gc.enable()


@contextlib.contextmanager
def _environment(book: BookFolders) -> Iterator[None]:
    """Set SOURCE_DATE_EPOCH to the time of the sources, and restore what the run changes in the process."""
    before, variables = list(sys.path), dict(os.environ)
    git = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=book.folder, capture_output=True, text=True)
    if git.returncode == 0 and git.stdout.strip():
        os.environ.setdefault("SOURCE_DATE_EPOCH", git.stdout.strip())
    try:
        yield
    finally:
        sys.path[:] = before
        os.environ.clear()
        os.environ.update(variables)
