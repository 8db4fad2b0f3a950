"""Mixtures of experts and distillation, priced next to a dense model of the same loss."""

from sympy import sqrt

from mathcore import Decision, Derivation, Example, Formula, Range, Variable, read_facts
from mathcore.chapters import audit, models, training
from mathcore.chapters.training import FLOP, D, N, P, X, c, decisions, n, t, token, u
from mathcore.chapters.training.decisions import K_l, T_g, f_8
from mathcore.chapters.training.overtraining import u_s
from mathcore.chapters.training.scaling import D_i, N_o, alpha, beta
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

N_m = Variable(
    "N_m", "", "active parameters of a mixture of the same loss", tex=r"N_{\mathrm{act}}", low="1e6", high="1e15"
)
lam_m = Variable(
    "lam_m", "", "parameters of the dense model over active ones", tex=r"\lambda_{\mathrm{moe}}", low="0.1", high="100"
)
eta_m = Variable(
    "eta_m",
    "",
    "MFU of the mixture over that of the dense model",
    tex=r"\eta_{\mathrm{moe}}",
    display_unit="%",
    low="1 %",
    high="200 %",
)
u_m = Variable("u_m", "", "MFU of a mixture, of the peak in BF16", tex=r"u_{\mathrm{moe}}", display_unit="%")
eta_q = Variable(
    "eta_q",
    "",
    "MFU of serving a mixture over that of serving the dense model",
    tex=r"\eta_{\mathrm{serve}}",
    display_unit="%",
    low="1 %",
    high="200 %",
)
y_q = Variable(
    "y_q", "", "device-time of serving over that of the dense model", tex=r"y_{\mathrm{serve}}", low="0.01", high="100"
)
y_m = Variable("y_m", "", "device-time over that of the dense model", tex=r"y_{\mathrm{moe}}", low="0.01", high="100")
x_1 = Variable("x_1", "", "leverage of one mixture", tex=r"\lambda_1", low="0.1", high="100")
x_2 = Variable("x_2", "", "leverage of another", tex=r"\lambda_2", low="0.1", high="100")
N_t = Variable("N_t", "", "parameters of the teacher", tex=r"N_{\mathrm{teach}}", low="1e6", high="1e15")
y_t = Variable("y_t", "", "training compute over that without a teacher", tex=r"y_{\mathrm{teach}}")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- a mixture -----------------------------------------------------------------------------

leverage = Formula(lam_m, N / N_m, kind="definition", convention="same loss after the same tokens")
device_time = (
    Derivation.start(
        y_m,
        6 * FLOP / token * N_m * D / (X * eta_m) / (6 * FLOP / token * N * D / X),
        "as many tokens in fewer operations, at a lower rate",
        kind="model",
    )
    .apply({N_m: leverage.solve_for("N_m")}, "the active parameters, by the leverage")
    .formula(
        assumptions=("same loss after the same tokens", "the leverage holds at this size"),
        convention="training; serving as well, if its MFU falls by the same factor",
    )
)
as_dense = Formula(y_m, N / N, kind="definition")
relative_rate = Formula(eta_m, u_m / (u * f_8), kind="definition", convention="both in FP8, MFU of the BF16 peak")
of_two = Formula(lam_m, sqrt(x_1 * x_2), kind="definition")
teacher = (
    Derivation.start(
        y_t,
        (6 * FLOP / token * N * D + 2 * FLOP / token * N_t * D) / (6 * FLOP / token * N * D),
        "the student trains on every token, and the teacher reads every token",
        kind="model",
    )
    .rewrite(1 + N_t / (3 * N), "a forward pass takes a third of a training step")
    .formula(assumptions="the teacher exists, and its outputs are not stored")
)

# --- worked examples -----------------------------------------------------------------------

leverage_ling = Example(leverage, {N: facts.ling_dense, N_m: facts.ling_active}, digits=2)
leverage_middle = Example(of_two, {x_1: facts.deepseekmoe_leverage, x_2: leverage_ling}, digits=2)
rate_deepseek = Example(
    relative_rate, {u_m: training.mfu_deepseek, u: audit.mfu, f_8: decisions.fp8_predicted}, digits=2
)
leverage_apart = Example(decisions.apart, {decisions.x_1: leverage_ling, decisions.x_2: leverage_middle}, digits=2)
time_middle = Example(device_time, {lam_m: leverage_middle, eta_m: rate_deepseek}, digits=2)
teacher_70b = Example(teacher, {N: models.llama31_8b_parameters, N_t: models.llama31_70b_parameters}, digits=2)

# --- dense or a mixture ----------------------------------------------------------------------

training_time = Formula(
    t, y_m * 6 * FLOP / token * N * D / (n * X), kind="model", assumptions="the dense model's device-time, scaled"
)
served_time = Formula(
    y_q, 1 / (lam_m * eta_q), kind="model", assumptions="the leverage also holds in serving, at an MFU of its own"
)
served_dense = Formula(y_q, N / N, kind="definition")
life_cost = Formula(
    K_l,
    c * (n * T_g + 2 * FLOP / token * y_q * N * D_i / (P * u_s)),
    kind="model",
    assumptions=("the reservation is paid in full", "a device-hour of serving costs as much as one of training"),
)
SPACE = {
    **decisions.SPACE,
    "options": {
        "architecture": {"dense": {y_m: as_dense, y_q: served_dense}, "mixture": {y_m: device_time, y_q: served_time}},
        **decisions.SPACE["options"],
    },
    "minimise": life_cost,
    "labels": {
        **decisions.SPACE["labels"],
        "dense": "dense",
        "mixture": "mixture of experts",
        lam_m: "dense parameters over active ones",
        eta_m: "MFU of a mixture over that of a dense model",
        eta_q: "the same ratio in serving",
    },
}
GIVEN = {
    **decisions.GIVEN,
    t: training_time,
    alpha: models.besiroglu_alpha,
    beta: models.besiroglu_beta,
    N_o: audit.law_size,
    decisions.h_L: decisions.avoidable_refit,
}
UNCERTAIN = {
    lam_m: Range(
        "1.5",
        leverage_ling,
        value=leverage_middle,
        source="assumed: from less than any that was published to the larger of two published ones",
    ),
    eta_m: Range(
        "35 %",
        "90 %",
        value=rate_deepseek,
        source="assumed: from half less than DeepSeek-V3 attained to nearly the rate of a dense model",
    ),
    eta_q: Range(
        "25 %",
        "100 %",
        value=rate_deepseek,
        source="as in training; assumed from half of that, with small batches, to that of a dense model",
    ),
}
architecture = Decision(
    "Should a dense model or a mixture be trained, in which format, and for how many months?",
    **{**SPACE, "error": leverage_apart},
    decides=("architecture", "format", T_g),
    given=GIVEN,
    uncertain={**decisions.UNCERTAIN, **UNCERTAIN},
    proposed={"architecture": "dense", "format": "FP8", T_g: "60 d"},
    samples=400,
    expects=[
        {"architecture": "mixture", "format": number, T_g: f"{days} d"}
        for number in ("FP8", "BF16")
        for days in (30, 60, 90)
    ],
)
# The leverage is common to all mixtures, and its range is sampled: the error of a law is left between two of them.
months = Decision(
    "For how many months should the cluster be reserved, if a mixture may be trained?",
    **SPACE,
    decides=(T_g,),
    given=GIVEN,
    uncertain={**decisions.LAWS, **UNCERTAIN},
    common=decisions.TOGETHER,
    proposed={T_g: "60 d"},
    samples=400,
    expects={T_g: "30 d"},
)

exercises = read_exercises(__name__)
