"""The verification report: what was checked, how, and with what, for this very site."""

import json
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from docutils import nodes

from mathbook.elements import element, table, words
from mathbook.folders import PROJECT
from mathcore.library import book
from mathcore.teaching.claims import VERDICTS as CLAIMS

CHECKED = (
    *("formulas", "derived", "models", "definitions"),
    *("facts", "examples", "exercises", "questions", "explorers", "simulations"),
)
VERDICTS = ("proved", "sampled", "approximate", "assumed")
NUMBERS = ("computed", "cited", "free")
PYTHON = ("sympy", "mpmath", "pint", "numpy", "jupyter-book", "sphinx", "myst-nb", "plotly")
BROWSER = ("katex", "plotly.js-basic-dist-min")


class Report(nodes.General, nodes.Element):
    """Stand for the report, whose execution times are known when every page has been read."""


def report(scribe):
    """Return the place of the report."""
    return [Report("")]


def written(app):
    """Return the report as sections."""
    found = _found(app)
    chapters = [(book.title(name), counts) for name, counts in found["chapters"].items()]
    totals = [*chapters, ("all", found)]
    return [
        _section("Statements", _counted(totals)),
        _section("Steps of derivations", _steps(totals), *_sampled(found)),
        _section("Claims of others, by verdict", _claims(totals)),
        _section("Numbers in the text", _numbers(totals)),
        _section("Execution", _times(app)),
        _section("Made with", _versions()),
    ]


def _found(app):
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
        yield element("p", "", words("Known by sampling alone: " + "; ".join(found["sampled_steps"]) + "."))


def _numbers(chapters):
    rows = [[name, *(counts["numbers"][kind] for kind in NUMBERS)] for name, counts in chapters]
    return table("Numbers in the prose", ["page", *NUMBERS], rows)


def _times(app):
    rows = []
    for docname, data in sorted(app.env.metadata.items()):
        if "seconds" in data:
            rows.append([app.env.titles[docname].astext(), f"{float(data['seconds']):.1f}\u202fs"])
    if not rows:
        return element("p", "", words("No page has cells."))
    return table("Execution times", ["page", "its cells took"], rows)


def _versions():
    rows = [["Python", platform.python_version()]]
    rows += [[name, metadata.version(name)] for name in PYTHON]
    for name in BROWSER:
        package = json.loads((PROJECT / "node_modules" / name / "package.json").read_text("utf-8"))
        rows.append([name, package["version"]])
    rows.append(["built on", f"{datetime.now(UTC):%Y-%m-%d}"])
    return table("Versions", ["what", "version"], rows)
