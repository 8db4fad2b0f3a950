"""The lab on checkpoints, in Chromium: predict, look, be corrected, design, and find it in the ledger."""

import pytest
from browser.instruments import FRAMES, Instrument, follows_python, unlock
from browser.lab_pages import commit, feedback, ledger, part, state_of, to, within
from browser.test_pages import AXE, RUN_AXE
from selenium.webdriver.common.keys import Keys

from mathcore import find, units

LAB, PAGE = "lab_checkpoint_reckoning", "book/chapters/lab-checkpoint-reckoning.html"
EXPLORER, DESIGNER = f"{LAB}.explorer", f"{LAB}.designer"
QUESTIONS = [f"{LAB}.{name}" for name in ("often", "growth", "every", "why_async")]
STATUS = "return document.querySelector('.mc-hud').textContent"
STORIES = (
    "return [...document.querySelectorAll('.mc-story')].filter((s) => s.checkVisibility())"
    ".map((s) => s.dataset.context)"
)
VISIBLE = "return arguments[0].checkVisibility()"
SIZES = ((1280, False), (390, True))


@pytest.fixture
def lab(chromium, server):
    """Open the lab with an empty ledger."""
    chromium.open(f"{server}/{PAGE}")
    chromium.run("localStorage.clear()")
    return chromium.open(f"{server}/{PAGE}")


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("address", [EXPLORER, DESIGNER])
def test_every_number_of_an_instrument_is_pythons_at_200_states(lab, address):
    failing = follows_python(lab, address, 200)
    assert address == EXPLORER or 10 < failing < 190, "states with and without a failure"


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
        assert all(abs(each - round(each)) < 1e-9 for each in steps), (
            f"{name}: every position of the seed is one here"
        )


# ---------------------------------------------------------------- from the first prediction to the ledger


def test_the_whole_lab_by_keyboard_alone(lab, server):
    def choose(name, moves):
        to(lab, f"#{name} .mc-option input").send_keys(Keys.SPACE, *[Keys.ARROW_DOWN] * moves)
        to(lab, f"#{name} .mc-check").send_keys(Keys.ENTER)

    own = "lab-checkpoint-reckoning"
    to(lab, "mc-lab input[type=radio]").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    to(lab, f"#{own}-guess-waste .mc-input").send_keys("16.5 %", Keys.ENTER)
    assert lab.run(f"return document.querySelector('#{own}-explorer').checkVisibility()") is False
    choose(f"{own}-often", 1)
    slider = to(lab, f"#{own}-explorer [data-input=tau] input[type=range]")
    slider.send_keys(*[Keys.ARROW_RIGHT] * 6)
    to(lab, f"#{own}-explorer .mc-commit").send_keys(Keys.ENTER)
    choose(f"{own}-growth", 1)
    to(lab, f"#{own}-guess-fleet .mc-input").send_keys("44 s", Keys.ENTER)
    choose(f"{own}-every", 4)
    to(lab, f"#{own}-designer .mc-way").send_keys(Keys.ENTER)
    choose(f"{own}-why-async", 1)
    kept = ledger(lab)
    assert [kept[address]["choice"] for address in QUESTIONS] == [1, 1, 4, 1]
    assert all(kept[address]["right"] for address in QUESTIONS[1:]), kept
    assert kept[EXPLORER]["right"] and "60" in kept[EXPLORER]["says"]
    assert lab.run("return document.querySelectorAll('.mc-failure').length") == 0
    assert "no limit hit" in lab.run(STATUS)
    lab.open(f"{server}/book/chapters/ledger.html")
    report = lab.run("return document.querySelector('.mc-ledger').textContent")
    assert (
        "The checkpoint reckoning: As told" in report and "None of these" in report and "none hit" in report
    )


def test_the_whole_lab_by_pointer(lab, server):
    address = f"{LAB}.often"
    assert lab.run(VISIBLE, part(lab, EXPLORER)) is False
    commit(lab, address, 1)
    assert feedback(lab, address).startswith("Right.")
    assert lab.run(VISIBLE, part(lab, EXPLORER)) is True
    assert lab.run(VISIBLE, within(lab, EXPLORER, "[data-part=plot]")[0]) is False, (
        "the curve before the guess"
    )
    within(lab, EXPLORER, ".mc-commit")[0].click()
    assert lab.run(VISIBLE, within(lab, EXPLORER, "[data-part=plot]")[0]) is True
    assert "2.07 times too small" in ledger(lab)[EXPLORER]["says"]
    commit(lab, f"{LAB}.growth", 0)
    answer = within(lab, f"{LAB}.guess_fleet", ".mc-input")[0]
    answer.send_keys("44 min", Keys.ENTER)
    assert "seconds were read as minutes" in feedback(lab, f"{LAB}.guess_fleet")
    commit(lab, f"{LAB}.every", 2)
    assert "Not this one" in feedback(lab, f"{LAB}.every")
    assert lab.run(VISIBLE, part(lab, DESIGNER)) is True
    commit(lab, f"{LAB}.why_async", 1)
    lab.open(f"{server}/book/chapters/ledger.html")
    report = lab.run("return document.querySelector('.mc-ledger').textContent")
    assert "2.07 times too small" in report and "✗ not right" in report and "✓ right" in report


@pytest.mark.parametrize("address", QUESTIONS)
def test_each_option_has_its_feedback_with_the_numbers_of_now(lab, address):
    question = find(address)
    unlock(lab)
    for index in range(len(question.options)):
        commit(lab, address, index)
        state = state_of(lab, question)
        right = question.right_at(state)
        said = feedback(lab, address)
        assert said.startswith("Right." if index == right else "Not this one."), said
        assert question.text(index, state)[1] in said
        assert question.text(right, state)[1] in said, "who is wrong is told what is right"
        assert ledger(lab)[address]["choice"] == index


def test_right_option_moves_with_the_sliders(lab):
    question = find(f"{LAB}.often")
    commit(lab, question.address, 1)
    explorer = Instrument(lab, EXPLORER)
    seen = set()
    for state in explorer.random_states(40):
        explorer.set(state)
        right = question.right_at(state_of(lab, question))
        assert feedback(lab, question.address).startswith("Right." if right == 1 else "Not this one."), state
        seen.add(right)
    assert len(seen) >= 3


# ---------------------------------------------------------------- failures and their ways out

AT = {
    "The stalls are over the budget": {},
    "The interval is shorter than the write": {"a": 0, "b": 50},
    "The fleet fails before a checkpoint is written": {"b": 20, "tau_f": 7200},
    "The fleet fails before it is up again": {"R": 5},
}


@pytest.mark.parametrize("title", AT)
def test_each_failure_is_reached_and_cured_by_each_of_its_ways(lab, title):
    unlock(lab)
    designer = Instrument(lab, DESIGNER)
    start = {**designer.opening, **AT[title]}
    designer.set(start)
    titles = [shown[0] for shown in designer.shown()["failures"]]
    ways = designer.shown()["ways"][titles.index(title)]
    assert title in lab.run(STATUS)
    taken = 0
    for index, (_, name, _) in enumerate(ways):
        if name is None:
            continue
        designer.set(start)
        name, value = designer.take_way(index, titles.index(title))
        assert title not in [shown[0] for shown in designer.shown()["failures"]], (name, value)
        assert designer.state()[name] == value and not designer.fails(title, designer.state())
        taken += 1
    assert taken >= 2


# ---------------------------------------------------------------- contexts


@pytest.mark.parametrize("name", ["small", "large", "told"])
def test_a_context_sets_every_input_and_tells_its_own_story(lab, name):
    entity = find(f"{LAB}.lab")
    unlock(lab)
    lab.run(f"document.querySelector('mc-lab input[value={name}]').click(); return {FRAMES}")
    for address in (EXPLORER, DESIGNER):
        instrument = Instrument(lab, address)
        wanted = entity.spec()["contexts"][list(entity.contexts).index(name)]["sets"][address]
        assert instrument.state() == wanted and wanted.keys() == instrument.opening.keys()
        instrument.compare(wanted)
    shown = lab.run(STORIES)
    assert set(shown) == {name} and len(shown) == 3
    assert entity.contexts[name].label in lab.run(STATUS)


def test_context_makes_another_answer_right():
    sets = {n: c.sets for n, c in find(f"{LAB}.lab").contexts.items()}

    def right(question, name):
        state = {v: units.quantity(x, v.name) for v, x in sets[name].items() if v in question.givens}
        return question.right_at(state)

    assert [right(find(f"{LAB}.often"), name) for name in ("told", "small", "large")] == [1, 1, 0]
    assert [right(find(f"{LAB}.every"), name) for name in ("told", "small", "large")] == [4, 3, 2]


def test_state_and_context_are_there_again_after_a_reload(lab):
    unlock(lab)
    lab.run(f"document.querySelector('mc-lab input[value=large]').click(); return {FRAMES}")
    lab.run("return new Promise((done) => setTimeout(done, 700))")
    lab.open(lab.driver.current_url.partition("?")[0])
    assert Instrument(lab, DESIGNER).state()["m"] == 50680
    assert "Large cluster" in lab.run(STATUS)


# ---------------------------------------------------------------- the ledger in other chapters


def test_a_later_instrument_starts_from_the_fleet_of_the_lab(lab, server):
    unlock(lab)
    lab.run(f"document.querySelector('mc-lab input[value=large]').click(); return {FRAMES}")
    lab.run("return new Promise((done) => setTimeout(done, 200))")
    lab.open(f"{server}/book/chapters/fleet-checkpointing.html")
    within(lab, "trillion.designer", ".mc-start")[0].click()
    state = Instrument(lab, "trillion.designer").state()
    assert (state["N"], state["m"], state["b"], state["R"]) == (16384, 50600, 200, 5)


# ---------------------------------------------------------------- every screen


@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_lab_fits_the_screen_and_says_nothing_to_the_console(chromium, server, width, dark):
    chromium.open(f"{server}/{PAGE}", width=width, dark=dark)
    unlock(chromium)
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    assert chromium.complaints() == []
    chromium.run(AXE)
    assert chromium.driver.execute_async_script(RUN_AXE) == []
