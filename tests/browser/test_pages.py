"""Every page: quiet console, no other host, accessible in both schemes, fits a phone, shows its formulas."""

import re

import pytest
from built_site import PAGES, ROOT, SITE

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(
  (found) => done(found.violations.map(
    (v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(' | '))),
  (error) => done(['axe failed: ' + error]));
"""
SCROLL = """
const done = arguments[0];
let y = 0;
(function step() {
  window.scrollTo(0, y);
  y += window.innerHeight;
  if (y < document.documentElement.scrollHeight) { setTimeout(step, 30); } else { setTimeout(done, 900); }
})();
"""


def test_every_page_of_the_contents_was_built():
    assert len(PAGES) >= 7, PAGES
    assert (SITE / "index.html").exists()


@pytest.mark.parametrize("page", PAGES)
def test_page_is_quiet_and_asks_no_other_host(chromium, server, page):
    chromium.open(f"{server}/{page}")
    chromium.driver.execute_async_script(SCROLL)  # figures load when they come near
    outside = [url for url in chromium.requests() if not url.startswith(server)]
    assert outside == []
    assert chromium.complaints() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_violation(chromium, server, page, scheme):
    chromium.open(f"{server}/{page}", dark=scheme == "dark")
    chromium.driver.execute_async_script(SCROLL)
    chromium.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    chromium.run(AXE)
    assert chromium.driver.execute_async_script(RUN_AXE) == []


def test_axe_would_have_found_a_violation(chromium, server):
    chromium.open(f"{server}/{PAGES[0]}")
    chromium.run("document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=\"data:,\">')")
    chromium.run(AXE)
    assert any(found.startswith("image-alt") for found in chromium.driver.execute_async_script(RUN_AXE))


def test_axe_would_have_found_a_pale_word_in_the_dark(chromium, server):
    chromium.open(f"{server}/{PAGES[0]}", dark=True)
    pale = '<p style="color: #333">hardly to be read</p>'
    chromium.run("document.querySelector('article').insertAdjacentHTML('beforeend', arguments[0])", pale)
    chromium.run(AXE)
    found = chromium.driver.execute_async_script(RUN_AXE)
    assert [line.partition(":")[0] for line in found] == ["color-contrast"]


@pytest.mark.parametrize("page", PAGES)
def test_page_fits_a_phone_without_sideways_scrolling(chromium, server, page):
    chromium.open(f"{server}/{page}", width=390, height=800)
    chromium.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    width = chromium.run("return document.documentElement.scrollWidth")
    assert width <= 390, f"{page} is {width} px wide"


@pytest.mark.parametrize("page", PAGES)
def test_no_formula_failed_and_none_is_left_as_tex(page):
    text = (SITE / page).read_text(encoding="utf-8")
    assert "katex-error" not in text
    assert "cc0000" not in text
    prose = re.sub(r"<(script|annotation|code|pre|button)\b.*?</\1>", "", text, flags=re.S)
    assert not re.search(r">[^<]*\\(frac|sqrt|tau|mathrm)\b[^<]*<", prose)


@pytest.mark.parametrize("page", PAGES)
def test_page_names_no_machine(page):
    text = (SITE / page).read_text(encoding="utf-8")
    assert str(ROOT) not in text
    assert "ipykernel" not in text


def test_mathematics_and_figures_are_there(chapter):
    counts = chapter.run(
        "return [document.querySelectorAll('.katex').length, document.querySelectorAll('.mc-formula').length,"
        " document.querySelectorAll('.mc-plotly').length]"
    )
    assert counts[0] > 150 and counts[1] > 18 and counts[2] == 4
    chapter.driver.execute_async_script(SCROLL)
    drawn = chapter.run("return document.querySelectorAll('.mc-plotly .main-svg').length")
    assert drawn >= 4, "plotly has not drawn every figure that came near"


def test_plotly_is_not_loaded_before_a_figure_comes_near(chapter):
    assert not any("plotly" in url for url in chapter.requests())


def test_a_mathematical_font_is_used(chapter):
    chapter.run("document.fonts.load('16px KaTeX_Main')")
    assert chapter.run("return document.fonts.check('16px KaTeX_Main')")


def test_printing_opens_what_is_folded(chapter):
    chapter.run("window.dispatchEvent(new Event('beforeprint'))")
    folded = chapter.run(
        "return [...document.querySelectorAll('article details')].filter((d) => !d.open).length"
    )
    assert folded == 0
    pdf = chapter.command("Page.printToPDF", printBackground=False)["data"]
    assert len(pdf) > 100_000
