"""The Sphinx domain `mc`: roles, directives, and on which pages statements are shown and used.

Sphinx clears the data of a page before it reads the page again, and merges the data of parallel readers.
"""

import functools
from collections.abc import Iterable

from sphinx.application import Sphinx
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
from mathcore.library import current_library
from mathcore.types import AnyDict


class StatementDomain(Domain):
    """Roles, directives, and the pages on which statements are shown and used."""

    name = DOMAIN
    label = "Statements"
    roles = {  # noqa: RUF012  Sphinx declares it
        "value": roles.ValueRole(),
        "symbol": roles.SymbolRole(),
        "input": roles.InputRole(),
        "assert": roles.AssertRole(),
        "count": verification.CountRole(),
    }
    directives = {  # noqa: RUF012
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
    initial_data = {  # noqa: RUF012
        "shown": {}, "used": {}, "exercises": {}, "questions": {}, "page_hashes": {},
        "search_entries": {}, "page_counts": {}
    }  # fmt: skip
    data_version = 9

    @functools.cached_property
    def home_pages(self) -> dict[str, str]:
        """Return `{address: page}` of all statements on pages: the first page of the own chapter, else of any.

        It is computed from the sources, so that it is known before any page is read.
        """
        pages, at_home = {}, set()
        for doc in expected_order(self.env):
            with open(self.env.doc2path(doc), encoding="utf-8") as page:
                chapter = code_references.chapter_module_of(doc)
                for address in STATEMENT_DIRECTIVE.findall(page.read()):
                    if address.partition(".")[0] == chapter and address not in at_home:
                        at_home.add(address)
                        pages[address] = doc
                    pages.setdefault(address, doc)
        return pages

    def note_shown(self, address: str, docname: str, anchor: str) -> None:
        """Record that a page shows a statement at an anchor; the first anchor of a page counts."""
        self.data["shown"].setdefault(docname, {}).setdefault(address, anchor)

    def location(self, address: str) -> tuple[str, str] | None:
        """Return `(page, anchor)` of a statement: on its home page, else the first page that shows it; or None."""
        anchors = self.data["shown"]
        home = self.home_pages.get(address)
        if address not in anchors.get(home, ()):
            home = next((doc for doc in reading_order(self.env) if address in anchors.get(doc, ())), None)
        return (home, anchors[home][address]) if home else None

    def note_use(self, address: str, docname: str) -> None:
        """Record that a page uses a statement."""
        self.data["used"].setdefault(docname, {})[address] = True

    def number_within_page(self, kind: str, docname: str, address: str, title: str) -> int:
        """Record an exercise or a question (`kind` is `exercises` or `questions`) and return its number on the page."""
        listed = self.data[kind].setdefault(docname, {})
        listed.setdefault(address, title)
        return list(listed).index(address) + 1

    def pages_using(self, address: str) -> list[str]:
        """Return the pages that use a statement, sorted."""
        return sorted(doc for doc, used in self.data["used"].items() if address in used)

    def chapters_used(self, docname: str) -> list[str]:
        """Return the modules whose functions a page needs, sorted."""
        return sorted({current_library.split(address)[0] for address in self.data["used"].get(docname, ())})

    def clear_doc(self, docname: str) -> None:
        """Remove the data of a page."""
        for key in self.initial_data:
            self.data[key].pop(docname, None)

    def merge_domaindata(self, docnames: Iterable[str], otherdata: AnyDict) -> None:
        """Merge the data of pages that another process has read."""
        for key in self.initial_data:
            self.data[key] |= {doc: entry for doc, entry in otherdata[key].items() if doc in docnames}

    def resolve_any_xref(self, *_: object) -> list:
        """Return no target: the domain has no cross-references."""
        return []


def setup(app: Sphinx) -> None:
    """Register the domain."""
    app.add_domain(StatementDomain)
