"""Which pages must be read again: those whose text is another, whatever the clock says.

Sphinx compares times, and takes an older copy put in a page's place (by rsync, by an archive) for
the page it knows. A changed engine is noticed by the setting `mathbook_core`.
"""

import hashlib


def setup(app):
    """Connect to the reading of pages."""
    app.connect("source-read", _note)
    app.connect("env-get-outdated", _changed)


def _note(app, docname, source):
    app.env.get_domain("mathbook").data["sources"][docname] = _checksum(app.env, docname)


def _changed(app, env, added, changed, removed):
    known = env.get_domain("mathbook").data["sources"]
    return [doc for doc in env.found_docs & known.keys() if _checksum(env, doc) != known[doc]]


def _checksum(env, docname):
    with open(env.doc2path(docname), "rb") as page:
        return hashlib.sha256(page.read()).hexdigest()
