"""Audit, measured: the composition of the chapter, held against four runs whose reports state a clock."""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import (
    audit,
    audit_fleet,
    audit_levers,
    audit_promise,
    energy,
    failure_counts,
    hardware,
    measured_training,
    models,
    placement,
    reliability,
    sites,
    training,
)
from mathcore.chapters.audit_fleet import T_r, delta, mtbf, run_time
from mathcore.chapters.audit_promise import y_o
from mathcore.chapters.energy import E_I, G
from mathcore.chapters.reliability import t as t_w
from mathcore.chapters.training import C, D, N, P, n, t, u
from mathcore.chapters.young_daly import M, m, w_min
from mathcore.measured import Comparison, Dataset

# --- letters -------------------------------------------------------------------------------

x_c = Variable(
    "x_c", "", "time of a run over the time of its steps alone", tex=r"x_{\mathrm{clock}}", low="1", high="5"
)
x_m = Variable("x_m", "", "time over that of the steps which the date allows", tex=r"x_{\mathrm{date}}")
c_i = Variable("c_i", "", "interruptions that were counted", tex=r"c_{\mathrm{int}}", low="1", high="1000000")
g_s = Variable("g_s", "gpu", "devices of a server", tex=r"g_{\mathrm{srv}}", low="1 gpu", high="72 gpu", integer=True)
y_l = Variable(
    "y_l", "", "share of its label that a server draws", tex=r"y_{\mathrm{label}}", shown="%", low="10 %", high="100 %"
)
P_l = Variable("P_l", "W", "largest power on the label of a server", tex=r"P_{\mathrm{label}}", shown="kW")
w_s = Variable("w_s", "USD/h", "rent of a server", tex=r"w_{\mathrm{srv}}", low="0.1 USD/h", high="10000 USD/h")
B_w = Variable("B_w", "USD", "rent of a whole run", tex=r"B_{\mathrm{rent}}", shown="MUSD")
E_d = Variable("E_d", "kWh", "energy reported of the devices", tex=r"E_{\mathrm{gpu}}", low="1 Wh", high="100 TWh")
E_w = Variable("E_w", "kWh", "energy reported of all else", tex=r"E_{\mathrm{rest}}", low="1 Wh", high="100 TWh")

# --- facts and data --------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
runs = Dataset("published_runs")
PEAKS = {"A100": hardware.a100_bf16.per("gpu"), "H100": hardware.h100_bf16.per("gpu"), "TPU v4": models.palm_peak}
RUNS = {C: training.compute, N: "params", D: "tokens", n: "devices", P: ("device", PEAKS)}
# What others had published for the same device before the run: nothing of the run itself.
KNOWN = {"A100": facts.a100_share, "H100": measured_training.mpt_h100.gaps["u"]}

# --- before: nothing of the run but its plan ---------------------------------------------------

before = Comparison(
    formula=run_time,
    data=runs,
    measured="time",
    by={**RUNS, u: ("device", KNOWN), delta: audit_fleet.write, m: audit_fleet.device_mtbf},
    only={"device": ("A100", "H100")},
    over={"devices": "devices", "parameters": "params"},
    system="three runs, from what was known before they began",
    also=(training.compute, audit_fleet.waste),
    bound=("10 %", "45 %"),
    note="Two of three runs end within a tenth of the plan, and by luck: failures and pauses took what the rate promised too little. The third takes more than half as long again.",
)

# --- after: the rate of its own steps ------------------------------------------------------------

steps_alone = Comparison(
    formula=training.time_of_work,
    data=runs,
    measured="time",
    by={**RUNS, u: "share"},
    over={"devices": "devices", "parameters": "params"},
    system="four runs, from the rate of their own steps",
    also=(training.compute,),
    bound=("35 %", "45 %"),
    note="Even with the rate that a run attained, its steps are only six to nine tenths of its time: the rest is failures, restarts, evaluations, ramps and people.",
)
failures_of_fleet = (
    Derivation.start(failure_counts.expected)
    .use({M: mtbf}, "all devices of the fleet work on the one job")
    .formula(when=("any device's failure stops the job", "failures are independent"))
)
interruptions = Comparison(
    formula=failures_of_fleet,
    data=runs,
    measured="failures",
    by={n: "devices", t_w: "watched", m: audit_fleet.device_mtbf},
    only={"device": ("A100", "H100")},
    over={"devices": "devices"},
    system="interruptions of three runs, one device's time between failures",
    bound=("20 %", "75 %"),
    note="The default fits the run from which it may well have been taken, and predicts less than a third of the restarts of another.",
)

# --- the gap, carried to the date ---------------------------------------------------------------

clock = (
    Derivation.start(T_r, x_c * t, "for each hour of steps the clock runs that many hours", kind="model")
    .use({t: training.time_of_work}, "work over rate")
    .formula(
        when="everything beside the steps goes with them",
        convention="failures, restarts, evaluations, ramps and pauses are in it",
    )
)
fleet_for_clock = (
    Derivation.balance(t, clock.rhs, "suppose the clock of the run stops on the date")
    .solve_for(n, x_c * C / (P * t * u), "linear in one over the devices")
    .formula(when="everything beside the steps goes with them")
)
clock_allowed = (
    Derivation.balance(t, x_m * training.time_of_work.rhs, "suppose the clock of the run stops on the date")
    .solve_for(x_m, n * P * t * u / C, "linear")
    .formula(convention="below 1 the steps alone miss the date")
)
clock_seen = Formula(x_c, T_r / t, kind="definition", convention="1: nothing but steps")

beside = Formula(
    y_o,
    x_c - 1 - w_min,
    kind="definition",
    convention="neither steps nor the writes and the lost work of the model; failures beyond it are in it",
)
device_mtbf = Formula(m, n * t_w / c_i, kind="definition", when="all devices worked all the time watched")
energy_of_labels = (
    Derivation.start(energy.it_energy)
    .use({energy.p: y_l * P_l / g_s}, "a server draws a share of its label, whatever its devices do")
    .formula(when="the servers work all the time", convention="servers, without the building")
)
energy_of_parts = Formula(E_I, E_d + E_w, kind="definition")
rent_of_run = Formula(B_w, G * w_s / g_s, when="list price, no discount")

# --- worked examples: the clocks -----------------------------------------------------------------

BY_NAME = {"opt": "OPT-175B", "bloom": "BLOOM 176B", "llama": "Llama 3.1 405B", "palm": "PaLM 540B"}


def reported(name):
    """Return what was reported of a run, by column."""
    return next(row for row in runs.rows if row["run"] == BY_NAME[name])


def steps_of(name):
    """Return the example of the time that the steps of a run took at its own rate."""
    row = reported(name)
    work = Example(training.compute, {N: row["params"], D: row["tokens"]})
    return Example(
        training.time_of_work, {C: work, n: row["devices"], P: PEAKS[row["device"]], u: row["share"]}, unit="d"
    )


def beside_steps(name, over):
    """Return the example of what took time in a run beside its steps and the waste of the model."""
    lost = Example(audit_fleet.waste, {**audit_fleet.DEVICES, n: reported(name)["devices"]})
    return Example(beside, {x_c: over, w_min: lost})


def lasted(name):
    """Return the example of the device-hours between two interruptions of a run."""
    row = reported(name)
    return Example(device_mtbf, {n: row["devices"], t_w: row["watched"], c_i: row["failures"]})


opt_steps, bloom_steps, llama_steps, palm_steps = map(steps_of, BY_NAME)
opt_clock = Example(clock_seen, {T_r: reported("opt")["time"], t: opt_steps})
bloom_clock = Example(clock_seen, {T_r: reported("bloom")["time"], t: bloom_steps})
llama_clock = Example(clock_seen, {T_r: reported("llama")["time"], t: llama_steps})
palm_clock = Example(clock_seen, {T_r: reported("palm")["time"], t: palm_steps})
opt_beside, bloom_beside = beside_steps("opt", opt_clock), beside_steps("bloom", bloom_clock)
opt_device, bloom_device, llama_device = map(lasted, ("opt", "bloom", "llama"))

# --- worked examples: the date -------------------------------------------------------------------

DATE = {**audit_promise.WEEKS, u: audit.mfu}
allowed_147 = Example(clock_allowed, {**DATE, n: "1176 gpu"}, digits=4)
fleet_bloom = Example(fleet_for_clock, {**DATE, x_c: bloom_clock}, digits=4)
fleet_llama = Example(fleet_for_clock, {**DATE, x_c: llama_clock}, digits=4)
fleet_opt = Example(fleet_for_clock, {**DATE, x_c: opt_clock}, digits=4)
llama_nodes = Example(
    audit_levers.whole_nodes, {reliability.g: hardware.server_gpus, audit_levers.n_0: fleet_llama}, digits=4
)
HERE = {C: audit.work, n: audit.devices, P: DATE[P], u: audit.mfu}
days_bloom = Example(clock, {**HERE, x_c: bloom_clock})
days_opt = Example(clock, {**HERE, x_c: opt_clock})

# --- worked examples: energy, carbon and money of the published runs --------------------------------

# Of nodes of H100 in training, so much of the label was drawn on average; the same share is taken of an A100's.
EIGHT = {G: sites.bloom_hours, g_s: hardware.server_gpus}
bloom_energy = Example(energy_of_labels, {**EIGHT, y_l: placement.mean_over_label, P_l: hardware.dgx_a100_power})
bloom_reported = Example(energy_of_parts, {E_d: sites.bloom_energy, E_w: sites.bloom_idle_energy})
CARD = {G: models.llama31_405b_hours, energy.PUE: sites.pue_meta, energy.c: sites.grid_us}
llama_carbon = Example(energy.carbon, {**CARD, energy.p: placement.node})
llama_by_limit = Example(energy.carbon, {**CARD, energy.p: hardware.h100_tdp.per("gpu")})
bloom_rent = Example(rent_of_run, {**EIGHT, w_s: sites.p4d_rate_2023})
bloom_rent_now = Example(rent_of_run, {**EIGHT, w_s: sites.p4d_rate_2026})
