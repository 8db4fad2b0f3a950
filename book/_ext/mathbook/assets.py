"""The generated part of `_static`: files of npm packages, bundled scripts, fonts, and the formulas as JavaScript.

A page loads everything from its own site: the fonts, one copy of plotly, the scripts, bundled and minified, and the
functions of the chapter's formulas.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias
from weakref import WeakKeyDictionary

import pint
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from mathbook import cache, fonts, live, node_rpc, resources, styles
from mathbook.cells import has_code
from mathbook.chapter_sources import chapters_named_in, hash_of_chapter
from mathbook.domain_access import get_domain
from mathbook.folders import chapter_name, files_below, hash_files, write_text
from mathbook.frame import has_own_theme
from mathbook.issues import BuildFailed, Issue, log_issue
from mathbook.processes import ForkedCall
from mathcore.library import current_library as book_of_statements

MINIFY_SCRIPT = Path(__file__).with_name("minify.js")
# What every page with an element loads, and what pages with a calculator load as well: one request each.
BUNDLES = {
    "mc.js": ("mc-core.js", "mc-page.js", "mc-store.js"),
    "mc-calculators.js": ("mc-chart.js", "mc-panels.js", "mc-patch.js", "mc-explorer.js"),
}
# What the theme of the book loads with every page besides; other themes have a frame and a search of their own.
FRAME_SCRIPTS = ("mc-frame.js", "mc-search.js", "mc-preview.js")
ELEMENT_SHEETS = ("base.css", "book.css", "mc-diagram.css")
STYLE_SHEETS = {"site.css": ("page.css", *ELEMENT_SHEETS), "elements.css": (*ELEMENT_SHEETS, "foreign.css")}
_jobs: WeakKeyDictionary[Sphinx, ForkedCall] = WeakKeyDictionary()
Places: TypeAlias = tuple[Path, Path, str, bool]  # static files, sources, the chapter, own theme


def setup(app: Sphinx) -> None:
    """Write the static files before pages are read: in parallel with the checks of statements, and after them."""
    app.connect("builder-inited", _add_style_sheet)
    app.connect("env-before-read-docs", _start_writing, priority=400)
    app.connect("env-before-read-docs", _finish_writing, priority=700)
    app.connect("env-updated", _pages_to_write)


def _add_style_sheet(app: Sphinx) -> None:
    """Add the style sheet of the theme to all pages."""
    app.add_css_file("site.css" if has_own_theme(app) else "elements.css")


def _start_writing(app: Sphinx, *_: object) -> None:
    """Start a process that writes the files which depend on no statement, while statements are checked."""
    if app.builder.format == "html":
        _jobs[app] = ForkedCall(_collect_issues, (_write_files, *_places(app)))


def _finish_writing(app: Sphinx, *_: object) -> None:
    """Write the files generated from statements; an error becomes a warning with its location."""
    if app.builder.format != "html":
        return
    issues = _jobs.pop(app).result()
    if isinstance(issues, Exception):
        raise issues
    for issue in issues + _collect_issues(_write_statements, *_places(app)):
        log_issue(issue, "assets")


def _pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return all pages if a hand-written file of `_static` has changed: Sphinx copies static files with pages only."""
    data, now = get_domain(env).data, hash_files([resources.static_folder()])
    known, data["static_hash"] = data.get("static_hash"), now
    return [] if known == now else sorted(env.found_docs)


def _places(app: Sphinx) -> Places:
    return Path(app.config.mathbook_static), Path(app.srcdir), app.config.mathbook_chapter, has_own_theme(app)


def _collect_issues(write: Callable[..., None], *arguments: object) -> list[Issue]:
    """Run `write` and return the Issues that it raises, an empty list if there are none."""
    try:
        write(*arguments)
    except BuildFailed as broken:
        return broken.issues
    except resources.MissingResource as error:
        return [Issue("package.json", 0, error.what, error.remedy)]
    return []


def _write_files(static: Path, source: Path, chapter: str, framed: bool) -> None:
    """Write fonts, scripts and Pyodide into the folder `static`, for the pages below `source` or for one `chapter`.

    Without `framed`, only the files of the elements are written, for themes other than the book's.
    """
    static.mkdir(parents=True, exist_ok=True)
    fonts.write_fonts(static / "fonts", fonts.FACES if framed else ["mathematics"])
    _copy(resources.npm_path("plotly.js-basic-dist-min", "plotly-basic.min.js"), static / "plotly-basic.min.js")
    if framed:
        _minify(static / "minisearch.js", resources.npm_path("minisearch", "dist", "umd", "index.js"))
    _write_scripts(static, framed)
    if not chapter and live.is_available() and any(map(_has_code, _markdown_files(source))):
        live.write_live_files(static)


def _write_statements(static: Path, source: Path, chapter: str, _framed: bool) -> None:
    """Write the formulas of chapters as scripts and their claims as CSV into the folder `static`."""
    names = _called_chapters(source, chapter)
    _write_formulas(static, names)
    _write_claims(static, names)


def _write_scripts(static: Path, framed: bool) -> None:
    """Write the hand-written files: scripts bundled and minified, all others as they are."""
    source = resources.static_folder()
    bundled = {*FRAME_SCRIPTS, *(part for parts in BUNDLES.values() for part in parts)}
    for name, parts in BUNDLES.items():
        frame = FRAME_SCRIPTS if framed and name == "mc.js" else ()
        _minify(static / name, *(source / part for part in (*parts, *frame)))
    sheet = "site.css" if framed else "elements.css"
    write_text(static / sheet, styles.concatenate_sheets(*(source / name for name in STYLE_SHEETS[sheet])))
    for path in sorted(source.iterdir()):
        if path.suffix not in (".js", ".css"):
            if framed:
                _copy(path, static / path.name)
        elif path.suffix == ".js" and path.name not in bundled:
            _minify(static / path.name, path)


def _markdown_files(source: Path) -> Iterator[Path]:
    """Yield the Markdown files of a book: those below its folder `book` if it has one."""
    book = source / "book"
    yield from (path for path in files_below([book if book.is_dir() else source]) if path.suffix == ".md")


def _has_code(path: Path) -> bool:
    return has_code(path.read_text("utf-8"))


def _minify(target: Path, *sources: Path) -> None:
    """Write scripts, minified, into the file `target`.

    Raises: BrokenBook.
    """
    small = []
    for path in sources:
        try:
            small.append(minify_script(path.read_text("utf-8")))
        except node_rpc.ScriptError as error:
            raise BuildFailed(
                [Issue(resources.display_path(path), 0, f"syntax error: {error}", "correct the script")]
            ) from error
    write_text(target, "\n".join(small) + "\n")


def minify_script(text: str) -> str:
    """Return a script minified by terser; each text is minified once.

    An installed wheel has minified scripts and no terser: there the text is returned unchanged.

    Raises: node_rpc.ScriptError.
    """
    if not resources.has_npm("terser") and resources.checkout_folder() is None:
        return text
    terser = resources.npm_path("terser", "dist", "bundle.min.js")
    version = resources.npm_path("terser", "package.json").read_bytes()
    checksum = hashlib.sha256(version + MINIFY_SCRIPT.read_bytes() + text.encode()).hexdigest()
    return cache.memoize("minified", checksum, lambda: node_rpc.call(MINIFY_SCRIPT, terser, text=text))


def _write_formulas(static: Path, names: Iterable[str]) -> None:
    from mathbook import functions

    units = cache.memoize("units", pint.__version__, functions.units_script)
    folder, wanted = static / "formulas", {"units.js": units}
    for name in names:
        checksum, make = hash_of_chapter(name), partial(functions.chapter_script, name)
        wanted[f"{name}.js"] = cache.memoize("script", checksum, make)
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.js"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        write_text(folder / name, text)


def _called_chapters(source: Path, chapter: str) -> list[str]:
    """Return the chapters whose functions pages may call: all, or for one `chapter` those that its pages use."""
    from mathbook import functions
    from mathcore import library

    book = source / "book"
    if book.is_dir() and not chapter:
        return library.current_library.names()
    pages = [
        path
        for path in _markdown_files(source)
        if not chapter or chapter_name(path.relative_to(source)) in (chapter, "index")
    ]
    text = "\n".join(path.read_text("utf-8") for path in pages if path.exists())
    named = chapters_named_in(text)
    named = {name for chapter in named for name in library.current_library.modules(chapter)}
    return sorted(named | {library.current_library.split(a)[0] for name in named for a in functions.functions(name)})


def _write_claims(static: Path, names: Iterable[str]) -> None:
    folder = static / "claims"
    folder.mkdir(exist_ok=True)
    for name in names:
        if book_of_statements.file(name, "claims.toml").is_file():
            sheet = cache.memoize("claims", hash_of_chapter(name), partial(_claims_csv, name))
            write_text(folder / f"{name}.csv", sheet)


def _claims_csv(name: str) -> str:
    """Return the claims of a chapter as CSV, memoized by the hash of the claims."""
    from mathbook import claims, content_hash

    claims_hash = content_hash.hash_of([claim for _, claim in claims.chapter_claims(name)])
    return cache.memoize("claims-csv", claims_hash, partial(claims.claims_csv, name))


def _copy(source: Path, target: Path) -> None:
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)
