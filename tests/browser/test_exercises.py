"""Exercises in the page: answers with units, the slip named, nothing typed is lost, progress kept."""

import json

from browser.lab_pages import imported
from mathbook.variants import mistake_results
from selenium.webdriver.common.keys import Keys

from mathcore import find
from mathcore.examples import given_text
from mathcore.units import quantity_text

BOX = "document.querySelector(`mc-exercise[data-address='${arguments[0]}']`)"
FEEDBACK = f"return {BOX}.querySelector('.mc-feedback').textContent"
VERDICT = f"return {BOX}.querySelector('.mc-feedback').dataset.verdict"
STORED = "return localStorage.getItem('mc.progress.v2')"


def answer(page, address, text):
    """Type an answer, press Enter, and return the feedback."""
    field = page.run(f"return {BOX}.querySelector('.mc-input')", address)
    page.run("arguments[0].scrollIntoView({block: 'center'}); arguments[0].value = ''", field)
    field.send_keys(text, Keys.ENTER)
    return page.run(FEEDBACK, address)


def verdict(page, address, text):
    """Type an answer, press Enter, and return the verdict of the page."""
    answer(page, address, text)
    return page.run(VERDICT, address)


def test_right_answer_is_accepted_in_any_unit(chapter):
    for text in ("1.03 h", "62 min", "3720 s", "62min"):
        assert verdict(chapter, "young_daly.guess", text) == "right", text


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


def test_slip_is_named_and_what_was_typed_stays(exercises):
    for address, text, wanted in SLIPS:
        feedback = answer(exercises, address, text)
        assert wanted.lower() in feedback.lower(), (address, text, feedback)
        assert exercises.run(VERDICT, address) != "right", (address, text)
        assert exercises.run(f"return {BOX}.querySelector('.mc-input').value", address) == text


def test_every_exercise_accepts_its_own_key_and_names_its_own_mistakes(exercises):
    for address in exercises.run("return [...document.querySelectorAll('mc-exercise')].map((e) => e.dataset.address)"):
        exercise = find(address)
        assert verdict(exercises, address, key(exercise.answer)) == "right", address
        for label, wrong in exercise.wrong_formulas.items():
            value = wrong.at(exercise.givens_of(0, wrong)).to(exercise.answer.units)
            feedback = answer(exercises, address, key(value))
            assert label.lower() in feedback.lower(), (address, feedback)


def key(quantity):
    """Return a quantity as a reader would type it."""
    unit = f"{quantity.units}" if quantity._units else ""
    return f"{quantity.magnitude:.6g} {unit.replace('percent', '%').replace(' * ', ' ')}".strip()


def test_feedback_survives_a_reload(exercises):
    """A wrong number without a diagnosis would look like an unchecked one."""
    wrong = answer(exercises, "young_daly.ex_interval", "42.4 min")
    unread = answer(exercises, "young_daly.ex_least", "seven")
    field = exercises.run(f"return {BOX}.querySelector('.mc-input')", "young_daly.ex_penalty")
    field.send_keys("3", Keys.TAB)  # typed, but never checked
    exercises.reload()
    assert exercises.run(FEEDBACK, "young_daly.ex_interval") == wrong and "the 2 under the root" in wrong
    assert exercises.run(FEEDBACK, "young_daly.ex_least") == unread and unread
    typed = exercises.run(f"return {BOX}.querySelector('.mc-input').value", "young_daly.ex_penalty")
    assert typed == "3" and exercises.run(FEEDBACK, "young_daly.ex_penalty") == ""
    marked = f"return {BOX}.querySelector('.mc-input').getAttribute('aria-invalid')"
    assert exercises.run(marked, "young_daly.ex_interval") == "true"


def test_progress_survives_a_reload(exercises):
    answer(exercises, "young_daly.ex_interval", "60 min")
    exercises.reload()
    stored = json.loads(exercises.run(STORED))
    assert stored["done"]["young_daly.ex_interval"]["right"] is True
    head = exercises.run(f"return {BOX}.querySelector('.mc-head').textContent", "young_daly.ex_interval")
    assert head != "Exercise 2 The first interval", "the head shows no mark"


def test_progress_is_exported_wiped_and_imported(exercises, server):
    answer(exercises, "young_daly.ex_interval", "60 min")
    stored = exercises.run(STORED)
    exercises.open(f"{server}/book/index.html")
    assert "1" in exercises.text(".mc-progress")
    exercises.open(f"{server}/book/index.html", fresh=True)
    imported(exercises, stored, ".mc-progress")
    assert json.loads(exercises.run(STORED))["done"].keys() == json.loads(stored)["done"].keys()


def test_corrupt_storage_is_set_aside_and_survived(exercises):
    exercises.run("localStorage.setItem('mc.progress.v2', '{not json')")
    exercises.reload()
    assert verdict(exercises, "young_daly.ex_interval", "60 min") == "right"
    stored = exercises.run("return Object.values(localStorage)")
    assert "{not json" in stored
    assert exercises.complaints() == []


def test_new_numbers_ask_again_with_another_key(exercises):
    address = "young_daly.ex_interval"
    before = exercises.run(f"return {BOX}.querySelector('.mc-prompt').textContent", address)
    exercises.run(f"{BOX}.querySelector('.mc-new').click()", address)
    after = exercises.run(f"return {BOX}.querySelector('.mc-prompt').textContent", address)
    assert after != before
    seed = int(exercises.driver.current_url.partition("seed=")[2].partition("ex_interval:")[2].split(",")[0])
    right = find(address).answer_of(seed)
    assert verdict(exercises, address, key(right)) == "right"


def test_solution_of_a_variant_has_the_variants_numbers(exercises, server):
    exercises.open(f"{server}/book/chapters/young-daly/exercises.html?seed=7")
    address = "young_daly.ex_interval"
    printed = exercises.run(f"return {BOX}.querySelector('.mc-solution .mc-answer').textContent", address)
    exercise = find(address)
    assert printed == quantity_text(exercise.answer_of(7), None, exercise.digits)


def test_solution_redoes_the_usual_mistakes_with_new_numbers(exercises, server):
    """What is true of the stated numbers alone is hidden, all else has the numbers of the variant."""
    address, seed = "young_daly.ex_interval", 7
    exercises.open(f"{server}/book/chapters/young-daly/exercises.html?seed={address}:{seed}")
    within = f"{BOX}.querySelector('.mc-solution')"
    exercise = find(address)
    printed = exercises.run(
        f"return [...{within}.querySelectorAll('.mc-mistake')].map((each) => each.textContent)", address
    )
    assert printed == [quantity_text(q, None, exercise.digits) for _, q in mistake_results(exercise, seed)]
    problem = exercises.run(f"return {within}.querySelector('.mc-problem').textContent", address)
    assert all(given_text(q) in problem for q in exercise.givens_of(seed).values())
    stated = exercises.run(f"return [...{within}.querySelectorAll('.mc-stated')].map((each) => each.hidden)", address)
    assert stated and all(stated)
    assert len(exercises.run(f"return {within}.querySelector('.mc-meaning').textContent", address)) > 60
