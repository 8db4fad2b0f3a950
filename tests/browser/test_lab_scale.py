"""The lab on scale, from the first prediction to the ledger, by pointer and by keyboard alone."""

import json

import pytest
from instruments import FRAMES, Instrument, follows_python, unlock
from selenium.webdriver.common.keys import Keys
from test_pages import AXE, RUN_AXE

from mathcore import find, units

PAGE = "book/chapters/lab-scale-illusion.html"
LAB = find("lab_scale_illusion.lab")
QUESTIONS = [p for p in LAB.parts if type(p).__name__ == "Question"]
INSTRUMENTS = ("lab_scale_steps.constants", "lab_scale_steps.steps", "lab_scale_costs.calculator")
STEPS, COSTS = INSTRUMENTS[1:]
ANSWER = """
const box = document.querySelector(`mc-question[data-address="${arguments[0]}"]`);
box.querySelectorAll("input")[arguments[1]].click();
box.querySelector("form").requestSubmit();
const feedback = box.querySelector(".mc-feedback");
return [feedback.dataset.verdict, feedback.textContent];
"""
OPEN = """return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).length"""
TOLD = """
return [...document.querySelectorAll(".mc-story")].filter((s) => !s.hidden).map((s) => s.dataset.context)
"""
LEDGER = "return JSON.stringify(mc.ledger.load())"
CONTEXT = f"document.querySelector(`mc-lab input[value='${{arguments[0]}}']`).click(); return {FRAMES}"


@pytest.fixture
def lab(chromium, server):
    """Open the lab with an empty ledger."""
    chromium.open(f"{server}/{PAGE}")
    chromium.run("localStorage.clear()")
    return chromium.open(f"{server}/{PAGE}")


def quantities(address, state):
    """Return a state of the page as quantities by variable."""
    return {
        s.variable: units.Quantity(state[s.variable.name], units.unit(s.unit)) for s in find(address).sliders
    }


def answer(page, question, index):
    return page.run(ANSWER, question.address, index)


def test_nothing_but_the_prediction_is_open_at_first(lab):
    assert lab.run(OPEN, "mc-explorer") == 0
    answer(lab, QUESTIONS[0], 2)
    assert lab.run(OPEN, "mc-explorer") == 2
    answer(lab, QUESTIONS[2], 0)
    assert lab.run(OPEN, "mc-explorer") == 3


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)
def test_each_option_has_its_feedback_and_one_is_right(lab, question):
    unlock(lab)
    verdicts = []
    for index in range(len(question.options)):
        verdict, text = answer(lab, question, index)
        verdicts.append(verdict)
        assert question.text(index)[1] in text
    assert verdicts.index("right") == question.right and verdicts.count("right") == 1


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)
def test_right_option_and_words_follow_the_sliders(lab, question):
    unlock(lab)
    instrument = Instrument(lab, question.of.address)
    seen = set()
    for state in instrument.random_states(60):
        instrument.set(state)
        verdict, text = answer(lab, question, 0)
        right = question.right_at(quantities(question.of.address, state))
        assert (verdict == "right") == (right == 0), state
        assert question.text(right, quantities(question.of.address, state))[1] in text
        seen.add(right)
    assert len(seen) > 1 or question is QUESTIONS[3]  # the key moves


def test_use_decides_no_longer_where_power_is_the_cost(lab):
    unlock(lab)
    cheap = {"K": 20000, "chi": 0, "s": 500, "T": 5, "PUE": 2, "k": 0.3, "p": 1500, "p_0": 0, "u": 100}
    Instrument(lab, COSTS).set(cheap)
    assert answer(lab, QUESTIONS[3], 2)[0] == "right"


def test_every_option_of_the_predictions_can_be_right():
    for question in (QUESTIONS[0], QUESTIONS[2]):
        states = question.of.states(400)
        assert {question.right_at(state) for state in states} == set(range(4))


@pytest.mark.parametrize("address", INSTRUMENTS)
def test_every_number_is_what_python_computes(lab, address):
    failing = follows_python(lab, address, 200)
    assert (0 < failing < 200) == bool(find(address).failures)
    assert lab.complaints() == []


def test_missed_date_is_cured_by_each_way_the_page_offers(lab):
    unlock(lab)
    instrument = Instrument(lab, STEPS)
    missed = {**instrument.opening, "N": 360}
    ways = instrument.shown_at(missed)["ways"][0]
    assert len([w for w in ways if w[1]]) == 5
    for index, (_, name, _) in enumerate(ways):
        instrument.set(missed)
        if name:
            instrument.take_way(index)
            assert instrument.shown()["failures"] == [], name


def test_broken_budget_is_cured_by_each_way_the_page_offers(lab):
    unlock(lab)
    instrument = Instrument(lab, COSTS)
    busy = {**instrument.opening, "u": 100}
    shown = instrument.shown_at(busy)
    assert shown["failures"][0][0] == "The plan breaks the budget"
    cures = {name for _, name, _ in shown["ways"][0] if name}
    assert cures == {"y", "u", "N", "T", "q", "L"}
    for index, (_, name, _) in enumerate(shown["ways"][0]):
        instrument.set(busy)
        if name:
            instrument.take_way(index)
            assert instrument.shown()["failures"] == [], name


def test_contexts_set_all_instruments_and_change_the_story(lab):
    unlock(lab)
    for name, context in (*LAB.contexts.items(), ("fleet", LAB.contexts["fleet"])):
        lab.run(CONTEXT, name)
        for address in INSTRUMENTS:
            state = quantities(address, Instrument(lab, address).state())
            for variable, stated in context.sets.items():
                if variable in state:
                    assert state[variable].m_as(units.unit(variable.unit)) == pytest.approx(
                        units.quantity(stated).m_as(units.unit(variable.unit))
                    )
        told = lab.run(TOLD)
        assert set(told) == {name} and len(told) >= 2
        assert lab.run("return document.querySelector('.mc-hud').textContent").startswith(context.label)


def test_single_device_is_the_yardstick_and_its_cure_is_a_fleet(lab):
    unlock(lab)
    lab.run(CONTEXT, "single")
    assert answer(lab, QUESTIONS[0], 0)[0] == "right"
    instrument = Instrument(lab, STEPS)
    name, devices = instrument.take_way(0)
    assert name == "N" and 300 < devices < 500
    assert instrument.shown()["failures"] == []


def test_answers_and_outcomes_are_in_the_ledger_and_come_back(lab, server):
    for question in QUESTIONS:
        answer(lab, question, question.right)
    lab.run(CONTEXT, "single")
    lab.run("return new Promise((done) => setTimeout(done, 300))")
    kept = json.loads(lab.run(LEDGER))
    kept = kept.get("entries", kept)
    for question in QUESTIONS:
        assert kept[question.address]["choice"] == question.right
    entry = kept[LAB.address]
    assert entry["context"] == "single" and entry["failures"] == ["The date is missed"]
    assert [each["label"] for each in entry["outcomes"]] == [o.label for o in LAB.outcomes]
    assert set(entry["states"]) == set(INSTRUMENTS)
    lab.open(f"{server}/{PAGE}")
    assert lab.run(OPEN, "mc-explorer") == 3
    assert Instrument(lab, STEPS).state()["N"] == 1
    assert "✓" in lab.run("return document.querySelector('.mc-hud').textContent")


def test_lab_by_keyboard_alone(lab):
    radio = lab.driver.find_element(
        "css selector", f"mc-question[data-address='{QUESTIONS[0].address}'] input"
    )
    lab.run("arguments[0].focus()", radio)
    radio.send_keys(Keys.ARROW_DOWN)
    lab.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    assert lab.run(OPEN, "mc-explorer") == 2
    slider = lab.driver.find_element("id", "lab-scale-steps-steps-N")
    lab.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.HOME)
    lab.run("return " + FRAMES)
    way = lab.driver.find_element("css selector", "mc-explorer[data-address='lab_scale_steps.steps'] .mc-way")
    lab.run("arguments[0].focus()", way)
    way.send_keys(Keys.ENTER)
    lab.run("return " + FRAMES)
    assert Instrument(lab, STEPS).shown()["failures"] == []
    assert lab.driver.switch_to.active_element.get_attribute("id") == "lab-scale-steps-steps-N"


def test_without_scripts_everything_is_open_and_complete(chromium, server):
    chromium.open(f"{server}/{PAGE}", scripts=False)
    try:
        boxes = chromium.driver.find_elements("css selector", "mc-explorer, mc-question, .mc-story")
        assert len(boxes) >= 10 and all(box.is_displayed() for box in boxes)
        text = chromium.driver.find_element("css selector", "article").text
        assert "443" in text and "33.1" in text and "Right." in chromium.driver.page_source
    finally:
        chromium.open("about:blank")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_open_lab_is_accessible_and_fits(chromium, server, width, dark):
    chromium.open(f"{server}/{PAGE}", width=width, dark=dark)
    chromium.run("localStorage.clear()")
    chromium.open(f"{server}/{PAGE}", width=width, dark=dark)
    for question in QUESTIONS:
        answer(chromium, question, 1)
    chromium.run(CONTEXT, "single")  # with a failure on the page
    chromium.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    chromium.run(AXE)
    assert chromium.driver.execute_async_script(RUN_AXE) == []
