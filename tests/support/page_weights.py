"""What each page weighs: all that a first visit loads, gzipped.

Fonts are counted when the page's words need them: that of mathematics where there is some, the slanted
one where a word stands out.
"""

import functools
import gzip
import re
from pathlib import Path

LOADED = re.compile(r'<(?:script|link|img)\b[^>]*?(?:src|href)="([^"#]+)"[^>]*>')
PASSED = re.compile(r'rel="(?:next|prev|index|search|license|canonical|alternate)"')
FONTS = {"mathematics": "<math", "slanted": "<em", "title": "<h1", "text": "<p"}  # and the sign that it is needed


@functools.cache
def size(path):
    """Return how many bytes a file takes on the wire."""
    data = Path(path).read_bytes()
    if path.endswith((".woff2", ".png")):
        return len(data)
    return len(gzip.compress(data, 6))


def parts(page):
    """Return `{file: bytes}` of everything a first visit to a page loads."""
    text = page.read_text("utf-8")
    found = {page: size(str(page))}
    for match in LOADED.finditer(text):
        target = None if PASSED.search(match[0]) else _file(page.parent, match[1].partition("?")[0])
        if target:
            found[target] = size(str(target))
    static = page.parents[len(page.parents) - 1]
    for style in [path for path in found if path.suffix == ".css"]:
        found |= {font: size(str(font)) for font in _fonts(style, text)}
    return {path: found[path] for path in found if path != static}


@functools.cache
def _file(folder, link):
    """Return the file to which a link from a folder leads, or None; most pages load the same ones."""
    target = (folder / link).resolve()
    return target if target.is_file() else None


def _fonts(style, text):
    for name in re.findall(r"url\(\"?([^)\"]+\.woff2)[^)]*\)", style.read_text("utf-8")):
        font = (style.parent / name.partition("?")[0]).resolve()
        if FONTS.get(font.stem, "\0") in text and font.is_file():
            yield font
