"""Find Chromium and its driver for the tests, or install them: `python3 .ci/browser.py`.

They come from the system's packages, where that is apt and the person may use it; elsewhere one
sentence says what to install. Nothing is downloaded past a package manager.
"""

import os
import shutil
import sys
from pathlib import Path

import bootstrap

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS_CHROME = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
DEBIAN_BROWSER = ["chromium", "chromium-driver", "fonts-dejavu-core"]


def browser():
    """Find Chromium and its driver, or install them where this may be done."""
    if MACOS_CHROME.exists():
        give_name(MACOS_CHROME)
    if browser_is_there():
        return
    right = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") and all(map(shutil.which, right[:1])):
        bootstrap.say("installing Chromium and its driver with apt-get, for the tests in a browser")
        apt = [*right, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "--yes"]
        bootstrap.attempt("apt-update", [*apt, "update"])
        bootstrap.attempt("apt", [*apt, "install", "--no-install-recommends", *DEBIAN_BROWSER])
    if not browser_is_there():
        sys.exit(
            "The tests in a browser need Chromium or Chrome, and chromedriver: install both "
            "(Debian `apt-get install chromium chromium-driver`, macOS `brew install --cask "
            "google-chrome chromedriver`), or run `make check`, which does without."
        )


def give_name(chrome):
    """Let a browser that lies outside PATH be started as `chromium`, as the tests do."""
    script = bootstrap.VENV / "bin" / "chromium"
    script.write_text(f'#!/bin/sh\nexec "{chrome}" "$@"\n')
    script.chmod(0o755)


def browser_is_there():
    """Say whether a Chromium and a driver for it can be started by name."""
    places = os.pathsep.join([str(bootstrap.VENV / "bin"), os.environ.get("PATH", os.defpath)])
    found = {name for name in (*BROWSERS, "chromedriver") if shutil.which(name, path=places)}
    return "chromedriver" in found and len(found) > 1


if __name__ == "__main__":
    bootstrap.in_turn(browser)
