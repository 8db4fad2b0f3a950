"""What runs beside the launcher of each node and outlives the ranks: `launch.sh` starts it.

It kills a rank of this node whose heart is silent. On the node that hosts the rendezvous, and on no other, for two
that tell of one run would count it twice, it writes the series of `alerts.yaml` into the folder from which the
node's exporter reads, and ends the launcher when the ranks have left for a reason that no restart removes. It ends
when the launcher does.
"""

import argparse
import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from practice.run import metrics
from practice.run.watch import alive, kill_silent_rank, replace

HOLD = "hold"  # a file in the run's folder: nothing starts the run while it is there


def main(given=None):
    """Watch and tell as long as the launcher lives."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a notice is for the ranks; this has to tell how they took it
    args = arguments(given)
    launched, story = time.time(), metrics.Story(args.folder)
    while alive(args.launcher):
        if seen := kill_silent_rank(args.pulse, args.patience, args.launcher):
            print(json.dumps({"at": time.time(), **seen}), flush=True)
        write_series(args, story, launched)
        time.sleep(args.beat)
    write_series(args, story, launched)


def write_series(args, story, launched):
    """Write the series of the run, and hold it where a person is needed; on the node of the rendezvous alone."""
    if args.series is None:
        return
    story.read()
    if args.series.parent.is_dir():
        replace(args.series, metrics.text(args.run, metrics.values(story, launched)))
    if (why := story.stopped()) and not (args.folder / HOLD).exists():
        (args.folder / HOLD).write_text(f"{why}\n")
        with suppress(ProcessLookupError):
            os.kill(args.launcher, signal.SIGTERM)


def arguments(given):
    """Read the command line; what is for the ranks is passed over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("launcher", type=int, help="number of its process")
    parser.add_argument("run")
    parser.add_argument("--folder", type=Path, required=True, help="where the run writes, on all nodes the same")
    parser.add_argument("--pulse", type=Path, required=True, help="where the ranks of this node leave heartbeats")
    parser.add_argument("--beat", type=float, required=True, help="seconds from look to look")
    parser.add_argument("--patience", type=float, required=True, help="seconds of silence after which a rank is killed")
    parser.add_argument("--series", type=Path, help="file for the node's exporter, on the node of the rendezvous")
    return parser.parse_known_args(given)[0]


if __name__ == "__main__":
    main()
