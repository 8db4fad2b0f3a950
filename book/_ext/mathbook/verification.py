"""The verification report of a build: what was checked, how, and with which versions."""

import csv
import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from docutils import nodes
from sphinx.application import Sphinx

from mathbook import content_hash
from mathbook.domain_access import CheckedRole
from mathbook.elements import TALLY, HtmlElement, element, table, text_node
from mathbook.folders import PROJECT
from mathbook.render_context import RenderContext
from mathbook.values import InvalidValue
from mathcore.checker import VERDICTS
from mathcore.commands.verification import empty_counts
from mathcore.library import current_library
from mathcore.number_format import number_text
from mathcore.teaching.claims import CLAIM_VERDICTS
from mathcore.types import AnyDict

STATEMENT_KINDS = (
    *("formulas", "derived", "models", "definitions"),
    *("facts", "examples", "exercises", "questions", "calculators", "simulations"),
    *("datasets", "comparisons", "measured"),
)
NUMBER_KINDS = {"computed": "computed", "cited": "cited", "free": "free", "words": "in words, checked by a relation"}
PYTHON_PACKAGES = ("sympy", "mpmath", "pint", "numpy", "jupyter-book", "sphinx", "myst-nb", "plotly")
NPM_PACKAGES = ("katex", "minisearch", "plotly.js-basic-dist-min", "terser")
SPEED_TABLE = PROJECT / "book" / "appendices" / "speed.csv"
Totals: TypeAlias = list[tuple[str, AnyDict]]  # the counts of each chapter


class ReportNode(nodes.General, nodes.Element):
    """Placeholder of the report, because execution times are known only when every page has been read."""


class CountNode(nodes.Inline, nodes.Element):
    """Placeholder of a number of the report, such as `steps.proved`."""


class CountRole(CheckedRole):
    """Print a number of the report: ``{mc:count}`steps` `` all steps, ``{mc:count}`steps.proved` `` the proved ones."""

    def node(self) -> nodes.Node:
        """Return the placeholder of the number."""
        if _count_at(empty_counts(), self.text) is None:
            remedy = f"name one of {', '.join(empty_counts())}"
            raise InvalidValue(f"the report counts no `{self.text}`", remedy)
        self.env.metadata[self.env.docname].setdefault("mathbook_table", "counts")
        return CountNode("", of=self.text)


def _count_at(counts: Any, path: str) -> int | None:
    """Return the count at a dotted path, summed if it has parts, or None."""
    for part in path.split("."):
        counts = counts.get(part) if isinstance(counts, dict) else None
    return sum(counts.values()) if isinstance(counts, dict) else counts


def report_count_text(app: Sphinx, path: str) -> str:
    """Return a number of the report as text."""
    return number_text(_count_at(load_report(app), path) or 0, None)


def report_placeholder(ctx: RenderContext) -> list[nodes.Node]:
    """Return the placeholder of the report."""
    return [ReportNode("")]


def report_sections(app: Sphinx) -> list[nodes.section]:
    """Return the report as sections."""
    whole = load_report(app)
    chapters = [(_chapter_title(name), counts) for name, counts in whole["chapters"].items()]
    totals = [*chapters, ("all", whole)]
    steps, claims = ([(name, counts[part]) for name, counts in totals] for part in ("steps", "claims"))
    return [
        _report_section("Statements", _count_table("Statements by chapter", "chapter", STATEMENT_KINDS, totals)),
        _report_section(
            "Steps of derivations", _count_table("Steps by verdict", "chapter", VERDICTS, steps), *_sampled_steps(whole)
        ),
        _report_section(
            "Claims of others, by verdict", _count_table("Claims by verdict", "document", CLAIM_VERDICTS, claims)
        ),
        _report_section("Numbers in the text", _number_table(totals)),
        *_speed_section(speed_rows()),
        _report_section("Made with", _version_table()),
    ]


def load_report(app: Sphinx) -> AnyDict:
    """Return the report of this build."""
    path = Path(app.config.mathbook_report)
    if path.is_file():
        return json.loads(path.read_text("utf-8"))
    from mathbook.checks import verify_book

    return verify_book().as_dict()


def _report_section(title: str, *children: nodes.Node) -> nodes.section:
    name = nodes.make_id(title)
    return nodes.section("", nodes.title("", title), *children, ids=[name], names=[name])


def _count_table(title: str, head: str, kinds: Sequence[str], chapters: Totals) -> HtmlElement:
    """Return the table of counts by kind, without the rows of chapters that have none."""
    rows = [[name, *(counts[kind] for kind in kinds)] for name, counts in chapters]
    return table(title, [head, *kinds], [row for row in rows if any(row[1:])], TALLY)


def _sampled_steps(report: AnyDict) -> Iterator[HtmlElement]:
    if report["sampled_steps"]:
        yield element("p", "", text_node("Known only by sampling: " + "; ".join(report["sampled_steps"]) + "."))


def _number_table(chapters: Totals) -> HtmlElement:
    rows = [[name, *(counts["numbers"][kind] for kind in NUMBER_KINDS)] for name, counts in chapters]
    return table("Numbers in the prose", ["page", *NUMBER_KINDS.values()], rows, TALLY)


def speed_rows(path: Path = SPEED_TABLE) -> list[list[str]]:
    """Return the rows that `make lighthouse` wrote, column names first; an empty list if there are none."""
    return list(csv.reader(path.read_text("utf-8").splitlines())) if path.exists() else []


def _chapter_title(name: str) -> str:
    return content_hash.memoize_by_chapter(f"title {name}", name, partial(current_library.title, name))


def _speed_section(rows: list[list[str]]) -> Iterator[nodes.section]:
    """Yield the section on page weight and speed, if they were measured."""
    if rows:
        text = (
            "Scores are Lighthouse's for a slow phone; KB and elements those of a first visit, paint the slow end of "
            "what an event and the frame that shows it take, at full speed and at a quarter of the processor. "
            "The pages measured are those of version 0.1.0."
        )
        yield _report_section(
            "Weight and speed", element("p", "", text_node(text)), table("Pages measured", rows[0], rows[1:], TALLY)
        )


def _version_table() -> HtmlElement:
    rows = [["Python", platform.python_version()]]
    rows += [[name, metadata.version(name)] for name in PYTHON_PACKAGES]
    for name in NPM_PACKAGES:
        package = json.loads((PROJECT / "node_modules" / name / "package.json").read_text("utf-8"))
        rows.append([name, package["version"]])
    built = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    rows.append(["built on", f"{built:%Y-%m-%d}"])
    return table("Versions", ["what", "version"], rows)
