"""The page of all audited claims: light, all of it within reach with and without a script, each reason a click away."""

import pytest
from built_site import SITE
from mathbook import claims

from mathcore.library import current_library

PAGE = (SITE / "book/appendices/audited-claims.html").as_uri()
MOST = 6000  # elements that are open
OPEN = "return [...document.querySelectorAll('body *')].filter((each) => !each.closest('details:not([open])')).length"
VISIBLE = """
return [...document.querySelectorAll("tr[data-verdict]")].filter((row) => row.checkVisibility())
  .map((row) => row.dataset.verdict);
"""
STATUS = "return document.querySelector('.mc-filter [role=status]').textContent"
CHOOSE = """
const list = document.querySelector(`[data-filter=${arguments[0]}]`);
list.value = arguments[1];
list.dispatchEvent(new Event("change", { bubbles: true }));
"""


@pytest.fixture(scope="module")
def verdicts():
    """Return the verdict of every claim of the book."""
    return [claim.verdict for name in current_library.names() for _, claim in claims.chapter_claims(name)]


def test_what_holds_is_folded_and_counted(chromium, verdicts):
    page = chromium.open(PAGE)
    holds = sum(verdict in ("reproduced", "rounding") for verdict in verdicts)
    visible = page.run(VISIBLE)
    assert len(verdicts) > len(visible) >= len(verdicts) - holds
    assert page.run("return document.querySelectorAll('tr[data-verdict]').length") == len(verdicts)
    assert page.run(OPEN) <= MOST
    page.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert page.run(OPEN) > MOST  # without the folds it would be too many


def test_chosen_verdict_is_visible_although_it_was_folded(chromium, verdicts):
    page = chromium.open(PAGE)
    page.run(CHOOSE, "verdict", "reproduced")
    visible = page.run(VISIBLE)
    assert len(visible) == verdicts.count("reproduced")
    assert {row.split()[0] for row in visible} == {"reproduced"}
    assert page.run(STATUS).startswith(f"{len(visible)} of")


def test_words_are_searched_in_all_rows(chromium):
    page = chromium.open(PAGE + "?words=44+minutes")
    visible = page.run(VISIBLE)
    assert 0 < len(visible) < 20


def test_a_choice_hides_rows_without_a_script(chromium):
    page = chromium.open(PAGE, scripts=False)
    before = len(page.run(VISIBLE))
    page.run("document.querySelector('[data-filter=verdict]').value = 'wrong'")
    assert 0 < len(page.run(VISIBLE)) < before


def test_reason_of_a_verdict_is_one_click_away(chromium):
    page = chromium.open(PAGE)
    there = page.run("return [...document.querySelectorAll('.mc-reason-link')].map((link) => link.href)")
    pages = {address.partition("#")[0]: [] for address in there}
    for address in there:
        pages[address.partition("#")[0]].append(address.partition("#")[2])
    assert len(pages) == 6
    for address, rows in pages.items():
        page.open(f"{address}#{rows[-1]}")
        without_reason = (
            "return arguments[0].filter((id) => !document.getElementById(id)?.cells[3]?.textContent.trim())"
        )
        assert page.run(without_reason, rows) == []
        page.until(f"document.getElementById('{rows[-1]}').checkVisibility()")
