"""Every page in one visit: quiet, no other host, drawn, open on paper, accessible, narrow enough for a phone.

The visit is from disk, where a browser forbids more than from a server, and by phone, which is then made
a wide screen, in the light and in the dark; a server is asked for one page of each kind. `faults` is the whole
visit, and a planted fault shows that each part of it is looked at.
"""

import re

import pytest
from browser.axe import CONTRAST, emptied, violations
from built_site import PAGES, ROOT, SITE, leaves_of

UNDRAWN = """
const seen = (svg) => svg.getBoundingClientRect().height > 100;
const places = [...document.querySelectorAll(".mc-graph")];
return places.filter((place) => ![...place.querySelectorAll("svg")].some(seen)).length;
"""
UNFOLDED = """
dispatchEvent(new Event("beforeprint"));
const folds = [...document.querySelectorAll("article details:not([open])")];
return folds.map((fold) => fold.outerHTML.slice(0, 80));
"""
KINDS = (  # what the book has of pages, one of each kind
    "book/index.html",
    "book/chapters/before-you-start/index.html",
    "book/chapters/roofline/index.html",
    "book/chapters/collectives/hierarchical-and-in-network.html",
    "book/chapters/operations/index.html",
    "book/chapters/operations/spot.html",
    "book/chapters/energy/clock-frequency.html",
    "book/chapters/audit/levers.html",
    "book/chapters/reliability/index.html",
    "book/chapters/reliability/exercises.html",
    "book/chapters/lab-checkpoint-reckoning/index.html",
    "book/chapters/lab-scale-illusion/index.html",
    "book/chapters/ledger.html",
    "book/appendices/comparisons.html",
    "book/appendices/facts/failure.html",
    "book/appendices/audited-claims.html",
    "book/appendices/claims/papers.html",
    "book/appendices/glossary.html",
    "book/appendices/references.html",
)


def loud(page):
    """Yield each complaint in the console, and each request to another host."""
    own = page.run("return location.protocol === 'file:' ? 'file:' : location.origin")
    yield from (f"asks for {url}" for url in page.requests() if not url.startswith(own))
    yield from (f"complains: {words}" for words in page.complaints())


def too_wide(page, width=390):
    """Yield how wide the page is, when a phone shows it only in parts."""
    page.resize(width)
    page.rest()
    found = page.run("return document.documentElement.scrollWidth")
    if found > width:
        yield f"is {found} px wide on {width}"


def broken(page, scheme, only=None):
    """Yield what axe holds against the page in a colour scheme, on a wide screen."""
    page.resize(1280)
    page.scheme(scheme)
    emptied(page)
    page.still()
    yield from (f"breaks, in the {scheme}, {found}" for found in violations(page, only=only))


def faults(page):
    """Return all that is wrong with the open page."""
    found = [f"keeps folded on paper: {fold}" for fold in page.run(UNFOLDED)]
    found += [f"does not draw {n} figures"] if (n := page.run(UNDRAWN)) else []
    return [*found, *too_wide(page), *loud(page), *broken(page, "light"), *broken(page, "dark", CONTRAST)]


def test_every_page_of_the_contents_was_built():
    assert len(PAGES) >= 7, PAGES
    assert (SITE / "index.html").exists()


@pytest.mark.page
@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_fault(chromium, page):
    chromium.open((SITE / page).as_uri(), width=390)
    assert faults(chromium) == []


@pytest.mark.page
@pytest.mark.parametrize("page", [page for page in KINDS if "/lab-" not in page])  # labs: their own tests
def test_page_from_a_server_is_quiet_and_asks_no_other_host(chromium, server, page):
    chromium.open(f"{server}/{page}")
    assert list(loud(chromium)) == []


PLANTED = {
    "new Image().src = 'http://elsewhere.example/pixel.gif'": "asks for http://elsewhere.example",
    "console.error('planted')": "complains: .*planted",
    "setTimeout(() => { throw new Error('planted'); })": "complains: .*planted",
    "show('<img src=\"data:,\">')": "breaks, in the light, image-alt",
    "show('<p style=\"color: #bbb; background: #fff\">pale</p>')": "breaks, in the light, color-contrast",
    "show('<p style=\"color: #333\">dim</p>')": "breaks, in the dark, color-contrast",
    "show('<p style=\"width: 60em\">wide</p>')": "is .* px wide on 390",
    'show(\'<div class="mc-graph"><svg height="0"></svg></div>\')': "does not draw 1 figures",
    "addEventListener('beforeprint', () => show('<details>shut</details>'))": "keeps folded on paper",
}


def plant(page, planted):
    """Put a fault into the open page."""
    show = "const show = (html) => document.querySelector('article').insertAdjacentHTML('beforeend', html);"
    page.run(f"{show} {planted}")


@pytest.mark.parametrize("planted", PLANTED)
def test_planted_fault_would_be_found(chromium, planted):
    chromium.open((SITE / "book/chapters/ledger.html").as_uri())
    plant(chromium, planted)
    found = faults(chromium)
    assert any(re.match(PLANTED[planted], fault) for fault in found), found


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


# ---------------------------------------------------------------- waiting


def test_page_says_when_it_is_live_and_when_something_is_under_way(chapter):
    live = "return document.documentElement.hasAttribute('data-live')"
    assert chapter.run(live)
    chapter.run("mc.during(new Promise((over, fail) => Object.assign(window, {over, fail})))")
    assert not chapter.run(live)
    chapter.run("mc.during(Promise.reject()).catch(() => {})")
    assert not chapter.run(live), "one of two is still under way"
    chapter.run("fail()")
    chapter.until("document.documentElement.hasAttribute('data-live')")


def test_what_never_comes_is_named(chapter):
    patience = chapter.driver.timeouts.script
    chapter.driver.set_script_timeout(1)
    try:
        with pytest.raises(AssertionError, match=r"in vain on .*young-daly/index.html for given\[0\] > 2 of \(1,\)"):
            chapter.until("given[0] > 2", 1)
        chapter.run("mc.during(new Promise(() => {}))")
        with pytest.raises(AssertionError, match=r"young-daly/index.html does not come to rest"):
            chapter.rest()
    finally:
        chapter.driver.set_script_timeout(patience)


# ---------------------------------------------------------------- one chapter for all


def test_mathematics_and_figures_are_there(chapter, server):
    found = []
    for leaf in leaves_of("book/chapters/young-daly/index.html"):
        chapter.open(f"{server}/{leaf}")
        parts = (".katex", ".mc-formula", ".mc-graph")
        script = "return arguments[0].map((part) => document.querySelectorAll(part).length)"
        found.append(chapter.run(script, parts))
    counts = [sum(column) for column in zip(*found, strict=True)]
    assert counts[0] > 300 and counts[1] > 18 and counts[2] == 5


def test_a_mathematical_font_is_used(chapter):
    assert chapter.run("return document.fonts.load('16px Book Mathematics').then((faces) => faces.length)") > 0


def test_chapter_is_printed_in_full_and_folded_again(chapter):
    folds = "return document.querySelectorAll('article details:not([open])').length"
    before = chapter.run(folds)
    assert chapter.run(UNFOLDED) == []
    chapter.run("dispatchEvent(new Event('afterprint'))")
    assert chapter.run(folds) == before > 0
    pdf = chapter.command("Page.printToPDF", printBackground=False)["data"]
    assert len(pdf) > 100_000
