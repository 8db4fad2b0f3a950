"""A Sphinx extension with the roles, directives and diagrams of mathbook, whose blocks it reduces on slides."""

import importlib
import re

from docutils import nodes
from mathbook.elements import HtmlElement, element, inline_math, text_node

from mathcore import find

PARTS = ("domain", "outline", "elements", "mathematics", "diagrams")  # of mathbook, as much as slides need
OMITTED = {"mc-more", "mc-data", "mc-source", "mc-label", "mc-changes", "mc-state"}
MAX_OPTIONS = 5  # rows of a decision's table
BUTTONS = re.compile(r'<div class="[^"]*\bmc-animation-bar">.*?</div>')


def setup(app):
    """Register the parts of mathbook, and the reduction of slides."""
    app.add_config_value("mathbook_chapter", "", "env")
    for name in PARTS:
        importlib.import_module(f"mathbook.{name}").setup(app)
    app.add_role("cite", _leave_out)  # of texts of statements: sources are named on the pages
    app.connect("doctree-read", _read)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _leave_out(name, rawtext, text, lineno, inliner, options=None, content=()):
    """Return nothing in place of a role."""
    return [], []


def _read(app, doctree):
    app.env.metadata[app.env.docname]["orphan"] = True
    if app.builder.name == "revealjs":
        reduce_doctree(doctree)


def reduce_doctree(doctree):
    """Omit the parts that a slide cannot show: folds, equation numbers, tables of figures, options beyond the best.

    A formula gets a line with the meanings of its symbols, each once on a slide.
    """
    explained = {}
    for node in list(doctree.findall(_is_formula)):
        slide = next(each for each in _ancestors(node) if isinstance(each, nodes.section))
        _explain(node, explained.setdefault(id(slide), set()))
    for node in list(doctree.findall(HtmlElement)):
        if node.parent is not None and OMITTED & set(node["attrs"].get("class", "").split()):
            node.parent.remove(node)
        elif node["tag"] == "tbody":
            del node.children[MAX_OPTIONS:]
    for equation in doctree.findall(nodes.math_block):
        equation["number"] = None
    for drawing in list(doctree.findall(nodes.raw)):
        drawing.replace_self(nodes.raw("", BUTTONS.sub("", drawing.astext()), format="html"))
    for legend in list(doctree.findall(nodes.legend)):
        legend.parent.remove(legend)


def _is_formula(node):
    return isinstance(node, HtmlElement) and "mc-formula" in node["attrs"].get("class", "").split()


def _ancestors(node):
    while node := node.parent:
        yield node


def _explain(node, known):
    """Add a line with the symbols of a formula and their meanings in few words to its block, without `known` ones."""
    formula = find(node["attrs"]["data-address"])
    fresh = [symbol for symbol in (formula.lhs, *formula.inputs) if symbol not in known]
    known.update(fresh)
    line = element("p", "mc-where")
    for place, symbol in enumerate(fresh):
        line += [text_node("; " if place else ""), inline_math(symbol.tex), text_node(f" {_short(symbol.meaning)}")]
    node += line if fresh else []


def _short(meaning):
    """Return a meaning without what explains it further.

    >>> _short("standard deviations on either side: 1.96 for 95 %"), _short("utilisation (MFU), of the dense peak")
    ('standard deviations on either side', 'utilisation, of the dense peak')
    """
    return re.sub(r" \([^)]*\)", "", meaning.partition(":")[0])
