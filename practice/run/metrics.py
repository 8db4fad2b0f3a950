"""Metrics of the run in the Prometheus text format, which `sidecar` writes for node_exporter.

They are computed from the event logs, which survive restarts of the ranks.
"""

import json
import time
from contextlib import suppress
from pathlib import Path

HELP = {
    "training_steps_total": ("counter", "completed steps"),
    "training_restarting": ("gauge", "1 from the start of the launcher or the ranks until the first step"),
    "training_restarts_total": ("counter", "restarts"),
    "training_checkpoint_seconds": ("gauge", "Unix time of the newest complete checkpoint, or of the first start"),
    "training_seen_seconds": ("gauge", "Unix time at which these metrics were written"),
    "training_ended_seconds": ("gauge", "Unix time at which the run finished"),
}


class RunEvents:
    """State of a run from the event log of the first rank, read incrementally."""

    def __init__(self, folder):
        """Read from the beginning of the log."""
        self.file, self.offset = Path(folder, "events-0.jsonl"), 0
        self.last, self.steps, self.starts, self.first, self.safe = {}, 0, 0, None, None

    def read(self):
        """Read the complete lines that have been added."""
        if not self.file.exists():
            return
        with open(self.file, "rb") as file:
            file.seek(self.offset)
            lines = file.read().split(b"\n")
        for line in lines[:-1]:
            self.offset += len(line) + 1
            with suppress(ValueError):  # a partial line, from when the disk was full
                self._take(json.loads(line))

    def _take(self, event):
        self.last[event["what"]] = event
        self.first = self.first or event["at"]
        self.steps = event["step"] if event["what"] == "step" else self.steps
        self.starts += event["what"] in ("begun", "resumed")
        if event["what"] == "noticed" or (event["what"] == "log" and " saved in " in event["message"]):
            self.safe = event["at"]

    def at(self, what):
        """Return the time of the last event of a kind, 0 if there was none."""
        return self.last.get(what, {"at": 0.0})["at"]

    def ended(self):
        """Return whether the run has finished."""
        return self.at("ended") > self.at("started") and self.last["ended"]["why"] == "done"

    def stopped(self):
        """Return why the ranks exited without a restart, or None; an operator has to look."""
        exits = {self.at(what): what for what in ("refused", "ended") if self.at(what) > self.at("started")}
        why = exits and self.last[exits[max(exits)]]["why"]
        return why if why and why not in ("done", "notice") else None


def values(events, launched):
    """Return the value of each metric, for a launcher that started at `launched`."""
    now = time.time()
    found = {
        "training_steps_total": events.steps,
        "training_restarting": int(max(launched, events.at("started")) > events.at("step")),
        "training_restarts_total": max(events.starts - 1, 0),
        "training_checkpoint_seconds": events.safe or events.first or launched,
        "training_seen_seconds": now,
    }
    return {**found, "training_ended_seconds": now} if events.ended() else found


def text(run, found):
    """Return metrics in the Prometheus text format."""
    lines = []
    for name, value in found.items():
        kind, words = HELP[name]
        lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f'{name}{{run="{run}"}} {value}']
    return "\n".join(lines) + "\n"
