"""What holds for every lab: by keyboard alone, without JavaScript, into the ledger, out of it and back."""

import json

import pytest
from browser.instruments import unlock
from browser.lab_pages import (
    answered,
    commit,
    cured,
    exported,
    imported,
    ledger,
    opened,
    press,
    within,
)

from mathcore import find
from mathcore.teaching import Explorer, Question
from mathcore.units import quantity_text

LABS = {
    "lab_checkpoint_reckoning": "lab-checkpoint-reckoning",
    "lab_scale_illusion": "lab-scale-illusion",
    "lab_serving": "lab-serving",
    "lab_full_stack": "lab-full-stack",
}
BROKEN = ("{not json", '{"version": 1, "entries": [1]}', '{"version": 9, "entries": {}}')
LEDGER = "book/chapters/ledger.html"
REPORT = "return document.querySelector('.mc-ledger').textContent"


@pytest.fixture(params=LABS)
def lab(request):
    """Return a lab."""
    return find(f"{request.param}.lab")


@pytest.fixture
def page(lab, chromium, server):
    """Open the lab's page with an empty storage."""
    return opened(chromium, server, address(lab))


def address(lab):
    return f"book/chapters/{LABS[lab.address.partition('.')[0]]}.html"


def questions(lab):
    return [each for each in lab.parts if isinstance(each, Question)]


def plain(text):
    return " ".join(text.split())


@pytest.mark.parametrize("lab", ["lab_serving", "lab_full_stack"], indirect=True)
def test_lab_is_done_by_keyboard_alone_from_the_first_prediction_to_the_ledger(lab, page, server):
    first = next(each for each in lab.parts if isinstance(each, Explorer))
    assert not within(page, first.address, ".mc-sliders")[0].is_displayed(), "open before the prediction"
    chosen, taken = {}, 0
    for each in lab.parts:
        chosen[each.address] = answered(page, each.address)
        if isinstance(each, Explorer):
            taken += cured(page, each.address)
    page.run("return new Promise((done) => setTimeout(done, 200))")
    kept = ledger(page)
    for each in questions(lab):
        assert (kept[each.address]["choice"], kept[each.address]["right"]) == (chosen[each.address], True)
    assert kept[lab.address]["failures"] == [] and taken > 0
    assert "no limit hit" in page.run("return document.querySelector('.mc-hud').textContent")
    page.open(f"{server}/{LEDGER}")
    report = page.run(REPORT)
    for words in (lab.title, "✓ right", "none hit", *(each.label for each in lab.outcomes)):
        assert words in report
    guesses = sum(bool(each.commit) for each in lab.explorers)  # a slider left as it was is no good guess
    assert report.count("✗ not right") <= guesses


def test_without_javascript_everything_is_there_and_open(lab, chromium, server):
    chromium.open(f"{server}/{address(lab)}", scripts=False)
    text = plain(chromium.driver.find_element("css selector", "article").text)
    for each in questions(lab):
        for index in range(len(each.options)):
            assert plain(each.text(index)[0]) in text
    for each in lab.explorers:
        for card in each.cards:
            found = card.formula.at({v: each.defaults[v] for v in card.formula.inputs})
            assert card.label in text and plain(quantity_text(found, card.unit, card.digits)) in text
        for failure in each.failures:
            fails = failure.gap.at({v: each.defaults[v] for v in failure.gap.inputs}).magnitude > 0
            assert (failure.title in text) == fails
    assert "without an answer" not in text, "a lock is closed"
    chromium.open("about:blank")


def test_ledger_is_exported_wiped_and_imported(lab, page, server):
    unlock(page)
    first = questions(lab)[0].address
    commit(page, first, 1)
    page.run("document.querySelector('mc-explorer input[type=range]').click()")
    page.run("return new Promise((done) => setTimeout(done, 200))")
    page.open(f"{server}/{LEDGER}")
    text, before = exported(page), ledger(page)
    assert json.loads(text)["entries"] == before and {first, lab.address} <= before.keys()
    assert lab.title in page.run(REPORT)
    press(page, "Wipe")
    assert ledger(page) == {} and "is empty" in page.run(REPORT)
    imported(page, text)
    assert ledger(page) == before and lab.title in page.run(REPORT)
    imported(page, "{not json")
    assert ledger(page) == before
    page.open(f"{server}/{address(lab)}")
    assert within(page, first, "input:checked"), "the answer stands there again"


@pytest.mark.parametrize("text", BROKEN)
def test_corrupt_ledger_is_set_aside_and_survived(lab, page, server, text):
    page.run("localStorage.setItem('mc.ledger.v1', arguments[0])", text)
    page.open(f"{server}/{address(lab)}")
    first = questions(lab)[0].address
    commit(page, first, 1)
    assert ledger(page)[first]["choice"] == 1
    assert text in page.run("return Object.values(localStorage)")
    assert page.complaints() == []
