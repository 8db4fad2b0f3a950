"""Reliability: rates, probabilities, and the law that N devices fail N times as often."""

from sympy import Integral, Rational, exp, oo

from mathcore import Derivation, Example, Formula, One, Variable, read_facts
from mathcore.chapters import young_daly
from mathcore.chapters.reliability import simulation
from mathcore.chapters.young_daly import M, N, llama_failures, m
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_exercises, read_tasks

# --- symbols --------------------------------------------------------------------------------

gpu = One("gpu")
t = Variable("t", "s", "time that a run takes", alias="run_time", display_unit="d", low="1 min", high="100 year")
v = Variable("v", "s", "moment within the run", display_unit="d", low="0 s", high="100 year", zero=True)
S = Variable("S", "", "probability of no failure", display_unit="%")
F = Variable("F", "", "probability of at least one failure", display_unit="%", low="0 %", high="100 %")
M_0 = Variable("M_0", "s", "mean time until the first failure", tex=r"\bar{T}", display_unit="h")
M_a = Variable("M_a", "s", "mean time between failures of one kind", display_unit="h", low="1 min", high="100 year")
M_b = Variable("M_b", "s", "mean time between failures of another kind", display_unit="h", low="1 min", high="100 year")
lam = Variable("lam", "1/s", "failure rate of the job", tex=r"\lambda", display_unit="1/d")
r = Variable("r", "1/s", "failures of one node per day", display_unit="1/d", low="0.00001 /d", high="1 /d")
g = Variable("g", "gpu", "devices in one node", alias="devices_per_node", low="1 gpu", high="1024 gpu", integer=True)
c = Variable("c", "", "failures of one kind", low="0", high="1000000", integer=True, zero=True)
h_c = Variable("h_c", "", "share of one kind in all failures", tex=r"h_{\mathrm{c}}", display_unit="%")
M_seen = Variable(
    "M_seen",
    "s",
    "mean time between failures that was measured",
    tex=r"M_{\mathrm{seen}}",
    display_unit="h",
    low="1 min",
    high="100 year",
)
h_n = Variable("h_n", "", "share of the failures that the node rate explains", tex=r"h_r", display_unit="%")
p = Variable(
    "p", "", "probability that one node fails on one day", display_unit="%", low="0.0000000000000001", high="50 %"
)
n_d = Variable("n_d", "", "node-days of the run", tex=r"n_{\mathrm{d}}", low="1", high="1000000000")
n = Variable("n", "", "observed failures", low="1", high="5000", integer=True)
phi = Variable(
    "phi", "1/(gpu h)", "failure rate of one device", tex=r"\varphi", display_unit="FIT", low="1 FIT", high="1e9 FIT"
)

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
CAUSES = "gpu hbm software network host sram gsp nic nccl sdc thermal ssd power chassis board dependency cpu memory"
LLAMA_CAUSES = tuple(facts[f"llama_{cause}"] for cause in CAUSES.split())

# --- one rate, one clock --------------------------------------------------------------------

survival = (
    Derivation.start(
        S,
        exp(-Integral(1 / M, (v, 0, t))),
        "at every moment the same share $1/M$ of all runs still alive is struck: what is left falls as an exponential",
        kind="model",
    )
    .rewrite(exp(-t / M), "a constant rate adds up to $t/M$")
    .formula(assumptions="failures strike at a constant rate $1/M$")
)
failure_probability = (
    Derivation.start(F, 1 - S, "either a failure comes, or none does")
    .apply(survival, "the probability that none comes")
    .formula()
)
mean_time = (
    Derivation.start(
        M_0,
        Integral(exp(-t / M), (t, 0, oo)),
        "a mean waiting time is the area under the curve of those who still wait",
    )
    .rewrite(M, "integrate: the mean is $M$")
    .formula(assumptions="failures strike at a constant rate $1/M$")
)
mtbf_of_two_kinds = (
    Derivation.balance(
        exp(-t / M),
        exp(-t / M_a) * exp(-t / M_b),
        "to get through, the run must be spared by both kinds; they are independent of each other",
        kind="model",
    )
    .solve_for(M, 1 / (1 / M_a + 1 / M_b), "compare the exponents: rates add, times do not")
    .formula(assumptions=("the two kinds of failures are independent", "either one stops the job"))
)
mtbf_of_devices = (
    Derivation.balance(
        exp(-t / M), exp(-t * gpu / m) ** (N / gpu), "the job is spared only if each of its N devices is", kind="model"
    )
    .solve_for(M, m / N, "compare the exponents")
    .formula(
        assumptions=("any device's failure stops the job", "failures are independent", "constant rate $1/m$"),
        convention="device-hours: N devices gather N of them in an hour",
    )
)
cluster_failure_probability = (
    Derivation.start(failure_probability)
    .apply(young_daly.cluster_mtbf, "N devices: device-hours of the run over device-hours between failures")
    .formula()
)

# --- nodes, and what they do not explain ----------------------------------------------------

rate_of_nodes = Formula(
    lam, N * r / g, kind="definition", assumptions="the job holds whole nodes", convention="per node, not per device"
)
mtbf_of_nodes = (
    Derivation.start(M, 1 / lam, "the mean time between failures is one over their rate")
    .apply(rate_of_nodes, "so many nodes, each failing at the rate r")
    .formula(assumptions=("a node's failure stops the job", "failures are independent", "only nodes fail"))
)
node_rate = Formula(
    r,
    n * g / (t * N),
    kind="definition",
    assumptions="all N devices were watched for the time t",
    convention="failures over node-days: devices over g are nodes",
)
explained_share = (
    Derivation.start(h_n, (1 / M) / (1 / M_seen), "the law's rate over the rate that was seen")
    .apply({M: mtbf_of_nodes}, "the law, from the node rate")
    .formula(assumptions="node failures are part of what was seen")
)
share_of_kind = Formula(h_c, c / n, kind="definition", assumptions="each failure is counted under one cause")
mtbf_of_kind = Formula(M, t / c, kind="definition", domain=(c > 0,), assumptions="one kind of failure alone")

# --- probabilities that multiply ------------------------------------------------------------------

no_failure = Formula(S, (1 - p) ** n_d, assumptions=("node-days are independent", "p is the same for all"))
any_failure = (
    Derivation.start(F, 1 - S, "either a failure comes, or none does")
    .apply(no_failure, "all node-days must be spared, each with the probability $1 - p$")
    .formula()
)
any_failure_by_rate = (
    Derivation.start(any_failure)
    .approximate(
        1 - exp(-p * n_d),
        "a small p makes $\\ln(1 - p)$ nearly $-p$: the days become a rate",
        within="1/100",
        region={p: ("0.0000000000000001", "2 %"), n_d: ("1", "1000000")},
    )
    .formula(validity=((p <= Rational(1, 50), "the days as a rate give a probability that is 1 % and more too small"),))
)

# --- worked examples ------------------------------------------------------------------------

page_certain = Example(survival, {t: facts.page_run, M: facts.page_run_mtbf}, unit="")
cluster_month = Example(cluster_failure_probability, {N: "1024 gpu", t: "1 d", m: young_daly.page_device_mtbf})
book_one_node = Example(
    no_failure, {p: facts.book_daily, n_d: "30"}, expect=facts.book_single, source="the printed figure"
)
llama_rate = Example(
    node_rate, {g: facts.node_devices, n: llama_failures, N: young_daly.llama_devices, t: young_daly.llama_time}
)
llama_hbm_part = Example(
    share_of_kind, {c: facts.llama_hbm, n: llama_failures}, expect=facts.llama_hbm_share, rtol=0.002, source="Table 5"
)
llama_software_part = Example(
    share_of_kind,
    {c: facts.llama_software, n: llama_failures},
    expect=facts.llama_software_share,
    rtol=0.002,
    source="Table 5",
)
llama_host_part = Example(
    share_of_kind, {c: facts.llama_host, n: llama_failures}, expect=facts.llama_host_share, rtol=0.006, source="Table 5"
)
# Table 5 prints 30.1 %, which is no share of 419
llama_gpu_part = Example(share_of_kind, {c: facts.llama_gpu, n: llama_failures})
llama_sdc_mtbf = Example(mtbf_of_kind, {t: young_daly.llama_time, c: facts.llama_sdc}, unit="d")
law_16384 = Example(
    mtbf_of_nodes,
    {g: facts.node_devices, N: "16384 gpu", r: facts.rsc1_rate},
    expect=facts.rsc_mttf_16384,
    rtol=0.005,
    source="the paper's projection",
)
law_131072 = Example(
    mtbf_of_nodes,
    {g: facts.node_devices, N: "131072 gpu", r: facts.rsc1_rate},
    expect=facts.rsc_mttf_131072,
    rtol=0.025,
    source="the paper's projection",
)
# measured: 7.9 h
law_1024 = Example(mtbf_of_nodes, {g: facts.node_devices, N: "1024 gpu", r: facts.rsc1_rate})
# measured: 47.7 d
law_8 = Example(mtbf_of_nodes, {g: facts.node_devices, N: "8 gpu", r: facts.rsc1_rate}, unit="d")
explained_1024 = Example(
    explained_share, {g: facts.node_devices, N: "1024 gpu", r: facts.rsc1_rate, M_seen: facts.rsc_mttf_1024}
)
explained_8 = Example(
    explained_share, {g: facts.node_devices, N: "8 gpu", r: facts.rsc1_rate, M_seen: facts.rsc_mttf_8}
)
# from job to job the law holds: 7.9 h were measured
from_8_to_1024 = Example(mtbf_of_nodes, {g: facts.node_devices, N: "1024 gpu", r: "0.020964 /d"})

# --- simulations ----------------------------------------------------------------------------

NODES = {g: "8 gpu", N: "1024 gpu", r: "0.0065 /d"}
sim_chance = Simulation(cluster_failure_probability, {N: "256 gpu", m: "50000 gpu h", t: "7 d"}, simulation.any_failure)
sim_nodes = Simulation(mtbf_of_nodes, NODES, simulation.first_of_nodes)
sim_luck = Simulation(any_failure, {p: "0.4 %", n_d: "300"}, simulation.bad_luck)
sim_renewed = Simulation(
    mtbf_of_devices, {m: "1000 gpu h", N: "64 gpu"}, simulation.renewed_one_by_one, runs=400, options={"beta": 0.7}
)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
