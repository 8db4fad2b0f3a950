"""The next project and the hang timeout, decided: by date, by cost, and by the share of time lost."""

from itertools import combinations

from mathcore import Decision, Example, Formula, Range, Variable, geomspace
from mathcore.chapters import goodput, sites, young_daly
from mathcore.chapters.fleet_checkpointing import facts as fleet_facts
from mathcore.chapters.goodput import ettr, measured, progress, replicas
from mathcore.chapters.goodput.ettr import e, o
from mathcore.chapters.goodput.progress import (
    N_1,
    T_N,
    L_f,
    M_h,
    e_f,
    h_h,
    lognormal_waste,
    nu,
    s_p,
    sigma_p,
    t_i,
    t_o,
    t_w,
    theta,
    w_f,
    w_t,
)
from mathcore.chapters.goodput.replicas import X_r, n_g, q_a, t_h, t_j, t_p, t_q
from mathcore.chapters.reliability import measured as reliability_measured
from mathcore.chapters.young_daly import C, M, N, T_s, m, tau
from mathcore.measured import PairedError

eta_x = Variable(
    "eta_x",
    "",
    "speed per device on the larger cluster, failures aside",
    tex=r"\eta_{+}",
    display_unit="%",
    low="50 %",
    high="100 %",
)
eta_r = Variable(
    "eta_r",
    "",
    "speed per device of a job of replicas, failures aside",
    tex=r"\eta_{\mathrm{rep}}",
    display_unit="%",
    low="50 %",
    high="100 %",
)
k_h = Variable(
    "k_h",
    "USD/(gpu h)",
    "price of a device-hour",
    alias="price_per_hour",
    tex=r"k_{\mathrm{h}}",
    low="0.01 USD/(gpu h)",
    high="100 USD/(gpu h)",
)
X_p = Variable(
    "X_p", "USD", "price of a project's engineers", display_unit="MUSD", low="0 USD", high="1000000000 USD", zero=True
)
X_s = Variable(
    "X_s", "USD", "price of one software project", display_unit="MUSD", low="0 USD", high="1000000000 USD", zero=True
)
B_run = Variable("B_run", "USD", "cost of the run and of the project", tex=r"B_{\mathrm{run}}", display_unit="MUSD")
END = "the same work, divided by the GPUs, their speed and the share of time that counts"
end = Formula(T_N, T_s * N_1 / (N * eta_x * eta_r * e_f), assumptions=END)
cost = Formula(B_run, N * T_N * k_h + X_p, assumptions="each project is paid for by this run alone")
undisturbed = Example(goodput.training_time, {**progress.RUN, goodput.G: "100 %"})

ABSENT = {
    "recovery": {eta_r: "100 %", e: ettr.ettr},
    "writes": {C: progress.STORM[C]},
    "timeout": {theta: progress.facts.nccl_timeout},
    "devices": {N: "16384 gpu", eta_x: "100 %"},
}
PRESENT = {
    "replicas": {e: replicas.with_stops},
    "in place": {eta_r: "100 %", e: replicas.with_stops, t_h: replicas.stall_in_place, t_j: "0 s"},
    "writes": {C: "10 s"},
    "timeout": {theta: ("2 min", "3 min", "5 min", "6 min", "7 min", "8 min", "9 min")},
    "devices": {N: "18022 gpu"},
}
PRICES = {"replicas": X_r, "in place": X_r, "writes": X_s, "timeout": X_s, "devices": 0 * X_s}


def project_of(chosen):
    """Return what a set of projects, by name, substitutes: those that are chosen, and the others left as they are."""
    settings = dict(ABSENT)
    for name in chosen:
        settings["recovery" if name in RECOVERIES else name] = PRESENT[name]
    price = sum((PRICES[name] for name in chosen), 0 * X_s)
    return {symbol: value for part in settings.values() for symbol, value in part.items()} | {X_p: price or "0 USD"}


RECOVERIES = ("replicas", "in place")
SETS = [
    chosen
    for count in range(5)
    for chosen in combinations(PRESENT, count)
    if not set(RECOVERIES) <= set(chosen)  # a failure is recovered from in one way
]
OPTIONS = {
    "project": {" and ".join(chosen) or "none": project_of(chosen) for chosen in SETS},
    tau: geomspace("4 min", "90 min", 34),
}
GIVEN = {
    T_s: undisturbed,
    N_1: "16384 gpu",
    e_f: progress.ratio_watched,
    t_h: replicas.stall,
    t_j: replicas.rejoin_time,
    w_f: progress.lognormal_false_alarms,
    M: young_daly.cluster_mtbf,
    o: progress.mean_restart,
    **{symbol: progress.LATE[symbol] for symbol in (nu, s_p, L_f)},
    t_o: progress.START[t_o],
}
PAUSES = {
    nu: Range("1 /h", "20 /h", source="assumed: from one slow file an hour to one every three minutes"),
    s_p: Range("5 s", "60 s", source="assumed: from garbage collection to a slow file system"),
    sigma_p: Range(
        "0.5",
        "1.5",
        source="assumed: from a tail thinner than the exponential one to that of measured repairs",
        value="1.2",
        linear=True,
    ),
}
UNCERTAIN = {
    h_h: Range(
        measured.seen_share,
        progress.silent_third,
        source="from Llama 3's NCCL timeouts to a third of the failures, the example's",
        value=measured.fleet_share,
    ),
    m: Range(
        reliability_measured.h100_98k,
        reliability_measured.h100_32k,
        source="from Meta's 98,304 H100 to its 32,768 H100, one operator",
        value=young_daly.llama_device_mtbf,
    ),
    **PAUSES,
    t_w: Range(
        "0.5 min",
        "5 min",
        source="assumed: from a spare that runs to one that has to be started",
        value=progress.START[t_w],
    ),
    t_i: Range(replicas.facts.mega_init_best, replicas.facts.mega_init, value=progress.START[t_i]),
    eta_x: Range("95 %", "100 %", source="assumed: from half of the growth lost to none", value="98 %"),
    eta_r: Range("95 %", "100 %", source="assumed: what copies of the state and a second group cost", value="99 %"),
    t_q: Range(
        "10 s", replicas.facts.hsdp_stall, source="assumed: from a step to the stall of 100,000 devices", value="1 min"
    ),
    t_p: Range(replicas.facts.in_job_restart, replicas.facts.hsdp_stall_before, value=fleet_facts.restart_quick),
    n_g: Range(
        "128 gpu", "4096 gpu", source="assumed: from the fewest that hold the state to four replicas", value="1024 gpu"
    ),
    q_a: Range(
        "3 %",
        "30 %",
        source="assumed: from a quarter of Llama 3's bugs to its bugs, network and host maintenance together",
        value=replicas.stopped_llama,
    ),
}
ERROR = PairedError(measured.replayed_ratio, same=("system",))
NAMES = {
    "replicas": "recovery by replica",
    "in place": "restart in place",
    "writes": "faster writes",
    "timeout": "shorter timeout",
    "devices": "more GPUs",
}
LABELS = {
    "none": "no project",
    **{" and ".join(chosen): " + ".join(NAMES[name] for name in chosen) for chosen in SETS if chosen},
    tau: "interval",
    theta: "timeout",
    T_N: "the run takes",
    e_f: "goodput",
    h_h: "share of hangs",
    m: "MTBF of a device",
    nu: "rate of pauses",
    s_p: "mean pause",
    sigma_p: "tail of pauses",
    t_w: "time to a healthy node",
    t_i: "start of processes and network",
    eta_x: "speed per device of a larger cluster",
    eta_r: "speed per device of a job of replicas",
    t_q: "time to form the group anew",
    t_p: "time to restart in place",
    n_g: "devices of a replica",
    q_a: "share of failures that stop all",
    X_r: "engineers of recovery by replica or in place",
    k_h: "price of an hour",
    X_s: "engineers of a project",
    B_run: "cost",
}

project = Decision(
    "Which project shortens the run most?",
    options=OPTIONS,
    given={**GIVEN, X_s: "0.5 MUSD", X_r: "1.5 MUSD", k_h: sites.contract_june, T_N: end, B_run: cost},
    minimise=T_N,
    uncertain=UNCERTAIN,
    error=ERROR,
    decides=("project",),
    columns=(e_f, B_run),
    proposed={"project": "timeout"},
    labels=LABELS,
    expects=[
        {"project": f"{recovery} and writes{timeout} and devices"}
        for recovery in RECOVERIES
        for timeout in ("", " and timeout")
    ],
)

project_by_cost = Decision(
    "Which project makes the run cheapest?",
    options=OPTIONS,
    given={**GIVEN, T_N: end},
    minimise=cost,
    uncertain={
        **UNCERTAIN,
        k_h: Range(
            sites.contract_2025,
            "4 USD/(gpu h)",
            source="from the low of October 2025 to half as much again as in June 2026",
            value=sites.contract_june,
        ),
        X_s: Range(
            "0.2 MUSD",
            "1 MUSD",
            source="assumed: from half an engineer's year to two engineers' year",
            value="0.5 MUSD",
        ),
        X_r: Range("0.5 MUSD", "4 MUSD", source="assumed: from one engineer's year to eight", value="1.5 MUSD"),
    },
    error=ERROR,
    decides=("project",),
    columns=(T_N,),
    proposed={"project": "devices"},
    labels=LABELS,
    expects=[
        {"project": "in place"},
        *({"project": f"{recovery} and writes{more}"} for recovery in RECOVERIES for more in ("", " and timeout")),
    ],
)

hangs_as_counted = Example(
    progress.hang_share.solve_for("M_h"), {M: young_daly.llama_mtbf, h_h: measured.fleet_share}, digits=2
)
hangs_at_least = Example(
    progress.hang_share.solve_for("M_h"), {M: young_daly.llama_mtbf, h_h: measured.seen_share}, digits=2
)

CASE = {nu: "6 /h", s_p: "20 s", L_f: "20 min", sigma_p: "1.2"}
timeout = Decision(
    "How long should the hang timeout be?",
    options={theta: (*geomspace("0.5 min", "30 min", 120), progress.nccl_timeout)},
    given=CASE,
    minimise=lognormal_waste,
    uncertain={
        M_h: Range(
            "9 h",
            hangs_at_least,
            source="from a third of Llama 3's failures, assumed, to its NCCL timeouts alone; today the share that ByteDance counts",
            value=hangs_as_counted,
        ),
        **PAUSES,
        L_f: Range("10 min", "40 min", source="half and twice the restart and lost work of the case"),
    },
    error=("19 %", "Poisson standard deviation of the 28 hangs of a month, by which the cost of waiting is known"),
    proposed={theta: progress.nccl_timeout},
    labels={
        theta: "timeout",
        w_t: "share of time lost",
        M_h: "time between hangs",
        nu: "rate of pauses",
        s_p: "mean pause",
        L_f: "cost of a false alarm",
        sigma_p: "tail of the pauses",
    },
    expects={theta: ("5 min", "11 min")},
)
