"""`mc:progress`: the place of a reader's progress; and the list of what can be solved on which page.

The list is written after every build, from what all pages show and not only those read again, as a
script that sets `mc.tasks`: the browser loads it where there is progress to show, from disk as well.
"""

import json
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from mathbook import outline
from mathbook.domain_access import get_domain
from mathbook.elements import element, words

TASKS_SCRIPT = "mc-tasks.js"


class ProgressDirective(SphinxDirective):
    """Leave room for the reader's progress."""

    def run(self):
        """Return the empty place; the page's script fills it."""
        told = words("Your progress is stored in your browser; showing it needs JavaScript.")
        return [element("div", "mc-progress", element("p", "mc-help", told))]


def tasks(env):
    """Return `{first page: {title, exercises: {address: title}, questions: {address: title}}}` of the chapters.

    They come in the order of the book; those without either are left out.
    """
    data = get_domain(env).data
    found = {}
    for chapter in outline.chapters(env):
        titles = {
            kind: {a: _plain(title) for page in chapter.pages for a, title in data[kind].get(page, {}).items()}
            for kind in ("exercises", "questions")
        }
        if any(titles.values()):
            found[chapter.first] = {"title": env.titles[chapter.first].astext(), **titles}
    return found


def _plain(title):
    """Return a title without the marks of code."""
    return title.replace("`", "")


def _write(app, failed):
    if failed or app.builder.format != "html":
        return
    text = json.dumps(tasks(app.env), ensure_ascii=False, separators=(",", ":"))
    script = f"(globalThis.mc = globalThis.mc || {{}}).tasks = {text};\n"
    (Path(app.outdir) / "_static" / TASKS_SCRIPT).write_text(script, "utf-8")


def setup(app):
    """Connect to the end of a build."""
    app.connect("build-finished", _write)
