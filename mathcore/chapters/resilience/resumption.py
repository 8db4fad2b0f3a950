"""Resumption: notices, damaged checkpoints, kills and bad gradients, and what each of them costs."""

from mathcore import Derivation, Example, Formula, Max, Min, Variable, read_facts
from mathcore.chapters import resilience, sites, young_daly
from mathcore.chapters.resilience import retention
from mathcore.chapters.resilience.resumption_simulation import fits, goodputs, losses, poisoned_steps
from mathcore.chapters.young_daly import sum_trusted
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
R = Variable("R", "s", "time to restart", alias="restart_time", display_unit="min", low="0 s", high="1 d", zero=True)
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
N = Variable("N", "gpu", "ranks, each a process of its own", low="1 gpu", high="10000000 gpu", integer=True)
M = Variable(
    "M", "s", "mean time between failures of the job", alias="mtbf", display_unit="h", low="1 s", high="100 year"
)
m = Variable(
    "m",
    "gpu s",
    "mean time between failures of one rank",
    alias="rank_mtbf",
    display_unit="gpu d",
    low="1 gpu h",
    high="1000000 gpu d",
)
G = Variable("G", "", "goodput: useful share of the wall clock", display_unit="%")
G_1 = Variable("G_1", "", "goodput to first order", display_unit="%")
t_g = Variable(
    "t_g", "s", "expected time of one segment of work and write", tex=r"t_{\mathrm{seg}}", display_unit="min"
)
g = Variable("g", "s", "notice before the servers are taken", alias="notice", low="1 s", high="1 h")
p = Variable("p", "s", "interval between two polls for the notice", low="0.01 s", high="10 min")
s = Variable("s", "s", "time of a training step", alias="step_time", low="0.01 s", high="10 min")
t_n = Variable("t_n", "s", "longest time from the notice to the safe checkpoint", tex=r"t_{\mathrm{safe}}")
S_n = Variable("S_n", "B", "largest checkpoint that is sure to be saved", tex=r"S_{\mathrm{safe}}", display_unit="TB")
y = Variable("y", "s", "remainder of the notice after the write", low="0 s", high="1 h", zero=True)
P_g = Variable("P_g", "", "probability that the checkpoint is safe in time", tex=r"P_{\mathrm{safe}}", display_unit="%")
epsilon = Variable(
    "epsilon",
    "",
    "probability that a checkpoint is damaged",
    tex=r"\epsilon_{\mathrm{ckpt}}",
    low="0.000001",
    high="0.9",
)
l_e = Variable("l_e", "s", "work lost behind damaged checkpoints", tex=r"\ell_{\mathrm{back}}", display_unit="min")
l_f = Variable("l_f", "s", "mean work lost at a failure", tex=r"\ell_{\mathrm{fail}}", display_unit="min")
a = Variable("a", "", "probability that a rank has a bad gradient in a step", low="1e-12", high="0.1")
n_a = Variable(
    "n_a", "", "ranks whose gradients are added", tex=r"n_{\mathrm{add}}", low="1", high="1000000", integer=True
)
a_N = Variable("a_N", "", "probability that a step is poisoned", display_unit="%")
g_n = Variable("g_n", "", "global norm of the gradient", tex=r"\lVert g\rVert", low="0.000001", high="1000000")
g_x = Variable("g_x", "", "largest norm that is allowed", tex=r"g_{\max}", low="0.001", high="1000")
c_g = Variable("c_g", "", "factor on every gradient", tex=r"c_{\mathrm{clip}}", low="0", high="1")
L_0 = Variable("L_0", "", "smallest loss scale", tex=r"L_{\min}")
L_1 = Variable("L_1", "", "largest loss scale", tex=r"L_{\max}")
u_0 = Variable("u_0", "", "smallest number of the format", tex=r"u_{\min}", low="1e-45", high="1")
u_1 = Variable("u_1", "", "largest number of the format", tex=r"u_{\max}", low="1", high="1e39")
x_0 = Variable("x_0", "", "smallest gradient that matters", tex=r"x_{\min}", low="1e-30", high="1")
x_1 = Variable("x_1", "", "largest gradient", tex=r"x_{\max}", low="1e-12", high="1e12")
n_g = Variable(
    "n_g",
    "",
    "good steps after which the scale doubles",
    tex=r"n_{\mathrm{good}}",
    low="1",
    high="1000000",
    integer=True,
)
h_s = Variable("h_s", "", "share of the steps that are skipped", tex=r"h_{\mathrm{skip}}", display_unit="%")
phi = Variable(
    "phi", "", "share of the elements that changed", tex=r"\varphi", display_unit="%", low="0.01 %", high="100 %"
)
v = Variable("v", "B", "bytes of a value", low="1 B", high="8 B")
i = Variable("i", "B", "bytes of an index", low="1 B", high="32 B")
j = Variable("j", "B", "bytes of the bitmap for each element", low="0.01 B", high="1 B")
d_b = Variable(
    "d_b", "", "size of a delta with a bitmap, over that of the whole", tex=r"d_{\mathrm{map}}", display_unit="%"
)
phi_b = Variable(
    "phi_b", "", "share of changes at which a bitmap pays no more", tex=r"\varphi_{\mathrm{map}}", display_unit="%"
)
phi_i = Variable(
    "phi_i", "", "share of changes from which a bitmap beats indices", tex=r"\varphi_{\mathrm{ind}}", display_unit="%"
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- a notice ------------------------------------------------------------------------------

time_to_safety = Formula(
    t_n,
    p + s + C,
    kind="model",
    assumptions="the notice comes just after a poll, and the next poll just after the beginning of a step",
    convention="worst case",
)
size_in_notice = (
    Derivation.balance(p + s + S_n / b, g, "the worst case just fits: a poll, a step and the write", kind="model")
    .solve_for(S_n, b * (g - p - s), "what the storage takes in the time that is left")
    .formula(domain=(p + s < g,), assumptions="all ranks see the notice at the same poll")
)
time_left = Formula(y, g - C, kind="definition", domain=(g >= C,))
probability_in_notice = Formula(
    P_g,
    (y**2 - Max(0, y - p) ** 2 - Max(0, y - s) ** 2 + Max(0, y - p - s) ** 2) / (2 * p * s),
    kind="model",
    assumptions="notices, polls and steps are not in phase, so both waits are uniformly distributed",
)
# --- damage and poison ---------------------------------------------------------------------

loss_behind_damage = (
    Derivation.balance(
        l_e,
        epsilon * (tau + l_e),
        "if the last checkpoint is damaged, an interval is lost and the one before is in the same position",
        kind="model",
    )
    .solve_for(l_e, epsilon * tau / (1 - epsilon), "an expectation that contains itself is solved for", routine=True)
    .formula(assumptions=("checkpoints are damaged independently of each other", "damage is found when it is read"))
)
loss_with_damage = (
    Derivation.start(
        l_f,
        tau / 2 + l_e,
        "half an interval since the last checkpoint, and what lies behind damaged ones",
        kind="model",
    )
    .apply(loss_behind_damage, "what the damage costs")
    .formula()
)
poisoned_step = Formula(
    a_N,
    1 - (1 - a) ** n_a,
    kind="model",
    assumptions="an all-reduce adds the gradients of all ranks, and bad ones come independently of each other",
)
# --- gradients -----------------------------------------------------------------------------

clip_factor = Formula(
    c_g,
    Min(1, g_x / g_n),
    kind="definition",
    convention="one factor for all gradients: the direction stays, the length is limited",
)
scale_low = (
    Derivation.balance(L_0 * x_0, u_0, "the smallest gradient that matters just reaches the smallest number")
    .solve_for(L_0, u_0 / x_0, "divide", routine=True)
    .formula(assumptions="subnormal numbers are kept")
)
scale_high = (
    Derivation.balance(L_1 * x_1, u_1, "the largest gradient just stays below the largest number")
    .solve_for(L_1, u_1 / x_1, "divide", routine=True)
    .formula()
)
skipped_steps = (
    Derivation.balance(
        h_s * (n_g + 1), 1, "after each run of good steps the scale doubles, and the next step overflows once"
    )
    .solve_for(h_s, 1 / (n_g + 1), "one step in each round is lost")
    .formula(assumptions="the scale is just below the largest that the gradients allow")
)
# --- kills ---------------------------------------------------------------------------------

SEGMENT = {
    t_g: young_daly.segment_time.renamed({young_daly.C: C, young_daly.R: R, young_daly.tau: tau, young_daly.M: M})
}
goodput_under_kills = (
    Derivation.start(G, tau / t_g, "an interval of work for each segment of the wall clock", kind="model")
    .apply(SEGMENT, "the expected segment, from the exact model of checkpointing")
    .apply(
        {M: young_daly.cluster_mtbf.renamed({young_daly.m: m, young_daly.N: N})},
        "any of the ranks may be the one that is killed",
    )
    .formula(assumptions=("kills come at a constant rate", "each kill stops all ranks, and writes and restarts too"))
)
goodput_first_order = Formula(
    G_1,
    1 / (1 + C / tau + N * (tau / 2 + R) / m),
    kind="model",
    assumptions="one kill between two checkpoints at most, none in writes and restarts",
    validity=sum_trusted(tau + C + R, m / N),
)
# --- deltas with a bitmap ------------------------------------------------------------------

bitmap_size = (
    Derivation.start(d_b, (phi * v + j) / v, "the changed values, and one bit for every element")
    .rewrite(phi + j / v, "the map is a constant; it does not grow with the changes")
    .formula(convention="over the size of the whole tensor")
)
bitmap_limit = (
    Derivation.balance(phi_b + j / v, 1, "suppose values and map are as large as the whole")
    .solve_for(phi_b, 1 - j / v, "all but the map")
    .formula()
)
bitmap_beats_indices = (
    Derivation.balance(phi_i * (v + i) / v, phi_i + j / v, "suppose indices and map cost the same")
    .solve_for(phi_i, j / i, "the values cancel", routine=True)
    .formula()
)

# --- worked examples -----------------------------------------------------------------------

BIT = {j: "0.125 B"}
DAEMON = {g: sites.spot_notice, p: facts.book_poll, s: "12 s"}
own_state = Example(
    resilience.bytes_per_parameter,
    {
        resilience.b_w: "0 B",
        resilience.b_M: resilience.bytes_master,
        resilience.b_1: resilience.bytes_first,
        resilience.b_2: resilience.bytes_second,
        resilience.b_g: "0 B",
    },
    digits=2,
)
safety = Example(time_to_safety, {p: facts.book_poll, s: "12 s", C: resilience.fast_write})
late = Example(time_to_safety, {p: facts.book_poll, s: "12 s", C: resilience.slow_write}, unit="s")
heavy_write = Example(
    resilience.write_time,
    {
        resilience.S: resilience.book_checkpoint,
        resilience.N: "512 gpu",
        resilience.b_n: "1 GB/s/gpu",
        resilience.b: resilience.book_throughput,
    },
    unit="s",
)
heavy = Example(time_to_safety, {p: facts.book_poll, s: "12 s", C: heavy_write}, unit="s")
heavy_left = Example(time_left, {g: sites.spot_notice, C: heavy_write}, digits=1)
heavy_chance = Example(probability_in_notice, {p: facts.book_poll, s: "12 s", y: heavy_left})
saved_size = Example(size_in_notice, {**DAEMON, b: resilience.book_throughput})
slow_size = Example(size_in_notice, {**DAEMON, b: resilience.book_store})
damaged_loss = Example(loss_with_damage, {epsilon: "0.02", tau: "30 min"})
damaged_half = Example(loss_with_damage, {epsilon: "0.5", tau: "30 min"}, digits=2)
usual_skips = Example(skipped_steps, {n_g: facts.growth_interval}, digits=2)
page_skips = Example(skipped_steps, {n_g: "12"}, digits=2)
KILLS = {C: "2 min", R: "5 min", tau: "30 min"}
kills = Example(goodput_under_kills, {**KILLS, m: "100 gpu d", N: "512 gpu"})
kills_first = Example(goodput_first_order, {**KILLS, m: "100 gpu d", N: "512 gpu"})
map_limit = Example(bitmap_limit, {v: "4 B", **BIT})
map_from = Example(bitmap_beats_indices, {i: "4 B", **BIT})
short_limit = Example(retention.delta_limit, {retention.v: "4 B", retention.i: "4 B"}, digits=2)
every_element = Example(
    retention.delta_size, {retention.phi: "100 %", retention.v: "4 B", retention.i: "16 B"}, digits=2
)

# --- simulations ---------------------------------------------------------------------------

sim_fits = Simulation(probability_in_notice, {p: "5 s", s: "12 s", y: "10 s"}, fits, runs=20000)
sim_losses = Simulation(loss_with_damage, {epsilon: "0.2", tau: "30 min"}, losses, runs=20000)
sim_kills = Simulation(goodput_under_kills, {**KILLS, m: "10 gpu d", N: "64 gpu"}, goodputs)
sim_poison = Simulation(poisoned_step, {a: "0.002", n_a: "64"}, poisoned_steps, runs=20000)

# --- calculators -----------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
