"""The Atom feed of the changelog: an entry for each change of a release, with a permanent identifier and date.

A release is a heading `## 0.1.0 (2026-11-23)`; one without a date is unpublished and not in the feed. A change is an
item of its list. It ends in a comment with its identifier, so that a corrected sentence remains the same entry for feed
readers; `python -m mathbook.feed` adds missing identifiers to `CHANGELOG.md`.
"""

import hashlib
import html
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from mathbook.folders import PROJECT

RELEASE = re.compile(r"^## (\S+)(?: \((.*?)\))?[^\n]*\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^- (.*?)\s*(?=^- |^\n*#|\Z)", re.MULTILINE | re.DOTALL)
IDENTIFIER = re.compile(r"\s*<!-- (\w+) -->$")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SCHEME = "tag:mathbook,2026"  # of a book that has not set one of its own


class ChangelogEntry(NamedTuple):
    """An entry of the changelog: release, date, text, and identifier, which may be empty."""

    release: str
    date: str
    text: str
    identifier: str


def parse_changelog(changelog: str) -> list["ChangelogEntry"]:
    """Return the ChangelogEntries of a changelog, including those of releases without a date.

    >>> parse_changelog("## 1.0 (2026-01-31)\\n\\n- Correct *a*. <!-- 00ff -->\\n- Add b.\\n")[0]
    ChangelogEntry(release='1.0', date='2026-01-31', text='Correct *a*.', identifier='00ff')
    """
    listed = []
    for release, day, body in RELEASE.findall(changelog):
        date = day if DATE.fullmatch(day) else ""
        for item in ENTRY.findall(body):
            text, mark = IDENTIFIER.sub("", item), IDENTIFIER.search(item)
            listed.append(ChangelogEntry(release, date, " ".join(text.split()), mark[1] if mark else ""))
    return listed


def new_id(text: str) -> str:
    """Return the identifier of a change that has none.

    >>> new_id("Add b.")
    'f3ad25e1334078cb'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_ids(changelog: str) -> str:
    """Return a changelog in which every change of a release has its identifier.

    >>> print(with_ids("## 1.0 (2026-01-31)\\n\\n- Add b.\\n"), end="")
    ## 1.0 (2026-01-31)
    <BLANKLINE>
    - Add b. <!-- f3ad25e1334078cb -->
    """

    def item(match: re.Match) -> str:
        end = match[0][len(match[0].rstrip()) :]
        text = match[0].rstrip()
        return match[0] if IDENTIFIER.search(text) else f"{text} <!-- {new_id(' '.join(match[1].split()))} -->{end}"

    return RELEASE.sub(lambda match: match[0].replace(match[3], ENTRY.sub(item, match[3])), changelog)


def atom_feed(changelog: str, home: str, title: str = "", first: str = "index.html", scheme: str = SCHEME) -> str:
    """Return an Atom feed of the changes of all dated releases.

    `home` is the URL of the site or empty, `title` that of the book, `first` its first page; identifiers begin with
    `scheme`.

    Raises: ValueError for two changes with one identifier, whether dated or not.

    >>> atom_feed("# C\\n\\n## 1.0 (2026-01-31)\\n\\n- Correct *a*.\\n- Add b.\\n", "").count("<updated>2026-01-31T")
    3
    """
    listed = parse_changelog(changelog)
    count = Counter(each.identifier or new_id(each.text) for each in listed)
    if twice := [mark for mark, often in count.items() if often > 1]:
        message = f"CHANGELOG.md: two changes have the identifier {', '.join(twice)}: give the later one its own"
        raise ValueError(message)
    dated = [each for each in listed if each.date]
    latest = max((each.date for each in dated), default="2026-01-01")
    name, known = html.escape(title), html.escape(home) or f"{scheme}:changes"
    entries = "".join(_entry_xml(each, home and f"{home}{first}", scheme) for each in dated)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{name}: changes and errata</title>\n<id>{known}</id>\n"
        f"<updated>{latest}T00:00:00Z</updated>\n{entries}</feed>\n"
    )


def _entry_xml(change: "ChangelogEntry", page: str, scheme: str) -> str:
    plain = re.sub(r"[*`]", "", change.text)
    title = re.split(r"(?<=[.:])\s", plain)[0]
    link = f'<link href="{html.escape(page)}" />' if page else ""
    return (
        f"<entry><title>{html.escape(change.release)}: {html.escape(title)}</title>{link}"
        f"<id>{scheme}:{change.identifier or new_id(change.text)}</id><updated>{change.date}T00:00:00Z</updated>"
        f"<author><name>The authors of the book</name></author><content>{html.escape(plain)}</content></entry>\n"
    )


if __name__ == "__main__":
    path = Path(PROJECT) / "CHANGELOG.md"
    path.write_text(with_ids(path.read_text("utf-8")), "utf-8")
