"""The audit, decided: how many devices make a fortnight safe, and what the additional ones cost."""

from mathcore import Decision, Formula, Range, Variable
from mathcore.chapters import audit, hardware, sites
from mathcore.chapters.audit import deadline, measured
from mathcore.chapters.audit.deadline import y_o
from mathcore.chapters.audit.fleet import T_r, delta, m
from mathcore.chapters.audit.measured import g_s, w_s
from mathcore.chapters.training import n, t, u

n_own = Variable(
    "n_own",
    "gpu",
    "devices that are there already",
    tex=r"n_{\mathrm{own}}",
    low="8 gpu",
    high="1000000 gpu",
    integer=True,
)
B_x = Variable(
    "B_x", "USD", "rent of the additional devices until the date", tex=r"B_{\mathrm{add}}", display_unit="MUSD"
)

incremental = Formula(
    B_x,
    (n - n_own) * t * w_s / g_s,
    assumptions="the devices that are there already cost the same either way",
    convention="new cash, not an average cost",
)

signature = Decision(
    "How many GPUs keep the date if all else goes as in BLOOM's run?",
    options={n: tuple(f"{nodes * 8} gpu" for nodes in range(64, 257))},
    given={
        **deadline.WEEKS,
        u: audit.mfu,
        delta: measured.DEVICES[delta],
        m: deadline.hours_of_all,
        T_r: measured.elapsed_time,
        y_o: measured.bloom_beside,
        n_own: audit.devices,
        w_s: sites.p5_rate_2026,
        g_s: hardware.server_gpus,
    },
    minimise=incremental,
    constraints={"the run ends by the date": T_r <= t},
    uncertain={
        u: Range(
            "36 %",
            "44 %",
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
    proposed={n: "1176 gpu"},
    labels={
        n: "cluster of",
        B_x: "additional rent",
        T_r: "run takes",
        u: "MFU",
        y_o: "all else over the steps",
        m: "MTBF of a device",
        w_s: "rent of a node",
    },
    expects={n: ("1200 gpu", "1232 gpu")},
)
