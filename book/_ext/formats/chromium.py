"""Headless Chromium without network access, used for printing and layout."""

import base64
import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb",
    "--disable-dev-shm-usage", "--js-flags=--max-old-space-size=8192", "--allow-file-access-from-files",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
TIMEOUT = 1800  # seconds


class NoBrowser(Exception):
    """Chromium or chromedriver is missing."""


class Chromium:
    """A headless Chromium, to be used as a context manager."""

    def __enter__(self):
        """Start Chromium with a profile of its own, and return this object."""
        binary, driver = next(filter(None, map(shutil.which, NAMES)), None), shutil.which("chromedriver")
        if not (binary and driver):
            raise NoBrowser("Chromium and chromedriver print the book, and are not here: run `make browser`")
        self.folder, options = tempfile.TemporaryDirectory(), Options()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={self.folder.name}"):
            options.add_argument(flag)
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.driver.set_script_timeout(TIMEOUT)
        self.driver.set_page_load_timeout(TIMEOUT)
        self.driver.command_executor.client_config.timeout = TIMEOUT
        return self

    def __exit__(self, *_):
        """End Chromium and delete its profile."""
        self.driver.quit()
        self.folder.cleanup()

    def command(self, name, **parameters):
        """Return the result of a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def open(self, path, width=1280, media="screen"):
        """Open a file at a width in CSS pixels, for screen or print, and wait for its fonts."""
        self.command("Emulation.setEmulatedMedia", media=media)
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        self.driver.get(Path(path).resolve().as_uri())
        self.driver.execute_async_script("const done = arguments[0]; document.fonts.ready.then(() => done())")

    def run(self, script, *arguments):
        """Run JavaScript in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def print_pdf(self, **options):
        """Return the open page as the bytes of a PDF."""
        stream = self.command("Page.printToPDF", transferMode="ReturnAsStream", **options)["stream"]
        parts = []
        while True:
            part = self.command("IO.read", handle=stream, size=1 << 22)
            data = part["data"]
            parts.append(base64.b64decode(data) if part.get("base64Encoded") else data.encode("latin-1"))
            if part["eof"]:
                return b"".join(parts)

    def screenshot(self, width, height):
        """Return the open page as the bytes of a PNG of that size."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        return base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])
