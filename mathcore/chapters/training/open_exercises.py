"""Training compute, exercises to derive, estimate and design, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.chapters.training import h, token
from mathcore.chapters.training.scaling import A, B, D, alpha, beta
from mathcore.teaching import read_open_exercises

N_h = Variable("N_h", "", "size whose limit costs as much loss as that of the data", tex=r"N_{\mathrm{h}}")
phi_r = Variable("phi_r", "", "share of the layers that are recomputed", tex=r"\varphi", high="1")
u_1 = Variable("u_1", "", "hardware utilisation without recomputation", tex="u_1", low="0.05", high="0.9")
u_2 = Variable("u_2", "", "hardware utilisation with recomputation", tex="u_2", low="0.05", high="0.95")
x_t = Variable("x_t", "", "share of the tokens in long sequences", tex=r"x_{\mathrm{l}}", low="0.001", high="1")
s_1 = Variable("s_1", "", "positions of a short sequence", tex="s_1", low="128", high="100000")
s_2 = Variable("s_2", "", "positions of a long sequence", tex="s_2", low="128", high="10000000")
f_w = Variable("f_w", "", "work of the training over that of its weights alone", tex=r"f_{\mathrm{w}}")

balanced_size = (
    Derivation.balance(A / N_h**alpha, B / (D / token) ** beta, "both parts of the reducible loss are equal")
    .solve_for(N_h, (A * (D / token) ** beta / B) ** (1 / alpha), "isolate the power of the size and take the root")
    .formula()
)
recomputed_share = (
    Derivation.balance(
        (6 + 2 * phi_r) / u_2,
        6 / u_1,
        "per parameter and token: six operations, and two more for each recomputed layer, at the rates reached",
    )
    .solve_for(phi_r, 3 * (u_2 / u_1 - 1), "multiply by the second utilisation, subtract six, halve")
    .formula(assumptions="recomputation repeats the forward pass of a layer")
)
two_lengths = (
    Derivation.start(
        f_w,
        (1 - x_t) * (1 + s_1 / (12 * h)) + x_t * (1 + s_2 / (12 * h)),
        "causal attention adds s/(12h) to the work of a token, in sequences of either length",
    )
    .rewrite(1 + s_1 / (12 * h) + x_t * (s_2 - s_1) / (12 * h), "the ones add up to one; collect the share")
    .formula(assumptions="causal attention, heads as wide together as the model")
)

open_exercises = read_open_exercises(__name__)
