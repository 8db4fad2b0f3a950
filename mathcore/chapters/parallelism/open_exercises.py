"""Parallelism, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.chapters.parallelism import N, b, h, s, w, x
from mathcore.teaching import read_open_exercises

p_x = Variable("p_x", "", "stages at which the bubble takes its share", tex=r"p_{\mathrm{x}}")
B_g = Variable("B_g", "", "sequences of a step, all replicas together", tex=r"B_{\mathrm{g}}", low="1", high="1000000")
H_a = Variable(
    "H_a", "B", "memory that is left for activations", tex=r"H_{\mathrm{a}}", display_unit="GB", low="1 B", high="1 TB"
)
L_s = Variable("L_s", "", "layers of the stage", tex=r"L_{\mathrm{s}}", low="1", high="1000")
f_r = Variable("f_r", "", "share of the layers that must be recomputed", tex=r"f_{\mathrm{r}}", high="1")

most_stages = (
    Derivation.balance(
        (p_x - 1) / (B_g * p_x / N + p_x - 1),
        x,
        "with micro-batches of one sequence a replica of p stages gets B_g p/N of them, and idles for p-1 slots",
    )
    .solve_for(p_x, (1 - x) / (1 - x - x * B_g / N), "clear the fraction; the unknown is on both sides")
    .formula(assumptions="pipeline parallelism alone within a replica, 1F1B or GPipe")
)
recomputed_share = (
    Derivation.balance(
        b * h * s * w * L_s * (17 - 16 * f_r),
        H_a,
        "a kept layer stores 17 values for each position and width, a recomputed one only its input",
    )
    .solve_for(f_r, (17 - H_a / (b * h * s * w * L_s)) / 16, "divide by the size of one activation and solve")
    .formula(assumptions="one micro-batch in flight")
)

open_exercises = read_open_exercises(__name__)
