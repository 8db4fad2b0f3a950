"""The Scale Illusion: what the lab on scaling and fleet costs prints, and what it is when computed.

What its instruments show is taken at the settings with which they open.
"""

from mathcore.teaching import Claim
from mathcore.chapters import collectives as net
from mathcore.chapters import hardware, models, ownership, sites, speedup
from mathcore.chapters.ownership import IDLE, NO_IDLE, OWN, POWER, PUE, RENT, K, T, delta, k, p, q, s, u
from mathcore.chapters.ownership import LAB as FLEET
from mathcore.chapters.speedup import C, E, F, N, P, S, U

LAB = {"source": "scale_illusion"}
WORK = {F: speedup.lab_work, U: speedup.lab_mfu}
LABS_PEAK = {**WORK, P: hardware.h100_bf16_sparse}
DENSE_PEAK = {**WORK, P: hardware.h100_bf16}
SLIDERS = {N: speedup.lab_devices, E: speedup.lab_efficiency, C: speedup.lab_overhead}
RING = {net.p: "1024", net.n: "350 GB", net.beta: net.lab_link}
RENTED = {**FLEET, **RENT}
OWNED = {**FLEET, **OWN, **POWER}
SPARSE = "the data sheet's figure with 2:4 sparsity; dense training has half of it"
BITS = "400 Gbit/s of an NDR port were read as gigabytes; HDR, which is named, has 200 Gbit/s"

# --- opening comment and header ---------------------------------------------------------------

fleet_invariant = Claim(
    "the speedup of N devices is below N",
    "<1000",
    speedup.lab_speedup,
    givens=SLIDERS,
    **LAB,
    at="opening comment; header badge",
)
communication_grows = Claim(
    "from 100 to 1,000 GPUs communication grows faster than the tenfold compute",
    ">10",
    "(999 / 1000) / (99 / 100)",
    **LAB,
    at="header; act I, reflection, option B",
    because="by the lab's own ring formula each port moves less than one per cent more; what shrinks is the computing beside it, and only if the batch stays",
    consequence="with a batch that grows along, the share of communication stays: size by itself is not the bottleneck",
)
failures_grow = Claim(
    "from 100 to 1,000 GPUs the chance of a failure grows faster than the tenfold compute",
    ">10",
    "(1 - exp(-24 * 1000 / 50000)) / (1 - exp(-24 * 100 / 50000))",
    **LAB,
    at="header",
    because="the rate of failures grows in proportion, and the chance of at least one, here for a day at 50,000 h per GPU, a little less",
)
million_fold = Claim(
    "from AlexNet to GPT-4 training compute grew ten-million-fold",
    "1e7",
    None,
    **LAB,
    at="recommended reading",
    because="no figure is given for AlexNet, and that for GPT-4 is an estimate without a source",
)

# --- cell 0: constants ------------------------------------------------------------------------

memory_bandwidth = Claim(
    "the memory of an H100 SXM delivers 3,350 GB/s",
    "3350 GB/s",
    hardware.h100_hbm_bandwidth,
    **LAB,
    at="cell 0; single-node card",
)
peak = Claim(
    "an H100 SXM has a peak of 1,979 TFLOP/s in FP16",
    "1979 TFLOP/s",
    hardware.h100_bf16,
    **LAB,
    at="cell 0; single-node card; act I, baseline",
    because=SPARSE,
    consequence="every training time of the first act doubles",
)
peak_sparse = Claim(
    "1,979 TFLOP/s stands in the data sheet",
    "1979 TFLOP/s",
    hardware.h100_bf16_sparse,
    **LAB,
    at="cell 0, source",
)
memory = Claim("an H100 has 80 GB", "80 GB", hardware.h100_hbm, **LAB, at="cell 0; single-node card")
tdp = Claim(
    "an H100 may draw 700 W", "700 W", hardware.h100_tdp, **LAB, at="cell 0; act II, framing and variables"
)
nvlink = Claim(
    "NVLink 4 has 900 GB/s, both directions together",
    "900 GB/s",
    "2 * hardware.h100_nvlink",
    **LAB,
    at="cell 0",
)
infiniband = Claim(
    "an InfiniBand HDR200 link carries 400 GB/s",
    "400 GB/s",
    hardware.hdr_port,
    **LAB,
    at="cell 0; fleet card",
    because=f"16 times too large: {BITS}",
    consequence="an all-reduce over it takes 16 times as long, half a minute instead of two seconds",
)
gpt4_work = Claim(
    "a model of GPT-4's size takes 2.2·10²⁴ FLOP to train",
    "2.2e24 FLOP",
    None,
    **LAB,
    at="cell 0; act I, baseline",
    because="its maker has published no figure, and no source is named; Llama 3 405B took 3.8·10²⁵, seventeen times as much",
)
effective = Claim(
    "at an MFU of 50 % an H100 delivers 989 TFLOP/s",
    "989 TFLOP/s",
    "0.5 * hardware.h100_bf16",
    **LAB,
    at="cell 0; act I, baseline",
    because="half of the sparse figure is all of the dense peak, against which MFU is counted; no training attains it, and the fastest matrix product that was found reaches 794.5",
)
effective_product = Claim(
    "half of 1,979 is 989.5", "989.5", "1979 * 0.50", **LAB, at="act I, baseline, first line"
)
mfu_real = Claim(
    "an MFU of 50 % is realistic",
    "50 %",
    models.megascale_mfu,
    **LAB,
    at="cell 0; act I, baseline",
    because="of the dense peak: 55 % for one published run, 41 % for another",
)

# --- act I: the message -----------------------------------------------------------------------

single_years = Claim(
    "one H100 would take roughly 71 years at 50 % MFU",
    "~71 year",
    speedup.single_time,
    givens=DENSE_PEAK,
    **LAB,
    at="act I, message; designer, single-GPU baseline",
    because=f"half of what it takes: {SPARSE}",
    consequence="141 years for one, 51 days for a thousand without any loss",
)
single_arithmetic = Claim(
    "2.2·10²⁴ operations at 989.5 TFLOP/s take 71 years of 365 days",
    "71",
    "2.2e24[FLOP] / 989.5[TFLOP/s] / 365[d]",
    **LAB,
    at="act I, baseline, third line",
)
cfo_months = Claim("0.45 years are 5.4 months", "5.4", "0.45 * 12", **LAB, at="act I, message")
cfo_hope = Claim(
    "with 1,000 H100 the training takes about 0.45 years",
    "~0.45 year",
    speedup.training_time,
    givens={**DENSE_PEAK, S: speedup.lab_gain},
    **LAB,
    at="act I, message",
    because="with the dense peak and the lab's own speedup of 320; the date that the lab holds up as an illusion is the realistic one",
    consequence="161 days: on the lab's own assumptions 5.4 months are realistic, and the linear hope would have been 51 days",
)
budget_buys = Claim(
    "10 million dollars buy 1,000 H100",
    "1000 gpu",
    speedup.affordable,
    digits=2,
    givens={speedup.K: speedup.lab_budget, speedup.p: sites.lab_price},
    **LAB,
    at="act I, message and baseline",
    because="4 times too large: at the lab's own 40,000 dollars of the second act they buy 250",
    consequence="the budget can hire the fleet for the run, but not buy it",
)
ideal_share = Claim("71 years over 1,000 are 0.071 years", "0.071", "71 / 1000", **LAB, at="act I, baseline")
ideal_days = Claim(
    "without any loss 1,000 GPUs take 26 days",
    "~26 d",
    speedup.training_time,
    givens={**LABS_PEAK, S: "1000"},
    **LAB,
    at="act I, baseline; designer card, from the lab's peak",
)

# --- act I: the options -----------------------------------------------------------------------

option_b = Claim(
    "80 % of 1,000 is a speedup of 800",
    "~800",
    speedup.lab_speedup,
    givens={N: speedup.lab_devices, E: "80 %", C: "0 %"},
    **LAB,
    at="act I, option B",
)
option_c = Claim(
    "a speedup of 200 on 1,000 GPUs is an efficiency of 20 %",
    "20 %",
    speedup.efficiency,
    givens={S: "200", N: "1000"},
    **LAB,
    at="act I, option C",
)
option_c_top = Claim(
    "a speedup of 400 on 1,000 GPUs is an efficiency of 40 %",
    "40 %",
    speedup.efficiency,
    givens={S: "400", N: "1000"},
    **LAB,
    at="act I, option C",
)
option_d = Claim(
    "a tenth of 1,000 is a speedup of 100",
    "~100",
    speedup.lab_speedup,
    givens={N: speedup.lab_devices, E: "10 %", C: "0 %"},
    **LAB,
    at="act I, option D",
)
realistic_speedup = Claim(
    "realistic for 1,000 GPUs is a speedup of 200 to 400",
    "200..400",
    "1000 * models.llama31_mfu / speedup.lab_mfu",
    **LAB,
    at="act I, option C (the right answer); takeaway 1",
    because="against a device with the lab's MFU of 50 %, Llama 3 ran at 82 % efficiency on 16 times as many, all communication counted, with a batch to match",
    consequence="option B, 800, is what well-built fleets attain; 200 to 400 is what a fixed small batch or a slow network leaves",
)
midpoint = Claim(
    "the middle of 200 to 400 is 300, or 30 % of 1,000",
    "300",
    "(200 + 400) / 2",
    **LAB,
    at="act I, overlay, code",
)

# --- act I: the explorer ----------------------------------------------------------------------

speedup_formula = Claim(
    "speedup is devices times parallel efficiency times what communication leaves",
    N * E * (1 - C),
    speedup.lab_speedup,
    givens=SLIDERS,
    **LAB,
    at="act I, explorer; governing equations",
)
shown_speedup = Claim(
    "1,000 GPUs at 40 % and 20 % have a speedup of 320",
    "320",
    speedup.lab_speedup,
    givens=SLIDERS,
    **LAB,
    at="act I, explorer",
)
share_of_what = Claim(
    "with communication of 20 % of the compute time the speedup is 320",
    "320",
    speedup.of_compute,
    givens=SLIDERS,
    **LAB,
    at="act I, slider text",
    digits=3,
    because="a share of computing divides by 1.2; the formula takes 20 % for a share of the whole step, as the list of letters has it",
)
unused_line = Claim(
    "actual speedup: one device's rate over the cluster's, times N",
    N / (N * E * (1 - C)),
    speedup.lab_speedup,
    givens=SLIDERS,
    **LAB,
    at="act I, explorer, code",
    because="the fraction is upside down: it gives 3.1, the loss; the next line has it right, and this one is not shown",
)
efficiency_definition = Claim(
    "scaling efficiency is speedup over devices",
    S / N,
    speedup.efficiency,
    givens={S: "320", N: "1000"},
    **LAB,
    at="act I, explorer; governing equations",
)
efficiency_formula = Claim(
    "scaling efficiency is parallel efficiency times what communication leaves",
    E * (1 - C),
    speedup.lab_scaling,
    givens={E: speedup.lab_efficiency, C: speedup.lab_overhead},
    **LAB,
    at="governing equations",
)
shown_efficiency = Claim(
    "that is a scaling efficiency of 32.0 %",
    "32.0 %",
    speedup.lab_scaling,
    givens={E: speedup.lab_efficiency, C: speedup.lab_overhead},
    **LAB,
    at="act I, explorer",
)
time_formula = Claim(
    "training time is work over the cluster's effective rate",
    F / (S * P * U),
    speedup.training_time,
    givens={**LABS_PEAK, S: "320"},
    **LAB,
    at="act I, explorer, code",
)
cluster_rate = Claim(
    "the cluster's rate is N devices at their own, times both losses",
    speedup.P * U * speedup.eta,
    speedup.fleet_rate,
    givens={P: hardware.h100_bf16_sparse, U: speedup.lab_mfu, speedup.eta: "32 %"},
    **LAB,
    at="governing equations, per device",
)
shown_ideal = Claim(
    "the ideal training time is 25.7 days",
    "25.7 d",
    speedup.training_time,
    givens={**LABS_PEAK, S: "1000"},
    **LAB,
    at="act I, explorer",
)
shown_actual = Claim(
    "the actual training time is 80.4 days",
    "80.4 d",
    speedup.training_time,
    givens={**LABS_PEAK, S: "320"},
    **LAB,
    at="act I, explorer, from the lab's peak",
)
zones = Claim(
    "what most production clusters attain, 20 to 60 %, is the zone shown as realistic",
    "20 %",
    speedup.lab_poor,
    digits=2,
    **LAB,
    at="act I, feedback, middle zone",
    because="the zone begins at 30 %; between 20 and 30 the lab says poor, and the answer that it marks right says realistic",
)
production = Claim(
    "most production clusters attain an efficiency of 20 to 60 %",
    "20..60 %",
    None,
    **LAB,
    at="act I, feedback, middle zone",
    because="no cluster and no measurement is named",
)
rarely = Claim(
    "in large clusters parallel efficiency rarely exceeds 60 %",
    "<60 %",
    "models.llama31_mfu / speedup.lab_mfu",
    **LAB,
    at="act I, overlay, feedback",
    because="82 % on 16,384 GPUs against a device at the lab's MFU of 50 %; and doubling a fleet to 12,288 kept 96 % in another published run",
)
pessimist = Claim(
    "who predicts 1,000 where 320 is found has predicted too little",
    "<1",
    "1000 / speedup.lab_gain",
    **LAB,
    at="act I, overlay, feedback to options A and B",
    because="the branches are exchanged: a result below half of the prediction selects the sentence for pessimists",
    consequence="the victims of the illusion are told that distributed training does better than they thought",
)
optimist = Claim(
    "who predicts 100 where 320 is found has predicted too much",
    ">1",
    "100 / speedup.lab_gain",
    **LAB,
    at="act I, overlay, feedback to option D",
    because="the branches are exchanged, as above",
)
pessimist_factor = Claim(
    "1,000 and 320 are a factor 3.1 apart",
    "3.1",
    "1000 / speedup.lab_gain",
    **LAB,
    at="act I, overlay, feedback to option A",
)
degrades = Claim(
    "at 4,096 GPUs the display of 32.0 % has fallen, to 31.9 at most",
    "≤31.9 %",
    speedup.lab_scaling,
    givens={E: speedup.lab_efficiency, C: speedup.lab_overhead},
    **LAB,
    at="act I, overlay, last feedback",
    because="the model has two constants and no N: its efficiency is 32 % at any size",
    consequence="the instrument can report an efficiency, but it cannot show what the lab is about",
)

# --- act I: reflection and equations ----------------------------------------------------------

ring_bytes = Claim(
    "a ring sends twice (N − 1)/N of the gradients from each device",
    2 * net.n * (net.p - 1) / net.p,
    net.ring_sent,
    givens={net.p: "1024", net.n: "350 GB"},
    **LAB,
    at="act I, reflection B",
)
gradient_volume = Claim(
    "175 billion parameters in FP16 are 350 GB",
    "350 GB",
    net.gradient_bytes,
    givens={net.Psi: net.lab_parameters, net.w: "2 B"},
    **LAB,
    at="governing equations",
)
bytes_per_step = Claim(
    "each device sends about 700 GB per step",
    "~700 GB",
    net.ring_sent,
    givens={net.p: "1024", net.n: "350 GB"},
    **LAB,
    at="act I, reflection B",
)
ring_time = Claim(
    "the time of a ring is twice (N − 1)/N of the bytes over the bandwidth",
    2 * (net.p - 1) / net.p * net.n / net.beta,
    net.time_at_least,
    givens=RING,
    **LAB,
    at="governing equations",
)
ring_seconds = Claim(
    "350 GB at 400 GB/s take 1.75 s",
    "1.75 s",
    net.time_at_least,
    givens=RING,
    **LAB,
    at="governing equations, worked example",
)
ring_over_port = Claim(
    "over an InfiniBand link of 400 that is about 1.75 s per step",
    "~1.75 s",
    net.time_at_least,
    givens={**RING, net.beta: hardware.ndr_port},
    **LAB,
    at="act I, reflection B",
    because=f"8 times too small: {BITS}",
    consequence="14 s per step and device, so gradients must hide behind computing or travel sharded; the conclusion grows stronger",
)

# --- act II: the message and the framing ------------------------------------------------------

list_price = Claim(
    "the public list price of an H100 on demand is 2.10 dollars an hour",
    "2.10 USD/(gpu h)",
    None,
    **LAB,
    at="act II, message; slider text; feedback A",
    because="no provider is named; a large one asked 6.88 in 2026, 55.04 for a server of eight",
    consequence="at 6.88 owning pays from about a quarter of the hours on",
)
purchase = Claim(
    "an H100 costs 40,000 dollars, its share of the server included",
    "~40 kUSD/gpu",
    "sites.page_node / 8[gpu]",
    **LAB,
    at="act II, message, against another estimate",
)
power_price = Claim(
    "0.10 dollars for a kilowatt-hour are typical",
    "~0.10 USD/kWh",
    None,
    **LAB,
    at="act II, framing and code",
    because="no site is named; industrial customers paid 0.07 in Ohio and 0.18 in Massachusetts in 2024",
)
pue_average = Claim(
    "the average PUE of the industry is 1.4",
    "1.4",
    sites.pue_survey_2024,
    **LAB,
    at="act II, code",
    because="1.56 in the survey of operators; the large clouds report 1.1 to 1.2",
    consequence="none to speak of: cooling is a hundredth of the bill",
)
cooling_factor = Claim(
    "cooling takes 1.4 times the power",
    "1.4",
    "sites.lab_pue - 1",
    **LAB,
    at="act II, framing",
    because="a PUE of 1.4 counts the devices too: all the rest takes 0.4 times; the code below has it right",
)
tdp_is_all = Claim(
    "a GPU of an owned fleet draws 0.70 kW",
    "0.70 kW/gpu",
    "hardware.dgx_h100_power / hardware.server_gpus",
    **LAB,
    at="act II, code and formula display",
    because="that is the module alone; processors, memory, fans and network of the server bring it to 1.3 kW at most",
    consequence="a bill of 2 to 3 million for electricity and cooling instead of 1.5, still small beside 40 of purchase",
)

# --- act II: the options ----------------------------------------------------------------------

seventy = Claim(
    "owning beats renting on demand above about 70 % utilisation",
    "~70 %",
    ownership.owning_pays,
    givens={T: FLEET[T], **RENT, **OWN, **POWER, **NO_IDLE},
    **LAB,
    at="act II, option C (the right answer)",
    because="87 % by the lab's own calculator; 70 % takes a price of 2.60 an hour on demand, or nearly four years",
)

# --- act II: the calculator -------------------------------------------------------------------

hours_of_year = Claim("a year has 8,760 h", "8760 h", "365[d]", **LAB, at="act II, code")
demand_formula = Claim(
    "on demand: devices, utilisation, hours and price multiply",
    ownership.N * T * q * u,
    ownership.on_demand,
    givens={**RENTED, u: sites.lab_use},
    **LAB,
    at="act II, code; governing equations",
)
reserved_formula = Claim(
    "reserved: all hours are paid, at the price less the discount",
    ownership.N * T * q * (1 - delta),
    ownership.reserved,
    givens={**RENTED, delta: sites.lab_discount},
    **LAB,
    at="act II, code; governing equations",
)
owned_formula = Claim(
    "owned: purchase, staff, and power with cooling for the hours that are used",
    ownership.N * (K + T * (PUE * k * p * u + s)),
    ownership.owned,
    givens={**OWNED, **IDLE, u: sites.lab_use},
    **LAB,
    at="act II, code; governing equations",
    because="idle hours draw nothing here, where the lab's own last feedback says 350 W",
    consequence="half a million in 47.5: next to none",
)
break_even_formula = Claim(
    "break-even: purchase and staff over the hours, by price less power with cooling",
    (K + T * s) / (T * (q - PUE * k * p)),
    ownership.owning_pays,
    givens={T: FLEET[T], **RENT, **OWN, **POWER, **IDLE},
    **LAB,
    at="governing equations",
    because="right for devices that draw nothing while idle; with the 350 W that the lab states, idle power joins what is paid in any case",
    consequence="87.7 instead of 87.4 %",
)
staff_rate = Claim(
    "one engineer of 200,000 dollars a year for 100 GPUs is 2,000 for each",
    "2000 USD/gpu/year",
    "200000[USD/year] / 100[gpu]",
    **LAB,
    at="act II, code",
)
shown_demand = Claim(
    "on demand, three years at 60 % cost 33.1 million",
    "33.1 MUSD",
    ownership.on_demand,
    givens={**RENTED, u: sites.lab_use},
    **LAB,
    at="act II, calculator",
)
shown_reserved = Claim(
    "reserved they cost 35.9 million",
    "35.9 MUSD",
    ownership.reserved,
    givens={**RENTED, delta: sites.lab_discount},
    **LAB,
    at="act II, calculator",
)
shown_purchase = Claim(
    "1,000 GPUs cost 40.0 million to buy",
    "40.0 MUSD",
    "sites.lab_fleet * sites.lab_price",
    **LAB,
    at="act II, calculator",
)
shown_power = Claim(
    "their electricity costs 1.1 million",
    "1.1 MUSD",
    "1000 * 0.70[kW] * 0.6 * 3 * 8760[h] * 0.10[USD/kWh]",
    **LAB,
    at="act II, calculator",
)
shown_cooling = Claim(
    "their cooling costs 0.4 million",
    "0.4 MUSD",
    "1000 * 0.70[kW] * 0.6 * 3 * 8760[h] * 0.10[USD/kWh] * (1.4 - 1)",
    **LAB,
    at="act II, calculator",
)
shown_staff = Claim(
    "their staff costs 6.0 million",
    "6.0 MUSD",
    "1000[gpu] * 2000[USD/gpu] * 3",
    **LAB,
    at="act II, calculator",
)
shown_owned = Claim(
    "owned they cost 47.5 million in all",
    "47.5 MUSD",
    ownership.owned,
    givens={**OWNED, **NO_IDLE, u: sites.lab_use},
    **LAB,
    at="act II, calculator",
)
shown_sum = Claim(
    "40.0, 1.1, 0.4 and 6.0 add up to 47.5", "47.5", "40.0 + 1.1 + 0.4 + 6.0", **LAB, at="act II, calculator"
)
shown_break_even = Claim(
    "owning beats on demand from 87 % on",
    "87 %",
    ownership.owning_pays,
    givens={T: FLEET[T], **RENT, **OWN, **POWER, **NO_IDLE},
    **LAB,
    at="act II, calculator, card and chart",
)
shown_cheapest = Claim(
    "at 60 % on demand is cheapest: it costs less than the 35.9 million of a commitment",
    "<35.9 MUSD",
    ownership.on_demand,
    givens={**RENTED, u: sites.lab_use},
    **LAB,
    at="act II, calculator; footer",
)
over_budget = Claim(
    "at full use renting on demand breaks the budget of 50 million",
    ">50 MUSD",
    ownership.on_demand,
    givens={**RENTED, u: "100 %"},
    **LAB,
    at="act II, failure state",
)
budget_limit = Claim(
    "below 91 % it stays within the budget",
    "91 %",
    ownership.budget_limit,
    givens={**RENTED, ownership.L: sites.lab_budget},
    **LAB,
    at="act II, failure state",
)

# --- act II: feedback -------------------------------------------------------------------------

most_expensive = Claim(
    "on demand is the most expensive path: dearer than owning for 47.5 million",
    ">47.5 MUSD",
    ownership.on_demand,
    givens={**RENTED, u: sites.lab_use},
    **LAB,
    at="act II, feedback A",
    because="at the lab's own settings it is the cheapest of the three, as the line above says; the sentence does not look at the result",
    consequence="answer A, marked incorrect, is right at the settings with which the calculator opens",
)
premium_compounds = Claim(
    "for a steady load the price on demand adds up to more than a commitment",
    ">35.9 MUSD",
    ownership.on_demand,
    givens={**RENTED, u: "100 %"},
    **LAB,
    at="act II, feedback A",
)
can_be_cheapest = Claim(
    "above 87 % owning is the cheapest path: below the 35.9 million of a commitment",
    "<35.9 MUSD",
    ownership.owned,
    givens={**OWNED, **NO_IDLE, u: "100 %"},
    **LAB,
    at="act II, feedback B and C",
    because="87 % is where owning beats on demand; the commitment is 13 million cheaper than owning even at full use",
    consequence="at these prices nobody should buy for three years, at any utilisation; it takes 4.4 years, or a price below 28,000 dollars",
)
below_reserved = Claim(
    "below 87 % a commitment wins: it costs less than the 33.1 million on demand at 60 %",
    "<33.1 MUSD",
    ownership.reserved,
    givens={**RENTED, delta: sites.lab_discount},
    **LAB,
    at="act II, feedback C; takeaway 2",
    because="below 65 % renting on demand is cheaper; a commitment wins between 65 % and full use",
    consequence="three zones shrink to two: on demand below 65 %, reserved above; the break-even of 87 % separates nothing",
)
dominated = Claim(
    "a commitment beats on demand at any utilisation above zero",
    "0 %",
    ownership.reserved_pays,
    givens={delta: sites.lab_discount},
    **LAB,
    at="act II, feedback C",
    because="a committed hour is paid when it is idle too, as the framing of this act says: it takes 65 % of use to earn a discount of 35 %",
    consequence="the feedback to the answer marked right would have a fleet that is used one hour in ten commit to all of them",
)
spread = Claim(
    "at 60 % owning and on demand differ by 44 %",
    "44 %",
    "ownership.lab_owned / ownership.lab_demand - 1",
    **LAB,
    at="act II, feedback D",
)

below_loses = Claim(
    "below the break-even owning costs more than the 33.1 million on demand",
    ">33.1 MUSD",
    ownership.owned,
    givens={**OWNED, **NO_IDLE, u: sites.lab_use},
    **LAB,
    at="act II, feedback B",
)
reserved_steady = Claim(
    "for a steady load at full use a commitment is cheapest: below the 48.6 million of owning",
    "<48.6 MUSD",
    ownership.reserved,
    givens={**RENTED, delta: sites.lab_discount},
    **LAB,
    at="act II, option C; feedback C",
)

# --- act II: reflection and takeaways ---------------------------------------------------------

sensitive = Claim(
    "from 20 to 100 % of use the cost of owning changes more than that on demand, which is five times",
    ">5",
    "(40 + 6 + 1.4 * 0.1 * 0.7 * 26.28) / (40 + 6 + 1.4 * 0.1 * 0.7 * 26.28 * 0.2)",
    **LAB,
    at="act II, reflection, question",
    because="the other way round: the bill of an owned fleet hardly moves, by 4 %; what moves is the cost of a used hour",
    consequence="the question asks for the reason of something that is not so; the answer marked right explains the opposite",
)
five_times = Claim(
    "at 20 % of use an owned hour costs 5 times as much as at full use",
    "5",
    "5 * (40 + 6 + 1.4 * 0.1 * 0.7 * 26.28 * 0.2) / (40 + 6 + 1.4 * 0.1 * 0.7 * 26.28)",
    **LAB,
    at="act II, reflection B",
)
idle_half = Claim("350 W are half of 700 W", "50 %", "350[W] / 700[W]", **LAB, at="act II, reflection D")
idle_power = Claim(
    "an idle H100 draws about 350 W",
    "~350 W",
    None,
    **LAB,
    at="act II, reflection D",
    because="no measurement is named, and the lab's own cost model takes zero",
)
typical_break_even = Claim(
    "the break-even is typically at 60 to 75 %",
    "60..75 %",
    ownership.owning_pays,
    givens={T: FLEET[T], **RENT, **OWN, **POWER, **NO_IDLE},
    **LAB,
    at="takeaway 2",
    because="87 % by the lab's own numbers for three years; four years give 68 %, five 57",
)
not_hourly = Claim(
    "what owning costs is more than its purchase: 47.5 million for 40",
    ">40 MUSD",
    ownership.owned,
    givens={**OWNED, **NO_IDLE, u: sites.lab_use},
    **LAB,
    at="takeaway 2; header badge",
)
