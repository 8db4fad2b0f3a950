"""Ground rules: units that catch mistakes, and the four ways in which a step can be known."""

from mathcore import Derivation, Example, Formula, Max, Min, Variable, read_facts
from mathcore.chapters import reliability
from mathcore.teaching import read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

V = Variable("V", "B", "volume of data moved", alias="volume", display_unit="GB", low="1 B", high="1 EB")
b = Variable("b", "B/s", "bandwidth of a link", alias="bandwidth", display_unit="GB/s", low="1 B/s", high="1 PB/s")
d = Variable("d", "s", "duration of the transfer")
W = Variable("W", "FLOP", "work of a kernel", alias="work", display_unit="TFLOP", low="1 FLOP", high="1 YFLOP")
P = Variable(
    "P", "FLOP/s", "peak arithmetic rate", alias="peak", display_unit="TFLOP/s", low="1 FLOP/s", high="1 EFLOP/s"
)
A = Variable("A", "FLOP/s", "attained arithmetic rate", display_unit="TFLOP/s")
t = Variable(
    "t",
    "s",
    "time that a job, or a part of it, takes",
    alias="duration",
    display_unit="min",
    low="1 ms",
    high="1000 year",
)
M = Variable("M", "s", "mean time between failures", alias="mtbf", display_unit="h", low="1 s", high="100 year")
f = Variable("f", "", "probability of a failure in that time", display_unit="%")
G = Variable("G", "gpu h", "device-hours used", alias="device_hours")
N = Variable("N", "gpu", "devices at work", alias=("devices", "ranks"), low="1 gpu", high="10000000 gpu", integer=True)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- units at work -------------------------------------------------------------------------

transfer = Formula(d, V / b, assumptions="the link is the only limit, and latency is small")
device_hours = Formula(G, N * t, kind="definition", assumptions="all devices are held for the whole time")
move = Example(transfer, {V: facts.weights, b: facts.port}, digits=2)

# --- one derivation for each verdict -------------------------------------------------------

attained = (
    Derivation.start(A, W / Max(W / P, V / b), "the slower of arithmetic and traffic sets the pace", kind="model")
    .rewrite(Min(P, b * W / V), "dividing by the larger time keeps the smaller rate")
    .formula(assumptions="arithmetic and traffic overlap fully")
)
failure_probability_exact = Derivation.start(
    f,
    reliability.failure_probability.renamed({reliability.t: t, reliability.M: M}),
    "as derived in the chapter on reliability",
).formula()
failure_probability = (
    Derivation.start(failure_probability_exact, why="failures come at a constant rate 1/M")
    .approximate(
        t / M,
        "if the time is short relative to M, the probability is about the ratio",
        within="3/50",
        region={t: ("1 s", "6 min"), M: ("1 h", "1 year")},
    )
    .formula(validity=((t <= M / 10, "the ratio exceeds the probability by 5 % or more"),))
)
short_part = Example(failure_probability, {t: "6 min", M: "1 h"})
short_part_exact = Example(failure_probability_exact, {t: "6 min", M: "1 h"})

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
