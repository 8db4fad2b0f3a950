"""Collectives, measured: latency and bandwidth of sums, gathers and exchanges, from one node to five hundred."""

from sympy import ceiling, log, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import collectives, hardware
from mathcore.chapters.collectives import (
    G,
    M,
    T_tree,
    alpha,
    alpha_o,
    beta,
    beta_i,
    beta_o,
    n,
    n_1,
    n_2,
    p,
    rails,
    t_1,
    t_2,
    two_measurements,
)
from mathcore.measured import Comparison, Dataset, PairedError

# --- symbols -------------------------------------------------------------------------------

t_i = Variable("t_i", "s", "time inside a node", tex=r"t_{\mathrm{i}}", display_unit="µs", low="0.1 µs", high="1 s")
e = Variable("e", "", "share of the NICs' bandwidth that is attained", display_unit="%", low="1 %", high="100 %")
b_p = Variable(
    "b_p", "B/s", "rate of a NIC per direction", tex=r"b_{\mathrm{p}}", display_unit="GB/s", low="1 GB/s", high="1 TB/s"
)
n_p = Variable("n_p", "", "NICs of a node", tex=r"n_{\mathrm{p}}", low="1", high="64", integer=True)
o = Variable("o", "", "oversubscription: bandwidth at the edge over bandwidth of the spine", low="1", high="64")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- data ----------------------------------------------------------------------------------

alps = Dataset("all_reduce_alps")
buckets = Dataset("buckets_alps")
polaris = Dataset("collectives_polaris")
p5 = Dataset("all_reduce_p5")
h200 = Dataset("all_reduce_h200")
switches = Dataset("ring_or_switch_h200")

# --- short messages ------------------------------------------------------------------------

tree_of_nodes = Formula(
    T_tree,
    t_i + 2 * ceiling(log(M, 2)) * alpha_o,
    assumptions="a message so short that its bytes take no time: added in the node, up a tree of nodes, and down again",
)
FEW, MANY = {"nodes": "<= 32"}, {"nodes": "> 32"}
SPREAD = {"nodes": "nodes", "bytes": "message"}
TREE = {
    "formula": tree_of_nodes,
    "measured": "time",
    "columns": {M: "nodes"},
    "fit_parameters": {alpha_o: ("2 µs", "40 µs"), t_i: ("2 µs", "60 µs")},
    "fit": FEW,
    "holdout": MANY,
    "over": {"nodes": "nodes"},
}
tree_alps = Comparison(
    **TREE,
    data=alps,
    only={"message": "<= 1024"},
    system="short all-reduces, Alps",
    bound=("9 %", "20 %"),
    note="A latency for each doubling of the nodes, as trees have it: fitted on 32 nodes, it holds on 512.",
)
tree_polaris = Comparison(
    **TREE,
    data=polaris,
    only={"operation": "all-reduce", "message": "<= 1024"},
    system="short all-reduces, Polaris",
    bound=("8 %", "18 %"),
    note="The same formula holds with a larger constant.",
)
RING = {
    "formula": collectives.ring,
    "measured": "time",
    "columns": {p: "ranks", n: "message"},
    "fit_parameters": {alpha: ("0.1 µs", "40 µs"), beta: ("1 GB/s", "200 GB/s")},
    "fit": FEW,
    "holdout": MANY,
    "over": SPREAD,
}
ring_alps = Comparison(
    **RING,
    data=alps,
    system="all-reduces of all sizes as one ring, Alps",
    bound=("200 %", "2000 %"),
    note="One ring through all devices is refuted: it would spend dozens of times as long on latency.",
)
ring_polaris = Comparison(
    **RING,
    data=polaris,
    only={"operation": "all-reduce"},
    system="all-reduces of all sizes as one ring, Polaris",
    bound=("900 %", "4000 %"),
    note="It is refuted on the second cluster as well.",
)
trees_p5 = Comparison(
    **{key: RING[key] for key in ("measured", "columns")},
    formula=collectives.two_trees,
    fit_parameters={alpha: ("1 µs", "200 µs"), beta: ("1 GB/s", "2 TB/s")},
    data=p5,
    only={"nodes": 2, "message": ">= 262144"},
    seed=7,
    over={"bytes": "message"},
    system="all-reduces from 256 KiB on as two trees, two nodes of H100",
    bound=("7 %", "12 %"),
    note="On two nodes, two fitted constants describe messages from 0.25 MB on, but with a bandwidth that no link there has.",
)

ring_in_node = switches.chosen({"devices": 8})[0]["ring"]
(_long,) = p5.chosen({"nodes": 1, "message": 17179869184})
switch_long = Example(collectives.algorithm_bandwidth, {n: _long["message"], collectives.t: _long["time"]})

# --- long messages -------------------------------------------------------------------------

ports_attained = Formula(
    beta_o,
    e * n_p * b_p / G,
    assumptions="the devices of a node share its NICs evenly",
    convention="bandwidth between nodes, for each device",
)
rails_attained = (
    Derivation.start(rails)
    .apply({beta_o: ports_attained}, "a share of what the node's NICs could carry")
    .formula(assumptions="rings leave the node by all its NICs")
)
NODES = {G: "4", M: "nodes", n: "message", b_p: facts.slingshot_port}
LONG = {
    "formula": rails_attained,
    "measured": "time",
    "fit_parameters": {e: ("40 %", "99 %")},
    "fit": FEW,
    "holdout": MANY,
    "over": SPREAD,
    "also": (rails,),
}
rails_alps = Comparison(
    **LONG,
    data=alps,
    columns={**NODES, n_p: facts.alps_ports, beta_i: hardware.h100_nvlink},
    only={"message": ">= 268435456"},
    system="all-reduces of a gigabyte, Alps",
    bound=("40 %", "80 %"),
    note="Few nodes attain nearly all of the NICs' rate. On hundreds a gigabyte takes longer, in the worst job 2.5 times as long.",
)
rails_polaris = Comparison(
    **LONG,
    data=polaris,
    columns={**NODES, n_p: facts.polaris_ports, beta_i: facts.polaris_nvlink},
    only={"operation": "all-reduce", "message": ">= 268435456"},
    system="long all-reduces, Polaris",
    bound=("32 %", "40 %"),
    note="Few nodes attain nearly three quarters of the NICs' rate, and hundreds of nodes a quarter less than that.",
)
TWO_NODES = {
    "data": p5,
    "measured": "time",
    "columns": {G: "8", M: "nodes", n: "message", beta_o: hardware.ndr_port, beta_i: hardware.h100_nvlink},
    "only": {"nodes": 2, "message": ">= 1073741824"},
    "over": {"bytes": "message"},
}
rails_p5 = Comparison(
    **TWO_NODES,
    formula=rails,
    system="two nodes of H100, long all-reduces",
    bound=("20 %", "26 %"),
    note="This is faster than rings could be: on two nodes, an all-reduce that reduces inside the node first sends half of their bytes.",
)
levels_p5 = Comparison(
    **{
        **TWO_NODES,
        "columns": {G: "8", M: "nodes", n: "message", beta_o: hardware.ndr_port, collectives.beta_s: switch_long},
    },
    formula=collectives.levels_in_switch,
    system="two nodes of H100, long all-reduces reduced by the switch of each node first",
    bound=("12 %", "17 %"),
    note="A bound that no row beats: the rate of the switch is that of one node alone, and two nodes take 6 to 18 % longer.",
)

# --- buckets --------------------------------------------------------------------------------

IN_NODE = {p: G, n: collectives.n_c, alpha: collectives.alpha_i, beta: beta_i}
OUTSIDE = {p: M, n: collectives.n_x, alpha: alpha_o, beta: beta_o}
between_nodes = Formula(
    collectives.n_x, collectives.n_c / G, kind="definition", convention="each device has its share of the sum"
)
buckets_alps = Comparison(
    formula=collectives.hierarchical_pipelined,
    data=buckets,
    measured="time",
    columns={
        collectives.k: "1",
        collectives.T_i: collectives.ring.renamed({v: IN_NODE[v] for v in collectives.ring.inputs}),
        collectives.T_o: collectives.two_trees.renamed({v: OUTSIDE[v] for v in collectives.two_trees.inputs}),
        collectives.n_x: between_nodes,
        collectives.n_c: "message",
        G: "4",
        M: "nodes",
        collectives.alpha_i: "1 µs",
        alpha_o: tree_alps.fitted_parameters["alpha_o"],
        beta_i: hardware.h100_nvlink,
        beta_o: ports_attained,
        e: rails_alps.fitted_parameters["e"],
        n_p: facts.alps_ports,
        b_p: facts.slingshot_port,
    },
    over={"nodes": "nodes"},
    system="an all-reduce of a bucket of 34 MB as a double tree between nodes, Alps",
    bound=("45 %", "75 %"),
    note="Buckets take 1.4 to 3.5 times as long as the formula of a double tree says: it is a lower bound.",
)

# --- in the node ---------------------------------------------------------------------------

SWITCH = {
    "formula": collectives.switch,
    "measured": "time",
    "columns": {n: "message"},
    "fit_parameters": {alpha: ("1 µs", "80 µs"), beta: ("100 GB/s", "450 GB/s")},
    "fit": {"message": "<= 1073741824"},  # split after a first look at the errors: said in the notes
    "over": {"bytes": "message"},
}
switch_h100 = Comparison(
    **SWITCH,
    data=p5,
    only={"nodes": 1, "message": ">= 16777216"},
    system="all-reduce by in-switch reduction (NVLS), H100",
    bound=("11 %", "12 %"),
    note="Below 1 GiB the switch is fed at 56 % of the links' rate, beyond at 61 %. The rows were split into fit and test set after a first look at the errors: a description, not a validation.",
)
switch_h200 = Comparison(
    **SWITCH,
    data=h200,
    only={"message": ">= 16777216"},
    system="all-reduce by in-switch reduction (NVLS), H200",
    bound=("3.5 %", "5 %"),
    note="The links are the same, at 60 % of their rate; these rows were split after a first look as well.",
)
gain_counted = Comparison(
    formula=collectives.in_network_gain_counted,
    data=switches,
    measured="gain",
    columns={p: "devices"},
    system="gain of in-switch reduction, H200, counted in sends",
    over={"devices": "devices"},
    bound=("25 %", "30 %"),
    note="A bound, not a forecast: in-switch reduction gained 14 to 29 %.",
)

# --- gather and exchange -------------------------------------------------------------------

RANKS = {"data": polaris, "measured": "time", "fit": {"ranks": "<= 32"}, "over": {"ranks": "ranks", "bytes": "message"}}
gather = Comparison(
    **RANKS,
    formula=collectives.ring_gather,
    columns={p: "ranks", n: "message", beta: hardware.hdr_port},
    fit_parameters={alpha: ("1 µs", "40 µs")},
    only={"operation": "all-gather"},
    system="short all-gathers, Polaris",
    bound=("16 %", "20 %"),
    note="Here it is a ring: a latency for each rank. The formula fitted on 32 ranks holds on 2,160.",
)

# --- an oversubscribed network ----------------------------------------------------------------

rails_oversubscribed = (
    Derivation.start(rails)
    .apply({beta_o: ports_attained}, "a share of what the node's NICs could carry")
    .apply({e: 1 / o}, "the spine carries one $o$-th of what the edge does")
    .formula(
        assumptions="the order of the ranks ignores the topology, so that every hop of every ring crosses the spine",
        convention="oversubscription $o$ to 1",
    )
)

# --- other times --------------------------------------------------------------------------

STEP = {G: "8", n_p: "8", M: "128", n: collectives.page_gradients, b_p: hardware.ndr_port, beta_i: hardware.h100_nvlink}
AS_MEASURED = {**collectives.CROSS, alpha: gather.fitted_parameters["alpha"]}
measured_bucket = Example(collectives.bucket_needed, {**AS_MEASURED, collectives.r: "1.1"}, unit="GB", digits=2)
LONGEST = {n: collectives.page_gradients, alpha: switch_h100.fitted_parameters["alpha"], beta: switch_long}
switch_inside = Example(collectives.switch, LONGEST, unit="s")
ring_inside = Example(collectives.least_time, {n: collectives.page_gradients, p: "8", beta: ring_in_node}, unit="s")
gather_1024 = Example(
    collectives.ring_gather,
    {alpha: gather.fitted_parameters["alpha"], p: "1024", n: "16 kB", beta: hardware.hdr_port},
    unit="ms",
)
sum_1024 = Example(
    tree_of_nodes,
    {M: "256", alpha_o: tree_polaris.fitted_parameters["alpha_o"], t_i: tree_polaris.fitted_parameters["t_i"]},
    unit="ms",
)

RACK = {n_1: facts.rack_message_1, n_2: facts.rack_message_2}
rack = Example(two_measurements, {**RACK, t_1: facts.rack_time_1, t_2: facts.rack_time_2}, unit="GB/s")
two_racks = Example(two_measurements, {**RACK, t_1: facts.two_racks_time_1, t_2: facts.two_racks_time_2}, unit="GB/s")
racks = Example(two_measurements, {**RACK, t_1: facts.racks_time_1, t_2: facts.racks_time_2}, unit="GB/s")

# --- inputs of the decisions ------------------------------------------------------------------

A_s = Variable("A_s", "B/s", "message over time with in-network reduction", tex=r"A_{\mathrm{s}}", display_unit="GB/s")
e_s = Variable(
    "e_s",
    "",
    "bytes that in-network reduction adds in a time, over what the NICs attain",
    tex=r"e_{\mathrm{s}}",
    display_unit="%",
    low="1 %",
    high="100 %",
)
share_reduced = Formula(
    e_s, A_s / (G * e * beta_o), assumptions="NICs attain on that cluster what they attain on the other"
)
sharp = Example(collectives.algorithm_bandwidth, {n: facts.sharp_message, collectives.t: facts.sharp_time}, unit="GB/s")
sharp_share = Example(
    share_reduced, {A_s: sharp, G: "8", beta_o: hardware.ndr_port, e: rails_alps.fitted_parameters["e"]}
)

x_t = Variable("x_t", "", "measured over predicted time", tex=r"x_{\mathrm{t}}", low="0.1", high="100")
e_f = Variable("e_f", "", "share of the NICs' rate in the slowest job", tex=r"e_{\mathrm{f}}", display_unit="%")
attained = Formula(e_f, e / x_t, assumptions="a job takes that multiple of the predicted time")
EIGHT_PORTS = {e: rails_alps.fitted_parameters["e"], n_p: "8", G: "8"}
# What the NICs attained in the two jobs that are nearest to the case, 128 nodes, in size: 128 nodes and 256.
e_1 = Variable("e_1", "", "share in the first job", tex=r"e_{1}", display_unit="%", low="1 %", high="100 %")
e_2 = Variable("e_2", "", "share in the second job", tex=r"e_{2}", display_unit="%", low="1 %", high="100 %")
attained_in_job = Formula(
    e, 2 * n * (1 - 1 / (G * M)) / (n_p * b_p * collectives.t), assumptions="the NICs are the bottleneck of the rings"
)
attained_by_both = Formula(e, sqrt(e_1 * e_2), kind="definition", convention="geometric mean")


def job(data, ports, **chosen):
    """Return the example of the share that the NICs attained in a job, with 1 GiB from each device."""
    (row,) = data.chosen({"message": 1073741824, **chosen})
    nodes = {G: "4", n_p: ports, b_p: facts.slingshot_port, M: row["nodes"]}
    return Example(attained_in_job, {**nodes, n: row["message"], collectives.t: row["time"]}, digits=2)


job_alps = job(alps, facts.alps_ports, nodes=128)
job_polaris = job(polaris, facts.polaris_ports, operation="all-reduce", nodes=256)
attained_large = Example(attained_by_both, {e_1: job_alps, e_2: job_polaris}, digits=2)
LARGE_PORTS = {**EIGHT_PORTS, e: attained_large}
ndr_attained, xdr_attained = (
    Example(ports_attained, {**LARGE_PORTS, b_p: port}) for port in (hardware.ndr_port, hardware.xdr_port)
)
one_ring_faster = Example(collectives.ring, {**collectives.SYNC, collectives.beta: xdr_attained}, unit="s")
one_switch = Example(
    collectives.switch,
    {**{v: collectives.SYNC[v] for v in (n, collectives.alpha)}, collectives.beta: ndr_attained},
    unit="s",
)
attained_least = Example(attained, {e: rails_alps.fitted_parameters["e"], x_t: rails_alps.greatest})
error_of_gain = PairedError(gain_counted, of_ratios=True)
