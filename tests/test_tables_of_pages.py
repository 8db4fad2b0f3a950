"""Protects the tables of the pages: no text becomes one of their rows, and each column has a head."""

import itertools
import re

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


def test_no_text_joins_a_table():
    joined = {path.relative_to(ROOT): lines_joined_to_tables(path.read_text("utf-8")) for path in PAGES}
    assert {path: lines for path, lines in joined.items() if lines} == {}


def test_text_below_a_table_is_found():
    page = "| a | b |\n|---|---|\n| 1 | 2 |\nThis sentence becomes a row.\n\n```\n| x |\ncode\n```\n"
    assert lines_joined_to_tables(page) == ["This sentence becomes a row."]


def columns_without_head(text):
    """Return the head rows of Markdown tables in which a cell is empty; code is left out."""
    lines = FENCE.sub("", text).splitlines()
    return [
        head
        for head, below in itertools.pairwise(lines)
        if re.fullmatch(r"\|[-:| ]+\|", below) and re.search(r"\|\s*\|", head)
    ]


def test_every_column_of_a_table_has_a_head():
    headless = {path.relative_to(ROOT): columns_without_head(path.read_text("utf-8")) for path in PAGES}
    assert {path: heads for path, heads in headless.items() if heads} == {}


def test_column_without_a_head_is_found():
    page = "| | b |\n|---|---|\n| 1 | |\n\n| a | b |\n|---|---|\n| | 2 |\n"
    assert columns_without_head(page) == ["| | b |"]
