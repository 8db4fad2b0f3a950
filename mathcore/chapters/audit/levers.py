"""Levers of an audit: what moves time and cost by how much, and what a target asks for.

The cluster, the workload and their symbols are those of `audit`, `audit.fleet` and `audit.costs`.
"""

from sympy import Derivative, ceiling, log, sqrt

from mathcore import Derivation, Example, Formula, One, Variable, read_facts
from mathcore.chapters import audit, collectives, hardware, models, parallelism, roofline, speedup, training
from mathcore.chapters.audit import (
    BF16,
    CHIP,
    FLEET,
    LAYERS,
    MODEL,
    STATE,
    B_t,
    S_b,
    devices,
    mfu,
    rule,
    step_compute_time,
    t_c,
    work,
    x_d,
    x_p,
    x_t,
)
from mathcore.chapters.audit import fleet as audit_fleet
from mathcore.chapters.audit import r as r_t
from mathcore.chapters.audit.costs import RUN, c_h, hour, hour_energy, hour_price, run_cost
from mathcore.chapters.audit.fleet import (
    DEVICES,
    NDR,
    PARTS,
    TENSOR,
    delta,
    k_m,
    last_backward,
    lost,
    replicas,
    run_time,
    t_l,
    t_T,
    t_x,
    waited,
    waste,
    waste_here,
)
from mathcore.chapters.parallelism import layouts
from mathcore.chapters.parallelism import measured as parallelism_measured
from mathcore.chapters.parallelism import memory as parallelism_memory
from mathcore.chapters.parallelism.memory import A, H, L, w_g, w_o, w_p
from mathcore.chapters.reliability import g
from mathcore.chapters.roofline import I, I_r
from mathcore.chapters.speedup import t_a
from mathcore.chapters.training import C, N, P, n, t, u
from mathcore.chapters.young_daly import m, w_min
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

LEVER = {"low": "-10", "high": "10"}
e_P = Variable("e_P", "", "elasticity of the time in the peak", **LEVER)
e_u = Variable("e_u", "", "elasticity of the time in the MFU", **LEVER)
e_C = Variable("e_C", "", "elasticity of the time in the work", **LEVER)
e_n = Variable("e_n", "", "elasticity of the time in the devices", **LEVER)
e_w = Variable("e_w", "", "elasticity of the time in the write time", tex=r"e_{\delta}", **LEVER)
e_m = Variable("e_m", "", "elasticity of the time in a device's MTBF", **LEVER)
e_B = Variable("e_B", "", "elasticity of the cost in the devices", **LEVER)
e_c = Variable("e_c", "", "elasticity of a step in the kernels' rate", tex=r"e_{\mathrm{c}}", **LEVER)
e_T = Variable("e_T", "", "elasticity of a step in the bandwidth inside the node", tex=r"e_{\mathrm{tp}}", **LEVER)
e_x = Variable("e_x", "", "elasticity of a step in the bandwidth between nodes", tex=r"e_{\mathrm{dp}}", **LEVER)
e_a = Variable("e_a", "", "elasticity of a kernel in the peak", tex=r"e_{\mathrm{math}}", **LEVER)
e_b = Variable("e_b", "", "elasticity of a kernel in the memory bandwidth", tex=r"e_{\mathrm{mem}}", **LEVER)
E_t = Variable(
    "E_t", "", "elasticities weighed by the power of time in each variable", tex=r"\Sigma_{\mathrm{time}}", **LEVER
)
E_g = Variable(
    "E_g", "", "elasticities weighed by the power of devices in each variable", tex=r"\Sigma_{\mathrm{gpu}}", **LEVER
)
E_s = Variable("E_s", "", "sum of a step's elasticities", tex=r"\Sigma_{\mathrm{step}}", **LEVER)
e = Variable("e", "", "an elasticity", low="-4", high="4")
h_x = Variable("h_x", "", "relative change of an input", display_unit="%", low="-90 %", high="1000 %")
h_T = Variable("h_T", "", "relative change of the time", display_unit="%", low="-1", high="1000000")
b_0 = Variable("b_0", "B/s", "bandwidth of a link", alias="bandwidth", low="1 MB/s", high="100 TB/s")
V_0 = Variable("V_0", "B", "bytes on the link in one step", low="1 B", high="1 EB")
n_w = Variable("n_w", "gpu", "devices in whole nodes", tex=r"n_{\mathrm{nodes}}")
n_0 = Variable("n_0", "gpu", "devices if none failed", low="1 gpu", high="10000000 gpu")
w_0 = Variable("w_0", "", "smallest waste of that cluster", display_unit="%", low="0.01 %", high="100 %")
n_f = Variable("n_f", "gpu", "devices that meet the date in spite of failures", tex=r"n_{\mathrm{f}}")
x_n = Variable("x_n", "", "replicas at which the memory is full", tex=r"x_{\min}")
y_s = Variable(
    "y_s", "", "share of the cost to be saved", tex=r"y_{\mathrm{save}}", display_unit="%", low="0.1 %", high="90 %"
)
u_s = Variable("u_s", "", "MFU that saves a share of the cost", tex=r"u_{\mathrm{save}}", display_unit="%")
y_x = Variable("y_x", "", "share of one part in the cost", tex=r"y_{x}", display_unit="%", low="0.1 %", high="100 %")
h_s = Variable("h_s", "", "cut of one part that saves a share of the cost", tex=r"h_{\mathrm{save}}", display_unit="%")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- sensitivity: d ln T / d ln x ------------------------------------------------------------


def elasticity(total, symbol, unit="s"):
    """Return d ln(total) / d ln(symbol), not yet differentiated; a logarithm needs a dimensionless argument."""
    return symbol * Derivative(log(total / One(unit)), symbol)


PER_CENT = "change in time, in per cent, for one per cent more of the variable"
YOUNG = ("the interval is Young's", "restarts are free")
BY_WASTE = "measure the write time by the waste it causes"
time_by_work = (
    Derivation.start(e_C, elasticity(run_time.rhs, C), PER_CENT)
    .rewrite(1, "the time is proportional to the work")
    .formula(assumptions=YOUNG)
)
time_by_peak = (
    Derivation.start(e_P, elasticity(run_time.rhs, P), PER_CENT)
    .rewrite(-1, "a faster device shortens it in proportion")
    .formula(assumptions=(*YOUNG, "the MFU stays as it is"))
)
time_by_mfu = (
    Derivation.start(e_u, elasticity(run_time.rhs, u), PER_CENT)
    .rewrite(-1, "the MFU is a factor of the peak")
    .formula(assumptions=YOUNG)
)
S = sqrt(2 * delta * n / m)
time_by_devices = (
    Derivation.start(e_n, elasticity(run_time.rhs, n), PER_CENT)
    .rewrite(-1 + S / (2 * (1 + S)), "the rate grows in proportion, the waste with its root")
    .apply({delta: w_min**2 * m / (2 * n)}, BY_WASTE, justified_by=waste)
    .formula(assumptions="the MFU stays as it is")
)
time_by_write = (
    Derivation.start(e_w, elasticity(run_time.rhs, delta), PER_CENT)
    .rewrite(S / (2 * (1 + S)), "half of the share of the clock that failures take")
    .apply({delta: w_min**2 * m / (2 * n)}, BY_WASTE, justified_by=waste)
    .formula()
)
time_by_mtbf = (
    Derivation.start(e_m, elasticity(run_time.rhs, m), PER_CENT)
    .rewrite(-S / (2 * (1 + S)), "a device that lasts longer does what a faster write does")
    .apply({delta: w_min**2 * m / (2 * n)}, BY_WASTE, justified_by=waste)
    .formula()
)
time_rule = (
    Derivation.start(
        E_t, e_w + e_m - e_P, "write time and MTBF are times, the peak is one over a time: stretch the clock"
    )
    .apply({e_w: time_by_write, e_m: time_by_mtbf, e_P: time_by_peak}, "a time must stretch with it: the sum is 1")
    .formula(convention="Euler's theorem for the unit of time")
)
device_rule = (
    Derivation.start(
        E_g, e_n + e_m - e_P, "devices and device-hours count devices, the peak is per device: count them in nodes"
    )
    .apply({e_n: time_by_devices, e_m: time_by_mtbf, e_P: time_by_peak}, "the time must not care: the sum is 0")
    .formula(convention="Euler's theorem for the unit of devices")
)
cost_by_devices = (
    Derivation.start(e_B, elasticity(run_cost.rhs, n, "USD"), "per cent of cost for one per cent of devices")
    .rewrite(S / (2 * (1 + S)), "only the failures care")
    .apply({delta: w_min**2 * m / (2 * n)}, BY_WASTE, justified_by=waste)
    .formula()
)
ONE_LINK = t_c + t_T + V_0 / b_0
LINKED = "what is waited for goes with one over the bandwidth"
exposed_gradients = Formula(t_x, V_0 / b_0, assumptions=LINKED)
tensor_parallel_time = Formula(t_T, V_0 / b_0, assumptions=LINKED)
compute_time = Formula(
    t_c, C / (n * P), assumptions=("$C$ is the work of one step", "$P$ is the rate that the kernels reach")
)
step_by_link = (
    Derivation.start(e_x, elasticity(ONE_LINK, b_0), "a step is a sum, and one of its terms goes with the link")
    .rewrite(-(V_0 / b_0) / ONE_LINK, "minus the share of that term")
    .apply({V_0: t_x * b_0}, "bytes over bandwidth are the waiting itself", justified_by=exposed_gradients)
    .formula()
)
step_by_node = (
    Derivation.start(e_T, elasticity(t_c + t_x + V_0 / b_0, b_0), "the same for the links inside the node")
    .rewrite(-(V_0 / b_0) / (t_c + t_x + V_0 / b_0), "minus the share of that term")
    .apply({V_0: t_T * b_0}, "bytes over bandwidth are the waiting itself", justified_by=tensor_parallel_time)
    .formula()
)
step_by_kernels = (
    Derivation.start(e_c, elasticity(t_T + t_x + C / (n * P), P), "computing goes with one over the kernels' rate")
    .rewrite(-C / (n * P) / (t_T + t_x + C / (n * P)), "minus the share of computing")
    .apply({C: t_c * n * P}, "work over rate is the computing itself", justified_by=compute_time)
    .formula(
        assumptions="nothing is hidden that a faster device would uncover", convention="minus the scaling efficiency"
    )
)
ADDED = "the ring takes as long as its bytes over its bandwidth"
gradient_all_reduce = Formula(t_a, V_0 / b_0, assumptions=ADDED)
PARTLY = ("part of the ring hides behind the last backward pass, the rest is waited for", ADDED)
UNCOVERED = t_c + t_T + V_0 / b_0 - t_l
SHOWN = (t_a > t_l,)
link_uncovered = (
    Derivation.start(
        e_x, elasticity(UNCOVERED, b_0), "what hides is fixed by the backward pass, so all of the ring shrinks"
    )
    .rewrite(-(V_0 / b_0) / UNCOVERED, "minus the whole ring over the step, not only what is waited for")
    .apply({V_0: t_a * b_0}, "bytes over bandwidth are the ring itself", justified_by=gradient_all_reduce)
    .formula(assumptions=PARTLY, domain=SHOWN, convention="until the ring hides, then 0")
)
kernels_uncover = (
    Derivation.start(
        e_c,
        elasticity(C / (n * P) * (1 - 2 / (3 * k_m)) + t_T * (1 - 1 / (2 * k_m)) + t_a, P),
        "a step of which the last backward pass is taken off: it shortens with the arithmetic",
    )
    .rewrite(
        -C / (n * P) * (1 - 2 / (3 * k_m)) / (C / (n * P) * (1 - 2 / (3 * k_m)) + t_T * (1 - 1 / (2 * k_m)) + t_a),
        "minus the share of what is left of computing",
    )
    .apply({C: t_c * n * P}, "work over rate is the computing itself", justified_by=compute_time)
    .formula(assumptions=PARTLY, domain=(t_a > last_backward.rhs,))
)
node_uncovers = (
    Derivation.start(
        e_T,
        elasticity(t_c * (1 - 2 / (3 * k_m)) + V_0 / b_0 * (1 - 1 / (2 * k_m)) + t_a, b_0),
        "the same for the links inside the node",
    )
    .rewrite(
        -V_0 / b_0 * (1 - 1 / (2 * k_m)) / (t_c * (1 - 2 / (3 * k_m)) + V_0 / b_0 * (1 - 1 / (2 * k_m)) + t_a),
        "minus the share of what is left of them",
    )
    .apply({V_0: t_T * b_0}, "bytes over bandwidth are the waiting itself", justified_by=tensor_parallel_time)
    .formula(assumptions=PARTLY, domain=(t_a > last_backward.rhs,))
)
step_rule = (
    Derivation.start(E_s, e_c + e_T + e_x, "all rates of a step together")
    .apply({e_c: step_by_kernels, e_T: step_by_node, e_x: step_by_link}, "shares of one whole")
    .rewrite(-1, "everything twice as fast takes half of the time")
    .formula(assumptions="no bubble, no fixed times")
)
SERIAL = audit.renamed(roofline.serial, {})
kernel_by_peak = (
    Derivation.start(e_a, elasticity(SERIAL, roofline.P), "arithmetic and traffic do not overlap")
    .rewrite(-(roofline.W / roofline.P) / SERIAL, "minus the share of the arithmetic")
    .apply({roofline.W: I * roofline.Q}, "work by the intensity", justified_by=roofline.intensity)
    .apply({roofline.P: I_r * roofline.b}, "peak by the ridge", justified_by=roofline.ridge)
    .rewrite(-I / (I + I_r), "bytes and bandwidth cancel", routine=True)
    .formula(
        assumptions="arithmetic and traffic do not overlap",
        convention="with full overlap: −1 above the ridge, 0 below it",
    )
)
kernel_by_bandwidth = (
    Derivation.start(e_b, elasticity(SERIAL, roofline.b), "arithmetic and traffic do not overlap")
    .rewrite(-(roofline.Q / roofline.b) / SERIAL, "minus the share of the traffic")
    .apply({roofline.W: I * roofline.Q}, "work by the intensity", justified_by=roofline.intensity)
    .apply({roofline.P: I_r * roofline.b}, "peak by the ridge", justified_by=roofline.ridge)
    .rewrite(-I_r / (I + I_r), "bytes and bandwidth cancel", routine=True)
    .formula(
        assumptions="arithmetic and traffic do not overlap",
        convention="with full overlap: −1 below the ridge, 0 above it",
    )
)
finite_change = Formula(
    h_T,
    (1 + h_x) ** e - 1,
    assumptions="the elasticity is the same along the way, as for a power",
    convention="ten per cent more at an elasticity of −1 are 9.1 % less",
)

# --- inverse synthesis -----------------------------------------------------------------------

peak_needed = step_compute_time.solve_for("P")
devices_for_step = step_compute_time.solve_for("n")
step_of_date = speedup.training_by_steps.solve_for("t")
kernel_peak_needed = roofline.compute_time.solve_for("P")
devices_needed = training.time_of_work.solve_for("n")
bandwidth_needed = roofline.memory_time.solve_for("b")
whole_nodes = Formula(n_w, g * ceiling(n_0 / g), kind="definition", assumptions="devices come in nodes of g")
cluster_with_failures = (
    Derivation.balance(
        n_f,
        n_0 * (1 + w_0 * sqrt(n_f / n_0)),
        "failures make up for by more devices, and these fail too: waste grows with their root",
    )
    .solve_for(n_f, n_0 * (w_0 / 2 + sqrt(1 + w_0**2 / 4)) ** 2, "a quadratic equation for the root of the devices")
    .formula(assumptions=YOUNG)
)
PER_DEVICE = N / (x_p * x_t)
replicas_to_fit = (
    Derivation.balance(
        H,
        audit.renamed(
            parallelism_memory.first_stage_total,
            {
                parallelism_memory.Psi: N,
                parallelism_memory.d: x_n,
                parallelism_memory.t: x_t,
                parallelism_memory.p: x_p,
            },
        ),
        "let the need be all there is",
    )
    .solve_for(
        x_n, PER_DEVICE * w_o / (H - A * L - PER_DEVICE * (w_p + w_g)), "only the optimizer shrinks with the replicas"
    )
    .formula(
        assumptions=("optimizer sharded over the replicas (ZeRO stage 1)", "round up"),
        domain=(A * L + PER_DEVICE * (w_p + w_g) < H,),
    )
)
mfu_for_saving = (
    Derivation.balance(run_cost.rhs * (1 - y_s), run_cost.rhs.subs(u, u_s), "the cost less what is to be saved")
    .solve_for(u_s, u / (1 - y_s), "all else cancels", routine=True)
    .formula(
        assumptions="the same work on the same devices", convention="or as much more peak at the same MFU and price"
    )
)
share_of_part = Formula(
    y_x,
    -e,
    kind="definition",
    assumptions="what is inversely proportional to a rate has minus the elasticity as its share",
    domain=(e < 0,),
)
part_for_saving = (
    Derivation.balance(y_s, h_s * y_x, "a part of the cost is cut, the others stay")
    .solve_for(h_s, y_s / y_x, "linear in the cut", routine=True)
    .formula(assumptions="above 100 %: it would not save that much even if it were free")
)

# --- worked examples: sensitivity ------------------------------------------------------------

by_devices = Example(time_by_devices, {w_min: waste_here}, digits=4)
by_write = Example(time_by_write, {w_min: waste_here})
by_mtbf = Example(time_by_mtbf, {w_min: waste_here})
by_cost = Example(cost_by_devices, {w_min: waste_here})
STEP_PARTS = {t_c: audit_fleet.compute_time, t_T: audit_fleet.layers_talk, t_x: audit_fleet.waiting}
COVER = {t_c: audit_fleet.compute_time, t_T: audit_fleet.layers_talk, t_a: audit_fleet.ring}
by_kernels = Example(kernels_uncover, {**COVER, k_m: audit_fleet.passes})
by_node = Example(node_uncovers, {**COVER, k_m: audit_fleet.passes})
by_link = Example(link_uncovered, {**COVER, t_l: audit_fleet.last})
node_part = Example(step_by_node, STEP_PARTS)
RIDGE = {I_r: Example(roofline.ridge, CHIP)}
training_by_peak = Example(kernel_by_peak, {**RIDGE, I: audit.node_intensity})
# The tutorial's solver gets neither a training step nor a batch: one token of inference, 1 FLOP a byte.
called_by_peak = Example(kernel_by_peak, {**RIDGE, I: "1 FLOP/B"})
called_by_bandwidth = Example(kernel_by_bandwidth, {**RIDGE, I: "1 FLOP/B"}, digits=4)
ten_per_cent = Example(finite_change, {e: "-1", h_x: "10 %"})

# --- worked examples: inverse synthesis --------------------------------------------------------

step_for_date = Example(step_of_date, {speedup.t_N: facts.date, speedup.D: audit.tokens, speedup.B: audit.step_tokens})
STEP = {**MODEL, B_t: audit.step_tokens, audit.eta_k: audit.kernels}
step_peak = Example(peak_needed, {**STEP, n: devices, t_c: facts.step_target})
step_devices = Example(devices_for_step, {**STEP, P: FLEET[P], t_c: facts.step_target}, digits=5)
step_link = Example(
    collectives.bandwidth_needed,
    {collectives.T_b: facts.step_target, collectives.n: audit_fleet.gradients, collectives.p: replicas},
)
called_bandwidth = Example(bandwidth_needed, {roofline.t_m: facts.step_target, roofline.Q: audit.weights})
called_peak = Example(kernel_peak_needed, {roofline.t_c: facts.step_target, roofline.W: "141.107412992 GFLOP"})
MEMORY_NEED = {
    parallelism_memory.Psi: MODEL[N],
    **BF16,
    parallelism_memory.d: replicas,
    parallelism_memory.t: audit.tensor,
    parallelism_memory.p: audit.stages,
    A: audit.layer,
    **LAYERS,
}
need = Example(parallelism_memory.first_stage_total, MEMORY_NEED)
need_of_four = Example(parallelism_memory.first_stage_total, {**MEMORY_NEED, A: audit.layer_of_four})
MULTIPLE = {parallelism_measured.c: parallelism_measured.layout_memory.fitted_parameters["c"]}
taken = Example(parallelism_measured.memory_measured, {**MULTIPLE, parallelism_measured.H_c: need})
taken_of_four = Example(parallelism_measured.memory_measured, {**MULTIPLE, parallelism_measured.H_c: need_of_four})
scattering = Example(parallelism.price_of_scattering, {parallelism.m: audit_fleet.passes})
AGAIN = {
    **MULTIPLE,
    **{layouts.Psi: MODEL[N], layouts.w: "2 B", layouts.w_o: "12 B", layouts.L: LAYERS[L]},
    **{layouts.s: audit.length, layouts.h: models.llama31_70b_hidden, layouts.m: audit_fleet.passes},
    **{layouts.d: replicas, layouts.t: audit.tensor, layouts.p: audit.stages},
}
taken_again = Example(parallelism_measured.memory_counted, {**AGAIN, layouts.b: "1"})
taken_again_of_four = Example(
    parallelism_measured.memory_counted, {**AGAIN, layouts.b: audit.local_batch, layouts.m: audit_fleet.passes_of_four}
)
least_replicas = Example(replicas_to_fit, {**STATE, x_t: audit.tensor, x_p: audit.stages, A: audit.layer, **LAYERS})
rule_work = Example(audit.work_by_rule, {**MODEL, r_t: rule})
TO_DATE = {P: FLEET[P], u: mfu, t: facts.date}
cluster_rule = Example(devices_needed, {**TO_DATE, C: rule_work}, digits=5)
cluster_nodes = Example(whole_nodes, {g: hardware.server_gpus, n_0: cluster_rule}, digits=4)
cluster_budget = Example(devices_needed, {**TO_DATE, C: work}, digits=5)
cluster_budget_nodes = Example(whole_nodes, {g: hardware.server_gpus, n_0: cluster_budget}, digits=4)
cluster_waste = Example(waste, {**DEVICES, n: cluster_nodes})
cluster_failing = Example(cluster_with_failures, {n_0: cluster_rule, w_0: cluster_waste}, digits=5)
cluster_failing_nodes = Example(whole_nodes, {g: hardware.server_gpus, n_0: cluster_failing}, digits=4)
ring_1248 = Example(collectives.ring, {**NDR, collectives.n: audit_fleet.gradients, collectives.p: "156"})
compute_1248 = Example(step_compute_time, {**STEP, P: FLEET[P], n: cluster_nodes})
layers_1248 = Example(
    audit_fleet.tensor_time, {**TENSOR, S_b: audit.batch, x_d: "156", audit_fleet.beta_i: hardware.h100_nvlink}
)
waiting_1248 = waited(compute_1248, layers_1248, ring_1248, "156")
LARGE = {**PARTS, parallelism.t_c: compute_1248, parallelism.t_tp: layers_1248}
efficiency_1248 = Example(parallelism.scaling_efficiency, {**LARGE, parallelism.t_dp: waiting_1248})
efficiency_1248_exposed = Example(parallelism.scaling_efficiency, {**LARGE, parallelism.t_dp: ring_1248})


def mfu_of(fleet, copies, at_once="1"):
    """Return the example of the MFU that the step of a cluster composes, with so many sequences at once."""
    arithmetic = Example(step_compute_time, {**STEP, P: FLEET[P], n: fleet})
    links = {S_b: audit.batch, x_d: copies, audit_fleet.beta_i: hardware.h100_nvlink}
    layers = Example(audit_fleet.tensor_time, {**TENSOR, **links})
    adding = Example(collectives.ring, {**NDR, collectives.n: audit_fleet.gradients, collectives.p: copies})
    parts = {**PARTS, parallelism.t_c: arithmetic, parallelism.t_tp: layers}
    parts[parallelism.t_dp] = waited(arithmetic, layers, adding, copies, at_once)
    share = Example(parallelism.scaling_efficiency, parts)
    return Example(audit_fleet.mfu_composed, {audit.eta_k: audit.kernels, audit_fleet.eta: share})


mfu_1176, mfu_1176_of_four = mfu_of("1176 gpu", "147"), mfu_of("1176 gpu", "147", audit.local_batch)
mfu_1216, mfu_1216_of_four = mfu_of("1216 gpu", "152"), mfu_of("1216 gpu", "152", audit.local_batch)
# A layout of the chapter on parallelism in BF16: four to a layer, four stages, nothing hidden.
STAGES = {audit.eta_k: audit.kernels, audit_fleet.eta: layouts.four_four_efficiency}
mfu_of_stages = Example(audit_fleet.mfu_composed, STAGES)
mfu_saving = Example(mfu_for_saving, {u: mfu, y_s: facts.saving})
price_saving = Example(part_for_saving, {y_s: facts.saving, y_x: hour_price})
energy_saving = Example(part_for_saving, {y_s: facts.saving, y_x: hour_energy})
failure_saving = Example(part_for_saving, {y_s: facts.saving, y_x: lost})
layers_share = Example(share_of_part, {e: node_part})
layers_saving = Example(part_for_saving, {y_s: facts.saving, y_x: layers_share})
cost_fp8 = Example(run_cost, {**RUN, P: hardware.h100_fp8, c_h: hour}, digits=4)
# The links do not get faster with the format: the same step, its kernels at twice the rate.
FP8 = hardware.h100_fp8
compute_fp8 = Example(step_compute_time, {**STEP, P: FP8, n: devices})
waiting_fp8 = waited(compute_fp8, audit_fleet.layers_talk, audit_fleet.ring, replicas)
efficiency_fp8 = Example(
    parallelism.scaling_efficiency, {**PARTS, parallelism.t_c: compute_fp8, parallelism.t_dp: waiting_fp8}
)
mfu_fp8 = Example(audit_fleet.mfu_composed, {audit.eta_k: audit.kernels, audit_fleet.eta: efficiency_fp8})
cost_fp8_step = Example(run_cost, {**RUN, P: FP8, u: mfu_fp8, c_h: hour}, digits=4)
cost_step = Example(run_cost, {**RUN, u: audit_fleet.mfu_here, c_h: hour}, digits=4)

exercises = read_exercises(__name__)
