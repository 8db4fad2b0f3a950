"""Experts: what a mixture of experts sends, how wide an expert must be, and how unevenly it is loaded.

Tokens, experts, nodes and widths are dimensionless counts here.
"""

from sympy import Integral, erfc, exp, log, oo, pi, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import hardware
from mathcore.chapters.parallelism.simulation import distinct_nodes, dropped_shares
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises


def _count(name, meaning, high, low="1", **more):
    return Variable(name, "", meaning, low=low, high=high, integer=True, **more)


# --- symbols ---------------------------------------------------------------------------------

r = Variable("r", "", "ratio of two amounts")
V = Variable("V", "B", "bytes a device sends in one step", display_unit="GB", low="0 B", high="1 PB", zero=True)
h = _count("h", "hidden size of the model", "100000", alias="hidden_size")
w = Variable("w", "B", "bytes of an activation", alias="bytes_per_activation", low="1 B", high="4 B")
P = Variable(
    "P",
    "FLOP/s",
    "arithmetic rate of a device",
    alias="rate",
    display_unit="TFLOP/s",
    low="1 TFLOP/s",
    high="100 PFLOP/s",
)
beta = Variable(
    "beta",
    "B/s",
    "bandwidth of a device per direction",
    alias="bandwidth",
    tex=r"\beta",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="5 TB/s",
)
phi = Variable("phi", "FLOP", "operations counted for one multiply-add", tex=r"\varphi", low="1 FLOP", high="2 FLOP")
Psi = Variable("Psi", "", "parameters of the model", alias="parameters", tex=r"\Psi", low="1000", high="1e15")
Psi_0 = Variable("Psi_0", "", "parameters outside the experts", tex=r"\Psi_{0}", low="1", high="1e13")
Psi_k = Variable("Psi_k", "", "parameters one token uses", tex=r"\Psi_{k}", low="1000", high="1e15")
L = _count("L", "layers with experts", "1000", tex=r"L_{\mathrm{e}}")
n = _count("n", "tokens", "100000000")
E = _count("E", "experts", "10000", alias="experts", low="2")
k = _count("k", "experts a token is sent to", "64", alias="experts_per_token")
f = _count("f", "inner width of a feed-forward network", "1000000", alias="ffn_size")
f_min = Variable("f_min", "", "inner width at which routing takes as long as computing", tex=r"f_{\min}")
M = _count("M", "nodes that hold experts", "4096", low="2")
M_k = Variable("M_k", "", "nodes to which a token goes, on average", tex=r"M_{k}")
c = Variable("c", "", "capacity factor", alias="capacity_factor", low="1", high="4")
C_e = Variable("C_e", "", "slots of an expert", tex=r"C_{\mathrm{e}}")
lam = Variable("lam", "", "mean load of an expert", tex=r"\lambda", low="10", high="1000000")
sigma = Variable("sigma", "", "standard deviation of the load", tex=r"\sigma", low="1", high="1000")
r_f = Variable("r_f", "", "load of the fullest expert over the mean load", tex=r"r_{\mathrm{f}}")
z = Variable("z", "", "capacity above the mean, in standard deviations", low="0", high="8", zero=True)
xi = Variable(
    "xi",
    "",
    "what half of a squared load exceeds half of the squared capacity by",
    tex=r"\xi",
    low="0",
    high="100",
    zero=True,
)
D_z = Variable(
    "D_z", "", "expected load beyond capacity, in standard deviations", tex=r"D_{z}", low="0", high="1", zero=True
)
D_c = Variable(
    "D_c",
    "",
    "share of choices that find their expert full",
    tex=r"D_{c}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)

# --- facts -----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- what is held, what is used --------------------------------------------------------------

total_parameters = Formula(
    Psi,
    Psi_0 + 3 * L * E * h * f,
    assumptions="each layer has E experts of three matrices, h by f",
    convention="what memory must hold",
)
active_parameters = Formula(
    Psi_k,
    Psi_0 + 3 * L * k * h * f,
    assumptions="each token passes k experts of each layer",
    convention="what computing is paid for: put it into 6PD",
)
parameters_idle = (
    Derivation.start(r, (Psi - Psi_k) / Psi, "what a token does not use, as a share of what is held")
    .apply({Psi: total_parameters, Psi_k: active_parameters}, "both counts")
    .rewrite(3 * L * (E - k) * h * f / (Psi_0 + 3 * L * E * h * f), "the dense part is in both")
    .formula(assumptions="each layer has experts", domain=(k <= E,))
)

# --- routing ---------------------------------------------------------------------------------

dispatch = (
    Derivation.start(
        V, n * k * h * w * (E - 1) / E, "of each device's choices all but one in $E$ lie elsewhere", kind="model"
    )
    .rewrite(n * k * h * w * (1 - 1 / E), "combining sends the same back", display_form=n * k * h * w * (1 - 1 / E))
    .formula(
        kind="model",
        assumptions=("one expert a device", "experts are chosen evenly", "no choice shares a copy"),
        convention="n counts the tokens of one device",
    )
)
routing_width = (
    Derivation.balance(2 * w * P * (1 - 1 / E) / (3 * phi * f_min * beta), 1, "routing takes as long as computing")
    .solve_for(
        f_min, 2 * w * P * (1 - 1 / E) / (3 * phi * beta), "an expert must be wider than this, whatever the batch"
    )
    .formula(assumptions=("one expert a device", "nothing overlaps"))
)
node_width = (
    Derivation.balance(
        2 * w * P * M_k * (1 - 1 / M) / (3 * phi * k * f_min * beta),
        1,
        "each node gets one copy of a token and returns one sum, while $k$ experts compute",
    )
    .solve_for(f_min, 2 * w * P * M_k * (1 - 1 / M) / (3 * phi * k * beta), "linear in the width")
    .formula(assumptions=("one expert a device", "nothing overlaps", "inside a node copies cost nothing"))
)
nodes_reached = Formula(
    M_k,
    M * (1 - (1 - 1 / M) ** k),
    assumptions="each choice falls on any node with the same probability",
    convention="expected number of different nodes",
)

# --- load ------------------------------------------------------------------------------------

capacity = Formula(C_e, c * k * n / E, kind="definition", convention="n counts all tokens that share the experts")
load_mean = Formula(
    lam, k * n / E, assumptions="experts are chosen evenly", convention="n counts all tokens that share the experts"
)
load_spread = Formula(
    sigma,
    sqrt(lam * (1 - k / E)),
    assumptions="each token chooses k different experts, at random and by itself",
    domain=(k <= E,),
)
overflow = (
    Derivation.start(
        D_z,
        Integral(exp(-xi - z**2 / 2), (xi, 0, oo)) / sqrt(2 * pi) - z * erfc(z / sqrt(2)) / 2,
        "loads are nearly normal: the mean of what lies beyond $z$, with what its half square exceeds $z^2/2$ by as variable, less $z$ times the probability to lie there",
        kind="model",
    )
    .rewrite(exp(-(z**2) / 2) / sqrt(2 * pi) - z * erfc(z / sqrt(2)) / 2, "the antiderivative is $-e^{-\\xi}$")
    .formula(assumptions="loads are normal")
)
capacity_margin = Formula(z, (c - 1) * lam / sigma, kind="definition")
largest_load = (
    Derivation.start(
        r_f,
        (lam + sigma * sqrt(2 * log(E))) / lam,
        "the largest of $E$ normal loads is at most this on average, dependent or not",
        kind="model",
    )
    .apply(load_spread, "how far loads spread")
    .rewrite(1 + sqrt(2 * log(E) * (1 - k / E) / lam), "divide by the mean load")
    .formula(
        assumptions=("experts are chosen at random", "the device with the fullest expert sets the time of all"),
        domain=(k <= E,),
        convention="an upper bound",
    )
)
dropped = (
    Derivation.start(D_c, sigma * D_z / lam, "over the mean load: a share of all choices")
    .apply(overflow, "the normal tail")
    .apply(capacity_margin, "capacity is $c\\lambda$")
    .formula(
        assumptions="what finds no slot is dropped",
        validity=((lam >= 30, "loads are skewed, and the normal distribution no longer gives their tail"),),
    )
)
dropped_of_tokens = (
    Derivation.start(dropped)
    .apply({sigma: load_spread}, "how far loads spread")
    .apply(load_mean, "the mean load")
    .formula(
        assumptions="experts are chosen at random",
        domain=(k < E,),
        validity=((k * n >= 30 * E, "loads are skewed, and the normal distribution no longer gives their tail"),),
        convention="n counts all tokens that share the experts",
    )
)


# --- worked examples -------------------------------------------------------------------------

ROUTE = {E: "64", w: "2 B", phi: hardware.fma_work}
width_h100_nic = Example(routing_width, {**ROUTE, P: hardware.h100_bf16, beta: hardware.ndr_port}, digits=5)
width_h100_nvlink = Example(
    routing_width, {**ROUTE, P: hardware.h100_bf16, beta: hardware.h100_nvlink, E: "8"}, digits=5
)
width_b200_nic = Example(routing_width, {**ROUTE, P: hardware.b200_bf16, beta: hardware.ndr_port}, digits=5)
nodes_of_8 = Example(nodes_reached, {M: "8", k: "8"})
limited_width = Example(
    node_width,
    {
        **{v: x for v, x in ROUTE.items() if v is not E},
        P: hardware.h100_bf16,
        beta: hardware.ndr_port,
        M: facts.deepseek_nodes,
        M_k: facts.deepseek_limit,
        k: facts.deepseek_choices,
    },
    digits=5,
)
spread_example = Example(load_spread, {lam: "512", E: "64", k: "2"})
dropped_example = Example(dropped, {c: "1.05", lam: "512", sigma: spread_example})
MIX = {Psi_0: "1.605e9", L: "32", h: "4096", f: "14336"}
mixtral_held = Example(
    total_parameters, {**MIX, E: "8"}, expect=facts.mixtral_all, rtol=0.01, source="Mixtral of Experts, abstract"
)
mixtral_used = Example(
    active_parameters, {**MIX, k: "2"}, expect=facts.mixtral_active, rtol=0.01, source="Mixtral of Experts, abstract"
)

fullest_example = Example(largest_load, {lam: "512", E: "64", k: "2"})
dropped_even = Example(dropped_of_tokens, {n: "16384", k: "2", E: "64", c: "1"})
idle_mixtral = Example(parameters_idle, {**MIX, E: "8", k: "2"})

# --- simulation ------------------------------------------------------------------------------

nodes_16 = Simulation(nodes_reached, {M: "16", k: "8"}, distinct_nodes)
full_experts = Simulation(dropped_of_tokens, {n: "1024", k: "2", E: "8", c: "1"}, dropped_shares, runs=1000)

# --- explorer --------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
