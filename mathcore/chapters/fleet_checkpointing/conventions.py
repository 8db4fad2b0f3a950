"""Checkpoint conventions: five papers on one question, each with its own clock."""

from sympy import Rational, exp, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters.fleet_checkpointing import d, simulation
from mathcore.chapters.young_daly import C, M, R, interval, optimum, tau, tau_Y
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

T = Variable(
    "T", "s", "period: from one checkpoint to the next, write included", display_unit="min", low="2 s", high="30 d"
)
U = Variable(
    "U", "s", "mean time from the end of a restart to the next failure", display_unit="h", low="10 min", high="100 year"
)
w_H = Variable("w_H", "", "wasted share of the wall clock", tex=r"w_{\mathrm{HR}}", display_unit="%")
T_H = Variable("T_H", "s", "period of Hérault and Robert", tex=r"T_{\mathrm{HR}}", display_unit="min")
y = Variable("y", "", "period as a share of the mean time between failures", low="0.001", high="3")
F_2 = Variable("F_2", "", "probability of two failures or more in one period", display_unit="%")
a_S = Variable("a_S", "", "paid time per unit of work", tex=r"a", low="1", high="1000")
tau_S = Variable(
    "tau_S", "s", "work between checkpoints for the best availability", tex=r"\tau_{\mathrm{A}}", display_unit="min"
)
T_S = Variable("T_S", "s", "period for the best availability", tex=r"T_{\mathrm{A}}", display_unit="min")
T_x = Variable("T_x", "s", "exact period", tex=r"T_{\mathrm{exact}}", display_unit="min")
q_x = Variable("q_x", "", "period over the exact one", tex=r"q_{\mathrm{exact}}", low="0.01", high="10")
T_P = Variable("T_P", "s", "Young's interval and the write", tex=r"T_{\mathrm{Y}}", display_unit="min")
omega = Variable(
    "omega", "", "share of the work that a write stops", tex=r"\omega", display_unit="%", low="1 %", high="100 %"
)
w_B = Variable("w_B", "", "wasted share with overlap", tex=r"w_{\mathrm{B}}", display_unit="%")
T_B = Variable("T_B", "s", "period with overlap", tex=r"T_{\mathrm{B}}", display_unit="min")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- Young and the exact model, as periods --------------------------------------------------

young_period = (
    Derivation.start(T_P, tau_Y + C, "the period holds the write too")
    .apply(interval, "Young's rule")
    .formula(
        validity=((C <= M / 18, "the exact period is shorter by 9 % and more"),),
        convention="Young's work, and the write after it",
    )
)
exact_period = (
    Derivation.start(T_x, optimum.lhs + C, "the period holds the write too")
    .apply(optimum, "the exact optimum")
    .formula(convention="the exact work, and the write after it")
)

# --- Hérault and Robert: shares of the wall clock -------------------------------------------

time_up = Formula(
    U, M - d - R, kind="definition", assumptions="between two failures lie detection, restart and the time up"
)
ROOT_SHORT = "the exact period is longer by 10 % and more"
herault_waste = (
    Derivation.start(
        w_H,
        1 - (1 - C / T) * (1 - (d + R + T / 2) / M),
        "a share of each period goes to its write, a share of the clock to failures; what is left of both multiplies",
        kind="model",
    )
    .apply({M: U + d + R}, "between two failures lie detection, restart and the time up", justified_by=time_up)
    .rewrite(
        C / T + (d + R + T / 2) / (U + d + R) - C / T * (d + R + T / 2) / (U + d + R),
        "multiply out: the product of both shares is counted once",
        routine=True,
    )
    .formula(
        assumptions="at most one failure in a period",
        domain=(C < T,),
        validity=((Rational(27, 100) * (U + d + R) >= T, "in 3 % of all periods and more a second failure strikes"),),
        convention="share of the wall clock; period with the write inside; M includes detection and restart",
    )
)
herault_root = (
    Derivation.minimise(herault_waste, over=T, why="the period with the smallest share")
    .slope(1 / (2 * (U + d + R)) - C * U / ((U + d + R) * T**2), "term by term", routine=True)
    .root(sqrt(2 * C * U), "detection and restart are left only in U", as_symbol=T_H)
    .curvature(2 * C * U / ((U + d + R) * T**3), "positive, a minimum", routine=True)
    .formula(validity=((C <= U / 5, ROOT_SHORT),), convention="period, write inside")
)
herault_period = (
    Derivation.start(herault_root)
    .apply(time_up, "in the terms of the paper: M is the time between failures, detection and restart included")
    .formula(
        domain=(d + R < M,),
        validity=(((M - d - R) / 5 >= C, ROOT_SHORT),),
        convention="period, write inside; M includes detection and restart",
    )
)
two_in_one = (
    Derivation.start(F_2, 1 - exp(-y) - y * exp(-y), "neither none nor one, at y failures on average", kind="model")
    .rewrite(1 - (1 + y) * exp(-y), "gather", routine=True)
    .formula(assumptions="failures strike at a constant rate", convention="y is the period over M")
)
overlap_waste = (
    Derivation.start(
        w_B,
        1 - (1 - omega * C / T) * (1 - (d + R + (1 - omega) * C + T / 2) / M),
        "only the share $\\omega$ of a write is lost, but work done during the write is lost with the next failure",
        kind="model",
    )
    .apply(
        {d: M - U - R - (1 - omega) * C}, "U is what detection, restart and redone overlap leave between two failures"
    )
    .rewrite(omega * C / T + (M - U + T / 2) / M - omega * C / T * (M - U + T / 2) / M, "multiply out", routine=True)
    .formula(
        assumptions=("at most one failure in a period", "a write stops the share $\\omega$ of the work"),
        domain=(C < T,),
        validity=((Rational(27, 100) * M >= T, "in 3 % of all periods and more a second failure strikes"),),
        convention="share of the wall clock; M includes detection, restart and the overlap that is done again",
    )
)
overlap_period = (
    Derivation.minimise(overlap_waste, over=T, why="the same question when a write does not stop all work")
    .slope(1 / (2 * M) - omega * C * U / (M * T**2), "as before, with the write cut to what it costs")
    .root(sqrt(2 * omega * C * U), "the only positive root", as_symbol=T_B, routine=True)
    .curvature(2 * omega * C * U / (M * T**3), "positive, a minimum", routine=True)
    .formula(validity=((omega * C <= U / 5, ROOT_SHORT),), convention="period, write inside")
)

# --- Saxena and others: availability --------------------------------------------------------

availability_cost = Formula(
    a_S,
    (tau + C) / tau * (U + R + (tau + C) / 2) / U,
    assumptions="each failure costs half a period and a restart",
    convention="one over availability: a period for each work, and restart and half a period for each time up",
)
availability_work = (
    Derivation.minimise(availability_cost, over=tau, why="the best availability is the smallest of its inverse")
    .slope(1 / (2 * U) - C * (U + R + C / 2) / (U * tau**2), "multiply out and differentiate", routine=True)
    .root(sqrt(2 * C * (U + R) + C**2), "the only positive root", as_symbol=tau_S, routine=True)
    .curvature(2 * C * (U + R + C / 2) / (U * tau**3), "positive, a minimum", routine=True)
    .formula(convention="work between checkpoints")
)
availability_period = (
    Derivation.start(T_S, tau_S + C, "the period holds the write too")
    .apply(availability_work, "the best work")
    .formula(convention="Saxena et al.: period, write inside; U excludes the restart")
)
availability_of_mtbf = (
    Derivation.start(availability_period)
    .apply({U: M - R}, "between two failures lie the restart and the time up: counted so, the restart is gone")
    .formula(convention="period, write inside; M includes the restart")
)

# --- the rules beside the exact period ------------------------------------------------------


def _over_exact(rule):
    """Return the formula of a rule's period over the exact one."""
    return (
        Derivation.start(q_x, rule.lhs / T_x, "how far a rule is off is a ratio", kind="definition")
        .apply(rule, "the rule")
        .apply(exact_period, "the exact period")
        .formula(validity=(), convention="both with the write inside")
    )


young_over_exact = _over_exact(young_period)
herault_over_exact = _over_exact(herault_period)
availability_over_exact = _over_exact(availability_of_mtbf)

# --- worked examples ------------------------------------------------------------------------

DAY = {C: "600 s", R: "600 s", d: "60 s"}
herault_day = Example(herault_period, {**DAY, M: "1 d"}, unit="s", digits=5)
exact_day_period = Example(exact_period, {C: "600 s", M: "1 d"}, unit="s", digits=5)
young_day_period = Example(young_period, {C: "600 s", M: "1 d"}, unit="s", digits=5)
saxena_day = Example(availability_period, {C: "600 s", R: "660 s", U: "85740 s"}, unit="s", digits=5)

# --- simulations ----------------------------------------------------------------------------

sim_two = Simulation(two_in_one, {y: "0.5"}, simulation.two_or_more)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
