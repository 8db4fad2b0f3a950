"""Checkpoint levels: fast ones for the many small failures, slow ones for the few large."""

from sympy import Rational, ceiling, exp, sqrt

from mathcore import Derivation, Example, Formula, Variable
from mathcore.simulations.twins import Simulation
from mathcore.teaching import Axis, Curve, Exercise, Explorer, Marker, Row, Slider
from mathcore.chapters.young_daly import (
    C,
    M,
    R,
    R_bar,
    restart_time,
    segment_time,
    tau,
    waste,
    waste_at_optimum,
)
from mathcore.simulations import fleet_checkpointing as twins

# --- letters --------------------------------------------------------------------------------

WRITE = {"shown": "min", "low": "0.1 s", "high": "1 d"}
C_1 = Variable("C_1", "s", "time to write a fast checkpoint", **WRITE)
C_2 = Variable("C_2", "s", "time to write a slow checkpoint", **WRITE)
C_3 = Variable("C_3", "s", "time to write a checkpoint of the third level", **WRITE)
MTBF = {"shown": "h", "low": "10 min", "high": "100 year"}
M_1 = Variable("M_1", "s", "mean time between failures that a fast checkpoint repairs", **MTBF)
M_2 = Variable("M_2", "s", "mean time between failures that only a slow one repairs", **MTBF)
M_3 = Variable("M_3", "s", "mean time between failures that only the third level repairs", **MTBF)
R_1 = Variable("R_1", "s", "restart from a fast checkpoint", shown="min", low="0 s", high="1 h", zero=True)
W = Variable("W", "s", "work between two slow checkpoints", shown="h", low="10 s", high="30 d")
W_x = Variable("W_x", "s", "best work between two slow checkpoints", tex=r"W^{*}", shown="h")
k = Variable("k", "", "fast checkpoints for one slow one", low="1", high="10000")
k_x = Variable("k_x", "", "best ratio of fast to slow checkpoints", tex=r"k^{*}", low="0.001", high="10000")
k_n = Variable("k_n", "", "best whole ratio", tex=r"k_{\mathrm{best}}")
w_T = Variable("w_T", "", "waste with two levels", tex=r"w_{\mathrm{2}}", shown="%")
q_T = Variable("q_T", "", "half the square of the waste at the best work", tex=r"q_{\mathrm{2}}")
w_L = Variable("w_L", "", "smallest waste with three levels", tex=r"w_{\mathrm{3}}", shown="%")
w_1 = Variable("w_1", "", "waste of the first level", tex=r"w^{(1)}", shown="%")
w_2 = Variable("w_2", "", "waste of the second level", tex=r"w^{(2)}", shown="%")
w_3 = Variable("w_3", "", "waste of the third level", tex=r"w^{(3)}", shown="%")
q = Variable(
    "q",
    "",
    "share of failures that a fast checkpoint repairs",
    shown="%",
    low="0 %",
    high="99.9 %",
    zero=True,
)
x = Variable("x", "s", "length of a segment, write included", shown="min", low="1 s", high="10 d")
P_a = Variable("P_a", "", "chance that an attempt is not struck", tex=r"p", low="0.01", high="0.99")
P_b = Variable(
    "P_b", "", "chance that restart and attempt are not struck", tex=r"p'", low="0.01", high="0.99"
)
S_a = Variable(
    "S_a", "", "chance to end a segment before a slow failure", tex=r"\sigma", low="0.01", high="0.99"
)
S_b = Variable("S_b", "", "the same after a fast restart", tex=r"\sigma'", low="0.01", high="0.99")
A_a = Variable(
    "A_a",
    "s",
    "expected time in a segment until it ends or a slow failure comes",
    tex="A",
    low="1 s",
    high="10 d",
)
A_b = Variable("A_b", "s", "the same after a fast restart", tex="A'", low="1 s", high="10 d")
E = Variable(
    "E",
    "s",
    "expected time from one slow checkpoint to the next",
    tex=r"E",
    shown="h",
    low="1 s",
    high="10 year",
)

# --- two levels, to first order -------------------------------------------------------------

two_level_waste = (
    Derivation.start(
        w_T,
        waste.rhs.subs({C: C_1, tau: W / k, M: M_1}, simultaneous=True)
        + waste.rhs.subs({C: C_2, tau: W, M: M_2}, simultaneous=True),
        "each level pays its own writes and loses half its own interval to its own failures",
        kind="model",
    )
    .to(
        (k * C_1 + C_2) / W + W * (1 / (k * M_1) + 1 / M_2) / 2,
        "sort by the work W: Young's form, with the writes of a whole pattern",
    )
    .formula(when=("all times small against $M_1$ and $M_2$", "restarts are free"))
)
two_level_work = (
    Derivation.minimise(two_level_waste, over=W, why="for k fast checkpoints: how much work in a pattern?")
    .slope((1 / (k * M_1) + 1 / M_2) / 2 - (k * C_1 + C_2) / W**2, "term by term")
    .root(sqrt(2 / (1 / (k * M_1) + 1 / M_2) * (k * C_1 + C_2)), "the only positive root", named=W_x)
    .curvature(2 * (k * C_1 + C_2) / W**3, "positive, a minimum")
    .formula(when="all times small against $M_1$ and $M_2$")
)
two_level_product = Formula(
    q_T,
    (k * C_1 + C_2) * (1 / (k * M_1) + 1 / M_2),
    kind="definition",
    convention="the smallest waste at k is the root of twice this",
)
two_level_at_best_work = (
    Derivation.start(w_T, two_level_waste.rhs, "the waste, to be taken at the best work")
    .use({W: two_level_work}, "work for exactly that long: two equal terms, as in Young's rule")
    .formula(when="all times small against $M_1$ and $M_2$")
)
two_level_ratio = (
    Derivation.minimise(two_level_product, over=k, why="a root is smallest where its square is")
    .slope(C_1 / M_2 - C_2 / (k**2 * M_1), "multiply out and differentiate")
    .root(sqrt(C_2 * M_2 / (C_1 * M_1)), "the only positive root", named=k_x)
    .curvature(2 * C_2 / (k**3 * M_1), "positive, a minimum")
    .formula(when="all times small against $M_1$ and $M_2$")
)
two_level_square = (
    Derivation.start(two_level_product)
    .use({k: two_level_ratio}, "at the best ratio")
    .to(
        (sqrt(C_1 / M_1) + sqrt(C_2 / M_2)) ** 2,
        "multiply out: the mixed terms are twice the root of the others",
    )
    .formula(when=("all times small against $M_1$ and $M_2$", "$k$ need not be whole"))
)
two_level_least = (
    Derivation.start(w_T, sqrt(2 * q_T), "what the square was taken of")
    .use(two_level_square, "its smallest value")
    .to(
        sqrt(2 * C_1 / M_1) + sqrt(2 * C_2 / M_2),
        "root and square cancel: the waste is that of two jobs, each with one level of its own",
    )
    .formula(when=("all times small against $M_1$ and $M_2$", "$k$ need not be whole"))
)
whole_ratio = (
    Derivation.start(
        k_n,
        ceiling(sqrt(Rational(1, 4) + k_x**2) - Rational(1, 2)),
        "as with steps: go on until $k(k+1)$ reaches the square of the best ratio",
        kind="model",
    )
    .use({k_x: two_level_ratio}, "the best ratio")
    .formula(when="all times small against $M_1$ and $M_2$")
)
three_levels = (
    Derivation.start(
        w_L,
        w_1 + w_2 + w_3,
        "levels pay separately, so each can have its own best interval",
        kind="model",
    )
    .use(
        {
            w_1: waste_at_optimum.rhs.subs({C: C_1, M: M_1}, simultaneous=True),
            w_2: waste_at_optimum.rhs.subs({C: C_2, M: M_2}, simultaneous=True),
            w_3: waste_at_optimum.rhs.subs({C: C_3, M: M_3}, simultaneous=True),
        },
        "Young's smallest waste for each: wastes add by level, however many there are",
    )
    .formula(when=("all times small against all M", "intervals of one level fit into those of the next"))
)
fast_failures = Formula(
    M_1, M / q, kind="definition", valid=(q > 0,), when="a share q of all failures is repaired fast"
)
slow_failures = Formula(
    M_2, M / (1 - q), kind="definition", when="a share q of all failures is repaired fast"
)

# --- two levels, without approximation ------------------------------------------------------

segment_after_restart = (
    Derivation.balance(
        S_b,
        P_b + (1 - P_b) * q * S_b,
        "restart and segment survive, or a failure comes; a fast one, of which there is a share q, begins both anew",
        kind="model",
    )
    .solve_for(S_b, P_b / (1 - q * (1 - P_b)), "collect the unknown")
    .formula(when="failures strike at a constant rate")
)
segment_ends = (
    Derivation.start(
        S_a, P_a + (1 - P_a) * q * S_b, "the first attempt has no restart before it", kind="model"
    )
    .use(segment_after_restart, "the later ones have")
    .use(
        {P_a: exp(-x / M), P_b: exp(-x / M) * exp(-R_1 / M)},
        "chances to be spared for x, and for $R_1$ and x",
    )
    .to(
        (1 - q + q * exp(-R_1 / M)) / ((1 - q) * exp(x / M) + q * exp(-R_1 / M)),
        "one fraction, times $e^{x/M}$ above and below",
    )
    .formula(when=("failures strike at a constant rate $1/M$", "restarts are struck too"))
)
segment_cost = (
    Derivation.start(
        A_a, (1 - P_a) * (M + q * A_b), "an attempt lasts until it ends or is struck", kind="model"
    )
    .use({A_b: (1 - P_b) * M / (1 - q * (1 - P_b))}, "the same sum for attempts that begin with a restart")
    .to(
        M / (1 - q) * (1 - (P_a + (1 - P_a) * q * P_b / (1 - q * (1 - P_b)))),
        "mean time between slow failures, times the chance that one comes",
    )
    .formula(when="failures strike at a constant rate $1/M$")
)
pattern_time = (
    Derivation.balance(
        E,
        A_a * (1 - S_a**k) / (1 - S_a) + (1 - S_a**k) * (R_bar + E),
        "segments one after the other as long as no slow failure comes; if one comes, a restart and the whole pattern again",
        kind="model",
    )
    .use({A_a: M / (1 - q) * (1 - S_a)}, "what a segment costs")
    .to((1 - S_a**k) * (M / (1 - q) + R_bar + E), "the segments' chances cancel")
    .solve_for(E, (S_a ** (-k) - 1) * (M / (1 - q) + R_bar), "collect the unknown")
    .formula(when=("failures strike at a constant rate $1/M$", "segments of one length"))
)
two_level_time = (
    Derivation.start(
        E,
        (S_a ** (-k) / S_b - 1) * (M / (1 - q) + R_bar),
        "k segments of work and fast write, then one that is the slow write alone",
        kind="model",
    )
    .use(
        {
            S_a: segment_ends.rhs.subs(x, W / k + C_1),
            S_b: segment_ends.rhs.subs(x, C_2),
            R_bar: restart_time,
        },
        "the chance of each to end in time",
    )
    .formula(
        when=("failures strike at a constant rate $1/M$", "restarts are struck too"),
        convention="after Moody et al.: a failure is fast or slow, q and 1 − q",
    )
)
one_level_again = (
    Derivation.start(
        E,
        (1 / S_a - 1) * (M / (1 - q) + R_bar),
        "one segment alone, ended by the one checkpoint there is",
        kind="model",
    )
    .use({S_a: segment_ends.rhs.subs(x, tau + C), R_bar: restart_time}, "its chance and its restart")
    .use({q: 0}, "no failure is repaired fast")
    .to(segment_time.rhs, "what is left is Daly's exact model")
    .formula(when="failures strike at a constant rate $1/M$")
)

# --- worked examples ------------------------------------------------------------------------

HAND = "by hand"
TWO = {C_1: "0.1 min", C_2: "2 min", M_1: "200 min", M_2: "2000 min"}
levels_least = Example(two_level_least, TWO, expect="7.6344 %", source=f"{HAND}: √0.001 + √0.002", unit="%")
levels_ratio = Example(two_level_ratio, TWO, expect="14.142", source=f"{HAND}: √200")
levels_whole = Example(whole_ratio, TWO, expect="14", source=f"{HAND}: 13·14 = 182, 14·15 = 210")
levels_single = Example(
    waste_at_optimum,
    {C: "2 min", M: "181.818 min"},
    expect="14.832 %",
    source=f"{HAND}: √(4·0.0055)",
    unit="%",
)
EXACT_TWO = {C_1: "0.1 min", C_2: "2 min", R_1: "0 s", R: "0 s", M: "181.81818 min", q: "0.90909091"}
levels_exact = Example(
    two_level_time,
    {**EXACT_TWO, W: "89.07 min", k: "14"},
    expect="96.2 min",
    rtol=0.002,
    source="simulation of 10⁶ patterns",
    unit="min",
)
three = Example(
    three_levels,
    {C_1: "1 s", C_2: "20 s", C_3: "5 min", M_1: "4 h", M_2: "2 d", M_3: "30 d"},
    expect="4.22141 %",
    source=f"{HAND}: √(2/14400) + √(40/172800) + √(600/2592000)",
    unit="%",
)

# --- simulations ----------------------------------------------------------------------------

STORM = {C_1: "10 s", C_2: "4 min", M: "2 h", R: "6 min", R_1: "1 min", W: "1 h", k: "4", q: "80 %"}
sim_levels = Simulation(two_level_time, STORM, twins.two_level_times)
sim_mild = Simulation(two_level_time, {**STORM, M: "10 h", k: "6"}, twins.two_level_times)

# --- exercises ------------------------------------------------------------------------------

ex_levels = Exercise(
    two_level_least,
    {C_1: "5 s", C_2: "5 min", M_1: "5 h", M_2: "60 h"},
    title="Two levels",
    unit="%",
    variants={C_1: ("2 s", "10 s"), C_2: ("3 min", "8 min"), M_2: ("40 h", "100 h")},
    mistakes={
        "the roots add, not what stands under them": sqrt(2 * C_1 / M_1 + 2 * C_2 / M_2),
        "that is the slow level alone: fast checkpoints cost something too": sqrt(2 * C_2 / M_2),
        "a 2 under the roots was dropped": sqrt(C_1 / M_1) + sqrt(C_2 / M_2),
    },
    expect="7.62749 %",
)
ex_ratio = Exercise(
    two_level_ratio,
    {C_1: "10 s", C_2: "4 min", M_1: "6 h", M_2: "54 h"},
    title="How many fast ones for a slow one?",
    variants={C_1: ("5 s", "20 s"), M_1: ("3 h", "9 h")},
    mistakes={
        "that is the ratio of Young's intervals turned round": sqrt(C_1 * M_1 / (C_2 * M_2)),
        "the mean times belong in it too": sqrt(C_2 / C_1),
    },
    expect="14.6969",
)

# --- explorer ------------------------------------------------------------------------------

explorer = Explorer(
    title="How many fast checkpoints for one slow one?",
    sliders=(
        Slider(C_1, "s", 1, 120, 1, 10, "fast write"),
        Slider(C_2, "min", 1, 30, 1, 5, "slow write"),
        Slider(M_1, "h", 1, 48, 1, 4, "mean time between failures that the fast one repairs"),
        Slider(M_2, "h", 10, 1000, 10, 60, "mean time between those it does not"),
        Slider(k, "", 1, 60, 1, 10, "fast checkpoints for one slow one"),
    ),
    x=Axis(k, "", 1, 60, label="fast checkpoints for one slow one"),
    y=Axis(w_T, "%", 0, None, label="time lost per useful time"),
    curves=(Curve("two levels, at the best work", two_level_at_best_work, "total"),),
    markers=(
        Marker("your ratio", k, two_level_at_best_work, shape="dot", tone="plain"),
        Marker(
            "optimum", two_level_ratio, two_level_at_best_work, shape="diamond", tone="good", vertical=True
        ),
    ),
    lines=(two_level_ratio, two_level_least),
    columns={"your ratio": k, "optimum": two_level_ratio},
    rows=(
        Row("waste", two_level_at_best_work, "%"),
        Row("work between two slow checkpoints", two_level_work, "min"),
    ),
    limits="First order: all times are small against both mean times, and restarts are free.",
)
ex_slow = Exercise(
    slow_failures,
    {M: "3 h", q: "90 %"},
    title="What is left for the slow level",
    unit="h",
    variants={M: ("2 h", "6 h"), q: ("80 %", "95 %")},
    mistakes={
        "that is the mean time between the failures that are repaired fast": M / q,
        "a rarer failure has a longer mean time, not a shorter one": M * (1 - q),
    },
    expect="30 h",
)
