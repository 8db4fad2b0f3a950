"""Collectives, exercises to derive, estimate, design and program, with the formulas that only they ask for."""

from sympy import sqrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.collectives import T_i, T_o, beta, k, n, p
from mathcore.teaching import read_open_exercises

alpha_k = Variable(
    "alpha_k", "s", "time that each further chunk costs in starting", tex=r"\alpha_{\mathrm{k}}", low="1 ns", high="1 s"
)
T_k = Variable("T_k", "s", "time of both levels with k chunks", tex=r"T_{\mathrm{k}}", display_unit="ms")
k_b = Variable("k_b", "", "number of chunks with the shortest time", tex=r"k_{\mathrm{b}}")
x_z = Variable("x_z", "", "compression: bytes before over bytes after", tex="x", low="1.01", high="1000")
r_z = Variable(
    "r_z", "B/s", "rate of compressing and decompressing, together", tex=r"r_{\mathrm{z}}", display_unit="GB/s"
)

time_in_chunks = Formula(
    T_k,
    T_o + T_i / k + alpha_k * k,
    kind="model",
    assumptions=("the slower level is busy all the time", "of the faster one only the first chunk is not hidden"),
)
chunks = (
    Derivation.minimise(time_in_chunks, over=k, why="what is not hidden falls with the chunks, starting them rises")
    .slope(alpha_k - T_i / k**2, "differentiate term by term")
    .root(sqrt(T_i / alpha_k), "the positive root", as_symbol=k_b)
    .curvature(2 * T_i / k**3, "positive, a minimum")
    .formula()
)
compression_rate = (
    Derivation.balance(
        2 * n * (p - 1) / (p * beta),
        2 * n * (p - 1) / (p * beta * x_z) + n / r_z,
        "the bytes of a ring as they are, or fewer of them and the time of compression",
    )
    .solve_for(r_z, p * beta * x_z / (2 * (p - 1) * (x_z - 1)), "the message cancels; isolate the rate")
    .formula(assumptions="latency is negligible, and each rank compresses and decompresses its message once")
)

open_exercises = read_open_exercises(__name__)
