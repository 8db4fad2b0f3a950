"""The lab on checkpoints, in Chromium: predict, look, be corrected, design, and find it in the ledger."""

import pytest
from browser.instruments import Instrument, unlock
from browser.lab_pages import LEDGER, REPORT, STATUS, commit, enter, feedback, made, opened, part, within
from built_site import page_with
from selenium.webdriver.common.keys import Keys

from mathcore import find, units

LAB = "lab_checkpoint_reckoning"
EXPLORER, DESIGNER = f"{LAB}.explorer", f"{LAB}.designer"
VISIBLE = "return arguments[0].checkVisibility()"


@pytest.fixture
def lab(chromium, server):
    """Open the lab with an empty ledger."""
    return opened(chromium, server, LAB)


def visible(page, address, selector="*"):
    """Return whether an instrument shows a part of it."""
    return page.run(VISIBLE, within(page, address, selector)[0])


def test_instruments_have_the_ranges_of_the_seed():
    ranges = {s.variable.name: s for s in find(DESIGNER).sliders}
    seed = {
        "N": (1024, 32768, 1024, 16384),
        "m": (50, 500, 10, 200),
        "S": (0.1, 5, 0.1, 2),
        "b": (50, 2000, 50, 400),
        "h": (1, 60, 1, 10),
    }
    for name, (low, high, step, default) in seed.items():
        own = ranges[name]
        assert own.low <= low and own.high >= high and own.default == default
        steps = [(low - own.low) / own.step, step / own.step]
        assert all(abs(each - round(each)) < 1e-9 for each in steps), f"{name}: every position of the seed is one here"


# ---------------------------------------------------------------- from the first prediction to the ledger


def test_the_whole_lab_by_pointer(lab, server):
    address = f"{LAB}.often"
    assert lab.run(VISIBLE, part(lab, EXPLORER)) is False
    commit(lab, address, 1)
    assert feedback(lab, address).startswith("Right.")
    assert lab.run(VISIBLE, part(lab, EXPLORER)) is False, "it would show what the habit costs"
    within(lab, f"{LAB}.guess_waste", ".mc-input")[0].send_keys("20 %", Keys.ENTER)
    assert lab.run(VISIBLE, part(lab, EXPLORER)) is True
    assert visible(lab, EXPLORER, "[data-part=plot]") is False, "the curve before the guess"
    within(lab, EXPLORER, ".mc-commit")[0].click()
    assert visible(lab, EXPLORER, "[data-part=plot]") is True
    assert "you lose 27\u202f% more" in made(lab, EXPLORER)[0]["says"]
    commit(lab, f"{LAB}.growth", 0)
    within(lab, f"{LAB}.guess_fleet", ".mc-input")[0].send_keys("44 min", Keys.ENTER)
    assert "seconds were read as minutes" in feedback(lab, f"{LAB}.guess_fleet")
    commit(lab, f"{LAB}.every", 2)
    assert "Not this one" in feedback(lab, f"{LAB}.every")
    assert lab.run(VISIBLE, part(lab, DESIGNER)) is True
    commit(lab, f"{LAB}.why_async", 1)
    lab.open(f"{server}/{LEDGER}")
    for words in ("you lose 27\u202f% more", "✗ not right", "✓ right"):
        assert words in lab.text(REPORT)


# ---------------------------------------------------------------- contexts, and the ledger elsewhere


def test_context_makes_another_answer_right():
    sets = {n: c.sets for n, c in find(f"{LAB}.lab").contexts.items()}

    def right(question, name):
        state = {v: units.quantity(x, v.name) for v, x in sets[name].items() if v in question.givens}
        return question.right_at(state)

    assert [right(find(f"{LAB}.often"), name) for name in ("told", "small", "large")] == [1, 1, 2]
    assert [right(find(f"{LAB}.every"), name) for name in ("told", "small", "large")] == [4, 3, 2]


def test_large_cluster_is_there_again_and_a_later_instrument_starts_from_it(lab, server):
    unlock(lab)
    enter(lab, "large")
    lab.open(lab.driver.current_url.partition("?")[0])
    assert Instrument(lab, DESIGNER).state()["m"] == 50680
    assert "Large cluster" in lab.text(STATUS)
    lab.open(
        f"{server}/{page_with('fleet-checkpointing-trillion-designer', 'book/chapters/fleet-checkpointing/index.html')}"
    )
    within(lab, "fleet_checkpointing.trillion.designer", ".mc-start")[0].click()
    lab.rest()
    state = Instrument(lab, "fleet_checkpointing.trillion.designer").state()
    assert (state["N"], state["m"], state["b"], state["R"]) == (16384, 50600, 200, 5)
