"""Node as a servant: a script that answers each line of JSON with one line, {"html": …} or {"error": …}."""

import atexit
import functools
import json
import os
import subprocess


class Refusal(ValueError):
    """The script cannot do what it was asked; the text is what it says."""


def asked(script, *arguments, **question):
    """Return the HTML with which a script answers; it is started when it is first asked.

    Raises: Refusal.
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
    process = subprocess.Popen(["node", script, *arguments], **pipes)
    atexit.register(_ended, pid, process)
    return process


def _ended(pid, process):
    if pid == os.getpid():
        process.communicate()  # closes its input, which ends it
