"""Audit of the costs: electricity, carbon, water and money of the run, at one site and at another.

The cluster, the workload and their symbols are those of `audit` and `audit.fleet`.
"""

from sympy import Rational

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import before_you_start, energy, hardware, ownership, sites, training
from mathcore.chapters.audit import FLEET, devices, duration, mfu, work
from mathcore.chapters.audit.fleet import DEVICES, T_r, run_time, waste
from mathcore.chapters.energy import PUE, T_L, c, k, p
from mathcore.chapters.ownership import C_b, K
from mathcore.chapters.training import C, P, n, t, u
from mathcore.chapters.young_daly import w_min
from mathcore.teaching import read_calculators, read_exercises

SITE_PRICE = {"low": "0.001 USD/kWh", "high": "2 USD/kWh"}
p_t = Variable("p_t", "W/gpu", "power limit of a device", tex=r"p_{\mathrm{lim}}", low="10 W/gpu", high="5 kW/gpu")
y_0 = Variable(
    "y_0", "", "power of an idle device over its limit", display_unit="%", low="0 %", high="100 %", zero=True
)
p_M = Variable(
    "p_M",
    "W/gpu",
    "power of a device at the building's meter",
    tex=r"p_{\mathrm{meter}}",
    low="10 W/gpu",
    high="20 kW/gpu",
)
r_m = Variable(
    "r_m",
    "1/s",
    "maintenance, as a share of the price",
    tex=r"r_{\mathrm{m}}",
    display_unit="1/year",
    low="0.001 /year",
    high="1 /year",
)
K_n = Variable("K_n", "USD", "price of the cluster", tex=r"K_{\mathrm{fleet}}", display_unit="MUSD")
B_m = Variable("B_m", "USD", "maintenance during the run", tex=r"B_{\mathrm{m}}")
e_h = Variable(
    "e_h",
    "USD/(gpu h)",
    "electricity of a device-hour",
    tex=r"e_{\mathrm{h}}",
    low="0.0001 USD/(gpu h)",
    high="40 USD/(gpu h)",
)
c_h = Variable(
    "c_h",
    "USD/(gpu h)",
    "cost of a device-hour",
    tex=r"c_{\mathrm{h}}",
    low="0.01 USD/(gpu h)",
    high="1000 USD/(gpu h)",
)
B_r = Variable("B_r", "USD", "cost of the run", tex=r"B_{\mathrm{run}}")
y_E = Variable(
    "y_E", "", "electricity's share of the cost", tex=r"y_{\mathrm{E}}", display_unit="%", low="0.01 %", high="100 %"
)
y_K = Variable("y_K", "", "share of the devices' price in the cost", tex=r"y_{K}", display_unit="%")
k_1 = Variable("k_1", "USD/kWh", "price of electricity at the first site", **SITE_PRICE)
k_2 = Variable("k_2", "USD/kWh", "price of electricity at the second site", **SITE_PRICE)
q_E = Variable(
    "q_E",
    "",
    "PUE and price of electricity at the second site over those at the first",
    tex=r"q_{\mathrm{E}}",
    low="0.05",
    high="50",
)
q_B = Variable(
    "q_B", "", "cost at the second site over that at the first", tex=r"q_{\mathrm{B}}", low="0.05", high="50"
)
m_r = Variable("m_r", "kg", "mass of CO2e of the run", tex=r"m_{\mathrm{run}}", display_unit="t")
A_p = Variable(
    "A_p",
    "gpu s",
    "device-time of the work at peak",
    tex=r"A_{\mathrm{peak}}",
    display_unit="gpu d",
    low="0.001 gpu h",
    high="100000000 gpu d",
)
n_1 = Variable("n_1", "gpu", "half of the cluster")
n_2 = Variable("n_2", "gpu", "twice the cluster")
n_5 = Variable("n_5", "gpu", "devices at which failures cost 5 %", tex=r"n_{5\,\%}")
y_n = Variable("y_n", "", "devices over those at which failures cost 5 %")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- operations ----------------------------------------------------------------------------

mean_power = Formula(
    p,
    p_t * (y_0 + (1 - y_0) * u),
    assumptions="power rises in proportion with the MFU, as the tutorial's program assumes",
    convention="a device that waits for memory draws power without arithmetic: the limit itself is the safer guess",
)
meter_power = Formula(p_M, PUE * p, kind="definition", convention="cooling and conversion included")
capital = Formula(K_n, n * K, kind="definition", assumptions="devices alone; servers, network and building come on top")
maintenance = Formula(B_m, n * K * r_m * t, kind="definition", assumptions="a fixed share of the price for each year")
tco = (
    Derivation.start(ownership.owned)
    .apply(
        {ownership.N: n, ownership.T: t, ownership.p: p, ownership.u: 1}, "the cluster works all the time of the run"
    )
    .apply({ownership.s: K * r_m}, "maintenance goes with the price")
    .formula(
        assumptions="the run bears the whole price of the cluster, as if it were thrown away afterwards",
        convention="no interest, and nothing left to sell",
    )
)
hour_power = Formula(e_h, PUE * p * k, kind="definition", convention="power at the meter")
hour_cost = (
    Derivation.start(c_h, ownership.a_0 + K * r_m + e_h, "an hour's share of the price, maintenance, electricity")
    .apply({ownership.a_0: ownership.straight_line.renamed({ownership.T: T_L})}, "the price spread evenly over a life")
    .apply(hour_power, "power at the meter times the price of electricity")
    .formula(assumptions="the device works all its life", convention="no interest; each hour bears the same share")
)
run_cost = (
    Derivation.start(B_r, n * T_r * c_h, "all devices are held until the run ends")
    .apply(run_time, "the time with failures")
    .formula(convention="devices cancel but for the failures: a larger cluster costs the same, sooner")
)
share_of_power = Formula(y_E, e_h / c_h, kind="definition", convention="electricity over all")
energy_share = (
    Derivation.start(share_of_power)
    .apply({c_h: hour_cost, e_h: hour_power}, "an hour's cost")
    .formula(convention="also the elasticity of the cost in the price of electricity")
)
electricity_share = Formula(y_E, energy.B / C_b, kind="definition", assumptions="any way of counting the cost")
price_share = Formula(
    y_K, 1 - y_E, kind="definition", assumptions="the rest is price and maintenance, which is proportional to the price"
)
site_power = Formula(
    q_E, energy.PUE_2 * k_2 / (energy.PUE_1 * k_1), kind="definition", assumptions="the devices draw the same power"
)
site_cost = (
    Derivation.start(
        q_B, (c_h - e_h + q_E * e_h) / c_h, "at the other site only electricity costs something else", kind="model"
    )
    .apply({e_h: y_E * c_h}, "measured by its share", justified_by=share_of_power)
    .rewrite(1 + y_E * (q_E - 1), "the cost itself cancels", routine=True)
    .formula(assumptions="the same devices, staff and taxes at both sites")
)
site_energy = site_cost.solve_for("q_E")
run_carbon = (
    Derivation.start(m_r, energy.carbon, "device-hours, power, PUE and intensity", kind="model")
    .apply(
        before_you_start.device_hours.renamed({before_you_start.N: n, before_you_start.t: T_r}),
        "all devices are held until the run ends",
    )
    .apply(run_time, "the time with failures")
    .formula(convention="location-based; operation only")
)

# --- the same in the symbols of the calculator -----------------------------------------------

peak_time = Formula(A_p, C / P, kind="definition", convention="device-days at the dense peak")
time_of_budget = (
    Derivation.start(run_time)
    .apply({C: A_p * P}, "work is device-time at peak: the peak cancels", justified_by=peak_time, routine=True)
    .formula()
)
time_without = (
    Derivation.start(training.time_of_work)
    .apply({C: A_p * P}, "work is device-time at peak: the peak cancels", justified_by=peak_time, routine=True)
    .formula()
)
cost_of_budget = (
    Derivation.start(run_cost).apply({C: A_p * P}, "work is device-time at peak", justified_by=peak_time).formula()
)
carbon_of_budget = (
    Derivation.start(run_carbon)
    .apply({C: A_p * P}, "work is device-time at peak", justified_by=peak_time)
    .apply({p: p_M / PUE}, "power at the meter: PUE is in it", justified_by=meter_power)
    .formula(convention="location-based; operation only")
)
doubled = Formula(n_2, 2 * n, kind="definition")
halved = Formula(n_1, n / 2, kind="definition")
devices_at_five = (
    Derivation.start(n_5, waste.solve_for("n"), "devices at which waste reaches a target")
    .apply({w_min: Rational(1, 20)}, "the target is 5 %")
    .formula()
)
over_five = (
    Derivation.start(y_n, n / n_5, "your cluster against that one").apply(devices_at_five, "waste of 5 %").formula()
)

# --- worked examples: operations -------------------------------------------------------------

QUEBEC = {PUE: facts.pue_quebec, c: sites.page_quebec}
POLAND = {PUE: facts.pue_poland, c: sites.page_poland}
mean = Example(mean_power, {p_t: hardware.h100_tdp, y_0: facts.idle, u: mfu})
hours = Example(before_you_start.device_hours, {before_you_start.N: devices, before_you_start.t: duration}, digits=6)
it_energy = Example(energy.it_energy, {energy.G: hours, p: mean})
it_energy_limit = Example(energy.it_energy, {energy.G: hours, p: hardware.h100_tdp})
server = Example(energy.server_power, {energy.P_s: hardware.dgx_h100_power, energy.N: hardware.server_gpus}, digits=4)
it_energy_server = Example(energy.it_energy, {energy.G: hours, p: server})
facility = Example(energy.facility_energy, {energy.E_I: it_energy, PUE: facts.pue_quebec})
facility_server = Example(energy.facility_energy, {energy.E_I: it_energy_server, PUE: facts.pue_quebec})
carbon_quebec = Example(energy.carbon, {**QUEBEC, energy.G: hours, p: mean})
carbon_poland = Example(energy.carbon, {**POLAND, energy.G: hours, p: mean})
# "40x": that is 800 over 20 alone. The same page's grids differ by 41, and its buildings by another half.
move_hint = Example(
    energy.relocation_ratio,
    {
        energy.PUE_1: facts.pue_quebec,
        energy.PUE_2: facts.pue_quebec,
        energy.c_1: facts.hint_poland,
        energy.c_2: facts.hint_quebec,
    },
    expect=facts.claimed_carbon,
    rtol=1e-9,
    source="the tutorial's key insight",
)
move_grids = Example(
    energy.relocation_ratio,
    {
        energy.PUE_1: facts.pue_quebec,
        energy.PUE_2: facts.pue_quebec,
        energy.c_1: sites.page_poland,
        energy.c_2: sites.page_quebec,
    },
)
move_sites = Example(
    energy.relocation_ratio,
    {
        energy.PUE_1: facts.pue_poland,
        energy.PUE_2: facts.pue_quebec,
        energy.c_1: sites.page_poland,
        energy.c_2: sites.page_quebec,
    },
)
# Quebec's WUE is 0 in the program: a closed loop uses no water on the site, and no formula is needed.
water_poland = Example(energy.water, {energy.WUE: facts.wue_poland, energy.E_I: it_energy}, digits=4)
capex = Example(capital, {n: devices, K: facts.price}, digits=4)
upkeep_bill = Example(maintenance, {n: devices, K: facts.price, r_m: facts.upkeep, t: duration}, digits=5)
bill = Example(energy.electricity_cost, {PUE: facts.pue_quebec, energy.E_I: it_energy, k: facts.power_price}, digits=5)
COST = {n: devices, t: duration, K: facts.price, r_m: facts.upkeep, k: facts.power_price, p: mean}
tco_quebec = Example(tco, {**COST, PUE: facts.pue_quebec}, digits=6)
tco_poland = Example(tco, {**COST, PUE: facts.pue_poland}, digits=6)
electricity = Example(electricity_share, {energy.B: bill, C_b: tco_quebec})
more_power = Example(
    site_power,
    {energy.PUE_1: facts.pue_quebec, energy.PUE_2: facts.pue_poland, k_1: facts.power_price, k_2: facts.power_price},
)
# "TCO by 20-30%": one price of electricity for both sites leaves the PUE, which moves the total by 0.06 %.
tco_ratio = Example(site_cost, {y_E: electricity, q_E: more_power}, digits=6)
HOUR = {K: facts.price, T_L: sites.lab_horizon, r_m: facts.upkeep, p: mean, PUE: facts.pue_quebec, k: facts.power_price}
hour = Example(hour_cost, HOUR)
hour_energy = Example(energy_share, HOUR)
hour_price = Example(price_share, {y_E: hour_energy})
cost_ratio = Example(site_cost, {y_E: hour_energy, q_E: more_power}, digits=4)
site_for_claim = Example(site_energy, {y_E: hour_energy, q_B: "1.2"})
RUN = {**FLEET, **DEVICES, C: work, u: mfu}
cost = Example(run_cost, {**RUN, c_h: hour}, digits=4)
carbon = Example(run_carbon, {**RUN, **QUEBEC, p: mean})

# --- explorer --------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
