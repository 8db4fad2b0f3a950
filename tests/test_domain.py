"""Protects the sources of pages: roles and directives are those of the Sphinx domain `mc`, and tables are whole.

The extension registers nothing outside of its domain. Of a table no text becomes a row, each column has a head, and no
cell ends inside a role.
"""

import itertools
import re

import pytest
from docutils.parsers.rst import directives, roles
from mathbook.domain import StatementDomain
from mathbook.domain_access import DOMAIN, STATEMENT_DIRECTIVE

from mathcore.errors import ROOT

PAGES = [path for folder in ("book", "tests/books") for path in (ROOT / folder).rglob("*.md")]
ROLE = re.compile(r"\{mc:([\w-]+)\}`")
DIRECTIVE = re.compile(r"^\s*(?::{3,}|`{3,})\{mc:([\w-]+)\}", re.MULTILINE)
WRITTEN_BY_CELLS = {"figure"}
OLD = re.compile(r"\{(?:val|sym|given|holds|counted)\}`|\{mc-(?!page\b)[\w-]+\}")


def unknown(text):
    """Return the roles and directives of a text that the domain does not have."""
    roles_used, directives_used = set(ROLE.findall(text)), set(DIRECTIVE.findall(text))
    return (roles_used - set(StatementDomain.roles)) | (directives_used - set(StatementDomain.directives))


def test_pages_use_roles_and_directives_of_the_domain():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in PAGES}
    assert {name: found for name, text in texts.items() if (found := unknown(text))} == {}
    assert [name for name, text in texts.items() if OLD.search(text)] == []


def test_unknown_and_old_names_is_found():
    assert unknown("{mc:valeu}`a.b`\n\n:::{mc:statment} a.b\n:::\n") == {"valeu", "statment"}
    assert unknown("{mc:value}`a.b`\n\n:::{mc:statement} a.b\n:::\n") == set()
    assert OLD.search("{val}`a.b`") and OLD.search(":::{mc-show} a.b") and not OLD.search(":::{mc-page} name")


def test_every_role_and_directive_has_a_user():
    text = "\n".join(path.read_text("utf-8") for path in PAGES)
    assert set(StatementDomain.roles) == set(ROLE.findall(text))
    assert set(StatementDomain.directives) - WRITTEN_BY_CELLS == set(DIRECTIVE.findall(text))


def test_names_without_the_domain_are_left_to_others():
    for name in ("statement", "exercise", "diagram", "table-of-statements", "mc-show", "remark"):
        assert name not in directives._directives
    assert not {"value", "symbol", "input", "assert", "val", "sym"} & set(roles._roles)
    assert directives._directives.get("hint") is None, "the admonition `hint` is docutils' own"


def test_shown_statements_are_found_in_the_text_of_a_page():
    assert DOMAIN == "mc"
    assert STATEMENT_DIRECTIVE.findall(
        ":::{mc:statement} a.b\n:::\n\n::::{mc:statement} c.d\n::::\n\n:::{statement} e.f\n"
    ) == ["a.b", "c.d"]


# --- tables ---------------------------------------------------------------------------------

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
