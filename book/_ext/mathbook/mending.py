"""Mend the finished pages: lighter, and without the known faults of theme and extensions.

Each mend is a pattern and what stands in its place; what does not occur is no fault. Then the
last checks on what a reader would get.
"""

import hashlib
import pickle
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from mathbook import styles
from mathbook.assets import BUNDLES
from mathbook.folders import fingerprint
from mathbook.outline import split_title
from mathbook.problems import BrokenBook, Problem
from mathbook.processes import spread

FEW = 3  # pages that are mended in this process
BIBLIOGRAPHY = re.compile(r'(<div class="citation"[^>]*) role="doc-biblioentry"')
SUMMARY = re.compile(r"<summary([^>]*)>(.*?)</summary>", re.DOTALL)
TITLE = re.compile(r"(<h1>(?:<span class=\"section-number\">[^<]*</span>)?)([^<]*: [^<]*\?)(?=<)")
ROWS = re.compile(r"<table\b.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)
NUMBER = re.compile(r"[−–-]?[$~]?\d[\d.,\s\u202f]*(?:[·×]\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\s?%?|[–-]|")
TABLE = re.compile(r'<table class="(?:docutils|dataframe|colwidths)[^>]*>.*?</table>', re.DOTALL)
FORMULA = re.compile(r' data-tex="[^"]*"')
_BLOCK = "(?:div|p|li|ul|ol|dl|dt|dd|section|table|thead|tbody|tr|td|th|details|h[1-6])"
BETWEEN = re.compile(rf"(</{_BLOCK}>)\s+(?=</?{_BLOCK}\b)")  # white space that no browser shows
TASK = re.compile(r"<(mc-exercise|mc-question|mc-task)\b.*?</\1>", re.DOTALL)
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
UNUSED = ("doctools.js", "documentation_options.js", "sphinx_highlight.js", "design-tabs.js", "language_data.js")
UNUSED += (
    "searchtools.js",
    "file.png",
    "minus.png",
    "plus.png",
    "locales",
    "vendor",
    "scripts",
    "styles",
    "webpack-macros.html",
    "*.map",
)


class Mended(NamedTuple):
    """A page as it was mended: the checksum of what it was before, its text, the names in it."""

    checksum: str
    text: str
    names: frozenset
    faults: tuple


def mend(book, html, site):
    """Copy finished pages and what they load into a new folder, mended.

    Raises: BrokenBook for a page that loads something from another host.
    """
    shutil.copytree(html, site, ignore=shutil.ignore_patterns(".buildinfo*", "_sources", "*.html"))
    _tidy(site)
    pages = _mended(html, book.desk / "mended.pickle")
    texts = {name: found.text for name, found in pages.items()}
    texts = styles.gather(site, texts, frozenset().union(*(found.names for found in pages.values())))
    texts["index.html"] = _first(texts["index.html"], texts)
    for name, text in texts.items():
        (site / name).write_text(text, "utf-8")
    if problems := [problem for found in pages.values() for problem in found.faults]:
        raise BrokenBook(problems)


def _mended(html, store):
    """Return every page as Mended, by its name; a page that is as it was is taken from the last time."""
    makers = fingerprint([Path(__file__), Path(styles.__file__)])
    try:
        version, known = pickle.loads(store.read_bytes())
    except (OSError, ValueError, TypeError, EOFError, AttributeError, pickle.UnpicklingError):
        version, known = "", {}
    found, todo = {}, []
    for path in sorted(path for path in html.rglob("*.html") if not path.name.endswith("macros.html")):
        name, before = path.relative_to(html).as_posix(), path.read_bytes()
        found[name] = known.get(name) if version == makers else None
        if not found[name] or found[name].checksum != hashlib.sha256(before).hexdigest():
            todo.append((name, before))
    mended = map(_one, *zip(*todo, strict=True)) if 0 < len(todo) <= FEW else spread(_one, todo)
    found |= dict(zip((name for name, _ in todo), mended, strict=True))
    if todo or found.keys() != known.keys():
        store.write_bytes(pickle.dumps((makers, found)))
    return found


def _one(name, before):
    checksum, text = hashlib.sha256(before).hexdigest(), page(before.decode("utf-8"), Path(name).name)
    return Mended(checksum, text, frozenset(styles.names_in(text)), tuple(_faults(name, text)))


def page(text, name):
    """Return the text of one page, mended."""
    text = TASK.sub(lambda task: task[0].replace(" data-tex=", " data-kept="), text)
    text = FORMULA.sub("", text).replace(" data-kept=", " data-tex=")  # only what is exported needs its TeX
    text = TITLE.sub(_title, text)
    text = TABLE.sub(r'<div class="mc-scroll">\g<0></div>', text)
    text = ROWS.sub(lambda table: _aligned(table[0]), text)
    text = BIBLIOGRAPHY.sub(r'\1 role="listitem"', text)
    return BETWEEN.sub(r"\1", SUMMARY.sub(_summary, text))


def _title(match):
    subject, question = split_title(match[2])
    return f'{match[1]}{subject}<span class="mc-hidden">: </span><span class="mc-asks">{question}</span>'


def _aligned(table):
    """Return a table whose columns of numbers stand right, heads and all; with merged cells it stays as it is.

    >>> print(_aligned("<table><tr><th>a</th><th>n</th></tr><tr><td>x</td><td>12 %</td></tr></table>"))
    <table><tr><th>a</th><th class="mc-n">n</th></tr><tr><td>x</td><td class="mc-n">12 %</td></tr></table>
    """
    rows = [CELL.findall(row) for row in ROW.findall(table)]
    body = [row for row in rows if any(tag == "td" for tag, *_ in row[1:])]
    if "span=" in table or not body or len({len(row) for row in rows}) != 1:
        return table
    plain = [[re.sub(r"<[^>]+>", "", inside).strip() for *_, inside in row] for row in body]
    right = {
        at for at, column in enumerate(zip(*plain, strict=True)) if any(column) and all(map(NUMBER.fullmatch, column))
    }
    return ROW.sub(lambda row: _marked(row[0], right), table) if right else table


def _marked(row, right):
    place = iter(range(row.count("<t")))

    def cell(match):
        tag, attributes, inside = match.groups()
        if next(place) not in right:
            return match[0]
        if 'class="' in attributes:
            attributes = attributes.replace('class="', 'class="mc-n ', 1)
        else:
            attributes = f' class="mc-n"{attributes}'
        return f"<{tag}{attributes}>{inside}</{tag}>"

    return CELL.sub(cell, row)


def _first(text, texts):
    """Return the page at the root as a whole page: Jupyter Book leaves a line that leads on."""
    leads = re.search(r'http-equiv="Refresh" content="0; url=([^"]+)"', text)
    if not leads:
        return text
    start = next(t for name, t in texts.items() if name == leads[1])
    title = re.search(r"<title>(.*?)</title>", start, re.DOTALL)[1].partition(" — ")[0].strip()
    return FIRST.format(page=leads[1], title=title)


def _summary(match):
    """Return a summary without paragraphs, which may not stand there, named by its own words."""
    attributes = re.sub(r' aria-label="Toggle hidden content"', "", match[1])
    inside = re.sub(r"(</?)p(?=[ >])", r"\1span", match[2])
    return f"<summary{attributes}>{inside}</summary>"


def _tidy(site):
    """Take away what lies beside the pages and no page of the book loads: extensions' files, parts of bundles."""
    idle = [*UNUSED, *(part for parts in BUNDLES.values() for part in parts)]
    for path in [path for path in (site / "_static").iterdir() if any(fnmatch(path.name, name) for name in idle)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _faults(name, text):
    for found in re.findall(r'<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)="((?:https?:)?//[^"]+)"', text):
        if 'rel="canonical"' not in found:
            yield Problem(name, 0, f"it loads {found}", "put a copy into book/_static")
