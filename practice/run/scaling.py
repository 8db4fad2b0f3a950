"""The shipped files in the size of one machine: every sourced duration divided by TIME, every count of servers by SIZE.

A number of a file is followed by the address of its formula, as in `for: 624s  # = operations.stall_for | s`. Where
the unit is one of time the number is divided, and nothing else in a file is touched.
"""

import re

TIME = 15  # an hour of the cluster is four minutes here; Slurm accepts no cred_expire below 5 s
SIZE = 50  # a hundred servers are two nodes; each has one rank in place of eight
SOURCED = re.compile(r"^(?P<code>.*\S)(?P<gap>\s+)# (?P<sign>=|<=|>=) (?P<address>[\w.]+)(?: \| (?P<unit>\S+))?$")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
DURATION = re.compile(r"(\d+)([smh])(?![\w])")
SECONDS = {"s": 1, "m": 60, "h": 3600}


def scaled(text):
    """Return a file of the cluster in the size of this machine.

    >>> print(scaled("for: 624s  # = operations.stall_for | s"))
    for: 41600ms  # = operations.stall_for | s
    >>> print(scaled("  --collective-timeout=720   # = operations.stuck_after | s"))
      --collective-timeout=48   # = operations.stuck_after | s
    >>> print(scaled("nodes=100 # = operations.book_servers"))
    nodes=2 # = operations.book_servers
    """
    return "".join(map(_line, text.splitlines(keepends=True)))


def _line(line):
    match = SOURCED.match(line.rstrip("\n"))
    if not match:
        return line
    code, end = match["code"], line[match.end("code") :]
    if match["address"].endswith("book_servers"):
        return NUMBER.sub(lambda found: whole(int(found[0]) / SIZE), code) + end
    if match["unit"] not in ("s", "ms", "min", "h"):
        return line
    found = [*DURATION.finditer(code)]
    if found and not code.startswith("#SBATCH"):
        last = found[-1]
        short = f"{int(last[1]) * SECONDS[last[2]] * 1000 // TIME}ms"
        return code[: last.start()] + short + code[last.end() :] + end
    *_, last = NUMBER.finditer(code)
    return code[: last.start()] + whole(float(last[0]) / TIME) + code[last.end() :] + end


def whole(value):
    """Return a number as a text: whole ones stay whole, rounded down, as long as that loses less than a quarter.

    >>> whole(7.67), whole(0.333333), whole(1.8)
    ('7', '0.333', '1')
    """
    return str(int(value)) if value >= 1 else f"{value:.3f}"
