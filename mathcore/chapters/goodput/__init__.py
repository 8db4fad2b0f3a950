"""Goodput: which share of a cluster's clock and arithmetic becomes progress."""

from sympy import Add, Mul, log

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters.goodput import simulation
from mathcore.chapters.young_daly import N, w_x
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols --------------------------------------------------------------------------------

CLOCK = {"display_unit": "h", "low": "0 s", "high": "10 year", "zero": True}
t_p = Variable(
    "t_p", "s", "time that made progress", tex=r"t_{\mathrm{p}}", display_unit="h", low="1 s", high="10 year"
)
t_s = Variable("t_s", "s", "time stalled for checkpoints", tex=r"t_{\mathrm{s}}", **CLOCK)
t_l = Variable("t_l", "s", "time of work that was lost", tex=r"t_{\mathrm{l}}", **CLOCK)
t_d = Variable("t_d", "s", "time down: detection, restart, queue", tex=r"t_{\mathrm{d}}", **CLOCK)
SHARE = {"display_unit": "%", "low": "1 %", "high": "100 %"}
G = Variable("G", "", "goodput: share of the wall clock that made progress", alias="goodput", **SHARE)
a_u = Variable("a_u", "", "share of the wall clock in which the job runs", tex=r"a_{\mathrm{up}}", **SHARE)
a_w = Variable("a_w", "", "share of the running time without stalls", tex=r"a_{\mathrm{work}}", **SHARE)
a_k = Variable("a_k", "", "share of the work that was not lost", tex=r"a_{\mathrm{kept}}", **SHARE)
LOSS = {"display_unit": "%", "low": "0 %", "high": "99 %", "zero": True}
l_1 = Variable("l_1", "", "share lost by a first cause", tex=r"\ell_1", **LOSS)
l_2 = Variable("l_2", "", "share of the rest lost by a second", tex=r"\ell_2", **LOSS)
x_m = Variable("x_m", "", "error of subtracting the losses", tex=r"\Delta", display_unit="%")
U = Variable("U", "", "model FLOP utilisation of one device", alias="mfu", tex=r"\operatorname{MFU}", **SHARE)
eta = Variable("eta", "", "scaling efficiency", alias="scaling_efficiency", tex=r"\eta", **SHARE)
P = Variable(
    "P",
    "FLOP/s/gpu",
    "arithmetic peak of one device",
    alias="peak",
    display_unit="TFLOP/s/gpu",
    low="1 TFLOP/s/gpu",
    high="100 PFLOP/s/gpu",
)
E = Variable(
    "E", "FLOP/s", "effective arithmetic rate of the cluster", display_unit="PFLOP/s", low="1 TFLOP/s", high="1 ZFLOP/s"
)
E_s = Variable("E_s", "", "effective share of the peak", tex=r"E/E_{\mathrm{peak}}", display_unit="%")
F = Variable("F", "FLOP", "training compute", alias="compute", low="1 PFLOP", high="1e30 FLOP")
T_t = Variable("T_t", "s", "training time", alias="training_time", tex=r"T_{\mathrm{train}}", display_unit="d")
T = Variable("T", "s", "wall-clock time", display_unit="d", low="1 h", high="10 year")
A = Variable("A", "", "availability of one node", display_unit="%", low="50 %", high="99.9999 %")
t_u = Variable(
    "t_u",
    "s",
    "mean time up",
    alias="mean_time_up",
    tex=r"t_{\mathrm{up}}",
    display_unit="d",
    low="1 min",
    high="100 year",
)
t_r = Variable(
    "t_r",
    "s",
    "mean time of a repair",
    alias="repair_time",
    tex=r"t_{\mathrm{rep}}",
    display_unit="h",
    low="1 s",
    high="1 year",
)
n = Variable("n", "", "nodes that must all be up", alias="nodes", low="1", high="1000000", integer=True)
A_n = Variable("A_n", "", "share of the time in which all are up", display_unit="%")
U_f = Variable("U_f", "", "utilisation of the cluster while it works", tex=r"\mathrm{MFU}_{\mathrm{fleet}}", **SHARE)
U_w = Variable("U_w", "", "utilisation over the wall clock", tex=r"\mathrm{MFU}_{\mathrm{clock}}", **SHARE)
a_s = Variable("a_s", "", "share of the devices paid for that hold a job", tex=r"a_{\mathrm{job}}", **SHARE)
E_b = Variable("E_b", "", "effective share of the peak that was paid for", tex=r"E/E_{\mathrm{paid}}", display_unit="%")
b_U = Variable("b_U", "", "part of the loss that is due to the device", tex=r"b_{\mathrm{MFU}}", display_unit="%")
b_e = Variable("b_e", "", "part of the loss that is due to scaling", tex=r"b_{\eta}", display_unit="%")
b_G = Variable("b_G", "", "part of the loss that is due to the clock", tex=r"b_{G}", display_unit="%")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the clock is conserved -----------------------------------------------------------------

wall_clock_time = Formula(
    T,
    t_p + t_s + t_l + t_d,
    display_form=Add(t_p, t_s, t_l, t_d, evaluate=False),
    kind="definition",
    convention="every second of the wall clock is counted once: progress, stall, lost work or down",
)
goodput = (
    Derivation.start(G, t_p / T, "progress, as a share of the wall clock")
    .apply(wall_clock_time, "what the clock is made of")
    .formula(kind="definition", assumptions="every second is counted once")
)
up_share = Formula(a_u, (t_p + t_s + t_l) / (t_p + t_s + t_l + t_d), kind="definition")
work_share = Formula(a_w, (t_p + t_l) / (t_p + t_s + t_l), kind="definition", convention="of the time up")
kept_share = Formula(a_k, t_p / (t_p + t_l), kind="definition", convention="of the time worked")
goodput_product = (
    Derivation.start(G, a_u * a_w * a_k, "each loss is a share of what the losses before it left")
    .apply(
        {a_u: up_share, a_w: work_share, a_k: kept_share},
        "numerators and denominators cancel in turn: the product is exact",
    )
    .formula(
        assumptions="each share is taken of the rest, not of the whole",
        display_form=Mul(up_share.rhs, work_share.rhs, kept_share.rhs, evaluate=False),
    )
)
two_losses = (
    Derivation.start(x_m, (1 - l_1) * (1 - l_2) - (1 - l_1 - l_2), "multiplied against subtracted")
    .rewrite(l_1 * l_2, "multiply out: subtraction takes the common part twice", routine=True)
    .formula(assumptions="the second loss is a share of what the first left")
)
goodput_of_waste = Derivation.start(
    G, 1 / (1 + w_x), "of one unit of progress and the waste that comes with it, one is progress"
).formula(kind="definition", convention="w is time lost for each unit of useful work")

# --- the cascade ----------------------------------------------------------------------------

effective_rate = Formula(
    E,
    N * P * U * eta * G,
    kind="definition",
    convention="MFU of one device at work alone, efficiency of N together, goodput of the wall clock: no loss counted twice",
)
cascade_share = (
    Derivation.start(E_s, E / (N * P), "what arrives, over what was bought")
    .apply(effective_rate, "the cascade")
    .formula(assumptions="no loss is counted twice")
)
training_time = (
    Derivation.start(T_t, F / E, "work over rate", kind="model")
    .apply(effective_rate, "the cascade")
    .formula(assumptions="all shares hold for the whole training")
)

# --- the same product, measured at other places ----------------------------------------------

fleet_use = Formula(
    U_f,
    U * eta,
    kind="definition",
    convention="what published runs state as MFU: tokens per second of the whole cluster, while it runs",
)
clock_use = (
    Derivation.start(U_w, F / (N * P * T_t), "all work of the run over all that was held")
    .apply(training_time, "the time of the training")
    .formula(convention="from billed device-hours: every loss is included")
)
implied_goodput = (
    Derivation.start(G, U_w / (U * eta), "divide the product by what was measured while it ran")
    .apply({U: U_f / eta}, "the cluster's own utilisation holds the scaling already", justified_by=fleet_use)
    .formula(assumptions="both count the same operations")
)
paid_share = Formula(
    E_b,
    a_s * U * eta * G,
    kind="definition",
    convention="devices in repair, in reserve or between jobs count as paid for",
)
loss_of_device = Formula(
    b_U, log(U) / (log(U) + log(eta) + log(G)), kind="definition", convention="logarithms add as shares multiply"
)
loss_of_scaling = Formula(b_e, log(eta) / (log(U) + log(eta) + log(G)), kind="definition")
loss_of_clock = Formula(b_G, log(G) / (log(U) + log(eta) + log(G)), kind="definition")

# --- availability ---------------------------------------------------------------------------

availability = (
    Derivation.balance(A / t_u, (1 - A) / t_r, "in the long run as many nodes go down as come up", kind="model")
    .solve_for(A, t_u / (t_u + t_r), "collect A", routine=True)
    .formula(assumptions="steady state; any distribution of the times up and down")
)
all_up = (
    Derivation.start(A_n, A**n, "all n must be up, and they are independent of each other", kind="model")
    .apply(availability, "each is up that often")
    .formula(assumptions=("failures are independent", "each node has its own repair", "no spares"))
)

# --- worked examples ------------------------------------------------------------------------

WEEK = {t_p: "140 h", t_s: "7 h", t_l: "9 h", t_d: "12 h"}
week = Example(goodput, WEEK)
# the page says 35 %
page_best = Example(cascade_share, {U: facts.page_mfu, eta: facts.page_scale, G: facts.page_goodput})
node_up = Example(availability, {t_u: "150 d", t_r: "12 h"}, digits=4)
rack_up = Example(all_up, {t_u: "150 d", t_r: "12 h", n: "128"})

# --- simulations ----------------------------------------------------------------------------

sim_availability = Simulation(availability, {t_u: "100 h", t_r: "20 h"}, simulation.up_shares, runs=400)
sim_all_up = Simulation(all_up, {t_u: "100 h", t_r: "2 h", n: "16"}, simulation.all_up)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
