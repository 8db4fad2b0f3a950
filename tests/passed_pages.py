"""Visits of built pages that were passed before: not made again while nothing that they look at is another.

A test marked `visit` judges built pages: the one of its parameters, or those of its marker's patterns, beside what
their chapters state. What it looks at is their text, these chapters, the scripts and styles of the site, the engine,
the tests, the locks and the browsers. When all this has the checksum with which the test passed, it is left out;
`--cache-clear` makes every visit again, as a clean clone does.
"""

import functools
import hashlib
import shutil
from pathlib import Path

from built_site import ROOT, SITE
from mathbook.chapter_sources import hash_of_text
from mathbook.code_references import chapter_of

KEY = "pages/passed"  # in pytest's cache: {test: checksum}
LISTS = {"mc-index.js", "mc-tasks.js"}  # what is listed of all pages: no page shows it before it is asked
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr")


def digest(item):
    """Return the checksum of all that a test looks at, or None if it is no visit of built pages."""
    mark = item.get_closest_marker("page")
    pages = mark and _pages(mark.args, getattr(item, "callspec", None))
    if not pages:
        return None
    whole = hashlib.sha256(_shared().encode())
    for page in pages:
        whole.update(f"{page} {_checksum(SITE / page)}".encode())
    if mark.args:
        whole.update(_stated(tuple(sorted({chapter_of(page.removesuffix(".html")) for page in pages}))).encode())
    return whole.hexdigest()


def _pages(patterns, callspec):
    if patterns:
        return sorted(path.relative_to(SITE).as_posix() for pattern in patterns for path in SITE.glob(pattern))
    given = callspec.params.values() if callspec else ()
    return [each for each in given if isinstance(each, str) and each.endswith(".html")]


@functools.cache
def _stated(chapters):
    """Return a checksum of what chapters state, and of all that it comes from."""
    return hash_of_text(f"import {', '.join(chapters)}")


@functools.cache
def _shared():
    """Return a checksum of what every visit looks at."""
    paths = [path for path in (SITE / "_static").glob("*.*") if path.name not in LISTS]
    paths += [path for path in (ROOT / "mathcore").rglob("*.py") if "chapters" not in path.parts]
    paths += [ROOT / "tests" / "built_site.py", *(ROOT / "tests" / "browser").glob("*.py")]
    paths += [ROOT / "requirements.lock", ROOT / "package-lock.json", ROOT / "pyproject.toml"]
    told = [f"{path.relative_to(ROOT)} {_checksum(path)}" for path in sorted(paths)]
    found = [Path(place).resolve() for place in map(shutil.which, BROWSERS) if place]
    return "\n".join([*told, *(f"{place} {place.stat().st_mtime_ns} {place.stat().st_size}" for place in found)])


@functools.cache
def _checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def left(items, passed, checksum=digest):
    """Return the tests that are to be made, and those that passed with the checksum that they have now."""
    asked, known = [], []
    for item in items:
        now = passed.get(item.nodeid) and checksum(item)
        (known if now and passed[item.nodeid] == now else asked).append(item)
    return asked, known


def noted(passed, report):
    """Note the outcome of a test in what has passed: only a visit that passes is left out next time."""
    checksum = dict(report.user_properties).get("page")
    if report.failed:
        passed.pop(report.nodeid, None)
    elif checksum and report.when == "call" and report.passed:
        passed[report.nodeid] = checksum
