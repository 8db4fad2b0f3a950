"""Young–Daly: how much work should lie between two checkpoints?"""

from sympy import Add, Integer, Integral, LambertW, Mul, Piecewise, Rational, exp, log, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters.young_daly.simulation import completion_times
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

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
C = Variable("C", "s", "time to write one checkpoint", alias="write_time", display_unit="min", low="1 ms", high="1 d")
M = Variable(
    "M", "s", "mean time between failures of the job", alias="mtbf", display_unit="h", low="1 s", high="100 year"
)
R = Variable(
    "R",
    "s",
    "time to restart from a checkpoint",
    alias="restart_time",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
t = Variable("t", "s", "time since the last checkpoint", display_unit="min", low="0 s", high="30 d", zero=True)
L = Variable("L", "s", "work lost in one failure", display_unit="min")
w = Variable("w", "", "waste: time lost for each unit of useful work", display_unit="%")
w_C = Variable("w_C", "", "waste from checkpoint writes", tex=r"w_{\mathrm{write}}", display_unit="%")
w_L = Variable("w_L", "", "waste by redoing lost work", tex=r"w_{\mathrm{redo}}", display_unit="%")
w_R = Variable("w_R", "", "waste with restarts counted", tex=r"w_{R}", display_unit="%")
w_min = Variable("w_min", "", "smallest waste", tex=r"w_{\min}", display_unit="%", low="0.001 %", high="100 %")
w_x = Variable("w_x", "", "exact waste", tex=r"w_{\mathrm{exact}}", display_unit="%")
tau_Y = Variable("tau_Y", "s", "Young's interval", tex=r"\tau_{\mathrm{Y}}", display_unit="min", low="1 s", high="30 d")
tau_P = Variable("tau_P", "s", "Young's interval less the write", tex=r"\tau_{\mathrm{P}}", display_unit="min")
tau_D = Variable("tau_D", "s", "Daly's estimate", tex=r"\tau_{\mathrm{D}}", display_unit="min")
tau_x = Variable("tau_x", "s", "exact optimum", tex=r"\tau_{\mathrm{exact}}", display_unit="min")
tau_k = Variable("tau_k", "s", "interval of the cluster that is k times larger", tex=r"\tau_{k}", display_unit="min")
N = Variable(
    "N", "gpu", "devices of the job", alias=("devices", "ranks"), low="1 gpu", high="10000000 gpu", integer=True
)
m = Variable(
    "m",
    "gpu h",
    "mean time between failures of one device",
    alias="device_mtbf",
    low="0.001 gpu h",
    high="1000000000 gpu h",
)
k = Variable("k", "", "growth of the cluster", alias="growth", low="1", high="10000")
s = Variable("s", "", "shrinkage of the interval")
x = Variable("x", "", "interval as a multiple of Young's", low="0.05", high="20")
p = Variable("p", "", "waste as a multiple of the smallest")
R_bar = Variable("R_bar", "s", "expected time until the job runs again", tex=r"\bar{R}", display_unit="min")
S = Variable("S", "s", "expected time to complete one segment", display_unit="min")
T_s = Variable(
    "T_s",
    "s",
    "useful work of the whole job",
    alias="work_time",
    tex=r"T_{\mathrm{s}}",
    display_unit="h",
    low="1 s",
    high="100 year",
)
T_w = Variable("T_w", "s", "expected wall-clock time of the job", tex=r"T_{\mathrm{w}}", display_unit="h")
y = Variable("y", "", "optimal interval in units of the MTBF", low="0.0001", high="0.9")
q = Variable("q", "", "first-order waste, the small number of the series", low="0.0001", high="1")
w_1 = Variable(
    "w_1", "", "waste before the change", alias="waste_before", display_unit="%", low="0.001 %", high="1000 %"
)
w_2 = Variable("w_2", "", "waste after the change", alias="waste_after", display_unit="%", low="0.001 %", high="1000 %")
D = Variable(
    "D", "s", "wall-clock time that is billed", alias="billed_time", display_unit="d", low="1 s", high="100 year"
)
h = Variable("h", "", "wasted share of wall-clock time", display_unit="%")
H = Variable("H", "gpu h", "device-hours won by the change")
B = Variable("B", "USD", "cost of the period", alias="cost", low="1 USD", high="100000000000 USD")
B_w = Variable("B_w", "USD", "part of the cost that buys no progress", tex=r"B_{\mathrm{wasted}}")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- where first order may be trusted: bounds found from the exact formulas below -------------


def root_trusted(C, M):
    """Return the regime of an interval √(2CM)."""
    return ((C <= M / 25, "the root is longer than the exact optimum by 10 % and more"),)


def sum_trusted(lost, M):
    """Return the regime of a sum of shares: of all that is lost with an interval and a failure."""
    return ((lost <= M / 6, "the exact waste is higher by 5 % and more"),)


def least_trusted(C, M):
    """Return the regime of a least waste √(2C/M)."""
    return ((C <= M / 80, "the exact least waste is higher by 11 % and more"),)


# --- the first-order model -----------------------------------------------------------------

mean_loss = (
    Derivation.start(
        L,
        Integral(t / tau, (t, 0, tau)),
        "a failure is equally likely at every moment of the interval, and costs all work since the last checkpoint",
        kind="model",
    )
    .rewrite(tau / 2, "the mean of evenly spread moments is the middle")
    .formula(kind="model", assumptions="a failure is as likely at one moment of the interval as at any other")
)
waste = (
    Derivation.start(
        w,
        C / tau + L / M,
        "for each unit of work: one write per interval, one loss per failure, one failure per MTBF",
        kind="model",
    )
    .apply(mean_loss, "half an interval is lost on average")
    .formula(
        kind="model",
        assumptions=("failures strike work only, once at most per interval", "restarts are free"),
        validity=sum_trusted(tau + C, M),
        convention="time lost for each unit of useful work, not share of wall-clock time",
    )
)
write_share = Formula(w_C, C / tau, kind="definition")
rework_share = Formula(w_L, tau / (2 * M), kind="definition")
interval = (
    Derivation.minimise(
        waste, over=tau, why="two terms, one falls with tau and one rises: somewhere between lies the smallest sum"
    )
    .slope(1 / (2 * M) - C / tau**2, "differentiate term by term", routine=True)
    .root(sqrt(2 * C * M), "a zero slope means $\\tau^2 = 2CM$, and only the positive root is a time", as_symbol=tau_Y)
    .curvature(
        2 * C / tau**3,
        "positive for every tau: the curve bends up everywhere, so the one flat point is the minimum",
        routine=True,
    )
    .formula(validity=root_trusted(C, M), convention="work between checkpoints: the write is not part of it")
)
waste_at_optimum = (
    Derivation.start(w_min, waste, "the waste, to be taken at Young's interval")
    .apply({tau: interval}, "work for exactly Young's interval")
    .formula(validity=least_trusted(C, M))
)
equal_terms = (
    Derivation.start(w_C, C / tau, "the waste by writing")
    .apply({tau: interval}, "at Young's interval", routine=True)
    .rewrite(
        sqrt(C / (2 * M)),
        "the same number with the root above: this is $\\tau/2M$ at that interval, the waste by redone work",
        display_form=Mul(sqrt(2 * C * M), 1 / (2 * M), evaluate=False),
    )
    .formula(validity=least_trusted(C, M), convention="at Young's interval", display_form=None)
)
balance_point = (
    Derivation.balance(C / tau, tau / (2 * M), "suppose both kinds of waste are equal")
    .solve_for(tau, sqrt(2 * C * M), "clear the fractions and take the root: the balance lies where the minimum lies")
    .formula(validity=root_trusted(C, M))
)
waste_with_restart = (
    Derivation.start(w_R, C / tau + (L + R) / M, "each failure also costs one restart", kind="model")
    .apply(mean_loss, "half an interval is lost on average")
    .rewrite(C / tau + tau / (2 * M) + R / M, "split the fraction: the restart adds a constant")
    .formula(kind="model", assumptions="no failure during a restart", validity=sum_trusted(tau + C + R, M))
)
interval_with_restart = (
    Derivation.minimise(waste_with_restart, over=tau, why="does the cost of a restart move the optimum?")
    .slope(1 / (2 * M) - C / tau**2, "R does not multiply tau, so its derivative is zero")
    .root(sqrt(2 * C * M), "the same equation, the same interval", as_symbol=tau_Y)
    .curvature(2 * C / tau**3, "positive, a minimum", routine=True)
    .formula(validity=root_trusted(C, M))
)
interval_ratio = Formula(x, tau / sqrt(2 * C * M), kind="definition", convention="1 at Young's interval")
penalty = (
    Derivation.start(p, w / w_min, "your waste against the smallest")
    .apply({w: waste, w_min: waste_at_optimum}, "both from the model", routine=True)
    .apply({tau: x * sqrt(2 * C * M)}, justified_by=interval_ratio, why="measure the interval in units of Young's")
    .rewrite(
        (x + 1 / x) / 2,
        "C and M cancel: the penalty is the same for every cluster",
        display_form=Mul(Rational(1, 2), Add(x, 1 / x, evaluate=False), evaluate=False),
    )
    .formula(assumptions="$C$ and $\\tau$ small against $M$")
)
share = Formula(h, w_1 / (1 + w_1), kind="definition", convention="lost time over lost plus useful time")
gain = (
    Derivation.start(
        H, N * D * (w_1 / (1 + w_1) - w_2 / (1 + w_2)), "devices, times time, times the difference of the wasted shares"
    )
    .rewrite(N * D * (1 / (1 + w_2) - 1 / (1 + w_1)), "$w/(1+w)$ is $1 - 1/(1+w)$, and the ones cancel", routine=True)
    .formula(assumptions="the same job on the same cluster, with another interval")
)
wasted_cost = Formula(
    B_w,
    B * w_1 / (1 + w_1),
    kind="definition",
    assumptions="the cost is proportional to wall-clock time",
    convention="wasted share of the wall clock",
)

printed_waste = Formula(
    w,
    C / (2 * tau) + tau / (2 * M),
    assumptions="as printed on the reference page; a write is counted at half its time",
)
printed_minimum = (
    Derivation.minimise(printed_waste, over=tau, why="where would the printed sum be smallest?")
    .slope(1 / (2 * M) - C / (2 * tau**2), "differentiate term by term", routine=True)
    .root(sqrt(C * M), "the slope vanishes here, not at the interval printed two lines above it")
    .curvature(C / tau**3, "positive, a minimum", routine=True)
    .formula()
)

# --- the cluster ---------------------------------------------------------------------------

cluster_mtbf = Formula(
    M,
    m / N,
    assumptions=("any device's failure stops the job", "failures are independent"),
    convention="device-hours: N devices gather N of them in an hour",
)
interval_of_cluster = (
    Derivation.start(interval)
    .apply(cluster_mtbf, "the job fails when any of its N devices fails")
    .formula(validity=root_trusted(C, m / N))
)
shrinkage = (
    Derivation.start(s, tau_k / tau_Y, "the interval of a cluster k times larger against today's")
    .apply(
        {tau_k: sqrt(2 * C * m / (k * N)), tau_Y: interval_of_cluster},
        "Young's rule for both; write time and devices are unchanged",
    )
    .formula(assumptions="the write time stays the same")
)

# --- Daly's exact model --------------------------------------------------------------------

restart_time = (
    Derivation.balance(
        R_bar,
        R * exp(-R / M) + Integral((t + R_bar) * exp(-t / M) / M, (t, 0, R)),
        "either the restart survives, or a failure at t makes it begin again",
        kind="model",
    )
    .rewrite((M + R_bar) * (1 - exp(-R / M)), "integrate: the terms with $R\\,e^{-R/M}$ cancel", routine=True)
    .solve_for(R_bar, M * (exp(R / M) - 1), "collect $\\bar{R}$ on the left and divide by $e^{-R/M}$", routine=True)
    .formula(assumptions="failures strike at a constant rate $1/M$, during restarts too")
)
segment_time = (
    Derivation.balance(
        S,
        (tau + C) * exp(-(tau + C) / M) + Integral((t + R_bar + S) * exp(-t / M) / M, (t, 0, tau + C)),
        "either work and write survive, or a failure at t costs t, a restart, and the segment again",
        kind="model",
    )
    .rewrite((M + R_bar + S) * (1 - exp(-(tau + C) / M)), "integrate: the terms with $\\tau + C$ cancel", routine=True)
    .solve_for(
        S,
        (M + R_bar) * (exp((tau + C) / M) - 1),
        "collect $S$ on the left and divide by $e^{-(\\tau+C)/M}$",
        routine=True,
    )
    .apply(restart_time, "the expected restart, itself interrupted at times")
    .rewrite(M * exp(R / M) * (exp((tau + C) / M) - 1), "$M + M(e^{R/M} - 1)$ is $M e^{R/M}$")
    .formula(
        assumptions="failures strike at a constant rate $1/M$, during work, writes and restarts",
        drops_assumptions="failures strike at a constant rate $1/M$, during restarts too",
    )
)
completion_time = (
    Derivation.start(
        T_w, T_s / tau * S, "the job is $T_{\\mathrm{s}}/\\tau$ segments, each expected to take $S$", kind="model"
    )
    .apply(segment_time, "the expected time of a segment")
    .formula(
        assumptions="the job holds many segments",
        convention="tau is work between checkpoints; the last segment is written too",
    )
)
exact_waste = (
    Derivation.start(w_x, T_w / T_s - 1, "time beyond the useful work, for each unit of it")
    .apply(completion_time, "the expected wall-clock time")
    .formula(convention="time lost for each unit of useful work")
)
exact_waste_free_restart = (
    Derivation.start(exact_waste)
    .apply({R: Integer(0)}, "restarts for free, as Young's model has them")
    .formula(assumptions="failures strike at a constant rate $1/M$; $R = 0$")
)
optimum = (
    Derivation.minimise(completion_time, over=tau, why="the expected wall-clock time, as a function of the interval")
    .slope(
        T_s / tau**2 * exp(R / M) * (M - (M - tau) * exp((tau + C) / M)),
        "product rule; R and T_s only multiply the bracket, so the optimum cannot depend on them",
    )
    .root(
        M * (1 + LambertW(-exp(-1 - C / M))),
        "the bracket vanishes when $(1 - \\tau/M)\\,e^{(\\tau+C)/M} = 1$, which Lambert's function $W_0$ solves",
        as_symbol=tau_x,
    )
    .curvature(
        T_s / (M * tau**3) * exp(R / M) * ((tau**2 - 2 * M * tau + 2 * M**2) * exp((tau + C) / M) - 2 * M**2),
        "the bracket is $2M^2(e^{C/M} - 1)$ at $\\tau = 0$ and grows with $\\tau$: it is always positive",
    )
    .formula(convention="work between checkpoints: the write is not part of it")
)
least_waste = (
    Derivation.start(exact_waste_free_restart)
    .apply({tau: optimum}, "at the exact optimum")
    .rewrite(
        -1 / LambertW(-exp(-1 - C / M)) - 1, "there $e^{(\\tau+C)/M}$ is $1/(1 - \\tau/M)$, and $1 - \\tau/M$ is $-W_0$"
    )
    .formula(convention="time lost for each unit of useful work")
)
write_at_waste = (
    Derivation.balance(w_x, -1 / LambertW(-exp(-1 - C / M)) - 1, "the least waste, to be inverted")
    .solve_for(
        C,
        M * (log(1 + w_x) - w_x / (1 + w_x)),
        "$W_0$ is $-1/(1 + w)$, and $W_0e^{W_0}$ is $-e^{-1-C/M}$: take the logarithm",
    )
    .formula(assumptions="failures strike at a constant rate $1/M$; $R = 0$")
)
series = (
    Derivation.balance(
        y + log(1 - y), -(q**2) / 2, "the condition of the optimum as a logarithm, with $y = \\tau/M$ and $q^2 = 2C/M$"
    )
    .series(
        lambda root: log(1 - root) + root + q**2 / 2,
        q - q**2 / 3 + q**3 / 36,
        "insert a polynomial and make each power of q vanish in turn",
        small=q,
        order=5,
        left=y,
    )
    .formula(assumptions="$q$ up to 1, where it is short by 0.6 %")
)
daly_series = (
    Derivation.start(tau_D, M * y, "the interval is y MTBFs long")
    .apply(series, "three terms of the series")
    .apply({q: waste_at_optimum}, "q is the waste at Young's interval")
    .rewrite(
        sqrt(2 * C * M) * (1 + sqrt(C / (2 * M)) / 3 + C / (18 * M)) - C,
        "regroup around Young's interval: the second term, $-2C/3$, is written as $C/3 - C$",
    )
    .formula(validity=((C <= 2 * M, "the series is short by 6 % and more"),))
)
daly = (
    Derivation.start(daly_series)
    .assume(
        Piecewise((daly_series.rhs, C < 2 * M), (M, True)),
        "Daly's rule for the rest: once a write takes two MTBFs the series is of no use, and $\\tau = M$",
    )
    .formula(
        kind="model", assumptions="Daly's higher-order estimate", validity=(), convention="work between checkpoints"
    )
)
daly_accuracy = (
    Derivation.start(optimum)
    .approximate(
        daly_series.rhs,
        "three terms of the series, anywhere in this box",
        within=Rational(1, 200),
        region={C: ("1 s", "5 min"), M: ("15 min", "1 year")},
    )
    .formula(validity=((C <= M / 3, "the bound of half a per cent is not shown there"),))
)
young_accuracy = (
    Derivation.start(optimum)
    .approximate(
        sqrt(2 * C * M),
        "one term of the series, anywhere in this box",
        within=Rational(1, 20),
        region={C: ("1 s", "5 min"), M: ("1 d", "1 year")},
    )
    .formula(validity=((C <= M / 288, "the bound of 5 % is not shown there"),))
)
interval_less_write = Formula(
    tau_P,
    sqrt(2 * C * M) - C,
    domain=(C < 2 * M,),
    validity=((C <= M / 9, "the exact optimum is longer by 10 % and more"),),
    assumptions="Young's interval taken as the period from checkpoint to checkpoint",
    convention="period minus write",
)

# --- worked examples -----------------------------------------------------------------------

ACT_ONE = {C: facts.lab_write, M: facts.lab_mtbf}
PAGE_CASE = {C: facts.page_write, M: facts.page_mtbf}
act_one = Example(interval, ACT_ONE)
act_one_ratio = Example(interval_ratio, {tau: facts.lab_interval, **ACT_ONE}, digits=2)
act_one_penalty = Example(penalty, {x: act_one_ratio})
act_one_writes = Example(write_share, {tau: facts.lab_interval, C: facts.lab_write})
act_one_redo = Example(rework_share, {tau: facts.lab_interval, M: facts.lab_mtbf})
act_one_waste = Example(waste, {tau: facts.lab_interval, **ACT_ONE})
act_one_least = Example(waste_at_optimum, ACT_ONE)
act_one_half = Example(equal_terms, ACT_ONE)
act_one_ten = Example(waste, {tau: "10 min", **ACT_ONE})
week = Example(gain, {N: facts.lab_devices, D: "7 d", w_1: act_one_waste, w_2: act_one_least})
gross_week = Example(
    Formula(H, N * D * (w_1 - w_2), assumptions="writes only, as the lab counts"),
    {N: facts.lab_devices, D: "7 d", w_1: act_one_writes, w_2: act_one_half},
)
page_optimum = Example(interval, PAGE_CASE)
page_at_10 = Example(waste, {tau: "10 min", **PAGE_CASE})
page_at_27 = Example(waste, {tau: "27 min", **PAGE_CASE})
page_at_60 = Example(waste, {tau: "60 min", **PAGE_CASE})
page_least = Example(waste_at_optimum, PAGE_CASE)
page_printed_form = Example(printed_waste, {tau: "27 min", **PAGE_CASE})
page_printed_minimum = Example(printed_minimum, PAGE_CASE)
page_half = Example(equal_terms, PAGE_CASE)
page_loss = Example(wasted_cost, {B: facts.page_bill, w_1: page_least})
async_write = Example(waste_at_optimum.solve_for("C"), {w_min: "3 %", M: facts.page_mtbf}, unit="s")
lab_cluster = Example(cluster_mtbf, {m: facts.lab_device_mtbf, N: facts.lab_large}, unit="s")
lab_slip = Example(cluster_mtbf.solve_for("m"), {M: facts.lab_printed_mtbf, N: facts.lab_large})
lab_true_waste = Example(exact_waste_free_restart, {tau: "43 s", C: facts.lab_write, M: lab_cluster}, unit="")
page_cluster_8 = Example(cluster_mtbf, {m: facts.page_device_mtbf, N: "8 gpu"}, digits=4)
page_cluster_1000 = Example(cluster_mtbf, {m: facts.page_device_mtbf, N: "1000 gpu"})
page_cluster_10000 = Example(cluster_mtbf, {m: facts.page_device_mtbf, N: "10000 gpu"})
page_cluster = Example(cluster_mtbf, {m: facts.page_device_mtbf, N: facts.lab_large})
llama_mtbf = Example(
    Formula(M, D / k, assumptions="observed time over failures seen"), {D: facts.llama_time, k: facts.llama_failures}
)
llama_device_mtbf = Example(cluster_mtbf.solve_for("m"), {M: llama_mtbf, N: facts.llama_devices})
sixteenfold = Example(shrinkage, {k: "16"})
DAY, SHIFT, QUARTER = (
    {C: facts.daly_dump, M: each} for each in (facts.daly_mtbf_day, facts.daly_mtbf_shift, facts.daly_mtbf_quarter)
)
daly_day = Example(daly, DAY, expect=facts.daly_printed_day, rtol=0.005, source="Daly 2006, Fig. 3 caption")
daly_shift = Example(daly, SHIFT, expect=facts.daly_printed_shift, rtol=0.0088, source="Daly 2006, Fig. 4 caption")
daly_quarter = Example(
    daly, QUARTER, expect=facts.daly_printed_quarter, rtol=0.0055, source="Daly 2006, Fig. 5 caption"
)
young_day = Example(interval, DAY)
young_shift = Example(interval, SHIFT)
period_day = Example(interval_less_write, DAY)
period_shift = Example(interval_less_write, SHIFT)
young_quarter = Example(interval, QUARTER)
period_quarter = Example(interval_less_write, QUARTER)
exact_quarter = Example(optimum, QUARTER)
exact_shift = Example(optimum, SHIFT)
exact_day = Example(optimum, DAY)
DALY_JOB = {R: facts.daly_restart, T_s: facts.daly_work}
time_quarter = Example(completion_time, {**QUARTER, **DALY_JOB, tau: exact_quarter}, digits=4)
time_quarter_young = Example(completion_time, {**QUARTER, **DALY_JOB, tau: young_quarter}, digits=4)

penalty_twice = Example(penalty, {x: "2"})
penalty_low = Example(penalty, {x: "0.7"})
penalty_five = Example(penalty, {x: "5"}, digits=2)

# --- simulation ----------------------------------------------------------------------------

six_hours = Simulation(
    completion_time, {C: "5 min", M: "6 h", R: "10 min", T_s: "57 h", tau: "57 min"}, completion_times
)
rough_sea = Simulation(
    completion_time, {C: "5 min", M: "1 h", R: "10 min", T_s: "20 h", tau: "20 min"}, completion_times
)
storm = Simulation(completion_time, {C: "5 min", M: "15 min", R: "10 min", T_s: "5 h", tau: "10 min"}, completion_times)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
