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
# The theme calls the button "Search" and writes the keys into it: its name must hold its words.
SEARCH_BUTTON = re.compile(r'(<button class="btn search-button-field[^>]*) aria-label="Search"')
SIDEBAR = re.compile(r'<div id="pst-primary-sidebar" ')
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
ICONS = re.compile(
    r"\s*<!-- So that users can add custom icons -->\s*<script [^>]*fontawesome\.js[^>]*></script>"
)
AUTO = 'localStorage.getItem("theme") || "auto"'
CHOSEN = (
    'localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'
)
FIRST = """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta http-equiv="refresh" content="0; url={page}" />
  <title>{title}</title>
</head>
<body><main><h1><a href="{page}">{title}</a></h1></main></body>
</html>
"""
SOURCE_MAP = re.compile(r"^//[#@] sourceMappingURL=.*$|/\*# sourceMappingURL=.*?\*/", re.MULTILINE)


def mend(book, site):
    """Mend a finished site in place.

    Raises: BrokenBook for a page that loads something from another host.
    """
    texts = {path: page(path.read_text("utf-8"), path.name) for path in site.rglob("*.html")}
    texts = styles.gather(site, texts)
    texts[site / "index.html"] = _first(texts[site / "index.html"], texts)
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
    # without JavaScript "auto" is neither light nor dark; with it, the choice is made before drawing
    text = text.replace('data-theme="auto"', 'data-theme="light"', 1).replace(AUTO, CHOSEN)
    if name != "search.html":
        text = SEARCH.sub("", text)
    for script, sign in NEEDED.items():
        if not re.search(rf'class="[^"]*{sign}', text):
            text = re.sub(rf"\s*<script\b[^>]*\b{script}(?:\.min)?\.js[^>]*></script>", "", text)
    text = DEFERRED.sub('<script defer="defer" ', text)
    text = BIBLIOGRAPHY.sub(r'\1 role="listitem"', text)
    text = SEARCH_BUTTON.sub(r'\1 aria-label="Search Ctrl+K"', text)
    text = SUMMARY.sub(_summary, text)
    return SIDEBAR.sub('<div id="pst-primary-sidebar" role="complementary" aria-label="Book" ', text)


def _first(text, texts):
    """Return the page at the root as a whole page: Jupyter Book leaves a line that leads on."""
    leads = re.search(r'http-equiv="Refresh" content="0; url=([^"]+)"', text)
    if not leads:
        return text
    start = next(t for path, t in texts.items() if path.as_posix().endswith(f"/{leads[1]}"))
    title = re.search(r"<title>(.*?)</title>", start, re.DOTALL)[1].partition(" &#8212; ")[0].strip()
    return FIRST.format(page=leads[1], title=title)


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
