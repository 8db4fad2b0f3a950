"""Speedup, decided: how many devices hold the date, and what more of them cost."""

from mathcore import Decision, Formula, Range, Variable
from mathcore.chapters import sites, speedup
from mathcore.chapters.audit.measured import x_c
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.collectives.measured import e
from mathcore.chapters.speedup import B, F, N, R, S, beta, eta, g, h, m_r, measured, omega, s_q, t_N, v
from mathcore.chapters.training import decisions as training
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

devices = Decision(
    "How many devices does the date need?",
    options={N: (*range(64, 1025, 64), 1000, *range(1280, 4097, 256))},
    given={
        F: speedup.lab_work,
        R: speedup.planned_rate,
        S: speedup.speedup_by_efficiency,
        eta: speedup.efficiency_of_batch,
        t_N: until_done,
        B: "4 Mtoken",
        g: "3 FLOP/token/B",
        omega: "50 %",
        v: measured.waiting.fitted_parameters["v"],
        beta: e * beta_n,
        beta_n: speedup.node_ports,
        e: collectives_measured.rails_alps.fitted_parameters["e"],
        x_c: training.calendar_middle,
        h: sites.lab_rate,
        g_1: "1 gpu",
        m_r: "8",
        s_q: "4096 token",
        D_d: speedup.lab_hope,
    },
    minimise=rent,
    constraints={"the date": t_N <= D_d, "a sequence for each replica": N * s_q <= m_r * B},
    uncertain={
        x_c: training.UNCERTAIN[x_c],
        R: Range(
            "400 TFLOP/s",
            "600 TFLOP/s",
            source="from what Llama 3 attained with all losses included to a fifth above the plan",
        ),
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
    proposed={N: 1000},
    labels={N: "{} devices", K_r: "rent", t_N: "training takes", x_c: training.SPACE["labels"][x_c]},
    expects="tie",
)
enough = devices.variant(question="How many devices are enough, whatever the inputs are?", proposed={N: 768})
