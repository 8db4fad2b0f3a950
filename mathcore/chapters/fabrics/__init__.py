"""Fabrics: how many hosts a tree of switches carries, and what a sum takes on a torus."""

from mathcore import Derivation, Example, Variable, read_facts
from mathcore.chapters.collectives import T_t, V, X, a, beta_l, torus_gather
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.collectives.measured import narrowed, o

# --- letters -------------------------------------------------------------------------------

k_p = Variable("k_p", "", "ports of a switch", tex=r"k_{\mathrm{p}}", low="4", high="1024", integer=True)
L_s = Variable("L_s", "", "levels of switches", tex=r"L_{\mathrm{s}}", low="2", high="4", integer=True)
d_p = Variable("d_p", "", "ports of a switch that look down", tex=r"d_{\mathrm{p}}", low="1", high="1024")
N_e = Variable("N_e", "", "ports at the edge of the network", tex=r"N_{\mathrm{e}}")
T_s = Variable("T_s", "s", "sum in the torus", tex=r"T_{\mathrm{sum}}", display_unit="ms")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- trees of switches ---------------------------------------------------------------------

looking_down = (
    Derivation.balance(d_p, o * (k_p - d_p), "for each port that looks up, $o$ look down")
    .solve_for(d_p, o * k_p / (1 + o), "collect the ports that look down")
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
    .apply(looking_down, "the ports that look down, just below the top")
    .rewrite(2 * o * k_p**L_s / (2 ** (L_s - 1) * (1 + o)), "collect the powers")
    .formula(assumptions="switches of one kind, two levels or more; all oversubscription is just below the top")
)
two_levels = Example(edge_ports, {k_p: "64", L_s: "2", o: "1"})
three_levels = Example(edge_ports, {k_p: "64", L_s: "3", o: "1"})
step_published = Example(narrowed, {**collectives_measured.STEP, o: facts.llama_narrowing}, unit="s")

# --- sums on a torus -----------------------------------------------------------------------

torus_sum = (
    Derivation.start(
        T_s,
        2 * T_t,
        "scatter the sums, then gather them: what every chip brings is as long as the array that is gathered",
        kind="model",
    )
    .apply(torus_gather, "a gather, and a scatter is one backwards")
    .formula(assumptions="axes are rings, used both ways, and no link rests")
)
ON_TORUS = {V: collectives_measured.STEP[collectives_measured.n], X: facts.v5p_slice, a: "3", beta_l: "90 GB/s"}
sum_on_torus = Example(torus_sum, ON_TORUS, unit="s")
