"""Silent errors: what verification costs, and what it saves."""

from sympy import sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.young_daly import C, M, tau
from mathcore.teaching import read_exercises

# --- letters --------------------------------------------------------------------------------

V = Variable("V", "s", "time of one verification", low="0.1 s", high="1 h")
M_s = Variable(
    "M_s",
    "s",
    "mean time between silent errors",
    alias="silent_mtbf",
    tex=r"M_{\mathrm{s}}",
    display_unit="h",
    low="1 h",
    high="100 year",
)
w_V = Variable("w_V", "", "waste with verified checkpoints", tex=r"w_{\mathrm{V}}", display_unit="%")
tau_V = Variable("tau_V", "s", "best work between verified checkpoints", tex=r"\tau_{\mathrm{V}}", display_unit="min")
w_V_min = Variable(
    "w_V_min", "", "smallest waste with verified checkpoints", tex=r"w_{\mathrm{V}}^{\min}", display_unit="%"
)
v = Variable("v", "", "verifications for one checkpoint", low="1", high="1000")
q_V = Variable("q_V", "", "the same, half its square at the best work", tex=r"q_{v}")
v_x = Variable("v_x", "", "best verifications for one checkpoint", tex=r"v^{*}")

# --- errors that make no noise --------------------------------------------------------------

LOSSES = 2 / M_s + 1 / M  # half an interval each: a silent error costs a whole one
SECOND_ORDER = "what first order leaves out is 2 % of it and more"
silent_waste = Formula(
    w_V,
    (V + C) / tau + tau / M_s + tau / (2 * M),
    assumptions=("a verification before each checkpoint finds every silent error", "restarts are free"),
    validity=((V + C + tau <= 1 / (6 * LOSSES), SECOND_ORDER),),
    convention="a silent error costs the whole interval, a loud one half of it",
)
silent_interval = (
    Derivation.minimise(silent_waste, over=tau, why="writes and verifications against both kinds of loss")
    .slope(1 / M_s + 1 / (2 * M) - (V + C) / tau**2, "term by term")
    .root(sqrt((V + C) / (1 / M_s + 1 / (2 * M))), "the only positive root", as_symbol=tau_V)
    .curvature(2 * (V + C) / tau**3, "positive, a minimum")
    .formula(validity=((V + C <= 1 / (25 * LOSSES), SECOND_ORDER),))
)
silent_least = (
    Derivation.start(w_V_min, silent_waste, "the waste, to be taken at its best interval")
    .apply({tau: silent_interval}, "work for exactly that long")
    .rewrite(2 * sqrt((V + C) * (1 / M_s + 1 / (2 * M))), "two equal terms")
    .formula(validity=((V + C <= 1 / (80 * LOSSES), SECOND_ORDER),))
)
checks_product = (
    Derivation.start(
        q_V,
        (v * V + C) * ((v + 1) / (2 * v * M_s) + 1 / (2 * M)),
        "writes and checks, times losses: at the best interval the waste is twice the root of this",
    )
    .rewrite(
        (v * V + C) * ((1 / M_s + 1 / M) / 2 + 1 / (2 * v * M_s)),
        "what the number of checks can save is the last term alone",
    )
    .formula(kind="definition", validity=((v * V + C <= 1 / (80 * LOSSES), SECOND_ORDER),))
)
best_checks = (
    Derivation.minimise(checks_product, over=v, why="how many checks for one checkpoint?")
    .slope(V * (1 / M_s + 1 / M) / 2 - C / (2 * v**2 * M_s), "multiply out and differentiate")
    .root(sqrt(C / (V * (1 + M_s / M))), "the only positive root", as_symbol=v_x)
    .curvature(C / (v**3 * M_s), "positive, a minimum")
    .formula(validity=((V + C <= 1 / (25 * LOSSES), SECOND_ORDER),))
)

# --- explorer ------------------------------------------------------------------------------

exercises = read_exercises(__name__)
