"""What a rank is asked for on its command line, and what its exit code says: all that others need to know of it."""

import argparse
from pathlib import Path

# A scheduler that sees 0 does not start the rank again; 75: later; 78: a person is needed.
EXITS = {"done": 0, "notice": 75, "spike": 78, "disagreement": 78, "refused": 78}
PARTS = ("weights", "first", "second", "schedule", "order", "random", "scale")
OMISSIONS = (*PARTS, "moments", "optimizer")  # what may be left out of a state on purpose


def arguments(given=None):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="practice.run.train", description="One rank of the reference run.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, help="where checkpoints lie, if not in the folder")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=10, help="steps from save to save")
    parser.add_argument("--interval", type=float, help="seconds from save to save, in place of steps")
    parser.add_argument("--memory", type=Path, help="folder in this node's memory for the first level of checkpoints")
    parser.add_argument("--memory-every", type=int, default=4, help="steps from save to save in memory")
    parser.add_argument("--memory-interval", type=float, help="seconds from save to save in memory, in place of steps")
    parser.add_argument("--leave", type=float, default=30, help="seconds after a notice in which the step has to end")
    parser.add_argument("--pace", type=float, default=0, help="seconds that a step takes at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--plain", action="store_true", help="no dropout and no noise in the data")
    parser.add_argument("--precision", choices=("float16", "float32"), default="float16")
    parser.add_argument("--tiers", help="which checkpoints stay, as age:step,age:step in the unit of the interval")
    parser.add_argument("--copies", type=Path, help="folder for copies that cross to the other region")
    parser.add_argument("--copy-every", type=float, default=0, help="seconds from copy to copy")
    parser.add_argument("--behind", action="store_true", help="save behind the back of the steps")
    parser.add_argument("--without", choices=OMISSIONS, action="append", default=[])
    parser.add_argument("--skip", type=int, default=0, help="steps whose data are passed over on resuming")
    parser.add_argument("--spike", type=float, help="leave where the loss exceeds so many times the last ones' median")
    parser.add_argument("--screen", type=int, help="compare the ranks' results on equal data after so many steps")
    parser.add_argument("--pulse", type=Path, help="folder of this node for heartbeats; without, there are none")
    parser.add_argument("--beat", type=float, default=5, help="seconds from heartbeat to heartbeat")
    parser.add_argument("--silence", type=float, default=60, help="seconds after which a collective is given up")
    return parser.parse_args(given)
