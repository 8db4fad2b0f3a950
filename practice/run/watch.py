"""Heartbeats: a thread of each rank says that its process lives and where the rank stands.

A rank that waits in a collective still beats; a process that is stopped does not. So the beats tell the culprit
from its victims, which the silence of the whole job cannot. They stay on their node: eight files in a folder that
the launcher has made for itself, which no checkpoint storage delays and no other node reads.
"""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path


class Pulse:
    """The heartbeat of one rank, in a file of its own; without a folder there is none."""

    def __init__(self, folder, rank, every):
        """Begin to beat each `every` seconds, before anything that might hang."""
        self.file, self.every, self.phase = folder and Path(folder, f"pulse-{rank}.json"), every, "start"
        if self.file:
            self._beat()
            threading.Thread(target=self._beats, daemon=True).start()

    def _beat(self):
        replace(self.file, json.dumps({"pid": os.getpid(), "phase": self.phase, "at": time.time()}))

    def _beats(self):
        while True:
            time.sleep(self.every)
            self._beat()


def replace(file, text):
    """Put a text into the place of a file, so that no reader sees half of it."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


def rank_of(file):
    """Return the rank whose heartbeat a file holds."""
    return int(file.stem.removeprefix("pulse-"))


def silent(folder, patience, now=None):
    """Return `(rank, pid, seconds of silence)` of each rank of this node that is silent for too long."""
    now = time.time() if now is None else now
    beats = {rank_of(file): json.loads(file.read_text()) for file in sorted(Path(folder).glob("pulse-*.json"))}
    return [(rank, beat["pid"], now - beat["at"]) for rank, beat in beats.items() if now - beat["at"] > patience]


def kill_silent_rank(folder, patience, launcher):
    """Kill the first rank of a launcher that has fallen silent, so that it starts the ranks again; return the rank.

    A number that belongs to no child of the launcher any more is somebody else's.
    """
    for rank, pid, seconds in silent(folder, patience):
        if parent(pid) == launcher:
            os.kill(pid, signal.SIGKILL)
            return {"rank": rank, "silent": seconds}
    return None


def parent(pid):
    """Return the number of the process that started another, None where that is no more."""
    done = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True)
    return int(done.stdout) if done.stdout.strip() else None


def alive(pid):
    """Say whether a process is there, stopped or not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
