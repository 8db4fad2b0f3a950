"""Find Chromium, its driver and Firefox for the tests, or install them: `python3 .ci/browser.py [chromium]`.

They come from the system's packages, where that is apt and the person may use it; elsewhere one
sentence says what to install. Nothing is downloaded past a package manager. Named `chromium`, it
alone is wanted: it prints the book.
"""

import os
import shutil
import sys
from pathlib import Path

import bootstrap

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FIREFOX = ("firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox")
MACOS_CHROME = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
# What is wanted, by the names of which one must be there, and the packages of Debian that bring it.
PRINTER = {CHROMIUM: ["chromium", "fonts-dejavu-core"], ("chromedriver",): ["chromium-driver"]}
ALL = {**PRINTER, FIREFOX: ["firefox-esr"]}


def browser(wanted):
    """Find the wanted programs, or install them with apt-get; exit with a sentence if some are still missing."""
    if MACOS_CHROME.exists():
        give_name(MACOS_CHROME)
    if not missing(wanted):
        return
    bootstrap.apt_install(*(package for names in missing(wanted) for package in wanted[names]))
    left = missing(wanted)
    if left:
        sys.exit(sentence(wanted, left))


def missing(wanted):
    """Return the entries of `wanted` of which no program is on the path."""
    path = os.pathsep.join([str(bootstrap.VENV / "bin"), os.environ.get("PATH", os.defpath)])
    return [names for names in wanted if not any(shutil.which(name, path=path) for name in names)]


def sentence(wanted, left):
    """Return what is missing and how to install it, as a sentence."""
    if left == [FIREFOX]:
        return (
            "The tests in a browser need Firefox as well: install it (Debian `apt-get install firefox-esr`, macOS "
            "`brew install --cask firefox`), or run `make check`, which does without."
        )
    return (
        "{} need Chromium or Chrome, and chromedriver{}: install them (Debian `apt-get install chromium "
        "chromium-driver firefox-esr`, macOS `brew install --cask google-chrome chromedriver firefox`), or run "
        "`make check`, which does without."
    ).format(*("The tests in a browser", ", and Firefox") if wanted is ALL else ("Printing and binding the book", ""))


def give_name(chrome):
    """Write a script `chromium` into .venv that starts a browser which is not on the path."""
    script = bootstrap.VENV / "bin" / "chromium"
    script.write_text(f'#!/bin/sh\nexec "{chrome}" "$@"\n')
    script.chmod(0o755)


if __name__ == "__main__":
    bootstrap.in_turn(lambda: browser(PRINTER if sys.argv[1:] == ["chromium"] else ALL))
