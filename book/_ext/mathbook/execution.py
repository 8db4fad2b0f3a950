"""Fill jupyter-cache before MyST-NB reads the pages: in parallel, from one process that has the engine loaded.

MyST-NB executes with its own mechanism, `execute_notebooks: cache`, and finds the outputs there. jupyter-cache compares
only the code of cells: outputs of a page are removed when a statement that its code uses has changed.
`mathbook_prefill: false` leaves the execution itself to MyST-NB.
"""

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging

from mathbook import cells, folders
from mathbook.issues import Issue, issue_from_cell, log_issue
from mathbook.processes import WorkerDied, parallel_map

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment


logger = logging.getLogger(__name__)
KEYS_FILE = "mathbook-keys.json"  # in the cache: what the outputs of each page were computed from
PYTHON = {"name": "python", "pygments_lexer": "ipython3"}


def setup(app: "Sphinx") -> None:
    """Register the configuration value, place the cache, and fill it before pages are read."""
    app.add_config_value("mathbook_prefill", True, "")
    app.connect("config-inited", _place_cache)
    app.connect("env-before-read-docs", _update_cache, priority=600)  # the check of statements has loaded the chapters


def _place_cache(app: "Sphinx", config: "Config") -> None:
    """Put the cache into a folder named by the hash of the engine; the caches of other engines are deleted."""
    if not config.nb_execution_cache_path:
        above = folders.generated_folder(app) / "jupyter-cache"
        for old in above.glob("*"):
            if old.name != config.mathbook_engine_hash[:16]:
                shutil.rmtree(old, ignore_errors=True)
        config.nb_execution_cache_path = str(above / config.mathbook_engine_hash[:16])


def _update_cache(app: "Sphinx", env: "BuildEnvironment", docnames: Sequence[str]) -> None:
    """Remove outdated outputs of the pages to be read, and execute them unless MyST-NB does."""
    if app.config.nb_execution_mode != "cache":
        return
    pages = {doc: page for doc in docnames if (page := _notebook(env.doc2path(doc)))}
    if not pages:
        return
    from jupyter_cache import get_cache

    store = get_cache(env.mystnb_config.execution_cache_path)  # type: ignore[attr-defined]
    keys = _remove_outdated(store, pages)
    if app.config.mathbook_prefill:
        for doc in _execute(app, store, {doc: page for doc, page in pages.items() if not _cache_record(store, page)}):
            keys.pop(doc)  # failed pages are executed again next time
    (Path(store.path) / KEYS_FILE).write_text(json.dumps(keys, indent=1), "utf-8")


def _notebook(path: str) -> Any:
    """Return the notebook of a page with cells, else None."""
    text = Path(path).read_text("utf-8") if str(path).endswith(".md") else ""
    page = cells.read_notebook(text) if cells.has_code(text) else None
    return page if page and cells.code_cells(page) else None


def _cache_record(store: Any, page: Any) -> Any:
    """Return the record of a notebook in jupyter-cache, or None."""
    with contextlib.suppress(KeyError):
        return store.match_cache_notebook(page)
    return None


def _remove_outdated(store: Any, pages: Mapping[str, Any]) -> dict[str, str]:
    """Remove the outputs of pages whose key has changed; return the current keys of all pages."""
    path = Path(store.path) / KEYS_FILE
    keys = json.loads(path.read_text("utf-8")) if path.exists() else {}
    now = {doc: cells.outputs_key(page) for doc, page in pages.items()}
    for doc in now:
        record = _cache_record(store, pages[doc]) if keys.get(doc) != now[doc] else None
        if record:
            store.remove_cache(record.pk)
    return keys | now


def _execute(app: "Sphinx", store: Any, pages: Mapping[str, Any]) -> list[Any]:
    """Execute pages in parallel and add their outputs to the cache; return the names of those that failed."""
    if not pages:
        return []
    _preload()
    logger.info("executing the cells of %s pages", len(pages))
    timeout = app.config.nb_execution_timeout
    # the longest first, for an even load
    pages = dict(sorted(pages.items(), key=lambda item: -len(cells.join_code(item[1]))))
    work = [(page, Path(app.env.doc2path(doc)).parent, timeout) for doc, page in pages.items()]
    failed = []
    for (doc, page), result in zip(pages.items(), parallel_map(cells.run_cells, work), strict=True):
        if issue := _issue_of_run(app.env.doc2path(doc), page, result):
            log_issue(issue, "cell")
            failed.append(doc)
        if not isinstance(result, WorkerDied):
            _add_outputs(store, app.env.doc2path(doc), page, result)
    return failed


def _preload() -> None:
    """Load IPython, scipy and plotly before the processes fork; the first figure of plotly takes a second."""
    import plotly.graph_objects as go

    from mathbook import cell_runner  # noqa: F401
    from mathcore import special_arrays

    special_arrays.array_functions()

    go.Figure([go.Scatter(x=[0], y=[0])]).to_json()


def _issue_of_run(path: str, page: Any, result: Any) -> Issue | None:
    """Return the Issue of a failed run, at the line of the failing statement, or None."""
    if isinstance(result, WorkerDied):
        return Issue(str(path), 0, "its cells ended the process that ran them", "run them by hand to see which")
    if result["failed"]:
        index, *error = result["failed"]
        return issue_from_cell(str(path), Path(path).read_text("utf-8"), page, index, error)
    return None


def _add_outputs(store: Any, path: str, page: Any, result: Mapping[str, Any]) -> None:
    """Add a page with its outputs to jupyter-cache, as MyST-NB does after an execution."""
    from jupyter_cache.base import CacheBundleIn
    from nbformat import from_dict

    page = from_dict(page)
    for number, (cell, outputs) in enumerate(zip(cells.code_cells(page), result["outputs"], strict=False), 1):
        cell.outputs, cell.execution_count = [from_dict(output) for output in outputs], number
    page.metadata["language_info"] = PYTHON
    bundle = CacheBundleIn(page, str(path), data={"execution_seconds": result["seconds"]})
    store.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
