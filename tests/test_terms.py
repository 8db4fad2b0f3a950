"""The lint of terms: what it reads, what it accepts, and that a term above its budget is found."""

import importlib.util

import pytest
from built_site import ROOT

_SPEC = importlib.util.spec_from_file_location("terms", ROOT / ".ci" / "terms.py")
lint = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(lint)


@pytest.fixture
def row():
    """Return a Term with a budget of one match and one accepted context."""
    return lint.Term(r"\bports?\b", "NIC", 1, 0, r"\bswitch ports?\b", "the port of a switch")


def found(row, path, text):
    path.write_text(text, "utf-8")
    return [(match.line, match.words) for match in lint.matches([row], [path])[row.pattern]]


@pytest.mark.parametrize(
    ("name", "text", "matches"),
    [
        ("a.md", "One\n\nport, `{mc:value}` of a switch port\n", [(3, "port")]),
        ("a.md", "{mc:value}`fabrics.port | W`\n", []),
        ("a.md", "```{code-cell}\nport = 'each port has a rate'\n```\n", [(2, "port")]),
        ("a.toml", 'text = "a port"\nquote = "their port"\n', [(1, "port")]),
        ("a.py", '"""The port."""\nport = 1  # a name is no text\n', [(1, "port")]),
        ("a.html", '<p>A<script>port</script></p><img alt="a port">', [(1, "port")]),
        ("a.svg", "<svg><desc>two ports</desc></svg>", [(1, "ports")]),
    ],
)
def test_text_is_read_and_code_is_not(row, tmp_path, name, text, matches):
    assert found(row, tmp_path / name, text) == matches


def test_term_above_its_budget_is_reported_and_a_budget_is_only_lowered(row, tmp_path):
    file = tmp_path / "a.md"
    found(row, file, "A port and a port.\n")
    (message,) = lint.excess([row], lint.matches([row], [file]), "sources")
    assert message == "2 (budget 1 in sources) “port”: use NIC; in a.md 2"
    assert lint.lowered([row], {row.pattern: []}, "sources")[0].sources == 0
    assert lint.lowered([row], {row.pattern: [None] * 5}, "sources")[0].sources == 1


def test_every_exception_has_a_reason():
    assert [row.pattern for row in lint.terms() if bool(row.accepted) != bool(row.reason)] == []


@pytest.mark.slow
def test_pages_use_the_terms_of_the_field():
    rows = lint.terms()
    assert lint.excess(rows, lint.matches(rows, [ROOT / lint.SITE]), "pages") == []
