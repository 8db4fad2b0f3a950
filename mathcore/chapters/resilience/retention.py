"""Retention: what keeping checkpoints costs, how many to keep, and how long a chain of deltas may be."""

from sympy import Integer, Integral, exp, log, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import sites
from mathcore.chapters.resilience.retention_simulation import chain_restored, poisoned, restore_loads
from mathcore.chapters.young_daly import sum_trusted
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols -------------------------------------------------------------------------------

S = Variable("S", "B", "size of a checkpoint", alias="checkpoint_size", display_unit="TB", low="1 kB", high="1 EB")
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
R = Variable(
    "R", "s", "time to restart from a full checkpoint", alias="restart_time", display_unit="min", low="1 s", high="1 d"
)
kappa = Variable(
    "kappa",
    "USD/B",
    "price of one byte for a month",
    tex=r"\kappa",
    display_unit="USD/GiB",
    low="1e-6 USD/GiB",
    high="10 USD/GiB",
)
V = Variable("V", "B", "bytes stored", display_unit="TB", low="1 B", high="100 EB")
Y = Variable("Y", "s", "month of the price list", display_unit="h", low="600 h", high="800 h")
T = Variable("T", "s", "length of the run", alias="run_time", display_unit="d", low="1 min", high="100 year")
x = Variable("x", "s", "age", display_unit="d", low="0 s", high="100 year", zero=True)
U = Variable("U", "USD", "price of storing", tex=r"X_{\mathrm{store}}")
G = Variable("G", "B", "storage of a month, in bytes held for all of it", display_unit="GiB")
U_k = Variable("U_k", "USD", "price of keeping every checkpoint of a run", tex=r"X_{\mathrm{all}}")
gamma = Variable(
    "gamma",
    "USD/B",
    "price of copying one byte to another region",
    tex=r"\gamma",
    display_unit="USD/GiB",
    low="1e-6 USD/GiB",
    high="1 USD/GiB",
)
U_c = Variable("U_c", "USD", "price of a copy in another region and its keeping", tex=r"X_{\mathrm{copy}}")
j_1 = Variable(
    "j_1", "s", "age up to which every checkpoint is kept", tex="a_1", display_unit="h", low="1 min", high="1 year"
)
j_2 = Variable(
    "j_2", "s", "age up to which the second tier reaches", tex="a_2", display_unit="d", low="1 min", high="1 year"
)
j_3 = Variable(
    "j_3", "s", "age up to which the third tier reaches", tex="a_3", display_unit="d", low="1 min", high="100 year"
)
g_2 = Variable("g_2", "s", "spacing in the second tier", display_unit="h", low="1 min", high="1 year")
g_3 = Variable("g_3", "s", "spacing in the third tier", display_unit="d", low="1 min", high="1 year")
K = Variable("K", "", "checkpoints kept", low="1", high="100000000", count=True)
k_0 = Variable("k_0", "", "checkpoints kept without gaps", low="1", high="1000", integer=True)
q = Variable("q", "", "octaves of age, each with one checkpoint", low="0", high="60", zero=True)
X = Variable("X", "s", "mean time until an error is noticed", display_unit="h", low="1 min", high="1 year")
f = Variable("f", "", "probability that no kept checkpoint is clean", display_unit="%")
epsilon = Variable(
    "epsilon",
    "",
    "probability that is accepted, or probability that a link is corrupt",
    tex=r"\epsilon",
    low="0.000001",
    high="0.5",
)
k_e = Variable("k_e", "", "checkpoints to keep for that probability", tex=r"k_{\epsilon}")
d = Variable("d", "", "size of a delta over that of a full checkpoint", display_unit="%", low="0.1 %", high="99 %")
k = Variable("k", "", "checkpoints from one full one to the next", low="1", high="1000", count=True)
C_d = Variable("C_d", "s", "mean write time with deltas", tex=r"\bar{C}", display_unit="min")
R_d = Variable("R_d", "s", "mean restart time with deltas", tex=r"\bar{R}", display_unit="min")
L_d = Variable("L_d", "", "bytes read by a restore, in full checkpoints", tex=r"\ell", low="1", high="1000")
w_d = Variable("w_d", "", "waste with deltas", tex=r"w_{\Delta}", display_unit="%")
k_s = Variable("k_s", "", "best number of checkpoints from full to full", tex="k^{*}")
c = Variable("c", "", "probability that a chain restores", display_unit="%")
c_k = Variable("c_k", "", "probability that the whole chain restores", display_unit="%")
phi = Variable(
    "phi", "", "share of the elements that changed", tex=r"\varphi", display_unit="%", low="0.01 %", high="100 %"
)
v = Variable("v", "B", "bytes of a value", low="1 B", high="8 B")
i = Variable("i", "B", "bytes of an index", low="1 B", high="32 B")
phi_x = Variable(
    "phi_x", "", "share of changes at which a delta is as large as the whole", tex=r"\varphi^{*}", display_unit="%"
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what keeping costs --------------------------------------------------------------------

month_of_storage = Formula(
    G, V * T / Y, kind="definition", convention="bytes times time over the month of the price list"
)
storage_price = (
    Derivation.start(U, kappa * G, "price of a byte for a month, times bytes held for a month")
    .apply(month_of_storage, "bytes by the time they are held")
    .formula(convention="a month is that of the price list; a GB there may be a GiB")
)
keep_all = (
    Derivation.start(
        U_k,
        Integral(kappa * S * x / (tau * Y), (x, 0, T)),
        "after a time x there are $x/\\tau$ checkpoints, and each is paid for as long as it lies there",
        kind="model",
    )
    .rewrite(kappa * S * T**2 / (2 * tau * Y), "a triangle: the cost grows with the square of the run length")
    .formula(assumptions="nothing is deleted before the run ends", convention="until the end of the run")
)
copy_price = (
    Derivation.start(U_c, gamma * V + U, "the transfer once, and the keeping")
    .apply(storage_price, "the keeping in the other region")
    .rewrite(V * (gamma + kappa * T / Y), "both go with the bytes")
    .formula()
)
# --- how many to keep ----------------------------------------------------------------------

tiers = Formula(
    K,
    j_1 / tau + j_2 / g_2 + j_3 / g_3,
    assumptions="three tiers, each counted from today: every checkpoint, then one per spacing",
)
keep_last = (
    Derivation.balance(k_0 * tau * 2**q, T, "beyond the last $k_0$ one checkpoint is kept for each doubling of the age")
    .solve_for(q, log(T / (k_0 * tau)) / log(2), "take the logarithm to base two", routine=True)
    .formula(domain=(k_0 * tau <= T,))
)
octaves = (
    Derivation.start(K, k_0 + q, "the last ones, and one for each octave")
    .apply(keep_last, "octaves up to the age of the run")
    .formula(assumptions="the count grows with the logarithm of the run")
)
no_clean_checkpoint = (
    Derivation.start(
        f,
        Integral(exp(-(K * tau - t) / X) / tau, (t, 0, tau)),
        "an error strikes at any moment t of an interval; all K kept checkpoints have it if it is noticed later than $K\\tau - t$ after",
        kind="model",
    )
    .rewrite(X / tau * (exp(tau / X) - 1) * exp(-K * tau / X), "integrate")
    .formula(assumptions=("errors are noticed after an exponential time", "the last K checkpoints are kept"))
)
keep_for_risk = (
    Derivation.balance(
        epsilon,
        X / tau * (exp(tau / X) - 1) * exp(-k_e * tau / X),
        "how many have to be kept for a probability that is accepted?",
    )
    .solve_for(
        k_e,
        X / tau * log(X * (exp(tau / X) - 1) / (tau * epsilon)),
        "take the logarithm: the time that is covered grows with the logarithm of the risk",
        routine=True,
    )
    .formula(convention="probability for each error, not for each run; to be rounded up")
)
# --- deltas --------------------------------------------------------------------------------

mean_write = (
    Derivation.start(
        C_d, (C + (k - 1) * d * C) / k, "one full checkpoint, then deltas until the next full one", kind="model"
    )
    .rewrite(C * (d + (1 - d) / k), "the deltas alone, and the rest of the full one shared by all")
    .formula(assumptions="write time goes with size")
)
restore_load = (
    Derivation.balance(
        L_d - 1,
        d * (k * (k - 1) / 2) / k,
        "behind the full one lie 0 to $k - 1$ deltas, each number as likely as any other",
        kind="model",
    )
    .solve_for(L_d, 1 + d * (k - 1) / 2, "half of the chain on average")
    .formula(assumptions="failures strike anywhere in the chain; all deltas up to the failure are read")
)
mean_restart = (
    Derivation.start(R_d, R * L_d, "a restart is loading, and loading goes with the bytes", kind="model")
    .apply(restore_load, "the full checkpoint and half of the chain")
    .formula(assumptions="restart time is proportional to what is read")
)
waste_with_deltas = (
    Derivation.start(
        w_d,
        C_d / tau + (tau / 2 + R_d) / M,
        "writes, and for each failure half an interval and a restart",
        kind="model",
    )
    .apply({C_d: mean_write, R_d: mean_restart}, "both with deltas")
    .formula(
        assumptions="failures strike work only",
        validity=sum_trusted(tau + C + R * (1 + d * (k - 1) / 2), M),
        convention="time lost for each unit of useful work",
    )
)
best_chain = (
    Derivation.minimise(waste_with_deltas, over=k, why="a longer chain writes less and restores more")
    .slope(R * d / (2 * M) - C * (1 - d) / (tau * k**2), "only two terms depend on the chain")
    .root(sqrt(2 * C * M * (1 - d) / (tau * R * d)), "set it to zero and take the root", as_symbol=k_s, routine=True)
    .curvature(2 * C * (1 - d) / (tau * k**3), "positive: a minimum", routine=True)
    .formula(validity=sum_trusted(tau + C, M), convention="round, then compare both neighbours")
)
# --- what can break ------------------------------------------------------------------------

whole_chain = Formula(
    c_k, (1 - epsilon) ** k, assumptions="links are corrupt independently of each other; the base counts as a link"
)
chain = (
    Derivation.balance(
        k * c - k * c * (1 - epsilon),
        (1 - epsilon) - (1 - epsilon) ** (k + 1),
        "after j links all j must be sound; the sum over j from 1 to k, less the same sum moved on by one link, keeps its first and last term",
        kind="model",
    )
    .solve_for(c, (1 - epsilon) * (1 - (1 - epsilon) ** k) / (k * epsilon), "divide by $k\\epsilon$")
    .formula(
        assumptions=("failures are equally likely after any link", "links are corrupt independently of each other")
    )
)
delta_size = Formula(
    d,
    phi * (v + i) / v,
    assumptions="each changed element is stored with its index",
    convention="over the size without indices",
)
delta_limit = (
    Derivation.balance(phi_x * (v + i) / v, Integer(1), "suppose the delta is as large as the whole")
    .solve_for(phi_x, v / (v + i), "if more has changed than this, write it all")
    .formula()
)

# --- worked examples -----------------------------------------------------------------------

MONTH = {T: sites.month, Y: sites.month}
zoo = Example(
    storage_price,
    {kappa: "0.023 USD/GB", V: "720 TB", **MONTH},
    expect=facts.book_zoo_bill,
    source="chapter 15.3, section 9.3.7",
    digits=5,
)
zoo_growing = Example(
    keep_all, {kappa: "0.023 USD/GB", S: facts.book_zoo_size, tau: "1 h", T: "30 d", Y: sites.month}, digits=4
)
zoo_tiers = Example(tiers, {tau: "1 h", j_1: "6 h", j_2: "7 d", g_2: "1 d", j_3: "13 week", g_3: "1 week"}, digits=2)
zoo_octaves = Example(octaves, {k_0: "6", tau: "1 h", T: "30 d"})
express = Example(storage_price, {kappa: sites.s3_express, V: "10 TiB", T: "240 h", Y: "744 h"})
book_copy = Example(copy_price, {V: "10 TB", gamma: "0.02 USD/GB", kappa: "0.004 USD/GB", **MONTH})
all_bad = Example(no_clean_checkpoint, {K: "6", tau: "1 h", X: "2 h"})
keep_fifteen = Example(keep_for_risk, {epsilon: "0.001", tau: "1 h", X: "2 h"})
DELTAS = {C: "4 min", d: "10 %"}
delta_waste = Example(waste_with_deltas, {**DELTAS, R: "5 min", tau: "30 min", M: "8 h", k: "10"})
delta_chain = Example(best_chain, {**DELTAS, R: "5 min", tau: "30 min", M: "8 h"})
sound = Example(chain, {epsilon: "0.02", k: "10"})
sound_whole = Example(whole_chain, {epsilon: "0.02", k: "10"})
book_delta = Example(delta_size, {phi: "10 %", v: "4 B", i: "16 B"}, digits=2)
book_delta_limit = Example(delta_limit, {v: "4 B", i: "16 B"}, digits=2)

# --- simulations ---------------------------------------------------------------------------

sim_chain = Simulation(chain, {epsilon: "0.02", k: "10"}, chain_restored, runs=20000)
sim_load = Simulation(restore_load, {d: "10 %", k: "16"}, restore_loads, runs=20000)
sim_bad = Simulation(no_clean_checkpoint, {K: "4", tau: "1 h", X: "2 h"}, poisoned, runs=20000)

# --- calculators -----------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
