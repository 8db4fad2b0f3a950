"""Lab on checkpoints: two messages, two calculators, and a cluster that fails every 44 seconds."""

from sympy import Rational, ceiling, exp, floor

from mathcore import Derivation, Formula, Max, One, Variable
from mathcore.chapters import resilience, young_daly
from mathcore.chapters.fleet_checkpointing import h, paced_interval, paced_optimum, s, simple_async, u
from mathcore.chapters.young_daly import (
    C,
    D,
    H,
    M,
    N,
    R,
    cluster_mtbf,
    interval,
    k,
    m,
    sum_trusted,
    tau,
    w,
    waste,
    waste_at_optimum,
)
from mathcore.teaching import read_calculators, read_exercises, read_labs, read_questions

S, b, beta = resilience.S, resilience.b, resilience.beta

# --- symbols --------------------------------------------------------------------------------

n_g = Variable("n_g", "", "parameters, in billions", tex=r"n_{9}", low="0.001", high="100000")
q_S = Variable("q_S", "", "source of the size: 1 the model, 0 as stated", low="0", high="1", zero=True)
a = Variable("a", "", "share of the write that stalls training", display_unit="%", low="0 %", high="100 %", zero=True)
S_c = Variable("S_c", "B", "size of the written checkpoint", tex=r"S_{\mathrm{w}}", display_unit="TB")
C_w = Variable("C_w", "s", "time of one write", tex=r"C_{\mathrm{w}}")
s_e = Variable("s_e", "s", "stall of one checkpoint", tex=r"s_{\mathrm{e}}")
u_e = Variable("u_e", "s", "duration of the asynchronous write", tex=r"u_{\mathrm{e}}", low="0 s", zero=True)
T = Variable(
    "tau_f", "s", "work between two checkpoints of the cluster", tex=r"\tau_{\mathrm{f}}", low="1 s", high="30 d"
)
tau_j = Variable("tau_j", "s", "interval in whole steps", tex=r"\tau_{\mathrm{steps}}")
tau_b = Variable("tau_b", "s", "best interval not shorter than the write", tex=r"\tau_{\mathrm{best}}")
tau_n = Variable("tau_n", "s", "best interval in whole steps", tex=r"\tau_{\mathrm{set}}")
x_j = Variable("x_j", "", "interval as a multiple of the best")
w_l = Variable("w_l", "", "waste of the cluster", tex=r"w_{\mathrm{fleet}}", display_unit="%")
w_f = Variable("w_f", "", "waste of the cluster to first order", tex=r"w_{1}", display_unit="%")
p_w = Variable("p_w", "", "checkpoint overhead: stall over work", tex=r"p_{\mathrm{stall}}", display_unit="%")
p_r = Variable("p_r", "", "waste per failure", tex=r"p_{\mathrm{fail}}", display_unit="%")
L_f = Variable("L_f", "s", "work lost in one failure", tex=r"L_{\mathrm{f}}", display_unit="min")
eta = Variable("eta", "", "useful share of time", tex=r"\eta", display_unit="%", low="0 %", high="100 %", zero=True)
w_g = Variable(
    "w_g", "", "budget for the stalls", tex=r"w_{\mathrm{budget}}", display_unit="%", low="0.1 %", high="100 %"
)
w_d = Variable("w_d", "", "waste above the minimum", tex=r"\Delta w", display_unit="%", low="0", zero=True)
gap = Variable("gap", "s", "time by which a limit is missed", tex=r"\Delta", low="-1000 year", high="1000 year")
lack = Variable("lack", "", "useful share that is missing", tex=r"\Delta\eta", low="-1", high="1")
over = Variable("over", "", "overhead above the budget", tex=r"\Delta p", low="-1", high="1000000000")

# --- act I: one cluster, one interval -------------------------------------------------------

extra = (
    Derivation.start(w_d, w - young_daly.w_min, "the waste at your interval minus the smallest waste")
    .apply({w: waste, young_daly.w_min: waste_at_optimum}, "both to first order")
    .formula(validity=sum_trusted(tau + C, M))
)
week = (
    Derivation.start(H, young_daly.gain, "device-hours that the better interval saves")
    .apply({young_daly.w_1: waste, young_daly.w_2: waste_at_optimum}, "yours, and Young's")
    .apply({N: 1000 * One("gpu"), D: 7 * 86400 * One("s")}, "a thousand devices, for a week")
    .formula(validity=sum_trusted(tau + C, M))
)
third = Formula(
    w,
    waste.rhs.subs(tau, tau / 3),
    assumptions="three checkpoints where there was one",
    validity=sum_trusted(tau / 3 + C, M),
)
twice = Formula(
    w,
    waste.rhs.subs(tau, 2 * tau),
    assumptions="every second checkpoint left out",
    validity=sum_trusted(2 * tau + C, M),
)
sixteenth = (
    Derivation.start(young_daly.tau_k, interval, "Young's rule")
    .apply({M: M / k}, "k times the devices, each as reliable as before: k times the failures")
    .formula(assumptions="the write time stays the same", validity=young_daly.root_trusted(C, M / k))
)

# --- act II: the fleet ----------------------------------------------------------------------

size_used = Formula(
    S_c, q_S * 10**9 * n_g * beta + (1 - q_S) * S, kind="definition", convention="from the model or as stated"
)
write = (
    Derivation.start(C_w, S_c / b, "size over storage bandwidth", kind="model")
    .apply(size_used, "the size that was chosen")
    .formula(assumptions="storage is the bottleneck")
)
plain_write = Formula(C_w, S / b, assumptions="storage is the bottleneck")
stall_share = Formula(p_w, s_e / tau_j, kind="definition")
stall = (
    Derivation.start(s_e, a * C_w + (1 - a) * s, "synchronous: all of the write; asynchronous: the copy", kind="model")
    .apply(write, "the time of a write")
    .formula(assumptions="$a$ is one or zero")
)
behind = (
    Derivation.start(u_e, (1 - a) * C_w, "the write while training continues", kind="model")
    .apply(write, "the time of a write")
    .formula(assumptions="$a$ is one or zero")
)
FLEET = {s: stall, u: behind, M: cluster_mtbf}
PACED = {tau: paced_interval.renamed({tau: T})}
fleet_waste = (
    Derivation.start(w_l, simple_async, "a stall, then an asynchronous write that does not slow training")
    .apply({R: young_daly.restart_time}, "a failure can interrupt a restart, which then begins again")
    .rewrite(
        M / tau * exp((R + u) / M) * (exp((tau + s) / M) - 1) - 1,
        "gather: one MTBF is $M$, with its restart $Me^{R/M}$",
        routine=True,
    )
    .apply(PACED, "a write longer than the interval delays the next one")
    .apply(FLEET, "stall and write of the chosen strategy, MTBF of the cluster")
    .formula(assumptions="training keeps its speed", convention="time lost per unit of useful work")
)
useful = (
    Derivation.start(eta, 1 / (1 + w_l), "the useful share of the time, at that waste per unit of work")
    .apply(fleet_waste, "what is lost")
    .formula()
)
overhead = (
    Derivation.start(p_w, s / tau, "one stall per interval")
    .apply(PACED, "a write longer than the interval delays the next one")
    .apply({s: stall, u: behind}, "of the chosen strategy")
    .formula(convention="stall over work")
)
lost = (
    Derivation.start(L_f, tau / 2 + u, "half an interval on average, plus the unfinished write")
    .apply(PACED, "a write longer than the interval delays the next one")
    .apply({u: behind}, "of the chosen strategy")
    .formula(assumptions="failures come at a constant rate")
)
per_failure = (
    Derivation.start(p_r, (L_f + R) / M, "each failure costs the lost work and a restart")
    .apply(lost, "the lost work")
    .apply(cluster_mtbf, "one failure per MTBF of the cluster")
    .formula(validity=sum_trusted(T + R, m / N))
)
first_order = (
    Derivation.start(w_f, p_w + p_r, "the cost per interval plus the cost per failure")
    .apply({p_w: overhead, p_r: per_failure}, "both costs")
    .formula()
)
young = (
    Derivation.start(interval)
    .apply({C: stall, M: cluster_mtbf}, "the stall in place of the write, MTBF of the cluster")
    .formula()
)
best = (
    Derivation.start(tau_b, paced_optimum, "the best interval that the write allows")
    .apply(FLEET, "of the chosen strategy and cluster")
    .formula()
)
steps = Formula(
    tau_j, h * Max(1, floor(T / h + Rational(1, 2))), kind="definition", convention="the nearest whole step"
)
best_steps = Formula(
    tau_n,
    h * Max(1, ceiling(behind.rhs / h), floor(best.rhs / h + Rational(1, 2))),
    kind="definition",
    convention="the nearest whole step that leaves room for the write",
)
ratio = (
    Derivation.start(x_j, tau_j / tau_b, "your interval over the best one")
    .apply({tau_j: steps, tau_b: best}, "in whole steps")
    .formula()
)


def _own(formula):
    """Return the formula at the reader's interval, in whole steps."""
    return Formula(formula.lhs, formula.rhs.subs(T, steps.rhs), convention="at your interval in whole steps")


own_useful, own_overhead, own_lost = _own(useful), _own(overhead), _own(lost)
best_useful = Formula(eta, useful.rhs.subs(T, best_steps.rhs), convention="at the best interval in whole steps")

# --- limits, and what would cure them -------------------------------------------------------

over_budget = Formula(over, own_overhead.rhs - w_g)
budget_interval = Formula(T, h * ceiling(stall.rhs / (w_g * h)))
budget_store = Formula(b, size_used.rhs / (w_g * steps.rhs))
budget_size = Formula(S, w_g * steps.rhs * b)
budget_stall = Formula(s, w_g * steps.rhs)
too_short = Formula(gap, behind.rhs - steps.rhs)
room_interval = Formula(T, h * ceiling(write.rhs / h))
room_store = Formula(b, size_used.rhs / steps.rhs)
room_size = Formula(S, steps.rhs * b)
no_write = Formula(gap, write.rhs - m / N)
calm_store = Formula(b, size_used.rhs * N / m)
calm_size = Formula(S, m * b / N)
calm_devices = Formula(N.as_real(), m / write.rhs)
calm_life = Formula(m, N * write.rhs)
no_restart = Formula(gap, R - m / N)
rest_time = Formula(R, m / N)
rest_life = Formula(m, N * R)
rest_devices = Formula(N.as_real(), m / R)

# Of the clock, half must be useful. With p the overhead, e^x − 1 ≤ x·e^x and (1 + p)·e^((1 − p)/2) ≤ 2 for p up to 1:
# a failure in twice the time of all that it can strike, over 1 − p, is rare enough.
too_little = Formula(lack, Rational(1, 2) - own_useful.rhs)
STRUCK = Max(steps.rhs, behind.rhs) + stall.rhs + behind.rhs + R
RARE = 2 * STRUCK / Max(Rational(1, 10**9), 1 - own_overhead.rhs)
useful_interval = Formula(T, best_steps.rhs)
useful_life = Formula(m, N * RARE, assumptions="sufficient, not minimal")
useful_devices = Formula(N.as_real(), m / RARE, assumptions="sufficient, not minimal")

# --- calculators ----------------------------------------------------------------------------

calculators = read_calculators(__name__)

# --- questions ------------------------------------------------------------------------------

third_interval = Formula(young_daly.tau_k, tau / 3)
twice_interval = Formula(young_daly.tau_k, 2 * tau)


def _after(minutes):
    """Return the useful share of time at an interval of `minutes`."""
    rhs = useful.rhs.subs(T, 60 * minutes * One("s"))
    return Formula(eta, rhs, convention=f"an interval of {minutes} min")


after_5, after_10, after_20, after_60 = (_after(minutes) for minutes in (5, 10, 20, 60))
# --- the lab --------------------------------------------------------------------------------

exercises, questions = read_exercises(__name__), read_questions(__name__)
labs = read_labs(__name__)
