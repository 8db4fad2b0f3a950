"""Every page, opened once for all checks; and that every check finds a seeded fault."""

import re

import pytest
from browser.page_checks import CHECKS, HEARD, KINDS, LONG, PHONE, UNFOLDED, console, faults, requests
from built_site import PAGES, SITE


def test_every_page_of_the_contents_was_built():
    assert len(PAGES) >= 7, PAGES
    assert (SITE / "index.html").exists()


# The templates are those of all pages: each kind and each fifth page has all checks on every push, nightly all pages.
WITH_ALL_CHECKS = {*KINDS, *HEARD, *PAGES[::5]}


@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_fault(chromium, page):
    chromium.open((SITE / page).as_uri(), *PHONE)
    assert faults(chromium, page, CHECKS if page in WITH_ALL_CHECKS else CHECKS.keys() - LONG) == {}


@pytest.mark.extended
@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITH_ALL_CHECKS])
def test_long_checks_find_nothing_on_any_other_page(chromium, page):
    chromium.open((SITE / page).as_uri(), *PHONE)
    assert faults(chromium, page, LONG) == {}


@pytest.mark.parametrize("page", [page for page in KINDS if "/lab-" not in page])  # labs: their own tests
def test_page_from_a_server_is_quiet_and_asks_no_other_host(chromium, server, page):
    chromium.open(f"{server}/{page}")
    assert [*console(chromium, page), *requests(chromium, page)] == []


# For each page, seeded faults: `{JavaScript: (check, start of what it says)}`. They are seeded together.
LEDGER = {
    "new Image().src = 'http://elsewhere.example/pixel.gif'": ("requests", "http://elsewhere.example/pixel.gif"),
    "console.error('printed')": ("console", ".*printed"),
    "setTimeout(() => { throw new Error('thrown'); })": ("console", ".*Error: thrown"),
    "show('<img src=\"data:,\">')": ("axe", "image-alt"),
    "show('<p style=\"color: #bbb; background: #fff\">pale</p>')": ("axe", "color-contrast"),
    "show('<p style=\"color: #333\">dim</p>')": ("contrast", "color-contrast"),
    "show('<p style=\"width: 60em\">wide</p>')": ("width", "is .* px wide on 390"),
    'show(\'<div class="mc-graph"><svg height="0"></svg></div>\')': ("figures", "does not draw 1"),
    "addEventListener('beforeprint', () => show('<details>shut</details>'))": ("paper", "keeps folded"),
    "show('<p style=\"width: 6em; height: 1.5em; overflow: hidden\">words that are cut off here</p>')": (
        "preferences", "at 200 %: cuts <p"),
    f"show('<p style=\"white-space: nowrap; font-size: 16px\">{'wide ' * 12}</p>')": ("preferences", "at 400 %: is"),
    'svg(\'<text style="fill: #fffdf9" y="9">pale</text>\')': (
        "preferences", "in forced light colours: is faint: pale"),
    'svg(\'<text style="fill: #14171b; forced-color-adjust: none" y="9">dark</text>\')': (
        "preferences", "in forced dark colours: is faint: dark"),
    'svg(\'<path d="M0 0h9" style="fill: none"/>\')': (
        "preferences", "in forced light colours: shows"),
    "show('<p style=\"transition: color 2s !important\">slow</p>')": ("preferences", "without motion: moves over time"),
    "show('<p style=\"width: 25ch; white-space: pre; font: 16px monospace; overflow: hidden\">all that fits in</p>')": (
        "preferences", "in looser type: cuts <p"),
}  # fmt: skip
MEMORY = {
    "text(0).textContent = 'words that are much too long for any sheet of a phone and go on'": (
        "diagrams on a phone", '.* "words that .*" leaves its sheet'),
    "['x', 'y'].forEach((at) => text(2).setAttribute(at, text(1).getAttribute(at)))": (
        "diagrams on a phone", ".* overlap"),
    "text(3).setAttribute('font-size', 4)": ("diagrams on a phone", ".* px small"),
    "text(4).style.fill = '#777'": ("diagrams on a phone", ".*: [34]\\..* in the dark"),
    "desk(0).textContent += ' and so on and on and on'.repeat(9)": ("diagrams on a desk", ".* leaves its sheet"),
    "desk(4).style.fill = '#bbb'": ("diagrams on a desk", ".*: 1\\..* in the light"),
    "show('<div class=\"mc-diagram\"></div>')": ("diagrams on a desk", "1 diagrams are not shown once"),
    "document.querySelector('article p').style.height = '16000px'": ("length", "fills .* screens"),
}  # fmt: skip
YOUNG_DALY = {
    "document.querySelector('main').prepend(document.createElement('button'))": (
        "screen reader", "a button has no name"),
    "folds[1].ariaLabel = folds[0].ariaLabel": ("screen reader", "2 folds are called"),
    "document.querySelector('mc-explorer [role=status]').removeAttribute('role')": (
        "screen reader", "young_daly.explorer does not announce its changes"),
}  # fmt: skip
WAITING = {  # as it would be if the sections waited for the window
    "style('.mc-article > section > section { content-visibility: auto !important }')": (
        "screen reader", "has the headings"),
}  # fmt: skip
SEEDED = {
    "ledger": ("book/chapters/ledger.html", LEDGER),
    "memory": ("book/chapters/parallelism/data-parallelism.html", MEMORY),
    "young-daly": ("book/chapters/young-daly/index.html", YOUNG_DALY),
    "waiting": ("book/chapters/young-daly/index.html", WAITING),
}
SEED = """
const show = (html) => document.querySelector("article").insertAdjacentHTML("beforeend", html);
const svg = (inside) => show(`<svg width="9" height="9">${inside}</svg>`);
const style = (text) => document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
const folds = document.querySelectorAll(".mc-more > summary");
const sheet = (layout) => [...document.querySelectorAll(`.mc-layout-${layout} svg.mc-schematic`)].at(-1);
const text = (index) => sheet("narrow").querySelectorAll("text")[index];
const desk = (index) => sheet("wide").querySelectorAll("text")[index];
"""


@pytest.mark.parametrize("name", SEEDED)
def test_every_seeded_fault_is_found_by_its_check(chromium, name):
    path, seeds = SEEDED[name]
    chromium.open((SITE / path).as_uri(), *PHONE)
    for fault in seeds:
        chromium.run(f"{SEED} {fault}")
    found = faults(chromium, path)
    missed = [
        (check, start) for check, start in seeds.values()
        if not any(re.match(start, message) for message in found.get(check, ()))
    ]  # fmt: skip
    assert missed == [], found


def test_a_fault_is_seeded_for_every_check():
    assert {check for _, seeds in SEEDED.values() for check, _ in seeds.values()} == set(CHECKS)


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
        with pytest.raises(
            AssertionError, match=r"timed out on .*young-daly/index.html waiting for given\[0\] > 2 of \(1,\)"
        ):
            chapter.until("given[0] > 2", 1)
        chapter.run("mc.during(new Promise(() => {}))")
        with pytest.raises(AssertionError, match=r"young-daly/index.html does not come to rest"):
            chapter.rest()
    finally:
        chapter.driver.set_script_timeout(patience)


# ---------------------------------------------------------------- one chapter for all


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
