"""Layouts: one model on one cluster, cut in several ways, and what each way costs in time and memory.

Parameters, sequences, tokens and devices are plain counts here. Nothing is hidden behind computing
unless a formula says so; latency does not count.
"""

from sympy import Eq, Mod

from mathcore import Derivation, Example, Formula, Max, Min, One, Variable
from mathcore.chapters import hardware, models
from mathcore.teaching import read_calculators, read_exercises

FLOP, BYTE = One("FLOP"), One("B")


def _count(name, meaning, high, low="1", **more):
    return Variable(name, "", meaning, low=low, high=high, integer=True, **more)


def _time(name, meaning, tex):
    return Variable(name, "s", meaning, tex=tex, display_unit="s", low="0 s", high="1 d", zero=True)


# --- symbols ---------------------------------------------------------------------------------

N = _count("N", "devices", "1000000", alias=("devices", "ranks"))
t = _count("t", "degree of tensor parallelism", "1024", alias="tensor_parallel")
p = _count("p", "stages of the pipeline", "1024", alias="pipeline_parallel")
d = Variable("d", "", "data-parallel replicas", alias="data_parallel", low="1", high="1000000", count=True)
m = Variable(
    "m", "", "micro-batches of one step, in each replica", alias="micro_batches", low="1", high="1000000", count=True
)
B = _count("B", "sequences of one step, all replicas together", "10000000", alias="global_batch")
b = _count("b", "sequences of a micro-batch", "1024", alias="micro_batch_size")
s = _count("s", "tokens of a sequence", "10000000", alias="sequence_length")
h = _count("h", "hidden size of the model", "100000", alias="hidden_size")
L = _count("L", "layers of the model", "1000", alias="layers")
G = _count("G", "devices of a node", "1024", alias="devices_per_node")
g = Variable("g", "", "devices of a node that hold the same weights", low="1", high="1024", count=True)
Psi = Variable(
    "Psi", "", "parameters of the model", alias="parameters", tex=r"\Psi", low="1000", high="1000000000000000"
)
w = Variable("w", "B", "bytes of a weight, gradient or activation", low="1 B", high="4 B")
w_o = Variable(
    "w_o",
    "B",
    "optimizer bytes of a parameter",
    alias="optimizer_bytes",
    tex=r"w_{\mathrm{o}}",
    low="0 B",
    high="24 B",
    zero=True,
)
R = Variable(
    "R", "FLOP/s", "rate of a device while it computes", display_unit="TFLOP/s", low="1 TFLOP/s", high="100 PFLOP/s"
)
phi = Variable("phi", "FLOP", "operations counted for one multiply-add", tex=r"\varphi", low="1 FLOP", high="2 FLOP")
beta_i = Variable(
    "beta_i",
    "B/s",
    "bandwidth inside a node",
    alias="node_bandwidth",
    tex=r"\beta_{\mathrm{i}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="5 TB/s",
)
beta_o = Variable(
    "beta_o",
    "B/s",
    "bandwidth between nodes, for each device",
    alias="network_bandwidth",
    tex=r"\beta_{\mathrm{o}}",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="1 TB/s",
)
t_c = _time("t_c", "compute time of one step", r"t_{\mathrm{c}}")
t_s = _time("t_s", "one tensor-parallel all-reduce", r"t_{\mathrm{s}}")
n_l = Variable(
    "n_l",
    "B",
    "bytes of one tensor-parallel all-reduce",
    tex=r"n_{\mathrm{l}}",
    display_unit="MB",
    low="1 B",
    high="10 TB",
)
t_tp = _time("t_tp", "tensor-parallel all-reduces, in one step", r"t_{\mathrm{tp}}")
t_dp = _time("t_dp", "gradient all-reduce, in one step", r"t_{\mathrm{dp}}")
t_pp = _time("t_pp", "pipeline bubble, in one step", r"t_{\mathrm{pp}}")
t_z = _time("t_z", "traffic of sharded weights and gradients, in one step", r"t_{\mathrm{z}}")
eta = Variable("eta", "", "share of a step spent computing", tex=r"\eta", display_unit="%", low="0 %", high="100 %")
eta_z = Variable(
    "eta_z",
    "",
    "share of a step spent computing with sharded weights",
    tex=r"\eta_{\mathrm{z}}",
    display_unit="%",
    low="0 %",
    high="100 %",
)
H = Variable("H", "B", "memory one device needs", display_unit="GB", low="1 B", high="100 TB")
H_z = Variable(
    "H_z", "B", "memory with sharded weights", tex=r"H_{\mathrm{z}}", display_unit="GB", low="1 B", high="100 TB"
)
C = Variable("C", "B", "memory of a device", alias="memory", display_unit="GB", low="1 GB", high="10 TB")
H_left = Variable(
    "H_left",
    "B",
    "memory left, negative if the layout does not fit",
    tex=r"H_{\mathrm{left}}",
    display_unit="GB",
    low="-1 PB",
    high="10 TB",
    zero=True,
)
N_max = Variable("N_max", "", "devices beyond which sequences run out", tex=r"N_{\max}")

# --- the parts of a step -----------------------------------------------------------------------

FREE = ("nothing is hidden behind computing", "latency does not count")
replicas = Formula(d, N / (t * p), kind="definition", assumptions="no experts", domain=(t * p <= N,))
micro_batches = (
    Derivation.start(m, B / (d * b), "a replica's share of the sequences, cut into micro-batches")
    .apply(replicas, "what the cluster allows")
    .formula(
        domain=(B * t * p >= N * b,), validity=((Eq(Mod(B * t * p, N * b), 0), "micro-batches cannot all be full"),)
    )
)
compute_time = Formula(
    t_c,
    3 * phi * Psi * B * s / (N * R),
    assumptions="one multiply-add for each parameter and token forward, two backward; attention scores left out",
)
INSIDE = Min(t, G)  # devices of a tensor group that lie in one node
layer_all_reduce = Formula(
    t_s,
    2 * n_l * ((1 - 1 / INSIDE) / beta_i + (1 / INSIDE - 1 / t) / beta_o),
    assumptions=(
        "a group larger than a node fills nodes and uses a hierarchical all-reduce, each device through its own NIC",
        "latency does not count",
    ),
)
tensor_parallel_time = (
    Derivation.start(
        t_tp,
        4 * L / p * (B / d) * t_s,
        "four all-reduces a layer, for the layers of a stage and the sequences of a replica, one sequence at a time",
        kind="model",
    )
    .apply(layer_all_reduce, "inside the node, and between nodes where the group is larger than one")
    .apply({n_l: s * h * w}, "the activations of one sequence")
    .apply(replicas, "the stages cancel: fewer layers, but more sequences")
    .formula(assumptions=FREE)
)
ranks_per_shard = Formula(
    g, Max(1, G / t), kind="definition", assumptions="tensor groups fill nodes first, stages lie in other nodes"
)
gradient_all_reduce = (
    Derivation.start(
        t_dp,
        2 * Psi * w / (t * p) * ((1 - 1 / g) / beta_i + (1 - g / d) / (g * beta_o)),
        "hierarchical: inside the node among devices with the same weights, then between nodes, over their NICs",
        kind="model",
    )
    .apply(replicas, "the replicas", routine=True)
    .formula(assumptions=FREE, domain=(g * t * p <= N,))
)
bubble = (
    Derivation.start(t_pp, (p - 1) / m * t_c, "idle over ideal is $(p-1)/m$", kind="model")
    .apply(micro_batches, "the micro-batches of a replica")
    .formula(assumptions=("1F1B or GPipe", "all stages take equally long"))
)
efficiency = Formula(
    eta, t_c / (t_c + t_dp + t_tp + t_pp), kind="definition", convention="of a step's time, what is spent computing"
)
sharded = Derivation.start(
    t_z,
    m * 3 * Psi * w * ((1 - 1 / G) / beta_i + (1 - G / N) / (G * beta_o)),
    "in every micro-batch two all-gathers of weights and one reduce-scatter of gradients, all hierarchical",
    kind="model",
    routine=True,
).formula(assumptions=("weights sharded among all devices", *FREE), domain=(N >= G,))
sharded_flat = Formula(
    t_z,
    m * 3 * Psi * w * (1 - 1 / N) / beta_o,
    assumptions=("weights sharded among all devices, in one flat ring", *FREE),
)
efficiency_sharded = Formula(eta_z, t_c / (t_c + t_z), kind="definition", assumptions="nothing is hidden")

# --- memory --------------------------------------------------------------------------------------

memory = (
    Derivation.start(
        H,
        Psi * (2 * w + w_o / d) / (t * p) + 17 * w * s * b * h * L / t * (Min(p, m) / p),
        "state with a sharded optimizer, and activations of the micro-batches in flight on $L/p$ layers",
        kind="model",
    )
    .apply(replicas, "the replicas", routine=True)
    .formula(assumptions=("1F1B, tensor and sequence parallelism", "scores are computed again"))
)
memory_sharded = Formula(
    H_z,
    Psi * (2 * w + w_o) / N + 17 * w * s * b * h * L + Psi * w / L,
    assumptions=("weights sharded among all devices", "scores are computed again", "one gathered layer at a time"),
)
room = Formula(
    H_left,
    C - H,
    kind="definition",
    assumptions="what is negative does not fit",
    convention="before buffers, which take several gigabytes",
)
sequences_run_out = (
    Derivation.balance(B / N_max, b, "one micro-batch for each device")
    .solve_for(N_max, B / b, "beyond that, more devices have nothing to split but the model", routine=True)
    .formula(assumptions="data parallelism alone")
)

# --- worked examples ---------------------------------------------------------------------------

MODEL = {Psi: models.llama31_70b_parameters, w: "2 B"}
SHAPE = {s: "2048", h: models.llama31_70b_hidden, L: models.llama31_70b_layers}
NET = {beta_i: hardware.h100_nvlink, beta_o: hardware.ndr_port}
step_computes = Example(
    compute_time, {Psi: MODEL[Psi], phi: hardware.fma_work, B: "2048", s: "2048", N: "512", R: "494.7 TFLOP/s"}
)


def _layout(t_, p_):
    """Return the givens of one layout."""
    return {t: t_, p: p_, N: "512"}


def _sums(t_):
    givens = {t: t_, N: "512", **NET, **SHAPE, w: "2 B", B: "2048", G: "8"}
    return Example(tensor_parallel_time, givens)


def _gradients(t_, p_, g_):
    givens = {**_layout(t_, p_), **MODEL, **NET, g: g_}
    return Example(gradient_all_reduce, givens)


def _bubble(t_, p_):
    givens = {**_layout(t_, p_), B: "2048", b: "1", t_c: step_computes}
    return Example(bubble, givens)


def _whole(dp, tp, pp):
    givens = {t_c: step_computes, t_dp: dp, t_tp: tp, t_pp: pp}
    return Example(efficiency, givens)


def _memory(t_, p_, m_):
    givens = {**_layout(t_, p_), **MODEL, **SHAPE, w_o: "12 B", b: "1", m: m_}
    return Example(memory, givens)


node_tp = _sums("8")
node_dp = _gradients("8", "1", "1")
node_efficiency = _whole(node_dp, node_tp, "0 s")
node_memory = _memory("8", "1", "32")
four_four_dp = _gradients("4", "4", "2")
four_four_tp = _sums("4")
four_four_pp = _bubble("4", "4")
four_four_efficiency = _whole(four_four_dp, four_four_tp, four_four_pp)
four_four_memory = _memory("4", "4", "64")
two_eight_dp = _gradients("2", "8", "4")
two_eight_tp = _sums("2")
two_eight_pp = _bubble("2", "8")
two_eight_efficiency = _whole(two_eight_dp, two_eight_tp, two_eight_pp)
two_eight_memory = _memory("2", "8", "64")
all_passes = Example(micro_batches, {B: "2048", N: "512", t: "1", p: "1", b: "1"})
all_flat = Example(sharded_flat, {**MODEL, beta_o: NET[beta_o], N: "512", m: all_passes})
all_flat_efficiency = Example(efficiency_sharded, {t_c: step_computes, t_z: all_flat})
runs_out = Example(sequences_run_out, {B: "2048", b: "1"})

# --- the case, for the explorer ------------------------------------------------------------------

CASE = {Psi: 70553706496, w: 2 * BYTE, w_o: 12 * BYTE, phi: 2 * FLOP}
KIND = {s: 2048, h: 8192, L: 80}
ONE_EACH = "Llama 3.1 70B, sequences of 2,048 tokens, nodes of eight, micro-batches of one"


def _case(formula, *values):
    """Return a formula with the numbers of the case put in."""
    known = {v: x for group in (CASE, KIND, {G: 8, b: 1}) for v, x in group.items()}
    fixed = {v: x for v, x in known.items() if v in formula.rhs.free_symbols}
    return Derivation.start(formula, routine=True).apply(fixed, "the numbers of the case").formula(assumptions=ONE_EACH)


case_computing = _case(compute_time)
case_sums = _case(tensor_parallel_time)
case_gradients = (
    Derivation.start(gradient_all_reduce)
    .apply({g: ranks_per_shard.rhs.subs(G, 8), Psi: CASE[Psi], w: CASE[w]}, "the numbers of the case")
    .formula(assumptions=ONE_EACH, domain=(t * p <= N,))
)
case_bubble = Derivation.start(bubble).apply({b: 1, t_c: case_computing}, "the numbers of the case").formula()
case_efficiency = (
    Derivation.start(efficiency)
    .apply({t_c: case_computing, t_dp: case_gradients, t_tp: case_sums, t_pp: case_bubble}, "the four parts of a step")
    .formula(domain=(t * p <= N, B * t * p >= N))
)
case_sharded = (
    Derivation.start(efficiency_sharded)
    .apply({t_c: case_computing, t_z: _case(sharded)}, "computing, and the weights that travel")
    .apply({m: B / N}, "micro-batches of one sequence: so many on each device")
    .formula()
)
case_memory = (
    Derivation.start(memory)
    .apply(
        {**{v: CASE[v] for v in (Psi, w, w_o)}, **KIND, b: 1, m: B * t * p / N},
        "the numbers of the case, and its micro-batches",
    )
    .formula(assumptions=ONE_EACH)
)
case_memory_sharded = _case(memory_sharded)
case_room = (
    Derivation.start(room)
    .apply({H: case_memory}, "what the layout holds")
    .apply({C: 80 * 10**9 * BYTE}, "a device of 80 GB")
    .formula()
)

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
