"""Cells that run in the reader's browser: which of them can, what they need, and the Python that runs them.

Python is Pyodide's npm package, together with archives of the packages that the engine needs, of the engine, of the
chapters, each compiled by that Python, and of the data files, which are not compiled so that a changed fact needs no
compiler. numpy is not included: a cell that needs it is shown and not run. A wheel contains no Pyodide, because of its
size: without it no cell runs.
"""

import ast
import builtins
import hashlib
import importlib.metadata
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from docutils import nodes
from sphinx.application import Sphinx

from mathbook import cache, resources
from mathbook.elements import raw_html
from mathbook.folders import files_below
from mathbook.issues import BuildFailed, Issue
from mathbook.node_rpc import node_path as node_command
from mathcore.errors import ENGINE

COMPILE_SCRIPT, RUNNER = (Path(__file__).with_name(name) for name in ("live_compile.mjs", "live_cell.py"))
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PACKAGES = ("sympy", "mpmath", "pint", "flexcache", "flexparser", "platformdirs", "typing_extensions")
EXCLUDED: tuple[str, ...] = ("/tests/", "/benchmarks/", "/testsuite/", "__pycache__", "../", "sympy/testing/runtests")
# what the installer notes of this machine: RECORD has the checksums of scripts that begin with the path of their Python
EXCLUDED += tuple(f".dist-info/{name}" for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"))
ALLOWED = {"mathcore", "sympy", "mpmath", "pint"} | sys.stdlib_module_names
NEEDS_NUMPY = re.compile(r"mathcore\.monte_carlo\b|\.(?:\w+_)?simulation\b")
DATA_SUFFIXES = (".py", ".toml", ".csv", ".json")  # data files of the engine and the chapters
LIVE_FOLDER = "live"
Archived: TypeAlias = list[tuple[Path, str]]  # files, and their names in an archive


def setup(app: Sphinx) -> None:
    """Register the handlers that make cells runnable, if Pyodide is installed."""
    if is_available():
        app.connect("doctree-resolved", _add_live_data)


def is_available() -> bool:
    """Return whether cells can run in pages: Pyodide is an npm package of the checkout."""
    return resources.has_npm("pyodide")


def _add_live_data(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    from mathbook import cells

    text = Path(app.env.doc2path(docname)).read_text("utf-8")
    if not cells.has_code(text):
        return
    able = runnable_cells([cell.source for cell in cells.code_cells(cells.read_notebook(text))])
    for cell in doctree.findall(lambda node: isinstance(node, nodes.container) and "cell" in node["classes"]):
        code_block = next(cell.findall(nodes.literal_block), None)
        if code_block is not None and (before := able.get(code_block.astext().strip())) is not None:
            cell += live_data(before=before, name=cell_name(cell, code_block.astext()))


def live_data(**data: str) -> nodes.raw:
    """Return the data of a runnable cell, which the page's script reads."""
    text = json.dumps(data, ensure_ascii=False).replace("<", r"\u003c")
    return raw_html(f'<script type="application/json" class="mc-live">{text}</script>')


def cell_name(cell: nodes.Element, source: str) -> str:
    """Return the storage name of a cell: that of its options, else a hash of its source.

    >>> cell_name({"cell_metadata": {"name": "interval"}}, "1 + 1"), cell_name({}, "1 + 1")
    ('interval', '72fce594')
    """
    named = cell.get("cell_metadata", {}).get("name", "")
    return str(named or hashlib.sha256(source.strip().encode()).hexdigest()[:8])


def runnable_cells(sources: Iterable[str]) -> dict[str, str]:
    """Return `{source: code that must run before}` of the cells that display something and run in a browser.

    >>> runnable_cells(["import numpy as np", "from mathcore import find", "find('a.b')", "np.pi"])
    {"find('a.b')": 'from mathcore import find'}
    """
    earlier: list[ast.stmt] = []
    runnable = {}
    for source in sources:
        try:
            statements = ast.parse(source).body
        except SyntaxError:  # a command of IPython
            continue
        before = _required_statements(statements, earlier)
        shows = bool(statements) and isinstance(statements[-1], ast.Expr)
        if shows and before is not None and all(map(_is_allowed, [*before, *statements])):
            runnable[source.strip()] = "\n".join(map(ast.unparse, before))
        earlier += statements
    return runnable


def _required_statements(statements: list[ast.stmt], earlier: list[ast.stmt]) -> list[ast.stmt] | None:
    """Return the earlier statements that bind the names which `statements` use; None if a name is unbound."""
    required: list[ast.stmt] = []
    wanted = _free_names(statements)
    for statement in reversed(earlier):
        bound = _bound_names(statement) & wanted
        if bound:
            required.insert(0, statement)
            wanted = (wanted - bound) | _free_names([statement])
    return None if wanted else required


def _free_names(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements read and do not bind."""
    nodes_ = [node for statement in statements for node in ast.walk(statement)]
    read = {node.id for node in nodes_ if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    given = set().union(*map(_bound_names, statements), {node.arg for node in nodes_ if isinstance(node, ast.arg)})
    return read - given - vars(builtins).keys()


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds, nested ones included."""
    bound = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return bound


def _is_allowed(statement: ast.stmt) -> bool:
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return all(name.partition(".")[0] in ALLOWED and not NEEDS_NUMPY.search(name) for name in names)


# ---------------------------------------------------------------- what the site brings along


def write_live_files(static: Path) -> None:
    """Write Pyodide and the archives into the folder `live` of the static files.

    Raises: resources.Missing when Pyodide is not installed, BrokenBook when it does not compile an archive.
    """
    pyodide, folder = resources.npm_path("pyodide"), static / LIVE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in PYODIDE_FILES:
        if not (folder / name).exists() or (folder / name).stat().st_size != (pyodide / name).stat().st_size:
            (folder / name).write_bytes((pyodide / name).read_bytes())
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))
    (folder / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}))
    for name, made in _archives(ENGINE).items():
        (folder / name).write_bytes(made)


def _archives(engine: Path) -> dict[str, bytes]:
    """Return `{name: content}` of all archives; unchanged ones are not compiled again."""
    own = [path for path in files_below([engine]) if path.suffix in DATA_SUFFIXES]
    chapters = [path for path in own if path.suffix == ".py" and path.is_relative_to(engine / "chapters")]
    engine_modules = [path for path in own if path.suffix == ".py" and path not in chapters]
    data = [path for path in own if path.suffix != ".py"]
    return {
        "packages.zip": _compiled_archive(
            "packages.zip", [(path, path.name) for path in resources.lock_files()], _package_files
        ),
        "core.zip": _compiled_archive("core.zip", [(RUNNER, RUNNER.name), *_archive_paths(engine_modules, engine)]),
        "chapters.zip": _compiled_archive("chapters.zip", _archive_paths(chapters, engine)),
        "data.zip": _zip(_archive_paths(data, engine)),
    }


def _compiled_archive(
    name: str, made_from: Archived, sources: Callable[[], Iterable[tuple[Path, str]]] | None = None
) -> bytes:
    """Return a compiled archive of `(path, name in the archive)` pairs, stored by the hash of `made_from`.

    `sources` returns the pairs if they are not `made_from` itself.
    """
    archive = cache.FOLDER / LIVE_FOLDER / _checksum(made_from) / name
    if not archive.exists():
        for old in archive.parent.parent.glob(f"*/{name}"):
            shutil.rmtree(old.parent)
        archive.parent.mkdir(parents=True, exist_ok=True)
        source = archive.with_suffix(".source")
        source.write_bytes(_zip(sources() if sources else made_from))
        files = COMPILE_SCRIPT, resources.npm_path("pyodide", "pyodide.mjs"), source, archive
        made = subprocess.run([node_command(), *map(str, files)], capture_output=True, text=True)
        if made.returncode or not archive.exists():
            what = f"Pyodide does not compile {name}: {made.stderr.strip()[-200:]}"
            raise BuildFailed([Issue(COMPILE_SCRIPT.name, 0, what, "run it by hand to see more")])
        source.unlink()
    return archive.read_bytes()


def _checksum(made_from: Archived) -> str:
    """Return the hash of files and their names in the archive, of the compiler and of Pyodide, independent of paths."""
    whole = hashlib.sha256(repr((PACKAGES, EXCLUDED)).encode())
    for path, name in [*made_from, (COMPILE_SCRIPT, ""), (resources.lock_files()[-1], "")]:
        whole.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return whole.hexdigest()[:24]


def _package_files() -> Iterator[tuple[Path, str]]:
    """Yield `(path, name in the archive)` of the packages that the engine needs."""
    for package in PACKAGES:
        for path in importlib.metadata.files(package) or ():
            if not any(part in f"/{path}" for part in EXCLUDED):
                yield Path(path.locate()), str(path)


def _archive_paths(paths: Iterable[Path], engine: Path) -> Archived:
    """Return `(path, name in the archive)` of files of the engine."""
    return [(path, path.relative_to(engine.parent).as_posix()) for path in paths]


def _zip(sources: Iterable[tuple[Path, str]]) -> bytes:
    """Return a reproducible ZIP archive of `(path, name in the archive)` pairs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in sources:
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()
