"""Build the book: `python -m mathbook.build [--chapter NAME] [--cold] [--serve] [--instructor]`.

Jupyter Book builds the pages into `_build/work`, as `jupyter-book build .` does into `_build/html`. Only if there is no
issue, the result replaces `_build/html` in one step. Otherwise every issue is printed as
`path:line: what is wrong: what to do`, the last good site stays, and the exit code is 1.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

from mathbook.folders import PROJECT, BookFolders
from mathbook.issues import BuildFailed, Issue
from mathbook.resources import MissingResource

BOOK_HELP = "folder with _toc.yml and book/; statements are those of the package mathbook_library in its _config.yml"
STATE_FILE = "state.json"  # the checksum of what the edition was built from
UNREAD_CHAPTERS = "{} is not read: set mathbook_library in _config.yml to the package of the book's statements"
NOT_PUBLISHED = shutil.ignore_patterns(".buildinfo*", "_sources", "reports")


def main(arguments: list[str] | None = None) -> int:
    """Build or serve as the command line asks; return the exit code."""
    options = _arguments(arguments)
    folder = options.book.resolve()
    out = folder / "_build"
    chapter = options.chapter.replace("_", "-")
    book = BookFolders(folder, out / f"chapter-{chapter}" if chapter else out, chapter)
    # Node lies beside Python, where the setup put it
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if options.serve:
        from mathbook.devserver import serve

        return serve(book, options.port)
    editions = [book, book._replace(edition="instructor")] if options.instructor else [book]
    return int(not all(build_and_report(each, options.cold and each is book) for each in editions))


def build_and_report(book: BookFolders, cold: bool = False) -> bool:
    """Build the site of a book and return True, or print all issues and return False."""
    try:
        build(book, cold)
        return True
    except BuildFailed as broken:
        _report(book, broken.issues)
    except MissingResource as error:
        print(error, file=sys.stderr)
    return False


def _warn_of_unread_chapters(folder: Path) -> None:
    """Warn that chapters next to the pages of another book are not read as its statements."""
    chapters = folder / "mathcore" / "chapters"
    if folder != PROJECT and chapters.is_dir():
        print(UNREAD_CHAPTERS.format(chapters), file=sys.stderr)


def _report(book: BookFolders, issues: list[Issue]) -> None:
    """Print all issues, their number, and whether a site exists."""
    print(*issues, sep="\n", file=sys.stderr)
    remark = "; the last good site stays as it was" if book.site.exists() else ""
    print(f"{len(issues)} problem{'s' if len(issues) > 1 else ''}{remark}.", file=sys.stderr)


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mathbook.build", description=__doc__.splitlines()[0])
    parser.add_argument("--chapter", default="", help="build one chapter only, into _build/chapter-NAME")
    parser.add_argument("--cold", action="store_true", help="first delete everything stored by earlier builds")
    parser.add_argument("--serve", action="store_true", help="serve the site, rebuild and reload on change")
    parser.add_argument("--instructor", action="store_true", help="build the instructor's edition as well")
    parser.add_argument("--port", type=int, default=8000, help="port of --serve")
    parser.add_argument("--book", type=Path, default=PROJECT, help=BOOK_HELP)
    options = parser.parse_args(arguments)
    _warn_of_unread_chapters(options.book.resolve())
    return options


def build(book: BookFolders, cold: bool = False) -> None:
    """Build the site of a book and publish it to `_build/html`.

    Raises: BrokenBook, the site being as it was.
    """
    begun, inputs = time.perf_counter(), book.inputs()
    if cold:
        _discard(book)
    state = book.edition_dir / STATE_FILE
    if book.site.exists() and _built_from(state) == inputs:
        print(f"{os.path.relpath(book.site)} is up to date.")
        return
    from mathbook.sphinx_run import run_sphinx

    state.unlink(missing_ok=True)  # an interrupted build leaves inconsistent files
    print(run_sphinx(book), flush=True)
    _replace(book)
    state.write_text(json.dumps({"inputs": inputs}))
    print(f"{time.perf_counter() - begun:.1f} s  {os.path.relpath(book.site)}/index.html")


def _replace(book: BookFolders) -> None:
    """Replace the site by a copy of the new pages, in one step."""
    fresh, old = book.edition_dir / "next", book.edition_dir / "old"
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(book.edition_dir / "html", fresh, ignore=NOT_PUBLISHED)
    book.site.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        book.site.rename(old)
    fresh.rename(book.site)
    shutil.rmtree(old, ignore_errors=True)


def _discard(book: BookFolders) -> None:
    from mathbook import cache

    for folder in (book.build_dir, cache.FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


def _built_from(state: Path) -> str | None:
    return json.loads(state.read_text()).get("inputs") if state.exists() else None


if __name__ == "__main__":
    sys.exit(main())
