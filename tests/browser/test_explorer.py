"""The explorer: what it draws and writes is what Python computes, wherever the sliders stand."""

import random

import pytest
from selenium.webdriver.common.keys import Keys

from mathcore import find
from mathcore.units import quantity_text

EXPLORER = "document.querySelector('mc-explorer')"
SET = (
    EXPLORER
    + """.querySelectorAll('input[type=number]').forEach((slider) => {
  const name = slider.closest('[data-input]').dataset.input;
  if (name in arguments[0]) {
    slider.value = arguments[0][name];
    slider.dispatchEvent(new Event('input', {bubbles: true}));
  }
});
return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
"""
)
TABLE = f"return [...{EXPLORER}.querySelectorAll('tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
RESULTS = f"return [...{EXPLORER}.querySelectorAll('.mc-result')].map((r) => r.textContent)"
CURVES = f"return [...{EXPLORER}.querySelectorAll('.mc-layout-wide path')].map((p) => p.getAttribute('d')).join()"


@pytest.fixture(scope="module")
def explorer():
    return find("young_daly.explorer")


def expected_table(explorer, state):
    """Return the cells of the table as Python computes and prints them."""
    shown = {s.variable.name: f"{state[s.variable.name]} {s.unit}" for s in explorer.sliders}
    rows = []
    for row in explorer.rows:
        cells = [row.label]
        for column in explorer.columns.values():
            base = {v: shown[v] for v in shown if v != explorer.x.what.name}
            named = {i.name for i in getattr(column, "inputs", ())}
            at = column.at({n: base[n] for n in named}) if named else shown[column.name]
            values = {**base, explorer.x.what.name: at}
            value = row.formula.at({v.name: values[v.name] for v in row.formula.inputs})
            cells.append(quantity_text(value, row.unit, row.digits))
        rows.append(cells)
    return rows


def random_states(explorer, count):
    source = random.Random(1974)
    for _ in range(count):
        yield {
            s.variable.name: round(s.low + s.step * source.randint(0, round((s.high - s.low) / s.step)), 6)
            for s in explorer.sliders
        }


def test_opening_state_is_the_one_declared(chapter, explorer):
    state = {s.variable.name: s.default for s in explorer.sliders}
    assert chapter.run(TABLE) == expected_table(explorer, state)
    assert chapter.run(RESULTS)[0] == find("young_daly.act_one").text()


def test_sliders_have_the_ranges_of_the_lab(explorer):
    ranges = {s.variable.name: (s.low, s.high, s.step, s.default, s.unit) for s in explorer.sliders}
    assert ranges == {"M": (1, 100, 1, 8, "h"), "C": (0.5, 30, 0.5, 4, "min"), "tau": (5, 120, 5, 30, "min")}


def test_table_follows_python_at_random_slider_states(chapter, explorer):
    for state in random_states(explorer, 40):
        chapter.run(SET, state)
        assert chapter.run(TABLE) == expected_table(explorer, state), state


def test_slider_moves_the_curve(chapter):
    before = chapter.run(CURVES)
    chapter.run(SET, {"M": 40})
    assert chapter.run(CURVES) != before


def test_a_wrong_table_would_have_been_noticed(chapter, explorer):
    state = {s.variable.name: s.default for s in explorer.sliders}
    chapter.run(f"{EXPLORER}.querySelector('tbody td').textContent = '13.4 %'")
    assert chapter.run(TABLE) != expected_table(explorer, state)


def test_bands_are_named_in_words(chapter):
    words = [
        (chapter.run(SET, {"tau": tau}), chapter.run(f"return {EXPLORER}.querySelector('.mc-status').textContent"))[1]
        for tau in (30, 60, 120)
    ]
    assert "too often" in words[0] and "near-optimal" in words[1] and "too rarely" in words[2]


def test_keyboard_alone_moves_a_slider(chapter):
    slider = chapter.driver.find_element("id", "young-daly-explorer-tau")
    chapter.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert slider.get_attribute("value") == "40"
    chapter.run(SET, {})
    assert "40" in chapter.run(f"return {EXPLORER}.querySelector('.mc-status').textContent")


def test_state_is_in_the_address_and_survives_a_reload(chapter, explorer):
    chapter.run(SET, {"M": 20, "C": 10, "tau": 90})
    chapter.until("/M:20.*tau:90/.test(location.search)")
    chapter.reload()
    assert chapter.run(TABLE) == expected_table(explorer, {"M": 20, "C": 10, "tau": 90})
    chapter.driver.find_element("css selector", "mc-explorer .mc-reset").click()
    chapter.run(SET, {})
    state = {s.variable.name: s.default for s in explorer.sliders}
    assert chapter.run(TABLE) == expected_table(explorer, state)


def test_nonsense_in_the_address_is_survived(chapter, explorer, server):
    chapter.open(f"{server}/book/chapters/young-daly/index.html?young_daly.explorer=M:abc,C:-7,tau:1e99,zz:1")
    assert chapter.complaints() == []
    for row in chapter.run(TABLE):
        assert all(cell and "NaN" not in cell and "Infinity" not in cell for cell in row)


def test_typed_fraction_of_a_count_is_refused(chapter, server):
    chapter.open(f"{server}/book/chapters/serving/batching.html?serving.explorer=B:2.5")
    number = chapter.driver.find_element("css selector", "mc-explorer [data-input=B] input[type=number]")
    assert number.get_attribute("value") == "3"
    chapter.run(SET, {"B": 4.5})
    assert number.get_attribute("aria-invalid") == "true"
    chapter.run("arguments[0].dispatchEvent(new Event('change', {bubbles: true}))", number)
    chapter.until("document.querySelector('mc-explorer [data-input=B] input[type=number]').value === '5'")
