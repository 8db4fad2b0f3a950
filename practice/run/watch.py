"""Heartbeats: a thread of each rank says that its process lives and where the rank stands.

A rank that waits in a collective still beats; a process that is stopped does not. So the beats tell
the culprit from its victims, which the silence of the whole job cannot.
"""

import json
import os
import signal
import socket
import threading
import time
from pathlib import Path

EVERY_S = 0.2
HOST = socket.gethostname()


class Pulse:
    """The heartbeat of one rank, in a file of its own."""

    def __init__(self, folder, rank, world):
        """Begin to beat, and take away what ranks have left that are no more."""
        self.file, self.phase = Path(folder, f"pulse-{rank}.json"), "start"
        for file in self.file.parent.glob("pulse-*.json"):
            if rank == 0 and rank_of(file) >= world:
                file.unlink()
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while True:
            beat = {"host": HOST, "pid": os.getpid(), "phase": self.phase, "at": time.time()}
            replace(self.file, json.dumps(beat))
            time.sleep(EVERY_S)


def replace(file, text):
    """Put a text into the place of a file, so that no reader sees half of it."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


def rank_of(file):
    """Return the rank whose heartbeat a file holds."""
    return int(file.stem.removeprefix("pulse-"))


def silent(folder, patience, now=None):
    """Return `(rank, pid, seconds of silence)` of each rank of this host that beat before and is silent too long.

    A number of a process means nothing on another host, where it may be anybody's.
    """
    now = time.time() if now is None else now
    found = []
    for file in sorted(Path(folder).glob("pulse-*.json")):
        beat = json.loads(file.read_text())
        if beat["host"] == HOST and now - beat["at"] > patience:
            found.append((rank_of(file), beat["pid"], now - beat["at"]))
    return found


def strike(folder, patience):
    """Kill the first rank that has fallen silent, so that the launcher restarts the job; return what was seen."""
    for rank, pid, seconds in silent(folder, patience):
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
            return {"rank": rank, "silent": seconds}
    return None


def alive(pid):
    """Say whether a process is there, stopped or not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
