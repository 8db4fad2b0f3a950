"""Do everything to the run that the chapters tell of, and write the record from which they quote.

`python -m practice.run` takes some twenty minutes; `python -m practice.run hang flipped` strikes with the faults
whose names hold one of the words, and records nothing. Nor does `--short`, for the tests of every push: it begins no
fault later than after a minute, names those that it did not begin, and takes a short part of the bad day on a cluster.
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

ALL = {**FAULTS, "errors seeded in the practice": seeded_bugs.all_found}
SHORT_S, LONGEST_S = 60, 1500  # of the faults of a short run; of the day on the cluster
LOGS = ROOT / "_build" / "log" / "cluster"
PACKAGES = ("torch", "torchdata", "numpy", "moto", "boto3", "awscli")


def main(given=None):
    """Strike with every fault, print a line for each, and return 1 where one does not end as it must."""
    asked = arguments(given)
    names = [name for name in ALL if not asked.words or any(word in name for word in asked.words)]
    begun, before = time.perf_counter(), sources()
    with tempfile.TemporaryDirectory(prefix="practice-") as folder:
        until = begun + SHORT_S if asked.short else float("inf")
        outcomes, seconds = struck(Lab(Path(folder), ROOT), dict.fromkeys(("nothing", *names)), until)
    whole = not asked.words and not asked.short
    checks = checked() if not asked.words else []
    day, lacking = cluster_day(asked)
    good = all(o.good for o in outcomes.values()) and all(c["state"] != "refused" for c in checks)
    good &= all(row[3] for row in day) and not (whole and lacking)
    if whole:
        more = {"seconds": round(time.perf_counter() - begun, 1), "sources": before, "chain": day, "lacking": lacking}
        record(outcomes, seconds, checks, more)
    print(f"{sum(o.good for o in outcomes.values())} of {len(outcomes)} faults ended as they must", flush=True)
    print(f"{sum(row[3] for row in day)} of {len(day)} on the cluster", flush=True)
    if late := [name for name in names if name not in outcomes]:
        print(f"not begun within {SHORT_S} s: {', '.join(late)}", flush=True)
    return 0 if good else 1


def cluster_day(asked):
    """Return the rows of the bad day on the cluster, and what this machine lacks for it."""
    names = [name for name in chain.FAULTS if any(word in name for word in asked.words)]
    if asked.words and not names:
        return [], ""
    if lacking := cluster.missing():
        print(f"not executed here: the cluster needs {lacking}", flush=True)
        return [], lacking
    wanted = chain.SHORT if asked.short else ("start", *names) if names else tuple(chain.FAULTS)
    rows = cluster.inside("practice.run.chain", dict.fromkeys(wanted), LONGEST_S, LOGS)
    if len(rows) < len(wanted):
        rows.append(["the day on the cluster", "", f"BROKEN OFF: see {LOGS.relative_to(ROOT)}", False, 0])
    return rows, ""


def arguments(given=None):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="practice.run", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="strike only with faults whose names hold one of these")
    parser.add_argument("--short", action="store_true", help="only what fits into some minutes, and no record")
    return parser.parse_args(given)


def struck(lab, names, until):
    """Strike with faults one after the other, as long as there is time; return the outcomes and seconds of each."""
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
    """Return the Outcome of a fault; an error of the practice itself is a bad one."""
    try:
        return fault(lab)
    except Exception as error:
        return Outcome(False, f"{type(error).__name__}: {error}")


def line(good, seconds, name, words):
    """Tell what was done and how it ended."""
    print(f"{'ok ' if good else 'BAD'} {seconds:6.1f} s  {name}: {words}", flush=True)


def checked():
    """Put the artefacts before their tools, then an error of each kind, and return what was found."""
    found = tools.every()
    for check in found:
        line(check.state != "refused", 0, check.files, f"{check.state} by {check.tool}: {check.words}")
    here = {check.files: check.state == "validated" for check in found}
    for name in tools.ERRORS:
        check = tools.spoilt(name)
        refused = check.state == "refused" or not here.get(check.files, False)
        line(refused, 0, name, f"{check.state} by {check.tool}")
        state = "caught" if check.state == "refused" else check.state
        found.append(check._replace(files=f"seeded: {name}", state=state))
        if not refused:
            found[-1] = found[-1]._replace(state="refused", words="the error was NOT found")
    return [check._asdict() for check in found]


def record(outcomes, seconds, checks, more):
    """Write what was done, when and with what, and the measurements, whose units are in measured.toml."""
    FOLDER.mkdir(exist_ok=True)
    made = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"Python": platform.python_version(), **{p: importlib.metadata.version(p) for p in PACKAGES}},
        "steps": STEPS,
        "every": EVERY,
        "faults": [[n, o.good, o.words, round(seconds[n], 1)] for n, o in outcomes.items()],
        "doing": {n: " ".join((ALL[n].__doc__ or "").split()) for n in outcomes},
        "omitted": outcomes["a part of the state left out"].measured.get("rows", {}),
        "scale": {"time": scaling.TIME, "size": scaling.SIZE},
        "seeded_bugs": outcomes["errors seeded in the practice"].measured.get("rows", {}),
        "checks": checks,
        **more,
    }
    (FOLDER / "run.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    measured(outcomes)


def measured(outcomes):
    """Write the measurements as one line of a table; measured.toml beside it names the units."""
    of = lambda name, what: outcomes[name].measured.get(what, float("nan"))  # noqa: E731
    timed, one = "saves timed", "one rank killed in a step"
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
        "restart_by_hand": of("all killed in a step", "restart"),
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
