"""Effective training time: the ratio ETTR, its best interval, and what a target asks for."""

from sympy import sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters.goodput import simulation
from mathcore.chapters.reliability import g as g_n
from mathcore.chapters.reliability import mtbf_of_nodes, node_devices, r, rsc1_rate
from mathcore.chapters.young_daly import C, M, N, R, exact_waste, interval, optimum, tau, w_x
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

e = Variable(
    "e",
    "",
    "effective training time ratio (ETTR)",
    alias="ettr",
    tex=r"\mathrm{ETTR}",
    display_unit="%",
    low="10 %",
    high="99.9 %",
)
e_l = Variable("e_l", "", "one minus the ETTR", tex=r"1-\mathrm{ETTR}", display_unit="%")
e_x = Variable(
    "e_x", "", "exact effective training time ratio", tex=r"\mathrm{ETTR}_{\mathrm{exact}}", display_unit="%"
)
e_m = Variable(
    "e_m",
    "",
    "largest effective training time ratio",
    tex=r"\mathrm{ETTR}_{\max}",
    display_unit="%",
    low="10 %",
    high="99.9 %",
)
e_q = Variable(
    "e_q", "", "effective training time ratio with queues", tex=r"\mathrm{ETTR}_{\mathrm{q}}", display_unit="%"
)
o = Variable(
    "o",
    "s",
    "overhead of a restart, until training runs again",
    alias="restart_time",
    tex=r"u_0",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
V = Variable("V", "s", "time between failures beyond that overhead", display_unit="h", low="1 min", high="100 year")
tau_e = Variable("tau_e", "s", "interval for the best ratio", tex=r"\tau_{e}", display_unit="min")
Y = Variable("Y", "s", "progress between two failures", display_unit="h", low="1 min", high="100 year")
Z = Variable(
    "Z", "s", "time left for writes and lost work between two failures", display_unit="h", low="1 s", high="10 year"
)
q = Variable("q", "s", "wait in the queue after each failure", display_unit="min", low="0 s", high="10 d", zero=True)

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the closed form and its optimum --------------------------------------------------------

RATIO_OFF = "the exact ratio may differ by 10 % and more"
RATIO_HIGH = "the exact ratio is lower by 10 % and more"
INTERVAL_SHORT = "the exact optimum is longer by 10 % and more"
ettr = (
    Derivation.start(
        e,
        (1 - (o + tau / 2) / M) * tau / (tau + C),
        "each failure costs a restart and half an interval of the time between two; of the rest, writes take their share",
        kind="model",
    )
    .rewrite((1 - (o + tau / 2) / M) / (1 + C / tau), "divide by tau", routine=True)
    .formula(
        assumptions="one failure in an interval at most",
        domain=(o + tau / 2 < M,),
        validity=((o + tau + C <= M / 5, RATIO_OFF),),
        convention="Kokolis et al.: tau is work between two checkpoints; without waits in queues",
    )
)
rest = Formula(V, M - o, kind="definition", assumptions="between two failures lie the overhead and the rest")
ettr_loss = (
    Derivation.start(e_l, 1 - e, "what is missing")
    .apply(ettr, "the ratio")
    .apply({M: V + o}, "between two failures lie the overhead and the rest", justified_by=rest)
    .rewrite(1 - (V - tau / 2) / ((V + o) * (1 + C / tau)), "one fraction")
    .formula(validity=((tau + C <= V / 5, RATIO_OFF),))
)
ettr_root = (
    Derivation.minimise(ettr_loss, over=tau, why="the largest ratio is the smallest loss")
    .slope((tau**2 + 2 * C * tau - 2 * C * V) / (2 * (V + o) * (tau + C) ** 2), "quotient rule")
    .root(
        sqrt(C**2 + 2 * C * V) - C,
        "the numerator is a quadratic equation with one positive root",
        as_symbol=tau_e,
        routine=True,
    )
    .curvature(C * (2 * V + C) / ((V + o) * (tau + C) ** 3), "positive, a minimum", routine=True)
    .formula(validity=((C <= V / 3, INTERVAL_SHORT),))
)
ettr_interval = (
    Derivation.start(ettr_root)
    .apply(rest, "in the terms of the ratio")
    .formula(domain=(o < M,), validity=(((M - o) / 3 >= C, INTERVAL_SHORT),), convention="work between two checkpoints")
)
ettr_best_root = (
    Derivation.start(e_m, (V - tau / 2) / ((V + o) * (1 + C / tau)), "the ratio, to be taken at its optimum")
    .apply({tau: ettr_root}, "at the best interval")
    .rewrite((V + C - sqrt(C**2 + 2 * C * V)) / (V + o), "multiply numerator and denominator by the root")
    .formula(validity=((C <= V / 4, RATIO_HIGH),))
)
ettr_best = (
    Derivation.start(ettr_best_root)
    .apply(rest, "in the terms of the ratio")
    .formula(domain=(o < M,), validity=(((M - o) / 4 >= C, RATIO_HIGH),), convention="without waits in queues")
)
ettr_at_young = (
    Derivation.start(e, ettr, "the ratio, at the interval the paper uses")
    .apply({tau: interval}, "Young's interval")
    .rewrite((1 - o / M - sqrt(C / (2 * M))) / (1 + sqrt(C / (2 * M))), "the two roots are one")
    .formula(
        validity=((C <= M / 3, RATIO_HIGH),), drops_assumptions="restarts are free", convention="at Young's interval"
    )
)

# --- turned round ---------------------------------------------------------------------------

progress = Formula(Y, e_m * M, kind="definition")
remainder = Formula(Z, M * (1 - e_m) - o, kind="definition")
write_for_ratio = (
    Derivation.balance(
        (Z + C) ** 2,
        C**2 + 2 * C * (Y + Z),
        "the best ratio times M is progress Y between two failures and leaves Z: root to one side, and square",
    )
    .solve_for(C, Z**2 / (2 * Y), "$C^2$ and $2CZ$ stand on both sides")
    .apply({Y: progress, Z: remainder}, "progress is the ratio's share; the rest, less the restart, is left")
    .formula(
        assumptions="one failure in an interval at most", domain=(o < M * (1 - e_m),), convention="at the best interval"
    )
)
mtbf_for_ratio = (
    Derivation.balance(C, write_for_ratio.rhs, "the write time is given, the cluster is not")
    .solve_for(
        M,
        ((1 - e_m) * o + e_m * C + sqrt(e_m * C * (e_m * C + 2 * (1 - e_m) * o))) / (1 - e_m) ** 2,
        "a quadratic equation; its smaller root leaves no time beyond the restarts",
    )
    .formula(assumptions="one failure in an interval at most", convention="at the best interval")
)

# --- from node rates, with queues, without approximation ------------------------------------

ettr_of_nodes = (
    Derivation.start(ettr)
    .apply(mtbf_of_nodes, "the mean time between failures, from the node rate")
    .formula(
        domain=((o + tau / 2) * N * r / g_n < 1,),
        validity=((o + tau + C <= g_n / (5 * N * r), RATIO_OFF),),
        convention="Kokolis et al.",
    )
)
ettr_of_nodes_best = (
    Derivation.start(ettr_best)
    .apply(mtbf_of_nodes, "the mean time between failures, from the node rate")
    .formula(domain=(o * N * r / g_n < 1,), validity=(((g_n / (N * r) - o) / 4 >= C, RATIO_HIGH),))
)
ettr_queued = (
    Derivation.start(
        e_q,
        e * M / (M + q),
        "each stretch between two failures is followed by a wait that makes no progress",
        kind="model",
    )
    .rewrite(e / (1 + q / M), "divide by M", routine=True)
    .formula(assumptions="the job waits for devices after each failure", convention="M does not hold the wait")
)
ettr_exact = (
    Derivation.start(e_x, 1 / (1 + w_x), "one unit of work over the time it takes")
    .apply(exact_waste, "Daly's exact model; its minus one cancels", routine=True)
    .formula()
)
ettr_exact_best = (
    Derivation.start(ettr_exact).apply({tau: optimum}, "at the interval that is best in that model").formula()
)

# --- worked examples ------------------------------------------------------------------------

TWELVE = {g_n: node_devices, N: facts.ettr_devices, o: facts.ettr_usual}
kokolis_rate = Example(
    ettr_of_nodes,
    {**TWELVE, r: facts.ettr_rate, C: facts.ettr_usual, tau: "97.97959 min"},
    expect=facts.ettr_target,
    rtol=0.005,
    source="the paper's statement",
)
# "about 10 s" is enough: the ratio is passed
kokolis_write = Example(ettr_of_nodes, {**TWELVE, r: rsc1_rate, C: facts.ettr_write, tau: "7.01646 min"})
kokolis_usual = Example(ettr_of_nodes_best, {**TWELVE, r: rsc1_rate, C: facts.ettr_usual})
llama_write = Example(write_for_ratio, {M: "3.0931 h", e_m: facts.llama_effective, o: "5 min"}, unit="s")
with_queue = Example(ettr_queued, {e: "90 %", M: "3 h", q: "20 min"})

# --- simulations ----------------------------------------------------------------------------

ROUGH = {M: "3 h", C: "2 min", R: "6 min", tau: "25 min"}
sim_exact = Simulation(ettr_exact, ROUGH, simulation.effective_ratios, runs=400)
sim_queue = Simulation(ettr_queued, {e: "80 %", M: "2 h", q: "30 min"}, simulation.queued_ratios, runs=400)

# --- explorer -------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
