"""Lab on scale: does a thousand times the hardware give a thousand times the speed, and at which price?"""

from mathcore import Derivation, Example
from mathcore.chapters import hardware, ownership, sites, speedup
from mathcore.chapters.lab_scale_illusion import costs, steps
from mathcore.chapters.ownership import measured as ownership_measured
from mathcore.chapters.speedup import N
from mathcore.teaching import read_labs, read_questions

# --- act I: reflect ------------------------------------------------------------------------

ring_of_twice = (
    Derivation.start(
        speedup.t_a,
        2 * (2 * N - 1) * (speedup.alpha + speedup.V / (2 * N * speedup.beta)),
        "twice the members, each message half as long",
        kind="model",
    )
    .apply(steps.message, "the message follows from the parameters")
    .formula(assumptions="a ring of twice the devices")
)
computing_of_twice = (
    Derivation.start(
        speedup.t_c, speedup.B * speedup.f / (2 * N * speedup.R), "the batch is divided by twice as many", kind="model"
    )
    .apply({speedup.f: steps.work_of_token, speedup.R: steps.rate}, steps.SIZE)
    .formula(assumptions="half of the tokens for each device")
)
# --- the lab -------------------------------------------------------------------------------

JOB = {
    steps.Psi_9: "135",
    steps.w: "2 B",
    speedup.B: "4 Mtoken",
    speedup.beta: hardware.ndr_port,
    speedup.alpha: "5 us",
    speedup.omega: "50 %",
    speedup.v: "2 %",
    speedup.P: hardware.h100_bf16,
    speedup.U: speedup.lab_mfu,
    speedup.F: speedup.lab_work,
}
OFFER = {
    ownership.T: "3 year",
    ownership.q: sites.lab_rate,
    ownership.delta: sites.lab_discount,
    ownership.K: sites.lab_price,
    ownership.s: sites.lab_staff,
    ownership.p: hardware.h100_tdp,
    ownership.p_0: sites.lab_idle,
    ownership.PUE: sites.lab_pue,
    ownership.k: sites.lab_power_price,
}
FLEET = {N: "1000", **JOB}
BOUGHT = {ownership.N: sites.lab_fleet, ownership.u: sites.lab_use, costs.chi: "20 %", **OFFER}


questions = read_questions(__name__)
labs = read_labs(__name__)

# --- worked examples -----------------------------------------------------------------------

fleet_computing = Example(steps.computing, {v: FLEET[v] for v in steps.computing.inputs})
fleet_ring = Example(steps.adding_up, {v: FLEET[v] for v in steps.adding_up.inputs})
fleet_message = Example(steps.message, {steps.Psi_9: "135", steps.w: "2 B"})
fleet_gain = Example(steps.gain, {v: FLEET[v] for v in steps.gain.inputs})
fleet_ports = Example(steps.gain_of_ports, {v: FLEET[v] for v in steps.gain_of_ports.inputs})
fleet_attained = Example(
    steps.gain_of_ports, {v: (FLEET | {speedup.beta: "20 GB/s"})[v] for v in steps.gain_of_ports.inputs}
)
fleet_days = Example(steps.days, {v: FLEET[v] for v in steps.days.inputs})
fleet_needed = Example(
    steps.needed, {**{v: FLEET[v] for v in steps.needed.inputs if v in FLEET}, steps.t_due: speedup.lab_hope}
)
fleet_hidden = Example(steps.out_of_hiding, {v: FLEET[v] for v in steps.out_of_hiding.inputs})
fleet_peak = Example(steps.peak, {v: FLEET[v] for v in steps.peak.inputs})
fleet_best = Example(steps.best_fleet, {v: FLEET[v] for v in steps.best_fleet.inputs})
fleet_bill = Example(
    ownership.on_demand,
    {ownership.N: "1000 gpu", ownership.u: "100 %", ownership.T: fleet_days, ownership.q: sites.lab_rate},
)
bill_on_demand = Example(costs.on_demand, {v: BOUGHT[v] for v in costs.on_demand.inputs})
bill_committed = Example(costs.reserved, {v: BOUGHT[v] for v in costs.reserved.inputs})
bill_owned = Example(costs.owned, {v: BOUGHT[v] for v in costs.owned.inputs})
break_even = Example(costs.owning_pays, {v: BOUGHT[v] for v in costs.owning_pays.inputs}, digits=4)
break_even_bare = Example(
    costs.owning_pays, {v: {**BOUGHT, costs.chi: "0 %"}[v] for v in costs.owning_pays.inputs}, digits=4
)
bargain = Example(costs.price_against_reserved, {v: BOUGHT[v] for v in costs.price_against_reserved.inputs})
fixed_part = Example(costs.fixed_share, {v: BOUGHT[v] for v in costs.fixed_share.inputs})
used_hour = Example(costs.hour_owned, {v: BOUGHT[v] for v in costs.hour_owned.inputs})
MARKET = {
    ownership.e: "0 /year",
    ownership.r: ownership.TODAY[ownership.r],
    ownership_measured.T_d: "6 year",
    costs.rho: "100 %",
}
MOVING = {**BOUGHT, **MARKET}
FALLS = {ownership.e: ownership.p4d_fall}
committed_still = Example(costs.committed_today, {v: MOVING[v] for v in costs.committed_today.inputs}, digits=4)
owned_still = Example(costs.owned_today, {v: MOVING[v] for v in costs.owned_today.inputs}, digits=4)
committed_falling = Example(
    costs.committed_today, {v: (MOVING | FALLS)[v] for v in costs.committed_today.inputs}, digits=4
)
owned_falling = Example(costs.owned_today, {v: (MOVING | FALLS)[v] for v in costs.owned_today.inputs}, digits=4)
