"""Bugs seeded in a copy of the code of the reference run; each has to be detected by a fault.

They are typical bugs: a key without the rank, a checksum that is not compared, a rename before the sync, retention
that deletes the last checkpoint.
"""

import shutil
import subprocess
import sys

from practice.run import faults
from practice.run.faults import Lab, Outcome
from practice.run.lab import ROOT

BUGS = {
    "loader keyed without the rank": (
        "practice/run/saving.py",
        [('f"loader.{run.rank}": json', '"loader": json'), ('state[f"loader.{run.rank}"]', 'state["loader"]')],
        "one_killed",
    ),
    "checksum not compared": (
        "practice/durable.py",
        [("return None if found == digest else", "return None if True else")],
        "bit_flipped",
    ),
    "hash on rank 0": (
        "practice/run/saving.py",
        [("durable.faults(path, rank, world)", "durable.faults(path) if rank == 0 else []"),
         ("durable.share(durable.body(path)['files'], rank, world)", "sorted(durable.body(path)['files'])[rank:]")],
        "bit_flipped",
    ),
    "shard in memory not verified": (
        "practice/run/memory.py",
        [("if faults := [fault for found in everywhere for fault in found]:", "if faults := []:")],
        "shard_in_memory_damaged",
    ),
    "shard in memory on its own node alone": (
        "practice/run/memory.py",
        [("if self.of_node < self.world:", "if self.of_node > self.world:")],
        "node_lost",
    ),
    "retention that takes the last": (
        "practice/retention.py",
        [("    kept = {max(whole), max(whole.keys() & proven, default=max(whole)), *(", "    kept = {*("),
         (" and step < max(whole)]", "]")],
        "retained",
    ),
    "random states before the loader's iterator": (
        "practice/run/saving.py",
        [("    run.read(source)  # before the random states, from which it draws\n", ""),
         ('        set_random_states(json.loads(state[f"random.{run.rank}"]))\n\n\n@torch',
          '        set_random_states(json.loads(state[f"random.{run.rank}"]))\n    run.read(source)\n\n\n@torch')],
        "missing",
    ),
    "rename before the sync": (
        "practice/durable.py",
        [("        os.fsync(self._file.fileno())\n        self._file.close()", "        self._file.close()"),
         ("    _sync(partial.parent)\n", "    [_sync(file) for file in final.iterdir()]\n    _sync(partial.parent)\n")],
        "power_cut",
    ),
    "no sync after the rename": ("practice/durable.py", [("    _sync(partial.parent)\n", "")], "power_cut"),
}  # fmt: skip


def with_bug(lab, bug):
    """Run one fault on a copy of the code with a bug; the Outcome is good if the fault ends badly."""
    file, changes, fault = BUGS[bug]
    root = lab.folder / f"bug-{list(BUGS).index(bug)}"
    shutil.copytree(ROOT / "practice", root / "practice", ignore=shutil.ignore_patterns("__pycache__", "recorded"))
    text = (root / file).read_text()
    for right, wrong in changes:
        if right not in text:
            return Outcome(False, f"{file} no longer contains the line: {right.strip()}")
        text = text.replace(right, wrong)
    (root / file).write_text(text)
    command = [sys.executable, "-W", "ignore", "-c", _PROBE, fault, str(lab.undisturbed.folder), str(root / "jobs")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    verdict = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip().splitlines()[-1]]
    return Outcome(done.returncode == 3, f"by “{description(fault)}”: {verdict[0]}")


def description(fault):
    """Return the docstring of a fault up to the first colon or semicolon."""
    return getattr(faults, fault).__doc__.replace(";", ":").split(":")[0].strip(" .")


# Runs in a process of its own, which loads the code with the bug; exit code 3 means that the fault ended badly.
_PROBE = """
import sys
from pathlib import Path
from practice.run import faults
from practice.run.lab import Job
lab = faults.Lab(Path(sys.argv[3]), Path.cwd())
lab.folder.mkdir()
lab.undisturbed = Job(sys.argv[2])
outcome = getattr(faults, sys.argv[1])(lab)
print(outcome.words)
sys.exit(0 if outcome.good else 3)
"""


def all_found(lab):
    """Run all seeded bugs; each has to be detected."""
    found = {bug: with_bug(lab, bug) for bug in BUGS}
    missed = [bug for bug, outcome in found.items() if not outcome.good]
    rows = {bug: outcome.words for bug, outcome in found.items()}
    words = "all detected" if not missed else f"NOT DETECTED: {', '.join(missed)}"
    return Outcome(not missed, f"{len(BUGS)} bugs seeded, {words}", {"rows": rows})


__all__ = ["BUGS", "Lab", "all_found", "with_bug"]
