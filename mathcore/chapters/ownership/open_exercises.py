"""Rent or buy, exercises to derive, estimate and design, with the formulas that only they ask for."""

from mathcore import Derivation, Variable
from mathcore.chapters.ownership import K, T, h, q
from mathcore.teaching import read_open_exercises

v_k = Variable("v_k", "", "resale as a share of the purchase price", tex=r"v_{\mathrm{k}}", low="0", high="0.95")
u_v = Variable("u_v", "", "utilisation at which owning breaks even", tex=r"u_{\mathrm{v}}")
q_p = Variable(
    "q_p",
    "USD/(gpu h)",
    "price of an interruptible device",
    tex=r"q_{\mathrm{p}}",
    low="0.01 USD/(gpu h)",
    high="100 USD/(gpu h)",
)
L_p = Variable("L_p", "s", "time lost by an interruption", tex=r"L_{\mathrm{p}}", low="1 s", high="1 d")
M_p = Variable(
    "M_p",
    "s",
    "mean time between interruptions at which both prices are equal",
    tex=r"M_{\mathrm{p}}",
    display_unit="h",
)

with_resale = (
    Derivation.balance(
        K * (1 - v_k) / T + h,
        q * u_v,
        "an owned hour costs what the device loses in it, and its running; rent is paid for used hours only",
    )
    .solve_for(u_v, (K * (1 - v_k) / T + h) / q, "divide by the rent")
    .formula(assumptions="running costs do not depend on the use, and money has no interest")
)
interruptible = (
    Derivation.balance(
        q_p / (1 - L_p / M_p), q, "the price of a useful hour: interruptions take the share L_p/M_p of the time"
    )
    .solve_for(M_p, q * L_p / (q - q_p), "multiply out and collect")
    .formula(assumptions="interruptions are the only loss, and each is short against the time between them")
)

open_exercises = read_open_exercises(__name__)
