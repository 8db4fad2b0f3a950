"""Fleet checkpointing, decided: how the fleet of the case saves its state, and how fast rented storage should be."""

from sympy import sqrt

from mathcore import Decision, Derivation, Example, Formula, Range, Variable, geomspace
from mathcore.chapters import operations, reliability, resilience, young_daly
from mathcore.chapters.fleet_checkpointing import (
    C,
    M,
    R,
    async_waste,
    competing_upload,
    d,
    facts,
    g,
    i_u,
    interference_process,
    levels,
    s,
    slowdown,
    tau,
    trillion,
    u,
    u_0,
)
from mathcore.chapters.fleet_checkpointing.levels import C_1, M_1, M_2, R_1, W, k, q
from mathcore.chapters.fleet_checkpointing.measured import a_l, load_after_save, load_greatest, load_least
from mathcore.chapters.operations import measured as operations_measured
from mathcore.chapters.operations import p_b, u_f
from mathcore.chapters.resilience import S, b
from mathcore.chapters.young_daly import decisions as young_daly_decisions

w = Variable("w", "", "waste, restarts included", tex=r"w_{\mathrm{all}}", display_unit="%")
K = Variable("K", "USD/s", "rent of the storage and price of the waste", display_unit="USD/h")

# --- what both decisions share -------------------------------------------------------------

SYNCHRONOUS = {s: Formula(s, C, kind="definition"), u: "0 s", g: "0 %"}  # the write is one long stall
GIVEN = {C_1: "5 s", s: Formula(s, C_1, kind="definition"), u: competing_upload, g: slowdown, i_u: interference_process}
LEVELS = {
    q: "90 %",
    M_1: levels.fast_failures,
    M_2: levels.slow_failures,
    R: Formula(R, R_1 + a_l * C, kind="definition"),  # a fast checkpoint is in memory and need not be loaded
}
COMMON = {
    q: Range(
        facts.alone_titan_hour,
        "99 %",
        source="failures of Titan's GPUs that no other node joined within an hour, to 1 % that lose the fast copy too",
    ),
    C_1: Range(facts.byte_stall_small, facts.ibm_stall_most),
    i_u: young_daly_decisions.INTERFERENCE,
    a_l: Range(
        load_least,
        load_greatest,
        value=load_after_save.fitted_parameters["a_l"],
        source="90 % of other libraries and machines, from the eight that were tested",
    ),
}
ERROR = young_daly_decisions.ERROR
LABELS = {
    "saves": "checkpoints",
    tau: "every",
    W: "to storage every",
    k: "to memory {} times as often",
    w: "waste",
    C_1: "copy to host memory",
    i_u: "interference of one upload",
    u_0: "upload",
    q: "failures that a fast checkpoint repairs",
    R_1: "restart without the load",
    a_l: "time to load over time to save",
    C: "write with everybody waiting",
    M: "MTBF",
    b: "bandwidth",
    K: "rent and waste",
    p_b: "price of bandwidth",
    u_f: "price of an hour",
}

# --- how the fleet saves -------------------------------------------------------------------

SINGLE = {tau: geomspace("2 min", "4 h", 90)}
HOURS = (*range(10, 20, 2), *range(20, 100, 5), *range(100, 200, 10), *range(200, 400, 25), *range(400, 1001, 100))
DOUBLE = {W: tuple(f"{each / 100:g} h" for each in (*HOURS, 1200, 1500, 2000)), k: (*range(1, 17), *range(18, 49, 3))}
tiers = Decision(
    "How should the fleet save its state?",
    options={
        "saves": {
            "synchronous": {w: async_waste, **SYNCHRONOUS, **SINGLE},
            "asynchronous": {w: async_waste, **SINGLE},
            "two-level, synchronous": {w: levels.two_level_upload, **SYNCHRONOUS, **DOUBLE},
            "two-level, asynchronous": {w: levels.two_level_upload, **DOUBLE},
        }
    },
    given={
        **GIVEN,
        **LEVELS,
        M: young_daly.llama_mtbf,
        C: trillion.write,
        u_0: "2 min",
        d: "1 min",
        R_1: facts.restart_usual,
    },
    minimise=w,
    uncertain={
        M: Range(
            reliability.rsc_mttf_16384,
            "6.2 h",
            source="from what Meta's 98,304 H100 imply, as does a research cluster, to a fifth above what its 32,768 H100 imply",
        ),
        **COMMON,
        C: Range("20 s", "105 s", source="from nearly twice as fast to three times as slow, as a measured bucket was"),
        u_0: Range(
            "50 s", "6 min", source="from the write, and half as long again to three times today's, as measured"
        ),
        R_1: Range(facts.restart_quick, facts.recovery_mean),
    },
    error=ERROR,
    decides=("saves",),
    proposed={"saves": "asynchronous"},
    labels=LABELS,
    expects=[{"saves": "two-level, asynchronous"}, {"saves": "two-level, synchronous"}],
)

# --- how fast the storage is ---------------------------------------------------------------

b_u = Variable("b_u", "B/s", "best bandwidth for uploads and loads", tex=r"b_{\mathrm{up}}", display_unit="GB/s")
upload_cost = Formula(
    K,
    p_b * b + u_f * (1 + a_l) * S / (b * M),
    kind="model",
    assumptions=("storage is rented by its bandwidth", "stall and interference do not depend on the bandwidth"),
    convention="rent, uploads lost in failures and loads after them; what does not depend on the bandwidth is left out",
)
upload_bandwidth = (
    Derivation.minimise(upload_cost, over=b, why="how fast should storage be for asynchronous checkpoints?")
    .slope(p_b - u_f * (1 + a_l) * S / (b**2 * M), "rent rises, uploads and loads get shorter")
    .root(sqrt(u_f * (1 + a_l) * S / (M * p_b)), "the only positive root", as_symbol=b_u, routine=True)
    .curvature(2 * u_f * (1 + a_l) * S / (b**3 * M), "positive, a minimum", routine=True)
    .formula()
)
asynchronous_bandwidth = Example(
    upload_bandwidth,
    {
        u_f: operations.fleet_rate_today,
        S: resilience.checkpoint,
        M: operations.book_mtbf,
        p_b: operations.bandwidth_1000,
        a_l: load_after_save.fitted_parameters["a_l"],
    },
    digits=2,
)
price = Formula(K, p_b * b + u_f * w, kind="model", assumptions="storage is rented by its bandwidth")
RENTED = {b: (*geomspace("1 GB/s", "200 GB/s", 40), operations.synchronous_rate)}
STEPS = {W: DOUBLE[W], k: (*range(1, 11), 12, 15, 20, 30)}
storage = Decision(
    "How fast should rented storage be?",
    options={
        "saves": {
            "synchronous": {w: async_waste, **SYNCHRONOUS, **SINGLE},
            "asynchronous": {w: async_waste, **SINGLE},
            "two-level, synchronous": {w: levels.two_level_upload, **SYNCHRONOUS, **STEPS},
            "two-level, asynchronous": {w: levels.two_level_upload, **STEPS},
        },
        **RENTED,
    },
    given={
        **GIVEN,
        **LEVELS,
        C: Formula(C, S / b, kind="definition"),
        u_0: Formula(u_0, S / b, kind="definition"),
        S: resilience.checkpoint,
        M: operations.book_mtbf,
        d: "0 s",
        R_1: "0 s",
        u_f: operations.fleet_rate_today,
        p_b: operations.bandwidth_1000,
    },
    minimise=price,
    uncertain={
        **COMMON,
        M: Range(
            "5 h",
            operations_measured.calm_mtbf,
            source="from half of a research cluster's to that of Llama 3's devices",
        ),
        u_f: operations.FLEET_RATES,
        p_b: Range(
            "0.1 USD/TB", operations.bandwidth_125, source="from half of the list price to that of the slowest tier"
        ),
    },
    error=ERROR,
    decides=("saves",),
    proposed={"saves": "synchronous", b: operations.synchronous_rate},
    labels=LABELS,
    expects={"saves": "two-level, asynchronous", b: ("4 GB/s", "10 GB/s")},
    samples=500,
)
