"""Check every statement and every number in the prose before pages are read; each issue is a warning.

With `-W` the warnings end the build after all of them are listed. Unchanged statements are taken from the cache.
`mathbook_verify: false` switches the checks off, `mathbook_chapter` limits them to one chapter and its pages.
"""

import json
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

from mathbook.issues import Issue, log_issue
from mathcore.errors import ROOT
from mathcore.library import current_library
from mathcore.types import AnyDict

LOCATION = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+): (?P<what>.*)$", re.DOTALL)
logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Register the configuration values, and check before pages are read."""
    app.add_config_value("mathbook_verify", True, "")
    app.add_config_value("mathbook_chapter", "", "")
    app.connect("env-before-read-docs", _check_statements)


def _check_statements(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Check all statements, warn of each issue, and write the report that the appendix prints."""
    if not app.config.mathbook_verify:
        return
    from mathbook.checks import mistakes_without_row, verify_book

    pages = [Path(env.doc2path(doc)) for doc in sorted(env.found_docs)]
    # without the citation extension there is no bibliography
    works = [Path(app.srcdir, name) for name in getattr(app.config, "bibtex_bibfiles", ())]
    markdown = [path for path in pages if path.suffix == ".md"]
    report = verify_book(markdown, app.config.mathbook_chapter, bibliographies=works, folder=Path(app.srcdir))
    for issue in report.issues:
        log_issue(_issue_of_message(issue), "statement")
    for note in [] if report.issues else mistakes_without_row(report.chapters):
        logger.info("note: %s", note)
    counts = report.as_dict()
    counts.pop("seconds", None)
    if report.issues:
        _require_loadable()
    Path(app.config.mathbook_report).write_text(json.dumps(counts), "utf-8")
    logger.info(summary_text(report.totals))


def _require_loadable() -> None:
    """End the build if a chapter cannot be loaded, because no page could show its statements.

    Raises: ExtensionError.
    """
    for name in current_library.names():
        try:
            current_library.module(name)
        except Exception as error:  # a chapter may fail in any way; its place is among the warnings
            raise ExtensionError(f"the chapter {name} cannot be loaded: correct what is listed above") from error


def summary_text(counted: AnyDict) -> str:
    """Return the counts of a report as one line."""
    numbers = counted["numbers"]
    return (
        f"{counted['formulas']} formulas, {sum(counted['steps'].values())} steps, "
        f"{counted['examples']} examples and {counted['exercises']} exercises hold; "
        f"numbers: {numbers['computed']} computed, {numbers['cited']} cited, {numbers['free']} free, "
        f"{numbers['words']} in words"
    )


def _issue_of_message(message: str) -> Issue:
    match = LOCATION.match(message)
    if not match:
        return Issue("mathcore", 0, message)
    return Issue(str(ROOT / match["path"]), int(match["line"]), match["what"])
