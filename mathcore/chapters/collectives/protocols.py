"""NCCL's protocols: which one for which message, and what its channels cost."""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import collectives, hardware
from mathcore.chapters.collectives import beta, measured, n, p, t
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

HOP = {"display_unit": "µs", "low": "1 ns", "high": "1 s"}
RATE = {"display_unit": "%", "low": "1 %", "high": "100 %"}
a_q = Variable("a_q", "s", "latency of a step of the quick protocol", tex=r"\alpha_{1}", **HOP)
a_f = Variable("a_f", "s", "latency of a step of the protocol for long messages", tex=r"\alpha_{2}", **HOP)
r_q = Variable("r_q", "", "share of the bandwidth that the quick protocol carries", tex=r"r_{1}", **RATE)
r_f = Variable("r_f", "", "share that the protocol for long messages carries", tex=r"r_{2}", **RATE)
n_f = Variable("n_f", "B", "message size above which the protocol for long messages is faster", display_unit="MB")
c_h = Variable("c_h", "", "channels", tex=r"c_{\mathrm{ch}}", low="1", high="64", integer=True)
c_s = Variable(
    "c_s", "", "streaming multiprocessors of a device", tex=r"c_{\mathrm{SM}}", low="1", high="1000", integer=True
)
x_w = Variable(
    "x_w",
    "",
    "share of the step in which the collective overlaps with computation",
    tex=r"x_{\mathrm{ovl}}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
s_w = Variable("s_w", "", "slowdown of the computation by the collective", tex=r"s_{\mathrm{ovl}}")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- which protocol ------------------------------------------------------------------------

switch_over = (
    Derivation.balance(
        2 * (p - 1) * a_q + 2 * (p - 1) * n_f / (p * r_q * beta),
        2 * (p - 1) * a_f + 2 * (p - 1) * n_f / (p * r_f * beta),
        "a ring in either protocol: as many steps, each with its latency and its share of the bandwidth",
        kind="model",
    )
    .solve_for(n_f, p * beta * (a_f - a_q) / (1 / r_q - 1 / r_f), "linear in the message; the number of steps cancels")
    .formula(assumptions="one ring; NCCL's correction factors left out", domain=(r_q < r_f, a_q < a_f))
)

# --- what channels take -----------------------------------------------------------------------

slowed = Derivation.start(
    s_w,
    1 / (1 - x_w * c_h / c_s),
    "each channel occupies one multiprocessor while the collective runs, so that share of the arithmetic is missing",
    kind="model",
).formula(assumptions="the computing uses all multiprocessors that are left", domain=(c_h < c_s,))

bytes_alone = Formula(t, n / beta, kind="definition", convention="a long message, by the rate of two measured ones")

# --- worked examples -----------------------------------------------------------------------

NODE = {p: "8", beta: measured.ring_in_node}
LL = {a_q: facts.ll_latency, r_q: facts.ll_share}
quick = Example(switch_over, {**NODE, **LL, a_f: facts.ll128_latency, r_f: facts.ll128_share}, unit="MB")
long = Example(
    switch_over,
    {**NODE, a_q: facts.ll128_latency, r_q: facts.ll128_share, a_f: facts.simple_latency, r_f: facts.simple_share},
    unit="MB",
)
BESIDE = {c_s: hardware.h100_sms, x_w: "50 %"}
slowed_ring, slowed_switch = (
    Example(slowed, {**BESIDE, c_h: channels}, digits=4) for channels in (facts.ring_channels, facts.switch_channels)
)
one_rack, two_racks, twenty_racks = (
    Example(bytes_alone, {n: collectives.page_gradients, beta: rate}, unit="s")
    for rate in (measured.rack, measured.two_racks, measured.racks)
)

exercises = read_exercises(__name__)
