"""`RenderContext`: the page into which statements are rendered, and the parser of authors' texts."""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from docutils import nodes

from mathbook.domain_access import get_domain
from mathcore import Variable
from mathcore.library import current_library
from mathcore.statements import address_of


def anchor(address: str) -> str:
    """Return the address as an HTML id.

    >>> anchor("young_daly.ex_interval")
    'young-daly-ex-interval'
    """
    return re.sub(r"[^a-zA-Z0-9]+", "-", address).strip("-")


def typeset_symbols(text: str, symbols: Mapping[str, str]) -> str:
    """Return a text in which single symbols, given as `{name: TeX}`, are set as mathematics.

    >>> print(typeset_symbols("tau = 2M, the user's M", {"tau": r"\\tau", "M": "M", "s": "s"}))
    $\\tau$ = 2$M$, the user's $M$
    >>> print(typeset_symbols("a times a D by F matrix, a/D", {"a": "a", "D": "D", "F": "F"}))
    a times a $D$ by $F$ matrix, $a$/$D$
    """
    if not symbols or "$" in text:
        return text
    names = "|".join(sorted(map(re.escape, symbols), key=len, reverse=True))
    # "a model" and "a D by F matrix" begin with a word, and 1F1B is one
    word = r"(?!(?<=\b[AI])\s[a-z]{2})(?!(?<=\ba)\s[A-Za-z])"
    lone = rf"(?<![A-Za-z_\\'’])(?<![A-Za-z]\d)({names})(?![A-Za-z_0-9'’]){word}"
    return re.sub(lone, lambda match: f"${symbols[match[1]]}$", text)


@functools.cache
def symbols_of(chapter: str) -> dict[str, str]:
    """Return `{name: TeX}` of the symbols of a chapter that are neither units nor words."""
    symbols = [v for _, v in current_library.statements(chapter, Variable)] if chapter in current_library else []
    return {v.name: v.tex for v in symbols if not re.fullmatch(r"[a-zAI]", v.name)}


class RenderContext:
    """The context in which a directive renders statements into a page."""

    modules: Sequence[str] = ()  # whose statements a table lists

    def __init__(self, directive: Any) -> None:
        self.directive, self.env = directive, directive.env
        self.docname = directive.env.docname
        self.domain = get_domain(directive.env)

    def inline(self, text: str, symbols: Iterable[Variable] = ()) -> list[nodes.Node]:
        """Return an author's text as nodes: inline Markdown, with symbols set as mathematics."""
        text = typeset_symbols(
            re.sub(r"(?<=\d) (?=%)", "\u202f", text), self._symbols(symbols)
        )  # no line ends before a %
        inline, messages = self.directive.state.inline_text(text, self.directive.lineno)
        return [*inline, *messages]

    def _symbols(self, symbols: Iterable[Variable]) -> dict[str, str]:
        """Return `{name: TeX}` of the given symbols and of the symbols of their chapters.

        A single lower-case letter could be a unit, and A or I a word: these are included only if they are given.
        """
        known: dict[str, str] = {}
        for chapter in {current_library.split(address)[0] for v in symbols if (address := address_of(v))}:
            known |= symbols_of(chapter)
        return known | {v.name: v.tex for v in symbols}

    def note_use(self, *addresses: str) -> None:
        """Record the statements on which the page depends."""
        for address in filter(None, addresses):
            self.domain.note_use(address, self.docname)

    def with_source(self, node: nodes.Node) -> nodes.Node:
        """Return the node with the source location of the directive."""
        self.directive.set_source_info(node)
        for math_node in node.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
            self.directive.set_source_info(math_node)
        return node
