"""Heartbeats: a thread of each rank says that its process lives and where the rank stands.

A rank that waits in a collective still beats; a process that is stopped does not. So the beats tell
the culprit from its victims, which the silence of the whole job cannot.
"""

import json
import os
import signal
import threading
import time
from pathlib import Path

EVERY_S = 0.2


class Pulse:
    """The heartbeat of one rank, in a file of its own."""

    def __init__(self, folder, rank):
        """Begin to beat."""
        self.file, self.phase = Path(folder, f"pulse-{rank}.json"), "start"
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while True:
            beside = self.file.with_suffix(".new")
            beside.write_text(json.dumps({"pid": os.getpid(), "phase": self.phase, "at": time.time()}))
            os.replace(beside, self.file)
            time.sleep(EVERY_S)


def silent(folder, patience, now=None):
    """Return `(rank, pid, seconds of silence)` of each rank that has beaten before and is silent for too long."""
    now = time.time() if now is None else now
    found = []
    for file in sorted(Path(folder).glob("pulse-*.json")):
        beat = json.loads(file.read_text())
        if now - beat["at"] > patience:
            found.append((int(file.stem.removeprefix("pulse-")), beat["pid"], now - beat["at"]))
    return found


def watch(folder, patience, until):
    """Kill the first rank that falls silent, so that the launcher restarts the job; return what was seen.

    `until` is asked whether the job is over, in which case None is returned.
    """
    while not until():
        for rank, pid, seconds in silent(folder, patience):
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
                return {"rank": rank, "silent": seconds}
        time.sleep(EVERY_S)
    return None


def alive(pid):
    """Say whether a process is there, stopped or not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
