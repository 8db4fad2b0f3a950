"""Command line and exit codes of a rank."""

import argparse
from pathlib import Path

# 0: finished, not restarted; 75: restart later; 78: an operator is needed
EXITS = {"done": 0, "notice": 75, "spike": 78, "disagreement": 78, "refused": 78}
PARTS = ("weights", "first", "second", "schedule", "order", "random", "scale")
OMISSIONS = (*PARTS, "moments", "optimizer")  # parts of the state that can be omitted on purpose


def arguments(given=None):
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="practice.run.train", description="One rank of the reference run.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, help="folder of the checkpoints, if another one")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=10, help="steps between saves")
    parser.add_argument("--interval", type=float, help="seconds between saves, instead of steps")
    parser.add_argument("--memory", type=Path, help="folder in this node's memory for the first level of checkpoints")
    parser.add_argument("--memory-every", type=int, default=4, help="steps between saves to memory")
    parser.add_argument("--memory-interval", type=float, help="seconds between saves to memory, instead of steps")
    parser.add_argument(
        "--exit-after", type=float, default=30, help="seconds after a notice until a rank exits that is not saving"
    )
    parser.add_argument("--pace", type=float, default=0, help="minimum seconds of a step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--plain", action="store_true", help="no dropout and no noise in the data")
    parser.add_argument("--precision", choices=("float16", "float32"), default="float16")
    parser.add_argument("--tiers", help="retention, as age:step,age:step in the unit of the interval")
    parser.add_argument("--copies", type=Path, help="folder that is replicated to the second region")
    parser.add_argument("--copy-every", type=float, default=0, help="seconds between copies")
    parser.add_argument("--async-save", action="store_true", help="save asynchronously")
    parser.add_argument("--without", choices=OMISSIONS, action="append", default=[])
    parser.add_argument("--skip", type=int, default=0, help="steps whose data are skipped on resuming")
    parser.add_argument(
        "--spike", type=float, help="exit if the loss exceeds this multiple of the median of the last ones"
    )
    parser.add_argument("--screen", type=int, help="steps between checks of all ranks on equal data")
    parser.add_argument("--heartbeats", type=Path, help="folder of the heartbeats of this node; none without it")
    parser.add_argument("--heartbeat-every", type=float, default=5, help="seconds between heartbeats")
    parser.add_argument("--collective-timeout", type=float, default=60, help="timeout of a collective in seconds")
    return parser.parse_args(given)
