"""Power and space as capital and as time: a building of one's own, and the wait for its connection."""

from sympy import exp

from mathcore import Derivation, Example, Variable, read_facts
from mathcore.chapters import ownership, sites
from mathcore.chapters.energy import placement
from mathcore.chapters.ownership import b, e, h, k_s, p_s, r
from mathcore.chapters.ownership.measured import HELD, MARKET, Z
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

K_w = Variable(
    "K_w",
    "USD/W",
    "price of a building for each kilowatt of IT power",
    tex=r"K_{\mathrm{kW}}",
    display_unit="USD/kW",
    low="100 USD/kW",
    high="1000000 USD/kW",
)
T_b = Variable(
    "T_b", "s", "life of a building", tex=r"T_{\mathrm{bld}}", display_unit="year", low="1 year", high="100 year"
)
T_c = Variable(
    "T_c",
    "s",
    "wait for the connection to the grid",
    tex=r"T_{\mathrm{grid}}",
    display_unit="year",
    low="0 s",
    high="30 year",
    zero=True,
)
Z_c = Variable(
    "Z_c",
    "USD/gpu",
    "what owning saves after the wait, in today's money",
    tex=r"Z_{\mathrm{grid}}",
    display_unit="USD/gpu",
)
k_e = Variable("k_e", "USD/kWh", "value of an available kilowatt-hour", tex=r"k_{\mathrm{now}}")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- capital -------------------------------------------------------------------------------

space_built = (
    Derivation.balance(
        k_s * (1 - exp(-r * T_b)) / r, K_w, "a rent for the life of the building, in today's money, pays for it"
    )
    .solve_for(k_s, K_w * r / (1 - exp(-r * T_b)), "divide by the present value of a dollar a year")
    .formula(assumptions="always full, without residual value", convention="without electricity")
)

# --- time ----------------------------------------------------------------------------------

saved_later = Derivation.start(
    Z_c,
    Z * exp(-(e + r) * T_c),
    "devices and rents have fallen by then, and so has what owning saves; interest discounts it to today",
    kind="model",
).formula(assumptions="prices of devices, rents and running costs fall at one rate")
worth_of_power = Derivation.start(
    k_e, (b - h) / (ownership.PUE * ownership.p), "what a device earns in an hour, over what it takes", kind="model"
).formula(assumptions="only power is missing", domain=(b > h,))

# --- worked examples -----------------------------------------------------------------------

built = Example(space_built, {K_w: facts.building, r: MARKET[r], T_b: "20 year"}, unit="USD/kW/year", digits=3)
upkeep_built = Example(
    ownership.upkeep, {ownership.s_0: sites.lab_staff, k_s: built, p_s: placement.node_peak}, digits=3
)
built_hour = Example(ownership.running, {ownership.s: upkeep_built, **HELD})
later = Example(saved_later, {Z: "10000 USD/gpu", e: ownership.p5_fall, r: MARKET[r], T_c: facts.grid_wait}, digits=2)
worth_today = Example(
    worth_of_power,
    {b: sites.contract_june, h: built_hour, ownership.PUE: HELD[ownership.PUE], ownership.p: placement.node},
    digits=2,
)

exercises = read_exercises(__name__)
