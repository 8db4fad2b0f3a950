"""Mathematics as MathML, rendered by KaTeX at build time: it is in the HTML and needs no script.

Each formula is rendered once and cached. Browsers display it in the book's mathematical font, and screen readers read
the same elements. An error of KaTeX is a warning with the line of the formula, and so fails a build with `-W`.
"""

import functools
import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from mathbook import cache, node_rpc, resources
from mathbook.cache import Store
from mathbook.elements import HtmlElement
from mathbook.folders import hash_files
from mathbook.line_breaks import break_inline, break_lines, overflows_phone

logger = logging.getLogger(__name__)
SCRIPT = Path(__file__).with_name("katex.js")

COMMANDS = re.compile(r"\\(?:begin|end|math\w+|operatorname|text\w*)\*?\s*\{[^{}]*\}|\\[A-Za-z]+")
PROSE = re.compile(r"[A-Za-z]{3,}[,;:.]?\s+[A-Za-z]{2,}|[A-Za-z]{2,}[,;:.]?\s+[A-Za-z]{3,}")
TEX_ATTRIBUTE = re.compile(r' data-tex="[^"]*"')  # as katex.js writes it
MAX_TEX = 300  # characters of a formula, or of an error, that a message shows
LIKELY_PRICE = re.compile(r"^\d[^=\\]*[A-Za-z]{2,}\s$")


class RenderError(ValueError):
    """KaTeX rejects a formula; the message is KaTeX's."""


@functools.cache
def _katex_path() -> Path:
    """Return the path of KaTeX.

    Raises: resources.Missing.
    """
    return resources.npm_path("katex", "dist", "katex.min.js")


@functools.cache
def _cached_mathml() -> Store:
    """Return the formulas that this version of KaTeX has rendered, as a ResultStore."""
    return cache.open_store("katex", hash_files([SCRIPT, _katex_path()]))


@functools.cache
def render_mathml(tex: str, display: bool = False) -> str:
    """Return a formula as MathML in a `span`.

    Raises: RenderError.
    """
    key = f"{display:d}{tex}"
    known = _cached_mathml().get(key)
    if known is None:
        try:
            known = _cached_mathml()[key] = node_rpc.call(SCRIPT, _katex_path(), tex=tex, display=display)
        except node_rpc.ScriptError as error:
            # KaTeX marks the error with combining characters, which terminals display badly
            message = str(error).removeprefix("KaTeX parse error: ").replace("\u0332", "")
            raise RenderError(message) from error
    return known


def find_prose(tex: str) -> str:
    r"""Return consecutive words in a formula that are no symbols, or an empty text: a sign of an unescaped dollar.

    >>> find_prose("27,000 after three years, at "), find_prose("2 or "), find_prose(r"\text{good for all} x \cdot yz")
    ('after three', '2 or ', '')
    """
    bare = COMMANDS.sub("=", tex)
    match = PROSE.search(bare) or LIKELY_PRICE.search(bare)
    return match[0] if match else ""


def _render(place: nodes.Element, display: bool) -> str:
    tex = place.astext()
    if phrase := find_prose(tex):
        message = f"`${tex.strip()}$` is set as a formula, with the words `{phrase}`: write \\$ for a dollar"
        logger.warning(message, location=place, type="mathbook", subtype="dollars")
    try:
        lines = break_lines(tex) if display else break_inline(tex)
        made = render_mathml(lines, display)
        if display and overflows_phone(lines):
            made = made.replace('class="mc-lines"', 'class="mc-lines mc-small"', 1)
        return made if _keeps_source(place) else TEX_ATTRIBUTE.sub("", made)
    except RenderError as error:
        excerpt = tex.strip() if len(tex) < MAX_TEX else f"{tex.strip()[:MAX_TEX]} …"
        message = f"KaTeX cannot set `{excerpt}`, {str(error)[-MAX_TEX:]}: correct the TeX"
        logger.warning(message, location=place, type="mathbook", subtype="tex")
        return html.escape(tex)


def _keeps_source(place: nodes.Node) -> bool:
    """Return whether a formula is in an exercise, where exports need its TeX."""
    while place := place.parent:
        if isinstance(place, HtmlElement) and place["tag"] in ("mc-exercise", "mc-open", "mc-question", "mc-task"):
            return True
    return False


def visit_inline(translator: HTML5Translator, place: nodes.math) -> None:
    """Write inline mathematics."""
    translator.body.append(translator.starttag(place, "span", "", CLASS="math"))
    translator.body.append(f"{_render(place, False)}</span>")
    raise nodes.SkipNode


def visit_display(translator: HTML5Translator, place: nodes.math_block) -> None:
    """Write a displayed equation, with its number if it has one."""
    translator.body.append(translator.starttag(place, "div", CLASS="math"))
    if place["number"]:
        number = get_node_equation_number(translator, place)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(place, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{_render(place, True)}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer `katex` with Sphinx."""
    app.add_html_math_renderer("katex", inline_renderers=(visit_inline, None), block_renderers=(visit_display, None))
