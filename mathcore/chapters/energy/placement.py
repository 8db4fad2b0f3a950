"""Placement: idle power, certificates, clean hours and clean places, weighed against embodied emissions."""

from sympy import Integral, sqrt

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import energy, hardware, sites, young_daly
from mathcore.chapters.energy import PUE, PUE_1, PUE_2, T_L, E, G, c, c_1, c_2, m_d, p
from mathcore.chapters.goodput import ettr as goodput_ettr
from mathcore.chapters.goodput import progress
from mathcore.teaching import read_calculators, read_exercises

# --- symbols --------------------------------------------------------------------------------

SHARE = {"display_unit": "%", "low": "1 %", "high": "100 %"}
POWER = {"low": "1 W/gpu", "high": "5 kW/gpu"}
PER_HOUR = {"display_unit": "g/(gpu h)", "low": "0.0001 g/(gpu h)", "high": "10 kg/(gpu h)"}
b = Variable("b", "", "share of the hours held in which a device works", **SHARE)
gamma = Variable("gamma", "", "goodput: share of the work that is kept", tex=r"\gamma", **SHARE)
b_2 = Variable("b_2", "", "share of the hours held in which a device works, after a change", **SHARE)
gamma_2 = Variable("gamma_2", "", "goodput after a change", tex=r"\gamma_2", **SHARE)
p_w = Variable("p_w", "W/gpu", "power of a busy device", tex=r"p_{\mathrm{work}}", **POWER)
p_i = Variable(
    "p_i", "W/gpu", "power of an idle device", tex=r"p_{\mathrm{idle}}", zero=True, low="0 W/gpu", high="3 kW/gpu"
)
e_u = Variable("e_u", "kWh/(gpu h)", "energy for each useful device-hour", tex=r"\varepsilon")
e_u2 = Variable("e_u2", "kWh/(gpu h)", "energy for each useful device-hour, after a change", tex=r"\varepsilon_2")
x_g = Variable("x_g", "", "energy saved by a better goodput", tex=r"x_{\gamma}", display_unit="%")
P_m = Variable("P_m", "W", "measured power", tex=r"P_{\mathrm{meas}}", display_unit="kW", low="1 W", high="1 GW")
P_l = Variable("P_l", "W", "nameplate power", tex=r"P_{\mathrm{label}}", display_unit="kW", low="1 W", high="1 GW")
p_m = Variable(
    "p_m", "W/gpu", "largest power of an idle device at which a pause still pays", tex=r"p_{\mathrm{idle}}^{\max}"
)
y_p = Variable("y_p", "", "measured over nameplate power", tex=r"y", display_unit="%")
MASS = {"display_unit": "t", "low": "1 g", "high": "100000000 t"}
m_r = Variable("m_r", "kg", "running under load", tex=r"m_{\mathrm{run}}", **MASS)
m_i = Variable("m_i", "kg", "waiting and network", tex=r"m_{\mathrm{idle}}", **MASS)
m_k = Variable("m_k", "kg", "share of embodied emissions", tex=r"m_{\mathrm{emb}}", **MASS)
m_s = Variable("m_s", "kg", "total of the three parts", tex=r"m_{\mathrm{sum}}", **MASS)
y_r = Variable("y_r", "", "share of running under load in all", tex=r"y_{\mathrm{run}}", display_unit="%")
kappa = Variable(
    "kappa",
    "",
    "share of the energy for which certificates were bought",
    tex=r"\kappa",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
c_r = Variable(
    "c_r", "g/kWh", "carbon intensity of the residual mix", tex=r"c_{\mathrm{res}}", low="1 g/kWh", high="1200 g/kWh"
)
m_M = Variable(
    "m_M",
    "kg",
    "market-based mass of CO2e",
    tex=r"m_{\mathrm{market}}",
    display_unit="t",
    zero=True,
    low="0 g",
    high="100000000 t",
)
c_m = Variable("c_m", "g/kWh", "mean intensity of the day", tex=r"\bar{c}", low="5 g/kWh", high="1200 g/kWh")
a = Variable(
    "a", "g/kWh", "swing: how far the dirtiest hour lies above the mean", low="0 g/kWh", high="600 g/kWh", zero=True
)
z = Variable("z", "", "rank of an hour from the cleanest, as a share of the day", low="0", high="1", zero=True)
s = Variable("s", "", "share of the day in which the job runs, the cleanest", **SHARE)
c_s = Variable("c_s", "g/kWh", "mean intensity of the hours in which the job runs")
g_h = Variable("g_h", "kg/(gpu h)", "embodied emissions of a device for each hour of its life", tex=r"g", **PER_HOUR)
h_s = Variable("h_s", "kg/(gpu h)", "CO2e for each device-hour of work", display_unit="g/(gpu h)")
h_b = Variable(
    "h_b", "kg/(gpu h)", "part of idle power and embodied emissions", tex=r"h_{\mathrm{wait}}", display_unit="g/(gpu h)"
)
h_w = Variable("h_w", "kg/(gpu h)", "part of the busy power", tex=r"h_{\mathrm{work}}", display_unit="g/(gpu h)")
a_0 = Variable("a_0", "g/kWh", "swing from which on a pause pays", tex=r"a^{*}", low="0 g/kWh", high="100 kg/kWh")
k_c = Variable("k_c", "USD/kg", "price of CO2e at which a pause pays", tex=r"k_{\mathrm{CO_2}}", display_unit="USD/t")
p_d = Variable("p_d", "W/gpu", "power that a pause saves", tex=r"\Delta p", **POWER)
s_b = Variable("s_b", "", "best share of the day", tex=r"s^{*}", display_unit="%")
k_h = Variable(
    "k_h",
    "USD/(gpu h)",
    "price of an hour in which a device is held, used or not",
    tex=r"k_{\mathrm{h}}",
    low="0.01 USD/(gpu h)",
    high="100 USD/(gpu h)",
)
r_a = Variable(
    "r_a",
    "",
    "emissions at the first site over those at the second, embodied emissions included",
    tex=r"r_{\mathrm{all}}",
)
r_x = Variable("r_x", "", "upper limit of the gain from clean electricity", tex=r"r_{\max}")
FACTOR = {"low": "1", "high": "1000"}
f_1 = Variable("f_1", "", "factor of the place", **FACTOR)
f_2 = Variable("f_2", "", "factor of the hardware", **FACTOR)
f_3 = Variable("f_3", "", "factor of the number format", **FACTOR)
f_p = Variable("f_p", "", "product of the factors", tex=r"f_{\mathrm{all}}")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- useful energy --------------------------------------------------------------------------

held_power = Formula(
    p, b * p_w + (1 - b) * p_i, kind="definition", convention="mean over all hours held, waiting included"
)
useful_energy = (
    Derivation.start(e_u, PUE * p / (b * gamma), "energy held, over the hours that made progress")
    .apply(held_power, "the mean of work and wait")
    .rewrite(PUE * (p_w + (1 / b - 1) * p_i) / gamma, "each useful hour bears its share of the waiting")
    .formula(convention="at the meter of the building")
)
goodput_saving = (
    Derivation.start(x_g, 1 - e_u2 / e_u, "energy for a useful hour, after and before")
    .apply(
        {e_u: useful_energy, e_u2: useful_energy.renamed({b: b_2, gamma: gamma_2})},
        "each bears its waiting and its lost work; the building cancels",
        routine=True,
    )
    .formula(assumptions="the same work, in the same building")
)
STOPS = "a device waits while it writes and while it restarts, and works while it redoes what was lost"
active_share = (
    Derivation.start(
        b,
        1 - goodput_ettr.e * young_daly.C / young_daly.tau - goodput_ettr.o / young_daly.M,
        "of the hours held, the device waits for a write in each interval of kept work and for a restart after each failure",
        kind="model",
    )
    .apply(goodput_ettr.ettr, "kept work, over the hours held")
    .rewrite(
        (1 - (goodput_ettr.o - young_daly.C / 2) / young_daly.M) / (1 + young_daly.C / young_daly.tau), "one fraction"
    )
    .formula(assumptions=STOPS)
)
goodput = (
    Derivation.start(gamma, goodput_ettr.e / b, "kept work, over all work")
    .apply({goodput_ettr.e: goodput_ettr.ettr, b: active_share}, "both, over the hours held")
    .rewrite(
        (young_daly.M - goodput_ettr.o - young_daly.tau / 2) / (young_daly.M - goodput_ettr.o + young_daly.C / 2),
        "the writes cancel",
        routine=True,
    )
    .formula()
)
over_label = Formula(y_p, P_m / P_l, kind="definition")
three_parts = Formula(m_s, m_r + m_i + m_k, kind="definition", convention="as Luccioni et al. report it")
run_share = (
    Derivation.start(y_r, m_r / m_s, "what is usually reported, over all three").apply(three_parts, "the sum").formula()
)

# --- certificates ---------------------------------------------------------------------------

market_based = Formula(
    m_M,
    (1 - kappa) * E * c_r,
    kind="definition",
    assumptions="certificates from plants that emit nothing",
    convention="market-based: by contracts over a year, not by the hour or the place",
)

# --- clean hours ------------------------------------------------------------------------------

clean_hours = (
    Derivation.start(
        c_s,
        Integral((c_m - a + 2 * a * z) / s, (z, 0, s)),
        "sorted by intensity, from the cleanest to the dirtiest, hours rise evenly by twice the swing; the job takes the cleanest",
        kind="model",
    )
    .rewrite(c_m - a * (1 - s), "the mean of a straight line is its value in the middle")
    .formula(assumptions=("sorted intensity rises evenly", "the clean hours are known in advance"), domain=(a <= c_m,))
)
pausing = (
    Derivation.start(
        h_s,
        PUE * (p_w * c_s + p_i * (c_m - s * c_s) / s) + g_h / s,
        "work at clean hours, waiting at the others, and the embodied emissions of a device that works only part of its life",
        kind="model",
    )
    .apply(clean_hours, "the clean hours")
    .rewrite(
        PUE * (p_w - p_i) * (c_m - a * (1 - s)) + (PUE * p_i * c_m + g_h) / s,
        "waiting power is drawn all day, the additional power of work only at clean hours",
    )
    .formula(assumptions="stopping and starting costs nothing", domain=(a <= c_m, p_i < p_w))
)
working_part = Formula(
    h_w, PUE * (p_w - p_i) * (c_m - a * (1 - s)), kind="definition", assumptions="sorted intensity rises evenly"
)
waiting_part = Formula(h_b, (PUE * p_i * c_m + g_h) / s, kind="definition", convention="for each hour of work")
power_saved = Formula(p_d, p_w - p_i, kind="definition")
pausing_plain = (
    Derivation.start(pausing).apply({p_w: p_i + p_d}, "waiting and the rest", justified_by=power_saved).formula()
)
best_plain = (
    Derivation.minimise(
        pausing_plain, over=s, why="fewer hours are cleaner, but bear more waiting and embodied emissions"
    )
    .slope(PUE * p_d * a - (PUE * p_i * c_m + g_h) / s**2, "one term rises, one falls")
    .root(sqrt((PUE * p_i * c_m + g_h) / (PUE * p_d * a)), "the slope vanishes where both are equal", as_symbol=s_b)
    .curvature(2 * (PUE * p_i * c_m + g_h) / s**3, "positive: a minimum", routine=True)
    .formula()
)
best_share = (
    Derivation.start(best_plain)
    .apply(power_saved, "in terms of the two powers")
    .formula(domain=(p_i < p_w,), convention="above 1 there is no such share: do not pause")
)
swing_needed = (
    Derivation.balance(
        PUE * (p_w - p_i) * a_0,
        PUE * p_i * c_m + g_h,
        "move one hour of work from the dirtiest hour to a mean one: the swing is saved, the device is held an hour longer",
    )
    .solve_for(a_0, (PUE * p_i * c_m + g_h) / (PUE * (p_w - p_i)), "divide by the power that pauses")
    .formula(assumptions="the first hour that is paused", domain=(p_i < p_w,))
)
idle_for_pause = (
    Derivation.balance(PUE * (p_w - p_m) * a, PUE * p_m * c_m + g_h, "the first paused hour saves as much as it costs")
    .solve_for(p_m, (PUE * p_w * a - g_h) / (PUE * (a + c_m)), "collect the power of waiting", routine=True)
    .formula(assumptions="the first hour that is paused", domain=(g_h <= PUE * p_w * a,))
)
price_of_pausing = (
    Derivation.balance(
        k_c * (PUE * ((p_w - p_i) * a - p_i * c_m) - g_h),
        k_h,
        "what the first paused hour saves, at a price, pays for the hour the device is held longer",
    )
    .solve_for(k_c, k_h / (PUE * ((p_w - p_i) * a - p_i * c_m) - g_h), "divide by the mass")
    .formula(assumptions="the first hour that is paused", domain=(PUE * ((p_w - p_i) * a - p_i * c_m) > g_h,))
)

# --- clean places -------------------------------------------------------------------------------

embodied_per_hour = Formula(g_h, m_d / T_L, kind="definition", convention="every hour of the life, at work or not")
move_all = Formula(
    r_a,
    (PUE_1 * p * c_1 + g_h) / (PUE_2 * p * c_2 + g_h),
    kind="definition",
    assumptions="the same devices at both sites",
    convention="operation and making",
)
move_limit = (
    Derivation.start(
        r_x, (PUE * p * c + g_h) / g_h, "let the electricity of the second site emit nothing", kind="the case studied"
    )
    .rewrite(1 + PUE * p * c / g_h, "making is left")
    .formula(assumptions="the same devices at both sites")
)
levers = Formula(f_p, f_1 * f_2 * f_3, assumptions="each factor applies to all that the others leave")

# --- worked examples ------------------------------------------------------------------------------

node = Example(energy.server_power, {energy.P_s: facts.node_mean, energy.N: hardware.server_gpus})
node_peak = Example(energy.server_power, {energy.P_s: facts.node_max, energy.N: hardware.server_gpus}, digits=4)
idle = Example(energy.server_power, {energy.P_s: facts.node_idle, energy.N: hardware.server_gpus})
node_over_label = Example(
    over_label,
    {P_m: facts.node_max, P_l: hardware.dgx_h100_power},
    expect="82 %",
    rtol=0.005,
    source="Latif et al.: 18 % lower",
    digits=2,
)
mean_over_label = Example(over_label, {P_m: facts.node_mean, P_l: hardware.dgx_h100_power}, digits=2)
RUN = {G: "1000000 gpu h", p: node, PUE: "1.2"}
run_limit = Example(energy.carbon, {G: "1000000 gpu h", p: hardware.h100_tdp, PUE: "1", c: sites.grid_germany})
run_germany = Example(energy.carbon, {**RUN, c: sites.grid_germany})
run_sweden = Example(energy.carbon, {**RUN, PUE: sites.pue_aws, c: sites.grid_sweden})
run_energy = Example(
    energy.facility_energy, {PUE: "1.2", energy.E_I: Example(energy.it_energy, {G: RUN[G], p: node})}, digits=4
)
run_made = Example(energy.embodied_share, {G: RUN[G], m_d: sites.embodied_a100, energy.u: "80 %", T_L: "5 year"})
BEFORE = {symbol: progress.STORM[symbol] for symbol in (young_daly.M, young_daly.C, goodput_ettr.o, young_daly.tau)}
QUICK = {young_daly.M: BEFORE[young_daly.M], young_daly.C: "10 s", goodput_ettr.o: "8 min"}
AFTER = {**QUICK, young_daly.tau: Example(goodput_ettr.ettr_interval, QUICK)}
works_before, works_after = Example(active_share, BEFORE), Example(active_share, AFTER)
kept_before, kept_after = Example(goodput, BEFORE), Example(goodput, AFTER)
COMMITTEE = {b: works_before, gamma: kept_before, b_2: works_after, gamma_2: kept_after, p_w: node}
run_goodput = Example(goodput_saving, {**COMMITTEE, p_i: idle})
run_goodput_awake = Example(goodput_saving, {**COMMITTEE, p_i: node})
run_water = Example(
    energy.water, {energy.WUE: sites.wue_average, energy.E_I: Example(energy.it_energy, {G: RUN[G], p: node})}
)
run_water_microsoft = Example(
    energy.water, {energy.WUE: sites.wue_microsoft, energy.E_I: Example(energy.it_energy, {G: RUN[G], p: node})}
)
run_water_all = Example(
    energy.water_all,
    {
        energy.WUE: sites.wue_average,
        energy.E_I: Example(energy.it_energy, {G: RUN[G], p: node}),
        PUE: "1.2",
        energy.w_g: "3 L/kWh",
    },
)
BUSY = {p_w: node, p_i: idle, PUE: "1.2", gamma: "90 %"}
busy = Example(useful_energy, {**BUSY, b: "90 %"})
lazy = Example(useful_energy, {**BUSY, b: "30 %"})
bloom_sum = Example(
    three_parts,
    {m_r: sites.bloom_carbon, m_i: sites.bloom_idle_carbon, m_k: sites.bloom_embodied},
    expect=sites.bloom_total,
    source="Luccioni et al. 2023",
)
bloom_share = Example(run_share, {m_r: sites.bloom_carbon, m_i: sites.bloom_idle_carbon, m_k: sites.bloom_embodied})
half_market = Example(market_based, {kappa: "75 %", E: run_energy, c_r: "450 g/kWh"})
hourly_market = Example(market_based, {kappa: facts.hourly_frankfurt, E: run_energy, c_r: sites.grid_germany})
made_hour = Example(embodied_per_hour, {m_d: sites.embodied_a100, T_L: "5 year"})
DAY = {c_m: sites.grid_germany, a: "120 g/kWh"}
half_day = Example(clean_hours, {**DAY, s: "50 %"})
PAUSE = {**DAY, PUE: "1.2", p_w: node, g_h: made_hour}
all_day = Example(pausing, {**PAUSE, p_i: idle, s: "100 %"})
half_idle = Example(pausing, {**PAUSE, p_i: idle, s: "50 %"})
wide_idle = Example(best_share, {**PAUSE, a: "230 g/kWh", p_i: idle})
best_idle = Example(best_share, {**PAUSE, p_i: idle})
idle_at_most = Example(idle_for_pause, PAUSE)
swing_idle = Example(swing_needed, {**{k: v for k, v in PAUSE.items() if k is not a}, p_i: idle})
swing_off = Example(swing_needed, {**{k: v for k, v in PAUSE.items() if k is not a}, p_i: "0 W/gpu"})
pause_price = Example(price_of_pausing, {**PAUSE, p_i: "0 W/gpu", k_h: sites.contract_june}, digits=2)
PLACE = {PUE_1: "1.2", PUE_2: "1.2", p: "400 W/gpu"}
page_made = Example(embodied_per_hour, {m_d: sites.embodied_a100, T_L: "5 year"})
page_move_all = Example(move_all, {**PLACE, c_1: sites.page_poland, c_2: sites.page_quebec, g_h: page_made}, digits=2)
page_move_limit = Example(move_limit, {PUE: "1.2", p: "400 W/gpu", c: sites.page_poland, g_h: page_made}, digits=2)
page_levers = Example(levers, {f_1: energy.page_move, f_2: facts.page_hardware, f_3: facts.page_quantization}, digits=2)

# --- explorer ---------------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
