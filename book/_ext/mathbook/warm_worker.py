"""A build that stands by: what every build loads is loaded before there is anything to build.

To load Sphinx, sympy and the book's own tools takes as long as to write a page anew. `make serve` keeps one
process that has done so, tells it to build when a source changes, and begins the next one. What it has loaded
may have been changed meanwhile: then it begins once more, from nothing.
"""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

from mathbook.folders import PROJECT

# The phases of a build, the extensions of its Sphinx; chapters are left to the builds that need them.
PRELOADED = ("checks", "build_checks", "execution", "assets", "sphinx_run", "markup", "publishing", "figures")
PRELOADED_EXTENSIONS = (
    "myst_nb.sphinx_ext", "sphinx_external_toc", "sphinx_multitoc_numbering", "sphinx_design.extension",
    "sphinxcontrib.bibtex", "sphinxcontrib.bibtex.style.referencing.author_year", "pybtex.backends.plaintext",
    "IPython.lib.lexers",
)  # fmt: skip
START_SIGNAL = b"build\n"


class WarmWorker:
    """The next build of a book: a process that waits for `build`."""

    def __init__(self, arguments):
        """Begin to load, and come back at once."""
        command = [sys.executable, "-m", "mathbook.build", *map(str, arguments), "--standby"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE)

    def build(self):
        """Build, and return the exit code."""
        self.process.communicate(START_SIGNAL)
        return self.process.returncode

    def stop(self):
        """End the process, which has nothing to build."""
        self.process.communicate()


def wait():
    """Load what a build needs, and return when it is asked for; end where nobody asks any more.

    Where a module that was loaded has changed by then, the process begins anew, and builds at once.
    """
    begun = time.time_ns()
    for name in modules():
        importlib.import_module(name)
    loaded = module_times()
    try:
        line = sys.stdin.buffer.readline()
    except KeyboardInterrupt:  # it is meant for who serves
        line = b""
    if line != START_SIGNAL:
        sys.exit()
    if module_times() != loaded or max(loaded.values()) > begun:
        arguments = [argument for argument in sys.argv[1:] if argument != "--standby"]
        os.execv(sys.executable, [sys.executable, "-m", "mathbook.build", *arguments])


def modules():
    """Yield the names of what is loaded, in an order in which it can be."""
    from mathbook import PARTS

    yield from ("jupyter_book.sphinx", *PRELOADED_EXTENSIONS)
    yield from importlib.import_module("sphinx.application").builtin_extensions
    yield from (f"mathbook.{name}" for name in (*PRELOADED, *PARTS))
    yield from ("mathcore.measured", "mathcore.teaching", "mathcore.commands.verification", "mathcore.monte_carlo")


def module_times():
    """Return when each module of this folder that is loaded was written, 0 where one has gone."""
    own = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {path: _modified(Path(path)) for path in own if path and Path(path).is_relative_to(PROJECT)}


def _modified(path):
    return path.stat().st_mtime_ns if path.exists() else 0
