"""Processes that are killed while writing a checkpoint, one for each stage of the write."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from practice import durable

ROOT = Path(__file__).resolve().parent.parent
# The process counts the stages and kills itself with SIGKILL.
_WRITE = """
import os, signal, sys
from practice import durable
folder, step, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
stages = []
def after(stage):
    stages.append(stage)
    if len(stages) == last:
        print(stage, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
durable.write(folder, step, {f"rank-{rank}": bytes([rank]) * 100_000 for rank in range(2)}, after=after)
"""


class Crash(NamedTuple):
    """A crash: its stage, the newest intact checkpoint after it, and whether all renamed ones are intact."""

    stage: str
    newest: str
    whole: bool


def write_and_crash(folder, step, number, code=_WRITE):
    """Write a checkpoint in a process that is killed after a stage; return the name of the stage.

    Raises: RuntimeError if the process was not killed.
    """
    command = [sys.executable, "-c", code, str(folder), str(step), str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the writer ended with {done.returncode}, not by SIGKILL: {done.stderr[-200:]}")
    return done.stdout.strip()


def crashes(folder):
    """Kill a writer at every stage, with one earlier checkpoint, and return a Crash for each."""
    found = []
    for number in range(1, durable.stages(2) + 1):
        place = Path(folder, f"death-{number}")
        durable.write(place, 30, {"rank-0": b"whole"})
        stage = write_and_crash(place, 40, number)
        whole = all(not durable.faults(path) for path in durable.listed(place))
        found.append(Crash(stage, durable.newest(place).name, whole))
    return found
