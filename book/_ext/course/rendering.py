"""Slides and texts for lecturers, made by Sphinx with the book's directives, so that every number is computed.

Every `slides.md` of a chapter becomes a deck of reveal.js by sphinx-revealjs: an equation instead of the block of a
formula, the sentence and the best options of a decision, the drawing of a diagram. `?print-pdf` at the end of a deck's
address prints one slide on each sheet. The texts of `book/lecturers` become plain pages. Everything works from disk.
"""

import contextlib
import io
import shutil
import tempfile
from pathlib import Path

from mathbook import fonts, resources, styles
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from course.pages import STYLE

SLIDES = "slides.md"
SHEETS = ("page.css", "base.css", "book.css", "mc-diagram.css")
SLIDES_STYLE = Path(__file__).with_name("slides.css")
REVEAL = {
    "width": 1280, "height": 720, "margin": 0.04, "hash": True, "slideNumber": "c/t", "center": False,
    "controls": False, "transition": "none", "pdfSeparateFragments": False,
}  # fmt: skip
PAGE_STYLE = ".related, .footer, .sphinxsidebar, .headerlink { display: none; }\n"


class BrokenText(ValueError):
    """Sphinx warns of a text; the message lists its warnings."""


def chapters_with_slides(folder):
    """Return the chapters of the book in `folder` that have slides, sorted."""
    return sorted(path.parent.name for path in (folder / "book" / "chapters").glob(f"*/{SLIDES}"))


def write_slides(folder, target, chapters):
    """Build the decks of the chapters of the book in `folder` into `target`, as `NAME/slides.html`.

    Raises: BrokenText.
    """
    settings = {
        "extensions": ["sphinx_revealjs"],
        "include_patterns": [f"{name}/{SLIDES}" for name in chapters],
        "root_doc": f"{chapters[0]}/slides",
        "mathbook_diagrams": "../diagrams",
        "revealjs_style_theme": "deck.css",
        "revealjs_script_conf": REVEAL,
        "revealjs_script_plugins": [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}],
    }
    sheets = [resources.static_folder() / name for name in SHEETS]
    style = styles.concatenate_sheets(*sheets, SLIDES_STYLE)
    _build(folder / "book" / "chapters", target, "revealjs", settings, {"deck.css": style})


def write_texts(folder, target):
    """Build the texts of `book/lecturers` into `target`; return their names.

    Raises: BrokenText.
    """
    names = sorted(path.stem for path in (folder / "book" / "lecturers").glob("*.md"))
    settings = {
        "extensions": [],
        "root_doc": names[0],
        "mathbook_diagrams": "../diagrams",
        "html_theme": "basic",
        "html_sidebars": {"**": []},
        "html_use_index": False,
        "html_css_files": ["page.css"],
    }
    _build(folder / "book" / "lecturers", target, "html", settings, {"page.css": STYLE + PAGE_STYLE})
    return names


def _build(source, target, builder, settings, sheets):
    """Run Sphinx; the sheets are static files besides the fonts of the book.

    Raises: BrokenText with all warnings.
    """
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        static = Path(work, "static")
        fonts.write_fonts(static / "fonts")
        for name, text in sheets.items():
            (static / name).write_text(text, "utf-8")
        common = {
            "project": "The Mathematics of Machine-Learning Systems",
            "html_math_renderer": "katex",
            "html_copy_source": False,
            "myst_enable_extensions": ["colon_fence", "dollarmath"],
            f"{builder}_static_path": [str(static)],
        }
        extensions = ["myst_parser", "course.slide_nodes", *settings["extensions"]]
        warned = _run(source, target, Path(work, "doctrees"), builder, common | settings | {"extensions": extensions})
    if warned:
        raise BrokenText(warned)


def _run(source, target, doctrees, builder, settings):
    """Run Sphinx and return its warnings as a text."""
    warnings = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), patch_docutils(), docutils_namespace():
        app = Sphinx(source, None, target, doctrees, builder, settings, io.StringIO(), warnings, freshenv=True)
        app.build(force_all=True)
    return warnings.getvalue()
