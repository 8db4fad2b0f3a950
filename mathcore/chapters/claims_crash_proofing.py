"""The Art of Crash-Proofing: what a chapter on fault tolerance prints, and what it is when computed."""

from sympy import sqrt

from mathcore.teaching import Claim
from mathcore.chapters import (
    operations,
    progress,
    reliability,
    resilience,
    retention,
    sites,
    young_daly,
)

BOOK = {"source": "crash_proofing"}

# --- introduction and 9.3.1 -------------------------------------------------------------------

FAILURE = "section 9.3.1"
certainty = Claim(
    "three months on 512 GPUs fail for certain, at the chapter's own rate for each of 64 servers",
    "100 %",
    reliability.luck,
    {reliability.p: "0.001", reliability.n_d: "5760"},
    **BOOK,
    at="introduction",
    digits=3,
)
success = Claim(
    "a run succeeds with the daily chance of each node, to the power of node-days",
    (1 - reliability.p) ** reliability.n_d,
    reliability.undisturbed,
    {reliability.p: "0.001", reliability.n_d: "30000"},
    **BOOK,
    at=f"{FAILURE}, formula",
)
single_node = Claim(
    "one node runs 30 days undisturbed with 97 %",
    "97 %",
    reliability.undisturbed,
    {reliability.p: "0.001", reliability.n_d: "30"},
    **BOOK,
    at=FAILURE,
)
thousand_nodes = Claim(
    "a thousand nodes run 30 days undisturbed with 0.00000000000009 %",
    "9e-14 %",
    reliability.undisturbed,
    {reliability.p: "0.001", reliability.n_d: "30000"},
    **BOOK,
    at=FAILURE,
    because="9·10⁻¹⁴ is the chance as a fraction; a percent sign was added without moving the point",
    consequence="the conclusion stands: 9 in a trillion per cent are as hopeless",
)
lost_day = Claim(
    "a crash that loses 24 hours of 64 servers costs about 50,000 dollars at the chapter's price",
    "~50000 USD",
    "64 * 32.77[USD/h] * 24[h]",
    **BOOK,
    at=FAILURE,
)
too_often = Claim(
    "checkpointing too often wastes 20 % of the cycles",
    "20 %",
    None,
    **BOOK,
    at=FAILURE,
    because="no interval is named; with the chapter's write of 5 minutes it is one every 20 to 25 minutes",
)
CASE = {young_daly.C: "5 min", young_daly.M: "12 h"}
young = Claim(
    "the best interval is the root of twice write time and MTBF",
    sqrt(2 * young_daly.C * young_daly.M),
    young_daly.interval,
    CASE,
    **BOOK,
    at=f"{FAILURE}, formula",
)
twice_a_day = Claim(
    "an MTBF of 12 hours is two failures a day",
    "2 /d",
    "1 / 12[h]",
    **BOOK,
    at=f"{FAILURE}, example",
)
write_hours = Claim("5 minutes are 0.083 hours", "0.083 h", "5[min]", **BOOK, at=f"{FAILURE}, example")
interval = Claim(
    "12 hours and 5 minutes give an interval of 1.41 hours",
    "1.41 h",
    young_daly.interval,
    CASE,
    **BOOK,
    at=f"{FAILURE}, example",
)
interval_minutes = Claim(
    "so a checkpoint is due about every 90 minutes",
    "~90 min",
    young_daly.interval,
    CASE,
    **BOOK,
    at=f"{FAILURE}, example",
)

# --- 9.3.2 what a checkpoint holds ------------------------------------------------------------

ANATOMY = "section 9.3.2"
weight_bytes = Claim("weights in BF16 take 2 bytes", "2 B", resilience.bytes_weight, **BOOK, at=ANATOMY)
master_bytes = Claim(
    "master weights in FP32 take 4 bytes", "4 B", resilience.bytes_master, **BOOK, at=ANATOMY
)
momentum_bytes = Claim(
    "the first moment in FP32 takes 4 bytes", "4 B", resilience.bytes_first, **BOOK, at=ANATOMY
)
variance_bytes = Claim(
    "the second moment in FP32 takes 4 bytes", "4 B", resilience.bytes_second, **BOOK, at=ANATOMY
)
gradient_bytes = Claim(
    "gradients take 2 bytes in memory", "2 B", resilience.bytes_gradient, **BOOK, at=ANATOMY
)
SAVED = {
    resilience.b_w: "2 B",
    resilience.b_M: "4 B",
    resilience.b_1: "4 B",
    resilience.b_2: "4 B",
    resilience.b_g: "0 B",
}
checkpoint_bytes = Claim(
    "a checkpoint takes about 16 bytes for each parameter",
    "~16 B",
    resilience.bytes_per_parameter,
    SAVED,
    **BOOK,
    at=ANATOMY,
    because="the sum includes the 2 bytes of gradients, of which the same list says that they are usually not saved",
    consequence="every size and bill of the chapter that follows from it is a seventh too large",
)
checkpoint_size = Claim(
    "a checkpoint of 70B takes about 1.12 TB",
    "~1.12 TB",
    "70e9 * 14[B]",
    **BOOK,
    at=ANATOMY,
    because="it repeats the 16 bytes: without gradients 0.98 TB",
)
five_kept = Claim(
    "five of them take 5.6 TB",
    "5.6 TB",
    "5 * 70e9 * 14[B]",
    **BOOK,
    at=ANATOMY,
    because="it repeats the 16 bytes: without gradients 4.9 TB",
)
about_a_terabyte = Claim(
    "checkpoints of 1 TB have to be written",
    "1 TB",
    "70e9 * 14[B]",
    **BOOK,
    at=f"{ANATOMY}, storage backends",
    digits=2,
)
STORES = f"{ANATOMY}, storage backends"
VENDOR = "a statement of the vendor; the chapter names no source and no date"
durability = Claim(
    "S3 keeps objects with 99.999999999 %", "99.999999999 %", None, **BOOK, at=STORES, because=VENDOR
)
s3_price = Claim(
    "S3 costs 0.023 dollars for a GB and month, a GB of Amazon's",
    "0.023 USD/GiB",
    sites.s3_standard,
    **BOOK,
    at=STORES,
)
s3_latency = Claim("a write to S3 waits 50 to 100 ms", "50..100 ms", None, **BOOK, at=STORES, because=VENDOR)
s3_rate = Claim(
    "several nodes write about 10 GB/s to S3",
    "~10 GB/s",
    None,
    **BOOK,
    at=STORES,
    because="the number of nodes is missing, on which it depends; at that rate the checkpoint takes 98 s, not the 5 minutes of 9.3.1",
)
efs_latency = Claim("a request to EFS waits 1 to 5 ms", "1..5 ms", None, **BOOK, at=STORES, because=VENDOR)
efs_price = Claim(
    "EFS costs 0.30 dollars for a GB and month",
    "0.30 USD/GB",
    None,
    **BOOK,
    at=STORES,
    because="prices want a region and a date; neither is given",
)
lustre_latency = Claim(
    "a request to FSx for Lustre waits less than 1 ms", "<1 ms", None, **BOOK, at=STORES, because=VENDOR
)
lustre_rate = Claim(
    "FSx for Lustre reaches hundreds of GB/s",
    ">100 GB/s",
    None,
    **BOOK,
    at=STORES,
    because="a large one may, as throughput grows with size; the 7,200 GB of the chapter's own example reach 1.8 GB/s",
)
lustre_price = Claim(
    "FSx for Lustre costs 0.14 to 0.60 dollars for a GB and month",
    "0.14..0.60 USD/GiB",
    operations.price_125,
    **BOOK,
    at=STORES,
)
lustre_step = Claim(
    "its size grows in steps of 1.2 TB",
    "1200 GiB",
    operations.fsx_step,
    **BOOK,
    at=f"{ANATOMY}, Terraform, comment",
    because="of the kind that is asked for (PERSISTENT_2) 1.2 TiB is only the smallest size; from 2.4 TiB on it grows by 2.4",
    consequence="the 7,200 of the example are allowed, 3,600 or 6,000 would not be",
)
lustre_choice = Claim(
    "250 MB/s for each TB is one of the throughputs on offer",
    "250 MB/s/TiB",
    operations.fsx_250,
    **BOOK,
    at=f"{ANATOMY}, Terraform, comment",
)
lustre_ports = Claim(
    "the rule lets through the four ports named above it: 988 and 1021 to 1023",
    "4",
    "988 - 988 + 1",
    **BOOK,
    at=f"{ANATOMY}, Terraform, comment",
    because="the rule opens from 988 to 988 only",
    consequence="servers of the file system cannot call back on the higher ports",
)

# --- 9.3.3 spot -------------------------------------------------------------------------------

SPOT = "section 9.3.3"
on_demand_training = Claim(
    "training on demand can cost more than 500,000 dollars, as section 9.3.13 shows",
    ">500000 USD",
    "100 * 32.77[USD/h] * 720[h]",
    **BOOK,
    at=SPOT,
)
spot_saving = Claim(
    "spot instances save 70 %: at the lower of the chapter's two prices",
    "70 %",
    "1 - 10[USD/h] / (32.77[USD/h])",
    **BOOK,
    at=SPOT,
)
spot_saving_high = Claim(
    "spot instances save 70 %: at the higher of the chapter's two prices",
    "70 %",
    "1 - 15[USD/h] / (32.77[USD/h])",
    **BOOK,
    at=SPOT,
    because="paying 15 of 32.77 dollars saves 54 %; 70 % is the best case of the range",
    consequence="the price ratio lies between 0.31 and 0.46, before any lost work is paid",
)
notice = Claim(
    "capacity is reclaimed with a notice of 2 minutes", "2 min", sites.spot_notice, **BOOK, at=SPOT
)
on_demand_price = Claim(
    "a server with eight A100 costs 32.77 dollars an hour on demand",
    "32.77 USD/h",
    sites.p4d_rate_2023,
    **BOOK,
    at=SPOT,
)
spot_price = Claim(
    "the same server costs about 10 to 15 dollars an hour on the spot market",
    "10..15 USD/h",
    None,
    **BOOK,
    at=SPOT,
    because="spot prices change by zone and hour; region and date are missing",
)
six_hours = Claim(
    "six hours lost in thirty days cost less than the 200,000 dollars saved",
    "<200000 USD",
    "200000[USD] / 0.7 * 6[h] / (720[h])",
    **BOOK,
    at=SPOT,
)
core_nodes = Claim(
    "the auto-scaling group keeps about 10 % of its 50 nodes on demand, as advised",
    "~10 %",
    operations.on_demand_share,
    {operations.n_0: "5", operations.q_o: "10 %", operations.n_v: "50"},
    **BOOK,
    at=f"{SPOT}, Terraform",
    digits=2,
    because="five are guaranteed, and 10 % of the other 45 come on top: 9.5 of 50",
    consequence="the mixed price is 44 % of the list price rather than 37 %, at 10 dollars for spot",
)
spot_interval = Claim(
    "an MTBF of 6 hours asks for checkpoints every 30 to 60 minutes, with writes of 5 minutes",
    "30..60 min",
    young_daly.interval,
    {young_daly.C: "5 min", young_daly.M: "6 h"},
    **BOOK,
    at=SPOT,
)
emergency = Claim(
    "an emergency checkpoint is saved within the two minutes",
    "<2 min",
    resilience.write_time_of_store,
    {resilience.S: "0.98 TB", resilience.V_s: "7200 GB", resilience.rho: "250 MB/s/TB"},
    **BOOK,
    at=f"{SPOT}, interruption handler",
    because="the chapter's own file system takes nine minutes for its own checkpoint, its example of a write five; only the 10 GB/s hoped for from S3 would make it",
    consequence="the handler saves nothing in time: what survives is the last regular checkpoint",
)

# --- 9.3.5 health -----------------------------------------------------------------------------

hot = Claim(
    "a GPU above 85 °C is overheating",
    "85",
    None,
    **BOOK,
    at="section 9.3.5, alert rules",
    because="the limit of the device is not named; a sensor reading has one only for a given product",
)
stalled = Claim(
    "the alarm for a stalled run sounds after 15 minutes without a step",
    "15 min",
    "10[min] + 15[min]",
    **BOOK,
    at="section 9.3.5, alert rules",
    because="the rate over ten minutes is zero only once ten minutes are empty; the fifteen of the rule begin then",
    consequence="each hang costs the whole fleet ten minutes more than the rule suggests",
)

# --- 9.3.7 retention --------------------------------------------------------------------------

ZOO = "section 9.3.7"
zoo_count = Claim("one each hour for 30 days makes 720 checkpoints", "720", "30[d] / (1[h])", **BOOK, at=ZOO)
zoo_size = Claim("at 1 TB each they take 720 TB", "720 TB", "720 * 1[TB]", **BOOK, at=ZOO)
zoo_bill = Claim(
    "which costs 16,560 dollars a month on S3, a GB taken as 10⁹ bytes",
    "16560 USD",
    retention.storage_price,
    {
        retention.kappa: "0.023 USD/GB",
        retention.V: "720 TB",
        retention.T: sites.month,
        retention.Y: sites.month,
    },
    **BOOK,
    at=ZOO,
)
weekly_kept = Claim(
    "weekly checkpoints are kept for 3 months",
    "90 d",
    "30[d]",
    **BOOK,
    at=f"{ZOO}, tiered retention and Terraform",
    digits=2,
    because="the lifecycle rule beneath deletes every checkpoint after 30 days, the weekly ones too",
    consequence="two of three months of the policy do not exist",
)
diff_saving = Claim(
    "saving only differences makes a checkpoint 10 to 50 times smaller",
    "10..50",
    "14[B] / (14[B])",
    **BOOK,
    at=f"{ZOO}, diff checkpoints",
    because="the code subtracts and saves a tensor of the same shape and type: every byte is still there, most of them not zero",
    consequence="nothing is saved, and a restore now needs every link of the chain",
)

# --- 9.3.8 disasters --------------------------------------------------------------------------

DISASTER = "section 9.3.8"
replication = Claim(
    "copying to another region costs 0.02 dollars for a GB",
    "0.02 USD/GiB",
    sites.replication,
    **BOOK,
    at=f"{DISASTER}, costs",
)
archive_price = Claim(
    "the archive tier costs 0.004 dollars for a GB and month",
    "0.004 USD/GiB",
    sites.s3_archive,
    **BOOK,
    at=f"{DISASTER}, costs",
)
archive_saving = Claim(
    "that is 75 % cheaper than the standard tier",
    "75 %",
    "1 - 0.004[USD/GiB] / (0.023[USD/GiB])",
    **BOOK,
    at=f"{DISASTER}, costs",
    because="with the chapter's own two prices it is 83 %",
)
copy_cost = Claim(
    "copying 10 TB costs 200 dollars", "200 USD", "10[TB] * 0.02[USD/GB]", **BOOK, at=f"{DISASTER}, costs"
)
archive_cost = Claim(
    "keeping 10 TB there costs 40 dollars a month",
    "40 USD",
    "10[TB] * 0.004[USD/GB]",
    **BOOK,
    at=f"{DISASTER}, costs",
)
replication_time = Claim(
    "objects arrive in the other region within 15 minutes",
    "<15 min",
    None,
    **BOOK,
    at=f"{DISASTER}, Terraform, comment",
    because=VENDOR,
)
recovery_point = Claim(
    "after a disaster at most 15 minutes of work are lost",
    "15 min",
    resilience.recovery_point,
    {resilience.tau: "60 min", resilience.C: "5 min", resilience.l: "15 min"},
    **BOOK,
    at=f"{DISASTER}, targets",
    because="15 minutes is the replication alone; the hour between checkpoints (9.3.9) and the write come on top",
    consequence="the target asks for continuous checkpoints: replication has used it up already",
)
recovery_time = Claim(
    "training runs again after 2 hours",
    "2 h",
    None,
    **BOOK,
    at=f"{DISASTER}, targets",
    because="the time to find a hundred GPU servers in another region is missing, which decides it; reading back is nine minutes",
)

# --- 9.3.9 deltas -----------------------------------------------------------------------------

DELTA = "section 9.3.9"
hourly_size = Claim(
    "a full checkpoint of 70B takes 1.1 TB",
    "1.1 TB",
    "70e9 * 14[B]",
    **BOOK,
    at=DELTA,
    because="it repeats the 16 bytes of 9.3.2",
)
full_size = Claim(
    "a full checkpoint takes 1.1 TB, against which deltas are held",
    "1.1 TB",
    "70e9 * 14[B]",
    **BOOK,
    at=f"{DELTA}, compression ratio",
    because="it repeats the 16 bytes of 9.3.2",
)
change = Claim(
    "a step changes parameters by 0.01 to 0.1 %",
    "0.01..0.1 %",
    None,
    **BOOK,
    at=f"{DELTA}, compression ratio",
    because="by how much is no matter: a delta is small where few parameters change, and Adam changes nearly all in each step",
)
delta_size = Claim(
    "a delta takes about 10 to 50 GB",
    "10..50 GB",
    None,
    **BOOK,
    at=f"{DELTA}, compression ratio",
    because="the share that changes is missing; with two 8-byte indices for each 4-byte value a delta is larger than the whole from 20 % on",
)
delta_saving = Claim(
    "50 GB in place of 1.1 TB are 95 % less",
    "95 %",
    "1 - 50[GB] / (1100[GB])",
    **BOOK,
    at=f"{DELTA}, compression ratio",
)
full_every = Claim(
    "a full checkpoint is due every 100 steps",
    "100",
    None,
    **BOOK,
    at=f"{DELTA}, hybrid strategy",
    because="the time of a step is missing; with steps of nine seconds that is every 15 minutes, six times as often as 9.3.1 computes",
)

# --- 9.3.12 chaos -----------------------------------------------------------------------------

CHAOS = "section 9.3.12"
kill_period = Claim(
    "a kill every 30 minutes leaves time for the next checkpoint of 9.3.1: it comes sooner",
    "<30 min",
    "90[min] + 5[min]",
    **BOOK,
    at=f"{CHAOS}, experiment 1",
    because="the next checkpoint is complete after 95 minutes, and the third kill has come by then",
    consequence="the run resumes each time, as expected, and never moves on",
)
partition = Claim(
    "a partition of 5 minutes outlasts the communication's timeout",
    "<5 min",
    progress.nccl_timeout,
    **BOOK,
    at=f"{CHAOS}, experiment 2",
    because="the default of PyTorch for NCCL is ten minutes, and was thirty before",
    consequence="the run hangs for five minutes and goes on: neither crash nor watchdog is tested",
)
bit_flip = Claim(
    "the script injects a flipped bit: writes no more than one",
    "1 bit",
    "100[B]",
    **BOOK,
    at=f"{CHAOS}, experiment 3",
    because="it overwrites 100 bytes, and all within the first 33 kB of the file, since the shell's random number ends at 32,767",
    consequence="the easy case is tested, a broken header; one flipped bit deep in a tensor is the hard one",
)

# --- 9.3.13 costs -----------------------------------------------------------------------------

COST = "section 9.3.13, table"
compute_bill = Claim(
    "100 servers cost 2,359,440 dollars in 720 hours",
    "2359440 USD",
    "100 * 32.77[USD/h] * 720[h]",
    **BOOK,
    at=f"{COST}, compute",
)
write_penalty = Claim(
    "writing checkpoints costs about 5 % of the time, with the values of 9.3.1",
    "~5 %",
    young_daly.write_share,
    {young_daly.C: "5 min", young_daly.tau: "90 min"},
    **BOOK,
    at=f"{COST}, checkpoints",
)
write_bill = Claim(
    "5 % of the time are about 118,000 dollars",
    "~118000 USD",
    "0.05 * 2359440[USD]",
    **BOOK,
    at=f"{COST}, checkpoints",
)
storage_without = Claim(
    "storage costs 1,400 dollars without fault tolerance",
    "1400 USD",
    None,
    **BOOK,
    at=f"{COST}, storage",
    because="no size and no tier is given; and what is stored where no checkpoint is written is left open",
)
storage_with = Claim(
    "storage costs 3,500 dollars with fault tolerance",
    "3500 USD",
    None,
    **BOOK,
    at=f"{COST}, storage",
    because="no size and no tier is given",
)
storage_more = Claim(
    "the difference is 2,100 dollars", "2100 USD", "3500[USD] - 1400[USD]", **BOOK, at=f"{COST}, storage"
)
monitoring = Claim(
    "monitoring costs 500 dollars",
    "500 USD",
    None,
    **BOOK,
    at=f"{COST}, monitoring",
    because="no product and no price is given",
)
interruptions = Claim(
    "three interruptions cost 2,000 dollars, each half of an interval of 30 minutes",
    "2000 USD",
    "3 * 15[min] * 100 * 32.77[USD/h]",
    **BOOK,
    at=f"{COST}, interruptions",
)
catastrophe = Claim(
    "an unprotected run of 100 nodes and 30 days fails with 10 %",
    "10 %",
    reliability.luck,
    {reliability.p: "0.001", reliability.n_d: "3000"},
    **BOOK,
    at=f"{COST}, expected loss",
    because="by the rate of 9.3.1 a hundred nodes survive thirty days with 5 %; without checkpoints any failure is the catastrophe",
    consequence="protection is not a gain of 5 %: without it the run practically never ends",
)
expected_loss = Claim(
    "10 % of the bill are 235,944 dollars",
    "235944 USD",
    resilience.expected_loss,
    {resilience.B: "2359440 USD", resilience.a: "10 %"},
    **BOOK,
    at=f"{COST}, expected loss",
)
rest_of_loss = Claim(
    "with checkpoints failures cost nothing more",
    "0 USD",
    "2359440[USD] * (90[min] / 2) / (10[d])",
    **BOOK,
    at=f"{COST}, expected loss",
    because="each of three failures still costs half an interval of the whole cluster",
)
total_without = Claim(
    "without fault tolerance the total is 2,596,784 dollars",
    "2596784 USD",
    "2359440[USD] + 1400[USD] + 235944[USD]",
    **BOOK,
    at=f"{COST}, total",
)
total_with = Claim(
    "with fault tolerance the total is 2,485,540 dollars",
    "2485540 USD",
    "2359440[USD] + 118000[USD] + 3500[USD] + 500[USD] + 2000[USD]",
    **BOOK,
    at=f"{COST}, total",
    because="the extra 2,100 dollars for storage are added a second time",
)
total_gain = Claim(
    "so fault tolerance saves 111,244 dollars",
    "-111244 USD",
    "118000[USD] + 2100[USD] + 500[USD] + 2000[USD] - 235944[USD]",
    **BOOK,
    at=f"{COST}, total",
    because="it repeats the storage that was counted twice: the column sums to 113,344",
    consequence="the conclusion stands and is far too modest: with the chapter's own failure rate the unprotected run takes 191 days on average",
)
bare_run = Claim(
    "an unprotected run costs 10 % more than an undisturbed one, on average",
    "10 %",
    "10[d] / (30[d]) * (exp(3) - 1) - 1",
    **BOOK,
    at="section 9.3.13, conclusion",
    because="three failures are due in thirty days, and each starts it from zero: it takes six times as long",
    consequence="the bill without protection is 15 million dollars rather than 2.6",
)
