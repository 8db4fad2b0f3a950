"""The one local extension of the book: roles, directives and figures over the engine.

`python -m mathbook.build` is the driver around Jupyter Book; what Sphinx loads starts at `setup`.
Importing this package loads neither, so that the driver starts at once.
"""

import importlib

# what registers roles, directives and nodes of its own
PARTS = (
    "frame", "freshness", "leaves", "elements", "boxes", "mathematics", "directives", "questions", "tasks", "labs",
    "progress", "redirects", "tables", "pages", "instructor", "numbering", "citations", "finding", "schematics", "live",
)  # fmt: skip


def setup(app):
    """Register everything with Sphinx."""
    from mathbook import roles, statements
    from mathbook.folders import PROJECT, Book

    app.add_config_value("mathbook_core", "", "env")  # another engine: every page is read again
    usual = Book(PROJECT, PROJECT / "_build")
    app.add_config_value("mathbook_static", str(usual.static), "")
    app.add_config_value("mathbook_report", str(usual.report), "")
    app.add_domain(statements.Record)
    for name in PARTS:
        importlib.import_module(f"mathbook.{name}").setup(app)
    for role in (roles.Val, roles.Sym, roles.Given, roles.Holds):
        app.add_role(role.__name__.lower(), role())
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
