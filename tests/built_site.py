"""Where the built site lies, and its pages: shared by the tests that look at it."""

import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
PAGES = sorted(p.relative_to(SITE).as_posix() for p in (SITE / "book").rglob("*.html") if "_static" not in p.parts)


@functools.cache
def chapter_of(page):
    """Return the first page of the chapter to which a page belongs: most pages are alone."""
    found = re.search(r'<p class="mc-above"><a href="([^"]+)"', (SITE / page).read_text("utf-8"))
    return (Path(page).parent / found[1]).as_posix() if found else page


@functools.cache
def leaves_of(first):
    """Return the pages of a chapter in their order, by its first page."""
    listed = re.search(r'<nav class="mc-pages".*?</ol>', (SITE / first).read_text("utf-8"), re.DOTALL)
    names = re.findall(r'<li><a href="([^"]+)"', listed[0]) if listed else [Path(first).name]
    return [(Path(first).parent / name).as_posix() for name in names]


@functools.cache
def page_with(anchor, first):
    """Return the page of a chapter on which an anchor is."""
    [page] = [leaf for leaf in leaves_of(first) if f'id="{anchor}"' in (SITE / leaf).read_text("utf-8")]
    return page
