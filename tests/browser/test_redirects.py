"""Old addresses in Chromium: query and fragment go along, from a server, from disk, and without JavaScript."""

import functools
import http.server
import threading
from urllib.parse import unquote, urlsplit

import pytest
from browser.conftest import Quiet
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait
from small_sphinx import build

OLD = "old/chapter.html"
PLACES = {
    "": ("new/first.html", "", ""),
    "#here": ("new/first.html", "", "here"),
    "#more": ("new/second.html", "", "more"),
    "#queue-load": ("new/second.html", "", "queues-load"),
    "#unknown": ("new/first.html", "", "unknown"),
    "?utm=x#here": ("new/first.html", "utm=x", "here"),
    "?queue.explorer=C:4,M:8": ("new/second.html", "queues.explorer=C:4,M:8", ""),
    "?queue.explorer=C:4&a=b%20c#here": ("new/first.html", "queues.explorer=C:4&a=b+c", "here"),
    "?seed=7": ("new/first.html", "seed=7", ""),
    "?seed=queue.ex_load:7,other.x:2": ("new/first.html", "seed=queues.ex_load:7,other.x:2", ""),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("book"))[0]


@pytest.fixture(scope="module")
def at(site):
    """Return the address at which the small site is served."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def reached(chromium, base, tail):
    """Return page, query and fragment to which an old address leads; a script of Sphinx quotes the query."""
    chromium.driver.get("about:blank")
    chromium.driver.get(f"{base}/{OLD}{tail}")
    # A script that waits in the page would be lost with the page that it leaves.
    WebDriverWait(chromium.driver, 30).until(expected_conditions.url_contains("/new/"))
    chromium.until("document.readyState === 'complete'")
    parts = urlsplit(chromium.run("return location.href"))
    return "/".join(parts.path.split("/")[-2:]), unquote(parts.query), parts.fragment


@pytest.mark.parametrize("tail", PLACES)
def test_old_address_redirects_with_query_and_fragment(chromium, at, tail):
    assert reached(chromium, at, tail) == PLACES[tail]


@pytest.mark.parametrize("tail", ["", "#queue-load", "?queue.explorer=C:4,M:8"])
def test_from_disk_as_well(chromium, site, tail):
    assert reached(chromium, site.as_uri(), tail) == PLACES[tail]


def test_back_leaves_the_old_address(chromium, at):
    reached(chromium, at, "#more")
    chromium.driver.back()
    assert chromium.run("return location.href") == "about:blank"


def test_redirect_without_its_query_is_found(chromium, at, site):
    stub = site / OLD
    before_change = stub.read_text("utf-8")
    stub.write_text(
        before_change.replace("target.search = location.search;", "").replace("target.search = new", "new"), "utf-8"
    )
    try:
        assert reached(chromium, at, "?queue.explorer=C:4,M:8") != PLACES["?queue.explorer=C:4,M:8"]
    finally:
        stub.write_text(before_change, "utf-8")


@pytest.mark.parametrize(
    ("tail", "link"), [("#queue-load", "new/second.html#queues-load"), ("", None), ("#unknown", None)]
)
def test_without_scripts_the_page_shows_the_one_link(chromium, at, tail, link):
    """What is printed is what a reader sees: Chromium computes styles though the page runs no script of its own."""
    chromium.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.driver.get("about:blank")
        chromium.driver.get(f"{at}/{OLD}{tail}")
        root = chromium.command("DOM.getDocument", depth=0)["root"]["nodeId"]
        items = chromium.command("DOM.querySelectorAll", nodeId=root, selector="li, #mc-to")["nodeIds"]
        chromium.command("DOM.enable")
        chromium.command("CSS.enable")
        seen = []
        for node in items:
            styles = chromium.command("CSS.getComputedStyleForNode", nodeId=node)["computedStyle"]
            if {s["name"]: s["value"] for s in styles}["display"] != "none":
                seen.append(chromium.command("DOM.getOuterHTML", nodeId=node)["outerHTML"])
    finally:
        chromium.command("Emulation.setScriptExecutionDisabled", value=False)
    assert seen[0] == '<a id="mc-to" href="../new/first.html">First page</a>'
    assert len(seen) == (2 if link else 1) and (not link or f'href="../{link}"' in seen[1])
