"""Each lab in each of its contexts, from the first prediction to the printed report: by pointer, by keyboard, by touch.

Before every answer the page's text and what a screen reader can come to are searched for what the answers still to
come would be spoilt by: feedback of questions, figures of calculators, outcomes of the lab. A first commitment is
tried to be changed, and stays. At the end the report is printed, with name, decisions, reasons and figures.
"""

import base64
import re

import pytest
from browser.calculator_element import CalculatorElement
from browser.case_selection import in_turn
from browser.lab_pages import LEDGER, REPORT, STATUS, answered, enter, ledger, made, opened, part, plain, typed, within

from mathcore import find, units
from mathcore.commands import grading
from mathcore.library import current_library
from mathcore.teaching import Calculator, Exercise, Question
from mathcore.units import quantity_text

LABS = [find(f"lab_{name}.lab") for name in ("checkpoint_reckoning", "scale_illusion", "serving", "full_stack")]
PLAYED = [(lab, context) for lab in LABS for context in lab.contexts]
WAYS = {"pointer": 1280, "keyboard": 1280, "touch": 390}
REASON = "I say so because one figure speaks for it."
SHEETS = re.compile(rb"/Type\s*/Page\b(?!s)")  # of a PDF


# ---------------------------------------------------------------- what must not be seen yet


def quantities(page, calculator):
    """Return the state of a calculator of the page, by variable."""
    state = CalculatorElement(page, calculator.address).state()
    return {s.variable: units.Quantity(float(state[s.variable.name]), units.unit(s.unit)) for s in calculator.sliders}


def figure(part_of_lab, state):
    """Return a card or an outcome as the page would print it."""
    value = part_of_lab.formula.evaluate({v: state[v] for v in part_of_lab.formula.inputs})[0]
    return plain(f"{part_of_lab.label} {quantity_text(value, part_of_lab.unit, part_of_lab.digits)}")


def spoilers(page, lab, done):
    """Return what has to be hidden while only the parts `done` have been answered."""
    states = {calculator: quantities(page, calculator) for calculator in lab.calculators}
    found = set()
    for each in lab.parts:
        if isinstance(each, Question) and each.address not in done:
            found |= {plain(each.text(i, states.get(each.calculator))[1]) for i in range(len(each.options))}
    for calculator, state in states.items():
        if not set(lab.before(calculator)) <= done:
            outcomes = [outcome for outcome in lab.outcomes if outcome.calculator is calculator]
            found |= {figure(each, state) for each in (*calculator.cards, *outcomes)}
    return found


def all_text(page):
    """Return all that is to be read or heard on the page, each as one text."""
    page.command("Accessibility.enable")
    nodes = page.laid().command("Accessibility.getFullAXTree")["nodes"]
    page.command("Accessibility.disable")  # Chromium crashes where it has to keep the tree of a page that grows
    heard = " ".join(str(node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored"))
    return plain(page.run("return document.querySelector('article').innerText")), plain(heard)


def texts_of_calculators(page, lab, done):
    """Return the texts of the calculators that are open: two may have a figure of one name."""
    script = "return document.querySelector(`[data-address='${arguments[0]}']`).innerText"
    return [plain(page.run(script, each.address)) for each in lab.calculators if set(lab.before(each)) <= done]


def spoilt(page, lab, done):
    """Return the figures that are visible, or announced, too early."""
    hidden, right = spoilers(page, lab, done), texts_of_calculators(page, lab, done)
    texts = all_text(page)
    return [words for words in hidden if any(words in text for text in texts) and not any(words in t for t in right)]


# ---------------------------------------------------------------- by hand


def press(page, element, way):
    """Press on an element at its place on the screen, with the mouse or a finger."""
    page.run("arguments[0].scrollIntoView({block: 'center'})", element)
    page.rest()
    box = page.run("return arguments[0].getBoundingClientRect().toJSON()", element)
    at = {"x": box["x"] + min(box["width"] / 2, 20), "y": box["y"] + box["height"] / 2}
    if way == "touch":
        page.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
        page.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    else:
        for kind in ("mousePressed", "mouseReleased"):
            page.command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)
    page.rest()


def choose(page, question, index, way):
    """Choose an option, give a reason where there is room for one, and commit."""
    press(page, within(page, question.address, ".mc-option")[index], way)
    field = within(page, question.address, ".mc-reason textarea")[0]
    if not field.get_property("readOnly"):
        press(page, field, way)
        page.command("Input.insertText", text=REASON)
    press(page, within(page, question.address, ".mc-check")[0], way)


def answer(page, each, way):
    """Commit to a part of a lab in one of the ways, the first option of a question unless the keyboard knows better."""
    if way == "keyboard":
        answered(page, each.address)
    elif isinstance(each, Question):
        choose(page, each, 0, way)
    elif isinstance(each, Exercise):
        press(page, within(page, each.address, ".mc-input")[0], way)
        page.command("Input.insertText", text=typed(each))
        press(page, within(page, each.address, ".mc-check")[0], way)
    elif each.commit:
        press(page, within(page, each.address, ".mc-commit")[0], way)


def printed(page):
    """Return the text of the page as it is printed, and the number of its sheets."""
    page.command("Emulation.setEmulatedMedia", media="print")
    text = plain(page.run("return document.body.innerText"))
    sheets = len(SHEETS.findall(base64.b64decode(page.command("Page.printToPDF")["data"])))
    page.command("Emulation.setEmulatedMedia", media="")
    return text, sheets


@pytest.mark.parametrize(("played", "way"), in_turn(PLAYED, WAYS, every=2))
def test_lab_from_the_first_prediction_to_the_printed_report(chromium, server, played, way, tmp_path):
    lab, context = played
    page = opened(chromium, server, lab.address.removesuffix(".lab"), width=WAYS[way])
    page.command("Emulation.setTouchEmulationEnabled", enabled=way == "touch")
    enter(page, context)
    done = set()
    for each in lab.parts:
        assert spoilt(page, lab, done) == [], f"before {each.address}"
        answer(page, each, way)
        if not isinstance(each, Calculator) or each.commit:
            [only] = made(page, each.address)
            assert only["context"] == context
            done.add(each.address)
    first = next(each for each in lab.parts if isinstance(each, Question))
    entry = made(page, first.address)[0]
    choose(page, first, (entry["choice"] + 1) % len(first.options), "touch" if way == "touch" else "pointer")
    both = made(page, first.address)
    assert both[0] == entry and len(both) == 2, "the first answer stays, the later one follows it"
    assert all(outcome.label in page.text(STATUS) for outcome in lab.outcomes)
    assert graded(page, lab, context, tmp_path) == len(done), "the file that is handed in is graded, nothing refused"
    assert page.run("return document.documentElement.scrollWidth") <= WAYS[way]
    report(page, server, lab, context, way)


def graded(page, lab, context, folder):
    """Grade the ledger of the browser; return how many first answers were counted."""
    ledger(page)  # at rest
    path = folder / "ada.json"
    path.write_text(page.run("return localStorage.getItem('mc.ledger.v2')"), "utf-8")
    [row] = [
        each
        for each in grading.grade_rows(current_library, [path])
        if each["lab"] == lab.title and each["context"] == context
    ]
    assert row["refused"] == ""
    return int(row["answered"])


def report(page, server, lab, context, way):
    """Go to the ledger, sign the report and print it."""
    page.open(f"{server}/{LEDGER}", width=WAYS[way])
    for field, text in zip(page.driver.find_elements("css selector", ".mc-reader input"), ("Ada", "MLS"), strict=True):
        field.send_keys(text, "\t")
    text, sheets = printed(page)
    for words in (lab.title, lab.contexts[context].label, *(plain(outcome.label) for outcome in lab.outcomes)):
        assert words in text, words
    assert REASON in text or "It seems so." in text
    assert page.run("return [...document.querySelectorAll('.mc-reader input')].map((each) => each.value)") == [
        "Ada",
        "MLS",
    ]
    assert ledger(page)["reader"]["name"] == "Ada" and sheets <= 2, f"{sheets} sheets"
    assert lab.title in page.text(REPORT)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.address)
def test_question_is_printed_with_its_options_and_without_what_it_asks_for(chromium, server, lab):
    page = opened(chromium, server, lab.address.removesuffix(".lab"))
    question = next(each for each in lab.parts if isinstance(each, Question))
    state = quantities(page, question.calculator) if question.calculator in lab.calculators else None
    printed_options = [tuple(map(plain, question.text(index, state))) for index in range(len(question.options))]
    before, _ = printed(page)
    assert all(option in before for option, _ in printed_options) and not any(
        feedback in before for _, feedback in printed_options
    )
    choose(page, question, 0, "pointer")
    after, _ = printed(page)
    assert all(option in after for option, _ in printed_options) and printed_options[0][1] in after
    assert within(page, question.address, ".mc-reason textarea")[0].get_property("value") == REASON, (
        "printed as a field"
    )


def test_figure_that_shows_too_early_is_found(chromium, server):
    lab = LABS[0]
    page = opened(chromium, server, lab.address.removesuffix(".lab"))
    card = figure(lab.calculators[0].cards[0], quantities(page, lab.calculators[0]))
    assert spoilt(page, lab, set()) == []
    page.run("document.querySelector('.mc-status-line').textContent += arguments[0]", card)
    assert spoilt(page, lab, set()) == [card], "in the text"
    page.reload()
    page.run("document.querySelector('.mc-status-line').setAttribute('aria-label', arguments[0])", card)
    assert spoilt(page, lab, set()) == [card], "for a screen reader"


def test_first_answer_that_could_be_changed_is_found(chromium, server):
    lab = LABS[0]
    page = opened(chromium, server, lab.address.removesuffix(".lab"))
    question = next(each for each in lab.parts if isinstance(each, Question))
    choose(page, question, 0, "pointer")
    before = made(page, question.address)[0]
    page.run(
        "const all = mc.ledger.load(); all[arguments[0]].made[0].choice = 1; mc.ledger.save(all)", question.address
    )
    assert made(page, question.address)[0] != before and part(page, question.address)
