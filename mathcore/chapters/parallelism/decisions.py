"""Parallelism, decided: every layout of one model on one cluster, with what can hide hidden and with nothing hidden."""

from sympy import Eq, Mod, Or

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import hardware, models, parallelism
from mathcore.chapters.parallelism import layouts, measured, steps
from mathcore.chapters.parallelism.layouts import B, C, G, H, L, N, Psi, R, b, d, m, p, t, t_c, t_tp, w, w_o
from mathcore.chapters.parallelism.steps import a_k, c, c_s, chi, e, f, k, t_e, t_k, v, z_b
from mathcore.chapters.roofline import measured as roofline_measured
from mathcore.chapters.training import decisions as training
from mathcore.chapters.training import measured as training_measured
from mathcore.chapters.training.decisions import f_8

fp8_predicted = Example(
    training_measured.fp8_gain,
    {training_measured.h: models.llama31_70b_hidden, training_measured.h_e: training.FITTED_GAIN},
    digits=3,
)
fp8_least, fp8_greatest = (
    Example(training.gain_elsewhere, {training.x_1: fp8_predicted, training.x_2: end}, digits=3)
    for end in (training_measured.fp8_gains.system_low, training_measured.fp8_gains.system_high)
)
f_4 = Variable("f_4", "", "training throughput in NVFP4 over that in FP8", tex=r"f_{4}", low="0.5", high="4")
w_4 = Variable("w_4", "B", "bytes of an NVFP4 weight while it travels", tex=r"w_{4}", low="0.5 B", high="4 B")
y_4 = Variable("y_4", "token/s/gpu", "tokens of each device in a time, in NVFP4", tex=r"y_{4}", low="0.001 token/s/gpu")
y_8 = Variable("y_8", "token/s/gpu", "tokens of each device in a time, in FP8", tex=r"y_{8}", low="0.001 token/s/gpu")
gain_of_four = Formula(f_4, y_4 / y_8, kind="definition")
four_least = Example(gain_of_four, {y_4: parallelism.pace_70_four, y_8: parallelism.pace_70_eight})
four_greatest = Example(gain_of_four, {y_4: parallelism.pace_405_four, y_8: parallelism.pace_405_eight})
f_s = Variable(
    "f_s", "", "share of the tokens trained in FP8 at the end", tex=r"f_{\mathrm{s}}", low="0", high="1", zero=True
)
f_e = Variable("f_e", "", "training throughput over that in FP8, the end of the run in FP8", tex=r"f_{\mathrm{e}}")
gain_finished = Formula(
    f_e,
    1 / ((1 - f_s) / f_4 + f_s),
    assumptions="the rest of the run is in NVFP4, and both parts take as long for each token as alone",
)
finished_least, finished_greatest = (
    Example(gain_finished, {f_4: gain, f_s: parallelism.four_finish}) for gain in (four_least, four_greatest)
)
four_middle = Example(training.of_two, {training.x_1: four_least, training.x_2: four_greatest})
SHARED = 1 / (d * k)
TRAVEL, STATE = {steps.t_g: steps.data_parallel_time}, {steps.H_w: steps.state}
HIDES = {steps.t_b: steps.t_w}
ZERO = {
    "ZeRO-1": {
        **TRAVEL,
        **STATE,
        steps.n_w: 1,
        steps.n_g: 1,
        steps.t_b: steps.last_micro_batch,
        steps.x_w: 1,
        steps.x_g: 1,
    },
    "ZeRO-2": {**TRAVEL, **STATE, **HIDES, steps.n_w: 1, steps.n_g: m, steps.x_w: 1, steps.x_g: SHARED},
    "ZeRO-3": {**TRAVEL, **STATE, **HIDES, steps.n_w: 2 * m, steps.n_g: m, steps.x_w: SHARED, steps.x_g: SHARED},
    "ZeRO-3 with node copies": {
        steps.t_g: steps.node_copy_time,
        **STATE,
        **HIDES,
        steps.x_w: SHARED + 1 / layouts.g,
        steps.x_g: SHARED,
    },
    "hybrid": {steps.t_g: steps.hybrid_time, steps.H_w: steps.hybrid_state, **HIDES},
}
compute_time_8 = Formula(
    t_c,
    layouts.compute_time.rhs / f_8,
    assumptions="FP8 speeds computing up as much as it was measured to speed up training",
)
compute_time_4 = Formula(
    t_c,
    layouts.compute_time.rhs / (f_8 * f_4),
    assumptions="NVFP4 speeds up computing over FP8 as much as it was measured to speed up training",
)
FORMATS = {"BF16": {t_c: layouts.compute_time, steps.w_n: "2 B"}, "FP8": {t_c: compute_time_8, steps.w_n: "1 B"}}
RECOMPUTED = {
    "nothing": {a_k: 17, t_e: "0 s"},
    # Norms' outputs and the activation function's: 1 + 1 + 4 of the 17 values, without a product of matrices.
    "pointwise": {a_k: 11, t_e: steps.pointwise_time},
}
SCHEDULES = {"1F1B": {z_b: 1}, "ZB-H1": {z_b: 1 / 3}}
SHAPE = {
    L: "layers",
    layouts.h: "hidden",
    steps.V: "vocabulary",
    steps.n_k: "kv_heads",
    steps.h_1: "head_dim",
    Psi: "parameters",
}
CASE = {
    **models.of("llama31_70b", SHAPE),
    **layouts.NET,
    N: "512",
    G: "8",
    B: "2048",
    layouts.s: "2048",
    w: "2 B",
    w_o: "12 B",
    steps.w_g: "4 B",
    layouts.phi: hardware.fma_work,
    C: hardware.h100_hbm,
    t_k: roofline_measured.product.fitted_parameters["t_d"],
    steps.beta_m: hardware.h100_hbm_bandwidth,
}
COMPUTED = {
    m: steps.micro_batches,
    t_tp: layouts.tensor_parallel_time,
    layouts.g: layouts.ranks_per_shard,
    d: steps.replicas,
    steps.t_w: steps.work,
    steps.t_f: steps.launch_time,
    steps.omega: steps.head_work,
    steps.Lambda: steps.slowest_stage,
    steps.t_l: steps.tensor_parallel_time,
    steps.h_k: steps.key_width,
    steps.t_cp: steps.context_parallel_time,
    steps.t_h: steps.pipeline_send_time,
    steps.q: steps.in_flight,
    f: steps.layers_recomputed,
    steps.H_a: steps.activations,
    H: steps.memory,
    steps.H_t: steps.taken,
}
LAYOUTS = {
    "options": {
        t: (1, 2, 4, 8, 16),
        p: (1, 2, 4, 8, 16),
        "zero": ZERO,
        "format": FORMATS,
        "schedule": SCHEDULES,
        v: (1, 2, 5, 10),
        k: (1, 2, 4, 8),
        "recomputed": RECOMPUTED,
        b: (1, 2, 4),
    },
    "domain": (
        Eq(Mod(N, t * p * k), 0),
        Eq(Mod(B * t * p * k, N * b), 0),
        Or(Eq(v, 1), Eq(Mod(L, p * v), 0)),
        Or(Eq(v, 1), p > 1),
        Or(Eq(z_b, 1), Eq(v, 1)),
        Or(Eq(z_b, 1), p > 1),
    ),
    "constraints": {"memory": steps.H_t <= C},
    "minimise": steps.step,
    "columns": (f, steps.t_w, steps.t_g, steps.H_t),
    "decides": (t, p, "zero", "format"),
    "proposed": {t: 2, p: 8, "zero": "ZeRO-1", "format": "FP8", k: 2, b: 1},
    "labels": {
        t: "TP",
        p: "PP",
        k: "CP",
        v: "chunks",
        b: "micro-batch",
        f: "layers recomputed",
        "pointwise": "pointwise recomputation",
        "nothing": "no recomputation",
        steps.T: "time of a step",
        steps.t_w: "computing",
        steps.H_t: "memory used",
        f_8: "FP8 throughput over BF16",
        steps.t_g: "weights and gradients travel",
    },
    "usual": {v: 1, k: 1, "recomputed": "nothing", "schedule": "1F1B"},
    "error": measured.error_of_layouts,
    "samples": 200,
}
UNCERTAIN = {
    f_8: Range(
        fp8_least,
        fp8_greatest,
        value=fp8_predicted,
        source="90 % of other systems at this hidden size, by thirteen that were measured in both formats",
    ),
    R: Range(
        measured.rate_least,
        measured.rate_whole,
        value=measured.rate,
        source="from the least that steps with sharded weights need to what steps with TP and PP need in BF16",
    ),
    c: Range(
        measured.multiple_least,
        measured.multiple_greatest,
        value=measured.layout_memory.fitted_parameters["c"],
        source="least and greatest multiple of the layouts that were measured",
    ),
    c_s: Range(
        "1",
        measured.sum_two_nodes.greatest,
        value=measured.sum_h100.greatest,
        source="from links at their full rate to all-reduces across two nodes of H100",
    ),
    e: Range(
        measured.nics_least,
        "100 %",
        value=measured.nics,
        source="from the slowest job on Alps to the full rate of the NICs",
        one_sided="no NIC carries more than its rate",
    ),
}
hidden = Decision(
    "Which layout is fastest if all traffic that can overlap does?",
    **LAYOUTS,
    given={**CASE, **COMPUTED},
    uncertain={
        **UNCERTAIN,
        chi: Range(
            "0 %",
            "100 %",
            value="100 %",
            source="from nothing hidden to all that can be hidden",
            one_sided="more than all cannot hide",
            linear=True,
        ),
    },
    expects=[{"zero": name, "format": "FP8"} for name in ("ZeRO-3", "ZeRO-3 with node copies")],
)
exposed = Decision(
    "Which layout is fastest if no traffic overlaps?",
    **LAYOUTS,
    given={**CASE, **COMPUTED, chi: "0 %"},
    uncertain=UNCERTAIN,
    expects=[{t: x, p: y, "zero": "ZeRO-1", "format": "FP8"} for x, y in ((2, 8), (1, 16), (2, 16), (4, 4))],
)
# Of the 72 GPUs of a rack 64 are used, as in the vendor's tables: the degrees divide them. At every input of the ranges
# BF16 and MXFP8 lose to FP8 in the same layout. In NVFP4 weights travel in BF16, or packed, which Megatron-LM does in
# ZeRO-1 alone, where they travel once a step (pull request 4005).
rack = hidden.variant(
    question="Which layout is fastest on racks of GB200 if all traffic that can overlap does?",
    options={
        **LAYOUTS["options"],
        "format": {"FP8": FORMATS["FP8"], "NVFP4": {t_c: compute_time_4, steps.w_n: 1 * w_4}},
    },
    labels={**LAYOUTS["labels"], f_4: "NVFP4 throughput over FP8", w_4: "NVFP4 weight on the wire"},
    given={
        **CASE,
        **COMPUTED,
        G: "64",
        layouts.beta_i: hardware.b200_nvlink,
        C: hardware.b200_hbm,
        steps.beta_m: hardware.gb200_hbm_bandwidth,
    },
    uncertain={
        **hidden.uncertain,
        R: Range(
            measured.rack_least,
            measured.rack_greatest,
            value=measured.rate_rack,
            source="the same shares of the peak as of H100 with sharded weights",
        ),
        f_4: Range(
            four_least,
            four_greatest,
            value=four_middle,
            source="least and greatest of nine pairs of steps of 70 and 405 billion parameters on GB200",
        ),
        w_4: Range(
            "0.5625 B",
            "2 B",
            value="2 B",
            source="packed, with one scale of a byte for sixteen weights, to BF16",
            one_sided="no framework sends more than BF16",
        ),
    },
    proposed={t: 1, p: 8, "zero": "ZeRO-1", "format": "NVFP4"},
    expects="tie",
)
