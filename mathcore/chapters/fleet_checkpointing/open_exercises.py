"""Fleet checkpointing, exercises to derive, estimate and design, with the formulas that only they ask for."""

from sympy import sqrt

from mathcore import Derivation, Variable
from mathcore.chapters.fleet_checkpointing import s
from mathcore.chapters.young_daly import C, M
from mathcore.teaching import read_open_exercises

n_j = Variable("n_j", "", "identical jobs that share the storage", tex=r"n_{\mathrm{j}}")
S_j = Variable("S_j", "B", "checkpoint of one job", tex=r"S_{\mathrm{j}}", display_unit="TB", low="1 B", high="1 PB")
b_j = Variable(
    "b_j",
    "B/s",
    "bandwidth of the shared storage",
    tex=r"b_{\mathrm{j}}",
    display_unit="GB/s",
    low="1 B/s",
    high="1 PB/s",
)
n_w = Variable("n_w", "", "jobs that can take turns", tex=r"n_{\mathrm{w}}")

uploads_share = (
    Derivation.balance(
        n_j * S_j / b_j,
        sqrt(2 * s * M),
        "in one interval, Young's for the stall, the storage takes one upload of each job",
    )
    .solve_for(n_j, b_j * sqrt(2 * s * M) / S_j, "solve for the jobs")
    .formula(assumptions="uploads are asynchronous, do not slow training down, and share the bandwidth fairly")
)
turns = (
    Derivation.balance(
        n_w * C, sqrt(2 * C * M) + C, "while one job works for an interval and writes, each job writes once"
    )
    .solve_for(n_w, 1 + sqrt(2 * M / C), "divide by the write")
    .formula(assumptions="jobs write one after another at full bandwidth, at intervals that they shift to fit")
)

open_exercises = read_open_exercises(__name__)
