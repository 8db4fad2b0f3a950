"""Lab on scale: does a thousand times the hardware give a thousand times the speed, and at which price?"""

from sympy import Rational, false

from mathcore import Derivation, Example, Max, Min
from mathcore.chapters import hardware, ownership, sites, speedup
from mathcore.chapters import lab_scale_costs as costs
from mathcore.chapters import lab_scale_steps as steps
from mathcore.chapters.speedup import N
from mathcore.teaching import Context, Lab, Option, Outcome, Question

# --- act I: predict ------------------------------------------------------------------------

# Printed shares 1, 0.8, 0.3 and 0.1; an answer belongs to the nearest one in ratio, so that the
# bands meet at the geometric means, and squares say it without roots.
SQUARE = steps.asked_efficiency.rhs**2

speedup_guess = Question(
    "How many devices' worth of work?",
    (
        Option(
            "about {fleet}: with good hardware it scales perfectly",
            Rational(4, 5) < SQUARE,
            "{fleet} is {off_all} times the computed speedup of {gain}. Perfect scaling means that no device waits "
            "for another: one device alone has that, and so does a batch so large that all communication hides.",
        ),
        Option(
            "about {most}: four fifths are realistic today",
            (Rational(24, 100) < SQUARE) & (Rational(4, 5) >= SQUARE),
            "{most} is {off_most} times the computed speedup of {gain}. Four fifths is what clusters reach whose "
            "communication still hides; with this batch it does so up to {hiding} devices.",
        ),
        Option(
            "about {third}: communication and stragglers take most of it",
            (Rational(3, 100) < SQUARE) & (Rational(24, 100) >= SQUARE),
            "{third} is {off_third} times the computed speedup of {gain}. Beyond {hiding} devices the ring takes "
            "longer than there is computing to hide it, {ring} in every step.",
        ),
        Option(
            "about {tenth}: more than a tenth is rarely reached",
            Rational(3, 100) >= SQUARE,
            "{tenth} is {off_tenth} times the computed speedup of {gain}. A tenth is what a slow network or a "
            "small batch leaves, not a law of large clusters.",
        ),
    ),
    of=steps.steps,
    slots={
        "most": (steps.said_most, ""),
        "third": (steps.said_third, ""),
        "tenth": (steps.said_tenth, ""),
        "off_all": (steps.off_all, ""),
        "off_most": (steps.off_most, ""),
        "off_third": (steps.off_third, ""),
        "off_tenth": (steps.off_tenth, ""),
        "gain": (steps.asked_gain, ""),
        "fleet": (steps.asked_fleet, "", 4),
        "hiding": (steps.out_of_hiding, ""),
        "ring": (steps.asked_ring, "s"),
    },
)

# --- act I: reflect ------------------------------------------------------------------------

ring_of_twice = (
    Derivation.start(
        speedup.t_a,
        2 * (2 * N - 1) * (speedup.alpha + speedup.V / (2 * N * speedup.beta)),
        "twice the members, each message half as long",
        kind="model",
    )
    .use(steps.message, "the message follows from the parameters")
    .formula(when="a ring of twice the devices")
)
computing_of_twice = (
    Derivation.start(
        speedup.t_c, speedup.B * speedup.f / (2 * N * speedup.R), "the batch is divided by twice as many", kind="model"
    )
    .use({speedup.f: steps.work_of_token, speedup.R: steps.rate}, steps.SIZE)
    .formula(when="half of the tokens for each device")
)
GROWS = 2 * ring_of_twice.rhs > 3 * steps.adding_up.rhs
cause = Question(
    "What happens when the cluster doubles and the batch does not?",
    (
        Option(
            "Each device computes more slowly once it is part of a network",
            false,
            "Its peak and its own MFU stay the same; it does its {computing} of computing in every "
            "step at the same rate, and then it waits.",
        ),
        Option(
            "The all-reduce itself takes much longer: its time grows with the cluster",
            GROWS,
            "It takes {ring} now and {ring_2} with twice the devices. It grows only where the latency of "
            "many messages counts, or in the smallest rings; the bytes through one port hardly change.",
        ),
        Option(
            "Power delivery throttles the devices",
            false,
            "A building that is designed for its devices feeds them all; within their limit they compute "
            "as fast as one alone. What sets the pace of a step is the communication, not the power feed.",
        ),
        Option(
            "Larger models always have a lower MFU",
            false,
            "A larger model brings more bytes, {message} here, but as much more work to hide them behind: "
            "in the efficiency its size cancels except for the latency. Change the parameters and watch.",
        ),
        Option(
            "The all-reduce takes about as long, but each device has half as much computing to hide it behind",
            ~GROWS,
            "The ring takes {ring} now and {ring_2} with twice the devices, while computing falls from "
            "{computing} to {computing_2}: the share of communication grows, not its time.",
        ),
    ),
    of=steps.steps,
    slots={
        "ring": (steps.adding_up, "s"),
        "ring_2": (ring_of_twice, "s"),
        "computing": (steps.computing, "s"),
        "computing_2": (computing_of_twice, "s"),
        "message": (steps.message, "GB"),
    },
    purpose="reflection",
)

# --- act II: predict, reflect --------------------------------------------------------------

DEMAND, RESERVED, OWNED = costs.on_demand.rhs, costs.reserved.rhs, costs.owned.rhs
ALIKE = 5 * Max(DEMAND, RESERVED, OWNED) <= 6 * Min(DEMAND, RESERVED, OWNED)
path_guess = Question(
    "Which path is cheapest?",
    (
        Option(
            "Rent on demand: only used hours are paid",
            ~ALIKE & (DEMAND <= RESERVED) & (DEMAND <= OWNED),
            "Renting on demand costs {demand}. It wins below {commits} of the hours, where a commitment takes over, "
            "and below {owns}, where owning does (above 100 % means never). You plan with {u}.",
        ),
        Option(
            "Own: nobody earns a margin on us",
            ~ALIKE & (OWNED < DEMAND) & (OWNED < RESERVED),
            "Owning costs {own}, and {fixed} of it whether the devices work or not. It beats renting on "
            "demand above {owns} of the hours (above 100 % means never), and a commitment at a purchase "
            "price below {price}; you pay {K}.",
        ),
        Option(
            "Commit: a steady load deserves a discount",
            ~ALIKE & (RESERVED < DEMAND) & (RESERVED <= OWNED),
            "A commitment costs {committed} and pays for every hour, so it beats renting on demand only above {commits} "
            "of the hours; you plan with {u}. It ties with owning at a discount of {discount}.",
        ),
        Option(
            "All three lie within a fifth of each other",
            ALIKE,
            "They cost {demand}, {committed} and {own}: the most expensive is {spread} times the cheapest. Paths come close only where the lines "
            "cross, and lines of such different slopes do not stay close for long.",
        ),
    ),
    of=costs.calculator,
    slots={
        "demand": (costs.on_demand, "MUSD"),
        "committed": (costs.reserved, "MUSD"),
        "own": (costs.owned, "MUSD"),
        "commits": (costs.reserved_pays, "%"),
        "owns": (costs.owning_pays, "%"),
        "price": (costs.price_against_reserved, "USD/gpu"),
        "discount": (costs.discount_against_owned, "%"),
        "fixed": (costs.fixed_share, "%"),
        "spread": (costs.spread_of_paths, ""),
    },
)
HALF_FIXED = 2 * costs.fixed_share.rhs >= 1
why_use = Question(
    "Why does utilisation decide about owning, and not about renting by the hour?",
    (
        Option(
            "Devices that idle wear out faster",
            false,
            "If anything, it is work that wears them out. Nothing in the owned fleet's cost of {own} is wear from idling; "
            "what sits idle is the money.",
        ),
        Option(
            "Most of what owning costs is paid whether the devices work or not",
            HALF_FIXED,
            "Here it is {fixed} of {own}. With {u} in use each used hour carries {factor} times its share, "
            "and costs {hour} instead of the {q} of an hour on demand.",
        ),
        Option(
            "It does not: both costs are proportional to use",
            ~HALF_FIXED,
            "Only renting on demand is. Of owning, {fixed} is paid in any case, and the rest follows use.",
        ),
        Option(
            "Idle devices draw no power, so that owning gets cheaper when they idle",
            false,
            "An idle device draws {p_0} here, and its idle hours cost {idle} of electricity in all. "
            "Even at zero watts the purchase, {K}, would remain.",
        ),
    ),
    of=costs.calculator,
    slots={
        "own": (costs.owned, "MUSD"),
        "fixed": (costs.fixed_share, "%"),
        "factor": (costs.idle_factor, ""),
        "hour": (costs.hour_owned, "USD/(gpu h)"),
        "idle": (costs.idle_power, "MUSD"),
    },
    purpose="reflection",
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
    ownership.p: hardware.h100_tdp.per("gpu"),
    ownership.p_0: sites.lab_idle.per("gpu"),
    ownership.PUE: sites.lab_pue,
    ownership.k: sites.lab_power_price,
}
FLEET = {N: "1000", **JOB}
BOUGHT = {ownership.N: sites.lab_fleet, ownership.u: sites.lab_use, costs.chi: "20 %", **OFFER}


def _set(inputs):
    """Return inputs as a context takes them: texts and quantities, no facts."""
    return {v: getattr(x, "value", x) for v, x in inputs.items()}


lab = Lab(
    "The scale illusion",
    (
        speedup_guess,
        steps.constants,
        steps.steps,
        cause,
        path_guess,
        costs.exercises.guess,
        costs.calculator,
        costs.market,
        why_use,
    ),
    {
        "fleet": Context(
            "Fleet, a thousand H100",
            "You advise a company that wants to train a model of the size of GPT-4. Each H100 has "
            "{val}`hardware.h100_hbm` of memory, a dense peak of {val}`hardware.h100_bf16` and a port of "
            "{val}`hardware.ndr_port`; the date and the budget are in the vice president's message.",
            _set({**FLEET, speedup.E: speedup.lab_efficiency, speedup.C: speedup.lab_overhead})
            | {steps.t_due: "164.4 d"}
            | _set({**BOUGHT, costs.y: "1", ownership.L: sites.lab_budget}),
        ),
        "single": Context(
            "Single device, one H100",
            "You own the yardstick: one H100 with a dense peak of {val}`hardware.h100_bf16`, which reads its "
            "memory at {val}`hardware.h100_hbm_bandwidth` and waits for no other. Its group trains by day only "
            "and has fifty thousand dollars for three years. What does one device promise, and what does "
            "the date ask for?",
            _set({**FLEET, N: "1", speedup.E: "100 %", speedup.C: "0 %"})
            | {steps.t_due: "164.4 d"}
            | _set({**BOUGHT, ownership.N: "1 gpu", ownership.u: "25 %", costs.chi: "0 %", costs.y: "3"})
            | {ownership.L: "0.05 MUSD"},
        ),
    },
    (
        Outcome("devices", steps.steps, speedup.ideal, "", 0),
        Outcome("speedup", steps.steps, steps.gain, ""),
        Outcome("scaling efficiency", steps.steps, steps.efficiency, "%"),
        Outcome("training", steps.steps, steps.days, "d"),
        Outcome("cheapest path", costs.calculator, costs.cheapest, "MUSD"),
        Outcome("your plan", costs.calculator, costs.planned, "MUSD"),
        Outcome("owning beats on demand from", costs.calculator, costs.owning_pays, "%"),
    ),
    minutes={"act one": 30, "act two": 45},
)

# --- worked examples -----------------------------------------------------------------------

fleet_computing = Example(steps.computing, {v: FLEET[v] for v in steps.computing.inputs})
fleet_ring = Example(steps.adding_up, {v: FLEET[v] for v in steps.adding_up.inputs})
fleet_message = Example(steps.message, {steps.Psi_9: "135", steps.w: "2 B"})
fleet_efficiency = Example(steps.efficiency, {v: FLEET[v] for v in steps.efficiency.inputs})
fleet_gain = Example(steps.gain, {v: FLEET[v] for v in steps.gain.inputs})
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
bargain = Example(costs.price_against_reserved, {v: BOUGHT[v] for v in costs.price_against_reserved.inputs})
fixed_part = Example(costs.fixed_share, {v: BOUGHT[v] for v in costs.fixed_share.inputs})
used_hour = Example(costs.hour_owned, {v: BOUGHT[v] for v in costs.hour_owned.inputs})
MARKET = {ownership.e: "0 /year", ownership.r: ownership.TODAY[ownership.r], costs.T_d: "6 year", costs.rho: "100 %"}
MOVING = {**BOUGHT, **MARKET}
FALLS = {ownership.e: ownership.p4d_fall}
committed_still = Example(costs.committed_today, {v: MOVING[v] for v in costs.committed_today.inputs}, digits=4)
owned_still = Example(costs.owned_today, {v: MOVING[v] for v in costs.owned_today.inputs}, digits=4)
committed_falling = Example(
    costs.committed_today, {v: (MOVING | FALLS)[v] for v in costs.committed_today.inputs}, digits=4
)
owned_falling = Example(costs.owned_today, {v: (MOVING | FALLS)[v] for v in costs.owned_today.inputs}, digits=4)
