"""The thirty days of the training chapter: what is printed of time, use and size, and what it comes to."""

from sympy import log

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import audit, before_you_start, models, sites, training
from mathcore.chapters.parallelism import memory as parallelism_memory
from mathcore.chapters.training import (
    A100,
    FLOP,
    C,
    D,
    H,
    N,
    P,
    X,
    c,
    h,
    k,
    kaplan,
    n,
    overtraining,
    s,
    scaling,
    six,
    token,
    u,
    u_H,
    w_c,
)
from mathcore.chapters.training.scaling import billions, kappa, xi
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

f_a = Variable("f_a", "", "compute with attention over 6 N D", tex=r"f_{\mathrm{att}}")
s_10 = Variable("s_10", "", "positions at which attention adds a given share", tex=r"s_{\varphi}")
phi = Variable("phi", "", "share that attention adds", tex=r"\varphi", display_unit="%", low="0.1 %", high="200 %")
e_s = Variable("e_s", "", "ratio of two times", display_unit="%")
t_a = Variable("t_a", "s", "a time", tex=r"t_{a}", display_unit="d", low="1 s", high="1000 year")
t_b = Variable("t_b", "s", "another time", tex=r"t_{b}", display_unit="d", low="1 s", high="1000 year")

# --- formulas --------------------------------------------------------------------------------

attention_factor = (
    Derivation.start(f_a, w_c / (k * N), "work of a token with attention, over that of its parameters")
    .apply({w_c: training.token_work_causal, k: six}, "both six for each parameter")
    .formula(drops_assumptions=training.DOMINATE, convention="model FLOPs, causal attention")
)
attention_share = (
    Derivation.balance(
        s_10 / (12 * h), phi, "what attention adds to each parameter's six operations is the share asked for"
    )
    .solve_for(s_10, 12 * h * phi, "linear in the length", routine=True)
    .formula(assumptions="the shape of GPT-2, embeddings small", convention="causal attention")
)
exponent_needed = (
    Derivation.balance(
        kappa * token * (C / FLOP) ** xi, D, "the law is to give a known number of tokens at a known budget"
    )
    .solve_for(xi, log(D / (kappa * token)) / log(C / FLOP), "divide by the factor, then take logarithms")
    .formula(assumptions="FLOP and tokens as plain counts inside the power")
)
size_for_tokens = training.compute.solve_for("N")
time_share = Formula(e_s, t_a / t_b, kind="definition")

time_lost = Formula(t_a, t_b * (1 - 1 / overtraining.c), kind="definition", assumptions="the same fleet")

saved = Formula(
    e_s, 1 - scaling.C_t / C, kind="definition", convention="total compute of one model over that of another"
)

# --- facts: what is printed ------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- the budget ------------------------------------------------------------------------------

hours = Example(before_you_start.device_hours, {before_you_start.N: audit.devices, before_you_start.t: audit.duration})
price = Example(training.cost, {c: sites.contract_june, H: hours})


def in_billions(size):
    """Return a size in billions of parameters."""
    return Example(billions, {N: size})


best_b = in_billions(audit.law_size)
rule_b = in_billions(audit.rule_size)
fine_b = in_billions(audit.hoffmann_size)
never_b = in_billions(overtraining.never_size)
never_fine_b = in_billions(overtraining.never_fine_size)
largest_b = in_billions(parallelism_memory.largest_on_80)
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
llama_exact = Example(
    exponent_needed, {kappa: facts.llama_factor, D: facts.llama_stated, C: models.llama31_budget}, digits=4
)
llama_month = Example(scaling.power_law, {C: audit.work, scaling.kappa: facts.llama_factor, xi: llama_exact})
llama_month_b = in_billions(Example(size_for_tokens, {C: audit.work, D: llama_month}))
llama_month_each = Example(
    scaling.tokens_each, {N: Example(size_for_tokens, {C: audit.work, D: llama_month}), D: llama_month}
)
each_llama_70b = Example(scaling.tokens_each, {N: models.llama31_70b_parameters, D: "15 Ttoken"}, digits=3)
kaplan_b = in_billions(kaplan.chinchilla)
exponent_printed = Example(
    scaling.exponent, {scaling.alpha: models.hoffmann_alpha, scaling.beta: models.hoffmann_beta}, digits=4
)
exponent_fine = Example(
    scaling.exponent, {scaling.alpha: models.hoffmann_fine_alpha, scaling.beta: models.hoffmann_fine_beta}, digits=4
)

# --- memory ------------------------------------------------------------------------------------------

BF16 = {parallelism_memory.w_p: "2 B", parallelism_memory.w_g: "2 B", parallelism_memory.w_o: "12 B"}
SHARDS = {**BF16, parallelism_memory.Psi: models.llama31_70b_parameters}
state = Example(parallelism_memory.state, SHARDS, digits=4)
stage_1 = Example(parallelism_memory.zero_stage_1, {**SHARDS, parallelism_memory.d: "512"})
stage_2 = Example(parallelism_memory.zero_stage_2, {**SHARDS, parallelism_memory.d: "512"})
stage_3 = Example(parallelism_memory.zero_stage_3, {**SHARDS, parallelism_memory.d: "512"})
SHAPE = {parallelism_memory.s: "4096", parallelism_memory.b: "1", parallelism_memory.h: models.llama31_70b_hidden}
WIDTHS = {parallelism_memory.w: "2 B", parallelism_memory.u: "1 B"}
kept = Example(parallelism_memory.activations, {**SHAPE, **WIDTHS, parallelism_memory.a: models.llama31_70b_heads})
selective = Example(parallelism_memory.activations_selective, {**SHAPE, **WIDTHS, parallelism_memory.t: "1"})
full = Example(parallelism_memory.activations_full, {**SHAPE, parallelism_memory.w: "2 B"}, unit="MB")
DEPTH = {parallelism_memory.L: models.llama31_70b_layers}
all_kept = Example(parallelism_memory.activations_first_stage, {parallelism_memory.A: kept, **DEPTH})
all_selective = Example(parallelism_memory.activations_first_stage, {parallelism_memory.A: selective, **DEPTH})
all_full = Example(parallelism_memory.activations_first_stage, {parallelism_memory.A: full, **DEPTH})
even = Example(
    parallelism_memory.scores_weigh,
    {parallelism_memory.h: models.llama31_70b_hidden, parallelism_memory.a: models.llama31_70b_heads, **WIDTHS},
)

exercises = read_exercises(__name__)
