"""Processes that write a checkpoint and are killed on the way: every stage of a write, one process for each."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from practice import durable

ROOT = Path(__file__).resolve().parent.parent
# What the victim does: it counts the stages and takes its own life with a signal that no handler sees.
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


class Death(NamedTuple):
    """The stage after which a writer died, the newest whole checkpoint, and whether all that are named are whole."""

    stage: str
    newest: str
    whole: bool


def write_and_die(folder, step, number, code=_WRITE):
    """Write a checkpoint in a process of its own that is killed after a stage; return which stage that was.

    Raises: RuntimeError where the process did not die of the signal.
    """
    command = [sys.executable, "-c", code, str(folder), str(step), str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the writer ended with {done.returncode}, not by SIGKILL: {done.stderr[-200:]}")
    return done.stdout.strip()


def deaths(folder):
    """Kill a writer at every stage, each over one good checkpoint, and return what each death left."""
    found = []
    for number in range(1, durable.stages(2) + 1):
        place = Path(folder, f"death-{number}")
        durable.write(place, 30, {"rank-0": b"whole"})
        stage = write_and_die(place, 40, number)
        whole = all(not durable.faults(path) for path in durable.listed(place))
        found.append(Death(stage, durable.newest(place).name, whole))
    return found
