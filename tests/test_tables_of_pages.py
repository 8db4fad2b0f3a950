"""Protects the tables of the pages: no text becomes one of their rows, and each column has a head."""

import itertools
import re

import pytest

from mathcore.errors import ROOT

PAGES = sorted((ROOT / "book").rglob("*.md"))
FENCE = re.compile(r"^(`{3,}).*?^\1`*\s*$", re.DOTALL | re.MULTILINE)


def lines_joined_to_tables(text):
    """Return the lines of text that follow a row of a Markdown table without an empty line; code is left out."""
    lines = FENCE.sub("", text).splitlines()
    return [
        below
        for row, below in itertools.pairwise(lines)
        if row.startswith("|") and below.strip() and not below.startswith(("|", ":::", "<!--"))
    ]


def columns_without_head(text):
    """Return the head rows of Markdown tables in which a cell is empty; code is left out."""
    lines = FENCE.sub("", text).splitlines()
    return [
        head
        for head, below in itertools.pairwise(lines)
        if re.fullmatch(r"\|[-:| ]+\|", below) and re.search(r"\|\s*\|", head)
    ]


@pytest.mark.parametrize("faults", [lines_joined_to_tables, columns_without_head])
def test_tables_of_the_pages_have_no_fault(faults):
    found = {path.relative_to(ROOT): faults(path.read_text("utf-8")) for path in PAGES}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_seeded_faults_are_found():
    page = "| | b |\n|---|---|\n| 1 | |\nThis sentence becomes a row.\n\n```\n| | x |\n|---|---|\ncode\n```\n"
    assert lines_joined_to_tables(page) == ["This sentence becomes a row."]
    assert columns_without_head(page) == ["| | b |"]
