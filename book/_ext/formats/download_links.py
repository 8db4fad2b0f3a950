"""What was made of the site, put beside its pages and named at their foot.

A site that is built anew names nothing until the formats are made again from it: what a page offers is never older
than the page.
"""

import os
import re
import shutil
import zipfile
from typing import NamedTuple

from mathbook import publishing

DOWNLOADS = "_downloads/carry"
NOT_IN_ARCHIVE = (
    DOWNLOADS,
    "_static/live/",
)  # what a folder on disk is of no use for: itself, and Python, which needs a server
LINKS_SLOT = re.compile(r'<p class="mc-carry">.*?</p>', re.DOTALL)
FORMAT_NAMES = {".pdf": "PDF", ".epub": "EPUB", ".zip": "pages to unpack and open from disk (ZIP)"}


class NoLinksSlot(Exception):
    """The pages of the site have no place at their foot for the links."""


class Download(NamedTuple):
    """A file that was made: its path, and the pages that it holds; none for the whole book."""

    path: os.PathLike
    pages: tuple = ()


def add_downloads(book, made):
    """Copy files onto the shelf of the site and link them from its pages, beside what is linked already.

    Raises: NoLinksSlot for a site whose pages have no place for links.
    """
    shelf = book.site / DOWNLOADS
    shelf.mkdir(parents=True, exist_ok=True)
    for each in made:
        shutil.copyfile(each.path, shelf / each.path.name)
    own = {page: each.path.name for each in made for page in each.pages}
    whole = [each.path.name for each in made if not each.pages]
    pages = sorted((book.site / "book").rglob("*.html"))
    if not any(LINKS_SLOT.search(path.read_text("utf-8")) for path in pages):
        raise NoLinksSlot(
            f"no page of {book.display_path(book.site)} has room for links: build the site anew with `make book`"
        )
    for path in pages:
        _link(book, path, own, whole)
    (book.site / "worker.js").write_text(publishing.worker(book.site), "utf-8")


def _link(book, path, own, whole):
    text = path.read_text("utf-8")
    page = path.relative_to(book.site).with_suffix("").as_posix()
    names = set(re.findall(rf'href="[^"]*{DOWNLOADS}/([^"]+)"', text)) | {*whole, *filter(None, [own.get(page)])}
    up = "../" * (len(path.relative_to(book.site).parts) - 1)
    links = []
    for name in sorted(names, key=lambda name: (name.startswith("book."), name)):
        what = "The book as" if name.startswith("book.") else "This chapter as"
        links.append(f'<a href="{up}{DOWNLOADS}/{name}">{what} {FORMAT_NAMES[os.path.splitext(name)[1]]}</a>')
    path.write_text(LINKS_SLOT.sub(f'<p class="mc-carry">{" · ".join(links)}</p>', text), "utf-8")


def zip_site(site, path):
    """Write a site as one folder that opens from disk, without what is no use there; return how many bytes it has."""
    folder = "mathematics-of-ml-systems"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(file for file in site.rglob("*") if file.is_file()):
            name = file.relative_to(site).as_posix()
            if name.startswith(NOT_IN_ARCHIVE):
                continue
            if name.endswith(".html"):
                out.writestr(f"{folder}/{name}", LINKS_SLOT.sub('<p class="mc-carry"></p>', file.read_text("utf-8")))
            else:
                out.write(file, f"{folder}/{name}")
    return path.stat().st_size
