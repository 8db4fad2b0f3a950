"""Roofline: which limit does a kernel meet first, arithmetic or traffic?"""

from sympy import Add, Integer, Max, Min, Rational

from mathcore import (
    Axis,
    Bands,
    Curve,
    Derivation,
    Example,
    Exercise,
    Explorer,
    Fact,
    Formula,
    Marker,
    One,
    Row,
    Slider,
    Variable,
)
from mathcore.chapters import hardware

# --- letters -------------------------------------------------------------------------------

W = Variable("W", "FLOP", "arithmetic work of the kernel", shown="GFLOP", low="1 kFLOP", high="1 EFLOP")
Q = Variable("Q", "B", "bytes the kernel moves to and from memory", shown="MB", low="1 B", high="100 TB")
P = Variable("P", "FLOP/s", "peak arithmetic rate", shown="TFLOP/s", low="1 GFLOP/s", high="100 PFLOP/s")
b = Variable("b", "B/s", "memory bandwidth", shown="GB/s", low="1 GB/s", high="1 PB/s")
t_c = Variable(
    "t_c", "s", "time of the arithmetic", tex=r"t_{\mathrm{math}}", shown="s", low="1 ns", high="1 d"
)
t_m = Variable("t_m", "s", "time of the traffic", tex=r"t_{\mathrm{mem}}", shown="s", low="1 ns", high="1 d")
t_n = Variable("t_n", "s", "time on the wire", tex=r"t_{\mathrm{net}}", low="1 ns", high="1 d")
T = Variable("T", "s", "time of the kernel", shown="s", low="1 ns", high="1 d")
T_s = Variable("T_s", "s", "time if nothing overlaps", tex=r"T_{\mathrm{serial}}", shown="s")
rho = Variable("rho", "", "time without overlap over time with full overlap", tex=r"\rho")
I = Variable("I", "FLOP/B", "arithmetic intensity", low="0.001 FLOP/B", high="100000 FLOP/B")
I_r = Variable(
    "I_r",
    "FLOP/B",
    "ridge: intensity at which both limits meet",
    tex="I^{*}",
    low="1 FLOP/B",
    high="10000 FLOP/B",
)
A = Variable("A", "FLOP/s", "attained arithmetic rate", shown="TFLOP/s", low="1 MFLOP/s", high="100 PFLOP/s")
x = Variable("x", "", "intensity over the ridge")
u = Variable("u", "", "share of the peak that is attained", shown="%")
eta = Variable(
    "eta",
    "",
    "share of the peak that the arithmetic sustains",
    tex=r"\eta",
    shown="%",
    low="1 %",
    high="100 %",
)
t_d = Variable(
    "t_d", "s", "time to dispatch one kernel", tex=r"t_{\mathrm{disp}}", shown="s", low="0.1 µs", high="10 ms"
)
W_d = Variable(
    "W_d", "FLOP", "work that takes as long as its dispatch", tex=r"W_{\mathrm{disp}}", shown="GFLOP"
)
B = Variable("B", "", "tokens multiplied at once (batch)", low="1", high="1000000")
D = Variable("D", "", "width of the input", low="16", high="200000")
F = Variable("F", "", "width of the output", low="16", high="200000")
a = Variable("a", "B", "bytes of one input element", low="0.5 B", high="8 B")
w = Variable("w", "B", "bytes of one weight", low="0.5 B", high="8 B")
o = Variable("o", "B", "bytes of one output element", low="0.5 B", high="8 B")
I_w = Variable(
    "I_w",
    "FLOP/B",
    "intensity if weights were the only traffic",
    tex=r"I_{\mathrm{w}}",
    low="0.1 FLOP/B",
    high="1000000 FLOP/B",
)
I_a = Variable(
    "I_a",
    "FLOP/B",
    "intensity if activations were the only traffic",
    tex=r"I_{\infty}",
    low="0.1 FLOP/B",
    high="1000000 FLOP/B",
)
B_r = Variable("B_r", "", "batch at the ridge if weights are the only traffic", tex=r"B_{\mathrm{w}}")
B_c = Variable("B_c", "", "batch at which a product meets the ridge", tex="B^{*}", low="1", high="1000000")
n = Variable("n", "", "query tokens of one sequence handled at once", low="1", high="1000000")
S = Variable("S", "", "tokens in the cache of one sequence", low="1", high="1000000")
G = Variable("G", "", "query heads that share one key-value head", low="1", high="128")
d = Variable("d", "", "width of one head", low="16", high="1024")
G_r = Variable("G_r", "", "sharing at which decoding meets the ridge", tex="G^{*}")
b_n = Variable(
    "b_n",
    "B/s",
    "bandwidth of the network",
    tex=r"b_{\mathrm{net}}",
    shown="GB/s",
    low="1 MB/s",
    high="10 TB/s",
)
I_n = Variable(
    "I_n",
    "FLOP/B",
    "arithmetic for each byte on the wire",
    tex=r"I_{\mathrm{net}}",
    low="0.1 FLOP/B",
    high="10000000 FLOP/B",
)
E = Variable("E", "J", "energy of the kernel")
e_f = Variable(
    "e_f",
    "J/FLOP",
    "energy of one operation",
    tex=r"\epsilon_{\mathrm{flop}}",
    shown="pJ/FLOP",
    low="0.01 pJ/FLOP",
    high="100 pJ/FLOP",
)
e_m = Variable(
    "e_m",
    "J/B",
    "energy to move one byte",
    tex=r"\epsilon_{\mathrm{mem}}",
    shown="pJ/B",
    low="0.1 pJ/B",
    high="1000 pJ/B",
)
e_1 = Variable(
    "e_1",
    "J",
    "energy of one multiplication",
    tex=r"\epsilon_{\times}",
    shown="pJ",
    low="0.01 pJ",
    high="100 pJ",
)
e_2 = Variable(
    "e_2", "J", "energy of one addition", tex=r"\epsilon_{+}", shown="pJ", low="0.01 pJ", high="100 pJ"
)
p_0 = Variable("p_0", "W", "power that flows whatever the kernel does", low="0.1 W", high="2 kW")
e = Variable("e", "J/FLOP", "energy for each operation, all told", tex=r"\epsilon", shown="pJ/FLOP")
I_e = Variable(
    "I_e", "FLOP/B", "intensity at which moving costs as much as computing", tex=r"I_{\mathrm{energy}}"
)
c = Variable("c", "1/s", "clock of the arithmetic units", low="1e8 /s", high="1e10 /s")
k = Variable("k", "", "multiply-adds of one unit in one clock", low="1", high="100000", integer=True)
m = Variable("m", "", "arithmetic units of one device", low="1", high="100000", integer=True)
P_s = Variable(
    "P_s",
    "FLOP/s",
    "peak that assumes structured sparsity",
    tex=r"P_{\mathrm{sparse}}",
    shown="TFLOP/s",
    low="1 GFLOP/s",
    high="200 PFLOP/s",
)
V = Variable("V", "B", "size of one tensor", shown="MB", low="1 kB", high="1 TB")
j = Variable("j", "", "elementwise operations in a row", low="1", high="100", integer=True)
Q_w = Variable("Q_w", "B", "traffic for weights", tex=r"Q_{\mathrm{w}}", low="1 B", high="100 TB")
Q_a = Variable("Q_a", "B", "traffic for activations", tex=r"Q_{\mathrm{a}}", low="1 B", high="100 TB")
FLOP = One("FLOP")

# --- facts ---------------------------------------------------------------------------------

BOOK = {"kind": "paper", "source": "scaling_book", "date": "2025", "certainty": "primary-copy"}
PAGE = {"kind": "estimate", "source": "mlsysim_foundations", "date": "2026", "certainty": "primary-copy"}
TPU = BOOK | {"at": "part 2, question 4"}
book_peak = Fact("394 TFLOP/s", "peak of a TPU v5e in INT8 that the question takes", qualifier="dense", **TPU)
book_bandwidth = Fact("810 GB/s", "memory bandwidth of a TPU v5e that the question takes", **TPU)
book_crossover = Fact("271", "batch at which the product becomes compute-bound, as printed", **TPU)
book_ridge_peak = Fact("197 TFLOP/s", "peak of a TPU v5e in BF16", at="part 1", qualifier="dense", **BOOK)
book_ridge_bandwidth = Fact("820 GB/s", "memory bandwidth of a TPU v5e", at="part 1", **BOOK)
book_rule = Fact(
    "240", "batch rule printed for the TPU v5e", at="part 1", qualifier="weights alone, BF16", **BOOK
)
book_h100 = Fact("295", "batch printed for the H100 SXM", at="part 1, question 5", qualifier="BF16", **BOOK)
page_ridge = Fact("296 FLOP/B", "ridge printed for the H100", at="section 1.2", **PAGE)
page_batch = Fact("64 FLOP/B", "intensity printed for a batch of 64", at="section 1.2", **PAGE)
page_dispatch_low = Fact("0.01 ms", "dispatch of one kernel, low end", at="section 1.1", **PAGE)
page_dispatch_high = Fact("0.1 ms", "dispatch of one kernel, high end", at="section 1.1", **PAGE)

# --- two limits, one ridge -----------------------------------------------------------------

compute_time = Formula(t_c, W / P, kind="model", when="the arithmetic units never wait and hold their peak")
memory_time = Formula(t_m, Q / b, kind="model", when="access is streaming, at the full bandwidth")
intensity = Formula(
    I, W / Q, kind="definition", convention="bytes to and from the memory named, after caches"
)
ridge = (
    Derivation.balance(
        I_r * Q / P,
        Q / b,
        "suppose arithmetic and traffic of a kernel take equally long",
        kind="the case studied",
    )
    .solve_for(I_r, P / b, "the size of the kernel cancels: the ridge belongs to the machine alone")
    .formula(convention="dense peak of the precision used, and bandwidth of the memory used")
)
overlapped = (
    Derivation.start(
        T, Max(t_c, t_m), "arithmetic and traffic run at the same time: the slower one is seen", kind="model"
    )
    .use({t_c: compute_time, t_m: memory_time}, "both limits")
    .formula(when="arithmetic and traffic overlap fully")
)
serial = (
    Derivation.start(T_s, t_c + t_m, "nothing overlaps: load, compute, store", kind="model")
    .use({t_c: compute_time, t_m: memory_time}, "both limits")
    .formula(when="arithmetic and traffic take turns")
)
overlap_bound = (
    Derivation.start(rho, (t_c + t_m) / Max(t_c, t_m), "how much can overlap be worth?")
    .to(
        1 + Min(t_c, t_m) / Max(t_c, t_m),
        "the larger part over itself is 1, the smaller one is left: never more than 2 in all",
    )
    .formula(when="real kernels lie between 1 and this")
)
attained = (
    Derivation.start(
        A, Min(W / t_c, W / t_m), "work over the longer time is the smaller of two rates", kind="model"
    )
    .use({t_c: compute_time, t_m: memory_time}, "both limits")
    .use({W: I * Q}, "work is intensity times traffic, and the traffic cancels")
    .formula(when="arithmetic and traffic overlap fully")
)
attained_serial = (
    Derivation.start(A, W / (W / P + Q / b), "work over time, nothing overlapped", kind="model")
    .use({W: I * Q}, "work is intensity times traffic")
    .to(
        1 / (1 / P + 1 / (I * b)),
        "divide by the work: the two ceilings act in series, and the corner is round",
    )
    .formula(when="arithmetic and traffic take turns")
)
over_ridge = Formula(x, I * b / P, kind="definition", convention="above 1 arithmetic limits")
share_attained = Formula(
    u, A / P, kind="definition", convention="attained rate over the dense peak of the same precision"
)
share = (
    Derivation.start(
        u,
        Min(1, t_c / t_m),
        "the arithmetic units are busy for the whole kernel, or for a share of it",
        kind="model",
    )
    .use({t_c: compute_time, t_m: memory_time}, "both limits")
    .use({W: I * Q}, "work is intensity times traffic: what is left is intensity over ridge")
    .formula(when="arithmetic and traffic overlap fully")
)
kernel_time = Formula(
    T,
    Max(W / (eta * P), Q / b) + t_d,
    kind="model",
    when=("arithmetic and traffic overlap fully", "the dispatch overlaps with nothing"),
)
dispatch_bound = (
    Derivation.balance(W_d / (eta * P), t_d, "how much work takes as long as its dispatch?")
    .solve_for(W_d, eta * P * t_d, "less than this, and the device waits for the host more than it computes")
    .formula(when="arithmetic limits the kernel")
)
elementwise_time = Formula(
    T,
    2 * j * V / b,
    kind="model",
    when=(
        "far below the ridge",
        "each operation reads its tensor and writes it; fused, j operations count as one",
    ),
)

# --- a matrix product ----------------------------------------------------------------------

product_work = Formula(
    W, 2 * FLOP * B * D * F, kind="definition", convention="a multiply-add counts as two operations"
)
product_traffic = Formula(
    Q, a * B * D + w * D * F + o * B * F, kind="model", when="each matrix crosses the memory bus once"
)
product_intensity = (
    Derivation.start(I, W / Q, "arithmetic over traffic")
    .use({W: product_work, Q: product_traffic}, "count both for a product of B tokens with a D by F matrix")
    .formula(when="each matrix crosses the memory bus once")
)
series_law = (
    Derivation.start(I, W / (Q_w + Q_a), "two kinds of traffic share the bus")
    .use({Q_w: W / I_w, Q_a: W / I_a}, "each alone would give its own intensity")
    .to(
        1 / (1 / I_w + 1 / I_a),
        "the work cancels: intensities combine as resistances side by side, and the smaller rules",
        shown=1 / Add(1 / I_w, 1 / I_a, evaluate=False),
    )
    .formula(when="each byte is moved once")
)
weights_only = (
    Derivation.start(I_w, W / Q_w, "arithmetic over the weights' traffic")
    .use({W: product_work, Q_w: w * D * F}, "every weight once")
    .formula(
        when="B small against D and F", convention="2 operations for each weight and token, over w bytes"
    )
)
activations_only = (
    Derivation.start(I_a, W / Q_a, "arithmetic over the activations' traffic")
    .use({W: product_work, Q_a: a * B * D + o * B * F}, "every input and output once")
    .to(2 * FLOP * D * F / (a * D + o * F), "the batch cancels: no batch lifts the intensity above this")
    .formula(when="B large against D and F")
)
product_split = (
    Derivation.start(series_law)
    .use({I_w: weights_only, I_a: activations_only}, "weights and activations")
    .to(product_intensity.rhs, "the exact intensity again")
    .formula(when="each matrix crosses the memory bus once")
)
small_batch = (
    Derivation.start(product_intensity)
    .approximate(
        2 * FLOP * B / w,
        "few tokens, wide matrices: the weights are all that counts",
        within=Rational(1, 10),
        where_={
            B: ("1", "128"),
            D: ("4096", "65536"),
            F: ("4096", "65536"),
            a: ("1 B", "2 B"),
            w: ("1 B", "2 B"),
            o: ("1 B", "2 B"),
        },
    )
    .formula(when="up to 128 tokens, widths from 4,096 on, elements of 1 or 2 bytes")
)
crossover = (
    Derivation.balance(
        2 * FLOP * B_c * D * F / P,
        (a * B_c * D + w * D * F + o * B_c * F) / b,
        "suppose arithmetic and traffic of the product take equally long",
        kind="the case studied",
    )
    .solve_for(
        B_c,
        (w * D * F / b) / (2 * FLOP * D * F / P - (a * D + o * F) / b),
        "linear in the batch: gather its terms on the left",
    )
    .formula(
        valid=(2 * FLOP * D * F * b > P * (a * D + o * F),),
        when="beyond this batch arithmetic limits; it exists only if $I_\\infty$ lies above the ridge",
    )
)
crossover_limit = (
    Derivation.balance(
        2 * FLOP * B_r / w, P / b, "weights alone: their intensity meets the ridge", kind="the case studied"
    )
    .solve_for(B_r, w * P / (2 * FLOP * b), "the widths have gone")
    .formula(when="D and F without bound", convention="tokens; 2 bytes a weight make it the ridge itself")
)
crossover_split = (
    Derivation.start(crossover)
    .to(
        w * P / (2 * FLOP * b) / (1 - P * (a * D + o * F) / (2 * FLOP * D * F * b)),
        "the batch for weights alone, over 1 less the ratio of ridge and ceiling",
    )
    .formula(valid=(2 * FLOP * D * F * b > P * (a * D + o * F),))
)

product_share = (
    Derivation.start(share)
    .use({I: product_intensity}, "the intensity of the product")
    .formula(when="arithmetic and traffic overlap fully, each matrix crosses the memory bus once")
)
weights_share = (
    Derivation.start(share)
    .use({I: weights_only}, "the intensity if weights were the only traffic")
    .formula(when="B small against D and F")
)

# --- attention -----------------------------------------------------------------------------

attention_intensity = (
    Derivation.start(
        I,
        (2 * FLOP * 2 * n * G * S * d) / (w * 2 * S * d + w * 2 * n * G * d),
        "for each key-value head: scores and weighted sum for $nG$ queries; keys, values, queries and outputs are moved",
        kind="model",
    )
    .to(2 * FLOP / w * n * G * S / (S + n * G), "the width of a head cancels")
    .formula(
        when=("scores stay on the chip", "all n tokens see all S tokens"),
        convention="w bytes for each element of cache, query and output; no causal mask",
    )
)
prefill_intensity = (
    Derivation.start(attention_intensity)
    .use({n: S}, "the whole sequence at once")
    .to(2 * FLOP / w * S * G / (1 + G), "grows with the sequence: compute-bound soon")
    .formula(when="the prompt is handled in one piece")
)
decode_intensity = (
    Derivation.start(attention_intensity)
    .use({n: Integer(1)}, "one new token for each sequence")
    .formula(
        when="decoding, one token at a time; a larger batch changes nothing, each sequence has its own cache"
    )
)
decode_ceiling = (
    Derivation.start(decode_intensity)
    .to(2 * FLOP / w * G / (1 + G / S), "divide by the length: the longer the cache, the nearer to $2G/w$")
    .approximate(
        2 * FLOP * G / w,
        "a cache that is much longer than the group is wide",
        within=Rational(1, 10),
        where_={G: ("1", "16"), S: ("200", "1000000")},
    )
    .formula(when="a cache of 200 tokens or more, up to 16 heads that share it")
)
sharing_needed = (
    Derivation.balance(
        2 * FLOP * G_r / w,
        P / b,
        "how many heads must share a cache to reach the ridge?",
        kind="the case studied",
    )
    .solve_for(G_r, w * P / (2 * FLOP * b), "the batch at the ridge, in heads instead of tokens")
    .formula(when="S much longer than that")
)

# --- further ceilings ----------------------------------------------------------------------

three_ceilings = (
    Derivation.start(
        A,
        Min(W / t_c, W / t_m, W / t_n),
        "arithmetic, memory and network at the same time: the slowest is seen",
        kind="model",
    )
    .use({t_c: compute_time, t_m: W / (I * b), t_n: W / (I_n * b_n)}, "each time from its own ceiling")
    .formula(when="all three overlap fully")
)
network_ridge = (
    Derivation.balance(
        I_n * Q / P,
        Q / b_n,
        "suppose arithmetic and traffic on the wire take equally long",
        kind="the case studied",
    )
    .solve_for(I_n, P / b_n, "the same balance with the bandwidth of the network")
    .formula(convention="bandwidth in the direction that carries the traffic")
)
kernel_energy = Formula(
    E,
    W * e_f + Q * e_m + p_0 * T,
    kind="model",
    when=("each operation and each byte costs the same energy", "a constant power flows meanwhile"),
)
energy_per_operation = (
    Derivation.start(e, E / W, "energy for each operation")
    .use(kernel_energy, "three parts")
    .use({Q: W / I, T: W / A}, "traffic from the intensity, time from the attained rate")
    .to(e_f + e_m / I + p_0 / A, "the work cancels")
    .formula(when="a smooth sum where time has a sharp corner: there is no energy to hide behind")
)
operation_energy = Formula(
    e_f, (e_1 + e_2) / (2 * FLOP), kind="definition", convention="a multiply-add counts as two operations"
)
energy_balance = (
    Derivation.balance(e_f, e_m / I_e, "suppose moving costs as much as computing", kind="the case studied")
    .solve_for(I_e, e_m / e_f, "a ratio of energies: nothing says that it lies at the ridge of time")
    .formula(convention="the point where both parts are equal, not a change of regime")
)

# --- what a peak is ------------------------------------------------------------------------

peak = Formula(
    P,
    2 * FLOP * m * k * c,
    kind="definition",
    when="every unit starts its multiply-adds in every clock",
    convention="dense; a multiply-add counts as two operations",
)
dense_peak = Formula(
    P,
    P_s / 2,
    kind="definition",
    when="the data sheet counts 2:4 sparsity",
    convention="dense peak from the sparse figure",
)

# --- worked examples -----------------------------------------------------------------------

HAND = "by hand"
H100 = {P: hardware.h100_bf16, b: hardware.h100_hbm_bandwidth}
LAYER = {D: "2048", F: "512", a: "2 B", w: "2 B", o: "2 B"}
QUESTION = {P: book_peak, b: book_bandwidth, D: "4096", F: "16384", a: "1 B", w: "1 B", o: "1 B"}
h100_peak = Example(
    peak,
    {m: hardware.h100_units, k: hardware.h100_fma, c: hardware.h100_clock},
    expect=hardware.h100_bf16,
    rtol=1e-4,
    source="NVIDIA H100 white paper",
    unit="TFLOP/s",
    digits=4,
)
a100_peak = Example(
    peak,
    {m: hardware.a100_units, k: hardware.a100_fma, c: hardware.a100_clock},
    expect=hardware.a100_bf16,
    source="NVIDIA A100 data sheet",
    unit="TFLOP/s",
)
mi300x_peak = Example(
    peak,
    {m: hardware.mi300x_units, k: hardware.mi300x_fma, c: hardware.mi300x_clock},
    expect=hardware.mi300x_bf16,
    rtol=1e-4,
    source="AMD MI300X data sheet",
    unit="TFLOP/s",
    digits=4,
)
h100_dense = Example(
    dense_peak,
    {P_s: hardware.h100_bf16_sparse},
    expect="989.5 TFLOP/s",
    source=f"{HAND}: 1979/2",
    unit="TFLOP/s",
    digits=4,
)
h100_share = Example(
    share_attained,
    {A: hardware.h100_matmul, P: hardware.h100_bf16},
    expect="80.30 %",
    source=f"{HAND}: 794.5/989.4",
    unit="%",
)
mi300x_share = Example(
    share_attained,
    {A: hardware.mi300x_matmul, P: hardware.mi300x_bf16},
    expect="51.12 %",
    source=f"{HAND}: 668.4/1307.4",
    unit="%",
)
h100_ridge = Example(ridge, H100, expect="295.34 FLOP/B", source=f"{HAND}: 989.4/3.35")
v5e_ridge = Example(
    ridge,
    {P: hardware.tpu_v5e_bf16, b: hardware.tpu_v5e_hbm_bandwidth},
    expect="240.54 FLOP/B",
    source=f"{HAND}: 197/0.819",
)
b200_ridge = Example(
    ridge,
    {P: hardware.b200_bf16, b: hardware.b200_hbm_bandwidth},
    expect="281.25 FLOP/B",
    source=f"{HAND}: 2250/8",
)
mi300x_ridge = Example(
    ridge,
    {P: hardware.mi300x_bf16, b: hardware.mi300x_hbm_bandwidth},
    expect="246.68 FLOP/B",
    source=f"{HAND}: 1307.4/5.3",
)
h200_ridge = Example(
    ridge,
    {P: hardware.h200_bf16, b: hardware.h200_hbm_bandwidth},
    expect="206.13 FLOP/B",
    source=f"{HAND}: 989.4/4.8",
)
gb200_ridge = Example(
    ridge,
    {P: hardware.gb200_bf16, b: hardware.gb200_hbm_bandwidth},
    expect="312.5 FLOP/B",
    source=f"{HAND}: 2500/8",
)
mi325x_ridge = Example(
    ridge,
    {P: hardware.mi325x_bf16, b: hardware.mi325x_hbm_bandwidth},
    expect="217.9 FLOP/B",
    source=f"{HAND}: 1307.4/6",
)
a100_ridge = Example(
    ridge,
    {P: hardware.a100_bf16, b: hardware.a100_hbm_bandwidth},
    expect="153.02 FLOP/B",
    source=f"{HAND}: 312/2.039",
)
v5p_ridge = Example(
    ridge,
    {P: hardware.tpu_v5p_bf16, b: hardware.tpu_v5p_hbm_bandwidth},
    expect="166.00 FLOP/B",
    source=f"{HAND}: 459/2.765",
)
v6e_ridge = Example(
    ridge,
    {P: hardware.tpu_v6e_bf16, b: hardware.tpu_v6e_hbm_bandwidth},
    expect="560.44 FLOP/B",
    source=f"{HAND}: 918/1.638",
)
h100_ridge_fp8 = Example(
    ridge,
    {P: hardware.h100_fp8, b: hardware.h100_hbm_bandwidth},
    expect="590.72 FLOP/B",
    source=f"{HAND}: 1978.9/3.35",
)
layer_work = Example(
    product_work,
    {B: "1", D: "2048", F: "512"},
    expect="2097152 FLOP",
    source=f"{HAND}: 2·2048·512",
    unit="MFLOP",
)
layer_traffic = Example(
    product_traffic,
    {B: "1", **LAYER},
    expect="2102272 B",
    source=f"{HAND}: 2·(2048 + 1048576 + 512)",
    unit="MB",
)
layer_intensity = Example(
    product_intensity,
    {B: "1", **LAYER},
    expect="0.997565 FLOP/B",
    rtol=1e-5,
    source=f"{HAND}: 2097152/2102272",
)
layer_share = Example(
    share, {I: layer_intensity, **H100}, expect="0.33776 %", source=f"{HAND}: 0.997565·3350/989400", unit="%"
)
layer_batch = Example(
    product_intensity,
    {B: "64", **LAYER},
    expect="55.3514 FLOP/B",
    rtol=1e-5,
    source=f"{HAND}: 134217728/2424832",
)
layer_weights_only = Example(
    weights_only, {B: "64", w: "2 B"}, expect=page_batch, source="the reference page's 64: weights alone"
)
layer_traffic_time = Example(
    memory_time,
    {Q: layer_traffic, b: hardware.h100_hbm_bandwidth},
    expect="0.62754 µs",
    source=f"{HAND}: 2.102272/3.35",
    unit="µs",
)
layer_time = Example(
    kernel_time,
    {W: layer_work, Q: layer_traffic, eta: "100 %", t_d: page_dispatch_low, **H100},
    expect="10.6275 µs",
    source=f"{HAND}: 0.6275 + 10",
    unit="µs",
)
dispatch_work = Example(
    dispatch_bound,
    {eta: "80 %", t_d: page_dispatch_low, P: hardware.h100_bf16},
    expect="7.9152 GFLOP",
    source=f"{HAND}: 0.8·989.4·0.01",
    unit="GFLOP",
)
v5e_crossover = Example(
    crossover,
    QUESTION,
    expect="262.70857",
    rtol=1e-7,
    source="mpmath, 20 digits, from the two times",
    digits=4,
)
v5e_weights = Example(
    crossover_limit,
    {w: "1 B", P: book_peak, b: book_bandwidth},
    expect="243.21",
    source=f"{HAND}: 394/(2·0.81)",
)
h100_crossover = Example(
    crossover,
    {**H100, D: "8192", F: "28672", a: "2 B", w: "2 B", o: "2 B"},
    expect="309.69888",
    rtol=1e-6,
    source="mpmath, 20 digits, from the two times",
)
half_hidden = Example(overlap_bound, {t_c: "3 ms", t_m: "2 ms"}, expect="1.66667", source=f"{HAND}: 1 + 2/3")
prompt = Example(
    prefill_intensity,
    {S: "4096", G: "8", w: "2 B"},
    expect="3640.9 FLOP/B",
    source=f"{HAND}: 4096·8/9",
    digits=4,
)
one_token = Example(
    decode_intensity, {S: "4096", G: "8", w: "2 B"}, expect="7.9844 FLOP/B", source=f"{HAND}: 8·4096/4104"
)
h100_sharing = Example(sharing_needed, {w: "2 B", **H100}, expect="295.34", source=f"{HAND}: 989.4/3.35")
wire = Example(
    network_ridge,
    {P: hardware.h100_bf16, b_n: hardware.ndr_port},
    expect="19788 FLOP/B",
    source=f"{HAND}: 989400/50",
    digits=5,
)
nvlink = Example(
    network_ridge,
    {P: hardware.h100_bf16, b_n: hardware.h100_nvlink},
    expect="2198.7 FLOP/B",
    source=f"{HAND}: 989400/450",
    digits=4,
)
host = Example(
    network_ridge,
    {P: hardware.h100_bf16, b_n: hardware.pcie5},
    expect="15704.8 FLOP/B",
    source=f"{HAND}: 989400/63",
    digits=5,
)
multiply_add = Example(
    operation_energy,
    {e_1: hardware.fp16_multiply, e_2: hardware.fp16_add},
    expect="0.75 pJ/FLOP",
    source=f"{HAND}: 1.5/2",
    unit="pJ/FLOP",
    digits=2,
)
old_logic = Example(
    energy_balance,
    {e_m: hardware.hbm2_bit, e_f: multiply_add},
    expect="41.813 FLOP/B",
    source=f"{HAND}: 3.92·8/0.75, an FP16 multiply-add of 1.1 + 0.4 pJ is two operations",
)
elementwise = Example(
    elementwise_time,
    {j: "4", V: "1 GB", b: hardware.h100_hbm_bandwidth},
    expect="2.38806 ms",
    source=f"{HAND}: 8/3350",
    unit="ms",
)

# --- explorers -----------------------------------------------------------------------------

explorer = Explorer(
    title="Which limit does your kernel meet?",
    sliders=(
        Slider(P, "TFLOP/s", 10, 3000, 10, 990, "Dense peak"),
        Slider(b, "GB/s", 200, 10000, 50, 3350, "Memory bandwidth"),
        Slider(I, "FLOP/B", 1, 2000, 1, 60, "Intensity of your kernel"),
    ),
    x=Axis(I, "FLOP/B", 1, 10000, label="arithmetic intensity", log=True),
    y=Axis(A, "TFLOP/s", 0.1, None, label="attained rate", log=True),
    curves=(
        Curve("full overlap", attained, "total"),
        Curve("no overlap", attained_serial, "rework"),
    ),
    markers=(
        Marker("your kernel", I, attained, shape="dot"),
        Marker("ridge", ridge, attained, shape="diamond", tone="good", vertical=True),
    ),
    bands=Bands(
        ratio=over_ridge,
        edges=(0.5, 2),
        labels=(
            "memory-bound: move less, or reuse more",
            "near the ridge: overlap decides",
            "compute-bound: fewer operations, or lower precision",
        ),
        tones=("bad", "warn", "good"),
        scale=ridge,
    ),
    lines=(ridge, attained),
    columns={"your kernel": I, "ridge": ridge},
    rows=(
        Row("attained, full overlap", attained, "TFLOP/s"),
        Row("attained, no overlap", attained_serial, "TFLOP/s"),
        Row("share of the peak", share, "%"),
    ),
    limits="Streaming access at full bandwidth, and a peak that is held: large products attain 50 to 90 % of it.",
)
batch_explorer = Explorer(
    title="How many tokens fill the device?",
    sliders=(
        Slider(D, "", 2048, 32768, 512, 8192, "Width of the input"),
        Slider(F, "", 2048, 65536, 512, 28672, "Width of the output"),
        Slider(w, "B", 0.5, 2, 0.5, 2, "Bytes of one weight"),
        Slider(a, "B", 0.5, 2, 0.5, 2, "Bytes of one input element"),
        Slider(o, "B", 0.5, 2, 0.5, 2, "Bytes of one output element"),
        Slider(P, "TFLOP/s", 100, 2500, 10, 990, "Dense peak"),
        Slider(b, "GB/s", 2500, 10000, 50, 3350, "Memory bandwidth"),
        Slider(B, "", 1, 1024, 1, 64, "Your batch"),
    ),
    x=Axis(B, "", 1, 1024, label="tokens multiplied at once"),
    y=Axis(u, "%", 0, 100, label="share of the peak"),
    curves=(Curve("exact traffic", product_share, "total"), Curve("weights alone", weights_share, "exact")),
    markers=(
        Marker("your batch", B, product_share, shape="dot"),
        Marker("crossover", crossover, product_share, shape="diamond", tone="good", vertical=True),
    ),
    lines=(crossover, product_intensity),
    columns={"your batch": B, "crossover": crossover},
    rows=(
        Row("intensity", product_intensity, "FLOP/B"),
        Row("share of the peak", product_share, "%"),
        Row("share if weights were all", weights_share, "%"),
    ),
    limits="Each matrix crosses the memory bus once, and traffic hides behind arithmetic.",
)

# --- exercises -----------------------------------------------------------------------------

ex_ridge = Exercise(
    ridge,
    {P: "312 TFLOP/s", b: "2039 GB/s"},
    title="The ridge of an A100",
    unit="FLOP/B",
    variants={P: ("459 TFLOP/s", "2250 TFLOP/s"), b: ("2765 GB/s", "8000 GB/s")},
    mistakes={
        "that is the peak with sparsity: the dense peak is half of it": 2 * P / b,
        "bandwidth was taken in bits: 8 bit are one byte": P / b / 8,
    },
    expect="153.0 FLOP/B",
)
ex_intensity = Exercise(
    product_intensity,
    {B: "256", D: "4096", F: "4096", a: "2 B", w: "2 B", o: "2 B"},
    title="The intensity of a product",
    unit="FLOP/B",
    variants={B: ("512", "1024"), D: ("2048", "8192"), F: ("2048",)},
    mistakes={
        "weights are not the only traffic: inputs and outputs count too": 2 * FLOP * B / w,
        "a multiply-add is two operations": FLOP * B * D * F / (a * B * D + w * D * F + o * B * F),
    },
    expect="227.56 FLOP/B",
)
ex_batch = Exercise(
    crossover_limit,
    {w: "0.5 B", P: "989.4 TFLOP/s", b: "4800 GB/s"},
    title="Weights of four bits",
    variants={w: ("2 B", "4 B"), P: ("312 TFLOP/s", "2250 TFLOP/s")},
    mistakes={
        "a multiply-add is two operations: the batch is half of that": w * P / (FLOP * b),
        "the bytes of a weight are missing: that is for weights of one byte": One("B") * P / (2 * FLOP * b),
    },
    expect="51.53",
)
ex_time = Exercise(
    kernel_time,
    {W: "50 GFLOP", Q: "300 MB", P: "989.4 TFLOP/s", b: "3350 GB/s", eta: "70 %", t_d: "10 µs"},
    title="How long does it take?",
    unit="µs",
    variants={W: ("20 GFLOP", "100 GFLOP"), Q: ("200 MB", "500 MB"), t_d: ("10 µs", "20 µs")},
    mistakes={
        "arithmetic and traffic overlap: the longer one is seen, not the sum": W / (eta * P) + Q / b + t_d,
        "the dispatch is missing": Max(W / (eta * P), Q / b),
    },
    expect="99.55 µs",
)
ex_decode = Exercise(
    decode_intensity,
    {S: "8192", G: "4", w: "2 B"},
    title="Attention, one token at a time",
    unit="FLOP/B",
    variants={S: ("2048", "32768"), G: ("1", "8", "16")},
    mistakes={
        "that is the prompt's: decoding has one query token": 2 * FLOP / w * S * G / (1 + G),
        "a multiply-add is two operations": FLOP * G * S / (w * (G + S)),
    },
    expect="3.998 FLOP/B",
)
