"""Energy: from the label of a device to electricity, water and carbon, and the clock that wastes least."""

from sympy import Integer, Pow, Rational

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import hardware, sites
from mathcore.chapters.before_you_start import G, N, device_hours, t
from mathcore.teaching import read_calculators, read_exercises, read_tasks


def cube_root(expression):
    """Return the cube root under one sign, as it is printed; sympy would split it."""
    return Pow(expression, Rational(1, 3), evaluate=False)


# --- symbols -------------------------------------------------------------------------------

p = Variable(
    "p",
    "W/gpu",
    "mean power of a device and its share of the server",
    alias="power_per_device",
    low="10 W/gpu",
    high="5 kW/gpu",
)
P_s = Variable(
    "P_s", "W", "power of a whole server", tex=r"P_{\mathrm{srv}}", display_unit="kW", low="100 W", high="1 MW"
)
m_b = Variable(
    "m_b",
    "kg",
    "embodied emissions of a board of several devices",
    tex=r"m_{\mathrm{board}}",
    low="1 kg",
    high="1000 t",
)
E_I = Variable(
    "E_I",
    "kWh",
    "energy of the IT equipment",
    alias="it_energy",
    tex=r"E_{\mathrm{IT}}",
    display_unit="MWh",
    low="1 Wh",
    high="100 TWh",
)
E = Variable(
    "E", "kWh", "energy of the facility", alias="facility_energy", display_unit="MWh", low="1 Wh", high="100 TWh"
)
PUE = Variable("PUE", "", "power usage effectiveness", tex=r"\operatorname{PUE}", low="1", high="4")
h = Variable("h", "", "share of the facility's energy that does not reach the IT equipment", display_unit="%")
c = Variable(
    "c", "g/kWh", "carbon intensity of the electricity", alias="carbon_intensity", low="1 g/kWh", high="1200 g/kWh"
)
m = Variable("m", "kg", "mass of CO2e of the operation", display_unit="t", low="1 g", high="100000000 t")
c_x = Variable("c_x", "g/kWh", "intensity that a report implies, building included", tex=r"c_{\mathrm{x}}")
WUE = Variable(
    "WUE", "L/kWh", "water usage effectiveness", tex=r"\operatorname{WUE}", low="0.01 L/kWh", high="10 L/kWh"
)
V = Variable("V", "L", "water used on site")
V_a = Variable("V_a", "L", "water used on site and at the power plant", tex=r"V_{\mathrm{all}}")
h_p = Variable("h_p", "", "increase of the PUE with dry cooling", tex=r"\Delta\operatorname{PUE}")
w_g = Variable(
    "w_g", "L/kWh", "water used at the power plant", tex=r"w_{\mathrm{grid}}", low="0.01 L/kWh", high="20 L/kWh"
)
m_d = Variable(
    "m_d", "kg/gpu", "embodied emissions of one device", tex=r"m_{\mathrm{made}}", low="1 kg/gpu", high="10 t/gpu"
)
m_e = Variable("m_e", "kg", "share of embodied emissions that a job bears", tex=r"m_{\mathrm{emb}}", display_unit="t")
m_a = Variable("m_a", "kg", "operational and embodied emissions", tex=r"m_{\mathrm{all}}", display_unit="t")
T_L = Variable(
    "T_L", "year", "life of a device", alias="lifetime", tex=r"T_{\mathrm{life}}", low="0.5 year", high="15 year"
)
u = Variable(
    "u", "", "share of its lifetime in which a device does useful work", display_unit="%", low="1 %", high="100 %"
)
c_0 = Variable("c_0", "g/kWh", "intensity at which embodied and operational emissions are equal", tex=r"c_{=}")
c_1 = Variable("c_1", "g/kWh", "carbon intensity of the first site", low="1 g/kWh", high="1200 g/kWh")
c_2 = Variable("c_2", "g/kWh", "carbon intensity of the second site", low="1 g/kWh", high="1200 g/kWh")
PUE_1 = Variable(
    "PUE_1", "", "power usage effectiveness of the first site", tex=r"\operatorname{PUE}_1", low="1", high="4"
)
PUE_2 = Variable(
    "PUE_2", "", "power usage effectiveness of the second site", tex=r"\operatorname{PUE}_2", low="1", high="4"
)
m_1 = Variable("m_1", "kg", "mass of CO2e of the job at the first site")
m_2 = Variable("m_2", "kg", "mass of CO2e of the job at the second site")
g_d = Variable("g_d", "kg/(gpu h)", "embodied emissions per useful device-hour", tex=r"g_{\mathrm{made}}")
r = Variable("r", "", "emissions at the first site over those at the second", tex=r"r_{\mathrm{site}}")
k = Variable("k", "USD/kWh", "price of electricity", alias="electricity_price", low="0.001 USD/kWh", high="2 USD/kWh")
B = Variable("B", "USD", "cost of electricity")
theta = Variable(
    "theta",
    "token/s/gpu",
    "throughput of a device",
    alias="throughput",
    tex=r"\theta",
    low="0.01 token/s/gpu",
    high="1000000 token/s/gpu",
)
j = Variable("j", "J/token", "energy for each token, building included")
A = Variable(
    "A",
    "FLOP/s/gpu",
    "arithmetic rate a device attains",
    display_unit="TFLOP/s/gpu",
    low="1 GFLOP/s/gpu",
    high="1 EFLOP/s/gpu",
)
e = Variable("e", "J/FLOP", "energy for each useful operation, building included", display_unit="pJ/FLOP")
f = Variable("f", "", "clock as a share of the full clock", alias="clock", low="0.1", high="1")
p_0 = Variable("p_0", "W/gpu", "static power", low="1 W/gpu", high="2 kW/gpu")
p_1 = Variable("p_1", "W/gpu", "switching power at the full clock", low="1 W/gpu", high="5 kW/gpu")
p_f = Variable("p_f", "W/gpu", "power at the clock f", low="2 W/gpu", high="7 kW/gpu")
t_1 = Variable("t_1", "h", "time of the job at the full clock", low="1 s", high="10 year")
E_f = Variable("E_f", "kWh/gpu", "energy of the job for each device at the clock f")
f_s = Variable("f_s", "", "clock with the least energy", tex="f^{*}")
a = Variable(
    "a",
    "USD/(gpu h)",
    "hourly cost of a device without electricity",
    low="0 USD/(gpu h)",
    high="100 USD/(gpu h)",
    zero=True,
    tex=r"a_{\mathrm{fix}}",
)
C_f = Variable("C_f", "USD/gpu", "cost of the job for each device at the clock f")
f_c = Variable("f_c", "", "clock with the least cost", tex=r"f_{\mathrm{cost}}")
p_c = Variable("p_c", "W/gpu", "power cap", alias="power_cap", tex=r"p_{\mathrm{cap}}", low="2 W/gpu", high="5 kW/gpu")
x = Variable(
    "x",
    "",
    "share of the time at the full clock that is independent of the clock",
    low="0 %",
    high="100 %",
    display_unit="%",
    zero=True,
)
y = Variable("y", "", "time at the clock f over that at the full clock")
q = Variable("q", "", "energy at the clock f over that at the full clock")
q_0 = Variable("q_0", "", "static part of the energy at the full clock")
q_1 = Variable("q_1", "", "switching part of the energy at the full clock")

# --- from the label to the meter -----------------------------------------------------------

it_energy = Formula(
    E_I,
    G * p,
    kind="definition",
    convention="mean power over the time held; a module's power limit is not a measurement",
)
facility_energy = Formula(
    E, PUE * E_I, kind="definition", convention="PUE is facility energy over IT energy, over a year"
)
overhead = (
    Derivation.start(h, (E - E_I) / E, "the building's share for cooling and conversion")
    .apply(facility_energy, "the facility's energy is PUE times that of the IT equipment")
    .rewrite(1 - 1 / PUE, "the energy cancels", routine=True)
    .formula(convention="share of the facility's energy; PUE − 1 is the share of the IT energy")
)
server_power = Formula(
    p,
    P_s / N,
    kind="definition",
    assumptions="the server runs nothing else",
    convention="includes the share of fans, processors and network",
)
carbon = (
    Derivation.start(m, E * c, "each unit of electricity carries the intensity of its grid", kind="model")
    .apply(facility_energy, "measured at the facility, not at the rack")
    .apply(it_energy, "device-hours times mean power")
    .formula(
        assumptions="the intensity is the mean over the hours in which the job runs",
        convention="location-based: the grid of the place; certificates bought elsewhere are not counted",
    )
)
carbon_of_energy = Formula(m, E * c, assumptions="the energy is that of the facility", convention="location-based")
implied_intensity = (
    Derivation.balance(m, G * p * c_x, "a report gives device-hours, power and mass; one factor relates them")
    .solve_for(c_x, m / (G * p), "divide by the energy of the devices")
    .formula(convention="contains PUE; dividing by PUE gives the intensity of the grid")
)
water = Formula(V, WUE * E_I, kind="definition", convention="WUE refers to IT energy, not to the facility's")
water_all = (
    Derivation.start(V_a, V + w_g * E, "the power plant evaporates water for the facility's whole energy", kind="model")
    .apply({V: water, E: facility_energy}, "WUE for the site, PUE for the meter")
    .rewrite(E_I * (WUE + PUE * w_g), "both refer to the IT energy")
    .formula(assumptions="all electricity comes from plants with that use of water")
)
dry_overhead = (
    Derivation.balance(
        WUE * E_I + w_g * PUE * E_I,
        w_g * (PUE + h_p) * E_I,
        "with cooling towers both site and plant take water; without them only the plant, for more electricity",
    )
    .solve_for(h_p, WUE / w_g, "the plant's share for the old building cancels", routine=True)
    .formula(
        assumptions="all electricity comes from plants with that use of water",
        convention="a building that adds less to its PUE saves water overall, one that adds more takes more",
    )
)
electricity_cost = Formula(
    B, PUE * E_I * k, kind="definition", assumptions="one price at all hours, no charge for peak power"
)
energy_per_token = Formula(j, PUE * p / theta, kind="definition", assumptions="the device does nothing else meanwhile")
energy_per_operation = Formula(e, PUE * p / A, kind="definition", convention="useful operations, as MFU counts them")

# --- embodied emissions --------------------------------------------------------------

board_share = Formula(m_d, m_b / N, kind="definition", convention="an equal share for each device of the board")
embodied_per_useful_hour = Formula(
    g_d, m_d / (u * T_L), assumptions="embodied emissions are spread evenly over the useful hours"
)
embodied_share = (
    Derivation.start(m_e, G * g_d, "a job bears the embodied emissions of the hours it uses", kind="model")
    .apply(embodied_per_useful_hour, "embodied emissions are spread evenly over the useful hours of a life")
    .formula(
        assumptions="each useful hour bears the same share", convention="idle hours are charged to the useful ones"
    )
)
total_carbon = (
    Derivation.start(m_a, m + m_e, "running and making")
    .apply({m: carbon, m_e: embodied_share}, "both are proportional to the device-hours")
    .rewrite(G * (PUE * p * c + m_d / (u * T_L)), "per device-hour, times the device-hours")
    .formula(assumptions="devices alone; building and network are not counted")
)
embodied_equals_operational = (
    Derivation.balance(
        PUE * p * c_0, m_d / (u * T_L), "an hour's operation emits as much as its share of embodied emissions"
    )
    .solve_for(c_0, m_d / (u * T_L * PUE * p), "divide by the power at the meter")
    .formula(assumptions="below this intensity embodied emissions outweigh operation")
)
relocation_ratio = (
    Derivation.start(r, m_1 / m_2, "the same job at two sites")
    .apply(
        {m_1: carbon.renamed({PUE: PUE_1, c: c_1}), m_2: carbon.renamed({PUE: PUE_2, c: c_2})},
        "device-hours and power are the same and cancel",
        routine=True,
    )
    .formula(assumptions="the same devices at the same mean power", convention="operation only")
)

# --- the clock -----------------------------------------------------------------------------

power_at_clock = Formula(
    p_f,
    p_0 + p_1 * f**3,
    assumptions=(
        "voltage falls with the clock, and switching power is proportional to $fV^2$",
        "the voltage is not at its floor",
    ),
)
energy_at_clock = (
    Derivation.start(E_f, p_f * t_1 / f, "a slower clock takes longer", kind="model")
    .apply(power_at_clock, "power at that clock")
    .rewrite(t_1 * (p_0 / f + p_1 * f**2), "the constant power is drawn for longer, the switching power is lower")
    .formula(assumptions="all of the time scales with the clock")
)
clock_of_least_energy = (
    Derivation.minimise(energy_at_clock, over=f, why="a slow clock wastes constant power, a fast one switching power")
    .slope(t_1 * (2 * p_1 * f - p_0 / f**2), "term by term", routine=True)
    .root(
        (p_0 / (2 * p_1)) ** Rational(1, 3),
        "the slope vanishes where $2p_1f^3 = p_0$: switching power is half of the constant power",
        as_symbol=f_s,
        display_form=cube_root(p_0 / (2 * p_1)),
    )
    .curvature(t_1 * (2 * p_1 + 2 * p_0 / f**3), "positive: the curve bends up everywhere", routine=True)
    .formula(
        validity=((p_0 <= 2 * p_1, "the full clock is best, because no higher one exists"),),
        convention="energy alone, not cost",
    )
)
cost_at_clock = (
    Derivation.start(C_f, a * t_1 / f + PUE * k * E_f, "the device's hours and its electricity", kind="model")
    .apply(energy_at_clock, "energy at that clock")
    .rewrite(
        t_1 * ((a + PUE * k * p_0) / f + PUE * k * p_1 * f**2), "both hours and constant power decrease with speed"
    )
    .formula()
)
clock_of_least_cost = (
    Derivation.minimise(cost_at_clock, over=f, why="an expensive device should run fast")
    .slope(t_1 * (2 * PUE * k * p_1 * f - (a + PUE * k * p_0) / f**2), "term by term", routine=True)
    .root(
        ((a + PUE * k * p_0) / (2 * PUE * k * p_1)) ** Rational(1, 3),
        "the same equation, with the hourly price added to the cost of the constant power",
        as_symbol=f_c,
        display_form=cube_root((a + PUE * k * p_0) / (2 * PUE * k * p_1)),
    )
    .curvature(t_1 * (2 * PUE * k * p_1 + 2 * (a + PUE * k * p_0) / f**3), "positive: a minimum", routine=True)
    .formula(assumptions="above 1 there is no such clock: run at the full one")
)
clock_under_cap = (
    Derivation.balance(p_c, p_0 + p_1 * f**3, "the clock is lowered until the cap is met")
    .solve_for(f, ((p_c - p_0) / p_1) ** Rational(1, 3), "solve the cube", display_form=cube_root((p_c - p_0) / p_1))
    .formula(domain=(p_c > p_0, p_c <= p_0 + p_1), assumptions="the cap lies between constant and full power")
)
slowdown = (
    Derivation.start(
        y,
        (t_1 * x + t_1 * (1 - x) / f) / t_1,
        "the part that does not depend on the clock, such as waiting for memory, takes as long as before, the rest 1/f times as long",
        kind="model",
    )
    .rewrite(x + (1 - x) / f, "in units of the time at the full clock")
    .formula(assumptions="the memory keeps its clock")
)
energy_ratio = (
    Derivation.start(q, y * (p_0 + p_1 * f**3) / (p_0 + p_1), "time and power, both against the full clock")
    .apply(slowdown, "time at that clock")
    .formula(assumptions="switching power is the same while waiting")
)
energy_ratio_compute = (
    Derivation.start(energy_ratio)
    .apply({x: Integer(0)}, "all of the time scales with the clock")
    .rewrite((p_0 / f + p_1 * f**2) / (p_0 + p_1), "multiply out", routine=True)
    .formula(assumptions="all of the time scales with the clock")
)
constant_part = Formula(q_0, p_0 / (f * (p_0 + p_1)), kind="definition")
switching_part = Formula(q_1, p_1 * f**2 / (p_0 + p_1), kind="definition")

# --- worked examples -----------------------------------------------------------------------


PAGE_RUN = {G: "21504 gpu h", p: "400 W/gpu"}
page_hours = Example(device_hours, {N: "64 gpu", t: "336 h"})
page_energy = Example(it_energy, PAGE_RUN, unit="kWh", digits=4)
page_facility = Example(facility_energy, {PUE: "1.2", E_I: page_energy}, unit="kWh", digits=5)
page_quebec = Example(carbon, {**PAGE_RUN, PUE: "1.2", c: sites.page_quebec}, unit="kg")
page_us = Example(carbon, {**PAGE_RUN, PUE: "1.2", c: sites.page_us}, unit="kg", digits=4)
page_poland = Example(carbon, {**PAGE_RUN, PUE: "1.2", c: sites.page_poland}, unit="kg", digits=4)
poland_today = Example(carbon, {**PAGE_RUN, PUE: "1.2", c: sites.grid_poland}, unit="kg", digits=4)
PAGE_SITE = {**PAGE_RUN, PUE: "1.2"}
norway = Example(carbon, {**PAGE_SITE, c: sites.grid_norway}, unit="kg")
sweden = Example(carbon, {**PAGE_SITE, c: sites.grid_sweden}, unit="kg")
france = Example(carbon, {**PAGE_SITE, c: sites.grid_france}, unit="kg")
canada = Example(carbon, {**PAGE_SITE, c: sites.grid_canada}, unit="kg")
united_states = Example(carbon, {**PAGE_SITE, c: sites.grid_us}, unit="kg")
germany = Example(carbon, {**PAGE_SITE, c: sites.grid_germany}, unit="kg")
world = Example(carbon, {**PAGE_SITE, c: sites.grid_world}, unit="kg")
china = Example(carbon, {**PAGE_SITE, c: sites.grid_china}, unit="kg")
india = Example(carbon, {**PAGE_SITE, c: sites.grid_india}, unit="kg")
page_move = Example(
    relocation_ratio, {PUE_1: "1.2", PUE_2: "1.2", c_1: sites.page_poland, c_2: sites.page_quebec}, digits=2
)
real_move = Example(
    relocation_ratio,
    {PUE_1: sites.pue_survey_2024, PUE_2: sites.pue_aws, c_1: sites.grid_poland, c_2: sites.grid_sweden},
    digits=2,
)
survey_overhead = Example(overhead, {PUE: sites.pue_survey_2023})
palm = Example(
    carbon,
    {G: sites.palm_hours, p: sites.palm_power, PUE: sites.palm_pue, c: sites.palm_intensity},
    expect=sites.palm_carbon,
    rtol=1e-4,
    source="Chowdhery et al. 2022, appendix B",
    digits=5,
)
LLAMA = {G: sites.llama_hours, p: sites.llama_power}
llama_energy = Example(
    facility_energy,
    {PUE: sites.llama_pue, E_I: Example(it_energy, LLAMA)},
    expect=sites.llama_energy,
    rtol=0.003,
    source="Touvron et al. 2023, Table 15",
)
llama_carbon = Example(
    carbon,
    {**LLAMA, PUE: sites.llama_pue, c: sites.llama_intensity},
    expect=sites.llama_carbon,
    rtol=0.003,
    source="Touvron et al. 2023, Table 15",
)
llama31_factor = Example(implied_intensity, {m: sites.llama31_carbon, G: sites.llama31_hours, p: hardware.h100_tdp})
gpt3_energy = Example(
    facility_energy,
    {
        PUE: sites.gpt3_pue,
        E_I: Example(
            it_energy, {G: Example(device_hours, {N: sites.gpt3_devices, t: sites.gpt3_days}), p: sites.gpt3_power}
        ),
    },
    expect=sites.gpt3_energy,
    rtol=0.003,
    source="Patterson et al. 2021, Table 4",
    digits=4,
)
gpt3_carbon = Example(
    carbon_of_energy,
    {E: sites.gpt3_energy, c: sites.gpt3_intensity},
    expect=sites.gpt3_carbon,
    source="Patterson et al. 2021, Table 4",
)
t5_carbon = Example(
    carbon_of_energy,
    {E: sites.t5_energy, c: sites.t5_intensity},
    expect=sites.t5_carbon,
    source="Patterson et al. 2021, Table 4",
)
BLOOM = {G: sites.bloom_hours, p: sites.bloom_power}
bloom_energy = Example(
    it_energy, BLOOM, expect=sites.bloom_energy, rtol=1e-6, source="Luccioni et al. 2023", unit="kWh", digits=6
)
bloom_carbon = Example(
    carbon_of_energy,
    {E: sites.bloom_energy, c: sites.bloom_intensity},
    expect=sites.bloom_carbon,
    source="Luccioni et al. 2023",
)
bloom_idle = Example(
    carbon_of_energy,
    {E: sites.bloom_idle_energy, c: sites.bloom_intensity},
    expect=sites.bloom_idle_carbon,
    rtol=0.003,
    source="Luccioni et al. 2023",
)
board_h100 = Example(board_share, {m_b: sites.embodied_hgx_h100, N: hardware.server_gpus})
MADE = {m_d: sites.embodied_a100, u: "85 %", T_L: "6 year"}
bloom_made = Example(embodied_share, {G: sites.bloom_hours, **MADE})
clean_grid = Example(
    embodied_equals_operational, {m_d: sites.embodied_a100, u: "80 %", T_L: "5 year", PUE: "1.2", p: "856 W/gpu"}
)
h100_server = Example(server_power, {P_s: hardware.dgx_h100_power, N: hardware.server_gpus}, digits=4)
server_token = Example(energy_per_token, {PUE: "1.2", p: "856 W/gpu", theta: "2500 token/s/gpu"})
DEVICE = {p_0: "200 W/gpu", p_1: "500 W/gpu"}
SERVER = {p_0: "775 W/gpu", p_1: "500 W/gpu"}  # 10.2 kW over 8 GPUs, less the 500 W that switch
device_clock = Example(clock_of_least_energy, DEVICE)
device_saving = Example(energy_ratio_compute, {**DEVICE, f: device_clock})
cost_clock = Example(clock_of_least_cost, {**SERVER, a: "2 USD/(gpu h)", PUE: "1.3", k: sites.lab_power_price})
capped_clock = Example(clock_under_cap, {**DEVICE, p_c: "600 W/gpu"})
capped_time = Example(slowdown, {x: "30 %", f: capped_clock})

# --- calculators -----------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
