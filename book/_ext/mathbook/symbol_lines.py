"""The line below an equation that names its symbols, as far as the page has not named them before.

A reader may enter a chapter at any page, so each page names the symbols of its equations at their first use: in the
text, or else in this line.
"""

import re
from collections.abc import Iterable

from docutils import nodes
from sphinx.application import Sphinx

from mathbook.elements import HtmlElement, element, join_nodes, text_node
from mathbook.formulas import formula_latex
from mathbook.roles import symbol_node
from mathbook.values import find_statement
from mathcore import Formula, Variable


def setup(app: Sphinx) -> None:
    """Complete the equations of a page that has just been read."""
    app.connect("doctree-read", _name_symbols)


def _name_symbols(app: Sphinx, doctree: nodes.document) -> None:
    """Complete a page, unless it consists of slides, which explain all symbols."""
    if not app.env.docname.endswith("/slides"):
        _add_symbol_lines(doctree, set())


def _add_symbol_lines(node: nodes.Element, named: set[str]) -> None:
    """Add a line to each formula with symbols that are named neither before it nor in the paragraph after it."""
    for child in list(node.children):
        if isinstance(child, nodes.math):
            named.add(_normalize_tex(child.astext()))
        elif _is_formula(child):
            formula = find_statement(child["attrs"]["data-address"])
            named.add(_normalize_tex(formula.lhs.tex))
            fresh = [
                v
                for v in _inputs_in_display_order(formula)
                if _normalize_tex(v.tex) not in named | _symbols_named_after(child)
            ]
            named |= {_normalize_tex(v.tex) for v in fresh}
            if fresh:
                child.insert(1, _symbol_line(fresh))
        else:  # what is folded names nothing for the text after it
            _add_symbol_lines(child, {*named} if _is_folded(child) else named)


def _is_folded(node: nodes.Node) -> bool:
    if isinstance(node, HtmlElement):
        return node["tag"] == "details"
    return isinstance(node, nodes.Element) and node.get("design_component") == "dropdown"


def _is_formula(node: nodes.Node) -> bool:
    return isinstance(node, HtmlElement) and "mc-formula" in node["attrs"].get("class", "").split()


def _inputs_in_display_order(formula: Formula) -> list[Variable]:
    """Return the inputs of a formula in the order in which its equation shows them."""
    text = formula_latex(formula)
    matches = {v: re.search(rf"(?<![A-Za-z\\]){re.escape(v.tex)}(?![A-Za-z_])", text) for v in formula.inputs}
    places = {v: match.start() for v, match in matches.items() if match}
    return sorted(places, key=lambda v: places[v])


def _symbols_named_after(node: nodes.Node) -> set[str]:
    """Return the symbols that the paragraph after a formula names."""
    following = node.next_node(descend=False, siblings=True)
    formulas = following.findall(nodes.math) if isinstance(following, nodes.paragraph) else ()
    return {_normalize_tex(each.astext()) for each in formulas}


def _normalize_tex(tex: str) -> str:
    r"""Return the TeX of a symbol without what does not change it.

    >>> _normalize_tex(r"t_{\mathrm{tp}}") == _normalize_tex(r"t_\mathrm{tp}")
    True
    """
    return "".join(c for c in tex if c not in "{} ")


def _symbol_line(symbols: Iterable[Variable]) -> HtmlElement:
    """Return the line `w bytes of one weight; S tokens of one request`."""
    parts = ([symbol_node(symbol), text_node(f" {symbol.meaning}")] for symbol in symbols)
    return element("p", "mc-where", *join_nodes(parts, "; "))
