"""Execution of the cells, in parallel and remembered, before Sphinx asks for the results.

Sphinx would run one page after the other, and its cache would not notice a changed engine: here
the cache's folder is named by a checksum of the engine and the lock (`Book.cache`), older ones
are removed, `SOURCES` in it tells from which cells and chapter modules each page was executed, and
MyST-NB then finds every page executed.
"""

import asyncio
import json
import os
import shutil
import time
from typing import NamedTuple

from mathbook.problems import BrokenBook, Problem, from_cell

SOURCES = "sources.json"
TIMEOUT = 120  # seconds a cell may take


class Tally(NamedTuple):
    """How many pages with cells were run, and how many were known."""

    run: int
    known: int


def execute(book, pages):
    """Run the cells of all pages that the cache does not know.

    Raises: BrokenBook naming the line of every failing statement.
    """
    from jupyter_cache import get_cache

    _drop_old_caches(book)
    notebooks = _notebooks(pages)
    cache = get_cache(book.cache())
    known = _sources(book)
    todo = [page for page in notebooks if not _is_known(cache, known, page)]
    if todo:
        results = asyncio.run(_run_all(todo))
        _remember(cache, todo, results)
        done = [page for page, result in zip(todo, results, strict=True) if not isinstance(result, Exception)]
        known |= {str(path): _checksum(notebook) for path, _, notebook in done}
        (book.cache() / SOURCES).write_text(json.dumps(known, indent=1), "utf-8")
        problems = [p for p in map(_problem, [book] * len(todo), todo, results) if p]
        if problems:
            raise BrokenBook(problems)
    return Tally(len(todo), len(notebooks) - len(todo))


def _drop_old_caches(book):
    for folder in book.out.glob("cache-*"):
        if folder != book.cache():
            shutil.rmtree(folder)


def _notebooks(pages):
    from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

    found = []
    for path in pages:
        text = path.read_text("utf-8")
        if is_myst_markdown_notebook(text):
            notebook = read_myst_markdown_notebook(text, add_source_map=True, path=path)
            found.append((path, text, notebook))
    return found


def _sources(book):
    """Return the checksums under which pages were executed, by path; none if they cannot be read."""
    try:
        return json.loads((book.cache() / SOURCES).read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _checksum(notebook):
    """Return the checksum of a page's cells and of the chapter modules that they lead to."""
    from mathbook.cache import checksum

    return checksum("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"))


def _is_known(cache, known, page):
    path, _, notebook = page
    if known.get(str(path)) != _checksum(notebook):
        return False
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


async def _run_all(pages):
    turn = asyncio.Semaphore(max(2, os.cpu_count() or 2))
    return await asyncio.gather(*(_run(page, turn) for page in pages))


async def _run(page, turn):
    """Return the seconds that the cells of a page took, or why they did not run to the end."""
    from nbclient import NotebookClient

    path, _, notebook = page
    settings = {
        "timeout": TIMEOUT,
        "resources": {"metadata": {"path": str(path.parent)}},
        "record_timing": False,  # times in the cells would make them other cells than the page's
        "extra_arguments": ["--log-level=40"],  # else every kernel warns that it listens on this machine
    }
    client = NotebookClient(notebook, **settings)
    async with turn:
        begun = time.perf_counter()
        try:
            await client.async_execute()
        except Exception as error:  # in a cell, or a kernel that cannot start or dies: told apart later
            return error
        return time.perf_counter() - begun


def _remember(cache, pages, results):
    from jupyter_cache.base import CacheBundleIn

    for (path, _, notebook), result in zip(pages, results, strict=True):
        if not isinstance(result, Exception):
            bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": result})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def _problem(book, page, result):
    from nbclient.exceptions import CellTimeoutError

    path, text, notebook = page
    shown = book.shown(path)
    if not isinstance(result, Exception):
        return None
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                error = output.ename, output.evalue, "\n".join(output.traceback)
                return from_cell(shown, text, notebook, index, error)
    if isinstance(result, CellTimeoutError):
        return _timeout(shown, text, notebook)
    what = f"its cells could not be run, {type(result).__name__}: {result}"
    return Problem(shown, 0, what, "see whether `python -m ipykernel --version` works")


def _timeout(shown, text, notebook):
    codes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    index = next((i for i in codes if notebook.cells[i].execution_count is None), codes[-1])
    said = ("TimeoutError", f"a cell took more than {TIMEOUT} s", "")
    return from_cell(shown, text, notebook, index, said)
