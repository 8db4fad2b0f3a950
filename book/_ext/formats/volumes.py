"""The book as its table of contents orders it: parts, chapters, and the pages of each chapter."""

import html
import re
from pathlib import PurePosixPath
from typing import NamedTuple

import yaml
from mathbook.frame import split_title

TITLE = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
MARK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
WITHOUT = {"book/appendices/formula-index", "book/chapters/ledger"}  # they are made by scripts, as one reads


class Unbuilt(Exception):
    """The site lacks a page that the contents name."""


class Chapter(NamedTuple):
    """A chapter: the name of its first page, its whole title, and its pages, such as `book/chapters/x`."""

    name: str
    title: str
    pages: tuple

    @property
    def subject(self):
        """Return the title without the question that it may ask."""
        return split_title(self.title)[0]


class Part(NamedTuple):
    """A part of the book: its caption, empty for the pages before the first, and its chapters."""

    caption: str
    chapters: tuple


def parts(book):
    """Return the parts of a built book.

    Raises: Unbuilt for a page that was not built.
    """
    toc = yaml.safe_load(book.toc.read_text("utf-8"))
    found = [Part("", (_chapter(book, toc["root"], ()),))]
    for part in toc.get("parts", [toc]):
        chapters = [_chapter(book, *each) for each in grouped(part.get("chapters", [])) if each[0] not in WITHOUT]
        found.append(Part(part.get("caption", ""), tuple(chapters)))
    return found


def grouped(entries):
    """Return `(page, further pages)` for each chapter among the entries of a part.

    Further pages of a chapter are its sections, or entries that lie in a folder of its name.

    >>> grouped([{"file": "a/x"}, {"file": "a/x/more"}, {"file": "a/y", "sections": [{"file": "a/z"}]}])
    [('a/x', ('a/x/more',)), ('a/y', ('a/z',))]
    """
    found = []
    for entry in entries:
        name, below = entry["file"], tuple(section["file"] for section in entry.get("sections", []))
        if found and name.startswith(f"{found[-1][0]}/"):
            found[-1] = found[-1][0], (*found[-1][1], name, *below)
        else:
            found.append((name, below))
    return found


def _chapter(book, page, further):
    pages = (page, *further)
    for name in pages:
        if not book.whole_page(name).exists():
            raise Unbuilt(f"{name}.html is not in {book.shown(book.site)}: run `make book` first")
    text = book.whole_page(page).read_text("utf-8")
    title = re.sub(r"<[^>]+>", "", MARK.sub("", TITLE.search(text)[1]))
    return Chapter(PurePosixPath(page).name, " ".join(html.unescape(title).split()), pages)


def key(page):
    """Return the name of a page as a beginning of ids and as the name of a file.

    >>> key("book/appendices/claims/papers")
    'appendices-claims-papers'
    """
    return page.removeprefix("book/").replace("/", "-")
