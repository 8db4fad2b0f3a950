"""Parallelism, measured: bubbles of real pipelines, and the memory that layouts really take."""

from sympy import Min

from mathcore import Derivation, Example, Formula, One, Variable
from mathcore.chapters import hardware, models, parallelism
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.parallelism import layouts, steps, x
from mathcore.chapters.parallelism.layouts import H, L, Psi, b, d, h, m, p, s, t, w, w_o
from mathcore.chapters.roofline import measured as roofline_measured
from mathcore.chapters.training import measured as training_measured
from mathcore.measured import Comparison, Dataset, PairedError

# --- symbols -------------------------------------------------------------------------------

p_1 = Variable("p_1", "", "stages of the run compared with", low="1", high="1024", integer=True)
m_1 = Variable("m_1", "", "micro-batches of the run compared with", low="1", high="100000", integer=True)
r = Variable("r", "", "rate of a device over its rate in another run", tex=r"r_{\mathrm{v}}", low="0", high="1000")
x_1 = Variable("x_1", "", "bubble of the run compared with", display_unit="%", low="0 %", high="99 %", zero=True)
c = Variable("c", "", "measured memory over its estimate", tex=r"c_{\mathrm{mem}}", low="0.5", high="10")
H_s = Variable(
    "H_s", "B", "memory saved on each device", tex=r"H_{\mathrm{s}}", display_unit="GB", low="0 B", high="100 TB"
)
N_1 = Variable("N_1", "", "devices of the smaller run", low="1", high="1000000", integer=True)
N_2 = Variable("N_2", "", "devices of the larger run", low="1", high="1000000", integer=True)

# --- data ----------------------------------------------------------------------------------

pipelines = Dataset("pipelines_bigscience")
memories = Dataset("memory_bigscience")
sharding = Dataset("sharding_torchtitan")
long_sequences = Dataset("long_context")
layouts_megatron = Dataset("layouts_megatron")
layouts_bf16 = Dataset("layouts_bf16")

# --- bubbles -------------------------------------------------------------------------------

bubble_first = Formula(
    x_1,
    (p_1 - 1) / (m_1 + p_1 - 1),
    assumptions="all stages and micro-batches take equally long",
    convention="idle over total; GPipe and 1F1B alike",
)
rate_ratio = (
    Derivation.start(r, (1 - x) / (1 - x_1), "a device that idles less does more", kind="model")
    .apply({x: parallelism.bubble, x_1: bubble_first}, "the bubbles of both runs")
    .rewrite(parallelism.m * (m_1 + p_1 - 1) / (m_1 * (parallelism.m + parallelism.p - 1)), "one fraction")
    .formula(assumptions="devices are equally fast while they work")
)
PIPELINE = {
    "formula": rate_ratio,
    "data": pipelines,
    "measured": "ratio",
    "columns": {
        parallelism.p: "stages",
        parallelism.m: "micro_batches",
        p_1: "first_stages",
        m_1: "first_micro_batches",
    },
    "over": {"stages": "stages", "micro-batches": "micro_batches"},
    "also": (parallelism.bubble,),
}
bubbles_v100 = Comparison(
    **PIPELINE,
    only={"device": "V100"},
    system="pipelines of 8 to 64 stages with 4 micro-batches, V100",
    bound=("30 %", "30 %"),
    note="Pipelines are up to 40 % faster than predicted, because the wider layers of the larger models compute faster.",
)
bubbles_a100 = Comparison(
    **PIPELINE,
    only={"device": "A100"},
    system="a pipeline of 12 stages as the batch grows, A100",
    bound=("8 %", "9 %"),
    note="A batch four times as large gains a little more than the bubble says: it also dilutes the update of the step.",
)

# --- memory --------------------------------------------------------------------------------

memory_counted = Formula(
    H,
    c * (Psi * (2 * w + w_o / d) / (t * p) + w * s * b * h * (L / p) * Min(p, m)),
    assumptions="a sharded optimizer, and the inputs of all layers of the micro-batches in flight: the rest is computed again",
    convention="what buffers, workspace and the allocator take is the factor $c$",
)
layout_memory = Comparison(
    formula=memory_counted,
    data=memories,
    measured="memory",
    columns={
        Psi: "params",
        L: "layers",
        h: "width",
        t: "tensor",
        p: "stages",
        d: "replicas",
        b: "micro_batch",
        m: "micro_batches",
        w: "2 B",
        w_o: "12 B",
        s: "2048",
    },
    system="peak memory of 180 billion parameters in layouts, A100",
    fit_parameters={c: ("1", "3")},
    fit={"tensor": 8},
    over={"tensor degree": "tensor", "stages": "stages"},
    bound=("25 %", "38 %"),
    note="A device takes from a third to more than twice the estimate, on the same layout on different days.",
)
memory_saved = Formula(
    H_s,
    Psi * (2 * w + w_o) * (1 / N_1 - 1 / N_2),
    assumptions="weights, gradients and optimizer are sharded among all devices, the batch of a device stays",
)
saved_by_sharding = Comparison(
    formula=memory_saved,
    data=sharding,
    measured="saved",
    columns={Psi: "params", N_1: "few", N_2: "many", w: "2 B", w_o: "12 B"},
    system="memory saved by sharding among more devices, Llama 3.1 8B on H100",
    over={"devices": "many"},
    bound=("8 %", "10 %"),
    note="Sixteen bytes a parameter are divided as the formula says; differences are predicted far better than sums.",
)

# --- memory of long sequences ----------------------------------------------------------------------------

s_1 = Variable("s_1", "", "tokens of the shorter sequence", low="1", high="100000000", integer=True)
H_g = Variable(
    "H_g", "B", "memory that a longer sequence adds", tex=r"H_{\mathrm{g}}", display_unit="GB", low="0 B", high="100 TB"
)
memory_growth = Formula(
    H_g,
    w * b * h * L * (s - s_1),
    kind="model",
    assumptions="the inputs of all layers are kept, and everything else is computed again",
)
longer_sequences = Comparison(
    formula=memory_growth,
    data=long_sequences,
    measured="growth",
    columns={
        w: "2 B",
        b: "1",
        h: models.llama31_8b_hidden,
        L: models.llama31_8b_layers,
        s: "tokens",
        s_1: "first_tokens",
    },
    over={"tokens": "tokens"},
    system="memory that longer sequences take, Llama 3.1 8B on eight H200",
    bound=("42 %", "45 %"),
    note="Memory is linear in the length up to 256 thousand tokens, and 1.5 to 1.8 times what the inputs of the layers alone take.",
)

# --- tensor-parallel all-reduces -------------------------------------------------------------------------

c_s = Variable(
    "c_s",
    "",
    "time of a tensor-parallel all-reduce over that of its bytes",
    tex=r"c_{\mathrm{s}}",
    low="0.5",
    high="20",
)
t_m = Variable("t_m", "s", "tensor-parallel all-reduces at their measured multiple, in one step", tex=r"t_{\mathrm{m}}")
SUM = {
    "formula": layouts.layer_all_reduce,
    "measured": "time",
    "columns": {layouts.n_l: "message", t: "ranks", layouts.G: "8", **layouts.NET},
    "also": (layouts.tensor_parallel_time,),
}
OF_THE_CASE = {"message": 33554432}  # bytes of 2,048 tokens of width 8,192, two bytes each
sum_h100 = Comparison(
    **SUM,
    data=collectives_measured.p5,
    only={**OF_THE_CASE, "nodes": 1},
    system="an all-reduce of one sequence's activations, eight H100 of a node",
    bound=("35 %", "35 %"),
    note="A message of 34 MB is too short for the full link rate: it takes 1.5 times the time of its bytes, although the switch reduces.",
)
sum_h200 = Comparison(
    **{**SUM, "columns": {**SUM["columns"], t: "8"}},
    data=collectives_measured.h200,
    only=OF_THE_CASE,
    system="an all-reduce of one sequence's activations, eight H200 of a node",
    bound=("39 %", "39 %"),
    note="The links are the same, and a little slower still.",
)
sum_two_nodes = Comparison(
    **SUM,
    data=collectives_measured.p5,
    only={**OF_THE_CASE, "nodes": 2},
    system="an all-reduce of one sequence's activations, two nodes of H100",
    bound=("52 %", "52 %"),
    note="It takes twice the estimate for a hierarchical all-reduce at full link and NIC rates, and a third of the time of one ring through all devices.",
)
tensor_parallel_time = Formula(
    t_m,
    c_s * layouts.t_tp,
    assumptions="all tensor-parallel all-reduces take the multiple of their estimate that one of them took",
)


def _attained(layout, multiple, bubble=True):
    """Return the efficiency of a layout whose tensor-parallel all-reduces take a measured multiple."""
    dp, tp = (getattr(layouts, f"{layout}_{part}") for part in ("dp", "tp"))
    all_reduces = Example(tensor_parallel_time, {c_s: multiple.greatest, layouts.t_tp: tp}, unit="s")
    pp = getattr(layouts, f"{layout}_pp") if bubble else "0 s"
    parts = {layouts.t_c: layouts.step_computes, layouts.t_dp: dp, layouts.t_tp: all_reduces, layouts.t_pp: pp}
    return all_reduces, Example(layouts.efficiency, parts)


four_four_attained = _attained("four_four", sum_h100)[1]

# --- weights sharded within groups, copied between them -----------------------------------------

N_c = Variable("N_c", "", "copies of the weights, in groups of devices", tex=r"N_{\mathrm{c}}")
N_d = Variable("N_d", "", "devices of all groups", tex=r"N_{\mathrm{d}}", low="1", high="1000000", integer=True)
kept_anyway = 17 * w * s * b * h * L + Psi * w / L
smallest_group = (
    Derivation.start(layouts.memory_sharded, routine=True)
    .solve_for(
        layouts.N,
        Psi * (2 * w + w_o) / (layouts.H_z - kept_anyway),
        "what the activations leave has to hold the state",
        as_symbol=layouts.N.as_real(),
    )
    .formula(
        assumptions="weights are sharded within a group of devices and copied between groups",
        domain=(layouts.H_z > kept_anyway,),
        convention="round up to whole nodes",
    )
)
weight_copies = Formula(
    N_c, N_d / layouts.N, assumptions="an array that is cut over one axis of a mesh is copied along all others"
)
ONE_AT_A_TIME = {**layouts.MODEL, **layouts.SHAPE, w_o: "12 B", b: "1"}
group = Example(smallest_group, {**ONE_AT_A_TIME, layouts.H_z: hardware.h100_hbm}, digits=3)
group_copies = Example(weight_copies, {N_d: "512", layouts.N: "64"}, digits=1)

# --- a sequence cut among devices -----------------------------------------------------------------

n_s = Variable(
    "n_s", "", "tokens of a sequence on each device", tex=r"n_{\mathrm{s}}", low="1", high="10000000", count=True
)
h_k = Variable("h_k", "", "width of all keys of a token", tex=r"h_{\mathrm{k}}", low="1", high="100000", integer=True)
stretch = (
    Derivation.balance(
        4 * One("FLOP") * layouts.h * n_s**2 / layouts.R,
        2 * w * h_k * n_s / layouts.beta_o,
        "while a device multiplies its queries with one stretch of keys and values, the next stretch arrives",
        kind="model",
    )
    .solve_for(
        n_s,
        w * h_k * layouts.R / (2 * One("FLOP") * layouts.h * layouts.beta_o),
        "the length of the sequence cancels",
        routine=True,
    )
    .formula(
        assumptions="keys and values go round a ring of devices; every pair is computed",
        convention="half of the pairs, if the mask is used and the work spread evenly: twice as many tokens",
    )
)
stretch_70b = Example(
    stretch,
    {layouts.h: models.llama31_70b_hidden, w: "2 B", h_k: "1024", layouts.R: "495 TFLOP/s", layouts.beta_o: "50 GB/s"},
    digits=3,
)

stretch_node = Example(
    stretch,
    {
        layouts.h: models.llama31_70b_hidden,
        w: "2 B",
        h_k: "1024",
        layouts.R: "495 TFLOP/s",
        layouts.beta_o: hardware.h100_nvlink,
    },
    digits=3,
)

# --- steps with sharded weights ---------------------------------------------------------------------

N_g = Variable(
    "N_g",
    "gpu",
    "devices of a run, with their unit",
    tex=r"N_{\mathrm{g}}",
    low="1 gpu",
    high="1000000 gpu",
    integer=True,
)
counted_devices = Formula(layouts.N, N_g / One("gpu"), kind="definition")
sharded_runs = Comparison(
    formula=steps.token_rate,
    data=training_measured.mpt,
    measured="throughput",
    columns={
        layouts.N: counted_devices,
        N_g: "devices",
        b: "micro_batch",
        m: "accumulation",
        Psi: "params",
        L: "layers",
        layouts.s: "tokens",
        steps.f: "100 %",
        steps.chi: "100 %",
        steps.e: collectives_measured.rails_alps.fitted_parameters["e"],
        steps.t_k: roofline_measured.product.fitted_parameters["t_d"],
        steps.w_g: "4 B",
        w: "2 B",
        layouts.G: "8",
        layouts.R: layouts.step_computes.givens[layouts.R],
        layouts.phi: hardware.fma_work,
        **layouts.NET,
    },
    only={"device": "H100", "precision": "BF16", "recomputed": "yes", "tokens": 2048, "devices": ">= 16"},
    system="steps of MPT-70B, MPT-30B and MPT-13B with sharded weights, 16 to 512 H100",
    over={"devices": "devices", "parameters": "params"},
    bound=("8 %", "15 %"),
    note="Computing runs at half of the peak, with all traffic hidden; nothing is fitted.",
)

# --- steps with tensor, pipeline and context parallelism ---------------------------------------------

WHOLE = {
    layouts.N: counted_devices,
    N_g: "devices",
    Psi: "params",
    L: "layers",
    h: "width",
    s: "tokens",
    layouts.B: "batch",
    b: "micro_batch",
    t: "tensor",
    p: "stages",
    steps.k: "context",
    steps.v: "chunks",
    steps.V: "vocabulary",
    steps.h_k: "keys",
    steps.omega: steps.head_work,
    steps.Lambda: steps.slowest_stage,
    d: steps.replicas,
    m: steps.micro_batches,
    steps.t_f: steps.launch_time,
    steps.t_k: roofline_measured.product.fitted_parameters["t_d"],
    steps.f: "0 %",
    steps.t_l: steps.tensor_parallel_time,
    steps.c_s: sum_h100.greatest,
    layouts.t_tp: layouts.tensor_parallel_time,
    steps.t_cp: steps.context_parallel_time,
    steps.t_h: steps.pipeline_send_time,
    steps.e: collectives_measured.rails_alps.fitted_parameters["e"],
    steps.z_b: "1",
    steps.chi: "100 %",
    w: "2 B",
    layouts.G: "8",
    layouts.phi: hardware.fma_work,
    **layouts.NET,
}
whole_steps = Comparison(
    formula=steps.layout_pace,
    data=layouts_megatron,
    measured="pace",
    columns=WHOLE,
    fit_parameters={layouts.R: ("300 TFLOP/s", "1900 TFLOP/s")},
    fit={"devices": 64},
    over={"devices": "devices", "parameters": "params"},
    system="whole steps in FP8 with TP, PP, CP and chunks, 128 to 1,024 H100",
    bound=("6 %", "13 %"),
    note="One rate, fitted on models of 70 billion parameters on 64 devices, gives the steps of larger ones on up to 1,024.",
)

# The same form in BF16, with the share of the peak that computing attains instead of a rate: other models, other
# laboratories, ten times as many devices, and the device of the generation before.
P_d = Variable("P_d", "FLOP/s", "peak of a device", tex=r"P_{\mathrm{d}}", display_unit="TFLOP/s")
u = Variable("u", "", "share of the peak that is attained while computing", display_unit="%", low="0 %", high="100 %")
layout_pace_of_peak = (
    Derivation.start(steps.layout_pace)
    .apply({layouts.R: u * P_d}, "computing attains a share of the peak")
    .formula(assumptions="the same share for all dense models and both generations of device")
)
whole_steps_16 = Comparison(
    formula=layout_pace_of_peak,
    data=layouts_bf16,
    measured="pace",
    columns={
        **{symbol: given for symbol, given in WHOLE.items()},
        P_d: "peak",
        layouts.beta_i: "link",
        layouts.beta_o: "nic",
    },
    fit_parameters={u: ("30 %", "95 %")},
    fit={"model": "Llama 3.1 70B"},
    over={"devices": "devices", "parameters": "params"},
    system="whole steps in BF16 with TP, PP, CP and chunks, one model, then others at three laboratories on H100 and A100",
    bound=("8 %", "11 %"),
    note="One share of the peak, fitted on a model of 70 billion parameters, gives the steps of models from 15 to 405 billion at three laboratories, on up to 16,384 H100 and on 12,288 A100.",
)

# --- the decision --------------------------------------------------------------------------

R_m = Variable(
    "R_m", "FLOP/s", "rate of a device while it computes, as measured", tex=r"R_{\mathrm{m}}", display_unit="TFLOP/s"
)
e_f = Variable("e_f", "", "share of the NICs' rate in the slowest job", tex=r"e_{\mathrm{f}}", display_unit="%")
x_m = Variable("x_m", "", "measured multiple", tex=r"x_{\mathrm{m}}", low="0.01", high="100")
rate_of_peak = Formula(layouts.R, u * P_d, kind="definition")
rate_of_run = Formula(
    R_m, x_m * layouts.R, assumptions="all of the difference between measured and predicted steps is the rate"
)
nics_of_job = Formula(e_f, steps.e / x_m, assumptions="a job takes that multiple of the predicted time")
head_70b = Example(
    steps.head_work, models.of("llama31_70b", {steps.V: "vocabulary", h: "hidden", L: "layers", Psi: "parameters"})
)
rate = Example(rate_of_peak, {u: "50 %", P_d: hardware.h100_bf16})
rate_rack = Example(rate_of_peak, {u: "50 %", P_d: hardware.gb200_bf16})
rack_least = Example(rate_of_run, {layouts.R: rate_rack, x_m: sharded_runs.least})
rack_greatest = Example(rate_of_run, {layouts.R: rate_rack, x_m: sharded_runs.greatest})
rate_least = Example(rate_of_run, {layouts.R: rate, x_m: sharded_runs.least})
nics = collectives_measured.rails_alps.fitted_parameters["e"]
nics_least = Example(nics_of_job, {steps.e: nics, x_m: collectives_measured.rails_alps.greatest})

# Two runs of one model with sharded weights and different micro-batches: what does not grow with the tokens is traffic
# that nothing hides. Composer's default reduces gradients in FP32, its mode PURE (the A100 rows) in BF16.
n_1 = Variable("n_1", "", "tokens of the smaller micro-batch", low="1", high="10000000", integer=True)
n_2 = Variable("n_2", "", "tokens of the larger micro-batch", low="1", high="10000000", integer=True)
Y_1 = Variable("Y_1", "token/s", "tokens of all devices in a time, with the smaller micro-batch", low="1 token/s")
Y_2 = Variable("Y_2", "token/s", "tokens of all devices in a time, with the larger micro-batch", low="1 token/s")
t_x = Variable("t_x", "s", "traffic of a micro-batch that nothing hides", tex=r"t_{\mathrm{x}}", low="0 s", zero=True)
TOKEN = One("token")
exposed_traffic = (
    Derivation.balance(
        (N_1 * n_1 * TOKEN / Y_1 - t_x) / n_1,
        (N_2 * n_2 * TOKEN / Y_2 - t_x) / n_2,
        "without this traffic a token takes as long in a small micro-batch as in a large one",
        kind="model",
    )
    .solve_for(t_x, TOKEN * n_1 * n_2 * (N_1 / Y_1 - N_2 / Y_2) / (n_2 - n_1), "linear in the traffic")
    .formula(
        assumptions="the traffic of a micro-batch does not depend on its tokens, nor on the number of devices",
        domain=(n_1 < n_2,),
    )
)
overlap = Formula(steps.chi, 1 - t_x / steps.t_g, kind="definition", domain=(t_x <= steps.t_g,))
MPT_70B = {
    Psi: "64862437376",
    t: "1",
    p: "1",
    steps.d: "32",
    steps.k: "1",
    steps.n_w: "2",
    steps.n_g: "1",
    layouts.g: "8",
}
SIZES = {n_1: "4096", n_2: "16384", N_1: "32"}


def _overlap(small, large, devices, **traffic):
    """Return the overlap that the throughputs of two runs of MPT-70B imply, the larger one on `devices` devices."""
    exposed = Example(exposed_traffic, {**SIZES, N_2: devices, Y_1: small, Y_2: large}, unit="s")
    given = {symbol: traffic[symbol.name] for symbol in (steps.w_g, layouts.beta_i, layouts.beta_o)}
    takes = Example(steps.data_parallel_time, {**MPT_70B, steps.w_n: "2 B", steps.e: nics, **given}, unit="s")
    return Example(overlap, {t_x: exposed, steps.t_g: takes}, digits=3)


H100 = {"w_g": "4 B", "beta_i": hardware.h100_nvlink, "beta_o": hardware.ndr_port}
overlap_least = _overlap(parallelism.pair_h100_small, parallelism.pair_h100_128, "128", **H100)
overlap_greatest = _overlap(parallelism.pair_h100_small, parallelism.pair_h100_512, "512", **H100)
overlap_a100 = _overlap(
    parallelism.pair_a100_small,
    parallelism.pair_a100_large,
    "64",
    w_g="2 B",
    beta_i="300 GB/s",
    beta_o=parallelism.pair_a100_nic,
)
rate_8 = whole_steps.fitted_parameters[layouts.R.name]
x_8 = Variable("x_8", "", "rate in FP8 over that in BF16", tex=r"x_{8}", low="0.1", high="10")
R_8 = Variable("R_8", "FLOP/s", "rate of a device while it computes in FP8", tex=r"R_{8}", display_unit="TFLOP/s")
gain_of_rate = Formula(x_8, R_8 / layouts.R, kind="definition")
rate_whole = Example(
    rate_of_peak, {u: whole_steps_16.fitted_parameters[u.name], P_d: hardware.h100_bf16}, unit="TFLOP/s"
)
gain_whole = Example(gain_of_rate, {R_8: rate_8, layouts.R: rate_whole})
error_of_layouts = PairedError(whole_steps)

H_c = Variable("H_c", "B", "estimated memory", tex=r"H_{\mathrm{c}}", display_unit="GB", low="1 B", high="100 TB")
memory_measured = Formula(H, c * H_c, assumptions="a layout of another model takes the same multiple of its estimate")
taken_four = Example(
    memory_measured, {c: layout_memory.fitted_parameters["c"], H_c: layouts.four_four_memory}, unit="GB"
)
r_c = Variable("r_c", "", "multiple of a layout over that at TP=8", tex=r"r_{\mathrm{lay}}")
c_l = Variable("c_l", "", "measured memory over its estimate, for any layout", tex=r"c_{\mathrm{lay}}")
of_layout = Formula(c_l, c * r_c, kind="definition")
multiple_least = Example(of_layout, {c: layout_memory.fitted_parameters["c"], r_c: layout_memory.least})
multiple_greatest = Example(of_layout, {c: layout_memory.fitted_parameters["c"], r_c: layout_memory.greatest})
