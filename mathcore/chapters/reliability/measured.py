"""Reliability, measured: what eleven clusters, Titan's GPUs and nine fleets say of rates, gaps, counts and repairs."""

from sympy import ceiling, exp, factorial, floor, gamma, log, sqrt, uppergamma

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import reliability, young_daly
from mathcore.chapters.reliability import aging, t
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import deadlines as reliability_deadlines
from mathcore.chapters.reliability import deadlines_simulation as simulation
from mathcore.chapters.reliability.aging import beta, eta, m_W
from mathcore.chapters.reliability.counts import Q, mu, s, t_r, z
from mathcore.chapters.reliability.deadlines import D, Q_b, b, t_w
from mathcore.chapters.young_daly import C, M, N, R, m, tau
from mathcore.measured import Comparison, Dataset
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises

# --- symbols --------------------------------------------------------------------------------

n_b = Variable(
    "n_b", "", "failures in a burst: variance of a count over its mean", tex=r"n_{\mathrm{b}}", low="1", high="200"
)
sigma = Variable("sigma", "", "standard deviation of the failures in the run", tex=r"\sigma", low="0.01", high="5000")
s_w = Variable("s_w", "", "spare nodes to provide where failures come in bursts", tex=r"s_{\mathrm{b}}")
M_b = Variable(
    "M_b", "s", "mean time between bursts", tex=r"M_{\mathrm{b}}", display_unit="h", low="1 s", high="1000 year"
)
s_c = Variable(
    "s_c", "", "bursts that the spares cover", tex=r"s_{\mathrm{c}}", low="0", high="200", integer=True, zero=True
)
U = Variable("U", "", "probability that the spares do not suffice at a moment", display_unit="%")
Q_t = Variable("Q_t", "", "probability that the spares suffice at every moment of the run", display_unit="%")
P_s = Variable(
    "P_s", "", "share of the time in which exactly as many nodes are away as there are spares", display_unit="%"
)
t_50 = Variable("t_50", "s", "median time of a repair", tex=r"t_{50}", display_unit="h", low="1 min", high="60 d")
t_q = Variable("t_q", "s", "time in which a share of the repairs is done", display_unit="h")
t_m = Variable("t_m", "s", "mean time of a repair", alias="repair_time", tex=r"\bar{t}_{\mathrm{r}}", display_unit="h")
sigma_r = Variable(
    "sigma_r", "", "standard deviation of the logarithm of a repair", tex=r"\sigma_{\mathrm{r}}", low="0.05", high="5"
)

x_l = Variable(
    "x_l", "", "share of the nodes that is taken out", tex=r"x_{\mathrm{l}}", display_unit="%", low="0.1 %", high="99 %"
)
q_l = Variable(
    "q_l",
    "",
    "share of the failures on them",
    tex=r"q_{\mathrm{l}}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
y_l = Variable("y_l", "", "failure rate of the nodes that stay, over that of all", tex=r"y_{\mathrm{l}}")
x_f = Variable("x_f", "", "MTBF of a device over what was predicted", tex=r"x_{\mathrm{f}}", low="0.001", high="1000")
m_0 = Variable(
    "m_0", "gpu s", "predicted MTBF of a device", tex=r"m_{0}", display_unit="gpu h", low="1 gpu h", high="1e12 gpu h"
)
k_B = Variable(
    "k_B",
    "GB h",
    "gigabyte-hours of memory between two errors",
    tex=r"k_{\mathrm{B}}",
    low="1000 GB h",
    high="1e15 GB h",
)
V_g = Variable(
    "V_g",
    "GB/gpu",
    "memory of one device",
    alias="memory",
    tex=r"V_{\mathrm{gpu}}",
    low="1 GB/gpu",
    high="10000 GB/gpu",
)

# --- facts and data -------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
clusters = Dataset("lanl_clusters")
gaps_seen = Dataset("lanl_gaps")
counts_seen = Dataset("lanl_counts")
away_seen = Dataset("lanl_away")
spot_traces = Dataset("spot_survival")
lemons_seen = Dataset("lanl_lemons")
fleets = Dataset("training_fleets")
titan_seen = Dataset("titan_counts")
with_others = Dataset("failures_alone")

# --- the 1/N law ----------------------------------------------------------------------------

law = Comparison(
    formula=young_daly.cluster_mtbf,
    data=clusters,
    measured="mtbf",
    columns={N: "processors"},
    fit_parameters={m: ("5000 gpu h", "200000 gpu h")},
    fit={"processors": 512},
    over={"processors": "processors"},
    system="eleven clusters, Los Alamos",
    bound=("16 %", "65 %"),
    note="One rate, found on clusters of 512 processors, holds at eight times the number; on another design it is off by two.",
)

OTHERS = ("Meta RSC-1", "BigScience", "MosaicML", "SK Telecom", "Meta OPT", "Google", "Titan", "Meta FT-HSDP")
carried = Comparison(
    formula=young_daly.cluster_mtbf,
    data=fleets,
    measured="mtbf",
    columns={N: "devices", m: young_daly.llama_device_mtbf},
    only={"owner": OTHERS},
    over={"devices": "devices"},
    system="eight fleets of accelerators, by the rate of Llama 3's",
    bound=("85 %", "700 %"),
    note="Nothing is fitted. Over four orders of magnitude of size the MTBF is from a sixth to nearly three times that of the law: who counts, and what, matters more than the size. From 32,768 to 98,304 H100 the MTBF fell almost threefold more than by the law.",
)
device_elsewhere = Formula(m, x_f * m_0, assumptions="another fleet is off by so much")
AWAY_FROM = {m_0: young_daly.llama_device_mtbf}
device_least = Example(device_elsewhere, {x_f: carried.system_low, **AWAY_FROM}, digits=2)
device_greatest = Example(device_elsewhere, {x_f: carried.system_high, **AWAY_FROM}, digits=2)
fleet_least, fleet_greatest = (
    Example(young_daly.cluster_mtbf, {N: "1024 gpu", m: end}, digits=2) for end in (device_least, device_greatest)
)
h100_32k, h100_98k = (
    Example(young_daly.cluster_mtbf.solve_for("m"), {N: row["devices"], M: row["mtbf"]}, digits=3)
    for row in fleets.chosen({"owner": "Meta FT-HSDP"})
)

# --- gaps -----------------------------------------------------------------------------------

weibull_gaps = (
    Derivation.start(aging.weibull_survival)
    .apply(
        {eta: m_W / gamma(1 + 1 / beta)}, "the mean gap is known, and gives the scale", justified_by=aging.weibull_mean
    )
    .formula(assumptions="gaps follow a Weibull distribution of known mean")
)
GAPS = {"data": gaps_seen, "measured": "survived", "only": {"survived": "> 0.005"}, "over": {"mean gap": "mean"}}
memoryless = Comparison(
    formula=reliability.survival,
    columns={t: "time", M: "mean"},
    system="gaps between failures, exponential",
    bound=("15 %", "200 %"),
    note="Too many gaps are short and too many long; in between the two distributions are alike.",
    **GAPS,
)
weibull = Comparison(
    formula=weibull_gaps,
    columns={t: "time", m_W: "mean"},
    fit_parameters={beta: ("0.4", "1.2")},
    fit={"half": "first"},
    holdout={"half": "second"},
    system="gaps between failures, Weibull",
    bound=("15 %", "170 %"),
    note="One shape for all clusters does little better on the second halves of their logs: clusters differ more than distributions.",
    **GAPS,
)

# --- failures of one node alone ------------------------------------------------------------

ALONE = {
    "formula": reliability.survival,
    "data": with_others,
    "measured": "alone",
    "columns": {t: "within", M: "mtbf"},
    "over": {"MTBF": "mtbf"},
}
alone_short = Comparison(
    **ALONE,
    only={"within": 10},
    system="failures that no other node joins within ten minutes, twelve machines",
    bound=("5.5 %", "13 %"),
    note="Nothing is fitted. Independent failures would be alone slightly more often: on eleven clusters of CPUs and on Titan's GPUs nine of ten failures or more struck one node.",
)
alone_long = Comparison(
    **ALONE,
    only={"within": 60},
    system="failures that no other node joins within an hour, twelve machines",
    bound=("8.5 %", "25 %"),
    note="Nothing is fitted. Within an hour up to a fifth of the failures has company, where independence gives an eighth at most.",
)

# --- spot instances -------------------------------------------------------------------------

STAYS = {"data": spot_traces, "measured": "survived", "over": {"mean stay": "mean"}}
spot_memoryless = Comparison(
    formula=reliability.survival,
    columns={t: "time", M: "mean"},
    system="lifetimes of spot instances, exponential",
    bound=("50 %", "130 %"),
    note="Preemption has a memory: half of all instances are preempted within a third of the mean lifetime, and the others last much longer.",
    **STAYS,
)
spot_weibull = Comparison(
    formula=weibull_gaps,
    columns={t: "time", m_W: "mean"},
    fit_parameters={beta: ("0.4", "1.2")},
    fit={"coast": "east"},
    holdout={"coast": "west"},
    system="lifetimes of spot instances, Weibull",
    bound=("25 %", "50 %"),
    note="One shape, found in the zones of one coast, carries to the other.",
    **STAYS,
)

# --- counts ---------------------------------------------------------------------------------

burst_deviation = Formula(
    sigma,
    sqrt(n_b * mu),
    assumptions="bursts of $n_{\\mathrm{b}}$ come at a constant rate: the standard deviation of their number is its root, and each counts that many times",
    convention="a burst of 1 is the Poisson distribution",
)
spares_in_bursts = (
    Derivation.start(
        s_w, ceiling(mu + z * sigma), "the mean plus as many standard deviations as the target requires", kind="model"
    )
    .apply({sigma: burst_deviation}, "the standard deviation of bursts")
    .formula(assumptions=("bursts come at a constant rate", "a failed node does not come back"))
)
date_in_bursts = (
    Derivation.start(
        Q_b,
        uppergamma(floor(b / (D * n_b)) + 1, mu / n_b) / gamma(floor(b / (D * n_b)) + 1),
        "bursts take the place of interruptions: the slack allows fewer of them, and fewer are expected",
        kind="model",
    )
    .apply({mu: reliability_counts.expected}, "that many failures are expected")
    .formula(assumptions=("bursts come at a constant rate", "each interruption costs the same"))
)
date_of_work_in_bursts = (
    Derivation.start(date_in_bursts)
    .apply({t: reliability_deadlines.time_to_date}, "slack is time in which interruptions come as well")
    .formula()
)
interruption = (
    Derivation.start(D, R + tau / 2, "notice it and restart, then redo half an interval on average", kind="model")
    .apply({tau: young_daly.interval}, "saving at Young's interval")
    .formula(
        assumptions="a failure is equally likely anywhere in an interval",
        drops_assumptions="restarts are free",
        convention="the writes themselves are counted with the work",
    )
)
COUNTS = {"data": counts_seen, "measured": "spread", "only": {"mean": "<= 100"}, "over": {"mean count": "mean"}}
poisson_counts = Comparison(
    formula=burst_deviation,
    columns={mu: "mean", n_b: "1"},
    system="failures in windows of 3 to 30 days, Poisson",
    bound=("45 %", "95 %"),
    note="Counts are overdispersed on nearly every cluster; the median standard deviation is 1.75 times the Poisson value.",
    **COUNTS,
)
burst_counts = Comparison(
    formula=burst_deviation,
    columns={mu: "mean"},
    fit_parameters={n_b: ("1", "30")},
    fit={"half": "first"},
    holdout={"half": "second"},
    system="failures in windows of 3 to 30 days, bursts",
    bound=("55 %", "160 %"),
    note="The burst of the first half of a log says little of the second: clusters are burstier during burn-in.",
    **COUNTS,
)

gpu_counts = Comparison(
    formula=burst_deviation,
    data=titan_seen,
    measured="spread",
    columns={mu: "mean", n_b: facts.rough_burst},
    over={"mean count": "mean"},
    system="GPU failures of about 1,024 neighbouring nodes of Titan in thirty days, bursts of the case",
    bound=("45 %", "180 %"),
    note="Nothing is fitted: bursts as on the burstier of two CPU clusters are too large for the second half of Titan's log, the standard deviation by up to a factor of two, and too small for the first, in which the rate rose.",
)

# --- nodes away -----------------------------------------------------------------------------

spares_short = (
    Derivation.start(U, 1 - Q, "either the spares suffice, or they do not")
    .apply({Q: reliability_counts.spares_with_repair}, "those away at once, by Little's law")
    .formula()
)
exactly_away = (
    Derivation.start(
        P_s, mu**s * exp(-mu) / factorial(s), "the Poisson distribution for those away at once", kind="model"
    )
    .apply(reliability_counts.nodes_away, "their mean number, by Little's law")
    .formula(assumptions=("failures strike at a constant rate", "repairs do not wait for each other"))
)
FEW = "with fewer spares than nodes are away on average the run is short nearly always"
spares_suffice = (
    Derivation.start(
        Q_t,
        exp(-t / M * P_s * s / (mu + s)),
        "a failure while s are away runs short; of these moments, the share s over s plus the mean is no echo of one before",
        kind="model",
    )
    .apply({P_s: exactly_away, mu: reliability_counts.nodes_away}, "both from repair over MTBF")
    .formula(domain=(s >= 1,), validity=((s >= t_r / M, FEW),), convention="over the whole run, not at a moment")
)
time_between_bursts = Formula(M_b, n_b * M, kind="definition", assumptions="bursts come at a constant rate")
bursts_covered = Formula(s_c, floor(s / n_b), kind="definition", convention="whole bursts")
spares_suffice_in_bursts = (
    Derivation.start(spares_suffice.renamed({M: M_b, s: s_c}))
    .apply(
        {M_b: time_between_bursts, s_c: bursts_covered},
        "bursts take the place of failures: fewer come, and fewer are covered",
    )
    .formula(
        assumptions="what failed together is repaired together",
        domain=(s >= n_b,),
        validity=((floor(s / n_b) >= t_r / (n_b * M), FEW),),
        convention="over the whole run, not at a moment",
    )
)
AWAY = {
    "formula": spares_short,
    "data": away_seen,
    "measured": "short",
    "columns": {M: "mtbf", t_r: "repair", s: "spares"},
}
few_spares = Comparison(
    **AWAY,
    only={"spares": "< 2"},
    over={"spares": "spares"},
    system="nodes away at once, up to one spare",
    bound=("15 %", "85 %"),
    note="Little's law with a Poisson count gives the common case: the distribution of repairs does not matter.",
)
more_spares = Comparison(
    **AWAY,
    only={"spares": "> 1"},
    over={"spares": "spares"},
    system="nodes away at once, two or three spares",
    bound=("90 %", "160 %"),
    note="The rare case is up to more than fifty times as common as the Poisson distribution says: what fails together is away together.",
)

# --- lemons, and the size of a part ---------------------------------------------------------

without_lemons = Derivation.start(
    y_l, (1 - q_l) / (1 - x_l), "the failures that stay, over the nodes that stay", kind="model"
).formula(assumptions="a node that failed often goes on to fail as often")
lemons = Comparison(
    formula=without_lemons,
    data=lemons_seen,
    measured="rate",
    columns={x_l: "drawn", q_l: "before"},
    over={"nodes": "nodes"},
    system="ten clusters without the worst 10 % of their nodes",
    bound=("35 %", "70 %"),
    note="Much of what looks like a lemon is bad luck: the worst of one half of a log are far better in the other.",
)
mtbf_of_memory = Formula(
    m,
    k_B / V_g,
    assumptions="memory errors are proportional to its bytes",
    convention="a part's MTBF is one over its size",
)

# --- repairs --------------------------------------------------------------------------------

repair_mean = Formula(t_m, t_50 * exp(sigma_r**2 / 2), assumptions="repairs follow a lognormal distribution")
repair_percentile = (
    Derivation.balance(log(t_q / t_50) / sigma_r, z, "the logarithm of a repair is normal", kind="model")
    .solve_for(t_q, t_50 * exp(z * sigma_r), "undo the logarithm")
    .formula(assumptions="repairs follow a lognormal distribution", convention="z = 1.645 for 95 %")
)
REPAIRS = {"data": clusters, "columns": {t_50: "repair_median", sigma_r: "repair_spread", z: "1.645"}}
mean_repair = Comparison(
    **REPAIRS,
    formula=repair_mean,
    measured="repair_mean",
    system="mean repair, lognormal",
    bound=("40 %", "130 %"),
    over={"median": "repair_median"},
    note="The mean of a lognormal depends on its last few entries: half of the means are off by a quarter or more, one by a factor of two.",
)
late_repair = Comparison(
    **REPAIRS,
    formula=repair_percentile,
    measured="repair_95",
    system="repair of which 5 % take longer, lognormal",
    bound=("35 %", "90 %"),
    over={"median": "repair_median"},
    note="It is five to nearly 700 times the median, so a contract about repair must name it.",
)

# --- worked examples ------------------------------------------------------------------------

SHOP = {t: "30 d", M: reliability.law_1024, t_r: "3 d"}
seven_in_month = Example(spares_suffice, {**SHOP, s: "7"})
eight_in_month = Example(spares_suffice, {**SHOP, s: "8"})
nine_in_month = Example(spares_suffice, {**SHOP, s: "9"})
BURST = facts.settled_burst
bursty_month = Example(spares_in_bursts, {mu: reliability_deadlines.month_failures, z: "1.645", n_b: BURST}, digits=2)
ROUGH = facts.rough_burst
rough_month = Example(spares_in_bursts, {mu: reliability_deadlines.month_failures, z: "1.645", n_b: ROUGH}, digits=2)
YOUNG = facts.young_burst
young_month = Example(spares_in_bursts, {mu: reliability_deadlines.month_failures, z: "1.645", n_b: YOUNG}, digits=2)
CALM_SHOP, ROUGH_SHOP, YOUNG_SHOP = (
    {**SHOP, n_b: size} for size in (facts.settled_few, facts.rough_few, facts.young_few)
)
nine_calm = Example(spares_suffice_in_bursts, {**CALM_SHOP, s: "9"})
ten_calm = Example(spares_suffice_in_bursts, {**CALM_SHOP, s: "10"})
enough_calm = Example(spares_suffice_in_bursts, {**CALM_SHOP, s: "11"})
nine_rough = Example(spares_suffice_in_bursts, {**ROUGH_SHOP, s: "9"})
eleven_rough = Example(spares_suffice_in_bursts, {**ROUGH_SHOP, s: "11"})
enough_rough = Example(spares_suffice_in_bursts, {**ROUGH_SHOP, s: "12"})
nine_young = Example(spares_suffice_in_bursts, {**YOUNG_SHOP, s: "9"})
sixteen_young = Example(spares_suffice_in_bursts, {**YOUNG_SHOP, s: "16"})
enough_young = Example(spares_suffice_in_bursts, {**YOUNG_SHOP, s: "17"})
SEEN = {t_w: "29 d", M: reliability.rsc_mttf_1024}
four_days_rough = Example(date_of_work_in_bursts, {**SEEN, D: "40 min", b: "96 h", n_b: ROUGH})
four_days_young = Example(date_of_work_in_bursts, {**SEEN, D: "40 min", b: "96 h", n_b: YOUNG})
FIVE = {D: "40 min", b: "120 h"}
five_days_rough = Example(date_of_work_in_bursts, {**SEEN, **FIVE, n_b: ROUGH})
five_days_young = Example(date_of_work_in_bursts, {**SEEN, **FIVE, n_b: YOUNG})
SOONER = {t_w: "29 d", M: "5 h", n_b: ROUGH}
four_days_sooner = Example(date_of_work_in_bursts, {**SOONER, D: "40 min", b: "96 h"})
five_days_sooner = Example(date_of_work_in_bursts, {**SOONER, **FIVE})
four_days_other = Example(date_of_work_in_bursts, {**SEEN, D: "40 min", b: "96 h", n_b: facts.other_burst})
five_days_other = Example(date_of_work_in_bursts, {**SEEN, **FIVE, n_b: facts.other_burst})
day_at_llama = Example(
    date_of_work_in_bursts, {t_w: "29 d", M: reliability_deadlines.llama_1024, D: "40 min", b: "24 h", n_b: ROUGH}
)
faster_seven_young = Example(date_of_work_in_bursts, {**SEEN, D: "7 min", b: "24 h", n_b: YOUNG})
faster_seven_other = Example(date_of_work_in_bursts, {**SEEN, D: "7 min", b: "24 h", n_b: facts.other_burst})
faster_seven_rough = Example(date_of_work_in_bursts, {**SEEN, D: "7 min", b: "24 h", n_b: ROUGH})
faster_seven_sooner = Example(date_of_work_in_bursts, {**SOONER, D: "7 min", b: "24 h"})
half_five = Example(interruption, {R: "0 s", C: "5 s", M: SEEN[M]})
half_thirty = Example(interruption, {R: "0 s", C: "30 s", M: SEEN[M]})
left_of_seven = Example(interruption.solve_for("R"), {D: "7 min", C: "5 s", M: SEEN[M]})

spot_stay = Example(weibull_gaps, {t: "2 h", m_W: "4 h", beta: spot_weibull.fitted_parameters["beta"]})
spot_stay_memoryless = Example(reliability.survival, {t: "2 h", M: "4 h"})

h100_bytes = Example(mtbf_of_memory.solve_for("k_B"), {m: reliability.delta_h100, V_g: "96 GB/gpu"})
a100_bytes = Example(mtbf_of_memory.solve_for("k_B"), {m: reliability.delta_a100, V_g: "40 GB/gpu"})
b200_memory = Example(mtbf_of_memory, {k_B: h100_bytes, V_g: "192 GB/gpu"})

# --- simulations ----------------------------------------------------------------------------

sim_repaired = Simulation(
    spares_suffice, {t: "30 d", M: "1.2 d", t_r: "3 d", s: "7"}, simulation.repaired_in_time, runs=2000
)
sim_bursts_repaired = Simulation(
    spares_suffice_in_bursts,
    {t: "30 d", M: "1.2 d", t_r: "3 d", s: "12", n_b: "3"},
    simulation.repaired_in_bursts,
    runs=2000,
)
sim_bursts = Simulation(
    date_in_bursts, {t: "10 d", M: "4 h", b: "40 h", D: "30 min", n_b: "3"}, simulation.dates_in_bursts
)

exercises = read_exercises(__name__)
