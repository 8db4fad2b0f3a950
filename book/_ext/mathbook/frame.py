"""The template context of a page: table of contents, headings, titles of neighbouring pages, version."""

import functools
import html
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.environment.adapters.toctree import document_toc

from mathbook import outline, resources
from mathcore.types import AnyDict

THEME = Path(__file__).with_name("theme")
COLLAPSED = {"Appendices"}  # parts that are open only for their own pages
SETTINGS = ("comments_config",)  # Jupyter Book sets them for extensions that are left out here


def has_own_theme(app: Sphinx) -> bool:
    """Return whether pages have the book's theme; other themes have their own frame, search and index."""
    return app.config.html_theme == "mathbook"


def book_version() -> str:
    """Return the version of the book."""
    return resources.installed_version()


def contents_tree(app: Sphinx, pagename: str) -> list[AnyDict]:
    """Return the table of contents: for each part its caption, whether it is open, and its chapters with pages."""
    env, there = app.env, functools.partial(app.builder.get_relative_uri, pagename)
    entries, parts = [], outline.outline_parts(env)
    for part in parts:
        folded = part.caption in COLLAPSED
        chapters = [_chapter_entry(env, there, chapter, pagename) for chapter in part.chapters]
        opened = not folded or any(chapter["now"] for chapter in chapters)
        entries.append({"caption": part.caption, "open": opened, "chapters": chapters})
    return entries


def _chapter_entry(
    env: BuildEnvironment, there: Callable[[str], str], chapter: outline.OutlineChapter, pagename: str
) -> AnyDict:
    """Return a chapter and its pages."""
    title, question = outline.split_title(env.titles[chapter.first].astext())
    named = functools.partial(outline.short_title, env, chapter)
    pages = [_contents_entry(named(page), there(page), page == pagename) for page in chapter.pages]
    first = pages[0] | {"title": f"{outline.chapter_number(env, chapter.first)}{title}", "question": question}
    now = pagename in chapter.pages
    return first | {"now": now, "subject": title, "pages": pages[1:]}


def _contents_entry(title: str, link: str, here: bool) -> AnyDict:
    return {"title": title, "link": "#" if here else link, "here": here}


def headings_html(app: Sphinx, pagename: str) -> str:
    """Return the headings of a page as HTML, without the page's title."""
    lists = [*document_toc(app.env, pagename, app.tags).findall(nodes.bullet_list)] if pagename in app.env.tocs else []
    builder = cast(StandaloneHTMLBuilder, app.builder)
    return builder.render_partial(lists[1])["fragment"] if len(lists) > 1 else ""


def _fill_template(app: Sphinx, pagename: str, template: str, context: AnyDict, doctree: nodes.document | None) -> None:
    if not has_own_theme(app):
        return
    context["mc_contents"] = contents_tree(app, pagename)
    context["mc_here"] = headings_html(app, pagename)
    context["mc_version"] = app.config.release or book_version()
    context["mc_repository"] = os.environ.get("BOOK_REPOSITORY", "")
    known = pagename in app.env.titles
    title = outline.full_title(app.env, pagename) if known else re.sub(r"<[^>]+>", "", context.get("title") or "")
    own = title if title != context["docstitle"] else ""
    context["mc_title"] = " — ".join(filter(None, [html.escape(own, quote=False), context["docstitle"]]))
    for kind in ("prev", "next"):
        if context.get(kind):
            context[kind] = {**context[kind], "title": _neighbour_title(app.env, pagename, kind)}


def _neighbour_title(env: BuildEnvironment, pagename: str, kind: str) -> str:
    """Return the title of the previous or next page as HTML, the shortest that is unique."""
    order = outline.reading_order(env)
    other = order[order.index(pagename) + (1 if kind == "next" else -1)]
    chapter = outline.chapter_of(env, pagename)
    if other in chapter.pages[1:]:
        title = outline.short_title(env, chapter, other)
    elif other in outline.chapter_of(env, other).pages[1:]:  # the last page of the chapter before
        title = outline.full_title(env, other)
    else:
        title = f"{outline.chapter_number(env, other)}{outline.page_subject(env, other)}"
    return html.escape(title, quote=False)


def setup(app: Sphinx) -> None:
    """Register the theme and the handler that fills its template."""
    app.add_html_theme("mathbook", str(THEME))
    for name in SETTINGS:
        app.add_config_value(name, {}, "")
    app.connect("html-page-context", _fill_template, priority=400)
