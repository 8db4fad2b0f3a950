"""Resilience, measured: what the saves of the reference run take, on one machine and on one day."""

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import measured_fleet_checkpointing, resilience, retention, young_daly
from mathcore.chapters.measured_fleet_checkpointing import a_l
from mathcore.chapters.resilience import C, Q, S, b, b_r, t_f, t_i, t_s
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

# --- what may be promised, with loading as it was measured ----------------------------------------

rate_back = Formula(b_r, b / a_l, when="loading takes the same multiple of saving as it was measured to take")
replacement = (
    Derivation.start(resilience.recovery_time)
    .solve_for(t_s, Q - t_f - t_i - S / b_r, "what the promise leaves for a machine in place of the dead one")
    .formula(valid=(t_f + t_i + S / b_r < Q,))
)
slower = measured_fleet_checkpointing.load_after_save.gaps["a_l"]
rate_loaded = Example(rate_back, {b: resilience.facts.book_throughput, a_l: slower})
PARTS = {t_f: "5 min", t_i: "10 min", S: resilience.facts.book_size}
recovered = Example(resilience.recovery_time, {**PARTS, t_s: "30 min", b_r: rate_loaded}, digits=3)
replaced_in = Example(replacement, {**PARTS, Q: "60 min", b_r: rate_loaded}, digits=3)
rate_slow = Example(rate_back, {b: resilience.facts.book_throughput, a_l: "5.7"})
replaced_slow = Example(replacement, {**PARTS, Q: "60 min", b_r: rate_slow}, digits=3)
kept_longer = Example(retention.keep_for_risk, {retention.epsilon: "0.001", retention.tau: "1 h", retention.X: "4 h"})
kept_one = Example(retention.none_clean, {retention.K: "1", retention.tau: "1 h", retention.X: "2 h"})
