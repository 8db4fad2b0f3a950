"""Goodput, decided: how long a hang timeout should be when the distribution of harmless pauses is not known."""

from mathcore import Decision, Example, Range, spaced
from mathcore.chapters import young_daly
from mathcore.chapters.goodput import measured, progress
from mathcore.chapters.goodput.progress import L_f, M, M_h, h_h, nu, s_p, sigma_p, theta, w_t, watchdog_heavy

hangs_as_counted = Example(
    progress.silent_share.solve_for("M_h"), {M: young_daly.llama_mtbf, h_h: measured.fleet_share}, digits=2
)

timeout = Decision(
    "How long should the hang timeout be?",
    options={theta: (*spaced("0.5 min", "30 min", 120), progress.nccl_timeout)},
    given={M_h: "9 h", nu: "6 /h", s_p: "20 s", L_f: "20 min", sigma_p: "1.2"},
    minimise=watchdog_heavy,
    uncertain={
        M_h: Range(
            "4 h",
            hangs_as_counted,
            source="from three quarters of the failures of Llama 3's cluster to the share of hangs that ByteDance counts",
        ),
        nu: Range("1 /h", "20 /h", source="assumed: from one slow file an hour to one every three minutes"),
        s_p: Range("5 s", "60 s", source="assumed: from garbage collection to a slow file system"),
        L_f: Range("10 min", "40 min", source="half and twice the restart and lost work of the case"),
        sigma_p: Range(
            "0.5",
            "1.5",
            source="assumed: from a tail thinner than the exponential one to that of measured repairs",
            linear=True,
        ),
    },
    error=("11 %", "Poisson standard deviation of the 80 hangs of a month, by which the cost of waiting is known"),
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
    expects={theta: ("3 min", "9 min")},
)
