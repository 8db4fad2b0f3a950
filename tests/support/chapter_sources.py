"""The Markdown of the chapters: of each its pages, and all of its text."""

from pathlib import Path

from mathbook.folders import chapter_name

ROOT = Path(__file__).resolve().parents[2]
PAGES = {}
for _path in sorted((ROOT / "book" / "chapters").rglob("*.md")):
    if _path.name != "slides.md":  # no page of the book
        PAGES.setdefault(chapter_name(_path.relative_to(ROOT)), []).append(_path)


def text_of(chapter):
    """Return the text of all pages of a chapter."""
    return "\n".join(path.read_text("utf-8") for path in PAGES[chapter])
