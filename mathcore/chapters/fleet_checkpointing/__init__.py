"""Checkpointing a fleet: a stall is not a write, and work comes in whole steps."""

from sympy import Integral, LambertW, Rational, ceiling, exp, sqrt

from mathcore import Derivation, Example, Formula, Max, Variable, read_facts
from mathcore.chapters import before_you_start, resilience, young_daly
from mathcore.chapters.fleet_checkpointing import simulation
from mathcore.chapters.young_daly import C, M, R, interval, root_trusted, sum_trusted, t, tau, waste
from mathcore.monte_carlo import Simulation
from mathcore.teaching import read_calculators, read_exercises, read_tasks

# --- symbols --------------------------------------------------------------------------------

s = Variable("s", "s", "stall: training stops for one checkpoint", alias="stall", low="1 ms", high="1 h")
u = Variable(
    "u",
    "s",
    "upload: from the end of the stall until the checkpoint is safe",
    alias="upload_time",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
g = Variable(
    "g", "", "share of speed that training loses while it uploads", display_unit="%", low="0 %", high="90 %", zero=True
)
i_u = Variable(
    "i_u", "s", "interference: training time that one upload costs", tex=r"i", low="0 s", high="1 h", zero=True
)
u_0 = Variable("u_0", "s", "upload while training is stopped", display_unit="min", low="0 s", high="1 d", zero=True)
THROUGHPUT = {"low": "1 token/s/gpu", "high": "1000000 token/s/gpu"}
v_n = Variable("v_n", "token/s/gpu", "throughput between two uploads", tex=r"v", **THROUGHPUT)
v_l = Variable("v_l", "token/s/gpu", "lowest throughput during an upload", tex=r"v_{\min}", **THROUGHPUT)
d = Variable(
    "d",
    "s",
    "detection: until the failure is noticed and a spare is ready",
    display_unit="min",
    low="0 s",
    high="1 d",
    zero=True,
)
L_a = Variable("L_a", "s", "work lost in one failure", tex=r"L_{\mathrm{a}}", display_unit="min")
w_a = Variable("w_a", "", "waste with asynchronous uploads", tex=r"w_{\mathrm{async}}", display_unit="%")
w_ax = Variable(
    "w_ax", "", "exact waste with asynchronous uploads", tex=r"w_{\mathrm{async}}^{\mathrm{exact}}", display_unit="%"
)
w_a_min = Variable(
    "w_a_min", "", "least waste with asynchronous uploads", tex=r"w_{\mathrm{async}}^{\min}", display_unit="%"
)
w_sx = Variable("w_sx", "", "waste if training stops for stall and upload", tex=r"w_{\mathrm{sync}}", display_unit="%")
n_s = Variable(
    "n_s", "", "checkpoints made safe between two failures", tex=r"\bar{n}", low="0", high="1000000", zero=True
)
tau_a = Variable("tau_a", "s", "best work between two stalls", tex=r"\tau_{\mathrm{a}}", display_unit="min")
tau_ax = Variable(
    "tau_ax", "s", "exact best work between two stalls", tex=r"\tau_{\mathrm{a}}^{\mathrm{exact}}", display_unit="min"
)
tau_p = Variable("tau_p", "s", "interval that the uploads allow", tex=r"\tau_{\mathrm{pace}}", display_unit="min")
tau_f = Variable(
    "tau_f", "s", "best interval that the uploads can keep up with", tex=r"\tau_{\mathrm{fit}}", display_unit="min"
)
u_x = Variable("u_x", "s", "upload time at which asynchronous saving gains nothing", tex=r"u^{*}", display_unit="min")
G = Variable("G", "", "waste saved by asynchronous uploads", display_unit="%", low="-1", high="100")
nu = Variable("nu", "1/s", "checkpoints per time", tex=r"\nu", display_unit="1/h", low="0.0001 /h", high="10000 /h")
L_G = Variable("L_G", "s", "time wasted for one failure", tex=r"L_{\mathrm{G}}", display_unit="min")
h = Variable("h", "s", "duration of one training step", alias="step_time", low="0.01 s", high="1 h")
j = Variable("j", "", "steps between two checkpoints", low="1", high="1000000", count=True)
j_n = Variable("j_n", "", "best whole number of steps", tex=r"j_{\mathrm{best}}")
delta = Variable(
    "delta",
    "1/s",
    "checkpoints per time, where the failure rate changes",
    tex=r"\delta",
    display_unit="1/h",
    low="0.0001 /h",
    high="10000 /h",
)
kappa = Variable("kappa", "", "waste at a moment", tex=r"\kappa", display_unit="%")
lam_t = Variable(
    "lam_t",
    "1/s",
    "failure rate at that moment",
    tex=r"\lambda(t)",
    display_unit="1/h",
    low="0.00001 /h",
    high="100 /h",
)
tau_t = Variable("tau_t", "s", "best interval at that moment", tex=r"\tau(t)", display_unit="min")

# --- facts ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- a stall is not a write -----------------------------------------------------------------

slowdown = Formula(
    g, i_u / u, kind="definition", domain=(i_u <= u,), convention="the same interference, spread over a longer upload"
)
interference = Formula(
    i_u,
    u * (1 - v_l / v_n) / 2,
    kind="model",
    domain=(v_l <= v_n,),
    assumptions="throughput falls to its lowest and recovers at an even rate: half of the dip on average",
)
competing_upload = Formula(
    u, Max(u_0, 2 * i_u), kind="model", assumptions="an upload slows training by half at most, as those measured did"
)
async_loss = (
    Derivation.start(
        L_a,
        Integral((u + t) / tau, (t, 0, tau)),
        "the newest safe state is as old as its upload, and up to one interval more",
        kind="model",
    )
    .rewrite(tau / 2 + u, "half an interval on average, and the upload in any case")
    .formula(domain=(u <= tau,), assumptions="a failure is as likely at one moment of the interval as at any other")
)
async_waste = (
    Derivation.start(
        w_a,
        (s + g * u) / tau + (L_a + d + R) / M,
        "each interval costs its stall and the speed lost to the upload; each failure costs work, detection and restart",
        kind="model",
    )
    .apply(async_loss, "what a failure throws away")
    .formula(
        assumptions="an upload ends before the next stall",
        validity=sum_trusted(tau + s + u + d + R, M),
        convention="time lost for each unit of useful work",
    )
)
async_interval = (
    Derivation.minimise(async_waste, over=tau, why="the upload adds a constant; what is left has Young's form")
    .slope(1 / (2 * M) - (s + g * u) / tau**2, "u, d and R stand alone and are gone")
    .root(sqrt(2 * M * (s + g * u)), "Young's rule, with the stall where the write stood", as_symbol=tau_a)
    .curvature(2 * (s + g * u) / tau**3, "positive, a minimum", routine=True)
    .formula(validity=root_trusted(s + g * u, M))
)
async_least = (
    Derivation.start(w_a_min, async_waste, "the waste, to be taken at its best interval")
    .apply({tau: async_interval}, "work for exactly that long")
    .formula(
        domain=(u <= sqrt(2 * M * (s + g * u)),),
        validity=(*young_daly.least_trusted(s + g * u, M), *sum_trusted(u + d + R, M)),
    )
)
async_fits = Formula(
    tau_f,
    Max(u, sqrt(2 * M * (s + g * u))),
    assumptions="an upload must end before the next begins, and the waste rises on both sides of its optimum",
    validity=root_trusted(s + g * u, M),
)
async_gain = (
    Derivation.start(
        G,
        young_daly.w_min + (d + R) / M - w_a_min,
        "the best that can be done with writes that stall, against the best without",
    )
    .apply({young_daly.w_min: young_daly.waste_at_optimum, w_a_min: async_least}, "both at their own interval")
    .rewrite(
        sqrt(2 * C / M) - sqrt(2 / M * (s + g * u)) - u / M,
        "detection and restart cancel; the upload must be paid with every failure",
    )
    .formula(validity=(*young_daly.least_trusted(C, M), *sum_trusted(u, M)))
)
upload_limit = (
    Derivation.balance(
        sqrt(2 * C / M),
        s / u_x + 3 * u_x / (2 * M),
        "suppose the background gains nothing: training keeps its speed, and each interval is one upload long, since the best one would be shorter",
    )
    .solve_for(
        u_x,
        (sqrt(2 * C * M) + sqrt(2 * M * (C - 3 * s))) / 3,
        "a quadratic equation; at its smaller root the interval would be too short",
    )
    .formula(assumptions="$g = 0$", domain=(4 * s <= C,), validity=young_daly.least_trusted(C, M))
)
frequency = Formula(nu, 1 / tau, kind="definition")
gemini_loss = (
    Derivation.start(L_G, L_a + R, "work that is lost, and the time to fetch the checkpoint", kind="model")
    .apply(async_loss, "half an interval and the write")
    .apply(frequency, "counted in checkpoints per time", eliminating=tau)
    .formula(
        domain=(nu * u <= 1,),
        assumptions="a checkpoint is written without a stall",
        convention="time for each failure, as in Gemini, not for each unit of work",
    )
)

# --- without approximation ------------------------------------------------------------------

safe_checkpoints = (
    Derivation.balance(
        n_s,
        exp(-(tau + s + g * u) / M) * (exp(-(1 - g) * u / M) + n_s),
        "if the next interval survives, its checkpoint counts when the upload survives too, and all begins again; after a restart nothing is uploaded, so all moments lie $gu$ earlier",
        kind="model",
    )
    .solve_for(n_s, exp(-(1 - g) * u / M) / (exp((tau + s + g * u) / M) - 1), "collect the unknown", routine=True)
    .formula(assumptions="failures strike at a constant rate $1/M$", domain=(u <= tau,))
)
async_exact = (
    Derivation.start(
        w_ax,
        (M + d + R) / (tau * n_s) - 1,
        "time from failure to failure, over the work that is safe in it",
        kind="model",
    )
    .apply(safe_checkpoints, "so many intervals are safe")
    .formula(
        assumptions="none strikes during detection and restart", convention="time lost for each unit of useful work"
    )
)
async_optimum = (
    Derivation.minimise(async_exact, over=tau, why="upload, detection and restart only multiply what depends on tau")
    .slope(
        (M + d + R) * exp((1 - g) * u / M) / (M * tau**2) * (M - (M - tau) * exp((tau + s + g * u) / M)),
        "the bracket of Daly's exact model, with $s + gu$ where the write stood",
    )
    .root(M * (1 + LambertW(-exp(-1 - (s + g * u) / M))), "so it has the same root", as_symbol=tau_ax)
    .curvature(
        (M + d + R)
        * exp((1 - g) * u / M)
        / (M**2 * tau**3)
        * ((tau**2 - 2 * M * tau + 2 * M**2) * exp((tau + s + g * u) / M) - 2 * M**2),
        "the bracket is positive at $\\tau = 0$ and grows with $\\tau$",
    )
    .formula()
)
sync_exact = (
    Derivation.start(async_exact)
    .apply({s: s + u, u: 0}, "training stands still until the checkpoint is safe: all of it is stall")
    .formula(domain=())
)
simple_async = (
    Derivation.start(async_exact)
    .apply({g: 0, d: 0}, "training keeps its speed, and failures are noticed at once")
    .formula()
)
simple_sync = (
    Derivation.start(w_sx, sync_exact, "the same checkpoint with training at a standstill")
    .apply({d: 0}, "failures are noticed at once")
    .formula()
)
simple_optimum = Derivation.start(async_optimum).apply({g: 0}, "training keeps its speed").formula()

simple_sync_optimum = (
    Derivation.start(simple_optimum).apply({s: s + u}, "training stands still until the checkpoint is safe").formula()
)
paced_interval = Formula(
    tau_p, Max(tau, u), assumptions="if an upload does not keep up, the next snapshot waits for it"
)
paced_async = (
    Derivation.start(simple_async)
    .apply({tau: paced_interval}, "if an upload does not keep up, the next snapshot waits for it")
    .formula(domain=())
)
paced_optimum = (
    Derivation.start(tau_f, Max(u, tau_ax), "as short as is best, but not shorter than an upload", kind="model")
    .apply(simple_optimum, "the best, exactly")
    .formula()
)
paced_loss = (
    Derivation.start(async_loss).apply({tau: paced_interval}, "the interval that the uploads allow").formula(domain=())
)

# --- whole steps ----------------------------------------------------------------------------

snapped_waste = (
    Derivation.start(waste)
    .apply({tau: j * h}, "checkpoints lie between steps: work is j steps of h")
    .formula(validity=sum_trusted(j * h + C, M))
)
snapped_steps = (
    Derivation.balance(
        snapped_waste.rhs,
        snapped_waste.rhs.subs(j, j + 1),
        "suppose j steps and one step more cost the same: up to there more is better",
    )
    .solve_for(
        j,
        sqrt(Rational(1, 4) + 2 * C * M / h**2) - Rational(1, 2),
        "the difference vanishes at $j(j+1) = 2CM/h^2$, a quadratic equation",
    )
    .formula(validity=root_trusted(C, M), convention="not whole yet: the next whole number above is best")
)
best_steps = Formula(
    j_n,
    ceiling(snapped_steps.rhs),
    assumptions="the first whole number from which one step more costs more",
    validity=root_trusted(C, M),
)

# --- a rate that changes --------------------------------------------------------------------

momentary_waste = Formula(
    kappa,
    C * delta + lam_t / (2 * delta),
    assumptions="the rate changes little within an interval",
    validity=sum_trusted(1 / delta + C, 1 / lam_t),
)
density = (
    Derivation.minimise(momentary_waste, over=delta, why="how dense should checkpoints lie at this moment?")
    .slope(C - lam_t / (2 * delta**2), "term by term", routine=True)
    .root(sqrt(lam_t / (2 * C)), "the only positive root", as_symbol=delta, routine=True)
    .curvature(lam_t / delta**3, "positive, a minimum", routine=True)
    .formula(validity=root_trusted(C, 1 / lam_t))
)
momentary_interval = (
    Derivation.start(tau_t, 1 / delta, "the interval is one over the density")
    .apply(density, "the best density: Young's rule with the rate of the moment")
    .formula()
)

# --- worked examples ------------------------------------------------------------------------

# printed as 21 min: the cluster's mean time was read as minutes
lab_true_optimum = Example(interval, {C: facts.lab_stall, M: young_daly.lab_cluster}, unit="s")
gemini_size = Example(resilience.size, {resilience.n: facts.gemini_model, resilience.beta: facts.gemini_bytes})
gemini_upload = Example(
    before_you_start.transfer,
    {before_you_start.V: gemini_size, before_you_start.b: facts.gemini_rate},
    expect=facts.gemini_write,
    rtol=0.012,
    source="the paper's figure",
)
gemini_failure = Example(
    gemini_loss,
    {u: facts.gemini_write, nu: "0.02380952 /min", R: facts.gemini_write},
    expect=facts.gemini_wasted,
    rtol=1e-6,
    source="the paper's 42 + 21 + 42",
    digits=4,
)
DCP = {v_n: facts.dcp_throughput}
interference_process = Example(interference, {**DCP, u: facts.dcp_process, v_l: facts.dcp_process_low}, digits=2)
interference_threads = Example(interference, {**DCP, u: facts.dcp_threads, v_l: facts.dcp_threads_low}, digits=2)
fleet_slowdown = Example(slowdown, {i_u: interference_process, u: "2 min"}, digits=2)
FLEET = {s: "5 s", u: "2 min", g: fleet_slowdown, M: young_daly.llama_mtbf}
fleet_interval = Example(async_interval, FLEET)
fleet_least = Example(async_least, {**FLEET, d: "1 min", R: "5 min"})
lab_steps = Example(best_steps, {C: "4 min", M: "8 h", h: facts.lab_step})

# --- simulations ----------------------------------------------------------------------------

SEA = {M: "6 h", R: "10 min", d: "3 min", g: "10 %", s: "20 s", tau: "40 min", u: "15 min"}
sim_async = Simulation(async_exact, SEA, simulation.async_wastes, runs=400)
sim_sync = Simulation(sync_exact, {v_: x_ for v_, x_ in SEA.items() if v_ is not g}, simulation.sync_wastes, runs=400)
sim_loss = Simulation(async_loss, {tau: "40 min", u: "15 min"}, simulation.async_losses)

# --- explorer -------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
tasks = read_tasks(__name__)
