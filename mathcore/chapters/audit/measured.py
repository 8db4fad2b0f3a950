"""Audit, measured: the composition of the chapter, held against eight runs whose reports state a clock."""

from sympy import sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import audit, energy, hardware, models, ownership, reliability, sites, training
from mathcore.chapters.audit import costs as audit_costs
from mathcore.chapters.audit import deadline as audit_deadline
from mathcore.chapters.audit import fleet as audit_fleet
from mathcore.chapters.audit import levers as audit_levers
from mathcore.chapters.audit.deadline import y_o
from mathcore.chapters.audit.fleet import DEVICES, T_r, delta, mtbf, run_time
from mathcore.chapters.audit.levers import n_0, n_f, w_0
from mathcore.chapters.energy import E_I, G, placement
from mathcore.chapters.goodput import ettr as goodput_ettr
from mathcore.chapters.ownership import measured as ownership_measured
from mathcore.chapters.parallelism import measured as parallelism_measured
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import measured as reliability_measured
from mathcore.chapters.reliability import t as t_w
from mathcore.chapters.training import C, D, N, P, n, t, u
from mathcore.chapters.training import measured as training_measured
from mathcore.chapters.young_daly import M, m, w_min
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

x_c = Variable(
    "x_c", "", "time of a run over the time of its steps alone", tex=r"x_{\mathrm{clock}}", low="1", high="5"
)
c_i = Variable(
    "c_i", "", "interruptions that were counted", tex=r"c_{\mathrm{int}}", low="1", high="1000000", integer=True
)
g_s = Variable("g_s", "gpu", "devices of a server", tex=r"g_{\mathrm{srv}}", low="1 gpu", high="72 gpu", integer=True)
y_l = Variable(
    "y_l",
    "",
    "share of its nameplate power that a server draws",
    tex=r"y_{\mathrm{label}}",
    display_unit="%",
    low="10 %",
    high="100 %",
)
P_l = Variable("P_l", "W", "nameplate power of a server", tex=r"P_{\mathrm{label}}", display_unit="kW")
w_s = Variable("w_s", "USD/h", "rent of a server", tex=r"w_{\mathrm{srv}}", low="0.1 USD/h", high="10000 USD/h")
B_w = Variable("B_w", "USD", "rent of a whole run", tex=r"B_{\mathrm{rent}}", display_unit="MUSD")
E_d = Variable("E_d", "kWh", "reported energy of the devices", tex=r"E_{\mathrm{gpu}}", low="1 Wh", high="100 TWh")
E_w = Variable("E_w", "kWh", "reported energy of everything else", tex=r"E_{\mathrm{rest}}", low="1 Wh", high="100 TWh")

# --- facts and data --------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
runs = Dataset("published_runs")
PEAKS = {
    "A100": hardware.a100_bf16,
    "H100": hardware.h100_bf16,
    "TPU v3": facts.tpu_v3_peak,
    "TPU v4": models.palm_peak,
}
RUNS = {C: training.compute, N: "params", D: "tokens", n: "devices", P: ("device", PEAKS)}
# What others had published for the same device before the run: nothing of the run itself.
KNOWN = {"A100": facts.a100_share, "H100": training_measured.mpt_h100.fitted_parameters["u"]}

# --- before: nothing of the run but its plan ---------------------------------------------------

before = Comparison(
    formula=run_time,
    data=runs,
    measured="time",
    columns={**RUNS, u: ("device", KNOWN), delta: audit_fleet.write, m: audit_fleet.hours_of_all},
    only={"device": ("A100", "H100")},
    over={"devices": "devices", "parameters": "params"},
    system="six runs, from what was known before they began",
    also=(training.compute, audit_fleet.waste),
    bound=("28 %", "45 %"),
    note="Two of six runs end within 10 % of the plan, but by luck: failures and pauses offset a rate that was predicted too low. The others take a quarter to two thirds as long again.",
)

# --- after: the rate of its own steps ------------------------------------------------------------

steps_alone = Comparison(
    formula=training.time_of_work,
    data=runs,
    measured="time",
    columns={**RUNS, u: "share"},
    over={"devices": "devices", "parameters": "params"},
    system="eight runs, from the rate of their own steps",
    also=(training.compute,),
    bound=("22 %", "45 %"),
    note="Even at the rate that a run attained, its steps take only 60 to 93 % of its time; the rest is failures, restarts, evaluations, ramp-up and interventions.",
)
failures_of_fleet = (
    Derivation.start(reliability_counts.expected)
    .apply({M: mtbf}, "all devices of the cluster work on the one job")
    .formula()
)
interruptions = Comparison(
    formula=failures_of_fleet,
    data=runs,
    measured="failures",
    columns={n: "devices", t_w: "watched", m: audit_fleet.device_mtbf},
    only={"device": ("A100", "H100"), "failures": "> 0"},
    over={"devices": "devices"},
    system="interruptions of four runs, one device's time between failures",
    bound=("52 %", "115 %"),
    note="The default fits the run from which it may well have been taken, predicts less than a third of the restarts of another, and twice those of a third, whose nodes alone are counted.",
)

# --- the gap, carried to the date ---------------------------------------------------------------

# What a run lost to failures belongs to its own fleet: it grows with the root. Only the rest is carried over.
elapsed_over_steps = Formula(x_c, T_r / t, kind="definition", convention="1: nothing but steps")
other_time = Formula(
    y_o,
    x_c - 1 - w_min,
    kind="definition",
    convention="neither steps nor the writes and the lost work of the model; failures beyond it are in it",
)
elapsed_of_parts = other_time.solve_for("x_c")
REST = "everything else goes with the steps, on any cluster"
elapsed_time = (
    Derivation.start(
        T_r, t * (1 + w_min + y_o), "each hour of steps costs what failures waste, and all else", kind="model"
    )
    .apply({t: training.time_of_work}, "work over rate")
    .apply({w_min: audit_fleet.waste}, "writes and lost work of this very cluster")
    .formula(assumptions=REST, convention="restarts, evaluations, ramps and pauses are in all else")
)
devices_for_date = (
    Derivation.balance(
        n_f,
        n_0 * (1 + y_o + w_0 * sqrt(n_f / n_0)),
        "all else asks for its share of devices; failures ask for more as the cluster grows",
    )
    .solve_for(
        n_f, n_0 * (w_0 / 2 + sqrt(1 + y_o + w_0**2 / 4)) ** 2, "a quadratic equation for the root of the devices"
    )
    .formula(assumptions=(REST, "the interval is Young's"))
)
other_time_allowed = (
    Derivation.balance(
        t, training.time_of_work.rhs * (1 + w_min + y_o), "suppose the clock of the run stops on the date"
    )
    .solve_for(y_o, n * P * t * u / C - 1 - w_min, "linear")
    .formula(convention="negative: steps and failures alone miss the date")
)
mfu_for_rest = other_time_allowed.solve_for("u")
least_waste = Formula(
    w_min,
    x_c * (1 - goodput_ettr.e),
    kind="definition",
    convention="of the steps; the share of a report is of the clock",
)
device_mtbf = Formula(m, n * t_w / c_i, kind="definition", assumptions="all devices worked all the time watched")
energy_of_labels = (
    Derivation.start(energy.it_energy)
    .apply({energy.p: y_l * P_l / g_s}, "a server draws a share of its label, whatever its devices do")
    .formula(assumptions="the servers work all the time", convention="servers, without the building")
)
energy_of_parts = Formula(E_I, E_d + E_w, kind="definition")
price_in_hour = Formula(
    audit_costs.y_K,
    ownership.a / audit_costs.c_h,
    kind="definition",
    convention="with interest; the rest is staff, space and electricity",
)
rent_of_run = Formula(B_w, G * w_s / g_s, assumptions="list price, no discount")

# --- worked examples: the clocks -----------------------------------------------------------------

BY_NAME = {
    "opt": "OPT-175B",
    "bloom": "BLOOM 176B",
    "llama": "Llama 3.1 405B",
    "palm": "PaLM 540B",
    "glm": "GLM-130B",
    "olmo_7": "Olmo 3 7B",
    "olmo_32": "Olmo 3 32B",
}


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
    """Return the example of what took time in a run besides its steps and the waste of the model."""
    return Example(other_time, {x_c: over, w_min: wasted(reported(name)["devices"])})


def wasted(fleet):
    """Return the example of what failures waste on so many devices, by the model."""
    return Example(audit_fleet.waste, {**DEVICES, n: fleet})


def lasted(name):
    """Return the example of the device-hours between two interruptions of a run."""
    row = reported(name)
    return Example(device_mtbf, {n: row["devices"], t_w: row["watched"], c_i: row["failures"]})


opt_steps, bloom_steps, llama_steps, palm_steps, glm_steps, olmo_7_steps, olmo_32_steps = map(steps_of, BY_NAME)
opt_clock = Example(elapsed_over_steps, {T_r: reported("opt")["time"], t: opt_steps})
bloom_clock = Example(elapsed_over_steps, {T_r: reported("bloom")["time"], t: bloom_steps})
llama_clock = Example(elapsed_over_steps, {T_r: reported("llama")["time"], t: llama_steps})
palm_clock = Example(elapsed_over_steps, {T_r: reported("palm")["time"], t: palm_steps})
glm_clock = Example(elapsed_over_steps, {T_r: reported("glm")["time"], t: glm_steps})
olmo_7_clock = Example(elapsed_over_steps, {T_r: reported("olmo_7")["time"], t: olmo_7_steps})
olmo_32_clock = Example(elapsed_over_steps, {T_r: reported("olmo_32")["time"], t: olmo_32_steps})
palm_calendar_clock = Example(elapsed_over_steps, {T_r: facts.palm_calendar, t: palm_steps})
opt_beside, bloom_beside = beside_steps("opt", opt_clock), beside_steps("bloom", bloom_clock)
llama_beside, palm_beside = beside_steps("llama", llama_clock), beside_steps("palm", palm_clock)
glm_beside, olmo_7_beside = beside_steps("glm", glm_clock), beside_steps("olmo_7", olmo_7_clock)
olmo_32_beside = beside_steps("olmo_32", olmo_32_clock)
# Its report says how much of the clock failures took at most: less than by the model, so more is left.
llama_lost = Example(least_waste, {x_c: llama_clock, goodput_ettr.e: goodput_ettr.llama_effective})
llama_beside_reported = Example(other_time, {x_c: llama_clock, w_min: llama_lost})
opt_device, bloom_device, llama_device, glm_device = map(lasted, ("opt", "bloom", "llama", "glm"))

# --- worked examples: the date -------------------------------------------------------------------

DATE = {**audit_deadline.WEEKS, u: audit.mfu}
NO_FAILURE = {n_0: audit_levers.cluster_budget, w_0: audit_deadline.waste_1104}


def nodes_as(rest):
    """Return the example of the whole nodes that meet the date if all else goes as it did in a run."""
    fleet = Example(devices_for_date, {**NO_FAILURE, y_o: rest}, digits=4)
    return Example(audit_levers.whole_nodes, {reliability.g: hardware.server_gpus, n_0: fleet}, digits=4)


def run_as(rest, fleet):
    """Return the example of the time of our run on a cluster if all else goes as it did in a run."""
    return Example(elapsed_time, {C: audit.work, P: DATE[P], u: audit.mfu, **DEVICES, n: fleet, y_o: rest})


def left_on(fleet):
    """Return the example of what the date leaves for all else on a fleet."""
    return Example(other_time_allowed, {**DATE, n: fleet, w_min: wasted(fleet)})


bloom_nodes, llama_nodes, palm_nodes, opt_nodes, glm_nodes = map(
    nodes_as, (bloom_beside, llama_beside, palm_beside, opt_beside, glm_beside)
)
allowed_147, allowed_offer = left_on("1176 gpu"), left_on(bloom_nodes)
days_llama, days_opt = run_as(llama_beside, audit.devices), run_as(opt_beside, audit.devices)
offer_as_palm, offer_as_opt = run_as(palm_beside, bloom_nodes), run_as(opt_beside, bloom_nodes)
# What our own last runs may have taken over their steps, on the fleet on which they ran.
clock_limit = Example(elapsed_of_parts, {y_o: allowed_offer, w_min: audit_fleet.waste_here}, digits=4)
mfu_offer = Example(
    mfu_for_rest, {**audit_deadline.WEEKS, n: bloom_nodes, w_min: wasted(bloom_nodes), y_o: bloom_beside}
)
# The layout of the chapter on parallelism, four to a layer in four stages, with its sums at the time that was measured.
mfu_of_stages = Example(
    audit_fleet.mfu_composed, {audit.eta_k: audit.kernels, audit_fleet.eta: parallelism_measured.four_four_attained}
)

# --- worked examples: energy, carbon and money of the published runs --------------------------------

# Of nodes of H100 in training, so much of the label was drawn on average; the same share is taken of an A100's.
EIGHT = {G: sites.bloom_hours, g_s: hardware.server_gpus}
bloom_energy = Example(energy_of_labels, {**EIGHT, y_l: placement.mean_over_label, P_l: hardware.dgx_a100_power})
bloom_reported = Example(energy_of_parts, {E_d: sites.bloom_energy, E_w: sites.bloom_idle_energy})
CARD = {G: models.llama31_405b_hours, energy.PUE: sites.pue_meta, energy.c: sites.grid_us}
llama_carbon = Example(energy.carbon, {**CARD, energy.p: placement.node})
llama_by_limit = Example(energy.carbon, {**CARD, energy.p: hardware.h100_tdp})
bloom_rent = Example(rent_of_run, {**EIGHT, w_s: sites.p4d_rate_2023})
bloom_rent_now = Example(rent_of_run, {**EIGHT, w_s: sites.p4d_rate_2026})

# --- worked examples: the fortnight -----------------------------------------------------------------

MARGIN_DAYS = Variable(
    "b_x", "s", "time left to the date", tex=r"b_{\mathrm{left}}", display_unit="h", low="-1 year", high="1 year"
)
slack = Formula(MARGIN_DAYS, t - T_r, kind="definition", convention="negative: too late")
offer_as_bloom, offer_as_llama = run_as(bloom_beside, bloom_nodes), run_as(llama_beside, bloom_nodes)
left_as_bloom = Example(slack, {t: audit_deadline.date, T_r: offer_as_bloom}, digits=2)
mtbf_offer = Example(mtbf, {m: audit_fleet.hours_of_all, n: bloom_nodes})
SPARES = {t_w: audit_deadline.date, M: mtbf_offer, reliability_counts.t_r: "2 d"}
spares_offer = Example(reliability_measured.spares_suffice, {**SPARES, reliability_counts.s: "6"})
spares_too_few = Example(reliability_measured.spares_suffice, {**SPARES, reliability_counts.s: "5"})
OWNED = {ownership.a: ownership.hour, ownership.s: ownership_measured.upkeep_rented, **ownership_measured.HELD}
full_hour = Example(ownership.useful_hour, {**OWNED, ownership.g: "100 %"})
full_cost = Example(audit_costs.run_cost, {**audit_deadline.PROMISED, n: audit.devices, audit_costs.c_h: full_hour})
full_power = Example(
    audit_costs.hour_power,
    {energy.PUE: placement.RUN[energy.PUE], energy.p: placement.node, energy.k: sites.lab_power_price},
)
full_energy = Example(audit_costs.share_of_power, {audit_costs.e_h: full_power, audit_costs.c_h: full_hour})
full_price = Example(price_in_hour, {ownership.a: ownership.hour, audit_costs.c_h: full_hour})
price_saving = Example(
    audit_levers.part_for_saving, {audit_levers.y_s: audit_levers.facts.saving, audit_levers.y_x: full_price}
)
energy_saving = Example(
    audit_levers.part_for_saving, {audit_levers.y_s: audit_levers.facts.saving, audit_levers.y_x: full_energy}
)
METERED = {
    G: audit_costs.hours,
    energy.p: placement.node,
    energy.m_d: sites.embodied_a100,
    energy.u: "80 %",
    energy.T_L: "5 year",
}
all_quebec = Example(energy.total_carbon, {**METERED, **audit_costs.QUEBEC}, digits=2)
all_poland = Example(energy.total_carbon, {**METERED, **audit_costs.POLAND}, digits=2)
