"""Roofline: which limit does a kernel meet first, arithmetic or traffic?"""

from sympy import Add, Integer, Rational

from mathcore import Derivation, Example, Formula, Max, Min, One, Variable, read_facts
from mathcore.chapters import hardware, models
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

W = Variable(
    "W", "FLOP", "arithmetic work of the kernel", alias="work", display_unit="GFLOP", low="1 kFLOP", high="1 EFLOP"
)
Q = Variable(
    "Q",
    "B",
    "bytes that the kernel moves to and from memory",
    alias="traffic",
    display_unit="MB",
    low="1 B",
    high="100 TB",
)
P = Variable(
    "P", "FLOP/s", "peak arithmetic rate", alias="peak", display_unit="TFLOP/s", low="1 GFLOP/s", high="100 PFLOP/s"
)
b = Variable("b", "B/s", "memory bandwidth", alias="memory_bandwidth", display_unit="GB/s", low="1 GB/s", high="1 PB/s")
t_c = Variable("t_c", "s", "time of the arithmetic", tex=r"t_{\mathrm{math}}", low="1 ns", high="1 d")
t_m = Variable("t_m", "s", "time of the traffic", tex=r"t_{\mathrm{mem}}", low="1 ns", high="1 d")
t_n = Variable("t_n", "s", "time on the wire", tex=r"t_{\mathrm{net}}", low="1 ns", high="1 d")
T = Variable("T", "s", "time of the kernel", low="1 ns", high="1 d")
T_e = Variable("T_e", "s", "time of elementwise operations", tex=r"T_{\mathrm{elem}}", low="1 ns", high="1 d")
T_q = Variable("T_q", "s", "time of a kernel in a queue", tex=r"T_{\mathrm{queue}}", low="1 ns", high="1 d")
T_s = Variable("T_s", "s", "time if nothing overlaps", tex=r"T_{\mathrm{serial}}")
rho = Variable("rho", "", "time without overlap over time with full overlap", tex=r"\rho")
I = Variable("I", "FLOP/B", "arithmetic intensity", alias="intensity", low="0.001 FLOP/B", high="100000 FLOP/B")
I_r = Variable(
    "I_r", "FLOP/B", "ridge: intensity at which both limits meet", tex="I^{*}", low="1 FLOP/B", high="10000 FLOP/B"
)
A = Variable("A", "FLOP/s", "attained arithmetic rate", display_unit="TFLOP/s", low="1 MFLOP/s", high="100 PFLOP/s")
x = Variable("x", "", "intensity over the ridge")
u = Variable("u", "", "share of the peak that is attained", display_unit="%")
eta = Variable(
    "eta", "", "share of the peak that the arithmetic sustains", tex=r"\eta", display_unit="%", low="1 %", high="100 %"
)
t_d = Variable(
    "t_d", "s", "time to dispatch one kernel", alias="launch_time", tex=r"t_{\mathrm{disp}}", low="0.1 µs", high="10 ms"
)
W_d = Variable("W_d", "FLOP", "work that takes as long as its dispatch", tex=r"W_{\mathrm{disp}}", display_unit="GFLOP")
B = Variable("B", "", "tokens in the batch", alias="batch", low="1", high="100000000", integer=True)
D = Variable("D", "", "width of the input", alias="input_width", low="16", high="200000", integer=True)
F = Variable("F", "", "width of the output", alias="output_width", low="16", high="200000", integer=True)
a = Variable("a", "B", "bytes of one input element", low="0.5 B", high="8 B")
w = Variable("w", "B", "bytes of one weight", alias="bytes_per_weight", low="0.5 B", high="8 B")
w_v = Variable("w_v", "B", "bytes of a value without its scale", tex=r"w_{\mathrm{v}}", low="0.25 B", high="2 B")
w_s = Variable("w_s", "B", "bytes of the scale of a block", tex=r"w_{\mathrm{s}}", low="1 B", high="4 B")
n_b = Variable("n_b", "", "values of a block", tex=r"n_{\mathrm{b}}", low="1", high="100000", integer=True)
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
I_p = Variable("I_p", "FLOP/B", "arithmetic intensity of attention over a prompt", tex=r"I_{\mathrm{pre}}")
I_d = Variable("I_d", "FLOP/B", "arithmetic intensity of attention for one token", tex=r"I_{\mathrm{dec}}")
I_l = Variable("I_l", "FLOP/B", "arithmetic intensity of latent attention for one token", tex=r"I_{\mathrm{MLA}}")
B_r = Variable("B_r", "", "batch at the ridge if weights are the only traffic", tex=r"B_{\mathrm{w}}")
B_c = Variable("B_c", "", "batch at which a product meets the ridge", tex="B^{*}", low="1", high="1000000")
n = Variable("n", "", "query tokens of one sequence handled at once", low="1", high="100000000", integer=True)
S = Variable("S", "", "tokens in the cache of one sequence", alias="context", low="1", high="100000000", integer=True)
G = Variable("G", "", "query heads that share one key-value head", low="1", high="128", integer=True)
d = Variable("d", "", "width of one head", alias="head_size", low="16", high="1024", integer=True)
n_h = Variable("n_h", "", "query heads of a layer", tex=r"n_{\mathrm{h}}", low="1", high="1000", integer=True)
d_l = Variable("d_l", "", "width of the latent vector", tex=r"d_{\mathrm{lat}}", low="16", high="16384", integer=True)
d_p = Variable(
    "d_p", "", "width of the key that carries the position", tex=r"d_{\mathrm{pos}}", low="1", high="1024", integer=True
)
G_r = Variable("G_r", "", "sharing at which decoding meets the ridge", tex="G^{*}")
b_n = Variable(
    "b_n", "B/s", "bandwidth of the network", tex=r"b_{\mathrm{net}}", display_unit="GB/s", low="1 MB/s", high="10 TB/s"
)
Q_n = Variable("Q_n", "B", "bytes on the wire", tex=r"Q_{\mathrm{net}}", low="1 B", high="100 TB")
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
    display_unit="pJ/FLOP",
    low="0.01 pJ/FLOP",
    high="100 pJ/FLOP",
)
e_m = Variable(
    "e_m",
    "J/B",
    "energy to move one byte",
    tex=r"\epsilon_{\mathrm{mem}}",
    display_unit="pJ/B",
    low="0.1 pJ/B",
    high="1000 pJ/B",
)
e_1 = Variable(
    "e_1",
    "J",
    "energy of one multiplication",
    tex=r"\epsilon_{\times}",
    display_unit="pJ",
    low="0.01 pJ",
    high="100 pJ",
)
e_2 = Variable(
    "e_2", "J", "energy of one addition", tex=r"\epsilon_{+}", display_unit="pJ", low="0.01 pJ", high="100 pJ"
)
p_0 = Variable("p_0", "W", "constant power", low="0.1 W", high="2 kW")
e = Variable("e", "J/FLOP", "total energy per operation", tex=r"\epsilon", display_unit="pJ/FLOP")
I_e = Variable(
    "I_e", "FLOP/B", "intensity at which data movement and arithmetic use equal energy", tex=r"I_{\mathrm{energy}}"
)
c = Variable("c", "1/s", "clock of the arithmetic units", low="1e8 /s", high="1e10 /s")
k = Variable("k", "", "multiply-adds of one unit in one clock", low="1", high="100000", integer=True)
m = Variable("m", "", "arithmetic units of one device", low="1", high="100000", integer=True)
P_s = Variable(
    "P_s",
    "FLOP/s",
    "peak that assumes structured sparsity",
    tex=r"P_{\mathrm{sparse}}",
    display_unit="TFLOP/s",
    low="1 GFLOP/s",
    high="200 PFLOP/s",
)
V = Variable("V", "B", "size of one tensor", display_unit="MB", low="1 kB", high="1 TB")
j = Variable("j", "", "elementwise operations in a row", low="1", high="100", integer=True)
Q_w = Variable("Q_w", "B", "traffic for weights", tex=r"Q_{\mathrm{w}}", low="1 B", high="100 TB")
Q_a = Variable("Q_a", "B", "traffic for activations", tex=r"Q_{\mathrm{a}}", low="1 B", high="100 TB")
P_2 = Variable(
    "P_2",
    "FLOP/s",
    "peak arithmetic rate of the second offer",
    display_unit="TFLOP/s",
    low="1 GFLOP/s",
    high="100 PFLOP/s",
)
b_2 = Variable("b_2", "B/s", "memory bandwidth of the second offer", display_unit="GB/s", low="1 GB/s", high="1 PB/s")
s = Variable("s", "", "rate on the second offer over rate on the first", low="0.01", high="100")
g = Variable("g", "", "share of its roof that the second offer attains, over that of the first")
I_t = Variable("I_t", "FLOP/B", "intensity at which both offers are equally fast", tex=r"I_{\mathrm{tie}}")
D_r = Variable("D_r", "", "width of the square matrix whose intensity equals the ridge", tex="D^{*}")
S_r = Variable("S_r", "", "prompt whose attention meets the ridge", tex="S^{*}")
FLOP = One("FLOP")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- two limits, one ridge -----------------------------------------------------------------

compute_time = Formula(t_c, W / P, assumptions="the arithmetic units never wait and hold their peak")
memory_time = Formula(t_m, Q / b, assumptions="access is streaming, at the full bandwidth")
intensity = Formula(I, W / Q, kind="definition", convention="bytes to and from the memory named, after caches")
ridge = (
    Derivation.balance(I_r * Q / P, Q / b, "suppose arithmetic and traffic of a kernel take equally long")
    .solve_for(I_r, P / b, "the size of the kernel cancels: the ridge belongs to the machine alone")
    .formula(convention="dense peak of the precision used, and bandwidth of the memory used")
)
overlapped = (
    Derivation.start(
        T, Max(t_c, t_m), "arithmetic and traffic run at the same time: only the slower one shows", kind="model"
    )
    .apply({t_c: compute_time, t_m: memory_time}, "both limits")
    .formula(assumptions="arithmetic and traffic overlap fully")
)
serial = (
    Derivation.start(T_s, t_c + t_m, "nothing overlaps: load, compute, store", kind="model")
    .apply({t_c: compute_time, t_m: memory_time}, "both limits")
    .formula(assumptions="arithmetic and traffic do not overlap")
)
overlap_bound = (
    Derivation.start(rho, (t_c + t_m) / Max(t_c, t_m), "how much can overlap be worth?")
    .rewrite(
        1 + Min(t_c, t_m) / Max(t_c, t_m),
        "the larger part over itself is 1, the smaller one is left: never more than 2 in all",
    )
    .formula(assumptions="both parts take these times either way; real kernels lie between 1 and this")
)
attained = (
    Derivation.start(A, Min(W / t_c, W / t_m), "work over the longer time is the smaller of two rates", kind="model")
    .apply({t_c: compute_time, t_m: memory_time}, "both limits")
    .apply({W: I * Q}, "work is intensity times traffic, and the traffic cancels", justified_by=intensity, routine=True)
    .formula(assumptions="arithmetic and traffic overlap fully")
)
attained_serial = (
    Derivation.start(A, W / (W / P + Q / b), "work over time, nothing overlapped", kind="model")
    .apply({W: I * Q}, "work is intensity times traffic", justified_by=intensity)
    .rewrite(1 / (1 / P + 1 / (I * b)), "divide by the work: the two ceilings act in series, and the corner is round")
    .formula(assumptions="arithmetic and traffic do not overlap")
)
choice = Formula(s, Min(P_2, I * b_2) / Min(P, I * b), assumptions="the same kernel on both, with full overlap")
tie = (
    Derivation.balance(P_2, I_t * b, "the second offer at its peak is as fast as the first on its slope")
    .solve_for(I_t, P_2 / b, "the peak of one over the bandwidth of the other")
    .formula(assumptions="$P_2 < P$ and $b_2 > b$: each offer wins somewhere")
)
edge = (
    Derivation.balance(g * s, 1, "both are equally fast when the advantage is used up")
    .solve_for(g, 1 / s, "the inverse of the advantage")
    .formula(
        assumptions="each offer attains one share of its roof; $g$ is the share of the second over that of the first"
    )
)
over_ridge = Formula(x, I * b / P, kind="definition", convention="above 1 arithmetic limits")
share_attained = Formula(
    u, A / P, kind="definition", convention="attained rate over the dense peak of the same precision"
)
share = (
    Derivation.start(
        u, Min(1, t_c / t_m), "the arithmetic units are busy for the whole kernel, or for a share of it", kind="model"
    )
    .apply({t_c: compute_time, t_m: memory_time}, "both limits")
    .apply({W: I * Q}, "work is intensity times traffic: what is left is intensity over ridge", justified_by=intensity)
    .formula(assumptions="arithmetic and traffic overlap fully")
)
kernel_time = Formula(
    T,
    Max(W / (eta * P), Q / b) + t_d,
    assumptions=("arithmetic and traffic overlap fully", "the dispatch overlaps with nothing"),
)
queued_time = Formula(
    T_q,
    Max(W / (eta * P), Q / b, t_d),
    assumptions=(
        "arithmetic and traffic overlap fully",
        "launches are queued ahead: the host sends one while the device runs another",
    ),
)
dispatch_bound = (
    Derivation.balance(W_d / (eta * P), t_d, "how much work takes as long as its dispatch?")
    .solve_for(W_d, eta * P * t_d, "less than this, and the device waits for the host more than it computes")
    .formula(assumptions="arithmetic limits the kernel")
)
elementwise_time = Formula(
    T_e,
    2 * j * V / b,
    assumptions=(
        "far below the ridge",
        "each operation reads its tensor and writes it; fused, j operations count as one",
    ),
)

# --- a matrix product ----------------------------------------------------------------------

product_work = Formula(W, 2 * FLOP * B * D * F, kind="definition", convention="two operations for each multiply-add")
product_traffic = Formula(Q, a * B * D + w * D * F + o * B * F, assumptions="each matrix crosses the memory bus once")
product_intensity = (
    Derivation.start(I, W / Q, "arithmetic over traffic")
    .apply({W: product_work, Q: product_traffic}, "count both for a product of B tokens with a D by F matrix")
    .formula()
)
of_weights = Formula(I_w, W / Q_w, kind="definition", convention="the whole work over the traffic for weights alone")
of_activations = Formula(
    I_a, W / Q_a, kind="definition", convention="the whole work over the traffic for activations alone"
)
series_law = (
    Derivation.start(I, W / (Q_w + Q_a), "two kinds of traffic share the bus")
    .apply({Q_w: W / I_w}, "weights alone would give their own intensity", justified_by=of_weights)
    .apply({Q_a: W / I_a}, "and so would activations alone", justified_by=of_activations)
    .rewrite(
        1 / (1 / I_w + 1 / I_a),
        "the work cancels: intensities combine like resistors in parallel, and the smaller dominates",
        display_form=1 / Add(1 / I_w, 1 / I_a, evaluate=False),
    )
    .formula(assumptions="each byte is moved once")
)
weight_traffic = Formula(Q_w, w * D * F, assumptions="each weight is read once")
activation_traffic = Formula(Q_a, a * B * D + o * B * F, assumptions="each input is read, each output written once")
weights_only = (
    Derivation.start(of_weights, why="arithmetic over the weights' traffic")
    .apply({W: product_work, Q_w: weight_traffic}, "every weight once")
    .formula(assumptions="B small against D and F", convention="2 operations for each weight and token, over w bytes")
)
activations_only = (
    Derivation.start(of_activations, why="arithmetic over the activations' traffic")
    .apply({W: product_work, Q_a: activation_traffic}, "every input and output once")
    .rewrite(2 * FLOP * D * F / (a * D + o * F), "the batch cancels: no batch lifts the intensity above this")
    .formula(assumptions="B large against D and F")
)
crossover = (
    Derivation.balance(W / P, Q / b, "suppose arithmetic and traffic take equally long")
    .apply({W: product_work, Q: product_traffic}, "what the product computes, and what it moves")
    .solve_for(
        B,
        (w * D * F / b) / (2 * FLOP * D * F / P - (a * D + o * F) / b),
        "linear in the batch: gather its terms on the left",
        as_symbol=B_c,
        routine=True,
    )
    .formula(
        domain=(2 * FLOP * D * F * b > P * (a * D + o * F),),
        assumptions="$I_\\infty$ lies above the ridge; beyond this batch arithmetic limits",
    )
)
crossover_limit = (
    Derivation.balance(I_w, I_r, "weights alone: their intensity meets the ridge")
    .apply({I_w: weights_only, I_r: ridge}, "the widths have gone already")
    .solve_for(B, w * P / (2 * FLOP * b), "linear in the batch", as_symbol=B_r, routine=True)
    .formula(assumptions="D and F without bound", convention="tokens; 2 bytes a weight make it the ridge itself")
)
crossover_split = (
    Derivation.start(crossover)
    .rewrite(
        w * P / (2 * FLOP * b) / (1 - P * (a * D + o * F) / (2 * FLOP * D * F * b)),
        "the batch for weights alone, over 1 less the ratio of ridge and ceiling",
    )
    .formula()
)

product_share = Derivation.start(share).apply({I: product_intensity}, "the intensity of the product").formula()
weights_share = (
    Derivation.start(share).apply({I: weights_only}, "the intensity if weights were the only traffic").formula()
)

dispatched_share = (
    Derivation.start(u, W / (P * T), "work over time is the attained rate; over the peak it is the share")
    .apply({T: kernel_time}, "the time with its dispatch")
    .apply({W: product_work, Q: product_traffic}, "work and traffic of a product")
    .formula(assumptions="each kernel waits for its own dispatch")
)
narrowest = (
    Derivation.balance(I_a, I_r, "let the ceiling of the activations meet the ridge")
    .apply({I_a: activations_only, I_r: ridge}, "both", routine=True)
    .apply({D: D_r, F: D_r}, "a square matrix", routine=True)
    .solve_for(D_r, (a + o) * P / (2 * FLOP * b), "the weights do not appear: at large batch they are free")
    .formula(assumptions="$D = F$; a narrower product is memory-bound at every batch")
)

EVEN = {a: w, o: w}
even_intensity = (
    Derivation.start(product_intensity).apply(EVEN, "inputs, weights and outputs in one precision").formula()
)
even_share = (
    Derivation.start(share)
    .apply(
        {P: I_r * b},
        "the peak is the ridge times the bandwidth: only the ridge is left of the machine",
        justified_by=ridge,
    )
    .apply({I: even_intensity}, "the intensity of the product")
    .formula(assumptions="arithmetic and traffic overlap fully, each matrix crosses the memory bus once")
)
lone_share = (
    Derivation.start(share)
    .apply({P: I_r * b}, "the peak is the ridge times the bandwidth", justified_by=ridge)
    .apply({I: weights_only}, "the intensity if weights were the only traffic")
    .formula()
)
even_crossover = (
    Derivation.start(crossover)
    .apply(EVEN, "inputs, weights and outputs in one precision")
    .apply({P: I_r * b}, "the peak is the ridge times the bandwidth", justified_by=ridge)
    .rewrite(I_r * w * D * F / (2 * FLOP * D * F - I_r * w * (D + F)), "the bandwidth cancels", routine=True)
    .formula(domain=(I_r * w * (D + F) < 2 * FLOP * D * F,))
)

# --- attention -----------------------------------------------------------------------------

ALL_PAIRS = "all pairs of tokens are computed, masked or not"
attention_work = Formula(W, 2 * FLOP * 2 * n * G * S * d, assumptions="all n tokens see all S tokens")
attention_traffic = Formula(Q, w * 2 * S * d + w * 2 * n * G * d, assumptions="scores stay on the chip")
attention_intensity = (
    Derivation.start(intensity, why="for each key-value head")
    .apply(attention_work, "scores and weighted sum, for $nG$ queries over $S$ keys and values")
    .apply(attention_traffic, "keys and values, queries and outputs are moved")
    .rewrite(2 * FLOP / w * n * G * S / (S + n * G), "the width of a head cancels", routine=True)
    .formula(convention="w bytes for each element of cache, query and output; no causal mask")
)
attention_filled = Derivation.start(share).apply({I: attention_intensity}, "the intensity of attention").formula()
prefill_intensity = (
    Derivation.start(I_p, attention_intensity)
    .apply({n: S}, "the whole sequence at once")
    .rewrite(2 * FLOP / w * S * G / (1 + G), "grows with the sequence: compute-bound soon")
    .formula(assumptions="the prompt is handled in one piece", convention=ALL_PAIRS)
)
decode_intensity = (
    Derivation.start(I_d, attention_intensity)
    .apply({n: Integer(1)}, "one new token for each sequence")
    .formula(
        assumptions="decoding, one token at a time; a larger batch changes nothing, each sequence has its own cache"
    )
)
decode_ceiling = (
    Derivation.start(decode_intensity)
    .rewrite(2 * FLOP / w * G / (1 + G / S), "divide by the length: the longer the cache, the nearer to $2G/w$")
    .approximate(
        2 * FLOP * G / w,
        "a cache that is much longer than the group is wide",
        within=Rational(1, 10),
        region={G: ("1", "16"), S: ("200", "1000000")},
    )
    .formula(assumptions="a cache of 200 tokens or more, up to 16 heads that share it")
)
latent_intensity = (
    Derivation.start(I_l, intensity, why="for one sequence whose heads all read one latent vector")
    .apply(
        {W: 2 * FLOP * n_h * S * (2 * d_l + d_p)}, "scores over latent and position, weighted sum over the latent alone"
    )
    .apply(
        {Q: w * S * (d_l + d_p)},
        "the latent vector and the key that carries the position, read once for all heads: the length cancels",
        routine=True,
    )
    .formula(
        assumptions=(
            "decoding, one token at a time",
            "the projections are absorbed, so that heads work on the latent vector",
        ),
        convention="w bytes for each element of the cache; queries and outputs left out",
    )
)
sharing_needed = (
    Derivation.balance(I, I_r, "how many heads must share a cache to reach the ridge?")
    .apply({I: decode_ceiling, I_r: ridge}, "a cache much longer than the group is wide")
    .solve_for(G, w * P / (2 * FLOP * b), "the batch at the ridge, in heads instead of tokens", as_symbol=G_r)
    .formula(assumptions="S much longer than that")
)

prompt_needed = (
    Derivation.balance(I, I_r, "how long must a prompt be for its attention to reach the ridge?")
    .apply({I: prefill_intensity, I_r: ridge}, "both", routine=True)
    .solve_for(S, w * P * (1 + G) / (2 * FLOP * b * G), "about the batch at the ridge", as_symbol=S_r)
    .formula(convention=ALL_PAIRS)
)
prompt_skipped = (
    Derivation.balance(I / 2, I_r, "half of the pairs are masked: half the work, and the same bytes")
    .apply({I: prefill_intensity, I_r: ridge}, "both", routine=True)
    .solve_for(S, w * P * (1 + G) / (FLOP * b * G), "twice as long as with all pairs", as_symbol=S_r)
    .formula(assumptions="all that the mask forbids is skipped")
)

# --- further ceilings ----------------------------------------------------------------------

wire_time = Formula(t_n, Q_n / b_n, assumptions="the network is busy in the direction that carries the traffic")
of_wire = Formula(I_n, W / Q_n, kind="definition", convention="all the work over the bytes that cross the wire")
three_ceilings = (
    Derivation.start(
        A,
        Min(W / t_c, W / t_m, W / t_n),
        "arithmetic, memory and network at the same time: only the slowest shows",
        kind="model",
    )
    .apply({t_c: compute_time, t_m: memory_time, t_n: wire_time}, "each time from its own rate")
    .apply({Q: W / I}, "traffic from the intensity", justified_by=intensity)
    .apply({Q_n: W / I_n}, "bytes on the wire from theirs: the work cancels in both", justified_by=of_wire)
    .formula(assumptions="all three overlap fully")
)
network_ridge = (
    Derivation.balance(I_n * Q_n / P, Q_n / b_n, "suppose arithmetic and traffic on the wire take equally long")
    .solve_for(I_n, P / b_n, "the same balance with the bandwidth of the network")
    .formula(convention="bandwidth in the direction that carries the traffic")
)
kernel_energy = Formula(
    E,
    W * e_f + Q * e_m + p_0 * T,
    assumptions=("each operation and each byte costs the same energy", "a constant power flows meanwhile"),
)
energy_per_operation = (
    Derivation.start(e, E / W, "energy for each operation")
    .apply(kernel_energy, "three parts")
    .apply({Q: W / I}, "traffic from the intensity", justified_by=intensity)
    .apply({T: W / A}, "time from the attained rate")
    .rewrite(e_f + e_m / I + p_0 / A, "the work cancels", routine=True)
    .formula(assumptions="no part of the energy hides behind another: a smooth sum, where time has a corner")
)
operation_energy = Formula(
    e_f, (e_1 + e_2) / (2 * FLOP), kind="definition", convention="a multiply-add counts as two operations"
)
energy_balance = (
    Derivation.balance(e_f, e_m / I_e, "suppose moving costs as much as computing")
    .solve_for(I_e, e_m / e_f, "a ratio of energies: nothing says that it lies at the ridge of time")
    .formula(convention="the point where both parts are equal, not a change of regime")
)

# --- what a peak is ------------------------------------------------------------------------

peak = Formula(
    P,
    2 * FLOP * m * k * c,
    kind="definition",
    assumptions="every unit starts its multiply-adds in every clock",
    convention="dense; a multiply-add counts as two operations",
)
dense_peak = Formula(
    P,
    P_s / 2,
    kind="definition",
    assumptions="the data sheet counts 2:4 sparsity",
    convention="dense peak from the sparse figure",
)

sheet_share = (
    Derivation.start(share_attained)
    .apply({P: dense_peak}, "the sheet prints twice the dense peak")
    .formula(convention="attained rate over the dense peak")
)

# --- worked examples -----------------------------------------------------------------------

H100 = {P: hardware.h100_bf16, b: hardware.h100_hbm_bandwidth}
LAYER = {D: "2048", F: "512", a: "2 B", w: "2 B", o: "2 B"}
QUESTION = {P: facts.book_peak, b: facts.book_bandwidth, D: "4096", F: "16384", a: "1 B", w: "1 B", o: "1 B"}
h100_peak = Example(
    peak,
    {m: hardware.h100_units, k: hardware.h100_fma, c: hardware.h100_clock},
    expect=hardware.h100_bf16,
    rtol=1e-4,
    source="NVIDIA H100 white paper",
    digits=4,
)
h100_dense = Example(dense_peak, {P_s: hardware.h100_bf16_sparse}, digits=4)
h100_share = Example(share_attained, {A: hardware.h100_matmul, P: hardware.h100_bf16})
mi300x_share = Example(share_attained, {A: hardware.mi300x_matmul, P: hardware.mi300x_bf16})
h100_ridge = Example(ridge, H100)
v5e_ridge = Example(ridge, {P: hardware.tpu_v5e_bf16, b: hardware.tpu_v5e_hbm_bandwidth})
b200_ridge = Example(ridge, {P: hardware.b200_bf16, b: hardware.b200_hbm_bandwidth})
mi300x_ridge = Example(ridge, {P: hardware.mi300x_bf16, b: hardware.mi300x_hbm_bandwidth})
h200_ridge = Example(ridge, {P: hardware.h200_bf16, b: hardware.h200_hbm_bandwidth})
gb200_ridge = Example(ridge, {P: hardware.gb200_bf16, b: hardware.gb200_hbm_bandwidth})
mi325x_ridge = Example(ridge, {P: hardware.mi325x_bf16, b: hardware.mi325x_hbm_bandwidth})
a100_ridge = Example(ridge, {P: hardware.a100_bf16, b: hardware.a100_hbm_bandwidth})
v5p_ridge = Example(ridge, {P: hardware.tpu_v5p_bf16, b: hardware.tpu_v5p_hbm_bandwidth})
v6e_ridge = Example(ridge, {P: hardware.tpu_v6e_bf16, b: hardware.tpu_v6e_hbm_bandwidth})
block_bytes = Formula(w, w_v + w_s / n_b, kind="definition", convention="a scale for each block")
nvfp4_bytes = Example(block_bytes, {w_v: "0.5 B", w_s: "1 B", n_b: "16"})
mxfp8_bytes = Example(block_bytes, {w_v: "1 B", w_s: "1 B", n_b: "32"})
h100_ridge_fp8 = Example(ridge, {P: hardware.h100_fp8, b: hardware.h100_hbm_bandwidth})
layer_work = Example(product_work, {B: "1", D: "2048", F: "512"}, unit="MFLOP")
layer_traffic = Example(product_traffic, {B: "1", **LAYER})
layer_intensity = Example(product_intensity, {B: "1", **LAYER})
layer_share = Example(share, {I: layer_intensity, **H100})
layer_batch = Example(product_intensity, {B: "64", **LAYER})
layer_traffic_time = Example(memory_time, {Q: layer_traffic, b: hardware.h100_hbm_bandwidth}, unit="µs")
layer_time = Example(
    kernel_time, {W: layer_work, Q: layer_traffic, eta: "100 %", t_d: facts.page_dispatch_low, **H100}, unit="µs"
)
dispatch_work = Example(dispatch_bound, {eta: "80 %", t_d: facts.page_dispatch_low, P: hardware.h100_bf16})
v5e_crossover = Example(crossover, QUESTION, digits=4)
v5e_weights = Example(crossover_limit, {w: "1 B", P: facts.book_peak, b: facts.book_bandwidth})
half_hidden = Example(overlap_bound, {t_c: "3 ms", t_m: "2 ms"})
prompt = Example(prefill_intensity, {S: "4096", G: "8", w: "2 B"}, digits=4)
one_token = Example(decode_intensity, {S: "4096", G: "8", w: "2 B"})
deepseek_decode = Example(
    latent_intensity,
    {n_h: models.deepseek_v3_heads, d_l: models.deepseek_v3_latent, d_p: models.deepseek_v3_rotary, w: "2 B"},
)
h100_sharing = Example(sharing_needed, {w: "2 B", **H100})
wire = Example(network_ridge, {P: hardware.h100_bf16, b_n: hardware.ndr_port}, digits=5)
nvlink = Example(network_ridge, {P: hardware.h100_bf16, b_n: hardware.h100_nvlink}, digits=4)
host = Example(network_ridge, {P: hardware.h100_bf16, b_n: hardware.pcie5}, digits=5)
multiply_add = Example(operation_energy, {e_1: hardware.fp16_multiply, e_2: hardware.fp16_add}, digits=2)
old_logic = Example(energy_balance, {e_m: hardware.hbm2_bit, e_f: multiply_add})
elementwise = Example(elementwise_time, {j: "4", V: "1 GB", b: hardware.h100_hbm_bandwidth}, unit="ms")

# --- two offers ----------------------------------------------------------------------------

FIRST = {P: hardware.tpu_v6e_bf16, b: hardware.tpu_v6e_hbm_bandwidth}
SECOND = {P: hardware.tpu_v5p_bf16, b: hardware.tpu_v5p_hbm_bandwidth}
OFFERS = {**FIRST, P_2: hardware.tpu_v5p_bf16, b_2: hardware.tpu_v5p_hbm_bandwidth}
WIDE = {D: models.llama31_70b_hidden, F: models.llama31_70b_ffn, a: "2 B", w: "2 B", o: "2 B"}
decode_layer = Example(product_intensity, {B: "64", **WIDE})
prompt_layer = Example(product_intensity, {B: "4096", **WIDE}, digits=4)
wide_ceiling = Example(activations_only, {v: WIDE[v] for v in (D, F, a, o)}, digits=4)
decode_work = Example(product_work, {B: "64", **{v: WIDE[v] for v in (D, F)}}, unit="GFLOP")
decode_traffic = Example(product_traffic, {B: "64", **WIDE}, unit="MB")
first_math = Example(compute_time, {W: decode_work, P: hardware.tpu_v6e_bf16}, unit="µs")
first_reading = Example(memory_time, {Q: decode_traffic, b: hardware.tpu_v6e_hbm_bandwidth}, unit="µs")
second_math = Example(compute_time, {W: decode_work, P: hardware.tpu_v5p_bf16}, unit="µs")
second_reading = Example(memory_time, {Q: decode_traffic, b: hardware.tpu_v5p_hbm_bandwidth}, unit="µs")
first_decode = Example(attained, {I: "63.4 FLOP/B", **FIRST})
second_decode = Example(attained, {I: "63.4 FLOP/B", **SECOND})
first_share = Example(share, {I: decode_layer, **FIRST})
second_share = Example(share, {I: decode_layer, **SECOND})
decode_choice = Example(choice, {I: decode_layer, **OFFERS})
prompt_choice = Example(choice, {I: prompt_layer, **OFFERS})
least_share = Example(edge, {s: decode_choice}, unit="%")
prompt_margin = Example(edge, {s: prompt_choice})
offers_tie = Example(tie, {P_2: hardware.tpu_v5p_bf16, b: hardware.tpu_v6e_hbm_bandwidth})
tie_batch = Example(crossover, {P: hardware.tpu_v5p_bf16, b: hardware.tpu_v6e_hbm_bandwidth, **WIDE})

# --- the layer of the reference page, and other cases --------------------------------------

layer_math_time = Example(compute_time, {W: layer_work, P: hardware.h100_bf16}, unit="ns")
layer_batch_traffic = Example(product_traffic, {B: "64", **LAYER})
layer_batch_share = Example(product_share, {B: "64", **H100, **LAYER})
layer_ceiling = Example(activations_only, {v: LAYER[v] for v in (D, F, a, o)}, digits=4)
layer_crossover = Example(crossover, {**H100, **LAYER}, digits=4)
SENT = {eta: "100 %", t_d: facts.page_dispatch_low, **H100, **LAYER}
layer_dispatched = Example(dispatched_share, {B: "1", **SENT}, digits=1)
layer_batch_dispatched = Example(dispatched_share, {B: "64", **SENT})
layer_batch_time = Example(
    kernel_time,
    {W: "134217728 FLOP", Q: layer_batch_traffic, eta: "100 %", t_d: facts.page_dispatch_low, **H100},
    unit="µs",
)
h100_measured_ridge = Example(ridge, {P: hardware.h100_matmul, b: hardware.h100_hbm_bandwidth})
v5e_rule = Example(
    crossover_limit,
    {w: "2 B", P: facts.book_ridge_peak, b: facts.book_ridge_bandwidth},
    expect=facts.book_rule,
    rtol=0.002,
    source="the rule as printed",
)
v5p_rule = Example(crossover_limit, {w: "2 B", **SECOND})
v6e_rule = Example(crossover_limit, {w: "2 B", **FIRST})
v5e_byte_weights = Example(crossover_limit, {w: "1 B", P: facts.book_ridge_peak, b: facts.book_ridge_bandwidth})
h100_narrowest = Example(narrowest, {a: "2 B", o: "2 B", **H100})
one_head = Example(decode_intensity, {S: "4096", G: "1", w: "2 B"})
many_heads = Example(decode_intensity, {S: "4096", G: "16", w: "2 B"})
attention_share = Example(share, {I: one_token, **H100})
h100_prompt = Example(prompt_needed, {G: "8", w: "2 B", **H100})
h100_prompt_skipped = Example(prompt_skipped, {G: "8", w: "2 B", **H100})
behind_wire = Example(three_ceilings, {I: "300 FLOP/B", I_n: "1000 FLOP/B", b_n: hardware.h100_nvlink, **H100})
before_wire = Example(attained, {I: "300 FLOP/B", **H100})
fused = Example(elementwise_time, {j: "1", V: "1 GB", b: hardware.h100_hbm_bandwidth}, unit="ms")

# --- calculators -----------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
