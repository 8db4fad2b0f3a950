"""What the alerts watch, in the format of Prometheus: `beside` writes it for a node's exporter.

The ranks die and come back; what they told stays in their files, and from these the four series are made.
"""

import json
from pathlib import Path

HELP = {
    "training_steps_total": ("counter", "steps that are done"),
    "training_restarting": ("gauge", "1 from the start of the ranks to their first step"),
    "training_restarts_total": ("counter", "starts after the first"),
    "training_checkpoint_seconds": ("gauge", "when the newest checkpoint was safe, in seconds of Unix time"),
}


def values(folder):
    """Return the value of each series, from what the first rank told and when its process was started."""
    folder = Path(folder)
    file = folder / "events-0.jsonl"
    events = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    steps = [event for event in events if event["what"] == "step"]
    saved = [event["at"] for event in events if event["what"] == "says" and " saved in " in event["words"]]
    starts = [event for event in events if event["what"] in ("begun", "resumed")]
    started = max((f.stat().st_mtime for f in folder.glob("pid-*")), default=0.0)
    found = {
        "training_steps_total": max((event["step"] for event in steps), default=0),
        "training_restarting": int(not steps or steps[-1]["at"] < started),
        "training_restarts_total": max(len(starts) - 1, 0),
        "training_checkpoint_seconds": max(saved, default=None),
    }
    return {name: value for name, value in found.items() if value is not None}


def text(folder, run):
    """Return the series of a run as an exporter hands them out."""
    lines = []
    for name, value in values(folder).items():
        kind, words = HELP[name]
        lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f'{name}{{run="{run}"}} {value}']
    return "\n".join(lines) + "\n"
