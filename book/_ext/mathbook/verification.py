"""The verification report: what was checked, how, and with what, for this very site."""

import csv
import json
import os
import platform
import time
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from mathbook import digests
from mathbook.elements import element, table, words
from mathbook.folders import PROJECT
from mathbook.statements import refuse
from mathcore.commands.verification import empty
from mathcore.library import book
from mathcore.teaching.claims import VERDICTS as CLAIMS
from mathcore.units import number_text

CHECKED = (
    *("formulas", "derived", "models", "definitions"),
    *("facts", "examples", "exercises", "questions", "calculators", "simulations"),
    *("datasets", "comparisons", "measured"),
)
VERDICTS = ("proved", "sampled", "approximate", "assumed")
NUMBERS = {"computed": "computed", "cited": "cited", "free": "free", "words": "in words, checked by a relation"}
PYTHON = ("sympy", "mpmath", "pint", "numpy", "jupyter-book", "sphinx", "myst-nb", "plotly")
BROWSER = ("katex", "minisearch", "plotly.js-basic-dist-min", "terser")
SPEED = PROJECT / "book" / "appendices" / "speed.csv"


class Report(nodes.General, nodes.Element):
    """Stand for the report, whose execution times are known when every page has been read."""


class Count(nodes.Inline, nodes.Element):
    """Stand for a number of the report, such as `steps.proved`."""


class Counted(SphinxRole):
    """Print a number of the report: ``{mc:count}`steps` `` all steps, ``{mc:count}`steps.proved` `` the proved."""

    def run(self):
        """Return the place of the number."""
        if _number(empty(), self.text) is None:
            what = f"the report counts no `{self.text}`"
            return [refuse(what, self.get_location(), f"name one of {', '.join(empty())}")], []
        self.env.metadata[self.env.docname].setdefault("mathbook_table", "counts")
        return [Count("", of=self.text)], []


def _number(counts, path):
    """Return what stands at a path of counts, summed if it is told in parts, or None."""
    for part in path.split("."):
        counts = counts.get(part) if isinstance(counts, dict) else None
    return sum(counts.values()) if isinstance(counts, dict) else counts


def counted(app, path):
    """Return a number of the report as text."""
    return number_text(_number(found(app), path), None)


def report(scribe):
    """Return the place of the report."""
    return [Report("")]


def written(app):
    """Return the report as sections."""
    whole = found(app)
    chapters = [(_title(name), counts) for name, counts in whole["chapters"].items()]
    totals = [*chapters, ("all", whole)]
    return [
        _section("Statements", _counted(totals)),
        _section("Steps of derivations", _steps(totals), *_sampled(whole)),
        _section("Claims of others, by verdict", _claims(totals)),
        _section("Numbers in the text", _numbers(totals)),
        *_speed(measured()),
        _section("Made with", _versions()),
    ]


def found(app):
    """Return the report of this build."""
    path = Path(app.config.mathbook_report)
    if path.is_file():
        return json.loads(path.read_text("utf-8"))
    from mathbook.checks import verify

    return verify().as_dict()


def _section(title, *children):
    name = nodes.make_id(title)
    return nodes.section("", nodes.title("", title), *children, ids=[name], names=[name])


def _counted(chapters):
    rows = [[name, *(counts[kind] for kind in CHECKED)] for name, counts in chapters]
    rows = [row for row in rows if any(row[1:])]
    return table("Statements by chapter", ["chapter", *CHECKED], rows)


def _steps(chapters):
    rows = [[name, *(counts["steps"][v] for v in VERDICTS)] for name, counts in chapters]
    rows = [row for row in rows if any(row[1:])]
    return table("Steps by verdict", ["chapter", *VERDICTS], rows)


def _claims(chapters):
    rows = [[name, *(counts["claims"][v] for v in CLAIMS)] for name, counts in chapters]
    rows = [row for row in rows if any(row[1:])]
    return table("Claims by verdict", ["document", *CLAIMS], rows)


def _sampled(found):
    if found["sampled_steps"]:
        yield element("p", "", words("Known only by sampling: " + "; ".join(found["sampled_steps"]) + "."))


def _numbers(chapters):
    rows = [[name, *(counts["numbers"][kind] for kind in NUMBERS)] for name, counts in chapters]
    return table("Numbers in the prose", ["page", *NUMBERS.values()], rows)


def measured(path=SPEED):
    """Return the rows that `make lighthouse` has left, the names of the columns first: none before."""
    return list(csv.reader(path.read_text("utf-8").splitlines())) if path.exists() else []


def _title(name):
    return digests.remembered(f"title {name}", name, partial(book.title, name))


def _speed(rows):
    """Yield the section on weight and speed, where it was measured."""
    if rows:
        told = (
            "Scores are Lighthouse's for a slow phone; KB and elements those of a first visit, paint the slow end of "
            "what an event and the frame that shows it take, at full speed and at a quarter of the processor. "
            "The pages measured are those of version 0.1.0."
        )
        yield _section("Weight and speed", element("p", "", words(told)), table("Pages measured", rows[0], rows[1:]))


def _versions():
    rows = [["Python", platform.python_version()]]
    rows += [[name, metadata.version(name)] for name in PYTHON]
    for name in BROWSER:
        package = json.loads((PROJECT / "node_modules" / name / "package.json").read_text("utf-8"))
        rows.append([name, package["version"]])
    built = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    rows.append(["built on", f"{built:%Y-%m-%d}"])
    return table("Versions", ["what", "version"], rows)
