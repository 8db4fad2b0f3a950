"""The Sphinx domain `mc`: its roles and directives, and which page shows and uses which statement.

Sphinx clears the data of a page before it reads the page again, and merges the data of parallel readers.
"""

import functools
from typing import ClassVar

from sphinx.domains import Domain

from mathbook import (
    admonitions,
    appendix_tables,
    code_references,
    directives,
    labs,
    progress,
    questions,
    roles,
    tasks,
    verification,
)
from mathbook.diagrams import directive as diagram
from mathbook.domain_access import DOMAIN, STATEMENT_DIRECTIVE
from mathbook.outline import expected_order, reading_order
from mathcore.library import book


class StatementDomain(Domain):
    """Roles, directives, and the pages that show and use each statement."""

    name = DOMAIN
    label = "Statements"
    roles: ClassVar = {
        "value": roles.ValueRole(),
        "symbol": roles.SymbolRole(),
        "input": roles.InputRole(),
        "assert": roles.AssertRole(),
        "count": verification.CountRole(),
    }
    directives: ClassVar = {
        "statement": directives.StatementDirective,
        "exercise": directives.ExerciseDirective,
        "hint": directives.Hint,
        "remark": directives.Remark,
        "figure": directives.FigureDirective,
        "diagram": diagram.DiagramDirective,
        "question": questions.QuestionDirective,
        "reveal-after": questions.RevealAfterDirective,
        "context": labs.ContextDirective,
        "message": labs.MessageDirective,
        "ledger": labs.LedgerDirective,
        "tasks": tasks.TasksDirective,
        "recommended-exercises": tasks.RecommendedExercisesDirective,
        "table": appendix_tables.TableDirective,
        "admonition": admonitions.Admonition,
        "progress": progress.ProgressDirective,
    }
    initial_data: ClassVar = {
        "shown": {}, "used": {}, "exercises": {}, "questions": {}, "page_hashes": {},
        "search_entries": {}, "page_counts": {}
    }  # fmt: skip
    data_version = 9

    @functools.cached_property
    def home_pages(self):
        """Return `{address: page}` of all that pages show: the first page of its own chapter, else the first of all.

        It is read from the sources, so that it is known before any page has been read.
        """
        found, at_home = {}, set()
        for doc in expected_order(self.env):
            with open(self.env.doc2path(doc), encoding="utf-8") as page:
                chapter = code_references.chapter_of(doc)
                for address in STATEMENT_DIRECTIVE.findall(page.read()):
                    if address.partition(".")[0] == chapter and address not in at_home:
                        at_home.add(address)
                        found[address] = doc
                    found.setdefault(address, doc)
        return found

    def note_shown(self, address, docname, anchor):
        """Note that a page shows a statement at an anchor; the first place on the page stays."""
        self.data["shown"].setdefault(docname, {}).setdefault(address, anchor)

    def location(self, address):
        """Return `(page, anchor)` of a statement, on its own page or the first that shows it, or None."""
        shown = self.data["shown"]
        home = self.home_pages.get(address)
        if address not in shown.get(home, ()):
            home = next((doc for doc in reading_order(self.env) if address in shown.get(doc, ())), None)
        return (home, shown[home][address]) if home else None

    def note_use(self, address, docname):
        """Note that a page uses a statement."""
        self.data["used"].setdefault(docname, {})[address] = True

    def number_within_page(self, kind, docname, address, title):
        """Return the number of an exercise or a question (`exercises`, `questions`) within its page."""
        listed = self.data[kind].setdefault(docname, {})
        listed.setdefault(address, title)
        return list(listed).index(address) + 1

    def pages_using(self, address):
        """Return the pages that use a statement, sorted."""
        return sorted(doc for doc, found in self.data["used"].items() if address in found)

    def chapters_used(self, docname):
        """Return the modules whose functions a page needs, sorted."""
        return sorted({book.split(address)[0] for address in self.data["used"].get(docname, ())})

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


def setup(app):
    """Register the domain."""
    app.add_domain(StatementDomain)
