"""Pages as XHTML without scripts, extracted by the browser that prints them."""

from pathlib import Path
from typing import NamedTuple

from mathbook import built_pages
from mathbook.publishing import site_url

from formats.volumes import page_key

EXTRACT_SCRIPT = Path(__file__).with_name("print_extract.js")


class PrintPage(NamedTuple):
    """The XHTML of a page, and its parts that go to the end of the chapter."""

    body: str
    derivations: str
    solutions: str


def extract_pages(browser, book, pages, files=False):
    """Return `{page: PrintPage}` for pages such as `book/chapters/x`.

    With `files` each page will be a file of its own, and its drawings contain their colours.
    """
    browser.open(blank_page(book))
    browser.run(EXTRACT_SCRIPT.read_text("utf-8"))
    known = {f"{page}.html": page_key(page) for page in pages}
    settings = {"pages": known, "home": site_url(), "files": files}
    extracts = {}
    for page in pages:
        text = built_pages.read_page(book, page)
        here = {**settings, "key": page_key(page), "path": f"{page}.html"}
        extracts[page] = PrintPage(**browser.run("return extract(...arguments)", text, here))
    return extracts


def blank_page(book):
    """Return the path of an empty page with the book's style sheet, in which pages are extracted."""
    path = book.out / "formats" / "blank.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    style = (book.site / "_static" / "site.css").as_uri()
    # The browser caches the style sheet, decoded with the charset of this page.
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="{style}">'
    path.write_text(f'<!DOCTYPE html><html lang="en">{head}<body></body></html>', "utf-8")
    return path
