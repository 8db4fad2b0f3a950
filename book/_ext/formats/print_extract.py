"""Pages as XHTML without scripts, cut by the browser that will print them."""

from pathlib import Path
from typing import NamedTuple

from mathbook import built_pages
from mathbook.publishing import address

from formats.volumes import page_key

EXTRACT_SCRIPT = Path(__file__).with_name("print_extract.js")


class PrintPage(NamedTuple):
    """The XHTML of a page, and what of it stands at the end of the chapter."""

    body: str
    derivations: str
    solutions: str


def extract_pages(browser, book, pages, files=False):
    """Return `{page: Carried}` for pages such as `book/chapters/x`.

    With `files` each page will be a file of its own, and drawings bring their colours with them.
    """
    browser.open(blank_page(book))
    browser.run(EXTRACT_SCRIPT.read_text("utf-8"))
    known = {f"{page}.html": page_key(page) for page in pages}
    settings = {"pages": known, "home": address(), "files": files}
    found = {}
    for page in pages:
        text = built_pages.text(book, page)
        here = {**settings, "key": page_key(page), "path": f"{page}.html"}
        found[page] = PrintPage(**browser.run("return extract(...arguments)", text, here))
    return found


def blank_page(book):
    """Return the path of an empty page with the book's style sheet, on which pages are cut."""
    path = book.out / "formats" / "blank.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    style = (book.site / "_static" / "site.css").as_uri()
    # The browser keeps the sheet as it reads it first, and reads it as this page says.
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="{style}">'
    path.write_text(f'<!DOCTYPE html><html lang="en">{head}<body></body></html>', "utf-8")
    return path
