"""Parts, chapters and pages of the book in the order of its table of contents."""

import html
import re
from typing import NamedTuple

import yaml
from mathbook import built_pages
from mathbook.folders import PROJECT
from mathbook.outline import split_title

NAME = yaml.safe_load((PROJECT / "_config.yml").read_text("utf-8"))["title"]  # of the book
TITLE = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
HEADER_LINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
NOT_PRINTED = {"book/chapters/ledger"}  # it is made by a script, as one reads


class VolumeChapter(NamedTuple):
    """A chapter: its name, its whole title, and its pages, such as `book/chapters/x/index`."""

    name: str
    title: str
    pages: tuple

    @property
    def subject(self):
        """Return the title without its question."""
        return split_title(self.title)[0]


class VolumePart(NamedTuple):
    """A part of the book: its caption, empty for the pages before the first, and its chapters."""

    caption: str
    chapters: tuple


def read_parts(book):
    """Return the parts of a built book.

    Raises: PageNotBuilt for a page that was not built.
    """
    all_parts = []
    for part in built_pages.toc_parts(book):
        chapters = [_read_chapter(book, *each) for each in part.chapters if each.pages[0] not in NOT_PRINTED]
        all_parts.append(VolumePart(part.caption, tuple(chapters)))
    return all_parts


def _read_chapter(book, name, pages):
    texts = [built_pages.read_page(book, page) for page in pages]
    title = re.sub(r"<[^>]+>", "", HEADER_LINK.sub("", TITLE.search(texts[0])[1]))
    return VolumeChapter(name, " ".join(html.unescape(title).split()), pages)


def page_key(page):
    """Return the name of a page as a prefix of ids and as a file name.

    >>> page_key("book/appendices/claims/papers")
    'appendices-claims-papers'
    """
    return page.removeprefix("book/").replace("/", "-")
