"""Build the book: `python -m mathbook.build [--chapter NAME] [--cold] [--serve] [--instructor]`.

Jupyter Book builds the pages into `_build/work`, as `jupyter-book build .` does into `_build/html`. Only when
nothing is wrong the result takes the place of `_build/html`, in one step. Otherwise every problem is printed as
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

from mathbook.folders import PROJECT, Book
from mathbook.problems import BrokenBook

STATE_FILE = "state.json"  # the checksum of what the edition was built from
NOT_PUBLISHED = shutil.ignore_patterns(".buildinfo*", "_sources", "reports")


def main(arguments=None):
    """Build, or serve, what the command line asks for; return the exit code."""
    options = _arguments(arguments)
    folder = options.book.resolve()
    out = (options.out or folder / "_build").resolve()
    chapter = options.chapter.replace("_", "-")
    book = Book(folder, out / f"chapter-{chapter}" if chapter else out, chapter)
    # Node lies beside Python, where the setup put it
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if options.serve:
        from mathbook.devserver import serve

        return serve(book, options.port)
    editions = [book, book._replace(edition="instructor")] if options.instructor else [book]
    return int(not all(build_and_report(each, options.cold and each is book) for each in editions))


def build_and_report(book, cold=False):
    """Build the site of a book and return True, or print every problem and whether there is still a site."""
    try:
        build(book, cold)
        return True
    except BrokenBook as broken:
        print(*broken.problems, sep="\n", file=sys.stderr)
        remark = "; the last good site stays as it was" if book.site.exists() else ""
        print(f"{len(broken.problems)} problem{'s' if len(broken.problems) > 1 else ''}{remark}.", file=sys.stderr)
        return False


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="mathbook.build", description=__doc__.splitlines()[0])
    parser.add_argument("--chapter", default="", help="build one chapter only, into _build/chapter-NAME")
    parser.add_argument("--cold", action="store_true", help="delete everything kept from earlier builds first")
    parser.add_argument("--serve", action="store_true", help="serve the site, rebuild and reload on change")
    parser.add_argument("--instructor", action="store_true", help="build the instructor's edition as well")
    parser.add_argument("--port", type=int, default=8000, help="port of --serve")
    parser.add_argument("--book", type=Path, default=PROJECT, help="folder with _toc.yml and book/")
    parser.add_argument("--out", type=Path, help="folder of everything that is made (default: _build)")
    return parser.parse_args(arguments)


def build(book, cold=False):
    """Build the site of a book and put it in its place.

    Raises: BrokenBook, the site being as it was.
    """
    begun, inputs = time.perf_counter(), book.inputs()
    if cold:
        _discard_if_stale(book)
    state = book.edition_dir / STATE_FILE
    if book.site.exists() and _built_from(state) == inputs:
        print(f"{os.path.relpath(book.site)} is up to date.")
        return
    from mathbook.sphinx_run import run

    state.unlink(missing_ok=True)  # a build that breaks off leaves files that fit no inputs
    print(run(book), flush=True)
    _replace(book)
    state.write_text(json.dumps({"inputs": inputs}))
    print(f"{time.perf_counter() - begun:.1f} s  {os.path.relpath(book.site)}/index.html")


def _replace(book):
    """Put a copy of the pages that were built in the place of the site, in one step."""
    fresh, old = book.edition_dir / "next", book.edition_dir / "old"
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(book.edition_dir / "html", fresh, ignore=NOT_PUBLISHED)
    book.site.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        book.site.rename(old)
    fresh.rename(book.site)
    shutil.rmtree(old, ignore_errors=True)


def _discard_if_stale(book):
    from mathbook import cache

    for folder in (book.build_dir, cache.FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


def _built_from(state):
    return json.loads(state.read_text()).get("inputs") if state.exists() else None


if __name__ == "__main__":
    sys.exit(main())
