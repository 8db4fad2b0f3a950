"""Heartbeats: a thread of each rank writes that its process is alive and in which phase it is.

A rank that waits in a collective still has a heartbeat, a stopped process has none, so heartbeats identify the
culprit where a stall of the whole job does not. They stay on their node, in a temporary folder of the launcher: no
checkpoint storage delays them and no other node reads them.
"""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path


class Heartbeat:
    """The heartbeat of one rank, in a file; disabled without a folder."""

    def __init__(self, folder, rank, every):
        """Start to write every `every` seconds, before anything that might hang."""
        self.file, self.every, self.phase = folder and Path(folder, f"heartbeat-{rank}.json"), every, "start"
        if self.file:
            self._write()
            threading.Thread(target=self._run, daemon=True).start()

    def _write(self):
        replace(self.file, json.dumps({"pid": os.getpid(), "phase": self.phase, "at": time.time()}))

    def _run(self):
        while True:
            time.sleep(self.every)
            self._write()


def replace(file, text):
    """Replace the content of a file atomically."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


def rank_of(file):
    """Return the rank of a heartbeat file."""
    return int(file.stem.removeprefix("heartbeat-"))


def without_heartbeat(folder, timeout, now=None):
    """Return `(rank, pid, seconds)` of each rank of this node whose last heartbeat is older than `timeout`."""
    now = time.time() if now is None else now
    beats = {rank_of(file): json.loads(file.read_text()) for file in sorted(Path(folder).glob("heartbeat-*.json"))}
    return [(rank, beat["pid"], now - beat["at"]) for rank, beat in beats.items() if now - beat["at"] > timeout]


def kill_hung_rank(folder, timeout, launcher):
    """Kill the first rank of a launcher without a heartbeat, so that the launcher restarts all; return what was killed.

    A PID that is not a child of the launcher has been reused by another process and is left alone.
    """
    for rank, pid, seconds in without_heartbeat(folder, timeout):
        if parent(pid) == launcher:
            os.kill(pid, signal.SIGKILL)
            return {"rank": rank, "seconds": seconds}
    return None


def parent(pid):
    """Return the parent PID of a process, or None if it has ended."""
    done = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True)
    return int(done.stdout) if done.stdout.strip() else None


def alive(pid):
    """Return whether a process exists, stopped or not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
