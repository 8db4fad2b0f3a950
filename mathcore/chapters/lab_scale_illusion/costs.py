"""Scale lab, act II: rent, commit or buy, with network and building, and which way back into the budget?

The model is that of the chapter on ownership; here the purchase carries a share for what stands
around the devices, and a plan is chosen and held against a budget.
"""

from sympy import Piecewise, Rational, exp

from mathcore import Derivation, Formula, Max, Min, Variable
from mathcore.chapters import ownership
from mathcore.chapters.ownership import (
    PUE,
    B_b,
    B_r,
    C_b,
    K,
    K_o,
    K_r,
    L,
    N,
    T,
    T_r,
    b,
    c_q,
    c_r,
    c_u,
    delta,
    h,
    k,
    on_demand,
    p,
    p_0,
    q,
    r,
    reserved,
    running,
    s,
    u,
    u_b,
)
from mathcore.chapters.ownership import measured as ownership_measured
from mathcore.teaching import Axis, read_calculators, read_exercises

# --- symbols -------------------------------------------------------------------------------

chi = Variable(
    "chi",
    "",
    "network and building, on top of the purchase price",
    tex=r"\chi",
    display_unit="%",
    low="0 %",
    high="300 %",
    zero=True,
)
rho = Variable(
    "rho",
    "",
    "what a buyer pays for a used device, of what it is worth",
    tex=r"\rho",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
V_d = Variable(
    "V_d",
    "USD/gpu",
    "price of a used device",
    tex=r"V_{\mathrm{used}}",
    low="0 USD/gpu",
    high="500000 USD/gpu",
    zero=True,
)
B_d = Variable("B_d", "USD/gpu", "rent on demand of a device, in today's money", tex=r"B_{\mathrm{dem}}")
G_b = Variable(
    "G_b",
    "USD/gpu",
    "what owning saves against a commitment, in today's money",
    low="-1000000 USD/gpu",
    high="1000000 USD/gpu",
)
y = Variable("y", "", "plan: one to rent on demand, two to commit, three to own", low="1", high="3", integer=True)
C_y = Variable("C_y", "USD", "cost of the plan", tex=r"C_{\mathrm{plan}}", display_unit="MUSD")
C_least = Variable("C_least", "USD", "cost of the cheapest path", tex=r"C_{\min}", display_unit="MUSD")
over = Variable(
    "over",
    "USD",
    "cost of the plan above the budget",
    tex=r"\Delta C",
    display_unit="MUSD",
    low="-1e15 USD",
    high="1e15 USD",
)
delta_b = Variable(
    "delta_b",
    "",
    "discount at which a commitment costs what owning does",
    tex=r"\delta_{\mathrm{own}}",
    display_unit="%",
    low="-10000 %",
    high="100 %",
)
N_fit = Variable("N_fit", "gpu", "devices that the budget allows", tex=r"N_{\mathrm{fit}}")
T_fit = Variable(
    "T_fit",
    "s",
    "horizon that the budget allows",
    tex=r"T_{\mathrm{fit}}",
    display_unit="year",
    low="-1e6 year",
    high="1e6 year",
)
q_fit = Variable("q_fit", "USD/(gpu h)", "rent at which the plan fits the budget", tex=r"q_{\mathrm{fit}}")
spread = Variable("spread", "", "most expensive over cheapest path", tex=r"C_{\max}/C_{\min}")
fixed = Variable("fixed", "", "share of the owned fleet's cost that is paid used or not", display_unit="%")
C_idle = Variable(
    "C_idle",
    "USD",
    "electricity of idle hours",
    tex=r"C_{\mathrm{idle}}",
    display_unit="MUSD",
    low="0 USD",
    high="1e15 USD",
    zero=True,
)
C_power = Variable("C_power", "USD", "electricity of the owned fleet", tex=r"C_{\mathrm{power}}", display_unit="MUSD")
u_fall = Variable("u_fall", "", "one over the utilisation", tex="1/u")

# --- three paths ---------------------------------------------------------------------------

POWER = PUE * k * (u * p + (1 - u) * p_0)
NO_END = "no interest, and nothing left to sell at the end"
owned = (
    Derivation.start(
        C_b,
        N * (K * (1 + chi) + h * T),
        "the price with its share of network and building at once, the running cost for the whole horizon",
        kind="model",
    )
    .apply(running, "staff, and power by the hours that work and the hours that idle")
    .formula(assumptions=NO_END)
)
cheapest = Formula(C_least, Min(on_demand.rhs, reserved.rhs, owned.rhs), kind="definition", convention="of the three")
owning_pays = (
    Derivation.balance(
        N * u_b * T * q,
        N * (K * (1 + chi) + T * (s + PUE * k * (u_b * p + (1 - u_b) * p_0))),
        "suppose renting on demand and owning cost the same",
    )
    .solve_for(
        u_b,
        (K * (1 + chi) + T * (s + PUE * k * p_0)) / (T * (q - PUE * k * (p - p_0))),
        "what is paid in any case, over what each used hour saves",
    )
    .formula(
        domain=(q > PUE * k * (p - p_0),),
        assumptions="a value above 1 says that owning never pays at this price and horizon",
    )
)
price_against_demand = (
    Derivation.balance(
        N * u * T * q, N * (K_o * (1 + chi) + h * T), "suppose renting on demand and owning cost the same"
    )
    .solve_for(K_o, T * (u * q - h) / (1 + chi), "what the rent leaves, for the device without its share")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="a price above this: do not buy; a negative value: not even as a gift")
)
price_against_reserved = (
    Derivation.balance(
        N * T * q * (1 - delta), N * (K_r * (1 + chi) + h * T), "suppose a commitment and owning cost the same"
    )
    .solve_for(K_r, T * (q * (1 - delta) - h) / (1 + chi), "what the rent leaves, without the share")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="a price above this: do not buy; a negative value: not even as a gift")
)
years_or_never = Formula(
    T_r,
    K * (1 + chi) / Max(0, q * (1 - delta) - s - POWER),
    assumptions="both run on as they are",
    convention="no number where the owned device runs at more than the commitment costs: never",
)
discount_against_owned = (
    Derivation.balance(
        N * T * q * (1 - delta_b), N * (K * (1 + chi) + h * T), "suppose a commitment and owning cost the same"
    )
    .solve_for(delta_b, 1 - (K * (1 + chi) + h * T) / (T * q), "divide by the price on demand")
    .apply(running, "the running cost of an owned device")
    .formula(assumptions="a larger discount: commit; a negative value: even the full price beats owning")
)
fixed_share = (
    Derivation.start(
        fixed,
        N * (K * (1 + chi) + T * (s + PUE * k * p_0)) / C_b,
        "purchase, staff and the power of an idle device, over the whole",
    )
    .apply(owned, "the whole")
    .formula(assumptions="idle power is drawn in every hour, and use adds to it")
)
idle_power = Formula(C_idle, N * T * PUE * k * (1 - u) * p_0, assumptions="one price at all hours")
all_power = Formula(C_power, N * T * POWER, assumptions="one price at all hours")
spread_of_paths = Formula(
    spread,
    Max(on_demand.rhs, reserved.rhs, owned.rhs) / Min(on_demand.rhs, reserved.rhs, owned.rhs),
    kind="definition",
    convention="one when all cost the same",
)
hour_on_demand = Formula(c_q, q, kind="definition", convention="per device-hour that is used")
hour_reserved = Formula(
    c_r, q * (1 - delta) / u, kind="definition", convention="per device-hour that is used: idle hours are charged"
)
hour_owned = (
    Derivation.start(c_u, (K * (1 + chi) / T + h) / u, "what an hour costs, over the share of hours used")
    .apply(running, "the running cost")
    .formula(convention="per device-hour that is used: idle hours are charged")
)
idle_factor = Formula(u_fall, 1 / u, kind="definition", convention="how often a used hour pays a fixed cost")

# --- a plan and its budget -----------------------------------------------------------------

PLAN = Piecewise((on_demand.rhs, y < Rational(3, 2)), (reserved.rhs, y < Rational(5, 2)), (owned.rhs, True))
planned = Formula(C_y, PLAN, kind="definition", convention="of the path that was chosen")
excess = (
    Derivation.start(over, C_y - L, "what the plan costs beyond the budget")
    .apply(planned, "the path that was chosen")
    .formula(convention="negative when money is left")
)
devices_fit = (
    Derivation.start(N_fit, N * L / C_y, "each path's cost is proportional to the devices", kind="model")
    .apply(planned, "the path that was chosen")
    .formula()
)
horizon_fits = Formula(
    T_fit,
    Piecewise(
        (L / (N * u * q), y < Rational(3, 2)),
        (L / (N * q * (1 - delta)), y < Rational(5, 2)),
        ((L / N - K * (1 + chi)) / (s + POWER), True),
    ),
    assumptions="the path that was chosen is kept",
    convention="negative when the purchase alone breaks the budget",
)
rent_fits = Formula(
    q_fit,
    Piecewise((L / (N * T * u), y < Rational(3, 2)), (L / (N * T * (1 - delta)), True)),
    assumptions="the plan is to rent",
)

# --- the calculator ------------------------------------------------------------------------

USE = Axis(u, "%", 5, 100, label="utilisation")

# --- the same paths in today's money: interest, rents that fall, and a sale at the end -----------------

SALE = {
    "assumptions": ("rents fall at a constant rate", "the device works until it is scrapped, and is not sold at a loss")
}
LEFT = ownership_measured.used_price.rhs.subs({b: q * (1 - delta), h: running.rhs})
used_device = Formula(V_d, Max(0 * K, LEFT), assumptions="rents fall at a constant rate")
owned_today = Formula(
    B_b,
    K * (1 + chi) + running.rhs * (1 - exp(-r * T)) / r - Max(0 * K, rho * exp(-r * T) * LEFT),
    convention="for one device; network and building stay behind",
    **SALE,
)
committed_today = Formula(
    B_r, ownership.rented_today.rhs.subs(b, q * (1 - delta)), assumptions="the rent follows the market from day to day"
)
demand_today = Formula(B_d, ownership.rented_today.rhs.subs(b, q * u), assumptions="only used hours are paid")
gain_today = Formula(
    G_b, committed_today.rhs - owned_today.rhs, kind="definition", convention="negative: the commitment costs less"
)
calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
