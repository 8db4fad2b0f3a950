"""Silent errors: what verification costs, and what it saves."""

from sympy import exp, sqrt

from mathcore import Derivation, Example, Formula, Variable
from mathcore.simulations.twins import Simulation
from mathcore.teaching import Axis, Curve, Exercise, Explorer, Marker, Row, Slider
from mathcore.chapters.checkpoint_levels import P_a
from mathcore.chapters.young_daly import C, M, R, R_bar, restart_time, tau
from mathcore.simulations import fleet_checkpointing as twins

# --- letters --------------------------------------------------------------------------------

V = Variable("V", "s", "time of one verification", shown="s", low="0.1 s", high="1 h")
M_s = Variable(
    "M_s",
    "s",
    "mean time between silent errors",
    tex=r"M_{\mathrm{s}}",
    shown="h",
    low="1 h",
    high="100 year",
)
w_V = Variable("w_V", "", "waste with verified checkpoints", tex=r"w_{\mathrm{V}}", shown="%")
tau_V = Variable(
    "tau_V", "s", "best work between verified checkpoints", tex=r"\tau_{\mathrm{V}}", shown="min"
)
w_V_min = Variable(
    "w_V_min", "", "smallest waste with verified checkpoints", tex=r"w_{\mathrm{V}}^{\min}", shown="%"
)
w_m = Variable("w_m", "", "waste with v verifications for one checkpoint", tex=r"w_{v}", shown="%")
v = Variable("v", "", "verifications for one checkpoint", low="1", high="1000")
q_V = Variable("q_V", "", "the same, half its square at the best work", tex=r"q_{v}")
v_x = Variable("v_x", "", "best verifications for one checkpoint", tex=r"v^{*}")
P_s = Variable(
    "P_s", "", "chance that no silent error strikes", tex=r"p_{\mathrm{s}}", low="0.01", high="0.99"
)
P_c = Variable(
    "P_c", "", "chance that the write is not struck", tex=r"p_{\mathrm{c}}", low="0.01", high="0.99"
)
E_V = Variable(
    "E_V",
    "s",
    "expected time of one verified segment",
    tex=r"E_{\mathrm{V}}",
    shown="min",
    low="1 s",
    high="1 year",
)

# --- errors that make no noise --------------------------------------------------------------

silent_waste = Formula(
    w_V,
    (V + C) / tau + tau / M_s + tau / (2 * M),
    kind="model",
    when=(
        "a verification before each checkpoint finds every silent error",
        "all times small against $M$ and $M_{\\mathrm{s}}$",
        "restarts are free",
    ),
    convention="a silent error costs the whole interval, a loud one half of it",
)
silent_interval = (
    Derivation.minimise(silent_waste, over=tau, why="writes and verifications against both kinds of loss")
    .slope(1 / M_s + 1 / (2 * M) - (V + C) / tau**2, "term by term")
    .root(sqrt((V + C) / (1 / M_s + 1 / (2 * M))), "the only positive root", named=tau_V)
    .curvature(2 * (V + C) / tau**3, "positive, a minimum")
    .formula(when="all times small against $M$ and $M_{\\mathrm{s}}$")
)
silent_least = (
    Derivation.start(w_V_min, silent_waste.rhs, "the waste, to be taken at its best interval")
    .use({tau: silent_interval}, "work for exactly that long")
    .to(2 * sqrt((V + C) * (1 / M_s + 1 / (2 * M))), "two equal terms")
    .formula(when="all times small against $M$ and $M_{\\mathrm{s}}$")
)
many_checks = Formula(
    w_m,
    (v * V + C) / tau + tau * (v + 1) / (2 * v * M_s) + tau / (2 * M),
    kind="model",
    when=(
        "v verifications at equal distance, the last before the checkpoint",
        "all times small against $M$ and $M_{\\mathrm{s}}$",
    ),
    convention="only checkpoints are kept: what a check finds costs the work since the last one",
)
checks_product = (
    Derivation.start(
        q_V,
        (v * V + C) * ((v + 1) / (2 * v * M_s) + 1 / (2 * M)),
        "writes and checks, times losses: at the best interval the waste is twice the root of this",
    )
    .to(
        (v * V + C) * ((1 / M_s + 1 / M) / 2 + 1 / (2 * v * M_s)),
        "what the number of checks can save is the last term alone",
    )
    .formula(when="all times small against $M$ and $M_{\\mathrm{s}}$", kind="definition")
)
best_checks = (
    Derivation.minimise(checks_product, over=v, why="how many checks for one checkpoint?")
    .slope(V * (1 / M_s + 1 / M) / 2 - C / (2 * v**2 * M_s), "multiply out and differentiate")
    .root(sqrt(C / (V * (1 + M_s / M))), "the only positive root", named=v_x)
    .curvature(C / (v**3 * M_s), "positive, a minimum")
    .formula(when="all times small against $M$ and $M_{\\mathrm{s}}$")
)
verified_segment = (
    Derivation.balance(
        E_V,
        M * (1 - P_a)
        + (1 - P_a) * (R_bar + E_V)
        + P_a * (1 - P_s) * (R_bar + E_V)
        + P_a * P_s * (M * (1 - P_c) + (1 - P_c) * (R_bar + E_V)),
        "work and check are struck, or the check finds a silent error, or the write is struck: each time a restart and all again",
        kind="model",
    )
    .solve_for(
        E_V,
        (M * (1 - P_a) + P_a * P_s * M * (1 - P_c) + (1 - P_a * P_s * P_c) * R_bar) / (P_a * P_s * P_c),
        "collect the unknown: it stands beside the chance of an undisturbed segment",
    )
    .use(
        {P_a: exp(-(tau + V) / M), P_s: exp(-tau / M_s), P_c: exp(-C / M), R_bar: restart_time},
        "each chance from its rate; silent errors strike work only",
    )
    .to(
        M * exp(R / M) * (exp((tau + V + C) / M + tau / M_s) - 1) - M * exp(C / M) * (exp(tau / M_s) - 1),
        "gather by chances: Daly's form, with the silent rate in its exponent, less a term that vanishes with that rate",
    )
    .formula(when=("both kinds strike at constant rates", "a verification finds every silent error"))
)

# --- worked examples ------------------------------------------------------------------------

HAND = "by hand"
SILENT = {V: "0.5 min", C: "2 min", M_s: "3000 min", M: "1000 min"}
silent_best = Example(silent_least, SILENT, expect="9.12871 %", source=f"{HAND}: 2·√(2.5/1200)", unit="%")
silent_work = Example(silent_interval, SILENT, expect="54.7723 min", source=f"{HAND}: √3000", unit="min")
silent_exact = Example(
    verified_segment,
    {**SILENT, tau: silent_work, R: "0 s"},
    expect="59.996 min",
    rtol=0.001,
    source="simulation of 10⁶ segments",
    unit="min",
    digits=4,
)
checks = Example(
    best_checks,
    {C: "10 min", V: "10 s", M_s: "500 h", M: "100 h"},
    expect="3.1623",
    source=f"{HAND}: √(60/6)",
)

# --- simulations ----------------------------------------------------------------------------

sim_silent = Simulation(
    verified_segment,
    {V: "1 min", C: "4 min", M_s: "6 h", M: "3 h", R: "5 min", tau: "40 min"},
    twins.verified_segments,
)

# --- exercises ------------------------------------------------------------------------------

ex_silent = Exercise(
    silent_interval,
    {V: "30 s", C: "90 s", M_s: "200 h", M: "50 h"},
    title="Loud and silent errors",
    unit="min",
    variants={V: ("10 s", "60 s"), M_s: ("100 h", "400 h")},
    mistakes={
        "a silent error is found only at the end: the whole interval is lost, not half": sqrt(
            (V + C) / (1 / (2 * M_s) + 1 / (2 * M))
        ),
        "silent errors were left out": sqrt(2 * (V + C) * M),
        "the verification was left out": sqrt(C / (1 / M_s + 1 / (2 * M))),
    },
    expect="89.4427 min",
)

# --- explorer ------------------------------------------------------------------------------

explorer = Explorer(
    title="Work between verified checkpoints",
    sliders=(
        Slider(V, "s", 1, 120, 1, 20, "time of one verification"),
        Slider(C, "s", 1, 300, 1, 60, "time to write a checkpoint"),
        Slider(M_s, "h", 10, 1000, 10, 200, "mean time between silent errors"),
        Slider(M, "h", 1, 100, 1, 10, "mean time between failures"),
        Slider(tau, "min", 5, 240, 5, 60, "work between two checkpoints"),
    ),
    x=Axis(tau, "min", 5, 240, label="work between two checkpoints"),
    y=Axis(w_V, "%", 0, None, label="time lost per useful time"),
    curves=(Curve("verified checkpoints", silent_waste, "total"),),
    markers=(
        Marker("your interval", tau, silent_waste, shape="dot", tone="plain"),
        Marker("optimum", silent_interval, silent_waste, shape="diamond", tone="good", vertical=True),
    ),
    lines=(silent_interval,),
    columns={"your interval": tau, "optimum": silent_interval},
    rows=(Row("waste", silent_waste, "%"),),
    limits="First order: all times are small against both mean times, and restarts are free.",
)
ex_checks = Exercise(
    best_checks,
    {C: "4 min", V: "5 s", M_s: "100 h", M: "50 h"},
    title="How many checks for one checkpoint?",
    variants={C: ("2 min", "8 min"), V: ("3 s", "8 s"), M: ("100 h",)},
    mistakes={
        "loud failures lose half an interval whatever is checked: they belong below": sqrt(C / V),
        "the ratio is the other way round": sqrt(V * (1 + M_s / M) / C),
    },
    expect="4",
)
ex_silent_least = Exercise(
    silent_least,
    {V: "20 s", C: "40 s", M_s: "300 h", M: "60 h"},
    title="The price of certainty",
    unit="%",
    variants={V: ("10 s", "50 s"), M_s: ("150 h", "600 h")},
    mistakes={
        "that is one of two equal terms": sqrt((V + C) * (1 / M_s + 1 / (2 * M))),
        "silent errors were left out": 2 * sqrt((V + C) / (2 * M)),
    },
    expect="2.78887 %",
)
