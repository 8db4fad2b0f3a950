"""Serving, measured: what a step really takes, and what that makes of a promise."""

from sympy import Rational, erfc, sqrt
from sympy import floor as rounded_down

from mathcore import Derivation, Example, Formula, Max, One, Variable, read_facts
from mathcore.chapters import hardware, models, serving, serving_prices, serving_tails
from mathcore.chapters.serving import BUSY_70B, B, N, S, beta, c, kappa, l, n, price, rate, step_memory, t, token, v, w
from mathcore.chapters.serving_queue import g, lam, requests_at_work, t_a, t_b
from mathcore.chapters.serving_tails import sigma, spread
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import read_explorers

# --- letters -------------------------------------------------------------------------------

eta_b = Variable(
    "eta_b", "", "share of the bandwidth that is attained", tex=r"\eta_{\mathrm{b}}", shown="%", low="1 %", high="100 %"
)
t_y = Variable("t_y", "s", "fixed time of a layer", tex=r"t_{\mathrm{layer}}", shown="µs", low="0.01 us", high="10 ms")
t_r = Variable(
    "t_r",
    "s",
    "time that a request adds beside its cache",
    tex=r"t_{\mathrm{req}}",
    shown="µs",
    low="0.01 us",
    high="10 ms",
)
t_m = Variable("t_m", "s", "time between two tokens, as attained", tex=r"t_{\mathrm{att}}", shown="ms")
B_p = Variable("B_p", "", "largest batch that keeps a promise", tex=r"B_{\mathrm{p}}", low="0.1", high="100000")
x_m = Variable("x_m", "", "time measured over time predicted", tex=r"x_{\mathrm{meas}}", low="0.1", high="100")
t_x = Variable("t_x", "s", "time that is to be expected after that", tex=r"t_{\mathrm{meas}}", shown="ms")
f_s = Variable("f_s", "", "share of steps that break a promise", tex=r"f_{\mathrm{step}}", shown="%")
S_0 = Variable("S_0", "token", "tokens of a prompt", low="1 token", high="10 Mtoken")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what a step takes ---------------------------------------------------------------------

step_attained = (
    Derivation.start(
        t_m,
        t / eta_b + l * t_y + B * t_r,
        "reading at the bandwidth that is attained; launches and exchanges in every layer; work for every request",
        kind="model",
    )
    .use({t: step_memory}, "what must be read")
    .formula(
        when=("below the critical batch", "each layer split over all devices"),
        convention="time between two tokens of a request, with what bytes alone do not explain",
    )
)
fixed_part = Formula(
    t_a, w * N / (n * beta * eta_b) + l * t_y, when="the part of a step that does not depend on the batch"
)
request_part = Formula(t_b, kappa * S / (n * beta * eta_b) + t_r, when="the part of a step that each request adds")
batch_promised = (
    Derivation.balance(t, t_a + t_b * B_p, "the step takes just what was promised")
    .solve_for(B_p, (t - t_a) / t_b, "what the fixed part leaves, in requests")
    .formula(valid=(t > t_a,))
)
late_steps = Formula(
    f_s,
    erfc((B_p - B) / (sqrt(2) * sigma)) * Rational(1, 2),
    when=(
        "the number at work scatters about as a normal law does",
        "a step breaks the promise when more are at work than keep it",
    ),
)
context = Formula(S, S_0 + g / 2, when="an answer is met half written, on average")

# --- what was measured ---------------------------------------------------------------------

steps = Dataset("decode_steps")
READ = {"H100": hardware.h100_hbm_bandwidth.per("gpu"), "B200": hardware.b200_hbm_bandwidth.per("gpu")}
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
STEPS = {"data": steps, "measured": "step", "by": BY, "over": {"batch": "batch"}}
LARGE = ("Llama-3.1-70B", "Llama-3.3-70B")
floor = Comparison(
    **STEPS,
    formula=step_memory,
    system="Llama 70B on four H100, bytes over bandwidth",
    also=(serving.step, serving.read_weights, serving.read_cache),
    only={"device": "H100", "model": LARGE},
    bound=("70 %", "80 %"),
    note="The floor: with two or three hundred at work a step takes three times as long as its bytes.",
)
BY_CLOCK = {
    **STEPS,
    "formula": step_attained,
    "free": {eta_b: ("40 %", "99 %"), t_y: ("2 us", "500 us"), t_r: ("2 us", "500 us")},
}
attained = Comparison(
    **BY_CLOCK,
    system="Llama 70B on four H100, after a fit on models of 8 to 33 billion on one and two",
    only={"device": "H100"},
    judge={"model": LARGE},
    bound=("8 %", "12 %"),
    note="Three numbers fitted to small models predict a large one on a machine that the fit has not seen.",
)
newer = Comparison(
    **BY_CLOCK,
    system="Llama 405B on eight B200, after a fit on 8B and 70B on one and two",
    only={"device": "B200"},
    judge={"model": "Llama-3.1-405B"},
    bound=("12 %", "30 %"),
    note="A smaller share of the bandwidth than before, and a request adds no less time: the newer device is further from its bytes.",
)

little = Comparison(
    formula=rate,
    data=steps,
    measured="rate",
    by={B: "batch", t: "step"},
    system="throughput from the batch and the time between two tokens, 10 models and sizes of machine",
    over={"batch": "batch"},
    bound=("8 %", "50 %"),
    note="Little's law holds to what prompts take: the busier a machine is with prompts, the more of its time makes no token.",
)

# --- a whole answer, by other software -------------------------------------------------------

T_a = Variable("T_a", "s", "time until a batch has its answers", tex=r"T_{\mathrm{ans}}")
answered = (
    Derivation.start(
        T_a,
        t_m * g / token,
        "the prompts are read at once and are short beside the answers: a step for each token",
        kind="model",
    )
    .use(step_attained, "the step by the clock")
    .formula(when="a batch that begins together; prompts short against answers")
)
answers = Dataset("answers_405b")
GAPS = {letter: attained.gaps[letter.name] for letter in attained.free}
READ |= {"MI300X": hardware.mi300x_hbm_bandwidth.per("gpu")}
ANSWERS = {
    "formula": answered,
    "data": answers,
    "measured": "latency",
    "over": {"batch": "batch"},
    "by": {
        N: models.llama31_405b_parameters,
        l: models.llama31_405b_layers,
        kappa: serving.cache_405b,
        w: "1 B",
        n: "8 gpu",
        B: "batch",
        S: Formula(S, serving.S_p + g / 2, when="an answer is met half written, on average"),
        serving.S_p: "prompt",
        g: "answer",
        beta: ("device", READ),
        **GAPS,
    },
}
foreign = Comparison(
    **ANSWERS,
    system="Llama 405B in FP8 on eight H100 or MI300X, with the numbers of another library",
    bound=("55 %", "70 %"),
    note="Numbers fitted to one library are too optimistic for another: answers take one and a half times to twice as long as predicted.",
)
one_byte = Comparison(
    **ANSWERS,
    system="Llama 405B with weights of one byte on eight H100, with the numbers of another library",
    only={"device": "H100"},
    bound=("35 %", "65 %"),
    note="The only steps with weights of one byte, on the device of the plan: none was as fast as predicted, one took two and a half times as long.",
)
prompts_read = Example(
    serving.prefill,
    {
        N: models.llama31_405b_parameters,
        serving.S_p: "128 token",
        B: "32",
        n: "8 gpu",
        serving.P: hardware.h100_fp8.per("gpu"),
        serving.u: "50 %",
        serving.t_0: "0 s",
    },
    unit="s",
    digits=1,
)

# --- the plan of the chapter, by the clock ---------------------------------------------------

WORST = {eta_b: GAPS[eta_b].edge("low"), t_y: GAPS[t_y].edge("high"), t_r: GAPS[t_r].edge("high")}
BEST = {eta_b: GAPS[eta_b].edge("high"), t_y: GAPS[t_y].edge("low"), t_r: GAPS[t_r].edge("low")}
LLAMA = {**BUSY_70B, n: "4 gpu", l: models.llama31_70b_layers}
PROMISE, RENT = "20 ms", "2 USD/(gpu h)"


def parts(machine, gaps):
    """Return the fixed part of a step and the part of each request."""
    given = machine | gaps
    return (Example(f, {k: given[k] for k in f.inputs}) for f in (fixed_part, request_part))


def kept(machine, gaps=GAPS):
    """Return parts of a step, the batch that keeps the promise, and what a token costs."""
    fixed, request = parts(machine, gaps)
    batch = Example(batch_promised, {t: PROMISE, t_a: fixed, t_b: request})
    speed = Example(rate, {B: batch, t: PROMISE})
    return fixed, request, batch, Example(price, {c: RENT, n: machine[n], v: speed})


fixed_ours, request_ours, batch_ours, price_ours = kept(LLAMA)
batch_worst, price_worst = kept(LLAMA, WORST)[2:]
batch_best, price_best = kept(LLAMA, BEST)[2:]
batch_quick = kept(LLAMA, {**GAPS, t_y: GAPS[t_y].edge("low")})[2]
batch_slow = kept(LLAMA, {**GAPS, t_y: GAPS[t_y].edge("high")})[2]
batch_eight, price_eight = kept({**LLAMA, n: "8 gpu"})[2:]
cache_bytes = Example(serving.cache_per_token, {**models.of("llama31_70b", serving.KV), serving.e: "1 B"})
BYTES = {**LLAMA, w: "1 B", kappa: cache_bytes}
fixed_bytes, request_bytes, batch_bytes, price_bytes = kept(BYTES)
batch_bytes_worst, price_bytes_worst = kept(BYTES, WORST)[2:]
batch_bytes_best, price_bytes_best = kept(BYTES, BEST)[2:]
step_32, step_128 = (Example(step_attained, {**LLAMA, **GAPS, B: batch}) for batch in ("32", "128"))

# How many steps break the promise, when requests come as they please: by the floor, and by the clock.
batch_floor = Example(serving_prices.batch_of_step, {**BUSY_70B, n: "4 gpu", t: PROMISE})
late_floor = Example(late_steps, {B_p: batch_floor, B: serving_tails.batch_ours, sigma: serving_tails.spread_ours})


def served(traffic, fixed, request, batch):
    """Return the requests at work under some traffic, how far they stray, and how many steps break the promise."""
    given = {lam: traffic, g: "512 token", t_a: fixed, t_b: request}
    mean, scatter = Example(requests_at_work, given), Example(spread, given)
    return mean, scatter, Example(late_steps, {B_p: batch, B: mean, sigma: scatter})


mean_floor, spread_floor, late_floor_planned = served(
    "7.6 /s", serving_prices.read_ours, serving_prices.read_one, batch_floor
)
mean_bytes, spread_bytes, late_bytes = served("6.4 /s", fixed_bytes, request_bytes, batch_bytes)

# The one-byte plan, should its steps be slower than predicted by as much as the only measured ones were.
slowed = Formula(t_x, x_m * t, when="every part of a step is longer by the same factor")
fixed_slowed, request_slowed = (
    Example(slowed, {x_m: one_byte.least, t: part}) for part in (fixed_bytes, request_bytes)
)
fixed_slowest = Example(slowed, {x_m: one_byte.greatest, t: fixed_bytes})
batch_slowed = Example(batch_promised, {t: PROMISE, t_a: fixed_slowed, t_b: request_slowed})
price_slowed = Example(price, {c: RENT, n: "4 gpu", v: Example(rate, {B: batch_slowed, t: PROMISE})})
SLOWED = (fixed_slowed, request_slowed, batch_slowed)  # of 9 requests a second, on three, four or five machines
mean_three, spread_three, late_three = served("3 /s", *SLOWED)
mean_four, spread_four, late_four = served("2.25 /s", *SLOWED)
mean_five, spread_five, late_five = served("1.8 /s", *SLOWED)

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
    "M_u", "B/gpu", "memory of a device that is given to weights and caches", tex=r"M_{\mathrm{use}}", shown="GB/gpu"
)
usable = Formula(M_u, y_u * serving.M, kind="definition", convention="of the memory that the driver reports")
memory_planned = Example(usable, {y_u: "90 %", serving.M: hardware.h100_reported.per("gpu")})
room_planned = Example(
    serving.requests, {**{k: x for k, x in BUSY_70B.items() if k is not beta}, n: "4 gpu", serving.M: memory_planned}
)
P_2 = Variable("P_2", "FLOP/s/gpu", "twice the peak", shown="TFLOP/s/gpu")
twice_the_peak = Example(Formula(P_2, 2 * serving.P, kind="definition"), {serving.P: serving.H100_PEAK})
prompt_twice = Example(
    serving_prices.price_of_prompt,
    {N: models.llama31_70b_parameters, c: RENT, serving.P: twice_the_peak, serving.u: "50 %"},
)
REQUEST = {serving.S_p: "3840 token", g: "512 token"}
thousand_twice = Example(
    serving_prices.thousand_of_tokens, {serving_prices.p_p: prompt_twice, serving.p: serving_prices.price_20, **REQUEST}
)
PROMPT = {serving_prices.p_p: serving_prices.prompt_ours}
thousand_ours = Example(serving_prices.thousand_of_tokens, {**PROMPT, serving.p: price_ours, **REQUEST})
thousand_bytes = Example(serving_prices.thousand_of_tokens, {**PROMPT, serving.p: price_bytes, **REQUEST})
thousand_fleet = Example(serving_prices.thousand_of_devices, {c: RENT, n: "24 gpu", lam: "9 /s"})
thousand_slowed = Example(serving_prices.thousand_of_devices, {c: RENT, n: "36 gpu", lam: "9 /s"})

# --- arrivals, and prompts that were read before ---------------------------------------------

tau_w = Variable("tau_w", "s", "length of a window", tex=r"\tau_{\mathrm{w}}", low="1 ms", high="10 d")
s_c = Variable("s_c", "", "standard deviation of the requests in a window", tex=r"s_{\mathrm{w}}")
counted = Formula(s_c, sqrt(lam * tau_w), when="requests arrive independently of one another")
arrivals = Dataset("arrivals")
WINDOWS = {
    "formula": counted,
    "data": arrivals,
    "measured": "scatter",
    "by": {lam: "rate", tau_w: "window"},
    "over": {"window": "window"},
}
bursts = Comparison(
    **WINDOWS,
    system="requests for code completion, an hour of 2023",
    only={"trace": "code completion"},
    bound=("95 %", "97 %"),
    note="Editors send requests in bursts: a minute's count scatters ten times as much as independent arrivals would.",
)
talk = Comparison(
    **WINDOWS,
    system="requests of conversations, an hour of 2025",
    only={"trace": "conversation"},
    bound=("35 %", "50 %"),
    note="People who talk come more evenly, and still not independently.",
)
h_p = Variable(
    "h_p",
    "",
    "share of a prompt that is found in the cache",
    tex=r"h_{\mathrm{p}}",
    shown="%",
    low="0 %",
    high="99.9 %",
    zero=True,
)
S_u = Variable("S_u", "token", "tokens of a prompt that are to be read", tex=r"S_{\mathrm{u}}")
uncached = Formula(S_u, serving.S_p * (1 - h_p), when="what was read before is still in memory, and as long")
left_to_read = Example(uncached, {serving.S_p: "3840 token", h_p: facts.prefix_hits})
thousand_cached = Example(
    serving_prices.thousand_of_tokens, {**PROMPT, serving.p: price_bytes, serving.S_p: left_to_read, g: "512 token"}
)

# --- explorer ------------------------------------------------------------------------------------

OURS = {N: 70553706496, l: 80, beta: 3350 * 10**9 * One("B") / (One("s") * One("gpu")), kappa: 163840 * w / token}
HELD = 77 * 10**9 * One("B") / One("gpu") * n  # nine tenths of the memory that the driver reports
filled_clock = Formula(
    serving.y_m,
    (w * 70553706496 + 163840 * w / token * S * B) / HELD,
    when="nine tenths of the memory that the driver reports",
)
IT_FITS = filled_clock.rhs <= 1
REAL = ((IT_FITS, "weights and caches do not fit into the memory, and no step time is real"),)
PAID = 2 * One("USD") / (3600 * One("s") * One("gpu"))
step_clock = (
    Derivation.start(step_attained)
    .use(OURS, "Llama 3.1 70B on H100, cache and weights in one format")
    .formula(when="below the critical batch", regime=REAL, convention="by the clock")
)
step_bytes = (
    Derivation.start(step_memory)
    .use(
        {letter: x for letter, x in OURS.items() if letter is not l},
        "Llama 3.1 70B on H100, cache and weights in one format",
    )
    .formula(when="below the critical batch", regime=REAL, convention="bytes over bandwidth")
)
price_clock = (
    Derivation.start(price)
    .use({v: B * token / t_m, c: PAID}, "a token for each conversation and step; two dollars for a device-hour")
    .use(step_clock, "the step by the clock")
    .formula(when="the machine is busy all the time", valid=(IT_FITS,))
)
room_clock = Formula(
    serving.B_m,
    rounded_down(Max(0, (HELD - w * 70553706496) / (163840 * w / token * S))),
    when="whole conversations, in nine tenths of the memory that the driver reports",
)
explorers = read_explorers(__name__)
