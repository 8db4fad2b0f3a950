"""What the alerts watch, in the format of Prometheus: `sidecar` writes it for a node's exporter.

The ranks die and come back; what they told stays in their files, and from these the series are made.
"""

import json
import time
from contextlib import suppress
from pathlib import Path

HELP = {
    "training_steps_total": ("counter", "steps that are done"),
    "training_restarting": ("gauge", "1 from the start of the launcher or the ranks to their first step"),
    "training_restarts_total": ("counter", "starts after the first"),
    "training_checkpoint_seconds": ("gauge", "Unix time when the newest checkpoint was safe, or of the first start"),
    "training_seen_seconds": ("gauge", "Unix time at which these series were written"),
    "training_ended_seconds": ("gauge", "Unix time at which the run had done its last step"),
}


class Story:
    """What the first rank has told so far; of a file that grows only what is new is read."""

    def __init__(self, folder):
        """Begin at the beginning of the file."""
        self.file, self.offset = Path(folder, "events-0.jsonl"), 0
        self.last, self.steps, self.starts, self.first, self.safe = {}, 0, 0, None, None

    def read(self):
        """Take in the lines that have been added, a half one not yet."""
        if not self.file.exists():
            return
        with open(self.file, "rb") as file:
            file.seek(self.offset)
            lines = file.read().split(b"\n")
        for line in lines[:-1]:
            self.offset += len(line) + 1
            with suppress(ValueError):  # half of a line, from when the disk was full
                self._take(json.loads(line))

    def _take(self, event):
        self.last[event["what"]] = event
        self.first = self.first or event["at"]
        self.steps = event["step"] if event["what"] == "step" else self.steps
        self.starts += event["what"] in ("begun", "resumed")
        if event["what"] == "noticed" or (event["what"] == "log" and " saved in " in event["message"]):
            self.safe = event["at"]

    def at(self, what):
        """Return when something was last told, 0 where it never was."""
        return self.last.get(what, {"at": 0.0})["at"]

    def ended(self):
        """Say whether the last that was told is that the run is done."""
        return self.at("ended") > self.at("started") and self.last["ended"]["why"] == "done"

    def stopped(self):
        """Return why the ranks have left for good and need a person, or None."""
        told = {self.at(what): what for what in ("refused", "ended") if self.at(what) > self.at("started")}
        why = told and self.last[told[max(told)]]["why"]
        return why if why and why not in ("done", "notice") else None


def values(story, launched):
    """Return the value of each series, of a run whose launcher was started at `launched`."""
    now = time.time()
    found = {
        "training_steps_total": story.steps,
        "training_restarting": int(max(launched, story.at("started")) > story.at("step")),
        "training_restarts_total": max(story.starts - 1, 0),
        "training_checkpoint_seconds": story.safe or story.first or launched,
        "training_seen_seconds": now,
    }
    return {**found, "training_ended_seconds": now} if story.ended() else found


def text(run, found):
    """Return the series of a run as an exporter hands them out."""
    lines = []
    for name, value in found.items():
        kind, words = HELP[name]
        lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f'{name}{{run="{run}"}} {value}']
    return "\n".join(lines) + "\n"
