"""Copies of the downloads next to the pages of the site, and links to them at the foot of each page.

A rebuilt site links nothing until the downloads are made from it again, so that no download is older than its page.
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
)  # useless on disk: the downloads themselves, and Pyodide, which needs a server
LINKS_SLOT = re.compile(r'<p class="mc-downloads">.*?</p>', re.DOTALL)
FORMAT_NAMES = {".pdf": "PDF", ".epub": "EPUB", ".zip": "pages to unpack and open from disk (ZIP)"}


class NoLinksSlot(Exception):
    """The pages of the site have no placeholder for the links."""


class Download(NamedTuple):
    """A generated file: its path and the pages that it contains; no pages for the whole book."""

    path: os.PathLike
    pages: tuple = ()


def add_downloads(book, made):
    """Copy files into the site's folder of downloads and link them from its pages, in addition to existing links.

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
        message = f"no page of {book.display_path(book.site)} has room for links: build the site anew with `make book`"
        raise NoLinksSlot(message)
    for path in pages:
        _link(book, path, own, whole)
    (book.site / "worker.js").write_text(publishing.service_worker(book.site), "utf-8")


def _link(book, path, own, whole):
    text = path.read_text("utf-8")
    page = path.relative_to(book.site).with_suffix("").as_posix()
    names = set(re.findall(rf'href="[^"]*{DOWNLOADS}/([^"]+)"', text)) | {*whole, *filter(None, [own.get(page)])}
    up = "../" * (len(path.relative_to(book.site).parts) - 1)
    links = []
    for name in sorted(names, key=lambda name: (name.startswith("book."), name)):
        what = "The book as" if name.startswith("book.") else "This chapter as"
        links.append(f'<a href="{up}{DOWNLOADS}/{name}">{what} {FORMAT_NAMES[os.path.splitext(name)[1]]}</a>')
    path.write_text(LINKS_SLOT.sub(f'<p class="mc-downloads">{" · ".join(links)}</p>', text), "utf-8")


def zip_site(site, path):
    """Write a site as one ZIP folder that opens from disk; return its size in bytes."""
    folder = "mathematics-of-ml-systems"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(file for file in site.rglob("*") if file.is_file()):
            name = file.relative_to(site).as_posix()
            if name.startswith(NOT_IN_ARCHIVE):
                continue
            if name.endswith(".html"):
                out.writestr(
                    f"{folder}/{name}", LINKS_SLOT.sub('<p class="mc-downloads"></p>', file.read_text("utf-8"))
                )
            else:
                out.write(file, f"{folder}/{name}")
    return path.stat().st_size
