"""Collectives: what it costs p ranks to add up, gather or exchange n bytes.

A message of n bytes takes alpha + n/beta; each rank sends one message and receives one at a time.
Links are alike, nothing else uses them, and n divides by p. Rates are for one direction.
"""

from sympy import Eq, Mod, ceiling, log, sqrt

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import hardware
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

p = Variable("p", "", "ranks that take part", alias=("ranks", "devices"), low="1", high="1000000", integer=True)
n = Variable("n", "B", "bytes each rank brings", alias="message", display_unit="MB", low="1 B", high="10 TB")
alpha = Variable(
    "alpha",
    "s",
    "latency of a message",
    alias="latency",
    tex=r"\alpha",
    display_unit="µs",
    low="0 s",
    high="1 ms",
    zero=True,
)
beta = Variable(
    "beta",
    "B/s",
    "bandwidth of a rank per direction",
    alias="bandwidth",
    tex=r"\beta",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="5 TB/s",
)
gamma = Variable(
    "gamma",
    "s/B",
    "time to add one byte to another",
    tex=r"\gamma",
    display_unit="ps/B",
    low="0.01 ps/B",
    high="1 ns/B",
)
t = Variable("t", "s", "time of one message, or operation", display_unit="ms", low="0.1 µs", high="1 d")
n_half = Variable("n_half", "B", "message at half of the bandwidth", tex=r"n_{1/2}", display_unit="kB")
T_ring = Variable("T_ring", "s", "all-reduce in a ring", tex=r"T_{\mathrm{ring}}", display_unit="ms")
T_rs = Variable("T_rs", "s", "reduce-scatter in a ring", tex=r"T_{\mathrm{rs}}", display_unit="ms")
T_ag = Variable("T_ag", "s", "all-gather in a ring", tex=r"T_{\mathrm{ag}}", display_unit="ms")
T_rd = Variable("T_rd", "s", "all-reduce by recursive doubling", tex=r"T_{\mathrm{rd}}", display_unit="ms")
T_hd = Variable("T_hd", "s", "all-reduce by halving and doubling", tex=r"T_{\mathrm{hd}}", display_unit="ms")
T_tree = Variable("T_tree", "s", "all-reduce in a binomial tree", tex=r"T_{\mathrm{tree}}", display_unit="ms")
T_dbt = Variable("T_dbt", "s", "all-reduce in two binary trees", tex=r"T_{\mathrm{dbt}}", display_unit="ms")
T_hier = Variable("T_hier", "s", "hierarchical all-reduce", tex=r"T_{\mathrm{hier}}", display_unit="ms")
T_net = Variable("T_net", "s", "all-reduce by in-network reduction", tex=r"T_{\mathrm{switch}}", display_unit="ms")
T_least = Variable(
    "T_least",
    "s",
    "least time of a hierarchical all-reduce with in-network reduction",
    tex=r"T_{\min}",
    display_unit="ms",
)
T_o = Variable("T_o", "s", "time between the nodes", tex=r"T_{\mathrm{o}}", display_unit="ms")
T_i = Variable("T_i", "s", "time inside the nodes", tex=r"T_{\mathrm{i}}", display_unit="ms")
T_a2a = Variable("T_a2a", "s", "all-to-all in pairs", tex=r"T_{\mathrm{a2a}}", display_unit="ms")
T_bc = Variable("T_bc", "s", "broadcast", tex=r"T_{\mathrm{bc}}", display_unit="ms")
T_more = Variable(
    "T_more", "s", "extra time of the ring", tex=r"\Delta T", display_unit="ms", low="0 s", high="1 h", zero=True
)
T_b = Variable("T_b", "s", "least time of any all-reduce by ranks", tex=r"T_{\mathrm{bound}}", display_unit="ms")
T_pipe = Variable("T_pipe", "s", "time through a chain, in chunks", tex=r"T_{\mathrm{pipe}}", display_unit="ms")
T_opt = Variable("T_opt", "s", "time with the best chunks", tex=r"T^{*}", display_unit="ms")
Q = Variable("Q", "B", "bytes sent by one rank", display_unit="GB")
Q_all = Variable(
    "Q_all",
    "B",
    "bytes sent by all ranks together",
    tex=r"Q_{\mathrm{all}}",
    display_unit="GB",
    low="0 B",
    high="1 EB",
    zero=True,
)
Q_net = Variable(
    "Q_net",
    "B",
    "bytes sent if a switch reduces",
    tex=r"Q_{\mathrm{switch}}",
    display_unit="GB",
    low="0 B",
    high="1 EB",
    zero=True,
)
Q_cut = Variable(
    "Q_cut",
    "B",
    "bytes that cross a cut per direction",
    tex=r"Q_{\mathrm{cut}}",
    display_unit="GB",
    low="0.1 B",
    high="10 TB",
)
L = Variable("L", "", "hops of the first chunk, after its first", low="1", high="1000000", integer=True)
k = Variable("k", "", "chunks of a message", low="1", high="1000000", count=True)
k_opt = Variable("k_opt", "", "best number of chunks", tex=r"k^{*}")
n_tree = Variable("n_tree", "B", "size at which ring and tree tie", tex=r"n_{\mathrm{tree}}", display_unit="MB")
n_page = Variable("n_page", "B", "crossover of the reference page", tex=r"n_{\mathrm{page}}", display_unit="MB")
G = Variable("G", "", "devices of a node", alias="devices_per_node", low="1", high="1024", integer=True)
M = Variable("M", "", "nodes", alias="nodes", low="1", high="100000", integer=True)
alpha_i = Variable(
    "alpha_i",
    "s",
    "latency inside a node",
    alias="node_latency",
    tex=r"\alpha_{\mathrm{i}}",
    display_unit="µs",
    low="0 s",
    high="1 ms",
    zero=True,
)
beta_i = Variable(
    "beta_i",
    "B/s",
    "bandwidth inside a node",
    alias="node_bandwidth",
    tex=r"\beta_{\mathrm{i}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="5 TB/s",
)
alpha_o = Variable(
    "alpha_o",
    "s",
    "latency between nodes",
    alias="network_latency",
    tex=r"\alpha_{\mathrm{o}}",
    display_unit="µs",
    low="0 s",
    high="1 ms",
    zero=True,
)
beta_o = Variable(
    "beta_o",
    "B/s",
    "bandwidth between nodes, for each device",
    alias="network_bandwidth",
    tex=r"\beta_{\mathrm{o}}",
    display_unit="GB/s",
    low="0.1 GB/s",
    high="1 TB/s",
)
r = Variable("r", "", "ratio of two times")
A = Variable("A", "B/s", "algorithm bandwidth: bytes over time", display_unit="GB/s", low="0.001 GB/s", high="5 TB/s")
W = Variable("W", "B/s", "bus bandwidth", display_unit="GB/s")
c = Variable("c", "B/s", "rate of one lane per direction", display_unit="GB/s", low="0.1 GB/s", high="1 TB/s")
lanes = Variable("n_lanes", "", "lanes of a link", tex=r"n_{\mathrm{lanes}}", low="1", high="64", integer=True)
links = Variable("n_links", "", "links of a device", tex=r"n_{\mathrm{links}}", low="1", high="64", integer=True)
X = Variable("X", "", "chips of a torus, along all axes", low="2", high="100000", integer=True)
a = Variable("a", "", "axes of the torus that are used", low="1", high="6", integer=True)
V = Variable("V", "B", "bytes of the whole array, all chips together", display_unit="GB", low="1 B", high="10 TB")
beta_l = Variable(
    "beta_l",
    "B/s",
    "one torus link per direction",
    tex=r"\beta_{\mathrm{l}}",
    display_unit="GB/s",
    low="1 GB/s",
    high="1 TB/s",
)
T_t = Variable("T_t", "s", "time in the torus", tex=r"T_{\mathrm{torus}}", display_unit="ms")
n_1 = Variable("n_1", "B", "smaller size measured", display_unit="MB", low="1 B", high="10 TB")
n_2 = Variable("n_2", "B", "larger size measured", display_unit="MB", low="1 B", high="10 TB")
t_1 = Variable("t_1", "s", "time of the smaller", display_unit="ms", low="1 µs", high="1 h")
t_2 = Variable("t_2", "s", "time of the larger", display_unit="ms", low="1 µs", high="1 h")
Psi = Variable("Psi", "", "parameters", alias="parameters", tex=r"\Psi", low="1000", high="1000000000000000")
w = Variable("w", "B", "bytes of a parameter", low="0.5 B", high="8 B")
T_rails = Variable(
    "T_rails", "s", "all-reduce in as many rings as a node has NICs", tex=r"T_{\mathrm{rails}}", display_unit="ms"
)
n_c = Variable("n_c", "B", "bytes of a chunk", tex=r"n_{\mathrm{c}}", display_unit="MB", low="0.001 B", high="10 TB")
n_x = Variable(
    "n_x",
    "B",
    "bytes of a chunk that a device sends to other nodes",
    tex=r"n_{\mathrm{x}}",
    low="0.001 B",
    high="10 TB",
)
beta_x = Variable(
    "beta_x", "B/s", "rate of a NIC that is attained", tex=r"\beta_{\mathrm{x}}", low="0.1 GB/s", high="1 TB/s"
)
alpha_s = Variable("alpha_s", "s", "latency of the switch in the node", tex=r"\alpha_{\mathrm{s}}", display_unit="µs")
beta_s = Variable("beta_s", "B/s", "rate at which that switch is fed", tex=r"\beta_{\mathrm{s}}", display_unit="GB/s")
D = Variable("D", "B", "bytes of all buckets of a step", display_unit="GB", low="1 B", high="10 TB")
T_D = Variable("T_D", "s", "all buckets, one after the other", tex=r"T_{D}")
n_r = Variable("n_r", "B", "size at which a ring takes a multiple of the bound", tex=r"n_{r}", display_unit="MB")
t_c = Variable("t_c", "s", "compute time of one step", tex=r"t_{\mathrm{c}}", low="1 ms", high="1 h")
u = Variable("u", "", "new bandwidth over old", low="1.01", high="1000")
Delta = Variable(
    "Delta", "", "efficiency won by more bandwidth", tex=r"\Delta\eta", display_unit="%", low="0 %", high="100 %"
)
H = Variable("H", "", "one over the efficiency won")
t_u = Variable("t_u", "s", "computing at which an upgrade wins most", tex=r"t_{u}")
T_one = Variable("T_one", "s", "all-reduce at one rank", tex=r"T_{\mathrm{one}}")
J = log(p, 2)  # rounds in which the group doubles until it is complete
K = ceiling(J)  # whole rounds, of which the last may be only partly filled

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- one message ---------------------------------------------------------------------------

TWO = Eq(Mod(J, 1), 0)  # pairs that exchange exist for all ranks in every round
message = Formula(t, alpha + n / beta, assumptions="a link without other traffic", convention="Hockney's model")
half_size = (
    Derivation.balance(n_half / (alpha + n_half / beta), beta / 2, "half of the bandwidth is reached")
    .solve_for(n_half, alpha * beta, "then the latency takes as long as the bytes")
    .formula(assumptions="a message takes $\\alpha + n/\\beta$")
)
two_measurements = Formula(
    beta, (n_2 - n_1) / (t_2 - t_1), assumptions="both sizes are sent the same way", domain=(n_2 > n_1, t_2 > t_1)
)

# --- the bound -----------------------------------------------------------------------------

least_bytes = Formula(
    Q_all,
    2 * (p - 1) * n,
    assumptions="ranks do the adding: each of n bytes needs p − 1 additions whose operands must meet, and p − 1 copies back",
)
least_time = (
    Derivation.start(T_b, Q_all / (p * beta), "at best all $p$ ranks send all the time", kind="model")
    .apply(least_bytes, "what must be sent")
    .formula(assumptions="latency does not count", convention="Patarasuk–Yuan")
)

# --- all-reduce ----------------------------------------------------------------------------

root_all_reduce = Formula(
    T_one,
    2 * (p - 1) * (alpha + n / beta),
    assumptions="one rank receives from all others, adds, and sends the sums back, one message at a time",
)
ring_half = Formula(
    T_rs, (p - 1) * (alpha + n / (p * beta)), assumptions="p − 1 steps, in each of which every rank passes on one p-th"
)
ring_gather = Formula(
    T_ag, (p - 1) * (alpha + n / (p * beta)), assumptions="p − 1 steps, in each of which every rank passes on one p-th"
)
ring = (
    Derivation.start(T_ring, T_rs + T_ag, "first add up, then hand out", kind="model")
    .apply({T_rs: ring_half, T_ag: ring_gather}, "both go once around the ring")
    .rewrite(2 * (p - 1) * alpha + 2 * (p - 1) / p * n / beta, "separate latency and bytes")
    .formula(assumptions="the ranks form one ring")
)
ring_sent = (
    Derivation.start(Q, 2 * (p - 1) * (n / p), "steps times bytes of a step", kind="model")
    .rewrite(2 * n * (1 - 1 / p), "close to $2n$ whatever the number of ranks", display_form=2 * n * (1 - 1 / p))
    .formula(assumptions="the ranks form one ring", convention="sent by one rank; it receives as much")
)
ring_meets_bound = (
    Derivation.start(r, T_ring / T_b, "the ring against the bound")
    .apply({T_ring: ring, T_b: least_time}, "both in full", routine=True)
    .rewrite(1 + p * alpha * beta / n, "the bytes are those of the bound: only latency is lost")
    .formula(assumptions="at least two ranks", domain=(p > 1,), drops_assumptions="latency does not count")
)
doubling = Formula(
    T_rd, J * (alpha + n / beta), assumptions="in each round all bytes are exchanged with one partner", domain=(TWO,)
)
halving_doubling = (
    Derivation.start(
        T_hd,
        2 * (J * alpha + n / beta * (1 - 2 ** (-J))),
        "halve what is exchanged in each of $\\log_2 p$ rounds, which makes $n/2 + n/4 + \\dots = n(1 - 2^{-\\log_2 p})$; then double it back",
        kind="model",
    )
    .rewrite(
        2 * J * alpha + 2 * (p - 1) / p * n / beta,
        "separate latency and bytes: the bytes of the ring, the rounds of a tree",
    )
    .formula(domain=(TWO,), convention="Rabenseifner")
)
tree = Formula(
    T_tree,
    2 * K * (alpha + n / beta),
    assumptions="all bytes go up the tree, then down, in whole rounds",
    convention="binomial tree, without chunks",
)
switch = Formula(
    T_net,
    2 * alpha + n / beta,
    assumptions="switches reduce and multicast: each rank sends n and receives n at the same time",
)
ring_with_reduction = Formula(
    T_ring,
    2 * (p - 1) * alpha + (p - 1) / p * n * (2 / beta + gamma),
    assumptions="each rank also adds one p-th in p − 1 of the steps, and adding does not overlap with sending",
)

bus_of_ring = (
    Derivation.start(W, n / T_ring * 2 * (p - 1) / p, "what a benchmark prints for a ring")
    .apply(ring, "its time")
    .rewrite(beta / (1 + p * alpha * beta / n), "divide by the bytes of the bound")
    .formula(domain=(p > 1,))
)
bucket_needed = (
    Derivation.start(ring_meets_bound, why="the ring takes $r$ times the bound")
    .solve_for(n, p * alpha * beta / (r - 1), "the latency may take what exceeds one", as_symbol=n_r)
    .formula(domain=(r > 1,))
)
buckets = Formula(
    T_D,
    D / n * t,
    assumptions="buckets of n bytes, each waits for the one before",
    validity=((Eq(Mod(D, n), 0), "the last bucket is not full, and takes longer than its share of the bytes"),),
)
bandwidth_needed = (
    Derivation.start(least_time).solve_for(beta, 2 * (p - 1) * n / (p * T_b), "turn it round", routine=True).formula()
)

# --- who wins ------------------------------------------------------------------------------

ring_or_tree = (
    Derivation.balance(T_ring, T_tree, "ring and tree take equally long")
    .apply({T_ring: ring, T_tree: tree}, "both in full", routine=True)
    .solve_for(
        n,
        alpha * beta * p * (p - 1 - K) / (p * K - (p - 1)),
        "linear in $n$: collect the terms",
        as_symbol=n_tree,
        routine=True,
    )
    .formula(assumptions="a smaller message belongs to the tree", domain=(p > 2,))
)
ring_or_tree_large = (
    Derivation.start(ring_or_tree)
    .approximate(
        alpha * beta * p / (K - 1),
        "for many ranks $p - 1 - \\lceil\\log_2 p\\rceil$ is nearly $p$",
        within="1/6",
        region={p: ("64", "1000000")},
    )
    .formula(validity=((p >= 64, "the short form may be too large by a quarter and more"),))
)
page_crossover = Formula(
    n_page, p * alpha * beta, assumptions="as printed on the reference page, which lost the logarithm"
)
page_error = (
    Derivation.start(r, n_page / n_tree, "the printed crossover against the exact one")
    .apply(
        {n_page: page_crossover, n_tree: ring_or_tree},
        "both in full: latency and bandwidth cancel, and about $\\lceil\\log_2 p\\rceil - 1$ is left",
        routine=True,
    )
    .formula(domain=(p > 3,))
)
ring_excess_time = (
    Derivation.start(T_more, T_ring - T_hd, "ring against halving and doubling")
    .apply({T_ring: ring, T_hd: halving_doubling}, "both in full", routine=True)
    .rewrite(2 * alpha * (p - 1 - J), "the bytes are equal, and it has more steps: here the ring never wins")
    .formula(assumptions="equal links without other traffic")
)

# --- chunks --------------------------------------------------------------------------------

chain = Formula(
    T_pipe,
    (L + k) * (alpha + n / (k * beta)),
    assumptions="the first chunk needs L + 1 hops, each further one arrives a step later",
)
best_chunks = (
    Derivation.minimise(chain, over=k, why="more chunks fill the chain sooner, but each pays a latency")
    .slope(alpha - L * n / (k**2 * beta), "multiply out; the terms without $k$ drop", routine=True)
    .root(sqrt(L * n / (alpha * beta)), "the two terms balance", as_symbol=k_opt)
    .curvature(2 * L * n / (k**3 * beta), "positive, a minimum", routine=True)
    .formula(assumptions="$k$ need not be whole", domain=(L * n >= alpha * beta,))
)
best_chain = (
    Derivation.start(T_opt, chain, "the chain, to be taken at the best number of chunks")
    .apply({k: best_chunks}, "cut into that many chunks")
    .rewrite(
        (sqrt(L * alpha) + sqrt(n / beta)) ** 2,
        "multiply out: latency of the chain, bytes, and twice their geometric mean",
        routine=True,
    )
    .formula()
)
two_trees = (
    Derivation.start(
        T_dbt,
        (sqrt(L * alpha) + sqrt(2 * n / beta)) ** 2,
        "a chain that carries $2n$: each rank is inner in one tree, leaf in the other, and sends half up and half down twice",
        kind="model",
    )
    .apply(
        {L: 2 * K - 1}, "up one tree and down again, each $\\lceil\\log_2 p\\rceil$ deep; the first hop is not counted"
    )
    .formula(
        assumptions="best chunks, both directions of the links in use",
        domain=(p > 2, 2 * (2 * K - 1) * n >= alpha * beta),
    )
)

# --- levels --------------------------------------------------------------------------------

hierarchical = Formula(
    T_hier,
    2 * (G - 1) * (alpha_i + n / (G * beta_i)) + 2 * (M - 1) * (alpha_o + n / (G * M * beta_o)),
    assumptions="reduce-scatter in the node, all-reduce of one G-th between nodes on every link at once, all-gather in the node",
)
rails = Formula(
    T_rails,
    2 * (1 - 1 / (G * M)) * n * Max(1 / (G * beta_o), 1 / beta_i),
    assumptions=("each device has a NIC, each ring leaves the node by another one", "latency does not count"),
    convention="a bound for rings: transfers inside and between the nodes overlap",
)
rails_timed = Formula(
    T_rails,
    2 * (1 - 1 / (G * M)) * (M * ((G - 1) * alpha_i + alpha_o) + n * Max(1 / (G * beta_o), 1 / beta_i)),
    assumptions="each device has a NIC, each ring leaves the node by another one, and a piece pays every hop on its way",
    convention="as many rings as a node has NICs",
)
hierarchical_pipelined = Formula(
    T_hier,
    T_i + T_o + (k - 1) * Max(T_i, T_o),
    assumptions="k chunks pass first the node and then the network, like the two hops of a chain",
)
levels_in_switch = Formula(
    T_least,
    Max(n / beta_s, 2 * (M - 1) * n / (G * M * beta_o)),
    assumptions=(
        "the switch in each node reduces, so that a node forwards one sum, a share of it through each NIC",
        "latency does not count",
    ),
    convention="a bound: transfers inside and between the nodes overlap",
)
rails_switch = (
    Derivation.start(
        T_least, Max(T_o, T_i), "as with rings on rails, transfers inside and between the nodes overlap", kind="model"
    )
    .apply(
        {T_o: n / (G * beta_o)},
        "the node reduces first: through each NIC one share of its sum goes to the switch, once, while the share of all nodes comes back",
    )
    .apply(
        {T_i: least_time.renamed({p: G, beta: beta_i})},
        "reduce-scatter and all-gather inside the node, at their bound",
        routine=True,
    )
    .formula(
        assumptions=("each device has a NIC", "switches between the nodes reduce at full rate"),
        convention="a bound for in-network reduction between the nodes",
    )
)
levels_sent = (
    Derivation.start(
        r,
        (2 * (M - 1) * n / (G * M)) / (2 * (1 - 1 / (G * M)) * n / G),
        "through each NIC: the shares of a hierarchical all-reduce over the pieces of rings through all devices",
    )
    .rewrite(G * (M - 1) / (G * M - 1), "the message cancels: nearly as much on many nodes, and half on two")
    .formula(assumptions="the NICs of a node share the bytes evenly", domain=(G * M > 1,))
)
gain_of_levels = (
    Derivation.start(
        r,
        (2 * n / beta_o) / (2 * (1 - 1 / G) * n / beta_i + 2 * n / (G * beta_o)),
        "one flat ring against a hierarchical all-reduce, many nodes, large messages",
        kind="model",
    )
    .rewrite(1 / ((1 - 1 / G) * beta_o / beta_i + 1 / G), "the size of the message cancels", routine=True)
    .formula(assumptions=("many nodes", "latency does not count"))
)
in_network_gain = (
    Derivation.start(r, T_ring / T_net, "ring against switch")
    .apply({T_ring: ring, T_net: switch}, "both with their latencies")
    .apply({alpha: 0}, "in large messages only bytes count, and their number cancels", routine=True)
    .formula(assumptions="latency does not count", convention="a bound: 2 at most")
)
sends_with_switch = Formula(
    Q_net,
    (p + 1) * n,
    assumptions="each rank sends its n bytes up once, and the switch sends the sum down once, to all",
)
in_network_gain_counted = (
    Derivation.start(r, Q_all / Q_net, "sends without a switch over sends with one")
    .apply({Q_all: least_bytes, Q_net: sends_with_switch}, "the size cancels", routine=True)
    .formula(assumptions="latency does not count", convention="counted in sends: a bound for each size of group")
)

# --- gather, exchange, broadcast, torus ----------------------------------------------------

all_to_all = Formula(
    T_a2a,
    (p - 1) * (alpha + n / (p * beta)),
    assumptions="each rank sends one p-th of its n bytes to every other, one after the other",
)
broadcast_scatter = (
    Derivation.start(
        T_bc,
        K * alpha + (p - 1) / p * n / beta + (p - 1) * (alpha + n / (p * beta)),
        "hand out one $p$-th to each rank down a tree, all but the root's own, then gather in a ring",
        kind="model",
        routine=True,
    )
    .rewrite(
        (K + p - 1) * alpha + 2 * (p - 1) / p * n / beta,
        "collect latency and bytes: twice the message instead of $\\lceil\\log_2 p\\rceil$ times",
        routine=True,
    )
    .formula(convention="van de Geijn")
)
torus_gather = (
    Derivation.start(
        T_t,
        V * (1 - 1 / X) / (2 * a * beta_l),
        "what a chip lacks, all of the array but its own part, comes in on both sides of each axis",
        kind="model",
    )
    .rewrite(V * (X - 1) / (2 * a * X * beta_l), "one fraction")
    .formula(
        assumptions=(
            "axes are rings, used both ways; they need not be of equal length if the array is cut so that no link is idle",
            "latency does not count",
        )
    )
)
cut_bytes = Formula(
    Q_cut,
    V / 4,
    assumptions="half of the array lies on either side of a cut through the ring, and half of that must cross",
)
torus_all_to_all = (
    Derivation.start(T_t, Q_cut / (2 * beta_l), "two links cross the cut", kind="model")
    .apply(cut_bytes, "half of a half: the number of chips does not matter")
    .formula(assumptions=("one axis, used both ways", "every chip sends an equal part to every other"))
)

# --- what an upgrade wins --------------------------------------------------------------------

upgrade = Formula(
    Delta,
    t_c / (t_c + t) - t_c / (t_c + u * t),
    assumptions="communication is not hidden, and only its bytes count; t is its time after the upgrade",
)
upgrade_inverse = (
    Derivation.start(H, 1 / Delta, "the most is won where one over it is least")
    .apply(upgrade, "the difference of two efficiencies")
    .rewrite((t_c / t + 1 + u + u * t / t_c) / (u - 1), "common denominator, then divide")
    .formula()
)
upgrade_best = (
    Derivation.minimise(upgrade_inverse, over=t_c, why="much computing hides the wait, little cannot profit")
    .slope((1 / t - u * t / t_c**2) / (u - 1), "differentiate")
    .root(sqrt(u) * t, "the geometric mean of both waits", as_symbol=t_u)
    .curvature(2 * u * t / (t_c**3 * (u - 1)), "positive: one over it is smallest, it is largest", routine=True)
    .formula()
)
upgrade_at_best = (
    Derivation.start(upgrade, why="the difference of two efficiencies")
    .apply({t_c: upgrade_best}, "computing at which most is won")
    .rewrite((sqrt(u) - 1) / (sqrt(u) + 1), "the times cancel: no job wins more")
    .formula()
)

# --- what benchmarks print -----------------------------------------------------------------

algorithm_bandwidth = Formula(A, n / t, kind="definition", assumptions="t is the time of the whole operation")
bus_all_reduce = (
    Derivation.balance(
        n / A,
        2 * (p - 1) / p * n / W,
        "bytes over the printed bandwidth is the time of the bound, so that $W$ is the link's rate",
    )
    .solve_for(W, A * 2 * (p - 1) / p, "the size cancels", routine=True)
    .formula(assumptions="ranks do the adding", convention="nccl-tests: busbw of all-reduce")
)
algorithm_from_bus = (
    Derivation.start(bus_all_reduce)
    .solve_for(A, W * p / (2 * (p - 1)), "invert it: what the bytes of one rank really did")
    .formula(assumptions="an all-reduce", convention="nccl-tests: algbw")
)
bus_gather = (
    Derivation.balance(n / A, (p - 1) / p * n / W, "half of an all-reduce: only the adding, or only the handing out")
    .solve_for(W, A * (p - 1) / p, "the size cancels", routine=True)
    .formula(
        assumptions="n is the whole that is gathered or scattered; in an all-to-all, what one rank sends",
        convention="nccl-tests: busbw of reduce-scatter, all-gather and all-to-all",
    )
)
bus_broadcast = (
    Derivation.balance(n / A, n / W, "all bytes must leave, or enter, the root")
    .solve_for(W, A, "no factor")
    .formula(assumptions="one root", convention="nccl-tests: busbw of broadcast and reduce")
)
link_bandwidth = Formula(beta, c * lanes * links, kind="definition", convention="one direction; data sheets add both")
gradient_bytes = Formula(n, Psi * w, kind="definition", assumptions="every parameter has a gradient")

# --- worked examples -----------------------------------------------------------------------

SYNC = {n: facts.page_gradients, p: facts.page_ranks, alpha: facts.page_latency, beta: hardware.ndr_port}
page_ring = Example(ring, SYNC, unit="s", digits=4)
page_latency_part = Example(
    ring,
    {**SYNC, n: "1 B"},
    expect=facts.page_latency_term,
    rtol=0.024,
    source="the reference page: 2·1023·2 µs is 4.09 ms",
)
page_bound = Example(least_time, {symbol: SYNC[symbol] for symbol in (n, p, beta)}, unit="s", digits=4)
CROSS = {symbol: SYNC[symbol] for symbol in (p, alpha, beta)}
exact_crossover = Example(ring_or_tree, CROSS, digits=4)
printed_crossover = Example(page_crossover, CROSS)
printed_error = Example(page_error, {p: facts.page_ranks})
lab_sent = Example(
    ring_sent, {n: "350 GB", p: "1024"}, expect=facts.lab_volume, source="the lab, act I: 2·1023/1024·350 GB"
)
lab_as_printed = Example(
    least_time,
    {n: "350 GB", p: "1024", beta: facts.lab_link},
    expect=facts.lab_time,
    rtol=0.002,
    source="the lab, act I",
)
lab_with_port = Example(least_time, {n: "350 GB", p: "1024", beta: hardware.ndr_port})
chunks_example = Example(best_chunks, {L: "19", n: "64 MB", alpha: "5 µs", beta: "50 GB/s"})
LEVELS = {beta_o: hardware.ndr_port, beta_i: hardware.h100_nvlink, G: "8"}
levels_gain = Example(gain_of_levels, LEVELS)
levels_time = Example(
    hierarchical,
    {**LEVELS, n: facts.page_gradients, M: "128", alpha_i: "1 µs", alpha_o: facts.page_latency},
    unit="s",
    digits=4,
)
switch_8 = Example(in_network_gain_counted, {p: "8"})
switch_limit = Example(in_network_gain, {p: "8"})
bus_8 = Example(bus_all_reduce, {A: "200 GB/s", p: "8"})
bundle_nvlink5 = Example(
    link_bandwidth,
    {c: hardware.nvlink5_lane, lanes: hardware.nvlink5_lanes, links: hardware.nvlink5_links},
    expect=hardware.b200_nvlink,
    rtol=1e-12,
    source="the data sheet, one direction",
)
token_exchange = Example(all_to_all, {n: "4 kB", p: "64", alpha: "2 µs", beta: "50 GB/s"}, unit="µs")

DEAL = {p: facts.page_ranks, alpha: facts.page_latency, beta: hardware.ndr_port, n: "25 MB"}
page_one = Example(root_all_reduce, SYNC, unit="h")
page_all = Example(least_bytes, {n: facts.page_gradients, p: facts.page_ranks}, unit="TB")
page_sent = Example(ring_sent, {n: facts.page_gradients, p: facts.page_ranks})
page_faster = Example(ring, {**SYNC, beta: hardware.xdr_port}, unit="s")
page_switch = Example(switch, {x: SYNC[x] for x in (n, alpha, beta)}, unit="s")
two_nodes_sent = Example(levels_sent, {G: "8", M: "2"}, unit="%")
many_nodes_sent = Example(levels_sent, {G: "8", M: "128"}, unit="%")
page_rails = Example(rails, {**LEVELS, n: facts.page_gradients, M: "128"}, unit="s")
deal_ring = Example(ring, DEAL)
deal_tree = Example(tree, DEAL)
deal_trees = Example(two_trees, DEAL)
deal_bound = Example(least_time, {x: DEAL[x] for x in (n, p, beta)})
deal_bus = Example(bus_of_ring, DEAL)
tie_ring = Example(ring, {**DEAL, n: "2.57 GB"}, unit="ms")
tie_trees = Example(two_trees, {**DEAL, n: "2.57 GB"}, unit="ms")
lab_eight_rings = Example(rails, {**LEVELS, n: "350 GB", M: "128"}, unit="s")
enough_bucket = Example(bucket_needed, {**CROSS, r: "1.1"}, unit="GB")
message_page = Example(half_size, {alpha: facts.page_latency, beta: hardware.ndr_port})
three_memory = Example(ring_with_reduction, {**SYNC, gamma: "0.9 ps/B"})
processor_adds = Example(ring_with_reduction, {**SYNC, gamma: "50 ps/B"})
sharp_algorithm = Example(algorithm_from_bus, {W: facts.sharp_bus, p: "8"})
upgrade_four = Example(upgrade_at_best, {u: "4"})
upgrade_long = Example(upgrade, {t_c: "60 s", t: page_ring, u: "4"}, digits=2)
layer_exchange = Example(all_to_all, {n: "140 GB", p: "64", alpha: "2 µs", beta: "50 GB/s"})
token_ring = Example(ring, {n: "4 kB", p: "64", alpha: "2 µs", beta: "50 GB/s"}, unit="µs")

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
