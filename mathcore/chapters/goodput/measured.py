"""Goodput, measured: the closed form of the effective training time, and whole clusters that are up, by a log."""

from mathcore import Example, Formula, Variable, read_facts
from mathcore.chapters import goodput, reliability, young_daly
from mathcore.chapters.goodput import ettr as goodput_ettr
from mathcore.chapters.goodput import n, progress, t_r, t_u
from mathcore.chapters.goodput.ettr import o
from mathcore.chapters.reliability.measured import clusters
from mathcore.chapters.young_daly import C, M, tau
from mathcore.chapters.young_daly.measured import replayed
from mathcore.measured import Comparison, Dataset

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

replayed_ratio = Comparison(
    formula=goodput_ettr.ettr,
    data=replayed,
    measured="ratio",
    columns={tau: "interval", C: "write", M: "mtbf", o: "restart"},
    only={"regular": "yes"},
    over={"MTBF": "mtbf"},
    system="jobs replayed on the failures of ten clusters",
    bound=("0.5 %", "4 %"),
    note="Inside its regime the closed form hardly errs, bursts or not.",
)

titan = Dataset("titan_replay")
replayed_gpus = Comparison(
    formula=goodput_ettr.ettr,
    data=titan,
    measured="ratio",
    columns={tau: "interval", C: "write", M: "mtbf", o: "restart"},
    only={"regular": "yes"},
    over={"MTBF": "mtbf"},
    system="jobs replayed on the GPU failures of Titan, both halves of the log",
    bound=("1 %", "4 %"),
    note="Nothing is fitted. The closed form carries from clusters of CPUs to GPUs.",
)

k_s = Variable(
    "k_s", "", "interruptions that a watchdog ended", tex=r"k_{\mathrm{s}}", low="0", high="1000000", integer=True
)
k_a = Variable("k_a", "", "interruptions, all of them", tex=r"k_{\mathrm{a}}", low="1", high="1000000", integer=True)
M_n = Variable("M_n", "s", "mean time between failures of the whole system", display_unit="h", low="1 s")
up_of_node = Formula(
    t_u, n * M_n, assumptions="nodes fail alike and are hardly ever away", convention="one node of $n$"
)
together = Comparison(
    formula=goodput.all_up,
    data=clusters,
    measured="all_up",
    columns={t_u: up_of_node, n: "nodes", M_n: "mtbf", t_r: "repair_mean"},
    also=(goodput.availability,),
    over={"nodes": "nodes", "repair": "repair_mean"},
    system="share of the time in which all nodes of a cluster are up, eleven clusters",
    bound=("6 %", "40 %"),
    note="Nothing is fitted. Nodes that fail together are away together, so all are up more often than independent nodes would be, by a third where a few repairs took weeks.",
)

RACK = {t_u: "150 d", n: "128"}  # the nodes of the page
rack_quick = Example(goodput.all_up, {**RACK, t_r: facts.repair_quick})
rack_usual = Example(goodput.all_up, {**RACK, t_r: facts.repair_usual})
rack_slowest = Example(goodput.all_up, {**RACK, t_r: facts.repair_slowest})

# --- the committee, with the shares of silent failures that two tables name ---------------------------

hang_share = Formula(progress.h_h, k_s / k_a, kind="definition", assumptions="what hung is booked as hanging")
seen_share = Example(hang_share, {k_s: reliability.facts.llama_nccl, k_a: young_daly.llama_failures})
SEEN = {**progress.START, progress.h_h: seen_share}
seen_restart = Example(progress.mean_restart, {**SEEN, progress.theta: progress.facts.nccl_timeout})
seen_short = Example(progress.mean_restart, {**SEEN, progress.theta: "3 min"})
seen_base = Example(goodput_ettr.ettr, {**progress.STORM, o: seen_restart})
seen_both = Example(goodput_ettr.ettr_best, {M: progress.STORM[M], C: "10 s", o: seen_short})
seen_more = Example(goodput_ettr.ettr_best, {M: progress.more_mtbf, C: progress.STORM[C], o: seen_restart})
FLEETS = {progress.N_1: "16384 gpu", progress.e_1: seen_base}
seen_gain_both = Example(progress.speed_gain, {**FLEETS, progress.N_2: "16384 gpu", progress.e_2: seen_both})
seen_gain_more = Example(progress.speed_gain, {**FLEETS, progress.N_2: "18022 gpu", progress.e_2: seen_more})
fleet_share = Example(hang_share, {k_s: progress.facts.robust_hangs, k_a: progress.facts.robust_failures})
FLEET = {**progress.START, progress.h_h: fleet_share}
fleet_restart = Example(progress.mean_restart, {**FLEET, progress.theta: progress.facts.nccl_timeout})
fleet_short = Example(progress.mean_restart, {**FLEET, progress.theta: "3 min"})
fleet_base = Example(goodput_ettr.ettr, {**progress.STORM, o: fleet_restart})
fleet_both = Example(goodput_ettr.ettr_best, {M: progress.STORM[M], C: "10 s", o: fleet_short})
fleet_more = Example(goodput_ettr.ettr_best, {M: progress.more_mtbf, C: progress.STORM[C], o: fleet_restart})
HUNG = {progress.N_1: "16384 gpu", progress.e_1: fleet_base}
fleet_gain_both = Example(progress.speed_gain, {**HUNG, progress.N_2: "16384 gpu", progress.e_2: fleet_both})
fleet_gain_more = Example(progress.speed_gain, {**HUNG, progress.N_2: "18022 gpu", progress.e_2: fleet_more})
