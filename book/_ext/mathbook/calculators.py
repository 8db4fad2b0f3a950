"""Calculators, drawn at build time by Node in their default state, so that a page needs no script to show them."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes

from mathbook import cache, content_hash, node_rpc, resources
from mathbook.elements import raw_html
from mathbook.folders import hash_files
from mathbook.render_context import RenderContext, anchor
from mathbook.values import InvalidValue
from mathcore.library import current_library
from mathcore.teaching import Calculator
from mathcore.types import JsonObject

PRERENDER = Path(__file__).with_name("prerender.js")
# The scripts that draw.
PRERENDER_SCRIPTS = [
    resources.static_folder() / f"mc-{name}.js" for name in ("core", "special", "chart", "panels", "explorer")
]


def prerender(what: str, spec: JsonObject, formulas: Iterable[Path] = ()) -> str:
    """Return the HTML of a calculator or a chart, rendered by the scripts of the browser.

    Raises: node_rpc.ScriptError.
    """
    core, special, *rest = PRERENDER_SCRIPTS
    scripts = [core, special, *formulas, *rest]
    question = {"scripts": list(map(str, scripts)), "what": what, "spec": spec}
    checksum = hash_files([PRERENDER, *scripts]) + json.dumps(question)
    return cache.memoize("drawing", checksum, lambda: node_rpc.call(PRERENDER, **question))


def render_calculator(ctx: RenderContext, address: str, statement: Calculator) -> list[nodes.Node]:
    """Return a calculator, complete in its default state."""
    ctx.note_use(address, *(f.address for f in statement.formulas))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    spec = content_hash.memoize_json("spec", statement, statement.spec)
    folder = Path(ctx.env.app.config.mathbook_static) / "formulas"
    names = sorted({current_library.split(f.address)[0] for f in statement.formulas})
    formulas = [folder / "units.js", *(folder / f"{name}.js" for name in names)]
    try:
        inside = prerender("explorer", spec, formulas)
    except node_rpc.ScriptError as error:
        what = f"the calculator `{address}` cannot be drawn, {error}"
        raise InvalidValue(what, "correct the calculator or mc-explorer.js") from error
    head = f'<mc-explorer class="mc-explorer" id="{anchor(address)}" data-address="{address}">'
    return [raw_html(f"{head}{inside}{data_script(spec)}</mc-explorer>")]


def data_script(data: JsonObject) -> str:
    """Return data as a script element that is not executed.

    >>> data_script({"a": "</script>"})
    '<script type="application/json">{"a":"\\\\u003c/script>"}</script>'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = re.sub("<(?=[/!])", r"\\u003c", text)  # nothing else could end the element, or open a comment
    return f'<script type="application/json">{text}</script>'
