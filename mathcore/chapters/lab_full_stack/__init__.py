"""Lab on the full stack: the audit's run through six domains, its binding constraint, and a deadline to sign or not.

The constraints are those of the audit, with its model and batch size; the reader sets cluster, rates and deadline.
"""

from sympy import LambertW, Rational, ceiling, exp, expand, log, oo

from mathcore import Derivation, Example, Formula, Max, Min, One, Variable, quantity
from mathcore.chapters import audit, energy, hardware, training, young_daly
from mathcore.chapters.audit import S_b, deadline, eta_k, q_d, renamed, x_d, x_p, x_t, y_d
from mathcore.chapters.audit import costs as audit_costs
from mathcore.chapters.audit import fleet as audit_fleet
from mathcore.chapters.audit import levers as audit_levers
from mathcore.chapters.audit.costs import B_r, c_h
from mathcore.chapters.audit.deadline import STEP_TOKENS, fleet_computing, n_d, whole
from mathcore.chapters.audit.fleet import T_r, beta_i, delta, k_m, last_backward, limit, mtbf, t_c, t_T
from mathcore.chapters.collectives import beta
from mathcore.chapters.energy import placement
from mathcore.chapters.parallelism import layouts
from mathcore.chapters.parallelism import memory as parallelism_memory
from mathcore.chapters.parallelism.measured import layout_memory
from mathcore.chapters.parallelism.memory import A, H, H_need, b
from mathcore.chapters.training import D, N, P, n, t, u
from mathcore.chapters.young_daly import m, w_x
from mathcore.teaching import Choice, Slider, read_calculators, read_labs, read_questions

GPU, SECOND, BYTE, TOKEN = One("gpu"), One("s"), One("B"), One("token")

# --- symbols: those of the audit, and these --------------------------------------------------------

SPAN = {"display_unit": "d"}
T_a = Variable("T_a", "s", "days of arithmetic", tex=r"T_{\mathrm{c}}", **SPAN)
T_l = Variable("T_l", "s", "days of all-reduces inside the nodes", tex=r"T_{\mathrm{tp}}", **SPAN)
T_n = Variable("T_n", "s", "days of waiting for the network", tex=r"T_{\mathrm{dp}}", **SPAN)
T_f = Variable("T_f", "s", "days of writes and lost work", tex=r"T_{\mathrm{fail}}", **SPAN)
SIGNED = {"display_unit": "d", "low": "-1e30 d", "high": "1e30 d"}
x_a = Variable("x_a", "s", "days after the deadline", tex=r"x_{\mathrm{date}}", **SIGNED)
x_h = Variable("x_h", "B", "missing memory", tex=r"x_{\mathrm{mem}}", display_unit="GB", low="-1000 TB", high="1000 TB")
b_s = Variable("b_s", "s", "days of slack before the deadline", tex=r"b_{\mathrm{date}}", **SIGNED)
x_b = Variable("x_b", "USD", "cost above the budget", tex=r"x_{\mathrm{cost}}", low="-1e30 USD", high="1e30 USD")
x_w = Variable("x_w", "", "waste above the limit", tex=r"x_{w}", display_unit="%", low="-1", high="1e30")
x_f = Variable(
    "x_f",
    "s",
    "write time in excess of the MTBF",
    tex=r"x_{\mathrm{ckpt}}",
    display_unit="min",
    low="-1000 year",
    high="1000 year",
)
B_g = Variable("B_g", "USD", "cost of the run, late days included", tex=r"B_{\mathrm{late}}")
B_m = Variable("B_m", "USD", "budget of the run", tex=r"B_{\max}", low="1 USD", high="1e12 USD")
G_c = Variable("G_c", "g", "carbon of the run", tex=r"G_{\mathrm{C}}", display_unit="t")
y_p = Variable("y_p", "", "data rate for images over read rate of one disk", tex=r"y_{\mathrm{pic}}", display_unit="%")
V_p = Variable("V_p", "L", "water evaporated at the power plant", tex=r"V_{\mathrm{plant}}")
g_k = Variable("g_k", "s", "days saved by +10 % in kernel efficiency", tex=r"g_{\mathrm{k}}", **SPAN)
g_i = Variable("g_i", "s", "days saved by +10 % in link bandwidth", tex=r"g_{\mathrm{tp}}", **SPAN)
g_b = Variable("g_b", "s", "days saved by +10 % in NIC bandwidth", tex=r"g_{\mathrm{dp}}", **SPAN)
g_m = Variable("g_m", "s", "days saved by +10 % in device MTBF", tex=r"g_{\mathrm{fail}}", **SPAN)
l_w = Variable("l_w", "", "logarithm of run time over useful time", tex=r"\ell_{w}")
c_H = Variable("c_H", "", "memory used over memory estimated", tex=r"c_{H}", low="0.5", high="5")
n_s = Variable("n_s", "gpu", "devices that meet the deadline", tex=r"n_{\mathrm{date}}")

# --- the audit's model in formulas of other chapters; the reader chooses the layout ---------------------

NODE = deadline.REACH
REPLICAS = n / (GPU * x_t)  # one pipeline stage, as in the audit
WORKLOAD = {**audit.MODEL, **audit.BF16, **audit.LAYERS, **audit.SHAPE, training.s: audit.length}
WORKLOAD |= {audit.S_b: audit.batch, audit.w_a: "2 B", layouts.w: "2 B", layouts.Psi: audit.MODEL[N]}


def here(expression):
    """Return the expression with the numbers of the audit's model and its single stage substituted."""
    known = {v: given_of(x, v.name).m_as(v.unit) for v, x in WORKLOAD.items()}
    numbers = {v: Rational(f"{x:.11g}") * (BYTE if v.unit else 1) for v, x in known.items()}
    return expression.subs({**numbers, x_p: 1}, simultaneous=True).subs(x_d, REPLICAS)


def given_of(x, name):
    """Return what a fact or a text says, as a quantity."""
    return getattr(x, "value", None) or quantity(x, name)


LAYERS = here(audit_fleet.tensor_time.rhs)
NODES = {layouts.N: n / GPU, layouts.t: x_t, layouts.p: 1, layouts.g: NODE / x_t}
RING = expand(here(renamed(layouts.gradient_all_reduce, {**NODES, layouts.beta_i: beta_i, layouts.beta_o: beta})))
OUTSIDE, INSIDE = RING.coeff(beta, -1) / beta, RING.coeff(beta, 0)
PASSES = Max(1, here(S_b) / (REPLICAS * b))  # micro-batches of a step, of which the last can hide the ring
PARTS_OF_STEP = {t_c: fleet_computing.rhs, t_T: LAYERS}
WAITING = Max(0 * SECOND, RING - last_backward.rhs.subs({**PARTS_OF_STEP, k_m: PASSES}))
STEP = fleet_computing.rhs + LAYERS + WAITING
NEED = renamed(parallelism_memory.first_stage_total, audit.MEMORY).subs(
    A, renamed(audit.micro_batch, {audit.A_1: audit.gated_layer.rhs})
)
memory = Formula(
    H_need,
    c_H * here(NEED),
    assumptions=("optimizer sharded over the replicas (ZeRO stage 1)", "one pipeline stage"),
    convention="the estimate times the measured multiple",
)

# --- failures: exact, because the sliders reach fleets that fail before a checkpoint is written ------------

ALLOWED = whole(limit, "")
waste = (
    Derivation.start(
        young_daly.least_waste.renamed({young_daly.C: delta}),
        why="the least waste that any interval has; the write time is called δ here",
    )
    .apply(mtbf, "the fleet's mean time between failures")
    .formula()
)
write_allowed = (
    Derivation.start(delta, young_daly.C, "the write time is called δ here")
    .apply(young_daly.write_at_waste, "the same, inverted")
    .apply(mtbf, "the fleet's mean time between failures")
    .apply({w_x: ALLOWED}, "the audit's limit")
    .formula(assumptions="the interval is the best one")
)
mtbf_allowed = write_allowed.solve_for("m")
devices_allowed = write_allowed.solve_for("n")
waste_gap = Formula(x_w, waste.rhs - ALLOWED, kind="definition", convention="the audit's limit")
write_gap = Formula(x_f, delta - m / n, kind="definition", convention="above zero, few checkpoints ever finish")
write_in_time = Formula(delta, m / n, kind="definition")
mtbf_in_time = Formula(m, delta * n, kind="definition")
devices_in_time = Formula(n.as_real(), m / delta, kind="definition")

# --- the run, in days of each term -----------------------------------------------------------------

STEPS = D / STEP_TOKENS
HERE = ("the audit's model and batch", "the backward pass of the last micro-batch can hide the ring")
days_arithmetic = Formula(T_a, STEPS * fleet_computing.rhs, assumptions=HERE)
days_links = Formula(T_l, STEPS * LAYERS, assumptions=HERE)
days_network = Formula(T_n, STEPS * WAITING, assumptions=HERE)
days_failing = Formula(T_f, STEPS * STEP * waste.rhs, assumptions=HERE)
run = Formula(
    T_r, STEPS * STEP * (1 + waste.rhs), assumptions=(*HERE, "the interval is the best one", "restarts are free")
)
mfu = Formula(
    u,
    days_arithmetic.rhs * eta_k / run.rhs,
    kind="definition",
    convention="of the dense peak, failures included: kernel efficiency times the share of time they run",
)
cost = Formula(B_r, n * run.rhs * c_h, assumptions="all devices are held until the run ends")
meter = Example(audit_costs.meter_power, {energy.PUE: audit_costs.pue_quebec, energy.p: placement.node})
METER = whole(meter, "W/gpu") * One("J") / (SECOND * GPU)
carbon = Formula(
    G_c,
    n * run.rhs * METER * energy.c,
    assumptions="location-based; operation only; a node draws the mean power measured in training, in a building like Quebec's",
)
data = Formula(
    q_d, D / run.rhs * whole(audit.bytes_of_token, "B/token") * BYTE / TOKEN, assumptions="each token is read once"
)
data_share = Formula(
    y_d,
    data.rhs / (whole(audit.disk, "B/s") * BYTE / SECOND),
    kind="definition",
    assumptions="one disk feeds the whole cluster",
)
late = Formula(
    B_g,
    cost.rhs + 2 * B_m * Max(0 * SECOND, run.rhs - t) / t,
    assumptions="a late day costs two days' share of the budget",
)
spare = Formula(b_s, t - run.rhs, kind="definition", convention="negative: that many days too late")
doubled = Formula(n_d, 2 * n, kind="definition")
the_date = deadline.fleet_date

# --- limits that are hit, and their remedies --------------------------------------------------------

date_gap = Formula(x_a, run.rhs - t, kind="definition")
budget_gap = Formula(x_b, cost.rhs - B_m, kind="definition")
PER_STEP = t / STEPS / (1 + waste.rhs)  # what the date leaves for a step, failures as they are
LEAST = Rational(1, 10**9) * SECOND
ALL = fleet_computing.rhs * n  # device-seconds of arithmetic in a step
TALK = LAYERS * n


LAST = last_backward.rhs.subs({t_c: ALL, t_T: TALK})  # device-seconds behind which the ring can hide, by passes
OF_ONE = LAST.subs(k_m, here(S_b) * GPU * x_t / b)  # seconds: as long on any fleet of more than one pass
RING_OF_MANY = RING.subs(n, oo)  # no ring is longer


def devices_at(wasted):
    """Return the devices that meet the deadline if failures cost this share.

    A step is the longest of three: all of the ring hides, it outlasts the last of several passes, or the only one.
    """
    step_time = t / STEPS / (1 + wasted)
    several = (ALL + TALK) / Max(LEAST, step_time - Max(0 * SECOND, RING_OF_MANY - OF_ONE))
    return Max(several, (ALL + TALK - LAST.subs(k_m, 1)) / Max(LEAST, step_time - RING_OF_MANY))


def nearer(estimate):
    """Return the devices that meet the deadline with the waste at an estimate of their number."""
    return devices_at(waste.rhs.subs(n, estimate))


devices = Formula(
    n_s,
    Min(100000 * GPU, nearer(nearer(nearer(n)))),
    assumptions="whichever step is longer: the one that hides its ring, or the one that waits for it",
    convention="the ring of many nodes, and the waste taken at an estimate, three times over",
)
tokens = Formula(D, D * t / run.rhs, assumptions="the run time is proportional to the tokens")
ARITHMETIC_LEFT, LINKS_LEFT = 1 - 2 / (3 * PASSES), 1 - 1 / (2 * PASSES)  # of a step that waits: what hides nothing
kernels = Formula(
    eta_k,
    eta_k
    * fleet_computing.rhs
    * Max(1 / Max(LEAST, PER_STEP - LAYERS), ARITHMETIC_LEFT / Max(LEAST, PER_STEP - LINKS_LEFT * LAYERS - RING)),
    assumptions="whichever of two steps is longer",
)
links = Formula(
    beta_i,
    beta_i
    * Max(
        LAYERS / Max(LEAST, PER_STEP - fleet_computing.rhs),
        (LINKS_LEFT * LAYERS + INSIDE) / Max(LEAST, PER_STEP - ARITHMETIC_LEFT * fleet_computing.rhs - OUTSIDE),
    ),
    assumptions="whichever of two steps is longer",
)
ports = Formula(
    beta,
    beta * OUTSIDE / Max(LEAST, PER_STEP - LINKS_LEFT * LAYERS - ARITHMETIC_LEFT * fleet_computing.rhs - INSIDE),
    assumptions="of the ring only what the last backward pass hides does not count",
)
at_once = Formula(
    b,
    here(S_b)
    / REPLICAS
    * (RING + LAYERS + fleet_computing.rhs - PER_STEP)
    / last_backward.rhs.subs({**PARTS_OF_STEP, k_m: 1}),
    assumptions="fewer and larger micro-batches, so that the last one hides enough of the ring",
)
later = Formula(t, run.rhs, kind="definition")
hour_for_budget = Formula(c_h, B_m / (n * run.rhs), assumptions="the run as it is")
tokens_for_budget = Formula(D, D * B_m / cost.rhs, assumptions="the cost is proportional to the tokens")


# Memory has a share that every device repeats, one that tensor parallelism cuts, one of all devices.
memory_gap = Formula(x_h, memory.rhs - H, kind="definition", convention="above zero the run does not start")
PARTS = expand(memory.rhs)
CUT, WHOLE = PARTS.coeff(x_t, -1), PARTS.coeff(x_t, 0)
degree = Formula(
    x_t, Max(1, Min(1024, 2 ** ceiling(log(CUT / Max(BYTE, H - WHOLE)) / log(2)))), assumptions="a power of two"
)
FITTING = here(renamed(audit_levers.replicas_to_fit, {A: b * audit.gated_layer.rhs})).subs(H, H / c_H)
devices_for_memory = Formula(
    n_s,
    Min(100000 * GPU, GPU * x_t * FITTING),
    assumptions="only the optimizer shrinks with the replicas, whole groups",
)
sequences = Formula(
    b,
    here(renamed(audit.sequences_that_fit, {audit.A_1: audit.gated_layer.rhs})).subs(H, H / c_H),
    assumptions="round down",
)
bytes_for_memory = Formula(H, memory.rhs, kind="definition")

# --- the calculators, and the sliders that both have --------------------------------------------------

DEVICES = Slider(n, "gpu", 64, 16384, 8, 512, "Devices")
TOKENS = Slider(D, "Ttoken", 0.1, 15, 0.01, 1.24, "Tokens of the run")
KERNELS = Slider(eta_k, "%", 20, 90, 1, 50, "Share of the peak that kernels reach")
LINKS = Slider(beta_i, "GB/s", 25, 1800, 25, 450, "Link inside the node")
PORTS = Slider(beta, "GB/s", 1, 400, 1, 50, "NIC bandwidth of a device")
MTBF = Slider(m, "gpu h", 200, 200000, 200, 50000, "MTBF of one device")
WRITE = Slider(delta, "min", 0.25, 20, 0.05, 2, "Time to write a checkpoint")
DEGREES = {"two devices": 2, "four devices": 4, "all eight of a node": 8}
SPLIT = Choice(x_t, "", DEGREES, 8, "TP degree")
PEAKS = {"BF16": 989.4, "FP8": 1978.9}  # the two dense peaks of H100 and H200, as `hardware` has them
TOGETHER = Slider(b, "", 1, 8, 1, 1, "Micro-batch size")
FORMAT = Choice(P, "TFLOP/s/gpu", PEAKS, 989.4, "Number format")

calculators = read_calculators(__name__)

# --- questions -----------------------------------------------------------------------------------------

MORE = Rational(11, 10)
lever_kernels = Formula(g_k, run.rhs - run.rhs.subs(eta_k, MORE * eta_k), kind="definition")
lever_links = Formula(g_i, run.rhs - run.rhs.subs(beta_i, MORE * beta_i), kind="definition")
lever_ports = Formula(g_b, run.rhs - run.rhs.subs(beta, MORE * beta), kind="definition")
lever_mtbf = Formula(g_m, run.rhs - run.rhs.subs(m, MORE * m), kind="definition")
# Shares of the run and the logarithm of its stretch decide which is best: both exist at any failure rate.
stretch = (
    Derivation.start(l_w, log(1 + w_x), "what failures make of a useful hour, as a logarithm")
    .apply({w_x: waste}, "the least waste")
    .rewrite(
        1 + delta * n / m + LambertW(-exp(-1 - delta * n / m)),
        "the logarithm of Lambert's function, by what defines it",
    )
    .formula()
)


def faster(symbol):
    """Return the share of a step that +10 % in a symbol saves."""
    return 1 - STEP.subs(symbol, MORE * symbol) / STEP


more_kernels, more_links, more_ports = map(faster, (eta_k, beta_i, beta))
more_mtbf = 1 - exp(stretch.rhs.subs(m, MORE * m) - stretch.rhs)

# --- act three: data, water, and the devices for the deadline, each with a written justification ------

PICTURES = quantity(audit.images.givens[audit.w_t], "w_t") / audit.bytes_of_token.value
pictures_share = Formula(
    y_p,
    data_share.rhs * Rational(f"{PICTURES.m_as(''):.11g}"),
    assumptions="one disk feeds the whole cluster; image tokens are read as often as text tokens",
)
it_energy = Formula(
    energy.E_I,
    n * run.rhs * whole(placement.node, "W/gpu") * One("J") / (SECOND * GPU),
    assumptions="a node draws the mean power measured in language-model training",
)
water_towers = Formula(energy.V, it_energy.rhs * energy.WUE, assumptions="cooling towers of the industry's average")
water_plant = Formula(
    V_p, it_energy.rhs * energy.PUE * energy.w_g, assumptions="all electricity comes from plants with that water use"
)
# --- the lab ---------------------------------------------------------------------------------------------

RATES = {eta_k: "50 %", beta_i: "450 GB/s", beta: "50 GB/s", m: "50000 gpu h", delta: "2 min", x_t: "8", b: "1"}
H100 = {P: hardware.h100_bf16}
SMALL = {n: "512 gpu", D: "1.24 Ttoken", **RATES}
LARGE = {n: "4096 gpu", D: "10 Ttoken", **RATES, b: "2"}
TAKEN = {c_H: layout_memory.fitted_parameters["c"]}
questions = read_questions(__name__)
labs = read_labs(__name__)

# --- worked examples -------------------------------------------------------------------------------------

small_run = Example(run, {**SMALL, **H100})
large_run = Example(run, {**LARGE, **H100})
small_spare = Example(spare, {**SMALL, **H100, t: "14 d"})
large_spare = Example(spare, {**LARGE, **H100, t: "36 d"})
small_links = Example(days_links, {k: SMALL[k] for k in (n, D, beta_i, x_t)})
small_failing = Example(days_failing, {**SMALL, **H100})
OF_NETWORK = (n, D, eta_k, beta, beta_i, x_t, b)
small_waiting = Example(days_network, {**{k: SMALL[k] for k in OF_NETWORK}, **H100})
large_waiting = Example(days_network, {**{k: LARGE[k] for k in OF_NETWORK}, **H100})
small_waiting_of_four = Example(days_network, {**{k: SMALL[k] for k in OF_NETWORK}, **H100, b: "4"})
large_run_of_four = Example(run, {**LARGE, **H100, b: "4"})
large_waste = Example(waste, {k: LARGE[k] for k in (n, m, delta)})
small_devices = Example(devices, {**SMALL, **H100, t: "14 d"})
gain_kernels = Example(lever_kernels, {**SMALL, **H100})
gain_links = Example(lever_links, {**SMALL, **H100})
gain_ports = Example(lever_ports, {**SMALL, **H100})
small_need = Example(memory, {n: "512 gpu", x_t: "8", b: "1", **TAKEN})
need_of_four = Example(memory, {n: "512 gpu", x_t: "8", b: "4", **TAKEN})
quarter_need = Example(memory, {n: "512 gpu", x_t: "4", b: "1", **TAKEN})
quarter_links = Example(days_links, {**{k: SMALL[k] for k in (n, D, beta_i)}, x_t: "4"})
quarter_run = Example(run, {**SMALL, **H100, x_t: "4"})
BUDGET = Formula(B_r, B_m, kind="definition")
small_budget = Example(BUDGET, {B_m: "600000 USD"}, expect="600000 USD", source="the scenario", digits=1)
large_budget = Example(BUDGET, {B_m: "6000000 USD"}, expect="6000000 USD", source="the scenario", digits=1)
