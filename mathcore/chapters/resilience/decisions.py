"""Resilience, decided: which checkpoints to keep, by the rent of what is kept and the work redone after silent corruption."""

from sympy import exp

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import operations, reliability, resilience, sites
from mathcore.chapters.fleet_checkpointing.silent_corruption import M_s
from mathcore.chapters.operations import u_f
from mathcore.chapters.resilience.retention import (
    K,
    S,
    T,
    X,
    Y,
    g_2,
    g_3,
    j_1,
    j_2,
    j_3,
    k_0,
    kappa,
    no_clean_checkpoint,
    octaves,
    tau,
    tiers,
)
from mathcore.chapters.young_daly import M, N, cluster_mtbf, llama_devices, m

L_k = Variable(
    "L_k",
    "s",
    "work redone before the corruption, beyond what it spoiled",
    tex=r"L_{\mathrm{k}}",
    display_unit="h",
    low="0 s",
    high="100 year",
    zero=True,
)
K_k = Variable(
    "K_k", "USD/s", "rent of what is kept, and price of what is redone", tex=r"k_{\mathrm{keep}}", display_unit="USD/d"
)

GAP = "on average half of the gap between two kept checkpoints lies before the corruption"
redone_last = Formula(
    L_k,
    tau / 2 + no_clean_checkpoint.rhs * T / 2,
    kind="model",
    assumptions=(GAP, "where no kept checkpoint is clean, the run begins again: half of its length on average"),
)
redone_tiers = Formula(
    L_k,
    tau / 2 + exp(-j_1 / X) * (g_2 - tau) / 2 + exp(-j_2 / X) * (g_3 - g_2) / 2 + exp(-j_3 / X) * T / 2,
    kind="model",
    domain=(j_1 <= j_2, j_2 <= j_3, g_2 <= g_3),
    assumptions=(GAP, "corruption is noticed after an exponential time"),
)
redone_octaves = Formula(
    L_k,
    tau / 2 + exp(-k_0 * tau / X) * ((k_0 - 1) * tau + X) / 2,
    kind="model",
    assumptions=(GAP, "beyond the last ones a gap is as long as the age where it ends"),
)
kept_cost = Formula(
    K_k,
    K * S * kappa / Y + u_f * L_k / M_s,
    kind="model",
    assumptions="corruption comes at a constant rate",
    convention="rent per time, and redone work at the price of the cluster",
)

device_sdc = Example(cluster_mtbf.solve_for("m"), {M: reliability.llama_sdc_mtbf, N: llama_devices})
cluster_sdc = Example(cluster_mtbf, {m: device_sdc, N: "800 gpu"}, unit="d", digits=2)
OPTIONS = {
    "keep": {
        "only the last": {L_k: redone_last, K: (1, 2, 3, 6, 12, 18, 24, 29, 36, 48, 72, 96, 144, 192, 336, 672, 1440)},
        "calendar": {
            L_k: redone_tiers,
            K: tiers,
            j_1: ("3 h", "6 h", "12 h", "24 h"),
            g_2: ("3 h", "6 h", "12 h", "24 h"),
            j_2: ("2 d", "7 d", "14 d"),
            g_3: ("2 d", "7 d"),
            j_3: ("14 d", "30 d", "91 d"),
        },
        "one for each doubling of age": {L_k: redone_octaves, K: octaves, k_0: (2, 3, 6, 12, 24, 48)},
    }
}
GIVEN = {
    tau: "30 min",
    T: "30 d",
    S: resilience.checkpoint,
    kappa: sites.s3_standard,
    Y: sites.month,
    u_f: operations.fleet_rate,
    M_s: cluster_sdc,
}
UNCERTAIN = {
    X: Range(
        "0.5 h",
        "5 d",
        source="assumed: from a check at every save to a loss curve seen once a week",
        one_sided="it is at least zero, and has no upper limit",
    ),
    M_s: Range(
        "80 d", "420 d", source="six corruptions counted on Llama 3's cluster, 90 % interval of a Poisson count"
    ),
    kappa: Range(
        "0.01 USD/GiB",
        "0.15 USD/GiB",
        source="object storage for rare access, to a parallel file system at its slowest",
    ),
}
ERROR = ("15 %", "simulated months, in which both rules redid up to 12 % more than the formulas say")
LABELS = {
    "keep": "keep",
    K: "{} kept",
    L_k: "redone per corruption",
    K_k: "rent and redone work",
    k_0: "{} beyond the last",
    j_1: "all to",
    g_2: "then one each",
    j_2: "to",
    g_3: "and one each",
    j_3: "up to",
    X: "time until corruption is noticed",
    M_s: "time between corruptions",
    kappa: "price of storage",
}

retention = Decision(
    "Which checkpoints should be kept?",
    options=OPTIONS,
    given={**GIVEN, X: "2 h"},
    minimise=kept_cost,
    uncertain=UNCERTAIN,
    error=ERROR,
    decides=("keep",),
    proposed={"keep": "only the last", K: 1},
    columns=(K, L_k),
    labels=LABELS,
    expects=[{"keep": "calendar"}, {"keep": "one for each doubling of age"}],
)

retention_late = retention.variant(
    question="Which checkpoints should be kept if corruption is noticed after a day?",
    given={**GIVEN, X: "1 d"},
    proposed={"keep": "calendar", j_1: "6 h", g_2: "12 h", j_2: "2 d", g_3: "7 d", j_3: "14 d"},
    expects={"keep": "calendar"},
)
