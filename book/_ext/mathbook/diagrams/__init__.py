"""Diagrams: SVG drawings that are computed from statements when a page is read.

The directive `mc:diagram` shows one by its name. The diagrams of a book are Python modules in the folder named by the
configuration value `mathbook_diagrams`, relative to the source directory. Each diagram has a title, a description, a
table of its numbers, and a wide and a narrow layout; its colours are classes of the theme.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from mathbook.diagrams import registry

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def setup(app: "Sphinx") -> None:
    """Register the configuration value and set the folder of diagrams."""
    app.add_config_value("mathbook_diagrams", "diagrams", "env", types=[str])
    app.connect("config-inited", _use)


def _use(app: "Sphinx", config: "Config") -> None:
    registry.set_diagrams_folder(Path(app.srcdir, config.mathbook_diagrams))
