"""The lab on the full stack: the wall that binds, the date, the cures, a fleet taken over, the ledger."""

import pytest
from browser.instruments import FRAMES, Instrument, follows_python, unlock
from browser.test_lab_serving import ENTER, FEEDBACK, LEDGER, STATUS, quantities
from browser.test_pages import AXE, RUN_AXE

from mathcore import find

PAGE = "book/chapters/lab-full-stack.html"
STACK, DESIGNER = "lab_full_stack.stack", "lab_full_stack.designer"
MEMORY, DATE, COST, WASTE = (each.title for each in find(DESIGNER).failures)
LARGE = {"n": 4096, "D": 10, "t": 36, "B_m": 6000000}
SEALED = f"return document.querySelector(`[data-address='{DESIGNER}']`).classList.contains('mc-sealed')"
KEPT = {"lab_checkpoint_reckoning.designer": {"N": 8192, "m": 30000}}


@pytest.fixture
def lab(chromium, server):
    chromium.open(f"{server}/{PAGE}")
    chromium.run("localStorage.clear()")
    return chromium.open(f"{server}/{PAGE}")


@pytest.mark.parametrize("address", [STACK, DESIGNER])
def test_instrument_follows_python(lab, address):
    failing = follows_python(lab, address, 200)
    assert address == STACK or 0 < failing < 200


@pytest.mark.parametrize("name", ["second_wall", "best_lever", "decision"])
def test_every_option_has_its_own_feedback_and_reaches_the_ledger(lab, name):
    unlock(lab)
    question = find(f"lab_full_stack.{name}")
    for index in range(len(question.options)):
        verdict, said = lab.run(FEEDBACK, question.address, index)
        assert verdict == ("right" if index == question.right else "wrong")
        assert question.text(index)[1] in said
        kept = lab.run(LEDGER)[question.address]
        assert (kept["choice"], kept["right"]) == (index, index == question.right)


@pytest.mark.parametrize(
    ("name", "address", "changes"),
    [
        ("second_wall", STACK, ({}, {"n": 8192, "D": 10}, {"m": 1000, "beta_i": 900})),
        ("best_lever", STACK, ({}, {"beta_i": 25}, {"n": 16384, "beta": 5})),
        ("decision", DESIGNER, ({}, {"t": 30}, {"t": 40}, {"t": 40, "x_t": 4})),
    ],
)
def test_right_option_moves_with_the_fleet(lab, name, address, changes):
    unlock(lab)
    instrument, question = Instrument(lab, address), find(f"lab_full_stack.{name}")
    seen = set()
    for change in changes:
        state = {**instrument.opening, **change}
        instrument.set(state)
        right = question.right_at(quantities(instrument, state))
        assert lab.run(FEEDBACK, question.address, right)[0] == "right"
        seen.add(right)
    assert len(seen) == len(changes)


def test_prediction_locks_the_first_instrument_and_a_guess_the_second(lab):
    closed = "return document.querySelector(`[data-after='lab_full_stack.second_wall']`).hidden"
    assert lab.run(closed) and lab.run(SEALED)
    lab.run(FEEDBACK, "lab_full_stack.second_wall", 2)
    assert not lab.run(closed)
    Instrument(lab, DESIGNER).set({"n": 1024})
    lab.run(f"document.querySelector(`[data-address='{DESIGNER}'] .mc-commit`).click()")
    assert not lab.run(SEALED)
    assert "you committed 1024" in lab.run(LEDGER)[DESIGNER]["says"]


def test_instrument_shown_without_a_guess_stays_open_when_the_ledger_is_written(lab):
    unlock(lab)
    assert not lab.run(SEALED)
    lab.run("mc.ledger.note('somewhere.else', {kind: 'lab'})")
    assert not lab.run(SEALED)


@pytest.mark.parametrize(
    ("title", "change"),
    [
        (MEMORY, {"x_t": 4}),
        (MEMORY, {"x_t": 2, "b": 1}),
        (MEMORY, {"b": 32}),
        (MEMORY, {"n": 64, "b": 5}),
        (DATE, {}),
        (DATE, {"x_t": 4, "H": 141}),
        (DATE, LARGE),
        (DATE, {"n": 1024, "t": 12}),
        (COST, {"c_h": 3}),
        (COST, {"n": 4096, "D": 10}),
        (WASTE, {"n": 4096}),
        (WASTE, {"delta": 20}),
    ],
)
def test_failure_is_cured_by_each_of_its_own_ways(lab, title, change):
    unlock(lab)
    designer = Instrument(lab, DESIGNER)
    state = {**designer.opening, **change}
    designer.set(state)
    titles = [each[0] for each in designer.shown()["failures"]]
    assert title in titles
    place = titles.index(title)
    offered = [i for i, (_, name, _) in enumerate(designer.shown()["ways"][place]) if name]
    assert len(offered) >= 2
    for index in offered:
        designer.set(state)
        name, value = designer.take_way(index, place)
        assert designer.state()[name] == value
        assert title not in [each[0] for each in designer.shown()["failures"]]


@pytest.mark.parametrize("change", [{}, {"t": 20}, {"m": 5000, "t": 10}, {"n": 2048, "D": 5, "t": 25}, LARGE])
def test_devices_that_are_named_are_just_enough(lab, change):
    """Waste and ring come from an estimate, so two steps of the slider fewer must miss the date."""
    unlock(lab)
    designer = Instrument(lab, DESIGNER)
    state = {**designer.opening, **change}
    designer.set(state)
    way = next(each for each in designer.shown()["ways"][0] if each[1] == "n")
    assert not designer.fails(DATE, {**state, "n": way[2]})
    assert designer.fails(DATE, {**state, "n": way[2] - 128})


def test_context_sets_both_instruments_and_the_status_line(lab):
    unlock(lab)
    lab.run(ENTER, "large")
    assert [Instrument(lab, each).state()["n"] for each in (STACK, DESIGNER)] == [4096, 4096]
    assert lab.run(STATUS).startswith("A fleet of thousands") and DATE in lab.run(STATUS)
    lab.run("return new Promise((done) => setTimeout(done, 200))")
    kept = lab.run(LEDGER)["lab_full_stack.lab"]
    assert kept["context"] == "large" and DATE in kept["failures"]
    lab.run(ENTER, "audit")
    assert Instrument(lab, DESIGNER).state()["n"] == 512


def test_fleet_of_the_checkpoint_lab_is_taken_over(lab, server):
    note = "mc.ledger.note('lab_checkpoint_reckoning.lab', {kind: 'lab', title: '', states: arguments[0]})"
    lab.run(note, KEPT)
    lab.open(f"{server}/{PAGE}")
    unlock(lab)
    lab.run(f"document.querySelector(`[data-address='{STACK}'] .mc-start`).click(); return {FRAMES}")
    state = Instrument(lab, STACK).state()
    assert (state["n"], state["m"]) == (8192, 30000)


def test_fleet_of_the_scale_lab_is_taken_over(lab, server):
    states = {
        "lab_scale_steps.steps": {"N": 2048, "beta": 100, "t_due": 60},
        "lab_scale_costs.calculator": {"q": 3, "L": 5},
    }
    note = "mc.ledger.note('lab_scale_illusion.lab', {kind: 'lab', title: 'Scale', states: arguments[0]})"
    lab.run(note, states)
    lab.open(f"{server}/{PAGE}")
    unlock(lab)
    for address in (STACK, DESIGNER):
        from_scale = "[data-from='lab_scale_steps.steps']"
        button = f"document.querySelector(`[data-address='{address}'] .mc-start{from_scale}`)"
        assert lab.run(f"return {button}.textContent") == "Start from your fleet in “Scale”"
        lab.run(f"{button}.click(); return {FRAMES}")
    state = Instrument(lab, DESIGNER).state()
    taken = {"n": 2048, "beta": 100, "t": 60, "c_h": 3, "B_m": 5000000}
    assert {name: state[name] for name in taken} == taken
    state = Instrument(lab, STACK).state()
    assert (state["n"], state["beta"]) == (2048, 100)


def test_reader_of_two_labs_chooses_the_fleet_and_gets_what_it_is_now(lab, server):
    note = "mc.ledger.note(arguments[0], {kind: 'lab', title: arguments[1], states: arguments[2]})"
    lab.run(note, "lab_checkpoint_reckoning.lab", "Checkpoints", KEPT)
    lab.run(note, "lab_scale_illusion.lab", "Scale", {"lab_scale_steps.steps": {"N": 1024, "beta": 25}})
    lab.open(f"{server}/{PAGE}")
    unlock(lab)
    buttons = f"[...document.querySelectorAll(`[data-address='{STACK}'] .mc-start`)]"
    assert sorted(lab.run(f"return {buttons}.map((b) => b.textContent)")) == [
        "Start from your fleet in “Checkpoints”",
        "Start from your fleet in “Scale”",
    ]
    lab.run(note, "lab_scale_illusion.lab", "Scale", {"lab_scale_steps.steps": {"N": 4096, "beta": 25}})
    lab.run(f"{buttons}.find((b) => b.textContent.includes('Scale')).click(); return {FRAMES}")
    assert Instrument(lab, STACK).state()["n"] == 4096


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_page_fits_the_screen_and_axe_finds_nothing(chromium, server, width, dark):
    chromium.open(f"{server}/{PAGE}", width=width, dark=dark)
    unlock(chromium)
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    assert chromium.complaints() == []
    chromium.run(AXE)
    assert chromium.driver.execute_async_script(RUN_AXE) == []
