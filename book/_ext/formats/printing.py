"""PDF: chapters and the whole book, printed by Chromium, with outline, tags, links and page numbers.

The table of contents needs page numbers that are known only after printing: the book is printed twice, first with
placeholders of the same width.
"""

import io
import re
from html import escape
from pathlib import Path

import pikepdf
from mathbook.frame import book_version
from mathbook.publishing import site_url

from formats.volumes import NAME, page_key

HERE = Path(__file__).parent
MILLIMETRE = 96 / 25.4
WIDTH, HEIGHT, SIDE = 210, 297, 18  # a sheet of A4 and its left and right margin, in mm; paper.css says the same
COLUMN = int((WIDTH - 2 * SIDE) * MILLIMETRE)
OPTIONS = {
    "printBackground": True, "preferCSSPageSize": True, "generateDocumentOutline": True, "generateTaggedPDF": True,
    "paperWidth": WIDTH / 25.4, "paperHeight": HEIGHT / 25.4,
}  # fmt: skip
UNKNOWN_PAGE = "000"
END_SECTIONS = (("derivations", "Symbols and derivations"), ("solutions", "Hints and solutions"))


class LayoutError(Exception):
    """An element is wider than the paper, or a link leads to nothing that is printed."""


def chapter_document(chapter, cut, style):
    """Return the HTML of one chapter; `cut` maps its pages to PrintPages, `style` is the URL of the style sheet."""
    home = f' · <a href="{escape(site_url())}{chapter.pages[0]}.html">{escape(site_url())}</a>' if site_url() else ""
    head = f'<p class="mc-imprint">{NAME}, version {book_version()}{home}</p>'
    return _document(chapter.subject, _chapter(chapter, cut, head), style, _running_heads([chapter]), cut)


def book_document(parts, cut, style, numbers=None):
    """Return the HTML of the whole book; `numbers` maps ids to page numbers, as far as they are known."""
    chapters = [chapter for part in parts for chapter in part.chapters]
    body = [_title(), _contents(parts, numbers or {})]
    for part in parts:
        body += [f'<h1 class="mc-part-title">{escape(part.caption)}</h1>'] if part.caption else []
        body += [_chapter(chapter, cut) for chapter in part.chapters]
    return _document(NAME, "".join(body), style, _running_heads(chapters), cut)


def _document(title, body, style, running, cut):
    body = resolve_links(body, {page_key(page): page for page in cut})
    return (
        '<!DOCTYPE html>\n<html lang="en">'
        f'<head><meta charset="utf-8" /><title>{escape(title)}</title><link rel="stylesheet" href="{style}" />'
        f'<link rel="stylesheet" href="{(HERE / "paper.css").as_uri()}" /><style>{running}</style></head>'
        f'<body class="mc-paper"><main class="mc-main"><article class="mc-article">{body}</article></main></body>'
        "</html>"
    )


def resolve_links(body, pages):
    """Return HTML in which links to other chapters lead to the published site, or are removed.

    `pages` maps prefixes of ids to pages.

    Raises: LayoutError for a link within a page that leads to nothing.

    >>> resolve_links('<i id="a--x"></i><a href="#a--x">x</a> <a class="k" href="#b--top">y</a>', {"b": "book/b"})
    '<i id="a--x"></i><a href="#a--x">x</a> <a class="k">y</a>'
    """
    known = set(re.findall(r'\bid="([^"]*)"', body))

    def follow(match):
        there, _, place = match[1].partition("--")
        if match[1] in known:
            return match[0]
        if f"{there}--top" in known:
            raise LayoutError(f"{pages[there]}: nothing is called {place} on paper, and a link leads there")
        fragment = "" if place == "top" else f"#{place}"
        return f' href="{escape(site_url())}{pages[there]}.html{fragment}"' if site_url() else ""

    return re.sub(r' href="#([^"]*)"', follow, body)


def _running_heads(chapters):
    """Return the CSS of named pages whose header shows the subject of the chapter."""
    rules = []
    for chapter in chapters:
        name, subject = _page_style(chapter), chapter.subject.replace("\\", "").replace('"', "'")
        rules.append(
            f'@page {name} {{ @top-left {{ content: "{escape(subject, quote=False)}"; }} }} .{name} {{ page: {name}; }}'
        )
    return "\n".join(rules)


def _page_style(chapter):
    return f"sheet-{page_key(chapter.pages[0])}"


def _chapter(chapter, cut, head=""):
    body = head + "".join(f'<section id="{page_key(page)}--top">{cut[page].body}</section>' for page in chapter.pages)
    for tail, title in END_SECTIONS:
        entries = "".join(getattr(cut[page], tail) for page in chapter.pages)
        body += f'<section class="mc-tail"><h2>{title}</h2>{entries}</section>' if entries else ""
    return f'<div class="mc-chapter {_page_style(chapter)}">{body}</div>'


def _title():
    home = f'<p><a href="{escape(site_url())}">{escape(site_url())}</a></p>' if site_url() else ""
    return (
        f'<div class="mc-title-page"><p class="mc-book-title">{NAME}</p>'
        "<p>The book states for every formula how it is known; a program checks every line of every derivation and "
        "computes every number from a formula and sourced inputs.</p>"
        f"<p>Version {book_version()}</p><p>The authors of {NAME}</p>{home}"
        "<p>Text under CC BY 4.0, code under the MIT License. On paper all folds are open, and calculators show "
        "the values that were set; symbols, derivations, hints and solutions are at the end of each chapter.</p></div>"
    )


def _contents(parts, numbers):
    rows = []
    for part in parts:
        rows += [f'<p class="mc-contents-part">{escape(part.caption)}</p>'] if part.caption else []
        for chapter in part.chapters:
            place = f"{page_key(chapter.pages[0])}--top"
            number = f'<span class="mc-contents-page">{numbers.get(place, UNKNOWN_PAGE)}</span>'
            rows.append(f'<p class="mc-contents-row"><a href="#{place}">{escape(chapter.subject)}</a>{number}</p>')
    return f'<div class="mc-contents-list"><h1>Contents</h1>{"".join(rows)}</div>'


def print_document(browser, path, document):
    """Write a document to `path` and return it as PDF bytes.

    Raises: LayoutError when a table, a formula or a drawing does not fit the paper.
    """
    path.write_text(document, "utf-8")
    browser.open(path, width=COLUMN, media="print")
    if wide := browser.run((HERE / "fit_tables.js").read_text("utf-8") + "return fitTables();"):
        raise LayoutError(f"{path.name}: wider than the paper: {'; '.join(wide[:5])}")
    return browser.print_pdf(**OPTIONS)


def print_book(browser, path, parts, cut, style):
    """Return the whole book as PDF bytes, with page numbers in its table of contents."""
    first = print_document(browser, path, book_document(parts, cut, style))
    return print_document(browser, path, book_document(parts, cut, style, page_numbers(first)))


def page_numbers(pdf):
    """Return `{id: page number, from 1}` of the link targets of a PDF."""
    with pikepdf.open(io.BytesIO(pdf)) as read:
        numbers = {page.obj.objgen: number for number, page in enumerate(read.pages, 1)}
        return {name.removeprefix("/"): numbers[place[0].objgen] for name, place in read.Root.Dests.items()}


def compress_pdf(pdf, title):
    """Return a compressed PDF with title and authors that opens with its outline."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as read:
        with read.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata["dc:title"], metadata["dc:creator"] = title, [f"The authors of {NAME}"]
            metadata["dc:language"], metadata["dc:rights"] = ["en"], "Text under CC BY 4.0, code under the MIT License"
        read.Root.PageMode = pikepdf.Name.UseOutlines
        read.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate, linearize=True)
    return out.getvalue()
