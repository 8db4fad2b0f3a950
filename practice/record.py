"""The record of the last complete reference run, for the pages.

`make reference-run` writes it, with a checksum of every file that was run, so that a test can detect an outdated
record. The pages get tables from here; the measured numbers are a dataset of the core.
"""

import hashlib
import json
import re
from pathlib import Path

from practice.tables import Table

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "practice" / "recorded"
RAN = ("practice/*.py", "practice/run/*.py", "practice/requirements.txt", "book/artefacts/**/*")


def sources():
    """Return the checksum of each file that the reference run executes or checks."""
    found = (file for pattern in RAN for file in ROOT.glob(pattern) if "__pycache__" not in file.parts)
    files = {file for file in found if file.is_file()}
    names = {file.relative_to(ROOT).as_posix(): file for file in files if not quoting(file)}
    return {name: hashlib.sha256(names[name].read_bytes()).hexdigest() for name in sorted(names)}


def quoting(file):
    """Return whether a file is used only by the pages and does not affect the record."""
    return file.parent.name == "practice" and file.stem not in ("durable", "injection", "powercut", "retention")


def run():
    """Return the record."""
    return json.loads((FOLDER / "run.json").read_text())


def made():
    """Return a sentence on when and how the record was made."""
    record = run()
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return f"Recorded on {record['date']} in {record['seconds'] / 60:.1f} minutes: {record['machine']}; {versions}."


def marked(words):
    """Return text with file names marked as code; otherwise a page would link those that look like hosts.

    >>> marked("launch.sh, main.tf: by drill.sh 3.5 s")
    '`launch.sh`, `main.tf`: by `drill.sh` 3.5 s'
    """
    return re.sub(r"\b[\w/-]+\.(?:sh|py|tf|yaml|test\.yaml|sbatch|distcp|conf|csv)\b", r"`\g<0>`", words)


def faults(*names):
    """Return the table of faults with result and duration; all of them, or those named."""
    rows = [[n, marked(words), seconds] for n, _, words, seconds in run()["faults"] if not names or n in names]
    return Table(("fault", "result", "time [s]"), rows)


def chain(*names):
    """Return the table of the faults on the cluster: what is stated of each, scaled, and what was measured."""
    if lacking := run()["lacking"]:
        return Table(("not executed here",), [[f"the cluster needs {lacking}"]])
    rows = [row for row in run()["chain"] if not names or row[0] in names]
    found = [[fault, stated, marked(measured), seconds] for fault, stated, measured, _, seconds in rows]
    return Table(("fault", "stated, scaled", "measured", "time [s]"), found)


def chain_made():
    """Return a sentence on how the files were scaled for the cluster."""
    scale = run()["scale"]
    return f"Every duration was divided by {scale['time']} and every count of servers by {scale['size']}. {made()}"


def omitted():
    """Return the table of what happens when one part of the state is omitted."""
    parts = {"first": "first moment", "second": "second moment", "schedule": "step count and schedule"}
    parts |= {"order": "data order", "random": "random states", "scale": "loss scale"}
    parts |= {"moments": "both moments", "optimizer": "both moments and the optimizer's count"}
    rows = [[parts.get(p, p), at, gap, "yes" if other else "no"] for p, (at, gap, other) in run()["omitted"].items()]
    return Table(("omitted", "losses differ from step", "largest difference of the loss", "final state differs"), rows)


def seeded_bugs():
    """Return the table of the bugs seeded in the code of the reference run."""
    return Table(("bug", "how it was found"), [[bug, marked(words)] for bug, words in run()["seeded_bugs"].items()])


def checks():
    """Return the table of the checks of the artefacts."""
    found = [c for c in run()["checks"] if "seeded" not in c["files"]]
    words = [c["words"] if any(map(str.isalpha, c["words"])) else "valid" for c in found]  # a frame's last stroke
    rows = [[marked(c["files"]), c["tool"], c["state"], marked(output)] for c, output in zip(found, words, strict=True)]
    return Table(("files", "tool", "state", "what it said"), rows)


def seeded_artefact_errors():
    """Return the table of errors seeded in artefacts."""
    rows = [
        [c["files"].removeprefix("seeded: "), c["tool"], c["state"]] for c in run()["checks"] if "seeded" in c["files"]
    ]
    return Table(("error", "tool", "state"), rows)
