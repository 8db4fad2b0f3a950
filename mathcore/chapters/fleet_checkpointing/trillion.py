"""Trillion: what a model of a trillion parameters requires of its cluster, its storage and its schedule."""

from sympy import Rational, exp, log, sqrt

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import before_you_start, fleet_checkpointing, hardware, reliability, young_daly
from mathcore.chapters import lab_checkpoint_reckoning as lab
from mathcore.chapters import resilience as store
from mathcore.chapters.fleet_checkpointing import d, g, lab_stall, levels, s, u
from mathcore.chapters.fleet_checkpointing import replicas as memory
from mathcore.chapters.fleet_checkpointing import silent_corruption as silent
from mathcore.chapters.fleet_checkpointing.trillion_simulation import useful_shares
from mathcore.chapters.young_daly import (
    C,
    M,
    N,
    R,
    cluster_mtbf,
    interval,
    lab_cluster,
    lab_large,
    least_trusted,
    llama_device_mtbf,
    llama_mtbf,
    m,
    optimum,
    tau,
    w_x,
)
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

S, b = store.S, store.b

# --- symbols --------------------------------------------------------------------------------

eta = Variable("eta", "", "useful share of the wall clock at the best interval", tex=r"\eta", display_unit="%")
w_b = Variable("w_b", "", "exact waste at the best interval", tex=r"w_{\mathrm{best}}", display_unit="%")
w_t = Variable(
    "w_t", "", "waste that is accepted", tex=r"w_{\mathrm{goal}}", display_unit="%", low="0.1 %", high="1000 %"
)
eta_Y = Variable("eta_Y", "", "the same to first order", tex=r"\eta_{\mathrm{Y}}", display_unit="%")
C_t = Variable("C_t", "s", "longest write time allowed by a goal", tex=r"C_{\mathrm{goal}}")
b_t = Variable("b_t", "B/s", "bandwidth required by a goal", tex=r"b_{\mathrm{goal}}", display_unit="GB/s")
w_f = Variable("w_f", "", "smallest waste of a fleet", tex=r"w_{\mathrm{fleet}}", display_unit="%")
S_d = Variable(
    "S_d",
    "B/gpu",
    "state that the model has for each device",
    tex=r"S_{\mathrm{dev}}",
    display_unit="GB/gpu",
    low="1 MB/gpu",
    high="1 TB/gpu",
)
b_d = Variable(
    "b_d",
    "B/s/gpu",
    "storage bandwidth per device",
    tex=r"b_{\mathrm{dev}}",
    display_unit="MB/s/gpu",
    low="1 kB/s/gpu",
    high="10 GB/s/gpu",
)
a_w = Variable("a_w", "s", "greatest age of the newest safe checkpoint", tex=r"a_{\max}", display_unit="min")
x_i = Variable("x_i", "s", "cost that comes with each interval", tex="x", low="0 s", high="1 d", zero=True)
x_f = Variable("x_f", "s", "cost that comes with each failure", tex=r"x_{\mathrm{f}}", low="0 s", high="1 d", zero=True)
p_i = Variable("p_i", "", "waste by what comes with each interval", tex=r"w_{\tau}", display_unit="%")
p_f = Variable("p_f", "", "waste by what comes with each failure", tex=r"w_{M}", display_unit="%")
w_k = Variable(
    "w_k", "", "exact waste with uploads as often as is best and possible", tex=r"w_{\mathrm{back}}", display_unit="%"
)
tau_b = Variable(
    "tau_b", "s", "best interval with asynchronous uploads", tex=r"\tau_{\mathrm{behind}}", display_unit="min"
)
tau_c = Variable(
    "tau_c", "s", "best interval with synchronous checkpoints", tex=r"\tau_{\mathrm{still}}", display_unit="min"
)
n_l = Variable("n_l", "", "net efficiency as printed in the lab", tex=r"\eta_{\mathrm{lab}}", display_unit="%")
w_1 = Variable(
    "w_1", "", "waste of the fleet with synchronous checkpoints", tex=r"w_{\mathrm{still}}", display_unit="%"
)
w_2 = Variable("w_2", "", "waste of the fleet with asynchronous uploads", tex=r"w_{\mathrm{behind}}", display_unit="%")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the exact price at the best interval ---------------------------------------------------

write_of_interval = (
    Derivation.balance(tau, optimum.rhs, "the interval is the exact optimum for its write")
    .solve_for(C, -M * log(1 - tau / M) - tau, "Lambert's function undone: $(1 - \\tau/M)\\,e^{(\\tau+C)/M} = 1$")
    .formula(
        assumptions=("failures strike at a constant rate $1/M$", "$\\tau$ is the exact optimum"), domain=(tau < M,)
    )
)
best_share = (
    Derivation.start(eta, 1 / (1 + w_x), "useful work over all time, if each unit of work loses $w$")
    .apply(young_daly.exact_waste, "what is lost, exactly")
    .apply(write_of_interval, "the write to which this interval is the optimum")
    .rewrite(
        (1 - tau / M) * exp(-R / M),
        "the exponential of $\\tau + C$ is one over the bracket, and $\\tau$ cancels",
        routine=True,
    )
    .formula()
)
useful_share = (
    Derivation.start(best_share)
    .apply({tau: optimum}, "the exact optimum: one less one is nothing, and Lambert's function itself is left")
    .formula()
)
young_share = (
    Derivation.start(eta_Y, 1 / (1 + w_b), "what is left of the clock if each unit of work loses that much")
    .apply({w_b: young_daly.waste_at_optimum}, "Young's smallest waste")
    .formula()
)
least_exact = (
    Derivation.start(w_b, 1 / eta - 1, "what is lost for each unit that is won")
    .apply(useful_share, "the useful share")
    .apply({R: 0}, "restarts for free")
    .formula(assumptions="failures strike at a constant rate $1/M$; $R = 0$")
)
write_for_goal = (
    Derivation.start(C_t, C, "the write for which an interval is the best one")
    .apply(write_of_interval, "the exact optimum, solved for the write", routine=True)
    .apply({tau: M * w_t / (1 + w_t)}, "the interval at which $\\tau/(M - \\tau)$ is what is accepted")
    .rewrite(M * (log(1 + w_t) - w_t / (1 + w_t)), "gather", routine=True)
    .formula(assumptions="restarts are free")
)
store_for_goal = (
    Derivation.start(b_t, S / C_t, "all bytes in that time", kind="model")
    .apply(write_for_goal, "the longest write")
    .formula(assumptions="the storage limits")
)

# --- the race between fleet and store -------------------------------------------------------

waste_of_fleet = (
    Derivation.start(w_f, young_daly.waste_at_optimum, "Young's smallest waste")
    .apply({C: lab.plain_write}, "write from size and bandwidth")
    .apply(cluster_mtbf, "MTBF from device and fleet: what grows stands above, what is bought below")
    .formula(validity=least_trusted(S / b, m / N))
)
grown_model = Formula(S, S_d * N, assumptions="the model grows with the fleet")
store_of_fleet = Formula(b, b_d * N, assumptions="storage bandwidth grows with the fleet")
waste_of_growth = (
    Derivation.start(waste_of_fleet)
    .apply(grown_model, "the model grows with the fleet: the number of devices leaves the root")
    .formula(validity=least_trusted(S_d * N / b, m / N))
)
waste_of_both = (
    Derivation.start(waste_of_growth)
    .apply(store_of_fleet, "storage bandwidth grows with the fleet too: one of the two is back under the root")
    .formula(validity=least_trusted(S_d / b_d, m / N))
)
store_of_growth = (
    Derivation.balance(w_t, N * sqrt(2 * S_d / (b_t * m)), "hold the waste while model and fleet grow")
    .solve_for(b_t, 2 * S_d * N**2 / (m * w_t**2), "square and turn over")
    .formula(
        assumptions="the storage limits",
        validity=((w_t <= Rational(4, 25), "the exact least waste with that bandwidth is higher by 11 % and more"),),
    )
)

# --- where the time goes --------------------------------------------------------------------

worst_age = Formula(
    a_w,
    tau + u,
    assumptions="the failure strikes just before the next upload ends",
    convention="durability lag: at best u, at worst this",
)
by_interval = Formula(p_i, x_i / tau, kind="definition")
by_failure = Formula(p_f, x_f / M, kind="definition")
background = (
    Derivation.start(w_k, fleet_checkpointing.async_exact, "uploads in the background, at any interval")
    .apply({tau: Max(u, fleet_checkpointing.async_optimum.rhs)}, "as short as is best, but not shorter than an upload")
    .apply({d: 0, R: 0}, "what a failure costs besides is the same for all")
    .formula()
)
waste_synchronous = (
    Derivation.start(w_1, young_daly.exact_waste, "the exact model: all wait during the write")
    .apply({C: lab.plain_write}, "the write from size and bandwidth")
    .apply(cluster_mtbf, "the MTBF from device and fleet")
    .formula()
)
waste_asynchronous = (
    Derivation.start(w_2, fleet_checkpointing.simple_async, "stall, then upload while training goes on")
    .apply({tau: fleet_checkpointing.paced_interval}, "if uploads do not keep up, the next snapshot waits")
    .apply({u: lab.plain_write}, "the upload from size and bandwidth")
    .apply(cluster_mtbf, "the MTBF from device and fleet")
    .formula(assumptions="training keeps its speed")
)

best_interval_asynchronous = (
    Derivation.start(tau_b, fleet_checkpointing.paced_optimum, "as short as is best, but not shorter than an upload")
    .apply({u: lab.plain_write}, "the upload from size and bandwidth")
    .apply(cluster_mtbf, "the MTBF of the fleet")
    .formula(assumptions=("failures strike at a constant rate", "training keeps its speed"))
)
best_interval_synchronous = (
    Derivation.start(tau_c, optimum, "the exact optimum")
    .apply({C: lab.plain_write}, "the write from size and bandwidth")
    .apply(cluster_mtbf, "the MTBF of the fleet")
    .formula(assumptions="failures strike at a constant rate")
)
lab_net = Formula(
    n_l,
    1 - C / tau - (tau / 2 + C) / M,
    assumptions="overhead and rework are taken from one, as the lab has it",
    convention="one share of work and one of the clock, added",
)

# --- worked examples: weight and write ------------------------------------------------------

weight = Example(store.size, {store.n: facts.lab_model, store.beta: store.saved}, digits=2)
lab_bytes = Example(
    store.implied_bytes,
    {S: facts.lab_size, store.n: facts.lab_model},
    expect=store.bytes_weight,
    source="a weight in BF16 and nothing else",
    digits=2,
)
all_memory = Example(store.rank_share.solve_for("S"), {store.S_r: facts.lab_memory, store.N: lab_large})
one_door = Example(before_you_start.transfer, {before_you_start.V: weight, before_you_start.b: "400 Gbit/s"})
share = Example(store.rank_share, {S: weight, store.N: lab_large}, unit="MB/gpu")
RANKS = {S: weight, store.N: lab_large, store.b_n: "1 GB/s/gpu"}
write = Example(store.write_time, {**RANKS, b: facts.lab_store}, unit="s", digits=2)
snapshot = Example(
    before_you_start.transfer,
    {before_you_start.V: "854.49 MB", before_you_start.b: hardware.pcie5},
    unit="ms",
    digits=2,
)
server_copy = Example(store.rank_share.solve_for("S"), {store.S_r: share, store.N: "8 gpu"}, unit="GB", digits=2)
llama_weight = Example(store.size, {store.n: facts.llama_model, store.beta: store.saved})
llama_share = Example(store.rank_share, {S: llama_weight, store.N: young_daly.llama_devices}, unit="MB/gpu")
llama_write = Example(
    store.write_time,
    {S: llama_weight, store.N: young_daly.llama_devices, store.b_n: "1 GB/s/gpu", b: facts.llama_store},
    unit="s",
    digits=2,
)

# --- worked examples: the storm and the fleet that exists -----------------------------------

STORM = {C: lab_stall, M: lab_cluster}
MEANT = {C: lab_stall, M: young_daly.lab_printed_mtbf}
REAL = {C: lab_stall, M: llama_mtbf}


def _at(case):
    each = ({tau: f"{minutes} min", **case} for minutes in (5, 10, 20, 60))
    return (Example(young_daly.exact_waste_free_restart, given, unit="%", digits=2) for given in each)


storm_5, storm_10, storm_20, storm_60 = _at(STORM)
meant_5, meant_10, meant_20, meant_60 = _at(MEANT)
real_5, real_10, real_20, real_60 = _at(REAL)
meant_interval = Example(interval, MEANT, digits=2)
# the MTBF for which the answer that the lab calls right would be right
storm_interval = Example(optimum, STORM, unit="s")
storm_first = Example(young_daly.waste_at_optimum, STORM)
storm_least = Example(least_exact, STORM)
meant_least = Example(least_exact, MEANT)
real_least = Example(least_exact, REAL)
storm_share = Example(useful_share, {**STORM, R: "0 s"})
storm_restart = Example(young_daly.restart_time, {R: "5 min", M: lab_cluster}, unit="h")
storm_up = Example(useful_share, {**STORM, R: "5 min"}, digits=2)
storm_full = Example(least_exact, {C: write, M: lab_cluster}, unit="")
goal_write = Example(write_for_goal, {M: lab_cluster, w_t: facts.lab_budget}, digits=2)
goal_store = Example(store_for_goal, {S: weight, M: lab_cluster, w_t: facts.lab_budget}, unit="TB/s", digits=2)
lab_quick = Example(young_daly.exact_waste_free_restart, {tau: "20 s", C: "4 s", M: lab_cluster}, digits=2)
LAB_BEHIND = {s: facts.lab_snapshot, u: lab_stall, g: "0 %", M: lab_cluster}
lab_wish = Example(fleet_checkpointing.async_interval, LAB_BEHIND, unit="s", digits=2)
STEP_BY_STEP = {"unit": "%", "digits": 2}
lab_behind = Example(
    fleet_checkpointing.async_exact, {**LAB_BEHIND, d: "0 s", R: "0 s", tau: lab_stall}, **STEP_BY_STEP
)
lab_by_step = Example(
    fleet_checkpointing.async_exact,
    {**LAB_BEHIND, d: "0 s", R: "0 s", tau: fleet_checkpointing.lab_step},
    **STEP_BY_STEP,
)
lab_by_step_reload = Example(
    fleet_checkpointing.async_exact,
    {**LAB_BEHIND, d: "0 s", R: lab_stall, tau: fleet_checkpointing.lab_step},
    **STEP_BY_STEP,
)
lab_efficiency = Example(lab_net, {tau: "20 s", C: "5.12 s", M: lab_cluster}, digits=2)
lab_waste = Example(young_daly.exact_waste_free_restart, {tau: "20 s", C: "5.12 s", M: lab_cluster})
lab_wasted = Example(young_daly.share, {young_daly.w_1: lab_waste})

# --- worked examples: the fleet that exists -------------------------------------------------

real_sync = Example(least_exact, {C: write, M: llama_mtbf}, digits=2)
real_interval = Example(interval, {C: write, M: llama_mtbf})
real_up = Example(useful_share, {C: write, M: llama_mtbf, R: "6 min"}, digits=2)
BEHIND = fleet_checkpointing.FLEET
real_gain = Example(fleet_checkpointing.async_gain, {**BEHIND, C: write}, digits=2)
slow_store = Example(fleet_checkpointing.async_fits, {**BEHIND, u: "20 min", g: "0 %"}, digits=2)
real_limit = Example(fleet_checkpointing.upload_limit, {M: llama_mtbf, C: write, s: "5 s"}, digits=2)
real_age = Example(worst_age, {tau: fleet_checkpointing.fleet_interval, u: "2 min"})
PART = {"unit": "%", "digits": 2}
part_five = Example(by_interval, {x_i: lab_stall, tau: "5 min"}, **PART)
part_stall = Example(by_interval, {x_i: "5 s", tau: fleet_checkpointing.fleet_interval}, **PART)
part_speed = Example(
    by_interval, {x_i: fleet_checkpointing.interference_process, tau: fleet_checkpointing.fleet_interval}, **PART
)
half_interval = Example(young_daly.mean_loss, {tau: fleet_checkpointing.fleet_interval}, digits=2)
part_redo = Example(by_failure, {x_f: half_interval, M: llama_mtbf}, **PART)
part_lag = Example(by_failure, {x_f: "2 min", M: llama_mtbf}, **PART)
part_notice = Example(by_failure, {x_f: "1 min", M: llama_mtbf}, **PART)
part_restart = Example(by_failure, {x_f: "5 min", M: llama_mtbf}, **PART)
grown = Example(waste_of_fleet, {S: weight, b: facts.lab_store, N: lab_large, m: llama_device_mtbf}, digits=2)
grown_twice = Example(waste_of_growth, {S_d: share, b: facts.lab_store, N: "32768 gpu", m: llama_device_mtbf}, digits=2)
grown_store = Example(
    store_of_growth, {S_d: share, N: "32768 gpu", m: llama_device_mtbf, w_t: "7.93 %"}, unit="TB/s", digits=2
)
burst = Example(fleet_checkpointing.momentary_interval, {C: write, fleet_checkpointing.lam_t: "1.2932 /h"}, digits=2)

# --- worked examples: levels, replicas, silent corruption -------------------------------------------

fast = Example(levels.fast_failures, {M: llama_mtbf, levels.q: "90 %"})
slow = Example(levels.slow_failures, {M: llama_mtbf, levels.q: "90 %"})
TWO = {levels.C_1: "1 s", levels.C_2: write, levels.M_1: fast, levels.M_2: slow}
two = Example(levels.two_level_least, TWO, digits=2)
two_whole = Example(levels.whole_ratio, TWO, digits=2)
two_work = Example(levels.two_level_work, {**TWO, levels.k: two_whole}, unit="min", digits=2)
machine = Example(cluster_mtbf, {m: llama_device_mtbf, N: "8 gpu"}, unit="d")
pairs = Example(
    memory.pairs_lost, {memory.m_m: machine, memory.n_m: "2048", memory.t_w: "10 min"}, unit="year", digits=2
)
pairs_in_run = Example(reliability.failure_probability, {reliability.t: "54 d", M: pairs}, digits=2)
replica = Example(
    memory.replication_time, {memory.r: "2", S: weight, memory.n_m: "2048", memory.b_m: "400 Gbit/s"}, digits=2
)
QUIET = {silent.V: "10 s", C: write, silent.M_s: reliability.llama_sdc_mtbf, M: llama_mtbf}
checked = Example(silent.silent_interval, QUIET)
checked_least = Example(silent.silent_least, QUIET, digits=2)
checks = Example(silent.best_checks, QUIET, digits=1)
spaced = Example(silent.whole_spacing, QUIET)
spaced_least = Example(silent.spaced_least, {**QUIET, silent.p: spaced}, digits=2)
spaced_five = Example(silent.spaced_least, {**QUIET, silent.p: "5"}, digits=2)
# --- simulation -----------------------------------------------------------------------------

sim_share = Simulation(useful_share, {C: "30 s", M: "10 min", R: "2 min"}, useful_shares, runs=300)
sim_storm = Simulation(useful_share, {C: "5 s", M: "44 s", R: "30 s"}, useful_shares, runs=300)

# --- explorer -------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
