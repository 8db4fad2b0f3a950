"""Tests the asserted relations of sentences: each names its statements and is reported when it fails."""

import re

import pytest
from mathbook import prose_numbers, relations

from mathcore.errors import ROOT

PAGES = prose_numbers.pages_with_prose()


@pytest.mark.parametrize(
    "relation",
    [
        "young_daly.act_one > young_daly.lab_interval",
        "young_daly.act_one ≈ 2 * young_daly.lab_interval",
        "1.9 < young_daly.act_one / young_daly.lab_interval ≤ 2.1",
        "young_daly.act_one.C >= 4 min",
        "1 h < young_daly.act_one + 3 min < 1.1 h",
        "2 h - young_daly.act_one > 0.5 h",
        "2 h-young_daly.act_one>0.5 h",
        "1[h]<young_daly.act_one+3 min<1.1 h",
        "1.9<young_daly.act_one/young_daly.lab_interval≤2.1 and young_daly.act_one.C≥240 s",
    ],
)
def test_what_holds_is_left_alone(relation):
    assert relations.relation_issue(relation) == ""


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (
            "young_daly.act_one < young_daly.lab_interval",
            "no longer holds: young_daly.act_one = 62.0\u202fmin, young_daly.lab_interval = ",
        ),
        ("young_daly.act_one ≈ 2.3 * young_daly.lab_interval", "no longer holds"),
        ("10 min < young_daly.act_one < 20 min", "no longer holds"),
        ("young_daly.act_one > 20 GB", "to 'min' (time)"),
        ("young_daly.act_wun > 20 min", "there is no statement `young_daly.act_wun`"),
        ("young_daly.interval > 20 min", "has no value of its own"),
        ("young_daly.act_one", "is not a relation"),
        ("young_daly.act_one > ", "is not a relation"),
        ("young_daly.act_one > many min", "is not a relation"),
        ("young_daly.act_one>1 h and young_daly.act_one<1[h]", "no longer holds"),
        ("not young_daly.act_one < 1 h", "is not a relation"),
        ("young_daly.act_one is 62 min", "is not a relation"),
        ("young_daly.act_one > __import__('os')", "is not a relation"),
        ("young_daly.act_one > open(1)", "is not understood"),
    ],
)
def test_seeded_untruth_is_named(relation, words):
    found = relations.relation_issue(relation)
    assert found.startswith(f"`{relation}` ") and words in found


def test_issue_of_a_page_names_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\nLonger. {mc:assert}`young_daly.act_one > 1 h`\nShorter. {mc:assert}`young_daly.act_one < 1 h`\n"
    )
    (issue,) = prose_numbers.page_issues(page)
    assert issue.startswith(f"{page}:4: `young_daly.act_one < 1 h` no longer holds: young_daly.act_one = 62.0")


def test_addresses_are_found_for_the_record():
    written = "2 * a.x + 3 min > a.x / b.y @ c.d"
    assert relations.relation_addresses(written) == relations.relation_addresses(
        written.replace(" ", "").replace("3min", "3 min")
    )
    assert relations.relation_addresses(written) == ["a.x", "b.y @ c.d"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_pages_state_relations_only_where_they_are_checked(page):
    """Requires every relation in running text: one in a fenced block would not be checked."""
    text = page.read_text("utf-8")
    checked = [w for _, line in prose_numbers.prose_lines(text) for w in relations.ASSERT_ROLE.findall(line)]
    assert checked == re.findall(r"\{mc:assert\}`([^`]+)`", text), page.relative_to(ROOT)
