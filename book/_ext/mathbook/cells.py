"""The code cells of a page: its notebook as MyST-NB reads it, the key of its outputs, and their execution.

Cells run in IPython, as in a kernel, in a process forked from the build, which has the engine loaded.
"""

import functools
import hashlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from mathbook import cache, content_hash
from mathbook.chapter_sources import hash_of_text
from mathbook.code_references import named_statements
from mathbook.folders import PROJECT, hash_files
from mathcore.library import current_library


def read_notebook(text: str) -> Any:
    """Return the notebook of a page's `text`; a page that is no notebook becomes one cell of Markdown."""
    from nbformat import from_dict

    return from_dict(cache.memoize("notebook", text, lambda: _parse_notebook(text)))


def _parse_notebook(text: str) -> Any:
    from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
    from nbformat.v4 import new_markdown_cell, new_notebook

    if is_myst_markdown_notebook(text):
        return read_myst_markdown_notebook(text, add_source_map=True)
    return new_notebook(cells=[new_markdown_cell(text)], metadata={"source_map": [0]})


def has_code(text: str) -> bool:
    """Return whether the text of a page has code cells."""
    return "{code-cell}" in text


def code_cells(page: Any) -> list[Any]:
    """Return the code cells of a notebook."""
    return [cell for cell in page.cells if cell.cell_type == "code"]


def join_code(page: Any) -> str:
    """Return the code of all cells of a notebook as one text."""
    return "\n".join(cell.source for cell in code_cells(page))


def outputs_key(page: Any) -> str:
    """Return the hash of a notebook's code and of everything that its outputs depend on.

    These are the statements that the code names or, if they cannot be determined, the chapters.
    """
    code = join_code(page)
    named = named_statements(code)
    hashes: str | list = hash_of_text(code)
    if named is not None:
        hashes = [(chapter, name, _statement_hash(chapter, name)) for chapter, name in sorted(named)]
    return hashlib.sha256(repr((code, _practice_hash(), hashes)).encode()).hexdigest()


def _statement_hash(chapter: str, name: str) -> str:
    def compute() -> str:
        try:
            return content_hash.hash_of(getattr(current_library.module(chapter), name))
        except AttributeError:  # the cell raises it again
            return content_hash.MISSING

    text: str = content_hash.memoize_by_chapter(f"cell {chapter}.{name}", chapter, compute)
    return text


@functools.cache
def _practice_hash() -> str:
    return hash_files([PROJECT / "practice"])


def run_cells(page: Any, folder: Path, timeout: int = 120) -> dict[str, Any]:
    """Run the code cells of a notebook in `folder`, each for at most `timeout` seconds; stop at the first error.

    Return `{"outputs": [of each cell], "seconds": float, "failed": (index, name, text, traceback) or None}`. The
    function changes directory and signal handlers of the process: call it in a forked one.
    """
    os.chdir(folder)
    sys.path.insert(0, "")  # a kernel finds the modules of its folder as well
    signal.signal(signal.SIGALRM, functools.partial(_interrupt, timeout))
    from mathbook.cell_runner import new_cell_runner as new_shell  # IPython is loaded only if cells must run

    shell, begun, outputs, failed = new_shell(), time.perf_counter(), [], None
    for index, cell in enumerate(page.cells):
        if cell.cell_type == "code":
            signal.alarm(timeout)
            outputs.append(shell.outputs_of(cell.source))
            signal.alarm(0)
            if shell.error and "raises-exception" not in cell.metadata.get("tags", ()):
                failed = (index, *shell.error)
                break
    return {"outputs": outputs, "seconds": round(time.perf_counter() - begun, 2), "failed": failed}


def _interrupt(timeout: int, *_: object) -> None:
    raise TimeoutError(f"a cell took more than {timeout} s")
