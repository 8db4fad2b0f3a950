"""Resilience, measured: what the saves of the reference run take, on one machine and on one day."""

from mathcore import Example, Formula, Variable
from mathcore.chapters import young_daly
from mathcore.chapters.resilience import C, S, b
from mathcore.measured import Comparison, Dataset

# --- letters -------------------------------------------------------------------------------

t_0 = Variable("t_0", "s", "time of a save that no byte causes", tex=r"t_{0}", shown="s", low="1 ms", high="1 min")

# --- data and comparisons --------------------------------------------------------------------

saves = Dataset("reference_saves")
write = Formula(
    C, t_0 + S / b, kind="model", when="ranks agree first, whatever the size, and then write at a steady rate"
)
stops = Comparison(
    formula=write,
    data=saves,
    measured="write",
    by={S: "size"},
    only={"mode": "stops"},
    fit={"size": "< 50000000"},
    over={"size": "size"},
    free={t_0: ("0.01 s", "2 s"), b: ("0.02 GB/s", "5 GB/s")},
    system="saves of the reference run that stop its steps",
    bound=("15 %", "45 %"),
    note="Fitted on the two small models, the rate of the disk holds for the largest; for the smallest nearly all of the time is agreement and syncs, whatever it weighs.",
)

# --- worked examples -------------------------------------------------------------------------

largest = Example(write, {S: "117.5 MB", t_0: stops.gaps["t_0"], b: stops.gaps["b"]}, unit="s", digits=2)
interval_stops = Example(young_daly.interval, {young_daly.C: largest, young_daly.M: "10 min"}, unit="s", digits=2)
