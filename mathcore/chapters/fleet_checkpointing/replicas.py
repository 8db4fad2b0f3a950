"""Replicas in memory: how many servers may be lost, and how long until it happens."""

from sympy import Eq, Mod, Rational, binomial, exp

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import resilience
from mathcore.chapters.fleet_checkpointing import simulation
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols --------------------------------------------------------------------------------

n_m = Variable("n_m", "", "servers that hold the state", tex=r"n_{\mathrm{m}}", low="2", high="10000", integer=True)
r = Variable("r", "", "replicas of each share, in groups of so many servers", low="2", high="8", integer=True)
f = Variable("f", "", "servers lost at the same time", low="1", high="60", integer=True)
P_f = Variable("P_f", "", "probability that the memory of the other servers still holds everything", display_unit="%")
P_n = Variable("P_n", "", "probability that one more loss is survived", tex=r"P_{f+1}/P_f", display_unit="%")
m_m = Variable(
    "m_m",
    "s",
    "mean time between failures of one server",
    alias="node_mtbf",
    tex=r"m_{\mathrm{m}}",
    display_unit="d",
    low="1 h",
    high="100 year",
)
t_w = Variable(
    "t_w",
    "s",
    "time until a lost replica is restored",
    tex=r"t_{\mathrm{w}}",
    display_unit="min",
    low="1 s",
    high="10 d",
)
F_w = Variable(
    "F_w",
    "",
    "probability that the partner fails before the replica is restored",
    tex=r"F_{\mathrm{w}}",
    low="0.000001",
    high="0.9",
)
M_p = Variable(
    "M_p",
    "s",
    "mean time until a pair loses both",
    tex=r"M_{\mathrm{pair}}",
    display_unit="year",
    low="1 h",
    high="1e9 year",
)
M_u = Variable("M_u", "s", "mean time until some pair loses both", tex=r"M_{\mathrm{pairs}}", display_unit="d")
b_m = Variable(
    "b_m",
    "B/s",
    "network bandwidth of a server",
    tex=r"b_{\mathrm{m}}",
    display_unit="GB/s",
    low="1 MB/s",
    high="10 TB/s",
)
t_c = Variable("t_c", "s", "time to send all replicas", tex=r"t_{\mathrm{c}}", low="1 ms", high="1 d")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- how many may be lost at once -----------------------------------------------------------

groups_hold = Formula(
    P_f,
    1 - n_m / r * binomial(n_m - r, f - r) / binomial(n_m, f),
    assumptions="servers stand in groups of r, each with the state of the whole group",
    domain=(Eq(Mod(n_m, r), 0), r <= f, f <= n_m),
    validity=((f < 2 * r, "this is a lower bound, because two groups may be lost at once"),),
)
pairs_hold = Formula(
    P_f,
    binomial(n_m / 2, f) * 2**f / binomial(n_m, f),
    assumptions=("servers stand in pairs", "any f of them are lost with the same probability"),
    domain=(f <= n_m, Eq(Mod(n_m, 2), 0)),
    convention="ways to hit f different pairs, one server of each, over all ways",
)
next_loss = (
    Derivation.start(
        P_n, pairs_hold.rhs.subs(f, f + 1) / pairs_hold.rhs, "the probability for one loss more, against this one"
    )
    .rewrite((n_m - 2 * f) / (n_m - f), "of the servers left, f are the partners that must not fail")
    .formula(assumptions="servers stand in pairs", domain=(2 * f < n_m,))
)

# --- how long it lasts ----------------------------------------------------------------------

partner_fails = Formula(F_w, 1 - exp(-t_w / m_m), assumptions="failures strike at a constant rate")
pair_lost = (
    Derivation.balance(
        M_p,
        m_m / 2 + m_m * F_w + (1 - F_w) * M_p,
        "one of two fails after half the time of one; then the partner fails in the window, or the pair is whole again",
        kind="model",
    )
    .solve_for(M_p, m_m * (1 + 1 / (2 * F_w)), "collect the unknown", routine=True)
    .apply(partner_fails, "the probability within the window")
    .formula(assumptions="a replica is restored in a fixed time")
)
pairs_lost = (
    Derivation.start(M_u, 2 / n_m * M_p, "$n_{\\mathrm{m}}/2$ pairs, and the first that is lost counts", kind="model")
    .apply(pair_lost, "the time of one pair")
    .approximate(
        m_m**2 / (n_m * t_w),
        "a window that is short against the time between failures",
        within=Rational(1, 20),
        region={m_m: ("10 d", "10 year"), t_w: ("1 s", "4 h"), n_m: ("2", "10000")},
    )
    .formula(
        assumptions="servers stand in pairs",
        domain=(Eq(Mod(n_m, 2), 0),),
        validity=((t_w <= m_m / 25, "the exact time is longer by 10 % and more"),),
    )
)

# --- what it costs the network --------------------------------------------------------------

replication_time = Formula(
    t_c,
    (r - 1) * resilience.S / (n_m * b_m),
    assumptions=("the state is sharded evenly", "the network is the only limit"),
    convention="each server keeps its own share and sends it to the others of its group",
)

# --- worked examples ------------------------------------------------------------------------

pair_two = Example(pairs_hold, {n_m: "16", f: "2"}, expect=facts.gemini_pair, source="the paper's figure")

# --- simulations ----------------------------------------------------------------------------

sim_pairs = Simulation(pairs_hold, {n_m: "32", f: "5"}, simulation.pairs_hold)
sim_groups = Simulation(groups_hold, {n_m: "24", r: "3", f: "5"}, simulation.groups_hold, runs=20000)
sim_pair = Simulation(pair_lost, {m_m: "30 d", t_w: "2 d"}, simulation.pair_lives, runs=1000)

# --- explorer ------------------------------------------------------------------------------

exercises = read_exercises(__name__)
