"""The numbers of figures and equations, from an outline of each page instead of the whole of it.

Sphinx counts through the whole book after every build, and unpickles every page for it. The outline of a
page, noted when it is read, holds what it counts: sections, tables of contents, and what has a number.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.util import url_re

from mathbook.statements import record

LAST = 900  # among those that hear of a page that has been read: they may still change it


def setup(app):
    """Take the place of Sphinx's own count."""
    TocTreeCollector.assign_figure_numbers = assign
    app.connect("doctree-read", _note, priority=LAST)


def _note(app, doctree):
    record(app.env).data["outlines"][app.env.docname] = outline(app.env, doctree)


def outline(env, place):
    """Return what counts below a node: `("section", id, outline)`, `("pages", names)`, `(kind, id)`."""
    found = []
    for node in place.children:
        if isinstance(node, nodes.section):
            found.append(("section", node["ids"][0], outline(env, node)))
        elif isinstance(node, addnodes.toctree):
            found.append(("pages", [page for _, page in node["entries"]]))
        elif isinstance(node, nodes.Element):
            if node["ids"] and (kind := _kind(env, node)):
                found.append((kind, node["ids"][0]))
            found += outline(env, node)
    return found


def _kind(env, node):
    """Return how a node is counted, if it is: what Sphinx's standard domain counts must have a title."""
    for domain in env.domains.values():
        kind = domain.get_enumerable_node_type(node)
        if kind and (domain.name != "std" or domain.get_numfig_title(node)):
            return kind
    return None


def assign(collector, env):
    """Number all figures and equations, and return the pages of which some number is another one."""
    before, env.toc_fignumbers = env.toc_fignumbers, {}
    if env.config.numfig:
        Count(env).page(env.config.root_doc, ())
    return [page for page, numbers in env.toc_fignumbers.items() if numbers != before.get(page)]


class Count:
    """A count through the book, in the order of its contents, anew in each chapter."""

    def __init__(self, env):
        self.env, self.counted = env, {}
        self.met = set(env.domains["std"]._virtual_doc_names)

    def page(self, name, number):
        """Count through a page within the section of this number, unless it was met before."""
        if name not in self.met:
            self.met.add(name)
            self._below(name, record(self.env).data["outlines"][name], number)

    def _below(self, page, places, number):
        for kind, what, *inside in places:
            if kind == "section":
                self._below(page, *inside, self._section(page, what) or number)
            elif kind == "pages":
                for other in what:
                    if other != "self" and not url_re.match(other):
                        self.page(other, number)
            else:
                numbers = self.env.toc_fignumbers.setdefault(page, {}).setdefault(kind, {})
                numbers[what] = self._next(kind, number)

    def _section(self, page, anchor):
        numbers = self.env.toc_secnumbers.get(page, {})
        return numbers.get(f"#{anchor}", numbers.get("")) or ()

    def _next(self, kind, number):
        chapter = number[: self.env.config.numfig_secnum_depth]
        self.counted[kind, chapter] = self.counted.get((kind, chapter), 0) + 1
        return (*chapter, self.counted[kind, chapter])
