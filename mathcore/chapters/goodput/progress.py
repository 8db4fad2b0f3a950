"""Progress: when a training will be done, how long a hang timeout should be, how large is too large."""

from sympy import Integer, Rational, erfc, exp, log, pi, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import goodput, sites, training, young_daly
from mathcore.chapters.goodput import ettr as goodput_ettr
from mathcore.chapters.goodput import progress_simulation as simulation
from mathcore.chapters.goodput.ettr import e, e_x, ettr, ettr_best, ettr_exact_best, o, write_for_ratio
from mathcore.chapters.young_daly import C, M, N, R, T_s, T_w, cluster_mtbf, completion_time, m, tau
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

PART = {"display_unit": "min", "low": "0 s", "high": "1 d", "zero": True}
t_w = Variable("t_w", "s", "time from the failure until healthy nodes are allocated", tex=r"t_{\mathrm{place}}", **PART)
t_i = Variable("t_i", "s", "start of processes and network", tex=r"t_{\mathrm{init}}", **PART)
t_o = Variable("t_o", "s", "loading the checkpoint", tex=r"t_{\mathrm{load}}", **PART)
h_h = Variable(
    "h_h",
    "",
    "share of the failures that hang",
    tex=r"h_{\mathrm{hang}}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
T_p = Variable("T_p", "s", "wall-clock time as printed", tex=r"T_{\mathrm{printed}}", display_unit="h")
theta = Variable(
    "theta", "s", "timeout of the watchdog", alias="timeout", tex=r"\theta", display_unit="min", low="1 s", high="1 d"
)
M_h = Variable(
    "M_h",
    "s",
    "mean time between hangs",
    alias="hang_mtbf",
    tex=r"M_{\mathrm{hang}}",
    display_unit="h",
    low="1 min",
    high="100 year",
)
nu = Variable("nu", "1/s", "harmless pauses per time", tex=r"\nu", display_unit="1/h", low="0.001 /h", high="10000 /h")
s_p = Variable("s_p", "s", "mean length of a harmless pause", tex=r"s", low="0.1 s", high="1 h")
sigma_p = Variable(
    "sigma_p",
    "",
    "standard deviation of the logarithm of a harmless pause",
    tex=r"\sigma_{\mathrm{p}}",
    low="0.1",
    high="3",
)
p_l = Variable("p_l", "", "share of the pauses longer than the timeout", tex=r"p_{\theta}", display_unit="%")
k_l = Variable(
    "k_l",
    "",
    "logarithm of what false alarms cost over what waiting costs",
    tex=r"k_{\ell}",
    low="0",
    high="50",
    zero=True,
)
L_f = Variable("L_f", "s", "cost of a false alarm", tex=r"L_{\mathrm{f}}", display_unit="min", low="1 s", high="1 d")
w_t = Variable("w_t", "", "share of the time that the watchdog costs", tex=r"w_{\theta}", display_unit="%")
w_t_min = Variable("w_t_min", "", "smallest cost of the watchdog", tex=r"w_{\theta}^{\min}", display_unit="%")
theta_b = Variable("theta_b", "s", "best timeout", tex=r"\theta^{*}")
w_d = Variable("w_d", "", "cost of waiting for the timeout", tex=r"w_{\mathrm{wait}}", display_unit="%")
w_f = Variable(
    "w_f", "", "cost of false alarms", tex=r"w_{\mathrm{false}}", display_unit="%", low="0 %", high="90 %", zero=True
)
e_f = Variable(
    "e_f", "", "effective training time ratio with false alarms", tex=r"\mathrm{ETTR}_{\mathrm{f}}", display_unit="%"
)
A_w = Variable(
    "A_w", "gpu s", "device-time of the work", tex=r"A", display_unit="gpu d", low="0.001 gpu h", high="100000000 gpu d"
)
T_N = Variable("T_N", "s", "wall-clock time on N devices", display_unit="d")
N_s = Variable("N_s", "gpu", "cluster with the shortest training", tex=r"N^{*}")
G_s = Variable("G_s", "", "goodput of that cluster", tex=r"G^{*}", display_unit="%")
e_1 = Variable("e_1", "", "goodput before the change", display_unit="%", low="1 %", high="100 %")
e_2 = Variable("e_2", "", "goodput after the change", display_unit="%", low="1 %", high="100 %")
N_1 = Variable("N_1", "gpu", "devices before the change", low="1 gpu", high="10000000 gpu", integer=True)
N_2 = Variable("N_2", "gpu", "devices after the change", low="1 gpu", high="10000000 gpu", integer=True)
K = Variable(
    "K", "USD/gpu", "price of one device", alias="price_per_device", low="1000 USD/gpu", high="1000000 USD/gpu"
)
B_x = Variable("B_x", "USD", "price of the additional devices", tex=r"B_{+}", display_unit="MUSD")
x_g = Variable("x_g", "", "gain in speed of the whole training", tex=r"x", display_unit="%")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what a restart is made of, and when the training is done ---------------------------------

restart_parts = Formula(
    o,
    theta + t_w + t_i + t_o,
    kind="definition",
    assumptions="one after the other",
    convention="lost work is not in it: it is redone, not waited for",
)
mean_restart = (
    Derivation.start(
        o,
        h_h * (theta + t_w + t_i + t_o) + (1 - h_h) * (t_w + t_i + t_o),
        "failures that hang wait for the watchdog, all others announce themselves",
        kind="model",
    )
    .rewrite(h_h * theta + t_w + t_i + t_o, "the rest of a restart is the same for both")
    .formula(assumptions="a failure with an error is noticed at once", convention="mean over all failures")
)
hang_share = Formula(
    h_h, M / M_h, kind="definition", assumptions="hangs are among the failures", convention="rates, the other way up"
)
wall_time = (
    Derivation.start(T_w, T_s / e, "the ratio is useful work over wall-clock time")
    .apply(ettr, "the closed form of the ratio")
    .formula(convention="writes are counted on useful time, failures on wall-clock time")
)
printed_time = Formula(
    T_p,
    T_s / (1 - C / tau - (tau / 2 + C) / M),
    assumptions="as printed: writes per useful time and failures per wall-clock time in one sum",
    domain=(C / tau + (tau / 2 + C) / M < 1,),
)
free_restart_time = (
    Derivation.start(completion_time)
    .apply({R: Integer(0)}, "restarts for free, as the printed line has them")
    .formula(assumptions="$R = 0$")
)

# --- how long to wait -------------------------------------------------------------------------

MUCH_LOST = "more than an eighth is lost: nothing strikes while all stands still, and less is lost than the sum says"
watchdog = Derivation.start(
    w_t,
    theta / M_h + nu * L_f * exp(-theta / s_p),
    "each hang is noticed after the timeout; each pause that outlasts it, $e^{-\\theta/s}$ of all, is taken for one",
    kind="model",
).formula(
    assumptions=("lengths of harmless pauses are exponential", "hangs and false alarms are rare enough to add up"),
    domain=(theta / M_h + nu * L_f * exp(-theta / s_p) < 1,),
    validity=((theta / M_h + nu * L_f * exp(-theta / s_p) <= Rational(1, 8), MUCH_LOST),),
)
waiting_part = Formula(w_d, theta / M_h, kind="definition", domain=(theta < M_h,))
false_part = Formula(w_f, nu * L_f * exp(-theta / s_p), kind="definition", domain=(nu * L_f * exp(-theta / s_p) < 1,))
timeout = (
    Derivation.minimise(watchdog, over=theta, why="waiting costs in proportion, false alarms die out")
    .slope(1 / M_h - nu * L_f / s_p * exp(-theta / s_p), "term by term", routine=True)
    .root(s_p * log(nu * L_f * M_h / s_p), "the exponential alone on one side, then the logarithm", as_symbol=theta_b)
    .curvature(nu * L_f / s_p**2 * exp(-theta / s_p), "positive: a minimum", routine=True)
    .formula(domain=(nu * L_f * M_h > s_p,))
)
least_watchdog = (
    Derivation.start(w_t_min, theta_b / M_h + nu * L_f * exp(-theta_b / s_p), "the cost, at that timeout")
    .apply(timeout, "put the timeout in", routine=True)
    .rewrite(
        s_p / M_h * (1 + log(nu * L_f * M_h / s_p)),
        "false alarms cost one mean pause for each hang, waiting as many as the logarithm says",
    )
    .formula()
)

# --- pauses with a heavy tail ------------------------------------------------------------------

HEAVY = "lengths of harmless pauses are lognormal, with that mean"
longer_pauses = Formula(
    p_l,
    erfc((log(theta / s_p) + sigma_p**2 / 2) / (sqrt(2) * sigma_p)) * Rational(1, 2),
    assumptions=HEAVY,
    convention="the median of such pauses is the mean over $e^{\\sigma^2/2}$",
)
lognormal_false_alarms = (
    Derivation.start(w_f, nu * L_f * p_l, "each pause that outlasts the timeout is taken for a hang", kind="model")
    .apply(longer_pauses, "the tail of a lognormal distribution")
    .formula(domain=(nu * L_f * longer_pauses.rhs < 1,))
)
lognormal_waste = (
    Derivation.start(w_t, theta / M_h + w_f, "each hang is noticed after the timeout", kind="model")
    .apply(lognormal_false_alarms, "false alarms, of pauses with a heavy tail")
    .formula(
        assumptions="hangs and false alarms are rare enough to add up",
        domain=(theta / M_h + nu * L_f * longer_pauses.rhs < 1,),
        validity=((theta / M_h + nu * L_f * longer_pauses.rhs <= Rational(1, 8), MUCH_LOST),),
    )
)
alarm_price = Formula(
    k_l,
    log(nu * L_f * M_h / (sqrt(2 * pi) * sigma_p * s_p)),
    kind="definition",
    convention="the logarithm in the exponential's best timeout, less that of $\\sqrt{2\\pi}\\,\\sigma_{\\mathrm{p}}$",
)
lognormal_timeout = (
    Derivation.balance(
        exp(-k_l),
        s_p / theta * exp(-((log(theta / s_p) + sigma_p**2 / 2) ** 2) / (2 * sigma_p**2)),
        "a second more costs one at each hang, and spares the false alarms of the pauses that end in it",
    )
    .solve_for(
        theta,
        s_p * exp(-3 * sigma_p**2 / 2 + sigma_p * sqrt(2 * sigma_p**2 + 2 * k_l)),
        "in logarithms a quadratic; the longer root is the minimum",
        as_symbol=theta_b,
        routine=True,
    )
    .apply(alarm_price, "what stops and false alarms cost")
    .formula(assumptions=HEAVY, domain=(nu * L_f * M_h > sqrt(2 * pi) * sigma_p * s_p,))
)
ratio_watched = Derivation.start(
    e_f, e * (1 - w_f), "false alarms stop a job that would have trained", kind="model"
).formula(assumptions="false alarms are counted on the clock, and strike training like any other time")

# --- how large is too large --------------------------------------------------------------------

fleet_time_best = (
    Derivation.start(T_N, A_w / (N * e_x), "the work shared by N, over the share of time that counts", kind="model")
    .apply(ettr_exact_best, "the exact ratio at its best interval")
    .apply(cluster_mtbf, "more devices fail more often")
    .formula(
        assumptions="scaling efficiency does not depend on N", convention="exact model, best interval for each size"
    )
)
restarts_alone = (
    Derivation.start(
        T_N,
        A_w / N * exp(R / M),
        "writes so short that only restarts are left, and a failure may strike them too",
        kind="the case studied",
    )
    .apply(cluster_mtbf, "more devices fail more often")
    .formula(assumptions=("any failure stops the whole job", "writes and lost work are negligible"))
)
largest_fleet = (
    Derivation.minimise(restarts_alone, over=N, why="more devices share the work, and restart more often")
    .slope(A_w * exp(N * R / m) * (N * R / m - 1) / N**2, "product rule")
    .root(m / R, "the bracket vanishes where the mean time between failures is one restart", as_symbol=N_s)
    .curvature(A_w * exp(N * R / m) * ((N * R / m - 1) ** 2 + 1) / N**3, "positive: a minimum", routine=True)
    .formula()
)
goodput_at_largest = (
    Derivation.start(G_s, exp(-R / M), "of the time, as much is left as restarts leave", kind="the case studied")
    .apply(cluster_mtbf, "the mean time between failures of the cluster")
    .apply({N: largest_fleet}, "at the size with the shortest training")
    .formula()
)
extra_price = Formula(
    B_x, (N_2 - N_1) * K, kind="definition", assumptions="the purchase alone, without power and people"
)
speed_gain = Formula(
    x_g,
    N_2 * e_2 / (N_1 * e_1) - 1,
    kind="definition",
    assumptions="device, utilisation and scaling efficiency stay as they are",
)

# --- worked examples: the case ------------------------------------------------------------------

STORM = {M: young_daly.llama_mtbf, C: "60 s", o: "15 min", tau: "20 min"}
base = Example(ettr, STORM)
fast_write = Example(ettr_best, {M: STORM[M], C: "10 s", o: "15 min"})
short_wait = Example(ettr_best, {M: STORM[M], C: STORM[C], o: "8 min"})
both = Example(ettr_best, {M: STORM[M], C: "10 s", o: "8 min"})
more_mtbf = Example(cluster_mtbf, {m: young_daly.llama_device_mtbf, N: "18022 gpu"})
more = Example(ettr_best, {M: more_mtbf, C: STORM[C], o: "15 min"})
SAME = {N_1: "16384 gpu", N_2: "16384 gpu", e_1: base}
gain_write = Example(speed_gain, {**SAME, e_2: fast_write})
gain_wait = Example(speed_gain, {**SAME, e_2: short_wait})
gain_both = Example(speed_gain, {**SAME, e_2: both})
gain_more = Example(speed_gain, {**SAME, N_2: "18022 gpu", e_2: more})
price_more = Example(extra_price, {N_1: "16384 gpu", N_2: "18022 gpu", K: sites.lab_price})
silent_third = Example(hang_share, {M: STORM[M], M_h: "9 h"})
START = {t_w: "1 min", t_i: "3 min", t_o: "1 min"}
third_restart = Example(mean_restart, {**START, h_h: silent_third, theta: facts.nccl_timeout})
third_short = Example(mean_restart, {**START, h_h: silent_third, theta: "3 min"})
THIRD = {**STORM, o: third_restart}
third_base = Example(ettr, THIRD)
third_write = Example(ettr_best, {M: STORM[M], C: "10 s", o: third_restart})
third_wait = Example(ettr_best, {M: STORM[M], C: STORM[C], o: third_short})
third_both = Example(ettr_best, {M: STORM[M], C: "10 s", o: third_short})
third_more = Example(ettr_best, {M: more_mtbf, C: STORM[C], o: third_restart})
OTHER = {N_1: "16384 gpu", N_2: "16384 gpu", e_1: third_base}
third_gain_write = Example(speed_gain, {**OTHER, e_2: third_write})
third_gain_wait = Example(speed_gain, {**OTHER, e_2: third_wait})
third_gain_both = Example(speed_gain, {**OTHER, e_2: third_both})
third_gain_more = Example(speed_gain, {**OTHER, N_2: "18022 gpu", e_2: third_more})
HALF = {**START, h_h: "52 %"}
half_restart = Example(mean_restart, {**HALF, theta: facts.nccl_timeout})
half_short = Example(mean_restart, {**HALF, theta: "3 min"})
half_base = Example(ettr, {**STORM, o: half_restart})
half_both = Example(ettr_best, {M: STORM[M], C: "10 s", o: half_short})
half_more = Example(ettr_best, {M: more_mtbf, C: STORM[C], o: half_restart})
half_gain_both = Example(speed_gain, {N_1: "16384 gpu", N_2: "16384 gpu", e_1: half_base, e_2: half_both})
half_gain_more = Example(speed_gain, {N_1: "16384 gpu", N_2: "18022 gpu", e_1: half_base, e_2: half_more})
RUN = {goodput.F: "3.8e25 FLOP", N: "16384 gpu", goodput.P: "989.4 TFLOP/s/gpu", goodput.U: "47 %", goodput.eta: "90 %"}
peak_days = Example(goodput.training_time, {**RUN, goodput.U: "100 %", goodput.eta: "100 %", goodput.G: "100 %"})
days_base = Example(goodput.training_time, {**RUN, goodput.G: base})
days_both = Example(goodput.training_time, {**RUN, goodput.G: both})

# --- worked examples: the rest --------------------------------------------------------------------

CALM = {T_s: "30 d", tau: "62 min", C: "4 min", M: "8 h"}
ROUGH = {T_s: "30 d", tau: "30 min", C: "10 min", M: "1 h"}
calm_printed = Example(printed_time, CALM, unit="d")
calm_exact = Example(free_restart_time, CALM, unit="d")
rough_printed = Example(printed_time, ROUGH, unit="d")
rough_exact = Example(free_restart_time, ROUGH, unit="d")
WATCH = {M_h: "9 h", nu: "6 /h", s_p: "20 s", L_f: "20 min"}
watch_best = Example(timeout, WATCH, unit="s")
watch_least = Example(least_watchdog, WATCH)
watch_default = Example(watchdog, {**WATCH, theta: facts.nccl_timeout})
watch_older = Example(watchdog, {**WATCH, theta: facts.older_timeout})
watch_minute = Example(watchdog, {**WATCH, theta: "1 min"})
watch_rare = Example(timeout, {**WATCH, M_h: "90 h"}, unit="s")
HEAVIER = {**WATCH, sigma_p: "1.5"}
heavy_best = Example(lognormal_timeout, HEAVIER, unit="s")
heavy_least = Example(lognormal_waste, {**HEAVIER, theta: heavy_best})
heavy_default = Example(lognormal_waste, {**HEAVIER, theta: facts.nccl_timeout})
three_false = Example(false_part, {nu: "6 /h", s_p: "20 s", L_f: "20 min", theta: "3 min"})
LATE = {nu: "6 /h", s_p: "20 s", L_f: "20 min", sigma_p: "1.5"}
heavy_false = Example(lognormal_false_alarms, {**LATE, theta: "3 min"})
heavy_false_default = Example(lognormal_false_alarms, {**LATE, theta: facts.nccl_timeout})
parts = Example(restart_parts, {theta: facts.nccl_timeout, t_w: "1 min", t_i: "3 min", t_o: "1 min"})
largest_quarter = Example(largest_fleet, {m: young_daly.llama_device_mtbf, R: "15 min"})
largest_hour = Example(largest_fleet, {m: young_daly.llama_device_mtbf, R: "1 h"})
SHARES = {goodput.U: "47 %", goodput.eta: "90 %", goodput.G: base}
case_share = Example(goodput.cascade_share, SHARES)
case_fleet = Example(goodput.fleet_use, {goodput.U: "47 %", goodput.eta: "90 %"})
days_twice = Example(goodput.training_time, {**RUN, goodput.U: case_fleet, goodput.G: base})
case_device = Example(goodput.loss_of_device, SHARES)
case_scaling = Example(goodput.loss_of_scaling, SHARES)
case_clock = Example(goodput.loss_of_clock, SHARES)
robust_mtbf = Example(cluster_mtbf, {m: young_daly.llama_device_mtbf, N: facts.robust_devices})
robust_write = Example(write_for_ratio, {M: robust_mtbf, goodput_ettr.e_m: facts.robust_ettr, o: "5 min"}, unit="s")
spare_paid = Example(goodput.paid_share, {**SHARES, goodput.a_s: "92 %"})
implied = Example(goodput.implied_goodput, {goodput.U_w: training.mfu_llama_hours, goodput.U_f: training.mfu_llama})

# --- simulation -----------------------------------------------------------------------------------

sim_watchdog = Simulation(watchdog, {**WATCH, theta: "80 s"}, simulation.watchdog_losses, runs=400)
sim_watchdog_heavy = Simulation(
    lognormal_waste, {**HEAVIER, theta: "3 min"}, simulation.heavy_watchdog_losses, runs=400
)

# --- explorer -------------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
