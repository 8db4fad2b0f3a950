"""What the frame around a page holds: the contents of the book, the headings of the page, its title, its version."""

import functools
import html
import os
import re
from importlib import metadata
from pathlib import Path

from docutils import nodes

THEME = Path(__file__).with_name("theme")
PART = re.compile(
    r'<p[^>]*class="caption"[^>]*>\s*<span class="caption-text">(.*?)</span></p>\s*(<ul.*?</ul>)', re.DOTALL
)
ENTRY = re.compile(r'<li class="toctree-l1([^"]*)"><a class="[^"]*" href="([^"]*)">(.*?)</a></li>', re.DOTALL)
FOLDED = {"Appendices"}  # parts that open for who is in them
WITHIN = re.compile(r"</a>\s*(<ul>.*</ul>)\s*</li>\s*</ul>\s*$", re.DOTALL)
SETTINGS = ("comments_config",)  # Jupyter Book sets them for extensions that are left out here
PACE = 230  # words a minute, of somebody who reads to understand


@functools.cache
def version():
    """Return the installed version of this distribution."""
    return metadata.version("mathematics-of-ml-systems")


def split_title(title):
    """Return the subject of a title and the question after it, which may be empty.

    >>> split_title("8. Reliability: may we promise the date?")
    ('8. Reliability', 'May we promise the date?')
    >>> split_title("Lab: the serving machine")
    ('Lab: the serving machine', '')
    """
    subject, _, question = title.partition(": ")
    if not question.endswith("?"):
        return title, ""
    return subject, question[0].upper() + question[1:]


def contents(tree):
    """Return the contents of the book as a list of parts that fold, from Sphinx's."""
    return "\n".join(_part(*found) for found in PART.findall(tree))


def _part(name, listed):
    entries = ENTRY.findall(listed)
    now = any("current" in state for state, *_ in entries)
    rows = "".join(_entry(*entry) for entry in entries)
    opened = " open" if now or name not in FOLDED else ""
    return f'<details class="mc-part"{opened}><summary>{name}</summary><ul>{rows}</ul></details>'


def _entry(state, address, title):
    subject, question = split_title(title)
    asks = f"<small>{question}</small>" if question else ""
    here = ' class="mc-now" aria-current="page"' if "current" in state else ""
    return f'<li><a{here} href="{address}">{subject}{asks}</a></li>'


def headings(toc):
    """Return the headings of a page as a list, without that of the page itself."""
    found = WITHIN.search(toc or "")
    return found[1].replace(' class="reference internal"', "") if found else ""


def minutes(doctree):
    """Return how many minutes the open text of a page takes, exercises and what is folded left out."""
    return max(1, round(sum(words_of_sections(doctree)) / PACE))


def words_of_sections(doctree):
    """Return how many words stand openly before the first section of a page, and in each section after."""
    [*top] = doctree.findall(nodes.section)
    parts = [part for part in top[0].children if isinstance(part, nodes.section)] if top else []
    counted = [sum(len(text.astext().split()) for text in _open(part)) for part in parts]
    return [sum(len(text.astext().split()) for text in _open(doctree)) - sum(counted), *counted]


def _open(node):
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child
        elif getattr(child, "tagname", "") == "HtmlElement" and child["tag"] in (
            "details",
            "mc-exercise",
            "script",
            "svg",
        ):
            continue
        elif not isinstance(child, (nodes.math, nodes.math_block, nodes.raw)):
            yield from _open(child)


def about(app, pagename, doctree):
    """Return the lines beneath a chapter's title: how long, what it needs, what needs it."""
    if not pagename.startswith("book/chapters/"):
        return ""
    lab = "/lab-" in pagename  # which says how long its acts take, and is not read but done
    said, needed = [] if lab else [f"<li><b>{minutes(doctree)} min</b> to read</li>"], _needs()
    if needed.get(pagename):
        said.append(f"<li><b>needs</b> {_links(app, pagename, needed[pagename])}</li>")
    if users := [page for page, others in needed.items() if pagename in others]:
        said.append(f"<li><b>needed by</b> {_links(app, pagename, users)}</li>")
    return f'<ul class="mc-about">{"".join(said)}</ul>' if said else ""


@functools.cache
def _needs():
    from mathbook.schematics import course

    return course.needs([page for pages in course.parts().values() for page in pages])


def _links(app, pagename, pages):
    from mathbook.schematics import course

    there = app.builder.get_relative_uri
    return ", ".join(f'<a href="{there(pagename, page)}">{html.escape(course.name(page))}</a>' for page in pages)


def _frame(app, pagename, template, context, doctree):
    tree = context["toctree"](collapse=True, maxdepth=1, includehidden=True, titles_only=True) or ""
    context["mc_contents"] = contents(tree)
    context["mc_here"] = headings(context.get("toc"))
    context["mc_version"] = app.config.release or version()
    context["mc_repository"] = os.environ.get("BOOK_REPOSITORY", "")
    title = re.sub(r"<[^>]+>", "", context.get("title") or "")
    context["mc_title"] = (
        f"{title} — {context['docstitle']}" if title and title != context["docstitle"] else context["docstitle"]
    )
    if doctree is not None:
        lines = about(app, pagename, doctree)
        if "<!--mc-page " in context["body"]:
            lines += f"<!--mc-words {' '.join(map(str, words_of_sections(doctree)))}-->"
        context["body"] = context["body"].replace("</h1>", f"</h1>{lines}", 1)


def setup(app):
    """Register the frame as a theme, and fill it for every page."""
    app.add_html_theme("mathbook", str(THEME))
    for name in SETTINGS:
        app.add_config_value(name, {}, "")
    app.connect("html-page-context", _frame, priority=400)
