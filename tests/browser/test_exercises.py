"""Exercises in the page: answers with units, the slip named, nothing typed is lost, progress kept."""

import json

from browser.lab_pages import imported
from selenium.webdriver.common.keys import Keys

from mathcore import find
from mathcore.units import quantity_text

BOX = "document.querySelector(`mc-exercise[data-address='${arguments[0]}']`)"
FEEDBACK = f"return {BOX}.querySelector('.mc-feedback').textContent"
KEPT = "return localStorage.getItem('mc.progress.v1')"


def answer(page, address, text):
    """Type an answer, press Enter, and return what the page says."""
    field = page.run(f"return {BOX}.querySelector('.mc-input')", address)
    page.run("arguments[0].scrollIntoView({block: 'center'}); arguments[0].value = ''", field)
    field.send_keys(text, Keys.ENTER)
    return page.run(FEEDBACK, address)


def test_right_answer_is_accepted_in_any_unit(chapter):
    for text in ("1.03 h", "62 min", "3720 s", "62min"):
        assert answer(chapter, "young_daly.guess", text).lower().startswith("right"), text


SLIPS = [
    ("young_daly.ex_interval", "42.4 min", "the 2 under the root was dropped"),
    ("young_daly.ex_interval", "60 h", "60"),
    ("young_daly.ex_interval", "60 GB", "the question asks for a time"),
    ("young_daly.ex_interval", "60", "unit"),
    ("young_daly.ex_interval", "sixty minutes", "number"),
    ("young_daly.ex_interval", "200 min", "too large"),
    ("young_daly.ex_least", "7.07 %", "one of two equal terms"),
    ("young_daly.ex_least", "14.1", "did you mean 14.1 %"),
    ("young_daly.ex_penalty", "3", "the other shrinks"),
]


def test_slip_is_named_and_what_was_typed_stays(chapter):
    for address, text, wanted in SLIPS:
        said = answer(chapter, address, text)
        assert wanted.lower() in said.lower(), (address, text, said)
        assert not said.lower().startswith("right"), (address, text)
        assert chapter.run(f"return {BOX}.querySelector('.mc-input').value", address) == text


def test_every_exercise_accepts_its_own_key_and_names_its_own_mistakes(chapter):
    for address in chapter.run("return [...document.querySelectorAll('mc-exercise')].map((e) => e.dataset.address)"):
        exercise = find(address)
        assert answer(chapter, address, key(exercise.answer)).lower().startswith("right"), address
        for label, wrong in exercise.wrong_formulas.items():
            value = wrong.at(exercise.givens_of(0, wrong)).to(exercise.answer.units)
            said = answer(chapter, address, key(value))
            assert label.lower() in said.lower(), (address, said)


def key(quantity):
    """Return a quantity as a reader would type it."""
    unit = f"{quantity.units}" if quantity._units else ""
    return f"{quantity.magnitude:.6g} {unit.replace('percent', '%').replace(' * ', ' ')}".strip()


def test_what_was_said_of_an_answer_stands_there_after_a_reload(chapter):
    """A wrong number without what is wrong with it would look like one that nobody has looked at."""
    wrong = answer(chapter, "young_daly.ex_interval", "42.4 min")
    unread = answer(chapter, "young_daly.ex_least", "seven")
    field = chapter.run(f"return {BOX}.querySelector('.mc-input')", "young_daly.ex_penalty")
    field.send_keys("3", Keys.TAB)  # typed, but never checked
    chapter.reload()
    assert chapter.run(FEEDBACK, "young_daly.ex_interval") == wrong and "the 2 under the root" in wrong
    assert chapter.run(FEEDBACK, "young_daly.ex_least") == unread and unread
    typed = chapter.run(f"return {BOX}.querySelector('.mc-input').value", "young_daly.ex_penalty")
    assert typed == "3" and chapter.run(FEEDBACK, "young_daly.ex_penalty") == ""
    marked = f"return {BOX}.querySelector('.mc-input').getAttribute('aria-invalid')"
    assert chapter.run(marked, "young_daly.ex_interval") == "true"


def test_progress_survives_a_reload(chapter):
    answer(chapter, "young_daly.ex_interval", "60 min")
    chapter.reload()
    kept = json.loads(chapter.run(KEPT))
    assert kept["done"]["young_daly.ex_interval"]["right"] is True
    head = chapter.run(f"return {BOX}.querySelector('.mc-head').textContent", "young_daly.ex_interval")
    assert head != "Exercise 2 The first interval", "the head shows no mark"


def test_progress_is_exported_wiped_and_imported(chapter, server):
    answer(chapter, "young_daly.ex_interval", "60 min")
    kept = chapter.run(KEPT)
    chapter.open(f"{server}/book/index.html")
    assert "1" in chapter.text(".mc-progress")
    chapter.open(f"{server}/book/index.html", fresh=True)
    imported(chapter, kept, ".mc-progress")
    assert json.loads(chapter.run(KEPT))["done"].keys() == json.loads(kept)["done"].keys()


def test_corrupt_storage_is_set_aside_and_survived(chapter):
    chapter.run("localStorage.setItem('mc.progress.v1', '{not json')")
    chapter.reload()
    assert answer(chapter, "young_daly.ex_interval", "60 min").lower().startswith("right")
    kept = chapter.run("return Object.values(localStorage)")
    assert "{not json" in kept
    assert chapter.complaints() == []


def test_new_numbers_ask_again_with_another_key(chapter):
    address = "young_daly.ex_interval"
    before = chapter.run(f"return {BOX}.querySelector('.mc-prompt').textContent", address)
    chapter.run(f"{BOX}.querySelector('.mc-new').click()", address)
    after = chapter.run(f"return {BOX}.querySelector('.mc-prompt').textContent", address)
    assert after != before
    seed = int(chapter.driver.current_url.partition("seed=")[2].partition("ex_interval:")[2].split(",")[0])
    right = find(address).answer_of(seed)
    assert answer(chapter, address, key(right)).lower().startswith("right")


def test_solution_of_a_variant_has_the_variants_numbers(chapter, server):
    chapter.open(f"{server}/book/chapters/young-daly.html?seed=7")
    address = "young_daly.ex_interval"
    shown = chapter.run(f"return {BOX}.querySelector('.mc-solution .mc-answer').textContent", address)
    exercise = find(address)
    assert shown == quantity_text(exercise.answer_of(7), None, exercise.digits)
