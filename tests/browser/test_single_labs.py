"""What single labs do: remedies that are offered or not, answers that settings make right, a fleet taken over."""

import pytest
from browser.calculator_element import CalculatorElement, unlock
from browser.lab_pages import STATUS, answer_all, chosen, enter, made, note, opened, questions
from built_site import page_with

from mathcore import find

STACK, DESIGNER = "lab_full_stack.stack", "lab_full_stack.designer"
DATE = find(DESIGNER).failures[1].title
LARGE = {"n": 4096, "D": 10, "t": 36, "B_m": 6000000}
SEALED = f"return document.querySelector(`[data-address='{DESIGNER}']`).classList.contains('mc-locked')"
RECKONING, SCALE = "lab_checkpoint_reckoning.lab", "lab_scale_illusion.lab"
SAVED_STATES = {"lab_checkpoint_reckoning.designer": {"N": 8192, "m": 30000}}
SCALE_QUESTIONS = questions(find(SCALE))
STEPS, COSTS = "lab_scale_illusion.steps.steps", "lab_scale_illusion.costs.calculator"


@pytest.fixture
def lab(chromium, server):
    """Open the lab on the full stack with an empty ledger."""
    return opened(chromium, server, "lab_full_stack")


def unlocked(chromium, server, name):
    """Open a lab with an empty ledger and everything unlocked."""
    page = opened(chromium, server, name)
    unlock(page)
    return page


def test_no_batch_is_offered_where_the_caches_alone_exceed_the_memory(chromium, server):
    designer = CalculatorElement(unlocked(chromium, server, "lab_serving"), "lab_serving.designer")
    designer.set({**designer.opening, "S": 16384, "B": 32, "p_b": 0.6})
    ways = designer.texts()["ways"][0]
    assert ways and "B" not in [name for _, name, _ in ways]
    assert not any("Admit" in says for says, _, _ in ways)


def test_chat_product_meets_its_limits_by_its_batch_alone(chromium, server):
    page = unlocked(chromium, server, "lab_serving")
    answer_all(page, find("lab_serving.lab"))
    designer = CalculatorElement(page, "lab_serving.designer")
    designer.take_way([name for _, name, _ in designer.texts()["ways"][0]].index("B"))
    assert designer.state()["B"] == 103 and designer.texts()["failures"] == []
    assert "no limit hit" in page.text(STATUS)


def test_utilisation_decides_no_longer_where_power_is_the_cost(chromium, server):
    page = unlocked(chromium, server, "lab_scale_illusion")
    cheap = {"K": 20000, "chi": 0, "s": 500, "T": 5, "PUE": 2, "k": 0.3, "p": 1500, "p_0": 0, "u": 100}
    CalculatorElement(page, COSTS).set(cheap)
    assert chosen(page, SCALE_QUESTIONS[3], 2)[0] == "right"


def test_every_option_of_the_predictions_can_be_right():
    for question in (SCALE_QUESTIONS[0], SCALE_QUESTIONS[2]):
        assert {question.right_at(state) for state in question.calculator.states(400)} == set(range(4))


def test_deadline_of_a_single_device_is_met_by_a_fleet(chromium, server):
    page = unlocked(chromium, server, "lab_scale_illusion")
    enter(page, "single")
    assert chosen(page, SCALE_QUESTIONS[0], 1)[0] == "right", "627 devices of twice 313 do the work of about 390"
    calculator = CalculatorElement(page, STEPS)
    assert calculator.take_way(0) == ("N", 383) and calculator.texts()["failures"] == []


def starts(page, address):
    """Return what the buttons of a calculator say that take a fleet over."""
    buttons = f"[...document.querySelectorAll(`[data-address='{address}'] .mc-start`)]"
    return sorted(page.run(f"return {buttons}.map((b) => b.textContent)"))


def start(page, address, words=""):
    """Press the button with this text."""
    buttons = f"[...document.querySelectorAll(`[data-address='{address}'] .mc-start`)]"
    page.run(f"{buttons}.find((b) => b.textContent.includes(arguments[0])).click()", words)
    page.rest()


def test_guess_opens_the_second_calculator(lab):
    assert lab.run(SEALED)
    chosen(lab, find("lab_full_stack.second_wall"), 2)
    CalculatorElement(lab, DESIGNER).set({"n": 1024})
    lab.run(f"document.querySelector(`[data-address='{DESIGNER}'] .mc-commit`).click()")
    assert not lab.run(SEALED)
    assert "you committed 1,024" in made(lab, DESIGNER)[0]["says"]


def test_calculator_shown_without_a_guess_stays_open_when_the_ledger_is_written(lab):
    unlock(lab)
    assert not lab.run(SEALED)
    note(lab, "somewhere.else")
    assert not lab.run(SEALED)


@pytest.mark.parametrize("change", [{}, {"t": 20}, {"m": 5000, "t": 10}, {"n": 2048, "D": 5, "t": 25}, LARGE])
def test_devices_that_are_named_are_just_enough(lab, change):
    """One step of the slider fewer misses the date."""
    unlock(lab)
    designer = CalculatorElement(lab, DESIGNER)
    state = {**designer.opening, **change}
    designer.set(state)
    way = next(each for each in designer.texts()["ways"][0] if each[1] == "n")
    assert not designer.fails(DATE, {**state, "n": way[2]})
    assert designer.fails(DATE, {**state, "n": way[2] - 64})


def test_fleet_of_the_checkpoint_lab_is_taken_over(lab):
    note(lab, RECKONING, states=SAVED_STATES)
    lab.reload()
    unlock(lab)
    start(lab, STACK)
    state = CalculatorElement(lab, STACK).state()
    assert (state["n"], state["m"]) == (8192, 30000)


def test_large_cluster_is_there_again_and_a_later_calculator_starts_from_it(chromium, server):
    """In the units of the other calculator: 50,680 GPU-hours are 50,600 there, the step of its slider."""
    page = unlocked(chromium, server, "lab_checkpoint_reckoning")
    enter(page, "large")
    page.open(page.driver.current_url.partition("?")[0])
    assert CalculatorElement(page, "lab_checkpoint_reckoning.designer").state()["m"] == 50680
    assert "Large cluster" in page.text(STATUS)
    later = "fleet_checkpointing.trillion.designer"
    chapter = "book/chapters/fleet-checkpointing/index.html"
    page.open(f"{server}/{page_with(later.replace('_', '-').replace('.', '-'), chapter)}")
    start(page, later)
    state = CalculatorElement(page, later).state()
    assert (state["N"], state["m"], state["b"], state["R"]) == (16384, 50600, 200, 5)


def test_fleet_of_the_scale_lab_is_taken_over(lab):
    states = {
        "lab_scale_illusion.steps.steps": {"N": 2048, "beta": 100, "t_due": 60},
        "lab_scale_illusion.costs.calculator": {"q": 3, "L": 5},
    }
    note(lab, SCALE, "Scale", states=states)
    lab.reload()
    unlock(lab)
    for address in (STACK, DESIGNER):
        assert "Start from your fleet in “Scale”" in starts(lab, address)
        start(lab, address, "Scale")
    taken = {"n": 2048, "beta": 100, "t": 60, "c_h": 3, "B_m": 5000000}
    state = CalculatorElement(lab, DESIGNER).state()
    assert {name: state[name] for name in taken} == taken
    state = CalculatorElement(lab, STACK).state()
    assert (state["n"], state["beta"]) == (2048, 100)


def test_reader_of_two_labs_chooses_the_fleet_and_gets_what_it_is_now(lab):
    note(lab, RECKONING, "Checkpoints", states=SAVED_STATES)
    note(lab, SCALE, "Scale", states={"lab_scale_illusion.steps.steps": {"N": 1024, "beta": 25}})
    lab.reload()
    unlock(lab)
    assert starts(lab, STACK) == ["Start from your fleet in “Checkpoints”", "Start from your fleet in “Scale”"]
    note(lab, SCALE, "Scale", states={"lab_scale_illusion.steps.steps": {"N": 4096, "beta": 25}})
    start(lab, STACK, "Scale")
    assert CalculatorElement(lab, STACK).state()["n"] == 4096
