"""Fabrics: how many hosts a tree of switches carries, and the time of an all-reduce on a torus."""

from sympy import exp, log, loggamma

from mathcore import Derivation, Example, Variable, read_facts
from mathcore.chapters import hardware
from mathcore.chapters.collectives import T_t, V, X, a, beta_l, torus_gather
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.collectives.measured import b_p, o, rails_oversubscribed

# --- symbols -------------------------------------------------------------------------------

k_p = Variable("k_p", "", "ports of a switch", tex=r"k_{\mathrm{p}}", low="4", high="1024", integer=True)
L_s = Variable("L_s", "", "levels of switches", tex=r"L_{\mathrm{s}}", low="2", high="4", integer=True)
d_p = Variable("d_p", "", "downlink ports of a switch", tex=r"d_{\mathrm{p}}", low="1", high="1024", integer=True)
N_e = Variable("N_e", "", "ports at the edge of the network", tex=r"N_{\mathrm{e}}")
n_pod = Variable(
    "n_pod", "gpu", "devices of a pod", tex=r"n_{\mathrm{pod}}", low="1 gpu", high="1000000 gpu", integer=True
)
g_n = Variable(
    "g_n",
    "gpu",
    "devices of a node, each with a NIC",
    tex=r"g_{\mathrm{n}}",
    low="1 gpu",
    high="1024 gpu",
    integer=True,
)
o_r = Variable("o_r", "", "oversubscription from which rings in topology order wait", tex=r"o_{\mathrm{ring}}")
T_s = Variable("T_s", "s", "sum in the torus", tex=r"T_{\mathrm{sum}}", display_unit="ms")

q_f = Variable("q_f", "", "long flows", tex=r"q_{\mathrm{f}}", low="1", high="1000", integer=True)
u_l = Variable("u_l", "", "uplinks of a leaf", tex=r"u_{\mathrm{l}}", low="1", high="1000", integer=True)
p_o = Variable(
    "p_o",
    "",
    "probability that each flow has an uplink of its own",
    tex=r"p_{\mathrm{own}}",
    display_unit="%",
    low="0",
    high="1",
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- trees of switches ---------------------------------------------------------------------

downlink_ports = (
    Derivation.balance(d_p, o * (k_p - d_p), "for each uplink port, $o$ downlink ports")
    .solve_for(d_p, o * k_p / (1 + o), "collect the downlink ports", routine=True)
    .formula()
)
edge_ports = (
    Derivation.start(
        N_e,
        k_p * d_p * (k_p / 2) ** (L_s - 2),
        "each port of the top leads to a switch of the level below, each level under that halves its switches between "
        "up and down",
        kind="model",
    )
    .apply(downlink_ports, "the downlink ports, just below the top")
    .rewrite(2 * o * k_p**L_s / (2 ** (L_s - 1) * (1 + o)), "collect the powers", routine=True)
    .formula(assumptions="identical switches, at least two tiers; all oversubscription is just below the top")
)
two_levels = Example(edge_ports, {k_p: "64", L_s: "2", o: "1"})
three_levels = Example(edge_ports, {k_p: "64", L_s: "3", o: "1"})
step_published = Example(rails_oversubscribed, {**collectives_measured.STEP, o: facts.llama_narrowing}, unit="s")

effective_oversubscription = (
    Derivation.balance(
        g_n * b_p, n_pod * b_p / o, "what the rings of one node send out of the pod takes all that its uplinks carry"
    )
    .solve_for(o, n_pod / g_n, "the rate of a NIC cancels", as_symbol=o_r, routine=True)
    .formula(
        assumptions=(
            "each ring visits all nodes of a pod before it leaves it, and so crosses the edge of the pod once",
            "nothing else uses the uplinks",
        )
    )
)
own_uplinks = Derivation.start(
    p_o,
    exp(loggamma(u_l + 1) - loggamma(u_l - q_f + 1) - q_f * log(u_l)),
    "of all ways to choose an uplink for each flow, those in which each further flow misses the uplinks taken",
    kind="model",
).formula(assumptions="each flow is hashed onto any uplink with the same probability", domain=(q_f <= u_l,))
flows_of_node = Example(own_uplinks, {q_f: "8", u_l: "32"}, digits=3)
llama_felt = Example(effective_oversubscription, {n_pod: facts.llama_pod, g_n: hardware.server_gpus})

# --- sums on a torus -----------------------------------------------------------------------

torus_sum = (
    Derivation.start(
        T_s,
        2 * T_t,
        "reduce-scatter, then all-gather: the array of each chip is as long as the gathered array",
        kind="model",
        routine=True,
    )
    .apply(torus_gather, "an all-gather; a reduce-scatter is one in reverse", routine=True)
    .formula(assumptions="axes are rings, used both ways, and no link is idle")
)
ON_TORUS = {V: collectives_measured.STEP[collectives_measured.n], X: facts.v5p_slice, a: "3", beta_l: "90 GB/s"}
sum_on_torus = Example(torus_sum, ON_TORUS, unit="s")
