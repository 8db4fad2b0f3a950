"""Serving: does the model fit, how fast does it answer, and what does a token cost?"""

from sympy import Add, Eq, Mod, ceiling, floor

from mathcore import Derivation, Example, Formula, Max, One, Variable
from mathcore.chapters import hardware, models
from mathcore.chapters.training import FLOP, D, N, P, d, l, n, n_kv, n_q, token
from mathcore.teaching import read_calculators, read_exercises, read_tasks

byte, gpu = One("B"), One("gpu")

# --- symbols: N, P, n, l, n_q, n_kv, d and D are those of the training chapter -------------

w = Variable("w", "B", "bytes of one weight", alias="bytes_per_weight", low="0.25 B", high="8 B")
e = Variable("e", "B", "bytes of one cached value", alias="bytes_per_value", low="0.25 B", high="8 B")
W = Variable("W", "B", "memory of the weights", display_unit="GB", low="1 MB", high="1 PB")
kappa = Variable(
    "kappa",
    "B/token",
    "KV cache per token",
    alias="cache_per_token",
    tex=r"\kappa",
    display_unit="kB/token",
    low="10 B/token",
    high="100 MB/token",
)
kappa_q = Variable(
    "kappa_q",
    "B/token",
    "KV cache per token, a key for each query head",
    tex=r"\kappa_{\mathrm{MHA}}",
    display_unit="kB/token",
)
b_p = Variable("b_p", "token", "tokens of a page", tex=r"b_{\mathrm{page}}", low="1 token", high="1000000 token")
kappa_c = Variable(
    "kappa_c", "B/token", "KV cache per token, latent", tex=r"\kappa_{\mathrm{MLA}}", display_unit="kB/token"
)
d_c = Variable("d_c", "", "width of the latent vector", tex=r"d_{\mathrm{c}}", low="16", high="16384", integer=True)
d_r = Variable(
    "d_r", "", "width of the rotary key", tex=r"d_{\mathrm{r}}", low="0", high="1024", zero=True, integer=True
)
x_g = Variable("x_g", "", "saving by shared keys and values", tex=r"x_{\mathrm{GQA}}")
x_c = Variable("x_c", "", "saving by a latent cache", tex=r"x_{\mathrm{MLA}}")
S = Variable("S", "token", "tokens of one request in the cache", alias="context", low="1 token", high="100 Mtoken")
B = Variable("B", "", "requests in the batch", alias="batch", low="1", high="100000", count=True)
K = Variable("K", "B", "memory of the cache", display_unit="GB", low="1 B", high="1 EB")
Q = Variable("Q", "B", "memory of weights and cache", display_unit="GB", low="1 B", high="1 EB")
M = Variable(
    "M", "B/gpu", "memory of one device", alias="memory", display_unit="GB/gpu", low="1 GB/gpu", high="10 TB/gpu"
)
n_min = Variable("n_min", "gpu", "devices that hold weights and cache", tex=r"n_{\min}")
B_m = Variable("B_m", "", "requests that fit", tex=r"B_{\mathrm{fit}}")
beta = Variable(
    "beta",
    "B/s/gpu",
    "memory bandwidth of one device",
    alias="memory_bandwidth",
    tex=r"\beta",
    display_unit="GB/s/gpu",
    low="1 GB/s/gpu",
    high="1 PB/s/gpu",
)
S_p = Variable(
    "S_p", "token", "tokens of the prompt", alias="prompt", tex=r"S_{\mathrm{p}}", low="1 token", high="100 Mtoken"
)
u = Variable(
    "u", "", "utilisation of the peak during prefill", alias="mfu", display_unit="%", low="0.1 %", high="100 %"
)
t_0 = Variable("t_0", "s", "overhead of launching a pass", display_unit="ms", low="0 s", high="10 s", zero=True)
T = Variable("T", "s", "time to the first token, with no other request", display_unit="ms", low="1 us", high="1 d")
T_a = Variable("T_a", "s", "time to the first token with attention", tex=r"T_{\mathrm{att}}", display_unit="ms")
y_a = Variable("y_a", "", "attention's work over that of the weights", tex=r"y_{\mathrm{att}}", display_unit="%")
t_w = Variable("t_w", "s", "time to read the weights", tex=r"t_{\mathrm{w}}", display_unit="ms")
t_f = Variable("t_f", "s", "time of the arithmetic", tex=r"t_{\mathrm{mul}}", display_unit="ms")
t_k = Variable("t_k", "s", "time to read the cache", tex=r"t_{\mathrm{kv}}", display_unit="ms")
t = Variable("t", "s", "time between two tokens", alias="step_time", display_unit="ms", low="1 us", high="1 d")
B_c = Variable(
    "B_c", "", "batch at which arithmetic takes as long as memory traffic", tex=r"B_{\ast}", low="0.01", high="1000000"
)
B_h = Variable("B_h", "", "batch whose cache is as large as the weights", tex=r"B_{\mathrm{half}}")
v = Variable("v", "token/s", "throughput", alias="throughput", low="0.001 token/s", high="1000000000 token/s")
v_max = Variable("v_max", "token/s", "upper limit of the throughput at any batch", tex=r"v_{\max}")
y_m = Variable("y_m", "", "memory needed over memory available", tex=r"y_{\mathrm{mem}}", display_unit="%")
y = Variable("y", "", "share of that throughput", display_unit="%")
c = Variable(
    "c",
    "USD/(gpu h)",
    "price of a device-hour",
    alias="price_per_hour",
    low="0.01 USD/(gpu h)",
    high="1000 USD/(gpu h)",
)
p = Variable(
    "p",
    "USD/token",
    "price of a token",
    alias="price_per_token",
    display_unit="USD/Mtoken",
    low="0.00001 USD/Mtoken",
    high="1000000 USD/Mtoken",
)
D_i = Variable(
    "D_i",
    "token",
    "tokens served",
    tex=r"D_{\mathrm{serve}}",
    display_unit="Ttoken",
    low="1 token",
    high="100000000 Ttoken",
)
C_r = Variable("C_r", "USD", "cost of the training", tex=r"C_{\mathrm{train}}", low="1 USD", high="100000000000 USD")
t_e = Variable(
    "t_e", "s", "time until serving has cost as much as training", tex=r"t_{\mathrm{even}}", display_unit="d"
)

# --- the cache -----------------------------------------------------------------------------

cache_per_token = (
    Derivation.start(
        kappa,
        l * Add(n_kv * d * e, n_kv * d * e, evaluate=False) / token,
        "in each layer, each key-value head stores one key and one value per token",
        kind="model",
    )
    .rewrite(2 * l * n_kv * d * e / token, "key and value have the same size")
    .formula(kind="model", assumptions="every layer keeps all tokens")
)
cache_full = (
    Derivation.start(kappa_q, kappa, "with a key and a value for each query head")
    .apply({kappa: cache_per_token}, "the KV cache per token")
    .apply({n_kv: n_q}, "as many key-value heads as query heads")
    .formula(assumptions="multi-head attention")
)
sharing = (
    Derivation.start(x_g, kappa_q / kappa, "cache with and without a key for each query head")
    .apply({kappa_q: cache_full, kappa: cache_per_token}, "layers, widths and bytes cancel", routine=True)
    .formula(assumptions="grouped-query attention", domain=(Eq(Mod(n_q, n_kv), 0),))
)
cache_latent = Formula(
    kappa_c,
    l * (d_c + d_r) * e / token,
    assumptions="each layer keeps one latent vector and one rotary key for all heads together",
)
latent_saving = (
    Derivation.start(x_c, kappa_q / kappa_c, "cache of multi-head attention over a latent one")
    .apply({kappa_q: cache_full, kappa_c: cache_latent}, "layers and bytes cancel", routine=True)
    .formula(assumptions="the same heads in both")
)
paged = Formula(
    K,
    kappa * b_p * ceiling(S / b_p) * B,
    assumptions="memory is allocated in pages as a sequence grows; requests of one length",
    convention="the last page counts as full",
)
cache = Formula(K, kappa * S * B, kind="definition", assumptions="no tokens are shared between requests")

# --- does it fit? --------------------------------------------------------------------------

weights = Formula(W, w * N, kind="definition", convention="every parameter, also those of idle experts")
memory = (
    Derivation.start(Q, W + K, "the weights once, and a cache for each request", kind="model")
    .apply({W: weights, K: cache}, "put both in", routine=True)
    .formula(assumptions="activations and buffers are small")
)
devices = (
    Derivation.start(
        n_min, gpu * ceiling(Q / (M * gpu)), "whole devices, over which everything is split evenly", kind="model"
    )
    .apply({Q: memory}, "what they must hold")
    .formula(assumptions="weights and cache can be split evenly")
)
room = (
    Derivation.balance(n * M, Q, "the memory is full")
    .apply({Q: memory}, "weights and cache")
    .solve_for(B, (n * M - w * N) / (kappa * S), "the memory that the weights leave, over the cache of one request")
    .formula(domain=(w * N < n * M,))
)
requests = Formula(
    B_m,
    floor((n * M - w * N) / (kappa * S)),
    assumptions="whole requests, each with its full cache",
    domain=(w * N < n * M,),
)

# --- reading the prompt --------------------------------------------------------------------

prefill = Formula(
    T,
    2 * FLOP / token * N * S_p * B / (n * P * u) + t_0,
    assumptions=(
        "prompts long enough for arithmetic to limit",
        "attention small: $S_{\\mathrm{p}}$ small against 12 widths",
    ),
    convention="B prompts in one pass",
)
prefill_attention = (
    Derivation.start(
        T_a,
        (
            2 * FLOP / token * N * S_p
            + 2 * l * Add(n_q * d * S_p**2, n_q * d * S_p**2, evaluate=False) / 2 * FLOP / token**2
        )
        / (n * P * u),
        "weights; then scores and values of all pairs, half of them hidden by the mask",
        kind="model",
    )
    .rewrite(
        2 * FLOP * S_p * (N + l * n_q * d * S_p / token) / (token * n * P * u),
        "the second term grows with the square of the prompt",
    )
    .formula(kind="model", assumptions="one prompt; causal attention; long enough for arithmetic to limit")
)
attention_share = (
    Derivation.start(y_a, T_a / T - 1, "time with attention over time without it")
    .apply({T_a: prefill_attention, T: prefill}, "both times", routine=True)
    .apply({B: 1, t_0: 0}, "one prompt, and no overhead")
    .rewrite(l * n_q * d * S_p / (N * token), "devices and rates cancel: it grows with the prompt")
    .formula()
)

# --- one token after the other -------------------------------------------------------------

FULL = "at full bandwidth"
read_weights = Formula(t_w, w * N / (n * beta), assumptions=("each weight is read once per step", FULL))
multiply = Formula(t_f, 2 * FLOP * N * B / (n * P), assumptions="two FLOP for each parameter and request, at the peak")
read_cache = Formula(t_k, kappa * S * B / (n * beta), assumptions=("each request's cache is read once per step", FULL))
step = (
    Derivation.start(
        t,
        Max(t_w, t_f) + t_k,
        "reading weights overlaps with multiplying; reading the cache is never hidden, for attention always waits for memory",
        kind="model",
    )
    .apply({t_w: read_weights, t_f: multiply, t_k: read_cache}, "the three times")
    .formula(
        assumptions=("all fits into memory", "transfers between devices are hidden"),
        convention="time between two tokens of a request; one step gives every request one token",
    )
)
critical_batch = (
    Derivation.balance(t_w, t_f, "reading the weights takes as long as multiplying")
    .apply({t_w: read_weights, t_f: multiply}, "both times", routine=True)
    .solve_for(
        B,
        w * P / (2 * FLOP * beta),
        "parameters and devices cancel: it is a property of chip and format",
        as_symbol=B_c,
    )
    .formula(assumptions="the cache is left out")
)
step_memory = (
    Derivation.start(t, t_w + t_k, "below the critical batch multiplying is hidden", kind="model")
    .apply({t_w: read_weights, t_k: read_cache}, "both are reads", routine=True)
    .rewrite((w * N + kappa * S * B) / (n * beta), "everything in memory is read once per step")
    .formula(assumptions="$B$ below the critical batch")
)
rate = Formula(v, B * token / t, kind="definition", assumptions="one token for each request and step")
rate_memory = (
    Derivation.start(rate)
    .apply({t: step_memory}, "a step reads everything once")
    .rewrite(n * beta * token / (kappa * S + w * N / B), "the weights are shared by the batch, the cache is not")
    .formula()
)
rate_limit = Formula(
    v_max,
    n * beta * token / (kappa * S),
    assumptions="a batch so large that the time to read the weights is negligible",
)
share_of_limit = (
    Derivation.start(y, v / v_max, "throughput against that of an endless batch")
    .apply({v: rate_memory, v_max: rate_limit}, "both from the model", routine=True)
    .rewrite(1 / (1 + w * N / (kappa * S * B)), "only the ratio of weights to caches remains")
    .formula()
)
half_batch = (
    Derivation.balance(K, W, "half of the limit: as much cache as weights")
    .apply({K: cache, W: weights}, "both", routine=True)
    .solve_for(
        B, w * N / (kappa * S), "beyond this batch each further request adds less than half of its share", as_symbol=B_h
    )
    .formula(assumptions="$B$ below the critical batch")
)

# --- what it costs -------------------------------------------------------------------------

price = Formula(p, c * n / v, kind="definition", assumptions="the server is always busy")
price_memory = (
    Derivation.start(price).apply({v: rate_memory}, "devices cancel: a token costs the reading of its bytes").formula()
)
even_work = (
    Derivation.balance(
        6 * FLOP / token * N * D, 2 * FLOP / token * N * D_i, "serving has taken as many operations as training"
    )
    .solve_for(D_i, 3 * D, "six against two, whatever the size")
    .formula(assumptions="a dense model", convention="operations, not cost: serving reaches a lower utilisation")
)

# --- worked examples: cache and memory -----------------------------------------------------

AUSTIN = "Austin 2025, inference"
KV = {l: "layers", n_kv: "kv_heads", d: "head_dim"}
TWO = {w: "2 B"}
cache_70b = Example(cache_per_token, {**models.of("llama31_70b", KV), e: "2 B"})
cache_405b = Example(
    cache_per_token,
    {**models.of("llama31_405b", KV), e: "2 B"},
    expect=models.llama31_405b_cache,
    rtol=1e-6,
    source="Zhao 2025",
)
cache_8b = Example(cache_per_token, {**models.of("llama31_8b", KV), e: "2 B"})
cache_gpt3 = Example(cache_per_token, {**models.of("gpt3_175b", KV), e: "2 B"})
cache_opt = Example(
    cache_per_token,
    {**models.of("opt_13b", KV), e: "2 B"},
    expect=models.opt_13b_cache,
    rtol=1e-12,
    source="Kwon 2023, section 3",
)
cache_deepseek = Example(
    cache_latent,
    {l: models.deepseek_v3_layers, d_c: models.deepseek_v3_latent, d_r: models.deepseek_v3_rotary, e: "2 B"},
    expect=models.deepseek_v3_cache,
    rtol=1e-6,
    source="Zhao 2025",
)
saving_deepseek = Example(
    latent_saving,
    {
        n_q: models.deepseek_v3_heads,
        d: models.deepseek_v3_head_dim,
        d_c: models.deepseek_v3_latent,
        d_r: models.deepseek_v3_rotary,
    },
)
page_cache_32 = Example(cache, {kappa: cache_70b, S: "4096 token", B: "32"})
weights_70b = Example(weights, {N: models.llama31_70b_parameters, **TWO})
H100_MEMORY, H100_READ = hardware.h100_hbm, hardware.h100_hbm_bandwidth
H100_PEAK, V5E_PEAK = hardware.h100_bf16, hardware.tpu_v5e_bf16
V5E_MEMORY, V5E_READ = hardware.tpu_v5e_hbm, hardware.tpu_v5e_hbm_bandwidth
# The reference page puts 35 GB of FP16 weights and 43 GB of cache on one H100; FP16 weights are 141 GB.
page_devices = Example(
    devices,
    {N: models.llama31_70b_parameters, **TWO, kappa: cache_70b, S: "4096 token", B: "32", M: H100_MEMORY},
    digits=1,
)

# --- worked examples: time -----------------------------------------------------------------

# One H100 cannot hold these weights: the 42 ms of the reference page are those of a device that does not exist.
READ_70B = {N: models.llama31_70b_parameters, **TWO, beta: H100_READ}
page_read = Example(read_weights, {N: "70e9", **TWO, n: "1 gpu", beta: H100_READ})
page_multiply = Example(multiply, {N: "70e9", B: "1", n: "1 gpu", P: H100_PEAK})
step_70b = Example(step, {**READ_70B, kappa: cache_70b, S: "4096 token", B: "32", n: "4 gpu", P: H100_PEAK})
critical_v5e = Example(critical_batch, {**TWO, P: V5E_PEAK, beta: V5E_READ}, expect="240", rtol=0.003, source=AUSTIN)
critical_h100 = Example(critical_batch, {**TWO, P: H100_PEAK, beta: H100_READ})
BUSY_70B = {**READ_70B, kappa: cache_70b, S: "4096 token"}
half_70b = Example(half_batch, {k: v for k, v in BUSY_70B.items() if k is not beta})
paged_70b = Example(paged, {kappa: cache_70b, b_p: "16 token", S: "4097 token", B: "1"}, unit="MB", digits=5)
limit_70b = Example(rate_limit, {kappa: cache_70b, S: "4096 token", n: "4 gpu", beta: H100_READ})
share_70b = Example(share_of_limit, {**{k: v for k, v in BUSY_70B.items() if k is not beta}, B: "32"})
price_70b = Example(price_memory, {**BUSY_70B, B: "32", c: "2 USD/(gpu h)"})

# --- explorer ------------------------------------------------------------------------------

two_bytes = {w: 2 * byte}
step_explored = (
    Derivation.start(
        t, Max(t_w, t_f) + t_k, "reading weights overlaps with multiplying, reading the cache does not", kind="model"
    )
    .apply({t_w: read_weights, t_f: multiply, t_k: read_cache}, "the three times")
    .apply(two_bytes, "weights of two bytes")
    .formula(assumptions="all fits into memory")
)
memory_explored = Formula(Q, 2 * byte * N + kappa * S * B, assumptions="weights of two bytes")
memory_there = Formula(Q, n * M, kind="definition")
filled_explored = Formula(y_m, (2 * byte * N + kappa * S * B) / (n * M), assumptions="weights of two bytes")
room_explored = Formula(
    B_m, floor(Max(0, (n * M - 2 * byte * N) / (kappa * S))), assumptions="whole requests; weights of two bytes"
)
critical_explored = Formula(
    B_c, byte * P / (FLOP * beta), assumptions=("weights of two bytes", "the cache is left out")
)
rate_explored = (
    Derivation.start(rate)
    .apply({t: step_explored}, "a token for each request and step")
    .formula(assumptions="weights of two bytes")
)
calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
