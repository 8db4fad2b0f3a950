"""Inject every fault that the chapters describe and write the record that they quote.

`python -m practice.run` takes less than twenty minutes; `python -m practice.run hang flipped` runs only the faults
whose names contain one of the words, and writes no record. Nor does `--short`, for the tests of every push: it
starts no fault after the first minute, lists those that it did not start, and runs a few faults on the cluster.
"""

import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from practice.record import FOLDER, sources
from practice.run import chain, cluster, scaling, seeded_bugs, tools
from practice.run.faults import FAULTS, Lab, Outcome
from practice.run.lab import EVERY, ROOT, STEPS

ALL = {**FAULTS, "errors seeded in the code": seeded_bugs.all_found}
SHORT_S, LONGEST_S = 60, 1500  # of a short run; of the faults on the cluster
LOGS = ROOT / "_build" / "log" / "cluster"
PACKAGES = ("torch", "torchdata", "numpy", "moto", "boto3", "awscli")


def main(given=None):
    """Run every fault, print a line for each, and return 1 if one does not end as required."""
    asked = arguments(given)
    names = [name for name in ALL if not asked.words or any(word in name for word in asked.words)]
    begun, before = time.perf_counter(), sources()
    with tempfile.TemporaryDirectory(prefix="practice-") as folder:
        until = begun + SHORT_S if asked.short else float("inf")
        outcomes, seconds = run_faults(Lab(Path(folder), ROOT), dict.fromkeys(("no fault", *names)), until)
    whole = not asked.words and not asked.short
    checks = checked() if not asked.words else []
    day, lacking = cluster_faults(asked)
    good = all(o.good for o in outcomes.values()) and all(c["state"] != "refused" for c in checks)
    good &= all(row[3] for row in day) and not (whole and lacking)
    if whole:
        more = {"seconds": round(time.perf_counter() - begun, 1), "sources": before, "chain": day, "lacking": lacking}
        record(outcomes, seconds, checks, more)
    print(f"{sum(o.good for o in outcomes.values())} of {len(outcomes)} faults ended as required", flush=True)
    print(f"{sum(row[3] for row in day)} of {len(day)} on the cluster", flush=True)
    if late := [name for name in names if name not in outcomes]:
        print(f"not started within {SHORT_S} s: {', '.join(late)}", flush=True)
    return 0 if good else 1


def cluster_faults(asked):
    """Return the rows of the faults on the cluster, and what this machine lacks for them."""
    names = [name for name in chain.FAULTS if any(word in name for word in asked.words)]
    if asked.words and not names:
        return [], ""
    if lacking := cluster.missing():
        print(f"not executed here: the cluster needs {lacking}", flush=True)
        return [], lacking
    wanted = chain.SHORT if asked.short else ("start", *names) if names else tuple(chain.FAULTS)
    rows = cluster.inside("practice.run.chain", dict.fromkeys(wanted), LONGEST_S, LOGS)
    if len(rows) < len(wanted):
        rows.append(["the faults on the cluster", "", f"BROKEN OFF: see {LOGS.relative_to(ROOT)}", False, 0])
    return rows, ""


def arguments(given=None):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="practice.run", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="run only faults whose names contain one of these")
    parser.add_argument("--short", action="store_true", help="only what fits into a few minutes, without a record")
    return parser.parse_args(given)


def run_faults(lab, names, until):
    """Run faults one after the other until a deadline; return the outcomes and seconds of each."""
    outcomes, seconds = {}, {}
    for name in names:
        since = time.perf_counter()
        if since > until:
            break
        outcomes[name] = attempt(ALL[name], lab)
        seconds[name] = time.perf_counter() - since
        line(outcomes[name].good, seconds[name], name, outcomes[name].words)
    return outcomes, seconds


def attempt(fault, lab):
    """Return the Outcome of a fault; an exception counts as a failure."""
    try:
        return fault(lab)
    except Exception as error:
        return Outcome(False, f"{type(error).__name__}: {error}")


def line(good, seconds, name, words):
    """Print a line about a fault."""
    print(f"{'ok ' if good else 'BAD'} {seconds:6.1f} s  {name}: {words}", flush=True)


def checked():
    """Return the checks of the artefacts, and of copies with seeded errors."""
    found = tools.every()
    for check in found:
        line(check.state != "refused", 0, check.files, f"{check.state} by {check.tool}: {check.words}")
    here = {check.files: check.state == "validated" for check in found}
    for name in tools.ERRORS:
        check = tools.check_with_error(name)
        refused = check.state == "refused" or not here.get(check.files, False)
        line(refused, 0, name, f"{check.state} by {check.tool}")
        state = "caught" if check.state == "refused" else check.state
        found.append(check._replace(files=f"seeded: {name}", state=state))
        if not refused:
            found[-1] = found[-1]._replace(state="refused", words="the error was NOT detected")
    return [check._asdict() for check in found]


def record(outcomes, seconds, checks, more):
    """Write the record and the measurements, whose units are in measured.toml."""
    FOLDER.mkdir(exist_ok=True)
    made = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"Python": platform.python_version(), **{p: importlib.metadata.version(p) for p in PACKAGES}},
        "steps": STEPS,
        "every": EVERY,
        "faults": [[n, o.good, o.words, round(seconds[n], 1)] for n, o in outcomes.items()],
        "doing": {n: " ".join((ALL[n].__doc__ or "").split()) for n in outcomes},
        "omitted": outcomes["part of the state omitted"].measured.get("rows", {}),
        "scale": {"time": scaling.TIME, "size": scaling.SIZE},
        "seeded_bugs": outcomes["errors seeded in the code"].measured.get("rows", {}),
        "checks": checks,
        **more,
    }
    (FOLDER / "run.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    measured(outcomes)


def measured(outcomes):
    """Write the measurements as one line of a table; measured.toml beside it names the units."""
    of = lambda name, what: outcomes[name].measured.get(what, float("nan"))  # noqa: E731
    timed, one = "save times", "one rank killed in a step"
    row = {
        "checkpoint_size": of(timed, "size"),
        "step_time": of(timed, "step"),
        "write_sync": of(timed, "write sync"),
        "stall_sync": of(timed, "stall sync"),
        "write_async": of(timed, "write async"),
        "stall_async": of(timed, "stall async"),
        "restart_killed": of(one, "restart"),
        "restart_up": of(one, "up"),
        "restart_load": of(one, "load"),
        "restart_step": of(one, "step"),
        "restart_by_hand": of("all ranks killed in a step", "restart"),
        "steps_again": of(one, "again"),
    }
    table(FOLDER / "measured.csv", [row])
    columns = ("mode", "save", "size", "write", "stall")
    table(FOLDER / "saves.csv", [{name: each[name] for name in columns} for each in outcomes[timed].measured["rows"]])


def table(path, rows):
    """Write rows with the names of their columns."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([f"{value:.4g}" if isinstance(value, float) else value for value in row.values()])


if __name__ == "__main__":
    sys.exit(main())
