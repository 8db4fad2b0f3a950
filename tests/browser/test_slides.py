"""Protects slides in a real browser: everything on a sheet, on a screen, a phone and paper."""

import base64
import re

import pytest
from built_site import SITE
from course import slides
from mathbook.folders import Book

from mathcore.library import book

BOOK = Book(SITE.parents[1], SITE.parent)
OVER = """return [...document.querySelectorAll(".slide")].map((slide, i) => {
  const beyond = [...slide.querySelectorAll("*")].some((each) => {
    const box = each.getBoundingClientRect(), page = slide.getBoundingClientRect();
    return box.width && (box.right > page.right + 2 || box.bottom > page.bottom + 2);
  });
  return [i + 1, beyond || slide.scrollHeight > slide.clientHeight + 1, Number(slide.style.getPropertyValue("--fit"))];
}).filter(([, over, fit]) => over || fit < 0.45)"""


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    path = tmp_path_factory.mktemp("deck") / "young-daly.html"
    path.write_text(
        slides.slide_deck(BOOK, "young-daly", book.data("recommended_exercises.toml")["young-daly"]), "utf-8"
    )
    return path


def test_nothing_leaves_its_sheet(chromium, deck):
    for width, height in ((1280, 720), (1024, 768), (1920, 1080)):
        chromium.open(deck.as_uri(), width, height)
        assert chromium.run(OVER) == []
    chromium.run("document.querySelector('.slide h2').style.fontSize = '60rem'")
    assert chromium.run(OVER), "a heading that is far too large was not seen"


def test_charts_are_drawn_as_lines(chromium, deck):
    chromium.open(deck.as_uri(), 1280, 720)
    filled = "return [...document.querySelectorAll('.mc-chart .mcc-curve')].map((c) => getComputedStyle(c).fill)"
    assert set(chromium.run(filled)) == {"none"}


def test_phone_can_read_it(chromium, deck):
    chromium.open(deck.as_uri(), 390, 844)
    assert chromium.run("return document.documentElement.scrollWidth") <= 390
    assert chromium.run("return parseFloat(getComputedStyle(document.querySelector('.slide p')).fontSize)") >= 12


def test_it_prints_a_slide_to_a_sheet(chromium, deck):
    chromium.open(deck.as_uri(), 1280, 720)
    count = chromium.run("return document.querySelectorAll('section').length")
    asked = {"preferCSSPageSize": True, "printBackground": True}
    printed = base64.b64decode(chromium.command("Page.printToPDF", **asked)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) == count > 20


def test_keys_turn_the_slides(chromium, deck):
    chromium.open(deck.as_uri(), 1280, 720)
    chromium.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', cancelable: true }))")
    chromium.until("scrollY > innerHeight / 2")
