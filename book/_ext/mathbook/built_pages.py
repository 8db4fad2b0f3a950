"""The built pages of a book by chapter, for formats that are made of whole chapters, such as PDF and slides."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import yaml

from mathbook.folders import BookFolders, chapter_name
from mathcore.types import AnyDict

ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.DOTALL)


class PageNotBuilt(FileNotFoundError):
    """A page of the table of contents is not in the site; the message names it."""


class TocChapter(NamedTuple):
    """A chapter of the table of contents: its name, such as `young-daly`, and its pages in their order."""

    name: str
    pages: tuple


class TocPart(NamedTuple):
    """A part of the table of contents: its caption, which may be empty, and its chapters."""

    caption: str
    chapters: tuple


def toc_parts(book: BookFolders) -> list[TocPart]:
    """Return the parts of a book as `_toc.yml` lists them, the root as a part without a caption."""
    contents = yaml.safe_load(book.toc.read_text("utf-8"))
    all_parts = [TocPart("", (TocChapter(chapter_name(contents["root"]), (contents["root"],)),))]
    for part in contents.get("parts", [contents]):
        all_parts.append(TocPart(part.get("caption", ""), tuple(map(_toc_chapter, part.get("chapters", [])))))
    return all_parts


def _toc_chapter(entry: AnyDict) -> TocChapter:
    return TocChapter(chapter_name(entry["file"]), tuple(_page_names(entry)))


def _page_names(entry: AnyDict) -> Iterator[str]:
    yield entry["file"]
    for section in entry.get("sections", []):
        yield from _page_names(section)


def toc_chapters(book: BookFolders) -> list[TocChapter]:
    """Return all chapters of a book in their order."""
    return [chapter for part in toc_parts(book) for chapter in part.chapters]


def chapter_pages(book: BookFolders, name: str) -> tuple[str, ...]:
    """Return the pages of the chapter `name`.

    Raises: PageNotBuilt for a name that the contents do not list.
    """
    for chapter in toc_chapters(book):
        if chapter.name == name:
            return chapter.pages
    raise PageNotBuilt(f"there is no chapter `{name}` in {book.display_path(book.toc)}: name one that is listed there")


def read_page(book: BookFolders, page: str) -> str:
    """Return the HTML of a finished page.

    Raises: PageNotBuilt.
    """
    path = book.page(page)
    if not path.exists():
        raise PageNotBuilt(f"{book.display_path(path)} is not there: run `make book`")
    return path.read_text("utf-8")


def read_articles(book: BookFolders, pages: Iterable[str]) -> str:
    """Return the articles of built pages, one after the other, as HTML.

    Raises: PageNotBuilt.
    """
    return "\n".join(article for page in pages for article in ARTICLE.findall(read_page(book, page))[:1])
