"""Silent data corruption: what verification costs, and what it saves."""

from sympy import Rational, ceiling, sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.fleet_checkpointing import h
from mathcore.chapters.young_daly import C, M, tau
from mathcore.teaching import read_exercises

# --- symbols --------------------------------------------------------------------------------

V = Variable("V", "s", "time of one verification", low="0.1 s", high="1 h")
M_s = Variable(
    "M_s",
    "s",
    "mean time between silent data corruptions",
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
v = Variable("v", "", "verifications for one checkpoint", low="1", high="1000", count=True)
q_V = Variable("q_V", "", "the same, half its square at the best work", tex=r"q_{v}")
v_x = Variable("v_x", "", "best verifications for one checkpoint", tex=r"v^{*}")
p = Variable("p", "", "checkpoints for one verification", low="1", high="1000", count=True)
p_x = Variable("p_x", "", "best number of checkpoints for one verification", tex=r"p^{*}")
p_n = Variable("p_n", "", "best whole number of checkpoints for one verification", tex=r"p_{\mathrm{best}}")
w_p = Variable("w_p", "", "waste with a verification every p checkpoints", tex=r"w_{p}", display_unit="%")
q_p = Variable("q_p", "", "the same, a quarter of its square at the best work", tex=r"q_{p}")
x_V = Variable(
    "x_V", "s", "work between two verifications", tex=r"x_{\mathrm{V}}", display_unit="h", low="1 s", high="1 year"
)
x_Vx = Variable("x_Vx", "s", "best work between two verifications", tex=r"x_{\mathrm{V}}^{*}", display_unit="h")
w_Vx = Variable("w_Vx", "", "waste by verifications and corruption", tex=r"w_{x}", display_unit="%")
j_V = Variable("j_V", "", "steps between two verifications", tex=r"j_{\mathrm{V}}")

# --- silent data corruption --------------------------------------------------------------

LOSSES = 2 / M_s + 1 / M  # half an interval each: a silent data corruption costs a whole one
SECOND_ORDER = "what first order leaves out is 2 % of it and more"
silent_waste = Formula(
    w_V,
    (V + C) / tau + tau / M_s + tau / (2 * M),
    assumptions=("a verification before each checkpoint finds every silent data corruption", "restarts are free"),
    validity=((V + C + tau <= 1 / (6 * LOSSES), SECOND_ORDER),),
    convention="a silent data corruption costs the whole interval, a failure half of it",
)
silent_interval = (
    Derivation.minimise(silent_waste, over=tau, why="writes and verifications against both kinds of loss")
    .slope(1 / M_s + 1 / (2 * M) - (V + C) / tau**2, "term by term", routine=True)
    .root(sqrt((V + C) / (1 / M_s + 1 / (2 * M))), "the only positive root", as_symbol=tau_V, routine=True)
    .curvature(2 * (V + C) / tau**3, "positive, a minimum", routine=True)
    .formula(validity=((V + C <= 1 / (25 * LOSSES), SECOND_ORDER),))
)
silent_least = (
    Derivation.start(w_V_min, silent_waste, "the waste, to be taken at its best interval")
    .apply({tau: silent_interval}, "work for exactly that long")
    .rewrite(2 * sqrt((V + C) * (1 / M_s + 1 / (2 * M))), "two equal terms", routine=True)
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
    .slope(V * (1 / M_s + 1 / M) / 2 - C / (2 * v**2 * M_s), "multiply out and differentiate", routine=True)
    .root(sqrt(C / (V * (1 + M_s / M))), "the only positive root", as_symbol=v_x, routine=True)
    .curvature(C / (v**3 * M_s), "positive, a minimum", routine=True)
    .formula(validity=((V + C <= 1 / (25 * LOSSES), SECOND_ORDER),))
)

# --- a verification every few checkpoints ---------------------------------------------------

spaced_waste = Formula(
    w_p,
    (C + V / p) / tau + tau / (2 * M) + p * tau / M_s,
    assumptions=("a verification finds every silent data corruption since the last one", "restarts are free"),
    validity=((V + C + p * tau <= M / 6, SECOND_ORDER),),
    convention="a silent data corruption costs all work since the last verification",
)
spaced_product = Formula(
    q_p,
    (C + V / p) * (1 / (2 * M) + p / M_s),
    kind="definition",
    convention="at the best interval the waste is twice the root of this",
)
spaced_checks = (
    Derivation.minimise(spaced_product, over=p, why="how many checkpoints for one verification?")
    .slope(C / M_s - V / (2 * M * p**2), "multiply out and differentiate", routine=True)
    .root(sqrt(V * M_s / (2 * M * C)), "the only positive root", as_symbol=p_x, routine=True)
    .curvature(V / (M * p**3), "positive, a minimum", routine=True)
    .formula(convention="below one, several verifications for one checkpoint are better")
)
whole_spacing = (
    Derivation.start(
        p_n,
        ceiling(sqrt(Rational(1, 4) + p_x**2) - Rational(1, 2)),
        "one checkpoint more pays until $p(p+1)$ reaches the square of the best number",
        kind="model",
    )
    .apply({p_x: spaced_checks}, "the best number")
    .formula()
)
spaced_least = (
    Derivation.start(w_p, 2 * sqrt(q_p), "twice the root, at the best interval", kind="model")
    .apply(spaced_product, "what the root is of")
    .formula(validity=((V + C <= M / 80, SECOND_ORDER),))
)

# --- verifications apart from the checkpoints ------------------------------------------------

separate_waste = Formula(
    w_Vx,
    V / x_V + x_V / M_s,
    kind="model",
    assumptions="a verification finds every silent data corruption since the last one, and the checkpoint before is kept",
    validity=((V + x_V <= M_s / 12, SECOND_ORDER),),
    convention="a silent data corruption costs all work since the last verification",
)
separate_interval = (
    Derivation.minimise(separate_waste, over=x_V, why="how much work between two verifications?")
    .slope(1 / M_s - V / x_V**2, "term by term", routine=True)
    .root(sqrt(V * M_s), "the only positive root", as_symbol=x_Vx, routine=True)
    .curvature(2 * V / x_V**3, "positive, a minimum", routine=True)
    .formula(validity=((M_s / 160 >= V, SECOND_ORDER),))
)
separate_steps = (
    Derivation.start(j_V, x_Vx / h, "as many steps as fit", kind="model")
    .apply({x_Vx: separate_interval}, "the best work between two verifications")
    .formula()
)

# --- explorer ------------------------------------------------------------------------------

exercises = read_exercises(__name__)
