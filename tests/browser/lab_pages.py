"""What the tests of all labs share: parts of the page, answers by pointer and by keyboard, the ledger."""

import json

from browser.calculator_element import FRAMES, HURRIED, SET, CalculatorElement
from selenium.webdriver.common.keys import Keys

from mathcore import find, units
from mathcore.teaching import Exercise, Question

PAGES = {
    "lab_checkpoint_reckoning": "book/chapters/lab-checkpoint-reckoning/index.html",
    "lab_scale_illusion": "book/chapters/lab-scale-illusion/index.html",
    "lab_serving": "book/chapters/lab-serving/index.html",
    "lab_full_stack": "book/chapters/lab-full-stack/index.html",
}
LEDGER = "book/chapters/ledger.html"
STATUS, REPORT = ".mc-status-line", ".mc-ledger"


def plain(text):
    """Return a text with single blanks."""
    return " ".join(text.split())


def opened(page, server, name, **look):
    """Open a lab's page with an empty storage."""
    return page.open(f"{server}/{PAGES[name]}", fresh=True, **look)


def questions(lab):
    """Return the questions of a lab."""
    return [each for each in lab.parts if isinstance(each, Question)]


def part(page, address):
    """Return the element of a statement."""
    return page.run(f"return document.querySelector(`[data-address='{address}']`)")


def within(page, address, selector):
    """Return the elements of a statement that a selector finds."""
    return part(page, address).find_elements("css selector", selector)


def ledger(page):
    """Return the entries of the ledger as the browser keeps them."""
    page.rest()
    return json.loads(page.run("return localStorage.getItem('mc.ledger.v2')") or '{"entries": {}}')["entries"]


def made(page, address):
    """Return what was committed to a part, the first commitment first."""
    return ledger(page).get(address, {}).get("made", [])


def answer_all(page, lab):
    """Commit something to every part of a lab in the context of now, so that all figures show."""
    for each in lab.parts:
        page.run("mc.ledger.commit(arguments[0], {kind: 'test'}, {says: 'x', right: true})", each.address)
    page.rest()


def feedback(page, address):
    """Return the feedback of a question or an exercise on the last answer."""
    return within(page, address, ".mc-feedback")[0].text


def state_of(page, question):
    """Return the state of a question's calculator as quantities by variable."""
    return quantities(question, CalculatorElement(page, question.calculator.address).state())


def quantities(question, state):
    """Return the numbers of a question's calculator as quantities by variable."""
    return {
        s.variable: units.Quantity(float(state[s.variable.name]), units.unit(s.unit))
        for s in question.calculator.sliders
    }


def right(page, question):
    """Return the option that is right now."""
    return question.right_at(state_of(page, question)) if question.calculator else question.right


def enter(page, context):
    """Choose a context of the lab."""
    page.run("document.querySelector(`mc-lab input[value='${arguments[0]}']`).click()", context)
    page.rest()


def note(page, address, title="", **entry):
    """Put an entry of another lab into the ledger."""
    page.run("mc.ledger.note(arguments[0], {kind: 'lab', ...arguments[1]})", address, {"title": title, **entry})


# ---------------------------------------------------------------- answers

CHOOSE = """
const choose = async (frames, address, index) => {
  const box = document.querySelector(`mc-question[data-address="${address}"]`);
  const why = box.querySelector(".mc-reason textarea");
  if (why) why.value = "It seems so.";
  box.querySelectorAll("input")[index].click();
  box.querySelector("form").requestSubmit();
  await frames();
  const feedback = box.querySelector(".mc-feedback");
  return [feedback.dataset.verdict, feedback.textContent];
};
"""
# Move a calculator to each state in turn, choose the first option there, and return where the inputs stand besides.
CHOOSE_AT = f"""
const set = function () {{ {SET} }};
{HURRIED}
{CHOOSE}
const [calculator, question, states] = arguments, found = [];
return hurried(async (frames) => {{
  for (const state of states) {{
    set(calculator, state);
    await frames();
    const now = document.querySelector(`mc-explorer[data-address="${{calculator}}"]`).state;
    found.push([now, ...(await choose(frames, question, 0))]);
  }}
  return found;
}});
"""


def chosen(page, question, index):
    """Commit an option; return the verdict and the feedback."""
    return page.run(f"{CHOOSE} return choose(() => {FRAMES}, ...arguments);", question.address, index)


def chosen_at(page, question, states):
    """Commit the first option at each state of the calculator; return `(quantities, verdict, feedback)` of each."""
    found = page.run(CHOOSE_AT, question.calculator.address, question.address, states)
    return [(quantities(question, now), verdict, feedback) for now, verdict, feedback in found]


def commit(page, address, index):
    """Choose an option and commit it, by pointer."""
    option = within(page, address, ".mc-option")[index]
    page.run("arguments[0].scrollIntoView({block: 'center'})", option)
    option.click()
    for field in within(page, address, ".mc-reason textarea"):
        if not field.get_attribute("value"):
            field.send_keys("It seems so.")
    within(page, address, ".mc-check")[0].click()
    page.rest()


def typed(exercise):
    """Return the key of an exercise as a reader types it."""
    answer = exercise.answer
    unit = f"{answer.units:~}".replace("percent", "%").replace(" * ", " ")
    return f"{answer.magnitude:.6g} {unit}".strip()


# ---------------------------------------------------------------- by keyboard alone

TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
STOPS = "return document.querySelectorAll('a, button, input, select, summary, [tabindex]').length"
HERE = "return document.activeElement.matches(arguments[0])"


def to(page, selector):
    """Press Tab until an element that fits has the focus; return it."""
    page.rest()
    for _ in range(page.run(STOPS) + 2):
        if page.run(HERE, selector):
            return page.driver.switch_to.active_element
        page.command("Input.dispatchKeyEvent", type="rawKeyDown", **TAB)
        page.command("Input.dispatchKeyEvent", type="keyUp", **TAB)
    raise AssertionError(f"no way by Tab to {selector}")


def press(page, selector, *keys):
    """Go by Tab to what fits, press keys there, and wait for what they do."""
    to(page, selector).send_keys(*keys)
    page.rest()


def answered(page, address):
    """Answer a part of a lab by keyboard as a reader would who knows; return the chosen option, if any."""
    each, own = find(address), f"[data-address='{address}']"
    if isinstance(each, Question):
        index = right(page, each)
        press(page, f"{own} .mc-option input", Keys.SPACE, *[Keys.ARROW_DOWN] * index)
        press(page, f"{own} .mc-reason textarea", "It seems so.")
        press(page, f"{own} .mc-check", Keys.ENTER)
        return index
    if isinstance(each, Exercise):
        press(page, f"{own} .mc-input", typed(each), Keys.ENTER)
    elif each.commit:
        press(page, f"{own} .mc-commit", Keys.ENTER)
    return None


def cured(page, address, most=8):
    """Take ways out by keyboard until the calculator is in no failure; return how many were taken.

    The button goes with the failure: the input that it moved must have the focus then.
    """
    for taken in range(most):
        if not within(page, address, ".mc-failure"):
            return taken
        if not within(page, address, ".mc-notes[open]"):
            press(page, f"[data-address='{address}'] .mc-notes > summary", Keys.ENTER)
        way = to(page, f"[data-address='{address}'] .mc-way")
        moved = way.get_attribute("data-sets")
        way.send_keys(Keys.ENTER)
        page.rest()
        assert page.run(HERE, f"[data-address='{address}'] [data-input='{moved}'] input"), moved
    raise AssertionError(f"{address} does not come to rest")


# ---------------------------------------------------------------- the ledger's own page

SPY = """
window.texts = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { blob.text().then((text) => texts.push(text)); return make(blob); };
window.confirm = () => true;
"""
IMPORT = """
const box = document.querySelector(arguments[0] + " input[type=file]"), files = new DataTransfer();
files.items.add(new File([arguments[1]], "kept.json", {type: "application/json"}));
box.files = files.files;
box.dispatchEvent(new Event("change", {bubbles: true}));
"""


def exported(page):
    """Press Export on the ledger's page and return the text of the file."""
    page.run(SPY)
    push(page, "Export")
    return page.until("texts[0]")


def imported(page, text, place=REPORT):
    """Import a text as a file, into the ledger or another store."""
    page.run(IMPORT, place, text)
    page.rest()


def push(page, name):
    """Push a button of the ledger."""
    buttons = "[...document.querySelectorAll('.mc-ledger button')]"
    page.run(f"{buttons}.find((b) => b.textContent === arguments[0]).click()", name)
    page.rest()
