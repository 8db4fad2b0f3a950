"""Mend the finished pages: lighter, and without the known faults of theme and extensions.

Each mend is a pattern and what stands in its place; what does not occur is no fault. Then the
last checks on what a reader would get.
"""

import re

from mathbook import styles
from mathbook.problems import BrokenBook, Problem

DEFERRED = re.compile(r"<script (?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=)(?![^>]*documentation_options)")
SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
# scripts of the theme's companions, and what a page must have to need them
NEEDED = {
    "design-tabs": "sd-tab-",
    "clipboard": "highlight-",
    "copybutton": "highlight-",
    "togglebutton": "dropdown",
}
BIBLIOGRAPHY = re.compile(r'(<div class="citation"[^>]*) role="doc-biblioentry"')
SUMMARY = re.compile(r"<summary([^>]*)>(.*?)</summary>", re.DOTALL)
SIDEBAR = re.compile(r'<div id="pst-primary-sidebar" ')
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
ICONS = re.compile(
    r"\s*<!-- So that users can add custom icons -->\s*<script [^>]*fontawesome\.js[^>]*></script>"
)
SOURCE_MAP = re.compile(r"^//[#@] sourceMappingURL=.*$|/\*# sourceMappingURL=.*?\*/", re.MULTILINE)


def mend(book, site):
    """Mend a finished site in place.

    Raises: BrokenBook for a page that loads something from another host.
    """
    texts = {path: page(path.read_text("utf-8"), path.name) for path in site.rglob("*.html")}
    texts = styles.gather(site, texts)
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    _tidy(site)
    problems = [p for path, text in texts.items() for p in _faults(path.relative_to(site).as_posix(), text)]
    if problems:
        raise BrokenBook(problems)


def page(text, name):
    """Return the text of one page, mended."""
    text = ICONS.sub("", text)
    text = VIEWPORT.sub("", text)
    text = text.replace(
        "<head>", '<head>\n    <meta name="viewport" content="width=device-width, initial-scale=1" />', 1
    )
    if name != "search.html":
        text = SEARCH.sub("", text)
    for script, sign in NEEDED.items():
        if not re.search(rf'class="[^"]*{sign}', text):
            text = re.sub(rf"\s*<script\b[^>]*\b{script}(?:\.min)?\.js[^>]*></script>", "", text)
    text = DEFERRED.sub('<script defer="defer" ', text)
    text = BIBLIOGRAPHY.sub(r'\1 role="listitem"', text)
    text = SUMMARY.sub(_summary, text)
    return SIDEBAR.sub('<div id="pst-primary-sidebar" role="complementary" aria-label="Book" ', text)


def _summary(match):
    """Return a summary without paragraphs, which may not stand there, named by its own words."""
    attributes = re.sub(r' aria-label="Toggle hidden content"', "", match[1])
    inside = re.sub(r"(</?)p(?=[ >])", r"\1span", match[2])
    return f"<summary{attributes}>{inside}</summary>"


def _tidy(site):
    for path in {*site.rglob("*.map"), *site.rglob("fontawesome.js*"), *site.rglob("*macros.html")}:
        path.unlink()
    for path in [*site.rglob("*.js"), *site.rglob("*.css")]:
        text = path.read_text("utf-8")
        if "sourceMappingURL" in text:
            path.write_text(SOURCE_MAP.sub("", text), "utf-8")


def _faults(name, text):
    for found in re.findall(
        r'<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)="((?:https?:)?//[^"]+)"', text
    ):
        if 'rel="canonical"' not in found:
            yield Problem(name, 0, f"it loads {found}", "put a copy into book/_static")
