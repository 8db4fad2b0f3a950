"""Training, measured: what the models of the chapter predict, held against runs that were published."""

from mathcore import Comparison, Dataset, Derivation, Formula, One
from mathcore.chapters import hardware
from mathcore.chapters.training import N, P, h, l, mfu_attention, n, s, u, v, w

FLOP, token = One("FLOP"), One("token")

# --- data ----------------------------------------------------------------------------------

mpt = Dataset("mpt_fsdp")
MPT = {N: "params", l: "layers", h: "width", s: "tokens", n: "devices"}
PLAIN = {"precision": "BF16", "recomputed": "no"}

# --- throughput ----------------------------------------------------------------------------

throughput = (
    Derivation.start(mfu_attention)
    .solve_for(v, u * n * P / w, "the rate that is kept up, over the work of one token")
    .formula(
        when="one utilisation for all models, lengths and numbers of devices", convention="the work as $w$ counts it"
    )
)
work_six = Formula(w, 6 * FLOP / token * N, kind="model", when="attention is left out", convention="model FLOPs")
work_pairs = Formula(
    w,
    6 * FLOP / token * N + 12 * FLOP / token * l * h * s,
    kind="model",
    when="heads fill the width",
    convention="scores of all pairs",
)
work_past = Formula(
    w,
    6 * FLOP / token * N + 6 * FLOP / token * l * h * s,
    kind="model",
    when="heads fill the width",
    convention="causal attention",
)
mpt_h100 = Comparison(
    formula=throughput,
    data=mpt,
    measured="throughput",
    by={**MPT, w: work_pairs, P: hardware.h100_bf16.per("gpu")},
    system="MPT with FSDP, H100, scores of all pairs counted",
    free={u: ("20 %", "60 %")},
    only={**PLAIN, "device": "H100"},
    fit={"tokens": 2048},
    over={"tokens": "tokens", "devices": "devices"},
    bound=("12 %", "30 %"),
    note="One utilisation, found at one length, holds at other lengths if all pairs are counted, masked or not.",
)
mpt_causal = Comparison(
    formula=throughput,
    data=mpt,
    measured="throughput",
    by={**MPT, w: work_past, P: hardware.h100_bf16.per("gpu")},
    system="MPT with FSDP, H100, half of the pairs counted",
    free={u: ("20 %", "60 %")},
    only={**PLAIN, "device": "H100"},
    fit={"tokens": 2048},
    over={"tokens": "tokens", "devices": "devices"},
    bound=("20 %", "120 %"),
    note="These kernels gain little by the mask: counted as half, long sequences look faster than they are.",
)
mpt_six = Comparison(
    formula=throughput,
    data=mpt,
    measured="throughput",
    by={**MPT, w: work_six, P: hardware.h100_bf16.per("gpu")},
    system="MPT with FSDP, H100, attention left out",
    free={u: ("20 %", "60 %")},
    only={**PLAIN, "device": "H100"},
    fit={"tokens": 2048},
    over={"tokens": "tokens", "devices": "devices"},
    bound=("50 %", "400 %"),
    note="Six for each parameter is a rule for short sequences: small models at 65,536 tokens run at a quarter of what it says.",
)
mpt_a100 = Comparison(
    formula=throughput,
    data=mpt,
    measured="throughput",
    by={**MPT, w: work_pairs, P: hardware.a100_bf16.per("gpu")},
    system="MPT with FSDP, A100, scores of all pairs counted",
    free={u: ("20 %", "70 %")},
    only={**PLAIN, "device": "A100"},
    fit={"tokens": 2048},
    over={"tokens": "tokens", "devices": "devices"},
    bound=("10 %", "45 %"),
    note="A third more of the older device's peak is attained: its memory is faster beside its arithmetic.",
)
