"""Young–Daly, decided: how the job saves and how often, with the errors that replays of real failures show."""

from mathcore import Decision, Example, Range, geomspace
from mathcore.chapters import fleet_checkpointing, young_daly
from mathcore.chapters.fleet_checkpointing import async_waste, competing_upload, d, g, i_u, levels, s, slowdown, u, u_0
from mathcore.chapters.fleet_checkpointing import facts as fleet_facts
from mathcore.chapters.young_daly import C, D, M, N, R, measured, tau, w, w_1, w_2

WEEK = "a week at this MTBF has 21 failures, and a Poisson count of 21 has the 90 % interval 14 to 30"
RANGES = {
    C: Range("2 min", "8 min", source="assumed, since the write was not measured: within a factor of two"),
    M: Range("5.6 h", "12 h", source=WEEK),
}
# What the decisions on fleets share: a dip of throughput was measured, but not its shape, which is assumed.
INTERFERENCE = Range(
    "2 s",
    "4 min",
    source="from an eighth of today's value, if uploads hardly compete, to uploads from threads at the lowest measured throughput throughout",
)
ERROR = ("20 %", "assumed: twice the largest error of synchronous writes, since no other mode was replayed")
LABELS = {
    "saves": "checkpoints",
    tau: "every",
    w: "waste",
    C: "write with everybody waiting",
    s: "stall",
    u_0: "upload",
    i_u: "interference of one upload",
    M: "MTBF",
}

ASYNCHRONOUS = {M: young_daly.lab_mtbf, s: "5 s", u: young_daly.lab_write, d: "0 s", R: "0 s"}
mode = Decision(
    "Should one level of checkpoints be synchronous or asynchronous, and how often?",
    options={
        "saves": {"synchronous": {w: young_daly.waste}, "asynchronous": {w: async_waste}},
        tau: (*geomspace("5 min", "5 h", 200), "30 min"),
    },
    given={
        **ASYNCHRONOUS,
        C: young_daly.lab_write,
        u: competing_upload,
        u_0: young_daly.lab_write,
        i_u: fleet_checkpointing.interference_process,
        g: slowdown,
    },
    minimise=w,
    uncertain={
        **RANGES,
        s: Range(fleet_facts.dcp_stall, fleet_facts.ibm_stall_most),
        u_0: Range(
            "2 min", "12 min", source="from half of the write to three times as long, as a measured bucket took"
        ),
        i_u: INTERFERENCE,
    },
    common=(((C, u_0), 0.7, "both write to the same storage"),),
    error=ERROR,
    decides=("saves",),
    proposed={"saves": "synchronous", tau: "30 min"},
    labels=LABELS,
    expects={"saves": "asynchronous", tau: ("15 min", "25 min")},
)

interval = Decision(
    "How much work should lie between two synchronous checkpoints?",
    options={tau: (*geomspace("5 min", "5 h", 400), "30 min")},
    given={C: young_daly.lab_write, M: young_daly.lab_mtbf},
    minimise=young_daly.waste,
    uncertain=RANGES,
    error=measured.facts.young_regret_worst,
    proposed={tau: "30 min"},
    labels={**LABELS, tau: "interval"},
    expects={tau: ("35 min", "110 min")},
)

# --- worked examples -----------------------------------------------------------------------

asynchronous_slowdown = Example(slowdown, {i_u: fleet_checkpointing.interference_process, u: young_daly.lab_write})
asynchronous_least = Example(fleet_checkpointing.async_least, {**ASYNCHRONOUS, g: asynchronous_slowdown})
asynchronous_week = Example(
    young_daly.gain, {N: young_daly.lab_devices, D: "7 d", w_1: young_daly.act_one_waste, w_2: asynchronous_least}
)
FAILURES = {M: young_daly.lab_mtbf, levels.q: "90 %"}
two_levels = Example(
    levels.two_level_upload,
    {
        **{symbol: value for symbol, value in ASYNCHRONOUS.items() if symbol is not M},
        levels.k: "5",
        levels.W: "50 min",
        levels.C_1: "5 s",
        g: asynchronous_slowdown,
        levels.R_1: "0 s",
        levels.M_1: Example(levels.fast_failures, FAILURES),
        levels.M_2: Example(levels.slow_failures, FAILURES),
    },
)
