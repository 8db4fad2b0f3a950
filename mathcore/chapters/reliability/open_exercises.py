"""Reliability, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from sympy import sqrt

from mathcore import Derivation, Variable
from mathcore.teaching import read_open_exercises

m_n = Variable("m_n", "s", "MTBF of one node", tex=r"m_{\mathrm{n}}", display_unit="d", low="1 h", high="100 year")
r_n = Variable(
    "r_n", "s", "time until a failed node is replaced", tex=r"r_{\mathrm{n}}", display_unit="h", low="1 s", high="100 d"
)
n_p = Variable("n_p", "", "pairs of nodes", tex=r"n_{\mathrm{p}}", low="1", high="1000000", integer=True)
M_2 = Variable("M_2", "s", "mean time until both nodes of some pair are down", tex="M_2", display_unit="year")
y_n = Variable("y_n", "", "failure rate after the change over that before", tex=r"y", low="0.01", high="0.99")
z_n = Variable("z_n", "", "standard deviations that the difference must have", tex="z", low="0.1", high="10")
n_1 = Variable("n_1", "", "failures that must be seen before the change", tex="n_1")

pairs = (
    Derivation.balance(
        1 / M_2,
        2 * n_p / m_n * (r_n / m_n),
        "any of the 2n nodes fails at the rate 1/m each, and its partner fails within the repair with the probability r/m",
    )
    .solve_for(M_2, m_n**2 / (2 * n_p * r_n), "take the inverse")
    .formula(assumptions="the repair is short against the MTBF of a node, and nodes fail independently")
)
counts_needed = (
    Derivation.balance(
        (n_1 - y_n * n_1) / sqrt(n_1 + y_n * n_1),
        z_n,
        "the difference of two Poisson counts over equal times, in units of its standard deviation",
    )
    .solve_for(n_1, z_n**2 * (1 + y_n) / (1 - y_n) ** 2, "the root of the count remains: square and solve")
    .formula(assumptions="equal times before and after, and independent failures")
)

open_exercises = read_open_exercises(__name__)
