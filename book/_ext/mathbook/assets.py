"""The generated part of `_static`: npm's files as far as pages need them, and the formulas.

Everything a page loads comes from the site itself: the fonts, the book's scripts put together, and
the JavaScript of each chapter's formulas as the engine writes it.
"""

import re
import shutil
from functools import partial

from mathbook import fonts, live
from mathbook.cells import has_code
from mathbook.folders import PROJECT
from mathbook.problems import BrokenBook, Problem
from mathcore.library import DATA

MODULES = PROJECT / "node_modules"
# What every page loads, and what pages with an instrument load as well: one request each.
BUNDLES = {
    "mc.js": ("mc-core.js", "mc-page.js", "mc-store.js", "mc-frame.js", "mc-find.js", "mc-preview.js"),
    "mc-instruments.js": ("mc-chart.js", "mc-panels.js", "mc-explorer.js"),
}
COMMENT = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)


def prepare(book):
    """Write all generated static files of the book."""
    _need("katex", "minisearch", *sorted({face.package for face in fonts.FACES.values()}))
    fonts.prepare(book.static / "fonts")
    _copy(MODULES / "minisearch" / "dist" / "umd" / "index.js", book.static / "minisearch.js")
    for name, parts in BUNDLES.items():
        _write(book.static / name, "".join(bundled(part) for part in parts))
    _formulas(book)
    _claims(book)
    if not book.chapter and any(map(_has_code, (book.folder / "book").rglob("*.md"))):
        live.prepare(book)


def _has_code(path):
    return has_code(path.read_text("utf-8"))


def bundled(part):
    """Return a script without the comments that have a line of their own."""
    return COMMENT.sub("", (PROJECT / "book" / "_static" / part).read_text("utf-8"))


def _formulas(book):
    from mathbook import cache, functions

    folder, wanted = book.static / "formulas", {"units.js": functions.units_script()}
    for name in _chapters(book):
        checksum, make = cache.chapter_checksum(name), partial(functions.chapter_script, name)
        wanted[f"{name}.js"] = cache.recalled("script", checksum, make)
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.js"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        _write(folder / name, text)


def _chapters(book):
    """Return the chapters whose functions the pages may call: all, or those that one page and the first lead to."""
    from mathbook import cache, functions
    from mathcore import library

    if not book.chapter:
        return library.book.names()
    [page] = [path for path in (book.folder / "book").rglob(f"{book.chapter}.md")][:1]
    text = "\n".join(path.read_text("utf-8") for path in (page, book.folder / "book" / "index.md") if path.exists())
    named = cache.named_in(text, library.book.names())
    return sorted(named | {address.partition(".")[0] for name in named for address in functions.functions(name)})


def _claims(book):
    from mathbook import cache

    folder = book.static / "claims"
    folder.mkdir(exist_ok=True)
    for name in _chapters(book):
        if (DATA / "claims" / f"{name}.toml").is_file():
            sheet = cache.recalled("claims", cache.chapter_checksum(name), partial(_sheet, name))
            _write(folder / f"{name}.csv", sheet)


def _sheet(name):
    """Return the sheet of a chapter's claims, which is known where a change in the chapter touched none of them."""
    from mathbook import cache, claims, digests

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
