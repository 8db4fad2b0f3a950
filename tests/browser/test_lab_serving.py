"""The lab on serving: predictions reach the ledger, failures are cured by their advice, figures are right."""

import pytest
from browser.instruments import FRAMES, Instrument, follows_python, unlock
from browser.test_pages import AXE, RUN_AXE

from mathcore import find, units

PAGE = "book/chapters/lab-serving.html"
QUESTIONS = ("four_times", "shorter_step", "h200_worth", "what_binds")
BEAT, DESIGNER = "lab_serving.beat", "lab_serving.designer"
CHOOSE = """
const box = document.querySelector(`mc-question[data-address="${arguments[0]}"]`);
box.querySelectorAll("input")[arguments[1]].click();
box.querySelector("form button").click();
"""
FEEDBACK = (
    CHOOSE
    + f"""return {FRAMES}.then(() => {{
  const said = box.querySelector('.mc-feedback');
  return [said.dataset.verdict, said.textContent];
}});"""
)
ENTER = f"document.querySelector(`mc-lab input[value='${{arguments[0]}}']`).click(); return {FRAMES};"
STATUS = "return document.querySelector('.mc-hud').textContent"
STORIES = "return [...document.querySelectorAll('.mc-story:not([hidden])')].map((s) => s.dataset.context)"
LEDGER = "return mc.ledger.load()"
MEMORY, BEAT_MISSED, OVER = (each.title for each in find(DESIGNER).failures)


@pytest.fixture
def lab(chromium, server):
    chromium.open(f"{server}/{PAGE}")
    chromium.run("localStorage.clear()")
    return chromium.open(f"{server}/{PAGE}")


def quantities(instrument, state):
    return {
        s.variable: units.Quantity(state[s.variable.name], units.unit(s.unit))
        for s in instrument.explorer.sliders
    }


@pytest.mark.parametrize("address", [BEAT, DESIGNER])
def test_instrument_follows_python(lab, address):
    failing = follows_python(lab, address, 200)
    assert 0 < failing < 200


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_option_has_its_own_feedback_and_reaches_the_ledger(lab, name):
    unlock(lab)
    question = find(f"lab_serving.{name}")
    for index in range(len(question.options)):
        verdict, said = lab.run(FEEDBACK, question.address, index)
        assert verdict == ("right" if index == question.right else "wrong")
        assert question.text(index)[1] in said
        kept = lab.run(LEDGER)[question.address]
        assert (kept["choice"], kept["right"]) == (index, index == question.right)


def test_right_option_moves_with_the_machine(lab):
    unlock(lab)
    designer, question = Instrument(lab, DESIGNER), find("lab_serving.what_binds")
    seen = set()
    for change in ({}, {"t_p": 15}, {"t_p": 200, "i_d": 4, "n": 8}, {"t_p": 5}):
        state = {**designer.opening, **change}
        designer.set(state)
        right = question.right_at(quantities(designer, state))
        seen.add(right)
        assert lab.run(FEEDBACK, question.address, right)[0] == "right"
    assert seen == {0, 1, 2, 3}


def test_prediction_locks_what_follows(lab):
    closed = "return document.querySelector(`[data-after='lab_serving.four_times']`).hidden"
    assert lab.run(closed)
    lab.run(FEEDBACK, "lab_serving.four_times", 0)
    assert not lab.run(closed)


@pytest.mark.parametrize(
    ("title", "change"),
    [
        (MEMORY, {"B": 300}),
        (MEMORY, {"n": 1, "B": 8}),
        (BEAT_MISSED, {"t_p": 15, "B": 120}),
        (BEAT_MISSED, {"t_p": 8}),
        (OVER, {}),
        (OVER, {"S": 16384, "B": 32, "p_b": 0.6}),
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
    assert offered
    for index in offered:
        designer.set(state)
        name, value = designer.take_way(index, place)
        assert designer.state()[name] == value
        assert title not in [each[0] for each in designer.shown()["failures"]]


def test_no_batch_is_offered_where_the_caches_alone_break_the_budget(lab):
    unlock(lab)
    designer = Instrument(lab, DESIGNER)
    designer.set({**designer.opening, "S": 16384, "B": 32, "p_b": 0.6})
    ways = designer.shown()["ways"][0]
    assert ways and "B" not in [name for _, name, _ in ways]
    assert not any("requests in" in says for says, _, _ in ways)


def test_chat_product_is_mended_by_its_batch_alone(lab):
    unlock(lab)
    designer = Instrument(lab, DESIGNER)
    ways = designer.shown()["ways"][0]
    designer.take_way([name for _, name, _ in ways].index("B"))
    assert designer.state()["B"] == 103
    assert designer.shown()["failures"] == []
    assert "no limit hit" in lab.run(STATUS)


def test_context_sets_all_instruments_and_tells_its_story(lab):
    unlock(lab)
    lab.run(ENTER, "summaries")
    assert [Instrument(lab, each).state()["S"] for each in (BEAT, DESIGNER)] == [16384, 16384]
    assert set(lab.run(STORIES)) == {"summaries"}
    assert lab.run(STATUS).startswith("Overnight summaries")
    lab.run("return new Promise((done) => setTimeout(done, 200))")
    kept = lab.run(LEDGER)["lab_serving.lab"]
    assert kept["context"] == "summaries" and kept["failures"] == [OVER]
    lab.run(ENTER, "chat")
    assert Instrument(lab, DESIGNER).state()["S"] == 4096


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_page_fits_the_screen_and_axe_finds_nothing(chromium, server, width, dark):
    chromium.open(f"{server}/{PAGE}", width=width, dark=dark)
    unlock(chromium)
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    assert chromium.complaints() == []
    chromium.run(AXE)
    assert chromium.driver.execute_async_script(RUN_AXE) == []
