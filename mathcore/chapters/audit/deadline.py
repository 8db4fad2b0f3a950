"""Audit of a deadline: where the days of the run go, which limit is binding, and whether the date can be met.

The workload, its cluster and most symbols are those of `audit`, `audit.fleet`, `audit.costs` and
`audit.levers`; here their numbers are put side by side.
"""

from sympy import And, Piecewise, Rational, log, sqrt

from mathcore import Derivation, Example, Formula, Max, One, Variable, read_facts
from mathcore.chapters import (
    audit,
    energy,
    hardware,
    models,
    reliability,
    roofline,
    sites,
    speedup,
    training,
    young_daly,
)
from mathcore.chapters.audit import CHIP, FLEET, MODEL, B_t, devices, mfu, simulation, t_c, tokens, work
from mathcore.chapters.audit import costs as audit_costs
from mathcore.chapters.audit import fleet as audit_fleet
from mathcore.chapters.audit import levers as audit_levers
from mathcore.chapters.audit.fleet import (
    DEVICES,
    T_r,
    delta,
    layers_talk,
    mtbf,
    ring,
    step,
    t_p,
    t_s,
    t_T,
    t_x,
    waste,
    waste_here,
)
from mathcore.chapters.audit.levers import cluster_with_failures, date, n_0, n_f, need, w_0
from mathcore.chapters.collectives import beta
from mathcore.chapters.parallelism.memory import H
from mathcore.chapters.reliability import deadlines as reliability_deadlines
from mathcore.chapters.reliability import g
from mathcore.chapters.roofline import I, I_r
from mathcore.chapters.training import C, D, N, P, n, t, u
from mathcore.chapters.training.scaling import c as c_s
from mathcore.chapters.young_daly import M, R, m, tau, w_min
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols -------------------------------------------------------------------------------

LOAD = {"display_unit": "%", "low": "0 %", "high": "100000 %", "zero": True}
D_t = Variable("D_t", "token", "tokens seen by the date", display_unit="Ttoken", low="1 token", high="100000000 Ttoken")
D_i = Variable("D_i", "s", "time lost at each failure", tex=r"T_{\mathrm{loss}}", display_unit="min")
b_p = Variable("b_p", "s", "slack: what the date leaves for failures", tex=r"b", display_unit="h")
Q_p = Variable("Q_p", "", "probability that the date is met", tex=r"Q", display_unit="%")
b_w = Variable("b_w", "s", "time that writes and lost work take", tex=r"t_{\mathrm{fail}}", display_unit="d")
y_H = Variable("y_H", "", "memory needed over memory available", tex=r"y_{\mathrm{mem}}", **LOAD)
H_n = Variable(
    "H_n", "B", "memory a device needs", tex=r"H_{\mathrm{need}}", display_unit="GB", low="1 B", high="1000 TB"
)
y_b = Variable("y_b", "", "memory time over compute time", tex=r"y_{\mathrm{bw}}", **LOAD)
y_w = Variable("y_w", "", "waste over the waste that is allowed", tex=r"y_{w}", **LOAD)
w_l = Variable("w_l", "", "waste that is allowed", tex=r"w_{\mathrm{lim}}", display_unit="%", low="0.1 %", high="1")
y_f = Variable("y_f", "", "devices needed over devices available", tex=r"y_{\mathrm{fleet}}", **LOAD)
y_g = Variable("y_g", "", "share of the grid in the factor between two sites", tex=r"y_{\mathrm{grid}}")
y_h = Variable("y_h", "", "share of the building in that factor", tex=r"y_{\mathrm{PUE}}", display_unit="%")
y_s = Variable(
    "y_s", "", "compute wasted by a model size other than the best", tex=r"y_{\mathrm{size}}", display_unit="%"
)
i_w = Variable("i_w", "", "number of the binding limit, plus four if the date is missed", tex=r"i")
y_a = Variable("y_a", "", "share of arithmetic in the time of the run", tex=r"y_{\mathrm{c}}", display_unit="%")
y_t = Variable("y_t", "", "share of the links inside the nodes", tex=r"y_{\mathrm{tp}}", display_unit="%")
y_r = Variable("y_r", "", "share of the network between nodes", tex=r"y_{\mathrm{dp}}", display_unit="%")
y_l = Variable("y_l", "", "share of writes, lost work and all else", tex=r"y_{\mathrm{fail}}", display_unit="%")
b_d = Variable(
    "b_d", "s", "days to spare before the date", low="-1000 year", tex=r"b_{\mathrm{date}}", display_unit="d"
)
n_d = Variable("n_d", "gpu", "twice the cluster", tex=r"n_{2}")
y_o = Variable(
    "y_o",
    "",
    "other time per hour of steps",
    tex=r"y_{\mathrm{else}}",
    display_unit="%",
    low="0 %",
    high="300 %",
    zero=True,
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- where the days go ---------------------------------------------------------------------

work_of_steps = Formula(t, D * t_s / B_t, assumptions="all steps take equally long")
run_of_parts = (
    Derivation.start(T_r, t * (1 + w_min), "each hour of work costs w more", kind="model")
    .apply(work_of_steps, "steps, one after the other")
    .apply(step, "a step is what its parts leave visible")
    .formula(
        assumptions="restarts are free", convention="each limit has a term of its own; what is hidden counts nothing"
    )
)
days_of_failures = Formula(
    b_w,
    T_r * w_min / (1 + w_min),
    kind="definition",
    convention="T has the failures in it, so their share is of T, not of the work",
)
mfu_needed = (
    Derivation.balance(t, training.time_of_work.rhs * (1 + w_min), "suppose the run with failures ends on the date")
    .solve_for(u, C * (1 + w_min) / (n * P * t), "linear in one over the MFU", routine=True)
    .formula(assumptions=("the interval is Young's", "restarts are free"))
)
tokens_by_date = (
    Derivation.balance(
        t,
        (1 + w_min) * training.time_of_work.rhs.subs({C: audit.renamed(training.compute, {D: D_t})}),
        "suppose the run with failures ends on the date",
    )
    .solve_for(
        D_t,
        training.token * n * P * u * t / (6 * training.FLOP * N * (1 + w_min)),
        "linear in the tokens",
        routine=True,
    )
    .formula(assumptions=("the interval is Young's", "restarts are free"))
)

# --- loads: each wall in the same currency -----------------------------------------------------

memory_load = Formula(y_H, H_n / H, kind="definition", convention="above 100 % the run does not start")
bandwidth_load = Formula(
    y_b,
    I_r / I,
    kind="definition",
    assumptions="arithmetic and traffic overlap",
    convention="above 100 % memory limits",
)
waste_load = Formula(y_w, w_min / w_l, kind="definition")
fleet_load = Formula(y_f, n_f / n, kind="definition", convention="above 100 % the date is missed")
GRID = log(energy.c_1 / energy.c_2)
grid_share = Formula(
    y_g,
    GRID / (GRID + log(energy.PUE_1 / energy.PUE_2)),
    kind="definition",
    assumptions="grid and building both favour the second site",
    convention="of a product the logarithms can be shared out",
    domain=(energy.c_1 > energy.c_2, energy.PUE_1 > energy.PUE_2),
)

building_share = Formula(y_h, 1 - y_g, kind="definition", assumptions="the rest of the factor is the building's")
size_penalty = Formula(y_s, c_s - 1, kind="definition", convention="of the work, for the same loss")

# --- the promise ---------------------------------------------------------------------------

FAIL = m / n
YOUNG = sqrt(2 * delta * FAIL)
loss = (
    Derivation.start(D_i, tau / 2 + R, "half an interval is done again, after a restart", kind="model")
    .apply({tau: young_daly.interval.renamed({young_daly.C: delta})}, "at Young's interval", routine=True)
    .apply({M: mtbf}, "the cluster's mean time between failures")
    .formula(validity=young_daly.root_trusted(delta, FAIL), drops_assumptions="restarts are free")
)
slack = (
    Derivation.start(b_p, t - training.time_of_work.rhs * (1 + delta / tau), "the date, less the work and its writes")
    .apply({tau: young_daly.interval.renamed({young_daly.C: delta})}, "at Young's interval", routine=True)
    .apply({M: mtbf}, "the cluster's mean time between failures")
    .formula(
        validity=young_daly.root_trusted(delta, FAIL),
        drops_assumptions="restarts are free",
        convention="negative: the date is missed without any failure",
    )
)
WORKING = training.time_of_work.rhs * (1 + delta / YOUNG)
date_probability = (
    Derivation.start(
        Q_p,
        audit.renamed(
            reliability_deadlines.date_kept,
            {reliability_deadlines.t: t, reliability_deadlines.b: b_p, reliability_deadlines.D: D_i},
        ),
        "the date holds if no more failures come than the slack can pay for",
        kind="model",
    )
    .apply({b_p: slack, D_i: loss}, "slack over loss")
    .apply({M: mtbf}, "the cluster's mean time between failures")
    .formula(assumptions=("failures strike at a constant rate", "each failure costs the same"), domain=(t > WORKING,))
)

# --- the same in the symbols of the calculator: one workload, its bytes put in -----------------

GPU, SECOND, BYTE, TOKEN = One("gpu"), One("s"), One("B"), One("token")
REACH = 8  # devices of a node, and the degree of tensor parallelism


def whole(example, unit):
    """Return the value of an example as a rational number of `unit`, to nine digits."""
    return Rational(f"{example.value.m_as(unit):.9g}")


STEP_TOKENS = whole(audit.step_tokens, "token") * TOKEN
ARITHMETIC = whole(audit.step_work, "FLOP") * training.FLOP
LAYER_BYTES = Rational(f"{(layers_talk.value * hardware.h100_nvlink.value * devices.value).m_as('B gpu'):.6g}")
GRADIENT_BYTES = whole(audit_fleet.gradients, "B") * BYTE
HERE = "what stands in it is one workload: the model, its batch of 2,048 and its split"
fleet_computing = Formula(t_c, ARITHMETIC / (n * P * audit.eta_k), assumptions=HERE)
fleet_layers = Formula(t_T, LAYER_BYTES * BYTE * GPU / (n * audit_fleet.beta_i), assumptions=HERE)
SEQUENCES = 2048 * REACH * GPU  # devices with which each replica has one sequence
fleet_ring = 2 * (n - REACH * GPU) / n * GRADIENT_BYTES / beta
fleet_waiting = Formula(
    t_x,
    Max(0 * SECOND, fleet_ring - (2 * fleet_computing.rhs / 3 + fleet_layers.rhs / 2) * n / SEQUENCES),
    assumptions=(
        HERE,
        "one sequence at a time: behind the backward pass of the last the ring can hide",
        "latency does not count",
    ),
)
fleet_step = Formula(t_s, fleet_computing.rhs + fleet_layers.rhs + fleet_waiting.rhs, assumptions=HERE)
ELSE = 1 + waste.rhs + y_o  # for each hour of steps: the hour, writes and lost work, and what no model here has
fleet_time = Formula(
    T_r,
    D / STEP_TOKENS * fleet_step.rhs * ELSE,
    assumptions=(HERE, "the interval is Young's"),
    convention="restarts, evaluations and pauses are in the last term",
)
fleet_arithmetic = Formula(T_r, D / STEP_TOKENS * fleet_computing.rhs, assumptions=HERE)
fleet_date = Formula(T_r, t, kind="definition")
fleet_spare = Formula(b_d, t - fleet_time.rhs, kind="definition", convention="negative: that many days too late")
fleet_share_computing = Formula(y_a, fleet_computing.rhs / (fleet_step.rhs * ELSE), kind="definition")
fleet_share_layers = Formula(y_t, fleet_layers.rhs / (fleet_step.rhs * ELSE), kind="definition")
fleet_share_waiting = Formula(y_r, fleet_waiting.rhs / (fleet_step.rhs * ELSE), kind="definition")
fleet_share_failures = Formula(y_l, (waste.rhs + y_o) / ELSE, kind="definition")
doubled = Formula(n_d, 2 * n, kind="definition")
SHARES = (fleet_computing.rhs, fleet_layers.rhs, fleet_waiting.rhs, fleet_step.rhs * (waste.rhs + y_o))
FIRST = Piecewise(
    (0, And(SHARES[0] >= SHARES[1], SHARES[0] >= SHARES[2], SHARES[0] >= SHARES[3])),
    (1, And(SHARES[1] >= SHARES[2], SHARES[1] >= SHARES[3])),
    (2, SHARES[2] >= SHARES[3]),
    (3, True),
)
binding = Formula(
    i_w,
    FIRST + Piecewise((4, fleet_time.rhs > t), (0, True)),
    kind="definition",
    convention="0 arithmetic, 1 links inside the nodes, 2 network between them, 3 failures and all else",
)

# --- worked examples: where the days go --------------------------------------------------------

at_peak = Example(training.time_at_peak, {**FLEET, C: work})
STEPS = {speedup.D: tokens, speedup.B: audit.step_tokens}
days_products = Example(training.time_at_peak, {**FLEET, C: work, P: hardware.h100_matmul})
days_computing = Example(speedup.training_by_steps, {**STEPS, speedup.t: audit_fleet.compute_time})
days_layers = Example(speedup.training_by_steps, {**STEPS, speedup.t: layers_talk})
days_waiting = Example(speedup.training_by_steps, {**STEPS, speedup.t: audit_fleet.waiting})
days_ring = Example(speedup.training_by_steps, {**STEPS, speedup.t: ring})
composed = Example(
    run_of_parts,
    {
        **{
            D: tokens,
            B_t: audit.step_tokens,
            t_c: audit_fleet.compute_time,
            t_x: audit_fleet.waiting,
            t_T: layers_talk,
            t_p: "0 s",
        },
        w_min: waste_here,
    },
    digits=4,
)
days_failing = Example(days_of_failures, {T_r: composed, w_min: waste_here})

# --- worked examples: loads -----------------------------------------------------------------

load_memory = Example(memory_load, {H_n: need, H: hardware.h100_hbm})
load_taken = Example(memory_load, {H_n: audit_levers.taken, H: hardware.h100_hbm})
load_of_four = Example(memory_load, {H_n: audit_levers.need_of_four, H: hardware.h100_hbm})
load_bandwidth = Example(bandwidth_load, {I_r: Example(roofline.ridge, CHIP), I: audit.node_one})
load_waste = Example(waste_load, {w_min: waste_here, w_l: audit_fleet.limit})
load_grid = Example(
    grid_share,
    {
        **{energy.c_1: sites.page_poland, energy.c_2: sites.page_quebec},
        **{energy.PUE_1: audit_costs.pue_poland, energy.PUE_2: audit_costs.pue_quebec},
    },
    unit="%",
)
load_building = Example(building_share, {y_g: load_grid})
load_size = Example(size_penalty, {c_s: audit.law_penalty})

# --- worked examples: the promise -------------------------------------------------------------

WEEKS = {C: work, P: FLEET[P], t: date}
mfu_for_date = Example(mfu_needed, {**WEEKS, n: devices, w_min: waste_here})
seen_by_date = Example(tokens_by_date, {**MODEL, n: devices, P: FLEET[P], u: mfu, t: date, w_min: waste_here})
waste_1104 = Example(waste, {**DEVICES, n: "1104 gpu"})
fleet_for_date = Example(cluster_with_failures, {n_0: audit_levers.cluster_budget, w_0: waste_1104}, digits=4)
fleet_of_nodes = Example(audit_levers.whole_nodes, {g: hardware.server_gpus, n_0: fleet_for_date}, digits=4)
load_fleet = Example(fleet_load, {n_f: fleet_of_nodes, n: devices}, digits=4)
OFFER = {delta: DEVICES[delta], m: audit_fleet.hours_of_all, R: facts.restart}
loss_143 = Example(loss, {**OFFER, n: fleet_of_nodes})
slack_143 = Example(slack, {**WEEKS, delta: OFFER[delta], m: audit_fleet.hours_of_all, n: fleet_of_nodes, u: mfu})
at_40 = {**WEEKS, **OFFER, u: mfu}
chance_143 = Example(date_probability, {**at_40, n: fleet_of_nodes})
chance_147 = Example(date_probability, {**at_40, n: "1176 gpu"})
chance_147_at_39 = Example(date_probability, {**at_40, n: "1176 gpu", u: "39 %"})
chance_155_at_38 = Example(date_probability, {**at_40, n: "1240 gpu", u: "38 %"})
# The MTBF that was seen on other fleets: all causes, at 1,024 devices of one operator.
m_of_fleet = mtbf.solve_for("m")
m_seen = Example(m_of_fleet, {M: reliability.rsc_mttf_1024, n: "1024 gpu"}, digits=4)
chance_147_as_seen = Example(date_probability, {**at_40, n: "1176 gpu", m: m_seen})
chance_160_as_seen = Example(date_probability, {**at_40, n: "1280 gpu", m: m_seen})
days_as_seen = Example(audit_fleet.run_time, {C: work, P: FLEET[P], u: mfu, **DEVICES, n: devices, m: m_seen})
failures_143 = Example(
    reliability_deadlines.expected,
    {
        reliability_deadlines.t: date,
        reliability_deadlines.M: Example(
            young_daly.cluster_mtbf, {young_daly.m: audit_fleet.hours_of_all, young_daly.N: fleet_of_nodes}
        ),
    },
)
PROMISED = {C: work, P: FLEET[P], u: mfu, **DEVICES}
waste_147 = Example(waste, {**DEVICES, n: "1176 gpu"})
mfu_147 = Example(mfu_needed, {**WEEKS, n: "1176 gpu", w_min: waste_147})
days_low = Example(audit_fleet.run_time, {**PROMISED, n: devices, u: facts.mfu_low})
days_high = Example(audit_fleet.run_time, {**PROMISED, n: devices, u: models.megascale_mfu})
simulated_promise = Simulation(date_probability, {**at_40, n: fleet_of_nodes}, simulation.promises_kept, runs=600)

# --- explorer --------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
