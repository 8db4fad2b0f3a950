"""Scale lab, act II: rent, commit or buy, with network and building, and which way back into the budget?

The model is that of the chapter on ownership; here the purchase carries a share for what stands
around the devices, and a plan is chosen and held against a budget.
"""

from sympy import Piecewise, Rational, exp

from mathcore import Derivation, Formula, Max, Min, Variable
from mathcore.chapters import measured_ownership, ownership
from mathcore.chapters.measured_ownership import T_d
from mathcore.chapters.ownership import (
    PUE,
    B_b,
    B_r,
    C_b,
    C_o,
    K,
    K_o,
    K_r,
    L,
    N,
    T,
    T_r,
    b,
    budget_limit,
    c_q,
    c_r,
    c_u,
    delta,
    e,
    h,
    k,
    on_demand,
    p,
    p_0,
    q,
    r,
    reserved,
    reserved_pays,
    running,
    s,
    u,
    u_b,
)
from mathcore.teaching import (
    Axis,
    Bars,
    Card,
    Chart,
    Choice,
    Curve,
    Explorer,
    Failure,
    Level,
    Marker,
    Row,
    Slider,
    Way,
    read_exercises,
)

# --- letters -------------------------------------------------------------------------------

chi = Variable(
    "chi",
    "",
    "network and building, on top of the purchase price",
    tex=r"\chi",
    shown="%",
    low="0 %",
    high="300 %",
    zero=True,
)
rho = Variable(
    "rho",
    "",
    "what a buyer pays for a used device, of what it is worth",
    tex=r"\rho",
    shown="%",
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
C_y = Variable("C_y", "USD", "cost of the plan", tex=r"C_{\mathrm{plan}}", shown="MUSD")
C_least = Variable("C_least", "USD", "cost of the cheapest path", tex=r"C_{\min}", shown="MUSD")
over = Variable(
    "over", "USD", "cost of the plan above the budget", tex=r"\Delta C", shown="MUSD", low="-1e15 USD", high="1e15 USD"
)
delta_b = Variable(
    "delta_b",
    "",
    "discount at which a commitment costs what owning does",
    tex=r"\delta_{\mathrm{own}}",
    shown="%",
    low="-10000 %",
    high="100 %",
)
N_fit = Variable("N_fit", "gpu", "devices that the budget allows", tex=r"N_{\mathrm{fit}}")
T_fit = Variable(
    "T_fit",
    "s",
    "horizon that the budget allows",
    tex=r"T_{\mathrm{fit}}",
    shown="year",
    low="-1e6 year",
    high="1e6 year",
)
q_fit = Variable("q_fit", "USD/(gpu h)", "rent at which the plan fits the budget", tex=r"q_{\mathrm{fit}}")
spread = Variable("spread", "", "most expensive over cheapest path", tex=r"C_{\max}/C_{\min}")
fixed = Variable("fixed", "", "share of the owned fleet's cost that is paid used or not", shown="%")
C_idle = Variable(
    "C_idle",
    "USD",
    "electricity of idle hours",
    tex=r"C_{\mathrm{idle}}",
    shown="MUSD",
    low="0 USD",
    high="1e15 USD",
    zero=True,
)
C_power = Variable("C_power", "USD", "electricity of the owned fleet", tex=r"C_{\mathrm{power}}", shown="MUSD")
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
    .use(running, "staff, and power by the hours that work and the hours that idle")
    .formula(when=NO_END)
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
        valid=(q > PUE * k * (p - p_0),), when="a value above 1 says that owning never pays at this price and horizon"
    )
)
price_against_demand = (
    Derivation.balance(
        N * u * T * q, N * (K_o * (1 + chi) + h * T), "suppose renting on demand and owning cost the same"
    )
    .solve_for(K_o, T * (u * q - h) / (1 + chi), "what the rent leaves, for the device without its share")
    .use(running, "the running cost of an owned device")
    .formula(when="a price above this: do not buy; a negative value: not even as a gift")
)
price_against_reserved = (
    Derivation.balance(
        N * T * q * (1 - delta), N * (K_r * (1 + chi) + h * T), "suppose a commitment and owning cost the same"
    )
    .solve_for(K_r, T * (q * (1 - delta) - h) / (1 + chi), "what the rent leaves, without the share")
    .use(running, "the running cost of an owned device")
    .formula(when="a price above this: do not buy; a negative value: not even as a gift")
)
years_or_never = Formula(
    T_r,
    K * (1 + chi) / Max(0, q * (1 - delta) - s - POWER),
    when="both run on as they are",
    convention="no number where the owned device runs at more than the commitment costs: never",
)
discount_against_owned = (
    Derivation.balance(
        N * T * q * (1 - delta_b), N * (K * (1 + chi) + h * T), "suppose a commitment and owning cost the same"
    )
    .solve_for(delta_b, 1 - (K * (1 + chi) + h * T) / (T * q), "divide by the price on demand")
    .use(running, "the running cost of an owned device")
    .formula(when="a larger discount: commit; a negative value: even the full price beats owning")
)
fixed_share = (
    Derivation.start(
        fixed,
        N * (K * (1 + chi) + T * (s + PUE * k * p_0)) / C_b,
        "purchase, staff and the power of an idle device, over the whole",
    )
    .use(owned, "the whole")
    .formula(when="idle power is drawn in every hour, and use adds to it")
)
idle_power = Formula(C_idle, N * T * PUE * k * (1 - u) * p_0, when="one price at all hours")
all_power = Formula(C_power, N * T * POWER, when="one price at all hours")
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
    .use(running, "the running cost")
    .formula(convention="per device-hour that is used: idle hours are charged")
)
idle_factor = Formula(u_fall, 1 / u, kind="definition", convention="how often a used hour pays a fixed cost")

# --- a plan and its budget -----------------------------------------------------------------

PLAN = Piecewise((on_demand.rhs, y < Rational(3, 2)), (reserved.rhs, y < Rational(5, 2)), (owned.rhs, True))
planned = Formula(C_y, PLAN, kind="definition", convention="of the path that was chosen")
excess = (
    Derivation.start(over, C_y - L, "what the plan costs beyond the budget")
    .use(planned, "the path that was chosen")
    .formula(convention="negative when money is left")
)
devices_fit = (
    Derivation.start(N_fit, N * L / C_y, "each path's cost is proportional to the devices", kind="model")
    .use(planned, "the path that was chosen")
    .formula()
)
horizon_fits = Formula(
    T_fit,
    Piecewise(
        (L / (N * u * q), y < Rational(3, 2)),
        (L / (N * q * (1 - delta)), y < Rational(5, 2)),
        ((L / N - K * (1 + chi)) / (s + POWER), True),
    ),
    when="the path that was chosen is kept",
    convention="negative when the purchase alone breaks the budget",
)
rent_fits = Formula(
    q_fit,
    Piecewise((L / (N * T * u), y < Rational(3, 2)), (L / (N * T * (1 - delta)), True)),
    when="the plan is to rent",
)

# --- the instrument ------------------------------------------------------------------------

PATHS = {"rent on demand": 1, "commit": 2, "own": 3}
USE = Axis(u, "%", 5, 100, label="utilisation")
calculator = Explorer(
    title="Fleet cost calculator",
    sliders=(
        Choice(y, "", PATHS, 1, "Your plan"),
        Slider(N, "gpu", 1, 4096, 1, 1000, "Devices"),
        Slider(u, "%", 10, 100, 5, 60, "Utilisation"),
        Slider(T, "year", 1, 5, 1, 3, "Horizon"),
        Slider(q, "USD/(gpu h)", 1, 5, 0.1, 2.1, "Price on demand"),
        Slider(delta, "%", 10, 60, 5, 35, "Discount for a commitment"),
        Slider(K, "USD/gpu", 20000, 80000, 5000, 40000, "Purchase price of a device"),
        Slider(chi, "%", 0, 60, 5, 20, "Network and building, on top"),
        Slider(s, "USD/gpu/year", 500, 5000, 100, 2000, "Staff"),
        Slider(p, "W/gpu", 500, 1500, 50, 700, "Power of a working device"),
        Slider(p_0, "W/gpu", 0, 450, 10, 350, "Power of an idle device"),
        Slider(PUE, "", 1, 2, 0.05, 1.4, "PUE"),
        Slider(k, "USD/kWh", 0.02, 0.3, 0.01, 0.1, "Price of electricity"),
        Slider(L, "MUSD", 0.01, 200, 0.01, 50, "Budget"),
    ),
    x=USE,
    y=Axis(C_o, "MUSD", 0, None, label="cost over the horizon"),
    curves=(
        Curve("on demand", on_demand, "write"),
        Curve("committed", reserved, "exact"),
        Curve("owned", owned, "total"),
    ),
    markers=(
        Marker("you, on demand", u, on_demand, "square"),
        Marker("you, owned", u, owned),
        Marker("commitment pays", reserved_pays, reserved, "diamond", vertical=True),
    ),
    levels=(Level("budget", L, "bad"), Level("owning pays", owning_pays, "good", vertical=True)),
    cards=(
        Card("on demand", on_demand, "MUSD"),
        Card("committed", reserved, "MUSD"),
        Card("owned", owned, "MUSD"),
        Card("commitment beats on demand from", reserved_pays, "%"),
        Card(
            "owning beats on demand from",
            owning_pays,
            "%",
            3,
            (100,),
            ("of the hours used", "never: a year has no more hours"),
            ("plain", "bad"),
        ),
        Card("owning beats a commitment after", years_or_never, "year"),
    ),
    panels=(
        Bars(
            "Three paths",
            "MUSD",
            {"on demand": on_demand, "committed": reserved, "owned": owned},
            levels=(Level("budget", L, "bad"),),
        ),
        Bars(
            "What a used hour costs",
            "USD/(gpu h)",
            {"on demand": hour_on_demand, "committed": hour_reserved, "owned": hour_owned},
        ),
        Chart(
            "Cost of a used hour",
            USE,
            Axis(c_u, "USD/(gpu h)", 0, None, label="cost of a used hour"),
            (
                Curve("on demand", hour_on_demand, "write"),
                Curve("committed", hour_reserved, "exact"),
                Curve("owned", hour_owned, "total"),
            ),
            (Marker("you, owned", u, hour_owned),),
        ),
    ),
    failures=(
        Failure(
            "The plan breaks the budget",
            excess,
            "It costs {plan}, the budget is {L}: {over} are missing. "
            "On demand the bill would be {demand}, committed {committed}, owned {own}.",
            (
                Way("Another path: {to}.", y, 1),
                Way("Another path: {to}.", y, 2),
                Way("Another path: {to}.", y, 3),
                Way("Use the fleet {to} of the time, not more.", u, budget_limit),
                Way("Make do with {to}.", N, devices_fit),
                Way("Plan for {to} only.", T, horizon_fits),
                Way("Bargain the price on demand down to {to}.", q, rent_fits),
                Way("Ask for {to}.", L, planned),
            ),
            {
                "plan": (planned, "MUSD"),
                "over": (excess, "MUSD"),
                "demand": (on_demand, "MUSD"),
                "committed": (reserved, "MUSD"),
                "own": (owned, "MUSD"),
            },
        ),
    ),
    lines=(on_demand, reserved, owned, owning_pays),
    columns={"your utilisation": u, "where a commitment pays": reserved_pays},
    rows=(
        Row("on demand", on_demand, "MUSD", 4),
        Row("committed", reserved, "MUSD", 4),
        Row("owned", owned, "MUSD", 4),
        Row("of this, electricity", all_power, "MUSD"),
        Row("of this, electricity of idle hours", idle_power, "MUSD"),
        Row("buying price, against on demand", price_against_demand, "USD/gpu"),
        Row("buying price, against a commitment", price_against_reserved, "USD/gpu"),
        Row("discount at which a commitment ties with owning", discount_against_owned, "%"),
    ),
    limits="No interest, no resale, one price for the whole horizon, a year of 8,766 hours. "
    "A commitment is renewed each year at the same discount.",
)

# --- the same paths in today's money: interest, rents that fall, and a sale at the end -----------------

SALE = {"when": ("rents fall at a constant rate", "the device works until it is scrapped, and is not sold at a loss")}
LEFT = measured_ownership.used.rhs.subs({b: q * (1 - delta), h: running.rhs})
used_device = Formula(V_d, Max(0 * K, LEFT), when="rents fall at a constant rate")
owned_today = Formula(
    B_b,
    K * (1 + chi) + running.rhs * (1 - exp(-r * T)) / r - Max(0 * K, rho * exp(-r * T) * LEFT),
    convention="for one device; network and building stay behind",
    **SALE,
)
committed_today = Formula(
    B_r, ownership.rented_today.rhs.subs(b, q * (1 - delta)), when="the rent follows the market from day to day"
)
demand_today = Formula(B_d, ownership.rented_today.rhs.subs(b, q * u), when="only used hours are paid")
gain_today = Formula(
    G_b, committed_today.rhs - owned_today.rhs, kind="definition", convention="negative: the commitment costs less"
)
market = Explorer(
    title="The same three paths in a market that moves",
    sliders=(
        Slider(e, "1/year", 0, 0.5, 0.01, 0.13, "Rate at which rents fall", measured_ownership.FALL_SEEN),
        Slider(r, "1/year", 0.01, 0.25, 0.01, 0.08, "Interest"),
        Slider(rho, "%", 0, 100, 5, 100, "What a buyer pays, of what the device is worth"),
        Slider(T, "year", 1, 5, 1, 3, "Horizon"),
        Slider(T_d, "year", 6, 10, 0.5, 6, "Age at which a device is scrapped"),
        Slider(u, "%", 10, 100, 5, 60, "Utilisation"),
        Slider(q, "USD/(gpu h)", 1, 5, 0.1, 2.1, "Price on demand, today"),
        Slider(delta, "%", 10, 60, 5, 35, "Discount for a commitment"),
        Slider(K, "USD/gpu", 20000, 80000, 5000, 40000, "Purchase price of a device"),
        Slider(chi, "%", 0, 60, 5, 20, "Network and building, on top"),
        Slider(s, "USD/gpu/year", 500, 5000, 100, 2000, "Staff"),
        Slider(p, "W/gpu", 500, 1500, 50, 700, "Power of a working device"),
        Slider(p_0, "W/gpu", 0, 450, 10, 350, "Power of an idle device"),
        Slider(PUE, "", 1, 2, 0.05, 1.4, "PUE"),
        Slider(k, "USD/kWh", 0.02, 0.3, 0.01, 0.1, "Price of electricity"),
    ),
    x=Axis(e, "1/year", 0, 0.5, label="rate at which rents fall"),
    y=Axis(B_b, "USD/gpu", 0, None, label="cost of a device, in today's money"),
    curves=(
        Curve("on demand", demand_today, "write"),
        Curve("committed", committed_today, "exact"),
        Curve("owned and sold", owned_today, "total"),
    ),
    markers=(Marker("you, owned", e, owned_today), Marker("you, committed", e, committed_today, "square")),
    cards=(
        Card("on demand", demand_today, "USD/gpu"),
        Card("committed", committed_today, "USD/gpu"),
        Card("owned and sold", owned_today, "USD/gpu"),
        Card("owning saves, against a commitment", gain_today, "USD/gpu"),
        Card("a used device is worth", used_device, "USD/gpu"),
    ),
    limits="One device; every dollar discounted to today; a used device is worth the rents of the rest of its life, "
    "less its running; no taxes.",
    start={letter: (calculator, letter) for letter in (u, T, q, delta, K, chi, s, p, p_0, PUE, k)},
)

exercises = read_exercises(__name__)
