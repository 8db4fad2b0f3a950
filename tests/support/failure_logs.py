"""Tables of `mathcore/chapters/*/datasets` that two logs of failures give together: Los Alamos' and Titan's.

`python tests/support/failure_logs.py LANL TITAN` reads the log that `tests/lanl.py` reads and `data/gc_full.csv` of
github.com/olcf/TitanGPULife, computes `titan_counts`, `titan_replay`, `failures_alone` and Titan's row of
`training_fleets` anew and names each cell that differs from the file.
"""

import csv
import re
import statistics
import sys
from datetime import datetime
from pathlib import Path

import lanl

BLOCK = 11  # cabinets of 96 nodes, about 1,024 GPUs
TITAN_GPUS = 18688
DAYS = 30  # length of a window
MINUTES = (10, 60)  # in which another node may fail


def read_titan(path):
    """Return (hour, node) of each GPU that had a double-bit error or fell off the bus, in order of time."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["event"] in ("DBE", "OTB")]
    first = datetime(2014, 1, 1)
    return sorted(
        ((datetime.fromisoformat(row["remove"]) - first).total_seconds() / 3600, row["location"]) for row in rows
    )


def cabinet(node):
    """Return column and row of the cabinet of a node.

    >>> cabinet("c11-2c1s4n1")
    (11, 2)
    """
    return tuple(map(int, re.match(r"c(\d+)-(\d)c", node).groups()))


def blocks(events):
    """Return the hours of failures of each block of neighbouring cabinets."""
    cabinets = sorted({cabinet(node) for _, node in events})
    whole = range(0, len(cabinets) - BLOCK + 1, BLOCK)
    return [[hour for hour, node in events if cabinet(node) in cabinets[i : i + BLOCK]] for i in whole]


def counts(hours, start, end, days):
    """Return how many of `hours` fall into each whole window of so many days between start and end.

    >>> counts([0, 1, 25, 80], 0, 75, 1)
    [2, 1, 0]
    """
    windows = [0] * int((end - start) // (24 * days))
    for hour in hours:
        place = int((hour - start) // (24 * days))
        if start <= hour and place < len(windows):
            windows[place] += 1
    return windows


def titan_counts(events):
    """Yield the rows of titan_counts: how the failures of a block vary between windows, in each half of the log."""
    start, end = events[0][0], events[-1][0]
    middle = (start + end) / 2
    for number, hours in enumerate(blocks(events), 1):
        for half, span in (("first", (start, middle)), ("second", (middle, end))):
            seen = counts(hours, *span, DAYS)
            parts = {"mean": statistics.mean(seen), "spread": statistics.stdev(seen)}
            yield {"block": number, "half": half, "windows": len(seen), **parts}


def share_alone(events, minutes):
    """Return which share of the failures struck one node only, and their number.

    Failures within `minutes` of the one before belong together.

    >>> share_alone([(0, "a"), (0.1, "b"), (5, "a"), (5.1, "a"), (9, "c")], 10)
    (0.6666666666666666, 3)
    """
    together = []
    for hour, node in events:
        if together and hour - together[-1][-1][0] <= minutes / 60:
            together[-1].append((hour, node))
        else:
            together.append([(hour, node)])
    return sum(len({node for _, node in each}) == 1 for each in together) / len(together), len(together)


def alone(log, titan):
    """Yield the rows of failures_alone: how often no other node fails at the same time."""
    systems = {
        f"LANL, {name}": (rows[0]["nodes"], [(float(r["start_h_since_1996"]), r["node"]) for r in rows])
        for name, rows in log.items()
    }
    for name, (nodes, events) in {**systems, "Titan": (TITAN_GPUS, titan)}.items():
        for minutes in MINUTES:
            share, groups = share_alone(events, minutes)
            mean = lanl.mtbf([hour for hour, _ in events])
            yield {"system": name, "nodes": nodes, "mtbf": mean, "failures": groups, "within": minutes, "alone": share}


def titan_fleet(titan):
    """Yield what training_fleets holds of Titan: the mean gap between failures."""
    yield {"fleet": "Titan", "mtbf": lanl.mtbf([hour for hour, _ in titan])}


def titan_replay(titan):
    """Yield the rows of titan_replay: waste of a job on each half of the log, as `lanl.replay` counts it."""
    middle = (titan[0][0] + titan[-1][0]) / 2
    halves = {"first half": [e for e in titan if e[0] < middle], "second half": [e for e in titan if e[0] >= middle]}
    yield from lanl.replay(
        {name: [{"start_h_since_1996": hour} for hour, _ in events] for name, events in halves.items()}
    )


def kept(name):
    """Return the rows of a table as stored."""
    with next(lanl.CHAPTERS.glob(f"*/datasets/{name}.csv")).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def differences(name, key, rows):
    """Yield where computed rows differ from the kept ones of the same key columns."""
    old = {tuple(row[k] for k in key): row for row in kept(name)}
    for new in rows:
        cells = old.get(tuple(str(new[k]) for k in key), {})
        for column in new.keys() - set(key):
            same = cells and (cells[column] == new[column] or abs(float(cells[column]) / float(new[column]) - 1) < 2e-3)
            if not same:
                place = f"{name}.csv, {[new[k] for k in key]}"
                yield f"{place}: {column} is {cells.get(column)}, the log gives {new[column]}"


TABLES = {
    "titan_counts": ("block", "half"),
    "failures_alone": ("system", "within"),
    "training_fleets": ("fleet",),
    "titan_replay": ("system", "number"),
}


def computed(lanl_log, titan_log):
    """Return the rows of each table that the two logs give."""
    log, titan = lanl.read(lanl_log), read_titan(titan_log)
    replayed = [{**row, "number": number} for number, row in enumerate(titan_replay(titan), 1)]
    tables = titan_counts(titan), alone(log, titan), titan_fleet(titan), replayed
    return dict(zip(TABLES, map(list, tables), strict=True))


if __name__ == "__main__":
    found = [told for name, rows in computed(*sys.argv[1:3]).items() for told in differences(name, TABLES[name], rows)]
    print("\n".join(found) or "every table is what the logs give")
    sys.exit(bool(found))
