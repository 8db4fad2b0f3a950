"""Training: how many parameters, how much arithmetic, how long, and how well the machine was used."""

import functools

from sympy import Add, Mul, Rational

from mathcore import Derivation, Example, Formula, One, Variable
from mathcore.chapters import before_you_start, hardware, models
from mathcore.teaching import read_calculators, read_exercises, read_tasks

FLOP, token = One("FLOP"), One("token")

# --- symbols: the shape of a model ---------------------------------------------------------

l = Variable("l", "", "layers", alias="layers", low="1", high="1000", integer=True)
h = Variable("h", "", "width of the model", alias="hidden_size", low="64", high="100000", integer=True)
n_q = Variable("n_q", "", "query heads", alias="query_heads", tex=r"n_{\mathrm{q}}", low="1", high="1000", integer=True)
n_kv = Variable(
    "n_kv", "", "key-value heads", alias="kv_heads", tex=r"n_{\mathrm{kv}}", low="1", high="1000", integer=True
)
d = Variable(
    "d", "", "width of one head", alias="head_size", low="8", high="1024", integer=True, tex=r"d_{\mathrm{head}}"
)
f = Variable("f", "", "width of the MLP", alias="ffn_size", low="64", high="500000", integer=True)
j = Variable("j", "", "matrices of the MLP", low="1", high="4", integer=True)
r = Variable("r", "", "norm and bias weights of a layer, in widths", low="0", high="20", zero=True, integer=True)
r_0 = Variable("r_0", "", "norm weights outside the layers, in widths", low="0", high="8", zero=True, integer=True)
V = Variable("V", "", "rows of the embedding", alias="vocabulary", low="100", high="1000000", integer=True)
z = Variable("z", "", "1 if the output shares the embedding, else 0", low="0", high="1", zero=True, integer=True)
p = Variable("p", "", "learned positions", low="0", high="1000000", zero=True, integer=True)
N_a = Variable("N_a", "", "weights of one layer's attention", tex=r"N_{\mathrm{att}}")
N_m = Variable("N_m", "", "weights of one layer's MLP", tex=r"N_{\mathrm{mlp}}")
N_l = Variable("N_l", "", "weights of one layer", tex=r"N_{\mathrm{layer}}")
N_b = Variable("N_b", "", "parameters without embeddings", tex=r"N_{\mathrm{body}}")
N_s = Variable("N_s", "", "values stored", tex=r"N_{\mathrm{stored}}")
N = Variable("N", "", "parameters", alias="parameters", low="1000", high="1000000000000000")

# --- symbols: work and time ----------------------------------------------------------------

s = Variable("s", "", "positions of a sequence", alias="sequence_length", low="1", high="10000000", integer=True)
m = Variable("m", "", "sequences in a batch", alias="batch", low="1", high="1000000", integer=True)
D = Variable(
    "D", "token", "training tokens", alias="tokens", display_unit="Ttoken", low="1 token", high="100000000 Ttoken"
)
k = Variable(
    "k",
    "FLOP/token",
    "operations per parameter and token",
    alias="compute_per_parameter_and_token",
    low="1 FLOP/token",
    high="20 FLOP/token",
)
k_f = Variable("k_f", "FLOP/token", "operations of the forward pass", tex=r"k_{\mathrm{fwd}}")
k_x = Variable("k_x", "FLOP/token", "operations for the gradient of the inputs", tex=r"k_{\mathrm{input}}")
k_w = Variable("k_w", "FLOP/token", "operations for the gradient of the weights", tex=r"k_{\mathrm{weight}}")
k_8 = Variable("k_8", "FLOP/token", "operations with full recomputation", tex=r"k_{\mathrm{re}}")
C = Variable("C", "FLOP", "training compute", alias="compute", display_unit="YFLOP", low="1 FLOP", high="1000000 YFLOP")
C_1 = Variable("C_1", "FLOP", "training compute per parameter", display_unit="TFLOP")
w = Variable(
    "w",
    "FLOP/token",
    "operations per token",
    alias="compute_per_token",
    display_unit="TFLOP/token",
    low="1 MFLOP/token",
    high="1000 TFLOP/token",
)
w_c = Variable(
    "w_c", "FLOP/token", "work of one token, causal attention", tex=r"w_{\mathrm{c}}", display_unit="TFLOP/token"
)
F_l = Variable("F_l", "FLOP", "forward work of one layer", tex=r"F_{\mathrm{layer}}", display_unit="TFLOP")
F = Variable("F", "FLOP", "model work of one iteration", display_unit="EFLOP")
F_H = Variable(
    "F_H",
    "FLOP",
    "work of one iteration with recomputation",
    tex=r"F_{\mathrm{re}}",
    display_unit="EFLOP",
    low="1 FLOP",
    high="1000000 YFLOP",
)
rho = Variable("rho", "", "exact compute over 6 N D", tex=r"\rho")
n = Variable("n", "gpu", "devices", alias=("devices", "ranks"), low="1 gpu", high="10000000 gpu", integer=True)
P = Variable(
    "P",
    "FLOP/s/gpu",
    "peak rate of one device, dense",
    alias="peak",
    display_unit="TFLOP/s/gpu",
    low="1 GFLOP/s/gpu",
    high="100 PFLOP/s/gpu",
)
X = Variable(
    "X",
    "FLOP/s/gpu",
    "rate reached by one device",
    alias="attained_rate",
    display_unit="TFLOP/s/gpu",
    low="1 MFLOP/s/gpu",
    high="100 PFLOP/s/gpu",
)
R = Variable(
    "R", "FLOP/s", "throughput of the whole cluster", display_unit="PFLOP/s", low="1 MFLOP/s", high="1000 YFLOP/s"
)
v = Variable("v", "token/s", "throughput", alias="throughput", low="0.001 token/s", high="1000000000000 token/s")
v_1 = Variable(
    "v_1",
    "token/s/gpu",
    "throughput of one device",
    alias="throughput",
    low="0.001 token/s/gpu",
    high="1000000 token/s/gpu",
)
u = Variable("u", "", "model FLOPs utilisation, MFU", alias="mfu", display_unit="%", low="0.1 %", high="100 %")
u_H = Variable(
    "u_H", "", "hardware FLOPs utilisation, HFU", tex=r"u_{\mathrm{HFU}}", display_unit="%", low="0.1 %", high="100 %"
)
t = Variable(
    "t",
    "s",
    "training time",
    alias="training_time",
    display_unit="d",
    low="1 s",
    high="1000000 year",
    tex=r"t_{\mathrm{run}}",
)
t_i = Variable(
    "t_i", "s", "time of one iteration", alias="iteration_time", tex=r"t_{\mathrm{it}}", low="1 ms", high="1 d"
)
H = Variable("H", "gpu h", "device-hours", alias="device_hours", low="0.001 gpu h", high="1000000000000 gpu h")
D_s = Variable("D_s", "token/gpu", "tokens of one step on one device", tex=r"D_{\mathrm{step}}")
n_1 = Variable("n_1", "gpu", "devices of the first phase", low="1 gpu", high="10000000 gpu", integer=True)
n_2 = Variable("n_2", "gpu", "devices of the second phase", low="1 gpu", high="10000000 gpu", integer=True)
t_1 = Variable("t_1", "s", "time of the first phase", display_unit="h", low="1 s", high="1000 year")
t_2 = Variable("t_2", "s", "time of the second phase", display_unit="h", low="1 s", high="1000 year")
q = Variable(
    "q",
    "gpu h/token",
    "device-hours for each token",
    display_unit="gpu h/Ttoken",
    low="1 gpu h/Ttoken",
    high="1000000000 gpu h/Ttoken",
)
c = Variable(
    "c",
    "USD/(gpu h)",
    "price of a device-hour",
    alias="price_per_hour",
    low="0.01 USD/(gpu h)",
    high="1000 USD/(gpu h)",
)
K = Variable("K", "USD", "cost")

# --- counting parameters -------------------------------------------------------------------

attention = (
    Derivation.start(
        N_a,
        Add(h * d * n_q, h * d * n_kv, h * d * n_kv, d * n_q * h, evaluate=False),
        "queries from every head, keys and values from the heads that have them, and the way back to the width",
        kind="model",
    )
    .rewrite(2 * h * d * (n_q + n_kv), "query and output matrix are of one size, key and value matrix too")
    .formula(kind="model", assumptions="attention by heads, all of one width")
)
mlp = Formula(N_m, j * h * f, assumptions="two matrices, or three if one of them opens a gate")
layer = (
    Derivation.start(
        N_l, N_a + N_m + r * h, "a layer is attention, MLP, and a few vectors: norms and biases", kind="model"
    )
    .apply({N_a: attention, N_m: mlp}, "put both in", routine=True)
    .formula(assumptions="a dense model, every layer alike")
)
count = (
    Derivation.start(
        N,
        (2 - z) * V * h + p * h + l * N_l + r_0 * h,
        "the embedding, once or twice; learned positions; the layers; the last norm",
        kind="model",
    )
    .apply(layer, "the weights of a layer")
    .rewrite(
        h * ((2 - z) * V + p + r_0 + l * (2 * d * (n_q + n_kv) + j * f + r)), "every term has the width as a factor"
    )
    .formula(convention="trainable parameters, embeddings included")
)
PLAIN = {n_kv: n_q, d: h / n_q, f: 4 * h, j: 2, r: 13}
plain_layer = (
    Derivation.start(layer)
    .apply(
        PLAIN,
        "the classic shape: heads of one kind that fill the width, an MLP four times as wide, 9 bias and 4 norm vectors",
    )
    .formula(assumptions="as in GPT-2: $n_{\\mathrm{kv}} = n_{\\mathrm{q}}$, $f = 4h$, two matrices, biases")
)
body = (
    Derivation.start(N_b, l * N_l + 2 * h, "the layers and the last norm with its bias", kind="model")
    .apply(plain_layer, "the classic layer")
    .rewrite(12 * l * h**2 + 13 * l * h + 2 * h, "multiply out", routine=True)
    .formula(assumptions="the shape of GPT-2", convention="without embeddings")
)
megatron_count = (
    Derivation.start(N, l * N_l + V * h + p * h, "layers, one embedding for both ends, learned positions", kind="model")
    .apply(plain_layer, "the classic layer")
    .rewrite(
        12 * l * h**2 * (1 + 13 / (12 * h) + (V + p) / (12 * l * h)),
        "in front stand the matrices; the bracket says how little the rest is",
    )
    .formula(assumptions="the shape of GPT-2", convention="as Megatron counts: without the last norm")
)
stored = Formula(
    N_s,
    N + l * d / 2,
    assumptions="each layer's file also holds the rotary frequencies, half a head of them",
    convention="values in the files, not trainable parameters",
)

# --- work per parameter and token ----------------------------------------------------------

forward = Formula(
    k_f,
    2 * FLOP / token,
    assumptions="each weight of a matrix is multiplied once and added once for each token",
    convention="one multiplication and one addition are two FLOP",
)
backward_input = Formula(
    k_x,
    2 * FLOP / token,
    assumptions="the gradient goes back through the same matrix: one multiplication, one addition",
)
backward_weight = Formula(
    k_w,
    2 * FLOP / token,
    assumptions="each weight gathers gradient times input over the tokens: one multiplication, one addition",
)
DOMINATE = "matrices dominate: attention scores, norms and the optimizer are left out"
six = (
    Derivation.start(k, k_f + k_x + k_w, "one pass forward, two backward", kind="model")
    .apply({k_f: forward, k_x: backward_input, k_w: backward_weight}, "two FLOP each")
    .formula(assumptions=DOMINATE)
)
eight = (
    Derivation.start(k_8, k + k_f, "full recomputation runs the forward pass a second time", kind="model")
    .apply({k: six, k_f: forward}, "six, and two again")
    .formula(assumptions="all activations are recomputed", convention="hardware FLOPs")
)
work = Formula(
    C,
    k * N * D,
    kind="definition",
    assumptions="every parameter works on every token",
    convention="k = 6 FLOP/token counts the model's work, 8 the hardware's",
)
compute = (
    Derivation.start(work)
    .apply({k: six}, "forward and backward", display_form=Mul(6 * FLOP / token, N, D, evaluate=False))
    .formula(assumptions="a dense model; sequences short against $12\\,h$", convention="model FLOPs")
)
compute_halves = (
    Derivation.start(C, k * (N / 2) * D, "encoder and decoder: a token meets one of two halves", kind="model")
    .apply({k: six}, "forward and backward")
    .formula(assumptions="encoder and decoder of one size, as many tokens for each", convention="model FLOPs")
)
work_per_parameter = Formula(C_1, C / N, kind="definition")

# --- work of one iteration -----------------------------------------------------------------

layer_work = (
    Derivation.start(
        F_l,
        2 * FLOP * Add(3 * m * s * h**2, m * s**2 * h, m * s**2 * h, m * s * h**2, 8 * m * s * h**2, evaluate=False),
        "multiply-adds of queries, keys and values; scores; weighted values; output; MLP",
        kind="model",
    )
    .rewrite(24 * FLOP * m * s * h**2 * (1 + s / (6 * h)), "take out the matrices; the scores are the bracket's rest")
    .formula(
        kind="model",
        assumptions="the shape of GPT-2",
        convention="scores of all pairs, also of those that the mask hides",
    )
)
iteration = (
    Derivation.start(F, 3 * l * F_l + 6 * FLOP * m * s * h * V, "three passes through layers and logits", kind="model")
    .apply(layer_work, "the layers")
    .rewrite(
        72 * FLOP * m * s * l * h**2 * (1 + s / (6 * h) + V / (12 * l * h)),
        "matrices in front, scores and logits in the bracket",
    )
    .formula(convention="model FLOPs, scores of all pairs")
)
iteration_recomputed = (
    Derivation.start(
        F_H,
        4 * l * F_l + 6 * FLOP * m * s * h * V,
        "four passes through the layers, three through the logits: they are not recomputed",
        kind="model",
    )
    .apply(layer_work, "the layers")
    .rewrite(
        96 * FLOP * m * s * l * h**2 * (1 + s / (6 * h) + V / (16 * l * h)),
        "matrices in front, scores and logits in the bracket",
    )
    .formula(assumptions="all activations recomputed", convention="hardware FLOPs, scores of all pairs")
)
iteration_rate = Formula(X, F_H / (n * t_i), kind="definition", convention="hardware FLOPs")
exact_ratio = (
    Derivation.start(
        rho,
        3
        * l
        * Add(
            6 * s * h * n_q * d, 4 * s**2 * n_q * d, 3 * n_q * s**2, 2 * s * n_q * d * h, 4 * s * h * f, evaluate=False
        )
        / (6 * N * s),
        "three passes through projections, scores and values, softmax, output and MLP; against six per parameter",
        kind="model",
    )
    .rewrite(l * (2 * n_q * d * (2 * h + s) + 3 * n_q * s / 2 + 2 * h * f) / N, "the sequence cancels once")
    .formula(assumptions="softmax counted with three FLOP for each pair", convention="without embedding and logits")
)
token_work = (
    Derivation.start(
        w,
        k * N + 3 * 2 * 2 * FLOP / token * l * n_q * d * s,
        "parameters; then scores and values of every layer, three passes",
        kind="model",
    )
    .apply({k: six}, "six for each parameter")
    .formula(
        assumptions="every token looks at all s positions",
        drops_assumptions=DOMINATE,
        convention="model FLOPs, scores of all pairs",
    )
)
plain_body = Formula(N, 12 * l * h**2, assumptions="the shape of GPT-2, embeddings and biases left out")
token_work_causal = (
    Derivation.start(
        w_c, k * N + 6 * FLOP / token * l * h * s, "a token looks back only: half of the pairs", kind="model"
    )
    .apply({k: six}, "six for each parameter")
    .apply(plain_body, "layers from the count $N = 12\\,l\\,h^2$", eliminating=l)
    .rewrite(6 * FLOP / token * N * (1 + s / (12 * h)), "what attention adds depends on s against h alone")
    .formula(drops_assumptions=DOMINATE, convention="model FLOPs, causal attention")
)

# --- rate, utilisation, time ---------------------------------------------------------------

utilisation = Formula(
    u, X / P, kind="definition", convention="of the dense peak; MFU if X counts the model's work, HFU if it counts all"
)
total_rate = Formula(R, n * X, kind="definition")
mfu = Formula(
    u,
    k * N * v / (n * P),
    kind="definition",
    convention="MFU with k = 6 FLOP/token: attention left out, of the dense peak",
)
mfu_attention = Formula(
    u, w * v / (n * P), kind="definition", convention="MFU with the work of attention, of the dense peak"
)
hfu = (
    Derivation.start(u_H, u * k_8 / k, "the same time, more work counted")
    .apply({k: six, k_8: eight}, "eight against six")
    .formula(domain=(u <= Rational(3, 4),))
)
time = (
    Derivation.start(t, C / (n * P * u), "compute over the rate that the cluster sustains")
    .apply({C: compute}, "six for each parameter and token")
    .formula(convention="time at work, stops left out; MFU, of the dense peak")
)
time_recomputed = (
    Derivation.start(t, C / (n * X), "work over rate, both with what is recomputed")
    .apply({C: work}, "k for each parameter and token")
    .apply({k: eight}, "full recomputation")
    .formula(convention="time at work, stops left out; hardware FLOPs")
)
time_at_rate = Formula(t, C / R, kind="definition", convention="time at work, stops left out")
time_of_tokens = Formula(t, D / v, kind="definition", assumptions="the throughput is kept all the time")
pace = Formula(v, n * v_1, kind="definition")
device_hours = (
    Derivation.start(
        H,
        before_you_start.device_hours.renamed({before_you_start.N: n, before_you_start.t: t}),
        "all devices are held for the whole time",
    )
    .apply({t: time}, "the number of devices cancels: more of them finish earlier, not cheaper")
    .formula(
        assumptions="the utilisation does not depend on the number of devices", convention="MFU, of the dense peak"
    )
)
mfu_of_hours = (
    Derivation.start(device_hours)
    .solve_for(u, 6 * FLOP / token * N * D / (P * H), "utilisation and device-hours change places")
    .formula(assumptions="the hours are those of the run alone", convention="MFU, of the dense peak stated")
)
hours_of_phases = Formula(H, n_1 * t_1 + n_2 * t_2, kind="definition")
hours_of_tokens = Formula(H, q * D, kind="definition")
tokens_of_step = Formula(
    D_s,
    m * s * token / n,
    kind="definition",
    assumptions="the sequences of a batch are shared out evenly over the devices",
)
rate_of_run = Formula(X, C / (n * t), kind="definition", convention="model or hardware FLOPs, as C counts them")
cost = Formula(K, c * H, kind="definition", assumptions="every hour has one price")

# --- worked examples: counts ---------------------------------------------------------------

SHAPE = {
    l: "layers",
    h: "hidden",
    n_q: "heads",
    n_kv: "kv_heads",
    d: "head_dim",
    f: "ffn",
    j: "matrices",
    r: "vectors",
    r_0: "last",
    V: "vocabulary",
    z: "tied",
    p: "positions",
}
HUB = {"unit": "", "digits": 4, "source": "total of the files on the Hugging Face Hub"}
shape = functools.partial(models.of, symbols=SHAPE)

ptdp_sequence = Example(iteration_recomputed, {m: "1", s: "2048", l: "96", h: "12288", V: "51200"})
count_gpt2 = Example(count, shape("gpt2_small"), models.gpt2_small_parameters, 0, **HUB)
count_gpt2_xl = Example(count, shape("gpt2_xl"), models.gpt2_xl_parameters, 0, **HUB)
count_mistral = Example(count, shape("mistral_7b"), models.mistral_7b_parameters, 0, **HUB)
count_falcon = Example(count, shape("falcon_180b"), models.falcon_180b_parameters, 0, **HUB)
count_llama31_70b = Example(count, shape("llama31_70b"), models.llama31_70b_parameters, 0, **HUB)
count_olmo2_13b = Example(count, shape("olmo2_13b"), models.olmo2_13b_parameters, 0, **HUB)

# --- worked examples: work -----------------------------------------------------------------

A100, H100 = hardware.a100_bf16, hardware.h100_bf16
V5P, H100_FP8 = hardware.tpu_v5p_bf16, hardware.h100_fp8
S_2048 = {s: "2048"}
six_flop = Example(six, {})
compute_gpt3 = Example(
    compute,
    {N: models.gpt3_175b_parameters, D: models.gpt3_tokens},
    expect=models.gpt3_compute,
    rtol=0.002,
    source="Brown 2020, Table D.1",
)
token_palm = Example(
    token_work,
    {N: models.palm_540b_parameters, **S_2048, **models.of("palm_540b", {l: "layers", n_q: "heads", d: "head_dim"})},
)
token_megascale = Example(
    token_work_causal, {N: models.megascale_parameters, **S_2048, **models.of("gpt3_175b", {h: "hidden"})}
)

# --- worked examples: use of the machine ---------------------------------------------------

PALM = {n: models.palm_devices, P: models.palm_peak, v: models.palm_throughput}
mfu_palm = Example(mfu_attention, {w: token_palm, **PALM}, expect=models.palm_mfu, source="Chowdhery 2022, Table 3")
mfu_palm_plain = Example(
    mfu,
    {k: six_flop, N: models.palm_540b_parameters, **PALM},
    expect=models.palm_mfu_plain,
    source="Chowdhery 2022, section 4.1",
)
mfu_megascale = Example(
    mfu_attention,
    {w: token_megascale, n: models.megascale_devices, P: A100, v: models.megascale_throughput},
    expect=models.megascale_mfu,
    rtol=0.004,
    source="Jiang 2024, Table 2",
)
mfu_llama = Example(
    utilisation, {X: models.llama31_rate, P: H100}, expect=models.llama31_mfu, rtol=0.015, source="Llama 3, Table 4"
)
DEEPSEEK = {N: models.deepseek_v3_active, D: models.deepseek_v3_tokens, H: models.deepseek_v3_hours}
mfu_deepseek = Example(mfu_of_hours, {**DEEPSEEK, P: H100})
mfu_deepseek_fp8 = Example(mfu_of_hours, {**DEEPSEEK, P: H100_FP8})
mfu_llama_hours = Example(
    mfu_of_hours, {N: models.llama31_405b_parameters, D: models.llama31_tokens, H: models.llama31_405b_hours, P: H100}
)
# The hours of a model card hold what was tried, stopped and trained afterwards, too.
mfu_llama_8b = Example(
    mfu_of_hours, {N: models.llama31_8b_parameters, D: "15 Ttoken", H: models.llama31_8b_hours, P: H100}
)
hfu_quarter = Example(hfu, {u: "45 %"})
time_page = Example(time, {N: "175e9", D: models.gpt3_tokens, n: "1024 gpu", P: A100, u: "50 %"})

# --- explorer ------------------------------------------------------------------------------

time_of_work = Formula(t, C / (n * P * u), kind="definition", convention="time at work, stops left out")
time_at_peak = Formula(t, C / (n * P), kind="definition", assumptions="every device at its peak")
hours_of_work = Formula(H, C / (P * u), kind="definition", assumptions="the utilisation does not depend on n")
calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
