"""Protects the promise that all of the five documents is taught: every row of the table has its places."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mathcore import Formula, walk
from mathcore.library import current_library
from mathcore.teaching import Exercise, Question

BOOK = Path(__file__).resolve().parents[1] / "book"
TABLE = BOOK / "appendices" / "coverage.md"
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#([^)]+))?\)")
DOCUMENTS = {
    "The Checkpoint Reckoning": 23, "The Scale Illusion": 20, "Mathematical Foundations": 28, "Full-Stack Audit": 18,
    "The Art of Crash-Proofing": 21
}  # fmt: skip


def rows(text):
    """Return `{document: [(what, where)]}` of the page."""
    found, document = {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            document = line[3:]
        elif line.startswith("| ") and not line.startswith("| content"):
            found.setdefault(document, []).append([cell.strip() for cell in line.strip("| ").split(" | ")])
    return found


def anchors(page):
    """Return what the headings of a page are called in links."""
    heads = re.findall(r"(?m)^#{1,3} (.*)$", page.read_text(encoding="utf-8"))
    plain = [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
    return {f"{head}-{plain[:at].count(head)}" if head in plain[:at] else head for at, head in enumerate(plain)}


def broken_links(text):
    """Return the links that lead to no page or to no heading."""
    gone = []
    for page, anchor in LINK.findall(text):
        path = (TABLE.parent / page).resolve()
        if not path.exists() or (anchor and anchor not in anchors(path)):
            gone.append(f"{page}#{anchor}")
    return gone


TEXT = TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("document", "count"), DOCUMENTS.items())
def test_every_row_of_a_document_has_a_place(document, count):
    found = rows(TEXT)[document]
    assert len(found) >= count
    assert [what for what, where in found if not LINK.search(where)] == []


def test_every_place_exists():
    assert broken_links(TEXT) == []


def test_lost_places_are_found():
    assert broken_links("| a | [x](../chapters/young-daly/index.md#no-such-heading); [y](../chapters/gone.md) |") == [
        "../chapters/young-daly/index.md#no-such-heading",
        "../chapters/gone.md#",
    ]


def test_index_of_formulas_lists_every_module_once():
    listed = []
    for page in sorted((BOOK / "appendices" / "formulas").glob("*.md")):
        listed += re.search(r"\{mc:table\} formulas (.*)", page.read_text(encoding="utf-8"))[1].split()
    stated = {current_library.split(address)[0] for address, statement in walk() if isinstance(statement, Formula)}
    stated = {name for name in stated if not name.endswith(".open_exercises")}  # they are answers
    other = sorted(stated.symmetric_difference(listed))
    assert sorted(listed) == sorted(stated), f"list once in a page of book/appendices/formulas/, or leave out: {other}"


def misplaced(addresses, pages):
    """Return the exercises and questions that are not on exactly one page, with their count."""
    named = Counter(a for page in pages for a in re.findall(r"\{mc:(?:exercise|question)\} (\S+)", page))
    return {address: named[address] for address in addresses if named[address] != 1}


def test_every_exercise_and_question_is_on_one_page():
    asked = [address for address, statement in walk() if isinstance(statement, (Exercise, Question))]
    pages = [page.read_text(encoding="utf-8") for page in sorted(BOOK.rglob("*.md"))]
    assert misplaced(asked, pages) == {}
    assert misplaced([*asked, "spot.nowhere"], [*pages, f"::::{{mc:exercise}} {asked[0]}"]) == {
        "spot.nowhere": 0,
        asked[0]: 2,
    }
