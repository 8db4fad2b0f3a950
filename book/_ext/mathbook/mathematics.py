"""Mathematics, set by KaTeX while the book is built: it is in the HTML and needs no script.

One Node process sets all formulas, with the KaTeX of package.json, whose style and fonts the
pages load: two versions side by side would overlap fractions without a word. What KaTeX refuses
is a warning with the line of the formula, and so fails the build.
"""

import atexit
import functools
import html
import json
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from mathbook.folders import PROJECT

logger = logging.getLogger(__name__)
SCRIPT = Path(__file__).with_name("katex.js")
LIBRARY = PROJECT / "node_modules" / "katex" / "dist" / "katex.min.js"


class Unset(ValueError):
    """KaTeX refuses a formula; the text is what it says."""


@functools.cache
def _process():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    process = subprocess.Popen(["node", SCRIPT, LIBRARY], **pipes)
    atexit.register(process.communicate)  # closes its input, which ends it
    return process


@functools.cache
def typeset(tex, display=False):
    """Return a formula as HTML with MathML.

    Raises: Unset.
    """
    process = _process()
    process.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("the Node process that sets formulas has ended: see what it said")
    answer = json.loads(line)
    if "error" in answer:
        # KaTeX underlines the culprit with combining signs, which no terminal shows well
        raise Unset(answer["error"].removeprefix("KaTeX parse error: ").replace("\u0332", ""))
    return answer["html"]


def _set(translator, node, display):
    tex = node.astext()
    try:
        return typeset(tex, display)
    except Unset as error:
        told = f"KaTeX cannot set `{tex.strip()}`, {error}: mend the TeX"
        logger.warning(told, location=node, type="mathbook", subtype="tex")
        return html.escape(tex)


def visit_inline(translator, node):
    """Write inline mathematics."""
    translator.body.append(translator.starttag(node, "span", "", CLASS="math"))
    translator.body.append(f"{_set(translator, node, False)}</span>")
    raise nodes.SkipNode


def visit_display(translator, node):
    """Write a displayed equation, with its number if it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{_set(translator, node, True)}</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer `katex` with Sphinx."""
    app.add_html_math_renderer(
        "katex", inline_renderers=(visit_inline, None), block_renderers=(visit_display, None)
    )
