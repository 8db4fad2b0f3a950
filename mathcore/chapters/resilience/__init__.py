"""Resilience: the size of a checkpoint, the recovery objectives it supports, and what the insurance is worth."""

from sympy import Integral, Rational, exp, sqrt

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import sites
from mathcore.chapters.resilience.simulation import unprotected_times
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

n = Variable("n", "", "parameters of the model", alias="parameters", low="1000", high="1000000000000000")
b_w = Variable(
    "b_w", "B", "bytes of a weight as it computes", tex=r"\beta_{\mathrm{w}}", low="0 B", high="8 B", zero=True
)
b_M = Variable("b_M", "B", "bytes of a master weight", tex=r"\beta_{\mathrm{master}}", low="0 B", high="8 B", zero=True)
b_1 = Variable("b_1", "B", "bytes of a first moment", tex=r"\beta_{m}", low="0 B", high="8 B", zero=True)
b_2 = Variable("b_2", "B", "bytes of a second moment", tex=r"\beta_{v}", low="0 B", high="8 B", zero=True)
b_g = Variable("b_g", "B", "bytes of a gradient, if it is saved", tex=r"\beta_{g}", low="0 B", high="8 B", zero=True)
beta = Variable(
    "beta", "B", "bytes saved for each parameter", alias="bytes_per_parameter", tex=r"\beta", low="0.1 B", high="64 B"
)
S = Variable("S", "B", "size of a checkpoint", alias="checkpoint_size", display_unit="TB", low="1 kB", high="1 EB")
N = Variable("N", "gpu", "ranks that write", alias=("ranks", "devices"), low="1 gpu", high="10000000 gpu", integer=True)
S_r = Variable("S_r", "B/gpu", "share of one rank", tex=r"S_{\mathrm{rank}}", display_unit="GB/gpu")
k_f = Variable("k_f", "", "files of a checkpoint", tex=r"k_{\mathrm{files}}", low="1", high="10000000", integer=True)
s_f = Variable("s_f", "B", "size of one file", tex=r"s_{\mathrm{file}}", display_unit="GB", low="1 B", high="100 TB")
b_n = Variable(
    "b_n",
    "B/s/gpu",
    "write bandwidth of one rank",
    alias="rank_bandwidth",
    tex=r"b_{\mathrm{rank}}",
    display_unit="GB/s/gpu",
    low="1 MB/s/gpu",
    high="1 TB/s/gpu",
)
b = Variable(
    "b",
    "B/s",
    "write bandwidth of the storage",
    alias="write_bandwidth",
    display_unit="GB/s",
    low="1 MB/s",
    high="1 PB/s",
)
b_r = Variable(
    "b_r",
    "B/s",
    "read bandwidth while a checkpoint is loaded",
    alias="read_bandwidth",
    tex=r"b_{\mathrm{load}}",
    display_unit="GB/s",
    low="1 MB/s",
    high="1 PB/s",
)
V_s = Variable(
    "V_s", "B", "size of the file system", tex=r"V_{\mathrm{fs}}", display_unit="TB", low="1 GB", high="10 EB"
)
rho = Variable(
    "rho",
    "1/s",
    "throughput for each byte of the file system",
    tex=r"\rho",
    display_unit="MB/s/TB",
    low="1 MB/s/TB",
    high="10 GB/s/TB",
)
C = Variable("C", "s", "time to write a checkpoint", alias="write_time", display_unit="min", low="0.1 s", high="1 d")
M = Variable(
    "M", "s", "mean time between failures of the job", alias="mtbf", display_unit="h", low="1 s", high="100 year"
)
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
t = Variable("t", "s", "time since the last clean checkpoint", display_unit="min", low="0 s", high="30 d", zero=True)
w = Variable("w", "", "waste: time lost for each unit of useful work", display_unit="%", low="0.01 %", high="100 %")
b_e = Variable("b_e", "B/s", "bandwidth that a target of waste needs", tex=r"b_{w}", display_unit="GB/s")
T = Variable("T", "s", "length of the run", alias="run_time", display_unit="d", low="1 min", high="100 year")
P = Variable(
    "P",
    "s",
    "recovery point: oldest work that can be lost (RPO)",
    alias="rpo",
    tex=r"\mathrm{RPO}",
    display_unit="min",
    low="1 s",
    high="30 d",
)
l = Variable(
    "l",
    "s",
    "lag of the copy that must survive",
    tex=r"\ell_{\mathrm{lag}}",
    display_unit="min",
    low="0 s",
    high="7 d",
    zero=True,
)
Q = Variable(
    "Q", "s", "recovery time until work goes on (RTO)", tex=r"\mathrm{RTO}", display_unit="min", low="1 s", high="30 d"
)
t_f = Variable(
    "t_f",
    "s",
    "time to notice the failure",
    tex=r"t_{\mathrm{notice}}",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
t_s = Variable(
    "t_s",
    "s",
    "time to bring up spare servers",
    tex=r"t_{\mathrm{spare}}",
    display_unit="min",
    low="0 s",
    high="7 d",
    zero=True,
)
t_i = Variable(
    "t_i",
    "s",
    "time to start the job again, apart from loading",
    tex=r"t_{\mathrm{init}}",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
N_s = Variable("N_s", "", "servers", tex=r"N_{\mathrm{srv}}", low="1", high="100000", integer=True)
u_h = Variable(
    "u_h", "USD/h", "price of a server for an hour", tex=r"u_{\mathrm{srv}}", low="0.01 USD/h", high="10000 USD/h"
)
B = Variable("B", "USD", "cost of the run without failures", display_unit="MUSD", low="1 USD", high="100000000000 USD")
u_s = Variable("u_s", "USD", "storage", tex=r"X_{\mathrm{s}}", low="0 USD", high="1000000000 USD", zero=True)
u_m = Variable("u_m", "USD", "monitoring", tex=r"X_{\mathrm{m}}", low="0 USD", high="1000000000 USD", zero=True)
u_p = Variable(
    "u_p", "USD", "losses by preemption", tex=r"X_{\mathrm{p}}", low="0 USD", high="1000000000 USD", zero=True
)
A = Variable("A", "USD", "cost of protection", low="1 USD", high="1000000000 USD")
a = Variable("a", "", "probability of losing the run", display_unit="%", low="0.01 %", high="100 %")
a_x = Variable("a_x", "", "probability from which protection pays", tex="a^{*}", display_unit="%")
E_l = Variable("E_l", "USD", "expected loss without protection", tex=r"E_{\mathrm{loss}}")
T_u = Variable("T_u", "s", "expected time of a run that has no checkpoint", tex=r"T_{\mathrm{bare}}", display_unit="d")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what a checkpoint weighs, and how fast it must be written -----------------------------

bytes_per_parameter = Formula(
    beta,
    b_w + b_M + b_1 + b_2 + b_g,
    kind="definition",
    convention="Adam in mixed precision; gradients only if they are saved",
)
size = Formula(
    S,
    n * beta,
    kind="definition",
    assumptions="step count, schedule, data position and random states are negligible in comparison",
)
size_of_files = Formula(S, k_f * s_f, kind="definition", assumptions="files of equal size")
implied_bytes = (
    Derivation.balance(S, n * beta, "a reported size and a known model")
    .solve_for(beta, S / n, "divide by the parameters")
    .formula()
)
rank_share = Formula(
    S_r, S / N, kind="model", assumptions="the state is sharded evenly over all ranks, nothing is written twice"
)
write_time = (
    Derivation.start(
        C, Max(S_r / b_n, S / b), "ranks and storage work at the same time, so the slower one decides", kind="model"
    )
    .apply(rank_share, "each rank writes its own share")
    .formula(assumptions="all ranks write at once, without other traffic")
)
store_rate = Formula(b, rho * V_s, kind="model", assumptions="throughput is sold by the size of the file system")
write_time_of_store = (
    Derivation.start(C, S / b, "the storage is the slower one", kind="model")
    .apply(store_rate, "its rate follows from its size")
    .formula(assumptions="the storage limits")
)
bandwidth_for_waste = (
    Derivation.balance(
        w,
        sqrt(2 * (S / b_e) / M),
        "the smallest waste of Young's rule, with the write time from size and bandwidth",
        kind="model",
    )
    .solve_for(b_e, 2 * S / (M * w**2), "square and turn over: half the waste needs four times the bandwidth")
    .formula(
        assumptions="the interval is Young's",
        validity=((w <= Rational(4, 25), "the exact least waste with that bandwidth is higher by 11 % and more"),),
    )
)
bandwidth_for_share = (
    Derivation.balance(w, S / b_e / tau, "writes alone, at an interval that is fixed", kind="model")
    .solve_for(b_e, S / (w * tau), "turn over")
    .formula(assumptions="the job stalls while it writes", convention="waste by writes alone")
)
# --- recovery objectives -------------------------------------------------------------------

recovery_point = Formula(
    P,
    tau + C + l,
    kind="model",
    assumptions="the failure strikes just before a checkpoint is safe",
    convention="oldest work lost: interval, the write under way, and the lag of the copy that survives",
)
interval_for_point = (
    Derivation.start(recovery_point)
    .solve_for(tau, P - C - l, "what the recovery point objective leaves for the interval")
    .formula(domain=(C + l < P,), assumptions="a recovery point below write plus lag cannot be met at any interval")
)
recovery_time = Formula(
    Q,
    t_f + t_s + t_i + S / b_r,
    kind="model",
    assumptions="notice, replace, start, load: one after the other, nothing in advance",
)
# --- insurance -----------------------------------------------------------------------------

run_cost = Formula(B, N_s * u_h * T, kind="definition", assumptions="all servers are held for the whole run")
protection_cost = Formula(
    A, B * w + u_s + u_m + u_p, kind="definition", convention="what is paid whether or not a failure comes"
)
expected_loss = Formula(E_l, a * B, kind="model", assumptions="a failure costs the whole run, once at most")
protection_pays = (
    Derivation.balance(a_x * B, A, "suppose the expected loss is the premium")
    .solve_for(a_x, A / B, "the premium as a share of the cost")
    .apply(protection_cost, "what the premium is made of")
    .formula(assumptions="a failure costs the whole run, once at most")
)
unprotected_time = (
    Derivation.balance(
        T_u,
        T * exp(-T / M) + Integral((t + T_u) * exp(-t / M) / M, (t, 0, T)),
        "either the run survives, or a failure at t throws it back to its start",
        kind="model",
    )
    .rewrite((M + T_u) * (1 - exp(-T / M)), "integrate: the terms with $T\\,e^{-T/M}$ cancel", routine=True)
    .solve_for(T_u, M * (exp(T / M) - 1), "collect the unknown on the left and divide by $e^{-T/M}$", routine=True)
    .formula(assumptions=("failures strike at a constant rate", "nothing is saved before the end"))
)

# --- worked examples -----------------------------------------------------------------------

ADAM_STATE = {b_w: facts.bytes_weight, b_M: facts.bytes_master, b_1: facts.bytes_first, b_2: facts.bytes_second}
saved = Example(bytes_per_parameter, {**ADAM_STATE, b_g: "0 B"}, digits=2)
saved_all = Example(bytes_per_parameter, {**ADAM_STATE, b_g: facts.bytes_gradient}, digits=2)
book_checkpoint = Example(
    size, {n: facts.book_model, beta: saved_all}, expect=facts.book_size, source="chapter 15.3, section 9.3.2"
)
checkpoint = Example(size, {n: facts.book_model, beta: saved}, digits=2)
opt_checkpoint = Example(
    size_of_files,
    {k_f: facts.opt_files, s_f: facts.opt_file},
    expect=facts.opt_size,
    rtol=0.06,
    source="chronicles of OPT-175B",
)
opt_bytes = Example(implied_bytes, {S: opt_checkpoint, n: facts.opt_model})
share = Example(rank_share, {S: checkpoint, N: "512 gpu"})
fast_write = Example(
    write_time, {S: checkpoint, N: "512 gpu", b_n: "1 GB/s/gpu", b: facts.book_throughput}, unit="s", digits=2
)
book_store = Example(store_rate, {rho: sites.lustre_rate, V_s: sites.lustre_size}, digits=2)
book_write = Example(write_time_of_store, {S: facts.book_size, rho: sites.lustre_rate, V_s: sites.lustre_size})
slow_write = Example(write_time_of_store, {S: checkpoint, rho: sites.lustre_rate, V_s: sites.lustre_size})
two_moments = Example(
    bytes_per_parameter,
    {b_w: facts.bytes_weight, b_M: "0 B", b_1: facts.bytes_first, b_2: facts.bytes_second, b_g: "0 B"},
    digits=2,
)
five_percent = Example(bandwidth_for_waste, {S: checkpoint, M: "8 h", w: "5 %"})
hourly_point = Example(recovery_point, {tau: "1 h", C: slow_write, l: facts.book_lag})
book_recovery = Example(
    recovery_time, {t_f: "5 min", t_s: "30 min", t_i: "10 min", S: checkpoint, b_r: facts.book_throughput}
)
book_run = Example(
    run_cost,
    {N_s: "100", u_h: facts.book_rate, T: "720 h"},
    expect=facts.book_bill,
    rtol=1e-9,
    source="chapter 15.3, section 9.3.13",
    unit="USD",
    digits=7,
)
TABLE = {B: facts.book_bill, w: "5 %", u_s: "3500 USD", u_m: "500 USD", u_p: "2000 USD"}
book_loss = Example(expected_loss, {a: "10 %", B: facts.book_bill}, digits=6)
book_from = Example(protection_pays, TABLE)
bare = Example(unprotected_time, {T: "30 d", M: "10 d"})

# --- simulations ---------------------------------------------------------------------------

sim_bare = Simulation(unprotected_time, {T: "20 d", M: "10 d"}, unprotected_times)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
