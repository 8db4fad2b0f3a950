"""EPUB 3: the pages as XHTML with MathML and drawings, the book's fonts, a cover drawn from a formula.

Sphinx's EPUB builder is not used: its package does not declare MathML and SVG, which epubcheck rejects on every page
with a formula, and it offers no hook for that; its pages have controls without effect, answers next to their questions,
and colours that readers without custom properties do not show. `print_extract.js` mends this for paper in any case.
"""

import re
import uuid
import zipfile
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template

from mathbook.frame import book_version
from mathbook.publishing import site_url

from formats.printing import END_SECTIONS
from formats.volumes import NAME, page_key

HERE = Path(__file__).parent
FONTS = ("text", "slanted", "title", "mathematics")
COVER = 1200, 1800
AUTHORS = f"The authors of {NAME}"
PAGE = Template((HERE / "page.xhtml").read_text("utf-8"))
PACKAGE = Template((HERE / "package.opf").read_text("utf-8"))
CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
TYPES = {
    ".xhtml": "application/xhtml+xml", ".css": "text/css", ".woff2": "font/woff2", ".png": "image/png",
    ".txt": "text/plain",
}  # fmt: skip
MANIFEST_PROPERTIES = {"mathml": "<math", "svg": "<svg"}  # what the package must say of a page, and the sign of it


def write_epub(path, book, parts, cut, cover, when=None):
    """Write the EPUB of `parts`, whose pages were extracted with `files=True`; return its size in bytes.

    `draw_cover` is a PNG, `when` the time of the build.
    """
    files = {"title.xhtml": _title(), "nav.xhtml": _navigation(parts), "cover.png": cover}
    files["book.css"] = (HERE / "epub.css").read_bytes()
    for page, parted in cut.items():
        files[f"{page_key(page)}.xhtml"] = page_xhtml(page, parted)
    fonts = book.site / "_static" / "fonts"
    files |= {f"{name}.woff2": (fonts / f"{name}.woff2").read_bytes() for name in FONTS}
    files |= {path.name: path.read_bytes() for path in sorted(fonts.glob("*-LICENSE.txt"))}
    files["package.opf"] = _package(files, [f"{page_key(page)}.xhtml" for page in cut], when or datetime.now(UTC))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        out.writestr("META-INF/container.xml", CONTAINER)
        for name, content in files.items():
            out.writestr(f"book/{name}", content)
    return path.stat().st_size


def page_xhtml(page, parted):
    """Return a page as an XHTML file, with its derivations and solutions at its end."""
    body = parted.body
    for tail, title in END_SECTIONS:
        if entries := getattr(parted, tail):
            body += f"<section><h2>{title}</h2>{entries}</section>"
    title = re.sub(r"<[^>]+>", "", re.search(r"<h1\b[^>]*>(.*?)</h1>", body, re.DOTALL)[1])
    return PAGE.substitute(title=" ".join(title.split()), top=f"{page_key(page)}--top", body=body)


def _title():
    home = f'<p><a href="{escape(site_url())}">{escape(site_url())}</a></p>' if site_url() else ""
    body = (
        f"<h1>{NAME}</h1><p>Version {book_version()}</p><p>{AUTHORS}</p>{home}<p>Text under CC BY 4.0, code under the "
        "MIT License. Calculators stand here as they were set when the book was made; symbols, derivations, hints and "
        "solutions are at the end of each page.</p>"
    )
    return PAGE.substitute(title=NAME, top="title", body=body)


def _navigation(parts):
    rows = []
    for part in parts:
        entries = "".join(map(_entry, part.chapters))
        if part.caption and part.chapters:
            first = f"{page_key(part.chapters[0].pages[0])}.xhtml"
            rows.append(f'<li><a href="{first}">{escape(part.caption)}</a><ol>{entries}</ol></li>')
        else:
            rows.append(entries)
    listed = f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(rows)}</ol></nav>'
    return PAGE.substitute(title="Contents", top="contents", body=listed)


def _entry(chapter):
    return f'<li><a href="{page_key(chapter.pages[0])}.xhtml">{escape(chapter.title)}</a></li>'


def _package(files, order, when):
    items = []
    for name, content in files.items():
        properties = {"nav.xhtml": ["nav"], "cover.png": ["cover-image"]}.get(name, [])
        if name.endswith(".xhtml"):
            properties += [kind for kind, sign in MANIFEST_PROPERTIES.items() if sign in content]
        attribute = f' properties="{" ".join(properties)}"' if properties else ""
        items.append(f'<item id="{_item_id(name)}" href="{name}" media-type="{TYPES[Path(name).suffix]}"{attribute}/>')
    spine = [f'<itemref idref="{_item_id(name)}"/>' for name in ("title.xhtml", "nav.xhtml", *order)]
    return PACKAGE.substitute(
        identifier=uuid.uuid5(uuid.NAMESPACE_URL, f"{NAME} {book_version()}"), title=NAME, authors=AUTHORS,
        version=book_version(),
        modified=when.strftime("%Y-%m-%dT%H:%M:%SZ"), items="\n    ".join(items), spine="\n    ".join(spine),
    )  # fmt: skip


def _item_id(name):
    return "f-" + re.sub(r"[^A-Za-z0-9-]", "-", name)


def draw_cover(browser, book, path):
    """Return the cover as PNG bytes, rendered from a page at `path`."""
    title = "".join(f"<span>{escape(line)}</span>" for line in ("The Mathematics of", "Machine-Learning", "Systems"))
    text = Template((HERE / "cover.html").read_text("utf-8")).substitute(
        style=(book.site / "_static" / "site.css").as_uri(),
        title=title,
        curve=cost_curve_path(1000, 620),
        version=book_version(),
    )
    path.write_text(text, "utf-8")
    browser.open(path)
    return browser.screenshot(*COVER)


def cost_curve_path(width, height):
    """Return the SVG path of the cost of a checkpoint interval over its optimum, from the book's own formula."""
    from mathcore import find

    penalty = find("young_daly.penalty")
    costs = [penalty.at(x=2 ** (step / 12)).m_as("") for step in range(-30, 31)]
    low, high = min(costs), max(costs)
    points = [(i * width / 60, height * (1 - (cost - low) / (high - low))) for i, cost in enumerate(costs)]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
