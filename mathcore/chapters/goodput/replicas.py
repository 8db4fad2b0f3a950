"""Recovery by replica: a failure stops one replica for long, and all others for a moment."""

from sympy import exp

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import goodput, reliability, young_daly
from mathcore.chapters.fleet_checkpointing import facts as fleet_facts
from mathcore.chapters.goodput import measured, progress, replica_simulation, t_r, t_u
from mathcore.chapters.goodput.ettr import e, ettr, o
from mathcore.chapters.goodput.progress import T_N, A_w, N_s, e_1, e_2, h_h, t_i, t_o, t_w, theta
from mathcore.chapters.reliability import t
from mathcore.chapters.young_daly import C, M, N, cluster_mtbf, interval, m
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols --------------------------------------------------------------------------------

PART = {"display_unit": "min", "low": "0 s", "high": "30 d", "zero": True}
n_g = Variable("n_g", "gpu", "devices of one replica", tex=r"n_{\mathrm{g}}", low="1 gpu", high="1000000 gpu")
t_q = Variable("t_q", "s", "time to re-form the group of replicas", tex=r"t_{\mathrm{form}}", **PART)
t_h = Variable("t_h", "s", "stall of all other replicas at a failure", tex=r"t_{\mathrm{stall}}", **PART)
t_j = Variable(
    "t_j",
    "s",
    "time from the end of the stall until the failed replica takes part again",
    tex=r"t_{\mathrm{join}}",
    **PART,
)
e_r = Variable("e_r", "", "share of the device-time that makes progress", tex=r"e_{\mathrm{rep}}", display_unit="%")
e_a = Variable(
    "e_a", "", "share of the time left by failures that stop all replicas", tex=r"e_{\mathrm{all}}", display_unit="%"
)
R_1 = Variable("R_1", "s", "stall of a failure before the change", tex="R_1", display_unit="min", low="1 s", high="1 d")
R_2 = Variable("R_2", "s", "stall of a failure after the change", tex="R_2", display_unit="min", low="1 s", high="1 d")
t_p = Variable("t_p", "s", "time to restart in place from replicas of the state", tex=r"t_{\mathrm{rec}}", **PART)
q_a = Variable(
    "q_a",
    "",
    "share of the failures that stop all replicas",
    tex=r"q_{\mathrm{all}}",
    display_unit="%",
    low="0.01 %",
    high="100 %",
)
k_p = Variable("k_p", "", "planned interruptions", tex=r"k_{\mathrm{p}}", low="0", high="1000000", integer=True)
k_a = Variable(
    "k_a", "", "failures that stop all replicas", tex=r"k_{\mathrm{all}}", low="0", high="1000000", integer=True
)
k_x = Variable("k_x", "", "failures", tex=r"k_{\mathrm{f}}", low="1", high="1000000", integer=True)
h_p = Variable("h_p", "", "share of the time lost to planned interruptions", tex=r"h_{\mathrm{p}}", display_unit="%")
X_r = Variable(
    "X_r",
    "USD",
    "price of building recovery by replica",
    display_unit="MUSD",
    low="0 USD",
    high="1000000000 USD",
    zero=True,
)

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- one failure ----------------------------------------------------------------------------

stall = Formula(
    t_h, h_h * theta + t_q, kind="definition", convention="mean over all failures; only hangs wait for the timeout"
)
stall_in_place = Formula(
    t_h,
    h_h * theta + t_p,
    kind="definition",
    assumptions="a spare node is available",
    convention="all devices wait until the failed ones are replaced, so no replica is absent afterwards",
)
rejoin_time = Formula(
    t_j,
    t_w + t_i + t_o,
    kind="definition",
    assumptions="a spare node is available",
    convention="the state is copied from another replica",
)
up_of_replica = Formula(t_u, m / n_g, kind="definition", convention="any failure stops its replica")

# --- the goodput ----------------------------------------------------------------------------

AT_RISK = "all devices are at risk all the time"
ratio = (
    Derivation.start(
        e_r,
        goodput.A * exp(-t_h / M),
        "each replica contributes its availability; the exponential is the share of time outside stalls, where a failure during a stall restarts it",
        kind="model",
    )
    .apply(goodput.availability, "time up over time up and down")
    .apply({t_u: up_of_replica, t_r: t_j}, "a replica of $n_{\\mathrm{g}}$ devices, away until it takes part again")
    .apply(cluster_mtbf, "all devices together")
    .rewrite(exp(-N * t_h / m) / (1 + n_g * t_j / m), "divide by the time up")
    .formula(
        assumptions=("replicas fail independently", AT_RISK, "nothing else stops the job"),
        drops_assumptions="any device's failure stops the job",
    )
)
stalls_alone = (
    Derivation.start(T_N, A_w / (N * e_r), "the work shared by N, over the share that counts", kind="the case studied")
    .apply(ratio, "recovery by replica")
    .formula(assumptions="scaling efficiency does not depend on N")
)
largest_fleet = (
    Derivation.minimise(stalls_alone, over=N, why="more devices share the work, and stall more often")
    .slope(A_w * exp(N * t_h / m) * (N * t_h / m - 1) / N**2 * (1 + n_g * t_j / m), "product rule")
    .root(m / t_h, "the bracket vanishes where the mean time between failures is one stall", as_symbol=N_s)
    .curvature(
        A_w * exp(N * t_h / m) * ((N * t_h / m - 1) ** 2 + 1) / N**3 * (1 + n_g * t_j / m),
        "positive: a minimum",
        routine=True,
    )
    .formula()
)
shorter_stall = (
    Derivation.start(e_2, exp(-R_2 / M), "of the time, as much is left as the shorter stalls leave", kind="model")
    .apply({M: Formula(e_1, exp(-R_1 / M)).solve_for("M")}, "the failures that the longer stalls imply")
    .rewrite(e_1 ** (R_2 / R_1), "the rate of failures cancels")
    .formula(assumptions=("the same failures before and after", "stalls are the only loss"))
)

# --- what still stops everything --------------------------------------------------------------

stopped = Formula(
    q_a, k_a / k_x, kind="definition", assumptions="a bug of the program stops all replicas, a broken part only one"
)
planned_loss = Formula(
    h_p,
    k_p * o / t,
    kind="model",
    assumptions="the job saves just before, so no work is redone and nothing has to be detected",
    validity=((k_p * o <= t / 10, "the restarts take more than a tenth of the time"),),
)
rare_interval = (
    Derivation.start(interval)
    .apply({M: M / q_a}, "only failures that stop all replicas go back to a checkpoint")
    .formula(assumptions="a failed replica copies the state of another one")
)
with_stops = (
    Derivation.start(
        e,
        e_a * e_r,
        "failures that stop all replicas cost a restart and lost work, all others a stall and the absence of one replica",
        kind="model",
    )
    .apply(ratio, "recovery by replica")
    .apply({m: m / (1 - q_a)}, "of the failures, the rest stops one replica only")
    .apply({e_a: ettr}, "the closed form of the ratio")
    .apply({M: M / q_a}, "whose failures are those that stop all replicas")
    .formula(drops_assumptions="nothing else stops the job")
)

# --- worked examples ------------------------------------------------------------------------

LLAMA = {m: young_daly.llama_device_mtbf, N: "16384 gpu", n_g: "1024 gpu"}
hsdp_ratio = Example(
    shorter_stall,
    {e_1: facts.hsdp_before, R_1: facts.hsdp_stall_before, R_2: facts.hsdp_stall},
    expect=facts.hsdp_after,
    rtol=0.03,
    source="abstract: effective training time of about 100,000 devices",
)
stall_ours = Example(stall, {h_h: measured.fleet_share, theta: progress.facts.nccl_timeout, t_q: "1 min"})
join_ours = Example(rejoin_time, progress.START, unit="min")
ratio_ours = Example(ratio, {**LLAMA, t_h: stall_ours, t_j: join_ours})
in_place_stall = Example(
    stall_in_place,
    {h_h: measured.fleet_share, theta: progress.facts.nccl_timeout, t_p: fleet_facts.restart_quick},
    unit="min",
)
ratio_in_place = Example(ratio, {**LLAMA, t_h: in_place_stall, t_j: "0 s"})
ratio_repair = Example(ratio, {**LLAMA, t_h: stall_ours, t_j: "3 d"})
largest_ours = Example(largest_fleet, {m: young_daly.llama_device_mtbf, t_h: facts.hsdp_stall})
stopped_llama = Example(stopped, {k_a: reliability.facts.llama_software, k_x: young_daly.llama_failures})
planned_llama = Example(
    planned_loss, {k_p: reliability.facts.llama_planned, o: join_ours, t: young_daly.llama_time}, digits=1
)
rare_ours = Example(rare_interval, {C: "60 s", M: young_daly.llama_mtbf, q_a: stopped_llama}, unit="min")
all_ours = Example(interval, {C: "60 s", M: young_daly.llama_mtbf}, unit="min")

# --- simulation -----------------------------------------------------------------------------

sim_replicas = Simulation(
    ratio,
    {N: "4096 gpu", n_g: "64 gpu", m: "20000 gpu h", t_h: "10 min", t_j: "2 h"},
    replica_simulation.shares_of_work,
    runs=400,
)

exercises = read_exercises(__name__)
