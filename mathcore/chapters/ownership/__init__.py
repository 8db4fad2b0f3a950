"""Ownership: rent by the hour, commit for a year, or buy? And what does a useful hour cost?"""

from sympy import Integral, Rational, exp, log

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import hardware, sites
from mathcore.chapters.ownership.simulation import mixed_costs
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols -------------------------------------------------------------------------------

N = Variable("N", "gpu", "devices", alias=("devices", "ranks"), low="1 gpu", high="10000000 gpu", integer=True)
T = Variable("T", "s", "horizon", alias="horizon", display_unit="year", low="1 h", high="20 year")
u = Variable(
    "u",
    "",
    "share of the hours in which the devices work (utilisation)",
    alias="utilisation",
    display_unit="%",
    low="1 %",
    high="100 %",
)
q = Variable(
    "q", "USD/(gpu h)", "price on demand", alias="on_demand_price", low="0.05 USD/(gpu h)", high="50 USD/(gpu h)"
)
delta = Variable(
    "delta",
    "",
    "discount for a commitment",
    alias="discount",
    tex=r"\delta",
    display_unit="%",
    low="0 %",
    high="95 %",
    zero=True,
)
K = Variable(
    "K",
    "USD/gpu",
    "purchase price of a device with its share of the server",
    alias="purchase_price",
    low="100 USD/gpu",
    high="500000 USD/gpu",
)
s = Variable("s", "USD/gpu/year", "staff and space", alias="upkeep", low="1 USD/gpu/year", high="50000 USD/gpu/year")
s_0 = Variable(
    "s_0", "USD/gpu/year", "staff", tex=r"s_{\mathrm{staff}}", low="1 USD/gpu/year", high="50000 USD/gpu/year"
)
k_s = Variable(
    "k_s",
    "USD/W/year",
    "price of space",
    tex=r"k_{\mathrm{space}}",
    display_unit="USD/kW/year",
    low="10 USD/kW/year",
    high="20000 USD/kW/year",
)
p_s = Variable("p_s", "W/gpu", "largest power of a device", tex=r"p_{\max}", low="10 W/gpu", high="5 kW/gpu")
p = Variable("p", "W/gpu", "power of a working device", alias="power_per_device", low="10 W/gpu", high="5 kW/gpu")
p_0 = Variable("p_0", "W/gpu", "power of an idle device", alias="idle_power", low="0 W/gpu", high="2 kW/gpu", zero=True)
PUE = Variable("PUE", "", "power usage effectiveness", tex=r"\mathrm{PUE}", low="1", high="4")
k = Variable("k", "USD/kWh", "price of electricity", alias="electricity_price", low="0.001 USD/kWh", high="2 USD/kWh")
h = Variable(
    "h", "USD/(gpu h)", "running cost of an owned device", low="0 USD/(gpu h)", high="50 USD/(gpu h)", zero=True
)
C_o = Variable("C_o", "USD", "cost of renting on demand", tex=r"C_{\mathrm{demand}}", display_unit="MUSD")
C_r = Variable("C_r", "USD", "cost of a commitment", tex=r"C_{\mathrm{reserved}}", display_unit="MUSD")
C_b = Variable("C_b", "USD", "cost of owning", tex=r"C_{\mathrm{own}}", display_unit="MUSD")
u_r = Variable("u_r", "", "utilisation at which a commitment pays", tex=r"u_{\mathrm{reserved}}", display_unit="%")
u_b = Variable(
    "u_b", "", "utilisation at which owning beats renting on demand", tex=r"u_{\mathrm{own}}", display_unit="%"
)
T_o = Variable(
    "T_o", "s", "horizon at which owning beats renting on demand", display_unit="year", tex=r"T_{\mathrm{demand}}"
)
T_r = Variable(
    "T_r", "s", "horizon at which owning beats a commitment", display_unit="year", tex=r"T_{\mathrm{reserved}}"
)
X_n = Variable(
    "X_n", "USD", "purchase price of a server", tex=r"X_{\mathrm{srv}}", low="1000 USD", high="100000000 USD"
)
K_r = Variable(
    "K_r",
    "USD/gpu",
    "purchase price at which owning beats a commitment",
    tex=r"K_{\mathrm{reserved}}",
    low="-1000000 USD/gpu",
    high="1000000 USD/gpu",
)
u_x = Variable("u_x", "", "utilisation that a budget allows on demand", tex=r"u_{\max}", display_unit="%")
L = Variable("L", "USD", "budget", alias="budget", display_unit="MUSD", low="1 USD", high="1000000000000 USD")
i = Variable("i", "", "interest for one year", display_unit="%", low="0.1 %", high="50 %")
n = Variable("n", "", "years of payment", low="1", high="20", integer=True)
A = Variable("A", "USD/gpu", "payment at each year's end", low="1 USD/gpu", high="500000 USD/gpu")
r = Variable(
    "r", "1/s", "interest, continuous", alias="interest", display_unit="%/year", low="0.001 /year", high="0.5 /year"
)
d = Variable(
    "d", "1/s", "rate at which the market price falls", display_unit="%/year", low="0.001 /year", high="2 /year"
)
t = Variable("t", "s", "time since the purchase", display_unit="year", low="0 h", high="20 year", zero=True)
a = Variable("a", "USD/(gpu h)", "capital cost of an hour", low="0.0001 USD/(gpu h)", high="100 USD/(gpu h)")
a_d = Variable("a_d", "USD/(gpu h)", "capital cost of the first hour if prices fall", tex=r"a_{\mathrm{fall}}")
a_0 = Variable("a_0", "USD/(gpu h)", "capital cost of an hour without interest")
g = Variable(
    "g", "", "share of the working hours that makes progress (goodput)", display_unit="%", low="1 %", high="100 %"
)
c_u = Variable(
    "c_u",
    "USD/(gpu h)",
    "cost of a useful hour, owned",
    tex=r"c_{\mathrm{own}}",
    low="0.001 USD/(gpu h)",
    high="1000 USD/(gpu h)",
)
c_q = Variable("c_q", "USD/(gpu h)", "cost of a useful hour, rented", tex=r"c_{\mathrm{rent}}")
u_q = Variable(
    "u_q", "", "utilisation at which an owned hour costs what a rented one does", tex=r"u_{=}", display_unit="%"
)
F = Variable(
    "F",
    "FLOP/s/gpu",
    "arithmetic rate attained while making progress",
    display_unit="TFLOP/s/gpu",
    low="1 GFLOP/s/gpu",
    high="1 EFLOP/s/gpu",
)
f = Variable("f", "USD/FLOP", "cost of a useful operation", display_unit="USD/EFLOP")
W = Variable("W", "FLOP", "operations of a training run", display_unit="YFLOP", low="1 EFLOP", high="1000 YFLOP")
C_W = Variable("C_W", "USD", "cost of a training run", tex=r"C_{\mathrm{run}}", display_unit="MUSD")
q_1 = Variable("q_1", "USD/h", "price before", low="0.01 USD/h", high="10000 USD/h")
q_2 = Variable("q_2", "USD/h", "price after", low="0.01 USD/h", high="10000 USD/h")
Delta = Variable(
    "Delta", "s", "time between two prices", display_unit="year", tex=r"\Delta", low="0.1 year", high="20 year"
)
d_x = Variable(
    "d_x",
    "1/s",
    "rate at which a price has fallen",
    display_unit="%/year",
    tex=r"d_{\mathrm{seen}}",
    low="-5 /year",
    high="5 /year",
)
z = Variable(
    "z", "s", "time for which a start is put off", display_unit="year", low="0 year", high="20 year", zero=True
)
R = Variable("R", "s", "time of the job on today's devices", display_unit="year", low="0.01 year", high="100 year")
X = Variable("X", "s", "time from today until the job is done", display_unit="year")
z_s = Variable("z_s", "s", "delay that ends soonest", display_unit="year", tex="z^{*}")

q_b = Variable("q_b", "USD/(gpu h)", "price on demand at which owning pays", tex=r"q_{\mathrm{own}}")
H = Variable("H", "USD/gpu", "electricity of a device over the horizon", tex=r"C_{\mathrm{power}}")
rho = Variable("rho", "", "cost on demand over budget", tex=r"\rho")
D_1 = Variable("D_1", "gpu", "devices wanted in the quietest hour", low="1 gpu", high="10000000 gpu", count=True)
D = Variable(
    "D", "gpu", "devices wanted in the busiest hour beyond those", low="1 gpu", high="10000000 gpu", count=True
)
x = Variable("x", "gpu", "place of a device in the cluster", low="1 gpu", high="10000000 gpu")
K_o = Variable(
    "K_o",
    "USD/gpu",
    "purchase price at which owning beats renting on demand",
    tex=r"K_{\mathrm{demand}}",
    low="-1000000 USD/gpu",
    high="1000000 USD/gpu",
)
m = Variable("m", "gpu", "devices under a commitment", low="1 gpu", high="10000000 gpu", integer=True)
m_s = Variable("m_s", "gpu", "number of committed devices that costs least", tex="m^{*}")
u_m = Variable(
    "u_m", "", "share of the hours in which a device is wanted", tex=r"u_{\mathrm{wanted}}", display_unit="%"
)
C_m = Variable("C_m", "USD", "cost of a mixed cluster", tex=r"C_{\mathrm{mix}}", display_unit="MUSD")
V = Variable("V", "USD/gpu", "price of a used device", low="0 USD/gpu", high="500000 USD/gpu", zero=True)
V_r = Variable("V_r", "USD/gpu", "resale at which owning costs what a commitment does", tex=r"V_{\mathrm{reserved}}")
e = Variable(
    "e",
    "1/s",
    "rate at which the rent falls",
    tex=r"d_{\mathrm{rent}}",
    display_unit="%/year",
    low="0 /year",
    high="2 /year",
    zero=True,
)
q_m = Variable("q_m", "USD/(gpu h)", "mean price over the horizon", tex=r"\bar{q}")
b = Variable("b", "USD/(gpu h)", "rent paid for an hour", low="0.01 USD/(gpu h)", high="50 USD/(gpu h)")
B_b = Variable("B_b", "USD/gpu", "worth today of what owning costs", tex=r"B_{\mathrm{own}}")
B_r = Variable("B_r", "USD/gpu", "worth today of what renting costs", tex=r"B_{\mathrm{rent}}")
c_r = Variable("c_r", "USD/(gpu h)", "cost of a useful hour, committed", tex=r"c_{\mathrm{reserved}}")
Y = Variable("Y", "USD/year", "cost of a server for a year", low="1 USD/year", high="10000000 USD/year")
c_s = Variable("c_s", "USD/(gpu h)", "cost of a used hour", low="0.001 USD/(gpu h)", high="1000 USD/(gpu h)")
u_s = Variable("u_s", "", "utilisation at which a server costs its rent", tex=r"u_{\mathrm{srv}}", display_unit="%")
w = Variable("w", "USD/h", "rent of a server", low="0.1 USD/h", high="10000 USD/h")
F_1 = Variable("F_1", "FLOP/s", "rate of the older device", display_unit="TFLOP/s", low="1 GFLOP/s", high="1 EFLOP/s")
F_2 = Variable("F_2", "FLOP/s", "rate of the newer device", display_unit="TFLOP/s", low="1 GFLOP/s", high="1 EFLOP/s")
w_1 = Variable("w_1", "USD/h", "price of the older device", low="0.01 USD/h", high="10000 USD/h")
w_2 = Variable("w_2", "USD/h", "price of the newer device", low="0.01 USD/h", high="10000 USD/h")
G = Variable("G", "", "operations per dollar, newer over older device")
S = Variable("S", "", "rate of the newer device over the older")

# --- three paths ---------------------------------------------------------------------------

on_demand = Formula(C_o, N * u * T * q, kind="definition", assumptions="only hours that are used are paid")
reserved = Formula(C_r, N * T * q * (1 - delta), kind="definition", assumptions="all hours are paid, used or not")
server_rate = Formula(q, w / N, kind="definition", convention="an equal share for each device of the server")
server_rent = server_rate.solve_for("w")
device_price = Formula(K, X_n / N, kind="definition", convention="an equal share for each device of the server")
upkeep = Formula(
    s,
    s_0 + k_s * p_s,
    assumptions="space is rented, at a price for each kilowatt of the device's largest power",
    convention="electricity is not in it",
)
running = Formula(
    h,
    s + PUE * k * (u * p + (1 - u) * p_0),
    assumptions="power is high while working and low while idle, one price at all hours",
)
owned = (
    Derivation.start(C_b, N * (K + h * T), "the price at once, the running cost for the whole horizon", kind="model")
    .apply(running, "staff, and power by the hours that work and the hours that idle")
    .formula(assumptions="no interest, and nothing left to sell at the end")
)
reserved_pays = (
    Derivation.balance(N * u_r * T * q, N * T * q * (1 - delta), "suppose both rents cost the same")
    .solve_for(u_r, 1 - delta, "devices, hours and price cancel: used above this share, a commitment is cheaper")
    .formula(assumptions="the commitment covers the whole horizon")
)
owning_pays = (
    Derivation.balance(
        N * u_b * T * q,
        N * (K + T * (s + PUE * k * (u_b * p + (1 - u_b) * p_0))),
        "suppose renting on demand and owning cost the same",
    )
    .solve_for(
        u_b,
        (K + T * (s + PUE * k * p_0)) / (T * (q - PUE * k * (p - p_0))),
        "gather the utilisation: fixed costs, over what each used hour saves",
        routine=True,
    )
    .formula(
        domain=(q > PUE * k * (p - p_0),),
        assumptions="a value above 1 says that owning never pays at this price and horizon",
    )
)
owning_horizon = (
    Derivation.balance(
        N * u * T_o * q, N * (K + h * T_o), "suppose renting on demand and owning cost the same at $T_\\mathrm{demand}$"
    )
    .solve_for(T_o, K / (u * q - h), "the price, over what an hour saves")
    .formula(domain=(u * q > h,), assumptions="a used hour on demand costs more than the owned hour runs")
)
owning_against_reserved = (
    Derivation.balance(N * T_r * q * (1 - delta), N * (K + h * T_r), "suppose a commitment and owning cost the same")
    .solve_for(T_r, K / (q * (1 - delta) - h), "the price, over what an hour saves")
    .formula(domain=(q * (1 - delta) > h,), assumptions="the commitment costs more an hour than the owned device runs")
)
price_against_reserved = (
    Derivation.balance(N * T * q * (1 - delta), N * (K_r + h * T), "suppose a commitment and owning cost the same")
    .solve_for(K_r, T * (q * (1 - delta) - h), "what the rent leaves for the purchase")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="a price above this: do not buy; a negative value: not even as a gift")
)
price_against_demand = (
    Derivation.balance(N * u * T * q, N * (K_o + h * T), "suppose renting on demand and owning cost the same")
    .solve_for(K_o, T * (u * q - h), "what the rent leaves for the purchase")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="a price above this: do not buy; a negative value: not even as a gift")
)
owning_rate = (
    Derivation.balance(
        N * u * T * q_b,
        N * (K + T * (s + PUE * k * (u * p + (1 - u) * p_0))),
        "suppose renting on demand and owning cost the same",
    )
    .solve_for(
        q_b, (K + T * (s + PUE * k * (u * p + (1 - u) * p_0))) / (T * u), "all that is owned, over the hours used"
    )
    .formula(assumptions="rents above this: buy")
)
electricity_cost = Formula(H, T * PUE * k * (u * p + (1 - u) * p_0), assumptions="one price at all hours")
budget_use = Formula(rho, N * u * T * q / L, kind="definition")
budget_limit = (
    Derivation.balance(L, N * u_x * T * q, "spend the whole budget on demand")
    .solve_for(u_x, L / (N * T * q), "devices, hours and price are given")
    .formula()
)

# --- a fleet whose demand moves ------------------------------------------------------------

demand_share = Formula(
    u_m,
    (D_1 + D - x) / D,
    domain=(x >= D_1, x < D_1 + D),
    assumptions="demand is spread evenly between the quietest and the busiest hour",
)
mixed = (
    Derivation.start(
        C_m,
        T * q * ((1 - delta) * m + Integral((D_1 + D - x) / D, (x, m, D_1 + D))),
        "commit to $m$ devices, rent each further one for the hours in which it is wanted",
        kind="model",
    )
    .rewrite(T * q * ((1 - delta) * m + (D_1 + D - m) ** 2 / (2 * D)), "the area of a triangle")
    .formula(domain=(m >= D_1, m < D_1 + D), assumptions="demand is spread evenly")
)
best_mix = (
    Derivation.minimise(mixed, over=m, why="each further device is a discount bought with idle hours")
    .slope(
        T * q * ((1 - delta) - (D_1 + D - m) / D),
        "what one more commitment costs, less the rent it saves in the hours in which it is wanted",
    )
    .root(
        D_1 + delta * D,
        "the slope vanishes at the device whose share of hours is that of the break-even",
        as_symbol=m_s,
    )
    .curvature(T * q / D, "positive: a minimum", routine=True)
    .formula()
)

# --- capital -------------------------------------------------------------------------------

capital_recovery = (
    Derivation.balance(
        (1 + i) * K - K,
        A * (1 - (1 + i) ** (-n)),
        "the price is worth all payments, each discounted to today; a year later each term stands where its neighbour stood, so that only the first and the last are left",
        kind="model",
    )
    .solve_for(A, K * i / (1 - (1 + i) ** (-n)), "the left side is $iK$: divide")
    .formula(assumptions="equal payments at the end of each year, no resale")
)
hourly_capital = (
    Derivation.balance(
        K,
        Integral(a * exp(-r * t), (t, 0, T)),
        "the price is worth what the hours bring, discounted to today",
        kind="model",
    )
    .rewrite(a * (1 - exp(-r * T)) / r, "integrate")
    .solve_for(a, K * r / (1 - exp(-r * T)), "divide by the worth of one dollar an hour")
    .formula(
        assumptions="every hour of the horizon counts the same",
        convention="continuous interest; per hour held, used or not",
    )
)
hourly_capital_simple = (
    Derivation.start(hourly_capital)
    .approximate(
        K / T * (1 + r * T / 2),
        "for a few years: the plain share, and half of the interest, since half of the price is still owed on average",
        within=Rational(1, 20),
        region={r: ("0.01 /year", "0.15 /year"), T: ("1 year", "5 year")},
    )
    .formula(validity=((r * T <= 1, "half of the interest is too little by 5 % of the cost and more"),))
)
straight_line = Formula(a_0, K / T, kind="definition", convention="without interest")
hourly_capital_falling = (
    Derivation.balance(
        K,
        Integral(a_d * exp(-d * t) * exp(-r * t), (t, 0, T)),
        "an hour brings less each year, because newer devices set the market's price",
        kind="model",
    )
    .rewrite(a_d * (1 - exp(-(d + r) * T)) / (d + r), "fall and interest work alike: add the rates and integrate")
    .solve_for(a_d, K * (d + r) / (1 - exp(-(d + r) * T)), "divide as before")
    .formula(
        assumptions="the market price falls at a constant rate", convention="the first hour; later hours are cheaper"
    )
)
mean_price = (
    Derivation.start(q_m, Integral(q * exp(-d * t), (t, 0, T)) / T, "the mean of a price that falls", kind="model")
    .rewrite(q * (1 - exp(-d * T)) / (d * T), "integrate")
    .formula(assumptions="the price falls at a constant rate and the contract follows it")
)
resale_needed = (
    Derivation.balance(N * T * q * (1 - delta), N * (K + h * T - V_r), "suppose a commitment and owning cost the same")
    .solve_for(V_r, K + h * T - T * q * (1 - delta), "what the sale has to bring")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="no interest; rents stay as they are")
)
owned_today_unsold = Formula(
    B_b, K + h * (1 - exp(-r * T)) / r, assumptions="nothing left to sell", convention="for one device"
)
rented_today = (
    Derivation.start(
        B_r, Integral(b * exp(-e * t) * exp(-r * t), (t, 0, T)), "rents that fall, discounted to today", kind="model"
    )
    .rewrite(b * (1 - exp(-(e + r) * T)) / (e + r), "integrate")
    .formula(assumptions="the contract follows the market", convention="for one device")
)
price_today = (
    Derivation.balance(
        K_r + h * (1 - exp(-r * T)) / r,
        b * (1 - exp(-(e + r) * T)) / (e + r),
        "suppose a commitment and owning cost the same, every dollar discounted to today",
    )
    .solve_for(
        K_r, b * (1 - exp(-(e + r) * T)) / (e + r) - h * (1 - exp(-r * T)) / r, "what the rent leaves for the purchase"
    )
    .formula(assumptions="nothing left to sell", convention="for one device; a price above it: do not buy")
)
decline_rate = (
    Derivation.balance(q_2, q_1 * exp(-d_x * Delta), "two prices, one rate of fall", kind="model")
    .solve_for(d_x, log(q_1 / q_2) / Delta, "take the logarithm", routine=True)
    .formula(assumptions="prices for the same service", convention="continuous rate; negative if the price rose")
)

# --- a useful hour, a useful operation -----------------------------------------------------

useful_hour = (
    Derivation.start(c_u, (a + h) / (u * g), "what an hour costs, over the share of hours that makes progress")
    .apply(running, "the running cost")
    .formula(convention="per device-hour that makes progress: idle and lost hours are charged to it")
)
useful_hour_rented = Formula(
    c_q,
    q / g,
    kind="definition",
    assumptions="idle hours are not rented",
    convention="per device-hour that makes progress",
)
useful_hour_reserved = Formula(
    c_r,
    q * (1 - delta) / (u * g),
    kind="definition",
    convention="per device-hour that makes progress: idle hours are charged to it",
)
equal_hour = (
    Derivation.balance(
        (a + s + PUE * k * (u_q * p + (1 - u_q) * p_0)) / (u_q * g),
        q / g,
        "suppose an owned and a rented useful hour cost the same",
    )
    .solve_for(u_q, (a + s + PUE * k * p_0) / (q - PUE * k * (p - p_0)), "the goodput cancels")
    .formula(
        domain=(q > PUE * k * (p - p_0),),
        assumptions=(
            "above this utilisation owning is cheaper",
            "spares, repairs and failures are the same on both sides",
        ),
    )
)
useful_operation = Formula(
    f, c_u / F, kind="definition", convention="cost of an hour that makes progress over the rate in it"
)
run_cost = (
    Derivation.start(C_W, W * f, "operations times the cost of one")
    .apply(useful_operation, "an hour's cost over its operations")
    .formula(assumptions="the rate holds for the whole run")
)
time_to_done = Formula(X, z + R * exp(-d * z), assumptions="devices of the same price get faster at a constant rate")
wait = (
    Derivation.minimise(time_to_done, over=z, why="each year of waiting costs a year and saves a share of the run")
    .slope(1 - R * d * exp(-d * z), "differentiate")
    .root(log(d * R) / d, "the slope vanishes when what is left of the run is one over the rate", as_symbol=z_s)
    .curvature(R * d**2 * exp(-d * z), "positive: a minimum", routine=True)
    .formula(domain=(d * R > 1,), assumptions="a shorter job should start today", convention="time, not cost")
)

gain_per_dollar = Formula(
    G, (F_2 / w_2) / (F_1 / w_1), kind="definition", convention="rates of one kind, dense or sparse, for both"
)
rate_gain = Formula(S, F_2 / F_1, kind="definition", convention="of one kind, dense or sparse, for both")
server_hour = Formula(
    c_s, Y / (N * u), kind="definition", convention="per device-hour used; idle hours are charged to it"
)
server_year = (
    Derivation.start(server_hour)
    .solve_for(Y, N * u * c_s, "multiply by the devices and their used hours")
    .formula(convention="the yearly cost that an hourly rate implies")
)
server_break_even = (
    Derivation.balance(Y / (N * u_s), q, "suppose a used hour costs its rent")
    .solve_for(u_s, Y / (N * q), "solve", routine=True)
    .formula(assumptions="the yearly cost does not depend on use")
)

# --- worked examples -----------------------------------------------------------------------

LAB = {N: sites.lab_fleet, T: "26280 h"}  # three years of 8,760 h, as the lab counts
RENT = {q: sites.lab_rate}
OWN = {K: sites.lab_price, s: sites.lab_staff}
POWER = {p: hardware.h100_tdp, PUE: sites.lab_pue, k: sites.lab_power_price}
IDLE = {p_0: sites.lab_idle}
NO_IDLE = {p_0: "0 W/gpu"}
lab_demand = Example(on_demand, {**LAB, **RENT, u: sites.lab_use}, digits=4)
lab_reserved = Example(reserved, {**LAB, **RENT, delta: sites.lab_discount}, digits=4)
lab_owned = Example(owned, {**LAB, **OWN, **POWER, **NO_IDLE, u: sites.lab_use}, digits=4)
lab_owned_idle = Example(owned, {**LAB, **OWN, **POWER, **IDLE, u: sites.lab_use}, digits=4)
lab_break_even = Example(owning_pays, {T: LAB[T], **RENT, **OWN, **POWER, **NO_IDLE}, digits=4)
lab_break_even_idle = Example(owning_pays, {T: LAB[T], **RENT, **OWN, **POWER, **IDLE}, digits=4)
lab_commitment = Example(reserved_pays, {delta: sites.lab_discount}, digits=2)
lab_running = Example(running, {s: sites.lab_staff, **POWER, **IDLE, u: sites.lab_use})
lab_years = Example(owning_against_reserved, {K: sites.lab_price, **RENT, delta: sites.lab_discount, h: lab_running})
lab_years_demand = Example(owning_horizon, {K: sites.lab_price, **RENT, u: sites.lab_use, h: lab_running})
lab_ceiling = Example(budget_limit, {L: sites.lab_budget, **LAB, **RENT})
annuity = Example(
    capital_recovery,
    {K: sites.lab_price, i: "8 %", n: "3"},
    expect="15521.34 USD/gpu",
    rtol=1e-6,
    source="annuity table: factor 0.3880335",
    digits=5,
)
CAPITAL = {K: sites.lab_price, T: "3 year"}
plain_hour = Example(straight_line, CAPITAL)
hour = Example(hourly_capital, {**CAPITAL, r: "0.08 /year"})
falling_hour = Example(hourly_capital_falling, {**CAPITAL, r: "0.08 /year", d: "0.2 /year"})
p5_fall = Example(decline_rate, {q_1: sites.p5_rate_2023, q_2: sites.p5_rate_2026, Delta: "3 year"})
contracts = [
    Example(server_rent, {q: rent, N: "1 gpu"})
    for rent in (sites.contract_2023, sites.contract_2025, sites.contract_march, sites.contract_june)
]
contracts_rise = Example(decline_rate, {q_1: contracts[1], q_2: contracts[3], Delta: "0.67 year"}, digits=2)
contracts_fall = Example(decline_rate, {q_1: contracts[0], q_2: contracts[2], Delta: "2.75 year"}, digits=2)
p4d_fall = Example(decline_rate, {q_1: sites.p4d_rate_2023, q_2: sites.p4d_rate_2026, Delta: "3 year"})
page_device = Example(device_price, {X_n: sites.page_node, N: hardware.server_gpus}, digits=5)
page_capital = Example(straight_line, {K: page_device, T: "3 year"})
owned_hour = Example(useful_hour, {a: hour, s: sites.lab_staff, **POWER, **IDLE, u: sites.lab_use, g: "90 %"})
list_rate = Example(server_rate, {w: sites.p5_rate_2026, N: hardware.server_gpus})
rented_hour = Example(useful_hour_rented, {**RENT, g: "90 %"})
equal = Example(equal_hour, {a: hour, s: sites.lab_staff, **RENT, **POWER, **IDLE})
spare_hour = Example(hourly_capital, {**CAPITAL, K: "41600 USD/gpu", r: "0.08 /year"})
equal_spare = Example(equal_hour, {a: spare_hour, s: sites.lab_staff, **RENT, **POWER, **IDLE}, digits=4)
llama_run = Example(run_cost, {W: "38 YFLOP", c_u: owned_hour, F: "400 TFLOP/s/gpu"})
h100_operation = Example(useful_operation, {c_u: "6.88 USD/(gpu h)", F: "395.76 TFLOP/s/gpu"})
a100_operation = Example(useful_operation, {c_u: "2.74471 USD/(gpu h)", F: "124.8 TFLOP/s/gpu"})
patience = Example(wait, {d: "0.35 /year", R: "5 year"})
patience_done = Example(time_to_done, {d: "0.35 /year", R: "5 year", z: patience})

lab_demand_full = Example(on_demand, {**LAB, **RENT, u: "100 %"})
lab_gift_demand = Example(
    price_against_demand, {T: LAB[T], **RENT, s: sites.lab_staff, **POWER, **IDLE, u: sites.lab_use}, digits=4
)
lab_gift_full = Example(
    price_against_reserved,
    {T: LAB[T], **RENT, delta: sites.lab_discount, s: sites.lab_staff, **POWER, **IDLE, u: "100 %"},
    digits=4,
)
lab_full_hour = Example(running, {s: sites.lab_staff, **POWER, **IDLE, u: "100 %"})
lab_years_full = Example(
    owning_against_reserved, {K: sites.lab_price, **RENT, delta: sites.lab_discount, h: lab_full_hour}
)
lab_years_demand_full = Example(owning_horizon, {K: sites.lab_price, **RENT, u: "100 %", h: lab_full_hour})
lab_purchase_alone = Example(
    owning_pays,
    {**{T: LAB[T], **RENT, **POWER, **NO_IDLE, K: sites.lab_price}, **{s: "1 USD/gpu/year", k: "0.001 USD/kWh"}},
)
lab_four_years = Example(owning_pays, {T: "35040 h", **RENT, **OWN, **POWER, **NO_IDLE})
facts = read_facts(__name__)
__getattr__ = facts.__getattr__
lab_rate_for_seventy = Example(owning_rate, {T: LAB[T], **OWN, **POWER, **NO_IDLE, u: facts.lab_seventy})
lab_power_idle = Example(electricity_cost, {T: LAB[T], **POWER, **IDLE, u: sites.lab_use}, digits=4)
DAY = {D_1: "200 gpu", D: "800 gpu", delta: sites.lab_discount}
MONEY = {T: LAB[T], **RENT}
mix_devices = Example(best_mix, DAY)
mix_cost = Example(mixed, {**DAY, **MONEY, m: mix_devices})
even_demand = Simulation(mixed, {**DAY, **MONEY, m: "480 gpu"}, mixed_costs)
mean_rent = Example(mean_price, {**RENT, T: "3 year", d: p5_fall})
falling_break_even = Example(owning_pays, {T: "3 year", q: mean_rent, **OWN, **POWER, **IDLE})
lab_resale = Example(
    resale_needed, {**{T: LAB[T], **RENT, delta: sites.lab_discount, **OWN, **POWER, **IDLE}, u: "100 %"}, digits=4
)
TODAY = {T: "3 year", r: "0.08 /year"}
committed_rate = Example(useful_hour_reserved, {**RENT, delta: sites.lab_discount, u: "100 %", g: "100 %"}, digits=4)
today_unsold = Example(owned_today_unsold, {**TODAY, K: sites.lab_price, h: lab_full_hour}, digits=4)
today_frozen = Example(rented_today, {**TODAY, b: committed_rate, e: "0 /year"}, digits=4)
lab_gift_today = Example(price_today, {**TODAY, b: committed_rate, h: lab_full_hour, e: "0 /year"}, digits=4)
reserved_hour = Example(useful_hour_reserved, {**RENT, delta: sites.lab_discount, u: sites.lab_use, g: "90 %"})
owned_hour_low = Example(useful_hour, {a: hour, s: sites.lab_staff, **POWER, **IDLE, u: "20 %", g: "90 %"})
dense_gain = Example(rate_gain, {F_1: hardware.a100_bf16, F_2: hardware.h100_bf16})
sparse_gain = Example(rate_gain, {F_1: hardware.a100_bf16, F_2: hardware.h100_bf16_sparse})
measured_gain = Example(rate_gain, {F_1: hardware.a100_matmul, F_2: hardware.h100_matmul})
PRICES = {w_1: sites.p4d_rate_2026, w_2: sites.p5_rate_2026}
worth_dense = Example(gain_per_dollar, {F_1: hardware.a100_bf16, F_2: hardware.h100_bf16, **PRICES})
worth_sparse = Example(gain_per_dollar, {F_1: hardware.a100_bf16, F_2: hardware.h100_bf16_sparse, **PRICES})
EIGHT = {N: hardware.server_gpus}
page_hour = Example(server_hour, {**EIGHT, Y: facts.page_annual, u: facts.page_use})
page_hour_low = Example(server_hour, {**EIGHT, Y: facts.page_annual, u: facts.page_low_use})
page_true_break_even = Example(server_break_even, {**EIGHT, Y: facts.page_annual, q: sites.page_cloud_rate})
page_year_of_rate = Example(server_year, {**EIGHT, c_s: sites.page_owned_rate, u: facts.page_use}, unit="USD/year")
page_year_of_break_even = Example(
    server_year, {**EIGHT, c_s: sites.page_cloud_rate, u: sites.page_break_even}, unit="USD/year"
)
page_year_of_low = Example(server_year, {**EIGHT, c_s: sites.page_at_20, u: facts.page_low_use}, unit="USD/year")

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
