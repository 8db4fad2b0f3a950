"""Firefox has the same book: every page quiet, its mathematics set, calculators and exercises alive, things found.

A seeded fault shows that each complaint would be heard.
"""

import itertools
import json
import time

import pytest
from browser.case_selection import seldom
from browser.firefox import PATIENCE, Firefox, Unanswered
from browser.page_checks import KINDS
from built_site import PAGES, SITE, page_with
from websocket import WebSocketTimeoutException

pytestmark = pytest.mark.xdist_group("firefox")  # Firefox starts once, in one process
CHAPTER = "book/chapters/young-daly/index.html"
EXERCISES = "book/chapters/young-daly/exercises.html"
# Return the faults of a page's mathematics: elements with a wrong number of children, fractions that are not stacked,
# formulas without a width.
UNSET = """
const arity = { mfrac: 2, msub: 2, msup: 2, munder: 2, mover: 2, mroot: 2, msubsup: 3, munderover: 3 };
const incomplete = [...document.querySelectorAll("math *")].filter((node) =>
  arity[node.localName] && node.children.length !== arity[node.localName]);
const folded = (node) => node.closest("details:not([open])") || !node.checkVisibility();
const set = [...document.querySelectorAll("article math")].slice(0, 120).filter((node) => !folded(node));
const flat = set.filter((node) => node.querySelector("mfrac")).filter((node) => {
  const [above, below] = [...node.querySelector("mfrac").children].map((part) => part.getBoundingClientRect());
  return !(above.height > 0 && above.bottom <= below.top + 2);
});
const empty = set.filter((node) => node.textContent.trim() && node.getBoundingClientRect().width < 1);
return [...incomplete, ...flat, ...empty].map((node) => node.outerHTML.slice(0, 80));
"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    """Yield one Firefox for all tests."""
    browser = Firefox(tmp_path_factory.mktemp("firefox"))
    yield browser
    browser.quit()


def faults(page):
    """Return what is wrong with the open page."""
    own = page.run("return location.protocol === 'file:' ? 'file:' : location.origin")
    found = [f"asks for {url}" for url in page.requests() if not url.startswith(own)]
    found += [f"complains: {words}" for words in page.complaints()]
    return found + [f"does not set {formula}" for formula in page.run(UNSET)]


@pytest.mark.parametrize("page", seldom(PAGES, KINDS, len(PAGES)))
def test_page_is_quiet_and_its_mathematics_is_set(firefox, page):
    firefox.open((SITE / page).as_uri())
    assert faults(firefox) == []


class Silent:
    """A socket that leaves the first navigations to a page, as many as given, without an answer."""

    def __init__(self, silent):
        self.silent, self.sent, self.seconds = silent, [], []

    def settimeout(self, seconds):
        self.seconds.append(seconds)

    def send(self, text):
        self.sent.append(json.loads(text))

    def recv(self):
        command = self.sent[-1]
        if command["params"].get("url", "").startswith("file:") and self.silent:
            self.silent -= 1
            raise WebSocketTimeoutException
        result = {"type": "success", "result": {"value": "true"}}
        return json.dumps({"id": command["id"], "type": "success", "result": result})


@pytest.mark.parametrize(("silent", "loads"), [(0, 1), (1, 2), (2, 2)])
def test_navigation_without_an_answer_is_repeated_once(silent, loads):
    firefox = object.__new__(Firefox)
    firefox.socket, firefox.page, firefox.events, firefox.numbers = Silent(silent), "page", [], itertools.count(1)
    if silent == 2:
        with pytest.raises(Unanswered, match="timed out waiting for browsingContext"):
            firefox.open("file:///page.html")
    else:
        firefox.open("file:///page.html")
    sent = [each["params"]["url"] for each in firefox.socket.sent if "url" in each["params"]]
    assert sent == ["about:blank", *["file:///page.html"] * loads]
    assert firefox.socket.seconds[-1] == PATIENCE


# A formula of elements that Firefox does not know, as all of MathML once was.
UNKNOWN = """
const fraction = Object.assign(document.createElement("mfrac"), { innerHTML: "<span>1</span><span>2</span>" });
const formula = document.createElement("math");
formula.append(fraction);
document.querySelector("article").prepend(formula);
"""
SEEDED = {
    "console.error('printed')": "complains: printed",
    "setTimeout(() => { throw new Error('thrown'); })": "complains: Error: thrown",
    "new Image().src = 'https://elsewhere.example/pixel.gif'": "asks for https://elsewhere.example",
    "document.querySelector('article msub').lastElementChild.remove()": "does not set <msub",
    "document.querySelector('article mfrac').append(document.createElement('i'))": "does not set <mfrac",
    UNKNOWN: "does not set <math",
}


def test_every_seeded_fault_is_found(firefox):
    firefox.open((SITE / CHAPTER).as_uri())
    for fault in SEEDED:
        firefox.run(fault)
    for _ in range(100):  # the event of a request or an error may reach the test after the frame
        found = faults(firefox)
        missed = [start for start in SEEDED.values() if not any(fault.startswith(start) for fault in found)]
        if not missed:
            return
        time.sleep(0.1)
    raise AssertionError(missed, found)


def test_slider_moves_what_depends_on_it(firefox, server):
    firefox.open(f"{server}/{page_with('young-daly-explorer', CHAPTER)}")
    assert firefox.text("mc-explorer .mc-result") == "62.0\u202fmin"
    firefox.run(
        "const s = document.getElementById('young-daly-explorer-M'); s.value = 50;"
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    firefox.until("document.querySelector('mc-explorer .mc-result').textContent === '155\u202fmin'")
    assert faults(firefox) == []


def test_exercise_is_answered_by_keyboard(firefox, server):
    firefox.open(f"{server}/{EXERCISES}")
    box = "document.querySelector(\"mc-exercise[data-address='young_daly.ex_interval']\")"
    for text, verdict in (("42.4 min", "mistake"), ("60 min", "right")):
        firefox.run(f"const f = {box}.querySelector('.mc-input'); f.value = ''; f.focus()")
        firefox.typed(f"{text}\ue007")
        firefox.until(f"{box}.querySelector('.mc-feedback').dataset.verdict === given[0]", verdict)


def test_search_finds_by_keyboard_from_a_server_and_from_disk(firefox, server):
    for address in (f"{server}/{CHAPTER}", (SITE / CHAPTER).as_uri()):
        firefox.open(address)
        firefox.run("document.querySelector('.mc-search-open').click()")
        firefox.until("document.querySelector('#mc-search').open")
        firefox.typed("ring all-reduce")
        firefox.until("/ring/i.test((document.querySelector('#mc-search .mc-results a') || {}).textContent)")
        assert firefox.complaints() == []


def test_dark_colours_are_chosen_and_stored(firefox, server):
    luminance = (
        "const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);"
        "return (r + g + b) / 3"
    )
    firefox.open(f"{server}/{CHAPTER}")
    assert firefox.run(luminance) > 200
    firefox.run("document.querySelector('.mc-colours').click()")
    assert firefox.run(luminance) < 60
    firefox.open(f"{server}/book/chapters/roofline/index.html")
    assert firefox.run(luminance) < 60, "the choice is forgotten"
    firefox.run("document.querySelector('.mc-colours').click()")
