"""Papers and reports: well-known numbers that do or do not follow from their own inputs."""

from mathcore.teaching import Claim
from mathcore.chapters import (
    effective_time,
    models,
    roofline,
    scaling,
    speculation,
    training,
    training_memory,
    young_daly,
)

# --- checkpoints and failures -----------------------------------------------------------------

DUMP = {"source": "daly2006"}
daly_day = Claim(
    "dumps of 5 min at an MTBF of 24 h are best every 117 min",
    "117 min",
    young_daly.daly,
    {young_daly.C: "5 min", young_daly.M: "24 h"},
    **DUMP,
    at="caption of figure 3",
)
daly_shift = Claim(
    "dumps of 5 min at an MTBF of 6 h are best every 57 min",
    "57 min",
    young_daly.daly,
    {young_daly.C: "5 min", young_daly.M: "6 h"},
    **DUMP,
    at="caption of figure 4",
)
daly_quarter = Claim(
    "dumps of 5 min at an MTBF of 15 min are best every 9.1 min",
    "9.1 min",
    young_daly.daly,
    {young_daly.C: "5 min", young_daly.M: "15 min"},
    **DUMP,
    at="caption of figure 5",
)
llama_gpu_share = Claim(
    "148 faulty GPUs are 30.1 % of 419 interruptions",
    "30.1 %",
    "148 / 419",
    source="llama3",
    at="section 3.3.4, table of interruptions",
    because="the count is 35.3 %; the counts add up to 419, the printed shares only to 94.9 %, and this row's share is 5.2 points low",
    consequence="every third interruption is a faulty GPU, not three in ten",
)
llama_hbm_share = Claim(
    "72 failures of HBM3 are 17.2 % of them",
    "17.2 %",
    "72 / 419",
    source="llama3",
    at="section 3.3.4, table of interruptions",
)
llama_software_share = Claim(
    "54 bugs in software are 12.9 % of them",
    "12.9 %",
    "54 / 419",
    source="llama3",
    at="section 3.3.4, table of interruptions",
)
llama_all = Claim(
    "47 planned and 419 unplanned interruptions are 466",
    "466",
    "47 + 419",
    source="llama3",
    at="section 3.3.4",
)
RSC = {"source": "kokolis2025", "at": "projected failure times"}
rsc_16384 = Claim(
    "at 6.5 failures in 1,000 node-days, 16,384 GPUs fail every 1.8 h",
    "1.8 h",
    "8[gpu] / (16384[gpu] * 0.0065[1/d])",
    **RSC,
)
rsc_131072 = Claim("and 131,072 GPUs every 0.23 h", "0.23 h", "8[gpu] / (131072[gpu] * 0.0065[1/d])", **RSC)
rsc_ettr = Claim(
    "one failure in 1,000 node-days lets 12,000 GPUs reach an effective time of 0.9",
    "0.9",
    effective_time.kokolis_rate,
    source="kokolis2025",
    at="effective training time ratio",
    digits=2,
)
delta_ratio = Claim(
    "an A100 runs 3.2 times as long as an H100 between uncorrectable memory errors",
    "3.2",
    "283271[h] / (88768[h])",
    source="delta2025",
    at="comparison of the two generations",
)
opt_size = Claim(
    "992 files of 1.7 GB are a checkpoint of 1.6 TB",
    "1.6 TB",
    "992 * 1.7[GB]",
    source="metaseq_chronicles",
    at="27 % update",
)

# --- scaling laws -----------------------------------------------------------------------------

HOFFMANN = {"source": "hoffmann2022"}
chinchilla_exponent = Claim(
    "the fitted law makes the best size grow with work to the power of 0.46, from the printed exponents",
    "0.46",
    scaling.exponent,
    {scaling.alpha: "0.34", scaling.beta: "0.28"},
    **HOFFMANN,
    at="Table 2, approach 3",
    because="exponents rounded to two digits give 0.452; the unrounded ones 0.457",
)
chinchilla_interval = Claim(
    "that power lies between 0.454 and 0.455",
    "0.454..0.455",
    scaling.exponent,
    {scaling.alpha: models.hoffmann_fine_alpha, scaling.beta: models.hoffmann_fine_beta},
    **HOFFMANN,
    at="Table 2, approach 3",
    because="the authors' own unrounded exponents give 0.457, outside of it; a later fit finds an error of 0.02, forty times the half-width",
    consequence="the interval promises a certainty that the data do not hold",
)
chinchilla_tokens = Claim(
    "5.76e23 operations are best spent on 1.5 trillion tokens for 67 billion parameters",
    "1.5 Ttoken",
    scaling.tokens_of_budget,
    {scaling.C: "5.76e23 FLOP", scaling.N: "67e9"},
    **HOFFMANN,
    at="Table 3",
)
chinchilla_175 = Claim(
    "175 billion parameters and 12.0 trillion tokens take 1.26e24 operations",
    "1.26e24 FLOP",
    training.compute,
    {training.N: "175e9", training.D: "12 Ttoken"},
    **HOFFMANN,
    at="Table A3, approach 3",
    consequence="the row before it, for a smaller model, prints more work",
)
llama_tokens = Claim(
    "0.29 times work to the power of 0.53 makes 16.55 trillion tokens of 3.8e25 operations",
    "16.55 Ttoken",
    scaling.power_law,
    {scaling.C: "3.8e25 FLOP", scaling.kappa: "0.29", scaling.xi: "0.53"},
    source="llama3",
    at="section 3.2.1",
    because="two digits do not suffice in an exponent over 3.8·10²⁵: 0.538 gives what is printed",
    consequence="whoever uses the printed law trains on more than a third too few tokens",
)
llama_parameters = Claim(
    "3.8e25 operations on 16.55 trillion tokens are best spent by 402 billion parameters",
    "402e9",
    "3.8e25 / (6 * 16.55e12)",
    source="llama3",
    at="section 3.2.1",
    because="by 6ND the printed size and tokens take 4.0e25; the paper counts work in its own way or rounds the budget",
)
llama_budget = Claim(
    "405 billion parameters on 15.6 trillion tokens take 3.8e25 operations",
    "3.8e25 FLOP",
    training.compute,
    {training.N: "405e9", training.D: "15.6 Ttoken"},
    source="llama3",
    at="section 3.2",
)
llama_mfu = Claim(
    "400 TFLOP/s are an MFU of 41 %",
    "41 %",
    "400[TFLOP/s] / hardware.h100_bf16",
    source="llama3",
    at="section 3.3.2, Table 4",
)

# --- training ---------------------------------------------------------------------------------

gpt3_compute = Claim(
    "GPT-3 took 3.14e23 operations",
    "3.14e23 FLOP",
    training.compute,
    {training.N: "174.6e9", training.D: "300 Gtoken"},
    source="brown2020",
    at="Table D.1",
)
megatron_175 = Claim(
    "175 billion parameters on 300 billion tokens take 34 days on 1,024 A100 at 140 TFLOP/s",
    "34 d",
    training.time_recomputed,
    {
        training.N: "175e9",
        training.D: "300 Gtoken",
        training.n: "1024 gpu",
        training.X: "140 TFLOP/s/gpu",
    },
    source="narayanan2021",
    at="section 5.1",
)
megatron_1008 = Claim(
    "a trillion parameters on 450 billion tokens take 84 days on 3,072 A100 at 163 TFLOP/s",
    "84 d",
    training.time_recomputed,
    {
        training.N: "1008e9",
        training.D: "450 Gtoken",
        training.n: "3072 gpu",
        training.X: "163 TFLOP/s/gpu",
    },
    source="narayanan2021",
    at="section 5.1",
)
megascale_time = Claim(
    "300 billion tokens at 1.984 million a second take 1.75 days",
    "1.75 d",
    "300[Gtoken] / (1.984e6[token/s])",
    source="megascale2024",
    at="Table 2",
)
opt_rate = Claim(
    "4.3e23 operations in 33 days on 1,024 GPUs are 147 TFLOP/s each",
    "147 TFLOP/s",
    "4.3e23[FLOP] / (1024 * 33[d])",
    source="zhang2022",
    at="training setup",
)
deepseek_bill = Claim(
    "2.788 million hours at 2 dollars are 5.576 million dollars",
    "5.576 MUSD",
    "2.788e6[gpu h] * 2[USD/(gpu h)]",
    source="deepseekv3",
    at="Table 1",
)
ZERO = {
    training_memory.Psi: "7.5e9",
    training_memory.d: "64",
    training_memory.w_p: "2 B",
    training_memory.w_g: "2 B",
    training_memory.w_o: "12 B",
}
zero_1 = Claim(
    "sharding the optimizer of 7.5 billion parameters over 64 leaves 31.4 GB",
    "31.4 GB",
    training_memory.zero_stage_1,
    ZERO,
    source="rajbhandari2020",
    at="figure 1",
)
zero_2 = Claim(
    "sharding gradients too leaves 16.6 GB",
    "16.6 GB",
    training_memory.zero_stage_2,
    ZERO,
    source="rajbhandari2020",
    at="figure 1",
)
zero_3 = Claim(
    "sharding all leaves 1.9 GB",
    "1.9 GB",
    training_memory.zero_stage_3,
    ZERO,
    source="rajbhandari2020",
    at="figure 1",
)

# --- roofline and serving ---------------------------------------------------------------------

BOOK = {"source": "scaling_book", "at": "part 2, question 4"}
int8_crossover = Claim(
    "an INT8 product of 4,096 by 16,384 becomes compute-bound from a batch of 271",
    "271",
    roofline.crossover,
    {
        roofline.D: "4096",
        roofline.F: "16384",
        roofline.a: "1 B",
        roofline.w: "1 B",
        roofline.o: "1 B",
        roofline.P: "394 TFLOP/s",
        roofline.b: "810 GB/s",
    },
    **BOOK,
    because="weights, work and activations are rounded to two digits before the subtraction, which keeps their errors",
    consequence="the ridge is met 8 inputs earlier than printed; a reader who checks gets neither 271 nor the rule's 243",
)
v5e_rule = Claim(
    "weights in BF16 want a batch of 240 on a TPU v5e",
    "240",
    "197[TFLOP/s] / (820[GB/s]) * 1[B] / (1[FLOP])",
    source="scaling_book",
    at="part 1",
)
opt_cache = Claim(
    "OPT-13B caches 800 KB for a token, a KB of 1,024 bytes",
    "800 KiB",
    "2 * 40 * 5120 * 2[B]",
    source="kwon2023",
    at="section 3",
)
opt_cache_full = Claim(
    "2,048 tokens of it take 1.6 GB",
    "1.6 GB",
    "2 * 40 * 5120 * 2[B] * 2048",
    source="kwon2023",
    at="section 3",
)
speculative = Claim(
    "a draft of 7 tokens at an acceptance of 0.82 and a cost of 0.11 makes T5-large 2.5 times as fast",
    "2.5",
    speculation.speedup,
    {speculation.alpha: "0.82", speculation.gam: "7", speculation.c_d: "0.11"},
    source="leviathan2023",
    at="Table 4, expected",
)

# --- energy -----------------------------------------------------------------------------------

gpt3_carbon = Claim(
    "1,287 MWh at 429 g/kWh emit 552 t",
    "552 t",
    "1287[MWh] * 429[g/kWh]",
    source="patterson2021",
    at="Table 4",
)
bloom_carbon = Claim(
    "433,196 kWh at 57 g/kWh emit 24.69 t",
    "24.69 t",
    "433196[kWh] * 57[g/kWh]",
    source="luccioni2023",
    at="dynamic consumption",
)
bloom_total = Claim(
    "running, idling and making together emit 50.5 t",
    "50.5 t",
    "24.69[t] + 14.6[t] + 11.2[t]",
    source="luccioni2023",
    at="total",
)
llama_energy = Claim(
    "1,022,362 GPU-hours of 400 W at a PUE of 1.1 use 449 MWh",
    "449 MWh",
    "1022362[h] * 400[W] * 1.1",
    source="llama2023",
    at="Table 15",
)
olmo_small = Claim(
    "OLMo 2 7B used 157 MWh: the 131 of the other report times the PUE",
    "157 MWh",
    "sites.olmo7_energy * sites.olmo7_pue",
    source="morrison2025",
    at="table of trainings",
)
olmo_large = Claim(
    "OLMo 2 13B used 230 MWh: the 257 of the other report times the PUE",
    "230 MWh",
    "sites.olmo13_energy * sites.olmo13_pue",
    source="morrison2025",
    at="table of trainings",
    because="230 is 257 divided by 1.12; which of the two reports took the PUE the wrong way cannot be told from outside",
)
