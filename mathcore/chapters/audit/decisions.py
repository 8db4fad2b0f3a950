"""The audit, decided: in which format how many devices make a fortnight safe, and what the additional ones cost."""

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import audit, hardware, sites
from mathcore.chapters.audit import deadline, levers, measured
from mathcore.chapters.audit.deadline import y_o
from mathcore.chapters.audit.fleet import T_r, delta, m
from mathcore.chapters.audit.measured import g_s, w_s
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
B_x = Variable(
    "B_x", "USD", "rent of the additional devices until the date", tex=r"B_{\mathrm{add}}", display_unit="MUSD"
)

incremental = Formula(
    B_x,
    (n - n_own) * t * w_s / g_s,
    assumptions="the devices that are there already cost the same either way",
    convention="new cash, not an average cost",
)

mfu_in_fp8 = Formula(u, f_8 * u_16, kind="definition", convention="of the dense BF16 peak")

# --- all else as in the slowest of the four runs, in FP8 -----------------------------------

mfu_8 = Example(mfu_in_fp8, {f_8: training_decisions.fp8_nearest, u_16: audit.mfu})
steps_8 = Example(levers.devices_needed, {**levers.TO_DATE, C: audit.work, u: mfu_8}, digits=4)
steps_nodes_8 = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: steps_8}, digits=4)
opt_8 = Example(
    measured.devices_for_date,
    {levers.n_0: steps_8, levers.w_0: measured.wasted(steps_nodes_8), y_o: measured.opt_beside},
    digits=4,
)
opt_nodes_8 = Example(levers.whole_nodes, {g: hardware.server_gpus, levers.n_0: opt_8}, digits=4)
RENT = {n_own: audit.devices, w_s: sites.p5_rate_2026, g_s: hardware.server_gpus}
opt_rent_8 = Example(incremental, {**RENT, n: opt_nodes_8, t: deadline.date}, digits=2)

signature = Decision(
    "How many GPUs keep the date if all else goes as in BLOOM's run?",
    options={
        "format": {"BF16": {u: 1 * u_16}, "FP8": {u: mfu_in_fp8}},
        n: tuple(f"{nodes * 8} gpu" for nodes in range(64, 257)),
    },
    given={
        **deadline.WEEKS,
        delta: measured.DEVICES[delta],
        m: deadline.hours_of_all,
        T_r: measured.elapsed_time,
        y_o: measured.bloom_beside,
        **RENT,
    },
    minimise=incremental,
    constraints={"the run ends by the date": T_r <= t},
    uncertain={
        f_8: training_decisions.UNCERTAIN[f_8],
        u_16: Range(
            "36 %",
            "44 %",
            value=audit.mfu,
            source="assumed: four points on either side of the plan, until an hour on the cluster has measured it",
        ),
        y_o: Range(
            measured.llama_beside,
            measured.opt_beside,
            one_sided="the best of four published runs, and nothing can be less than none",
        ),
        m: Range(deadline.m_seen, measured.llama_device),
        w_s: Range(
            "19.4 USD/h",
            "60 USD/h",
            source="eight GPUs at an index of spot prices in June 2026, to lists of large providers",
            one_sided="nobody pays much more than the list price on demand",
        ),
    },
    error=("1 %", "whole nodes"),
    columns=(T_r,),
    proposed={"format": "BF16", n: measured.bloom_nodes},
    labels={
        "format": "",
        n: "cluster of",
        B_x: "additional rent",
        T_r: "run takes",
        u_16: "MFU in BF16",
        f_8: "FP8 throughput over BF16",
        y_o: "all else over the steps",
        m: "MTBF of a device",
        w_s: "rent of a node",
    },
    expects={"format": "FP8", n: ("832 gpu", "864 gpu")},
)
