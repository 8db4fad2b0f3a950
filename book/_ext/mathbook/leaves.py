"""`mc-page`: the author's mark that a page of the chapter begins here.

A chapter is one source, and one page to Sphinx, so that its numbers count through. Right below a heading of the
second level the directive says how the address of a new page ends, and its title; `cutting` makes the pages when
all is written.
"""

import html
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook.elements import raw
from mathbook.statements import refuse

CURE = "put the mark right below a heading of the second level"
NAME = re.compile(r"[a-z][a-z0-9-]*")
BEFORE = (nodes.title, nodes.target, nodes.comment)  # what may stand above the mark in its section


class Mark(SphinxDirective):
    """Begin a page of the chapter with this section: its name, and its title as the content."""

    has_content = True
    required_arguments = 1

    def run(self):
        """Return the mark, a comment that no reader sees."""
        name, title = self.arguments[0], " ".join(self.content)
        if not NAME.fullmatch(name) or not title or "--" in title:
            what = f"a page cannot be called `{name}` with the title `{title}`"
            cure = "write a name in small letters and, below it, a title without two hyphens in a row"
            return [nodes.paragraph("", "", refuse(what, self.get_location(), cure))]
        mark = raw(f"<!--mc-page {name} {html.escape(title, quote=False)}-->")
        mark["page"] = name
        mark.source, mark.line = self.get_source_info()
        return [mark]


def _checked(app, doctree):
    """Refuse a mark that stands where no page can begin, or the second one of a name."""
    met = set()
    for mark in [node for node in doctree.findall(nodes.raw) if node.get("page")]:
        part, name = mark.parent, mark["page"]
        above = part.children[: part.index(mark)]
        second = isinstance(part, nodes.section) and isinstance(part.parent, nodes.section)
        first = second and not isinstance(part.parent.parent, nodes.section)
        if not first or not all(isinstance(each, BEFORE) for each in above):
            mark.parent.append(refuse(f"the page `{name}` begins in the midst of a section", mark, CURE))
        elif name in met:
            mark.parent.append(refuse(f"two pages of the chapter are called `{name}`", mark, "give one another name"))
        met.add(name)


def setup(app):
    """Register the directive, and connect to the reading of pages."""
    app.add_directive("mc-page", Mark)
    app.connect("doctree-read", _checked)
