"""Models: the shapes of language models, the runs that trained them, and the laws fitted to such runs.

A shape is one row; each entry is a fact of its own, `llama31_8b_layers`, `llama31_8b_hidden`, …
All are counts. `vectors` and `last` count the weights of norms and biases in units of the width.
"""

import sys

from mathcore import Fact

# --- shapes --------------------------------------------------------------------------------

COLUMNS = {
    "layers": "layers",
    "hidden": "width of the residual stream",
    "heads": "query heads",
    "kv_heads": "key-value heads",
    "head_dim": "width of one head",
    "ffn": "width of the MLP",
    "matrices": "matrices of the MLP: 3 if it is gated, else 2",
    "vectors": "norm and bias weights of one layer, in widths",
    "last": "norm weights outside the layers, in widths",
    "vocabulary": "rows of the embedding, with padding",
    "tied": "1 if the output shares the embedding, else 0",
    "positions": "learned positions, 0 if they are computed",
}
READ, COPY, SEEN, TOLD = "primary", "primary-copy", "secondary", "memory"
HUB = {"kind": "measurement", "source": "huggingface_hub", "date": "2025", "certainty": SEEN}


def _shape(name, title, paper, numbers):
    """Declare `name_column` for every column, in the order of COLUMNS."""
    place = f"mathcore/chapters/models.py:{sys._getframe(1).f_lineno}"
    for (column, meaning), value in zip(COLUMNS.items(), numbers.split(), strict=True):
        globals()[f"{name}_{column}"] = Fact(value, f"{meaning}; {title}", kind="paper", where=place, **paper)


def of(name, letters):
    """Return `{letter: fact}` of one model, from `{letter: column}`."""
    return {letter: globals()[f"{name}_{column}"] for letter, column in letters.items()}


# where the shapes stand: READ in files of the authors, COPY and SEEN in others
GPT2 = {"source": "radford2019", "date": "2019", "certainty": SEEN}
GPT3 = {"source": "brown2020", "date": "2020", "certainty": SEEN}
OPT = {"source": "zhang2022", "date": "2022", "certainty": SEEN}
MTNLG = {"source": "smith2022", "date": "2022", "certainty": SEEN}
BLOOM = {"source": "bloom2022", "date": "2022", "certainty": SEEN}
PALM = {"source": "palm2022", "date": "2022", "certainty": SEEN}
PYTHIA = {"source": "biderman2023", "date": "2023", "certainty": READ}
LLAMA2 = {"source": "llama2", "date": "2023", "certainty": SEEN}
MISTRAL = {"source": "mistral2023", "date": "2023", "certainty": SEEN}
FALCON = {"source": "falcon2023", "date": "2023", "certainty": SEEN}
LLAMA3 = {"source": "llama3", "date": "2024", "certainty": READ}
OLMO = {"source": "olmo2", "date": "2024", "certainty": READ}
SMOLLM = {"source": "smollm3", "date": "2025", "certainty": COPY}

# layers hidden heads kv_heads head_dim ffn | matrices vectors last | vocabulary tied positions
_shape("gpt2_small", "GPT-2 small", GPT2, "12 768 12 12 64 3072   2 13 2   50257 1 1024")
_shape("gpt2_xl", "GPT-2 XL", GPT2, "48 1600 25 25 64 6400   2 13 2   50257 1 1024")
_shape("gpt3_175b", "GPT-3", GPT3, "96 12288 96 96 128 49152   2 13 2   50257 1 2048")
_shape("opt_13b", "OPT-13B", OPT, "40 5120 40 40 128 20480   2 13 2   50272 1 2050")
_shape("mtnlg_530b", "MT-NLG", MTNLG, "105 20480 128 128 160 81920   2 13 2   51200 1 2048")
_shape("bloom_176b", "BLOOM", BLOOM, "70 14336 112 112 128 57344   2 13 4   250880 1 0")
_shape("palm_540b", "PaLM", PALM, "118 18432 48 1 256 73728   3 1 1   256000 1 0")
_shape("pythia_70m", "Pythia 70M", PYTHIA, "6 512 8 8 64 2048   2 13 2   50304 0 0")
_shape("pythia_410m", "Pythia 410M", PYTHIA, "24 1024 16 16 64 4096   2 13 2   50304 0 0")
_shape("pythia_2b8", "Pythia 2.8B", PYTHIA, "32 2560 32 32 80 10240   2 13 2   50304 0 0")
_shape("pythia_12b", "Pythia 12B", PYTHIA, "36 5120 40 40 128 20480   2 13 2   50688 0 0")
_shape("llama2_7b", "Llama 2 7B", LLAMA2, "32 4096 32 32 128 11008   3 2 1   32000 0 0")
_shape("llama2_13b", "Llama 2 13B", LLAMA2, "40 5120 40 40 128 13824   3 2 1   32000 0 0")
_shape("llama2_70b", "Llama 2 70B", LLAMA2, "80 8192 64 8 128 28672   3 2 1   32000 0 0")
_shape("mistral_7b", "Mistral 7B", MISTRAL, "32 4096 32 8 128 14336   3 2 1   32000 0 0")
_shape("falcon_180b", "Falcon 180B", FALCON, "80 14848 232 8 64 59392   2 4 2   65024 0 0")
_shape("llama31_8b", "Llama 3.1 8B", LLAMA3, "32 4096 32 8 128 14336   3 2 1   128256 0 0")
_shape("llama31_70b", "Llama 3.1 70B", LLAMA3, "80 8192 64 8 128 28672   3 2 1   128256 0 0")
_shape("llama31_405b", "Llama 3.1 405B", LLAMA3, "126 16384 128 8 128 53248   3 2 1   128256 0 0")
_shape("olmo2_7b", "OLMo 2 7B", OLMO, "32 4096 32 32 128 11008   3 4 1   100352 0 0")
_shape("olmo2_13b", "OLMo 2 13B", OLMO, "40 5120 40 40 128 13824   3 4 1   100352 0 0")
_shape("smollm3_3b", "SmolLM3 3B", SMOLLM, "36 2048 16 4 128 11008   3 2 1   128256 1 0")

# --- how many parameters they say they have ------------------------------------------------

ALL = "every weight once"
KNOWN = {"kind": "measurement", "source": "huggingface_hub", "date": "2025", "certainty": TOLD}
gpt2_small_parameters = Fact("124439808", "parameters of GPT-2 small", qualifier=ALL, **KNOWN)
gpt2_xl_parameters = Fact("1557611200", "parameters of GPT-2 XL", qualifier=ALL, **KNOWN)
gpt3_175b_parameters = Fact(
    "174.6e9",
    "parameters of GPT-3",
    kind="paper",
    source="brown2020",
    at="Table D.1",
    date="2020",
    qualifier="rounded to 100 million",
)
palm_540b_parameters = Fact(
    "540.35e9",
    "parameters of PaLM",
    kind="paper",
    source="palm2022",
    at="Table 1",
    date="2022",
    certainty=SEEN,
    qualifier="rounded to 10 million",
)
mistral_7b_parameters = Fact("7241732096", "parameters of Mistral 7B", qualifier=ALL, **KNOWN)
falcon_180b_parameters = Fact("179522565120", "parameters of Falcon 180B", qualifier=ALL, **HUB)
llama31_8b_parameters = Fact("8030261248", "parameters of Llama 3.1 8B", qualifier=ALL, **HUB)
llama31_70b_parameters = Fact("70553706496", "parameters of Llama 3.1 70B", qualifier=ALL, **HUB)
llama31_405b_parameters = Fact("405853388800", "parameters of Llama 3.1 405B", qualifier=ALL, **HUB)
olmo2_13b_parameters = Fact("13716198400", "parameters of OLMo 2 13B", qualifier=ALL, **HUB)
smollm3_3b_parameters = Fact("3075098624", "parameters of SmolLM3 3B", qualifier=ALL, **HUB)

# --- DeepSeek-V3: latent attention and experts ---------------------------------------------

DEEPSEEK = {"kind": "paper", "source": "deepseekv3", "date": "2024", "certainty": READ}
deepseek_v3_layers = Fact("61", "layers of DeepSeek-V3", at="config_671B.json", **DEEPSEEK)
deepseek_v3_heads = Fact("128", "query heads of DeepSeek-V3", at="config_671B.json", **DEEPSEEK)
deepseek_v3_head_dim = Fact(
    "128",
    "width of one head of DeepSeek-V3",
    at="config_671B.json",
    qualifier="without rotary part",
    **DEEPSEEK,
)
deepseek_v3_latent = Fact(
    "512", "width of the latent vector that DeepSeek-V3 caches", at="config_671B.json", **DEEPSEEK
)
deepseek_v3_rotary = Fact(
    "64", "width of the rotary key that DeepSeek-V3 caches", at="config_671B.json", **DEEPSEEK
)
deepseek_v3_parameters = Fact(
    "671e9",
    "parameters of DeepSeek-V3",
    qualifier="all experts, without the extra prediction module",
    **DEEPSEEK,
)
deepseek_v3_active = Fact(
    "37e9", "parameters of DeepSeek-V3 that work on one token", qualifier="active, not total", **DEEPSEEK
)
deepseek_v3_tokens = Fact("14.8e12 token", "tokens of DeepSeek-V3's pre-training", **DEEPSEEK)
deepseek_v3_hours = Fact(
    "2664000 gpu h",
    "device-hours of DeepSeek-V3's pre-training",
    qualifier="H800, pre-training only",
    **DEEPSEEK,
)
deepseek_v3_all_hours = Fact(
    "2788000 gpu h",
    "device-hours of DeepSeek-V3",
    qualifier="H800; pre-training, longer context and post-training, no trials",
    **DEEPSEEK,
)
TABLE_1 = DEEPSEEK | {"at": "Table 1", "certainty": SEEN}
deepseek_v3_rate = Fact(
    "2 USD/(gpu h)", "price DeepSeek takes for an H800", qualifier="assumed rent", **TABLE_1
)

INSIGHTS = {"kind": "paper", "source": "zhao2025", "date": "2025", "at": "Table 1", "certainty": TOLD}
deepseek_v3_cache = Fact(
    "70.272 kB/token", "cache of one token of DeepSeek-V3", qualifier="BF16, decimal", **INSIGHTS
)
llama31_405b_cache = Fact(
    "516.096 kB/token", "cache of one token of Llama 3.1 405B", qualifier="BF16, decimal", **INSIGHTS
)
opt_13b_cache = Fact(
    "800 KiB/token",
    "cache of one token of OPT-13B",
    kind="paper",
    source="kwon2023",
    at="section 3",
    date="2023",
    qualifier="FP16, binary kilobytes: the paper writes KB",
)

# --- runs ----------------------------------------------------------------------------------

GPT3_RUN = {"kind": "paper", "source": "brown2020", "date": "2020", "at": "Table D.1"}
gpt3_tokens = Fact("300e9 token", "tokens of GPT-3's training", **GPT3_RUN)
gpt3_compute = Fact("3.14e23 FLOP", "work of GPT-3's training", qualifier="model FLOPs", **GPT3_RUN)
gpt3_pf_days = Fact(
    "3640 PFLOP/s d",
    "work of GPT-3's training in petaflop/s-days",
    qualifier="a work, not a time",
    **GPT3_RUN,
)
PALM_RUN = {"kind": "paper", "source": "palm2022", "date": "2022", "certainty": SEEN}
palm_tokens = Fact("780e9 token", "tokens of PaLM's training", **PALM_RUN)
palm_devices = Fact("6144 gpu", "TPU v4 chips of PaLM's training", **PALM_RUN)
palm_peak = Fact(
    "275 TFLOP/s/gpu",
    "arithmetic peak of a TPU v4 chip in BF16",
    qualifier="dense, per chip",
    **PALM_RUN | {"kind": "datasheet", "source": "google_tpu"},
)
palm_throughput = Fact("238300 token/s", "throughput of PaLM's training", at="section 4.1", **PALM_RUN)
palm_mfu = Fact(
    "46.2 %", "MFU of PaLM's training", at="Table 3", qualifier="model FLOPs with attention", **PALM_RUN
)
palm_mfu_plain = Fact(
    "45.7 %", "MFU of PaLM's training, no attention", at="section 4.1", qualifier="6N per token", **PALM_RUN
)
palm_hfu = Fact(
    "57.8 %", "HFU of PaLM's training", at="section 4.1", qualifier="recomputed work counted", **PALM_RUN
)
GOPHER = {"kind": "paper", "source": "rae2021", "date": "2021", "certainty": SEEN}
gopher_parameters = Fact("280e9", "parameters of Gopher", **GOPHER)
gopher_tokens = Fact("300e9 token", "tokens of Gopher's training", **GOPHER)
CHINCHILLA = {"kind": "paper", "source": "hoffmann2022", "date": "2022"}
chinchilla_parameters = Fact("70e9", "parameters of Chinchilla", **CHINCHILLA)
chinchilla_tokens = Fact("1.4e12 token", "tokens of Chinchilla's training", **CHINCHILLA)
chinchilla_compute = Fact("5.76e23 FLOP", "budget of Gopher and Chinchilla", at="Table 3", **CHINCHILLA)
CARD31 = {"kind": "paper", "source": "llama31_card", "date": "2024", "certainty": READ}
llama31_8b_hours = Fact("1460000 gpu h", "device-hours of Llama 3.1 8B", qualifier="H100", **CARD31)
llama31_405b_hours = Fact("30840000 gpu h", "device-hours of Llama 3.1 405B", qualifier="H100", **CARD31)
LLAMA3_RUN = {"kind": "paper", "source": "llama3", "date": "2024", "certainty": SEEN}
llama31_tokens = Fact("15.6e12 token", "tokens of Llama 3.1 405B's training", **LLAMA3_RUN)
llama31_budget = Fact("3.8e25 FLOP", "budget of Llama 3.1 405B", at="section 3.2.1", **LLAMA3_RUN)
llama31_rate = Fact(
    "400 TFLOP/s/gpu",
    "rate of Llama 3.1 405B's training",
    at="Table 4",
    qualifier="model FLOPs, BF16, per device, 16,384 GPUs",
    **LLAMA3_RUN,
)
llama31_mfu = Fact(
    "41 %", "MFU of Llama 3.1 405B's training", at="Table 4", qualifier="BF16 dense", **LLAMA3_RUN
)
MEGASCALE = {"kind": "paper", "source": "megascale2024", "date": "2024", "at": "Table 2", "certainty": SEEN}
megascale_devices = Fact("12288 gpu", "A100 of MegaScale's largest run", **MEGASCALE)
megascale_throughput = Fact("1984000 token/s", "throughput of MegaScale's largest run", **MEGASCALE)
megascale_mfu = Fact(
    "55.2 %", "MFU of MegaScale's largest run", qualifier="model FLOPs with causal attention", **MEGASCALE
)
megascale_parameters = Fact("175e9", "parameters of MegaScale's model", **MEGASCALE)
MEGATRON = {"kind": "paper", "source": "narayanan2021", "date": "2021", "certainty": SEEN}
megatron_1t_rate = Fact(
    "163 TFLOP/s/gpu", "rate of Megatron's largest model", qualifier="hardware FLOPs, per device", **MEGATRON
)
smollm3_tokens = Fact(
    "11.2e12 token",
    "tokens of SmolLM3's pre-training",
    kind="paper",
    source="smollm3",
    date="2025",
    certainty=COPY,
)

# --- laws fitted to runs: L = E + A/N^alpha + B/D^beta -------------------------------------

FIT = {"kind": "paper", "source": "hoffmann2022", "date": "2022", "qualifier": "approach 3, as printed"}
hoffmann_A = Fact("406.4", "A of Hoffmann's law", **FIT)
hoffmann_B = Fact("410.7", "B of Hoffmann's law", **FIT)
hoffmann_alpha = Fact("0.34", "exponent of N in Hoffmann's law", **FIT)
hoffmann_beta = Fact("0.28", "exponent of D in Hoffmann's law", **FIT)
FINE = FIT | {"qualifier": "approach 3, unrounded, from the TeX source of the paper"}
hoffmann_fine_A = Fact("406.40102", "A of Hoffmann's law, unrounded: exp 6.0073404", **FINE)
hoffmann_fine_B = Fact("410.72283", "B of Hoffmann's law, unrounded: exp 6.0179186", **FINE)
hoffmann_fine_alpha = Fact("0.33917084", "exponent of N in Hoffmann's law, unrounded", **FINE)
hoffmann_fine_beta = Fact("0.2849083", "exponent of D in Hoffmann's law, unrounded", **FINE)
REFIT = {"kind": "paper", "source": "besiroglu2024", "date": "2024", "certainty": READ, "at": "notebook"}
besiroglu_A = Fact("482.01", "A of the refitted law", **REFIT)
besiroglu_B = Fact("2085.43", "B of the refitted law", **REFIT)
besiroglu_E = Fact("1.8172", "E of the refitted law, in nat for each token", **REFIT)
besiroglu_alpha = Fact("0.3478", "exponent of N in the refitted law", **REFIT)
besiroglu_beta = Fact("0.3658", "exponent of D in the refitted law", **REFIT)
SPREAD = REFIT | {"qualifier": "standard error, bootstrap of 4,000"}
besiroglu_alpha_error = Fact("0.0154", "uncertainty of alpha of the refitted law", **SPREAD)
besiroglu_beta_error = Fact("0.0206", "uncertainty of beta of the refitted law", **SPREAD)
besiroglu_exponent_error = Fact("0.02", "uncertainty of the exponent of the optimal size", **SPREAD)
muennighoff_half = Fact(
    "15.4",
    "repetitions after which more epochs fade",
    kind="paper",
    source="muennighoff2023",
    date="2023",
    certainty=TOLD,
)
