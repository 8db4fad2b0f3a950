"""Training, measured: what the models of the chapter predict, held against runs that were published."""

from mathcore import Comparison, Dataset, Derivation, Formula, One
from mathcore.chapters import hardware
from mathcore.chapters.training import N, P, h, l, mfu_attention, n, s, u, v, w

FLOP, token = One("FLOP"), One("token")

# --- data ----------------------------------------------------------------------------------

mpt = Dataset("mpt_fsdp")
MPT = {N: "params", l: "layers", h: "width", s: "tokens", n: "devices"}
H100 = {"device": "H100", "precision": "BF16", "recomputed": "no"}

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
    system="MPT with FSDP, H100",
    free={u: ("10 %", "90 %")},
    only=H100,
    seed=3,
    over={"tokens": "tokens", "devices": "devices"},
    bound=("7 %", "30 %"),
)
