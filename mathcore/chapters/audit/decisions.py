"""The audit, decided: in which format how many devices make a fortnight safe, where, and what they cost."""

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import audit, hardware, sites
from mathcore.chapters.audit import deadline, levers, measured
from mathcore.chapters.audit.deadline import y_o
from mathcore.chapters.audit.fleet import T_r, delta, m, waste
from mathcore.chapters.audit.measured import g_s, w_s
from mathcore.chapters.operations import measured as operations_measured
from mathcore.chapters.operations.decisions import q_b
from mathcore.chapters.ownership.decisions import mix
from mathcore.chapters.ownership.measured import q_g
from mathcore.chapters.parallelism import decisions as layouts
from mathcore.chapters.reliability import g
from mathcore.chapters.training import C, n, t, u
from mathcore.chapters.training import decisions as training_decisions
from mathcore.chapters.training.decisions import f_8

n_own = Variable(
    "n_own",
    "gpu",
    "devices that are there already",
    tex=r"n_{\mathrm{own}}",
    low="8 gpu",
    high="1000000 gpu",
    integer=True,
)
u_16 = Variable("u_16", "", "MFU in BF16", tex=r"u_{16}", display_unit="%", low="1 %", high="100 %")
n_free = Variable(
    "n_free",
    "gpu",
    "devices that can be had on the same fabric",
    tex=r"n_{\mathrm{free}}",
    low="0 gpu",
    high="1000000 gpu",
    zero=True,
)
n_add = Variable(
    "n_add",
    "gpu",
    "devices that join our cluster",
    tex=r"n_{\mathrm{add}}",
    low="0 gpu",
    high="1000000 gpu",
    integer=True,
    zero=True,
)
B_add = Variable("B_add", "USD", "rent of the devices", tex=r"B_{\mathrm{add}}", display_unit="MUSD")

incremental = Formula(
    B_add,
    (n - n_own) * T_r * w_s / g_s,
    assumptions="the devices that are there already cost the same either way",
    convention="new cash, not an average cost; by the hour, until the run ends",
)
joining = Formula(n_add, n - n_own, kind="definition")
elsewhere = Formula(
    B_add,
    n * t * q_b / g_s,
    assumptions="the devices that are there already cost the same either way",
    convention="new cash for a whole cluster in another place, where those devices cannot take part",
)
at_cloud = Formula(
    B_add,
    n * T_r * q_g,
    assumptions=(
        "the devices that are there already cost the same either way",
        "the GPU cloud has that many on one fabric, at its price by the hour",
    ),
    convention="new cash for a whole cluster in another place; by the hour, until the run ends",
)

mfu_in_fp8 = Formula(u, f_8 * u_16, kind="definition", convention="of the dense BF16 peak")

# --- all else as in the slowest of the published runs, in FP8 -----------------------------------

mfu_8 = Example(mfu_in_fp8, {f_8: layouts.fp8_predicted, u_16: audit.mfu})
steps_8 = Example(levers.devices_needed, {**levers.TO_DATE, C: audit.work, u: mfu_8}, digits=4)
steps_nodes_8 = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: steps_8}, digits=4)
wasted_8 = Example(waste, {**measured.DEVICES, m: deadline.hours_of_all, n: steps_nodes_8})
opt_8 = Example(
    measured.devices_for_date, {levers.n_0: steps_8, levers.w_0: wasted_8, y_o: measured.opt_beside}, digits=4
)
opt_nodes_8 = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: opt_8}, digits=4)
bloom_8 = Example(
    measured.devices_for_date, {levers.n_0: steps_8, levers.w_0: wasted_8, y_o: measured.bloom_beside}, digits=4
)
bloom_nodes_8 = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: bloom_8}, digits=4)
RENT = {n_own: audit.devices, w_s: sites.p5_rate_2026, g_s: hardware.server_gpus}
y_r = Variable("y_r", "", "share of the rent that FP8 saves", tex=r"y_{\mathrm{rent}}", display_unit="%")
rent_saved = Formula(y_r, 1 - 1 / f_8, assumptions="the same failures and losses besides the steps in either format")
rent_saved_8 = Example(rent_saved, {f_8: layouts.fp8_predicted}, digits=2)
bloom_rent_16 = Example(
    at_cloud, {q_g: sites.demand_median, n: measured.bloom_nodes, T_r: measured.offer_as_bloom}, digits=3
)
block_rent_8 = Example(
    elsewhere,
    {q_b: operations_measured.block_h100, g_s: hardware.server_gpus, n: bloom_nodes_8, t: deadline.date},
    digits=3,
)

signature = Decision(
    "How many GPUs meet the date if all else goes as in BLOOM's run, and where?",
    options={
        "format": {"BF16": {u: 1 * u_16}, "FP8": {u: mfu_in_fp8}},
        "where": {
            "our cluster": {B_add: incremental, n_add: joining},
            "elsewhere": {B_add: elsewhere, n_add: "0 gpu"},
            "GPU cloud": {B_add: at_cloud, n_add: "0 gpu"},
        },
        n: tuple(f"{nodes * 8} gpu" for nodes in range(64, 193)),
    },
    given={
        **deadline.WEEKS,
        delta: measured.DEVICES[delta],
        m: deadline.hours_of_all,
        T_r: measured.elapsed_time,
        y_o: measured.bloom_beside,
        **RENT,
    },
    minimise=B_add,
    constraints={"the run ends by the date": T_r <= t, "the fabric has the GPUs": n_add <= n_free},
    uncertain={
        f_8: Range(
            layouts.fp8_least,
            layouts.fp8_greatest,
            value=layouts.fp8_predicted,
            source="90 % of other systems at the hidden size of 70 billion parameters",
        ),
        u_16: training_decisions.MEASURED_MFU,  # until an hour on the cluster has measured it
        y_o: Range(
            measured.llama_beside,
            measured.opt_beside,
            one_sided="the best of seven published runs, and nothing can be less than none",
        ),
        m: Range(deadline.m_seen, measured.glm_device),
        w_s: Range(
            "19.4 USD/h",
            "60 USD/h",
            source="from eight GPUs at an index of spot prices in June 2026 to lists of large providers",
            one_sided="nobody pays much more than the list price on demand",
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
    error=("1.5 %", "whole nodes, and the MFU that the step model loses from 512 to 1,216 GPUs"),
    columns=(T_r,),
    proposed={"format": "FP8", "where": "GPU cloud", n: opt_nodes_8},
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
        "GPU cloud": "at a GPU cloud",
        n_free: "GPUs free on our fabric",
    },
    expects={"format": "FP8", "where": "GPU cloud", n: ("848 gpu", "1536 gpu")},
)
