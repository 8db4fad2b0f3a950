"""The cells of a page: which there are, what they give, and the page as Sphinx reads it.

A page is executed in a process of its own, forked from the build's, which has the engine loaded; a kernel
would load it anew. IPython runs the cells, so that they do here what they do in Jupyter.
What they gave is kept under their text and the chapters that they lead to, and under the statements that
they name: so cells are run again only if one of these says something else.
"""

import functools
import hashlib
import os
import signal
import sys
import time

from mathbook import cache, digests
from mathbook.folders import PROJECT, fingerprint
from mathbook.naming import statements_named
from mathcore.library import book

TIMEOUT = 120  # seconds a cell may take


def notebook(text):
    """Return a page as a notebook: one cell of Markdown where it has no code."""
    from nbformat import from_dict

    return from_dict(cache.recalled("notebook", hashlib.sha256(text.encode()).hexdigest(), lambda: _parsed(text)))


def _parsed(text):
    from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
    from nbformat.v4 import new_markdown_cell, new_notebook

    if is_myst_markdown_notebook(text):
        return read_myst_markdown_notebook(text, add_source_map=True)
    return new_notebook(cells=[new_markdown_cell(text)], metadata={"source_map": [0]})


def read(text):
    """Return a page as a notebook with what its cells gave; Sphinx asks for every page in this way."""
    page = notebook(text)
    code = codes(page)
    if code:
        found = known(page)
        for cell, outputs in zip(code, found["outputs"], strict=True):
            cell.outputs = as_nodes(outputs)
        page.metadata["seconds"] = found["seconds"]
        page.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return page


def as_nodes(outputs):
    """Return outputs that were kept as JSON as those of a notebook."""
    from nbformat import from_dict

    return [from_dict(output) for output in outputs]


def has_code(text):
    """Tell whether the text of a page holds cells."""
    return "{code-cell}" in text


def codes(page):
    """Return the cells that hold code."""
    return [cell for cell in page.cells if cell.cell_type == "code"]


def known(page):
    """Return what the cells of a page gave, or None: for the same chapters, else for the same statements."""
    found = cache.known("cells", checksum(page))
    if found is None and (named := statements_named(code_of(page))) is not None:
        found = cache.known("cells", _said(page, named))
        if found is not None:
            cache.keep("cells", checksum(page), found)
    return found


def keep(page, result):
    """Keep what the cells of a page gave."""
    cache.keep("cells", checksum(page), result)
    if (named := statements_named(code_of(page))) is not None:
        cache.keep("cells", _said(page, named), result)


def code_of(page):
    """Return the code of a page as one text."""
    return "\n".join(cell.source for cell in codes(page))


def checksum(page):
    """Return the checksum of a page's cells and of all that their results come from."""
    return cache.checksum(f"{code_of(page)}\n{_practice()}")


def _said(page, named):
    """Return the checksum of a page's cells and of the statements that they name."""
    found = [(chapter, name, _digest(chapter, name)) for chapter, name in sorted(named)]
    return cache.checksum(_practice()) + cache.simulations() + repr((code_of(page), found))


def _digest(chapter, name):
    try:
        return digests.of(getattr(book.module(chapter), name))
    except AttributeError:  # the cell will say so
        return "missing"


@functools.cache
def _practice():
    return fingerprint([PROJECT / "practice"])


def run(page, folder):
    """Run the cells of a page within a folder; return what they gave, up to the first that fails.

    The result is `{"outputs": [of each cell], "seconds": float, "failed": (index, name, text, traceback)}`,
    where `failed` is None if all is well. The process is changed by it: call it in a forked one.
    """
    os.chdir(folder)
    sys.path.insert(0, str(PROJECT))
    signal.signal(signal.SIGALRM, _too_long)
    from mathbook.shell import shell as new_shell  # IPython is loaded only if cells must run

    shell, begun, outputs, failed = new_shell(), time.perf_counter(), [], None
    for index, cell in enumerate(page.cells):
        if cell.cell_type == "code":
            signal.alarm(TIMEOUT)
            outputs.append(shell.outputs_of(cell.source))
            signal.alarm(0)
            if shell.error:
                failed = (index, *shell.error)
                break
    return {"outputs": outputs, "seconds": round(time.perf_counter() - begun, 2), "failed": failed}


def _too_long(*_):
    raise TimeoutError(f"a cell took more than {TIMEOUT} s")
