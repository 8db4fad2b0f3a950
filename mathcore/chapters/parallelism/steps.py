"""Whole steps: what one step of any layout takes, and what a device holds, with all cuts at once.

The symbols are those of `parallelism.layouts`. A layout is a TP degree, a PP degree with chunks, a CP degree, a stage
of ZeRO, a micro-batch, a pipeline schedule, and what is computed again instead of kept.
"""

from sympy import Eq, Piecewise, ceiling

from mathcore import Derivation, Example, Formula, Max, Min, One, Variable
from mathcore.chapters.parallelism.layouts import (
    B,
    C,
    G,
    H,
    L,
    N,
    Psi,
    R,
    b,
    beta_i,
    beta_o,
    compute_time,
    d,
    eta_z,
    g,
    h,
    m,
    p,
    phi,
    s,
    t,
    t_c,
    t_tp,
    w,
    w_o,
)


def _count(name, meaning, high, **more):
    return Variable(name, "", meaning, low="1", high=high, integer=True, **more)


def _time(name, meaning, tex):
    return Variable(name, "s", meaning, tex=tex, low="0 s", high="10 d", zero=True)


def _share(name, meaning, tex=None, **more):
    return Variable(name, "", meaning, tex=tex, display_unit="%", low="0 %", high="100 %", **more)


def _bytes(name, meaning, tex):
    return Variable(name, "B", meaning, tex=tex, display_unit="GB", low="1 B", high="1 PB")


# --- symbols ---------------------------------------------------------------------------------

a_k = Variable(
    "a_k",
    "",
    "values kept of each position and unit of width, in a layer that is not recomputed as a whole",
    tex=r"a_{\mathrm{k}}",
    low="2",
    high="17",
)
z_b = Variable(
    "z_b", "", "share of the bubble of 1F1B that a schedule leaves", tex=r"z_{\mathrm{b}}", low="0", high="1"
)
v = _count("v", "chunks of layers on each stage", "64", alias="virtual_stages")
k = _count("k", "CP degree: devices that share a sequence", "1024", tex=r"k_{\mathrm{cp}}")
f = _share("f", "share of layers whose activations are all recomputed", r"f_{\mathrm{r}}", zero=True)
V = _count("V", "vocabulary size", "10000000")
h_k = _count("h_k", "width of all keys of a token", "100000", tex=r"h_{\mathrm{k}}")
n_k = _count("n_k", "key-value heads", "1024", alias="kv_heads", tex=r"n_{\mathrm{k}}")
h_1 = _count("h_1", "width of a head", "1024", alias="head_size", tex=r"h_{1}")
w_g = Variable(
    "w_g", "B", "bytes of a gradient while it is accumulated", tex=r"w_{\mathrm{acc}}", low="1 B", high="8 B"
)
w_n = Variable("w_n", "B", "bytes of a weight while it travels", tex=r"w_{\mathrm{n}}", low="0.5 B", high="4 B")
n_w = Variable(
    "n_w", "", "all-gathers of all weights in one step", tex=r"n_{\mathrm{w}}", low="0", high="1e6", zero=True
)
n_g = Variable(
    "n_g", "", "reduce-scatters of all gradients in one step", tex=r"n_{\mathrm{g}}", low="0", high="1e6", zero=True
)
x_w = Variable("x_w", "", "share of a stage's weights on a device", tex=r"x_{\mathrm{w}}", low="0", high="1")
x_g = Variable("x_g", "", "share of a stage's gradients on a device", tex=r"x_{\mathrm{g}}", low="0", high="1")
e = _share("e", "share of the NICs' rate that is attained", r"e_{\mathrm{n}}")
omega = Variable("omega", "", "work of the vocabulary head, in layers", tex=r"\omega", low="0", high="1000", zero=True)
Lambda = Variable("Lambda", "", "work of the slowest stage over the mean", tex=r"\Lambda", low="1", high="1000")
chi = _share("chi", "share of what can hide that does hide", r"\chi", zero=True)
c_s = Variable(
    "c_s",
    "",
    "time of a tensor-parallel all-reduce over that of its bytes",
    tex=r"c_{\mathrm{s}}",
    low="0.5",
    high="20",
)
r_c = Variable("r_c", "", "attention scores of the last part over the mean", tex=r"r_{\mathrm{c}}", low="1", high="2")
t_k = Variable(
    "t_k", "s", "fixed time of a kernel", tex=r"t_{\mathrm{k}}", display_unit="µs", low="0 s", high="1 ms", zero=True
)
t_w = _time("t_w", "compute time of one step, recomputation included", r"t_{\mathrm{w}}")
t_e = _time("t_e", "time of norms and activation functions once more, in all layers of one step", r"t_{\mathrm{e}}")
beta_m = Variable(
    "beta_m",
    "B/s",
    "memory bandwidth of a device",
    tex=r"\beta_{\mathrm{m}}",
    display_unit="TB/s",
    low="100 GB/s",
    high="100 TB/s",
)
t_f = _time("t_f", "fixed time of all kernels of one step", r"t_{\mathrm{f}}")
t_l = _time("t_l", "tensor-parallel all-reduces in one step", r"t_{\mathrm{l}}")
t_cp = _time("t_cp", "context-parallel exchange of keys and values, in one step", r"t_{\mathrm{cp}}")
t_h = _time("t_h", "transfer of activations between stages, in one step", r"t_{\mathrm{h}}")
t_g = _time("t_g", "traffic of weights and gradients in one step", r"t_{\mathrm{g}}")
t_b = _time("t_b", "compute time that can hide this traffic of weights and gradients", r"t_{\mathrm{hide}}")
T = _time("T", "how long a step of any layout takes", "T")
TOKEN, GPU = One("token"), One("gpu")
y = Variable(
    "y",
    "token/s",
    "tokens of all devices in a time, weights sharded",
    tex=r"y_{\mathrm{z}}",
    display_unit="token/s",
    low="0.001 token/s",
    high="1e12 token/s",
)
q = Variable("q", "", "micro-batches whose activations the first stage holds", low="1", high="1000000", count=True)
H_a = _bytes("H_a", "activations on the first stage", r"H_{\mathrm{a}}")
H_w = _bytes("H_w", "weights, gradients and optimizer on a device", r"H_{\mathrm{w}}")
H_t = _bytes("H_t", "memory used", r"H_{\mathrm{t}}")
c = Variable("c", "", "measured memory over its estimate", low="0.5", high="10")
y_1 = Variable(
    "y_1",
    "token/s/gpu",
    "tokens of each device in a time",
    tex=r"y_{1}",
    display_unit="token/s/gpu",
    low="0.001 token/s/gpu",
    high="1e9 token/s/gpu",
)

# --- how the devices are divided ---------------------------------------------------------------

replicas = Formula(
    d, N / (t * p * k), kind="definition", assumptions="a replica has t · p · k devices", domain=(t * p * k <= N,)
)

micro_batches = Formula(m, B / (d * b), kind="definition")

# --- computing ---------------------------------------------------------------------------------

pointwise_time = Formula(
    t_e,
    12 * w * h * L * B * s / (N * beta_m),
    assumptions="two norms, and an activation function four times as wide, read and write each value once",
)
work = Formula(
    t_w,
    t_c * (1 + f / 3) + t_e * (1 - f),
    assumptions="a recomputed layer runs its forward pass twice, a third of its work",
)
launch_time = Formula(
    t_f,
    21 * t_k * (L / p) * m * (1 + f / 3),
    assumptions="seven weights a layer, each in one product forward and two backward, and each product pays a fixed time",
)
head_work = Formula(
    omega,
    V * h * L / (Psi - 2 * V * h),
    assumptions="the output multiplies each token with the whole vocabulary, the input only looks it up",
    domain=(2 * V * h < Psi,),
)
EVEN = (L / p + omega) * p / (L + omega)
slowest_stage = Formula(
    Lambda,
    Piecewise((1, Eq(p, 1)), (Min(EVEN, ceiling((L + ceiling(omega)) / p) * p / (L + omega)), Eq(v, 1)), (EVEN, True)),
    assumptions=(
        "the vocabulary head is on the last stage",
        "chunks have equally many layers; without chunks the last stage may have fewer",
    ),
)

# --- traffic -----------------------------------------------------------------------------------

tensor_parallel_time = Formula(
    t_l,
    c_s * t_tp * (1 + f / 2 + (1 - chi) / 4),
    assumptions=(
        "two of the four all-reduces of a layer are forward, and run again where it is recomputed",
        "sequence parallelism gathers each input once more for the gradients of weights, and that can hide",
    ),
)
key_width = Formula(h_k, n_k * h_1, kind="definition")
context_parallel_time = Formula(
    t_cp,
    6 * L * B * k * h_k * w * s * (1 - 1 / k) / (N * Piecewise((beta_i, t * k <= G), (e * beta_o, True))),
    assumptions="keys and values go round the devices that share a sequence, once forward and twice backward",
)
causal_imbalance = (
    Derivation.start(
        r_c,
        k * (1 - (1 - 1 / k) ** 2),
        "the last of $k$ parts scores against the whole sequence, all parts against half of it on average",
        kind="model",
    )
    .rewrite(2 - 1 / k, "expand the square")
    .formula(assumptions=("parts are contiguous and equally long", "each token attends to all before it"))
)
pipeline_send_time = Formula(
    t_h,
    Piecewise((0, Eq(p, 1)), (2 * m * v * b * s * h * w / (t * k * e * beta_o), True)),
    assumptions="each device hands on its share, through a NIC of its own",
)
data_parallel_time = Formula(
    t_g,
    (n_w * w_n + n_g * w_g) * Psi / (t * p) * (1 - 1 / (d * k)) * Max(1 / (g * e * beta_o), 1 / beta_i),
    assumptions=(
        "rings leave a node through the NICs of all its devices with the same weights",
        "latency does not count",
    ),
    domain=(g <= d * k,),
)

node_copy_time = Formula(
    t_g,
    m
    * Psi
    / (t * p)
    * ((w_n + w_g) * (1 - 1 / (d * k)) * Max(1 / (g * e * beta_o), 1 / beta_i) + w_n * (1 - 1 / g) / beta_i),
    assumptions=(
        "each node keeps the weights of its forward pass for the backward one, sharded among its devices",
        "rings leave a node through the NICs of all its devices with the same weights",
        "latency does not count",
    ),
    domain=(g <= d * k, g > 1),
)
hybrid_time = Formula(
    t_g,
    Psi / (t * p) * (m * (2 * w_n + w_g) * (1 - 1 / g) / beta_i + 2 * w_g * (1 - g / (d * k)) / (g * e * beta_o)),
    assumptions=(
        "weights and gradients are sharded inside a node",
        "nodes sum their gradients once a step, through the NICs of all devices",
        "latency does not count",
    ),
    domain=(g <= d * k,),
)

causal_8 = Example(causal_imbalance, {k: "8"})

# --- the step ----------------------------------------------------------------------------------

step = Formula(
    T,
    Lambda * (1 + z_b * (p - 1) / (v * m)) * (t_w + t_f + t_l) + t_cp + t_h + t_g - chi * Min(t_g, t_b),
    assumptions=(
        "all stages wait for the slowest, and for the pipeline to fill",
        "only traffic of weights and gradients hides",
        "computing is as fast while something hides behind it",
    ),
)
sharded_step = (
    Derivation.start(step)
    .apply(launch_time, "the fixed time of kernels")
    .apply(data_parallel_time, "what the rings carry")
    .apply({t_b: t_w}, "weights and gradients travel in every micro-batch: all computing can hide them")
    .apply(work, "computing, with what is recomputed")
    .apply(
        {t: 1, p: 1, v: 1, k: 1, Lambda: 1, t_e: 0, t_l: 0, t_cp: 0, t_h: 0},
        "nothing but the state is cut, nothing but whole layers recomputed",
    )
    .apply(
        {d: N, g: G, n_w: 2 * m, n_g: m, w_n: w},
        "among all devices: weights come twice for every micro-batch, gradients go once",
    )
    .formula(domain=(G <= N,))
)
token_rate = (
    Derivation.start(y, B * s * TOKEN / T, "the tokens of a step, over its time")
    .apply(sharded_step, "weights sharded among all devices")
    .apply(compute_time, "the arithmetic")
    .apply({B: N * b * m}, "each device has a micro-batch of its own, several times")
    .formula(domain=(G <= N,))
)

sharded_share = (
    Derivation.start(eta_z, t_c / T, "of a step's time, what is spent computing", kind="definition")
    .apply(sharded_step, "weights sharded among all devices")
    .apply({t_k: 0}, "kernels start at once")
    .apply(compute_time, "the arithmetic")
    .apply({m: B / (N * b)}, "each device takes its sequences one micro-batch at a time")
    .formula(domain=(G <= N, N * b <= B))
)

last_micro_batch = Formula(
    t_b, t_w / m, assumptions="gradients are complete in the last micro-batch of a step, and hide behind it"
)
compute_time_with_scores = Formula(
    t_c,
    3 * phi * (Psi + L * h * s) * B * s / (N * R),
    assumptions="three multiply-adds for each parameter and token, and as many for half of all pairs of tokens, scores and their use",
)
layout_pace = (
    Derivation.start(y_1, B * s * TOKEN / (T * N * GPU), "the tokens of a step, over its time and the devices")
    .apply(step, "a step of any layout")
    .apply(work, "computing")
    .apply({f: 0, t_e: 0, t_g: 0, t_b: 0}, "nothing is recomputed, and what can hide is hidden")
    .apply(compute_time_with_scores, "the arithmetic")
    .formula()
)

# --- memory ------------------------------------------------------------------------------------

in_flight = Formula(
    q,
    Min(p, m) * Piecewise((1, v <= 1), (1 + (p - 1) / (p * v), True)),
    assumptions="1F1B; with chunks the first stage holds more",
)
ONE_VALUE = w * s * b * h / (t * k)  # of each position and unit of width, in one layer on one device
activations = Formula(
    H_a,
    ONE_VALUE * ((a_k * (1 - f) + f) * L * q / p + Piecewise((0, f + 17 - a_k <= 0), (17, True))),
    assumptions=(
        "tensor and sequence parallelism",
        "scores are recomputed",
        "one layer at a time of which something is recomputed is kept in full",
    ),
)
state = Formula(
    H_w,
    Psi / (t * p) * (x_w * w + x_g * w_g + w_o / (d * k)),
    assumptions="the optimizer's state is sharded among replicas and those that share a sequence",
)
hybrid_state = Formula(
    H_w,
    Psi / (t * p) * (w + w_g + w_o) / g,
    assumptions="weights, gradients and optimizer are sharded inside a node, and each node has all of them",
)
ROOM = (C / c - H_w - Psi * w / (L * t)) / ONE_VALUE
KEPT = L * q / p  # layers of micro-batches in flight on the first stage
layers_recomputed = Formula(
    f,
    Piecewise(
        (0, a_k * KEPT + Piecewise((0, a_k >= 17), (17, True)) <= ROOM),
        (Min(1, ceiling((a_k + (17 - ROOM) / KEPT) / (a_k - 1) * L / p) * p / L), True),
    ),
    assumptions="as few whole layers of each stage as the memory asks for",
)
memory = Formula(
    H,
    H_w + H_a + Psi * w / (L * t),
    assumptions="the first stage, and one layer whose weights are gathered",
    convention="an estimate: before buffers, workspace and what the allocator keeps",
)
taken = Formula(
    H_t, c * H, assumptions="a layout takes the multiple of its estimate that was measured of other layouts"
)
