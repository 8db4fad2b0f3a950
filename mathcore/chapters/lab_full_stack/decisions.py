"""Lab on the full stack, decided: the cheapest cluster that meets deadline, memory and budget, in either context."""

from mathcore import Decision, One, Range
from mathcore.chapters import audit, hardware
from mathcore.chapters.audit import S_b, deadline, eta_k, x_t
from mathcore.chapters.audit.costs import B_r, c_h
from mathcore.chapters.audit.fleet import T_r
from mathcore.chapters.collectives import beta
from mathcore.chapters.lab_full_stack import H100, LARGE, SMALL, TAKEN, B_m, cost, memory, run
from mathcore.chapters.parallelism.decisions import hidden
from mathcore.chapters.parallelism.memory import H, H_need, b
from mathcore.chapters.training import n, t
from mathcore.chapters.young_daly import m

LABELS = {
    n: "{}",
    x_t: "TP={}",
    b: "micro-batch size {}",
    B_r: "cost",
    T_r: "run takes",
    H_need: "memory per device",
    eta_k: "kernel efficiency",
    beta: "bandwidth of a NIC",
    m: "MTBF of a device",
}


def cluster(question, context, devices, expects, **case):
    """Return the Decision on the cluster of one context of the lab; `case` has memory, deadline and budget."""
    return Decision(
        question,
        options={n: devices, x_t: (2, 4, 8), b: (1, 2, 4, 8)},
        given={
            **{symbol: value for symbol, value in context.items() if symbol not in (n, x_t, b)},
            **H100,
            **TAKEN,
            beta: hardware.ndr_port,
            m: deadline.DEVICES[m],
            S_b: audit.facts.batch,
            c_h: "1.35 USD/(gpu h)",
            H: case["memory"],
            t: case["deadline"],
            B_m: case["budget"],
            T_r: run,
            H_need: memory,
        },
        minimise=cost,
        constraints={
            "memory": H_need <= H,
            "a reserve of 10 % before the deadline": 10 * T_r / 9 <= t,
            "budget": B_r <= B_m,
            "a micro-batch for each replica": n * b <= S_b * x_t * One("gpu"),
        },
        uncertain={
            eta_k: Range("40 %", "60 %", source="assumed: a fifth on either side of the sheet"),
            beta: Range(
                "20 GB/s",
                hardware.ndr_port,
                source="from 40 % of the rate, as one flat ring attains, to all of it",
                one_sided="no NIC carries more than its rate",
            ),
            m: Range(
                deadline.m_seen, "100000 gpu h", source="from a research cluster of 1,024 devices to twice the sheet"
            ),
        },
        error=hidden.error,
        decides=(n, x_t, b),
        columns=(T_r, H_need),
        labels=LABELS,
        expects=expects,
    )


small = cluster(
    "Which cluster meets the audit's deadline?",
    SMALL,
    tuple(f"{8 * nodes} gpu" for nodes in range(64, 257, 4)),
    "tie",
    memory=hardware.h100_hbm,
    deadline="14 d",
    budget="600000 USD",
)
large = cluster(
    "Which cluster meets the launch date?",
    LARGE,
    tuple(f"{64 * racks} gpu" for racks in range(32, 161)),
    {n: ("4000 gpu", "4200 gpu"), b: 4},
    memory=hardware.h200_hbm,
    deadline="36 d",
    budget="6000000 USD",
)
