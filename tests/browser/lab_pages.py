"""What the tests of all labs share: parts of the page, answers by pointer and by keyboard, the ledger."""

import json

from browser.instruments import Instrument
from selenium.webdriver.common.keys import Keys

from mathcore import find, units


def opened(page, server, address):
    """Open a lab's page with an empty storage."""
    page.open(f"{server}/{address}")
    page.run("localStorage.clear()")
    return page.open(f"{server}/{address}")


def part(page, address):
    """Return the element of a statement."""
    return page.run(f"return document.querySelector(`[data-address='{address}']`)")


def within(page, address, selector):
    """Return the elements of a statement that a selector finds."""
    return part(page, address).find_elements("css selector", selector)


def ledger(page):
    """Return the entries of the ledger as the browser keeps them."""
    return json.loads(page.run("return localStorage.getItem('mc.ledger.v1')") or '{"entries": {}}')["entries"]


def feedback(page, address):
    """Return what a question or an exercise says of the last answer."""
    return within(page, address, ".mc-feedback")[0].text


def commit(page, address, index):
    """Choose an option and commit it, by pointer."""
    option = within(page, address, ".mc-option")[index]
    page.run("arguments[0].scrollIntoView({block: 'center'})", option)
    option.click()
    within(page, address, ".mc-check")[0].click()


def state_of(page, question):
    """Return the state of a question's instrument as quantities by variable."""
    state = Instrument(page, question.of.address).state()
    return {
        s.variable: units.Quantity(float(state[s.variable.name]), units.unit(s.unit))
        for s in question.of.sliders
    }


def right(page, question):
    """Return the option that is right now."""
    return question.right_at(state_of(page, question)) if question.of else question.right


# ---------------------------------------------------------------- by keyboard alone


def to(page, selector):
    """Press Tab until the element has the focus."""
    for _ in range(160):
        active = page.run("return document.activeElement")
        if page.run("return arguments[0].matches(arguments[1])", active, selector):
            return active
        active.send_keys(Keys.TAB)
    raise AssertionError(f"no way by Tab to {selector}")


def answered(page, address):
    """Answer a part of a lab by keyboard as a reader would who knows; return the chosen option, if any."""
    kind, own = type(find(address)).__name__, f"[data-address='{address}']"
    if kind == "Question":
        index = right(page, find(address))
        to(page, f"{own} .mc-option input").send_keys(Keys.SPACE, *[Keys.ARROW_DOWN] * index)
        to(page, f"{own} .mc-check").send_keys(Keys.ENTER)
        return index
    if kind == "Exercise":
        answer = find(address).answer
        unit = f"{answer.units:~}".replace("percent", "%").replace(" * ", " ")
        to(page, f"{own} .mc-input").send_keys(f"{answer.magnitude:.6g} {unit}".strip(), Keys.ENTER)
    elif getattr(find(address), "commit", ()):
        to(page, f"{own} .mc-commit").send_keys(Keys.ENTER)
    return None


def cured(page, address, most=8):
    """Take ways out by keyboard until the instrument is in no failure; return how many were taken."""
    for taken in range(most):
        if not within(page, address, ".mc-failure"):
            return taken
        to(page, f"[data-address='{address}'] .mc-way").send_keys(Keys.ENTER)
    raise AssertionError(f"{address} does not come to rest")


# ---------------------------------------------------------------- the ledger's own page

SPY = """
window.texts = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { blob.text().then((text) => texts.push(text)); return make(blob); };
window.confirm = () => true;
"""


def exported(page):
    """Press Export on the ledger's page and return the text of the file."""
    page.run(SPY)
    press(page, "Export")
    [text] = page.run("return new Promise((done) => setTimeout(() => done(texts), 400))")
    return text


def imported(page, text):
    """Import a text as a file on the ledger's page."""
    page.run(
        "const box = document.querySelector('.mc-ledger input[type=file]'); const files = new DataTransfer();"
        "files.items.add(new File([arguments[0]], 'ledger.json', {type: 'application/json'}));"
        "box.files = files.files; box.dispatchEvent(new Event('change', {bubbles: true}));"
        "return new Promise((done) => setTimeout(done, 400))",
        text,
    )


def press(page, name):
    """Press a button of the ledger."""
    page.run(
        f"[...document.querySelectorAll('.mc-ledger button')].find((b) => b.textContent === '{name}').click()"
    )
