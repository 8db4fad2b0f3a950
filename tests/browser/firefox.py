"""Firefox, spoken to by WebDriver BiDi over its own socket: no registry has its driver.

It offers what the tests ask of Chromium too: open, run, until, complaints, requests. Names of other hosts do not
resolve, for all but this machine goes through a proxy that is not there.
"""

import itertools
import json
import re
import shutil
import subprocess
import time

from websocket import WebSocketTimeoutException, create_connection

NAMES = ("firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox")
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "toolkit.telemetry.reportingpolicy.firstRun": False,
    "extensions.update.enabled": False, "services.settings.server": "",
    "layout.css.prefers-color-scheme.content-override": 1,  # light
    "network.proxy.type": 1, "network.proxy.socks": "127.0.0.1", "network.proxy.socks_port": 9,
    "network.proxy.socks_remote_dns": True, "network.proxy.no_proxies_on": "127.0.0.1,localhost",
    "browser.startup.page": 0, "dom.disable_open_during_load": False, "fission.autostart": False,
}  # fmt: skip
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
EVENTS = ["log.entryAdded", "network.beforeRequestSent"]
# Firefox lays out MathML while it still parses a long page, and then reports elements whose children are yet to come.
# The tests count the children in the finished document instead.
WHILE_PARSING = "Invalid markup: Incorrect number of children for"
PATIENCE = 300  # seconds until what never comes is named
LOST = 100  # seconds after which the answer to a navigation is taken as lost: pages load in one or two
UNTIL = """(...given) => new Promise((done) => {
  (function look() { const found = (%s); if (found) done(found); else setTimeout(look, 20); })();
})"""
REST = """() => new Promise((done) => { (function look() { requestAnimationFrame(() => requestAnimationFrame(() =>
  document.documentElement.hasAttribute("data-live") ? done(true) : look())); })(); })"""


def binary():
    """Return where Firefox is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Unanswered(AssertionError):
    """Firefox has not answered a command in time."""


class Firefox:
    """Firefox without a window, with a record of its console and its requests."""

    def __init__(self, folder):
        """Start Firefox with a profile of its own, and a session."""
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("\n".join(lines))
        command = [
            binary(),
            "--headless",
            "--no-remote",
            "--profile",
            folder,
            "--remote-debugging-port=0",
            "about:blank",
        ]
        self.output = folder / "output.txt"
        with self.output.open("w") as out:
            self.process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=subprocess.STDOUT)
        self.socket = create_connection(f"{self._address()}/session", timeout=PATIENCE, suppress_origin=True)
        self.numbers, self.events = itertools.count(1), []
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=EVENTS)
        self.page = self.command("browsingContext.getTree")["contexts"][0]["context"]

    def _address(self):
        for _ in range(PATIENCE * 5):
            if found := LISTENS.search(self.output.read_text()):
                return found[1]
            assert self.process.poll() is None, f"Firefox has ended: {self.output.read_text()}"
            time.sleep(0.2)
        raise AssertionError(f"Firefox does not listen: {self.output.read_text()}")

    def quit(self):
        """End Firefox."""
        self.socket.close()
        self.process.terminate()
        self.process.wait(60)

    def command(self, method, **parameters):
        """Send a command and return its result; events that arrive meanwhile are stored."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            try:
                answer = json.loads(self.socket.recv())
            except WebSocketTimeoutException as error:
                raise Unanswered(f"timed out waiting for {method} {parameters}") from error
            if answer.get("id") == number:
                assert answer["type"] == "success", f"{method}: {answer.get('message')}"
                return answer["result"]
            self.events.append(answer)

    def open(self, address, width=1280, height=900):
        """Open a page at a size, and wait until it is live."""
        self.command("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})
        self.command("browsingContext.navigate", context=self.page, url="about:blank", wait="complete")
        # Firefox seldom forgets to answer a navigation, and then goes on; a page that hangs does so twice.
        try:
            self._load(address, LOST)
        except Unanswered:
            self._load(address, PATIENCE)
        self.call(REST)
        return self

    def _load(self, address, seconds):
        """Load a page and record its events alone; raise Unanswered if no answer comes for these seconds."""
        self.events.clear()
        self.socket.settimeout(seconds)
        try:
            self.command("browsingContext.navigate", context=self.page, url=address, wait="complete")
        finally:
            self.socket.settimeout(PATIENCE)

    def call(self, function, *arguments):
        """Call a function of JavaScript in the page and return its value, awaited."""
        given = [{"type": "string", "value": json.dumps(each)} for each in arguments]
        declared = (
            f"async (...given) => JSON.stringify(await ({function})(...given.map((each) => JSON.parse(each))) ?? null)"
        )
        result = self.command(
            "script.callFunction", functionDeclaration=declared, arguments=given, awaitPromise=True,
            target={"context": self.page}, userActivation=True,
        )  # fmt: skip
        assert result["type"] == "success", result.get("exceptionDetails", {}).get("text")
        return json.loads(result["result"]["value"])

    def run(self, script, *arguments):
        """Run JavaScript in the page, which sees `arguments`, and return its value."""
        return self.call(f"function () {{ {script} }}", *arguments)

    def until(self, condition, *given):
        """Wait until an expression of JavaScript holds, and return its value; it sees `given`."""
        return self.call(UNTIL % condition, *given)

    def text(self, selector):
        """Return the text of the first element that fits."""
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def complaints(self):
        """Return the errors and warnings of the console."""
        entries = [event["params"] for event in self.events if event.get("method") == "log.entryAdded"]
        texts = [entry["text"] for entry in entries if entry["level"] in ("error", "warn")]
        return [text for text in texts if not text.startswith(WHILE_PARSING)]

    def requests(self):
        """Return the addresses the page has asked for since it was opened."""
        sent = [event["params"] for event in self.events if event.get("method") == "network.beforeRequestSent"]
        urls = [each["request"]["url"] for each in sent if each.get("context") == self.page]
        return [url for url in urls if not url.startswith(("data:", "about:", "blob:"))]

    def typed(self, text):
        """Press the keys of a text; `\\ue007` is Enter."""
        keys = [{"type": kind, "value": sign} for sign in text for kind in ("keyDown", "keyUp")]
        self.command(
            "input.performActions", context=self.page, actions=[{"type": "key", "id": "keys", "actions": keys}]
        )
