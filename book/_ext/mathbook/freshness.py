"""What must be done again: a page whose text, or a statement on it, is another one, whatever the clock says.

Sphinx compares times, and takes an older copy put in a page's place (by rsync, by an archive) for the page it
knows, and knows nothing of statements. Of each page that it reads, two checksums are noted: of its text with
the chapters that it leads to, which is quickly compared, and of what the statements on it say, which decides
where a chapter has changed. A changed engine is noticed by the setting `mathbook_core`, which makes Sphinx
read every page again.
"""

import functools
import hashlib
import re
from pathlib import Path

from mathbook import cache, cells, digests
from mathbook.diagrams.registry import shows, sources
from mathbook.scribe import letters_of
from mathbook.statements import SHOWN, record
from mathcore import Fact, Formula, Variable
from mathcore.library import book
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import Claim, Lab

DRAWN = re.compile(r"^\s*:{3,}\{mc:diagram\}\s+([\w-]+)", re.MULTILINE)
# what lists the statements of many chapters, or of those that it names, and of which kind they are
LISTING = re.compile(r"\{mc:(table|ledger)\} *(\S*)(.*)")
LISTED = {
    "notation": Variable, "formulas": Formula, "facts": Fact, "comparisons": (Comparison, Dataset), "claims": Claim,
    "verification": (), "": Lab,
}  # fmt: skip


def setup(app):
    """Connect to the reading of pages."""
    app.connect("doctree-read", _note)
    app.connect("env-get-outdated", _changed)


def checksum(text):
    """Return the checksum of a page's text and of the chapter modules that it leads to."""
    listed = (f"\nimport {', '.join(names)}" for _, names in _listed(text))
    return cache.checksum("".join([text, *listed, *map(sources, DRAWN.findall(text))]))


def _listed(text):
    """Return the kinds of statements that a page lists, each with the names of their chapters."""
    return [(LISTED.get(kind, object), names.split() or book.names()) for _, kind, names in LISTING.findall(text)]


def _listing(kind, names):
    """Return what a list of the statements of a kind says, with the titles and letters of their chapters."""
    for name in names:
        yield digests.remembered(f"listing {kind} {name}", name, functools.partial(_listed_of, kind, name))


def _listed_of(kind, name):
    found = [digests.of(each) for each in _stated(name) if isinstance(each, kind)]
    return repr((book.title(name), letters_of(name), found) if found else "")


@functools.cache
def _stated(name):
    """Return the statements of a chapter; the lists of many pages ask for them."""
    return [each for _, each in book.entities(name)]


def said(text, addresses):
    """Return the checksum of what a page says: text, statements, what its cells gave, what it lists."""
    whole = hashlib.sha256(text.encode())
    for address in sorted(addresses):
        whole.update(f"{address} {digests.known(address)}".encode())
    for chapter in sorted({book.split(address)[0] for address in addresses}):
        letters = functools.partial(_letters, chapter)
        whole.update(digests.remembered(f"letters {chapter}", chapter, letters).encode())
    if cells.has_code(text):
        whole.update(cells.key(cells.notebook(text)).encode())
    for kind, names in _listed(text):
        whole.update("".join(_listing(kind, names)).encode())
    for name in DRAWN.findall(text):
        whole.update(shows(name).encode())
    return whole.hexdigest()


def _letters(chapter):
    return repr(letters_of(chapter))


def _note(app, doctree):
    env, known = app.env, record(app.env)
    text = _text(env, env.docname)
    known.data["sources"][env.docname] = checksum(text), said(text, known.data["used"].get(env.docname, ()))


def _changed(app, env, added, changed, removed):
    known = record(env)
    return [doc for doc in env.found_docs & known.data["sources"].keys() if _is_other(known, env, doc)]


def _is_other(known, env, doc):
    text, (source, statements) = _text(env, doc), known.data["sources"][doc]
    if (now := checksum(text)) == source:
        return False
    if said(text, known.data["used"].get(doc, ())) != statements:
        return True
    known.data["sources"][doc] = now, statements
    return False


def _text(env, doc):
    """Return the text of a page, and on which pages the formulas that it shows have their numbers."""
    text, homes = Path(env.doc2path(doc)).read_text("utf-8"), record(env).homes
    return text + "".join(f"\n{address} {homes.get(address)}" for address in SHOWN.findall(text))
