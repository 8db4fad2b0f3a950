"""Execution of the cells before Sphinx asks for the results: in parallel, and only what is not known."""

from typing import NamedTuple

from mathbook import cells
from mathbook.problems import BrokenBook, Problem, from_cell
from mathbook.processes import Died, spread


class Tally(NamedTuple):
    """How many pages with cells were run, and how many were known."""

    run: int
    known: int


def execute(book, pages):
    """Run the cells of all pages whose results are not known, and keep what they give.

    Raises: BrokenBook naming the line of every failing statement.
    """
    asked = [page for page in map(_asked, pages) if page]
    todo = [page for page in asked if cells.known(page[2]) is None]
    results = spread(cells.run, [(page, path.parent) for path, _, page in todo])
    problems = [_problem(book, page, result) for page, result in zip(todo, results, strict=True)]
    for page, result, problem in zip(todo, results, problems, strict=True):
        if not problem:
            cells.keep(page[2], result)
    if any(problems):
        raise BrokenBook([problem for problem in problems if problem])
    return Tally(len(todo), len(asked) - len(todo))


def _asked(path):
    """Return path, text and notebook of a page with cells, else None."""
    text = path.read_text("utf-8")
    page = cells.notebook(text) if cells.has_code(text) else None
    return (path, text, page) if page and cells.codes(page) else None


def _problem(book, page, result):
    path, text, notebook = page
    shown = book.shown(path)
    if isinstance(result, Died):
        return Problem(shown, 0, "its cells ended the process that ran them", "run them by hand to see which")
    if result["failed"]:
        index, *error = result["failed"]
        return from_cell(shown, text, notebook, index, error)
    return None
