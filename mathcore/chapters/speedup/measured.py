"""Speedup, measured: what growing clusters lost, with the batch growing along and with the batch fixed."""

from sympy import log, pi, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import speedup, training
from mathcore.chapters.speedup import B, N, R, beta, eta, f, g, omega, r_1, s, t_a, t_c, v
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

N_0 = Variable("N_0", "", "devices of the smallest run", low="1", high="1000000", integer=True)
eta_0 = Variable("eta_0", "", "scaling efficiency of the smallest run", tex=r"\eta_0", display_unit="%")
r = Variable("r", "", "efficiency over that of the smallest run", display_unit="%", low="0.1 %", high="200 %")
q_t = Variable("q_t", "", "time of a step over that in the smallest run", tex=r"q_{t}", low="0.5", high="100")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- data ----------------------------------------------------------------------------------

weak_runs = Dataset("weak_scaling_dgx")
strong_runs = Dataset("strong_scaling_megatron")
weak_others = Dataset("weak_scaling_others")
batches = Dataset("mlperf_batches")
submissions = Dataset("mlperf_devices")

# --- the batch grows along -----------------------------------------------------------------

step_growth = Formula(
    q_t,
    (1 + sqrt(6) * v * log(N) / pi) / (1 + sqrt(6) * v * log(N_0) / pi),
    assumptions=("each device keeps its tokens", "all communication is hidden", "Gumbel distribution of step times"),
    convention="weak scaling",
)
waiting = Comparison(
    formula=step_growth,
    data=weak_runs,
    measured="ratio",
    columns={N: "devices", N_0: "first_devices"},
    fit_parameters={v: ("0.05 %", "5 %")},
    system="step times of five models as the batch grows along, H100",
    fit={"devices": "<= 256"},
    over={"devices": "devices"},
    bound=("1.2 %", "1.8 %"),
    note="If all growth is waiting, it grows with the logarithm, and the standard deviation inferred from it is about half of that in the chapter's example. Variability was not measured.",
)
waiting_elsewhere = Comparison(
    formula=step_growth,
    data=weak_others,
    measured="ratio",
    columns={N: "devices", N_0: "first_devices"},
    fit_parameters={v: ("0.05 %", "30 %")},
    system="step times of eight models as the batch grows along, MosaicML on H100 and MaxText on TPU v5e",
    fit={"devices": "<= 512"},
    over={"devices": "devices"},
    bound=("2.5 %", "10 %"),
    note="The form carries over, up to 8,192 devices; the constant does not: it is five times that of the vendor's tuned runs, because sharded weights and the network between slices are waited for too.",
)
grown = Example(step_growth, {N: "2048", N_0: "16", v: waiting.fitted_parameters["v"]}, digits=4)

# --- the batch is fixed --------------------------------------------------------------------

efficiency_first = Formula(
    eta_0, 1 / (N_0 * (s + (1 - s) / N_0)), assumptions="Amdahl's law", convention="strong scaling"
)
rate_kept = (
    Derivation.start(
        r, eta / eta_0, "each efficiency is the rate of a device over what it would be alone", kind="model"
    )
    .apply({eta_0: efficiency_first, eta: 1 / (N * (s + (1 - s) / N))}, "Amdahl's law for both")
    .rewrite((1 + s * (N_0 - 1)) / (1 + s * (N - 1)), "multiply out", routine=True)
    .formula(assumptions="the batch is fixed", convention="Amdahl: share of one device's time")
)
serial = Comparison(
    formula=rate_kept,
    data=strong_runs,
    measured="ratio",
    columns={N: "devices", N_0: "first_devices"},
    fit_parameters={s: ("0.0001 %", "0.1 %")},
    system="a model of 177 billion parameters with a fixed batch, H100",
    fit={"devices": "<= 576"},
    over={"devices": "devices"},
    bound=("0.85 %", "1.4 %"),
    reading_error="2 %",
    note="From 96 devices to 4,608 the rate falls by 10 %, as in Amdahl's law with one share, as long as layouts are chosen anew at each size. Rates were read off a chart within 2 %, which makes the interval of the share as wide as it is.",
)

# --- a fixed batch on twice the devices ------------------------------------------------------

MEGA = {omega: "50 %", v: waiting.fitted_parameters["v"]}
hidden_half = Example(speedup.efficiency_of_step, {**MEGA, N: "6144", t_a: "0 s", t_c: "1 s"})
megascale_rate = Example(
    speedup.rate_of_run, {r_1: speedup.megascale_slower, f: training.token_megascale, N: "6144", eta: hidden_half}
)
MEGA_STEP = {**MEGA, B: speedup.megascale_batch, R: megascale_rate, g: "3 FLOP/token/B", beta: speedup.megascale_ports}
megascale_half = Example(speedup.efficiency_of_batch, {**MEGA_STEP, N: "6144"})
megascale_whole = Example(speedup.efficiency_of_batch, {**MEGA_STEP, N: "12288"})

# --- a larger batch ------------------------------------------------------------------------------

B_c = Variable(
    "B_c", "token", "batch at which twice the tokens are needed", tex=r"B_{\mathrm{c}}", low="1 token", high="10 Gtoken"
)
u_b = Variable("u_b", "", "batch over the batch compared with", tex=r"u_{\mathrm{b}}", low="0.001", high="1000")
g_b = Variable("g_b", "", "rate of learning over that of the batch compared with", tex=r"g_{\mathrm{b}}")
gain_of_batch = (
    Derivation.start(
        g_b,
        u_b * (1 + B / B_c) / (1 + u_b * B / B_c),
        "steps as quick as before, each with $u$ times the tokens, of which more are needed",
        kind="model",
    )
    .rewrite(u_b * (B_c + B) / (B_c + u_b * B), "common denominator")
    .formula(
        assumptions=(
            "a step takes no longer, as long as devices are added",
            "the noise of gradients sets how large a batch is worth its tokens",
        )
    )
)
D_0 = Variable(
    "D_0", "token", "tokens needed with the smallest batches", tex=r"D_{0}", low="1 token", high="1000 Ttoken"
)
D_n = Variable(
    "D_n", "token", "tokens needed to reach a loss", tex=r"D_{\mathrm{n}}", low="1 token", high="1000 Ttoken"
)
u_d = Variable("u_d", "", "tokens over those of the smallest run", tex=r"u_{\mathrm{d}}", low="0.01", high="1000")
q_d = Variable(
    "q_d", "", "time to train over that of the smallest run", tex=r"q_{\mathrm{d}}", low="0.0001", high="100"
)
tokens_needed = Formula(
    D_n,
    D_0 * (1 + B / B_c),
    kind="model",
    assumptions="the noise of gradients sets how large a batch is worth its tokens",
    convention="to one loss",
)
critical = Comparison(
    formula=tokens_needed,
    data=batches,
    measured="tokens",
    columns={B: "batch"},
    fit_parameters={D_0: ("0.2 Gtoken", "5 Gtoken"), B_c: ("1 Mtoken", "1 Gtoken")},
    holdout={"batch": (5.9474, 6.2915)},
    over={"batch": "batch"},
    system="tokens that GPT-3 175B needs by the batch, MLPerf",
    bound=("1.2 %", "4.5 %"),
    note="Tokens rise by 10 % from 4 to 8 million tokens a batch, so the batch at which twice as many are needed is some 50 million; other submitters put it anywhere from a third of that to three times it. Small batches were not tried.",
)
time_by_devices = Formula(
    q_d, u_d * N_0 / N, kind="model", assumptions="every device keeps its rate, and nothing else takes time"
)
against_devices = Comparison(
    formula=time_by_devices,
    data=submissions,
    measured="time",
    columns={u_d: "tokens", N: "devices", N_0: "first_devices"},
    over={"devices": "devices"},
    system="time to train GPT-3 175B and Llama 3.1 405B against devices, MLPerf",
    bound=("15 %", "45 %"),
    note="Nothing is fitted. On two to four times the devices the time is a few per cent above its share, on twenty times the devices a third to a half, in runs of four minutes including evaluations.",
)
FOUR = {u_b: "4", B: "4 Mtoken"}
four_at_little = Example(gain_of_batch, {**FOUR, B_c: "4 Mtoken"}, digits=2)
four_at_much = Example(gain_of_batch, {**FOUR, B_c: "16 Mtoken"}, digits=2)
