"""Protects the page of the audited claims: its filter needs no script, each document has a page and a sheet."""

import csv
import io
import re
from collections import Counter

import pytest
from cited_lines import ROOT, TITLES
from mathbook import claims

NAMES = [*TITLES, "claims.papers"]
PAGES = {
    page.stem: page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "book" / "appendices" / "claims").glob("*.md"))
}


@pytest.fixture(scope="module")
def listed():
    return {name: claims.chapter_claims(name) for name in NAMES}


@pytest.fixture(scope="module")
def filters(listed):
    """Return `{list: its choices}` and the styles of the filter."""
    place = claims._filter(listed)
    selects = [node for node in place.children if getattr(node, "attributes", {}).get("tag") == "select"]
    choices = {node["attrs"]["data-filter"]: [option["attrs"]["value"] for option in node.children] for node in selects}
    return choices, place.children[-1].astext()


def test_filter_has_the_five_lists(filters):
    assert list(filters[0]) == ["document", "place", "verdict", "kind", "consequence"]
    assert all(values[0] == "" for values in filters[0].values())


def test_filter_has_every_verdict_that_the_page_explains_once(filters):
    assert filters[0]["verdict"] == ["", *claims.VERDICT_MEANINGS, claims.CONTRADICTED.split()[0]]


def test_page_names_the_kinds_of_slips():
    rule_text = claims._agreement_rule().astext()
    for words in (
        "formula: a formula, or the wrong one for the case.",
        "arithmetic: a sum or product of right inputs.",
        "label: a name on the wrong number.",
    ):
        assert words in rule_text


@pytest.mark.exhaustive
def test_every_choice_leaves_some_rows_and_hides_others(listed, filters):
    rows = [claims.row_attributes(name, statement) for name, found in listed.items() for _, statement in found]
    for name, values in filters[0].items():
        for value in values[1:]:
            left = [row for row in rows if value in values_of(row, name)]
            assert 0 < len(left) < len(rows), f"{name}: {value}"


def values_of(row, name):
    value = row[f"data_{name}"] or ""
    return value.split(" ") if name == "verdict" else [value]


def test_every_choice_hides_by_a_style_of_its_own(filters):
    choices, styles = filters
    for name, values in choices.items():
        for value in values[1:]:
            chosen = re.escape(f'.mc-filter:has(#mc-filter-{name} option[value="{value}"]:checked)')
            hidden = rf'~ section tr\[data-verdict\]:not\(\[data-{name}~?="{re.escape(value)}"\]\)'
            assert re.search(rf"{chosen} {hidden}\{{display:none\}}", styles), f"{name}: {value}"


@pytest.mark.parametrize("name", NAMES)
def test_each_document_has_a_page_with_a_summary_in_the_contents(name):
    [(stem, text)] = [(stem, text) for stem, text in PAGES.items() if f"{{mc:table}} claims {name}\n" in text]
    assert f"file: book/appendices/claims/{stem}\n" in (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert f"<claims/{stem}>" in (ROOT / "book" / "appendices" / "audited-claims.md").read_text(encoding="utf-8")
    summary = text.partition("\n\n")[2].partition(":::")[0]
    assert 40 < len(summary.split()) <= 160


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.exhaustive) for name in TITLES), "claims.papers"]
)
def test_sheet_has_a_row_for_every_claim_and_says_what_the_page_says(name):
    rows = list(csv.DictReader(io.StringIO(claims.claims_csv(name))))
    found = claims.chapter_claims(name)
    assert [row["address"] for row in rows] == [address for address, _ in found]
    assert Counter(row["verdict"] for row in rows) == Counter(statement.verdict for _, statement in found)
    assert [row["as published"] for row in rows] == [statement.quote for _, statement in found]
    assert not re.search(r"\{cite|\]\(", claims.claims_csv(name))
