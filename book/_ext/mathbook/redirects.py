"""Pages at addresses that the site had before, each of which leads to the page and the anchor that follow it.

The JSON file that the configuration value `mathbook_redirects` names, in the folder of `_config.yml`, has under `pages`
an entry for each old page: `to`, the new one; `anchors`, those of its old anchors that are known, by the new page;
`renamed`, what of them is called otherwise now; `addresses`, the statements of the page that are, because a
calculator keeps its state in the query under its address. Under `cells` it has the new names of the live cells of old
pages.

An old page is written as a page without the theme: a list of links, of which a fragment selects one (`:target`), and
a script that follows it with query and fragment. Without JavaScript one more click is needed: a `meta refresh` cannot
be used, because browsers drop the fragment, and anchors of one old page lie on several new ones. An old page that is
still a page of the book gets a script with its anchors on other pages, which `mc-frame.js` loads when it misses one.

`sphinxext-rediraffe` writes one target for an old page. It has no targets of single anchors, without JavaScript it
loses the fragment, and it cannot rename a key of the query, so it is not used.
"""

import html
import json
import posixpath
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import cast
from urllib.parse import quote, urljoin
from weakref import WeakKeyDictionary

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from mathbook.folders import write_script, write_text
from mathcore.library import current_library
from mathcore.types import AnyDict, JsonObject

_loaded: WeakKeyDictionary[Sphinx, AnyDict] = WeakKeyDictionary()
LOGGER = logging.getLogger(__name__)
RENAMED_ADDRESSES = "_static/mc-redirects.js"
HANDLER_PRIORITY = 300  # before what lists the files of a finished site: the offline worker, the site map
STUB = Template((Path(__file__).with_name("former_page.html")).read_text("utf-8"))


def setup(app: Sphinx) -> None:
    """Register the configuration value and the event handlers."""
    app.add_config_value("mathbook_redirects", "book/redirects.json", "html", str)
    app.connect("builder-inited", _load_redirects)
    app.connect("env-updated", _add_labels)
    app.connect("html-page-context", _add_script)
    app.connect("build-finished", _write_redirects, priority=HANDLER_PRIORITY)


def load_redirects(path: Path) -> AnyDict:
    """Return `{"pages": {old page: entry}, "cells": {old page: [name]}}` from the file at `path`, empty without one."""
    return json.loads(path.read_text("utf-8")) if path.is_file() else {"pages": {}, "cells": {}}


def redirect_targets(entry: AnyDict) -> dict[str, tuple[str, str]]:
    """Return `{old anchor: (new page, new anchor)}` of an old page.

    >>> redirect_targets({"to": "b", "anchors": {"b": ["x"], "c": ["y"]}, "renamed": {"y": "z"}})
    {'x': ('b', 'x'), 'y': ('c', 'z')}
    """
    renamed = entry.get("renamed", {})
    placed = entry.get("anchors", {})
    return {anchor: (page, renamed.get(anchor, anchor)) for page, anchors in placed.items() for anchor in anchors}


def redirect_page(entry: AnyDict, title: str, canonical: str, link: Callable[[str], str]) -> str:
    """Return the HTML of an old page from its entry, the new page's title and address, and `link(new page)`."""
    rows = [
        f'<li id="{html.escape(old)}"><a href="{html.escape(link(page))}#{quote(new)}">{html.escape(new)}</a></li>'
        for old, (page, new) in redirect_targets(entry).items()
    ]
    addresses = json.dumps(entry.get("addresses", {}), separators=(",", ":")).replace("<", "\\u003c")
    return STUB.substitute(
        title=html.escape(title), canonical=html.escape(canonical), link=html.escape(link(entry["to"])),
        rows="\n".join(rows), addresses=addresses,
    )  # fmt: skip


def moved_anchors(page: str, entry: AnyDict, link: Callable[[str], str]) -> JsonObject:
    """Return `{anchor: link}` of the anchors of a page that have moved to another page or were renamed."""
    places = redirect_targets(entry).items()
    return {old: f"{link(to)}#{new}" for old, (to, new) in places if (to, new) != (page, old)}


def link_function(builder: Builder, page: str) -> Callable[[str], str]:
    """Return the function that maps a document to its URL relative to an old page."""
    base = posixpath.dirname(builder.get_target_uri(page))
    return lambda docname: posixpath.relpath(builder.get_target_uri(docname), base or ".")


def _load_redirects(app: Sphinx) -> None:
    _loaded[app] = load_redirects(Path(app.srcdir) / app.config.mathbook_redirects)


def _add_labels(app: Sphinx, env: BuildEnvironment) -> None:
    """Let the labels of former figures lead to their successors, for other books that refer to them."""
    labels = cast(StandardDomain, env.get_domain("std")).anonlabels
    for entry in _loaded[app]["pages"].values():
        for old, (page, new) in redirect_targets(entry).items():
            if old.startswith("fig-") and page in env.found_docs:
                labels.setdefault(old, (page, new))


def _script_path(page: str) -> str:
    return f"redirects/{page.replace('/', '-')}.js"


def _add_script(app: Sphinx, page: str, template: str, context: AnyDict, doctree: nodes.document) -> None:
    """Add the script with the former anchors of a page to its head."""
    if page in _loaded[app]["pages"]:
        context["metatags"] = (
            context.get("metatags", "") + f'\n  <meta name="mc-moved-anchors" content="{_script_path(page)}" />'
        )


def _write_redirects(app: Sphinx, exception: Exception | None) -> None:
    """Write all old pages, and the table of renamed addresses."""
    if exception is not None or app.builder.name != "html":
        return
    out, pages = Path(app.outdir), _loaded[app]["pages"]
    for page, entry in pages.items():
        if not _check_targets(app, page, entry):
            continue
        link = link_function(app.builder, page)
        if page in app.env.found_docs:
            write_script(out / "_static" / _script_path(page), "movedAnchors", moved_anchors(page, entry, link))
        else:
            uri = app.builder.get_target_uri(entry["to"])
            canonical = urljoin(app.config.html_baseurl, uri) if app.config.html_baseurl else link(entry["to"])
            title = app.env.titles[entry["to"]].astext()
            write_text(out / app.builder.get_target_uri(page), redirect_page(entry, title, canonical, link))
    renamed = {"addresses": current_library.redirects, "cells": _loaded[app]["cells"]}
    write_script(out / RENAMED_ADDRESSES, "redirects", renamed)


def _check_targets(app: Sphinx, page: str, entry: AnyDict) -> bool:
    """Return whether all targets of an old page are documents of this build; warn if one is missing."""
    wanted = {entry["to"], *entry.get("anchors", {})}
    missing = sorted(wanted - app.env.found_docs)
    for name in missing:
        if not any((Path(app.srcdir) / f"{name}{suffix}").is_file() for suffix in app.config.source_suffix):
            message = f"`{page}` redirects to `{name}`, which is not a document: correct it"
            message = f"{app.config.mathbook_redirects}: {message}"
            LOGGER.warning(message, type="mc", subtype="redirect")
    return not missing
