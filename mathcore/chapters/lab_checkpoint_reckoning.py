"""Lab on checkpoints: two messages, two instruments, and a fleet that fails every 44 seconds."""

from sympy import Rational, ceiling, exp, floor

from mathcore import Derivation, Formula, Max, One, Variable
from mathcore.chapters import resilience, young_daly
from mathcore.chapters.fleet_checkpointing import h, paced_interval, paced_optimum, s, simple_async, u
from mathcore.chapters.young_daly import (
    C,
    D,
    H,
    M,
    N,
    R,
    cluster_mtbf,
    interval,
    k,
    m,
    sum_trusted,
    tau,
    w,
    waste,
    waste_at_optimum,
    write_share,
)
from mathcore.teaching import (
    Axis,
    Bands,
    Card,
    Choice,
    Context,
    Curve,
    Explorer,
    Failure,
    Lab,
    Level,
    Marker,
    Outcome,
    Row,
    Slider,
    Substituted,
    Way,
    read_exercises,
    read_questions,
)

S, b, beta = resilience.S, resilience.b, resilience.beta

# --- letters --------------------------------------------------------------------------------

n_g = Variable("n_g", "", "parameters, in billions", tex=r"n_{9}", low="0.001", high="100000")
q_S = Variable("q_S", "", "where the size comes from: 1 the model, 0 as stated", low="0", high="1", zero=True)
a = Variable("a", "", "share of the write that training waits for", shown="%", low="0 %", high="100 %", zero=True)
S_c = Variable("S_c", "B", "size of the checkpoint that is written", tex=r"S_{\mathrm{w}}", shown="TB")
C_w = Variable("C_w", "s", "time of one write", tex=r"C_{\mathrm{w}}", shown="s")
s_e = Variable("s_e", "s", "stall of one checkpoint", tex=r"s_{\mathrm{e}}", shown="s")
u_e = Variable("u_e", "s", "write in the background", tex=r"u_{\mathrm{e}}", shown="s", low="0 s", zero=True)
T = Variable(
    "tau_f", "s", "work between two checkpoints of the fleet", tex=r"\tau_{\mathrm{f}}", low="1 s", high="30 d"
)
tau_j = Variable("tau_j", "s", "interval in whole steps", tex=r"\tau_{\mathrm{steps}}", shown="s")
tau_b = Variable("tau_b", "s", "best interval that the writes keep up with", tex=r"\tau_{\mathrm{best}}", shown="s")
tau_n = Variable("tau_n", "s", "best interval in whole steps", tex=r"\tau_{\mathrm{set}}", shown="s")
x_j = Variable("x_j", "", "interval as a multiple of the best")
w_l = Variable("w_l", "", "waste of the fleet", tex=r"w_{\mathrm{fleet}}", shown="%")
w_f = Variable("w_f", "", "the same to first order", tex=r"w_{1}", shown="%")
p_w = Variable("p_w", "", "checkpoint overhead: stall over work", tex=r"p_{\mathrm{stall}}", shown="%")
p_r = Variable("p_r", "", "waste by what comes with each failure", tex=r"p_{\mathrm{fail}}", shown="%")
L_f = Variable("L_f", "s", "work lost in one failure", tex=r"L_{\mathrm{f}}", shown="min")
eta = Variable("eta", "", "useful share of the clock", tex=r"\eta", shown="%", low="0 %", high="100 %", zero=True)
w_g = Variable("w_g", "", "budget for the stalls", tex=r"w_{\mathrm{budget}}", shown="%", low="0.1 %", high="100 %")
w_d = Variable("w_d", "", "waste above the smallest", tex=r"\Delta w", shown="%", low="0", zero=True)
gap = Variable("gap", "s", "by how much a limit is missed", tex=r"\Delta", low="-1000 year", high="1000 year")
lack = Variable("lack", "", "useful share that is missing", tex=r"\Delta\eta", low="-1", high="1")
over = Variable("over", "", "overhead above the budget", tex=r"\Delta p", low="-1", high="1000000000")

# --- act I: one cluster, one interval -------------------------------------------------------

extra = (
    Derivation.start(w_d, w - young_daly.w_min, "what your interval costs beyond the smallest waste")
    .use({w: waste, young_daly.w_min: waste_at_optimum}, "both to first order")
    .formula(regime=sum_trusted(tau + C, M))
)
week = (
    Derivation.start(H, young_daly.gain, "device-hours that the better interval wins")
    .use({young_daly.w_1: waste, young_daly.w_2: waste_at_optimum}, "yours, and Young's")
    .use({N: 1000 * One("gpu"), D: 7 * 86400 * One("s")}, "a thousand devices, for a week")
    .formula(when="restarts are free", regime=sum_trusted(tau + C, M))
)
third = Formula(
    w, waste.rhs.subs(tau, tau / 3), when="three checkpoints where there was one", regime=sum_trusted(tau / 3 + C, M)
)
twice = Formula(
    w, waste.rhs.subs(tau, 2 * tau), when="every second checkpoint left out", regime=sum_trusted(2 * tau + C, M)
)
sixteenth = (
    Derivation.start(young_daly.tau_k, interval, "Young's rule")
    .use({M: M / k}, "k times the devices, each as reliable as before: k times the failures")
    .formula(when="the write time stays the same", regime=young_daly.root_trusted(C, M / k))
)

# --- act II: the fleet ----------------------------------------------------------------------

size_used = Formula(
    S_c, q_S * 10**9 * n_g * beta + (1 - q_S) * S, kind="definition", convention="from the model or as stated"
)
write = (
    Derivation.start(C_w, S_c / b, "all bytes through the door of the store", kind="model")
    .use(size_used, "the size that was chosen")
    .formula(when="the store limits")
)
plain_write = Formula(C_w, S / b, when="the store limits")
stall_share = Formula(p_w, s_e / tau_j, kind="definition")
stall = (
    Derivation.start(s_e, a * C_w + (1 - a) * s, "synchronous: all of the write; asynchronous: the copy", kind="model")
    .use(write, "the time of a write")
    .formula(when="$a$ is one or zero")
)
behind = (
    Derivation.start(u_e, (1 - a) * C_w, "what is written while training goes on", kind="model")
    .use(write, "the time of a write")
    .formula(when="$a$ is one or zero")
)
FLEET = {s: stall, u: behind, M: cluster_mtbf}
PACED = {tau: paced_interval.renamed({tau: T})}
fleet_waste = (
    Derivation.start(w_l, simple_async, "a stall, then a write in the background; training keeps its speed")
    .use({R: young_daly.restart_time}, "a restart can fail like everything else, and begins again")
    .to(
        M / tau * exp((R + u) / M) * (exp((tau + s) / M) - 1) - 1,
        "gather: one MTBF is $M$, with its restart $Me^{R/M}$",
    )
    .use(PACED, "a write that does not keep up holds the next one back")
    .use(FLEET, "stall and write of the chosen strategy, MTBF of the fleet")
    .formula(
        when=("failures strike at a constant rate, during restarts too", "training keeps its speed"),
        convention="time lost for each unit of useful work",
    )
)
useful = (
    Derivation.start(eta, 1 / (1 + w_l), "what is left of the clock, if each unit of work loses that much")
    .use(fleet_waste, "what is lost")
    .formula(when="failures strike at a constant rate, during restarts too")
)
overhead = (
    Derivation.start(p_w, s / tau, "one stall for each interval")
    .use(PACED, "a write that does not keep up holds the next one back")
    .use({s: stall, u: behind}, "of the chosen strategy")
    .formula(convention="stall over work")
)
lost = (
    Derivation.start(L_f, tau / 2 + u, "half an interval on average, and the write that is not yet safe")
    .use(PACED, "a write that does not keep up holds the next one back")
    .use({u: behind}, "of the chosen strategy")
    .formula(when="failures strike evenly")
)
per_failure = (
    Derivation.start(p_r, (L_f + R) / M, "each failure costs the lost work and a restart")
    .use(lost, "the lost work")
    .use(cluster_mtbf, "one failure for each MTBF of the fleet")
    .formula(regime=sum_trusted(T + R, m / N))
)
first_order = (
    Derivation.start(w_f, p_w + p_r, "what comes with each interval, and what comes with each failure")
    .use({p_w: overhead, p_r: per_failure}, "both bills")
    .formula(regime=sum_trusted(T + R, m / N))
)
young = Derivation.start(interval).use({C: stall, M: cluster_mtbf}, "stall for write, MTBF of the fleet").formula()
best = (
    Derivation.start(tau_b, paced_optimum, "as often as is best and possible")
    .use(FLEET, "of the chosen strategy and fleet")
    .formula(when="failures strike at a constant rate")
)
steps = Formula(
    tau_j, h * Max(1, floor(T / h + Rational(1, 2))), kind="definition", convention="the nearest whole step"
)
best_steps = Formula(
    tau_n,
    h * Max(1, ceiling(behind.rhs / h), floor(best.rhs / h + Rational(1, 2))),
    kind="definition",
    convention="the nearest whole step that leaves room for the write",
)
ratio = (
    Derivation.start(x_j, tau_j / tau_b, "yours against the best")
    .use({tau_j: steps, tau_b: best}, "in whole steps")
    .formula()
)


def _own(formula):
    """Return a formula of the fleet at the reader's interval, in whole steps."""
    return Formula(formula.lhs, formula.rhs.subs(T, steps.rhs), convention="at your interval in whole steps")


own_useful, own_overhead, own_lost = _own(useful), _own(overhead), _own(lost)
best_useful = Formula(eta, useful.rhs.subs(T, best_steps.rhs), convention="at the best interval in whole steps")

# --- limits, and what would cure them -------------------------------------------------------

over_budget = Formula(over, own_overhead.rhs - w_g)
budget_interval = Formula(T, h * ceiling(stall.rhs / (w_g * h)))
budget_store = Formula(b, size_used.rhs / (w_g * steps.rhs))
budget_size = Formula(S, w_g * steps.rhs * b)
budget_stall = Formula(s, w_g * steps.rhs)
too_short = Formula(gap, behind.rhs - steps.rhs)
room_interval = Formula(T, h * ceiling(write.rhs / h))
room_store = Formula(b, size_used.rhs / steps.rhs)
room_size = Formula(S, steps.rhs * b)
no_write = Formula(gap, write.rhs - m / N)
calm_store = Formula(b, size_used.rhs * N / m)
calm_size = Formula(S, m * b / N)
calm_devices = Formula(N, m / write.rhs)
calm_life = Formula(m, N * write.rhs)
no_restart = Formula(gap, R - m / N)
rest_time = Formula(R, m / N)
rest_life = Formula(m, N * R)
rest_devices = Formula(N, m / R)

# Of the clock, half must be useful. With p the overhead, e^x − 1 ≤ x·e^x and (1 + p)·e^((1 − p)/2) ≤ 2 for p up to 1:
# a failure in twice the time of all that it can strike, over 1 − p, is rare enough.
too_little = Formula(lack, Rational(1, 2) - own_useful.rhs)
STRUCK = Max(steps.rhs, behind.rhs) + stall.rhs + behind.rhs + R
RARE = 2 * STRUCK / Max(Rational(1, 10**9), 1 - own_overhead.rhs)
useful_interval = Formula(T, best_steps.rhs)
useful_life = Formula(m, N * RARE, when="enough, not the least")
useful_devices = Formula(N, m / RARE, when="enough, not the least")

# --- instruments ----------------------------------------------------------------------------

explorer = Explorer(
    title="Act I: where should the checkpoints lie?",
    sliders=(
        Slider(M, "h", 1, 100, 1, 8, "MTBF of the cluster"),
        Slider(C, "min", 0.5, 30, 0.5, 4, "Time to write a checkpoint"),
        Slider(tau, "min", 5, 120, 5, 30, "Your interval"),
    ),
    x=Axis(tau, "min", 1, 180, label="work between two checkpoints"),
    y=Axis(w, "%", 0, None, label="time lost per useful time"),
    curves=(
        Curve("total", waste, "total"),
        Curve("writes", write_share, "write"),
        Curve("redone work", young_daly.rework_share, "rework"),
        Curve("exact", young_daly.exact_waste_free_restart, "exact"),
    ),
    markers=(
        Marker("your interval", tau, waste),
        Marker("optimum", interval, waste, shape="diamond", tone="good", vertical=True),
    ),
    bands=Bands(
        ratio=young_daly.setting,
        edges=(0.7, 1.4),
        labels=("too often: you pay for writes", "near-optimal", "too rarely: you pay for redone work"),
        tones=("warn", "good", "bad"),
        scale=interval,
    ),
    cards=(
        Card("best interval, by Young's rule", interval, "min"),
        Card(
            "writes at your interval",
            write_share,
            "%",
            edges=(8, 15),
            labels=("below 8 %", "8 to 15 %", "above 15 %"),
            tones=("good", "warn", "bad"),
        ),
        Card("lost above the smallest waste", extra, "%"),
        Card("won per week on 1,000 devices", week, "gpu h"),
    ),
    lines=(interval, waste),
    columns={"your interval": tau, "Young": interval, "exact optimum": young_daly.optimum},
    rows=(
        Row("waste by writes", write_share, "%"),
        Row("waste by redone work", young_daly.rework_share, "%"),
        Row("total, first order", waste, "%"),
        Row("total, exact", young_daly.exact_waste_free_restart, "%"),
        Row("work lost in a failure", young_daly.mean_loss, "min"),
    ),
    limits="First order counts no failure during a write, and restarts are free in both models.",
    commit=(tau, interval, waste),
)

GRADES = ("good", "warn", "bad")
designer = Explorer(
    title="Act II: design the checkpoints of a fleet",
    sliders=(
        Slider(N, "gpu", 1024, 32768, 1024, 16384, "Devices"),
        Slider(m, "gpu h", 50, 60000, 10, 200, "MTBF of one device"),
        Choice(q_S, "", {"as stated": 0, "parameters times bytes": 1}, 0, "Size of a checkpoint"),
        Slider(S, "TB", 0.1, 5, 0.1, 2, "Size, as stated"),
        Slider(n_g, "", 10, 2000, 10, 1000, "Billions of parameters"),
        Slider(beta, "B", 2, 16, 1, 14, "Bytes for each parameter"),
        Slider(b, "GB/s", 2, 2000, 2, 400, "Bandwidth of the store"),
        Slider(h, "s", 1, 60, 1, 10, "Training step"),
        Choice(a, "%", {"synchronous": 100, "asynchronous": 0}, 100, "Strategy"),
        Slider(s, "s", 0.1, 30, 0.1, 0.1, "Stall, if asynchronous"),
        Slider(R, "min", 0, 30, 0.5, 0, "Restart after a failure"),
        Slider(T, "s", 10, 7200, 10, 20, "Your interval"),
        Slider(w_g, "%", 5, 50, 1, 20, "Budget for the stalls"),
    ),
    x=Axis(T, "s", 5, 7200, label="work between two checkpoints", log=True),
    y=Axis(w_l, "%", 0, 400, label="time lost per useful time"),
    curves=(
        Curve("all losses", fleet_waste, "total"),
        Curve("stalls", overhead, "write"),
        Curve("per failure", per_failure, "rework"),
    ),
    markers=(
        Marker("your interval", T, fleet_waste),
        Marker("best, in whole steps", best_steps, fleet_waste, shape="diamond", tone="good", vertical=True),
    ),
    levels=(Level("budget", w_g), Level("MTBF", cluster_mtbf, tone="warn", vertical=True)),
    bands=Bands(
        ratio=ratio,
        edges=(0.7, 1.4),
        labels=("too often: you pay for stalls", "near-optimal", "too rarely: you pay for lost work"),
        tones=("warn", "good", "bad"),
        template="In whole steps your interval is {value} of the exact best: {label}.",
    ),
    cards=(
        Card(
            "MTBF of the fleet",
            cluster_mtbf,
            "min",
            edges=(1, 60),
            labels=("less than a minute", "minutes", "an hour or more"),
            tones=("bad", "warn", "good"),
        ),
        Card("write to the store", write, "s"),
        Card("best interval, in whole steps", best_steps, "s"),
        Card(
            "useful share of the clock",
            own_useful,
            "%",
            edges=(60, 80),
            labels=("not above 60 %", "60 to 80 %", "above 80 %"),
            tones=("bad", "warn", "good"),
        ),
        Card(
            "checkpoint overhead",
            own_overhead,
            "%",
            edges=(10, 20),
            labels=("up to 10 %", "10 to 20 %", "above 20 %"),
            tones=GRADES,
        ),
        Card(
            "work lost in a failure",
            own_lost,
            "min",
            edges=(30, 60),
            labels=("up to half an hour", "half an hour to an hour", "above an hour"),
            tones=GRADES,
        ),
    ),
    lines=(
        cluster_mtbf,
        size_used,
        Substituted(plain_write, {S: (size_used, "TB")}),
        Substituted(interval, {C: (stall, "s"), M: (cluster_mtbf, "min")}),
        Substituted(stall_share, {s_e: (stall, "s"), tau_j: (steps, "s")}),
    ),
    columns={"yours, in whole steps": steps, "Young's rule": young, "exact": best, "exact, in whole steps": best_steps},
    rows=(
        Row("useful share of the clock", useful, "%"),
        Row("waste, exact", fleet_waste, "%"),
        Row("waste, first order", first_order, "%"),
        Row("checkpoint overhead", overhead, "%"),
        Row("work lost in a failure", lost, "min"),
    ),
    failures=(
        Failure(
            "The stalls are over the budget",
            over_budget,
            "Every {tau_j} of work costs a stall of {s_e}: {p} of the training time, where {w_g} are allowed.",
            (
                Way("Write in the background: {to}.", a, 0),
                Way("Work longer between checkpoints: {to}. Every failure then costs more.", T, budget_interval),
                Way("Buy a faster store: {to}.", b, budget_store),
                Way("Write less, as stated: {to}.", S, budget_size),
                Way("Copy faster, if asynchronous: {to}.", s, budget_stall),
            ),
            slots={"tau_j": (steps, "s"), "s_e": (stall, "s"), "p": (own_overhead, "%")},
        ),
        Failure(
            "The interval is shorter than the write",
            too_short,
            "A write takes {u} in the background, and the next one would begin after {tau_j}: "
            "snapshots pile up, or wait. All figures here let them wait.",
            (
                Way("Leave room for the write: {to} of work.", T, room_interval),
                Way("Buy a faster store: {to}.", b, room_store),
                Way("Write less, as stated: {to}.", S, room_size),
                Way("Stand still while it writes: {to}.", a, 100),
            ),
            slots={"u": (behind, "s"), "tau_j": (steps, "s")},
        ),
        Failure(
            "The fleet fails before a checkpoint is written",
            no_write,
            "It fails every {M}, and a write takes {C_w}: few of them are ever finished.",
            (
                Way("Buy a faster store: {to}.", b, calm_store),
                Way("Write less, as stated: {to}.", S, calm_size),
                Way("Use fewer devices: {to}.", N, calm_devices),
                Way("Find devices that live longer: {to} each.", m, calm_life),
            ),
            slots={"M": (cluster_mtbf, "s"), "C_w": (write, "s")},
        ),
        Failure(
            "The fleet fails before it is up again",
            no_restart,
            "It fails every {M}, and a restart takes {R}: it fails while it starts, and begins again.",
            (
                Way("Restart faster: {to}.", R, rest_time),
                Way("Find devices that live longer: {to} each.", m, rest_life),
                Way("Use fewer devices: {to}.", N, rest_devices),
            ),
            slots={"M": (cluster_mtbf, "min")},
        ),
        Failure(
            "Half of the clock is lost",
            too_little,
            "Only {eta} of the clock is useful: the rest are stalls, restarts, and work that is done again.",
            (
                Way("Save every {to}.", T, useful_interval),
                Way("Write in the background: {to}.", a, 0),
                Way("Find devices that live longer: {to} each.", m, useful_life),
                Way("Use fewer devices: {to}.", N, useful_devices),
            ),
            slots={"eta": (own_useful, "%")},
        ),
    ),
    limits="Failures strike at a constant rate, during restarts too; training keeps its speed while it writes in "
    "the background; sizes in decimal units.",
)

# --- questions ------------------------------------------------------------------------------

third_interval = Formula(young_daly.tau_k, tau / 3)
twice_interval = Formula(young_daly.tau_k, 2 * tau)


def _after(minutes):
    """Return the useful share of the clock at an interval."""
    rhs = useful.rhs.subs(T, 60 * minutes * One("s"))
    return Formula(eta, rhs, convention=f"an interval of {minutes} min")


after_5, after_10, after_20, after_60 = (_after(minutes) for minutes in (5, 10, 20, 60))
# --- the lab --------------------------------------------------------------------------------

LLAMA_LIFE = "50680 gpu h"  # the MTBF of a device that was measured, on a step of the slider
exercises, questions = read_exercises(__name__), read_questions(__name__)
lab = Lab(
    "The checkpoint reckoning",
    (
        exercises.guess_waste,
        questions.often,
        explorer,
        questions.growth,
        exercises.guess_fleet,
        questions.every,
        designer,
        questions.why_async,
    ),
    {
        "told": Context(
            "As told",
            "Two messages, two teams: a cluster of {val}`young_daly.lab_devices` in act I, and in act II the plan for "
            "{val}`young_daly.lab_large`, with the figures of its planning sheet.",
            {
                **{M: "8 h", C: "4 min", tau: "30 min"},
                **{N: "16384 gpu", m: "200 gpu h", q_S: "0", S: "2 TB", n_g: "1000", beta: "14 B", b: "400 GB/s"},
                **{h: "10 s", a: "100 %", s: "0.1 s", R: "0 min", T: "20 s", w_g: "20 %"},
            },
        ),
        "small": Context(
            "Small cluster",
            "One team in both acts: {val}`young_daly.lab_devices`, a model of 70 billion parameters, and a file "
            "server behind which a checkpoint waits for four minutes.",
            {
                **{M: "8 h", C: "4 min", tau: "30 min"},
                **{N: "1024 gpu", m: "8190 gpu h", q_S: "1", S: "1 TB", n_g: "70", beta: "14 B", b: "4 GB/s"},
                **{h: "2 s", a: "100 %", s: "2 s", R: "5 min", T: "1800 s", w_g: "20 %"},
            },
        ),
        "large": Context(
            "Large cluster",
            "One team in both acts, and a fleet that exists: {val}`young_daly.llama_devices`, failing as often as the one "
            "that trained Llama 3, every {val}`young_daly.llama_mtbf`; the whole state of the model, and a restart.",
            {
                **{M: "3 h", C: "1 min", tau: "30 min"},
                **{N: "16384 gpu", m: LLAMA_LIFE, q_S: "1", S: "5 TB", n_g: "1000", beta: "14 B", b: "200 GB/s"},
                **{h: "10 s", a: "100 %", s: "5 s", R: "5 min", T: "1800 s", w_g: "20 %"},
            },
        ),
    },
    (
        Outcome("act I: best", explorer, interval, "min"),
        Outcome("act II: MTBF", designer, cluster_mtbf, "min"),
        Outcome("best", designer, best_steps, "s"),
        Outcome("yours", designer, steps, "s"),
        Outcome("overhead", designer, own_overhead, "%"),
        Outcome("useful", designer, own_useful, "%"),
    ),
    minutes={"act one": 30, "act two": 45},
)
