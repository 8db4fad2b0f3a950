"""Resilience, exercises to derive, estimate and program, with the formulas that only they ask for."""

from sympy import log, sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.resilience import C, tau, w
from mathcore.teaching import read_open_exercises

eps_c = Variable("eps_c", "", "probability that a copy cannot be read", tex=r"\varepsilon", low="1e-9", high="0.9")
delta_c = Variable(
    "delta_c", "", "accepted probability that no copy can be read", tex=r"\delta", low="1e-30", high="0.9"
)
k_c = Variable("k_c", "", "copies that suffice", tex=r"k_{\mathrm{c}}")
q_n = Variable(
    "q_n", "", "share of preemptions in which the last save finishes", tex=r"q_{\mathrm{n}}", low="0", high="0.99"
)
M_p = Variable(
    "M_p", "s", "mean time between preemptions", tex=r"M_{\mathrm{p}}", display_unit="h", low="1 min", high="1 year"
)
tau_n = Variable("tau_n", "s", "interval with the least waste", tex=r"\tau_{\mathrm{n}}", display_unit="min")

copies = (
    Derivation.balance(eps_c**k_c, delta_c, "all copies fail together with the product of their probabilities")
    .solve_for(k_c, log(delta_c) / log(eps_c), "take logarithms")
    .formula(assumptions="copies fail independently")
)
noticed_waste = Formula(
    w,
    C / tau + (1 - q_n) * tau / (2 * M_p),
    kind="model",
    assumptions="a preemption whose save finishes loses no work; the others lose half an interval",
)
noticed_interval = (
    Derivation.minimise(noticed_waste, over=tau, why="a notice makes long intervals cheaper")
    .slope((1 - q_n) / (2 * M_p) - C / tau**2, "differentiate term by term")
    .root(sqrt(2 * C * M_p / (1 - q_n)), "the positive root", as_symbol=tau_n)
    .curvature(2 * C / tau**3, "positive, a minimum")
    .formula()
)

open_exercises = read_open_exercises(__name__)
