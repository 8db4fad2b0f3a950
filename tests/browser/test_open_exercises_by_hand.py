"""Exercises that no substitution answers, done as readers do them: with a mouse, by the keyboard alone, on a phone.

Each of ten exercises of level three is done in one way: a mistake is made and named, the hints are opened, the right
answer is given, and both survive a reload. Right answers and mistakes are worked out here from the prompts.
A text is the answer of one field, a tuple that of several lists.
"""

import re
from dataclasses import dataclass

import pytest
from browser.page_checks import DESK, PHONE, STYLED, UNSTYLED
from mathbook.render_context import anchor
from selenium.webdriver import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_MOUSE, POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mathcore import find
from mathcore.teaching import ProgramExercise

MANY = 200  # presses of Tab, within which the keyboard reaches every part of an exercise
FOCUSED = "return document.activeElement === arguments[0]"
AHEAD = """
const now = document.activeElement;
return now === document.body || Boolean(now.compareDocumentPosition(arguments[0]) & Node.DOCUMENT_POSITION_FOLLOWING);
"""
TOO_WIDE = """
const [box] = arguments, edge = box.getBoundingClientRect(), page = document.documentElement;
const parts = [...box.querySelectorAll("input, select, textarea, button, label, summary, pre, p")].filter((part) => {
  const { left, right } = part.getBoundingClientRect();
  return part.checkVisibility() && (right > edge.right + 1 || left < edge.left - 1);
});
const found = parts.map((part) => `${part.localName} leaves the exercise`);
if (page.scrollWidth > page.clientWidth) found.push(`the page is ${page.scrollWidth} px wide`);
return found;
"""


class Pointer:
    """What a reader does with a mouse or a finger."""

    def __init__(self, page, size, kind):
        """Take the page as open, its size, and the kind of pointer."""
        self.page, self.size, self.kind = page, size, kind

    def press(self, part):
        """Press a part where it is seen."""
        self.page.run("arguments[0].scrollIntoView({ block: 'center' })", part)
        actions = ActionBuilder(self.page.driver, mouse=PointerInput(self.kind, self.kind))
        actions.pointer_action.click(part)
        actions.perform()

    def type(self, field, text, keys):
        """Type an answer instead of what is in the field; each symbol that has a key on the page is pressed."""
        self.press(field)
        field.send_keys(Keys.CONTROL, "a", Keys.NULL, Keys.DELETE)
        for part in re.findall(r"[A-Za-z]\w*|[^A-Za-z]+", text):
            if part in keys:
                self.press(keys[part])
            else:
                field.send_keys(part)

    def choose(self, field, text):
        """Choose an option of a list."""
        self.page.run("arguments[0].scrollIntoView({ block: 'center' })", field)
        Select(field).select_by_visible_text(text)

    def submit(self, box):
        """Press the button."""
        self.press(box.find_element(By.CSS_SELECTOR, ".mc-check"))


class Keyboard:
    """What a reader does without a pointer; nothing is reached but by Tab."""

    def __init__(self, page, size):
        """Take the page as open, and its size."""
        self.page, self.size = page, size

    def keys(self, *keys):
        """Press keys, wherever the focus is."""
        ActionChains(self.page.driver, duration=0).send_keys(*keys).perform()

    def held(self, modifier, key):
        """Press a key while another is held."""
        ActionChains(self.page.driver, duration=0).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def reach(self, part):
        """Move the focus to a part, forwards or backwards."""
        for _ in range(MANY):
            if self.page.run(FOCUSED, part):
                return
            if self.page.run(AHEAD, part):
                self.keys(Keys.TAB)
            else:
                self.held(Keys.SHIFT, Keys.TAB)
        raise AssertionError(f"no Tab reaches {part.get_attribute('outerHTML')[:90]}")

    def press(self, part):
        """Press a button or the head of a fold."""
        self.reach(part)
        self.keys(Keys.SPACE)

    def type(self, field, text, keys):
        """Type an answer instead of what is in the field."""
        self.reach(field)
        self.held(Keys.CONTROL, "a")
        self.keys(Keys.DELETE, text)

    def choose(self, field, text):
        """Choose an option of a list with arrows."""
        self.reach(field)
        place = [option.text for option in Select(field).options].index(text)
        self.keys(Keys.HOME, *[Keys.ARROW_DOWN] * place)

    def submit(self, box):
        """Press Enter in a field, and the button after lists, where Enter opens the list."""
        if box.find_elements(By.TAG_NAME, "select"):
            self.press(box.find_element(By.CSS_SELECTOR, ".mc-check"))
        else:
            self.keys(Keys.ENTER)


WAYS = {
    "mouse": lambda page: Pointer(page, DESK, POINTER_MOUSE),
    "keyboard": lambda page: Keyboard(page, DESK),
    "phone": lambda page: Pointer(page, PHONE, POINTER_TOUCH),
}


@dataclass(frozen=True)
class Case:
    """An exercise, how it is done, a wrong answer with words of its diagnosis, and a right one."""

    address: str
    way: str
    wrong: str | tuple
    words: str
    right: str | tuple


CASES = [
    # The least waste is √(2C/M).
    Case("young_daly.derive_budget", "keyboard", "2*C/b_w", "the budget enters squared", "2 C / b_w^2"),
    # Apart 2jV/b, fused the longer of 2V/b and j k_e V/P.
    Case("roofline.derive_fusion", "mouse", "j", "there is a ceiling", "(2*j/b)/max(2/b, j*k_e/P)"),
    # S κ/b_s = 2 N S/(P n u).
    Case("serving.derive_swap", "phone", "kappa*P*n*u/N", "two operations for each", "kappa*P*n*u/(2*N)"),
    # Six times 100,000/16,384 GPUs times 90/54 days is 61; the duration left out it is 37.
    Case("reliability.estimate_sdc", "mouse", "37", "times too small", "61"),
    # 35 GB at 320 GB/s; with as many bytes as a tenth of the weights ten times that.
    Case("roofline.estimate_laptop", "keyboard", "91 token/s", "more than one assumption", "9.1 token/s"),
    # 2 × 140 GB / (8 × 50 GB/s), of which four fifths are attained.
    Case("collectives.estimate_allreduce", "phone", "0.875 ms", "Check the units", "0.7 s"),
    # NCCL has no recursive doubling; with faster NICs the node has to add up first.
    Case("collectives.design_purchase", "mouse", ("as installed", "recursive doubling"), "not in NCCL",
         ("NICs of twice the rate", "hierarchical")),
    # A timeout of half a minute ends jobs that only stall.
    Case("goodput.design_timeout", "keyboard", ("0.5 min",), "the optimum is", ("10 min",)),
    Case("parallelism.design_exposed", "phone", ("1", "16", "1"), "the optimum is", ("2", "8", "2")),
]  # fmt: skip
# A mean instead of the longest delay.
PROGRAM = Case(
    "speedup.program_slowest", "keyboard",
    "import random\ndef slowest(N, theta, runs, seed):\n return theta", "times the right value",
    "import random\ndef slowest(N, theta, runs, seed):\n rng = random.Random(seed)\n"
    " return sum(max(rng.expovariate(1 / theta) for _ in range(N)) for _ in range(runs)) / runs",
)  # fmt: skip


class Sheet:
    """One exercise in the open page."""

    def __init__(self, page, server, case, fresh=True):
        """Open the exercise's place in the page of its chapter, as a link does."""
        chapter, name = case.address.split(".")
        self.address = f"{chapter}.open_exercises.{name}"
        place = f"{server}/book/chapters/{chapter.replace('_', '-')}/exercises.html#{anchor(self.address)}"
        self.page, self.hand = page, WAYS[case.way](page)
        page.open(place, *self.hand.size, fresh=fresh)
        self.box = page.driver.find_element(By.ID, anchor(self.address))

    def all(self, selector):
        """Return the parts of the exercise that fit."""
        return self.box.find_elements(By.CSS_SELECTOR, selector)

    def give(self, answer):
        """Give an answer, press Check, and return the feedback."""
        if isinstance(answer, str):
            keys = {key.text: key for key in self.all("[data-insert]")}
            self.hand.type(*self.all(".mc-input"), answer, keys)
        else:
            for field, text in zip(self.all("select"), answer, strict=True):
                self.hand.choose(field, spaced(field, text))
        self.hand.submit(self.box)
        return self.feedback()

    def feedback(self):
        """Return the verdict and its words."""
        (place,) = self.all(".mc-feedback")
        return place.get_attribute("data-verdict") or "", place.text

    def answer(self):
        """Return the answer in the fields."""
        if lists := self.all("select"):
            return tuple(Select(each).first_selected_option.text.replace("\u202f", " ") for each in lists)
        return self.all(".mc-input")[0].get_property("value")

    def hints(self):
        """Open the hints in turn; return how many are seen before each, and how many in the end are open."""
        found = []
        for hint in self.all(".mc-hint"):
            found.append(sum(each.is_displayed() for each in self.all(".mc-hint")))
            self.hand.press(hint.find_element(By.TAG_NAME, "summary"))
            self.page.rest()
        return [*found, len(self.all(".mc-hint[open]"))]

    def too_wide(self):
        """Return what is too wide for a phone."""
        self.page.resize(*PHONE)
        self.page.rest()
        return self.page.run(TOO_WIDE, self.box)


def spaced(field, text):
    """Return the option of a list that reads `text`, with the spaces of the page."""
    return next(each.text for each in Select(field).options if each.text.replace("\u202f", " ") == text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.address}-{case.way}")
def test_exercise_is_done(chromium, server, case):
    sheet = Sheet(chromium, server, case)
    assert find(sheet.address).level == 3
    verdict, words = sheet.give(case.wrong)
    assert verdict in ("mistake", "wrong", "slip") and case.words in words, words
    assert sheet.hints() == [1, 2, 3, 3]
    feedback = sheet.give(case.right)
    assert feedback[0] == "right", feedback
    assert sheet.too_wide() == []
    again = Sheet(chromium, server, case, fresh=False)
    assert (again.answer(), again.feedback()) == (case.right, feedback)
    assert again.all(".mc-mark")[0].text == "solved" and chromium.complaints() == []


ORDERED = [("ownership.order_wait", "keyboard"), ("speedup.order_half", "mouse"), ("audit.order_kernel", "phone")]


class Lines:
    """The lines of a derivation in the open page, by the numbers of their steps; below zero the wrong ones."""

    def __init__(self, sheet):
        """Take an exercise that orders steps."""
        self.sheet, self.steps = sheet, [step for _, step in find(sheet.address).lines]

    def press(self, step, move):
        """Press a button of a line."""
        (key,) = self.sheet.all(f"[data-line='{self.steps.index(step)}'] [data-move='{move}']")
        self.sheet.hand.press(key)

    def check(self):
        """Press Check, and return the feedback."""
        self.sheet.hand.press(*self.sheet.all(".mc-check"))
        return self.sheet.feedback()

    def chain(self):
        """Return the steps in the reader's order."""
        return [self.steps[int(each.get_attribute("data-line"))] for each in self.sheet.all(".mc-order-chain > li")]


@pytest.mark.parametrize(("address", "way"), ORDERED)
def test_lines_of_a_derivation_are_put_in_order(chromium, server, address, way):
    case = Case(address, way, "", "", "")
    sheet = Sheet(chromium, server, case)
    lines, many = Lines(sheet), len(find(sheet.address).steps)
    assert lines.check()[0] == "unread"
    lines.press(-1, "add")
    verdict, words = lines.check()
    assert verdict == "mistake" and find(sheet.address).wrong[0]["label"] in words
    assert sheet.hints() == [1, 2, 3, 3]
    lines.press(-1, "remove")
    for step in [1, 0, *range(2, many)]:
        lines.press(step, "add")
    verdict, words = lines.check()
    assert verdict == "wrong" and "Line 1 rests on a line that does not stand above it" in words
    lines.press(0, "up")
    assert sheet.feedback() == ("note", f"{'ABCDEFGHIJ'[lines.steps.index(0)]} is line 1 of {many}.")
    feedback = lines.check()
    assert feedback[0] == "right" and lines.chain() == list(range(many))
    assert sheet.too_wide() == []
    again = Sheet(chromium, server, case, fresh=False)
    assert (Lines(again).chain(), again.feedback()) == (list(range(many)), feedback)
    assert again.all(".mc-mark")[0].text == "solved" and chromium.complaints() == []


def test_program_is_written_by_keyboard(chromium, server):
    sheet = Sheet(chromium, server, PROGRAM)
    assert isinstance(find(sheet.address), ProgramExercise)
    run, edit, _ = sheet.all(".mc-live-bar button")
    sheet.hand.press(edit)
    for code, verdict in ((PROGRAM.wrong, PROGRAM.words), (PROGRAM.right, "All 3 checks passed.")):
        sheet.hand.type(*sheet.all("textarea"), code, {})
        sheet.hand.held(Keys.CONTROL, Keys.ENTER)
        chromium.until("given[0].textContent === 'Run' && !given[0].dataset.busy", run)
        assert verdict in sheet.all(".mc-live-output")[0].text
    assert sheet.too_wide() == []
    again = Sheet(chromium, server, PROGRAM, fresh=False)
    assert again.all("textarea")[0].get_property("value") == PROGRAM.right
    assert again.all(".mc-mark")[0].text == "solved"


def test_unchecked_answer_survives_a_reload(chromium, server):
    case = CASES[1]
    sheet = Sheet(chromium, server, case)
    sheet.hand.type(*sheet.all(".mc-input"), "2*j", {key.text: key for key in sheet.all("[data-insert]")})
    again = Sheet(chromium, server, case, fresh=False)
    assert again.answer() == "2*j" and again.feedback() == ("", "") and again.all(".mc-mark")[0].text == ""


@pytest.mark.parametrize(
    "seeded", [".mc-open .mc-input { min-width: 34rem; }", ".mc-open .mc-help { white-space: nowrap; }"]
)
def test_field_that_is_too_wide_is_found(chromium, server, seeded):
    sheet = Sheet(chromium, server, CASES[2])
    assert sheet.too_wide() == []
    chromium.run(STYLED, seeded)
    assert sheet.too_wide()
    chromium.run(UNSTYLED)


def test_answer_that_a_reload_drops_is_found(chromium, server):
    case = CASES[0]
    sheet = Sheet(chromium, server, case)
    feedback = sheet.give(case.right)
    chromium.run("addEventListener('pagehide', () => localStorage.removeItem(mc.progress.key))")
    again = Sheet(chromium, server, case, fresh=False)
    assert (again.answer(), again.feedback()) != (case.right, feedback)
