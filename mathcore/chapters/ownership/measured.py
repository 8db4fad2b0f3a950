"""Ownership, measured: how rents, spot prices and commitments really moved, and what a used device is worth."""

from sympy import Integral, exp

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import ownership, sites
from mathcore.chapters.ownership import B_b, B_r, K, T, V, b, d, delta, e, h, q, r, t
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import read_calculators

# --- letters -------------------------------------------------------------------------------

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

# --- data ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
rents = Dataset("rents_gcp")

# --- how prices move -----------------------------------------------------------------------

later = Formula(q_t, q * exp(-d * t), assumptions="the price falls at a constant rate")
falling = Comparison(
    formula=later,
    data=rents,
    measured="rent",
    columns={q: "first", t: "years", d: ownership.p4d_fall},
    over={"time": "years"},
    system="list prices of two accelerators at one provider, at the rate of another",
    bound=("25 %", "50 %"),
    note="In more than four years one of them moved once, by a twentieth: a rate that two dates of one price list give is no law of another.",
)
standing = Formula(q_t, q, assumptions="list prices stand")
still = Comparison(
    formula=standing,
    data=rents,
    measured="rent",
    columns={q: "first"},
    over={"time": "years"},
    system="list prices of two accelerators at one provider, standing still",
    bound=("0.6 %", "6 %"),
    note="The dullest model is right.",
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
    note="Two fifths of the price, for either device; by the month and the region it is anything from a quarter to a half.",
)
committed = Formula(q_c, q * (1 - delta), kind="definition")
discount = Comparison(
    formula=committed,
    data=rents,
    measured="one_year",
    columns={q: "rent"},
    fit_parameters={delta: ("5 %", "90 %")},
    fit={"device": "A100 40 GB"},
    over={"time": "years"},
    system="commitments of one year, A100, then L4",
    bound=("1 %", "1 %"),
    note="One discount for both devices and every year: it is a rule of the provider, not a price.",
)
longer = Comparison(
    formula=committed,
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

given_off = Formula(y_d, delta, kind="definition", convention="as fitted on one device")

# --- what a used device is worth -----------------------------------------------------------------

used = (
    Derivation.start(
        V,
        Integral((b * exp(-e * t) - h) * exp(-r * (t - T)), (t, T, T_d)),
        "whoever buys it saves the rents of the rest of its life, and pays for its running",
        kind="model",
    )
    .rewrite(
        b * exp(-e * T) * (1 - exp(-(e + r) * (T_d - T))) / (e + r) - h * (1 - exp(-r * (T_d - T))) / r,
        "integrate, discounted to the day of the sale",
    )
    .formula(
        domain=(T_d > T, b * exp(-e * T_d) >= h),
        assumptions=("rents fall at a constant rate", "the device works until it is scrapped"),
        convention="an hour of an old device rents like one of a new, at the price of the day",
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
    K + h * (1 - exp(-r * T)) / r - exp(-r * T) * Max(0 * K, used.rhs),
    domain=(T_d >= T,),
    assumptions=("rents fall at a constant rate", "the device works until it is scrapped, and is not sold at a loss"),
)
saved = (
    Derivation.start(Z, B_r - B_b, "the rent, less what owning costs")
    .apply({B_r: ownership.rented_today, B_b: owned_and_sold}, "rents that fall, and a sale at the end")
    .apply({V: used}, "for what the device is worth by then")
    .rewrite(
        b * (1 - exp(-(e + r) * T_d)) / (e + r) - h * (1 - exp(-r * T_d)) / r - K,
        "the horizon cancels: the sale is worth the rest of the life, whoever uses it",
    )
    .formula(convention="negative: rent")
)
used_explored = Formula(V, Max(0 * K, used.rhs), assumptions="rents fall at a constant rate")

# --- worked examples -----------------------------------------------------------------------------

no_fall = Example(
    ownership.seen_fall, {ownership.q_1: facts.gcp_first, ownership.q_2: facts.gcp_last, ownership.Delta: "4.4 year"}
)
MARKET = {b: ownership.committed_rate, e: ownership.p4d_fall, h: ownership.lab_full_hour, r: ownership.TODAY[r]}
used_after = Example(used, {**MARKET, T: "3 year", T_d: "6 year"}, digits=4)
used_standing = Example(used, {**MARKET, e: "0 /year", T: "3 year", T_d: "6 year"}, digits=4)
one_year = Example(given_off, {delta: discount.fitted_parameters["delta"]})
three_years = Example(given_off, {delta: longer.fitted_parameters["delta"]})
forecast_alone = Example(ownership.mean_price, {q: "1 USD/(gpu h)", d: "0.85 /year", T: "3 year"})
OWNED = {K: sites.lab_price, h: MARKET[h], r: MARKET[r], T: "3 year"}
sold_after = Example(owned_and_sold, {**OWNED, V: used_after}, digits=4)
sold_standing = Example(owned_and_sold, {**OWNED, V: used_standing}, digits=4)
RENTED = {b: MARKET[b], r: MARKET[r], T: "3 year"}
rent_falling = Example(ownership.rented_today, {**RENTED, e: MARKET[e]}, digits=4)
LIVES = {**MARKET, K: sites.lab_price}
saved_five = Example(saved, {**LIVES, e: "0 /year", T_d: "5 year"}, digits=2)
saved_eight = Example(saved, {**LIVES, e: "0.05 /year", T_d: "8 year"}, digits=2)

# --- explorer ------------------------------------------------------------------------------------

calculators = read_calculators(__name__)
