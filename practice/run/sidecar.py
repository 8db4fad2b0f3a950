"""Sidecar of the launcher of each node, which outlives the ranks; `launch.sh` starts it.

It kills a rank of its node without a heartbeat. On the node that hosts the rendezvous, and only there so that no run
is counted twice, it writes the metrics of `alerts.yaml` for the textfile collector of node_exporter, and stops the
launcher when the ranks have exited for a reason that no restart removes. It ends with the launcher.
"""

import argparse
import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from practice.run import metrics
from practice.run.watch import alive, kill_hung_rank, replace

HOLD = "hold"  # a file in the run's folder: the run is not started while it exists


def main(given=None):
    """Watch the ranks and write metrics as long as the launcher lives."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a notice is for the ranks; their reaction still has to be reported
    args = arguments(given)
    launched, events = time.time(), metrics.RunEvents(args.folder)
    while alive(args.launcher):
        if seen := kill_hung_rank(args.heartbeats, args.heartbeat_timeout, args.launcher):
            print(json.dumps({"at": time.time(), **seen}), flush=True)
        write_series(args, events, launched)
        time.sleep(args.heartbeat_every)
    write_series(args, events, launched)


def write_series(args, events, launched):
    """Write the metrics of the run, and hold it if an operator is needed; only on the node of the rendezvous."""
    if args.series is None:
        return
    events.read()
    if args.series.parent.is_dir():
        replace(args.series, metrics.text(args.run, metrics.values(events, launched)))
    if (why := events.stopped()) and not (args.folder / HOLD).exists():
        (args.folder / HOLD).write_text(f"{why}\n")
        with suppress(ProcessLookupError):
            os.kill(args.launcher, signal.SIGTERM)


def arguments(given):
    """Parse the command line; arguments of the ranks are ignored."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("launcher", type=int, help="its PID")
    parser.add_argument("run")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the run, shared by all nodes")
    parser.add_argument("--heartbeats", type=Path, required=True, help="folder of the heartbeats of this node")
    parser.add_argument("--heartbeat-every", type=float, required=True, help="seconds between checks")
    parser.add_argument(
        "--heartbeat-timeout",
        type=float,
        required=True,
        help="seconds without a heartbeat after which a rank is killed",
    )
    parser.add_argument("--series", type=Path, help="file for the textfile collector, on the node of the rendezvous")
    return parser.parse_known_args(given)[0]


if __name__ == "__main__":
    main()
