"""Energy, measured: power by clock frequency and under caps, AC power of nodes, energy of tokens; and the sources of a grid's electricity."""

from sympy import Rational

from mathcore import Derivation, Example, Formula, Max, Min, Variable, read_facts
from mathcore.chapters import energy, hardware, sites
from mathcore.chapters.energy import PUE, PUE_1, PUE_2, G, P_s, f, p, p_0, p_1, p_c, p_f, placement, q, theta, x, y
from mathcore.chapters.energy.placement import P_l, P_m, a, b, b_2, c_s, gamma, gamma_2, k_h, s
from mathcore.chapters.energy.placement import c_m as c_m_day
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

p_h = Variable("p_h", "W/gpu", "highest cap", tex=r"p_{\mathrm{high}}", low="10 W/gpu", high="5 kW/gpu")
y_l = Variable(
    "y_l",
    "",
    "share of its nameplate power that a node draws at work",
    tex=r"y_{\mathrm{label}}",
    display_unit="%",
    low="10 %",
    high="1",
)
p_t = Variable("p_t", "W/gpu", "power limit of a device", tex=r"p_{\mathrm{lim}}", low="10 W/gpu", high="5 kW/gpu")
y_t = Variable(
    "y_t", "", "share of its limit that a device draws", tex=r"y_{\mathrm{lim}}", display_unit="%", low="10 %", high="1"
)
f_v = Variable("f_v", "", "clock below which the voltage does not fall", tex=r"f_{V}", low="0.1", high="1")
f_b = Variable("f_b", "", "clock of least energy with a floor", tex=r"f^{*}_{V}")
y_0 = Variable("y_0", "", "static share of the power", display_unit="%", low="1 %", high="95 %")
f_a = Variable(
    "f_a",
    "",
    "highest clock that is attained, over the full clock that is set",
    tex=r"f_{\mathrm{top}}",
    low="0.1",
    high="1",
)
p_a = Variable("p_a", "W/gpu", "power of the device alone", tex=r"p_{\mathrm{dev}}", low="10 W/gpu", high="5 kW/gpu")
p_b = Variable(
    "p_b",
    "W/gpu",
    "power of a device's share of the rest of the node",
    tex=r"p_{\mathrm{rest}}",
    low="0 W/gpu",
    high="5 kW/gpu",
    zero=True,
)
y_b = Variable(
    "y_b",
    "",
    "rest of the node over the device, power at the full clock",
    tex=r"y_{\mathrm{rest}}",
    display_unit="%",
    low="0 %",
    high="300 %",
    zero=True,
)
q_n = Variable("q_n", "", "energy of the node at the clock f over that at the full clock", tex=r"q_{\mathrm{node}}")
f_n = Variable("f_n", "", "clock of least energy of the node", tex=r"f^{*}_{\mathrm{node}}")
c_d = Variable(
    "c_d",
    "g/kWh",
    "mean intensity of the day, less that of the hours in which the job runs",
    tex=r"\Delta c",
    low="0 g/kWh",
    high="600 g/kWh",
    zero=True,
)
n_s = Variable("n_s", "", "nodes", alias="nodes", tex=r"n_{\mathrm{srv}}", low="1", high="100000", integer=True)
FUEL = {"low": "0 %", "high": "100 %", "zero": True, "display_unit": "%"}
s_c = Variable("s_c", "", "share of coal in the electricity", tex=r"s_{\mathrm{coal}}", **FUEL)
s_g = Variable("s_g", "", "share of gas", tex=r"s_{\mathrm{gas}}", **FUEL)
s_o = Variable("s_o", "", "share of oil", tex=r"s_{\mathrm{oil}}", **FUEL)
PLANT = {"low": "1 g/kWh", "high": "2 kg/kWh"}
e_c = Variable("e_c", "g/kWh", "intensity of electricity from coal", tex=r"e_{\mathrm{coal}}", **PLANT)
e_g = Variable("e_g", "g/kWh", "intensity of electricity from gas", tex=r"e_{\mathrm{gas}}", **PLANT)
e_o = Variable("e_o", "g/kWh", "intensity of electricity from oil", tex=r"e_{\mathrm{oil}}", **PLANT)
e_r = Variable("e_r", "g/kWh", "intensity of all other electricity", tex=r"e_{\mathrm{rest}}", **PLANT)
INTENSITY = {"low": "1 g/kWh", "high": "1200 g/kWh"}
c_m1 = Variable("c_m1", "g/kWh", "marginal intensity at the first site", tex=r"\partial c_1", **INTENSITY)
c_m2 = Variable("c_m2", "g/kWh", "marginal intensity at the second site", tex=r"\partial c_2", **INTENSITY)
w_g = Variable("w_g", "", "share of the hours in which gas produces the next unit", tex=r"w_{\mathrm{gas}}", **FUEL)
w_c = Variable("w_c", "", "share of the hours in which coal produces the next unit", tex=r"w_{\mathrm{coal}}", **FUEL)
c_m = Variable("c_m", "g/kWh", "marginal intensity: that of the next unit", tex=r"\partial c", **INTENSITY)
m_x = Variable(
    "m_x", "kg", "CO2e that a move avoids", tex=r"\Delta m", display_unit="t", low="-100000000 t", high="100000000 t"
)
CUE = Variable("CUE", "g/kWh", "carbon usage effectiveness", tex=r"\operatorname{CUE}", low="1 g/kWh", high="5 kg/kWh")

m_n = Variable("m_n", "kg", "CO2e of the run with the proposal", tex=r"m_{\mathrm{new}}", display_unit="t")
q_m = Variable("q_m", "", "energy with the proposal over that without", tex=r"q_{m}", low="0.01", high="10")
y_h = Variable("y_h", "", "hours held over the hours of the plan", tex=r"y_{\mathrm{h}}", low="0.1", high="10")
n_d = Variable("n_d", "gpu", "devices of the run", tex=r"n", low="1 gpu", high="10000000 gpu", integer=True)
t_n = Variable("t_n", "s", "time of the run with the proposal", tex=r"t_{\mathrm{new}}", display_unit="d")
B_n = Variable("B_n", "USD", "rent of the run with the proposal", tex=r"B_{\mathrm{new}}", display_unit="MUSD")
B_o = Variable("B_o", "USD", "rent of the run as planned", tex=r"B_{\mathrm{plan}}", display_unit="MUSD")
k_x = Variable("k_x", "USD/kg", "rent for the mass that a proposal avoids", tex=r"k_{\Delta m}", display_unit="USD/t")

# --- facts and data --------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
clocks = Dataset("clock_a100")
clocks_a40 = Dataset("clock_a40")
caps = Dataset("power_caps")
nodes = Dataset("node_power_h100")
tokens = Dataset("decode_power")
grids = Dataset("grid_mix")
hours = Dataset("clean_hours")

# --- the clock -----------------------------------------------------------------------------

cube = Comparison(
    formula=energy.power_at_clock,
    data=clocks,
    measured="power",
    columns={f: "clock"},
    fit_parameters={p_0: ("20 W/gpu", "300 W/gpu"), p_1: ("50 W/gpu", "600 W/gpu")},
    holdout={"clock": "< 0.78"},
    over={"clock": "clock"},
    system="power of an A100 at slow clocks",
    bound=("12 %", "20 %"),
    note="The cube fits down to 80 % of the full clock; below, the voltage no longer falls, and the power falls less than predicted.",
)
time_attained = (
    Derivation.start(energy.slowdown)
    .apply({f: Min(f, f_a) / f_a}, "settings above the highest attained clock change nothing")
    .formula(assumptions="the device runs at the clock that is set, up to the highest that it attains")
)
stretched = Comparison(
    formula=time_attained,
    data=clocks,
    measured="slowdown",
    columns={f: "clock"},
    fit_parameters={x: ("0.1 %", "60 %"), f_a: ("85 %", "99.9 %")},
    only={"clock": "< 0.93"},
    holdout={"clock": "< 0.78"},
    over={"clock": "clock"},
    also=(energy.slowdown,),
    system="time of an A100 at slow clocks",
    bound=("2 %", "4 %"),
    note="The device does not attain the full clock that is set, so rows above 0.93 are left out. About an eighth of the time does not depend on the clock, and less at low clocks.",
)
energy_attained = (
    Derivation.start(energy.q, y * p_f / (p_0 + p_1), "time and power, both against the full clock")
    .apply({p_f: energy.power_at_clock, y: time_attained}, "power by the cube, and time")
    .formula(assumptions="switching power is the same while waiting")
)
saved = Comparison(
    formula=energy_attained,
    data=clocks,
    measured="energy",
    columns={
        f: "clock",
        p_0: cube.fitted_parameters["p_0"],
        p_1: cube.fitted_parameters["p_1"],
        **{v: stretched.fitted_parameters[v.name] for v in (x, f_a)},
    },
    only={"clock": "< 0.78"},
    over={"clock": "clock"},
    system="energy of an A100 at slow clocks, from the two fits",
    bound=("18 %", "27 %"),
    note="Below two thirds of the full clock it predicts savings that were not measured: a lower clock does not always save energy.",
)

# --- the voltage has a floor ---------------------------------------------------------------------

power_above_floor = Formula(
    p_f,
    p_0 + p_1 * f * Max(f, f_v) ** 2,
    assumptions="voltage falls with the clock down to a floor and stays there: switching power is then proportional to the clock",
)
floor = Comparison(
    formula=power_above_floor,
    data=clocks,
    measured="power",
    columns={f: "clock"},
    fit_parameters={p_0: ("20 W/gpu", "300 W/gpu"), p_1: ("50 W/gpu", "600 W/gpu"), f_v: ("65 %", "90 %")},
    seed=7,
    over={"clock": "clock"},
    system="power of an A100 by its clock, with a floor for the voltage",
    bound=("3 %", "9 %"),
    note="With a floor the model fits at all clocks, and the floor lies where the energy is least.",
)
energy_above_floor = (
    Derivation.start(energy.q, y * p_f / (p_0 + p_1), "time and power, both against the full clock")
    .apply({p_f: power_above_floor, y: time_attained}, "power with a floor, and time")
    .formula(assumptions="switching power is the same while waiting")
)
best_above_floor = Formula(
    f_b,
    Max(f_v, energy.clock_of_least_energy.rhs),
    assumptions=("below the floor a slower clock saves nothing", "all of the time scales with the clock"),
)
saved_with_floor = Comparison(
    formula=energy_above_floor,
    data=clocks,
    measured="energy",
    columns={
        f: "clock",
        **{v: stretched.fitted_parameters[v.name] for v in (x, f_a)},
        **{v: floor.fitted_parameters[v.name] for v in (p_0, p_1, f_v)},
    },
    over={"clock": "clock"},
    system="energy of an A100 by its clock, from the fits of power and time",
    bound=("7.5 %", "12 %"),
    note="The clock of least energy is found; the energy there is predicted too low by about 7 %, because the full clock is not attained and draws less than the fit says.",
)

# The same form on another device: its constants do not carry over, so that they are fitted anew.
carried = Comparison(
    formula=energy_above_floor,
    data=clocks_a40,
    measured="energy",
    columns=saved_with_floor.columns,
    over={"clock": "clock"},
    system="energy of an A40 by its clock, with the constants of the A100",
    bound=("21 %", "35 %"),
    note="Constants of one type of device say nothing of another, whose power limit and voltages differ.",
)
floor_a40 = Comparison(
    formula=power_above_floor,
    data=clocks_a40,
    measured="power",
    columns={f: "clock"},
    only={"clock": "< 0.83"},
    fit_parameters={p_0: ("20 W/gpu", "250 W/gpu"), p_1: ("50 W/gpu", "900 W/gpu"), f_v: ("50 %", "82 %")},
    seed=7,
    over={"clock": "clock"},
    system="power of an A40 by its clock, with constants of its own",
    bound=("2 %", "10 %"),
    note="The form holds on a second device with constants of its own. Settings above 0.83 change nothing there, because the power limit of 300 W decides.",
)

# --- the rest of the node ------------------------------------------------------------------------

device_power = Formula(p_a, p - p_b, kind="definition", domain=(p_b < p,))
rest_over_device = Formula(
    y_b, p / p_a - 1, kind="definition", domain=(p_a <= p,), convention="power at the full clock, for each device"
)
node_at_clock = (
    Derivation.start(
        q_n,
        (q * p_a + y * p_b) / (p_a + p_b),
        "the device's energy, and the rest's power for as long as the job takes",
        kind="model",
    )
    .apply({p_b: y_b * p_a}, "the rest, as a multiple of the device")
    .rewrite((q + y_b * y) / (1 + y_b), "the device's power cancels", routine=True)
    .formula(assumptions="the rest of the node draws the same at every clock")
)
best_of_node = Formula(
    f_n,
    Max(f_v, ((p_0 + y_b * (p_0 + p_1)) / (2 * p_1)) ** Rational(1, 3)),
    assumptions=("below the floor a slower clock saves nothing", "all of the time scales with the clock"),
    convention="the rest of the node counts as power that does not depend on the clock",
)

# --- a cap on the power ------------------------------------------------------------------------

constant_share = Formula(
    y_0, p_0 / (p_0 + p_1), kind="definition", convention="the static share of the power at the full clock"
)
under_cap = (
    Derivation.start(energy.slowdown)
    .apply({f: energy.clock_under_cap}, "the clock that meets the cap")
    .apply({p_1: p_h - p_0}, "at the highest cap the clock is full")
    .apply({p_0: y_0 * p_h}, "of which a share is static")
    .formula(domain=(p_c > y_0 * p_h, p_c <= p_h), assumptions="the job draws as much as the cap allows")
)
A100_SHARE = Example(constant_share, {p_0: floor.fitted_parameters["p_0"], p_1: floor.fitted_parameters["p_1"]})
CAPS = {"formula": under_cap, "data": caps, "measured": "slowdown", "over": {"cap": "cap"}}
AT = {p_c: "cap", p_h: "highest", y_0: A100_SHARE}
caps_a100 = Comparison(
    **CAPS,
    columns={**AT, x: stretched.fitted_parameters["x"]},
    only={"device": "A100"},
    system="training under a cap, A100, from the fits of power and time",
    bound=("10 %", "40 %"),
    note="A cap at three quarters of the limit costs about as much time as predicted; a deep one takes 1.5 times the prediction.",
)
caps_v100 = Comparison(
    **CAPS,
    columns=AT,
    fit_parameters={x: ("0.1 %", "90 %")},
    only={"device": "V100"},
    holdout={"cap": "< 175"},
    system="training under a deep cap, V100",
    bound=("18 %", "45 %"),
    note="An older device behaves alike: jobs that wait for memory are hardly slower, and those that compute take twice as long.",
)

caps_others = Comparison(
    **CAPS,
    columns={**AT, x: caps_v100.fitted_parameters["x"]},
    only={"device": ("A40", "RTX 6000", "P100")},
    system="training under a cap, A40, RTX 6000 and P100, from the fits on A100 and V100",
    bound=("6.5 %", "80 %"),
    note="On three devices that no fit has seen, half of the jobs take what was predicted within 5 %; a deep cap slows jobs that compute down by up to 1.7 times the prediction, and others hardly.",
)

# --- the node at the wall ----------------------------------------------------------------------

drawn = (
    Derivation.start(P_m, n_s * P_s, "all nodes together")
    .apply({P_s: y_l * P_l}, "each node draws a share of its nameplate power, whatever its devices do")
    .formula(
        assumptions="the node is at work",
        convention="AC power: processors, network, fans and conversion losses are included",
    )
)
at_work = Comparison(
    formula=drawn,
    data=nodes,
    measured="power",
    columns={n_s: "nodes", P_l: hardware.dgx_h100_power},
    fit_parameters={y_l: ("30 %", "100 %")},
    fit={"nodes": 1},
    over={"nodes": "nodes", "logged": "time"},
    system="AC power of H100 nodes: one node, then eight and 64",
    bound=("23 %", "50 %"),
    note="Runs of an hour match the prediction from single nodes; runs of a few minutes spend up to a third of their time waiting and draw that much less.",
)
T_l = Variable(
    "T_l",
    "s",
    "time over which power was logged",
    tex=r"T_{\mathrm{log}}",
    display_unit="min",
    low="1 s",
    high="1 year",
)
t_e = Variable(
    "t_e", "s", "start and end of a run, as time without power", tex=r"t_{\mathrm{ends}}", display_unit="min", low="1 s"
)
drawn_between_ends = (
    Derivation.start(drawn)
    .apply({y_l: y_l * (1 - t_e / T_l)}, "the share applies between start and end")
    .formula(domain=(t_e < T_l,), assumptions="start and end take the same time in every run")
)
with_ends = Comparison(
    formula=drawn_between_ends,
    data=nodes,
    measured="power",
    columns={n_s: "nodes", P_l: hardware.dgx_h100_power, T_l: "time"},
    fit_parameters={y_l: ("30 %", "100 %"), t_e: ("0.02 min", "2.5 min")},
    fit={"nodes": 1},
    over={"nodes": "nodes", "logged": "time"},
    system="AC power of H100 nodes, with the start and the end of a run",
    bound=("17 %", "27 %"),
    note="About a minute at both ends halves the error for runs of a few minutes, on the nodes of one vendor.",
)

# --- tokens ------------------------------------------------------------------------------------

of_limit = Formula(p, y_t * p_t, assumptions="the device decodes, with whatever batch")
power_of_tokens = Comparison(
    formula=of_limit,
    data=tokens,
    measured="power",
    columns={p_t: "limit"},
    fit_parameters={y_t: ("60 %", "100 %")},
    fit={"device": "H100"},
    over={"batch": "batch"},
    system="power while decoding, H100, then B200",
    bound=("14 %", "90 %"),
    note="For half of the rows one share of the limit is right within 14 %. Within one model and device the power differs by 10 to 50 % between batches, while the tokens per second grow at least ninefold.",
)
energy_per_token = (
    Derivation.start(energy.energy_per_token)
    .apply({p: y_t * p_t}, "one share of the limit, whatever the batch")
    .formula()
)
energy_of_tokens = Comparison(
    formula=energy_per_token,
    data=tokens,
    measured="energy",
    columns={p_t: "limit", theta: "pace", PUE: "1"},
    fit_parameters={y_t: ("60 %", "100 %")},
    fit={"device": "H100"},
    over={"batch": "batch"},
    system="energy of a token, H100, then B200",
    bound=("14 %", "90 %"),
    note="The source computes the energy of a token as power over rate, so this repeats the rows and errors of the power while decoding and is no second test. The energy falls sixfold and more with the batch, while the power differs by 50 % at most.",
)

# --- the grid ----------------------------------------------------------------------------------

mix_intensity = Formula(
    energy.c,
    s_c * e_c + s_g * e_g + s_o * e_o + (1 - s_c - s_g - s_o) * e_r,
    kind="definition",
    assumptions="imports are left out",
)
mix = Comparison(
    formula=mix_intensity,
    data=grids,
    measured="intensity",
    columns={s_c: "coal", s_g: "gas", s_o: "oil"},
    fit_parameters={
        e_c: ("500 g/kWh", "1500 g/kWh"),
        e_g: ("200 g/kWh", "900 g/kWh"),
        e_o: ("300 g/kWh", "1500 g/kWh"),
        e_r: ("5 g/kWh", "100 g/kWh"),
    },
    seed=7,
    over={"intensity": "intensity"},
    system="electricity of countries, by what it is made of",
    bound=("8 %", "16 %"),
    note="The source computes its means from such numbers by kind of plant, so this finds them again rather than tests them. Four numbers explain the means; what a plant emits that runs a little more is one of the four, and never the mean.",
)

# --- clean hours ---------------------------------------------------------------------------------

cleaner = (
    Derivation.start(c_d, c_m_day - c_s, "the day, less the hours in which the job runs")
    .apply({c_s: placement.clean_hours}, "sorted intensity rises evenly: the mean cancels")
    .formula()
)
clean = Comparison(
    formula=cleaner,
    data=hours,
    measured="saved",
    columns={a: "swing", s: "share"},
    over={"share": "share"},
    system="cleanest quarter and three quarters of a day, from its cleaner half",
    bound=("9 %", "22 %"),
    note="Sorted hours rise nearly evenly; the cleanest quarter of a German day is a little cleaner than that.",
)

# --- at the margin -------------------------------------------------------------------------------

cue = Formula(CUE, PUE * energy.c, kind="definition", convention="CO2e for each kilowatt-hour of the IT equipment")
marginal = Formula(
    c_m,
    w_c * e_c + w_g * e_g + (1 - w_c - w_g) * e_r,
    domain=(w_c + w_g <= 1,),
    assumptions="in each hour one kind of plant produces the next unit",
    convention="of the next unit of electricity, not of the mean one",
)
avoided = Derivation.start(
    m_x, G * p * (PUE_1 * c_m1 - PUE_2 * c_m2), "emissions avoided at the first site, minus those added at the second"
).formula(assumptions="both grids stay as they are built", convention="negative: the move emits more")

# --- what a proposal does to mass, days and rent -------------------------------------------------

mass_after = Formula(m_n, energy.m * q_m, kind="definition")
days_after = Formula(t_n, G * y_h / n_d, kind="definition", assumptions="all devices are held until the run ends")
mass_by_hour = Formula(m_n, G * placement.h_s, kind="definition")
kept = Formula(
    y_h,
    b * gamma / (b_2 * gamma_2),
    kind="definition",
    assumptions="the same work",
    convention="kept work over the hours held, before and after",
)
mass_spared = Formula(m_x, energy.m - m_n, kind="definition", assumptions="the grid's mean intensity counts")
spared = Formula(q_m, 1 - placement.x_g, kind="definition")
rent_spared = Formula(
    B_n,
    G * (1 - y_h) * k_h,
    kind="definition",
    assumptions="an hour costs the same, used or not",
    convention="rent saved",
)
rent_after = Formula(B_n, G * y_h * k_h, kind="definition", assumptions="an hour costs the same, used or not")
price_of_sparing = Formula(
    k_x,
    (B_n - B_o) / m_x,
    kind="definition",
    assumptions="rent alone",
    convention="additional rent over the mass avoided",
)

# --- worked examples -----------------------------------------------------------------------------

FITTED = {symbol: floor.fitted_parameters[symbol.name] for symbol in (p_0, p_1)}
cubic_clock = Example(energy.clock_of_least_energy, FITTED)
FLOOR = {**FITTED, f_v: floor.fitted_parameters["f_v"]}
floor_clock = Example(best_above_floor, FLOOR)
rest_least = Example(rest_over_device, {p: placement.node, p_a: hardware.h100_tdp})
rest_most = Example(
    rest_over_device, {p: placement.node, p_a: Example(device_power, {p: placement.node, p_b: placement.idle})}
)
# A node of another maker at the largest power that was seen, with all devices at their limit.
rest_seen = Example(
    rest_over_device,
    {
        p: Example(energy.server_power, {P_s: placement.node_max, energy.N: hardware.server_gpus}),
        p_a: hardware.h100_tdp,
    },
)
node_clock = Example(best_of_node, {**FLOOR, y_b: rest_most})
LEAST, DEEP = {q: facts.least_energy, y: facts.least_time}, {q: facts.deep_energy, y: facts.deep_time}
node_least = Example(node_at_clock, {**LEAST, y_b: rest_least}, unit="%")
node_most = Example(node_at_clock, {**LEAST, y_b: rest_most}, unit="%")
deep_most = Example(node_at_clock, {**DEEP, y_b: rest_most}, unit="%")
LABEL = {P_l: hardware.dgx_h100_power}
share_low = Example(drawn, {n_s: "1", y_l: at_work.fitted_parameters["y_l"], **LABEL})
share_high = Example(drawn, {n_s: "1", y_l: placement.label_heavy, **LABEL})
low, high = (Example(energy.server_power, {P_s: s, energy.N: hardware.server_gpus}) for s in (share_low, share_high))
few_predicted = Example(
    energy_per_token,
    {PUE: "1", y_t: energy_of_tokens.fitted_parameters["y_t"], p_t: hardware.h100_tdp, theta: facts.few_pace},
)
FUELS = {e_c: mix.fitted_parameters["e_c"], e_g: mix.fitted_parameters["e_g"], e_r: mix.fitted_parameters["e_r"]}
next_german = Example(marginal, {**FUELS, w_c: "50 %", w_g: "50 %"})
next_clean = Example(marginal, {**FUELS, w_c: "0 %", w_g: "0 %"})
next_gas = Example(marginal, {**FUELS, w_c: "0 %", w_g: "100 %"})
MOVE = {G: placement.RUN[G], p: placement.node, PUE_1: placement.RUN[PUE], PUE_2: sites.pue_aws, c_m1: next_german}
move_clean = Example(avoided, {**MOVE, c_m2: next_clean})
move_gas = Example(avoided, {**MOVE, c_m2: next_gas})
move_none = Example(avoided, {**MOVE, c_m2: next_german})
cue_germany = Example(cue, {PUE: placement.RUN[PUE], energy.c: sites.grid_germany})
cue_sweden = Example(cue, {PUE: sites.pue_aws, energy.c: sites.grid_sweden})
made_useful_hour = Example(
    energy.embodied_per_useful_hour, {energy.m_d: sites.embodied_a100, energy.u: "80 %", energy.T_L: "5 year"}
)
low_germany, high_germany = (
    Example(energy.carbon, {**placement.RUN, p: power, energy.c: sites.grid_germany}) for power in (low, high)
)
dry_at_most, dry_at_most_microsoft = (
    Example(energy.dry_overhead, {energy.WUE: wue, energy.w_g: "3 L/kWh"})
    for wue in (sites.wue_average, sites.wue_microsoft)
)
HELD = {G: placement.RUN[G], n_d: "1024 gpu"}
PAID = {G: placement.RUN[G], k_h: sites.contract_june}
kept_hours = Example(kept, {v: placement.COMMITTEE[v] for v in (b, gamma, b_2, gamma_2)})
mild_node, middle_node = (
    Example(node_at_clock, {q: energy_there, y: time_there, y_b: rest_most}, unit="%")
    for energy_there, time_there in ((facts.mild_energy, facts.mild_time), (facts.middle_energy, facts.middle_time))
)
HELD_POWER = {placement.p_w: placement.node, placement.p_i: placement.idle, b: placement.works_before}
held_before = Example(placement.held_power, HELD_POWER)
mass_held = Example(energy.carbon, {**placement.RUN, p: held_before, energy.c: sites.grid_germany})
mass_held_after = Example(
    mass_after, {energy.m: mass_held, q_m: Example(spared, {placement.x_g: placement.run_goodput})}
)
spared_goodput = Example(mass_spared, {energy.m: mass_held, m_n: mass_held_after}, digits=2)
mass_mild, mass_middle = (
    Example(mass_after, {energy.m: placement.run_germany, q_m: q_n}) for q_n in (mild_node, middle_node)
)
spared_move = Example(mass_spared, {energy.m: placement.run_germany, m_n: placement.run_sweden})
spared_mild, spared_middle = (
    Example(mass_spared, {energy.m: placement.run_germany, m_n: m}, digits=2) for m in (mass_mild, mass_middle)
)
days_mild, days_middle = (
    Example(days_after, {**HELD, y_h: time_there}) for time_there in (facts.mild_time, facts.middle_time)
)
rent_mild, rent_middle = (
    Example(rent_after, {**PAID, y_h: time_there}) for time_there in (facts.mild_time, facts.middle_time)
)
mass_clock, mass_clock_least = (
    Example(mass_after, {energy.m: placement.run_germany, q_m: q_n}) for q_n in (node_most, node_least)
)
spared_clock = Example(mass_spared, {energy.m: placement.run_germany, m_n: mass_clock}, digits=2)
mass_pause = Example(mass_by_hour, {G: placement.RUN[G], placement.h_s: placement.half_idle})
days_plan, rent_plan = Example(days_after, {**HELD, y_h: "1"}), Example(rent_after, {**PAID, y_h: "1"})
days_goodput, rent_goodput = (Example(f, {**g, y_h: kept_hours}) for f, g in ((days_after, HELD), (rent_after, PAID)))
rent_saved = Example(rent_spared, {**PAID, y_h: kept_hours}, digits=2)
days_clock, rent_clock = (Example(f, {**g, y_h: facts.least_time}) for f, g in ((days_after, HELD), (rent_after, PAID)))
price_mild, price_middle, price_clock = (
    Example(price_of_sparing, {B_n: rent, B_o: rent_plan, m_x: mass}, digits=2)
    for rent, mass in ((rent_mild, spared_mild), (rent_middle, spared_middle), (rent_clock, spared_clock))
)
days_pause, rent_pause = (Example(f, {**g, y_h: "2"}) for f, g in ((days_after, HELD), (rent_after, PAID)))
