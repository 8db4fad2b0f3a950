"""The Checkpoint Reckoning: what the lab on fault tolerance prints, and what it is when computed.

What its instruments show is taken at the settings with which they open.
"""

from sympy import sqrt

from mathcore.teaching import Claim
from mathcore.chapters import (
    checkpoint_levels,
    fleet_checkpointing,
    goodput,
    ground_rules,
    hardware,
    progress,
    reliability,
    resilience,
    trillion,
    young_daly,
)
from mathcore.chapters.fleet_checkpointing import g, s, u
from mathcore.chapters.young_daly import C, D, M, N, R, T_s, k, m, tau, w_1, w_2

LAB = {"source": "checkpoint_reckoning"}
CALM = {C: young_daly.lab_write, M: young_daly.lab_mtbf}
TEAM = {**CALM, tau: young_daly.lab_interval}
FLEET = {N: young_daly.lab_large, m: young_daly.lab_device_mtbf}
STORM = {C: fleet_checkpointing.lab_stall, M: young_daly.lab_cluster}
ASYNC = {s: "0.1 s", u: fleet_checkpointing.lab_stall, g: "0 %", M: young_daly.lab_cluster}
SIXTY = "60 times too large: the division gives 0.73 minutes, which were read as hours"
TEBI = "1.024 times too large: a terabyte was taken for 1,024 GB, and the bandwidth stayed decimal"

# --- the comments at the top ------------------------------------------------------------------

young_formula = Claim(
    "Young–Daly: the best interval is the root of twice the write over the failure rate",
    sqrt(2 * C * M),
    young_daly.interval,
    givens=CALM,
    **LAB,
    at="opening comment and header badge",
)
optimum_hour = Claim(
    "at a write of 4 min and an MTBF of 8 h the best interval is about 60 min",
    "~60 min",
    young_daly.interval,
    givens=CALM,
    **LAB,
    at="opening comment; act I, option B",
)
twice_too_high = Claim(
    "saving every 30 min costs about twice the overhead of saving at the optimum",
    "2",
    "young_daly.act_one_writes / young_daly.act_one_half",
    **LAB,
    at="opening comment; act I, feedback B",
)
card_overhead = Claim(
    "checkpoint overhead is write over interval",
    C / tau,
    young_daly.write_share,
    givens=TEAM,
    **LAB,
    at="header badge",
)

# --- cell 0: constants ------------------------------------------------------------------------

h100_memory = Claim("an H100 SXM has 80 GB", "80 GB", hardware.h100_hbm, **LAB, at="cell 0")
h100_mtbf = Claim(
    "a GPU in a data centre fails every 200 h",
    "200 gpu h",
    young_daly.llama_device_mtbf,
    **LAB,
    at="cell 0",
    because="253 times too small against 16,384 H100 that were watched for 54 days; the lab's own first act implies 8,192 device-hours",
    consequence="a fleet of 16,384 such devices fails every three hours, and a stall of 5 s is best paid every five to six minutes",
)
infiniband = Claim(
    "an InfiniBand HDR port carries 400 GB/s",
    "400 GB/s",
    hardware.hdr_port,
    **LAB,
    at="cell 0",
    because="16 times too large: the data sheet's unit is Gbit/s, and 400 of them are NDR; HDR has 200",
)

# --- header -----------------------------------------------------------------------------------

fleet_mtbf = Claim(
    "a fleet of 16,384 GPUs at 200 h per GPU fails every 44 minutes",
    "44 min",
    young_daly.cluster_mtbf,
    givens=FLEET,
    **LAB,
    at="header; act II, framing; takeaway 2",
    because=SIXTY,
    consequence="an attempt of 20 min hardly ever ends: none of the four answers of act II would make progress worth the name",
)
too_often = Claim(
    "who saves too often spends 40 % of the training time on writes",
    "40 %",
    None,
    **LAB,
    at="header",
    because="no interval is named; with the fleet's write of 5 s it would take a write every 12.5 s",
)
small_mtbf = Claim(
    "a cluster of 1,024 GPUs fails every 8 h or so",
    "~8 h",
    reliability.rsc_mttf_1024,
    **LAB,
    at="header, small cluster",
)
small_by_device = Claim(
    "with the device MTBF of 200 h, 1,024 GPUs fail every 8 h",
    "8 h",
    young_daly.cluster_mtbf,
    givens={N: young_daly.lab_devices, m: young_daly.lab_device_mtbf},
    **LAB,
    at="cell 0 against header, small cluster",
    because="41 times too large: 8 h need devices that last 8,192 h; the two clusters of the lab are not made of the same ones",
    consequence="with the devices of act I the large fleet would fail every 30 min, near the 44 min that the lab prints",
)
sub_minute = Claim(
    "the largest fleets write a checkpoint in less than a minute",
    "<1 min",
    trillion.llama_write,
    **LAB,
    at="recommended reading",
)

# --- act I: the message and the framing -------------------------------------------------------

wasted_per_failure = Claim(
    "a failure costs half an interval and one reload, each write its time: the cost to be minimised",
    C / tau + (tau / 2 + R) / M,
    young_daly.waste_with_restart,
    givens={**TEAM, R: "4 min"},
    **LAB,
    at="act I, framing and derivation",
)
half_interval = Claim(
    "a failure strikes evenly in the interval, so half of it is lost",
    tau / 2,
    young_daly.mean_loss,
    givens={tau: young_daly.lab_interval},
    **LAB,
    at="act I, framing",
)
stationary = Claim(
    "the slope vanishes where the interval squared is twice write over rate, reload and all",
    sqrt(2 * C * M),
    young_daly.interval_with_restart,
    givens=CALM,
    **LAB,
    at="act I, derivation",
)
one_letter = Claim(
    "the same letter C for write and reload: waste with a reload as long as the write",
    C / tau + tau / (2 * M) + C / M,
    young_daly.waste_with_restart,
    givens={**TEAM, R: young_daly.daly_restart},
    **LAB,
    at="act I, definitions",
    because="a reload is paid once for each failure and has its own length: detection, start and read; at the 10 min of Daly's figures the waste is more than a point higher",
)

# --- act I: what the explorer shows -----------------------------------------------------------

shown_write_hours = Claim("4 min are 0.0667 h", "0.0667 h", "4[min]", **LAB, at="act I, explorer")
shown_rate = Claim(
    "an MTBF of 8 h is a rate of 0.125 failures an hour",
    "0.1250 /h",
    "1 / 8[h]",
    **LAB,
    at="act I, explorer",
)
shown_square = Claim(
    "twice the write over the rate, in hours, is 1.0667",
    "1.0667",
    "2 * (4 / 60) * 8",
    **LAB,
    at="act I, explorer",
)
shown_optimum = Claim(
    "its root is 62.0 min", "62.0 min", young_daly.interval, givens=CALM, **LAB, at="act I, explorer"
)
shown_overhead = Claim(
    "a write of 4 min every 30 min is an overhead of 13.3 %",
    "13.3 %",
    young_daly.write_share,
    givens=TEAM,
    **LAB,
    at="act I, explorer; feedback B, C",
)
shown_best_overhead = Claim(
    "at the optimum the overhead is 6.5 %",
    "6.5 %",
    young_daly.equal_terms,
    givens=CALM,
    **LAB,
    at="act I, explorer; feedback B, C, D",
)
shown_loss = Claim(
    "a failure costs 19.0 min at an interval of 30 min, a reload of 4 min counted",
    "19.0 min",
    "30[min] / 2 + 4[min]",
    **LAB,
    at="act I, explorer",
)
shown_rework = Claim(
    "expected rework is 19.0 min per failure at 30 min",
    "19.0 min",
    young_daly.mean_loss,
    givens={tau: young_daly.lab_interval},
    **LAB,
    at="act I, explorer, label",
    because="the label says rework, which is half an interval; the other 4 min are the reload, which is the same at any interval",
)
shown_best_loss = Claim(
    "a failure costs 35.0 min at the optimum, a reload of 4 min counted",
    "35.0 min",
    "young_daly.act_one / 2 + 4[min]",
    **LAB,
    at="act I, explorer",
)

# --- act I: feedback --------------------------------------------------------------------------

half_as_long = Claim(
    "30 min are shorter than the optimum by half of it",
    "0.5",
    "1 - young_daly.act_one_ratio",
    **LAB,
    at="act I, feedback B, C",
)
extra_writes = Claim(
    "every 30 min costs 6.9 points more in writes than the optimum",
    "6.9 %",
    "young_daly.act_one_writes - young_daly.act_one_half",
    **LAB,
    at="act I, feedback B",
)
recovered_share = Claim(
    "the longer interval recovers 6.9 % of the training time",
    "6.9 %",
    "1 / (1 + young_daly.act_one_least) - 1 / (1 + young_daly.act_one_waste)",
    **LAB,
    at="act I, feedback D",
    because="2.5 times too large: only the saved writes were counted, and not the work that is lost when a longer interval is struck",
    consequence="to change from 30 to 62 min wins 2.7 % of the machine, no more: the bowl is flat",
)
recovered_hours = Claim(
    "on 1,024 GPUs the change wins 11,833 device-hours a week",
    "11833 gpu h",
    young_daly.gain,
    givens={
        N: young_daly.lab_devices,
        D: "168 h",
        w_1: young_daly.act_one_waste,
        w_2: young_daly.act_one_least,
    },
    **LAB,
    at="act I, feedback D",
    because="2.5 times too large: writes alone were compared, and as shares of useful time; redone work eats most of what they save",
    consequence="4,600 device-hours a week instead of nearly 12,000",
)
week_hours = Claim("a week has 168 h", "168 h", "7[d]", **LAB, at="act I, feedback D")
ten_minutes = Claim(
    "every 10 min the writes take 40 %",
    "40 %",
    young_daly.write_share,
    givens={**CALM, tau: "10 min"},
    **LAB,
    at="act I, feedback A",
)
ten_ratio = Claim(
    "10 min are 6.2 times too frequent",
    "6.2",
    "young_daly.act_one / 10[min]",
    **LAB,
    at="act I, feedback A",
)
double_halves = Claim(
    "twice the interval halves the overhead of the writes",
    "0.5",
    "(4[min] / 60[min]) / young_daly.act_one_writes",
    **LAB,
    at="act I, feedback C",
)
of_clock = Claim(
    "13.3 % of the device-hours go into writes, if 30 min is the period with the write in it",
    "13.3 %",
    "4[min] / 30[min]",
    **LAB,
    at="act I, feedback D",
)

# --- act I: reflection and derivation ---------------------------------------------------------

fleet_rule = Claim(
    "rates add: the MTBF of N devices is that of one over N",
    m / N,
    young_daly.cluster_mtbf,
    givens=FLEET,
    **LAB,
    at="act I, reflection and derivation",
)
sixteen = Claim(
    "16,384 GPUs are 16 times 1,024, and so is their failure rate",
    "16",
    "young_daly.lab_large / young_daly.lab_devices",
    **LAB,
    at="act I, reflection B",
)
root_rule = Claim(
    "the best interval falls with the root of the number of devices",
    1 / sqrt(k),
    young_daly.shrinkage,
    givens={k: "16"},
    **LAB,
    at="act I, reflection",
)
four_times = Claim(
    "16 times the devices make the best interval 4 times shorter",
    "4",
    "1 / young_daly.sixteenfold",
    **LAB,
    at="act I, reflection B",
)
write_grows = Claim(
    "a write grows less than the fleet when 70 billion parameters on 1,024 become a trillion on 16,384",
    "<16",
    "trillion.lab_model / resilience.book_model",
    **LAB,
    at="act I, reflection C",
)
tightens = Claim(
    "the longer write of the larger model makes the waste grow more than the 4 times of the rate",
    ">4",
    "sqrt(trillion.lab_model / resilience.book_model * 16)",
    **LAB,
    at="act I, reflection B",
)
dominates = Claim(
    "rate and write together: still a shorter interval",
    "<1",
    "sqrt(trillion.lab_model / resilience.book_model / 16)",
    **LAB,
    at="act I, reflection C",
)
hours_of_fleet = Claim(
    "200 h over 16,384 are 0.73 h",
    "0.73 h",
    young_daly.cluster_mtbf,
    givens=FLEET,
    **LAB,
    at="act I, reflection A; derivation, example",
    because=f"{SIXTY}; this is where the 44 minutes come from",
)
hours_to_minutes = Claim("0.73 h are 44 min", "44 min", "0.73[h]", **LAB, at="act I, reflection A")

# --- act II: the message ----------------------------------------------------------------------

checkpoint_size = Claim(
    "optimizer state, weights and gradients of a trillion parameters are roughly 2 TB",
    "~2 TB",
    resilience.size,
    givens={resilience.n: trillion.lab_model, resilience.beta: resilience.saved_all},
    **LAB,
    at="act II, message",
    because="8 times too small: 2 TB are 2 B for each parameter, the BF16 weights alone; all that is listed takes 16 B",
    consequence="a synchronous write takes 35 to 40 s at 400 GB/s, nearly the whole time between two failures of this fleet",
)
from_memory = Claim(
    "as each of 16,384 GPUs holds 80 GB, the checkpoint is 2 TB",
    "2 TB",
    None,
    **LAB,
    at="act II, message",
    because="the one does not follow from the other: together the memories hold 1,310 TB, and a checkpoint follows from the parameters",
)
stall = Claim("2 TB at 400 GB/s take 5 s", "5 s", "2[TB] / (400[GB/s])", **LAB, at="act II, message")

# --- act II: options --------------------------------------------------------------------------

answer_c = Claim(
    "with 16,384 GPUs of 200 h and a stall of 5 s the best interval is about 21 min",
    "~21 min",
    young_daly.interval_of_cluster,
    givens={**FLEET, C: fleet_checkpointing.lab_stall},
    **LAB,
    at="act II, option C (the right answer)",
    because="60 times too large: seconds read as minutes, as with the MTBF; and were that really 44 min, the interval would be 2.7 min",
    consequence="at the true and at the printed MTBF, option A, every 5 min, is the least bad of the four answers",
)
answer_async = Claim(
    "with asynchronous writes, a stall of 0.1 s, every 20 min is best",
    "20 min",
    fleet_checkpointing.async_interval,
    givens=ASYNC,
    **LAB,
    at="act II, option C",
    because="a shorter stall makes the best interval shorter: 3 s; the lab derives that itself further below",
)

# --- act II: the designer ---------------------------------------------------------------------

terabyte = Claim("1 TB is 1,024 GB", "1024 GB", "1[TB]", **LAB, at="act II, designer, code", digits=4)
shown_gpu_rate = Claim(
    "an MTBF of 200 h is a rate of 0.005 an hour",
    "0.005000 /(gpu h)",
    "1 / 200[gpu h]",
    **LAB,
    at="act II, designer",
)
shown_fleet_rate = Claim(
    "the fleet has 81.92 failures an hour",
    "81.9200 /h",
    "16384[gpu] / 200[gpu h]",
    **LAB,
    at="act II, designer",
)
shown_mtbf = Claim(
    "the designer itself shows an MTBF of 0.7 min, where the text says 44",
    "0.7 min",
    young_daly.cluster_mtbf,
    givens=FLEET,
    **LAB,
    at="act II, designer, line of rates",
)
shown_mtbf_rounded = Claim(
    "the card and the footer round it to 1 min",
    "1 min",
    young_daly.cluster_mtbf,
    givens=FLEET,
    **LAB,
    at="act II, designer, card; footer",
)
shown_write = Claim(
    "2 TB at 400 GB/s take 5.12 s",
    "5.12 s",
    "2[TB] / (400[GB/s])",
    **LAB,
    at="act II, designer",
    because=TEBI,
)
shown_interval = Claim(
    "the best interval is 0.4 min",
    "0.4 min",
    young_daly.interval_of_cluster,
    givens={**FLEET, C: fleet_checkpointing.lab_stall},
    **LAB,
    at="act II, designer, card; feedback",
    because="with 1,024 GB to the terabyte it is 0.354 min and rounds up; 5 s give 0.349",
)
shown_interval_seconds = Claim(
    "the best interval is 21 s",
    "21 s",
    young_daly.interval_of_cluster,
    givens={**FLEET, C: fleet_checkpointing.lab_stall},
    **LAB,
    at="act II, designer, line of overhead",
)
shown_best_share = Claim(
    "at that interval the writes cost 24.1 %",
    "24.1 %",
    young_daly.equal_terms,
    givens=STORM,
    **LAB,
    at="act II, designer",
    because="1.012 times too large, the root of the 1.024 with which the terabyte was counted",
)
shown_async_share = Claim(
    "with asynchronous writes the designer shows an overhead of 3.4 % at the best interval",
    "3.4 %",
    young_daly.equal_terms,
    givens={C: "0.1 s", M: young_daly.lab_cluster},
    **LAB,
    at="act II, designer, asynchronous",
)
shown_steps = Claim(
    "on steps of 10 s, two steps between checkpoints are best",
    "20 s",
    "10[s] * ceil(sqrt(2 * 5 * 43.9453125 / 10 ** 2 + 1 / 4) - 1 / 2)",
    **LAB,
    at="act II, designer, snapped interval",
)
shown_snapped = Claim(
    "every 20 s the writes cost 25.6 %",
    "25.6 %",
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "20 s"},
    **LAB,
    at="act II, designer; feedback C; footer",
    because=TEBI,
)
budget_broken = Claim(
    "that is over the budget of 20 %",
    ">20 %",
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "20 s"},
    **LAB,
    at="act II, designer, failure state",
)
shown_rework_fleet = Claim(
    "a failure costs 0.3 min, half of 20 s and a reload of 5 s",
    "0.3 min",
    "20[s] / 2 + 5[s]",
    **LAB,
    at="act II, designer",
)
net_formula = Claim(
    "net efficiency is one less the overhead, less the rework",
    1 - goodput.w_x,
    goodput.goodput_of_waste,
    givens={goodput.w_x: "60 %"},
    **LAB,
    at="act II, designer, code",
    because="right while losses are small; but overhead is a share of useful time, and the useful share of the clock is one over one plus the waste, and never negative",
)
net_efficiency = Claim(
    "at 20 s the fleet has a net efficiency of 40.0 %",
    "40.0 %",
    "20[s] / (43.9453125[s] * (exp(25/43.9453125) - 1) * exp(5/43.9453125))",
    **LAB,
    at="act II, designer, card; footer",
    because="too small: shares of different wholes were subtracted; computed without approximation, with a write and a reload of 5 s each",
)
needed_bandwidth = Claim(
    "synchronous writes every 20 s stay within the budget from 512 GB/s on",
    "512 GB/s",
    resilience.bandwidth_for_share,
    givens={resilience.S: trillion.lab_size, tau: "20 s", resilience.w: trillion.lab_budget},
    **LAB,
    at="act II, designer, failure state, option 2",
    because=TEBI,
)
async_at_old = Claim(
    "a stall of 2 % of the write costs 0.5 % at the interval of the synchronous writes",
    "~0.5 %",
    "0.02 * 5[s] / fleet_checkpointing.lab_true_optimum",
    **LAB,
    at="act II, designer, failure state, option 1",
)
two_percent = Claim(
    "an asynchronous write stalls training for 2 % of its time",
    "2 %",
    None,
    **LAB,
    at="act II, designer, code",
    because="a chapter is named, no measurement; the stall follows from the bytes of one device and its bus, not from the store",
)
async_stall = Claim(
    "2 % of the write are a stall of 0.10 s", "0.10 s", "0.02 * 5[s]", **LAB, at="act II, designer"
)
async_efficiency = Claim(
    "with asynchronous writes every 10 s the net efficiency is 87.4 %",
    "87.4 %",
    "1 / (1 + trillion.lab_by_step)",
    **LAB,
    at="act II, designer, asynchronous",
    because="the upload was forgotten: a failure throws away half an interval and the 5 s for which the newest checkpoint was not safe yet",
    consequence="asynchronous writes leave 79 % of the machine, not 87; a fleet that fails every 44 s cannot be saved by them",
)

# --- act II: feedback -------------------------------------------------------------------------

feedback_hours = Claim(
    "a write of 5 s is 0.085 h",
    "0.085 h",
    "5.12[s]",
    **LAB,
    at="act II, feedback C",
    because="60 times too large: seconds were divided by 60, which gives minutes, and called hours",
)
feedback_root = Claim(
    "the root of twice 0.00142 h over 81.92 an hour is 0.4 min",
    "0.4 min",
    "sqrt(2 * 0.00142[h] / 81.92[/h])",
    **LAB,
    at="act II, feedback C",
)
async_near_zero = Claim(
    "asynchronous writes drive the overhead near zero, below 1 %",
    "<1 %",
    young_daly.equal_terms,
    givens={C: "0.1 s", M: young_daly.lab_cluster},
    **LAB,
    at="act II, feedback C; reflection B",
    because="the overhead at the best interval falls with the root of the stall: 50 times less stall, 7 times less overhead; with one save per step of 10 s it is still 1.0 %",
)
five_minutes = Claim(
    "a write of 5 s every 5 min is an overhead of 2 %",
    "2 %",
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "5 min"},
    **LAB,
    at="act II, feedback A",
)
unsustainable = Claim(
    "a write of 5 s every 5 min is unsustainable: above the budget of 20 %",
    ">20 %",
    trillion.part_five,
    **LAB,
    at="act II, feedback A",
    because="the same sentence computes 2 %, a tenth of the budget",
    consequence="of the four options this one loses least, at the true and at the printed MTBF",
)
minutes_of_write = Claim("5 s are 0.1 min", "0.1 min", "5[s]", **LAB, at="act II, feedback A, D")
ten_overhead = Claim(
    "every 10 min the overhead is 1 %",
    "1 %",
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "10 min"},
    **LAB,
    at="act II, feedback B",
)
ten_double = Claim(
    "every 10 min the overhead is nearly double the budget of 20 %",
    "~40 %",
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "10 min"},
    mistakes={"that is the write of act I: 4 min every 10 min": "4[min] / 10[min]"},
    **LAB,
    at="act II, feedback B",
)
hour_rework = Claim(
    "at an interval of 60 min a failure costs 30.1 min",
    "30.1 min",
    "44[min] - 60[min] / (exp(60 / 44) - 1) + 5[s]",
    **LAB,
    at="act II, feedback D",
    because="half an interval is the mean loss only while the interval is short against the MTBF; of those that strike within 60 min at the printed 44, most come early, and at the true MTBF all come after 44 s in the mean",
)
hour_struck = Claim(
    "an interval of 60 min is struck almost always",
    ">99 %",
    reliability.failure_chance,
    givens={reliability.t: "60 min", M: young_daly.lab_cluster},
    **LAB,
    at="act II, feedback D",
)
always_struck = Claim(
    "if the MTBF is shorter than the interval, every attempt ends in a failure",
    "100 %",
    reliability.failure_chance,
    givens={reliability.t: "60 min", M: young_daly.lab_printed_mtbf},
    **LAB,
    at="act II, feedback D",
    digits=3,
    because="a mean is no bound: at the printed MTBF of 44 min a quarter of all hours pass without a failure",
)

# --- act II: reflection -----------------------------------------------------------------------

snapshot_tiny = Claim(
    "a snapshot of the memory takes nanoseconds to microseconds",
    "<1 ms",
    ground_rules.transfer,
    givens={ground_rules.V: "122.07 MB", ground_rules.b: hardware.pcie5},
    **LAB,
    at="act II, reflection B",
    because="even the 2 TB of the lab are 122 MB for each of 16,384 devices, and a PCIe 5 bus needs 2 ms for them; it needs 14 ms for the full state",
    consequence="the lab's own derivation says 10 to 100 ms, which is right",
)
snapshot_real = Claim(
    "a snapshot of the memory takes 10 to 100 ms",
    "10..100 ms",
    trillion.snapshot,
    **LAB,
    at="act II, overlap analysis",
)
interval_ratio = Claim(
    "a stall of 0.1 s for 5 s changes the best interval by a factor 7",
    "~7",
    "sqrt(5[s] / 0.1[s])",
    **LAB,
    at="act II, reflection B",
)
overhead_before = Claim(
    "with synchronous writes the overhead is about 40 %",
    "~40 %",
    young_daly.equal_terms,
    givens=STORM,
    **LAB,
    at="act II, reflection B",
    because="24 % at the best interval; with redone work it is 48 % to first order, and 40 % happens to be what the designer leaves, not what it loses",
)
stall_is_cost = Claim(
    "with full overlap the stall stands in Young's rule where the write stood",
    sqrt(2 * M * s),
    fleet_checkpointing.async_fits,
    givens=ASYNC,
    **LAB,
    at="act II, overlap analysis",
    because="the next upload cannot begin before the last has ended: below the upload of 5 s no interval is possible; and an upload that slows training counts too",
    consequence="the 3 s that the rule asks for cannot be had; 5 s is the shortest",
)
sync_overhead = Claim(
    "overhead is write over interval, if training waits",
    C / tau,
    young_daly.write_share,
    givens={C: fleet_checkpointing.lab_stall, tau: "20 s"},
    **LAB,
    at="act II, overlap analysis",
)
two_copies = Claim(
    "live state and one snapshot need twice the memory",
    "~2",
    "(14[TB] + 14[TB]) / 14[TB]",
    **LAB,
    at="act II, overlap analysis",
)
total_time = Claim(
    "expected total time: useful time over one less overhead, less rate times loss",
    T_s / (1 - C / tau - (tau / 2 + C) / M),
    progress.free_restart_time,
    givens={T_s: "30 d", C: "10 min", M: "1 h", tau: "30 min"},
    **LAB,
    at="act II, overlap analysis",
    because="a share of useful time and a share of the clock stand in one sum, and a failure pays for a write again",
    consequence="harmless while losses are small; in a storm it doubles the time, and it says never where the job would end",
)
levels_add = Claim(
    "each level of checkpoints has its own Young's interval",
    sqrt(2 * checkpoint_levels.C_1 / checkpoint_levels.M_1)
    + sqrt(2 * checkpoint_levels.C_2 / checkpoint_levels.M_2),
    checkpoint_levels.two_level_least,
    givens=checkpoint_levels.TWO,
    **LAB,
    at="act II, multi-level strategy",
)
seconds_to_recover = Claim(
    "checkpoints in memory recover from the loss of one GPU within seconds",
    "<60 s",
    None,
    **LAB,
    at="act II, multi-level strategy",
    because="the copy is that fast, but detection and restart of the job are not in it; the memory of the failed server is lost unless another holds a replica",
)

# --- takeaways --------------------------------------------------------------------------------

exact_answer = Claim(
    "Young–Daly is exact, not approximate",
    "0 %",
    "fleet_checkpointing.lab_true_optimum / trillion.storm_interval - 1",
    **LAB,
    at="takeaway 1",
    because="it is the first term of a series in the root of write over MTBF: 4 % off in act I, 18 % in act II",
)
without_async = Claim(
    "without asynchronous writes, checkpoint overhead alone takes 30–40 % of the device-hours",
    "30..40 %",
    young_daly.equal_terms,
    givens=STORM,
    **LAB,
    at="takeaway 2",
    because="24 % of the useful time at the best interval, and less of the clock; at the printed MTBF it is 3 %",
    consequence="with the 44 min that are printed, synchronous writes of 5 s would cost 3 %: asynchronous ones are a gain there, not a prerequisite",
)
