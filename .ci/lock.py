"""Resolve requirements.lock and package-lock.json anew, within the pins: `python3 .ci/lock.py`.

Both locks hold checksums and no address, so they work with any registry. requirements.lock is
for every system and for Python 3.11 to 3.13 at once.
"""

import json
import sys

import bootstrap
from bootstrap import BUILD, LOCK, ROOT, run, say

NPM_LOCK = ROOT / "package-lock.json"
HEAD = "# Made by `make lock` from pyproject.toml, for Python 3.11 and newer; not edited by hand.\n"


def python_lock():
    """Write requirements.lock with the uv that pyproject.toml names."""
    groups = bootstrap.pyproject()["dependency-groups"]
    (tool,) = groups.pop("lock")
    say(f"resolving requirements.lock with {tool}")
    place = BUILD / "lock"
    run("lock-venv", [sys.executable, "-m", "venv", place], "No place for uv")
    run("lock-uv", [place / "bin" / "python", "-m", "pip", "install", tool], "No uv")
    what = ["pyproject.toml", *(f"--group={name}" for name in groups)]
    how = ["--universal", "--python-version=3.11", "--generate-hashes", "--only-binary=:all:"]
    form = ["--upgrade", "--no-header", "--no-annotate", "--quiet"]
    command = [place / "bin" / "uv", "pip", "compile", *what, *how, *form]
    LOCK.write_text(HEAD + run("lock", command, "requirements.lock stays as it was"))


def npm_lock():
    """Write package-lock.json with the npm of the book's own environment."""
    say("resolving package-lock.json")
    what = ["update", "--package-lock-only", "--loglevel=error"]
    run("lock-npm", [*bootstrap.npm(), *what], "package-lock.json stays as it was")
    content = json.loads(NPM_LOCK.read_text())
    for package in content["packages"].values():
        package.pop("funding", None)  # addresses, of no use for an installation
    NPM_LOCK.write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    bootstrap.in_turn(python_lock, bootstrap.environment, bootstrap.project, bootstrap.node, npm_lock)
