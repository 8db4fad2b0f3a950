"""Training, decided: which size, in which format and for how many months, by each law and over what is uncertain."""

from sympy import sqrt

from mathcore import Decision, Derivation, Example, Formula, Range, Variable, read_facts
from mathcore.chapters import audit, hardware, models, sites, training
from mathcore.chapters.audit import measured as audit_measured
from mathcore.chapters.audit.fleet import T_r
from mathcore.chapters.audit.measured import x_c
from mathcore.chapters.reliability import g
from mathcore.chapters.serving import practice
from mathcore.chapters.serving.measured import h_p
from mathcore.chapters.serving.practice import n_v, q_a, q_p
from mathcore.chapters.serving.prices import N_a
from mathcore.chapters.training import FLOP, H100, C, D, H, N, P, X, c, measured, n, overtraining, scaling, t, token, u
from mathcore.chapters.training.measured import f_8
from mathcore.chapters.training.overtraining import delta, u_s, x
from mathcore.chapters.training.scaling import N_9, R_D, R_N, D_i, D_o, E, L, N_o, alpha, beta

# --- symbols -------------------------------------------------------------------------------

T_g = Variable(
    "T_g", "s", "length of the reservation", tex=r"T_{\mathrm{res}}", display_unit="d", low="1 d", high="10 year"
)
K_l = Variable(
    "K_l", "USD", "cost of the reservation and of two years of serving", tex=r"K_{\mathrm{life}}", display_unit="MUSD"
)
x_1 = Variable("x_1", "", "a first ratio", low="0.01", high="100")
x_2 = Variable("x_2", "", "a second ratio", low="0.01", high="100")
x_g = Variable("x_g", "", "geometric mean of two ratios", tex=r"\bar{x}", low="0.01", high="100")
e_x = Variable("e_x", "", "one ratio over another, less one", tex=r"e_{x}", display_unit="%")
M_8 = Variable("M_8", "", "FP8 speed-up over Transformer Engine", tex="M_{8}", low="0.1", high="10")
e_f = Variable(
    "e_f",
    "",
    "relative increase of the loss by the format",
    tex=r"e_{\mathrm{f}}",
    display_unit="%",
    zero=True,
    high="10 %",
)
e_8 = Variable("e_8", "", "relative increase of the loss by FP8", tex="e_{8}", display_unit="%", zero=True, high="10 %")
h_L = Variable("h_L", "", "loss over its avoidable part", tex="h_{L}", low="1", high="1000")
R_1 = Variable("R_1", "", "loss that data may leave", tex="R_{1}", low="0.0001", high="10")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- cost and date -------------------------------------------------------------------------

training_time = (
    Derivation.start(t, C / (n * X), "training compute over the rate of all devices", kind="model")
    .apply({C: training.compute}, "six for each parameter and token")
    .formula(convention="time at work, stops left out")
)
calendar = Formula(T_r, x_c * t, kind="definition")
life_cost = Formula(
    K_l,
    c * (n * T_g + 2 * FLOP / token * N * D_i / (P * u_s)),
    kind="model",
    assumptions=("the reservation is paid in full", "a device-hour of serving costs as much as one of training"),
)
left = 1 + beta * (1 - x**-alpha) / alpha - e_f * h_L * (1 + beta / alpha)
avoidable = Formula(h_L, L / (L - E), kind="definition")
tokens_in_format = (
    Derivation.balance(
        R_D * delta**-beta, R_1, "what data may leave of the loss, when they are $\\delta$ times the best number"
    )
    .solve_for(delta, (R_1 / R_D) ** (-1 / beta), "undo the power")
    .apply(
        {R_1: R_N + R_D - R_N * x**-alpha - e_f * h_L * (R_N + R_D)},
        "data must make up for what the smaller size and the format lose",
    )
    .apply(scaling.data_at_optimum, "at the best size the parts stand as $\\beta : \\alpha$")
    .rewrite(left ** (-1 / beta), "the loss itself cancels")
    .formula(
        assumptions=("the loss is that of the best size in BF16", "a format raises the loss by one factor"),
        domain=(left > 0,),
    )
)
gap_8 = Formula(e_f, e_8, kind="definition")
fp8_allowed = (
    Derivation.balance(
        f_8 * left.subs(e_f, 0) ** (-1 / beta),
        left.subs(e_f, e_8) ** (-1 / beta),
        "the tokens that FP8 adds in the same days make up for the loss that it adds",
    )
    .solve_for(
        e_8,
        (1 - f_8**-beta) * (1 + beta * (1 - x**-alpha) / alpha) / (h_L * (1 + beta / alpha)),
        "linear in the increase, once the power is undone",
    )
    .formula(assumptions=("one size and one date in both formats", "a format raises the loss by one factor"))
)
rate_16 = Formula(X, P * u, kind="definition", convention="MFU, of the dense BF16 peak")
rate_8 = Formula(X, P * u * f_8, kind="definition", convention="MFU, of the dense BF16 peak")
hours_of_reservation = Formula(H, n * T_g, kind="definition")
served_mfu = Formula(
    u_s,
    2 * FLOP / token * N_a * (q_p * (1 - h_p) + q_a) / (n * P),
    assumptions="prompt tokens that are found in a cache take no work; attention left out",
    convention="of the dense BF16 peak",
)
gain_elsewhere = Formula(
    f_8, x_1 * x_2, assumptions="another machine gains that multiple of what its hidden size predicts"
)
of_two = Formula(x_g, sqrt(x_1 * x_2), kind="definition")
against_te = Formula(f_8, x_1 / M_8, kind="definition")
apart = Formula(e_x, x_1 / x_2 - 1, kind="definition")

# --- what is known of the levers ------------------------------------------------------------

# What the steps of dense models attained in BF16 on H100s.
MEASURED_MFU = Range(
    audit_measured.reported("olmo_7")["share"],
    facts.llama_mfu_8k,
    value=audit.mfu,
    source="steps in BF16 on H100 in published runs, from Olmo 3 7B on 512 to Llama 3.1 405B on 8,192",
)
PLAN = {P: H100, u: audit.mfu}
rate_planned = Example(rate_16, PLAN, unit="TFLOP/s/gpu")
reservation_rent = Example(
    training.cost, {c: sites.contract_june, H: Example(hours_of_reservation, {n: audit.devices, T_g: "60 d"})}
)
fp8_engine = Example(against_te, {x_1: facts.fp8_lm, M_8: facts.fp8_over_engine})
FITTED_GAIN = measured.fp8_gains.fitted_parameters["h_e"]


def fp8_at(width):
    """Return the FP8 speed-up at a hidden size: predicted, and the least and the greatest on another system."""
    found = Example(measured.fp8_gain, {training.h: width, measured.h_e: FITTED_GAIN}, digits=3)
    ends = (measured.fp8_gains.system_low, measured.fp8_gains.system_high)
    return found, *(Example(gain_elsewhere, {x_1: found, x_2: end}, digits=3) for end in ends)


fp8_predicted, fp8_least, fp8_greatest = fp8_at(facts.nearest_width)
fp8_middle, fp8_middle_least, fp8_middle_greatest = fp8_at(models.olmo2_13b_hidden)
fp8_small, fp8_small_least, fp8_small_greatest = fp8_at(models.llama31_8b_hidden)
devices_of_nodes = Formula(n, n_v * g, kind="definition", convention="nodes may be a mean, no integer")
day_devices = Example(devices_of_nodes, {n_v: practice.day_nodes, g: hardware.server_gpus})
mfu_served = Example(
    served_mfu,
    {
        N_a: models.deepseek_v3_active,
        q_p: practice.day_input,
        h_p: practice.day_hits,
        q_a: practice.day_output,
        n: day_devices,
        P: H100,
    },
    digits=2,
)
# the median of eight runs: the mean of the fourth and the fifth
calendar_middle = Example(of_two, {x_1: audit_measured.llama_clock, x_2: audit_measured.glm_clock})
half_2022 = Example(
    overtraining.size_penalty, {alpha: models.hoffmann_fine_alpha, beta: models.hoffmann_fine_beta, x: "0.5"}
)
half_small, half_open, half_large = (
    Example(overtraining.size_penalty, {**{v: measured.constants_of(law)[v] for v in (alpha, beta)}, x: "0.5"})
    for law in (measured.law, measured.law_open, measured.law_large)
)
five_fits = Example(apart, {x_1: overtraining.half, x_2: half_large})  # the greatest and the least of five

# --- the decision, by a law ------------------------------------------------------------------

# Half a billion apart where a month more or less decides: a size that is rounded up costs its share of all serving.
SIZES = (
    "2",
    "3",
    *(f"{halves / 2:g}" for halves in range(8, 17)),
    "8.03",
    *(f"{halves / 2:g}" for halves in range(17, 57)),
    *(str(size) for size in (30, 32, 35, 40, 50)),
    "70.55",
)
SPACE = {
    "options": {
        N_9: SIZES,
        "format": {"BF16": {X: rate_16, e_f: "0"}, "FP8": {X: rate_8, e_f: gap_8}},
        T_g: tuple(f"{30 * months} d" for months in range(1, 7)),
    },
    "minimise": life_cost,
    "constraints": {"the run ends within the reservation": T_r <= T_g},
    "error": (
        five_fits,
        "compute that half of the best size takes, greatest over least of five fits to four sets of runs",
    ),
    "columns": (T_r, D),
    "labels": {
        N_9: "{} billion parameters",
        T_g: "for",
        T_r: "run takes",
        D: "tokens",
        K_l: "cost",
        f_8: "FP8 throughput over BF16",
        e_8: "loss increase by FP8",
        h_L: "loss over its avoidable part",
        x_c: "calendar time over time of steps",
        D_i: "tokens served",
        u_s: "MFU of serving",
        u: "MFU of training",
        N_o: "best size for the month",
        alpha: "exponent of the size",
        beta: "exponent of the data",
    },
}
GIVEN = {
    N: N_9 * 10**9,
    x: N / N_o,
    delta: tokens_in_format,
    D: delta * D_o,
    D_o: C * token / (6 * FLOP * N_o),
    C: audit.work,
    t: training_time,
    T_r: calendar,
    n: audit.devices,
    P: H100,
    c: sites.contract_june,
}
UNCERTAIN = {
    f_8: Range(
        fp8_least,
        fp8_greatest,
        value=fp8_predicted,
        source="90 % of other systems, by thirteen that were measured in both formats",
    ),
    e_8: Range(
        "0 %",
        facts.fp8_loss,
        value=facts.fp8_gap,
        source="none, to the bound of DeepSeek-V3; today the bound of Nemotron-H",
    ),
    x_c: Range(
        audit_measured.steps_alone.least,
        audit_measured.steps_alone.greatest,
        value=calendar_middle,
        source="least and greatest of eight published runs",
    ),
    u: MEASURED_MFU,
    u_s: Range("10 %", "40 %", value=mfu_served, source="half and twice what a day of DeepSeek-V3 and R1 attained"),
    D_i: Range(
        "18 Ttoken",
        "73 Ttoken",
        value=overtraining.forecast,
        source="assumed: from half the forecast to twice the forecast",
    ),
}


EIGHT_BITS = {"format": "FP8", T_g: "60 d"}


def avoidable_by(constants, floor, best):
    """Return the loss of the month's best size over what is above the floor, as one law has it."""
    run = {**constants, E: floor, N: best, C: audit.work}
    return Example(avoidable, {E: floor, L: Example(scaling.loss_on_budget, run)}, digits=3)


avoidable_refit = avoidable_by(scaling.REFIT, models.besiroglu_E, audit.law_size)
avoidable_2022 = avoidable_by(scaling.HOFFMANN, facts.hoffmann_E, audit.hoffmann_size)
avoidable_open, avoidable_small = (
    avoidable_by(measured.constants_of(runs), runs.fitted_parameters["E"], best)
    for runs, best in ((measured.law_open, measured.best_open), (measured.law, measured.best_small))
)


SYSTEMS = "90 % of other systems, by thirteen that were measured in both formats"
GAIN_MIDDLE = Range(fp8_middle_least, fp8_middle_greatest, value=fp8_middle, source=SYSTEMS)
GAIN_SMALL = Range(fp8_small_least, fp8_small_greatest, value=fp8_small, source=SYSTEMS)


def by_law(constants, best, over, expects, gain=UNCERTAIN[f_8]):
    """Return the decision as one law has it: `constants` by symbol, `best` its best size, `over` its loss over the avoidable part."""
    exponents = {symbol: constants[symbol] for symbol in (alpha, beta)}
    return Decision(
        "Which size should be trained, in which format, and for how many months?",
        **SPACE,
        given={**GIVEN, **exponents, N_o: best, h_L: over},
        uncertain={**UNCERTAIN, f_8: gain},
        decides=("format", T_g),
        proposed={N_9: "24.5", **EIGHT_BITS},
        samples=400,
        expects=expects,
    )


THREE_MONTHS = {"format": "FP8", T_g: "90 d"}
ANY = [EIGHT_BITS, THREE_MONTHS, {"format": "BF16", T_g: "90 d"}]
size_refit = by_law(scaling.REFIT, audit.law_size, avoidable_refit, ANY)
size_published = by_law(scaling.HOFFMANN, audit.hoffmann_size, avoidable_2022, EIGHT_BITS, GAIN_MIDDLE)
size_open = by_law(measured.constants_of(measured.law_open), measured.best_open, avoidable_open, ANY[:2], GAIN_MIDDLE)
size_small = by_law(measured.constants_of(measured.law), measured.best_small, avoidable_small, EIGHT_BITS, GAIN_SMALL)


def fp8_pays_below(exponents, size, best, over, gain=fp8_predicted):
    """Return the increase of the loss at which FP8 gains nothing, for a size in parameters, by one law."""
    place = Example(audit.size_over_best, {N: size, N_o: best})
    law = {symbol: exponents[symbol] for symbol in (alpha, beta)}
    return Example(fp8_allowed, {**law, x: place, h_L: over, f_8: gain}, digits=2)


# At the size that each law calls cheapest.
allowed_refit = fp8_pays_below(scaling.REFIT, "24.5e9", audit.law_size, avoidable_refit)
allowed_2022 = fp8_pays_below(scaling.HOFFMANN, "12.5e9", audit.hoffmann_size, avoidable_2022, fp8_middle)
allowed_open = fp8_pays_below(
    measured.constants_of(measured.law_open), "12.5e9", measured.best_open, avoidable_open, fp8_middle
)
allowed_small = fp8_pays_below(
    measured.constants_of(measured.law), "5.5e9", measured.best_small, avoidable_small, fp8_small
)
allowed_best = fp8_pays_below(scaling.REFIT, audit.law_size, audit.law_size, avoidable_refit)

# What must be signed before anybody knows the law or the loss of FP8: the months, with size and format set to the best
# for each case.
EXPONENTS = "the four fits, and two standard errors beyond the refit"
LAWS = {
    **UNCERTAIN,
    alpha: Range("0.33", "0.37", source=EXPONENTS),
    beta: Range("0.135", "0.41", source=EXPONENTS),
    N_o: Range("20.2e9", "80e9", source="the four fits, and the first two methods of 2022"),
    h_L: Range("8.3", "13.5", source="the four fits; the upper end assumed a tenth beyond the refit"),
}
TOGETHER = (((beta, N_o), 0.9, "a fit in which data are worth less also calls a smaller model the best"),)
reservation = Decision(
    "For how many months should the cluster be reserved?",
    **SPACE,
    decides=(T_g,),
    given={
        **GIVEN,
        alpha: models.besiroglu_alpha,
        beta: models.besiroglu_beta,
        N_o: audit.law_size,
        h_L: avoidable_refit,
    },
    uncertain=LAWS,
    common=TOGETHER,
    proposed={T_g: "60 d"},
    samples=1000,
    expects=[{T_g: "60 d"}, {T_g: "90 d"}],
)
