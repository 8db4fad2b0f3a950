"""A deck of slides in Chromium, from disk as a lecturer opens it: every slide is stepped through by keyboard.

Nothing waits long: a deck does not say when it is live, as pages of the book do, so a browser of its own has short
limits.
"""

import pytest
from browser.conftest import Browser
from built_site import ROOT
from course import rendering
from mathbook.diagrams import registry
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

CHAPTER = "collectives"  # whose slide on small messages has a formula and six drawings
WIDTH, HEIGHT = 1280, 720
LOAD, SCRIPT = 10, 5  # seconds
STEPS = 60  # that are more than any deck has
READY = "globalThis.Reveal && Reveal.isReady && Reveal.isReady()"
STILL = "document.getAnimations().every(({ effect: { target } }) => !target.matches('.fragment'))"
NOW = """
const slide = Reveal.getCurrentSlide(), frame = slide.getBoundingClientRect();
const notes = slide.querySelector("aside.notes");
const seen = (part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const box = (part) => part.getBoundingClientRect();
const parts = [...slide.querySelectorAll("*")].filter((part) => !part.closest("aside") && box(part).width);
const beyond = parts.filter((part) => ["right", "bottom"].some((side) => box(part)[side] > frame[side] + 2));
return {
  title: slide.querySelector("h1, h2").textContent,
  notes: notes ? notes.textContent.trim() : "",
  shown: Boolean(notes) && seen(notes),
  answers: [...slide.querySelectorAll(".fragment")].map(seen),
  high: slide.scrollHeight - slide.clientHeight,
  wide: slide.scrollWidth - slide.clientWidth,
  size: [slide.offsetWidth, slide.offsetHeight],
  beyond: beyond.map((part) => part.outerHTML.slice(0, 80)),
  last: Reveal.isLastSlide() && !Reveal.availableFragments().next,
};
"""
ASKED = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
STYLE = "document.head.append(Object.assign(document.createElement('style'), { textContent: arguments[0] }))"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Build the deck and return its address."""
    folder, before = tmp_path_factory.mktemp("deck"), registry.diagrams_folder()
    try:
        rendering.write_slides(ROOT, folder, [CHAPTER])
    finally:
        registry.set_diagrams_folder(before)
    return (folder / CHAPTER / "slides.html").as_uri()


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    """Yield a browser of a lecturer's screen, which ends with the tests of this file."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    try:
        browser.driver.set_page_load_timeout(LOAD)
        browser.driver.set_script_timeout(SCRIPT)
        browser.resize(WIDTH, HEIGHT)
        yield browser
    finally:
        browser.driver.quit()


@pytest.fixture
def deck(window, address):
    """Open the deck at its first slide."""
    window.driver.get("about:blank")
    window.forget()
    window.driver.get(address)
    window.until(READY)
    return window


def steps(deck):
    """Return the visible text before and after each press of the space bar, to the end of the deck."""
    found = [deck.run(NOW)]
    while not found[-1]["last"] and len(found) < STEPS:
        ActionChains(deck.driver, duration=0).send_keys(Keys.SPACE).perform()
        deck.until(STILL)  # an answer appears over a fifth of a second
        found.append(deck.run(NOW))
    return found


def faults(seen):
    """Yield what is wrong in the steps through a deck."""
    for step in seen:
        title = step["title"]
        if len(step["notes"].split()) < 6 or step["shown"]:
            yield f"{title}: no notes, or the audience sees them"
        if step["high"] > 0 or step["wide"] > 0 or step["beyond"]:
            yield f"{title}: {step['high']} px too high, {step['wide']} too wide, {step['beyond']}"
    for title in {step["title"] for step in seen if step["title"].startswith("Question: ")}:
        if [step["answers"] for step in seen if step["title"] == title] != [[False], [True]]:
            yield f"{title}: its answer is not hidden and then shown"
    if not seen[-1]["last"]:
        yield "the end is not reached"


def titles():
    """Return the titles of the slides as written."""
    text = (ROOT / "book" / "chapters" / CHAPTER / rendering.SLIDES).read_text("utf-8")
    return [line.lstrip("# ") for line in text.splitlines() if line.startswith(("# ", "## "))]


# sphinx-revealjs uses names that Sphinx has deprecated
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


def test_deck_is_stepped_through(deck):
    seen = steps(deck)
    assert list(faults(seen)) == []
    assert list(dict.fromkeys(step["title"] for step in seen)) == titles()
    assert all(step["size"] == [WIDTH, HEIGHT] for step in seen)
    assert len({step["title"] for step in seen if step["answers"]}) == 2
    asked = [*deck.run(ASKED), *deck.requests()]
    assert asked and all(url.startswith("file:") for url in asked)
    assert deck.complaints() == []


@pytest.mark.parametrize(
    ("seeded", "fault"),
    [
        (".reveal li { margin: 4em 0 !important; }", "too high"),
        (".reveal figure svg { width: 1600px !important; max-width: none !important; }", "too wide"),
        (".reveal .fragment { opacity: 1 !important; visibility: visible !important; }", "its answer"),
        (".reveal aside.notes { display: block !important; }", "the audience sees them"),
    ],
)
def test_seeded_fault_is_found(deck, seeded, fault):
    deck.run(STYLE, seeded)
    assert any(fault in each for each in faults(steps(deck)))


def test_request_to_another_host_is_found(deck):
    deck.run("document.body.append(Object.assign(new Image(), { src: 'https://other.example/a.png' }))")
    deck.until("performance.getEntriesByType('resource').some(({ name }) => !name.startsWith('file:'))")
    assert not all(url.startswith("file:") for url in deck.run(ASKED))
