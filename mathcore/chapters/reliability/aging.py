"""Aging: devices that are weak when young or worn when old, and when in a segment they fail."""

from sympy import Derivative, Integral, exp, gamma, oo

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters.reliability import gpu, simulation, t, v
from mathcore.chapters.young_daly import M, N
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

beta = Variable(
    "beta",
    "",
    "shape: below 1 for infant mortality, above 1 for wear",
    alias="shape",
    tex=r"\beta",
    low="0.3",
    high="5",
)
eta = Variable(
    "eta", "s", "scale of the lifetimes", alias="scale", tex=r"\eta", display_unit="d", low="1 h", high="100 year"
)
h = Variable("h", "1/s", "hazard: failure rate of a device of that age", display_unit="1/d")
S_W = Variable("S_W", "", "probability that a device reaches that age", tex=r"S_{\mathrm{W}}", display_unit="%")
m_W = Variable("m_W", "s", "mean lifetime of one device", tex=r"m_{\mathrm{W}}", display_unit="d")
M_W = Variable(
    "M_W", "s", "mean time to the first failure among devices of equal age", tex=r"M_{\mathrm{W}}", display_unit="h"
)
x_N = Variable("x_N", "", "mean time to the first failure as a multiple of m/N")
S_x = Variable("S_x", "", "probability that a device of that age survives the run", display_unit="%")
a = Variable("a", "s", "age of the device", display_unit="d", low="1 h", high="30 year")
L_x = Variable("L_x", "s", "mean time of a failure that occurs before the end", display_unit="min")

# --- lifetimes after Weibull ----------------------------------------------------------------

weibull_survival = Formula(
    S_W,
    exp(-((t / eta) ** beta)),
    assumptions=("lifetimes follow a Weibull distribution", "the device is new at the start"),
)
weibull_hazard = (
    Derivation.start(h, Derivative((t / eta) ** beta, t), "the hazard is the slope of what stands in the exponent")
    .rewrite(
        beta / eta * (t / eta) ** (beta - 1),
        "it falls with age for $\\beta < 1$, rises for $\\beta > 1$, and is constant for $\\beta = 1$",
    )
    .formula(assumptions="lifetimes follow a Weibull distribution")
)
weibull_mean = (
    Derivation.start(m_W, Integral(exp(-((t / eta) ** beta)), (t, 0, oo)), "the area under the survival")
    .rewrite(eta * gamma(1 + 1 / beta), "integrate with $(t/\\eta)^\\beta$ as the variable: a gamma function")
    .formula(assumptions="lifetimes follow a Weibull distribution")
)
weibull_first = (
    Derivation.start(
        M_W,
        Integral(exp(-((t / eta) ** beta)) ** (N / gpu), (t, 0, oo)),
        "N devices of one age: all must live, so the survivals multiply",
        kind="model",
    )
    .rewrite(
        eta * (gpu / N) ** (1 / beta) * gamma(1 + 1 / beta),
        "the exponent is N times as large: a Weibull distribution of the same shape with a smaller scale",
    )
    .formula(
        assumptions=("lifetimes follow a Weibull distribution", "all devices are of one age, as after a common renewal")
    )
)
weibull_first_ratio = (
    Derivation.start(x_N, M_W / (m_W * gpu / N), "the first failure, against the 1/N law")
    .apply({M_W: weibull_first, m_W: weibull_mean}, "both means are known")
    .rewrite((N / gpu) ** (1 - 1 / beta), "scale and gamma function cancel: only the number and the shape are left")
    .formula()
)
weibull_next = (
    Derivation.start(
        S_x,
        exp(-(((a + t) / eta) ** beta)) / exp(-((a / eta) ** beta)),
        "of those that reached the age a, how many live t longer?",
    )
    .rewrite(exp((a / eta) ** beta - ((a + t) / eta) ** beta), "one exponential", routine=True)
    .formula(assumptions="lifetimes follow a Weibull distribution")
)

# --- when in a segment it strikes -----------------------------------------------------------

exponential_loss = (
    Derivation.start(
        L_x,
        Integral(v * exp(-v / M) / M, (v, 0, t)) / (1 - exp(-t / M)),
        "mean moment of the failures that come before the end, over the probability of any",
    )
    .rewrite(M - t / (exp(t / M) - 1), "integrate by parts", routine=True)
    .formula(assumptions="failures strike at a constant rate $1/M$")
)
loss_is_half = (
    Derivation.start(exponential_loss)
    .approximate(
        t / 2,
        "in a segment short against M, a failure strikes in the middle on average",
        within="1/50",
        region={t: ("1 min", "1 h"), M: ("10 h", "1 year")},
    )
    .formula(assumptions="$t$ up to a tenth of $M$, where it is 2 % too late")
)

# --- worked examples ------------------------------------------------------------------------

infants = Example(weibull_first_ratio, {N: "1024 gpu", beta: "0.7"})

# --- simulations ----------------------------------------------------------------------------

sim_together = Simulation(
    weibull_first, {beta: "0.7", eta: "1000 h", N: "64 gpu"}, simulation.renewed_together, runs=20000
)
sim_next = Simulation(weibull_next, {a: "30 d", t: "60 d", beta: "0.6", eta: "300 d"}, simulation.lives_on)
sim_loss = Simulation(exponential_loss, {M: "2 h", t: "3 h"}, simulation.losses)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
