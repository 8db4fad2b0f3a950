"""Checkpoint intervals, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from sympy import sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.young_daly import C, M, tau, w
from mathcore.teaching import read_open_exercises

V_s = Variable("V_s", "s", "time of a verification of the written checkpoint", display_unit="s", low="1 s", high="1 h")
phi_d = Variable(
    "phi_d", "", "share of failures that are noticed only at the next write", tex=r"\varphi", low="0.01", high="1"
)
tau_v = Variable("tau_v", "s", "interval with the least waste", tex=r"\tau_{\mathrm{v}}", display_unit="min")
M_b = Variable("M_b", "s", "MTBF at which the waste reaches the budget", display_unit="h")
b_w = Variable("b_w", "", "budget of waste", display_unit="%", low="0.1 %", high="50 %")

late_waste = Formula(
    w,
    (C + V_s) / tau + tau / (2 * M) + phi_d * tau / (2 * M),
    kind="model",
    assumptions=(
        "a failure that is noticed late destroys the rest of its interval too, half of it on average",
        "failures strike work only, once at most per interval",
    ),
)
late_interval = (
    Derivation.minimise(late_waste, over=tau, why="writes and verifications fall with tau, lost work rises")
    .slope((1 + phi_d) / (2 * M) - (C + V_s) / tau**2, "differentiate term by term")
    .root(
        sqrt(2 * (C + V_s) * M / (1 + phi_d)),
        "zero where $\\tau^2 (1+\\varphi) = 2 (C+V_s) M$; only the positive root is a time",
        as_symbol=tau_v,
    )
    .curvature(2 * (C + V_s) / tau**3, "positive for every tau: a minimum")
    .formula(convention="work between checkpoints")
)
budget_mtbf = (
    Derivation.balance(b_w, sqrt(2 * C / M_b), "the least waste of first order equals the budget")
    .solve_for(M_b, 2 * C / b_w**2, "square both sides and solve")
    .formula(assumptions="the interval is Young's at every MTBF")
)

open_exercises = read_open_exercises(__name__)
