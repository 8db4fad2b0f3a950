"""Many workers behind one queue, and the p99: Erlang's formula, tails, and headroom."""

from sympy import Integral, ceiling, exp, factorial, gamma, log, oo, sqrt, uppergamma

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters.serving import B_m, c, n
from mathcore.chapters.serving import prices as serving_prices
from mathcore.chapters.serving import queues as serving_queues
from mathcore.chapters.serving.prices import cost_rate
from mathcore.chapters.serving.queues import B, g, lam, requests_at_work, rho, t_a, t_b, t_q, t_s, token
from mathcore.chapters.serving.simulation import late_first_tokens, late_shares, spread_in_flight
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols: those of the queue, and these ---------------------------------------------------

a = Variable("a", "", "offered load: workers that would be busy on average", low="0.001", high="500")
m = Variable("m", "", "workers behind the queue", alias="servers", low="1", high="700", integer=True)
A = Variable(
    "A",
    "",
    "weight of the states in which a new request waits, by the Poisson distribution",
    low="0",
    high="1e9",
    zero=True,
)
F = Variable(
    "F", "", "weight of the states in which a worker is free, by the Poisson distribution", low="0", high="1", zero=True
)
f_w = Variable(
    "f_w", "", "share of requests that wait at all", tex=r"f_{\mathrm{wait}}", display_unit="%", low="1e-12", high="1"
)
t_z = Variable(
    "t_z", "s", "limit of the wait", tex=r"t_{\mathrm{lim}}", display_unit="ms", low="0 s", high="10 d", zero=True
)
f_l = Variable(
    "f_l", "", "share of requests that wait longer than the limit", tex=r"f_{\mathrm{late}}", display_unit="%"
)
nu = Variable("nu", "1/s", "rate at which the queue drains", tex=r"\nu", low="0.0001 /s", high="1000000 /s")
f_1 = Variable(
    "f_1", "", "share of late requests with a queue for each worker", tex=r"f_{\mathrm{late},1}", display_unit="%"
)
T_z = Variable("T_z", "s", "limit of the time to the first token", tex=r"T_{\mathrm{lim}}", low="1 us", high="10 d")
f_t = Variable(
    "f_t", "", "share of first tokens that come later than the limit", tex=r"f_{\mathrm{first}}", display_unit="%"
)
z = Variable("z", "", "share of requests that may wait longer", low="0.000001", high="0.5", display_unit="%")
t_o = Variable("t_o", "s", "wait exceeded only by the allowed share of requests", tex=r"t_{z}", display_unit="ms")
m_z = Variable("m_z", "", "workers by square-root staffing", tex=r"m_{\mathrm{root}}")
h = Variable("h", "", "workers above the load, in square roots of the load", low="0.1", high="5")
q_2 = Variable("q_2", "", "mean square of the requests at work", tex=r"\langle B^2\rangle", low="0", high="1e18")
sigma = Variable("sigma", "", "standard deviation of the requests at work", tex=r"\sigma_{B}", low="0", high="1e9")
y_b = Variable(
    "y_b", "", "requests that fit beyond the mean, in standard deviations", tex=r"y_{\sigma}", low="-1e9", high="1e9"
)

# --- one queue before many workers -----------------------------------------------------------

offered = Formula(a, lam * t_s, kind="definition")
all_busy = Formula(
    A,
    a**m * exp(-a) / factorial(m) * m / (m - a),
    assumptions="each further request in the queue is less likely by the factor $a/m$: a geometric sum",
    domain=(a < m,),
)
some_free = Formula(
    F, uppergamma(m, a) / gamma(m), assumptions="fewer than m in service: a Poisson distribution with mean $a$"
)
MARKOV = (
    "requests arrive independently of one another",
    "service times have an exponential distribution",
    "one queue, first come first served",
)
erlang_c = (
    Derivation.start(
        f_w,
        A / (A + F),
        "a new request finds each state with its weight, and waits if all workers are busy",
        kind="model",
    )
    .apply(
        {A: all_busy, F: some_free},
        "both weights; a common factor cancels",
        display_form=1 / (1 + (m - a) * exp(a) * uppergamma(m, a) / a**m),
        routine=True,
    )
    .formula(assumptions=MARKOV)
)
drain = Formula(
    nu,
    (m - a) / t_s,
    assumptions="all workers are busy: m services end in the time in which a requests arrive",
    domain=(a < m,),
)
late_share = (
    Derivation.start(
        f_l,
        f_w * exp(-nu * t_z),
        "the wait is exponential: a geometric number of requests is ahead, each for an exponential time",
        kind="model",
    )
    .apply({nu: drain}, "rate at which the queue drains")
    .formula(assumptions=MARKOV)
)
wait_of_many = (
    Derivation.start(
        t_q, Integral(f_w * exp(-nu * t_z), (t_z, 0, oo)), "the mean is the area under the tail", kind="model"
    )
    .rewrite(f_w / nu, "the area under an exponential")
    .apply({nu: drain}, "rate at which the queue drains")
    .formula(assumptions=MARKOV)
)
late_limit = (
    Derivation.balance(f_w * exp(-nu * t_o), z, "exactly this share waits longer")
    .solve_for(t_o, log(f_w / z) / nu, "take the logarithm", routine=True)
    .apply({nu: drain}, "rate at which the queue drains")
    .formula(assumptions=(*MARKOV, "more than this share waits at all"), domain=(a < m, z < f_w))
)
late_first = (
    Derivation.start(
        f_t,
        exp(-T_z / t_s) + f_w * Integral(exp(-nu * t_z) * exp(-(T_z - t_z) / t_s) / t_s, (t_z, 0, T_z)),
        "the prompt alone takes too long, or its prefill begins after a wait and ends after the limit",
        kind="model",
    )
    .rewrite(
        exp(-T_z / t_s) + f_w * (exp(-T_z / t_s) - exp(-nu * T_z)) / (nu * t_s - 1), "the integral of an exponential"
    )
    .apply({nu: drain}, "rate at which the queue drains")
    .formula(assumptions=MARKOV)
)
late_for_many = Derivation.start(late_share).apply({f_w: erlang_c}, "the share that waits at all").formula()
late_for_one = (
    Derivation.start(
        f_1, (a / m) * exp(-(1 - a / m) * t_z / t_s), "a worker with its own part of the traffic", kind="model"
    )
    .rewrite(a * exp(-(m - a) * t_z / (m * t_s)) / m, "each queue drains m times as slowly")
    .formula(kind="model", assumptions=(*MARKOV[:2], "requests are assigned at random"), domain=(a < m,))
)
square_root_staffing = Formula(
    m_z,
    ceiling(a + h * sqrt(a)),
    assumptions="a is not small: the standard deviation of the load is its square root",
    convention="square-root staffing",
)

# --- how far the batch strays -----------------------------------------------------------------

mean_square = (
    Derivation.balance(
        q_2,
        lam * g / token * (t_a * (1 + B) + t_b * (q_2 + 2 * B + 1)),
        "from $k$ at work to $k+1$ as many go as come back: $\\lambda p_k = (k+1)\\,p_{k+1} / g\\,t_{k+1}$, with "
        "$t_k = t_{\\mathrm{a}} + t_{\\mathrm{b}} k$; times $(k+1)\\,g\\,t_{k+1}$ and summed over all $k$",
        kind="model",
    )
    .solve_for(
        q_2,
        lam * g * (t_a * (1 + B) + t_b * (2 * B + 1)) / (token - lam * g * t_b),
        "the mean square stands on both sides",
    )
    .formula(
        assumptions=(
            "requests arrive independently of one another",
            "a step takes $t_{\\mathrm{a}} + t_{\\mathrm{b}} B$, and every request takes part at once",
        ),
        domain=(lam * g * t_b < token,),
    )
)
spread = (
    Derivation.balance(sigma**2, q_2 - B**2, "the mean square minus the square of the mean", kind="definition")
    .apply(mean_square, "the mean square", routine=True)
    .apply(requests_at_work, "the mean", routine=True)
    .solve_for(
        sigma,
        sqrt(lam * g * (t_a + t_b) / token) / (1 - lam * g * t_b / token),
        "the square root of a batch without slowdown, increased by the load",
    )
    .formula()
)

slack = Formula(y_b, (B_m - B) / sigma, kind="definition")

# --- for the explorer -------------------------------------------------------------------------

busy_share = Formula(rho, a / m, kind="definition", assumptions="the load is shared evenly")
late_first_explored = Derivation.start(late_first).apply({f_w: erlang_c}, "the share that waits at all").formula()
wait_explored = Derivation.start(wait_of_many).apply({f_w: erlang_c}, "the share that waits").formula()

# --- worked examples --------------------------------------------------------------------------

MACHINE = {g: "512 token", t_a: serving_prices.read_ours, t_b: serving_prices.read_one}
offered_9 = Example(offered, {lam: "9 /s", t_s: serving_prices.prefill_ours})
offered_90 = Example(offered, {lam: "90 /s", t_s: serving_prices.prefill_ours})
erlang_3 = Example(erlang_c, {a: offered_9, m: "3"}, digits=2)
erlang_4 = Example(erlang_c, {a: offered_9, m: "4"}, digits=2)
erlang_28 = Example(erlang_c, {a: offered_90, m: "28"}, digits=2)
mean_3 = Example(wait_of_many, {f_w: erlang_3, a: offered_9, m: "3", t_s: serving_prices.prefill_ours})
slow_3 = Example(
    late_limit, {f_w: erlang_3, z: "1 %", a: offered_9, m: "3", t_s: serving_prices.prefill_ours}, unit="s"
)
slow_4 = Example(
    late_limit, {f_w: erlang_4, z: "1 %", a: offered_9, m: "4", t_s: serving_prices.prefill_ours}, unit="s"
)
slow_28 = Example(
    late_limit, {f_w: erlang_28, z: "1 %", a: offered_90, m: "28", t_s: serving_prices.prefill_ours}, unit="s"
)
FIRST = {a: offered_9, T_z: "1 s", t_s: serving_prices.prefill_ours}
late_first_4 = Example(late_first_explored, {**FIRST, m: "4"}, digits=2)
late_first_alone = Example(late_first, {**FIRST, f_w: "1e-9", m: "4"}, digits=2)
load_4 = Example(busy_share, {a: offered_9, m: "4"}, digits=2)
load_28 = Example(busy_share, {a: offered_90, m: "28"}, digits=2)
spread_ours = Example(spread, {lam: "9 /s", **MACHINE})
batch_ours = Example(requests_at_work, {lam: "9 /s", **MACHINE})
step_ours = Example(serving_queues.time_under_load, {lam: "9 /s", **MACHINE})
most_ours = Example(serving_queues.most_traffic, {g: "512 token", t_b: serving_prices.read_one})
saved = Example(cost_rate, {c: "2 USD/(gpu h)", n: "48 gpu"})

# --- simulations ------------------------------------------------------------------------------

pool_of_four = Simulation(erlang_c, {a: "2.5", m: "4"}, late_shares, runs=400)
pool_of_ten = Simulation(erlang_c, {a: "8", m: "10"}, late_shares, runs=400)
late_in_pool = Simulation(late_for_many, {a: "2.5", m: "4", t_s: "1 s", t_z: "1 s"}, late_shares, runs=400)
first_of_four = Simulation(late_first_explored, {a: "2.5", m: "4", t_s: "1 s", T_z: "3 s"}, late_first_tokens, runs=400)
straying = Simulation(
    spread,
    {lam: "15 /s", g: "500 token", t_a: "10 ms", t_b: "0.1 ms"},
    spread_in_flight,
    runs=400,
    options={"warm": 30000, "events": 30000},
)

# --- explorer ---------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
