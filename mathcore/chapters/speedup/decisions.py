"""Speedup, decided: how many devices meet the date, in which format, and what more of them cost."""

from mathcore import Decision, Formula, Range, Variable
from mathcore.chapters import sites, speedup
from mathcore.chapters.audit.measured import x_c
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.collectives.measured import e
from mathcore.chapters.speedup import U_N, B, F, N, N_u, P, R, S, beta, eta, g, h, m_r, measured, omega, s_q, t_N, v
from mathcore.chapters.training import decisions as training
from mathcore.chapters.training.measured import f_8
from mathcore.measured import PairedError

D_d = Variable("D_d", "s", "time until the date", tex=r"D_{\mathrm{d}}", display_unit="d", low="1 d", high="10 year")
K_r = Variable("K_r", "USD", "rent of all devices", tex=r"K_{\mathrm{r}}", display_unit="MUSD")
beta_n = Variable(
    "beta_n", "B/s", "rate of the NICs of a node together", tex=r"\beta_{\mathrm{n}}", display_unit="GB/s"
)
g_1 = Variable("g_1", "gpu", "one device")
rent = Formula(K_r, N * g_1 * h * t_N, kind="definition", convention="only hours that are used are paid")
until_done = Formula(
    t_N, x_c * F / (S * R), assumptions="the speedup stays as it is for the whole training", convention="calendar time"
)

rate_8 = Formula(
    R,
    f_8 * speedup.rate_of_mfu.rhs,
    assumptions="FP8 speeds computing up as much as it was measured to speed up training",
)
devices = Decision(
    "How many devices does the date need, in which format?",
    options={
        N: (*range(64, 1025, 64), 1000, *range(1280, 4097, 256)),
        "format": {"BF16": {R: speedup.rate_of_mfu}, "FP8": {R: rate_8}},
    },
    given={
        F: speedup.lab_work,
        P: speedup.MEASURED[P],
        S: speedup.speedup_by_efficiency,
        eta: speedup.efficiency_of_batch,
        t_N: until_done,
        B: "4 Mtoken",
        g: "3 FLOP/token/B",
        omega: "50 %",
        v: measured.waiting.fitted_parameters["v"],
        beta: e * beta_n,
        beta_n: speedup.node_ports,
        e: collectives_measured.attained_large,
        x_c: training.calendar_middle,
        h: sites.contract_june,
        g_1: "1 gpu",
        m_r: "8",
        s_q: "4096 token",
        D_d: speedup.lab_hope,
    },
    minimise=rent,
    constraints={"the date": t_N <= D_d, "a sequence for each replica": N * s_q <= m_r * B},
    uncertain={
        x_c: training.UNCERTAIN[x_c],
        U_N: training.MEASURED_MFU,
        N_u: Range(
            "512", "8192", value=speedup.MEASURED[N_u], source="devices of these runs, and their geometric mean"
        ),
        f_8: training.UNCERTAIN[f_8],
        e: Range(
            collectives_measured.attained_least,
            "100 %",
            source="from the slowest job on Alps, below the slowest on Polaris to the full rate of the NICs",
            one_sided="no NIC carries more than its rate",
        ),
        v: Range(
            "0.5 %",
            measured.waiting_elsewhere.fitted_parameters["v"],
            source="from less than half of what is inferred from the vendor's steps to what MosaicML's and MaxText's imply",
        ),
        omega: Range("20 %", "90 %", source="assumed: from a fifth of the computing to nearly all of it"),
        B: Range("2 Mtoken", "12.58 Mtoken", source="from half of the plan to the batch of MegaScale"),
    },
    error=PairedError(measured.waiting, ("model",)),
    columns=(t_N,),
    proposed={N: 1000, "format": "BF16"},
    labels={
        N: "{} devices",
        K_r: "rent",
        t_N: "training takes",
        U_N: training.SPACE["labels"][training.u],
        N_u: "devices of the measured run",
        **{v: training.SPACE["labels"][v] for v in (x_c, f_8)},
    },
    expects="tie",
)
ENOUGH = "How many devices are enough, whatever the inputs are?"
enough = devices.variant(question=ENOUGH, proposed={N: 576, "format": "FP8"})
enough_16 = devices.variant(question=ENOUGH, proposed={N: 768, "format": "BF16"})
many = devices.variant(question=ENOUGH, proposed={N: 2048, "format": "FP8"})
