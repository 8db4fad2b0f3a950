"""Lab on serving: batch, KV cache, latency target, and price per token on a chosen accelerator.

Its formulas are those of the chapter on serving, with the shape of Llama 3.1 70B substituted. The lab adds
an index that selects the accelerator, so that peak, bandwidth and memory change together.
"""

from sympy import And, Or, Piecewise, Rational, ceiling, floor

from mathcore import Derivation, Example, Formula, Max, Min, One, Variable
from mathcore.chapters import hardware, models, serving
from mathcore.chapters.serving import FLOP, B, B_m, M, N, P, S, beta, c, d, e, kappa, l, n, n_kv, p, t, v, w, y_m
from mathcore.chapters.serving import measured as serving_measured
from mathcore.chapters.serving.queues import g
from mathcore.teaching import read_calculators, read_exercises, read_labs, read_questions

BYTE, GPU, SECOND, TOKEN, USD = One("B"), One("gpu"), One("s"), One("token"), One("USD")

# --- symbols: those of the serving chapter, and these ------------------------------------------

i_d = Variable("i_d", "", "index of the accelerator", tex=r"i_{\mathrm{dev}}", low="1", high="5", integer=True)
t_p = Variable(
    "t_p", "s", "target for inter-token latency", tex=r"t_{\mathrm{p}}", display_unit="ms", low="0.1 ms", high="1 h"
)
p_b = Variable(
    "p_b",
    "USD/token",
    "budget for a token",
    tex=r"p_{\mathrm{b}}",
    display_unit="USD/Mtoken",
    low="0.0001 USD/Mtoken",
    high="1000000 USD/Mtoken",
)
x_Q = Variable("x_Q", "B", "memory missing", tex=r"x_{Q}", display_unit="GB", low="-1000 TB", high="1000 TB")
x_t = Variable(
    "x_t", "s", "step time above the latency target", tex=r"x_{t}", display_unit="ms", low="-1 d", high="1000 d"
)
x_p = Variable(
    "x_p",
    "USD/token",
    "price above the budget",
    tex=r"x_{p}",
    display_unit="USD/Mtoken",
    low="-1 USD/token",
    high="1000 USD/token",
)
B_k = Variable("B_k", "", "requests that meet the latency target", tex=r"B_{\mathrm{kept}}")
B_x = Variable("B_x", "", "largest batch that fits and meets the latency target", tex=r"B_{\mathrm{best}}")
B_q = Variable("B_q", "", "batch that meets the budget", tex=r"B_{\mathrm{paid}}")
v_g = Variable("v_g", "token/s/gpu", "throughput of one device at its largest batch", tex=r"v_{\mathrm{dev}}")
B_4 = Variable("B_4", "", "a quarter of the batch that fits", tex="B_{1/4}", low="0", zero=True)
x_4 = Variable("x_4", "", "throughput ratio of the fourfold batch")
x_h = Variable("x_h", "", "worth of an H200 hour relative to an H100 hour", tex=r"x_{\mathrm{H200}}")
g_P = Variable("g_P", "s", "time saved by doubling the peak", tex=r"g_{P}", display_unit="ms")
g_w = Variable("g_w", "s", "time saved by halving the weights' bytes", tex=r"g_{w}", display_unit="ms")
g_S = Variable("g_S", "s", "time saved by halving the length of the requests", tex=r"g_{S}", display_unit="ms")
v_u = Variable("v_u", "token/s", "tokens that one request sees per second", tex=r"v_{1}")

# --- the accelerators and the models, by number --------------------------------------------------

DEVICES = {"A100": 1, "H100": 2, "H200": 3, "B200": 4, "MI300X": 5}
DEVICE_FACTS = (
    (hardware.a100_bf16, hardware.a100_hbm_bandwidth, hardware.a100_hbm),
    (hardware.h100_bf16, hardware.h100_hbm_bandwidth, hardware.h100_hbm),
    (hardware.h200_bf16, hardware.h200_hbm_bandwidth, hardware.h200_hbm),
    (hardware.b200_bf16, hardware.b200_hbm_bandwidth, hardware.b200_hbm),
    (hardware.mi300x_bf16, hardware.mi300x_hbm_bandwidth, hardware.mi300x_hbm),
)


def exact(fact, unit):
    """Return the value of a fact as a rational number of `unit`."""
    return Rational(f"{fact.value.m_as(unit):.12g}")


size = Formula(N, exact(models.llama31_70b_parameters, ""), kind="definition", assumptions="Llama 3.1 70B")
cache_of = (
    Derivation.start(serving.cache_per_token)
    .apply(
        {
            l: exact(models.llama31_70b_layers, ""),
            n_kv: exact(models.llama31_70b_kv_heads, ""),
            d: exact(models.llama31_70b_head_dim, ""),
        },
        "the shape of Llama 3.1 70B",
    )
    .formula()
)
CHIPS = tuple(
    {
        P: exact(rate_of, "FLOP/s") * FLOP / (SECOND * GPU),
        beta: exact(read, "B/s") * BYTE / (SECOND * GPU),
        M: exact(held, "B") * BYTE / GPU,
    }
    for rate_of, read, held in DEVICE_FACTS
)
CHOSEN = "with the peak, bandwidth and memory of the chosen accelerator"


def chosen(formula):
    """Return the formula with peak, bandwidth and memory of the accelerator that `i_d` names."""
    each = [formula.rhs.subs(chip) for chip in CHIPS]
    pairs = [(value, i_d < k + 2) for k, value in enumerate(each[:-1])]
    return Formula(
        formula.lhs,
        Piecewise(*pairs, (each[-1], True)),
        assumptions=(*formula.assumptions, *formula.inherited_assumptions, CHOSEN),
    )


def on(number, formula):
    """Return the formula with peak, bandwidth and memory of one accelerator."""
    return Formula(
        formula.lhs,
        formula.rhs.subs(CHIPS[number - 1]),
        assumptions=(*formula.assumptions, *formula.inherited_assumptions),
    )


# --- memory, step time and price of any server with this model ------------------------------------

FITS = "all fits into memory"
MODEL = {N: size, kappa: cache_of}
SHAPE = "the size of the model and its cache"
any_need = Derivation.start(serving.memory).apply(MODEL, SHAPE).formula()
any_filled = Formula(y_m, any_need.rhs / (n * M), kind="definition", assumptions="above 100 % it does not fit")
any_step = Derivation.start(serving.step).apply(MODEL, SHAPE).formula()
any_rate = Derivation.start(serving.rate).apply({t: any_step}, "the step of the server").formula()
any_price = Derivation.start(serving.price).apply({v: any_rate}, "its throughput").formula()
any_seen = Formula(v_u, TOKEN / any_step.rhs, kind="definition")
any_caches = Derivation.start(serving.read_cache).apply({kappa: cache_of}, SHAPE).formula(assumptions=FITS)
any_reading = Derivation.start(serving.read_weights).apply({N: size}, SHAPE).formula(assumptions=FITS)
any_multiplying = Derivation.start(serving.multiply).apply({N: size}, SHAPE).formula(assumptions=FITS)
ONE_CACHE, ONE_PRODUCT = any_caches.rhs.subs(B, 1), any_multiplying.rhs.subs(B, 1)
any_fit = Formula(
    B_m,
    floor(Max(0, (n * M - w * size.rhs) / (cache_of.rhs * S))),
    assumptions="whole requests, each with its full cache",
)
any_kept = Formula(
    B_k,
    floor(Max(0, Min((t_p - any_reading.rhs) / ONE_CACHE, t_p / (ONE_CACHE + ONE_PRODUCT)))),
    assumptions="memory-bound and compute-bound steps both meet the target",
)
any_best = Formula(B_x, Min(any_fit.rhs, any_kept.rhs), kind="definition", assumptions="the largest batch allowed")
promised = Formula(t, t_p, kind="definition")
budget = Formula(p, p_b, kind="definition")

# --- limits that are hit, and their remedies --------------------------------------------------------

any_memory_gap = Formula(x_Q, any_need.rhs - n * M, kind="definition")
any_promise_gap = Formula(x_t, any_step.rhs - t_p, kind="definition")
any_budget_gap = Formula(x_p, any_price.rhs - p_b, kind="definition")
LONGER = Max(any_reading.rhs, any_multiplying.rhs)
any_short = Formula(S, Max(TOKEN, (n * M - w * size.rhs) / (cache_of.rhs * B)), assumptions="the memory is just full")
any_devices = Formula(n, GPU * ceiling(any_need.rhs / (M * GPU)), assumptions="split evenly")
any_short_promise = Formula(
    S, Max(TOKEN, (t_p - LONGER) * S / any_caches.rhs), assumptions="the step takes exactly the target time"
)
any_devices_promise = Formula(
    n, GPU * ceiling(any_step.rhs * n / (t_p * GPU)), assumptions="twice the devices, half the step"
)
COST_OF_CACHE = c * n * ONE_CACHE / TOKEN
LEAST = Rational(1, 10**12) * USD / TOKEN
any_batch_budget = Formula(
    B_q,
    c * n * any_reading.rhs / (TOKEN * Max(LEAST, p_b - COST_OF_CACHE)),
    assumptions="below the critical batch; infinite where the caches alone exceed the budget",
)
any_hour = Formula(c, p_b * any_rate.rhs / n, assumptions="the server is busy all the time")
any_short_budget = Formula(
    S, Max(TOKEN, (p_b * B * TOKEN / (c * n) - LONGER) * S / any_caches.rhs), assumptions="the price equals the budget"
)

# --- the first calculator: four H100 and one model, the batch to be chosen ---------------------------


def ours(formula):
    """Return the formula for H100 and a BF16 cache."""
    here = on(DEVICES["H100"], formula)
    return Formula(here.lhs, here.rhs.subs(e, 2 * BYTE), assumptions=("Llama 3.1 70B on H100", *here.assumptions))


beat_step, beat_caches, beat_rate = ours(any_step), ours(any_caches), ours(any_rate)
beat_need, beat_filled, beat_seen = ours(any_need), ours(any_filled), ours(any_seen)
beat_fit, beat_kept, beat_there = ours(any_fit), ours(any_kept), ours(serving.memory_there)
beat_reading, beat_multiplying = ours(any_reading), ours(any_multiplying)
beat_memory_gap, beat_promise_gap = ours(any_memory_gap), ours(any_promise_gap)
beat_short, beat_devices = ours(any_short), ours(any_devices)
beat_short_promise, beat_devices_promise = ours(any_short_promise), ours(any_devices_promise)
QUARTER = floor(beat_fit.rhs / 4)
beat_quarter = Formula(B_4, QUARTER, kind="definition", assumptions="whole requests")
beat_all = Formula(B_x, 4 * QUARTER, kind="definition", assumptions="four times a quarter: it fits")
quarter_caches = Formula(serving.t, beat_caches.rhs.subs(B, QUARTER), assumptions="Llama 3.1 70B on H100")
beat_four = Formula(
    x_4,
    4 * beat_step.rhs.subs(B, QUARTER) / beat_step.rhs.subs(B, 4 * QUARTER),
    kind="definition",
    assumptions="both batches fit",
)
saved_by_peak = Formula(
    g_P,
    Max(beat_reading.rhs, beat_multiplying.rhs) - Max(beat_reading.rhs, beat_multiplying.rhs / 2),
    kind="definition",
)
saved_by_format = Formula(
    g_w,
    Max(beat_reading.rhs, beat_multiplying.rhs) - Max(beat_reading.rhs / 2, beat_multiplying.rhs),
    kind="definition",
)
saved_by_length = Formula(g_S, beat_caches.rhs / 2, kind="definition")


# --- the second calculator: any accelerator, and what a token costs ----------------------------------------

step, caches, rate, price = chosen(any_step), chosen(any_caches), chosen(any_rate), chosen(any_price)
need, filled, there, fit = any_need, chosen(any_filled), chosen(serving.memory_there), chosen(any_fit)
kept, best, reading = chosen(any_kept), chosen(any_best), chosen(any_reading)
multiplying, critical = chosen(any_multiplying), chosen(serving.critical_batch)
memory_gap, promise_gap, budget_gap = chosen(any_memory_gap), chosen(any_promise_gap), chosen(any_budget_gap)
short_enough, devices = chosen(any_short), chosen(any_devices)
short_for_promise, devices_for_promise = chosen(any_short_promise), chosen(any_devices_promise)
short_for_budget, batch_for_budget = chosen(any_short_budget), chosen(any_batch_budget)
hour_for_budget = chosen(any_hour)


def best_rate(number):
    """Return the throughput of one device of a kind, with the largest batch that fits and meets the target."""
    most, time = on(number, any_best).rhs, on(number, any_step).rhs
    return Formula(
        v_g,
        most * TOKEN / (n * time.subs(B, most)),
        assumptions="the largest batch that fits and meets the target; zero where not even one request does",
    )


rate_a100, rate_h100, rate_h200 = best_rate(1), best_rate(2), best_rate(3)
rate_b200, rate_mi300x = best_rate(4), best_rate(5)
h100_best = on(2, any_best)
worth = Formula(
    x_h,
    rate_h200.rhs / Max(rate_h100.rhs, Rational(1, 10**6) * TOKEN / (SECOND * GPU)),
    kind="definition",
    convention="both always busy, each with the largest batch that fits and meets the target",
)
calculators = read_calculators(__name__)

# --- questions ---------------------------------------------------------------------------------------------

STRONGER = exact(hardware.h200_hbm_bandwidth, "B/s") / exact(hardware.h100_hbm_bandwidth, "B/s")


def holds(*relations):
    """Return that the relations hold on the chosen accelerator."""
    cases = [
        And(i_d > k, i_d < k + 2, *(relation.subs(chip) for relation in relations)) for k, chip in enumerate(CHIPS)
    ]
    return Or(*cases)


SOME, RIDGE = any_best.rhs >= 1, serving.critical_batch.rhs
memory_binds = holds(SOME, any_best.rhs <= RIDGE, any_fit.rhs <= any_kept.rhs)
promise_binds = holds(SOME, any_best.rhs <= RIDGE, any_kept.rhs < any_fit.rhs)
arithmetic_binds, none_works = holds(SOME, any_best.rhs > RIDGE), holds(any_best.rhs < 1)


# --- the lab -----------------------------------------------------------------------------------------------

exercises, questions = read_exercises(__name__), read_questions(__name__)
labs = read_labs(__name__)

# --- worked examples: the two contexts, and what there is to remember ----------------------------------------

CASE = {i_d: "2", n: "4 gpu", w: "2 B", e: "2 B"}
CHAT = {**CASE, S: "4096 token"}
LONG = {**CASE, S: "16384 token"}
chat = Example(kept, {**CHAT, t_p: "25 ms"})
summaries = Example(kept, {**LONG, t_p: "200 ms"})
chat_budget = Example(budget, {p_b: "0.45 USD/Mtoken"}, expect="0.45 USD/Mtoken", source="the scenario", digits=2)
summaries_budget = Example(budget, {p_b: "0.6 USD/Mtoken"}, expect="0.6 USD/Mtoken", source="the scenario", digits=1)
chat_step = Example(step, {**CHAT, B: "64"})
chat_price = Example(price, {**CHAT, B: "64", c: "2 USD/(gpu h)"})
chat_batch = Example(
    batch_for_budget, {**{k: x for k, x in CHAT.items() if k is not n}, c: "2 USD/(gpu h)", p_b: "0.45 USD/Mtoken"}
)
long_fit = Example(fit, LONG, digits=2)
chat_fit = Example(fit, CHAT)
# The server of the chat product, with the constants fitted to measured steps.
chat_clock = Example(
    serving_measured.batch_within_target,
    {
        t: "25 ms",
        serving_measured.t_a: serving_measured.fixed_ours,
        serving_measured.t_b: serving_measured.request_ours,
    },
)
full_clock = Example(
    serving_measured.step_attained, {**serving_measured.LLAMA, **serving_measured.GAPS, B: chat_fit}, digits=2
)
RENT = {c: "2 USD/(gpu h)", n: "4 gpu"}
chat_clock_price = Example(serving.price, {**RENT, v: Example(serving.rate, {B: chat_clock, t: "25 ms"})})
full_clock_price = Example(serving.price, {**RENT, v: Example(serving.rate, {B: chat_fit, t: full_clock})})
long_price = Example(price, {**LONG, B: "32", c: "2 USD/(gpu h)"})
long_floor = Example(
    serving.price,
    {
        c: "2 USD/(gpu h)",
        n: "4 gpu",
        v: Example(
            serving.rate_limit,
            {kappa: "327.68 kB/token", S: "16384 token", n: "4 gpu", beta: hardware.h100_hbm_bandwidth},
        ),
    },
)
chat_worth = Example(worth, {**{k: x for k, x in CHAT.items() if k is not i_d}, t_p: "25 ms"})
# The worth of a machine that reads its own prompts: equal arithmetic dilutes the faster memory.
v_1 = Variable("v_1", "token/s/gpu", "throughput of an H100", low="0.001 token/s/gpu", high="1000000 token/s/gpu")
v_2 = Variable("v_2", "token/s/gpu", "throughput of an H200", low="0.001 token/s/gpu", high="1000000 token/s/gpu")
whole_worth = Formula(
    x_h,
    (serving.T * n + g / v_1) / (serving.T * n + g / v_2),
    kind="model",
    assumptions="one server reads the prompts and decodes; both have the same arithmetic",
)


def whole(case, prompt, promised):
    """Return what an H200 is worth for whole requests, with a prompt and 512 tokens of answer."""
    given = {**{k: x for k, x in case.items() if k is not i_d}, t_p: promised}
    reading = Example(
        serving.prefill,
        {
            N: models.llama31_70b_parameters,
            serving.S_p: prompt,
            B: "1",
            n: "4 gpu",
            P: hardware.h100_bf16,
            serving.u: "50 %",
            serving.t_0: "0 s",
        },
    )
    rates = {v_1: Example(rate_h100, given), v_2: Example(rate_h200, given)}
    return Example(whole_worth, {**rates, serving.T: reading, n: "4 gpu", g: "512 token"})


chat_whole = whole(CHAT, "3840 token", "25 ms")
long_whole = whole(LONG, "15872 token", "200 ms")
FOUR = {S: "4096 token", n: "4 gpu", w: "2 B"}
four_here = Example(beat_four, FOUR)
quarter_here = Example(beat_quarter, FOUR, digits=2)
halved = Example(price, {**LONG, e: "1 B", w: "1 B", B: "64", c: "2 USD/(gpu h)"})
