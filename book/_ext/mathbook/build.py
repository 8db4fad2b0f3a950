"""Build the book: `python -m mathbook.build [--chapter NAME] [--cold] [--serve] [--instructor]`.

The phases are those of `PHASES`. Sphinx works in `_build/work`; the finished site is mended
beside it and takes the place of `_build/html` in one step, and only when nothing is wrong.
Otherwise every problem is printed as `path:line: what is wrong: what to do`, the last good site
stays, and the exit code is 1. Another edition is written from the pages that were read for the
reader's, which is built first.
"""

import argparse
import gc
import json
import os
import shutil
import sys
import time
from pathlib import Path

from mathbook.folders import PROJECT, Book
from mathbook.problems import BrokenBook


def main(arguments=None):
    """Build, or serve, what the command line asks for; return the exit code."""
    asked = _asked(arguments)
    book = _book(asked)
    gc.set_threshold(100_000, 20, 50)  # modules, pages and statements stay: to look through them takes long
    # Node lies beside Python, where the setup put it
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if asked.serve:
        from mathbook.serving import serve

        return serve(book, asked.port)
    if asked.standby:
        from mathbook.standby import wait

        wait()
    try:
        build(book, asked.cold)
        if asked.instructor:
            build(book._replace(edition=INSTRUCTOR))
        return 0
    except BrokenBook as broken:
        print(*broken.problems, sep="\n", file=sys.stderr)
        count = len(broken.problems)
        kept = "; the last good site stays as it was" if book.site.exists() else ""
        print(f"{count} problem{'s' if count > 1 else ''}{kept}.", file=sys.stderr)
        return 1


def _asked(arguments):
    parser = argparse.ArgumentParser(prog="mathbook.build", description=__doc__.splitlines()[0])
    parser.add_argument("--chapter", default="", help="build one chapter only, into _build/chapter-NAME")
    parser.add_argument("--cold", action="store_true", help="forget everything known from earlier builds")
    parser.add_argument("--serve", action="store_true", help="serve the site, rebuild and reload on change")
    parser.add_argument("--instructor", action="store_true", help="build the instructor's edition as well")
    parser.add_argument("--standby", action="store_true", help="load everything, then wait for `build` to be said")
    parser.add_argument("--port", type=int, default=8000, help="port of --serve")
    parser.add_argument("--book", type=Path, default=PROJECT, help="folder with _toc.yml and book/")
    parser.add_argument("--out", type=Path, help="folder of everything that is made (default: _build)")
    return parser.parse_args(arguments)


def _book(asked):
    folder = asked.book.resolve()
    out = (asked.out or folder / "_build").resolve()
    chapter = asked.chapter.replace("_", "-")
    return Book(folder, out / f"chapter-{chapter}" if chapter else out, chapter)


def build(book, cold=False):
    """Build the site of a book and put it in its place.

    Raises: BrokenBook, the site being as it was.
    """
    begun, inputs = time.perf_counter(), book.inputs()
    if cold:
        _forget(book)
    if _state(book).get("inputs") == inputs and book.site.exists():
        print(f"{_shown(book.site)} is up to date.")
        return 0
    book.desk.mkdir(parents=True, exist_ok=True)
    (book.desk / STATE).unlink(missing_ok=True)  # a build that breaks off leaves a desk that fits no inputs
    for name, phase in PHASES[book.edition]:
        since = time.perf_counter()
        said = phase(book)
        print(f"{name:<12}{time.perf_counter() - since:6.1f} s  {said or ''}".rstrip(), flush=True)
    (book.desk / STATE).write_text(json.dumps({"inputs": inputs}))
    print(f"{'all':<12}{time.perf_counter() - begun:6.1f} s  {_shown(book.site)}/index.html")
    return 0


def _check(book):
    from mathbook.core import check
    from mathbook.sphinx_run import refuse_missing

    refuse_missing(book)
    return check(book)


def _execute(book):
    from mathbook.execution import execute
    from mathbook.sphinx_run import contents, pages

    listed = [book.folder / f"{name}.md" for name in pages(contents(book))]
    tally = execute(book, [path for path in listed if path.exists()])
    return f"{tally.run} pages with cells run, {tally.known} known"


def _assets(book):
    from mathbook.assets import prepare

    prepare(book.static, book.folder, book.chapter)


def _pages(book):
    from mathbook.sphinx_run import run

    run(book)


def _mend(book):
    from mathbook.mending import mend
    from mathbook.publishing import publish

    fresh = book.desk / "next"
    shutil.rmtree(fresh, ignore_errors=True)
    mend(book, book.desk / "html", fresh)
    publish(fresh)


def _mark(book):
    from mathbook.instructor import mark

    return mark(book.desk / "next")


def _swap(book):
    from mathbook.weights import weighed

    old = book.desk / "old"
    book.site.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(old, ignore_errors=True)
    if book.site.exists():
        book.site.rename(old)
    (book.desk / "next").rename(book.site)
    shutil.rmtree(old, ignore_errors=True)
    return weighed(book.site)


INSTRUCTOR = "instructor"
STATE = "state.json"  # on the desk: the checksum of what it was made from
PHASES = {
    "": (
        ("engine", _check),
        ("cells", _execute),
        ("assets", _assets),
        ("pages", _pages),
        ("mending", _mend),
        ("site", _swap),
    ),
    INSTRUCTOR: (("pages", _pages), ("mending", _mend), ("marking", _mark), ("site", _swap)),
}


def _forget(book):
    from mathbook import cache

    for folder in (book.work, book.static, cache.FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


def _state(book):
    path = book.desk / STATE
    return json.loads(path.read_text()) if path.exists() else {}


def _shown(path):
    return os.path.relpath(path)


if __name__ == "__main__":
    code = main()
    gc.freeze()  # all of it goes with the process
    sys.exit(code)
