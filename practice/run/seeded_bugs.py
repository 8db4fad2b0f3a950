"""Errors seeded in the code of the practice, in a copy of its code: each must turn good into bad.

A test that has never failed has not been tested. The bugs are those that one really makes: a key without
the rank, a checksum that nobody compares, a rename before the sync, a sweep that takes the last.
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
    "piece not verified": (
        "practice/run/memory.py",
        [("if faults := [fault for found in everywhere for fault in found]:", "if faults := []:")],
        "piece_damaged",
    ),
    "piece on its own node alone": (
        "practice/run/memory.py",
        [("if self.of_node < self.world:", "if self.of_node > self.world:")],
        "node_lost",
    ),
    "retention that takes the last": (
        "practice/retention.py",
        [("    kept = {max(whole), max(whole.keys() & proven, default=max(whole)), *(", "    kept = {*("),
         (" and step < max(whole)]", "]")],
        "kept",
    ),
    "random states before the loader's iterator": (
        "practice/run/saving.py",
        [("    run.read(source)  # before the random states, since it draws from them\n", ""),
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
    """Run one fault on a copy of the code with a bug in it; good is what ends badly."""
    file, changes, fault = BUGS[bug]
    root = lab.folder / f"bug-{list(BUGS).index(bug)}"
    shutil.copytree(ROOT / "practice", root / "practice", ignore=shutil.ignore_patterns("__pycache__", "recorded"))
    text = (root / file).read_text()
    for right, wrong in changes:
        if right not in text:
            return Outcome(False, f"the line to be spoilt is not in {file} any more: {right.strip()}")
        text = text.replace(right, wrong)
    (root / file).write_text(text)
    command = [sys.executable, "-W", "ignore", "-c", _PROBE, fault, str(lab.calm.folder), str(root / "jobs")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    verdict = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip().splitlines()[-1]]
    return Outcome(done.returncode == 3, f"by “{description(fault)}”: {verdict[0]}")


def description(fault):
    """Return what a fault does, in the words of its docstring up to the first colon."""
    return getattr(faults, fault).__doc__.split(":")[0].strip(" .")


# In a process of its own, so that the spoilt code and no other is loaded; 3 says that the fault ended badly.
_PROBE = """
import sys
from pathlib import Path
from practice.run import faults
from practice.run.lab import Job
lab = faults.Lab(Path(sys.argv[3]), Path.cwd())
lab.folder.mkdir()
lab.calm = Job(sys.argv[2])
outcome = getattr(faults, sys.argv[1])(lab)
print(outcome.words)
sys.exit(0 if outcome.good else 3)
"""


def all_found(lab):
    """Run each seeded bug in turn; none may go unseen."""
    found = {bug: with_bug(lab, bug) for bug in BUGS}
    missed = [bug for bug, outcome in found.items() if not outcome.good]
    rows = {bug: outcome.words for bug, outcome in found.items()}
    words = "all caught" if not missed else f"NOT CAUGHT: {', '.join(missed)}"
    return Outcome(not missed, f"{len(BUGS)} bugs seeded, {words}", {"rows": rows})


__all__ = ["BUGS", "Lab", "all_found", "with_bug"]
