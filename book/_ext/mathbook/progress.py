"""The directive `mc:progress`, and the list of exercises and questions by page.

The list is written after every build, from all pages and not only those read again, as a script that sets `mc.tasks`:
the browser loads it when there is progress to show, from disk as well.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook import outline
from mathbook.domain_access import get_domain
from mathbook.elements import element, text_node
from mathbook.folders import write_script

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


TASKS_SCRIPT = "mc-tasks.js"


class ProgressDirective(SphinxDirective):
    """Placeholder of the reader's progress."""

    def run(self) -> list[nodes.Node]:
        """Return the placeholder, which the page's script fills."""
        text = text_node("Your progress is stored in your browser; showing it needs JavaScript.")
        return [element("div", "mc-progress", element("p", "mc-help", text))]


def exercises_by_chapter(env: "BuildEnvironment") -> dict[str, dict]:
    """Return `{first page: {title, exercises: {address: title}, questions: {address: title}}}` of the chapters.

    They come in the order of the book; those without either are left out.
    """
    data = get_domain(env).data
    by_page: dict[str, dict] = {}
    for chapter in outline.outline_chapters(env):
        titles = {
            kind: {
                a: _strip_code_marks(title) for page in chapter.pages for a, title in data[kind].get(page, {}).items()
            }
            for kind in ("exercises", "questions")
        }
        if any(titles.values()):
            by_page[chapter.first] = {"title": env.titles[chapter.first].astext(), **titles}
    return by_page


def _strip_code_marks(title: str) -> str:
    """Return a title without code markup."""
    return title.replace("`", "")


def _write_catalogue(app: "Sphinx", failed: Exception | None) -> None:
    if failed or app.builder.format != "html":
        return
    write_script(Path(app.outdir) / "_static" / TASKS_SCRIPT, "tasks", exercises_by_chapter(app.env))


def setup(app: "Sphinx") -> None:
    """Connect to the end of a build."""
    app.connect("build-finished", _write_catalogue)
