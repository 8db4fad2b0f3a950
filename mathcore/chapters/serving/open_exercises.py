"""Serving, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.chapters.serving import FLOP, B, M, N, P, S, beta, c, kappa, n, t, token, u, w
from mathcore.teaching import read_open_exercises

b_s = Variable("b_s", "B/s", "bandwidth at which loading a cache takes as long as computing it", tex=r"b_{\mathrm{s}}")
p_f = Variable("p_f", "USD/token", "price of a token on a worker whose memory is always full", tex=r"p_{\mathrm{full}}")

swap_bandwidth = (
    Derivation.balance(
        S * kappa / b_s,
        2 * FLOP * N * S / (token * P * n * u),
        "load the cache of a prompt, or read the prompt again: two operations for each weight and token",
    )
    .solve_for(b_s, kappa * P * n * u * token / (2 * FLOP * N), "the length of the prompt cancels")
    .formula(assumptions="attention's own work is left out")
)
full_price = (
    Derivation.start(p_f, c * n * t / (B * token), "the devices for the time of a step, over the tokens of the step")
    .apply({t: M / beta}, "each device reads its whole memory once in a step")
    .apply({B: (M * n - N * w) / (S * kappa)}, "the cache fills what the weights leave")
    .formula(assumptions="a step is bound by memory traffic, and requests wait for every free place")
)

open_exercises = read_open_exercises(__name__)
