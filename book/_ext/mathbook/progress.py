"""`mc:progress`: the place of a reader's progress; and the list of what can be solved on which page.

The list is written after every build, from what all pages show and not only those read again, as a
script that sets `mc.tasks`: the browser loads it where there is progress to show, from disk as well.
"""

import json
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from mathbook.elements import element, words
from mathbook.statements import record

LIST = "mc-tasks.js"


class Progress(SphinxDirective):
    """Leave room for the reader's progress."""

    def run(self):
        """Return the empty place; the page's script fills it."""
        told = words("Your progress lives in your browser, and needs JavaScript to be shown.")
        return [element("div", "mc-progress", element("p", "mc-help", told))]


def tasks(env):
    """Return `{page: {title, exercises: {address: title}, questions: {address: title}}}`, in reading order.

    Pages without either are left out.
    """
    shown = record(env).data
    found = {}
    for docname in _reading_order(env):
        here = {kind: shown[kind].get(docname, {}) for kind in ("exercises", "questions")}
        if any(here.values()):
            titles = {kind: {a: _plain(title) for a, title in here[kind].items()} for kind in here}
            found[docname] = {"title": env.titles[docname].astext(), **titles}
    return found


def _plain(title):
    """Return a title without the marks of code."""
    return title.replace("`", "")


def _reading_order(env):
    order = [doc for docs in env.toctree_includes.values() for doc in docs]
    return list(dict.fromkeys([doc for doc in order if doc in env.titles] + sorted(env.titles)))


def _write(app, failed):
    if failed or app.builder.format != "html":
        return
    text = json.dumps(tasks(app.env), ensure_ascii=False, separators=(",", ":"))
    script = f"(globalThis.mc = globalThis.mc || {{}}).tasks = {text};\n"
    (Path(app.outdir) / "_static" / LIST).write_text(script, "utf-8")


def setup(app):
    """Connect to the end of a build."""
    app.connect("build-finished", _write)
