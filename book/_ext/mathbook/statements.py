"""A record of which statements pages show and use, and how a page is told that it names none.

The record, a Sphinx domain, forgets a page before it is read again, and is put together from its parts where
pages are read by several processes.
"""

import functools
import re
from typing import ClassVar

from docutils import nodes
from sphinx.domains import Domain
from sphinx.util import logging

from mathbook.folders import chapter_name
from mathbook.outline import expected_order, reading_order

SHOWN = re.compile(r"^\s*:{3,}\{mc:statement\}\s+([\w.]+)", re.MULTILINE)
logger = logging.getLogger(__name__)


class Record(Domain):
    """Which page shows a statement, and which pages use it."""

    name = "mathbook"
    label = "statements of the engine"
    initial_data: ClassVar = {
        "shown": {}, "used": {}, "exercises": {}, "questions": {}, "sources": {}, "found": {}, "counted": {}
    }  # fmt: skip
    data_version = 8

    @functools.cached_property
    def homes(self):
        """Return `{address: page}` of all that pages show: the first page of its own chapter, else the first of all.

        It is read from the sources, so that it is known before any page has been read.
        """
        found, at_home = {}, set()
        for doc in expected_order(self.env):
            with open(self.env.doc2path(doc), encoding="utf-8") as page:
                chapter = chapter_name(doc).replace("-", "_")
                for address in SHOWN.findall(page.read()):
                    if address.partition(".")[0] == chapter and address not in at_home:
                        at_home.add(address)
                        found[address] = doc
                    found.setdefault(address, doc)
        return found

    def show(self, address, docname, anchor):
        """Note that a page shows a statement at an anchor; the first place on the page stays."""
        self.data["shown"].setdefault(docname, {}).setdefault(address, anchor)

    def place(self, address):
        """Return `(page, anchor)` of a statement, on its own page or the first that shows it, or None."""
        shown = self.data["shown"]
        home = self.homes.get(address)
        if address not in shown.get(home, ()):
            home = next((doc for doc in reading_order(self.env) if address in shown.get(doc, ())), None)
        return (home, shown[home][address]) if home else None

    def use(self, address, docname):
        """Note that a page uses a statement."""
        self.data["used"].setdefault(docname, {})[address] = True

    def task(self, kind, docname, address, title):
        """Return the number of an exercise or a question (`exercises`, `questions`) within its page."""
        listed = self.data[kind].setdefault(docname, {})
        listed.setdefault(address, title)
        return list(listed).index(address) + 1

    def users(self, address):
        """Return the pages that use a statement, sorted."""
        return sorted(doc for doc, found in self.data["used"].items() if address in found)

    def chapters(self, docname):
        """Return the chapter modules whose functions a page needs, sorted."""
        return sorted({address.partition(".")[0] for address in self.data["used"].get(docname, ())})

    def clear_doc(self, docname):
        """Forget a page."""
        for kept in self.initial_data:
            self.data[kept].pop(docname, None)

    def merge_domaindata(self, docnames, otherdata):
        """Take over what another process has noted of the pages that it read."""
        for kept in self.initial_data:
            self.data[kept] |= {doc: found for doc, found in otherdata[kept].items() if doc in docnames}

    def resolve_any_xref(self, *_):
        """Answer no reference: the record has none."""
        return []


def record(env):
    """Return the record of the book."""
    return env.get_domain("mathbook")


def refuse(what, location, remedy="write an address that exists"):
    """Warn, which fails the build, and return a node that stands for what is missing."""
    text = str(what)
    told = text if ": " in text and remedy == "" else f"{text}: {remedy}"
    logger.warning(told, location=location, type="mathbook", subtype="statement")
    return nodes.inline(text, text)
