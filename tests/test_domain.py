"""Tests of the Sphinx domain `mc`: the pages use what it has, and the extension registers nothing outside of it."""

import re
from pathlib import Path

from docutils.parsers.rst import directives, roles
from mathbook.domain import StatementDomain
from mathbook.domain_access import DOMAIN, STATEMENT_DIRECTIVE

ROOT = Path(__file__).resolve().parents[1]
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
