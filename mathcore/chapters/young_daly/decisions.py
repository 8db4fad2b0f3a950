"""Young–Daly, decided: the interval of the first page, with the errors that replays of real failures show."""

from mathcore import Decision, Range, spaced
from mathcore.chapters import young_daly
from mathcore.chapters.young_daly import C, M, measured, tau

WEEK = "a week at this MTBF has 21 failures, and a Poisson count of 21 has the 90 % interval 14 to 30"
interval = Decision(
    "How much work should lie between two checkpoints?",
    options={tau: (*spaced("5 min", "5 h", 400), "30 min")},
    given={C: young_daly.lab_write, M: young_daly.lab_mtbf},
    minimise=young_daly.waste,
    uncertain={
        C: Range("2 min", "8 min", source="assumed, since the write was not measured: within a factor of two"),
        M: Range("5.6 h", "12 h", source=WEEK),
    },
    error=measured.facts.young_regret_worst,
    proposed={tau: "30 min"},
    labels={tau: "interval", young_daly.w: "waste"},
    expects={tau: ("35 min", "110 min")},
)
