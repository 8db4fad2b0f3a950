"""Serving, measured: what a step really takes, and what that makes of a promise."""

from sympy import floor as rounded_down
from sympy import gamma, sqrt, uppergamma

from mathcore import Derivation, Example, Formula, Max, One, Variable, read_facts
from mathcore.chapters import hardware, models, serving
from mathcore.chapters.serving import BUSY_70B, B, N, S, beta, c, kappa, l, n, price, rate, step_memory, t, token, v, w
from mathcore.chapters.serving import prices as serving_prices
from mathcore.chapters.serving import tails as serving_tails
from mathcore.chapters.serving.queues import g, lam, requests_at_work, t_a, t_b
from mathcore.chapters.serving.tails import sigma, spread
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import read_calculators

# --- symbols -------------------------------------------------------------------------------

eta_b = Variable(
    "eta_b",
    "",
    "share of the bandwidth that is attained",
    tex=r"\eta_{\mathrm{b}}",
    display_unit="%",
    low="1 %",
    high="100 %",
)
t_y = Variable(
    "t_y", "s", "fixed time of a layer", tex=r"t_{\mathrm{layer}}", display_unit="µs", low="0.01 us", high="10 ms"
)
t_r = Variable(
    "t_r",
    "s",
    "time that a request adds besides its cache",
    tex=r"t_{\mathrm{req}}",
    display_unit="µs",
    low="0.01 us",
    high="10 ms",
)
t_m = Variable(
    "t_m", "s", "time between two tokens, by the measured constants", tex=r"t_{\mathrm{att}}", display_unit="ms"
)
B_p = Variable("B_p", "", "largest batch within a latency target", tex=r"B_{\mathrm{SLO}}", low="0.1", high="100000")
x_m = Variable("x_m", "", "time measured over time predicted", tex=r"x_{\mathrm{meas}}", low="0.1", high="100")
t_x = Variable("t_x", "s", "time predicted, times the measured multiple", tex=r"t_{\mathrm{meas}}", display_unit="ms")
f_s = Variable("f_s", "", "share of tokens that miss a target", tex=r"f_{\mathrm{tok}}", display_unit="%")
a_B = Variable(
    "a_B", "", "shape of the gamma distribution of the requests at work", tex=r"k_{\Gamma}", low="0.5", high="500"
)
q_p = Variable("q_p", "", "share of steps with a prompt", tex=r"q_{\mathrm{p}}", display_unit="%")
t_z = Variable("t_z", "s", "p99 of the time between two tokens", tex=r"t_{99}", display_unit="ms")
t_h = Variable("t_h", "s", "median at which the p99 meets a target", tex=r"t_{50}", display_unit="ms")
w_l = Variable("w_l", "B", "bytes of a parameter, as loaded", tex=r"w_{\mathrm{load}}")
m_l = Variable(
    "m_l",
    "B/gpu",
    "weights that a device has loaded",
    tex=r"m_{\mathrm{load}}",
    display_unit="GB/gpu",
    low="1 MB/gpu",
    high="1 TB/gpu",
)
S_0 = Variable("S_0", "token", "tokens of a prompt", low="1 token", high="10 Mtoken")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what a step takes ---------------------------------------------------------------------

step_attained = (
    Derivation.start(
        t_m,
        t / eta_b + l * t_y + B * t_r,
        "reading at the attained bandwidth; launches and all-reduces in each layer; further work for each request",
        kind="model",
    )
    .apply({t: step_memory}, "the bytes of weights and caches")
    .formula(
        assumptions="each layer split over all devices",
        drops_assumptions=serving.FULL,
        convention="time between two tokens of a request, including what bytes over bandwidth leaves out",
    )
)
fixed_part = Formula(
    t_a, w * N / (n * beta * eta_b) + l * t_y, assumptions="the part of a step that does not depend on the batch"
)
request_part = Formula(
    t_b, kappa * S / (n * beta * eta_b) + t_r, assumptions="the part of a step that each request adds"
)
batch_within_target = (
    Derivation.balance(t, t_a + t_b * B_p, "the step takes as long as the target allows")
    .solve_for(B_p, (t - t_a) / t_b, "the time that the fixed part leaves, over the time of a request")
    .formula(domain=(t > t_a,))
)
shape_of_batch = Formula(
    a_B, B**2 / sigma**2, assumptions="the gamma distribution with this mean and standard deviation"
)
late_tokens = Formula(
    f_s,
    uppergamma(a_B + 1, a_B * B_p / B) / gamma(a_B + 1),
    kind="model",
    assumptions=(
        "the batch has approximately a gamma distribution, and a step gives each request a token",
        "a token is late only when the batch is larger than the latency target allows",
    ),
)
prompts_of_step = (
    Derivation.balance(
        q_p * g,
        B * token,
        "each prompt starts an answer of that many tokens, and a step gives one token to each request",
    )
    .solve_for(q_p, B * token / g, "as many begin as end")
    .formula()
)
p99_as_median = Formula(t_z, t_m, kind="model", assumptions="all steps are alike, without prefill in between")
median_needed = Formula(t_h, t / x_m, assumptions="the p99 is the same multiple of the median whatever the batch")
bytes_loaded = Formula(w_l, m_l * n / N, kind="definition")
context = Formula(S, S_0 + g / 2, assumptions="on average half of the answer is written")

# --- what was measured ---------------------------------------------------------------------

steps = Dataset("decode_steps")
READ = {"H100": hardware.h100_hbm_bandwidth, "B200": hardware.b200_hbm_bandwidth}
BY = {
    N: "params",
    l: "layers",
    kappa: "cache",
    n: "devices",
    B: "batch",
    S: context,
    S_0: "300 token",
    g: "output",
    beta: ("device", READ),
    w: "2 B",
}
STEPS = {"data": steps, "measured": "step", "columns": BY, "over": {"batch": "batch"}}
LARGE = ("Llama-3.1-70B", "Llama-3.3-70B")
floor = Comparison(
    **STEPS,
    formula=step_memory,
    system="Llama 70B on four H100s, bytes over bandwidth",
    also=(serving.step, serving.read_weights, serving.read_cache),
    only={"device": "H100", "model": LARGE},
    bound=("70 %", "80 %"),
    note="A lower bound: at a batch of 250 a step takes three times as long as reading its bytes.",
)
BY_CLOCK = {
    **STEPS,
    "formula": step_attained,
    "fit_parameters": {eta_b: ("40 %", "99 %"), t_y: ("2 us", "500 us"), t_r: ("2 us", "500 us")},
}
attained = Comparison(
    **BY_CLOCK,
    system="Llama 70B on four H100s, fitted to models of 8 to 33 billion parameters on one and two",
    only={"device": "H100"},
    holdout={"model": LARGE},
    bound=("8 %", "12 %"),
    note="Three constants fitted to small models predict a large one on a server outside the fit.",
)
newer = Comparison(
    **BY_CLOCK,
    system="Llama 405B on eight B200s, fitted to 8B and 70B on one and two",
    only={"device": "B200"},
    holdout={"model": "Llama-3.1-405B"},
    bound=("12 %", "30 %"),
    note="The attained share of the bandwidth is smaller and a request adds no less time, so the newer GPU runs further from its bandwidth bound.",
)

TAIL = {"formula": p99_as_median, "measured": "slowest", "columns": {t_m: "step"}, "over": {"batch": "batch"}}
slowest_chat = Comparison(
    **TAIL,
    data=steps,
    system="p99 on four H100s, Llama 70B, with prefill in between",
    only={"device": "H100", "model": LARGE},
    bound=("75 %", "84 %"),
    note="More than 1 % of the steps contain a prefill, and they take several times as long.",
)
slowest_alone = Comparison(
    **TAIL,
    data=steps,
    system="p99 on H100s when prompts are rare: long answers to hard questions",
    only={"device": "H100", "task": "questions"},
    bound=("24 %", "34 %"),
    note="With a prefill in at most 1 % of the steps, the p99 is still up to 1.5 times the median.",
)
workers = Dataset("separate_workers")
SEPARATE = {**TAIL, "data": workers, "over": {"clients": "clients"}}
slowest_separate = Comparison(
    **SEPARATE,
    system="p99 of decode workers without prefill, prompts of 2,048 tokens, answers of 700 to 800",
    only={"longest": 2048, "prompt": 2048},
    bound=("38 %", "44 %"),
    note="Separate workers remove most of the tail; with prompts of 32,784 tokens the p99 was still up to six times the median.",
)
slowest_short = Comparison(
    **SEPARATE,
    system="p99 of the same workers, answers of about 60 tokens",
    only={"longest": 128},
    bound=("60 %", "75 %"),
    note="Ten times as many requests join per token, and the tail is back.",
)
little = Comparison(
    formula=rate,
    data=steps,
    measured="rate",
    columns={B: "batch", t: "step"},
    system="throughput from the batch and the time between two tokens, 10 models and server sizes",
    over={"batch": "batch"},
    bound=("8 %", "50 %"),
    note="Little's law holds except for prefill, during which a server generates no tokens.",
)

# --- a whole answer, by an older build -------------------------------------------------------

T_a = Variable("T_a", "s", "time until a batch has its answers", tex=r"T_{\mathrm{ans}}")
batch_time = (
    Derivation.start(
        T_a,
        t_m * g / token,
        "one prefill for all, short compared with the answers; then a step for each token",
        kind="model",
    )
    .apply(step_attained, "the measured step")
    .formula(assumptions="a batch that begins together; prompts short compared with answers")
)
answers = Dataset("answers_405b")
LOADED = {N: models.llama31_405b_parameters, n: "8 gpu"}
bytes_h100 = Example(bytes_loaded, {**LOADED, m_l: facts.loaded_h100}, unit="B", digits=2)
bytes_mi300x = Example(bytes_loaded, {**LOADED, m_l: facts.loaded_mi300x}, unit="B", digits=3)
GAPS = {symbol: attained.fitted_parameters[symbol.name] for symbol in attained.fit_parameters}
READ |= {"MI300X": hardware.mi300x_hbm_bandwidth}
ANSWERS = {
    "formula": batch_time,
    "data": answers,
    "measured": "latency",
    "over": {"batch": "batch"},
    "columns": {
        N: models.llama31_405b_parameters,
        l: models.llama31_405b_layers,
        kappa: serving.cache_405b,
        w: ("device", {"H100": bytes_h100, "MI300X": bytes_mi300x}),
        n: "8 gpu",
        B: "batch",
        S: Formula(S, serving.S_p + g / 2, assumptions="on average half of the answer is written"),
        serving.S_p: "prompt",
        g: "answer",
        beta: ("device", READ),
        **GAPS,
    },
}
foreign = Comparison(
    **ANSWERS,
    system="Llama 405B in FP8 on eight H100s or MI300Xs, constants of a later build of the same library",
    bound=("50 %", "60 %"),
    note="The constants of one build are too optimistic for another build, checkpoint and device: answers take 1.25 to more than 2 times as long as predicted.",
)
one_byte = Comparison(
    **ANSWERS,
    system="Llama 405B in FP8 on eight H100s, constants of a later build of the same library",
    only={"device": "H100"},
    bound=("25 %", "32 %"),
    note="No measured step with most weights in FP8 was as fast as predicted.",
)

# --- the plan of the chapter, by the clock ---------------------------------------------------

LLAMA = {**BUSY_70B, n: "4 gpu", l: models.llama31_70b_layers}
PROMISE, RENT = "20 ms", "2 USD/(gpu h)"


def parts(machine, gaps):
    """Return the fixed part of a step and the part of each request."""
    given = machine | gaps
    return (Example(f, {k: given[k] for k in f.inputs}) for f in (fixed_part, request_part))


time_with_margin = Formula(t_x, x_m * t, assumptions="every part of a step is longer by the same factor")


def kept(machine, factor=None):
    """Return the parts of a step, the largest batch that meets the latency target, and the cost of a token."""
    fixed, request = parts(machine, GAPS)
    if factor is not None:
        fixed, request = (Example(time_with_margin, {x_m: factor, t: part}) for part in (fixed, request))
    batch = Example(batch_within_target, {t: PROMISE, t_a: fixed, t_b: request})
    speed = Example(rate, {B: batch, t: PROMISE})
    return fixed, request, batch, Example(price, {c: RENT, n: machine[n], v: speed})


fixed_ours, request_ours, batch_ours, price_ours = kept(LLAMA)
# The slowest and the fastest of this model's measured steps, and the slow end for a model that was not measured.
batch_worst, price_worst = kept(LLAMA, attained.greatest)[2:]
batch_best, price_best = kept(LLAMA, attained.least)[2:]
batch_elsewhere = kept(LLAMA, attained.system_high)[2]
batch_eight, price_eight = kept({**LLAMA, n: "8 gpu"})[2:]
cache_bytes = Example(serving.cache_per_token, {**models.of("llama31_70b", serving.KV), serving.e: "1 B"})
BYTES = {**LLAMA, w: "1 B", kappa: cache_bytes}
fixed_bytes, request_bytes, batch_bytes, price_bytes = kept(BYTES)
step_32, step_128 = (Example(step_attained, {**LLAMA, **GAPS, B: batch}) for batch in ("32", "128"))

# How many tokens miss the target under random arrivals: by bytes alone, and measured.
batch_floor = Example(serving_prices.batch_of_step, {**BUSY_70B, n: "4 gpu", t: PROMISE})


def late(mean, scatter, batch):
    """Return how many tokens miss a latency target that a batch just meets."""
    shape = Example(shape_of_batch, {B: mean, sigma: scatter})
    return Example(late_tokens, {B_p: batch, B: mean, a_B: shape})


late_floor = late(serving_tails.batch_ours, serving_tails.spread_ours, batch_floor)


def served(traffic, fixed, request, batch):
    """Return the requests at work under some traffic, how far they stray, and how many tokens break the promise."""
    given = {lam: traffic, g: "512 token", t_a: fixed, t_b: request}
    mean, scatter = Example(requests_at_work, given), Example(spread, given)
    return mean, scatter, late(mean, scatter, batch)


mean_floor, spread_floor, late_floor_planned = served(
    "7.4 /s", serving_prices.read_ours, serving_prices.read_one, batch_floor
)
mean_bytes, spread_bytes, late_bytes = served("6.2 /s", fixed_bytes, request_bytes, batch_bytes)


# The one-byte plan, should its steps be slower than predicted by as much as the only measured ones were.
def slow(factor):
    """Return parts of a one-byte step that is longer by a factor, and the batch that keeps the promise."""
    parts = [Example(time_with_margin, {x_m: factor, t: part}) for part in (fixed_bytes, request_bytes)]
    return *parts, Example(batch_within_target, {t: PROMISE, t_a: parts[0], t_b: parts[1]})


fixed_slowed, request_slowed, batch_slowed = slow(one_byte.least)
fixed_slowest, request_slowest, batch_slowest = slow(one_byte.greatest)
price_slowed, price_slowest = (
    Example(price, {c: RENT, n: "4 gpu", v: Example(rate, {B: batch, t: PROMISE})})
    for batch in (batch_slowed, batch_slowest)
)

# The plan for a p99 target, by the tails of workers that read no prompts.
TAILS = (slowest_separate.least, slowest_separate.greatest)
prompts_chat = Example(prompts_of_step, {B: "8", g: "350 token"}, digits=2)
median_best, median_worst = (Example(median_needed, {t: PROMISE, x_m: tail}) for tail in TAILS)
tail_best, tail_worst = (Example(time_with_margin, {t: PROMISE, x_m: tail}) for tail in TAILS)
batch_tail_best, batch_tail_worst = (
    Example(batch_within_target, {t: median, t_a: fixed_bytes, t_b: request_bytes})
    for median in (median_best, median_worst)
)

# --- what the devices hold, and what the prompts cost --------------------------------------------

y_u = Variable(
    "y_u",
    "",
    "share of the memory that is given to weights and caches",
    tex=r"y_{\mathrm{use}}",
    low="1 %",
    high="100 %",
)
M_u = Variable(
    "M_u",
    "B/gpu",
    "memory of a device that is given to weights and caches",
    tex=r"M_{\mathrm{use}}",
    display_unit="GB/gpu",
)
usable_memory = Formula(M_u, y_u * serving.M, kind="definition", convention="of the memory that the driver reports")
memory_planned = Example(usable_memory, {y_u: "90 %", serving.M: hardware.h100_reported})
room_planned = Example(
    serving.requests, {**{k: x for k, x in BUSY_70B.items() if k is not beta}, n: "4 gpu", serving.M: memory_planned}
)
room_software = Example(
    serving_tails.slack,
    {serving.B_m: room_planned, serving_tails.B: serving_tails.batch_ours, sigma: serving_tails.spread_ours},
)
P_2 = Variable("P_2", "FLOP/s/gpu", "twice the peak", display_unit="TFLOP/s/gpu")
twice_the_peak = Example(Formula(P_2, 2 * serving.P, kind="definition"), {serving.P: serving.H100_PEAK})
prompt_twice = Example(
    serving_prices.price_of_prompt,
    {N: models.llama31_70b_parameters, c: RENT, serving.P: twice_the_peak, serving.u: "50 %"},
)
REQUEST = {serving.S_p: "3840 token", g: "512 token"}
thousand_prompts = Formula(
    serving_prices.p_k, 1000 * serving_prices.p_p * serving.S_p, assumptions="workers that are always busy"
)
thousand_answers = Formula(serving_prices.p_k, 1000 * serving.p * g, assumptions="workers that are always busy")
PROMPT = {serving_prices.p_p: serving_prices.prompt_ours}
bill_of_prompts = Example(thousand_prompts, {**PROMPT, serving.S_p: "3840 token"})


def bill(of_answers):
    """Return what the answers of a thousand requests cost, with their prompts, and with prompts at twice the peak."""
    given = {serving.p: of_answers, **REQUEST}
    return (
        Example(thousand_answers, {serving.p: of_answers, g: "512 token"}),
        Example(serving_prices.thousand_of_tokens, {**PROMPT, **given}),
        Example(serving_prices.thousand_of_tokens, {serving_prices.p_p: prompt_twice, **given}),
    )


answers_floor, thousand_twice = bill(serving_prices.price_20)[::2]
answers_ours, thousand_ours, ours_twice = bill(price_ours)
answers_bytes, thousand_bytes, bytes_twice = bill(price_bytes)
answers_slowest, thousand_slowest, slowest_twice = bill(price_slowest)

# --- arrivals, and prompts that were read before ---------------------------------------------

tau_w = Variable("tau_w", "s", "length of a window", tex=r"\tau_{\mathrm{w}}", low="1 ms", high="10 d")
s_c = Variable("s_c", "", "standard deviation of the requests in a window", tex=r"s_{\mathrm{w}}")
counted = Formula(s_c, sqrt(lam * tau_w), assumptions="requests arrive independently of one another")
arrivals = Dataset("arrivals")
WINDOWS = {
    "formula": counted,
    "data": arrivals,
    "measured": "scatter",
    "columns": {lam: "rate", tau_w: "window"},
    "over": {"window": "window"},
}
bursts = Comparison(
    **WINDOWS,
    system="requests for code completion, an hour of 2023",
    only={"trace": "code completion"},
    bound=("95 %", "97 %"),
    note="Editors send requests in bursts: the count per minute has ten times the standard deviation of independent arrivals.",
)
talk = Comparison(
    **WINDOWS,
    system="requests of chats, an hour of 2025",
    only={"trace": "conversation"},
    bound=("35 %", "50 %"),
    note="Chat requests arrive more evenly, but not independently.",
)
h_p = Variable(
    "h_p",
    "",
    "share of a prompt that is found in the cache",
    tex=r"h_{\mathrm{p}}",
    display_unit="%",
    low="0 %",
    high="99.9 %",
    zero=True,
)
S_u = Variable("S_u", "token", "tokens of a prompt that are to be read", tex=r"S_{\mathrm{u}}")
uncached = Formula(S_u, serving.S_p * (1 - h_p), assumptions="the cached prefix is still in memory")

# --- explorer ------------------------------------------------------------------------------------

OURS = {N: 70553706496, l: 80, beta: 3350 * 10**9 * One("B") / (One("s") * One("gpu")), kappa: 163840 * w / token}
HELD = 77 * 10**9 * One("B") / One("gpu") * n  # 90 % of the memory that the driver reports
filled_clock = Formula(
    serving.y_m,
    (w * 70553706496 + 163840 * w / token * S * B) / HELD,
    assumptions="90 % of the memory that the driver reports",
)
IT_FITS = filled_clock.rhs <= 1
REAL = ((IT_FITS, "weights and caches do not fit into the memory, and no step time is real"),)
PAID = 2 * One("USD") / (3600 * One("s") * One("gpu"))
step_clock = (
    Derivation.start(step_attained)
    .apply(OURS, "Llama 3.1 70B on H100, cache and weights in one format")
    .formula(validity=REAL, convention="measured constants")
)
step_bytes = (
    Derivation.start(step_memory)
    .apply(
        {symbol: x for symbol, x in OURS.items() if symbol is not l},
        "Llama 3.1 70B on H100, cache and weights in one format",
    )
    .formula(assumptions="below the critical batch", validity=REAL, convention="bytes over bandwidth")
)
price_clock = (
    Derivation.start(price)
    .apply({v: B * token / t_m, c: PAID}, "a token for each request and step; two dollars for a device-hour")
    .apply(step_clock, "the measured step")
    .formula(domain=(IT_FITS,), validity=())
)
room_clock = Formula(
    serving.B_m,
    rounded_down(Max(0, (HELD - w * 70553706496) / (163840 * w / token * S))),
    assumptions="whole requests, in 90 % of the memory that the driver reports",
)
calculators = read_calculators(__name__)
