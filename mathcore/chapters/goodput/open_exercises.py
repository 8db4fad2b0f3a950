"""Goodput, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.chapters.young_daly import M, m
from mathcore.teaching import read_open_exercises

o_1 = Variable("o_1", "s", "time down after a failure without spares", tex="o_1", low="1 s", high="1 d")
o_2 = Variable("o_2", "s", "time down after a failure with hot spares", tex="o_2", low="0 s", high="1 d")
x_s = Variable("x_s", "", "share of the devices that are spares", tex=r"x_{\mathrm{s}}")
R_f = Variable("R_f", "s", "time lost by a failure", tex=r"R_{\mathrm{f}}", low="1 s", high="1 d")
N_f = Variable("N_f", "gpu", "number of devices that finishes first", tex=r"N_{\mathrm{f}}")

worth_of_spares = (
    Derivation.balance(
        (1 - x_s) * (1 - o_2 / M),
        1 - o_1 / M,
        "spares do no work, but shorten the time down; both fleets have the same number of devices",
    )
    .solve_for(x_s, (o_1 - o_2) / (M - o_2), "divide by what is left with spares")
    .formula(assumptions="time down is the only loss, and a spare is always ready")
)
fastest_fleet = (
    Derivation.balance(
        1,
        2 * R_f * N_f / m,
        "the rate N (1 - R_f N/m) has the slope 1 - 2 R_f N/m, which vanishes at the top of the parabola",
    )
    .solve_for(N_f, m / (2 * R_f), "solve for the devices")
    .formula(assumptions="each failure loses the same time, and the MTBF of the job is m/N")
)

open_exercises = read_open_exercises(__name__)
