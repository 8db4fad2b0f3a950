"""The page of first equations: what `Mathematical Foundations` prints, and what it is when computed."""

from sympy import sqrt

from mathcore import Max

from mathcore.teaching import Claim
from mathcore.chapters import (
    audit_costs,
    collectives,
    effective_time,
    energy,
    goodput,
    hardware,
    models,
    ownership,
    parallelism,
    reliability,
    roofline,
    serving,
    sites,
    training,
    young_daly,
)

PAGE = {"source": "mlsysim_foundations"}

# --- 1 roofline -------------------------------------------------------------------------------

CHIP = {roofline.P: "989 TFLOP/s", roofline.b: "3.35 TB/s"}
LAYER = {roofline.D: "2048", roofline.F: "512", roofline.a: "2 B", roofline.w: "2 B", roofline.o: "2 B"}

kernel_time = Claim(
    "a kernel takes the longer of computing and reading, and the launch on top",
    Max(roofline.W / (roofline.P * roofline.eta), roofline.Q / roofline.b) + roofline.t_d,
    roofline.kernel_time,
    {**CHIP, roofline.W: "2 TFLOP", roofline.Q: "1 GB", roofline.eta: "0.5", roofline.t_d: "0.01 ms"},
    **PAGE,
    at="section 1.1, formula",
)
training_efficiency = Claim(
    "training reaches 25 to 55 % of the peak: a published large run lies within",
    "25..55 %",
    models.palm_mfu,
    **PAGE,
    at="section 1.1, table",
)
inference_efficiency = Claim(
    "inference reaches about 35 % of the peak",
    "~35 %",
    None,
    **PAGE,
    at="section 1.1, table",
    because="phase and batch are missing: one token of a 70B model at batch one uses 0.3 % of the peak, a long prompt half of it",
)
dispatch = Claim(
    "launching a kernel costs 0.01 to 0.1 ms",
    "0.01..0.1 ms",
    None,
    **PAGE,
    at="section 1.1, table",
    because="no measurement is named; it depends on driver, framework and whether launches are recorded as a graph",
)
intensity = Claim(
    "arithmetic intensity is work over bytes",
    roofline.W / roofline.Q,
    roofline.intensity,
    {roofline.W: "2 TFLOP", roofline.Q: "1 GB"},
    **PAGE,
    at="section 1.2, formula",
)
ridge = Claim(
    "the ridge is the peak over the bandwidth",
    roofline.P / roofline.b,
    roofline.ridge,
    CHIP,
    **PAGE,
    at="section 1.2, formula",
)
dense_work = Claim(
    "a dense layer from 2,048 to 512 needs 2.1 million operations for one input",
    "2.1 MFLOP",
    roofline.product_work,
    {roofline.B: "1", **LAYER},
    **PAGE,
    at="section 1, worked example",
)
dense_bytes = Claim(
    "its weights take 2.1 MB in FP16",
    "2.1 MB",
    "2048 * 512 * 2[B]",
    **PAGE,
    at="section 1, worked example",
)
dense_intensity = Claim(
    "its intensity at batch one is 1 FLOP per byte",
    "1 FLOP/B",
    roofline.product_intensity,
    {roofline.B: "1", **LAYER},
    **PAGE,
    at="section 1, worked example",
)
h100_peak = Claim(
    "an H100 computes 989 TFLOP/s in 16-bit",
    "989 TFLOP/s",
    hardware.h100_bf16,
    **PAGE,
    at="section 1, worked example",
)
h100_bandwidth = Claim(
    "an H100 reads 3.35 TB/s",
    "3.35 TB/s",
    hardware.h100_hbm_bandwidth,
    **PAGE,
    at="section 1, worked example",
)
h100_ridge = Claim(
    "the ridge of an H100 lies at about 296 FLOP per byte",
    "~296 FLOP/B",
    roofline.ridge,
    CHIP,
    **PAGE,
    at="section 1, worked example",
)
dense_share = Claim(
    "at batch one the layer reaches less than 1 % of the peak",
    "<1 %",
    "(1[FLOP/B]) / (989[TFLOP/s] / (3.35[TB/s]))",
    **PAGE,
    at="section 1, worked example",
)
dense_batch = Claim(
    "a batch of 64 raises the intensity to about 64",
    "~64 FLOP/B",
    roofline.product_intensity,
    {roofline.B: "64", **LAYER},
    **PAGE,
    at="section 1, worked example",
    because="64 counts the weights alone; inputs and outputs of 64 rows are a seventh of all bytes by now",
    consequence="the layer stays memory-bound, at 19 % of the peak rather than 22 %",
)

# --- 2 distributed training -------------------------------------------------------------------

degree = Claim(
    "data parallelism takes what tensor, pipeline and expert parallelism leave",
    parallelism.N / (parallelism.t * parallelism.p * parallelism.e),
    parallelism.data_degree,
    {parallelism.N: "512", parallelism.t: "8", parallelism.p: "1", parallelism.e: "1"},
    **PAGE,
    at="section 2.1, formula",
)
scaling = Claim(
    "scaling efficiency is computing over computing plus all that is exposed",
    parallelism.t_c
    / (parallelism.t_c + parallelism.t_dp + parallelism.t_tp + parallelism.t_ep + parallelism.t_pp),
    parallelism.scaling_efficiency,
    {
        parallelism.t_c: "8 s",
        parallelism.t_dp: "1 s",
        parallelism.t_tp: "1 s",
        parallelism.t_ep: "0 s",
        parallelism.t_pp: "0 s",
    },
    **PAGE,
    at="section 2.2, formula",
)
worth_256 = Claim(
    "256 GPUs at 80 % do the work of about 205",
    "~205",
    parallelism.worth,
    {parallelism.N: "256", parallelism.eta: "80 %"},
    **PAGE,
    at="section 2.2",
)
efficiency_8 = Claim(
    "published scaling efficiency at 8 GPUs is about 95 %",
    "~95 %",
    None,
    **PAGE,
    at="section 2.2",
    because="no publication is named, nor whether the batch grows with the fleet",
)
efficiency_64 = Claim(
    "published scaling efficiency at 64 GPUs is about 85 %",
    "~85 %",
    None,
    **PAGE,
    at="section 2.2",
    because="no publication is named, nor whether the batch grows with the fleet",
)
efficiency_1024 = Claim(
    "published scaling efficiency at 1,024 GPUs is about 60 %",
    "~60 %",
    None,
    **PAGE,
    at="section 2.2",
    because="no publication is named; Megatron-LM reports no fall of its utilisation between 32 and 3,072 GPUs when the model grows along",
)
efficiency_8192 = Claim(
    "published scaling efficiency at 8,192 GPUs is about 40 %",
    "~40 %",
    None,
    **PAGE,
    at="section 2.2",
    because="no publication is named; about 40 % is the utilisation of the peak that Llama 3 reports there, which is another quantity",
    consequence="a loss inside each GPU is charged to the network",
)
NDR = {collectives.alpha: "2 µs", collectives.beta: "50 GB/s"}
SYNC = {**NDR, collectives.p: "1024", collectives.n: "140 GB"}
ring = Claim(
    "a ring takes 2(N−1) messages and 2(N−1)/N of the data over the bandwidth",
    2 * (collectives.p - 1) * collectives.alpha
    + 2 * (collectives.p - 1) / collectives.p * collectives.n / collectives.beta,
    collectives.ring,
    SYNC,
    **PAGE,
    at="section 2.3, formula",
)
ring_traffic = Claim(
    "each of many GPUs moves about twice the gradients",
    "~2",
    "2 * (1024 - 1) / 1024",
    **PAGE,
    at="section 2.3",
)
ring_traffic_small = Claim(
    "each GPU moves about twice the gradients, whatever the size of the cluster",
    "~2",
    "2 * (4 - 1) / 4",
    **PAGE,
    at="section 2.3",
    digits=2,
    because="twice is the limit for many: of four GPUs each moves 1.5 times the gradients, of two only once",
)
tree = Claim(
    "a tree sends all data down and up, once for each doubling of the ranks",
    collectives.tree.rhs,
    collectives.tree,
    SYNC,
    **PAGE,
    at="section 2.3, formula",
)
crossover = Claim(
    "ring and tree tie at messages of N α β",
    collectives.p * collectives.alpha * collectives.beta,
    collectives.ring_or_tree,
    {**NDR, collectives.p: "1024"},
    **PAGE,
    at="section 2.3",
    because="equating the page's own two times leaves a divisor of log2 N − 1, which was dropped: 9 at 1,024 ranks",
    consequence="between 11 and 102 MB the page picks the tree where its own ring is faster",
)
gradient = Claim(
    "a model of 70B has 140 GB of gradients in FP16",
    "140 GB",
    collectives.gradient_bytes,
    {collectives.Psi: "70e9", collectives.w: "2 B"},
    **PAGE,
    at="section 2.3, worked example",
)
ndr = Claim(
    "InfiniBand NDR carries 50 GB/s",
    "50 GB/s",
    hardware.ndr_port,
    **PAGE,
    at="section 2.3, worked example",
)
sync_bandwidth = Claim(
    "bandwidth costs 5.6 s in a ring of 1,024",
    "~5.6 s",
    "2 * 1023 / 1024 * 140[GB] / (50[GB/s])",
    **PAGE,
    at="section 2.3, worked example",
)
sync_latency = Claim(
    "latency costs 4 ms in a ring of 1,024",
    "~4 ms",
    "2 * 1023 * 2[µs]",
    **PAGE,
    at="section 2.3, worked example",
)
sync_total = Claim(
    "together 5.6 s",
    "~5.6 s",
    collectives.ring,
    SYNC,
    **PAGE,
    at="section 2.3, worked example",
)
ethernet = Claim(
    "Ethernet of 100 Gbit/s carries about 12 GB/s",
    "~12 GB/s",
    "100[Gbit/s]",
    **PAGE,
    at="section 2.3, worked example",
)
upgrade = Claim(
    "a faster link wins back 10 to 30 % of scaling efficiency",
    "10..30 %",
    None,
    **PAGE,
    at="section 2.3, worked example",
    because="it depends on the computing time of a step, which is not given; four times the bandwidth wins 34 points at most",
)
PIPE = {parallelism.p: "4", parallelism.m: "16"}
bubble = Claim(
    "the bubble is (P−1)/(VM+P−1) of the step",
    (parallelism.p - 1) / (parallelism.v * parallelism.m + parallelism.p - 1),
    parallelism.bubble_chunks,
    {**PIPE, parallelism.v: "2"},
    **PAGE,
    at="section 2.4, formula",
)
bubble_4_16 = Claim(
    "four stages and 16 micro-batches idle 15.8 %",
    "15.8 %",
    parallelism.bubble,
    PIPE,
    **PAGE,
    at="section 2.4, table",
)
bubble_4_16_2 = Claim(
    "with two chunks each they idle 8.6 %",
    "8.6 %",
    parallelism.bubble_chunks,
    {**PIPE, parallelism.v: "2"},
    **PAGE,
    at="section 2.4, table",
)
bubble_8_32 = Claim(
    "eight stages and 32 micro-batches idle 17.9 %",
    "17.9 %",
    parallelism.bubble,
    {parallelism.p: "8", parallelism.m: "32"},
    **PAGE,
    at="section 2.4, table",
)
bubble_16_16 = Claim(
    "sixteen stages and 16 micro-batches idle 48.4 %",
    "48.4 %",
    parallelism.bubble,
    {parallelism.p: "16", parallelism.m: "16"},
    **PAGE,
    at="section 2.4, table",
)
five_per_cent = Claim(
    "a bubble under 5 % needs 19(P−1) micro-batches",
    19 * (parallelism.p - 1),
    parallelism.five_per_cent,
    {parallelism.p: "8"},
    **PAGE,
    at="section 2.4",
)
interleaved = Claim(
    "two chunks cut the micro-batches needed in proportion",
    "2",
    "19 * (8 - 1) / (0.95 * (8 - 1) / (2 * 0.05))",
    **PAGE,
    at="section 2.4",
)
exchange = Claim(
    "an all-to-all takes N−1 messages and (N−1)/N of the data over the bandwidth",
    (collectives.p - 1) * collectives.alpha
    + (collectives.p - 1) / collectives.p * collectives.n / collectives.beta,
    collectives.exchange,
    {**NDR, collectives.p: "64", collectives.n: "1 MB"},
    **PAGE,
    at="section 2.5, formula",
)
small_message = Claim(
    "a message of 4 KB is bound by latency: its bytes take less than half of the time",
    "<50 %",
    "4[KiB] / (50[GB/s]) / (2[µs] + 4[KiB] / (50[GB/s]))",
    **PAGE,
    at="section 2.5",
)
large_message = Claim(
    "a sync of 140 GB is bound by bandwidth: its bytes take more than half of the time",
    ">50 %",
    "5.594[s] / (5.594[s] + 2046 * 2[µs])",
    **PAGE,
    at="section 2.5",
)

# --- 3 training -------------------------------------------------------------------------------

six = Claim(
    "training costs six operations for each parameter and token",
    6 * training.N * training.D * training.FLOP / training.token,
    training.compute,
    {training.N: "175e9", training.D: "300 Gtoken"},
    **PAGE,
    at="section 3, formula",
)
six_passes = Claim(
    "two operations in each of three passes make six",
    "6",
    "2 * 3",
    **PAGE,
    at="section 3",
)
training_time = Claim(
    "training time is 6PD over the rate that is reached",
    6 * training.N * training.D * training.FLOP / training.token / (training.n * training.P * training.u),
    training.time,
    {
        training.N: "175e9",
        training.D: "300 Gtoken",
        training.n: "1024 gpu",
        training.P: "312 TFLOP/s/gpu",
        training.u: "50 %",
    },
    **PAGE,
    at="section 3, formula",
)
gpt3_work = Claim(
    "GPT-3 on 300 billion tokens takes 3.15e23 operations",
    "3.15e23 FLOP",
    training.compute,
    {training.N: "175e9", training.D: "300 Gtoken"},
    **PAGE,
    at="section 3, worked example",
)
a100_peak = Claim(
    "an A100 computes 312 TFLOP/s in 16-bit",
    "312 TFLOP/s",
    hardware.a100_bf16,
    **PAGE,
    at="section 3, worked example",
)
gpt3_seconds = Claim(
    "1,024 A100 at half of the peak need 1.97 million seconds for it",
    "1.97e6 s",
    "3.15e23[FLOP] / (1024 * 312[TFLOP/s] * 0.5)",
    **PAGE,
    at="section 3, worked example",
)
gpt3_days = Claim(
    "that is 23 days",
    "~23 d",
    "3.15e23[FLOP] / (1024 * 312[TFLOP/s] * 0.5)",
    **PAGE,
    at="section 3, worked example",
)
gpt3_actual = Claim(
    "GPT-3's actual training took about 34 days",
    "~34 d",
    sites.gpt3_days,
    **PAGE,
    at="section 3, worked example",
    because="34 days is a projection for 1,024 A100 by the authors of Megatron-LM; GPT-3 was trained on 10,000 V100 in about 15 days",
)
gpt3_loss = Claim(
    "23 of 34 days fit a scaling efficiency of about 60 % at 1,024 GPUs",
    "~60 %",
    "22.82[d] / (34[d])",
    **PAGE,
    at="section 3, worked example",
    because="the quotient is 67 %; and the 34 days come from recomputing activations, eight operations for six, at 45 % of the peak: no network is in them",
    consequence="the difference says nothing about scaling: 3/4 for recomputation and 0.90 for the rate are all of it",
)

# --- 4 serving --------------------------------------------------------------------------------

ttft = Claim(
    "the first token takes 2PSB over the rate that is reached, and the launch",
    2
    * serving.N
    * serving.S_p
    * serving.B
    * serving.FLOP
    / serving.token
    / (serving.n * serving.P * serving.u)
    + serving.t_0,
    serving.prefill,
    {
        serving.N: "70e9",
        serving.S_p: "2048 token",
        serving.B: "1",
        serving.n: "2 gpu",
        serving.P: "989 TFLOP/s/gpu",
        serving.u: "50 %",
        serving.t_0: "0.1 ms",
    },
    **PAGE,
    at="section 4.1, formula",
)
multiply_add = Claim(
    "a multiply-accumulate counts as two operations",
    "2 FLOP",
    hardware.fma_work,
    **PAGE,
    at="section 4.1",
)
itl = Claim(
    "a decode step reads all weights and the whole cache once",
    (serving.N * serving.w + serving.kappa * serving.S * serving.B) / (serving.n * serving.beta),
    serving.step_memory,
    {
        serving.N: "70e9",
        serving.w: "2 B",
        serving.kappa: "327.68 kB/token",
        serving.S: "4096 token",
        serving.B: "1",
        serving.n: "2 gpu",
        serving.beta: "3.35 TB/s/gpu",
    },
    **PAGE,
    at="section 4.2, formula",
)
DECODE = "2 * 70e9[FLOP] / (989[TFLOP/s])"
READ = "140[GB] / (3.35[TB/s])"
decode_share = Claim(
    "at batch one computing takes about 3 % of the time",
    "~3 %",
    f"{DECODE} / ({DECODE} + {READ})",
    **PAGE,
    at="section 4.2",
    because="0.14 of 42 ms: a decimal place was lost",
    consequence="the case for batching is nine times stronger than stated",
)
read_share = Claim(
    "at batch one reading takes about 97 % of the time",
    "~97 %",
    f"{READ} / ({DECODE} + {READ})",
    **PAGE,
    at="section 4.2",
)
decode_compute = Claim(
    "computing one token of a 70B model takes 0.14 ms",
    "0.14 ms",
    DECODE,
    **PAGE,
    at="section 4.2, worked example",
)
decode_compute_share = Claim(
    "those 0.14 ms are 3 % of the step",
    "3 %",
    f"{DECODE} / ({DECODE} + {READ})",
    **PAGE,
    at="section 4.2, worked example",
    because="0.14 of 42 ms: a decimal place was lost",
)
llama_weights = Claim(
    "its weights take 140 GB in FP16",
    "140 GB",
    serving.weights,
    {serving.N: "70e9", serving.w: "2 B"},
    **PAGE,
    at="section 4.2, worked example",
)
decode_read = Claim(
    "reading 140 GB takes 41.8 ms",
    "41.8 ms",
    READ,
    **PAGE,
    at="section 4.2, worked example",
)
decode_read_share = Claim(
    "those 41.8 ms are 97 % of the step",
    "97 %",
    f"{READ} / ({DECODE} + {READ})",
    **PAGE,
    at="section 4.2, worked example",
    because="the complement of the lost decimal place: 99.7 %",
)
decode_device = Claim(
    "a model of 70B in FP16 decodes on one H100",
    "1",
    "ceil(140[GB] / hardware.h100_hbm)",
    **PAGE,
    at="section 4.2, worked example",
    digits=2,
    because="140 GB of weights do not fit into 80 GB; two are the least, and read twice as fast",
    consequence="42 ms and 24 tokens/s belong to no machine: two H100, the least that hold the weights, read them in 21 ms",
)
decode_total = Claim(
    "one token takes about 42 ms",
    "~42 ms",
    READ,
    **PAGE,
    at="section 4.2, worked example",
)
decode_rate = Claim(
    "that is about 24 tokens a second",
    "~24 token/s",
    "1[token] / (140[GB] / (3.35[TB/s]))",
    **PAGE,
    at="section 4.2, worked example",
)
compute_upgrade = Claim(
    "twice the compute makes decoding no faster",
    "0 %",
    f"max({DECODE}, {READ}) / max({DECODE} / 2, {READ}) - 1",
    **PAGE,
    at="section 4.2, worked example",
)
cache = Claim(
    "the cache takes 2 × layers × KV heads × head dimension × bytes for each token",
    2 * serving.l * serving.n_kv * serving.d * serving.e / serving.token,
    serving.cache_per_token,
    {serving.l: "80", serving.n_kv: "8", serving.d: "128", serving.e: "2 B"},
    **PAGE,
    at="section 4.3, formula",
)
kv_heads = Claim("Llama-3 70B has 8 KV heads", "8", models.llama31_70b_kv_heads, **PAGE, at="section 4.3")
query_heads = Claim("and 64 query heads", "64", models.llama31_70b_heads, **PAGE, at="section 4.3")
sharing = Claim(
    "so its cache is 8 times smaller",
    "8",
    "models.llama31_70b_heads / models.llama31_70b_kv_heads",
    **PAGE,
    at="section 4.3",
)
layers = Claim(
    "it has 80 layers", "80", models.llama31_70b_layers, **PAGE, at="section 4.3, worked example", digits=2
)
head_dim = Claim(
    "its heads have 128 dimensions",
    "128",
    models.llama31_70b_head_dim,
    **PAGE,
    at="section 4.3, worked example",
)
TOKEN_CACHE = "2 * 80 * 8 * 128 * 2[B]"
cache_token = Claim(
    "one token of cache takes 327 KB", "327 kB", TOKEN_CACHE, **PAGE, at="section 4.3, worked example"
)
cache_16 = Claim(
    "16 requests of 4,096 tokens take 21.5 GB of cache",
    "21.5 GB",
    f"{TOKEN_CACHE} * 16 * 4096",
    **PAGE,
    at="section 4.3, worked example",
)
cache_32 = Claim(
    "32 requests of 4,096 tokens take 43 GB of cache",
    "43 GB",
    f"{TOKEN_CACHE} * 32 * 4096",
    **PAGE,
    at="section 4.3, worked example",
)
weights_again = Claim(
    "the weights take 35 GB in FP16",
    "35 GB",
    "70e9 * 2[B]",
    **PAGE,
    at="section 4.3, worked example",
    because="35 GB are four bits a weight; in FP16 they are the 140 GB of section 4.2",
    consequence="the whole plan of the example is one for a quantised model",
)
memory_all = Claim(
    "weights and the cache of 32 requests take 78 GB",
    "78 GB",
    f"70e9 * 2[B] + {TOKEN_CACHE} * 32 * 4096",
    **PAGE,
    at="section 4.3, worked example",
    because="it repeats the 35 GB: with FP16 weights it is more than twice as much",
)
memory_fits = Claim(
    "that barely fits on one H100",
    "1",
    f"ceil((70e9 * 2[B] + {TOKEN_CACHE} * 32 * 4096) / hardware.h100_hbm)",
    **PAGE,
    at="section 4.3, worked example",
    digits=2,
    because="183 GB need three H100; with the weights in four bits the statement is right",
    consequence="no batch at all fits on one H100 in FP16",
)
memory_64 = Claim(
    "64 requests do not fit on one device, even with the weights in 35 GB",
    ">80 GB",
    f"35[GB] + {TOKEN_CACHE} * 64 * 4096",
    **PAGE,
    at="section 4.3, worked example",
)
serving_year = Claim(
    "50 million requests a day cost about 18 million dollars a year",
    "~18 MUSD",
    None,
    **PAGE,
    at="section 4.4",
    because="no price of a request is given; the sum needs a tenth of a cent for each of 18.25 billion",
)
serving_ratio = Claim(
    "serving costs 9 times the training in the first year",
    "9",
    "18[MUSD] / (2[MUSD])",
    **PAGE,
    at="section 4.4",
)

# --- 5 sustainability -------------------------------------------------------------------------

facility = Claim(
    "a facility draws the energy of its machines times the PUE",
    energy.E_I * energy.PUE,
    energy.facility_energy,
    {energy.E_I: "8602 kWh", energy.PUE: "1.2"},
    **PAGE,
    at="section 5.1, formula",
)
liquid = Claim(
    "large operators achieve a PUE of 1.05 to 1.10: one reports",
    "1.05..1.10",
    sites.pue_google,
    **PAGE,
    at="section 5.1",
)
air = Claim(
    "large operators with air cooling achieve a PUE of 1.4 to 1.6: one reports",
    "1.4..1.6",
    sites.pue_aws,
    **PAGE,
    at="section 5.1",
    because="the large operators report 1.08 to 1.18 for whole fleets, most of them cooled by air; 1.4 to 1.6 is what surveys of all data centres find",
)
pue_average = Claim(
    "the industry's average PUE is 1.58", "1.58", sites.pue_survey_2023, **PAGE, at="section 5.1"
)
overhead = Claim(
    "at 1.58, 37 % of the energy does not compute",
    "37 %",
    energy.overhead,
    {energy.PUE: "1.58"},
    **PAGE,
    at="section 5.1",
)
carbon = Claim(
    "emissions are energy times carbon intensity",
    energy.E * energy.c,
    energy.carbon_of_energy,
    {energy.E: "10322 kWh", energy.c: "20 g/kWh"},
    **PAGE,
    at="section 5.2, formula",
)
carbon_unit = Claim(
    "energy in kWh times intensity in g/kWh is carbon in kilograms",
    "1 kg",
    "1[kWh] * 1[g/kWh]",
    **PAGE,
    at="section 5.2",
    digits=3,
    consequence="the formula wants a division by 1,000, which the page's own table does make",
)
it_energy = Claim(
    "64 GPUs of 400 W use 8,602 kWh in 336 hours",
    "8602 kWh",
    "64 * 400[W] * 336[h]",
    **PAGE,
    at="section 5.2, worked example",
)
all_energy = Claim(
    "with a PUE of 1.2 that is 10,322 kWh",
    "10322 kWh",
    "64 * 400[W] * 336[h] * 1.2",
    **PAGE,
    at="section 5.2, worked example",
)
RUN = "64 * 400[W] * 336[h] * 1.2"
quebec = Claim(
    "at 20 g/kWh the run emits 206 kg",
    "206 kg",
    f"{RUN} * 20[g/kWh]",
    **PAGE,
    at="section 5.2, worked example, Quebec",
)
united_states = Claim(
    "at 429 g/kWh the run emits 4,428 kg",
    "4428 kg",
    f"{RUN} * 429[g/kWh]",
    **PAGE,
    at="section 5.2, worked example, United States",
)
poland = Claim(
    "at 820 g/kWh the run emits 8,464 kg",
    "8464 kg",
    f"{RUN} * 820[g/kWh]",
    **PAGE,
    at="section 5.2, worked example, Poland",
)
quebec_grid = Claim(
    "Quebec's grid emits 20 g/kWh",
    "20 g/kWh",
    None,
    **PAGE,
    at="section 5.2, worked example, Quebec",
    because="neither year nor method is named; figures for hydropower run from under 2 g (operation) to over 20 g (whole life)",
)
us_grid = Claim(
    "the grid of the United States emits 429 g/kWh on average",
    "429 g/kWh",
    sites.gpt3_intensity,
    **PAGE,
    at="section 5.2, worked example, United States",
)
poland_grid = Claim(
    "Poland's grid emits 820 g/kWh",
    "820 g/kWh",
    sites.grid_poland,
    **PAGE,
    at="section 5.2, worked example, Poland",
    because="820 is the usual figure for electricity from coal alone, over its whole life; the country's mix lies below it",
)
grids = Claim(
    "between two grids lies a factor of about 41",
    "~41",
    "820[g/kWh] / (20[g/kWh])",
    **PAGE,
    at="section 5.2, worked example",
)
better_hardware = Claim(
    "choosing hardware saves another factor of 5",
    "5",
    None,
    **PAGE,
    at="section 5.2, worked example",
    because="no two devices are named; an H100 computes 1.8 times as much for each joule of its limit as an A100",
)
fewer_bits = Claim(
    "quantisation saves another factor of 4",
    "4",
    None,
    **PAGE,
    at="section 5.2, worked example",
    because="four bits for sixteen save it in bytes while serving; for the training run of the example nothing is shown",
)
levers = Claim(
    "41, 5 and 4 together make up to 800",
    "800",
    "41 * 5 * 4",
    **PAGE,
    at="section 5.2, worked example",
)

# --- 6 ownership ------------------------------------------------------------------------------

tco = Claim(
    "a year costs the price over the years, the power bill and the upkeep",
    audit_costs.K / audit_costs.T_L
    + audit_costs.PUE * audit_costs.k * audit_costs.p
    + audit_costs.K * audit_costs.r_m,
    audit_costs.hour_cost,
    audit_costs.HOUR,
    **PAGE,
    at="section 6, formula",
)
owned_year = Claim(
    "a server of 350,000 dollars costs about 122,000 a year: the three years alone",
    "~122 kUSD",
    "350[kUSD] / 3",
    **PAGE,
    at="section 6, worked example, own",
    digits=3,
)
cloud_year = Claim(
    "eight GPUs at 4 dollars and 80 % cost about 224,000 dollars a year",
    "~224 kUSD/year",
    ownership.server_year,
    {ownership.N: "8 gpu", ownership.c_s: "4 USD/(gpu h)", ownership.u: "80 %"},
    **PAGE,
    at="section 6, worked example, cloud",
)
owned_hour = Claim(
    "122,000 dollars a year are about 2.40 dollars for each hour used, at 80 %",
    "~2.40 USD/(gpu h)",
    ownership.server_hour,
    {ownership.N: "8 gpu", ownership.Y: "122 kUSD/year", ownership.u: "80 %"},
    **PAGE,
    at="section 6, worked example, own",
    because="the row above says 80 %; 2.40 would belong to 72 %",
)
cloud_hour = Claim(
    "224,000 dollars a year are about 4 dollars an hour",
    "~4.00 USD/(gpu h)",
    ownership.server_hour,
    {ownership.N: "8 gpu", ownership.Y: "224 kUSD/year", ownership.u: "80 %"},
    **PAGE,
    at="section 6, worked example, cloud",
)
break_even = Claim(
    "owning pays from a utilisation of about 55 %",
    "~55 %",
    ownership.server_break_even,
    {ownership.N: "8 gpu", ownership.Y: "122 kUSD/year", ownership.q: "4 USD/(gpu h)"},
    **PAGE,
    at="section 6, worked example",
    because="the table's own 122,000 over 280,512 dollars of rent at full use",
    consequence="owning pays from 43 % on: between 43 and 55 % the page advises the dearer choice",
)
owned_low = Claim(
    "at 20 % an owned GPU costs about 6 dollars for each hour used",
    "~6 USD/(gpu h)",
    ownership.server_hour,
    {ownership.N: "8 gpu", ownership.Y: "122 kUSD/year", ownership.u: "20 %"},
    **PAGE,
    at="section 6, worked example",
    because="a quarter of the use makes four times the price of 2.17, as the page's costs do not depend on use",
    consequence="more than twice the cloud's price, not one and a half times",
)
generation = Claim(
    "an H100 delivers 6.3 times the TFLOP/s of an A100",
    "6.3",
    "hardware.h100_bf16 / hardware.a100_bf16",
    **PAGE,
    at="section 6, worked example",
    because="twice too many: the sparse peak (or FP8) of the one against the dense 16-bit peak of the other",
    consequence="at more than 3.2 times the price of an A100 hour, the H100 is the dearer operation",
)

# --- 7 reliability ----------------------------------------------------------------------------

mtbf = Claim(
    "the MTBF of a cluster is that of a component over their number",
    reliability.m / reliability.N,
    reliability.cluster_mtbf,
    {reliability.m: "50000 gpu h", reliability.N: "1000 gpu"},
    **PAGE,
    at="section 7.1, formula",
)
mtbf_8 = Claim(
    "8 GPUs fail every 8 months or so",
    "~8",
    "50000[gpu h] / 8[gpu] / 730.5[h]",
    **PAGE,
    at="section 7.1, table",
)
mtbf_1000 = Claim(
    "1,000 GPUs fail every 50 hours", "50 h", "50000[gpu h] / 1000[gpu]", **PAGE, at="section 7.1, table"
)
mtbf_10000 = Claim(
    "10,000 GPUs fail every 5 hours", "5 h", "50000[gpu h] / 10000[gpu]", **PAGE, at="section 7.1, table"
)
mtbf_16000 = Claim(
    "16,000 GPUs fail about every 3 hours",
    "~3 h",
    "50000[gpu h] / 16000[gpu]",
    **PAGE,
    at="section 7.1, table",
)
llama_failures = Claim(
    "Llama 3 saw 419 failures", "419", young_daly.llama_failures, **PAGE, at="section 7.1, table"
)
llama_time = Claim("in 54 days", "54 d", young_daly.llama_time, **PAGE, at="section 7.1, table")
llama_mtbf = Claim(
    "which is one about every 3 hours",
    "~3 h",
    "young_daly.llama_time / young_daly.llama_failures",
    **PAGE,
    at="section 7.1, table",
)
CASE = {young_daly.C: "2 min", young_daly.M: "180 min"}
interval = Claim(
    "the best interval is the root of twice write time and MTBF",
    sqrt(2 * young_daly.C * young_daly.M),
    young_daly.interval,
    CASE,
    **PAGE,
    at="section 7.2, formula",
)
waste = Claim(
    "waste is δ/(2τ) for writes and τ/(2M) for lost work",
    young_daly.C / (2 * young_daly.tau) + young_daly.tau / (2 * young_daly.M),
    young_daly.waste,
    {**CASE, young_daly.tau: "26.83 min"},
    **PAGE,
    at="section 7.3, formula",
    because="every interval pays its whole write; only lost work is half an interval on average",
    consequence="the printed waste is smallest at √(δM), not at the interval of section 7.2",
)
minimum = Claim(
    "that waste is smallest at the interval of section 7.2",
    sqrt(2 * young_daly.C * young_daly.M),
    young_daly.printed_minimum,
    CASE,
    **PAGE,
    at="section 7.3",
    because="setting the derivative of the printed waste to zero gives √(δM): 19 rather than 27 minutes",
    consequence="interval and waste of the page contradict each other; the interval is the right one",
)
equal_terms = Claim(
    "at the best interval both terms of that waste are equal",
    "1",
    "2[min] / (2 * 26.83[min]) / (26.83[min] / (2 * 180[min]))",
    **PAGE,
    at="section 7.3",
    digits=2,
    because="so they are in the right waste; of the printed one the first is half of the second",
)
llama_interval = Claim(
    "a write of 2 min and an MTBF of 180 min ask for 27 minutes",
    "~27 min",
    young_daly.interval,
    CASE,
    **PAGE,
    at="section 7, worked example",
)
llama_case = Claim(
    "16,384 GPUs fail every 180 minutes",
    "180 min",
    "50000[gpu h] / 16384[gpu]",
    **PAGE,
    at="section 7, worked example",
)
llama_10 = Claim(
    "checkpoints every 10 minutes cost 17 %",
    "17 %",
    young_daly.waste,
    {**CASE, young_daly.tau: "10 min"},
    **PAGE,
    at="section 7, worked example, table",
    because="17 % is the writes alone, 2 of 12 minutes; lost work adds 3 %, and the printed formula gives 13 %",
)
llama_27 = Claim(
    "checkpoints every 27 minutes cost 7 %",
    "7 %",
    young_daly.waste,
    {**CASE, young_daly.tau: "27 min"},
    **PAGE,
    at="section 7, worked example, table",
    because="7 % is the writes alone; as much again is lost to failures",
    consequence="even at the best interval a seventh of the time is gone",
)
llama_60 = Claim(
    "checkpoints every 60 minutes cost 15 %",
    "15 %",
    young_daly.waste,
    {**CASE, young_daly.tau: "60 min"},
    **PAGE,
    at="section 7, worked example, table",
    because="3 % for writes and 17 % for lost work; neither the right formula nor the printed one (18 %) gives 15",
)
llama_bill = Claim(
    "of 10 million dollars a month that costs 700,000",
    "700 kUSD",
    young_daly.wasted_bill,
    {young_daly.B: "10 MUSD", young_daly.w_1: "14.907 %"},
    **PAGE,
    at="section 7, worked example",
    because="it repeats the 7 %; with both terms 15 % come on top of the useful time, which is 13 % of the bill",
    consequence="the loss is 1.3 million dollars a month",
)
asynchronous = Claim(
    "asynchronous checkpoints bring the overhead to about 3 %",
    "~3 %",
    None,
    **PAGE,
    at="section 7, worked example",
    because="neither the stall of a write nor the interval is given; work lost to failures is 7 % at 27 minutes however the write is hidden",
)

# --- 8 failure probability --------------------------------------------------------------------

chance = Claim(
    "the chance of a failure is 1 − exp(−T/MTBF)",
    reliability.failure_chance.rhs,
    reliability.failure_chance,
    {reliability.t: "30 d", reliability.M: "5 h"},
    **PAGE,
    at="section 8, formula",
)
chance_run = Claim(
    "thirty days at an MTBF of 5 hours bring a failure with probability 1.0",
    "~1.0",
    reliability.failure_chance,
    {reliability.t: "30 d", reliability.M: "5 h"},
    **PAGE,
    at="section 8",
)

# --- 9 effective operations -------------------------------------------------------------------

cascade = Claim(
    "useful operations are the peak times utilisation, scaling efficiency and goodput",
    goodput.N * goodput.P * goodput.U * goodput.eta * goodput.G,
    goodput.cascade,
    {
        goodput.N: "1024 gpu",
        goodput.P: "989 TFLOP/s/gpu",
        goodput.U: "0.5",
        goodput.eta: "0.85",
        goodput.G: "0.97",
    },
    **PAGE,
    at="section 9, formula",
)
typical_mfu = Claim(
    "large trainings reach an MFU of 0.3 to 0.5: Llama 3 reports",
    "0.3..0.5",
    models.llama31_mfu,
    **PAGE,
    at="section 9",
)
typical_scaling = Claim(
    "large trainings reach a scaling efficiency of 0.4 to 0.85",
    "0.4..0.85",
    None,
    **PAGE,
    at="section 9",
    because="no source is named; and a published MFU of a fleet already contains its communication, so that it would count twice",
)
typical_goodput = Claim(
    "large trainings keep 0.85 to 0.97 of their time: Llama 3 reports at least",
    "0.85..0.97",
    effective_time.llama_effective,
    **PAGE,
    at="section 9",
)
low_end = Claim(
    "at the low ends a fleet delivers 10 % of its peak",
    "10 %",
    goodput.cascade_share,
    {goodput.U: "0.3", goodput.eta: "0.4", goodput.G: "0.85"},
    **PAGE,
    at="section 9",
    digits=2,
)
high_end = Claim(
    "at the high ends a fleet delivers 35 % of its peak",
    "35 %",
    goodput.cascade_share,
    {goodput.U: "0.5", goodput.eta: "0.85", goodput.G: "0.97"},
    **PAGE,
    at="section 9",
    because="the product of the page's three high ends is 41 %",
)
accuracy = Claim(
    "such models come within 15 to 30 % of measurements",
    "15..30 %",
    None,
    **PAGE,
    at="limitations",
    because="the comparison stands on another page; nothing here shows it",
)
