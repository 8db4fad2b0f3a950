"""A book of four pages that plain Sphinx builds with `mathbook.redirects`, for tests."""

import json
import subprocess
import sys

PAGES = {
    "index": "Book\n====\n\n.. toctree::\n\n   new/first\n   new/second\n   list\n",
    "new/first": "First page\n==========\n\n.. _top:\n\nHere\n----\n\nText.\n",
    "new/second": "Second page\n===========\n\n.. _queues-load:\n\nThere\n-----\n\n"
    ".. _queues-explorer:\n\nMore\n----\n\nText.\n",
    "list": "List\n====\n\nText.\n",
}
REDIRECTS = {
    "pages": {
        "old/chapter": {
            "to": "new/first",
            "anchors": {"new/first": ["here"], "new/second": ["queue-load", "more", "queue-explorer"]},
            "renamed": {"queue-load": "queues-load", "queue-explorer": "queues-explorer"},
            "addresses": {"queue.explorer": "queues.explorer", "queue.ex_load": "queues.ex_load"},
        },
        "list": {"to": "list", "anchors": {"new/second": ["queue-load"]}, "renamed": {"queue-load": "queues-load"}},
    },
    "cells": {"old/chapter": ["ridge"]},
}


def build(folder, redirects=REDIRECTS, baseurl=""):
    """Build the book below `folder`; return the folder of its site and what Sphinx has written as warnings."""
    source, out = folder / "source", folder / "site"
    for name, text in PAGES.items():
        path = source / f"{name}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (source / "redirects.json").write_text(json.dumps(redirects))
    settings = {"extensions": ["mathbook.redirects"], "html_theme": "basic", "mathbook_redirects": "redirects.json"}
    settings |= {"html_baseurl": baseurl, "html_theme_options": {}}
    (source / "conf.py").write_text("\n".join(f"{key} = {value!r}" for key, value in settings.items()))
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out, done.stderr
