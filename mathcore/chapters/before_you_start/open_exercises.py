"""Before you start, exercises to derive and estimate, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.teaching import read_open_exercises

b_1 = Variable("b_1", "B/s", "bandwidth of the first link", tex="b_1", low="1 B/s", high="1 PB/s")
b_2 = Variable("b_2", "B/s", "bandwidth of the second link", tex="b_2", low="1 B/s", high="1 PB/s")
b_e = Variable("b_e", "B/s", "bandwidth of the whole way", tex=r"b_{\mathrm{e}}")
V_e = Variable("V_e", "B", "volume of the file", tex="V", low="1 B", high="1 EB")

in_series = (
    Derivation.balance(
        V_e / b_e, V_e / b_1 + V_e / b_2, "the whole file passes the first link, is stored, and passes the second"
    )
    .solve_for(b_e, b_1 * b_2 / (b_1 + b_2), "the volume cancels")
    .formula(assumptions="nothing overlaps")
)

open_exercises = read_open_exercises(__name__)
