"""A Sphinx extension that shows the statements of mathcore: roles, directives, figures, and checks at build time.

All of it starts at `setup`; `python -m mathbook.build` only runs Jupyter Book and publishes the result.
"""

import importlib
from typing import TYPE_CHECKING

from sphinx.errors import ConfigError

from mathbook import resources
from mathcore import DeclarationError, use_library

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


# modules with a `setup` of their own
PARTS = (
    "domain", "outline", "build_checks", "execution", "assets", "frame", "outdated", "chapter_pages", "elements",
    "mathematics", "progress", "redirects", "appendix_tables", "pages", "instructor", "citations", "search_index",
    "diagrams", "live", "markup", "publishing", "signatures", "symbol_lines",
)  # fmt: skip


def setup(app: "Sphinx") -> dict[str, bool | str]:
    """Register everything with Sphinx."""
    app.add_config_value("mathbook_library", "", "env")  # the package of the statements; by default the book's own
    app.add_config_value("mathbook_engine_hash", "", "env")  # a changed engine makes Sphinx read every page again
    app.add_config_value("mathbook_static", "", "")
    app.add_config_value("mathbook_report", "", "")
    app.connect("config-inited", _configure, priority=100)
    for name in PARTS:
        importlib.import_module(f"mathbook.{name}").setup(app)
    app.connect("builder-inited", _declare)
    return {"version": resources.installed_version(), "parallel_read_safe": True, "parallel_write_safe": True}


def _configure(app: "Sphinx", config: "Config") -> None:
    """Load the library, and set the configuration values that depend on the build's paths and on the engine."""
    from mathbook import folders

    try:
        use_library(*filter(None, [config.mathbook_library]))
    except DeclarationError as error:
        raise ConfigError(f"mathbook_library in conf.py: {error.message}") from error
    folder = folders.generated_folder(app)
    config.mathbook_engine_hash = folders.engine_hash()
    config.mathbook_static = str(folder / "static")
    config.mathbook_report = str(folder / "report.json")
    (folder / "static").mkdir(parents=True, exist_ok=True)
    config.html_static_path = [*config.html_static_path, config.mathbook_static]


def _declare(app: "Sphinx") -> None:
    """Declare sphinx_multitoc_numbering safe for parallel reading: it only numbers sections, in the main process.

    https://github.com/executablebooks/sphinx-multitoc-numbering/issues/27
    """
    if "sphinx_multitoc_numbering" in app.extensions:
        app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
        app.extensions["sphinx_multitoc_numbering"].parallel_write_safe = True
