"""One click stores the book: without its server, other pages still open, and a missing one shows the page 404."""

import functools
import http.server
import threading

import pytest
from browser.conftest import Quiet
from built_site import SITE

COUNT = "caches.keys().then(async (names) => (await (await caches.open(names[0])).keys()).length)"


@pytest.fixture
def leaving():
    """Yield a server of the site's own, to be shut down within the test."""
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.server_close()


def test_book_stored_offline_opens_without_its_server(chromium, leaving):
    home = f"http://127.0.0.1:{leaving.server_address[1]}"
    chromium.open(f"{home}/book/chapters/young-daly/index.html")
    assert chromium.run("return navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    chromium.run("document.querySelector('.mc-save-offline').click()")
    chromium.until("document.querySelector('.mc-toast, [role=status]') && navigator.serviceWorker.controller")
    chromium.rest()
    stored = chromium.run(f"return {COUNT}")
    assert stored > 100, "hardly anything is stored"
    leaving.shutdown()
    leaving.server_close()
    chromium.open(f"{home}/book/chapters/roofline/index.html")
    state = "return [document.querySelectorAll('math').length, document.styleSheets[0].cssRules.length, document.title]"
    formulas, rules, title = chromium.run(state)
    assert formulas > 50 and rules > 100 and "Roofline" in title
    assert chromium.complaints() == []
    chromium.run("document.querySelector('.mc-search-open').click()")
    chromium.run("const f = document.querySelector('#mc-search input'); f.focus(); f.value = 'MFU';"
                 "f.dispatchEvent(new Event('input', {bubbles: true}))")  # fmt: skip
    chromium.until("document.querySelectorAll('#mc-search .mc-results a').length > 2")
    chromium.open(f"{home}/book/chapters/no-such-page.html")
    assert "Page not found" in chromium.text("h1")
    chromium.run(
        "return navigator.serviceWorker.getRegistrations().then((all) => Promise.all(all.map((r) => r.unregister())))"
    )


def test_nothing_is_stored_offline_without_the_click(chromium, leaving):
    home = f"http://127.0.0.1:{leaving.server_address[1]}"
    chromium.open(f"{home}/book/chapters/young-daly/index.html")
    assert chromium.run("return caches.keys().then((names) => names.length)") == 0
    assert not any("worker.js" in url for url in chromium.requests())
