"""Serving, decided: how many requests at once, in which format, with drafts or without, split or mixed, how many workers."""

from sympy import Max, Min, ceiling, floor, sqrt

from mathcore import Decision, Derivation, Formula, Range, Variable
from mathcore.chapters import hardware, models, serving
from mathcore.chapters.serving import FLOP, B, M, N, P, S, S_p, T, beta, c, d, kappa, l, n, n_q, token, u, w
from mathcore.chapters.serving import measured as serving_measured
from mathcore.chapters.serving import tails as serving_tails
from mathcore.chapters.serving.measured import GAPS, B_p, S_u, eta_b, h_p, t_r, t_y, x_m
from mathcore.chapters.serving.practice import (
    cached,
    eagle3,
    facts,
    hidden_50,
    mixed_fp8,
    prompt_time,
    t_c,
    t_v,
    t_w,
    u_fp8,
    y_v,
)
from mathcore.chapters.serving.practice import fixed as fixed_time
from mathcore.chapters.serving.prices import p_k
from mathcore.chapters.serving.queues import g, lam, requests_at_work, t_a, t_b, t_s
from mathcore.chapters.serving.speculation import E, alpha, c_d, expected, gam
from mathcore.chapters.serving.tails import T_z, a, f_t, f_w, m, z
from mathcore.measured import PairedError

# --- symbols -------------------------------------------------------------------------------

Lam = Variable(
    "Lam", "1/s", "requests per second to the whole service", tex=r"\Lambda", low="0.01 /s", high="100000 /s"
)
m_d = Variable("m_d", "", "decode workers", tex=r"m_{\mathrm{dec}}", low="1", high="500", integer=True)
m_p = Variable("m_p", "", "prefill workers", tex=r"m_{\mathrm{pre}}", low="0", high="500", integer=True, zero=True)
m_x = Variable(
    "m_x", "", "prefill workers beyond those always busy", tex=r"m_{\mathrm{x}}", low="1", high="100", integer=True
)
n_p = Variable(
    "n_p", "gpu", "devices of a prefill worker", tex=r"n_{\mathrm{pre}}", low="1 gpu", high="64 gpu", integer=True
)
P_p = Variable(
    "P_p", "FLOP/s/gpu", "peak rate of a prefill worker's format", tex=r"P_{\mathrm{pre}}", display_unit="TFLOP/s/gpu"
)
u_p = Variable(
    "u_p", "", "utilisation of a prefill worker", tex=r"u_{\mathrm{pre}}", display_unit="%", low="1 %", high="100 %"
)
w_p = Variable("w_p", "B", "bytes of a weight on a prefill worker", tex=r"w_{\mathrm{pre}}", low="0.5 B", high="4 B")
n_all = Variable(
    "n_all", "gpu", "devices of all workers", tex=r"n_{\mathrm{all}}", low="1 gpu", high="100000 gpu", integer=True
)
t_1 = Variable(
    "t_1",
    "s",
    "part of a step that each request adds by decoding",
    tex=r"t_{1}",
    display_unit="ms",
    low="1 ns",
    high="1 h",
)
x_8 = Variable(
    "x_8", "", "measured time of a step in FP8 over that of the constants", tex=r"x_{8}", low="0.3", high="4"
)
x_e = Variable(
    "x_e",
    "",
    "time of a step of this model over that of the fitted constants",
    tex=r"x_{\mathrm{e}}",
    low="0.1",
    high="10",
)
t_g = Variable(
    "t_g", "s", "time between two tokens", tex=r"t_{\mathrm{tok}}", display_unit="ms", low="1 us", high="1 h"
)
t_slo = Variable(
    "t_slo", "s", "latency target for each token", tex=r"t_{\mathrm{SLO}}", display_unit="ms", low="1 us", high="1 h"
)
T_k = Variable(
    "T_k", "s", "time of the prefill of a prompt on its worker", tex=r"T_{\mathrm{pre}}", low="1 us", high="1 d"
)
T_slo = Variable("T_slo", "s", "latency target for the first token", tex=r"T_{\mathrm{SLO}}", low="1 us", high="1 d")
t_e = Variable(
    "t_e",
    "s",
    "part of a step that does not depend on the batch, less what overlaps with prompts",
    tex=r"t_{\mathrm{a}}'",
    display_unit="ms",
    low="1 ns",
    high="1 d",
)
lam_w = Variable(
    "lam_w",
    "1/s",
    "requests per second that a worker takes within its target",
    tex=r"\lambda_{\mathrm{w}}",
    low="0.0001 /s",
    high="100000 /s",
)
y_h = Variable(
    "y_h", "", "memory used over memory available", tex=r"y_{\mathrm{hbm}}", display_unit="%", low="0", high="1e6"
)

# --- a worker ------------------------------------------------------------------------------

plain_fixed = Formula(t_a, x_e * x_m * t_w, kind="definition")
plain_request = Formula(t_1, x_e * x_m * (t_c + t_r), kind="definition")
drafted_fixed = Formula(
    t_a, x_e * x_m * t_w * (1 + gam * c_d) / E, assumptions="a check and its drafts, for each token that they yield"
)
drafted_request = Formula(
    t_1,
    x_e * x_m * (t_c + (gam + 1) * t_r + gam * c_d * (t_c + t_r)) / E,
    assumptions="every token of a check pays what a request adds",
)
plain_read = Formula(t_v, x_e * x_m * w * N / (n * beta * eta_b), kind="definition")
drafted_read = Formula(t_v, x_e * x_m * w * N / (n * beta * eta_b * E), kind="definition")
prompt_after_prefix = (
    Derivation.start(
        T,
        (2 * FLOP / token * N * S_u + 4 * l * n_q * d * FLOP / token**2 * (S_u * (S_p - S_u) + S_u**2 / 2))
        / (n * P * u),
        "weights; then scores and values of each new token against the cached prefix and the new tokens before it",
        kind="model",
    )
    .rewrite(
        2 * FLOP / token * S_u * (N + l * n_q * d * (2 * S_p - S_u) / token) / (n * P * u),
        "attention grows with the cached prefix as well",
    )
    .formula(assumptions=("one prompt; causal attention", "attention at the utilisation of the weights"))
)
with_prompts = Formula(
    t_b, t_1 + T * token / g, assumptions="a prefill for each answer, during which nothing is decoded"
)
without_prompts = Formula(t_b, t_1, kind="definition")
most = (
    Derivation.balance(
        lam * g / token * (t_a + t_b + t_b * B_p) + 3 * sqrt(lam * g / token * (t_a + t_b)),
        B_p,
        "mean and three standard deviations are the batch that keeps the target; both times the share of time that the requests' own parts leave",
        kind="model",
    )
    .solve_for(
        lam,
        token
        / g
        * (
            (sqrt(9 * (t_a + t_b) + 4 * B_p * (t_a + t_b + t_b * B_p)) - 3 * sqrt(t_a + t_b))
            / (2 * (t_a + t_b + t_b * B_p))
        )
        ** 2,
        "a quadratic in the root of the traffic",
        as_symbol=lam_w,
    )
    .formula(assumptions="requests arrive independently of one another")
)
largest = Formula(
    B_p,
    Min((t_slo - t_a) / t_b, (n * M - w * N) / (kappa * S)),
    assumptions="the latency target or the memory, whichever is met first",
    domain=(t_a < t_slo, w * N < n * M),
)
MEMORY = (n * M - w * N) / (kappa * S)
chunk_fixed = Formula(t_e, t_a - y_v * t_v, kind="definition")
step_chunked = Formula(
    t_g,
    Max(t_a + t_1 * B, t_e + t_b * B),
    kind="definition",
    convention="prompts in every step: all hidden, or more than the reading hides",
)
largest_chunked = Formula(
    B_p,
    Min((t_slo - t_a) / t_1, (t_slo - t_e) / t_b, MEMORY),
    assumptions="the latency target or the memory, whichever is met first",
    domain=(t_a < t_slo, w * N < n * M),
)
most_chunked = Formula(
    lam_w,
    Min(most.rhs.subs(t_b, t_1), most.rhs.subs(t_a, t_e)),
    kind="model",
    assumptions="the worse of all prompts hidden and more than the reading hides",
)
decoders = Formula(m_d, ceiling(Lam / lam_w), assumptions="requests are shared out evenly over the workers")
step_of_batch = Formula(t_g, t_a + t_b * B, kind="definition")
share_taken = Formula(y_h, (w * N + kappa * S * B) / (n * M), kind="definition")
first_late = serving_tails.late_first.renamed({t_s: T_k, T_z: T_slo})
waiting = Formula(
    f_w,
    (a / m) ** (sqrt(2 * (m + 1)) - 1),
    kind="model",
    assumptions="Sakasegawa's approximation of Erlang's formula",
    domain=(a < m,),
)
offered = Formula(a, Lam * T_k, kind="definition")
enough = Formula(
    m_p, floor(a) + m_x, kind="definition", convention="as many as prompts keep busy, and some for those that wait"
)
prompts_between = Formula(T_k, T, kind="definition")
prompts_alone = Formula(
    T_k,
    T,
    kind="definition",
    convention="of the size and format of a prefill worker",
    domain=(w_p * N + kappa * S_p <= n_p * M,),
)
prompts_in_steps = Formula(
    T_k,
    T / (1 - (t_e + t_1 * B) / t_slo),
    assumptions="each step takes as many prompt tokens as the latency target leaves room for",
    domain=(t_e + t_1 * B < t_slo,),
)
split_devices = Formula(n_all, n_p * m_p + n * m_d, kind="definition")
mixed_devices = Formula(n_all, n * m_d, kind="definition")
thousand = Formula(p_k, 1000 * c * n_all / Lam, assumptions="all workers are paid all the time")
thousand_busy = Formula(
    p_k, 1000 * c * n * g * t_g / (token * B), assumptions="busy all the time; prompts read in between"
)
thousand_split = Formula(
    p_k,
    1000 * c * n * (g * t_g / (token * B) + T),
    assumptions="busy all the time; prompts read by workers of their own",
)

# --- the levers ----------------------------------------------------------------------------

WEIGHTS = {
    "BF16 weights": {w: "2 B", P: serving.H100_PEAK, u: "50 %", x_m: 1},
    "FP8 weights": {w: "1 B", P: hardware.h100_fp8, u: u_fp8, x_m: 1 * x_8},
}
PREFILL_FORMATS = {
    f"{name} prefill": {apart: WEIGHTS[f"{name} weights"][v] for v, apart in ((w, w_p), (P, P_p), (u, u_p))}
    for name in ("FP8", "BF16")
}
CACHE = {"BF16 cache": {kappa: serving.cache_70b}, "FP8 cache": {kappa: serving_measured.cache_bytes}}
DRAFTS = {
    "no drafts": {t_a: plain_fixed, t_1: plain_request, t_v: plain_read},
    "drafts": {gam: (1, 2, 3), t_a: drafted_fixed, t_1: drafted_request, t_v: drafted_read},
}
PROMPTS = {"no prefix cache": {S_u: 1 * S_p}, "prefix cache": {S_u: serving_measured.uncached}}
COMMON = {
    N: models.llama31_70b_parameters,
    l: models.llama31_70b_layers,
    beta: serving.H100_READ,
    S: "4096 token",
    S_p: "3840 token",
    g: "512 token",
    c: "2 USD/(gpu h)",
    M: serving_measured.memory_planned,
    **{symbol: GAPS[symbol] for symbol in (eta_b, t_y, t_r)},
    t_w: fixed_time,
    t_c: cached,
    E: expected,
    t_slo: serving_measured.PROMISE,
    t_e: chunk_fixed,
}
KNOWN = {
    x_e: Range(
        serving_measured.attained.system_low,
        serving_measured.attained.system_high,
        value=1,
        source="90 % of another model's steps on this device, from six models",
    ),
    x_8: Range(
        mixed_fp8.least,
        serving_measured.one_byte.greatest,
        value=mixed_fp8.greatest,
        source="from the fastest of Llama 70B in FP8 on two H100 to the slowest of Llama 405B by an older build",
    ),
    alpha: Range(
        "45 %",
        facts.mtp_most,
        value=eagle3.fitted_parameters["alpha"],
        source="from an assumed rate to that of the first draft of DeepSeek-V3's own head: acceptance differs between models and texts",
    ),
    c_d: Range(
        "2.5 %",
        "22 %",
        value=eagle3.fitted_parameters["c_d"],
        source="assumed: from a third of what one model was measured to take to three times it",
    ),
    y_v: Range(
        "0 %",
        "100 %",
        value=hidden_50,
        source="from prompts in between to all of the reading; today as on two H100 with 50 clients",
    ),
    h_p: Range(
        "10 %",
        facts.day_hits,
        value=serving_measured.facts.prefix_hits,
        source="from an assumed value to a day of DeepSeek's traffic",
    ),
}
LABELS = {
    "weights": "weights",
    gam: "length {}",
    m_d: "decode workers",
    m_p: "prefill workers",
    m_x: "",
    n_p: "prefill on {}",
    n: "decoding on {}",
    p_k: "cost of a thousand requests",
    B: "{} requests",
    B_p: "requests at once at most",
    t_g: "time per token",
    f_t: "late first tokens",
    x_8: "FP8 step over the constants",
    x_e: "step of this model over the constants",
    y_v: "share of the reading that hides prompts",
    h_p: "prompt tokens found in the cache",
    alpha: "acceptance of a draft",
    c_d: "time of a draft over a step",
    Lam: "requests per second",
    S_p: "length of a prompt",
    T_slo: "latency target of the first token",
}

# --- one server of four ----------------------------------------------------------------------

batch = Decision(
    "How many requests should four H100s serve at once, and how?",
    options={
        B: (1, 2, 3, 5, 6, 7, *range(8, 161, 4)),
        "weights": WEIGHTS,
        "cache": CACHE,
        "drafts": DRAFTS,
        "prompts": {
            "mixed": {t_b: with_prompts, t_g: step_of_batch, p_k: thousand_busy},
            "chunked": {t_b: with_prompts, t_g: step_chunked, p_k: thousand_busy},
            "split": {t_b: without_prompts, t_g: step_of_batch, p_k: thousand_split},
        },
    },
    given={**COMMON, n: "4 gpu", T: prompt_time, S_u: 1 * S_p, y_h: share_taken},
    minimise=p_k,
    constraints={"latency target per token": t_g <= t_slo, "memory": y_h <= 1},
    uncertain={symbol: each for symbol, each in KNOWN.items() if symbol is not h_p},
    error=PairedError(mixed_fp8, same=("prompt",)),
    decides=("weights", "cache", "drafts", "prompts"),
    proposed={"weights": "FP8 weights", "cache": "FP8 cache", "drafts": "no drafts", "prompts": "split"},
    columns=(t_g,),
    labels=LABELS,
    samples=200,
    expects=[
        {"weights": "FP8 weights", "cache": cache, "drafts": "drafts", "prompts": prompts}
        for cache, prompts in (("FP8 cache", "split"), ("BF16 cache", "split"), ("FP8 cache", "chunked"))
    ],
)

# --- the whole service -------------------------------------------------------------------------

SIZES = ("1 gpu", "2 gpu", "4 gpu", "8 gpu")
BEYOND = (1, 2, 3, 4, 6, 8, 12, 16)  # a queue needs about twice the square root of the load


def organisations(prompt: Formula) -> dict[str, dict]:
    """Return split, mixed and chunked workers, where `prompt` is the time of a prompt on one worker."""
    mixed = {t_b: with_prompts, n_all: mixed_devices, m: 1 * m_d, m_p: 0, T: prompt}
    split = {
        m_x: BEYOND,
        m_p: enough,
        n_p: SIZES,
        "prefill format": PREFILL_FORMATS,
        T: prompt.renamed({n: n_p, P: P_p, u: u_p}),
        t_b: without_prompts,
        n_all: split_devices,
        m: 1 * m_p,
        B_p: largest,
        lam_w: most,
        T_k: prompts_alone,
    }
    return {
        "split": split,
        "mixed": {**mixed, B_p: largest, lam_w: most, T_k: prompts_between},
        "chunked": {**mixed, B_p: largest_chunked, lam_w: most_chunked, T_k: prompts_in_steps},
    }


service = Decision(
    "Which workers, and how many, do nine requests per second need?",
    options={
        "organisation": organisations(prompt_time),
        n: SIZES,
        "weights": WEIGHTS,
        "cache": CACHE,
        "drafts": DRAFTS,
        "prompts": PROMPTS,
    },
    given={
        **COMMON,
        z: "1 %",
        m_d: decoders,
        lam: Lam / m_d,
        B: requests_at_work,
        t_g: step_of_batch,
        a: offered,
        f_w: waiting,
        f_t: first_late,
        Lam: "9 /s",
        T_slo: "1 s",
    },
    minimise=thousand,
    constraints={"latency target of the first token": z >= f_t},
    uncertain={
        **KNOWN,
        Lam: Range("6 /s", "13.5 /s", source="assumed: from two thirds of the forecast to one and a half times it"),
    },
    error=PairedError(mixed_fp8, same=("prompt",)),
    decides=("organisation", "weights", "drafts", "prompts"),
    columns=(m_p, m_d, B_p, f_t),
    proposed={
        "organisation": "split",
        n_p: "4 gpu",
        "prefill format": "FP8 prefill",
        n: "4 gpu",
        "weights": "FP8 weights",
        "cache": "FP8 cache",
        "drafts": "no drafts",
        "prompts": "no prefix cache",
    },
    labels=LABELS,
    samples=500,
    expects=[
        {"organisation": organisation, "weights": "FP8 weights", "drafts": "drafts", "prompts": "prefix cache"}
        for organisation in ("chunked", "split")
    ],
)

agents = service.variant(
    question="Which workers, and how many, are needed if coding agents send the prompts?",
    options={**service.options, "organisation": organisations(prompt_after_prefix)},
    given={
        **service.given,
        S_p: "81920 token",
        S: S_p + g / 2,
        T_slo: "10 s",
        n_q: models.llama31_70b_heads,
        d: models.llama31_70b_head_dim,
    },
    uncertain={
        **service.uncertain,
        h_p: Range(
            "50 %",
            facts.agent_hits_most,
            value=facts.agent_hits,
            source="from an assumed cache that evicts to the older trace; today the newer one, both cut to the model's window",
        ),
        T_slo: Range(
            "5 s", "20 s", source="assumed: half and twice a target that agents, which wait for tools too, may accept"
        ),
        S_p: Range(
            "8192 token",
            "130560 token",
            source="assumed: from a first prompt with its tools to the model's window; today the median of requests that fit, within its class of lengths",
        ),
    },
    expects=[
        {"organisation": "split", "weights": weights, "drafts": "drafts", "prompts": "prefix cache"}
        for weights in ("BF16 weights", "FP8 weights")
    ],
)
