"""The generated part of `_static`: npm's files as far as pages need them, and the formulas.

Everything a page loads comes from the site itself: the fonts, one copy of plotly, the book's scripts put
together and made small, and the JavaScript of each chapter's formulas as the engine writes it.
"""

import hashlib
import shutil
from functools import partial
from pathlib import Path

import pint

from mathbook import cache, fonts, live, node, styles
from mathbook.cells import has_code
from mathbook.folders import PROJECT
from mathbook.problems import BrokenBook, Problem, warn
from mathcore.library import DATA

MODULES = PROJECT / "node_modules"
SOURCES = PROJECT / "book" / "_static"
MINIFYING = Path(__file__).with_name("minify.js")
TERSER = MODULES / "terser" / "dist" / "bundle.min.js"
# What every page loads, and what pages with an instrument load as well: one request each.
BUNDLES = {
    "mc.js": ("mc-core.js", "mc-page.js", "mc-store.js", "mc-frame.js", "mc-find.js", "mc-preview.js"),
    "mc-instruments.js": ("mc-chart.js", "mc-panels.js", "mc-patch.js", "mc-explorer.js"),
}

SHEETS = ("page.css", "book.css", "mc-draw.css")


def setup(app):
    """Write the static files when the statements have been checked, before a page is read."""
    app.add_css_file("site.css")
    app.connect("env-before-read-docs", _written, priority=700)


def _written(app, *_):
    """Write the static files; what cannot be written is a warning with its place."""
    if app.builder.format != "html":
        return
    try:
        prepare(Path(app.config.mathbook_static), Path(app.srcdir), app.config.mathbook_chapter)
    except BrokenBook as broken:
        for problem in broken.problems:
            warn(problem, "assets")


def prepare(static, source, chapter=""):
    """Write all generated static files into the folder `static`, for the pages below `source`."""
    faces = sorted({face.package for face in fonts.FACES.values()})
    _need("katex", "minisearch", "plotly.js-basic-dist-min", "terser", *faces)
    fonts.prepare(static / "fonts")
    plotly = MODULES / "plotly.js-basic-dist-min" / "plotly-basic.min.js"
    _copy(plotly, static / "plotly-basic.min.js")
    _minify(static / "minisearch.js", MODULES / "minisearch" / "dist" / "umd" / "index.js")
    bundled = {part for parts in BUNDLES.values() for part in parts}
    for name, parts in BUNDLES.items():
        _minify(static / name, *(SOURCES / part for part in parts))
    for path in [path for path in SOURCES.glob("*.js") if path.name not in bundled]:
        _minify(static / path.name, path)
    _write(static / "site.css", styles.merged(*(SOURCES / name for name in SHEETS)))
    for path in [path for path in SOURCES.iterdir() if path.suffix not in (".js", ".css")]:
        _copy(path, static / path.name)
    pages = [path for path in (source / "book").rglob("*.md") if not chapter or path.stem in (chapter, "index")]
    names = _chapters(pages if chapter else None)
    _formulas(static, names)
    _claims(static, names)
    if not chapter and any(map(_has_code, pages)):
        live.prepare(static)


def _has_code(path):
    return has_code(path.read_text("utf-8"))


def _minify(target, *sources):
    """Write scripts into one, made small; one that no browser could read is named.

    Raises: BrokenBook.
    """
    small = []
    for path in sources:
        try:
            small.append(minified(path.read_text("utf-8")))
        except node.Refusal as error:
            raise BrokenBook([Problem(_named(path), 0, f"it is no script: {error}", "mend it")]) from error
    _write(target, "\n".join(small) + "\n")


def minified(text):
    """Return a script made small by terser, which is asked once for each text.

    Raises: node.Refusal.
    """
    version = TERSER.parents[1].joinpath("package.json").read_bytes()
    checksum = hashlib.sha256(version + MINIFYING.read_bytes() + text.encode()).hexdigest()
    return cache.recalled("minified", checksum, lambda: node.asked(MINIFYING, TERSER, text=text))


def _named(path):
    return str(path.relative_to(PROJECT)) if path.is_relative_to(PROJECT) else str(path)


def _formulas(static, names):
    from mathbook import functions

    units = cache.recalled("units", pint.__version__, functions.units_script)
    folder, wanted = static / "formulas", {"units.js": units}
    for name in names:
        checksum, make = cache.chapter_checksum(name), partial(functions.chapter_script, name)
        wanted[f"{name}.js"] = cache.recalled("script", checksum, make)
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.js"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        _write(folder / name, text)


def _chapters(pages):
    """Return the chapters whose functions the pages may call; all for None."""
    from mathbook import functions
    from mathcore import library

    if pages is None:
        return library.book.names()
    named = cache.named_in("\n".join(path.read_text("utf-8") for path in pages), library.book.names())
    return sorted(named | {address.partition(".")[0] for name in named for address in functions.functions(name)})


def _claims(static, names):
    folder = static / "claims"
    folder.mkdir(exist_ok=True)
    for name in names:
        if (DATA / "claims" / f"{name}.toml").is_file():
            sheet = cache.recalled("claims", cache.chapter_checksum(name), partial(_sheet, name))
            _write(folder / f"{name}.csv", sheet)


def _sheet(name):
    """Return the sheet of a chapter's claims, which is known where a change in the chapter touched none of them."""
    from mathbook import claims, digests

    said = digests.of([claim for _, claim in claims.claims_of(name)])
    return cache.recalled("claims-said", said, partial(claims.sheet, name))


def _need(*packages):
    missing = [name for name in packages if not (MODULES / name).is_dir()]
    if missing:
        what = f"{' and '.join(missing)} not installed in node_modules"
        raise BrokenBook([Problem("package.json", 0, what, "run `npm ci`, or `make book`")])


def _write(path, text):
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _copy(source, target):
    if not target.exists() or target.stat().st_size != source.stat().st_size:
        shutil.copyfile(source, target)
