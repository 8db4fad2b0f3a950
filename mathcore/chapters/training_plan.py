"""The thirty days of the training chapter: what is printed of time, use and size, and what it comes to."""

from sympy import Rational, log

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import audit, ground_rules, kaplan, models, overtraining, scaling, training, training_memory
from mathcore.chapters.scaling import billions, kappa, xi
from mathcore.chapters.training import A100, FLOP, C, D, H, N, P, X, c, h, k, n, s, six, token, u, u_H, w_c
from mathcore.teaching import Exercise

# --- letters -------------------------------------------------------------------------------

f_a = Variable("f_a", "", "work with attention over 6 N D", tex=r"f_{\mathrm{att}}")
s_10 = Variable("s_10", "", "positions at which attention adds a given share", tex=r"s_{\varphi}")
phi = Variable("phi", "", "share that attention adds", shown="%", low="0.1 %", high="200 %")
e_s = Variable("e_s", "", "one time over another", shown="%")
t_a = Variable("t_a", "s", "a time", tex=r"t_{a}", shown="d", low="1 s", high="1000 year")
t_b = Variable("t_b", "s", "another time", tex=r"t_{b}", shown="d", low="1 s", high="1000 year")

# --- formulas --------------------------------------------------------------------------------

attention_factor = (
    Derivation.start(f_a, w_c / (k * N), "work of a token with attention, over that of its parameters")
    .use({w_c: training.token_work_causal, k: six}, "both six for each parameter")
    .formula(when="the shape of GPT-2, embeddings small", convention="model FLOPs, causal attention")
)
attention_share = (
    Derivation.balance(
        s_10 / (12 * h), phi, "what attention adds to each parameter's six operations is the share asked for"
    )
    .solve_for(s_10, 12 * h * phi, "linear in the length")
    .formula(when="the shape of GPT-2, embeddings small", convention="causal attention")
)
exponent_needed = (
    Derivation.balance(
        kappa * token * (C / FLOP) ** xi, D, "the law is to give a known number of tokens at a known budget"
    )
    .solve_for(xi, log(D / (kappa * token)) / log(C / FLOP), "divide by the factor, then take logarithms")
    .formula(when="FLOP and tokens as plain counts inside the power")
)
time_share = Formula(e_s, t_a / t_b, kind="definition")

time_lost = Formula(t_a, t_b * (1 - 1 / overtraining.c), kind="definition", when="the same fleet")

saved = Formula(e_s, 1 - scaling.C_t / C, kind="definition", convention="one life's work against another")

# --- facts: what is printed ------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the budget ------------------------------------------------------------------------------

hours = Example(ground_rules.device_hours, {ground_rules.N: audit.devices, ground_rules.t: audit.duration})
price = Example(training.bill, {c: models.deepseek_v3_rate, H: hours})


def in_billions(size):
    """Return a size in billions of parameters."""
    return Example(billions, {N: size})


best_b = in_billions(audit.law_size)
rule_b = in_billions(audit.rule_size)
fine_b = in_billions(audit.hoffmann_size)
never_b = in_billions(overtraining.never_size)
never_fine_b = in_billions(overtraining.never_fine_size)
largest_b = in_billions(training_memory.largest_on_80)
b_90 = in_billions(overtraining.size_90)
b_60 = in_billions(overtraining.size_60)
b_35 = in_billions(overtraining.size_35)
b_27 = in_billions(overtraining.size_27)
b_25 = in_billions(overtraining.size_25)
b_18 = in_billions(overtraining.size_18)
llama_b = in_billions(models.llama31_70b_parameters)
small_b = in_billions(models.llama31_8b_parameters)
longer = Example(time_share, {t_a: overtraining.days_35, t_b: audit.duration})
life_saved = Example(saved, {scaling.C_t: overtraining.life_35, C: overtraining.life_70b})

lost_70b = Example(time_lost, {t_b: audit.duration, overtraining.c: overtraining.price_70b}, unit="min")

# --- twenty-three days and thirty-four ---------------------------------------------------------

PTD_RUN = {n: facts.page_devices, X: facts.ptd_rate}
ptd_time = Example(
    training.time_recomputed,
    {N: models.gpt3_175b_parameters, D: models.gpt3_tokens, **PTD_RUN},
    expect=facts.ptd_days,
    rtol=0.006,
    source="Narayanan 2021, section 5.1",
)
ptd_hfu = Example(training.utilisation, {X: facts.ptd_rate, P: A100})
mfu_of_hfu = training.hfu.solve_for("u")
ptd_mfu = Example(mfu_of_hfu, {u_H: ptd_hfu})
ptd_again = Example(training.time, {N: "175e9", D: models.gpt3_tokens, n: facts.page_devices, P: A100, u: ptd_mfu})
big_hfu = Example(training.utilisation, {X: models.megatron_1t_rate, P: A100})
big_mfu = Example(mfu_of_hfu, {u_H: big_hfu})

# --- attention -----------------------------------------------------------------------------------

factor_gpt3 = Example(attention_factor, {s: "2048", h: "12288"}, digits=4)
factor_small = Example(attention_factor, {s: "2048", h: "768"}, digits=4)
factor_long = Example(attention_factor, {s: "131072", h: "8192"})

# --- laws ------------------------------------------------------------------------------------------

llama_tokens = Example(
    scaling.power_law, {C: models.llama31_budget, scaling.kappa: facts.llama_factor, xi: facts.llama_exponent}
)
kaplan_b = in_billions(kaplan.chinchilla)
exponent_printed = Example(
    scaling.exponent, {scaling.alpha: models.hoffmann_alpha, scaling.beta: models.hoffmann_beta}, digits=4
)
exponent_fine = Example(
    scaling.exponent, {scaling.alpha: models.hoffmann_fine_alpha, scaling.beta: models.hoffmann_fine_beta}, digits=4
)

# --- memory ------------------------------------------------------------------------------------------

BF16 = {training_memory.w_p: "2 B", training_memory.w_g: "2 B", training_memory.w_o: "12 B"}
SHARDS = {**BF16, training_memory.Psi: models.llama31_70b_parameters}
state = Example(training_memory.state, SHARDS, digits=4)
stage_1 = Example(training_memory.zero_stage_1, {**SHARDS, training_memory.d: "512"})
stage_2 = Example(training_memory.zero_stage_2, {**SHARDS, training_memory.d: "512"})
stage_3 = Example(training_memory.zero_stage_3, {**SHARDS, training_memory.d: "512"})
SHAPE = {training_memory.s: "4096", training_memory.b: "1", training_memory.h: models.llama31_70b_hidden}
WIDTHS = {training_memory.w: "2 B", training_memory.u: "1 B"}
kept = Example(training_memory.activations, {**SHAPE, **WIDTHS, training_memory.a: models.llama31_70b_heads})
selective = Example(training_memory.activations_selective, {**SHAPE, **WIDTHS, training_memory.t: "1"})
full = Example(training_memory.activations_full, {**SHAPE, training_memory.w: "2 B"}, unit="MB")
DEPTH = {training_memory.L: models.llama31_70b_layers}
all_kept = Example(training_memory.activations_first_stage, {training_memory.A: kept, **DEPTH})
all_selective = Example(training_memory.activations_first_stage, {training_memory.A: selective, **DEPTH})
all_full = Example(training_memory.activations_first_stage, {training_memory.A: full, **DEPTH})
even = Example(
    training_memory.scores_weigh,
    {training_memory.h: models.llama31_70b_hidden, training_memory.a: models.llama31_70b_heads, **WIDTHS},
)

# --- exercises -----------------------------------------------------------------------------------------

ex_hfu = Exercise(
    mfu_of_hfu,
    {u_H: "52 %"},
    title="Find the error: half of the peak",
    rtol=0.01,
    variants={u_H: ("44 %", "60 %")},
    mistakes={
        "that is what the hardware did, recomputed work included": u_H,
        "recomputing makes the hardware's share the larger one": u_H * Rational(8, 6),
        "two of eight operations are repeated, not two of six": u_H * Rational(4, 6),
    },
)
ex_recomputed = Exercise(
    training.time_recomputed,
    {N: "70e9", D: "1.4 Ttoken", n: "1024 gpu", X: "160 TFLOP/s/gpu"},
    title="Find the error: the rate counts eight",
    rtol=0.01,
    variants={n: ("512 gpu", "2048 gpu"), X: ("140 TFLOP/s/gpu", "180 TFLOP/s/gpu")},
    mistakes={
        "this rate counts recomputed work: the work above the line must count it too": 6
        * FLOP
        / token
        * N
        * D
        / (n * X),
        "that is one pass too many: forward, twice backward, and forward again make eight": 10
        * FLOP
        / token
        * N
        * D
        / (n * X),
    },
)
ex_attention = Exercise(
    attention_share,
    {h: "4096", phi: "25 %"},
    title="When does the six become wrong?",
    rtol=0.01,
    variants={h: ("8192", "16384"), phi: ("10 %", "50 %")},
    mistakes={
        "a token looks back only, at half of the pairs": 6 * h * phi,
        "the length stands above the line, the share with it": 12 * h / phi,
    },
)
ex_table = Exercise(
    training.compute,
    {N: "175e9", D: "12 Ttoken"},
    title="Find the error: a row that falls out of its table",
    rtol=0.01,
    variants={N: ("280e9", "67e9"), D: ("20 Ttoken", "4 Ttoken")},
    mistakes={
        "a power of ten is missing, as in the printed row": training.compute.rhs / 10,
        "only the forward pass is counted": 2 * FLOP / token * N * D,
    },
)
ex_exponent = Exercise(
    exponent_needed,
    {D: "16.55 Ttoken", kappa: "0.29", C: "38 YFLOP"},
    title="Find the error: one digit too few",
    rtol=0.003,
    digits=4,
    mistakes={
        "that is the printed exponent; with the printed factor it gives ten trillion tokens": Rational(53, 100),
        "the factor was left out: divide the tokens by it first": log(D / token) / log(C / FLOP),
    },
)
ex_largest = Exercise(
    training_memory.largest_model,
    {training_memory.H: "141 GB", training_memory.w_p: "2 B", training_memory.w_g: "4 B", training_memory.w_o: "12 B"},
    title="The largest model on one device",
    rtol=0.01,
    variants={training_memory.H: ("80 GB", "180 GB"), training_memory.w_g: ("2 B",)},
    mistakes={
        "only the weights were counted: gradients and optimizer take room too": training_memory.H / training_memory.w_p,
        "the optimizer keeps twelve bytes for each parameter, and they were left out": training_memory.H
        / (training_memory.w_p + training_memory.w_g),
    },
)
