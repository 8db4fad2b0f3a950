"""Goodput, measured: the closed form of the effective training time on failures that a log holds."""

from mathcore.chapters import effective_time
from mathcore.chapters.effective_time import o
from mathcore.chapters.young_daly import C, M, tau
from mathcore.measured import Comparison, Dataset

replayed = Dataset("lanl_replay")
replayed_ratio = Comparison(
    formula=effective_time.ettr,
    data=replayed,
    measured="ratio",
    by={tau: "interval", C: "write", M: "mtbf", o: "restart"},
    only={"regular": "yes"},
    over={"MTBF": "mtbf"},
    system="jobs replayed on the failures of ten clusters",
    bound=("0.5 %", "4 %"),
    note="Inside its regime the closed form hardly errs, bursts or not.",
)
