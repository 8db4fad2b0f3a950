"""Settings of Sphinx for the tiny book: `sphinx-build -W . _build/html`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # not needed where tinylib is installed

project = "The Tiny Book"
author = "The authors of the tiny book"
extensions = ["myst_nb", "sphinxcontrib.bibtex", "mathbook"]
myst_enable_extensions = ["dollarmath"]
bibtex_bibfiles = ["references.bib"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
mathbook_library = "tinylib"
