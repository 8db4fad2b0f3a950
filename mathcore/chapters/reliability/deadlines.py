"""Deadlines: a month on a thousand devices, its spares, its date, and what was measured."""

from sympy import floor, gamma, log, sqrt, uppergamma

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import reliability
from mathcore.chapters.reliability import (
    LLAMA_CAUSES,
    S,
    any_failure,
    c,
    g,
    mtbf_of_nodes,
    n,
    n_d,
    no_failure,
    p,
    r,
    rsc_mttf_1024,
    share_of_kind,
    t,
)
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import deadlines_simulation as simulation
from mathcore.chapters.reliability.counts import expected, lower_count, mu, n_high, n_low, s, t_r, z
from mathcore.chapters.young_daly import M, N, cluster_mtbf, llama_device_mtbf, llama_failures, llama_time, m
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

b = Variable("b", "s", "slack in the schedule", alias="slack", display_unit="d", low="1 min", high="1 year")
D = Variable(
    "D",
    "s",
    "time lost at each interruption",
    alias="time_per_interruption",
    display_unit="min",
    low="1 s",
    high="10 d",
    tex=r"D_{\mathrm{int}}",
)
t_w = Variable(
    "t_w",
    "s",
    "work of the run: its length if nothing interrupts it",
    tex=r"t_{\mathrm{work}}",
    display_unit="d",
    low="1 h",
    high="10 year",
)
s_b = Variable("s_b", "", "interruptions that the slack allows", low="0", high="200", zero=True)
Q_b = Variable("Q_b", "", "probability that the date holds", display_unit="%")
ell = Variable("ell", "", "negative decimal logarithm of the probability", tex=r"\ell")
mu_r = Variable("mu_r", "", "nodes away on average", tex=r"\mu_{\mathrm{r}}")
x_low = Variable("x_low", "", "lower limit as a multiple of the count", tex=r"x_{\mathrm{low}}")
x_high = Variable("x_high", "", "upper limit as a multiple of the count", tex=r"x_{\mathrm{high}}")
M_low = Variable("M_low", "s", "shortest MTBF within the interval", tex=r"M_{\mathrm{low}}", display_unit="h")
M_high = Variable("M_high", "s", "longest MTBF within the interval", tex=r"M_{\mathrm{high}}", display_unit="h")
eps = Variable(
    "eps", "", "relative half-width that is wanted", tex=r"\varepsilon", display_unit="%", low="1 %", high="100 %"
)
n_e = Variable("n_e", "", "failures that must be observed", low="1", high="1000000", count=True)
X_e = Variable("X_e", "gpu h", "device-hours that must be observed")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- a run on nodes -------------------------------------------------------------------------

failures_of_run = (
    Derivation.start(expected).apply({M: mtbf_of_nodes}, "the MTBF of the job, from the rate of one node").formula()
)
spares_for_nodes = (
    Derivation.start(reliability_counts.spares_to_provide)
    .apply({mu: failures_of_run}, "that many failures are expected")
    .formula(assumptions="a failed node does not come back")
)
spares_of_run = (
    Derivation.start(reliability_counts.spares_suffice)
    .apply({mu: failures_of_run}, "that many failures are expected")
    .formula()
)
spares_in_turn = (
    Derivation.start(reliability_counts.spares_with_repair)
    .apply({M: mtbf_of_nodes}, "the MTBF of the job, from the rate of one node")
    .formula(convention="at a given moment, not over the whole run")
)
nodes_away = (
    Derivation.start(mu_r, t_r / M, "Little's law: arrivals come every M, each stays for $t_{\\mathrm{r}}$")
    .apply({M: mtbf_of_nodes}, "the MTBF of the job, from the rate of one node")
    .formula(assumptions="steady state")
)
log_probability = (
    Derivation.start(ell, -log(S) / log(10), "count the powers of ten instead of the probability itself")
    .apply({S: no_failure}, "all node-days must be spared")
    .rewrite(-n_d * log(1 - p) / log(10), "the logarithm turns the power into a product, which cannot underflow")
    .formula()
)
decades_of_run = (
    Derivation.start(ell, -log(S) / log(10), "count the powers of ten instead of the probability itself")
    .apply({S: reliability.survival}, "the probability of an undisturbed run; the logarithm takes the exponential away")
    .formula(assumptions="failures strike at a constant rate")
)

# --- the date -------------------------------------------------------------------------------

stops_allowed = Formula(
    s_b, floor(b / D), assumptions=("each interruption costs the same", "nothing else eats the slack")
)
date_kept = (
    Derivation.start(
        Q_b,
        uppergamma(s_b + 1, mu) / gamma(s_b + 1),
        "the date holds if no more interruptions come than the slack allows: the probability that as many spares suffice",
        kind="model",
    )
    .apply({s_b: stops_allowed, mu: expected}, "slack over loss, and run over MTBF")
    .formula(assumptions="failures strike at a constant rate")
)
date_by_nodes = (
    Derivation.start(date_kept).apply({M: mtbf_of_nodes}, "the MTBF of the job, from the rate of one node").formula()
)

time_to_date = Formula(t, t_w + b, kind="definition", assumptions="the date is the end of the work plus the slack")
date_of_work = (
    Derivation.start(date_kept).apply({t: time_to_date}, "slack is time in which interruptions come as well").formula()
)

# --- what a count is worth, in hours --------------------------------------------------------

low_ratio = (
    Derivation.start(x_low, n_low / n, "the limit, seen from the count")
    .apply({n_low: lower_count}, "the limit of Wilson and Hilferty")
    .formula()
)
high_ratio = (
    Derivation.start(x_high, n_high / n, "the limit, seen from the count")
    .apply({n_high: reliability_counts.upper_count}, "the limit of Wilson and Hilferty")
    .formula()
)
mtbf_lower = (
    Derivation.start(M_low, t / n_high, "as many failures as are still credible, in the time watched")
    .apply({n_high: reliability_counts.upper_count}, "the limit of Wilson and Hilferty")
    .formula()
)
mtbf_upper = (
    Derivation.start(M_high, t / n_low, "as few failures as are still credible, in the time watched")
    .apply({n_low: lower_count}, "the limit of Wilson and Hilferty")
    .formula()
)
WIDER = "fewer than ten failures vary by more than their square root"
count_needed = (
    Derivation.balance(eps, z / sqrt(n_e), "the half-width that is wanted is that of the count")
    .solve_for(n_e, z**2 / eps**2, "square both sides: half the width needs four times the failures")
    .formula(validity=((10 * eps**2 <= z**2, WIDER),))
)
hours_needed = (
    Derivation.start(X_e, n_e * m, "each failure takes m device-hours to come, on average")
    .apply({n_e: count_needed}, "so many must be seen")
    .formula()
)

# --- worked examples ------------------------------------------------------------------------

RUN = {g: reliability.node_devices, N: "1024 gpu", r: reliability.rsc1_rate}
MONTH = {**RUN, t: "30 d"}
month_failures = Example(failures_of_run, MONTH)
month_rate = Example(reliability.rate_of_nodes, RUN)
month_mean = Example(spares_of_run, {**MONTH, s: "25"})
month_rule = Example(spares_for_nodes, {**MONTH, z: "1.645"}, digits=2)
month_rule_holds = Example(spares_of_run, {**MONTH, s: "34"})
month_one_less = Example(spares_of_run, {**MONTH, s: "32"})
month_least = Example(spares_of_run, {**MONTH, s: "33"})
month_luck = Example(spares_of_run, {**MONTH, s: "3"})
SHOP = {**RUN, t_r: "3 d"}
shop_away = Example(nodes_away, SHOP)
shop_seven = Example(spares_in_turn, {**SHOP, s: "7"})
seen_failures = Example(expected, {t: "30 d", M: rsc_mttf_1024})
LOSS = {D: "40 min", t: "30 d"}
day_allows = Example(stops_allowed, {b: "24 h", D: "40 min"}, digits=2)
day_by_nodes = Example(date_by_nodes, {**RUN, **LOSS, b: "24 h"})
WORK = {t_w: "29 d", M: rsc_mttf_1024}
day_as_seen = Example(date_of_work, {**WORK, D: "40 min", b: "24 h"})
three_as_seen = Example(date_of_work, {**WORK, D: "40 min", b: "72 h"})
four_as_seen = Example(date_of_work, {**WORK, D: "40 min", b: "96 h"})
faster_as_seen = Example(date_of_work, {**WORK, D: "12 min", b: "24 h"})
llama_1024 = Example(cluster_mtbf, {m: llama_device_mtbf, N: "1024 gpu"}, unit="h", digits=2)
page_decades = Example(decades_of_run, {t: reliability.page_run, M: reliability.page_run_mtbf})
book_decades = Example(log_probability, {p: reliability.book_daily, n_d: "30000"})
book_fraction = Example(no_failure, {p: reliability.book_daily, n_d: "30000"}, unit="", digits=2)
tiny = Example(any_failure, {p: "0.0000000000000001", n_d: "1000"}, unit="")
book_months = Example(no_failure, {p: reliability.book_daily, n_d: "5824"})
llama_shortest = Example(mtbf_lower, {t: llama_time, n: llama_failures, z: "1.959964"})
llama_longest = Example(mtbf_upper, {t: llama_time, n: llama_failures, z: "1.959964"})
SDC = {t: llama_time, n: reliability.llama_sdc, z: "1.959964"}
sdc_shortest = Example(mtbf_lower, SDC, unit="d")
sdc_longest = Example(mtbf_upper, SDC, unit="d")
tenth = Example(count_needed, {z: "1.96", eps: "10 %"})
network_part = Example(share_of_kind, {c: reliability.llama_network, n: llama_failures})
sram_part = Example(share_of_kind, {c: reliability.llama_sram, n: llama_failures})
gsp_part = Example(share_of_kind, {c: reliability.llama_gsp, n: llama_failures})
nic_part = Example(share_of_kind, {c: reliability.llama_nic, n: llama_failures})
sdc_part = Example(share_of_kind, {c: reliability.llama_sdc, n: llama_failures})
GPU_CAUSES = [f for f in LLAMA_CAUSES if "GPU" in f.meaning or f is reliability.llama_sdc]
llama_gpu_together = Example(share_of_kind, {c: str(sum(int(f.given) for f in GPU_CAUSES)), n: llama_failures})

# --- simulations ----------------------------------------------------------------------------

sim_date = Simulation(date_kept, {t: "10 d", M: "12 h", b: "20 h", D: "1 h"}, simulation.dates_kept)
sim_spares = Simulation(spares_of_run, {**RUN, r: "0.0065 /d", t: "20 d", s: "19"}, simulation.nodes_enough)

# --- explorer -------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
