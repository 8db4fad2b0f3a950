"""Serving under load: how long a request waits, how many are at work, and when traffic is too much."""

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters.serving import B, N, P, S_p, T, beta, n, t, token, w
from mathcore.chapters.serving.simulation import in_flight, waits
from mathcore.chapters.training import FLOP
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols: B, S, S_p, T, t, n, N, P, w, beta and kappa are those of the serving chapter ------

lam = Variable(
    "lam", "1/s", "requests per unit of time", alias="request_rate", tex=r"\lambda", low="0.0001 /s", high="100000 /s"
)
t_s = Variable(
    "t_s", "s", "mean time of a service", alias="service_time", tex=r"t_{\mathrm{s}}", low="1 us", high="1 d"
)
c_v = Variable(
    "c_v", "", "standard deviation of a service over its mean", tex=r"c_{\mathrm{v}}", low="0", high="10", zero=True
)
rho = Variable(
    "rho", "", "share of time the server is busy", tex=r"\rho", display_unit="%", low="0.01 %", high="99.99 %"
)
r = Variable("r", "s", "time until the service in progress ends, at an arrival")
t_q = Variable(
    "t_q",
    "s",
    "wait before the service begins",
    tex=r"t_{\mathrm{wait}}",
    display_unit="ms",
    low="0 s",
    high="10 d",
    zero=True,
)
t_1 = Variable("t_1", "s", "time to the first token under load", display_unit="ms")
g = Variable("g", "token", "tokens of an answer", alias="answer", low="1 token", high="100 Mtoken")
t_a = Variable(
    "t_a",
    "s",
    "part of a step that does not depend on the batch",
    tex=r"t_{\mathrm{a}}",
    display_unit="ms",
    low="1 us",
    high="1 d",
)
t_b = Variable(
    "t_b",
    "s",
    "part of a step that each request adds",
    tex=r"t_{\mathrm{b}}",
    display_unit="ms",
    low="1 ns",
    high="1 h",
)
lam_max = Variable("lam_max", "1/s", "upper limit of the request rate", tex=r"\lambda_{\max}")
t_l = Variable("t_l", "s", "time between two tokens under load", tex=r"t_{\mathrm{load}}", display_unit="ms")
k = Variable("k", "token", "tokens freed per step")
x_p = Variable("x_p", "", "prefill workers for each decode worker", tex=r"x_{\mathrm{p}}")
n_p = Variable("n_p", "gpu", "prefill servers", tex=r"n_{\mathrm{p}}", low="1 gpu", high="10000000 gpu", integer=True)
n_d = Variable("n_d", "gpu", "decode servers", tex=r"n_{\mathrm{d}}", low="1 gpu", high="10000000 gpu", integer=True)
q_0 = Variable("q_0", "token", "prompt tokens that a step processes at no extra time")

# --- one at a time: prompts in a queue -----------------------------------------------------

load = Formula(rho, lam * t_s, kind="definition", domain=(lam * t_s < 1,))
residual = (
    Derivation.start(
        r,
        rho * t_s * (1 + c_v**2) / 2,
        "an arrival finds a service in progress with probability $\\rho$, a long one in proportion to its length, and half "
        "of it is left on average: mean square over twice the mean",
        kind="model",
    )
    .apply(load, "the load")
    .formula(assumptions="requests arrive independently of one another")
)
wait = (
    Derivation.balance(
        t_q,
        r + lam * t_q * t_s,
        "the service in progress must end, and all queued requests must be served: Little's law counts them",
        kind="model",
        routine=True,
    )
    .solve_for(t_q, r / (1 - lam * t_s), "the wait stands on both sides")
    .apply({r: residual}, "what is running", routine=True)
    .formula(assumptions="first come, first served, one at a time")
)
wait_of_load = Derivation.start(wait).apply({lam: rho / t_s}, "in terms of the load", justified_by=load).formula()
first_token = (
    Derivation.start(t_1, t_q + t_s, "the wait, and the prompt's own prefill")
    .apply({t_q: wait_of_load}, "the wait")
    .formula(assumptions="prompts are processed one at a time")
)

# --- all at once: answers that share a machine ---------------------------------------------

requests_at_work = (
    Derivation.balance(
        B,
        lam * g * (t_a + t_b * (B + 1)) / token,
        "Little's law: the batch is the rate times the time of a request, in steps with the request itself",
        kind="model",
    )
    .solve_for(B, lam * g * (t_a + t_b) / (token - lam * g * t_b), "the batch stands on both sides")
    .formula(
        assumptions=(
            "requests arrive independently of one another",
            "a step takes $t_{\\mathrm{a}} + t_{\\mathrm{b}} B$, and a request joins at once",
        ),
        domain=(lam * g * t_b < token,),
    )
)
time_under_load = (
    Derivation.start(t_l, B * token / (lam * g), "Little's law: the time in the batch over the tokens")
    .apply({B: requests_at_work}, "the requests at work")
    .rewrite((t_a + t_b) / (1 - lam * g * t_b / token), "the step of a single request, lengthened by the load")
    .formula()
)
most_traffic = (
    Derivation.balance(lam_max * g * t_b, token, "the batch grows without bound when the requests' parts fill all time")
    .solve_for(lam_max, token / (g * t_b), "the fixed part of a step does not matter, because a large batch shares it")
    .formula(assumptions="memory for any batch")
)

# --- prompts and answers on one machine, or on two -----------------------------------------

freed = (
    Derivation.start(
        k,
        B * (token / g) * (S_p + g),
        "in each step one answer in $g$ ends and frees the memory of prompt and answer",
        kind="model",
    )
    .rewrite(B * token * (1 + S_p / g), "as much memory as the new prompts and tokens take")
    .formula(kind="model", assumptions="all answers of one length, the batch always full")
)
servers = (
    Derivation.balance(
        n_p / T, n_d * B * token / (g * t), "as many prompts are processed per second as answers are finished"
    )
    .solve_for(n_p, n_d * T * B * token / (g * t), "workers that keep each other busy")
    .formula(assumptions="prompts and answers on separate workers, both always busy")
)
server_ratio = (
    Derivation.start(x_p, n_p / n_d, "prefill workers for each decode worker")
    .apply({n_p: servers}, "the balance")
    .formula()
)
free_chunk = (
    Derivation.balance(
        2 * FLOP * N * (B + q_0 / token) / (n * P),
        w * N / (n * beta),
        "prompt tokens fill the arithmetic that is idle while weights are read",
    )
    .solve_for(q_0, token * (w * P / (2 * FLOP * beta) - B), "the part of the critical batch that the batch leaves")
    .formula(assumptions="attention of the prompt is small", domain=(w * P / (2 * FLOP * beta) > B,))
)

# --- worked examples -----------------------------------------------------------------------

first_90 = Example(first_token, {rho: "90 %", t_s: "0.91 s", c_v: "1"}, unit="s")
MACHINE = {g: "500 token", t_a: "10 ms", t_b: "0.1 ms"}

# --- simulations ---------------------------------------------------------------------------

constant_services = Simulation(wait, {lam: "0.7 /s", t_s: "1 s", c_v: "0"}, waits, runs=400)
uneven_services = Simulation(wait, {lam: "0.7 /s", t_s: "1 s", c_v: "1"}, waits, runs=400)
wild_services = Simulation(wait, {lam: "0.5 /s", t_s: "1 s", c_v: "2"}, waits, runs=400)
shared_machine = Simulation(
    requests_at_work, {lam: "15 /s", **MACHINE}, in_flight, runs=400, options={"warm": 30000, "events": 30000}
)
lonely_machine = Simulation(
    requests_at_work, {lam: "0.5 /s", g: "100 token", t_a: "10 ms", t_b: "10 ms"}, in_flight, runs=400
)

exercises = read_exercises(__name__)
