"""Scale lab, act I: how many devices' worth of work do N devices do, and is the date met?

The model is that of the chapter on speedup; here its rate is peak times MFU and its message follows
from the parameters, so that every slider is something one can look up or buy.
"""

from sympy import Integer, Piecewise, Rational, ceiling, floor, log, pi, sqrt

from mathcore import Derivation, Formula, Max, Min, One, Variable
from mathcore.chapters import hardware, speedup
from mathcore.chapters.speedup import B, C, E, F, N, P, R, S, U, V, alpha, beta, eta, f, omega, t_1, t_a, t_c, v
from mathcore.teaching import (
    Axis,
    Bands,
    Bars,
    Card,
    Chart,
    Choice,
    Curve,
    Explorer,
    Failure,
    Level,
    Marker,
    Row,
    Slider,
    Way,
)

# --- letters -------------------------------------------------------------------------------

Psi_9 = Variable("Psi_9", "", "billions of parameters", tex=r"\Psi_9", low="0.001", high="100000")
w = Variable("w", "B", "bytes of one gradient on the wire", low="0.1 B", high="8 B")
t_due = Variable("t_due", "s", "date", tex=r"t_{\mathrm{due}}", shown="d", low="1 d", high="100 year")
late = Variable(
    "late", "s", "time by which the date is missed", tex=r"\Delta t", shown="d", low="-1000 year", high="1e9 year"
)
N_x = Variable(
    "N_x", "", "devices at which communication comes out of hiding", tex=r"N_{\mathrm{x}}", low="1", high="1e12"
)
N_last = Variable("N_last", "", "devices up to which all communication hides", tex=r"N_{\mathrm{hidden}}")
S_due = Variable("S_due", "", "speedup that the date asks for", tex=r"S_{\mathrm{due}}")
B_due = Variable("B_due", "token", "tokens of a step that meet the date", tex=r"B_{\mathrm{due}}", low="-1e30 token")
beta_due = Variable(
    "beta_due", "B/s", "bandwidth that meets the date", tex=r"\beta_{\mathrm{due}}", shown="GB/s", low="-1e30 B/s"
)
N_due = Variable("N_due", "", "devices that meet the date", tex=r"N_{\mathrm{due}}", low="-1e30")
S_max = Variable("S_max", "", "greatest speedup at any number of devices", tex=r"S_{\max}")
N_best = Variable("N_best", "", "devices at which the speedup is greatest", tex=r"N_{\mathrm{best}}", high="1e12")
LARGEST = 4096  # devices at the end of the slider

# --- one step ------------------------------------------------------------------------------

per_token = One("FLOP/token")
work_of_token = Formula(f, 6 * 10**9 * Psi_9 * per_token, when="a dense model, attention left out")
message = Formula(V, 10**9 * Psi_9 * w, kind="definition", convention="one gradient for each parameter")
RATE = "a device alone computes at its peak times its MFU"
SIZE = "work and message follow from the parameters"
rate = Formula(R, P * U, when=RATE)
computing = (
    Derivation.start(speedup.computing)
    .use(work_of_token, "six operations for each parameter and token")
    .use(rate, RATE)
    .formula(when="the batch is divided evenly")
)
adding_up = (
    Derivation.start(speedup.adding_up)
    .use(message, "the message follows from the parameters")
    .formula(when="one ring through all devices")
)
waiting = (
    Derivation.start(speedup.waiting)
    .use(computing, "the spread is a share of the time of computing")
    .formula(when=("devices are independent", "step times follow Gumbel's law"))
)
exposed = (
    Derivation.start(speedup.not_hidden)
    .use({t_a: adding_up, t_c: computing}, "ring and computing in full")
    .formula(when="one ring through all devices")
)
efficiency = (
    Derivation.start(speedup.efficiency_of_step)
    .use({t_a: adding_up, t_c: computing}, "ring and computing in full")
    .formula(when=("the batch B is fixed", "one ring through all devices", "Gumbel's law for step times"))
)
gain = (
    Derivation.start(speedup.efficiency)
    .solve_for(S, N * eta, "turn the definition round")
    .use({eta: efficiency}, "the efficiency that follows from the step")
    .formula(when=("the batch B is fixed", "one ring through all devices"))
)
days = (
    Derivation.start(speedup.training_time)
    .use({S: gain}, "the speedup that follows from the step")
    .formula(when=("the batch B is fixed", "no failures"))
)
ideal_days = (
    Derivation.start(speedup.ideal_duration)
    .use({t_1: speedup.single_time}, "the time of one device")
    .formula(when="every device does as much as one alone")
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
    .use({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(when="the batch B is fixed")
)
last_hidden = (
    Derivation.start(N_last, Min(floor(N_x), 10**6), "whole devices, and no more than exist")
    .use(out_of_hiding, "where communication comes out of hiding")
    .formula(when="the batch B is fixed")
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
    when=("the batch B is fixed", "one ring through all devices"),
    regime=(HIDES,),
    convention="the logarithm of the devices is taken at the largest cluster",
)
# The hidden part of the ring is what it takes where it comes out of hiding, so that two nearly equal times
# need not be subtracted.
BYTES_TAKE = message.rhs / beta
peak = (
    Derivation.start(S_max, gain.renamed({N: N_best}), "the speedup where it is greatest")
    .use(
        {omega: 2 * (N_x - 1) * (alpha * N_x + BYTES_TAKE) / ALONE},
        "what can hide is the ring where it comes out of hiding",
        because=out_of_hiding,
    )
    .to(
        N_best
        / (1 + SIGMA * log(N_best) + Max(0, 2 * (N_best - N_x) * (alpha * (N_best + N_x - 1) + BYTES_TAKE) / ALONE)),
        "the difference of the two rings, in factors",
    )
    .use({N_best: best_fleet, N_x: out_of_hiding}, "both numbers of devices")
    .formula(
        when=("the batch B is fixed", "one ring through all devices"),
        regime=(HIDES,),
        convention="at any number of devices: beyond it latency takes more than computing gives",
    )
)

# --- the date ------------------------------------------------------------------------------

needed = Formula(S_due, F / (P * U * t_due), kind="definition", convention="one device's time over the time there is")
lateness = (
    Derivation.start(late, speedup.t_N - t_due, "what the training takes beyond the date")
    .use({speedup.t_N: days}, "the time of the training")
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
    .use({t_a: speedup.adding_up}, "the ring")
    .use({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(when="the ring is not wholly hidden", convention="negative when no batch is large enough")
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
    .use({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(when="the ring is not wholly hidden", convention="negative when no bandwidth is large enough")
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
    .use(needed, "the speedup that the date asks for")
    .use({f: work_of_token, V: message, R: rate}, SIZE)
    .formula(when="up to 4,096 devices", convention="enough, not the least; negative when no number is enough")
)

# --- set by hand ---------------------------------------------------------------------------

days_by_hand = (
    Derivation.start(speedup.training_time)
    .use({S: speedup.lab_speedup}, "the speedup of two constants")
    .formula(when="E and C are set by hand and stay as they are while N grows")
)

# --- instruments ---------------------------------------------------------------------------


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
ZONES = (0.3, 0.6)
TONES = ("bad", "warn", "good")
GRADES = ("poor", "realistic", "excellent")
ADVICE = (
    "poor: most of what you pay for is waiting; send fewer bytes (compressed gradients), split the model in "
    "pipeline stages so that rings get shorter, train a smaller model, or use fewer devices",
    "realistic: the machine earns money and the gap is worth an engineer; look at the traffic across the "
    "bisection and at how much of the exchange hides behind computing",
    "excellent: hard to hold at this size; keep tensor parallelism inside a node, schedule the all-reduce, "
    "and measure the MFU of the first run before you promise it",
)
LOG_N = Axis(N, "", 1, LARGEST, label="devices", log=True)
LOG_S = Axis(S, "", 1, None, label="devices' worth of work", log=True)
ONE_YEAR = Card("one device alone", speedup.single_time, "year")

constants = Explorer(
    title="Scale efficiency, set by hand",
    sliders=(
        DEVICES,
        Slider(E, "%", 10, 100, 5, 40, "Parallel efficiency"),
        Slider(C, "%", 0, 60, 5, 20, "Communication overhead"),
        PEAK,
        MFU,
        WORK,
    ),
    x=LOG_N,
    y=LOG_S,
    curves=(Curve("ideal", speedup.ideal, "plain"), Curve("two constants", speedup.lab_speedup, "total")),
    markers=(Marker("your cluster", N, speedup.lab_speedup, "diamond"),),
    bands=Bands(speedup.lab_scaling, ZONES, ADVICE, TONES, template="Efficiency {value} at N = {N}: {label}"),
    cards=(
        Card("speedup", speedup.lab_speedup, ""),
        Card("scaling efficiency", speedup.lab_scaling, "%", 3, (30, 60), GRADES, TONES),
        Card("training", days_by_hand, "d"),
        Card("ideal training", ideal_days, "d"),
        ONE_YEAR,
    ),
    lines=(speedup.lab_speedup, speedup.lab_scaling, days_by_hand),
    limits="Efficiency is an input here: it cannot react to the number of devices, to the network, or to the batch.",
)
steps = Explorer(
    title="Scale efficiency, from the step",
    sliders=(
        DEVICES,
        Slider(Psi_9, "", 1, 2000, 1, 135, "Billions of parameters"),
        Choice(w, "B", {"4 bytes (FP32)": 4, "2 bytes (BF16)": 2, "1 byte (compressed)": 1}, 2, "A gradient"),
        Slider(B, "Mtoken", 0.5, 64, 0.5, 4, "Tokens of one step"),
        Slider(beta, "GB/s", 5, 900, 5, 50, "Bandwidth of a device, one way"),
        Slider(alpha, "µs", 1, 100, 1, 5, "Latency of a message"),
        Slider(omega, "%", 5, 100, 5, 50, "Computing that can hide communication"),
        Slider(v, "%", 0, 20, 0.5, 2, "Spread of step times (stragglers)"),
        PEAK,
        MFU,
        WORK,
        Slider(t_due, "d", 10, 400, 0.1, 164.4, "Date: days from now"),
    ),
    x=LOG_N,
    y=LOG_S,
    curves=(Curve("ideal", speedup.ideal, "plain"), Curve("from the step", gain, "total")),
    markers=(
        Marker("your cluster", N, gain),
        Marker("last hidden", last_hidden, gain, "diamond", "good", vertical=True),
    ),
    levels=(Level("the date asks for", needed, "bad"),),
    bands=Bands(efficiency, ZONES, ADVICE, TONES, template="Efficiency {value} at N = {N}: {label}"),
    cards=(
        Card("speedup", gain, ""),
        Card("scaling efficiency", efficiency, "%", 3, (30, 60), GRADES, TONES),
        Card("training", days, "d"),
        Card("ideal training", ideal_days, "d"),
        ONE_YEAR,
        Card("message of each step", message, "GB"),
    ),
    panels=(
        Bars(
            "Where does a step go?",
            "s",
            {"computing": computing, "waiting for the slowest": waiting, "communication not hidden": exposed},
            best="",
        ),
        Chart(
            "Days of training",
            LOG_N,
            Axis(speedup.t_N, "d", 1, None, label="days", log=True),
            (Curve("ideal", ideal_days, "plain"), Curve("from the step", days, "total")),
            (Marker("your cluster", N, days),),
            (Level("the date", t_due, "bad"),),
        ),
    ),
    failures=(
        Failure(
            "The date is missed",
            lateness,
            "The training takes {days}, and {t_due} were promised: {late} too long. "
            "The date asks for a speedup of {needed}; your cluster gives {gain}.",
            (
                Way("Take {to} devices.", N, devices_in_time),
                Way("Spread {to} over each step, if learning can use them.", B, batch_in_time),
                Way("Give each device a network of {to}.", beta, bandwidth_in_time),
                Way("Send each gradient in {to}.", w, 1),
                Way("Move the date to {to}.", t_due, days),
            ),
            {"days": (days, "d"), "late": (lateness, "d"), "needed": (needed, ""), "gain": (gain, "")},
        ),
    ),
    lines=(computing, adding_up),
    columns={"your cluster": N, "as long as it hides": last_hidden},
    rows=(
        Row("speedup", gain, ""),
        Row("efficiency", efficiency, "%"),
        Row("training", days, "d"),
        Row("greatest speedup, at any number of devices", peak, ""),
    ),
    limits="Pure data parallelism in one ring, a batch that learning can use, no failures; "
    "memory is not asked for here (a model of this size must be split as well).",
)

# --- what a prediction said ----------------------------------------------------------------

N_q = Variable("N_q", "", "devices that the prediction is about", tex=r"N_{\mathrm{asked}}")
said = Variable("S_said", "", "speedup that was predicted", tex=r"S_{\mathrm{said}}")
off = Variable("off", "", "predicted over computed speedup", tex=r"S_{\mathrm{said}}/S")
# Of a handful of devices there is nothing to predict: then it is about twice what the date asks for.
ASKED = Piecewise((N, N >= 8), (Min(LARGEST, Max(8, 2 * ceiling(needed.rhs))), True))
asked_fleet = Formula(N_q, ASKED, kind="definition", convention="yours, or below eight twice what the date asks for")


def of_asked(formula):
    """Return a formula at the devices that the prediction is about."""
    return Formula(formula.lhs, formula.rhs.subs(N, ASKED), when="the devices that are asked about")


asked_gain, asked_efficiency, asked_ring = of_asked(gain), of_asked(efficiency), of_asked(adding_up)
ALL, MOST, THIRD, TENTH = Integer(1), Rational(4, 5), Rational(3, 10), Rational(1, 10)


def _said(share):
    return Formula(said, ASKED * share, kind="definition", convention="a share of the devices")


def _off(share):
    return Formula(off, ASKED * share / asked_gain.rhs, kind="definition", convention="above one: too bright")


said_most, said_third, said_tenth = (_said(x) for x in (MOST, THIRD, TENTH))
off_all, off_most, off_third, off_tenth = (_off(x) for x in (ALL, MOST, THIRD, TENTH))
