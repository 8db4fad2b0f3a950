"""The built pages of a book by chapter, for formats that are made of whole chapters, such as PDF and slides."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import yaml

from mathbook.folders import Book, chapter_name
from mathcore.types import Table

ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.DOTALL)


class PageNotBuilt(FileNotFoundError):
    """A page of the table of contents is not in the site; the message names it."""


class Chapter(NamedTuple):
    """A chapter of the table of contents: its name, such as `young-daly`, and its pages in their order."""

    name: str
    pages: tuple


class Part(NamedTuple):
    """A part of the table of contents: its caption, which may be empty, and its chapters."""

    caption: str
    chapters: tuple


def parts(book: Book) -> list[Part]:
    """Return the parts of a book as `_toc.yml` lists them, the root as a part without a caption."""
    contents = yaml.safe_load(book.toc.read_text("utf-8"))
    all_parts = [Part("", (Chapter(chapter_name(contents["root"]), (contents["root"],)),))]
    for part in contents.get("parts", [contents]):
        all_parts.append(Part(part.get("caption", ""), tuple(map(_chapter, part.get("chapters", [])))))
    return all_parts


def _chapter(entry: Table) -> Chapter:
    return Chapter(chapter_name(entry["file"]), tuple(_listed(entry)))


def _listed(entry: Table) -> Iterator[str]:
    yield entry["file"]
    for section in entry.get("sections", []):
        yield from _listed(section)


def chapters(book: Book) -> list[Chapter]:
    """Return all chapters of a book in their order."""
    return [chapter for part in parts(book) for chapter in part.chapters]


def pages_of(book: Book, name: str) -> tuple[str, ...]:
    """Return the pages of the chapter `name`.

    Raises: PageNotBuilt for a name that the contents do not list.
    """
    for chapter in chapters(book):
        if chapter.name == name:
            return chapter.pages
    raise PageNotBuilt(f"there is no chapter `{name}` in {book.display_path(book.toc)}: name one that is listed there")


def text(book: Book, page: str) -> str:
    """Return the HTML of a finished page.

    Raises: PageNotBuilt.
    """
    path = book.page(page)
    if not path.exists():
        raise PageNotBuilt(f"{book.display_path(path)} is not there: run `make book`")
    return path.read_text("utf-8")


def articles(book: Book, pages: Iterable[str]) -> str:
    """Return the articles of built pages, one after the other, as HTML.

    Raises: PageNotBuilt.
    """
    return "\n".join(article for page in pages for article in ARTICLE.findall(text(book, page))[:1])
