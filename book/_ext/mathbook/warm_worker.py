"""A process that has loaded everything a build needs before there is anything to build.

Loading Sphinx, SymPy and this extension takes as long as writing a page. `make serve` keeps one such process, tells it
to build when a source changes, and starts the next one. If a loaded module has changed in the meantime, the process
starts again.
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
    """The next build of a book, in a process that waits for a signal."""

    def __init__(self, arguments):
        """Start the process, which loads modules, and return at once."""
        command = [sys.executable, "-m", "mathbook.build", *map(str, arguments), "--standby"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE)

    def build(self):
        """Build, and return the exit code."""
        self.process.communicate(START_SIGNAL)
        return self.process.returncode

    def stop(self):
        """End the process without a build."""
        self.process.communicate()


def wait():
    """Load what a build needs, and return when the build is requested; end the process if the input is closed.

    If a loaded module has changed by then, the process starts again and builds at once.
    """
    begun = time.time_ns()
    for name in modules():
        importlib.import_module(name)
    loaded = module_times()
    try:
        line = sys.stdin.buffer.readline()
    except KeyboardInterrupt:  # Ctrl-C is meant for the server
        line = b""
    if line != START_SIGNAL:
        sys.exit()
    if module_times() != loaded or max(loaded.values()) > begun:
        arguments = [argument for argument in sys.argv[1:] if argument != "--standby"]
        os.execv(sys.executable, [sys.executable, "-m", "mathbook.build", *arguments])


def modules():
    """Yield the names of the modules to load, in order."""
    from mathbook import PARTS

    yield from ("jupyter_book.sphinx", *PRELOADED_EXTENSIONS)
    yield from importlib.import_module("sphinx.application").builtin_extensions
    yield from (f"mathbook.{name}" for name in (*PRELOADED, *PARTS))
    yield from ("mathcore.measured", "mathcore.teaching", "mathcore.commands.verification", "mathcore.monte_carlo")


def module_times():
    """Return `{module: modification time}` of the loaded modules of this package, 0 for a deleted one."""
    own = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {path: _modified(Path(path)) for path in own if path and Path(path).is_relative_to(PROJECT)}


def _modified(path):
    return path.stat().st_mtime_ns if path.exists() else 0
