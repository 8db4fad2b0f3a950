"""The audit, decided: in which format how many devices make a fortnight safe, where, and what they cost."""

from sympy import ceiling

from mathcore import Decision, Example, Formula, Max, One, Range, Variable, read_facts
from mathcore.chapters import audit, hardware, sites
from mathcore.chapters.audit import deadline, fleet, levers, measured
from mathcore.chapters.audit.deadline import y_o
from mathcore.chapters.audit.fleet import T_r, delta, m, t_l, waste
from mathcore.chapters.audit.measured import g_s, w_s
from mathcore.chapters.collectives import beta
from mathcore.chapters.operations import measured as operations_measured
from mathcore.chapters.operations.decisions import q_b
from mathcore.chapters.ownership.decisions import mix
from mathcore.chapters.ownership.measured import q_g
from mathcore.chapters.parallelism import decisions as layouts
from mathcore.chapters.reliability import g
from mathcore.chapters.training import C, P, n, t, u
from mathcore.chapters.training import decisions as training_decisions
from mathcore.chapters.training.decisions import f_8

n_own = Variable(
    "n_own",
    "gpu",
    "existing devices",
    tex=r"n_{\mathrm{own}}",
    low="8 gpu",
    high="1000000 gpu",
    integer=True,
)
u_16 = Variable("u_16", "", "MFU in BF16", tex=r"u_{16}", display_unit="%", low="1 %", high="100 %")
HAD = {"low": "0 gpu", "high": "1000000 gpu", "zero": True}
n_free = Variable("n_free", "gpu", "devices available on the same fabric", tex=r"n_{\mathrm{free}}", **HAD)
n_max = Variable("n_max", "gpu", "largest number of devices on one network", tex=r"n_{\max}", **HAD)
t_p = Variable(
    "t_p",
    "s",
    "shortest term for which a cluster is rented",
    tex=r"t_{\mathrm{pay}}",
    display_unit="d",
    low="1 s",
    high="1 year",
)
u_b = Variable("u_b", "", "MFU on our cluster", tex=r"u_{\mathrm{own}}", display_unit="%", low="1 %", high="100 %")
B_add = Variable("B_add", "USD", "rent of the devices", tex=r"B_{\mathrm{add}}", display_unit="MUSD")

t_16 = Variable("t_16", "s", "backward pass of the last micro-batch in BF16", tex=r"t_{16}", low="1 us", high="1 h")
y_e = Variable(
    "y_e", "", "growth of the cluster with one sequence at a time", tex=r"y_{\mathrm{one}}", display_unit="%"
)
n_4 = Variable("n_4", "gpu", "devices with four sequences at a time", tex=r"n_{4}", low="8 gpu", high="1000000 gpu")
k_b = Variable("k_b", "", "servers of reserved blocks on one network", low="1", high="100000", integer=True)
y_u = Variable("y_u", "", "relative loss of MFU on a larger cluster", tex=r"y_{u}", display_unit="%")
u_s = Variable(
    "u_s", "", "MFU on the smaller cluster", tex=r"u_{\mathrm{s}}", display_unit="%", low="1 %", high="100 %"
)

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

incremental = Formula(
    B_add,
    (n - n_own) * T_r * w_s / g_s,
    assumptions="the existing devices cost the same either way",
    convention="new cash, not an average cost; by the hour, until the run ends",
)
joining = Formula(n_max, n_own + n_free, kind="definition")
elsewhere = Formula(
    B_add,
    n * t * q_b / g_s,
    assumptions="the existing devices cost the same either way",
    convention="new cash for a whole cluster in another place, where those devices cannot take part",
)
at_cloud = Formula(
    B_add,
    n * T_r * q_g,
    assumptions=(
        "the existing devices cost the same either way",
        "the GPU cloud has that many on one fabric, at its price by the hour",
    ),
    convention="new cash for a whole cluster in another place; by the hour, until the run ends",
)

for_terms = Formula(
    B_add,
    n * q_g * t_p * ceiling(T_r / t_p),
    assumptions=(
        "the existing devices cost the same either way",
        "the GPU cloud has that many on one network, at its price by the hour",
    ),
    convention="new cash for a whole cluster in another place; each term that has begun is paid",
)

mfu_in_fp8 = Formula(u_b, f_8 * u_16, kind="definition", convention="of the dense BF16 peak")
last_in_fp8 = Formula(t_l, t_16 / f_8, assumptions="the backward pass shortens as much as the step")


def exposed(devices):
    """Return how long a step waits for the ring on that many devices, eight per replica."""
    return Max(
        0 * One("s"), 2 * (devices - deadline.REACH * One("gpu")) / devices * deadline.GRADIENT_BYTES / beta - t_l
    )


mfu_elsewhere = Formula(
    u,
    1 / (1 / u_b + (n * exposed(n) - n_own * exposed(n_own)) * P / deadline.ARITHMETIC),
    kind="model",
    assumptions=(
        "the batch is fixed: arithmetic and links inside the nodes shrink with the devices, the ring does not",
        "the step waits for the part of the ring that the last backward pass does not hide",
        "NICs as in our cluster",
    ),
    convention="of the dense BF16 peak",
)

# --- all else as in BLOOM's run and in OPT's, the slowest, in FP8 --------------------------------

ON = {P: audit.FLEET[P], n_own: audit.devices, beta: hardware.ndr_port}
MFU_8 = Example(mfu_in_fp8, {f_8: layouts.fp8_predicted, u_16: audit.mfu})


def in_fp8(beside, near, last=fleet.last_of_four):
    """Return the examples of MFU and whole nodes in FP8 that meet the date, from the MFU on a cluster near that size."""
    hidden = Example(last_in_fp8, {f_8: layouts.fp8_predicted, t_16: last})
    mfu = Example(mfu_elsewhere, {**ON, u_b: MFU_8, t_l: hidden, n: near})
    steps = Example(levers.devices_needed, {**levers.TO_DATE, C: audit.work, u: mfu}, digits=4)
    nodes = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: steps}, digits=4)
    wasted = Example(waste, {**measured.DEVICES, n: nodes})
    need = Example(measured.devices_for_date, {levers.n_0: steps, levers.w_0: wasted, y_o: beside}, digits=4)
    return mfu, Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: need}, digits=4)


mfu_bloom_8, bloom_nodes_8 = in_fp8(measured.bloom_beside, "904 gpu")
mfu_opt_8, opt_nodes_8 = in_fp8(measured.opt_beside, "1400 gpu")
_, bloom_nodes_of_one = in_fp8(measured.bloom_beside, "952 gpu", fleet.last)
devices_more = Formula(y_e, n / n_4 - 1, kind="definition")
more_of_one = Example(devices_more, {n: bloom_nodes_of_one, n_4: bloom_nodes_8}, digits=2)
RENT = {n_own: audit.devices, g_s: hardware.server_gpus}
server_price = Formula(w_s, q_g * g_s, kind="definition")
server_median = Example(server_price, {q_g: sites.demand_median, g_s: hardware.server_gpus})
server_spot = Example(server_price, {q_g: sites.demand_spot, g_s: hardware.server_gpus})
devices_of_block = Formula(n_max, k_b * g_s, kind="definition")
one_block = Example(devices_of_block, {k_b: operations_measured.block_most, g_s: hardware.server_gpus})
mfu_lost = Formula(y_u, 1 - u / u_s, kind="definition")
mfu_lost_8 = Example(mfu_lost, {u: mfu_opt_8, u_s: mfu_bloom_8}, digits=2)
y_r = Variable("y_r", "", "share of the rent that FP8 saves", tex=r"y_{\mathrm{rent}}", display_unit="%")
rent_saved = Formula(y_r, 1 - 1 / f_8, assumptions="the same failures and losses besides the steps in either format")
rent_saved_8 = Example(rent_saved, {f_8: layouts.fp8_predicted}, digits=2)
bloom_rent_16 = Example(
    for_terms,
    {q_g: sites.demand_median, n: measured.bloom_nodes, T_r: measured.offer_as_bloom, t_p: facts.cluster_week},
    digits=3,
)
signature = Decision(
    "How many GPUs meet the date if all else goes as in BLOOM's run, and where?",
    options={
        "format": {"BF16": {u_b: 1 * u_16, t_l: 1 * t_16}, "FP8": {u_b: mfu_in_fp8, t_l: last_in_fp8}},
        "where": {
            "our cluster": {B_add: incremental, n_max: joining},
            "elsewhere": {B_add: elsewhere, n_max: one_block},
            "by the hour": {B_add: at_cloud, n_max: facts.cluster_hour_most},
            "by the week": {B_add: for_terms, n_max: facts.cluster_week_most, t_p: facts.cluster_week},
            "by the month": {B_add: for_terms, n_max: facts.cluster_month_most, t_p: facts.cluster_month},
        },
        n: tuple(f"{nodes * 8} gpu" for nodes in range(64, 257)),
    },
    given={
        **deadline.WEEKS,
        delta: measured.DEVICES[delta],
        m: fleet.hours_of_all,
        T_r: measured.elapsed_time,
        y_o: measured.bloom_beside,
        u: mfu_elsewhere,
        beta: ON[beta],
        t_16: fleet.last_of_four,
        **RENT,
    },
    minimise=B_add,
    constraints={"the run ends by the date": T_r <= t, "one network has the GPUs": n <= n_max},
    uncertain={
        f_8: layouts.UNCERTAIN[f_8],
        u_16: training_decisions.MEASURED_MFU,  # until an hour on the cluster has measured it
        y_o: Range(
            measured.llama_beside,
            measured.opt_beside,
            one_sided="the best of seven published runs, and nothing can be less than none",
        ),
        m: Range(deadline.m_seen, measured.glm_device),
        w_s: Range(
            server_spot,
            "98.4 USD/h",
            source="eight GPUs: an index of spot prices to the most expensive list of 2026; today the median of 37 providers",
            value=server_median,
        ),
        q_b: Range(
            operations_measured.block_h100_2024,
            sites.p5_rate_2026,
            source="from Amazon's blocks in 2024 to its price on demand",
            value=operations_measured.block_h100,
        ),
        q_g: mix.uncertain[q_g],
        n_free: Range(
            "0 gpu",
            "1024 gpu",
            source="assumed: from nothing to twice what is there",
            value="0 gpu",
            one_sided="there are no fewer than none",
        ),
    },
    error=(more_of_one, "nodes more if one sequence fits into memory instead of four"),
    columns=(T_r,),
    proposed={"format": "FP8", "where": "by the week", n: opt_nodes_8},
    labels={
        "format": "",
        "where": "",
        n: "{}",
        B_add: "rent",
        T_r: "run takes",
        u_16: "MFU in BF16",
        f_8: "FP8 throughput over BF16",
        y_o: "all else over the steps",
        m: "MTBF of a device",
        w_s: "rent of a node more",
        q_b: "rent of a node in a block",
        q_g: "rent at a GPU cloud",
        "elsewhere": "in a block elsewhere",
        "by the hour": "at a GPU cloud by the hour",
        "by the week": "at a GPU cloud by the week",
        "by the month": "at a GPU cloud by the month",
        n_free: "GPUs free on our fabric",
    },
    expects={"format": "FP8", "where": "by the week", n: ("848 gpu", "1000 gpu")},
)
# The cluster that BF16 needs, in either format; in FP8 it lies between the two sizes that `signature` compares.
planned = signature.variant(
    question="How often do the GPUs planned for BF16 miss the date, in either format?",
    options={
        **signature.options,
        "where": {"by the week": signature.options["where"]["by the week"]},
        n: (measured.bloom_nodes,),
    },
    proposed={"format": "BF16", "where": "by the week", n: measured.bloom_nodes},
    expects={"format": "FP8", "where": "by the week", n: "1216 gpu"},
)
