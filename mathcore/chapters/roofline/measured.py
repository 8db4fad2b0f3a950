"""Roofline, measured: how near kernels come to their roof, and what a launch costs."""

from mathcore import Example, Formula, One, Variable, read_facts
from mathcore.chapters import hardware, roofline
from mathcore.chapters.roofline import A, B, D, F, P, Q, S, W, a, b, d, eta, n_h, o, t_d, w
from mathcore.chapters.serving import measured as serving_measured
from mathcore.chapters.serving.measured import eta_b
from mathcore.measured import Comparison, Dataset

FLOP = One("FLOP")

# --- symbols -------------------------------------------------------------------------------

n_s = Variable("n_s", "", "sequences", tex=r"n_{\mathrm{seq}}", low="1", high="100000", integer=True)
b_k = Variable("b_k", "B/s", "bandwidth that is attained", tex=r"b_{\mathrm{k}}", display_unit="GB/s")
z = Variable("z", "", "share of the pairs of tokens that the mask leaves", low="0.1", high="1")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- data ----------------------------------------------------------------------------------

attention = Dataset("attention_h100")
best_products = Dataset("matmul_best")
square_products = Dataset("matmul_tpu7x")
streams = Dataset("stream_hbm")

# --- attention -----------------------------------------------------------------------------

attention_work = Formula(
    W,
    4 * FLOP * z * n_s * n_h * d * S**2,
    assumptions="scores and weighted sum of each pair that the mask leaves, a multiply-add counted as two",
    convention="causal attention counts half of the pairs",
)
attention_traffic = Formula(
    Q,
    4 * One("B") * 2 * n_s * n_h * d * S,
    assumptions="queries, keys, values and outputs cross the bus once, two bytes each",
)
SHAPE = {n_s: "sequences", n_h: "heads", d: "head_width", S: "tokens", z: ("causal", {"no": "1", "yes": "0.5"})}


def attention_of(kernel, system, free, bound, note):
    """Return the Comparison of one kernel, fitted where nothing is masked and judged where half is."""
    given = {W: attention_work, Q: attention_traffic, P: hardware.h100_bf16, b: hardware.h100_hbm_bandwidth}
    return Comparison(
        formula=roofline.kernel_time,
        data=attention,
        measured="time",
        columns={**SHAPE, **given},
        system=system,
        fit_parameters=free,
        only={"kernel": kernel, "head_width": 128},
        holdout={"causal": "yes"},
        over={"tokens": "tokens"},
        bound=bound,
        note=note,
    )


FILL = ("5 µs", "500 µs")
flash3 = attention_of(
    "FlashAttention-3",
    "FlashAttention-3, H100",
    {eta: ("40 %", "90 %"), t_d: FILL},
    ("7 %", "15 %"),
    "What looks like a launch is mostly the time in which the device fills and empties.",
)
flash2 = attention_of(
    "FlashAttention-2",
    "FlashAttention-2, H100",
    {eta: ("20 %", "60 %"), t_d: FILL},
    ("15 %", "35 %"),
    "Written for the device before: it attains little more than half of what its successor does, and masking costs it more.",
)
cudnn = attention_of(
    "cuDNN",
    "cuDNN attention, H100",
    {eta: ("40 %", "90 %"), t_d: FILL},
    ("14 %", "25 %"),
    "A masked kernel loses a seventh at every length: tiles on the diagonal are computed whole.",
)

# --- matrix products -----------------------------------------------------------------------

products = Dataset("matmul_h100")
KERNEL = {"formula": roofline.kernel_time, "measured": "time"}
PRODUCT = {a: "2 B", w: "2 B", o: "2 B", W: roofline.product_work, Q: roofline.product_traffic}
product = Comparison(
    **KERNEL,
    data=products,
    columns={**PRODUCT, B: "m", D: "k", F: "n", P: hardware.h100_bf16, b: hardware.h100_hbm_bandwidth},
    system="matrix products, H100",
    fit_parameters={eta: ("40 %", "95 %"), t_d: ("1 µs", "50 µs")},
    holdout={"m": (512, 2048)},
    over={"tokens": "m", "outputs": "n", "inputs": "k"},
    bound=("8 %", "30 %"),
    note="With two numbers, the share of the peak and a fixed time, the roofline holds over a 2,000-fold range of work.",
)
square = Comparison(
    **KERNEL,
    data=square_products,
    columns={**PRODUCT, B: "size", D: "size", F: "size", P: facts.tpu7x_half_peak, b: facts.tpu7x_half_bandwidth},
    system="square products, half a TPU7x",
    fit_parameters={eta: ("40 %", "95 %"), t_d: ("0.2 µs", "20 µs")},
    holdout={"size": (256, 512, 1024, 4096)},
    over={"width": "size"},
    bound=("20 %", "45 %"),
    note="In the middle the prediction is too fast by a third, where tiles do not fill the device: neither the roof nor the launch explains it.",
)
attained_share = Formula(A, eta * P, assumptions="a product far to the right of the ridge", convention="dense peak")
best = Comparison(
    formula=attained_share,
    data=best_products,
    measured="rate",
    columns={P: "peak"},
    system="fastest product of twelve accelerators",
    fit_parameters={eta: ("30 %", "98 %")},
    holdout={"device": ("Intel Gaudi 2", "Intel Gaudi 3", "AMD MI300X", "AMD MI325X", "AMD MI355X")},
    over={"peak": "peak"},
    bound=("25 %", "60 %"),
    note="The share of one vendor's devices says little of another's, which reach from a half to nearly all.",
)

# --- what is attained of either roof ---------------------------------------------------------

H100 = {P: hardware.h100_bf16}
rate_least = Example(attained_share, {**H100, eta: flash2.fitted_parameters["eta"]}, unit="TFLOP/s", digits=3)
rate_most = Example(attained_share, {**H100, eta: product.fitted_parameters["eta"]}, unit="TFLOP/s", digits=3)
bandwidth_kept = Formula(b_k, eta_b * b, assumptions="long, even reads, as of weights while a model answers")
read_h100 = serving_measured.attained.fitted_parameters["eta_b"]
bandwidth_least = Example(
    bandwidth_kept, {eta_b: read_h100.at_bound("low"), b: hardware.h100_hbm_bandwidth}, unit="GB/s", digits=3
)
bandwidth_most = Example(
    bandwidth_kept, {eta_b: read_h100.at_bound("high"), b: hardware.h100_hbm_bandwidth}, unit="GB/s", digits=3
)

stream = Comparison(
    formula=bandwidth_kept,
    data=streams,
    measured="rate",
    columns={b: "bandwidth"},
    system="streams through memory, A100 and H100, then H200 and MI300X",
    fit_parameters={eta_b: ("50 %", "100 %")},
    holdout={"device": ("NVIDIA H200 SXM", "AMD MI300X")},
    over={"bandwidth": "bandwidth"},
    bound=("10 %", "20 %"),
    note="One share of the bandwidth holds for the three devices of one vendor within a tenth; another vendor's attains less.",
)
kept_share = bandwidth_kept.solve_for("eta_b")
share_h100 = Example(kept_share, {b_k: facts.dot_h100, b: hardware.h100_hbm_bandwidth}, digits=2)
share_mi300x = Example(kept_share, {b_k: facts.dot_mi300x, b: hardware.mi300x_hbm_bandwidth}, digits=2)
