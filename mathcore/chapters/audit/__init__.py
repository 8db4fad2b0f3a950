"""Audit: one workload on one cluster, through node, memory, data and algorithm.

The workload is the training of a model of the Llama 70B class, the cluster 512 H100 in 64 nodes. What
another chapter states is not stated again: its formulas are joined here, and each number is carried on
into the next. Network and failures follow in `audit.fleet`, costs and levers in `audit.levers`.
"""

from sympy import ceiling, log, sqrt

from mathcore import Derivation, Example, Formula, Min, One, Variable, read_facts
from mathcore.chapters import collectives, hardware, models, roofline, training
from mathcore.chapters.parallelism import memory as parallelism_memory
from mathcore.chapters.parallelism.memory import A, H, L, w_g, w_o, w_p
from mathcore.chapters.roofline import I
from mathcore.chapters.training import FLOP, C, D, N, P, V, d, f, h, n, n_kv, s, scaling, t, token, u, v
from mathcore.chapters.training.scaling import N_o, x
from mathcore.teaching import read_exercises, read_tasks

B = One("B")

# --- symbols: those above are their chapters'; what clashes there has a name of its own here ----

RATE = {"display_unit": "GB/s/gpu", "low": "1 GB/s/gpu", "high": "100 TB/s/gpu"}
DEGREE = {"low": "1", "high": "1000000", "integer": True}
SHARE = {"display_unit": "%", "low": "0.1 %", "high": "100 %"}
a = Variable("a", "token", "tokens that a device processes at once", low="1 token", high="1000000 token")
a_r = Variable("a_r", "token", "tokens at which training meets the ridge", tex=r"a^{*}")
v_w = Variable("v_w", "B", "bytes moved for each weight", tex=r"v_{\mathrm{w}}", low="1 B", high="64 B")
beta_h = Variable(
    "beta_h", "B/s/gpu", "memory bandwidth of a device", alias="memory_bandwidth", tex=r"\beta_{\mathrm{mem}}", **RATE
)
x_d = Variable("x_d", "", "data-parallel replicas", alias="data_parallel", tex=r"x_{\mathrm{dp}}", **DEGREE)
x_t = Variable("x_t", "", "degree of tensor parallelism", alias="tensor_parallel", tex=r"x_{\mathrm{tp}}", **DEGREE)
x_p = Variable("x_p", "", "stages of the pipeline", alias="pipeline_parallel", tex=r"x_{\mathrm{pp}}", **DEGREE)
H_left = Variable(
    "H_left",
    "B",
    "memory left on a device",
    tex=r"H_{\mathrm{left}}",
    display_unit="GB",
    low="-1000 TB",
    high="1000 TB",
)
A_1 = Variable(
    "A_1", "B", "activations of one layer for one sequence, on one device", display_unit="MB", low="1 B", high="1 TB"
)
b_fit = Variable("b_fit", "", "sequences of a micro-batch that fit", tex=r"b_{\mathrm{fit}}")
w_a = Variable(
    "w_a", "B", "bytes of an activation", alias="bytes_per_activation", tex=r"w_{\mathrm{act}}", low="1 B", high="4 B"
)
w_t = Variable(
    "w_t", "B/token", "bytes of a token on disk", tex=r"w_{\mathrm{tok}}", low="1 B/token", high="1000000 B/token"
)
q_d = Variable(
    "q_d",
    "B/s",
    "data rate that training requires",
    tex=r"q_{\mathrm{data}}",
    display_unit="MB/s",
    low="1 B/s",
    high="100 TB/s",
)
V_s = Variable("V_s", "B", "data of one step", tex=r"V_{\mathrm{step}}", display_unit="MB")
s_1 = Variable(
    "s_1",
    "B/s",
    "read bandwidth of the storage",
    tex=r"s_{\mathrm{disk}}",
    display_unit="GB/s",
    low="1 kB/s",
    high="100 TB/s",
)
s_2 = Variable(
    "s_2",
    "B/s",
    "bandwidth of the link to the device",
    tex=r"s_{\mathrm{link}}",
    display_unit="GB/s",
    low="1 kB/s",
    high="100 TB/s",
)
s_d = Variable(
    "s_d",
    "B/s",
    "data rate that the input pipeline supplies",
    tex=r"s_{\mathrm{data}}",
    display_unit="GB/s",
    low="1 kB/s",
    high="100 TB/s",
)
y_d = Variable("y_d", "", "demand for data over its supply", tex=r"y_{\mathrm{data}}", display_unit="%")
u_d = Variable("u_d", "", "MFU that the data could feed", tex=r"u_{\mathrm{data}}", display_unit="%")
r = Variable("r", "token", "tokens for each parameter", low="0.1 token", high="100000 token")
N_r = Variable("N_r", "", "best size by the rule", tex=r"N_{r}")
C_r = Variable("C_r", "FLOP", "work by the rule", tex=r"C_{r}", display_unit="YFLOP")
S_b = Variable(
    "S_b",
    "",
    "sequences of one step, all replicas",
    alias="global_batch",
    tex=r"S",
    low="1",
    high="1000000",
    integer=True,
)
B_t = Variable(
    "B_t", "token", "tokens of one step, all replicas", tex=r"B", display_unit="Mtoken", low="1 token", high="10 Gtoken"
)
eta_k = Variable("eta_k", "", "share of the peak that kernels attain", tex=r"\eta_{\mathrm{k}}", **SHARE)
t_c = Variable("t_c", "s", "compute time of one step", tex=r"t_{\mathrm{c}}", low="1 ms", high="1 h")

# --- facts: the scenario, as the tutorial states it or its program assumes it ---------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- symbols of another chapter in the symbols of this one ----------------------------------

MEMORY = {parallelism_memory.Psi: N, parallelism_memory.d: x_d, parallelism_memory.t: x_t, parallelism_memory.p: x_p}


def renamed(formula, symbols):
    """Return the right side of another chapter's formula in the symbols of this one."""
    return formula.rhs.subs(symbols, simultaneous=True)


# --- node ------------------------------------------------------------------------------------

weights_moved = Formula(roofline.Q, N * v_w, assumptions="weights are the only traffic")
training_intensity = (
    Derivation.start(I, roofline.W / roofline.Q, "operations over bytes: the roofline's intensity")
    .apply(
        {roofline.W: training.compute.renamed({D: a})},
        "six operations for each weight and token; tensor parallelism divides work and weights alike",
    )
    .apply(weights_moved, "each weight moves v bytes, however many tokens share it: the size cancels", routine=True)
    .formula(
        assumptions="from a thousand tokens on activations dominate the traffic, far above the ridge",
        convention="bfloat16: 2 B to read a weight forward, 2 B backward, 4 B to read and write its gradient",
    )
)
tokens_at_ridge = (
    Derivation.balance(
        renamed(training_intensity, {a: a_r}),
        renamed(roofline.ridge, {roofline.P: P, roofline.b: beta_h}),
        "suppose the micro-batch lies on the ridge",
    )
    .solve_for(a_r, v_w * P * token / (6 * FLOP * beta_h), "linear in the tokens", routine=True)
    .formula(assumptions="weights are the only traffic", convention="more tokens: arithmetic limits")
)
batch_tokens = Formula(B_t, S_b * s * token, kind="definition", assumptions="sequences are packed full")
step_compute_time = (
    Derivation.start(
        t_c, training.time_of_work.renamed({u: eta_k}), "work over rate, at the share of the peak that kernels reach"
    )
    .apply({C: training.compute.renamed({D: B_t})}, "the work of one step")
    .formula(assumptions="all devices compute alike", convention="time while computing, not of the step")
)

# --- memory, before any throughput -----------------------------------------------------------

gated_layer = Formula(
    A_1,
    s * w_a * (6 * h + 2 * n_kv * d + 4 * f) / x_t,
    assumptions="kept: inputs of two norms, of attention, its projection and the MLP, queries, keys and values, and of the gated MLP both products, the gate and what leaves it",
    convention="tensor and sequence parallelism, attention scores computed again, no dropout",
)
micro_batch = Formula(A, parallelism_memory.b * A_1, kind="definition", assumptions="sequences of one length")
headroom = (
    Derivation.start(H_left, H - parallelism_memory.H_need, "what a device has less what it needs")
    .apply(
        {parallelism_memory.H_need: parallelism_memory.first_stage_total.renamed(MEMORY)},
        "weights and gradients divided by tensor and pipeline, the optimizer by the replicas too; and activations",
    )
    .formula(
        assumptions="optimizer sharded over the replicas (ZeRO stage 1)",
        convention="negative: the run does not start, and no rate computed for it means anything",
    )
)
sequences_that_fit = (
    Derivation.balance(
        H,
        renamed(parallelism_memory.zero_stage_1, MEMORY) / (x_t * x_p) + b_fit * A_1 * L,
        "let the micro-batch fill the memory: its activations grow with its sequences",
    )
    .solve_for(
        b_fit,
        (H - renamed(parallelism_memory.zero_stage_1, MEMORY) / (x_t * x_p)) / (A_1 * L),
        "linear in the sequences",
        routine=True,
    )
    .formula(
        assumptions=("optimizer sharded over the replicas (ZeRO stage 1)", "round down"),
        domain=(renamed(parallelism_memory.zero_stage_1, MEMORY) / (x_t * x_p) < H,),
    )
)

# --- data ------------------------------------------------------------------------------------

token_bytes = Formula(
    w_t,
    ceiling(log(V) / log(2) / 8) * B / token,
    kind="definition",
    assumptions="every token takes the same whole number of bytes",
)
step_bytes = Formula(V_s, B_t * w_t, kind="definition")
throughput = training.mfu.solve_for("v")
data_demand = (
    Derivation.start(q_d, v * w_t, "each token is read once")
    .apply(throughput, "the throughput that an MFU stands for")
    .apply(training.six, "six operations for each parameter and token")
    .formula(assumptions="a dense model; sequences short against $12h$", convention="MFU of the dense peak")
)
data_supply = Formula(s_d, Min(s_1, s_2), assumptions="one after the other, buffered: the slower one sets the rate")
data_use = Formula(y_d, q_d / s_d, kind="definition", convention="above 100 % the devices wait for data")
mfu_of_data = (
    Derivation.balance(s_d, renamed(data_demand, {u: u_d}), "suppose the pipeline supplies exactly what is asked for")
    .solve_for(u_d, 6 * FLOP * N * s_d / (token * w_t * n * P), "linear in the MFU", routine=True)
    .formula(assumptions="data are the only limit", convention="above 100 %: data never limit")
)

# --- algorithm -------------------------------------------------------------------------------

budget = training.time_of_work.solve_for("C")
tokens_per_parameter = (
    Derivation.start(r, D / N, "tokens over parameters")
    .apply(scaling.tokens_of_budget, "the tokens that the work pays for")
    .formula()
)
size_by_rule = (
    Derivation.balance(C, renamed(training.compute, {N: N_r, D: r * N_r}), "give each parameter r tokens")
    .solve_for(N_r, sqrt(C * token / (6 * FLOP * r)), "the work goes with the square of the size")
    .formula(assumptions="one ratio is best for every budget, which a law with two exponents does not say")
)
tokens_by_rule = Formula(D, r * N, kind="definition")
work_by_rule = (
    Derivation.start(C_r, training.compute, "six operations for each parameter and token")
    .apply(tokens_by_rule, "r tokens for each parameter")
    .formula(assumptions="a dense model; sequences short against $12h$")
)
size_over_best = Formula(x, N / N_o, kind="definition", convention="1 at the compute-optimal size")

# --- worked examples: node -------------------------------------------------------------------

H100 = {P: hardware.h100_bf16}
CHIP = {roofline.P: hardware.h100_bf16, roofline.b: hardware.h100_hbm_bandwidth}
MODEL = {N: models.llama31_70b_parameters}
FLEET = {n: facts.devices, **H100}
BF16 = {w_p: "2 B", w_g: "2 B", w_o: "12 B"}
node_ridge = Example(tokens_at_ridge, {v_w: "8 B", beta_h: hardware.h100_hbm_bandwidth, **H100})
node_intensity = Example(training_intensity, {a: "8192 token", v_w: "8 B"}, digits=4)
# What activations leave of it: the narrowest product, an MLP matrix cut into eight, in series with the weights.
node_ceiling = Example(
    roofline.activations_only,
    {roofline.D: models.llama31_70b_hidden, roofline.F: "3584", roofline.a: "2 B", roofline.o: "2 B"},
    digits=4,
)
node_both = Example(roofline.series_law, {roofline.I_w: node_intensity, roofline.I_a: node_ceiling}, digits=4)
# One sequence at a time, which the memory will ask for.
one_intensity = Example(training_intensity, {a: "2048 token", v_w: "8 B"}, digits=4)
node_one = Example(roofline.series_law, {roofline.I_w: one_intensity, roofline.I_a: node_ceiling}, digits=3)
node_share = Example(roofline.share, {**CHIP, I: node_both})
# The tutorial calls its node "compute-bound", and its analysis "confirms" it. Both calls pass neither a
# training step nor a length: a sample is then one token through 141 GB of weights, which is memory-bound.
called_intensity = Example(roofline.weights_only, {roofline.B: facts.local_batch, roofline.w: "2 B"})
called_share = Example(roofline.share, {**CHIP, I: called_intensity})
weights = Example(
    collectives.gradient_bytes, {collectives.Psi: models.llama31_70b_parameters, collectives.w: "2 B"}, unit="GB"
)

# --- memory ----------------------------------------------------------------------------------

SPLIT = {x_d: "64", x_t: facts.tensor, x_p: facts.stages}
SHAPE = models.of("llama31_70b", {h: "hidden", n_kv: "kv_heads", d: "head_dim", f: "ffn"})
LAYERS = {L: models.llama31_70b_layers}
STATE = {**MODEL, **BF16, H: hardware.h100_hbm}
layer = Example(gated_layer, {**SHAPE, s: facts.length, w_a: "2 B", x_t: facts.tensor})
layer_of_step = Example(micro_batch, {A_1: layer, parallelism_memory.b: "32"}, unit="MB")
layer_of_four = Example(micro_batch, {A_1: layer, parallelism_memory.b: facts.local_batch}, unit="MB")
# The tutorial computes a step of this split and never asks whether it fits: it does not.
room_unsharded = Example(headroom, {**STATE, **SPLIT, **LAYERS, x_d: "1", A: layer})
room_of_step = Example(headroom, {**STATE, **SPLIT, **LAYERS, A: layer_of_step})
room = Example(headroom, {**STATE, **SPLIT, **LAYERS, A: layer})
fits = Example(sequences_that_fit, {**STATE, **SPLIT, **LAYERS, A_1: layer})

# --- data ------------------------------------------------------------------------------------

bytes_of_token = Example(token_bytes, {V: models.llama31_70b_vocabulary})
step_tokens = Example(batch_tokens, {S_b: facts.batch, s: facts.length})
step_data = Example(step_bytes, {B_t: step_tokens, w_t: "2 B/token"})
step_work = Example(training.compute, {**MODEL, D: step_tokens}, unit="EFLOP")
# "At ~1 step/sec" would need an MFU of 350 %.
step_at_mfu = Example(training.time_of_work, {**FLEET, C: step_work, u: facts.mfu}, unit="s")
demand = Example(data_demand, {**MODEL, **FLEET, u: facts.mfu, w_t: bytes_of_token})
supply = Example(data_supply, {s_1: facts.disk, s_2: hardware.pcie5})
use_stated = Example(data_use, {q_d: facts.data_rate, s_d: supply})
use_of_disk = Example(data_use, {q_d: demand, s_d: supply})
fed_by_stated = Example(mfu_of_data, {**MODEL, **FLEET, s_d: facts.data_rate, w_t: "2 B/token"})  # its own two bytes
images = Example(data_demand, {**FLEET, u: facts.mfu, N: "1000000000", w_t: "600 B/token"}, unit="GB/s")

# --- algorithm -------------------------------------------------------------------------------

work = Example(budget, {**FLEET, t: facts.duration, u: facts.mfu})
tokens = Example(scaling.tokens_of_budget, {**MODEL, C: work})
ratio = Example(tokens_per_parameter, {**MODEL, C: work})
rule_size = Example(size_by_rule, {C: work, r: facts.rule})
law_size = Example(scaling.size, {**scaling.REFIT, C: work})
law_ratio = Example(scaling.ratio, {**scaling.REFIT, C: work})
law_place = Example(size_over_best, {**MODEL, N_o: law_size}, digits=4)
EXPONENTS = {symbol: scaling.REFIT[symbol] for symbol in (scaling.alpha, scaling.beta)}
# "UNDER-trained" the tutorial's test says of anything below 20. By the law refitted to the same runs the
# run lies on the optimum, and has the loss of a budget that is smaller by a fiftieth of a per cent.
law_penalty = Example(
    scaling.work_penalty, {**EXPONENTS, scaling.p: Example(scaling.penalty, {**EXPONENTS, x: law_place})}, digits=5
)
hoffmann_size = Example(scaling.size, {**scaling.HOFFMANN, C: work})
hoffmann_ratio = Example(scaling.ratio, {**scaling.HOFFMANN, C: work})
hoffmann_place = Example(size_over_best, {**MODEL, N_o: hoffmann_size})

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
