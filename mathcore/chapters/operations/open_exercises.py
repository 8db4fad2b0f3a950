"""Operations, exercises to derive, estimate and program, with the formulas that only they ask for."""

from sympy import log

from mathcore import Derivation, Variable
from mathcore.teaching import read_open_exercises

h_p = Variable("h_p", "s", "time between two probes", tex=r"h_{\mathrm{p}}", low="1 ms", high="1 d")
p_l = Variable(
    "p_l", "", "probability that a probe of a healthy node is lost", tex=r"p_{\mathrm{l}}", low="1e-9", high="0.9"
)
n_n = Variable("n_n", "", "nodes that are probed", tex=r"n_{\mathrm{n}}", low="1", high="10000000", integer=True)
M_w = Variable(
    "M_w",
    "s",
    "accepted mean time between false alarms",
    tex=r"M_{\mathrm{w}}",
    display_unit="d",
    low="1 s",
    high="100 year",
)
t_p = Variable("t_p", "s", "time until a dead node is declared dead", tex=r"t_{\mathrm{p}}")
x_d = Variable(
    "x_d", "", "share of the nodes that a wrong rule may replace", tex=r"x_{\mathrm{d}}", low="1e-6", high="1"
)
t_h = Variable(
    "t_h", "s", "time until a person has stopped it", tex=r"t_{\mathrm{h}}", display_unit="min", low="1 s", high="10 d"
)
M_n = Variable("M_n", "s", "MTBF of a node", tex=r"M_{\mathrm{n}}", display_unit="d", low="1 h", high="100 year")
y_r = Variable("y_r", "", "allowed rate of replacements over the rate of failures", tex=r"y_{\mathrm{r}}")

declared_dead = (
    Derivation.balance(
        n_n * p_l ** (t_p / h_p) / h_p,
        1 / M_w,
        "t/h probes in a row must be lost; such a run ends at any probe of any node",
    )
    .solve_for(t_p, h_p * log(h_p / (n_n * M_w)) / log(p_l), "take logarithms and solve for the time")
    .formula(assumptions="probes are lost independently, and rarely")
)
rate_limit = (
    Derivation.balance(
        y_r * n_n / M_n * t_h, x_d * n_n, "replacements until a person stops them, against the share that may be lost"
    )
    .solve_for(y_r, x_d * M_n / t_h, "the number of nodes cancels")
    .formula(assumptions="a wrong rule replaces at the limit until it is stopped")
)

open_exercises = read_open_exercises(__name__)
