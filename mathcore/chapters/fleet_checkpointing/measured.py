"""Fleet checkpointing, measured: writing and loading through real storage."""

from mathcore import Derivation, Example, Formula, Min, Variable
from mathcore.chapters import fleet_checkpointing, resilience
from mathcore.chapters.fleet_checkpointing import FLEET, R, d, g, i_u, u
from mathcore.chapters.resilience import C, N, S, b, b_n
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

t_l = Variable(
    "t_l", "s", "time to load a checkpoint", tex=r"t_{\mathrm{load}}", display_unit="min", low="0.1 s", high="1 d"
)
x_m = Variable("x_m", "", "time measured over time predicted", tex=r"x_{\mathrm{m}}", low="0.01", high="100")
a_0 = Variable("a_0", "", "time to load over time to save, as fitted", tex=r"a_{0}", low="0.01", high="100")
a_l = Variable("a_l", "", "time to load over time to save", tex=r"a_{\mathrm{load}}", low="0.01", high="100")

# --- data and comparisons --------------------------------------------------------------------

store = Dataset("checkpoint_store")
write = (
    Derivation.start(resilience.write_time)
    .rewrite(S / Min(N * b_n, b), "the slower of the two rates, as one fraction")
    .formula()
)
WRITE = {
    "formula": write,
    "data": store,
    "measured": "save",
    "columns": {S: "size", N: "ranks"},
    "fit": {"machine": "one node of H100s"},
    "over": {"size": "size", "ranks": "ranks"},
}
own_library = Comparison(
    **WRITE,
    only={"library": "Dataflux DCP"},
    fit_parameters={b_n: ("0.1 GB/s/gpu", "2 GB/s/gpu"), b: ("0.3 GB/s", "5 GB/s")},
    system="saving to a bucket, the provider's library",
    bound=("75 %", "85 %"),
    note="The rates of one node do not transfer to another: the same bucket, library and protocol are three times slower from small nodes.",
)
plain_library = Comparison(
    **WRITE,
    only={"library": "fsspec DCP"},
    fit_parameters={b_n: ("0.02 GB/s/gpu", "1 GB/s/gpu"), b: ("0.1 GB/s", "2 GB/s")},
    system="saving to a bucket, the plain library",
    bound=("20 %", "55 %"),
    note="A library that is slow everywhere is slow in the same way everywhere: its limit is its own, not that of the storage.",
)
loading = Formula(t_l, a_l * C, assumptions="the same storage, ranks and library for both")
load_after_save = Comparison(
    formula=loading,
    data=store,
    measured="load",
    columns={C: "save"},
    fit_parameters={a_l: ("0.5", "8")},
    fit={"machine": "one node of H100s"},
    over={"save": "save"},
    system="loading against saving, six libraries",
    bound=("70 %", "1500 %"),
    note="From a bucket, loading takes four times as long as saving; on a node of CPUs it is anything from half to seven times, on fleets from less than a third to thirteen times.",
)

# For another library and machine: the load over the save, at both ends of the band.
elsewhere = Formula(a_l, x_m * a_0, assumptions="another library or system is off by as much")
FITTED = {a_0: load_after_save.fitted_parameters["a_l"]}
load_least = Example(elsewhere, {x_m: load_after_save.system_low, **FITTED}, digits=2)
load_greatest = Example(elsewhere, {x_m: load_after_save.system_high, **FITTED}, digits=2)

# --- worked examples -------------------------------------------------------------------------

slow_slowdown = Example(fleet_checkpointing.slowdown, {i_u: fleet_checkpointing.interference_process, u: "6 min"})
SLOW = {**FLEET, u: "6 min", g: slow_slowdown}
slow_interval = Example(fleet_checkpointing.async_interval, SLOW)
slow_least = Example(fleet_checkpointing.async_least, {**SLOW, d: "1 min", R: "10 min"})
largest_write = Example(
    write, {S: "74.4 GB", N: "4 gpu", b_n: own_library.fitted_parameters["b_n"], b: own_library.fitted_parameters["b"]}
)
