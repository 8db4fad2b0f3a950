"""Speedup: what N devices do for one job, and why it is less than N times as much.

Devices are counted here, not gathered into device-hours: N is dimensionless.
"""

from sympy import EulerGamma, Integer, Rational, exp, harmonic, log, pi, sqrt

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import audit, hardware, models, sites
from mathcore.chapters.speedup.simulation import shares_of_computing, slowest_of_exponential, slowest_of_gumbel
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

N = Variable("N", "", "devices that work on one job", alias=("devices", "ranks"), low="1", high="1000000", integer=True)
S = Variable(
    "S", "", "speedup: how many devices' worth of work N devices do", alias="speedup", low="0.001", high="1000000"
)
eta = Variable(
    "eta", "", "scaling efficiency: speedup per device", alias="scaling_efficiency", tex=r"\eta", display_unit="%"
)
T_1 = Variable(
    "T_1", "s", "time one device needs for the job", alias="time_on_one", display_unit="d", low="1 s", high="1000 year"
)
T_N = Variable("T_N", "s", "time N devices need for the job", display_unit="d", low="1 ms", high="1000 year")
s = Variable(
    "s",
    "",
    "serial share of the work, measured on one device",
    alias="serial_share",
    display_unit="%",
    low="0.0001 %",
    high="50 %",
)
q = Variable(
    "q",
    "",
    "serial share of the time, measured on N devices",
    alias="serial_share_of_time",
    display_unit="%",
    low="0.0001 %",
    high="99 %",
)
N_half = Variable("N_half", "", "devices at which half of the efficiency is gone", tex=r"N_{1/2}")
kappa = Variable(
    "kappa",
    "",
    "time of coordination with one other device, over the run of one device",
    tex=r"\kappa",
    low="1e-10",
    high="0.01",
)
N_top = Variable("N_top", "", "number of devices with the highest speedup", tex=r"N_{\mathrm{top}}")
E = Variable("E", "", "parallel efficiency, set by hand", display_unit="%", low="1 %", high="100 %")
C = Variable(
    "C", "", "share of time spent on communication, set by hand", display_unit="%", low="0 %", high="99 %", zero=True
)
F = Variable("F", "FLOP", "work of the whole training", alias="compute", low="1 PFLOP", high="1e30 FLOP")
P = Variable(
    "P", "FLOP/s", "peak of one device", alias="peak", display_unit="TFLOP/s", low="1 TFLOP/s", high="100 PFLOP/s"
)
U = Variable("U", "", "MFU of one device", alias="mfu", display_unit="%", low="0.1 %", high="100 %")
t_1 = Variable("t_1", "s", "time of training on one device", display_unit="year", low="1 s", high="1000000 year")
t_N = Variable("t_N", "s", "time of training on N devices", display_unit="d", low="1 s", high="1000 year")
B = Variable(
    "B", "token", "tokens of one step, all devices together", alias="batch_tokens", low="1 token", high="10 Gtoken"
)
s_q = Variable(
    "s_q",
    "token",
    "tokens of a sequence",
    alias="sequence_length",
    tex=r"s_{\mathrm{q}}",
    low="1 token",
    high="10 Mtoken",
)
m_r = Variable("m_r", "", "devices that form one replica", tex=r"m_{\mathrm{r}}", low="1", high="100000", integer=True)
N_s = Variable("N_s", "", "devices at which each replica has one sequence", tex=r"N_{\mathrm{s}}")
b = Variable("b", "token", "tokens of one step per device", alias="device_tokens", low="1 token", high="10 Mtoken")
D = Variable("D", "token", "tokens of the whole training", alias="tokens", low="1 token", high="100000000 Ttoken")
f = Variable(
    "f", "FLOP/token", "operations per token", alias="compute_per_token", low="1 MFLOP/token", high="100 TFLOP/token"
)
R = Variable(
    "R", "FLOP/s", "rate at which one device computes", display_unit="TFLOP/s", low="1 TFLOP/s", high="100 PFLOP/s"
)
V = Variable("V", "B", "gradients that all devices must add up", display_unit="GB", low="0 B", high="100 TB", zero=True)
g = Variable(
    "g",
    "FLOP/token/B",
    "operations per token for each byte of gradients",
    low="0.1 FLOP/token/B",
    high="100 FLOP/token/B",
)
alpha = Variable(
    "alpha",
    "s",
    "latency of a message",
    alias="latency",
    tex=r"\alpha",
    display_unit="µs",
    low="0 s",
    high="1 ms",
    zero=True,
)
beta = Variable(
    "beta",
    "B/s",
    "bandwidth of the rings together, per direction",
    alias="bandwidth",
    tex=r"\beta",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="5 TB/s",
)
omega = Variable(
    "omega",
    "",
    "share of computing behind which communication can hide",
    tex=r"\omega",
    display_unit="%",
    low="0.1 %",
    high="100 %",
)
v = Variable(
    "v", "", "standard deviation of step times over their mean", display_unit="%", low="0 %", high="50 %", zero=True
)
t_c = Variable("t_c", "s", "compute time of one step", tex=r"t_{\mathrm{c}}", low="1 ms", high="1 h")
t_a = Variable("t_a", "s", "gradient all-reduce", tex=r"t_{\mathrm{a}}", low="0 s", high="1 h", zero=True)
t_x = Variable("t_x", "s", "exposed communication", tex=r"t_{\mathrm{x}}", low="0 s", high="1 h", zero=True)
t_w = Variable("t_w", "s", "wait for the slowest device", tex=r"t_{\mathrm{w}}", low="0 s", high="1 h", zero=True)
t = Variable("t", "s", "duration of one step", low="1 ms", high="1 d")
N_u = Variable(
    "N_u", "", "devices of the run that was measured", tex=r"N_{\mathrm{u}}", low="1", high="1000000", integer=True
)
U_N = Variable(
    "U_N", "", "MFU of whole steps on these devices", tex=r"U_{N}", display_unit="%", low="0.1 %", high="100 %"
)
N_x = Variable("N_x", "", "devices at which communication is no longer hidden", tex=r"N_{\mathrm{x}}")
b_x = Variable("b_x", "token", "tokens per device that hide all communication", tex=r"b_{\mathrm{x}}")
S_max = Variable("S_max", "", "upper limit of the speedup", tex=r"S_{\max}")
mu = Variable("mu", "s", "mean step time of one device", tex=r"\mu", low="1 ms", high="1 h")
theta = Variable("theta", "s", "scale of the delays", tex=r"\theta", display_unit="ms", low="1 us", high="1 min")
sigma = Variable(
    "sigma", "s", "standard deviation of step times", tex=r"\sigma", display_unit="ms", low="1 us", high="1 min"
)
t_0 = Variable("t_0", "s", "step time without any delay", low="1 ms", high="1 h")
t_max = Variable("t_max", "s", "expected time of the slowest device", tex=r"\bar{t}_{\max}")
t_b = Variable("t_b", "s", "bound on the expected time of the slowest", tex=r"t_{\mathrm{bound}}")
z = Variable("z", "", "step time above its mode, in units of its scale", low="0.01", high="20")
G = Variable("G", "", "probability that all devices are done by then")
ell = Variable("ell", "", "logarithm of the number of devices", tex=r"\ell", low="0.6", high="14")
x = Variable("x", "/s", "free parameter of the bound", low="1 /s", high="100000 /s")
x_b = Variable("x_b", "/s", "parameter of the tightest bound", tex=r"x^{*}")

E_mark = Variable("E_mark", "", "parallel efficiency marked in the chart", tex=r"E_{\mathrm{mark}}", display_unit="%")
R_N = Variable("R_N", "FLOP/s", "rate of one device of many", display_unit="TFLOP/s")
N_1 = Variable("N_1", "gpu", "devices of the smaller run", low="1 gpu", high="10000000 gpu", integer=True)
N_2 = Variable("N_2", "gpu", "devices of the larger run", low="1 gpu", high="10000000 gpu", integer=True)
r_1 = Variable("r_1", "token/s", "throughput of the smaller run", low="1 token/s", high="1e12 token/s")
r_2 = Variable("r_2", "token/s", "throughput of the larger run", low="1 token/s", high="1e12 token/s")
eta_12 = Variable("eta_12", "", "efficiency of growing from one to the other", tex=r"\eta_{12}", display_unit="%")
K = Variable("K", "USD", "budget", alias="budget", low="1 USD", high="100 GUSD")
p = Variable("p", "USD/gpu", "price of one device", alias="price_per_device", low="1 USD/gpu", high="1 MUSD/gpu")
n = Variable("n", "gpu", "devices of a budget", low="1 gpu", high="10000000 gpu", integer=True)
h = Variable(
    "h",
    "USD/(gpu h)",
    "price of one device for an hour",
    alias="price_per_hour",
    low="0.01 USD/(gpu h)",
    high="1000 USD/(gpu h)",
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- fixed work, growing work --------------------------------------------------------------

DIVIDES = "the part that is not serial divides perfectly"
speedup = Formula(S, T_1 / T_N, kind="definition", convention="the same job on both sides")
efficiency = Formula(eta, S / N, kind="definition", convention="1 when N devices do N times the work")
time_fixed = Formula(T_N, T_1 * (s + (1 - s) / N), assumptions=("the work is fixed", DIVIDES))
amdahl = (
    Derivation.start(speedup)
    .apply({T_N: time_fixed}, "the serial share takes as long as before, the rest is divided by $N$")
    .formula(convention="Amdahl: share of one device's time")
)
half_point = (
    Derivation.balance(eta, Rational(1, 2), "half of the efficiency is left")
    .apply(efficiency, "speed-up for each device")
    .apply(amdahl, "Amdahl's law")
    .solve_for(N, 1 + 1 / s, "the denominator must be 2, so $s(N_{1/2} - 1) = 1$", as_symbol=N_half)
    .formula()
)
karp_flatt = (
    Derivation.start(amdahl)
    .solve_for(s, (N - S) / (S * (N - 1)), "invert Amdahl's law: a measured speedup gives the serial share")
    .formula(
        assumptions="a share that grows with N is communication, not serial work",
        convention="Karp–Flatt: experimentally determined",
        domain=(N > 1, S < N),
    )
)
time_growing = Formula(T_1, T_N * (q + N * (1 - q)), assumptions=("the work grows with the devices", DIVIDES))
gustafson = (
    Derivation.start(speedup)
    .apply({T_1: time_growing}, "one device would do all $N$ parallel parts one after the other")
    .formula(convention="Gustafson: share of N devices' time")
)
serial_share_of_time = Formula(
    q, s / (s + (1 - s) / N), kind="definition", convention="the same serial work, in the shorter time"
)
one_law = (
    Derivation.start(gustafson)
    .apply({q: serial_share_of_time}, "say Gustafson's share in Amdahl's terms")
    .rewrite(1 / (s + (1 - s) / N), "this is Amdahl's law: the two differ in what they hold fixed, not in arithmetic")
    .formula()
)
time_contended = Formula(
    T_N,
    T_1 * (1 + s * (N - 1) + kappa * N * (N - 1)) / N,
    assumptions="besides the serial share, each device coordinates with each other one",
    convention="universal scalability law",
)
top_of_scaling = (
    Derivation.minimise(time_contended, over=N, why="one term falls with N, one rises: a shortest time exists")
    .slope(T_1 * (kappa - (1 - s) / N**2), "multiply out and differentiate term by term", routine=True)
    .root(sqrt((1 - s) / kappa), "only the positive root counts devices", as_symbol=N_top)
    .curvature(2 * T_1 * (1 - s) / N**3, "positive, for a share is below 1", routine=True)
    .formula(convention="universal scalability law")
)

# --- the lab's model: two constants --------------------------------------------------------

lab_speedup = Formula(S, N * E * (1 - C), assumptions="E and C are set by hand and stay as they are while N grows")
lab_scaling = (
    Derivation.start(efficiency)
    .apply({S: lab_speedup}, "the lab's speedup for each device: N cancels, so this model never gets worse with size")
    .formula()
)
of_compute = Formula(
    S, N * E / (1 + C), assumptions="communication is a share C of the time of computing, not of the step"
)
single_time = Formula(t_1, F / (P * U), assumptions="one device could hold the model")
training_time = Formula(t_N, F / (S * P * U), assumptions="the speedup stays as it is for the whole training")
needed_speedup = training_time.solve_for("S")
needed_at_rate = Formula(S, F / (t_N * R), assumptions="no time is lost between steps")
lab_duration = (
    Derivation.start(t_N, t_1 / S, "the speedup divides the time of one device")
    .apply({S: lab_speedup}, "the lab's speedup")
    .formula()
)
ideal_duration = Formula(t_N, t_1 / N, assumptions="every device does as much as one alone")
no_waiting = Formula(E_mark, Integer(1), kind="definition", convention="no waiting")
fleet_rate = Formula(R_N, P * U * eta, assumptions="MFU is that of a device working alone; the cluster's is lower by η")
devices_of_budget = Formula(n, K / p, kind="definition", convention="hardware alone: no network, no power, no staff")
budget = Formula(K, n * h * t_N, kind="definition", convention="only hours that are used are paid")
relative_efficiency = Formula(
    eta_12,
    (r_2 / r_1) / (N_2 / N_1),
    kind="definition",
    convention="growth of throughput over growth of the cluster: no one-device run is needed",
)
one_parallel = Formula(
    E_mark, 1 / (1 - C), kind="definition", convention="parallel efficiency at which E(1 - C) is one"
)

# --- waiting for the slowest ---------------------------------------------------------------

all_done = (
    Derivation.start(
        G,
        exp(-exp(-z)) ** N,
        "Gumbel distribution for one device, as a step is a maximum over many barriers; to the power $N$ for all of them",
        kind="model",
    )
    .rewrite(
        exp(-N * exp(-z)),
        "$N = e^{\\ln N}$ joins the inner exponent: the same curve, $\\ln N$ further to the right",
        display_form=exp(-exp(log(N) - z, evaluate=False), evaluate=False),
    )
    .formula(assumptions=("devices are independent", "step times follow a Gumbel distribution"))
)
slowest_gumbel = Formula(
    t_max,
    mu + theta * log(N),
    assumptions=("devices are independent", "step times follow a Gumbel distribution"),
    convention="exact for this distribution: the whole curve moves by θ ln N, so its mean does",
)
gumbel_scale = Formula(
    theta, sqrt(6) * sigma / pi, kind="definition", convention="Gumbel distribution: the standard deviation is πθ/√6"
)
relative_deviation = Formula(v, sigma / t_c, kind="definition")
straggler_wait = (
    Derivation.start(t_w, theta * log(N), "what the slowest of $N$ takes longer than the mean", kind="model")
    .apply(gumbel_scale, "write the scale by the standard deviation, which one can measure")
    .apply(relative_deviation, "the spread as a share of the time of computing", eliminating=sigma)
    .formula(assumptions=("devices are independent", "step times follow a Gumbel distribution"))
)
slowest_exponential = (
    Derivation.start(
        t_max,
        t_0 + theta * harmonic(N),
        "while $k$ devices still run, the next one is done after $\\theta/k$ on average; the waits add up to $\\theta(1/N + \\dots + 1)$",
        kind="model",
    )
    .approximate(
        t_0 + theta * (log(N) + EulerGamma + 1 / (2 * N) - 1 / (12 * N**2)),
        "the harmonic sum is $\\ln N$, Euler's constant $\\gamma = 0.57722$, and a remainder",
        within="1/100",
        region={N: ("1", "1000000")},
    )
    .formula(assumptions=("devices are independent", "delays are exponential"))
)
loose_bound = Formula(
    t_b,
    mu + ell / x + x * sigma**2 / 2,
    assumptions=(
        "step times are normal, dependent or not",
        "any positive x will do: the exponential of a mean is below the mean of exponentials",
    ),
)
bound_parameter = (
    Derivation.minimise(loose_bound, over=x, why="each x gives a bound: take the tightest")
    .slope(sigma**2 / 2 - ell / x**2, "differentiate term by term", routine=True)
    .root(sqrt(2 * ell) / sigma, "the two terms balance", as_symbol=x_b)
    .curvature(2 * ell / x**3, "positive, a minimum", routine=True)
    .formula()
)
logarithm = Formula(ell, log(N), kind="definition")
slowest_normal = (
    Derivation.start(loose_bound)
    .apply({x: bound_parameter}, "the tightest of these bounds: its two terms are equal")
    .apply(logarithm, "the logarithm of the number of devices")
    .formula(convention="an upper bound, good from N = 100 on")
)

# --- efficiency that follows from N --------------------------------------------------------

compute_time = Formula(t_c, B * f / (N * R), assumptions="the batch is divided evenly")
gradient_all_reduce = Formula(
    t_a,
    2 * (N - 1) * (alpha + V / (N * beta)),
    assumptions="one ring through all devices, or as many side by side as a node has NICs: β is what they carry together",
)
exposed = Formula(
    t_x,
    t_c * Max(0, t_a / t_c - omega),
    assumptions="communication overlaps with a share ω of computing, and the rest delays the step",
)
step = Formula(t, t_c + t_w + t_x, kind="definition", convention="computing, waiting, communication not hidden")
efficiency_of_step = (
    Derivation.start(eta, t_c / t, "of a step only the time of computing is useful")
    .apply(step, "what a step consists of")
    .apply({t_x: exposed, t_w: straggler_wait}, "communication that is not hidden, waiting for the slowest")
    .rewrite(1 / (1 + sqrt(6) * v * log(N) / pi + Max(0, t_a / t_c - omega)), "divide by $t_c$")
    .formula(assumptions=("one ring through all devices", "Gumbel distribution of step times"))
)
computing_own = Formula(t_c, b * f / R, assumptions="each device has b tokens")
efficiency_fixed_share = (
    Derivation.start(efficiency_of_step)
    .apply(
        {t_a: gradient_all_reduce, t_c: computing_own},
        "now each device keeps its own $b$ tokens, however many there are",
    )
    .formula(convention="weak scaling")
)
work_per_byte = Formula(
    g, f / V, kind="definition", convention="6 FLOP per token and parameter over 2 B a gradient: 3 FLOP/token/B"
)
efficiency_of_batch = (
    Derivation.start(efficiency_of_step)
    .apply(
        {t_a: 2 * (N - 1) * V / (N * beta), t_c: B * g * V / (N * R)},
        "gradients are large, so latency is left out; work for a token is $gV$",
    )
    .formula(
        assumptions=("the batch B is fixed", "latency does not count"),
        convention="strong scaling; the size of the model has cancelled",
    )
)
speedup_of_batch = (
    Derivation.start(efficiency)
    .solve_for(S, N * eta, "turn the definition round")
    .apply({eta: efficiency_of_batch}, "put the efficiency of the batch in", routine=True)
    .formula()
)
rate_of_run = Formula(
    R, r_1 * f / (N * eta), assumptions="measured on N devices, which compute for a share η of their time"
)
rate_of_mfu = (
    Derivation.balance(
        R / (1 + sqrt(6) * v * log(N_u) / pi),
        P * U_N,
        "the rate over a whole step is that of its computing, times the share of the step that is computing",
    )
    .solve_for(R, P * U_N * (1 + sqrt(6) * v * log(N_u) / pi), "multiply by the step over its computing", routine=True)
    .formula(assumptions=("all communication of the measured run is hidden", "Gumbel distribution of step times"))
)
speedup_by_efficiency = Formula(S, N * eta, kind="definition")
ideal = Formula(S, N, kind="definition", convention="ideal")
hiding_devices = (
    Derivation.balance(
        2 * (N_x - 1) * V / (N_x * beta),
        omega * B * g * V / (N_x * R),
        "the ring takes all the time there is to hide in",
    )
    .solve_for(N_x, 1 + omega * B * g * beta / (2 * R), "$V$ and $N$ cancel: no model is too large for this rule")
    .formula(assumptions=("the batch B is fixed", "latency does not count"))
)
hiding_tokens = (
    Derivation.balance(2 * V / beta, omega * b_x * g * V / R, "many devices: the ring takes $2V/\\beta$")
    .solve_for(b_x, 2 * R / (omega * g * beta), "again $V$ cancels", routine=True)
    .formula(assumptions=("many devices", "latency does not count"))
)
sequence_limit = (
    Derivation.balance(N_s / m_r, B / s_q, "as many replicas as the batch has sequences")
    .solve_for(N_s, m_r * B / s_q, "a sequence is the least that a replica can compute")
    .formula(assumptions="sequences are not cut")
)
speedup_limit = (
    Derivation.start(S_max, (B * f / R) / (2 * V / beta), "one device's time over that of the ring alone", kind="model")
    .apply({f: g * V}, "work for a token is $gV$", justified_by=work_per_byte)
    .formula(assumptions=("many devices", "the batch B is fixed", "computing takes no time at all"))
)
training_by_steps = Formula(t_N, D * t / B, kind="definition", assumptions="all steps take equally long")

# --- worked examples -----------------------------------------------------------------------

LAB_JOB = {F: facts.lab_work, P: hardware.h100_bf16_sparse, U: facts.lab_mfu}
lab_single = Example(
    single_time, LAB_JOB, expect=facts.lab_years, rtol=0.008, source="the lab, act I, with its sparse peak"
)
lab_single_dense = Example(single_time, {**LAB_JOB, P: hardware.h100_bf16})
lab_perfect = Example(
    training_time, {**LAB_JOB, S: facts.lab_devices}, expect=facts.lab_days, rtol=0.011, source="the lab, act I"
)
lab_gain = Example(lab_speedup, {N: facts.lab_devices, E: facts.lab_efficiency, C: facts.lab_overhead})
lab_time = Example(training_time, {**LAB_JOB, S: lab_gain})
lab_needed = Example(needed_speedup, {**LAB_JOB, t_N: facts.lab_hope})
lab_scaled = Example(lab_scaling, {E: facts.lab_efficiency, C: facts.lab_overhead})
lab_needed_dense = Example(needed_speedup, {**LAB_JOB, P: hardware.h100_bf16, t_N: facts.lab_hope})
lab_time_dense = Example(training_time, {**LAB_JOB, P: hardware.h100_bf16, S: lab_gain})
lab_of_compute = Example(of_compute, {N: facts.lab_devices, E: facts.lab_efficiency, C: facts.lab_overhead})
lab_rate = Example(fleet_rate, {P: hardware.h100_bf16_sparse, U: facts.lab_mfu, eta: lab_scaled})
lab_rate_dense = Example(fleet_rate, {P: hardware.h100_bf16, U: facts.lab_mfu, eta: lab_scaled})
lab_bought = Example(devices_of_budget, {K: facts.lab_budget, p: sites.lab_price})
lab_bill = Example(devices_of_budget.solve_for("K"), {n: "1000 gpu", p: sites.lab_price}, unit="MUSD")
lab_hire = Example(budget, {n: "1000 gpu", h: sites.lab_rate, t_N: lab_time}, unit="MUSD")
lab_hire_dense = Example(budget, {n: "1000 gpu", h: sites.lab_rate, t_N: lab_time_dense}, unit="MUSD")
megascale_growth = Example(
    relative_efficiency,
    {
        N_1: facts.megascale_fewer,
        r_1: facts.megascale_slower,
        N_2: models.megascale_devices,
        r_2: models.megascale_throughput,
    },
)
page_worth_of = Example(
    efficiency.solve_for("S"),
    {eta: facts.page_efficiency, N: facts.page_devices},
    expect=facts.page_worth,
    source="the reference page, section 2.2",
)
amdahl_1024 = Example(amdahl, {s: "1 %", N: "1024"})
amdahl_half = Example(half_point, {s: "1 %"})
gustafson_1024 = Example(gustafson, {q: "1 %", N: "1024"})
top_example = Example(top_of_scaling, {s: "0.1 %", kappa: "1e-6"})
# One rate for the devices that a date needs and for those that do the work: what clusters attain, without their waits.
MEASURED = {P: hardware.h100_bf16, U_N: audit.mfu, N_u: "2048"}
planned_rate = Example(rate_of_mfu, {**MEASURED, v: "1.14 %"}, digits=3)
needed = Example(needed_at_rate, {F: facts.lab_work, t_N: facts.lab_hope, R: planned_rate})
lab_needed_tenfold = Example(needed_at_rate, {F: "2.2e25 FLOP", t_N: facts.lab_hope, R: planned_rate})
LARGE = {B: "4 Mtoken", R: planned_rate, beta: facts.node_ports, g: "3 FLOP/token/B", omega: "50 %"}
hidden_devices = Example(hiding_devices, LARGE)
hidden_tokens = Example(hiding_tokens, {symbol: LARGE[symbol] for symbol in (R, omega, g, beta)})
sequences_4k = Example(sequence_limit, {m_r: "1", B: "4 Mtoken", s_q: "4096 token"}, digits=3)
sequences_8k = Example(sequence_limit, {m_r: "1", B: "4 Mtoken", s_q: "8192 token"}, digits=3)
sequences_node = Example(sequence_limit, {m_r: "8", B: "4 Mtoken", s_q: "4096 token"}, digits=3)
top_speedup = Example(speedup_limit, {symbol: LARGE[symbol] for symbol in (B, R, beta, g)})
efficiency_1024 = Example(efficiency_of_batch, {**LARGE, N: "1024", v: "2 %"})
CLUSTER = {**LARGE, v: "2 %"}
speedup_256 = Example(speedup_of_batch, {**CLUSTER, N: "256"})
speedup_1000 = Example(speedup_of_batch, {**CLUSTER, N: facts.lab_devices})
speedup_1024 = Example(speedup_of_batch, {**CLUSTER, N: "1024"})
speedup_4096 = Example(speedup_of_batch, {**CLUSTER, N: "4096"})
share_256 = Example(karp_flatt, {N: "256", S: speedup_256})
share_1024 = Example(karp_flatt, {N: "1024", S: speedup_1024})
share_4096 = Example(karp_flatt, {N: "4096", S: speedup_4096})
flat_1000 = Example(speedup_of_batch, {**CLUSTER, beta: hardware.ndr_port, N: facts.lab_devices})
flat_top = Example(speedup_limit, {**{symbol: LARGE[symbol] for symbol in (B, R, g)}, beta: hardware.ndr_port})
attained_1000 = Example(speedup_of_batch, {**CLUSTER, beta: "160 GB/s", N: facts.lab_devices})
flat_attained_1000 = Example(speedup_of_batch, {**CLUSTER, beta: "20 GB/s", N: facts.lab_devices})
half_batch_top = Example(
    speedup_limit, {**{symbol: LARGE[symbol] for symbol in (R, g)}, B: "2 Mtoken", beta: hardware.ndr_port}
)
weak_1024 = Example(
    efficiency_fixed_share,
    {
        b: "12000 token",
        f: "420 GFLOP/token",
        R: LARGE[R],
        V: "140 GB",
        beta: LARGE[beta],
        alpha: "5 us",
        omega: LARGE[omega],
        v: "2 %",
        N: "1024",
    },
)

# --- simulation ----------------------------------------------------------------------------

gumbel_64 = Simulation(slowest_gumbel, {mu: "10 s", theta: "156 ms", N: "64"}, slowest_of_gumbel)
gumbel_1024 = Simulation(slowest_gumbel, {mu: "1 s", theta: "20 ms", N: "1024"}, slowest_of_gumbel, runs=1000)
exponential_256 = Simulation(slowest_exponential, {t_0: "10 s", theta: "200 ms", N: "256"}, slowest_of_exponential)
efficiency_512 = Simulation(efficiency_of_batch, {**CLUSTER, N: "512"}, shares_of_computing, runs=200)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
