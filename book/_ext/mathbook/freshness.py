"""What must be done again: a page whose text, or whose statements, are others, whatever the clock says.

Sphinx compares times, and takes an older copy put in a page's place (by rsync, by an archive) for
the page it knows. A page depends on its text and on the chapter modules that it leads to; a changed
engine is noticed by the setting `mathbook_core`, which makes Sphinx read every page again.
"""

import re

from mathbook import cache
from mathcore.library import book

# what lists the statements of many chapters, or of those that it names
LISTING = re.compile(r"\{mc-(?:table|ledger)\}(.*)")


def setup(app):
    """Connect to the reading of pages."""
    app.connect("source-read", _note)
    app.connect("env-get-outdated", _changed)


def checksum(text):
    """Return the checksum of a page's text and of the chapter modules that it leads to."""
    for words in LISTING.findall(text):
        text += "\nimport " + ", ".join(words.split()[1:] or book.names())
    return cache.checksum(text)


def _note(app, docname, source):
    app.env.get_domain("mathbook").data["sources"][docname] = _of_page(app.env, docname)


def _changed(app, env, added, changed, removed):
    known = env.get_domain("mathbook").data["sources"]
    return [doc for doc in env.found_docs & known.keys() if _of_page(env, doc) != known[doc]]


def _of_page(env, docname):
    with open(env.doc2path(docname), encoding="utf-8") as page:
        return checksum(page.read())
