"""Ownership, measured: how rents, spot prices and commitments really moved, and what a used device is worth."""

from sympy import Integral, Piecewise, exp, log

from mathcore import Derivation, Example, Formula, Max, Min, Variable, read_facts
from mathcore.chapters import energy, ownership, sites
from mathcore.chapters.energy import placement
from mathcore.chapters.ownership import D_1, B_b, B_r, D, K, T, V, b, d, delta, e, h, q, r, t
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import read_calculators

# --- symbols -------------------------------------------------------------------------------

PRICE = {"low": "0.01 USD/(gpu h)", "high": "50 USD/(gpu h)"}
q_t = Variable("q_t", "USD/(gpu h)", "price on demand some time later", **PRICE)
q_s = Variable("q_s", "USD/(gpu h)", "price on the spot market", tex=r"q_{\mathrm{spot}}", **PRICE)
q_c = Variable("q_c", "USD/(gpu h)", "price under a commitment", tex=r"q_{\mathrm{reserved}}", **PRICE)
sigma = Variable(
    "sigma",
    "",
    "price on the spot market over that on demand",
    tex=r"\sigma",
    display_unit="%",
    low="1 %",
    high="100 %",
)
y_d = Variable("y_d", "", "discount that a provider gives", tex=r"\delta", display_unit="%")
T_d = Variable(
    "T_d",
    "s",
    "age at which a device is scrapped",
    tex=r"T_{\mathrm{life}}",
    display_unit="year",
    low="1 h",
    high="20 year",
)
Z = Variable(
    "Z", "USD/gpu", "what owning saves over renting, in today's money", low="-1000000 USD/gpu", high="1000000 USD/gpu"
)

T_x = Variable(
    "T_x", "s", "age at which a device no longer pays for its running", tex=r"T_{\mathrm{off}}", display_unit="year"
)
T_u = Variable(
    "T_u", "s", "age to which a device is used", tex=r"T_{\mathrm{use}}", display_unit="year", low="1 h", high="20 year"
)
b_x = Variable("b_x", "USD/(gpu h)", "contract rent at which owning breaks even", tex=r"b^{*}")
y_t = Variable(
    "y_t", "", "rate of tax on profits", tex=r"y_{\mathrm{tax}}", display_unit="%", low="0 %", high="60 %", zero=True
)
T_w = Variable(
    "T_w",
    "s",
    "time over which a purchase is written off",
    tex=r"T_{\mathrm{tax}}",
    display_unit="year",
    low="1 h",
    high="20 year",
)
K_t = Variable("K_t", "USD/gpu", "purchase price that counts before tax", tex=r"K_{\mathrm{tax}}")
n_b = Variable(
    "n_b", "gpu", "devices owned", tex=r"n_{\mathrm{own}}", low="0 gpu", high="10000000 gpu", integer=True, zero=True
)
n_r = Variable(
    "n_r",
    "gpu",
    "devices committed",
    tex=r"n_{\mathrm{reserved}}",
    low="0 gpu",
    high="10000000 gpu",
    integer=True,
    zero=True,
)
b_s = Variable("b_s", "USD/(gpu h)", "rent of a contract that is signed today", tex=r"b_{\mathrm{sign}}", **PRICE)
b_1 = Variable("b_1", "USD/(gpu h)", "rent of a contract of one year", tex=r"b_{1}", **PRICE)
x_3 = Variable("x_3", "", "rent of a contract of three years over that of one year", low="0.1", high="2")
y_a = Variable(
    "y_a",
    "",
    "discount for payment in advance",
    tex=r"y_{\mathrm{a}}",
    display_unit="%",
    low="0 %",
    high="60 %",
    zero=True,
)
q_p = Variable("q_p", "USD/h", "price of an hour paid in advance", low="0.001 USD/h", high="1000 USD/h")
q_m = Variable("q_m", "USD/h", "price of an hour paid when it is used", low="0.001 USD/h", high="1000 USD/h")
b_m = Variable("b_m", "USD/(gpu h)", "rent at which a used device competes", tex=r"b_{\mathrm{m}}", **PRICE)
T_y = Variable(
    "T_y", "s", "term of the market's contracts", tex=r"T_{\mathrm{y}}", display_unit="year", low="1 h", high="20 year"
)
q_r = Variable("q_r", "USD/(gpu h)", "rent of the others, for each useful hour", tex=r"q_{\mathrm{r}}", **PRICE)
q_g = Variable("q_g", "USD/(gpu h)", "price on demand at a GPU cloud", tex=r"q_{\mathrm{cloud}}", **PRICE)
f_s = Variable("f_s", "", "hours paid on spot for one useful hour", tex=r"f_{\mathrm{s}}", low="1", high="1000")
T_k = Variable(
    "T_k", "s", "term of a contract", tex=r"T_{\mathrm{term}}", display_unit="year", low="1 h", high="20 year"
)
C_p = Variable("C_p", "USD", "cost of a mix in today's money", tex=r"C_{\mathrm{today}}", display_unit="MUSD")

# --- data ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
rents = Dataset("rents_gcp")
spot_lists = Dataset("spot_lists")

# --- how prices move -----------------------------------------------------------------------

on_demand_price = Formula(q_t, q * exp(-d * t), assumptions="the price falls at a constant rate")
falling = Comparison(
    formula=on_demand_price,
    data=rents,
    measured="rent",
    columns={q: "first", t: "years", d: ownership.p4d_fall},
    over={"time": "years"},
    system="list prices of two accelerators at one provider, at the rate of another",
    bound=("25 %", "50 %"),
    note="One provider: four series of prices (two devices, two regions), one of which moved once, by 5 %. A rate from two dates of one list is not that of another.",
)
constant_price = Formula(q_t, q, assumptions="constant list prices")
still = Comparison(
    formula=constant_price,
    data=rents,
    measured="rent",
    columns={q: "first"},
    over={"time": "years"},
    system="list prices of two accelerators at one provider, assumed constant",
    bound=("0.6 %", "6 %"),
    note="One provider and four series of prices, most rows of which repeat the row before: this says that lists stand, not what the market does.",
)
spot = Formula(q_s, sigma * q, assumptions="the spot price follows the price on demand")
spot_ratio = Comparison(
    formula=spot,
    data=rents,
    measured="spot",
    columns={q: "rent"},
    only={"spot": "> 0"},
    fit_parameters={sigma: ("5 %", "95 %")},
    fit={"device": "A100 40 GB"},
    over={"time": "years"},
    system="spot prices at one provider, A100, then L4",
    bound=("20 %", "30 %"),
    note="One provider's spot price is 40 % of the price on demand for either device; by month and region it is anything from 25 to 50 %.",
)
spot_elsewhere = Comparison(
    formula=spot,
    data=spot_lists,
    measured="spot",
    columns={q: "rent", sigma: spot_ratio.fitted_parameters["sigma"]},
    system="spot prices at two other providers, from the share at the first",
    bound=("14 %", "14 %"),
    note="Each provider asks one share of its price on demand for all devices, 35 and 42 %.",
)
committed_price = Formula(q_c, q * (1 - delta), kind="definition")
discount = Comparison(
    formula=committed_price,
    data=rents,
    measured="one_year",
    columns={q: "rent"},
    fit_parameters={delta: ("5 %", "90 %")},
    fit={"device": "A100 40 GB"},
    over={"time": "years"},
    system="commitments of one year, A100, then L4",
    bound=("1 %", "1 %"),
    note="One discount for both devices and every year: a clause of one provider's contract, not a measurement of a market.",
)
longer = Comparison(
    formula=committed_price,
    data=rents,
    measured="three_years",
    columns={q: "rent"},
    fit_parameters={delta: ("5 %", "95 %")},
    fit={"device": "A100 40 GB"},
    over={"time": "years"},
    system="commitments of three years, A100, then L4",
    bound=("23 %", "23 %"),
    note="For three years each device has a discount of its own, larger for the older one: it may contain a forecast, besides the price of being bound.",
)

commitment_discount = Formula(y_d, delta, kind="definition", convention="as fitted on one device")

# --- what a used device is worth -----------------------------------------------------------------

used_price = (
    Derivation.start(
        V,
        Integral((b * exp(-e * t) - h) * exp(-r * (t - T)), (t, T, T_d)),
        "the buyer saves the rents of the rest of its life and pays its running costs",
        kind="model",
    )
    .rewrite(
        b * exp(-e * T) * (1 - exp(-(e + r) * (T_d - T))) / (e + r) - h * (1 - exp(-r * (T_d - T))) / r,
        "integrate, discounted to the day of the sale",
    )
    .formula(
        domain=(T_d > T, b * exp(-e * T_d) >= h),
        assumptions=("rents fall at a constant rate", "the device works until it is scrapped"),
        convention="an hour on an old device rents at the same market price as one on a new device",
    )
)
owned_and_sold = (
    Derivation.start(
        B_b,
        K - V * exp(-r * T) + Integral(h * exp(-r * t), (t, 0, T)),
        "pay, run, sell; every dollar discounted to today",
        kind="model",
    )
    .rewrite(K - V * exp(-r * T) + h * (1 - exp(-r * T)) / r, "integrate")
    .formula(assumptions="sold at the end of the horizon", convention="for one device; the sale at what it is worth")
)
owned_explored = Formula(
    B_b,
    K + h * (1 - exp(-r * T)) / r - exp(-r * T) * Max(0 * K, used_price.rhs),
    domain=(T_d >= T,),
    assumptions=("rents fall at a constant rate", "the device works until it is scrapped, and is not sold at a loss"),
)
owning_saves = (
    Derivation.start(Z, B_r - B_b, "the rent, less what owning costs")
    .apply({B_r: ownership.rented_today, B_b: owned_and_sold}, "rents that fall, and a sale at the end")
    .apply({V: used_price}, "with the price of the used device at that age")
    .rewrite(
        b * (1 - exp(-(e + r) * T_d)) / (e + r) - h * (1 - exp(-r * T_d)) / r - K,
        "the horizon cancels: the sale is worth the rest of the life, whoever uses it",
    )
    .formula(convention="negative: rent")
)
# --- what the market decides -----------------------------------------------------------------------

scrap_age = (
    Derivation.balance(b * exp(-e * T_x), h, "an hour earns no more than it costs to run")
    .solve_for(T_x, log(b / h) / e, "take the logarithm", routine=True)
    .formula(assumptions="rents fall at a constant rate", domain=(e > 0, b > h))
)
economic_life = Formula(
    T_u,
    Piecewise((Min(T_d, log(b / h) / e), e > 0), (T_d, True)),
    assumptions="a device is used until it fails for good or no longer pays for its running",
)
falling_rent = (
    Derivation.balance(
        b * (1 - exp(-(e + r) * T_k)) / (e + r),
        b_s * (1 - exp(-r * T_k)) / r,
        "for one term, a rent that falls every day costs as much as the rent that the contract fixes",
        kind="model",
    )
    .solve_for(
        b,
        b_s * (e + r) * (1 - exp(-r * T_k)) / (r * (1 - exp(-(e + r) * T_k))),
        "and for each later term, since both have fallen by as much",
    )
    .formula(
        assumptions=("a contract fixes its rent for the term", "the next one is signed at the price of its day"),
        convention="for a whole number of terms",
    )
)
falling_rent_paid = (
    Derivation.balance(
        b * (1 - exp(-(e + r) * T_k)) / (e + r),
        b_s * (1 - y_a) * T_k,
        "for one term, a rent that falls every day costs as much as the whole rent in advance, less the discount",
        kind="model",
    )
    .solve_for(b, b_s * (1 - y_a) * T_k * (e + r) / (1 - exp(-(e + r) * T_k)), "and for each later term")
    .formula(
        assumptions=("a contract fixes its rent for the term", "the next one is signed at the price of its day"),
        convention="for a whole number of terms",
    )
)
market_rent = Formula(
    b_m,
    falling_rent.renamed({b_s: b_1, T_k: T_y}).rhs,
    kind="definition",
    convention="contracts of one year, as a rent that falls every day",
)
prepaying = (
    Derivation.balance(
        (1 - y_a) * T_k, (1 - exp(-r * T_k)) / r, "the discounted rent now is worth the rents of the term", kind="model"
    )
    .solve_for(y_a, 1 - (1 - exp(-r * T_k)) / (r * T_k), "divide by the term")
    .formula(assumptions="the provider delivers for the whole term")
)
spot_for_useful = Formula(q_r, sigma * f_s * q, kind="definition", convention="paid hours, over useful ones")
break_even_rent = (
    Derivation.balance(
        b * (1 - exp(-(e + r) * T_d)) / (e + r) - h * (1 - exp(-r * T_d)) / r,
        K,
        "over its life the device earns its price, and neither path is cheaper",
    )
    .apply({b: falling_rent.renamed({b_s: b_x})}, "contracts, each at the rent of its first day")
    .solve_for(
        b_x,
        (K + h * (1 - exp(-r * T_d)) / r)
        * r
        * (1 - exp(-(e + r) * T_k))
        / ((1 - exp(-r * T_k)) * (1 - exp(-(e + r) * T_d))),
        "divide by the worth of one dollar an hour under such contracts",
    )
    .formula(
        assumptions=("rents fall at a constant rate", "the device works until it is scrapped"),
        convention="a contract below it: rent; above it: buy",
    )
)
taxed_price = (
    Derivation.start(
        K_t,
        (K - Integral(y_t * K / T_w * exp(-r * t), (t, 0, T_w))) / (1 - y_t),
        "the price less the tax that its depreciation saves, over what is left of a dollar of rent after tax",
        kind="model",
    )
    .rewrite(K * (1 - y_t * (1 - exp(-r * T_w)) / (r * T_w)) / (1 - y_t), "integrate")
    .formula(
        assumptions=(
            "the buyer makes a profit, on which it pays tax at once",
            "straight-line depreciation",
            "interest is that after tax",
        ),
        convention="replaces the price, with all other costs before tax",
    )
)
sale = Formula(
    V,
    Max(
        0 * K,
        Min(
            b * exp(-e * T) * (1 - exp(-(e + r) * (T_u - T))) / (e + r) - h * (1 - exp(-r * (T_u - T))) / r,
            K * (1 - T / T_u),
        ),
    ),
    assumptions=(
        "a buyer pays no more than the rents of the rest of its life, less running costs",
        "nor more than that part of the price of a new device",
    ),
    convention="at the end of the horizon",
)
mixed_today = (
    Derivation.start(
        C_p,
        n_b * B_b
        + (n_r * b + q_r * ((Max(D_1, n_b + n_r) - n_b - n_r) + (D_1 + D - Max(D_1, n_b + n_r)) ** 2 / (2 * D)))
        * Integral(exp(-(e + r) * t), (t, 0, T)),
        "owned devices, committed ones, and beyond them each device for the hours in which it is wanted",
        kind="model",
    )
    .rewrite(
        n_b * B_b
        + (n_r * b + q_r * (Max(D_1, n_b + n_r) - n_b - n_r + (D_1 + D - Max(D_1, n_b + n_r)) ** 2 / (2 * D)))
        * (1 - exp(-(e + r) * T))
        / (e + r),
        "integrate",
    )
    .formula(
        domain=(n_b + n_r <= D_1 + D,), assumptions=("demand is spread evenly", "both rents fall at the same rate")
    )
)
used_explored = Formula(V, Max(0 * K, used_price.rhs), assumptions="rents fall at a constant rate")

# --- worked examples -----------------------------------------------------------------------------

no_fall = Example(
    ownership.decline_rate, {ownership.q_1: facts.gcp_first, ownership.q_2: facts.gcp_last, ownership.Delta: "4.4 year"}
)
MARKET = {b: ownership.committed_rate, e: ownership.p4d_fall, h: ownership.lab_full_hour, r: ownership.TODAY[r]}
used_after = Example(used_price, {**MARKET, T: "3 year", T_d: "6 year"}, digits=4)
used_standing = Example(used_price, {**MARKET, e: "0 /year", T: "3 year", T_d: "6 year"}, digits=4)
one_year = Example(commitment_discount, {delta: discount.fitted_parameters["delta"]})
three_years = Example(commitment_discount, {delta: longer.fitted_parameters["delta"]})
forecast_alone = Example(ownership.mean_price, {q: "1 USD/(gpu h)", d: "0.85 /year", T: "3 year"})
OWNED = {K: sites.lab_price, h: MARKET[h], r: MARKET[r], T: "3 year"}
sold_after = Example(owned_and_sold, {**OWNED, V: used_after}, digits=4)
sold_standing = Example(owned_and_sold, {**OWNED, V: used_standing}, digits=4)
RENTED = {b: MARKET[b], r: MARKET[r], T: "3 year"}
rent_falling = Example(ownership.rented_today, {**RENTED, e: MARKET[e]}, digits=4)
LIVES = {**MARKET, K: sites.lab_price}
saved_five = Example(owning_saves, {**LIVES, e: "0 /year", T_d: "5 year"}, digits=2)
saved_eight = Example(owning_saves, {**LIVES, e: "0.05 /year", T_d: "8 year"}, digits=2)

SPACE = {ownership.k_s: sites.colocation, ownership.p_s: placement.node_peak}
upkeep_rented = Example(ownership.upkeep, {ownership.s_0: sites.lab_staff, **SPACE}, digits=3)
HELD = {
    ownership.p: placement.node,
    ownership.p_0: placement.idle,
    ownership.PUE: placement.RUN[energy.PUE],
    ownership.k: sites.lab_power_price,
    ownership.u: "100 %",
}
market_hour = Example(ownership.running, {ownership.s: upkeep_rented, **HELD})
SERVED = {h: market_hour, r: MARKET[r], T_d: sites.life_before, T_k: "1 year"}
contract_as_falling = Example(
    falling_rent, {b_s: sites.contract_june, e: ownership.p5_fall, r: MARKET[r], T_k: "1 year"}
)
longer_over_year = Formula(x_3, b_s / b_1, kind="definition")
longer_a100 = Example(longer_over_year, {b_s: facts.gcp_three, b_1: facts.gcp_year}, digits=2)
longer_h100 = Example(longer_over_year, {b_s: facts.azure_three, b_1: facts.azure_year}, digits=2)
longer_b200 = Example(longer_over_year, {b_s: facts.b200_three, b_1: facts.b200_year}, digits=2)
paid_discount = Formula(y_a, 1 - q_p / q_m, kind="definition")
paid_three = Example(paid_discount, {q_p: facts.p5_three_paid, q_m: facts.p5_three_monthly}, digits=2)
worth_three = Example(prepaying, {r: MARKET[r], T_k: "3 year"}, digits=2)
discount_median = Example(committed_price.solve_for("delta"), {q_c: contract_as_falling, q: sites.demand_median})
discount_list = Example(committed_price.solve_for("delta"), {q_c: contract_as_falling, q: ownership.list_rate})
mix_list = Example(ownership.best_mix, {**ownership.DAY, delta: discount_list}, digits=2)
mix_median = Example(ownership.best_mix, {**ownership.DAY, delta: discount_median}, digits=2)
break_even_standing = Example(break_even_rent, {**SERVED, K: sites.lab_price, e: "0 /year"})
break_even_a100 = Example(break_even_rent, {**SERVED, K: sites.lab_price, e: ownership.p4d_fall})
break_even_h100 = Example(break_even_rent, {**SERVED, K: sites.lab_price, e: ownership.p5_fall})
break_even_debt = Example(break_even_rent, {**SERVED, r: sites.debt_high, K: sites.lab_price, e: ownership.p5_fall})
taxed_slowly = Example(taxed_price, {K: sites.lab_price, y_t: "25 %", r: MARKET[r], T_w: sites.life_before})
off_age = Example(scrap_age, {b: sites.contract_june, h: market_hour, e: ownership.p5_fall}, digits=2)
off_age_offer = Example(scrap_age, {b: ownership.committed_rate, h: market_hour, e: ownership.p5_fall}, digits=2)

# --- explorer ------------------------------------------------------------------------------------

calculators = read_calculators(__name__)
