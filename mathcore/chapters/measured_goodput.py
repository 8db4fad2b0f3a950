"""Goodput, measured: the closed form of the effective training time, and whole fleets that are up, by a log."""

from mathcore import Example, Formula, Variable, read_facts
from mathcore.chapters import effective_time, goodput
from mathcore.chapters.effective_time import o
from mathcore.chapters.goodput import n, t_r, t_u
from mathcore.chapters.young_daly import C, M, tau
from mathcore.measured import Comparison, Dataset

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

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

M_n = Variable("M_n", "s", "mean time between failures of the whole system", tex=r"M_n", shown="h", low="1 s")
up_of_node = Formula(t_u, n * M_n, when="nodes fail alike and are hardly ever away", convention="one node of $n$")
together = Comparison(
    formula=goodput.all_up,
    data=Dataset("lanl_clusters"),
    measured="all_up",
    by={t_u: up_of_node, n: "nodes", M_n: "mtbf", t_r: "repair_mean"},
    also=(goodput.availability,),
    over={"nodes": "nodes", "repair": "repair_mean"},
    system="share of the time in which all nodes of a cluster are up, eleven clusters",
    bound=("6 %", "40 %"),
    note="Nothing is fitted. Nodes that fail together are away together, so all are up more often than independent nodes would be, by a third where a few repairs took weeks.",
)

RACK = {t_u: "150 d", n: "128"}  # the nodes of the page
rack_quick = Example(goodput.all_up, {**RACK, t_r: facts.repair_quick})
rack_usual = Example(goodput.all_up, {**RACK, t_r: facts.repair_usual})
