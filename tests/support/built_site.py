"""Where the built site lies, and its pages: shared by the tests that look at it."""

import functools
from pathlib import Path

from mathbook import built_pages
from mathbook.folders import BookFolders

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
FORMER = b'<a id="mc-to"'  # an old page, which redirects to the new one


def pages():
    """Yield the paths of all pages of the book, without redirects."""
    for path in (SITE / "book").rglob("*.html"):
        if "_static" not in path.parts and FORMER not in path.read_bytes():
            yield path


PAGES = sorted(path.relative_to(SITE).as_posix() for path in pages())

CHAPTERS = [
    tuple(f"{page}.html" for page in each.pages)
    for each in built_pages.toc_chapters(BookFolders(ROOT, ROOT / "_build"))
]


@functools.cache
def chapter_of(page):
    """Return the first page of the chapter to which a page belongs: most pages are alone."""
    return next((pages[0] for pages in CHAPTERS if page in pages), page)


@functools.cache
def leaves_of(first):
    """Return the pages of a chapter in their order, by its first page."""
    return next((list(pages) for pages in CHAPTERS if pages[0] == first), [first])


@functools.cache
def page_with(anchor, first):
    """Return the page of a chapter on which an anchor is."""
    [page] = [leaf for leaf in leaves_of(first) if f'id="{anchor}"' in (SITE / leaf).read_text("utf-8")]
    return page
