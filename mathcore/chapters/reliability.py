"""Reliability: how often something fails, what a rate is worth, and how many spares are enough."""

from sympy import (
    Derivative,
    Integral,
    Rational,
    ceiling,
    erfc,
    exp,
    factorial,
    gamma,
    log,
    lowergamma,
    oo,
    sqrt,
    uppergamma,
)

from mathcore import (
    Axis,
    Curve,
    Derivation,
    Example,
    Exercise,
    Explorer,
    Fact,
    Formula,
    Marker,
    One,
    Row,
    Simulation,
    Slider,
    Variable,
)
from mathcore.chapters.young_daly import (
    M,
    N,
    cluster_mtbf,
    llama_devices,
    llama_failures,
    llama_time,
    m,
    page_device_mtbf,
)
from mathcore.simulations import reliability as twins

gpu = One("gpu")

# --- letters -------------------------------------------------------------------------------

t = Variable("t", "s", "time that a run takes", shown="d", low="1 min", high="10 year")
v = Variable("v", "s", "moment within the run", shown="d", low="0 s", high="10 year", zero=True)
S = Variable("S", "", "chance to get through without a failure", shown="%")
F = Variable("F", "", "chance of at least one failure", shown="%", low="0 %", high="100 %")
M_0 = Variable("M_0", "s", "mean time until the first failure", tex=r"\bar{T}", shown="h")
M_a = Variable(
    "M_a", "s", "mean time between failures of one kind", tex=r"M_a", shown="h", low="1 min", high="100 year"
)
M_b = Variable(
    "M_b",
    "s",
    "mean time between failures of another kind",
    tex=r"M_b",
    shown="h",
    low="1 min",
    high="100 year",
)
lam = Variable("lam", "1/s", "failure rate of the job", tex=r"\lambda", shown="1/d")
r = Variable("r", "1/s", "failures of one node per day", shown="1/d", low="0.00001 /d", high="1 /d")
g = Variable("g", "gpu", "devices in one node", low="1 gpu", high="72 gpu", integer=True)
c = Variable("c", "", "failures of one kind", low="0", high="1000000", integer=True, zero=True)
h_c = Variable("h_c", "", "share of one kind in all failures", tex=r"h_{\mathrm{c}}", shown="%")
M_seen = Variable(
    "M_seen",
    "s",
    "mean time between failures that was measured",
    tex=r"M_{\mathrm{seen}}",
    shown="h",
    low="1 min",
    high="10 year",
)
h_n = Variable("h_n", "", "share of the failures that the node rate explains", tex=r"h_r", shown="%")
p = Variable(
    "p", "", "chance that one node fails on one day", shown="%", low="0.0000000000000001", high="50 %"
)
n_d = Variable("n_d", "", "node-days of the run", tex=r"n_{\mathrm{d}}", low="1", high="1000000000")
mu = Variable("mu", "", "failures expected in the run", tex=r"\mu", low="0.01", high="100")
k = Variable("k", "", "failures", low="1", high="200", integer=True)
P_k = Variable("P_k", "", "chance of exactly k failures", tex=r"P_k", shown="%")
s = Variable("s", "", "spare nodes", low="0", high="200", integer=True, zero=True)
Q = Variable("Q", "", "chance that the spares suffice", shown="%")
s_z = Variable("s_z", "", "spare nodes to provide", tex=r"s_z")
u = Variable("u", "", "time in units of the MTBF", low="0", high="100", zero=True)
t_r = Variable(
    "t_r",
    "s",
    "time to repair or replace a node",
    tex=r"t_{\mathrm{r}}",
    shown="h",
    low="1 min",
    high="60 d",
)
n = Variable("n", "", "failures seen", low="1", high="100000", integer=True)
X = Variable("X", "gpu h", "device-hours observed", low="1 gpu h", high="1000000000000 gpu h")
phi = Variable(
    "phi", "1/(gpu h)", "failure rate of one device", tex=r"\varphi", shown="FIT", low="1 FIT", high="1e9 FIT"
)
J = Variable("J", "", "how badly a rate fits what was seen")
z = Variable("z", "", "standard deviations on either side: 1.96 for 95 %", low="0.5", high="4")
e_n = Variable("e_n", "", "relative half-width of the interval", tex=r"e_n", shown="%")
LIMITS = {"low": "0.01", "high": "200000"}
n_low = Variable("n_low", "", "lower limit of the expected count", tex=r"n_{\mathrm{low}}", **LIMITS)
n_high = Variable("n_high", "", "upper limit of the expected count", tex=r"n_{\mathrm{high}}", **LIMITS)
A_low = Variable(
    "A_low", "", "chance of n failures or more at the lower limit", tex=r"\alpha_{\mathrm{low}}", shown="%"
)
A_high = Variable(
    "A_high", "", "chance of n failures or fewer at the upper limit", tex=r"\alpha_{\mathrm{high}}", shown="%"
)
alpha = Variable(
    "alpha", "", "chance of error that is accepted", tex=r"\alpha", shown="%", low="0.01 %", high="50 %"
)
m_min = Variable("m_min", "gpu h", "MTBF of one device that is safe to claim", tex=r"m_{\min}")
beta = Variable(
    "beta", "", "shape: below 1 for infant mortality, above 1 for wear", tex=r"\beta", low="0.3", high="5"
)
eta = Variable("eta", "s", "scale of the lifetimes", tex=r"\eta", shown="d", low="1 h", high="100 year")
h = Variable("h", "1/s", "hazard: failure rate of a device of that age", shown="1/d")
S_W = Variable("S_W", "", "chance that a device lives so long", tex=r"S_{\mathrm{W}}", shown="%")
m_W = Variable("m_W", "s", "mean lifetime of one device", tex=r"m_{\mathrm{W}}", shown="d")
M_W = Variable(
    "M_W",
    "s",
    "mean time to the first failure among devices as old as each other",
    tex=r"M_{\mathrm{W}}",
    shown="h",
)
x_N = Variable("x_N", "", "first failure as a multiple of what m/N says", tex=r"x_N")
S_x = Variable("S_x", "", "chance that a device of that age lives through the run", tex=r"S_x", shown="%")
a = Variable("a", "s", "age of the device", shown="d", low="1 h", high="30 year")
L_x = Variable("L_x", "s", "mean moment of a failure that comes before the end", tex=r"L_x", shown="min")
y = Variable("y", "", "expected failures of the segment, its Weibull exponent", low="0.001", high="30")
w_y = Variable("w_y", "", "place on the scale of y", tex=r"w", low="0", high="30", zero=True)

# --- facts ---------------------------------------------------------------------------------

LLAMA = {"kind": "measurement", "source": "llama3", "date": "2024", "certainty": "primary-copy"}
CAUSE = {**LLAMA, "at": "Table 5", "qualifier": "unexpected interruptions in 54 days"}
llama_gpu = Fact("148", "interruptions by faulty GPUs", **CAUSE)
llama_hbm = Fact("72", "interruptions by GPU HBM3 memory", **CAUSE)
llama_software = Fact("54", "interruptions by software bugs", **CAUSE)
llama_network = Fact("35", "interruptions by network switches and cables", **CAUSE)
llama_host = Fact("32", "interruptions by unplanned host maintenance", **CAUSE)
llama_sram = Fact("19", "interruptions by GPU SRAM memory", **CAUSE)
llama_gsp = Fact("17", "interruptions by GPU system processors", **CAUSE)
llama_nic = Fact("7", "interruptions by network interface cards", **CAUSE)
llama_nccl = Fact("7", "interruptions by NCCL watchdog timeouts", **CAUSE)
llama_sdc = Fact("6", "interruptions by silent data corruption", **CAUSE)
llama_thermal = Fact("6", "interruptions by GPU thermal interface and sensor", **CAUSE)
llama_ssd = Fact("3", "interruptions by SSDs", **CAUSE)
llama_power = Fact("3", "interruptions by power supplies", **CAUSE)
llama_chassis = Fact("2", "interruptions by server chassis", **CAUSE)
llama_board = Fact("2", "interruptions by IO expansion boards", **CAUSE)
llama_dependency = Fact("2", "interruptions by dependencies", **CAUSE)
llama_cpu = Fact("2", "interruptions by CPUs", **CAUSE)
llama_memory = Fact("2", "interruptions by system memory", **CAUSE)
LLAMA_CAUSES = (
    *(llama_gpu, llama_hbm, llama_software, llama_network, llama_host, llama_sram, llama_gsp, llama_nic),
    *(llama_nccl, llama_sdc, llama_thermal, llama_ssd, llama_power, llama_chassis, llama_board),
    *(llama_dependency, llama_cpu, llama_memory),
)
llama_planned = Fact("47", "planned interruptions", at="section 3.3.4", **LLAMA)
llama_all = Fact("466", "interruptions, planned and unexpected", at="section 3.3.4", **LLAMA)
llama_manual = Fact("3", "interruptions that needed people at length", at="section 3.3.4", **LLAMA)
llama_hbm_share = Fact("17.2 %", "printed share of HBM3 memory", at="Table 5", **LLAMA)
llama_software_share = Fact("12.9 %", "printed share of software bugs", at="Table 5", **LLAMA)
llama_host_share = Fact("7.6 %", "printed share of host maintenance", at="Table 5", **LLAMA)
llama_gpu_share = Fact(
    "30.1 %",
    "printed share of faulty GPUs",
    at="Table 5",
    note="148 of 419 are 35.3 %: the printed shares sum to 94.9 %",
    **LLAMA,
)
node_devices = Fact(
    "8 gpu",
    "devices of one node of these clusters",
    kind="convention",
    source="kokolis2025",
    date="2025",
    certainty="secondary",
)
KOKOLIS = {"source": "kokolis2025", "date": "2025", "certainty": "secondary"}
RATE = {**KOKOLIS, "kind": "measurement", "qualifier": "per node of 8 GPUs, hardware causes"}
rsc1_rate = Fact("0.0065 /d", "node failures per day in RSC-1 (A100)", **RATE)
rsc2_rate = Fact("0.00234 /d", "node failures per day in RSC-2 (A100)", **RATE)
SEEN = {**KOKOLIS, "kind": "measurement", "qualifier": "all infrastructure causes"}
rsc_mttf_8 = Fact("47.7 d", "measured mean time to failure of 8-GPU jobs", **SEEN)
rsc_mttf_1024 = Fact("7.9 h", "measured mean time to failure of 1,024-GPU jobs", **SEEN)
PROJECTED = {**KOKOLIS, "kind": "estimate", "qualifier": "projected from the node rate of RSC-1"}
rsc_mttf_16384 = Fact("1.8 h", "mean time to failure of a 16,384-GPU job", **PROJECTED)
rsc_mttf_131072 = Fact("0.23 h", "mean time to failure of a 131,072-GPU job", **PROJECTED)
DELTA = {
    "kind": "measurement",
    "source": "delta2025",
    "date": "2025",
    "certainty": "secondary",
    "qualifier": "per device, uncorrectable memory errors",
}
delta_h100 = Fact("88768 gpu h", "mean time between memory errors of an H100 with 96 GB", **DELTA)
delta_a100 = Fact("283271 gpu h", "mean time between memory errors of an A100 with 40 GB", **DELTA)
delta_ratio = Fact(
    "3.2",
    "how much sooner an H100's memory errs than an A100's",
    at="abstract",
    kind="measurement",
    source="delta2025",
    date="2025",
    certainty="primary-copy",
)
PAGE = {"kind": "estimate", "source": "mlsysim_foundations", "date": "2026", "certainty": "primary-copy"}
page_run = Fact("30 d", "training run of the reference page", at="section 8", **PAGE)
page_run_mtbf = Fact("5 h", "cluster MTBF of that run", at="section 8", **PAGE)
BOOK = {"kind": "estimate", "source": "crash_proofing", "date": "2025", "certainty": "primary-copy"}
book_daily = Fact("0.1 %", "chance that a node fails on one day, assumed", at="section 9.3.1", **BOOK)
book_single = Fact("97 %", "printed chance of 30 undisturbed days of one node", at="section 9.3.1", **BOOK)
book_cluster = Fact(
    "0.00000000000009 %",
    "printed chance of 30 undisturbed days of 1,000 nodes",
    at="section 9.3.1",
    note="the power is 9·10⁻¹⁴, which is a hundred times as many per cent",
    **BOOK,
)

# --- one rate, one clock -------------------------------------------------------------------

survival = (
    Derivation.start(
        S,
        exp(-Integral(1 / M, (v, 0, t))),
        "at every moment the same share $1/M$ of all runs still alive is struck: what is left falls as an exponential",
        kind="model",
    )
    .to(exp(-t / M), "a constant rate adds up to $t/M$")
    .formula(when="failures strike at a constant rate $1/M$")
)
failure_chance = (
    Derivation.start(F, 1 - S, "either a failure comes, or none does")
    .use(survival, "the chance that none comes")
    .formula(when="failures strike at a constant rate $1/M$")
)
mean_time = (
    Derivation.start(
        M_0,
        Integral(exp(-t / M), (t, 0, oo)),
        "a mean waiting time is the area under the curve of those who still wait",
    )
    .to(M, "integrate: the letter $M$ was well chosen")
    .formula(when="failures strike at a constant rate $1/M$")
)
two_kinds = (
    Derivation.balance(
        exp(-t / M),
        exp(-t / M_a) * exp(-t / M_b),
        "to get through, the run must be spared by both kinds; they do not know of each other",
        kind="model",
    )
    .solve_for(M, 1 / (1 / M_a + 1 / M_b), "compare the exponents: rates add, times do not")
    .formula(when=("the two kinds of failures are independent", "either one stops the job"))
)
law_of_numbers = (
    Derivation.balance(
        exp(-t / M),
        exp(-t * gpu / m) ** (N / gpu),
        "the job is spared only if each of its N devices is",
        kind="model",
    )
    .solve_for(M, m / N, "compare the exponents")
    .formula(
        when=("any device's failure stops the job", "failures are independent", "constant rate $1/m$"),
        convention="device-hours: N devices gather N of them in an hour",
    )
)
cluster_chance = (
    Derivation.start(failure_chance)
    .use(cluster_mtbf, "N devices: device-hours of the run over device-hours between failures")
    .formula(when=("any device's failure stops the job", "failures are independent"))
)
rate_of_nodes = Formula(
    lam, N * r / g, kind="definition", when="the job holds whole nodes", convention="per node, not per device"
)
mtbf_of_nodes = (
    Derivation.start(M, 1 / lam, "the mean time between failures is one over their rate")
    .use(rate_of_nodes, "so many nodes, each failing at the rate r")
    .formula(when=("a node's failure stops the job", "failures are independent", "only nodes fail"))
)
node_rate = Formula(
    r,
    n * g / (t * N),
    kind="definition",
    when="all N devices were watched for the time t",
    convention="failures over node-days: devices over g are nodes",
)
explained = (
    Derivation.start(h_n, (1 / M) / (1 / M_seen), "the law's rate over the rate that was seen")
    .use({M: mtbf_of_nodes}, "the law, from the node rate")
    .formula(when="node failures are part of what was seen")
)
share_of_kind = Formula(h_c, c / n, kind="definition", when="each failure is counted under one cause")
mtbf_of_kind = Formula(M, t / c, kind="definition", valid=(c > 0,), when="one kind of failure alone")

# --- chances that multiply -----------------------------------------------------------------

undisturbed = Formula(
    S, (1 - p) ** n_d, kind="model", when=("node-days are independent", "p is the same for all")
)
luck = (
    Derivation.start(F, 1 - S, "either a failure comes, or none does")
    .use(undisturbed, "all node-days must be spared, each with the chance $1 - p$")
    .formula(when=("node-days are independent", "p is the same for all"))
)
luck_rate = (
    Derivation.start(luck)
    .approximate(
        1 - exp(-p * n_d),
        "a small p makes $\\ln(1 - p)$ nearly $-p$: the days become a rate",
        within="1/100",
        where_={p: ("0.0000000000000001", "2 %"), n_d: ("1", "1000000")},
    )
    .formula(when="p small against 1")
)
exactly = (
    Derivation.start(
        P_k,
        exp(-mu) / factorial(k - 1) * Integral(u ** (k - 1), (u, 0, mu)),
        "failure k comes at u, after k − 1 others in any order, and none follows: all of it at a constant rate",
        kind="model",
    )
    .to(mu**k * exp(-mu) / factorial(k), "integrate the power")
    .formula(when="failures strike at a constant rate, $\\mu$ of them in the mean")
)
expected = Formula(mu, t / M, kind="definition", convention="over the whole run")
spares_suffice = (
    Derivation.start(
        Q,
        1 - Integral(u**s * exp(-u) / factorial(s), (u, 0, mu)),
        "the spares are not enough if failure $s + 1$ comes before the end",
        kind="model",
    )
    .to(
        uppergamma(s + 1, mu) / gamma(s + 1),
        "the integral is an incomplete gamma function; this is also the sum of $P_0$ to $P_s$",
    )
    .formula(when=("failures strike at a constant rate", "a failed node does not come back"))
)
spares_for_run = (
    Derivation.start(spares_suffice)
    .use(expected, "so many failures are expected in the run")
    .formula(when=("failures strike at a constant rate", "a failed node does not come back"))
)
spares_with_repair = (
    Derivation.start(spares_suffice)
    .use(
        {mu: t_r / M},
        "failures come every M and each keeps a node away for $t_{\\mathrm{r}}$: Little's law gives the mean number away, and it is Poisson too",
    )
    .formula(
        when=("failures strike at a constant rate", "repairs do not wait for each other", "steady state"),
        convention="at a given moment, not over the whole run",
    )
)
spares_to_provide = Formula(
    s_z,
    ceiling(mu + z * sqrt(mu)),
    kind="model",
    when=("a rule of thumb: mean plus z standard deviations", "check it with the chance itself"),
)

# --- what a count is worth -----------------------------------------------------------------

misfit = Formula(
    J,
    phi * X - n * log(phi * X),
    kind="model",
    when="failures strike at a constant rate",
    convention="minus the logarithm of the chance of n failures, without what does not depend on the rate",
)
best_rate = (
    Derivation.minimise(misfit, over=phi, why="which rate makes what was seen least surprising?")
    .slope(X - n / phi, "differentiate term by term")
    .root(n / X, "the slope vanishes where the expected count is the count")
    .curvature(n / phi**2, "positive: one best rate")
    .formula(when="failures strike at a constant rate")
)
device_mtbf = (
    Derivation.start(m, 1 / phi, "the mean time between failures is one over their rate")
    .use(best_rate, "failures seen, over device-hours observed")
    .formula(when="failures strike at a constant rate")
)
fit_rate = Formula(phi, 1 / m, kind="definition", convention="1 FIT is one failure in a billion device-hours")
half_width = Formula(
    e_n,
    z / sqrt(n),
    kind="model",
    when=("a Poisson count scatters by its own root", "n is not small"),
    convention="normal approximation",
)
lower_count = Formula(
    n_low,
    n * (1 - 1 / (9 * n) - z / (3 * sqrt(n))) ** 3,
    kind="model",
    when="Wilson and Hilferty: the cube root of a waiting time is nearly normal",
    convention="two-sided: the upper limit has a z of its own",
)
upper_count = Formula(
    n_high,
    (n + 1) * (1 - 1 / (9 * (n + 1)) + z / (3 * sqrt(n + 1))) ** 3,
    kind="model",
    when="Wilson and Hilferty: the cube root of a waiting time is nearly normal",
    convention="two-sided: the lower limit has a z of its own",
)
so_many = Formula(
    A_low,
    lowergamma(n, n_low) / gamma(n),
    kind="model",
    when=("failures strike at a constant rate", "only $n_{\\mathrm{low}}$ are expected"),
)
so_few = Formula(
    A_high,
    uppergamma(n + 1, n_high) / gamma(n + 1),
    kind="model",
    when=("failures strike at a constant rate", "as many as $n_{\\mathrm{high}}$ are expected"),
)
lower_holds = (
    Derivation.start(so_many, why="if only this many were expected, how often would n or more come?")
    .use({n_low: lower_count}, "the limit to be tried")
    .approximate(
        erfc(z / sqrt(2)) / 2,
        "as often as a normal value lies beyond z: the limit is right, and no table is needed",
        within="4/100",
        where_={n: ("5", "2000"), z: ("1", "2")},
    )
    .formula(when="five failures or more")
)
upper_holds = (
    Derivation.start(so_few, why="if this many were expected, how often would n or fewer come?")
    .use({n_high: upper_count}, "the limit to be tried")
    .approximate(
        erfc(z / sqrt(2)) / 2,
        "as often as a normal value lies beyond z",
        within="3/100",
        where_={n: ("1", "2000"), z: ("1", "2")},
    )
    .formula(when="one failure or more")
)
no_failure_yet = (
    Derivation.balance(
        exp(-X / m_min),
        alpha,
        "nothing failed: the worst MTBF still credible is the one that would give this luck with the chance $\\alpha$",
        kind="model",
    )
    .solve_for(m_min, -X / log(alpha), "take the logarithm; $-\\ln 0.05$ is 3, the rule of three")
    .formula(when="not one failure was seen", convention="one-sided")
)

# --- devices that age ----------------------------------------------------------------------

weibull_survival = Formula(
    S_W,
    exp(-((t / eta) ** beta)),
    kind="model",
    when=("lifetimes follow a Weibull law", "the device is new at the start"),
)
weibull_hazard = (
    Derivation.start(
        h, Derivative((t / eta) ** beta, t), "the hazard is the slope of what stands in the exponent"
    )
    .to(
        beta / eta * (t / eta) ** (beta - 1),
        "it falls with age for $\\beta < 1$, rises for $\\beta > 1$, and does not know age for $\\beta = 1$",
    )
    .formula(when="lifetimes follow a Weibull law")
)
weibull_mean = (
    Derivation.start(m_W, Integral(exp(-((t / eta) ** beta)), (t, 0, oo)), "the area under the survival")
    .to(eta * gamma(1 + 1 / beta), "integrate with $(t/\\eta)^\\beta$ as the variable: a gamma function")
    .formula(when="lifetimes follow a Weibull law")
)
weibull_first = (
    Derivation.start(
        M_W,
        Integral(exp(-((t / eta) ** beta)) ** (N / gpu), (t, 0, oo)),
        "N devices of one age: all must live, so the survivals multiply",
        kind="model",
    )
    .to(
        eta * (gpu / N) ** (1 / beta) * gamma(1 + 1 / beta),
        "the exponent is N times as large: a Weibull law of the same shape with a smaller scale",
    )
    .formula(when=("lifetimes follow a Weibull law", "all devices are of one age, as after a common renewal"))
)
weibull_against_law = (
    Derivation.start(x_N, M_W / (m_W * gpu / N), "the first failure, against the 1/N law")
    .use({M_W: weibull_first, m_W: weibull_mean}, "both means are known")
    .to(
        (N / gpu) ** (1 - 1 / beta), "scale and gamma function cancel: only the number and the shape are left"
    )
    .formula(when="all devices are of one age")
)
weibull_next = (
    Derivation.start(
        S_x,
        exp(-(((a + t) / eta) ** beta)) / exp(-((a / eta) ** beta)),
        "of those that reached the age a, how many live t longer?",
    )
    .to(exp((a / eta) ** beta - ((a + t) / eta) ** beta), "one exponential")
    .formula(when="lifetimes follow a Weibull law")
)
weibull_loss = (
    Derivation.start(
        L_x,
        Integral(eta * w_y ** (1 / beta) * exp(-w_y), (w_y, 0, y)) / (1 - exp(-y)),
        "mean of the failure times $\\eta w^{1/\\beta}$ before the end, where $w = (t/\\eta)^\\beta$ runs up to y, over the chance of any",
        kind="model",
    )
    .to(eta * lowergamma(1 + 1 / beta, y) / (1 - exp(-y)), "an incomplete gamma function")
    .formula(
        when=("lifetimes follow a Weibull law", "the device is new at the start of the segment"),
        convention="y = (x/η)^β for a segment of length x",
    )
)
exponential_loss = (
    Derivation.start(
        L_x,
        Integral(v * exp(-v / M) / M, (v, 0, t)) / (1 - exp(-t / M)),
        "mean moment of the failures that come before the end, over the chance of any",
    )
    .to(M - t / (exp(t / M) - 1), "integrate by parts")
    .formula(when="failures strike at a constant rate $1/M$")
)
loss_is_half = (
    Derivation.start(exponential_loss)
    .approximate(
        t / 2,
        "in a segment short against M, a failure strikes in the middle on average",
        within="1/50",
        where_={t: ("1 min", "1 h"), M: ("10 h", "1 year")},
    )
    .formula(when="t up to a tenth of M")
)

# --- worked examples -----------------------------------------------------------------------

HAND = "by hand"
page_certain = Example(
    survival,
    {t: page_run, M: page_run_mtbf},
    expect="2.8947e-63",
    source="exp(−144), mpmath",
    unit="",
)
cluster_month = Example(
    cluster_chance,
    {N: "1024 gpu", t: "1 d", m: page_device_mtbf},
    expect="38.8304 %",
    source="1 − exp(−24576/50000), pocket calculator",
    unit="%",
)
tiny_chance = Example(
    luck,
    {p: "0.0000000000000001", n_d: "1000"},
    expect="0.0000000000001",
    rtol=1e-9,
    source=f"{HAND}: 1000·10⁻¹⁶, beside which the rest is 10⁻²⁶",
)
book_one_node = Example(
    undisturbed,
    {p: book_daily, n_d: "30"},
    expect=book_single,
    rtol=0.001,
    source="the printed figure",
    unit="%",
)
book_thousand_nodes = Example(  # printed a hundred times too small: a fraction was given a per cent sign
    undisturbed,
    {p: book_daily, n_d: "30000"},
    expect="9.2182e-14",
    source="exp(30000·ln 0.999), mpmath",
)
llama_rate = Example(
    node_rate,
    {g: node_devices, n: llama_failures, N: llama_devices, t: llama_time},
    expect="0.0037886 /d",
    source=f"{HAND}: 419/(54·2048)",
    unit="1/d",
)
llama_hbm_part = Example(
    share_of_kind,
    {c: llama_hbm, n: llama_failures},
    expect=llama_hbm_share,
    rtol=0.002,
    source="Table 5",
    unit="%",
)
llama_software_part = Example(
    share_of_kind,
    {c: llama_software, n: llama_failures},
    expect=llama_software_share,
    rtol=0.002,
    source="Table 5",
    unit="%",
)
llama_host_part = Example(
    share_of_kind,
    {c: llama_host, n: llama_failures},
    expect=llama_host_share,
    rtol=0.006,
    source="Table 5",
    unit="%",
)
llama_gpu_part = Example(  # Table 5 prints 30.1 %, which is no share of 419
    share_of_kind, {c: llama_gpu, n: llama_failures}, expect="35.322 %", source=f"{HAND}: 148/419", unit="%"
)
llama_sdc_mtbf = Example(
    mtbf_of_kind, {t: llama_time, c: llama_sdc}, expect="9 d", source=f"{HAND}: 54/6", unit="d"
)
law_16384 = Example(
    mtbf_of_nodes,
    {g: node_devices, N: "16384 gpu", r: rsc1_rate},
    expect=rsc_mttf_16384,
    rtol=0.005,
    source="the paper's projection",
    unit="h",
)
law_131072 = Example(
    mtbf_of_nodes,
    {g: node_devices, N: "131072 gpu", r: rsc1_rate},
    expect=rsc_mttf_131072,
    rtol=0.025,
    source="the paper's projection",
    unit="h",
)
law_1024 = Example(  # measured: 7.9 h
    mtbf_of_nodes,
    {g: node_devices, N: "1024 gpu", r: rsc1_rate},
    expect="28.846 h",
    source=f"{HAND}: 24/(128·0.0065)",
    unit="h",
)
law_8 = Example(  # measured: 47.7 d
    mtbf_of_nodes,
    {g: node_devices, N: "8 gpu", r: rsc1_rate},
    expect="153.846 d",
    source=f"{HAND}: 1/0.0065",
    unit="d",
)
explained_1024 = Example(
    explained,
    {g: node_devices, N: "1024 gpu", r: rsc1_rate, M_seen: rsc_mttf_1024},
    expect="27.387 %",
    source=f"{HAND}: 7.9/28.846",
    unit="%",
)
explained_8 = Example(
    explained,
    {g: node_devices, N: "8 gpu", r: rsc1_rate, M_seen: rsc_mttf_8},
    expect="31.005 %",
    source=f"{HAND}: 47.7/153.846",
    unit="%",
)
from_8_to_1024 = Example(  # from job to job the law holds: 7.9 h were measured
    mtbf_of_nodes,
    {g: node_devices, N: "1024 gpu", r: "0.020964 /d"},
    expect="8.944 h",
    source=f"{HAND}: 47.7·24/128",
    unit="h",
)
delta_fit = Example(
    fit_rate, {m: delta_h100}, expect="11265.3 FIT", source=f"{HAND}: 10⁹/88768", unit="FIT", digits=5
)
week_of_five = Example(
    exactly,
    {mu: "3", k: "5"},
    expect="10.0819 %",
    source="243/120·exp(−3), pocket calculator",
    unit="%",
)
four_spares = Example(
    spares_suffice,
    {mu: "2", s: "4"},
    expect="94.7347 %",
    source="exp(−2)·(1 + 2 + 2 + 4/3 + 2/3), pocket calculator",
    unit="%",
)
llama_spares = Example(
    spares_with_repair,
    {s: "16", t_r: "1 d", M: "3.0931 h"},
    expect="99.7246 %",
    source="sum of the Poisson chances 0 to 16 at 24/3.0931, mpmath",
    unit="%",
    digits=4,
)
llama_provide = Example(
    spares_to_provide, {mu: "7.7592", z: "3"}, expect="17", source=f"{HAND}: 7.76 + 3·2.79 = 16.1"
)
llama_width = Example(
    half_width, {z: "1.96", n: llama_failures}, expect="9.575 %", source=f"{HAND}: 1.96/20.469", unit="%"
)
llama_low = Example(
    lower_count,
    {n: llama_failures, z: "1.959964"},
    expect="379.836",
    rtol=2e-5,
    source="half the 2.5 % point of chi-square with 838 degrees of freedom, mpmath",
    digits=4,
)
llama_high = Example(
    upper_count,
    {n: llama_failures, z: "1.959964"},
    expect="461.106",
    rtol=2e-5,
    source="half the 97.5 % point of chi-square with 840 degrees of freedom, mpmath",
    digits=4,
)
sdc_low = Example(
    lower_count,
    {n: llama_sdc, z: "1.959964"},
    expect="2.20189",
    rtol=0.005,
    source="Garwood: half the 2.5 % point of chi-square with 12 degrees of freedom, mpmath",
)
sdc_high = Example(
    upper_count,
    {n: llama_sdc, z: "1.959964"},
    expect="13.0595",
    rtol=0.001,
    source="Garwood: half the 97.5 % point of chi-square with 14 degrees of freedom, mpmath",
)
quiet_week = Example(
    no_failure_yet,
    {X: "172032 gpu h", alpha: "5 %"},
    expect="57425.7 gpu h",
    source=f"{HAND}: 172032/2.99573",
    unit="gpu h",
    digits=4,
)
infants = Example(
    weibull_against_law,
    {N: "1024 gpu", beta: "0.7"},
    expect="0.051271",
    source="1024^(−3/7), pocket calculator",
)
weibull_life = Example(
    weibull_mean, {beta: "0.5", eta: "100 d"}, expect="200 d", source=f"{HAND}: Γ(3) = 2", unit="d"
)

# --- simulations ---------------------------------------------------------------------------

NODES = {g: "8 gpu", N: "1024 gpu", r: "0.0065 /d"}
sim_chance = Simulation(cluster_chance, {N: "256 gpu", m: "50000 gpu h", t: "7 d"}, twins.any_failure)
sim_nodes = Simulation(mtbf_of_nodes, NODES, twins.first_of_nodes)
sim_exactly = Simulation(exactly, {mu: "3", k: "5"}, twins.counts_exactly)
sim_spares = Simulation(spares_suffice, {mu: "6", s: "9"}, twins.spares_suffice)
sim_repair = Simulation(spares_with_repair, {t_r: "1 d", M: "4 h", s: "8"}, twins.spares_with_repair)
sim_luck = Simulation(luck, {p: "0.4 %", n_d: "300"}, twins.bad_luck)
sim_renewed = Simulation(
    law_of_numbers,
    {m: "1000 gpu h", N: "64 gpu"},
    twins.renewed_one_by_one,
    runs=400,
    options={"beta": 0.7},
)
sim_together = Simulation(
    weibull_first, {beta: "0.7", eta: "1000 h", N: "64 gpu"}, twins.renewed_together, runs=20000
)
sim_next = Simulation(weibull_next, {a: "30 d", t: "60 d", beta: "0.6", eta: "300 d"}, twins.lives_on)
sim_weibull_loss = Simulation(weibull_loss, {beta: "0.7", eta: "20 h", y: "0.4"}, twins.weibull_losses)
sim_loss = Simulation(exponential_loss, {M: "2 h", t: "3 h"}, twins.losses)
sim_many = Simulation(so_many, {n: "12", n_low: "7.5"}, twins.at_least)
sim_few = Simulation(so_few, {n: "12", n_high: "17.5"}, twins.at_most)

# --- explorer ------------------------------------------------------------------------------

explorer = Explorer(
    title="How long does a cluster stay whole?",
    sliders=(
        Slider(m, "gpu h", 5000, 500000, 5000, 50000, "MTBF of one device"),
        Slider(t, "h", 1, 168, 1, 24, "length of the run"),
        Slider(N, "gpu", 256, 32768, 256, 1024, "devices"),
    ),
    x=Axis(N, "gpu", 8, 32768, label="devices", log=True),
    y=Axis(F, "%", 0, 100, label="chance of at least one failure"),
    curves=(Curve("at least one failure", cluster_chance, "total"),),
    markers=(Marker("your cluster", N, cluster_chance, shape="dot", tone="plain", vertical=True),),
    lines=(cluster_mtbf, cluster_chance),
    columns={"your cluster": N},
    rows=(
        Row("mean time between failures", cluster_mtbf, "h"),
        Row("chance of at least one failure", cluster_chance, "%"),
    ),
    limits="Any device's failure stops the job, failures are independent, and no device ages.",
)

# --- exercises -----------------------------------------------------------------------------

ex_law = Exercise(
    mtbf_of_nodes,
    {g: "8 gpu", N: "4096 gpu", r: "0.005 /d"},
    title="From a node's rate to the cluster's MTBF",
    unit="h",
    variants={N: ("1024 gpu", "2048 gpu", "16384 gpu"), r: ("0.002 /d", "0.008 /d")},
    mistakes={
        "devices were counted where the rate is one of nodes": gpu / (N * r),
        "the devices of a node went in twice": g**2 / (gpu * N * r),
    },
    expect="9.375 h",
)
ex_chance = Exercise(
    cluster_chance,
    {N: "512 gpu", t: "48 h", m: "60000 gpu h"},
    title="Will it get through the weekend?",
    unit="%",
    variants={N: ("640 gpu",), t: ("60 h",), m: ("40000 gpu h", "80000 gpu h")},
    mistakes={
        "that is the chance of no failure": exp(-N * t / m),
        "that is the expected number of failures: it may exceed one, a chance may not": N * t / m,
        "one device was taken for the cluster": 1 - exp(-t * gpu / m),
    },
    expect="33.61 %",
)
ex_measure = Exercise(
    node_rate,
    {g: "8 gpu", n: "60", N: "2048 gpu", t: "30 d"},
    title="What rate did you see?",
    unit="1/d",
    variants={n: ("40", "90"), N: ("1024 gpu", "4096 gpu"), t: ("20 d", "50 d")},
    mistakes={
        "that is a rate per device: eight of them make a node": gpu * n / (N * t),
        "that is the rate of the whole job": n / t,
    },
    expect="0.0078125 /d",
)
ex_interval = Exercise(
    half_width,
    {z: "1.96", n: "25"},
    title="How well do you know it?",
    unit="%",
    variants={n: ("9", "64", "100", "400")},
    mistakes={
        "the count scatters by its root, not by itself": z / n,
        "that is one standard deviation only": 1 / sqrt(n),
    },
    expect="39.2 %",
)
ex_spares = Exercise(
    spares_to_provide,
    {mu: "9", z: "2"},
    title="How many spares?",
    variants={mu: ("4", "16", "25"), z: ("3",)},
    mistakes={
        "the mean alone is too few in half of all runs": ceiling(mu),
        "the scatter is the root of the mean, not the mean": ceiling(mu + z * mu),
    },
    expect="15",
)
ex_quiet = Exercise(
    no_failure_yet,
    {X: "100000 gpu h", alpha: "5 %"},
    title="Nothing failed yet",
    unit="gpu h",
    variants={X: ("20000 gpu h", "500000 gpu h"), alpha: ("1 %", "10 %")},
    mistakes={
        "no failure in X does not mean an MTBF of X": X,
        "the chance went in without its logarithm": X / alpha,
    },
    expect="33381 gpu h",
)
ex_infants = Exercise(
    weibull_against_law,
    {N: "256 gpu", beta: "0.5"},
    title="A new cluster, all of one age",
    variants={N: ("64 gpu", "1024 gpu"), beta: ("0.8", "2")},
    rtol=0.01,
    mistakes={
        "the exponent is $1 - 1/\\beta$: for infants it is negative": (N / gpu) ** (1 / beta - 1),
        "that is the scale of the first failure, not its ratio to the law": (gpu / N) ** (1 / beta),
    },
    expect="0.00390625",
)
HALF = Rational(1, 2)
ex_loss = Exercise(
    exponential_loss,
    {t: "2 h", M: "3 h"},
    title="When does it strike?",
    unit="min",
    variants={t: ("1 h", "4 h"), M: ("2 h", "5 h")},
    rtol=0.01,
    mistakes={
        "half of the segment is right only while it is short against the MTBF": HALF * t,
        "that is the MTBF: failures after the end do not count": M,
    },
    expect="53.382 min",
)
