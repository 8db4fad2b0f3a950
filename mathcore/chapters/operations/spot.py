"""Spot instances: the break-even preemption rate, and what fits into a notice."""

from sympy import Rational, exp, sqrt

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import resilience, sites
from mathcore.chapters.operations.spot_simulation import spot_factors
from mathcore.chapters.young_daly import root_trusted
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols -------------------------------------------------------------------------------

b = Variable(
    "b",
    "B/s",
    "write bandwidth of the storage",
    alias="write_bandwidth",
    display_unit="GB/s",
    low="1 MB/s",
    high="1 PB/s",
)
C = Variable("C", "s", "time to write a checkpoint", alias="write_time", display_unit="min", low="0.1 s", high="1 d")
tau = Variable(
    "tau",
    "s",
    "work between two checkpoints",
    alias="interval",
    tex=r"\tau",
    display_unit="min",
    low="1 s",
    high="30 d",
)
R = Variable(
    "R", "s", "time to restart from a full checkpoint", alias="restart_time", display_unit="min", low="1 s", high="1 d"
)
r = Variable("r", "", "spot price over the price on demand", alias="price_ratio", low="0.02", high="0.98")
lam = Variable(
    "lam",
    "1/s",
    "rate at which the job is preempted",
    alias="preemption_rate",
    tex=r"\lambda",
    display_unit="1/h",
    low="0.0001 /h",
    high="60 /h",
)
h = Variable("h", "", "share of wall-clock time lost", display_unit="%", low="0 %", high="99.9 %", zero=True)
h_s = Variable("h_s", "", "smallest share lost", tex=r"h_{\min}", display_unit="%")
tau_s = Variable("tau_s", "s", "interval of least loss", tex=r"\tau^{*}", display_unit="min")
F = Variable("F", "", "cost of a useful hour relative to on demand")
lam_x = Variable(
    "lam_x", "1/s", "preemption rate at which spot stops paying", tex=r"\lambda_{\max}", display_unit="1/h"
)
y = Variable("y", "", "square root of preemption rate times restart", low="0.0001", high="100")
s = Variable("s", "", "square root of twice the write over the restart", low="0.001", high="100")
h_R = Variable("h_R", "", "share lost to restarts", tex=r"h_{R}", display_unit="%")
h_0 = Variable("h_0", "", "discount", tex=r"h_{0}", display_unit="%")
g = Variable("g", "s", "preemption notice", alias="notice", low="1 s", high="1 h")
S_g = Variable("S_g", "B", "largest checkpoint that the notice allows", tex=r"S_{\mathrm{notice}}", display_unit="TB")
q_s = Variable("q_s", "USD/h", "spot price", low="0.001 USD/h", high="1000 USD/h")
q_d = Variable("q_d", "USD/h", "price on demand", alias="on_demand_price", low="0.001 USD/h", high="1000 USD/h")
r_m = Variable("r_m", "", "price of a mixed fleet over the price on demand", tex=r"r_{\mathrm{mix}}")
z = Variable("z", "", "on-demand share of the cluster", display_unit="%", low="0 %", high="100 %", zero=True)

# --- without notice ------------------------------------------------------------------------

loss_share = Formula(
    h,
    C / tau + lam * (tau / 2 + R),
    assumptions="no use is made of the notice",
    validity=(
        (lam * (tau + C + R) <= Rational(1, 6), "the exact share may be lower by 10 % or more"),
        (tau / 10 >= C, "writes take a large share of the time and are overestimated by 10 % or more"),
    ),
    convention="share of wall-clock time; each preemption costs half an interval and a restart",
)
spot_interval = (
    Derivation.minimise(loss_share, over=tau, why="writes against lost work")
    .slope(lam / 2 - C / tau**2, "the restart does not depend on the interval")
    .root(sqrt(2 * C / lam), "Young's rule with the rate in place of the mean time", as_symbol=tau_s)
    .curvature(2 * C / tau**3, "positive: a minimum", routine=True)
    .formula(validity=root_trusted(C, 1 / lam))
)
least_loss = (
    Derivation.start(h_s, loss_share, "the loss, evaluated at that interval")
    .apply({tau: spot_interval}, "substitute the interval")
    .rewrite(sqrt(2 * C * lam) + R * lam, "the two equal terms add up to the square root")
    .formula(
        validity=((lam * (C + R) <= Rational(1, 20), "the exact share may be lower by 10 % or more"),),
        convention="share of the wall clock",
    )
)
spot_factor = (
    Derivation.start(F, r / (1 - h), "the price of an hour over its useful share", kind="model")
    .apply({h: least_loss}, "at the best interval")
    .formula(
        domain=(sqrt(2 * C * lam) + R * lam < 1,),
        validity=((lam * (C + R) <= Rational(1, 20), "the exact factor may be lower by 5 % or more"),),
        convention="1 is the cost on demand without failures",
    )
)
spot_factor_exact = Formula(
    F,
    r * exp(lam * R) * (exp(lam * (tau + C)) - 1) / (lam * tau),
    assumptions="preemptions come at a constant rate, during writes and restarts too",
    convention="billed time over useful work, times the price ratio",
)
write_unknown = Formula(s, sqrt(2 * C / R), kind="definition")
break_even_root = (
    Derivation.balance(
        s * y + y**2,
        1 - r,
        "spot stops paying when the smallest loss equals the discount; with $y^2 = R\\lambda$ and $s^2 = 2C/R$ this is a quadratic equation",
    )
    .solve_for(y, (sqrt(s**2 + 4 * (1 - r)) - s) / 2, "complete the square; only the positive solution applies")
    .formula(assumptions="first order in the rate")
)
break_even_rate = (
    Derivation.start(lam_x, y**2 / R, "from the unknown of the quadratic back to the rate")
    .apply({y: break_even_root}, "the positive solution")
    .apply(write_unknown, "the definition of s")
    .rewrite(
        ((sqrt(2 * C + 4 * R * (1 - r)) - sqrt(2 * C)) / (2 * R)) ** 2, "clear the fractions under the square roots"
    )
    .formula(
        validity=(
            (r >= Rational(17, 20), "the exact rate is higher: at 0.7 by a quarter, at 0.3 it is about twice as high"),
        ),
        convention="preemptions of the whole job",
    )
)
# --- with notice, and mixed ----------------------------------------------------------------

notice_size = (
    Derivation.balance(S_g / b, g, "the write takes the whole notice")
    .solve_for(S_g, b * g, "the bytes written in that time")
    .formula(assumptions="the signal is seen at once")
)
price_ratio = Formula(r, q_s / q_d, kind="definition", convention="of the same instance type, on the same day")
restart_share = Formula(
    h_R, lam * R, validity=((lam * R <= Rational(1, 10), "the exact share is lower by 5 % or more"),)
)
discount = Formula(h_0, 1 - r, kind="definition")
mixed_price = Formula(r_m, z + (1 - z) * r, kind="definition")

# --- worked examples -----------------------------------------------------------------------

SPOT = {C: "60 s", R: "300 s"}
spot_cheap = Example(break_even_rate, {**SPOT, r: "0.3"})
spot_half = Example(break_even_rate, {**SPOT, r: "0.5"})
spot_dear = Example(break_even_rate, {**SPOT, r: "0.7"})
hourly_interval = Example(spot_interval, {C: "60 s", lam: "1 /h"})
hourly_factor = Example(spot_factor, {**SPOT, r: "0.4", lam: "1 /h"})
hourly_exact = Example(spot_factor_exact, {**SPOT, r: "0.4", lam: "1 /h", tau: hourly_interval})
through_the_door = Example(notice_size, {b: resilience.book_throughput, g: sites.spot_notice}, digits=2)
book_door = Example(notice_size, {b: resilience.book_store, g: sites.spot_notice}, unit="GB")
book_ratio = Example(price_ratio, {q_s: sites.spot_low, q_d: sites.p4d_rate_2023})
book_ratio_high = Example(price_ratio, {q_s: sites.spot_high, q_d: sites.p4d_rate_2023})

# The rate at which the exact factor of the exercise is one, found by bisection over the rate and the interval.
exercise_exact = Example(
    spot_factor_exact, {C: "2 min", R: "10 min", r: "0.4", lam: "2.74 /h", tau: "8.08 min"}, digits=3
)

# --- simulations ---------------------------------------------------------------------------

sim_spot = Simulation(spot_factor_exact, {**SPOT, r: "0.4", lam: "1 /h", tau: "11 min"}, spot_factors, runs=1500)
sim_storm = Simulation(spot_factor_exact, {**SPOT, r: "0.3", lam: "4 /h", tau: "5.5 min"}, spot_factors, runs=1500)

# --- calculators -----------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
