"""Protects the drawings in a real browser: words within their sheets and apart, films that play, paper.

The widths of letters are only estimated when a drawing is made; here the browser measures them.
"""

import re
from pathlib import Path

import pytest
from built_site import ROOT, SITE

SHEET = "mc-schematic"
DRAWN = re.compile(r"^:::\{mc:diagram\} (\S+)$", re.MULTILINE)
PAGES = [
    path.relative_to(ROOT).with_suffix(".html").as_posix()
    for path in sorted((ROOT / "book").rglob("*.md"))
    if DRAWN.search(path.read_text("utf-8"))
]
# Of each drawing that is seen: texts beyond its sheet or on each other, and letters below ten pixels.
CROWDED = """
const found = [];
for (const sheet of document.querySelectorAll("svg.mc-schematic")) {
  const frame = sheet.getBoundingClientRect();
  if (!frame.width) continue;
  const name = sheet.querySelector("title").textContent;
  const scale = frame.width / sheet.viewBox.baseVal.width;
  const boxes = [...sheet.querySelectorAll("text")].filter((text) => !text.getAttribute("x").includes(" "))
    .map((text) => ({ words: text.textContent, size: parseFloat(getComputedStyle(text).fontSize) * scale,
      box: text.getBoundingClientRect() }));
  for (const [index, one] of boxes.entries()) {
    if (one.box.left < frame.left - 1 || one.box.right > frame.right + 1 || one.box.bottom > frame.bottom + 1) {
      found.push(`${name}: "${one.words}" leaves its sheet`);
    }
    if (one.size < 9) found.push(`${name}: "${one.words}" is ${one.size} px small`);
    for (const other of boxes.slice(index + 1)) {
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 2 && high > 4) found.push(`${name}: "${one.words}" and "${other.words}" lie on each other`);
    }
  }
}
return found;
"""
UNSEEN = """
return [...document.querySelectorAll(".mc-draw")].filter((place) =>
  [...place.querySelectorAll("svg")].filter((each) => each.getBoundingClientRect().width).length !== 1).length;
"""
# The colours of words and of what they stand on, by WCAG; the lowest contrast of each kind of words.
PALE = """
const luminance = (colour) => {
  const parts = colour.match(/[\\d.]+/g).map(Number);
  const scaled = colour.startsWith("color(srgb") ? parts : parts.slice(0, 3).map((part) => part / 255);
  const [r, g, b] = scaled.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const page = getComputedStyle(document.querySelector(".mc-article, body")).getPropertyValue("--mc-page");
const probe = document.body.appendChild(document.createElement("i"));
probe.style.color = "var(--mc-page)";
const ground = luminance(getComputedStyle(probe).color);
probe.remove();
return [...document.querySelectorAll("svg.mc-schematic text:not(.t-on)")].map((text) => {
  const words = luminance(getComputedStyle(text).fill);
  const [high, low] = [Math.max(words, ground), Math.min(words, ground)];
  return { words: text.textContent, contrast: (high + 0.05) / (low + 0.05) };
}).filter(({ contrast }) => contrast < 4.5).map(({ words, contrast }) => `${words}: ${contrast.toFixed(2)}`);
"""
FILM = "document.querySelector('.mc-film')"
SEEN = f"return [...{FILM}.querySelectorAll('.mc-frame')].filter((each) => each.offsetParent).length"


def address(page):
    """Return a built page as an address on this disk."""
    return Path(SITE / page).as_uri()


@pytest.mark.page
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_words_have_room(chromium, page, width, dark):
    seen = chromium.open(address(page), width=width, dark=dark)
    assert seen.run(CROWDED) == []
    assert seen.run(UNSEEN) == 0
    assert seen.run(PALE) == []


def test_crowded_words_would_be_found(chromium):
    page = chromium.open(address("book/chapters/parallelism/memory.html"), width=390)
    page.run("""
      const [first, second] = document.querySelectorAll(".mc-layout-narrow svg.mc-schematic text");
      first.textContent = "words that are much too long for any sheet of a phone and go on";
      second.setAttribute("x", first.getAttribute("x"));
      second.setAttribute("y", first.getAttribute("y"));
      second.setAttribute("font-size", 4);
    """)
    found = " ".join(page.run(CROWDED))
    assert "leaves its sheet" in found and "lie on each other" in found and "px small" in found


def test_pale_words_would_be_found(chromium):
    page = chromium.open(address("book/chapters/parallelism/memory.html"))
    page.run("document.querySelector('svg.mc-schematic text').style.fill = '#bbb'")
    assert page.run(PALE) != []


def test_film_is_whole_without_scripts(chromium):
    page = chromium.open(address("book/chapters/collectives/index.html"), scripts=False)
    assert page.run(SEEN) == 7
    assert page.run(f"return {FILM}.querySelector('.mc-film-bar').offsetParent") is None
    chromium.command("Emulation.setScriptExecutionDisabled", value=False)


def test_film_can_be_stepped_through_and_played(chromium):
    page = chromium.open(address("book/chapters/collectives/index.html"))
    told = f"return {FILM}.querySelector('.mc-count').value"
    press = f"{FILM}.querySelector('[data-do={{}}]').click()"
    assert page.run(SEEN) == 7 and page.run(told) == "7 steps"
    page.run(press.format("next"))
    assert page.run(SEEN) == 1 and page.run(told) == "step 1 of 7"
    page.run(f"{FILM}.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight' }}))")
    assert page.run(told) == "step 2 of 7"
    page.run(press.format("back"))
    assert page.run(told) == "step 1 of 7"
    page.run(press.format("play"))
    page.until(f"{FILM}.querySelector('.mc-count').value === 'step 3 of 7'")
    page.run(press.format("play"))
    assert page.run(f"return {FILM}.querySelector('[data-do=play]').textContent") == "Play"
    page.run(press.format("all"))
    assert page.run(SEEN) == 7


def test_long_film_shows_a_few_stills_and_plays_them_all(chromium):
    page = chromium.open(address("book/chapters/serving/queues.html"))
    assert page.run(SEEN) == 4
    page.run(f"{FILM}.querySelector('[data-do=next]').click()")
    assert page.run(f"return {FILM}.querySelector('.mc-count').value") == "step 1 of 13"
