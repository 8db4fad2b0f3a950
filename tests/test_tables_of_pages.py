"""Protects the tables of the pages: no text becomes a row, each column has a head, and no cell ends inside a role."""

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


def roles_cut_by_a_cell(text):
    """Return the roles in rows of Markdown tables that hold a `|`, which ends a cell: the format comes after a `;`."""
    rows = [line for line in FENCE.sub("", text).splitlines() if line.startswith("|")]
    return [role for row in rows for role in re.findall(r"\{mc:\w+\}`[^`|]*\|[^`]*`", row)]


@pytest.mark.parametrize("faults", [lines_joined_to_tables, columns_without_head, roles_cut_by_a_cell])
def test_tables_of_the_pages_have_no_fault(faults):
    found = {path.relative_to(ROOT): faults(path.read_text("utf-8")) for path in PAGES}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_seeded_faults_are_found():
    page = "| | b |\n|---|---|\n| 1 | |\nThis sentence becomes a row.\n\n```\n| | x |\n|---|---|\ncode\n```\n"
    assert lines_joined_to_tables(page) == ["This sentence becomes a row."]
    assert columns_without_head(page) == ["| | b |"]
    assert roles_cut_by_a_cell("| {mc:value}`a.b ; s` | {mc:value}`a.b | s` |\n") == ["{mc:value}`a.b | s`"]
