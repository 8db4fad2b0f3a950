"""Collectives, decided: which all-reduce for a bucket, which for all gradients, and what faster NICs and switches add."""

from mathcore import Decision, Range, Variable
from mathcore.chapters import collectives, hardware
from mathcore.chapters.collectives import (
    G,
    M,
    T_i,
    T_o,
    alpha,
    alpha_i,
    alpha_o,
    alpha_s,
    beta,
    beta_i,
    beta_o,
    beta_s,
    beta_x,
    k,
    measured,
    n,
    n_c,
    n_x,
    p,
)
from mathcore.chapters.collectives.measured import e, e_s

T = Variable("T", "s", "time of the all-reduce", display_unit="ms")
i_n = Variable("i_n", "", "1 if NCCL has the algorithm", low="0", high="1", zero=True)
i_s = Variable("i_s", "", "1 if the network's switches have to reduce", low="0", high="1", zero=True)
i_w = Variable("i_w", "", "1 if the network's switches can reduce", low="0", high="1", zero=True)

beta_h = Variable(
    "beta_h",
    "B/s",
    "rate of the switch in a node of eight",
    tex=r"\beta_{\mathrm{node}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="10 TB/s",
)
beta_r = Variable(
    "beta_r",
    "B/s",
    "rate of rings in a node of eight",
    tex=r"\beta_{\mathrm{ring}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="10 TB/s",
)
beta_y = Variable(
    "beta_y",
    "B/s",
    "rate at which the network's switches reduce, for each NIC",
    tex=r"\beta_{\mathrm{y}}",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="1 TB/s",
)
beta_72 = Variable(
    "beta_72",
    "B/s",
    "rate of the switches in racks of 72",
    tex=r"\beta_{72}",
    display_unit="GB/s",
    low="1 GB/s",
    high="10 TB/s",
)
NCCL, OTHER = {i_n: 1, i_s: 0}, {i_n: 0, i_s: 0}
BETWEEN = {p: M, n: n_x, alpha: alpha_o, beta: beta_x}
INSIDE = {p: G, n: n_c, alpha: alpha_i, beta: beta_i}


def between(formula, rate=beta_x):
    """Return a formula for an all-reduce of a device's share among the nodes, at the rate of the NICs or another."""
    names = {**BETWEEN, beta: rate}
    return formula.renamed({v: names[v] for v in formula.inputs})


HIERARCHICAL = {
    "inside": {
        "ring inside": {T_i: collectives.ring.renamed(INSIDE)},
        "NVLS inside": {T_i: collectives.switch.renamed({n: n_c, alpha: alpha_s, beta: beta_s})},
    },
    "between": {
        "double tree between": {T_o: between(collectives.two_trees), **NCCL},
        "in-network reduction between": {T_o: between(collectives.switch, rate=beta_y), i_n: 1, i_s: 1},
        "ring between": {T_o: between(collectives.ring), **OTHER},
        "tree between": {T_o: between(collectives.tree), **OTHER},
        "recursive doubling between": {T_o: between(collectives.doubling), **OTHER},
        "halving-doubling between": {T_o: between(collectives.halving_doubling), **OTHER},
    },
    k: (1, 2, 4, 8, 16, 32, 64, 128, 256),
}
FLAT = {
    "one ring": {T: collectives.ring, alpha: ((G - 1) * alpha_i + alpha_o) / G, **NCCL},
    "a ring on every NIC": {T: collectives.rails_timed.renamed({beta_o: beta_x}), **NCCL},
    "one tree": {T: collectives.tree, **OTHER},
    "one double tree": {T: collectives.two_trees, **OTHER},
    "recursive doubling": {T: collectives.doubling, **OTHER},
    "halving-doubling": {T: collectives.halving_doubling, **OTHER},
}
ALGORITHMS = {"algorithm": {**FLAT, "hierarchical": {T: collectives.hierarchical_pipelined, **HIERARCHICAL}}}
CLUSTER = {
    G: "8",
    M: "128",
    p: G * M,
    n_c: n / k,
    n_x: n_c / G,
    alpha: alpha_o,
    beta: beta_x,
    beta_x: e * beta_o,
    beta_y: e_s * beta_x,
    e_s: measured.sharp_share,
    beta_o: hardware.ndr_port,
    e: measured.attained_large,
    beta_i: measured.ring_in_node,
    alpha_i: "1 µs",
    alpha_o: measured.tree_alps.fitted_parameters["alpha_o"],
    alpha_s: measured.switch_h100.fitted_parameters["alpha"],
    beta_s: measured.switch_long,
    i_w: 0,
}
UNCERTAIN = {
    e: Range(
        measured.attained_least,
        "100 %",
        source="from the slowest job on Alps to the full rate of the NICs",
        one_sided="no NIC carries more than its rate",
    ),
    beta_i: Range(
        "300 GB/s", hardware.h100_nvlink, source="from a fifth less than measured to the full rate of NVLink"
    ),
    beta_s: Range(
        measured.switch_h100.fitted_parameters["beta"],
        "310 GB/s",
        source="from messages below 1 GiB on H100 to an eighth more than the longest messages attain",
    ),
    alpha_o: Range(collectives.page_latency, "16 µs", source="from a data sheet to twice the latency fitted on Alps"),
    alpha_i: Range("0.5 µs", "8 µs", source="from half of what a single node shows to a hop inside a node of Polaris"),
}
SHARED = {
    "minimise": T,
    "constraints": {"not in NCCL": i_n - 1 >= 0, "the switches cannot reduce": i_w - i_s >= 0},
    "error": measured.error_of_gain,
    "labels": {k: "{} chunks", T: "time", n: "message"},
    "usual": {k: 1},
}
DECIDES = ("algorithm", "between")
bucket = Decision(
    "Which all-reduce is fastest for a bucket of gradients?",
    options=ALGORITHMS,
    given={**CLUSTER, n: "25 MB"},
    uncertain={
        n: Range("1 MB", "1 GB", source="frameworks' buckets: from a small layer to one for many layers"),
        **UNCERTAIN,
    },
    decides=DECIDES,
    proposed={"algorithm": "a ring on every NIC"},
    expects={"algorithm": "hierarchical", "between": "double tree between"},
    **SHARED,
)
step = Decision(
    "Which all-reduce is fastest for all gradients of a step at once?",
    options=ALGORITHMS,
    given={**CLUSTER, n: collectives.page_gradients},
    uncertain=UNCERTAIN,
    decides=DECIDES,
    proposed={"algorithm": "one ring"},
    expects=[{"algorithm": "a ring on every NIC"}, {"algorithm": "hierarchical", "between": "double tree between"}],
    **SHARED,
)
NODES_OF_EIGHT = {G: "8", M: "128", beta_s: 1 * beta_h, beta_i: 1 * beta_r, i_w: 0}
# A ring sends nearly twice what a switch does, so racks that attain the one attain half of the other.
RACKS = {G: "72", M: "15", beta_s: 1 * beta_72, beta_i: 2 * beta_72, i_w: 0}
purchase = Decision(
    "What do faster NICs, switches that reduce, or racks of 72 add?",
    options={
        "network": {
            "as installed": {**NODES_OF_EIGHT, beta_o: hardware.ndr_port},
            "NICs of twice the rate": {**NODES_OF_EIGHT, beta_o: hardware.xdr_port},
            "in-network reduction": {**NODES_OF_EIGHT, beta_o: hardware.ndr_port, i_w: 1},
            "racks of 72": {**RACKS, beta_o: hardware.ndr_port},
        },
        **ALGORITHMS,
    },
    given={
        **{v: x for v, x in CLUSTER.items() if v not in (beta_o, i_w, G, M, beta_s, beta_i)},
        n: collectives.page_gradients,
        beta_h: CLUSTER[beta_s],
        beta_r: CLUSTER[beta_i],
        beta_72: measured.racks,
    },
    uncertain={
        **{v: x for v, x in UNCERTAIN.items() if v not in (beta_s, beta_i)},
        e_s: Range(
            measured.sharp_share,
            "100 %",
            source="from the one published run to all that the NICs attain",
            one_sided="no run with less has been published",
        ),
        beta_h: UNCERTAIN[beta_s],
        beta_r: UNCERTAIN[beta_i],
        beta_72: Range(
            "150 GB/s", measured.two_racks, source="from three quarters of what twenty racks attain to what two attain"
        ),
    },
    decides=("network",),
    proposed={"network": "as installed"},
    expects=[{"network": "NICs of twice the rate"}, {"network": "racks of 72"}],
    **SHARED,
)
