"""Resilience, measured: what the saves of the reference run take, on one machine and on one day."""

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import resilience, sites, young_daly
from mathcore.chapters.fleet_checkpointing import measured as fleet_checkpointing_measured
from mathcore.chapters.fleet_checkpointing.measured import a_l
from mathcore.chapters.resilience import C, Q, S, b, b_r, resumption, retention, t_f, t_i, t_s
from mathcore.chapters.resilience.resumption import g, p, s
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

t_0 = Variable("t_0", "s", "time of a save that does not depend on its size", tex=r"t_{0}", low="1 ms", high="1 min")

x_m = Variable(
    "x_m", "", "time that was measured, over what was predicted", tex=r"x_{\mathrm{m}}", low="0.05", high="20"
)
a_s = Variable("a_s", "", "time to load over time to save, on the slowest row", tex=r"a_{\mathrm{slow}}")

# --- data and comparisons --------------------------------------------------------------------

saves = Dataset("reference_saves")
write = Formula(
    C, t_0 + S / b, kind="model", assumptions="ranks agree first, whatever the size, and then write at a steady rate"
)
synchronous_saves = Comparison(
    formula=write,
    data=saves,
    measured="write",
    columns={S: "size"},
    only={"mode": "sync"},
    fit={"size": "< 50000000"},
    over={"size": "size"},
    fit_parameters={t_0: ("0.01 s", "2 s"), b: ("0.02 GB/s", "5 GB/s")},
    system="saves of the reference run that stop its steps",
    bound=("15 %", "45 %"),
    note="Fitted on the two small models, the rate of the disk holds for the largest; the smallest spends nearly all of the time on agreement and syncs.",
)

# --- worked examples -------------------------------------------------------------------------

largest = Example(
    write,
    {S: "117.5 MB", t_0: synchronous_saves.fitted_parameters["t_0"], b: synchronous_saves.fitted_parameters["b"]},
    unit="s",
    digits=2,
)
interval_stops = Example(young_daly.interval, {young_daly.C: largest, young_daly.M: "10 min"}, unit="s", digits=2)

# --- recovery objectives, with measured loading times ---------------------------------------------

load_rate = Formula(b_r, b / a_l, assumptions="loading takes the same multiple of saving as it was measured to take")
replacement = (
    Derivation.start(resilience.recovery_time)
    .solve_for(t_s, Q - t_f - t_i - S / b_r, "what the recovery time objective leaves for replacing the failed node")
    .formula(domain=(t_f + t_i + S / b_r < Q,))
)
slower = fleet_checkpointing_measured.load_after_save.fitted_parameters["a_l"]
rate_loaded = Example(load_rate, {b: resilience.facts.book_throughput, a_l: slower})
PARTS = {t_f: "5 min", t_i: "10 min", S: resilience.checkpoint}
recovered = Example(resilience.recovery_time, {**PARTS, t_s: "30 min", b_r: rate_loaded}, digits=3)
replaced_in = Example(replacement, {**PARTS, Q: "60 min", b_r: rate_loaded}, digits=3)
slowest = Formula(a_s, x_m * a_l, assumptions="the row that exceeds what is predicted by the largest factor")
slowest_load = Example(slowest, {x_m: fleet_checkpointing_measured.load_after_save.greatest, a_l: slower})
rate_slow = Example(load_rate, {b: resilience.facts.book_throughput, a_l: slowest_load})
replaced_slow = Example(replacement, {**PARTS, Q: "60 min", b_r: rate_slow}, digits=3)
HALF = {retention.tau: "30 min", retention.X: "2 h"}  # this team saves every half hour
keep_ours = Example(retention.keep_for_risk, {retention.epsilon: "0.001", **HALF})
kept_longer = Example(retention.keep_for_risk, {retention.epsilon: "0.001", **HALF, retention.X: "4 h"})
kept_one = Example(retention.no_clean_checkpoint, {retention.K: "1", **HALF})

# --- a notice, with writes as they scatter -----------------------------------------------------------

NOTICED = {p: resumption.book_poll, s: "12 s"}
notice_left = (
    Derivation.start(resumption.time_left)
    .apply({resumption.C: x_m * resumption.C}, "a write that takes longer than at its usual rate")
    .formula(domain=(x_m * resumption.C <= g,))
)


def in_notice(factor):
    """Return the probability that a write of the case, slower by a factor, is done within the notice."""
    left = Example(notice_left, {g: sites.spot_notice, resumption.C: resilience.fast_write, x_m: factor})
    return Example(resumption.probability_in_notice, {**NOTICED, resumption.y: left}, digits=2)


tenth_slower, fifth_slower = in_notice("1.1"), in_notice("1.2")
largest_safe_size = (
    Derivation.start(resumption.size_in_notice)
    .apply({resumption.b: resumption.b / x_m}, "storage slower than its usual rate")
    .formula()
)
sure_size = Example(
    largest_safe_size,
    {**NOTICED, g: sites.spot_notice, resumption.b: resilience.book_throughput, x_m: synchronous_saves.greatest},
)
