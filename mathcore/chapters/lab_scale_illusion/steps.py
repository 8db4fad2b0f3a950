"""Scale lab, act I: how many devices' worth of work do N devices do, and is the date met?

The model is that of the chapter on speedup; here its rate is peak times MFU and its message follows
from the parameters, so that every slider is something one can look up or buy.
"""

from sympy import Integer, Piecewise, Rational, ceiling, floor, log, pi, sqrt

from mathcore import Derivation, Formula, Max, Min, One, Variable
from mathcore.chapters import hardware, speedup
from mathcore.chapters.speedup import B, F, N, P, R, S, U, V, alpha, beta, eta, f, omega, t_1, t_a, t_c, v
from mathcore.teaching import Axis, Card, Choice, Slider, read_calculators

# --- symbols -------------------------------------------------------------------------------

Psi_9 = Variable("Psi_9", "", "billions of parameters", tex=r"\Psi_9", low="0.001", high="100000")
w = Variable("w", "B", "bytes of one gradient on the wire", low="0.1 B", high="8 B")
t_due = Variable("t_due", "s", "date", tex=r"t_{\mathrm{due}}", display_unit="d", low="1 d", high="100 year")
late = Variable(
    "late",
    "s",
    "time by which the date is missed",
    tex=r"\Delta t",
    display_unit="d",
    low="-1000 year",
    high="1e9 year",
)
N_x = Variable(
    "N_x", "", "devices at which communication comes out of hiding", tex=r"N_{\mathrm{x}}", low="1", high="1e12"
)
N_last = Variable("N_last", "", "devices up to which all communication hides", tex=r"N_{\mathrm{hidden}}")
S_due = Variable("S_due", "", "speedup that the date asks for", tex=r"S_{\mathrm{due}}")
B_due = Variable("B_due", "token", "tokens of a step that meet the date", tex=r"B_{\mathrm{due}}", low="-1e30 token")
beta_due = Variable(
    "beta_due",
    "B/s",
    "bandwidth that meets the date",
    tex=r"\beta_{\mathrm{due}}",
    display_unit="GB/s",
    low="-1e30 B/s",
)
N_due = Variable("N_due", "", "devices that meet the date", tex=r"N_{\mathrm{due}}", low="-1e30")
S_max = Variable("S_max", "", "greatest speedup at any number of devices", tex=r"S_{\max}")
N_best = Variable("N_best", "", "devices at which the speedup is greatest", tex=r"N_{\mathrm{best}}", high="1e12")
LARGEST = 4096  # devices at the end of the slider

# --- one step ------------------------------------------------------------------------------

per_token = One("FLOP/token")
work_of_token = Formula(f, 6 * 10**9 * Psi_9 * per_token, assumptions="a dense model, attention left out")
message = Formula(V, 10**9 * Psi_9 * w, kind="definition", convention="one gradient for each parameter")
RATE = "a device alone computes at its peak times its MFU"
SIZE = "work and message follow from the parameters"
rate = Formula(R, P * U, assumptions=RATE)
computing = (
    Derivation.start(speedup.compute_time)
    .apply(work_of_token, "six operations for each parameter and token")
    .apply(rate, RATE)
    .formula()
)
adding_up = (
    Derivation.start(speedup.gradient_all_reduce)
    .apply(message, "the message follows from the parameters")
    .formula(assumptions="one ring through all devices")
)
waiting = (
    Derivation.start(speedup.straggler_wait)
    .apply(computing, "the spread is a share of the time of computing")
    .formula()
)
exposed = (
    Derivation.start(speedup.exposed).apply({t_a: adding_up, t_c: computing}, "ring and computing in full").formula()
)
efficiency = (
    Derivation.start(speedup.efficiency_of_step)
    .apply({t_a: adding_up, t_c: computing}, "ring and computing in full")
    .formula(assumptions="the batch B is fixed")
)
gain = (
    Derivation.start(speedup.efficiency)
    .solve_for(S, N * eta, "turn the definition round")
    .apply({eta: efficiency}, "the efficiency that follows from the step")
    .formula()
)
PORTS = 8  # of a node: a port for each device
gain_of_ports = Formula(
    S,
    gain.rhs.subs(beta, PORTS * beta),
    assumptions=("the batch B is fixed", "a ring through each NIC of a node, eight side by side"),
)
days = (
    Derivation.start(speedup.training_time)
    .apply({S: gain}, "the speedup that follows from the step")
    .formula(assumptions="no failures")
)
ideal_days = (
    Derivation.start(speedup.ideal_duration).apply({t_1: speedup.single_time}, "the time of one device").formula()
)
out_of_hiding = (
    Derivation.balance(
        2 * (N_x - 1) * (alpha + V / (N_x * beta)),
        omega * B * f / (N_x * R),
        "the ring takes all the time there is to hide in",
    )
    .solve_for(
        N_x,
        2
        * (2 * V / beta + omega * B * f / R)
        / (
            2 * V / beta
            - 2 * alpha
            + sqrt((2 * V / beta - 2 * alpha) ** 2 + 8 * alpha * (2 * V / beta + omega * B * f / R))
        ),
        "multiplied by $N_\\mathrm{x}$ it is a quadratic equation; its positive root, with the sum in the "
        "denominator, so that nothing cancels when the latency is small",
    )
    .apply({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(assumptions="the batch B is fixed")
)
last_hidden = (
    Derivation.start(N_last, Min(floor(N_x), 10**6), "whole devices, and no more than exist")
    .apply(out_of_hiding, "where communication comes out of hiding")
    .formula()
)
# Computing, waiting and the ring that is not hidden, with c for the time of one device: their sum is flat where
# 2αN² = c(1 − ω + σ(ln N − 1)) − 2V/β, but for the logarithm, which is taken at the largest cluster.
ALONE = B * work_of_token.rhs / rate.rhs
SIGMA = sqrt(6) * v / pi
FLAT = ALONE * (1 - omega + SIGMA * (log(LARGEST) - 1)) - 2 * message.rhs / beta
HIDES = (
    6 * per_token * omega * B / (P * U) >= 8 * w / beta,
    "the ring is heard from a handful of devices on, which may be faster than any fleet",
)
best_fleet = Formula(
    N_best,
    Max(out_of_hiding.rhs, sqrt(Max(Integer(0), FLAT / (2 * alpha)))),
    assumptions=("the batch B is fixed", "one ring through all devices"),
    validity=(HIDES,),
    convention="the logarithm of the devices is taken at the largest cluster",
)
# The hidden part of the ring is what it takes where it comes out of hiding, so that two nearly equal times
# need not be subtracted.
BYTES_TAKE = message.rhs / beta
peak = (
    Derivation.start(S_max, gain.renamed({N: N_best}), "the speedup where it is greatest")
    .apply(
        {omega: 2 * (N_x - 1) * (alpha * N_x + BYTES_TAKE) / ALONE},
        "what can hide is the ring where it comes out of hiding",
        justified_by=out_of_hiding,
    )
    .rewrite(
        N_best
        / (1 + SIGMA * log(N_best) + Max(0, 2 * (N_best - N_x) * (alpha * (N_best + N_x - 1) + BYTES_TAKE) / ALONE)),
        "the difference of the two rings, in factors",
    )
    .apply({N_best: best_fleet, N_x: out_of_hiding}, "both numbers of devices")
    .formula(convention="at any number of devices: beyond it latency takes more than computing gives")
)

# --- the date ------------------------------------------------------------------------------

needed = Formula(S_due, F / (P * U * t_due), kind="definition", convention="one device's time over the time there is")
lateness = (
    Derivation.start(late, speedup.t_N - t_due, "what the training takes beyond the date")
    .apply({speedup.t_N: days}, "the time of the training")
    .formula(convention="negative when there is time to spare")
)
STRAGGLING = sqrt(6) * v * log(N) / pi
batch_in_time = (
    Derivation.balance(
        B_due * f / (N * R) * (1 + STRAGGLING - omega) + t_a,
        t_due * B_due * f / F,
        "computing, waiting and the ring that is not hidden take all the time that one of $F/(Bf)$ steps has",
        kind="model",
    )
    .solve_for(
        B_due,
        t_a / (f * (t_due / F - (1 + STRAGGLING - omega) / (N * R))),
        "only the ring does not grow with the batch",
    )
    .apply({t_a: speedup.gradient_all_reduce}, "the ring")
    .apply({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(assumptions="the ring is not wholly hidden", convention="negative when no batch is large enough")
)
bandwidth_in_time = (
    Derivation.balance(
        B * f / (N * R) * (1 + STRAGGLING - omega) + 2 * (N - 1) * (alpha + V / (N * beta_due)),
        t_due * B * f / F,
        "the same, for the bandwidth",
        kind="model",
    )
    .solve_for(
        beta_due,
        2 * (N - 1) * V / (N * (t_due * B * f / F - B * f / (N * R) * (1 + STRAGGLING - omega) - 2 * (N - 1) * alpha)),
        "bytes over the time that is left for them",
    )
    .apply({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(assumptions="the ring is not wholly hidden", convention="negative when no bandwidth is large enough")
)
STRAGGLING_MOST = sqrt(6) * v * log(LARGEST) / pi
devices_in_time = (
    Derivation.start(
        N_due,
        Max(
            S_due * (1 + STRAGGLING_MOST),
            B * f / R * (1 + STRAGGLING_MOST - omega) / (B * f / (R * S_due) - 2 * V / beta - 2 * LARGEST * alpha),
        ),
        "with waiting and latency as in the largest cluster: if the ring hides, waiting is all that is lost; "
        "if not, it leaves this much of a step for computing",
        kind="model",
    )
    .apply(needed, "the speedup that the date asks for")
    .apply({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(assumptions="up to 4,096 devices", convention="enough, not the least; negative when no number is enough")
)

# --- set by hand ---------------------------------------------------------------------------

days_by_hand = (
    Derivation.start(speedup.training_time).apply({S: speedup.lab_speedup}, "the speedup of two constants").formula()
)

# --- calculators ---------------------------------------------------------------------------


def _peak(fact):
    return round(fact.value.m_as("TFLOP/s"), 4)


PEAKS = {
    "A100, dense": _peak(hardware.a100_bf16),
    "H100, dense": _peak(hardware.h100_bf16),
    "B200, dense": _peak(hardware.b200_bf16),
    "H100, the sparse figure": _peak(hardware.h100_bf16_sparse),
}
DEVICES = Slider(N, "", 1, LARGEST, 1, 1000, "Devices")
PEAK = Choice(P, "TFLOP/s", PEAKS, PEAKS["H100, dense"], "Peak of a device")
MFU = Slider(U, "%", 10, 90, 1, 50, "MFU of a device alone")
WORK = Slider(F, "YFLOP", 0.1, 50, 0.1, 2.2, "Work of the training")
LOG_N = Axis(N, "", 1, LARGEST, label="devices", log=True)
LOG_S = Axis(S, "", 1, None, label="devices' worth of work", log=True)
ONE_YEAR = Card("one device alone", speedup.single_time, "year")

calculators = read_calculators(__name__)

# --- what a prediction said ----------------------------------------------------------------

N_q = Variable("N_q", "", "devices that the prediction is about", tex=r"N_{\mathrm{asked}}")
said = Variable("S_said", "", "speedup that was predicted", tex=r"S_{\mathrm{said}}")
off = Variable("off", "", "predicted over computed speedup", tex=r"S_{\mathrm{said}}/S")
# Of a handful of devices there is nothing to predict: then it is about twice what the date asks for.
ASKED = Piecewise((N, N >= 8), (Min(LARGEST, Max(8, 2 * ceiling(needed.rhs))), True))
asked_fleet = Formula(N_q, ASKED, kind="definition", convention="yours, or below eight twice what the date asks for")


def of_asked(formula):
    """Return a formula at the devices that the prediction is about."""
    return Formula(formula.lhs, formula.rhs.subs(N, ASKED), assumptions="the devices that are asked about")


asked_gain, asked_efficiency, asked_ring = of_asked(gain), of_asked(efficiency), of_asked(adding_up)
ALL, MOST, THIRD, TENTH = Integer(1), Rational(4, 5), Rational(3, 10), Rational(1, 10)


def _said(share):
    return Formula(said, ASKED * share, kind="definition", convention="a share of the devices")


def _off(share):
    return Formula(off, ASKED * share / asked_gain.rhs, kind="definition", convention="above one: too bright")


said_most, said_third, said_tenth = (_said(x) for x in (MOST, THIRD, TENTH))
off_all, off_most, off_third, off_tenth = (_off(x) for x in (ALL, MOST, THIRD, TENTH))
