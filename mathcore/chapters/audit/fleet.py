"""Audit of the cluster: from the split and its step to failures and the time of the run.

The workload, its facts and most symbols are those of `audit`.
"""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import (
    audit,
    collectives,
    hardware,
    models,
    parallelism,
    reliability,
    speedup,
    training,
    young_daly,
)
from mathcore.chapters.audit import (
    FLEET,
    LAYERS,
    MODEL,
    SHARE,
    B_t,
    S_b,
    devices,
    kernels,
    mfu,
    simulation,
    stages,
    step_compute_time,
    t_c,
    tensor,
    w_a,
    work,
    x_d,
    x_p,
    x_t,
)
from mathcore.chapters.parallelism.memory import L, b, w_g
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import g
from mathcore.chapters.training import C, N, h, n, s, t, u, v
from mathcore.chapters.young_daly import M, m, tau, w_C, w_min
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

STEP = {"display_unit": "s", "low": "0 s", "high": "1 h", "zero": True}
beta_i = Variable(
    "beta_i",
    "B/s",
    "bandwidth inside a node, per direction",
    alias="node_bandwidth",
    tex=r"\beta_{\mathrm{node}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="5 TB/s",
)
V_g = Variable("V_g", "B", "gradients that one device must add up", tex=r"V_{\mathrm{g}}", display_unit="GB")
eta = Variable("eta", "", "share of a step spent computing", tex=r"\eta", **SHARE)
t_T = Variable("t_T", "s", "tensor-parallel all-reduces, in one step", tex=r"t_{\mathrm{tp}}", **STEP)
t_x = Variable("t_x", "s", "exposed gradient communication, in one step", tex=r"t_{\mathrm{dp}}", **STEP)
t_p = Variable("t_p", "s", "pipeline bubble, in one step", tex=r"t_{\mathrm{pp}}", **STEP)
t_l = Variable("t_l", "s", "backward pass of the last micro-batch, with its waiting", tex=r"t_{\mathrm{last}}", **STEP)
k_m = Variable(
    "k_m",
    "",
    "micro-batches of one step",
    alias="micro_batches",
    tex=r"k_{\mathrm{mb}}",
    low="1",
    high="100000",
    count=True,
)
t_s = Variable("t_s", "s", "duration of one step", tex=r"t_{\mathrm{step}}", low="1 ms", high="1 d")
delta = Variable(
    "delta",
    "s",
    "time to write one checkpoint",
    alias="write_time",
    tex=r"\delta",
    display_unit="min",
    low="0.1 s",
    high="1 d",
)
M_x = Variable(
    "M_x",
    "s",
    "mean time between failures of all else in a node",
    tex=r"M_{\mathrm{x}}",
    display_unit="h",
    low="1 d",
    high="1000 year",
)
T_r = Variable(
    "T_r", "s", "time of the run, failures included", tex=r"T", display_unit="d", low="1 s", high="1e30 year"
)
m_a = Variable("m_a", "gpu h", "device-hours between failures of any part", tex=r"m_{\mathrm{all}}")
y_x = Variable(
    "y_x", "", "share of a step spent on exposed gradient communication", tex=r"y_{\mathrm{wait}}", display_unit="%"
)
h_w = Variable(
    "h_w", "", "share of the wall-clock time spent on checkpoint writes", tex=r"h_{\mathrm{write}}", display_unit="%"
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the step ------------------------------------------------------------------------------

gradient_share = (
    Derivation.start(V_g, collectives.n / (x_t * x_p), "tensor and pipeline divide the weights, and so the gradients")
    .apply(
        {collectives.n: collectives.gradient_bytes.renamed({collectives.Psi: N, collectives.w: w_g})},
        "every parameter has a gradient",
    )
    .formula(assumptions="embeddings are divided like the rest")
)
tensor_time = (
    Derivation.start(
        t_T,
        S_b * L / (x_d * x_p) * parallelism.V / beta_i,
        "layers of a stage, sequences of a replica: micro-batches are many small or few large ones",
        kind="model",
    )
    .apply(
        {
            parallelism.V: parallelism.tensor_traffic.renamed(
                {parallelism.t: x_t, parallelism.w: w_a, parallelism.s: s, parallelism.h: h}
            )
        },
        "what a device sends for one layer",
    )
    .apply({parallelism.b: 1}, "and one sequence")
    .formula(assumptions=("inside the node", "nothing of it is hidden", "latency does not count"))
)
micro_batches = Formula(k_m, S_b / (x_d * b), kind="definition", convention="sequences of a replica, b at once")
last_backward = Derivation.start(
    t_l,
    (2 * t_c / 3 + t_T / 2) / k_m,
    "backward are two thirds of the arithmetic and two of four all-reduces; of k passes one is the last",
    kind="model",
).formula(assumptions="nothing is computed again, and all micro-batches are alike")
hiding_share = (
    Derivation.start(speedup.omega, t_l / t_c, "gradients are complete only there, so nothing earlier hides their sum")
    .apply(last_backward, "the backward pass of the last micro-batch")
    .rewrite(2 / (3 * k_m) + t_T / (2 * k_m * t_c), "over the arithmetic of the whole step")
    .formula(
        assumptions=(
            "gradients are added up at home until the last micro-batch",
            "the sum begins with the first layer ready",
        ),
        convention="without tensor parallelism two thirds over the micro-batches",
    )
)
step = Formula(
    t_s, t_c + t_x + t_T + t_p, kind="definition", convention="of each part only what computing does not hide"
)
part_of_step = Formula(y_x, t_x / t_s, kind="definition")
step_rate = Formula(v, B_t / t_s, kind="definition")
scaling = Formula(eta, t_c / t_s, kind="definition")
mfu_composed = (
    Derivation.start(training.mfu)
    .apply(training.six, "six operations for each parameter and token")
    .apply(step_rate, "throughput: the tokens of a step over its duration")
    .apply(scaling, "of a step the share η is spent computing", eliminating=t_s)
    .apply(step_compute_time, "computing at the kernels' rate: work, devices and peak cancel, two shares multiply")
    .formula(
        assumptions="the same devices in both",
        convention="MFU as measured: communication and bubbles are in it, so it must not be multiplied by η again",
    )
)

# --- failures --------------------------------------------------------------------------------

mtbf = Derivation.start(
    young_daly.cluster_mtbf.renamed({young_daly.N: n}), why="all devices of the cluster work on the one job"
).formula()
node_mtbf = Formula(reliability.M_b, M_x * g / n, assumptions="any node's failure stops the job")
mtbf_with_nodes = (
    Derivation.start(reliability.mtbf_of_two_kinds)
    .apply(
        {reliability.M_a: mtbf, reliability.M_b: node_mtbf},
        "devices on the one hand; on the other whatever else a node of g devices can lose",
    )
    .rewrite(1 / (n * (1 / m + 1 / (g * M_x))), "both go with the devices")
    .formula()
)
all_parts = (
    Derivation.start(m_a, n * M, "device-hours that pass between two failures of the cluster")
    .apply({M: mtbf_with_nodes}, "devices and all else in their nodes")
    .formula()
)
waste = (
    Derivation.start(
        young_daly.waste_at_optimum.renamed({young_daly.C: delta}),
        why="the write time is called δ here, for C is the work",
    )
    .apply(mtbf, "the cluster's mean time between failures")
    .formula(assumptions="the interval is Young's", validity=young_daly.least_trusted(delta, m / n))
)
writes = (
    Derivation.start(young_daly.equal_terms.renamed({young_daly.C: delta}), why="the write time is called δ here")
    .apply(mtbf, "the cluster's mean time between failures")
    .formula(
        assumptions="the interval is Young's",
        validity=young_daly.least_trusted(delta, m / n),
        convention="writes alone",
    )
)
devices_at_waste = waste.solve_for("n")
devices_at_writes = writes.solve_for("n")
write_share = (
    Derivation.start(h_w, delta / (tau + delta), "of each interval and its write, the write")
    .apply({tau: young_daly.interval.renamed({young_daly.C: delta})}, "at Young's interval", routine=True)
    .formula(convention="share of the wall clock; lost work not counted")
)
run_time = (
    Derivation.start(T_r, t * (1 + w_min), "each hour of work costs w more", kind="model")
    .apply({t: training.time_of_work}, "work over rate")
    .apply({w_min: waste}, "writes and lost work, at Young's interval")
    .formula(convention="u is the MFU while the job runs")
)


def waited(arithmetic, layers, adding, copies, at_once="1"):
    """Return the example of what a step waits for its gradients, with so many sequences at once."""
    count = Example(micro_batches, {S_b: audit.batch, x_d: copies, b: at_once})
    share = Example(hiding_share, {t_c: arithmetic, t_T: layers, k_m: count})
    return Example(speedup.exposed, {speedup.t_c: arithmetic, speedup.t_a: adding, speedup.omega: share})


# --- worked examples: the step ---------------------------------------------------------------

replicas = Example(
    parallelism.data_degree,
    {parallelism.N: audit.plain_devices, parallelism.t: tensor, parallelism.p: stages, parallelism.e: "1"},
)
bubble = Example(parallelism.bubble, {parallelism.p: stages, parallelism.m: "32"})
gradients = Example(gradient_share, {**MODEL, w_g: "2 B", x_t: tensor, x_p: stages})
NDR = {collectives.alpha: "5 us", collectives.beta: hardware.ndr_port}
ring = Example(collectives.ring, {**NDR, collectives.n: gradients, collectives.p: replicas})
TENSOR = {**LAYERS, h: models.llama31_70b_hidden, s: audit.length, w_a: "2 B", x_t: tensor, x_p: stages}
layers_talk = Example(tensor_time, {**TENSOR, S_b: audit.batch, x_d: replicas, beta_i: hardware.h100_nvlink})
compute_time = Example(step_compute_time, {**MODEL, **FLEET, B_t: audit.step_tokens, audit.eta_k: kernels})
passes = Example(micro_batches, {S_b: audit.batch, x_d: replicas, b: "1"})
passes_of_four = Example(micro_batches, {S_b: audit.batch, x_d: replicas, b: audit.local_batch})
last = Example(last_backward, {t_c: compute_time, t_T: layers_talk, k_m: passes})
last_of_four = Example(last_backward, {t_c: compute_time, t_T: layers_talk, k_m: passes_of_four})
hiding = Example(hiding_share, {t_c: compute_time, t_T: layers_talk, k_m: passes})
waiting = waited(compute_time, layers_talk, ring, replicas)
waiting_of_four = waited(compute_time, layers_talk, ring, replicas, audit.local_batch)
PARTS = {parallelism.t_tp: layers_talk, parallelism.t_ep: "0 s", parallelism.t_pp: "0 s"}
efficiency = Example(
    parallelism.scaling_efficiency, {**PARTS, parallelism.t_c: compute_time, parallelism.t_dp: waiting}
)
efficiency_exposed = Example(
    parallelism.scaling_efficiency, {**PARTS, parallelism.t_c: compute_time, parallelism.t_dp: ring}
)
step_time = Example(step, {t_c: compute_time, t_x: waiting, t_T: layers_talk, t_p: "0 s"})
mfu_here = Example(mfu_composed, {audit.eta_k: kernels, eta: efficiency})
waited_share = Example(part_of_step, {t_x: waiting, t_s: step_time})
OF_FOUR = {**PARTS, parallelism.t_c: compute_time, parallelism.t_dp: waiting_of_four}
efficiency_of_four = Example(parallelism.scaling_efficiency, OF_FOUR)
mfu_of_four = Example(mfu_composed, {audit.eta_k: kernels, eta: efficiency_of_four})
# Twice the fleet, the same batch: computing and layers halve; the ring and the last backward pass do not.
compute_1024 = Example(
    step_compute_time, {**MODEL, **FLEET, n: "1024 gpu", B_t: audit.step_tokens, audit.eta_k: kernels}
)
layers_1024 = Example(tensor_time, {**TENSOR, S_b: audit.batch, x_d: "128", beta_i: hardware.h100_nvlink})
ring_1024 = Example(collectives.ring, {**NDR, collectives.n: gradients, collectives.p: "128"})
waiting_1024 = waited(compute_1024, layers_1024, ring_1024, "128")
efficiency_1024 = Example(
    parallelism.scaling_efficiency,
    {**PARTS, parallelism.t_tp: layers_1024, parallelism.t_c: compute_1024, parallelism.t_dp: waiting_1024},
)
efficiency_1024_exposed = Example(
    parallelism.scaling_efficiency,
    {**PARTS, parallelism.t_tp: layers_1024, parallelism.t_c: compute_1024, parallelism.t_dp: ring_1024},
)

# --- failures --------------------------------------------------------------------------------

mtbf_devices = Example(mtbf, {m: facts.device_mtbf, n: devices})
supplies = Example(reliability.mtbf_of_two_kinds, {reliability.M_a: facts.psu_mtbf, reliability.M_b: facts.psu_mtbf})
rest_of_node = Example(reliability.mtbf_of_two_kinds, {reliability.M_a: supplies, reliability.M_b: facts.nic_mtbf})
mtbf_fleet = Example(mtbf_with_nodes, {m: facts.device_mtbf, n: devices, g: hardware.server_gpus, M_x: rest_of_node})
RUN = {reliability.t: audit.duration, M: mtbf_fleet}
failures = Example(reliability_counts.expected, RUN)
chance = Example(reliability.failure_probability, RUN, digits=4)
interval = Example(young_daly.interval, {young_daly.C: facts.write, M: mtbf_fleet})
# Whatever fails in a node stops the job: all decisions of the audit take this, not the MTBF of the bare device.
hours_of_all = Example(all_parts, {m: facts.device_mtbf, g: hardware.server_gpus, M_x: rest_of_node}, digits=5)
DEVICES = {delta: facts.write, m: hours_of_all}
waste_here = Example(waste, {**DEVICES, n: devices})
writes_here = Example(writes, {**DEVICES, n: devices})
lost = Example(young_daly.share, {young_daly.w_1: waste_here})
mtbf_1024 = Example(mtbf, {m: hours_of_all, n: "1024 gpu"})
waste_1024 = Example(waste, {**DEVICES, n: "1024 gpu"})
limit_waste = Example(devices_at_waste, {**DEVICES, w_min: facts.limit}, digits=4)
limit_writes = Example(devices_at_writes, {**DEVICES, w_C: facts.limit}, digits=4)
CHECK = {young_daly.C: facts.check_write, M: facts.check_mtbf}
check_interval = Example(young_daly.interval, CHECK)
check_writes = Example(write_share, {delta: facts.check_write, M: facts.check_mtbf})
check_per_work = Example(young_daly.write_share, {young_daly.C: facts.check_write, tau: check_interval})
check_waste = Example(young_daly.waste_at_optimum, CHECK)
check_lost = Example(young_daly.share, {young_daly.w_1: check_waste})

# --- simulation ------------------------------------------------------------------------------

first_failure = Simulation(
    mtbf_with_nodes,
    {m: facts.device_mtbf, n: devices, g: hardware.server_gpus, M_x: rest_of_node},
    simulation.first_failures,
)
whole_run = Simulation(
    run_time, {**FLEET, **DEVICES, C: work, u: mfu}, simulation.run_times, runs=300, options={"interval": 8504.2}
)

exercises = read_exercises(__name__)
