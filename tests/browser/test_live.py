"""Cells that run in the page: nothing is loaded before, the core answers, edits are kept; in Chromium and in Firefox.

How long the first answer takes depends on the machine: the tests wait for it by name.
"""

import html
import json
import re

import pytest
from browser.case_selection import seldom
from browser.firefox import Firefox
from built_site import PAGES, ROOT, SITE
from mathbook import cells, live, live_cell

pytestmark = pytest.mark.xdist_group("live")  # Firefox starts once, in one process
# The cells of exercises are for the reader to complete; tests/test_open_exercises.py runs them.
OFFERED = [
    page
    for page in PAGES
    if 'class="mc-live"' in (SITE / page).read_text("utf-8") and not page.endswith("exercises.html")
]
PAGE = next((page for page in OFFERED if "young-daly" in page), "")
BOX = "document.querySelector('.cell:has(script.mc-live)')"
PRESS = f"[...{BOX}.querySelectorAll('.mc-live-bar button')].find((b) => b.textContent === arguments[0]).click()"
ANSWERED = f"(({BOX}.querySelector('.mc-live-value, .mc-live-error') || {{}}).textContent)"
PYTHON = re.compile(r"/live/|pyodide|mc-live-worker")


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def page(request, server, tmp_path_factory):
    """Yield each browser in turn with the chapter open, and nothing kept."""
    if request.param == "chromium":
        browser = request.getfixturevalue("chromium").open(f"{server}/{PAGE}", fresh=True)
        yield browser
        browser.open(f"{server}/{PAGE}", fresh=True)
        return
    browser = Firefox(tmp_path_factory.mktemp("firefox-live"))
    yield browser.open(f"{server}/{PAGE}")
    browser.quit()


def answered(page, press="Run"):
    """Press a button and return the output."""
    page.run(f"{BOX}.querySelector('.mc-live-output').replaceChildren()")
    page.run(PRESS, press)
    return page.until(ANSWERED)


def typed(page, code):
    page.run(
        f"const f = {BOX}.querySelector('textarea'); f.value = arguments[0];"
        "f.dispatchEvent(new Event('input', { bubbles: true }))",
        code,
    )


def test_cell_is_run_edited_stored_and_reset(page, server):
    assert not [url for url in page.requests() if PYTHON.search(url)], "loaded before anybody pressed Run"
    assert answered(page) == "16.5 percent" == built()
    asked = [url for url in page.requests() if PYTHON.search(url)]
    assert asked and all(url.startswith(server) for url in page.requests())
    page.run(PRESS, "Edit")
    interval = 'find("young_daly.interval").at(C="4 min", M="8 h").to("min").round(1)'
    typed(page, f"from mathcore import find\nprint('hello')\n{interval}")
    assert answered(page) == "hello\n62.0 min"
    typed(page, "one = 1\none / 0")
    assert answered(page) == "line 2: ZeroDivisionError: division by zero"
    page.open(f"{server}/{PAGE}")
    assert page.run(f"return {BOX}.querySelector('textarea').value") == "one = 1\none / 0"
    page.run(PRESS, "Reset")
    assert page.run(f"return {BOX}.querySelector('textarea') === null && !{BOX}.querySelector('.highlight').hidden")
    assert page.complaints() == []


def built():
    """Return what the build printed under the first cell that runs."""
    text = (SITE / PAGE).read_text("utf-8")
    before = text[: text.index('class="mc-live"')]
    return re.findall(r'class="output text_html">([^<]*)<', before)[-1]


def test_endless_cell_is_stopped(page):
    page.run(PRESS, "Edit")
    typed(page, "while True: pass")
    page.run(PRESS, "Run")
    page.run(PRESS, "Stop")
    assert page.until(ANSWERED) == "stopped"
    page.run(PRESS, "Reset")


def test_from_disk_the_page_says_why_nothing_runs(chromium):
    chromium.open((SITE / PAGE).as_uri())
    assert "Cells run where the book comes from a server" in chromium.text(".mc-live-off")
    assert chromium.run("return document.querySelectorAll('.mc-live-bar').length") == 0


def test_failure_to_load_python_is_reported(chromium, server):
    chromium.open(f"{server}/{PAGE}", fresh=True)
    chromium.run("window.Worker = class extends Worker { constructor(u) { super(new URL('nowhere.js', u)); } }")
    assert "Python could not be loaded" in answered(chromium)


# ---------------------------------------------------------------- which cells run, and what they give


@pytest.mark.parametrize("page", seldom(OFFERED, (), 5))
def test_cell_gives_in_python_what_the_page_prints(page):
    """The runner of the browser returns the output below each cell that pages offer."""
    text = (SITE / page).read_text("utf-8")
    code = [
        cell.source
        for cell in cells.code_cells(cells.read_notebook((ROOT / page).with_suffix(".md").read_text("utf-8")))
    ]
    cell = r'cell_input[^>]*>(?:(?!<pre>).)*<pre>((?:(?!</pre>).)*)</pre>(?:(?!cell_input).)*class="mc-live">'
    printed = {html.unescape(re.sub(r"<[^>]+>", "", pre)).strip() for pre in re.findall(cell, text, re.DOTALL)}
    offered = {code: before for code, before in live.runnable_cells(code).items() if code in printed}
    assert offered.keys() == printed and printed
    for code, before in offered.items():
        outputs = json.loads(live_cell.run(before, code))
        assert outputs["error"] == "" and outputs["printed"] + outputs["value"], (code, outputs)


@pytest.mark.parametrize(
    "seeded",
    [
        "import numpy as np",
        "from mathcore.chapters.young_daly.replay_simulation import replayed",
        "from mathbook.plots import Axis",
        "%time 1",
    ],
)
def test_cell_that_needs_more_than_a_browser_has_is_not_offered(seeded):
    assert live.runnable_cells([seeded]) == {}
    assert live.runnable_cells([seeded, "x + 1"]) == {}, "a name from nowhere"


def test_cell_brings_only_what_it_needs():
    earlier = "from mathcore import find\nimport numpy as np\na = find('x')\nb = 2"
    assert live.runnable_cells([earlier, "a.at(1)"]) == {"a.at(1)": "from mathcore import find\na = find('x')"}
    assert live.runnable_cells([earlier, "np.pi * b"]) == {}
