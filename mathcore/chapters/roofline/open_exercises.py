"""Rooflines, exercises to derive, estimate and program, with the formulas that only they ask for."""

from mathcore import Derivation, Max, Variable
from mathcore.chapters.roofline import FLOP, P, V, b, j, w
from mathcore.teaching import read_open_exercises

B_q = Variable("B_q", "", "batch at which arithmetic and traffic take the same time", tex=r"B_{\mathrm{q}}")
q_d = Variable(
    "q_d", "FLOP", "operations to dequantise one weight", tex=r"q_{\mathrm{d}}", low="0 FLOP", high="100 FLOP"
)
n_w = Variable("n_w", "", "weights of the layer", tex=r"n_{\mathrm{w}}", low="1", high="10000000000")
k_e = Variable(
    "k_e",
    "FLOP/B",
    "operations of one elementwise step for each byte of the tensor",
    low="0.01 FLOP/B",
    high="100 FLOP/B",
)
S_f = Variable("S_f", "", "speedup by fusing the steps into one kernel", tex=r"S_{\mathrm{f}}")

dequantised_batch = (
    Derivation.balance(
        n_w * (2 * FLOP * B_q + q_d) / P,
        n_w * w / b,
        "each weight is multiplied by each token and dequantised once; it is read once",
    )
    .solve_for(B_q, (P * w / b - q_d) / (2 * FLOP), "the number of weights cancels; solve for the batch")
    .formula(assumptions="weights are the only traffic, and dequantisation runs at the same peak", validity=())
)
fusion = (
    Derivation.start(
        S_f,
        (2 * V * j / b) / Max(2 * V / b, j * k_e * V / P),
        "apart, each step reads and writes the tensor; fused, one read and one write, or the arithmetic of all steps",
    )
    .rewrite(2 * j / b / Max(2 / b, j * k_e / P), "the tensor's size cancels")
    .formula(assumptions="launching takes no time", validity=((k_e <= 2 * P / b, "a step alone is compute-bound"),))
)

open_exercises = read_open_exercises(__name__)
