"""The one local extension of the book: roles, directives and figures over the engine.

`python -m mathbook.build` is the driver around Jupyter Book; what Sphinx loads starts at `setup`.
Importing this package loads neither, so that the driver starts at once.
"""

import importlib

# what registers roles, directives and nodes of its own
PARTS = (
    "domain", "assets", "frame", "freshness", "chapter_pages", "elements", "mathematics", "progress", "tables", "pages",
    "instructor", "citations", "finding", "diagrams", "live",
)  # fmt: skip


def setup(app):
    """Register everything with Sphinx."""
    from mathbook import roles, statements

    app.add_config_value("mathbook_core", "", "env")  # another engine: every page is read again
    app.add_config_value("mathbook_static", "", "")
    app.add_config_value("mathbook_report", "", "")
    for name in PARTS:
        importlib.import_module(f"mathbook.{name}").setup(app)
    app.connect("builder-inited", _declare)
    _find_at_once("pybtex.backends", "plaintext")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _declare(app):
    """Say what an extension leaves unsaid: it only numbers sections, when all pages have been read."""
    if "sphinx_multitoc_numbering" in app.extensions:
        app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
        app.extensions["sphinx_multitoc_numbering"].parallel_write_safe = True


def _find_at_once(group, name):
    """Register a plugin of pybtex by hand: it would search all packages again for every citation."""
    from pybtex.plugin import find_plugin, register_plugin

    register_plugin(group, name, find_plugin(group, name), force=True)
