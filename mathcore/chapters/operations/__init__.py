"""Operations: size checkpoint storage, alerts, preemption notices, copies and drills for a run."""

from sympy import Mul, Rational, ceiling, exp, floor, log, sqrt

from mathcore import Derivation, Example, Formula, Range, Variable, read_facts
from mathcore.chapters import fleet_checkpointing, resilience, sites, young_daly
from mathcore.chapters.energy import cube_root
from mathcore.chapters.fleet_checkpointing import levels
from mathcore.chapters.fleet_checkpointing import measured as fleet_measured
from mathcore.chapters.operations import simulation, spot
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import measured as reliability_measured
from mathcore.chapters.resilience import (
    B,
    C,
    M,
    N_s,
    P,
    Q,
    S,
    T,
    V_s,
    b,
    b_r,
    l,
    resumption,
    retention,
    rho,
    t_i,
    t_s,
    tau,
    u_h,
)
from mathcore.chapters.resilience.retention import Y, gamma, kappa
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

v_1 = Variable(
    "v_1", "B", "increment of the file system's size", tex="v", display_unit="GiB", low="1 GiB", high="1000 TiB"
)
R = Variable(
    "R", "s", "time to restart after a failure", alias="restart_time", display_unit="min", low="1 s", high="1 d"
)
p_b = Variable(
    "p_b",
    "USD/B",
    "price of bandwidth, per byte moved",
    tex=r"p_{b}",
    display_unit="USD/TB",
    low="0.001 USD/TB",
    high="1000 USD/TB",
)
u_f = Variable(
    "u_f",
    "USD/s",
    "price of the running cluster",
    tex=r"u_{\mathrm{fleet}}",
    display_unit="USD/h",
    low="1 USD/h",
    high="1000000 USD/h",
)
k_1 = Variable("k_1", "USD/s", "rent of the storage", tex=r"k_{1}", display_unit="USD/h")
k_2 = Variable("k_2", "USD/s", "cost of the waste", tex=r"k_{2}", display_unit="USD/h")
tau_f = Variable(
    "tau_f", "s", "work between two checkpoints in memory", tex=r"\tau_{1}", display_unit="min", low="1 s", high="30 d"
)
k_f = Variable("k_f", "", "checkpoints in memory for one in storage", tex=r"k_{\mathrm{f}}", low="1", high="10000")
k_b = Variable("k_b", "USD/s", "cost of storage and waste", tex=r"k_{b}", display_unit="USD/h")
b_s = Variable("b_s", "B/s", "bandwidth of least cost", tex=r"b^{*}", display_unit="GB/s")
k_s = Variable("k_s", "USD/s", "least cost of storage and waste", tex=r"k^{*}", display_unit="USD/h")
p_f = Variable(
    "p_f",
    "USD/s",
    "price of the file system",
    tex=r"p_{\mathrm{fs}}",
    display_unit="USD/d",
    low="0.01 USD/d",
    high="1000000 USD/d",
)
d_a = Variable("d_a", "s", "delay of the alert", display_unit="min", low="1 s", high="1 d")
M_h = Variable("M_h", "s", "mean time between hangs", alias="hang_mtbf", display_unit="h", low="1 min", high="100 year")
u_p = Variable("u_p", "s", "mean excess of a pause over the write time", low="1 s", high="1 h")
K_f = Variable("K_f", "s", "work lost by a false alarm", display_unit="min", low="1 s", high="2 d")
h_a = Variable("h_a", "", "share of time lost to late and false alarms", display_unit="%")
h_l = Variable("h_l", "", "share of time lost to hangs", display_unit="%")
d_s = Variable("d_s", "s", "best delay of the alert")
W_a = Variable("W_a", "s", "window of the rule's expression", tex=r"W", display_unit="min", low="1 s", high="1 d")
F_a = Variable("F_a", "s", "the rule's `for`", tex=r"F", low="0 s", high="1 d", zero=True)
x_s = Variable("x_s", "s", "scrape interval", tex=r"x_{\mathrm{scrape}}", low="1 s", high="10 min")
x_e = Variable("x_e", "s", "evaluation interval", tex=r"x_{\mathrm{eval}}", low="1 s", high="10 min")
a_C = Variable("a_C", "s", "checkpoint age at which a person is paged", tex=r"a_{C}", display_unit="min")
n_s = Variable("n_s", "", "monitored sensors", tex=r"n_{\mathrm{s}}", low="1", high="10000000", integer=True)
p_o = Variable(
    "p_o",
    "",
    "probability that a healthy sample exceeds the threshold",
    tex=r"p_{\mathrm{over}}",
    low="0.0001",
    high="0.5",
)
f_a = Variable(
    "f_a", "1/s", "accepted rate of false pages", tex=r"f", display_unit="1/d", low="0.0001 /d", high="10 /d"
)
x_i = Variable("x_i", "s", "spacing of independent samples", tex=r"x", low="1 s", high="1 h")
k_o = Variable(
    "k_o", "", "consecutive samples over the threshold", tex=r"k_{\mathrm{row}}", low="1", high="100", count=True
)
g = Variable("g", "s", "preemption notice", alias="notice", low="1 s", high="1 h")
t_p = Variable(
    "t_p", "s", "time of one training step", alias="step_time", tex=r"t_{\mathrm{step}}", low="0.01 s", high="10 min"
)
x_p = Variable("x_p", "s", "polling interval of the handler", tex=r"x_{\mathrm{poll}}", low="0.1 s", high="10 min")
g_e = Variable("g_e", "s", "guaranteed part of the notice", tex=r"g_{\epsilon}")
q_n = Variable("q_n", "", "share of notices in which the write finishes", tex=r"q_{\mathrm{n}}", display_unit="%")
eps_n = Variable(
    "eps_n",
    "",
    "accepted share of missed notices",
    tex=r"\epsilon_{\mathrm{n}}",
    display_unit="%",
    low="0.01 %",
    high="50 %",
)
x_l = Variable("x_l", "s", "longest polling interval", tex=r"x_{\max}")
S_g = Variable("S_g", "B", "largest checkpoint that the notice allows", tex=r"S_{\mathrm{notice}}", display_unit="TB")
q_m = Variable(
    "q_m",
    "",
    "share of servers preempted within a month",
    tex=r"q_{\mathrm{month}}",
    display_unit="%",
    low="0.1 %",
    high="99 %",
)
M_p = Variable("M_p", "s", "mean time between preemptions of the job", tex=r"M_{\mathrm{spot}}", display_unit="h")
n_0 = Variable("n_0", "", "base of on-demand servers", tex=r"n_{0}", low="0", high="100000", integer=True, zero=True)
n_v = Variable("n_v", "", "servers of the group", tex=r"n", low="1", high="100000", integer=True)
q_o = Variable(
    "q_o", "", "on-demand share above the base", tex=r"q", display_unit="%", low="0 %", high="100 %", zero=True
)
z_o = Variable("z_o", "", "on-demand share of the whole group", tex=r"z_{\mathrm{od}}", display_unit="%")
x_g = Variable(
    "x_g", "", "share of the cluster that one failure idles", tex=r"\chi", display_unit="%", low="0.01 %", high="99 %"
)
L_w = Variable("L_w", "s", "loss if the job waits for the spare", tex=r"L_{\mathrm{wait}}", display_unit="min")
L_e = Variable("L_e", "s", "loss if the job shrinks and grows again", tex=r"L_{\mathrm{shrink}}", display_unit="min")
t_x = Variable("t_x", "s", "shortest wait at which shrinking pays", tex=r"t^{*}", display_unit="min")
k_c = Variable("k_c", "", "checkpoints per copy", tex=r"k_{\mathrm{copy}}", low="1", high="10000", integer=True)
k_l = Variable("k_l", "", "checkpoints per copy that the RPO allows", tex=r"k_{\max}")
U_m = Variable("U_m", "USD", "price of a month's copies", tex=r"X_{\mathrm{month}}")
c_c = Variable("c_c", "USD", "price of one copy", tex=r"c", low="0.01 USD", high="1000000 USD")
M_r = Variable(
    "M_r",
    "s",
    "mean time between losses of a region",
    tex=r"M_{\mathrm{region}}",
    display_unit="year",
    low="1 d",
    high="1000 year",
)
tau_c = Variable("tau_c", "s", "time between two copies", tex=r"\tau_{c}", display_unit="h", low="1 min", high="1 year")
k_r = Variable("k_r", "USD/s", "cost of copies and lost work", tex=r"k_{c}", display_unit="USD/h")
tau_r = Variable("tau_r", "s", "time between copies of least cost", tex=r"\tau_{c}^{*}", display_unit="h")
t_n = Variable("t_n", "s", "time left to detect the failure", tex=r"t_{\mathrm{left}}", display_unit="min")
H = Variable("H", "s", "time between two kills", display_unit="h", low="1 min", high="1 year")
y_H = Variable(
    "y_H",
    "",
    "share of useful work under regular kills",
    tex=r"y_{H}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
a_H = Variable(
    "a_H", "", "share of time that drills may cost", tex=r"a_{H}", display_unit="%", low="0.01 %", high="50 %"
)
H_s = Variable("H_s", "s", "time between kills that the budget allows", tex=r"H^{*}", display_unit="h")
p_r = Variable(
    "p_r", "", "failure probability of a recovery", tex=r"p_{\mathrm{bad}}", display_unit="%", low="0.1 %", high="90 %"
)
n_d = Variable("n_d", "", "drills passed in a row", tex=r"n_{\mathrm{drill}}", low="1", high="10000", integer=True)
c_d = Variable("c_d", "", "probability that all drills pass", tex=r"c_{\mathrm{drill}}", display_unit="%")
eps_d = Variable("eps_d", "", "error probability", tex=r"\epsilon", display_unit="%", low="0.01 %", high="50 %")
n_w = Variable("n_w", "", "drills wanted", tex=r"n_{\mathrm{want}}")
h_b = Variable("h_b", "s", "time between heartbeats", tex=r"x_{\mathrm{beat}}", low="0.1 s", high="10 min")
n_b = Variable("n_b", "", "heartbeats that may be missed", tex=r"n_{\mathrm{miss}}", low="1", high="100", integer=True)
t_d = Variable("t_d", "s", "time without heartbeats until a node counts as dead", tex=r"t_{\mathrm{dead}}")
D_d = Variable("D_d", "s", "duration of a series of drills", tex=r"D_{\mathrm{drill}}", display_unit="d")
p_n = Variable(
    "p_n",
    "",
    "share of failures that require another node",
    tex=r"p_{\mathrm{node}}",
    display_unit="%",
    low="0.1 %",
    high="100 %",
)
mu_n = Variable("mu_n", "", "expected node replacements", tex=r"\mu_{\mathrm{node}}")
t_q = Variable("t_q", "s", "wait of a requeued job", tex=r"t_{\mathrm{queue}}", low="0 s", high="1 d", zero=True)
t_w = Variable("t_w", "s", "time from the signal to a safe checkpoint", tex=r"t_{\mathrm{save}}")
T_k = Variable("T_k", "s", "time from the signal to the kill", tex=r"t_{\mathrm{kill}}")
d_q = Variable(
    "d_q", "s", "time without steps while a job is requeued", tex=r"d_{\mathrm{requeue}}", display_unit="min"
)
F_r = Variable("F_r", "s", "time limit of a restart", tex=r"F_{\mathrm{restart}}", display_unit="min")
K_h = Variable("K_h", "", "checkpoints that a file system holds", tex=r"K_{\mathrm{fs}}")
t_h = Variable("t_h", "s", "time until a file system is full", tex=r"t_{\mathrm{full}}", display_unit="h")
K_k = Variable("K_k", "", "checkpoints that are kept", tex=r"K_{\mathrm{kept}}", low="1", high="1000000", count=True)
V_k = Variable("V_k", "B", "volume of the checkpoints that are kept", tex=r"V_{\mathrm{kept}}", display_unit="TB")
D_p = Variable("D_p", "s", "length of a partition", tex=r"D_{\mathrm{part}}")
B_b = Variable("B_b", "USD", "cost of a run without checkpoints", tex=r"B_{\mathrm{bare}}", display_unit="MUSD")
B_i = Variable("B_i", "USD", "cost of a protected run", tex=r"B_{\mathrm{ins}}", display_unit="MUSD")
A_x = Variable(
    "A_x", "USD", "cost of all other protection", tex=r"A_{x}", low="0 USD", high="1000000000 USD", zero=True
)
w_i = Variable(
    "w_i", "", "waste from writes and lost work", tex=r"w", display_unit="%", low="0 %", high="100 %", zero=True
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- checkpoint storage -----------------------------------------------------------

bandwidth_price = Formula(
    p_b,
    kappa / (rho * Y),
    kind="model",
    assumptions="throughput is sold by the size of the file system",
    convention="rent of bandwidth per byte moved, not per byte stored",
)
store_rent = Formula(k_1, p_b * b, kind="definition", convention="rent of the storage alone")
waste_price = Formula(
    k_2,
    u_f * sqrt(2 * S / (b * M)),
    kind="model",
    assumptions=("the job stalls while it writes", "the interval is Young's"),
    convention="price of the time lost to writes and failures",
)
store_cost = Formula(
    k_b,
    p_b * b + u_f * sqrt(2 * S / (b * M)),
    kind="model",
    assumptions=("the job stalls while it writes", "the interval is Young's", "storage is the bottleneck"),
)
best_bandwidth = (
    Derivation.minimise(store_cost, over=b, why="faster storage costs more and wastes less")
    .slope(p_b - u_f * sqrt(2 * S / M) * b ** Rational(-3, 2) / 2, "rent rises, waste falls")
    .root(
        (u_f**2 * S / (2 * M * p_b**2)) ** Rational(1, 3),
        "set it to zero and solve for the bandwidth",
        as_symbol=b_s,
        display_form=cube_root(u_f**2 * S / (2 * M * p_b**2)),
        routine=True,
    )
    .curvature(3 * u_f * sqrt(2 * S / M) * b ** Rational(-5, 2) / 4, "positive: a minimum", routine=True)
    .formula()
)
least_cost = (
    Derivation.start(k_s, store_cost, "the cost, evaluated at that bandwidth")
    .apply(
        {b: best_bandwidth},
        "substitute: at the best bandwidth the rent is half of the waste",
        display_form=Mul(Rational(3, 2), cube_root(4 * u_f**2 * p_b * S / M), evaluate=False),
    )
    .formula()
)
size_to_rent = Formula(
    V_s,
    v_1 * ceiling(b_s / (rho * v_1)),
    kind="model",
    assumptions="sizes come in increments, and throughput is proportional to size",
)
fleet_price = Formula(u_f, N_s * u_h, kind="definition", convention="all servers are held, used or not")
file_system_price = Formula(p_f, kappa * V_s / Y, kind="definition", convention="size as sold, used or not")

# --- alarms --------------------------------------------------------------------------------

slow_interval = Formula(tau, k_f * tau_f, kind="definition", convention="the last of them goes to storage")
false_alarm = Formula(
    K_f, tau / 2 + R, kind="model", assumptions="an alert restarts the job, at a random time within an interval"
)
alarm_loss = Formula(
    h_a,
    d_a / M_h + K_f / tau * exp(-(d_a - C) / u_p),
    kind="model",
    domain=(d_a >= C,),
    assumptions=("each interval has one pause: the write and an exponential excess",),
    validity=((d_a <= M_h / 10, "the delay is overestimated by 10 % or more"),),
    convention="share of the time; a hang costs the delay, a false alarm a restart",
)
hang_waste = Formula(h_l, d_a / M_h, kind="definition", convention="share of the time")
best_delay = (
    Derivation.minimise(alarm_loss, over=d_a, why="a long delay loses time in hangs, a short one to false alarms")
    .slope(
        1 / M_h - K_f / (tau * u_p) * exp(-(d_a - C) / u_p), "the cost of one more second of delay, minus what it saves"
    )
    .root(C + u_p * log(K_f * M_h / (tau * u_p)), "take the logarithm", as_symbol=d_s, routine=True)
    .curvature(K_f / (tau * u_p**2) * exp(-(d_a - C) / u_p), "positive: a minimum", routine=True)
    .formula(domain=(K_f * M_h > tau * u_p,), assumptions="hangs are rare compared with long pauses")
)
alarm_delay = Formula(
    d_a,
    W_a + F_a + x_s + x_e,
    kind="model",
    assumptions="the hang follows a scrape, and the scrape an evaluation: the worst case",
    convention="time from the last step to the page",
)
rule_for = (
    Derivation.start(alarm_delay)
    .solve_for(F_a, d_a - W_a - x_s - x_e, "what is left for the rule's `for`")
    .formula(domain=(d_a >= W_a + x_s + x_e,))
)
checkpoint_overdue = Formula(
    a_C,
    2 * (tau + C) + R,
    kind="model",
    assumptions="one failure within an interval is normal, a second missing write is not",
    convention="age of the newest complete checkpoint",
)
requeue_delay = Formula(
    d_q,
    t_d + t_q + R,
    kind="model",
    assumptions="spare nodes are idle, so the job waits for the scheduler only",
    convention="from the last step before the node failure to the first step after it",
)
dead_after = Formula(t_d, n_b * h_b, kind="definition", convention="of the rendezvous, not of a collective")
false_pages = Formula(
    f_a,
    n_s * p_o**k_o / x_i,
    kind="model",
    assumptions="samples at this spacing, and sensors, are independent of each other",
)
samples_in_a_row = (
    Derivation.start(false_pages)
    .solve_for(
        k_o,
        log(f_a * x_i / n_s) / log(p_o),
        "take the logarithm: the samples grow with the logarithm of the sensors",
        routine=True,
    )
    .formula(convention="to be rounded up")
)
sensor_for = (
    Derivation.start(F_a, ceiling(k_o) * x_i, "a whole number of sampling intervals")
    .apply({k_o: samples_in_a_row}, "the consecutive samples")
    .formula()
)

# --- preemption notices ----------------------------------------------------------

latest_poll = (
    Derivation.balance(x_l + t_p + C, g, "worst case: a full polling interval, a full step and the write", kind="model")
    .solve_for(x_l, g - t_p - C, "what is left for the poll")
    .formula(domain=(t_p + C < g,), assumptions="all ranks learn of it within one step")
)
notice_to_count_on = (
    Derivation.balance(eps_n, exp(-(g - g_e) / u_p), "the excess exceeds the reserve with the accepted probability")
    .solve_for(g_e, g - u_p * log(1 / eps_n), "take the logarithm: the reserve is a few mean excesses", routine=True)
    .formula(domain=(g > u_p * log(1 / eps_n),), assumptions="a write takes its usual time and an exponential excess")
)
notice_kept = Formula(
    q_n,
    1 - exp(-(g - x_p - t_p - C) / u_p),
    kind="model",
    domain=(x_p + t_p + C <= g,),
    assumptions=("a write takes its usual time and an exponential excess", "poll and step take their full time"),
    convention="share of the notices, in the worst phase",
)
size_in_notice = Derivation.start(
    S_g,
    resumption.size_in_notice.renamed({resumption.p: x_p, resumption.s: t_p, resumption.g: g, resumption.b: b}),
    "notice minus poll and step, times the bandwidth",
).formula(assumptions="storage is the bottleneck")
save_after_signal = Formula(
    t_w,
    t_p + C + u_p * log(1 / eps_n),
    kind="model",
    assumptions=("a write takes its usual time and an exponential excess", "all ranks learn of it within one step"),
    convention="exceeded with the accepted probability of a missed notice",
)
shutdown_timeout = (
    Derivation.balance(
        x_p + T_k,
        g,
        "the signal comes at most one poll after the notice; the kill comes when the notice ends",
        kind="model",
    )
    .solve_for(T_k, g - x_p, "what is left for the ranks")
    .formula(domain=(x_p < g,))
)
on_demand_share = Formula(
    z_o,
    (n_0 + q_o * (n_v - n_0)) / n_v,
    kind="definition",
    domain=(n_0 <= n_v,),
    convention="before rounding to whole servers",
)
preempted_every = Formula(
    M_p,
    -Y / (n_v * log(1 - q_m)),
    kind="model",
    assumptions=("servers are preempted independently", "any one of them stops the job"),
)
waiting_loss = Formula(
    L_w,
    t_s + R,
    kind="model",
    assumptions="the whole job is idle until the spare arrives",
    convention="in time of the whole cluster",
)
shrinking_loss = Formula(
    L_e,
    2 * R + C + x_g * t_s,
    kind="model",
    assumptions=(
        "throughput is proportional to the remaining devices",
        "a checkpoint is written before the job grows again",
    ),
    convention="in time of the whole cluster",
)
shrinking_pays = (
    Derivation.balance(t_x + R, 2 * R + C + x_g * t_x, "both lose the same", kind="model")
    .solve_for(t_x, (R + C) / (1 - x_g), "one more restart and one more write, divided by the share that keeps working")
    .formula(
        assumptions=(
            "throughput is proportional to the remaining devices",
            "the batch may change, or is kept by accumulation",
        )
    )
)

# --- retention -------------------------------------------------------------------------------

checkpoints_held = Formula(
    K_h, floor(V_s / S), kind="model", assumptions="the file system holds nothing else", convention="whole checkpoints"
)
full_after = (
    Derivation.balance(t_h / (tau + C) * S, V_s, "one checkpoint per interval and write, and none is deleted")
    .solve_for(t_h, (tau + C) * V_s / S, "the fill rate is one checkpoint per interval and write")
    .formula(assumptions="the job saves at every interval")
)
kept_volume = Formula(V_k, K_k * S, kind="definition", assumptions="whole checkpoints of equal size")

# --- disasters -----------------------------------------------------------------------------

copies_allowed = (
    Derivation.start(k_l, floor(tau_c / tau), "whole intervals between two copies")
    .apply(
        Derivation.start(resilience.recovery_point.renamed({tau: tau_c}))
        .solve_for(tau_c, P - C - l, "what the RPO leaves between two copies")
        .formula(domain=(C + l < P,)),
        "copies take the place of checkpoints in the RPO",
    )
    .formula()
)
copies_price = Formula(
    U_m,
    gamma * S * Y / (k_c * tau),
    kind="model",
    assumptions="every copy is a whole checkpoint",
    convention="transfer for a month, without storage",
)
copy_cost = Formula(
    k_r,
    c_c / tau_c + u_f * tau_c / (2 * M_r),
    kind="model",
    assumptions="copies are frequent compared with losses of a region",
    convention="lost work at the price of the fleet",
)
best_copy = (
    Derivation.minimise(copy_cost, over=tau_c, why="copies against lost work, both in money")
    .slope(u_f / (2 * M_r) - c_c / tau_c**2, "fewer copies cost less, a loss costs more")
    .root(sqrt(2 * c_c * M_r / u_f), "Young's rule, with money for time", as_symbol=tau_r)
    .curvature(2 * c_c / tau_c**3, "positive: a minimum", routine=True)
    .formula()
)
time_to_notice = (
    Derivation.balance(
        t_n + t_s + t_i + S / b_r, Q, "detecting, replacing, starting and loading take the whole RTO", kind="model"
    )
    .solve_for(t_n, Q - t_s - t_i - S / b_r, "the time left for detection")
    .formula(domain=(t_s + t_i + S / b_r < Q,))
)

# --- drills --------------------------------------------------------------------------------

regular_kills = Formula(
    y_H,
    tau / H * floor((H - R) / (tau + C)),
    kind="model",
    domain=(R < H,),
    assumptions=("a worker is killed at regular times and the job restarts each time", "no other failure strikes"),
)
kill_period = (
    Derivation.balance(a_H * H_s, tau / 2 + R, "the cost of a kill equals the budget", kind="model")
    .solve_for(H_s, (tau / 2 + R) / a_H, "divide by the share")
    .formula(
        assumptions="kills come at random times within an interval",
        validity=((10 * a_H * tau <= tau / 2 + R, "kills come every few intervals and shorten the last one"),),
    )
)
all_pass = Formula(c_d, (1 - p_r) ** n_d, kind="model", assumptions="recoveries fail independently of each other")
drills_wanted = Derivation.start(
    n_w,
    ceiling(log(eps_d) / log(1 - p_r)),
    "enough drills that such a bad recovery would hardly pass them all",
    kind="model",
).formula(assumptions="recoveries fail independently of each other")
campaign = Formula(D_d, n_d * H, kind="model", assumptions="drills come at regular times, and all pass")
nodes_to_replace = Formula(
    mu_n, p_n * reliability_counts.mu, kind="definition", convention="of all failures expected in the same time"
)
restart_patience = Formula(F_r, 2 * R, kind="model", assumptions="a restart that takes twice its usual time is stuck")
partition = Formula(
    D_p,
    d_a + R,
    kind="model",
    assumptions="collectives time out with the alert",
    convention="the partition outlasts the alert and the first restart",
)

partition_length = (
    Derivation.start(D_p, partition, "the partition outlasts the alert and the first restart")
    .apply({d_a: best_delay}, "the delay of the alert")
    .formula()
)

# --- cost of protection ---------------------------------------------------------------------------

unprotected_cost = (
    Derivation.start(B_b, B / T * resilience.T_u, "the same hourly price for more hours")
    .apply(resilience.unprotected_time, "duration of a run that starts over at each failure")
    .formula()
)
protected_cost = Formula(B_i, B * (1 + w_i) + A_x, kind="definition", convention="waste per unit of useful work")

# --- worked examples: the run --------------------------------------------------------------

RESTART = "6 min"  # an assumption of the chapter: measure yours
STORE = {S: resilience.checkpoint, M: facts.book_mtbf}
fleet_rate = Example(fleet_price, {N_s: facts.book_servers, u_h: resilience.book_rate}, digits=4)
fleet_rate_today = Example(fleet_price, {N_s: facts.book_servers, u_h: sites.p4d_rate_2026}, digits=4)  # for decisions
FLEET_RATES = Range(
    "1357 USD/h",
    "5504 USD/h",
    source="from a hundred servers in a reserved block of A100s to H100s on demand; today A100s on demand, $3,277 as published",
)

bandwidth_125 = Example(bandwidth_price, {kappa: facts.price_125, rho: facts.fsx_125, Y: sites.month})
bandwidth_1000 = Example(bandwidth_price, {kappa: facts.price_1000, rho: facts.fsx_1000, Y: sites.month})
small_rate = Example(resilience.store_rate, {rho: facts.fsx_250, V_s: facts.small_size})
small_write = Example(
    resilience.write_time_of_store, {S: resilience.checkpoint, rho: facts.fsx_250, V_s: facts.small_size}
)
small_rent = Example(file_system_price, {kappa: facts.price_250, V_s: facts.small_size, Y: sites.month})
small_waste = Example(young_daly.waste_at_optimum, {young_daly.C: small_write, young_daly.M: facts.book_mtbf})

# If every write stopped the job.
best_store = Example(best_bandwidth, {p_b: bandwidth_1000, u_f: fleet_rate, **STORE})
store_least = Example(least_cost, {p_b: bandwidth_1000, u_f: fleet_rate, **STORE})
synchronous_size = Example(
    size_to_rent, {b_s: best_store, rho: facts.fsx_1000, v_1: facts.fsx_step}, unit="GiB", digits=5
)
synchronous_rate = Example(resilience.store_rate, {rho: facts.fsx_1000, V_s: synchronous_size}, digits=4)

# As fleet_checkpointing.decisions.storage and operations.decisions.storage choose; tests compare them.
run_interval = Example(slow_interval, {k_f: "5", tau_f: "12 min"}, unit="h")
SOLD = {rho: facts.fsx_500, V_s: "14400 GiB"}
run_rate = Example(resilience.store_rate, SOLD)
run_write = Example(resilience.write_time_of_store, {S: resilience.checkpoint, **SOLD}, unit="min")
run_rent = Example(file_system_price, {kappa: facts.price_500, V_s: "14400 GiB", Y: sites.month})
LEVELS = {levels.q: "90 %", M: facts.book_mtbf}
run_slowed = Example(
    fleet_checkpointing.slowdown,
    {fleet_checkpointing.i_u: fleet_checkpointing.interference_process, fleet_checkpointing.u: run_write},
)
run_load = Example(
    fleet_measured.loading,
    {fleet_measured.a_l: fleet_measured.load_after_save.fitted_parameters["a_l"], fleet_measured.C: run_write},
    unit="min",
)
run_waste = Example(
    levels.two_level_upload,
    {
        levels.k: "5",
        levels.W: run_interval,
        levels.C_1: "5 s",
        fleet_checkpointing.s: "5 s",
        fleet_checkpointing.u: run_write,
        fleet_checkpointing.g: run_slowed,
        fleet_checkpointing.d: "0 s",
        levels.R_1: "0 s",
        fleet_checkpointing.R: run_load,
        levels.M_1: Example(levels.fast_failures, LEVELS),
        levels.M_2: Example(levels.slow_failures, LEVELS),
    },
)
book_interval = Example(young_daly.interval, {young_daly.C: facts.book_write, young_daly.M: facts.book_mtbf})
efs_write = Example(
    resilience.write_time,
    {resilience.S: resilience.checkpoint, resilience.N: "800 gpu", resilience.b_n: "1 GB/s/gpu", b: facts.efs_high},
    unit="s",
)

run_held = Example(checkpoints_held, {V_s: "14400 GiB", S: resilience.checkpoint}, digits=2)
run_full = Example(full_after, {tau: run_interval, C: "5 s", V_s: "14400 GiB", S: resilience.checkpoint})
CALENDAR = {  # as resilience.decisions.retention chooses it
    retention.j_1: "3 h",
    retention.j_2: "1 d",
    retention.g_2: "6 h",
    retention.j_3: "7 d",
    retention.g_3: "2 d",
}
run_tiers = Example(retention.tiers, {retention.tau: run_interval, **CALENDAR}, digits=2)
run_kept = Example(kept_volume, {K_k: run_tiers, S: resilience.checkpoint}, digits=2)

# --- worked examples: alarms ---------------------------------------------------------------

RUN = {tau: run_interval, C: run_write}
FAST = {tau: run_interval.givens[tau_f], C: "5 s"}
run_false = Example(false_alarm, {tau: run_interval.givens[tau_f], R: RESTART})
# A job whose writes stall it: each interval has one pause, the write.
HANG = {tau: "20 min", C: "20 s", K_f: "16 min", M_h: "48 h", u_p: "20 s"}
stall_silence = Example(best_delay, HANG, unit="s")
stall_loss = Example(alarm_loss, {**HANG, d_a: stall_silence})
hang_timeout = Example(hang_waste, {d_a: "5.37 min", M_h: "100 h"})  # as operations.decisions.watchdog chooses
run_page = Example(hang_waste, {d_a: "11.9 min", M_h: "1000 h"})  # within the tie of operations.decisions.alert
PROBE = {x_s: "15 s", x_e: "15 s"}
stall_for = Example(rule_for, {d_a: run_page.givens[d_a], W_a: "1 min", **PROBE}, unit="s")
run_requeue = Example(requeue_delay, {t_d: "1 min", t_q: "75 s", R: RESTART}, digits=2)
book_delay = Example(alarm_delay, {W_a: facts.book_window, F_a: facts.book_for, **PROBE})
book_loss = Example(alarm_loss, {**HANG, d_a: book_delay})
stuck_after = Example(restart_patience, {R: RESTART}, digits=2)
overdue = Example(checkpoint_overdue, {**RUN, R: RESTART}, unit="s", digits=4)
PAGES = {n_s: "800", p_o: "0.01", x_i: "1 min"}
one_sample = Example(false_pages, {**PAGES, k_o: "1"}, unit="1/h")
hot_samples = Example(samples_in_a_row, {**PAGES, f_a: "0.0333333333 /d"})
hot_for = Example(sensor_for, {**PAGES, f_a: "0.0333333333 /d"}, digits=1)
hot_pages = Example(false_pages, {**PAGES, k_o: "4"})
DAY = {reliability_counts.z: "3.090232"}
day_failures = Example(
    reliability_counts.expected, {reliability_counts.t: "1 d", reliability_counts.M: facts.book_mtbf}, digits=1
)
run_failures = Example(
    reliability_counts.expected, {reliability_counts.t: "30 d", reliability_counts.M: facts.book_mtbf}, digits=2
)
day_alone = Example(reliability_counts.spares_to_provide, {**DAY, reliability_counts.mu: day_failures}, digits=1)
run_alone = Example(reliability_counts.spares_to_provide, {**DAY, reliability_counts.mu: run_failures}, digits=2)
BURSTY = {**DAY, reliability_measured.n_b: reliability_measured.rough_burst}
day_limit = Example(reliability_measured.spares_in_bursts, {**BURSTY, reliability_counts.mu: day_failures}, digits=2)
run_retries = Example(reliability_measured.spares_in_bursts, {**BURSTY, reliability_counts.mu: run_failures}, digits=3)
run_survives = Example(
    reliability_counts.spares_suffice, {reliability_counts.mu: run_failures, reliability_counts.s: run_alone}, digits=4
)
book_survives = Example(
    reliability_counts.spares_suffice,
    {reliability_counts.mu: run_failures, reliability_counts.s: facts.book_retries},
    unit="",
)
# In Llama 3's table 148 of 419 interruptions were faulty GPUs: the failures for which a node is replaced.
BROKEN = {p_n: "35.3 %"}
day_broken = Example(nodes_to_replace, {**BROKEN, reliability_counts.mu: day_failures})
hour_failures = Example(
    reliability_counts.expected, {reliability_counts.t: "1 h", reliability_counts.M: facts.book_mtbf}
)
hour_broken = Example(nodes_to_replace, {**BROKEN, reliability_counts.mu: hour_failures})
day_replaced = Example(reliability_measured.spares_in_bursts, {**BURSTY, reliability_counts.mu: day_broken}, digits=1)
hour_replaced = Example(reliability_measured.spares_in_bursts, {**BURSTY, reliability_counts.mu: hour_broken}, digits=1)
dead_node = Example(dead_after, {n_b: facts.torch_misses, h_b: facts.torch_beat}, digits=2)

# --- worked examples: notice, mix and elastic training -------------------------------------

NOTICE = {t_p: "10 s", C: "5 s"}  # to the memory of other servers
aws_poll = Example(latest_poll, {**NOTICE, g: sites.spot_notice})
gcp_poll = Example(latest_poll, {**NOTICE, g: facts.gcp_notice})
MISSED = {u_p: "20 s", eps_n: "5 %"}
aws_counted = Example(notice_to_count_on, {**MISSED, g: sites.spot_notice})
aws_poll_sure = Example(latest_poll, {**NOTICE, g: aws_counted})
POLLED = {t_p: "10 s", x_p: facts.book_poll}
aws_kept = Example(notice_kept, {**NOTICE, x_p: facts.book_poll, u_p: "20 s", g: sites.spot_notice})
gcp_kept = Example(notice_kept, {**NOTICE, x_p: "1 s", u_p: "20 s", g: facts.gcp_notice}, digits=2)
run_save = Example(save_after_signal, {**NOTICE, C: run_write, **MISSED}, unit="s")
run_shutdown = Example(shutdown_timeout, {g: "4 min", x_p: facts.book_poll}, unit="s")
ten_door_sure = Example(size_in_notice, {**POLLED, b: resilience.book_throughput, g: aws_counted})
ten_door = Example(size_in_notice, {**POLLED, b: resilience.book_throughput, g: sites.spot_notice})
run_door = Example(size_in_notice, {**POLLED, b: run_rate, g: sites.spot_notice}, unit="GB")
small_door = Example(size_in_notice, {**POLLED, b: small_rate, g: sites.spot_notice}, unit="GB")
book_share = Example(on_demand_share, {n_0: facts.book_base, q_o: facts.book_above, n_v: facts.book_group}, digits=2)
ten_share = Example(on_demand_share, {n_0: facts.book_base, q_o: "0 %", n_v: facts.book_group}, digits=2)
book_mix = Example(spot.mixed_price, {spot.z: book_share, spot.r: spot.book_ratio}, unit="%")
ten_mix = Example(spot.mixed_price, {spot.z: ten_share, spot.r: spot.book_ratio}, unit="%")
spot_gap = Example(preempted_every, {n_v: facts.book_servers, q_m: facts.spot_band, Y: sites.month})
MARKET = {spot.C: "20.7 s", spot.r: spot.book_ratio}
market_rate = Example(spot.break_even_rate, {**MARKET, spot.R: RESTART})
queue_rate = Example(spot.break_even_rate, {**MARKET, spot.R: "6 h"})
ELASTIC = {R: RESTART, C: run_write, x_g: "10 %"}
elastic_from = Example(shrinking_pays, ELASTIC)
wait_half = Example(waiting_loss, {R: RESTART, t_s: "30 min"}, digits=2)
shrink_half = Example(shrinking_loss, {**ELASTIC, t_s: "30 min"})

# --- worked examples: disasters, drills and the premium ------------------------------------

PROMISE = {**RUN, l: resilience.book_lag}
four_copies = Example(copies_allowed, {**PROMISE, P: "4 h"}, digits=1)
CROSS = {gamma: sites.replication, S: resilience.checkpoint, tau: run_interval, Y: sites.month}
every_copy = Example(copies_price, {**CROSS, k_c: "1"}, digits=4)
one_copy = Example(
    retention.copy_price,
    {
        gamma: sites.replication,
        retention.V: resilience.checkpoint,
        kappa: sites.s3_standard,
        retention.T: "7 d",
        Y: sites.month,
    },
    digits=4,
)
region_copy = Example(best_copy, {c_c: one_copy, M_r: "20 year", u_f: fleet_rate})
region_copy_today = Example(best_copy, {c_c: one_copy, M_r: "20 year", u_f: fleet_rate_today})
region_cost = Example(copy_cost, {c_c: one_copy, M_r: "20 year", u_f: fleet_rate, tau_c: region_copy})
book_notice = Example(
    time_to_notice, {Q: resilience.book_rto, t_s: "30 min", t_i: "5 min", S: resilience.checkpoint, b_r: "1 GB/s"}
)
run_kills = Example(regular_kills, {**FAST, R: RESTART, H: facts.book_kill})
book_kills = Example(regular_kills, {tau: book_interval, C: facts.book_write, R: RESTART, H: facts.book_kill}, digits=1)
BUDGET = {tau: run_interval.givens[tau_f], R: RESTART}
half_percent = Example(kill_period, {**BUDGET, a_H: "0.5 %"})
drills_95 = Example(drills_wanted, {eps_d: "5 %", p_r: "5 %"}, digits=2)
drills_take = Example(campaign, {n_d: drills_95, H: half_percent})
drills_90 = Example(drills_wanted, {eps_d: "5 %", p_r: "10 %"}, digits=2)
quarterly = Example(all_pass, {p_r: "20 %", n_d: "4"})
cut_length = Example(partition, {d_a: run_page.givens[d_a], R: RESTART}, unit="s")
TABLE = {B: resilience.book_bill, w_i: facts.book_penalty}
insured_table = Example(protected_cost, {**TABLE, A_x: "6000 USD"}, unit="USD", digits=7)
uninsured_table = Example(
    protected_cost, {B: resilience.book_bill, w_i: facts.book_lost, A_x: facts.book_less}, unit="USD", digits=7
)
bare_table = Example(unprotected_cost, {B: resilience.book_bill, T: "30 d", M: "10 d"})
rare_table = Example(unprotected_cost, {B: resilience.book_bill, T: "30 d", M: "150 d"})
run_insured = Example(protected_cost, {B: resilience.book_bill, w_i: run_waste, A_x: "4896 USD"})

# --- simulations ---------------------------------------------------------------------------

sim_alarm = Simulation(
    alarm_loss,
    {**{tau: "20 min", C: "20 s"}, K_f: "16 min", M_h: "24 h", u_p: "20 s", d_a: "2 min"},
    simulation.alarm_losses,
)
sim_notice = Simulation(
    notice_kept, {g: "60 s", x_p: "5 s", t_p: "10 s", C: "20 s", u_p: "20 s"}, simulation.notices_kept
)
sim_pages = Simulation(false_pages, {n_s: "200", p_o: "0.1", x_i: "1 min", k_o: "3"}, simulation.pages)
sim_drills = Simulation(all_pass, {p_r: "10 %", n_d: "12"}, simulation.drills_passed)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
