"""Training memory: weights, gradients, optimizer and activations, and how sharding divides them.

Parameters, layers, heads, sequences and tokens are plain counts here.
"""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import hardware, models
from mathcore.teaching import read_calculators, read_exercises


def _count(name, meaning, high, low="1", **more):
    return Variable(name, "", meaning, low=low, high=high, integer=True, **more)


# --- symbols ---------------------------------------------------------------------------------

d = _count("d", "degree of data parallelism", "1000000", alias="data_parallel")
t = _count("t", "degree of tensor parallelism", "1024", alias="tensor_parallel")
p = _count("p", "stages of the pipeline", "1024", alias="pipeline_parallel")
r = Variable("r", "", "ratio of two amounts")
b = Variable("b", "", "sequences of a micro-batch", alias="micro_batch_size", low="1", high="1024", count=True)
Psi = Variable(
    "Psi", "", "parameters of the model", alias="parameters", tex=r"\Psi", low="1000", high="1000000000000000"
)
w_p = Variable(
    "w_p", "B", "bytes of a weight", alias="bytes_per_weight", tex=r"w_{\mathrm{p}}", low="0.5 B", high="8 B"
)
w_g = Variable(
    "w_g",
    "B",
    "bytes of a gradient",
    alias="bytes_per_gradient",
    tex=r"w_{\mathrm{g}}",
    low="0 B",
    high="8 B",
    zero=True,
)
w_o = Variable(
    "w_o",
    "B",
    "optimizer bytes of a parameter",
    alias="optimizer_bytes",
    tex=r"w_{\mathrm{o}}",
    low="0 B",
    high="24 B",
    zero=True,
)
H = Variable(
    "H",
    "B",
    "memory of a device for the model's state",
    alias="memory",
    display_unit="GB",
    low="1 GB",
    high="10 TB",
    tex=r"H_{\mathrm{state}}",
)
Q = Variable("Q", "B", "weights, gradients and optimizer on each device", display_unit="GB")
Psi_max = Variable("Psi_max", "", "largest model", tex=r"\Psi_{\max}")
d_min = Variable("d_min", "", "replicas needed for the state to fit", tex=r"d_{\min}")
s = _count("s", "tokens of a sequence", "10000000", alias="sequence_length")
h = _count("h", "hidden size of the model", "100000", alias="hidden_size")
a = _count("a", "attention heads", "1024", alias="heads")
L = _count("L", "layers of the model", "1000", alias="layers")
w = Variable(
    "w", "B", "bytes of an activation", alias="bytes_per_activation", tex=r"w_{\mathrm{act}}", low="1 B", high="4 B"
)
u = Variable("u", "B", "bytes of a dropout-mask entry", low="0.125 B", high="4 B", tex=r"w_{\mathrm{mask}}")
A = Variable(
    "A",
    "B",
    "activations of one layer on one device",
    display_unit="GB",
    low="1 B",
    high="1 PB",
    tex=r"A_{\mathrm{layer}}",
)
A_att = Variable("A_att", "B", "activations of attention", tex=r"A_{\mathrm{att}}", display_unit="GB")
A_mlp = Variable("A_mlp", "B", "activations of the MLP", tex=r"A_{\mathrm{mlp}}", display_unit="GB")
A_norm = Variable("A_norm", "B", "activations of the norms", tex=r"A_{\mathrm{norm}}", display_unit="GB")
s_even = Variable("s_even", "", "length at which scores weigh half", tex=r"s_{1/2}")
H_need = Variable("H_need", "B", "memory the first stage needs", tex=r"H_{\mathrm{need}}", display_unit="GB")
A_L = Variable("A_L", "B", "activations on the first stage", tex=r"A_{\mathrm{first}}", display_unit="GB")

# --- facts -----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- weights, gradients, optimizer ---------------------------------------------------------

ADAM = "mixed precision with Adam: 2 + 2 + 12 bytes"
state = Formula(Q, Psi * (w_p + w_g + w_o), assumptions="every replica holds all of it", convention=ADAM)
zero_stage_1 = (
    Derivation.start(
        Q,
        Psi * w_p + Psi * w_g + Psi * w_o / d,
        "each of $d$ replicas keeps a $d$-th of the optimizer's state",
        kind="model",
    )
    .rewrite(Psi * (w_p + w_g + w_o / d), "for each parameter", routine=True)
    .formula(kind="model", assumptions="the optimizer's state is sharded", convention=f"ZeRO stage 1; {ADAM}")
)
zero_stage_2 = (
    Derivation.start(
        Q, Psi * w_p + Psi * w_g / d + Psi * w_o / d, "gradients are needed only where they are applied", kind="model"
    )
    .rewrite(Psi * (w_p + (w_g + w_o) / d), "for each parameter", routine=True)
    .formula(kind="model", assumptions="gradients are sharded too", convention=f"ZeRO stage 2; {ADAM}")
)
zero_stage_3 = (
    Derivation.start(
        Q,
        Psi * w_p / d + Psi * w_g / d + Psi * w_o / d,
        "weights are gathered layer by layer when they are needed",
        kind="model",
        routine=True,
    )
    .rewrite(Psi * (w_p + w_g + w_o) / d, "everything is divided by the number of replicas")
    .formula(
        kind="model",
        assumptions="weights are sharded too",
        convention=f"ZeRO stage 3; {ADAM}; the gathered layer comes on top",
    )
)
largest_model = (
    Derivation.balance(Psi_max * (w_p + w_g + w_o), H, "the state fills the memory")
    .solve_for(Psi_max, H / (w_p + w_g + w_o), "divide", routine=True)
    .formula(assumptions=("pure data parallelism without sharding", "activations not counted"), convention=ADAM)
)
replicas_needed = (
    Derivation.balance(Q, H, "the state fills the memory")
    .apply(zero_stage_1, "with a sharded optimizer")
    .solve_for(d, Psi * w_o / (H - Psi * (w_p + w_g)), "what is not sharded must fit first", as_symbol=d_min)
    .formula(assumptions="ZeRO stage 1, activations not counted", domain=(Psi * (w_p + w_g) < H,))
)

# --- activations ---------------------------------------------------------------------------

BLOCK = "blocks with dropout, an MLP four times as wide"
KEPT = f"{BLOCK}, scores kept in full"
attention_activations = Formula(
    A_att,
    s * b * h * (5 * w + u) + a * s**2 * b * (2 * w + u),
    assumptions="kept: the input, queries, keys, values, the input of the projection, a mask; of each score the softmax, a mask, the masked softmax",
)
mlp_activations = Formula(
    A_mlp,
    s * b * h * (w + 4 * w + 4 * w + u),
    assumptions="kept: the input, what enters and leaves the nonlinearity (four times as wide), a mask",
)
norm_activations = Formula(A_norm, s * b * h * 2 * w, assumptions="kept: the inputs of two norms")
activations = (
    Derivation.start(A, A_att + A_mlp + A_norm, "a layer is attention, MLP and two norms")
    .apply({A_att: attention_activations, A_mlp: mlp_activations, A_norm: norm_activations}, "what each of them keeps")
    .rewrite(
        s * b * h * (16 * w + 2 * u + a * s * (2 * w + u) / h),
        "collect: at 2 B a value and 1 B a mask entry this is $sbh(34 + 5as/h)$",
        routine=True,
    )
    .formula(assumptions=KEPT, convention="one layer, nothing recomputed")
)
activations_tensor = Formula(
    A,
    s * b * h * (4 * w + 2 * u + 12 * w / t + a * s * (2 * w + u) / (h * t)),
    assumptions=(KEPT, "inputs, norms and outer masks stay whole on every device"),
    convention="one layer, tensor parallelism: $sbh(10 + 24/t + 5as/(ht))$",
)
activations_sequence = (
    Derivation.start(
        A,
        s * b * h * (4 * w + 2 * u) / t + s * b * h * (12 * w / t + a * s * (2 * w + u) / (h * t)),
        "what stayed whole is now cut along the sequence",
        kind="model",
    )
    .rewrite(s * b * h / t * (16 * w + 2 * u + a * s * (2 * w + u) / h), "everything is divided by $t$")
    .formula(kind="model", assumptions=KEPT, convention="one layer, tensor and sequence parallelism")
)
activations_selective = Formula(
    A,
    s * b * h * (16 * w + 2 * u) / t,
    assumptions=(BLOCK, "attention scores are computed again"),
    convention="one layer, tensor and sequence parallelism: $34\\,sbh/t$",
)
activations_pointwise = Formula(
    A,
    s * b * h * (10 * w + 2 * u) / t,
    assumptions=(BLOCK, "scores, the outputs of norms and of the nonlinearity are computed again"),
    convention="one layer, tensor and sequence parallelism: $22\\,sbh/t$",
)
activations_full = Formula(
    A,
    s * b * h * w,
    assumptions="only the input of the layer is kept",
    convention="one layer, full recomputation: $2\\,sbh$",
)
saved_by_selective = (
    Derivation.start(
        r, a * s * (2 * w + u) / h / (16 * w + 2 * u + a * s * (2 * w + u) / h), "the scores' share of what is kept"
    )
    .rewrite(
        a * s * (2 * w + u) / (a * s * (2 * w + u) + h * (16 * w + 2 * u)),
        "multiply by $h$: it depends on $as/h$ alone",
    )
    .formula(assumptions=KEPT)
)
scores_weigh = (
    Derivation.balance(a * s_even * (2 * w + u) / h, 16 * w + 2 * u, "the scores keep as much as all the rest")
    .solve_for(s_even, h * (16 * w + 2 * u) / (a * (2 * w + u)), "linear in the length of the sequence", routine=True)
    .formula(assumptions=KEPT, convention="$5as/h = 34$")
)
sequence_gain = (
    Derivation.start(
        r, (4 * w + 2 * u + 12 * w / t) / ((16 * w + 2 * u) / t), "without scores: tensor parallelism alone over both"
    )
    .apply({u: w / 2}, "a mask entry is half as wide as a value")
    .rewrite((5 * t + 12) / 17, "the width cancels: $(10 + 24/t)$ over $34/t$")
    .formula(assumptions=(BLOCK, "scores are computed again"))
)
activations_first_stage = Formula(
    A_L,
    A * L,
    assumptions=("1F1B: the first stage has L/p layers, and p micro-batches in flight", "at least p micro-batches"),
)
first_stage_total = (
    Derivation.start(
        H_need,
        Q / (t * p) + A_L,
        "its share of the state, and the activations of its micro-batches in flight",
        kind="model",
    )
    .apply({Q: zero_stage_1, A_L: activations_first_stage}, "optimizer sharded, 1F1B")
    .formula(assumptions="buffers and fragmentation come on top", convention=ADAM)
)

# --- worked examples -------------------------------------------------------------------------

ZERO_FIGURE = {Psi: facts.zero_parameters, w_p: "2 B", w_g: "2 B", w_o: "12 B"}
ADAM_BYTES = {w_p: "2 B", w_g: "2 B", w_o: "12 B"}
MTNLG = {a: "128", s: "2048", h: "20480", w: "2 B", u: "1 B"}
zero_figure_0 = Example(state, ZERO_FIGURE, expect=facts.zero_0, rtol=1e-9, source="ZeRO, Figure 1")
zero_figure_1 = Example(
    zero_stage_1, {**ZERO_FIGURE, d: facts.zero_ranks}, expect=facts.zero_1, source="ZeRO, Figure 1"
)
zero_figure_2 = Example(
    zero_stage_2, {**ZERO_FIGURE, d: facts.zero_ranks}, expect=facts.zero_2, rtol=0.003, source="ZeRO, Figure 1"
)
zero_figure_3 = Example(
    zero_stage_3, {**ZERO_FIGURE, d: facts.zero_ranks}, expect=facts.zero_3, rtol=0.014, source="ZeRO, Figure 1"
)
state_70b = Example(
    state,
    {**ZERO_FIGURE, Psi: "70e9"},
    expect=facts.playbook_70b,
    rtol=1e-9,
    source="the playbook's table: fourteen devices of 80 GB before the first activation",
)
largest_on_80 = Example(largest_model, {**ADAM_BYTES, H: hardware.h100_hbm})
saved_mtnlg = Example(
    saved_by_selective, MTNLG, expect=facts.mtnlg_saved, rtol=0.005, source="Korthikanti et al.: 64/98"
)
saved_gpt3 = Example(
    saved_by_selective,
    {**MTNLG, a: "96", h: "12288"},
    expect=facts.gpt3_saved,
    rtol=0.003,
    source="Korthikanti et al.: 80/114",
)
sequence_8 = Example(sequence_gain, {t: "8"})
pointwise_70b = Example(
    activations_pointwise, {s: "4096", b: "1", h: models.llama31_70b_hidden, w: "2 B", u: "1 B", t: "1"}
)
all_pointwise = Example(activations_first_stage, {A: pointwise_70b, L: models.llama31_70b_layers})


# --- explorer --------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
