"""Full-Stack Audit: what a tutorial on training a 70B model prints, and what it is when computed."""

from sympy import sqrt

from mathcore.teaching import Claim
from mathcore.chapters import (
    audit,
    audit_costs,
    audit_fleet,
    audit_levers,
    hardware,
    models,
    sites,
    training,
    young_daly,
)

TUTORIAL = {"source": "mlsysim_audit"}

# --- introduction -----------------------------------------------------------------------------

hero = Claim(
    "an answer in 0.54 ms is 1,843 images a second",
    "0.54 ms",
    "1 / 1843[1/s]",
    **TUTORIAL,
    at="release notes above the tutorial",
)
in_a_minute = Claim(
    "the whole analysis takes 60 seconds",
    "60 s",
    None,
    **TUTORIAL,
    at="subtitle",
    because="no timing is shown; all of its formulas together are some hundred operations",
)
all_walls = Claim(
    "the six domains hold all 22 walls",
    "22",
    "3 + 3 + 3 + 3 + 4 + 2",
    **TUTORIAL,
    at="background, table",
    because="walls 4 to 7 stand in no row: the table ends the node with wall 3 and begins the data with wall 8",
    consequence="a reader who checks every row has still seen 18 of 22",
)
walls_traced = Claim(
    "12 of the 22 walls are exercised",
    "12",
    None,
    **TUTORIAL,
    at="question, key insight, takeaways",
    because="they are not listed; the summary names seven: 1, 11, 14, 17, 18, 19 and 21",
)
solvers = Claim("six or more solvers are composed", "≥6", "9", **TUTORIAL, at="description, quick reference")
reliability_wall = Claim(
    "checkpoints belong to the fleet, which has the walls 14 to 16: their number",
    "14..16",
    "19",
    **TUTORIAL,
    at="background and summary, tables",
    because="the summary files wall 19 under the fleet, the background counts 17 to 20 as operations",
)

# --- 1 fleet ----------------------------------------------------------------------------------

devices = Claim("64 nodes of 8 GPUs are 512 GPUs", "512", "64 * 8", **TUTORIAL, at="section 1")
node_size = Claim("a DGX H100 has 8 GPUs", "8 gpu", hardware.server_gpus, **TUTORIAL, at="section 1")
ndr = Claim(
    "InfiniBand NDR carries 400 Gbit/s",
    "400 Gbit/s",
    hardware.ndr_port,
    **TUTORIAL,
    at="section 1, code comment",
    digits=3,
)
parameters = Claim(
    "the model has 70 billion parameters",
    "70e9",
    models.llama31_70b_parameters,
    **TUTORIAL,
    at="title, question",
)

# --- 2 node -----------------------------------------------------------------------------------

node_bound = Claim(
    "training with 4 sequences on a GPU is compute-bound: it lies above the ridge of an H100",
    ">295 FLOP/B",
    audit.node_both,
    **TUTORIAL,
    at="section 2",
)
node_called = Claim(
    "the call shown makes it compute-bound: 4 samples lie above the ridge",
    ">295 FLOP/B",
    audit.called_intensity,
    **TUTORIAL,
    at="section 2, code",
    because="the call names neither a training step nor a length: a sample is one token, four for each reading of the weights",
    consequence="what is computed is memory-bound decoding at 1 % of the peak; that training is compute-bound remains true, but is not shown",
)
node_memory = Claim(
    "the whole model works on one H100 of 80 GB",
    "<80 GB",
    audit.weights,
    **TUTORIAL,
    at="section 2, code",
    because="the weights alone take 141 GB, and training eight times as much",
    consequence="a time computed for one GPU is that of no machine",
)
backward = Claim(
    "the backward pass raises the intensity of training above that of inference",
    ">1",
    "6[FLOP] / (8[B]) / (2[FLOP] / (2[B]))",
    **TUTORIAL,
    at="section 2",
    because="it triples the work and quadruples the bytes: for each token in flight intensity falls to 3/4",
    consequence="what lifts training over the ridge is the thousands of tokens that share a weight, as in reading a prompt",
)

# --- 3 data -----------------------------------------------------------------------------------

step_data = Claim(
    "a step reads about 8 MB",
    "~8 MB",
    "4 * 512 * 2048 * 2[B]",
    **TUTORIAL,
    at="section 3, code comment",
)
token_bytes = Claim(
    "a token takes 2 bytes",
    "2 B/token",
    audit.bytes_of_token,
    **TUTORIAL,
    at="section 3, code comment",
    digits=2,
    because="two bytes tell 65,536 tokens apart, and this model has 128,256; three are the least, four are usual",
)
step_rate = Claim(
    "the fleet makes about one step a second",
    "~1 s",
    audit.step_at_mfu,
    **TUTORIAL,
    at="section 3, code comment",
    because="at the tutorial's own 40 % of the peak a step of 4.2 million tokens takes nearly nine seconds; one second needs 350 %",
)
data_rate = Claim(
    "the fleet asks for about 8 MB/s",
    "~8 MB/s",
    audit.demand,
    **TUTORIAL,
    at="section 3, code comment",
    because="it repeats the step of one second; three bytes for two make up a part",
    consequence="the conclusion stands: storage is idle either way",
)
data_enough = Claim(
    "the pipeline keeps up: less than all of one disk is used",
    "<100 %",
    audit.use_of_stated,
    **TUTORIAL,
    at="section 3",
)
image_data = Claim(
    "for images this wall can dominate: they ask for more than one disk's 7 GB/s",
    ">7 GB/s",
    audit.images,
    **TUTORIAL,
    at="section 3",
)

# --- 4 algorithm ------------------------------------------------------------------------------

chinchilla = Claim(
    "the Chinchilla law asks for 20 tokens for each parameter: the model of that name",
    "20 token",
    "models.chinchilla_tokens / models.chinchilla_parameters",
    **TUTORIAL,
    at="section 4",
    digits=2,
)
mfu_llama = Claim(
    "Llama 2 and 3 publish an MFU of 0.30 to 0.45: Llama 3",
    "0.30..0.45",
    models.llama31_mfu,
    **TUTORIAL,
    at="section 4, code comment",
)
mfu_llama2 = Claim(
    "Llama 2 and 3 publish an MFU of 0.30 to 0.45: Llama 2 70B, from its hours",
    "0.30..0.45",
    training.mfu_of_hours,
    {
        training.N: "70e9",
        training.D: "2 Ttoken",
        training.H: "1720320 gpu h",
        training.P: "312 TFLOP/s/gpu",
    },
    **TUTORIAL,
    at="section 4, code comment",
)
mfu_best = Claim(
    "the best runs reach an MFU of up to 0.50: MegaScale",
    "≤0.50",
    models.megascale_mfu,
    **TUTORIAL,
    at="section 4, code comment",
    because="MegaScale reports 55 % on 12,288 GPUs, and 59 % on 3,072",
)
peak = Claim(
    "an H100 computes 989 TFLOP/s",
    "989 TFLOP/s",
    hardware.h100_bf16,
    **TUTORIAL,
    at="section 4, code comment",
)
month_seconds = Claim(
    "30 days are 30 times 86,400 seconds", "2592000 s", "30[d]", **TUTORIAL, at="section 4, code comment"
)

# --- 5 fleet ----------------------------------------------------------------------------------

replicas = Claim(
    "tensor parallelism of 8 leaves 64 replicas",
    "64",
    "512 / (8 * 1)",
    **TUTORIAL,
    at="section 5, code comment",
)
batch = Claim(
    "a batch of 2,048 sequences is the 4 for each GPU of section 2",
    "4",
    "2048 / 512",
    **TUTORIAL,
    at="sections 2 and 5, code",
    digits=2,
)
fits = Claim(
    "the split fits into the 80 GB of a device, with micro-batches of one and a sharded optimizer",
    "<80 GB",
    audit_levers.need,
    **TUTORIAL,
    at="section 5, code",
)
fits_plain = Claim(
    "the split fits as it is called: nothing sharded over the replicas, all sequences at once",
    "<80 GB",
    "16[B] * models.llama31_70b_parameters / 8 + 80 * 32 * audit.layer",
    **TUTORIAL,
    at="section 5, code",
    because="weights, gradients and optimizer alone take 141 GB on each of eight; neither sharding nor micro-batches are set",
    consequence="the efficiency is that of a run which does not start; memory, wall 2, is the one that binds first",
)
hidden_cost = Claim(
    "the hidden cost is checkpoints: more than the 16 % that communication within the node costs",
    ">16 %",
    audit_fleet.waste_here,
    **TUTORIAL,
    at="description, section 5",
    because="with the tutorial's write of two minutes all of it is 2.6 % at 512 GPUs, writes and lost work together; tensor parallelism costs 16 %",
    consequence="the conclusion is turned round: communication is the hidden cost here, checkpoints pass 5 % from 1,875 GPUs on",
)

# --- 6 operations -----------------------------------------------------------------------------

poland_hint = Claim(
    "Poland's grid emits about 800 g/kWh",
    "~800 g/kWh",
    sites.grid_poland,
    **TUTORIAL,
    at="exercise 1, hint",
    because="about what coal alone emits; the country's mix of 2023 is a fifth lower",
)
quebec_hint = Claim(
    "Quebec's grid emits about 20 g/kWh",
    "~20 g/kWh",
    None,
    **TUTORIAL,
    at="exercise 1, hint",
    because="neither year nor method is named",
)
grid_ratio = Claim(
    "from Quebec to Poland intensity grows 40 times",
    "40",
    "800[g/kWh] / (20[g/kWh])",
    **TUTORIAL,
    at="exercise 1, hint",
    digits=2,
)
carbon_ratio = Claim(
    "from Quebec to Poland the carbon of the run grows 40 times",
    "40",
    audit_costs.move_sites,
    **TUTORIAL,
    at="key insight, takeaways",
    digits=2,
    because="40 is the grids alone; the exercise's hint says that Poland's PUE is higher, and the program takes 1.58 for 1.06",
    consequence="half as much again: about 60 times",
)
tco_change = Claim(
    "from Quebec to Poland the total cost of ownership grows by 20 to 30 %",
    "20..30 %",
    "audit_costs.cost_ratio - 1",
    **TUTORIAL,
    at="takeaways",
    because="all electricity is 4 % of an hour's cost, and the PUE raises it by half; power's price is the same in the program",
    consequence="geography is a lever for carbon and hardly one for cost: 2 % when the price of the devices is spread, 0.06 % as the tutorial sums",
)
region_saving = Claim(
    "a change of region may cut the total cost by at least 20 %: the share of all electricity",
    "≥20 %",
    audit_costs.hour_energy,
    **TUTORIAL,
    at="exercise 4",
    because="even free electricity saves 4 %",
    consequence="of the four candidates region is out before any calculation; utilisation from 40 to 50 % would do",
)

# --- 7 analysis -------------------------------------------------------------------------------

sensitivity = Claim(
    "the sensitivity confirms that compute binds: the time follows the peak by more than half",
    ">0.5",
    "abs(audit_levers.called_by_peak)",
    **TUTORIAL,
    at="section 7, code comment",
    because="the call describes one token of inference, whose time follows bandwidth by 99.7 %; a step's would follow the peak by 95 %",
    consequence="the program's output contradicts the sentence above it",
)
wall_clock = Claim(
    "work over devices times MFU times peak is the time",
    training.C / (training.n * training.u * training.P),
    training.time_of_work,
    {
        training.C: "5.25e23 FLOP",
        training.n: "512 gpu",
        training.u: "40 %",
        training.P: "989 TFLOP/s/gpu",
    },
    **TUTORIAL,
    at="section 7, code comment",
)
step_target = Claim(
    "to finish in 14 days a step may take 200 ms",
    "200 ms",
    audit_levers.step_for_date,
    **TUTORIAL,
    at="section 7, code",
    because="the 14 days are computed and never used; 295,805 steps of 4.2 million tokens leave four seconds for each",
    consequence="the hardware that is synthesised answers another question: 200 ms would need 35 times the peak of an H100",
)
interval = Claim(
    "the best interval is the root of twice write time and MTBF",
    sqrt(2 * young_daly.C * young_daly.M),
    young_daly.interval,
    {young_daly.C: "2 min", young_daly.M: "4 h"},
    **TUTORIAL,
    at="exercises, self-check",
)
doubled = Claim("1,024 GPUs are 128 nodes", "128", "1024 / 8", **TUTORIAL, at="exercise 2")
