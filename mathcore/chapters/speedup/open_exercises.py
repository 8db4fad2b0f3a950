"""Speedup, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from sympy import sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.speedup import T_1, N, s
from mathcore.teaching import read_open_exercises

t_l = Variable(
    "t_l", "s", "time lost for each factor of e in the devices", tex=r"t_{\mathrm{l}}", low="0 s", high="1 year"
)
N_l = Variable("N_l", "", "number of devices with the shortest time", tex=r"N_{\mathrm{l}}")
v_t = Variable(
    "v_t",
    "USD/h",
    "value of having the result an hour earlier",
    tex=r"v_{\mathrm{t}}",
    low="0.01 USD/h",
    high="1e9 USD/h",
)
K_t = Variable("K_t", "USD", "rent and value of the time", tex=r"K_{\mathrm{t}}")
h_d = Variable(
    "h_d", "USD/h", "rent of one device for an hour", tex=r"h_{\mathrm{d}}", low="0.01 USD/h", high="1000 USD/h"
)
N_v = Variable("N_v", "", "number of devices with the least total cost", tex=r"N_{\mathrm{v}}")

fastest = (
    Derivation.balance(
        t_l / N_l,
        T_1 * (1 - s) / N_l**2,
        "in the time T_1 (s + (1-s)/N) + t_l ln N one more device loses as much by waiting as it saves",
    )
    .solve_for(N_l, T_1 * (1 - s) / t_l, "multiply by the square of the devices")
    .formula(assumptions="waiting for the slowest grows with the logarithm of the devices")
)
cost_of_time = Formula(
    K_t,
    (h_d * N + v_t) * T_1 * (s + (1 - s) / N),
    kind="definition",
    convention="rent of all devices, and the value of time",
)
worthwhile = (
    Derivation.minimise(cost_of_time, over=N, why="rent of the serial part rises with the devices, waiting falls")
    .slope(
        T_1 * (h_d * s - v_t * (1 - s) / N**2), "expand the product first: the rent of the parallel part is constant"
    )
    .root(sqrt(v_t * (1 - s) / (h_d * s)), "the positive root", as_symbol=N_v)
    .curvature(2 * T_1 * v_t * (1 - s) / N**3, "positive, a minimum")
    .formula()
)

open_exercises = read_open_exercises(__name__)
