"""Failure counts: how many come, how many spares are enough, and what a count says of the rate."""

from sympy import Integral, ceiling, erfc, exp, factorial, gamma, log, sqrt, uppergamma

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters.reliability import llama_sdc, n, phi, simulation, t
from mathcore.chapters.young_daly import M, lab_mtbf, llama_failures
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols --------------------------------------------------------------------------------

mu = Variable("mu", "", "failures expected in the run", alias="expected_failures", tex=r"\mu", low="0.01", high="100")
k = Variable("k", "", "failures", low="1", high="200", integer=True)
P_k = Variable("P_k", "", "probability of exactly k failures", display_unit="%")
s = Variable("s", "", "spare nodes", alias="spares", low="0", high="200", integer=True, zero=True)
Q = Variable("Q", "", "probability that the spares suffice", display_unit="%")
s_z = Variable("s_z", "", "spare nodes to provide")
u = Variable("u", "", "time in units of the MTBF", low="0", high="100", zero=True)
t_r = Variable(
    "t_r",
    "s",
    "time to repair or replace a node",
    alias="repair_time",
    tex=r"t_{\mathrm{r}}",
    display_unit="h",
    low="1 min",
    high="60 d",
)
X = Variable("X", "gpu h", "device-hours observed", alias="device_hours", low="1 gpu h", high="1000000000000 gpu h")
J = Variable("J", "", "negative log-likelihood of a rate, up to a constant")
z = Variable(
    "z", "", "standard deviations: 1.96 for 95 % between two limits, 1.645 for 95 % below one", low="0.5", high="4"
)
e_n = Variable("e_n", "", "relative half-width of the interval", display_unit="%")
LIMITS = {"low": "0.01", "high": "5000"}
n_low = Variable("n_low", "", "lower limit of the expected count", tex=r"n_{\mathrm{low}}", **LIMITS)
n_high = Variable("n_high", "", "upper limit of the expected count", tex=r"n_{\mathrm{high}}", **LIMITS)
A_high = Variable(
    "A_high",
    "",
    "probability of n failures or fewer at the upper limit",
    tex=r"\alpha_{\mathrm{high}}",
    display_unit="%",
)
alpha = Variable(
    "alpha", "", "probability of error that is accepted", tex=r"\alpha", display_unit="%", low="0.01 %", high="50 %"
)
m_min = Variable("m_min", "gpu h", "lower confidence limit of the MTBF of one device", tex=r"m_{\min}")

# --- how many failures, and how many spares -------------------------------------------------

exactly = (
    Derivation.start(
        P_k,
        exp(-mu) / factorial(k - 1) * Integral(u ** (k - 1), (u, 0, mu)),
        "failure k comes at u, after k − 1 others in any order, and none follows: all of it at a constant rate",
        kind="model",
    )
    .rewrite(mu**k * exp(-mu) / factorial(k), "integrate the power")
    .formula(assumptions="failures strike at a constant rate, $\\mu$ of them on average")
)
expected = Formula(mu, t / M, kind="definition", convention="over the whole run")
spares_suffice = (
    Derivation.start(
        Q,
        1 - Integral(u**s * exp(-u) / factorial(s), (u, 0, mu)),
        "the spares are not enough if failure $s + 1$ comes before the end",
        kind="model",
    )
    .rewrite(
        uppergamma(s + 1, mu) / gamma(s + 1),
        "the integral is an incomplete gamma function; this is also the sum of $P_0$ to $P_s$",
    )
    .formula(assumptions=("failures strike at a constant rate", "a failed node does not come back"))
)
spares_for_run = (
    Derivation.start(spares_suffice).apply(expected, "that many failures are expected in the run").formula()
)
nodes_away = Formula(
    mu,
    t_r / M,
    assumptions="steady state, and repairs do not wait for each other",
    convention="failed nodes that are away at a given moment, on average; not failures of the whole run",
)
spares_with_repair = (
    Derivation.start(spares_suffice)
    .apply(
        nodes_away,
        "failures come every M and each keeps a node away for $t_{\\mathrm{r}}$: Little's law gives the mean number away, and it is Poisson too",
    )
    .formula(
        drops_assumptions="a failed node does not come back", convention="at a given moment, not over the whole run"
    )
)
spares_to_provide = Formula(
    s_z,
    ceiling(mu + z * sqrt(mu)),
    assumptions=("a rule of thumb: mean plus z standard deviations", "check it with the probability itself"),
)

# --- what a count is worth ------------------------------------------------------------------

negative_log_likelihood = Formula(
    J,
    phi * X - n * log(phi * X),
    assumptions="failures strike at a constant rate",
    convention="minus the logarithm of the probability of n failures, without what does not depend on the rate",
)
best_rate = (
    Derivation.minimise(negative_log_likelihood, over=phi, why="which rate makes what was seen least surprising?")
    .slope(X - n / phi, "differentiate term by term", routine=True)
    .root(n / X, "the slope vanishes where the expected count is the count")
    .curvature(n / phi**2, "positive: one best rate", routine=True)
    .formula()
)
half_width = Formula(
    e_n,
    z / sqrt(n),
    assumptions="the standard deviation of a Poisson count is its square root",
    validity=((n >= 10, "the exact interval is wider by a tenth and more"),),
    convention="normal approximation",
)
LOWER_OFF = "the exact lower limit differs by 1 % and more"
lower_count = Formula(
    n_low,
    n * (1 - 1 / (9 * n) - z / (3 * sqrt(n))) ** 3,
    validity=((n >= 5, LOWER_OFF),),
    assumptions="Wilson and Hilferty: the cube root of a waiting time is nearly normal",
    convention="two-sided: the upper limit has a z of its own",
)
upper_count = Formula(
    n_high,
    (n + 1) * (1 - 1 / (9 * (n + 1)) + z / (3 * sqrt(n + 1))) ** 3,
    assumptions="Wilson and Hilferty: the cube root of a waiting time is nearly normal",
    convention="two-sided: the lower limit has a z of its own",
)
lower_tail = Formula(
    A_high,
    uppergamma(n + 1, n_high) / gamma(n + 1),
    assumptions=("failures strike at a constant rate", "as many as $n_{\\mathrm{high}}$ are expected"),
)
lower_tail_normal = (
    Derivation.start(lower_tail, why="if this many were expected, how often would n or fewer come?")
    .apply({n_high: upper_count}, "the limit to be tried")
    .approximate(
        erfc(z / sqrt(2)) / 2,
        "as often as a normal value lies beyond z",
        within="3/100",
        region={n: ("1", "2000"), z: ("1", "2")},
    )
    .formula()
)
zero_failure_bound = (
    Derivation.balance(
        exp(-X / m_min),
        alpha,
        "nothing failed: the worst MTBF still credible is the one that would give such luck with the probability $\\alpha$",
        kind="model",
    )
    .solve_for(m_min, -X / log(alpha), "take the logarithm; $-\\ln 0.05$ is 3, the rule of three", routine=True)
    .formula(assumptions="not one failure was seen", convention="one-sided")
)

# --- worked examples ------------------------------------------------------------------------

week_of_five = Example(exactly, {mu: "3", k: "5"})
month_of_log = Example(expected, {t: "30 d", M: lab_mtbf}, digits=2)
month_width = Example(half_width, {z: "1.96", n: month_of_log}, digits=2)
llama_width = Example(half_width, {z: "1.96", n: llama_failures})
llama_low = Example(lower_count, {n: llama_failures, z: "1.959964"}, digits=4)
llama_high = Example(upper_count, {n: llama_failures, z: "1.959964"}, digits=4)
sdc_low = Example(lower_count, {n: llama_sdc, z: "1.959964"})
sdc_high = Example(upper_count, {n: llama_sdc, z: "1.959964"})
quiet_week = Example(zero_failure_bound, {X: "172032 gpu h", alpha: "5 %"}, digits=4)

# --- simulations ----------------------------------------------------------------------------

sim_exactly = Simulation(exactly, {mu: "3", k: "5"}, simulation.counts_exactly)
sim_spares = Simulation(spares_suffice, {mu: "6", s: "9"}, simulation.spares_suffice)
sim_repair = Simulation(spares_with_repair, {t_r: "1 d", M: "4 h", s: "8"}, simulation.spares_with_repair)
sim_few = Simulation(lower_tail, {n: "12", n_high: "17.5"}, simulation.at_most)

exercises = read_exercises(__name__)
