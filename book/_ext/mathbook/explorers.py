"""Explorers, drawn once by Node in their default state, so that the page needs no script for it."""

import json
import re
from pathlib import Path

from mathbook import cache, digests, node, resources
from mathbook.elements import raw
from mathbook.folders import fingerprint
from mathbook.scribe import anchor
from mathbook.statements import refuse
from mathcore.library import book

SCRIPT = Path(__file__).with_name("prerender.js")
# The scripts that draw.
DRAWING = [resources.static() / f"mc-{name}.js" for name in ("core", "special", "chart", "panels", "explorer")]


def draw(what, spec, formulas=()):
    """Return the HTML of an explorer or a chart as the browser's own code writes it.

    Raises: node.Refusal.
    """
    core, special, *rest = DRAWING
    scripts = [core, special, *formulas, *rest]
    question = {"scripts": list(map(str, scripts)), "what": what, "spec": spec}
    checksum = fingerprint([SCRIPT, *scripts]) + json.dumps(question)
    return cache.recalled("drawing", checksum, lambda: node.asked(SCRIPT, **question))


def explorer(scribe, address, entity):
    """Return an explorer, complete in its default state."""
    scribe.use(address, *(f.address for f in entity.formulas))
    scribe.record.show(address, scribe.docname, anchor(address))
    spec = digests.kept("spec", entity, entity.spec)
    folder = Path(scribe.env.app.config.mathbook_static) / "formulas"
    names = sorted({book.split(f.address)[0] for f in entity.formulas})
    formulas = [folder / "units.js", *(folder / f"{name}.js" for name in names)]
    try:
        inside = draw("explorer", spec, formulas)
    except node.Refusal as error:
        what = f"the explorer `{address}` cannot be drawn, {error}"
        return [refuse(what, scribe.directive.get_location(), "mend it or mc-explorer.js")]
    head = f'<mc-explorer class="mc-explorer" id="{anchor(address)}" data-address="{address}">'
    return [raw(f"{head}{inside}{data_script(spec)}</mc-explorer>")]


def data_script(data):
    """Return data as a script element that no browser runs.

    >>> data_script({"a": "</script>"})
    '<script type="application/json">{"a":"\\\\u003c/script>"}</script>'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = re.sub("<(?=[/!])", r"\\u003c", text)  # nothing else could end the element, or open a comment
    return f'<script type="application/json">{text}</script>'
