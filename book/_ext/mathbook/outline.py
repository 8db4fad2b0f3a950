"""The outline of a book from Sphinx's toctrees: parts, their chapters, the pages of each chapter.

A chapter is an entry of the root's toctrees; its pages are that entry and all pages that the toctrees below it list.
"""

import weakref
from collections.abc import Iterator
from typing import NamedTuple

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

# of an environment whose pages have been read
_parts: "weakref.WeakKeyDictionary[BuildEnvironment, list[OutlinePart]]" = weakref.WeakKeyDictionary()


class OutlineChapter(NamedTuple):
    """The names of the pages of a chapter, in order."""

    pages: tuple

    @property
    def first(self) -> str:
        """Return the name of the first page."""
        return self.pages[0]


class OutlinePart(NamedTuple):
    """A part of the book: its caption, which may be empty, and its chapters."""

    caption: str
    chapters: tuple


def setup(app: Sphinx) -> None:
    """Discard the cached outline when pages have been read."""
    for event in ("env-before-read-docs", "env-updated"):
        app.connect(event, lambda app, env, *_: _parts.pop(env, None), priority=0)


def outline_parts(env: BuildEnvironment) -> list[OutlinePart]:
    """Return the parts of the book in the order of its contents."""
    if env not in _parts:
        _parts[env] = _read_parts(env)
    return _parts[env]


def _read_parts(env: BuildEnvironment) -> list[OutlinePart]:
    root = env.config.root_doc
    all_parts = []
    for tree in env.tocs[root].findall(addnodes.toctree) if root in env.tocs else ():
        names = [name for _, name in tree["entries"] if name in env.titles]
        all_parts.append(
            OutlinePart(
                tree.get("caption") or "", tuple(OutlineChapter(tuple(_descendants(env, name))) for name in names)
            )
        )
    return all_parts


def _descendants(env: BuildEnvironment, name: str) -> Iterator[str]:
    """Yield a page and all pages below it, in reading order."""
    yield name
    for below in env.toctree_includes.get(name, ()):
        if below in env.titles:
            yield from _descendants(env, below)


def outline_chapters(env: BuildEnvironment) -> list[OutlineChapter]:
    """Return all chapters in reading order."""
    return [chapter for part in outline_parts(env) for chapter in part.chapters]


def chapter_of(env: BuildEnvironment, name: str) -> OutlineChapter:
    """Return the chapter of a page; a page in no toctree is a chapter of its own."""
    return next((chapter for chapter in outline_chapters(env) if name in chapter.pages), OutlineChapter((name,)))


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return the names of all pages: the root, the pages of all chapters, then pages in no toctree."""
    listed = [env.config.root_doc, *(page for chapter in outline_chapters(env) for page in chapter.pages)]
    return list(dict.fromkeys([*(name for name in listed if name in env.titles), *sorted(env.titles)]))


def expected_order(env: BuildEnvironment) -> list[str]:
    """Return the names of the pages in reading order, before Sphinx has read any of them.

    Without an external table of contents, the order is alphabetical.
    """
    contents = getattr(env.config, "external_site_map", None)
    if not contents:
        return sorted(env.found_docs)

    def below(name: str) -> Iterator[str]:
        yield name
        if name in contents:
            for child in contents[name].child_files():
                yield from below(child)

    listed = [name for name in below(contents.root.docname) if name in env.found_docs]
    return list(dict.fromkeys([*listed, *sorted(env.found_docs)]))


def chapter_number(env: BuildEnvironment, name: str) -> str:
    """Return the number of a chapter as in its title, such as `9. `, or an empty text."""
    numbers = env.toc_secnumbers.get(name, {}).get("")
    return ".".join(map(str, numbers)) + env.config.html_secnumber_suffix if numbers else ""


def page_subject(env: BuildEnvironment, name: str) -> str:
    """Return the title of a page without its question."""
    return split_title(env.titles[name].astext())[0]


def full_title(env: BuildEnvironment, name: str, numbered: bool = True) -> str:
    """Return the complete title of a page: with the subject of its chapter, unless it is the chapter's first page."""
    chapter = chapter_of(env, name)
    title = env.titles[name].astext()
    alone = name == chapter.first or short_title(env, chapter, name) != title
    title_text = title if alone else f"{page_subject(env, chapter.first)}: {title}"
    return f"{chapter_number(env, chapter.first)}{title_text}" if numbered else title_text


def short_title(env: BuildEnvironment, chapter: OutlineChapter, name: str) -> str:
    """Return the title of a page within its chapter: without a prefix before a colon that all pages share."""
    titles = [env.titles[page].astext().partition(": ") for page in chapter.pages[1:]]
    title = env.titles[name].astext()
    if name == chapter.first or len({before for before, *_ in titles}) > 1 or not all(colon for _, colon, _ in titles):
        return title
    rest = title.partition(": ")[2]
    return rest[:1].upper() + rest[1:]


def split_title(title: str) -> tuple[str, str]:
    """Return the subject and the question of a title; the question may be empty.

    >>> split_title("8. Reliability: will the date hold?")
    ('8. Reliability', 'Will the date hold?')
    >>> split_title("Lab: the serving machine")
    ('Lab: the serving machine', '')
    """
    subject, _, question = title.partition(": ")
    if not question.endswith("?"):
        return title, ""
    return subject, question[0].upper() + question[1:]
