"""A real Chromium on the built site, cut off from every other host.

The site is what `make book` left in `_build/html`. Names of other hosts do not resolve, and each
request is written down, so that a page that asks for one is caught and named. Nothing here waits for
a time: a page says on `<html data-live>` when all of it is live, and what a test needs beyond that is
waited for by name, so that a busy machine makes the tests slow, not red.
"""

import functools
import http.server
import json
import shutil
import threading
from pathlib import Path

import pytest
from built_site import SITE
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --force-color-profile=srgb "
    "--disable-features=BackForwardCache "  # or pages that were left go on computing
    '--host-resolver-rules="MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"'
)
PATIENCE = 300  # seconds until what never comes is named; what comes is never waited for longer
# Two frames: what an event or a new size asks for is then drawn, and has begun to load.
REST = """
const done = arguments[arguments.length - 1], frame = requestAnimationFrame;
(function look() {
  const live = () => document.documentElement.hasAttribute("data-live");
  frame(() => frame(() => (live() ? done() : setTimeout(look, 10))));
})();
"""
UNTIL = """
const given = [...arguments], done = given.pop();
(function look() {
  const found = (%s);
  if (found) done(found); else setTimeout(look, 10);
})();
"""


def pytest_collection_modifyitems(items):
    """Mark everything in this folder: it needs Chromium and the built site."""
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serve the site without a word."""

    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture(scope="session")
def server():
    """Serve the built site and yield its address."""
    assert (SITE / "index.html").exists(), "there is no built site: run `make book` first"
    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


class Browser:
    """Chromium with a record of its console and its requests."""

    def __init__(self, folder):
        """Start Chromium with a profile of its own."""
        options = Options()
        options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
        for flag in FLAGS.split(" --"):
            options.add_argument("--" + flag.removeprefix("--").replace('"', ""))
        options.add_argument(f"--user-data-dir={folder}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.size = 1280, 900
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.command_executor.client_config.timeout = 2 * PATIENCE

    def open(self, address, width=1280, height=900, dark=False, scripts=True, fresh=False):
        """Open a page at a size, in a colour scheme, with or without scripts, and wait until it is live.

        `fresh` forgets first what earlier pages of the same server have stored.
        """
        self.resize(width, height)
        self.scheme("dark" if dark else "light")
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.driver.get("about:blank")  # a new address that differs in its hash alone loads nothing
        self.forget()
        if fresh:
            origin = "/".join(address.split("/")[:3])
            self.command("Storage.clearDataForOrigin", origin=origin, storageTypes="local_storage")
        self.driver.get(address)
        if scripts:
            self.rest()
        return self

    def reload(self):
        """Open the same address again, with all that is stored."""
        return self.open(self.driver.current_url)

    def resize(self, width, height=900):
        """Give the screen another size; below 500 pixels it is a phone's."""
        self.size = width, height
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def scheme(self, name):
        """Prefer the light or the dark colours."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def command(self, name, **parameters):
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script, *arguments):
        """Run JavaScript in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def rest(self):
        """Wait until all of the page is live and drawn, and nothing that was begun is under way."""
        try:
            self.driver.execute_async_script(REST)
        except TimeoutException as error:
            raise AssertionError(f"{self.driver.current_url} does not come to rest") from error
        return self

    def laid(self):
        """Wait until all of the page is laid out, and so in the accessibility tree."""
        self.rest()
        self.until("!document.querySelector('.mc-article > section > section:not([data-laid])')")
        return self.rest()

    def still(self):
        """Wait until what moves or changes its colour has done so."""
        self.rest()
        self.until("document.getAnimations().every((each) => each.playState !== 'running')")

    def until(self, condition, *given):
        """Wait until an expression of JavaScript holds, and return its value; it sees `given`."""
        try:
            return self.driver.execute_async_script(UNTIL % condition, *given)
        except TimeoutException as error:
            where = self.driver.current_url
            raise AssertionError(f"timed out on {where} waiting for {condition} of {given}") from error

    def text(self, selector):
        """Return the text of the first element that fits."""
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def forget(self):
        """Empty both records."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def complaints(self):
        """Return what the console holds against the page."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Return the addresses the page has asked for since it was opened."""
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("data:", "about:", "blob:"))]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Yield one browser for all tests."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.driver.quit()


@pytest.fixture(autouse=True)
def scripts_run(request):
    """Let the shared browser run scripts: the test before, in the same process, may have opened a page without."""
    if "chromium" in request.fixturenames:
        request.getfixturevalue("chromium").command("Emulation.setScriptExecutionDisabled", value=False)


@pytest.fixture
def chapter(chromium, server):
    """Open the chapter on Young and Daly, with nothing kept from earlier tests."""
    return chromium.open(f"{server}/book/chapters/young-daly/index.html", fresh=True)


@pytest.fixture
def exercises(chromium, server):
    """Open the page of that chapter's exercises, with nothing kept from earlier tests."""
    return chromium.open(f"{server}/book/chapters/young-daly/exercises.html", fresh=True)
