"""The tables of `mathcore/chapters/*/datasets/lanl_*.csv`, computed from the laboratory's log of failures.

`python tests/support/lanl.py LOG` reads a log with the columns system, nodes, procs, node, start_h_since_1996 and
downtime_min, one failure a row, computes the tables anew and names each cell that differs from the file.
"""

import csv
import itertools
import math
import statistics
import sys
from collections import Counter
from pathlib import Path

CHAPTERS = Path(__file__).parents[2] / "mathcore" / "chapters"
FEWEST_NODES = 32
WRITES, RESTART = (0.002, 0.01, 0.05), 0.01  # as shares of the mean time between failures
TIMES = (0.1, 0.2, 0.5, 1, 1.5, 2, 3)  # of the mean gap
DAYS, FEWEST_WINDOWS, FEWEST_FAILURES = (3, 10, 30), 10, 2
Z = 1.645  # of a normal distribution, one value in twenty lies above so many standard deviations
MOST_SPARES, RAREST = 3, 0.001
TRIED = [0.35 * (4 / 0.35) ** (i / 28) for i in range(29)]  # intervals over Young's
SHORT = 21  # a system whose log covers fifteen weeks: too short for jobs of any length
FACTORS = (0.25, 0.5, 1, 2, 4)  # of Young's interval


def read(path):
    """Return the failures of each system of enough nodes, in order of time, as `{system: [row, …]}`."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["nodes"]) >= FEWEST_NODES]
    rows.sort(key=lambda row: float(row["start_h_since_1996"]))
    systems = sorted({int(row["system"]) for row in rows})
    return {system: [row for row in rows if int(row["system"]) == system] for system in systems}


def moments(rows):
    """Return the starts of failures in hours."""
    return [float(row["start_h_since_1996"]) for row in rows]


def mtbf(starts):
    """Return the mean gap between failures.

    >>> mtbf([0, 2, 10])
    5.0
    """
    return (starts[-1] - starts[0]) / (len(starts) - 1)


def lost(starts, work, write, restart):
    """Return the time lost for each unit of work that is saved, by counting whole segments in each gap.

    The book's own replay moves a clock; this one divides, so that neither can hide a slip of the other.

    >>> lost([0, 26, 30, 59], work=8, write=2, restart=5)
    0.84375
    """
    gaps = [after - before for before, after in itertools.pairwise(starts)]
    whole = sum(max(0, math.floor((gap - restart) / (work + write) + 1e-12)) for gap in gaps)
    return sum(gaps) / (whole * work) - 1


def replay(systems):
    """Yield the rows of lanl_replay: waste of a job on each log, three write times, five intervals."""
    for system, rows in systems.items():
        starts = moments(rows)
        mean = mtbf(starts)
        for share, factor in itertools.product(WRITES, FACTORS):
            write, restart = share * mean, RESTART * mean
            interval = factor * math.sqrt(2 * write * mean)
            waste = lost(starts, interval, write, restart)
            regular = write + restart + interval <= mean / 5
            yield {
                **{"system": system, "mtbf": mean, "write": write, "restart": restart, "interval": interval},
                **{"waste": waste, "ratio": 1 / (1 + waste), "regular": "yes" if regular else "no"},
            }


def clusters(systems):
    """Yield the rows of lanl_clusters: how often and how long each system fails, and its worst tenth of nodes."""
    for system, rows in systems.items():
        starts = moments(rows)
        repairs = sorted(float(row["downtime_min"]) / 60 for row in rows if float(row["downtime_min"] or 0) > 0)
        logs = [math.log(repair) for repair in repairs]
        by_node = sorted(Counter(row["node"] for row in rows).values(), reverse=True)
        nodes = int(rows[0]["nodes"])
        yield {
            **{"system": system, "nodes": nodes, "processors": max(int(row["procs"]) for row in rows)},
            **{"failures": len(rows), "watched": starts[-1] - starts[0], "mtbf": mtbf(starts)},
            "repair_median": statistics.median(repairs),
            "repair_spread": statistics.stdev(logs),
            "repair_mean": statistics.mean(repairs),
            "repair_95": repairs[int(0.95 * len(repairs))],
            "worst_tenth": sum(by_node[: round(nodes / 10)]) / len(rows),
            "all_up": 1 - shares_away(rows)[0],
        }


def lemons(systems):
    """Yield the rows of lanl_lemons: whether the nodes that failed most in one half do so in the other."""
    for system, rows in systems.items():
        nodes, half = int(rows[0]["nodes"]), len(rows) // 2
        seen, later = (Counter(row["node"] for row in part) for part in (rows[:half], rows[half:]))
        worst = [node for node, _ in seen.most_common(round(nodes / 10))]
        before, after = (sum(part[node] for node in worst) / part.total() for part in (seen, later))
        drawn = round(nodes / 10) / nodes
        yield {
            **{"system": system, "nodes": nodes, "failures": len(rows), "drawn": drawn},
            **{"before": before, "after": after, "rate": (1 - after) / (1 - drawn)},
        }


def gaps(systems):
    """Yield the rows of lanl_gaps: which share of the gaps of half a log is longer than a time."""
    for system, rows in systems.items():
        found = [after - before for before, after in itertools.pairwise(moments(rows))]
        half = len(rows) // 2
        for name, part in (("first", found[:half]), ("second", found[half:])):
            mean = statistics.mean(part)
            for factor in TIMES:
                longer = sum(gap > factor * mean for gap in part) / len(part)
                yield {
                    **{"system": system, "half": name, "gaps": len(part), "mean": mean},
                    **{"time": factor * mean, "survived": longer},
                }


def counts(systems):
    """Yield the rows of lanl_counts: how failures in windows of some days scatter around their mean."""
    for system, rows in systems.items():
        starts, half = moments(rows), len(rows) // 2
        for name, part in (("first", starts[: half + 1]), ("second", starts[half:])):
            for days in DAYS:
                windows = int((part[-1] - part[0]) / (24 * days))
                found = Counter(int((start - part[0]) / (24 * days)) for start in part)
                numbers = [found[window] for window in range(windows)]
                mean = statistics.mean(numbers) if numbers else 0
                if windows < FEWEST_WINDOWS or mean < FEWEST_FAILURES:
                    continue
                within = sum(number <= mean + Z * math.sqrt(mean) for number in numbers) / windows
                yield {
                    **{"system": system, "half": name, "days": days, "windows": windows},
                    **{"mean": mean, "spread": statistics.stdev(numbers), "kept": within},
                }


def ends_of(rows):
    """Return when each failed node is back, in hours."""
    return [start + float(row["downtime_min"] or 0) / 60 for start, row in zip(moments(rows), rows, strict=True)]


def shares_away(rows):
    """Return the share of the time in which more than so many nodes are away, by that number."""
    starts = moments(rows)
    steps = sorted([(start, 1) for start in starts] + [(end, -1) for end in ends_of(rows)])
    shares, level, span = Counter(), 0, starts[-1] - starts[0]
    for (moment, step), (following, _) in itertools.pairwise(steps):
        level += step
        for spares in range(min(level, MOST_SPARES + 1)):
            shares[spares] += max(0, min(following, starts[-1]) - moment) / span
    return shares


def away(systems):
    """Yield the rows of lanl_away: the share of the time in which more nodes than spares are away."""
    for system, rows in systems.items():
        starts, ends, shares = moments(rows), ends_of(rows), shares_away(rows)
        repair = statistics.mean(end - start for start, end in zip(starts, ends, strict=True))
        for spares in range(MOST_SPARES + 1):
            if shares[spares] >= RAREST:
                yield {
                    **{"system": system, "mtbf": mtbf(starts), "repair": repair},
                    **{"spares": spares, "short": shares[spares]},
                }


def regrets(systems):
    """Return the share by which waste at Young's interval lies above the best, and the best interval over Young's.

    Two lists, one entry for each system and write time; the best is that of `TRIED` intervals.
    """
    regret, best = [], []
    for rows in systems.values():
        starts = moments(rows)
        mean = mtbf(starts)
        for share in WRITES:
            young = math.sqrt(2 * share) * mean
            waste = {f: lost(starts, f * young, share * mean, RESTART * mean) for f in (1, *TRIED)}
            best.append(min(TRIED, key=waste.__getitem__))
            regret.append(waste[1] / waste[best[-1]] - 1)
    return regret, best


TABLES = {f"lanl_{table.__name__}": table for table in (clusters, replay, lemons, gaps, counts, away)}


def differences(name, rows, folder=None):
    """Yield where a computed table differs from its file beyond the digits that are kept there."""
    path = folder / f"{name}.csv" if folder else next(CHAPTERS.glob(f"*/datasets/{name}.csv"))
    with path.open(encoding="utf-8", newline="") as file:
        recorded = list(csv.DictReader(file))
    rows = [row for row in rows if str(row["system"]) in {each["system"] for each in recorded}]
    if len(rows) != len(recorded):
        yield f"{name}: {len(recorded)} rows are kept, and the log gives {len(rows)}"
    for line, (old, new) in enumerate(zip(recorded, rows, strict=False), 2):
        for column, cell in old.items():
            text = column in ("half", "regular")
            if cell != new[column] if text else abs(float(cell) - new[column]) > max(0.002 * abs(float(cell)), 6e-4):
                yield f"{name}.csv:{line}: {column} is {cell}, and the log gives {new[column]}"


if __name__ == "__main__":
    log = read(sys.argv[1])
    found = [difference for name, table in TABLES.items() for difference in differences(name, table(log))]
    regret, best = regrets({system: rows for system, rows in log.items() if system != SHORT})
    print(f"Young's interval: {statistics.median(regret):.1%} above the best, at most {max(regret):.1%};", end=" ")
    print(f"the best is {min(best):.2f} to {max(best):.2f} times Young's")
    print("\n".join(found) or "every table is what the log gives")
    sys.exit(bool(found))
