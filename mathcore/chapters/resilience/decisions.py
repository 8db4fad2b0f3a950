"""Resilience, decided: which checkpoints to keep, by the rent of what is kept and the work redone after silent corruption."""

from sympy import Rational, exp

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import operations, reliability, resilience, sites
from mathcore.chapters.fleet_checkpointing import h
from mathcore.chapters.fleet_checkpointing.silent_corruption import M_s, V, separate_interval, separate_steps
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
L_c = Variable(
    "L_c", "s", "the same if a check finds it", tex=r"L_{\mathrm{c}}", display_unit="h", low="0 s", zero=True
)
L_u = Variable("L_u", "s", "the same if none does", tex=r"L_{\mathrm{u}}", display_unit="h", low="0 s", zero=True)
X_u = Variable(
    "X_u",
    "s",
    "mean time until an error that the checks miss is noticed",
    tex=r"X_{\mathrm{u}}",
    display_unit="h",
    low="1 min",
    high="1 year",
)
p_u = Variable(
    "p_u",
    "",
    "share of corruptions that the checks miss",
    tex=r"p_{\mathrm{u}}",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
n_f = Variable("n_f", "", "checkpoints for which there is room", tex=r"n_{\mathrm{room}}", low="1", high="100000000")
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


def gone(age, step):
    """Return the probability that a corruption is noticed after the checkpoint before it was deleted.

    The tier deletes at `age` and has a checkpoint each `step`, up to which the one before the corruption is older.
    """
    return X / step * (exp((step - age) / X) - exp(-age / X))


redone_tiers = Formula(
    L_k,
    tau / 2 + gone(j_1, tau) * (g_2 - tau) / 2 + gone(j_2, g_2) * (g_3 - g_2) / 2 + gone(j_3, g_3) * T / 2,
    kind="model",
    domain=(tau <= j_1, j_1 <= j_2, j_2 <= j_3, j_3 <= T, tau <= g_2, g_2 <= g_3, g_2 <= j_2, g_3 <= j_3),
    assumptions=(GAP, "corruption is noticed after an exponential time"),
)
redone_octaves = Formula(
    L_k,
    tau / 2 + gone(k_0 * tau, tau) * ((k_0 - 1) * tau + X) / 2,
    kind="model",
    assumptions=(GAP, "beyond the last ones a gap is as long as the age where it ends"),
)
redone = Formula(L_k, (1 - p_u) * L_c + p_u * L_u, kind="definition", convention="mean over all corruptions")
kept_cost = Formula(
    K_k,
    K * S * kappa / Y + u_f * L_k / M_s,
    kind="model",
    assumptions="corruption comes at a constant rate",
    convention="rent per time, and redone work at the price of the cluster",
)

device_sdc = Example(cluster_mtbf.solve_for("m"), {M: reliability.llama_sdc_mtbf, N: llama_devices})
cluster_sdc = Example(cluster_mtbf, {m: device_sdc, N: "800 gpu"}, unit="d", digits=2)
HSDP = {reliability.t: resilience.facts.hsdp_watched, reliability.c: resilience.facts.hsdp_sdc}
hsdp_sdc_mtbf = Example(reliability.mtbf_of_kind, HSDP, unit="d", digits=2)
hsdp_device_sdc = Example(cluster_mtbf.solve_for("m"), {M: hsdp_sdc_mtbf, N: "32768 gpu"})
hsdp_cluster_sdc = Example(cluster_mtbf, {m: hsdp_device_sdc, N: "800 gpu"}, unit="d", digits=2)
ONE_STEP = {V: "10 s", M_s: cluster_sdc}  # a check takes no longer than a step
check_every = Example(separate_interval, ONE_STEP, digits=2)
check_steps = Example(separate_steps, {**ONE_STEP, h: "10 s"}, digits=4)
# Ages and steps reach down to one interval, below which there is no checkpoint, and up to the length of the run.
KEEP = {
    "only the last": (redone_last, {K: (1, 2, 3, 4, 6, 9, 12, 15, 18, 24, 36, 48, 72, 96, 120, 168, 336, 720)}),
    "calendar": (
        redone_tiers,
        {
            K: tiers,
            j_1: ("1 h", "2 h", "3 h", "4 h", "6 h", "9 h", "12 h", "24 h"),
            g_2: ("1 h", "2 h", "3 h", "4 h", "6 h", "12 h"),
            j_2: ("0.5 d", "1 d", "2 d", "3 d", "4 d", "7 d", "14 d", "30 d"),
            g_3: ("0.5 d", "1 d", "2 d", "3 d", "5 d", "7 d", "14 d"),
            j_3: ("1 d", "2 d", "3 d", "4 d", "5 d", "7 d", "10 d", "14 d", "21 d", "30 d"),
        },
    ),
    "one for each doubling of age": (
        redone_octaves,
        {K: octaves, k_0: (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 36, 48, 72, 96, 120, 168, 336, 672)},
    ),
}
OPTIONS = {
    "keep": {
        name: {L_c: found, L_u: Formula(L_u, found.rhs.subs(X, X_u), kind="definition"), **levers}
        for name, (found, levers) in KEEP.items()
    }
}
GIVEN = {
    tau: operations.run_interval,
    T: "30 d",
    S: resilience.checkpoint,
    kappa: sites.s3_standard,
    Y: sites.month,
    u_f: operations.fleet_rate_today,
    M_s: cluster_sdc,
    L_k: redone,
    X: "2 h",
    X_u: "24 h",
}
UNCERTAIN = {
    X_u: Range("5 h", "5 d", source="hours to days, as investigations took at Meta; the ends are assumed"),
    u_f: operations.FLEET_RATES,
    M_s: Range(
        hsdp_cluster_sdc,
        "420 d",
        source="37 corruptions on Meta's 32,768 H100, to six on Llama 3's, upper end of the 90 % interval of a Poisson count",
    ),
    kappa: Range(
        "0.01 USD/GiB",
        "0.15 USD/GiB",
        source="from object storage for rare access to a parallel file system at its slowest",
    ),
}
ERROR = ("11 %", "simulated months, from which the formulas of calendars and doublings differ by no more")
LABELS = {
    "keep": "keep",
    K: "{} kept",
    L_k: "redone per corruption",
    K_k: "rent and redone work",
    k_0: "{} beyond the last",
    j_1: "all to",
    g_2: "one per",
    j_2: "to",
    g_3: "one per",
    j_3: "to",
    X: "time until a check finds corruption",
    X_u: "time until corruption is noticed without a check",
    p_u: "corruptions that the checks miss",
    M_s: "time between corruptions",
    kappa: "price of storage",
    u_f: "price of an hour",
}

retention = Decision(
    "Which checkpoints should be kept?",
    options=OPTIONS,
    given={**GIVEN, p_u: "10 %", n_f: operations.run_held},
    minimise=kept_cost,
    constraints={"a tenth of the room stays free": n_f * Rational(9, 10) >= K + 3},  # one is written, two are copied
    uncertain={
        **UNCERTAIN,
        X: Range("0.5 h", "8 h", source="assumed: from a check at every save to one at each change of shift"),
        p_u: Range(resilience.facts.scan_missed, resilience.facts.eud_missed),
    },
    error=ERROR,
    decides=("keep",),
    proposed={"keep": "only the last", K: 1},
    columns=(K, L_k),
    labels=LABELS,
    expects=[{"keep": "calendar"}, {"keep": "one for each doubling of age"}],
)

retention_late = retention.variant(
    question="Which checkpoints should be kept without checks?",
    given={**GIVEN, p_u: "100 %"},
    constraints={},
    uncertain=UNCERTAIN,
    proposed={"keep": "calendar", **operations.CALENDAR},
    expects={"keep": "calendar"},
)
