"""The browser of a reader of 0.1.0 on the site of now, in Chromium: marks, ledger and edits are there."""

import json
import re
from collections import Counter

import pytest
from browser.case_selection import seldom
from built_site import ROOT
from mathbook import redirects

from mathcore.library import current_library
from mathcore.redirects import successor

FORMER = ROOT / "tests" / "data" / "0.1.0"
STORES = json.loads((FORMER / "stores.json").read_text("utf-8"))
CELLS = redirects.load_redirects(ROOT / "book" / "redirects.json")["cells"]
MARKS = """
return Object.fromEntries([...document.querySelectorAll("mc-exercise, mc-task")].map((each) =>
  [each.dataset.address, [each.querySelector(".mc-mark"), each.querySelector(".mc-input")]])
  .map(([address, [mark, input]]) => [address, [mark && mark.dataset.mark, input && input.value]]))
"""
TABLES = """
return [...document.querySelectorAll("table.mc-report")].map((table) =>
  [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)))
"""
EXERCISES = {  # one address of 0.1.0 that has not changed, one module in a chapter's folder, one in another chapter
    "young_daly.ex_interval": "young-daly",
    "trillion.ex_write": "fleet-checkpointing",
    "training_memory.ex_state": "parallelism",
}


@pytest.fixture
def returned(chromium, server):
    """Return the function that opens the site in a browser with these stores."""

    def open_(stores, page="book/index.html"):
        chromium.open(f"{server}/404.html", fresh=True)
        chromium.run("for (const [key, text] of Object.entries(arguments[0])) localStorage.setItem(key, text)", stores)
        return chromium.open(f"{server}/{page}")

    yield open_
    chromium.run("localStorage.clear()")


def done():
    """Return `{address of 0.1.0: entry}` of what was tried, from the store and what 0.1.0 had set aside."""
    texts = [text for key, text in STORES.items() if key.startswith("mc.progress.v1")]
    return {address: entry for text in texts for address, entry in json.loads(text)["done"].items()}


def unmarked(page, server):
    """Return the exercises that are not marked as they were, or whose field has another answer."""
    lost = []
    for old, chapter in EXERCISES.items():
        page.open(f"{server}/book/chapters/{chapter}/exercises.html")
        entry, marks = done()[old], page.run(MARKS)
        mark = "right" if entry["right"] else "tried" if entry["tries"] else ""
        lost += [old] if marks[successor(old, current_library.redirects)] != [mark, entry["answer"]] else []
    return lost


def unreported(page, server):
    """Return the first answers that the page of the ledger printed in 0.1.0 and prints no more.

    Titles and the words of options may change, letters of options and numbers may not.
    """
    page.open(f"{server}/book/chapters/ledger.html")
    now = answers_of(page.run(TABLES))
    former = json.loads((FORMER / "report.json").read_text("utf-8"))
    return [*(answers_of(former) - now).elements()]


def answers_of(tables):
    """Count the first answers in reports, options by their letter."""
    return Counter(re.sub(r"^([A-H]): .*", r"\1", row[1]) for table in tables for row in table)


def test_marks_and_answers_of_exercises_are_there(returned, server):
    assert unmarked(returned(STORES), server) == []
    keys = returned(STORES).run("return Object.keys(localStorage)")
    assert [key for key in keys if key.startswith(("mc.progress.v1", "mc.ledger.v1", "mc.live./"))] == []


def test_ledger_reports_what_it_did(returned, server):
    assert unreported(returned(STORES), server) == []


@pytest.mark.parametrize("old", seldom(list(CELLS), (), 6))
def test_edited_cell_is_shown_on_its_page(returned, old):
    text = STORES[f"mc.live./{old}.html.0"]
    assert edited(returned(STORES, f"{old}.html"), CELLS[old][0]) == text


def edited(page, name):
    """Return the code of a reader in the cell called `name`, on the page to which the old address led."""
    page.until("document.documentElement.hasAttribute('data-live') && !document.getElementById('mc-to')")
    page.rest()
    return page.run(
        "const cell = [...document.querySelectorAll('script.mc-live')].find((each) => JSON.parse(each.textContent).name"
        " === arguments[0]); return cell && (cell.closest('.cell').querySelector('textarea') || {}).value",
        name,
    )


def test_loss_is_found(returned, server):
    page = returned({key: text.replace("trillion.", "lost.") for key, text in STORES.items()})
    assert unmarked(page, server) == ["trillion.ex_write"]
    ledger = {"mc.ledger.v1": STORES["mc.ledger.v1"].replace("lab_serving.guess_price", "lost.guess")}
    assert unreported(returned(ledger), server) != []
