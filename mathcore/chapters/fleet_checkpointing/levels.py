"""Checkpoint levels: fast ones for the many small failures, slow ones for the few large."""

from sympy import Rational, ceiling, sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.fleet_checkpointing import R, async_waste, d, g, s, simulation, u
from mathcore.chapters.young_daly import C, M, least_trusted, root_trusted, sum_trusted, tau, waste
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

WRITE = {"display_unit": "min", "low": "0.1 s", "high": "1 d"}
C_1 = Variable("C_1", "s", "time to write a fast checkpoint", alias="fast_write_time", low="0.1 s", high="1 d")
C_2 = Variable("C_2", "s", "time to write a slow checkpoint", alias="slow_write_time", **WRITE)
MTBF = {"display_unit": "h", "low": "10 min", "high": "100 year"}
M_1 = Variable("M_1", "s", "mean time between failures that a fast checkpoint repairs", **MTBF)
M_2 = Variable("M_2", "s", "mean time between failures that only a slow one repairs", **MTBF)
W = Variable("W", "s", "work between two slow checkpoints", display_unit="h", low="10 s", high="30 d")
W_x = Variable("W_x", "s", "best work between two slow checkpoints", tex=r"W^{*}", display_unit="h")
k = Variable("k", "", "fast checkpoints for one slow one", low="1", high="10000", count=True)
k_x = Variable("k_x", "", "best ratio of fast to slow checkpoints", tex=r"k^{*}", low="0.001", high="10000")
k_n = Variable("k_n", "", "best whole ratio", tex=r"k_{\mathrm{best}}")
R_1 = Variable(
    "R_1", "s", "time to restart from a fast checkpoint", display_unit="min", low="0 s", high="1 d", zero=True
)
w_T = Variable("w_T", "", "waste of two-level checkpointing", tex=r"w_{\mathrm{2}}", display_unit="%")
q_T = Variable("q_T", "", "half the square of the waste at the best work", tex=r"q_{\mathrm{2}}")
q = Variable(
    "q", "", "share of failures that a fast checkpoint repairs", display_unit="%", low="0 %", high="99.9 %", zero=True
)

# --- two levels, to first order -------------------------------------------------------------

BOTH_ROOTS = (*root_trusted(C_1, M_1), *root_trusted(C_2, M_2))
BOTH_LEAST = (*least_trusted(C_1, M_1), *least_trusted(C_2, M_2))
two_level_waste = (
    Derivation.start(
        w_T,
        waste.rhs.subs({C: C_1, tau: W / k, M: M_1}, simultaneous=True)
        + waste.rhs.subs({C: C_2, tau: W, M: M_2}, simultaneous=True),
        "each level pays its own writes and loses half its own interval to its own failures",
        kind="model",
    )
    .rewrite(
        (k * C_1 + C_2) / W + W * (1 / (k * M_1) + 1 / M_2) / 2,
        "sort by the work W: Young's form, with the writes of a whole pattern",
    )
    .formula(
        assumptions="restarts are free", validity=(*sum_trusted(W / k + C_1, M_1), *sum_trusted(W + k * C_1 + C_2, M_2))
    )
)
two_level_work = (
    Derivation.minimise(two_level_waste, over=W, why="for k fast checkpoints: how much work in a pattern?")
    .slope((1 / (k * M_1) + 1 / M_2) / 2 - (k * C_1 + C_2) / W**2, "term by term", routine=True)
    .root(sqrt(2 / (1 / (k * M_1) + 1 / M_2) * (k * C_1 + C_2)), "the only positive root", as_symbol=W_x, routine=True)
    .curvature(2 * (k * C_1 + C_2) / W**3, "positive, a minimum", routine=True)
    .formula(validity=root_trusted(k * C_1 + C_2, 1 / (1 / (k * M_1) + 1 / M_2)))
)
two_level_product = Formula(
    q_T,
    (k * C_1 + C_2) * (1 / (k * M_1) + 1 / M_2),
    kind="definition",
    convention="the smallest waste at k is the root of twice this",
)
two_level_at_best_work = (
    Derivation.start(w_T, two_level_waste, "the waste, to be taken at the best work")
    .apply({W: two_level_work}, "work for exactly that long: two equal terms, as in Young's rule")
    .formula(validity=least_trusted(k * C_1 + C_2, 1 / (1 / (k * M_1) + 1 / M_2)))
)
two_level_ratio = (
    Derivation.minimise(two_level_product, over=k, why="a root is smallest where its square is")
    .slope(C_1 / M_2 - C_2 / (k**2 * M_1), "multiply out and differentiate", routine=True)
    .root(sqrt(C_2 * M_2 / (C_1 * M_1)), "the only positive root", as_symbol=k_x, routine=True)
    .curvature(2 * C_2 / (k**3 * M_1), "positive, a minimum", routine=True)
    .formula(validity=BOTH_ROOTS)
)
two_level_square = (
    Derivation.start(two_level_product)
    .apply({k: two_level_ratio}, "at the best ratio")
    .rewrite(
        (sqrt(C_1 / M_1) + sqrt(C_2 / M_2)) ** 2,
        "multiply out: the mixed terms are twice the root of the others",
        routine=True,
    )
    .formula(assumptions="$k$ need not be whole", validity=BOTH_LEAST)
)
two_level_least = (
    Derivation.start(w_T, sqrt(2 * q_T), "what the square was taken of", routine=True)
    .apply(two_level_square, "its smallest value", routine=True)
    .rewrite(
        sqrt(2 * C_1 / M_1) + sqrt(2 * C_2 / M_2),
        "root and square cancel: the waste is that of two jobs, each with one level of its own",
    )
    .formula()
)
whole_ratio = (
    Derivation.start(
        k_n,
        ceiling(sqrt(Rational(1, 4) + k_x**2) - Rational(1, 2)),
        "as with steps: go on until $k(k+1)$ reaches the square of the best ratio",
        kind="model",
    )
    .apply({k_x: two_level_ratio}, "the best ratio")
    .formula()
)
fast_failures = Formula(
    M_1, M / q, kind="definition", domain=(q > 0,), assumptions="a share q of all failures is repaired fast"
)
slow_failures = Formula(M_2, M / (1 - q), kind="definition", assumptions="a share q of all failures is repaired fast")

two_level_upload = (
    Derivation.start(
        w_T,
        (k - 1) * C_1 / W
        + W / k / (2 * M_1)
        + (d + R_1) / M_1
        + async_waste.rhs.subs({tau: W, M: M_2}, simultaneous=True),
        "the last of k copies to memory is uploaded, so its stall is that of the upload; each level loses half its own interval",
        kind="model",
    )
    .rewrite(
        ((k - 1) * C_1 + s + g * u) / W + W * (1 / (k * M_1) + 1 / M_2) / 2 + (d + R_1) / M_1 + (d + R + u) / M_2,
        "sort by the work W: only the first two terms depend on it",
    )
    .formula(
        assumptions="an upload ends before the next one begins",
        domain=(u <= W,),
        validity=(
            *sum_trusted(W / k + C_1 + d + R_1, M_1),
            *sum_trusted(W + (k - 1) * C_1 + s + g * u + u + d + R, M_2),
        ),
        convention="time lost for each unit of useful work; without an upload the stall is the write",
    )
)

# --- simulation -----------------------------------------------------------------------------

PATTERN = {W: "1 h", k: "5", C_1: "20 s", s: "20 s", u: "10 min", g: "5 %", d: "1 min", R_1: "2 min", R: "10 min"}
sim_upload = Simulation(
    two_level_upload, {**PATTERN, M_1: "100 h", M_2: "400 h"}, simulation.two_level_wastes, runs=400
)

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
