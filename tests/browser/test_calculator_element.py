"""The calculator of a chapter: what it draws and writes is what Python computes, at every state of the sliders."""

import pytest
from browser.calculator_element import SET, CalculatorElement, follows_python
from selenium.webdriver.common.keys import Keys

from mathcore import find

ADDRESS = "young_daly.explorer"
CALCULATOR = "document.querySelector('mc-explorer')"
RESULTS = f"return [...{CALCULATOR}.querySelectorAll('.mc-result')].map((r) => r.textContent)"
CURVES = f"return [...{CALCULATOR}.querySelectorAll('.mc-layout-wide path')].map((p) => p.getAttribute('d')).join()"


@pytest.fixture
def calculator(chapter):
    """Return the calculator of the chapter, as the browser has it and as Python has it."""
    return CalculatorElement(chapter, ADDRESS)


def assert_texts_at(calculator, state):
    """Assert that the page shows what Python computes for a state."""
    assert calculator.texts() == {"ways": [], **calculator.expected(state)}


def test_opening_state_is_the_one_declared(calculator):
    assert_texts_at(calculator, calculator.opening)
    assert calculator.page.run(RESULTS)[0] == find("young_daly.act_one").text()


def test_page_follows_python_at_random_slider_states(chapter):
    follows_python(chapter, ADDRESS, 40)


def test_slider_moves_the_curve(chapter):
    before = chapter.run(CURVES)
    CalculatorElement(chapter, ADDRESS).set({"M": 40})
    assert chapter.run(CURVES) != before


def test_a_wrong_table_is_found(calculator):
    calculator.page.run(f"{CALCULATOR}.querySelector('tbody td').textContent = '13.4 %'")
    with pytest.raises(AssertionError):
        assert_texts_at(calculator, calculator.opening)


def test_keyboard_alone_moves_a_slider(calculator):
    slider = calculator.page.driver.find_element("id", "young-daly-explorer-tau")
    calculator.page.run("arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert slider.get_attribute("value") == "40"
    calculator.page.rest()
    assert "40" in calculator.texts()["status"]


def test_state_is_in_the_address_and_survives_a_reload(chapter, calculator):
    state = {"M": 20, "C": 10, "tau": 90}
    calculator.set(state)
    chapter.until("/M:20.*tau:90/.test(location.search)")
    chapter.reload()
    assert_texts_at(calculator, state)
    chapter.driver.find_element("css selector", "mc-explorer .mc-reset").click()
    chapter.rest()
    assert_texts_at(calculator, calculator.opening)


def test_nonsense_in_the_address_is_survived(chapter, server):
    chapter.open(f"{server}/book/chapters/young-daly/index.html?young_daly.explorer=M:abc,C:-7,tau:1e99,zz:1")
    assert chapter.complaints() == []
    for row in CalculatorElement(chapter, ADDRESS).texts()["table"]:
        assert all(cell and "NaN" not in cell and "Infinity" not in cell for cell in row)


def test_typed_fraction_of_a_count_is_refused(chapter, server):
    chapter.open(f"{server}/book/chapters/serving/batching.html?serving.explorer=B:2.5")
    number = chapter.driver.find_element("css selector", "mc-explorer [data-input=B] input[type=number]")
    assert number.get_attribute("value") == "3"
    chapter.run(SET, "serving.explorer", {"B": 4.5})
    chapter.rest()
    assert number.get_attribute("aria-invalid") == "true"
    chapter.run("arguments[0].dispatchEvent(new Event('change', {bubbles: true}))", number)
    chapter.until("document.querySelector('mc-explorer [data-input=B] input[type=number]').value === '5'")
