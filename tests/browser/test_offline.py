"""The site without a server, without scripts and without a network is still the whole book."""

import pytest
from built_site import SITE

CHAPTER = (SITE / "book" / "chapters" / "young-daly" / "index.html").as_uri()
EXERCISES = CHAPTER.replace("index.html", "exercises.html")


def test_calculator_works_from_disk(chromium):
    chromium.open(CHAPTER)
    before = chromium.run("return document.querySelector('mc-explorer .mc-result').textContent")
    chromium.run(
        "const s = document.getElementById('young-daly-explorer-M'); s.value = 50;"
        "s.dispatchEvent(new Event('input', {bubbles: true}));"
        "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    after = chromium.run("return document.querySelector('mc-explorer .mc-result').textContent")
    assert before == "62.0\u202fmin"
    assert after == "155\u202fmin"


@pytest.fixture
def without_scripts(chromium):
    """Open the chapter with JavaScript off, from disk."""
    chromium.open(CHAPTER, scripts=False)
    return chromium


def text_of(page, selector):
    """Return the text of the first element that fits; works while scripts are off."""
    root = page.command("DOM.getDocument", depth=0)["root"]["nodeId"]
    node = page.command("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    assert node, f"nothing fits {selector}"
    return page.command("DOM.getOuterHTML", nodeId=node)["outerHTML"]


def test_without_scripts_the_explorer_is_drawn_with_its_table(without_scripts):
    html = text_of(without_scripts, "mc-explorer")
    assert "<svg" in html and "<path" in html
    assert "16.5\u202f%" in html and "62.0\u202fmin" in html


def test_without_scripts_the_solution_is_in_the_page(chromium):
    html = text_of(chromium.open(EXERCISES, scripts=False), "mc-exercise[data-address='young_daly.ex_interval']")
    assert "<details" in html and "60.0\u202fmin" in html
    assert "JavaScript" in html  # says why the answer is not checked


def test_without_scripts_figures_are_drawn_and_have_numbers(without_scripts):
    html = text_of(without_scripts, ".mc-figure")
    assert "<svg" in html and "<table" in html


def test_without_scripts_nothing_is_hidden_for_good(without_scripts):
    html = text_of(without_scripts, "article")
    assert "proved" in html and "katex" in html
