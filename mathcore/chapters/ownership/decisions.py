"""Ownership, decided: rent, commit for a year or for three, buy, or which mix."""

from mathcore import Decision, Example, Formula, Range, Variable
from mathcore.chapters import ownership, sites
from mathcore.chapters.energy import placement
from mathcore.chapters.ownership import (
    D_1,
    PUE,
    B_b,
    D,
    K,
    T,
    V,
    b,
    e,
    h,
    k,
    k_s,
    measured,
    p,
    p_0,
    p_s,
    power,
    q,
    r,
    s,
    s_0,
    u,
)
from mathcore.chapters.ownership.measured import (
    C_p,
    T_d,
    T_k,
    T_u,
    T_y,
    b_1,
    b_m,
    b_s,
    f_s,
    n_b,
    n_r,
    q_g,
    q_r,
    sigma,
    x_3,
    y_a,
)
from mathcore.chapters.ownership.power import K_w, T_b

DISCOUNT = {"display_unit": "%", "low": "0 %", "high": "60 %", "zero": True}
y_1 = Variable("y_1", "", "discount for a year in advance", **DISCOUNT)
y_3 = Variable("y_3", "", "discount for three years in advance", **DISCOUNT)

NONE = "0 gpu"
COMMITTED = tuple(f"{n} gpu" for n in range(20, 1001, 20))
BOUGHT = tuple(f"{n} gpu" for n in range(100, 1001, 20))
OWNED = tuple(f"{n} gpu" for n in range(100, 1001, 100))

YEARLY = {b_s: 1 * b_1, T_k: "1 year", b: measured.falling_rent}
LONG = {b_s: x_3 * b_1, T_k: "3 year"}
SPOT = Range(
    "25 %",
    "82 %",
    source="from the cheapest month of Google's list to an index over the median of 37 providers in 2026",
    value=measured.spot_ratio.fitted_parameters["sigma"],
)
MARKET_RENT = {b_m: measured.market_rent, T_y: "1 year"}

mix = Decision(
    "Which mix of renting, committing and buying is cheapest?",
    options={
        "path": {
            "rent": {n_b: NONE, n_r: NONE, **YEARLY},
            "commit": {n_b: NONE, n_r: COMMITTED, **YEARLY},
            "commit in advance": {n_b: NONE, n_r: COMMITTED, **YEARLY, b: measured.falling_rent_paid, y_a: 1 * y_1},
            "commit for three years": {n_b: NONE, n_r: COMMITTED, **LONG, b: measured.falling_rent},
            "three years in advance": {n_b: NONE, n_r: COMMITTED, **LONG, b: measured.falling_rent_paid, y_a: 1 * y_3},
            "buy": {n_b: BOUGHT, n_r: NONE, **YEARLY},
            "mix": {n_b: OWNED, n_r: COMMITTED, **YEARLY},
            "mix with three years": {n_b: OWNED, n_r: COMMITTED, **LONG, b: measured.falling_rent},
            "mix with three years in advance": {
                n_b: OWNED,
                n_r: COMMITTED,
                **LONG,
                b: measured.falling_rent_paid,
                y_a: 1 * y_3,
            },
        },
        "rest": {"GPU cloud": {q_r: 1 * q_g}, "on demand": {q_r: 1 * q}, "spot": {q_r: measured.spot_for_useful}},
    },
    given={
        T: sites.lab_horizon,
        D_1: "200 gpu",
        D: "800 gpu",
        B_b: measured.owned_and_sold,
        V: measured.sale.renamed({b: b_m}),
        T_u: measured.economic_life.renamed({b: b_m}),
        **MARKET_RENT,
        h: ownership.running,
        p: placement.node,
        p_0: placement.idle,
        u: "100 %",
    },
    minimise=measured.mixed_today,
    domain=(n_b + n_r <= D_1 + D,),
    uncertain={
        b_1: Range(
            sites.contract_2025,
            "4 USD/(gpu h)",
            source="from the low of October 2025 to half as much again as in June 2026",
            value=sites.contract_june,
        ),
        x_3: Range(
            measured.longer_a100,
            measured.longer_b200,
            value=measured.longer_h100,
            source="from Google's list for an A100 to Amazon's for a B200; today Microsoft's for an H100",
        ),
        y_3: Range(
            "4 %", "20 %", source="assumed: from a third of today's to half as much again", value=measured.paid_three
        ),
        y_1: Range("2 %", "8 %", source="assumed: from half of a small provider's to Amazon's", value="6 %"),
        sigma: SPOT,
        f_s: Range(
            "1.1",
            "4",
            source="from servers that stay for weeks to where spot no longer pays; today the one fleet of A100s, the most favourable to spot of the ten in the chapter on operations",
            value="2.1",
        ),
        e: Range(
            "0 /year",
            ownership.contracts_fall,
            source="from constant list prices to the market of the H100 from its launch to March 2026",
            value=ownership.p5_fall,
        ),
        q_g: Range(
            sites.demand_spot,
            ownership.list_rate,
            source="from an index of spot prices in June 2026 to a large provider's list; today the median of 37 providers",
            value=sites.demand_median,
        ),
        q: Range(
            "3.5 USD/(gpu h)",
            "12.3 USD/(gpu h)",
            source="the cheapest to the most expensive list of a large provider in 2026",
            value=ownership.list_rate,
        ),
        K: Range(
            "30000 USD/gpu",
            "50000 USD/gpu",
            source="from the card alone to a server with its network",
            value=sites.lab_price,
        ),
        T_d: Range(
            measured.facts.life_nebius,
            "8 year",
            source="Nebius's books, to two years more than those of CoreWeave and large providers",
            value=sites.life_before,
        ),
        s: Range(
            sites.lab_staff,
            "6300 USD/gpu/year",
            source="from staff alone to staff, rented space and 5 % of the price for repairs",
            value=measured.upkeep_rented,
        ),
        r: Range(
            "0.05 /year",
            sites.debt_high,
            source="from a large company's to that of a GPU cloud's loan",
            value=measured.MARKET[r],
        ),
        k: Range("0.05 USD/kWh", "0.2 USD/kWh", source="assumed", value=sites.lab_power_price),
        PUE: Range(sites.pue_meta, sites.pue_survey_2024, value=measured.HELD[PUE]),
    },
    error=("4 %", "one spare for twenty-five devices, and the costs of a move and a sale"),
    decides=("path",),
    labels={
        n_b: "{} owned",
        n_r: "{} committed",
        C_p: "cost in today's money",
        B_b: "an owned device",
        b_1: "contract rent",
        x_3: "three years over one",
        y_3: "discount for three years in advance",
        y_1: "discount for a year in advance",
        sigma: "spot price over on demand",
        f_s: "hours paid on spot for a useful one",
        "rest": "the others",
        e: "rents fall at",
        "GPU cloud": "on demand at a GPU cloud",
        q_g: "rent on demand at a GPU cloud",
        q: "rent on demand at a large provider",
        K: "purchase price",
        T_d: "life",
        s: "staff and space",
        r: "interest",
        k: "electricity",
    },
    proposed={"path": "buy"},
    expects=[
        {"path": path}
        for path in (
            "commit for three years",
            "three years in advance",
            "buy",
            "mix",
            "mix with three years",
            "mix with three years in advance",
        )
    ],
)

mix_built = mix.variant(
    question="Which mix is cheapest with a building of one's own that has power?",
    given={**mix.given, s: ownership.upkeep, k_s: power.space_built, p_s: placement.node_peak, T_b: "20 year"},
    uncertain={
        **{symbol: each for symbol, each in mix.uncertain.items() if symbol is not s},
        s_0: Range(
            "1000 USD/gpu/year",
            "4000 USD/gpu/year",
            source="from half the staff to staff and 5 % of the price for repairs",
            value=sites.lab_staff,
        ),
        K_w: Range(
            "8000 USD/kW",
            "16000 USD/kW",
            source="assumed: some 40 % below and above the world's average",
            value=power.facts.building,
        ),
    },
    labels={**mix.labels, s_0: "staff and repairs", K_w: "price of the building"},
    expects=[{"path": path} for path in ("buy", "mix", "mix with three years", "mix with three years in advance")],
)

n_p = Variable("n_p", "gpu", "devices rented by the hour at the peak", tex=r"n_{\mathrm{peak}}")
at_peak = Formula(n_p, D_1 + D - n_r, kind="definition")
peak_rented = Example(at_peak, {D_1: mix.given[D_1], D: mix.given[D], n_r: "360 gpu"})

# A peak of hundreds of devices by the hour may be more than a GPU cloud has free.
mix_without_cloud = mix.variant(
    question="Which mix is cheapest if no GPU cloud has the peak by the hour?",
    options={**mix.options, "rest": {name: each for name, each in mix.options["rest"].items() if name != "GPU cloud"}},
    uncertain={symbol: each for symbol, each in mix.uncertain.items() if symbol is not q_g},
    labels={key: text for key, text in mix.labels.items() if key is not q_g and key != "GPU cloud"},
    samples=500,
)
