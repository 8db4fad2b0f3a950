"""What runs beside the launcher of each node and outlives the ranks: `launch.sh` starts it.

It kills a rank of this node whose heart is silent, and writes the series of `alerts.yaml` into the folder from
which the node's exporter reads: only where the first rank lives, for two hosts that tell of one run would count it
twice. It ends when the launcher does.
"""

import argparse
import json
import time
from pathlib import Path

from practice.run import metrics
from practice.run.watch import EVERY_S, HOST, alive, replace, strike

PATIENCE_S = 8  # forty heartbeats


def main(given=None):
    """Watch and tell as long as the launcher lives."""
    asked = arguments(given)
    while alive(asked.launcher):
        seen = strike(asked.folder, asked.patience)
        if seen:
            with open(asked.folder / "watch.jsonl", "a") as file:
                file.write(json.dumps({"at": time.time(), **seen}) + "\n")
        publish(asked.folder, asked.run, asked.series)
        time.sleep(EVERY_S)
    publish(asked.folder, asked.run, asked.series)


def publish(folder, run, series):
    """Write the series of the run, if there is an exporter's folder and the first rank is here or nowhere yet."""
    first = folder / "pulse-0.json"
    if series.parent.is_dir() and (not first.exists() or json.loads(first.read_text())["host"] == HOST):
        replace(series, metrics.text(folder, run))


def arguments(given):
    """Read the command line; what is for the ranks is passed over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("launcher", type=int, help="number of its process")
    parser.add_argument("run")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--series", type=Path, default=Path("/var/lib/node_exporter/textfile/training.prom"))
    parser.add_argument("--patience", type=float, default=PATIENCE_S)
    return parser.parse_known_args(given)[0]


if __name__ == "__main__":
    main()
