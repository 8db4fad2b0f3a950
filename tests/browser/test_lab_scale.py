"""The lab on scale: which answers its settings make right, and the single device as the yardstick."""

import pytest
from browser.instruments import Instrument, unlock
from browser.lab_pages import chosen, enter, opened, questions

from mathcore import find

QUESTIONS = questions(find("lab_scale_illusion.lab"))
STEPS, COSTS = "lab_scale_illusion.steps.steps", "lab_scale_illusion.costs.calculator"


@pytest.fixture
def lab(chromium, server):
    """Open the lab with an empty ledger and everything unlocked."""
    opened(chromium, server, "lab_scale_illusion")
    unlock(chromium)
    return chromium


def test_use_decides_no_longer_where_power_is_the_cost(lab):
    cheap = {"K": 20000, "chi": 0, "s": 500, "T": 5, "PUE": 2, "k": 0.3, "p": 1500, "p_0": 0, "u": 100}
    Instrument(lab, COSTS).set(cheap)
    assert chosen(lab, QUESTIONS[3], 2)[0] == "right"


def test_every_option_of_the_predictions_can_be_right():
    for question in (QUESTIONS[0], QUESTIONS[2]):
        states = question.calculator.states(400)
        assert {question.right_at(state) for state in states} == set(range(4))


def test_single_device_is_the_yardstick_and_its_cure_is_a_fleet(lab):
    enter(lab, "single")
    assert chosen(lab, QUESTIONS[0], 1)[0] == "right", "627 devices of twice 313 do the work of about 390"
    instrument = Instrument(lab, STEPS)
    name, devices = instrument.take_way(0)
    assert name == "N" and devices == 383
    assert instrument.texts()["failures"] == []
