"""The cost of a latency target: batch, step time and price of a token, the cost of the prompts, and two limits."""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import hardware, models, serving
from mathcore.chapters.serving import (
    BUSY_70B,
    FLOP,
    H100_MEMORY,
    H100_PEAK,
    H100_READ,
    B,
    C_r,
    M,
    N,
    P,
    Q,
    S,
    S_p,
    T,
    beta,
    c,
    d,
    kappa,
    l,
    memory,
    multiply,
    n,
    n_q,
    p,
    prefill,
    price,
    rate,
    requests,
    room,
    step,
    step_memory,
    t,
    t_0,
    t_e,
    t_f,
    t_w,
    token,
    u,
    v,
    w,
    weights,
    y_m,
)
from mathcore.chapters.serving.queues import free_chunk, g, lam, q_0, server_ratio
from mathcore.teaching import read_exercises

# --- symbols: those of the serving chapter and of its queues, and these ----------------------

B_1 = Variable("B_1", "", "requests in a first batch", low="1", high="100000", integer=True)
B_2 = Variable("B_2", "", "requests in a second batch", low="1", high="100000", integer=True)
x_B = Variable("x_B", "", "throughput with the second batch over that with the first", tex=r"x_{B}")
x_n = Variable("x_n", "", "requests that fit on twice the devices over those that fit on these", tex=r"x_{n}")
B_t = Variable("B_t", "", "largest batch within a latency target", tex=r"B_{\mathrm{SLO}}", low="0", high="1e9")
y_f = Variable(
    "y_f", "", "time of the arithmetic over time to read the weights", tex=r"y_{\mathrm{mul}}", display_unit="%"
)
p_p = Variable("p_p", "USD/token", "price of a token of a prompt", tex=r"p_{\mathrm{in}}", display_unit="USD/Mtoken")
lam_0 = Variable("lam_0", "1/s", "prompts per second that the steps process at no extra time", tex=r"\lambda_0")
p_k = Variable("p_k", "USD", "price of a thousand requests", tex=r"p_{1000}")
C_y = Variable(
    "C_y",
    "USD/s",
    "cost rate of all devices",
    tex=r"\dot{C}",
    display_unit="USD/year",
    low="0.001 USD/year",
    high="1e13 USD/year",
)
U = Variable("U", "", "users", low="1", high="1e10", integer=True)
r_u = Variable(
    "r_u",
    "1/s",
    "requests of one user per time",
    tex=r"r_{\mathrm{u}}",
    display_unit="1/d",
    low="0.001 /d",
    high="100000 /d",
)
t_x = Variable(
    "t_x",
    "s",
    "time of one all-reduce between the devices",
    tex=r"t_{\mathrm{x}}",
    display_unit="us",
    low="1 ns",
    high="1 s",
)
t_n = Variable("t_n", "s", "time between two tokens with all-reduces", tex=r"t_{\mathrm{wire}}", display_unit="ms")
n_x = Variable("n_x", "gpu", "devices at which all-reduces take as long as reading", tex=r"n_{\mathrm{wire}}")
N_a = Variable(
    "N_a", "", "parameters that work on one token", tex=r"N_{\mathrm{act}}", low="100000", high="100000000000000"
)
B_x = Variable("B_x", "", "critical batch of a model with experts", tex=r"B_{\mathrm{exp}}")

# --- facts -----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- batch, step, price: one curve -----------------------------------------------------------

gain = (
    Derivation.start(
        x_B,
        B_2 * step_memory.rhs.subs(B, B_1) / (B_1 * step_memory.rhs.subs(B, B_2)),
        "tokens over the time of a step, twice",
    )
    .rewrite(
        (kappa * S + w * N / B_1) / (kappa * S + w * N / B_2),
        "devices and bandwidth cancel: what is left is the bytes read for each token",
    )
    .formula(assumptions="both batches below the critical one")
)
batch_of_step = (
    Derivation.start(step_memory, why="the step takes as long as the target allows")
    .solve_for(
        B,
        (n * beta * t - w * N) / (kappa * S),
        "the bytes that the devices read in that time, less the weights",
        as_symbol=B_t,
    )
    .formula(domain=(w * N < n * beta * t,))
)
rate_of_step = (
    Derivation.start(rate)
    .apply({B: batch_of_step}, "the batch that meets the latency target")
    .rewrite(
        n * beta * token / (kappa * S) * (1 - w * N / (n * beta * t)),
        "throughput of an endless batch, less the share of the step in which weights are read",
    )
    .formula(assumptions="all fits")
)
price_of_step = (
    Derivation.start(price)
    .apply(
        {v: rate_of_step},
        "reading the cache is the lower bound; a strict target divides it by the share that the weights leave",
    )
    .formula(assumptions="busy all the time")
)
arithmetic_share = (
    Derivation.start(y_f, t_f / t_w, "time to multiply over time to read")
    .apply({t_f: multiply, t_w: serving.read_weights}, "parameters and devices cancel", routine=True)
    .formula(assumptions="the cache left out")
)
memory_filled = (
    Derivation.start(y_m, Q / (n * M), "memory needed over memory of the devices")
    .apply({Q: memory}, "weights and caches")
    .formula(assumptions="above one it does not fit")
)
full_step = (
    Derivation.start(
        t, Q / (n * beta), "below the critical batch, everything in memory is read once per step", kind="model"
    )
    .apply({Q: serving.memory_there}, "the memory is full")
    .formula(assumptions="$B$ below the critical batch", convention="step with a full memory, by bytes over bandwidth")
)
room_ratio = Derivation.start(
    x_n, room.rhs.subs(n, 2 * n) / room.rhs, "caches cancel; the weights are paid once in both", kind="model"
).formula(assumptions="activations and buffers are small", domain=(w * N < n * M,))

# --- the bill of the prompts -----------------------------------------------------------------

price_of_prompt = (
    Derivation.start(p_p, c * n * T / (S_p * B), "devices for the time in which they read the prompts")
    .apply(prefill, "the time of one pass")
    .apply(
        {t_0: 0}, "long prompts, so that the overhead of a pass is negligible: prompts and devices cancel", routine=True
    )
    .formula(assumptions="busy all the time")
)
free_prompts = (
    Derivation.start(
        lam_0,
        q_0 / (t * S_p),
        "prompt tokens of a step, over the time of the step and the tokens of a prompt",
        kind="model",
    )
    .apply({q_0: free_chunk}, "the part of the critical batch that the batch leaves")
    .formula(assumptions="arithmetic at its peak")
)
thousand = Formula(p_k, 1000 * C_y / lam, kind="definition")
cost_rate = Formula(C_y, c * n, kind="definition", convention="all devices, busy or not")
thousand_of_devices = (
    Derivation.start(thousand)
    .apply({C_y: cost_rate}, "all devices are paid for all the time")
    .formula(assumptions="traffic and devices as they are")
)

thousand_of_tokens = Formula(
    p_k, 1000 * (p_p * S_p + p * g), assumptions="prompts and answers on workers that are always busy"
)
traffic = Formula(lam, U * r_u, kind="definition")
even_cost_rate = (
    Derivation.balance(C_r, C_y * t_e, "serving has cost as much as training")
    .solve_for(t_e, C_r / C_y, "the cost of training over the serving cost per unit of time")
    .formula(assumptions="traffic and devices as they are")
)

# --- two limits ------------------------------------------------------------------------------

exchanges = Formula(t_n, 2 * l * t_x, assumptions="with ever more devices, only the all-reduces remain")
step_with_wires = (
    Derivation.start(t_n, t + 2 * l * t_x, "each layer needs two all-reduces", kind="model")
    .apply({t: step_memory}, "what must be read")
    .formula(assumptions=("each layer split over all devices", "nothing hidden"))
)
devices_of_wires = (
    Derivation.balance(t, 2 * l * t_x, "all-reduces take as long as reading")
    .apply(step_memory, "what must be read")
    .solve_for(
        n, (w * N + kappa * S * B) / (2 * l * t_x * beta), "beyond this, all-reduces take most of a step", as_symbol=n_x
    )
    .formula(assumptions="the time of an all-reduce does not depend on the number of devices")
)
critical_experts = (
    Derivation.balance(
        w * N / (n * beta),
        2 * FLOP * N_a * B_x / (n * P),
        "all experts are read, but a token is multiplied with a few of them only",
    )
    .solve_for(B_x, w * P * N / (2 * FLOP * beta * N_a), "the dense rule, times stored over working parameters")
    .formula(assumptions=("every expert has a token in every step", "the cache left out"))
)

# --- worked examples: one machine of four H100, Llama 3.1 70B in BF16 -------------------------

READ_ALL = {k: x for k, x in BUSY_70B.items() if k is not beta}
OURS = {**BUSY_70B, n: "4 gpu"}
PRICED = {**BUSY_70B, c: "2 USD/(gpu h)"}
FULL = {**OURS, P: H100_PEAK}
rate_ours = Example(serving.rate_memory, {**OURS, B: "32"}, digits=4)
rate_128 = Example(serving.rate_memory, {**OURS, B: "128"}, digits=4)
step_32 = Example(step_memory, {**OURS, B: "32"})
step_128 = Example(step, {**FULL, B: "128"})
rate_1 = Example(serving.rate_memory, {**OURS, B: "1"}, digits=2)
gain_128 = Example(gain, {**READ_ALL, B_1: "32", B_2: "128"})
room_ours = Example(requests, {**READ_ALL, n: "4 gpu", M: H100_MEMORY})
price_128 = Example(serving.price_memory, {**PRICED, B: "128"})
price_floor = Example(price, {c: "2 USD/(gpu h)", n: "4 gpu", v: serving.limit_70b})
read_ours = Example(serving.read_weights, {k: x for k, x in OURS.items() if k in (w, N, beta, n)})
read_one = Example(
    serving.read_cache, {k: x for k, x in OURS.items() if k in (kappa, S, beta, n)} | {B: "1"}, unit="us"
)
multiply_ours = Example(multiply, {N: models.llama31_70b_parameters, B: "32", n: "4 gpu", P: H100_PEAK})
price_20 = Example(price_of_step, {**PRICED, n: "4 gpu", t: "20 ms"})
price_12 = Example(price_of_step, {**PRICED, n: "4 gpu", t: "12 ms"})
price_20_eight = Example(price_of_step, {**PRICED, n: "8 gpu", t: "20 ms"})
full_h100 = Example(full_step, {M: H100_MEMORY, beta: H100_READ})
full_h200 = Example(full_step, {M: hardware.h200_hbm, beta: hardware.h200_hbm_bandwidth})
full_v5e = Example(full_step, {M: hardware.tpu_v5e_hbm, beta: hardware.tpu_v5e_hbm_bandwidth})
room_growth = Example(room_ratio, {w: "2 B", N: models.llama31_70b_parameters, n: "2 gpu", M: H100_MEMORY}, digits=2)
wire_floor = Example(exchanges, {l: models.llama31_70b_layers, t_x: "10 us"}, digits=2)
page_arithmetic = Example(arithmetic_share, {w: "2 B", B: "1", P: H100_PEAK, beta: H100_READ})
page_memory_16 = Example(
    memory, {N: models.llama31_70b_parameters, w: "2 B", kappa: serving.cache_70b, S: "4096 token", B: "32"}
)
weights_quarter = Example(weights, {N: models.llama31_70b_parameters, w: "0.5 B"})

# --- worked examples: prompts, and a whole service --------------------------------------------

prefill_ours = Example(
    serving.prefill,
    {N: models.llama31_70b_parameters, S_p: "3840 token", B: "1", n: "4 gpu", P: H100_PEAK, u: "50 %", t_0: "0 s"},
)
attention_ours = Example(
    serving.attention_share,
    {
        **models.of("llama31_70b", {l: "layers", n_q: "heads", d: "head_dim"}),
        N: models.llama31_70b_parameters,
        S_p: "3840 token",
    },
)
attention_long = Example(
    serving.attention_share,
    {
        **models.of("llama31_70b", {l: "layers", n_q: "heads", d: "head_dim"}),
        N: models.llama31_70b_parameters,
        S_p: "131072 token",
    },
)
prompt_ours = Example(price_of_prompt, {N: models.llama31_70b_parameters, c: "2 USD/(gpu h)", P: H100_PEAK, u: "50 %"})
ratio_ours = Example(server_ratio, {T: prefill_ours, B: "94", g: "512 token", t: "20 ms"})
free_ours = Example(free_chunk, {w: "2 B", P: H100_PEAK, beta: H100_READ, B: "94"})
free_half = Example(free_chunk, {w: "2 B", P: "494.7 TFLOP/s/gpu", beta: H100_READ, B: "94"})
free_prompts_half = Example(
    free_prompts, {w: "2 B", P: "494.7 TFLOP/s/gpu", beta: H100_READ, B: "94", t: "20 ms", S_p: "3840 token"}
)
thousand_tokens = Example(thousand_of_tokens, {p_p: prompt_ours, S_p: "3840 token", p: price_20, g: "512 token"})
thousand_small = Example(thousand_of_devices, {c: "2 USD/(gpu h)", n: "20 gpu", lam: "9 /s"})
thousand_large = Example(thousand_of_devices, {c: "2 USD/(gpu h)", n: "152 gpu", lam: "90 /s"})
page_traffic = Example(traffic, {U: facts.page_users, r_u: facts.page_requests})
page_thousand = Example(thousand, {C_y: facts.page_year, lam: page_traffic})
page_days = Example(even_cost_rate, {C_r: facts.page_training, C_y: facts.page_year})

# --- worked examples: limits ------------------------------------------------------------------

wired = Example(step_with_wires, {**OURS, B: "32", l: models.llama31_70b_layers, t_x: "10 us"})
wired_limit = Example(devices_of_wires, {**BUSY_70B, B: "32", l: models.llama31_70b_layers, t_x: "10 us"})
experts_deepseek = Example(
    critical_experts,
    {w: "1 B", P: hardware.h100_fp8, beta: H100_READ, N: models.deepseek_v3_parameters, N_a: models.deepseek_v3_active},
)

exercises = read_exercises(__name__)
