"""Parallelism: how one model is spread over many devices, and what crosses the wires for it.

Layers, sequences, tokens and parameters are plain counts here. A bubble is counted as a share of the
whole step (idle over total); `from_ideal` and `to_ideal` convert. What each device must hold stands in
`parallelism.memory`, mixtures of experts in `experts`.
"""

from sympy import Eq, Mod, Rational, sqrt

from mathcore import Derivation, Example, Formula, Min, Variable, read_facts
from mathcore.chapters import hardware
from mathcore.teaching import read_calculators, read_exercises, read_tasks


def _count(name, meaning, high, low="1", **more):
    return Variable(name, "", meaning, low=low, high=high, integer=True, **more)


# --- symbols ---------------------------------------------------------------------------------

N = _count("N", "devices", "1000000", alias=("devices", "ranks"))
d = _count("d", "degree of data parallelism", "1000000", alias="data_parallel")
t = _count("t", "degree of tensor parallelism", "1024", alias="tensor_parallel")
p = _count("p", "stages of the pipeline", "1024", alias="pipeline_parallel")
e = _count("e", "degree of expert parallelism", "4096")
d_N = Variable("d_N", "", "data-parallel replicas that the devices allow", tex=r"d_{N}", integer=True)
eta = Variable(
    "eta",
    "",
    "scaling efficiency",
    alias="scaling_efficiency",
    tex=r"\eta",
    display_unit="%",
    low="0.1 %",
    high="100 %",
)
S = Variable("S", "", "devices' worth of work")
t_c = Variable("t_c", "s", "compute time of one step", tex=r"t_{\mathrm{c}}", low="1 ms", high="1 h")
t_dp = Variable("t_dp", "s", "waiting for gradients", tex=r"t_{\mathrm{dp}}", low="0 s", high="1 h", zero=True)
t_tp = Variable("t_tp", "s", "waiting within layers", tex=r"t_{\mathrm{tp}}", low="0 s", high="1 h", zero=True)
t_ep = Variable("t_ep", "s", "waiting for routed tokens", tex=r"t_{\mathrm{ep}}", low="0 s", high="1 h", zero=True)
t_pp = Variable("t_pp", "s", "idling in the bubble", tex=r"t_{\mathrm{pp}}", low="0 s", high="1 h", zero=True)
m = _count("m", "micro-batches of one step", "100000", alias="micro_batches")
v = _count("v", "chunks of layers on each stage", "64", alias="virtual_stages")
t_F = Variable(
    "t_F",
    "s",
    "forward of a micro-batch on a stage",
    tex=r"t_{\mathrm{F}}",
    display_unit="ms",
    low="0.1 ms",
    high="1 min",
)
t_B = Variable(
    "t_B",
    "s",
    "backward of a micro-batch for the inputs",
    tex=r"t_{\mathrm{B}}",
    display_unit="ms",
    low="0.1 ms",
    high="1 min",
)
t_W = Variable(
    "t_W",
    "s",
    "backward of a micro-batch for the weights",
    tex=r"t_{\mathrm{W}}",
    display_unit="ms",
    low="0.1 ms",
    high="1 min",
)
T = Variable("T", "s", "duration of the step")
t_I = Variable("t_I", "s", "time a stage idles in one step", tex=r"t_{\mathrm{idle}}", low="0 s", high="1 d", zero=True)
t_I1 = Variable("t_I1", "s", "idle time of 1F1B", tex=r"t_{\mathrm{1F1B}}", low="0.1 ms", high="1 d")
t_H1 = Variable("t_H1", "s", "idle time of ZB-H1", tex=r"t_{\mathrm{H1}}", low="0 s", high="1 d", zero=True)
t_H2 = Variable("t_H2", "s", "idle time of ZB-H2", tex=r"t_{\mathrm{H2}}", low="0 s", high="1 d", zero=True)
x = Variable("x", "", "bubble: idle share of the step", display_unit="%", low="0.1 %", high="95 %")
k_w = Variable("k_w", "", "rate while it works, over the estimate", tex=r"k_{\mathrm{w}}", low="0.2", high="5")
u_s = Variable(
    "u_s",
    "",
    "rate of a device in a pipeline, over the estimate for one that never idles",
    tex=r"u_{\mathrm{s}}",
    display_unit="%",
)
y = Variable("y", "", "idle time over computing time", display_unit="%", low="0.1 %", high="1000 %")
r = Variable("r", "", "ratio of two amounts")
t_r = Variable("t_r", "", "TP degree at which traffic takes a share of the computing", tex=r"t_{r}")
m_x = Variable("m_x", "", "micro-batches that keep the bubble at a share", tex=r"m_{x}")
q = Variable("q", "", "micro-batches whose activations a stage holds")
b = Variable("b", "", "sequences of a micro-batch", alias="micro_batch_size", low="1", high="1024", count=True)
B = Variable(
    "B", "", "sequences a pipeline handles in one step", low="1", high="100000", tex=r"B_{\mathrm{pipe}}", integer=True
)
b_opt = Variable("b_opt", "", "best micro-batch", tex=r"b^{*}")
t_0 = Variable("t_0", "s", "fixed time of a micro-batch", display_unit="ms", low="0.01 ms", high="1 min")
t_b = Variable("t_b", "s", "time for each further sequence", display_unit="ms", low="0.01 ms", high="1 min")
Psi = Variable(
    "Psi", "", "parameters of the model", alias="parameters", tex=r"\Psi", low="1000000", high="100000000000000"
)
w_p = Variable(
    "w_p", "B", "bytes of a weight", alias="bytes_per_weight", tex=r"w_{\mathrm{p}}", low="0.5 B", high="8 B"
)
w_g = Variable(
    "w_g",
    "B",
    "bytes of a gradient",
    alias="bytes_per_gradient",
    tex=r"w_{\mathrm{g}}",
    low="0 B",
    high="8 B",
    zero=True,
)
V = Variable("V", "B", "bytes a device sends in one step", display_unit="GB", low="0 B", high="1 PB", zero=True)
V_0 = Variable("V_0", "B", "bytes sent without sharding, or in stage 1", display_unit="GB", low="1 B", high="1 PB")
s = _count("s", "tokens of a sequence", "10000000", alias="sequence_length")
h = _count("h", "hidden size of the model", "100000", alias="hidden_size")
w = Variable("w", "B", "bytes of an activation", alias="bytes_per_activation", low="1 B", high="4 B")
P = Variable(
    "P",
    "FLOP/s",
    "arithmetic rate of a device",
    alias="rate",
    display_unit="TFLOP/s",
    low="1 TFLOP/s",
    high="100 PFLOP/s",
)
beta = Variable(
    "beta",
    "B/s",
    "bandwidth of a device per direction",
    alias="bandwidth",
    tex=r"\beta",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="5 TB/s",
)
phi = Variable("phi", "FLOP", "operations counted for one multiply-add", tex=r"\varphi", low="1 FLOP", high="2 FLOP")
f = _count("f", "inner width of a feed-forward network", "1000000", alias="ffn_size")
n_x = Variable("n_x", "", "tokens per device that hide all traffic", tex=r"n_{\mathrm{x}}")
n_a = Variable(
    "n_a", "", "tokens of the step, all devices together", tex=r"n_{\mathrm{all}}", low="1", high="10000000000"
)
X = Variable("X", "", "devices among which weights are sharded", low="1", high="100000", count=True)
X_opt = Variable("X_opt", "", "best number to shard weights among", tex=r"X^{*}")
a_X = _count("a_X", "mesh axes for weights", "6", tex=r"a_{X}")
a_Y = _count("a_Y", "mesh axes for activations", "6", tex=r"a_{Y}")
T_x = Variable("T_x", "s", "traffic of one feed-forward layer", tex=r"T_{\mathrm{x}}", display_unit="ms")

o = Variable("o", "", "overhead over computing", low="0", high="1000", zero=True)

# --- facts -----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- how devices are divided ---------------------------------------------------------------

data_degree = Formula(
    d_N, N / (t * p * e), kind="definition", assumptions="experts lie on devices of their own", domain=(t * p * e <= N,)
)
scaling_efficiency = Formula(
    eta,
    t_c / (t_c + t_dp + t_tp + t_ep + t_pp),
    kind="definition",
    assumptions="only what computing does not hide is counted",
)
worth = Formula(S, N * eta, kind="definition")

overhead = Formula(o, 1 / eta - 1, kind="definition", convention="all waiting, over computing")

# --- pipelines -----------------------------------------------------------------------------

EVEN = "all stages and micro-batches take equally long"
NO_WIRE = "handing on takes no time"
SHORT_W = (t_W <= t_F, t_W <= t_B)  # found by running the cells: else the gaps are too short for the weights
IDLE_TOTAL = "idle over total"
step_plain = Formula(
    T,
    (m + p - 1) * (t_F + t_B + t_W),
    assumptions=(
        EVEN,
        NO_WIRE,
        "GPipe or 1F1B: the last micro-batch starts m − 1 cells after the first, and passes p stages",
    ),
)
bubble = (
    Derivation.start(x, 1 - m * (t_F + t_B + t_W) / T, "a stage works on $m$ micro-batches, the rest it idles")
    .apply(step_plain, "the step of a plain pipeline")
    .rewrite((p - 1) / (m + p - 1), "times cancel: only the grid of cells is left")
    .formula(convention=f"{IDLE_TOTAL}; GPipe and 1F1B alike")
)
rate_in_line = (
    Derivation.start(u_s, k_w * (1 - x), "what it does while it does not idle", kind="model")
    .apply(bubble, "the bubble of a plain pipeline")
    .rewrite(k_w * m / (m + p - 1), "the share of the cells that are filled")
    .formula(convention="$k_{\\mathrm{w}} = 1$ is the count, anything else a measurement")
)
bubble_to_ideal = (
    Derivation.start(y, T / (m * (t_F + t_B + t_W)) - 1, "idle time over computing time")
    .apply(step_plain, "the step of a plain pipeline")
    .rewrite((p - 1) / m, "times cancel", routine=True)
    .formula(convention="idle over ideal, as Megatron's papers count")
)
from_ideal = Formula(x, y / (1 + y), kind="definition", convention="from idle over ideal to idle over total")
to_ideal = (
    Derivation.start(from_ideal)
    .solve_for(y, x / (1 - x), "turn it round", routine=True)
    .formula(convention="from idle over total to idle over ideal")
)
IN_GROUPS = ((Eq(Mod(m, p), 0), "chunks are dealt out to groups of p micro-batches, and the last group is not full"),)
step_chunks = Formula(
    T,
    (m + (p - 1) / v) * (t_F + t_B + t_W),
    assumptions=(EVEN, NO_WIRE, "interleaved: with v chunks the pipeline fills in a v-th of the time"),
    validity=IN_GROUPS,
)
bubble_chunks = (
    Derivation.start(x, 1 - m * (t_F + t_B + t_W) / T, "a stage works on $m$ micro-batches, the rest it idles")
    .apply(step_chunks, "the step of an interleaved pipeline")
    .rewrite((p - 1) / (v * m + p - 1), "multiply by $v$")
    .formula(convention=IDLE_TOTAL)
)
micro_batches_needed = (
    Derivation.start(bubble_chunks, why="the bubble of an interleaved pipeline; one chunk is a plain one")
    .solve_for(m, (p - 1) * (1 - x) / (v * x), "clear the fraction and collect $m$", as_symbol=m_x, routine=True)
    .formula(convention=IDLE_TOTAL)
)
micro_batches_for_bubble = (
    Derivation.start(micro_batches_needed)
    .apply({x: Rational(1, 20), v: 1}, "a bubble of 5 %, one chunk: nineteen for each further stage")
    .formula(convention=IDLE_TOTAL)
)
idle_1f1b = Formula(t_I1, (p - 1) * (t_F + t_B + t_W), assumptions=(EVEN, NO_WIRE))
idle_h1 = Formula(
    t_H1,
    (p - 1) * (t_F + t_B - t_W),
    assumptions=(
        EVEN,
        NO_WIRE,
        "weight gradients wait until the pipeline drains, and p micro-batches or more; memory of 1F1B",
    ),
    domain=SHORT_W,
)
idle_h2 = Formula(
    t_H2,
    (p - 1) * (t_F + t_B - 2 * t_W),
    assumptions=(
        EVEN,
        NO_WIRE,
        "2p − 1 micro-batches in flight, and as many or more in all; no waiting for the optimizer",
    ),
    domain=SHORT_W,
)
h1_over_1f1b = (
    Derivation.start(r, t_H1 / t_I1, "idle time of ZB-H1 over that of 1F1B")
    .apply({t_H1: idle_h1, t_I1: idle_1f1b}, "the number of stages cancels", routine=True)
    .formula()
)
h1_third = (
    Derivation.start(h1_over_1f1b)
    .apply({t_B: t_F, t_W: t_F}, "three parts of equal length: one third of the bubble is left")
    .formula(assumptions="all three parts take equally long")
)
bubble_zero = (
    Derivation.start(x, t_I / (m * (t_F + t_B + t_W) + t_I), "idle over total, whatever the schedule")
    .apply({t_I: idle_h1}, "here the idle time of ZB-H1")
    .formula(convention=f"{IDLE_TOTAL}; ZB-H1")
)
bubble_h1 = (
    Derivation.start(bubble_zero)
    .apply({t_B: t_F, t_W: t_F}, "three parts of equal length")
    .rewrite((p - 1) / (3 * m + p - 1), "times cancel", routine=True)
    .formula(assumptions="all three parts take equally long", convention=f"{IDLE_TOTAL}; ZB-H1")
)
in_flight = Formula(q, Min(p, m), assumptions="1F1B and ZB-H1, on the first stage", convention="GPipe holds all m")
step_of_micro_batch = Formula(
    T,
    (B / b + p - 1) * (t_0 + t_b * b),
    assumptions=(EVEN, "a micro-batch of b sequences takes t_0 + t_b b, forward and backward"),
)
best_micro_batch = (
    Derivation.minimise(
        step_of_micro_batch, over=b, why="large micro-batches lose to the bubble, small ones to what each costs anyway"
    )
    .slope((p - 1) * t_b - B * t_0 / b**2, "multiply out; two of four terms do not depend on $b$", routine=True)
    .root(sqrt(B * t_0 / ((p - 1) * t_b)), "the two terms balance", as_symbol=b_opt)
    .curvature(2 * B * t_0 / b**3, "positive, a minimum", routine=True)
    .formula(assumptions="two stages or more", domain=(p > 1,))
)
stage_traffic = Formula(
    V,
    2 * m * v * b * s * h * w,
    assumptions="an inner stage hands on activations forward and gradients backward, once for each chunk",
)

# --- tensor parallelism --------------------------------------------------------------------

tensor_traffic = (
    Derivation.start(
        V, 4 * (2 * (t - 1) / t) * b * s * h * w, "four all-reduces a layer: two forward, two backward", kind="model"
    )
    .rewrite(8 * b * s * h * w * (1 - 1 / t), "sent by one device", display_form=8 * b * s * h * w * (1 - 1 / t))
    .formula(assumptions=("ring all-reduce", "one layer, one micro-batch"))
)
tensor_ratio = (
    Derivation.start(
        r,
        (8 * (t - 1) / t * b * s * h * w / beta) / (36 * phi * b * s * h**2 / (t * P)),
        "traffic over computing of a layer: $12h^2$ weights, one multiply-add per token forward and two backward",
        kind="model",
    )
    .rewrite(2 * (t - 1) * w * P / (9 * phi * h * beta), "batch, sequence and one $h$ cancel", routine=True)
    .formula(assumptions=("MLP four times as wide as the model", "attention scores left out", "nothing overlaps"))
)

tensor_degree = (
    Derivation.start(tensor_ratio)
    .solve_for(t, 1 + 9 * phi * h * beta * r / (2 * w * P), "linear in the degree", as_symbol=t_r)
    .formula(convention="round down")
)

# --- sharded weights ----------------------------------------------------------------------

traffic_plain = (
    Derivation.start(
        V_0,
        (d - 1) / d * Psi * w_g + (d - 1) / d * Psi * w_g,
        "an all-reduce is a reduce-scatter and an all-gather",
        kind="model",
        routine=True,
    )
    .rewrite(
        2 * (1 - 1 / d) * Psi * w_g,
        "stage 1 sends the same, the gather just comes after the update",
        display_form=2 * (1 - 1 / d) * Psi * w_g,
        routine=True,
    )
    .formula(assumptions="weights and gradients have the same width", convention="sent by one device in one step")
)
traffic_sharded = Formula(
    V,
    (d - 1) / d * Psi * (2 * w_p + w_g),
    assumptions="one micro-batch a step: weights are gathered forward and again backward, gradients are scattered once",
    convention="ZeRO stage 3, or fully sharded data parallelism; sent by one device in one step",
)
scattered = Formula(
    V,
    (d - 1) / d * Psi * (m * w_g + w_p),
    assumptions="gradients are reduce-scattered after every micro-batch, because no device stores all of them; new weights are gathered once",
    convention="ZeRO stage 2; sent by one device in one step",
)
price_of_scattering = (
    Derivation.start(r, V / V_0, "stage 2 over plain data parallelism, which adds up once a step")
    .apply({V: scattered, V_0: traffic_plain}, "both in full", routine=True)
    .apply({w_g: w_p}, "weights and gradients of the same width")
    .rewrite(
        (m + 1) / 2,
        "DP degree and model size cancel: m reduce-scatters and an all-gather, over one of each",
        routine=True,
    )
    .formula()
)
price_of_sharding = (
    Derivation.start(r, V / V_0, "stage 3 over plain data parallelism")
    .apply({V: traffic_sharded, V_0: traffic_plain}, "both in full", routine=True)
    .apply({w_g: w_p}, "weights and gradients of the same width")
    .rewrite(Rational(3, 2), "half as much again, whatever the model", routine=True)
    .formula()
)
sharding_tokens = (
    Derivation.balance(
        phi * n_x * Psi / P,
        w_p * Psi / beta,
        "a forward pass computes as long as its weights are gathered",
        routine=True,
    )
    .solve_for(n_x, w_p * P / (phi * beta), "the model cancels", routine=True)
    .formula(
        assumptions=("many devices", "gathering and computing overlap"),
        convention="per device; with a axes of a torus, a times the bandwidth",
    )
)
mixed_traffic = Formula(
    T_x,
    2 * w * h * f * X / (N * a_X * beta) + 2 * w * n_a * h / (X * a_Y * beta),
    assumptions="two matrices, weights sharded X ways, activations N/X ways, one after the other",
    convention="bandwidth of what a device sends along one axis of the mesh, over both of its links",
)
best_sharding = (
    Derivation.minimise(
        mixed_traffic, over=X, why="more shards mean more weights to gather, fewer mean more activations", routine=True
    )
    .slope(
        2 * w * h * f / (N * a_X * beta) - 2 * w * n_a * h / (X**2 * a_Y * beta),
        "differentiate term by term",
        routine=True,
    )
    .root(sqrt(n_a * N * a_X / (f * a_Y)), "the two terms balance", as_symbol=X_opt)
    .curvature(4 * w * n_a * h / (X**3 * a_Y * beta), "positive, a minimum", routine=True)
    .formula(assumptions=("weights and activations both sharded", "numbers of devices need not be whole"))
)

# --- worked examples -------------------------------------------------------------------------

page_4_16 = Example(bubble, {p: "4", m: "16"}, expect=facts.page_bubble_4_16, source="the reference page: 3/19")
page_4_16_2 = Example(
    bubble_chunks,
    {p: "4", m: "16", v: "2"},
    expect=facts.page_bubble_4_16_2,
    rtol=0.004,
    source="the reference page: 3/35",
)
page_8_32 = Example(
    bubble, {p: "8", m: "32"}, expect=facts.page_bubble_8_32, rtol=0.003, source="the reference page: 7/39"
)
page_16_16 = Example(bubble, {p: "16", m: "16"}, expect=facts.page_bubble_16_16, source="the reference page: 15/31")
page_16_16_ideal = Example(to_ideal, {x: "48.387 %"})
page_nineteen = Example(
    micro_batches_for_bubble, {p: "2"}, expect=facts.page_rule, rtol=1e-12, source="the reference page, section 2.4"
)
micro_batch = Example(best_micro_batch, {B: "128", p: "8", t_0: "4 ms", t_b: "6 ms"})
tensor_nvlink = Example(
    tensor_ratio,
    {t: "8", w: "2 B", phi: hardware.fma_work, h: "8192", P: hardware.h100_bf16, beta: hardware.h100_nvlink},
)
tensor_nic = Example(
    tensor_ratio, {t: "8", w: "2 B", phi: hardware.fma_work, h: "8192", P: hardware.h100_bf16, beta: hardware.ndr_port}
)
degree_nvlink = Example(
    tensor_degree,
    {r: "0.5", w: "2 B", phi: hardware.fma_work, h: "8192", P: hardware.h100_bf16, beta: hardware.h100_nvlink},
)
degree_nic = Example(
    tensor_degree,
    {r: "0.5", w: "2 B", phi: hardware.fma_work, h: "8192", P: hardware.h100_bf16, beta: hardware.ndr_port},
)
tokens_v5p = Example(
    sharding_tokens,
    {w_p: "2 B", phi: hardware.fma_work, P: hardware.tpu_v5p_bf16, beta: facts.scaling_ici},
    expect=facts.scaling_tokens,
    rtol=1e-9,
    source="How to Scale Your Model, training: C/W",
)
tokens_h100 = Example(
    sharding_tokens, {w_p: "2 B", phi: hardware.fma_work, P: hardware.h100_bf16, beta: hardware.ndr_port}, digits=5
)
shards_64 = Example(
    best_sharding,
    {n_a: "48000", N: "64", f: "32768", a_X: "2", a_Y: "1"},
    expect=facts.scaling_shards,
    rtol=0.016,
    source="How to Scale Your Model, training; √187.5 = 13.69",
)

overhead_8 = Example(overhead, {eta: facts.page_rate_8})
overhead_64 = Example(overhead, {eta: facts.page_rate_64})
overhead_1024 = Example(overhead, {eta: facts.page_rate_1024})
overhead_8192 = Example(overhead, {eta: facts.page_rate_8192})
plain_70b = Example(traffic_plain, {Psi: "70e9", w_g: "2 B", d: "1024"})
scattered_4 = Example(price_of_scattering, {m: "4"})
handed_on = Example(stage_traffic, {m: "32", v: "1", b: "1", s: "2048", h: "8192", w: "2 B"})
in_layers = Example(tensor_traffic, {b: "32", s: "2048", h: "8192", w: "2 B", t: "8"})

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
