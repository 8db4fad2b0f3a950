"""Training, measured: what the models of the chapter predict, held against runs that were published."""

from sympy import Integer

from mathcore import Derivation, Example, Formula, One, Variable
from mathcore.chapters import audit, hardware, models
from mathcore.chapters.parallelism import memory
from mathcore.chapters.training import (
    C,
    D,
    N,
    P,
    device_hours,
    h,
    l,
    mfu_attention,
    mfu_of_hours,
    n,
    overtraining,
    pace,
    s,
    scaling,
    time,
    u,
    v,
    v_1,
    w,
)
from mathcore.chapters.training import plan as training_plan
from mathcore.measured import Comparison, Dataset

FLOP, token = One("FLOP"), One("token")

# --- throughput ----------------------------------------------------------------------------

throughput = (
    Derivation.start(mfu_attention)
    .solve_for(v, u * n * P / w, "the rate that is kept up, over the work of one token")
    .formula(
        assumptions="one utilisation for all models, lengths and numbers of devices",
        convention="the work as $w$ counts it",
    )
)
work_six = Formula(w, 6 * FLOP / token * N, assumptions="attention is left out", convention="model FLOPs")
work_pairs = Formula(
    w,
    6 * FLOP / token * N + 12 * FLOP / token * l * h * s,
    assumptions="heads fill the width",
    convention="scores of all pairs",
)
work_past = Formula(
    w,
    6 * FLOP / token * N + 6 * FLOP / token * l * h * s,
    assumptions="heads fill the width",
    convention="causal attention",
)
mpt = Dataset("mpt_fsdp")
MPT = {
    "formula": throughput,
    "data": mpt,
    "measured": "throughput",
    "fit": {"tokens": 2048},
    "over": {"tokens": "tokens", "devices": "devices"},
}
SHAPE = {N: "params", l: "layers", h: "width", s: "tokens", n: "devices"}
ON_H100 = {"fit_parameters": {u: ("20 %", "60 %")}, "only": {"precision": "BF16", "recomputed": "no", "device": "H100"}}
ON_A100 = {"fit_parameters": {u: ("20 %", "70 %")}, "only": {"precision": "BF16", "recomputed": "no", "device": "A100"}}
mpt_h100 = Comparison(
    **MPT,
    **ON_H100,
    columns={**SHAPE, w: work_pairs, P: hardware.h100_bf16},
    system="MPT with FSDP, H100, no recomputation, scores of all pairs counted",
    bound=("12 %", "30 %"),
    note="Without recomputation one utilisation, found at one length, holds within a quarter at other lengths if all pairs are counted, masked or not.",
)
mpt_causal = Comparison(
    **MPT,
    **ON_H100,
    columns={**SHAPE, w: work_past, P: hardware.h100_bf16},
    system="MPT with FSDP, H100, no recomputation, half of the pairs counted",
    bound=("20 %", "120 %"),
    note="These kernels gain little by the mask: counted as half, long sequences look faster than they are.",
)
mpt_six = Comparison(
    **MPT,
    **ON_H100,
    columns={**SHAPE, w: work_six, P: hardware.h100_bf16},
    system="MPT with FSDP, H100, no recomputation, attention left out",
    bound=("50 %", "400 %"),
    note="Six for each parameter is a rule for short sequences: small models at 32,768 tokens run at a quarter of what it says.",
)
mpt_recomputed = Comparison(
    **{**MPT, "fit": {**MPT["fit"], "recomputed": "no"}},
    fit_parameters=ON_H100["fit_parameters"],
    only={"precision": "BF16", "device": "H100"},
    holdout={"recomputed": "yes", "tokens": ("< 2048", "> 2048")},
    columns={**SHAPE, w: work_pairs, P: hardware.h100_bf16},
    system="MPT with FSDP, H100, runs with recomputation, scores of all pairs counted",
    bound=("20 %", "75 %"),
    note="The utilisation of runs without recomputation is too optimistic for runs with it, by about half where sequences are longest.",
)
mpt_a100 = Comparison(
    **MPT,
    **ON_A100,
    columns={**SHAPE, w: work_pairs, P: hardware.a100_bf16},
    system="MPT with FSDP, A100, no recomputation, scores of all pairs counted",
    bound=("10 %", "45 %"),
    note="The older device attains a third more of its peak, because its memory is faster relative to its arithmetic.",
)

# --- one utilisation for other models, devices, and whole trainings -----------------------------

bridge = Dataset("megatron_bridge")
pace_of_device = (
    Derivation.start(pace)
    .apply(throughput, "the tokens of the whole machine")
    .solve_for(v_1, u * P / w, "the devices cancel", routine=True)
    .formula(convention="the work as $w$ counts it")
)
next_device = Comparison(
    formula=pace_of_device,
    data=bridge,
    measured="pace",
    columns={N: "params", P: "peak", w: work_six},
    system="Megatron, FP8 on H100, then FP8, MXFP8 and NVFP4 on GB200",
    fit_parameters={u: ("20 %", "60 %")},
    holdout={"device": "GB200"},
    over={"parameters": "params", "devices": "devices"},
    bound=("15 %", "100 %"),
    note="The utilisation of one generation carries over to the next in the same format; in FP4 it falls, at worst to little more than half.",
)
EIGHT, FOUR = ("FP8", "MXFP8"), "NVFP4"
NEXT = {"formula": pace_of_device, "data": bridge, "measured": "pace", "over": {"parameters": "params"}}
NEXT |= {
    "columns": {N: "params", P: "peak", w: work_six},
    "fit_parameters": {u: ("20 %", "60 %")},
    "fit": {"device": "H100"},
}
next_same = Comparison(
    **NEXT,
    holdout={"device": "GB200", "precision": EIGHT},
    system="Megatron, FP8 on H100, then FP8 and MXFP8 on GB200",
    bound=("15 %", "25 %"),
    note="FP8 on both devices.",
)
next_four = Comparison(
    **NEXT,
    holdout={"device": "GB200", "precision": FOUR},
    system="Megatron, FP8 on H100, then NVFP4 on GB200",
    bound=("40 %", "100 %"),
    note="FP4 doubles the peak but attains a smaller share of it, at worst little more than half.",
)
# What FP8 gains: products take half of their time, and all else what it took. Of a layer's time the products take a
# part that grows with the hidden size, since their operations go with its square and everything else with itself.
f_8 = Variable("f_8", "", "training throughput in FP8 over that in BF16", tex=r"f_{8}", low="0.5", high="4")
x_r = Variable("x_r", "", "time of everything else over that of the products in BF16", low="0", high="100", zero=True)
h_e = Variable(
    "h_e",
    "",
    "hidden size at which the products in BF16 take as long as everything else",
    tex=r"h_{\mathrm{e}}",
    low="100",
    high="1000000",
)
fp8_gain = (
    Derivation.start(f_8, (1 + x_r) / (1 / Integer(2) + x_r), "FP8 halves the time of the products alone", kind="model")
    .apply({x_r: h_e / h}, "per token, products go with the square of the hidden size, everything else with itself")
    .rewrite(2 * (h + h_e) / (h + 2 * h_e), "multiply by twice the hidden size")
    .formula(
        assumptions=("products run at twice the rate", "everything else takes the same share of time per hidden unit"),
        convention="dense models; the same layout in either format",
    )
)
formats = Dataset("fp8_gains")
fp8_gains = Comparison(
    formula=fp8_gain,
    data=formats,
    measured="gain",
    columns={h: "width"},
    fit_parameters={h_e: ("500", "50000")},
    fit={"width": 4096},
    over={"hidden size": "width"},
    system="FP8 over BF16, fitted on models of 8 billion parameters, judged on others from 1 to 405 billion",
    bound=("3.2 %", "8.4 %"),
    note="One number, found on small models, gives the gain of larger ones, of other laboratories and on GB200: from 1.15 times at a hidden size of 2,048 to 1.6 times at 16,384. A single gain for all sizes is off by twice as much.",
)
cards = Dataset("pretraining_hours")
PEAKS = {"A100": hardware.a100_bf16, "H100": hardware.h100_bf16, "H800": hardware.h100_bf16}
hours_of_cards = Comparison(
    formula=device_hours,
    data=cards,
    measured="hours",
    columns={N: "params", D: "trained", P: ("device", PEAKS)},
    system="device-hours of model cards",
    also=(time, mfu_of_hours),
    fit_parameters={u: ("10 %", "60 %")},
    fit={"device": "A100"},
    holdout={"device": ("H100", "H800")},
    over={"parameters": "params"},
    bound=("45 %", "80 %"),
    note="A utilisation fitted to three model cards of 2023 predicts half the hours that later cards state, because those hours include more than one run.",
)

# --- memory --------------------------------------------------------------------------------

layouts = Dataset("nanotron_memory")
Psi_all = Variable(
    "Psi_all", "", "parameters of the whole model", tex=r"\Psi_{\mathrm{all}}", low="1000", high="1000000000000000"
)
shard = Formula(
    memory.Psi, Psi_all / (memory.t * memory.p), assumptions="tensor and pipeline parallelism divide the weights evenly"
)
H_p = Variable("H_p", "B", "memory of a device at its peak", tex=r"H_{\mathrm{peak}}", display_unit="GB")
floor = (
    Derivation.start(H_p, memory.Q, "the state alone: everything else is left out", kind="model")
    .apply(memory.zero_stage_1, "optimizer sharded")
    .formula(assumptions="a lower bound: activations and buffers come on top")
)
state_alone = Comparison(
    formula=floor,
    data=layouts,
    measured="memory",
    columns={
        memory.Psi: shard,
        Psi_all: "params",
        memory.t: "tensor",
        memory.p: "pipeline",
        memory.d: "data",
        memory.w_p: "2 B",
        memory.w_g: "4 B",
        memory.w_o: "12 B",
    },
    system="peak memory, nanotron on H100, state alone",
    only={"zero_stage": 1},
    over={"parameters": "params", "devices in data parallelism": "data"},
    bound=("80 %", "95 %"),
    note="The state is a lower bound: peak memory is 1.7 to 6.9 times as much, because of activations and buffers.",
)

# --- the scaling law -----------------------------------------------------------------------

LAW = {
    "formula": scaling.loss,
    "measured": "loss",
    "columns": {N: "params", D: scaling.tokens_of_budget, C: "work"},
    "also": (scaling.loss_on_budget,),
    "fit_parameters": {
        scaling.E: ("1", "3.5"),
        scaling.A: ("10", "20000"),
        scaling.B: ("2", "90000"),
        scaling.alpha: ("0.1", "0.8"),
        scaling.beta: ("0.08", "0.8"),
    },
    "over": {"work": "work", "parameters": "params"},
}
C_f = Variable("C_f", "FLOP", "work of the largest run that was fitted", tex=r"C_{\mathrm{fit}}", display_unit="EFLOP")
C_l = Variable("C_l", "FLOP", "work of the largest run that is judged", tex=r"C_{\mathrm{judge}}", display_unit="EFLOP")
x_b = Variable("x_b", "", "work of the largest run judged over that of the largest fitted")
FITTED_SMALL, FITTED_LARGE = 4, 100  # EFLOP up to which runs are fitted, and beyond which they are judged
tuned = Dataset("scaling_tuned")
large = Dataset("scaling_large")
law = Comparison(
    **LAW,
    data=tuned,
    system="scaling law, fitted on small runs, judged on larger, RefinedWeb",
    only={"mixture": "RefinedWeb"},
    holdout={"work": f"> {FITTED_SMALL}"},
    bound=("1.2 %", "3 %"),
    note="Losses are predicted to about a per cent, eight times beyond the fit; the constants behind them are not determined.",
)
law_open = Comparison(
    **LAW,
    data=tuned,
    system="scaling law, fitted on small runs, judged on larger, OpenWebText2",
    only={"mixture": "OpenWebText2"},
    holdout={"work": f"> {FITTED_SMALL}"},
    bound=("1.2 %", "3 %"),
    note="On another text the precision is the same and the constants differ.",
)
law_large = Comparison(
    **LAW,
    data=large,
    system="scaling law, fitted up to 0.41 billion parameters, judged up to 6.9 billion, RefinedWeb",
    holdout={"work": f"> {FITTED_LARGE}"},
    bound=("1.8 %", "2.5 %"),
    note="Up to sixty times beyond the fit the losses hold to two per cent.",
)
beyond = Formula(x_b, C_l / C_f, kind="definition", convention="largest run judged over largest run fitted")


def beyond_fit(data, most, **only):
    """Return how many times the work of the largest fitted run the largest judged one took."""
    works = [row["work"] for row in data.chosen(only)]
    fitted = [row["work"] for row in data.chosen({**only, "work": f"<= {most}"})]
    return Example(beyond, {C_l: max(works), C_f: max(fitted)})


beyond_small = beyond_fit(tuned, FITTED_SMALL, mixture="RefinedWeb")
beyond_large = beyond_fit(large, FITTED_LARGE)

# What each set of runs says of the month, and the published exponents one standard error either way.


def constants_of(runs):
    """Return the constants that a comparison has fitted, by symbol."""
    return {v: runs.fitted_parameters[v.name] for v in (scaling.alpha, scaling.beta, scaling.A, scaling.B)}


def month_by(runs):
    """Return the best size for the month, in billions, and the least share of it that can reach its loss, as runs say."""
    found = {symbol: runs.fitted_parameters[symbol.name] for symbol in (scaling.alpha, scaling.beta)}
    best = Example(
        scaling.size,
        {**found, scaling.A: runs.fitted_parameters["A"], scaling.B: runs.fitted_parameters["B"], C: audit.work},
    )
    return best, Example(training_plan.billions, {N: best}), Example(overtraining.smallest, found)


best_small, best_small_b, share_small = month_by(law)
best_open, best_open_b, share_open = month_by(law_open)
best_large, best_large_b, share_large = month_by(law_large)
wall_large_b = Example(
    training_plan.billions,
    {N: Example(overtraining.size_of, {overtraining.x: share_large, overtraining.N_o: best_large})},
)
each_small, each_open, each_large = (
    Example(scaling.ratio, {**constants_of(runs), C: audit.work}) for runs in (law, law_open, law_large)
)
each_2022 = Example(scaling.ratio, {**scaling.HOFFMANN, C: audit.work})
wall_small_b, wall_open_b = (
    Example(
        training_plan.billions,
        {N: Example(overtraining.smallest_size, {overtraining.x_m: share, overtraining.N_o: best})},
    )
    for share, best in ((share_small, best_small), (share_open, best_open))
)
x_1 = Variable("x_1", "", "exponent one standard error away", low="0.1", high="1")
x_0 = Variable("x_0", "", "exponent as published", low="0.1", high="1")
x_e = Variable("x_e", "", "standard error of the published exponent", low="0.001", high="0.1")
above = Formula(x_1, x_0 + x_e, kind="definition", assumptions="one standard error above")
below = Formula(x_1, x_0 - x_e, kind="definition", assumptions="one standard error below")


def wall_at(alpha, beta):
    """Return the smallest size that can reach the loss, for exponents and the best size of the refit."""
    share = Example(overtraining.smallest, {scaling.alpha: alpha, scaling.beta: beta})
    return Example(overtraining.size_of, {overtraining.x: share, overtraining.N_o: audit.law_size})


ALPHA = {x_0: models.besiroglu_alpha, x_e: models.besiroglu_alpha_error}
BETA = {x_0: models.besiroglu_beta, x_e: models.besiroglu_beta_error}
wall_low = wall_at(Example(below, ALPHA), Example(below, BETA))
wall_high = wall_at(Example(above, ALPHA), Example(above, BETA))
wall_low_b = Example(training_plan.billions, {N: wall_low})
wall_high_b = Example(training_plan.billions, {N: wall_high})
